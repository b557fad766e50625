//! Languages: what a kind of node means, and how each language spells a test.
//!
//! A language is a table, not code. [`kinds`] says which nodes of a grammar are functions, calls, handlers and so on;
//! everything after [`crate::source`] sees only those classes and tokens. The vocabulary of
//! test frameworks is in [`crate::words`], shared by all languages, since their names hardly ever collide.

mod go;
mod javascript;
mod kinds;
mod others;
mod python;
mod rust;

use std::sync::OnceLock;

use piton_git::{ReadError, Tree};
use tree_sitter::Parser;

use crate::paths;
use crate::source::{Place, Source};

/// What a node is to the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A named function or method.
    Function,
    /// A function without a name.
    Lambda,
    /// What holds functions: a class, a module, an `impl`.
    Container,
    /// A call, a macro included.
    Call,
    /// An attribute, an annotation, a decorator.
    Decorator,
    /// A value that gets a name.
    Binding,
    /// A literal list, tuple, array, table.
    List,
    /// A conditional.
    If,
    /// A loop.
    Loop,
    /// A statement that catches.
    Try,
    /// What it does with what it caught.
    Handler,
    /// A block under something that looks after it: `with`.
    With,
    /// Leaves the function.
    Return,
    /// Raises an error.
    Throw,
    /// An assertion that is a statement of the language.
    Assert,
    /// A sequence of statements.
    Block,
    /// A statement that brings names into the file.
    Import,
    /// A literal text, one token however it is built.
    Text,
    /// Not a token.
    Comment,
}

/// How functions become tests in a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TestBy {
    /// Their name begins like this, in a file that holds tests.
    NamePrefix(&'static str),
    /// They carry an attribute that [`crate::words::is_test_attribute`] knows.
    Attribute,
    /// A call that [`crate::words::is_test_call`] knows is a test.
    Call,
}

/// What is peculiar to a language or to how it is tested, besides its grammar.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traits {
    /// Kinds of nodes that mean something else here than in other grammars.
    pub(crate) other_kinds: &'static [&'static str],
    /// Whether the usual runner looks for tests in a file, by its directory and name alone.
    pub(crate) collects_file: fn(&str, &str) -> bool,
    /// Whether it takes the function at this piece for a test, whose name goes on like this behind the prefix.
    pub(crate) collects_function: fn(&Source, usize, &str) -> bool,
    /// Tests stand in the files that they test.
    pub(crate) tests_beside_code: bool,
    /// What a test gets to speak through.
    pub(crate) test_handle: Option<&'static str>,
    /// Calls that begin a chain of expectations, besides those of [`crate::words`].
    pub(crate) expect_calls: &'static [&'static str],
    /// `request(app).get("/").expect(200)` asserts.
    pub(crate) expects_at_the_end: bool,
    /// Calls that are given a value and a checker of values.
    pub(crate) checker_calls: &'static [&'static str],
    /// Such a checker is given the value, `eq(3)`; elsewhere the value follows it.
    pub(crate) checker_holds_value: bool,
    pub(crate) visibility: Visibility,
    /// Names of errors by which a handler catches all; where there are none, every handler does.
    pub(crate) broad_errors: &'static [&'static str],
    /// Words that are a way to fail.
    pub(crate) failure_words: &'static [&'static str],
    /// The name under which errors are returned.
    pub(crate) returned_error: Option<&'static str>,
    /// Calls that leave a function.
    pub(crate) leaving_calls: &'static [&'static str],
    /// The word before what runs beside the caller.
    pub(crate) spawn_word: Option<&'static str>,
    /// `if x := f(); x`.
    pub(crate) if_binds: bool,
    /// `let Ok(x) = f() else { return }` and `Err(_) => return`.
    pub(crate) leaves_by_pattern: bool,
    /// A text at the start of a body documents it.
    pub(crate) docstrings: bool,
    pub(crate) examples: Examples,
    pub(crate) doubles: Doubles,
    /// `path.write_text(…)`: the receiver says what is written.
    pub(crate) writes_to_receiver: bool,
    pub(crate) imports: Imports,
    /// A name alone on its line calls.
    pub(crate) names_call: bool,
}

