//! Folding the steps of a recovery.

use crate::Timestamp;
use crate::limits::{RECOVERIES_MAX, keep_last};
use crate::loop_machine::facts::Answer;
use crate::loop_machine::recovery::{Recovery, RecoveryOutcome, RecoveryStep};
use crate::loop_machine::state::State;

pub(super) fn take(state: &mut State, number: u32, step: &RecoveryStep, at: Timestamp) {
    match step {
        RecoveryStep::Paused { iteration, trigger, actions } => {
            state.counters.recoveries = number;
            state.counters.recoveries_in_a_row = state.counters.recoveries_in_a_row.saturating_add(1);
            state.judged.recovered_iteration = *iteration;
            state.judged.recovery = Some(Recovery {
                number,
                iteration: *iteration,
                trigger: trigger.clone(),
                paused: (at, actions.clone()),
                diagnosed: None,
                adapted: None,
                retried: None,
                escalated: None,
                decision: None,
                outcome: None,
            });
        }
        RecoveryStep::Diagnosed(diagnosis) => with(state, |recovery| {
            recovery.diagnosed = Some((at, diagnosis.clone()));
        }),
        RecoveryStep::Adapted { approach, fresh_session } => {
            with(state, |recovery| recovery.adapted = Some((at, *approach)));
            state.session.spent |= fresh_session;
        }
        RecoveryStep::Retried(retry) => {
            with(state, |recovery| recovery.retried = Some((at, *retry)));
            if retry.succeeded {
                state.counters.recoveries_in_a_row = 0;
            }
            let outcome = if retry.succeeded { RecoveryOutcome::Success } else { RecoveryOutcome::Failed };
            close(state, outcome, None);
        }
        RecoveryStep::Escalated { reason } => with(state, |recovery| {
            recovery.escalated = Some((at, reason.clone()));
        }),
    }
}

/// A person answered what the recovery asked.
pub(super) fn answered(state: &mut State, outcome: RecoveryOutcome, answer: Answer) {
    state.counters.recoveries_in_a_row = 0;
    if outcome != RecoveryOutcome::Aborted {
        state.counters.refused_in_a_row = 0;
    }
    close(state, outcome, Some(answer));
}

fn with(state: &mut State, change: impl FnOnce(&mut Recovery)) {
    if let Some(recovery) = &mut state.judged.recovery {
        change(recovery);
    }
}

fn close(state: &mut State, outcome: RecoveryOutcome, decision: Option<Answer>) {
    let Some(mut recovery) = state.judged.recovery.take() else { return };
    (recovery.outcome, recovery.decision) = (Some(outcome), decision);
    state.judged.recoveries.push_back(recovery);
    keep_last(&mut state.judged.recoveries, RECOVERIES_MAX);
}
