//! Recovery: pause, diagnose, adapt, retry, escalate. Every step is an event.
//!
//! ```text
//!   a regressed, stuck or oscillating iteration
//!     └► paused ► diagnosed ► adapted ► (the next iteration) ► retried: success │ failed ► the next recovery
//!                     └► escalated ► a question ► what the person said
//! ```
//!
//! Each recovery in a row takes another approach, and when the approaches are used up a person is asked.

use serde::{Deserialize, Serialize};

use super::facts::Answer;
use super::guard::Finding;
use super::measures::Measures;
use super::state::{IterationRecord, State};
use crate::Timestamp;
use crate::event::Event;
use crate::finding::{RegressionType, Severity};
use crate::limits::RECOVERIES_MAX;

/// Iterations whose numbers must not move before a run counts as stuck.
const STUCK_ITERATIONS: usize = 5;
/// The first iteration in which a run can be stuck: before, numbers may well need a while to move.
const STUCK_FROM_ITERATION: u32 = 10;
/// Below this a diagnosis is a guess, and a person is asked.
const CONFIDENCE_PERCENT_MIN: u8 = 50;

/// How a run recovers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecoveryPolicy {
    /// Recoveries in a row before a person is asked.
    pub max_retries: u32,
    /// A critical regression and a deleted test are a person's business at once.
    pub escalate_critical: bool,
}

impl Default for RecoveryPolicy {
    fn default() -> Self {
        Self { max_retries: 3, escalate_critical: false }
    }
}

/// One recovery, as far as it has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recovery {
    /// Counts the recoveries of the run.
    pub number: u32,
    /// The iteration that is recovered from.
    pub iteration: u32,
    /// What set it off.
    pub trigger: String,
    /// When, and what was done at once.
    pub paused: (Timestamp, Vec<String>),
    /// What is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagnosed: Option<(Timestamp, Diagnosis)>,
    /// What is done differently.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapted: Option<(Timestamp, Approach)>,
    /// How the next iteration went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retried: Option<(Timestamp, Retry)>,
    /// Why a person was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalated: Option<(Timestamp, String)>,
    /// What the person said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Answer>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<RecoveryOutcome>,
}

/// What is wrong, how sure that is, and who says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Diagnosis {
    /// What kind of trouble it is.
    pub cause: Cause,
    /// In a sentence.
    pub sentence: String,
    /// How sure it is.
    pub confidence_percent: u8,
    /// Who or what says so.
    pub by: String,
}

/// What kind of trouble an agent is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// It makes the checks lenient instead of the code right.
    RewardHacking,
    /// It has lost sight of what was there.
    CognitiveLoad,
    /// The task is too large for one step.
    TaskComplexity,
    /// It goes to and fro between two readings of the task.
    SpecificationAmbiguity,
}

impl Cause {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Cause::RewardHacking => "reward_hacking",
            Cause::CognitiveLoad => "cognitive_load",
            Cause::TaskComplexity => "task_complexity",
            Cause::SpecificationAmbiguity => "specification_ambiguity",
        }
    }
}

/// What the next iteration is asked to do differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Approach {
    /// Told what was found and what to do instead.
    FixTheCode,
    /// A fresh session, and one failing check only.
    SmallerStep,
    /// A fresh session that first says what the failing check demands, and may say that it cannot be met.
    ExplainFirst,
}

impl Approach {
    /// The approach of the `n`th recovery in a row; each has another, as far as there are.
    fn nth(n: u32) -> Self {
        match n {
            0 => Approach::FixTheCode,
            1 => Approach::SmallerStep,
            _ => Approach::ExplainFirst,
        }
    }

