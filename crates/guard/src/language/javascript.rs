//! JavaScript, TypeScript and TSX: one table, three grammars.

use super::{Imports, Language, TestBy, Traits};
use crate::paths;
use crate::text::has_any;

const TESTS: &[TestBy] = &[TestBy::Call];

const TRAITS: Traits = Traits {
    collects_file: |directory, name| {
        let stem = name.split('.').next().unwrap_or(name);
        let rest = &name[stem.len()..];
        has_any(rest, &[".test.", ".spec.", ".cy.", ".e2e."])
            || directory.split('/').any(|part| part == "__tests__")
            // Runners that take every file of a directory know no other name for its tests.
            || paths::is_test(&format!("{directory}/{name}")) && rest.matches('.').count() == 1
    },
    expects_at_the_end: true,
    imports: Imports::Braced,
    ..Traits::PLAIN
};

pub(super) const JAVASCRIPT: Language = Language {
    name: "javascript",
    extensions: &["js", "jsx", "mjs", "cjs"],
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    tests: TESTS,
    traits: TRAITS,
};

pub(super) const TYPESCRIPT: Language = Language {
    name: "typescript",
    extensions: &["ts", "mts", "cts"],
    grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    tests: TESTS,
    traits: TRAITS,
};

pub(super) const TSX: Language = Language {
    name: "typescript",
    extensions: &["tsx"],
    grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    tests: TESTS,
    traits: TRAITS,
};
