//! Judging: what the end of an attempt, or a person's word, means for its step: completed, asked about, gone back,
//! tried again, failed. Pure; the verdict goes into the event, and [`super::apply()`] copies it.

use std::sync::Arc;

use super::definition::{OnReject, Work};
use super::facts::{StepEnd, StepReport, StepRuling, StepVerdict};
use super::finish::take_report;
use super::kept::cut;
use super::state::State;
use crate::Timestamp;
use crate::limits::TEXT_BYTES_MAX;
use crate::loop_machine::AttemptOutcome;
use crate::status::Reason;

/// What follows from how the open attempt of a step ended.
pub(super) fn finished(state: &State, index: usize, end: &StepEnd, now: Timestamp) -> StepRuling {
    if let Some(hold) = end.hold {
        let pause_ms = match hold.reason {
            Reason::RateLimit => state.options.refusal.rate_limit_ms,
            Reason::Overloaded => state.options.refusal.overloaded_ms,
            reason => return StepVerdict::Halt { reason }.into(),
        };
        // A time that has passed already helps nobody.
        let until = hold.until.filter(|until| *until > now).unwrap_or_else(|| now.plus_millis(pause_ms));
        return StepVerdict::Again { not_before: Some(until), lost: None }.into();
    }
    if end.outcome == AttemptOutcome::Cancelled {
        return StepVerdict::Again { not_before: None, lost: None }.into();
    }
    let step = state.plan.step(index);
    let (work, may_go_back) = (&step.work, step.loop_back_to.is_some());
    let gate_failure = failed_gate(work, may_go_back, end);
    let report = end.report.clone().unwrap_or_default();
    let message = end.message.clone().map(|text| cut(text, TEXT_BYTES_MAX));
    if gate_failure && may_go_back {
        let why = report.last_words().or(message);
        return go_back(state, index, why.as_deref().unwrap_or("no reason given"));
    }
    if succeeded(work, end) {
        return StepRuling { gate_failure, verdict: done(state, index, &report, gate_failure) };
    }
    // Of what was ended by us its report says nothing about why.
    let words = || report.last_words().filter(|_| ended_by_itself(end));
    let error = message.or_else(words).unwrap_or_else(|| default_message(end));
    match end.rejected {
        true => StepVerdict::Fail { reason: Reason::Human, error }.into(),
        false => failed(state, index, error, now),
    }
}

/// Losing an attempt is not the step's failure, so it costs no try. It is bounded all the same.
pub(super) fn lost(state: &State, index: usize, now: Timestamp) -> StepRuling {
    let lost = state.steps[index].lost.saturating_add(1);
    if lost >= state.options.losses.in_a_row_max {
        let error = format!("{lost} attempts in a row were lost: the outcome of none of them can be known");
        return StepVerdict::Fail { reason: Reason::AttemptLost, error }.into();
    }
    let not_before = Some(now.plus_millis(pause_ms(state, index, lost)));
    let why = "The outcome of this attempt cannot be known".to_owned();
    StepVerdict::Again { not_before, lost: Some(why) }.into()
}

/// What a person said takes effect.
pub(super) fn concluded(state: &State, index: usize) -> StepRuling {
    let step = &state.steps[index];
    if step.decided == Some(true) {
        let report = step.held.clone().unwrap_or_default();
        let gate_failure = step.gate_failure;
        return StepRuling { gate_failure, verdict: complete(&report, gate_failure) };
    }
    let comment = step.manual.as_ref().and_then(|input| input.comment.clone());
    let said = |word: &str| match &comment {
        Some(comment) => format!("{word} by a person: {comment}"),
        None => format!("{word} by a person"),
    };
    match state.plan.step(index).when_rejected() {
        OnReject::LoopBack => go_back(state, index, &said("rejected")),
        OnReject::Fail => {
            let verdict = StepVerdict::Fail { reason: Reason::Human, error: said("Rejected") };
            StepRuling { gate_failure: step.gate_failure, verdict }
        }
    }
}

