//! Folding the calls of hooks, and the points that a cycle passes. Which of them anybody hooked into is not asked here.

use super::State;
use crate::cycle::facts::{Conclusion, PhaseStatus};
use crate::cycle::state::IterationRecord;
use crate::hook::HookPoint;
use crate::loop_machine::{AttemptOutcome, CheckRound, HookCall, HookEnd, keep_values};

/// An iteration began; the first one is the beginning of the cycle.
pub(super) fn iteration_began(state: &mut State) {
    if state.attempt == 0 {
        state.hooks.pass(HookPoint::LoopStart);
    }
    state.hooks.pass(HookPoint::PreIteration);
    state.hooks.ended = false;
}

pub(super) fn role_ended(state: &mut State, outcome: AttemptOutcome) {
    if outcome != AttemptOutcome::NotStartable {
        state.hooks.pass(HookPoint::PostSession);
    }
    if !matches!(outcome, AttemptOutcome::Succeeded | AttemptOutcome::Cancelled) {
        state.hooks.pass(HookPoint::OnError);
    }
}

pub(super) fn checked(state: &mut State, round: &CheckRound) {
    if !round.cancelled && !round.checks.is_empty() {
        let point = if round.all_pass() { HookPoint::OnTestSuccess } else { HookPoint::OnTestFailure };
        state.hooks.pass(point);
    }
}

/// The iteration has its verdict.
pub(super) fn concluded(state: &mut State, conclusion: &Conclusion) {
    let changed = match (&state.current.before, &conclusion.snapshot) {
        (Some(before), Some(after)) => before.differs_from(after),
        _ => false,
    };
    if changed {
        state.hooks.pass(HookPoint::OnFileChange);
    }
    state.hooks.pass(if conclusion.progress { HookPoint::OnProgress } else { HookPoint::OnNoProgress });
    state.hooks.pass(HookPoint::PostIteration);
}

/// Hooks are about to be called.
pub(super) fn started(state: &mut State, call: &HookCall) {
    state.hooks.begin(call);
    if call.points.contains(&HookPoint::PreSession) {
        state.hooks.attempt = state.attempt.saturating_add(1);
    }
    state.calling = Some(call.clone());
}

/// Hooks were called.
pub(super) fn finished(state: &mut State, end: &HookEnd) {
    state.calling = None;
    if let Some(why) = &end.stop {
        state.hooks.stop.get_or_insert_with(|| why.clone());
    }
    keep_values(&mut state.custom, &end.set);
}

/// The cycle goes on: what was called before work that never began is called again.
pub(super) fn resumed(state: &mut State) {
    let hooks = &mut state.hooks;
    (hooks.ended, hooks.stop) = (false, None);
    hooks.attempt = hooks.attempt.min(state.attempt);
    let is_new = |record: &IterationRecord| {
        record.agent_results.values().all(|result| result.status == PhaseStatus::Pending)
    };
    if state.iterations.back().is_some_and(is_new) {
        hooks.pass(HookPoint::PreIteration);
    }
}
