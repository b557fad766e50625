//! The rules of the loop, one test per rule. A driver that does nothing but fold stands in for the world.

mod attempts;
mod ceilings;
mod context;
mod done;
mod fallback;
mod guard;
mod handoff;
pub(in crate::loop_machine) mod harness;
mod hooks;
mod modes;
mod people;
mod progress;
mod properties;
mod quality;
mod reboot;
mod recovery;
mod rests;
mod returned;
mod reviews;
mod unjudged;
mod verdicts;
mod written;
