//! Tests that are given less: inputs that became empty, zero or a fraction of what they were, while the test kept its
//! name and the product is the same.

use super::deletion::{literals_of_text, short};
use super::{Draft, tokens};
use crate::comparison::{ChangedFile, Comparison};
use crate::inventory::{Inventory, Test};
use crate::language::Class;
use crate::similar::only_in;
use crate::source::{Kind, Source, Span, requoted};
use std::collections::BTreeMap;

/// What is left of the inputs may be no more than this part.
const LEFT_MAX: f64 = 0.65;
/// Less was no input to speak of.
const MASS_MIN: usize = 2;
/// More tests that are given less at once were rewritten, not emptied.
const TESTS_MAX: usize = 3;
/// Words that stand for nothing.
const NOTHING: &[&str] = &[
    "nil",
    "None",
    "null",
    "undefined",
    "true",
    "false",
    "True",
    "False",
    "Some",
    "Ok",
    "vec",
    "new",
    "Vec",
    "String",
    "default",
    "Default",
    "list",
    "dict",
    "set",
    "is",
    "not",
    "Empty",
    "assert",
    "IsNone",
    "just",
];

pub(super) fn check(comparison: &Comparison) -> Vec<Draft> {
    if comparison.product_changed || comparison.dependencies_changed || !comparison.followed.added.is_empty()
    {
        return Vec::new();
    }
    let mut drafts = Vec::new();
    for (old, new) in comparison.changed_pairs() {
        let (before, after) = (comparison.old_test(*old), comparison.new_test(*new));
        let inventories = (comparison.old_inventory(*old), comparison.new_inventory(*new));
        let given = Given { comparison, inventories, old: before, new: after };
        if !before.is_off() && !after.is_off() && given.is_less() {
            let message = format!("test `{}` is given next to nothing", short(&after.id));
            let draft = Draft::new("inputs-trivialised", comparison.files[new.0].path(), after.line, message);
            let (old, new) = (&inventories.0.source, &inventories.1.source);
            drafts.push(
                draft.test(&after.id).before(old.excerpt(&before.body)).after(new.excerpt(&after.body)),
            );
        }
    }
    drafts.extend(comparison.files.iter().filter(|file| file.is_test()).flat_map(bindings));
    // So many at once are a rewrite.
    if drafts.len() > TESTS_MAX { drafts.into_iter().map(Draft::unsure).collect() } else { drafts }
}

/// Values that stand outside of the tests, for all of them: strategies, samples.
fn bindings(file: &ChangedFile) -> Vec<Draft> {
    let Some((old, new)) = file.inventories() else { return Vec::new() };
    let top = |inventory: &Inventory| -> BTreeMap<String, (Span, u32)> {
        let source = &inventory.source;
        let pieces = source.pieces.iter().filter(|piece| {
            piece.class == Class::Binding
                && !piece.arguments.is_empty()
                && !inventory.tests.iter().any(|test| test.span.contains(&piece.span.start))
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
        let (lost, fresh) = (without(&was, &is), without(&is, &was));
        let mass = |inputs: &[String]| inputs.iter().map(|literal| weight(literal)).sum::<usize>();
        let words = tokens::gained((&old.source, before), (&new.source, after), &[]);
        let others = words.iter().filter(|word| {
            word.starts_with(|first: char| first.is_alphabetic() || first == '_') && !NOTHING.contains(word)
        });
        let is_less = mass(&lost) >= MASS_MIN && mass(&fresh) as f64 <= mass(&lost) as f64 * LEFT_MAX;
        let is_trivial =
            |literal: &String| weight(literal) <= 1 || lost.iter().any(|was| is_shrunk(was, literal));
        if is_used && is_less && !words.is_empty() && others.count() == 0 && fresh.iter().all(is_trivial) {
            let message = format!("`{name}`, which tests use, holds next to nothing");
            let draft = Draft::new("inputs-trivialised", file.path(), *line, message);
            drafts.push(draft.before(old.source.excerpt(before)).after(new.source.excerpt(after)));
        }
    }
    drafts
}

/// A test before and after.
struct Given<'a> {
    comparison: &'a Comparison,
    inventories: (&'a Inventory, &'a Inventory),
    old: &'a Test,
    new: &'a Test,
}

impl Given<'_> {
    fn is_less(&self) -> bool {
        let live = |test: &Test| test.live().map(|assertion| assertion.strength as i64).sum::<i64>();
        if self.old.assertions.is_empty() || live(self.new) > live(self.old) {
            return false;
        }
        let (old, new) = self.inventories;
        let (had, has) = (inputs(&old.source, self.old), inputs(&new.source, self.new));
        let all = new.source.literals(&self.new.span);
        let lost: Vec<String> =
            without(&had, &all).into_iter().filter(|literal| !self.is_elsewhere(literal)).collect();
        let fresh = without(&has, &had);
        let mass = |inputs: &[String]| inputs.iter().map(|literal| weight(literal)).sum::<usize>();
        let (was, is) = (mass(&lost), mass(&fresh));
        if was < MASS_MIN || is as f64 > was as f64 * LEFT_MAX {
            return false;
        }
        let is_trivial =
            |literal: &String| weight(literal) <= 1 || lost.iter().any(|was| is_shrunk(was, literal));
        // What else is new would be another test.
        let sides = ((&old.source, &self.old.span), (&new.source, &self.new.span));
        let words = tokens::gained(sides.0, sides.1, &[]);
        let others = words.iter().filter(|word| {
            word.starts_with(|first: char| first.is_alphabetic() || first == '_') && !NOTHING.contains(word)
        });
        let texts = |test: &Test| -> Vec<String> { test.assertions.iter().map(|a| a.text.clone()).collect() };
        let is_changed = !words.is_empty() || !is_subset(&texts(self.new), &texts(self.old));
        is_changed && others.count() == 0 && fresh.iter().all(is_trivial)
    }

    /// Whether a literal that is gone here is somewhere else in the tests now.
    fn is_elsewhere(&self, literal: &str) -> bool {
        let count = |old: bool| -> usize {
            let sides = self
                .comparison
                .files
                .iter()
                .filter_map(|file| if old { file.before.as_ref() } else { file.after.as_ref() });
            sides.map(|side| side.text.matches(literal.trim_matches('"')).count()).sum()
        };
        count(false) >= count(true)
    }
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
