//! The fault loop: a small workload in which every call fails once, before or after its effect.
//!
//! For N = 1, 2, 3, … the N-th call fails; until a run in which nothing failed. Afterwards nothing that was
//! acknowledged is lost, nothing is there twice, and the storage is sound.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use piton_model::{Epoch, RunId, Seq};
use piton_seal::{KeyId, Keys};

use super::Journal;
use super::steps::*;
use crate::types::{
    Append, Archived, BlobId, Checkpoint, Claim, Gone, Head, History, Holder, Lease, Page, RunRow, Sizes,
    StoredEvent, Sweep, Swept, Wanted,
};
use crate::{BoxFuture, Error, Frame, Problem, Store};

/// When a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing happened.
    Before,
    /// It happened, but the caller is told that it failed.
    After,
}

/// A store whose N-th call fails.
#[derive(Debug)]
pub struct Faulty<S> {
    inner: S,
    fault: Fault,
    /// Calls until the one that fails; 0 once it has.
    calls_left: AtomicUsize,
}

impl<S: Store> Faulty<S> {
    /// `inner`, whose call number `nth` (from 1) fails.
    pub fn new(inner: S, fault: Fault, nth: usize) -> Self {
        Self { inner, fault, calls_left: AtomicUsize::new(nth) }
    }

    /// Calls that are still to come before the one that fails; 0 once it has failed.
    pub fn calls_left(&self) -> usize {
        self.calls_left.load(Ordering::Relaxed)
    }

    async fn through<T>(&self, call: BoxFuture<'_, T>) -> Result<T, Error> {
        let left = self.calls_left();
        let fails = left == 1;
        self.calls_left.store(left.saturating_sub(1), Ordering::Relaxed);
        if fails && self.fault == Fault::Before {
            return Err(injected());
        }
        let result = call.await;
        if fails { result.and_then(|_| Err(injected())) } else { result }
    }
}

fn injected() -> Error {
    Error::NoSpace { source: "injected".into() }
}

impl<S: Store> Store for Faulty<S> {
    fn keys(&self) -> &dyn Keys {
        self.inner.keys()
    }

