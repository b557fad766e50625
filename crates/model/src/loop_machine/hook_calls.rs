//! Calling hooks, as work of a run: its intent is recorded before anything runs, its outcome after it.
//!
//! Owns at which points the hooks of a run are due. A point that was passed waits until nothing else is open; points
//! that were passed together are called together. Where a driver dies in between, all of them are called once more:
//! never less than once.

use std::collections::BTreeMap;

use piton_record::record;
use serde_json::Value;

use super::state::{Open, State};
use crate::event::Event;
use crate::hook::{HookPoint, Hooks};
use crate::limits::{CUSTOM_KEYS_MAX, clip};
use crate::status::{Reason, Status};

/// Results kept of one call.
const RESULTS_MAX: usize = 64;
/// What is kept of the words of a hook.
const SAID_BYTES_MAX: usize = 500;

/// Hooks that are about to be called.
#[record(Eq, written(points))]
pub struct HookCall {
    /// Counts the calls of this run. A call that is repeated after a crash has the same number.
    pub number: u32,
    /// At these points, in this order.
    pub points: Vec<HookPoint>,
    /// How the run is about to end, at `loop_end`.
    pub ending: Option<Ending>,
}

/// How a run is about to end.
#[record(Eq)]
pub struct Ending {
    /// Where it will be.
    pub status: Status,
    pub reason: Reason,
    /// A sentence about that.
    pub detail: Option<String>,
}

/// What became of a call.
#[record(Default, omit(keep_session), written(results))]
pub struct HookEnd {
    /// The call that is over: calls of a run are counted from 1.
    pub number: u32,
    /// What each hook did, in order.
    pub results: Vec<HookRecord>,
    /// A hook wants the run to stop, and why.
    pub stop: Option<String>,
    /// A hook before a reboot failed: the session is kept.
    pub keep_session: bool,
    /// Values that hooks set; they are kept with the run.
    pub set: BTreeMap<String, Value>,
}

/// What one hook did.
#[record(Eq, omit(skipped))]
pub struct HookRecord {
    pub hook: String,
    /// Where it was called.
    pub point: HookPoint,
    /// Whether it did what it should.
    pub success: bool,
    /// It was not called: nobody trusts it.
    pub skipped: bool,
    /// How long it took.
    pub duration_ms: u64,
    /// What it said, or what went wrong.
    pub said: Option<String>,
}

impl HookRecord {
    /// What a person should know of it, if anything.
    pub fn warning(&self) -> Option<String> {
        let said = self.said.as_deref().unwrap_or("it does not say why");
        match (self.skipped, self.success) {
            (true, _) => Some(format!("hook `{}` {said}", self.hook)),
            (false, false) => Some(format!("hook `{}` failed at {}: {said}", self.hook, self.point.as_str())),
            (false, true) => None,
        }
    }
}

impl HookEnd {
    /// The same, no larger than an event may be.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        self.results.truncate(RESULTS_MAX);
        for said in self.results.iter_mut().filter_map(|result| result.said.as_mut()) {
            *said = clip(said, SAID_BYTES_MAX).to_owned();
        }
        self.stop = self.stop.map(|why| clip(&why, SAID_BYTES_MAX).to_owned());
        while self.set.len() > CUSTOM_KEYS_MAX {
            self.set.pop_last();
        }
        self
    }
}

/// How far the hooks of a run are.
#[record(Default, Eq)]
#[serde(default)]
pub struct HookProgress {
    /// Calls so far.
    pub calls: u32,
    /// Points that were passed and not called yet.
    pub passed: Vec<HookPoint>,
    /// The iteration before which the hooks were called last.
    pub iteration: u32,
    /// The attempt before which they were called last.
    pub attempt: u32,
    /// They were called for the end that is about to come.
    pub ended: bool,
    /// A hook wants the run to stop, and why.
    pub stop: Option<String>,
}

impl HookProgress {
    /// A point was passed, whether anybody hooked into it or not.
    pub(crate) fn pass(&mut self, point: HookPoint) {
        if !self.passed.contains(&point) {
            self.passed.push(point);
        }
    }

