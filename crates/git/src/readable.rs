//! Permissions that keep files of the tree from their own owner.
//!
//! git keeps none of them but whether a file can be executed, so no tree shows that a directory was closed. Whoever runs between walls
//! cannot look into it then, root included, and a check may pass by what it does not find.

use std::collections::BTreeSet;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{Entry, Error, RepoPath, SnapshotId, Workspace};

const DIRECTORY: u32 = 0o700;
const FILE: u32 = 0o600;

/// What of the snapshot that was opened up last can be closed: the next one costs what changed, and not what is there.
pub(crate) type LastOpened = Arc<Mutex<Option<(SnapshotId, Closable)>>>;

/// The directories of a snapshot, and those of its files that matter.
#[derive(Debug, Default)]
pub(crate) struct Closable {
    directories: BTreeSet<RepoPath>,
    files: BTreeSet<RepoPath>,
}

impl Closable {
    fn add(&mut self, entries: Vec<Entry>, is_wanted: impl Fn(&str) -> bool) {
        for entry in entries {
            let is_wanted = is_wanted(&entry.path);
            let Ok(path) = RepoPath::try_from(entry.path) else { continue };
            // Most files lie in a directory that is known already, with all above it.
            let mut above = path.parent();
            while let Some(directory) = above.filter(|directory| !self.directories.contains(directory)) {
                above = directory.parent();
                self.directories.insert(directory);
            }
            if is_wanted {
                self.files.insert(path);
            }
        }
    }
}

impl Workspace {
    /// Lets their owner into the directories of `known` again, and read those of its files that `is_wanted`, which is asked once of
    /// each path. Returns what was closed.
    pub fn open_up(
        &self,
        known: &SnapshotId,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<RepoPath>, Error> {
        let mut last = self.last_opened.lock().unwrap_or_else(PoisonError::into_inner);
        let closable = self.closable(last.take(), known, is_wanted)?;
        let mut opened = Vec::new();
        let mut is_reached = BTreeSet::new();
        // From the top: what is in a closed directory cannot be seen.
        for path in &closable.directories {
            let is_below_one = path.parent().is_none_or(|parent| is_reached.contains(&parent));
            if is_below_one && let Some(was_closed) = self.open_one(path, DIRECTORY) {
                opened.extend(was_closed.then(|| path.clone()));
                is_reached.insert(path.clone());
            }
        }
        for path in &closable.files {
            let is_below_one = path.parent().is_none_or(|parent| is_reached.contains(&parent));
            if is_below_one && self.open_one(path, FILE) == Some(true) {
                opened.push(path.clone());
            }
        }
        *last = Some((known.clone(), closable));
        Ok(opened)
    }

    /// What can be closed in `known`, told from what differs where the last one is known and nothing of it is gone.
    fn closable(
        &self,
        last: Option<(SnapshotId, Closable)>,
        known: &SnapshotId,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Closable, Error> {
        let tree = self.tree(known);
        if let Some((of, mut closable)) = last {
            if of == *known {
                return Ok(closable);
            }
            if let Ok((gone, new)) = tree.differs_from(&self.tree(&of)) {
                let is_there = |gone: &Entry| new.binary_search_by(|new| new.path.cmp(&gone.path)).is_ok();
                if gone.iter().all(is_there) {
                    closable.add(new, is_wanted);
                    return Ok(closable);
                }
            }
        }
        let mut closable = Closable::default();
        closable.add(crate::tree::listed(&self.repository, known.as_str())?, is_wanted);
        Ok(closable)
    }

    /// Whether it had to be opened; nothing where there is none, or something else by that name.
    fn open_one(&self, path: &RepoPath, wanted: u32) -> Option<bool> {
        let on_disk = self.root().join(path.as_path());
        let metadata = on_disk.symlink_metadata().ok()?;
        let mode = metadata.permissions().mode();
        // A file need not be writable, nor a directory.
        let needed = wanted & 0o500;
        match metadata.is_dir() == (wanted == DIRECTORY) && !metadata.is_symlink() {
            false => None,
            true if mode & needed == needed => Some(false),
            true => {
                std::fs::set_permissions(&on_disk, Permissions::from_mode(mode | wanted)).ok().map(|()| true)
            }
        }
    }
}
