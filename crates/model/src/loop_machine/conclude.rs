//! The verdict on an iteration: what its checks found, what follows for the best, the streaks and the next step.

use super::facts::{Answer, AttemptOutcome, CheckRound, ReportStatus};
use super::guard::{self, GuardMode, KeptFinding, Verdict};
use super::hooking;
use super::measures::Measures;
use super::progress::{self, Progress, ProgressPolicy, Signs, TreeNews};
use super::quality::{Quality, judge};
use super::regression::regressions;
use super::reinforcement;
use super::state::{Best, Ended, IterationRecord, Next, State};
use crate::finding::Severity;
use crate::hook::HookPoint;
use crate::limits::{MARKS_MAX, RECENT_ITERATIONS_MAX};

/// A round of checks ended.
pub(super) fn checks_finished(state: &mut State, round: &CheckRound) {
    state.work.open = None;
    state.seen.commits += u32::from(round.commit.is_some());
    state.counters.working_ms = state.counters.working_ms.saturating_add(round.duration_ms);
    if let Some(snapshot) = &round.snapshot {
        state.seen.snapshot = Some(snapshot.clone());
        // The round began with putting the files back.
        state.work.restore = None;
    }
    if round.cancelled {
        // Stopped or skipped in the middle: the round is run again, unless the iteration was given up.
        if state.requests.skip {
            conclude_skipped(state);
        }
        return;
    }
    let is_baseline = state.work.attempt == 0;
    let fixed = state.seen.checks.as_ref().map_or(0, |last| fixed(last, round));
    if let Some(ended) = &mut state.work.ended {
        ended.duration_ms = ended.duration_ms.saturating_add(round.duration_ms);
    }
    state.counters.red_in_a_row = if round.all_pass() { 0 } else { state.counters.red_in_a_row + 1 };
    state.seen.tests.take(&round.tests);
    state.seen.checks = Some(round.clone());
    if !round.checks.is_empty() {
        let point = if round.all_pass() { HookPoint::OnTestSuccess } else { HookPoint::OnTestFailure };
        hooking::pass(state, point);
    }
    if is_baseline {
        state.seen.baseline = Some(round.clone());
        state.judged.reference = Some(round.measures.clone());
        state.seen.measures = Some(round.measures.clone());
        state.work.next = Next::Attempt;
    } else {
        conclude_with(state, fixed);
    }
}

/// Checks that failed and pass now, and conditions that hold now.
fn fixed(before: &CheckRound, now: &CheckRound) -> u32 {
    let failed = |name: &str| before.checks.iter().any(|check| check.name == name && !check.passed);
    let checks = now.checks.iter().filter(|check| check.passed && failed(&check.name)).count();
    let was_met = |label: &str| before.conditions.iter().any(|known| known.label == label && known.met);
    let conditions = now.conditions.iter().filter(|known| known.met && !was_met(&known.label)).count();
    u32::try_from(checks + conditions).unwrap_or(u32::MAX)
}

/// The iteration under way has its verdict without a round of its own.
pub(super) fn conclude(state: &mut State) {
    conclude_with(state, 0);
}

