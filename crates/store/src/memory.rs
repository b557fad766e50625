//! The journal in memory: for tests and for the simulator, with the same contract.
//!
//! A clone shares the journal, as a second process would.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use piton_model::limits::{
    BLOB_BYTES_MAX, CHECKPOINT_BYTES_MAX, CHECKPOINTS_KEPT, EVENTS_PER_APPEND_MAX, PAYLOAD_BYTES_MAX,
};
use piton_model::{Entry, Epoch, RunId, Seq};
use piton_seal::{KeyId, Keys, NoKeys};

use crate::chain::{self, Hash};
use crate::codec::Codec;
use crate::error::{Error, Problem};
use crate::frame::{Frame, push_kind, push_payload};
use crate::types::{
    Append, Archived, BlobId, Checkpoint, Claim, Cursor, Expect, Fence, Gone, Head, History, Holder, Lease,
    Page, RequestId, RunRow, Sizes, StoredEvent, Sweep, Swept, Taken, Wanted,
};
use crate::{BoxFuture, Store};

/// A journal in memory.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug, Default)]
struct Shared {
    runs: HashMap<String, Run>,
    created: u64,
    blobs: HashMap<BlobId, Vec<u8>>,
    revision: u64,
    /// The epoch a new run begins with: that of every removed run is below or equal.
    first_epoch: Epoch,
    gone: Vec<Gone>,
}

#[derive(Debug)]
struct Run {
    number: u64,
    entry: Entry,
    epoch: Epoch,
    holder: Option<(Holder, Weak<()>)>,
    events: Vec<StoredEvent>,
    requests: HashMap<RequestId, Head>,
    checkpoints: Vec<Checkpoint>,
    /// Its appends as another journal would keep them.
    frames: Vec<Frame>,
    archived: Option<Archived>,
}

impl Run {
    fn head(&self) -> Head {
        self.events.last().map_or(Head { seq: 0, hash: chain::genesis(&self.entry.run_id) }, |event| Head {
            seq: event.seq,
            hash: event.hash,
        })
    }

    fn hash_at(&self, seq: Seq) -> Hash {
        match seq {
            0 => chain::genesis(&self.entry.run_id),
            seq => self.events[seq as usize - 1].hash,
        }
    }

    fn row(&self) -> RunRow {
        RunRow { entry: self.entry.clone(), head: self.head(), epoch: self.epoch }
    }
}

impl Memory {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with_run<T>(&self, run: &RunId, work: impl FnOnce(&mut Run) -> Result<T, Error>) -> Result<T, Error> {
        let mut shared = self.lock();
        let found = shared.runs.get_mut(&run.key()).ok_or_else(|| Error::UnknownRun { run: run.clone() })?;
        work(found)
    }
}

