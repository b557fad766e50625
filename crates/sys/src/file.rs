//! Files that survive: atomic writes, private directories, reads that cannot hang.
//!
//! Owns the order write, sync, rename, sync directory. Never follows a symbolic link at the last component of
//! a path, and never replaces one. Every error names the action and the path. [`within`] adds that for the directories
//! on the way.

mod private;
mod within;

use std::fs::{DirEntry, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, RenameFlags, renameat_with};
use rustix::io::Errno;

use piton_model::Timestamp;

use crate::fault;
use crate::ids::{Ids, SystemIds};

pub use private::{
    check_private_dir, create_private_dir, create_private_dir_below, create_private_dir_unsynced, this_user,
};
pub use within::within;

const MODE_FILE: u32 = 0o600;

/// Files that others may read, as far as the process does not mask that out.
const MODE_SHARED_FILE: u32 = 0o666;
const NO_FOLLOW: i32 = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
const NO_BLOCK: i32 = rustix::fs::OFlags::NONBLOCK.bits() as i32;

/// A file operation that failed.
#[derive(Debug, thiserror::Error)]
#[error("failed to {action} `{}`", path.display())]
pub struct Error {
    /// What was tried, as a verb that fits `failed to …`.
    pub action: &'static str,
    /// What it was tried on.
    pub path: PathBuf,
    /// Why it failed; a [`Refusal`] inside where the rules of this module said no.
    pub source: io::Error,
}

impl Error {
    /// The error of `action` on `path`.
    pub fn new(action: &'static str, path: &Path, source: impl Into<io::Error>) -> Self {
        Self { action, path: path.to_owned(), source: source.into() }
    }

    /// Whether there is no room: a full file system or an exhausted quota. Worth trying again later.
    pub fn is_no_space(&self) -> bool {
        matches!(Errno::from_io_error(&self.source), Some(Errno::NOSPC | Errno::DQUOT))
    }

    /// Whether the path, or a directory on the way to it, does not exist.
    pub fn is_not_found(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }

    /// Whether two names are on different file systems.
    pub fn is_cross_device(&self) -> bool {
        Errno::from_io_error(&self.source) == Some(Errno::XDEV)
    }

    /// Whether the machine cannot do now what it can at other times: a disk that fails, nothing left to open a file with. Nobody
    /// who may write to the file has a part in that.
    pub fn is_of_the_machine(&self) -> bool {
        let errno = Errno::from_io_error(&self.source);
        matches!(errno, Some(Errno::IO | Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::NOBUFS))
    }

    /// The rule of this module that said no, if that is what happened.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.source.get_ref()?.downcast_ref()
    }

    fn refused(action: &'static str, path: &Path, refusal: Refusal) -> Self {
        Self::new(action, path, io::Error::other(refusal))
    }
}

/// Why a file or directory is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Somebody could point it anywhere.
    #[error("it is a symbolic link")]
    Symlink,
    /// A directory was expected.
    #[error("it is not a directory")]
    NotADirectory,
    /// A regular file was expected; a pipe or a device could block for ever.
    #[error("it is not a regular file")]
    NotARegularFile,
    /// Anybody could replace what is in it.
    #[error("it is writable by everyone (mode {mode:03o}); run `chmod o-w` on it")]
    WorldWritable {
        /// The permission bits found.
        mode: u32,
    },
    /// Its owner could replace what is in it.
    #[error("it belongs to user {owner}, not to user {user}")]
    ForeignOwner {
        /// The user id it belongs to.
        owner: u32,
        /// The user id of this process.
        user: u32,
    },
    /// Larger than the caller accepts.
    #[error("it is larger than {bytes_max} bytes")]
    TooLarge {
        /// The most that would have been accepted.
        bytes_max: u64,
    },
}

/// Of a file that must reach the disk: whoever syncs something small meanwhile waits for so much of it, not for all.
const SYNCED_AT_ONCE: usize = 1 << 20;

/// Whether a write must survive a power cut before it counts as done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// File and directory are synced.
    Synced,
    /// Atomic for other processes, but the kernel writes it out when it likes.
    Unsynced,
}

/// Replaces `path` with `bytes` in one step: readers see the old content or the new, never a mixture.
///
/// The mode of an existing file is kept; a new one is private. A symbolic link is never replaced.
pub fn write_atomic(path: &Path, bytes: &[u8], durability: Durability) -> Result<(), Error> {
    replace(path, bytes, MODE_FILE, durability)
}