fn conclude_with(state: &mut State, checks_fixed: u32) {
    state.work.next = Next::Attempt;
    state.requests.skip = false;
    let Some(mut ended) = state.work.ended.take() else {
        take_measures(state);
        return;
    };
    let judged = progress_of(state, &ended, checks_fixed);
    let regressed = judge_numbers(state, &mut ended);
    let tree_changed = match (&state.work.before, &state.seen.snapshot) {
        (Some(before), Some(now)) => before.tree != now.tree,
        _ => false,
    };
    // What the numbers refused is gone, and with it what it would have been.
    let progress = judged.made && !ended.refused;
    state.counters.iterations += 1;
    if ended.outcome == AttemptOutcome::Succeeded {
        state.counters.succeeded += 1;
    } else {
        state.counters.failed += 1;
    }
    if progress {
        state.counters.no_progress_in_a_row = 0;
        state.counters.last_progress_iteration = Some(state.work.iteration);
    } else {
        state.counters.no_progress_in_a_row += 1;
    }
    if ended.refused {
        state.counters.refused += 1;
        state.counters.refused_in_a_row += 1;
    } else {
        state.counters.refused_in_a_row = 0;
        take_measures(state);
    }
    state.counters.regressions += u32::from(regressed);
    // What got worse, or what a person has not judged yet, is not the best of anything.
    if !regressed && !ended.doubted {
        keep_best(state);
    }
    let score = if ended.refused { 0.0 } else { judged.score };
    remember_iteration(state, &ended, Outcome { skipped: false, progress, regressed, score });
    if tree_changed {
        hooking::pass(state, HookPoint::OnFileChange);
    }
    hooking::pass(state, if progress { HookPoint::OnProgress } else { HookPoint::OnNoProgress });
    hooking::pass(state, HookPoint::PostIteration);
    reinforcement::iteration_ended(state);
    // What a refused agent says about its work is about work that is gone.
    state.seen.report =
        ended.report.filter(|report| !ended.refused || report.status == Some(ReportStatus::Blocked));
}

/// What the numbers say about an iteration that the guard let pass. Whether anything got worse.
fn judge_numbers(state: &mut State, ended: &mut Ended) -> bool {
    let doubtful = |kept: &KeptFinding| kept.iteration == state.work.iteration && kept.finding.blocking;
    let by_guard = state.judged.findings.iter().any(doubtful);
    let judged = !ended.refused && state.config.guard != GuardMode::Off;
    let Some(round) = state.seen.checks.as_ref().filter(|_| judged) else { return by_guard };
    let found = regressions(
        &state.config.thresholds,
        state.seen.measures.as_ref(),
        state.judged.reference.as_ref(),
        round,
    );
    if found.is_empty() {
        return by_guard;
    }
    match guard::keep(state, &found) {
        Verdict::Refused => {
            ended.refused = true;
            ended.left = state.seen.snapshot.clone();
            state.work.restore = state.work.before.clone();
            state.work.next = Next::Checks;
        }
        Verdict::Asked => ended.doubted = true,
        Verdict::Reported => {}
    }
    by_guard || found.iter().any(|finding| finding.severity >= Severity::High)
}

/// What was measured last is what the next round is compared with.
fn take_measures(state: &mut State) {
    if let Some(round) = state.seen.checks.as_ref().filter(|round| !round.measures.is_empty()) {
        state.seen.measures = Some(round.measures.clone());
    }
}

/// The iteration under way was given up.
pub(super) fn conclude_skipped(state: &mut State) {
    state.work.next = Next::Attempt;
    state.requests.skip = false;
    let Some(ended) = state.work.ended.take() else { return };
    state.counters.iterations += 1;
    state.counters.failed += 1;
    remember_iteration(
        state,
        &ended,
        Outcome { skipped: true, progress: false, regressed: ended.refused, score: 0.0 },
    );
    state.seen.report = None;
    hooking::pass(state, HookPoint::PostIteration);
}

/// The iteration that would have come next is left out, because a person said so.
pub(super) fn conclude_unstarted(state: &mut State) {
    state.work.iteration += 1;
    state.work.before = state.seen.snapshot.clone();
    state.work.ended = Some(Ended {
        outcome: AttemptOutcome::Cancelled,
        message: None,
        duration_ms: 0,
        added: 0,
        removed: 0,
        report: None,
        tests: None,
        refused: false,
        left: None,
        doubted: false,
        artifacts: Vec::new(),
        hold: None,
    });
    conclude_skipped(state);
}

/// A person does not want what the last iteration left: its files are put back.
pub(super) fn put_back(state: &mut State) {
    let before = state.work.before.clone();
    if let Some(last) = state.judged.recent.back_mut() {
        last.refused = true;
    }
    state.counters.refused += 1;
    state.seen.report = None;
    state.work.restore = before;
    state.work.next = Next::Checks;
}

fn verdict_counts(state: &State) -> (u32, u32) {
    state.seen.checks.as_ref().map_or((0, 0), |round| (round.passed() as u32, round.checks.len() as u32))
}

