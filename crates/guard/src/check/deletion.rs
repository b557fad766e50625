//! Tests that are gone: deleted, commented out, emptied, hidden from the runner, or short of cases.

use std::collections::{BTreeMap, BTreeSet};

use super::{Draft, rows};
use crate::comparison::{Comparison, Pair};
use crate::follow::At;
use crate::inventory::{Inventory, Strength, Test};
use crate::similar::Fingerprint;
use crate::source::Kind;
use crate::vocabulary::FRAME_WORDS;
use crate::{paths, words};

pub(super) fn check(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = removed(comparison);
    for pair in comparison.changed_pairs() {
        drafts.extend(emptied(&pair));
        drafts.extend(rows::fewer_cases(comparison, &pair));
        drafts.extend(rows::other_values(comparison, &pair));
    }
    drafts.extend(out_of_sight(comparison));
    drafts
}

/// Tests that are in a file which the runner does not look at any more. Those of one file are one finding.
fn out_of_sight(comparison: &Comparison) -> Vec<Draft> {
    let mut by_file: BTreeMap<(&str, &str), Vec<&Test>> = BTreeMap::new();
    for pair in comparison.pairs() {
        let before = comparison.files[pair.at.0.0].before.as_ref().map_or("", |side| side.path.as_str());
        let is_hidden = paths::is_collected(before) && !paths::is_collected(pair.path);
        if before != pair.path && is_hidden && !pair.before.is_off() {
            by_file.entry((before, pair.path)).or_default().push(pair.after);
        }
    }
    let mut drafts = Vec::new();
    for ((before, after), tests) in by_file {
        // Rust: a module that another file names is part of that file's tests.
        let stem = after.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or_default();
        let is_named = comparison
            .files
            .iter()
            .filter_map(|file| file.after.as_ref())
            .any(|side| side.path.ends_with(".rs") && side.text.contains(&format!("mod {stem};")));
        if !is_named {
            let message = format!(
                "{} moved to `{after}`, where the runner does not look",
                counted(tests.len(), "test")
            );
            drafts.push(Draft::new("test-hidden", after, 1, message).before(before).after(after));
        }
    }
    drafts
}

/// Tests that nothing became. Those of one deleted file are one finding.
fn removed(comparison: &Comparison) -> Vec<Draft> {
    let mut by_file: BTreeMap<usize, Vec<At>> = BTreeMap::new();
    for at in &comparison.followed.removed {
        let (test, inventory) = (comparison.old_test(*at), comparison.old_inventory(*at));
        let was_off = test.is_off();
        let gone_with_code = comparison.mentions_removed(inventory, test);
        if !was_off
            && !gone_with_code
            && !comparison.duplicates.contains(at)
            && !is_merged(comparison, inventory, test)
        {
            by_file.entry(at.0).or_default().push(*at);
        }
    }
    let mut drafts = Vec::new();
    for (file, tests) in by_file {
        let changed = &comparison.files[file];
        let path = changed.before.as_ref().map_or("", |side| side.path.as_str());
        if changed.after.is_none() {
            let names: Vec<_> = tests.iter().map(|at| comparison.old_test(*at).id.clone()).collect();
            let count = names.len();
            let message = format!("`{path}` is gone, and with it {}", counted(count, "test"));
            let draft = Draft::new("test-file-deleted", path, 1, message).before(names.join("\n"));
            let explained = tests.iter().all(|at| is_explained(comparison, *at));
            drafts.push(draft.unsure_if(explained));
            continue;
        }
        drafts.extend(tests.iter().map(|at| one_removed(comparison, *at)));
    }
    drafts
}

