//! Who was told what, and what the published logs say: nothing is lost, nothing comes twice, and what waits is bounded.

use super::Journal;
use crate::checker::data::Data;
use crate::checker::{Checked, violated};
use crate::history::Name;

/// Entries that wait for the next prompt of one role.
const WAITING_MAX: usize = 16;

/// What a role is told with its next prompt.
#[derive(Default)]
pub(super) struct Hearing {
    waiting: Vec<String>,
    /// What made room since its attempt was recorded. Whoever wrote its prompt need not have heard of that yet.
    made_room: Vec<String>,
    /// So many of them were there when its attempt was recorded.
    at_start: usize,
    /// So many of them its prompt had.
    prompted: usize,
}

impl Hearing {
    fn add(&mut self, content: String) {
        self.waiting.push(content);
        if self.waiting.len() > WAITING_MAX {
            self.made_room.push(self.waiting.remove(0));
            self.at_start = self.at_start.saturating_sub(1);
            self.prompted = self.prompted.saturating_sub(1);
        }
    }

    pub(super) fn begins(&mut self) {
        (self.at_start, self.prompted) = (self.waiting.len(), 0);
        self.made_room.clear();
    }

    /// Whether this is all that it was told before its attempt was recorded, and nothing that it heard before.
    fn prompt(&mut self, told: &[String]) -> bool {
        let earlier = told.iter().take_while(|entry| self.made_room.contains(entry)).count();
        let (earlier, told) = told.split_at(earlier);
        let fits = told.len() >= self.at_start
            && self.made_room.ends_with(earlier)
            && self.waiting.starts_with(told);
        self.prompted = told.len();
        fits
    }

    /// Its phase is done: what it was told it has heard.
    pub(super) fn done(&mut self) {
        self.waiting.drain(..self.prompted);
        self.prompted = 0;
    }
}

/// What the published logs should say, and what they do.
#[derive(Default)]
pub(super) struct Logs {
    feedback: Vec<String>,
    changes: Vec<String>,
    found_feedback: Vec<String>,
    found_changes: Vec<String>,
}

impl Logs {
    pub(super) fn found(&mut self, log: &str, text: &str) {
        let lines = if log == "feedback" { &mut self.found_feedback } else { &mut self.found_changes };
        lines.push(text.to_owned());
    }

    pub(super) fn check(&self) -> Checked {
        let logs = [
            ("feedback", &self.feedback, &self.found_feedback),
            ("changes", &self.changes, &self.found_changes),
        ];
        for (log, recorded, found) in logs {
            let differs = recorded.iter().zip(found).position(|(recorded, found)| recorded != found);
            if let Some(line) = differs {
                let what = format!(
                    "line {} of {log} is {:?}, and {:?} is on record",
                    line + 1,
                    found[line],
                    recorded[line]
                );
                return violated("I1", what);
            }
            if recorded.len() != found.len() {
                let what = format!("{log} has {} lines, and {} are on record", found.len(), recorded.len());
                return violated("I1", what);
            }
        }
        Ok(())
    }
}

impl Journal {
    /// A role got its prompt: it has all that it was told before its attempt was recorded, and nothing that it heard before.
    pub(super) fn prompted(&mut self, attempt: u32, tree: &str, told: &[String]) -> Checked {
        let Some(role) = self.roles.iter_mut().find(|role| role.open == Some(attempt)) else {
            return violated("I4", format!("attempt {attempt} got its prompt and is not open"));
        };
        if !role.hearing.prompt(told) {
            let (name, waiting, at_start) = (&role.shape.name, &role.hearing.waiting, role.hearing.at_start);
            let what = format!(
                "attempt {attempt} of {name} is told {told:?}, and {waiting:?} waits since {at_start}"
            );
            return violated("I1", what);
        }
        if self.seen.as_deref() != Some(tree) {
            return violated(
                "I12",
                format!("attempt {attempt} starts in {tree}, and {:?} is on record", self.seen),
            );
        }
        let restore = role.restore.clone();
        match restore.as_ref().and_then(|id| self.trees.get(id)) {
            Some(base) if base != tree => violated(
                "I12",
                format!("attempt {attempt} starts in {tree}, and was to be put back to {base}"),
            ),
            _ => Ok(()),
        }
    }

    /// Feedback that a list of an event has.
    pub(super) fn hear_all(&mut self, event: &Data<'_>, list: &str) -> Checked {
        if event.has(list) {
            let targets: Vec<String> = event.each(list, "target")?;
            let contents: Vec<String> = event.each(list, "content")?;
            for (target, content) in targets.into_iter().zip(contents) {
                self.hear(&target, content);
            }
        }
        Ok(())
    }

    pub(super) fn hear(&mut self, target: &str, content: String) {
        self.logs.feedback.push(format!("{target} {content}"));
        if let Ok(role) = self.role(target) {
            role.hearing.add(content);
        }
    }

    fn role_named(&self, name: &str) -> bool {
        self.roles.iter().any(|role| role.shape.name == name)
    }

    /// What an attempt handed in is its own, and counts once.
    pub(super) fn handed_in(&mut self, event: &Data<'_>, number: u32) -> Checked {
        let Some(role) = self.role_of(Name::Attempt(number)).map(|role| role.shape.name.clone()) else {
            return Ok(());
        };
        let mark = format!("of attempt {number}");
        let each = |list: &str, member: &str| match event.has(list) {
            true => event.each::<String>(list, member),
            false => Ok(Vec::new()),
        };
        let changes = each("/end/handed_in/changes", "description")?;
        let documents = each("/end/handed_in/documents", "text")?;
        if let Some(other) = changes.iter().chain(&documents).find(|text| **text != mark) {
            return violated("I4", format!("attempt {number} handed in what is {other}"));
        }
        // What is refused is put back.
        if event.maybe::<&str>("/ruling/guard")? != Some("refused") {
            self.logs.changes.extend(changes.into_iter().map(|text| format!("{role} {text}")));
        }
        let said = each("/end/handed_in/feedback", "content")?;
        let targets = each("/end/handed_in/feedback", "target")?;
        let passed_on = each("/ruling/feedback", "content")?;
        let errors: Vec<String> = event.maybe("/ruling/errors")?.unwrap_or_default();
        let is_lost = |target: &String, content: &String| match self.role_named(target) {
            true => !passed_on.contains(content),
            // Who is not there hears nothing, and that is said.
            false => passed_on.contains(content) || !errors.iter().any(|error| error.contains(content)),
        };
        match targets.iter().zip(&said).find(|(target, content)| is_lost(target, content)) {
            Some((_, lost)) => violated("I1", format!("attempt {number} says {lost:?}, and nobody is told")),
            None => Ok(()),
        }
    }
}
