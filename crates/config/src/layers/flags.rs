//! The layer of flags: what the command line says about one run.

use std::collections::BTreeMap;

use crate::agent::{Agent, AgentOptions};
use crate::check::{command_problem, from_flags};
use crate::condition::inside_tree;
use crate::limit::Limit;
use crate::problem::{Place, Problem, quoted};
use crate::settings::{Layer, Settings, Sourced};

/// What the flags of one command say. The binary fills it in as text; here it gets its meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// `--agent NAME`.
    pub agent: Option<String>,
    /// `--exec CMD`: any shell command as the agent.
    pub exec: Option<String>,
    /// `--sandbox`, `--model` and what follows `--`.
    pub options: AgentOptions,
    /// `--confine`: walls around agents and checks.
    pub confine: bool,
    /// `--prompt-file FILE`, relative to the repository.
    pub prompt_file: Option<String>,
    /// `--check [NAME=]CMD`, in the order given. They come beside the configured checks; a check of the same
    /// name is replaced.
    pub checks: Vec<String>,
    /// `--max-iterations N` and its like.
    pub limits: BTreeMap<Limit, String>,
}

/// What the flags say, and what is wrong with them. `taken` are the names of the configured checks.
pub(super) fn read(overrides: &Overrides, taken: &[&str]) -> (Settings, Vec<Problem>) {
    let mut settings = Settings::default();
    let mut problems = Vec::new();
    agent(overrides, &mut settings, &mut problems);
    if let Some(path) = &overrides.prompt_file {
        match inside_tree(path) {
            Ok(path) => settings.prompt = Some(flag(path, "--prompt-file")),
            Err(why) => problems.push(Problem::new(Place::Flag("--prompt-file"), why)),
        }
    }
    settings.confine.enabled = overrides.confine.then(|| flag(true, "--confine"));
    let (checks, wrong) = from_flags(&overrides.checks, taken);
    settings.checks = checks.into_iter().map(|check| flag(check, "--check")).collect();
    problems.extend(wrong.into_iter().map(|why| Problem::new(Place::Flag("--check"), why)));
    for (limit, text) in &overrides.limits {
        match limit.parse(text) {
            Ok(value) => {
                settings.limits.insert(*limit, flag(value, limit.flag()));
            }
            Err(why) => {
                problems.push(Problem::new(Place::Flag(limit.flag()), format!("{}: {why}", quoted(text))));
            }
        }
    }
    (settings, problems)
}

fn agent(overrides: &Overrides, settings: &mut Settings, problems: &mut Vec<Problem>) {
    if overrides.agent.is_some() && overrides.exec.is_some() {
        problems.push(Problem::new(Place::Flag("--exec"), "give `--agent` or `--exec`, not both"));
    }
    settings.agent = overrides.agent.clone().map(|name| flag(name, "--agent"));
    let Some(command) = &overrides.exec else { return };
    if let Some(why) = command_problem(command) {
        problems.push(Problem::new(Place::Flag("--exec"), why));
        return;
    }
    let command = ["sh", "-c", command].map(str::to_owned).to_vec();
    settings.agent = Some(flag("exec".to_owned(), "--exec"));
    settings.agents.push(flag(Agent::plain("exec", command), "--exec"));
}

fn flag<T>(value: T, name: &'static str) -> Sourced<T> {
    super::sourced(value, Layer::Flag, Place::Flag(name))
}
