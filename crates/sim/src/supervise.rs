//! The port through which the product's supervision of an attempt sees and touches the simulated host.
//!
//! [`piton_engine::supervise`] decides the order of things; here is only what each act does, and where a planted bug
//! makes it lie. One act per step, so that a crash of whoever supervises falls between any two of them: then the
//! supervision is dropped, and with it the [`Hand`].

use std::convert::Infallible;
use std::task::Poll;

use piton_engine::supervise::{Became, Port, Ran, Repeated, Rerun, Seen, Start, Supervision};
use piton_model::Timestamp;
use piton_model::loop_machine::AttemptOutcome;
use piton_sys::process::Emptied;

use crate::history::{Entry, Name};
use crate::host::{Answer, Exit, Found, Host};
use crate::kind::Simulated;
use crate::rng::Rng;
use crate::scenario::Plant;

/// What is said where another driver has the lease.
pub(crate) const SUPERSEDED: &str = "another driver took over";

/// So many looks at a keeper that lives and says nothing are enough.
const PATIENCE: u8 = 20;

/// What work acts on.
pub(crate) struct Around<'a, K: Simulated> {
    pub(crate) host: &'a mut Host<K>,
    pub(crate) scene: &'a mut K::Scene,
    pub(crate) rng: &'a mut Rng,
    pub(crate) log: &'a mut Vec<Entry>,
    pub(crate) plant: Option<Plant>,
    /// The epoch of whoever works.
    pub(crate) epoch: u64,
    /// Somebody else has the lease by now.
    pub(crate) superseded: bool,
    pub(crate) now: Timestamp,
}

/// Another driver has the lease; nothing is written any more.
#[derive(Debug)]
pub(crate) struct Superseded;

/// What a driver holds of one attempt, between two acts.
struct Hand {
    name: Name,
    prepared: bool,
    keeper: Option<u32>,
    silent_looks: u8,
    cancelled: bool,
    watched: bool,
    /// Planted bug: it is started whatever was there before.
    blind: bool,
    /// Planted bug: it says that it is never started, and does nothing about it.
    careless: bool,
}

impl Hand {
    fn new(name: Name) -> Self {
        Self {
            name,
            prepared: false,
            keeper: None,
            silent_looks: 0,
            cancelled: false,
            watched: false,
            blind: false,
            careless: false,
        }
    }

    fn cancel<K: Simulated>(&mut self, host: &mut Host<K>) {
        self.cancelled = true;
        if self.watched {
            host.cancel(self.name);
        }
    }
}

/// What is to be done right before the start: `None` where nothing stands in the way of it.
type Prepare<'p, 'a, K, I> = &'p mut dyn FnMut(&mut Around<'a, K>) -> Option<Start<I>>;

struct HostPort<'p, 'a, K: Simulated, I> {
    hand: &'p mut Hand,
    around: &'p mut Around<'a, K>,
    prepare: Prepare<'p, 'a, K, I>,
}

impl<K: Simulated, I> Port for HostPort<'_, '_, K, I> {
    type Error = Superseded;
    type Exit = Exit<K::Said>;
    type Instead = I;

    /// Nobody forges anything here.
    fn clear(&mut self) -> Result<(), Superseded> {
        Ok(())
    }

    fn look(&mut self) -> Result<Seen<Exit<K::Said>>, Superseded> {
        if self.hand.careless {
            return Ok(Seen::Abandoned);
        }
        if self.hand.blind && self.hand.keeper.is_none() {
            return Ok(Seen::Absent);
        }
        Ok(match self.around.host.look(self.hand.name) {
            Found::Absent => Seen::Absent,
            Found::Abandoned => Seen::Abandoned,
            Found::Alive => Seen::Alive,
            Found::Finished(exit) => Seen::Finished(*exit),
            Found::Dead => Seen::Dead,
        })
    }

    fn start(&mut self) -> Result<Poll<Start<I>>, Superseded> {
        let (hand, around) = (&mut *self.hand, &mut *self.around);
        if !hand.prepared {
            hand.prepared = true;
            return Ok((self.prepare)(around).map_or(Poll::Pending, Poll::Ready));
        }
        let Some(keeper) = hand.keeper else {
            hand.keeper = Some(around.host.launch(hand.name, hand.blind, around.scene, around.rng));
            return Ok(Poll::Pending);
        };
        let no_keeper = |detail: &str| Poll::Ready(Start::NoKeeper { detail: detail.to_owned() });
        Ok(match around.host.take_answer(keeper) {
            Some(Answer::Published | Answer::AlreadyPublished) => Poll::Ready(Start::Published),
            Some(Answer::Failed) => no_keeper("the system has no process"),
            None if around.host.lives(keeper) && hand.silent_looks < PATIENCE => {
                hand.silent_looks += 1;
                Poll::Pending
            }
            // It ended without a word, or takes too long.
            None => {
                hand.careless = around.plant == Some(Plant::SilenceIsAbsence);
                no_keeper("the keeper did not answer")
            }
        })
    }

    fn abandon(&mut self) -> Result<bool, Superseded> {
        let is_check = matches!(self.hand.name, Name::Check { .. });
        if is_check && self.around.plant == Some(Plant::CancelWithoutTombstone) {
            self.hand.careless = true;
        }
        if self.hand.careless {
            return Ok(true);
        }
        self.around.host.abandon(self.hand.name, self.around.log);
        Ok(matches!(self.around.host.look(self.hand.name), Found::Abandoned))
    }

