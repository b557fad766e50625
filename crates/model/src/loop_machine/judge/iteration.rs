//! The verdict on an iteration: kept, refused or doubted; how far it got, how good it is, whether it is the best.

use super::attempt::about;
use super::progress::{self, Progress, Signs, TreeNews};
use super::quality::{self, Quality};
use super::regression::{self, regressions};
use super::reinforcement;
use crate::Timestamp;
use crate::event::Event;
use crate::finding::Severity;
use crate::loop_machine::decide::commit_due;
use crate::loop_machine::facts::AttemptOutcome;
use crate::loop_machine::guard::{GuardMode, KeptFinding, Verdict};
use crate::loop_machine::measures::Measures;
use crate::loop_machine::state::{Best, Ended, State};
use crate::loop_machine::unjudged;
use crate::loop_machine::verdict::{Conclusion, IterationVerdict};

/// The verdict on the iteration under way, and what else follows from it.
pub(in crate::loop_machine) fn iteration(state: &State, now: Timestamp) -> Vec<Event> {
    let Some(ended) = &state.work.ended else { return Vec::new() };
    if state.requests.skip {
        return vec![concluded(skipped(state, ended))];
    }
    let conclusion = conclude(state, ended, now);
    let rise = reinforcement::after_iteration(state, &conclusion);
    let mut events = vec![concluded(conclusion)];
    events.extend(rise.map(|rise| Event::LevelRaised { rise }));
    events
}

fn concluded(conclusion: Conclusion) -> Event {
    Event::IterationConcluded { conclusion: Box::new(conclusion) }
}

fn skipped(state: &State, ended: &Ended) -> Conclusion {
    Conclusion {
        iteration: state.work.iteration,
        verdict: IterationVerdict::Skipped,
        regressed: ended.refused,
        changed: false,
        progress: Progress::default(),
        quality: None,
        best: false,
        findings: Vec::new(),
        unjudged: unjudged::is_unseen_after(state, ended),
    }
}

fn conclude(state: &State, ended: &Ended, now: Timestamp) -> Conclusion {
    let doubtful = |kept: &KeptFinding| kept.iteration == state.work.iteration && kept.finding.blocking;
    let by_guard = state.judged.findings.iter().any(doubtful);
    let (findings, numbers) = by_numbers(state, ended, now);
    let weighty = |kept: &KeptFinding| kept.finding.severity >= Severity::High;
    let regressed = by_guard || findings.iter().any(weighty);
    let verdict = if ended.refused || numbers == Verdict::Refused {
        IterationVerdict::Refused
    } else if ended.doubted || numbers == Verdict::Asked {
        IterationVerdict::Doubted
    } else {
        IterationVerdict::Kept
    };
    let changed = match (&state.work.before, &state.seen.snapshot) {
        (Some(before), Some(now)) => before.tree != now.tree,
        _ => false,
    };
    // What was refused is gone, and with it what it would have been.
    let progress = match verdict {
        IterationVerdict::Refused => Progress { score: 0.0, made: false, ..progress_of(state, ended) },
        IterationVerdict::Kept | IterationVerdict::Doubted | IterationVerdict::Skipped => {
            progress_of(state, ended)
        }
    };
    let mut findings = findings;
    findings.extend(gets_nowhere(state, verdict, &progress, now));
    // What was refused is put back, before the checks or for what they measured: it is good for nothing.
    let quality = quality_of(state).filter(|_| verdict != IterationVerdict::Refused);
    // What got worse, or is gone, or what a person has not judged yet, is not the best of anything.
    let eligible = !regressed && verdict == IterationVerdict::Kept;
    // Without checks an agent that failed has nothing that speaks for what it left.
    let is_spoken_for = !state.config.checks.is_empty() || ended.outcome == AttemptOutcome::Succeeded;
    let best = eligible && is_spoken_for && is_best(state, quality);
    let iteration = state.work.iteration;
    let unjudged = false;
    Conclusion { iteration, verdict, regressed, changed, progress, quality, best, findings, unjudged }
}

/// What is said once of a run that goes on and on.
fn gets_nowhere(
    state: &State,
    verdict: IterationVerdict,
    progress: &Progress,
    now: Timestamp,
) -> Option<KeptFinding> {
    let judged = verdict == IterationVerdict::Kept && state.config.guard != GuardMode::Off;
    let policy = &state.config.recovery;
    let found = regression::gets_nowhere(policy, state.work.iteration, &got_on(state, progress));
    let found = found.filter(|_| judged)?;
    let is_known = state.judged.findings.iter().any(|kept| kept.finding.id == found.id);
    (!is_known).then(|| KeptFinding::new(state.work.iteration, now, Verdict::Reported, found))
}

