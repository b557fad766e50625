//! What the simulation reads of the state of a loop: here, and nowhere else.

use piton_model::loop_machine::{LoopConfig, Snapshot};
use piton_model::{Reason, Seq, State, Status};

use crate::history::View;

/// What a person sees.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) status: Status,
    pub(super) iterations: u32,
    pub(super) limit: u32,
    pub(super) question: Option<(u32, String)>,
    pub(super) cost_limit: Option<u64>,
    pub(super) at_limit: bool,
}

impl Shown {
    pub(super) fn nothing() -> Self {
        Self {
            status: Status::Created,
            iterations: 0,
            limit: 0,
            question: None,
            cost_limit: None,
            at_limit: false,
        }
    }

    pub(super) fn of(state: &State) -> Self {
        Self {
            status: state.status,
            iterations: state.counters.iterations,
            limit: state.config.limits.iterations,
            question: state
                .people
                .questions
                .first()
                .map(|question| (question.number, question.digest.clone())),
            cost_limit: state.config.limits.cost_microusd,
            at_limit: state.reason.map(Reason::as_str).is_some_and(|reason| reason.starts_with("limit:")),
        }
    }
}

pub(super) fn view(state: &State, shown: Seq) -> View {
    let counters = &state.counters;
    View {
        shown,
        count: counters.iterations,
        cost: counters.cost_microusd,
        lost: counters.lost,
        mode: Some(state.mode().as_str()),
    }
}

/// The mode that somebody asked for and that is not on record yet.
pub(super) fn asked_mode(state: &State) -> Option<&'static str> {
    state.requests.mode.map(|mode| mode.as_str())
}

pub(super) fn config(state: &State) -> &LoopConfig {
    &state.config
}

/// The tree was looked at when the run began.
pub(super) fn has_start(state: &State) -> bool {
    state.seen.start.is_some()
}

/// The tree as last seen.
pub(super) fn last_seen(state: &State) -> Option<&Snapshot> {
    state.seen.snapshot.as_ref()
}

/// The tree before the iteration that is under way.
pub(super) fn before(state: &State) -> Option<&Snapshot> {
    state.work.before.as_ref()
}

/// The tree that is to be put back before anything else.
pub(super) fn to_restore(state: &State) -> Option<&Snapshot> {
    state.work.restore.as_ref()
}
