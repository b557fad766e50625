//! What is let go of, and what is remembered of it: payloads of runs that are archived, runs that were removed, large payloads
//! that nothing names.
//!
//! Notes lie in `meta`, each under the name of its run and with a digest before it. That a row is archived the row itself says:
//! a note only says where the rest is.
//!
//! Invariant: what is let go was verified in the same transaction, and what is left verifies as before.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use piton_model::{Epoch, RunId, Seq, Timestamp};
use piton_seal::Keys;
use rusqlite::{Connection, OptionalExtension, params};

use super::commit::Writer;
use super::index::Record;
use super::{lease, schema, walk};
use crate::blob::Blobs;
use crate::chain::{self, Hash};
use crate::error::{Error, Problem};
use crate::frame::{ARCHIVED, Frame};
use crate::types::{Archived, Gone, Head, History, Lease, Sizes, Sweep, Swept};

/// Rows that are archived in one transaction: whoever wants to append waits no longer than that takes.
const ROWS_AT_ONCE: usize = 512;

/// Large payloads that are removed while nobody can write.
const BLOBS_AT_ONCE: usize = 256;

const ARCHIVED_NOTE: &str = "archived:";
const GONE_NOTE: &str = "removed:";

/// Lets go of the payloads of a run up to and with `archived.through`.
pub(super) fn archive(
    writer: &mut Writer,
    lease: &Lease,
    archived: &Archived,
    blobs: &Blobs,
) -> Result<(), Error> {
    let run = &lease.run;
    let held = |writer: &Writer| {
        let record = find(&writer.connection, run)?;
        lease::check_epoch(&record, lease.epoch)?;
        Ok::<Record, Error>(record)
    };
    // The note comes first: there is never a row that is archived without a word.
    let rows = writer.transaction(|writer| {
        let record = held(writer)?;
        let note = serde_json::to_vec(archived).expect("a note is plain data");
        put_note(&writer.connection, ARCHIVED_NOTE, &run.key(), &note)?;
        rows_of(&writer.connection, &record)
    })?;
    let mut previous = chain::genesis(run);
    for rows in rows.chunks(ROWS_AT_ONCE) {
        previous = writer.transaction(|writer| {
            let record = held(writer)?;
            let mut previous = previous;
            for row in rows {
                let frame = frame_at(&writer.connection, &record, *row)?;
                let hash = frame.prove(&record.entry.run_id, &previous, blobs.keys(), &|id| blobs.get(id))?;
                if frame.last() <= archived.through && !frame.is_archived() {
                    let frame =
                        frame.archived(&record.entry.run_id, &previous, blobs.keys(), &|id| blobs.get(id))?;
                    write_body(&writer.connection, *row, &frame)?;
                }
                previous = hash;
            }
            Ok(previous)
        })?;
    }
    // One that is older has nothing to go on with.
    writer.transaction(|writer| {
        let record = held(writer)?;
        let sql = "delete from checkpoints where run = ?1 and seq <= ?2";
        writer.connection.execute(sql, params![record.number, archived.through as i64])?;
        Ok(())
    })
}

/// Gives a run that is archived the payloads back that `history` has of the same chain. `true` where it has all of them again.
pub(super) fn refill(
    connection: &Connection,
    record: &Record,
    history: History<'_>,
    blobs: &Blobs,
) -> Result<(), Error> {
    let run = &record.entry.run_id;
    let mut rows = rows_of(connection, record)?.into_iter();
    let mut previous = chain::genesis(run);
    let mut left = false;
    for frame in history.frames {
        let (frame, Some(row)) = (frame?, rows.next()) else { break };
        let there = frame_at(connection, record, row)?;
        if there.seq != frame.seq || there.hash != frame.hash {
            return Err(Error::Diverged { run: run.clone(), seq: frame.seq });
        }
        previous = frame.prove(run, &previous, blobs.keys(), &|id| blobs.get(id))?;
        if there.is_archived() && !frame.is_archived() {
            write_body(connection, row, &frame)?;
        }
        left |= there.is_archived() && frame.is_archived();
    }
    for row in rows {
        left |= frame_at(connection, record, row)?.is_archived();
    }
    if !left {
        drop_note(connection, ARCHIVED_NOTE, &run.key())?;
    }
    Ok(())
}

/// Where the payloads of a run are, as its note says.
pub(super) fn archived(connection: &Connection, run: &RunId) -> Result<Option<Archived>, Error> {
    let Some(bytes) = note(connection, ARCHIVED_NOTE, &run.key())? else { return Ok(None) };
    let read = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    read.map(Some).ok_or_else(|| Error::Corrupt(Problem::of(run, NOTE_DAMAGED)))
}

