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

/// For the problems of one ledger.
pub(super) fn no_problems() -> Problems {
    Problems::at_most(PROBLEMS_MAX)
}

/// The warnings, where there is no problem.
pub(super) fn warnings(problems: Problems) -> Result<Vec<Problem>, Invalid> {
    let Problems { mut found, more, warnings, .. } = problems;
    if found.is_empty() {
        return Ok(warnings);
    }
    found.sort_by_key(|problem| problem.line);
    Err(Invalid { problems: found, more })
}
