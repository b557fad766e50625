//! Rust.

use super::{Class, Examples, Language, TestBy, Traits, Visibility};

pub(super) const RUST: Language = Language {
    name: "rust",
    extensions: &["rs"],
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    kinds: &[
        ("function_item", Class::Function),
        ("macro_definition", Class::Function),
        ("closure_expression", Class::Lambda),
        ("mod_item", Class::Container),
        ("impl_item", Class::Container),
        ("trait_item", Class::Container),
        ("struct_item", Class::Container),
        ("enum_item", Class::Container),
        ("call_expression", Class::Call),
        ("macro_invocation", Class::Call),
        ("attribute_item", Class::Decorator),
        ("inner_attribute_item", Class::Decorator),
        ("let_declaration", Class::Binding),
        ("const_item", Class::Binding),
        ("static_item", Class::Binding),
        ("array_expression", Class::List),
        ("if_expression", Class::If),
        ("for_expression", Class::Loop),
        ("while_expression", Class::Loop),
        ("return_expression", Class::Return),
        ("block", Class::Block),
        ("match_arm", Class::Block),
        ("use_declaration", Class::Import),
        ("string_literal", Class::Text),
        ("raw_string_literal", Class::Text),
        ("char_literal", Class::Text),
        ("line_comment", Class::Comment),
        ("block_comment", Class::Comment),
    ],
    tests: &[TestBy::Attribute],
    traits: Traits {
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
        ..Traits::PLAIN
    },
    index: 0,
};
