//! What the start and the end of an attempt mean for its step: completed, asked about, gone back, tried again, failed.

use std::sync::Arc;

use super::apply::unblock;
use super::definition::{OnReject, StepId, Work};
use super::facts::{Hold, OpenAttempt, StepEnd, StepReport};
use super::limits::{BACKOFF_MS_MAX, REPORT_ENTRIES_MAX};
use super::state::{State, StepState, StepStatus};
use crate::Timestamp;
use crate::loop_machine::AttemptOutcome;
use crate::status::Reason;

/// An attempt begins. What the last one left is gone from the step, but not why it failed.
pub(super) fn started(step: &mut StepState, attempt: &OpenAttempt, at: Timestamp) {
    step.status = StepStatus::Running;
    step.attempts = attempt.attempt;
    step.started_at = Some(at);
    step.ended_at = None;
    step.not_before = None;
    step.blocked = None;
    step.gate_failure = false;
    // The items of a collection share one list of artifacts.
    if step.index == 0 {
        step.artifacts.clear();
    }
    step.metrics.clear();
    step.logs.clear();
    step.open = Some(attempt.clone());
}

/// The attempt never ran, so it does not count.
pub(super) fn abandoned(state: &mut State, attempt: u32) {
    if let Some(index) = take_open(state, attempt) {
        give_back(Arc::make_mut(&mut state.steps[index]));
    }
}

/// The attempt may have run, so it counts.
pub(super) fn lost(state: &mut State, attempt: u32, at: Timestamp) {
    let Some(index) = take_open(state, attempt) else { return };
    state.counters.lost = state.counters.lost.saturating_add(1);
    state.counters.cost_unknown = state.counters.cost_unknown.saturating_add(1);
    fail(state, index, "The outcome of this attempt cannot be known".to_owned(), at);
}

/// The attempt ended like this.
pub(super) fn finished(state: &mut State, attempt: u32, end: &StepEnd, at: Timestamp) {
    let Some(index) = take_open(state, attempt) else { return };
    charge(state, index, end);
    let step = Arc::make_mut(&mut state.steps[index]);
    step.ended_at = Some(at);
    if let Some(hold) = end.hold {
        return held_up(state, index, hold, end, at);
    }
    if end.outcome == AttemptOutcome::Cancelled {
        return give_back(step);
    }
    step.reported |= end.report.is_some();
    let gate_failed =
        failed_gate(&state.plan.step(index).work, state.plan.step(index).loop_back_to.is_some(), end);
    let (report, is_good) =
        (end.report.clone().unwrap_or_default(), succeeded(&state.plan.step(index).work, end));
    if gate_failed && state.plan.step(index).loop_back_to.is_some() {
        let why = report.last_words().or_else(|| end.message.clone());
        populate(step, report);
        step.gate_failure = true;
        return go_back(state, index, why.as_deref().unwrap_or("no reason given"));
    }
    if is_good {
        step.gate_failure = gate_failed;
        return one_done(state, index, report);
    }
    let message = end.message.clone().or_else(|| report.last_words()).unwrap_or_else(|| default_message(end));
    populate(step, report);
    state.counters.failures = state.counters.failures.saturating_add(1);
    fail(state, index, message, at);
}

/// What a person said takes effect.
pub(super) fn concluded(state: &mut State, id: &StepId, at: Timestamp) {
    let Some(index) = state.plan.graph().place(id) else { return };
    let step = Arc::make_mut(&mut state.steps[index]);
    let Some(approved) = step.decided.take() else { return };
    let report = step.held.take().unwrap_or_default();
    step.ended_at = Some(at);
    if approved {
        return complete(state, index, report);
    }
    let comment = step.manual.as_ref().and_then(|input| input.comment.clone());
    let said = |word: &str| match &comment {
        Some(comment) => format!("{word} by a person: {comment}"),
        None => format!("{word} by a person"),
    };
    populate(step, report);
    match state.plan.step(index).when_rejected() {
        OnReject::LoopBack => {
            step.gate_failure = true;
            go_back(state, index, &said("rejected"));
        }
        OnReject::Fail => {
            step.status = StepStatus::Failed;
            step.last_error = Some(said("Rejected"));
            step.failed_for = Some(Reason::Human);
        }
    }
}

