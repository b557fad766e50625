//! The conversations of an agent: which one the next attempt has, and what is known of it afterwards.

use super::config::{NamedBy, SessionPolicy};
use super::context::{ContextSample, is_degraded, output_quality};
use super::facts::{AttemptEnd, AttemptOutcome, ErrorClass, IntendedSession, Report};
use super::hooking;
use super::reboot::{RebootDecision, RebootReason, RebootRecord, SessionView, decide_reboot};
use super::state::{Session, SessionRecord, State};
use crate::Timestamp;
use crate::hook::HookPoint;
use crate::limits::SESSION_HISTORY_MAX;

/// Samples of a session that are kept.
const SAMPLES_MAX: usize = 10;
/// Reboots that are kept: as many as an hour may have, twice.
const REBOOTS_MAX: usize = 20;

/// The conversation of the next attempt. A name of ours is made from what is on record, so that it is known
/// before anything runs, and is another one for every attempt of every run.
pub(super) fn next(state: &State, attempt: u32) -> Option<IntendedSession> {
    let sessions = &state.config.agent.sessions;
    let goes_on = match state.config.session {
        SessionPolicy::Continue => true,
        SessionPolicy::Fresh => retries_a_refusal(state),
        SessionPolicy::Fork => false,
    };
    if goes_on
        && !state.session.spent
        && !sessions.resume.is_empty()
        && let Some(current) = &state.session.current
    {
        return Some(IntendedSession { id: current.clone(), resumed: true, from: None });
    }
    let named = (sessions.named_by == NamedBy::Us).then(|| name(state, attempt));
    let from =
        (state.config.session == SessionPolicy::Fork && !state.session.spent && !sessions.fork.is_empty())
            .then(|| state.session.current.clone())
            .flatten();
    let id = named.or_else(|| from.clone())?;
    Some(IntendedSession { id, resumed: false, from })
}

/// The iteration is tried again only because its provider refused to go on: the work so far is in its session.
fn retries_a_refusal(state: &State) -> bool {
    state.work.iteration > state.counters.iterations && state.counters.refusals_in_a_row > 0
}

/// A random-looking UUID (version 8: of our own making).
fn name(state: &State, attempt: u32) -> String {
    let place = state.driver.as_ref().map_or("", |driver| driver.host.as_str());
    let text = format!("{place} {} {} {attempt}", state.run, state.created_at);
    let [mut high, mut low] = [0xcbf2_9ce4_8422_2325_u64, 0x9e37_79b9_7f4a_7c15];
    for byte in text.bytes() {
        // FNV-1a in one half, and its sum mixed into the other.
        high = (high ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        low = (low ^ high).rotate_left(27).wrapping_mul(0x94d0_49bb_1331_11eb);
    }
    let high = high & !0xf000 | 0x8000;
    let low = low & !(0b11 << 62) | 0b10 << 62;
    let (a, b, c) = (high >> 32, high >> 16 & 0xffff, high & 0xffff);
    format!("{a:08x}-{b:04x}-{c:04x}-{:04x}-{:012x}", low >> 48, low & 0xffff_ffff_ffff)
}

/// The session that an attempt worked in, by its own account.
pub(super) fn take(session: &mut Session, report: &Report, at: Timestamp) {
    session.context_usage_percent = report.context_usage_percent.or(session.context_usage_percent);
    let Some(id) = &report.session_id else { return };
    if session.current.as_ref() == Some(id) {
        session.iterations += 1;
        return;
    }
    if let (Some(old), Some(started_at)) = (session.current.take(), session.started_at) {
        session.history.push_back(SessionRecord {
            session_id: old,
            started_at,
            ended_at: at,
            iterations: session.iterations,
        });
        while session.history.len() > SESSION_HISTORY_MAX {
            session.history.pop_front();
        }
    }
    session.current = Some(id.clone());
    session.started_at = Some(at);
    session.iterations = 1;
    session.samples.clear();
    (session.usage, session.cost_microusd) = (None, None);
    session.context_usage_percent = report.context_usage_percent;
}

/// Whether the conversation can go on after this.
pub(super) fn judge(session: &mut Session, intended: Option<&IntendedSession>, end: &AttemptEnd) {
    let report = end.report.as_ref();
    let heard = report.and_then(|report| report.session_id.as_ref());
    let refused = end.outcome == AttemptOutcome::Failed
        && intended.is_some_and(|intended| match &intended.from {
            Some(_) => heard.is_none(),
            None => intended.resumed && heard != Some(&intended.id),
        });
    let full = report.is_some_and(|report| report.error_class == Some(ErrorClass::ContextFull));
    session.spent = refused || full;
    session.usage = report.and_then(|report| report.session_usage).or(session.usage);
    session.cost_microusd = report.and_then(|report| report.session_cost_microusd).or(session.cost_microusd);
}

/// Whether the session gives way to a fresh one after this attempt.
pub(super) fn consider_reboot(state: &mut State, end: &AttemptEnd, at: Timestamp) {
    // An attempt that came to an end has read what it was handed.
    if !matches!(end.outcome, AttemptOutcome::Cancelled | AttemptOutcome::NotStartable) {
        state.session.handoff = None;
    }
    if state.config.session == SessionPolicy::Fresh {
        return;
    }
    let session = &mut state.session;
    if let (Some(percent), Some(report)) = (session.context_usage_percent, &end.report) {
        let quality = report.summary.as_deref().map(output_quality);
        session.samples.push_back(ContextSample { percent, quality, latency_ms: Some(end.duration_ms) });
        while session.samples.len() > SAMPLES_MAX {
            session.samples.pop_front();
        }
    }
    let samples: Vec<_> = session.samples.iter().copied().collect();
    let summary = end.report.as_ref().and_then(|report| report.summary.as_deref()).unwrap_or_default();
    let view = SessionView {
        percent: session.context_usage_percent,
        degraded: is_degraded(&state.config.redline, &samples),
        iterations: session.iterations,
        age_ms: session.started_at.map_or(0, |started| at.millis_since(started)),
        output: summary,
        asked: state.requests.reboot,
        broken: session.spent.then_some("it cannot be continued"),
    };
    let history: Vec<_> = session.reboots.iter().copied().collect();
    match decide_reboot(&state.config.reboot, &state.config.redline, &view, &history, at) {
        RebootDecision::Reboot(reason) | RebootDecision::Ask(reason) => reboot(state, reason, at),
        RebootDecision::Stay | RebootDecision::Later(..) | RebootDecision::GiveUp { .. } => {}
    }
}

/// The next attempt begins a fresh session, and is told what the old one knew.
pub(super) fn reboot(state: &mut State, reason: RebootReason, at: Timestamp) {
    state.requests.reboot = false;
    // Without a session there is nothing to leave.
    if state.session.current.is_none() {
        return;
    }
    state.session.spent = true;
    state.session.handoff = Some(reason);
    state.counters.reboots += 1;
    hooking::pass(state, HookPoint::PreReboot);
    state.session.reboots.push_back(RebootRecord { at, iteration: state.work.iteration, succeeded: true });
    while state.session.reboots.len() > REBOOTS_MAX {
        state.session.reboots.pop_front();
    }
}
