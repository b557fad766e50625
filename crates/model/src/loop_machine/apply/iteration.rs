//! Folding rounds of checks, commits, and the verdict on an iteration.

use super::{attempt, hooks};
use crate::Timestamp;
use crate::hook::HookPoint;
use crate::limits::{KEPT_FINDINGS_MAX, MADE_MAX, MARKS_MAX, RECENT_ITERATIONS_MAX, keep_last};
use crate::loop_machine::facts::{AttemptOutcome, CheckRound, ReportStatus, Snapshot, Wrote};
use crate::loop_machine::guard::{KeptFinding, Verdict};
use crate::loop_machine::state::{Best, Ended, IterationRecord, Next, Standing, State};
use crate::loop_machine::verdict::{Conclusion, IterationVerdict, RoundRuling};

/// An iteration begins: what stands now is what it is put back to, should anybody want that.
pub(super) fn begun(state: &mut State, iteration: u32) {
    state.work.iteration = iteration;
    // What a fork took along is judged with what its first iteration makes of it.
    let unjudged = state.memory.adopted.as_mut().and_then(|adopted| adopted.base.take());
    // A tree that nobody saw is compared with the one before it.
    let before = unjudged.or_else(|| state.seen.snapshot.clone());
    state.work.before = before.or_else(|| state.work.before.take());
    state.work.standing = Standing::of(state);
}

/// The iteration under way is put back, and with it everything that it was counted for.
pub(super) fn take_back(state: &mut State) {
    let before = state.work.standing.clone();
    state.seen.modified_files.retain(|file| !before.first_changed.contains(file));
    state.counters.lines_changed = before.lines_changed;
    (state.work.standing.added, state.work.standing.removed) = (0, 0);
    state.counters.no_progress_in_a_row = before.no_progress_in_a_row;
    state.counters.last_progress_iteration = before.last_progress_iteration;
    // The checks are run again on what is back.
    state.counters.red_in_a_row = before.red_in_a_row;
    state.judged.best = before.best;
    state.memory.objectives = before.objectives;
}

/// A round of checks ended, and this was ruled about it.
pub(super) fn checks_finished(state: &mut State, round: &CheckRound, ruling: &RoundRuling, at: Timestamp) {
    state.work.open = None;
    state.work.next = ruling.next;
    state.counters.working_ms = state.counters.working_ms.saturating_add(round.duration_ms);
    if let Some(snapshot) = &round.snapshot {
        state.seen.snapshot = Some(snapshot.clone());
        // The round began with putting the files back.
        state.work.restore = None;
    }
    if let Some(wrote) = &round.wrote {
        take_written(state, wrote, ruling);
    }
    if let Some(verdict) = ruling.guard {
        take_findings(state, verdict, ruling, at);
    }
    if let Some(ended) = &mut state.work.ended {
        // A look that was stopped has seen nothing; one that somebody gave up is not taken again.
        ended.look &= match ruling.next {
            Next::Verdict => true,
            Next::Attempt => !round.cancelled,
            Next::Checks => false,
        };
    }
    if let Some(ended) = state.work.ended.as_mut().filter(|_| !round.cancelled) {
        ended.duration_ms = ended.duration_ms.saturating_add(round.duration_ms);
        ended.again |= ruling.again;
    }
    if ruling.guard == Some(Verdict::Refused) {
        refuse(state, round.snapshot.clone());
        return;
    }
    if round.cancelled || ruling.again {
        return;
    }
    if let Some(fail) = ruling.tests_fail {
        state.counters.red_in_a_row = if fail { state.counters.red_in_a_row.saturating_add(1) } else { 0 };
    }
    state.seen.tests.take(&round.tests, ruling.tree);
    state.seen.checks = Some(round.clone());
    if !round.checks.is_empty() {
        let point = if round.all_pass() { HookPoint::OnTestSuccess } else { HookPoint::OnTestFailure };
        hooks::pass(state, point);
    }
    if ruling.baseline {
        state.seen.baseline = Some(round.clone());
        state.judged.reference = Some(round.measures.clone());
        state.seen.measures = Some(round.measures.clone());
    }
    if let Some(ended) = &mut state.work.ended {
        ended.checks_fixed = ruling.fixed;
    }
    state.requests.skip = false;
    // Those of an iteration count once it has its verdict.
    if ruling.next == Next::Attempt && state.work.ended.as_ref().is_none_or(|ended| !ended.look) {
        take_measures(state);
    }
    if let Some(last) = state.judged.recent.back_mut().filter(|last| last.skipped && !last.refused) {
        last.looked_at = last.number == state.work.iteration;
    }
}

