//! How a cycle, and each of its iterations, begins; and what a team may look like.

use std::collections::BTreeSet;

use super::config::{Config, Role, RoleName, version_of};
use super::event::CycleEvent as Event;
use super::facts::{Feedback, FeedbackKind, Imported};
use super::judge;
use super::limits::{ROLES_MAX, TITLE_CHARS_MAX};
use super::state::State;
use crate::limits::PROMPT_BYTES_MAX;
use crate::loop_machine::Snapshot;
use crate::rejection::Rejection;
use crate::status::Kind;
use crate::{RunId, Timestamp};

/// What no role can be called: directories and speakers of piton's own.
const RESERVED_ROLES: [&str; 8] =
    ["coordination", "history", "user", "guard", "checks", "init", "aggregation", "complete"];

/// The directory of what all roles share.
const SHARED: &str = "coordination";

/// What piton itself writes into the directory of a role, or reads there as something else than a document.
const RESERVED_FILES: [&str; 5] =
    ["changes.log", "history", "test-results.json", "debug-log.ndjson", "discoveries.ndjson"];

/// What a new cycle is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// Its name.
    pub run: RunId,
    pub config: Config,
    /// What it begins with that is no work of its own.
    pub imported: Option<Imported>,
    /// The last judged tree, where the one that it begins in is not judged.
    pub base: Option<Snapshot>,
}

/// The first event of a cycle.
pub fn create(order: Order) -> Result<Event, Rejection> {
    let Order { run, config, imported, base } = order;
    let bad = |text: &str| Err(Rejection::BadConfig(text.to_owned()));
    if config.task.trim().is_empty() {
        return bad("a cycle needs a task");
    }
    for (what, text) in [("task", &config.task), ("description", &config.description)] {
        if text.len() > PROMPT_BYTES_MAX {
            return Err(Rejection::BadConfig(format!(
                "the {what} is larger than 1 MiB; name a file in it that says the rest"
            )));
        }
    }
    if config.limits.iterations == 0 {
        return bad("`--max-iterations` is at least 1");
    }
    check_team(&config.roles).map_err(Rejection::BadConfig)?;
    let title = title_of(&config.task);
    Ok(Event::RunCreated {
        run,
        kind: Kind::Cycle,
        title,
        config: Box::new(config),
        imported: imported.map(Box::new),
        base: base.map(Box::new),
    })
}

/// The beginning of a task, on one line.
pub fn title_of(task: &str) -> String {
    let line = task.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|character| !character.is_control()).take(TITLE_CHARS_MAX).collect()
}

/// What is wrong with a team, if anything is: the first thing that is found.
pub fn check_team(roles: &[Role]) -> Result<(), String> {
    if roles.is_empty() || roles.len() > ROLES_MAX {
        return Err(format!("a team has 1 to {ROLES_MAX} roles"));
    }
    let mut names = BTreeSet::new();
    for role in roles {
        let name = &role.name;
        if !name.is_sound() {
            return Err(format!("`{name}` cannot be the name of a role: small letters, digits, `-` and `_`"));
        }
        if RESERVED_ROLES.contains(&name.as_str()) {
            return Err(format!("`{name}` cannot be the name of a role: piton uses that name itself"));
        }
        if !names.insert(name) {
            return Err(format!("two roles are called `{name}`"));
        }
    }
    for role in roles {
        for other in role.after.iter().chain(&role.feedback_to) {
            if !names.contains(other) {
                return Err(format!("role `{}` names `{other}`, which is no role", role.name));
            }
        }
        for path in &role.reads {
            check_read(role, path, &names)?;
        }
        for file in &role.writes {
            check_document(role, file)?;
        }
    }
    match waits_for_itself(roles) {
        Some(name) => Err(format!("role `{name}` waits for itself, by way of `after`")),
        None => Ok(()),
    }
}

/// What a role is told to read lies with a role of the team, or with what all of them share.
fn check_read(role: &Role, path: &str, names: &BTreeSet<&RoleName>) -> Result<(), String> {
    match path.split_once('/') {
        Some((of, file)) if !file.is_empty() => {
            let is_there = of == SHARED || names.contains(&RoleName::from(of));
            let why = format!("role `{}` reads `{path}`, and `{of}` is no role", role.name);
            if is_there { Ok(()) } else { Err(why) }
        }
        _ => Err(format!("role `{}` reads `{path}`, which is no `ROLE/FILE`", role.name)),
    }
}

/// Each role has a directory of its own, so two roles never write the same file; one that reaches out of it could.
fn check_document(role: &Role, file: &str) -> Result<(), String> {
    let is_name = !file.is_empty() && !file.starts_with('.') && !file.contains(['/', '\\', '\0']);
    if !is_name {
        return Err(format!("role `{}` writes `{file}`, which is no file of its own directory", role.name));
    }
    if RESERVED_FILES.iter().any(|reserved| file.eq_ignore_ascii_case(reserved)) {
        let name = &role.name;
        return Err(format!(
            "role `{name}` writes `{file}`, which is a file of piton's; choose another name"
        ));
    }
    let times = role.writes.iter().filter(|other| *other == file).count();
    if times > 1 {
        return Err(format!("role `{}` writes `{file}` twice", role.name));
    }
    Ok(())
}

fn waits_for_itself(roles: &[Role]) -> Option<&RoleName> {
    // Whoever waits only for roles that are done is done; who is left over waits for itself.
    let mut left: Vec<&Role> = roles.iter().collect();
    loop {
        let waits = |role: &&Role| role.after.iter().any(|name| left.iter().any(|other| other.name == *name));
        let still: Vec<&Role> = left.iter().copied().filter(waits).collect();
        if still.len() == left.len() {
            return still.first().map(|role| &role.name);
        }
        left = still;
    }
}

/// The roles of a team that work again when these do: they themselves, and all that waits for them.
pub(super) fn with_followers(roles: &[Role], names: &[RoleName]) -> Vec<RoleName> {
    let mut affected: BTreeSet<&RoleName> = names.iter().collect();
    loop {
        let follows = |role: &&Role| {
            !affected.contains(&role.name) && role.after.iter().any(|name| affected.contains(name))
        };
        let more: Vec<_> = roles.iter().filter(follows).map(|role| &role.name).collect();
        if more.is_empty() {
            break;
        }
        affected.extend(more);
    }
    roles.iter().map(|role| &role.name).filter(|name| affected.contains(name)).cloned().collect()
}

/// The next iteration: by an extension from the beginning, else with those whom the last one's verdict names.
pub(super) fn next_iteration(state: &State, now: Timestamp) -> Option<Event> {
    let iteration = state.iteration + 1;
    let extension = state.requests.extensions.front().filter(|_| state.iteration > 0).cloned();
    let is_first = state.iteration == 0 || extension.is_some();
    let roles = match is_first {
        true => state.config.roles.iter().map(|role| role.name.clone()).collect(),
        false => state.current.next.clone(),
    };
    // Whoever waits for nobody hears of what was added first.
    let firsts = state.config.roles.iter().filter(|role| role.after.is_empty());
    let feedback = extension.iter().flat_map(|extension| {
        firsts.clone().map(|role| Feedback {
            at: now,
            source: "user".to_owned(),
            target: role.name.clone(),
            content: extension.text.clone(),
            kind: FeedbackKind::RequirementUpdate,
        })
    });
    let feedback = feedback.collect();
    let (version, gate) = (version_of(iteration), judge::gate_of(state, iteration));
    Some(Event::IterationStarted { iteration, version, extension, roles, gate, feedback })
}
