//! The index row of a run: read, verified, written back.
//!
//! Invariant: a row whose digest does not fit is never used and never written over.

use piton_model::{Entry, Epoch, Reason, RunId, Seq, Timestamp};
use piton_seal::{KeyId, Keys, Place};
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::de::DeserializeOwned;

use crate::chain::Hash;
use crate::error::{Error, Problem};
use crate::types::{Head, Holder, RunRow};

/// A run's row, as it is stored.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) number: i64,
    pub(super) entry: Entry,
    pub(super) epoch: Epoch,
    pub(super) holder: Option<String>,
    pub(super) head: Head,
    /// The row that ends at the head.
    pub(super) head_row: i64,
    /// What of the entry is kept sealed; those words of `entry` are empty until somebody opens them.
    pub(super) hidden: Hidden,
}

/// The words of an entry that are content, sealed: the id of the key, then the piece. A text in their columns is open, bytes are sealed.
#[derive(Clone, Debug, Default)]
pub(super) struct Hidden {
    title: Option<Vec<u8>>,
    waiting_for: Option<Vec<u8>>,
}

impl Hidden {
    /// The keys that its words are sealed with, 0 for one that is not.
    pub(super) fn keys(&self) -> impl Iterator<Item = i64> {
        let key = |sealed: &Option<Vec<u8>>| {
            sealed.as_ref().and_then(|sealed| Some(i64::from_le_bytes(*sealed.first_chunk()?)))
        };
        [Some(key(&self.title).unwrap_or(0)), key(&self.waiting_for)].into_iter().flatten()
    }

    fn seal(keys: &dyn Keys, place: &Place<'_>, words: &str) -> Result<Option<Vec<u8>>, Error> {
        if !keys.seals() {
            return Ok(None);
        }
        let kept = keys.seal(place, 0, words.as_bytes().to_vec())?;
        Ok(Some([&kept.key.number().to_le_bytes()[..], &kept.bytes].concat()))
    }

    fn open(keys: &dyn Keys, place: &Place<'_>, sealed: &[u8]) -> Result<String, Error> {
        let changed = || Error::from(piton_seal::Error::Changed);
        let (key, sealed) = sealed.split_first_chunk().ok_or_else(changed)?;
        let key = KeyId::of(i64::from_le_bytes(*key));
        let words = keys.open(key, place, 0, sealed)?.into_owned();
        String::from_utf8(words).map_err(|_| changed())
    }
}

const COLUMNS: &str = "number, id, kind, title, status, reason, created_at, updated_at, iteration, waiting_for, \
                       epoch, holder, head_seq, head_hash, head_row, digest, fold";

/// A row, if it is what was written.
pub(super) type Verified = Result<Record, Error>;

impl Record {
    /// The row of `run`, or `None` if there is no such run.
    pub(super) fn find(connection: &Connection, run: &RunId) -> Result<Option<Record>, Error> {
        let mut statement =
            connection.prepare_cached(const_format!("select {COLUMNS} from runs where key = ?1"))?;
        let raw = statement.query_row([run.key()], Raw::read).optional()?;
        match raw.map(Raw::verified).transpose()? {
            Some(record) if record.entry.run_id.key() != run.key() => {
                Err(Error::Corrupt(Problem::of(run, "the index leads to another run")))
            }
            found => Ok(found),
        }
    }

    /// At most `count_max` rows, newest run first, from below the number `below`, each if it is sound; and the number of
    /// the last of them where more follow.
    pub(super) fn page(
        connection: &Connection,
        below: Option<u64>,
        count_max: usize,
    ) -> Result<(Vec<Verified>, Option<u64>), Error> {
        let mut statement = connection.prepare_cached(const_format!(
            "select {COLUMNS} from runs where number < ?1 order by number desc limit ?2"
        ))?;
        let below = below.and_then(|below| i64::try_from(below).ok()).unwrap_or(i64::MAX);
        // One more than wanted tells whether more follow.
        let limit = i64::try_from(count_max).unwrap_or(i64::MAX).saturating_add(1);
        // The number is the row's own key: it is there, whatever became of the rest.
        let rows = statement.query_map([below, limit], |row| Ok((row.get::<_, i64>(0)?, Raw::read(row))))?;
        let mut records = rows.collect::<Result<Vec<_>, _>>()?;
        let more = records.len() > count_max;
        records.truncate(count_max);
        let last = records.last().map(|(number, _)| *number as u64);
        let verified = records.into_iter().map(|(_, raw)| raw.map_err(Error::from)?.verified());
        Ok((verified.collect(), last.filter(|_| more)))
    }

