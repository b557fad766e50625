//! Tests that replace the very thing they test.

use std::collections::{BTreeMap, BTreeSet};

use super::Draft;
use super::deletion::short;
use crate::comparison::{Comparison, Pair};
use crate::inventory::{Inventory, Test};
use crate::language::Class;
use crate::source::{Piece, Source, Span};
use crate::text::{ends_in_name, has_any, starts_with_any};
use crate::vocabulary::{MOCK_MAKERS, REPLACEMENTS};

pub(super) fn check(comparison: &Comparison) -> Vec<Draft> {
    let mut drafts = Vec::new();
    let mut on_top: BTreeMap<usize, Vec<Replaced>> = BTreeMap::new();
    for pair in comparison.pairs() {
        let Pair { before, after, old: old_inventory, new: new_inventory, .. } = pair;
        let fresh_on_top = on_top.entry(pair.at.1.0).or_insert_with(|| {
            let known = replaced_on_top(old_inventory);
            let is_new = |found: &Replaced| known.iter().all(|other| other.1 != found.1);
            replaced_on_top(new_inventory).into_iter().filter(is_new).collect::<Vec<_>>()
        });
        if comparison.same.contains(&pair.at.0) && fresh_on_top.is_empty() {
            continue;
        }
        let known = replaced(old_inventory, before);
        let subjects = subjects(old_inventory, before);
        for (line, text, name) in stand_ins(new_inventory, after) {
            let is_new = !old_inventory.source.words(&before.span).any(|word| word == name);
            // A helper of the test's own replaces nothing where all that was asked is still asked.
            let count = |inventory: &Inventory, test: &Test, subject: &str| {
                inventory.source.words(&test.span).filter(|word| *word == subject).count()
            };
            let replaces = subjects.iter().any(|subject| {
                count(new_inventory, after, subject) < count(old_inventory, before, subject)
                    && !comparison.touched_names.contains(subject)
            });
            if is_new && replaces && !before.assertions.is_empty() {
                let message = format!(
                    "test `{}` looks at the stand-in `{name}` instead of the real thing",
                    short(&after.id)
                );
                drafts.push(Draft::of(&pair, "subject-mocked", line, message).after(text));
            }
        }
        let here = replaced(new_inventory, after);
        for (line, text, names) in here.into_iter().chain(fresh_on_top.iter().cloned()) {
            let was_local = |name: &String| {
                let source = &old_inventory.source;
                source.pieces_in(&before.body).any(|(_, piece)| {
                    matches!(piece.class, Class::Binding | Class::Function)
                        && source.words(&piece.name).any(|word| word == name)
                })
            };
            // A function inside of a test hides another only where that one came from elsewhere.
            let is_own =
                text.starts_with("def ") && !names.iter().any(|name| imports(&old_inventory.source, name));
            let is_new = !is_own
                && known.iter().all(|(_, other, _)| *other != text)
                && !names.iter().any(was_local)
                && !names.iter().any(|name| comparison.touched_names.contains(name));
            if let Some(name) = names.iter().find(|name| subjects.contains(*name)).filter(|_| is_new) {
                let message =
                    format!("test `{}` replaces `{name}`, which is what it tests", short(&after.id));
                drafts.push(Draft::of(&pair, "subject-mocked", line, message).after(text));
            }
        }
    }
    drafts
}

/// Whether a file brings a name in from elsewhere.
fn imports(source: &Source, name: &str) -> bool {
    let mut imports = source.pieces_of(Class::Import);
    imports.any(|piece| source.words(&piece.span).any(|word| word == name))
}

/// Stubs of the test's own whose answers its assertions look at.
fn stand_ins(inventory: &Inventory, test: &Test) -> Vec<(u32, String, String)> {
    let source = &inventory.source;
    let mut found = Vec::new();
    for (_, piece) in source.pieces_in(&test.body).filter(|(_, piece)| piece.class == Class::Binding) {
        let Some(name) = assigned(source, &piece.name, &piece.arguments).into_iter().next() else { continue };
        let is_member = source.flat(&piece.name).contains('.');
        let asked = format!("{name}(");
        // What makes the expected value is no stand-in.
        let names: BTreeSet<&str> = source
            .pieces_in(&test.body)
            .filter(|(_, other)| {
                other.class == Class::Binding && other.span != piece.span && {
                    other.arguments.clone().any(|at| source.word(at) == name && source.word(at + 1) == "(")
                }
            })
            .flat_map(|(_, other)| source.words(&other.name))
            .collect();
        let is_looked_at = test.assertions.iter().any(|assertion| {
            let looks = assertion.subject.contains(&asked)
                || source.words(&assertion.span).any(|word| names.contains(word));
            looks && !is_computed(&assertion.expected)
        });
        if is_looked_at && !is_member {
            found.push((source.line(piece.span.start), source.flat(&piece.span), name));
        }
    }
    found
}

/// Whether a normalised text has a call in it, outside of its texts.
fn is_computed(text: &str) -> bool {
    let bare = ["Ok(", "Some(", "Err("].iter().fold(text.to_owned(), |text, word| text.replace(word, ""));
    bare.split('"').step_by(2).any(|part| part.contains('('))
}

