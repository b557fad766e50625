//! What people see of a loop, and what a view says.

use piton_model::{Reason, Seq, State, Status};

use crate::history::View;

/// What a person sees.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    pub(super) status: Status,
    pub(super) iterations: u32,
    pub(super) limit: u32,
    pub(super) question: Option<(u32, String)>,
    pub(super) cost_limit: Option<u64>,
    pub(super) at_limit: bool,
}

impl Shown {
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
            at_limit: state.reason.is_some_and(Reason::is_limit),
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
