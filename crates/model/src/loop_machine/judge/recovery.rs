//! Which step of a recovery is due: what set it off, what is wrong, what is done differently, when a person is asked.

use crate::event::Event;
use crate::finding::{RegressionType, Severity};
use crate::loop_machine::guard::Finding;
use crate::loop_machine::measures::Measures;
use crate::loop_machine::recovery::{Approach, Cause, Diagnosis, Recovery, RecoveryStep, Retry, Trigger};
use crate::loop_machine::state::{IterationRecord, State};

/// The step that is due, if any. Only between two iterations.
pub(in crate::loop_machine) fn next(state: &State) -> Option<Event> {
    let step = match &state.judged.recovery {
        None => begin(state)?,
        Some(recovery) => {
            let Some((_, diagnosis)) = &recovery.diagnosed else {
                return Some(event(state, RecoveryStep::Diagnosed(diagnose(state, recovery))));
            };
            if recovery.escalated.is_some() {
                return None;
            }
            if recovery.adapted.is_some() {
                RecoveryStep::Retried(retry(state, recovery)?)
            } else if let Some(reason) = why_escalate(state, recovery, diagnosis) {
                RecoveryStep::Escalated { reason }
            } else {
                adapt(state, recovery)
            }
        }
    };
    Some(event(state, step))
}

fn event(state: &State, step: RecoveryStep) -> Event {
    let recovery = match &step {
        RecoveryStep::Paused { .. } => state.counters.recoveries.saturating_add(1),
        RecoveryStep::Diagnosed(_)
        | RecoveryStep::Adapted { .. }
        | RecoveryStep::Retried(_)
        | RecoveryStep::Escalated { .. } => state.counters.recoveries,
    };
    Event::RecoveryAdvanced { recovery, step }
}

fn adapt(state: &State, recovery: &Recovery) -> RecoveryStep {
    let before = state.counters.recoveries_in_a_row.saturating_sub(1);
    let approach = Approach::nth(before, &recovery.trigger);
    RecoveryStep::Adapted { approach, fresh_session: approach.needs_fresh_session() }
}

fn begin(state: &State) -> Option<RecoveryStep> {
    let last = state.judged.recent.back().filter(|last| last.number > state.judged.recovered_iteration)?;
    let found = worst(state, last.number).filter(|_| last.refused || last.doubted);
    let trigger = if let Some(finding) = found {
        Trigger::Regression { regression_type: finding.regression_type }
    } else if is_stuck(state) {
        Trigger::Stuck { iterations: state.config.recovery.stuck_iterations }
    } else if oscillates(state) {
        Trigger::Oscillation
    } else {
        return None;
    };
    let mut actions = vec!["No attempt is started".to_owned()];
    if last.refused {
        actions.push(format!("Files put back to before iteration {}", last.number));
    }
    if let Some(snapshot) = &last.snapshot {
        actions.push(format!("Snapshot kept: {}", snapshot.id));
    }
    Some(RecoveryStep::Paused { iteration: last.number, trigger, actions })
}

fn diagnose(state: &State, recovery: &Recovery) -> Diagnosis {
    let Some(finding) = worst(state, recovery.iteration) else {
        let (cause, sentence) = match recovery.trigger {
            Trigger::Oscillation => {
                (Cause::SpecificationAmbiguity, "what one iteration does, the next one undoes")
            }
            Trigger::Stuck { .. } => (Cause::TaskComplexity, "files change, but no number moves"),
            Trigger::Regression { .. } => (Cause::TaskComplexity, "what got worse is on record no more"),
        };
        return Diagnosis {
            cause,
            sentence: sentence.to_owned(),
            // As little as the protocol goes on with: that nothing moves is measured, why is inferred.
            confidence_percent: 70,
            by: "the metric signature".to_owned(),
        };
    };
    let cause = match finding.regression_type {
        RegressionType::FeatureRemoval => Cause::CognitiveLoad,
        RegressionType::CoverageRegression => Cause::TaskComplexity,
        // A number does not say what anybody meant by it.
        _ if finding.is_measured() => Cause::TaskComplexity,
        RegressionType::TestDeletion
        | RegressionType::TestSkipping
        | RegressionType::ValidationBypass
        | RegressionType::AssertionWeakening
        | RegressionType::ErrorSuppression => Cause::RewardHacking,
    };
    Diagnosis {
        cause,
        sentence: finding.sentence(),
        confidence_percent: finding.confidence_percent,
        by: format!("rule {}", finding.rule),
    }
}

