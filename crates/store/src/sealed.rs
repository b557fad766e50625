//! A journal that may be read and nothing else: whoever opened it found that it is not this user's to go on with.
//!
//! Driving, answering and removing all need a lease or an append, so refusing these refuses everything, whoever asks.

use std::collections::BTreeMap;
use std::sync::Arc;

use piton_model::{Epoch, RunId, Seq};
use piton_seal::{KeyId, Keys};

use crate::error::{Error, Problem};
use crate::types::{
    Append, Archived, BlobId, Checkpoint, Claim, Gone, Head, History, Holder, Lease, Page, RunRow, Sizes,
    StoredEvent, Sweep, Swept, Wanted,
};
use crate::{BoxFuture, Frame, Store};

/// A journal that is only read.
pub struct Sealed {
    inner: Arc<dyn Store>,
    why: String,
    hint: String,
}

impl Sealed {
    /// `inner`, with what whoever wants more of it is told.
    pub fn new(inner: Arc<dyn Store>, why: String, hint: String) -> Self {
        Self { inner, why, hint }
    }

    fn refused<T: Send>(&self) -> BoxFuture<'_, T> {
        Box::pin(async { Err(Error::Sealed { why: self.why.clone(), hint: self.hint.clone() }) })
    }
}

impl Store for Sealed {
    fn append(&self, _: Append) -> BoxFuture<'_, Head> {
        self.refused()
    }
    fn claim<'a>(&'a self, _: &'a RunId, _: Holder, _: Claim) -> BoxFuture<'a, Lease> {
        self.refused()
    }
    fn settle<'a>(&'a self, _: &'a RunId) -> BoxFuture<'a, ()> {
        self.refused()
    }
    fn put_blob<'a>(&'a self, _: &'a [u8]) -> BoxFuture<'a, BlobId> {
        self.refused()
    }
    fn remove(&self, _: Lease) -> BoxFuture<'_, ()> {
        self.refused()
    }
    fn release(&self, lease: Lease) -> BoxFuture<'_, ()> {
        self.inner.release(lease)
    }
    fn read<'a>(&'a self, run: &'a RunId, from: Seq, count_max: usize) -> BoxFuture<'a, Vec<StoredEvent>> {
        self.inner.read(run, from, count_max)
    }
    fn row<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, RunRow> {
        self.inner.row(run)
    }
    fn rows(&self, wanted: Wanted) -> BoxFuture<'_, Page> {
        self.inner.rows(wanted)
    }
    fn checkpoint<'a>(&'a self, run: &'a RunId, at_most: Seq) -> BoxFuture<'a, Option<Checkpoint>> {
        self.inner.checkpoint(run, at_most)
    }
    fn holder<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Option<Holder>> {
        self.inner.holder(run)
    }
    fn is_superseded(&self, run: &RunId, epoch: Epoch) -> bool {
        self.inner.is_superseded(run, epoch)
    }
    fn blob<'a>(&'a self, id: &'a BlobId) -> BoxFuture<'a, Vec<u8>> {
        self.inner.blob(id)
    }
    fn verify<'a>(&'a self, run: Option<&'a RunId>) -> BoxFuture<'a, Vec<Problem>> {
        self.inner.verify(run)
    }
    fn ship<'a>(&'a self, run: &'a RunId, after: Head, bytes_max: usize) -> BoxFuture<'a, Vec<Frame>> {
        self.inner.ship(run, after, bytes_max)
    }
    fn take_in<'a>(&'a self, _: History<'a>) -> BoxFuture<'a, Head> {
        self.refused()
    }
    fn archive<'a>(&'a self, _: &'a Lease, _: Archived) -> BoxFuture<'a, ()> {
        self.refused()
    }
    fn archived<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Option<Archived>> {
        self.inner.archived(run)
    }
    fn gone(&self) -> BoxFuture<'_, Vec<Gone>> {
        self.inner.gone()
    }
    fn bury<'a>(&'a self, _: &'a [Gone]) -> BoxFuture<'a, ()> {
        self.refused()
    }
    fn sweep<'a>(&'a self, how: &'a Sweep) -> BoxFuture<'a, Swept> {
        match how.remove {
            true => self.refused(),
            false => self.inner.sweep(how),
        }
    }
    fn sizes(&self) -> BoxFuture<'_, Sizes> {
        self.inner.sizes()
    }
    fn compact(&self) -> BoxFuture<'_, ()> {
        self.refused()
    }
    fn epoch_max(&self) -> BoxFuture<'_, Epoch> {
        self.inner.epoch_max()
    }
    fn revision(&self) -> BoxFuture<'_, u64> {
        self.inner.revision()
    }
    fn keys(&self) -> &dyn Keys {
        self.inner.keys()
    }
    fn key_uses(&self) -> BoxFuture<'_, BTreeMap<KeyId, u64>> {
        self.inner.key_uses()
    }
    fn seal_anew(&self) -> BoxFuture<'_, u64> {
        self.refused()
    }
}
