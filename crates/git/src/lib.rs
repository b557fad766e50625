//! Snapshots of a work tree, through the git program.
//!
//! Owns `refs/piton/*`, the private repository in `.piton/.git` and one private index per run. Never touches
//! the user's index, branch, `HEAD`, stash, hooks or configuration (but a refusal has git track again what it tracked, see
//! [`index`]), and never runs anything a repository names: every call of git goes through [`call`] with hardened settings, and every
//! call that looks at files goes through a [`shadow`], a git directory of ours that knows no configuration but our own.
//!
//! [`bundle`] carries snapshots to another repository.
//!
//! Work trees of our own are in [`branch`], commits in them in [`stage`]; what git does not bring into one is in [`lacking`]. Where a
//! person wants their work, [`land`] brings it, [`landed`] remembers that.
//!
//! Read [`take`] for how a snapshot comes about, [`capture`] for how files become a tree byte by byte,
//! [`disk`] for when git need not look, [`unseen`] for what git would not show, [`held`] for what stays in sight whatever ignores it, [`record`] for how a snapshot is kept, [`restore`] for the way back.
//! [`history`] and [`tree`] read revisions and files for whoever compares them.
//!
//! Invariant: everything a snapshot names is reachable from its ref, so no garbage collection drops it.
//! Invariant: a snapshot is complete or an error; what it leaves out on purpose it lists.
#![expect(missing_docs, reason = "only this workspace reads it: what a name says is not said twice")]

mod branch;
mod bundle;
mod lacking;
mod land;
mod landed;
mod workspace;

mod protect;
mod snapshot;

mod capture;
mod combine;
mod compared;
mod compose;
mod disk;
mod held;
mod index;
mod left;
mod left_out;
mod memo;
mod own;
mod place;
mod record;
mod seed;
mod select;
mod status;
mod take;
mod theirs;
mod unseen;

mod apply;
mod diff;
mod readable;
mod restore;
mod stage;

mod history;
mod tree;

mod call;
mod error;
mod id;
mod path;
mod pipes;
mod programs;
mod repository;
mod shadow;
mod stop;

pub use branch::{Head, Standing, owner_of, tracks};
pub use call::calls_made;
pub use diff::{ChangeKind, Diff, FileChange, Written};
pub use error::Error;
pub use history::History;
pub use id::{BlobId, ParseIdError, SnapshotId, TreeId, Treeish};
pub use lacking::Ignored;
pub use land::{Advanced, Replayed};
pub use landed::Landing;
pub use path::{ParsePathError, RepoPath};
pub use restore::{Expected, Restored};
pub use snapshot::{Caps, Index, LeftOut, Nested, Snapshot, Why};
pub use stage::{Committed, Identity, Own};
pub use stop::Stop;
pub use tree::{Changed, CommittedTree, Entry, ListedTree, Listings, ReadError, Tree, WorkTree};
pub use workspace::Workspace;
