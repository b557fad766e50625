//! Folding an event into the state. Total: an event in the journal is a fact, whatever the state.

use std::collections::BTreeMap;

use super::conclude::{self, conclude, conclude_skipped};
use super::config::{Raise, SessionPolicy};
use super::facts::{Answer, AttemptEnd, AttemptOutcome, ErrorClass, Note, NoteKind, QuestionKind, Report};
use super::guard::{self, GuardMode, GuardReport};
use super::hooking::{self, HookProgress};
use super::mode;
use super::reboot::RebootReason;
use super::reinforcement;
use super::state::{
    Chosen, Counters, Driver, Ended, GivenAnswer, Judged, KeptNote, Memory, Next, Open, People, Question,
    Requests, Seen, Session, State, Told, Work,
};
use super::{adoption, recovery, session};
use crate::Timestamp;
use crate::event::{Event, StopOrigin};
use crate::hook::HookPoint;
use crate::limits::{
    ANSWERS_WAITING_MAX, CUSTOM_KEYS_MAX, MARKS_MAX, MODIFIED_FILES_MAX, NOTES_MAX, OBJECTIVES_MAX, TOLD_MAX,
    clip,
};
use crate::status::{Reason, Status};

/// What is kept in a state of the message of a failed attempt.
const MESSAGE_BYTES_MAX: usize = 500;

/// The state after `event`, which happened at `at`.
///
/// The first event of a run must be [`Event::RunCreated`]; `None` comes back only when it was not.
pub fn apply(state: Option<State>, event: &Event, at: Timestamp) -> Option<State> {
    let Some(mut state) = state else { return born(event, at) };
    state.updated_at = at;
    fold(&mut state, event, at);
    Some(state)
}

fn born(event: &Event, at: Timestamp) -> Option<State> {
    let Event::RunCreated { run, kind, title, config } = event else { return None };
    let config = (**config).clone();
    let mut state = State {
        run: run.clone(),
        kind: *kind,
        title: title.clone(),
        config,
        status: Status::Created,
        reason: None,
        detail: None,
        until: None,
        since: at,
        created_at: at,
        updated_at: at,
        driver: None,
        work: Work {
            next: Next::Attempt,
            open: None,
            iteration: 0,
            attempt: 0,
            round: 0,
            before: None,
            ended: None,
            restore: None,
        },
        seen: Seen::default(),
        judged: Judged::default(),
        counters: Counters::default(),
        session: Session::default(),
        hooks: HookProgress::default(),
        memory: Memory::default(),
        people: People::default(),
        requests: Requests::default(),
    };
    if state.needs_checks() {
        state.work.next = Next::Checks;
    }
    reinforcement::begin(&mut state);
    Some(state)
}

