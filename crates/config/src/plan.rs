//! From everything that was said, and a task, to what a loop is created with.
//!
//! Pure: the same files, environment and flags give the same `LoopConfig` or the same problems.

use piton_model::ledger::DEFAULT_TTL_DAYS;
use piton_model::limits::{CHECKS_MAX, CONDITIONS_MAX, PROMPT_BYTES_MAX};
use piton_model::loop_machine::{
    AgentConfig, Condition, Confine, Injection, Limits, LoopConfig, Prompt, RequiredGaps, SessionPolicy,
    StopLists,
};

use crate::agent::{self, AgentOptions};
use crate::condition::parse_condition;
use crate::files::Files;
use crate::layers::{Overrides, Resolved, settle};
use crate::problem::{Place, Problem, Problems, quoted};
use crate::settings::{Settings, Sourced};
use crate::suggest::closest;

/// How much of a prompt findings may take where nothing is said.
const PROMPT_TOKENS: u32 = 2_000;

const AGENT_HINT: &str = "give `--agent NAME`, `--exec CMD`, or run `piton init`";

/// What one loop is asked to do, beside the settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// `piton loop TASK`.
    pub text: Option<String>,
    /// `--until COND`, in the order given; all must hold.
    pub until: Vec<String>,
    /// The prompt file that is there although nobody named it: [`crate::files::find_prompt`].
    pub found_prompt: Option<String>,
}

/// A loop as it will be created, and how it came to be that.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What the loop is created with.
    pub config: LoopConfig,
    /// Every setting with its source, and what to tell a person.
    pub resolved: Resolved,
}

/// What a loop is created with; or everything that stands in its way.
pub fn plan(
    files: &Files,
    variable: &dyn Fn(&str) -> Option<String>,
    overrides: &Overrides,
    task: &Task,
) -> Result<Plan, Problems> {
    let (resolved, mut problems) = settle(files, variable, overrides);
    let settings = &resolved.settings;
    let (agent, idle_ms) = agent(settings, overrides, &mut problems);
    let prompt = prompt(settings, overrides, task, &mut problems);
    let mut stop = settings.stop.as_ref().map(|lists| lists.value.clone()).unwrap_or_default();
    let until = until(task, &stop, &mut problems);
    // One that completes this run does not merely stop it.
    stop.conditions.retain(|named| !until.contains(&Condition::Stop(named.clone())));
    if stop.success.is_empty() {
        exits(settings, &until, &mut problems);
    }
    let mut limits = Limits { idle_ms, ..Limits::default() };
    for (limit, value) in &settings.limits {
        limit.set(&mut limits, value.value);
    }
    let config = LoopConfig {
        prompt,
        agent,
        checks: settings.checks.iter().map(|check| check.value.clone()).collect(),
        until,
        stop,
        limits,
        on_lost: settings.on_lost.as_ref().map(|policy| policy.value).unwrap_or_default(),
        session: settings.session.as_ref().map(|policy| policy.value).unwrap_or_default(),
        redline: settings.redline.as_ref().map(|said| said.value).unwrap_or_default(),
        reboot: settings.reboot.as_ref().map(|said| said.value.clone()).unwrap_or_default(),
        worktree: None,
        guard: settings.guard.as_ref().map(|mode| mode.value).unwrap_or_default(),
        protect: list(&settings.protect),
        rules_off: settings.rules_off.as_ref().map(|rules| rules.value.clone()).unwrap_or_default(),
        thresholds: settings.thresholds.as_ref().map(|said| said.value).unwrap_or_default(),
        reinforcement: settings.reinforcement.as_ref().map(|said| said.value).unwrap_or_default(),
        recovery: settings.recovery.as_ref().map(|said| said.value).unwrap_or_default(),
        metrics: settings.metrics.iter().map(|metric| metric.value.clone()).collect(),
        confine: is(&settings.confine.enabled).then(|| Confine { write: list(&settings.confine.write) }),
        on_done: None,
        gaps: required_gaps(settings),
        notify: settings.notify.settled(),
        hooks: settings.hooks.settled(),
        prompts: settings.prompts.as_ref().map(|said| said.value.clone()).unwrap_or_default(),
        file_digest: files.project.as_ref().map(|file| blake3::hash(&file.content).to_hex().to_string()),
        mode: settings.mode.as_ref().map(|said| said.value.clone()).unwrap_or_default(),
    };
    Problems::or(problems, Plan { config, resolved })
}

/// The gaps that `[gaps] require` names.
fn required_gaps(settings: &Settings) -> Option<RequiredGaps> {
    let gaps = &settings.gaps;
    let ids = list(&gaps.require);
    (!ids.is_empty()).then(|| RequiredGaps {
        file: gaps.file.as_ref().map_or_else(|| "gaps.yaml".to_owned(), |file| file.value.clone()),
        ids,
        default_ttl_days: gaps.default_ttl_days.as_ref().map_or(DEFAULT_TTL_DAYS, |days| days.value),
        tokens: gaps.prompt_tokens.as_ref().map_or(PROMPT_TOKENS, |tokens| tokens.value),
    })
}

fn list(setting: &Option<Sourced<Vec<String>>>) -> Vec<String> {
    setting.as_ref().map(|list| list.value.clone()).unwrap_or_default()
}

fn is(setting: &Option<Sourced<bool>>) -> bool {
    setting.as_ref().is_some_and(|flag| flag.value)
}

