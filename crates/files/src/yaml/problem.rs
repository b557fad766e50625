//! What is wrong with a file: where, what, and what to do about it.

use std::fmt;

/// One thing that is wrong, or worth saying.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file as it was named, where several take part; else whoever shows the problem says which file it is.
    pub file: Option<String>,
    /// The line from 1, where it is about one.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem of a file as a whole.
    pub fn new(message: impl Into<String>) -> Self {
        Self { file: None, line: None, message: message.into(), hint: None }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{file}:{line}: ")?,
            (Some(file), None) => write!(f, "{file}: ")?,
            (None, Some(line)) => write!(f, "line {line}: ")?,
            (None, None) => {}
        }
        f.write_str(&self.message)?;
        match (&self.hint, &self.file) {
            (Some(hint), Some(_)) => write!(f, "\n  hint: {hint}"),
            (Some(hint), None) => write!(f, "; {hint}"),
            (None, _) => Ok(()),
        }
    }
}

/// Problems and warnings as they come up, bounded: a hostile file must not make a list that is larger than itself.
#[derive(Debug)]
pub(crate) struct Problems {
    most: usize,
    pub(crate) found: Vec<Problem>,
    /// How many more there are.
    pub(crate) more: usize,
    pub(crate) warnings: Vec<Problem>,
    /// How many more of those there are.
    pub(crate) more_warnings: usize,
}

impl Problems {
    /// Keeps at most so many of each, and counts the rest.
    pub(crate) fn at_most(most: usize) -> Self {
        Self { most, found: Vec::new(), more: 0, warnings: Vec::new(), more_warnings: 0 }
    }

    pub(crate) fn push(&mut self, problem: Problem) {
        match self.found.len() < self.most {
            true => self.found.push(problem),
            false => self.more += 1,
        }
    }

    pub(crate) fn add(&mut self, line: usize, message: impl Into<String>) {
        self.push(Problem { line: Some(line), ..Problem::new(message) });
    }

    pub(crate) fn hinted(&mut self, line: usize, message: impl Into<String>, hint: impl Into<String>) {
        self.push(Problem { line: Some(line), hint: Some(hint.into()), ..Problem::new(message) });
    }

    pub(crate) fn warn(&mut self, line: usize, message: impl Into<String>) {
        self.push_warning(Problem { line: Some(line), ..Problem::new(message) });
    }

    fn push_warning(&mut self, warning: Problem) {
        match self.warnings.len() < self.most {
            true => self.warnings.push(warning),
            false => self.more_warnings += 1,
        }
    }

    /// Takes over what was found behind this.
    pub(crate) fn append(&mut self, later: Self) {
        later.found.into_iter().for_each(|problem| self.push(problem));
        later.warnings.into_iter().for_each(|warning| self.push_warning(warning));
        self.more += later.more;
        self.more_warnings += later.more_warnings;
    }

    /// How many problems there are so far.
    pub(crate) fn count(&self) -> usize {
        self.found.len() + self.more
    }
}
