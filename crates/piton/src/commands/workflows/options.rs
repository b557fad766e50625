//! How a workflow is to be run, as its flags and `piton.toml` say it.

use std::collections::BTreeMap;
use std::path::Path;

use piton_config::{AgentOptions, Overrides, find, resolve};
use piton_engine::Layout;
use piton_engine::workflow::agent_key;
use piton_engine::world::open_workspace;
use piton_files::workflow::{Loaded, ReportSchema, check_template};
use piton_model::loop_machine::AgentConfig;
use piton_model::notify::Notify;
use piton_model::workflow::{CostAction, Issue, Launcher, Options, Work, WorkPlace};
use piton_model::{ExitCode, RunId};
use piton_sys::file;
use serde_json::{Map, Value};

use crate::cli::{CostLimitAction, RunArguments};
use crate::configuration;
use crate::failure::Failure;

/// Largest schema of reports.
const SCHEMA_BYTES_MAX: u64 = 256 << 10;

pub(super) fn options_of(
    layout: &Layout,
    path: &Path,
    arguments: &RunArguments,
    loaded: &Loaded,
) -> Result<Options, Failure> {
    let launcher = launcher_of(arguments)?;
    let files = configuration::read(layout)?;
    let trusted = arguments.trust || configuration::is_trusted(layout, &files)?;
    let (confine, protect) = configuration::walls(&files, trusted)?;
    let agents = match launcher {
        Launcher::Adapter {} => agents_of(layout, arguments, loaded, confine.is_some())?,
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
        confine,
        protect,
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
    Ok(resolved.settings.settled_notify())
}

fn microusd(dollars: f64) -> u64 {
    (dollars.max(0.0) * 1e6).round() as u64
}

/// Where steps work, if not in the repository itself.
pub(super) fn place_of(
    layout: &Layout,
    arguments: &RunArguments,
    run: &RunId,
) -> Result<Option<WorkPlace>, Failure> {
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
    confined: bool,
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
        let options = AgentOptions { model: model.map(str::to_owned), confined, ..AgentOptions::default() };
        match find(&resolved.settings, agent).map(|found| found.configured(&options)) {
            Some(Ok(mut config)) => {
                config.pass = resolved.settings.agent.pass.as_ref().map(|pass| pass.value.clone());
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