    /// What it is, in a few words.
    pub fn as_str(self) -> &'static str {
        match self {
            Approach::FixTheCode => "fix the code",
            Approach::SmallerStep => "smaller step",
            Approach::ExplainFirst => "explain first",
        }
    }

    /// Whether the session that got into trouble is left.
    pub fn needs_fresh_session(self) -> bool {
        !matches!(self, Approach::FixTheCode)
    }

    /// What the agent is told.
    pub fn advice(self) -> &'static str {
        match self {
            Approach::FixTheCode => "Make the code right instead of the checks lenient.",
            Approach::SmallerStep => {
                "Take the first failing check only, find the smallest change of product code that helps it, and stop there."
            }
            Approach::ExplainFirst => {
                "Before you edit anything, say what the failing check demands and why the code does not meet it. If it cannot be met, report that you are blocked and why."
            }
        }
    }
}

/// How the iteration after a recovery went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retry {
    /// Which.
    pub iteration: u32,
    /// Whether it regressed no more.
    pub succeeded: bool,
}

/// How a recovery ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecoveryOutcome {
    /// The next iteration was fine.
    Success,
    /// It was not.
    Failed,
    /// A person was asked.
    Escalated,
    /// A person stopped the run.
    Aborted,
}

impl RecoveryOutcome {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            RecoveryOutcome::Success => "success",
            RecoveryOutcome::Failed => "failed",
            RecoveryOutcome::Escalated => "escalated",
            RecoveryOutcome::Aborted => "aborted",
        }
    }
}

/// A step of a recovery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RecoveryStep {
    /// It begins: nothing is attempted before it is settled what to do.
    Paused {
        /// The iteration that is recovered from.
        iteration: u32,
        /// What set it off.
        trigger: String,
        /// What was done at once.
        actions: Vec<String>,
    },
    /// What is wrong.
    Diagnosed(Diagnosis),
    /// What is done differently.
    Adapted(Approach),
    /// The next iteration has its verdict.
    Retried(Retry),
    /// A person is to be asked, for this reason.
    Escalated {
        /// Why.
        reason: String,
    },
}

/// The step that is due, if any. Only between two iterations.
pub(super) fn next(state: &State) -> Option<Event> {
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
                RecoveryStep::Adapted(Approach::nth(state.counters.recoveries_in_a_row.saturating_sub(1)))
            }
        }
    };
    Some(event(state, step))
}

fn event(state: &State, step: RecoveryStep) -> Event {
    let recovery = match &step {
        RecoveryStep::Paused { .. } => state.counters.recoveries + 1,
        _ => state.counters.recoveries,
    };
    Event::RecoveryAdvanced { recovery, step }
}