impl Store for Memory {
    fn append(&self, append: Append) -> BoxFuture<'_, Head> {
        Box::pin(async move {
            check_sizes(&append)?;
            let mut shared = self.lock();
            let key = append.run.key();
            if !shared.runs.contains_key(&key) {
                let (Expect::Seq(0), Fence::Request(_), Some(entry)) =
                    (append.expect, append.fence, &append.entry)
                else {
                    return Err(Error::UnknownRun { run: append.run });
                };
                shared.created += 1;
                let run = Run {
                    number: shared.created,
                    entry: Entry { run_id: append.run.clone(), ..entry.clone() },
                    epoch: shared.first_epoch,
                    holder: None,
                    events: Vec::new(),
                    requests: HashMap::new(),
                    checkpoints: Vec::new(),
                    frames: Vec::new(),
                    archived: None,
                };
                shared.runs.insert(key.clone(), run);
            }
            let run = shared.runs.get_mut(&key).expect("just found or inserted");
            let head = place(run, append)?;
            shared.revision += 1;
            Ok(head)
        })
    }

    fn read<'a>(&'a self, run: &'a RunId, from: Seq, count_max: usize) -> BoxFuture<'a, Vec<StoredEvent>> {
        Box::pin(async move {
            self.with_run(run, |run| {
                let skipped = usize::try_from(from.max(1) - 1).unwrap_or(usize::MAX);
                Ok(run.events.iter().skip(skipped).take(count_max.max(1)).cloned().collect())
            })
        })
    }

    fn row<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, RunRow> {
        Box::pin(async move { self.with_run(run, |run| Ok(run.row())) })
    }

    fn rows(&self, wanted: Wanted) -> BoxFuture<'_, Page> {
        Box::pin(async move {
            let shared = self.lock();
            let count_max = wanted.count_max.max(1);
            let below = wanted.after.as_ref().map_or(u64::MAX, Cursor::number);
            let mut runs: Vec<_> = shared.runs.values().filter(|run| run.number < below).collect();
            runs.sort_by_key(|run| std::cmp::Reverse(run.number));
            let next = (runs.len() > count_max).then(|| Cursor::after(runs[count_max - 1].number));
            let rows = runs.into_iter().take(count_max).map(Run::row).collect();
            Ok(Page { rows, damaged: Vec::new(), next })
        })
    }

    fn checkpoint<'a>(&'a self, run: &'a RunId, at_most: Seq) -> BoxFuture<'a, Option<Checkpoint>> {
        Box::pin(async move {
            self.with_run(run, |run| {
                Ok(run.checkpoints.iter().rev().find(|checkpoint| checkpoint.seq <= at_most).cloned())
            })
        })
    }

    fn claim<'a>(&'a self, run: &'a RunId, holder: Holder, claim: Claim) -> BoxFuture<'a, Lease> {
        Box::pin(async move {
            self.with_run(run, |run| {
                if let (Some((holder, alive)), Claim::IfFree) = (&run.holder, claim)
                    && alive.strong_count() > 0
                {
                    return Err(Error::Held {
                        run: run.entry.run_id.clone(),
                        holder: Box::new(holder.clone()),
                    });
                }
                let guard = Arc::new(());
                run.epoch += 1;
                run.holder = Some((holder, Arc::downgrade(&guard)));
                Ok(Lease { run: run.entry.run_id.clone(), epoch: run.epoch, guard: Box::new(guard) })
            })
        })
    }

    fn holder<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Option<Holder>> {
        Box::pin(async move {
            self.with_run(run, |run| {
                let living = run.holder.as_ref().filter(|(_, alive)| alive.strong_count() > 0);
                Ok(living.map(|(holder, _)| holder.clone()))
            })
        })
    }

    fn is_superseded(&self, run: &RunId, epoch: Epoch) -> bool {
        self.with_run(run, |run| Ok(run.epoch > epoch)).unwrap_or(epoch > 0)
    }

    fn release(&self, lease: Lease) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            drop(lease);
            Ok(())
        })
    }

    fn settle<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, ()> {
        Box::pin(async move { self.with_run(run, |_| Ok(())) })
    }

    fn put_blob<'a>(&'a self, bytes: &'a [u8]) -> BoxFuture<'a, BlobId> {
        Box::pin(async move {
            if bytes.len() > BLOB_BYTES_MAX {
                return Err(Error::TooLarge {
                    what: "a blob",
                    bytes: bytes.len(),
                    bytes_max: BLOB_BYTES_MAX,
                });
            }
            let id = chain::digest(bytes);
            self.lock().blobs.insert(id, bytes.to_vec());
            Ok(id)
        })
    }

    fn blob<'a>(&'a self, id: &'a BlobId) -> BoxFuture<'a, Vec<u8>> {
        Box::pin(async move { blob_in(&self.lock().blobs, id) })
    }

    fn verify<'a>(&'a self, run: Option<&'a RunId>) -> BoxFuture<'a, Vec<Problem>> {
        Box::pin(async move { run.map_or(Ok(Vec::new()), |run| self.with_run(run, |_| Ok(Vec::new()))) })
    }

    fn remove(&self, lease: Lease) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.with_run(&lease.run, |run| check_epoch(run, lease.epoch))?;
            let mut shared = self.lock();
            if let Some(run) = shared.runs.remove(&lease.run.key()) {
                let (key, head, epoch) = (lease.run.key(), run.head(), run.epoch);
                shared.gone.retain(|gone| gone.key != key);
                shared.gone.push(Gone { key, head, epoch });
            }
            shared.first_epoch = shared.first_epoch.max(lease.epoch);
            shared.revision += 1;
            Ok(())
        })
    }

    fn ship<'a>(&'a self, run: &'a RunId, after: Head, bytes_max: usize) -> BoxFuture<'a, Vec<Frame>> {
        Box::pin(async move {
            self.with_run(run, |run| {
                let begins = run.frames.iter().position(|frame| frame.seq == after.seq + 1);
                let begins = begins.or_else(|| (after.seq == run.head().seq).then_some(run.frames.len()));
                let diverged = || Error::Diverged { run: run.entry.run_id.clone(), seq: after.seq };
                let begins = begins.filter(|_| run.hash_at(after.seq) == after.hash).ok_or_else(diverged)?;
                let mut bytes = 0;
                let fits = |frame: &&Frame| {
                    let is_first = bytes == 0;
                    bytes += frame.body.len();
                    is_first || bytes <= bytes_max
                };
                Ok(run.frames[begins..].iter().take_while(fits).cloned().collect())
            })
        })
    }

    fn take_in<'a>(&'a self, history: History<'a>) -> BoxFuture<'a, Head> {
        Box::pin(async move {
            let mut shared = self.lock();
            let id = history.entry.run_id.clone();
            let shared = &mut *shared;
            if let Some(run) = shared.runs.get_mut(&id.key()) {
                return match run.archived {
                    Some(_) => refill(run, history, &shared.blobs),
                    None => Err(Error::RunExists { run: id }),
                };
            }
            let mut run = Run {
                number: shared.created + 1,
                entry: history.entry,
                epoch: history.epoch,
                holder: None,
                events: Vec::new(),
                requests: HashMap::new(),
                checkpoints: history.checkpoints,
                frames: Vec::new(),
                archived: None,
            };
            for frame in history.frames {
                take_frame(&mut run, frame?, &shared.blobs)?;
            }
            if run.frames.is_empty() {
                return Err(Error::Corrupt(Problem::of(&id, "there is nothing of it to take in")));
            }
            if let Some(last) = run.frames.iter().rfind(|frame| frame.is_archived()) {
                let (through, at) = (last.last(), last.at);
                run.archived = Some(Archived { through, at, place: None, backup: None });
            }
            shared.gone.retain(|gone| gone.key != id.key());
            shared.first_epoch = shared.first_epoch.max(history.epoch);
            shared.created += 1;
            shared.revision += 1;
            let head = run.head();
            shared.runs.insert(id.key(), run);
            Ok(head)
        })
    }

    fn archive<'a>(&'a self, lease: &'a Lease, archived: Archived) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let mut shared = self.lock();
            let shared = &mut *shared;
            let unknown = || Error::UnknownRun { run: lease.run.clone() };
            let run = shared.runs.get_mut(&lease.run.key()).ok_or_else(unknown)?;
            check_epoch(run, lease.epoch)?;
            let (mut previous, through) = (chain::genesis(&run.entry.run_id), archived.through);
            for frame in &mut run.frames {
                let blob = |id: &BlobId| blob_in(&shared.blobs, id);
                let hash = frame.prove(&run.entry.run_id, &previous, &NoKeys, &blob)?;
                if frame.last() <= through {
                    *frame = frame.archived(&run.entry.run_id, &previous, &NoKeys, &blob)?;
                }
                previous = hash;
            }
            for event in run.events.iter_mut().filter(|event| event.seq <= through) {
                event.event.data.clear();
                event.archived = true;
            }
            run.checkpoints.retain(|checkpoint| checkpoint.seq > through);
            run.archived = Some(archived);
            shared.revision += 1;
            Ok(())
        })
    }

    fn archived<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Option<Archived>> {
        Box::pin(async move { Ok(self.lock().runs.get(&run.key()).and_then(|run| run.archived.clone())) })
    }

    fn gone(&self) -> BoxFuture<'_, Vec<Gone>> {
        Box::pin(async move { Ok(self.lock().gone.clone()) })
    }

    fn bury<'a>(&'a self, gone: &'a [Gone]) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            self.lock().gone.extend_from_slice(gone);
            Ok(())
        })
    }

    fn sweep<'a>(&'a self, _: &'a Sweep) -> BoxFuture<'a, Swept> {
        // They go with the memory.
        Box::pin(async move { Ok(Swept::default()) })
    }

    fn sizes(&self) -> BoxFuture<'_, Sizes> {
        Box::pin(async move {
            let shared = self.lock();
            let taken = |run: &Run| {
                let journal_bytes = run.frames.iter().map(|frame| frame.body.len() as u64).sum();
                Taken { journal_bytes, blob_bytes: 0 }
            };
            let runs = shared.runs.iter().map(|(key, run)| (key.clone(), taken(run))).collect();
            Ok(Sizes { runs, ..Sizes::default() })
        })
    }

    fn compact(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move { Ok(()) })
    }

    fn epoch_max(&self) -> BoxFuture<'_, Epoch> {
        Box::pin(async move {
            let shared = self.lock();
            Ok(shared.runs.values().map(|run| run.epoch).fold(shared.first_epoch, Epoch::max))
        })
    }

    fn keys(&self) -> &dyn Keys {
        &NoKeys
    }

    fn key_uses(&self) -> BoxFuture<'_, BTreeMap<KeyId, u64>> {
        Box::pin(async { Ok(BTreeMap::new()) })
    }

    fn seal_anew(&self) -> BoxFuture<'_, u64> {
        Box::pin(async { Ok(0) })
    }

    fn revision(&self) -> BoxFuture<'_, u64> {
        Box::pin(async move { Ok(self.lock().revision) })
    }
}

