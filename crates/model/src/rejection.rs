//! Why a machine says no: the same words for every kind.

use crate::RunId;
use crate::status::{Kind, Reason, Status};
use crate::workflow::{Problem, StepId};

/// Why a command or request was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The outcome names work that is not open: it was recorded before, or never begun.
    #[error("that work is not open")]
    NotOpen,
    /// A finished run takes no more requests.
    #[error("run `{run}` is {} already", .status.as_str())]
    Finished {
        run: RunId,
        /// Where it is.
        status: Status,
    },
    /// The request makes no sense where the run is.
    #[error("run `{run}` is {}, so there is nothing to {action}", .status.as_str())]
    NothingTo {
        run: RunId,
        /// Where it is.
        status: Status,
        /// What was asked.
        action: &'static str,
    },
    /// Going on would hit the same limit at once.
    #[error("run `{run}` stands at its limit ({})", .reason.as_str())]
    AtLimit {
        run: RunId,
        reason: Reason,
        /// The flag of a resume that gets it past that.
        raise: String,
    },
    /// The run waits for an answer first.
    #[error("run `{run}` waits for an answer")]
    NeedsAnswer { run: RunId },
    /// No such question is open.
    #[error("run `{run}` asks no question {question}")]
    NoSuchQuestion {
        run: RunId,
        /// The question that was named.
        question: u32,
    },
    /// The run has no such iteration.
    #[error("run `{run}` has no iteration {iteration}")]
    NoSuchIteration {
        run: RunId,
        /// The iteration that was named.
        iteration: u32,
    },
    /// The workflow has no such step.
    #[error("run `{run}` has no step `{step}`")]
    NoSuchStep {
        run: RunId,
        /// The step that was named.
        step: StepId,
    },
    /// A step of the workflow stands in the way.
    #[error("step `{step}` {why}")]
    InTheWay {
        run: RunId,
        step: StepId,
        /// How it does.
        why: String,
    },
    /// This kind of run does not know the request.
    #[error("run `{run}` is a {}: it cannot {action}", .kind.as_str())]
    NotForKind {
        run: RunId,
        kind: Kind,
        /// What was asked.
        action: &'static str,
    },
    /// Nothing judges the run, so it does not go on.
    #[error("run `{run}` has no check, and a cycle needs at least one")]
    NeedsCheck { run: RunId },
    /// The request cannot be meant like this.
    #[error("{text}")]
    BadRequest { run: RunId, text: String },
    /// A queue cannot change like this.
    #[error("{text}")]
    BadChange { run: RunId, text: String },
    /// The definition of a workflow cannot be run.
    #[error("the workflow has {} problems", .0.len())]
    BadDefinition(Vec<Problem>),
    /// The configuration cannot be meant like this.
    #[error("{0}")]
    BadConfig(String),
}
