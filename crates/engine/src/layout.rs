//! Where things lie: one repository, one state directory in it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use piton_model::RunId;
use piton_model::loop_machine::{LoopConfig, Worktree};
use piton_store::Url;
use piton_sys::file;
use piton_sys::lock::FileLock;

/// The places of one repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    root: PathBuf,
    store: Url,
    /// Where agents and checks work, if that is not the root.
    tree: Option<PathBuf>,
    /// What the work tree is furnished with that is not work: relative to it.
    furniture: Vec<PathBuf>,
    /// Whether a person takes the journal as it stands, listed or not.
    taken: bool,
}

impl Layout {
    /// The places of the repository at `root`, which must be absolute.
    pub fn new(root: PathBuf) -> Self {
        let store = Url::of_repository(&root);
        Self { root, store, tree: None, furniture: Vec::new(), taken: false }
    }

    /// The repository that holds `start`: the nearest directory upwards with a `.piton` or `.git` in it,
    /// else `start` itself. The work tree of a run leads to where that run is; one that a person added to a repository
    /// is a place of its own.
    pub fn find(start: &Path) -> Self {
        let holds = |directory: &&Path| {
            [".piton", ".git"].iter().any(|name| directory.join(name).symlink_metadata().is_ok())
        };
        let root = start.ancestors().find(holds).unwrap_or(start);
        let owner = piton_git::owner_of(root).filter(|owner| owner.join(".piton").is_dir());
        Self::new(owner.unwrap_or_else(|| root.to_owned()))
    }

    /// The same repository, for a run that works where its configuration says.
    #[must_use]
    pub fn of_run(&self, config: &LoopConfig) -> Self {
        self.at(config.worktree.as_ref())
    }

    /// The same repository, for a run with this work tree of its own; in place without one.
    #[must_use]
    pub fn at(&self, worktree: Option<&Worktree>) -> Self {
        let Some(worktree) = worktree else { return self.in_place() };
        let furniture = worktree.copy.iter().map(PathBuf::from).collect();
        Self { furniture, ..self.in_tree(PathBuf::from(&worktree.path)) }
    }

    /// The same repository, for work in another directory.
    #[must_use]
    pub fn in_tree(&self, tree: PathBuf) -> Self {
        Self { tree: Some(tree), ..self.in_place() }
    }

    /// The same repository, for work in place.
    #[must_use]
    pub fn in_place(&self) -> Self {
        Self { tree: None, furniture: Vec::new(), ..self.clone() }
    }

    /// The same repository, with its runs in another journal.
    #[must_use]
    pub fn with_store(self, store: Url) -> Self {
        Self { store, ..self }
    }

    /// The same repository; where `taken`, a person takes its journal as it stands, for this once.
    #[must_use]
    pub fn taken(self, taken: bool) -> Self {
        Self { taken, ..self }
    }

    /// Whether a person takes the journal as it stands.
    pub(crate) fn is_taken(&self) -> bool {
        self.taken
    }

    /// Where the journal is.
    pub fn store(&self) -> &Url {
        &self.store
    }

    /// What the command line of another piton begins with, so that it works on this repository and this journal, whatever
    /// its environment says.
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        let places = ["--repo".into(), self.root.clone().into(), "--store".into(), self.store.to_os_string()];
        places.into_iter().chain(self.taken.then(|| "--trust".into())).collect()
    }

    /// Where agents and checks of a run work.
    pub fn tree(&self) -> &Path {
        self.tree.as_deref().unwrap_or(&self.root)
    }

    /// What was put into the work tree beside what git keeps: relative to it.
    pub(crate) fn furniture(&self) -> &[PathBuf] {
        &self.furniture
    }

    /// The top of the repository: where journal, configuration and views are.
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

    /// What the agents of a run can know of it: a `piton_view::Brief`.
    pub fn brief(&self, run: &RunId) -> PathBuf {
        self.attempts(run).join("brief.json")
    }

    /// What people were told of a run.
    pub fn told(&self, run: &RunId) -> PathBuf {
        self.state().join("told").join(format!("{run}.json"))
    }

    /// Where ledgers have their locks, and what was set aside of their files.
    pub(crate) fn ledgers(&self) -> PathBuf {
        self.state().join("ledgers")
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

    /// Takes the work tree for whoever drives a loop in it; `None` where somebody else has it, whatever journal theirs is in
    /// and however they call the tree: the lock is on its top directory itself.
    pub(crate) fn lock_tree(&self) -> Result<Option<FileLock>, file::Error> {
        let instead = self.tree_lock();
        file::create_private_dir(instead.parent().expect("a lock lies in a directory"))?;
        // A tree that is still to be made has no other name.
        match self.tree_top() {
            Some(top) => FileLock::try_exclusive_directory(&top, &instead),
            None => FileLock::try_exclusive(&instead),
        }
    }

    /// Held by whoever is about to put a run on record that works in this tree, until that run has it: of two at once the second
    /// sees that the tree is taken. `None` where somebody else is about to.
    pub(crate) fn lock_start(&self) -> Result<Option<FileLock>, file::Error> {
        let lock = self.tree_lock().with_extension("starting.lock");
        file::create_private_dir(lock.parent().expect("a lock lies in a directory"))?;
        FileLock::try_exclusive(&lock)
    }

    /// Whether somebody has the work tree.
    pub(crate) fn is_tree_held(&self) -> Result<bool, file::Error> {
        let instead = self.tree_lock();
        match self.tree_top() {
            Some(top) => FileLock::is_directory_held(&top, &instead),
            None => FileLock::is_held(&instead),
        }
    }

    /// The top of the work tree, as git has it; outside of git, where agents and checks work.
    fn tree_top(&self) -> Option<PathBuf> {
        let tree = std::fs::canonicalize(self.tree()).ok()?;
        let holds_git = |directory: &&Path| directory.join(".git").symlink_metadata().is_ok();
        Some(tree.ancestors().find(holds_git).unwrap_or(&tree).to_owned())
    }

    /// Where directories cannot be locked.
    fn tree_lock(&self) -> PathBuf {
        match self.tree.as_ref().and_then(|tree| tree.file_name()) {
            Some(name) => self.state().join("trees").join(name).with_extension("lock"),
            None => self.state().join("workspace.lock"),
        }
    }
}
