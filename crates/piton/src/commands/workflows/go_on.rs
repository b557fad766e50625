//! Going on with a workflow that is there: resume, another definition, what somebody wrote meanwhile, a fork.

use piton_engine::LocalClient;
use piton_engine::workflow::{catch_up_view, is_discarded, view_of};
use piton_files::workflow::{Edited, Loaded, difference};
use piton_model::loop_machine::Raise;
use piton_model::workflow::{Command, Order, State, StepId, create, fork};
use piton_model::{ExitCode, RunId, Status, exit_code};
use piton_sys::{Ids, SystemIds};
use piton_view::{Client, Request};

use crate::cli::{ForkArguments, RaiseArguments, RunArguments};
use crate::failure::Failure;
use crate::output::Output;
use crate::start;
use crate::viewer::{self, From};

/// Nobody goes on with a run whose directory was deleted.
pub(super) fn discarded(state: &State) -> Failure {
    let (run, file) = (&state.run, &state.options.workflow_file);
    Failure::usage(format!("run `{run}` is discarded: its directory `.agents/runs/{run}` was deleted")).hint(
        format!("`piton run {file} --run-id {run}` begins anew; `piton rebuild {run}` brings its state back"),
    )
}

/// Says so where the run is discarded.
pub(in crate::commands) async fn require_kept(client: &LocalClient, run: &RunId) -> Result<(), Failure> {
    let state = client.load_as::<State>(run, None).await?.state;
    if is_discarded(client.layout(), &state) { Err(discarded(&state)) } else { Ok(()) }
}

/// Goes on with a run that is there, where that can be meant.
pub(super) async fn go_on(
    client: &LocalClient,
    run: &RunId,
    loaded: &Loaded,
    arguments: &RunArguments,
    out: &Output,
) -> Result<(RunId, From), Failure> {
    catch_up_view(client, run).await?;
    let state = client.load_as::<State>(run, None).await?.state;
    if state.status == Status::Completed && arguments.start_at_step.is_none() {
        return Err(Failure::usage(format!("run `{run}` is completed")).hint(format!(
            "do a step again with --start-at-step, or try it aside: `piton fork {run} --step STEP`"
        )));
    }
    if state.digest != loaded.digest {
        let lines = difference(&state.plan, &loaded.definition);
        if !arguments.migrate {
            return Err(Failure {
                details: lines,
                ..Failure::usage(format!("run `{run}` was started with another definition"))
            }
            .hint(format!("give --migrate to go on with this one, or `piton resume {run}` with the old")));
        }
        out.note("going on with the workflow as it is now:");
        lines.iter().for_each(|line| out.note(format!("  {line}")));
    }
    start::let_go(client, run).await?;
    if arguments.migrate && state.digest != loaded.digest {
        let migrate = Command::Migrate(Box::new(loaded.definition.clone()));
        client.record_at_rest::<State>(run, migrate).await?;
    }
    let before =
        resume(client, run, Raise::default(), false, out, arguments.start_at_step.as_deref()).await?;
    Ok((run.clone(), From::After(before)))
}

/// Asks the run to go on and starts a driver; returns the event after which it does.
async fn resume(
    client: &LocalClient,
    run: &RunId,
    raise: Raise,
    take_over: bool,
    out: &Output,
    start_at: Option<&str>,
) -> Result<u64, Failure> {
    start::let_go(client, run).await?;
    if let Some(holder) = client.store().holder(run).await?
        && !take_over
    {
        return Err(piton_store::Error::Held { run: run.clone(), holder: Box::new(holder) }.into());
    }
    require_kept(client, run).await?;
    catch_up_view(client, run).await?;
    adopt_edits(client, run, out).await?;
    let loaded = client.load_as::<State>(run, None).await?;
    if let Some(step) = start_at {
        client.request(run, Request::StartAt(StepId::new(step))).await?;
    }
    // A run that a crash left under way needs a driver, not a decision.
    let under_way = matches!(loaded.state.status, Status::Created | Status::Running | Status::Rebooting);
    // One that waits for people goes on by what they said, which may lie there as a file.
    let asks = loaded.state.status == Status::Waiting && !loaded.state.questions().is_empty();
    if start_at.is_none() && (!(under_way || asks) || raise != Raise::default()) {
        client.request(run, Request::Resume(raise)).await?;
    }
    start::driver(client, run, take_over).await?;
    if asks {
        start::let_go(client, run).await?;
    }
    Ok(loaded.head)
}