/// The same; a new file may be read by whoever the process lets read its files, as files that other programs make.
pub fn write_shared(path: &Path, bytes: &[u8], durability: Durability) -> Result<(), Error> {
    replace(path, bytes, MODE_SHARED_FILE, durability)
}

fn replace(path: &Path, bytes: &[u8], mode_of_new: u32, durability: Durability) -> Result<(), Error> {
    let kept = mode_to_keep(path)?;
    let temp = temp_beside(path);
    let written = fill_temp(&temp, bytes, mode_of_new, kept, durability).and_then(|()| {
        fault::point("file.write_atomic.rename");
        rename(&temp, path)
    });
    if let Err(error) = written {
        // The first error is the one that matters; a temporary name left behind harms nobody.
        let _ = std::fs::remove_file(&temp);
        return Err(error);
    }
    match durability {
        Durability::Synced => sync_dir(parent_of(path)),
        Durability::Unsynced => Ok(()),
    }
}

/// Creates `path` with `bytes`, privately. Fails where anything has that name already.
///
/// Syncs the file but not its directory: for filling a new directory and syncing it once.
pub fn create_new(path: &Path, bytes: &[u8], durability: Durability) -> Result<(), Error> {
    fault::point("file.create_new.create");
    let mut file = open_new(path, MODE_FILE)?;
    fault::point("file.create_new.write");
    for piece in bytes.chunks(SYNCED_AT_ONCE) {
        file.write_all(piece).map_err(|source| Error::new("write", path, source))?;
        if durability == Durability::Synced && bytes.len() > SYNCED_AT_ONCE {
            file.sync_data().map_err(|source| Error::new("sync", path, source))?;
        }
    }
    if durability == Durability::Synced {
        fault::point("file.create_new.sync");
        sync(&file, path)?;
    }
    Ok(())
}

/// Creates `path` with `bytes`, synced, and with the mode that `model` has: for taking its place by [`exchange`].
///
/// Private where there is no `model`. A symbolic link as the model is refused, as it must never be replaced. Syncs
/// the file but not its directory.
pub fn create_like(path: &Path, model: &Path, bytes: &[u8]) -> Result<(), Error> {
    let kept = mode_to_keep(model)?;
    fill_temp(path, bytes, MODE_FILE, kept, Durability::Synced)
}

/// Has what this process makes from now on belong to its owner, whatever mask it was started with: what is made and cannot be opened again
/// would close the user's own list of journals. Before any thread is started.
pub fn keep_owners_access() {
    let mask = rustix::process::umask(Mode::RWXU | Mode::RWXG | Mode::RWXO);
    rustix::process::umask(mask.difference(Mode::RWXU));
}

/// Opens a regular file to read it and to write at its end; creates it privately where there is none.
///
/// Never through a symbolic link, and never waiting: a pipe or a device is refused.
pub fn open_append(path: &Path) -> Result<File, Error> {
    open_at_end(path, "open", true).map(|(file, _)| file)
}

/// The file, and how large it is.
fn open_at_end(path: &Path, action: &'static str, reads: bool) -> Result<(File, u64), Error> {
    let mut options = OpenOptions::new();
    options.read(reads).append(true).create(true).mode(MODE_FILE).custom_flags(NO_FOLLOW | NO_BLOCK);
    let file = options.open(path).map_err(|error| match is_symlink_error(&error) {
        true => Error::refused(action, path, Refusal::Symlink),
        false => Error::new(action, path, error),
    })?;
    let metadata = file.metadata().map_err(|source| Error::new(action, path, source))?;
    if !metadata.is_file() {
        return Err(Error::refused(action, path, Refusal::NotARegularFile));
    }
    Ok((file, metadata.len()))
}

/// Adds `bytes` to the end of the regular file `path`, in one write; a new one is private. Says how large it is then.
///
/// Nothing is synced: for logs, whose last line may be lost with the power. Never through a symbolic link.
pub fn append(path: &Path, bytes: &[u8]) -> Result<u64, Error> {
    const ACTION: &str = "append to";
    let (mut file, length) = open_at_end(path, ACTION, false)?;
    file.write_all(bytes).map_err(|source| Error::new(ACTION, path, source))?;
    Ok(length + bytes.len() as u64)
}

