//! An occasion: something happened that people may want to know of.
//!
//! Owns the facts that go with it. They are for people: nothing is decided by reading them.

use piton_model::notify::Trigger;
use piton_model::{Kind, Reason, Status, Timestamp};
use piton_record::record;

/// Something that happened.
#[record(Eq)]
pub struct Occasion {
    pub trigger: Trigger,
    /// A sentence about it, where there is more to say than the trigger does.
    pub what: Option<String>,
    pub at: Timestamp,
    /// Of which run, and how it stood.
    pub facts: Facts,
}

impl Occasion {
    /// It happened, and there is nothing more to say.
    pub fn new(trigger: Trigger, at: Timestamp, facts: Facts) -> Self {
        Self { trigger, what: None, at, facts }
    }

    /// The same with a sentence about it.
    #[must_use]
    pub fn saying(mut self, what: impl Into<String>) -> Self {
        self.what = Some(what.into());
        self
    }
}

/// How a run stands, in words for people.
#[record(Default, Eq)]
#[serde(default)]
pub struct Facts {
    pub run: String,
    /// The end of its id, enough for commands.
    pub short: String,
    /// One line about it.
    pub title: String,
    pub kind: Kind,
    /// Where it is.
    pub status: Status,
    pub reason: Option<Reason>,
    /// A sentence about that.
    pub detail: Option<String>,
    /// The iteration under way, or the last.
    pub iteration: u32,
    /// The ceiling of iterations.
    pub max_iterations: u32,
    /// Steps of a workflow that are done, of how many; a loop has none.
    pub steps: Option<(u32, u32)>,
    /// Checks that passed, of how many; without a round there is nothing to say.
    pub checks: Option<(u32, u32)>,
    pub best: Option<u32>,
    /// Money in millionths of a dollar, where all of it is known.
    pub cost_microusd: Option<u64>,
    /// Working time.
    pub working_ms: u64,
    /// The repository's name.
    pub repository: String,
}

impl Facts {
    /// What a person would run next.
    pub fn next(&self) -> String {
        let command = match self.status {
            Status::Waiting => "answer",
            Status::Paused | Status::Stopped => "resume",
            Status::Completed => "report",
            Status::Failed => "why",
            Status::Created | Status::Running | Status::Rebooting => "status",
        };
        format!("piton {command} {}", self.short)
    }

    /// The money as people read it. What is not known is not zero.
    pub fn cost(&self) -> String {
        match self.cost_microusd {
            Some(cost) => format!("${}.{:02}", cost / 1_000_000, cost % 1_000_000 / 10_000),
            None => "unknown".to_owned(),
        }
    }

    /// The checks as people read them.
    pub fn checks(&self) -> String {
        match self.checks {
            Some((passed, total)) => format!("{passed}/{total}"),
            None => "not run".to_owned(),
        }
    }

    /// The working time as people read it.
    pub fn working(&self) -> String {
        let minutes = self.working_ms / 60_000;
        match (minutes / 60, minutes % 60) {
            (0, 0) => format!("{} s", self.working_ms / 1_000),
            (0, minutes) => format!("{minutes} min"),
            (hours, minutes) => format!("{hours} h {minutes} min"),
        }
    }
}
