//! From what a state holds to the entries of the histories. Pure.

use piton_model::loop_machine::{
    Answer, Artifact, CheckResult, CheckRound, Counts, Finding, GuardMode, IterationRecord, KeptFinding,
    LevelChange, Measures, Recovery, RecoveryOutcome, RegressionType,
};
use piton_model::{RunId, Timestamp};
use serde::Serialize;
use serde_json::Number;

use super::format::{ArtifactEntry, HistoryEntry, MetricsSnapshot, Particulars, TestResults};
use super::identity::uuid;
use super::{patterns, place};
use crate::plain::{in_calendar, object};

/// Where the score of an iteration comes from that has none.
const UNKNOWN: &str = "unknown";

/// How good an iteration is, 0 to 100, and what that was made of: its quality, else the share of checks that passed,
/// as for the best one.
pub(super) fn score(record: &IterationRecord) -> (f64, &'static str) {
    match record.quality {
        Some(quality) => (percent(quality.score), "quality"),
        None if record.total == 0 => (0.0, UNKNOWN),
        None => (percent(100.0 * f64::from(record.passed) / f64::from(record.total)), "checks"),
    }
}

/// Whether anything is known about how good an iteration is.
pub(super) fn has_score(record: &IterationRecord) -> bool {
    score(record).1 != UNKNOWN
}

/// The entry of an iteration; `previous` is the score of the last one before it that has one.
pub(super) fn iteration(loop_id: &str, record: &IterationRecord, previous: Option<f64>) -> HistoryEntry {
    let (quality_score, source) = score(record);
    let artifact = |artifact: &Artifact| ArtifactEntry {
        path: artifact.path.clone(),
        hash: artifact.sha256.clone(),
        size_bytes: artifact.size_bytes,
    };
    let dimensions = record.quality.map(|quality| quality.dimensions()).into_iter().flatten();
    let known = dimensions.filter_map(|(name, value)| Some((name.to_owned(), percent(value?))));
    HistoryEntry {
        iteration: record.number,
        timestamp: in_calendar(record.at),
        quality_score,
        quality_source: source.to_owned(),
        // From nothing known to something known is no difference; of what was not scored none is known.
        quality_delta: (source != UNKNOWN)
            .then(|| previous.map_or(0.0, |previous| tenths(quality_score - previous))),
        quality_breakdown: known.collect(),
        artifacts: record.artifacts.iter().map(artifact).collect(),
        snapshot_path: place::snapshot_path(loop_id, record.number),
        test_results: record.measured().and_then(test_results),
        metrics_snapshot: record.measured().map(metrics_snapshot),
        regression_detected: record.regressed,
        recovery_attempted: false,
    }
}

fn test_results(measures: &Measures) -> Option<TestResults> {
    let tests = measures.tests?;
    Some(TestResults {
        total: tests.total(),
        passed: tests.passed,
        failed: tests.failed,
        skipped: tests.skipped,
        coverage: measures.coverage_percent().map(percent),
    })
}

fn metrics_snapshot(measures: &Measures) -> MetricsSnapshot {
    MetricsSnapshot {
        test_count: measures.test_count(),
        coverage_percentage: measures.coverage_percent().map(percent),
        typescript_errors: measures.type_errors,
        lint_errors: measures.lint_errors,
        lint_warnings: measures.lint_warnings,
        file_count: measures.tree.map(|tree| tree.files),
        lines_of_code: measures.tree.map(|tree| tree.lines),
        custom_metrics: measures.custom.clone(),
    }
}

/// What the journal knows of an iteration beyond the format; `round` is what its verdict was taken from.
pub(super) fn particulars(record: &IterationRecord, round: Option<&CheckRound>) -> Particulars {
    let checks = round.filter(|_| record.total > 0).map_or(&[][..], |round| &round.checks);
    let check = |check: &CheckResult| CheckResult { tail: String::new(), ..check.clone() };
    Particulars {
        attempt: record.attempt,
        outcome: record.outcome.as_str(),
        message: record.message.clone(),
        skipped: record.skipped,
        refused: record.refused,
        rejected: record.rejected,
        doubted: record.doubted,
        duration_ms: record.duration_ms,
        lines_added: record.added,
        lines_removed: record.removed,
        cost_usd: record.cost_microusd.map(|cost| cost as f64 / 1e6),
        commit: record.commit.clone(),
        snapshot: record.snapshot.as_ref().map(|snapshot| snapshot.id.clone()),
        tree: record.snapshot.as_ref().map(|snapshot| snapshot.tree.clone()),
        checks: checks.iter().map(check).collect(),
    }
}

