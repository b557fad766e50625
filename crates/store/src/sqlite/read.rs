//! Verified reads: what is served was checked against the chain, the row's digest or the anchor.

use std::collections::HashMap;

use piton_model::{RunId, Seq, Timestamp};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::index::Record;
use super::record::{Row, checkpoint_digest};
use super::verify;
use crate::blob::Blobs;
use crate::chain::{self, Hash};
use crate::codec;
use crate::error::{Error, Problem};
use crate::types::{Checkpoint, Head, RunRow, StoredEvent};

/// The row of a run. The anchor was read before: read later, it may be ahead by an append in between.
pub(super) fn row(connection: &Connection, run: &RunId, anchor: Option<Head>) -> Result<RunRow, Error> {
    let _steady = steady(connection)?;
    let row = find(connection, run)?.into_row();
    check_anchor(connection, &row, anchor)?;
    Ok(row)
}

/// The rows of all runs, each compared with its anchor; a run that only an anchor knows is missing.
pub(super) fn rows(connection: &Connection, anchors: &[(RunId, Head)]) -> Result<Vec<RunRow>, Error> {
    let _steady = steady(connection)?;
    let rows: Vec<RunRow> = Record::all(connection)?.into_iter().map(Record::into_row).collect();
    let by_key: HashMap<String, &RunRow> = rows.iter().map(|row| (row.run.key(), row)).collect();
    for (run, head) in anchors {
        match by_key.get(&run.key()) {
            Some(row) => check_anchor(connection, row, Some(*head))?,
            None => return Err(Error::Corrupt(verify::gone(run, *head))),
        }
    }
    Ok(rows)
}

/// One view of the database while this lives, whatever others commit; inside a transaction there is one.
pub(super) fn steady(connection: &Connection) -> Result<Option<Transaction<'_>>, Error> {
    Ok(if connection.is_autocommit() { Some(connection.unchecked_transaction()?) } else { None })
}

fn find(connection: &Connection, run: &RunId) -> Result<Record, Error> {
    Record::find(connection, run)?.ok_or_else(|| Error::UnknownRun { run: run.clone() })
}

/// An anchor that is ahead of the journal proves that acknowledged events are gone.
pub(super) fn check_anchor(connection: &Connection, row: &RunRow, anchor: Option<Head>) -> Result<(), Error> {
    let Some(anchor) = anchor else { return Ok(()) };
    if anchor.seq > row.head.seq {
        let what = format!("events {} to {} were acknowledged and are gone", row.head.seq + 1, anchor.seq);
        return Err(Error::Corrupt(Problem::of(&row.run, what)));
    }
    let stored = if anchor.seq == row.head.seq {
        Some(row.head.hash)
    } else {
        let number = find(connection, &row.run)?.number;
        hash_ending_at(connection, number, anchor.seq)?
    };
    if stored != Some(anchor.hash) {
        let what = "it is not the event that was acknowledged";
        return Err(Error::Corrupt(Problem::at(&row.run, anchor.seq, what)));
    }
    Ok(())
}

