//! Lists of tasks, as people and other tools keep them: what is on them, and how one is ticked.
//!
//! A Markdown file with `- [ ]`, the `prd.json` of other tools, the prompt files of a directory, the issues that a forge lists.
//! Reading one gives [`Listed`] tasks; [`named`] makes items of them, or says everything that stands in the way at once. Ticking is
//! an edit of the text: one mark changes, and every other byte stays.
//!
//! What an issue says was written by others. It becomes the text of a task, and nothing else: neither a check nor a limit nor an
//! order of items is read from it.

mod issues;
mod json;
mod markdown;
mod place;
mod prd;
mod prompts;

use std::collections::{BTreeMap, HashMap};

use piton_model::slug;
use piton_model::workflow::StepId;

pub use issues::read as read_issues;
pub use markdown::{read as read_markdown, tick as tick_markdown};
pub use place::{TickError, tick_in_place};
pub use prd::{read as read_prd, tick as tick_prd};
pub use prompts::read as read_prompt;

/// Most items of a list: nobody's night is longer.
pub const LISTED_MAX: usize = 1_000;

/// What names of items are cut to: a run is called after its item, with digits of its own.
const NAME_BYTES_MAX: usize = 48;

/// A task, as its list has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// What it is called there, where it has a name.
    pub id: Option<String>,
    /// One line.
    pub title: String,
    /// What is to be done, all of it.
    pub task: String,
    /// The names or titles of those that come before.
    pub after: Vec<String>,
    /// Its own checks, as `[NAME=]COMMAND`.
    pub checks: Vec<String>,
    /// Its own ceilings.
    pub ceilings: Ceilings,
    /// What it is found by again, to be ticked.
    pub entry: String,
    /// Where it stands, for people.
    pub place: String,
    pub is_done: bool,
}

/// Ceilings of one task, as they were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ceilings {
    pub iterations: Option<String>,
    pub duration: Option<String>,
    pub cost: Option<String>,
    pub tokens: Option<String>,
}

impl Listed {
    /// Takes what a line `KEY: VALUE` says of the task; `false` where it says nothing of the kind.
    fn takes(&mut self, line: &str) -> bool {
        let Some((key, value)) = line.split_once(':') else { return false };
        let value = value.trim();
        if value.is_empty() {
            return false;
        }
        let ceiling = match key {
            "id" => &mut self.id,
            "max-iterations" => &mut self.ceilings.iterations,
            "max-duration" => &mut self.ceilings.duration,
            "max-cost" => &mut self.ceilings.cost,
            "max-tokens" => &mut self.ceilings.tokens,
            "check" => {
                self.checks.push(value.to_owned());
                return true;
            }
            "after" => {
                self.after.extend(value.split(',').map(|name| name.trim().to_owned()));
                return true;
            }
            _ => return false,
        };
        *ceiling = Some(value.to_owned());
        true
    }
}

/// A task with its name, and the names of those that come before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub id: StepId,
    pub after: Vec<StepId>,
    pub listed: Listed,
}

