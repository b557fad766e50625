//! Folding an event into the state. Total: an event in the journal is a fact, whatever the state.
//!
//! Nothing is judged here: verdicts come in events, and this copies and counts them. What a run is allowed to use and
//! which hooks it has is asked of its configuration when something is decided, never while it is folded.

mod attempt;
mod hooks;
mod iteration;
mod people;
mod recovery;
mod sessions;

pub(super) use sessions::take as take_session;

use super::adoption;
use super::config::Raise;
use super::fallback::Turn;
use super::hook_calls::HookProgress;
use super::returned::{self, Returns};
use super::review::{self, Reviewed};
use super::state::{
    Chosen, Counters, Driver, GivenAnswer, Judged, Memory, Next, Open, People, Question, Reinforcement,
    Requests, Seen, Session, Standing, State, Work,
};
use crate::Timestamp;
use crate::event::Event;
use crate::hook::HookPoint;
use crate::limits::{ANSWERS_WAITING_MAX, MARKS_MAX};
use crate::status::{Reason, Status};

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
    let Event::RunCreated { run, kind, title, config, first } = event else { return None };
    Some(State {
        run: run.clone(),
        kind: *kind,
        title: title.clone(),
        config: (**config).clone(),
        status: Status::Created,
        reason: None,
        detail: None,
        until: None,
        since: at,
        created_at: at,
        updated_at: at,
        driver: None,
        work: Work {
            next: *first,
            open: None,
            iteration: 0,
            attempt: 0,
            round: 0,
            before: None,
            standing: Standing::default(),
            ended: None,
            restore: None,
            committed: None,
        },
        seen: Seen::default(),
        judged: Judged {
            reinforcement: Reinforcement::begun(config.reinforcement.level, at),
            ..Judged::default()
        },
        counters: Counters::default(),
        turn: Turn::default(),
        review: Reviewed::default(),
        returns: Returns::default(),
        session: Session::default(),
        hooks: HookProgress::default(),
        memory: Memory::default(),
        people: People::default(),
        requests: Requests::default(),
    })
}

