//! The journal in a SQLite file, shared by any number of processes.
//!
//! - [`schema`]: tables and settings. [`index`]: the row of a run. [`record`]: the row of an append.
//! - [`commit`]: the one write transaction. [`queue`]: group commit. [`lease`]: who drives.
//! - [`anew`]: sealing with another key what is there.
//! - [`salvage`]: what is provably good of a damaged one. [`replace`]: another takes its place.
//! - [`keep`]: what is let go of, and what is remembered of it. [`migrate`]: from the format of before to this one.
//! - [`files`]: whether it is still there. [`walk`]: from row to row of a run. [`read`]: verified reads. [`verify`]: the whole truth about a run's storage.
//!
//! Nobody opens the database file outside SQLite: closing such a handle would drop SQLite's locks.

mod anew;
mod commit;
mod files;
mod index;
mod keep;
mod lease;
mod migrate;
mod queue;
mod read;
mod record;
mod replace;
mod salvage;
mod schema;
mod verify;
mod walk;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use piton_model::{Epoch, RunId, Seq};
use piton_seal::{KeyId, Keys, NoKeys};
use piton_sys::file::{self, Durability};
use rusqlite::Connection;

use crate::blob::Blobs;
use crate::error::{Error, Problem};
use crate::types::{
    Append, Archived, BlobId, Checkpoint, Claim, Gone, Head, History, Holder, Identity, JournalId, Lease,
    Page, RunRow, Sizes, StoredEvent, Sweep, Swept, Wanted,
};
use crate::{BoxFuture, Frame, Store, anchor};
use commit::Writer;
use files::Files;
use queue::Queue;
use record::Prepared;
pub use replace::Hold;
pub(crate) use replace::{publish, set_aside};
pub use salvage::{Salvage, Salvaged};

/// Which journal is in `state`, if one is.
pub(crate) fn peek(state: &Path) -> Result<Option<Identity>, Error> {
    let database = database(state);
    if !is_there(&database)? {
        return Ok(None);
    }
    file::check_private_dir(state)?;
    if !is_file(&database) {
        return Ok(None);
    }
    schema::identity(&schema::open_read_only(&database)?).map(Some)
}

/// A journal in the directory `.piton`.
pub struct Sqlite {
    state: PathBuf,
    files: Files,
    journal: [u8; 16],
    identity: Identity,
    /// Why nothing can be written, where that is so.
    closed: Option<String>,
    /// Closed before the writer: whoever closes the database last folds the log in, and a reader does not.
    reader: Mutex<Connection>,
    queue: Queue,
    blobs: Blobs,
}

impl Sqlite {
    /// Opens the journal in `state`, creating it where it is not there yet.
    pub fn open(state: &Path) -> Result<Self, Error> {
        Self::open_with(state, JournalId::random(), Arc::new(NoKeys))
    }

    /// The same; one that is created is called `id`, and what is kept is sealed and opened with `keys`.
    pub fn open_with(state: &Path, id: JournalId, keys: Arc<dyn Keys>) -> Result<Self, Error> {
        Self::open_as(state, id, keys, Durability::Synced)
    }

    /// The same for a journal that is only looked at, and thrown away: nothing of it need reach the disk.
    pub(crate) fn open_to_prove(state: &Path, id: JournalId, keys: Arc<dyn Keys>) -> Result<Self, Error> {
        Self::open_as(state, id, keys, Durability::Unsynced)
    }

    fn open_as(
        state: &Path,
        id: JournalId,
        keys: Arc<dyn Keys>,
        durability: Durability,
    ) -> Result<Self, Error> {
        file::create_private_dir(state)?;
        // One of each run there ever was.
        file::refuse_links(state, &["anchors"])?;
        for directory in ["anchors", "leases", "blobs"] {
            file::create_private_dir(&state.join(directory))?;
        }
        let database = database(state);
        // One that is empty was emptied: a journal is published whole.
        if !is_there(&database)? || verify::is_empty(&database) {
            verify::nothing_was_recorded(&database, state)?;
        }
        let place = std::fs::canonicalize(state).map_err(|error| file::Error::new("find", state, error))?;
        let place = place.parent().unwrap_or(&place).to_owned();
        let connection = schema::open(&database, &Identity { id, place })?;
        if durability == Durability::Unsynced {
            schema::sync_nothing(&connection)?;
        }
        let identity = schema::identity(&connection)?;
        let reader = schema::open_reader(&database)?;
        let files = Files::of(&database)?;
        let writer = Writer::new(connection, identity.id.0, state, files.clone(), Arc::clone(&keys))?;
        Ok(Self::over(state, identity, files, writer, reader, keys))
    }

