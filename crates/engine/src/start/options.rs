//! How a workflow is to be run, as its flags and `piton.toml` say it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use piton_config::{AgentOptions, Files, Overrides, Settings, find, resolve};
use piton_files::workflow::{Loaded, ReportSchema, check_template};
use piton_model::RunId;
use piton_model::loop_machine::AgentConfig;
use piton_model::notify::Notify;
use piton_model::workflow::{CostAction, GateGaps, Issue, Launcher, Options, Work, WorkPlace};
use piton_sys::file;
use piton_view::{Error, WorkflowOrder};
use serde_json::Value;

use super::require_program;
use crate::configuration;
use crate::layout::Layout;
use crate::workflow::agent_key;

/// Largest schema of reports.
const SCHEMA_BYTES_MAX: u64 = 256 << 10;

/// How a new run is to be run.
pub(super) fn options_of(layout: &Layout, order: &WorkflowOrder, loaded: &Loaded) -> Result<Options, Error> {
    let files = configuration::read(layout)?;
    let (confine, protect) = match order.no_confine {
        true => (None, Vec::new()),
        false => configuration::walls(layout, &files, order.trust)?,
    };
    let believed = believed(layout, &files, order.trust)?;
    let unsaid = Options {
        cost_limit_action: CostAction::Pause,
        workflow_file: relative(layout, &order.file)?,
        notify: notify_of(layout, order)?,
        confine,
        protect,
        accept_inputs: believed.confine.accept_inputs.is_some_and(|accept| accept.value),
        pass: believed.agent.pass.map(|pass| pass.value),
        gaps: gaps_of(&files)?,
        ..Options::default()
    };
    let options = said(layout, order, unsaid)?;
    with_agents(layout, order, loaded, options)
}

/// The same options with what the order says about them, be it a new run or one that is there.
pub(super) fn said(layout: &Layout, order: &WorkflowOrder, unsaid: Options) -> Result<Options, Error> {
    let relative = |path: &PathBuf| relative(layout, path);
    let mut env = unsaid.env;
    env.extend(order.env.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))));
    Ok(Options {
        max_attempts: order.max_attempts.unwrap_or(unsaid.max_attempts),
        max_iterations: order.max_iterations.unwrap_or(unsaid.max_iterations),
        max_parallel: order.max_parallel.unwrap_or(unsaid.max_parallel),
        pause_for_human_input: order.pause_for_human_input || unsaid.pause_for_human_input,
        max_cost_microusd: order.max_cost.map(microusd).or(unsaid.max_cost_microusd),
        daily_cost_microusd: order.daily_cost_limit.map(microusd).or(unsaid.daily_cost_microusd),
        cost_limit_action: order.cost_limit_action.unwrap_or(unsaid.cost_limit_action),
        env,
        launcher: launcher_of(order)?.unwrap_or(unsaid.launcher),
        gate_state_file: order.gate_state_file.as_ref().map(relative).transpose()?.or(unsaid.gate_state_file),
        issue: issue_of(layout, order)?.or(unsaid.issue),
        confine: unsaid.confine.filter(|_| !order.no_confine),
        report_schema: order.schema.as_deref().map(report_schema).transpose()?.or(unsaid.report_schema),
        ..unsaid
    })
}

/// The same options with piton's own adapters for agents that they do not have yet.
pub(super) fn with_agents(
    layout: &Layout,
    order: &WorkflowOrder,
    loaded: &Loaded,
    mut options: Options,
) -> Result<Options, Error> {
    if options.launcher == (Launcher::Adapter {}) {
        let known = std::mem::take(&mut options.agents);
        options.agents = agents_of(layout, order, loaded, options.confine.is_some(), known)?;
    }
    Ok(options)
}

/// The issue that the run works on, where the order names one.
fn issue_of(layout: &Layout, order: &WorkflowOrder) -> Result<Option<Issue>, Error> {
    let Some(number) = &order.issue_number else { return Ok(None) };
    let directory = order.issue_dir.as_deref().unwrap_or(layout.root());
    Ok(Some(Issue { number: number.clone(), directory: relative(layout, directory)? }))
}

/// The schema in a file, which the run keeps: one that is resumed uses what it started with.
fn report_schema(path: &Path) -> Result<Value, Error> {
    let bad = |why: String| Error::usage(format!("--schema `{}`: {why}", path.display()));
    let bytes =
        file::read_regular(path, SCHEMA_BYTES_MAX)?.ok_or_else(|| bad("there is no such file".into()))?;
    let schema = serde_json::from_slice(&bytes).map_err(|error| bad(format!("not JSON: {error}")))?;
    ReportSchema::new(&schema).map_err(|why| bad(format!("not a JSON Schema: {why}")))?;
    Ok(schema)
}

/// Who is told, as a trusted piton.toml says it.
fn notify_of(layout: &Layout, order: &WorkflowOrder) -> Result<Option<Notify>, Error> {
    let files = configuration::read(layout)?;
    if !order.trust && configuration::require_trust(layout, &files).is_err() {
        return Ok(None);
    }
    let resolved =
        resolve(&files, &configuration::variable, &Overrides::default()).map_err(configuration::problems)?;
    Ok(resolved.settings.settled_notify())
}

