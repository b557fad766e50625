//! A round of checks under way: each check under the product's supervision, so that it is looked up before it is started.

use piton_engine::supervise::Ran;
use piton_model::loop_machine::{AttemptOutcome, Check, CheckResult, CheckRound, Snapshot};

use crate::history::Name;
use crate::host::Host;
use crate::kind::{CommandOf, Simulated};
use crate::supervise::{Around, SUPERSEDED, Trial};

/// A kind of run that has checks.
pub(crate) trait Checked: Simulated {
    fn checks(state: &Self::Run) -> &[Check];

    /// The tree that a round begins with.
    fn begin(fresh: bool, state: &Self::Run, around: &mut Around<'_, Self>) -> Began;

    /// What a round that ended is told as, with what follows from what it wrote.
    fn settled(
        round: Box<CheckRound>,
        began: &Snapshot,
        state: &Self::Run,
        around: &mut Around<'_, Self>,
    ) -> CommandOf<Self>;

    fn observed(snapshot: Snapshot) -> CommandOf<Self>;

    fn given_up(detail: String) -> CommandOf<Self>;
}

/// A round under way.
pub(crate) struct Round {
    number: u32,
    /// The tree it began with.
    began: Option<Snapshot>,
    cancelled: bool,
    /// The check of an earlier driver that is ended first, if any is left.
    ending: Option<u8>,
    /// The check that is run, or looked for.
    trial: Option<Trial>,
    /// The round as far as it is known.
    round: CheckRound,
}

/// How far a round is.
enum Progress {
    Working,
    /// The tree is to be on record first.
    NotYet(Snapshot),
    /// It ended, or was cut short. The tree that it began with comes along.
    Ended(Box<CheckRound>, Snapshot),
    /// Something stands in the way.
    GivenUp(String),
}

/// The tree that a round begins with, or the one that has to be on record before.
pub(crate) type Began = Result<Snapshot, Snapshot>;

impl Round {
    /// A fresh one was recorded by the same driver: nothing of it has run.
    pub(crate) fn new(number: u32, fresh: bool) -> Self {
        Self {
            number,
            began: None,
            cancelled: false,
            ending: (!fresh).then_some(0),
            trial: None,
            round: CheckRound::of_nothing(number),
        }
    }

    pub(crate) fn cancel<K: Simulated>(&mut self, host: &mut Host<K>) {
        self.cancelled = true;
        if let Some(trial) = &mut self.trial {
            trial.cancel(host);
        }
    }

    /// One step; what the machine is told, once there is something.
    pub(crate) fn step<K: Checked>(
        &mut self,
        fresh: bool,
        state: &K::Run,
        around: &mut Around<'_, K>,
    ) -> Option<CommandOf<K>> {
        match self.advance(fresh, state, around) {
            Progress::Working => None,
            Progress::NotYet(unknown) => Some(K::observed(unknown)),
            Progress::Ended(round, began) => Some(K::settled(round, &began, state, around)),
            Progress::GivenUp(detail) => Some(K::given_up(detail)),
        }
    }

    fn advance<K: Checked>(&mut self, fresh: bool, state: &K::Run, around: &mut Around<'_, K>) -> Progress {
        let checks = K::checks(state);
        if let Some(index) = self.ending {
            return self.end_earlier(index, checks.len(), around);
        }
        if self.began.is_none() {
            match K::begin(fresh, state, around) {
                Ok(began) => self.began = Some(began),
                Err(unknown) => return Progress::NotYet(unknown),
            }
        }
        match checks.get(self.round.checks.len()) {
            Some(check) => self.run(check, around),
            None => self.ended(),
        }
    }

    /// An earlier driver began the round: nothing of it may run beside this one or begin late.
    fn end_earlier<K: Simulated>(&mut self, index: u8, count: usize, around: &mut Around<'_, K>) -> Progress {
        let name = Name::Check { round: self.number, index, attempt: 1 };
        match self.trial.get_or_insert_with(|| Trial::new(name, true)).step(around) {
            Ok(None) => Progress::Working,
            Ok(Some(_)) => {
                self.ending = Some(index + 1).filter(|next| usize::from(*next) < count);
                self.trial = None;
                Progress::Working
            }
            Err(_) => Progress::GivenUp(SUPERSEDED.to_owned()),
        }
    }

    fn run<K: Simulated>(&mut self, check: &Check, around: &mut Around<'_, K>) -> Progress {
        let name = Name::Check { round: self.number, index: self.round.checks.len() as u8, attempt: 1 };
        let trial = self.trial.get_or_insert_with(|| Trial::new(name, self.cancelled));
        let (passed, duration_ms) = match trial.step(around) {
            Err(_) => return Progress::GivenUp(SUPERSEDED.to_owned()),
            Ok(None) => return Progress::Working,
            Ok(Some(Ran::Ended(exit))) => (exit.outcome == AttemptOutcome::Succeeded, exit.duration_ms),
            Ok(Some(Ran::Lost)) => (false, 0),
            Ok(Some(Ran::Cancelled)) => {
                self.round.cancelled = true;
                return self.ended();
            }
            Ok(Some(Ran::NoKeeper { detail })) => return Progress::GivenUp(detail),
        };
        self.trial = None;
        self.round.duration_ms += duration_ms;
        self.round.checks.push(CheckResult {
            name: check.name.clone(),
            passed,
            exit_code: Some(i32::from(!passed)),
            duration_ms,
            ..CheckResult::default()
        });
        Progress::Working
    }

    fn ended(&mut self) -> Progress {
        let round = std::mem::replace(&mut self.round, CheckRound::of_nothing(self.number));
        match self.began.take() {
            Some(began) => Progress::Ended(Box::new(round), began),
            None => Progress::Working,
        }
    }
}
