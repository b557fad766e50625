//! Locks that a dead process cannot keep.
//!
//! A [`FileLock`] is an `flock` on a file of its own: the kernel lets go of it when the last descriptor closes,
//! however the process ended. The descriptor is closed on exec, so no child inherits it. The file is never
//! unlinked here: two processes would then hold two locks of one name.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::fault;
use crate::file::{Error, Refusal};

/// How often [`FileLock::try_exclusive`] asks again where only probes are in its way, and how far apart.
const TRIES: u32 = 1_000;
const BETWEEN_TRIES: Duration = Duration::from_micros(100);

/// An exclusive lock, held as long as this value lives.
#[derive(Debug)]
pub struct FileLock {
    /// Closing it lets go.
    _file: File,
}

impl FileLock {
    /// Takes the lock, creating its file where needed; `None` where somebody else holds it.
    pub fn try_exclusive(path: &Path) -> Result<Option<FileLock>, Error> {
        try_own(open_or_create(path)?, path)
    }

    /// Takes the lock of a directory itself, however its path is spelled; `None` where somebody else holds it. A file system that
    /// locks no directories, as NFS, has `instead`: a file, as of [`FileLock::try_exclusive`].
    pub fn try_exclusive_directory(directory: &Path, instead: &Path) -> Result<Option<FileLock>, Error> {
        let opened = options().open(directory).map_err(|error| refine("open the lock", directory, error))?;
        match try_own(opened, directory) {
            Err(error) if locks_no_directories(&error) => Self::try_exclusive(instead),
            tried => tried,
        }
    }

    /// Whether somebody holds the lock of a directory, or what it has instead.
    pub fn is_directory_held(directory: &Path, instead: &Path) -> Result<bool, Error> {
        match Self::is_held(directory) {
            Ok(false) => Self::is_held(instead),
            Err(error) if locks_no_directories(&error) => Self::is_held(instead),
            held => held,
        }
    }

    /// Takes the lock, creating its file where needed; waits for whoever holds it.
    pub fn exclusive(path: &Path) -> Result<FileLock, Error> {
        let file = open_or_create(path)?;
        fault::point("lock.acquire");
        lock(&file, FlockOperation::LockExclusive, path)?;
        Ok(FileLock { _file: file })
    }

    /// Takes it together with others that do so too, creating its file where needed; waits for whoever holds it alone.
    pub fn shared(path: &Path) -> Result<FileLock, Error> {
        let file = open_or_create(path)?;
        fault::point("lock.acquire");
        lock(&file, FlockOperation::LockShared, path)?;
        Ok(FileLock { _file: file })
    }

    /// The same for a directory itself, as of [`FileLock::try_exclusive_directory`].
    pub fn exclusive_directory(directory: &Path, instead: &Path) -> Result<FileLock, Error> {
        let file = options().open(directory).map_err(|error| refine("open the lock", directory, error))?;
        fault::point("lock.acquire");
        match lock(&file, FlockOperation::LockExclusive, directory) {
            Err(error) if locks_no_directories(&error) => Self::exclusive(instead),
            locked => locked.map(|()| FileLock { _file: file }),
        }
    }

    /// Returns when nobody holds the lock, without keeping it. A missing file counts as free.
    pub fn wait_until_free(path: &Path) -> Result<(), Error> {
        match open_existing(path)? {
            Some(file) => lock(&file, FlockOperation::LockShared, path),
            None => Ok(()),
        }
    }

    /// Whether somebody, this process included, holds the lock. A missing file counts as free.
    pub fn is_held(path: &Path) -> Result<bool, Error> {
        match open_existing(path)? {
            Some(file) => Ok(!try_lock(&file, FlockOperation::NonBlockingLockShared, path)?),
            None => Ok(false),
        }
    }
}

fn try_own(file: File, path: &Path) -> Result<Option<FileLock>, Error> {
    fault::point("lock.acquire");
    for _ in 0..TRIES {
        if try_lock(&file, FlockOperation::NonBlockingLockExclusive, path)? {
            return Ok(Some(FileLock { _file: file }));
        }
        // A shared lock is refused by an owner only. Where it is granted, what was in the way is a probe of
        // `is_held`, which is over in a moment and must not look like an owner.
        if !try_lock(&file, FlockOperation::NonBlockingLockShared, path)? {
            return Ok(None);
        }
        try_lock(&file, FlockOperation::NonBlockingUnlock, path)?;
        #[expect(clippy::disallowed_methods, reason = "a probe in passing gives no sign when it ends")]
        std::thread::sleep(BETWEEN_TRIES);
    }
    Ok(None)
}

/// Whether a file system locks only what can be written to, or nothing.
fn locks_no_directories(error: &Error) -> bool {
    let errno = Errno::from_io_error(&error.source);
    matches!(errno, Some(Errno::BADF | Errno::INVAL | Errno::NOLCK | Errno::NOTSUP | Errno::ISDIR))
}

fn open_or_create(path: &Path) -> Result<File, Error> {
    fault::point("lock.create");
    options()
        .write(true)
        .create(true)
        .mode(0o600)
        .open(path)
        .map_err(|error| refine("open the lock", path, error))
}

fn open_existing(path: &Path) -> Result<Option<File>, Error> {
    match options().open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(refine("open the lock", path, error)),
    }
}

/// Not through a symbolic link, and not waiting for the other end of a pipe.
fn options() -> OpenOptions {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags.bits() as i32);
    options
}

fn refine(action: &'static str, path: &Path, error: io::Error) -> Error {
    match Errno::from_io_error(&error) {
        Some(Errno::LOOP | Errno::MLINK) => Error::new(action, path, io::Error::other(Refusal::Symlink)),
        _ => Error::new(action, path, error),
    }
}

fn try_lock(file: &File, operation: FlockOperation, path: &Path) -> Result<bool, Error> {
    loop {
        match flock(file, operation) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) => return Ok(false),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(Error::new("lock", path, errno)),
        }
    }
}

fn lock(file: &File, operation: FlockOperation, path: &Path) -> Result<(), Error> {
    loop {
        match flock(file, operation) {
            Ok(()) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(Error::new("lock", path, errno)),
        }
    }
}
