//! A round of checks: each under the product's supervision, so that it is looked up before it is started.

use piton_engine::supervise::Ran;
use piton_model::loop_machine::{AttemptOutcome, CheckResult, CheckRound, StopCondition, StopResult};
use piton_model::{Command, State};

use super::Loops;
use crate::history::Name;
use crate::host::Host;
use crate::supervise::{Around, Trial};

/// A round under way.
pub(super) struct Round {
    number: u32,
    cancelled: bool,
    /// The check that is run, or looked for.
    trial: Option<Trial>,
    /// The round as far as it is known.
    round: Option<CheckRound>,
    index: u8,
}

impl Round {
    pub(super) fn new(number: u32) -> Self {
        Self { number, cancelled: false, trial: None, round: None, index: 0 }
    }

    pub(super) fn cancel(&mut self, host: &mut Host<Loops>) {
        self.cancelled = true;
        if let Some(trial) = &mut self.trial {
            trial.cancel(host);
        }
    }

    pub(super) fn step(&mut self, state: &State, around: &mut Around<'_, Loops>) -> Option<Command> {
        if state.seen.start.is_none() {
            return Some(Command::Observe(around.scene.snapshot()));
        }
        // What was refused is put back before anything is judged again.
        if let Some(target) = state.work.restore.as_ref().filter(|_| self.round.is_none()) {
            around.scene.restore(&target.id);
        }
        let round = self.round.get_or_insert_with(|| CheckRound::of_nothing(self.number));
        let Some(check) = state.config.checks.get(usize::from(self.index)) else {
            return self.finish(state, around);
        };
        let name = Name::Check { round: self.number, index: self.index, attempt: 1 };
        let trial = self.trial.get_or_insert_with(|| Trial::new(name, self.cancelled));
        let ran = match trial.step(around) {
            Ok(ran) => ran?,
            Err(_) => return Some(Command::GiveUp { detail: "another driver took over".to_owned() }),
        };
        let (passed, duration_ms) = match ran {
            Ran::Ended(exit) => (exit.outcome == AttemptOutcome::Succeeded, exit.duration_ms),
            Ran::Lost => (false, 0),
            Ran::Cancelled => {
                round.cancelled = true;
                return self.finish(state, around);
            }
            Ran::NoKeeper { detail } => return Some(Command::GiveUp { detail }),
        };
        round.duration_ms += duration_ms;
        round.checks.push(CheckResult {
            name: check.name.clone(),
            passed,
            exit_code: Some(i32::from(!passed)),
            timed_out: false,
            duration_ms,
            tail: String::new(),
        });
        self.index += 1;
        self.trial = None;
        None
    }

    fn finish(&mut self, state: &State, around: &mut Around<'_, Loops>) -> Option<Command> {
        let mut round = self.round.take()?;
        for condition in state.config.stop_probes() {
            if !round.cancelled {
                let met =
                    matches!(condition, StopCondition::FileCreated(_)) && around.scene.tree.is_multiple_of(2);
                round.stops.push(StopResult { label: condition.label(), met, timed_out: false });
            }
        }
        round.snapshot = Some(around.scene.snapshot());
        Some(Command::EndChecks(Box::new(round)))
    }
}
