//! From everything that was said, and a task, to what a loop is created with.
//!
//! Pure: the same files, environment and flags give the same `LoopConfig` or the same problems.

use piton_model::closest;
use piton_model::limits::{CHECKS_MAX, CONDITIONS_MAX, FALLBACKS_MAX, PROMPT_BYTES_MAX};
use piton_model::loop_machine::{
    AgentConfig, Injection, LoopConfig, NamedStop, Prompt, Review, SessionPolicy, StopCondition, StopLists,
};

use crate::agent::{self, Agent, AgentOptions};
use crate::condition::parse_condition;
use crate::files::Files;
use crate::layers::{Overrides, Resolved, settle};
use crate::problem::{Place, Problem, Problems, quoted};
use crate::settings::{Settings, entries};

const AGENT_HINT: &str = "give `--agent NAME` or `--exec CMD`, or name one as `[agent] use` in piton.toml";

/// What one loop is asked to do, beside the settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// `piton loop TASK`.
    pub text: Option<String>,
    /// `--until COND`, in the order given; all must hold.
    pub until: Vec<String>,
    /// The prompt file that is there although nobody named it: [`crate::files::find_prompt`].
    pub found_prompt: Option<String>,
    /// It ends without checks and conditions, too.
    pub ends_anyway: bool,
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
    let mut config = LoopConfig { agent, prompt, ..LoopConfig::default() };
    config.limits.idle_ms = idle_ms;
    entries().for_each(|entry| (entry.configure)(settings, &mut config));
    settings.switch.configure(&mut config);
    config.fallback.agents = fallbacks(settings, overrides, &mut problems);
    config.review = review(settings, &mut problems);
    config.confine = settings.confine.settled();
    config.prove = settings.guard.prove.as_ref().map_or(config.prove, |prove| prove.value);
    config.gaps = settings.gaps.required();
    config.notify = settings.settled_notify();
    config.hooks = settings.settled_hooks();
    config.file_digest = files.project.as_ref().map(|file| blake3::hash(&file.content).to_hex().to_string());
    config.until = until(task, &config.stop, &mut problems);
    // One that completes this run does not merely stop it.
    let until = &config.until;
    config.stop.conditions.retain(|named| !until.contains(named));
    if config.stop.success.is_empty() && !task.ends_anyway {
        exits(settings, &config.until, &mut problems);
    }
    Problems::or(problems, Plan { config, resolved })
}

/// What is wrong with the agent that was asked for, if one was.
pub(crate) fn agent_problem(settings: &Settings) -> Option<Problem> {
    let asked = settings.agent.name.as_ref()?;
    match agent::find(settings, &asked.value) {
        Some(_) => None,
        None => Some(unknown_agent(settings, &asked.value, &asked.place)),
    }
}

/// Nobody described an agent of this name.
fn unknown_agent(settings: &Settings, name: &str, place: &Place) -> Problem {
    let configured = settings.agents.iter().map(|agent| agent.value.run.name.as_str());
    let problem = Problem::new(place.clone(), format!("there is no agent {}", quoted(name)));
    match closest(name, configured.chain(agent::KNOWN_AGENTS)) {
        Some(meant) => problem.hint(format!("did you mean `{meant}`?")),
        None => problem.hint(format!(
            "known are {}; any other is a section `[agents.NAME]`, or `--exec CMD`",
            agent::KNOWN_AGENTS.map(|name| format!("`{name}`")).join(", ")
        )),
    }
}

/// The agent, and the silence after which it counts as hung.
fn agent(
    settings: &Settings,
    overrides: &Overrides,
    problems: &mut Vec<Problem>,
) -> (AgentConfig, Option<u64>) {
    let Some(asked) = &settings.agent.name else {
        problems.push(Problem::new(Place::Nowhere, "no agent is named").hint(AGENT_HINT));
        return (AgentConfig::default(), None);
    };
    // One that cannot be found was reported with the settings.
    let Some(found) = agent::find(settings, &asked.value) else { return (AgentConfig::default(), None) };
    let options =
        AgentOptions { confined: settings.confine.settled().is_some(), ..overrides.options.clone() };
    match as_it_works(settings, &found, &options, problems) {
        Some(run) => (run, found.idle_ms),
        None => (AgentConfig::default(), None),
    }
}

/// An agent with these options, as the settings have it work; nothing where that cannot be.
fn as_it_works(
    settings: &Settings,
    found: &Agent,
    options: &AgentOptions,
    problems: &mut Vec<Problem>,
) -> Option<AgentConfig> {
    match found.configured(options) {
        Ok(mut run) => {
            let forks =
                settings.loops.session.as_ref().filter(|session| session.value == SessionPolicy::Fork);
            if let Some(session) = forks.filter(|_| run.sessions.fork.is_empty()) {
                let why = format!("the agent `{}` cannot copy a session", run.name);
                problems.push(Problem::new(session.place.clone(), why).hint("use `fresh` or `continue`"));
            }
            if settings.agent.inject.as_ref().is_some_and(|inject| !inject.value) {
                run.inject = Injection::default();
            }
            run.pass = settings.agent.pass.as_ref().map(|pass| pass.value.clone());
            Some(run)
        }
        Err((flag, why)) => {
            problems.push(Problem::new(Place::Flag(flag), why));
            None
        }
    }
}

