//! What a shadow remembers from one snapshot to the next, so that an unchanged tree costs next to nothing.
//!
//! It is only ever as new as the private index beside it: the file is removed before the index changes and
//! written after, so a crash in between loses it, and all in it is worked out again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use piton_record::record;
use piton_sys::file;
use rustix::fs::FileType;
use serde::{Deserialize, Serialize};

use crate::combine::Combined;
use crate::shadow::{self, Shadow};
use crate::theirs::Theirs;
use crate::{Error, RepoPath, Snapshot, TreeId, left};

/// A memo of a million paths is smaller.
const MEMO_BYTES_MAX: u64 = 256 * 1024 * 1024;

#[record(Default, written)]
#[serde(default)]
pub(crate) struct Memo {
    /// The last snapshot of the run.
    pub(crate) last: Option<Snapshot>,
    /// The commit that keeps what the last snapshot names beside its tree, and what it was made from.
    pub(crate) keeper: Option<(String, String)>,
    /// What the user's index held.
    pub(crate) theirs: Option<Theirs>,
    /// Digest of the ignore rules outside of the tree.
    pub(crate) rules: Option<String>,
    /// The repositories directly in the work tree.
    pub(crate) nested: BTreeSet<RepoPath>,
    /// Directories that have, or once had, files in the private index.
    pub(crate) directories: Option<BTreeSet<RepoPath>>,
    /// Files in the user's index that git would not show: ignored, or in a nested repository.
    pub(crate) unseen: BTreeSet<RepoPath>,
    /// Those of them that are not in the private index.
    pub(crate) absent: BTreeSet<RepoPath>,
    /// Files that a snapshot of this run held, or that it was to hold, and that are not in the private index now: see
    /// [`crate::held`]. `None` until that was worked out.
    pub(crate) gone: Option<BTreeSet<RepoPath>>,
    /// Those of them that a rule of the tree itself ignores now; they are looked at again where the rules are others.
    pub(crate) let_go: BTreeSet<RepoPath>,
    /// Files that were put back since what took them away was refused, whatever ignores them, until git tracks them again.
    pub(crate) firm: BTreeSet<RepoPath>,
    /// The snapshots of other runs whose files were taken over.
    pub(crate) holding: BTreeSet<String>,
    /// The files that piton rendered.
    pub(crate) rendered: BTreeSet<RepoPath>,
    /// The tree of the private index, as long as the index file is this one.
    pub(crate) tree: Option<(Stamp, TreeId)>,
    /// The tree with nested and hidden files, and what it was made from.
    pub(crate) combined: Option<Combined>,
    /// Digests of files left out.
    pub(crate) digests: BTreeMap<RepoPath, (Stamp, String)>,
}

impl Memo {
    /// What the shadow remembers; nothing where it is damaged.
    pub(crate) fn load(shadow: &Shadow) -> Result<Self, Error> {
        let bytes = file::read_regular(&shadow.memo(), MEMO_BYTES_MAX)?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default())
    }

    pub(crate) fn save(&self, shadow: &Shadow) -> Result<(), Error> {
        let bytes = serde_json::to_vec(self).expect("a memo has string keys only");
        shadow::write(&shadow.memo(), &bytes)?;
        left::note(shadow);
        Ok(())
    }
}

/// What the file system says about a file without reading it; a change of content changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    pub(crate) bytes: u64,
    inode: u64,
    mode: u32,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    /// The stamp of what `path` names, links not followed.
    pub(crate) fn of(path: &Path) -> std::io::Result<Self> {
        path.symlink_metadata().map(|metadata| Self::from(&metadata))
    }

    /// What it says, as a name that no digest of a content has.
    pub(crate) fn digest(&self) -> String {
        let text = serde_json::to_vec(self).expect("a stamp is plain numbers");
        format!("times:{}", blake3::hash(&text).to_hex())
    }

    /// The same where it is about a file or a link; of anything else only what kind it is, since that has no content.
    pub(crate) fn of_contents(self) -> Self {
        let has_contents = [FileType::RegularFile, FileType::Symlink].contains(&self.kind());
        let nothing =
            Self { bytes: 0, inode: 0, mode: self.kind().as_raw_mode(), modified: (0, 0), changed: (0, 0) };
        if has_contents { self } else { nothing }
    }

    pub(crate) fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.mode)
    }

    pub(crate) fn is_directory(&self) -> bool {
        self.kind() == FileType::Directory
    }

    /// Whether a change from `moment` on would have another stamp: the file system gives later changes a later time. One
    /// that counts in whole seconds does not.
    pub(crate) fn settled_by(&self, moment: (i64, i64)) -> bool {
        self.inode == 0 || (self.changed < moment && self.changed.1 != 0)
    }
}

impl From<&Metadata> for Stamp {
    fn from(metadata: &Metadata) -> Self {
        Self {
            bytes: metadata.len(),
            inode: metadata.ino(),
            mode: metadata.mode(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}
