//! A copy of the work tree that trials change and leave as it was.
//!
//! What git ignores comes along, so that what was installed and built is there. The file system shares what it can
//! (reflinks). Of what git keeps, everything is put back after each trial, whatever the check wrote.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use piton_prove::Overlay;
use piton_sys::lock::FileLock;
use piton_sys::process::{Program, RunLimits};
use piton_sys::{Ids, SystemIds, file};

use super::ProveError;
use crate::launch::HOME_OF_A_TRIAL;

/// More is not copied: it would cost more than it shows.
const BYTES_MAX: u64 = 4 << 30;
const ENTRIES_MAX: usize = 400_000;
const COPY_WITHIN: Duration = Duration::from_secs(300);
/// How often it is tried: what somebody else writes meanwhile may be gone when it is its turn.
const TRIES_MAX: u32 = 3;

/// How many of the files are named that a trial goes without.
const NAMES_MAX: usize = 5;

/// What stays where it is: history, and what piton keeps.
const LEFT: [&str; 2] = [".git", ".piton"];

/// What a file is known by.
type Stamp = (i64, i64, u64, u32);

pub(super) struct Copy {
    /// What it is a copy of.
    tree: PathBuf,
    place: PathBuf,
    /// Files that git keeps, as they are between trials.
    kept: BTreeMap<String, (Stamp, Vec<u8>)>,
    /// Files and directories that were there besides.
    others: BTreeSet<PathBuf>,
    /// Held as long as it is in use: what nobody holds was left by somebody who died.
    _lock: Option<FileLock>,
}

impl Copy {
    /// A copy of `tree` below `scratch`, in which git keeps `files`.
    pub(super) fn of(tree: &Path, scratch: &Path, files: Vec<String>) -> Result<Self, ProveError> {
        require_small(tree)?;
        remove_stale(scratch);
        let place = scratch.join(format!("{NAMED}{}", SystemIds.hex(8)));
        make(&place)?;
        let lock = hold(&place);
        let (tree_of, kept, others) = (tree.to_owned(), BTreeMap::new(), BTreeSet::new());
        let mut copy = Self { tree: tree_of, place, kept, others, _lock: lock };
        let mut tries = 1;
        while let Err(why) = copy.fill()? {
            // A file that was renamed while it was to be copied, such as one of piton's own views.
            if tries == TRIES_MAX {
                return Err(ProveError::NoCopy { why: format!("the work tree cannot be copied: {why}") });
            }
            tries += 1;
            copy.empty();
        }
        for path in files {
            copy.take(&path)?;
        }
        copy.others = copy.found(&|_| true);
        Ok(copy)
    }

