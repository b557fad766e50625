//! The names in the format's catalogue of patterns. Its words for kinds and severities are those of a finding.

use piton_model::loop_machine::{Finding, RegressionType};

const NAMES: [&str; 24] = [
    "Complete Test File Deletion",
    "Test Suite Disabling",
    "Multiple Individual Test Disabling",
    "Test Commenting Out",
    "Feature Code Commenting",
    "Validation Removal",
    "Error Handler Deletion",
    "Feature Flag Disabling",
    "Massive Coverage Drop",
    "Significant Coverage Drop",
    "Branch Coverage Regression",
    "Trivial Assertion Replacement",
    "Assertion Deletion",
    "Mock Over-Usage",
    "Hardcoded Test Bypass",
    "Error Suppression",
    "Excessive Special Cases",
    "Return Null Instead of Throw",
    "TODO Proliferation",
    "Iteration Limit Exceeded",
    "Scope Creep Avoidance",
    "Metric Optimization Over Intent",
    "Circular Test Logic",
    "Test Data Manipulation",
];

/// What the format's own example calls a test that is gone from a file that is still there. The catalogue has a name only
/// for a file that is gone with all of its tests.
const TEST_DELETION: (&str, &str) = ("LP-001", "Test Deletion");

/// The id and the name of the pattern that a finding is an instance of, if it is.
pub(super) fn of(finding: &Finding) -> Option<(&str, &str)> {
    let is_deletion = finding.regression_type == RegressionType::TestDeletion && !finding.is_measured();
    match &finding.pattern {
        Some(pattern) => Some((pattern, name(pattern))),
        None => is_deletion.then_some(TEST_DELETION),
    }
}

/// The name of a pattern such as `LP-001`; its id where the catalogue does not have it.
fn name(pattern: &str) -> &str {
    let number = pattern.strip_prefix("LP-").and_then(|number| number.parse::<usize>().ok());
    number.and_then(|number| NAMES.get(number.checked_sub(1)?).copied()).unwrap_or(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_the_names_of_the_catalogue() {
        for (pattern, expected) in [
            ("LP-001", "Complete Test File Deletion"),
            ("LP-012", "Trivial Assertion Replacement"),
            ("LP-024", "Test Data Manipulation"),
            ("LP-000", "LP-000"),
            ("LP-025", "LP-025"),
            ("other", "other"),
        ] {
            assert_eq!(name(pattern), expected);
        }
    }
}
