//! A round of checks: each under the product's supervision, so that it is looked up before it is started.

use piton_engine::supervise::Ran;
use piton_model::loop_machine::{
    AttemptOutcome, CheckResult, CheckRound, Rewritten, Snapshot, StopCondition, StopResult, Wrote,
};
use piton_model::{Command, State};

use super::{Loops, agent};
use crate::history::Name;
use crate::host::Host;
use crate::supervise::{Around, Trial};

/// A round under way.
pub(super) struct Round {
    number: u32,
    /// The intent was recorded by the same driver: nothing of it has run.
    fresh: bool,
    /// The tree it began with.
    began: Option<Snapshot>,
    cancelled: bool,
    /// The check of an earlier driver that is ended first, if any is left.
    ending: Option<u8>,
    /// The check that is run, or looked for.
    trial: Option<Trial>,
    /// The round as far as it is known.
    round: Option<CheckRound>,
    index: u8,
}

impl Round {
    pub(super) fn new(number: u32, fresh: bool) -> Self {
        let ending = (!fresh).then_some(0);
        Self { number, fresh, began: None, cancelled: false, ending, trial: None, round: None, index: 0 }
    }

    pub(super) fn cancel(&mut self, host: &mut Host<Loops>) {
        self.cancelled = true;
        if let Some(trial) = &mut self.trial {
            trial.cancel(host);
        }
    }

    pub(super) fn step(&mut self, state: &State, around: &mut Around<'_, Loops>) -> Option<Command> {
        if let Some(index) = self.ending {
            let name = Name::Check { round: self.number, index, attempt: 1 };
            match self.trial.get_or_insert_with(|| Trial::new(name, true)).step(around) {
                Ok(None) => {}
                Ok(Some(_)) => {
                    self.ending =
                        Some(index + 1).filter(|next| usize::from(*next) < state.config.checks.len());
                    self.trial = None;
                }
                Err(_) => return Some(Command::GiveUp { detail: "another driver took over".to_owned() }),
            }
            return None;
        }
        if state.seen.start.is_none() {
            return Some(Command::Observe(around.scene.snapshot()));
        }
        if self.round.is_none() {
            // What was refused is put back before anything is judged again.
            state.work.restore.iter().for_each(|target| around.scene.restore(&target.id));
            let now = around.scene.snapshot();
            let known = state.seen.snapshot.as_ref().filter(|_| state.work.restore.is_none());
            match known {
                // Somebody wrote to it before the round began: that is on record first.
                Some(known) if self.fresh && known.tree != now.tree => return Some(Command::Observe(now)),
                known => self.began = Some(known.cloned().unwrap_or(now)),
            }
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
        if let Some(began) = self.began.take() {
            round.wrote = settle(state, around, &began, round.cancelled);
        }
        round.snapshot = Some(around.scene.snapshot());
        Some(Command::EndChecks(Box::new(round)))
    }
}

/// What follows from what was written while the round was run; its tree says what sort of thing that is.
fn settle(state: &State, around: &mut Around<'_, Loops>, began: &Snapshot, cancelled: bool) -> Option<Wrote> {
    let after = around.scene.snapshot();
    if began.tree == after.tree {
        return None;
    }
    let is_due = state.work.ended.is_some() && state.work.iteration > state.counters.iterations;
    let is_judged = is_due && !cancelled && state.work.restore.is_none();
    let is_again = state.work.ended.as_ref().is_some_and(|ended| ended.again);
    let mut wrote = Wrote::default();
    match around.scene.tree % 3 {
        0 if is_judged => wrote.tests.push(Rewritten { path: "tests".to_owned(), check: None }),
        1 if is_judged && !is_again => {
            wrote.changed.push("product".to_owned());
            wrote.guard = Some(agent::guard(around.scene));
        }
        _ => {
            around.scene.restore(&began.id);
            wrote.put_back.push("product".to_owned());
            wrote.left = Some(after);
        }
    }
    Some(wrote)
}
