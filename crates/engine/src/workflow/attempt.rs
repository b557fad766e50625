//! Performing an attempt at a step: it is planned where it has to be started, supervised, and its end is read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use piton_agent::Spec;
use piton_files::workflow::{self as files, Disk, Look, REPORT_BYTES_MAX, StepPlaces, resolve_prompt};
use piton_model::loop_machine::{AgentConfig, AttemptOutcome};
use piton_model::workflow::{
    Command, CostAction, Launcher, OpenAttempt, State, Step, StepEnd, StepStatus, Work,
};
use piton_sys::file;

use super::{Context, Driving, end, gates, item, look, money, nested, remember};
use crate::launch::{self, AGENT_OUTPUT_BYTES_MAX, What, require_adapter};
use crate::supervise::kept::{Kept, Plan};
use crate::supervise::{Became, Supervision};
use crate::world::WorldError;

/// How long an attempt may take where its step does not say.
const ATTEMPT_MS_MAX: u64 = 4 * 3_600_000;

/// Largest prompt.
const PROMPT_BYTES_MAX: usize = 1 << 20;

pub(super) fn perform(
    context: &Context,
    attempt: &OpenAttempt,
    fresh: bool,
    state: &State,
) -> Result<Command, WorldError> {
    let number = attempt.number;
    let Some(step) = step_of(state, attempt) else { return Ok(Command::AbandonAttempt { attempt: number }) };
    if !step.gates.is_empty() {
        // They are open, and on record as that.
        gates::forget(context, &attempt.step, None)?;
    }
    context.furnish(state, number)?;
    match &step.work {
        Work::Workflow { path } => return nested::perform(context, attempt, path, state),
        Work::Loop(item) => return item::perform(context, attempt, item, state),
        Work::Agent { .. } | Work::Run { .. } | Work::Nothing {} => {}
    }
    let name = number.to_string();
    let driving = Driving { context, state, attempt: Some(number) };
    let plan = |_: &str| plan(context, attempt, step, state);
    let is_followed = state.steps.iter().any(|step| step.status == StepStatus::Pending);
    let mut kept = Kept::new(&context.launch, &name, driving, &plan).followed_by_another(is_followed);
    Ok(match Supervision::of_recorded(&attempt.host, &attempt.boot, fresh).run(&mut kept)? {
        Became::Postponed(command) => command,
        Became::NeverStarted => Command::AbandonAttempt { attempt: number },
        Became::NoKeeper { detail } => Command::GiveUp { detail },
        Became::Ended(exit) => {
            let end = end::of_exit(context, attempt, step, state, &exit)?;
            Command::EndAttempt { attempt: number, end: Box::new(end) }
        }
        Became::Lost(tree) => Command::LoseAttempt { attempt: number, tree },
    })
}

/// What the attempt is to be, once it is clear that nothing of it is there.
fn plan(
    context: &Context,
    attempt: &OpenAttempt,
    step: &Step,
    state: &State,
) -> Result<Plan<Command>, WorldError> {
    if let Some((detail, microusd)) = money::spent(context, state) {
        let only_warns = state.options.cost_limit_action == CostAction::Warn;
        match state.spent_beyond() {
            Some(_) if only_warns => {}
            Some(known) if known == microusd => return Ok(Plan::Unwanted),
            _ => return Ok(Plan::Instead(Command::SpendBudget { detail, microusd })),
        }
    }
    let parts = match Parts::of(context, attempt, step, state) {
        Ok(parts) => parts,
        Err(why) => return Ok(Plan::Instead(not_startable(attempt, why))),
    };
    make_room(context, &parts.launch)?;
    look::keep_inputs(context, attempt, step, state)?;
    let pass = match step.work {
        Work::Agent { .. } => state.options.pass.as_deref(),
        _ => None,
    };
    Ok(Plan::Start(spec(context, attempt, pass, parts)))
}

fn step_of<'a>(state: &'a State, attempt: &OpenAttempt) -> Option<&'a Step> {
    state.plan.graph().place(&attempt.step).map(|index| state.plan.step(index))
}

/// What an attempt at a step is made of.
struct Parts<'a> {
    launch: files::Launch,
    /// The agent, where piton itself starts one.
    adapter: Option<&'a AgentConfig>,
    prompt: Option<String>,
}

