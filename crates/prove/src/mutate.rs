//! Small breaks of product code: one place, one change, still a program.
//!
//! [`mutants`] reads a file once and asks each family of operators what it would do; where tokens may be touched at
//! all is known beforehand ([`site`]), so no family looks for tests, logging or messages itself. In Rust and Go, where a
//! mutant that does not compile is a wasted run, what is left out stays in the text behind `if false`, so that names
//! stay used and types stay known.
//!
//! Invariant: a mutant is never equal to its file, and touches neither a comment nor half of a text.

mod choose;
mod constants;
mod errors;
mod operators;
mod returns;
mod site;
mod statements;
mod stubs;
mod textual;

use std::ops::Range;

use serde::Serialize;

use crate::code::Code;
use site::Sites;

pub use choose::choose;
pub use stubs::stubs;

/// How a mutant differs from the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    /// A condition holds where it did not.
    NegateCondition,
    /// A limit is one further: `<` for `<=`.
    MoveBoundary,
    /// Another operator: `-` for `+`, `or` for `and`.
    ExchangeOperator,
    /// Another value where one is written down.
    ChangeConstant,
    /// A function gives back nothing, in the sort of value that it gives back.
    EmptyReturn,
    /// What a statement did is not done.
    RemoveStatement,
    /// What went wrong is not said any more.
    SwallowError,
    /// A function gives something else, whatever it is asked.
    GiveOther,
}

/// A file with one place of it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// The file.
    pub path: String,
    /// Where the change begins, from 1.
    pub line: u32,
    /// What kind of change it is.
    pub operator: Operator,
    /// The bytes that are replaced.
    pub range: Range<usize>,
    /// What stands there instead.
    pub replacement: String,
    /// The innermost function with a name around it.
    pub function: Option<String>,
}

impl Mutant {
    /// The text of the file as the mutant has it; `text` is the text that [`mutants`] was given.
    pub fn apply(&self, text: &str) -> String {
        replaced(text, &self.range, &self.replacement)
    }

    /// The line as it was and as it is, for a person.
    pub fn lines(&self, text: &str) -> (String, String) {
        let Some(end) = text.get(..self.range.end).map(str::len) else { return Default::default() };
        let start = text.get(..self.range.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let rest = text[end..].find('\n').map_or(text.len(), |at| end + at);
        let was = &text[start..rest];
        let is = replaced(was, &(self.range.start - start..self.range.end - start), &self.replacement);
        (was.trim().to_owned(), is.trim().to_owned())
    }

    /// Whether a value is changed and nothing crashes: what a canary needs, since a comparison that is rigged
    /// survives the first and dies of the second. A limit that moves by one changes too few values for that.
    pub fn changes_a_value(&self) -> bool {
        match self.operator {
            Operator::ChangeConstant | Operator::ExchangeOperator | Operator::GiveOther => true,
            Operator::EmptyReturn => {
                !["None", "null", "nil"].iter().any(|nothing| self.replacement.contains(nothing))
            }
            Operator::NegateCondition
            | Operator::MoveBoundary
            | Operator::RemoveStatement
            | Operator::SwallowError => false,
        }
    }
}

/// A text with something else in a place of it; the text itself where it has no such place.
pub(crate) fn replaced(text: &str, range: &Range<usize>, replacement: &str) -> String {
    let (Some(before), Some(after)) = (text.get(..range.start), text.get(range.end..)) else {
        return text.to_owned();
    };
    [before, replacement, after].concat()
}

/// What a family of operators would change.
struct Change {
    operator: Operator,
    /// The token at which it is said to be.
    at: usize,
    range: Range<usize>,
    replacement: String,
}

/// Every mutant of a file, in the order of the file. None in generated code, logging, comments, imports, tests,
/// attributes, types and the messages of errors.
pub fn mutants(path: &str, text: &str) -> Vec<Mutant> {
    if piton_guard::is_of_tests(path) || site::is_generated(path, text) {
        return Vec::new();
    }
    let Some(code) = Code::of(path, text) else { return Vec::new() };
    let sites = Sites::of(&code);
    let mut changes = Vec::new();
    operators::find(&code, &sites, &mut changes);
    constants::find(&code, &sites, &mut changes);
    returns::find(&code, &sites, &mut changes);
    statements::find(&code, &sites, &mut changes);
    errors::find(&code, &sites, &mut changes);
    changes.sort_by(|one, other| one.key().cmp(&other.key()));
    changes.dedup_by(|one, other| one.range == other.range && one.replacement == other.replacement);
    changes.retain(|change| text.get(change.range.clone()).is_some_and(|was| was != change.replacement));
    let mutant = |change: Change| Mutant {
        path: path.to_owned(),
        line: code.line(change.at),
        function: code.function(change.at),
        operator: change.operator,
        range: change.range,
        replacement: change.replacement,
    };
    changes.into_iter().map(mutant).collect()
}

impl Change {
    fn key(&self) -> (usize, usize, Operator, &str) {
        (self.range.start, self.range.end, self.operator, &self.replacement)
    }
}

#[cfg(test)]
mod tests;
