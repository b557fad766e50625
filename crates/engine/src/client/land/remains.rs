//! The work tree and the branch of a run, and what would be lost with them.
//!
//! What was landed may go, and so may what nobody wants. Files that piton put into the tree itself are nobody's work: settings that git
//! does not track, views, what a check made.

use std::path::{Path, PathBuf};

use piton_git::{Landing, Own, RepoPath, SnapshotId, Workspace};
use piton_model::RunId;
use piton_view::Error;
use piton_view::words::{self, clean_line};

use super::{Work, environment, names};
use crate::client::LocalClient;
use crate::layout::Layout;
use crate::world::land::settings;
use crate::world::open_workspace;

/// Where work mostly belongs, where nobody remembers where it did.
const USUAL: [&str; 3] = ["main", "master", "trunk"];

/// What is left of a run beside the repository.
pub(crate) struct Remains {
    repository: Workspace,
    place: PathBuf,
    branch: String,
    has_tree: bool,
    tip: Option<SnapshotId>,
    /// Commits of the branch that are on no other.
    commits: usize,
    uncommitted: Vec<RepoPath>,
}

impl Remains {
    /// Of a run that is on record; nothing where it worked in place, or where nothing of ours is left.
    pub(crate) async fn of_run(client: &LocalClient, run: &RunId) -> Result<Option<Self>, Error> {
        let Ok(work) = Work::of(client, run).await else { return Ok(None) };
        let Some(worktree) = &work.worktree else { return Ok(None) };
        let layout = client.layout();
        let repository = open_workspace(&layout.in_place(), run)?;
        let tree = || Ok(open_workspace(&layout.at(Some(worktree)), run)?);
        let place = PathBuf::from(&worktree.path);
        let landing = repository.landing(run.as_str()).map_err(environment)?;
        let onto: Vec<&str> = worktree.onto.as_deref().into_iter().collect();
        Self::found(layout, repository, tree, (place, &worktree.branch), (&onto, &work.own))?
            .map_or(Ok(None), |remains| remains.landed_as(landing))
    }

    /// Of a run that nobody remembers.
    pub(crate) fn of_nobody(
        layout: &Layout,
        place: Option<PathBuf>,
        branch: &str,
    ) -> Result<Option<Self>, Error> {
        let place = place.unwrap_or_default();
        let open = |tree: &Path| Workspace::open(tree, &layout.state()).map_err(environment);
        let tree = || {
            Ok(open(&place)?.leaving_out_listed(
                piton_files::list_of_own_files(layout.root()),
                piton_files::is_name_of_ours,
            ))
        };
        Self::found(layout, open(layout.root())?, tree, (place.clone(), branch), (&USUAL, &[settings()]))
    }

    fn found(
        layout: &Layout,
        repository: Workspace,
        tree: impl FnOnce() -> Result<Workspace, Error>,
        (place, branch): (PathBuf, &str),
        (onto, own): (&[&str], &[Own]),
    ) -> Result<Option<Self>, Error> {
        let tip = repository.branch_tip(branch).map_err(environment)?;
        let has_tree = place.is_absolute() && place.join(".git").symlink_metadata().is_ok();
        if has_tree && piton_git::owner_of(&place).as_deref() != Some(layout.root()) {
            return Ok(None);
        }
        if !has_tree && tip.is_none() {
            return Ok(None);
        }
        let uncommitted = match has_tree {
            true => tree()?.uncommitted(own).map_err(environment)?,
            false => Vec::new(),
        };
        let commits = match &tip {
            Some(tip) => repository.only_on(branch, tip, onto).map_err(environment)?,
            None => 0,
        };
        Ok(Some(Self { repository, place, branch: branch.to_owned(), has_tree, tip, commits, uncommitted }))
    }

    /// What was landed and went on since is no less landed.
    fn landed_as(mut self, landing: Option<Landing>) -> Result<Option<Self>, Error> {
        if let Some(landing) = landing.filter(|landing| Some(&landing.from) == self.tip.as_ref()) {
            let branches = self.repository.branches_with(&landing.became).map_err(environment)?;
            if branches.iter().any(|branch| *branch != self.branch) {
                self.commits = 0;
            }
        }
        Ok(Some(self))
    }

    /// Whether nothing would be lost.
    pub(crate) fn is_landed(&self) -> bool {
        self.commits == 0 && self.uncommitted.is_empty()
    }

    /// What they are called.
    pub(crate) fn words(&self) -> String {
        let place = clean_line(&self.place.display().to_string());
        match (self.has_tree, &self.tip) {
            (true, Some(_)) => format!("work tree {place} and branch {}", self.branch),
            (true, None) => format!("work tree {place}"),
            (false, _) => format!("branch {}", self.branch),
        }
    }

    /// What would be lost.
    pub(crate) fn unlanded(&self) -> String {
        let commits = (self.commits > 0).then(|| words::count(self.commits, "commit"));
        let files = (!self.uncommitted.is_empty()).then(|| {
            let count = words::count(self.uncommitted.len(), "uncommitted file");
            format!("{count} ({})", names(&self.uncommitted).join(", "))
        });
        commits.into_iter().chain(files).collect::<Vec<_>>().join(" and ")
    }

    /// Its branch.
    pub(crate) fn branch(&self) -> &str {
        &self.branch
    }

    /// Where its work tree is, as long as it is there.
    pub(crate) fn place(&self) -> Option<&Path> {
        self.has_tree.then_some(&*self.place)
    }

    /// Removes both.
    pub(crate) fn remove(&self) -> Result<(), Error> {
        if self.has_tree {
            self.repository.remove_work_tree(&self.place).map_err(environment)?;
        }
        match &self.tip {
            Some(tip) => self.repository.remove_branch(&self.branch, tip).map_err(environment),
            None => Ok(()),
        }
    }
}
