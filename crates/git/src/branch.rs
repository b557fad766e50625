//! Work that lands on a branch of its own: a work tree beside the repository.
//!
//! The user's own work tree, index and branch are only looked at.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use piton_sys::file::{self, Durability};
use piton_sys::process::ProgramOutput;

use crate::call::Call;
use crate::lacking::submodules;
use crate::programs::Storing;
use crate::stage::Own;
use crate::{Error, RepoPath, Workspace};

/// Branches that are somebody's default, where the remote does not say which one is.
const USUAL_DEFAULTS: [&str; 3] = ["main", "master", "trunk"];

/// Beside what git keeps for a work tree that a run made: where that run is. It goes when git forgets the work tree.
pub(crate) const OWNER: &str = "piton-owner";
const PATH_BYTES_MAX: u64 = 64 << 10;

/// What comes before a path in the short format of `git status`.
const STATE_BYTES: usize = 3;

/// Where a work tree stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// There is a commit to start from.
    pub has_commit: bool,
    /// The branch, unless `HEAD` is detached.
    pub branch: Option<String>,
    /// That branch is the default one of the repository.
    pub is_default_branch: bool,
    /// Something is not committed.
    pub is_dirty: bool,
}

/// What `HEAD` is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The branch, unless it is detached.
    pub branch: Option<String>,
    /// The commit, unless there is none yet.
    pub commit: Option<String>,
}

/// The repository whose run made the work tree at `root`; `None` for a work tree of a person's own.
pub fn owner_of(root: &Path) -> Option<PathBuf> {
    let link = String::from_utf8(file::read_regular(&root.join(".git"), PATH_BYTES_MAX).ok()??).ok()?;
    let git_dir = root.join(link.strip_prefix("gitdir:")?.trim());
    let owner = file::read_regular(&git_dir.join(OWNER), PATH_BYTES_MAX).ok()??;
    Some(PathBuf::from(OsString::from_vec(owner)))
}

/// Whether git keeps the file `path` of the directory `root`, itself or in a submodule: a clone would have it, too. What git does not say is
/// not so.
pub fn tracks(root: &Path, path: &str) -> bool {
    const SUBMODULE: &[u8] = b"160000 ";
    let top = path.split('/').next().unwrap_or(path);
    let listed = Call::new("ls-files", root).args(["--cached", "--stage", "-z", "--", top]).run();
    let listed = listed.ok().filter(ProgramOutput::success);
    let is_kept = |line: &[u8]| {
        let name = line.splitn(2, |&byte| byte == b'\t').nth(1).unwrap_or_default();
        let is_within = path.as_bytes().strip_prefix(name).is_some_and(|rest| rest.starts_with(b"/"));
        name == path.as_bytes() || (line.starts_with(SUBMODULE) && is_within)
    };
    listed.is_some_and(|listed| listed.stdout.split(|&byte| byte == 0).any(is_kept))
}

impl Workspace {
    /// What `HEAD` is. Outside of git nothing is known.
    pub fn head(&self) -> Result<Head, Error> {
        if self.is_private {
            return Ok(Head::default());
        }
        let branch = self.answer(self.git("symbolic-ref").args(["--quiet", "--short", "HEAD"]))?;
        let commit = self.answer(self.git("rev-parse").args(["--quiet", "--verify", "HEAD"]))?;
        Ok(Head { branch, commit })
    }

    /// Whether there is a commit to start from.
    pub fn has_commit(&self) -> Result<bool, Error> {
        let head = || self.git("rev-parse").args(["--quiet", "--verify", "HEAD"]).run();
        Ok(!self.is_private && head()?.success())
    }

    /// Where the work tree stands. Outside of git nothing is known.
    pub fn standing(&self) -> Result<Standing, Error> {
        if self.is_private {
            return Ok(Standing::default());
        }
        let has_commit = self.has_commit()?;
        let branch = self.answer(self.git("symbolic-ref").args(["--quiet", "--short", "HEAD"]))?;
        let remote = self.git("symbolic-ref").args(["--quiet", "--short", "refs/remotes/origin/HEAD"]);
        let default = self.answer(remote)?.and_then(|name| name.strip_prefix("origin/").map(str::to_owned));
        let is_default_branch = branch.as_deref().is_some_and(|branch| match &default {
            Some(default) => branch == default,
            None => USUAL_DEFAULTS.contains(&branch),
        });
        let is_dirty = self.is_dirty()?;
        Ok(Standing { has_commit, branch, is_default_branch, is_dirty })
    }

