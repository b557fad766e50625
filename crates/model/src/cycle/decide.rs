//! Turning a command into events.
//!
//! Every command is an outcome or a nudge; what follows from it is asked of [`next_event`] until there is nothing more
//! to say. So an outcome and the intents that follow leave together, and share one append.

use super::event::CycleEvent as Event;
use super::facts::{DecisionStatus, Edited, RoleEnd};
use super::state::{Effect, State};
use super::{begin, hooks, judge, limit, new_discoveries, next};
use crate::event::StopOrigin;
use crate::lifecycle::until_settled;
use crate::limits::{TEXT_BYTES_MAX, clip};
use crate::loop_machine::{CheckRound, HookEnd, Left, Place, Snapshot, TreeProof};
use crate::rejection::Rejection;
use crate::status::{Reason, Status};
use crate::{Epoch, Timestamp};

/// What a driver may tell the machine.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// I took the lease.
    Drive {
        /// The epoch I drive under.
        epoch: Epoch,
        /// Where I run.
        place: Place,
        /// Which piton I am.
        version: String,
    },
    /// This is what the work tree holds, before the work that is asked for is begun.
    Observe(Snapshot),
    /// Somebody edited the work tree beside what roles left in it that nobody judged: what it holds now, and what it would without that.
    ObserveOver { now: Snapshot, before: Box<Snapshot> },
    /// The attempt ended like this.
    EndAttempt { attempt: u32, end: Box<RoleEnd> },
    /// The attempt was never started.
    AbandonAttempt { attempt: u32 },
    /// The attempt's outcome cannot be known.
    LoseAttempt {
        attempt: u32,
        /// How it is known that nothing of it runs.
        tree: TreeProof,
        /// What was found in the work tree then.
        left: Box<Left>,
    },
    /// The checks came to this; the tests that failed, by name, where their runners named them.
    EndChecks { round: Box<CheckRound>, failed: Vec<String> },
    /// The hooks did this.
    EndHooks(Box<HookEnd>),
    /// Somebody edited the state file.
    TakeEdit { edited: Edited, digest: String },
    /// Something that is nobody's fault stands in the way; rest until it is mended.
    GiveUp { detail: String },
    /// Look again: a request came in, or time passed.
    Tick,
}

/// What follows from `command` at `now`.
pub fn decide(state: &State, command: Command, now: Timestamp) -> Result<Vec<Event>, Rejection> {
    advance(state, command, now).map(|(events, _)| events)
}

/// What follows from `command` at `now`, and the state it leads to.
pub fn advance(state: &State, command: Command, now: Timestamp) -> Result<(Vec<Event>, State), Rejection> {
    let outcome: Vec<Event> = outcome(state, command, now)?.into_iter().collect();
    let outcome = outcome.into_iter().flat_map(|event| {
        let besides = judge::put_back(&event);
        std::iter::once(event).chain(besides)
    });
    let outcome = outcome.collect();
    Ok(until_settled(state, outcome, now, |state| next_event(state, now).into_iter().collect()))
}

