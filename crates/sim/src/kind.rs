//! What a kind of run brings to the simulation: the product's machine, the dice of a seed, and who acts.
//!
//! The scheduler, the host and the journal know nothing else of it. What a driver needs beyond that is in
//! [`crate::driver::Driven`].

use piton_model::loop_machine::AttemptOutcome;
use piton_model::{Kind, Machine, RunEvent, Timestamp};
use piton_store::Append;

use crate::coverage::Fate;
use crate::driver::After;
use crate::history::Name;
use crate::rng::Rng;
use crate::sim::Sim;

/// An event of a simulated kind.
pub(crate) type EventOf<K> = <<K as Simulated>::Run as Machine>::Event;
/// A command of a simulated kind.
pub(crate) type CommandOf<K> = <<K as Simulated>::Run as Machine>::Command;
/// A piece of work of a simulated kind.
pub(crate) type EffectOf<K> = <<K as Simulated>::Run as Machine>::Effect;

/// Every type of event of this kind.
pub(crate) fn types_of<K: Simulated>() -> &'static [&'static str] {
    EventOf::<K>::types()
}

/// A kind of run.
pub(crate) trait Simulated: Sized + 'static {
    /// The product's machine.
    type Run: Machine;
    /// What a seed decides before anything happens, and what of the world only this kind has.
    type Scene;
    /// What a process leaves beside how it ended.
    type Said: Clone;
    /// Who advances a run.
    type Process: Process<Self>;

    /// The kind of run that is simulated.
    const KIND: Kind;
    /// The types that can come first in an append: an outcome, a nudge or a request. The others follow one.
    const SITES: &'static [&'static str];
    /// What is rare meets faults more often, so that every fault meets every site.
    const RARE: &'static [(&'static str, u64)];
    /// What cannot happen to an append.
    const SPARED: &'static [Fate] = &[];

    /// A run that reached its goal may begin anew.
    const GOES_ON: bool;

    /// Throws the dice.
    fn scene(rng: &mut Rng) -> Self::Scene;

    /// Whether nothing is left to do.
    fn rests(sim: &Sim<Self>) -> bool {
        sim.rest_head == Some(sim.journal.head())
    }

    /// What the process of this name is about to do.
    fn intend(name: Name, scene: &Self::Scene, rng: &mut Rng) -> Intended<Self::Said>;

    /// That process does something to the world.
    fn work(_name: Name, _scene: &mut Self::Scene, _rng: &mut Rng) {}

    /// How it ends, now that it does.
    fn ends(_name: Name, outcome: AttemptOutcome, _scene: &Self::Scene) -> AttemptOutcome {
        outcome
    }

    /// What it says it cost.
    fn cost(said: &Self::Said) -> Option<u64>;

    /// A request that lands before somebody else's append.
    fn overtaking(sim: &mut Sim<Self>) -> Append;

    /// Something happens that is nobody's fault: an edit by hand.
    fn happen(sim: &mut Sim<Self>);

    /// Faults have ended: what a run waits for comes about.
    fn heal(_scene: &mut Self::Scene) {}

    /// What can only be seen at the end is written down for the checker.
    fn finish(_sim: &mut Sim<Self>) {}

    /// Something besides drivers, keepers and senders that acts by itself; `false` where there is nothing.
    fn act(_sim: &mut Sim<Self>) -> bool {
        false
    }
}

/// What a process is about to do.
pub(crate) struct Intended<S> {
    pub(crate) outcome: AttemptOutcome,
    pub(crate) said: Option<S>,
    pub(crate) steps: u64,
}

/// A process that advances a run, one small step at a time.
pub(crate) trait Process<K: Simulated> {
    /// Somebody sets out to record the run. Called as long as there is none.
    fn create(sim: &mut Sim<K>);

    /// Starts whoever is wanted: a driver, a person, a command.
    fn supervise(sim: &mut Sim<K>);

    /// Somebody was told that their request is durable.
    fn requested(_sim: &mut Sim<K>) {}

    /// Whoever is frozen, or was about to append, loses the lease to another: this very moment, or as soon as it can.
    fn take_over(_sim: &mut Sim<K>, _now: bool) {}

    fn pid(&self) -> u32;

    fn step(&mut self, sim: &mut Sim<K>) -> After;

    /// Which death this is, if it dies now.
    fn place_of_death(&self) -> &'static str;

    /// It gets no time until this tick.
    fn frozen_until(&mut self) -> &mut u64;

    /// The moment it sleeps until, if it does nothing else.
    fn sleeps_until(&self) -> Option<Timestamp>;
}