fn one_removed(comparison: &Comparison, at: At) -> Draft {
    let (test, inventory) = (comparison.old_test(at), comparison.old_inventory(at));
    let file = &comparison.files[at.0];
    let after = file.after.as_ref();
    let name = short(&test.id);
    let before = inventory.source.excerpt(&test.span);
    let before_side = file.before.as_ref();
    let was_named = before_side.is_some_and(|side| is_commented_out(side, test));
    let (rule, line, message) = if !was_named && after.is_some_and(|side| is_commented_out(side, test)) {
        ("test-commented-out", 1, format!("test `{name}` became a comment"))
    } else if let Some(line) =
        after.and_then(|side| side.inventory.as_ref()).and_then(|new| uncollected(inventory, test, new))
    {
        (
            "test-hidden",
            line,
            format!("test `{name}` is still there under a name that the runner does not look for"),
        )
    } else {
        ("test-deleted", test.line, format!("test `{name}` is gone, and no other test has become it"))
    };
    let draft = Draft::new(rule, file.path(), line, message).test(&test.id).before(before);
    // Who hides a test or makes it a comment did not rewrite it.
    let explained = match rule {
        "test-deleted" => is_explained(comparison, at),
        _ => comparison.may_follow_code(),
    };
    draft.unsure_if(explained)
}

/// Whether something else than a cheat is at least as likely: behaviour that changed, or other tests of the same.
fn is_explained(comparison: &Comparison, at: At) -> bool {
    // What said nothing is not made up for.
    let is_made_up_for = (comparison.says_as_much() || comparison.is_rewrite())
        && comparison.old_test(at).live().any(|assertion| assertion.strength > Strength::Tautology);
    comparison.may_follow_code() || is_made_up_for || is_replaced(comparison, at)
}

/// Whether new tests in the same file call most of what this one called, and all new ones assert as much as all that
/// left.
fn is_replaced(comparison: &Comparison, at: At) -> bool {
    let followed = &comparison.followed;
    let called = calls(comparison.old_inventory(at), comparison.old_test(at));
    let here = |new: &&At| new.0 == at.0 && !comparison.new_test(**new).is_off();
    // A row of a table is worth a test.
    let worth = |test: &Test| test.live().count() * test.cases.len().max(1);
    let lost: usize = followed.removed.iter().map(|old| worth(comparison.old_test(*old))).sum();
    let gained: usize = followed.added.iter().map(|new| worth(comparison.new_test(*new))).sum();
    let words: BTreeSet<&str> = followed
        .added
        .iter()
        .filter(here)
        .flat_map(|new| comparison.new_inventory(*new).source.words(&comparison.new_test(*new).span))
        .collect();
    let kept = called.iter().filter(|name| words.contains(*name)).count();
    !called.is_empty() && gained >= lost && kept * 3 >= called.len() * 2
}

/// Whether the comments of the new file hold what the test was.
fn is_commented_out(side: &crate::comparison::Side, test: &Test) -> bool {
    let Some(inventory) = &side.inventory else { return false };
    let name = short(&test.id);
    inventory.source.comments.iter().any(|comment| inventory.source.comment(comment).contains(name))
}

/// Where a function that is no test has the body of this one.
fn uncollected(old: &Inventory, test: &Test, new: &Inventory) -> Option<u32> {
    let print = Fingerprint::of(&old.source, &test.body);
    let alike = new.definitions.iter().find(|definition| {
        let is_test = new.tests.iter().any(|test| test.span.contains(&definition.body.start));
        definition.is_function
            && !is_test
            && Fingerprint::of(&new.source, &definition.body).similarity(&print) > 0.8
    })?;
    Some(new.source.line(alike.span.start))
}

/// Whether the new tests together say what this one said: merged, split, or turned into a table.
fn is_merged(comparison: &Comparison, inventory: &Inventory, test: &Test) -> bool {
    let source = &inventory.source;
    let wanted: BTreeSet<String> = source.literals(&test.body).into_iter().collect();
    if wanted.is_empty() && test.assertions.is_empty() {
        return false;
    }
    let has_all_assertions =
        !test.assertions.is_empty() && test.live().all(|assertion| comparison.is_moved(&assertion.text));
    if has_all_assertions {
        return true;
    }
    let called: BTreeSet<&str> = calls(inventory, test);
    let candidates =
        comparison.followed.added.iter().chain(comparison.followed.pairs.iter().map(|(_, new)| new));
    for at in candidates {
        let (new, new_inventory) = (comparison.new_test(*at), comparison.new_inventory(*at));
        if new.is_off() || new.live().count() == 0 {
            continue;
        }
        let literals: BTreeSet<String> = gained(comparison, *at, new_inventory, new);
        let words: BTreeSet<&str> = new_inventory.source.words(&new.span).collect();
        let shared = wanted.iter().filter(|literal| literals.contains(*literal)).count();
        let calls_same = called.is_empty()
            || called.iter().filter(|name| words.contains(*name)).count() * 2 >= called.len();
        if !wanted.is_empty() && shared * 10 >= wanted.len() * 8 && calls_same {
            return true;
        }
    }
    false
}