/// What the checks wrote, and what becomes of that.
fn take_written(state: &mut State, wrote: &Wrote, ruling: &RoundRuling) {
    for made in &wrote.made {
        state.seen.made.retain(|known| known.path != made.path);
        if state.seen.made.len() < MADE_MAX {
            state.seen.made.push(made.clone());
        }
    }
    if ruling.guard.is_some() {
        wrote.guard.iter().for_each(|report| attempt::count_guard(state, report));
    }
}

/// What is held against what the checks wrote, and what trials showed.
fn take_findings(state: &mut State, verdict: Verdict, ruling: &RoundRuling, at: Timestamp) {
    let number = state.work.iteration;
    let kept = ruling.findings.iter().map(|finding| KeptFinding::new(number, at, verdict, finding.clone()));
    keep_findings(state, kept);
    if let Some(ended) = &mut state.work.ended {
        ended.doubted |= verdict == Verdict::Asked;
    }
}

/// What the attempt under way left is refused: the next round begins with putting the files back.
pub(super) fn refuse(state: &mut State, left: Option<Snapshot>) {
    take_back(state);
    state.work.restore = state.work.before.clone();
    if let Some(ended) = &mut state.work.ended {
        (ended.refused, ended.left) = (true, left);
    }
}

/// What was measured last is what the next round is compared with.
fn take_measures(state: &mut State) {
    if let Some(round) = state.seen.checks.as_ref().filter(|round| !round.measures.is_empty()) {
        state.seen.measures = Some(round.measures.clone());
    }
}

/// The iteration under way has its verdict.
pub(super) fn concluded(state: &mut State, conclusion: &Conclusion, at: Timestamp) {
    state.requests.skip = false;
    let Some(ended) = state.work.ended.take() else { return };
    // What must pass before the next attempt is no less true of an iteration that has its verdict.
    state.work.ended = ended.hold.is_some().then(|| ended.clone());
    let Conclusion { verdict, regressed, changed, progress, best, .. } = conclusion;
    let skipped = *verdict == IterationVerdict::Skipped;
    let refused = ended.refused || *verdict == IterationVerdict::Refused;
    if *verdict == IterationVerdict::Refused && !ended.refused {
        // What the guard refused was put back before the checks; what the numbers speak against is put back now.
        state.work.restore = state.work.before.clone();
        take_back(state);
    }
    count(state, conclusion, ended.outcome, refused);
    if !refused && !skipped {
        take_measures(state);
    }
    let is_reported = |kept: &KeptFinding| kept.verdict == Verdict::Reported && kept.finding.blocking;
    if conclusion.findings.iter().any(is_reported) {
        // What is only reported is said once: it is what is compared with from now on.
        state.judged.reference = state.seen.measures.clone();
    }
    state.work.next =
        if state.work.restore.is_some() || conclusion.unjudged { Next::Checks } else { Next::Attempt };
    keep_findings(state, conclusion.findings.iter().cloned());
    if *best {
        state.judged.best = Some(Best { at, ..Best::of(state, conclusion.quality) });
    }
    remember(state, &ended, conclusion, at);
    if *changed {
        hooks::pass(state, HookPoint::OnFileChange);
    }
    if !skipped {
        hooks::pass(state, if progress.made { HookPoint::OnProgress } else { HookPoint::OnNoProgress });
    }
    hooks::pass(state, HookPoint::PostIteration);
    state.counters.regressions = state.counters.regressions.saturating_add((*regressed && !skipped).into());
    // What a refused agent says about its work is about work that is gone.
    state.seen.report =
        ended.report.filter(|report| !skipped && (!refused || report.status == Some(ReportStatus::Blocked)));
}

fn count(state: &mut State, conclusion: &Conclusion, outcome: AttemptOutcome, refused: bool) {
    let counters = &mut state.counters;
    counters.iterations = counters.iterations.saturating_add(1);
    if conclusion.verdict == IterationVerdict::Skipped {
        counters.failed = counters.failed.saturating_add(1);
        return;
    }
    if outcome == AttemptOutcome::Succeeded && !refused {
        counters.succeeded = counters.succeeded.saturating_add(1);
    } else {
        counters.failed = counters.failed.saturating_add(1);
    }
    if conclusion.progress.made {
        counters.no_progress_in_a_row = 0;
        counters.last_progress_iteration = Some(conclusion.iteration);
    } else {
        counters.no_progress_in_a_row = counters.no_progress_in_a_row.saturating_add(1);
    }
    if refused {
        counters.refused = counters.refused.saturating_add(1);
        counters.refused_in_a_row = counters.refused_in_a_row.saturating_add(1);
    } else {
        counters.refused_in_a_row = 0;
    }
}

