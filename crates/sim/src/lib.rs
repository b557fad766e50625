//! A seeded simulator of the driver, and a checker that shares no code with it.
//!
//! One seed is one run, from its creation to its rest, in one thread: the product's synchronous core
//! ([`piton_engine::core`]) under a shell, a machine and people made of dice. Drivers, keepers, agents and
//! the machine die at any step, appends meet every fault of [`coverage`], clocks jump, leases are taken
//! over. Then the faults end, and the run must come to rest. Each seed is run twice and compared, and
//! [`checker`] judges the raw record.
//!
//! Never ships. Start with [`sim`] for who acts when, then [`kind`] for what a kind of run brings: [`loops`],
//! [`workflows`], [`cycles`] and [`ledgers`]. [`driver`] is the shell around the core, [`sending`] what happens to an append, [`supervise`] brings an attempt to its
//! end, [`host`] holds directories, keepers and processes; [`history`] is all that the checker sees.

mod batch;
mod checker;
mod coverage;
mod cycles;
mod driver;
mod history;
mod host;
mod kind;
mod ledgers;
mod loops;
mod people;
mod rng;
mod round;
mod scenario;
mod sending;
mod sim;
mod store;
mod supervise;
#[cfg(test)]
mod tests;
mod tree;
mod workflows;

pub use batch::{Batch, Outcome, journal, kind_of, trace};
pub use checker::Violation;
pub use scenario::Plant;
