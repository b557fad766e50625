//! Product code that cheats: detects tests, knows their answers, or lost what it did.

use std::collections::BTreeSet;

use super::Draft;
use crate::comparison::{ChangedFile, Comparison};
use crate::inventory::{Definition, Inventory};
use crate::paths;
use crate::text::{ends_with_any, has_any};
use crate::vocabulary::{FLAG_WORDS, TODO_WORDS};

/// More new ones than this are a pattern.
const TODOS_MAX: usize = 5;
/// More new comparisons with fixed values than this are a pattern.
const SPECIAL_CASES_MAX: usize = 5;
/// So many lines of code that became comments are a pattern.
const COMMENTED_LINES_MIN: usize = 3;

pub(super) fn check(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = Vec::new();
    let tests_changed = comparison.files.iter().any(|file| file.is_test());
    for file in &comparison.files {
        let Some(after) = file.after.as_ref().filter(|side| side.is_product()) else { continue };
        let Some(new) = &after.inventory else { continue };
        let old = file.old_inventory();
        drafts.extend(super::detection::check(&after.path, old, new));
        let takes_away = tests_changed && comparison.takes_away();
        let alone = |draft: Draft| draft.unsure_if(tests_changed && !takes_away);
        drafts.extend(commented_out(&after.path, old, new).map(alone));
        drafts.extend(
            old.and_then(|old| switched_off(&after.path, old, new, takes_away))
                .map(|draft| draft.unsure_if(comparison.files.len() > 1 && !takes_away)),
        );
        drafts.extend(todos(&after.path, old, new));
        if let Some(old) = old {
            drafts.extend(special_cases(&after.path, old, new));
        }
    }
    drafts.extend(comparison.files.iter().filter_map(|file| setting_off(comparison, file)));
    drafts.extend(super::answers::check(comparison));
    drafts.extend(removed_features(comparison));
    drafts
}

fn special_cases(path: &str, old: &Inventory, new: &Inventory) -> Option<Draft> {
    let count = |inventory: &Inventory| {
        super::answers::answers(inventory).iter().filter(|found| !found.function.is_empty()).count()
    };
    let (before, after) = (count(old), count(new));
    (after > before + SPECIAL_CASES_MAX).then(|| {
        let message = format!("{} new comparisons with fixed values", after - before);
        Draft::new("special-cases", path, 1, message)
    })
}

fn todos(path: &str, old: Option<&Inventory>, new: &Inventory) -> Option<Draft> {
    let count = |inventory: &Inventory| {
        let source = &inventory.source;
        source.comments.iter().filter(|comment| has_any(source.comment(comment), TODO_WORDS)).count()
    };
    let (before, after) = (old.map_or(0, count), count(new));
    (after > before + TODOS_MAX).then(|| {
        Draft::new("todo-added", path, 1, format!("{} new notes about unfinished work", after - before))
    })
}

/// Comments that hold code which the old file ran.
fn commented_out(path: &str, old: Option<&Inventory>, new: &Inventory) -> Option<Draft> {
    let old = old?;
    let is_code = |line: &&str| line.len() > 3 && line.contains(['(', '=', ';', ':', '.']);
    let code: BTreeSet<&str> = old.source.text.lines().map(str::trim).filter(is_code).collect();
    let already: BTreeSet<&str> = old
        .source
        .comments
        .iter()
        .flat_map(|comment| old.source.comment(comment).lines())
        .map(plain)
        .collect();
    let mut lines = Vec::new();
    for comment in &new.source.comments {
        for line in new.source.comment(comment).lines().map(plain) {
            if code.contains(line) && !already.contains(line) {
                lines.push(comment.line);
            }
        }
    }
    // Code that came in its place is a rewrite.
    let had: BTreeSet<&str> = old.source.text.lines().map(str::trim).collect();
    let mut comments = new.source.comments.iter().map(|comment| comment.line).collect::<BTreeSet<_>>();
    comments.extend(lines.iter().copied());
    let fresh = new.source.text.lines().zip(1_u32..).filter(|(line, number)| {
        !line.trim().is_empty() && !had.contains(line.trim()) && !comments.contains(number)
    });
    let is_rewrite = fresh.count() * 2 > lines.len();
    (lines.len() >= COMMENTED_LINES_MIN).then(|| {
        let message = format!("{} lines of code became comments", lines.len());
        let draft = Draft::new("code-commented-out", path, lines[0], message);
        draft.unsure_if(is_rewrite)
    })
}

