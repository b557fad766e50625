//! Product code that cheats: detects tests, knows their answers, or lost what it did.

use std::collections::BTreeSet;

use super::Draft;
use crate::comparison::Comparison;
use crate::inventory::{Definition, Inventory};

/// Comments that say something is not done.
const TODO_WORDS: &[&str] = &["TODO", "FIXME", "HACK", "XXX"];
/// More new ones than this are a pattern.
const TODOS_MAX: usize = 5;
/// More new comparisons with fixed values than this are a pattern.
const SPECIAL_CASES_MAX: usize = 5;
/// More lines of code that became comments than this are a pattern.
const COMMENTED_LINES_MAX: usize = 10;

pub(super) fn check(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for file in &comparison.files {
        let Some(after) = file.after.as_ref().filter(|side| side.is_product()) else { continue };
        let Some(new) = &after.inventory else { continue };
        let old = file.before.as_ref().and_then(|side| side.inventory.as_ref());
        drafts.extend(super::detection::check(&after.path, old, new));
        drafts.extend(commented_out(&after.path, old, new));
        drafts.extend(todos(&after.path, old, new));
        if let Some(old) = old {
            drafts.extend(special_cases(&after.path, old, new));
        }
    }
    drafts.extend(super::answers::check(comparison));
    drafts.extend(removed_features(comparison));
    drafts
}

fn special_cases(path: &str, old: &Inventory, new: &Inventory) -> Option<Draft> {
    let count =
        |inventory: &Inventory| super::answers::answers(inventory).iter().filter(|found| !found.function.is_empty()).count();
    let (before, after) = (count(old), count(new));
    (after > before + SPECIAL_CASES_MAX).then(|| {
        let message = format!("{} new comparisons with fixed values", after - before);
        Draft::new("special-cases", path, 1, message)
    })
}

fn todos(path: &str, old: Option<&Inventory>, new: &Inventory) -> Option<Draft> {
    let count = |inventory: &Inventory| {
        let source = &inventory.source;
        source
            .comments
            .iter()
            .filter(|comment| TODO_WORDS.iter().any(|word| source.comment(comment).contains(word)))
            .count()
    };
    let (before, after) = (old.map_or(0, count), count(new));
    (after > before + TODOS_MAX).then(|| {
        Draft::new("todo-added", path, 1, format!("{} new notes about unfinished work", after - before))
    })
}

/// Comments that hold code which the old file ran.
fn commented_out(path: &str, old: Option<&Inventory>, new: &Inventory) -> Option<Draft> {
    let old = old?;
    let code: BTreeSet<&str> = old.source.text.lines().map(str::trim).filter(|line| line.len() > 3).collect();
    let mut lines = Vec::new();
    for comment in &new.source.comments {
        for line in new.source.comment(comment).lines() {
            let line = line.trim().trim_start_matches(['/', '#', '*', ' ']).trim();
            if code.contains(line) {
                lines.push(comment.line);
            }
        }
    }
    (lines.len() > COMMENTED_LINES_MAX).then(|| {
        let message = format!("{} lines of code became comments", lines.len());
        Draft::new("code-commented-out", path, lines[0], message)
    })
}

/// Public functions that are gone.
fn removed_features(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for file in &comparison.files {
        let Some(side) = file.before.as_ref().filter(|side| side.is_product()) else { continue };
        let Some(old) = &side.inventory else { continue };
        let is_gone = |definition: &&Definition| {
            definition.is_public
                && definition.is_function
                && comparison.removed_names.contains(&definition.name)
        };
        let names: Vec<_> =
            old.definitions.iter().filter(is_gone).map(|definition| definition.name.clone()).collect();
        if !names.is_empty() {
            let message = format!(
                "{} gone: {}",
                if names.len() == 1 { "a public function is" } else { "public functions are" },
                names.join(", ")
            );
            drafts.push(Draft::new("feature-removed", file.path(), 1, message));
        }
    }
    drafts
}