    /// Opens the journal in `state` if there is one.
    pub fn open_existing(state: &Path) -> Result<Option<Self>, Error> {
        Self::open_existing_with(state, Arc::new(NoKeys))
    }

    /// The same; what is kept is sealed and opened with `keys`.
    pub(crate) fn open_existing_with(state: &Path, keys: Arc<dyn Keys>) -> Result<Option<Self>, Error> {
        let database = database(state);
        if !is_there(&database)? {
            verify::nothing_was_recorded(&database, state)?;
            return Ok(None);
        }
        file::check_private_dir(state)?;
        match Self::open_with(state, JournalId::random(), Arc::clone(&keys)) {
            Err(why) if why.leaves_reading() => Self::open_read_only(state, why, keys).map(Some),
            opened => opened.map(Some),
        }
    }

    /// Opens the journal in `state` to be read, where it cannot be written because of `why`.
    fn open_read_only(state: &Path, why: Error, keys: Arc<dyn Keys>) -> Result<Self, Error> {
        let database = database(state);
        if !is_file(&database) {
            return Err(why);
        }
        let connect = || schema::open_read_only(&database);
        // What stood in the way first says more.
        let (Ok(connection), Ok(reader)) = (connect(), connect()) else { return Err(why) };
        let causes = std::iter::successors(Some(&why as &dyn std::error::Error), |error| error.source());
        let closed = Some(causes.map(ToString::to_string).collect::<Vec<_>>().join(": "));
        let identity = schema::identity(&connection)?;
        let files = Files::alone(&database)?;
        let writer = Writer::closed(connection, identity.id.0, state, files.clone(), why);
        Ok(Self { closed, ..Self::over(state, identity, files, writer, reader, keys) })
    }

    fn over(
        state: &Path,
        identity: Identity,
        files: Files,
        writer: Writer,
        reader: Connection,
        keys: Arc<dyn Keys>,
    ) -> Self {
        Self {
            state: state.to_owned(),
            files,
            journal: identity.id.0,
            identity,
            closed: None,
            queue: Queue::new(writer),
            reader: Mutex::new(reader),
            blobs: Blobs::new(state.join("blobs"), keys),
        }
    }

    /// Which journal this is, and where it says that it lies.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Why nothing can be written to it, where that is so.
    pub(crate) fn closed(&self) -> Option<&str> {
        self.closed.as_deref()
    }

    /// Gives it another identity. Whoever has it open opens it anew.
    pub(crate) fn identify(self, identity: &Identity) -> Result<(), Error> {
        self.queue.writer().identify(identity)
    }

    fn reader(&self) -> MutexGuard<'_, Connection> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known of the run outside the database.
    fn anchor(&self, run: &RunId) -> Result<Option<Head>, Error> {
        let path = self.state.join("anchors").join(run.key());
        match verify::anchor_of(run, &path, self.journal)? {
            Some(anchor) if anchor.is_foreign() => Err(Error::Corrupt(verify::foreign(run))),
            anchor => Ok(anchor.and_then(|anchor| anchor.read())),
        }
    }

