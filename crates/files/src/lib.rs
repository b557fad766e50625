//! The published file formats: views of the journal for `jq`, dashboards and prompts.
//!
//! Owns how a run looks in each format and the rules by which such a file is written, moved aside and removed.
//! Never a source of truth: nothing is decided by what a view says, and a view that is lost is rendered again.
//!
//! Invariants: a view is a pure function of the journal, byte for byte. Views lag and never lead. What piton did
//! not write is never overwritten, and every file says itself whether piton wrote it.
//!
//! One module per format: the loop's are [`ralph`] and [`aiwg`], the ledger's is [`gaps`], the
//! workflow's is [`workflow`], the cycle's is [`cycle`]; lists of tasks are [`tasks`]. What the formats share is how
//! a file is looked at (`place`), proves itself (`proof`) or is known (`known`) and is moved out of the way (`aside`), what each
//! looks like (`shape`), how a file of another tool is held against that (`door`), in which fields an edited one differs
//! (`fields`), and how YAML is read (`yaml`).
#![expect(missing_docs, reason = "only this workspace reads it: what a name says is not said twice")]

pub mod aiwg;
pub mod cycle;
pub mod gaps;
pub mod ralph;
pub mod tasks;
pub mod workflow;

mod aside;
mod door;
mod fields;
mod known;
mod place;
mod plain;
mod proof;
mod recognise;
mod shape;
mod yaml;

pub use aside::{Quarantined, is_name_of_ours, list_of_own_files};
pub use door::Unfit;
pub use recognise::{Recognised, recognise};
pub use shape::schema;
pub use yaml::Problem;
