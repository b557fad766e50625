//! The one transaction: check every append by reading, refuse before writing, commit once.
//!
//! Invariant: nobody is answered before COMMIT returned, and the anchor is written in between.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use piton_model::limits::CHECKPOINTS_KEPT;
use piton_model::{RunId, Seq};
use piton_sys::{fault, file};
use rusqlite::{Connection, OptionalExtension, params};

use super::index::Record;
use super::record::Prepared;
use crate::anchor::Anchor;
use crate::chain::{self, Hash};
use crate::error::Error;
use crate::types::{Expect, Fence, Head};

/// Anchor files kept open at a time.
const ANCHORS_OPEN_MAX: usize = 256;

/// The writing side of a journal. One at a time per process; across processes the write lock queues.
pub(super) struct Writer {
    pub(super) connection: Connection,
    journal: [u8; 16],
    path: PathBuf,
    inode: (u64, u64),
    anchors_dir: PathBuf,
    anchors: HashMap<String, Anchor>,
    /// Processes queue here in arrival order; SQLite's own waiting is a lottery with naps.
    queue: File,
    /// Set once a sync failed: what is on the disk is unknown, so nothing more is written.
    poisoned: bool,
}

/// What an append comes to, before COMMIT.
enum Placed {
    /// It was committed by an earlier try.
    Before(Head),
    /// It is in the transaction now.
    Now(Head, RunId),
}

impl Writer {
    pub(super) fn new(connection: Connection, journal: [u8; 16], state: &Path) -> Result<Self, Error> {
        let path = super::database_path(state);
        let queue = open_queue(&state.join("write.lock"))?;
        Ok(Self {
            connection,
            journal,
            inode: inode(&path)?,
            path,
            anchors_dir: state.join("anchors"),
            anchors: HashMap::new(),
            queue,
            poisoned: false,
        })
    }

    /// Commits a batch. An append that is refused does not hold up the others.
    pub(super) fn commit(&mut self, batch: &[Prepared]) -> Vec<Result<Head, Error>> {
        let placed = self.transaction(|writer| {
            let placed: Vec<_> = batch.iter().map(|prepared| writer.place(prepared)).collect();
            // A refusal is an answer; a storage error voids the whole transaction.
            match placed.iter().any(|result| matches!(result, Err(error) if voids(error))) {
                true => Err(placed.into_iter().find_map(|result| result.err().filter(voids)).expect("just seen")),
                false => Ok(placed),
            }
        });
        match placed {
            Ok(placed) => placed.into_iter().map(|placed| self.anchor(placed?)).collect(),
            Err(error) => {
                let mut answers: Vec<_> = batch[1..].iter().map(|_| Err(again(&error))).collect();
                answers.insert(0, Err(error));
                answers
            }
        }
    }

