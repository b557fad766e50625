//! Go.

use super::{Doubles, Examples, Imports, Language, TestBy, Traits, Visibility};

pub(super) const GO: Language = Language {
    name: "go",
    extensions: &["go"],
    grammar: || tree_sitter_go::LANGUAGE.into(),
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
        imports: Imports::Modules,
        examples: Examples::Printed,
        doubles: Doubles::Received(&["Errorf", "Error", "Fatal", "Fatalf", "FailNow", "Fail"]),
        ..Traits::PLAIN
    },
};
