//! A replica: what a journal holds, elsewhere, a moment later.
//!
//! ```text
//! replicas/<journal>/<generation>                     there is such a generation
//! <journal>/replicas/<generation>/log/<number>        what was new: a segment that ends with a mark
//! <journal>/replicas/<generation>/bases/<number>-…    everything up to that number: a mark that names its objects
//! <journal>/replicas/<generation>/segments/<digest>   small ones that became one
//! <journal>/replicas/<generation>/proofs/<number>-…   it was restored and verified up to that number
//! ```
//!
//! The log is numbered, and each object names the digest of the one before: together they are the replica, and a prefix of
//! them is what the journal held at an earlier moment. A *mark* ends each of them: where every run that changed ends now. A
//! *base* saves whoever restores from reading all of it; what a base was made from stays until two later ones are there.
//!
//! A *generation* has one writer. Where the journal is not the one that the generation was written from, where somebody else
//! writes to it, or where it is damaged, another is begun beside it; nothing of two is ever merged.
//!
//! - [`kept`]: what is known of it on the machine that writes it.
//! - [`mark`]: what an object says of the whole. [`place`]: names. [`read`]: what is there. [`mod@write`]: adding to it.
//! - [`mod@tidy`]: many small objects become few. [`mod@prove`]: restored, and on record as such.
//!
//! Invariant: what was shipped is what was read back from the target, never what was sent.

pub mod kept;
pub mod mark;
pub(crate) mod place;
pub mod prove;
pub mod read;
pub mod tidy;
pub mod write;

pub use mark::{Mark, Proven};
pub use prove::prove;
pub use read::{ListedReplica, Replica, fetch, find, is_there, list, proofs};
pub use tidy::{Tidied, tidy};
pub use write::{Aside, Begun, Replicator, Shipped, Writer};
