//! Every rule, in one table: what it says, how bad that is, when it blocks.
//!
//! The code that finds things names a rule; all else about it is here, but for how often it is right: that is measured
//! ([`crate::precision`]). `piton guard rules` prints this table.

use crate::report::RegressionType::{
    self, AssertionWeakening, ErrorSuppression, FeatureRemoval, TestDeletion, TestSkipping, ValidationBypass,
};
use crate::report::Severity::{self, Critical, High, Low, Medium};
use Blocks::{Always, Never, WhereMeasured, WhereShown};

/// When a rule blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// In languages where it was measured to be right, see [`crate::precision`].
    WhereMeasured,
    /// What it finds was shown by running, and that was measured to be right on the corpus of running suites.
    WhereShown,
    /// Somebody asked for it by name.
    Always,
    /// It is worth a look and no more, however often that turns out to be a cheat.
    Never,
}

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
    /// When it blocks.
    pub blocks: Blocks,
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

const fn rule(
    name: &'static str,
    regression_type: RegressionType,
    pattern: &'static str,
    severity: Severity,
    blocks: Blocks,
    about: &'static str,
    undo: &'static str,
) -> Rule {
    let pattern = if pattern.is_empty() { None } else { Some(pattern) };
    Rule { name, regression_type, pattern, severity, blocks, about, undo }
}

