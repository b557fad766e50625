//! The journal: durable, chained, leased; the only write path.
//!
//! Owns the trait [`Store`] and its backends. Never knows what an event means: it keeps bytes in order,
//! proves that they are the bytes that were written, and says who may write next.
//!
//! - [`chain`]: the hash chain that makes a changed or missing event visible.
//! - [`codec`]: how bytes are kept (plain, compressed; encryption has its place).
//! - [`anchor`]: what is known of a run outside the database, to notice a lost tail.
//! - [`memory`], [`sqlite`]: the backends; `conformance` is the contract both must meet.
//!
//! Invariant: an append that was acknowledged is there after any crash, once, under its epoch.

pub mod anchor;
mod blob;
pub mod chain;
pub mod codec;
#[cfg(feature = "conformance")]
pub mod conformance;
mod error;
pub mod memory;
pub mod sqlite;
mod types;

use std::future::Future;

use piton_model::{RunId, Seq};

pub use error::{Error, Problem};
pub use types::{
    Append, BlobId, Checkpoint, Claim, Entry, Expect, Fence, Head, Holder, Lease, RequestId, RunRow,
    StoredEvent,
};

/// What a journal can do. Small on purpose: branching lives in the model, a backend is storage.
///
/// Futures are not required to be `Send`: a driver has a runtime of its own thread.
pub trait Store {
    /// Adds events to a run, all or none, and answers only when they are durable.
    ///
    /// Idempotent: the same append again (same salt, or same request id) answers with the first result.
    fn append(&self, append: Append) -> impl Future<Output = Result<Head, Error>>;

    /// The events from `from` on, at most `count_max` of them (rounded up to a whole append), verified.
    fn read(
        &self,
        run: &RunId,
        from: Seq,
        count_max: usize,
    ) -> impl Future<Output = Result<Vec<StoredEvent>, Error>>;

    /// The index row of a run, verified.
    fn row(&self, run: &RunId) -> impl Future<Output = Result<RunRow, Error>>;

    /// Every run, newest first, verified row by row.
    fn rows(&self) -> impl Future<Output = Result<Vec<RunRow>, Error>>;

    /// The newest checkpoint at or before `at_most`.
    fn checkpoint(
        &self,
        run: &RunId,
        at_most: Seq,
    ) -> impl Future<Output = Result<Option<Checkpoint>, Error>>;

    /// Takes the lease of a run and bumps its epoch.
    fn claim(&self, run: &RunId, holder: Holder, claim: Claim) -> impl Future<Output = Result<Lease, Error>>;

    /// Who drives the run now, if anybody living does.
    fn holder(&self, run: &RunId) -> impl Future<Output = Result<Option<Holder>, Error>>;

    /// Lets go of a lease. Dropping it does the same, less promptly on some backends.
    fn release(&self, lease: Lease) -> impl Future<Output = Result<(), Error>>;

    /// Makes what is known of the run outside the database durable too. Called when a run comes to rest.
    fn settle(&self, run: &RunId) -> impl Future<Output = Result<(), Error>>;

    /// Keeps bytes under their digest, durably.
    fn put_blob(&self, bytes: &[u8]) -> impl Future<Output = Result<BlobId, Error>>;

    /// Bytes by their digest, verified.
    fn blob(&self, id: &BlobId) -> impl Future<Output = Result<Vec<u8>, Error>>;

    /// Everything that is wrong with a run's storage; empty is good. Reads all of it.
    fn verify(&self, run: &RunId) -> impl Future<Output = Result<Vec<Problem>, Error>>;

    /// Forgets a run. Only under its lease.
    fn remove(&self, lease: Lease) -> impl Future<Output = Result<(), Error>>;

    /// A number that changes whenever any process has appended anything.
    fn revision(&self) -> impl Future<Output = Result<u64, Error>>;
}
