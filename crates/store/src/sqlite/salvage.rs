//! What is provably good in a journal that is damaged, found without trust in its index.
//!
//! The chain proves a run from its first event on, whatever became of the tables around it: an append belongs to a run if its
//! hash stands on the hash before it, and the first stands on the name of the run. So every row that can be read is tried by its
//! hash alone; row numbers, marks and the index only say where to look first.
//!
//! Never writes: the damaged journal stays as it was found.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use piton_model::{Epoch, RunId, Seq};
use piton_seal::Keys;
use rusqlite::{Connection, OptionalExtension};

use super::index::Record;
use super::{keep, schema, walk};
use crate::anchor;
use crate::blob::Blobs;
use crate::chain::{self, Hash};
use crate::codec;
use crate::error::{Error, Problem};
use crate::frame::Frame;
use crate::types::{Archived, Gone, Head, JournalId};

/// What is provably good in a damaged journal.
pub struct Salvage {
    connection: Option<Mutex<Connection>>,
    blobs: Blobs,
    /// Each run of which anything is known, by name.
    pub runs: Vec<Salvaged>,
    /// The highest epoch of which there is a trace.
    pub epoch_max: Epoch,
    /// Why nothing can be read, where that is so.
    pub unreadable: Option<String>,
    /// The journals that it says to be: the database, and each anchor.
    pub journals: Vec<JournalId>,
    /// The runs that were removed from it, as far as their notes can be read.
    pub gone: Vec<Gone>,
    /// Whether those notes could be looked at: what is not there and not in them was lost.
    pub tells_removed: bool,
    /// Where payloads of runs are that were let go here, by the name of the run in small letters.
    pub archived: HashMap<String, Archived>,
}

/// What is provably good of a run, and what is known to be missing.
#[derive(Clone, Debug)]
pub struct Salvaged {
    /// Its name.
    pub run: RunId,
    /// Where the proven part ends; before the first event where nothing is proven.
    pub head: Head,
    /// The last event that was acknowledged, as its anchor or a sound row of the index says; nothing where neither is left.
    pub acknowledged: Option<Seq>,
    /// What its anchor says.
    pub anchored: Option<Head>,
    rows: Vec<i64>,
}

impl Salvage {
    /// Looks at the journal in `directory`, whose large payloads are in `blobs`; runs that `names` say may be there as well. Refused
    /// where something lacks its key: it may be good.
    pub(crate) fn of(
        directory: &Path,
        blobs: &Path,
        names: &[RunId],
        keys: &Arc<dyn Keys>,
    ) -> Result<Self, Error> {
        let mut salvage = Self {
            connection: None,
            blobs: Blobs::new(blobs.to_owned(), Arc::clone(keys)),
            runs: Vec::new(),
            epoch_max: traced_epochs(directory),
            unreadable: None,
            journals: Vec::new(),
            gone: Vec::new(),
            tells_removed: false,
            archived: HashMap::new(),
        };
        let (anchors, mut journals) = anchors(directory);
        let mut found = Found::default();
        match schema::open_to_salvage(&super::database(directory)) {
            Ok(connection) => {
                found = Found::of(&connection);
                salvage.unreadable = found.unreadable.take();
                journals.extend(schema::identity(&connection).ok().map(|identity| identity.id));
                salvage.epoch_max = salvage.epoch_max.max(found.epoch_max);
                let gone = keep::gone(&connection);
                salvage.tells_removed = gone.is_ok() && salvage.unreadable.is_none();
                salvage.gone = gone.unwrap_or_default();
                salvage.archived = keep::archived_notes(&connection).into_iter().collect();
                salvage.connection = Some(Mutex::new(connection));
            }
            // One that is not there was never hard to read.
            Err(_) if !super::database(directory).exists() => {}
            Err(error) => salvage.unreadable = Some(error.to_string()),
        }
        journals.sort_unstable();
        journals.dedup();
        salvage.journals = journals;
        let indexed: Vec<RunId> = found.indexed.keys().cloned().collect();
        let named = indexed.iter().chain(names).chain(anchors.keys());
        let mut seen = HashSet::new();
        // An exact name comes before the key of an anchor, which has lost its case.
        for run in named.filter(|run| seen.insert(run.as_str().to_owned())) {
            let Some(salvaged) = salvage.prove(run, &mut found, &anchors) else { continue };
            let known = salvage.runs.iter().position(|known| known.run.key() == run.key());
            match known {
                Some(place) if salvage.runs[place].head.seq >= salvaged.head.seq => {}
                Some(place) => salvage.runs[place] = salvaged,
                None => salvage.runs.push(salvaged),
            }
        }
        match found.locked.take() {
            // One that is kept nowhere, while others open what is here, is a flipped bit in a row.
            Some(piton_seal::Error::NoKey { is_kept: false, .. }) if found.has_opened => Ok(salvage),
            Some(error) => Err(Error::Key(error)),
            None => Ok(salvage),
        }
    }

