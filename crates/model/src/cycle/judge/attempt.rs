//! What becomes of a role after an attempt.

use crate::Timestamp;
use crate::cycle::begin::with_followers;
use crate::cycle::config::{Role, RoleName};
use crate::cycle::facts::{
    Blocker, BlockerStatus, Decision, Feedback, FeedbackKind, PhaseStatus, RoleEnd, RoleVerdict, Ruling,
};
use crate::cycle::limits::{DECISIONS_MAX, LOST_MAX, SENT_BACK_MAX, TRIES_MAX};
use crate::cycle::state::{RoleState, State, TimelineFact};
use crate::limits::{TEXT_BYTES_MAX, clip};
use crate::loop_machine::{AttemptOutcome, GuardMode, GuardReport, Left, Verdict};
use crate::status::Reason;
use crate::workflow::Hold;

/// What follows from the end of an attempt.
pub(in crate::cycle) fn finished(state: &State, index: usize, end: &RoleEnd, now: Timestamp) -> Ruling {
    let (role, at) = (&state.config.roles[index], &state.roles[index]);
    let mut ruling = Ruling {
        status: status(role, end),
        errors: errors(role, end),
        guard: found(end.guard.as_ref()),
        feedback: end.handed_in.feedback.clone(),
        blockers: blockers(state, role, end),
        resolved: Vec::new(),
        decisions: decisions(state, end),
        asked: Vec::new(),
        again: Vec::new(),
        verdict: RoleVerdict::Done,
    };
    ruling.errors.extend(told_nobody(state, &mut ruling.feedback));
    ruling.verdict = match end.outcome {
        AttemptOutcome::Cancelled => free(None),
        AttemptOutcome::NotStartable => RoleVerdict::Halt { reason: Reason::Environment },
        _ => match end.hold {
            Some(Hold { reason: Reason::RateLimit | Reason::Overloaded, until }) => {
                free(Some(until.unwrap_or_else(|| now.plus_millis(pause_ms(state, at, end)))))
            }
            Some(Hold { reason, .. }) => RoleVerdict::Halt { reason },
            None => by_its_work(state, index, end, &mut ruling, now),
        },
    };
    if ruling.verdict == RoleVerdict::Done && ruling.status == PhaseStatus::Completed {
        ruling.resolved = resolved(state, index, end);
    }
    ruling
}

/// What is for a role that is not there reaches nobody: it is taken out, and said.
fn told_nobody(state: &State, feedback: &mut Vec<Feedback>) -> Vec<String> {
    let is_there = |entry: &Feedback| state.place(&entry.target).is_some();
    let lost: Vec<Feedback> = feedback.extract_if(.., |entry| !is_there(entry)).collect();
    let team: Vec<&str> = state.config.roles.iter().map(|role| role.name.as_str()).collect();
    let said = |entry: Feedback| {
        let error = format!(
            "it tells `{}` something, which is no role and does not hear it; the roles are {}: {}",
            entry.target,
            team.join(", "),
            entry.content
        );
        clip(&error, TEXT_BYTES_MAX).to_owned()
    };
    lost.into_iter().map(said).collect()
}

/// What follows from the loss of an attempt.
pub(in crate::cycle) fn lost(state: &State, index: usize, left: &Left, now: Timestamp) -> Ruling {
    let (role, at) = (&state.config.roles[index], &state.roles[index]);
    let mut ruling = Ruling {
        status: PhaseStatus::Unknown,
        errors: vec!["its process was lost, and what it came to cannot be known".to_owned()],
        guard: found(left.guard.as_ref()),
        feedback: Vec::new(),
        blockers: Vec::new(),
        resolved: Vec::new(),
        decisions: Vec::new(),
        asked: Vec::new(),
        again: Vec::new(),
        verdict: free(None),
    };
    if at.lost + 1 >= LOST_MAX {
        ruling.verdict = RoleVerdict::Halt { reason: Reason::AttemptLost };
        ruling.errors.push(format!(
            "its process was lost {} times in a row; `piton resume {}` starts it again",
            at.lost + 1,
            state.run
        ));
    } else if let Some(found) = refused(state, left.guard.as_ref()) {
        // What it left counts as a try, as any other that is refused.
        refuse(state, role, found, &mut ruling, now);
        ruling.verdict = again_or_fail(state, at, Reason::Guard, &ruling, role);
    }
    ruling
}