    /// Runs `work` in a write transaction, behind the queue of the other processes.
    pub(super) fn transaction<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if self.poisoned {
            return Err(Error::SyncFailed { source: "an earlier sync failed".into() });
        }
        let lock_error = |error| file::Error::new("lock", Path::new("write.lock"), error);
        self.queue.lock().map_err(lock_error)?;
        let result = self.transaction_in_turn(work);
        self.queue.unlock().map_err(lock_error)?;
        result
    }

    fn transaction_in_turn<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        self.check_linked()?;
        fault::point("store.begin");
        self.run_cached("begin immediate")?;
        let result = work(self).and_then(|value| {
            fault::point("store.commit");
            self.run_cached("commit")?;
            fault::point("store.committed");
            Ok(value)
        });
        if let Err(error) = &result {
            self.poisoned |= matches!(error, Error::SyncFailed { .. });
            // COMMIT may have rolled back by itself; a second rollback then fails and changes nothing.
            let _ = self.run_cached("rollback");
        }
        result
    }

    fn run_cached(&self, sql: &str) -> Result<(), Error> {
        self.connection.prepare_cached(sql)?.execute([])?;
        Ok(())
    }

    fn place(&mut self, prepared: &Prepared) -> Result<Placed, Error> {
        let append = &prepared.append;
        let found = Record::find(&self.connection, &append.run)?;
        let Some(mut record) = found else { return self.place_first(prepared) };
        if let Fence::Request(request) = append.fence {
            if let Some(head) = self.find_request(&record, &request)? {
                return Ok(Placed::Before(head));
            }
            if append.expect == Expect::Seq(0) {
                return Err(Error::RunExists { run: append.run.clone() });
            }
        }
        if let Expect::Seq(expected) = append.expect
            && expected != record.head.seq
        {
            return self.place_again(prepared, &record, expected);
        }
        if let Fence::Epoch(held) = append.fence
            && held != record.epoch
        {
            return Err(Error::Fenced { run: append.run.clone(), held, current: record.epoch });
        }
        let first = record.head.seq + 1;
        let hash = prepared.link(&record.head.hash, first);
        self.insert(prepared, record.number, first, &hash)?;
        record.head = Head { seq: record.head.seq + append.events.len() as u64, hash };
        record.updated_at = append.at;
        if let Some(entry) = &append.entry {
            record.entry = entry.clone();
        }
        record.update(&self.connection)?;
        self.keep_checkpoint(prepared, &record)?;
        Ok(Placed::Now(record.head, record.run))
    }

    /// The first append of a run creates it.
    fn place_first(&mut self, prepared: &Prepared) -> Result<Placed, Error> {
        let append = &prepared.append;
        let (Expect::Seq(0), Fence::Request(_), Some(entry)) = (append.expect, append.fence, &append.entry) else {
            return Err(Error::UnknownRun { run: append.run.clone() });
        };
        let hash = prepared.link(&chain::genesis(&append.run), 1);
        let head = Head { seq: append.events.len() as u64, hash };
        let record = Record {
            number: 0,
            run: append.run.clone(),
            entry: entry.clone(),
            updated_at: append.at,
            epoch: 0,
            holder: None,
            head,
        };
        let number = record.insert(&self.connection)?;
        self.insert(prepared, number, 1, &hash)?;
        Ok(Placed::Now(head, record.run))
    }

    /// The sequence moved on. If what is stored there is this very append, it was committed before.
    fn place_again(&self, prepared: &Prepared, record: &Record, expected: Seq) -> Result<Placed, Error> {
        let append = &prepared.append;
        let conflict =
            Err(Error::Conflict { run: append.run.clone(), expected, found: record.head.seq });
        if expected > record.head.seq {
            return conflict;
        }
        let Some(stored) = self.hash_of_row(record.number, expected + 1)? else { return conflict };
        let previous = match expected {
            0 => chain::genesis(&record.run),
            _ => match self.hash_ending_at(record.number, expected)? {
                Some(hash) => hash,
                None => return conflict,
            },
        };
        if prepared.link(&previous, expected + 1) != stored {
            if let Fence::Epoch(held) = append.fence
                && held != record.epoch
            {
                return Err(Error::Fenced { run: append.run.clone(), held, current: record.epoch });
            }
            return conflict;
        }
        Ok(Placed::Before(Head { seq: expected + append.events.len() as u64, hash: stored }))
    }

    fn insert(&self, prepared: &Prepared, run: i64, first: Seq, hash: &Hash) -> Result<(), Error> {
        let mut statement = self.connection.prepare_cached(
            "insert into events (run, seq, at, kinds, codec, key_id, body, hash, request) \
             values (?1, ?2, ?3, ?4, ?5, 0, ?6, ?7, ?8)",
        )?;
        let request = match prepared.append.fence {
            Fence::Request(request) => Some(request),
            Fence::Epoch(_) => None,
        };
        statement.execute(params![
            run,
            first as i64,
            prepared.append.at.as_millis(),
            prepared.kinds,
            prepared.codec as i64,
            prepared.body,
            hash,
            request,
        ])?;
        Ok(())
    }

    fn keep_checkpoint(&self, prepared: &Prepared, record: &Record) -> Result<(), Error> {
        let Some(checkpoint) = &prepared.checkpoint else { return Ok(()) };
        let mut insert = self.connection.prepare_cached(
            "insert into checkpoints (run, seq, codec, key_id, bytes, digest) values (?1, ?2, ?3, 0, ?4, ?5)",
        )?;
        insert.execute(params![
            record.number,
            record.head.seq as i64,
            checkpoint.codec as i64,
            checkpoint.bytes,
            checkpoint.digest,
        ])?;
        let mut forget = self.connection.prepare_cached(
            "delete from checkpoints where run = ?1 and seq not in \
             (select seq from checkpoints where run = ?1 order by seq desc limit ?2)",
        )?;
        forget.execute(params![record.number, CHECKPOINTS_KEPT as i64])?;
        Ok(())
    }

    fn find_request(&self, record: &Record, request: &[u8; 16]) -> Result<Option<Head>, Error> {
        let mut statement =
            self.connection.prepare_cached("select seq, kinds, hash from events where run = ?1 and request = ?2")?;
        let found = statement
            .query_row(params![record.number, request], |row| {
                let kinds: String = row.get(1)?;
                let first: i64 = row.get(0)?;
                Ok(Head { seq: first as u64 + kinds.split(' ').count() as u64 - 1, hash: row.get(2)? })
            })
            .optional()?;
        Ok(found)
    }

    fn hash_of_row(&self, run: i64, first: Seq) -> Result<Option<Hash>, Error> {
        let mut statement =
            self.connection.prepare_cached("select hash from events where run = ?1 and seq = ?2")?;
        Ok(statement.query_row(params![run, first as i64], |row| row.get(0)).optional()?)
    }

    fn hash_ending_at(&self, run: i64, last: Seq) -> Result<Option<Hash>, Error> {
        let mut statement = self.connection.prepare_cached(
            "select hash from events where run = ?1 and seq <= ?2 order by seq desc limit 1",
        )?;
        Ok(statement.query_row(params![run, last as i64], |row| row.get(0)).optional()?)
    }

    /// After COMMIT, before the answer.
    fn anchor(&mut self, placed: Placed) -> Result<Head, Error> {
        let (head, run) = match placed {
            Placed::Before(head) => return Ok(head),
            Placed::Now(head, run) => (head, run),
        };
        let result = self.anchor_of(&run).and_then(|anchor| Ok(anchor.write(head)?));
        match result {
            // A full disk leaves a lower anchor, which is allowed; the events themselves are durable.
            Err(Error::File(error)) if error.is_no_space() => Ok(head),
            Err(error) => Err(error),
            Ok(()) => Ok(head),
        }
    }

    pub(super) fn anchor_of(&mut self, run: &RunId) -> Result<&mut Anchor, Error> {
        let key = run.key();
        if self.anchors.get(&key).is_some_and(|anchor| !anchor.is_linked()) {
            return Err(Error::Unlinked { path: self.anchors_dir.join(key) });
        }
        if !self.anchors.contains_key(&key) {
            if self.anchors.len() >= ANCHORS_OPEN_MAX {
                self.anchors.clear();
            }
            let opened = Anchor::open(&self.anchors_dir.join(&key), self.journal, true)?;
            self.anchors.insert(key.clone(), opened.expect("opened with create"));
        }
        Ok(self.anchors.get_mut(&key).expect("just inserted"))
    }

    pub(super) fn forget_anchor(&mut self, run: &RunId) -> Result<(), Error> {
        self.anchors.remove(&run.key());
        file::remove_file_if_exists(&self.anchors_dir.join(run.key()))?;
        Ok(())
    }

    /// The agent works beside the journal: notice when it was deleted or replaced.
    fn check_linked(&self) -> Result<(), Error> {
        match inode(&self.path) {
            Ok(found) if found == self.inode => Ok(()),
            _ => Err(Error::Unlinked { path: self.path.clone() }),
        }
    }
}