    /// Looks at a run and its anchor. The anchor comes first: read later, it may be ahead of the run by an
    /// append in between.
    fn look<T>(
        &self,
        run: &RunId,
        look: impl Fn(&Connection, Option<Head>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let seen = self.anchor(run).and_then(|anchor| look(&self.reader(), anchor));
        let suspicious = match &seen {
            Err(Error::Corrupt(_)) => true,
            Err(Error::UnknownRun { .. }) => !matches!(self.anchor(run), Ok(None)),
            _ => false,
        };
        if !suspicious {
            return seen;
        }
        self.confirm(seen, |connection| {
            let anchor = self.anchor(run)?;
            match (look(connection, anchor), anchor) {
                // A removal takes the anchor before the run, so this run was not removed.
                (Err(Error::UnknownRun { run }), Some(head)) => Err(Error::Corrupt(verify::gone(&run, head))),
                (looked, _) => looked,
            }
        })
    }

    /// A part of the index, newest first, as far as the anchors bear it out: neither a list without its last changes
    /// nor one that lacks a run is served.
    fn page(&self, wanted: &Wanted) -> Result<Page, Error> {
        if wanted.despite_losses {
            return read::page(&self.reader(), wanted, &[], self.keys());
        }
        let look = |connection: &Connection| {
            let anchors = verify::anchors(&self.state.join("anchors"), self.journal)?;
            read::page(connection, wanted, &anchors, self.keys())
        };
        let seen = look(&self.reader());
        if matches!(seen, Err(Error::Corrupt(_))) { self.confirm(seen, look) } else { seen }
    }

    /// Looks again at what seems to be damaged while nobody can write. A run that is removed and created
    /// anew between the looks at its anchor and at the database seems to be damaged too; under the write
    /// lock there is no between, and an anchor is never ahead of a commit.
    fn confirm<T>(
        &self,
        seen: Result<T, Error>,
        look: impl FnOnce(&Connection) -> Result<T, Error>,
    ) -> Result<T, Error> {
        match self.queue.writer().transaction(|writer| look(&writer.connection)) {
            Err(Error::Corrupt(problem)) => Err(Error::Corrupt(problem)),
            Err(Error::UnknownRun { run }) => Err(Error::UnknownRun { run }),
            // Where nothing can be confirmed, what was seen counts.
            Err(_) => seen,
            sound => sound,
        }
    }
}

/// Whether something is at `path`; where nobody can tell, that is an error, and no `false`.
/// Whether it can be opened to be read: of a pipe, one would wait for the writer. It is not opened here, as to close it would let go of
/// locks on it.
fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file())
}

fn is_there(path: &Path) -> Result<bool, Error> {
    match path.symlink_metadata() {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => {
            // What is wrong with its directory says more.
            path.parent().map_or(Ok(()), file::check_private_dir)?;
            Err(file::Error::new("look at", path, error).into())
        }
    }
}

/// Where the database is.
pub(crate) fn database(state: &Path) -> PathBuf {
    state.join("journal.db")
}