/// Numbers that a regression can be told by.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Numbers {
    /// Tests before and after, in the files that it changed.
    pub(super) tests: Option<Counts>,
    /// All tests there were before.
    pub(super) tests_before: Option<u64>,
    /// Tests that ran before and run now, by their runners.
    pub(super) ran: Option<Counts>,
    /// Assertions before and after.
    pub(super) assertions: Option<Counts>,
    /// Coverage before it and now.
    pub(super) coverage: Option<(f64, f64)>,
    /// How many tests of a hundred passed before it and pass now.
    pub(super) passing: Option<(f64, f64)>,
    /// Whether its files were put back.
    pub(super) refused: bool,
    /// Whether a person who was asked about every change did not want it.
    pub(super) rejected: bool,
}

/// What got worse in an iteration.
///
/// `None` where nothing was found: an event that cannot say what happened is none.
pub(super) fn regression(
    run: &RunId,
    iteration: u32,
    findings: &[KeptFinding],
    numbers: Numbers,
    recovery: Option<&Recovery>,
    mode: GuardMode,
) -> Option<impl Serialize> {
    // What blocks comes before what does not, then what is worse, then what was found first.
    let weight = |kept: &&KeptFinding| (kept.finding.blocking, kept.finding.severity);
    let worst = findings.iter().rev().max_by_key(weight)?;
    let regression_type = worst.finding.regression_type;
    let (baseline_value, current_value) = values(regression_type, findings, numbers).unzip();
    let entry = |kept: &KeptFinding| {
        let Finding { id, rule, file, line, message, blocking, .. } = kept.finding.clone();
        object! {
            id: id,
            rule: rule,
            file?: Some(file).filter(|file| !file.is_empty()),
            line?: Some(line).filter(|line| *line > 0),
            message: message,
            blocking: blocking,
        }
    };
    let is_left_alone = matches!(mode, GuardMode::Report | GuardMode::Off);
    let outcome = match recovery {
        Some(recovery) => recovery.outcome.map(event_outcome),
        None => is_left_alone.then_some("skipped"),
    };
    let details = object! {
        baseline_value?: baseline_value,
        current_value?: current_value,
        diff: object! { findings: findings.iter().map(entry).collect::<Vec<_>>(), },
    };
    Some(object! {
        event_id: uuid(run, "regression", iteration),
        timestamp: in_calendar(findings.first()?.at),
        iteration: iteration,
        regression_type: regression_type.as_str(),
        severity: worst.finding.severity.as_str(),
        details: details,
        recovery_protocol_invoked: recovery.is_some(),
        recovery_outcome?: outcome,
        human_gate_invoked: numbers.rejected || recovery.is_some_and(|recovery| recovery.escalated.is_some()),
        human_decision?: recovery
            .and_then(|recovery| recovery.decision)
            .or(numbers.rejected.then_some(Answer::Reject))
            .map(|answer| decision(answer, numbers.refused)),
    })
}

/// What it was before and is now; nothing where the numbers that are known do not show it.
fn values(
    regression_type: RegressionType,
    findings: &[KeptFinding],
    numbers: Numbers,
) -> Option<(Number, Number)> {
    let counted = |counts: Option<Counts>| counts.map(|counts| (counts.before.into(), counts.after.into()));
    let fewer = |counts: &Counts| counts.after < counts.before;
    // The files that changed are not all there are.
    let of_all = |counts: Counts| {
        let before = numbers.tests_before.unwrap_or(0).max(counts.before);
        Counts { before, after: before - counts.before.saturating_sub(counts.after) }
    };
    match regression_type {
        RegressionType::TestDeletion => {
            counted(numbers.tests.filter(fewer).map(of_all).or(numbers.ran.filter(fewer)))
        }
        RegressionType::TestSkipping => {
            // A test that is skipped is still there: what fell is the number of those that run.
            let is_one = |kept: &&KeptFinding| kept.finding.regression_type == RegressionType::TestSkipping;
            let skipped = findings.iter().filter(is_one).count() as u64;
            let run = |tests: Counts| Counts { after: tests.before.saturating_sub(skipped), ..tests };
            counted(numbers.tests.map(run).map(of_all))
        }
        RegressionType::AssertionWeakening => counted(numbers.assertions.filter(fewer)),
        RegressionType::CoverageRegression => {
            let (before, after) = numbers.coverage?;
            Some((Number::from_f64(before)?, Number::from_f64(after)?))
        }
        RegressionType::FeatureRemoval => {
            let (before, after) = numbers.passing.filter(|(before, after)| after < before)?;
            Some((Number::from_f64(before)?, Number::from_f64(after)?))
        }
        RegressionType::ValidationBypass | RegressionType::ErrorSuppression => None,
    }
}

