//! `piton restore`: the files of an iteration, byte for byte.

use piton_engine::LocalClient;
use piton_engine::world::{open_workspace, snapshot_id};
use piton_git::{Expected, TreeId};
use piton_model::ExitCode;
use piton_model::loop_machine::{Snapshot, State};
use piton_store::Claim;
use piton_sys::lock::FileLock;
use serde::Serialize;

use crate::cli::{Global, RestoreArguments};
use crate::failure::Failure;
use crate::output::{Output, clean_line};
use crate::{repository, start};

#[derive(Serialize)]
struct RestoredView {
    run_id: String,
    iteration: u32,
    written: Vec<String>,
    deleted: Vec<String>,
    kept: Vec<String>,
    head: Option<String>,
    branch: Option<String>,
}

pub(super) async fn run(
    global: &Global,
    arguments: &RestoreArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    let state = client.load(&run, None).await?.state;
    let (iteration, target) = choose(&client, &state, arguments.iteration).await?;
    // The lease keeps a driver out while files are written; the lock keeps other runs of this tree out.
    start::let_go(&client, &run).await?;
    let lease = client.store().claim(&run, LocalClient::holder(), Claim::IfFree).await?;
    let layout = &client.layout().of_run(&state.config);
    let _ = start::workspace_free(&client, layout).await?;
    let _lock = FileLock::try_exclusive(&layout.workspace_lock())?.ok_or_else(|| {
        Failure::new(ExitCode::Held, "another run works in this tree")
            .hint("run `piton ls`, and wait for it or stop it")
    })?;
    let workspace = open_workspace(layout, &run)?;
    let known = state.seen.snapshot.as_ref().map(|snapshot| TreeId::try_from(snapshot.tree.clone()));
    let mut known = known.transpose().map_err(|error| Failure::of(ExitCode::Corrupt, &error))?;
    if !arguments.force {
        let failed = |error: piton_git::Error| Failure::environment(&error);
        let now = workspace.snapshot(run.as_str(), "before a restore").map_err(failed)?.tree;
        if is_of_this_run(&state, &now) {
            known = Some(now);
        }
    }
    let expected = match (&known, arguments.force) {
        (Some(tree), false) => Expected::Tree(tree),
        _ => Expected::Anything,
    };
    let restored = workspace.restore(run.as_str(), &snapshot_id(&target.id)?, expected).map_err(|error| {
        let failure = Failure::environment(&error);
        match error {
            piton_git::Error::ForeignEdits { .. } => Failure { code: ExitCode::Person, ..failure }
                .hint("look at them; `--force` keeps a snapshot of them and goes on"),
            _ => failure,
        }
    })?;
    client.store().release(lease).await?;
    let names = |paths: &[piton_git::RepoPath]| {
        paths.iter().map(|path| clean_line(&path.to_string())).collect::<Vec<_>>()
    };
    let view = RestoredView {
        run_id: run.to_string(),
        iteration,
        written: names(&restored.written),
        deleted: names(&restored.deleted),
        kept: names(&restored.kept),
        head: restored.after.head.clone(),
        branch: restored
            .after
            .branch
            .as_deref()
            .map(|name| name.trim_start_matches("refs/heads/").to_owned()),
    };
    if out.json {
        out.json(&view);
        return Ok(ExitCode::Done);
    }
    let head = view.branch.as_deref().or(view.head.as_deref()).unwrap_or("no commit");
    out.line(format!(
        "restored #{iteration}: {} files written, {} deleted; HEAD stays at {head}",
        view.written.len(),
        view.deleted.len()
    ));
    for path in &view.kept {
        out.note(format!("kept {path}: it was never captured"));
    }
    Ok(ExitCode::Done)
}

/// Whether the files are those of an iteration, as after a restore: then they are nobody's edits.
fn is_of_this_run(state: &State, tree: &TreeId) -> bool {
    let iterations = state.judged.recent.iter().filter_map(|record| record.snapshot.as_ref());
    let best = state.judged.best.as_ref().and_then(|best| best.snapshot.as_ref());
    iterations.chain(best).chain(&state.seen.start).any(|snapshot| snapshot.tree == tree.as_str())
}

/// The snapshot of an iteration: 0 is the start, `None` the one that was chosen, else the best.
pub(super) async fn choose(
    client: &LocalClient,
    state: &State,
    iteration: Option<u32>,
) -> Result<(u32, Snapshot), Failure> {
    let missing = |text: String| Failure::usage(text).hint(format!("run `piton status {}`", state.run));
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
