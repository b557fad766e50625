//! Verified reads: what is served was checked against the chain, the row's digest or the anchor.

use std::collections::HashMap;

use piton_model::{RunId, Seq};
use piton_seal::{Keys, Place};
use rusqlite::{Connection, Transaction, params};

use super::index::Record;
use super::record::checkpoint_digest;
use super::{verify, walk};
use crate::blob::Blobs;
use crate::chain::{self, Hash};
use crate::codec;
use crate::error::{Error, Problem};
use crate::frame::Frame;
use crate::types::{Checkpoint, Cursor, Head, Page, RunRow, StoredEvent, Wanted};

/// The row of a run. The anchor was read before: read later, it may be ahead by an append in between.
pub(super) fn row(
    connection: &Connection,
    run: &RunId,
    anchor: Option<Head>,
    keys: &dyn Keys,
) -> Result<RunRow, Error> {
    let _steady = steady(connection)?;
    let row = find(connection, run)?.opened(keys)?.into_row();
    check_anchor(connection, &row, anchor)?;
    Ok(row)
}

/// A page of rows, each compared with its anchor. With the first of them comes a look at all anchors: a run that only
/// an anchor knows is missing.
pub(super) fn page(
    connection: &Connection,
    wanted: &Wanted,
    anchors: &[(RunId, Head)],
    keys: &dyn Keys,
) -> Result<Page, Error> {
    let _steady = steady(connection)?;
    let below = wanted.after.as_ref().map(Cursor::number);
    let (records, next) = Record::page(connection, below, wanted.count_max.max(1))?;
    let (mut rows, mut damaged) = (Vec::new(), Vec::new());
    for record in records {
        match record.and_then(|record| record.opened(keys)) {
            Ok(record) => rows.push(record.into_row()),
            Err(Error::Corrupt(problem)) if wanted.despite_losses => damaged.push(problem),
            Err(error) => return Err(error),
        }
    }
    let by_key: HashMap<String, &RunRow> = rows.iter().map(|row| (row.entry.run_id.key(), row)).collect();
    for (run, head) in anchors {
        match by_key.get(&run.key()) {
            Some(row) => check_anchor(connection, row, Some(*head))?,
            // On another page, or nowhere.
            None if below.is_some() => {}
            None if next.is_some() && Record::find(connection, run)?.is_some() => {}
            None => return Err(Error::Corrupt(verify::gone(run, *head))),
        }
    }
    Ok(Page { rows, damaged, next: next.map(Cursor::after) })
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
        return Err(Error::Corrupt(Problem::of(&row.entry.run_id, what)));
    }
    let stored = if anchor.seq == row.head.seq {
        Some(row.head.hash)
    } else {
        let link = walk::link(connection, &find(connection, &row.entry.run_id)?, anchor.seq)?;
        (link.last == anchor.seq).then_some(link.hash)
    };
    if stored != Some(anchor.hash) {
        let what = "it is not the event that was acknowledged";
        return Err(Error::Corrupt(Problem::at(&row.entry.run_id, anchor.seq, what)));
    }
    Ok(())
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
    let mut events: Vec<StoredEvent> = Vec::new();
    rows_from(connection, &record, from.max(1), |row, previous| {
        let opened = row.open(run, previous, blobs.keys(), &|id| blobs.get(id))?;
        let hash = opened.last().expect("a row has at least one event").hash;
        events.extend(opened.into_iter().filter(|event| event.seq >= from));
        Ok((events.len() < count_max).then_some(hash))
    })?;
    Ok(events)
}

/// Gives the rows from the one that holds event `from` to `take`, each with what it stands on. `take` answers
/// with the hash after it, or `None` when it has enough; otherwise the last hash must be that of the head.
pub(super) fn rows_from(
    connection: &Connection,
    record: &Record,
    from: Seq,
    mut take: impl FnMut(&Frame, &Hash) -> Result<Option<Hash>, Error>,
) -> Result<(), Error> {
    let (mut next, mut hash) = (from, None);
    while next <= record.head.seq {
        let segment = walk::segment(connection, record, next)?;
        let mut previous = hash.unwrap_or(segment.previous);
        for row in &segment.rows {
            match take(row, &previous)? {
                Some(after) => previous = after,
                None => return Ok(()),
            }
            next = row.last().wrapping_add(1);
        }
        hash = Some(previous);
    }
    if next.wrapping_sub(1) != record.head.seq || hash != Some(record.head.hash) {
        let what = "it is not where the index says the run ends";
        return Err(Error::Corrupt(Problem::at(&record.entry.run_id, record.head.seq, what)));
    }
    Ok(())
}

/// What follows `after` in a run, as it is kept: whole appends, at least one, until `bytes_max` is reached.
pub(super) fn frames(
    connection: &Connection,
    run: &RunId,
    after: Head,
    bytes_max: usize,
    anchor: Option<Head>,
    blobs: &Blobs,
) -> Result<Vec<Frame>, Error> {
    let _steady = steady(connection)?;
    let record = find(connection, run)?;
    check_anchor(connection, &record.clone().into_row(), anchor)?;
    let diverged = || Error::Diverged { run: run.clone(), seq: after.seq };
    let stands = match after.seq {
        0 => chain::genesis(&record.entry.run_id) == after.hash,
        seq if seq > record.head.seq => false,
        seq => {
            let link = walk::link(connection, &record, seq)?;
            link.last == seq && link.hash == after.hash
        }
    };
    if !stands {
        return Err(diverged());
    }
    let (mut frames, mut bytes) = (Vec::new(), 0);
    if after.seq == record.head.seq {
        return Ok(frames);
    }
    rows_from(connection, &record, after.seq + 1, |row, previous| {
        let hash = row.prove(run, previous, blobs.keys(), &|id| blobs.get(id))?;
        bytes += row.body.len();
        frames.push(row.clone());
        Ok((bytes < bytes_max).then_some(hash))
    })?;
    Ok(frames)
}

pub(super) fn checkpoint(
    connection: &Connection,
    run: &RunId,
    at_most: Seq,
    keys: &dyn Keys,
) -> Result<Option<Checkpoint>, Error> {
    let _steady = steady(connection)?;
    checkpoint_of(connection, &find(connection, run)?, at_most, keys)
}

pub(super) fn checkpoint_of(
    connection: &Connection,
    record: &Record,
    at_most: Seq,
    keys: &dyn Keys,
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
    let problem = || Problem::at(&record.entry.run_id, seq, "its checkpoint is not what was written");
    let place = Place::Checkpoint { run: &record.entry.run_id.key(), seq };
    let bytes = codec::open(keys, &place, codec, key_id, &kept).map_err(|error| error.or_damaged(problem))?;
    if checkpoint_digest(&record.entry.run_id, seq, &chain::digest(&bytes)).as_slice() != digest {
        return Err(Error::Corrupt(problem()));
    }
    Ok(Some(Checkpoint { seq, bytes }))
}

pub(super) fn revision(connection: &Connection) -> Result<u64, Error> {
    let version: i64 = connection.prepare_cached("pragma data_version")?.query_row([], |row| row.get(0))?;
    Ok(version as u64)
}
