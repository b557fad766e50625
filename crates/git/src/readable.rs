//! Permissions that keep files of the tree from their own owner.
//!
//! git keeps none of them but whether a file can be executed, so no tree shows that a directory was closed. Whoever runs between walls
//! cannot look into it then, root included, and a check may pass by what it does not find.

use std::collections::BTreeSet;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use crate::{Error, RepoPath, SnapshotId, Workspace};

const DIRECTORY: u32 = 0o700;
const FILE: u32 = 0o600;

impl Workspace {
    /// Lets their owner into the directories of `known` again, and read those of its files that `is_wanted`. Returns what was closed.
    pub fn open_up(
        &self,
        known: &SnapshotId,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<RepoPath>, Error> {
        let entries = crate::tree::listed(&self.repository, known.as_str())?;
        let paths: Vec<_> =
            entries.into_iter().filter_map(|entry| RepoPath::try_from(entry.path).ok()).collect();
        let above = |path: &RepoPath| std::iter::successors(path.parent(), RepoPath::parent);
        // From the top: what is in a closed directory cannot be seen.
        let directories: BTreeSet<_> = paths.iter().flat_map(above).collect();
        let mut opened = Vec::new();
        let mut is_reached = BTreeSet::new();
        for path in directories {
            let is_below_one = path.parent().is_none_or(|parent| is_reached.contains(&parent));
            if is_below_one && let Some(was_closed) = self.open_one(&path, DIRECTORY) {
                opened.extend(was_closed.then(|| path.clone()));
                is_reached.insert(path);
            }
        }
        for path in paths.into_iter().filter(|path| is_wanted(&path.to_string())) {
            let is_below_one = path.parent().is_none_or(|parent| is_reached.contains(&parent));
            if is_below_one && self.open_one(&path, FILE) == Some(true) {
                opened.push(path);
            }
        }
        Ok(opened)
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