fn why_escalate(state: &State, recovery: &Recovery, diagnosis: &Diagnosis) -> Option<String> {
    let policy = state.config.recovery;
    let finding = worst(state, recovery.iteration);
    let last = state.judged.recent.back().filter(|last| last.number == recovery.iteration);
    if last.is_some_and(|last| last.doubted) {
        return Some("the configuration asks a person".to_owned());
    }
    if policy.escalate_critical
        && let Some(finding) = finding
        && (finding.severity == Severity::Critical || finding.regression_type == RegressionType::TestDeletion)
    {
        return Some(format!("Critical regression: {}", finding.regression_type.as_str()));
    }
    if state.counters.recoveries_in_a_row > policy.max_retries {
        return Some(format!("{} retries failed", policy.max_retries));
    }
    (diagnosis.confidence_percent < policy.confidence_percent_min)
        .then(|| "the cause is not known".to_owned())
}

/// How the iteration after the recovery went, once it has its verdict.
fn retry(state: &State, recovery: &Recovery) -> Option<Retry> {
    let last = state.judged.recent.back().filter(|last| last.number > recovery.iteration)?;
    let regressed = last.was_put_back() || last.doubted;
    let still = is_stuck(state) || oscillates(state);
    Some(Retry { iteration: last.number, succeeded: !regressed && !still })
}

/// What weighs most of what was found in an iteration.
pub(in crate::loop_machine) fn worst(state: &State, iteration: u32) -> Option<&Finding> {
    let found =
        state.judged.findings.iter().filter(|kept| kept.iteration == iteration && kept.finding.blocking);
    // Of equals the first.
    found.rev().map(|kept| &kept.finding).max_by_key(|finding| finding.severity)
}

/// Work that changes files and moves no number, for long. Without numbers nobody is stuck: then only the checks
/// speak, and they may well stay red for as long as a large task takes.
fn is_stuck(state: &State) -> bool {
    let policy = &state.config.recovery;
    let wanted = policy.stuck_iterations.max(2) as usize;
    let last: Vec<_> = state.judged.recent.iter().rev().take(wanted).collect();
    last.len() == wanted
        && state.work.iteration > policy.stuck_after_iteration
        && last.iter().all(|record| record.progress && record.passed < record.total && !record.skipped)
        && last.iter().all(|record| signature(record).is_some())
        && last.windows(2).all(|pair| signature(pair[0]) == signature(pair[1]))
}

/// The numbers by which two iterations are told apart.
fn signature(record: &IterationRecord) -> Option<(u64, u64, Option<u64>, Option<u64>)> {
    let measures: &Measures = record.measured()?;
    let tests = measures.tests?;
    let coverage = measures.coverage.and_then(|coverage| coverage.main()).map(|share| share.covered);
    Some((tests.total(), tests.passed, coverage, measures.errors()))
}

/// The tree is what it was two iterations ago, and so was the one before.
fn oscillates(state: &State) -> bool {
    let trees: Vec<_> = state
        .judged
        .recent
        .iter()
        .rev()
        .take(4)
        .filter(|record| !record.was_put_back() && !record.skipped)
        .map(|record| record.snapshot.as_ref().map(|snapshot| snapshot.tree.as_str()))
        .collect();
    match trees[..] {
        [Some(a), Some(b), Some(c), Some(d)] => a == c && b == d && a != b,
        _ => false,
    }
}
