//! `piton fork`: a run of its own that goes on from an earlier point of another.

use piton_engine::LocalClient;
use piton_engine::world::open_workspace;
use piton_model::loop_machine::{Adoption, Snapshot, Worktree, create};
use piton_model::{ExitCode, Kind, RunId, State, slug};
use piton_sys::{Ids, SystemIds};

use crate::cli::{ForkArguments, Global};
use crate::failure::Failure;
use crate::output::Output;
use crate::viewer::{self, From};
use crate::{repository, start};

pub(super) async fn run(
    global: &Global,
    arguments: &ForkArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let (client, run) = repository::open_run(global, Some(&arguments.run)).await?;
    if client.kind(&run).await? == Kind::Workflow {
        return super::workflows::fork_run(&client, &run, arguments, out).await;
    }
    if arguments.step.is_some() {
        return Err(
            Failure::usage(format!("run `{run}` is a loop, which has no steps")).hint("give --iteration N")
        );
    }
    let (state, snapshot) = then(&client, &run, arguments).await?;
    let id: RunId = match &arguments.id {
        Some(id) => id.parse().map_err(|error| Failure::of(ExitCode::Usage, &error))?,
        None => format!("ralph-{}-{}", slug(&state.title), SystemIds.hex(8))
            .parse()
            .expect("a slug and hex are an id"),
    };
    if client.store().row(&id).await.is_ok() {
        return Err(Failure::usage(format!("run `{id}` exists already")).hint("choose another --id"));
    }
    let mut config = state.config.clone();
    config.worktree = Some(worktree(&client, &id, config.worktree.as_ref())?);
    config.limits.iterations = arguments.max_iterations.unwrap_or(config.limits.iterations);
    let counters = &state.counters;
    let adoption = Adoption {
        format: "fork".to_owned(),
        source: format!("{run}#{}", counters.iterations),
        iterations: counters.iterations,
        succeeded: counters.succeeded,
        failed: counters.failed,
        last_progress_iteration: counters.last_progress_iteration,
        working_ms: counters.working_ms,
        cost_microusd: counters.cost_microusd,
        tokens: counters.tokens,
        objectives: state.memory.objectives.clone(),
        modified_files: state.seen.modified_files.clone(),
        custom: state.memory.custom.clone(),
        snapshot: Some(snapshot),
        ..Adoption::default()
    };
    client.create_with(&create(id.clone(), &state.title, config)?, Some(adoption)).await?;
    start::driver(&client, &id, false).await?;
    if arguments.detach {
        if out.json {
            out.json(&serde_json::json!({ "run_id": id }));
        } else {
            out.line(format!("{id} works in the background: `piton attach {}`", id.short()));
        }
        return Ok(ExitCode::Done);
    }
    viewer::view(&client, &id, From::Start, out).await
}

/// The state at the point that was asked for, and its tree.
async fn then(
    client: &LocalClient,
    run: &RunId,
    arguments: &ForkArguments,
) -> Result<(State, Snapshot), Failure> {
    let missing = |what: String| Failure::usage(what).hint(format!("run `piton status {run}`"));
    if let Some(seq) = arguments.at {
        let state = client.load(run, Some(seq)).await?.state;
        let snapshot = state
            .seen
            .snapshot
            .clone()
            .ok_or_else(|| missing(format!("nothing was seen of the tree at {seq}")))?;
        return Ok((state, snapshot));
    }
    let newest = client.load(run, None).await?.state;
    let Some(number) = arguments.iteration else {
        let snapshot =
            newest.seen.snapshot.clone().ok_or_else(|| missing("the run has not started yet".to_owned()))?;
        return Ok((newest, snapshot));
    };
    let mut found: Option<State> = None;
    piton_engine::load::fold_all(&**client.store(), run, &mut |state: &piton_model::State| {
        let is_there = state.counters.iterations == number
            && state.judged.recent.back().is_some_and(|last| last.number == number);
        if found.is_none() && is_there {
            found = Some(state.clone());
        }
    })
    .await
    .map_err(piton_engine::ClientError::from)?;
    let state = found.ok_or_else(|| missing(format!("there is no iteration {number} with a verdict")))?;
    let snapshot = state.judged.recent.back().and_then(|last| last.snapshot.clone());
    let snapshot =
        snapshot.ok_or_else(|| missing(format!("nothing was seen of the tree of iteration {number}")))?;
    Ok((state, snapshot))
}

/// A fork never works in the tree of its origin.
fn worktree(client: &LocalClient, id: &RunId, like: Option<&Worktree>) -> Result<Worktree, Failure> {
    let layout = client.layout();
    let workspace = open_workspace(layout, id)?;
    if !workspace.standing().map_err(|error| Failure::environment(&error))?.has_commit {
        return Err(Failure::usage("a fork needs a git repository with a commit to start from")
            .hint("commit something first"));
    }
    let name = layout.root().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let path = layout.root().with_file_name(format!("{name}-{}", id.short()));
    if path.symlink_metadata().is_ok() {
        return Err(Failure::usage(format!("`{}` is in the way of the run's work tree", path.display()))
            .hint("choose another --id"));
    }
    let path =
        path.to_str().ok_or_else(|| Failure::usage("the path of this repository is not UTF-8"))?.to_owned();
    let branch = format!("piton/{}", id.short());
    Ok(match like {
        Some(like) => Worktree { path, branch, ..like.clone() },
        None => Worktree { path, branch, copy: Vec::new(), link: Vec::new(), setup: None },
    })
}
