//! A member of the team: its attempts from start to end, and what is ruled of them.
//!
//! [`rule`] is the heart: a role is done, tried again, waits for whom it asked, needs a person, or fails the cycle.

use std::collections::BTreeSet;

use super::{err, give_feedback, hand_in, hooks, people, tell_timeline};
use crate::Timestamp;
use crate::cycle::config::RoleName;
use crate::cycle::facts::{Nudge, OpenAttempt, RoleEnd, RoleVerdict, Ruling};
use crate::cycle::limits::ITERATIONS_KEPT_MAX;
use crate::cycle::sections::ChangeEntry;
use crate::cycle::state::{Phase, RoleState, RoleStatus, State, TimelineFact};
use crate::hook::HookPoint;
use crate::limits::{KEPT_FINDINGS_MAX, keep_last};
use crate::loop_machine::{GuardReport, KeptFinding, Left, Verdict};
use crate::status::Reason;
use crate::workflow::Hold;

/// The role has something to do in an iteration that begins.
pub(super) fn make_due(role: &mut RoleState) {
    role.due = true;
    role.status = RoleStatus::Idle;
    (role.tries, role.lost, role.sent_back, role.refusals) = (0, 0, 0, 0);
    (role.not_before, role.restore, role.error, role.called_back) = (None, None, None, false);
    role.asked.clear();
    (role.started_at, role.completed_at) = (None, None);
}

/// Its attempt begins: its prompt has all that it was told until now.
pub(super) fn start(state: &mut State, attempt: &OpenAttempt, at: Timestamp) {
    state.attempt = state.attempt.max(attempt.number);
    state.hooks.ended = false;
    state.phase = Phase::Role(attempt.role.clone());
    let Some(index) = state.place(&attempt.role) else { return };
    let role = &mut state.roles[index];
    role.status = RoleStatus::Running;
    role.open = Some(attempt.clone());
    role.started_at = Some(at);
    (role.completed_at, role.nudged, role.not_before, role.restore) = (None, None, None, None);
    (role.hearing, role.asked) = (role.told.len() as u32, Vec::new());
    role.tries = role.tries.saturating_add(1);
}

/// Its attempt takes long, and it was told so.
pub(super) fn nudge(state: &mut State, attempt: u32, nudge: Nudge) {
    if let Some(index) = place_of(state, attempt) {
        state.roles[index].nudged = Some(nudge);
    }
}

/// Its attempt was never started: the try does not count, and what was to be put back before it still is.
pub(super) fn abandon(state: &mut State, attempt: u32) {
    let Some(index) = place_of(state, attempt) else { return };
    let role = &mut state.roles[index];
    role.restore = role.open.take().and_then(|open| open.restore);
    (role.nudged, role.status) = (None, RoleStatus::Idle);
    role.tries = role.tries.saturating_sub(1);
}

/// Where the role that this attempt is open at stands in the table.
fn place_of(state: &State, attempt: u32) -> Option<usize> {
    state.roles.iter().position(|role| role.open.as_ref().is_some_and(|open| open.number == attempt))
}

/// Its attempt ended: what it used, handed in and left is taken, then what was ruled takes effect.
pub(super) fn finish(state: &mut State, attempt: u32, end: &RoleEnd, ruling: &Ruling, at: Timestamp) {
    let Some(index) = place_of(state, attempt) else { return };
    charge(state, index, end);
    hooks::role_ended(state, end.outcome);
    developed(state, index, attempt);
    if let Some(snapshot) = &end.snapshot {
        state.seen = Some(snapshot.clone());
    }
    keep_findings(state, end.guard.as_ref(), ruling, at);
    let is_refused = ruling.guard == Some(Verdict::Refused);
    hand_in::take(state, index, &end.handed_in, is_refused, at);
    let role = &mut state.roles[index];
    (role.open, role.nudged, role.lost) = (None, None, 0);
    let refused = matches!(end.hold, Some(Hold { reason: Reason::RateLimit | Reason::Overloaded, .. }));
    role.refusals = if refused { role.refusals.saturating_add(1) } else { 0 };
    role.last_message = end.said.clone().or_else(|| role.last_message.take());
    role.session = end.session_id.clone().or_else(|| role.session.take());
    (role.session_usage, role.session_cost_microusd) = (end.session_usage, end.session_cost_microusd);
    let files = files_of(state, index, end, is_refused);
    rule(state, index, ruling, Some(files), at);
    let (name, handed_in) = (&state.config.roles[index].name, &end.handed_in);
    if let Some(result) = state.iterations.back_mut().and_then(|last| last.agent_results.get_mut(name)) {
        result.critical_issues = handed_in.critical_issues.or(result.critical_issues);
        result.open_issues = handed_in.open_issues.or(result.open_issues);
    }
}

