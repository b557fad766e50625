//! Which layer wins: built-in defaults < user < project < environment < flags, and the user's limits are caps.
//!
//! A later layer replaces a scalar; checks and agents are merged by name, in order; patterns to redact only
//! ever add up. A limit in the user's file is a ceiling for all later layers: the smaller wins, and a [`Note`]
//! says so.

mod environment;
mod flags;
#[cfg(test)]
mod tests;

use std::fmt;

pub use environment::variables;
pub use flags::Overrides;

use crate::files::{Document, Files};
use crate::limit::Limit;
use crate::plan::agent_problem;
use crate::problem::{Problem, Problems};
use crate::read;
use crate::settings::{Layer, Settings, Sourced};

/// What all layers say together.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// Every value, with the layer it came from.
    pub settings: Settings,
    /// What a person should be told: limits that were asked for and capped.
    pub notes: Vec<Note>,
}

/// A limit that is lower than asked for, because the user's own limits are caps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub limit: Limit,
    /// What was asked for.
    pub asked: Sourced<u64>,
    /// The cap that holds instead.
    pub cap: Sourced<u64>,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limit, asked, cap } = self;
        let (key, wanted, holds) = (limit.key(), limit.format(asked.value), limit.format(cap.value));
        write!(
            f,
            "`{key}` is {holds}, not {wanted} ({}): your own limits are caps ({})",
            asked.place, cap.place
        )
    }
}

/// What files, environment and flags say together; or everything that is wrong with them.
///
/// `variable` is the environment as data. See [`variables`] for the names that are looked up.
pub fn resolve(
    files: &Files,
    variable: &dyn Fn(&str) -> Option<String>,
    overrides: &Overrides,
) -> Result<Resolved, Problems> {
    let (resolved, problems) = settle(files, variable, overrides);
    Problems::or(problems, resolved)
}

/// The same, as far as it can be told, with what is wrong beside it.
pub(crate) fn settle(
    files: &Files,
    variable: &dyn Fn(&str) -> Option<String>,
    overrides: &Overrides,
) -> (Resolved, Vec<Problem>) {
    let (user, mut problems) = file_layer(files.user.as_ref(), Layer::User);
    let (project, wrong) = file_layer(files.project.as_ref(), Layer::Project);
    problems.extend(wrong);
    let (environment, wrong) = environment::read(variable);
    problems.extend(wrong);
    let mut notes = Vec::new();
    let mut settings = Settings::built_in();
    for layer in [user.clone(), project, environment] {
        settings = overlay(settings, layer, &user, &mut notes);
    }
    let taken: Vec<_> = settings.checks.iter().map(|check| check.value.name.as_str()).collect();
    let (flags, wrong) = flags::read(overrides, &taken);
    problems.extend(wrong);
    settings = overlay(settings, flags, &user, &mut notes);
    problems.extend(agent_problem(&settings));
    problems.extend(settings.channel_problems());
    (Resolved { settings, notes }, problems)
}

fn file_layer(document: Option<&Document>, layer: Layer) -> (Settings, Vec<Problem>) {
    let Some(document) = document else { return (Settings::default(), Vec::new()) };
    match std::str::from_utf8(&document.content) {
        Ok(text) => read::read(text, &document.name, layer),
        Err(_) => (Settings::default(), vec![read::not_text(&document.name)]),
    }
}

fn overlay(lower: Settings, mut upper: Settings, user: &Settings, notes: &mut Vec<Note>) -> Settings {
    let limits = std::mem::take(&mut upper.limits);
    let mut settings = lower.overlaid_by(upper);
    for (limit, asked) in limits {
        // A later layer may ask again; what it says about this limit is all that counts.
        notes.retain(|note| note.limit != limit);
        let holds = match user.limits.get(&limit) {
            Some(cap) if cap.value < asked.value => {
                notes.push(Note { limit, asked, cap: cap.clone() });
                cap.clone()
            }
            _ => asked,
        };
        settings.limits.insert(limit, holds);
    }
    settings
}