/// The event has no word for a run that a person stopped over it: the recovery was handed to a person.
fn event_outcome(outcome: RecoveryOutcome) -> &'static str {
    match outcome {
        RecoveryOutcome::Success => "success",
        RecoveryOutcome::Failed => "failed",
        RecoveryOutcome::Escalated | RecoveryOutcome::Aborted => "escalated",
    }
}

/// What a person decided about the iteration itself. Of one whose files are back, who lets the agent try again has not
/// approved it.
fn decision(answer: Answer, refused: bool) -> &'static str {
    match answer {
        Answer::Abort => "abort",
        Answer::Approve if !refused => "approve",
        Answer::Approve | Answer::Reject => "reject",
    }
}

/// The same in a few words more.
fn decision_words(answer: Answer, refused: bool) -> String {
    match answer {
        Answer::Approve if refused => "reject - the files are back, the agent tries again".to_owned(),
        Answer::Approve | Answer::Reject | Answer::Abort => decision(answer, refused).to_owned(),
    }
}

pub(super) fn recovery(run: &RunId, recovery: &Recovery, refused: bool) -> impl Serialize {
    let at = |moment: &Timestamp| in_calendar(*moment);
    let diagnose = recovery.diagnosed.as_ref().map(|(moment, diagnosis)| object! {
        executed_at: at(moment),
        root_cause: format!("{}: {} ({} says so)", diagnosis.cause.as_str(), diagnosis.sentence, diagnosis.by),
        confidence: f64::from(diagnosis.confidence_percent.min(100)) / 100.0,
    });
    let adapt = recovery.adapted.as_ref().map(|(moment, approach)| {
        object! {
            executed_at: at(moment),
            strategy: approach.as_str(),
            changes_made: [approach.advice()],
        }
    });
    let retry = recovery.retried.as_ref().map(|(moment, retry)| {
        object! {
            executed_at: at(moment),
            retry_iteration: retry.iteration,
            outcome: if retry.succeeded { "success" } else { "failed" },
        }
    });
    let escalate = recovery.escalated.as_ref().map(|(moment, reason)| {
        object! {
            executed_at: at(moment),
            reason: reason,
            human_decision?: recovery.decision.map(|answer| decision_words(answer, refused)),
        }
    });
    let steps = object! {
        pause: object! { executed_at: at(&recovery.paused.0), actions: &recovery.paused.1, },
        diagnose?: diagnose,
        adapt?: adapt,
        retry?: retry,
        escalate?: escalate,
    };
    object! {
        recovery_id: uuid(run, "recovery", recovery.number),
        timestamp: at(&recovery.paused.0),
        iteration: recovery.iteration,
        trigger: recovery.trigger.to_string(),
        protocol_steps: steps,
        outcome?: recovery.outcome.map(RecoveryOutcome::as_str),
    }
}

pub(super) fn level(change: &LevelChange) -> impl Serialize {
    object! {
        timestamp: in_calendar(change.at),
        iteration: change.rise.iteration,
        from_level: change.rise.from.published(),
        to_level: change.rise.to.published(),
        reason: change.rise.published(),
    }
}

/// The pattern of the catalogue that a finding is an instance of, if it is.
pub(super) fn pattern(kept: &KeptFinding, false_positive: bool) -> Option<impl Serialize> {
    let (pattern_id, pattern_name) = patterns::of(&kept.finding)?;
    Some(object! {
        pattern_id: pattern_id,
        pattern_name: pattern_name,
        iteration: kept.iteration,
        timestamp: in_calendar(kept.at),
        severity: kept.finding.severity.as_str(),
        false_positive: false_positive,
        finding: &kept.finding.id,
    })
}

/// From 0 to 100, in tenths: what a clock or a rounding error did to it is not worth a digit.
pub(super) fn percent(number: f64) -> f64 {
    tenths(number).clamp(0.0, 100.0)
}

pub(super) fn tenths(number: f64) -> f64 {
    if number.is_finite() { (number * 10.0).round() / 10.0 + 0.0 } else { 0.0 }
}