/// A failure is tried again with what is known of it; a refusal by the guard, too; a role that is blocked asks those whom
/// it tells.
fn by_its_work(
    state: &State,
    index: usize,
    end: &RoleEnd,
    ruling: &mut Ruling,
    now: Timestamp,
) -> RoleVerdict {
    let (role, at) = (&state.config.roles[index], &state.roles[index]);
    if let Some(found) = refused(state, end.guard.as_ref()) {
        refuse(state, role, found, ruling, now);
        return again_or_fail(state, at, Reason::Guard, ruling, role);
    }
    if ruling.status == PhaseStatus::Failed && !says_no(role, end) {
        ruling.verdict = RoleVerdict::Again { not_before: None, free: false, restore: None };
        return again_or_fail(state, at, Reason::FailureStreak, ruling, role);
    }
    let is_stuck = ruling.status == PhaseStatus::Blocked;
    let asks = is_stuck || !ruling.blockers.is_empty();
    let has_whom = !role.feedback_to.is_empty() && !end.handed_in.asks_person;
    if asks && at.sent_back < SENT_BACK_MAX && has_whom {
        ruling.asked.clone_from(&role.feedback_to);
        ruling.again = work_again(state, role);
        ruling.feedback.extend(questions(role, end, now));
        return RoleVerdict::Waits;
    }
    if is_stuck {
        ruling.errors.push(stuck(state, role, at, end.handed_in.asks_person));
        return RoleVerdict::Halt { reason: Reason::Blocked };
    }
    if asks && has_whom {
        ruling.errors.push(format!(
            "it asks {} still, after {} times in this iteration; the rest waits for the next one, or for you: \
             `piton cycle blocker {}` lists it",
            names(&role.feedback_to),
            at.sent_back,
            state.run
        ));
    }
    RoleVerdict::Done
}

/// A role that is blocked and can ask nobody any more, with what to do.
fn stuck(state: &State, role: &Role, at: &RoleState, asks_person: bool) -> String {
    let why = match role.feedback_to.is_empty() {
        _ if asks_person => "it is blocked, and asks a person".to_owned(),
        true => "it is blocked, and has nobody to ask".to_owned(),
        false => {
            format!("it is blocked still, after asking {} {} times", names(&role.feedback_to), at.sent_back)
        }
    };
    format!("{why}; a person is needed: `piton answer {}` says what for", state.run)
}

fn names(roles: &[RoleName]) -> String {
    let names: Vec<&str> = roles.iter().map(RoleName::as_str).collect();
    names.join(", ")
}

/// Whoever is asked, and all that worked after them in this iteration: what they did rests on what is asked about.
fn work_again(state: &State, role: &Role) -> Vec<RoleName> {
    let affected = with_followers(&state.config.roles, &role.feedback_to);
    let worked = |name: &RoleName| state.role(name).is_some_and(|at| at.turns > 0);
    affected.into_iter().filter(|name| role.feedback_to.contains(name) || worked(name)).collect()
}

fn again_or_fail(state: &State, at: &RoleState, reason: Reason, ruling: &Ruling, role: &Role) -> RoleVerdict {
    if at.tries < TRIES_MAX {
        return ruling.verdict.clone();
    }
    let restore = match &ruling.verdict {
        RoleVerdict::Again { restore, .. } => restore.clone(),
        _ => None,
    };
    let last = ruling.errors.last().map_or("no reason given", String::as_str);
    let how = restore.as_ref().map_or_else(String::new, |_| {
        format!(" (what was refused is still in the tree; `piton resume {}` puts it back first)", state.run)
    });
    let error = format!("role `{}` failed {} times{how}: {last}", role.name, at.tries);
    RoleVerdict::Fail { reason, error: clip(&error, TEXT_BYTES_MAX).to_owned(), restore }
}

fn free(not_before: Option<Timestamp>) -> RoleVerdict {
    RoleVerdict::Again { not_before, free: true, restore: None }
}

