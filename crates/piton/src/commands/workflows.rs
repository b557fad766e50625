//! `piton run`: record a workflow's run, start its driver, watch it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use piton_config::{AgentOptions, Overrides, find, resolve};
use piton_engine::workflow::{agent_key, is_discarded, view_of};
use piton_engine::world::open_workspace;
use piton_engine::{Layout, LocalClient};
use piton_files::workflow::{
    Disk, Edited, Loaded, ReportSchema, RunPlace, STATE_BYTES_MAX, check_template, difference, import, load,
    mermaid, plan,
};
use piton_model::loop_machine::{AgentConfig, Raise};
use piton_model::notify::Notify;
use piton_model::workflow::{
    Command, CostAction, Definition, Inherited, Issue, Launcher, Options, Order, State, StepId, Work,
    WorkPlace, create, fork,
};
use piton_model::{ExitCode, Kind, RunId, Status, exit_code};
use piton_store::Store;
use piton_sys::{Clock, Ids, SystemClock, SystemIds, file};
use piton_view::{Client, Request};
use serde_json::{Map, Value};

use crate::cli::{CostLimitAction, ForkArguments, Global, RaiseArguments, RunArguments};
use crate::failure::Failure;
use crate::output::Output;
use crate::viewer::{self, From};
use crate::{configuration, known, repository, start};

