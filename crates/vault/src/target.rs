//! Where backups lie: a place that keeps objects by name and never replaces one.
//!
//! A directory is written by piton's own rules (synced, moved into place whole, nothing overwritten). Names are relative, with
//! `/` between their parts; piton makes all of them itself.

use std::future::Future;
use std::path::{Component, Path, PathBuf};
use std::pin::Pin;

use piton_model::Timestamp;
use piton_sys::file::{self, Durability};
use piton_sys::{Ids, SystemIds};

use crate::Error;

/// An answer of a target, on its way.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// A place that keeps objects.
pub trait Target: Send + Sync {
    /// Keeps `bytes` under `name`, durably. The same bytes may be there already; others are [`Error::Taken`].
    fn put<'a>(&'a self, name: &'a str, bytes: &'a [u8]) -> BoxFuture<'a, ()>;

    /// What is kept under `name`, at most `bytes_max` of it; `None` where nothing is.
    fn get<'a>(&'a self, name: &'a str, bytes_max: u64) -> BoxFuture<'a, Option<Vec<u8>>>;

    /// The objects whose names begin with `prefix`, which ends with a `/`; sorted by name.
    fn list<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, Vec<Object>>;

    /// Forgets an object, if it is there.
    fn remove<'a>(&'a self, name: &'a str) -> BoxFuture<'a, ()>;

    /// Where it is, for people.
    fn place(&self) -> String;
}

/// An object in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// What it is called.
    pub name: String,
    /// How large it is.
    pub bytes: u64,
    /// When it was put there, by the clock of the target.
    pub at: Timestamp,
}

/// How a place for backups is written.
pub const TARGET_SHAPE: &str = "a directory, as a path or as file:///PATH";

/// The target that `text` names; a relative path is one below `base`.
pub fn parse(text: &str, base: &Path) -> Result<Box<dyn Target>, Error> {
    let unknown = || Error::UnknownTarget { text: text.to_owned() };
    let path = match text.split_once("://") {
        Some(("file", path)) if path.starts_with('/') => path,
        Some(_) => return Err(unknown()),
        None => text,
    };
    if path.is_empty() {
        return Err(unknown());
    }
    Ok(Box::new(Directory::new(&plain(&base.join(path)))))
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

/// Everything of ours at a target is below this: a directory of backups may hold other files.
const OURS: &str = "vault";

/// A directory that keeps backups.
pub struct Directory {
    given: PathBuf,
    root: PathBuf,
}

impl Directory {
    /// Backups in the directory at `path`, which is made when it is needed.
    pub fn new(path: &Path) -> Self {
        Self { given: path.to_owned(), root: path.join(OURS) }
    }

    fn put_now(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let path = self.root.join(name);
        let directory = path.parent().expect("an object lies in a directory");
        make(directory)?;
        if path.symlink_metadata().is_ok() {
            return self.same(name, &path, bytes);
        }
        let aside = directory.join(format!(".{}.tmp", SystemIds.hex(8)));
        file::create_new(&aside, bytes, Durability::Synced)?;
        let moved = file::rename_noreplace(&aside, &path);
        if !matches!(moved, Ok(true)) {
            file::remove_file_if_exists(&aside)?;
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
        let mut objects = Vec::new();
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
                    Ok(found) if found.is_file() && !name.ends_with(".tmp") => {
                        objects.push(Object {
                            at: file::changed_at(&entry.path()),
                            bytes: found.len(),
                            name,
                        });
                    }
                    // What is neither, or went meanwhile, is no object.
                    _ => {}
                }
            }
        }
        objects.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(objects)
    }
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

    fn place(&self) -> String {
        self.given.display().to_string()
    }
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

    #[test]
    fn what_is_no_directory_is_refused_with_its_name() {
        for text in ["", "ftp://host/x", "file://host/x"] {
            let refused = parse(text, Path::new("/base")).err().unwrap();
            assert_eq!(refused.to_string(), format!("`{text}` names no place for backups"));
        }
        assert_eq!(parse("x/y", Path::new("/base")).unwrap().place(), "/base/x/y");
        assert_eq!(parse("../y/./z", Path::new("/base")).unwrap().place(), "/y/z");
        assert_eq!(parse("file:///x", Path::new("/base")).unwrap().place(), "/x");
    }
}
