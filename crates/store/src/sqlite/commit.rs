//! The one transaction: check every append by reading, refuse before writing, commit once.
//!
//! Invariant: nobody is answered before COMMIT returned, and the anchor is written in between.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_model::limits::CHECKPOINTS_KEPT;
use piton_model::{Entry, RunId, Seq};
use piton_seal::{Keys, NoKeys, Place};
use piton_sys::{fault, file};
use rusqlite::{Connection, OptionalExtension, params};

use super::files::Files;
use super::index::{Hidden, Record};
use super::record::{Prepared, PreparedCheckpoint, checkpoint_digest};
use super::{keep, lease, read, schema, verify, walk};
use crate::anchor::Anchor;
use crate::blob::Blobs;
use crate::codec;
use crate::error::{Error, Problem};
use crate::frame::Frame;
use crate::types::{Expect, Fence, Head, History, Identity};

/// Anchor files kept open at a time.
const ANCHORS_OPEN_MAX: usize = 256;

/// Index rows kept in memory at a time.
const RECORDS_KEPT_MAX: usize = 1024;

/// The writing side of a journal. One at a time per process; across processes the write lock queues.
pub(super) struct Writer {
    pub(super) connection: Connection,
    journal: [u8; 16],
    /// What new rows are sealed with.
    pub(super) keys: Arc<dyn Keys>,
    files: Files,
    anchors_dir: PathBuf,
    anchors: HashMap<String, Anchor>,
    /// Processes queue here in arrival order; SQLite's own waiting is a lottery with naps.
    queue: Queue,
    /// Index rows as this connection last wrote them; void as soon as another connection commits.
    records: HashMap<String, Record>,
    records_version: i64,
    /// Set once a sync failed: what is on the disk is unknown, so nothing more is written.
    poisoned: bool,
}

enum Queue {
    At(File),
    /// Nothing can be written, for this reason.
    Closed(PathBuf, Arc<Error>),
}

/// What an append comes to, by reading alone.
enum Plan {
    /// It was committed by an earlier try.
    Before(Head),
    /// It goes on top of this; a run that begins has no number yet.
    Write(Box<Record>),
}

/// What an append came to, before COMMIT.
enum Placed {
    /// It was committed by an earlier try.
    Before(Head),
    /// It is in the transaction now.
    Now(Head, RunId),
}

impl Writer {
    pub(super) fn new(
        connection: Connection,
        journal: [u8; 16],
        state: &Path,
        files: Files,
        keys: Arc<dyn Keys>,
    ) -> Result<Self, Error> {
        let queue = Queue::At(file::open_append(&state.join("write.lock"))?);
        Ok(Self::with_queue(connection, journal, state, files, keys, queue))
    }

    /// One that writes nothing.
    pub(super) fn closed(
        connection: Connection,
        journal: [u8; 16],
        state: &Path,
        files: Files,
        why: Error,
    ) -> Self {
        let queue = Queue::Closed(super::database(state), Arc::new(why));
        Self::with_queue(connection, journal, state, files, Arc::new(NoKeys), queue)
    }

    fn with_queue(
        connection: Connection,
        journal: [u8; 16],
        state: &Path,
        files: Files,
        keys: Arc<dyn Keys>,
        queue: Queue,
    ) -> Self {
        Self {
            connection,
            journal,
            keys,
            files,
            anchors_dir: state.join("anchors"),
            anchors: HashMap::new(),
            queue,
            records: HashMap::new(),
            records_version: 0,
            poisoned: false,
        }
    }