const NOTE_DAMAGED: &str = "the note that says where its payloads are is not what was written";

/// A run that is taken in: it is not gone any more, and where payloads are missing, that is noted.
pub(super) fn came_in(
    connection: &Connection,
    run: &RunId,
    archived: Option<(Seq, Timestamp)>,
) -> Result<(), Error> {
    let key = run.key();
    drop_note(connection, GONE_NOTE, &key)?;
    drop_note(connection, ARCHIVED_NOTE, &key)?;
    if let Some((through, at)) = archived {
        let archived = Archived { through, at, place: None, backup: None };
        let bytes = serde_json::to_vec(&archived).expect("a note is plain data");
        put_note(connection, ARCHIVED_NOTE, &key, &bytes)?;
    }
    Ok(())
}

/// A run is removed: its name stays taken.
pub(super) fn went(connection: &Connection, record: &Record) -> Result<(), Error> {
    let key = record.entry.run_id.key();
    drop_note(connection, ARCHIVED_NOTE, &key)?;
    bury(connection, &Gone { key, head: record.head, epoch: record.epoch })
}

/// Notes a run that was removed.
pub(super) fn bury(connection: &Connection, gone: &Gone) -> Result<(), Error> {
    let mut bytes = Vec::with_capacity(48);
    bytes.extend_from_slice(&gone.epoch.to_le_bytes());
    bytes.extend_from_slice(&gone.head.seq.to_le_bytes());
    bytes.extend_from_slice(&gone.head.hash);
    put_note(connection, GONE_NOTE, &gone.key, &bytes)
}

/// The runs that were removed. A note that is not what was written still says whose name is taken.
pub(super) fn gone(connection: &Connection) -> Result<Vec<Gone>, Error> {
    let parse = |key: String, bytes: Option<Vec<u8>>| {
        let bytes = bytes.unwrap_or_default();
        let number = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        let hash: Hash = bytes.get(16..48).and_then(|hash| hash.try_into().ok()).unwrap_or_default();
        let head = Head { seq: number(8).unwrap_or(0), hash };
        Gone { key, head, epoch: number(0).unwrap_or(0) as Epoch }
    };
    Ok(notes(connection, GONE_NOTE)?.into_iter().map(|(key, bytes)| parse(key, bytes)).collect())
}

/// Notes that are not what was written, and rows that are archived without a note.
pub(super) fn damaged_notes(connection: &Connection) -> Result<Vec<Problem>, Error> {
    let mut problems = Vec::new();
    for (prefix, what) in
        [(ARCHIVED_NOTE, NOTE_DAMAGED), (GONE_NOTE, "the note that it was removed is not what was written")]
    {
        for (key, bytes) in notes(connection, prefix)? {
            if bytes.is_none() {
                problems.push(Problem { run: key.parse().ok(), seq: None, what: what.to_owned() });
            }
        }
    }
    let known: Vec<String> = notes(connection, ARCHIVED_NOTE)?.into_iter().map(|(key, _)| key).collect();
    let sql =
        "select distinct runs.id from events join runs on runs.number = events.run where events.codec = ?1";
    let mut statement = connection.prepare(sql)?;
    for id in statement.query_map([ARCHIVED], |row| row.get::<_, String>(0))? {
        let run: Option<RunId> = id?.parse().ok();
        if let Some(run) = run.filter(|run| !known.contains(&run.key())) {
            problems.push(Problem::of(&run, "it is archived, and nothing says where its payloads are"));
        }
    }
    Ok(problems)
}

/// A note: of which run, and what it says, unless that is not what was written.
type Note = (String, Option<Vec<u8>>);

/// Every note of this sort, by run.
pub(super) fn notes(connection: &Connection, prefix: &str) -> Result<Vec<Note>, Error> {
    let mut statement =
        connection.prepare_cached("select name, value from meta where substr(name, 1, ?2) = ?1")?;
    let rows = statement.query_map(params![prefix, prefix.len() as i64], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?))
    })?;
    let mut notes = Vec::new();
    for row in rows {
        let (name, value) = row?;
        notes.push((name[prefix.len()..].to_owned(), opened(&name, &value)));
    }
    Ok(notes)
}

/// The notes about runs that are archived, as far as they are sound: for looking at what is left of a damaged journal.
pub(super) fn archived_notes(connection: &Connection) -> Vec<(String, Archived)> {
    let sound = |(key, bytes): Note| Some((key, serde_json::from_slice(&bytes?).ok()?));
    notes(connection, ARCHIVED_NOTE)
        .map_or_else(|_| Vec::new(), |notes| notes.into_iter().filter_map(sound).collect())
}