    /// The call that is due because of what happened, where one of `hooks` is called at a point that was passed.
    pub(crate) fn due(&self, hooks: Option<&Hooks>) -> Option<HookCall> {
        let is_hooked = |point: &HookPoint| hooks.is_some_and(|hooks| hooks.has(*point));
        let points: Vec<_> = self.passed.iter().copied().filter(is_hooked).collect();
        (!points.is_empty()).then(|| self.call(points, None))
    }

    /// The next call.
    pub(crate) fn call(&self, points: Vec<HookPoint>, ending: Option<Ending>) -> HookCall {
        HookCall { number: self.calls.saturating_add(1), points, ending }
    }

    /// This call is about to be made.
    pub(crate) fn begin(&mut self, call: &HookCall) {
        self.calls = call.number;
        self.passed.retain(|point| !call.points.contains(point));
        self.ended |= call.points.contains(&HookPoint::LoopEnd);
    }
}

/// Adds values that hooks set, as many as are kept; `null` forgets one.
pub(crate) fn keep_values(kept: &mut BTreeMap<String, Value>, set: &BTreeMap<String, Value>) {
    kept.retain(|key, _| !set.get(key).is_some_and(Value::is_null));
    for (key, value) in set.iter().filter(|(_, value)| !value.is_null()) {
        if kept.len() < CUSTOM_KEYS_MAX || kept.contains_key(key) {
            kept.insert(key.clone(), value.clone());
        }
    }
}

fn is_hooked(state: &State, point: HookPoint) -> bool {
    state.config.hooks.as_ref().is_some_and(|hooks| hooks.has(point))
}

/// The call that is due because of what happened.
pub(super) fn due(state: &State) -> Option<Event> {
    state.hooks.due(state.config.hooks.as_ref()).map(|call| Event::HooksStarted { call })
}

/// The call that is due before the next attempt.
pub(super) fn before_attempt(state: &State) -> Option<Event> {
    let unfinished = state.work.iteration > state.counters.iterations;
    let iteration = if unfinished { state.work.iteration } else { state.work.iteration.saturating_add(1) };
    let mut points = Vec::new();
    if state.hooks.iteration < iteration && !unfinished && is_hooked(state, HookPoint::PreIteration) {
        points.push(HookPoint::PreIteration);
    }
    if state.hooks.attempt <= state.work.attempt && is_hooked(state, HookPoint::PreSession) {
        points.push(HookPoint::PreSession);
    }
    (!points.is_empty()).then(|| call(state, points, None))
}

/// What comes before a loop that has not ended ends with `event`: the call that is due, or nothing while it is made. Other
/// events, and an end that its hooks were told of, come as they are.
pub(super) fn before_end(state: &State, event: Event) -> Option<Event> {
    let (status, reason, detail) = match &event {
        Event::RunStopped { reason, detail } => (Status::Stopped, *reason, detail.clone()),
        Event::RunFailed { reason, detail } => (Status::Failed, *reason, detail.clone()),
        Event::RunCompleted { reason, detail } => (Status::Completed, *reason, detail.clone()),
        _ => return Some(event),
    };
    if matches!(state.work.open, Some(Open::Hooks(_))) {
        return None;
    }
    // One that rests until a person acts has not ended: whoever stops it then ends it.
    let goes_on = match state.status {
        Status::Running | Status::Rebooting | Status::Paused | Status::Waiting => true,
        Status::Created | Status::Stopped | Status::Failed | Status::Completed => false,
    };
    let is_due = goes_on && state.work.open.is_none() && !state.hooks.ended;
    if !is_due || !is_hooked(state, HookPoint::LoopEnd) {
        return Some(event);
    }
    Some(call(state, vec![HookPoint::LoopEnd], Some(Ending { status, reason, detail })))
}

fn call(state: &State, points: Vec<HookPoint>, ending: Option<Ending>) -> Event {
    Event::HooksStarted { call: state.hooks.call(points, ending) }
}