/// The ledger that `piton gaps` asks about: it names nothing to run, so nobody has to trust it.
fn gaps_of(files: &Files) -> Result<GateGaps, Error> {
    let resolved = resolve(files, &configuration::variable, &Overrides::default());
    let gaps = resolved.map_err(configuration::problems)?.settings.gaps;
    Ok(GateGaps { file: gaps.file().to_owned(), default_ttl_days: gaps.default_ttl_days() })
}

pub(super) fn microusd(dollars: f64) -> u64 {
    (dollars.max(0.0) * 1e6).round() as u64
}

/// What the user's own file says, and a project's that is trusted.
fn believed(layout: &Layout, files: &Files, trust: bool) -> Result<Settings, Error> {
    let mut believed = files.clone();
    if !trust && !configuration::is_trusted(layout, files)? {
        believed.project = None;
    }
    let resolved = resolve(&believed, &configuration::variable, &Overrides::default());
    Ok(resolved.map_err(configuration::problems)?.settings)
}

/// Where steps work, if not in the repository itself.
pub(super) fn place_of(
    layout: &Layout,
    order: &WorkflowOrder,
    run: &RunId,
) -> Result<Option<WorkPlace>, Error> {
    if let Some(directory) = &order.workdir {
        let path = std::path::absolute(directory).map_err(|error| Error::environment(&error))?;
        if !path.is_dir() {
            return Err(Error::usage(format!("--workdir: there is no directory `{}`", directory.display())));
        }
        return Ok(Some(WorkPlace::Directory(path.display().to_string())));
    }
    if !order.worktree {
        return Ok(None);
    }
    // Its setup is a command of the project's.
    let files = configuration::read(layout)?;
    if !order.trust {
        configuration::require_trust(layout, &files)?;
    }
    let resolved =
        resolve(&files, &configuration::variable, &Overrides::default()).map_err(configuration::problems)?;
    let settings = &resolved.settings.worktree;
    super::own_tree(layout, run, run.as_str(), settings, "choose another --run-id")
        .map(|worktree| Some(WorkPlace::Worktree(worktree)))
}

/// The path as the run keeps it: relative to the repository where it lies in it.
pub(super) fn relative(layout: &Layout, path: &Path) -> Result<String, Error> {
    let path = std::path::absolute(path).map_err(|error| Error::environment(&error))?;
    let path = path.strip_prefix(layout.root()).unwrap_or(&path);
    let text = path.to_str().ok_or_else(|| Error::usage(format!("`{}` is not UTF-8", path.display())))?;
    Ok(text.to_owned())
}

/// How agent steps are started, where the order says it.
fn launcher_of(order: &WorkflowOrder) -> Result<Option<Launcher>, Error> {
    if let Some(command) = &order.exec {
        return Ok(Some(Launcher::Exec { command: command.clone() }));
    }
    if let Some(template) = &order.command_template {
        check_template(template).map_err(|why| Error::usage(format!("--command-template: {why}")))?;
        return Ok(Some(Launcher::Template { template: template.clone() }));
    }
    let Some(wrapper) = &order.wrapper else { return Ok(None) };
    let path = std::path::absolute(wrapper).map_err(|error| Error::environment(&error))?;
    if !path.is_file() {
        return Err(Error::usage(format!("there is no wrapper `{}`", wrapper.display())));
    }
    // A file that others run with `python wrapper.py` needs no execute bit.
    let is_python = path.extension().is_some_and(|extension| extension == "py");
    Ok(Some(Launcher::Wrapper {
        python: is_python.then(|| configuration::variable("PYTHON").unwrap_or_else(|| "python3".to_owned())),
        wrapper: path.display().to_string(),
        args: order.wrapper_arguments.clone(),
    }))
}

/// piton's own adapters for every agent that the steps name, and their programs are there.
fn agents_of(
    layout: &Layout,
    order: &WorkflowOrder,
    loaded: &Loaded,
    confined: bool,
    known: BTreeMap<String, AgentConfig>,
) -> Result<BTreeMap<String, AgentConfig>, Error> {
    let mut agents = known;
    let files = configuration::read(layout)?;
    let definitions = std::iter::once(&loaded.definition).chain(loaded.definition.nested.values());
    let steps = definitions.flat_map(|definition| &definition.steps);
    let wanted: Vec<_> = steps
        .filter_map(|step| match &step.work {
            Work::Agent { agent, .. } => Some((agent, step.model.as_deref())),
            _ => None,
        })
        .filter(|(agent, model)| !agents.contains_key(&agent_key(agent, *model)))
        .collect();
    if wanted.is_empty() {
        return Ok(agents);
    }
    if !order.trust {
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
        let options = AgentOptions { model: model.map(str::to_owned), confined, ..AgentOptions::default() };
        match find(&resolved.settings, agent).map(|found| found.configured(&options)) {
            Some(Ok(config)) => drop(agents.insert(key, config)),
            Some(Err((_, why))) => missing.push(format!("agent `{agent}`: {why}")),
            None => missing.push(format!("there is no agent `{agent}`")),
        }
    }
    if !missing.is_empty() {
        missing.dedup();
        return Err(Error::usage("some steps have no agent that piton knows").details(missing).hint(
            "give --wrapper FILE, --command-template T or --exec CMD, or describe the agent in piton.toml",
        ));
    }
    agents.values().try_for_each(|agent| require_program(agent, layout.root()))?;
    Ok(agents)
}