fn place(run: &mut Run, append: Append) -> Result<Head, Error> {
    let head = run.head();
    if let Fence::Request(request) = append.fence {
        if let Some(first) = run.requests.get(&request) {
            return Ok(*first);
        }
        if append.expect == Expect::Seq(0) && head.seq > 0 {
            return Err(Error::RunExists { run: append.run });
        }
    }
    if let Expect::Seq(expected) = append.expect
        && expected != head.seq
    {
        return place_again(run, &append, expected);
    }
    if let Fence::Epoch(held) = append.fence {
        check_epoch(run, held)?;
    }
    run.entry = append.entry_after(&run.entry);
    let mut frame = sealed(&append, head.seq + 1)?;
    let mut hash = head.hash;
    let mut seq = head.seq;
    for event in append.events {
        seq += 1;
        let digest = chain::payload_digest(&append.salt, &event.data);
        hash = chain::link(&hash, seq, append.at, &event.kind, event.version, &digest);
        run.events.push(StoredEvent { seq, at: append.at, event, hash, archived: false });
    }
    let head = Head { seq, hash };
    frame.hash = hash.to_vec();
    run.frames.push(frame);
    if let Fence::Request(request) = append.fence {
        run.requests.insert(request, head);
    }
    if let Some(bytes) = append.checkpoint {
        run.checkpoints.push(Checkpoint { seq, bytes });
        let surplus = run.checkpoints.len().saturating_sub(CHECKPOINTS_KEPT);
        run.checkpoints.drain(..surplus);
    }
    Ok(head)
}