/// The fact that a command brings, if it brings one.
fn outcome(state: &State, command: Command, now: Timestamp) -> Result<Option<Event>, Rejection> {
    let is_open = |attempt: u32| {
        let is_it = |open: &super::OpenAttempt| open.number == attempt;
        let found = state.roles.iter().position(|role| role.open.as_ref().is_some_and(is_it));
        found.ok_or(Rejection::NotOpen)
    };
    Ok(Some(match command {
        Command::Drive { .. } if state.status == Status::Completed && !state.is_asked_to_go_on() => {
            return Ok(None);
        }
        Command::Drive { epoch, place, version } => {
            Event::DriverStarted { epoch, host: place.host, boot: place.boot, pid: place.pid, version }
        }
        Command::Observe(snapshot) => {
            Event::SnapshotTaken { base: judge::is_base(state, &snapshot), snapshot, before: None }
        }
        Command::ObserveOver { now, before } => {
            Event::SnapshotTaken { snapshot: now, base: false, before: Some(before) }
        }
        Command::EndAttempt { attempt, end } => {
            let index = is_open(attempt)?;
            let ruling = Box::new(judge::finished(state, index, &end, now));
            let mut end = end.bounded();
            // Who worked beside it may have found the same.
            let found = std::mem::take(&mut end.handed_in.discoveries);
            end.handed_in.discoveries = new_discoveries(&state.discoveries.recent, found);
            Event::RoleFinished { attempt, end: Box::new(end), ruling }
        }
        Command::AbandonAttempt { attempt } => {
            is_open(attempt)?;
            Event::RoleAbandoned { attempt }
        }
        Command::LoseAttempt { attempt, tree, left } => {
            let index = is_open(attempt)?;
            let ruling = Box::new(judge::lost(state, index, &left, now));
            Event::RoleLost { attempt, tree, left: Box::new(left.bounded()), ruling }
        }
        Command::EndChecks { round, failed } => {
            if state.checking != Some(round.number) {
                return Err(Rejection::NotOpen);
            }
            judge::round(state, *round, failed, now)
        }
        Command::EndHooks(end) => {
            if state.calling.as_ref().is_none_or(|call| call.number != end.number) {
                return Err(Rejection::NotOpen);
            }
            Event::HooksFinished { end: Box::new(HookEnd { keep_session: false, ..end.bounded() }) }
        }
        Command::TakeEdit { digest, .. } if state.edited.as_ref() == Some(&digest) => return Ok(None),
        Command::TakeEdit { edited, digest } => Event::StateEdited { edited, digest },
        Command::GiveUp { .. } if state.status == Status::Completed => {
            return Err(Rejection::Finished { run: state.run.clone(), status: state.status });
        }
        Command::GiveUp { detail } => {
            let detail = Some(clip(&detail, TEXT_BYTES_MAX).to_owned());
            Event::RunStopped { reason: Reason::Environment, detail }
        }
        Command::Tick => return Ok(None),
    }))
}

/// The one event that follows from where the cycle is, if any. Hooks come before the end that they are told of.
pub(super) fn next_event(state: &State, now: Timestamp) -> Option<Event> {
    following(state, now).and_then(|event| hooks::before_end(state, event))
}

fn following(state: &State, now: Timestamp) -> Option<Event> {
    match state.status {
        Status::Created => state.driver.as_ref().and_then(|_| first(state, now)),
        Status::Completed | Status::Paused | Status::Stopped | Status::Failed => at_rest(state),
        Status::Waiting => while_waiting(state),
        Status::Running | Status::Rebooting => while_running(state, now),
    }
}

/// The first iteration of its own. What was imported may have used all there are.
fn first(state: &State, now: Timestamp) -> Option<Event> {
    if state.iteration >= state.config.limits.iterations {
        let detail = Some(limit::imported_at_limit(state));
        return Some(Event::RunStopped { reason: Reason::LimitIterations, detail });
    }
    begin::next_iteration(state, now)
}

fn at_rest(state: &State) -> Option<Event> {
    if !state.is_asked_to_go_on() && state.status == Status::Completed {
        return None;
    }
    match (&state.requests.resume, state.requests.stop) {
        (Some(raise), _) => Some(Event::RunResumed { raise: raise.clone() }),
        (None, Some((_, origin))) if state.status == Status::Paused => Some(stopped(origin)),
        (None, _) => None,
    }
}

/// A person is waited for: to decide, to resolve, or to say that it goes on all the same.
fn while_waiting(state: &State) -> Option<Event> {
    if let Some((_, origin)) = state.requests.stop {
        return Some(stopped(origin));
    }
    if state.requests.pause {
        return Some(Event::RunPaused { reason: Reason::Human, detail: None });
    }
    let is_settled = match state.reason {
        Some(Reason::Blocked) => !state.has_open_blockers(),
        _ => awaited_decision(state).is_none(),
    };
    let raise = state.requests.resume.clone().or_else(|| is_settled.then(Default::default))?;
    Some(Event::RunResumed { raise })
}

