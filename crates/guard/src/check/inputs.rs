//! Tests that are given less: inputs that became empty, zero or a fraction of what they were, while the test kept its
//! name and the product is the same.

use super::deletion::{literals_of_text, short};
use super::{Draft, tokens};
use crate::comparison::{ChangedFile, Comparison, Pair, Side};
use crate::inventory::{Inventory, Test};
use crate::language::Class;
use crate::similar::only_in;
use crate::source::{Kind, Source, Span, requoted};
use crate::vocabulary::EMPTY_INPUTS;
use std::collections::BTreeMap;

/// What is left of the inputs may be no more than this part.
const LEFT_MAX: f64 = 0.65;
/// Less was no input to speak of.
const MASS_MIN: usize = 2;
/// More tests that are given less at once were rewritten, not emptied.
const TESTS_MAX: usize = 3;

pub(super) fn check(comparison: &Comparison) -> Vec<Draft> {
    if comparison.product_changed || comparison.dependencies_changed || !comparison.followed.added.is_empty()
    {
        return Vec::new();
    }
    let mut drafts = Vec::new();
    for pair in comparison.changed_pairs().filter(|pair| pair.is_on() && is_given_less(comparison, pair)) {
        let message = format!("test `{}` is given next to nothing", short(&pair.after.id));
        let (was, is) =
            (pair.old.source.excerpt(&pair.before.body), pair.new.source.excerpt(&pair.after.body));
        drafts.push(Draft::of(&pair, "inputs-trivialised", pair.after.line, message).before(was).after(is));
    }
    drafts.extend(comparison.files.iter().filter(|file| file.is_test()).flat_map(bindings));
    // So many at once are a rewrite.
    let is_rewrite = drafts.len() > TESTS_MAX;
    drafts.into_iter().map(|draft| draft.unsure_if(is_rewrite)).collect()
}

/// Values that stand outside of the tests, for all of them: strategies, samples.
fn bindings(file: &ChangedFile) -> Vec<Draft> {
    let Some((old, new)) = file.inventories() else { return Vec::new() };
    let top = |inventory: &Inventory| -> BTreeMap<String, (Span, u32)> {
        let source = &inventory.source;
        let pieces = source.pieces.iter().filter(|piece| {
            piece.class == Class::Binding && !piece.arguments.is_empty() && !inventory.is_in_test(&piece.span)
        });
        let named = pieces.map(|piece| {
            (source.flat(&piece.name), (piece.arguments.clone(), source.line(piece.span.start)))
        });
        named.collect()
    };
    let (had, has) = (top(old), top(new));
    let mut drafts = Vec::new();
    for (name, (after, line)) in &has {
        let Some((before, _)) = had.get(name) else { continue };
        let is_used = new.tests.iter().any(|test| new.source.words(&test.span).any(|word| word == name));
        let (was, is) = (old.source.literals(before), new.source.literals(after));
        let words = tokens::gained((&old.source, before), (&new.source, after), &[]);
        let is_less = is_trivialised(&without(&was, &is), &without(&is, &was), &words);
        if is_used && !words.is_empty() && is_less {
            let message = format!("`{name}`, which tests use, holds next to nothing");
            let draft = Draft::new("inputs-trivialised", file.path(), *line, message);
            drafts.push(draft.before(old.source.excerpt(before)).after(new.source.excerpt(after)));
        }
    }
    drafts
}

/// Whether a test is given less than before, and nothing else of it is new.
fn is_given_less(comparison: &Comparison, pair: &Pair<'_>) -> bool {
    let Pair { before, after, old, new, .. } = pair;
    let live = |test: &Test| test.live().map(|assertion| assertion.strength as i64).sum::<i64>();
    if before.assertions.is_empty() || live(after) > live(before) {
        return false;
    }
    let (had, has) = (inputs(&old.source, before), inputs(&new.source, after));
    let mut lost = without(&had, &new.source.literals(&after.span));
    lost.retain(|literal| !is_elsewhere(comparison, literal));
    let texts = |test: &Test| -> Vec<String> { test.assertions.iter().map(|a| a.text.clone()).collect() };
    let words = tokens::gained((&old.source, &before.span), (&new.source, &after.span), &[]);
    let is_changed = !words.is_empty() || !is_subset(&texts(after), &texts(before));
    is_changed && is_trivialised(&lost, &without(&has, &had), &words)
}

/// Whether next to nothing came in the place of literals that are gone, and no word that says something.
fn is_trivialised(lost: &[String], fresh: &[String], words: &[&str]) -> bool {
    let mass = |inputs: &[String]| inputs.iter().map(|literal| weight(literal)).sum::<usize>();
    let is_trivial =
        |literal: &String| weight(literal) <= 1 || lost.iter().any(|was| is_shrunk(was, literal));
    let says_something = |word: &&str| {
        word.starts_with(|first: char| first.is_alphabetic() || first == '_') && !EMPTY_INPUTS.contains(word)
    };
    mass(lost) >= MASS_MIN
        && mass(fresh) as f64 <= mass(lost) as f64 * LEFT_MAX
        && !words.iter().any(says_something)
        && fresh.iter().all(is_trivial)
}

/// Whether a literal that is gone here is somewhere else now.
fn is_elsewhere(comparison: &Comparison, literal: &str) -> bool {
    let count = |side: &Option<Side>| {
        side.as_ref().map_or(0, |side| side.text.matches(literal.trim_matches('"')).count())
    };
    let sum =
        |of: fn(&ChangedFile) -> &Option<Side>| comparison.files.iter().map(of).map(count).sum::<usize>();
    sum(|file| &file.after) >= sum(|file| &file.before)
}

fn without(some: &[String], others: &[String]) -> Vec<String> {
    only_in(some.iter().cloned(), others.iter().cloned(), String::clone)
}

fn is_subset(some: &[String], all: &[String]) -> bool {
    some.iter().all(|text| all.contains(text))
}

/// The literals of a test that are not what it expects.
fn inputs(source: &Source, test: &Test) -> Vec<String> {
    // The title of a test that is a call is no input.
    let head = (test.span.start..test.body.start)
        .rfind(|index| ["def", "fn", "func"].contains(&source.word(*index)));
    // Neither are its attributes, but its parameters are.
    let span = head.unwrap_or(test.body.start)..test.body.end;
    let mut found: Vec<String> = span
        .clone()
        .filter(|index| matches!(source.tokens[*index].kind, Kind::Number | Kind::Text))
        .map(|index| requoted(source.word(index)).into_owned())
        .collect();
    for assertion in &test.assertions {
        for literal in literals_of_text(&assertion.expected) {
            if let Some(at) = found.iter().position(|other| *other == literal) {
                found.remove(at);
            }
        }
    }
    found
}

/// How much a literal says.
fn weight(literal: &str) -> usize {
    if literal.starts_with(|first: char| first.is_ascii_digit()) {
        let digits = literal.replace('_', "");
        let number: String = digits.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        return match number.parse::<f64>() {
            Ok(value) if value == 0.0 || value == 1.0 => 0,
            _ => number.len().max(2),
        };
    }
    let plain = literal.replace("\\n", "").replace("\\t", "");
    plain.chars().filter(|character| character.is_alphanumeric()).count()
}

/// Whether a literal is a smaller part of another.
fn is_shrunk(was: &str, is: &str) -> bool {
    let inner = is.trim_matches('"');
    let is_number = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
    if is_number(was) != is_number(is) {
        return false;
    }
    weight(is) * 2 <= weight(was) && (is_number(is) || was.contains(inner))
}
