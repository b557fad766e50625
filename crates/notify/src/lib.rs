//! Telling people what becomes of a run, and calling what they hooked into it.
//!
//! Both halves are split the same way. What is to be done is decided without a clock, a network or a process:
//! [`History::tell`] for messages, [`hook::due`] and [`hook::judge`] for hooks. Doing it is at the edge:
//! [`send`] and [`Notifier`], which has a thread of its own, and [`hook::Runner`].
//!
//! Invariants: a message or a hook that fails never stops a run unless somebody asked for that; a failure is
//! reported once, until it works again; no secret is stored, and none is in an error (see [`given`]).
//!
//! Start with [`occasion`] for what can happen, then [`watch`] for how it is found in the states of a run.
#![expect(missing_docs, reason = "only this workspace reads it: what a name says is not said twice")]

pub mod given;
pub mod hook;
pub mod occasion;
pub mod send;
pub mod watch;

mod decide;
mod history;
mod notifier;
mod template;
mod words;

pub use decide::{Decided, Dispatch, Loud, Message, Moment, Why};
pub use history::{Delivery, History, Record};
pub use notifier::{Line, Notifier, Setup, zone_of_this_machine};
pub use occasion::{Facts, Occasion};
pub use watch::{Seen, Watched};
