//! Agents do not die with us: the keeper that holds an agent process, and what can be known of it afterwards.
//!
//! An attempt is a directory. The [`keeper`] prepares it with its lock already held and then publishes it under
//! the attempt's name, so *a directory that exists was locked*. What became of an attempt is looked up in it,
//! by anyone, at any time later, and never guessed:
//!
//! | the directory | means | [`look`] says |
//! |---|---|---|
//! | is absent | nobody published it; who acts on that [abandons](abandon) it first | [`Found::Absent`] |
//! | holds `abandoned` | it never started, and never will | [`Found::Abandoned`] |
//! | has its lock held | the keeper lives; [`wait`] or [`cancel`] | [`Found::Alive`] |
//! | has a free lock and `exit.json` | it ended | [`Found::Finished`] |
//! | has a free lock and no `exit.json` | the keeper was killed; [`reap`] what is left | [`Found::Dead`] |
//!
//! What the agent itself says while it runs is understood by [`stream`].
//!
//! Owns the layout of that directory and the processes behind it. Never decides what happens next, and never
//! reads the journal.
#![expect(missing_docs, reason = "only this workspace reads it: what a name says is not said twice")]

pub mod keeper;
pub mod stream;

mod attempt;
mod directory;
mod launch;
mod record;
mod report;
mod spec;

pub use attempt::{
    AttemptName, Error, Found, Within, abandon, cancel, disown, inside, is_whole, look, reap, set_aside,
    sweep, wait,
};
pub use directory::{outbox, prompt_file, report_file, stderr_file, stdout_file};
pub use launch::{Launch, Spare, launch};
pub use record::{EndedBy, Exit, KeeperRecord, Started};
pub use report::{
    REPORT_BYTES_MAX, Read, ReportProblem, SaidReview, microusd, read_report, read_report_file, read_review,
    write_report_file,
};
pub use spec::{Limits, Spec, SpecProblem, Stdin};
