//! Java and C#.

use super::{Class, Language, TestBy, Traits, Visibility};
use crate::source::Source;

pub(super) const JAVA: Language = Language {
    name: "java",
    extensions: &["java"],
    grammar: || tree_sitter_java::LANGUAGE.into(),
    kinds: &[
        ("method_declaration", Class::Function),
        ("constructor_declaration", Class::Function),
        ("lambda_expression", Class::Lambda),
        ("class_declaration", Class::Container),
        ("interface_declaration", Class::Container),
        ("enum_declaration", Class::Container),
        ("method_invocation", Class::Call),
        ("object_creation_expression", Class::Call),
        ("marker_annotation", Class::Decorator),
        ("annotation", Class::Decorator),
        ("variable_declarator", Class::Binding),
        ("array_initializer", Class::List),
        ("element_value_array_initializer", Class::List),
        ("if_statement", Class::If),
        ("for_statement", Class::Loop),
        ("enhanced_for_statement", Class::Loop),
        ("while_statement", Class::Loop),
        ("try_statement", Class::Try),
        ("try_with_resources_statement", Class::Try),
        ("catch_clause", Class::Handler),
        ("return_statement", Class::Return),
        ("throw_statement", Class::Throw),
        ("assert_statement", Class::Assert),
        ("block", Class::Block),
        ("import_declaration", Class::Import),
        ("string_literal", Class::Text),
        ("character_literal", Class::Text),
        ("line_comment", Class::Comment),
        ("block_comment", Class::Comment),
    ],
    // JUnit 3 goes by names.
    tests: &[TestBy::Attribute, TestBy::NamePrefix("test")],
    traits: Traits {
        collects_function: |source, index, _| extends_test(source, index),
        visibility: Visibility::Unless("private"),
        ..Traits::PLAIN
    },
    index: 6,
};

pub(super) const C_SHARP: Language = Language {
    name: "csharp",
    extensions: &["cs"],
    grammar: || tree_sitter_c_sharp::LANGUAGE.into(),
    kinds: &[
        ("method_declaration", Class::Function),
        ("local_function_statement", Class::Function),
        ("constructor_declaration", Class::Function),
        ("lambda_expression", Class::Lambda),
        ("class_declaration", Class::Container),
        ("namespace_declaration", Class::Container),
        ("invocation_expression", Class::Call),
        ("object_creation_expression", Class::Call),
        ("attribute_list", Class::Decorator),
        ("variable_declarator", Class::Binding),
        ("initializer_expression", Class::List),
        ("if_statement", Class::If),
        ("for_statement", Class::Loop),
        ("foreach_statement", Class::Loop),
        ("while_statement", Class::Loop),
        ("try_statement", Class::Try),
        ("catch_clause", Class::Handler),
        ("return_statement", Class::Return),
        ("throw_statement", Class::Throw),
        ("block", Class::Block),
        ("using_directive", Class::Import),
        ("string_literal", Class::Text),
        ("verbatim_string_literal", Class::Text),
        ("interpolated_string_expression", Class::Text),
        ("character_literal", Class::Text),
        ("comment", Class::Comment),
    ],
    tests: &[TestBy::Attribute],
    traits: Traits { visibility: Visibility::Unless("private"), ..Traits::PLAIN },
    index: 7,
};

/// Whether a function is in a class that is a test by what it extends.
fn extends_test(source: &Source, index: usize) -> bool {
    source.around(index).any(|(_, outer)| {
        let header = source.flat(&(outer.span.start..outer.body.start.max(outer.span.start)));
        outer.class == Class::Container
            && header.split_once("extends ").is_some_and(|(_, base)| base.contains("Test"))
    })
}
