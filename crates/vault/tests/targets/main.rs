//! Buckets: the rules that hold for every store, over a store in memory and over a real server, with faults in between.
#![expect(clippy::unwrap_used, reason = "a test says what it saw, and fails where it cannot go on")]

mod faulty;
mod proxy;
mod rules;
mod servers;
mod storm;