/// Keeps findings about the iteration under way.
pub(super) fn keep_findings(state: &mut State, findings: impl Iterator<Item = KeptFinding>) {
    for kept in findings {
        state.counters.detections = state.counters.detections.saturating_add(1);
        state.judged.findings.push_back(kept);
    }
    keep_last(&mut state.judged.findings, KEPT_FINDINGS_MAX);
}

fn remember(state: &mut State, ended: &Ended, conclusion: &Conclusion, at: Timestamp) {
    let verdict = conclusion.verdict;
    // What the guard refused was put back before the checks: what they found is not about this iteration.
    let is_its_own = verdict != IterationVerdict::Skipped && !ended.refused;
    let round = state.seen.checks.as_ref().filter(|_| is_its_own);
    let refused = ended.refused || verdict == IterationVerdict::Refused;
    let mut record = IterationRecord {
        number: conclusion.iteration,
        at,
        attempt: state.work.attempt,
        outcome: ended.outcome,
        message: ended.message.clone(),
        skipped: verdict == IterationVerdict::Skipped,
        looked_at: false,
        refused,
        rejected: false,
        doubted: ended.doubted || verdict == IterationVerdict::Doubted,
        tests: ended.tests,
        assertions: ended.assertions,
        regressed: conclusion.regressed,
        quality: conclusion.quality,
        measures: round.map(|round| round.measures.clone()).filter(|measures| !measures.is_empty()),
        commit: None,
        artifacts: ended.artifacts.clone(),
        duration_ms: ended.duration_ms,
        added: ended.added,
        removed: ended.removed,
        passed: round.map_or(0, |round| round.passed() as u32),
        total: round.map_or(0, |round| round.checks.len() as u32),
        progress: conclusion.progress.made,
        score: conclusion.progress.score,
        cost_microusd: ended.report.as_ref().and_then(|report| report.cost_microusd),
        // Of a refused one, what was refused: it can be looked at, and is nowhere else.
        snapshot: ended.left.clone().or_else(|| state.seen.snapshot.clone()),
    };
    if refused {
        record.forget_how_good();
    }
    if let Some(last) = state.judged.recent.back_mut() {
        last.artifacts = Vec::new();
    }
    state.judged.recent.push_back(record);
    keep_last(&mut state.judged.recent, RECENT_ITERATIONS_MAX);
}

/// The tree of an iteration was committed, unless there was nothing new in it.
pub(super) fn committed(state: &mut State, iteration: u32, tree: &str, commit: Option<&String>) {
    state.work.open = None;
    state.work.committed = Some(tree.to_owned());
    state.seen.commits += u32::from(commit.is_some());
    if let Some(last) = state.judged.recent.back_mut().filter(|last| last.number == iteration) {
        last.commit = last.commit.take().or_else(|| commit.cloned());
    }
}

/// The iteration that would have come next is left out: it is given up before it began.
pub(super) fn leave_out(state: &mut State) {
    begun(state, state.work.iteration.saturating_add(1));
    state.work.ended = Some(Ended::of(AttemptOutcome::Cancelled));
    state.work.next = Next::Verdict;
    state.requests.skip = true;
}

/// A person agrees to what the guard doubted: it is what is compared with from now on.
pub(super) fn keep(state: &mut State, best: bool, at: Timestamp) {
    let Some(last) = state.judged.recent.back_mut() else { return };
    (last.doubted, last.regressed) = (false, false);
    let quality = last.quality;
    state.judged.trusted = state.seen.snapshot.clone();
    state.judged.reference = state.seen.measures.clone();
    if best {
        state.judged.best = Some(Best { at, ..Best::of(state, quality) });
    }
}

/// A person does not want what the last iteration left: its files are put back.
pub(super) fn put_back(state: &mut State, refused: bool, succeeded: bool) {
    if let Some(last) = state.judged.recent.back_mut() {
        (last.doubted, last.refused, last.rejected) = (false, refused, !refused);
        (last.progress, last.score) = (false, 0.0);
        if refused {
            last.forget_how_good();
        }
    }
    state.counters.succeeded = state.counters.succeeded.saturating_sub(succeeded.into());
    state.counters.failed = state.counters.failed.saturating_add(succeeded.into());
    state.counters.refused = state.counters.refused.saturating_add(refused.into());
    take_back(state);
    state.counters.no_progress_in_a_row = state.counters.no_progress_in_a_row.saturating_add(1);
    state.seen.report = None;
    state.work.restore = state.work.before.clone();
    state.work.next = Next::Checks;
}

/// A person says that these were found rightly; what somebody marked already stays as it is.
pub(super) fn confirm_findings(state: &mut State, findings: &[String]) {
    for finding in findings {
        if state.people.marks.len() < MARKS_MAX {
            state.people.marks.entry(finding.clone()).or_insert(false);
        }
    }
}
