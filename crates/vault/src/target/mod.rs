//! Where backups lie: a place that keeps objects by name and never replaces one.
//!
//! - [`directory`]: of this machine. [`bucket`]: of an object store, by rules that hold for every store.
//! - [`cloud`]: which store an address and the environment name. [`profile`]: what AWS's own files say.
//! - [`http`]: how it is asked. [`retry`]: how often. [`failure`]: what it said no to, and what helps.
//!
//! Names are relative, with `/` between their parts; piton makes all of them itself.

pub mod bucket;
mod cloud;
mod directory;
pub mod failure;
mod http;
mod profile;
pub mod retry;

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use piton_model::Timestamp;
use piton_seal::{Keys, NoKeys};

pub use bucket::Bucket;
pub use cloud::{Environment, open};
pub use directory::Directory;
pub use failure::Failure;
pub use retry::Patience;

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

    /// Removes what was being put there before then and never came to be there.
    fn sweep(&self, _before: Timestamp) -> BoxFuture<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    /// Where it is, for people.
    fn place(&self) -> String;

    /// The directory of this machine that it is, where it is one.
    fn directory(&self) -> Option<&Path> {
        None
    }

    /// What opens the appends that backups there hold.
    fn keys(&self) -> Arc<dyn Keys> {
        Arc::new(NoKeys)
    }

    /// Whether an object that was read lay there open, although new ones are sealed.
    fn lay_open(&self, _name: &str) -> bool {
        false
    }

    /// The same place as another machine finds it, where nothing but what lies there opens what is sealed; nothing where that
    /// makes no difference.
    fn seen_elsewhere<'a>(&'a self, _journal: &'a str) -> BoxFuture<'a, Option<Box<dyn Target>>> {
        Box::pin(async { Ok(None) })
    }

    /// Whether what was put or removed may be listed late. Nothing is removed on the word of one such list.
    fn may_lag(&self) -> bool {
        false
    }
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
pub const TARGET_SHAPE: &str =
    "a directory, as a path or as file:///PATH, or a bucket, as s3://BUCKET/PREFIX";

/// Everything of ours at a target is below this: a directory or a bucket may hold other things.
const OURS: &str = "vault";

/// The target that `text` names; a relative path is one below `base`. Nobody is asked yet.
pub fn parse(text: &str, base: &Path) -> Result<Box<dyn Target>, Error> {
    parse_with(text, base, Patience::default())
}

/// The same, for somebody who waits as long as `patience` says.
pub fn parse_with(text: &str, base: &Path, patience: Patience) -> Result<Box<dyn Target>, Error> {
    let unknown = || Error::UnknownTarget { text: text.to_owned() };
    if let Some(path) = path_of(text, base) {
        return Ok(Box::new(Directory::new(&path)));
    }
    if text.is_empty() {
        return Err(unknown());
    }
    let bucket = open(text, &Environment::of_process(), patience)?;
    bucket.map(|bucket| Box::new(bucket) as Box<dyn Target>).ok_or_else(unknown)
}

/// Where in a directory of this machine everything lies that is kept at `text`, without steps back; nothing where that is no directory.
pub fn kept_below(text: &str, base: &Path) -> Option<PathBuf> {
    path_of(text, base).map(|path| Directory::new(&path).root().to_owned())
}

/// The path that `text` is: a whole one, one below the home, or one below `base`.
fn path_of(text: &str, base: &Path) -> Option<PathBuf> {
    let path = match text.split_once("://") {
        Some(("file", path)) if path.starts_with('/') => path,
        Some(_) => return None,
        None => text,
    };
    match (path.strip_prefix("~/"), std::env::home_dir()) {
        _ if path.is_empty() => None,
        (Some(below), Some(home)) => Some(home.join(below)),
        _ => Some(base.join(path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_place_for_backups_is_refused_with_its_name() {
        for text in ["", "ftp://host/x", "file://host/x"] {
            let refused = parse(text, Path::new("/base")).err().unwrap();
            assert_eq!(refused.to_string(), format!("`{text}` names no place for backups"));
        }
        assert_eq!(parse("x/y", Path::new("/base")).unwrap().place(), "/base/x/y");
        assert_eq!(parse("../y/./z", Path::new("/base")).unwrap().place(), "/y/z");
        assert_eq!(parse("file:///x", Path::new("/base")).unwrap().place(), "/x");
    }
}
