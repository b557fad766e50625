//! JavaScript, TypeScript and TSX: one table, three grammars.

use super::{Class, Language, TestBy, Traits};
use crate::paths;
use crate::text::has_any;

const KINDS: &[(&str, Class)] = &[
    ("function_declaration", Class::Function),
    ("generator_function_declaration", Class::Function),
    ("method_definition", Class::Function),
    ("arrow_function", Class::Lambda),
    ("function_expression", Class::Lambda),
    ("class_declaration", Class::Container),
    ("call_expression", Class::Call),
    ("new_expression", Class::Call),
    ("decorator", Class::Decorator),
    ("variable_declarator", Class::Binding),
    ("assignment_expression", Class::Binding),
    ("array", Class::List),
    ("object", Class::List),
    ("if_statement", Class::If),
    ("for_statement", Class::Loop),
    ("for_in_statement", Class::Loop),
    ("while_statement", Class::Loop),
    ("try_statement", Class::Try),
    ("catch_clause", Class::Handler),
    ("return_statement", Class::Return),
    ("throw_statement", Class::Throw),
    ("statement_block", Class::Block),
    ("switch_case", Class::Block),
    ("else_clause", Class::Block),
    ("import_statement", Class::Import),
    ("string", Class::Text),
    ("template_string", Class::Text),
    ("regex", Class::Text),
    ("comment", Class::Comment),
];

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
    ..Traits::PLAIN
};

pub(super) const JAVASCRIPT: Language = Language {
    name: "javascript",
    extensions: &["js", "jsx", "mjs", "cjs"],
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    kinds: KINDS,
    tests: TESTS,
    traits: TRAITS,
    index: 2,
};

pub(super) const TYPESCRIPT: Language = Language {
    name: "typescript",
    extensions: &["ts", "mts", "cts"],
    grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    kinds: KINDS,
    tests: TESTS,
    traits: TRAITS,
    index: 3,
};

pub(super) const TSX: Language = Language {
    name: "typescript",
    extensions: &["tsx"],
    grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    kinds: KINDS,
    tests: TESTS,
    traits: TRAITS,
    index: 4,
};