/// How many files the role has changed in this iteration, in all of its attempts: its documents, and what is on record of the
/// work tree. Nothing that was refused is.
fn files_of(state: &State, index: usize, end: &RoleEnd, is_refused: bool) -> u32 {
    let name = &state.config.roles[index].name;
    let documents = state.roles[index].documents.values();
    let documents = documents.filter(|document| document.iteration == state.iteration).count();
    let of_role = |entry: &&ChangeEntry| entry.iteration == state.iteration && entry.agent == *name;
    let changed = state.changes.recent.iter().filter(of_role).map(|entry| entry.file.as_str());
    let changed = changed.collect::<BTreeSet<_>>().len();
    // More than a log holds at once is counted, and not named.
    let at_once = end.change.as_ref().filter(|_| !is_refused).map_or(0, |change| change.files_total as usize);
    (documents + changed.max(at_once)) as u32
}

fn developed(state: &mut State, index: usize, attempt: u32) {
    if state.config.roles[index].develops {
        state.current.developed_at = attempt;
    }
}

/// Its attempt was lost: of what it did only the tree is known.
pub(super) fn lose(state: &mut State, attempt: u32, left: &Left, ruling: &Ruling, at: Timestamp) {
    let Some(index) = place_of(state, attempt) else { return };
    state.hooks.pass(HookPoint::OnError);
    developed(state, index, attempt);
    if let Some(snapshot) = &left.snapshot {
        state.seen = Some(snapshot.clone());
    }
    keep_findings(state, left.guard.as_ref(), ruling, at);
    let role = &mut state.roles[index];
    (role.open, role.nudged) = (None, None);
    role.lost = role.lost.saturating_add(1);
    role.counters.lost = role.counters.lost.saturating_add(1);
    state.counters.lost = state.counters.lost.saturating_add(1);
    let name = state.config.roles[index].name.clone();
    tell_timeline(state, TimelineFact::RoleLost { role: name }, at);
    rule(state, index, ruling, None, at);
}

/// What was ruled about a role takes effect. `files`: how many it has changed in this iteration, where that is known.
fn rule(state: &mut State, index: usize, ruling: &Ruling, files: Option<u32>, at: Timestamp) {
    let name = state.config.roles[index].name.clone();
    for error in &ruling.errors {
        err(state, name.to_string(), error.clone(), at);
    }
    state.roles[index].error = ruling.errors.last().cloned();
    if ruling.verdict == RoleVerdict::Done {
        hear(&mut state.roles[index]);
    }
    give_feedback(state, &ruling.feedback);
    people::add_blockers(state, &ruling.blockers, at);
    people::settle_blockers(state, &ruling.resolved, at);
    people::add_decisions(state, &ruling.decisions);
    if let Some(record) = state.iterations.back_mut() {
        let result = record.agent_results.entry(name.clone()).or_default();
        result.status = ruling.status;
        result.files_modified = files.unwrap_or(result.files_modified);
    }
    let role = &mut state.roles[index];
    match &ruling.verdict {
        RoleVerdict::Done => {
            (role.status, role.due, role.completed_at) = (RoleStatus::Completed, false, Some(at));
            // One that was asked again has not completed another iteration.
            let is_first = role.turns == 0;
            role.iterations_completed = role.iterations_completed.saturating_add(is_first.into());
            role.turns = role.turns.saturating_add(1);
            if std::mem::take(&mut role.called_back) {
                work_again(role);
            }
            have_turn(state, &name);
            complete_phase(state, index, ruling, files.unwrap_or(0), at);
        }
        RoleVerdict::Again { not_before, free, restore } => {
            role.status = RoleStatus::Idle;
            (role.not_before, role.restore) = (*not_before, restore.clone());
            if *free {
                role.tries = role.tries.saturating_sub(1);
            }
        }
        RoleVerdict::Waits => {
            role.status = RoleStatus::Waiting;
            role.sent_back = role.sent_back.saturating_add(1);
            role.tries = 0;
            role.called_back = false;
            have_turn(state, &name);
            send_back(state, &ruling.again);
            state.roles[index].asked.clone_from(&ruling.asked);
        }
        RoleVerdict::Halt { reason } => {
            role.status = RoleStatus::Waiting;
            role.tries = role.tries.saturating_sub(1);
            state.requests.halt = Some((*reason, ruling.errors.last().cloned()));
        }
        RoleVerdict::Fail { reason, error, restore } => {
            (role.status, role.restore) = (RoleStatus::Failed, restore.clone());
            state.requests.fail = Some((*reason, error.clone()));
        }
    }
}