/// Who reads what was done. It stands between walls, so it is asked for nothing; a session of its own begins each time.
fn review(settings: &Settings, problems: &mut Vec<Problem>) -> Option<Review> {
    let asked = settings.ends.review.as_ref()?;
    let Some(found) = agent::find(settings, &asked.value) else {
        problems.push(unknown_agent(settings, &asked.value, &asked.place));
        return None;
    };
    match found.configured(&AgentOptions { confined: true, ..AgentOptions::default() }) {
        Ok(run) => {
            let pass = settings.agent.pass.as_ref().map(|pass| pass.value.clone());
            Some(Review::by(AgentConfig { inject: Injection::default(), pass, ..run }))
        }
        Err((_, why)) => {
            problems.push(Problem::new(asked.place.clone(), why));
            None
        }
    }
}

/// Those that go on while the agent cannot. The one that is used is none of them, whoever named it. A mode that was asked for holds
/// for them too, since what they may do is a person's to say; a model and further arguments are the other's.
fn fallbacks(settings: &Settings, overrides: &Overrides, problems: &mut Vec<Problem>) -> Vec<AgentConfig> {
    let Some(asked) = &settings.agent.fallback else { return Vec::new() };
    let used = settings.agent.name.as_ref().map(|name| name.value.as_str());
    let options = AgentOptions {
        mode: overrides.options.mode.clone(),
        confined: settings.confine.settled().is_some(),
        ..AgentOptions::default()
    };
    let mut agents: Vec<AgentConfig> = Vec::new();
    for name in asked.value.iter().filter(|name| Some(name.as_str()) != used) {
        let problem = |what: String| Problem::new(asked.place.clone(), what);
        if agents.iter().any(|agent| agent.name == *name) {
            problems.push(problem(format!("`fallback` names {} twice", quoted(name))));
            continue;
        }
        match agent::find(settings, name) {
            Some(found) => agents.extend(as_it_works(settings, &found, &options, problems)),
            None => problems.push(unknown_agent(settings, name, &asked.place)),
        }
    }
    if agents.len() > FALLBACKS_MAX {
        let message = format!("`fallback` names at most {FALLBACKS_MAX} agents");
        problems.push(Problem::new(asked.place.clone(), message));
    }
    agents
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

/// Whether a task, or a message to an agent, asks for anything: rulers, marks and comments of Markdown do not.
pub fn says_something(text: &str) -> bool {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!--") {
        if before.contains(char::is_alphanumeric) {
            return true;
        }
        let Some((_, after)) = after.split_once("-->") else { return false };
        rest = after;
    }
    rest.contains(char::is_alphanumeric)
}

fn prompt(settings: &Settings, overrides: &Overrides, task: &Task, problems: &mut Vec<Problem>) -> Prompt {
    if let Some(text) = &task.text {
        if overrides.prompt_file.is_some() {
            let message = "give the task as text or as `--prompt-file`, not both";
            problems.push(Problem::new(Place::Flag("--prompt-file"), message));
        }
        if text.len() > PROMPT_BYTES_MAX {
            problems.push(Problem::new(Place::Nowhere, "the task is larger than 1 MiB"));
        } else if !says_something(text) {
            problems.push(Problem::new(Place::Nowhere, "the task says nothing"));
        }
        return Prompt::Text(text.clone());
    }
    let named = settings.loops.prompt.as_ref().map(|prompt| prompt.value.clone());
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

fn until(task: &Task, stop: &StopLists, problems: &mut Vec<Problem>) -> Vec<NamedStop> {
    let named: Vec<_> = stop.all().filter(|named| named.name.is_some()).cloned().collect();
    let mut conditions: Vec<NamedStop> = Vec::new();
    for text in &task.until {
        let meant = named.iter().find(|named| named.name.as_deref() == Some(text.trim()));
        match meant.map_or_else(|| parse_condition(text), |named| Ok(named.clone())) {
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
fn exits(settings: &Settings, until: &[NamedStop], problems: &mut Vec<Problem>) {
    let hint = "give `--check CMD`, or run `piton init` to find the checks of this project";
    if settings.checks.len() > CHECKS_MAX {
        problems.push(Problem::new(Place::Nowhere, format!("a run has at most {CHECKS_MAX} checks")));
    }
    if !settings.checks.is_empty() {
        return;
    }
    // Where a check or a condition was given and is wrong, that is the problem.
    let given = |flag| problems.iter().any(|problem| problem.place == Place::Flag(flag));
    if until.iter().any(|named| matches!(named.condition, StopCondition::ChecksPass(_))) {
        let message = "`checks-pass` needs at least one check";
        problems.push(Problem::new(Place::Flag("--until"), message).hint(hint));
    } else if until.is_empty() && !given("--check") && !given("--until") {
        let message = "nothing would stop this loop: it has no check and no condition";
        problems.push(Problem::new(Place::Nowhere, message).hint(hint));
    }
}
