//! What was on disk when a snapshot was taken: where no file came or went since, git need not search the tree.
//!
//! A look at the tree reads the names in every directory and what the file system says about every file. The next one is
//! compared with it. Where the names are the same, those files changed whose [`Stamp`] did, and [`Seen::contents`] says
//! what `git status` would have said; everything else is left to git: new files, files that are gone, other rules, nested
//! repositories, files that are tracked although they are ignored.
//!
//! A look comes before git reads anything, so what changes in between shows as a change the next time. A stamp is
//! believed only where a later change would have had another one: see [`Stamp::settled_by`].
//!
//! Kept in memory, and only as long as the private index is the one that it was made with: a new process asks git.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use crate::RepoPath;
use crate::capture::Leave;
use crate::memo::{Memo, Stamp};
use crate::status::Status;

/// Beyond so many directories and files nothing is remembered.
const ENTRIES_MAX: usize = 2_000_000;
/// Fewer directories are looked at by one thread.
const SHARED_MIN: usize = 4;
const THREADS_MAX: usize = 4;

/// What a snapshot saw.
#[derive(Debug)]
pub(crate) struct Seen {
    /// The private index as the snapshot left it.
    index: Stamp,
    /// What was piton's own.
    own: BTreeSet<RepoPath>,
    ignored: Vec<RepoPath>,
    ignored_directories: Vec<RepoPath>,
    /// `None` after the first snapshot, which does not know yet what is ignored.
    disk: Option<Disk>,
    /// Files that are looked at again in any case.
    unsettled: BTreeSet<RepoPath>,
}

/// The names and stamps of a tree, by directory.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Disk(BTreeMap<RepoPath, Directory>);

/// The entries of a directory, sorted by name.
#[derive(Debug, Default, PartialEq, Eq)]
struct Directory {
    /// Each with a zero byte after it.
    names: Vec<u8>,
    stamps: Vec<Stamp>,
}

impl Seen {
    /// Looks at the tree, without what is ignored or piton's own.
    pub(crate) fn look(&self, work_tree: &Path, leave: &Leave) -> Option<Disk> {
        let mut passed_by = PassedBy::default();
        passed_by.insert(&RepoPath::from_bytes(b".git"));
        leave.state.iter().chain(&leave.rendered).for_each(|path| passed_by.insert(path));
        self.ignored_directories.iter().for_each(|path| passed_by.insert(path));
        Disk::read(work_tree, &passed_by).ok()
    }

    /// What differs from what was seen, where that is nothing but the contents of tracked files.
    pub(crate) fn contents(&self, disk: &Disk, index: Option<Stamp>, leave: &Leave) -> Option<Status> {
        if index != Some(self.index) || leave.rendered != self.own {
            return None;
        }
        let ignored: BTreeSet<_> = self.ignored.iter().collect();
        let changed = self.disk.as_ref()?.changed(disk)?;
        let changed: BTreeSet<_> = changed.into_iter().chain(self.unsettled.iter().cloned()).collect();
        let changed = changed.into_iter().filter(|path| !ignored.contains(path) && !leave.covers(path));
        let changed: Vec<_> = changed.collect();
        let is_rule = |path: &RepoPath| path.name() == b".gitignore";
        if changed.iter().chain(&self.ignored).any(is_rule) {
            return None;
        }
        let (ignored, ignored_directories) = (self.ignored.clone(), self.ignored_directories.clone());
        Some(Status { changed, ignored, ignored_directories, ..Status::default() })
    }

    /// What a snapshot saw that is about to be complete; `None` where git has to look the next time, too.
    pub(crate) fn after(
        look: Look,
        index: Option<Stamp>,
        leave: &Leave,
        status: &Status,
        taken: &[(RepoPath, Stamp)],
    ) -> Option<Self> {
        let Look { disk, at, read_at } = look;
        let mut disk = disk;
        let mut unsettled = BTreeSet::new();
        if let Some(disk) = &mut disk {
            disk.0
                .retain(|path, _| !status.ignored_directories.iter().any(|ignored| path.is_within(ignored)));
            disk.forget_names(&status.ignored_directories);
            let mut taken_in: BTreeMap<RepoPath, BTreeMap<&[u8], &Stamp>> = BTreeMap::new();
            for (path, stamp) in taken {
                let parent = path.parent().unwrap_or_else(RepoPath::root);
                taken_in.entry(parent).or_default().insert(path.name(), stamp);
            }
            for (path, directory) in &disk.0 {
                let taken = taken_in.get(path);
                let is_settled = |name: &[u8], stamp: &Stamp| match taken.and_then(|taken| taken.get(name)) {
                    Some(then) => *then == stamp && stamp.settled_by(read_at),
                    None => stamp.is_directory() || stamp.settled_by(at),
                };
                let names = directory.names().zip(&directory.stamps);
                let others = names.filter(|(name, stamp)| !is_settled(name, stamp));
                unsettled.extend(others.map(|(name, _)| RepoPath::from_bytes(name).below(path)));
            }
        }
        Some(Self {
            index: index?,
            own: leave.rendered.clone(),
            ignored: status.ignored.clone(),
            ignored_directories: status.ignored_directories.clone(),
            disk,
            unsettled,
        })
    }
}