    /// Whether something is not committed that is not piton's own.
    fn is_dirty(&self) -> Result<bool, Error> {
        // Directories as a whole are listed faster, and mostly there is nothing.
        if self.changed(self.root(), "--untracked-files=normal")?.is_empty() {
            return self.has_dirty_submodule(self.root());
        }
        Ok(!self.uncommitted_files()?.is_empty() || self.has_dirty_submodule(self.root())?)
    }

    /// The files that are not committed as they are on disk, without what is piton's own and what of `own` nobody tracks.
    pub fn uncommitted(&self, own: &[Own]) -> Result<Vec<RepoPath>, Error> {
        let files = self.uncommitted_files()?.into_iter();
        let files = files.filter(|(path, untracked)| !(*untracked && self.is_somebodys(path, own)));
        Ok(files.map(|(path, _)| path).collect())
    }

    /// Whether a file is somebody's own, with the content that was named.
    fn is_somebodys(&self, path: &RepoPath, own: &[Own]) -> bool {
        let content = || {
            let hash = self.git("hash-object").args(["--no-filters", "--"]).arg(path.as_path());
            hash.id::<crate::BlobId>().map(|id| id.to_string()).ok()
        };
        let mut places = own.iter().filter(|own| path.is_within(&own.path));
        places.any(|own| own.id.is_none() || own.id == content())
    }

    /// The same with what is somebody's own; whether it is new to git.
    fn uncommitted_files(&self) -> Result<Vec<(RepoPath, bool)>, Error> {
        let own = self.leave().with_listed(self.root(), &mut self.reading())?;
        let files = self.changed(self.root(), "--untracked-files=all")?;
        let file = |line: &[u8]| {
            let (state, path) = line.split_at_checked(STATE_BYTES)?;
            let (path, untracked) = (RepoPath::from_bytes(path), state == b"?? ");
            (!untracked || !own.covers(&path)).then_some((path, untracked))
        };
        Ok(files.split(|&byte| byte == 0).filter_map(file).collect())
    }

    /// Whether there is such a branch.
    pub fn has_branch(&self, branch: &str) -> Result<bool, Error> {
        let full = format!("refs/heads/{branch}");
        Ok(self.git("rev-parse").args(["--quiet", "--verify"]).arg(full).run()?.success())
    }

    /// Adds a work tree at `path` on the new branch `branch`, from the commit `from`, or from `HEAD` where there is no such commit any
    /// more. One that is there already is kept.
    pub fn add_work_tree(&self, path: &Path, branch: &str, from: Option<&str>) -> Result<(), Error> {
        if path.join(".git").exists() {
            return Ok(());
        }
        // A work tree whose directory was removed by hand still has its name taken.
        self.git("worktree").arg("prune").output()?;
        let is_there = |from: &&str| {
            let known = self.git("cat-file").args(["-e", &format!("{from}^{{commit}}")]).run();
            known.is_ok_and(|known| known.success())
        };
        let from = from.filter(is_there).unwrap_or("HEAD");
        let add = self.storing()?.harden(self.git("worktree")).args(["add", "--quiet"]);
        let add = match self.has_branch(branch)? {
            true => add.arg(path).arg(branch),
            false => add.args(["--no-track", "-b", branch]).arg(path).arg(from),
        };
        add.output().map(drop)
    }

    /// Whose work tree this is: that of a run in the repository at `root`, which is found from within it.
    pub fn mark_owner(&self, root: &Path) -> Result<(), Error> {
        if self.is_private || owner_of(self.root()).as_deref() == Some(root) {
            return Ok(());
        }
        let mark = self.repository.git_dir.join(OWNER);
        Ok(file::write_atomic(&mark, root.as_os_str().as_bytes(), Durability::Synced)?)
    }

