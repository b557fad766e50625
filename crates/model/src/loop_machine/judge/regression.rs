//! What the numbers say against an iteration: fewer tests run, less code reached, more errors.
//!
//! Reading trees is the guard's business; this looks at what the checks measured. A number that is unknown on one
//! side is compared with nothing.

use piton_record::record;

use crate::finding::RegressionType::{
    self, CoverageRegression, FeatureRemoval, TestDeletion, ValidationBypass,
};
use crate::finding::Severity::{self, Critical, High, Medium};
use crate::loop_machine::facts::CheckRound;
use crate::loop_machine::guard::Finding;
use crate::loop_machine::measures::{Measures, Share};
use crate::loop_machine::recovery::RecoveryPolicy;
use crate::policy::policy;

policy! {
    /// From where on a number is a regression.
    #[record(Copy)]
    pub struct Thresholds {
        /// Tests that may be fewer.
        pub tests: u64 = 0,
        /// Points of coverage that may be lost.
        pub coverage: f64 = 2.0,
        /// Points of coverage whose loss is critical.
        pub coverage_critical: f64 = 20.0,
        /// Points of branch coverage that may be lost.
        pub branches: f64 = 10.0,
        /// Points of the pass rate that may be lost.
        pub pass_rate: f64 = 5.0,
        /// Errors that may be more.
        pub errors: u64 = 5,
    }
}

/// What the numbers of a round say against it.
///
/// `before` is what the last kept round measured, `reference` what the run began with or a person agreed to: many
/// small steps down are a large one.
pub fn regressions(
    thresholds: &Thresholds,
    before: Option<&Measures>,
    reference: Option<&Measures>,
    round: &CheckRound,
) -> Vec<Finding> {
    let now = &round.measures;
    let mut found = Vec::new();
    if let Some(before) = before {
        found.extend(fewer_tests(thresholds, before, round));
        found.extend(lower_pass_rate(thresholds, before, now));
        found.extend(more_errors(thresholds, before, now));
        found.extend(fewer_files(before, now));
    }
    let lost =
        [before, reference].into_iter().flatten().find_map(|then| less_coverage(thresholds, then, now));
    found.extend(lost);
    let lost =
        [before, reference].into_iter().flatten().find_map(|then| fewer_branches(thresholds, then, now));
    found.extend(lost);
    found
}

/// Checks that failed with their tests at the start, and pass while a runner still counts tests that fail.
///
/// Where one passed at the start, those may be its tests: it may let failures pass as its owner wants it.
pub(super) fn failures_overlooked(start: &CheckRound, round: &CheckRound) -> Option<Finding> {
    let failing =
        |round: &CheckRound| round.measures.tests.filter(|tests| tests.complete && tests.failed > 0);
    failing(start).filter(|_| start.passed() == 0)?;
    let now = failing(round).filter(|_| round.all_pass())?;
    Some(finding(
        ("failures-overlooked", ValidationBypass, None, Critical),
        true,
        format!("the checks pass although a runner counts {} that fail", tests(now.failed)),
        "let the check fail where its tests do",
    ))
}

fn tests(count: u64) -> String {
    if count == 1 { "1 test".to_owned() } else { format!("{count} tests") }
}

/// A runner that came to its end, said yes, and ran fewer tests.
fn fewer_tests(thresholds: &Thresholds, before: &Measures, round: &CheckRound) -> Option<Finding> {
    let complete = |measures: &Measures| measures.tests.filter(|tests| tests.complete && tests.failed == 0);
    let then = before.tests.filter(|tests| tests.complete)?;
    let now = complete(&round.measures).filter(|_| round.all_pass())?;
    // Where it is not certain how many ran, fewer are only what is fewer in any case.
    let ((then, _), (_, now)) = (then.ran(), now.ran());
    (now + thresholds.tests < then).then(|| {
        finding(
            ("test-count-dropped", TestDeletion, None, Critical),
            true,
            format!("{then} tests ran before, {now} run now"),
            "make the missing tests run again and fix the code",
        )
    })
}

fn lower_pass_rate(thresholds: &Thresholds, before: &Measures, now: &Measures) -> Option<Finding> {
    let rate = |measures: &Measures| measures.tests.and_then(|tests| tests.pass_rate());
    let (then, now) = (rate(before)?, rate(now)?);
    (now < then - thresholds.pass_rate).then(|| {
        finding(
            ("pass-rate-dropped", FeatureRemoval, None, High),
            false,
            format!("{then:.1} % of the tests passed before, {now:.1} % pass now"),
            "make the tests pass that passed before",
        )
    })
}

