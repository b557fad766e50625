//! Adding to a replica: what the journal has that the target has not, put there and read back.
//!
//! After anything went wrong, what is known of the target is read from it again: whether an object arrived whose answer was lost
//! is nothing to guess.

mod snapshots;

use std::collections::{BTreeMap, HashMap, HashSet};

use piton_git::SnapshotId;
use piton_model::{RunId, Timestamp};
use piton_record::record;
use piton_store::chain::{self, Hash};
use piton_store::{BlobId, Head, Problem, RunRow, Wanted};
use piton_sys::{Ids, SystemIds, file};

use super::mark::{Mark, record_of};
use super::place::{self, Home};
use super::read::{self, Replica};
use crate::create::{LOST, Source};
use crate::manifest::{FORMAT, RunHeld};
use crate::object::pack;
use crate::segment::{self, Record};
use crate::spool::OBJECT_BYTES_MAX;
use crate::{Error, Spool, Target};

/// Read from the journal at a time.
const SHIPPED_BYTES: usize = 1 << 20;

/// How often an object is read back that does not come as it was sent: a network may cut it short.
const READS: usize = 3;

/// What a writer keeps in mind, on its own machine, of the generation that it writes.
#[record(Eq)]
pub struct Writer {
    /// The generation.
    pub generation: String,
    /// The process that writes to it now, or did last.
    pub session: String,
    /// The one that had written to it before.
    pub before: Option<String>,
    /// The journal that it is of: a copy of a repository brings these words along, and has a journal of its own.
    pub journal: Option<String>,
}

impl Writer {
    /// Whether it wrote for this journal. Where it does not say, it did if something of that lies there.
    async fn is_of(&self, source: &Source<'_>, target: &dyn Target) -> Result<bool, Error> {
        let journal = source.journal.to_string();
        match &self.journal {
            Some(known) => Ok(*known == journal),
            None => Ok(!is_empty(target, &Home::new(&journal, &self.generation)).await?),
        }
    }
}

/// What was put at a target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shipped {
    /// Objects.
    pub objects: u64,
    /// What they hold.
    pub bytes: u64,
    /// Events in them.
    pub events: u64,
    /// What of the journal could not be read.
    pub damaged: Vec<String>,
}

/// How a generation was taken up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begun {
    /// It goes on where it was.
    GoesOn,
    /// There was none.
    First,
    /// Another was begun beside the one that was there, because of this.
    Beside(Aside),
}

/// Why a generation does not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aside {
    /// It has another history than the journal here.
    Diverged(String),
    /// What lies there is not what was written.
    Damaged(String),
}

impl std::fmt::Display for Aside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Aside::Diverged(what) | Aside::Damaged(what) => f.write_str(what),
        }
    }
}

/// Writes a generation.
pub struct Replicator<'a> {
    source: Source<'a>,
    target: &'a dyn Target,
    home: Home,
    writer: Writer,
    mark: Mark,
    last: Option<Hash>,
    /// Objects of the log after the newest base, and what they hold.
    loose: (u64, u64),
    /// What is known of the target is what lies there.
    is_sure: bool,
    /// Whether the generation is noted at the target.
    is_noted: bool,
    /// Runs whose snapshots git has lost some of: the last one, and what is wrong. Each is tried again once it has another.
    incomplete: HashMap<String, (SnapshotId, String)>,
    /// Runs of whose snapshots the replica has some that git has lost, and what is wrong. They stay.
    lost: BTreeMap<String, String>,
    /// Whether this process has shipped anything yet: what an earlier one could not is looked for once.
    has_shipped: bool,
}