    /// The proven appends of a run, from the first on. Without the ids of requests, which no chain covers: whoever sent one is
    /// gone by now.
    pub fn frames<'a>(
        &'a self,
        salvaged: &'a Salvaged,
    ) -> impl Iterator<Item = Result<Frame, Error>> + Send + 'a {
        salvaged.rows.iter().map(|row| {
            let missing = || Error::Corrupt(Problem::of(&salvaged.run, "a row could not be read again"));
            let frame = self.connection().and_then(|connection| read(&connection, *row));
            frame.map(|frame| Frame { request: None, ..frame }).ok_or_else(missing)
        })
    }

    /// A large payload, or the state of a checkpoint, that is as it was written.
    pub fn blob(&self, id: &Hash) -> Result<Vec<u8>, Error> {
        self.blobs.get(id).or_else(|error| self.checkpoint(id).ok_or(error))
    }

    /// The checkpoint whose bytes have this digest.
    fn checkpoint(&self, id: &Hash) -> Option<Vec<u8>> {
        let connection = self.connection()?;
        let mut statement =
            connection.prepare_cached("select codec, bytes from checkpoints where key_id = 0").ok()?;
        let mut rows = statement.query([]).ok()?;
        // Stops where they cannot be read any further.
        while let Ok(Some(row)) = rows.next() {
            if let (Ok(codec), Ok(kept)) = (row.get(0), row.get::<_, Vec<u8>>(1))
                && let Ok(bytes) = codec::decode(codec, &kept)
                && chain::digest(&bytes) == *id
            {
                return Some(bytes);
            }
        }
        None
    }

    fn connection(&self) -> Option<MutexGuard<'_, Connection>> {
        Some(self.connection.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Follows the chain of `run` as far as it leads. `None` where nothing says that there is such a run.
    fn prove(&self, run: &RunId, found: &mut Found, anchors: &BTreeMap<RunId, Head>) -> Option<Salvaged> {
        let anchored = anchors.iter().find(|(name, _)| name.key() == run.key()).map(|(_, head)| *head);
        let indexed = found.indexed.get(run).copied();
        let verified = found.heads.get(&run.key()).copied();
        let said = anchored.map(|head| head.seq).max(verified);
        let (mut head, mut rows) = (Head::start(run), Vec::new());
        let mut number = indexed;
        while let Some((row, of, next)) = self.next(run, head, number, found) {
            found.used.insert(row);
            rows.push(row);
            (head, number) = (next, Some(of));
        }
        let is_known = indexed.is_some() || anchored.is_some() || !rows.is_empty();
        let acknowledged = said.map(|said| said.max(head.seq));
        is_known.then(|| Salvaged { run: run.clone(), head, acknowledged, anchored, rows })
    }

    /// The row that stands on `head`, the number of its run, and where it leads. Rows of the same number come first.
    fn next(
        &self,
        run: &RunId,
        head: Head,
        number: Option<i64>,
        found: &mut Found,
    ) -> Option<(i64, i64, Head)> {
        let connection = self.connection()?;
        let candidates = found.by_seq.get(&(head.seq + 1))?;
        let (same, other): (Vec<_>, Vec<_>) = candidates
            .iter()
            .filter(|(row, _)| !found.used.contains(row))
            .partition(|(_, of)| Some(*of) == number);
        let (mut locked, mut has_opened) = (None, false);
        let next = same.into_iter().chain(other).find_map(|&(row, of)| {
            let frame = read(&connection, row)?;
            let hash = match frame.prove(run, &head.hash, self.blobs.keys(), &|id| self.blobs.get(id)) {
                Ok(hash) => hash,
                Err(Error::Key(error)) => {
                    locked = Some(error);
                    return None;
                }
                Err(_) => return None,
            };
            has_opened |= frame.key_id != 0;
            Some((row, of, Head { seq: frame.last(), hash }))
        });
        found.has_opened |= has_opened;
        if next.is_none() && !matches!(found.locked, Some(piton_seal::Error::NoKey { is_kept: true, .. })) {
            found.locked = locked.or(found.locked.take());
        }
        next
    }
}

fn read(connection: &Connection, row: i64) -> Option<Frame> {
    let mut statement = connection.prepare_cached(walk::ROW).ok()?;
    statement.query_row([row], walk::row_of).ok()
}

