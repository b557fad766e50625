//! Work of a run that is brought to a branch of a person's, because that person said so.
//!
//! Commits are made anew in a scratch tree where the branch went on meanwhile; nothing of the person's moves before that has
//! succeeded. Then the branch moves, and with it the files of the checkout, where it stands on that branch.
//!
//! Invariant: no file that a person changed since the run began is written over, and no commit leaves the branch.

use std::collections::BTreeSet;
use std::path::Path;

use piton_sys::{Ids, SystemIds, file};

use crate::call::{Call, failed};
use crate::stage::Identity;
use crate::{Error, RepoPath, SnapshotId, Workspace};

/// Settings that name a program which a push would start.
const PUSH_PROGRAMS: &str =
    r"^(core\.(sshcommand|gitproxy|askpass)|credential\..*|remote\..*\.(receivepack|vcs|proxy)|ssh\..*)$";

/// What replaying commits came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// Every commit is there again, on top of the branch; the last one.
    Whole(SnapshotId),
    /// A commit changes what the branch changed as well, in these files.
    Conflict { commit: SnapshotId, paths: Vec<RepoPath> },
}

/// What moving a branch came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advanced {
    /// The branch stands there; with the files of the checkout, where it stands on that branch.
    Moved { with_files: bool },
    /// These files of the checkout are somebody's work, and would be written over.
    InTheWay(Vec<RepoPath>),
    /// Another work tree of the repository stands on the branch.
    StoodOn(String),
    /// Somebody else moved the branch meanwhile.
    MovedElsewhere,
}

impl Workspace {
    /// The last commit of a branch; `None` where there is no such branch.
    pub fn branch_tip(&self, branch: &str) -> Result<Option<SnapshotId>, Error> {
        let full = format!("refs/heads/{branch}^{{commit}}");
        let answer = self.answer(self.git("rev-parse").args(["--quiet", "--verify"]).arg(full))?;
        Ok(answer.and_then(|id| SnapshotId::try_from(id).ok()))
    }

    /// Whether `older` is `newer` or one of the commits that it stands on.
    pub fn is_ancestor(&self, older: &SnapshotId, newer: &SnapshotId) -> Result<bool, Error> {
        let asked = self.git("merge-base").args(["--is-ancestor", older.as_str(), newer.as_str()]).run()?;
        Ok(asked.success())
    }

    /// The newest commit that both stand on.
    pub fn common(&self, one: &SnapshotId, other: &SnapshotId) -> Result<Option<SnapshotId>, Error> {
        let answer = self.answer(self.git("merge-base").args([one.as_str(), other.as_str()]))?;
        Ok(answer.and_then(|id| SnapshotId::try_from(id).ok()))
    }

    /// The commits of `tip` that `base` does not stand on, the oldest first, with their first lines.
    pub fn commits_since(
        &self,
        base: &SnapshotId,
        tip: &SnapshotId,
    ) -> Result<Vec<(SnapshotId, String)>, Error> {
        let range = format!("{base}..{tip}");
        let log = self.git("log").args(["--reverse", "--topo-order", "--no-show-signature", "--no-decorate"]);
        let bytes = log.args(["--format=%H %s", range.as_str(), "--"]).bytes()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let line = |line: &str| {
            let (id, subject) = line.split_once(' ').unwrap_or((line, ""));
            Some((SnapshotId::try_from(id.to_owned()).ok()?, subject.to_owned()))
        };
        Ok(text.lines().filter_map(line).collect())
    }

    /// Whether `branch` has the work that `tip` brings: its commits, or every file that they changed as they left it, however it came there.
    pub fn has_work(&self, branch: &SnapshotId, tip: &SnapshotId) -> Result<bool, Error> {
        if self.is_ancestor(tip, branch)? {
            return Ok(true);
        }
        let Some(base) = self.common(branch, tip)? else { return Ok(false) };
        let changed = self.git("diff-tree").args(["-r", "-z", "--name-only", "--no-renames"]);
        let changed = paths(&changed.args([base.as_str(), tip.as_str(), "--"]).bytes()?);
        let differs = self.git("diff-tree").args(["-r", "-z", "--name-only", "--no-renames"]);
        let differs = paths(&differs.args([branch.as_str(), tip.as_str(), "--"]).bytes()?);
        Ok(changed.is_disjoint(&differs))
    }

    /// How many commits of `branch`, which ends at `tip`, bring something that no other branch has, here or at a remote. What came to one
    /// of `onto`, or to where the checkout stands, in other commits is there as well.
    pub fn only_on(&self, branch: &str, tip: &SnapshotId, onto: &[&str]) -> Result<usize, Error> {
        // Below `refs/heads`, as git wants it before `--branches`.
        let own = format!("--exclude={branch}");
        let list =
            self.git("rev-list").args([tip.as_str(), "--not", own.as_str(), "--branches", "--remotes"]);
        let commits = String::from_utf8_lossy(&list.bytes()?).lines().count();
        if commits == 0 {
            return Ok(0);
        }
        let here = self.head()?.branch;
        for other in onto.iter().copied().chain(here.as_deref()).filter(|other| *other != branch) {
            if let Some(other) = self.branch_tip(other)?
                && self.has_work(&other, tip)?
            {
                return Ok(0);
            }
        }
        Ok(commits)
    }

