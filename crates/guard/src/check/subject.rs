//! Tests that still have their name and no longer run what they are named after.
//!
//! A name that came from the product and is defined by the test file now is another thing under the same name. A test
//! that called the product and calls something of its own instead looks at itself.

use std::collections::BTreeSet;

use super::Draft;
use super::deletion::{calls as calls_of, short};
use super::mocks::is_mock;
use crate::comparison::{ChangedFile, Comparison, Pair, test_modules};
use crate::inventory::{Inventory, Test};
use crate::language::Class;
use crate::source::{Kind, Source, Span};

/// Shorter names of functions say too little.
const NAME_CHARACTERS_MIN: usize = 3;
/// So many other calls may be new in a test that lost its subject.
const GAINED_CALLS_MAX: usize = 2;

pub(super) fn check(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for file in &comparison.files {
        let Some((old, new)) = file.inventories() else { continue };
        if file.is_test() {
            drafts.extend(shadowed(comparison, file, old, new));
        } else if !new.tests.is_empty() {
            drafts.extend(hidden_by_module(comparison, file, old, new));
        }
    }
    drafts.extend(comparison.files.iter().filter(|file| file.is_test()).filter_map(rebound));
    let asserting = |pair: &Pair<'_>| pair.is_on() && !pair.before.assertions.is_empty();
    let pairs = comparison.changed_pairs().filter(asserting);
    drafts.extend(pairs.filter_map(|pair| dropped(comparison, &pair)));
    drafts
}

/// A name that was imported and is defined in the test file now.
fn shadowed(comparison: &Comparison, file: &ChangedFile, old: &Inventory, new: &Inventory) -> Vec<Draft> {
    let (had, has) = (imports(&old.source), imports(&new.source));
    let mut drafts = Vec::new();
    for name in had.iter().filter(|name| name.len() >= 2) {
        let is_excused = comparison.touched_names.contains(name) || comparison.removed_names.contains(name);
        let was_called = old.tests.iter().any(|test| calls(&old.source, &test.span, name));
        let is_called = new.tests.iter().any(|test| calls(&new.source, &test.span, name));
        if is_excused || !was_called || !is_called || defined(old, name).is_some() {
            continue;
        }
        if let Some(line) = (!has.contains(name)).then(|| defined(new, name)).flatten() {
            let message = format!("`{name}` came from the product, and the test file defines it itself now");
            drafts.push(Draft::new("subject-mocked", file.path(), line, message));
        } else if let Some((line, from)) = replaced_source(comparison, file, (old, new), name) {
            let message = format!("`{name}` came from the product, and comes from `{from}` now");
            drafts.push(Draft::new("subject-mocked", file.path(), line, message));
        }
    }
    drafts
}

/// Where a name comes from, where that is a file of the tests now which is new or had no such name.
fn replaced_source(
    comparison: &Comparison,
    file: &ChangedFile,
    (old, new): (&Inventory, &Inventory),
    name: &str,
) -> Option<(u32, String)> {
    let (was, is) = (import_of(&old.source, name)?, import_of(&new.source, name)?);
    if was.1 == is.1 {
        return None;
    }
    let stem = |text: &str| {
        let last = text
            .trim_matches(['"', '\'', '`'])
            .rsplit(['/', '.', ':'])
            .find(|part| !["js", "ts", "mjs", ""].contains(part));
        last.unwrap_or_default().to_owned()
    };
    let from = stem(&is.1);
    let is_test_side = comparison.files.iter().any(|other| {
        let name_of = |path: &str| {
            path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or_default().to_owned()
        };
        other.path() != file.path()
            && other.is_test()
            && name_of(other.path()) == from
            && other.new_inventory().is_some_and(|inventory| defined(inventory, name).is_some())
            && other.old_inventory().is_none_or(|inventory| defined(inventory, name).is_none())
    });
    is_test_side.then_some((is.0, from))
}

/// The line and the module of the import that brings a name.
fn import_of(source: &Source, name: &str) -> Option<(u32, String)> {
    let piece = source.imports().find(|piece| source.words(&piece.span).any(|word| word == name))?;
    let module = source.literals(&piece.span).pop().unwrap_or_else(|| {
        let words: Vec<_> = source
            .words(&piece.span)
            .take_while(|word| *word != name && *word != "import" || *word == "from")
            .collect();
        words.join(".")
    });
    Some((source.line(piece.span.start), module))
}

