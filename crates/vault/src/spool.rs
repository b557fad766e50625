//! A backup, fetched: its segments as files, and where in them each run lies.
//!
//! Every object is compared with its digest, and every record with its check, when it is fetched. What is taken out later is
//! proven by the chain of its run.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_model::{Epoch, RunId};
use piton_seal::Keys;
use piton_store::chain;
use piton_store::{BlobId, Frame, Head};
use piton_sys::file::{self, Durability};

use crate::manifest::{Manifest, Piece};
use crate::object::unpack;
use crate::replica::Replica;
use crate::segment::{self, Reader, Record};
use crate::{Error, Target};

/// The most that an object of a backup may hold.
pub(crate) const OBJECT_BYTES_MAX: u64 = 4 << 30;

/// Where an object of a journal's backups is called what.
pub(crate) fn object_name(journal: &str, kind: &str, name: &str) -> String {
    format!("{journal}/{kind}/{name}")
}

/// A fetched backup.
pub struct Spool {
    /// What it says of itself.
    pub manifest: Manifest,
    segments: Vec<(File, String)>,
    bundles: Vec<PathBuf>,
    runs: BTreeMap<String, Held>,
    blobs: HashMap<BlobId, Place>,
    epoch_max: Epoch,
    keys: Arc<dyn Keys>,
}

/// Where the appends of a run lie.
#[derive(Default)]
struct Held {
    frames: Vec<Place>,
}

/// A record in a segment.
#[derive(Clone)]
struct Place {
    segment: usize,
    at: Range<usize>,
}

impl Spool {
    /// Fetches everything that `manifest` names into the directory `at`.
    pub async fn fetch(target: &dyn Target, manifest: Manifest, at: &Path) -> Result<Self, Error> {
        file::create_private_dir(at)?;
        let mut spool = Self {
            epoch_max: manifest.epoch_max,
            segments: Vec::new(),
            bundles: Vec::new(),
            runs: BTreeMap::new(),
            blobs: HashMap::new(),
            keys: target.keys(),
            manifest,
        };
        let (segments, bundles) = (spool.manifest.segments.clone(), spool.manifest.bundles.clone());
        let mut before = None;
        for piece in &segments {
            let name = object_name(&spool.manifest.journal, "segments", &piece.digest);
            let bytes = unpack(&name, &fetched(target, &name, piece).await?)?;
            spool.read(&name, &bytes, before)?;
            before = piece.hash();
            spool.keep_segment(&name, &bytes, at)?;
        }
        for (number, piece) in bundles.iter().enumerate() {
            let name = object_name(&spool.manifest.journal, "bundles", &piece.digest);
            let path = at.join(format!("bundle-{number}"));
            keep(&path, &unpack(&name, &fetched(target, &name, piece).await?)?)?;
            spool.bundles.push(path);
        }
        Ok(spool)
    }

    /// Fetches everything that a replica is made of into the directory `at`.
    pub async fn fetch_replica(target: &dyn Target, replica: &Replica, at: &Path) -> Result<Self, Error> {
        file::create_private_dir(at)?;
        let manifest = replica.manifest();
        let mut spool = Self {
            epoch_max: manifest.epoch_max,
            segments: Vec::new(),
            bundles: Vec::new(),
            runs: BTreeMap::new(),
            blobs: HashMap::new(),
            keys: target.keys(),
            manifest,
        };
        for kept in &replica.objects {
            let name = replica.home.object(&kept.name);
            let bytes = fetched(target, &name, &kept.piece()).await?;
            spool.keep_object(&name, &bytes, at)?;
        }
        for (kept, bytes) in &replica.log {
            spool.keep_object(&replica.home.object(&kept.name), bytes, at)?;
        }
        Ok(spool)
    }

    /// Keeps an object of a replica, whose place among the others is known.
    fn keep_object(&mut self, name: &str, packed: &[u8], at: &Path) -> Result<(), Error> {
        let bytes = unpack(name, packed)?;
        let damaged = |what: String| Error::damaged(name, what);
        let (header, mut reader) = Reader::new(&bytes).map_err(damaged)?;
        if chain::hex(&header.journal) != self.manifest.journal {
            return Err(damaged("it is of another journal".to_owned()));
        }
        self.take_down(name, &mut reader)?;
        // Bundles first: each of them is a file of its own from here on.
        let (_, mut reader) = Reader::new(&bytes).map_err(damaged)?;
        while let Some((_, record)) = reader.next().map_err(damaged)? {
            let Record::Bundle { part, is_last, bytes } = record else { continue };
            let path = at.join(format!("bundle-{}", self.bundles.len()));
            if part == 0 {
                // Whoever had begun one before died over it.
                file::remove_file_if_exists(&path)?;
                keep(&path, &bytes)?;
            } else {
                file::append(&path, &bytes)?;
            }
            if is_last {
                self.bundles.push(path);
            }
        }
        self.keep_segment(name, &bytes, at)
    }

