//! Backups and repairs: what can be ordered, and what came of it.

use piton_model::{Kind, RunId, Seq, Timestamp};
use piton_record::shown;

/// A backup, as it says itself.
#[shown(Clone, Debug, PartialEq, written)]
pub struct BackupView {
    /// What it is called; names sort by time.
    pub name: String,
    /// Where it lies.
    pub at: String,
    /// The journal that it is of.
    pub journal: String,
    /// When it was begun.
    pub made_at: Timestamp,
    /// When it had been restored and verified.
    pub proven_at: Timestamp,
    /// What it takes, shared with others or not.
    pub bytes: u64,
    /// The runs in it, newest first.
    pub runs: Vec<BackupRunView>,
    /// What could not be read any further when it was made.
    pub damaged: Vec<String>,
    /// Whether it is not encrypted, although new ones are.
    pub is_open: bool,
    /// Whether it could not be restored when that was tried last, after it was proven.
    pub has_failed: bool,
}

/// A run in a backup.
#[shown(Clone, Debug, PartialEq)]
pub struct BackupRunView {
    /// Its name.
    pub run_id: RunId,
    /// Its kind.
    pub kind: Kind,
    /// One line for people.
    pub title: String,
    /// Its last event there.
    pub seq: Seq,
    /// Whether its snapshots are there, too.
    pub snapshots: bool,
}

/// A backup that was made.
#[shown(Clone, Debug, PartialEq)]
pub struct BackedUp {
    /// The backup.
    pub backup: BackupView,
    /// What it came to when it was restored.
    pub proof: ProofView,
    /// What was put at the target for it.
    pub bytes_put: u64,
    /// What had to go for it, by count.
    pub pruned: PrunedView,
    /// What no backup has that can be read.
    pub notes: Vec<String>,
}

/// What a backup came to when it was restored into a journal of its own.
#[shown(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofView {
    /// Runs that verify.
    pub runs: usize,
    /// Events that verify.
    pub events: u64,
    /// Runs whose snapshots came back complete.
    pub snapshots: usize,
}

/// A replica, as it lies at a target.
#[shown(Clone, Debug, PartialEq)]
pub struct ReplicaListed {
    /// What it is called; names sort by time.
    pub name: String,
    /// Where it lies.
    pub at: String,
    /// The journal that it is of.
    pub journal: String,
    /// When the journal was looked at last for what is there; nothing where nothing can be read.
    pub shipped_at: Option<Timestamp>,
    /// The newest event there.
    pub newest: Option<Timestamp>,
    /// The newest event of what was restored and verified.
    pub restorable_to: Option<Timestamp>,
    /// When it was restored and verified.
    pub proven_at: Option<Timestamp>,
    /// What it takes.
    pub bytes: u64,
    /// The runs in it, newest first.
    pub runs: Vec<BackupRunView>,
    /// What of it cannot be read, where that is so: it goes only so far.
    pub broken: Option<String>,
}

/// The backups at a place.
#[shown(Clone, Debug, PartialEq, written)]
pub struct BackupsView {
    /// The place.
    pub at: String,
    /// Oldest first.
    pub backups: Vec<BackupView>,
    /// What was replicated there, oldest first.
    pub replicas: Vec<ReplicaListed>,
    /// What lies there and cannot be read.
    pub damaged: Vec<String>,
    /// What is encrypted with keys that cannot be opened here.
    pub locked: Vec<String>,
    /// Whether any of that is of the journal that is here.
    pub own_locked: bool,
    /// What else is to be said.
    pub notes: Vec<String>,
}

/// Whether backups can be restored.
#[shown(Clone, Debug, Default, PartialEq, written)]
pub struct BackupsVerified {
    /// Whether all of them can.
    pub ok: bool,
    /// Each that was looked at.
    pub checked: Vec<BackupChecked>,
    /// Those of other journals that are encrypted with keys that cannot be opened here.
    pub locked: Vec<String>,
    /// What else is to be said.
    pub notes: Vec<String>,
}

/// Whether a backup can be restored.
#[shown(Clone, Debug, PartialEq)]
pub struct BackupChecked {
    /// What it is called.
    pub name: String,
    /// What it came to, where it can.
    pub proof: Option<ProofView>,
    /// Why not, where it cannot.
    pub problem: Option<String>,
}

/// Which backup is to be restored, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreOrder {
    /// Where it lies.
    pub from: String,
    /// What it is called; without a name, the newest.
    pub backup: Option<String>,
    /// Only this run.
    pub run: Option<String>,
    /// Nothing after this event of it.
    pub to_seq: Option<Seq>,
    /// Nothing that happened later.
    pub to_time: Option<Timestamp>,
}

/// What was restored.
#[shown(Clone, Debug, PartialEq, written)]
pub struct BackupRestored {
    /// The backup or replica that it came from.
    pub backup: String,
    /// Each run that was wanted.
    pub runs: Vec<RunRestored>,
    /// Why there may have been more: a replica is damaged further on.
    pub broken: Option<String>,
}

/// What became of a run.
#[shown(Clone, Debug, PartialEq)]
pub struct RunRestored {
    /// Its name.
    pub run_id: RunId,
    /// Its last event; nothing where the run was there and was left as it is.
    pub seq: Option<Seq>,
    /// Whether its snapshots came with it.
    pub snapshots: bool,
    /// What the backup has that is not here, where the run was there and is not the one of the backup, or less of it.
    pub differs: Option<String>,
}

/// Which backups stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PruneOrder {
    /// Where they lie; without a place, where the configuration says.
    pub to: Option<String>,
    /// So many, the newest; without a number, as many as the configuration says.
    pub keep: Option<usize>,
    /// Of those only what is younger, in milliseconds.
    pub younger_than_ms: Option<u64>,
    /// What was put there less long ago stays, needed or not, in milliseconds.
    pub grace_ms: u64,
}