/// An agent's report counts, whatever its exit code. Of a command the exit code does: a report can only say that it
/// failed all the same. What was ended by us did not succeed.
fn succeeded(work: &Work, end: &StepEnd) -> bool {
    let exited_well = end.outcome == AttemptOutcome::Succeeded;
    match end.outcome {
        AttemptOutcome::Succeeded | AttemptOutcome::Failed => match (work, &end.report) {
            (Work::Run { .. }, report) => {
                exited_well && report.as_ref().is_none_or(|report| report.completed)
            }
            (_, Some(report)) => report.completed,
            (Work::Agent { .. } | Work::Nothing {}, None) => false,
            (Work::Workflow { .. } | Work::Loop(_), None) => exited_well,
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
    let reported = end.report.as_ref().is_some_and(|report| report.gate_failure);
    let exited = matches!(work, Work::Run { .. })
        && may_go_back
        && end.outcome == AttemptOutcome::Failed
        && !matches!(end.exit_code, None | Some(126 | 127));
    ended_by_itself(end) && (reported || exited)
}

fn ended_by_itself(end: &StepEnd) -> bool {
    matches!(end.outcome, AttemptOutcome::Succeeded | AttemptOutcome::Failed)
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

/// The work is done, once or for one item. What the report says is known to the condition that may end the loop.
fn done(state: &State, index: usize, report: &StepReport, gate_failure: bool) -> StepVerdict {
    let step = state.plan.step(index);
    if step.collection.is_some() && !is_last_item(state, index, report) {
        return StepVerdict::NextItem;
    }
    if step.human_in_the_loop && state.options.pause_for_human_input {
        return StepVerdict::Hold;
    }
    complete(report, gate_failure)
}

fn is_last_item(state: &State, index: usize, report: &StepReport) -> bool {
    let Some(collection) = &state.plan.step(index).collection else { return true };
    let mut after = state.clone();
    let step = Arc::make_mut(&mut after.steps[index]);
    step.index = step.index.saturating_add(1);
    take_report(step, report.clone());
    let items = after.item_count(index);
    let most = collection.max_iterations.map_or(usize::MAX, |most| most as usize).min(items.unwrap_or(0));
    let holds = |until: &super::condition::Condition| until.holds(&after.facts_for(index));
    after.steps[index].index as usize >= most || collection.until_condition.as_ref().is_some_and(holds)
}

/// A gate that failed with nowhere to go back to does not stop anybody, but it is not forgotten.
fn complete(report: &StepReport, gate_failure: bool) -> StepVerdict {
    let why = || report.last_words().unwrap_or_else(|| "no reason given".to_owned());
    StepVerdict::Complete { note: gate_failure.then(|| said_no(&why())) }
}

/// Why a gate failed, as the published format has it.
fn said_no(why: &str) -> String {
    format!("Gate failure: {why}")
}

fn go_back(state: &State, index: usize, why: &str) -> StepRuling {
    let times = state.steps[index].iteration_count;
    let verdict = if times >= state.options.max_iterations {
        StepVerdict::Fail {
            reason: Reason::LimitIterations,
            error: format!("Gate failure after {times} iterations - max iterations reached"),
        }
    } else {
        StepVerdict::GoBack { why: said_no(why) }
    };
    StepRuling { gate_failure: true, verdict }
}

fn failed(state: &State, index: usize, error: String, now: Timestamp) -> StepRuling {
    let attempts = state.steps[index].attempts;
    if attempts >= state.max_attempts(index) {
        return StepVerdict::Fail { reason: Reason::FailureStreak, error }.into();
    }
    StepVerdict::Retry { not_before: now.plus_millis(pause_ms(state, index, attempts)), error }.into()
}

/// How long a step is left alone after so many attempts that came to nothing: twice as long after each.
fn pause_ms(state: &State, index: usize, times: u32) -> u64 {
    let first_ms = state.plan.step(index).backoff_ms.unwrap_or(state.options.backoff_ms);
    let doublings = times.saturating_sub(1).min(20);
    first_ms.saturating_mul(1 << doublings).min(first_ms.max(state.options.refusal.max_ms))
}