/// The tasks that are still to be done, each with a name that no other has; or everything that is wrong with the list. `taken` are names
/// that are given already, of items that one may come after.
pub fn named(listed: Vec<Listed>, taken: &[StepId]) -> Result<Vec<Named>, Vec<String>> {
    let mut problems = twice(&listed);
    let mut ids: Vec<StepId> = Vec::new();
    for task in &listed {
        let mut is_taken = |id: &StepId| taken.iter().chain(&ids).any(|known| known.key() == id.key());
        match name_of(task, &mut is_taken) {
            Ok(id) => ids.push(id),
            Err(why) => {
                problems.push(why);
                ids.push(StepId::default());
            }
        }
    }
    let mut known: HashMap<String, &StepId> = taken.iter().map(|id| (id.key(), id)).collect();
    for (task, id) in listed.iter().zip(&ids) {
        let names = [Some(id.as_str()), task.id.as_deref(), Some(&task.title), Some(&task.entry)];
        names.into_iter().flatten().for_each(|name| {
            known.entry(name.to_ascii_lowercase()).or_insert(id);
        });
    }
    let done: Vec<&StepId> =
        listed.iter().zip(&ids).filter(|(task, _)| task.is_done).map(|(_, id)| id).collect();
    let mut named = Vec::new();
    for (task, id) in listed.iter().zip(&ids).filter(|(task, _)| !task.is_done) {
        let mut after = Vec::new();
        for name in &task.after {
            match known.get(&name.trim_start_matches('#').to_ascii_lowercase()) {
                // What is ticked already is nothing to wait for.
                Some(other) if done.contains(other) => {}
                Some(other) if *other == id => {
                    problems.push(format!("{}: `{}` comes after itself", task.place, task.title));
                }
                Some(other) if after.contains(*other) => {}
                Some(other) => after.push(StepId::clone(other)),
                None => problems.push(format!(
                    "{}: `{}` comes after `{name}`, which is not on the list",
                    task.place, task.title
                )),
            }
        }
        named.push(Named { id: id.clone(), after, listed: task.clone() });
    }
    if named.len() > LISTED_MAX {
        problems
            .push(format!("{} tasks are more than the {LISTED_MAX} that one queue may have", named.len()));
    }
    problems.extend(circle(&named));
    if problems.is_empty() { Ok(named) } else { Err(problems) }
}

/// Tasks that are there twice: which of them was done could not be told.
fn twice(listed: &[Listed]) -> Vec<String> {
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    let mut problems = Vec::new();
    for task in listed.iter().filter(|task| !task.is_done) {
        match first.get(task.entry.as_str()) {
            Some(place) => {
                problems
                    .push(format!("{}: `{}` is there twice; the first is {place}", task.place, task.title));
            }
            None => drop(first.insert(&task.entry, &task.place)),
        }
    }
    problems
}

fn name_of(task: &Listed, is_taken: &mut dyn FnMut(&StepId) -> bool) -> Result<StepId, String> {
    if let Some(given) = &task.id {
        let id = StepId::new(given);
        if !id.is_sound() || given.len() > NAME_BYTES_MAX {
            return Err(format!(
                "{}: `{}` cannot name an item: use 1 to {NAME_BYTES_MAX} letters, digits, `-` or `_`, beginning with a letter or digit",
                task.place,
                given.escape_debug()
            ));
        }
        return if is_taken(&id) {
            Err(format!("{}: the name `{given}` is there twice", task.place))
        } else {
            Ok(id)
        };
    }
    // A title without a letter that a name may have is no name.
    let has_letters = task.title.chars().any(|letter| letter.is_ascii_alphanumeric());
    let mut stem = if has_letters { slug(&task.title) } else { String::new() };
    while stem.len() > NAME_BYTES_MAX - 4 {
        stem.pop();
    }
    let stem = match stem.trim_matches('-') {
        "" => "item",
        stem => stem,
    };
    let names = std::iter::once(stem.to_owned()).chain((2..).map(|number| format!("{stem}-{number}")));
    let mut free = names.map(StepId::new).filter(|id| !is_taken(id));
    free.next().ok_or_else(|| format!("{}: no name is left", task.place))
}

/// Tasks that come after each other in a circle.
fn circle(named: &[Named]) -> Option<String> {
    let mut left: Vec<&Named> = named.iter().collect();
    loop {
        let is_left = |id: &StepId| left.iter().any(|other| other.id == *id);
        let (held, free): (Vec<&Named>, Vec<&Named>) =
            left.iter().partition(|task| task.after.iter().any(&is_left));
        if free.is_empty() {
            break;
        }
        left = held;
    }
    let mut next = *left.first()?;
    let mut path: Vec<&StepId> = Vec::new();
    while !path.contains(&&next.id) {
        path.push(&next.id);
        next = next.after.iter().find_map(|id| left.iter().find(|other| other.id == *id))?;
    }
    let from = path.iter().position(|id| **id == next.id).unwrap_or(0);
    let names: Vec<String> = path[from..].iter().chain([&&next.id]).map(|id| format!("`{id}`")).collect();
    Some(format!("these come after each other in a circle: {}", names.join(" → ")))
}
