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

use std::ffi::OsStr;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use piton_model::{Epoch, RunId, Seq};

pub use error::{Error, Problem};
pub use types::{
    Append, BlobId, Checkpoint, Claim, Cursor, Expect, Fence, Head, Holder, Lease, Page, RequestId, RunRow,
    StoredEvent, Wanted,
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

    /// A number that changes whenever any process has appended anything.
    fn revision(&self) -> BoxFuture<'_, u64>;
}

/// Opens the journal at `url`, creating it where it is not there yet: a directory, also as `sqlite:DIRECTORY`.
pub fn open(url: impl AsRef<OsStr>) -> Result<Arc<dyn Store>, Error> {
    Ok(Arc::new(sqlite::Sqlite::open(directory(url.as_ref())?)?))
}

/// Opens the journal at `url` if there is one.
pub fn open_existing(url: impl AsRef<OsStr>) -> Result<Option<Arc<dyn Store>>, Error> {
    let store = sqlite::Sqlite::open_existing(directory(url.as_ref())?)?;
    Ok(store.map(|store| Arc::new(store) as Arc<dyn Store>))
}

/// The directory that a URL names. What looks like a URL of another kind is not taken for a directory.
fn directory(url: &OsStr) -> Result<&Path, Error> {
    let Some(text) = url.to_str() else { return Ok(Path::new(url)) };
    let (scheme, rest) = text.split_once(':').unwrap_or(("", text));
    match scheme {
        "sqlite" => Ok(Path::new(rest)),
        _ if rest.starts_with("//") => Err(Error::UnknownScheme { scheme: scheme.to_owned() }),
        _ => Ok(Path::new(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_a_directory_and_another_backend_is_not_taken_for_one() {
        for (url, path) in [("/a/.piton", "/a/.piton"), ("sqlite:/a/b", "/a/b"), ("a:b/.piton", "a:b/.piton")]
        {
            assert_eq!(directory(OsStr::new(url)).unwrap(), Path::new(path));
        }
        let refused = directory(OsStr::new("postgres://host/db")).unwrap_err().to_string();
        assert_eq!(refused, "no journal can be kept at a `postgres` URL by this piton");
    }
}
