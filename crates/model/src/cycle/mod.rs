//! The cycle: a team of agents, each with a role, around one shared state.
//!
//! ```text
//!   iteration n:   ra ─► ep ─► cd ─► checks ─► vas ─► verdict ─► completed
//!                  ▲           ▲                        │
//!                  │           └── red, iterations left: bug reports, iteration n + 1 from there on
//!                  └── an extension: iteration n + 1 from the beginning
//! ```
//!
//! The roles are a table ([`Role`]): who waits for whom, who writes which document, who is told what went wrong. The four
//! of the published format are its default ([`default_roles`]), and nothing here knows their names otherwise.
//!
//! Built like the other machines: [`decide`] turns a command into events, [`apply`] folds an event into the state,
//! [`State::effects`] names what is open. What a role hands in comes as facts ([`HandedIn`]); whether the work is good is
//! judged by piton's own round of checks, never by what an agent says.

mod admit;
mod apply;
mod begin;
mod config;
mod decide;
mod discoveries;
mod event;
mod facts;
mod gate;
mod hooks;
mod judge;
mod limit;
pub mod limits;
mod machine;
mod next;
pub mod prep;
mod sections;
mod state;
#[cfg(test)]
mod tests;

pub use admit::admit;
pub use apply::apply;
pub use begin::{Order, check_team, create, title_of};
pub use decide::{Command, advance, decide};
pub use discoveries::new_discoveries;
pub use limit::raise_past;

pub use config::{Config, Role, RoleName, default_roles, version_of};
pub use event::CycleEvent;
pub use facts::{
    Blocker, BlockerStatus, Conclusion, Decision, DecisionStatus, Document, Edited, Extension, Feedback,
    FeedbackKind, HandedIn, Imported, ImportedRole, IterationVerdict, Nudge, OpenAttempt, PhaseError,
    PhaseResult, PhaseStatus, RoleEnd, RoleVerdict, Ruling, Signal,
};
pub use gate::{Criterion, CriterionName, Gate, GateRecord};
pub use prep::{Prep, PrepFound};
pub use sections::{
    ChangeAction, ChangeEntry, Discovery, Effort, Exploration, LogLine, Plan, PlanTask, Requirements,
    TaskStatus, TestResults,
};
pub use state::{
    Counters, Current, Effect, IterationRecord, Log, Phase, Requests, RoleNote, RoleResult, RoleState,
    RoleStatus, State, TimelineEntry, TimelineFact,
};
