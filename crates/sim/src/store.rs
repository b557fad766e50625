//! The journal of the simulation: the product's store in memory, with everything it does written down.
//!
//! A crash loses what was not committed; what was committed stays. Two planted bugs live here.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use piton_engine::load::{self, Loaded};
use piton_model::{Machine, RunId, Seq, Timestamp};
use piton_store::memory::Memory;
use piton_store::{Append, Claim, Error, Fence, Head, Holder, Lease, Store};
use piton_sys::process::ProcessId;

use crate::history::{By, Entry, RawEvent};
use crate::rng::Mix;

/// The journal of one run.
pub(crate) struct Journal<M: Machine> {
    memory: Memory,
    run: RunId,
    head: Seq,
    revision: u64,
    epoch: u64,
    /// Events decoded so far, with their size; the journal only grows.
    decoded: Vec<(Seq, Timestamp, M::Event)>,
    sizes: Vec<u64>,
    loads: u64,
    /// The last fold, to go on from.
    folded: Option<(Seq, M)>,
    /// Planted bug: a driver whose epoch has passed is let through.
    pub(crate) ignores_epochs: bool,
}

impl<M: Machine> Journal<M> {
    pub(crate) fn new(run: RunId) -> Self {
        Self {
            memory: Memory::default(),
            run,
            head: 0,
            revision: 0,
            epoch: 0,
            decoded: Vec::new(),
            sizes: Vec::new(),
            loads: 0,
            folded: None,
            ignores_epochs: false,
        }
    }

    pub(crate) fn head(&self) -> Seq {
        self.head
    }

    /// The epoch of the last lease.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Changes whenever something was appended.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Appends, and writes down what became durable.
    pub(crate) fn append(&mut self, mut append: Append, log: &mut Vec<Entry>) -> Result<Head, Error> {
        let by = match append.fence {
            Fence::Epoch(epoch) => By::Epoch(epoch),
            Fence::Request(id) => By::Request(id),
        };
        if self.ignores_epochs && matches!(append.fence, Fence::Epoch(_)) {
            append.fence = Fence::Epoch(self.epoch);
        }
        let salt = append.salt;
        let head = ready(self.memory.append(append))?;
        self.revision += 1;
        if head.seq > self.head {
            log.push(Entry::Commit { by, first: self.head + 1, last: head.seq, salt });
            self.head = head.seq;
        }
        Ok(head)
    }

    pub(crate) fn claim(&mut self, pid: u32, claim: Claim, log: &mut Vec<Entry>) -> Result<Lease, Error> {
        let process = ProcessId { pid, start_time: u64::from(pid), boot_id: String::new() };
        let holder = Holder { host: String::new(), process, since: Timestamp::default() };
        let lease = ready(self.memory.claim(&self.run, holder, claim))?;
        self.epoch = lease.epoch;
        log.push(Entry::Lease { epoch: lease.epoch });
        Ok(lease)
    }

    /// The run as it is now. One load in 32 goes through the product's loader and one in 8 folds from the
    /// checkpoint or the start; the others go on from the fold before, because most of a loader's time is
    /// spent on what it had seen already.
    pub(crate) fn load(&mut self) -> Loaded<M> {
        self.loads += 1;
        if self.loads.is_multiple_of(32) {
            return ready(load::load(&self.memory, &self.run)).expect("an undamaged journal loads");
        }
        self.decode();
        let checkpoint = ready(self.memory.checkpoint(&self.run, Seq::MAX)).expect("memory does not fail");
        let kept = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.seq as usize);
        let (mut state, from) = match (self.folded.take(), &checkpoint) {
            (Some((head, state)), _) if !self.loads.is_multiple_of(8) => (Some(state), head as usize),
            (_, Some(checkpoint)) => {
                let state: M = serde_json::from_slice(&checkpoint.bytes).expect("a checkpoint decodes");
                (Some(state), kept)
            }
            (_, None) => (None, 0),
        };
        for (_, at, event) in &self.decoded[from..] {
            state = M::apply(state, event, *at);
        }
        let state = state.expect("the run begins with its creation");
        self.folded = Some((self.head, state.clone()));
        Loaded {
            state,
            head: self.head,
            tail_bytes: self.sizes[kept..].iter().sum(),
            checkpoint_bytes: checkpoint.map_or(0, |checkpoint| checkpoint.bytes.len() as u64),
        }
    }

    /// The events from `from` on.
    pub(crate) fn read_on(&mut self, from: Seq) -> Vec<(Seq, Timestamp, M::Event)> {
        if from > self.head {
            return Vec::new();
        }
        self.decode();
        self.decoded.iter().skip(from as usize - 1).cloned().collect()
    }

    /// Folds the whole journal once more from its start and digests the state after each of `heads`.
    pub(crate) fn fold_from_start(&mut self, heads: &[Seq]) -> Vec<(Seq, u64)> {
        self.decode();
        let mut state: Option<M> = None;
        let mut digests = Vec::new();
        for (seq, at, event) in &self.decoded {
            state = M::apply(state, event, *at);
            if heads.contains(seq) {
                digests.push((*seq, digest_of(state.as_ref().expect("the run begins with its creation"))));
            }
        }
        digests
    }

    /// What is stored, for the checker.
    pub(crate) fn raw(&self) -> Vec<RawEvent> {
        let stored = ready(self.memory.read(&self.run, 1, usize::MAX)).unwrap_or_default();
        let raw = stored.into_iter().map(|stored| RawEvent {
            seq: stored.seq,
            at_ms: stored.at.as_millis(),
            kind: stored.event.kind,
            version: stored.event.version,
            data: stored.event.data,
            hash: stored.hash,
        });
        raw.collect()
    }

    /// The hash of the last event: it covers every byte of the journal.
    pub(crate) fn head_hash(&self) -> [u8; 32] {
        ready(self.memory.row(&self.run)).map_or([0; 32], |row| row.head.hash)
    }

    fn decode(&mut self) {
        let known = self.decoded.len() as Seq;
        if known == self.head {
            return;
        }
        let stored = ready(self.memory.read(&self.run, known + 1, usize::MAX)).expect("memory does not fail");
        self.sizes
            .extend(stored.iter().map(|event| (event.event.data.len() + event.event.kind.len()) as u64));
        self.decoded.extend(load::decode_all(&self.run, &stored).expect("what was encoded decodes"));
    }
}

/// A digest of everything in a state.
pub(crate) fn digest_of<M: Machine>(state: &M) -> u64 {
    let mut bytes = Vec::with_capacity(8 << 10);
    serde_json::to_writer(&mut bytes, state).expect("a state is plain data");
    let mut mix = Mix::new();
    mix.add_bytes(&bytes);
    mix.0
}

/// A digest of what an append says.
pub(crate) fn content_of<'a>(events: impl Iterator<Item = (&'a str, &'a [u8])>) -> u64 {
    let mut mix = Mix::new();
    for (kind, data) in events {
        mix.add_bytes(kind.as_bytes());
        mix.add_bytes(data);
    }
    mix.0
}

/// The store in memory answers at once.
fn ready<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the store in memory never waits"),
    }
}
