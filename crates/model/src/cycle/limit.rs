//! Ceilings of a cycle: which one is reached, what a resume needs to get past it, and how that is said.

use super::config::Role;
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
    let of_all = budget(limits, &state.counters).map(|reason| (reason, None));
    of_all.or_else(|| {
        of_a_role(state, &Raise::default()).map(|(reason, role)| (reason, Some(said(state, reason, role))))
    })
}

fn budget(limits: &Limits, counters: &Counters) -> Option<Reason> {
    let reached = [
        (Reason::LimitDuration, counters.working_ms >= limits.working_ms),
        (Reason::LimitCost, limits.cost_microusd.is_some_and(|most| counters.cost_microusd >= most)),
        (Reason::LimitTokens, limits.tokens.is_some_and(|most| counters.tokens >= most)),
    ];
    reached.into_iter().find_map(|(reason, is_reached)| is_reached.then_some(reason))
}

/// A role that has something to do and would have used up what it may after `raise`, by its place in the table.
fn of_a_role(state: &State, raise: &Raise) -> Option<(Reason, usize)> {
    state.team().enumerate().filter(|(_, (_, at))| at.due).find_map(|(index, (role, at))| {
        let most = role_ceilings(state, role, raise);
        let is_reached = |most: Option<u64>, used: u64| most.is_some_and(|most| used >= most);
        let reached = [
            (Reason::LimitDuration, is_reached(most.working_ms, at.counters.working_ms)),
            (Reason::LimitCost, is_reached(most.cost_microusd, at.counters.cost_microusd)),
            (Reason::LimitTokens, is_reached(most.tokens, at.counters.tokens)),
        ];
        reached.into_iter().find_map(|(reason, is_reached)| is_reached.then_some((reason, index)))
    })
}

/// What one role may use.
pub(super) struct Ceilings {
    pub(super) cost_microusd: Option<u64>,
    pub(super) tokens: Option<u64>,
    pub(super) working_ms: Option<u64>,
}

/// The ceilings of a role's own after `raise`. They go up by as much as those of all; where there are none for all, by what was
/// added to what was used.
pub(super) fn role_ceilings(state: &State, role: &Role, raise: &Raise) -> Ceilings {
    let (limits, counters) = (&state.config.limits, &state.counters);
    let raised = |own: Option<u64>, to: Option<u64>, of_all: u64| {
        own.map(|own| own.saturating_add(to.map_or(0, |to| to.saturating_sub(of_all))))
    };
    let cost_of_all = limits.cost_microusd.unwrap_or(counters.cost_microusd);
    let tokens_of_all = limits.tokens.unwrap_or(counters.tokens);
    Ceilings {
        cost_microusd: raised(role.cost_microusd, raise.cost_microusd, cost_of_all),
        tokens: raised(role.tokens, raise.tokens, tokens_of_all),
        working_ms: raised(role.working_ms, raise.working_ms, limits.working_ms),
    }
}

/// Which role stands at which ceiling of its own.
fn said(state: &State, reason: Reason, index: usize) -> String {
    let (role, used) = (&state.config.roles[index], &state.roles[index].counters);
    let dollars = |microusd: u64| format!("${:.2}", microusd as f64 / 1e6);
    match reason {
        Reason::LimitCost => {
            let most = dollars(role.cost_microusd.unwrap_or(0));
            format!(
                "role `{}` has spent {} of the {most} that it may",
                role.name,
                dollars(used.cost_microusd)
            )
        }
        Reason::LimitDuration => {
            let most = human(role.working_ms.unwrap_or(0));
            format!("role `{}` has worked {} of the {most} that it may", role.name, human(used.working_ms))
        }
        _ => {
            let most = role.tokens.unwrap_or(0);
            format!("role `{}` has used {} of the {most} tokens that it may", role.name, used.tokens)
        }
    }
}

/// `12 s`, `2m05s`, `1h30m`: rounded up, so that a limit that is reached reads so.
fn human(millis: u64) -> String {
    match millis.div_ceil(1_000) {
        seconds @ ..60 => format!("{seconds} s"),
        seconds @ ..3_600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        seconds => format!("{}h{:02}m", seconds / 3_600, seconds % 3_600 / 60),
    }
}

/// The ceiling that a resume would still stand at after `raise`.
pub(super) fn still_reached(state: &State, raise: &Raise) -> Option<Reason> {
    let limits = state.config.limits.clone().raised(raise);
    if needs_iteration(state) && state.iteration >= limits.iterations {
        return Some(Reason::LimitIterations);
    }
    budget(&limits, &state.counters).or_else(|| of_a_role(state, raise).map(|(reason, _)| reason))
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
    let by_all = budget(limits, counters) == Some(reason);
    let by_role = of_a_role(state, &Raise::default()).filter(|(by, _)| *by == reason && !by_all);
    let (own, theirs) = match by_role {
        Some((_, index)) => (Some(&state.config.roles[index]), &state.roles[index].counters),
        None => (None, counters),
    };
    match reason {
        Reason::LimitDuration => {
            let limit = own.map_or(Some(limits.working_ms), |role| role.working_ms).unwrap_or(0);
            format!("--max-duration +{}h", room(theirs.working_ms, limit, HOUR_MS, HOUR_MS))
        }
        Reason::LimitCost => {
            let limit = own.map_or(limits.cost_microusd, |role| role.cost_microusd).unwrap_or(0);
            format!("--max-cost +{}", room(theirs.cost_microusd, limit, 10 * DOLLAR, DOLLAR))
        }
        Reason::LimitTokens => {
            let limit = own.map_or(limits.tokens, |role| role.tokens).unwrap_or(0);
            format!("--max-tokens +{}", room(theirs.tokens, limit, 1_000_000, 1))
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