/// A look, and the moments that decide which of its stamps can be believed.
pub(crate) struct Look {
    pub(crate) disk: Option<Disk>,
    /// Before it began.
    pub(crate) at: (i64, i64),
    /// Before git read what had changed.
    pub(crate) read_at: (i64, i64),
}

impl Memo {
    /// Whether what git shows is all there is.
    pub(crate) fn is_plain(&self) -> bool {
        let has_more =
            |theirs: &crate::theirs::Theirs| !theirs.hidden.is_empty() || !theirs.gitlinks.is_empty();
        self.nested.is_empty() && self.unseen.is_empty() && !self.theirs.as_ref().is_some_and(has_more)
    }
}

/// What a look passes by: names, by directory.
#[derive(Debug, Default)]
struct PassedBy(BTreeMap<RepoPath, BTreeSet<Vec<u8>>>);

impl PassedBy {
    fn insert(&mut self, path: &RepoPath) {
        let parent = path.parent().unwrap_or_else(RepoPath::root);
        self.0.entry(parent).or_default().insert(path.name().to_vec());
    }
}

impl Disk {
    fn read(root: &Path, passed_by: &PassedBy) -> io::Result<Self> {
        let mut disk = Self::default();
        let mut count = 0;
        let mut level = vec![RepoPath::root()];
        while !level.is_empty() {
            let mut below = Vec::new();
            for (path, directory, inner) in read_all(root, level, passed_by)? {
                count += 1 + directory.stamps.len();
                disk.0.insert(path, directory);
                below.extend(inner);
            }
            if count > ENTRIES_MAX {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            level = below;
        }
        Ok(disk)
    }

    /// The files of `later` that are other than here; `None` where names or kinds differ.
    fn changed(&self, later: &Self) -> Option<Vec<RepoPath>> {
        if self.0.len() != later.0.len() {
            return None;
        }
        let mut changed = Vec::new();
        for ((path, then), (other, now)) in self.0.iter().zip(&later.0) {
            if path != other || then.names != now.names {
                return None;
            }
            for ((name, then), now) in then.names().zip(&then.stamps).zip(&now.stamps) {
                if then.kind() != now.kind() {
                    return None;
                }
                if then != now {
                    changed.push(RepoPath::from_bytes(name).below(path));
                }
            }
        }
        Some(changed)
    }

    /// Takes out the names of directories that turned out to be ignored, as the next look passes them by.
    fn forget_names(&mut self, directories: &[RepoPath]) {
        for path in directories {
            let parent = path.parent().unwrap_or_else(RepoPath::root);
            if let Some(directory) = self.0.get_mut(&parent) {
                directory.forget(path.name());
            }
        }
    }
}

impl Directory {
    fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.names.split(|&byte| byte == 0)
    }

    fn push(&mut self, name: &[u8], stamp: Stamp) {
        self.names.extend_from_slice(name);
        self.names.push(0);
        self.stamps.push(stamp);
    }

    fn forget(&mut self, gone: &[u8]) {
        let mut kept = Self::default();
        for (name, stamp) in self.names().zip(&self.stamps).filter(|(name, _)| *name != gone) {
            kept.push(name, *stamp);
        }
        *self = kept;
    }
}

type Read = (RepoPath, Directory, Vec<RepoPath>);

/// Reads directories, some at a time: most of it is waiting for the kernel.
fn read_all(root: &Path, paths: Vec<RepoPath>, passed_by: &PassedBy) -> io::Result<Vec<Read>> {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get().min(THREADS_MAX));
    if paths.len() < SHARED_MIN || threads == 1 {
        return paths.into_iter().map(|path| read(root, path, passed_by)).collect();
    }
    let next = std::sync::atomic::AtomicUsize::new(0);
    let work = || -> io::Result<Vec<Read>> {
        let mut found = Vec::new();
        while let Some(path) = paths.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            found.push(read(root, path.clone(), passed_by)?);
        }
        Ok(found)
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut all = work()?;
        for other in others {
            all.extend(other.join().expect("looking at a directory does not panic")?);
        }
        Ok(all)
    })
}

/// The entries of a directory, and the directories among them.
fn read(root: &Path, path: RepoPath, passed_by: &PassedBy) -> io::Result<Read> {
    let passed_by = passed_by.0.get(&path);
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(root.join(path.as_path()))? {
        let entry = entry?;
        let name = entry.file_name().into_vec();
        if !passed_by.is_some_and(|names| names.contains(&name)) {
            entries.push((name, entry));
        }
    }
    entries.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    let (mut directory, mut below) = (Directory::default(), Vec::new());
    for (name, entry) in entries {
        let stamp = Stamp::from(&entry.metadata()?).of_contents();
        if stamp.is_directory() {
            below.push(RepoPath::from_bytes(entry.file_name().as_bytes()).below(&path));
        }
        directory.push(&name, stamp);
    }
    Ok((path, directory, below))
}
