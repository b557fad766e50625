//! Folding the start and the end of an attempt: what was ruled about its step is copied.

use std::sync::Arc;

use super::apply::unblock;
use super::definition::{StepId, Work};
use super::facts::{OpenAttempt, StepEnd, StepReport, StepRuling, StepVerdict};
use super::kept::LeftOut;
use super::state::{State, StepState, StepStatus};
use crate::Timestamp;
use crate::loop_machine::AttemptOutcome;

/// An attempt begins. What the last one left is gone from the step, but not why it failed.
pub(super) fn started(step: &mut StepState, attempt: &OpenAttempt, at: Timestamp) {
    step.status = StepStatus::Running;
    step.attempts = attempt.attempt;
    step.started_at = Some(at);
    step.ended_at = None;
    step.not_before = None;
    step.blocked = None;
    step.gate_failure = false;
    // Its report is moved away. Of a step that is done again after a loop-back the published format names it all the same.
    step.reported &= step.iteration_count > 0;
    // The items of a collection share one list of artifacts.
    if step.index == 0 {
        step.artifacts.clear();
        step.left_out.artifacts = 0;
    }
    step.metrics.clear();
    step.logs.clear();
    step.left_out = LeftOut { artifacts: step.left_out.artifacts, ..LeftOut::default() };
    step.open = Some(attempt.clone());
    step.nested = attempt.nested;
}

/// The attempt never ran, so it does not count.
pub(super) fn abandoned(state: &mut State, attempt: u32) {
    if let Some(index) = take_open(state, attempt) {
        give_back(Arc::make_mut(&mut state.steps[index]));
    }
}

/// The attempt may have run, and nobody knows what it came to.
pub(super) fn lost(state: &mut State, attempt: u32, ruling: &StepRuling, at: Timestamp) {
    let Some(index) = take_open(state, attempt) else { return };
    state.counters.lost = state.counters.lost.saturating_add(1);
    let unknown = u32::from(can_cost(state, index));
    state.counters.cost_unknown = state.counters.cost_unknown.saturating_add(unknown);
    let step = Arc::make_mut(&mut state.steps[index]);
    step.lost = step.lost.saturating_add(1);
    step.ended_at = Some(at);
    rule(state, index, &ruling.verdict, None);
}

/// The attempt ended like this.
pub(super) fn finished(state: &mut State, attempt: u32, end: &StepEnd, ruling: &StepRuling, at: Timestamp) {
    let Some(index) = take_open(state, attempt) else { return };
    charge(state, index, end);
    let step = Arc::make_mut(&mut state.steps[index]);
    step.ended_at = Some(at);
    step.lost = 0;
    if end.hold.is_some() {
        step.last_error = end.message.clone().or(step.last_error.take());
    }
    step.reported = end.report.as_ref().is_some_and(|report| !report.inferred);
    if !matches!(ruling.verdict, StepVerdict::Again { .. } | StepVerdict::Halt { .. }) {
        step.gate_failure = ruling.gate_failure;
    }
    let (failed, one_done) = match &ruling.verdict {
        StepVerdict::Retry { .. } => (true, false),
        StepVerdict::Fail { .. } => (!ruling.gate_failure, false),
        StepVerdict::NextItem | StepVerdict::Hold | StepVerdict::Complete { .. } => (false, true),
        StepVerdict::Again { .. } | StepVerdict::Halt { .. } | StepVerdict::GoBack { .. } => (false, false),
    };
    if one_done && state.plan.step(index).collection.is_some() {
        step.index = step.index.saturating_add(1);
    }
    state.counters.failures = state.counters.failures.saturating_add(u32::from(failed));
    if let StepVerdict::Halt { reason } = ruling.verdict {
        state.requests.halt = Some((reason, end.message.clone()));
    }
    rule(state, index, &ruling.verdict, Some(end.report.clone().unwrap_or_default()));
}

/// What a person said takes effect.
pub(super) fn concluded(state: &mut State, id: &StepId, ruling: &StepRuling, at: Timestamp) {
    let Some(index) = state.plan.graph().place(id) else { return };
    let step = Arc::make_mut(&mut state.steps[index]);
    if step.decided.take().is_none() {
        return;
    }
    let report = step.held.take().unwrap_or_default();
    step.ended_at = Some(at);
    step.gate_failure = ruling.gate_failure;
    rule(state, index, &ruling.verdict, Some(report));
}

