//! Whether a change only takes away: what the product did, and the tests that said so.
//!
//! Who removes a feature or changes what a function does brings something in its place, or says so where people read
//! it. A change that brings nothing, in the product or in the tests, and says nothing, is what is left of one that was
//! made so that tests pass.

use super::{ChangedFile, Comparison, test_modules};
use crate::inventory::{Inventory, Test};
use crate::source::{Kind, requoted};
use crate::{language, paths};
use std::collections::BTreeMap;

/// So many words may come to the product with what it lost.
const GAINED_MAX: usize = 6;
/// Words that bring nothing: an answer that is always the same, or a way past what was done.
const EMPTY: &[&str] = &[
    "return", "None", "null", "nil", "undefined", "pass", "false", "False", "true", "True", "0", "1", "\"\"", "Ok", "Some",
    "continue", "break", "catch", "except", "Exception", "try", "_", "unwrap_or_default", "unwrap_or", "Default", "default",
    "String", "Vec", "new", "if", "Err", "todo", "const", "let", "err", "e", "error", "else", "void", "as", "never",
    "any", "ok", "Promise", "resolve", "unwrap_or_else", "match",
];

impl Comparison {
    /// Whether the change only takes away, from the product and from its tests.
    pub(super) fn only_takes_away(&self) -> bool {
        let product: Vec<_> = self.files.iter().filter(|file| is_product(file)).collect();
        !self.dependencies_changed
            && self.removed_names.is_empty()
            && self.followed.added.is_empty()
            && product.iter().all(|file| file.both().is_some())
            && product.iter().map(|file| gained(file)).sum::<usize>() <= GAINED_MAX
            && !self.files.iter().any(says_so)
            && self.tests_say_less()
    }

    /// Whether tests left, lost weight, or expect fewer errors.
    fn tests_say_less(&self) -> bool {
        let errors = |test: &Test| test.live().filter(|assertion| expects_error(&assertion.word, &assertion.text)).count();
        self.weight_gained < 0
            || self
                .changed_pairs()
                .any(|(old, new)| errors(self.new_test(*new)) < errors(self.old_test(*old)))
    }
}

/// Whether an assertion is about an error.
fn expects_error(word: &str, text: &str) -> bool {
    let lower = format!("{word} {text}").to_lowercase();
    ["raises", "throw", "reject", "panic", "err"].iter().any(|part| lower.contains(part))
}

fn is_product(file: &ChangedFile) -> bool {
    [&file.before, &file.after].into_iter().flatten().any(super::Side::is_product)
}

/// A change that people are told about: a page of the documentation, a list of changes.
fn says_so(file: &ChangedFile) -> bool {
    let path = file.path();
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let is_prose = [".md", ".rst", ".adoc"].iter().any(|end| name.ends_with(end))
        || ["changes", "changelog", "history", "news"].iter().any(|start| name.starts_with(start));
    is_prose && !paths::is_test(path) && language::Language::of(path).is_none()
}

/// How many words of a product file are new and mean something.
fn gained(file: &ChangedFile) -> usize {
    let Some((old, new)) = file.inventories() else { return usize::MAX / 2 };
    let mut left = words(old);
    let mut count = 0;
    for (word, times) in words(new) {
        let had = left.remove(&word).unwrap_or_default();
        if times > had && !EMPTY.contains(&word.as_str()) {
            count += times - had;
        }
    }
    count
}

fn words(inventory: &Inventory) -> BTreeMap<String, usize> {
    let source = &inventory.source;
    let tests = test_modules(inventory);
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for (index, token) in source.tokens.iter().enumerate() {
        if token.kind != Kind::Mark && !tests.iter().any(|span| span.contains(&index)) {
            *found.entry(requoted(source.word(index)).into_owned()).or_default() += 1;
        }
    }
    found
}