/// How a file gives names of its own to what others define.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Imports {
    /// Not at all, or in no way that is read.
    None,
    /// `import { a as b } from "m"`, `const { a: b } = require("m")`.
    Braced,
    /// `from m import a as b`.
    Listed,
    /// `import b "m"`: only of a whole module.
    Modules,
    /// `use m::a as b`.
    Paths,
}

/// Who may use a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visibility {
    /// Everybody.
    All,
    /// Who is told so by this word in front of it.
    Marked(&'static str),
    /// Everybody, unless this word is among the first.
    Unless(&'static str),
    /// Everybody, unless its name begins like this.
    NameNot(char),
    /// Everybody, where its name begins with a capital.
    Capital,
}

/// Where documentation has examples that run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Examples {
    Nowhere,
    /// Between fences.
    Fenced,
    /// Behind `>>>`.
    Prompted,
    /// In functions that say what they print.
    Printed,
}

/// How a method of a test framework can be replaced by one that does not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubles {
    None,
    /// In a class that inherits from the framework's.
    Inherited,
    /// On a type of one's own, under one of these names.
    Received(&'static [&'static str]),
}

impl Traits {
    /// Nothing is peculiar.
    pub(crate) const PLAIN: Self = Self {
        other_kinds: &[],
        collects_file: |_, _| true,
        collects_function: |_, _, _| true,
        tests_beside_code: false,
        test_handle: None,
        expect_calls: &[],
        expects_at_the_end: false,
        checker_calls: &[],
        checker_holds_value: false,
        visibility: Visibility::All,
        broad_errors: &[],
        failure_words: &["reject"],
        returned_error: None,
        leaving_calls: &[],
        spawn_word: None,
        if_binds: false,
        leaves_by_pattern: false,
        docstrings: false,
        examples: Examples::Nowhere,
        doubles: Doubles::None,
        writes_to_receiver: false,
        imports: Imports::None,
        names_call: false,
    };
}

/// One language.
#[derive(Debug)]
pub(crate) struct Language {
    /// Its name in reports and in the corpus.
    pub(crate) name: &'static str,
    pub(crate) extensions: &'static [&'static str],
    pub(crate) grammar: fn() -> tree_sitter::Language,
    pub(crate) tests: &'static [TestBy],
    /// What else is peculiar to it.
    pub(crate) traits: Traits,
}

/// All languages.
static LANGUAGES: [Language; 12] = [
    rust::RUST,
    python::PYTHON,
    javascript::JAVASCRIPT,
    javascript::TYPESCRIPT,
    javascript::TSX,
    go::GO,
    others::JAVA,
    others::C_SHARP,
    others::RUBY,
    others::PHP,
    others::C,
    others::CPP,
];

/// What a field of a node is to the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The name of a definition, the callee of a call.
    Name,
    Arguments,
    Body,
    Condition,
}

/// The fields that have a role, the same in every grammar that has them.
const ROLES: [(Role, &[&str]); 4] = [
    (Role::Name, &["name", "function", "macro", "method", "type", "left", "pattern", "declarator"]),
    (Role::Arguments, &["arguments", "parameters", "right", "value"]),
    (Role::Body, &["body", "consequence", "definition", "handler"]),
    (Role::Condition, &["condition"]),
];

/// A grammar made ready: classes and roles by number.
pub(crate) struct Grammar {
    pub(crate) language: tree_sitter::Language,
    classes: Vec<Option<Class>>,
    roles: Vec<Option<Role>>,
    places: Vec<Option<Place>>,
    /// What stands between the brackets of a macro; 0 where there are none.
    token_tree: u16,
}

impl Grammar {
    pub(crate) fn class(&self, kind: u16) -> Option<Class> {
        self.classes.get(usize::from(kind)).copied().flatten()
    }