    /// Adds a work tree at `path` that stands on no branch, but on `commit`.
    pub fn add_scratch_tree(&self, path: &Path, commit: &SnapshotId) -> Result<(), Error> {
        self.git("worktree").arg("prune").output()?;
        let add = self.storing()?.harden(self.git("worktree")).args(["add", "--quiet", "--detach"]);
        add.arg(path).arg(commit.as_str()).output().map(drop)
    }

    /// Removes a work tree with all that is in it, also where nothing is left of it but its name.
    pub fn remove_work_tree(&self, path: &Path) -> Result<(), Error> {
        if path.symlink_metadata().is_ok() {
            self.git("worktree").args(["remove", "--force", "--force"]).arg(path).output()?;
        }
        self.git("worktree").arg("prune").output().map(drop)
    }

    /// Removes a branch, if it still ends at `tip`.
    pub fn remove_branch(&self, branch: &str, tip: &SnapshotId) -> Result<(), Error> {
        let full = format!("refs/heads/{branch}");
        self.git("update-ref").args(["-d", full.as_str(), tip.as_str()]).output().map(drop)
    }

    /// Makes these commits anew on top of where this work tree stands: a scratch tree. What nothing is left of is left out.
    pub fn replay(&self, commits: &[SnapshotId], identity: &Identity) -> Result<Replayed, Error> {
        let storing = self.storing()?;
        for commit in commits {
            let git = |command| committing(storing.harden(self.git(command)), identity);
            let pick = git("cherry-pick").args(["--no-gpg-sign", "--allow-empty", commit.as_str()]);
            let picked = pick.run()?;
            if picked.success() {
                continue;
            }
            let paths = self.unmerged()?;
            if !paths.is_empty() {
                return Ok(Replayed::Conflict { commit: commit.clone(), paths });
            }
            // The branch has it already, in another commit.
            let is_empty = git("diff-index").args(["--cached", "--quiet", "HEAD", "--"]).run()?.success();
            if !is_empty {
                return Err(failed("cherry-pick", &picked));
            }
            git("cherry-pick").arg("--skip").output()?;
        }
        Ok(Replayed::Whole(self.git("rev-parse").arg("HEAD").id()?))
    }

    /// Makes this work tree stand at `commit`, on no branch: a scratch tree.
    pub fn stand_at(&self, commit: &SnapshotId) -> Result<(), Error> {
        let checkout = self.storing()?.harden(self.git("checkout"));
        checkout.args(["--quiet", "--detach", "--force", commit.as_str()]).output().map(drop)
    }

    /// Pushes `commit` to the remote, as `branch`. Only fast-forwards; programs that only the repository's own settings name are
    /// not run: then nothing is pushed, and that is said.
    pub fn push(&self, remote: &str, commit: &SnapshotId, branch: &str) -> Result<(), Error> {
        let local = self.git("config").args(["--local", "--name-only", "--get-regexp", PUSH_PROGRAMS]);
        if let Some(names) = self.answer(local)? {
            let name = names.lines().next().unwrap_or_default().to_owned();
            return Err(Error::ProgramOfTheRepository { name });
        }
        let push = self.git("push").env("GIT_CONFIG_NOSYSTEM", "0");
        push.args(["--quiet", remote, &format!("{commit}:refs/heads/{branch}")]).output().map(drop)
    }

    /// A commit with the files of `of` and these parents.
    pub fn commit_tree(
        &self,
        of: &SnapshotId,
        parents: &[&SnapshotId],
        message: &str,
        identity: &Identity,
    ) -> Result<SnapshotId, Error> {
        let mut commit = committing(self.git("commit-tree"), identity).arg("--no-gpg-sign");
        for parent in parents {
            commit = commit.args(["-p", parent.as_str()]);
        }
        commit.args(["-F", "-"]).arg(format!("{of}^{{tree}}")).stdin(message.as_bytes().to_vec()).id()
    }

