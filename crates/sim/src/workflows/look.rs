//! What the simulation reads of the state of a workflow: here, and nowhere else.

use piton_model::workflow::{CostAction, OpenAttempt, State, StepId, Work};
use piton_model::{Reason, Seq, Status, Timestamp};

use crate::history::View;

/// What a person sees.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) status: Status,
    pub(super) at_limit: bool,
    pub(super) questions: Vec<(StepId, u32, String)>,
    pub(super) steps: Vec<StepId>,
    pub(super) cost_limit: Option<u64>,
    pub(super) iterations_max: u32,
}

impl Shown {
    pub(super) fn nothing() -> Self {
        Self {
            status: Status::Created,
            at_limit: false,
            questions: Vec::new(),
            steps: Vec::new(),
            cost_limit: None,
            iterations_max: 0,
        }
    }

    pub(super) fn of(state: &State) -> Self {
        let asked = state.questions().into_iter();
        Self {
            status: state.status,
            at_limit: state.reason.map(Reason::as_str).is_some_and(|reason| reason.starts_with("limit:")),
            questions: asked
                .map(|(step, question)| (step.clone(), question.number, question.digest.clone()))
                .collect(),
            steps: steps(state),
            cost_limit: state.options.max_cost_microusd,
            iterations_max: state.options.max_iterations,
        }
    }
}

pub(super) fn view(state: &State, shown: Seq) -> View {
    let counters = &state.counters;
    View { shown, count: counters.attempts, cost: counters.cost_microusd, lost: counters.lost, mode: None }
}

pub(super) fn steps(state: &State) -> Vec<StepId> {
    state.plan.steps.iter().map(|step| step.id.clone()).collect()
}

/// It rests short of its goal.
pub(super) fn rests(state: &State) -> bool {
    matches!(state.status, Status::Paused | Status::Stopped | Status::Failed | Status::Waiting)
}

/// What this attempt does.
pub(super) fn work<'a>(state: &'a State, attempt: &OpenAttempt) -> Option<&'a Work> {
    state.plan.graph().place(&attempt.step).map(|index| &state.plan.step(index).work)
}

/// Where the step of this attempt is in the document.
pub(super) fn place(state: &State, attempt: &OpenAttempt) -> u32 {
    state.plan.graph().place(&attempt.step).map_or(0, |index| index as u32)
}

/// What this step asks and since when, and the digest of the file that was refused since.
pub(super) fn asks(state: &State, step: &StepId) -> Option<(u32, Timestamp, Option<String>)> {
    let runtime = state.step(step)?;
    let question = runtime.question.as_ref()?;
    let refused = runtime.refused_input.as_ref().map(|(digest, _)| digest.clone());
    Some((question.number, question.since, refused))
}

/// What somebody found at the gates of this step, the last time.
pub(super) fn known_verdicts<'a>(
    state: &'a State,
    step: &StepId,
) -> &'a [piton_model::workflow::GateVerdict] {
    state.step(step).map_or(&[], |step| &step.verdicts)
}

/// What follows when more is spent than may be.
pub(super) fn stops_for_money(state: &State) -> bool {
    state.options.cost_limit_action != CostAction::Warn
}

/// It is on record that the day's money is spent.
pub(super) fn knows_budget(state: &State, detail: &str) -> bool {
    state.requests.budget.as_deref() == Some(detail)
}