    /// Copies all of the tree; why that is not possible, as far as it says so.
    fn fill(&self) -> Result<Result<(), String>, ProveError> {
        let failed = |error: io::Error| file::Error::new("list", &self.tree, error);
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(&self.tree).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if !LEFT.iter().any(|left| entry.file_name() == *left) {
                entries.push(entry.path());
            }
        }
        if entries.is_empty() {
            return Ok(Ok(()));
        }
        let cp = Program::new("cp").args(["-a", "--reflink=auto", "--"]).args(entries).arg(&self.place);
        let ended = cp.run(RunLimits { deadline: COPY_WITHIN, output_bytes_max: 1 << 20 })?;
        let said = String::from_utf8_lossy(&ended.stderr);
        let why = || said.lines().next().unwrap_or("it takes too long").to_owned();
        Ok(if ended.success() { Ok(()) } else { Err(why()) })
    }

    /// Removes what was copied.
    fn empty(&self) {
        for entry in self.place.read_dir().into_iter().flatten().flatten() {
            let path = entry.path();
            let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir_all(&path));
        }
    }

    /// Where it is.
    pub(super) fn place(&self) -> &Path {
        &self.place
    }

    /// Changes these files for good.
    pub(super) fn settle(&mut self, overlay: &Overlay) -> Result<(), ProveError> {
        self.change(overlay)?;
        for path in overlay.keys() {
            self.kept.remove(path);
            self.take(path)?;
        }
        Ok(())
    }

    /// Changes these files until [`put_back`](Self::put_back).
    pub(super) fn change(&mut self, overlay: &Overlay) -> Result<(), ProveError> {
        for (path, bytes) in overlay {
            self.write(path, bytes.as_deref())?;
        }
        Ok(())
    }

    /// Puts back whatever is not as it was: what was changed for a trial, and what the check wrote.
    pub(super) fn put_back(&mut self) -> Result<(), ProveError> {
        let differs =
            |(path, (stamp, _)): &(&String, &(Stamp, Vec<u8>))| self.stamp(path).as_ref() != Some(stamp);
        let changed: Vec<String> = self.kept.iter().filter(differs).map(|(path, _)| path.clone()).collect();
        for path in changed {
            let bytes = self.kept.remove(&path).map(|(_, bytes)| bytes).unwrap_or_default();
            self.write(&path, Some(&bytes))?;
            self.take(&path)?;
        }
        for path in self.found(&|path| !self.others.contains(path)) {
            let is_kept = path.to_str().is_some_and(|path| self.kept.contains_key(path));
            if !is_kept {
                let path = self.place.join(path);
                let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir_all(&path));
            }
        }
        Ok(())
    }

    /// Puts aside what was compiled, and what git does not keep and is new or other in the work tree since then, while
    /// `during` runs; and gives the paths, the first few.
    #[expect(clippy::disallowed_methods, reason = "nobody reads a copy after a crash")]
    pub(super) fn without_what_is_new<T>(
        &self,
        since: Option<SystemTime>,
        during: impl FnOnce(&[String]) -> T,
    ) -> Result<T, ProveError> {
        let mut aside = Vec::new();
        for path in self.ignored() {
            let is_compiled = path.extension().is_some_and(|extension| extension == "pyc");
            let is_new = || since.is_some_and(|since| changed(&self.tree.join(&path)) > Some(since));
            let (here, there) = (self.place.join(&path), self.aside(aside.len()));
            if (is_compiled || is_new()) && std::fs::rename(&here, &there).is_ok() {
                aside.push((path, here, there));
            }
        }
        let names = aside.iter().take(NAMES_MAX).map(|(path, ..)| path.display().to_string());
        let came = during(&names.collect::<Vec<_>>());
        for (_, here, there) in aside {
            std::fs::rename(&there, &here).map_err(|error| file::Error::new("put back", &here, error))?;
        }
        Ok(came)
    }

    /// Where something is put aside: beside the copy, so that it goes with it.
    fn aside(&self, number: usize) -> PathBuf {
        self.place.with_extension(format!("aside-{number}"))
    }

    /// The files and links that git does not keep.
    fn ignored(&self) -> Vec<PathBuf> {
        let (mut found, mut waiting) = (Vec::new(), vec![PathBuf::new()]);
        while let Some(directory) = waiting.pop() {
            for entry in self.place.join(&directory).read_dir().into_iter().flatten().flatten() {
                let path = directory.join(entry.file_name());
                let is_kept = path.to_str().is_some_and(|path| self.kept.contains_key(path));
                match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    true => waiting.push(path),
                    false if !is_kept => found.push(path),
                    false => {}
                }
            }
        }
        found.sort();
        found
    }

    /// Remembers a file as it is now.
    fn take(&mut self, path: &str) -> Result<(), ProveError> {
        if let Some(stamp) = self.stamp(path) {
            let place = self.place.join(path);
            let bytes = std::fs::read(&place).map_err(|error| file::Error::new("read", &place, error))?;
            self.kept.insert(path.to_owned(), (stamp, bytes));
        }
        Ok(())
    }

    fn stamp(&self, path: &str) -> Option<Stamp> {
        let found = self.place.join(path).symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some((found.mtime(), found.mtime_nsec(), found.size(), found.mode()))
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the file keeps its mode, and nobody reads a copy after a crash"
    )]
    fn write(&self, path: &str, bytes: Option<&[u8]>) -> Result<(), ProveError> {
        let place = self.place.join(path);
        let failed = |what: &'static str| {
            let place = place.clone();
            move |error: io::Error| ProveError::from(file::Error::new(what, &place, error))
        };
        forget_compiled(&place);
        let was = place.symlink_metadata().ok();
        // What a check made of it, or what git has as a link, is not written through.
        let is_other = was.as_ref().is_some_and(|was| !was.is_file());
        if is_other || bytes.is_none() {
            let removed = match was.as_ref().is_some_and(std::fs::Metadata::is_dir) {
                true => std::fs::remove_dir_all(&place),
                false => std::fs::remove_file(&place),
            };
            removed.or_else(|error| match error.kind() {
                io::ErrorKind::NotFound => Ok(()),
                _ => Err(failed("remove")(error)),
            })?;
        }
        let Some(bytes) = bytes else { return Ok(()) };
        if let Some(directory) = place.parent() {
            std::fs::create_dir_all(directory).map_err(failed("make"))?;
        }
        std::fs::write(&place, bytes).map_err(failed("write"))?;
        // A script that is new here is run like the one that it stands for.
        if (was.is_none() || is_other) && bytes.starts_with(b"#!") {
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(&place, mode).map_err(failed("open"))?;
        }
        Ok(())
    }

    /// What is in the copy and is wanted, without what git keeps.
    fn found(&self, is_wanted: &dyn Fn(&Path) -> bool) -> BTreeSet<PathBuf> {
        let (mut found, mut waiting) = (BTreeSet::new(), vec![PathBuf::new()]);
        while let Some(directory) = waiting.pop() {
            for entry in self.place.join(&directory).read_dir().into_iter().flatten().flatten() {
                let path = directory.join(entry.file_name());
                let is_kept = path.to_str().is_some_and(|path| self.kept.contains_key(path));
                let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if is_directory && self.holds_kept(&path) {
                    waiting.push(path);
                } else if !is_kept && is_wanted(&path) {
                    found.insert(path);
                }
            }
        }
        found
    }

    fn holds_kept(&self, directory: &Path) -> bool {
        let Some(directory) = directory.to_str() else { return false };
        let below = format!("{directory}/");
        self.kept.range(below.clone()..).next().is_some_and(|(path, _)| path.starts_with(&below))
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        remove(&self.place);
    }
}

