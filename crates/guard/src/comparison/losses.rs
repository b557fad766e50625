//! Whether a change only takes away: what the product did, and the tests that said so.
//!
//! Who removes a feature or changes what a function does brings something in its place, or says so where people read
//! it. A change that brings nothing, in the product or in the tests, and says nothing, is what is left of one that was
//! made so that tests pass.

use super::{ChangedFile, Comparison, Pair, test_modules};
use crate::inventory::{Inventory, Test};
use crate::language::Class;
use crate::source::{Kind, requoted};
use crate::text::{ends_with_any, file_name, has_any, starts_with_any};
use crate::vocabulary::{EMPTY_CODE, FAILING};
use crate::words;
use crate::{language, paths};
use std::collections::BTreeMap;

/// So many words may come to the product with what it lost.
const GAINED_MAX: usize = 4;
/// So many names of the product may change; more is work on it.
const NAMES_MAX: usize = 3;

impl Comparison {
    /// Whether the change only takes away, from the product and from its tests.
    pub(super) fn only_takes_away(&self) -> bool {
        let product: Vec<_> = self.files.iter().filter(|file| is_product(file)).collect();
        !self.dependencies_changed
            && self.removed_names.is_empty()
            && self.touched_names.len() <= NAMES_MAX
            && !product.iter().any(|file| asks_otherwise(file))
            && self.followed.added.is_empty()
            && product.iter().all(|file| file.both().is_some())
            && product.iter().map(|file| gained(file)).fold(0_usize, usize::saturating_add) <= GAINED_MAX
            && !self.files.iter().any(says_so)
            && self.tests_say_less()
    }

    /// Whether all that the product changed is switches that are off now, and its tests were made to fit.
    pub(super) fn only_switches(&self) -> bool {
        let product: Vec<_> = self.files.iter().filter(|file| is_product(file)).collect();
        let tests_changed = self.changed_pairs().next().is_some() || !self.followed.removed.is_empty();
        tests_changed
            && !self.dependencies_changed
            && self.followed.added.is_empty()
            && !self.files.iter().any(says_so)
            && product.iter().all(|file| file.inventories().is_some_and(|(old, new)| is_switch(old, new)))
    }

    /// Whether tests left, lost weight, lost cases, or expect fewer errors.
    fn tests_say_less(&self) -> bool {
        let errors = |test: &Test| {
            test.live().filter(|assertion| expects_error(&assertion.word, &assertion.text)).count()
        };
        self.weight_gained < 0
            || self.changed_pairs().any(|Pair { before, after, .. }| {
                let empty =
                    |test: &Test| test.live().filter(|assertion| is_empty(&assertion.expected)).count();
                errors(after) < errors(before)
                    || empty(after) > empty(before)
                    || after.cases.len() < before.cases.len() && after.has_table
            })
    }
}

/// Whether a function of a file takes other arguments, or a name that the file gave is gone: who uses it must change.
fn asks_otherwise(file: &ChangedFile) -> bool {
    let Some((old, new)) = file.inventories() else { return true };
    let signatures = |inventory: &Inventory| -> BTreeMap<String, String> {
        let source = &inventory.source;
        let functions = inventory.functions();
        functions
            .map(|definition| {
                let end = definition.body.start.max(definition.span.start);
                let open = (definition.span.start..end).find(|index| source.word(*index) == "(");
                let parameters = open.map(|open| source.flat(&(open..source.closing(open) + 1)));
                (definition.name.clone(), parameters.unwrap_or_default())
            })
            .collect()
    };
    let bound = |inventory: &Inventory| -> Vec<String> {
        let source = &inventory.source;
        let top =
            source.pieces.iter().filter(|piece| piece.class == Class::Binding && piece.parent.is_none());
        top.flat_map(|piece| source.words(&piece.name).map(str::to_owned)).collect()
    };
    let (was, is) = (signatures(old), signatures(new));
    let has = bound(new);
    was.iter().any(|(name, parameters)| is.get(name).is_some_and(|now| now != parameters))
        || bound(old).iter().any(|name| !has.contains(name))
}