/// What the tables say, as far as they can be read.
#[derive(Default)]
struct Found {
    /// Rows with the number of their run, by their first event.
    by_seq: HashMap<Seq, Vec<(i64, i64)>>,
    used: HashSet<i64>,
    /// Numbers by name, whatever else of their rows is damaged.
    indexed: BTreeMap<RunId, i64>,
    /// The last events by key, of rows that are what was written.
    heads: HashMap<String, Seq>,
    epoch_max: Epoch,
    unreadable: Option<String>,
    /// A row that may be good, and whose key is missing.
    locked: Option<piton_seal::Error>,
    /// Whether a sealed row was opened.
    has_opened: bool,
}

impl Found {
    fn of(connection: &Connection) -> Self {
        let mut found = Self::default();
        let up = found.scan(connection, "select row, run, seq from events order by row");
        let down = match &up {
            Ok(()) => Ok(()),
            Err(_) => found.scan(connection, "select row, run, seq from events order by row desc"),
        };
        if let (Err(error), Err(_)) = (up, down) {
            found.fill_gaps(connection);
            found.unreadable = found.by_seq.is_empty().then(|| error.to_string());
        }
        // Stops where the index cannot be read any further.
        let _ = found.read_index(connection);
        let rows = Record::page(connection, None, usize::MAX).map_or_else(|_| Vec::new(), |(rows, _)| rows);
        found.heads = rows.into_iter().flatten().map(|row| (row.entry.run_id.key(), row.head.seq)).collect();
        found
    }

    fn scan(&mut self, connection: &Connection, sql: &str) -> Result<(), Error> {
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        let mut seen: HashSet<i64> = self.rows().collect();
        while let Some(row) = rows.next()? {
            if let (Ok(number), Ok(run), Ok(seq)) = (row.get(0), row.get(1), row.get::<_, i64>(2))
                && seen.insert(number)
            {
                self.by_seq.entry(seq as Seq).or_default().push((number, run));
            }
        }
        Ok(())
    }

    fn rows(&self) -> impl Iterator<Item = i64> {
        self.by_seq.values().flatten().map(|(row, _)| *row)
    }

    /// Between what was read from both ends, each row is asked for by itself.
    fn fill_gaps(&mut self, connection: &Connection) {
        let there: BTreeSet<i64> = self.rows().collect();
        let (Some(&first), Some(&last)) = (there.first(), there.last()) else { return };
        let Ok(mut statement) = connection.prepare("select run, seq from events where row = ?1") else {
            return;
        };
        for row in (first..last).filter(|row| !there.contains(row)) {
            let looked = statement.query_row([row], |found| Ok((found.get(0)?, found.get::<_, i64>(1)?)));
            if let Ok(Some((run, seq))) = looked.optional() {
                self.by_seq.entry(seq as Seq).or_default().push((row, run));
            }
        }
    }

    fn read_index(&mut self, connection: &Connection) -> Result<(), Error> {
        self.epoch_max = schema::first_epoch(connection).unwrap_or(0);
        let mut statement = connection.prepare("select number, id, epoch from runs")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (Ok(number), Ok(id)) = (row.get::<_, i64>(0), row.get::<_, String>(1)) else { continue };
            let Ok(run) = id.parse::<RunId>() else { continue };
            // A flipped bit makes no epoch from which nothing can be counted up.
            let epoch = row.get::<_, i64>(2).ok().and_then(|epoch| Epoch::try_from(epoch).ok());
            self.epoch_max = self.epoch_max.max(epoch.filter(|epoch| *epoch < 1 << 40).unwrap_or(0));
            self.indexed.insert(run, number);
        }
        Ok(())
    }
}

/// What the anchors say, whichever journal wrote them.
fn anchors(directory: &Path) -> (BTreeMap<RunId, Head>, Vec<JournalId>) {
    let listing = std::fs::read_dir(directory.join("anchors")).into_iter().flatten().flatten();
    let known = listing.filter_map(|entry| {
        let run: RunId = entry.file_name().to_str()?.parse().ok()?;
        let (journal, head) = anchor::of_any_journal(&entry.path())?;
        Some(((run, head), JournalId(journal)))
    });
    known.unzip()
}

/// The highest epoch of which a lock was left.
fn traced_epochs(directory: &Path) -> Epoch {
    let listing = std::fs::read_dir(directory.join("leases")).into_iter().flatten().flatten();
    let epochs = listing.filter_map(|entry| entry.file_name().to_str()?.rsplit_once('.')?.1.parse().ok());
    epochs.max().unwrap_or(0)
}
