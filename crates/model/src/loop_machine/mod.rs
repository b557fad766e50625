//! The loop: an agent works, piton checks, until the goal or a limit.
//!
//! ```text
//!   created ─► checks (baseline) ─► attempt ─► checks ─► verdict ─► attempt ─► …
//!                                                          │
//!                      completed · waiting · paused · stopped · failed
//! ```
//!
//! [`advance`] turns a command into events, [`apply`] folds an event into the state, and
//! [`State::effects`] names what is open. Between two pieces of work there is exactly one decision, and
//! the outcome of the one and the intent of the next leave [`advance`] together, so that they share one
//! append.

mod adoption;
mod apply;
mod config;
mod decide;
mod done;
mod facts;
mod fallback;
mod guard;
pub mod handoff;
mod hook_calls;
mod judge;
mod limit;
mod machine;
mod measures;
mod mode;
mod recovery;
mod report_bounds;
mod returned;
mod review;
pub(crate) mod session;
mod state;
pub mod stop;
#[cfg(test)]
mod tests;
mod tracker;
mod unjudged;
mod verdict;

pub use adoption::{Adopted, Adoption, Earlier, EarlierTests, UNJUDGED};
pub use apply::apply;
pub use config::{
    AgentConfig, Backoff, Check, Confine, Injection, Limits, LoopConfig, Metric, NamedBy, OnLost, Prompt,
    PromptBy, PromptPolicy, ProofPolicy, ProveMode, Raise, Reading, RequiredGaps, RuleOff, SessionPolicy,
    Sessions, StreamField, StreamFormat, Worktree,
};
pub use decide::{Command, Place, admit, advance, create};
pub use done::{DoneRule, done_rule, is_unproved, lacks_proof, wants_proof};
pub use facts::{
    Answer, Artifact, Attained, AttemptEnd, AttemptOutcome, Beside, Change, CheckResult, CheckRound, Closure,
    ConditionResult, ErrorClass, IntendedSession, Left, LeftOut, Made, Member, Note, NoteKind, Objectives,
    OpenAttempt, OpenCommit, PromptRecord, Proved, QuestionKind, Report, ReportStatus, ReportedObjectives,
    Rewritten, Snapshot, TreeProof, Uncommitted, Usage, Wrote,
};
pub use fallback::{FallbackOn, FallbackPolicy, Out, Turn};
pub use guard::{Counts, Finding, GuardMode, GuardReport, KeptFinding, Verdict, findings_of};
pub use handoff::PreservedState;
pub(crate) use hook_calls::keep_values;
pub use hook_calls::{Ending, HookCall, HookEnd, HookProgress, HookRecord};
pub use judge::WRITES_TEST;
pub use judge::context::{ContextLevel, ContextSample, Recommendation, RedlinePolicy};
pub use judge::quality::{Quality, QualityPolicy, judge};
pub use judge::reboot::{RebootPolicy, RebootReason, RebootRecord};
pub use judge::regression::{Thresholds, regressions};
pub use judge::reinforcement::{Escalation, Level, LevelChange, Reinforcement, RiseReason};
pub use limit::raise_past;
pub(crate) use limit::room_past;
pub use measures::{Coverage, Measures, Share, TestCounts, TreeCounts};
pub use mode::{
    Attended, Hybrid, ModePolicy, ModeState, ModeSwitch, ScheduledMode, SwitchReason, SwitchTrigger,
    Switching, TimeSpan, Windows,
};
pub use recovery::{
    Approach, Cause, Diagnosis, Recovery, RecoveryOutcome, RecoveryPolicy, RecoveryStep, Retry, Trigger,
};
pub use returned::{Returned, Returns};
pub use review::{LastReview, Objection, OpenReview, Opinion, Review, ReviewEnd, ReviewRuling, Reviewed};
pub use state::{
    Best, Chosen, Counters, Driver, Effect, Ended, GivenAnswer, IterationRecord, Judged, KeptNote, Memory,
    Next, Open, People, Question, Requests, Seen, Session, SessionRecord, Standing, State, Told, Work,
};
pub use stop::{
    NamedStop, Probe, STOP_DEPTH_MAX, STOP_TYPES, StillHolds, StopCondition, StopLists, StopResult,
    StopVerdict, all_asked, still_holds, stop_decision, stop_progress,
};
pub use tracker::{JudgedTree, NamedTests, TestChanges, TestStatus, TestTracker, TrackedTest};

pub use judge::progress::ProgressPolicy;
pub use judge::{context, progress, reboot};
pub use verdict::{
    AttemptRuling, Conclusion, Consequence, IterationVerdict, LevelRise, RoundRuling, SessionRuling,
};

pub use crate::finding::{RegressionType, Severity};
pub use crate::rejection::Rejection;