fn fold(state: &mut State, event: &Event, at: Timestamp) {
    match event {
        // A second creation cannot be appended; if it is there all the same, the first one counts.
        Event::RunCreated { .. } => {}
        Event::DriverStarted { epoch, host, boot, pid, .. } => {
            state.driver =
                Some(Driver { epoch: *epoch, host: host.clone(), boot: boot.clone(), pid: *pid, since: at });
            if state.status == Status::Created {
                enter(state, Status::Running, None, None, at);
                hooking::pass(state, HookPoint::LoopStart);
            }
        }
        Event::SnapshotTaken { snapshot } => {
            state.seen.start.get_or_insert_with(|| snapshot.clone());
            state.judged.trusted.get_or_insert_with(|| snapshot.clone());
            if matches!(state.work.open, Some(Open::Attempt(_))) {
                // Somebody edited the tree before the attempt began; that is not the attempt's work.
                state.work.before = Some(snapshot.clone());
            }
            state.seen.snapshot = Some(snapshot.clone());
        }
        Event::ChecksStarted { round } => {
            state.work.round = *round;
            state.work.open = Some(Open::Checks(*round));
        }
        Event::ChecksFinished { round } => conclude::checks_finished(state, round),
        Event::ChecksReused { .. } => conclude(state),
        Event::AttemptStarted { attempt } => {
            if attempt.iteration != state.work.iteration {
                state.work.before = state.seen.snapshot.clone();
            }
            state.work.iteration = attempt.iteration;
            state.work.attempt = attempt.number;
            state.work.ended = None;
            state.hooks.ended = false;
            reinforcement::iteration_began(state);
            for told in &mut state.people.told {
                told.attempt.get_or_insert(attempt.number);
            }
            state.work.open = Some(Open::Attempt(attempt.clone()));
        }
        Event::AttemptFinished { attempt, end } => attempt_finished(state, *attempt, end, at),
        Event::AttemptAbandoned { attempt } => {
            state.work.open = None;
            state.work.next = Next::Attempt;
            state.requests.skip = false;
            untell(state, *attempt);
        }
        Event::HooksStarted { call } => hooking::started(state, call),
        Event::HooksFinished { end } => {
            add_note(state, "", &end.set);
            hooking::finished(state, end);
        }
        Event::ModeSwitched { from, to, why } => mode::switched(state, *from, *to, why, at),
        Event::AttemptLost { attempt, .. } => {
            state.work.open = None;
            state.work.next = Next::Attempt;
            state.requests.skip = false;
            state.counters.lost += 1;
            state.counters.failures_in_a_row += 1;
            state.counters.cost_unknown += 1;
            state.counters.tokens_unknown += 1;
            state.work.ended = Some(Ended {
                outcome: AttemptOutcome::Failed,
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
                hold: Some(Reason::AttemptLost),
            });
            untell(state, *attempt);
            hooking::pass(state, HookPoint::OnError);
        }
        Event::QuestionAsked { question, kind, text, digest } => {
            state.people.questions_asked = *question;
            if mode::is_own(*kind) {
                mode::asked(state);
            } else {
                state.seen.report = None;
                state.work.ended = None;
            }
            state.people.questions.push(Question {
                number: *question,
                kind: *kind,
                text: text.clone(),
                digest: digest.clone(),
                since: at,
            });
        }
        Event::QuestionClosed { question, answer, comment } => {
            take_answer(state, *question);
            let kind =
                state.people.questions.iter().find(|open| open.number == *question).map(|open| open.kind);
            state.people.questions.retain(|open| open.number != *question);
            question_closed(state, kind, *answer, comment.as_deref(), at);
        }
        Event::AnswerRefused { question, .. } => take_answer(state, *question),
        Event::RecoveryAdvanced { recovery, step } => recovery::take(state, *recovery, step, at),
        Event::RunWaiting { reason, until } => {
            let_go(state);
            enter(state, Status::Waiting, Some(*reason), None, at);
            state.until = *until;
        }
        Event::RunPaused {} => {
            state.requests.pause = false;
            enter(state, Status::Paused, Some(Reason::Human), None, at);
        }
        Event::RunResumed { raise } => {
            raise_limits(state, raise);
            // Who goes on after the deadline means to.
            state.config.limits.deadline = state.config.limits.deadline.filter(|deadline| *deadline > at);
            state.requests.resume = None;
            state.requests.stop = None;
            state.requests.pause = false;
            hooking::resumed(state);
            if matches!(state.status, Status::Stopped | Status::Failed) {
                state.counters.failures_in_a_row = 0;
                state.counters.no_progress_in_a_row = 0;
            }
            enter(state, Status::Running, None, None, at);
        }
        Event::RunStopped { reason, detail } => rest(state, Status::Stopped, *reason, detail.clone(), at),
        Event::RunFailed { reason, detail } => rest(state, Status::Failed, *reason, detail.clone(), at),
        Event::RunCompleted { reason } => rest(state, Status::Completed, *reason, None, at),

        // Of pause, stop and resume the last one asked for counts.
        Event::PauseRequested {} => {
            state.requests.pause = true;
            state.requests.resume = None;
        }
        Event::RebootRequested {} => {
            state.requests.reboot = true;
            if !matches!(state.work.open, Some(Open::Attempt(_))) {
                session::reboot(state, RebootReason::Manual, at);
            }
        }
        Event::SkipRequested {} => state.requests.skip |= state.can_skip(),
        Event::StopRequested { now, origin } => {
            let now = *now || matches!(state.requests.stop, Some((true, _)));
            state.requests.stop = Some((now, *origin));
            state.requests.resume = None;
        }
        Event::ResumeRequested { raise } => {
            state.requests.resume = Some(raise.clone());
            state.requests.pause = false;
            state.requests.stop = None;
        }
        Event::ModeRequested { mode, break_at } => {
            state.requests.mode = mode.or(state.requests.mode);
            mode::break_at(state, *break_at);
        }
        Event::AnswerGiven { question, answer, comment, seen } => {
            // A flood of answers must not make a decision larger than an append; the first ones count.
            if state.requests.answers.len() < ANSWERS_WAITING_MAX {
                state.requests.answers.push(GivenAnswer {
                    question: *question,
                    answer: *answer,
                    comment: comment.clone(),
                    seen: seen.clone(),
                });
            }
        }
        Event::AgentTold { text } => tell(state, text),
        Event::RunAdopted { adoption } => adoption::take(state, adoption),
        Event::NoteAdded { text, set } => add_note(state, text, set),
        Event::BestChosen { iteration, reason } => {
            let chosen = Chosen { iteration: *iteration, reason: reason.clone(), at };
            state.people.chosen = Some(chosen).filter(|_| *iteration > 0);
        }
        Event::FindingMarked { finding, false_positive } => {
            if state.people.marks.len() < MARKS_MAX || state.people.marks.contains_key(finding) {
                state.people.marks.insert(finding.clone(), *false_positive);
            }
        }
        Event::CheckpointTaken { .. } => {}
    }
}

