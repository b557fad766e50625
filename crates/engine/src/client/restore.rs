//! The files of iterations: put back byte for byte, and compared.

use piton_git::{Expected, SnapshotId, TreeId, Workspace};
use piton_model::loop_machine::{Snapshot, State};
use piton_model::{Kind, RunId, cycle};
use piton_store::Claim;
use piton_view::words::clean_line;
use piton_view::{DiffView, Error, ErrorKind, FileDiffView, RestoredView};

use super::LocalClient;
use crate::driver_process;
use crate::layout::Layout;
use crate::world::{open_workspace, snapshot_id};

/// What a run knows of the trees that its iterations left.
struct Trees {
    run: RunId,
    /// Where it works.
    layout: Layout,
    start: Option<Snapshot>,
    /// Before the iteration that is under way, or was last.
    before: Option<Snapshot>,
    /// As last seen.
    seen: Option<Snapshot>,
    best: Option<(u32, Snapshot)>,
    /// The iteration that a person prefers.
    chosen: Option<u32>,
    /// The last iterations with a verdict.
    recent: Vec<(u32, Snapshot)>,
}

impl Trees {
    async fn of(client: &LocalClient, run: &RunId) -> Result<Self, Error> {
        Ok(match client.kind(run).await? {
            Kind::Cycle => Self::of_cycle(client, client.load::<cycle::State>(run, None).await?.state),
            Kind::Loop | Kind::Workflow | Kind::Ledger => {
                Self::of_loop(client, client.load::<State>(run, None).await?.state)
            }
        })
    }

    fn of_loop(client: &LocalClient, state: State) -> Self {
        let best = state.judged.best.and_then(|best| Some((best.iteration, best.snapshot?)));
        let recent = state.judged.recent.into_iter();
        Self {
            layout: client.layout().of_run(&state.config),
            run: state.run,
            start: state.seen.start,
            before: state.work.before,
            seen: state.seen.snapshot,
            best,
            chosen: state.people.chosen.map(|chosen| chosen.iteration),
            recent: recent.filter_map(|record| Some((record.number, record.snapshot?))).collect(),
        }
    }

    fn of_cycle(client: &LocalClient, state: cycle::State) -> Self {
        let recent = state.iterations.into_iter();
        let recent: Vec<_> = recent.filter_map(|record| Some((record.number, record.snapshot?))).collect();
        Self {
            layout: client.layout().at(state.config.worktree.as_ref()),
            run: state.run,
            start: state.start,
            before: state.current.before,
            seen: state.seen,
            best: state.best.and_then(|best| recent.iter().find(|(number, _)| *number == best).cloned()),
            chosen: state.chosen_best.map(|(iteration, _)| iteration),
            recent,
        }
    }

    /// Whether the files are those of an iteration, as after a restore: then they are nobody's edits.
    fn has(&self, tree: &TreeId) -> bool {
        let iterations = self.recent.iter().chain(&self.best).map(|(_, snapshot)| snapshot);
        iterations.chain(&self.start).any(|snapshot| snapshot.tree == tree.as_str())
    }
}

fn failed(error: piton_git::Error) -> Error {
    Error::environment(&error)
}

/// Puts the files of an iteration back.
pub(super) async fn restore(
    client: &LocalClient,
    run: &RunId,
    iteration: Option<u32>,
    force: bool,
) -> Result<RestoredView, Error> {
    let mut trees = Trees::of(client, run).await?;
    // A work tree that is gone, as on another machine, has its files in the repository itself.
    if !trees.layout.tree().is_dir() {
        trees.layout = client.layout().in_place();
    }
    let (iteration, target) = choose(client, &trees, iteration).await?;
    // The lease keeps a driver out while files are written; the lock keeps other runs of this tree out.
    driver_process::settled(client, run).await?;
    let lease = client.claim(run, Claim::IfFree).await?;
    let layout = &trees.layout;
    let _ = driver_process::tree_free(client, layout).await?;
    let _lock = layout.lock_tree()?.ok_or_else(|| {
        Error::new(ErrorKind::Held, "another run works in this tree")
            .hint("run `piton ls`, and wait for it or stop it")
    })?;
    let workspace = open_workspace(layout, run)?;
    // Before anything is kept of what is here: that would be its last snapshot, and hide that the others are gone.
    require_there(&workspace, run, &snapshot_id(&target.id)?)?;
    let known = trees.seen.as_ref().map(|snapshot| TreeId::try_from(snapshot.tree.clone()));
    let mut known = known.transpose().map_err(|error| Error::of(ErrorKind::Corrupt, &error))?;
    if !force {
        let now = workspace.snapshot(run.as_str(), "before a restore").map_err(failed)?.tree;
        // Where there is nothing, nothing can be lost: the repository itself was.
        if trees.has(&now) || now.is_empty() {
            known = Some(now);
        }
    }
    let expected = match (&known, force) {
        (Some(tree), false) => Expected::Tree(tree),
        _ => Expected::Anything,
    };
    let restored = workspace.restore(run.as_str(), &snapshot_id(&target.id)?, expected).map_err(|error| {
        let described = Error::environment(&error);
        match error {
            piton_git::Error::ForeignEdits { .. } => Error { kind: ErrorKind::Person, ..described }
                .hint("look at them; `--force` keeps a snapshot of them and goes on"),
            _ => described,
        }
    })?;
    client.release(lease).await?;
    let names = |paths: &[piton_git::RepoPath]| {
        paths.iter().map(|path| clean_line(&path.to_string())).collect::<Vec<_>>()
    };
    let branch = restored.after.branch.as_deref();
    Ok(RestoredView {
        run_id: run.clone(),
        iteration,
        written: names(&restored.written),
        deleted: names(&restored.deleted),
        kept: names(&restored.kept),
        head: restored.after.head.clone(),
        branch: branch.map(|name| name.trim_start_matches("refs/heads/").to_owned()),
    })
}

