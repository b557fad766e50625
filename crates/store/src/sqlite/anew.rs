//! Sealing anew what is there: with another key, or for the first time.
//!
//! Row by row, a few in each transaction, so that others write in between. Whoever is killed has sealed some rows and not the others, and
//! the next call goes on: a row is looked at by the key that it names. Hashes do not change: they are over the bytes before they were packed.

use std::collections::BTreeMap;

use piton_model::{RunId, Seq};
use piton_seal::{KeyId, Place};
use piton_sys::fault;
use rusqlite::{Connection, params};

use super::commit::Writer;
use super::index::Record;
use crate::blob::Blobs;
use crate::codec::{self, Codec};
use crate::error::{Error, Problem};

/// Rows of one transaction.
const AT_A_TIME: usize = 256;

/// How many pieces each key has sealed.
pub(super) fn uses(connection: &Connection, blobs: &Blobs) -> Result<BTreeMap<KeyId, u64>, Error> {
    let mut uses = BTreeMap::new();
    for table in ["events", "checkpoints"] {
        let mut statement =
            connection.prepare(&format!("select key_id, count(*) from {table} group by key_id"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (key, count): (i64, i64) = (row.get(0)?, row.get(1)?);
            *uses.entry(KeyId::of(key)).or_default() += count as u64;
        }
    }
    for record in Record::page(connection, None, usize::MAX)?.0.into_iter().flatten() {
        record.hidden.keys().for_each(|key| *uses.entry(KeyId::of(key)).or_default() += 1);
    }
    for key in blobs.all().iter().filter_map(|(id, _)| blobs.key_of(id)) {
        *uses.entry(KeyId::of(key)).or_default() += 1;
    }
    Ok(uses)
}

/// Seals with the key for new pieces whatever is not.
pub(super) fn seal_anew(writer: &mut Writer, blobs: &Blobs) -> Result<u64, Error> {
    let key = writer.keys.for_new()?.number();
    let mut count = 0;
    for (id, _) in blobs.all() {
        if blobs.key_of(&id).is_some_and(|found| found != key) {
            fault::point("store.anew.blob");
            blobs.seal_anew(&id)?;
            count += 1;
        }
    }
    for table in [Table::Events, Table::Checkpoints] {
        loop {
            let done = writer.transaction(|writer| rows_anew(writer, table, key))?;
            fault::point("store.anew.rows");
            count += done;
            if done == 0 {
                break;
            }
        }
    }
    let records = Record::page(&writer.connection, None, usize::MAX)?.0;
    for record in records {
        let record = record?;
        if record.hidden.keys().all(|found| found == key) {
            continue;
        }
        let run = record.entry.run_id.clone();
        writer.forget_record(&run);
        writer.transaction(|writer| words_anew(writer, &run))?;
        count += 1;
    }
    forget_what_was(&writer.connection)?;
    Ok(count)
}

#[derive(Clone, Copy)]
enum Table {
    Events,
    Checkpoints,
}

/// A row that is sealed with another key.
struct Old {
    row: i64,
    run: String,
    seq: Seq,
    codec: i64,
    key_id: i64,
    bytes: Vec<u8>,
}

/// Seals the next few rows of a table.
fn rows_anew(writer: &Writer, table: Table, key: i64) -> Result<u64, Error> {
    let (name, row, bytes) = match table {
        Table::Events => ("events", "row", "body"),
        Table::Checkpoints => ("checkpoints", "rowid", "bytes"),
    };
    let (connection, keys) = (&writer.connection, &*writer.keys);
    let old: Vec<Old> = {
        let sql = format!(
            "select t.{row}, runs.id, t.seq, t.codec, t.key_id, t.{bytes} from {name} t join runs on runs.number = t.run \
             where t.key_id <> ?1 limit {AT_A_TIME}"
        );
        let mut statement = connection.prepare_cached(&sql)?;
        let read = statement.query_map([key], |row| {
            Ok(Old {
                row: row.get(0)?,
                run: row.get(1)?,
                seq: row.get::<_, i64>(2)? as Seq,
                codec: row.get(3)?,
                key_id: row.get(4)?,
                bytes: row.get(5)?,
            })
        })?;
        read.collect::<Result<_, _>>()?
    };
    let sql = format!("update {name} set codec = ?2, key_id = ?3, {bytes} = ?4 where {row} = ?1");
    let mut update = connection.prepare_cached(&sql)?;
    for old in &old {
        let unnamed =
            || Problem { run: None, seq: Some(old.seq), what: "its run has no readable name".to_owned() };
        let run = old.run.parse::<RunId>().map_err(|_| Error::Corrupt(unnamed()))?.key();
        let place = match table {
            Table::Events => Place::Events { run: &run, seq: old.seq },
            Table::Checkpoints => Place::Checkpoint { run: &run, seq: old.seq },
        };
        let plain = codec::open(keys, &place, old.codec, old.key_id, &old.bytes)?;
        let (codec, packed): (Codec, _) = codec::encode(plain);
        let kept = codec::seal(keys, &place, codec, packed)?;
        update.execute(params![old.row, kept.codec, kept.key_id, kept.bytes])?;
    }
    Ok(old.len() as u64)
}

fn words_anew(writer: &Writer, run: &RunId) -> Result<(), Error> {
    // It may have gone on since, or be gone.
    match Record::find(&writer.connection, run)? {
        Some(record) => record.said_anew(&*writer.keys)?.update(&writer.connection),
        None => Ok(()),
    }
}

/// What was there before lies in free pages and in the log until both are written over.
fn forget_what_was(connection: &Connection) -> Result<(), Error> {
    let fold = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
    // Whoever reads meanwhile keeps the log from being cut; what is there goes with the next fold.
    connection.query_row("pragma wal_checkpoint(truncate)", [], fold)?;
    connection.execute_batch("vacuum")?;
    connection.query_row("pragma wal_checkpoint(truncate)", [], fold)?;
    Ok(())
}