/// The names that a file brings in.
fn imports(source: &Source) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for piece in source.imports() {
        let span = if piece.class == Class::Import { &piece.span } else { &piece.name };
        names.extend(source.words(span).map(str::to_owned));
    }
    for word in ["import", "from", "use", "as", "type", "const", "let", "var", "crate", "super", "self"] {
        names.remove(word);
    }
    names
}

/// The line where a file itself defines a name, outside of its imports.
fn defined(inventory: &Inventory, name: &str) -> Option<u32> {
    let source = &inventory.source;
    let definition = inventory.definition(name);
    if let Some(definition) = definition {
        return Some(source.line(definition.span.start));
    }
    let binding = source.pieces.iter().find(|piece| {
        piece.class == Class::Binding
            && piece.parent.is_none()
            && piece.name.len() == 1
            && source.word(piece.name.start) == name
            && !source.flat(&piece.arguments).contains("require(")
    })?;
    Some(source.line(binding.span.start))
}

/// Rust: a function of the test module that hides the one it tests.
fn hidden_by_module(
    comparison: &Comparison,
    file: &ChangedFile,
    old: &Inventory,
    new: &Inventory,
) -> Option<Draft> {
    let regions = |inventory: &Inventory| test_modules(inventory);
    let names = |inventory: &Inventory, inside: bool| -> BTreeSet<String> {
        let spans = regions(inventory);
        let functions = inventory.functions();
        functions
            .filter(|definition| spans.iter().any(|span| span.contains(&definition.span.start)) == inside)
            .map(|definition| definition.name.clone())
            .collect()
    };
    let (product, had, has) = (names(new, false), names(old, true), names(new, true));
    let name = has.iter().find(|name| {
        product.contains(*name)
            && !had.contains(*name)
            && !comparison.touched_names.contains(*name)
            && old.tests.iter().any(|test| calls(&old.source, &test.span, name))
    })?;
    let message = format!("the tests define `{name}` themselves, which is what they test");
    Some(Draft::new("subject-mocked", file.path(), 1, message))
}

/// Whether a span calls a name, or reads it.
fn calls(source: &Source, span: &Span, name: &str) -> bool {
    span.clone().any(|index| source.tokens[index].kind == Kind::Word && source.word(index) == name)
}

/// Setup that made the thing under test and puts a mock in its place.
fn rebound(file: &ChangedFile) -> Option<Draft> {
    let (old, new) = file.inventories()?;
    let bound = |inventory: &Inventory| -> Vec<(String, String, u32)> {
        let source = &inventory.source;
        let outside = source
            .pieces
            .iter()
            .filter(|piece| piece.class == Class::Binding && !inventory.is_in_test(&piece.span));
        outside
            .map(|piece| {
                (source.flat(&piece.name), source.flat(&piece.arguments), source.line(piece.span.start))
            })
            .collect()
    };
    let had = bound(old);
    let (name, value, line) = bound(new).into_iter().find(|(name, value, _)| {
        let was_real = had.iter().any(|(other, was, _)| other == name && !is_mock(was) && was.contains('('));
        let was_mock = had.iter().any(|(other, was, _)| other == name && is_mock(was));
        let asked = format!("{name}.");
        let is_looked_at = old
            .tests
            .iter()
            .any(|test| test.assertions.iter().any(|assertion| assertion.subject.contains(&asked)));
        is_mock(value) && was_real && !was_mock && is_looked_at
    })?;
    let message = format!("`{name}`, which is what tests look at, is a mock now");
    Some(Draft::new("subject-mocked", file.path(), line, message).after(value))
}

