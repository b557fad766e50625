//! How a place is looked at and a directory entered: with care, and alone.

use std::fs::{DirBuilder, File};
use std::io;
use std::path::Path;

use piton_sys::fault;
use piton_sys::file::{self, Error, Refusal};

/// What is at a place.
#[derive(Debug)]
pub(crate) enum Found<T> {
    /// Nothing.
    Nothing,
    /// A file that proves itself ours.
    Ours(Box<T>),
    /// Anything else that is a file.
    Foreign,
}

/// Whether a view was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrote {
    /// It was.
    Yes,
    /// The file had these very bytes.
    Unchanged,
    /// The file is of a later event of the same run.
    NewerThere,
}

/// Whether a view may take the place of a newer one of its run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Forward,
    Any,
}

/// Looks at a place; `ours` says whether bytes prove themselves ours. A symbolic link, a directory or a pipe there
/// is an error: it cannot be moved or replaced without guessing what it is for.
pub(crate) fn look<T>(
    path: &Path,
    bytes_max: u64,
    ours: impl FnOnce(&[u8]) -> Option<T>,
) -> Result<(Found<T>, Vec<u8>), Error> {
    match file::read_regular(path, bytes_max) {
        Ok(None) => Ok((Found::Nothing, Vec::new())),
        Ok(Some(bytes)) => match ours(&bytes) {
            Some(ours) => Ok((Found::Ours(Box::new(ours)), bytes)),
            None => Ok((Found::Foreign, bytes)),
        },
        Err(error) if matches!(error.refusal(), Some(Refusal::TooLarge { .. })) => {
            Ok((Found::Foreign, Vec::new()))
        }
        Err(error) => Err(error),
    }
}

/// What is at a place, if it is ours. Nothing else counts, whatever it is.
pub(crate) fn look_for_ours<T>(
    path: &Path,
    bytes_max: u64,
    ours: impl FnOnce(&[u8]) -> Option<T>,
) -> Option<T> {
    match look(path, bytes_max, ours) {
        Ok((Found::Ours(ours), _)) => Some(*ours),
        Ok((Found::Nothing | Found::Foreign, _)) | Err(_) => None,
    }
}

/// Creates a directory unless it is there. One that is a link, or no directory, is refused.
pub(crate) fn enter(directory: &Path) -> Result<(), Error> {
    fault::point("files.directory.create");
    match DirBuilder::new().create(directory) {
        Ok(()) => file::sync_dir(directory.parent().unwrap_or(Path::new("."))),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => check(directory),
        Err(error) => Err(Error::new("create the directory", directory, error)),
    }
}

/// Refuses a directory that leads elsewhere.
pub(crate) fn check(directory: &Path) -> Result<(), Error> {
    const ACTION: &str = "use the directory";
    let metadata = directory.symlink_metadata().map_err(|error| Error::new(ACTION, directory, error))?;
    let refusal = if metadata.is_symlink() {
        Refusal::Symlink
    } else if !metadata.is_dir() {
        Refusal::NotADirectory
    } else {
        return Ok(());
    };
    Err(Error::new(ACTION, directory, io::Error::other(refusal)))
}

/// Keeps other pitons out of the directory for as long as it lives.
///
/// The lock is on the directory itself: a lock file would be one more file in people's repositories.
#[derive(Debug)]
pub(crate) struct Alone {
    held: Option<File>,
}

impl Alone {
    /// Waits for the others. Where the file system cannot lock a directory, files are still replaced in one step.
    pub(crate) fn in_directory(directory: &Path) -> Result<Self, Error> {
        let open = File::open(directory).map_err(|error| Error::new("open", directory, error))?;
        Ok(Self { held: open.lock().is_ok().then_some(open) })
    }

    /// Removes what a crash left half written under one of these names. Only alone: it could be another piton's work
    /// otherwise.
    pub(crate) fn sweep(&self, directory: &Path, is_ours: impl Fn(&str) -> bool) -> Result<(), Error> {
        if self.held.is_none() {
            return Ok(());
        }
        let Ok(entries) = std::fs::read_dir(directory) else { return Ok(()) };
        for entry in entries.flatten() {
            if entry.file_name().to_str().and_then(temporary_of).is_some_and(&is_ours) {
                file::remove_file_if_exists(&entry.path())?;
            }
        }
        Ok(())
    }
}

/// The name that this name of `file::write_atomic` was to become.
fn temporary_of(name: &str) -> Option<&str> {
    let (of, random) = name.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('.')?;
    let is_random = random.len() == 16 && random.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_random.then_some(of)
}
