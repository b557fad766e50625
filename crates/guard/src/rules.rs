//! Every rule, in one table: what it says, how sure it is, whether it blocks.
//!
//! The code that finds things names a rule; all else about it is here. `piton guard rules` prints this table.

use crate::report::RegressionType::{
    self, AssertionWeakening, ErrorSuppression, FeatureRemoval, TestDeletion, TestSkipping, ValidationBypass,
};
use crate::report::Severity::{self, Critical, High, Low, Medium};

/// One rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name, in kebab-case.
    pub name: &'static str,
    /// What kind of regression it finds.
    pub regression_type: RegressionType,
    /// The pattern of the laziness catalogue, where there is one.
    pub pattern: Option<&'static str>,
    /// How bad what it finds is.
    pub severity: Severity,
    /// How sure it is: an estimate, not a measurement.
    pub confidence: f64,
    /// Whether it may block. `docs/guard.md` says how often blocking findings were right where it was measured.
    pub blocking: bool,
    /// What it looks for.
    pub about: &'static str,
    /// How to undo what it finds.
    pub undo: &'static str,
}

impl Rule {
    /// The rule with this name.
    ///
    /// # Panics
    /// Where there is none: rules are named by code of this crate only.
    pub(crate) fn named(name: &str) -> &'static Rule {
        RULES.iter().find(|rule| rule.name == name).unwrap_or_else(|| panic!("there is no rule `{name}`"))
    }
}

#[expect(clippy::too_many_arguments, reason = "the columns of the table below")]
const fn rule(
    name: &'static str,
    regression_type: RegressionType,
    pattern: &'static str,
    severity: Severity,
    confidence: f64,
    blocking: bool,
    about: &'static str,
    undo: &'static str,
) -> Rule {
    let pattern = if pattern.is_empty() { None } else { Some(pattern) };
    Rule { name, regression_type, pattern, severity, confidence, blocking, about, undo }
}

