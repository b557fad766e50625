//! What is wrong with a document: which file, which line, what, and what to do about it.

use std::fmt;

/// Most problems that are shown of one file.
const PROBLEMS_MAX: usize = 200;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, as it was named.
    pub file: String,
    /// The line, where there is one.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

/// Problems on the way, bounded: a hostile file must not make a list that is larger than itself.
#[derive(Debug, Default)]
pub(super) struct Problems {
    pub(super) found: Vec<(Option<usize>, String, Option<String>)>,
    pub(super) total: usize,
}

impl Problems {
    pub(super) fn add(&mut self, line: usize, message: impl Into<String>, hint: impl Into<Option<String>>) {
        self.total += 1;
        if self.found.len() < PROBLEMS_MAX {
            self.found.push((Some(line), message.into(), hint.into()));
        }
    }

    /// The problems of `file`, by line.
    pub(super) fn of(self, file: &str) -> Vec<Problem> {
        let mut found = self.found;
        found.sort_by_key(|(line, ..)| line.unwrap_or(0));
        let problem = |(line, message, hint)| Problem { file: file.to_owned(), line, message, hint };
        let hidden = self.total - found.len();
        let mut problems: Vec<Problem> = found.into_iter().map(problem).collect();
        if hidden > 0 {
            problems.push(problem((None, format!("and {hidden} more"), None)));
        }
        problems
    }
}
