//! The layer of flags: what the command line says about one run.

use std::collections::BTreeMap;

use crate::agent::{Agent, AgentOptions};
use crate::check::{command_problem, from_flags};
use crate::limit::Limit;
use crate::problem::{Place, Problem};
use crate::settings::{Layer, Settings, Sourced, entries, entry};

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
    /// `--no-confine`: none, whatever the files say.
    pub no_confine: bool,
    /// `--review AGENT`: who reads what was done.
    pub review: Option<String>,
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
    for entry in entries() {
        let Some((name, text)) = entry.flag.and_then(|flag| Some((flag, said(overrides, flag)?))) else {
            continue;
        };
        problems.extend((entry.parse)(&mut settings, flag(text, name)).err());
    }
    exec(overrides, &mut settings, &mut problems);
    let (checks, wrong) = from_flags(&overrides.checks, taken);
    settings.checks = checks.into_iter().map(|check| flag(check, "--check")).collect();
    problems.extend(wrong.into_iter().map(|why| Problem::new(Place::Flag("--check"), why)));
    for (limit, text) in &overrides.limits {
        let entry = entry("loop", limit.key()).expect("every limit is a setting");
        problems.extend((entry.parse)(&mut settings, flag(text.clone(), limit.flag())).err());
    }
    (settings, problems)
}

/// What a flag that sets one value says.
fn said(overrides: &Overrides, flag: &str) -> Option<String> {
    match flag {
        "--agent" => overrides.agent.clone(),
        "--review" => overrides.review.clone(),
        "--prompt-file" => overrides.prompt_file.clone(),
        "--confine" if overrides.no_confine => Some(false.to_string()),
        "--confine" => overrides.confine.then(|| true.to_string()),
        // Checks and limits have their own place, `--deadline` is understood where the clock is.
        _ => None,
    }
}

/// Any command as the agent.
fn exec(overrides: &Overrides, settings: &mut Settings, problems: &mut Vec<Problem>) {
    let Some(command) = &overrides.exec else { return };
    if overrides.agent.is_some() {
        problems.push(Problem::new(Place::Flag("--exec"), "give `--agent` or `--exec`, not both"));
    }
    if let Some(why) = command_problem(command) {
        problems.push(Problem::new(Place::Flag("--exec"), why));
        return;
    }
    let command = ["sh", "-c", command].map(str::to_owned).to_vec();
    settings.agent.name = Some(flag("exec".to_owned(), "--exec"));
    settings.agents.push(flag(Agent::plain("exec", command), "--exec"));
}

fn flag<T>(value: T, name: &'static str) -> Sourced<T> {
    Sourced { value, layer: Layer::Flag, place: Place::Flag(name) }
}
