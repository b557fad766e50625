//! Python.

use super::{Class, Language, TestBy};

pub(super) const PYTHON: Language = Language {
    name: "python",
    extensions: &["py", "pyi"],
    grammar: || tree_sitter_python::LANGUAGE.into(),
    kinds: &[
        ("function_definition", Class::Function),
        ("lambda", Class::Lambda),
        ("class_definition", Class::Container),
        ("call", Class::Call),
        ("decorator", Class::Decorator),
        ("assignment", Class::Binding),
        ("list", Class::List),
        ("tuple", Class::List),
        ("set", Class::List),
        ("dictionary", Class::List),
        ("if_statement", Class::If),
        ("for_statement", Class::Loop),
        ("while_statement", Class::Loop),
        ("try_statement", Class::Try),
        ("except_clause", Class::Handler),
        ("with_statement", Class::With),
        ("return_statement", Class::Return),
        ("raise_statement", Class::Throw),
        ("assert_statement", Class::Assert),
        ("block", Class::Block),
        ("import_statement", Class::Import),
        ("import_from_statement", Class::Import),
        ("string", Class::Text),
        ("comment", Class::Comment),
    ],
    tests: &[TestBy::NamePrefix("test")],
    blocks: true,
    index: 1,
};
