//! The inventory of a file: its tests, what they assert, what switches them off, and what it defines.
//!
//! Built from a [`Source`] alone, so an inventory belongs to a blob and can be kept with its id.

mod assertions;
mod circular;
mod condition;
mod definitions;
mod facts;
mod marks;
mod ordinary;
mod reach;
mod retries;
mod tables;
mod tests;

use std::collections::BTreeMap;

use crate::source::{Source, Span};

pub(crate) use condition::{is_always, is_constant, is_never};
pub(crate) use definitions::{Definition, last_name};
pub(crate) use marks::{Mark, MarkKind, skips};
pub(crate) use reach::{Reach, reach, says_so};
pub(crate) use retries::times;

/// How much an assertion says. Greater is more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strength {
    /// It cannot fail.
    Tautology,
    /// Something is there, or is true.
    Truthy,
    /// A comparison, a membership, an error of some kind.
    Relational,
    /// Equality.
    Exact,
    /// Only in tables: the argument decides.
    Condition,
}

/// One assertion.
#[derive(Clone, Debug)]
pub(crate) struct Assertion {
    pub(crate) span: Span,
    pub(crate) line: u32,
    /// Normalised, without its message.
    pub(crate) text: String,
    /// What is looked at.
    pub(crate) subject: String,
    /// What it is compared with; empty where there is nothing.
    pub(crate) expected: String,
    /// The word that asserts.
    pub(crate) word: String,
    pub(crate) strength: Strength,
    pub(crate) reach: Reach,
}

/// One test.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    /// Its names from the outside in, joined with ` > `.
    pub(crate) id: String,
    pub(crate) line: u32,
    /// All of it, attributes included.
    pub(crate) span: Span,
    pub(crate) body: Span,
    pub(crate) marks: Vec<Mark>,
    pub(crate) assertions: Vec<Assertion>,
    /// The cases of a parameterised or table test, normalised.
    pub(crate) cases: Vec<String>,
    /// Whether a table was found, be it empty.
    pub(crate) has_table: bool,
}

impl Test {
    /// Whether something keeps it from running or from counting, whatever the machine.
    pub(crate) fn is_off(&self) -> bool {
        self.marks.iter().any(|mark| mark.kind.switches_off())
    }

    /// Its assertions that a run reaches and heeds.
    pub(crate) fn live(&self) -> impl Iterator<Item = &Assertion> {
        self.assertions.iter().filter(|assertion| assertion.reach == Reach::Live)
    }
}

/// A file and what is in it.
#[derive(Debug)]
pub(crate) struct Inventory {
    pub(crate) source: Source,
    pub(crate) tests: Vec<Test>,
    pub(crate) definitions: Vec<Definition>,
    /// Functions that assert and are no tests, by name.
    pub(crate) helpers: BTreeMap<String, Vec<Assertion>>,
}

impl Inventory {
    pub(crate) fn of(path: &str, source: Source) -> Self {
        let definitions = definitions::definitions(&source);
        let marks = marks::of_file(&source);
        let (tests, helpers) = tests::tests(path, &source, &marks);
        Self { source, tests, definitions, helpers }
    }

    /// What it defines under a name; the first, where there are several.
    pub(crate) fn definition(&self, name: &str) -> Option<&Definition> {
        self.definitions.iter().find(|definition| definition.name == name)
    }

    /// A function by its name.
    pub(crate) fn function(&self, name: &str) -> Option<&Definition> {
        self.functions().find(|function| function.name == name)
    }

    pub(crate) fn functions(&self) -> impl DoubleEndedIterator<Item = &Definition> {
        self.definitions.iter().filter(|definition| definition.is_function)
    }

    /// Whether something is part of a test.
    pub(crate) fn is_in_test(&self, span: &Span) -> bool {
        self.tests.iter().any(|test| test.span.start <= span.start && span.end <= test.span.end)
    }
}
