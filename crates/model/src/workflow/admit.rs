//! Whether a request makes sense, and what a resume needs to get a run past its limit.

use super::event::WorkflowEvent as Event;
use super::facts::{CostAction, Raise};
use super::limits::TRIES_MAX;
use super::queue;
use super::state::{State, StepState};
use crate::loop_machine::room_past;
use crate::rejection::Rejection;
use crate::status::{Kind, Reason, Status};

/// Whether a person's request makes sense where the run is; the journal would take it in any case.
pub fn admit(state: &State, request: &Event) -> Result<(), Rejection> {
    let run = || state.run.clone();
    let nothing_to = |action| Err(Rejection::NothingTo { run: run(), status: state.status, action });
    if let Event::StartAtRequested { step } = request {
        let known = state.step(step).is_some();
        return known.then_some(()).ok_or_else(|| Rejection::NoSuchStep { run: run(), step: step.clone() });
    }
    if let Event::QueueChangeRequested { .. } = request
        && state.options.queue.is_none()
    {
        let action = "have items: only a queue does";
        return Err(Rejection::NotForKind { run: run(), kind: Kind::Workflow, action });
    }
    if state.status == Status::Completed && state.requests.start_at.is_none() {
        return Err(Rejection::Finished { run: run(), status: state.status });
    }
    match request {
        Event::QueueChangeRequested { change } => match queue::refusal(state, change) {
            Some(text) => Err(Rejection::BadChange { run: run(), text }),
            None => Ok(()),
        },
        Event::PauseRequested {}
            if matches!(state.status, Status::Paused | Status::Stopped | Status::Failed) =>
        {
            nothing_to("pause")
        }
        Event::StopRequested { .. } if matches!(state.status, Status::Stopped | Status::Failed) => {
            nothing_to("stop")
        }
        Event::ResumeRequested { raise } => match still_reached(state, raise) {
            Some(reason) => Err(Rejection::AtLimit { run: run(), reason, raise: raise_past(state, reason) }),
            None => Ok(()),
        },
        Event::AnswerGiven { question, .. }
            if state.questions().iter().all(|(_, open)| open.number != *question) =>
        {
            Err(Rejection::NoSuchQuestion { run: run(), question: *question })
        }
        _ => Ok(()),
    }
}

/// What `piton resume` needs to get a run past the one of these two limits, with room beyond.
pub fn raise_past(state: &State, reason: Reason) -> String {
    const DOLLAR: u64 = 1_000_000;
    if reason == Reason::LimitCost && state.over_own_limit().is_none() {
        let limit = state.options.daily_cost_microusd.unwrap_or(0);
        let room = room_past(state.counters.day_microusd, limit, 10 * DOLLAR);
        return format!("--daily-cost-limit +{}", room.div_ceil(DOLLAR));
    }
    if reason == Reason::LimitCost {
        let limit = state.options.max_cost_microusd.unwrap_or(0);
        let room = room_past(state.counters.cost_microusd, limit, 10 * DOLLAR);
        return format!("--max-cost +{}", room.div_ceil(DOLLAR));
    }
    let queue = state.options.queue.as_deref();
    if reason == Reason::LimitTokens {
        let limit = queue.and_then(|queue| queue.max_tokens).unwrap_or(0);
        return format!("--max-tokens +{}", room_past(state.counters.tokens, limit, 1_000_000));
    }
    if reason == Reason::LimitDuration {
        let limit = queue.and_then(|queue| queue.max_working_ms).unwrap_or(0);
        let room = room_past(state.counters.working_ms, limit, 3_600_000);
        return format!("--max-duration +{}m", room.div_ceil(60_000));
    }
    let limit = state.options.max_iterations;
    let failed = state.steps.iter().filter(|step| step.failed_for == Some(Reason::LimitIterations));
    let used = failed.map(|step| step.iteration_count).max().unwrap_or(limit);
    let room = room_past(used.into(), limit.into(), 4).min(TRIES_MAX.saturating_sub(limit).into());
    format!("--max-iterations +{room}")
}

/// The limit that would stop the run again at once.
fn still_reached(state: &State, raise: &Raise) -> Option<Reason> {
    let most = raise.max_iterations.unwrap_or(state.options.max_iterations);
    let spent = |limit: u64| state.counters.cost_microusd >= limit;
    let at_iterations =
        |step: &StepState| step.failed_for == Some(Reason::LimitIterations) && step.iteration_count >= most;
    if state.steps.iter().any(|step| at_iterations(step)) {
        return Some(Reason::LimitIterations);
    }
    if let Some(reason) = queue::still_over(state, raise) {
        return Some(reason);
    }
    let money = raise.max_cost_microusd.or(state.options.max_cost_microusd);
    let stops = state.options.cost_limit_action != CostAction::Warn;
    (stops && money.is_some_and(spent)).then_some(Reason::LimitCost)
}