/// Whether the last iterations got on, this one first: by their numbers and checks, and where nothing is measured by what
/// changed. A changed file alone moves no number.
fn got_on(state: &State, progress: &Progress) -> Vec<bool> {
    let round = state.seen.checks.as_ref();
    let measures = round.map(|round| &round.measures).filter(|measures| measures.tests.is_some());
    let passed = round.map_or(0, |round| round.passed() as u32);
    let mut later = (measures, passed, progress.made);
    let mut got_on = Vec::new();
    for record in state.judged.recent.iter().rev().take(state.config.recovery.nowhere_iterations as usize) {
        let measures = record.measured().filter(|measures| measures.tests.is_some());
        got_on.push(match (measures, later) {
            (Some(before), (Some(now), passed, _)) => {
                passed > record.passed || regression::got_better(before, now)
            }
            (_, (_, _, made)) => made,
        });
        later = (measures, record.passed, record.progress);
    }
    got_on
}

/// What the numbers say about an iteration that the guard let pass.
fn by_numbers(state: &State, ended: &Ended, now: Timestamp) -> (Vec<KeptFinding>, Verdict) {
    let judged = !ended.refused && state.config.guard != GuardMode::Off;
    let Some(round) = state.seen.checks.as_ref().filter(|_| judged) else {
        return (Vec::new(), Verdict::Reported);
    };
    let (before, reference) = (state.seen.measures.as_ref(), state.judged.reference.as_ref());
    let mut found = regressions(&state.config.thresholds, before, reference, round);
    let start = state.seen.baseline.as_ref();
    found.extend(start.and_then(|start| regression::failures_overlooked(start, round)));
    let verdict = about(state.config.guard, &found);
    let keep = |finding| KeptFinding::new(state.work.iteration, now, verdict, finding);
    (found.into_iter().map(keep).collect(), verdict)
}

fn quality_of(state: &State) -> Option<Quality> {
    let start = state.seen.baseline.as_ref().map(|round| &round.measures);
    state.seen.checks.as_ref().and_then(|round| quality::judge(&state.config.quality, round, start))
}

/// Whether the tree as it stands is the best so far.
pub(super) fn is_best(state: &State, quality: Option<Quality>) -> bool {
    let now = Best::of(state, quality);
    state.judged.best.as_ref().is_none_or(|best| now.beats(best))
}

/// The same for an iteration that a person agreed to.
pub(super) fn is_best_now(state: &State) -> bool {
    is_best(state, quality_of(state))
}

/// How far the iteration under way got, and whether anything changed that matters.
fn progress_of(state: &State, ended: &Ended) -> Progress {
    let policy = &state.config.progress;
    let earlier = state
        .judged
        .recent
        .iter()
        .filter_map(|record| record.snapshot.as_ref())
        .map(|snapshot| snapshot.tree.as_str());
    let news = match (&state.work.before, &state.seen.snapshot) {
        (Some(before), Some(now)) => TreeNews::of(&before.tree, &now.tree, earlier),
        _ => TreeNews::Same,
    };
    let round = state.seen.checks.as_ref();
    let files = |measures: Option<&Measures>| {
        measures.and_then(|measures| measures.tree).map_or(0, |tree| tree.files)
    };
    let (before, after) = (state.seen.measures.as_ref(), round.map(|round| &round.measures));
    let created = files(after).saturating_sub(files(before));
    let signs = Signs {
        tree: news,
        commits: u32::from(commit_due(state)),
        files_modified: u32::from(ended.added + ended.removed > 0),
        files_created: u32::try_from(created).unwrap_or(u32::MAX),
        checks_fixed: ended.checks_fixed,
        refused: ended.refused,
        before,
        after,
        marked: ended.report.as_ref().is_some_and(|report| progress::is_marked(policy, report)),
        ..Signs::default()
    };
    progress::judge(policy, &signs, &metrics(state, after))
}

/// What was asked to be measured, iteration by iteration.
fn metrics(state: &State, now: Option<&Measures>) -> Vec<progress::Metric> {
    let measured = || state.judged.recent.iter().filter_map(|record| record.measures.as_ref()).chain(now);
    let metric = |wanted: &crate::loop_machine::config::Metric| {
        let mut metric = progress::Metric::new(wanted.direction, wanted.weight);
        measured()
            .filter_map(|measures| measures.custom.get(&wanted.name))
            .for_each(|value| metric.take(*value));
        metric
    };
    state.config.metrics.iter().map(metric).collect()
}