    /// Makes room for it. What it says is written by [`Record::update`], in the same transaction.
    pub(super) fn insert(&self, connection: &Connection) -> Result<i64, Error> {
        let mut statement = connection.prepare_cached(
            "insert into runs (id, key, kind, title, status, created_at, updated_at, iteration, epoch, head_seq, \
             head_hash, head_row, digest, fold) values (?1, ?2, '', '', '', 0, 0, 0, 0, 0, x'', 0, x'', 0)",
        )?;
        statement.execute(params![self.entry.run_id.as_str(), self.entry.run_id.key()])?;
        Ok(connection.last_insert_rowid())
    }

    pub(super) fn update(&self, connection: &Connection) -> Result<(), Error> {
        let mut statement = connection.prepare_cached(
            "update runs set title = ?2, status = ?3, reason = ?4, updated_at = ?5, iteration = ?6, waiting_for = ?7, \
             epoch = ?8, holder = ?9, head_seq = ?10, head_hash = ?11, digest = ?12, kind = ?13, created_at = ?14, \
             head_row = ?15, fold = ?16 \
             where number = ?1",
        )?;
        let entry = &self.entry;
        statement.execute(params![
            self.number,
            Words(Some(&entry.title), self.hidden.title.as_deref()),
            entry.status.as_str(),
            entry.reason.map(Reason::as_str),
            entry.updated_at.as_millis(),
            entry.iteration,
            Words(entry.waiting_for.as_deref(), self.hidden.waiting_for.as_deref()),
            self.epoch as i64,
            self.holder,
            self.head.seq as i64,
            self.head.hash,
            self.digest(),
            entry.kind.as_str(),
            entry.created_at.as_millis(),
            self.head_row,
            entry.fold,
        ])?;
        Ok(())
    }

    pub(super) fn holder(&self) -> Option<Holder> {
        self.holder.as_deref().and_then(|text| serde_json::from_str(text).ok())
    }

    /// The entry is `said` from now on. Its words are sealed where new pieces are; those that are `new` only, so that what nobody opened stays
    /// as it is.
    pub(super) fn say(&mut self, said: Entry, new: bool, keys: &dyn Keys) -> Result<(), Error> {
        if new {
            let run = said.run_id.key();
            if said.title != self.entry.title || self.hidden.title.is_none() || !keys.seals() {
                self.hidden.title = Hidden::seal(keys, &Place::Title { run: &run }, &said.title)?;
            }
            self.hidden.waiting_for = match &said.waiting_for {
                Some(words) => Hidden::seal(keys, &Place::Waiting { run: &run }, words)?,
                None => None,
            };
        }
        self.entry = said;
        Ok(())
    }

    /// The same with its words sealed anew.
    pub(super) fn said_anew(self, keys: &dyn Keys) -> Result<Self, Error> {
        let mut opened = self.opened(keys)?;
        opened.hidden = Hidden::default();
        let said = opened.entry.clone();
        opened.say(said, true, keys)?;
        Ok(opened)
    }

    /// The same with its words opened.
    pub(super) fn opened(mut self, keys: &dyn Keys) -> Result<Self, Error> {
        let run = self.entry.run_id.key();
        let problem = || Problem::of(&self.entry.run_id, "its index row is not what was written");
        let open = |place: Place<'_>, sealed: &Vec<u8>| {
            Hidden::open(keys, &place, sealed).map_err(|error| error.or_damaged(problem))
        };
        let title =
            self.hidden.title.as_ref().map(|sealed| open(Place::Title { run: &run }, sealed)).transpose()?;
        let waiting = self.hidden.waiting_for.as_ref();
        let waiting = waiting.map(|sealed| open(Place::Waiting { run: &run }, sealed)).transpose()?;
        self.entry.title = title.unwrap_or(self.entry.title);
        self.entry.waiting_for = waiting.or(self.entry.waiting_for);
        Ok(self)
    }

    /// As it stands; words that are hidden are empty.
    pub(super) fn into_row(self) -> RunRow {
        RunRow { entry: self.entry, head: self.head, epoch: self.epoch }
    }

    /// Covers every column, so that a flipped bit anywhere in the row shows.
    fn digest(&self) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new();
        let mut text = |text: Option<&str>, sealed: Option<&[u8]>| {
            // A flipped bit makes bytes of a text, and the other way round.
            let length = match sealed {
                Some(sealed) => sealed.len() as u64 | 1 << 62,
                None => text.map_or(u64::MAX, |text| text.len() as u64),
            };
            hasher.update(&length.to_le_bytes());
            hasher.update(sealed.unwrap_or_else(|| text.unwrap_or_default().as_bytes()));
        };
        let entry = &self.entry;
        text(Some(entry.run_id.as_str()), None);
        text(Some(entry.kind.as_str()), None);
        text(Some(&entry.title), self.hidden.title.as_deref());
        text(Some(entry.status.as_str()), None);
        text(entry.reason.map(Reason::as_str), None);
        text(entry.waiting_for.as_deref(), self.hidden.waiting_for.as_deref());
        text(self.holder.as_deref(), None);
        for number in [
            entry.created_at.as_millis() as u64,
            entry.updated_at.as_millis() as u64,
            u64::from(entry.iteration),
            u64::from(entry.fold),
            self.epoch,
            self.head.seq,
            self.head_row as u64,
        ] {
            hasher.update(&number.to_le_bytes());
        }
        hasher.update(&self.head.hash);
        hasher.finalize().as_bytes()[..16].try_into().expect("16 of 32 bytes")
    }
}

