//! Performing work, in the order of the product's world: look, and only then start, wait or find out.
//!
//! One small step at a time, so that a crash of the driver falls between any two of them.

use std::rc::Rc;

use piton_model::loop_machine::{
    AttemptEnd, AttemptOutcome, Change, CheckResult, CheckRound, Condition, ConditionResult, OpenAttempt,
    TreeProof,
};
use piton_model::{Command, Effect, State};

use crate::history::{Entry, Name};
use crate::machine::{Answer, Found, Machine};
use crate::rng::Rng;
use crate::scenario::{Plant, Scenario};

/// A check that was lost with its keeper is run again at most this often.
const TRIES_MAX: u8 = 3;

/// A keeper that says nothing is tried again at most this often.
const LAUNCHES_MAX: u8 = 3;

/// So many looks at a keeper that lives and says nothing are enough.
const PATIENCE: u8 = 20;

/// Work that a driver performs.
pub(crate) struct Task {
    pub(crate) effect: Effect,
    fresh: bool,
    pub(crate) cancelled: bool,
    /// The attempt that is performed, shared so that a step need not copy it.
    attempt_of: Option<Rc<OpenAttempt>>,
    at: At,
    launches: u8,
    silent_looks: u8,
    /// The round as far as it is known.
    round: Option<CheckRound>,
    index: u8,
    attempt: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Look,
    Prepare,
    Launch,
    Answer(u32),
    Wait,
    Abandon,
    Reap,
    Finish,
    GiveUp,
    /// Only with a planted bug: gives up without making sure.
    Nothing,
}

/// What the steps of a task act on.
pub(crate) struct Surroundings<'a> {
    pub(crate) machine: &'a mut Machine,
    pub(crate) scenario: &'a Scenario,
    pub(crate) rng: &'a mut Rng,
    pub(crate) log: &'a mut Vec<Entry>,
    pub(crate) plant: Option<Plant>,
}

impl Task {
    pub(crate) fn new(effect: Effect, fresh: bool) -> Self {
        Self {
            effect,
            fresh,
            cancelled: false,
            attempt_of: None,
            at: At::Look,
            launches: 0,
            silent_looks: 0,
            round: None,
            index: 0,
            attempt: 1,
        }
    }

    fn name(&self) -> Name {
        match &self.effect {
            Effect::Attempt(attempt) => Name::Attempt(attempt.number),
            Effect::Checks(round) => Name::Check { round: *round, index: self.index, attempt: self.attempt },
            Effect::Hooks(_) => unreachable!("no scenario has hooks"),
            Effect::Timer(_) => unreachable!("timers are the shell's"),
        }
    }

    /// Somebody wants the work to end.
    pub(crate) fn cancel(&mut self, machine: &mut Machine) {
        self.cancelled = true;
        if self.at == At::Wait {
            machine.cancel(self.name());
        }
    }

    /// One step; the outcome, once there is one.
    pub(crate) fn step(&mut self, state: &State, around: &mut Surroundings<'_>) -> Option<Command> {
        match &self.effect {
            Effect::Attempt(attempt) => {
                let attempt = Rc::clone(self.attempt_of.get_or_insert_with(|| attempt.clone().into()));
                self.step_attempt(&attempt, state, around)
            }
            Effect::Checks(round) => self.step_checks(*round, state, around),
            Effect::Hooks(_) => unreachable!("no scenario has hooks"),
            Effect::Timer(_) => Some(Command::Tick),
        }
    }