/// The literals that a new test has, as far as it did not have them before; for a table, those of its rows.
fn gained(comparison: &Comparison, at: At, inventory: &Inventory, test: &Test) -> BTreeSet<String> {
    let mut literals = inventory.source.literals(&test.span);
    for case in &test.cases {
        // A table may be bound to a name outside of the test.
        literals.extend(literals_of_text(case));
    }
    let old = comparison.followed.pairs.iter().find(|(_, new)| *new == at).map(|(old, _)| *old);
    let Some(old) = old else { return literals.into_iter().collect() };
    let (old_test, old_inventory) = (comparison.old_test(old), comparison.old_inventory(old));
    let mut had: BTreeSet<_> = old_inventory.source.literals(&old_test.span).into_iter().collect();
    had.extend(old_test.cases.iter().flat_map(|case| literals_of_text(case)));
    // A table may reuse values that were there already; what counts is that it grew.
    if test.cases.len() > old_test.cases.len() {
        literals.into_iter().collect()
    } else {
        literals.into_iter().filter(|literal| !had.contains(literal)).collect()
    }
}

/// The literals in a normalised text, roughly.
pub(super) fn literals_of_text(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('"') {
        let Some(length) = rest[start + 1..].find('"') else { break };
        found.push(rest[start..start + length + 2].to_owned());
        rest = &rest[start + length + 2..];
    }
    let numbers = text.split(|character: char| !character.is_alphanumeric() && character != '.');
    found.extend(
        numbers.filter(|word| word.starts_with(|first: char| first.is_ascii_digit())).map(str::to_owned),
    );
    found
}

/// The functions that a test calls and the types that it makes, apart from what asserts.
pub(crate) fn calls<'a>(inventory: &'a Inventory, test: &Test) -> BTreeSet<&'a str> {
    let source = &inventory.source;
    let is_made = |index: usize| {
        source.tokens[index].kind == Kind::Word
            && source.word(index + 1) == "{"
            && source.word(index + 2) == "}"
    };
    let called = test.body.clone().filter(|index| source.is_call(*index) || is_made(*index));
    let asserts = |word: &&str| {
        *word == "expect" || words::assert_word(word).is_some() || words::matcher(word).is_some()
    };
    called.map(|index| source.word(index)).filter(|word| !asserts(word)).collect()
}

/// A test that did something and no longer does anything.
fn emptied(pair: &Pair<'_>) -> Option<Draft> {
    if !is_emptied(pair) {
        return None;
    }
    let message = format!("test `{}` is still there, but its body is empty", short(&pair.after.id));
    let (was, is) = (pair.old.source.excerpt(&pair.before.span), pair.new.source.excerpt(&pair.after.span));
    Some(Draft::of(pair, "test-emptied", pair.after.line, message).before(was).after(is))
}

/// Whether nothing of a test is left but its frame.
pub(super) fn is_emptied(pair: &Pair<'_>) -> bool {
    let (old_source, source, body) = (&pair.old.source, &pair.new.source, &pair.after.body);
    let is_frame = |word: &str| FRAME_WORDS.contains(&word);
    let texts = source.literals(body).len();
    let documents = texts == 1 && source.word(body.start).starts_with(['"', '\'']);
    let had = old_source.words(&pair.before.body).filter(|word| !is_frame(word)).count();
    pair.is_on() && had >= 2 && source.words(body).all(is_frame) && (texts == 0 || documents)
}

/// The last name of an id.
pub(super) fn short(id: &str) -> &str {
    id.rsplit(" > ").next().unwrap_or(id)
}

pub(super) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