/// An append as it is kept, but for its hash. Large payloads stay in it: whoever holds the lock has no blobs to add to.
fn sealed(append: &Append, first: Seq) -> Result<Frame, Error> {
    let (mut kinds, mut body) = (String::new(), append.salt.to_vec());
    for event in &append.events {
        push_kind(&mut kinds, event);
        push_payload(&mut body, &event.data, None)?;
    }
    let request = match append.fence {
        Fence::Request(request) => Some(request),
        Fence::Epoch(_) => None,
    };
    let (at, hash) = (append.at, Vec::new());
    Ok(Frame { seq: first, at, kinds, codec: Codec::Identity as i64, key_id: 0, body, hash, request })
}

fn take_frame(run: &mut Run, frame: Frame, blobs: &HashMap<BlobId, Vec<u8>>) -> Result<(), Error> {
    let before = run.head();
    if frame.seq != before.seq + 1 {
        let what = "it does not follow what was taken in before it";
        return Err(Error::Corrupt(Problem::at(&run.entry.run_id, frame.seq, what)));
    }
    let events = frame.open(&run.entry.run_id, &before.hash, &NoKeys, &|id| blob_in(blobs, id))?;
    run.events.extend(events);
    if let Some(request) = frame.request {
        run.requests.insert(request, run.head());
    }
    run.frames.push(frame);
    Ok(())
}

