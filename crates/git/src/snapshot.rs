//! What a snapshot says: plain data for the journal.

use piton_record::record;

use crate::{BlobId, RepoPath, SnapshotId, TreeId};

/// The state of a work tree at one moment, kept under `refs/piton/runs/<run>`.
#[record(Eq, written)]
pub struct Snapshot {
    /// The commit that records it.
    pub id: SnapshotId,
    /// The files, byte by byte; files of nested repositories and files hidden by a sparse checkout included.
    pub tree: TreeId,
    /// The commit that `HEAD` named; `None` before the first commit and outside of git.
    pub head: Option<String>,
    /// The full name of the branch; `None` on a detached `HEAD` and outside of git.
    pub branch: Option<String>,
    /// What was staged; `None` where there was no index.
    pub index: Option<Index>,
    /// Those files of `tree` that a sparse checkout keeps off the disk.
    pub hidden: Option<TreeId>,
    /// Repositories inside the work tree; their files are part of `tree`.
    pub nested: Vec<Nested>,
    /// What is on disk but not in `tree`, as far as somebody might miss it.
    pub left_out: Vec<LeftOut>,
    /// Nothing had changed: this is the run's last snapshot, and nothing was written.
    pub reused: bool,
}

/// What the user's index held.
#[record(Eq)]
pub enum Index {
    /// The staged tree.
    Tree(TreeId),
    /// A merge was under way, which no tree can hold.
    Unmerged {
        /// The index file itself.
        file: BlobId,
        /// Everything it names, by stage, so that it is kept.
        kept: TreeId,
    },
}

/// A repository inside the work tree.
#[record(Eq, written)]
pub struct Nested {
    /// Where it is.
    pub path: RepoPath,
    pub tree: TreeId,
    /// The commit its `HEAD` named.
    pub head: Option<String>,
    pub branch: Option<String>,
}

/// A file that is on disk but not in the snapshot.
#[record(Eq, PartialOrd, Ord, written)]
pub struct LeftOut {
    pub path: RepoPath,
    pub bytes: u64,
    /// BLAKE3 of its content in hexadecimal; of one that is too large to read, `times:` and that of its size, times and
    /// inode; `None` where it could not be read.
    pub digest: Option<String>,
    /// Why it is not in the snapshot.
    pub why: Why,
}

/// Why a file is not in a snapshot.
#[record(Copy, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It is larger than [`Caps::file_bytes_max`].
    TooLarge,
    /// The new content of this snapshot would be more than [`Caps::snapshot_bytes_max`].
    SnapshotFull,
    /// git ignores it, but it looks like a test or like configuration.
    Ignored,
    /// This user may not read it.
    Unreadable,
    /// git cannot keep a file of that name.
    Name,
}

/// How much content a snapshot may take in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// A larger file is left out, unless git has its content already.
    pub file_bytes_max: u64,
    /// The new content of one snapshot; the smallest files go first.
    pub snapshot_bytes_max: u64,
    /// How many files may be left out for one of these reasons before the snapshot fails.
    pub left_out_max: usize,
    /// How much of what is left out is read in one snapshot, to know whether it changes. Of a file beyond that counts what the
    /// file system says of it.
    pub read_bytes_max: u64,
}

impl Caps {
    /// What holds unless a caller says otherwise.
    pub const DEFAULT: Self = Self {
        file_bytes_max: 64 << 20,
        snapshot_bytes_max: 1 << 30,
        left_out_max: 100_000,
        read_bytes_max: 4 << 30,
    };
}

impl Default for Caps {
    fn default() -> Self {
        Self::DEFAULT
    }
}