/// What its prompt had it has heard.
fn hear(role: &mut RoleState) {
    role.told.drain(..(role.hearing as usize).min(role.told.len()));
    role.hearing = 0;
}

/// Whoever asked this role has its answer.
fn have_turn(state: &mut State, name: &RoleName) {
    state.roles.iter_mut().for_each(|role| role.asked.retain(|asked| asked != name));
}

/// These roles work again; one that is at work does so once that is done.
fn send_back(state: &mut State, names: &[RoleName]) {
    for name in names {
        let Some(index) = state.place(name) else { continue };
        let role = &mut state.roles[index];
        match role.open {
            Some(_) => role.called_back = true,
            None if !role.due => work_again(role),
            None => {}
        }
    }
}

fn work_again(role: &mut RoleState) {
    (role.due, role.status, role.tries) = (true, RoleStatus::Idle, 0);
}

fn complete_phase(state: &mut State, index: usize, ruling: &Ruling, files: u32, at: Timestamp) {
    let role = &state.config.roles[index];
    let (name, develops) = (role.name.clone(), role.develops);
    if !state.completed_phases.iter().any(|phase| *phase == name.as_str()) {
        state.completed_phases.push(name.to_string());
    }
    if develops {
        state.iteration_markers.insert(state.iteration, at);
        while state.iteration_markers.len() > ITERATIONS_KEPT_MAX {
            state.iteration_markers.pop_first();
        }
    }
    tell_timeline(state, TimelineFact::RoleEnded { role: name, status: ruling.status, files }, at);
}

fn charge(state: &mut State, index: usize, end: &RoleEnd) {
    use crate::loop_machine::AttemptOutcome as Outcome;
    let can_cost = end.outcome != Outcome::NotStartable;
    let failed = !matches!(end.outcome, Outcome::Succeeded | Outcome::Cancelled);
    if let (Some(record), Some(cost)) = (state.iterations.back_mut(), end.cost_microusd) {
        record.cost_microusd = record.cost_microusd.saturating_add(cost);
    }
    for counters in [&mut state.counters, &mut state.roles[index].counters] {
        counters.attempts = counters.attempts.saturating_add(1);
        counters.failures = counters.failures.saturating_add(failed.into());
        counters.working_ms = counters.working_ms.saturating_add(end.duration_ms);
        counters.tokens = counters.tokens.saturating_add(end.tokens.unwrap_or(0));
        match end.cost_microusd {
            Some(cost) => counters.cost_microusd = counters.cost_microusd.saturating_add(cost),
            None => counters.cost_unknown = counters.cost_unknown.saturating_add(can_cost.into()),
        }
    }
}

fn keep_findings(state: &mut State, guard: Option<&GuardReport>, ruling: &Ruling, at: Timestamp) {
    let verdict = ruling.guard.unwrap_or(Verdict::Reported);
    for finding in guard.into_iter().flat_map(|guard| &guard.findings) {
        // What one role left is seen again after the next.
        let is_it = |kept: &KeptFinding| {
            kept.iteration == state.iteration && kept.verdict == verdict && kept.finding == *finding
        };
        if verdict == Verdict::Reported && state.findings.iter().any(is_it) {
            continue;
        }
        state.findings.push_back(KeptFinding::new(state.iteration, at, verdict, finding.clone()));
    }
    keep_last(&mut state.findings, KEPT_FINDINGS_MAX);
}
