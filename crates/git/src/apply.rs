//! Writing into a work tree that others may change at the same time.
//!
//! Every step goes through the handle of a directory, reached from the root without following a single
//! link: what a path means cannot be changed under our hands. A file is written beside its place and moved
//! over it, so nobody sees half of it; the whole is synced once, at the end.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use piton_sys::{Ids, SystemIds};
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::{Error, RepoPath};

/// A file to write.
pub(crate) struct Change<'a> {
    pub(crate) path: &'a RepoPath,
    pub(crate) content: Content<'a>,
}

pub(crate) enum Content<'a> {
    File { bytes: &'a [u8], is_executable: bool },
    Link { target: &'a [u8] },
}

/// The root of a work tree, held open.
pub(crate) struct WorkTree {
    path: PathBuf,
    root: OwnedFd,
}

impl WorkTree {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open(path, flags, Mode::empty());
        let root = root.map_err(|errno| Error::io("open the directory", path, errno))?;
        Ok(Self { path: path.to_owned(), root })
    }

    /// Refuses, before anything is touched, where something that is not to be deleted is in the way.
    pub(crate) fn check<'a>(
        &self,
        deleted: &[RepoPath],
        written: impl IntoIterator<Item = &'a RepoPath>,
    ) -> Result<(), Error> {
        let deleted: BTreeSet<_> = deleted.iter().collect();
        let mut good_parents = BTreeSet::new();
        for path in written {
            for parent in std::iter::successors(path.parent(), RepoPath::parent) {
                if deleted.contains(&parent) || !good_parents.insert(parent.clone()) {
                    break;
                }
                match self.path.join(parent.as_path()).symlink_metadata() {
                    Ok(metadata) if metadata.is_symlink() => {
                        return Err(Error::SymlinkParent { path: parent });
                    }
                    Ok(metadata) if !metadata.is_dir() => return Err(Error::InTheWay { path: parent }),
                    _ => {}
                }
            }
            let on_disk = self.path.join(path.as_path());
            if on_disk.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
                self.check_emptied(path, &deleted)?;
            }
        }
        Ok(())
    }

    /// Refuses a directory that still holds something after the deletions.
    fn check_emptied(&self, directory: &RepoPath, deleted: &BTreeSet<&RepoPath>) -> Result<(), Error> {
        let path = self.path.join(directory.as_path());
        let entries = std::fs::read_dir(&path).map_err(|source| Error::io("look into", &path, source))?;
        for entry in entries.flatten() {
            let inner = RepoPath::from_bytes(entry.file_name().as_bytes()).below(directory);
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.check_emptied(&inner, deleted)?;
            } else if !deleted.contains(&inner) {
                return Err(Error::InTheWay { path: inner });
            }
        }
        Ok(())
    }

    /// Deletes files, and the directories that become empty.
    pub(crate) fn delete(&self, paths: &[RepoPath]) -> Result<(), Error> {
        let mut parents = BTreeSet::new();
        for path in paths {
            let Some(directory) = self.directory_of(path, Missing::Stop)? else { continue };
            match rustix::fs::unlinkat(&directory, name(path), AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => parents.extend(path.parent()),
                Err(errno) => return Err(self.error("delete", path, errno)),
            }
        }
        // Backwards: what is inside a directory comes before it.
        while let Some(parent) = parents.pop_last() {
            let Some(directory) = self.directory_of(&parent, Missing::Stop)? else { continue };
            match rustix::fs::unlinkat(&directory, name(&parent), AtFlags::REMOVEDIR) {
                Ok(()) | Err(Errno::NOENT) => parents.extend(parent.parent()),
                Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => {}
                Err(errno) => return Err(self.error("remove the directory", &parent, errno)),
            }
        }
        Ok(())
    }

    /// Puts a file or a link in its place.
    pub(crate) fn write(&self, change: &Change<'_>) -> Result<(), Error> {
        let path = change.path;
        let directory = self.directory_of(path, Missing::Create)?;
        let directory = directory.expect("missing directories were created");
        let temporary = format!(".piton-{}.tmp", SystemIds.hex(16));
        let filled = match &change.content {
            Content::Link { target } => {
                rustix::fs::symlinkat(OsStr::from_bytes(target), &directory, &temporary).map_err(Into::into)
            }
            Content::File { bytes, is_executable } => {
                fill(&directory, &temporary, bytes, kept_mode(&directory, path), *is_executable)
            }
        };
        let moved = filled.and_then(|()| {
            remove_empty(&directory, name(path))?;
            Ok(rustix::fs::renameat(&directory, &temporary, &directory, name(path))?)
        });
        moved.map_err(|source| {
            let _ = rustix::fs::unlinkat(&directory, &temporary, AtFlags::empty());
            Error::io("write", &self.path.join(path.as_path()), source)
        })
    }

    /// Makes all of it durable at once.
    pub(crate) fn sync(&self) -> Result<(), Error> {
        #[cfg(target_os = "linux")]
        rustix::fs::syncfs(&self.root).map_err(|errno| Error::io("sync", &self.path, errno))?;
        #[cfg(not(target_os = "linux"))]
        rustix::fs::sync();
        Ok(())
    }

    /// The directory that holds `path`; `None` where it is missing and not to be created.
    fn directory_of(&self, path: &RepoPath, missing: Missing) -> Result<Option<OwnedFd>, Error> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut directory = rustix::io::fcntl_dupfd_cloexec(&self.root, 0)
            .map_err(|errno| self.error("open the directory of", path, errno))?;
        let mut at = RepoPath::root();
        let Some(parent) = path.parent() else { return Ok(Some(directory)) };
        for part in parent.parts() {
            let part_name = OsStr::from_bytes(part);
            at = RepoPath::from_bytes(part).below(&at);
            let mut opened = rustix::fs::openat(&directory, part_name, flags, Mode::empty());
            if opened.as_ref().err() == Some(&Errno::NOENT) {
                match missing {
                    Missing::Stop => return Ok(None),
                    Missing::Create => match rustix::fs::mkdirat(&directory, part_name, Mode::from(0o777)) {
                        Ok(()) | Err(Errno::EXIST) => {
                            opened = rustix::fs::openat(&directory, part_name, flags, Mode::empty());
                        }
                        Err(errno) => return Err(self.error("create the directory", &at, errno)),
                    },
                }
            }
            directory = match opened {
                Ok(opened) => opened,
                Err(Errno::LOOP | Errno::MLINK) => return Err(Error::SymlinkParent { path: at }),
                Err(Errno::NOTDIR) if self.is_link(&at) => return Err(Error::SymlinkParent { path: at }),
                Err(Errno::NOTDIR) => return Err(Error::InTheWay { path: at }),
                Err(errno) => return Err(self.error("open the directory", &at, errno)),
            };
        }
        Ok(Some(directory))
    }

    fn is_link(&self, path: &RepoPath) -> bool {
        self.path.join(path.as_path()).is_symlink()
    }

    fn error(&self, action: &'static str, path: &RepoPath, errno: Errno) -> Error {
        Error::io(action, &self.path.join(path.as_path()), errno)
    }
}