/// What is wrong with the agent that was asked for, if one was.
pub(crate) fn agent_problem(settings: &Settings) -> Option<Problem> {
    let asked = settings.agent.as_ref()?;
    let name = asked.value.as_str();
    if agent::find(settings, name).is_some() {
        return None;
    }
    let configured = settings.agents.iter().map(|agent| agent.value.run.name.as_str());
    let message = format!("there is no agent {}", quoted(name));
    let problem = Problem::new(asked.place.clone(), message);
    Some(match closest(name, configured.chain(agent::KNOWN_AGENTS)) {
        Some(meant) => problem.hint(format!("did you mean `{meant}`?")),
        None => problem.hint(format!(
            "known are {}; any other is a section `[agents.NAME]`, or `--exec CMD`",
            agent::KNOWN_AGENTS.map(|name| format!("`{name}`")).join(", ")
        )),
    })
}

/// The agent, and the silence after which it counts as hung.
fn agent(
    settings: &Settings,
    overrides: &Overrides,
    problems: &mut Vec<Problem>,
) -> (AgentConfig, Option<u64>) {
    let Some(asked) = &settings.agent else {
        problems.push(Problem::new(Place::Nowhere, "no agent is named").hint(AGENT_HINT));
        return (AgentConfig::default(), None);
    };
    // One that cannot be found was reported with the settings.
    let Some(found) = agent::find(settings, &asked.value) else { return (AgentConfig::default(), None) };
    let options = AgentOptions { confined: is(&settings.confine.enabled), ..overrides.options.clone() };
    match found.configured(&options) {
        Ok(mut run) => {
            let forks = settings.session.as_ref().filter(|session| session.value == SessionPolicy::Fork);
            if let Some(session) = forks.filter(|_| run.sessions.fork.is_empty()) {
                let why = format!("the agent `{}` cannot copy a session", run.name);
                problems.push(Problem::new(session.place.clone(), why).hint("use `fresh` or `continue`"));
            }
            if settings.inject.as_ref().is_some_and(|inject| !inject.value) {
                run.inject = Injection::default();
            }
            run.pass = settings.pass.as_ref().map(|pass| pass.value.clone());
            (run, found.idle_ms)
        }
        Err((flag, why)) => {
            problems.push(Problem::new(Place::Flag(flag), why));
            (AgentConfig::default(), None)
        }
    }
}

/// The agent that is configured, for work that is no loop, and how long it may be silent; or what is wrong.
pub fn configured_agent(
    resolved: &Resolved,
    overrides: &Overrides,
) -> Result<(AgentConfig, Option<u64>), Problems> {
    let mut problems = Vec::new();
    let found = agent(&resolved.settings, overrides, &mut problems);
    Problems::or(problems, found)
}

fn prompt(settings: &Settings, overrides: &Overrides, task: &Task, problems: &mut Vec<Problem>) -> Prompt {
    if let Some(text) = &task.text {
        if overrides.prompt_file.is_some() {
            let message = "give the task as text or as `--prompt-file`, not both";
            problems.push(Problem::new(Place::Flag("--prompt-file"), message));
        }
        if text.trim().is_empty() || text.len() > PROMPT_BYTES_MAX {
            problems.push(Problem::new(Place::Nowhere, "the task is empty or larger than 1 MiB"));
        }
        return Prompt::Text(text.clone());
    }
    let named = settings.prompt.as_ref().map(|prompt| prompt.value.clone());
    // One that was named wrongly is a problem already.
    let named = named.or_else(|| overrides.prompt_file.clone());
    match named.or_else(|| task.found_prompt.clone()) {
        Some(path) => Prompt::File(path),
        None => {
            let hint = "write `piton loop \"what to do\"`, or put it into `PROMPT.md`";
            problems.push(Problem::new(Place::Nowhere, "there is no task").hint(hint));
            Prompt::Text(String::new())
        }
    }
}

fn until(task: &Task, stop: &StopLists, problems: &mut Vec<Problem>) -> Vec<Condition> {
    let named: Vec<_> = stop.all().filter(|named| named.name.is_some()).cloned().collect();
    let mut conditions: Vec<Condition> = Vec::new();
    for text in &task.until {
        let meant = named.iter().find(|named| named.name.as_deref() == Some(text.trim()));
        match meant.map_or_else(|| parse_condition(text), |named| Ok(Condition::Stop(named.clone()))) {
            Ok(condition) if conditions.contains(&condition) => {}
            Ok(condition) => conditions.push(condition),
            Err(why) => problems.push(Problem::new(Place::Flag("--until"), why)),
        }
    }
    if conditions.len() > CONDITIONS_MAX {
        let message = format!("a run has at most {CONDITIONS_MAX} conditions");
        problems.push(Problem::new(Place::Flag("--until"), message));
    }
    conditions
}

/// No run without an exit: something must be able to say that it is done.
fn exits(settings: &Settings, until: &[Condition], problems: &mut Vec<Problem>) {
    let hint = "give `--check CMD`, or run `piton init` to find the checks of this project";
    if settings.checks.len() > CHECKS_MAX {
        problems.push(Problem::new(Place::Nowhere, format!("a run has at most {CHECKS_MAX} checks")));
    }
    if !settings.checks.is_empty() {
        return;
    }
    // Where a check or a condition was given and is wrong, that is the problem.
    let given = |flag| problems.iter().any(|problem| problem.place == Place::Flag(flag));
    if until.contains(&Condition::ChecksPass) {
        let message = "`checks-pass` needs at least one check";
        problems.push(Problem::new(Place::Flag("--until"), message).hint(hint));
    } else if until.is_empty() && !given("--check") && !given("--until") {
        let message = "nothing would stop this loop: it has no check and no condition";
        problems.push(Problem::new(Place::Nowhere, message).hint(hint));
    }
}
