//! A run of its own that goes on from an earlier point of another.

use std::path::Path;

use piton_model::loop_machine::{Adoption, Snapshot, Worktree, create};
use piton_model::workflow::{self, StepId, WorkPlace};
use piton_model::{Kind, RunId, Seq, State, Status, slug};
use piton_sys::{Ids, SystemIds};
use piton_view::{Error, ErrorKind, ForkOrder};

use crate::client::LocalClient;
use crate::driver_process;
use crate::load;
use crate::workflow::fork_tree;
use crate::world::open_workspace;

/// Begins the new run.
pub(super) async fn start(client: &LocalClient, order: &ForkOrder) -> Result<(RunId, Seq), Error> {
    if let Some(at) = order.at {
        client.require_event(&order.run, at).await?;
    }
    let id = match client.kind(&order.run).await? {
        Kind::Workflow => of_workflow(client, order).await?,
        Kind::Loop => of_loop(client, order).await?,
        Kind::Cycle => {
            return Err(Error::usage(format!("run `{}` is a cycle, which is not forked", order.run))
                .hint(format!("`piton restore {}` puts the files of an iteration back", order.run)));
        }
        Kind::Ledger => {
            return Err(Error::usage(format!("run `{}` is a ledger, which is not forked", order.run))
                .hint("copy its file and open that with `piton gaps --file`"));
        }
    };
    driver_process::start(client, &id, false).await?;
    Ok((id, 0))
}

/// The name that was asked for, or a new one.
fn id_of(order: &ForkOrder, otherwise: impl FnOnce() -> String) -> Result<RunId, Error> {
    super::name_of(&order.id.clone().unwrap_or_else(otherwise))
}

/// Everything of a workflow up to a step again, with the files as they are. Where the original has a work tree of its own, so has the
/// fork; what works in a directory that was there before works there again.
async fn of_workflow(client: &LocalClient, order: &ForkOrder) -> Result<RunId, Error> {
    let run = &order.run;
    let step = order.step.as_deref().ok_or_else(|| {
        Error::usage(format!("run `{run}` is a workflow")).hint("name the step to begin from: --step STEP")
    })?;
    let newest = client.load::<workflow::State>(run, None).await?;
    if newest.state.status == Status::Running || newest.state.at_work().is_some() {
        return Err(Error::new(
            ErrorKind::Held,
            format!("run `{run}` is at work, on files that a fork would begin with"),
        )
        .hint(format!("run `piton wait {run}` or `piton stop {run}` first")));
    }
    let loaded = match order.at {
        Some(_) => client.load::<workflow::State>(run, order.at).await?,
        None => newest,
    };
    let inherited = workflow::fork(&loaded.state, &StepId::new(step), Some(loaded.head))?;
    let id = id_of(order, || SystemIds.hex(8))?;
    if client.load_if_there::<workflow::State>(&id).await.is_ok_and(|there| there.is_some()) {
        return Err(Error::usage(format!("run `{id}` exists already")).hint("choose another --id"));
    }
    let workflow::State { plan, mut options, .. } = loaded.state;
    if let Some(origin) = options.place.as_ref().and_then(WorkPlace::tree).map(str::to_owned) {
        let like = match &options.place {
            Some(WorkPlace::Worktree(like)) => Some(like),
            Some(WorkPlace::Directory(_) | WorkPlace::Shared(_)) | None => None,
        };
        options.place = Some(WorkPlace::Worktree(worktree(client, &id, like)?));
        fork_tree(client.layout(), &id, &options, Path::new(&origin))?;
    }
    let begun = workflow::create(workflow::Order {
        run: id,
        definition: (*plan).clone(),
        options,
        inherited: Some(inherited),
    })?;
    Ok(client.create::<workflow::State>(&[begun]).await?)
}

/// A loop again from the tree of an iteration.
async fn of_loop(client: &LocalClient, order: &ForkOrder) -> Result<RunId, Error> {
    let run = &order.run;
    if order.step.is_some() {
        return Err(
            Error::usage(format!("run `{run}` is a loop, which has no steps")).hint("give --iteration N")
        );
    }
    let (state, snapshot) = then(client, order).await?;
    let id = id_of(order, || format!("ralph-{}-{}", slug(&state.title), SystemIds.hex(8)))?;
    if client.load_if_there::<State>(&id).await.is_ok_and(|there| there.is_some()) {
        return Err(Error::usage(format!("run `{id}` exists already")).hint("choose another --id"));
    }
    let mut config = state.config.clone();
    config.worktree = Some(worktree(client, &id, config.worktree.as_ref())?);
    config.limits.iterations = order.max_iterations.unwrap_or(config.limits.iterations);
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
        cost_unknown: counters.cost_unknown,
        tokens: counters.tokens,
        tokens_unknown: counters.tokens_unknown,
        objectives: state.memory.objectives.clone(),
        modified_files: state.seen.modified_files.clone(),
        custom: state.memory.custom.clone(),
        base: state.last_judged().filter(|judged| judged.tree != snapshot.tree).cloned(),
        snapshot: Some(snapshot),
        ..Adoption::default()
    };
    Ok(client.create_loop(create(id, &state.title, config)?, Some(adoption)).await?)
}

/// The state at the point that was asked for, and its tree.
async fn then(client: &LocalClient, order: &ForkOrder) -> Result<(State, Snapshot), Error> {
    let run = &order.run;
    let missing = |what: String| Error::usage(what).hint(format!("run `piton status {run}`"));
    if let Some(seq) = order.at {
        let state = client.load::<State>(run, Some(seq)).await?.state;
        let snapshot = state
            .seen
            .snapshot
            .clone()
            .ok_or_else(|| missing(format!("nothing was seen of the tree at {seq}")))?;
        return Ok((state, snapshot));
    }
    let newest = client.load::<State>(run, None).await?.state;
    let Some(number) = order.iteration else {
        let snapshot =
            newest.seen.snapshot.clone().ok_or_else(|| missing("the run has not started yet".to_owned()))?;
        return Ok((newest, snapshot));
    };
    let mut found: Option<State> = None;
    load::fold_all(&**client.store()?, run, &mut |state: &State| {
        let is_there = state.counters.iterations == number
            && state.judged.recent.back().is_some_and(|last| last.number == number);
        if found.is_none() && is_there {
            found = Some(state.clone());
        }
    })
    .await?;
    let state = found.ok_or_else(|| missing(format!("there is no iteration {number} with a verdict")))?;
    let snapshot = state.judged.recent.back().and_then(|last| last.snapshot.clone());
    let snapshot =
        snapshot.ok_or_else(|| missing(format!("nothing was seen of the tree of iteration {number}")))?;
    Ok((state, snapshot))
}

/// A fork never works in the tree of its origin.
fn worktree(client: &LocalClient, id: &RunId, like: Option<&Worktree>) -> Result<Worktree, Error> {
    let layout = client.layout();
    let workspace = open_workspace(layout, id)?;
    if !workspace.has_commit().map_err(|error| Error::environment(&error))? {
        return Err(Error::usage("a fork needs a git repository with a commit to start from")
            .hint("commit something first"));
    }
    let path = super::tree_beside(layout, id.short(), "choose another --id")?;
    let branch = super::free_branch(&workspace, id.short(), "choose another --id")?;
    Ok(match like {
        Some(like) => Worktree { path, branch, ..like.clone() },
        None => Worktree { path, branch, ..Worktree::default() },
    })
}
