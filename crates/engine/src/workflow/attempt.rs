//! Performing an attempt at a step: look, and only then start, wait, or find out what became of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use piton_agent::Spec;
use piton_files::workflow::{self as files, Disk, Look, REPORT_BYTES_MAX, Surroundings, resolve_prompt};
use piton_model::loop_machine::{AgentConfig, AttemptOutcome};
use piton_model::workflow::{Command, CostAction, Launcher, OpenAttempt, State, Step, StepEnd, Work};
use piton_sys::file;

use super::{Context, end, look, money, nested, remember};
use crate::launch::{self, AGENT_OUTPUT_BYTES_MAX, Kept, Supervised, What, begin, require_adapter};
use crate::supervise::{Became, Start, Supervision};
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
    context.furnish(state)?;
    if let Work::Workflow { path } = &step.work {
        return nested::perform(context, attempt, path, state);
    }
    let (name, attempts) = (number.to_string(), context.attempts());
    let supervision = Supervision::of_recorded(&attempt.host, &attempt.boot, fresh);
    let mut port = Kept::new(&attempts, &name, Starting { context, attempt, step, state });
    Ok(match supervision.run(&mut port)? {
        Became::Postponed(command) => command,
        Became::NeverStarted => Command::AbandonAttempt { attempt: number },
        Became::NoKeeper { detail } => Command::GiveUp { detail },
        Became::Ended(exit) => {
            let end = end::of_exit(context, attempt, step, state, &exit);
            Command::EndAttempt { attempt: number, end: Box::new(end) }
        }
        Became::Lost(tree) => Command::LoseAttempt { attempt: number, tree },
    })
}

/// An attempt at a step, on its way.
struct Starting<'a> {
    context: &'a Context,
    attempt: &'a OpenAttempt,
    step: &'a Step,
    state: &'a State,
}

impl Supervised for Starting<'_> {
    type Error = WorldError;
    type Instead = Command;

    fn start(&mut self, _name: &str) -> Result<Start<Command>, WorldError> {
        let Self { context, attempt, step, state } = *self;
        if let Some((detail, microusd)) = money::spent(context, state) {
            let only_warns = state.options.cost_limit_action == CostAction::Warn;
            match &state.requests.budget {
                Some(_) if only_warns => {}
                Some(said) if *said == detail => return Ok(Start::Unwanted),
                _ => return Ok(Start::Instead(Command::SpendBudget { detail, microusd })),
            }
        }
        launch(context, attempt, step, state)
    }

    fn is_cancelled(&self) -> bool {
        self.context.is_cancelled(self.attempt.number)
    }

    fn require_lease(&self) -> Result<(), WorldError> {
        self.context.require_lease(self.state)
    }
}

fn step_of<'a>(state: &'a State, attempt: &OpenAttempt) -> Option<&'a Step> {
    state.plan.graph().place(&attempt.step).map(|index| state.plan.step(index))
}

/// Starts the step, unless something stands in the way that the machine should hear of.
fn launch(
    context: &Context,
    attempt: &OpenAttempt,
    step: &Step,
    state: &State,
) -> Result<Start<Command>, WorldError> {
    let prompt = match prompt_of(context, step, state) {
        Ok(prompt) => prompt,
        Err(why) => return Ok(Start::Instead(not_startable(attempt, why))),
    };
    let around = Surroundings {
        place: context.place(),
        prompt: prompt.as_ref().map(|(path, _)| path.as_path()),
        workdir: context.layout.tree(),
    };
    let launch = match files::launch(state, &attempt.step, &around) {
        Ok(launch) => launch,
        Err(error) => return Ok(Start::Instead(not_startable(attempt, error.to_string()))),
    };
    let adapter = match (&step.work, &state.options.launcher) {
        (Work::Agent { agent, .. }, Launcher::Adapter {}) => {
            match state.options.agents.get(&agent_key(agent, step.model.as_deref())) {
                Some(adapter) => Some(adapter),
                None => {
                    let why = format!("there is no agent `{agent}`");
                    return Ok(Start::Instead(not_startable(attempt, why)));
                }
            }
        }
        _ => None,
    };
    if let Some(Err(why)) = adapter.map(require_adapter) {
        return Ok(Start::Instead(not_startable(attempt, why)));
    }
    make_room(context, &launch)?;
    look::keep_inputs(context, attempt, step, state)?;
    let text = prompt.map(|(_, text)| text);
    let pass = match step.work {
        Work::Agent { .. } => state.options.pass.as_deref(),
        _ => None,
    };
    let spec = spec(context, attempt, adapter, pass, launch, text);
    Ok(begin(context.launch.exe(), &context.attempts(), &spec)?)
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
    adapter: Option<&AgentConfig>,
    pass: Option<&[String]>,
    launch: files::Launch,
    prompt: Option<String>,
) -> Spec {
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
    })
}

pub(super) fn not_startable(attempt: &OpenAttempt, message: String) -> Command {
    let end = StepEnd {
        outcome: AttemptOutcome::NotStartable,
        exit_code: None,
        duration_ms: 0,
        message: Some(message),
        report: None,
        cost_microusd: None,
        tokens: None,
        hold: None,
    };
    Command::EndAttempt { attempt: attempt.number, end: Box::new(end) }
}