/// The hash of the row that ends exactly at `seq`.
fn hash_ending_at(connection: &Connection, run: i64, seq: Seq) -> Result<Option<Hash>, Error> {
    let mut statement = connection.prepare_cached(
        "select hash, seq, kinds from events where run = ?1 and seq <= ?2 order by seq desc limit 1",
    )?;
    let found: Option<(Hash, i64, String)> = statement
        .query_row(params![run, seq as i64], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    Ok(found.and_then(|(hash, first, kinds)| {
        let last = (first as u64).wrapping_add(kinds.split(' ').count() as u64 - 1);
        (last == seq).then_some(hash)
    }))
}

pub(super) fn events(
    connection: &Connection,
    run: &RunId,
    from: Seq,
    count_max: usize,
    anchor: Option<Head>,
    blobs: &Blobs,
) -> Result<Vec<StoredEvent>, Error> {
    // One view of the index and the events, whatever others append or remove meanwhile.
    let _steady = steady(connection)?;
    let record = find(connection, run)?;
    check_anchor(connection, &record.clone().into_row(), anchor)?;
    if from > record.head.seq {
        return Ok(Vec::new());
    }
    let mut statement = connection.prepare_cached(
        "select seq, at, kinds, codec, key_id, body, hash from events where run = ?1 and seq >= \
         (select max(seq) from events where run = ?1 and seq <= ?2) order by seq",
    )?;
    let mut rows = statement.query(params![record.number, from.max(1) as i64])?;
    let mut events: Vec<StoredEvent> = Vec::new();
    let mut chain: Option<(Seq, Hash)> = None;
    while let Some(row) = rows.next()? {
        let row = row_of(row)?;
        let (expected, previous) = match chain {
            Some(position) => position,
            None => (row.seq, previous_hash(connection, &record, row.seq)?),
        };
        if row.seq != expected {
            return Err(Error::Corrupt(Problem::at(run, expected, "it is missing")));
        }
        let opened = row.open(run, &previous, blobs)?;
        let last = opened.last().expect("a row has at least one event");
        chain = Some((last.seq.wrapping_add(1), last.hash));
        events.extend(opened.into_iter().filter(|event| event.seq >= from));
        if events.len() >= count_max {
            return Ok(events);
        }
    }
    match events.last() {
        Some(last) if last.seq == record.head.seq && last.hash == record.head.hash => Ok(events),
        _ => Err(Error::Corrupt(Problem::at(
            run,
            record.head.seq,
            "it is not where the index says the run ends",
        ))),
    }
}

fn previous_hash(connection: &Connection, record: &Record, first: Seq) -> Result<Hash, Error> {
    if first == 1 {
        return Ok(chain::genesis(&record.run));
    }
    hash_ending_at(connection, record.number, first - 1)?
        .ok_or_else(|| Error::Corrupt(Problem::at(&record.run, first - 1, "it is missing")))
}

pub(super) fn row_of(row: &rusqlite::Row<'_>) -> Result<Row, rusqlite::Error> {
    Ok(Row {
        seq: row.get::<_, i64>(0)? as Seq,
        at: Timestamp::from_millis(row.get(1)?),
        kinds: row.get(2)?,
        codec: row.get(3)?,
        key_id: row.get(4)?,
        body: row.get(5)?,
        hash: row.get(6)?,
    })
}

pub(super) fn checkpoint(
    connection: &Connection,
    run: &RunId,
    at_most: Seq,
) -> Result<Option<Checkpoint>, Error> {
    let _steady = steady(connection)?;
    checkpoint_of(connection, &find(connection, run)?, at_most)
}

pub(super) fn checkpoint_of(
    connection: &Connection,
    record: &Record,
    at_most: Seq,
) -> Result<Option<Checkpoint>, Error> {
    let mut statement = connection.prepare_cached(
        "select seq, codec, key_id, bytes, digest from checkpoints where run = ?1 and seq <= ?2 \
         order by seq desc limit 1",
    )?;
    let mut rows = statement.query(params![record.number, at_most.min(i64::MAX as u64) as i64])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let seq = row.get::<_, i64>(0)? as Seq;
    let (codec, key_id): (i64, i64) = (row.get(1)?, row.get(2)?);
    let (kept, digest): (Vec<u8>, Vec<u8>) = (row.get(3)?, row.get(4)?);
    let damaged = || Error::Corrupt(Problem::at(&record.run, seq, "its checkpoint is not what was written"));
    let bytes = codec::decode(codec, &kept).map_err(|_| damaged())?;
    if key_id != 0 || checkpoint_digest(&record.run, seq, &chain::digest(&bytes)).as_slice() != digest {
        return Err(damaged());
    }
    Ok(Some(Checkpoint { seq, bytes }))
}

pub(super) fn revision(connection: &Connection) -> Result<u64, Error> {
    let version: i64 = connection.prepare_cached("pragma data_version")?.query_row([], |row| row.get(0))?;
    Ok(version as u64)
}
