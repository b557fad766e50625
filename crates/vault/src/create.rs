//! Making a backup, while runs go on.
//!
//! Each run is shipped from where the newest backup of the same journal ends, if its chain still stands there; a run that was
//! removed or begun anew is told to be so first. Runs are prefixes of themselves: what is appended meanwhile is for the next.
//!
//! A damaged run keeps no other out. What an earlier backup has of it stays in the new one, which says so.

mod earlier;
mod snapshots;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use piton_git::{SnapshotId, Workspace};
use piton_model::{RunId, Seq};
use piton_store::chain::{self, Hash};
use piton_store::{BlobId, Frame, Head, JournalId, Problem, RunRow, Store, Wanted};
use piton_sys::{Clock, Ids, SystemIds, file};

use self::earlier::Earlier;
pub(crate) use self::earlier::LOST;
use crate::manifest::{FORMAT, Manifest, Piece, RunHeld, name_at};
use crate::object::{pack, unpack};
use crate::restore::{Proof, prove};
use crate::segment::{Reader, Record, Writer};
use crate::spool::{fetched, object_name};
use crate::{Error, Spool, Target, list};

/// A segment is closed once it holds so much, where nobody says otherwise.
pub const SEGMENT_BYTES: usize = 16 << 20;

/// Read from the journal at a time.
const SHIPPED_BYTES: usize = 1 << 20;

/// Segments after which the small ones at the end become one: more would make each restore slower.
const SEGMENTS_MAX: usize = 64;

/// What is backed up.
pub struct Source<'a> {
    /// The journal.
    pub store: &'a dyn Store,
    /// Which one it is.
    pub journal: JournalId,
    /// Where the snapshots of its runs are.
    pub workspace: Option<&'a Workspace>,
    /// A directory of this process alone, for the proof.
    pub scratch: &'a Path,
    /// Time.
    pub clock: &'a dyn Clock,
    /// Whether segments are compressed.
    pub compress: bool,
    /// A segment is closed once it holds so much.
    pub segment_bytes: usize,
    /// The version of this piton.
    pub version: &'a str,
}

/// A backup that was made.
#[derive(Clone, Debug)]
pub struct Created {
    /// What it says of itself.
    pub manifest: Manifest,
    /// What it came to when it was restored.
    pub proof: Proof,
    /// What was put at the target for it.
    pub bytes_put: u64,
    /// The backup that it stands on.
    pub on: Option<String>,
    /// What is in no backup that can be read.
    pub notes: Vec<String>,
}

/// Makes a backup, restores it, and lists it.
pub async fn create(source: &Source<'_>, target: &dyn Target) -> Result<Created, Error> {
    // Before anything is looked at or put there: whoever prunes meanwhile leaves everything alone.
    let pending = object_name(&source.journal.to_string(), list::PENDING, &SystemIds.hex(16));
    target.put(&pending, b"").await?;
    let created = create_now(source, target).await;
    let removed = target.remove(&pending).await;
    // Why there is no backup counts, whatever else fails then.
    let created = created?;
    removed?;
    Ok(created)
}

async fn create_now(source: &Source<'_>, target: &dyn Target) -> Result<Created, Error> {
    let listed = list::list(target, Some(source.journal)).await?;
    let newest_is_open =
        listed.iter().rfind(|listed| listed.manifest.is_ok()).is_some_and(|listed| listed.is_open);
    let earlier: Vec<Manifest> = listed.into_iter().filter_map(|listed| listed.manifest.ok()).collect();
    // Nothing that is sealed stands on what lies open.
    let newest = earlier.last().filter(|_| !newest_is_open);
    let base = newest.filter(|base| !base.is_mostly_gone());
    match (create_on(source, target, base, &earlier, "first").await, &base) {
        // A backup that stands on a damaged one would be damaged, too.
        (Err(Error::Damaged { .. } | Error::NotRestorable { .. } | Error::Git(_)), Some(_)) => {
            create_on(source, target, None, &earlier, "again").await
        }
        (created, _) => created,
    }
}

/// The same on top of `base`; `part` of the scratch directory is for it. Of `earlier` some has the payloads of runs that are archived.
async fn create_on(
    source: &Source<'_>,
    target: &dyn Target,
    base: Option<&Manifest>,
    earlier: &[Manifest],
    part: &str,
) -> Result<Created, Error> {
    let scratch = source.scratch.join(part);
    file::create_private_dir(&scratch)?;
    let made_at = source.clock.now();
    let name = name_at(made_at, &SystemIds.hex(8));
    let number = 1 + earlier.iter().map(|manifest| manifest.number).max().unwrap_or(0);
    let earlier = Earlier::new(earlier, &scratch);
    let mut shipment = Shipment::new(source, target, base, earlier);
    shipment.compact().await?;
    shipment.ship_all().await?;
    let tips = shipment.bundle_all().await?;
    let Shipment { runs, damaged, segments, bundles, bytes_put, notes, gone, tips_lost, .. } = shipment;
    let mut manifest = Manifest {
        format: FORMAT,
        piton: source.version.to_owned(),
        name,
        journal: source.journal.to_string(),
        made_at,
        proven_at: made_at,
        epoch_max: source.store.epoch_max().await?,
        runs,
        damaged,
        segments,
        bundles,
        tips,
        tips_lost,
        gone,
        number,
    };
    let elsewhere = target.seen_elsewhere(&manifest.journal).await?;
    let found = elsewhere.as_deref().unwrap_or(target);
    let spool = Spool::fetch(found, manifest.clone(), &scratch.join("fetched")).await?;
    let format = source.workspace.map_or("sha1", Workspace::object_format);
    let proof = prove(&spool, &scratch.join("restored"), format).await?;
    manifest.proven_at = source.clock.now();
    publish(target, &manifest).await?;
    let on = base.map(|base| base.name.clone());
    Ok(Created { manifest, proof, bytes_put, on, notes })
}

