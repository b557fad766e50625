//! Folding how an attempt ended.

use super::{hooks, iteration, people, sessions};
use crate::Timestamp;
use crate::hook::HookPoint;
use crate::limits::{KEPT_MESSAGE_BYTES_MAX, LATENCIES_MAX, MODIFIED_FILES_MAX, clip, keep_last};
use crate::loop_machine::facts::{AttemptEnd, AttemptOutcome, Change, Left};
use crate::loop_machine::guard::{GuardReport, KeptFinding, Verdict};
use crate::loop_machine::state::{Counters, Ended, Next, State};
use crate::loop_machine::verdict::AttemptRuling;
use crate::status::Reason;

/// The attempt ended like this, and this was ruled about it.
pub(super) fn finished(
    state: &mut State,
    attempt: u32,
    end: &AttemptEnd,
    ruling: &AttemptRuling,
    at: Timestamp,
) {
    state.work.open = None;
    state.work.next = ruling.next;
    // A tree that nobody saw is not the tree from before: no verdict holds for it.
    if end.snapshot.is_some() || end.outcome != AttemptOutcome::NotStartable {
        state.seen.snapshot = end.snapshot.clone();
    }
    charge(&mut state.counters, end);
    count(&mut state.counters, ruling);
    if let Some((report, verdict)) = end.guard.as_ref().zip(ruling.guard) {
        take_guard(state, report, verdict, at);
    }
    let refused = ruling.guard == Some(Verdict::Refused);
    if let Some(change) = end.change.as_ref().filter(|_| !refused) {
        remember_change(state, change);
    }
    if let Some(report) = end.report.as_ref().filter(|_| !ruling.unkept) {
        people::take_report(state, report);
    }
    let (added, removed) = lines_so_far(state, end.change.as_ref());
    if refused {
        iteration::take_back(state);
    }
    let handed_on = sessions::attempt_ended(&mut state.session, end, &ruling.session, at);
    pass_points(state, end.outcome, handed_on);
    if refused {
        state.work.restore = state.work.before.clone();
    }
    state.work.ended = Some(Ended {
        message: end.message.as_deref().map(|text| clip(text, KEPT_MESSAGE_BYTES_MAX).to_owned()),
        duration_ms: end.duration_ms,
        added,
        removed,
        report: end.report.clone(),
        tests: end.guard.as_ref().map(|report| report.tests),
        assertions: end.guard.as_ref().map(|report| report.assertions),
        refused,
        left: end.snapshot.clone().filter(|_| refused),
        doubted: ruling.guard == Some(Verdict::Asked),
        unseen: ruling.unseen,
        put_off: end.guard.clone().filter(|_| ruling.guard.is_none()),
        artifacts: end.change.as_ref().map_or_else(Vec::new, |change| change.artifacts.clone()),
        hold: ruling.hold,
        ..Ended::of(end.outcome)
    });
    match ruling.counts {
        true => state.people.told.retain(|told| told.attempt != Some(attempt)),
        false => people::tell_again(state, attempt),
    }
    if end.outcome == AttemptOutcome::NotStartable {
        state.detail = end.message.clone();
    }
    // A skip is about the attempt that it cut short, or about the checks that follow.
    if end.outcome != AttemptOutcome::Cancelled && ruling.next != Next::Checks {
        state.requests.skip = false;
    }
    state.requests.reboot &= state.session.current.is_some();
}

/// The attempt's outcome cannot be known; this was found, and ruled about it.
pub(super) fn lost(state: &mut State, attempt: u32, left: &Left, ruling: &AttemptRuling) {
    state.work.open = None;
    state.work.next = ruling.next;
    state.seen.snapshot = left.snapshot.clone();
    state.requests.skip = false;
    state.counters.lost = state.counters.lost.saturating_add(1);
    state.counters.cost_unknown = state.counters.cost_unknown.saturating_add(1);
    state.counters.tokens_unknown = state.counters.tokens_unknown.saturating_add(1);
    count(&mut state.counters, ruling);
    left.change.iter().for_each(|change| remember_change(state, change));
    let (added, removed) = lines_so_far(state, left.change.as_ref());
    state.work.ended = Some(Ended {
        added,
        removed,
        tests: left.guard.as_ref().map(|report| report.tests),
        assertions: left.guard.as_ref().map(|report| report.assertions),
        unseen: ruling.unseen,
        put_off: left.guard.clone(),
        artifacts: left.change.as_ref().map_or_else(Vec::new, |change| change.artifacts.clone()),
        hold: ruling.hold,
        ..Ended::of(AttemptOutcome::Failed)
    });
    people::tell_again(state, attempt);
    hooks::pass(state, HookPoint::OnError);
}