/// How long a provider that refused is left alone: each time twice as long.
fn pause_ms(state: &State, at: &RoleState, end: &RoleEnd) -> u64 {
    let backoff = &state.config.backoff;
    let first = match end.hold {
        Some(Hold { reason: Reason::Overloaded, .. }) => backoff.overloaded_ms,
        _ => backoff.rate_limit_ms,
    };
    first.saturating_mul(1 << at.refusals.min(20)).min(backoff.max_ms)
}

/// What the phase came to. An exit code of 0 without a word is unknown, and goes on.
fn status(role: &Role, end: &RoleEnd) -> PhaseStatus {
    let said = end.handed_in.result.as_ref().map(|result| result.status);
    match (end.outcome, said) {
        _ if end.handed_in.unusable => PhaseStatus::Failed,
        // Whoever was asked to hand in what there is, and did, has done a part.
        (AttemptOutcome::TimedOut, Some(PhaseStatus::Completed | PhaseStatus::Partial)) => {
            PhaseStatus::Partial
        }
        (AttemptOutcome::Succeeded, Some(PhaseStatus::Pending) | None) => PhaseStatus::Unknown,
        (AttemptOutcome::Succeeded, Some(PhaseStatus::Completed)) if role.validates && finds_issues(end) => {
            PhaseStatus::Partial
        }
        (AttemptOutcome::Succeeded, Some(said)) => said,
        _ => PhaseStatus::Failed,
    }
}

/// Whether a validator has looked, and says that not all is well: that is its work, and it is done.
fn says_no(role: &Role, end: &RoleEnd) -> bool {
    let said = end.handed_in.result.as_ref().map(|result| result.status);
    let has_looked = end.outcome == AttemptOutcome::Succeeded && !end.handed_in.unusable;
    role.validates && has_looked && said == Some(PhaseStatus::Failed)
}

/// Whether a validator that calls its phase completed names something that is wrong all the same.
fn finds_issues(end: &RoleEnd) -> bool {
    let fields = end.handed_in.result.as_ref().map(|result| &result.fields);
    let critical = fields.and_then(|fields| fields.get("critical_issues")).map(|count| count.trim());
    critical.is_some_and(|count| count.parse::<u32>().is_ok_and(|count| count > 0))
}

/// What went wrong, each as a sentence that says what to do.
fn errors(role: &Role, end: &RoleEnd) -> Vec<String> {
    let mut errors = end.handed_in.problems.clone();
    let failed = end.outcome != AttemptOutcome::Succeeded && end.outcome != AttemptOutcome::Cancelled;
    if failed {
        errors.push(end.message.clone().unwrap_or_else(|| format!("its attempt ended as {}", end.outcome)));
    }
    let said = end.handed_in.result.as_ref().map(|result| result.status);
    if said == Some(PhaseStatus::Failed) && !role.validates {
        errors.push(match &end.said {
            Some(said) => format!("it says that it failed: {said}"),
            None => "it says that it failed, and not why".to_owned(),
        });
    }
    errors.iter_mut().for_each(|error| *error = clip(error, TEXT_BYTES_MAX).to_owned());
    errors
}

/// What becomes of what the guard found, unless the attempt is refused for it.
fn found(guard: Option<&GuardReport>) -> Option<Verdict> {
    guard.filter(|guard| !guard.findings.is_empty()).map(|_| Verdict::Reported)
}

/// Findings of the guard that block, where the run acts on them.
fn refused<'a>(state: &State, guard: Option<&'a GuardReport>) -> Option<Vec<&'a crate::Finding>> {
    let acts = matches!(state.config.guard, GuardMode::Block | GuardMode::Ask);
    let found: Vec<_> = guard?.findings.iter().filter(|finding| finding.blocking).collect();
    (acts && !found.is_empty()).then_some(found)
}

