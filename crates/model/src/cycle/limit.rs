//! Ceilings of a cycle: which one is reached, what a resume needs to get past it, and how that is said.

use super::state::{Counters, State};
use crate::Timestamp;
use crate::loop_machine::{Limits, Raise, room_past};
use crate::status::Reason;

/// The ceiling that forbids further work, if one does.
pub(super) fn reached(state: &State, now: Timestamp) -> Option<(Reason, Option<String>)> {
    let limits = &state.config.limits;
    if limits.deadline.is_some_and(|deadline| deadline <= now) {
        return Some((Reason::LimitDeadline, None));
    }
    budget(limits, &state.counters).map(|reason| (reason, None)).or_else(|| of_a_role(state))
}

fn budget(limits: &Limits, counters: &Counters) -> Option<Reason> {
    let reached = [
        (Reason::LimitDuration, counters.working_ms >= limits.working_ms),
        (Reason::LimitCost, limits.cost_microusd.is_some_and(|most| counters.cost_microusd >= most)),
        (Reason::LimitTokens, limits.tokens.is_some_and(|most| counters.tokens >= most)),
    ];
    reached.into_iter().find_map(|(reason, is_reached)| is_reached.then_some(reason))
}

/// A role that has something to do and has used up what it may.
fn of_a_role(state: &State) -> Option<(Reason, Option<String>)> {
    state.team().filter(|(_, at)| at.due).find_map(|(role, at)| {
        let spent = role.cost_microusd.is_some_and(|most| at.counters.cost_microusd >= most);
        let used = role.tokens.is_some_and(|most| at.counters.tokens >= most);
        let reason = match (spent, used) {
            (true, _) => Reason::LimitCost,
            (false, true) => Reason::LimitTokens,
            (false, false) => return None,
        };
        Some((reason, Some(format!("role `{}` has used what it may", role.name))))
    })
}

/// The ceiling that a resume would still stand at after `raise`.
pub(super) fn still_reached(state: &State, raise: &Raise) -> Option<Reason> {
    let limits = state.config.limits.clone().raised(raise);
    if needs_iteration(state) && state.iteration >= limits.iterations {
        return Some(Reason::LimitIterations);
    }
    budget(&limits, &state.counters)
}

/// Whether going on means another iteration.
fn needs_iteration(state: &State) -> bool {
    let more = !state.current.next.is_empty() || !state.requests.extensions.is_empty();
    state.current.concluded && more
}

/// What `piton resume` needs to get a cycle past this ceiling, with room beyond.
pub fn raise_past(state: &State, reason: Reason) -> String {
    const HOUR_MS: u64 = 3_600_000;
    const DOLLAR: u64 = 1_000_000;
    let (limits, counters) = (&state.config.limits, &state.counters);
    let room = |used: u64, limit: u64, room: u64, unit: u64| room_past(used, limit, room).div_ceil(unit);
    match reason {
        Reason::LimitDuration => {
            format!("--max-duration +{}h", room(counters.working_ms, limits.working_ms, HOUR_MS, HOUR_MS))
        }
        Reason::LimitCost => {
            let limit = limits.cost_microusd.unwrap_or(0);
            format!("--max-cost +{}", room(counters.cost_microusd, limit, 10 * DOLLAR, DOLLAR))
        }
        Reason::LimitTokens => {
            let limit = limits.tokens.unwrap_or(0);
            format!("--max-tokens +{}", room(counters.tokens, limit, 1_000_000, 1))
        }
        _ => {
            let waiting = state.requests.extensions.len().max(1) as u64;
            let used = u64::from(state.iteration).saturating_add(waiting);
            format!("--max-iterations +{}", used.saturating_sub(limits.iterations.into()).max(1))
        }
    }
}

/// Why a cycle failed that has no iteration left.
pub(super) fn out_of_iterations(state: &State) -> String {
    let most = state.config.limits.iterations;
    format!("{most} of {most} iterations are used, and not all is well: {}", issues(state))
}

/// Why a cycle stopped that was imported with no iteration left.
pub(super) fn imported_at_limit(state: &State) -> String {
    let most = state.config.limits.iterations;
    format!("it was imported after iteration {}, and {most} are the most", state.iteration)
}

/// Why a cycle stopped that does not get on.
pub(super) fn no_progress(state: &State) -> String {
    format!("{} iterations in a row changed nothing that matters: {}", state.idle_iterations, issues(state))
}

fn issues(state: &State) -> String {
    let issues = state.iterations.back().map(|record| record.issues.as_slice()).unwrap_or_default();
    match issues {
        [] => "no issue is named".to_owned(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first} (and {} more)", rest.len()),
    }
}
