//! Go.

use super::{Class, Doubles, Examples, Language, TestBy, Traits, Visibility};

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
    traits: Traits {
        collects_file: |directory, name| {
            let is_passed_by = |part: &str| part == "testdata" || part.starts_with(['_', '.']);
            name.ends_with("_test.go") && !is_passed_by(name) && !directory.split('/').any(is_passed_by)
        },
        collects_function: |_, _, rest| !rest.starts_with(|next: char| next.is_lowercase()),
        test_handle: Some("t"),
        expect_calls: &["Expect", "Ω", "Eventually", "Consistently"],
        checker_calls: &["Assert", "Check"],
        visibility: Visibility::Capital,
        failure_words: &["Errorf", "panic"],
        returned_error: Some("err"),
        leaving_calls: &["panic"],
        spawn_word: Some("go"),
        if_binds: true,
        examples: Examples::Printed,
        doubles: Doubles::Received(&["Errorf", "Error", "Fatal", "Fatalf", "FailNow", "Fail"]),
        ..Traits::PLAIN
    },
    index: 5,
};
