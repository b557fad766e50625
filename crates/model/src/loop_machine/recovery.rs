//! Recovery: pause, diagnose, adapt, retry, escalate. Every step is an event.
//!
//! ```text
//!   a regressed, stuck or oscillating iteration
//!     └► paused ► diagnosed ► adapted ► (the next iteration) ► retried: success │ failed ► the next recovery
//!                     └► escalated ► a question ► what the person said
//! ```
//!
//! Each recovery in a row takes another approach, and when the approaches are used up a person is asked.

use piton_record::record;

use super::facts::Answer;
use crate::Timestamp;
use crate::finding::RegressionType;
use crate::policy::policy;
use crate::words::words;

policy! {
    /// How a run recovers.
    #[record(Copy, Eq)]
    pub struct RecoveryPolicy {
        /// Recoveries in a row before a person is asked.
        pub max_retries: u32 = 3,
        /// A critical regression and a deleted test are a person's business at once.
        pub escalate_critical: bool = false,
        /// Iterations whose numbers must not move before a run counts as stuck.
        pub stuck_iterations: u32 = 5,
        /// The iteration after which a run can be stuck: before, numbers may well need a while to move.
        pub stuck_after_iteration: u32 = 10,
        /// Iterations in a row that have to get nowhere before that is said.
        pub nowhere_iterations: u32 = 5,
        /// The iteration after which those that get nowhere say something about the run.
        pub nowhere_after_iteration: u32 = 10,
        /// Below this a diagnosis is a guess, and a person is asked.
        pub confidence_percent_min: u8 = 50,
    }
}

/// One recovery, as far as it has come.
#[record(Eq)]
pub struct Recovery {
    /// Counts the recoveries of the run.
    pub number: u32,
    /// The iteration that is recovered from.
    pub iteration: u32,
    /// What set it off.
    pub trigger: Trigger,
    /// When, and what was done at once.
    pub paused: (Timestamp, Vec<String>),
    /// What is wrong.
    pub diagnosed: Option<(Timestamp, Diagnosis)>,
    /// What is done differently.
    pub adapted: Option<(Timestamp, Approach)>,
    /// How the next iteration went.
    pub retried: Option<(Timestamp, Retry)>,
    /// Why a person was asked.
    pub escalated: Option<(Timestamp, String)>,
    /// What the person said.
    pub decision: Option<Answer>,
    /// How it ended.
    pub outcome: Option<RecoveryOutcome>,
}

/// What sets a recovery off.
#[record(Eq)]
pub enum Trigger {
    /// Something got worse.
    Regression {
        /// What weighs most of it.
        regression_type: RegressionType,
    },
    /// Files change, but no number moves.
    Stuck {
        /// For so many iterations.
        iterations: u32,
    },
    /// What one iteration does, the next one undoes.
    Oscillation,
}

impl std::fmt::Display for Trigger {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Trigger::Regression { regression_type } => {
                write!(formatter, "regression_detected: {}", regression_type.as_str())
            }
            Trigger::Stuck { iterations } => {
                write!(formatter, "stuck_loop_detected: {iterations} iterations with the same numbers")
            }
            Trigger::Oscillation => formatter.write_str("oscillation_detected: the tree goes to and fro"),
        }
    }
}

/// What is wrong, how sure that is, and who says so.
#[record(Eq)]
pub struct Diagnosis {
    /// What kind of trouble it is.
    pub cause: Cause,
    pub sentence: String,
    /// How sure it is.
    pub confidence_percent: u8,
    /// Who or what says so.
    pub by: String,
}

words! {
    /// What kind of trouble an agent is in.
    pub enum Cause {
        /// It makes the checks lenient instead of the code right.
        RewardHacking = "reward_hacking",
        /// It has lost sight of what was there.
        CognitiveLoad = "cognitive_load",
        /// The task is too large for one step.
        TaskComplexity = "task_complexity",
        /// It goes to and fro between two readings of the task.
        SpecificationAmbiguity = "specification_ambiguity",
    }
}

/// What the next iteration is asked to do differently.
#[record(Copy, Eq)]
pub enum Approach {
    /// Told what was found and what to do instead.
    FixTheCode,
    /// Told that what was tried does not help.
    AnotherWay,
    /// A fresh session, and one failing check only.
    SmallerStep,
    /// A fresh session that first says what the failing check demands, and may say that it cannot be met.
    ExplainFirst,
}

impl Approach {
    /// The approach of the `n`th recovery in a row; each has another, as far as there are. Only who did something wrong
    /// is told to do it right.
    pub(super) fn nth(n: u32, trigger: &Trigger) -> Self {
        match (n, trigger) {
            (0, Trigger::Regression { .. }) => Approach::FixTheCode,
            (0, Trigger::Stuck { .. } | Trigger::Oscillation) => Approach::AnotherWay,
            (1, _) => Approach::SmallerStep,
            (_, _) => Approach::ExplainFirst,
        }
    }

    /// What it is, in a few words.
    pub fn as_str(self) -> &'static str {
        match self {
            Approach::FixTheCode => "fix the code",
            Approach::AnotherWay => "another way",
            Approach::SmallerStep => "smaller step",
            Approach::ExplainFirst => "explain first",
        }
    }

    /// Whether the session that got into trouble is left.
    pub fn needs_fresh_session(self) -> bool {
        !matches!(self, Approach::FixTheCode | Approach::AnotherWay)
    }

    /// What the agent is told.
    pub fn advice(self) -> &'static str {
        match self {
            Approach::FixTheCode => "Make the code right instead of the checks lenient.",
            Approach::AnotherWay => {
                "What was tried so far does not help. Say what it took for granted, and go another way."
            }
            Approach::SmallerStep => {
                "Take the first failing check only, find the smallest change of product code that helps it, and stop there."
            }
            Approach::ExplainFirst => {
                "Before you edit anything, say what the failing check demands and why the code does not meet it. If it cannot be met, report that you are blocked and why."
            }
        }
    }
}

/// How the iteration after a recovery went.
#[record(Copy, Eq)]
pub struct Retry {
    pub iteration: u32,
    /// Whether it regressed no more.
    pub succeeded: bool,
}

words! {
    /// How a recovery ended.
    pub enum RecoveryOutcome {
        /// The next iteration was fine.
        Success = "success",
        /// It was not.
        Failed = "failed",
        /// A person was asked.
        Escalated = "escalated",
        /// A person stopped the run.
        Aborted = "aborted",
    }
}

#[record(Eq)]
pub enum RecoveryStep {
    /// It begins: nothing is attempted before it is settled what to do.
    Paused {
        /// The iteration that is recovered from.
        iteration: u32,
        /// What set it off.
        trigger: Trigger,
        /// What was done at once.
        actions: Vec<String>,
    },
    /// What is wrong.
    Diagnosed(Diagnosis),
    /// What is done differently.
    Adapted {
        /// How the next iteration goes about it.
        approach: Approach,
        /// The session that got into trouble is left.
        fresh_session: bool,
    },
    /// The next iteration has its verdict.
    Retried(Retry),
    /// A person is to be asked, for this reason.
    Escalated { reason: String },
}
