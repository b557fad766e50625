//! The gap file and its audit log, as their users see them.
#![expect(clippy::unwrap_used, reason = "a test says what it saw, and fails where it cannot go on")]

mod crash;
mod hostile;
mod log;
mod place;
mod properties;
mod read;
mod rewrite;
mod support;
mod writer;