fn quality(state: &State) -> Option<Quality> {
    let start = state.seen.baseline.as_ref().map(|round| &round.measures);
    state.seen.checks.as_ref().and_then(|round| judge(round, start))
}

/// The tree as it stands is the best so far, if it is.
fn keep_best(state: &mut State) {
    let (passed, total) = verdict_counts(state);
    let now = Best {
        iteration: state.work.iteration,
        at: state.updated_at,
        quality: quality(state),
        passed,
        total,
        snapshot: state.seen.snapshot.clone(),
    };
    let beats = |best: &Best| {
        let (now, best) =
            ((now.is_verified(), now.quality_score()), (best.is_verified(), best.quality_score()));
        now > best
    };
    if total > 0 && state.judged.best.as_ref().is_none_or(beats) {
        state.judged.best = Some(now);
    }
}

struct Outcome {
    skipped: bool,
    progress: bool,
    regressed: bool,
    score: f64,
}

/// How far the iteration under way got, and whether anything changed that matters.
fn progress_of(state: &State, ended: &Ended, checks_fixed: u32) -> Progress {
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
        commits: u32::from(round.is_some_and(|round| round.commit.is_some())),
        files_modified: u32::from(ended.added + ended.removed > 0),
        files_created: u32::try_from(created).unwrap_or(u32::MAX),
        checks_fixed,
        refused: ended.refused,
        before,
        after,
        ..Signs::default()
    };
    progress::judge(&ProgressPolicy::default(), &signs, &[])
}

fn remember_iteration(state: &mut State, ended: &Ended, outcome: Outcome) {
    let judged = !outcome.skipped;
    let (passed, total) = if judged { verdict_counts(state) } else { (0, 0) };
    let round = state.seen.checks.as_ref().filter(|_| judged);
    let record = IterationRecord {
        number: state.work.iteration,
        at: state.updated_at,
        attempt: state.work.attempt,
        outcome: ended.outcome,
        message: ended.message.clone(),
        skipped: outcome.skipped,
        refused: ended.refused,
        doubted: ended.doubted,
        tests: ended.tests,
        regressed: outcome.regressed,
        quality: quality(state).filter(|_| judged),
        measures: round.map(|round| round.measures.clone()).filter(|measures| !measures.is_empty()),
        commit: round.and_then(|round| round.commit.clone()),
        artifacts: ended.artifacts.clone(),
        duration_ms: ended.duration_ms,
        added: ended.added,
        removed: ended.removed,
        passed,
        total,
        progress: outcome.progress,
        score: outcome.score,
        cost_microusd: ended.report.as_ref().and_then(|report| report.cost_microusd),
        // Of a refused one, what was refused: it can be looked at, and is nowhere else.
        snapshot: ended.left.clone().or_else(|| state.seen.snapshot.clone()),
    };
    if let Some(last) = state.judged.recent.back_mut() {
        last.artifacts = Vec::new();
    }
    state.judged.recent.push_back(record);
    while state.judged.recent.len() > RECENT_ITERATIONS_MAX {
        state.judged.recent.pop_front();
    }
}

/// A person judged what the guard found: the iteration is kept, or its files are put back.
pub(super) fn guard_answered(state: &mut State, answer: Answer) {
    state.counters.refused_in_a_row = 0;
    let before = state.work.before.clone();
    let Some(last) = state.judged.recent.back_mut().filter(|last| last.doubted) else { return };
    last.doubted = false;
    if answer == Answer::Approve {
        last.regressed = false;
        // What a person agreed to is what is compared with from now on.
        state.judged.trusted = state.seen.snapshot.clone();
        state.judged.reference = state.seen.measures.clone();
        keep_best(state);
        return;
    }
    last.refused = true;
    let confirmed = last.number;
    for kept in
        state.judged.findings.iter().filter(|kept| kept.iteration == confirmed && kept.finding.blocking)
    {
        if state.people.marks.len() < MARKS_MAX {
            state.people.marks.entry(kept.finding.id.clone()).or_insert(false);
        }
    }
    state.counters.refused += 1;
    state.seen.report = None;
    state.work.restore = before;
    state.work.next = Next::Checks;
}