fn fold(state: &mut State, event: &Event, at: Timestamp) {
    match event {
        // A second creation cannot be appended; if it is there all the same, the first one counts.
        Event::RunCreated { .. } | Event::CheckpointTaken { .. } => {}
        Event::DriverStarted { epoch, host, boot, pid, .. } => {
            state.driver =
                Some(Driver { epoch: *epoch, host: host.clone(), boot: boot.clone(), pid: *pid, since: at });
            if state.status == Status::Created {
                enter(state, Status::Running, None, None, at);
                hooks::pass(state, HookPoint::LoopStart);
            }
        }
        Event::SnapshotTaken { snapshot, base, before } => {
            state.seen.start.get_or_insert_with(|| snapshot.clone());
            let adopted = state.memory.adopted.as_ref().and_then(|adopted| adopted.base.as_ref());
            state.judged.trusted.get_or_insert_with(|| adopted.unwrap_or(snapshot).clone());
            if *base {
                state.work.before = Some(snapshot.clone());
            }
            if let Some(before) = before {
                state.work.before = Some((**before).clone());
            }
            state.seen.snapshot = Some(snapshot.clone());
        }

        Event::ChecksStarted { round, guard, look } => {
            state.work.ended.iter_mut().for_each(|ended| ended.look = *look);
            guard.iter().for_each(|verdict| attempt::judged_late(state, *verdict, at));
            state.work.round = *round;
            state.work.open = Some(Open::Checks(*round));
        }
        // What does not speak of this tree is run again when somebody resumes.
        Event::ChecksFinished { ruling, .. } if ruling.unlike.is_some() => state.work.open = None,
        Event::ChecksFinished { round, ruling } => iteration::checks_finished(state, round, ruling, at),
        Event::AttemptStarted { attempt } => {
            if attempt.iteration != state.work.iteration {
                iteration::begun(state, attempt.iteration);
            } else if attempt.restore.is_some() {
                iteration::take_back(state);
            }
            sessions::begun(&mut state.session, &mut state.counters);
            state.work.attempt = attempt.number;
            state.work.ended = None;
            state.hooks.ended = false;
            for told in &mut state.people.told {
                told.attempt.get_or_insert(attempt.number);
            }
            state.work.open = Some(Open::Attempt(attempt.clone()));
            state.session.attempt_at = Some(at);
            if state.status == Status::Rebooting {
                enter(state, Status::Running, None, None, at);
            }
        }
        Event::AttemptFinished { attempt, end, ruling } => {
            attempt::finished(state, *attempt, end, ruling, at)
        }
        Event::AttemptAbandoned { attempt } => {
            state.work.open = None;
            state.work.next = Next::Attempt;
            state.requests.skip = false;
            people::tell_again(state, *attempt);
        }
        Event::AttemptLost { attempt, left, ruling, .. } => attempt::lost(state, *attempt, left, ruling),
        Event::CommitStarted { commit } => state.work.open = Some(Open::Commit(commit.clone())),
        Event::CommitFinished { iteration, tree, commit, uncommitted, .. } => {
            iteration::committed(state, *iteration, tree, commit.as_ref());
            state.seen.uncommitted = uncommitted.clone();
        }
        Event::ReviewStarted { review } => state.work.open = Some(Open::Review(review.clone())),
        Event::ReviewFinished { end, ruling } => review::finished(state, end, ruling),
        Event::HooksStarted { call } => hooks::started(state, call),
        Event::HooksFinished { end } => {
            people::add_note(state, "", &end.set);
            hooks::finished(state, end, at);
        }

        Event::IterationConcluded { conclusion } => iteration::concluded(state, conclusion, at),
        Event::LevelRaised { rise } => state.judged.reinforcement.take(*rise, at),
        Event::SessionRebooted { reason } => sessions::rebooted(state, reason, at),
        Event::RebootProposed { reason } => state.session.proposed = Some(reason.clone()),
        Event::RebootsGivenUp { failures } => state.session.given_up = Some(*failures),
        Event::AgentOut { out, .. } => {
            state.turn.out.retain(|other| other.agent != out.agent);
            state.turn.out.push(*out);
            serve_hold(state);
        }
        Event::AgentSwitched { to, agent, .. } => {
            state.turn.current = *to;
            state.turn.switches = state.turn.switches.saturating_add(1);
            sessions::switched(&mut state.session, agent, at);
        }
        Event::RecoveryAdvanced { recovery, step } => recovery::take(state, *recovery, step, at),
        Event::ModeSwitched { from, to, why } => people::mode_switched(state, *from, *to, why, at),

        Event::QuestionAsked { question, kind, text, digest } => {
            let (text, digest) = (text.clone(), digest.clone());
            people::asked(state, Question { number: *question, kind: *kind, text, digest, since: at });
        }
        Event::QuestionClosed { question, answer, consequence, tell, recovery, confirmed, .. } => {
            people::closed(state, *question, consequence, tell.as_ref(), at);
            recovery.iter().for_each(|outcome| recovery::answered(state, *outcome, *answer));
            iteration::confirm_findings(state, confirmed);
        }
        Event::AnswerRefused { question, .. } => people::drop_answer(state, *question),
        Event::RunWaiting { reason, until } => {
            serve_hold(state);
            enter(state, Status::Waiting, Some(*reason), None, at);
            state.until = *until;
        }
        Event::RunPaused { reason, detail } => {
            state.requests.pause = false;
            enter(state, Status::Paused, Some(*reason), detail.clone(), at);
        }
        Event::RunResumed { raise } => resume(state, raise, at),
        Event::RunStopped { reason, detail } => rest(state, Status::Stopped, *reason, detail.clone(), at),
        Event::RunFailed { reason, detail } => rest(state, Status::Failed, *reason, detail.clone(), at),
        Event::RunCompleted { reason, detail } => {
            state.returns.open = None;
            rest(state, Status::Completed, *reason, detail.clone(), at);
        }

        // ── Requests: of pause, stop and resume the last one asked for counts ───────────────────────────
        Event::PauseRequested {} => {
            state.requests.pause = true;
            state.requests.resume = None;
        }
        // Without a session there is nothing to leave.
        Event::RebootRequested {} => {
            let works = matches!(state.work.open, Some(Open::Attempt(_)));
            state.requests.reboot = works || state.session.current.is_some();
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
        Event::ModeRequested { mode, break_at } => people::mode_requested(state, *mode, *break_at),
        Event::AnswerGiven { question, answer, comment, seen } => {
            // A flood of answers must not make a decision larger than an append; the first ones count.
            if state.requests.answers.len() < ANSWERS_WAITING_MAX {
                let (comment, seen) = (comment.clone(), seen.clone());
                let given = GivenAnswer { question: *question, answer: *answer, comment, seen };
                state.requests.answers.push(given);
            }
        }
        Event::AgentTold { text } => people::tell(state, text),
        Event::ResultReturned { returned } => state.requests.returned = Some((**returned).clone()),
        Event::RunReopened { returned } => {
            returned::reopened(state, returned);
            enter(state, Status::Running, None, None, at);
        }
        Event::RunAdopted { adoption } => adoption::take(state, adoption, at),
        Event::NoteAdded { text, set } => people::add_note(state, text, set),
        Event::BestChosen { iteration, reason } => {
            let chosen = Chosen { iteration: *iteration, reason: reason.clone(), at };
            state.people.chosen = Some(chosen).filter(|_| *iteration > 0);
        }
        Event::FindingMarked { finding, false_positive } => {
            if state.people.marks.len() < MARKS_MAX || state.people.marks.contains_key(finding) {
                state.people.marks.insert(finding.clone(), *false_positive);
            }
        }
    }
}

fn resume(state: &mut State, raise: &Raise, at: Timestamp) {
    state.config.limits = state.config.limits.clone().raised(raise);
    state.config.confine = state.config.confine.take().filter(|_| !raise.without_walls);
    // Who goes on after the deadline means to.
    state.config.limits.deadline = state.config.limits.deadline.filter(|deadline| *deadline > at);
    state.requests.resume = None;
    state.requests.stop = None;
    state.requests.pause = false;
    hooks::resumed(state);
    if state.reason == Some(Reason::StopCondition) {
        state.judged.stop_waived = Some(state.counters.iterations);
    }
    // Who goes on before a limit ends, or after a rest, may have seen to it that an agent works again.
    let before_its_time = state.until.is_some_and(|until| until > at);
    match (state.status, state.reason) {
        (Status::Waiting, Some(reason)) if reason.is_refusal() && before_its_time => state.turn.out.clear(),
        (Status::Paused | Status::Stopped | Status::Failed, _) => {
            state.turn.out.retain(|out| out.until.is_some());
        }
        _ => {}
    }
    if matches!(state.status, Status::Stopped | Status::Failed) {
        state.counters.failures_in_a_row = 0;
        state.counters.no_progress_in_a_row = 0;
        state.work.standing.no_progress_in_a_row = 0;
    }
    enter(state, Status::Running, None, None, at);
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
    let Requests { answers, resume, mode, reboot, skip, .. } = std::mem::take(&mut state.requests);
    // An iteration that was given up stays so; one under way is a new question when the run goes on.
    let skip = skip && state.work.next == Next::Verdict;
    state.requests = Requests { answers, resume, mode, reboot, skip, ..Requests::default() };
    serve_hold(state);
    enter(state, status, Some(reason), detail, at);
}

/// The rest serves what the last attempt was held for. What became of a lost attempt is still to be
/// settled after any rest.
fn serve_hold(state: &mut State) {
    review::served(state);
    if let Some(ended) = &mut state.work.ended
        && ended.hold != Some(Reason::AttemptLost)
    {
        ended.hold = None;
    }
}