fn take_open(state: &mut State, attempt: u32) -> Option<usize> {
    let is_it = |step: &Arc<StepState>| step.open.as_ref().is_some_and(|open| open.number == attempt);
    let index = state.steps.iter().position(is_it)?;
    Arc::make_mut(&mut state.steps[index]).open = None;
    Some(index)
}

/// The try did not come to anything that could be judged: it is had again.
fn give_back(step: &mut StepState) {
    step.attempts = step.attempts.saturating_sub(1);
    step.status = StepStatus::Pending;
    step.started_at = None;
    step.ended_at = None;
}

fn charge(state: &mut State, index: usize, end: &StepEnd) {
    let counters = &mut state.counters;
    counters.attempts = counters.attempts.saturating_add(1);
    counters.working_ms = counters.working_ms.saturating_add(end.duration_ms);
    counters.tokens = counters.tokens.saturating_add(end.tokens.unwrap_or(0));
    match end.cost_microusd {
        Some(cost) => counters.cost_microusd = counters.cost_microusd.saturating_add(cost),
        None => {
            let is_agent = matches!(state.plan.step(index).work, Work::Agent { .. } | Work::Workflow { .. });
            let ran = end.outcome != AttemptOutcome::NotStartable;
            counters.cost_unknown = counters.cost_unknown.saturating_add(u32::from(is_agent && ran));
        }
    }
}

/// A refusal by the provider becomes a timer; everything else needs a person.
fn held_up(state: &mut State, index: usize, hold: Hold, end: &StepEnd, at: Timestamp) {
    let step = Arc::make_mut(&mut state.steps[index]);
    give_back(step);
    step.last_error = end.message.clone().or(step.last_error.take());
    let pause_ms = match hold.reason {
        Reason::RateLimit => 60_000,
        Reason::Overloaded => 10_000,
        reason => {
            state.asked.halt = Some((reason, end.message.clone()));
            return;
        }
    };
    // A time that has passed already helps nobody.
    step.not_before =
        Some(hold.until.filter(|until| *until > at).unwrap_or_else(|| at.plus_millis(pause_ms)));
}

/// A report counts, whatever the exit code; without one only a command can succeed. What was ended by us did not.
fn succeeded(work: &Work, end: &StepEnd) -> bool {
    match end.outcome {
        AttemptOutcome::Succeeded | AttemptOutcome::Failed => match (&end.report, work) {
            (Some(report), _) => report.completed,
            (None, Work::Agent { .. } | Work::Nothing {}) => false,
            (None, Work::Run { .. } | Work::Workflow { .. }) => end.outcome == AttemptOutcome::Succeeded,
        },
        AttemptOutcome::TimedOut
        | AttemptOutcome::Hung
        | AttemptOutcome::Cancelled
        | AttemptOutcome::NotStartable => false,
    }
}

/// A command that may go back is a gate: where it says no, it does not fail but sends back. A shell that could not
/// run it (126, 127) said nothing.
fn failed_gate(work: &Work, may_go_back: bool, end: &StepEnd) -> bool {
    let ended = matches!(end.outcome, AttemptOutcome::Succeeded | AttemptOutcome::Failed);
    match &end.report {
        Some(report) => ended && report.gate_failure,
        None => {
            matches!(work, Work::Run { .. })
                && may_go_back
                && end.outcome == AttemptOutcome::Failed
                && !matches!(end.exit_code, None | Some(126 | 127))
        }
    }
}

fn default_message(end: &StepEnd) -> String {
    match (end.outcome, end.exit_code, &end.report) {
        (AttemptOutcome::TimedOut, ..) => "It took longer than it may".to_owned(),
        (AttemptOutcome::Hung, ..) => "It was silent for longer than it may be".to_owned(),
        (AttemptOutcome::NotStartable, ..) => "It could not be started".to_owned(),
        (_, _, Some(_)) => "Agent reported failure".to_owned(),
        (_, Some(code), None) => {
            format!("Agent process exited with code {code} without writing a run report")
        }
        (_, None, None) => "Agent process ended without writing a run report".to_owned(),
    }
}

