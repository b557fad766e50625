//! The files of iterations: put back byte for byte, and compared.

use piton_git::{Expected, TreeId};
use piton_model::RunId;
use piton_model::loop_machine::{Snapshot, State};
use piton_store::Claim;
use piton_view::words::clean_line;
use piton_view::{DiffView, Error, ErrorKind, FileDiffView, RestoredView};

use super::LocalClient;
use crate::driver_process;
use crate::world::{open_workspace, snapshot_id};

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
    let state = client.load::<State>(run, None).await?.state;
    let (iteration, target) = choose(client, &state, iteration).await?;
    // The lease keeps a driver out while files are written; the lock keeps other runs of this tree out.
    driver_process::settled(client, run).await?;
    let lease = client.claim(run, Claim::IfFree).await?;
    let layout = &client.layout().of_run(&state.config);
    let _ = driver_process::tree_free(client, layout).await?;
    let _lock = layout.lock_tree()?.ok_or_else(|| {
        Error::new(ErrorKind::Held, "another run works in this tree")
            .hint("run `piton ls`, and wait for it or stop it")
    })?;
    let workspace = open_workspace(layout, run)?;
    let known = state.seen.snapshot.as_ref().map(|snapshot| TreeId::try_from(snapshot.tree.clone()));
    let mut known = known.transpose().map_err(|error| Error::of(ErrorKind::Corrupt, &error))?;
    if !force {
        let now = workspace.snapshot(run.as_str(), "before a restore").map_err(failed)?.tree;
        if is_of_this_run(&state, &now) {
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

/// What changed between two iterations.
pub(super) async fn diff(
    client: &LocalClient,
    run: &RunId,
    from: u32,
    to: Option<u32>,
) -> Result<DiffView, Error> {
    let state = client.load::<State>(run, None).await?.state;
    let (_, from) = choose(client, &state, Some(from)).await?;
    let to = match to {
        Some(number) => choose(client, &state, Some(number)).await?.1,
        None => state.seen.snapshot.clone().ok_or_else(|| Error::usage("the run has not started yet"))?,
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
    let state = client.load::<State>(run, None).await?.state;
    let (Some(before), Some(after)) = (&state.work.before, &state.seen.snapshot) else {
        return Ok(Vec::new());
    };
    let workspace = open_workspace(&client.layout().of_run(&state.config), run)?;
    workspace.diff_text(&snapshot_id(&before.id)?, &snapshot_id(&after.id)?).map_err(failed)
}

/// Whether the files are those of an iteration, as after a restore: then they are nobody's edits.
fn is_of_this_run(state: &State, tree: &TreeId) -> bool {
    let iterations = state.judged.recent.iter().filter_map(|record| record.snapshot.as_ref());
    let best = state.judged.best.as_ref().and_then(|best| best.snapshot.as_ref());
    iterations.chain(best).chain(&state.seen.start).any(|snapshot| snapshot.tree == tree.as_str())
}

/// The snapshot of an iteration: 0 is the start, `None` the one that was chosen, else the best.
async fn choose(
    client: &LocalClient,
    state: &State,
    iteration: Option<u32>,
) -> Result<(u32, Snapshot), Error> {
    let missing = |text: String| Error::usage(text).hint(format!("run `piton status {}`", state.run));
    match iteration.or(state.people.chosen.as_ref().map(|chosen| chosen.iteration)) {
        None => state
            .judged
            .best
            .as_ref()
            .and_then(|best| Some((best.iteration, best.snapshot.clone()?)))
            .ok_or_else(|| missing("no iteration was judged yet".to_owned())),
        Some(0) => state
            .seen
            .start
            .clone()
            .map(|start| (0, start))
            .ok_or_else(|| missing("the run has not started yet".to_owned())),
        Some(number) => client
            .iteration(&state.run, number)
            .await?
            .and_then(|record| Some((number, record.snapshot?)))
            .ok_or_else(|| missing(format!("there is no iteration {number} with a verdict"))),
    }
}
