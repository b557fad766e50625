//! What an object of a replica says of the whole: a mark at its end, packed and checked as everything else.

use std::collections::BTreeMap;

use piton_git::SnapshotId;
use piton_model::{Epoch, RunId, Timestamp};
use piton_record::record;
use piton_store::chain::Hash;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Error;
use crate::manifest::{FORMAT, Manifest, Piece, RunHeld};
use crate::object::{pack, unpack};
use crate::segment::{Reader, Record, Writer};

/// Where a journal is at one moment. At the end of an object of the log: only what is different from the one before.
#[record(Eq)]
pub struct Mark {
    /// The format of the replica.
    pub format: u32,
    /// Which piton wrote it.
    pub piton: String,
    /// Drawn by each process that writes: a generation to which two write is found out by it.
    pub session: String,
    /// Which object of the log it is about.
    pub number: u64,
    /// When the journal was looked at.
    pub at: Timestamp,
    /// The highest epoch that was granted in the journal.
    pub epoch_max: Epoch,
    /// Runs, with where they end; newest first.
    pub runs: Vec<RunHeld>,
    /// Runs that are gone since the mark before.
    pub gone: Vec<RunId>,
    /// The last snapshot of each of these runs.
    pub tips: BTreeMap<RunId, SnapshotId>,
    /// What could not be read any further, in words.
    pub damaged: Vec<String>,
    /// In a base: the objects that hold all of it, in their order.
    pub objects: Vec<Kept>,
    /// In a base: the digest of the object of the log with its number.
    pub last: Option<String>,
}

/// An object of a base.
#[record(Eq)]
pub struct Kept {
    /// What it is called, below its generation.
    pub name: String,
    /// The digest of what it holds.
    pub digest: String,
    /// How much it holds.
    pub bytes: u64,
}

impl Kept {
    pub(crate) fn piece(&self) -> Piece {
        Piece { digest: self.digest.clone(), bytes: self.bytes }
    }
}

/// A replica was restored and verified.
#[record(Eq)]
pub struct Proven {
    /// Up to which object of the log.
    pub number: u64,
    /// The newest event in it.
    pub to: Option<Timestamp>,
    /// When the journal was looked at for it.
    pub as_of: Timestamp,
    /// When it was proven.
    pub at: Timestamp,
    /// How many runs verify.
    pub runs: usize,
    /// How many events.
    pub events: u64,
    /// How many runs have their snapshots, complete.
    pub snapshots: usize,
}

impl Mark {
    /// Nothing, of a replica that is about to be begun.
    pub(crate) fn empty(piton: &str, session: &str, at: Timestamp) -> Self {
        Self {
            format: FORMAT,
            piton: piton.to_owned(),
            session: session.to_owned(),
            number: 0,
            at,
            epoch_max: 0,
            runs: Vec::new(),
            gone: Vec::new(),
            tips: BTreeMap::new(),
            damaged: Vec::new(),
            objects: Vec::new(),
            last: None,
        }
    }

    /// Takes in what the next mark says is different.
    pub(crate) fn advance(&mut self, next: Mark) {
        let (gone, mut fresh) = (next.gone, Vec::new());
        for run in &gone {
            self.runs.retain(|held| held.run_id.key() != run.key());
            self.tips.retain(|known, _| known.key() != run.key());
        }
        for held in next.runs {
            match self.runs.iter_mut().find(|known| known.run_id.key() == held.run_id.key()) {
                Some(known) => *known = held,
                None => fresh.push(held),
            }
        }
        fresh.append(&mut self.runs);
        self.runs = fresh;
        self.tips.extend(next.tips);
        (self.format, self.piton, self.session) = (next.format, next.piton, next.session);
        (self.number, self.at, self.epoch_max) = (next.number, next.at, next.epoch_max.max(self.epoch_max));
        self.damaged = next.damaged;
    }

    /// The newest event that it knows of.
    pub fn newest(&self) -> Option<Timestamp> {
        self.runs.iter().map(|held| held.updated_at).max()
    }

    /// How many events it knows of.
    pub fn events(&self) -> u64 {
        self.runs.iter().map(|held| held.seq).sum()
    }

    /// The same as a backup says it of itself.
    pub(crate) fn manifest(&self, journal: &str, generation: &str, pieces: Vec<Piece>) -> Manifest {
        Manifest {
            format: self.format,
            piton: self.piton.clone(),
            name: generation.to_owned(),
            journal: journal.to_owned(),
            made_at: self.at,
            proven_at: self.at,
            epoch_max: self.epoch_max,
            runs: self.runs.clone(),
            damaged: self.damaged.clone(),
            segments: pieces,
            bundles: Vec::new(),
            tips: self.tips.clone(),
            tips_lost: BTreeMap::new(),
            gone: 0,
            number: 0,
        }
    }
}

/// What is said, as the last record of a segment.
pub(crate) fn record_of(said: &impl Serialize) -> Record {
    Record::Mark { bytes: serde_json::to_vec(said).expect("plain data") }
}

/// An object that only says something.
pub(crate) fn packed(said: &impl Serialize, journal: [u8; 16], compress: bool, random: [u8; 16]) -> Vec<u8> {
    let mut writer = Writer::new(journal, None);
    writer.push(&record_of(said));
    pack(&writer.finish(), compress, random)
}

/// What the object `name` says at its end, and the digest of the one before it.
pub(crate) fn said_in<T: DeserializeOwned>(
    name: &str,
    journal: &str,
    packed: &[u8],
) -> Result<(T, Option<Hash>), Error> {
    let damaged = |what: String| Error::damaged(name, what);
    let bytes = unpack(name, packed)?;
    let (header, mut reader) = Reader::new(&bytes).map_err(damaged)?;
    if piton_store::chain::hex(&header.journal) != journal {
        return Err(damaged("it is of another journal".to_owned()));
    }
    let mut said = None;
    while let Some((_, record)) = reader.next().map_err(damaged)? {
        said = match record {
            Record::Mark { bytes } => Some(bytes),
            _ => None,
        };
    }
    let said = said.ok_or_else(|| damaged("it does not end with a mark".to_owned()))?;
    /// All that is read of one before its format is known.
    #[derive(serde::Deserialize)]
    struct Formatted {
        #[serde(default)]
        format: u32,
    }
    let unreadable = |error: serde_json::Error| damaged(error.to_string());
    let Formatted { format } = serde_json::from_slice(&said).map_err(unreadable)?;
    if format > FORMAT {
        return Err(Error::Newer { object: name.to_owned(), found: format, known: FORMAT });
    }
    Ok((serde_json::from_slice(&said).map_err(unreadable)?, header.previous))
}