fn begin(state: &State) -> Option<RecoveryStep> {
    let last = state.judged.recent.back().filter(|last| last.number > state.judged.recovered_iteration)?;
    let trigger = if last.refused || last.doubted {
        let kind = worst(state, last.number).map_or("unknown", |finding| finding.regression_type.as_str());
        format!("regression_detected: {kind}")
    } else if is_stuck(state) {
        format!("stuck_loop_detected: {STUCK_ITERATIONS} iterations with the same numbers")
    } else if oscillates(state) {
        "oscillation_detected: the tree goes to and fro".to_owned()
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
        let (cause, sentence) = if recovery.trigger.starts_with("oscillation") {
            (Cause::SpecificationAmbiguity, "what one iteration does, the next one undoes")
        } else {
            (Cause::TaskComplexity, "files change, but no number moves")
        };
        return Diagnosis {
            cause,
            sentence: sentence.to_owned(),
            confidence_percent: 70,
            by: "the metric signature".to_owned(),
        };
    };
    let cause = match finding.regression_type {
        RegressionType::FeatureRemoval => Cause::CognitiveLoad,
        RegressionType::CoverageRegression => Cause::TaskComplexity,
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
    (diagnosis.confidence_percent < CONFIDENCE_PERCENT_MIN).then(|| "the cause is not known".to_owned())
}

/// How the iteration after the recovery went, once it has its verdict.
fn retry(state: &State, recovery: &Recovery) -> Option<Retry> {
    let last = state.judged.recent.back().filter(|last| last.number > recovery.iteration)?;
    let regressed = last.refused || last.doubted;
    let still = is_stuck(state) || oscillates(state);
    Some(Retry { iteration: last.number, succeeded: !regressed && !still })
}

/// What weighs most of what was found in an iteration.
pub(super) fn worst(state: &State, iteration: u32) -> Option<&Finding> {
    let found =
        state.judged.findings.iter().filter(|kept| kept.iteration == iteration && kept.finding.blocking);
    // Of equals the first.
    found.rev().map(|kept| &kept.finding).max_by_key(|finding| finding.severity)
}

/// Takes a step in.
pub(super) fn take(state: &mut State, number: u32, step: &RecoveryStep, at: Timestamp) {
    match step {
        RecoveryStep::Paused { iteration, trigger, actions } => {
            state.counters.recoveries = number;
            state.counters.recoveries_in_a_row += 1;
            state.judged.recovered_iteration = *iteration;
            state.judged.recovery = Some(Recovery {
                number,
                iteration: *iteration,
                trigger: trigger.clone(),
                paused: (at, actions.clone()),
                diagnosed: None,
                adapted: None,
                retried: None,
                escalated: None,
                decision: None,
                outcome: None,
            });
        }
        RecoveryStep::Diagnosed(diagnosis) => with(state, |recovery| {
            recovery.diagnosed = Some((at, diagnosis.clone()));
        }),
        RecoveryStep::Adapted(approach) => {
            with(state, |recovery| recovery.adapted = Some((at, *approach)));
            if approach.needs_fresh_session() {
                state.session.spent = true;
            }
        }
        RecoveryStep::Retried(retry) => {
            with(state, |recovery| recovery.retried = Some((at, *retry)));
            if retry.succeeded {
                state.counters.recoveries_in_a_row = 0;
            }
            let outcome = if retry.succeeded { RecoveryOutcome::Success } else { RecoveryOutcome::Failed };
            close(state, outcome, None);
        }
        RecoveryStep::Escalated { reason } => with(state, |recovery| {
            recovery.escalated = Some((at, reason.clone()));
        }),
    }
}

/// A person answered what the recovery asked.
pub(super) fn answered(state: &mut State, answer: Answer) {
    let outcome = if answer == Answer::Abort { RecoveryOutcome::Aborted } else { RecoveryOutcome::Escalated };
    state.counters.recoveries_in_a_row = 0;
    close(state, outcome, Some(answer));
}

fn with(state: &mut State, change: impl FnOnce(&mut Recovery)) {
    if let Some(recovery) = &mut state.judged.recovery {
        change(recovery);
    }
}

fn close(state: &mut State, outcome: RecoveryOutcome, decision: Option<Answer>) {
    let Some(mut recovery) = state.judged.recovery.take() else { return };
    (recovery.outcome, recovery.decision) = (Some(outcome), decision);
    state.judged.recoveries.push_back(recovery);
    while state.judged.recoveries.len() > RECOVERIES_MAX {
        state.judged.recoveries.pop_front();
    }
}

/// Work that changes files and moves no number, for long. Without numbers nobody is stuck: then only the checks
/// speak, and they may well stay red for as long as a large task takes.
fn is_stuck(state: &State) -> bool {
    let last: Vec<_> = state.judged.recent.iter().rev().take(STUCK_ITERATIONS).collect();
    last.len() == STUCK_ITERATIONS
        && state.work.iteration > STUCK_FROM_ITERATION
        && last.iter().all(|record| record.progress && record.passed < record.total && !record.skipped)
        && last.iter().all(|record| signature(record).is_some())
        && last.windows(2).all(|pair| signature(pair[0]) == signature(pair[1]))
}

/// The numbers by which two iterations are told apart.
fn signature(record: &IterationRecord) -> Option<(u64, u64, Option<u64>, Option<u64>)> {
    let measures: &Measures = record.measures.as_ref()?;
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
        .filter(|record| !record.refused && !record.skipped)
        .map(|record| record.snapshot.as_ref().map(|snapshot| snapshot.tree.as_str()))
        .collect();
    match trees[..] {
        [Some(a), Some(b), Some(c), Some(d)] => a == c && b == d && a != b,
        _ => false,
    }
}
