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

/// The backups at a place.
#[shown(Clone, Debug, PartialEq, written)]
pub struct BackupsView {
    /// The place.
    pub at: String,
    /// Oldest first.
    pub backups: Vec<BackupView>,
    /// What lies there and cannot be read.
    pub damaged: Vec<String>,
}

/// Whether backups can be restored.
#[shown(Clone, Debug, PartialEq, written)]
pub struct BackupsVerified {
    /// Whether all of them can.
    pub ok: bool,
    /// Each that was looked at.
    pub checked: Vec<BackupChecked>,
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
    /// The backup that it came from.
    pub backup: String,
    /// Each run that was wanted.
    pub runs: Vec<RunRestored>,
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
}

/// What a repair came to.
#[shown(Clone, Debug, PartialEq, written)]
pub struct RepairView {
    /// Whether anything was wrong.
    pub damaged: bool,
    /// What was wrong, as far as it could be told.
    pub problems: Vec<String>,
    /// Where the damaged journal is now; nothing where there was no need.
    pub quarantine: Option<String>,
    /// Each run of which there was a trace.
    pub runs: Vec<RunRepaired>,
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
