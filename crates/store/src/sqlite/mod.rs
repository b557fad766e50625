//! The journal in a SQLite file, shared by any number of processes.
//!
//! - [`schema`]: tables and settings. [`index`]: the row of a run. [`record`]: the row of an append.
//! - [`commit`]: the one write transaction. [`queue`]: group commit. [`lease`]: who drives.
//! - [`read`]: verified reads. [`verify`]: the whole truth about a run's storage.
//!
//! Nobody opens the database file outside SQLite: closing such a handle would drop SQLite's locks.

mod commit;
mod index;
mod lease;
mod queue;
mod read;
mod record;
mod schema;
mod verify;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use piton_model::{RunId, Seq};
use piton_sys::file;
use rusqlite::Connection;

use crate::blob::Blobs;
use crate::error::{Error, Problem};
use crate::types::{Append, BlobId, Checkpoint, Claim, Head, Holder, Lease, RunRow, StoredEvent};
use crate::{Store, anchor};
use commit::Writer;
use queue::Queue;
use record::Prepared;

/// A journal in the directory `.piton`.
pub struct Sqlite {
    state: PathBuf,
    journal: [u8; 16],
    queue: Queue,
    reader: Mutex<Connection>,
    blobs: Blobs,
}

impl Sqlite {
    /// Opens the journal in `state`, creating it where it is not there yet.
    pub fn open(state: &Path) -> Result<Self, Error> {
        file::create_private_dir(state)?;
        for directory in ["anchors", "leases", "blobs"] {
            file::create_private_dir(&state.join(directory))?;
        }
        let connection = schema::open(&database_path(state))?;
        let journal = schema::journal_id(&connection)?;
        let reader = schema::open_reader(&database_path(state))?;
        let writer = Writer::new(connection, journal, state)?;
        Ok(Self {
            state: state.to_owned(),
            journal,
            queue: Queue::new(writer),
            reader: Mutex::new(reader),
            blobs: Blobs::new(state.join("blobs")),
        })
    }

    /// Opens the journal in `state` if there is one.
    pub fn open_existing(state: &Path) -> Result<Option<Self>, Error> {
        if !database_path(state).exists() {
            return Ok(None);
        }
        file::check_private_dir(state)?;
        Self::open(state).map(Some)
    }

    /// The random name of this journal.
    pub fn journal_id(&self) -> [u8; 16] {
        self.journal
    }

    fn reader(&self) -> MutexGuard<'_, Connection> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn anchor(&self, run: &RunId) -> Result<Option<Head>, Error> {
        let path = self.state.join("anchors").join(run.key());
        let anchor = anchor::Anchor::open(&path, self.journal, false)?;
        Ok(anchor.and_then(|anchor| anchor.read()))
    }
}

/// Where the database is.
fn database_path(state: &Path) -> PathBuf {
    state.join("journal.db")
}

impl Store for Sqlite {
    async fn append(&self, append: Append) -> Result<Head, Error> {
        let prepared = Prepared::new(append, &self.blobs)?;
        self.queue.append(prepared).await
    }

    async fn read(&self, run: &RunId, from: Seq, count_max: usize) -> Result<Vec<StoredEvent>, Error> {
        read::events(&self.reader(), run, from, count_max, &self.blobs)
    }

    async fn row(&self, run: &RunId) -> Result<RunRow, Error> {
        let row = read::row(&self.reader(), run)?;
        read::check_anchor(&self.reader(), &row, self.anchor(run)?)?;
        Ok(row)
    }

    async fn rows(&self) -> Result<Vec<RunRow>, Error> {
        let records = index::Record::all(&self.reader())?;
        Ok(records.into_iter().map(index::Record::into_row).collect())
    }

    async fn checkpoint(&self, run: &RunId, at_most: Seq) -> Result<Option<Checkpoint>, Error> {
        read::checkpoint(&self.reader(), run, at_most)
    }

    async fn claim(&self, run: &RunId, holder: Holder, claim: Claim) -> Result<Lease, Error> {
        let mut lease = lease::claim(&mut self.queue.writer(), &self.state.join("leases"), run, holder, claim)?;
        let count = self.queue.lease_counter();
        lease.guard = Box::new((lease.guard, count));
        Ok(lease)
    }

    async fn holder(&self, run: &RunId) -> Result<Option<Holder>, Error> {
        lease::holder(&self.reader(), &self.state.join("leases"), run)
    }

    async fn release(&self, lease: Lease) -> Result<(), Error> {
        drop(lease);
        Ok(())
    }

    async fn settle(&self, run: &RunId) -> Result<(), Error> {
        self.queue.writer().anchor_of(run)?.sync()?;
        Ok(())
    }

    async fn put_blob(&self, bytes: &[u8]) -> Result<BlobId, Error> {
        self.blobs.put(bytes)
    }

    async fn blob(&self, id: &BlobId) -> Result<Vec<u8>, Error> {
        self.blobs.get(id)
    }

    async fn verify(&self, run: &RunId) -> Result<Vec<Problem>, Error> {
        verify::run(&self.reader(), run, self.anchor(run)?, &self.blobs)
    }

    async fn remove(&self, lease: Lease) -> Result<(), Error> {
        let mut writer = self.queue.writer();
        lease::remove(&mut writer, &lease)?;
        writer.forget_anchor(&lease.run)
    }

    async fn revision(&self) -> Result<u64, Error> {
        read::revision(&self.reader())
    }
}

/// Problems of the database as a whole: its pages, its indexes, runs that anchors know and it does not.
impl Sqlite {
    /// Everything that is wrong with the database beyond single runs; empty is good.
    pub fn verify_database(&self) -> Result<Vec<Problem>, Error> {
        let mut problems = verify::database(&self.reader())?;
        problems.extend(verify::strangers(&self.reader(), &self.state.join("anchors"), self.journal)?);
        Ok(problems)
    }
}
