//! Where a run is, and why: the same words for every kind.

use serde::{Deserialize, Serialize};

/// The kinds of run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An agent works in a loop until checks pass.
    Loop,
    /// Steps with needs, gates and people.
    Workflow,
    /// What is known, and how fresh it is.
    Ledger,
}

impl Kind {
    /// The word used in the journal, on screens and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Loop => "loop",
            Kind::Workflow => "workflow",
            Kind::Ledger => "ledger",
        }
    }

    /// The kind that this word names; `None` from a newer piton.
    pub fn from_word(word: &str) -> Option<Self> {
        [Kind::Loop, Kind::Workflow, Kind::Ledger].into_iter().find(|kind| kind.as_str() == word)
    }
}

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Recorded; nothing has been started yet.
    Created,
    /// Work is under way, or would be if somebody drove it.
    Running,
    /// Waits for a moment or a person.
    Waiting,
    /// Paused by a person.
    Paused,
    /// Changes to a fresh session.
    Rebooting,
    /// Stopped short of its goal; can be resumed.
    Stopped,
    /// Reached its goal.
    Completed,
    /// Gave up; can be looked at and resumed.
    Failed,
}

impl Status {
    /// The word used in the journal, on screens and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Created => "created",
            Status::Running => "running",
            Status::Waiting => "waiting",
            Status::Paused => "paused",
            Status::Rebooting => "rebooting",
            Status::Stopped => "stopped",
            Status::Completed => "completed",
            Status::Failed => "failed",
        }
    }

    /// Whether a driver has something to do or to wait for.
    pub fn is_active(self) -> bool {
        matches!(self, Status::Created | Status::Running | Status::Rebooting)
    }
}

/// Why a run is where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Reason {
    /// Every check passes, and at least one failed at the start.
    #[serde(rename = "checks_pass")]
    ChecksPass,
    /// The agent reported done, the tree changed, and every check is green.
    #[serde(rename = "done")]
    Done,
    /// Every condition that was asked for holds.
    #[serde(rename = "conditions_met")]
    ConditionsMet,
    /// The iteration ceiling.
    #[serde(rename = "limit:iterations")]
    LimitIterations,
    /// The ceiling of working time.
    #[serde(rename = "limit:duration")]
    LimitDuration,
    /// The money ceiling.
    #[serde(rename = "limit:cost")]
    LimitCost,
    /// The token ceiling.
    #[serde(rename = "limit:tokens")]
    LimitTokens,
    /// The deadline.
    #[serde(rename = "limit:deadline")]
    LimitDeadline,
    /// The ceiling of changed files.
    #[serde(rename = "limit:files")]
    LimitFiles,
    /// The ceiling of changed lines.
    #[serde(rename = "limit:lines")]
    LimitLines,
    /// The ceiling of reboots.
    #[serde(rename = "limit:reboots")]
    LimitReboots,
    /// Too many iterations in a row changed nothing that matters.
    #[serde(rename = "no_progress")]
    NoProgress,
    /// Too many attempts in a row failed.
    #[serde(rename = "failure_streak")]
    FailureStreak,
    /// A stop condition is met.
    #[serde(rename = "stop_condition")]
    StopCondition,
    /// A hook wants it.
    #[serde(rename = "hook")]
    Hook,
    /// A person decides between iterations.
    #[serde(rename = "attended")]
    Attended,
    /// It does not work at this hour.
    #[serde(rename = "schedule")]
    Schedule,
    /// Ctrl-C, or a signal to the driver.
    #[serde(rename = "interrupted")]
    Interrupted,
    /// A person asked for it.
    #[serde(rename = "human")]
    Human,
    /// The agent reported that it cannot go on.
    #[serde(rename = "blocked")]
    Blocked,
    /// The guard found what looks like cheating, and a person is asked.
    #[serde(rename = "guard")]
    Guard,
    /// An attempt's outcome cannot be known, and the run's policy is to ask.
    #[serde(rename = "attempt_lost")]
    AttemptLost,
    /// The provider refuses further calls for a while.
    #[serde(rename = "rate_limit")]
    RateLimit,
    /// The provider is overloaded; trying again later.
    #[serde(rename = "overloaded")]
    Overloaded,
    /// The agent is not logged in.
    #[serde(rename = "auth")]
    Auth,
    /// Disk, permissions, a missing program: nothing the agent did.
    #[serde(rename = "environment")]
    Environment,
    /// `checks-pass` was asked for, but every check passed before the first attempt.
    #[serde(rename = "baseline_green")]
    BaselineGreen,
}