fn enter(state: &mut State, status: Status, reason: Option<Reason>, detail: Option<String>, at: Timestamp) {
    if matches!(state.status, Status::Waiting) {
        state.counters.waiting_ms = state.counters.waiting_ms.saturating_add(at.millis_since(state.since));
    }
    state.status = status;
    state.reason = reason;
    state.detail = detail;
    state.until = None;
    state.since = at;
}

fn rest(state: &mut State, status: Status, reason: Reason, detail: Option<String>, at: Timestamp) {
    // Whoever asked it to go on while it gave up has not been heard yet.
    let Requests { answers, resume, mode, .. } = std::mem::take(&mut state.requests);
    state.requests = Requests { answers, resume, mode, ..Requests::default() };
    let_go(state);
    enter(state, status, Some(reason), detail, at);
}

/// The rest serves what the last attempt was held for. What became of a lost attempt is still to be
/// settled after any rest.
fn let_go(state: &mut State) {
    if let Some(ended) = &mut state.work.ended
        && ended.hold != Some(Reason::AttemptLost)
    {
        ended.hold = None;
    }
}

fn attempt_finished(state: &mut State, attempt: u32, end: &AttemptEnd, at: Timestamp) {
    let intended = match state.work.open.take() {
        Some(Open::Attempt(open)) => open.session,
        _ => None,
    };
    state.counters.working_ms = state.counters.working_ms.saturating_add(end.duration_ms);
    // A tree that nobody saw is not the tree from before: no verdict holds for it.
    if end.snapshot.is_some() || end.outcome != AttemptOutcome::NotStartable {
        state.seen.snapshot = end.snapshot.clone();
    }
    let hold = hold_of(end);
    // What was cut short is judged once somebody has brought it to its end, or gave it up.
    let is_over = match end.outcome {
        AttemptOutcome::Cancelled => state.requests.skip,
        AttemptOutcome::NotStartable => false,
        AttemptOutcome::Succeeded
        | AttemptOutcome::Failed
        | AttemptOutcome::TimedOut
        | AttemptOutcome::Hung => hold.is_none(),
    };
    let judged = end.guard.as_ref().filter(|_| is_over);
    let refused = judged.is_some_and(|report| guard::take(state, report));
    if let Some(change) = end.change.as_ref().filter(|_| !refused) {
        remember_files(&mut state.seen.modified_files, &change.files);
        let lines = change.added.saturating_add(change.removed);
        state.counters.lines_changed = state.counters.lines_changed.saturating_add(lines);
    }
    charge(&mut state.counters, end);
    if let Some(report) = &end.report {
        take_report(state, report);
        let fork = state.config.session == SessionPolicy::Fork;
        // What a failed attempt talked about is not built on.
        if !fork || end.outcome == AttemptOutcome::Succeeded {
            session::take(&mut state.session, report, at);
        }
    }
    session::judge(&mut state.session, intended.as_ref(), end);
    let handed_on = state.session.handoff.is_some();
    session::consider_reboot(state, end, at);
    pass_after_attempt(state, end.outcome, handed_on);
    let blocks = judged.is_some_and(GuardReport::blocks);
    if refused {
        state.work.restore = state.work.before.clone();
    }
    state.work.ended = Some(Ended {
        outcome: end.outcome,
        message: end.message.as_deref().map(|text| clip(text, MESSAGE_BYTES_MAX).to_owned()),
        duration_ms: end.duration_ms,
        added: end.change.as_ref().map_or(0, |change| change.added),
        removed: end.change.as_ref().map_or(0, |change| change.removed),
        report: end.report.clone(),
        tests: judged.map(|report| report.tests),
        refused,
        left: end.snapshot.clone().filter(|_| refused),
        doubted: blocks && state.config.guard == GuardMode::Ask,
        artifacts: end.change.as_ref().map_or_else(Vec::new, |change| change.artifacts.clone()),
        hold,
    });
    if hold.is_some_and(|reason| matches!(reason, Reason::RateLimit | Reason::Overloaded)) {
        state.counters.refusals_in_a_row += 1;
    } else {
        state.counters.refusals_in_a_row = 0;
    }
    match end.outcome {
        AttemptOutcome::Cancelled => {
            untell(state, attempt);
            state.work.next = Next::Attempt;
            if state.requests.skip {
                conclude_skipped(state);
            }
            if state.work.restore.is_some() {
                state.work.next = Next::Checks;
            }
        }
        AttemptOutcome::NotStartable => {
            untell(state, attempt);
            state.requests.skip = false;
            state.detail = end.message.clone();
            state.work.next = Next::Attempt;
        }
        AttemptOutcome::Succeeded
        | AttemptOutcome::Failed
        | AttemptOutcome::TimedOut
        | AttemptOutcome::Hung => {
            if hold.is_some() {
                untell(state, attempt);
                state.requests.skip = false;
                state.work.next = Next::Attempt;
                return;
            }
            if end.outcome == AttemptOutcome::Succeeded {
                state.counters.failures_in_a_row = 0;
            } else {
                state.counters.failures_in_a_row += 1;
            }
            state.people.told.retain(|told| told.attempt != Some(attempt));
            state.work.next = Next::Checks;
            if !state.needs_checks() && state.work.restore.is_none() {
                conclude(state);
            }
        }
    }
}

