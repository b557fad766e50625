//! Where things lie: one repository, one state directory in it.

use std::path::{Path, PathBuf};

use piton_model::RunId;

/// The places of one repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    root: PathBuf,
}

impl Layout {
    /// The places of the repository at `root`, which must be absolute.
    pub fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// The repository that holds `start`: the nearest directory upwards with a `.piton` or `.git` in it,
    /// else `start` itself.
    pub fn find(start: &Path) -> Self {
        let holds = |directory: &&Path| {
            [".piton", ".git"].iter().any(|name| directory.join(name).symlink_metadata().is_ok())
        };
        let root = start.ancestors().find(holds).unwrap_or(start);
        Self { root: root.to_owned() }
    }

    /// The top of the repository: where agents and checks work.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What piton keeps.
    pub fn state(&self) -> PathBuf {
        self.root.join(".piton")
    }

    /// Where the attempts of a run leave their traces.
    pub fn attempts(&self, run: &RunId) -> PathBuf {
        self.state().join("attempts").join(run.as_str())
    }

    /// Where drivers say what no event says.
    pub fn driver_logs(&self) -> PathBuf {
        self.state().join("drivers")
    }

    /// What the last driver that held the lease of `run` said.
    pub fn driver_log(&self, run: &RunId) -> PathBuf {
        self.driver_logs().join(format!("{run}.log"))
    }

    /// What a driver of `run` says until it holds the lease; `starter` is the process that started it.
    pub fn driver_log_at_start(&self, run: &RunId, starter: u32) -> PathBuf {
        self.driver_logs().join(format!("{run}.{starter}.log"))
    }

    /// Held by whoever drives a run in this work tree.
    pub fn workspace_lock(&self) -> PathBuf {
        self.state().join("workspace.lock")
    }
}