fn note(connection: &Connection, prefix: &str, key: &str) -> Result<Option<Option<Vec<u8>>>, Error> {
    let name = format!("{prefix}{key}");
    let mut statement = connection.prepare_cached("select value from meta where name = ?1")?;
    let value: Option<Vec<u8>> = statement.query_row([&name], |row| row.get(0)).optional()?;
    Ok(value.map(|value| opened(&name, &value)))
}

fn opened(name: &str, value: &[u8]) -> Option<Vec<u8>> {
    let (sum, bytes) = value.split_first_chunk::<16>()?;
    (note_sum(name, bytes) == *sum).then(|| bytes.to_vec())
}

fn put_note(connection: &Connection, prefix: &str, key: &str, bytes: &[u8]) -> Result<(), Error> {
    let name = format!("{prefix}{key}");
    let value = [&note_sum(&name, bytes)[..], bytes].concat();
    connection
        .prepare_cached("insert or replace into meta values (?1, ?2)")?
        .execute(params![name, value])?;
    Ok(())
}

fn drop_note(connection: &Connection, prefix: &str, key: &str) -> Result<(), Error> {
    connection.prepare_cached("delete from meta where name = ?1")?.execute([format!("{prefix}{key}")])?;
    Ok(())
}

fn note_sum(name: &str, bytes: &[u8]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"piton note 1\0");
    hasher.update(&(name.len() as u64).to_le_bytes());
    hasher.update(name.as_bytes());
    hasher.update(bytes);
    hasher.finalize().as_bytes()[..16].try_into().expect("16 of 32 bytes")
}

fn find(connection: &Connection, run: &RunId) -> Result<Record, Error> {
    Record::find(connection, run)?.ok_or_else(|| Error::UnknownRun { run: run.clone() })
}

/// The numbers of a run's rows, from the first on.
fn rows_of(connection: &Connection, record: &Record) -> Result<Vec<i64>, Error> {
    let mut statement = connection.prepare_cached("select back, run from events where row = ?1")?;
    let (mut rows, mut next) = (Vec::new(), record.head_row);
    while next != 0 {
        let found: Option<(i64, i64)> =
            statement.query_row([next], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let (back, _) =
            found.filter(|(back, run)| *run == record.number && *back < next).ok_or_else(|| {
                Error::Corrupt(Problem::of(&record.entry.run_id, "the way to its events is damaged"))
            })?;
        rows.push(next);
        next = back;
    }
    rows.reverse();
    Ok(rows)
}

fn frame_at(connection: &Connection, record: &Record, row: i64) -> Result<Frame, Error> {
    let found = connection.prepare_cached(walk::ROW)?.query_row([row], walk::row_of).optional()?;
    found.ok_or_else(|| Error::Corrupt(Problem::of(&record.entry.run_id, "a row of it is gone")))
}

fn write_body(connection: &Connection, row: i64, frame: &Frame) -> Result<(), Error> {
    connection
        .prepare_cached("update events set codec = ?2, key_id = ?3, body = ?4 where row = ?1")?
        .execute(params![row, frame.codec, frame.key_id, frame.body])?;
    Ok(())
}

/// Collects the large payloads that no event here, and none of a journal that was put aside, names.
pub(super) fn sweep(
    writer: &mut Writer,
    reader: &Connection,
    how: &Sweep,
    blobs: &Blobs,
) -> Result<Swept, Error> {
    let mut swept = Swept::default();
    let mut old = blobs.untouched_since(how.untouched_since);
    if old.is_empty() {
        return Ok(swept);
    }
    let keys = blobs.keys();
    let named = named(reader, keys).and_then(|named| match named {
        Some(mut named) => {
            for aside in &how.aside {
                let Some(more) = named_aside(aside, keys)? else { return Ok(Err(unread(aside))) };
                named.extend(more);
            }
            Ok(Ok(named))
        }
        None => Ok(Err("what some events name cannot be read".to_owned())),
    });
    let named = match named {
        Ok(Ok(named)) => named,
        Ok(Err(why)) => return Ok(Swept { kept_because: Some(why), ..swept }),
        Err(Error::Corrupt(problem)) => {
            return Ok(Swept { kept_because: Some(format!("the journal is damaged: {problem}")), ..swept });
        }
        Err(error) => return Err(error),
    };
    old.retain(|(id, _)| !named.contains(id));
    for some in old.chunks(BLOBS_AT_ONCE) {
        if !how.remove {
            swept.blobs += some.len();
            swept.bytes += some.iter().map(|(_, bytes)| bytes).sum::<u64>();
            continue;
        }
        // Nobody commits meanwhile, and the journal is still the one that was looked at.
        writer.transaction(|_| {
            for (id, bytes) in some {
                if blobs.remove_if_untouched(id, how.untouched_since)? {
                    (swept.blobs, swept.bytes) = (swept.blobs + 1, swept.bytes + bytes);
                }
            }
            Ok(())
        })?;
    }
    Ok(swept)
}

fn unread(aside: &Path) -> String {
    format!("what the journal in `{}` names cannot be read", aside.display())
}

/// The large payloads that any row names, whichever run it belongs to; `None` where a row cannot be read.
fn named(connection: &Connection, keys: &dyn Keys) -> Result<Option<HashSet<Hash>>, Error> {
    let mut named = HashSet::new();
    let numbers = numbers(connection)?;
    let sql = "select run, back, seq, kinds, hash, at, codec, key_id, body, request from events";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let run = run_of(&numbers, row.get(0)?);
        match walk::row_of(row)?.named_blobs(&run, keys) {
            Some(blobs) => named.extend(blobs),
            None => return Ok(None),
        }
    }
    Ok(Some(named))
}