fn blob_in(blobs: &HashMap<BlobId, Vec<u8>>, id: &BlobId) -> Result<Vec<u8>, Error> {
    blobs.get(id).cloned().ok_or_else(|| {
        let what = format!("blob {} is missing", chain::hex(id));
        Error::Corrupt(Problem { run: None, seq: None, what })
    })
}

/// Gives a run that is archived the payloads back that `history` has of the same chain.
fn refill(run: &mut Run, history: History<'_>, blobs: &HashMap<BlobId, Vec<u8>>) -> Result<Head, Error> {
    let id = run.entry.run_id.clone();
    let mut previous = chain::genesis(&id);
    for (there, frame) in run.frames.iter_mut().zip(history.frames) {
        let frame = frame?;
        if (there.seq, &there.hash) != (frame.seq, &frame.hash) {
            return Err(Error::Diverged { run: id, seq: frame.seq });
        }
        let events = frame.open(&id, &previous, &NoKeys, &|id| blob_in(blobs, id))?;
        for event in events {
            previous = event.hash;
            let place = event.seq as usize - 1;
            run.events[place] = event;
        }
        *there = frame;
    }
    if run.frames.iter().all(|frame| !frame.is_archived()) {
        run.archived = None;
    }
    Ok(run.head())
}

/// The sequence moved on. If what is stored there is this very append, it was committed before.
fn place_again(run: &Run, append: &Append, expected: Seq) -> Result<Head, Error> {
    let found = run.head().seq;
    let last = expected.saturating_add(append.events.len() as u64);
    if expected < found && last <= found {
        let ours =
            chain::link_all(&run.hash_at(expected), expected + 1, append.at, &append.salt, &append.events);
        if ours == run.hash_at(last) {
            return Ok(Head { seq: last, hash: ours });
        }
    }
    if let Fence::Epoch(held) = append.fence {
        check_epoch(run, held)?;
    }
    Err(Error::Conflict { run: append.run.clone(), expected, found })
}

fn check_epoch(run: &Run, held: Epoch) -> Result<(), Error> {
    if held == run.epoch && run.holder.is_some() {
        return Ok(());
    }
    Err(Error::Fenced { run: run.entry.run_id.clone(), held, current: run.epoch })
}

fn check_sizes(append: &Append) -> Result<(), Error> {
    let count = append.events.len();
    if count == 0 || count > EVENTS_PER_APPEND_MAX {
        return Err(Error::TooLarge {
            what: "an append (in events)",
            bytes: count,
            bytes_max: EVENTS_PER_APPEND_MAX,
        });
    }
    if let Some(bytes) =
        append.checkpoint.as_ref().map(Vec::len).filter(|bytes| *bytes > CHECKPOINT_BYTES_MAX)
    {
        return Err(Error::TooLarge { what: "a checkpoint", bytes, bytes_max: CHECKPOINT_BYTES_MAX });
    }
    match append.events.iter().find(|event| event.data.len() > PAYLOAD_BYTES_MAX) {
        Some(event) => {
            Err(Error::TooLarge { what: "a payload", bytes: event.data.len(), bytes_max: PAYLOAD_BYTES_MAX })
        }
        None => Ok(()),
    }
}