/// A test that is named after a function and no longer calls it.
fn dropped(comparison: &Comparison, pair: &Pair<'_>) -> Option<Draft> {
    let Pair { before, after, old, new, .. } = *pair;
    let called = |inventory: &Inventory, test: &Test| -> BTreeSet<String> {
        calls_of(inventory, test).into_iter().map(str::to_owned).collect()
    };
    let (had, has) = (called(old, before), called(new, after));
    let title = letters(&after.id);
    if let Some(name) = stood_in(comparison, pair) {
        let message = format!("test `{}` runs a `{name}` of its own", short(&after.id));
        return Some(Draft::of(pair, "subject-mocked", after.line, message));
    }
    let lost = had.iter().find(|name| {
        name.len() >= NAME_CHARACTERS_MIN
            && title.contains(&letters(name))
            && !has.contains(*name)
            && !new.source.words(&after.span).any(|word| word == *name)
            && defined(old, name).is_none()
            && !comparison.touched_names.contains(*name)
            && !comparison.removed_names.contains(*name)
    })?;
    // A helper may call it now.

    let helped = has.iter().any(|name| reaches(comparison, new, name, lost, 3));
    let gained: Vec<_> = has.iter().filter(|name| !had.contains(*name)).collect();
    let is_own = |name: &&&String| defines_fake((old, new), after, name) && defined(old, name).is_none();
    let stands_in = gained.iter().find(is_own);
    if helped || gained.len() > GAINED_CALLS_MAX {
        return None;
    }
    let message = format!("test `{}` no longer runs `{lost}`", short(&after.id));
    let draft = Draft::of(pair, "subject-mocked", after.line, message).before(lost.clone());
    // What came in its place may be another way to run it, unless the test made it up.
    Some(draft.sure_if(stands_in.is_some()))
}

/// A function that a test called by its bare name, and calls as a method of something that its file defines now.
fn stood_in(comparison: &Comparison, pair: &Pair<'_>) -> Option<String> {
    let Pair { before, after, old, new, .. } = *pair;
    let calls = |inventory: &Inventory, test: &Test, bare: bool| -> BTreeSet<String> {
        let source = &inventory.source;
        let is_call = |index: &usize| {
            source.is_call(*index) && (!matches!(source.word(index.wrapping_sub(1)), "." | "::") == bare)
        };
        test.body.clone().filter(is_call).map(|index| source.word(index).to_owned()).collect()
    };
    let (had, has, methods) = (calls(old, before, true), calls(new, after, true), calls(new, after, false));
    had.into_iter().find(|name| {
        !has.contains(name)
            && methods.contains(name)
            && defined(new, name).is_some()
            && defined(old, name).is_none()
            && !comparison.touched_names.contains(name)
    })
}

/// Whether a function is made in the test or in its file, and calls nothing but what its file defined before.
fn defines_fake((old, inventory): (&Inventory, &Inventory), test: &Test, name: &str) -> bool {
    let source = &inventory.source;
    let own = inventory.definitions.iter().filter(|definition| definition.name == name);
    let bound = source.pieces_in(&test.body).filter(|(_, piece)| {
        piece.class == Class::Binding && source.words(&piece.name).any(|word| word == name)
    });
    let spans: Vec<Span> = own
        .map(|definition| definition.body.clone())
        .chain(bound.map(|(_, piece)| piece.arguments.clone()))
        .collect();
    let is_plain = |word: &str| {
        ["Ok", "Some", "Err", "func", "String", "list", "dict", "format", "f64", "int", "str"].contains(&word)
            || old.definition(word).is_some()
    };
    let calls_out =
        |span: &Span| span.clone().any(|index| source.is_call(index) && !is_plain(source.word(index)));
    !spans.is_empty() && !spans.iter().any(calls_out)
}

/// Whether a function of the tests comes to call another, itself or through others.
fn reaches(comparison: &Comparison, inventory: &Inventory, from: &str, wanted: &str, steps: usize) -> bool {
    if steps == 0 {
        return false;
    }
    let others = comparison.new_inventories();
    std::iter::once(inventory).chain(others).any(|inventory| {
        let source = &inventory.source;
        inventory.definitions.iter().filter(|definition| definition.name == from).any(|definition| {
            let words: BTreeSet<&str> = source.words(&definition.span).collect();
            words.contains(wanted)
                || words.iter().any(|word| {
                    *word != from
                        && inventory.definition(word).is_some()
                        && reaches(comparison, inventory, word, wanted, steps - 1)
                })
        })
    })
}

/// Letters and digits alone, in small letters: `TestParseAll` has `parse_all` in it.
fn letters(text: &str) -> String {
    text.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
