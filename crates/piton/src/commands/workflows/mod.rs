//! `piton run`: record a workflow's run, start its driver, watch it.

mod go_on;
mod options;

use std::path::PathBuf;

pub(super) use go_on::{fork_run, require_kept, resume_run};
use piton_engine::workflow::is_discarded;
use piton_engine::{Layout, LocalClient};
use piton_files::workflow::{Disk, Loaded, RunPlace, STATE_BYTES_MAX, import, load, mermaid, plan};
use piton_model::workflow::{Command, Definition, Inherited, Options, Order, State, WorkPlace, create};
use piton_model::{ExitCode, Kind, RunId};
use piton_sys::{Clock, Ids, SystemClock, SystemIds, file};
use piton_view::Client;

use self::go_on::{discarded, go_on};
use self::options::{options_of, place_of};
use crate::cli::{Global, RunArguments};
use crate::failure::Failure;
use crate::output::Output;
use crate::viewer::{self, From};
use crate::{known, repository, start};

pub(super) async fn run(
    global: &Global,
    arguments: &RunArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let layout = repository::layout(global)?;
    let path = workflow_path(arguments)?;
    let loaded = load(&path, layout.root(), &Disk).map_err(|problems| problems_of(&problems))?;
    if arguments.check_only {
        return Ok(check_only(&loaded, out));
    }
    let options = options_of(&layout, &path, arguments, &loaded)?;
    without_effect(arguments, out);
    let client = repository::open_or_create(&layout)?;
    let from = match target(&client, arguments, &options, &loaded).await? {
        Target::New(run, inherited) => {
            let order = order(&layout, run, loaded, options, inherited, arguments)?;
            begin(&client, order, arguments, out).await?
        }
        Target::Discarded(run, place) => {
            // It works where it worked, unless somebody says otherwise.
            let order = match place.filter(|_| arguments.workdir.is_none()) {
                Some(place) => {
                    let options = Options { place: Some(place), ..options };
                    Order { run, definition: loaded.definition, options, inherited: None }
                }
                None => order(&layout, run, loaded, options, None, arguments)?,
            };
            begin_anew(&client, order, out).await?
        }
        Target::Existing(run) => go_on(&client, &run, &loaded, arguments, out).await?,
    };
    if arguments.detach {
        if out.json {
            out.json(&serde_json::json!({ "run_id": from.0 }));
        } else {
            out.line(format!("{} works in the background: `piton attach {}`", from.0, from.0.short()));
        }
        return Ok(ExitCode::Done);
    }
    viewer::view(&client, &from.0, from.1, out).await
}

fn workflow_path(arguments: &RunArguments) -> Result<PathBuf, Failure> {
    let path = arguments.file.as_ref().or(arguments.workflow.as_ref());
    let path = path.ok_or_else(|| Failure::usage("name a workflow file"))?;
    std::path::absolute(path).map_err(|error| Failure::environment(&error))
}

/// Every problem at once, each with its line and what to do.
fn problems_of(problems: &[piton_files::Problem]) -> Failure {
    Failure {
        details: problems.iter().map(ToString::to_string).collect(),
        ..Failure::usage(match problems.len() {
            1 => "the workflow cannot be run".to_owned(),
            many => format!("the workflow cannot be run: {many} problems"),
        })
    }
}

/// Flags of other tools that mean nothing here are taken, and said to be without effect.
fn without_effect(arguments: &RunArguments, out: &Output) {
    let given = [
        ("--poll-interval", arguments.poll_interval.is_some(), "piton is told when a step ends"),
        (
            "--state-file",
            arguments.state_file.is_some(),
            "the run is in `.agents/runs/<run_id>/run_state.json`",
        ),
        ("--git-worktree-keep", arguments.git_worktree_keep, "piton removes no work tree"),
    ];
    for (flag, _, why) in given.iter().filter(|(_, given, _)| *given) {
        out.note(format!("note: {flag} has no effect: {why}"));
    }
}

fn check_only(loaded: &Loaded, out: &Output) -> ExitCode {
    let graph = mermaid(&loaded.definition);
    if out.json {
        out.json(&serde_json::json!({
            "name": loaded.definition.name, "digest": loaded.digest, "steps": loaded.definition.steps.len(),
            "definition": loaded.definition, "mermaid": graph,
        }));
    } else {
        out.line(plan(&loaded.definition).trim_end());
        out.line("");
        out.line(graph.trim_end());
    }
    ExitCode::Done
}

/// Which run a person means.
enum Target {
    /// One that is not there yet.
    New(RunId, Option<Inherited>),
    /// One whose directory was deleted at rest: its name may be used again.
    Discarded(RunId, Option<WorkPlace>),
    /// One that is.
    Existing(RunId),
}

