//! Go.

use super::{Class, Language, TestBy};

pub(super) const GO: Language = Language {
    name: "go",
    extensions: &["go"],
    grammar: || tree_sitter_go::LANGUAGE.into(),
    kinds: &[
        ("function_declaration", Class::Function),
        ("method_declaration", Class::Function),
        ("func_literal", Class::Lambda),
        ("type_spec", Class::Container),
        ("call_expression", Class::Call),
        ("short_var_declaration", Class::Binding),
        ("assignment_statement", Class::Binding),
        ("var_spec", Class::Binding),
        ("const_spec", Class::Binding),
        ("literal_value", Class::List),
        ("if_statement", Class::If),
        ("for_statement", Class::Loop),
        ("return_statement", Class::Return),
        ("block", Class::Block),
        ("expression_case", Class::Block),
        ("default_case", Class::Block),
        ("import_declaration", Class::Import),
        ("interpreted_string_literal", Class::Text),
        ("raw_string_literal", Class::Text),
        ("rune_literal", Class::Text),
        ("comment", Class::Comment),
    ],
    tests: &[
        TestBy::NamePrefix("Test"),
        TestBy::NamePrefix("Fuzz"),
        TestBy::NamePrefix("Example"),
        TestBy::Call,
    ],
    blocks: true,
    index: 5,
};
