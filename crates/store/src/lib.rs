//! The journal: durable, chained, leased; the only write path.
//!
//! Owns the trait [`Store`] and its backends. Never knows what an event means: it keeps bytes in order,
//! proves that they are the bytes that were written, and says who may write next.
//!
//! - [`chain`]: the hash chain that makes a changed or missing event visible.
//! - [`codec`]: how bytes are kept: compressed, and sealed with keys of which a journal knows only [`piton_seal::Keys`].
//! - [`Frame`]: an append as it is kept, which is also how it is shipped to another journal.
//! - [`anchor`]: what is known of a run outside the database, to notice a lost tail.
//! - [`memory`], [`sqlite`]: the backends; `conformance` is the contract both must meet. [`Url`] says which is meant.
//! - [`Sealed`]: one that may only be read; [`Identity`]: which journal it is, and where it lies.
//!
//! Invariant: an append that was acknowledged is there after any crash, once, under its epoch.

pub mod anchor;
mod blob;
pub mod chain;
pub mod codec;
#[cfg(feature = "conformance")]
pub mod conformance;
mod error;
mod frame;
pub mod memory;
mod sealed;
pub mod sqlite;
mod types;
mod url;

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;

use piton_model::{Epoch, RunId, Seq};
use piton_seal::{KeyId, Keys};

pub use error::{Error, Problem};
pub use frame::Frame;
pub use sealed::Sealed;
pub use sqlite::{Hold, Salvage, Salvaged};
pub use types::{
    Append, Archived, BlobId, Checkpoint, Claim, Cursor, Expect, Fence, Gone, Head, History, Holder,
    Identity, JournalId, Lease, Page, RequestId, RunRow, Sizes, StoredEvent, Sweep, Swept, Taken, Wanted,
};
pub use url::{
    Opened, URL_SHAPE, Url, hold, identify, open, open_existing, open_existing_with, open_to_prove,
    open_with, peek, publish, salvage, set_aside,
};

/// An answer of a journal, on its way.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// What a journal can do. Small on purpose: branching lives in the model, a backend is storage.
///
/// Used as `Arc<dyn Store>`. The futures are `Send`, so a server may wait for them on any thread; a driver has a
/// runtime of its own thread, where an append commits without a hand-off.
pub trait Store: Send + Sync {
    /// Adds events to a run, all or none, and answers only when they are durable.
    ///
    /// Idempotent: the same append again (same salt, or same request id) answers with the first result.
    fn append(&self, append: Append) -> BoxFuture<'_, Head>;

    /// The events from `from` on, at most `count_max` of them (rounded up to a whole append), verified.
    fn read<'a>(&'a self, run: &'a RunId, from: Seq, count_max: usize) -> BoxFuture<'a, Vec<StoredEvent>>;

    /// The index row of a run, verified.
    fn row<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, RunRow>;

    /// The runs, newest first, a page at a time, verified row by row.
    fn rows(&self, wanted: Wanted) -> BoxFuture<'_, Page>;

    /// The newest checkpoint at or before `at_most`.
    fn checkpoint<'a>(&'a self, run: &'a RunId, at_most: Seq) -> BoxFuture<'a, Option<Checkpoint>>;

    /// Takes the lease of a run and bumps its epoch.
    fn claim<'a>(&'a self, run: &'a RunId, holder: Holder, claim: Claim) -> BoxFuture<'a, Lease>;

    /// Who drives the run now, if anybody living does.
    fn holder<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Option<Holder>>;

    /// Whether the lease of `epoch` is history: somebody was granted, or is being granted, the next.
    ///
    /// Synchronous and local, so that a driver can ask before everything it writes.
    fn is_superseded(&self, run: &RunId, epoch: Epoch) -> bool;

    /// Lets go of a lease. Dropping it does the same, less promptly on some backends.
    fn release(&self, lease: Lease) -> BoxFuture<'_, ()>;

    /// Makes what is known of the run outside the database durable too. Called when a run comes to rest.
    fn settle<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, ()>;

    /// Keeps bytes under their digest, durably.
    fn put_blob<'a>(&'a self, bytes: &'a [u8]) -> BoxFuture<'a, BlobId>;

    /// Bytes by their digest, verified.
    fn blob<'a>(&'a self, id: &'a BlobId) -> BoxFuture<'a, Vec<u8>>;

    /// Everything that is wrong with a run's storage, or beyond single runs with the storage as a whole; empty is
    /// good. Reads all of it.
    fn verify<'a>(&'a self, run: Option<&'a RunId>) -> BoxFuture<'a, Vec<Problem>>;

    /// Forgets a run. Only under its lease.
    fn remove(&self, lease: Lease) -> BoxFuture<'_, ()>;

    /// What follows `after` in a run, as it is kept: whole appends, at least one, until they have `bytes_max` bytes; none where
    /// nothing follows. Verified. Where `after` is not an end of one of its appends, the caller has another history.
    fn ship<'a>(&'a self, run: &'a RunId, after: Head, bytes_max: usize) -> BoxFuture<'a, Vec<Frame>>;

    /// Takes in a run that another journal shipped, all of it or nothing; every append is verified on its way. A run that is
    /// archived here gets back the payloads that the other has of the same chain, and nothing else of it changes.
    fn take_in<'a>(&'a self, history: History<'a>) -> BoxFuture<'a, Head>;

    /// The highest epoch that was granted to any run, those that were removed included.
    fn epoch_max(&self) -> BoxFuture<'_, Epoch>;

    /// Lets go of the payloads of a run's events up to and with `archived.through`: their digests stay, so that its chain still
    /// verifies. Under its lease. Whoever is killed in between does so again.
    fn archive<'a>(&'a self, lease: &'a Lease, archived: Archived) -> BoxFuture<'a, ()>;

    /// Where the payloads of a run are, if some were let go here.
    fn archived<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Option<Archived>>;

    /// The runs that were removed.
    fn gone(&self) -> BoxFuture<'_, Vec<Gone>>;

    /// Notes runs that were removed from the journal that this one takes the place of.
    fn bury<'a>(&'a self, gone: &'a [Gone]) -> BoxFuture<'a, ()>;

    /// Collects the large payloads that no event names.
    fn sweep<'a>(&'a self, how: &'a Sweep) -> BoxFuture<'a, Swept>;

    /// What the runs take. Reads all of them.
    fn sizes(&self) -> BoxFuture<'_, Sizes>;

    /// Gives back what nothing is written in. Whoever writes meanwhile waits.
    fn compact(&self) -> BoxFuture<'_, ()>;
    /// What opens what it keeps, and seals what is new.
    fn keys(&self) -> &dyn Keys;

    /// How many pieces are sealed with which key, those that are not under key 0.
    fn key_uses(&self) -> BoxFuture<'_, BTreeMap<KeyId, u64>>;

    /// Seals with the key for new pieces whatever is not; how many pieces that were. Killed in between, it goes on the next time.
    fn seal_anew(&self) -> BoxFuture<'_, u64>;

    /// A number that changes whenever any process has appended anything.
    fn revision(&self) -> BoxFuture<'_, u64>;
}
