//! The names in the format's catalogue of patterns. Its words for kinds and severities are those of a finding.

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

/// The name of a pattern such as `LP-001`; its id where the catalogue does not have it.
pub(super) fn name(pattern: &str) -> &str {
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