/// A line of a comment without its signs.
fn plain(line: &str) -> &str {
    line.trim().trim_start_matches(['/', '#', '*', ' ']).trim_end_matches(['*', '/', ' ']).trim()
}

/// A switch with a name of its own that is off now.
fn switched_off(path: &str, old: &Inventory, new: &Inventory, any: bool) -> Option<Draft> {
    let switches = |inventory: &Inventory| -> std::collections::BTreeMap<String, (u32, bool)> {
        let source = &inventory.source;
        let mut found = std::collections::BTreeMap::new();
        for index in 2..source.tokens.len() {
            let value = match source.word(index) {
                "True" | "true" => true,
                "False" | "false" => false,
                _ => continue,
            };
            let named = matches!(source.word(index - 1), "=" | ":" | ":=");
            let name = source.word(index - 2).trim_matches(['"', '\'']).to_lowercase();
            if named && (any || has_any(&name, FLAG_WORDS)) {
                found.insert(name, (source.line(index), value));
            }
        }
        found
    };
    let (had, has) = (switches(old), switches(new));
    let off = has.iter().find(|(name, (_, on))| !on && had.get(*name).is_some_and(|(_, on)| *on));
    if off.is_none() && any {
        return decided(path, old, new);
    }
    off.map(|(name, (line, _))| {
        let message = format!("`{name}` was on and is off");
        Draft::new("feature-flag-disabled", path, *line, message)
    })
}

/// A condition of the product that was open and is a constant now, or a text with a switch in it that is off.
fn decided(path: &str, old: &Inventory, new: &Inventory) -> Option<Draft> {
    let texts = |inventory: &Inventory| -> Vec<String> {
        inventory.source.literals(&(0..inventory.source.tokens.len()))
    };
    let (was, is) = (texts(old), texts(new));
    let off = is.iter().find(|text| {
        !was.contains(text) && was.iter().any(|other| other.len() > 8 && is_switched(other, text))
    });
    let (line, what) = super::golden::fixed_condition(old, new).or_else(|| Some((1, off?.clone())))?;
    let message = "what the product does was switched off";
    Some(Draft::new("feature-flag-disabled", path, line, message).after(what))
}

/// Whether two texts differ only in switches that are off in the second.
fn is_switched(was: &str, is: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split(|character: char| !character.is_alphanumeric()).map(str::to_lowercase).collect()
    };
    let (had, has) = (words(was), words(is));
    let is_off = |a: &str, b: &str| {
        matches!(
            (a, b),
            ("true", "false") | ("yes", "no") | ("on", "off") | ("1", "0") | ("enabled", "disabled")
        )
    };
    had != has && had.len() == has.len() && had.iter().zip(&has).all(|(a, b)| a == b || is_off(a, b))
}

/// Settings that ship with the product, one of which is off now, while tests say less.
fn setting_off(comparison: &Comparison, file: &ChangedFile) -> Option<Draft> {
    let (before, after) = file.both()?;
    let extensions = [".json", ".ini", ".toml", ".yaml", ".yml", ".cfg", ".env", ".properties", ".conf"];
    let is_setting = before.inventory.is_none()
        && ends_with_any(&before.path, &extensions)
        && !file.is_test()
        && !paths::is_check_configuration(&before.path);
    if !is_setting || before.text.lines().count() != after.text.lines().count() || !comparison.takes_away() {
        return None;
    }
    let changed: Vec<_> = before.text.lines().zip(after.text.lines()).filter(|(a, b)| a != b).collect();
    let all_off = !changed.is_empty() && changed.iter().all(|(was, is)| is_switched(was, is));
    all_off.then(|| {
        Draft::new("feature-flag-disabled", file.path(), 1, "a setting of the product was on and is off")
            .before(changed[0].0)
            .after(changed[0].1)
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
