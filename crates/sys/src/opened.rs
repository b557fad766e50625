//! Which files below a directory are opened while something runs: by inotify, which needs no privileges.
//!
//! It says what was opened, not by whom: whoever asks has to look at other moments, too. Where the system cannot tell, nothing is known, which is not the same as
//! nothing opened. What is only looked at (`stat`) is not seen.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::Duration;
#[cfg(target_os = "linux")]
use std::time::Instant;

#[cfg(target_os = "linux")]
use rustix::event::{PollFd, PollFlags, Timespec, poll};
#[cfg(target_os = "linux")]
use rustix::fs::inotify;

/// Directories that are watched at most: a user has a few thousand watches, and not for us alone.
const DIRECTORIES_MAX: usize = 4_096;

/// How often somebody is asked whether to go on waiting.
#[cfg(target_os = "linux")]
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Watches a directory and what is below it.
#[derive(Debug)]
pub struct Opened {
    #[cfg(target_os = "linux")]
    queue: rustix::fd::OwnedFd,
    /// The directories, relative to the top, by the number of their watch.
    directories: HashMap<i32, PathBuf>,
}

impl Opened {
    /// Begins to watch `top` and what is below it, the upper directories first, without those that are `left_out`.
    /// `None` where the system cannot tell.
    #[cfg(target_os = "linux")]
    pub fn below(top: &Path, left_out: impl Fn(&Path) -> bool) -> Option<Self> {
        let queue = inotify::init(inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC).ok()?;
        let mut opened = Self { queue, directories: HashMap::new() };
        let mut waiting = std::collections::VecDeque::from([PathBuf::new()]);
        while let Some(directory) = waiting.pop_front() {
            if opened.directories.len() >= DIRECTORIES_MAX {
                break;
            }
            let path = top.join(&directory);
            let flags =
                inotify::WatchFlags::OPEN | inotify::WatchFlags::ONLYDIR | inotify::WatchFlags::DONT_FOLLOW;
            // One that vanished meanwhile, or may not be read, has nothing to tell.
            let Ok(watch) = inotify::add_watch(&opened.queue, &path, flags) else { continue };
            let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
            let inner = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
            waiting.extend(
                inner
                    .map(|entry| directory.join(entry.file_name()))
                    .filter(|path| !left_out(&top.join(path))),
            );
            opened.directories.insert(watch, directory);
        }
        (!opened.directories.is_empty()).then_some(opened)
    }

    /// Begins to watch; this system cannot tell.
    #[cfg(not(target_os = "linux"))]
    pub fn below(_: &Path, _: impl Fn(&Path) -> bool) -> Option<Self> {
        None
    }

    /// The files that were opened since, relative to the top.
    #[cfg(target_os = "linux")]
    pub fn files(self) -> BTreeSet<PathBuf> {
        let mut files = BTreeSet::new();
        self.take(&mut files);
        files
    }

    /// Those that are opened until `window` is over, or somebody does not want to wait any longer.
    #[cfg(target_os = "linux")]
    pub fn files_within(self, window: Duration, is_cancelled: impl Fn() -> bool) -> BTreeSet<PathBuf> {
        let started = Instant::now();
        let mut files = BTreeSet::new();
        loop {
            self.take(&mut files);
            let left = window.saturating_sub(started.elapsed());
            if left.is_zero() || is_cancelled() {
                return files;
            }
            let look = left.min(LOOK_EVERY);
            let look = Timespec { tv_sec: 0, tv_nsec: look.subsec_nanos().into() };
            // Interrupted or not, the next look tells.
            let _ = poll(&mut [PollFd::new(&self.queue, PollFlags::IN)], Some(&look));
        }
    }

    #[cfg(target_os = "linux")]
    fn take(&self, files: &mut BTreeSet<PathBuf>) {
        use std::os::unix::ffi::OsStrExt;

        let mut buffer = [std::mem::MaybeUninit::uninit(); 64 << 10];
        let mut events = inotify::Reader::new(&self.queue, &mut buffer);
        // The queue is empty, or cannot be read any further: what was seen so far was opened in any case.
        while let Ok(event) = events.next() {
            let is_directory = event.events().contains(inotify::ReadFlags::ISDIR);
            let directory = self.directories.get(&event.wd());
            if let (Some(directory), Some(name), false) = (directory, event.file_name(), is_directory) {
                files.insert(directory.join(std::ffi::OsStr::from_bytes(name.to_bytes())));
            }
        }
    }

    /// The files that were opened since, relative to the top.
    #[cfg(not(target_os = "linux"))]
    pub fn files(self) -> BTreeSet<PathBuf> {
        drop(self.directories);
        BTreeSet::new()
    }

    /// Those that are opened until `window` is over; this system cannot tell.
    #[cfg(not(target_os = "linux"))]
    pub fn files_within(self, _: Duration, _: impl Fn() -> bool) -> BTreeSet<PathBuf> {
        self.files()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
    fn what_is_opened_is_seen_and_what_is_left_out_or_only_looked_at_is_not() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["a/b", "left"] {
            std::fs::create_dir_all(directory.path().join(name)).unwrap();
        }
        for name in ["top", "a/b/deep", "a/looked_at", "left/out"] {
            std::fs::write(directory.path().join(name), name).unwrap();
        }
        let opened = Opened::below(directory.path(), |path| path.ends_with("left")).unwrap();
        for name in ["top", "a/b/deep", "left/out"] {
            std::fs::read(directory.path().join(name)).unwrap();
        }
        std::fs::metadata(directory.path().join("a/looked_at")).unwrap();
        let files: Vec<_> = opened.files().into_iter().collect();
        assert_eq!(files, [PathBuf::from("a/b/deep"), PathBuf::from("top")]);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
    fn what_is_opened_while_somebody_waits_is_seen_until_nobody_does() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("late"), "late").unwrap();
        let watch = || Opened::below(directory.path(), |_| false).unwrap();
        let read = std::sync::atomic::AtomicBool::new(false);
        let is_read = || {
            if !read.swap(true, std::sync::atomic::Ordering::SeqCst) {
                std::fs::read(directory.path().join("late")).unwrap();
                return false;
            }
            true
        };
        let files = watch().files_within(Duration::from_secs(600), is_read);
        assert_eq!(files.into_iter().collect::<Vec<_>>(), [PathBuf::from("late")]);
        assert!(watch().files_within(Duration::ZERO, || false).is_empty());
    }
}