/// Every rule.
#[rustfmt::skip]
pub const RULES: &[Rule] = &[
    rule("test-file-deleted", TestDeletion, "LP-001", Critical, 0.98, true, "a file of tests is gone, and its tests are nowhere else", "restore the file and fix the code"),
    rule("test-deleted", TestDeletion, "LP-001", Critical, 0.97, true, "a test is gone and no other has become it", "restore the test and fix the code"),
    rule("test-commented-out", TestDeletion, "LP-004", Critical, 0.98, true, "a test became a comment", "remove the comment signs and fix the code"),
    rule("test-emptied", TestDeletion, "LP-013", Critical, 0.98, true, "a test is still there but checks nothing", "restore its body and fix the code"),
    rule("test-hidden", TestDeletion, "LP-002", Critical, 0.97, true, "a test is still there, but the runner does not find or compile it", "restore its name or remove what hides it"),
    rule("test-case-deleted", TestDeletion, "LP-001", High, 0.97, true, "cases of a parameterised or table test are gone", "restore the cases and fix the code"),
    rule("test-skipped", TestSkipping, "LP-003", High, 0.98, true, "a test that ran is switched off", "remove the mark and fix the code"),
    rule("test-suite-skipped", TestSkipping, "LP-002", Critical, 0.98, true, "several tests that ran are switched off at once", "remove the mark and fix the code"),
    rule("test-expected-failure", TestSkipping, "LP-003", High, 0.97, true, "a test that had to pass may fail now", "remove the mark and fix the code"),
    rule("test-focused", TestSkipping, "LP-003", High, 0.98, true, "a mark lets only some tests run", "remove `only`"),
    rule("test-conditionally-skipped", TestSkipping, "LP-003", Medium, 0.6, false, "a test that always ran now runs only under a condition", "remove the condition unless the test cannot run there"),
    rule("new-test-skipped", TestSkipping, "", Low, 0.5, false, "a new test does not run", "make it run"),
    rule("test-case-skipped", TestSkipping, "LP-003", High, 0.97, true, "a test leaves before it has checked everything, or passes some of its cases by", "remove the way out and fix the code"),
    rule("test-retried", TestSkipping, "", High, 0.97, true, "a test that failed runs again until it passes", "remove the retries and fix what makes it fail"),
    rule("assertion-removed", AssertionWeakening, "LP-013", High, 0.97, true, "a test checks less than before", "restore the assertion and fix the code"),
    rule("assertion-weakened", AssertionWeakening, "LP-013", High, 0.97, true, "an assertion became weaker", "restore the stronger assertion and fix the code"),
    rule("assertion-tautology", AssertionWeakening, "LP-012", Critical, 0.98, true, "an assertion was replaced by one that cannot fail", "restore the assertion and fix the code"),
    rule("assertion-unreachable", AssertionWeakening, "LP-013", Critical, 0.97, true, "an assertion is still there, but nothing reaches it", "remove what keeps the assertion from running"),
    rule("assertion-swallowed", AssertionWeakening, "LP-016", Critical, 0.97, true, "the failure of an assertion is caught and dropped", "let the failure through"),
    rule("expected-value-changed", AssertionWeakening, "LP-024", High, 0.97, true, "a test expects another value, and no product code changed", "restore the expected value and fix the code"),
    rule("expected-value-follows-code", AssertionWeakening, "LP-024", Medium, 0.5, false, "a test expects another value, together with a change of the code", "make sure that the new value is meant"),
    rule("expected-error-broadened", AssertionWeakening, "LP-013", High, 0.97, true, "a test accepts more errors than before", "name the error again"),
    rule("tolerance-widened", AssertionWeakening, "LP-013", High, 0.97, true, "a test accepts values that are further off", "restore the tolerance"),
    rule("timeout-widened", AssertionWeakening, "", Medium, 0.97, true, "checks may take, retry or overlook many times more than before", "restore the limit or say why"),
    rule("subject-mocked", AssertionWeakening, "LP-014", High, 0.97, true, "a test replaces the very thing that it tests", "test the real thing"),
    rule("always-equal", AssertionWeakening, "LP-012", Critical, 0.98, true, "an object says that it equals everything", "compare what the object holds"),
    rule("test-exits-early", ValidationBypass, "", Critical, 0.97, true, "the test process ends before its tests do", "remove the exit"),
    rule("success-forced", ValidationBypass, "", Critical, 0.97, true, "a hook of the test runner turns failures into successes", "remove the hook"),
    rule("check-failure-ignored", ValidationBypass, "", Critical, 0.97, true, "a check may fail without anybody noticing", "let the check fail"),
    rule("check-removed", ValidationBypass, "", High, 0.97, true, "a command that checks is gone", "restore the command"),
    rule("check-narrowed", ValidationBypass, "", High, 0.97, true, "the test runner leaves out what it ran before", "remove the exclusion"),
    rule("threshold-lowered", ValidationBypass, "LP-022", High, 0.97, true, "a limit that checks enforce is lower than before", "restore the limit"),
    rule("check-configuration-changed", ValidationBypass, "", Low, 0.3, false, "the configuration of checks changed", "make sure that the change is meant"),
    rule("ignore-file-changed", ValidationBypass, "", Medium, 0.97, true, "an ignore file hides more than before; it blocks where tests are hidden", "remove what is not meant to be ignored"),
    rule("protected-path-changed", ValidationBypass, "", Critical, 1.0, true, "something below a protected path changed", "restore the file"),
    rule("allowance-changed", ValidationBypass, "", Medium, 1.0, false, "what the guard allows changed; it counts once it is part of the base", "make sure that each new entry is meant"),
    rule("test-detected", ValidationBypass, "LP-015", Critical, 0.97, true, "product code behaves differently under test", "remove the special case"),
    rule("answer-hard-coded", ValidationBypass, "LP-015", Critical, 0.97, true, "product code answers the inputs of a test with the values it expects", "compute the answer"),
    rule("test-data-read", ValidationBypass, "LP-015", Critical, 0.97, true, "product code reads data that belongs to the tests", "compute the answer"),
    rule("golden-rewritten", AssertionWeakening, "LP-024", Critical, 0.97, true, "tests write or compute what they compare with", "compare with what was recorded"),
    rule("inputs-trivialised", AssertionWeakening, "LP-013", High, 0.97, true, "a test is given next to nothing, and no product code changed", "restore the inputs and fix the code"),
    rule("special-cases", ValidationBypass, "LP-017", Medium, 0.5, false, "a function gained many comparisons with fixed values", "fix the cause"),
    rule("lint-suppressed", ErrorSuppression, "", Medium, 0.97, true, "lints, types or coverage are switched off for a whole file, or all over it", "fix what it complains about"),
    rule("error-swallowed", ErrorSuppression, "LP-016", High, 0.97, true, "an error is caught and dropped", "handle the error or let it through"),
    rule("error-handler-deleted", ErrorSuppression, "LP-007", Medium, 0.5, false, "error handling is gone", "restore the handling"),
    rule("error-became-value", ErrorSuppression, "LP-018", Medium, 0.5, false, "where an error was raised, a value is returned", "raise the error"),
    rule("validation-removed", FeatureRemoval, "LP-006", High, 0.97, true, "a check of inputs is gone", "restore the check"),
    rule("function-stubbed", FeatureRemoval, "LP-021", Critical, 0.97, true, "a function that did something does nothing any more", "restore its body"),
    rule("feature-removed", FeatureRemoval, "", Medium, 0.5, false, "a public function is gone", "make sure that nobody needs it"),
    rule("code-commented-out", FeatureRemoval, "LP-005", High, 0.97, true, "product code became comments, and nothing came in its place", "remove the code or bring it back"),
    rule("feature-flag-disabled", FeatureRemoval, "LP-008", High, 0.97, true, "a switch of the product went from true to false, and nothing else changed", "switch it on again or say why"),
    rule("todo-added", FeatureRemoval, "LP-019", Low, 0.4, false, "many notes about unfinished work were added", "finish the work"),
    rule("snapshot-regenerated", AssertionWeakening, "LP-024", High, 0.97, true, "recorded results changed, and no product code did", "restore the recording and fix the code"),
    rule("snapshot-follows-code", AssertionWeakening, "LP-024", Medium, 0.5, false, "recorded results changed together with the code", "read the new recording"),
    rule("fixture-changed", AssertionWeakening, "LP-024", High, 0.97, true, "data that tests compare with changed, and no product code did", "restore the data and fix the code"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_name_of_its_own_and_blocks_only_when_sure() {
        for (index, rule) in RULES.iter().enumerate() {
            assert!(RULES[..index].iter().all(|other| other.name != rule.name), "{}", rule.name);
            assert!(!rule.blocking || rule.confidence >= 0.97, "{} is not sure enough to block", rule.name);
        }
    }
}
