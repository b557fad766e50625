//! The loop: an agent works, piton checks, until the goal or a limit.
//!
//! ```text
//!   created ─► checks (baseline) ─► attempt ─► checks ─► verdict ─► attempt ─► …
//!                                                          │
//!                      completed · waiting · paused · stopped · failed
//! ```
//!
//! [`decide`] turns a command into events, [`apply`] folds an event into the state, and
//! [`State::effects`] names what is open. Between two pieces of work there is exactly one decision, and
//! the outcome of the one and the intent of the next leave [`decide`] together, so that they share one
//! append.

mod apply;
mod config;
mod decide;
mod done;
mod facts;
mod guard;
mod limit;
mod session;
mod state;
#[cfg(test)]
mod tests;

pub use apply::apply;
pub use config::{
    AgentConfig, Check, Condition, Confine, Injection, Limits, LoopConfig, NamedBy, OnLost, Prompt, PromptBy,
    Raise, SessionPolicy, Sessions, StreamField, StreamFormat, Worktree,
};
pub use decide::{Command, Place, Rejection, admit, advance, create, decide};
pub use done::{DoneRule, done_rule};
pub use facts::{
    Answer, AttemptEnd, AttemptOutcome, Change, CheckResult, CheckRound, ConditionResult, ErrorClass,
    IntendedSession, Note, NoteKind, Objectives, OpenAttempt, QuestionKind, Report, ReportStatus, Snapshot,
    TreeProof, Usage,
};
pub use guard::{Counts, Finding, GuardMode, GuardReport, KeptFinding, REFUSALS_IN_A_ROW_MAX, Verdict};
pub use state::{
    Asked, Best, Counters, Driver, Effect, Ended, GivenAnswer, IterationRecord, KeptNote, Next, Open,
    Question, Session, SessionRecord, State, Told,
};
