//! The words of the format for what the guard found: kinds, severities, the names in the catalogue of patterns.

/// The kinds of regression that the format has.
const REGRESSION_TYPES: [&str; 7] = [
    "test_deletion",
    "test_skipping",
    "feature_removal",
    "coverage_regression",
    "validation_bypass",
    "assertion_weakening",
    "error_suppression",
];

const SEVERITIES: [&str; 4] = ["low", "medium", "high", "critical"];

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

/// The format's word for a kind of regression. One that it does not have is at least a check that no longer checks.
pub(super) fn regression_type(word: &str) -> &'static str {
    REGRESSION_TYPES.into_iter().find(|known| *known == word).unwrap_or("validation_bypass")
}

/// The format's word for a severity. One that it does not have is worth a look.
pub(super) fn severity(word: &str) -> &'static str {
    SEVERITIES.into_iter().find(|known| *known == word).unwrap_or("medium")
}

/// How bad a severity is.
pub(super) fn rank(word: &str) -> Option<usize> {
    SEVERITIES.iter().position(|known| *known == word)
}

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

    #[test]
    fn words_that_the_format_does_not_have_still_become_words_of_it() {
        assert_eq!(regression_type("test_skipping"), "test_skipping");
        assert_eq!(regression_type("something else"), "validation_bypass");
        assert_eq!(severity("critical"), "critical");
        assert_eq!(severity("info"), "medium");
        assert!(rank("critical") > rank("high") && rank("low") > rank("info"));
    }
}
