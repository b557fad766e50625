//! Named pipes where git reads: who opens one waits until somebody writes, and nobody does.
//!
//! git opens `.gitignore`, `.gitattributes` and what is in its own directories without asking what they are. A call that
//! takes longer than usual is therefore looked after: each such pipe below its directories is opened for writing and closed
//! again, so that git finds it empty and goes on. Only what git reads: files by their name, and whatever lies in a git directory, also
//! in one that a `.git` file, a `commondir` or a link leads to. Other pipes are somebody's, who waits on purpose.

use std::collections::BTreeSet;
use std::fs::FileType;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_sys::{Clock, SystemClock, file};
use rustix::fs::{Mode, OFlags, open};

/// Most calls are over by then.
const FIRST_LOOK: Duration = Duration::from_millis(300);
/// Of the time of a look, how much passes until the next one.
const REST: u32 = 4;
/// How long one look may take.
const LOOK_MAX: Duration = Duration::from_secs(5);
/// git comes from one pipe to the next in less.
const MOMENT: Duration = Duration::from_millis(5);
const PIPES_MAX: usize = 100_000;
/// A longer file leads nowhere.
const LEADING_BYTES_MAX: u64 = 64 << 10;

/// The pipes that one call may wait for.
#[derive(Debug)]
pub(crate) struct Pipes {
    directories: Vec<PathBuf>,
    found: Vec<PathBuf>,
    /// When they are looked for next.
    look_at: Duration,
}

impl Pipes {
    /// Those below `directory`, and in the git directory of the call where that is known.
    pub(crate) fn of_call(directory: &Path, git_dir: Option<&Path>) -> Self {
        let directories = std::iter::once(directory).chain(git_dir).map(Path::to_owned).collect();
        Self { directories, found: Vec::new(), look_at: SystemClock.monotonic() + FIRST_LOOK }
    }

    /// Lets whoever waits for one of them go on. Asked often; only now and then it looks for more.
    pub(crate) fn release(&mut self) {
        let now = SystemClock.monotonic();
        if now >= self.look_at {
            self.look(now + LOOK_MAX);
            let took = SystemClock.monotonic().saturating_sub(now);
            self.look_at = now + took + FIRST_LOOK.max(took * REST);
        }
        let mut last = SystemClock.monotonic();
        while !self.found.is_empty() && SystemClock.monotonic().saturating_sub(last) < MOMENT {
            if self.found.iter().filter(|pipe| is_released(pipe)).count() > 0 {
                last = SystemClock.monotonic();
            }
        }
    }

    fn look(&mut self, until: Duration) {
        self.found.clear();
        // The second is a directory of git's own.
        let tops = self.directories.iter().enumerate().map(|(index, top)| (top.clone(), index > 0));
        let mut left: Vec<_> = tops.collect();
        let mut led_to = BTreeSet::new();
        while let Some((directory, is_gits)) = left.pop() {
            if SystemClock.monotonic() >= until || self.found.len() >= PIPES_MAX {
                return;
            }
            for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
                let is_read = is_gits || entry.file_name().as_bytes().starts_with(b".git");
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => left.push((entry.path(), is_read)),
                    Ok(kind) if is_read && FileType::is_fifo(&kind) => self.found.push(entry.path()),
                    Ok(kind) if is_read && kind.is_symlink() => {
                        let target = entry.path().canonicalize().ok();
                        match target.as_deref().map(Path::symlink_metadata) {
                            Some(Ok(there)) if there.file_type().is_fifo() => self.found.extend(target),
                            Some(Ok(there)) if there.is_dir() => lead(&mut left, &mut led_to, target),
                            _ => {}
                        }
                    }
                    Ok(kind) if is_read && kind.is_file() => {
                        lead(&mut left, &mut led_to, leads_to(&directory, &entry.path()));
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Has a directory of git's looked at that was not yet, and that is another's than the one above it.
fn lead(left: &mut Vec<(PathBuf, bool)>, led_to: &mut BTreeSet<PathBuf>, directory: Option<PathBuf>) {
    if let Some(directory) = directory.filter(|directory| led_to.insert(directory.clone())) {
        left.push((directory, true));
    }
}

/// The git directory that a file of git's names, if it is one that does.
fn leads_to(directory: &Path, path: &Path) -> Option<PathBuf> {
    let prefix = match path.file_name()?.as_bytes() {
        b".git" => "gitdir:",
        b"commondir" => "",
        _ => return None,
    };
    let text = file::read_regular(path, LEADING_BYTES_MAX).ok()??;
    let named = std::str::from_utf8(&text).ok()?.strip_prefix(prefix)?.trim();
    directory.join(named).canonicalize().ok().filter(|named| named.is_dir())
}

/// Whether somebody read from it: without a reader it cannot be opened like this.
fn is_released(pipe: &Path) -> bool {
    open(pipe, OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty()).is_ok()
}
