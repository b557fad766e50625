//! The nouns of the journal.

use std::any::Any;
use std::collections::BTreeMap;
use std::path::PathBuf;

use piton_model::{Encoded, Entry, Epoch, RunId, Seq, Timestamp};
use piton_sys::process::ProcessId;
use piton_sys::{Ids, SystemIds};
use serde::{Deserialize, Serialize};

use crate::chain::{self, Hash};
use crate::error::{Error, Problem};
use crate::frame::Frame;

/// Names a request, so that sending it twice counts once.
pub type RequestId = [u8; 16];

/// Names bytes by their content.
pub type BlobId = Hash;

/// The random name of a journal: whoever knows it has seen the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct JournalId(pub(crate) [u8; 16]);

impl JournalId {
    /// The name of a journal that is about to be made.
    pub fn random() -> Self {
        JournalId(SystemIds.bytes())
    }

    /// As it is stored.
    pub fn bytes(self) -> [u8; 16] {
        self.0
    }
}

impl std::fmt::Display for JournalId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Which journal it is, and where it says that it lies: a copy says what the original says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its name.
    pub id: JournalId,
    /// The repository that it was made in or moved to.
    pub place: PathBuf,
}

/// One append: the only way anything changes.
#[derive(Clone, Debug)]
pub struct Append {
    /// To which run.
    pub run: RunId,
    /// By what right.
    pub fence: Fence,
    /// On top of what.
    pub expect: Expect,
    /// By the clock of whoever recorded it.
    pub at: Timestamp,
    /// What happened, in order; at least one.
    pub events: Vec<Encoded>,
    /// The index entry after it; `None` keeps the one that is there. A new run needs one.
    pub entry: Option<Entry>,
    /// The folded state after it, if a checkpoint is due.
    pub checkpoint: Option<Vec<u8>>,
    /// Random; makes the digests of small payloads unguessable. The same for every try of one append.
    pub salt: [u8; 16],
}

impl Append {
    /// What the index says of its run after it: the name stays as it was given first, and time goes on.
    pub(crate) fn entry_after(&self, before: &Entry) -> Entry {
        let said = self.entry.as_ref().unwrap_or(before);
        Entry { run_id: before.run_id.clone(), updated_at: self.at, ..said.clone() }
    }
}

/// By what right an append is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fence {
    /// As the driver of this epoch.
    Epoch(Epoch),
    /// As anybody, with a request; also the creation of a run.
    Request(RequestId),
}

/// What the append stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// The run's last event is this one; 0 means that the run does not exist yet.
    Seq(Seq),
    /// Whatever is there. For requests: without a request id, a second try is a second append.
    Any,
}

/// The end of a run's chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its last event.
    pub seq: Seq,
    /// That event's hash.
    pub hash: Hash,
}

impl Head {
    /// Before the first event of a run.
    pub fn start(run: &RunId) -> Self {
        Head { seq: 0, hash: chain::genesis(run) }
    }
}

/// A run as another journal shipped it. The large payloads that its appends name are kept already.
pub struct History<'a> {
    /// What the index says of it.
    pub entry: Entry,
    /// The epoch from which it goes on: above every one that was granted where it comes from.
    pub epoch: Epoch,
    /// Its appends, from the first on.
    pub frames: Box<dyn Iterator<Item = Result<Frame, Error>> + Send + 'a>,
    /// States that its chained events name, oldest first, at most as many as are kept.
    pub checkpoints: Vec<Checkpoint>,
}

/// A run in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRow {
    /// What a list says of it.
    pub entry: Entry,
    /// The end of its chain.
    pub head: Head,
    /// How often its lease was granted.
    pub epoch: Epoch,
}

/// Which part of the list of runs is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// What follows this; `None` begins with the newest.
    pub after: Option<Cursor>,
    /// At most so many.
    pub count_max: usize,
    /// Also where it is known that runs or events are gone, or that a row is not what was written. A list that lacks a run
    /// is not served otherwise; [`row`](crate::Store::row) answers for one run alone.
    pub despite_losses: bool,
}

