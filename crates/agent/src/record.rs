//! What a keeper writes down: who it is, what it started, how that ended.

use std::path::PathBuf;

use piton_model::Timestamp;
use piton_record::record;
use piton_sys::process::{ProcessId, TreeKind};

/// `keeper.json`, there before the directory is published.
#[record(Eq, written)]
pub struct KeeperRecord {
    /// The keeper itself.
    pub process: ProcessId,
    /// What its processes will carry.
    pub mark: String,
    /// The control group it means to make for them; it may not have come to that.
    pub cgroup: Option<PathBuf>,
}

/// `started.json`, written once the process runs. A keeper may be killed before it is.
#[record(Eq)]
pub struct Started {
    /// The process that was started; it leads its session.
    pub process: ProcessId,
    /// What holds its tree together.
    pub tree: TreeKind,
    /// When it was started.
    pub at: Timestamp,
}

/// `exit.json`, written before the lock is let go: nothing of the attempt runs any more.
#[record(Eq, written)]
pub struct Exit {
    /// The exit code, where there was one.
    pub code: Option<i32>,
    /// The signal that ended it, where one did.
    pub signal: Option<i32>,
    /// Who ended it.
    pub ended_by: EndedBy,
    /// What went wrong besides: why it did not start, what could not be recorded or killed.
    pub error: Option<String>,
    /// When it was started, or was to be.
    pub started_at: Timestamp,
    /// When it had ended.
    pub ended_at: Timestamp,
    /// How long it took, by a clock that does not jump.
    pub duration_ms: u64,
    /// What it wrote to its standard output.
    pub stdout_bytes: u64,
    /// What it wrote to its standard error.
    pub stderr_bytes: u64,
    /// What was cut out of the middle of `stdout.log`.
    pub stdout_cut: u64,
    /// What was cut out of the middle of `stderr.log`.
    pub stderr_cut: u64,
}

/// Who ended a process.
#[record(Copy, Eq)]
pub enum EndedBy {
    /// It ended by itself.
    Exited,
    /// Somebody asked the keeper to end it.
    Cancelled,
    /// Its time was up.
    WallClock,
    /// It said nothing for too long.
    Idle,
    /// It never ran.
    SpawnFailed,
}
