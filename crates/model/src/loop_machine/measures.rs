//! Numbers about a tree, as the checks and the tree itself give them. What is not known is absent, never zero.

use std::collections::BTreeMap;

use piton_record::record;

use crate::limits::{CUSTOM_MEASURES_MAX, clip};

/// What was measured in one round of checks.
#[record(Default)]
#[serde(default)]
pub struct Measures {
    /// What the test runners said.
    pub tests: Option<TestCounts>,
    /// How much of the code the tests reach.
    pub coverage: Option<Coverage>,
    /// Errors that linters and compilers found.
    pub lint_errors: Option<u64>,
    /// Warnings of linters and compilers.
    pub lint_warnings: Option<u64>,
    /// Errors that type checkers found.
    pub type_errors: Option<u64>,
    /// What can be counted in the tree itself.
    pub tree: Option<TreeCounts>,
    /// Numbers that the configuration asks for, by name.
    pub custom: BTreeMap<String, f64>,
}

/// Tests that were run.
#[record(Copy, Default, Eq, omit(fewer, more))]
pub struct TestCounts {
    /// Those that passed.
    pub passed: u64,
    /// Those that did not.
    pub failed: u64,
    /// Those that were left out.
    pub skipped: u64,
    /// The runner came to its end: a run that was cut off proves nothing about the tests it did not reach.
    pub complete: bool,
    /// By how much fewer may have run: the runner spoke several times, and perhaps of the same tests.
    pub fewer: u64,
    /// By how much more may have run: what was taken for the same tests may be others.
    pub more: u64,
}

impl TestCounts {
    /// At least and at most so many ran. A test that is left out runs no more than one that is gone.
    pub fn ran(&self) -> (u64, u64) {
        let ran = self.passed + self.failed;
        (ran.saturating_sub(self.fewer), ran + self.more)
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.passed + self.failed + self.skipped
    }

    /// The share that passed of those that ran, 0 to 100.
    pub fn pass_rate(&self) -> Option<f64> {
        let ran = self.passed + self.failed;
        (ran > 0).then(|| 100.0 * self.passed as f64 / ran as f64)
    }
}

/// How much of the code the tests reach.
#[record(Copy, Default, Eq)]
#[serde(default)]
pub struct Coverage {
    pub lines: Option<Share>,
    pub branches: Option<Share>,
    pub functions: Option<Share>,
}

impl Coverage {
    /// The share that stands for the whole: of lines, else of what there is.
    pub fn main(&self) -> Option<Share> {
        self.lines.or(self.functions).or(self.branches)
    }
}

/// A part of a whole.
#[record(Copy, Default, Eq)]
pub struct Share {
    /// The part.
    pub covered: u64,
    /// The whole.
    pub total: u64,
}

impl Share {
    /// From 0 to 100. Nothing of nothing is all of it.
    pub fn percent(&self) -> f64 {
        if self.total == 0 { 100.0 } else { 100.0 * self.covered as f64 / self.total as f64 }
    }
}

/// What can be counted in a tree without running anything.
#[record(Copy, Default, Eq)]
pub struct TreeCounts {
    pub files: u64,
    /// Lines of source code.
    pub lines: u64,
    /// Tests, by reading them.
    pub tests: u64,
    /// Assertions in them.
    pub assertions: u64,
}

impl Measures {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// How many tests there are: as their runner counts them, else by reading them.
    pub fn test_count(&self) -> Option<u64> {
        let ran = self.tests.filter(|tests| tests.complete).map(|tests| tests.total());
        ran.or(self.tree.map(|tree| tree.tests))
    }

    /// Coverage as one number, 0 to 100.
    pub fn coverage_percent(&self) -> Option<f64> {
        self.coverage.and_then(|coverage| coverage.main()).map(|share| share.percent())
    }

    /// Errors of linters, compilers and type checkers together.
    pub fn errors(&self) -> Option<u64> {
        match (self.lint_errors, self.type_errors) {
            (None, None) => None,
            (lint, types) => Some(lint.unwrap_or(0) + types.unwrap_or(0)),
        }
    }

    /// The same within the limits of an event.
    #[must_use]
    pub(super) fn bounded(mut self) -> Self {
        self.custom = std::mem::take(&mut self.custom)
            .into_iter()
            .filter(|(_, value)| value.is_finite())
            .take(CUSTOM_MEASURES_MAX)
            .map(|(name, value)| (clip(&name, 100).to_owned(), value))
            .collect();
        self
    }
}