impl Wanted {
    /// Every run, in one page.
    pub const ALL: Wanted = Wanted { after: None, count_max: usize::MAX, despite_losses: false };
    /// Every run that is there, whatever became of others.
    pub const ALL_THERE: Wanted = Wanted { despite_losses: true, ..Wanted::ALL };
}

/// A part of the list of runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Newest first.
    pub rows: Vec<RunRow>,
    /// What is wrong with those that are not served.
    pub damaged: Vec<Problem>,
    /// Where to go on; `None` where nothing follows.
    pub next: Option<Cursor>,
}

/// A place in the list of runs. Only the backend that gave it knows what it means; runs that come or go meanwhile
/// neither repeat nor hide others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cursor(pub(crate) String);

impl Cursor {
    /// After the run that was created as this one in a journal.
    pub(crate) fn after(number: u64) -> Self {
        Cursor(format!("{number:x}"))
    }

    /// The number of the run that it stands after; one that is nobody's stands at the end.
    pub(crate) fn number(&self) -> u64 {
        u64::from_str_radix(&self.0, 16).unwrap_or(0)
    }
}

/// An event as it was read back, verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its position.
    pub seq: Seq,
    /// When it was appended.
    pub at: Timestamp,
    /// Its type, version and data.
    pub event: Encoded,
    /// Its hash.
    pub hash: Hash,
    /// Whether its data was let go: what is left is its digest, which the chain covers.
    pub archived: bool,
}

/// Where the payloads of a run are that were let go here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Archived {
    /// The last event of which only the digest is here.
    pub through: Seq,
    /// Since when.
    pub at: Timestamp,
    /// The place of the backups that have them; nothing where none had to have them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The backup there that was restored before anything was let go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backup: Option<String>,
}

/// A run that was removed: its name is not given again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// Its name, in small letters.
    pub key: String,
    /// Where its chain ended.
    pub head: Head,
    /// The last epoch that was granted to it.
    pub epoch: Epoch,
}

/// What a run takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Its events and checkpoints, in the database.
    pub journal_bytes: u64,
    /// The large payloads that its events name, beside it; one that several name is counted for each.
    pub blob_bytes: u64,
}

/// What a journal takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Each run, by its name in small letters.
    pub runs: BTreeMap<String, Taken>,
    /// The database with its log.
    pub file_bytes: u64,
    /// Of that, what nothing is written in: it is used again, or given back by a compaction.
    pub free_bytes: u64,
    /// All large payloads, named by an event or not.
    pub blob_bytes: u64,
}

/// What was collected, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Large payloads that no event names.
    pub blobs: usize,
    /// What they take.
    pub bytes: u64,
    /// Why nothing was looked for, where that is so.
    pub kept_because: Option<String>,
}

/// How large payloads are collected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// What was put there since then stays: whoever put it may be about to name it.
    pub untouched_since: Timestamp,
    /// Journals that were put aside, whose large payloads stay as well.
    pub aside: Vec<PathBuf>,
    /// Whether anything is removed; otherwise it is only counted.
    pub remove: bool,
}

/// A folded state that was stored with an append.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The state is the fold of the events up to and with this one.
    pub seq: Seq,
    /// The state's bytes.
    pub bytes: Vec<u8>,
}

/// A process that drives, or wants to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Holder {
    /// The machine.
    pub host: String,
    /// The process there.
    pub process: ProcessId,
    /// Since when.
    pub since: Timestamp,
}

/// How to take a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Only if nobody living holds it.
    IfFree,
    /// Also from a living holder, which is fenced off by the new epoch.
    TakeOver,
}

/// The right to drive a run. Held until released or dropped.
pub struct Lease {
    /// Which run.
    pub run: RunId,
    /// Under which epoch.
    pub epoch: Epoch,
    /// What keeps it alive on this backend.
    pub(crate) guard: Box<dyn Any + Send + Sync>,
}

impl std::fmt::Debug for Lease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lease").field("run", &self.run).field("epoch", &self.epoch).finish_non_exhaustive()
    }
}