impl<'a> Parts<'a> {
    /// The parts, or what is missing.
    fn of(context: &Context, attempt: &OpenAttempt, step: &Step, state: &'a State) -> Result<Self, String> {
        let prompt = prompt_of(context, step, state)?;
        let around = StepPlaces {
            place: context.place(),
            prompt: prompt.as_ref().map(|(path, _)| path.as_path()),
            workdir: context.layout.tree(),
        };
        let launch = files::launch(state, &attempt.step, &around).map_err(|error| error.to_string())?;
        let adapter = match (&step.work, &state.options.launcher) {
            (Work::Agent { agent, .. }, Launcher::Adapter {}) => {
                let adapter = state.options.agents.get(&agent_key(agent, step.model.as_deref()));
                Some(adapter.ok_or_else(|| format!("there is no agent `{agent}`"))?)
            }
            _ => None,
        };
        adapter.map_or(Ok(()), require_adapter)?;
        Ok(Self { launch, adapter, prompt: prompt.map(|(_, text)| text) })
    }
}

/// The name under which the options hold the adapter of an agent with a model of its own.
pub fn agent_key(agent: &str, model: Option<&str>) -> String {
    model.map_or_else(|| agent.to_owned(), |model| format!("{agent}@{model}"))
}

/// Old reports are moved away, so that nothing is ever read twice, and old logs, so that they can still be read.
fn make_room(context: &Context, launch: &files::Launch) -> Result<(), WorldError> {
    if set_aside(context, &launch.report_path, &launch.archived_report_path)? {
        // Of an attempt that was lost nobody has read it.
        let archived = &launch.archived_report_path;
        let read = context.within(archived, |path| file::read_regular(path, REPORT_BYTES_MAX as u64));
        if let Ok(Some(bytes)) = read {
            end::without_secrets(context, archived, bytes);
        }
    }
    set_aside(context, &launch.log_path, &launch.archived_log_path)?;
    Ok(())
}

/// Moves a file away, if there is one.
fn set_aside(context: &Context, from: &Path, to: &Path) -> Result<bool, WorldError> {
    if from.symlink_metadata().is_err() {
        return Ok(false);
    }
    context.within(from, |from| {
        context.within(to, |to| {
            file::remove_file_if_exists(to)?;
            file::rename_noreplace(from, to)
        })
    })?;
    Ok(true)
}

/// Where the prompt of a step is, and what it says.
fn prompt_of(context: &Context, step: &Step, state: &State) -> Result<Option<(PathBuf, String)>, String> {
    let Work::Agent { prompt, .. } = &step.work else { return Ok(None) };
    let root = context.layout.root();
    let workflow = context.place().absolute(&state.options.workflow_file);
    let path = resolve_prompt(prompt, &workflow, root, &Disk).map_err(|why| why.message("prompt", prompt))?;
    let bytes = Disk
        .read(&path, PROMPT_BYTES_MAX)
        .map_err(|error| format!("the prompt `{}`: {error}", path.display()))?;
    if bytes.len() > PROMPT_BYTES_MAX {
        return Err(format!("the prompt `{}` is larger than {PROMPT_BYTES_MAX} bytes", path.display()));
    }
    let text = String::from_utf8_lossy(&bytes).replace("{run_id}", state.run.as_str());
    Ok(Some((path, text)))
}

fn spec(
    context: &Context,
    attempt: &OpenAttempt,
    pass: Option<&[String]>,
    Parts { launch, adapter, prompt }: Parts<'_>,
) -> Box<Spec> {
    let prompt = match (adapter, prompt) {
        (Some(_), Some(text)) => {
            let parts = [remember::preface(context), text, end::report_request(&launch)];
            Some(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n"))
        }
        (_, prompt) => prompt,
    };
    let mut env: BTreeMap<String, String> = launch.env.into_iter().collect();
    env.extend([
        ("PITON_STEP_ID".to_owned(), attempt.step.to_string()),
        ("PITON_ATTEMPT".to_owned(), attempt.number.to_string()),
        ("PITON_BIN".to_owned(), context.launch.exe().display().to_string()),
    ]);
    context.launch.prepare(launch::Work {
        name: &attempt.number.to_string(),
        what: match adapter {
            Some(agent) => What::Agent { agent, session: None, brief: None },
            None => What::Program(launch.argv),
        },
        directory: &launch.directory,
        env,
        prompt,
        wall_ms: launch.timeout_ms.unwrap_or(ATTEMPT_MS_MAX),
        idle_ms: None,
        output_bytes_max: AGENT_OUTPUT_BYTES_MAX,
        beside: None,
        pass,
        own: None,
    })
}

pub(super) fn not_startable(attempt: &OpenAttempt, message: String) -> Command {
    let end = StepEnd { message: Some(message), ..StepEnd::of(AttemptOutcome::NotStartable) };
    Command::EndAttempt { attempt: attempt.number, end: Box::new(end) }
}