/// What the name of a copy begins with.
const NAMED: &str = "trial-";
/// The extension of what is locked where directories cannot be.
const LOCK: &str = "lock";

fn hold(place: &Path) -> Option<FileLock> {
    FileLock::try_exclusive_directory(place, &place.with_extension(LOCK)).ok().flatten()
}

/// Removes copies that nobody holds any more, with what lies beside them: whoever made them was killed.
fn remove_stale(scratch: &Path) {
    for entry in scratch.read_dir().into_iter().flatten().flatten() {
        let place = entry.path();
        let is_copy = entry.file_name().to_string_lossy().starts_with(NAMED) && place.extension().is_none();
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_copy && is_directory && hold(&place).is_some() {
            remove(&place);
        }
    }
}

fn remove(place: &Path) {
    let _ = std::fs::remove_dir_all(place);
    let _ = std::fs::remove_dir_all(place.with_extension(HOME_OF_A_TRIAL));
    let _ = std::fs::remove_file(place.with_extension(LOCK));
}

/// When a file was last changed, whatever it says of that itself.
fn changed(place: &Path) -> Option<SystemTime> {
    let found = place.symlink_metadata().ok()?;
    UNIX_EPOCH.checked_add(Duration::from_secs(u64::try_from(found.ctime()).ok()?))
}

fn make(place: &Path) -> Result<(), ProveError> {
    std::fs::create_dir_all(place).map_err(|error| file::Error::new("make", place, error).into())
}

/// Python believes a compiled file whose source has the size and the second that it had.
fn forget_compiled(place: &Path) {
    let (Some(directory), Some(stem), Some("py")) = (
        place.parent(),
        place.file_stem().and_then(|stem| stem.to_str()),
        place.extension().and_then(|extension| extension.to_str()),
    ) else {
        return;
    };
    let compiled = directory.join("__pycache__").read_dir().into_iter().flatten().flatten();
    for entry in compiled.filter(|entry| entry.file_name().to_string_lossy().starts_with(&format!("{stem}.")))
    {
        let _ = std::fs::remove_file(entry.path());
    }
}

fn require_small(tree: &Path) -> Result<(), ProveError> {
    let (mut bytes, mut entries, mut waiting) = (0_u64, 0_usize, vec![tree.to_owned()]);
    while let Some(directory) = waiting.pop() {
        for entry in directory.read_dir().into_iter().flatten().flatten() {
            let Ok(found) = entry.metadata() else { continue };
            if directory == tree && LEFT.iter().any(|left| entry.file_name() == *left) {
                continue;
            }
            entries += 1;
            match found.is_dir() {
                true => waiting.push(entry.path()),
                // What it takes on the disk: a sparse file is as large as what is in it.
                false => bytes = bytes.saturating_add(found.blocks().saturating_mul(512)),
            }
            if bytes > BYTES_MAX || entries > ENTRIES_MAX {
                let why = format!(
                    "the work tree is too large to be copied (over {} GiB or {ENTRIES_MAX} files)",
                    BYTES_MAX >> 30
                );
                return Err(ProveError::NoCopy { why });
            }
        }
    }
    Ok(())
}