/// Copies a verdict, with the report that it is about.
fn rule(state: &mut State, index: usize, verdict: &StepVerdict, report: Option<StepReport>) {
    let has_items = state.plan.step(index).collection.is_some();
    let is_item = state.plan.step(index).work.item().is_some();
    let step = Arc::make_mut(&mut state.steps[index]);
    // What it did counts, for one item or for all: nothing is left to go on with.
    if matches!(
        verdict,
        StepVerdict::NextItem | StepVerdict::Hold | StepVerdict::Complete { .. } | StepVerdict::GoBack { .. }
    ) {
        // Of an item everybody wants to know which run did it.
        step.nested = step.nested.filter(|_| is_item);
    }
    match verdict {
        StepVerdict::Again { not_before, lost } => {
            give_back(step);
            step.not_before = *not_before;
            step.last_error = lost.clone().or(step.last_error.take());
        }
        StepVerdict::Halt { .. } => give_back(step),
        StepVerdict::NextItem => {
            take_report(step, report.unwrap_or_default());
            step.status = StepStatus::Pending;
            step.attempts = 0;
            step.last_error = None;
        }
        StepVerdict::Hold => {
            let mut report = report.unwrap_or_default();
            if has_items {
                take_report(step, report.clone());
                report.artifacts = std::mem::take(&mut step.artifacts);
                report.left_out = std::mem::take(&mut step.left_out);
            }
            // Nothing of it counts before the person's word.
            step.held = Some(report);
            step.metrics.clear();
            step.logs.clear();
            step.ended_at = None;
        }
        StepVerdict::Complete { note } => {
            step.status = StepStatus::Completed;
            step.last_error.clone_from(note);
            step.not_before = None;
            take_report(step, report.unwrap_or_default());
            let id = state.id(index).clone();
            unblock(state, &id);
        }
        StepVerdict::GoBack { why } => {
            report.into_iter().for_each(|report| take_report(step, report));
            step.status = StepStatus::Completed;
            step.last_error = Some(why.clone());
            step.goes_back = true;
        }
        StepVerdict::Retry { not_before, error } => {
            report.into_iter().for_each(|report| take_report(step, report));
            step.status = StepStatus::Pending;
            step.last_error = Some(error.clone());
            step.not_before = Some(*not_before);
        }
        StepVerdict::Fail { reason, error } => {
            report.into_iter().for_each(|report| take_report(step, report));
            step.status = StepStatus::Failed;
            step.last_error = Some(error.clone());
            step.failed_for = Some(*reason);
        }
    }
}

fn take_open(state: &mut State, attempt: u32) -> Option<usize> {
    let is_it = |step: &Arc<StepState>| step.open.as_ref().is_some_and(|open| open.number == attempt);
    let index = state.steps.iter().position(is_it)?;
    let step = Arc::make_mut(&mut state.steps[index]);
    // What it reported before was moved away when this one began.
    (step.open, step.asks, step.reported) = (None, None, false);
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
    let unknown = can_cost(state, index) && end.outcome != AttemptOutcome::NotStartable;
    let counters = &mut state.counters;
    counters.attempts = counters.attempts.saturating_add(1);
    counters.working_ms = counters.working_ms.saturating_add(end.duration_ms);
    counters.tokens = counters.tokens.saturating_add(end.tokens.unwrap_or(0));
    match end.cost_microusd {
        Some(cost) => counters.cost_microusd = counters.cost_microusd.saturating_add(cost),
        None => counters.cost_unknown = counters.cost_unknown.saturating_add(u32::from(unknown)),
    }
}

/// Whether a step can cost something that nobody reports. A command costs what it says.
fn can_cost(state: &State, index: usize) -> bool {
    matches!(state.plan.step(index).work, Work::Agent { .. } | Work::Workflow { .. } | Work::Loop(_))
}

/// What a report says is known of the step. The items of a collection share one list of artifacts.
pub(super) fn take_report(step: &mut StepState, report: StepReport) {
    let artifacts = step.left_out.artifacts.saturating_add(report.left_out.artifacts);
    for artifact in report.artifacts {
        if !step.artifacts.contains(&artifact) {
            step.artifacts.push(artifact);
        }
    }
    step.metrics = report.metrics;
    step.logs = report.logs;
    step.left_out = LeftOut { artifacts, ..report.left_out };
}