    /// What a kind of node says of all that is in it.
    pub(crate) fn place(&self, kind: u16) -> Option<Place> {
        self.places.get(usize::from(kind)).copied().flatten()
    }

    pub(crate) fn is_token_tree(&self, kind: u16) -> bool {
        self.token_tree != 0 && kind == self.token_tree
    }

    pub(crate) fn role(&self, field: Option<u16>) -> Option<Role> {
        self.roles.get(usize::from(field?)).copied().flatten()
    }
}

impl Language {
    /// The language of a file, by its name.
    pub(crate) fn of(path: &str) -> Option<&'static Language> {
        let (_, extension) = path.rsplit('/').next()?.rsplit_once('.')?;
        LANGUAGES.iter().find(|language| language.extensions.contains(&extension))
    }

    /// The grammar, made ready once.
    pub(crate) fn ready(&self) -> &'static Grammar {
        static READY: [OnceLock<Grammar>; LANGUAGES.len()] = [const { OnceLock::new() }; LANGUAGES.len()];
        let index = LANGUAGES.iter().position(|language| std::ptr::eq(language, self));
        READY[index.expect("every language is in the table")].get_or_init(|| self.prepare())
    }

    fn prepare(&self) -> Grammar {
        let language = (self.grammar)();
        let mut classes = vec![None; language.node_kind_count()];
        let mut places = vec![None; language.node_kind_count()];
        for (number, class) in classes.iter_mut().enumerate() {
            let kind = u16::try_from(number).ok().and_then(|number| {
                language.node_kind_is_named(number).then(|| language.node_kind_for_id(number)).flatten()
            });
            let place = kind.and_then(|kind| kinds::PLACES.iter().find(|(_, kinds)| kinds.contains(&kind)));
            places[number] = place.map(|(place, _)| *place);
            let kind = kind.filter(|kind| !self.traits.other_kinds.contains(kind));
            let row = kind.and_then(|kind| kinds::KINDS.iter().find(|(_, kinds)| kinds.contains(&kind)));
            *class = row.map(|(class, _)| *class);
        }
        let mut roles = vec![None; language.field_count() + 1];
        for (role, names) in ROLES {
            for field in names.iter().filter_map(|name| language.field_id_for_name(name)) {
                roles[usize::from(field.get())] = Some(role);
            }
        }
        let token_tree = language.id_for_node_kind("token_tree", true);
        Grammar { language, classes, roles, places, token_tree }
    }

    /// A parser of this language.
    pub(crate) fn parser(&self) -> Parser {
        let mut parser = Parser::new();
        parser.set_language(&self.ready().language).expect("the grammar was built for this library");
        parser
    }
}

/// What [`parse`] parsed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// Files.
    pub files: usize,
    /// Bytes in them.
    pub bytes: usize,
}

/// Parses the files of a tree that may hold tests and drops the result: what an inventory is measured by.
pub fn parse(tree: &dyn Tree) -> Result<Parsed, ReadError> {
    let mut parsed = Parsed::default();
    let entries: Vec<_> =
        tree.entries()?.into_iter().filter(|entry| paths::may_hold_tests(&entry.path)).collect();
    for (entry, bytes) in entries.iter().zip(tree.read(&entries)?) {
        let Some(language) = Language::of(&entry.path) else { continue };
        parsed.files += 1;
        parsed.bytes += bytes.len();
        language.parser().parse(&bytes, None);
    }
    Ok(parsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_in_a_table_is_one_of_a_grammar() {
        let knows = |language: &Language, kind: &str| (language.grammar)().id_for_node_kind(kind, true) != 0;
        let places = kinds::PLACES.iter().flat_map(|(_, kinds)| *kinds);
        for kind in kinds::KINDS.iter().flat_map(|(_, kinds)| *kinds).chain(places) {
            assert!(LANGUAGES.iter().any(|language| knows(language, kind)), "{kind}");
        }
        for language in &LANGUAGES {
            for kind in language.traits.other_kinds {
                assert!(knows(language, kind), "{}: {kind}", language.name);
            }
        }
    }
}