    fn key_uses(&self) -> BoxFuture<'_, BTreeMap<KeyId, u64>> {
        self.inner.key_uses()
    }

    fn seal_anew(&self) -> BoxFuture<'_, u64> {
        self.inner.seal_anew()
    }

    fn append(&self, append: Append) -> BoxFuture<'_, Head> {
        Box::pin(self.through(self.inner.append(append)))
    }
    fn read<'a>(&'a self, run: &'a RunId, from: Seq, count_max: usize) -> BoxFuture<'a, Vec<StoredEvent>> {
        Box::pin(self.through(self.inner.read(run, from, count_max)))
    }
    fn row<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, RunRow> {
        Box::pin(self.through(self.inner.row(run)))
    }
    fn rows(&self, wanted: Wanted) -> BoxFuture<'_, Page> {
        Box::pin(self.through(self.inner.rows(wanted)))
    }
    fn checkpoint<'a>(&'a self, run: &'a RunId, at_most: Seq) -> BoxFuture<'a, Option<Checkpoint>> {
        Box::pin(self.through(self.inner.checkpoint(run, at_most)))
    }
    fn claim<'a>(&'a self, run: &'a RunId, holder: Holder, claim: Claim) -> BoxFuture<'a, Lease> {
        Box::pin(self.through(self.inner.claim(run, holder, claim)))
    }
    fn holder<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Option<Holder>> {
        Box::pin(self.through(self.inner.holder(run)))
    }
    fn is_superseded(&self, run: &RunId, epoch: Epoch) -> bool {
        self.inner.is_superseded(run, epoch)
    }
    fn release(&self, lease: Lease) -> BoxFuture<'_, ()> {
        Box::pin(self.through(self.inner.release(lease)))
    }
    fn settle<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, ()> {
        Box::pin(self.through(self.inner.settle(run)))
    }
    fn put_blob<'a>(&'a self, bytes: &'a [u8]) -> BoxFuture<'a, BlobId> {
        Box::pin(self.through(self.inner.put_blob(bytes)))
    }
    fn blob<'a>(&'a self, id: &'a BlobId) -> BoxFuture<'a, Vec<u8>> {
        Box::pin(self.through(self.inner.blob(id)))
    }
    fn verify<'a>(&'a self, run: Option<&'a RunId>) -> BoxFuture<'a, Vec<Problem>> {
        Box::pin(self.through(self.inner.verify(run)))
    }
    fn remove(&self, lease: Lease) -> BoxFuture<'_, ()> {
        Box::pin(self.through(self.inner.remove(lease)))
    }
    fn ship<'a>(&'a self, run: &'a RunId, after: Head, bytes_max: usize) -> BoxFuture<'a, Vec<Frame>> {
        Box::pin(self.through(self.inner.ship(run, after, bytes_max)))
    }
    fn take_in<'a>(&'a self, history: History<'a>) -> BoxFuture<'a, Head> {
        Box::pin(self.through(self.inner.take_in(history)))
    }
    fn archive<'a>(&'a self, lease: &'a Lease, archived: Archived) -> BoxFuture<'a, ()> {
        Box::pin(self.through(self.inner.archive(lease, archived)))
    }
    fn archived<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Option<Archived>> {
        Box::pin(self.through(self.inner.archived(run)))
    }
    fn gone(&self) -> BoxFuture<'_, Vec<Gone>> {
        Box::pin(self.through(self.inner.gone()))
    }
    fn bury<'a>(&'a self, gone: &'a [Gone]) -> BoxFuture<'a, ()> {
        Box::pin(self.through(self.inner.bury(gone)))
    }
    fn sweep<'a>(&'a self, how: &'a Sweep) -> BoxFuture<'a, Swept> {
        Box::pin(self.through(self.inner.sweep(how)))
    }
    fn sizes(&self) -> BoxFuture<'_, Sizes> {
        Box::pin(self.through(self.inner.sizes()))
    }
    fn compact(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.through(self.inner.compact()))
    }
    fn epoch_max(&self) -> BoxFuture<'_, Epoch> {
        Box::pin(self.through(self.inner.epoch_max()))
    }
    fn revision(&self) -> BoxFuture<'_, u64> {
        Box::pin(self.through(self.inner.revision()))
    }
}

pub async fn every_call_may_fail_before_its_effect(journal: &impl Journal) {
    fault_loop(journal, Fault::Before, Patience::TryAgain).await;
}

pub async fn every_call_may_fail_after_its_effect(journal: &impl Journal) {
    fault_loop(journal, Fault::After, Patience::TryAgain).await;
}

pub async fn every_call_may_be_the_last_of_its_process_before_its_effect(journal: &impl Journal) {
    fault_loop(journal, Fault::Before, Patience::Restart).await;
}

pub async fn every_call_may_be_the_last_of_its_process_after_its_effect(journal: &impl Journal) {
    fault_loop(journal, Fault::After, Patience::Restart).await;
}

/// What the workload does about a call that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Patience {
    /// The same call once more.
    TryAgain,
    /// Give up; a new process begins from what the journal says.
    Restart,
}

const STEPS: usize = 6;

async fn fault_loop(journal: &impl Journal, fault: Fault, patience: Patience) {
    for nth in 1.. {
        let work = Work { id: format!("r{nth}"), patience, acknowledged: RefCell::default() };
        let store = Faulty::new(journal.open(), fault, nth);
        let first = work.perform(&store).await;
        let hit = store.calls_left() == 0;
        let expected = first.is_ok() || hit && patience == Patience::Restart;
        assert!(expected, "call {nth}, tried again where it failed: {first:?}");
        drop(store);
        if first.is_err() {
            // Nothing fails any more, so the work is done in the end.
            work.perform(&journal.open()).await.unwrap();
        }
        work.check(&journal.open()).await;
        if !hit {
            assert!(nth > 2 * STEPS, "the workload made only {nth} calls");
            return;
        }
    }
}

struct Work {
    id: String,
    patience: Patience,
    /// What the journal said it had, by words.
    acknowledged: RefCell<BTreeSet<(Seq, String)>>,
}