/// Reads a regular file of at most `bytes_max` bytes; `None` where there is none.
///
/// Never waits: a pipe or a device with that name is refused, a symbolic link too.
pub fn read_regular(path: &Path, bytes_max: u64) -> Result<Option<Vec<u8>>, Error> {
    let Some((file, length)) = open_regular(path)? else { return Ok(None) };
    let too_large = || Error::refused(READ, path, Refusal::TooLarge { bytes_max });
    if length > bytes_max {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    // One byte more than allowed: a file that grows while it is read is too large as well.
    let limit = bytes_max.saturating_add(1);
    file.take(limit).read_to_end(&mut bytes).map_err(|source| Error::new(READ, path, source))?;
    if bytes.len() as u64 > bytes_max { Err(too_large()) } else { Ok(Some(bytes)) }
}

/// When the file or link `path` was last changed in any way, by the clock of this machine; the beginning of time where it cannot
/// be told. Unlike the times that a file says it was written at, nobody can choose it.
pub fn changed_at(path: &Path) -> Timestamp {
    let changed = std::fs::symlink_metadata(path).ok().and_then(|found| changed_ms(&found));
    Timestamp::from_millis(changed.unwrap_or(0))
}

/// Changes nothing of a file but the time of its last change.
pub fn touch(path: &Path) -> Result<(), Error> {
    use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, utimensat};
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    let times = Timestamps { last_access: now, last_modification: now };
    let touched = utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW);
    touched.map_err(|source| Error::new("touch", path, io::Error::from(source)))
}

fn changed_ms(file: &Metadata) -> Option<i64> {
    file.ctime().checked_mul(1_000)?.checked_add(file.ctime_nsec() / 1_000_000)
}

/// How a file stands, without its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    place: (u64, u64),
    length: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// A file that was changed this long ago or less may be changed again without a look showing it.
const UNREST_MS: i64 = 1_000;

/// Looks at a regular file that has rested for a while: as long as it looks the same, nobody has written to it.
///
/// `None` for one that was changed a moment ago, by whatever way: clocks of file systems do not tell two changes in one tick
/// apart.
pub fn look_at_rest(path: &Path, now: Timestamp) -> Option<Look> {
    let file = std::fs::symlink_metadata(path).ok().filter(Metadata::is_file)?;
    (now.as_millis() - changed_ms(&file)? > UNREST_MS).then(|| Look {
        place: (file.dev(), file.ino()),
        length: file.len(),
        modified: (file.mtime(), file.mtime_nsec()),
        changed: (file.ctime(), file.ctime_nsec()),
    })
}

/// Whether there is a regular file that holds exactly this. It is read a piece at a time, so that a large one is not in memory
/// twice. Who wants to know why it does not, reads it.
pub fn holds(path: &Path, content: &[u8]) -> bool {
    let Ok(Some((mut file, length))) = open_regular(path) else { return false };
    if length != content.len() as u64 {
        return false;
    }
    let mut rest = content;
    let mut piece = vec![0; 256 << 10];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return rest.is_empty(),
            Ok(count) => match rest.strip_prefix(&piece[..count]) {
                Some(after) => rest = after,
                None => return false,
            },
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
}

const READ: &str = "read";

/// Says what stands in the way of writing to a file that is there. It is not opened: to close it again would let go of the locks that this
/// process has on it.
pub fn check_writable(path: &Path) -> Result<(), Error> {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK)
        .map_err(|error| Error::new("write to", path, error))
}

/// Says that the file system has no room for one more file, where that is so.
pub fn check_room(path: &Path) -> Result<(), Error> {
    match rustix::fs::statvfs(path) {
        Ok(room) if room.f_files > 0 && room.f_favail == 0 => {
            Err(Error::new("make a file beside", path, Errno::NOSPC))
        }
        _ => Ok(()),
    }
}