    fn watch(&mut self) {
        self.hand.watched = true;
    }

    fn vanished(&self) -> Superseded {
        unreachable!("nobody deletes the directory of an attempt here")
    }

    fn cancel(&mut self) -> Result<(), Superseded> {
        self.around.host.cancel(self.hand.name);
        Ok(())
    }

    fn wait(&mut self) -> Result<Poll<()>, Superseded> {
        let locked = self.around.host.is_locked(self.hand.name);
        Ok(if locked { Poll::Pending } else { Poll::Ready(()) })
    }

    fn reap(&mut self) -> Result<Emptied, Superseded> {
        self.around.host.reap(self.hand.name, self.around.log);
        Ok(Emptied::Proven)
    }

    fn is_cancelled(&self) -> bool {
        self.hand.cancelled
    }

    fn require_lease(&mut self) -> Result<(), Superseded> {
        if self.around.superseded { Err(Superseded) } else { Ok(()) }
    }

    fn host(&self) -> String {
        self.around.host.name.clone()
    }

    fn boot(&self) -> String {
        self.around.host.boot.to_string()
    }
}

impl<K: Simulated> Repeated for HostPort<'_, '_, K, Infallible> {
    fn set_try(&mut self, number: u32) {
        if let Name::Check { attempt, .. } = &mut self.hand.name {
            *attempt = u8::try_from(number).unwrap_or(u8::MAX);
        }
        *self.hand = Hand { cancelled: self.hand.cancelled, ..Hand::new(self.hand.name) };
    }

    fn was_cancelled(exit: &Exit<K::Said>) -> bool {
        exit.outcome == AttemptOutcome::Cancelled
    }
}

/// An attempt under the product's supervision.
pub(crate) struct Attempt {
    hand: Hand,
    supervision: Supervision,
}

impl Attempt {
    /// Of an attempt that was recorded here or elsewhere; only a fresh one may be started.
    pub(crate) fn new(name: Name, host: &str, boot: &str, fresh: bool, plant: Option<Plant>) -> Self {
        let blind = plant == Some(Plant::RetryWithoutLookup) && !fresh;
        let supervision = Supervision::of_recorded(host, boot, fresh || blind);
        Self { hand: Hand { blind, ..Hand::new(name) }, supervision }
    }

    pub(crate) fn cancel<K: Simulated>(&mut self, host: &mut Host<K>) {
        self.hand.cancel(host);
    }

    /// One act; what became of the attempt, once that is known.
    #[expect(
        clippy::type_complexity,
        reason = "the product's answer, with what this simulation puts into it"
    )]
    pub(crate) fn step<'a, K: Simulated, I>(
        &mut self,
        around: &mut Around<'a, K>,
        prepare: &mut dyn FnMut(&mut Around<'a, K>) -> Option<Start<I>>,
    ) -> Result<Option<Became<Exit<K::Said>, I>>, Superseded> {
        self.supervision.step(&mut HostPort { hand: &mut self.hand, around, prepare })
    }
}

/// An attempt as it is on record.
pub(crate) struct Recorded<'r> {
    pub(crate) name: Name,
    pub(crate) host: &'r str,
    pub(crate) boot: &'r str,
    /// The same driver recorded it: nothing of it has run.
    pub(crate) fresh: bool,
}

/// An attempt of a driver's: its supervision begins with the first step.
#[derive(Default)]
pub(crate) struct Supervised {
    begun: Option<Attempt>,
    cancelled: bool,
}

impl Supervised {
    pub(crate) fn cancel<K: Simulated>(&mut self, host: &mut Host<K>) {
        self.cancelled = true;
        if let Some(attempt) = &mut self.begun {
            attempt.cancel(host);
        }
    }

    /// One act; what became of the attempt, once that is known. Nobody keeps it where another driver has the lease.
    pub(crate) fn step<'a, K: Simulated, I>(
        &mut self,
        recorded: &Recorded<'_>,
        around: &mut Around<'a, K>,
        prepare: &mut dyn FnMut(&mut Around<'a, K>) -> Option<Start<I>>,
    ) -> Option<Became<Exit<K::Said>, I>> {
        let attempt = self.begun.get_or_insert_with(|| {
            let Recorded { name, host, boot, fresh } = recorded;
            let mut new = Attempt::new(*name, host, boot, *fresh, around.plant);
            if self.cancelled {
                new.cancel(around.host);
            }
            new
        });
        let superseded = |_| Some(Became::NoKeeper { detail: SUPERSEDED.to_owned() });
        attempt.step(around, prepare).unwrap_or_else(superseded)
    }
}

/// A command under the product's supervision, run again where it was lost.
pub(crate) struct Trial {
    hand: Hand,
    rerun: Rerun,
}

impl Trial {
    pub(crate) fn new(name: Name, cancelled: bool) -> Self {
        Self { hand: Hand { cancelled, ..Hand::new(name) }, rerun: Rerun::default() }
    }

    pub(crate) fn cancel<K: Simulated>(&mut self, host: &mut Host<K>) {
        self.hand.cancel(host);
    }

    pub(crate) fn step<K: Simulated>(
        &mut self,
        around: &mut Around<'_, K>,
    ) -> Result<Option<Ran<Exit<K::Said>>>, Superseded> {
        self.rerun.step(&mut HostPort { hand: &mut self.hand, around, prepare: &mut |_| None })
    }
}
