//! The operating system, behind small ports: clock, ids, files, locks, process trees, redaction.
//!
//! Owns every system call of piton, and the only unsafe code. Never knows a run: what is locked, written or
//! killed, and why, is the caller's business. What only Linux offers stands beside a portable fallback.
//!
//! Read [`mod@file`] for how bytes become durable, [`lock`] for who is alive, [`process`] for trees of
//! processes, [`redact`] for what never reaches a disk, [`fault`] for how all of it is broken in tests.
#![expect(missing_docs, reason = "only this workspace reads it: what a name says is not said twice")]

pub mod file;
pub mod lock;
pub mod opened;
pub mod process;
pub mod ready;
pub mod redact;
pub mod signals;

pub mod fault;

mod clock;
mod ids;

pub use clock::{Clock, SystemClock, time_of_changes};
pub use ids::{Ids, SystemIds};
