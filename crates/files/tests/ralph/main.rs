//! The loop's file as its readers see it: the format, the rules of publishing, and crashes in between.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod crash;
mod format;
mod publish;
mod remove;
mod support;