async fn target(
    client: &LocalClient,
    arguments: &RunArguments,
    options: &Options,
    loaded: &Loaded,
) -> Result<Target, Failure> {
    let named: Option<RunId> = match &arguments.run_id {
        Some(id) => Some(id.parse().map_err(|error| Failure::of(ExitCode::Usage, &error))?),
        None => None,
    };
    let run = match (named, &arguments.start_at_step) {
        (Some(run), _) => run,
        (None, Some(_)) => newest_of(client, &options.workflow_file).await?,
        (None, None) => {
            return Ok(Target::New(SystemIds.hex(8).parse().expect("hex digits are a run's name"), None));
        }
    };
    match client.store().row(&run).await {
        Ok(_) => {
            let state = client.load_as::<State>(&run, None).await?.state;
            match is_discarded(client.layout(), &state) {
                true if arguments.start_at_step.is_some() => Err(discarded(&state)),
                true => Ok(Target::Discarded(run, state.options.place)),
                false => Ok(Target::Existing(run)),
            }
        }
        Err(piton_store::Error::UnknownRun { .. }) => {
            let inherited = left_by_another_tool(client.layout(), &run, &loaded.definition)?;
            Ok(Target::New(run, inherited))
        }
        Err(error) => Err(error.into()),
    }
}

/// The newest run of this workflow, by its file.
async fn newest_of(client: &LocalClient, workflow_file: &str) -> Result<RunId, Failure> {
    for run in client.runs().await?.into_iter().filter(|run| run.kind == Kind::Workflow.as_str()) {
        let state = client.load_as::<State>(&run.run_id, None).await?.state;
        if state.options.workflow_file == workflow_file && !is_discarded(client.layout(), &state) {
            return Ok(run.run_id);
        }
    }
    Err(Failure::usage(format!("`{workflow_file}` was never run here"))
        .hint("run it without --start-at-step, or name a run with --run-id"))
}

/// What another tool did in a run directory of this name.
fn left_by_another_tool(
    layout: &Layout,
    run: &RunId,
    definition: &Definition,
) -> Result<Option<Inherited>, Failure> {
    let path = RunPlace::new(layout.root(), run.clone()).state();
    let refused = |why: String| {
        Failure::usage(format!("`{}`: {why}", path.display())).hint("mend it, or choose another --run-id")
    };
    let bytes = match file::read_regular(&path, STATE_BYTES_MAX as u64) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Ok(None),
        Err(error) if matches!(error.refusal(), Some(file::Refusal::TooLarge { .. })) => {
            return Err(refused(error.source.to_string()));
        }
        Err(error) => return Err(error.into()),
    };
    let imported = import(&bytes, run, definition).map_err(|error| refused(error.to_string()))?;
    Ok(Some(imported.inherited))
}

fn order(
    layout: &Layout,
    run: RunId,
    loaded: Loaded,
    options: Options,
    inherited: Option<Inherited>,
    arguments: &RunArguments,
) -> Result<Order, Failure> {
    let options = Options { place: place_of(layout, arguments, &run)?, ..options };
    Ok(Order { run, definition: loaded.definition, options, inherited })
}

async fn begin(
    client: &LocalClient,
    order: Order,
    arguments: &RunArguments,
    out: &Output,
) -> Result<(RunId, From), Failure> {
    let run = order.run.clone();
    if order.inherited.is_some() {
        out.note(format!("going on with what another tool left in `.agents/runs/{run}`"));
    }
    let created =
        create(order).map_err(|rejection| Failure::from(rejection).hint("see `piton run --help`"))?;
    client.create_as::<State>(&[created]).await?;
    if let Err(failure) = known::remember(client.layout()) {
        out.note(format!("note: `piton ls --everywhere` will not find this run: {}", failure.message));
    }
    start::driver(client, &run, false).await?;
    if !arguments.skip_cleanup {
        clean_up(client, out).await;
    }
    Ok((run, From::Start))
}

/// Directories of runs that are long over go, while the new one works.
async fn clean_up(client: &LocalClient, out: &Output) {
    let cleaned = piton_engine::workflow::clean_up(client, SystemClock.now()).await;
    if !cleaned.removed.is_empty() {
        let names: Vec<&str> = cleaned.removed.iter().map(|run| run.short()).collect();
        out.note(format!(
            "archived in .agents/run_archive.db, directories removed: {} (--skip-cleanup keeps them)",
            names.join(", ")
        ));
    }
    cleaned.problems.iter().for_each(|problem| out.note(format!("note: not archived: {problem}")));
}

/// A run of which only the journal is left begins anew.
async fn begin_anew(client: &LocalClient, order: Order, out: &Output) -> Result<(RunId, From), Failure> {
    let run = order.run.clone();
    start::let_go(client, &run).await?;
    out.note(format!(
        "run `{run}` begins anew: its directory was deleted, so what it did is discarded; `piton log {run}` still shows it"
    ));
    client.record_at_rest::<State>(&run, Command::Restart(Box::new(order))).await?;
    let loaded = client.load_as::<State>(&run, None).await?;
    start::driver(client, &run, false).await?;
    Ok((run, From::After(loaded.head)))
}
