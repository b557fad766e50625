//! What is known of a replica on this machine: files of ours, which say what was seen and decide nothing.

use std::path::{Path, PathBuf};

use piton_model::Timestamp;
use piton_record::record;
use piton_store::chain;
use piton_sys::file::{self, Durability};
use piton_sys::lock::FileLock;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Proven, Writer};

/// More than any of the files holds.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// What was shipped, and what stands in the way.
#[record(Eq)]
pub struct Shipped {
    /// Where to.
    pub to: String,
    /// The replica.
    pub name: String,
    /// When something was shipped last.
    pub at: Option<Timestamp>,
    /// The newest event at the target.
    pub newest: Option<Timestamp>,
    /// How many events are there.
    pub events: u64,
    /// How many runs.
    pub runs: usize,
    /// What stands in the way.
    pub trouble: Option<String>,
    /// Since when.
    pub trouble_since: Option<Timestamp>,
    /// Why it was begun beside another.
    pub beside: Option<String>,
    /// What of the journal here could not be read, and is not there.
    pub damaged: Vec<String>,
}

/// What was proven last.
#[record(Eq)]
pub struct LastProven {
    /// Of which replica.
    pub name: String,
    /// What it came to.
    pub proven: Proven,
}

/// Who replicates.
#[record(Eq)]
pub struct Holder {
    /// The process.
    pub pid: u32,
    /// Where to.
    pub to: String,
    /// Since when.
    pub since: Timestamp,
}

/// Where the files lie.
pub struct Place(PathBuf);

impl Place {
    /// In the directory `state` of piton's.
    pub fn below(state: &Path) -> Self {
        Self(state.join("replication"))
    }

    /// Makes it, where it is not there.
    pub fn make(&self) -> Result<(), file::Error> {
        file::create_private_dir(self.0.parent().expect("it lies in the state directory"))?;
        file::create_private_dir(&self.0)
    }

    /// Whether anything was ever replicated from here, or was to be.
    pub fn is_there(&self) -> bool {
        self.0.is_dir()
    }

    /// Where a process that replicates says what went wrong.
    pub fn log(&self) -> PathBuf {
        self.0.join("log")
    }

    fn lock(&self) -> PathBuf {
        self.0.join("lock")
    }

    /// Whether somebody replicates.
    pub fn is_held(&self) -> Result<bool, file::Error> {
        FileLock::is_held(&self.lock())
    }

    /// The right to replicate; `None` where somebody else has it.
    pub fn take(&self) -> Result<Option<FileLock>, file::Error> {
        FileLock::try_exclusive(&self.lock())
    }

    /// Who has it.
    pub fn holder(&self) -> Option<Holder> {
        read(&self.0.join("holder.json"))
    }

    /// Says who has it.
    pub fn hold(&self, holder: &Holder) -> Result<(), file::Error> {
        write(&self.0.join("holder.json"), holder, Durability::Unsynced)
    }

    /// What belongs to one target.
    pub fn target(&self, place: &str) -> Target {
        Target(self.0.join(&chain::hex(&chain::digest(place.as_bytes()))[..16]))
    }

    /// The target to which something was shipped last, or was to be.
    pub fn latest(&self) -> Option<Target> {
        let entries = std::fs::read_dir(&self.0).ok()?.flatten();
        let targets = entries.filter(|entry| entry.path().is_dir()).map(|entry| Target(entry.path()));
        let changed = |target: &Target| file::changed_at(&target.0.join("shipped.json"));
        targets.filter(|target| target.shipped().is_some()).max_by_key(changed)
    }
}

/// What is known of the replica at one target.
pub struct Target(PathBuf);

impl Target {
    /// Makes its directory, where it is not there.
    pub fn make(&self) -> Result<(), file::Error> {
        file::create_private_dir(&self.0)
    }

    /// What was shipped, as far as it is known.
    pub fn shipped(&self) -> Option<Shipped> {
        read(&self.0.join("shipped.json"))
    }

    /// Keeps that.
    pub fn keep_shipped(&self, shipped: &Shipped) -> Result<(), file::Error> {
        write(&self.0.join("shipped.json"), shipped, Durability::Unsynced)
    }

    /// What was proven last.
    pub fn proven(&self) -> Option<LastProven> {
        read(&self.0.join("proven.json"))
    }

    /// Keeps that.
    pub fn keep_proven(&self, proven: &LastProven) -> Result<(), file::Error> {
        write(&self.0.join("proven.json"), proven, Durability::Synced)
    }

    /// What was proven can be restored no more.
    pub fn forget_proven(&self) -> Result<(), file::Error> {
        file::remove_file_if_exists(&self.0.join("proven.json")).map(drop)
    }

    /// What whoever writes next has to know. One that cannot be read leads to another replica, beside this one.
    pub fn writer(&self) -> Option<Writer> {
        read(&self.0.join("writer.json"))
    }

    /// Keeps that, durably.
    pub fn keep_writer(&self, writer: &Writer) -> Result<(), file::Error> {
        let bytes = serde_json::to_vec(writer).expect("plain data");
        file::write_atomic(&self.0.join("writer.json"), &bytes, Durability::Synced)
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let bytes = file::read_regular(path, FILE_BYTES_MAX).ok()??;
    serde_json::from_slice(&bytes).ok()
}

fn write(path: &Path, said: &impl Serialize, durability: Durability) -> Result<(), file::Error> {
    let bytes = serde_json::to_vec(said).expect("plain data");
    file::write_atomic(path, &bytes, durability)
}

impl Place {
    /// Notes what stands in the way before anybody could ship anything to the target `to`.
    pub fn note_trouble(&self, to: &str, what: &str, now: Timestamp) -> Result<(), file::Error> {
        self.make()?;
        let target = self.target(to);
        target.make()?;
        let known = target.shipped().unwrap_or_else(|| Shipped::nothing(to));
        let trouble_since = known.trouble_since.or(Some(now));
        target.keep_shipped(&Shipped { trouble: Some(what.to_owned()), trouble_since, ..known })
    }
}

impl Shipped {
    /// Nothing yet.
    pub fn nothing(to: &str) -> Self {
        Self {
            to: to.to_owned(),
            name: String::new(),
            at: None,
            newest: None,
            events: 0,
            runs: 0,
            trouble: None,
            trouble_since: None,
            beside: None,
            damaged: Vec::new(),
        }
    }
}