fn more_errors(thresholds: &Thresholds, before: &Measures, now: &Measures) -> Option<Finding> {
    let (then, now) = (before.errors()?, now.errors()?);
    (now > then + thresholds.errors).then(|| {
        finding(
            ("errors-increased", ValidationBypass, None, High),
            false,
            format!("linters and type checkers found {then} errors before and find {now} now"),
            "fix what they complain about",
        )
    })
}

fn fewer_files(before: &Measures, now: &Measures) -> Option<Finding> {
    let (then, now) = (before.tree?.files, now.tree?.files);
    (now < then).then(|| {
        finding(
            ("file-count-dropped", FeatureRemoval, None, Medium),
            false,
            format!("there were {then} files before and there are {now} now"),
            "make sure that none of them is missed",
        )
    })
}

fn less_coverage(thresholds: &Thresholds, then: &Measures, now: &Measures) -> Option<Finding> {
    let (before, after) = (then.coverage?.main()?, now.coverage?.main()?);
    let lost = before.percent() - after.percent();
    if lost <= thresholds.coverage {
        return None;
    }
    let critical = lost >= thresholds.coverage_critical;
    let (pattern, severity) = if critical { ("LP-009", Critical) } else { ("LP-010", High) };
    Some(finding(
        ("coverage-dropped", CoverageRegression, Some(pattern), severity),
        reaches_less(before, after),
        format!(
            "tests reached {:.1} % of the code before and reach {:.1} % now",
            before.percent(),
            after.percent()
        ),
        "add tests for what is no longer reached",
    ))
}

fn fewer_branches(thresholds: &Thresholds, then: &Measures, now: &Measures) -> Option<Finding> {
    let (before, after) = (then.coverage?.branches?, now.coverage?.branches?);
    (before.percent() - after.percent() >= thresholds.branches).then(|| {
        finding(
            ("branch-coverage-dropped", CoverageRegression, Some("LP-011"), High),
            reaches_less(before, after),
            format!(
                "tests took {:.1} % of the branches before and take {:.1} % now",
                before.percent(),
                after.percent()
            ),
            "add tests for the branches that are no longer taken",
        )
    })
}

/// Whether one of the numbers that tell how far the work is got better.
pub(super) fn got_better(before: &Measures, now: &Measures) -> bool {
    let passed = |measures: &Measures| measures.tests.map(|tests| tests.passed);
    let covered = |measures: &Measures| measures.coverage_percent();
    let grew = passed(before).zip(passed(now)).is_some_and(|(before, now)| now > before);
    let reaches_more = covered(before).zip(covered(now)).is_some_and(|(before, now)| now > before);
    let fewer = before.errors().zip(now.errors()).is_some_and(|(before, now)| now < before);
    grew || reaches_more || fewer
}

/// An iteration that came late in a run of which `got_on` says whether the last ones got on. Worth a look, and no
/// regression: nothing got worse.
pub(super) fn gets_nowhere(policy: &RecoveryPolicy, iteration: u32, got_on: &[bool]) -> Option<Finding> {
    let enough = policy.nowhere_after_iteration;
    let nowhere = got_on.len() >= policy.nowhere_iterations as usize && got_on.iter().all(|got_on| !got_on);
    (iteration > enough && nowhere).then(|| {
        finding(
            ("iterations-without-progress", FeatureRemoval, Some("LP-020"), High),
            false,
            format!("more than {enough} iterations were run, and the last ones get nowhere"),
            "give the agent a smaller task, or look at what it is missing",
        )
    })
}

/// New code without tests lowers the share as well; that is to be said, not to be refused.
fn reaches_less(before: Share, after: Share) -> bool {
    after.covered < before.covered
}

/// How sure a finding is that compares two measurements: it is what they say, and no estimate. So no threshold of
/// confidence decides about it, only its rule, its severity and whether it blocks.
const MEASURED_PERCENT: u8 = 100;

fn finding(
    (rule, regression_type, pattern, severity): (&str, RegressionType, Option<&str>, Severity),
    blocking: bool,
    message: String,
    undo: &str,
) -> Finding {
    let id = blake3::hash(format!("{rule}\0{message}").as_bytes()).to_hex()[..10].to_owned();
    Finding {
        id,
        rule: rule.to_owned(),
        regression_type,
        pattern: pattern.map(str::to_owned),
        severity,
        confidence_percent: MEASURED_PERCENT,
        blocking,
        file: String::new(),
        line: 0,
        test: None,
        message,
        before: None,
        after: None,
        undo: undo.to_owned(),
        allowed: None,
        evidence: None,
    }
}