    fn keep_segment(&mut self, name: &str, bytes: &[u8], at: &Path) -> Result<(), Error> {
        let path = at.join(format!("segment-{}", self.segments.len()));
        keep(&path, bytes)?;
        let opened = file::open_regular(&path)?.expect("it was written a moment ago").0;
        self.segments.push((opened, name.to_owned()));
        Ok(())
    }

    /// What opens its appends.
    pub fn keys(&self) -> Arc<dyn Keys> {
        Arc::clone(&self.keys)
    }

    /// What git keeps for it, each on top of the ones before it.
    pub fn bundles(&self) -> &[PathBuf] {
        &self.bundles
    }

    /// The highest epoch that it knows of.
    pub fn epoch_max(&self) -> Epoch {
        self.epoch_max
    }

    /// Takes down what the next segment holds.
    fn read(&mut self, name: &str, bytes: &[u8], before: Option<chain::Hash>) -> Result<(), Error> {
        let damaged = |what: String| Error::damaged(name, what);
        let (header, mut reader) = Reader::new(bytes).map_err(damaged)?;
        if header.previous != before || chain::hex(&header.journal) != self.manifest.journal {
            return Err(damaged("it does not follow the one before it".to_owned()));
        }
        self.take_down(name, &mut reader)
    }

    fn take_down(&mut self, name: &str, reader: &mut Reader<'_>) -> Result<(), Error> {
        let damaged = |what: String| Error::damaged(name, what);
        let segment = self.segments.len();
        while let Some((at, record)) = reader.next().map_err(damaged)? {
            let place = Place { segment, at };
            match record {
                Record::Frame { run, .. } => self.runs.entry(run.key()).or_default().frames.push(place),
                Record::Blob { id, bytes } if chain::digest(&bytes) == id => {
                    self.blobs.insert(id, place);
                }
                Record::Blob { .. } => return Err(damaged("a payload is not what was written".to_owned())),
                Record::Removed { run } => drop(self.runs.remove(&run.key())),
                Record::Epoch { epoch, .. } => self.epoch_max = self.epoch_max.max(epoch),
                // The chain itself names the states; this is for whoever looks at a segment alone.
                Record::Checkpoint { .. } => {}
                // A replica's, which sees to them itself.
                Record::Bundle { .. } | Record::Mark { .. } => {}
            }
        }
        Ok(())
    }

    /// The appends of a run, from the first on, up to the head that the manifest names: segments that were made for a later
    /// backup may hold more.
    pub fn frames<'a>(&'a self, run: &RunId) -> impl Iterator<Item = Result<Frame, Error>> + Send + use<'a> {
        let end = self.manifest.run(run).map_or(0, |held| held.seq);
        let places = self.runs.get(&run.key()).map_or(&[][..], |held| &held.frames[..]);
        let frames = places.iter().map(|place| match self.record(place)? {
            Record::Frame { frame, .. } => Ok(frame),
            _ => Err(self.changed(place)),
        });
        frames.take_while(move |frame| frame.as_ref().map_or(true, |frame| frame.seq <= end))
    }

    /// A large payload, verified.
    pub fn blob(&self, id: &BlobId) -> Result<Vec<u8>, Error> {
        let missing =
            || Error::damaged(&self.manifest.name, format!("payload {} is missing", chain::hex(id)));
        let place = self.blobs.get(id).ok_or_else(missing)?;
        match self.record(place)? {
            Record::Blob { bytes, .. } if chain::digest(&bytes) == *id => Ok(bytes),
            _ => Err(self.changed(place)),
        }
    }

    /// Where it has a run at most: the manifest's head, if that is one.
    pub fn head(&self, run: &RunId) -> Option<Head> {
        self.manifest.run(run)?.head()
    }

    fn record(&self, place: &Place) -> Result<Record, Error> {
        let (file, _) = &self.segments[place.segment];
        let mut body = vec![0; place.at.len()];
        file.read_exact_at(&mut body, place.at.start as u64).map_err(|_| self.changed(place))?;
        segment::decode(&body).ok_or_else(|| self.changed(place))
    }

    fn changed(&self, place: &Place) -> Error {
        Error::damaged(&self.segments[place.segment].1, "it changed after it was fetched")
    }
}

pub(crate) async fn fetched(target: &dyn Target, name: &str, piece: &Piece) -> Result<Vec<u8>, Error> {
    let bytes = target.get(name, OBJECT_BYTES_MAX).await?;
    let bytes = bytes.ok_or_else(|| Error::damaged(name, "it is missing"))?;
    if Piece::of(&bytes) != *piece {
        return Err(Error::damaged(name, "it is not what was written"));
    }
    Ok(bytes)
}

/// Only for as long as this process needs it.
fn keep(path: &Path, bytes: &[u8]) -> Result<(), file::Error> {
    file::create_new(path, bytes, Durability::Unsynced)
}
