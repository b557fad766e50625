//! What follows from how an attempt ended: for its iteration, for what the guard found, and for the session.

use super::context::{ContextSample, is_degraded, output_quality, read};
use super::reboot::{RebootDecision, SessionView, decide_reboot};
use crate::Timestamp;
use crate::event::Event;
use crate::loop_machine::apply::take_session;
use crate::loop_machine::config::SessionPolicy;
use crate::loop_machine::facts::{
    AttemptEnd, AttemptOutcome, ErrorClass, IntendedSession, Left, ReportStatus, Snapshot,
};
use crate::loop_machine::guard::{Finding, GuardMode, Verdict};
use crate::loop_machine::state::{Next, Open, Session, State};
use crate::loop_machine::verdict::{AttemptRuling, SessionRuling};
use crate::status::Reason;

/// What follows from `end`: the ruling, and what becomes of the session after it, if anything does.
pub(in crate::loop_machine) fn attempt(
    state: &State,
    end: &AttemptEnd,
    now: Timestamp,
) -> (AttemptRuling, Option<Event>) {
    let hold = hold_of(end);
    // Who says that the work is done has come to its end, whatever the provider says of the next attempt.
    let says_done = end.report.as_ref().is_some_and(|report| report.status == Some(ReportStatus::Done));
    let counts = has_run(end) && (hold.is_none() || says_done);
    // What was cut short is judged once somebody has brought it to its end, or gave it up.
    let given_up = end.outcome == AttemptOutcome::Cancelled && state.requests.skip;
    let found = end.guard.as_ref().map(|report| about(state.config.guard, &report.findings));
    let guard = found.filter(|_| counts || given_up);
    let unseen = end.outcome != AttemptOutcome::NotStartable && is_unseen(state, &end.snapshot);
    let next = if given_up {
        Next::Verdict
    } else if !counts || unseen {
        // What nobody saw cannot be judged: the next attempt is compared with the tree before both.
        Next::Attempt
    } else if state.config.needs_checks() || guard == Some(Verdict::Refused) {
        Next::Checks
    } else {
        Next::Verdict
    };
    let failed = (counts && hold.is_none()).then_some(end.outcome != AttemptOutcome::Succeeded);
    let (session, then) = session(state, end, now);
    let unkept = guard == Some(Verdict::Refused);
    (AttemptRuling { next, counts, failed, hold, guard, unseen, unkept, session }, then)
}

/// What follows from an attempt of which only this is known: another one, once its policy says so. Nobody knows whether its
/// agent read what it was told, nor in which session.
pub(in crate::loop_machine) fn lost(state: &State, left: &Left) -> AttemptRuling {
    AttemptRuling {
        next: Next::Attempt,
        counts: false,
        failed: Some(true),
        hold: Some(Reason::AttemptLost),
        guard: None,
        unseen: is_unseen(state, &left.snapshot),
        unkept: false,
        session: SessionRuling::default(),
    }
}

/// Whether the guard was to look at a tree and could not.
fn is_unseen(state: &State, left: &Option<Snapshot>) -> bool {
    left.is_none() && state.config.guard != GuardMode::Off
}

/// What becomes of findings where the run has this mode.
pub(super) fn about(mode: GuardMode, findings: &[Finding]) -> Verdict {
    let blocks = findings.iter().any(|finding| finding.blocking);
    match (blocks, mode) {
        (true, GuardMode::Block) => Verdict::Refused,
        (true, GuardMode::Ask) => Verdict::Asked,
        (false, _) | (true, GuardMode::Report | GuardMode::Off) => Verdict::Reported,
    }
}

/// Whether its agent ran until it or its time was over, so that it has read what it was told.
fn has_run(end: &AttemptEnd) -> bool {
    match end.outcome {
        AttemptOutcome::Cancelled | AttemptOutcome::NotStartable => false,
        AttemptOutcome::Succeeded
        | AttemptOutcome::Failed
        | AttemptOutcome::TimedOut
        | AttemptOutcome::Hung => true,
    }
}

/// What must pass before this attempt's iteration is tried again.
fn hold_of(end: &AttemptEnd) -> Option<Reason> {
    if end.outcome == AttemptOutcome::NotStartable {
        return Some(Reason::Environment);
    }
    match end.report.as_ref().and_then(|report| report.error_class)? {
        ErrorClass::Auth => Some(Reason::Auth),
        ErrorClass::RateLimit => Some(Reason::RateLimit),
        ErrorClass::Overloaded => Some(Reason::Overloaded),
        // What it may not do now it may not do next time either.
        ErrorClass::Permission if end.outcome == AttemptOutcome::Failed => Some(Reason::Environment),
        ErrorClass::ContextFull | ErrorClass::Permission | ErrorClass::Hang | ErrorClass::Crash => None,
    }
}

