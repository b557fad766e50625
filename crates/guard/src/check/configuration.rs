//! How checks are run: continuous integration, test runners, coverage, linters, hooks.
//!
//! These files have many formats, so they are compared line by line. A lost line and a gained one that begin
//! alike are one line that changed; then its words, its setting and its numbers are compared with the tables in
//! [`crate::vocabulary`]. What becomes of a failure is asked of whole scripts ([`failures`]). A line that only leaves out generated code or installed packages leaves out nothing.

mod command;
mod failures;
mod operands;
mod outline;
mod retry;
mod scripts;
mod setting;
mod steps;

use super::Draft;
use crate::comparison::{ChangedFile, Comparison};
use crate::paths;
use crate::similar::only_in;
use crate::text::{has_any, starts_with_any};

/// So many lines above a line may open the step that it is part of.
const NEW_STEP_LINES_MAX: u32 = 6;
/// Lines that share less than this are not the same line.
const SIMILARITY_MIN: f64 = 0.4;

pub(super) fn check(comparison: &Comparison) -> Vec<Draft> {
    let is_configuration = |file: &&ChangedFile| paths::is_check_configuration(file.path());
    let files: Vec<_> = comparison.files.iter().filter(is_configuration).collect();
    files.iter().flat_map(|file| self::file(file, &files)).collect()
}

/// A line, with what it belongs to.
#[derive(Clone, Debug)]
struct Line<'a> {
    number: u32,
    text: &'a str,
    /// The key of the list or section that it is part of.
    context: &'a str,
    /// Whether that is part of something that leaves things out.
    in_exclusion: bool,
    /// The header of the section that it is in: `[tool.ruff]`.
    section: &'a str,
}

/// What happened to a line.
#[derive(Debug)]
struct Change<'a> {
    before: Option<Line<'a>>,
    after: Option<Line<'a>>,
}

fn file(file: &ChangedFile, all: &[&ChangedFile]) -> Vec<Draft> {
    let path = file.path();
    let before = file.before.as_ref().map(|side| side.text.as_str());
    // A new file may hold what it likes, but for the one that changes what `cargo test` means.
    let Some(before) = before.or(path.starts_with(".cargo/").then_some("")) else { return Vec::new() };
    let Some(after) = file.after.as_ref().map(|side| side.text.as_str()) else {
        let has_checks = before.lines().any(command::checks);
        let message = format!("`{path}`, which runs checks, is gone");
        // What it said may be in another file now.
        let is_moved = all.iter().any(|other| {
            let is_new = other.before.is_none() || gains_check(&changes_of(other));
            other.path() != path && other.after.is_some() && is_new
        });
        let draft = Draft::new("check-removed", path, 1, message);
        let draft = draft.unsure_if(is_moved);
        return has_checks.then_some(draft).into_iter().collect();
    };
    let changes = changes(before, after);
    let replaced = gains_check(&changes);
    let replaced_by_tests = changes.iter().any(|change| {
        let runs = |line: &Option<Line<'_>>| line.as_ref().is_some_and(|line| command::runs_tests(line.text));
        !runs(&change.before) && runs(&change.after)
    });
    let mut drafts = Vec::new();
    let version = |text: &'_ str| text.lines().find(|line| line.starts_with("version:")).map(str::to_owned);
    // A file in another version of its format says the same in other words.
    let is_migrated = version(before) != version(after);
    // A tool that is new may leave out what it likes.
    let is_new_tool = |change: &Change<'_>| {
        let Some(line) = change.after.as_ref().filter(|_| change.before.is_none()) else { return false };
        let is_new_section = line.section.starts_with("[tool.") && !before.contains(line.section);
        // A hook or a step that came with this line.
        let above = line.number.saturating_sub(NEW_STEP_LINES_MAX)..line.number;
        let is_new_step = changes.iter().filter(|other| other.before.is_none()).any(|other| {
            let opens =
                |line: &Line<'_>| starts_with_any(line.text, &["- id:", "- repo:", "- name:", "- uses:"]);
            other.after.as_ref().is_some_and(|other| above.contains(&other.number) && opens(other))
        });
        is_new_section || is_new_step
    };
    drafts.extend(failures::compared(path, before, after));
    for change in &changes {
        let found = retry::compared(path, change)
            .or_else(|| command::compared(path, change, after))
            .or_else(|| setting::compared(path, change, after));
        let is_explained = |draft: &Draft| match draft.rule {
            "check-removed" => {
                let ran_tests = change.before.as_ref().is_some_and(|line| command::runs_tests(line.text));
                if ran_tests { replaced_by_tests } else { replaced }
            }
            "check-narrowed" => {
                is_migrated || is_new_tool(change) || change.after.as_ref().is_some_and(gives_reason)
            }
            _ => false,
        };
        if let Some(draft) = found {
            let explained = is_explained(&draft);
            drafts.push(draft.unsure_if(explained));
        }
    }
    if !drafts.iter().any(|draft| draft.sure) {
        drafts.extend(steps::check(file, all));
    }
    if drafts.is_empty()
        && !changes.is_empty()
        && !path.ends_with("package.json")
        && !path.ends_with("Cargo.toml")
    {
        let line = changes.iter().find_map(|change| change.after.as_ref()).map_or(1, |line| line.number);
        let message = format!("`{path}`, which says how checks run, changed");
        drafts.push(Draft::new("check-configuration-changed", path, line, message));
    }
    drafts
}

