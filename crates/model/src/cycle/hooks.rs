//! When the hooks of a cycle are called. What a call is, and how far calls are, is as in a loop.
//!
//! A point that was passed is called before anything else is begun. A cycle has neither reboots nor modes, so the points of
//! those are never passed.

use super::event::CycleEvent as Event;
use super::state::State;
use crate::hook::HookPoint;
use crate::loop_machine::Ending;
use crate::status::{Reason, Status};

fn is_hooked(state: &State, point: HookPoint) -> bool {
    state.config.hooks.as_ref().is_some_and(|hooks| hooks.has(point))
}

/// The call that is due because of what happened.
pub(super) fn due(state: &State) -> Option<Event> {
    state.hooks.due(state.config.hooks.as_ref()).map(|call| Event::HooksStarted { call })
}

/// Whether hooks are to be called before the next attempt of a role, and were not.
pub(super) fn is_due_before_a_role(state: &State) -> bool {
    state.hooks.attempt <= state.attempt && is_hooked(state, HookPoint::PreSession)
}

/// That call.
pub(super) fn before_a_role(state: &State) -> Event {
    Event::HooksStarted { call: state.hooks.call(vec![HookPoint::PreSession], None) }
}

/// The end that a hook wants, and whether it counts more than what the cycle came to: where a hook that fails is to stop
/// the run, it does so after the last iteration as well.
pub(super) fn stop(state: &State) -> (Option<Event>, bool) {
    let why = state.hooks.stop.clone();
    let is_strict = state.config.hooks.as_ref().is_some_and(|hooks| hooks.fail_on_hook_error);
    (why.map(|why| Event::RunStopped { reason: Reason::Hook, detail: Some(why) }), is_strict)
}

/// What comes before a cycle that has not ended ends with `event`: the call that is due, or nothing while it is made. Other
/// events, and an end that its hooks were told of, come as they are.
pub(super) fn before_end(state: &State, event: Event) -> Option<Event> {
    let (status, reason, detail) = match &event {
        Event::RunStopped { reason, detail } => (Status::Stopped, *reason, detail.clone()),
        Event::RunFailed { reason, detail } => (Status::Failed, *reason, detail.clone()),
        Event::RunCompleted { reason, detail } => (Status::Completed, *reason, detail.clone()),
        _ => return Some(event),
    };
    if state.calling.is_some() {
        return None;
    }
    // One that rests until a person acts has not ended: whoever stops it then ends it.
    let goes_on = match state.status {
        Status::Running | Status::Rebooting | Status::Paused | Status::Waiting => true,
        Status::Created | Status::Stopped | Status::Failed | Status::Completed => false,
    };
    if !goes_on || !state.is_idle() || state.hooks.ended || !is_hooked(state, HookPoint::LoopEnd) {
        return Some(event);
    }
    let ending = Some(Ending { status, reason, detail });
    Some(Event::HooksStarted { call: state.hooks.call(vec![HookPoint::LoopEnd], ending) })
}
