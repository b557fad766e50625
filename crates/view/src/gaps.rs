//! A ledger, as a front end reads and changes it. The rules over gaps are `model::ledger`'s.

use std::path::PathBuf;

use piton_model::ledger::{Flip, Gap, Observed, Overruled};
use piton_model::ledger_machine::{ResearchEnd, ResearchLimits, ResearchResult, Spent, State, Used};
use piton_model::{Seq, Timestamp};
use piton_record::record;
use serde::{Deserialize, Serialize};

use crate::AgentChoice;

/// Which ledger, and how it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerAt {
    /// The gap file, relative to the repository.
    pub file: PathBuf,
    /// The audit log, relative to the repository; by default `gap_audit.log` beside the file.
    pub log: Option<PathBuf>,
    /// How many days findings hold where a gap does not say.
    pub default_ttl_days: u32,
}

/// A ledger as it is. Nothing was written for it, and what was edited by hand is seen all the same.
#[derive(Clone, Debug)]
pub struct GapsView {
    /// Its gaps, and what is known about them.
    pub state: State,
    /// What the files that findings rest on are now.
    pub observed: Observed,
    /// What is wrong with it and stops nothing.
    pub problems: Vec<String>,
    /// What is accepted about the file, but worth saying.
    pub warnings: Vec<String>,
    /// Whether there is a file.
    pub exists: bool,
}

/// What happened to a gap, or to research.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GapEvent {
    /// The event's position.
    pub seq: Seq,
    /// When it happened, by the ledger's time.
    pub at: Timestamp,
    /// What kind of event it is, such as `gap_verified`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Which gap, where it is about one.
    pub gap: Option<String>,
    /// What happened, as a sentence for people.
    pub text: String,
    /// Its data, where it is about this gap alone.
    pub data: serde_json::Value,
}

/// What can be done to the gaps of a ledger. File, journal and log are brought together first.
#[record]
pub enum GapChange {
    /// Nothing besides that.
    Adopt,
    /// A new gap.
    Add {
        /// The id that the new gap gets.
        gap: String,
        /// Its category, where no field says it.
        category: String,
        /// The rest, each as `FIELD=VALUE`.
        fields: Vec<String>,
    },
    /// These gaps, but those that are there already.
    AddMissing(Vec<Gap>),
    /// Fields of a gap.
    Set {
        /// The id of the gap.
        gap: String,
        /// Each as `FIELD=VALUE`.
        fields: Vec<String>,
        /// Why, for the audit log.
        reason: String,
    },
    /// Somebody looked, and found nothing new.
    Check {
        /// The id of the gap.
        gap: String,
    },
    /// Findings are confirmed, or replaced.
    Verify {
        /// The id of the gap.
        gap: String,
        /// What is known now, where that is new.
        findings: Option<String>,
        /// What that rests on, each as `KIND:TEXT`.
        sources: Vec<String>,
        /// Why, for the audit log.
        reason: String,
    },
    /// A gap goes.
    Remove {
        /// The id of the gap.
        gap: String,
    },
    /// The last flip of a gap is taken back.
    Undo {
        /// The id of the gap.
        gap: String,
    },
    /// What is stale by now is called so.
    FlipDue,
}

/// What a change came to.
#[derive(Clone, Debug)]
pub struct GapsChanged {
    /// The ledger after it.
    pub state: State,
    /// Whether anything is different.
    pub changed: bool,
    /// Gaps whose status changed.
    pub flips: Vec<Flip>,
    /// Gaps that are new.
    pub added: Vec<String>,
    /// What earlier changes had left open and an edit by hand did not leave room for. Of this change that is an error.
    pub overruled: Vec<Overruled>,
    /// Edits by hand that could not be merged, kept for a person.
    pub kept: Vec<PathBuf>,
}

/// Who looks into which gaps, and for how long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResearchOrder {
    /// These gaps, whatever their state; none means those that need it most.
    pub ids: Vec<String>,
    /// At most so many at once.
    pub max: usize,
    /// Goes on whenever something becomes stale.
    pub watch: bool,
    /// The agent that looks into the gaps.
    pub agent: AgentChoice,
    /// What it may use: a batch, or all that a watcher does.
    pub limits: ResearchLimits,
    /// How long one attempt may take.
    pub attempt_ms: u64,
    /// Takes piton.toml as it stands.
    pub trust: bool,
    /// The time to go by, where that is not the clock's.
    pub now: Option<Timestamp>,
}

/// What a person may want to see while agents research.
#[derive(Clone, Debug)]
pub enum ResearchUpdate {
    /// A batch that was under way is gone on with.
    GoesOn {
        /// Counts the batches of the ledger.
        number: u32,
    },
    /// A batch begins: the picture of the ledger, in words.
    Begins(String),
    /// Something about the ledger, or what became of it, that a person should know.
    Warned(String),
    /// Nothing needs research.
    AllCurrent {
        /// Gaps in all.
        gaps: usize,
        /// Those that were checked lately.
        checked: usize,
        /// Those that wait for others.
        waiting: usize,
    },
    /// An agent looks into this gap.
    Started {
        /// Its name.
        gap: String,
        /// The number of the attempt.
        attempt: u32,
        /// Whether it was found at work.
        found: bool,
    },
    /// The agent that looked into a gap has ended.
    Ended {
        /// The gap's name.
        gap: String,
        /// What came of it.
        result: ResearchResult,
        /// What it used.
        used: Used,
    },
    /// It needs none any more.
    Skipped {
        /// The gap's name.
        gap: String,
    },
    /// The batch is over.
    Over(Batch),
    /// Nothing is due before that moment, or before an edit.
    Waits {
        /// When something becomes stale next, where that is known.
        until: Option<Timestamp>,
    },
}

/// What a batch of research came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Why it ended.
    pub why: ResearchEnd,
    /// What it used.
    pub spent: Spent,
    /// The same, with what earlier batches of the same watcher used.
    pub total: Spent,
    /// Attempts that ended with a result.
    pub settled: u32,
    /// Attempts that did not.
    pub failed: u32,
    /// Gaps that did not get their turn.
    pub left: Vec<String>,
}