/// Whether nothing is expected, in whatever words.
fn is_empty(expected: &str) -> bool {
    words::is_plain_value(expected) && !["true", "True"].contains(&expected)
}

/// Whether a word of product code says nothing of what it does.
fn says_nothing(word: &str) -> bool {
    EMPTY_CODE.contains(&word)
        || ["Exception", "continue", "undefined"].contains(&word)
        || word.starts_with("unwrap_or")
}

/// Whether an assertion is about an error.
fn expects_error(word: &str, text: &str) -> bool {
    let lower = format!("{word} {text}").to_lowercase();
    has_any(&lower, FAILING)
}

fn is_product(file: &ChangedFile) -> bool {
    [&file.before, &file.after].into_iter().flatten().any(super::Side::is_product)
}

/// A change that people are told about: a page of the documentation, a list of changes.
fn says_so(file: &ChangedFile) -> bool {
    let path = file.path();
    let name = file_name(path).to_lowercase();
    let is_prose = ends_with_any(&name, &[".md", ".rst", ".adoc"])
        || starts_with_any(&name, &["changes", "changelog", "history", "news"]);
    is_prose && !paths::is_test(path) && language::Language::of(path).is_none()
}

/// How many words of a product file are new and mean something.
fn gained(file: &ChangedFile) -> usize {
    let Some((old, new)) = file.inventories() else { return usize::MAX / 2 };
    let mut left = words(old);
    let (called, calls) = (called(old), called(new));
    // A call that was not there does something in its place.
    let is_more = |(word, times): (&String, &usize)| {
        !says_nothing(word) && *times > called.get(word).copied().unwrap_or_default()
    };
    if calls.iter().any(is_more) {
        return usize::MAX / 2;
    }
    let mut count = 0;
    for (word, times) in words(new) {
        let had = left.remove(&word).unwrap_or_default();
        if times > had && !says_nothing(&word) {
            count += times - had;
        }
    }
    count
}

/// Whether two files differ in nothing but words for on that became words for off.
fn is_switch(old: &Inventory, new: &Inventory) -> bool {
    let (was, is) = (words(old), words(new));
    let differs = |a: &BTreeMap<String, usize>, b: &BTreeMap<String, usize>| -> Vec<String> {
        let more = a.iter().filter(|(word, times)| **times > b.get(*word).copied().unwrap_or_default());
        more.map(|(word, _)| word.clone()).collect()
    };
    let is_text = |word: &String| word.starts_with('"');
    let all = |words: Vec<String>, wanted: &[&str]| {
        words.iter().all(|word| wanted.contains(&word.as_str()) || is_text(word))
    };
    all(differs(&was, &is), &["true", "True"]) && all(differs(&is, &was), &["false", "False"])
}

/// The functions that the product part of a file calls, each with how often.
fn called(inventory: &Inventory) -> BTreeMap<String, usize> {
    let source = &inventory.source;
    let tests = test_modules(inventory);
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for piece in source.pieces_of(Class::Call) {
        let is_product = !tests.iter().any(|span| span.contains(&piece.span.start));
        if let Some(word) = source.words(&piece.name).last().filter(|_| is_product) {
            *found.entry(word.to_owned()).or_default() += 1;
        }
    }
    found
}

fn words(inventory: &Inventory) -> BTreeMap<String, usize> {
    let source = &inventory.source;
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let mut tests = test_modules(inventory).into_iter().peekable();
    for (index, token) in source.tokens.iter().enumerate() {
        while tests.next_if(|span| span.end <= index).is_some() {}
        let in_tests = tests.peek().is_some_and(|span| span.contains(&index));
        if token.kind != Kind::Mark && !in_tests {
            *found.entry(requoted(source.word(index)).into_owned()).or_default() += 1;
        }
    }
    found
}
