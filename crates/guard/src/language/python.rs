//! Python.

use super::{Class, Doubles, Examples, Imports, Language, TestBy, Traits, Visibility};
use crate::inventory::last_name;
use crate::source::Source;

pub(super) const PYTHON: Language = Language {
    name: "python",
    extensions: &["py", "pyi"],
    grammar: || tree_sitter_python::LANGUAGE.into(),
    tests: &[TestBy::NamePrefix("test")],
    traits: Traits {
        // A module is the whole file, and what follows `else` is a block already.
        other_kinds: &["module", "else_clause"],
        collects_file: |_, name| {
            let stem = name.split('.').next().unwrap_or(name);
            stem.starts_with("test") || stem.ends_with("_test")
        },
        collects_function: |source, index, _| is_collected(source, index),
        visibility: Visibility::NameNot('_'),
        broad_errors: &["Exception", "BaseException"],
        docstrings: true,
        examples: Examples::Prompted,
        doubles: Doubles::Inherited,
        writes_to_receiver: true,
        imports: Imports::Listed,
        ..Traits::PLAIN
    },
};

/// Whether pytest or unittest looks for tests where a function stands.
fn is_collected(source: &Source, index: usize) -> bool {
    source.around(index).all(|(outer_index, outer)| match outer.class {
        Class::Function | Class::Lambda => false,
        Class::Container => {
            let bases = source.flat(&(outer.name.end..outer.body.start.max(outer.name.end)));
            let has_bases = bases.len() > 3 && !bases.starts_with("(object)");
            let is_test = last_name(source, &outer.name).starts_with("Test");
            // pytest passes a class by that makes itself.
            let makes_itself = is_test
                && !has_bases
                && source.pieces_in(&outer.body).any(|(inner_index, inner)| {
                    let is_own = source
                        .around(inner_index)
                        .find(|(_, holder)| matches!(holder.class, Class::Container | Class::Function))
                        .is_some_and(|(holder, _)| holder == outer_index);
                    inner.class == Class::Function && is_own && source.word(inner.name.start) == "__init__"
                });
            (is_test || has_bases) && !makes_itself
        }
        _ => true,
    })
}