/// That git has the snapshot whose files are to be written.
fn require_there(workspace: &Workspace, run: &RunId, target: &SnapshotId) -> Result<(), Error> {
    if workspace.has(target) {
        return Ok(());
    }
    let what = format!("git has lost the snapshot {target} of run `{run}`; nothing was changed");
    Err(Error::new(ErrorKind::Environment, what)
        .hint(format!("`piton backup restore URL --run {run}` brings it back from a backup that has it")))
}

/// What changed between two iterations.
pub(super) async fn diff(
    client: &LocalClient,
    run: &RunId,
    from: u32,
    to: Option<u32>,
) -> Result<DiffView, Error> {
    let trees = Trees::of(client, run).await?;
    let (_, from) = choose(client, &trees, Some(from)).await?;
    let to = match to {
        Some(number) => choose(client, &trees, Some(number)).await?.1,
        None => trees.seen.clone().ok_or_else(|| Error::usage("the run has not started yet"))?,
    };
    let workspace = open_workspace(client.layout(), run)?;
    let (from, to) = (snapshot_id(&from.id)?, snapshot_id(&to.id)?);
    let diff = workspace.diff(&from, &to).map_err(failed)?;
    let files = diff.files.iter().map(|file| FileDiffView {
        path: file.path.to_string(),
        added: file.added,
        removed: file.removed,
    });
    Ok(DiffView {
        files: files.collect(),
        added: diff.added,
        removed: diff.removed,
        patch: workspace.diff_text(&from, &to).map_err(failed)?,
    })
}

/// What the last iteration changed, as a patch.
pub(super) async fn last_change(client: &LocalClient, run: &RunId) -> Result<Vec<u8>, Error> {
    let trees = Trees::of(client, run).await?;
    let (Some(before), Some(after)) = (&trees.before, &trees.seen) else {
        return Ok(Vec::new());
    };
    let workspace = open_workspace(&trees.layout, run)?;
    workspace.diff_text(&snapshot_id(&before.id)?, &snapshot_id(&after.id)?).map_err(failed)
}

/// The snapshot of an iteration: 0 is the start, `None` the one that was chosen, else the best.
async fn choose(
    client: &LocalClient,
    trees: &Trees,
    iteration: Option<u32>,
) -> Result<(u32, Snapshot), Error> {
    let missing = |text: String| Error::usage(text).hint(format!("run `piton status {}`", trees.run));
    match iteration.or(trees.chosen) {
        None => trees.best.clone().ok_or_else(|| missing("no iteration was judged yet".to_owned())),
        Some(0) => {
            let start = trees.start.clone().map(|start| (0, start));
            start.ok_or_else(|| missing("the run has not started yet".to_owned()))
        }
        Some(number) => {
            let known = trees.recent.iter().find(|(known, _)| *known == number).cloned();
            let known = match known {
                None if client.kind(&trees.run).await? == Kind::Loop => {
                    let record = client.iteration(&trees.run, number).await?;
                    record.and_then(|record| Some((number, record.snapshot?)))
                }
                known => known,
            };
            known.ok_or_else(|| missing(format!("there is no iteration {number} with a verdict")))
        }
    }
}
