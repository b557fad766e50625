//! Directories that are this user's alone: made, and refused where somebody else could change them.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

use super::{Error, Refusal, parent_of, sync_dir};
use crate::fault;

const MODE_DIR: u32 = 0o700;

/// Creates the directory `path` and its missing parents, for this user alone, then checks it.
pub fn create_private_dir(path: &Path) -> Result<(), Error> {
    create_missing_dirs(path)?;
    check_private_dir(path)
}

/// Creates the directory `path` below one that is there, for this user alone, then checks it. Its name is not synced: for
/// what is moved to its place later, and synced there.
pub fn create_private_dir_unsynced(path: &Path) -> Result<(), Error> {
    make_dir(path)?;
    check_private_dir(path)
}

/// As [`create_private_dir`], below `home`, which is not made: where somebody took it away, nothing appears in its place.
pub fn create_private_dir_below(home: &Path, path: &Path) -> Result<(), Error> {
    let below: Vec<&Path> = path.ancestors().take_while(|directory| *directory != home).collect();
    below.into_iter().rev().try_for_each(create_dir)?;
    check_private_dir(path)
}

/// Refuses a directory that somebody else could change: a symbolic link, not a directory, writable by
/// everyone, or owned by another user.
pub fn check_private_dir(path: &Path) -> Result<(), Error> {
    const ACTION: &str = "trust the directory";
    let metadata = std::fs::symlink_metadata(path).map_err(|source| Error::new(ACTION, path, source))?;
    let mode = metadata.mode() & 0o7777;
    let user = this_user();
    let refusal = if metadata.is_symlink() {
        Refusal::Symlink
    } else if !metadata.is_dir() {
        Refusal::NotADirectory
    } else if mode & 0o002 != 0 {
        Refusal::WorldWritable { mode }
    } else if metadata.uid() != user {
        Refusal::ForeignOwner { owner: metadata.uid(), user }
    } else {
        return Ok(());
    };
    Err(Error::refused(ACTION, path, refusal))
}

/// The user id by which this process makes files.
pub fn this_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn create_missing_dirs(path: &Path) -> Result<(), Error> {
    if std::fs::symlink_metadata(path).is_ok() {
        return Ok(());
    }
    let parent = parent_of(path);
    if parent != path {
        create_missing_dirs(parent)?;
    }
    create_dir(path)
}

fn create_dir(path: &Path) -> Result<(), Error> {
    match make_dir(path)? {
        true => sync_dir(parent_of(path)),
        false => Ok(()),
    }
}

/// Whether it was made here. Where somebody else was faster, whether theirs is acceptable is checked afterwards.
fn make_dir(path: &Path) -> Result<bool, Error> {
    fault::point("file.create_private_dir.create");
    match DirBuilder::new().mode(MODE_DIR).create(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(Error::new("create the directory", path, error)),
    }
}
