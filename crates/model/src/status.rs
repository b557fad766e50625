//! Where a run is, and why: the same words for every kind.

use crate::words::words;

words! {
    /// The kinds of run.
    #[derive(Default)]
    pub enum Kind {
        /// An agent works in a loop until checks pass.
        #[default]
        Loop = "loop",
        /// Steps with needs, gates and people.
        Workflow = "workflow",
        /// A team of agents around one shared state.
        Cycle = "cycle",
        /// What is known, and how fresh it is.
        Ledger = "ledger",
    }
}

words! {
    /// Where a run is.
    #[derive(Default)]
    pub enum Status {
        /// Recorded; nothing has been started yet.
        #[default]
        Created = "created",
        /// Work is under way, or would be if somebody drove it.
        Running = "running",
        /// Waits for a moment or a person.
        Waiting = "waiting",
        /// Paused by a person.
        Paused = "paused",
        /// Changes to a fresh session.
        Rebooting = "rebooting",
        /// Stopped short of its goal; can be resumed.
        Stopped = "stopped",
        /// Reached its goal.
        Completed = "completed",
        /// Gave up; can be looked at and resumed.
        Failed = "failed",
    }
}

impl Status {
    /// Whether a driver has something to do or to wait for.
    pub fn is_active(self) -> bool {
        matches!(self, Status::Created | Status::Running | Status::Rebooting)
    }
}

words! {
    /// Why a run is where it is.
    pub enum Reason {
        /// Every check passes, and at least one failed at the start.
        ChecksPass = "checks_pass",
        /// The agent reported done, the tree changed, and every check is green.
        Done = "done",
        /// Every condition that was asked for holds.
        ConditionsMet = "conditions_met",
        /// The iteration ceiling.
        LimitIterations = "limit:iterations",
        /// The ceiling of working time.
        LimitDuration = "limit:duration",
        /// The money ceiling.
        LimitCost = "limit:cost",
        /// The token ceiling.
        LimitTokens = "limit:tokens",
        LimitDeadline = "limit:deadline",
        /// The ceiling of changed files.
        LimitFiles = "limit:files",
        /// The ceiling of changed lines.
        LimitLines = "limit:lines",
        /// The ceiling of reboots.
        LimitReboots = "limit:reboots",
        /// Too many iterations in a row changed nothing that matters.
        NoProgress = "no_progress",
        /// Too many attempts in a row failed.
        FailureStreak = "failure_streak",
        /// A stop condition is met.
        StopCondition = "stop_condition",
        /// A hook wants it.
        Hook = "hook",
        /// A person decides between iterations.
        Attended = "attended",
        /// It does not work at this hour.
        Schedule = "schedule",
        /// Ctrl-C, or a signal to the driver.
        Interrupted = "interrupted",
        /// A person asked for it.
        Human = "human",
        /// The agent reported that it cannot go on.
        Blocked = "blocked",
        /// The guard found what looks like cheating, and a person is asked.
        Guard = "guard",
        /// The run does not get on whatever is tried, and a person is asked.
        Stuck = "stuck",
        /// Another agent read what was done and objects, or says nothing, and a person is asked.
        Review = "review",
        /// An attempt's outcome cannot be known, and the run's policy is to ask.
        AttemptLost = "attempt_lost",
        /// The provider refuses further calls for a while.
        RateLimit = "rate_limit",
        /// The provider is overloaded; trying again later.
        Overloaded = "overloaded",
        /// The agent is not logged in.
        Auth = "auth",
        /// Disk, permissions, a missing program: nothing the agent did.
        Environment = "environment",
        /// `checks-pass` was asked for, but every check passed before the first attempt.
        BaselineGreen = "baseline_green",
    }
}

/// What a command of piton exits with. The numbers are public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
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
    Interrupted = 130,
}

impl Reason {
    /// Whether a provider asked to be left alone for a while. The fold counts by it (decision 13), so this is what the words of events
    /// mean: another answer needs new versions of those that name a hold.
    pub fn is_refusal(self) -> bool {
        matches!(self, Reason::RateLimit | Reason::Overloaded)
    }

    /// Whether it is a ceiling of the run's own.
    pub fn is_limit(self) -> bool {
        matches!(
            self,
            Reason::LimitIterations
                | Reason::LimitDuration
                | Reason::LimitCost
                | Reason::LimitTokens
                | Reason::LimitDeadline
                | Reason::LimitFiles
                | Reason::LimitLines
                | Reason::LimitReboots
        )
    }
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
            Some(reason) if reason.is_limit() => ExitCode::Limit,
            Some(Reason::NoProgress | Reason::StopCondition | Reason::Hook) => ExitCode::Limit,
            Some(Reason::Interrupted) => ExitCode::Interrupted,
            Some(Reason::Auth | Reason::Environment) => ExitCode::Environment,
            Some(Reason::BaselineGreen) => ExitCode::Usage,
            _ => ExitCode::Person,
        }),
    }
}