fn changes_of(file: &ChangedFile) -> Vec<Change<'_>> {
    file.both().map(|(before, after)| changes(&before.text, &after.text)).unwrap_or_default()
}

/// Whether a line that runs a check is new.
fn gains_check(changes: &[Change<'_>]) -> bool {
    let checks = |line: &Option<Line<'_>>| line.as_ref().is_some_and(|line| command::names_check(line.text));
    changes.iter().any(|change| !checks(&change.before) && checks(&change.after))
}

/// Whether a line ends in a comment of several words.
fn gives_reason(line: &Line<'_>) -> bool {
    let comment = line.text.split_once(" # ").or_else(|| line.text.split_once(" // "));
    comment.is_some_and(|(_, reason)| reason.split_whitespace().count() >= 2)
}

/// The lines that differ, paired where one became the other.
fn changes<'a>(before: &'a str, after: &'a str) -> Vec<Change<'a>> {
    let (old, new) = (lines(before), lines(after));
    let lost = difference(&old, &new);
    let mut gained = difference(&new, &old);
    let mut found = Vec::new();
    for before in lost {
        let best = gained
            .iter()
            .enumerate()
            .map(|(index, line)| (likeness(&before, line), index))
            .filter(|(likeness, _)| *likeness >= SIMILARITY_MIN)
            .max_by(|a, b| a.0.total_cmp(&b.0));
        let after = best.map(|(_, index)| gained.remove(index));
        found.push(Change { before: Some(before), after });
    }
    found.extend(gained.into_iter().map(|line| Change { before: None, after: Some(line) }));
    found
}

/// The same key counts more than the same words.
fn likeness(a: &Line<'_>, b: &Line<'_>) -> f64 {
    let key = |line: &Line<'_>| setting::key(line.text).map(str::to_owned);
    let same_key = key(a).is_some() && key(a) == key(b) && a.context == b.context;
    let words = crate::similar::text_similarity(a.text, b.text);
    // The same check for the same purpose is the same line, whatever it is given.
    let same_check = a.context == b.context && !a.context.is_empty() && command::same(a.text, b.text);
    if same_key {
        words.max(0.5) + 0.2
    } else if same_check {
        words.max(SIMILARITY_MIN)
    } else {
        words
    }
}

fn lines(text: &str) -> Vec<Line<'_>> {
    // The keys that are open, with how far each is indented.
    let mut open: Vec<(usize, &str)> = Vec::new();
    let mut found = Vec::new();
    let mut section = "";
    for (index, raw) in text.lines().enumerate() {
        let line = raw.trim();
        if raw.starts_with('[') && line.ends_with(']') {
            section = line;
        }
        if line.is_empty() || is_comment(line) {
            continue;
        }
        let indent = raw.len() - raw.trim_start().len();
        open.retain(|(depth, _)| *depth < indent);
        let context = open.last().map_or("", |(_, key)| *key);
        let leaves_out = |key: &str| has_any(key, &["exclu", "ignore", "skip"]);
        let in_exclusion = open.iter().any(|(_, key)| leaves_out(key));
        let number = index as u32 + 1;
        let parts = inline(line);
        match parts.split_first() {
            Some((first, rest)) if !rest.is_empty() => {
                let inner = setting::key(first).unwrap_or(context);
                found.extend(parts.iter().map(|text| Line {
                    number,
                    text,
                    context: inner,
                    in_exclusion,
                    section,
                }));
            }
            _ => found.push(Line { number, text: line, context, in_exclusion, section }),
        }
        if let Some(key) = setting::key(line).filter(|_| line.ends_with([':', '=', '[', '{', '('])) {
            open.push((indent, key));
        }
    }
    found
}

/// The settings of an object that stands on one line: `"options": { "strict": true, "lib": ["a"] }`.
fn inline(line: &str) -> Vec<&str> {
    let Some(open) = line.find('{').filter(|at| !line[..*at].ends_with('$') && line.len() > at + 1) else {
        return vec![line];
    };
    if !line.contains('}') || line.contains("${") || line.contains("{{") || line.contains('(') {
        return vec![line];
    }
    let mut parts = Vec::new();
    let head = line[..open].trim();
    if !head.is_empty() {
        parts.push(head);
    }
    let (mut depth, mut start) = (0_usize, open + 1);
    for (at, character) in line.char_indices().skip(open + 1) {
        match character {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ',' | '{' | '}' if depth == 0 => {
                parts.push(line[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.retain(|part| part.contains([':', '=']) || *part == head);
    if parts.iter().any(|part| part.contains([':', '='])) { parts } else { vec![line] }
}

fn is_comment(line: &str) -> bool {
    line.starts_with('#') || line.starts_with("//")
}

/// The lines of `mine` that `other` does not have.
fn difference<'a>(mine: &[Line<'a>], other: &[Line<'a>]) -> Vec<Line<'a>> {
    let key = |line: &Line<'a>| (plain(line.text), line.context);
    only_in(mine.iter().cloned(), other.iter().map(key), key)
}

/// Without the comma that only separates it from the next.
fn plain(line: &str) -> &str {
    line.trim_end_matches(',')
}