/// A regular file to read, and its length; `None` where there is none. Never waits, and never follows a link.
pub fn open_regular(path: &Path) -> Result<Option<(File, u64)>, Error> {
    let file = match OpenOptions::new().read(true).custom_flags(NO_FOLLOW | NO_BLOCK).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if is_symlink_error(&error) => {
            return Err(Error::refused(READ, path, Refusal::Symlink));
        }
        // A socket cannot be opened at all.
        Err(error) if Errno::from_io_error(&error) == Some(Errno::NXIO) => {
            return Err(Error::refused(READ, path, Refusal::NotARegularFile));
        }
        Err(error) => return Err(Error::new(READ, path, error)),
    };
    let metadata = file.metadata().map_err(|source| Error::new(READ, path, source))?;
    match metadata.is_file() {
        true => Ok(Some((file, metadata.len()))),
        false => Err(Error::refused(READ, path, Refusal::NotARegularFile)),
    }
}

/// Renames `from` to `to` unless `to` exists; `false` means that it does, and nothing has changed.
///
/// The caller syncs the directory.
pub fn rename_noreplace(from: &Path, to: &Path) -> Result<bool, Error> {
    fault::point("file.rename_noreplace.rename");
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST | Errno::NOTEMPTY) => Ok(false),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => rename_noreplace_portable(from, to),
        // What is put there has a name that only piton knows; where it was to go says more.
        Err(errno) => Err(Error::new("rename a file to", to, errno)),
    }
}

/// Swaps two names in one step; `false` means that this file system cannot.
///
/// The caller syncs the directories.
pub fn exchange(a: &Path, b: &Path) -> Result<bool, Error> {
    fault::point("file.exchange.rename");
    match renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
        Err(errno) => Err(Error::new("exchange a file with", b, errno)),
    }
}

/// Makes the names in a directory durable.
pub fn sync_dir(path: &Path) -> Result<(), Error> {
    fault::point("file.sync_dir.sync");
    let dir = File::open(path).map_err(|source| Error::new("sync the directory", path, source))?;
    match dir.sync_all() {
        // Some file systems have nothing to sync about a directory, and say so.
        Err(error) if Errno::from_io_error(&error) == Some(Errno::INVAL) => Ok(()),
        result => result.map_err(|source| Error::new("sync the directory", path, source)),
    }
}

/// Makes the content of an open file durable; `path` is for the message.
pub fn sync_file(file: &File, path: &Path) -> Result<(), Error> {
    fault::point("file.sync_file.sync");
    sync(file, path)
}

/// Makes the content of the regular file `path` durable. Its name may have to be, too: see [`sync_dir`].
pub fn sync_path(path: &Path) -> Result<(), Error> {
    let file = File::open(path).map_err(|source| Error::new("sync", path, source))?;
    sync_file(&file, path)
}

/// Removes a file; `false` where there was none.
pub fn remove_file_if_exists(path: &Path) -> Result<bool, Error> {
    fault::point("file.remove.unlink");
    match std::fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::new("remove", path, error)),
    }
}

/// Removes the directory `path` below `root` with everything in it; `false` where there was none.
///
/// Nothing outside is ever removed: no link is followed on the way there, and those in it are removed as links.
pub fn remove_tree_within(root: &Path, path: &Path) -> Result<bool, Error> {
    let removed = within(root, path, |held| {
        std::fs::remove_dir_all(held).map_err(|error| Error::new("remove", held, error))
    });
    match removed {
        Ok(()) => Ok(true),
        Err(error) if error.is_not_found() => Ok(false),
        Err(error) => Err(error),
    }
}

/// Refuses a symbolic link in the directory `path`, or in one of the directories in it. A directory that is not there holds none.
///
/// Directories called one of `opened_unfollowed` are not looked into: they may be large, and whatever opens a file in them
/// refuses a link itself.
pub fn refuse_links(path: &Path, opened_unfollowed: &[&str]) -> Result<(), Error> {
    for entry in entries_of(path)? {
        let kind = entry.file_type().map_err(|source| Error::new(READ, &entry.path(), source))?;
        let is_looked_into =
            kind.is_dir() && !opened_unfollowed.iter().any(|name| entry.file_name() == *name);
        let inner = if is_looked_into { entries_of(&entry.path())? } else { Vec::new() };
        let is_link = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
        if let Some(link) = [&entry].into_iter().chain(&inner).find(|entry| is_link(entry)) {
            return Err(Error::refused("follow", &link.path(), Refusal::Symlink));
        }
    }
    Ok(())
}

/// Refuses `path` where it is a symbolic link. What is not there is none.
pub fn refuse_link(path: &Path) -> Result<(), Error> {
    match path.is_symlink() {
        true => Err(Error::refused("follow", path, Refusal::Symlink)),
        false => Ok(()),
    }
}

