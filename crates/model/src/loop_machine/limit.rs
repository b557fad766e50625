//! Ceilings: which one is reached.

use super::config::{Limits, Raise};
use super::state::{Counters, State};
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
    if state.counters.no_progress_in_a_row >= state.config.limits.no_progress {
        return Some(Reason::NoProgress);
    }
    budget_reached(&state.config.limits, &state.counters)
}

/// The ceiling that a resume would still stand at after `raise`. Streaks begin anew with a resume.
pub(super) fn still_reached(state: &State, raise: &Raise) -> Option<Reason> {
    let mut limits = state.config.limits.clone();
    limits.iterations = raise.iterations.unwrap_or(limits.iterations);
    limits.working_ms = raise.working_ms.unwrap_or(limits.working_ms);
    limits.cost_microusd = raise.cost_microusd.or(limits.cost_microusd);
    limits.tokens = raise.tokens.or(limits.tokens);
    budget_reached(&limits, &state.counters)
}

fn budget_reached(limits: &Limits, counters: &Counters) -> Option<Reason> {
    if counters.iterations >= limits.iterations {
        Some(Reason::LimitIterations)
    } else if counters.working_ms >= limits.working_ms {
        Some(Reason::LimitDuration)
    } else if limits.cost_microusd.is_some_and(|max| counters.cost_microusd >= max) {
        Some(Reason::LimitCost)
    } else if limits.tokens.is_some_and(|max| counters.tokens >= max) {
        Some(Reason::LimitTokens)
    } else {
        None
    }
}
