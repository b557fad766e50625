//! What a piece of code has that another has not, token by token.
//!
//! Punctuation does not count: it comes and goes with what it separates.

use std::collections::BTreeMap;

use crate::comparison::test_modules;
use crate::inventory::Inventory;
use crate::paths;
use crate::source::{Kind, Source, Span, requoted};

/// The words, numbers and texts of `new` that are not in `old`, each as often as it is more, in order; what lies in
/// one of the spans in `without` is passed by.
pub(super) fn gained<'a>(
    (old, old_span): (&Source, &Span),
    (new, new_span): (&'a Source, &Span),
    without: &[Span],
) -> Vec<&'a str> {
    let mut left: BTreeMap<String, usize> = BTreeMap::new();
    for index in old_span.clone().filter(|index| counts(old, *index)) {
        *left.entry(requoted(old.word(index)).into_owned()).or_default() += 1;
    }
    let is_looked_at =
        |index: &usize| counts(new, *index) && !without.iter().any(|span| span.contains(index));
    let mut found = Vec::new();
    for index in new_span.clone().filter(is_looked_at) {
        match left.get_mut(requoted(new.word(index)).as_ref()).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => found.push(new.word(index)),
        }
    }
    found
}

fn counts(source: &Source, index: usize) -> bool {
    source.tokens.get(index).is_some_and(|token| token.kind != Kind::Mark)
}

/// All tokens of a file.
pub(super) fn whole(source: &Source) -> Span {
    0..source.tokens.len()
}

/// The parts of a file that are for tests: all of it, or its tests and their modules.
pub(super) fn of_tests(path: &str, inventory: &Inventory) -> Vec<Span> {
    if paths::is_test(path) { vec![whole(&inventory.source)] } else { test_modules(inventory) }
}

/// Whether a span lies within one of these.
pub(super) fn is_within(span: &Span, regions: &[Span]) -> bool {
    regions.iter().any(|region| region.start <= span.start && span.end <= region.end)
}
