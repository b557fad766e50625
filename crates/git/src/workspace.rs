//! The door of this crate: a work tree, and where its snapshots are kept.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use piton_sys::file;

use crate::capture::Leave;
use crate::compared::{Compared, Comparisons};
use crate::disk::Seen;
use crate::left_out::Reading;
use crate::readable::LastOpened;
use crate::repository::Repository;
use crate::shadow::Shadow;
use crate::{
    Caps, Diff, Error, Expected, RepoPath, Restored, Snapshot, SnapshotId, Stop, Treeish, Written, compose,
    diff, own, protect, record, restore, shadow, take,
};

/// A work tree and where its snapshots are kept.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(crate) repository: Repository,
    pub(crate) state: PathBuf,
    pub(crate) is_private: bool,
    pub(crate) rendered: BTreeSet<RepoPath>,
    pub(crate) listed: Option<own::Listed>,
    /// What `git status` is not to show besides.
    pub(crate) hidden: Vec<&'static str>,
    /// Snapshots whose files those of a run hold as well.
    pub(crate) holding: Vec<SnapshotId>,
    pub(crate) caps: Caps,
    pub(crate) stop: Stop,
    /// What comes before the command of a filter.
    pub(crate) around_filters: Vec<String>,
    pub(crate) comparisons: Comparisons,
    /// What the last snapshot saw, and of which run that was.
    seen: Arc<Mutex<Option<(String, Seen)>>>,
    pub(crate) last_opened: LastOpened,
}

impl Workspace {
    /// The work tree that holds `root`, with piton's own files in the existing directory `state`.
    ///
    /// Outside of git the private repository `state/.git` serves, and `root` itself is the work tree.
    pub fn open(root: &Path, state: &Path) -> Result<Self, Error> {
        let resolve = |path: &Path| {
            std::fs::canonicalize(path).map_err(|source| Error::io("find the directory", path, source))
        };
        // It would not be one any more.
        if state.is_symlink() {
            return Err(Error::io(
                "use the directory",
                state,
                std::io::Error::other("it is a symbolic link"),
            ));
        }
        let (root, state) = (resolve(root)?, resolve(state)?);
        let found = Repository::discover(&root)?;
        let is_private = found.is_none();
        let repository = match found {
            Some(mut repository) => {
                if !root.starts_with(&repository.top) {
                    return Err(Error::WorkTreeElsewhere { root, top: repository.top });
                }
                repository.read_excludes_file()?;
                repository
            }
            None => {
                let dot_git = root.join(".git");
                if dot_git.symlink_metadata().is_ok() {
                    return Err(Error::BrokenRepository { path: dot_git });
                }
                protect::create_private(&state)?;
                Repository::private(&root, &state.join(".git"))
            }
        };
        Ok(Self { is_private, ..Self::over(repository, &state) })
    }

    /// The private work tree of `repository`, with what piton keeps in `state`.
    pub(crate) fn over(repository: Repository, state: &Path) -> Self {
        Self {
            repository,
            state: state.to_owned(),
            is_private: true,
            rendered: BTreeSet::new(),
            listed: None,
            hidden: Vec::new(),
            holding: Vec::new(),
            caps: Caps::DEFAULT,
            stop: Stop::default(),
            around_filters: Vec::new(),
            comparisons: Comparisons::default(),
            seen: Arc::default(),
            last_opened: LastOpened::default(),
        }
    }