impl<'a> Replicator<'a> {
    /// Takes up the generation that `known` names, or begins one. `remember` keeps durably what the next one has to know, before
    /// anything is put.
    pub async fn open(
        source: Source<'a>,
        target: &'a dyn Target,
        known: Option<Writer>,
        remember: &(dyn Fn(&Writer) -> Result<(), Error> + Sync),
    ) -> Result<(Self, Begun), Error> {
        let session = SystemIds.hex(16);
        let known = match known {
            Some(known) if known.is_of(&source, target).await? => Some(known),
            _ => None,
        };
        let Some(known) = known else {
            let others = read::list(target, Some(source.journal)).await?;
            let opened = Self::begin(source, target, session, remember)?;
            let begun = match others.last() {
                None => Begun::First,
                Some(other) => Begun::Beside(Aside::Diverged(format!(
                    "replica {} was not written from here, as far as is known here",
                    other.generation
                ))),
            };
            return Ok((opened, begun));
        };
        let home = Home::new(&source.journal.to_string(), &known.generation);
        match Self::taken_up(&source, target, &home, &known).await? {
            Ok(replica) => {
                let before = Some(replica.mark.session.clone()).filter(|before| !before.is_empty());
                let journal = Some(source.journal.to_string());
                let writer = Writer { generation: known.generation, session, before, journal };
                remember(&writer)?;
                let mut opened = Self::over(source, target, writer);
                opened.believe(replica);
                Ok((opened, Begun::GoesOn))
            }
            Err(aside) => Ok((Self::begin(source, target, session, remember)?, Begun::Beside(aside))),
        }
    }

    /// Begins a generation beside those that are there, in place of this one.
    pub fn begin_anew(
        &mut self,
        remember: &(dyn Fn(&Writer) -> Result<(), Error> + Sync),
    ) -> Result<(), Error> {
        let source = Source { ..self.source };
        *self = Self::begin(source, self.target, SystemIds.hex(16), remember)?;
        Ok(())
    }

    fn begin(
        source: Source<'a>,
        target: &'a dyn Target,
        session: String,
        remember: &(dyn Fn(&Writer) -> Result<(), Error> + Sync),
    ) -> Result<Self, Error> {
        let generation = place::new_generation(source.clock.now(), &SystemIds.hex(8));
        let journal = Some(source.journal.to_string());
        let writer = Writer { generation, session, before: None, journal };
        remember(&writer)?;
        Ok(Self::over(source, target, writer))
    }

    fn over(source: Source<'a>, target: &'a dyn Target, writer: Writer) -> Self {
        let home = Home::new(&source.journal.to_string(), &writer.generation);
        let mark = Mark::empty(source.version, &writer.session, source.clock.now());
        Self {
            source,
            target,
            home,
            writer,
            mark,
            last: None,
            loose: (0, 0),
            is_sure: true,
            is_noted: false,
            incomplete: HashMap::new(),
            lost: BTreeMap::new(),
            has_shipped: false,
        }
    }

    /// The generation as it lies there, if it is still the one that was written from here.
    async fn taken_up(
        source: &Source<'a>,
        target: &dyn Target,
        home: &Home,
        known: &Writer,
    ) -> Result<Result<Replica, Aside>, Error> {
        let mut read = read::read(target, home.clone(), 0).await;
        // What a network cut short is no damage: it is there when it is asked for again.
        if read.as_ref().map_or_else(Error::is_damage, |replica| replica.broken.is_some()) {
            read = read::read(target, home.clone(), 0).await;
        }
        let replica = match read {
            Ok(replica) => replica,
            // Whoever began it died before it put anything there.
            Err(Error::Damaged { .. }) if is_empty(target, home).await? => {
                let mark = Mark::empty(source.version, "", source.clock.now());
                let (objects, log) = (Vec::new(), Vec::new());
                Replica { home: home.clone(), mark, objects, log, last: None, broken: None }
            }
            Err(error @ (Error::Damaged { .. } | Error::Newer { .. })) => {
                return Ok(Err(Aside::Damaged(error.to_string())));
            }
            Err(error) => return Err(error),
        };
        if let Some(broken) = &replica.broken {
            return Ok(Err(Aside::Damaged(broken.clone())));
        }
        let written_by = Some(&replica.mark.session).filter(|session| !session.is_empty());
        let ours = [Some(&known.session), known.before.as_ref()];
        if !ours.contains(&written_by) && written_by.is_some() {
            let what = format!(
                "replica {} was written from elsewhere since: this journal is a copy, or was put back to an earlier state",
                home.generation
            );
            return Ok(Err(Aside::Diverged(what)));
        }
        Ok(Ok(replica))
    }

    fn believe(&mut self, replica: Replica) {
        let bytes = replica.log.iter().map(|(kept, _)| kept.bytes).sum();
        self.loose = (replica.log.len() as u64, bytes);
        (self.mark, self.last) = (replica.mark, replica.last);
    }

    /// What it is called.
    pub fn generation(&self) -> &str {
        &self.home.generation
    }

