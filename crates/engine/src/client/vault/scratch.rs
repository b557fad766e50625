//! A place for the proof of a backup.

use std::path::{Path, PathBuf};

use piton_sys::lock::FileLock;
use piton_sys::{Ids, SystemIds, file};
use piton_view::Error;

use crate::layout::Layout;

/// A directory of this process alone, gone when it is dropped; what others left that died is gone as well.
pub(in crate::client) struct Scratch {
    path: PathBuf,
    root: PathBuf,
    _lock: FileLock,
}

impl Scratch {
    pub(in crate::client) fn new(layout: &Layout) -> Result<Self, Error> {
        Self::at(&layout.state())
    }

    /// The same in another directory of piton's.
    pub(in crate::client) fn at(state: &Path) -> Result<Self, Error> {
        let root = state.join("scratch");
        let made = file::create_private_dir(&root).and_then(|()| {
            // Whoever makes one is alone: nobody takes what is being made for something left.
            let _alone = FileLock::exclusive(&root.join("lock"))?;
            remove_left(&root)?;
            let path = root.join(SystemIds.hex(16));
            let lock = FileLock::exclusive(&lock_of(&path))?;
            file::create_private_dir(&path)?;
            Ok((path, lock))
        });
        let (path, _lock) = made.map_err(|error| Error::environment(&error))?;
        Ok(Self { path, root, _lock })
    }

    pub(in crate::client) fn path(&self) -> &Path {
        &self.path
    }
}

/// Removes what those left that died.
fn remove_left(root: &Path) -> Result<(), file::Error> {
    for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
        let path = entry.path().with_extension("");
        if path.file_name().is_some_and(|name| name == "lock") || FileLock::is_held(&lock_of(&path))? {
            continue;
        }
        file::remove_tree_within(root, &path)?;
        file::remove_file_if_exists(&lock_of(&path))?;
    }
    Ok(())
}

fn lock_of(path: &Path) -> PathBuf {
    path.with_extension("lock")
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays behind is removed by the next.
        let _ = file::remove_tree_within(&self.root, &self.path);
        let _ = file::remove_file_if_exists(&lock_of(&self.path));
        // Where there was nothing before, nothing stays.
        let count = |path: &Path| std::fs::read_dir(path).into_iter().flatten().count();
        let state = self.root.parent().unwrap_or(&self.root);
        if count(&self.root) == 1 && count(state) == 1 {
            let _ = file::remove_file_if_exists(&self.root.join("lock"));
            let _ = std::fs::remove_dir(&self.root).and_then(|()| std::fs::remove_dir(state));
        }
    }
}