fn entries_of(directory: &Path) -> Result<Vec<DirEntry>, Error> {
    let read = |source| Error::new("list", directory, source);
    match std::fs::read_dir(directory) {
        Ok(entries) => entries.collect::<io::Result<_>>().map_err(read),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(read(error)),
    }
}

/// The directory that holds the name `path`.
pub(crate) fn parent_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn mode_to_keep(path: &Path) -> Result<Option<u32>, Error> {
    match std::fs::symlink_metadata(path) {
        Ok(metadata) => {
            refuse_to_replace(path, &metadata)?;
            Ok(Some(metadata.mode() & 0o777))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::new("replace", path, error)),
    }
}

fn refuse_to_replace(path: &Path, metadata: &Metadata) -> Result<(), Error> {
    if metadata.is_symlink() {
        return Err(Error::refused("replace", path, Refusal::Symlink));
    }
    if !metadata.is_file() {
        return Err(Error::refused("replace", path, Refusal::NotARegularFile));
    }
    Ok(())
}

/// A random name in the same directory, so that the rename stays within one file system.
fn temp_beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    // A long name plus the random part could be too long for a file name.
    let given = path.file_name().unwrap_or_default().as_bytes();
    name.push(std::ffi::OsStr::from_bytes(&given[..given.len().min(128)]));
    name.push(format!(".{}.tmp", SystemIds.hex(16)));
    parent_of(path).join(name)
}

fn fill_temp(
    temp: &Path,
    bytes: &[u8],
    mode_of_new: u32,
    kept: Option<u32>,
    durability: Durability,
) -> Result<(), Error> {
    fault::point("file.write_atomic.create");
    let mut file = open_new(temp, if kept.is_some() { MODE_FILE } else { mode_of_new })?;
    fault::point("file.write_atomic.write");
    file.write_all(bytes).map_err(|source| Error::new("write", temp, source))?;
    if let Some(mode) = kept.filter(|mode| *mode != MODE_FILE) {
        // Set on the open file: what the process masks out of new files must not narrow a kept mode.
        let permissions = std::fs::Permissions::from_mode(mode);
        file.set_permissions(permissions).map_err(|source| Error::new("set the mode of", temp, source))?;
    }
    if durability == Durability::Synced {
        fault::point("file.write_atomic.sync");
        sync(&file, temp)?;
    }
    Ok(())
}

fn open_new(path: &Path, mode: u32) -> Result<File, Error> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .custom_flags(NO_FOLLOW)
        .open(path)
        .map_err(|source| Error::new("create", path, source))
}

fn sync(file: &File, path: &Path) -> Result<(), Error> {
    file.sync_all().map_err(|source| Error::new("sync", path, source))
}

fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    #[expect(clippy::disallowed_methods, reason = "this is the port; the caller syncs the directory")]
    std::fs::rename(from, to).map_err(|source| Error::new("replace", to, source))
}

/// Where the kernel or the file system has no exclusive rename.
///
/// A plain rename never replaces a directory that has something in it, and nobody publishes an empty one; for
/// a file, a hard link is refused where the name is taken.
fn rename_noreplace_portable(from: &Path, to: &Path) -> Result<bool, Error> {
    let metadata = std::fs::symlink_metadata(from).map_err(|source| Error::new("rename", from, source))?;
    if metadata.is_dir() {
        if std::fs::symlink_metadata(to).is_ok() {
            return Ok(false);
        }
        #[expect(clippy::disallowed_methods, reason = "this is the port; the caller syncs the directory")]
        let renamed = std::fs::rename(from, to);
        return match renamed {
            Ok(()) => Ok(true),
            Err(error)
                if matches!(
                    Errno::from_io_error(&error),
                    Some(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR)
                ) =>
            {
                Ok(false)
            }
            Err(error) => Err(Error::new("rename", from, error)),
        };
    }
    match std::fs::hard_link(from, to) {
        Ok(()) => {
            std::fs::remove_file(from).map_err(|source| Error::new("rename", from, source))?;
            Ok(true)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(Error::new("rename", from, error)),
    }
}

fn is_symlink_error(error: &io::Error) -> bool {
    // The BSDs say EMLINK where POSIX says ELOOP.
    matches!(Errno::from_io_error(error), Some(Errno::LOOP | Errno::MLINK))
}
