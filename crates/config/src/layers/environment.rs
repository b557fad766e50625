//! The layer of `PITON_*` variables. An empty one counts as unset.

use crate::limit::Limit;
use crate::problem::{Place, Problem, quoted};
use crate::read::{ON_LOST_WORDS, SESSION_WORDS};
use crate::settings::{Layer, Settings, Sourced};

/// The variables that say something about a run, and what each of them sets.
///
/// Others have other owners: `PITON_CONFIG_DIR` and `PITON_STORE` say where things are, and an agent gets
/// `PITON_RUN_ID`, `PITON_PROMPT_FILE` and their like.
pub const VARIABLES: [(&str, &str); 14] = [
    ("PITON_AGENT", "agent.use"),
    ("PITON_SESSION", "loop.session"),
    ("PITON_ON_LOST", "loop.on_lost"),
    ("PITON_MAX_ITERATIONS", "loop.max_iterations"),
    ("PITON_MAX_DURATION", "loop.max_duration"),
    ("PITON_NO_PROGRESS", "loop.no_progress"),
    ("PITON_FAILURE_STREAK", "loop.failure_streak"),
    ("PITON_MAX_COST", "loop.max_cost_usd"),
    ("PITON_MAX_TOKENS", "loop.max_tokens"),
    ("PITON_ATTEMPT_TIMEOUT", "loop.attempt_timeout"),
    ("PITON_IDLE_TIMEOUT", "loop.idle_timeout"),
    ("PITON_MAX_FILES", "loop.max_files"),
    ("PITON_MAX_LINES", "loop.max_lines"),
    ("PITON_MAX_REBOOTS", "loop.max_reboots"),
];

/// What the environment says, and what is wrong with it.
pub(super) fn read(variable: &dyn Fn(&str) -> Option<String>) -> (Settings, Vec<Problem>) {
    let mut settings = Settings::default();
    let mut problems = Vec::new();
    let get = |name: &'static str| {
        let value = variable(name).filter(|value| !value.trim().is_empty())?;
        Some(super::sourced(value.trim().to_owned(), Layer::Environment, Place::Variable(name)))
    };
    settings.agent = get("PITON_AGENT");
    settings.session = get("PITON_SESSION").and_then(|value| word(value, &SESSION_WORDS, &mut problems));
    settings.on_lost = get("PITON_ON_LOST").and_then(|value| word(value, &ON_LOST_WORDS, &mut problems));
    for limit in Limit::ALL {
        let Some(text) = get(limit.variable()) else { continue };
        match limit.parse(&text.value) {
            Ok(value) => {
                settings.limits.insert(limit, text.map(|_| value));
            }
            Err(why) => problems.push(Problem::new(text.place, format!("{}: {why}", quoted(&text.value)))),
        }
    }
    (settings, problems)
}

fn word<T: Copy>(
    text: Sourced<String>,
    words: &[(&'static str, T)],
    problems: &mut Vec<Problem>,
) -> Option<Sourced<T>> {
    if let Some((_, meaning)) = words.iter().find(|(word, _)| *word == text.value) {
        return Some(text.map(|_| *meaning));
    }
    let known: Vec<_> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
    let message = format!("unknown value {}", quoted(&text.value));
    problems.push(Problem::new(text.place, message).hint(format!("use {}", known.join(" or "))));
    None
}