    /// What is at the target.
    pub fn mark(&self) -> &Mark {
        &self.mark
    }

    /// How many objects of the log no base has yet, and what they hold.
    pub fn loose(&self) -> (u64, u64) {
        self.loose
    }

    /// A base was made of so many of them.
    pub fn tidied(&mut self, objects: u64, bytes: u64) {
        let (count, held) = self.loose;
        self.loose = (count.saturating_sub(objects), held.saturating_sub(bytes));
    }

    /// Ships what is new. On [`Error::Diverged`] and damage only another generation helps.
    pub async fn ship(&mut self) -> Result<Shipped, Error> {
        if !self.is_sure {
            self.look_again().await?;
        }
        self.is_sure = false;
        self.require_ground().await?;
        let shipped = Shipment::new(self).ship_all().await?;
        if !self.is_noted {
            self.target.put(&place::noted(&self.home.journal, &self.home.generation), b"").await?;
            self.is_noted = true;
        }
        (self.is_sure, self.has_shipped) = (true, true);
        Ok(shipped)
    }

    /// Nothing is put behind what is gone. A directory is looked at each time, since that costs nothing; what a bucket has lost is found
    /// by the next proof.
    async fn require_ground(&self) -> Result<(), Error> {
        if self.target.directory().is_none() || self.mark.number == 0 {
            return Ok(());
        }
        let is_last = |(number, _): &(u64, String)| *number >= self.mark.number;
        for sort in ["log", "bases"] {
            if read::number_all(self.target, &self.home, sort).await?.iter().any(is_last) {
                return Ok(());
            }
        }
        Err(Error::damaged(&self.home.object(&place::log(self.mark.number)), "it is not there any more"))
    }

    /// What arrived of what was put before something went wrong.
    async fn look_again(&mut self) -> Result<(), Error> {
        let replica = match read::read(self.target, self.home.clone(), 0).await {
            Err(Error::Damaged { .. })
                if self.mark.number == 0 && is_empty(self.target, &self.home).await? =>
            {
                return Ok(());
            }
            read => read?,
        };
        if let Some(broken) = replica.broken {
            return Err(Error::damaged(&self.home.all("log"), broken));
        }
        let by_us = replica.mark.session == self.writer.session;
        if replica.mark.number < self.mark.number || replica.mark.number > self.mark.number && !by_us {
            return Err(Error::Diverged {
                what: format!("somebody else writes to replica {}", self.home.generation),
            });
        }
        self.believe(replica);
        Ok(())
    }
}

async fn is_empty(target: &dyn Target, home: &Home) -> Result<bool, Error> {
    Ok(target.list(&home.all("log")).await?.is_empty() && target.list(&home.all("bases")).await?.is_empty())
}

/// What is on its way to a target.
struct Shipment<'r, 'a> {
    to: &'r mut Replicator<'a>,
    writer: segment::Writer,
    /// What is different by what was written so far.
    next: Mark,
    blobs: HashSet<BlobId>,
    /// The last snapshots of runs, as git has them now.
    current: HashMap<String, SnapshotId>,
    shipped: Shipped,
}

impl<'r, 'a> Shipment<'r, 'a> {
    fn new(to: &'r mut Replicator<'a>) -> Self {
        let writer = segment::Writer::new(to.source.journal.bytes(), to.last);
        let next = Mark::empty(to.source.version, &to.writer.session, to.source.clock.now());
        Self { to, writer, next, blobs: HashSet::new(), current: HashMap::new(), shipped: Shipped::default() }
    }