type Replaced = (u32, String, Vec<String>);

/// What a test replaces, in its body or its attributes.
fn replaced(inventory: &Inventory, test: &Test) -> Vec<Replaced> {
    let source = &inventory.source;
    // The test itself is a function, too.
    let inner = source.pieces_in(&test.span).filter(|(_, piece)| piece.body != test.body);
    inner.filter_map(|(_, piece)| replacement(source, piece, true)).collect()
}

/// What the top of a file replaces, for all its tests.
fn replaced_on_top(inventory: &Inventory) -> Vec<Replaced> {
    let source = &inventory.source;
    let is_on_top = |piece: &&Piece| {
        let is_outer = piece.parent.is_none_or(|parent| {
            source.pieces[parent].parent.is_none() && source.pieces[parent].class != Class::Function
        });
        // A member that is set anew is replaced wherever that is done.
        let is_member = piece.class == Class::Binding
            && matches!(source.word(piece.name.end.wrapping_sub(2)), "." | "::");
        (is_outer || is_member) && !inventory.is_in_test(&piece.span)
    };
    let is_set = |piece: &&Piece| {
        piece.class == Class::Call
            || piece.class == Class::Binding && source.word(piece.name.end.wrapping_sub(2)) == "."
    };
    let pieces = source.pieces.iter().filter(is_set);
    let found =
        pieces.filter_map(|piece| Some((piece, replacement(source, piece, piece.class == Class::Binding)?)));
    found.filter(|(piece, _)| is_on_top(piece)).map(|(_, replaced)| replaced).collect()
}

fn replacement(source: &Source, piece: &Piece, in_test: bool) -> Option<Replaced> {
    let names = match piece.class {
        Class::Call if ends_in_name(&source.flat(&piece.name), REPLACEMENTS) => {
            named(source, &source.inside(&piece.arguments))
        }
        Class::Binding if in_test => assigned(source, &piece.name, &piece.arguments),
        // A function of the same name inside of the test hides the real one.
        Class::Function if in_test && ["fn", "def", "function"].contains(&source.word(piece.span.start)) => {
            source.words(&piece.name).last().map(str::to_owned).into_iter().collect()
        }
        _ => return None,
    };
    (!names.is_empty()).then(|| (source.line(piece.span.start), source.flat(&piece.span), names))
}

/// The names that a replacing call means: the last parts of its texts, and its plain words.
fn named(source: &Source, arguments: &Span) -> Vec<String> {
    let operands = source.split(arguments);
    let mut names = Vec::new();
    for operand in operands.iter().take(2) {
        for index in operand.clone() {
            if source.tokens[index].kind == crate::source::Kind::Text {
                let text = source.word(index).trim_matches(['"', '\'', '`']);
                names.extend(text.rsplit(['.', '/']).next().map(str::to_owned));
            }
        }
    }
    names
}

/// `module.function = stub`, or a function of the same name that hides the real one.
fn assigned(source: &Source, name: &Span, value: &Span) -> Vec<String> {
    let named = source.words(name).last().filter(|_| is_stub(&source.flat(value)));
    named.map(str::to_owned).into_iter().collect()
}

/// Whether an expression makes a mock.
pub(super) fn is_mock(value: &str) -> bool {
    has_any(value, MOCK_MAKERS)
}

/// Whether an expression is a mock or a function of one's own.
pub(super) fn is_stub(value: &str) -> bool {
    is_mock(value) || value.contains("=>") || starts_with_any(value, &["lambda", "func(", "function", "|"])
}

/// What the assertions of a test look at: the functions called in them or bound to what they look at, and
/// the modules these came from.
fn subjects(inventory: &Inventory, test: &Test) -> BTreeSet<String> {
    let source = &inventory.source;
    let mut names = BTreeSet::new();
    let is_call = |index: &usize| source.is_call(*index);
    for assertion in &test.assertions {
        names.extend(assertion.span.clone().filter(is_call).map(|index| source.word(index).to_owned()));
        let looked_at: BTreeSet<&str> = source.words(&assertion.span).collect();
        let bound = source.pieces_in(&test.body).filter(|(_, piece)| {
            piece.class == Class::Binding && source.words(&piece.name).any(|word| looked_at.contains(word))
        });
        for (_, piece) in bound {
            names.extend(piece.arguments.clone().filter(is_call).map(|index| source.word(index).to_owned()));
        }
    }
    names.retain(|name| crate::words::assert_word(name).is_none() && crate::words::matcher(name).is_none());
    let modules = modules(source, &names);
    names.extend(modules);
    names
}

/// The last part of the modules that give these names.
fn modules(source: &Source, names: &BTreeSet<String>) -> BTreeSet<String> {
    let gives = |span: &Span| source.words(span).any(|word| names.contains(word));
    let mut found = BTreeSet::new();
    for piece in source.imports().filter(|piece| gives(&piece.span)) {
        for text in source.literals(&piece.span) {
            let last = text.trim_matches(['"', '\'']).rsplit('/').next().unwrap_or_default().to_owned();
            found.insert(last.trim_end_matches(".js").trim_end_matches(".ts").to_owned());
            found.insert(last);
        }
    }
    found
}