    fn step_attempt(
        &mut self,
        attempt: &OpenAttempt,
        state: &State,
        around: &mut Surroundings<'_>,
    ) -> Option<Command> {
        let name = self.name();
        let number = attempt.number;
        match self.at {
            At::Look => return self.look_attempt(attempt, state, around),
            At::Prepare => {
                if let Some(target) = &attempt.restore {
                    around.machine.restore(target);
                }
                let snapshot = around.machine.snapshot();
                let known = state.seen.snapshot.as_ref().is_some_and(|known| known.tree == snapshot.tree);
                if !known || state.seen.start.is_none() {
                    return Some(Command::Observe(snapshot));
                }
                self.at = At::Launch;
            }
            At::Launch => self.launch(around),
            At::Answer(keeper) => self.hear(keeper, around),
            At::Wait => self.wait(around),
            At::Abandon => {
                around.machine.abandon(name, around.log);
                self.at = At::Look;
            }
            At::Reap => {
                around.machine.reap(name, around.log);
                let rebooted = attempt.boot != around.machine.boot.to_string();
                let tree = if rebooted { TreeProof::Rebooted } else { TreeProof::Proven };
                return Some(Command::LoseAttempt { attempt: number, tree });
            }
            At::Finish => unreachable!("only checks finish apart from looking"),
            At::GiveUp => {
                around.machine.abandon(name, around.log);
                // Somebody published it after all: then it is looked at.
                if !matches!(around.machine.look(name), Found::Abandoned) {
                    self.at = At::Look;
                    return None;
                }
                return Some(Command::GiveUp { detail: "the keeper could not be started".to_owned() });
            }
            At::Nothing => return Some(Command::GiveUp { detail: "the keeper did not answer".to_owned() }),
        }
        None
    }

    fn look_attempt(
        &mut self,
        attempt: &OpenAttempt,
        state: &State,
        around: &mut Surroundings<'_>,
    ) -> Option<Command> {
        let number = attempt.number;
        if around.plant == Some(Plant::RetryWithoutLookup) && !self.fresh && self.launches == 0 {
            self.at = At::Prepare;
            return None;
        }
        match around.machine.look(self.name()) {
            Found::Absent if self.fresh && !self.cancelled => self.at = At::Prepare,
            Found::Absent => self.at = At::Abandon,
            Found::Abandoned => return Some(Command::AbandonAttempt { attempt: number }),
            Found::Alive => self.begin_to_wait(around),
            Found::Finished(exit) => {
                let mut end = AttemptEnd {
                    outcome: exit.outcome,
                    exit_code: None,
                    duration_ms: exit.duration_ms,
                    message: None,
                    report: exit.report,
                    snapshot: None,
                    prompt: None,
                    change: None,
                    guard: None,
                };
                if end.outcome != AttemptOutcome::NotStartable {
                    let snapshot = around.machine.snapshot();
                    if state.work.before.as_ref().is_some_and(|before| before.tree != snapshot.tree) {
                        end.guard = Some(around.machine.guard(around.scenario));
                    }
                    if state.seen.snapshot.as_ref().is_some_and(|before| before.tree != snapshot.tree) {
                        end.change = Some(Change {
                            files: Vec::new(),
                            files_total: 1,
                            added: 1,
                            removed: 0,
                            artifacts: Vec::new(),
                        });
                    }
                    end.snapshot = Some(snapshot);
                }
                return Some(Command::EndAttempt { attempt: number, end: Box::new(end) });
            }
            Found::Dead => self.at = At::Reap,
        }
        None
    }

    fn launch(&mut self, around: &mut Surroundings<'_>) {
        let replaces = around.plant == Some(Plant::RetryWithoutLookup) && !self.fresh;
        let keeper = around.machine.launch(self.name(), replaces, around.scenario, around.rng);
        self.launches += 1;
        self.silent_looks = 0;
        self.at = At::Answer(keeper);
    }

    fn hear(&mut self, keeper: u32, around: &mut Surroundings<'_>) {
        match around.machine.take_answer(keeper) {
            Some(Answer::Published | Answer::AlreadyPublished) => self.at = At::Look,
            Some(Answer::Failed) => self.at = At::GiveUp,
            None if around.machine.lives(keeper) && self.silent_looks < PATIENCE => self.silent_looks += 1,
            None if around.plant == Some(Plant::SilenceIsAbsence) => self.at = At::Nothing,
            // It ended without a word, or takes too long: whether it published is looked up, and of two
            // keepers of one name only one can publish.
            None => self.at = if self.launches < LAUNCHES_MAX { At::Look } else { At::GiveUp },
        }
    }

    fn begin_to_wait(&mut self, around: &mut Surroundings<'_>) {
        self.at = At::Wait;
        if self.cancelled {
            around.machine.cancel(self.name());
        }
    }

