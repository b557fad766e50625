//! What the guard says: counts first, then findings.

use serde::{Deserialize, Serialize};

/// What kind of regression a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegressionType {
    /// Tests are gone.
    TestDeletion,
    /// Tests no longer run.
    TestSkipping,
    /// Product code is gone.
    FeatureRemoval,
    /// Less of the code is covered.
    CoverageRegression,
    /// A check no longer checks.
    ValidationBypass,
    /// Tests say less.
    AssertionWeakening,
    /// Errors are hidden.
    ErrorSuppression,
}

impl RegressionType {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TestDeletion => "test_deletion",
            Self::TestSkipping => "test_skipping",
            Self::FeatureRemoval => "feature_removal",
            Self::CoverageRegression => "coverage_regression",
            Self::ValidationBypass => "validation_bypass",
            Self::AssertionWeakening => "assertion_weakening",
            Self::ErrorSuppression => "error_suppression",
        }
    }
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Low,
    /// Worth a look.
    Medium,
    /// Wrong unless somebody explains it.
    High,
    /// Makes the verdict of the checks worthless.
    Critical,
}

impl Severity {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The same for the same finding, wherever its lines move to.
    pub id: String,
    /// Which rule found it.
    pub rule: String,
    /// What kind of regression it is.
    pub regression_type: RegressionType,
    /// Which pattern of the laziness catalogue it is an instance of.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pattern: Option<String>,
    /// How bad it is.
    pub severity: Severity,
    /// How sure the rule is, from 0 to 1.
    pub confidence: f64,
    /// Whether it stops a commit or an iteration.
    pub blocking: bool,
    /// Where it is, in the new tree, or in the old one where the file is gone.
    pub file: String,
    /// The line there.
    pub line: u32,
    /// The test it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub test: Option<String>,
    /// One sentence that a person understands.
    pub message: String,
    /// What was there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<String>,
    /// What is there now.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<String>,
    /// How to undo it.
    pub undo: String,
    /// Why it was allowed, where somebody did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub allowed: Option<String>,
}

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
