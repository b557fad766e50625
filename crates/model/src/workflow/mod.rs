//! The workflow: steps with needs, gates, loop-backs and people.
//!
//! ```text
//!   PENDING ─► RUNNING ─► COMPLETED            needs are met when COMPLETED or SKIPPED
//!      ▲          │  └──► WAITING_ON_HUMAN ─► RUNNING ─► COMPLETED
//!      │          ├─ failed, tries left ─► PENDING, after a pause
//!      │          └─ failed, none left ──► FAILED ─► the run fails
//!      └─ a gate failed: its target and all that waits for it, count + 1
//! ```
//!
//! A [`Definition`] is what a document says, [`validate`] what is wrong with it. The machine is built like the loop's:
//! [`decide`] turns a command into events, [`apply`] folds an event into the state, [`State::effects`] names what is
//! open. Several attempts can be open at a time. Gates, items and people come in as data.
//!
//! Two counters, as the published format has them: `attempts` rises at the start of each try and begins anew at a
//! loop-back; `iteration_count` is the number of loop-backs so far.

mod admit;
mod apply;
mod ask;
mod begin;
mod change;
pub mod cleanup;
mod condition;
mod decide;
mod definition;
mod event;
mod facts;
mod finish;
mod graph;
mod judge;
mod kept;
pub mod limits;
mod machine;
mod moments;
mod pass;
mod queue;
mod state;
mod take;
#[cfg(test)]
mod tests;
mod validate;

pub use admit::{admit, raise_past};
pub use apply::apply;
pub use begin::{anew_from, create, fork};
pub use condition::{BadCondition, Condition, Facts, Operator, Part, Subject};
pub use decide::{Command, advance, decide};
pub use definition::{Collection, Definition, Gate, Items, OnReject, Step, StepId, Work};
pub use event::WorkflowEvent;
pub use facts::{
    CostAction, Edit, GateGaps, GateVerdict, Hold, Inherited, InnerQuestion, Issue, Launcher, LossPolicy,
    ManualInput, OpenAttempt, Options, Order, Passed, Raise, Renewed, StepEnd, StepReport, StepRuling,
    StepVerdict, WorkPlace,
};
pub use graph::{Graph, Plan, Walks};
pub use kept::LeftOut;
pub use queue::{Item, List, NewItem, Queue, QueueChange, Standing, item_run};
pub use state::{Block, Counters, Effect, GivenAnswer, Question, Requests, State, StepState, StepStatus};
pub use validate::{Problem, is_inside, oversize, shown, validate, variable};

pub use crate::rejection::Rejection;
