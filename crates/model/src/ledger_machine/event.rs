//! What happens to a ledger. This enum is the specification.

use piton_record::record;

use super::research::{
    OpenResearch, ResearchEnd, ResearchLimits, ResearchPolicy, ResearchResult, Rest, Spent, Used,
};
use crate::ledger::{Adopted, Field, Flip, Gap, Outcome, Overruled, Source, Superseded};
use crate::{RunId, Seq, Timestamp};

/// What happens to a ledger. Whoever changes it records it: nobody drives one.
#[record(Eq)]
pub enum LedgerEvent {
    /// The ledger exists. Always the first event.
    LedgerOpened {
        run: RunId,
        /// The gap file, relative to the repository.
        file: String,
        /// The audit log, relative to the repository.
        log: String,
        /// How many days findings hold where a gap does not say.
        default_ttl_days: u32,
    },
    /// The file says something that piton did not write. Very many gaps come as several events, the digest with the last.
    FileAdopted {
        /// Digest of the content that was seen; `None` while more of it follows.
        digest: Option<String>,
        /// Gaps that are new or different, as they are now.
        gaps: Vec<Gap>,
        /// Of those, what the file says where that is not all that piton wants.
        seen: Vec<Gap>,
        /// Gaps that are gone.
        removed: Vec<String>,
        /// What about them is new.
        adopted: Vec<Adopted>,
        /// What piton wanted and did not get.
        overruled: Vec<Overruled>,
        /// When it was seen.
        at: Timestamp,
    },
    /// The status of gaps changed. Each flip is one line of the audit log, written once.
    GapsFlipped {
        /// The changes, in their order; very many come as several events.
        flips: Vec<Flip>,
    },
    /// Somebody looked, and nothing new was found.
    GapChecked {
        gap: String,
        at: Timestamp,
    },
    /// Findings were confirmed, or replaced.
    GapVerified {
        gap: String,
        at: Timestamp,
        /// How the research ended, where there was any.
        outcome: Option<Outcome>,
        /// What is known now, where that is new.
        findings: Option<String>,
        /// What it rests on; only with findings.
        evidence: Vec<Source>,
        /// What was known before.
        superseded: Option<Superseded>,
    },
    /// Fields were set.
    GapEdited {
        /// The gap as it is now.
        gap: Box<Gap>,
        /// Which fields are different.
        fields: Vec<Field>,
        at: Timestamp,
    },
    GapAdded {
        gap: Box<Gap>,
        at: Timestamp,
    },
    GapRemoved {
        gap: String,
        at: Timestamp,
    },
    /// The file holds every change so far.
    FileWritten {
        /// Digest of its content.
        digest: String,
    },
    /// The log holds the first of the flips that were not in it.
    FlipsLogged {
        /// How many of them.
        count: usize,
        /// How long the log is with them. What stands behind this place was written later: so equal flips are told apart.
        end: u64,
    },

    // ── Research: intent before the act, outcome after it ────────────────────────────────────────
    /// These gaps are to be looked into. Only while no other batch is under way.
    ResearchBegun {
        /// Counts the batches.
        number: u32,
        /// Which, in the order of their turns.
        gaps: Vec<String>,
        /// Whether they are to be looked into even where they are fresh.
        forced: bool,
        /// What all of it may use.
        limits: ResearchLimits,
        /// What earlier batches of the same watcher have used; it counts against the limits.
        #[serde(default, skip_serializing_if = "Spent::is_nothing")]
        before: Spent,
        /// How long gaps rest after it, and what it puts up with.
        #[serde(default, skip_serializing_if = "ResearchPolicy::is_default")]
        terms: ResearchPolicy,
        at: Timestamp,
    },
    /// An agent is about to look into a gap. Only while no other does.
    ResearchAttemptStarted {
        /// What is about to run.
        open: OpenResearch,
    },
    /// That agent ended. What it found is in the events that follow, in the same append.
    ResearchAttemptEnded {
        attempt: u32,
        /// What came of it.
        result: ResearchResult,
        used: Used,
        /// How long a watcher leaves the gap alone; nothing where it has another turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rest: Option<Rest>,
        at: Timestamp,
    },
    /// A gap needs no research any more: it is gone, or was verified meanwhile.
    ResearchSkipped {
        gap: String,
    },
    /// The batch is over.
    ResearchEnded {
        number: u32,
        why: ResearchEnd,
        at: Timestamp,
    },
    /// The ledger is watched: it is to be looked at again at this time, or not any more.
    WatchSet {
        until: Option<Timestamp>,
    },
    /// A folded state is stored with this event.
    CheckpointTaken {
        /// This event's place.
        seq: Seq,
        /// Digest of the state.
        digest: String,
        /// The version of the fold that made it: another one passes it by.
        fold: u32,
    },
}

impl LedgerEvent {
    /// When it happened, by the ledger's time; `None` for what is only about file, log and journal.
    pub fn at(&self) -> Option<Timestamp> {
        match self {
            LedgerEvent::FileAdopted { at, .. }
            | LedgerEvent::GapChecked { at, .. }
            | LedgerEvent::GapVerified { at, .. }
            | LedgerEvent::GapEdited { at, .. }
            | LedgerEvent::GapAdded { at, .. }
            | LedgerEvent::GapRemoved { at, .. }
            | LedgerEvent::ResearchBegun { at, .. }
            | LedgerEvent::ResearchAttemptEnded { at, .. }
            | LedgerEvent::ResearchEnded { at, .. } => Some(*at),
            LedgerEvent::GapsFlipped { flips } => flips.last().map(|flip| flip.at),
            LedgerEvent::ResearchAttemptStarted { open } => Some(open.since),
            LedgerEvent::LedgerOpened { .. }
            | LedgerEvent::FileWritten { .. }
            | LedgerEvent::FlipsLogged { .. }
            | LedgerEvent::ResearchSkipped { .. }
            | LedgerEvent::WatchSet { .. }
            | LedgerEvent::CheckpointTaken { .. } => None,
        }
    }
}
