//! What people see of a workflow, and what a view says.

use piton_model::workflow::{State, StepId};
use piton_model::{Reason, Seq, Status};

use crate::history::View;

/// What a person sees.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    pub(super) status: Status,
    pub(super) at_limit: bool,
    pub(super) questions: Vec<(StepId, u32, String)>,
    pub(super) steps: Vec<StepId>,
    pub(super) cost_limit: Option<u64>,
    pub(super) iterations_max: u32,
}

impl Shown {
    pub(super) fn of(state: &State) -> Self {
        let asked = state.questions().into_iter();
        Self {
            status: state.status,
            at_limit: state.reason.is_some_and(Reason::is_limit),
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
