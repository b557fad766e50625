//! What is to be done next in an iteration: which role starts, when the checks are run, who is told to hurry.

use super::begin::with_followers;
use super::config::{Role, RoleName};
use super::decide::reason_to_rest;
use super::event::CycleEvent as Event;
use super::facts::{Nudge, OpenAttempt};
use super::state::{RoleState, State};
use super::{hooks, judge};
use crate::Timestamp;
use crate::loop_machine::{SessionPolicy, session};

/// The next piece of work that can be begun.
pub(super) fn work(state: &State, now: Timestamp) -> Option<Event> {
    let driver = state.driver.as_ref()?;
    if state.checking.is_some() {
        return None;
    }
    let is_due = |index: &usize| state.roles[*index].not_before.is_none_or(|moment| moment <= now);
    let can_begin = |index: &usize| is_ready(state, *index) && has_room(state, *index) && is_due(index);
    if let Some(index) = (0..state.roles.len()).find(can_begin) {
        let needs_checks = state.config.roles[index].validates && needs_checks(state);
        return Some(match needs_checks {
            true => Event::ChecksStarted { round: state.round + 1 },
            false if hooks::is_due_before_a_role(state) => hooks::before_a_role(state),
            false => Event::RoleStarted { attempt: attempt(state, index, driver) },
        });
    }
    let all_done = state.is_idle() && state.roles.iter().all(|role| !role.due);
    let needs_checks = all_done && (needs_checks(state) || needs_last_word(state, now));
    needs_checks.then(|| Event::ChecksStarted { round: state.round + 1 })
}

/// Whether the cycle would be completed by checks that somebody worked after: a validator, say, who changed what git ignores.
/// Nothing is called green that was not looked at since.
fn needs_last_word(state: &State, now: Timestamp) -> bool {
    let is_old = state.current.judged_at < state.attempt;
    !state.config.checks.is_empty() && is_old && judge::converges(state, now)
}

/// Whether the role has something to do, and nobody it comes after or asked has. Who comes after it cannot be waited for.
fn is_ready(state: &State, index: usize) -> bool {
    let (name, at) = (&state.config.roles[index].name, &state.roles[index]);
    let followers = |name: &RoleName| with_followers(&state.config.roles, std::slice::from_ref(name));
    let is_awaited = |other: &RoleName| {
        followers(other).contains(name) || at.asked.contains(other) && !followers(name).contains(other)
    };
    let mut busy = state.team().filter(|(other, theirs)| theirs.due && other.name != *name);
    at.due && at.open.is_none() && !busy.any(|(other, _)| is_awaited(&other.name))
}

/// Whether what is open leaves the role room to work. Whoever changes the tree has it to itself: what changed is then its own
/// doing; so has one before which the tree is put back, and checks are run with nothing beside them.
fn has_room(state: &State, index: usize) -> bool {
    let role = &state.config.roles[index];
    let is_put_back = |at: &RoleState| at.open.as_ref().is_some_and(|open| open.restore.is_some());
    let tree_is_taken =
        state.team().any(|(other, at)| at.open.is_some() && other.develops || is_put_back(at));
    let is_refused = state.roles[index].restore.is_some();
    let needs_all = role.develops || is_refused || role.validates && needs_checks(state);
    !tree_is_taken && (state.is_idle() || !needs_all && state.checking.is_none())
}

/// Whether the tree as it is has not been judged by the checks since somebody worked on it: what git ignores may have changed
/// where git sees no change.
pub(super) fn needs_checks(state: &State) -> bool {
    let is_old = state.current.developed_at > state.current.judged_at;
    let is_judged = match (&state.current.judged, &state.seen) {
        (Some((judged, _)), Some(seen)) => !is_old && !judged.differs_from(seen),
        (Some(_), None) => !is_old,
        (None, _) => false,
    };
    !state.config.checks.is_empty() && !is_judged
}

fn attempt(state: &State, index: usize, driver: &crate::loop_machine::Driver) -> OpenAttempt {
    let (role, at, number) = (&state.config.roles[index], &state.roles[index], state.attempt + 1);
    OpenAttempt {
        number,
        role: role.name.clone(),
        iteration: state.iteration,
        attempt: at.tries + 1,
        host: driver.host.clone(),
        boot: driver.boot.clone(),
        directory: format!("attempts/{}/{number}", state.run),
        restore: at.restore.clone(),
        session: session_of(state, role, at, number),
    }
}

/// The conversation that the next attempt of a role has.
fn session_of(
    state: &State,
    role: &Role,
    at: &RoleState,
    number: u32,
) -> Option<crate::loop_machine::IntendedSession> {
    let place = state.driver.as_ref().map_or("", |driver| driver.host.as_str());
    let name =
        || session::name(&format!("{place} {} {} {} {number}", state.run, role.name, state.created_at));
    let policy = state.config.session;
    let (goes_on, forks) = (policy == SessionPolicy::Continue, policy == SessionPolicy::Fork);
    session::intended(&role.agent.sessions, at.session.as_ref(), goes_on, forks, name)
}

/// A role that takes longer than a phase may is told so, first to say how it stands and then to hand in what there is.
pub(super) fn nudge(state: &State, now: Timestamp) -> Option<Event> {
    state.roles.iter().find_map(|role| {
        let (attempt, nudge, at) = next_nudge(state, role)?;
        (at <= now).then_some(Event::RoleNudged { attempt, nudge })
    })
}

fn next_nudge(state: &State, role: &RoleState) -> Option<(u32, Nudge, Timestamp)> {
    let (open, started_at) = (role.open.as_ref()?, role.started_at?);
    let limit_ms = state.config.limits.attempt_ms;
    let (nudge, after_ms) = match role.nudged {
        None => (Nudge::StatusCheck, limit_ms),
        Some(Nudge::StatusCheck) => (Nudge::Finalize, limit_ms.saturating_add(state.config.grace_ms)),
        Some(Nudge::Finalize) => return None,
    };
    Some((open.number, nudge, started_at.plus_millis(after_ms)))
}

/// The next moment at which something is due that nobody else brings.
pub(super) fn timer(state: &State) -> Option<Timestamp> {
    // One that could not begin then is no reason to wake: it begins when what is in its way ends.
    let again = (0..state.roles.len())
        .filter(|index| is_ready(state, *index) && has_room(state, *index))
        .filter_map(|index| state.roles[index].not_before)
        .filter(|moment| reason_to_rest(state, *moment).is_none());
    let nudges = state.roles.iter().filter_map(|role| next_nudge(state, role)).map(|(_, _, at)| at);
    again.chain(nudges).min()
}