    /// Moves `branch` from `from` to `to`, which stands on it. `taken` is the commit of what was not committed when the run
    /// began, if there is one in between: what the checkout still has of it is no obstacle.
    pub fn advance(
        &self,
        branch: &str,
        (from, to): (&SnapshotId, &SnapshotId),
        taken: Option<&SnapshotId>,
    ) -> Result<Advanced, Error> {
        let full = format!("refs/heads/{branch}");
        if self.head()?.branch.as_deref() != Some(branch) {
            if let Some(place) = self.stood_on(&full)? {
                return Ok(Advanced::StoodOn(place));
            }
            let moved = self.git("update-ref").args([full.as_str(), to.as_str(), from.as_str()]).run()?;
            return Ok(match moved.success() {
                true => Advanced::Moved { with_files: false },
                false => Advanced::MovedElsewhere,
            });
        }
        if self.branch_tip(branch)?.as_ref() != Some(from) {
            return Ok(Advanced::MovedElsewhere);
        }
        let base = taken.filter(|taken| *taken != from).unwrap_or(from);
        let (obstacles, there) = self.obstacles(base, to)?;
        if !obstacles.is_empty() {
            return Ok(Advanced::InTheWay(obstacles));
        }
        let storing = self.storing()?;
        let git = |command| storing.harden(self.git(command));
        if base != from {
            // The files stay as they are, and what was not committed is from here on. Ended in between, all of it is staged.
            git("read-tree").arg(base.as_str()).output()?;
            self.git("update-ref").args([full.as_str(), base.as_str(), from.as_str()]).output()?;
        }
        if !there.is_empty() {
            // In the index as they are to be, they are in nobody's way.
            let listing = self.git("ls-tree").args(["-r", "-z", "--full-tree", to.as_str(), "--"]);
            let listing = listing
                .env("GIT_LITERAL_PATHSPECS", "1")
                .args(there.iter().map(RepoPath::as_path))
                .bytes()?;
            git("update-index").args(["-z", "--index-info"]).stdin(listing).bytes()?;
        }
        git("update-index").args(["-q", "--refresh"]).run()?;
        let merged = git("merge").args(["--quiet", "--ff-only", "--no-stat", to.as_str()]);
        merged.output()?;
        Ok(Advanced::Moved { with_files: true })
    }

    /// The files of the checkout that differ from `base` and that `to` changes as well; and those that are as `to` has them already.
    fn obstacles(&self, base: &SnapshotId, to: &SnapshotId) -> Result<(Vec<RepoPath>, Vec<RepoPath>), Error> {
        let changed = |filter: &'static str| {
            let call = self.git("diff-tree").args(["-r", "-z", "--name-only", "--no-renames", filter]);
            Ok::<_, Error>(paths(&call.args([base.as_str(), to.as_str(), "--"]).bytes()?))
        };
        let added = changed("--diff-filter=A")?;
        // An index of its own says what differs on disk, whatever the person's says.
        let index = self.state.join("index").join(format!("{}.landing", SystemIds.hex(8)));
        file::create_private_dir(&self.state.join("index"))?;
        let differing = self.differing(base, &index).and_then(|from| Ok((from, self.differing(to, &index)?)));
        file::remove_file_if_exists(&index)?;
        let (differing, unlike) = differing?;
        let is_there =
            |path: &[u8]| self.root().join(RepoPath::from_bytes(path).as_path()).symlink_metadata().is_ok();
        let mut obstacles = changed("--diff-filter=a")?;
        obstacles.retain(|path| differing.contains(path));
        // git would write over a file that it ignores.
        obstacles.extend(added.into_iter().filter(|path| is_there(path)));
        let (obstacles, there): (Vec<_>, Vec<_>) =
            obstacles.into_iter().partition(|path| unlike.contains(path) || !is_there(path));
        let paths = |list: Vec<Vec<u8>>| list.iter().map(|path| RepoPath::from_bytes(path)).collect();
        Ok((paths(obstacles), paths(there)))
    }

    /// The files on disk that are not as `base` has them.
    fn differing(&self, base: &SnapshotId, index: &Path) -> Result<BTreeSet<Vec<u8>>, Error> {
        let storing = self.storing()?;
        let git = |command| storing.harden(self.git(command)).env("GIT_INDEX_FILE", index.as_os_str());
        git("read-tree").arg(base.as_str()).output()?;
        git("update-index").args(["-q", "--refresh"]).run()?;
        Ok(paths(&git("diff-files").args(["-z", "--name-only", "--"]).bytes()?))
    }

    /// Where another work tree stands on this branch.
    fn stood_on(&self, full: &str) -> Result<Option<String>, Error> {
        let bytes = self.git("worktree").args(["list", "--porcelain"]).bytes()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut place = None;
        for line in text.lines() {
            if let Some(path) = line.strip_prefix("worktree ") {
                place = Some(path.to_owned());
            }
            if line.strip_prefix("branch ") == Some(full) {
                return Ok(place);
            }
        }
        Ok(None)
    }

    fn unmerged(&self) -> Result<Vec<RepoPath>, Error> {
        let bytes = self.git("diff").args(["--name-only", "--diff-filter=U", "-z"]).bytes()?;
        Ok(paths(&bytes).iter().map(|path| RepoPath::from_bytes(path)).collect())
    }
}

/// As this person, and with nobody asked.
fn committing(call: Call, identity: &Identity) -> Call {
    let (name, mail) = identity.committer.split_once('<').unwrap_or((&identity.committer, ""));
    let (author, author_mail) = identity.author.split_once('<').unwrap_or((&identity.author, ""));
    let call = call
        .env("GIT_COMMITTER_NAME", name.trim_end())
        .env("GIT_COMMITTER_EMAIL", mail.trim_end_matches('>'))
        .env("GIT_EDITOR", "true");
    // A commit that is made anew keeps its author.
    call.env("GIT_AUTHOR_NAME", author.trim_end()).env("GIT_AUTHOR_EMAIL", author_mail.trim_end_matches('>'))
}

fn paths(bytes: &[u8]) -> BTreeSet<Vec<u8>> {
    bytes.split(|&byte| byte == 0).filter(|path| !path.is_empty()).map(<[u8]>::to_vec).collect()
}