fn open_queue(path: &Path) -> Result<File, file::Error> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    options.open(path).map_err(|error| file::Error::new("open the lock", path, error))
}

fn inode(path: &Path) -> Result<(u64, u64), Error> {
    let metadata = std::fs::metadata(path).map_err(|error| file::Error::new("look at", path, error))?;
    Ok((metadata.dev(), metadata.ino()))
}

/// Whether an error says something about the storage rather than about one append.
fn voids(error: &Error) -> bool {
    match error {
        Error::UnknownRun { .. }
        | Error::RunExists { .. }
        | Error::Fenced { .. }
        | Error::Conflict { .. }
        | Error::Held { .. }
        | Error::TooLarge { .. }
        | Error::Corrupt(_) => false,
        Error::Newer { .. }
        | Error::NoSpace { .. }
        | Error::SyncFailed { .. }
        | Error::Unlinked { .. }
        | Error::File(_)
        | Error::Database(_) => true,
    }
}

/// The same answer for the other appends of a transaction that failed.
fn again(error: &Error) -> Error {
    match error {
        Error::NoSpace { source } => Error::NoSpace { source: source.to_string().into() },
        Error::Unlinked { path } => Error::Unlinked { path: path.clone() },
        Error::Newer { found, known } => Error::Newer { found: *found, known: *known },
        Error::File(error) => Error::File(file::Error::new(
            error.action,
            &error.path,
            std::io::Error::new(error.source.kind(), error.source.to_string()),
        )),
        other => Error::SyncFailed { source: other.to_string().into() },
    }
}