/// What the guard found becomes a bug report to the role, and its files are put back.
fn refuse(state: &State, role: &Role, found: Vec<&crate::Finding>, ruling: &mut Ruling, now: Timestamp) {
    for finding in &found {
        ruling.errors.push(format!("refused by the guard: {}", finding.sentence()));
        ruling.feedback.push(Feedback {
            at: now,
            source: "guard".to_owned(),
            target: role.name.clone(),
            content: format!("{} {}", finding.sentence(), finding.undo),
            kind: FeedbackKind::BugReport,
        });
    }
    (ruling.status, ruling.guard) = (PhaseStatus::Failed, Some(Verdict::Refused));
    let restore = state.current.before.as_ref().map(|before| before.id.clone());
    ruling.verdict = RoleVerdict::Again { not_before: None, free: false, restore };
}

fn blockers(state: &State, role: &Role, end: &RoleEnd) -> Vec<Blocker> {
    let is_known = |text: &String| {
        let is_it = |known: &&Blocker| known.status == BlockerStatus::Open && known.description == *text;
        state.blockers.iter().any(|known| is_it(&known))
    };
    // Whoever is blocked is blocked by something: what it waits for has a name.
    let said_nothing = status(role, end) == PhaseStatus::Blocked && end.handed_in.blockers.is_empty();
    let unnamed = said_nothing.then(|| cannot_go_on(role, end));
    let all: Vec<String> = end.handed_in.blockers.iter().cloned().chain(unnamed).collect();
    let new = all.iter().filter(|text| !is_known(text)).take(DECISIONS_MAX);
    let named = new.enumerate().map(|(index, text)| Blocker {
        id: blocker_id(state.blockers_total + index as u32 + 1),
        description: clip(text, TEXT_BYTES_MAX).to_owned(),
        reported_by: role.name.to_string(),
        status: BlockerStatus::Open,
        resolution: None,
    });
    named.collect()
}

/// What the role said stood in its way, where it is done and does not say so again. What it reported while it worked on what
/// ends now stands: a later attempt takes it back, or a person.
fn resolved(state: &State, index: usize, end: &RoleEnd) -> Vec<Blocker> {
    let (role, at) = (&state.config.roles[index], &state.roles[index]);
    let is_of_this_attempt = |known: &Blocker| {
        let mut told = state.timeline.recent.iter().filter(|entry| at.started_at < Some(entry.at));
        told.any(|entry| matches!(&entry.fact, TimelineFact::BlockerReported { id, .. } if *id == known.id))
    };
    let is_gone = |known: &&Blocker| {
        known.status == BlockerStatus::Open
            && known.reported_by == role.name.as_str()
            && !end.handed_in.blockers.contains(&known.description)
            && !is_of_this_attempt(known)
    };
    state.blockers.iter().filter(is_gone).map(Blocker::taken_back).collect()
}

fn decisions(state: &State, end: &RoleEnd) -> Vec<Decision> {
    let new = end.handed_in.decisions.iter().take(DECISIONS_MAX).enumerate();
    let named = new.map(|(index, decision)| Decision {
        id: decision_id(state.decisions_total + index as u32 + 1),
        ..decision.clone()
    });
    named.collect()
}

/// The name of a blocker by its number.
pub(in crate::cycle) fn blocker_id(number: u32) -> String {
    format!("BLK-{number:03}")
}

/// The name of a decision by its number.
pub(in crate::cycle) fn decision_id(number: u32) -> String {
    format!("DEC-{number:03}")
}

/// What a role that is blocked asks of those whom it tells.
fn questions(role: &Role, end: &RoleEnd, now: Timestamp) -> Vec<Feedback> {
    let content = match end.handed_in.blockers.as_slice() {
        [] => cannot_go_on(role, end),
        blockers => blockers.join("\n"),
    };
    let entry = |target: &RoleName| Feedback {
        at: now,
        source: role.name.to_string(),
        target: target.clone(),
        content: clip(&content, TEXT_BYTES_MAX).to_owned(),
        kind: FeedbackKind::Clarification,
    };
    role.feedback_to.iter().map(entry).collect()
}

/// What a role that is blocked says of it, if it says nothing of what blocks it.
fn cannot_go_on(role: &Role, end: &RoleEnd) -> String {
    let said = end.said.clone().or_else(|| end.message.clone());
    said.unwrap_or_else(|| format!("{} cannot go on", role.title))
}
