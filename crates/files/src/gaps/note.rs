//! What there is to say about a file, with the line it is about.

use std::fmt;

/// More problems than anybody reads; the rest is counted.
const NOTES_MAX: usize = 10_000;

/// One problem or warning.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// The line, from 1; 0 where it is about no line.
    pub line: usize,
    /// What there is to say.
    pub text: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.text),
            line => write!(f, "line {line}: {}", self.text),
        }
    }
}

/// The content is not a sound ledger: all that is wrong with it, in the order of its lines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", all(.problems, *.more))]
pub struct Invalid {
    /// What is wrong.
    pub problems: Vec<Note>,
    /// How many more there are.
    pub more: usize,
}

fn all(problems: &[Note], more: usize) -> String {
    let mut lines: Vec<String> = problems.iter().map(Note::to_string).collect();
    if more > 0 {
        lines.push(format!("and {more} more problems"));
    }
    lines.join("\n")
}

/// Problems and warnings, as they come up.
#[derive(Debug, Default)]
pub(super) struct Notes {
    problems: Vec<Note>,
    more: usize,
    warnings: Vec<Note>,
}

impl Notes {
    pub(super) fn problem(&mut self, line: usize, text: impl Into<String>) {
        if self.problems.len() < NOTES_MAX {
            self.problems.push(Note { line, text: text.into() });
        } else {
            self.more += 1;
        }
    }

    pub(super) fn warning(&mut self, line: usize, text: impl Into<String>) {
        if self.warnings.len() < NOTES_MAX {
            self.warnings.push(Note { line, text: text.into() });
        }
    }

    /// How many problems there are so far.
    pub(super) fn count(&self) -> usize {
        self.problems.len() + self.more
    }

    /// The warnings, where there is no problem.
    pub(super) fn into_warnings(mut self) -> Result<Vec<Note>, Invalid> {
        if self.problems.is_empty() {
            return Ok(self.warnings);
        }
        self.problems.sort_by_key(|problem| problem.line);
        Err(Invalid { problems: self.problems, more: self.more })
    }
}
