//! A repository to compare trees of: revisions, what they have in common, and their files.
//!
//! Reads only. Needs no state directory, so it serves a repository that piton has never worked in.

use std::path::Path;

use crate::call::{failed, not_understood};
use crate::compared::Comparisons;
use crate::repository::Repository;
use crate::tree::{CommittedTree, WorkTree};
use crate::{Error, SnapshotId};

/// A repository whose revisions are compared.
#[derive(Clone, Debug)]
pub struct History {
    repository: Repository,
}

impl History {
    /// The repository that holds `directory`; `None` outside of any.
    pub fn open(directory: &Path) -> Result<Option<Self>, Error> {
        let found = Repository::discover(directory)?;
        Ok(found.map(|repository| Self { repository }))
    }

    /// The repository in a git directory, which need not have a work tree.
    pub fn of_git_directory(git_directory: &Path) -> Self {
        Self { repository: Repository::private(git_directory, git_directory) }
    }

    /// The newest commits with one parent that lead to a commit, each with that parent.
    pub fn steps(&self, tip: &SnapshotId, count: usize) -> Result<Vec<(SnapshotId, SnapshotId)>, Error> {
        const COMMAND: &str = "rev-list";
        let limits = ["--parents", "--min-parents=1", "--max-parents=1"];
        let call = self.repository.call(COMMAND).args(limits).arg(format!("--max-count={count}"));
        let answer = call.arg(tip.as_str()).bytes()?;
        let step = |line: &str| {
            let (commit, parent) = line.split_once(' ')?;
            Some((commit.to_owned().try_into().ok()?, parent.to_owned().try_into().ok()?))
        };
        let answer = String::from_utf8_lossy(&answer);
        let lines = answer.lines();
        lines.map(|line| step(line).ok_or_else(|| not_understood(COMMAND, line.as_bytes()))).collect()
    }

    /// The top of its work tree.
    pub fn root(&self) -> &Path {
        &self.repository.top
    }

    /// Where git keeps what belongs to this work tree alone.
    pub fn git_directory(&self) -> &Path {
        &self.repository.git_dir
    }

    /// Whether the beginning of the history is missing.
    pub fn is_shallow(&self) -> bool {
        self.repository.common_dir.join("shallow").exists()
    }

    /// The commit that a revision names; `None` where it names none.
    pub fn commit(&self, revision: &str) -> Result<Option<SnapshotId>, Error> {
        if revision.starts_with('-') {
            return Ok(None);
        }
        let call = self.repository.call("rev-parse").args(["--verify", "--quiet", "--end-of-options"]);
        let output = call.arg(format!("{revision}^{{commit}}")).run()?;
        if !output.success() {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
        Ok(SnapshotId::try_from(text).ok())
    }

    /// Where two commits parted; `None` where they have nothing in common.
    pub fn merge_base(&self, a: &SnapshotId, b: &SnapshotId) -> Result<Option<SnapshotId>, Error> {
        let output = self.repository.call("merge-base").args([a.as_str(), b.as_str()]).run()?;
        match output.status {
            piton_sys::process::Ended::Code(0) => {
                let text = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
                Ok(SnapshotId::try_from(text).ok())
            }
            piton_sys::process::Ended::Code(1) => Ok(None),
            _ => Err(failed("merge-base", &output)),
        }
    }

    /// The default branch: the upstream's, else `main` or `master`.
    pub fn default_branch(&self) -> Result<Option<(String, SnapshotId)>, Error> {
        for name in ["origin/HEAD", "origin/main", "origin/master", "main", "master"] {
            if let Some(commit) = self.commit(name)? {
                return Ok(Some((name.to_owned(), commit)));
            }
        }
        Ok(None)
    }

    /// The files of a commit.
    pub fn tree(&self, commit: &SnapshotId) -> CommittedTree {
        CommittedTree::new(self.repository.clone(), commit.to_string(), Comparisons::default())
    }

    /// The files on disk.
    pub fn work_tree(&self) -> WorkTree {
        WorkTree::new(self.repository.clone())
    }
}