    async fn ship_all(mut self) -> Result<Shipped, Error> {
        let page = self.to.source.store.rows(Wanted::ALL_THERE).await?;
        self.next.epoch_max = self.to.source.store.epoch_max().await?;
        let mut kept: HashSet<String> = HashSet::new();
        for problem in page.damaged {
            kept.extend(problem.run.as_ref().map(RunId::key));
            self.next.damaged.push(problem.to_string());
        }
        let held: HashMap<String, RunHeld> =
            self.to.mark.runs.iter().map(|held| (held.run_id.key(), held.clone())).collect();
        let (mut changed, mut snapshots) = (Vec::new(), Vec::new());
        for row in &page.rows {
            let key = row.entry.run_id.key();
            let same = held.get(&key).is_some_and(|held| held.head() == Some(row.head));
            if !same || held.get(&key).is_some_and(|held| held.epoch != row.epoch) {
                changed.push(row);
            }
            let lacks = || {
                let is_new = !self.to.has_shipped || self.to.incomplete.contains_key(&key);
                is_new && !self.to.mark.tips.keys().any(|known| known.key() == key)
            };
            if !same || lacks() {
                snapshots.push(row.entry.run_id.clone());
            }
            kept.insert(key);
        }
        let absent = held.values().filter(|held| !kept.contains(&held.run_id.key())).cloned().collect();
        self.forget_removed(absent).await?;
        self.look_for_lost()?;
        // Before the events that name them.
        self.ship_snapshots(&snapshots).await?;
        // Oldest first, so that the newest comes to stand before the others.
        for row in changed.into_iter().rev() {
            match self.ship_run(row, held.get(&row.entry.run_id.key())).await {
                Ok(()) => {}
                Err(Error::Store(piton_store::Error::Corrupt(problem))) => {
                    self.next.damaged.push(problem.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        let says_more = self.next.damaged != self.to.mark.damaged || !self.next.tips.is_empty();
        self.shipped.damaged = self.next.damaged.clone();
        if !self.writer.is_empty() || says_more || self.to.mark.number == 0 {
            self.flush().await?;
        }
        Ok(self.shipped)
    }

    /// Of runs that are not here, those that were removed are history. What else is there and not here was lost: it stays there, and
    /// is named.
    async fn forget_removed(&mut self, mut absent: Vec<RunHeld>) -> Result<(), Error> {
        // Looked at last: what was removed meanwhile is in it.
        let removed: HashSet<String> =
            self.to.source.store.gone().await?.into_iter().map(|gone| gone.key).collect();
        absent.sort_by(|a, b| a.run_id.as_str().cmp(b.run_id.as_str()));
        for RunHeld { run_id, seq, .. } in absent {
            if removed.contains(&run_id.key()) {
                self.forget(&run_id);
            } else if self.to.source.store.row(&run_id).await.is_err() {
                let problem = Problem::of(&run_id, LOST);
                self.next.damaged.push(format!("{problem}; the replica keeps its {seq} events"));
            }
        }
        Ok(())
    }

    /// Says that a run is history.
    fn forget(&mut self, run: &RunId) {
        self.writer.push(&Record::Removed { run: run.clone() });
        self.next.runs.retain(|held| held.run_id.key() != run.key());
        self.next.tips.retain(|known, _| known.key() != run.key());
        self.next.gone.push(run.clone());
    }

    /// Ships what is new of a run, up to where it was when it was listed.
    async fn ship_run(&mut self, row: &RunRow, held: Option<&RunHeld>) -> Result<(), Error> {
        let (run, store) = (&row.entry.run_id, self.to.source.store);
        let mut head = held.and_then(RunHeld::head).unwrap_or_else(|| Head::start(run));
        let before = held.map_or(0, |held| held.seq);
        let mut is_unlike = held.is_some_and(|held| held.head() != Some(row.head));
        while is_unlike || head.seq < row.head.seq {
            is_unlike = false;
            let frames = match store.ship(run, head, SHIPPED_BYTES).await {
                Ok(frames) => frames,
                // It was removed meanwhile, which the next look finds.
                Err(piton_store::Error::UnknownRun { .. }) => return Ok(()),
                Err(piton_store::Error::Diverged { .. }) if head.seq > 0 => {
                    self.require_another(run).await?;
                    self.forget(run);
                    let tip = self.current.get(&run.key()).cloned();
                    self.next.tips.extend(tip.map(|tip| (run.clone(), tip)));
                    return Box::pin(self.ship_run(row, None)).await;
                }
                Err(error) => return Err(error.into()),
            };
            if frames.is_empty() {
                break;
            }
            for frame in frames {
                let last = frame.head().expect("what is shipped was verified");
                for id in frame.blobs(run, store.keys()) {
                    if self.blobs.insert(id) {
                        let bytes = store.blob(&id).await?;
                        self.writer.push(&Record::Blob { id, bytes });
                    }
                }
                let at = frame.at;
                self.writer.push(&Record::Frame { run: run.clone(), frame });
                self.shipped.events += last.seq - head.seq;
                head = last;
                self.note(row, head, at);
                self.flush_where_full().await?;
            }
        }
        if held.is_none_or(|held| held.epoch != row.epoch) {
            self.writer.push(&Record::Epoch { run: run.clone(), epoch: row.epoch });
            let at = held.map_or(row.entry.updated_at, |held| held.updated_at);
            if head.seq == before {
                self.note(row, head, at);
            }
        }
        // A damaged checkpoint costs nothing but time: it is made again from the events.
        let checkpoint = store.checkpoint(run, head.seq).await.ok().flatten();
        if let Some(kept) = checkpoint.filter(|kept| kept.seq > before) {
            let (run, digest) = (run.clone(), chain::digest(&kept.bytes));
            self.writer.push(&Record::Checkpoint { run, seq: kept.seq, digest });
        }
        Ok(())
    }

    /// Notes where a run ends with what was written so far.
    fn note(&mut self, row: &RunRow, head: Head, at: Timestamp) {
        let held = RunHeld {
            run_id: row.entry.run_id.clone(),
            kind: row.entry.kind,
            title: row.entry.title.clone(),
            seq: head.seq,
            hash: chain::hex(&head.hash),
            epoch: row.epoch,
            updated_at: at,
            is_archived: false,
        };
        self.next.runs.retain(|known| known.run_id.key() != held.run_id.key());
        self.next.runs.insert(0, held);
    }

    /// A run that is not the one at the target may be another of its name, which was begun after that one was removed. One whose
    /// beginning is the same has another history, and nothing is put on top of that.
    async fn require_another(&self, run: &RunId) -> Result<(), Error> {
        let first = self.to.source.store.ship(run, Head::start(run), 1).await?;
        let first = first.first().and_then(|frame| frame.head());
        let replica = read::read(self.to.target, self.to.home.clone(), 0).await?;
        let at = self.to.source.scratch.join(SystemIds.hex(8));
        let spool = Spool::fetch_replica(self.to.target, &replica, &at).await?;
        let there = spool.frames(run).next().transpose()?.and_then(|frame| frame.head());
        drop(spool);
        file::remove_tree_within(self.to.source.scratch, &at)?;
        match there == first {
            true => Err(Error::Diverged {
                what: format!("run `{run}` has another history in replica {}", self.to.home.generation),
            }),
            false => Ok(()),
        }
    }

    async fn flush_where_full(&mut self) -> Result<(), Error> {
        match self.writer.bytes() >= self.to.source.segment_bytes {
            true => self.flush().await,
            false => Ok(()),
        }
    }

    /// Puts the next object of the log at the target, and makes sure that it is there.
    async fn flush(&mut self) -> Result<(), Error> {
        let source = &self.to.source;
        let empty = Mark::empty(source.version, &self.to.writer.session, source.clock.now());
        let mut mark = std::mem::replace(&mut self.next, empty);
        (self.next.epoch_max, self.next.damaged) = (mark.epoch_max, mark.damaged.clone());
        (mark.format, mark.number) = (FORMAT, self.to.mark.number + 1);
        self.writer.push(&record_of(&mark));
        let following = segment::Writer::new(source.journal.bytes(), None);
        let bytes = std::mem::replace(&mut self.writer, following).finish();
        let packed = pack(&bytes, source.compress, SystemIds.bytes());
        let name = self.to.home.object(&place::log(mark.number));
        put_proven(self.to.target, &name, &packed).await?;
        let digest = chain::digest(&packed);
        self.to.mark.advance(mark);
        self.to.last = Some(digest);
        self.to.loose.0 += 1;
        self.to.loose.1 += packed.len() as u64;
        self.shipped.objects += 1;
        self.shipped.bytes += packed.len() as u64;
        self.writer = segment::Writer::new(self.to.source.journal.bytes(), self.to.last);
        Ok(())
    }
}

/// Puts an object, and reads it back: it is there once the target says what it holds.
pub(crate) async fn put_proven(target: &dyn Target, name: &str, bytes: &[u8]) -> Result<(), Error> {
    target.put(name, bytes).await?;
    let mut found = None;
    for _ in 0..READS {
        match target.get(name, OBJECT_BYTES_MAX).await? {
            Some(kept) if kept == bytes => return Ok(()),
            kept => found = kept,
        }
    }
    Err(Error::damaged(
        name,
        match found {
            Some(_) => "it is not what was written",
            None => "it was put there and is not there",
        },
    ))
}
