//! What the guard says: counts first, then findings.

pub use piton_model::{Evidence, Finding, RegressionType, Severity};
use serde::{Deserialize, Serialize};

/// How many tests there were and are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestCounts {
    /// In the old tree.
    pub before: usize,
    /// In the new tree.
    pub after: usize,
    /// New ones, as far as none of the old became them.
    pub added: usize,
    /// Gone, as far as they did not become others.
    pub removed: usize,
    /// Those in the new tree that something switches off.
    pub skipped: usize,
}

/// How many assertions there were and are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssertionCounts {
    /// In the old tree.
    pub before: usize,
    /// In the new tree.
    pub after: usize,
}

/// What the guard says about two trees.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Whether any finding blocks.
    pub blocking: bool,
    /// What was found: blocking ones first, then the worse first.
    pub findings: Vec<Finding>,
    /// Tests in the whole of both trees.
    pub tests: TestCounts,
    /// Assertions in the whole of both trees.
    pub assertions: AssertionCounts,
    /// How many files differ.
    pub files_changed: usize,
}