/// What was removed.
#[shown(Clone, Debug, Default, PartialEq, Eq, written)]
pub struct PrunedView {
    /// Backups.
    pub backups: Vec<String>,
    /// Objects that no backup needs any more.
    pub objects: usize,
    /// What those held.
    pub bytes: u64,
    /// What stays although it might go, and why.
    pub notes: Vec<String>,
}

/// What a repair came to.
#[shown(Clone, Debug, Default, PartialEq, written)]
pub struct RepairView {
    /// Whether anything was wrong.
    pub damaged: bool,
    /// What was wrong, as far as it could be told.
    pub problems: Vec<String>,
    /// Where the damaged journal is now; nothing where there was no need.
    pub quarantine: Option<String>,
    /// Data keys that were lost or damaged here, and came back from beside backups or the replica.
    pub keys: Vec<String>,
    /// Each run of which there was a trace.
    pub runs: Vec<RunRepaired>,
    /// Places that were not looked at, why, and what helps: they may have what is lost.
    pub unseen: Vec<String>,
    /// Whether something that was acknowledged is lost.
    pub lost: bool,
}

/// What a repair came to for one run.
#[shown(Clone, Debug, PartialEq)]
pub struct RunRepaired {
    /// Its name.
    pub run_id: RunId,
    /// Its last event now; 0 where nothing of it is left.
    pub seq: Seq,
    /// How many of its events come from the damaged journal; the others from the backup.
    pub from_journal: Seq,
    /// The backup that the others come from.
    pub backup: Option<String>,
    /// The last event that is known to be lost.
    pub lost_to: Option<Seq>,
    /// What else is to be said of it.
    pub note: Option<String>,
}

/// What is to be collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GcOrder {
    /// Nothing is removed; what would be is said.
    pub dry_run: bool,
    /// What was changed less long ago stays, in milliseconds.
    pub grace_ms: u64,
    /// Also work trees and branches of runs that were removed, with work that nobody landed.
    pub given_up: bool,
}

/// What was collected, or would be.
#[shown(Clone, Debug, Default, PartialEq, written)]
pub struct CollectView {
    /// Whether it was only looked at.
    pub dry_run: bool,
    /// What is gone.
    pub collected: Vec<CollectedView>,
    /// The runs that were archived.
    pub archived: Vec<ArchivedView>,
    /// What all of it took, as far as that is known.
    pub bytes: u64,
    /// What stays although it might go, and why.
    pub notes: Vec<String>,
    /// What is wrong with the journal.
    pub damaged: Vec<String>,
}

/// Something that was collected.
#[shown(Clone, Debug, PartialEq)]
pub struct CollectedView {
    /// What it was: `attempts`, `payloads`, `snapshots`, `scratch`, `put aside`, `journal`, and what else runs leave.
    pub what: String,
    /// Its name, or how many of them there were.
    pub name: String,
    /// What it took; 0 where that is not known.
    pub bytes: u64,
}

/// A run whose payloads were let go.
#[shown(Clone, Debug, PartialEq)]
pub struct ArchivedView {
    /// Its name.
    pub run_id: RunId,
    /// The last event of which only the digest is left.
    pub through: Seq,
    /// Where the backup lies that has them; nothing where none had to have them.
    pub place: Option<String>,
    /// What that backup is called. A later one of the same place has them as well.
    pub backup: Option<String>,
}

impl ArchivedView {
    /// Where the rest of the run is, and what brings it back.
    pub fn words(&self) -> String {
        let through = self.through;
        match (&self.place, &self.backup) {
            (Some(place), Some(backup)) => format!(
                "archived: of its events up to {through} only digests are here; backup {backup} in {place} has them, \
                 `piton backup restore {place} --run {}` brings them back",
                self.run_id
            ),
            _ => format!(
                "archived: of its events up to {through} only digests are here, and no backup had to have them; \
                 `piton backup restore URL --run {}` brings them back where one does",
                self.run_id
            ),
        }
    }
}

/// What a journal and its runs take.
#[shown(Clone, Debug, Default, PartialEq, written)]
pub struct SizesView {
    /// Each run.
    pub runs: Vec<RunSizeView>,
    /// The file of the journal, with its log.
    pub journal_bytes: u64,
    /// Of that, what nothing is written in.
    pub free_bytes: u64,
    /// All large payloads.
    pub blob_bytes: u64,
    /// All attempts.
    pub attempt_bytes: u64,
    /// Journals that a repair put aside.
    pub aside_bytes: u64,
    /// Everything in `.piton`, and what git keeps of snapshots as far as it says so.
    pub total_bytes: u64,
    /// What to do where the journal is large.
    pub warning: Option<String>,
}

/// What a run takes.
#[shown(Clone, Debug, PartialEq)]
pub struct RunSizeView {
    /// Its name.
    pub run_id: RunId,
    /// Its events and checkpoints.
    pub journal_bytes: u64,
    /// The large payloads that its events name.
    pub blob_bytes: u64,
    /// What its agents printed, and what was noted of them.
    pub attempt_bytes: u64,
    /// What git keeps for its snapshots and for no branch; nothing where git does not say so cheaply.
    pub snapshot_bytes: Option<u64>,
    /// Whether it is archived.
    pub archived: bool,
}

impl RunSizeView {
    /// All of it, as far as it is known.
    pub fn total(&self) -> u64 {
        self.journal_bytes + self.blob_bytes + self.attempt_bytes + self.snapshot_bytes.unwrap_or(0)
    }
}
