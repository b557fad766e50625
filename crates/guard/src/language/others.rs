//! Languages with little that is peculiar: Java, C#, Ruby, PHP, C and C++.

use super::{Class, Language, TestBy, Traits, Visibility};
use crate::source::Source;

pub(super) const JAVA: Language = Language {
    name: "java",
    extensions: &["java"],
    grammar: || tree_sitter_java::LANGUAGE.into(),
    // JUnit 3 goes by names.
    tests: &[TestBy::Attribute, TestBy::NamePrefix("test")],
    traits: Traits {
        collects_function: |source, index, _| extends_test(source, index),
        visibility: Visibility::Unless("private"),
        ..Traits::PLAIN
    },
};

pub(super) const C_SHARP: Language = Language {
    name: "csharp",
    extensions: &["cs"],
    grammar: || tree_sitter_c_sharp::LANGUAGE.into(),
    tests: &[TestBy::Attribute],
    traits: Traits { visibility: Visibility::Unless("private"), ..Traits::PLAIN },
};

pub(super) const RUBY: Language = Language {
    name: "ruby",
    extensions: &["rb"],
    grammar: || tree_sitter_ruby::LANGUAGE.into(),
    tests: &[TestBy::NamePrefix("test_"), TestBy::Call],
    traits: Traits { names_call: true, ..Traits::PLAIN },
};

pub(super) const PHP: Language = Language {
    name: "php",
    extensions: &["php"],
    grammar: || tree_sitter_php::LANGUAGE_PHP.into(),
    tests: &[TestBy::NamePrefix("test"), TestBy::Attribute, TestBy::Call],
    traits: Traits { visibility: Visibility::Unless("private"), ..Traits::PLAIN },
};

pub(super) const C: Language = Language {
    name: "c",
    extensions: &["c", "h"],
    grammar: || tree_sitter_c::LANGUAGE.into(),
    tests: &[TestBy::NamePrefix("test_")],
    traits: Traits::PLAIN,
};

pub(super) const CPP: Language = Language {
    name: "cpp",
    extensions: &["cc", "cpp", "cxx", "hpp", "hh", "hxx"],
    grammar: || tree_sitter_cpp::LANGUAGE.into(),
    tests: &[TestBy::NamePrefix("TEST"), TestBy::Call],
    traits: Traits::PLAIN,
};

/// Whether a function is in a class that is a test by what it extends.
fn extends_test(source: &Source, index: usize) -> bool {
    source.around(index).any(|(_, outer)| {
        let header = source.flat(&outer.header());
        outer.class == Class::Container
            && header.split_once("extends ").is_some_and(|(_, base)| base.contains("Test"))
    })
}