/// The same of a journal that was put aside.
fn named_aside(aside: &Path, keys: &dyn Keys) -> Result<Option<HashSet<Hash>>, Error> {
    let database = super::database(aside);
    if !database.exists() {
        return Ok(Some(HashSet::new()));
    }
    let looked = schema::open_to_salvage(&database).and_then(|connection| named(&connection, keys));
    Ok(looked.unwrap_or(None))
}

/// The runs by their numbers.
fn numbers(connection: &Connection) -> Result<HashMap<i64, String>, Error> {
    let mut statement = connection.prepare("select number, key from runs")?;
    let rows = statement.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The run of a row. Only what is sealed has to know it: of a run that the index does not know, that does not open.
fn run_of(numbers: &HashMap<i64, String>, number: i64) -> RunId {
    let known = numbers.get(&number).and_then(|key| key.parse().ok());
    known.unwrap_or_else(|| "unknown".parse().expect("a name of a run"))
}

/// What the runs take.
pub(super) fn sizes(connection: &Connection, database: &Path, blobs: &Blobs) -> Result<Sizes, Error> {
    let mut sizes = Sizes { blob_bytes: blobs.bytes(), ..Sizes::default() };
    let numbers = numbers(connection)?;
    for key in numbers.values() {
        sizes.runs.entry(key.clone()).or_default();
    }
    for sql in [
        "select run, sum(length(body) + length(kinds) + 64) from events group by run",
        "select run, sum(length(bytes) + 64) from checkpoints group by run",
    ] {
        let mut statement = connection.prepare(sql)?;
        for row in statement.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))? {
            let (number, bytes) = row?;
            if let Some(taken) = numbers.get(&number).and_then(|key| sizes.runs.get_mut(key)) {
                taken.journal_bytes += bytes as u64;
            }
        }
    }
    // Reading what each event names is worth it only where there is something to name.
    if sizes.blob_bytes > 0 {
        add_blobs(connection, blobs, &numbers, &mut sizes)?;
    }
    let length = |ending: &str| {
        let mut name = database.as_os_str().to_owned();
        name.push(ending);
        std::fs::metadata(name).map_or(0, |found| found.len())
    };
    sizes.file_bytes = length("") + length("-wal");
    sizes.free_bytes = free_bytes(connection)?;
    Ok(sizes)
}

fn add_blobs(
    connection: &Connection,
    blobs: &Blobs,
    numbers: &HashMap<i64, String>,
    sizes: &mut Sizes,
) -> Result<(), Error> {
    let sql = "select run, back, seq, kinds, hash, at, codec, key_id, body, request from events";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut seen = HashSet::new();
    while let Some(row) = rows.next()? {
        let number: i64 = row.get(0)?;
        let run = run_of(numbers, number);
        for id in walk::row_of(row)?.blobs(&run, blobs.keys()) {
            if seen.insert((number, id))
                && let Some(taken) = numbers.get(&number).and_then(|key| sizes.runs.get_mut(key))
            {
                taken.blob_bytes += blobs.kept_bytes(&id);
            }
        }
    }
    Ok(())
}

fn free_bytes(connection: &Connection) -> Result<u64, Error> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    Ok((number("freelist_count")? * number("page_size")?) as u64)
}
