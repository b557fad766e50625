//! Acting below a directory, whatever somebody makes of the directories in between.
//!
//! Looking whether a directory is a link and then writing into it leaves a moment in which it can become one. So the
//! directories on the way are opened one from the other, and the work is done in the one that was opened.

use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

use super::{Error, Refusal};

const ACTION: &str = "use the directory";

/// Lets `act` work on `path`, which lies below `root`, without following a link on the way there.
///
/// `act` gets a path to the same name in the directory that was opened: what it does stays there, even where a
/// directory on the way is replaced meanwhile. An error names the path that was asked for.
pub fn within<T>(root: &Path, path: &Path, act: impl FnOnce(&Path) -> Result<T, Error>) -> Result<T, Error> {
    let below = path.strip_prefix(root).map_err(|_| outside(path))?;
    let (Some(parent), Some(name)) = (below.parent(), below.file_name()) else { return Err(outside(path)) };
    let (directory, real) = descend(root, parent)?;
    let held = held(&directory, &real);
    act(&held.join(name)).map_err(|mut error| {
        if let Ok(rest) = error.path.strip_prefix(&held) {
            error.path = real.join(rest);
        }
        error
    })
}

fn outside(path: &Path) -> Error {
    let why = std::io::Error::new(std::io::ErrorKind::InvalidInput, "it leads elsewhere");
    Error::new(ACTION, path, why)
}

/// The directory `below` the root, opened step by step, and its path.
fn descend(root: &Path, below: &Path) -> Result<(OwnedFd, PathBuf), Error> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let opened = openat(CWD, root, flags, Mode::empty());
    let mut directory = opened.map_err(|errno| Error::new(ACTION, root, errno))?;
    let mut at = root.to_owned();
    for part in below.components() {
        let Component::Normal(name) = part else { return Err(outside(&root.join(below))) };
        at.push(name);
        directory = match openat(&directory, name, flags | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(directory) => directory,
            // Linux calls a link no directory, others say that it is a link.
            Err(Errno::LOOP | Errno::MLINK) => return Err(Error::refused(ACTION, &at, Refusal::Symlink)),
            Err(Errno::NOTDIR) => {
                let refusal = if at.is_symlink() { Refusal::Symlink } else { Refusal::NotADirectory };
                return Err(Error::refused(ACTION, &at, refusal));
            }
            Err(errno) => return Err(Error::new(ACTION, &at, errno)),
        };
    }
    Ok((directory, at))
}

/// A path that leads to an open directory, whatever its name is by now. Where the system has none, the name that was
/// found to be no link a moment ago.
fn held(directory: &OwnedFd, real: &Path) -> PathBuf {
    use std::os::fd::AsRawFd;
    let held = PathBuf::from(format!("/proc/self/fd/{}", directory.as_raw_fd()));
    if cfg!(target_os = "linux") && held.is_dir() { held } else { real.to_owned() }
}
