//! Finding the rows of one run among those of all.
//!
//! Rows lie in the order in which they arrived, and each knows the one before it of the same run. Only
//! about one row in thirty is in an index: an index of every row would dirty a page of its own per run
//! and append, which is most of what a commit of many runs would write. So a read starts at the next row
//! that is marked, or at the head, and goes back from there.
//!
//! Invariant: a step back leads to the row of the same run that ends where this one begins, or nowhere.

use piton_model::{Seq, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use super::index::Record;
use crate::chain::{self, Hash};
use crate::error::{Error, Problem};
use crate::frame::Frame;

/// Events between two marked rows of a run.
const MARK_EVERY: Seq = 64;

/// Whether the row that holds the events `first` to `last` is marked.
pub(super) fn is_marked(first: Seq, last: Seq) -> bool {
    first == 1 || first / MARK_EVERY != (last + 1) / MARK_EVERY
}

/// Rows of a run that follow each other, oldest first.
pub(super) struct Segment {
    /// What the first of them stands on.
    pub(super) previous: Hash,
    pub(super) rows: Vec<Frame>,
}

/// The rows from the one that holds event `from` to the next mark or to the head.
pub(super) fn segment(connection: &Connection, record: &Record, from: Seq) -> Result<Segment, Error> {
    let mut rows = Vec::new();
    let mut back = Steps::begin(connection, record, from)?;
    loop {
        let row = back.step(ROW, row_of)?;
        let reached = row.seq <= from;
        rows.push(row);
        if reached {
            break;
        }
    }
    rows.reverse();
    let previous = back.hash_before()?;
    Ok(Segment { previous, rows })
}

/// Where a row lies in the chain.
#[derive(Clone, Copy)]
pub(super) struct Link {
    pub(super) first: Seq,
    pub(super) last: Seq,
    /// After its last event.
    pub(super) hash: Hash,
    /// Before its first event.
    pub(super) previous: Hash,
}

/// The link that holds event `seq`, which must not lie beyond the head.
pub(super) fn link(connection: &Connection, record: &Record, seq: Seq) -> Result<Link, Error> {
    let mut back = Steps::begin(connection, record, seq)?;
    loop {
        let (first, hash, count) = back.step(LINK, |row| {
            let kinds: String = row.get(3)?;
            Ok((row.get::<_, i64>(2)? as Seq, row.get::<_, Hash>(4)?, kinds.split(' ').count() as u64))
        })?;
        if first <= seq {
            let last = first.wrapping_add(count - 1);
            return Ok(Link { first, last, hash, previous: back.hash_before()? });
        }
    }
}

const LINK: &str = "select run, back, seq, kinds, hash from events where row = ?1";
pub(super) const ROW: &str =
    "select run, back, seq, kinds, hash, at, codec, key_id, body, request from events where row = ?1";

pub(super) fn row_of(row: &rusqlite::Row<'_>) -> Result<Frame, rusqlite::Error> {
    Ok(Frame {
        seq: row.get::<_, i64>(2)? as Seq,
        kinds: row.get(3)?,
        hash: row.get(4)?,
        at: Timestamp::from_millis(row.get(5)?),
        codec: row.get(6)?,
        key_id: row.get(7)?,
        body: row.get(8)?,
        request: row.get(9)?,
    })
}

/// Steps back through the rows of a run.
struct Steps<'a> {
    connection: &'a Connection,
    record: &'a Record,
    /// The row that the next step leads to; 0 before the first.
    next: i64,
    /// The event at which that row must end, where it is known.
    end: Option<Seq>,
}

impl<'a> Steps<'a> {
    /// Before the nearest known row that holds `seq` or lies after it.
    fn begin(connection: &'a Connection, record: &'a Record, seq: Seq) -> Result<Self, Error> {
        let mut statement = connection.prepare_cached(
            "select row from events where run = ?1 and seq > ?2 and marked = 1 order by seq limit 1",
        )?;
        let seq = i64::try_from(seq).unwrap_or(i64::MAX);
        let marked = statement.query_row(params![record.number, seq], |row| row.get(0)).optional()?;
        Ok(match marked {
            Some(next) => Self { connection, record, next, end: None },
            None => Self { connection, record, next: record.head_row, end: Some(record.head.seq) },
        })
    }

    fn step<T>(
        &mut self,
        sql: &str,
        take: impl FnOnce(&rusqlite::Row<'_>) -> Result<T, rusqlite::Error>,
    ) -> Result<T, Error> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([self.next])?;
        let Some(row) = rows.next()? else { return Err(self.missing()) };
        let first = row.get::<_, i64>(2)? as Seq;
        let count = row.get_ref(3)?.as_str().map_or(0, |kinds| kinds.split(' ').count() as u64);
        let last = first.wrapping_add(count).wrapping_sub(1);
        let run: i64 = row.get(0)?;
        if run != self.record.number || first == 0 || self.end.is_some_and(|end| end != last) {
            return Err(self.missing());
        }
        let back: i64 = row.get(1)?;
        if (back == 0) != (first == 1) {
            return Err(Error::Corrupt(Problem::at(
                &self.record.entry.run_id,
                first,
                "the way to it is damaged",
            )));
        }
        (self.next, self.end) = (back, Some(first - 1));
        Ok(take(row)?)
    }

    /// What the row of the last step stands on.
    fn hash_before(&mut self) -> Result<Hash, Error> {
        if self.next == 0 {
            return Ok(chain::genesis(&self.record.entry.run_id));
        }
        self.step(LINK, |row| row.get(4))
    }

    fn missing(&self) -> Error {
        let run = &self.record.entry.run_id;
        Error::Corrupt(match self.end {
            Some(end) => Problem::at(run, end, "it is missing"),
            None => Problem::of(run, "a mark of the index does not lead to its events"),
        })
    }
}
