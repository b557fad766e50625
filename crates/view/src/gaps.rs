//! A ledger, as a front end reads and changes it. The rules over gaps are `model::ledger`'s, and are applied behind the door: what
//! comes back says what is due, what comes first and what is fresh.

use std::path::PathBuf;

use piton_model::ledger::{
    Flip, Gap, GapStatus, Overruled, Source, SourceKind, age_ms, due_at, is_due, to_iso,
};
use piton_model::ledger_machine::{ResearchEnd, ResearchLimits, ResearchResult, Spent, Used};
use piton_model::{Seq, Timestamp};
use piton_record::record;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};

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

/// What was found in a ledger, and what there is to say of its file. Nothing was written for it, and what was edited by hand is seen
/// all the same.
#[derive(Clone, Debug)]
pub struct InLedger<T> {
    /// What was asked for.
    pub found: T,
    /// Gaps in all.
    pub gaps: usize,
    /// What is wrong with it and stops nothing.
    pub problems: Vec<String>,
    /// What is accepted about the file, but worth saying.
    pub warnings: Vec<String>,
    /// Whether there is a file.
    pub exists: bool,
}

/// A gap as others rely on it: its own fields, and what follows from them at one moment.
#[derive(Clone, Debug)]
pub struct GapView {
    /// Its fields.
    pub gap: Gap,
    /// How many days its findings hold, by its own word or the default.
    pub effective_ttl_days: i64,
    /// How old they are.
    pub age_days: Option<u64>,
    /// Until when they hold.
    pub due_at: Option<Timestamp>,
    /// Whether it is called verified, and is stale by now.
    pub due: bool,
}

const DAY_MS: u64 = 86_400_000;

impl GapView {
    /// The gap at `now`, where findings hold for so many days unless it says otherwise.
    pub fn of(gap: &Gap, default_ttl_days: u32, now: Timestamp) -> Self {
        Self {
            gap: gap.clone(),
            effective_ttl_days: gap.ttl_days.unwrap_or(i64::from(default_ttl_days)),
            age_days: age_ms(gap, now).map(|age| age / DAY_MS),
            due_at: due_at(gap, default_ttl_days),
            due: is_due(gap, default_ttl_days, now),
        }
    }

    /// What it is by now: one that is called verified may be stale.
    pub fn standing(&self) -> GapStatus {
        if self.due { GapStatus::Stale } else { self.gap.status }
    }
}

impl Serialize for GapView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = gap_fields(&self.gap);
        object.insert("effective_ttl_days".to_owned(), json!(self.effective_ttl_days));
        object.insert("age_days".to_owned(), json!(self.age_days));
        object.insert("due_at".to_owned(), json!(self.due_at.map(to_iso)));
        object.insert("due".to_owned(), json!(self.due));
        object.serialize(serializer)
    }
}

/// A gap's fields as the file has them, defaults included.
pub fn gap_fields(gap: &Gap) -> Map<String, Value> {
    let time = |at: Option<Timestamp>| json!(at.map(to_iso));
    let value = json!({
        "id": gap.id,
        "category": gap.category,
        "status": gap.status.as_str(),
        "priority": gap.priority,
        "last_verified": time(gap.last_verified),
        "last_checked": time(gap.last_checked),
        "ttl_days": gap.ttl_days,
        "blocks": gap.blocks,
        "blocked_by": gap.blocked_by,
        "findings": gap.findings,
        "question": gap.question,
        "evidence": gap.evidence.iter().map(source_fields).collect::<Vec<_>>(),
    });
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

fn source_fields(source: &Source) -> Value {
    let mut object = Map::new();
    object.insert(source.kind.key().to_owned(), json!(source.kind.text()));
    if let SourceKind::File { hash: Some(hash), .. } = &source.kind {
        object.insert("hash".to_owned(), json!(hash));
    }
    if let Some(at) = source.at {
        object.insert("at".to_owned(), json!(to_iso(at)));
    }
    Value::Object(object)
}

/// The order in which gaps can be looked into: none before what it waits for.
#[derive(Clone, Debug, Serialize)]
pub struct GapsOrder {
    /// The ids of those that have a place in it.
    pub ordered: Vec<String>,
    /// Those that wait for each other.
    pub cycled: Vec<Gap>,
    /// How they do, in words.
    #[serde(skip)]
    pub cycles: Vec<String>,
}

/// What is stale.
#[derive(Clone, Debug)]
pub struct StaleGaps {
    /// The flips that are due.
    pub due: Vec<Flip>,
    /// The ids of those that are called so.
    pub stale: Vec<String>,
}

/// What research would look into now, and why not into the rest.
#[derive(Clone, Debug, Serialize)]
pub struct GapsBatch {
    /// The most urgent first.
    pub batch: Vec<GapView>,
    /// How many are stale.
    pub stale: usize,
    /// How many were never researched.
    pub unknown: usize,
    /// How many need it as well, and come later.
    pub later: usize,
    /// The ids of those that were checked lately.
    pub checked: Vec<String>,
    /// The ids of those that wait for others.
    pub waiting: Vec<String>,
    /// How gaps wait for each other, in words.
    #[serde(skip)]
    pub cycles: Vec<String>,
    /// All of it in one line.
    #[serde(skip)]
    pub picture: String,
}

/// What became different of the gaps of a ledger since some moment.
#[derive(Clone, Debug)]
pub struct GapsDiff {
    /// Those that are new.
    pub added: Vec<GapView>,
    /// Those that changed, by id.
    pub changed: Vec<(String, Vec<FieldDiff>)>,
    /// The ids of those that are gone.
    pub removed: Vec<String>,
}

/// A field that is another now.
#[derive(Clone, Debug, Serialize)]
pub struct FieldDiff {
    /// Its name.
    pub field: &'static str,
    /// What it was.
    pub before: Value,
    /// What it is.
    pub after: Value,
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
    /// How many gaps there are after it.
    pub gaps: usize,
    /// The gap that it was about, where it was about one that is there.
    pub gap: Option<GapView>,
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
