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

mod adoption;
mod apply;
mod conclude;
mod config;
pub mod context;
mod decide;
mod done;
mod facts;
mod guard;
pub mod handoff;
mod hooking;
mod limit;
mod machine;
mod measures;
mod mode;
pub mod progress;
mod quality;
pub mod reboot;
mod recovery;
mod regression;
mod reinforcement;
mod session;
mod state;
pub mod stop;
#[cfg(test)]
mod tests;
mod tracker;

pub use adoption::{Adopted, Adoption};
pub use apply::apply;
pub use config::{
    AgentConfig, Check, Confine, Injection, Limits, LoopConfig, Metric, NamedBy, OnLost, Prompt, PromptBy,
    PromptPolicy, Raise, Reading, RequiredGaps, RuleOff, SessionPolicy, Sessions, StreamField, StreamFormat,
    Worktree,
};
pub use context::{ContextLevel, ContextSample, RedlinePolicy};
pub use decide::{Command, Place, admit, advance, create, decide};
pub use done::{DoneRule, done_rule};
pub use facts::{
    Answer, Artifact, AttemptEnd, AttemptOutcome, Change, CheckResult, CheckRound, ConditionResult,
    ErrorClass, IntendedSession, Note, NoteKind, Objectives, OpenAttempt, PromptRecord, QuestionKind, Report,
    ReportStatus, Snapshot, TreeProof, Usage,
};
pub use guard::{Counts, Finding, GuardMode, GuardReport, KeptFinding, Verdict};
pub use handoff::PreservedState;
pub use hooking::{Ending, HookCall, HookEnd, HookProgress, HookRecord};
pub use measures::{Coverage, Measures, Share, TestCounts, TreeCounts};
pub use mode::{
    Attended, Hybrid, ModePolicy, ModeState, ModeSwitch, ScheduledMode, SwitchReason, Switching, TimeSpan,
    Windows,
};
pub use quality::{ACCEPTABLE_SCORE, Quality, judge};
pub use reboot::{RebootPolicy, RebootReason, RebootRecord};
pub use recovery::{
    Approach, Cause, Diagnosis, Recovery, RecoveryOutcome, RecoveryPolicy, RecoveryStep, Retry,
};
pub use regression::{Thresholds, regressions};
pub use reinforcement::{Escalation, Level, LevelChange, Reinforcement};
pub use state::{
    Best, Chosen, Counters, Driver, Effect, Ended, GivenAnswer, IterationRecord, Judged, KeptNote, Memory,
    Next, Open, People, Question, Requests, Seen, Session, SessionRecord, State, Told, Work,
};
pub use stop::{
    NamedStop, Probe, STOP_DEPTH_MAX, STOP_TYPES, StopCondition, StopLists, StopResult, StopVerdict,
    stop_progress,
};
pub use tracker::{TestChanges, TestStatus, TestTracker, TrackedTest};

pub use crate::finding::{RegressionType, Severity};
pub use crate::rejection::Rejection;
