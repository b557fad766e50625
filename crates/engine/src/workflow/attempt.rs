//! Performing an attempt at a step: look, and only then start, wait, or find out what became of it.

use std::path::PathBuf;

use piton_agent::{Limits, Spec, Stdin};
use piton_files::workflow::{self as files, Disk, Look, Surroundings, resolve_prompt};
use piton_model::loop_machine::{AgentConfig, AttemptOutcome, PromptBy};
use piton_model::workflow::{Command, CostAction, Launcher, OpenAttempt, State, Step, StepEnd, Work};
use piton_sys::file;
use piton_sys::{Ids, SystemIds};

use super::{Context, end, look, money, nested, remember};
use crate::launch::{Kept, Supervised, begin};
use crate::supervise::{Became, Start, Supervision};
use crate::world::{WorldError, hidden_variables};

/// What is kept of each output of a step.
const OUTPUT_BYTES_MAX: u64 = 64 << 20;

/// Between the request to end and the kill.
const KILL_GRACE_MS: u64 = 1_000;

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
        if let Some(detail) = money::spent(context, state)
            && state.options.cost_limit_action != CostAction::Warn
        {
            return Ok(match state.asked.budget.as_ref() == Some(&detail) {
                true => Start::Unwanted,
                false => Start::Instead(Command::SpendBudget { detail }),
            });
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
    make_room(context, &launch)?;
    look::keep_inputs(context, attempt, step, state)?;
    let text = prompt.map(|(_, text)| text);
    let spec = spec(context, attempt, adapter, launch, text);
    Ok(begin(&context.exe, &context.attempts(), &spec)?)
}

/// The name under which the options hold the adapter of an agent with a model of its own.
pub fn agent_key(agent: &str, model: Option<&str>) -> String {
    model.map_or_else(|| agent.to_owned(), |model| format!("{agent}@{model}"))
}

/// Old reports are moved away, so that nothing is ever read twice.
fn make_room(context: &Context, launch: &files::Launch) -> Result<(), WorldError> {
    if launch.report_path.symlink_metadata().is_ok() {
        context.within(&launch.report_path, |report| {
            context.within(&launch.archived_report_path, |archived| {
                file::remove_file_if_exists(archived)?;
                file::rename_noreplace(report, archived)
            })
        })?;
    }
    Ok(())
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
    launch: files::Launch,
    prompt: Option<String>,
) -> Spec {
    let name = attempt.number.to_string();
    let directory = context.attempts().join(&name);
    let mut env: std::collections::BTreeMap<String, String> = launch.env.iter().cloned().collect();
    env.extend([
        ("PITON_RUN_ID".to_owned(), context.run.to_string()),
        ("PITON_STEP_ID".to_owned(), attempt.step.to_string()),
        ("PITON_ATTEMPT".to_owned(), attempt.number.to_string()),
        ("PITON_BIN".to_owned(), context.exe.display().to_string()),
    ]);
    let prompt = match (adapter, prompt) {
        (Some(_), Some(text)) => {
            let parts = [remember::preface(context), text, end::report_request(&launch)];
            Some(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n"))
        }
        (_, prompt) => prompt,
    };
    let (mut argv, mut stdin) = (launch.argv.clone(), Stdin::Null);
    if let Some(adapter) = adapter {
        env.extend(adapter.env.iter().map(|(name, value)| (name.clone(), value.clone())));
        argv = adapter.command.clone();
        argv.extend(adapter.tail.iter().cloned());
        match adapter.prompt {
            PromptBy::Stdin => stdin = Stdin::Prompt,
            PromptBy::Argument => argv.extend(prompt.clone()),
            PromptBy::File => argv.push(piton_agent::prompt_file(&directory).display().to_string()),
        }
    } else if prompt.is_some() {
        stdin = Stdin::Prompt;
    }
    Spec {
        run: context.run.to_string(),
        mark: format!("{}-{name}-{}", context.run, SystemIds.hex(16)),
        name,
        argv,
        cwd: launch.directory,
        env,
        env_remove: hidden_variables(adapter.and_then(|adapter| adapter.pass.as_deref())),
        stdin,
        prompt,
        files: std::collections::BTreeMap::new(),
        redact: Vec::new(),
        limits: Limits {
            wall_ms: Some(launch.timeout_ms.unwrap_or(ATTEMPT_MS_MAX)),
            idle_ms: None,
            output_bytes_max: OUTPUT_BYTES_MAX,
            kill_grace_ms: KILL_GRACE_MS,
        },
    }
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
