//! What a run is: ids, events, states and the pure decisions between them.
//!
//! Never reads a clock, does I/O or is async: time, ids and results come in as data.
//!
//! Start with [`Event`]: the enum is the specification. A machine folds events into a state
//! ([`apply`]), turns a command into events ([`advance`]), and names the work that is open in a state
//! ([`State::effects`]). The loop is in [`loop_machine`], the [`workflow`] beside it with events of its own;
//! [`Machine`] is what the driver knows of either.
#![expect(missing_docs, reason = "only this workspace reads it: what a name says is not said twice")]

pub mod cycle;
mod event;
mod finding;
pub mod hook;
mod host;
mod id;
pub mod ledger;
pub mod ledger_machine;
mod lifecycle;
pub mod limits;
pub mod loop_machine;
mod machine;
pub mod notify;
mod policy;
mod rejection;
mod status;
mod suggest;
mod time;
mod words;
pub mod workflow;

pub use event::{Event, StopOrigin};
pub use finding::{Evidence, Finding, RegressionType, Severity};
pub use host::{Host, NoHost, split as split_host};
pub use id::{Epoch, InvalidRunId, RunId, Seq, slug};
pub use loop_machine::{Command, Effect, State, admit, advance, apply, create};
pub use machine::{CheckpointName, DecodeError, Encoded, Entry, Machine, RunEvent};
pub use rejection::Rejection;
pub use status::{ExitCode, Kind, Reason, Status, exit_code};
pub use suggest::closest;
pub use time::{ParseTimeError, Timestamp};
pub use words::Words;

/// Whether a field says nothing that its absence does not say, too: for `skip_serializing_if`.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
