//! What a run is: ids, events, states and the pure decisions between them.
//!
//! Never reads a clock, does I/O or is async: time, ids and results come in as data.
//!
//! Start with [`Event`]: the enum is the specification. A machine folds events into a state
//! ([`apply`]), turns a command into events ([`decide`]), and names the work that is open in a state
//! ([`State::effects`]). The only kind so far is the loop, in [`loop_machine`]; a further kind adds its
//! own machine beside it and shares the events of this crate.

mod event;
pub mod hook;
mod id;
pub mod ledger;
pub mod limits;
pub mod loop_machine;
pub mod notify;
mod status;
mod time;
pub mod workflow;

pub use event::{DecodeError, Encoded, Event, KINDS, StopOrigin};
pub use id::{Epoch, InvalidRunId, RunId, Seq, slug};
pub use loop_machine::{Command, Effect, Rejection, State, admit, advance, apply, create, decide};
pub use status::{ExitCode, Kind, Reason, Status, exit_code};
pub use time::{ParseTimeError, Timestamp};