    /// Leaves out these files and directories, which piton renders itself; each is relative to the root, or below it.
    pub fn leaving_out(mut self, rendered: &[PathBuf]) -> Self {
        let below = |path: &'_ PathBuf| match path.is_absolute() {
            true => path.strip_prefix(self.root()).ok().map(Path::to_owned),
            false => Some(path.clone()),
        };
        // git ends over a path that leads out of the tree again.
        let is_inside = |path: &PathBuf| !path.components().any(|part| part == Component::ParentDir);
        let inside = rendered.iter().filter_map(below).filter(is_inside);
        self.rendered = inside.map(|path| RepoPath::from(path.as_path())).collect();
        self
    }

    /// Leaves out also the files in this list that are as it says, and that piton may have called so: lines of digest and path, as
    /// `b3sum` writes them. It is read anew for each snapshot.
    pub fn leaving_out_listed(mut self, list: PathBuf, may_be_ours: fn(&Path) -> bool) -> Self {
        self.listed = Some(own::Listed { list, may_be_ours });
        self
    }

    /// Has [`protect_state`](Self::protect_state) keep from `git status` also what these patterns match, relative to the root: files
    /// that piton keeps under names of their own.
    pub fn hiding(mut self, patterns: &[&'static str]) -> Self {
        self.hidden = patterns.to_vec();
        self
    }

    /// Takes in what these snapshots held, as if they were of the same run: whatever ignores it by now.
    pub fn holding(mut self, snapshots: Vec<SnapshotId>) -> Self {
        self.holding = snapshots;
        self
    }

    /// Takes in at most as much as `caps` say.
    pub fn with_caps(mut self, caps: Caps) -> Self {
        self.caps = caps;
        self
    }

    /// Has the user's filters run by this command line, which is followed by a program and its arguments.
    pub fn running_filters_in(mut self, line: Vec<String>) -> Self {
        self.around_filters = line;
        self
    }

    /// What ends a snapshot early: see [`Stop::ask`].
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// The same work tree, with calls of git that end early.
    pub(crate) fn stopping(&self) -> Self {
        let mut workspace = self.clone();
        workspace.repository.stop = Some(self.stop.clone());
        workspace
    }

    /// The top of the work tree.
    pub fn root(&self) -> &Path {
        &self.repository.top
    }

    /// Whether the work tree is outside of git, so that the private repository serves.
    pub fn is_private(&self) -> bool {
        self.is_private
    }

    /// What git keeps for this work tree, and the word by which it finds that; nothing outside of git.
    pub fn git_places(&self) -> Vec<PathBuf> {
        if self.is_private {
            return Vec::new();
        }
        let Repository { top, git_dir, common_dir, .. } = &self.repository;
        vec![common_dir.clone(), git_dir.clone(), top.join(".git")]
    }

    /// Makes `git clean -fdx` and `git status` leave the state directory alone, and `git status` the files
    /// that piton renders. Doing it again changes nothing.
    pub fn protect_state(&self) -> Result<(), Error> {
        protect::protect(self)
    }

    /// The lines of the ignore rules that belong to this clone alone: `.git/info/exclude`.
    pub fn rules(&self) -> BTreeSet<Vec<u8>> {
        let rules = shadow::read_rules(&self.repository.exclude);
        rules.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect()
    }

    /// Takes lines out of these rules.
    pub fn forget_rules(&self, lines: &BTreeSet<Vec<u8>>) -> Result<(), Error> {
        protect::remove_rules(&self.repository.exclude, lines)
    }

    /// Records the work tree as it is, as the next snapshot of `run`.
    ///
    /// Its objects are on disk when this returns. The caller holds the run's lease.
    pub fn snapshot(&self, run: &str, message: &str) -> Result<Snapshot, Error> {
        take::take(self, run, message)
    }

    /// Reads a snapshot back.
    pub fn read(&self, id: &SnapshotId) -> Result<Snapshot, Error> {
        record::read(&self.repository, id)
    }

    /// Records the tree that is `most` but for these `paths`, which it has as `some` has them, as the next snapshot of `run`. No file is
    /// touched. The caller holds the run's lease.
    pub fn compose(
        &self,
        run: &str,
        message: &str,
        (most, some): (&SnapshotId, &SnapshotId),
        paths: &BTreeSet<RepoPath>,
    ) -> Result<Snapshot, Error> {
        compose::compose(self, run, message, (most, some), paths)
    }

    /// Makes the files of the work tree those of `target`, and nothing else: `HEAD`, branch and index stay.
    ///
    /// What is there now becomes a snapshot of `run` first; where that is not what the caller `expected`,
    /// nothing is written and the error lists what differs.
    pub fn restore(&self, run: &str, target: &SnapshotId, expected: Expected<'_>) -> Result<Restored, Error> {
        restore::restore(self, run, target, expected)
    }

    /// Makes these files of the work tree those of `target`, and touches no other; `now` is a snapshot of what is there.
    pub fn put_back(
        &self,
        run: &str,
        target: &SnapshotId,
        now: &SnapshotId,
        paths: &BTreeSet<RepoPath>,
    ) -> Result<(), Error> {
        restore::put_back(self, run, target, now, paths)
    }

    /// Which paths are others in `after` than in `before`: files and links, with what names their content.
    pub fn written(&self, before: &impl Treeish, after: &impl Treeish) -> Result<Vec<Written>, Error> {
        let changes = diff::raw(&self.plain_shadow()?, before.as_str(), after.as_str())?;
        Ok(changes.into_iter().map(Written::from).collect())
    }

    /// What changed from `before` to `after`, file by file.
    pub fn diff(&self, before: &impl Treeish, after: &impl Treeish) -> Result<Diff, Error> {
        let (before, after) = (before.as_str(), after.as_str());
        if let Some(known) = self.comparisons.of(before, after) {
            return Ok(known.diff());
        }
        let compared = Arc::new(self.compare(before, after)?);
        self.comparisons.keep(&compared);
        Ok(compared.diff())
    }

    /// The same, asked of git.
    pub(crate) fn compare(&self, before: &str, after: &str) -> Result<Compared, Error> {
        diff::compare(&self.plain_shadow()?, before, after)
    }

    /// What changed from `before` to `after`, as a patch.
    pub fn diff_text(&self, before: &impl Treeish, after: &impl Treeish) -> Result<Vec<u8>, Error> {
        diff::text(&self.plain_shadow()?, before.as_str(), after.as_str())
    }

    /// The files of a snapshot.
    pub fn tree(&self, id: &SnapshotId) -> crate::CommittedTree {
        crate::CommittedTree::new(self.repository.clone(), id.to_string(), self.comparisons.clone())
    }

    /// Removes locks that a killed git left on what is ours: the private indexes and the ref of `run`.
    /// Returns what it removed. The caller holds the run's lease, so none of them is held.
    pub fn clean_stale_locks(&self, run: &str) -> Result<Vec<PathBuf>, Error> {
        check_run(run)?;
        let directory = self.run_directory(run);
        let mut candidates = vec![self.repository.common_dir.join(format!("refs/piton/runs/{run}.lock"))];
        let nested = std::fs::read_dir(directory.join("nested")).into_iter().flatten().flatten();
        let shadows = std::iter::once(directory).chain(nested.map(|entry| entry.path()));
        for shadow in shadows {
            let files = std::fs::read_dir(shadow).into_iter().flatten().flatten().map(|entry| entry.path());
            candidates.extend(files.filter(|path| path.extension().is_some_and(|ending| ending == "lock")));
        }
        let mut removed = Vec::new();
        for path in candidates {
            if file::remove_file_if_exists(&path)? {
                removed.push(path);
            }
        }
        Ok(removed)
    }

    /// Forgets the snapshots of `run`: its ref and its private index. Garbage collection does the rest.
    pub fn forget(&self, run: &str) -> Result<(), Error> {
        check_run(run)?;
        record::delete(&self.repository, run)?;
        self.forget_landing(run)?;
        let directory = self.run_directory(run);
        file::remove_tree_within(&self.state, &directory)?;
        Ok(())
    }

    /// The runs that have snapshots, whichever journal they are in.
    pub fn runs_with_snapshots(&self) -> Result<Vec<String>, Error> {
        let call = self.repository.call("for-each-ref").args(["--format=%(refname)", "refs/piton/runs/"]);
        let answer = call.bytes()?;
        let names = String::from_utf8_lossy(&answer).into_owned();
        Ok(names
            .lines()
            .filter_map(|name| name.strip_prefix("refs/piton/runs/"))
            .map(str::to_owned)
            .collect())
    }

    /// What the objects take that lead to the last snapshot of `run` and to none of the user's branches; `None` where git cannot
    /// tell.
    pub fn snapshot_bytes(&self, run: &str) -> Option<u64> {
        check_run(run).ok()?;
        let reference = record::ref_of(run);
        let call = self.repository.call("rev-list").args(["--objects", "--disk-usage", &reference]);
        let output = call.args(["--not", "--branches", "--remotes", "--tags"]).run().ok()?;
        String::from_utf8_lossy(&output.stdout).trim().parse().ok().filter(|_| output.success())
    }

    /// The other work trees of the repository that are there.
    pub fn other_trees(&self) -> Vec<PathBuf> {
        if self.is_private {
            return Vec::new();
        }
        let listed = self.git("worktree").args(["list", "--porcelain", "-z"]).bytes().unwrap_or_default();
        let tree =
            |line: &[u8]| line.strip_prefix(b"worktree ").map(|path| PathBuf::from(OsStr::from_bytes(path)));
        listed.split(|&byte| byte == 0).filter_map(tree).filter(|tree| tree.is_dir()).collect()
    }

    /// The branches below `prefix`, each with the work tree that stands on it, if that is one of a run in the repository at `root`. Those on
    /// which anybody else's stands are left out.
    pub fn branches_of_runs(
        &self,
        prefix: &str,
        root: &Path,
    ) -> Result<Vec<(String, Option<PathBuf>)>, Error> {
        if self.is_private {
            return Ok(Vec::new());
        }
        let format = "--format=%(refname:short)%00%(worktreepath)";
        let names = self.git("for-each-ref").args([format, &format!("refs/heads/{prefix}")]).bytes()?;
        let branch = |line: &[u8]| {
            let mut parts = line.split(|&byte| byte == 0);
            let name = String::from_utf8(parts.next()?.to_vec()).ok()?;
            let place = parts.next().filter(|place| !place.is_empty());
            let place = place.map(|place| PathBuf::from(OsStr::from_bytes(place)));
            // One whose directory is gone is in nobody's way.
            let place = place.filter(|place| place.symlink_metadata().is_ok());
            let is_ours = |place: &PathBuf| crate::owner_of(place).as_deref() == Some(root);
            place.as_ref().is_none_or(is_ours).then_some((name, place))
        };
        Ok(names
            .split(|&byte| byte == b'\n')
            .filter_map(branch)
            .filter(|(name, _)| !name.is_empty())
            .collect())
    }

    /// What git keeps of work trees that runs in the repository at `root` made, and whose directory is gone: where it lies, and
    /// where the work tree was. One that somebody locked stays.
    pub fn orphaned_trees(&self, root: &Path) -> Vec<(PathBuf, PathBuf)> {
        if self.is_private {
            return Vec::new();
        }
        let kept =
            std::fs::read_dir(self.repository.common_dir.join("worktrees")).into_iter().flatten().flatten();
        let orphan = |kept: PathBuf| {
            let line = |name: &str| {
                let bytes = file::read_regular(&kept.join(name), 64 << 10).ok()??;
                Some(PathBuf::from(OsStr::from_bytes(bytes.trim_ascii_end())))
            };
            let is_ours = line(crate::branch::OWNER).is_some_and(|owner| owner == root);
            let tree = line("gitdir")?.parent()?.to_owned();
            (is_ours && !tree.exists() && !kept.join("locked").exists()).then_some((kept, tree))
        };
        kept.filter_map(|entry| orphan(entry.path())).collect()
    }

    pub(crate) fn seen(&self) -> MutexGuard<'_, Option<(String, Seen)>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the shadow of the work tree for `run` is kept.
    pub(crate) fn run_directory(&self, run: &str) -> PathBuf {
        self.state.join("index").join(run)
    }

    /// The state directory's path in the work tree, if it is there.
    pub(crate) fn state_path(&self) -> Option<RepoPath> {
        self.state.strip_prefix(self.root()).ok().map(RepoPath::from)
    }

    /// How much is read of files that are in no snapshot.
    pub(crate) fn reading(&self) -> Reading {
        Reading::new(self.caps.read_bytes_max, self.stop.clone())
    }

    /// What is piton's own in the work tree.
    pub(crate) fn leave(&self) -> Leave {
        let rendered = self.rendered.clone();
        Leave { state: self.state_path(), rendered, listed: self.listed.clone() }
    }

    /// A shadow to compare trees in; no run has a name that starts with `_`.
    fn plain_shadow(&self) -> Result<Shadow, Error> {
        let shadow = Shadow::new(self.state.join("index/_plain"), self.root(), &self.repository);
        shadow.prepare(Path::new("/dev/null"))?;
        Ok(shadow)
    }
}

/// Refuses what could not be part of a ref and of a path.
pub(crate) fn check_run(run: &str) -> Result<(), Error> {
    let is_good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let starts_well = run.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    if starts_well && run.len() <= 64 && run.bytes().all(is_good) {
        Ok(())
    } else {
        Err(Error::BadRun { run: run.to_owned() })
    }
}