fn while_running(state: &State, now: Timestamp) -> Option<Event> {
    if let Some(raise) = &state.requests.resume {
        return Some(Event::RunResumed { raise: raise.clone() });
    }
    if let Some(nudge) = next::nudge(state, now) {
        return Some(nudge);
    }
    if state.calling.is_some() {
        return None;
    }
    if let Some(call) = hooks::due(state) {
        return Some(call);
    }
    if let Some(rest) = reason_to_rest(state, now) {
        return state.is_idle().then_some(rest);
    }
    if state.iteration == 0 {
        return begin::next_iteration(state, now);
    }
    match state.current.concluded {
        true => after_a_verdict(state, now),
        false => next::work(state, now).or_else(|| judge::conclusion(state, now)),
    }
}

/// Why nothing is begun any more. What is open ends first.
pub(super) fn reason_to_rest(state: &State, now: Timestamp) -> Option<Event> {
    if let Some((reason, error)) = &state.requests.fail {
        return Some(Event::RunFailed { reason: *reason, detail: Some(error.clone()) });
    }
    if let Some((_, origin)) = state.requests.stop {
        return Some(stopped(origin));
    }
    let (by_hook, is_strict) = hooks::stop(state);
    if by_hook.is_some() && is_strict {
        return by_hook;
    }
    if let Some((reason, detail)) = &state.requests.halt {
        return Some(match reason {
            Reason::Blocked => Event::RunWaiting { reason: *reason, until: None },
            _ => Event::RunStopped { reason: *reason, detail: detail.clone() },
        });
    }
    if state.requests.pause {
        return Some(Event::RunPaused { reason: Reason::Human, detail: None });
    }
    if state.is_over() {
        return None;
    }
    if by_hook.is_some() {
        return by_hook;
    }
    if let Some((reason, detail)) = limit::reached(state, now) {
        return Some(Event::RunStopped { reason, detail });
    }
    awaited_decision(state).map(|_| Event::RunWaiting { reason: Reason::Human, until: None })
}

/// The decision that nothing is begun without.
pub(super) fn awaited_decision(state: &State) -> Option<&super::Decision> {
    let is_awaited =
        |decision: &&super::Decision| decision.waits && decision.status == DecisionStatus::Pending;
    state.decisions.iter().find(is_awaited)
}

/// The iteration has its verdict: another follows, or the cycle ends.
fn after_a_verdict(state: &State, now: Timestamp) -> Option<Event> {
    let is_at_limit = state.iteration >= state.config.limits.iterations;
    if state.current.next.is_empty() && state.requests.extensions.is_empty() {
        let reason = if state.config.checks.is_empty() { Reason::Done } else { Reason::ChecksPass };
        return Some(Event::RunCompleted { reason, detail: None });
    }
    if state.idle_iterations >= state.config.limits.no_progress {
        let detail = Some(limit::no_progress(state));
        return Some(Event::RunStopped { reason: Reason::NoProgress, detail });
    }
    match is_at_limit {
        true if state.current.next.is_empty() => {
            let detail = Some("an extension waits, and no iteration is left for it".to_owned());
            Some(Event::RunStopped { reason: Reason::LimitIterations, detail })
        }
        true => {
            let detail = Some(limit::out_of_iterations(state));
            Some(Event::RunFailed { reason: Reason::LimitIterations, detail })
        }
        false if state.config.confirm && !state.current.confirmed => {
            let detail = Some(format!("iteration {} is to be confirmed", state.iteration + 1));
            Some(Event::RunPaused { reason: Reason::Attended, detail })
        }
        false => begin::next_iteration(state, now),
    }
}

fn stopped(origin: StopOrigin) -> Event {
    Event::RunStopped { reason: origin.reason(), detail: None }
}

impl State {
    /// What is open.
    pub fn effects(&self) -> Vec<Effect> {
        let calling = self.calling.clone().map(Effect::Hooks);
        match self.status {
            Status::Running | Status::Rebooting => {}
            // Hooks are told of the end that a person gives to a run at rest.
            Status::Waiting | Status::Paused => return calling.into_iter().collect(),
            Status::Created | Status::Stopped | Status::Completed | Status::Failed => return Vec::new(),
        }
        let mut effects: Vec<_> =
            self.roles.iter().filter_map(|role| role.open.clone()).map(Effect::Attempt).collect();
        effects.extend(self.checking.map(Effect::Checks));
        effects.extend(calling);
        effects.push(Effect::Watch);
        effects.extend(next::timer(self).map(Effect::Timer));
        effects
    }
}
