//! Continuous replication: what can be ordered, what happens, and what is known of a replica.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use piton_model::Timestamp;
use piton_record::shown;

/// How this journal is to be replicated.
#[derive(Clone, Debug, Default)]
pub struct ReplicateOrder {
    /// Where to; without a place, where the configuration says.
    pub to: Option<String>,
    /// Ship what there is, prove it, and end.
    pub once: bool,
    /// Only prove what is at the place.
    pub prove: bool,
    /// For drivers: end some time after nothing is driven any more. Where somebody replicates already, nothing is done.
    pub while_driven: bool,
    /// Set by whoever has enough: what is being put is finished, and nothing else begun.
    pub stop: Arc<AtomicBool>,
}

/// Something that happened while a journal was replicated.
#[shown(Clone, Debug, PartialEq)]
pub struct ReplicaUpdate {
    /// When.
    pub at: Timestamp,
    /// What.
    pub what: ReplicaMoment,
    /// Objects that were put.
    pub objects: Option<u64>,
    /// What they hold.
    pub bytes: Option<u64>,
    /// Events in them.
    pub events: Option<u64>,
    /// What is to be said of it, in words.
    pub words: Option<String>,
    /// Where the replica is after it.
    pub replica: ReplicaView,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplicaMoment {
    /// Something new is at the target, and was read back.
    Shipped,
    /// What is there was restored and verified.
    Proven,
    /// Many small objects became few.
    Tidied,
    /// Another replica was begun beside the one that was there.
    Beside,
    /// Something of the journal here is damaged, and is not shipped.
    Damaged,
    /// The target cannot be used for now; it is tried again.
    Trouble,
    /// The trouble is over.
    Recovered,
}

/// A replica, as far as it is known on this machine.
#[shown(Clone, Debug, PartialEq, Eq)]
pub struct ReplicaView {
    /// Where it lies.
    pub at: String,
    /// What it is called.
    pub name: String,
    /// When something was shipped last.
    pub shipped_at: Option<Timestamp>,
    /// The newest event at the target.
    pub shipped_to: Option<Timestamp>,
    /// How far that is behind the newest event here, in milliseconds; nothing where all of it is there.
    pub behind_ms: Option<u64>,
    /// The newest event of what was restored and verified.
    pub restorable_to: Option<Timestamp>,
    /// When it was restored and verified.
    pub proven_at: Option<Timestamp>,
    /// What stands in the way, and since when.
    pub trouble: Option<Trouble>,
    /// Why it was begun beside another one.
    pub beside: Option<String>,
    /// What of the journal here is damaged, so that it could not be shipped.
    pub damaged: Vec<String>,
}

/// What stands in the way of a replica.
#[shown(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// In words.
    pub what: String,
    /// Since when.
    pub since: Timestamp,
}