impl Reason {
    /// The word used in the journal, on screens and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::ChecksPass => "checks_pass",
            Reason::Done => "done",
            Reason::ConditionsMet => "conditions_met",
            Reason::LimitIterations => "limit:iterations",
            Reason::LimitDuration => "limit:duration",
            Reason::LimitCost => "limit:cost",
            Reason::LimitTokens => "limit:tokens",
            Reason::LimitDeadline => "limit:deadline",
            Reason::LimitFiles => "limit:files",
            Reason::LimitLines => "limit:lines",
            Reason::LimitReboots => "limit:reboots",
            Reason::Hook => "hook",
            Reason::Attended => "attended",
            Reason::Schedule => "schedule",
            Reason::NoProgress => "no_progress",
            Reason::FailureStreak => "failure_streak",
            Reason::StopCondition => "stop_condition",
            Reason::Interrupted => "interrupted",
            Reason::Human => "human",
            Reason::Blocked => "blocked",
            Reason::Guard => "guard",
            Reason::AttemptLost => "attempt_lost",
            Reason::RateLimit => "rate_limit",
            Reason::Overloaded => "overloaded",
            Reason::Auth => "auth",
            Reason::Environment => "environment",
            Reason::BaselineGreen => "baseline_green",
        }
    }
}

/// What a command of piton exits with. The numbers are public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// Done.
    Done = 0,
    /// The run failed.
    Failed = 1,
    /// The command line cannot be meant like this.
    Usage = 2,
    /// A limit stopped it.
    Limit = 3,
    /// A person is needed, or asked for it.
    Person = 4,
    /// Another driver holds the run.
    Held = 5,
    /// Corruption was found.
    Corrupt = 6,
    /// The environment; the run is intact.
    Environment = 7,
    /// Interrupted.
    Interrupted = 130,
}

/// The one table from where a run is to what its viewer exits with; `None` while it is under way.
pub fn exit_code(status: Status, reason: Option<Reason>) -> Option<ExitCode> {
    match status {
        Status::Created | Status::Running | Status::Rebooting => None,
        Status::Completed => Some(ExitCode::Done),
        Status::Failed => Some(ExitCode::Failed),
        Status::Paused => Some(match reason {
            Some(Reason::LimitCost) => ExitCode::Limit,
            _ => ExitCode::Person,
        }),
        Status::Waiting => match reason {
            Some(Reason::RateLimit | Reason::Overloaded | Reason::Schedule) => None,
            _ => Some(ExitCode::Person),
        },
        Status::Stopped => Some(match reason {
            Some(
                Reason::LimitIterations
                | Reason::LimitDuration
                | Reason::LimitCost
                | Reason::LimitTokens
                | Reason::LimitDeadline
                | Reason::LimitFiles
                | Reason::LimitLines
                | Reason::LimitReboots
                | Reason::NoProgress
                | Reason::StopCondition
                | Reason::Hook,
            ) => ExitCode::Limit,
            Some(Reason::Interrupted) => ExitCode::Interrupted,
            Some(Reason::Auth | Reason::Environment) => ExitCode::Environment,
            Some(Reason::BaselineGreen) => ExitCode::Usage,
            _ => ExitCode::Person,
        }),
    }
}