/// The points that an attempt passes with its end.
fn pass_after_attempt(state: &mut State, outcome: AttemptOutcome, handed_on: bool) {
    if outcome != AttemptOutcome::NotStartable {
        hooking::pass(state, HookPoint::PostSession);
        if handed_on && outcome != AttemptOutcome::Cancelled {
            hooking::pass(state, HookPoint::PostReboot);
        }
    }
    if !matches!(outcome, AttemptOutcome::Succeeded | AttemptOutcome::Cancelled) {
        hooking::pass(state, HookPoint::OnError);
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

fn charge(counters: &mut Counters, end: &AttemptEnd) {
    if end.outcome == AttemptOutcome::NotStartable {
        return;
    }
    match end.report.as_ref().and_then(|report| report.cost_microusd) {
        Some(cost) => counters.cost_microusd = counters.cost_microusd.saturating_add(cost),
        None => counters.cost_unknown += 1,
    }
    match end.report.as_ref().and_then(|report| report.usage) {
        Some(usage) => {
            let used = usage.input_tokens.saturating_add(usage.output_tokens);
            counters.tokens = counters.tokens.saturating_add(used);
        }
        None => counters.tokens_unknown += 1,
    }
}

fn take_report(state: &mut State, report: &Report) {
    if let Some(objectives) = &report.objectives {
        state.memory.objectives = objectives.clone();
        state.memory.objectives.completed.truncate(OBJECTIVES_MAX);
        state.memory.objectives.pending.truncate(OBJECTIVES_MAX);
    }
    for note in &report.notes {
        state.memory.notes.push_back(KeptNote { iteration: state.work.iteration, note: note.clone() });
    }
    while state.memory.notes.len() > NOTES_MAX {
        state.memory.notes.pop_front();
    }
    for (key, value) in &report.custom {
        if state.memory.custom.len() < CUSTOM_KEYS_MAX || state.memory.custom.contains_key(key) {
            state.memory.custom.insert(key.clone(), value.clone());
        }
    }
}

/// A person's note, and values to keep; `null` forgets one.
fn add_note(state: &mut State, text: &str, set: &BTreeMap<String, serde_json::Value>) {
    if !text.is_empty() {
        let note = Note { kind: NoteKind::Person, text: text.to_owned() };
        state.memory.notes.push_back(KeptNote { iteration: state.work.iteration, note });
        while state.memory.notes.len() > NOTES_MAX {
            state.memory.notes.pop_front();
        }
    }
    for (key, value) in set {
        if value.is_null() {
            state.memory.custom.remove(key);
        } else if state.memory.custom.len() < CUSTOM_KEYS_MAX || state.memory.custom.contains_key(key) {
            state.memory.custom.insert(key.clone(), value.clone());
        }
    }
}

fn remember_files(known: &mut Vec<String>, files: &[String]) {
    for file in files {
        if known.len() >= MODIFIED_FILES_MAX {
            return;
        }
        if !known.contains(file) {
            known.push(file.clone());
        }
    }
}

fn question_closed(
    state: &mut State,
    kind: Option<QuestionKind>,
    answer: Answer,
    comment: Option<&str>,
    at: Timestamp,
) {
    let stop = Some((true, StopOrigin::Command));
    if kind == Some(QuestionKind::Guard) {
        recovery::answered(state, answer);
    }
    match answer {
        // "Start another attempt?" "No." leaves nothing to go on with.
        Answer::Reject if kind == Some(QuestionKind::AttemptLost) => {
            if let Some(comment) = comment {
                tell(state, comment);
            }
            state.requests.stop = stop;
        }
        Answer::Reject if kind.is_some_and(mode::is_own) => {
            if kind == Some(QuestionKind::AfterIteration) {
                conclude::put_back(state);
                let words =
                    "A person looked at what the last iteration changed and put it back. Go on another way.";
                tell(state, comment.unwrap_or(words));
            } else {
                conclude::conclude_unstarted(state);
                comment.iter().for_each(|comment| tell(state, comment));
            }
            if state.status == Status::Waiting && state.people.questions.is_empty() {
                enter(state, Status::Running, None, None, at);
            }
        }
        Answer::Approve | Answer::Reject => {
            if kind == Some(QuestionKind::Guard) {
                conclude::guard_answered(state, answer);
            }
            if let Some(comment) = comment {
                tell(state, comment);
            } else if answer == Answer::Reject {
                tell(state, "A person looked at what you reported and said no. Go on another way.");
            }
            if state.status == Status::Waiting && state.people.questions.is_empty() {
                enter(state, Status::Running, None, None, at);
            }
        }
        Answer::Abort => state.requests.stop = stop,
    }
}

/// The oldest answer to this question was judged.
fn take_answer(state: &mut State, question: u32) {
    if let Some(index) = state.requests.answers.iter().position(|given| given.question == question) {
        state.requests.answers.remove(index);
    }
}

fn tell(state: &mut State, text: &str) {
    if state.people.told.len() >= TOLD_MAX {
        state.people.told.remove(0);
    }
    state.people.told.push(Told { text: text.to_owned(), attempt: None });
}

/// The prompt of this attempt did not reach an agent that read it to the end.
fn untell(state: &mut State, attempt: u32) {
    for told in &mut state.people.told {
        if told.attempt == Some(attempt) {
            told.attempt = None;
        }
    }
}

fn raise_limits(state: &mut State, raise: &Raise) {
    state.config.limits = state.config.limits.clone().raised(raise);
}
