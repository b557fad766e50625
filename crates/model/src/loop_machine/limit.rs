//! Ceilings: which one is reached. Those that are stop conditions too are judged by these.

use super::config::{Limits, Raise};
use super::state::State;
use super::stop::{MaxDuration, MaxIterations, NoProgress, Rule};
use crate::Timestamp;
use crate::status::Reason;

/// The ceiling that forbids another attempt, if one does.
pub(super) fn reached(state: &State, now: Timestamp) -> Option<Reason> {
    if state.config.limits.deadline.is_some_and(|deadline| deadline <= now) {
        return Some(Reason::LimitDeadline);
    }
    if state.counters.failures_in_a_row >= state.config.limits.failures {
        return Some(Reason::FailureStreak);
    }
    if (NoProgress { iterations: state.config.limits.no_progress }).is_met(state) {
        return Some(Reason::NoProgress);
    }
    budget_reached(&state.config.limits, state)
}

/// The ceiling that a resume would still stand at after `raise`. Streaks begin anew with a resume.
pub(super) fn still_reached(state: &State, raise: &Raise) -> Option<Reason> {
    budget_reached(&state.config.limits.clone().raised(raise), state)
}

/// The ceiling on money, tokens or time that is used up, or that the deadline has come: what every work needs, be it an iteration or
/// not.
pub(super) fn used_up(state: &State, now: Timestamp) -> Option<Reason> {
    if state.config.limits.deadline.is_some_and(|deadline| deadline <= now) {
        return Some(Reason::LimitDeadline);
    }
    let is_needed =
        |reason: &Reason| matches!(reason, Reason::LimitCost | Reason::LimitTokens | Reason::LimitDuration);
    budgets_reached(&state.config.limits, state).find(is_needed)
}

/// What `piton resume` needs to get a run past every ceiling that it stands at, with room beyond; nothing where it stands
/// at none.
pub fn raise_past(state: &State) -> Option<String> {
    raise_past_after(state, &Raise::default())
}

/// The same for somebody who asked for `raise`: a ceiling that it sets and that is reached is one more.
pub(super) fn raise_past_after(state: &State, raise: &Raise) -> Option<String> {
    let limits = &state.config.limits;
    let mut reached: Vec<_> = budgets_reached(limits, state).collect();
    let after = limits.clone().raised(raise);
    let stands: Vec<_> = budgets_reached(&after, state).filter(|reason| !reached.contains(reason)).collect();
    reached.extend(stands);
    let flags: Vec<_> = reached.into_iter().filter_map(|reason| raise_one(state, reason)).collect();
    (!flags.is_empty()).then(|| flags.join(" "))
}

/// The flag that raises this ceiling, if one does.
pub(super) fn raise_one(state: &State, reason: Reason) -> Option<String> {
    const HOUR_MS: u64 = 3_600_000;
    const DOLLAR: u64 = 1_000_000;
    let (limits, counters) = (&state.config.limits, &state.counters);
    let files = state.seen.modified_files.len() as u64;
    // Where none was set, what is added is added to what was used.
    let of = |limit: Option<u32>, used: u64| limit.map_or(used, u64::from);
    let (flag, used, limit, room, unit, word) = match reason {
        Reason::LimitIterations => {
            ("--max-iterations", counters.iterations.into(), limits.iterations.into(), 25, 1, "")
        }
        Reason::LimitDuration => {
            ("--max-duration", counters.working_ms, limits.working_ms, 4 * HOUR_MS, HOUR_MS, "h")
        }
        Reason::LimitCost => {
            let used = state.spent_microusd();
            ("--max-cost", used, limits.cost_microusd.unwrap_or(used), 10 * DOLLAR, DOLLAR, "")
        }
        Reason::LimitTokens => {
            let used = state.spent_tokens();
            ("--max-tokens", used, limits.tokens.unwrap_or(used), 1_000_000, 1, "")
        }
        Reason::LimitFiles => ("--max-files", files, of(limits.files, files), 20, 1, ""),
        Reason::LimitLines => (
            "--max-lines",
            counters.lines_changed,
            limits.lines.unwrap_or(counters.lines_changed),
            1_000,
            1,
            "",
        ),
        Reason::LimitReboots => {
            let used = counters.reboots.into();
            ("--max-reboots", used, of(limits.reboots, used), 10, 1, "")
        }
        _ => return None,
    };
    Some(format!("{flag} +{}{word}", room_past(used, limit, room).div_ceil(unit)))
}

/// What is added to a limit so that there is `room` again: more than that where it was exceeded by as much.
pub(crate) fn room_past(used: u64, limit: u64, room: u64) -> u64 {
    let over = used.saturating_sub(limit);
    if over < room { room } else { over.saturating_add(room) }
}

fn budget_reached(limits: &Limits, state: &State) -> Option<Reason> {
    budgets_reached(limits, state).next()
}

fn budgets_reached(limits: &Limits, state: &State) -> impl Iterator<Item = Reason> {
    let counters = &state.counters;
    let files = state.seen.modified_files.len();
    let reboots = counters.reboots.saturating_add(state.session.is_due().into());
    let reached = [
        (Reason::LimitIterations, MaxIterations { count: limits.iterations }.is_met(state)),
        (Reason::LimitDuration, MaxDuration { duration_ms: limits.working_ms }.is_met(state)),
        (Reason::LimitCost, limits.cost_microusd.is_some_and(|max| state.spent_microusd() >= max)),
        (Reason::LimitTokens, limits.tokens.is_some_and(|max| state.spent_tokens() >= max)),
        (Reason::LimitFiles, limits.files.is_some_and(|max| files > max as usize)),
        (Reason::LimitLines, limits.lines.is_some_and(|max| counters.lines_changed > max)),
        (Reason::LimitReboots, limits.reboots.is_some_and(|max| reboots > max)),
    ];
    reached.into_iter().filter_map(|(reason, is_reached)| is_reached.then_some(reason))
}
