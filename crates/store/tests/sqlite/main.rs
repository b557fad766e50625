//! What only the SQLite journal can get wrong: its files, damage to them, and crowds of processes.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test says what it saw, and fails where it cannot go on"
)]

mod common;
mod crowd;
mod damage;
mod encrypted;
mod files;
mod keep;
mod salvage;