/// Words in a column: open, or sealed.
struct Words<'a>(Option<&'a str>, Option<&'a [u8]>);

impl ToSql for Words<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match (self.1, self.0) {
            (Some(sealed), _) => ValueRef::Blob(sealed),
            (None, Some(text)) => ValueRef::Text(text.as_bytes()),
            (None, None) => ValueRef::Null,
        }))
    }
}

/// What is in a column of words: a text, or sealed bytes.
fn words(row: &Row<'_>, column: usize) -> rusqlite::Result<(Option<String>, Option<Vec<u8>>)> {
    match row.get_ref(column)? {
        ValueRef::Blob(sealed) => Ok((None, Some(sealed.to_vec()))),
        _ => Ok((row.get(column)?, None)),
    }
}

macro_rules! const_format {
    ($text:literal) => {{
        static TEXT: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| format!($text));
        TEXT.as_str()
    }};
}
use const_format;

/// A row before it is known to be sound.
struct Raw {
    id: String,
    record: Option<Record>,
    digest: Vec<u8>,
}

impl Raw {
    fn read(row: &Row<'_>) -> rusqlite::Result<Raw> {
        let id: String = row.get(1)?;
        let hash: Result<Hash, _> = row.get(13);
        let (kind, status, reason) = (word(row, 2)?, word(row, 4)?, word(row, 5)?);
        let ((title, hidden_title), (waiting_for, hidden_waiting)) = (words(row, 3)?, words(row, 9)?);
        let record = match (id.parse::<RunId>(), hash, kind, status, reason) {
            (Ok(run_id), Ok(hash), Ok(Some(kind)), Ok(Some(status)), Ok(reason)) => Some(Record {
                number: row.get(0)?,
                entry: Entry {
                    run_id,
                    kind,
                    title: title.unwrap_or_default(),
                    status,
                    reason,
                    created_at: Timestamp::from_millis(row.get(6)?),
                    updated_at: Timestamp::from_millis(row.get(7)?),
                    iteration: row.get(8)?,
                    waiting_for,
                    fold: row.get(16)?,
                },
                epoch: row.get::<_, i64>(10)? as Epoch,
                holder: row.get(11)?,
                head: Head { seq: row.get::<_, i64>(12)? as Seq, hash },
                head_row: row.get(14)?,
                hidden: Hidden { title: hidden_title, waiting_for: hidden_waiting },
            }),
            _ => None,
        };
        Ok(Raw { id, record, digest: row.get(15)? })
    }

    fn verified(self) -> Result<Record, Error> {
        match self.record {
            Some(record) if record.digest().as_slice() == self.digest => Ok(record),
            Some(record) => Err(Error::Corrupt(Problem::of(
                &record.entry.run_id,
                "its index row is not what was written",
            ))),
            None => {
                let what = format!("the index row of `{}` is not readable", self.id.escape_debug());
                Err(Error::Corrupt(Problem { run: self.id.parse().ok(), seq: None, what }))
            }
        }
    }
}

/// A word of the model's; the inner error is one that it does not know.
fn word<T: DeserializeOwned>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<Result<Option<T>, serde_json::Error>> {
    let text: Option<String> = row.get(column)?;
    Ok(text.map(|text| serde_json::from_value(text.into())).transpose())
}