#[derive(Clone, Copy)]
enum Missing {
    Stop,
    Create,
}

fn name(path: &RepoPath) -> &OsStr {
    OsStr::from_bytes(path.name())
}

/// Removes a directory that holds no file, where there is one: git keeps no empty directories.
fn remove_empty(directory: &OwnedFd, name: &OsStr) -> std::io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(inner) = rustix::fs::openat(directory, name, flags, Mode::empty()) else { return Ok(()) };
    for entry in rustix::fs::Dir::read_from(&inner)? {
        let entry = entry?;
        let entry = OsStr::from_bytes(entry.file_name().to_bytes());
        if entry != "." && entry != ".." {
            remove_empty(&inner, entry)?;
        }
    }
    Ok(rustix::fs::unlinkat(directory, name, AtFlags::REMOVEDIR)?)
}

/// The permissions of the file that is there: git keeps only whether it can be executed.
fn kept_mode(directory: &OwnedFd, path: &RepoPath) -> Option<Mode> {
    let stat = rustix::fs::statat(directory, name(path), AtFlags::SYMLINK_NOFOLLOW).ok()?;
    let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    is_file.then(|| Mode::from_raw_mode(stat.st_mode))
}

fn fill(
    directory: &OwnedFd,
    temporary: &str,
    bytes: &[u8],
    kept: Option<Mode>,
    is_executable: bool,
) -> std::io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let new = Mode::from(if is_executable { 0o777 } else { 0o666 });
    let opened = rustix::fs::openat(directory, temporary, flags, new)?;
    if let Some(kept) = kept {
        let readable = kept & Mode::from(0o444);
        let executable = Mode::from(if is_executable { readable.bits() >> 2 } else { 0 });
        rustix::fs::fchmod(&opened, (kept & Mode::from(0o666)) | executable)?;
    }
    File::from(opened).write_all(bytes)
}