    /// Makes this work tree stand on `branch` again, with its files as they are. Commits that were made elsewhere on top of
    /// the branch belong to it; where the branch is gone, it begins where the work tree stands. Any other commit stays
    /// where it is. Says where the work tree stood, if that was elsewhere.
    pub fn stand_on(&self, branch: &str) -> Result<Option<Head>, Error> {
        let (head, full) = (self.head()?, format!("refs/heads/{branch}"));
        if head.branch.as_deref() == Some(branch) {
            return Ok(None);
        }
        let tip = self.answer(self.git("rev-parse").args(["--quiet", "--verify"]).arg(&full))?;
        if let Some(commit) = &head.commit {
            let is_on_top = match &tip {
                None => true,
                Some(tip) => self
                    .git("merge-base")
                    .args(["--is-ancestor", tip.as_str(), commit.as_str()])
                    .run()?
                    .success(),
            };
            if is_on_top && tip.as_ref() != Some(commit) {
                self.git("update-ref").args([full.as_str(), commit.as_str()]).output()?;
            }
        }
        self.git("symbolic-ref").args(["HEAD", full.as_str()]).output()?;
        Ok(Some(head))
    }

    /// The commit that this work tree stands on, and its message; `None` where there is none.
    pub fn last_commit(&self) -> Result<Option<(String, String)>, Error> {
        let answer = self.answer(self.git("log").args(["-1", "--format=%H%n%B", "HEAD"]))?;
        Ok(answer.and_then(|text| {
            let (commit, message) = text.split_once('\n')?;
            Some((commit.to_owned(), message.to_owned()))
        }))
    }

    /// The last commits that `HEAD` stands on, the newest first: short name and first line of each. Outside of git, and
    /// before the first one, there are none.
    pub fn last_commits(&self, count: usize) -> Result<Vec<String>, Error> {
        if self.is_private {
            return Ok(Vec::new());
        }
        let log = self.git("log").args(["--format=%h %s", "--no-decorate", "--no-show-signature"]);
        let answer = self.answer(log.arg(format!("--max-count={count}")).arg("HEAD"))?;
        Ok(answer.iter().flat_map(|text| text.lines()).map(str::to_owned).collect())
    }

    /// Where branches can be pushed to: `origin`, else the first remote; nothing where there is none.
    pub fn remote(&self) -> Result<Option<String>, Error> {
        if self.is_private {
            return Ok(None);
        }
        let names = self.answer(self.git("remote"))?.unwrap_or_default();
        let origin = names.lines().find(|name| *name == "origin");
        Ok(origin.or_else(|| names.lines().next()).map(str::to_owned))
    }

    /// What differs from the last commit in the work tree at `root`, as `git status` lists it. A submodule counts by its commit: to look
    /// into it, git would obey its settings.
    fn changed(&self, root: &Path, untracked: &str) -> Result<Vec<u8>, Error> {
        let git = |command| Call::new(command, root);
        let status = self.storing_in(root)?.harden(git("status"));
        status.args(["--porcelain", "-z", "--no-renames", "--ignore-submodules=dirty", untracked]).bytes()
    }

    fn has_dirty_submodule(&self, root: &Path) -> Result<bool, Error> {
        for path in submodules(root)? {
            let submodule = root.join(path);
            let is_checked_out = submodule.join(".git").exists();
            if is_checked_out
                && (!self.changed(&submodule, "--untracked-files=normal")?.is_empty()
                    || self.has_dirty_submodule(&submodule)?)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) fn git(&self, command: &'static str) -> Call {
        Call::new(command, self.root())
    }

    /// What the configuration says about storing files, with no program of the repository's own.
    pub(crate) fn storing(&self) -> Result<Storing, Error> {
        self.storing_in(self.root())
    }

    /// The same for the work tree at `root`, which is this one or a submodule of it.
    pub(crate) fn storing_in(&self, root: &Path) -> Result<Storing, Error> {
        Ok(Storing::read(|command| Call::new(command, root))?.running_in(&self.around_filters))
    }

    /// What git answers, where it has an answer.
    pub(crate) fn answer(&self, call: Call) -> Result<Option<String>, Error> {
        let output = call.run()?;
        let text = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
        Ok((output.success() && !text.is_empty()).then_some(text))
    }
}
