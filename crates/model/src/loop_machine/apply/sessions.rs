//! Folding what became of the agent's sessions.

use super::{enter, hooks};
use crate::Timestamp;
use crate::hook::HookPoint;
use crate::limits::{CONTEXT_SAMPLES_MAX, REBOOTS_MAX, keep_last};
use crate::loop_machine::facts::{AttemptEnd, Report};
use crate::loop_machine::state::{Counters, RebootReason, RebootRecord, Session, State};
use crate::loop_machine::verdict::SessionRuling;
use crate::status::Status;

/// An attempt begins. One that takes over from a session is counted once, however often it has to be begun.
pub(super) fn begun(session: &mut Session, counters: &mut Counters) {
    counters.reboots = counters.reboots.saturating_add(session.is_due().into());
    session.handed_over = session.handoff.is_some();
}

/// An attempt in a session ended. Whether it had been handed what an earlier session knew, and has read it.
pub(super) fn attempt_ended(
    session: &mut Session,
    end: &AttemptEnd,
    ruling: &SessionRuling,
    at: Timestamp,
) -> bool {
    let report = end.report.as_ref();
    take(session, end, ruling, at);
    session.spent = ruling.spent;
    session.said_bytes = session.said_bytes.saturating_add(end.said_bytes.unwrap_or(0));
    session.usage = report.and_then(|report| report.session_usage).or(session.usage);
    session.cost_microusd = report.and_then(|report| report.session_cost_microusd).or(session.cost_microusd);
    session.samples.extend(ruling.sample);
    keep_last(&mut session.samples, CONTEXT_SAMPLES_MAX);
    let handed_on = session.handoff.take_if(|_| ruling.read);
    handed_on.is_some_and(|reason| !matches!(reason, RebootReason::AnotherAgent { .. }))
}

/// The session that an attempt worked in: one that was to be left is left, whatever the agent says of the other.
pub(in crate::loop_machine) fn take(
    session: &mut Session,
    end: &AttemptEnd,
    ruling: &SessionRuling,
    at: Timestamp,
) {
    let began = session.attempt_at.unwrap_or(at);
    if session.spent && ruling.read {
        session.leave(began);
    }
    session.iterations = session.iterations.saturating_add(ruling.continued.into());
    if let Some(report) = end.report.as_ref().filter(|_| ruling.taken) {
        take_named(session, report, began);
    }
}

/// The session by the agent's own account, in an attempt that `began` then.
fn take_named(session: &mut Session, report: &Report, began: Timestamp) {
    session.context_usage_percent = report.context_usage_percent.or(session.context_usage_percent);
    let Some(id) = &report.session_id else { return };
    if session.current.as_ref() == Some(id) {
        session.iterations = session.iterations.saturating_add(1);
        return;
    }
    session.leave(began);
    session.current = Some(id.clone());
    session.started_at = Some(began);
    session.iterations = 1;
    session.context_usage_percent = report.context_usage_percent;
}

/// The next attempt begins a fresh session, and is told what the old one knew.
pub(super) fn rebooted(state: &mut State, reason: &RebootReason, at: Timestamp) {
    state.requests.reboot = false;
    (state.session.proposed, state.session.given_up) = (None, None);
    state.session.spent = true;
    (state.session.handoff, state.session.handed_over) = (Some(reason.clone()), false);
    hooks::pass_before(state, HookPoint::PreReboot, HookPoint::PostSession);
    remember(state, true, at);
    if state.status == Status::Running {
        enter(state, Status::Rebooting, None, None, at);
    }
}

/// Another agent goes on, in a session of its own. That is no change to a fresh one: no ceiling counts it, and no hook is called for it.
pub(super) fn switched(session: &mut Session, agent: &str, at: Timestamp) {
    (session.proposed, session.given_up) = (None, None);
    (session.handoff, session.handed_over) =
        (Some(RebootReason::AnotherAgent { agent: agent.to_owned() }), true);
    session.leave(at);
    session.spent = false;
}

/// Somebody wants the session kept that was to be left.
pub(super) fn keep(state: &mut State, at: Timestamp) {
    (state.session.spent, state.session.handoff) = (false, None);
    if let Some(last) = state.session.reboots.back_mut() {
        last.succeeded = false;
    }
    if state.status == Status::Rebooting {
        enter(state, Status::Running, None, None, at);
    }
}

/// A person wants no fresh session.
pub(super) fn declined(state: &mut State, at: Timestamp) {
    state.session.proposed = None;
    remember(state, false, at);
}

fn remember(state: &mut State, succeeded: bool, at: Timestamp) {
    let iteration = state.work.iteration;
    state.session.reboots.push_back(RebootRecord { at, iteration, succeeded });
    keep_last(&mut state.session.reboots, REBOOTS_MAX);
}