impl Work {
    /// Drives the run `id` to its end from wherever it is, and removes a second run.
    async fn perform<S: Store>(&self, store: &S) -> Result<(), Error> {
        let run = run(&self.id);
        self.append(store, creation(&self.id)).await?;
        let lease = self.patiently(async || store.claim(&run, holder(1), Claim::IfFree).await).await?;
        for step in 0..STEPS {
            let there = self.patiently(async || store.read(&run, 1, usize::MAX).await).await?;
            let step_words = format!("step {step}");
            if there.iter().any(|stored| stored.event.data == step_words.as_bytes()) {
                continue;
            }
            if step == 2 {
                self.append(store, asked(&self.id, "please")).await?;
            }
            let head = self.patiently(async || store.row(&run).await).await?.head;
            let mut append = driven(&lease, head.seq, &step_words);
            append.entry = Some(entry(&self.id, &step_words));
            append.checkpoint = (step % 2 == 1).then(|| step_words.clone().into_bytes());
            append.events.push(event("noted", &format!("{step_words} was taken")));
            self.append(store, append).await?;
        }
        self.patiently(async || store.put_blob(b"a blob").await).await?;
        self.patiently(async || store.settle(&run).await).await?;
        self.remove_another(store).await?;
        store.release(lease).await.or_else(|error| self.tolerate(error, ()))
    }

    async fn remove_another<S: Store>(&self, store: &S) -> Result<(), Error> {
        let other = run(&format!("{}-other", self.id));
        store
            .append(creation(other.as_str()))
            .await
            .or_else(|error| self.tolerate(error, Head { seq: 1, hash: [0; 32] }))?;
        let lease = match store.claim(&other, holder(2), Claim::IfFree).await {
            Ok(lease) => lease,
            Err(error) => return self.tolerate(error, ()),
        };
        store.remove(lease).await.or_else(|error| self.tolerate(error, ()))
    }

    /// A call that is not tried again: with patience the work goes on without it.
    fn tolerate<T>(&self, error: Error, otherwise: T) -> Result<T, Error> {
        match (self.patience, &error) {
            (Patience::TryAgain, Error::NoSpace { .. } | Error::UnknownRun { .. }) => Ok(otherwise),
            _ => Err(error),
        }
    }

    async fn patiently<T>(&self, call: impl AsyncFn() -> Result<T, Error>) -> Result<T, Error> {
        match call().await {
            Err(Error::NoSpace { .. }) if self.patience == Patience::TryAgain => call().await,
            result => result,
        }
    }

    async fn append<S: Store>(&self, store: &S, append: Append) -> Result<(), Error> {
        let head = self.patiently(async || store.append(append.clone()).await).await?;
        let first = head.seq + 1 - append.events.len() as Seq;
        for (seq, event) in (first..).zip(&append.events) {
            let words = String::from_utf8(event.data.clone()).unwrap();
            self.acknowledged.borrow_mut().insert((seq, words));
        }
        Ok(())
    }

    async fn check<S: Store>(&self, store: &S) {
        let events = is_whole(store, &self.id).await;
        let found: Vec<_> = events
            .iter()
            .map(|stored| (stored.seq, String::from_utf8(stored.event.data.clone()).unwrap()))
            .collect();
        for acknowledged in self.acknowledged.borrow().iter() {
            assert!(
                found.contains(acknowledged),
                "{acknowledged:?} was acknowledged and is not in {found:?}"
            );
        }
        let distinct: BTreeSet<_> = found.iter().map(|(_, words)| words).collect();
        assert_eq!(distinct.len(), found.len(), "something is there twice: {found:?}");
        assert_eq!(found.len(), 2 + 2 * STEPS, "{found:?}");
        let last = entry(&self.id, &format!("step {}", STEPS - 1));
        assert_eq!(store.row(&run(&self.id)).await.unwrap().entry, last);
        let checkpoint = store.checkpoint(&run(&self.id), Seq::MAX).await.unwrap().unwrap();
        assert_eq!(checkpoint.bytes, format!("step {}", STEPS - 1).as_bytes());
        assert_eq!(store.holder(&run(&self.id)).await.unwrap(), None, "the lease is free");
    }
}