impl Store for Sqlite {
    fn append(&self, append: Append) -> BoxFuture<'_, Head> {
        Box::pin(async move {
            let prepared = Prepared::new(append, &self.blobs)?;
            self.queue.append(prepared).await
        })
    }

    fn read<'a>(&'a self, run: &'a RunId, from: Seq, count_max: usize) -> BoxFuture<'a, Vec<StoredEvent>> {
        Box::pin(async move {
            self.look(run, |reader, anchor| read::events(reader, run, from, count_max, anchor, &self.blobs))
        })
    }

    fn row<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, RunRow> {
        Box::pin(async move { self.look(run, |reader, anchor| read::row(reader, run, anchor, self.keys())) })
    }

    fn rows(&self, wanted: Wanted) -> BoxFuture<'_, Page> {
        Box::pin(async move { self.page(&wanted) })
    }

    fn checkpoint<'a>(&'a self, run: &'a RunId, at_most: Seq) -> BoxFuture<'a, Option<Checkpoint>> {
        Box::pin(async move { read::checkpoint(&self.reader(), run, at_most, self.keys()) })
    }

    fn claim<'a>(&'a self, run: &'a RunId, holder: Holder, claim: Claim) -> BoxFuture<'a, Lease> {
        Box::pin(async move {
            let mut lease =
                lease::claim(&mut self.queue.writer(), &self.state.join("leases"), run, holder, claim)?;
            let count = self.queue.lease_counter();
            lease.guard = Box::new((lease.guard, count));
            Ok(lease)
        })
    }

    fn holder<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Option<Holder>> {
        Box::pin(async move { lease::holder(&self.reader(), &self.state.join("leases"), run) })
    }

    fn is_superseded(&self, run: &RunId, epoch: Epoch) -> bool {
        lease::is_superseded(&self.state.join("leases"), run, epoch)
    }

    fn release(&self, lease: Lease) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            drop(lease);
            Ok(())
        })
    }

    fn settle<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, ()> {
        Box::pin(async move { self.queue.writer().settle(run) })
    }

    fn put_blob<'a>(&'a self, bytes: &'a [u8]) -> BoxFuture<'a, BlobId> {
        Box::pin(async move { self.blobs.put(bytes) })
    }

    fn blob<'a>(&'a self, id: &'a BlobId) -> BoxFuture<'a, Vec<u8>> {
        Box::pin(async move { self.blobs.get(id) })
    }

    fn verify<'a>(&'a self, run: Option<&'a RunId>) -> BoxFuture<'a, Vec<Problem>> {
        Box::pin(async move { run.map_or_else(|| self.verify_database(), |run| self.verify_run(run)) })
    }

    fn remove(&self, lease: Lease) -> BoxFuture<'_, ()> {
        Box::pin(async move { lease::remove(&mut self.queue.writer(), &self.state.join("leases"), &lease) })
    }

    fn ship<'a>(&'a self, run: &'a RunId, after: Head, bytes_max: usize) -> BoxFuture<'a, Vec<Frame>> {
        Box::pin(async move {
            self.look(run, |reader, anchor| read::frames(reader, run, after, bytes_max, anchor, &self.blobs))
        })
    }

    fn take_in<'a>(&'a self, history: History<'a>) -> BoxFuture<'a, Head> {
        Box::pin(async move { self.queue.writer().take_in(history, &self.blobs) })
    }

    fn archive<'a>(&'a self, lease: &'a Lease, archived: Archived) -> BoxFuture<'a, ()> {
        Box::pin(async move { keep::archive(&mut self.queue.writer(), lease, &archived, &self.blobs) })
    }

    fn archived<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Option<Archived>> {
        Box::pin(async move { keep::archived(&self.reader(), run) })
    }

    fn gone(&self) -> BoxFuture<'_, Vec<Gone>> {
        Box::pin(async move { keep::gone(&self.reader()) })
    }

    fn bury<'a>(&'a self, gone: &'a [Gone]) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            self.queue
                .writer()
                .transaction(|writer| gone.iter().try_for_each(|gone| keep::bury(&writer.connection, gone)))
        })
    }

    fn sweep<'a>(&'a self, how: &'a Sweep) -> BoxFuture<'a, Swept> {
        Box::pin(async move {
            self.files.check()?;
            keep::sweep(&mut self.queue.writer(), &self.reader(), how, &self.blobs)
        })
    }

    fn sizes(&self) -> BoxFuture<'_, Sizes> {
        Box::pin(async move { keep::sizes(&self.reader(), &database(&self.state), &self.blobs) })
    }

    fn compact(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move { self.queue.writer().compact() })
    }

    fn keys(&self) -> &dyn Keys {
        self.blobs.keys()
    }

    fn key_uses(&self) -> BoxFuture<'_, BTreeMap<KeyId, u64>> {
        Box::pin(async move { anew::uses(&self.reader(), &self.blobs) })
    }

    fn seal_anew(&self) -> BoxFuture<'_, u64> {
        Box::pin(async move { anew::seal_anew(&mut self.queue.writer(), &self.blobs) })
    }

    fn epoch_max(&self) -> BoxFuture<'_, Epoch> {
        Box::pin(async move { schema::epoch_max(&self.reader()) })
    }

    fn revision(&self) -> BoxFuture<'_, u64> {
        Box::pin(async move {
            self.files.check()?;
            read::revision(&self.reader())
        })
    }
}

impl Sqlite {
    /// Everything that is wrong with one run; empty is good.
    fn verify_run(&self, run: &RunId) -> Result<Vec<Problem>, Error> {
        let path = self.state.join("anchors").join(run.key());
        let list = |reader: &Connection, anchor| {
            let has_anchor = match anchor::Anchor::open(&path, self.journal, false) {
                Ok(anchor) => anchor.is_some_and(|anchor| !anchor.says_nothing()),
                Err(_) => path.symlink_metadata().is_ok(),
            };
            verify::run(reader, run, anchor, has_anchor, &self.blobs)
        };
        let sound = self.look(run, |reader, anchor| match list(reader, anchor)?.into_iter().next() {
            Some(first) => Err(Error::Corrupt(first)),
            None => Ok(()),
        });
        match sound {
            Ok(()) => Ok(Vec::new()),
            Err(Error::Corrupt(first)) => {
                let all = self.anchor(run).and_then(|anchor| list(&self.reader(), anchor));
                Ok(all.ok().filter(|all| !all.is_empty()).unwrap_or_else(|| vec![first]))
            }
            Err(error) => Err(error),
        }
    }

    /// Everything that is wrong with the database beyond single runs: its pages, its indexes, runs that anchors know
    /// and it does not.
    fn verify_database(&self) -> Result<Vec<Problem>, Error> {
        let mut problems = verify::database(&self.reader())?;
        let anchors = self.state.join("anchors");
        let strangers = verify::strangers(&self.reader(), &anchors, self.journal);
        problems.extend(match strangers {
            Ok(none) if none.is_empty() => none,
            seen => self.confirm(seen, |connection| verify::strangers(connection, &anchors, self.journal))?,
        });
        Ok(problems)
    }
}
