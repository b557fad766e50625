//! A seeded simulator of the driver, and a checker that shares no code with it.
//!
//! One seed is one run, from its creation to its rest, in one thread: the product's synchronous core
//! ([`piton_engine::core`]) under a shell, a machine and people made of dice. Drivers, keepers, agents and
//! the machine die at any step, appends meet every fault of [`coverage`], clocks jump, leases are taken
//! over. Then the faults end, and the run must come to rest. Each seed is run twice and compared, and
//! [`checker`] judges the raw record.
//!
//! Never ships. Start with [`sim`] for who acts when, then [`driver`], [`perform`] and [`machine`] for
//! what they do; [`history`] is all that the checker sees.

mod batch;
mod checker;
mod coverage;
mod driver;
mod history;
mod machine;
mod people;
mod perform;
mod rng;
mod scenario;
mod sim;
mod store;
#[cfg(test)]
mod tests;

pub use batch::{Batch, Outcome, trace};
pub use checker::Violation;
pub use scenario::Plant;
