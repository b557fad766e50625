//! Why a file is no ledger.

use crate::yaml::{Problem, Problems};

/// As many problems as somebody reads at once; the rest is counted.
const PROBLEMS_MAX: usize = 20;

/// The content is not a sound ledger: all that is wrong with it, in the order of its lines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", all(.problems, *.more))]
pub struct Invalid {
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// How many more there are.
    pub more: usize,
}

impl From<Problem> for Invalid {
    fn from(problem: Problem) -> Self {
        Self { problems: vec![problem], more: 0 }
    }
}

fn all(problems: &[Problem], more: usize) -> String {
    let mut lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
    if more > 0 {
        lines.push(format!("and {more} more problems"));
    }
    lines.join("\n")
}

/// The first of these, and how many more there are. Only what is told is put into words.
pub(super) fn first<T>(problems: &[T], words: impl Fn(&T) -> Problem) -> Vec<Problem> {
    let more = problems.len().saturating_sub(PROBLEMS_MAX);
    problems.iter().take(PROBLEMS_MAX).map(words).chain(and_more(more, "problem")).collect()
}

fn and_more(more: usize, what: &str) -> Option<Problem> {
    let many = if more == 1 { "" } else { "s" };
    (more > 0).then(|| Problem::new(format!("and {more} more {what}{many}")))
}

/// For the problems of one ledger.
pub(super) fn no_problems() -> Problems {
    Problems::at_most(PROBLEMS_MAX)
}

/// The warnings, where there is no problem.
pub(super) fn warnings(problems: Problems) -> Result<Vec<Problem>, Invalid> {
    let Problems { mut found, more, mut warnings, more_warnings, .. } = problems;
    if found.is_empty() {
        warnings.extend(and_more(more_warnings, "warning"));
        return Ok(warnings);
    }
    found.sort_by_key(|problem| problem.line);
    Err(Invalid { problems: found, more })
}
