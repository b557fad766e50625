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

fn budget_reached(limits: &Limits, state: &State) -> Option<Reason> {
    let counters = &state.counters;
    let files = state.seen.modified_files.len();
    if (MaxIterations { count: limits.iterations }).is_met(state) {
        Some(Reason::LimitIterations)
    } else if (MaxDuration { duration_ms: limits.working_ms }).is_met(state) {
        Some(Reason::LimitDuration)
    } else if limits.cost_microusd.is_some_and(|max| counters.cost_microusd >= max) {
        Some(Reason::LimitCost)
    } else if limits.tokens.is_some_and(|max| counters.tokens >= max) {
        Some(Reason::LimitTokens)
    } else if limits.files.is_some_and(|max| files > max as usize) {
        Some(Reason::LimitFiles)
    } else if limits.lines.is_some_and(|max| counters.lines_changed > max) {
        Some(Reason::LimitLines)
    } else if limits.reboots.is_some_and(|max| counters.reboots > max) {
        Some(Reason::LimitReboots)
    } else {
        None
    }
}