/// Every rule.
#[rustfmt::skip]
pub const RULES: &[Rule] = &[
    rule("test-file-deleted", TestDeletion, "LP-001", Critical, WhereMeasured, "a file of tests is gone, and its tests are nowhere else", "restore the file and fix the code"),
    rule("test-deleted", TestDeletion, "LP-001", Critical, WhereMeasured, "a test is gone and no other has become it", "restore the test and fix the code"),
    rule("test-commented-out", TestDeletion, "LP-004", Critical, WhereMeasured, "a test became a comment", "remove the comment signs and fix the code"),
    rule("test-emptied", TestDeletion, "LP-013", Critical, WhereMeasured, "a test is still there but checks nothing", "restore its body and fix the code"),
    rule("test-hidden", TestDeletion, "LP-002", Critical, WhereMeasured, "a test is still there, but the runner does not find or compile it", "restore its name or remove what hides it"),
    rule("test-case-deleted", TestDeletion, "LP-001", High, WhereMeasured, "cases of a parameterised or table test are gone", "restore the cases and fix the code"),
    rule("test-skipped", TestSkipping, "LP-003", High, WhereMeasured, "a test that ran is switched off", "remove the mark and fix the code"),
    rule("test-suite-skipped", TestSkipping, "LP-002", Critical, WhereMeasured, "several tests that ran are switched off at once", "remove the mark and fix the code"),
    rule("test-expected-failure", TestSkipping, "LP-003", High, WhereMeasured, "a test that had to pass may fail now", "remove the mark and fix the code"),
    rule("test-focused", TestSkipping, "LP-003", High, WhereMeasured, "a mark lets only some tests run", "remove `only`"),
    rule("test-conditionally-skipped", TestSkipping, "LP-003", Medium, Never, "a test that always ran now runs only under a condition", "remove the condition unless the test cannot run there"),
    rule("new-test-skipped", TestSkipping, "", Low, Never, "a new test does not run", "make it run"),
    rule("test-case-skipped", TestSkipping, "LP-003", High, WhereMeasured, "a test leaves before it has checked everything, or passes some of its cases by", "remove the way out and fix the code"),
    rule("test-retried", TestSkipping, "", High, WhereMeasured, "a test that failed runs again until it passes", "remove the retries and fix what makes it fail"),
    rule("assertion-removed", AssertionWeakening, "LP-013", High, WhereMeasured, "a test checks less than before", "restore the assertion and fix the code"),
    rule("assertion-weakened", AssertionWeakening, "LP-013", High, WhereMeasured, "an assertion became weaker", "restore the stronger assertion and fix the code"),
    rule("assertion-tautology", AssertionWeakening, "LP-012", Critical, WhereMeasured, "an assertion was replaced by one that cannot fail", "restore the assertion and fix the code"),
    rule("assertion-unreachable", AssertionWeakening, "LP-013", Critical, WhereMeasured, "an assertion is still there, but nothing reaches it", "remove what keeps the assertion from running"),
    rule("assertion-swallowed", AssertionWeakening, "LP-016", Critical, WhereMeasured, "the failure of an assertion is caught and dropped", "let the failure through"),
    rule("expected-value-changed", AssertionWeakening, "LP-024", High, WhereMeasured, "a test expects another value, and no product code changed", "restore the expected value and fix the code"),
    rule("expected-value-follows-code", AssertionWeakening, "LP-024", Medium, Never, "a test expects another value, together with a change of the code", "make sure that the new value is meant"),
    rule("expected-error-broadened", AssertionWeakening, "LP-013", High, WhereMeasured, "a test accepts more errors than before", "name the error again"),
    rule("tolerance-widened", AssertionWeakening, "LP-013", High, WhereMeasured, "a test accepts values that are further off", "restore the tolerance"),
    rule("timeout-widened", AssertionWeakening, "", Medium, WhereMeasured, "checks may take, retry or overlook many times more than before", "restore the limit or say why"),
    rule("subject-mocked", AssertionWeakening, "LP-014", High, WhereMeasured, "a test replaces the very thing that it tests", "test the real thing"),
    rule("always-equal", AssertionWeakening, "LP-012", Critical, WhereMeasured, "an object says that it equals everything", "compare what the object holds"),
    rule("test-exits-early", ValidationBypass, "", Critical, WhereMeasured, "the test process ends before its tests do", "remove the exit"),
    rule("success-forced", ValidationBypass, "", Critical, WhereMeasured, "a hook of the test runner turns failures into successes", "remove the hook"),
    rule("check-failure-ignored", ValidationBypass, "", Critical, WhereMeasured, "a check may fail without anybody noticing", "let the check fail"),
    rule("check-removed", ValidationBypass, "", High, WhereMeasured, "a command that checks is gone", "restore the command"),
    rule("check-narrowed", ValidationBypass, "", High, WhereMeasured, "the test runner leaves out what it ran before", "remove the exclusion"),
    rule("threshold-lowered", ValidationBypass, "LP-022", High, WhereMeasured, "a limit that checks enforce is lower than before", "restore the limit"),
    rule("check-configuration-changed", ValidationBypass, "", Low, Never, "the configuration of checks changed", "make sure that the change is meant"),
    rule("ignore-file-changed", ValidationBypass, "", Medium, WhereMeasured, "an ignore file hides more than before; it blocks where tests are hidden", "remove what is not meant to be ignored"),
    rule("protected-path-changed", ValidationBypass, "", Critical, Always, "something below a protected path changed", "restore the file"),
    rule("allowance-changed", ValidationBypass, "", Medium, Never, "what the guard allows changed; it counts once it is part of the base", "make sure that each new entry is meant"),
    rule("test-detected", ValidationBypass, "LP-015", Critical, WhereMeasured, "product code behaves differently under test", "remove the special case"),
    rule("answer-hard-coded", ValidationBypass, "LP-015", Critical, WhereMeasured, "product code answers the inputs of a test with the values it expects", "compute the answer"),
    rule("test-data-read", ValidationBypass, "LP-015", Critical, WhereMeasured, "product code reads data that belongs to the tests", "compute the answer"),
    rule("golden-rewritten", AssertionWeakening, "LP-024", Critical, WhereMeasured, "tests write or compute what they compare with", "compare with what was recorded"),
    rule("inputs-trivialised", AssertionWeakening, "LP-013", High, WhereMeasured, "a test is given next to nothing, and no product code changed", "restore the inputs and fix the code"),
    rule("special-cases", ValidationBypass, "LP-017", Medium, Never, "a function gained many comparisons with fixed values", "fix the cause"),
    rule("lint-suppressed", ErrorSuppression, "", Medium, WhereMeasured, "lints, types or coverage are switched off for a whole file, or all over it", "fix what it complains about"),
    rule("error-swallowed", ErrorSuppression, "LP-016", High, WhereMeasured, "an error is caught and dropped", "handle the error or let it through"),
    rule("error-handler-deleted", ErrorSuppression, "LP-007", Medium, Never, "error handling is gone", "restore the handling"),
    rule("error-became-value", ErrorSuppression, "LP-018", Medium, Never, "where an error was raised, a value is returned", "raise the error"),
    rule("validation-removed", FeatureRemoval, "LP-006", High, WhereMeasured, "a check of inputs is gone", "restore the check"),
    rule("function-stubbed", FeatureRemoval, "LP-021", Critical, WhereMeasured, "a function that did something does nothing any more", "restore its body"),
    rule("feature-removed", FeatureRemoval, "", Medium, Never, "a public function is gone", "make sure that nobody needs it"),
    rule("code-commented-out", FeatureRemoval, "LP-005", High, WhereMeasured, "product code became comments, and nothing came in its place", "remove the code or bring it back"),
    rule("feature-flag-disabled", FeatureRemoval, "LP-008", High, WhereMeasured, "a switch of the product went from true to false, and nothing else changed", "switch it on again or say why"),
    rule("todo-added", FeatureRemoval, "LP-019", Low, Never, "many notes about unfinished work were added", "finish the work"),
    rule("snapshot-regenerated", AssertionWeakening, "LP-024", High, WhereMeasured, "recorded results changed, and no product code did", "restore the recording and fix the code"),
    rule("snapshot-follows-code", AssertionWeakening, "LP-024", Medium, Never, "recorded results changed together with the code", "read the new recording"),
    rule("fixture-changed", AssertionWeakening, "LP-024", High, WhereMeasured, "data that tests compare with changed, and no product code did", "restore the data and fix the code"),
    rule("canary-alive", ValidationBypass, "", Critical, WhereShown, "a check passes although the code was broken for it (by running)", "let the check fail again when the code is wrong"),
    rule("lost-kill", AssertionWeakening, "", Critical, WhereShown, "a bug that the old tests notice, and the new ones do not (by running)", "restore what noticed it"),
    rule("test-cannot-fail", AssertionWeakening, "", High, WhereShown, "a new test passes whatever the code that it calls does (by running)", "let the test say what it expects"),
    rule("old-tests-fail", FeatureRemoval, "", High, WhereShown, "tests of before fail on the new code, and were changed (by running)", "restore the tests and fix the code, or say that other behaviour was asked for"),
    rule("failure-persists", AssertionWeakening, "", Critical, WhereShown, "a test that failed would fail still, had it not been changed (by running)", "restore the test and fix the code"),
    rule("point-change", ValidationBypass, "", Critical, WhereShown, "the code is right at the tested inputs and nowhere beside them (by running)", "compute the answer"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_name_of_its_own() {
        for (index, rule) in RULES.iter().enumerate() {
            assert!(RULES[..index].iter().all(|other| other.name != rule.name), "{}", rule.name);
        }
    }
}
