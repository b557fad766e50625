//! Folding the calls of hooks. Which of the points that were passed anybody hooked into is [`super::super::hook_calls`]'s.

use super::sessions;
use crate::Timestamp;
use crate::hook::HookPoint;
use crate::loop_machine::hook_calls::{HookCall, HookEnd};
use crate::loop_machine::state::{Open, State};

/// The run passed `point`.
pub(super) fn pass(state: &mut State, point: HookPoint) {
    state.hooks.pass(point);
}

/// The run passed `point`, and is told so before it is told of `later`, which it passed in the same moment.
pub(super) fn pass_before(state: &mut State, point: HookPoint, later: HookPoint) {
    let passed = &mut state.hooks.passed;
    match passed.iter().position(|known| *known == later) {
        Some(place) if !passed.contains(&point) => passed.insert(place, point),
        Some(_) | None => pass(state, point),
    }
}

/// Hooks are about to be called.
pub(super) fn started(state: &mut State, call: &HookCall) {
    let hooks = &mut state.hooks;
    hooks.begin(call);
    for point in &call.points {
        match point {
            HookPoint::PreIteration => hooks.iteration = state.work.iteration.saturating_add(1),
            HookPoint::PreSession => hooks.attempt = state.work.attempt.saturating_add(1),
            HookPoint::LoopEnd => hooks.ended = true,
            HookPoint::LoopStart
            | HookPoint::PostIteration
            | HookPoint::PreReboot
            | HookPoint::PostReboot
            | HookPoint::OnTestFailure
            | HookPoint::OnTestSuccess
            | HookPoint::OnProgress
            | HookPoint::OnNoProgress
            | HookPoint::OnError
            | HookPoint::OnModeSwitch
            | HookPoint::OnFileChange
            | HookPoint::PostSession => {}
        }
    }
    state.work.open = Some(Open::Hooks(call.clone()));
}

/// Hooks were called.
pub(super) fn finished(state: &mut State, end: &HookEnd, at: Timestamp) {
    state.work.open = None;
    if let Some(why) = &end.stop {
        state.hooks.stop.get_or_insert_with(|| why.clone());
    }
    if end.keep_session {
        sessions::keep(state, at);
    }
}

/// The run goes on: what was called before work that never began is called again.
pub(super) fn resumed(state: &mut State) {
    let hooks = &mut state.hooks;
    (hooks.ended, hooks.stop) = (false, None);
    hooks.iteration = hooks.iteration.min(state.counters.iterations);
    hooks.attempt = hooks.attempt.min(state.work.attempt);
}
