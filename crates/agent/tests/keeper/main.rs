//! The keeper and its attempts, with real processes: recovery, limits, hostile children, output.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod hostile;
mod limits;
mod output;
mod recovery;
mod world;