/// `piton resume` of a workflow.
pub(in crate::commands) async fn resume_run(
    client: &LocalClient,
    run: &RunId,
    arguments: &RaiseArguments,
    take_over: bool,
    out: &Output,
) -> Result<u64, Failure> {
    use piton_config::Limit;
    let options = client.load_as::<State>(run, None).await?.state.options;
    let raised = |limit: Limit, current: Option<u64>, text: &Option<String>| {
        let failed = |why: String| Failure::usage(format!("{}: {why}", limit.flag()));
        text.as_deref().map(|text| limit.raised(current, text).map_err(failed)).transpose()
    };
    let iterations =
        raised(Limit::MaxIterations, Some(options.max_iterations.into()), &arguments.max_iterations)?;
    let raise = Raise {
        iterations: iterations.map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
        cost_microusd: raised(Limit::MaxCost, options.max_cost_microusd, &arguments.max_cost)?,
        ..Raise::default()
    };
    resume(client, run, raise, take_over, out, None).await
}

/// What somebody wrote into the file of a run at rest is heard before it goes on.
async fn adopt_edits(client: &LocalClient, run: &RunId, out: &Output) -> Result<(), Failure> {
    let state = client.load_as::<State>(run, None).await?.state;
    if exit_code(state.status, state.reason).is_none() {
        return Ok(());
    }
    let view = view_of(client.layout(), run);
    match view.edited(&state)? {
        Edited::No => {}
        // Nothing of it can be changed where it is: whoever begins anew from a step says so by a flag.
        Edited::Statuses { .. } if state.status == Status::Completed || state.open_count() > 0 => {
            out.note(format!("note: {}", view.set_aside(&state)?));
        }
        Edited::Statuses { edits, digest } => {
            let names: Vec<String> =
                edits.iter().map(|edit| format!("`{}` is {}", edit.step, edit.status.as_str())).collect();
            client.record_at_rest::<State>(run, Command::AdoptStatuses(edits)).await?;
            view.accept(&digest)?;
            out.note(format!("adopted from run_state.json: {}", names.join(", ")));
        }
        Edited::Quarantined(moved) => out.note(format!("note: {moved}")),
    }
    Ok(())
}

/// `piton fork --step`: everything up to a step again, in a run of its own.
pub(in crate::commands) async fn fork_run(
    client: &LocalClient,
    run: &RunId,
    arguments: &ForkArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let step = arguments.step.as_deref().ok_or_else(|| {
        Failure::usage(format!("run `{run}` is a workflow")).hint("name the step to begin from: --step STEP")
    })?;
    let loaded = client.load_as::<State>(run, arguments.at).await?;
    let inherited = fork(&loaded.state, &StepId::new(step), Some(loaded.head))?;
    let id: RunId = match &arguments.id {
        Some(id) => id.parse().map_err(|error| Failure::of(ExitCode::Usage, &error))?,
        None => SystemIds.hex(8).parse().expect("hex digits are a run's name"),
    };
    let State { plan, options, .. } = loaded.state;
    let order = Order { run: id.clone(), definition: (*plan).clone(), options, inherited: Some(inherited) };
    client.create_as::<State>(&[create(order)?]).await?;
    start::driver(client, &id, false).await?;
    if arguments.detach {
        out.line(format!("{id} works in the background: `piton attach {}`", id.short()));
        return Ok(ExitCode::Done);
    }
    viewer::view(client, &id, From::Start, out).await
}
