//! Rust.

use super::{Examples, Imports, Language, TestBy, Traits, Visibility};

pub(super) const RUST: Language = Language {
    name: "rust",
    extensions: &["rs"],
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    tests: &[TestBy::Attribute],
    traits: Traits {
        // Assigning gives no name, and what follows `else` is a block already.
        other_kinds: &["assignment_expression", "else_clause"],
        // A directory below `tests` is no test of its own.
        collects_file: |directory, name| match format!("{directory}/{name}").split_once("tests/") {
            Some((_, rest)) => !rest.contains('/') || name == "main.rs",
            None => true,
        },
        tests_beside_code: true,
        checker_calls: &["assert_that", "expect_that", "verify_that"],
        checker_holds_value: true,
        visibility: Visibility::Marked("pub"),
        failure_words: &["?", "Err", "bail", "ensure", "panic", "map_err", "ok_or", "ok_or_else"],
        leaves_by_pattern: true,
        examples: Examples::Fenced,
        imports: Imports::Paths,
        ..Traits::PLAIN
    },
};