/// Lists a backup that was proven. It is there once it can be read back.
async fn publish(target: &dyn Target, manifest: &Manifest) -> Result<(), Error> {
    let (name, bytes) = (list::manifest_name(manifest), manifest.to_bytes());
    target.put(&name, &bytes).await?;
    let kept = target.get(&name, crate::manifest::MANIFEST_BYTES_MAX).await?;
    match kept {
        Some(kept) if kept == bytes => Ok(()),
        _ => Err(Error::damaged(&name, "it is not what was written")),
    }
}

/// What is on its way to a target.
struct Shipment<'a> {
    source: &'a Source<'a>,
    target: &'a dyn Target,
    base: Option<&'a Manifest>,
    writer: Writer,
    runs: Vec<RunHeld>,
    damaged: Vec<String>,
    segments: Vec<Piece>,
    bundles: Vec<Piece>,
    blobs: HashSet<BlobId>,
    bytes_put: u64,
    earlier: Earlier,
    /// Earlier backups whose bundles are in this one, too, and the last snapshots for which they are.
    unbundled: HashSet<String>,
    tips_carried: BTreeMap<RunId, SnapshotId>,
    /// Snapshots that earlier backups have and that git has lost, of runs that have others.
    tips_lost: BTreeMap<RunId, Vec<SnapshotId>>,
    notes: Vec<String>,
    /// Events in the segments of which no run has need any more.
    gone: Seq,
}

impl<'a> Shipment<'a> {
    fn new(
        source: &'a Source<'a>,
        target: &'a dyn Target,
        base: Option<&'a Manifest>,
        earlier: Earlier,
    ) -> Self {
        let segments = base.map_or_else(Vec::new, |base| base.segments.clone());
        let bundles = base.map_or_else(Vec::new, |base| base.bundles.clone());
        Self {
            writer: Writer::new(source.journal.bytes(), last_of(&segments)),
            source,
            target,
            base,
            runs: Vec::new(),
            damaged: Vec::new(),
            segments,
            bundles,
            blobs: HashSet::new(),
            bytes_put: 0,
            earlier,
            unbundled: HashSet::new(),
            tips_carried: BTreeMap::new(),
            tips_lost: BTreeMap::new(),
            notes: Vec::new(),
            gone: base.map_or(0, |base| base.gone),
        }
    }

    /// Makes one segment of the small ones at the end, where there are many. What is large stays as it is.
    async fn compact(&mut self) -> Result<(), Error> {
        let small = small_ones(&self.segments, self.source.segment_bytes as u64);
        if self.segments.len() < SEGMENTS_MAX || small < 2 {
            return Ok(());
        }
        let pieces = self.segments.split_off(self.segments.len() - small);
        self.writer = Writer::new(self.source.journal.bytes(), last_of(&self.segments));
        for piece in pieces {
            let name = object_name(&self.source.journal.to_string(), "segments", &piece.digest);
            let bytes = unpack(&name, &fetched(self.target, &name, &piece).await?)?;
            let damaged = |what: String| Error::damaged(&name, what);
            let (_, mut reader) = Reader::new(&bytes).map_err(damaged)?;
            while let Some((_, record)) = reader.next().map_err(damaged)? {
                let is_there = matches!(&record, Record::Blob { id, .. } if !self.blobs.insert(*id));
                if !is_there {
                    self.push(&record).await?;
                }
            }
        }
        Ok(())
    }

    async fn ship_all(&mut self) -> Result<(), Error> {
        let page = self.source.store.rows(Wanted::ALL_THERE).await?;
        let (mut problems, mut there) = (page.damaged, HashSet::new());
        for row in page.rows {
            let run = row.entry.run_id.clone();
            match self.ship_run(&row).await {
                Ok(Some(held)) => {
                    self.runs.push(held);
                    there.insert(run.key());
                }
                // It was removed meanwhile.
                Ok(None) => {}
                Err(Error::Store(piton_store::Error::Corrupt(problem))) => {
                    problems.push(Problem { run: Some(run), ..problem });
                }
                Err(error) => return Err(error),
            }
        }
        self.keep_lost(&there, problems).await?;
        self.flush().await
    }