fn count(counters: &mut Counters, ruling: &AttemptRuling) {
    counters.refusals_in_a_row = match ruling.hold {
        Some(Reason::RateLimit | Reason::Overloaded) => counters.refusals_in_a_row.saturating_add(1),
        _ => 0,
    };
    if let Some(failed) = ruling.failed {
        counters.failures_in_a_row = if failed { counters.failures_in_a_row.saturating_add(1) } else { 0 };
    }
}

fn charge(counters: &mut Counters, end: &AttemptEnd) {
    counters.working_ms = counters.working_ms.saturating_add(end.duration_ms);
    if end.outcome == AttemptOutcome::NotStartable {
        return;
    }
    match end.report.as_ref().and_then(|report| report.cost_microusd) {
        Some(cost) => counters.cost_microusd = counters.cost_microusd.saturating_add(cost),
        None => counters.cost_unknown = counters.cost_unknown.saturating_add(1),
    }
    match end.report.as_ref().and_then(|report| report.usage) {
        Some(usage) => {
            let used = usage.input_tokens.saturating_add(usage.output_tokens);
            counters.tokens = counters.tokens.saturating_add(used);
        }
        None => counters.tokens_unknown = counters.tokens_unknown.saturating_add(1),
    }
}

/// What the guard said, and what becomes of it.
fn take_guard(state: &mut State, report: &GuardReport, verdict: Verdict, at: Timestamp) {
    count_guard(state, report);
    let number = state.work.iteration;
    let kept = report.findings.iter().map(|finding| KeptFinding::new(number, at, verdict, finding.clone()));
    iteration::keep_findings(state, kept);
}

/// The lines that the iteration under way has added and removed, with this.
fn lines_so_far(state: &mut State, change: Option<&Change>) -> (u64, u64) {
    let standing = &mut state.work.standing;
    if let Some(change) = change {
        standing.added = standing.added.saturating_add(change.added);
        standing.removed = standing.removed.saturating_add(change.removed);
    }
    (standing.added, standing.removed)
}

/// How long the guard took.
pub(super) fn count_guard(state: &mut State, report: &GuardReport) {
    state.seen.latencies_ms.push_back(report.duration_ms.try_into().unwrap_or(u32::MAX));
    keep_last(&mut state.seen.latencies_ms, LATENCIES_MAX);
    state.counters.guard_ms = state.counters.guard_ms.saturating_add(report.duration_ms);
}

/// What an attempt left that was cut short is judged after all, since none follows: this becomes of it.
pub(super) fn judged_late(state: &mut State, verdict: Verdict, at: Timestamp) {
    let Some(report) = state.work.ended.as_mut().and_then(|ended| ended.put_off.take()) else { return };
    take_guard(state, &report, verdict, at);
    match verdict {
        Verdict::Refused => iteration::refuse(state, state.seen.snapshot.clone()),
        Verdict::Asked => state.work.ended.iter_mut().for_each(|ended| ended.doubted = true),
        Verdict::Reported => {}
    }
    // Should the round be stopped, it is run again.
    state.work.next = Next::Checks;
}

fn remember_change(state: &mut State, change: &Change) {
    let lines = change.added.saturating_add(change.removed);
    state.counters.lines_changed = state.counters.lines_changed.saturating_add(lines);
    let known = &mut state.seen.modified_files;
    for file in &change.files {
        if known.len() < MODIFIED_FILES_MAX && !known.contains(file) {
            known.push(file.clone());
            state.work.standing.first_changed.push(file.clone());
        }
    }
}

/// The points that an attempt passes with its end.
fn pass_points(state: &mut State, outcome: AttemptOutcome, handed_on: bool) {
    if outcome != AttemptOutcome::NotStartable {
        hooks::pass(state, HookPoint::PostSession);
    }
    if handed_on {
        hooks::pass(state, HookPoint::PostReboot);
    }
    if !matches!(outcome, AttemptOutcome::Succeeded | AttemptOutcome::Cancelled) {
        hooks::pass(state, HookPoint::OnError);
    }
}