/// Largest schema of reports.
const SCHEMA_BYTES_MAX: u64 = 256 << 10;

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
        Target::Discarded(run) => {
            let order = order(&layout, run, loaded, options, None, arguments)?;
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
fn problems_of(problems: &[piton_files::workflow::Problem]) -> Failure {
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

fn options_of(
    layout: &Layout,
    path: &Path,
    arguments: &RunArguments,
    loaded: &Loaded,
) -> Result<Options, Failure> {
    let launcher = launcher_of(arguments)?;
    let agents = match launcher {
        Launcher::Adapter {} => agents_of(layout, arguments, loaded)?,
        _ => BTreeMap::new(),
    };
    Ok(Options {
        max_attempts: arguments.max_attempts,
        max_iterations: arguments.max_iterations,
        max_parallel: arguments.max_parallel,
        pause_for_human_input: arguments.pause_for_human_input,
        max_cost_microusd: arguments.max_cost.map(microusd),
        daily_cost_microusd: arguments.daily_cost_limit.map(microusd),
        cost_limit_action: match arguments.cost_limit_action {
            CostLimitAction::Warn => CostAction::Warn,
            CostLimitAction::Pause => CostAction::Pause,
            CostLimitAction::Fail => CostAction::Fail,
        },
        env: environment(&arguments.env)?,
        launcher,
        gate_state_file: arguments.gate_state_file.as_ref().map(|file| relative(layout, file)).transpose()?,
        workflow_file: relative(layout, path)?,
        issue: match &arguments.issue_number {
            None => None,
            Some(number) => {
                let directory = arguments.issue_dir.as_deref().unwrap_or(layout.root());
                Some(Issue { number: number.clone(), directory: relative(layout, directory)? })
            }
        },
        notify: notify_of(layout, arguments)?,
        report_schema: arguments.schema.as_deref().map(report_schema).transpose()?,
        agents,
        ..Options::default()
    })
}

/// The schema in a file, which the run keeps: one that is resumed uses what it started with.
fn report_schema(path: &Path) -> Result<Value, Failure> {
    let bad = |why: String| Failure::usage(format!("--schema `{}`: {why}", path.display()));
    let bytes =
        file::read_regular(path, SCHEMA_BYTES_MAX)?.ok_or_else(|| bad("there is no such file".into()))?;
    let schema = serde_json::from_slice(&bytes).map_err(|error| bad(format!("not JSON: {error}")))?;
    ReportSchema::new(&schema).map_err(|why| bad(format!("not a JSON Schema: {why}")))?;
    Ok(schema)
}

/// Who is told, as a trusted piton.toml says it.
fn notify_of(layout: &Layout, arguments: &RunArguments) -> Result<Option<Notify>, Failure> {
    let files = configuration::read(layout)?;
    if !arguments.trust && configuration::require_trust(layout, &files).is_err() {
        return Ok(None);
    }
    let resolved =
        resolve(&files, &configuration::variable, &Overrides::default()).map_err(configuration::problems)?;
    Ok(resolved.settings.notify.settled())
}

fn microusd(dollars: f64) -> u64 {
    (dollars.max(0.0) * 1e6).round() as u64
}

/// Where steps work, if not in the repository itself.
fn place_of(layout: &Layout, arguments: &RunArguments, run: &RunId) -> Result<Option<WorkPlace>, Failure> {
    if let Some(directory) = &arguments.workdir {
        let path = std::path::absolute(directory).map_err(|error| Failure::environment(&error))?;
        if !path.is_dir() {
            return Err(Failure::usage(format!(
                "--workdir: there is no directory `{}`",
                directory.display()
            )));
        }
        return Ok(Some(WorkPlace { path: path.display().to_string(), branch: None }));
    }
    if !arguments.worktree {
        return Ok(None);
    }
    let standing = open_workspace(layout, run)?.standing().map_err(|error| Failure::environment(&error))?;
    if !standing.has_commit {
        return Err(Failure::usage("--worktree needs a git repository with a commit to start from")
            .hint("commit something first, or run it in place"));
    }
    let name = layout.root().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let path = layout.root().with_file_name(format!("{name}-{run}"));
    if path.symlink_metadata().is_ok() {
        return Err(Failure::usage(format!("`{}` is in the way of the run's work tree", path.display()))
            .hint("choose another --run-id"));
    }
    Ok(Some(WorkPlace { path: path.display().to_string(), branch: Some(format!("piton/{run}")) }))
}

/// The path as the run keeps it: relative to the repository where it lies in it.
fn relative(layout: &Layout, path: &Path) -> Result<String, Failure> {
    let path = std::path::absolute(path).map_err(|error| Failure::environment(&error))?;
    let path = path.strip_prefix(layout.root()).unwrap_or(&path);
    let text = path.to_str().ok_or_else(|| Failure::usage(format!("`{}` is not UTF-8", path.display())))?;
    Ok(text.to_owned())
}

fn environment(pairs: &[String]) -> Result<Map<String, Value>, Failure> {
    let split = |pair: &String| {
        let (name, value) = pair
            .split_once('=')
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(|| Failure::usage(format!("--env `{pair}`")).hint("write --env NAME=VALUE"))?;
        Ok((name.to_owned(), Value::from(value)))
    };
    pairs.iter().map(split).collect()
}

fn launcher_of(arguments: &RunArguments) -> Result<Launcher, Failure> {
    if let Some(command) = &arguments.exec {
        return Ok(Launcher::Exec { command: command.clone() });
    }
    if let Some(template) = &arguments.command_template {
        check_template(template).map_err(|why| Failure::usage(format!("--command-template: {why}")))?;
        return Ok(Launcher::Template { template: template.clone() });
    }
    let Some(wrapper) = &arguments.wrapper else { return Ok(Launcher::Adapter {}) };
    let path = std::path::absolute(wrapper).map_err(|error| Failure::environment(&error))?;
    if !path.is_file() {
        return Err(Failure::usage(format!("there is no wrapper `{}`", wrapper.display())));
    }
    // A file that others run with `python wrapper.py` needs no execute bit.
    let is_python = path.extension().is_some_and(|extension| extension == "py");
    Ok(Launcher::Wrapper {
        python: is_python.then(|| configuration::variable("PYTHON").unwrap_or_else(|| "python3".to_owned())),
        wrapper: path.display().to_string(),
        args: arguments.wrapper_arg.clone(),
    })
}

/// piton's own adapters for every agent that the steps name, and their programs are there.
fn agents_of(
    layout: &Layout,
    arguments: &RunArguments,
    loaded: &Loaded,
) -> Result<BTreeMap<String, AgentConfig>, Failure> {
    let mut agents = BTreeMap::new();
    let files = configuration::read(layout)?;
    let definitions = std::iter::once(&loaded.definition).chain(loaded.definition.nested.values());
    let steps = definitions.flat_map(|definition| &definition.steps);
    let wanted: Vec<_> = steps
        .filter_map(|step| match &step.work {
            Work::Agent { agent, .. } => Some((agent, step.model.as_deref())),
            _ => None,
        })
        .collect();
    if wanted.is_empty() {
        return Ok(agents);
    }
    if !arguments.trust {
        configuration::require_trust(layout, &files)?;
    }
    let resolved =
        resolve(&files, &configuration::variable, &Overrides::default()).map_err(configuration::problems)?;
    let mut missing = Vec::new();
    for (agent, model) in wanted {
        let key = agent_key(agent, model);
        if agents.contains_key(&key) {
            continue;
        }
        let options = AgentOptions { model: model.map(str::to_owned), ..AgentOptions::default() };
        match find(&resolved.settings, agent).map(|found| found.configured(&options)) {
            Some(Ok(config)) => {
                agents.insert(key, config);
            }
            Some(Err((_, why))) => missing.push(format!("agent `{agent}`: {why}")),
            None => missing.push(format!("there is no agent `{agent}`")),
        }
    }
    if !missing.is_empty() {
        missing.dedup();
        return Err(Failure {
            details: missing,
            ..Failure::usage("some steps have no agent that piton knows")
        }
        .hint(
            "give --wrapper FILE, --command-template T or --exec CMD, or describe the agent in piton.toml",
        ));
    }
    let path = std::env::var_os("PATH");
    let absent = agents.values().map(|agent| &agent.command[0]).find(|program| {
        piton_sys::process::find_program(program.as_ref(), path.as_deref(), layout.root()).is_none()
    });
    match absent {
        None => Ok(agents),
        Some(program) => {
            Err(Failure::new(ExitCode::Environment, format!("the agent program `{program}` is not in PATH")))
        }
    }
}

/// Which run a person means.
enum Target {
    /// One that is not there yet.
    New(RunId, Option<Inherited>),
    /// One whose directory was deleted at rest: its name may be used again.
    Discarded(RunId),
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
                true => Ok(Target::Discarded(run)),
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
        clean_up(client, out).await?;
    }
    Ok((run, From::Start))
}

/// Directories of runs that are long over go, while the new one works.
async fn clean_up(client: &LocalClient, out: &Output) -> Result<(), Failure> {
    let cleaned = piton_engine::workflow::clean_up(client, SystemClock.now()).await?;
    if !cleaned.removed.is_empty() {
        let names: Vec<&str> = cleaned.removed.iter().map(|run| run.short()).collect();
        out.note(format!(
            "archived in .agents/run_archive.db, directories removed: {} (--skip-cleanup keeps them)",
            names.join(", ")
        ));
    }
    cleaned.problems.iter().for_each(|problem| out.note(format!("note: not archived: {problem}")));
    Ok(())
}

/// A run of which only the journal is left begins anew.
async fn begin_anew(client: &LocalClient, order: Order, out: &Output) -> Result<(RunId, From), Failure> {
    let run = order.run.clone();
    start::let_go(client, &run).await?;
    out.note(format!(
        "run `{run}` begins anew: its directory was deleted, so what it did is discarded; `piton log {run}` still shows it"
    ));
    client.tell_at_rest::<State>(&run, Command::Restart(Box::new(order))).await?;
    let loaded = client.load_as::<State>(&run, None).await?;
    start::driver(client, &run, false).await?;
    Ok((run, From::After(loaded.head)))
}

/// Nobody goes on with a run whose directory was deleted.
fn discarded(state: &State) -> Failure {
    let (run, file) = (&state.run, &state.options.workflow_file);
    Failure::usage(format!("run `{run}` is discarded: its directory `.agents/runs/{run}` was deleted")).hint(
        format!("`piton run {file} --run-id {run}` begins anew; `piton rebuild {run}` brings its state back"),
    )
}

/// Says so where the run is discarded.
pub(super) async fn require_kept(client: &LocalClient, run: &RunId) -> Result<(), Failure> {
    let state = client.load_as::<State>(run, None).await?.state;
    if is_discarded(client.layout(), &state) { Err(discarded(&state)) } else { Ok(()) }
}

/// Goes on with a run that is there, where that can be meant.
async fn go_on(
    client: &LocalClient,
    run: &RunId,
    loaded: &Loaded,
    arguments: &RunArguments,
    out: &Output,
) -> Result<(RunId, From), Failure> {
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
    if arguments.migrate {
        let migrate = Command::Migrate(Box::new(loaded.definition.clone()));
        client.tell_at_rest::<State>(run, migrate).await?;
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
pub(super) async fn resume_run(
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
        Edited::Statuses { edits, digest } => {
            let names: Vec<String> =
                edits.iter().map(|edit| format!("`{}` is {}", edit.step, edit.status.as_str())).collect();
            client.tell_at_rest::<State>(run, Command::AdoptStatuses(edits)).await?;
            view.accept(&digest)?;
            out.note(format!("adopted from run_state.json: {}", names.join(", ")));
        }
        Edited::Quarantined(moved) => out.note(format!("note: {moved}")),
    }
    Ok(())
}

/// `piton fork --step`: everything up to a step again, in a run of its own.
pub(super) async fn fork_run(
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