    /// Ships what is new of a run, up to where it was when it was listed. `None` where it is gone.
    async fn ship_run(&mut self, row: &RunRow) -> Result<Option<RunHeld>, Error> {
        let run = &row.entry.run_id;
        let before = self.base.and_then(|base| base.run(run));
        let mut is_archived = before.is_some_and(|before| before.is_archived);
        let mut head = match before.and_then(RunHeld::head) {
            // What was archived has its payloads again.
            Some(held) if is_archived && self.source.store.archived(run).await?.is_none() => {
                is_archived = false;
                self.begin_run_anew(run, held)
            }
            Some(held) => held,
            None => self.carry_over(run).await?.unwrap_or_else(|| Head::start(run)),
        };
        loop {
            let frames = match self.source.store.ship(run, head, SHIPPED_BYTES).await {
                Ok(frames) => frames,
                Err(piton_store::Error::UnknownRun { .. }) => return Ok(None),
                Err(piton_store::Error::Diverged { .. }) if head.seq > 0 => {
                    is_archived = false;
                    head = self.begin_run_anew(run, head);
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            is_archived |= head.seq == 0 && frames.iter().any(Frame::is_archived);
            let is_last = frames.is_empty();
            for frame in frames {
                head = frame.head().expect("what is shipped was verified");
                self.ship_frame(run, frame).await?;
            }
            if is_last || head.seq >= row.head.seq {
                break;
            }
        }
        self.ship_marks(row, head.seq).await?;
        Ok(Some(RunHeld {
            run_id: run.clone(),
            kind: row.entry.kind,
            title: row.entry.title.clone(),
            seq: head.seq,
            hash: chain::hex(&head.hash),
            epoch: row.epoch,
            updated_at: row.entry.updated_at,
            is_archived,
        }))
    }

    /// What was shipped of a run up to `head` counts no more. Returns from where it is shipped.
    fn begin_run_anew(&mut self, run: &RunId, head: Head) -> Head {
        self.writer.push(&Record::Removed { run: run.clone() });
        self.gone += head.seq;
        Head::start(run)
    }

    async fn ship_frame(&mut self, run: &RunId, frame: Frame) -> Result<(), Error> {
        for id in frame.blobs(run, self.source.store.keys()) {
            if self.blobs.insert(id) {
                let bytes = self.source.store.blob(&id).await?;
                self.push(&Record::Blob { id, bytes }).await?;
            }
        }
        self.push(&Record::Frame { run: run.clone(), frame }).await
    }

    /// Adds a record; a segment that is full is put at the target.
    async fn push(&mut self, record: &Record) -> Result<(), Error> {
        self.writer.push(record);
        match self.writer.bytes() >= self.source.segment_bytes {
            true => self.flush().await,
            false => Ok(()),
        }
    }

    /// What is known of a run beside its events, where that changed.
    async fn ship_marks(&mut self, row: &RunRow, seq: Seq) -> Result<(), Error> {
        let run = row.entry.run_id.clone();
        let before = self.base.and_then(|base| base.run(&run));
        if before.is_none_or(|before| before.epoch != row.epoch) {
            self.writer.push(&Record::Epoch { run: run.clone(), epoch: row.epoch });
        }
        // A damaged checkpoint costs nothing but time: it is made again from the events.
        let checkpoint = self.source.store.checkpoint(&run, seq).await.ok().flatten();
        let Some(kept) = checkpoint.filter(|kept| before.is_none_or(|before| before.seq < kept.seq)) else {
            return Ok(());
        };
        let id = chain::digest(&kept.bytes);
        // Of a run that is archived it is all there is, so it goes along, under the digest by which its event names it.
        if self.source.store.archived(&run).await?.is_some() && self.blobs.insert(id) {
            self.push(&Record::Blob { id, bytes: kept.bytes }).await?;
        }
        self.writer.push(&Record::Checkpoint { run, seq: kept.seq, digest: id });
        Ok(())
    }

    /// Puts the segment that is being written at the target, and begins the next.
    async fn flush(&mut self) -> Result<(), Error> {
        if self.writer.is_empty() {
            return Ok(());
        }
        // The next one follows this, whose digest is known once it is finished.
        let next = Writer::new([0; 16], None);
        let bytes = std::mem::replace(&mut self.writer, next).finish();
        let piece = self.put("segments", &bytes, self.source.compress).await?;
        self.segments.push(piece);
        self.writer = Writer::new(self.source.journal.bytes(), last_of(&self.segments));
        Ok(())
    }

    async fn put(&mut self, kind: &str, bytes: &[u8], compress: bool) -> Result<Piece, Error> {
        let packed = pack(bytes, compress, SystemIds.bytes());
        let piece = Piece::of(&packed);
        let name = object_name(&self.source.journal.to_string(), kind, &piece.digest);
        self.target.put(&name, &packed).await?;
        self.bytes_put += piece.bytes;
        Ok(piece)
    }
}

/// How many segments at the end come to no more than `bytes_max` together.
fn small_ones(segments: &[Piece], bytes_max: u64) -> usize {
    let mut bytes = 0;
    let is_within = |piece: &&Piece| {
        bytes += piece.bytes;
        bytes <= bytes_max
    };
    segments.iter().rev().take_while(is_within).count()
}

fn last_of(segments: &[Piece]) -> Option<Hash> {
    segments.last().and_then(Piece::hash)
}