fn populate(step: &mut StepState, report: StepReport) {
    for artifact in report.artifacts {
        if step.artifacts.len() < REPORT_ENTRIES_MAX && !step.artifacts.contains(&artifact) {
            step.artifacts.push(artifact);
        }
    }
    step.metrics = report.metrics;
    step.logs = report.logs;
}

/// The work is done, once or for one item. What the report says is known to the condition that may end the loop.
fn one_done(state: &mut State, index: usize, report: StepReport) {
    let step = Arc::make_mut(&mut state.steps[index]);
    if state.plan.step(index).collection.is_some() {
        step.index = step.index.saturating_add(1);
        populate(step, report.clone());
        if !is_last_item(state, index) {
            let step = Arc::make_mut(&mut state.steps[index]);
            step.status = StepStatus::Pending;
            step.attempts = 0;
            step.last_error = None;
            return;
        }
    }
    if state.plan.step(index).human_in_the_loop && state.options.pause_for_human_input {
        let step = Arc::make_mut(&mut state.steps[index]);
        let gathered = std::mem::take(&mut step.artifacts);
        let artifacts = if gathered.is_empty() { report.artifacts } else { gathered };
        // Nothing of it counts before the person's word.
        step.held = Some(StepReport { artifacts, ..report });
        step.metrics.clear();
        step.logs.clear();
        step.ended_at = None;
        return;
    }
    complete(state, index, report);
}

fn is_last_item(state: &State, index: usize) -> bool {
    let Some(collection) = &state.plan.step(index).collection else { return true };
    let step = &state.steps[index];
    let items = state.item_count(index);
    let most = collection.max_iterations.map_or(usize::MAX, |most| most as usize).min(items.unwrap_or(0));
    let holds = |until: &super::condition::Condition| until.holds(&state.facts_for(index));
    step.index as usize >= most || collection.until_condition.as_ref().is_some_and(holds)
}

fn complete(state: &mut State, index: usize, report: StepReport) {
    let id = state.id(index).clone();
    let step = Arc::make_mut(&mut state.steps[index]);
    step.status = StepStatus::Completed;
    // A gate that failed with nowhere to go back to does not stop anybody, but it is not forgotten.
    step.last_error = step.gate_failure.then(|| {
        format!("Gate failure: {}", report.last_words().unwrap_or_else(|| "no reason given".to_owned()))
    });
    step.not_before = None;
    populate(step, report);
    unblock(state, &id);
}

fn go_back(state: &mut State, index: usize, why: &str) {
    let most = state.options.max_iterations;
    let step = Arc::make_mut(&mut state.steps[index]);
    if step.iteration_count >= most {
        step.status = StepStatus::Failed;
        step.last_error =
            Some(format!("Gate failure after {} iterations - max iterations reached", step.iteration_count));
        step.failed_for = Some(Reason::LimitIterations);
    } else {
        step.status = StepStatus::Completed;
        step.last_error = Some(format!("Gate failure: {why}"));
        step.goes_back = Some(why.to_owned());
    }
}

fn fail(state: &mut State, index: usize, message: String, at: Timestamp) {
    let most = state.max_attempts(index);
    let first_ms = state.plan.step(index).backoff_ms.unwrap_or(state.options.backoff_ms);
    let step = Arc::make_mut(&mut state.steps[index]);
    step.ended_at = Some(at);
    step.last_error = Some(message);
    if step.attempts >= most {
        step.status = StepStatus::Failed;
        step.failed_for = Some(Reason::FailureStreak);
    } else {
        let doublings = step.attempts.saturating_sub(1).min(20);
        let pause_ms = first_ms.saturating_mul(1 << doublings).min(first_ms.max(BACKOFF_MS_MAX));
        step.status = StepStatus::Pending;
        step.not_before = Some(at.plus_millis(pause_ms));
    }
}
