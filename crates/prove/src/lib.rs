//! Proof by running: which small breaks a check must notice, which tests reach them, and which answers are right
//! at the tested points only.
//!
//! The guard reads two trees and has an opinion; this crate says what to run so that the opinion becomes a
//! demonstration. [`mutate`] breaks product code in one place at a time, [`reach`] follows tests into the code that
//! they call, and [`points`] knows the inputs that tests use and the answers that they expect.
//!
//! [`prove`] asks a [`Runner`] for one trial after the other and judges what came of them. Each is the new tree with some files
//! other than they are ([`Overlay`]).
//!
//! Pure: text goes in, choices come out. It runs nothing, reads no file and no clock.
//!
//! Invariant: whatever text goes in, the work is linear in it and nothing panics.
//! Invariant: what a probe could not see is said to be not proven, never to be fine.

mod session;

mod account;
mod probes;

mod change;
mod trial;
mod within;

mod code;
mod literal;
mod words;

pub mod mutate;
pub mod points;
pub mod reach;

pub use account::{Account, Probe};
pub use change::{Change, ChangedFile, Overlay, Part};
pub use session::{Asked, Depth, is_due, prove};
pub use trial::{Check, Outcome, Runner, Verdict};
