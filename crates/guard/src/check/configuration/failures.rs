//! Checks whose failure used to fail the whole, and no longer does.

use super::{command, scripts, steps};
use crate::check::Draft;
use crate::shell::{Fate, Options, Simple, fate, parse};
use crate::vocabulary::{HOUSEKEEPING, IDLE_COMMANDS};

/// A file has so many commands that matter at most.
const COMMANDS_MAX: usize = 200;

/// A check, and what becomes of its failure.
struct Checked {
    name: String,
    line: u32,
    text: String,
    fate: Fate,
}

/// Checks that lost their voice from `before` to `after`.
pub(super) fn compared(path: &str, before: &str, after: &str) -> Vec<Draft> {
    let (old, new) = (checks(path, before), checks(path, after));
    let mut drafts = Vec::new();
    for check in new.iter().filter(|check| check.fate != Fate::Heeded) {
        // More of the same that nobody listens to takes nothing away.
        let better = |checks: &[Checked]| {
            checks.iter().filter(|other| other.name == check.name && other.fate > check.fate).count()
        };
        let was = old.iter().find(|other| other.name == check.name && other.fate > check.fate);
        let Some(was) = was.filter(|_| better(&new) < better(&old)) else { continue };
        let (rule, message) = match check.fate {
            Fate::Retried => ("test-retried", format!("`{}` that fails runs again", check.name)),
            Fate::Evaded => {
                ("check-failure-ignored", format!("`{}` is passed by under a condition", check.name))
            }
            Fate::Lost | Fate::Heeded => {
                ("check-failure-ignored", format!("`{}` may fail without anybody noticing", check.name))
            }
        };
        drafts.push(Draft::new(rule, path, check.line, message).before(&*was.text).after(&*check.text));
    }
    drafts
}

fn checks(path: &str, text: &str) -> Vec<Checked> {
    let mut found = Vec::new();
    for script in scripts::of(path, text) {
        let list = parse(&script.text);
        let commands: Vec<&Simple> = list.commands();
        let mut named: Vec<(String, &Simple)> =
            commands.iter().filter_map(|command| Some((name(command)?, *command))).collect();
        // `; exit 0` on one line is meant: it works on every runner whose shell is not started with `-e`.
        let ends_well = commands.last().is_some_and(|last| IDLE_COMMANDS.contains(&last.text().as_str()));
        let is_meant = ends_well && !script.text.trim().contains('\n');
        let options = if is_meant { Options::default() } else { script.options };
        if named.is_empty() {
            named = commands.iter().filter_map(|command| Some((other(command)?, *command))).collect();
        }
        for (name, command) in named.into_iter().take(COMMANDS_MAX) {
            let fate = if script.is_ignored { Fate::Lost } else { fate(&list, options, command) };
            let line = script.line + command.line.saturating_sub(1);
            let text = text.lines().nth(line as usize - 1).unwrap_or_default().trim().to_owned();
            found.push(Checked { name, line, text, fate });
        }
    }
    found
}

/// The check that a command is.
fn name(command: &Simple) -> Option<String> {
    let text = unfolded(&command.text());
    if text.contains("install") {
        return None;
    }
    command::named(&text).map(str::to_owned).or_else(|| Some(steps::target(&text)?.0))
}

/// In a script without a check that is known, whatever does its work.
fn other(command: &Simple) -> Option<String> {
    let text = unfolded(&command.text());
    let first = text.split(' ').next().unwrap_or_default();
    (!HOUSEKEEPING.contains(&first)).then(|| text.clone())
}

/// `${GO} test` is `go test`.
fn unfolded(text: &str) -> String {
    match text.strip_prefix("${").and_then(|rest| rest.split_once('}')) {
        Some((name, rest)) => format!("{}{rest}", name.to_lowercase()),
        None => text.to_owned(),
    }
}
