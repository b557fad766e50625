//! What is on the branch of a run at rest, as git has it: whoever committed, and wherever it went since.

use std::collections::BTreeSet;

use piton_git::{SnapshotId, Workspace};
use piton_model::loop_machine::Worktree;
use piton_model::{RunId, Status};

use crate::layout::Layout;
use crate::start::BRANCHES;
use crate::world::land::began_uncommitted;
use crate::world::{open_workspace, snapshot_id};

/// What is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OnBranch {
    /// Commits since the run began.
    pub(crate) commits: u32,
    /// Before them there is one of what was not committed.
    pub(crate) began_uncommitted: bool,
    /// The branch that has it by now.
    pub(crate) landed_on: Option<String>,
}

impl OnBranch {
    /// Nothing where git does not say. `start`: the first snapshot of the run.
    pub(crate) fn look(
        layout: &Layout,
        run: &RunId,
        worktree: &Worktree,
        start: Option<&str>,
    ) -> Option<Self> {
        let workspace = open_workspace(&layout.in_place(), run).ok()?;
        let looked = Look { workspace, run, worktree };
        looked.found(start).ok()?
    }
}

struct Look<'a> {
    workspace: Workspace,
    run: &'a RunId,
    worktree: &'a Worktree,
}

impl Look<'_> {
    fn found(&self, start: Option<&str>) -> Result<Option<OnBranch>, piton_git::Error> {
        let landing = self.workspace.landing(self.run.as_str())?;
        let tip = self.workspace.branch_tip(&self.worktree.branch)?;
        let Some(end) = tip.clone().or_else(|| landing.as_ref().map(|landing| landing.from.clone())) else {
            return Ok(None);
        };
        let start = start.and_then(|start| self.stood_on(start));
        let onto = match &self.worktree.onto {
            Some(onto) => self.workspace.branch_tip(onto)?,
            None => None,
        };
        let landed = landing.filter(|landing| landing.from == end);
        let mut landed_on = match landed {
            Some(landing) => self.branch_of(&landing.became)?,
            None => None,
        };
        let own = |without: &[&SnapshotId]| self.workspace.count_commits(&end, without);
        let began_uncommitted = match &start {
            Some(start) => self.workspace.subject(start)?.is_some_and(|subject| began_uncommitted(&subject)),
            None => false,
        };
        let since = own(&start.iter().collect::<Vec<_>>())?;
        // Somebody may have brought it there by hand.
        if let (None, Some(tip), Some(onto), Some(_)) = (&landed_on, &tip, &onto, &start)
            && since > 0
            && self.workspace.has_work(onto, tip)?
        {
            landed_on.clone_from(&self.worktree.onto);
        }
        let commits = match (&landed_on, &onto) {
            (Some(_), _) if start.is_some() => since,
            // What came from the other branch since is not its own.
            (_, Some(onto)) => own(&start.iter().chain([onto]).collect::<Vec<_>>())?,
            (_, None) => since,
        };
        Ok(Some(OnBranch { commits, began_uncommitted, landed_on }))
    }

    /// The commit on which a snapshot was taken.
    fn stood_on(&self, snapshot: &str) -> Option<SnapshotId> {
        let snapshot = self.workspace.read(&snapshot_id(snapshot).ok()?).ok()?;
        SnapshotId::try_from(snapshot.head?).ok()
    }

    /// A branch of a person's that has this commit: the one it was meant for, if that does.
    fn branch_of(&self, commit: &SnapshotId) -> Result<Option<String>, piton_git::Error> {
        let mut branches = self.workspace.branches_with(commit)?;
        branches.retain(|branch| !branch.starts_with(BRANCHES));
        let meant = self.worktree.onto.as_ref().filter(|onto| branches.contains(onto)).cloned();
        Ok(meant.or_else(|| branches.into_iter().next()))
    }
}

/// Of a run that is done, in a tree of its own: the branch that it was landed on, and the command that helps most.
pub(crate) fn after(
    layout: &Layout,
    run: &RunId,
    worktree: Option<&Worktree>,
    status: Status,
) -> (Option<String>, Option<String>) {
    let Some(worktree) = worktree.filter(|_| status == Status::Completed) else { return (None, None) };
    let landed_on = OnBranch::look(layout, run, worktree, None).and_then(|found| found.landed_on);
    let next = match &landed_on {
        Some(_) => format!("piton rm {run}"),
        None => format!("piton land {run}"),
    };
    (landed_on, Some(next))
}

/// The runs here whose work was landed, by name; none where git does not say.
pub(crate) fn landed_runs(layout: &Layout) -> BTreeSet<String> {
    let git = layout.root().join(".git");
    let state = layout.state();
    if git.symlink_metadata().is_err() || !state.is_dir() {
        return BTreeSet::new();
    }
    let runs = Workspace::open(layout.root(), &state).and_then(|workspace| workspace.landed_runs());
    runs.unwrap_or_default().into_iter().collect()
}