fn session(state: &State, end: &AttemptEnd, now: Timestamp) -> (SessionRuling, Option<Event>) {
    let intended = match &state.work.open {
        Some(Open::Attempt(open)) => open.session.as_ref(),
        Some(Open::Checks(_) | Open::Hooks(_) | Open::Commit(_) | Open::Review(_)) | None => None,
    };
    let is_fork = state.config.session == SessionPolicy::Fork;
    // What a failed attempt talked about is not built on.
    let taken = end.report.is_some() && (!is_fork || end.outcome == AttemptOutcome::Succeeded);
    let continued = is_continued(state, intended, end);
    let (read, spent) = (has_run(end), is_spent(intended, end));
    let mut ruling = SessionRuling { read, taken, continued, spent, sample: None };
    let mut session = state.session.clone();
    take_session(&mut session, end, &ruling, now);
    ruling.sample = sample(state, &session, end);
    if state.config.session == SessionPolicy::Fresh {
        return (ruling, None);
    }
    session.samples.extend(ruling.sample);
    (ruling.clone(), next_session(state, &session, ruling.spent, end, now))
}

/// Whether the attempt worked in the session that it was given and did not say so. One that found it full did.
fn is_continued(state: &State, intended: Option<&IntendedSession>, end: &AttemptEnd) -> bool {
    state.config.session == SessionPolicy::Continue
        && state.session.goes_on().is_some()
        && heard(end).is_none()
        && has_run(end)
        && (!is_refused(intended, end) || is_full(end))
}

/// Whether the conversation cannot go on after this: its agent would not continue it, or says that it is full.
fn is_spent(intended: Option<&IntendedSession>, end: &AttemptEnd) -> bool {
    is_refused(intended, end) || is_full(end)
}

fn is_refused(intended: Option<&IntendedSession>, end: &AttemptEnd) -> bool {
    end.outcome == AttemptOutcome::Failed
        && intended.is_some_and(|intended| match &intended.from {
            Some(_) => heard(end).is_none(),
            None => intended.resumed && heard(end) != Some(&intended.id),
        })
}

fn is_full(end: &AttemptEnd) -> bool {
    end.report.as_ref().and_then(|report| report.error_class) == Some(ErrorClass::ContextFull)
}

/// The session that the agent named.
fn heard(end: &AttemptEnd) -> Option<&String> {
    end.report.as_ref().and_then(|report| report.session_id.as_ref())
}

/// How full the session is after this attempt, by what its agent reports, else by an estimate.
fn sample(state: &State, session: &Session, end: &AttemptEnd) -> Option<ContextSample> {
    let report = end.report.as_ref();
    let reported = report.and_then(|report| report.context_usage_percent);
    // A fresh session holds what was said in this attempt and nothing of those before it.
    let is_fresh = state.config.session == SessionPolicy::Fresh;
    let (reported, said_before, samples) = match is_fresh {
        true => (reported, 0, Vec::new()),
        false => (
            reported.or(session.context_usage_percent),
            session.said_bytes,
            session.samples.iter().copied().collect(),
        ),
    };
    let said = end.said_bytes.map(|bytes| said_before.saturating_add(bytes));
    let reading = read(reported, said, state.config.redline.window_tokens, &samples)?;
    let quality = report.and_then(|report| report.summary.as_deref()).map(output_quality);
    Some(ContextSample { percent: reading.percent, quality, latency_ms: Some(end.duration_ms) })
}

/// Whether the session gives way to a fresh one after this attempt, or a person is asked whether it may.
fn next_session(
    state: &State,
    session: &Session,
    spent: bool,
    end: &AttemptEnd,
    now: Timestamp,
) -> Option<Event> {
    session.current.as_ref()?;
    let samples: Vec<_> = session.samples.iter().copied().collect();
    let view = SessionView {
        percent: samples.last().map(|sample| sample.percent),
        degraded: is_degraded(&state.config.redline, &samples),
        iterations: session.iterations,
        age_ms: session.started_at.map_or(0, |started| now.millis_since(started)),
        report: end.report.as_ref(),
        asked: state.requests.reboot,
        broken: spent.then_some("it cannot be continued"),
    };
    let history: Vec<_> = session.reboots.iter().copied().collect();
    match decide_reboot(&state.config.reboot, &state.config.redline, &view, &history, now) {
        RebootDecision::Reboot(reason) => Some(Event::SessionRebooted { reason }),
        RebootDecision::Ask(reason) => Some(Event::RebootProposed { reason }),
        // It is said once.
        RebootDecision::GiveUp { failures } => {
            session.given_up.is_none().then_some(Event::RebootsGivenUp { failures })
        }
        RebootDecision::Stay | RebootDecision::Later(..) => None,
    }
}