    fn wait(&mut self, around: &mut Surroundings<'_>) {
        if !around.machine.is_locked(self.name()) {
            self.at = At::Look;
        }
    }

    fn step_checks(&mut self, number: u32, state: &State, around: &mut Surroundings<'_>) -> Option<Command> {
        if state.seen.start.is_none() {
            return Some(Command::Observe(around.machine.snapshot()));
        }
        // What was refused is put back before anything is judged again.
        if let Some(target) = state.work.restore.as_ref().filter(|_| self.round.is_none()) {
            around.machine.restore(&target.id);
        }
        let round = self.round.get_or_insert_with(|| CheckRound {
            number,
            checks: Vec::new(),
            conditions: Vec::new(),
            snapshot: None,
            commit: None,
            duration_ms: 0,
            stops: Vec::new(),
            tests: Default::default(),
            measures: Default::default(),
            cancelled: false,
        });
        if self.at == At::Finish || usize::from(self.index) == state.config.checks.len() {
            let probes =
                state.config.until.iter().filter(|condition| condition.needs_probe() && !round.cancelled);
            for condition in probes {
                let met = matches!(condition, Condition::File(_)) && around.machine.tree.is_multiple_of(2);
                round.conditions.push(ConditionResult { label: condition.label(), met });
            }
            round.snapshot = Some(around.machine.snapshot());
            return self.round.take().map(|round| Command::EndChecks(Box::new(round)));
        }
        match self.at {
            At::Look => self.look_check(state, around),
            At::Launch => self.launch(around),
            At::Answer(keeper) => self.hear(keeper, around),
            At::Wait => self.wait(around),
            At::Reap => {
                around.machine.reap(self.name(), around.log);
                if self.attempt >= TRIES_MAX {
                    self.judge(state, false, 0);
                } else {
                    self.attempt += 1;
                }
                self.at = At::Look;
            }
            At::GiveUp => {
                around.machine.abandon(self.name(), around.log);
                if !matches!(around.machine.look(self.name()), Found::Abandoned) {
                    self.at = At::Look;
                    return None;
                }
                return Some(Command::GiveUp { detail: "a check could not be started".to_owned() });
            }
            At::Nothing => return Some(Command::GiveUp { detail: "the keeper did not answer".to_owned() }),
            At::Prepare | At::Abandon | At::Finish => unreachable!("checks are never prepared or abandoned"),
        }
        None
    }

    fn look_check(&mut self, state: &State, around: &mut Surroundings<'_>) {
        match around.machine.look(self.name()) {
            Found::Absent if self.cancelled => {
                // A keeper of a driver that died may be about to publish it: whoever says that it does not
                // run makes sure of it.
                if around.plant != Some(Plant::CancelWithoutTombstone) {
                    around.machine.abandon(self.name(), around.log);
                }
                self.cut_short();
            }
            Found::Absent => self.at = At::Launch,
            Found::Alive => self.begin_to_wait(around),
            Found::Finished(exit) if exit.outcome == AttemptOutcome::Cancelled => {
                if self.cancelled {
                    self.cut_short();
                } else {
                    self.attempt += 1;
                }
            }
            Found::Finished(exit) => {
                self.judge(state, exit.outcome == AttemptOutcome::Succeeded, exit.duration_ms);
            }
            Found::Abandoned => self.attempt += 1,
            Found::Dead => self.at = At::Reap,
        }
    }

    fn cut_short(&mut self) {
        self.round.as_mut().expect("a round is under way").cancelled = true;
        self.at = At::Finish;
    }

    fn judge(&mut self, state: &State, passed: bool, duration_ms: u64) {
        let name = state.config.checks[usize::from(self.index)].name.clone();
        let round = self.round.as_mut().expect("a round is under way");
        round.duration_ms += duration_ms;
        let exit_code = Some(i32::from(!passed));
        round.checks.push(CheckResult {
            name,
            passed,
            exit_code,
            timed_out: false,
            duration_ms,
            tail: String::new(),
        });
        self.index += 1;
        self.attempt = 1;
        self.launches = 0;
    }
}
