//! A directory that keeps backups.
//!
//! Written by piton's own rules: synced, moved into place whole, no name replaced, no link followed.

use std::path::{Component, Path, PathBuf};

use piton_model::Timestamp;
use piton_sys::file::{self, Durability};
use piton_sys::{Ids, SystemIds};

use super::{BoxFuture, OURS, Object, Target};
use crate::Error;

/// A directory that keeps backups.
pub struct Directory {
    given: PathBuf,
    root: PathBuf,
}

impl Directory {
    /// Backups in the directory at `path`, which is made when it is needed. Steps back are taken first: each leads to the
    /// parent of what is really there.
    pub fn new(path: &Path) -> Self {
        let given = plain(path);
        Self { root: given.join(OURS), given }
    }

    /// Where its objects lie.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    fn put_now(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let path = self.root.join(name);
        let directory = path.parent().expect("an object lies in a directory");
        make(directory)?;
        if path.symlink_metadata().is_ok() {
            return self.same(name, &path, bytes);
        }
        let aside = directory.join(format!(".{}.tmp", SystemIds.hex(8)));
        let moved = file::create_new(&aside, bytes, Durability::Synced)
            .and_then(|()| file::rename_noreplace(&aside, &path));
        if !matches!(moved, Ok(true)) {
            // Where there is no room for it, its half takes what is left. Why it could not be put there is what counts.
            let removed = file::remove_file_if_exists(&aside);
            if moved.is_ok() {
                removed?;
            }
        }
        if !moved? {
            return self.same(name, &path, bytes);
        }
        Ok(file::sync_dir(directory)?)
    }

    /// Somebody else may have put the same there, and died before it was durable.
    fn same(&self, name: &str, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        if !file::holds(path, bytes) {
            return Err(Error::Taken { object: name.to_owned() });
        }
        file::sync_path(path)?;
        Ok(file::sync_dir(path.parent().expect("an object lies in a directory"))?)
    }

    fn list_now(&self, prefix: &str) -> Result<Vec<Object>, Error> {
        let mut objects = self.files(prefix)?;
        objects.retain(|object| !is_half(&object.name));
        objects.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(objects)
    }

    /// Removes what those left that died before they had put it there.
    fn sweep_now(&self, before: Timestamp) -> Result<(), Error> {
        for object in self.files("")? {
            if is_half(&object.name) && object.at < before {
                file::remove_file_if_exists(&self.root.join(&object.name))?;
            }
        }
        Ok(())
    }

    fn files(&self, prefix: &str) -> Result<Vec<Object>, Error> {
        let mut files = Vec::new();
        let mut directories = vec![prefix.trim_end_matches('/').to_owned()];
        while let Some(directory) = directories.pop() {
            let path = self.root.join(&directory);
            let listing = match std::fs::read_dir(&path) {
                Ok(listing) => listing,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(file::Error::new("list", &path, error).into()),
            };
            for entry in listing {
                let entry = entry.map_err(|error| file::Error::new("list", &path, error))?;
                let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
                let name = if directory.is_empty() { name } else { format!("{directory}/{name}") };
                match entry.metadata() {
                    Ok(found) if found.is_dir() => directories.push(name),
                    Ok(found) if found.is_file() => {
                        let at = file::changed_at(&entry.path());
                        files.push(Object { at, bytes: found.len(), name });
                    }
                    // What is neither, or went meanwhile, is no object.
                    _ => {}
                }
            }
        }
        Ok(files)
    }
}

/// Whether a file is what is being put there, and not there yet.
fn is_half(name: &str) -> bool {
    name.ends_with(".tmp")
}

/// Makes a directory and its parents, for this user alone as far as the file system knows users.
fn make(directory: &Path) -> Result<(), file::Error> {
    use std::os::unix::fs::DirBuilderExt;
    let mut missing = Vec::new();
    let mut at = directory;
    while at.symlink_metadata().is_err() {
        missing.push(at);
        let Some(parent) = at.parent() else { break };
        at = parent;
    }
    let failed = |error| file::Error::new("make the directory", directory, error);
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(failed)?;
    // A new name is durable once the directory that holds it is.
    for made in missing {
        if let Some(parent) = made.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            file::sync_dir(parent)?;
        }
    }
    Ok(())
}

impl Target for Directory {
    fn put<'a>(&'a self, name: &'a str, bytes: &'a [u8]) -> BoxFuture<'a, ()> {
        Box::pin(async move { self.put_now(name, bytes) })
    }

    fn get<'a>(&'a self, name: &'a str, bytes_max: u64) -> BoxFuture<'a, Option<Vec<u8>>> {
        Box::pin(async move { Ok(file::read_regular(&self.root.join(name), bytes_max)?) })
    }

    fn list<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, Vec<Object>> {
        Box::pin(async move { self.list_now(prefix) })
    }

    fn remove<'a>(&'a self, name: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            file::remove_file_if_exists(&self.root.join(name))?;
            Ok(())
        })
    }

    fn sweep(&self, before: Timestamp) -> BoxFuture<'_, ()> {
        Box::pin(async move { self.sweep_now(before) })
    }

    fn place(&self) -> String {
        self.given.display().to_string()
    }

    fn directory(&self) -> Option<&Path> {
        Some(&self.given)
    }
}

/// The path without steps back: each leads to the parent of what is really there.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain = std::fs::canonicalize(&plain).unwrap_or(plain);
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use piton_store::conformance::block_on;

    #[test]
    fn nothing_is_ever_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let target = Directory::new(&dir.path().join("new/place"));
        block_on(target.put("a/b", b"one")).unwrap();
        block_on(target.put("a/b", b"one")).unwrap();
        assert!(matches!(block_on(target.put("a/b", b"two")), Err(Error::Taken { .. })));
        assert_eq!(block_on(target.get("a/b", 100)).unwrap().unwrap(), b"one");
        assert_eq!(block_on(target.get("a/c", 100)).unwrap(), None);
        let names: Vec<_> =
            block_on(target.list("a/")).unwrap().into_iter().map(|object| object.name).collect();
        assert_eq!(names, ["a/b"]);
        block_on(target.remove("a/b")).unwrap();
        block_on(target.remove("a/b")).unwrap();
        assert_eq!(block_on(target.list("a/")).unwrap(), []);
        assert_eq!(block_on(target.list("nothing/")).unwrap(), []);
    }
}
