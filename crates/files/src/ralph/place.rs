//! Where the files are, and how the directory is entered: with care, and alone.

use std::fs::{DirBuilder, File};
use std::io;
use std::path::{Path, PathBuf};

use piton_sys::fault;
use piton_sys::file::{self, Error, Refusal};

use super::owner::{Ours, ours};

/// Far more than the bounded state of a run can become.
const BYTES_MAX: u64 = 64 << 20;

const STATE_FILE: &str = "state.json";

pub(super) fn home(root: &Path) -> PathBuf {
    root.join(".ralph")
}

/// The place of a loop.
pub(super) fn main_file(root: &Path) -> PathBuf {
    home(root).join(STATE_FILE)
}

/// The places of loops that run beside another one.
pub(super) fn loops(root: &Path) -> PathBuf {
    home(root).join("loops")
}

/// The place of a loop that runs beside another one.
pub(super) fn side_file(root: &Path, run: &str) -> PathBuf {
    loops(root).join(run).join(STATE_FILE)
}

/// The places of loops that are over.
pub(super) fn backups(root: &Path) -> PathBuf {
    home(root).join("backups")
}

/// What is at a place.
#[derive(Debug)]
pub(super) enum Found {
    /// Nothing.
    Nothing,
    /// A file that proves itself ours.
    Ours(Box<Ours>),
    /// Anything else that is a file.
    Foreign,
}

/// Looks at a place. A symbolic link, a directory or a pipe there is an error: it cannot be moved or replaced
/// without guessing what it is for.
pub(super) fn look(path: &Path) -> Result<(Found, Vec<u8>), Error> {
    match file::read_regular(path, BYTES_MAX) {
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
pub(super) fn look_for_ours(path: &Path) -> Option<Ours> {
    match look(path) {
        Ok((Found::Ours(ours), _)) => Some(*ours),
        Ok((Found::Nothing | Found::Foreign, _)) | Err(_) => None,
    }
}

/// Creates a directory unless it is there. One that is a link, or no directory, is refused.
pub(super) fn enter(directory: &Path) -> Result<(), Error> {
    fault::point("files.directory.create");
    match DirBuilder::new().create(directory) {
        Ok(()) => file::sync_dir(directory.parent().unwrap_or(Path::new("."))),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => check(directory),
        Err(error) => Err(Error::new("create the directory", directory, error)),
    }
}

/// Refuses a directory that leads elsewhere.
pub(super) fn check(directory: &Path) -> Result<(), Error> {
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
pub(super) struct Alone {
    held: Option<File>,
}

impl Alone {
    /// Waits for the others. Where the file system cannot lock a directory, files are still replaced in one step.
    pub(super) fn in_directory(directory: &Path) -> Result<Self, Error> {
        let open = File::open(directory).map_err(|error| Error::new("open", directory, error))?;
        Ok(Self { held: open.lock().is_ok().then_some(open) })
    }

    /// Removes what a crash left half written. Only alone: it could be another piton's work otherwise.
    pub(super) fn sweep(&self, directory: &Path) -> Result<(), Error> {
        if self.held.is_none() {
            return Ok(());
        }
        let Ok(entries) = std::fs::read_dir(directory) else { return Ok(()) };
        for entry in entries.flatten() {
            if entry.file_name().to_str().is_some_and(is_temporary) {
                file::remove_file_if_exists(&entry.path())?;
            }
        }
        Ok(())
    }
}

/// Whether this is a name of `file::write_atomic` for a state file.
fn is_temporary(name: &str) -> bool {
    let random = name.strip_prefix(".state.json.").and_then(|rest| rest.strip_suffix(".tmp"));
    random.is_some_and(|random| random.len() == 16 && random.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