    /// Commits a batch. An append that is refused does not hold up the others.
    pub(super) fn commit(&mut self, batch: &[Prepared]) -> Vec<Result<Head, Error>> {
        let placed = self.transaction(|writer| {
            let mut placed = Vec::with_capacity(batch.len());
            for prepared in batch {
                placed.push(match writer.plan(prepared) {
                    // A refusal is an answer; a storage error voids the whole transaction, and so does any
                    // error once something of an append was written.
                    Err(error) if voids(&error) => return Err(error),
                    Err(error) => Err(error),
                    Ok(Plan::Before(head)) => Ok(Placed::Before(head)),
                    Ok(Plan::Write(record)) => Ok(writer.write(prepared, *record)?),
                });
            }
            Ok(placed)
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

    /// Gives back what nothing is written in. Nobody writes meanwhile.
    pub(super) fn compact(&mut self) -> Result<(), Error> {
        let lock_error = |error| file::Error::new("lock", Path::new("write.lock"), error);
        self.queue.file()?.lock().map_err(lock_error)?;
        let compacted = self.files.check().and_then(|()| {
            self.records.clear();
            self.connection.execute_batch("vacuum")?;
            // What a reader still looks at stays in the log until the next time.
            self.connection.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(()))?;
            Ok(())
        });
        self.queue.file()?.unlock().map_err(lock_error)?;
        compacted
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
        self.queue.file()?.lock().map_err(lock_error)?;
        let result = self.transaction_in_turn(work);
        self.queue.file()?.unlock().map_err(lock_error)?;
        result
    }

    fn transaction_in_turn<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.files.check()?;
        fault::point("store.begin");
        self.run_cached("begin immediate")?;
        self.forget_stale_records()?;
        let result = work(self).and_then(|value| {
            fault::point("store.commit");
            self.run_cached("commit")?;
            fault::point("store.committed");
            Ok(value)
        });
        if let Err(error) = &result {
            self.poisoned |= matches!(error, Error::SyncFailed { .. });
            self.records.clear();
            // COMMIT may have rolled back by itself; a second rollback then fails and changes nothing.
            let _ = self.run_cached("rollback");
        }
        result
    }

    /// Under the write lock, so that nobody can commit between this look and the end of the transaction.
    fn forget_stale_records(&mut self) -> Result<(), Error> {
        let version =
            self.connection.prepare_cached("pragma data_version")?.query_row([], |row| row.get(0))?;
        if version != self.records_version || self.records.len() >= RECORDS_KEPT_MAX {
            self.records.clear();
            self.records_version = version;
        }
        Ok(())
    }

    /// The index row of a run is about to be changed by other means than an append.
    pub(super) fn forget_record(&mut self, run: &RunId) {
        self.records.remove(&run.key());
    }

    /// The index row of a run, taken out of what is kept: [`Writer::write`] puts back what it wrote.
    fn record(&mut self, run: &RunId) -> Result<Option<Record>, Error> {
        match self.records.remove(&run.key()) {
            Some(record) => Ok(Some(record)),
            None => Record::find(&self.connection, run),
        }
    }

    fn run_cached(&self, sql: &str) -> Result<(), Error> {
        self.connection.prepare_cached(sql)?.execute([])?;
        Ok(())
    }

    /// Checks an append against what is stored. Writes nothing to the database.
    fn plan(&mut self, prepared: &Prepared) -> Result<Plan, Error> {
        let append = &prepared.append;
        let Some(record) = self.record(&append.run)? else { return self.plan_first(prepared) };
        self.check_anchor(&record)?;
        if let Fence::Request(request) = append.fence {
            if let Some(head) = self.find_request(&record, &request)? {
                return Ok(Plan::Before(head));
            }
            if append.expect == Expect::Seq(0) {
                return Err(Error::RunExists { run: append.run.clone() });
            }
        }
        if let Expect::Seq(expected) = append.expect
            && expected != record.head.seq
        {
            return self.plan_again(prepared, &record, expected);
        }
        if let Fence::Epoch(held) = append.fence {
            lease::check_epoch(&record, held)?;
        }
        Ok(Plan::Write(Box::new(record)))
    }

    /// Writes what [`Writer::plan`] let pass. After an error the transaction must not be committed.
    fn write(&mut self, prepared: &Prepared, mut record: Record) -> Result<Placed, Error> {
        let append = &prepared.append;
        let begins = record.head.seq == 0;
        let first = record.head.seq + 1;
        let hash = prepared.link(&record.head.hash, first);
        record.head = Head { seq: record.head.seq + append.events.len() as u64, hash };
        let said = append.entry_after(&record.entry);
        record.say(said, append.entry.is_some(), &*self.keys)?;
        if begins {
            record.number = record.insert(&self.connection)?;
        }
        record.head_row = self.insert(prepared, &record, first)?;
        record.update(&self.connection)?;
        self.keep_checkpoint(prepared, &record)?;
        let placed = Placed::Now(record.head, record.entry.run_id.clone());
        self.records.insert(append.run.key(), record);
        Ok(placed)
    }

    /// The first append of a run creates it.
    fn plan_first(&mut self, prepared: &Prepared) -> Result<Plan, Error> {
        let append = &prepared.append;
        let (Expect::Seq(0), Fence::Request(_), Some(entry)) = (append.expect, append.fence, &append.entry)
        else {
            return Err(Error::UnknownRun { run: append.run.clone() });
        };
        let record = self.begin(&append.run, entry.clone())?;
        Ok(Plan::Write(Box::new(record)))
    }

    /// A run of which nothing was recorded yet, as its anchor bears out.
    fn begin(&mut self, run: &RunId, entry: Entry) -> Result<Record, Error> {
        let anchor = self.anchor_of(run)?;
        if let Some(head) = anchor.read() {
            self.anchors.remove(&run.key());
            return Err(Error::Corrupt(verify::gone(run, head)));
        }
        // Before COMMIT, so that an anchor that says nothing is one that somebody emptied.
        anchor.begin()?;
        file::sync_dir(&self.anchors_dir)?;
        Ok(Record {
            number: 0,
            entry: Entry { run_id: run.clone(), ..entry },
            epoch: schema::first_epoch(&self.connection)?,
            holder: None,
            head: Head::start(run),
            head_row: 0,
            hidden: Hidden::default(),
        })
    }

    /// The sequence moved on. If what is stored there is this very append, it was committed before.
    fn plan_again(&self, prepared: &Prepared, record: &Record, expected: Seq) -> Result<Plan, Error> {
        let append = &prepared.append;
        let conflict = Err(Error::Conflict { run: append.run.clone(), expected, found: record.head.seq });
        if expected > record.head.seq {
            return conflict;
        }
        let link = walk::link(&self.connection, record, expected + 1)?;
        if link.first != expected + 1 || prepared.link(&link.previous, link.first) != link.hash {
            if let Fence::Epoch(held) = append.fence {
                lease::check_epoch(record, held)?;
            }
            return conflict;
        }
        Ok(Plan::Before(Head { seq: link.last, hash: link.hash }))
    }

    /// Inserts the row that begins at `first` and ends at the head of `record`; its number.
    fn insert(&self, prepared: &Prepared, record: &Record, first: Seq) -> Result<i64, Error> {
        let mut statement = self.connection.prepare_cached(
            "insert into events (run, seq, at, kinds, codec, key_id, body, hash, request, back, marked) \
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?;
        let place = Place::Events { run: &prepared.append.run.key(), seq: first };
        let kept = codec::seal(&*self.keys, &place, prepared.codec, prepared.body.clone())?;
        let request = match prepared.append.fence {
            Fence::Request(request) => Some(request),
            Fence::Epoch(_) => None,
        };
        statement.execute(params![
            record.number,
            first as i64,
            prepared.append.at.as_millis(),
            prepared.kinds,
            kept.codec,
            kept.key_id,
            kept.bytes,
            record.head.hash,
            request,
            record.head_row,
            walk::is_marked(first, record.head.seq),
        ])?;
        Ok(self.connection.last_insert_rowid())
    }

    /// Takes in a run that another journal shipped: all of it, or nothing.
    pub(super) fn take_in(&mut self, history: History<'_>, blobs: &Blobs) -> Result<Head, Error> {
        let run = history.entry.run_id.clone();
        self.forget_record(&run);
        let head = self.transaction(|writer| writer.take_in_now(history, blobs))?;
        let anchor = self.anchor_of(&run)?;
        anchor.write(head)?;
        anchor.sync()?;
        Ok(head)
    }

    fn take_in_now(&mut self, history: History<'_>, blobs: &Blobs) -> Result<Head, Error> {
        let run = history.entry.run_id.clone();
        if let Some(record) = Record::find(&self.connection, &run)? {
            if keep::archived(&self.connection, &run)?.is_none() {
                return Err(Error::RunExists { run });
            }
            keep::refill(&self.connection, &record, history, blobs)?;
            return Ok(record.head);
        }
        let mut record = self.begin(&run, history.entry)?;
        schema::raise_first_epoch(&self.connection, history.epoch)?;
        record.epoch = history.epoch;
        record.number = record.insert(&self.connection)?;
        let mut archived = None;
        for frame in history.frames {
            let frame = frame?;
            if frame.seq != record.head.seq + 1 {
                let what = "it does not follow what was taken in before it";
                return Err(Error::Corrupt(Problem::at(&run, frame.seq, what)));
            }
            let hash = frame.prove(&run, &record.head.hash, &*self.keys, &|id| blobs.get(id))?;
            record.head = Head { seq: frame.last(), hash };
            record.head_row = self.insert_frame(&frame, &record)?;
            if frame.is_archived() {
                archived = Some((frame.last(), frame.at));
            }
        }
        if record.head.seq == 0 {
            return Err(Error::Corrupt(Problem::of(&run, "there is nothing of it to take in")));
        }
        let said = record.entry.clone();
        record.say(said, true, &*self.keys)?;
        record.update(&self.connection)?;
        keep::came_in(&self.connection, &run, archived)?;
        for checkpoint in history.checkpoints {
            self.insert_checkpoint(&record, checkpoint.seq, &PreparedCheckpoint::new(checkpoint.bytes))?;
        }
        Ok(record.head)
    }

    /// The row of a frame that ends at the head of `record`; its number.
    fn insert_frame(&self, frame: &Frame, record: &Record) -> Result<i64, Error> {
        let mut statement = self.connection.prepare_cached(
            "insert into events (run, seq, at, kinds, codec, key_id, body, hash, request, back, marked) \
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?;
        statement.execute(params![
            record.number,
            frame.seq as i64,
            frame.at.as_millis(),
            frame.kinds,
            frame.codec,
            frame.key_id,
            frame.body,
            frame.hash,
            frame.request,
            record.head_row,
            walk::is_marked(frame.seq, record.head.seq),
        ])?;
        Ok(self.connection.last_insert_rowid())
    }

    fn keep_checkpoint(&self, prepared: &Prepared, record: &Record) -> Result<(), Error> {
        let Some(checkpoint) = &prepared.checkpoint else { return Ok(()) };
        self.insert_checkpoint(record, record.head.seq, checkpoint)
    }

    fn insert_checkpoint(
        &self,
        record: &Record,
        seq: Seq,
        checkpoint: &PreparedCheckpoint,
    ) -> Result<(), Error> {
        let mut insert = self.connection.prepare_cached(
            "insert into checkpoints (run, seq, codec, key_id, bytes, digest) values (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        let place = Place::Checkpoint { run: &record.entry.run_id.key(), seq };
        let kept = codec::seal(&*self.keys, &place, checkpoint.codec, checkpoint.bytes.clone())?;
        insert.execute(params![
            record.number,
            seq as i64,
            kept.codec,
            kept.key_id,
            kept.bytes,
            checkpoint_digest(&record.entry.run_id, seq, &checkpoint.digest),
        ])?;
        let mut forget = self.connection.prepare_cached(
            "delete from checkpoints where run = ?1 and seq not in \
             (select seq from checkpoints where run = ?1 order by seq desc limit ?2)",
        )?;
        forget.execute(params![record.number, CHECKPOINTS_KEPT as i64])?;
        Ok(())
    }

    fn find_request(&self, record: &Record, request: &[u8; 16]) -> Result<Option<Head>, Error> {
        let mut statement = self
            .connection
            .prepare_cached("select seq, kinds, hash from events where run = ?1 and request = ?2")?;
        let found = statement
            .query_row(params![record.number, request], |row| {
                let kinds: String = row.get(1)?;
                let first: i64 = row.get(0)?;
                let last = (first as u64).wrapping_add(kinds.split(' ').count() as u64 - 1);
                Ok(Head { seq: last, hash: row.get(2)? })
            })
            .optional()?;
        Ok(found)
    }

    /// After COMMIT, before the answer.
    fn anchor(&mut self, placed: Placed) -> Result<Head, Error> {
        let (head, run) = match placed {
            Placed::Before(head) => return Ok(head),
            Placed::Now(head, run) => (head, run),
        };
        // It was opened and looked at within this very transaction.
        let written = match self.anchors.get_mut(&run.key()) {
            Some(anchor) => anchor.write(head).map_err(Error::from),
            None => self.anchor_of(&run).and_then(|anchor| Ok(anchor.write(head)?)),
        };
        match written {
            // A full disk leaves a lower anchor, which is allowed; the events themselves are durable.
            Err(Error::File(error)) if error.is_no_space() => Ok(head),
            Err(error) => Err(error),
            Ok(()) => Ok(head),
        }
    }

    /// Refuses to go on where acknowledged events are gone. A look at the file, once per run.
    pub(super) fn check_anchor(&mut self, record: &Record) -> Result<(), Error> {
        if self.anchors.get(&record.entry.run_id.key()).is_some_and(Anchor::is_linked) {
            return Ok(());
        }
        let anchor = self.anchor_of(&record.entry.run_id)?;
        let (foreign, anchored) = (anchor.is_foreign(), anchor.read());
        let sound = match foreign {
            true => Err(Error::Corrupt(verify::foreign(&record.entry.run_id))),
            false => read::check_anchor(&self.connection, &record.clone().into_row(), anchored),
        };
        if sound.is_err() {
            // An anchor that stays open counts as checked.
            self.anchors.remove(&record.entry.run_id.key());
        }
        sound
    }

    /// Makes the anchor of a run durable.
    pub(super) fn settle(&mut self, run: &RunId) -> Result<(), Error> {
        self.queue.file()?;
        let record =
            Record::find(&self.connection, run)?.ok_or_else(|| Error::UnknownRun { run: run.clone() })?;
        self.check_anchor(&record)?;
        self.anchor_of(run)?.sync()?;
        file::sync_dir(&self.anchors_dir)?;
        Ok(())
    }

    fn anchor_of(&mut self, run: &RunId) -> Result<&mut Anchor, Error> {
        let key = run.key();
        let path = self.anchors_dir.join(&key);
        if self.anchors.get(&key).is_some_and(|anchor| !anchor.is_linked()) {
            // Another process may have removed the run and created it anew; then there is another file.
            if !path.exists() {
                return Err(Error::Unlinked { path });
            }
            self.anchors.remove(&key);
        }
        if !self.anchors.contains_key(&key) {
            if self.anchors.len() >= ANCHORS_OPEN_MAX {
                self.anchors.clear();
            }
            let opened = Anchor::open(&path, self.journal, true)?;
            self.anchors.insert(key.clone(), opened.expect("opened with create"));
        }
        Ok(self.anchors.get_mut(&key).expect("just inserted"))
    }

    /// Gives the journal another identity. The anchors follow: one that was only begun is allowed, one of another journal is not, so they are
    /// begun anew before the commit and written after it.
    pub(super) fn identify(&mut self, identity: &Identity) -> Result<(), Error> {
        self.anchors.clear();
        let (journal, directory) = (self.journal, self.anchors_dir.clone());
        let is_renamed = identity.id.0 != journal;
        let known = self.transaction(|writer| {
            let known = if is_renamed { verify::anchors(&directory, journal)? } else { Vec::new() };
            for (run, _) in &known {
                writer.forget_anchor(run)?;
            }
            schema::identify(&writer.connection, identity)?;
            Ok(known)
        })?;
        self.journal = identity.id.0;
        for (run, head) in known {
            let anchor = self.anchor_of(&run)?;
            anchor.write(head)?;
            anchor.sync()?;
        }
        Ok(())
    }

    /// Begins the anchor of a run anew: it proves nothing any more, and is not missed.
    pub(super) fn forget_anchor(&mut self, run: &RunId) -> Result<(), Error> {
        if self.anchors_dir.join(run.key()).exists() {
            self.anchor_of(run)?.begin()?;
        }
        // The journal may have another name by the time it is written again.
        self.anchors.remove(&run.key());
        Ok(())
    }

    /// Takes away the anchor of a run that is gone.
    pub(super) fn remove_anchor(&mut self, run: &RunId) -> Result<(), Error> {
        self.anchors.remove(&run.key());
        file::remove_file_if_exists(&self.anchors_dir.join(run.key()))?;
        Ok(())
    }
}

impl Queue {
    fn file(&self) -> Result<&File, Error> {
        match self {
            Queue::At(file) => Ok(file),
            Queue::Closed(path, why) => Err(Error::ReadOnly { path: path.clone(), source: Arc::clone(why) }),
        }
    }
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
        | Error::Diverged { .. }
        | Error::Archived { .. }
        | Error::Driven { .. }
        | Error::Corrupt(_) => false,
        Error::UnknownUrl { .. }
        | Error::Sealed { .. }
        | Error::Newer { .. }
        | Error::Older { .. }
        | Error::NoSpace { .. }
        | Error::SyncFailed { .. }
        | Error::Unlinked { .. }
        | Error::ReadOnly { .. }
        | Error::Locked { .. }
        | Error::Open { .. }
        | Error::Key(_)
        | Error::File(_)
        | Error::Database(_) => true,
    }
}

/// The same answer for the other appends of a transaction that failed.
fn again(error: &Error) -> Error {
    match error {
        Error::NoSpace { source } => Error::NoSpace { source: source.to_string().into() },
        Error::Unlinked { path } => Error::Unlinked { path: path.clone() },
        Error::Corrupt(problem) => Error::Corrupt(problem.clone()),
        Error::Newer { found, known } => Error::Newer { found: *found, known: *known },
        Error::Older { found, known } => Error::Older { found: *found, known: *known },
        Error::ReadOnly { path, source } => {
            Error::ReadOnly { path: path.clone(), source: Arc::clone(source) }
        }
        Error::Key(error) => Error::Key(piton_seal::Error::CannotSeal { why: error.to_string() }),
        Error::File(error) => Error::File(file::Error::new(
            error.action,
            &error.path,
            std::io::Error::new(error.source.kind(), error.source.to_string()),
        )),
        other => Error::SyncFailed { source: other.to_string().into() },
    }
}
