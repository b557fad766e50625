//! Turning a command into events.
//!
//! Every command is an outcome or a nudge; what follows from it is asked of [`next_events`] until there
//! is nothing more to say. So an outcome and the intent that follows leave together.

use super::config::{LoopConfig, OnLost, Raise};
use super::facts::{
    AttemptEnd, CheckRound, Left, OpenAttempt, OpenCommit, QuestionKind, ReportStatus, Snapshot, TreeProof,
    Uncommitted,
};
use super::hook_calls::HookEnd;
use super::review::ReviewEnd;
use super::state::{GivenAnswer, Next, Open, State};
use super::stop::{self, StopVerdict};
use super::{RebootReason, done, fallback, guard, hook_calls, judge, limit, mode, review, session, unjudged};
use crate::event::{Event, StopOrigin};
use crate::lifecycle::until_settled;
use crate::limits::{CHECKS_MAX, CONDITIONS_MAX, PROMPT_BYTES_MAX, TITLE_CHARS_MAX};
use crate::rejection::Rejection;
use crate::status::{Kind, Reason, Status};
use crate::{Epoch, RunId, Timestamp};

/// Where a driver runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub host: String,
    /// That machine's boot.
    pub boot: String,
    pub pid: u32,
}

/// What a driver may tell the machine.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// I took the lease.
    Drive {
        /// The epoch I drive under.
        epoch: Epoch,
        /// Where I run.
        place: Place,
        /// Which piton I am.
        version: String,
    },
    /// The work tree looks like this now.
    Observe(Snapshot),
    /// Somebody edited the work tree beside what an attempt left in it that nobody judged.
    ObserveOver {
        /// It looks like this now.
        now: Snapshot,
        /// And like this without what the attempt left.
        before: Box<Snapshot>,
    },
    /// The attempt ended like this.
    EndAttempt { attempt: u32, end: Box<AttemptEnd> },
    /// The attempt was never started.
    AbandonAttempt { attempt: u32 },
    /// The attempt's outcome cannot be known.
    LoseAttempt {
        attempt: u32,
        /// How it is known that nothing of it runs.
        tree: TreeProof,
        /// What was found in the work tree.
        left: Box<Left>,
    },
    /// The checks ended like this.
    EndChecks(Box<CheckRound>),
    /// The hooks did this.
    EndHooks(Box<HookEnd>),
    /// Another agent read what was done.
    EndReview(Box<ReviewEnd>),
    /// The tree that was to be committed is on its branch.
    EndCommit {
        /// In this commit; none where there was nothing new.
        commit: Option<String>,
        /// Where the agent had switched to, if it had.
        found_on: Option<String>,
        /// What is in the tree and not in the commit.
        uncommitted: Uncommitted,
    },
    /// Something that is not the agent's fault stands in the way; rest until it is mended.
    GiveUp { detail: String },
    /// Look again: a request came in, or time passed.
    Tick,
}

/// The first event of a run.
pub fn create(run: RunId, title: &str, config: LoopConfig) -> Result<Event, Rejection> {
    let bad = |text: &str| Err(Rejection::BadConfig(text.to_owned()));
    if config.checks.is_empty() && config.until.is_empty() && config.stop.success.is_empty() {
        return bad("nothing would stop this loop: it has no check and no condition");
    }
    if config.checks.is_empty() && config.asks_for_checks() {
        return bad("`checks-pass` needs at least one check");
    }
    if config.agent.command.is_empty() {
        return bad("the agent has no command");
    }
    if config.checks.len() > CHECKS_MAX || config.until.len() > CONDITIONS_MAX {
        return bad("too many checks or conditions");
    }
    let names: std::collections::BTreeSet<_> = config.checks.iter().map(|check| &check.name).collect();
    if names.len() != config.checks.len() {
        return bad("two checks have the same name");
    }
    if let super::Prompt::Text(text) = &config.prompt
        && (text.trim().is_empty() || text.len() > PROMPT_BYTES_MAX)
    {
        return bad("the task is empty or larger than 1 MiB");
    }
    let title: String = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let title = title.chars().filter(|character| !character.is_control()).take(TITLE_CHARS_MAX).collect();
    let first = if config.needs_checks() { Next::Checks } else { Next::Attempt };
    Ok(Event::RunCreated { run, kind: Kind::Loop, title, config: Box::new(config), first })
}

/// What follows from `command` at `now`, and the state it leads to.
pub fn advance(state: &State, command: Command, now: Timestamp) -> Result<(Vec<Event>, State), Rejection> {
    let outcome = outcome(state, command, now)?;
    Ok(until_settled(state, outcome, now, |state| next_events(state, now)))
}

/// The fact that a command brings, with what is ruled about it.
fn outcome(state: &State, command: Command, now: Timestamp) -> Result<Vec<Event>, Rejection> {
    if state.status == Status::Completed && state.requests.returned.is_none() {
        return completed(state, &command);
    }
    Ok(vec![match command {
        Command::Drive { epoch, place, version } => {
            Event::DriverStarted { epoch, host: place.host, boot: place.boot, pid: place.pid, version }
        }
        Command::Observe(snapshot) => {
            if state.seen.snapshot.as_ref() == Some(&snapshot) && state.seen.start.is_some() {
                return Ok(Vec::new());
            }
            let base = matches!(state.work.open, Some(Open::Attempt(_))) && unjudged::is_base(state);
            Event::SnapshotTaken { snapshot, base, before: None }
        }
        Command::ObserveOver { now, before } => {
            Event::SnapshotTaken { snapshot: now, base: false, before: Some(before) }
        }
        Command::EndAttempt { attempt, end } => {
            require_open_attempt(state, attempt)?;
            let end = Box::new(end.bounded());
            let (ruling, then) = judge::attempt(state, &end, now);
            let finished = Event::AttemptFinished { attempt, end, ruling };
            return Ok(std::iter::once(finished).chain(then).collect());
        }
        Command::AbandonAttempt { attempt } => {
            require_open_attempt(state, attempt)?;
            Event::AttemptAbandoned { attempt }
        }
        Command::LoseAttempt { attempt, tree, left } => {
            require_open_attempt(state, attempt)?;
            let left = Box::new(left.bounded());
            let ruling = judge::lost(state, &left);
            Event::AttemptLost { attempt, tree, left, ruling }
        }
        Command::EndChecks(round) => {
            if state.work.open != Some(Open::Checks(round.number)) {
                return Err(Rejection::NotOpen);
            }
            let round = Box::new(round.bounded());
            let ruling = judge::round(state, &round);
            let detail = ruling.unlike.clone();
            let rest = detail.is_some().then_some(Event::RunStopped { reason: Reason::Environment, detail });
            let finished = Event::ChecksFinished { round, ruling };
            return Ok(std::iter::once(finished).chain(rest).collect());
        }
        Command::EndHooks(end) => {
            if !matches!(&state.work.open, Some(Open::Hooks(call)) if call.number == end.number) {
                return Err(Rejection::NotOpen);
            }
            let mut end = end.bounded();
            // A session that cannot be continued is left all the same.
            let broken = matches!(
                state.session.handoff,
                Some(RebootReason::ErrorRecovery { .. } | RebootReason::AnotherAgent { .. })
            );
            end.keep_session &= state.session.handoff.is_some() && !broken;
            Event::HooksFinished { end: Box::new(end) }
        }
        Command::EndReview(end) => {
            if !matches!(&state.work.open, Some(Open::Review(open)) if open.number == end.number) {
                return Err(Rejection::NotOpen);
            }
            let end = Box::new(end.bounded());
            let ruling = review::rule(state, &end, now);
            Event::ReviewFinished { end, ruling }
        }
        Command::EndCommit { commit, found_on, uncommitted } => {
            let Some(Open::Commit(open)) = &state.work.open else { return Err(Rejection::NotOpen) };
            let uncommitted = uncommitted.bounded();
            let (iteration, tree) = (open.iteration, open.tree.clone());
            Event::CommitFinished { iteration, tree, commit, found_on, uncommitted }
        }
        Command::GiveUp { detail } => Event::RunStopped { reason: Reason::Environment, detail: Some(detail) },
        Command::Tick => return Ok(Vec::new()),
    }])
}

/// A run that reached its goal says nothing more, whoever looks at it.
fn completed(state: &State, command: &Command) -> Result<Vec<Event>, Rejection> {
    match command {
        Command::Drive { .. } | Command::Observe(_) | Command::ObserveOver { .. } | Command::Tick => {
            Ok(Vec::new())
        }
        Command::GiveUp { .. } => Err(Rejection::Finished { run: state.run.clone(), status: state.status }),
        Command::EndAttempt { .. }
        | Command::AbandonAttempt { .. }
        | Command::LoseAttempt { .. }
        | Command::EndChecks(_)
        | Command::EndReview(_)
        | Command::EndCommit { .. }
        | Command::EndHooks(_) => Err(Rejection::NotOpen),
    }
}

fn require_open_attempt(state: &State, attempt: u32) -> Result<(), Rejection> {
    match &state.work.open {
        Some(Open::Attempt(open)) if open.number == attempt => Ok(()),
        _ => Err(Rejection::NotOpen),
    }
}

/// What follows from where the run is: a verdict that is due, else one event. Hooks come before the end that they are
/// told of.
fn next_events(state: &State, now: Timestamp) -> Vec<Event> {
    let works = matches!(state.status, Status::Running | Status::Rebooting);
    if works && state.work.open.is_none() && state.work.next == Next::Verdict && state.work.ended.is_some() {
        return judge::iteration(state, now);
    }
    following(state, now).and_then(|event| hook_calls::before_end(state, event)).into_iter().collect()
}

fn following(state: &State, now: Timestamp) -> Option<Event> {
    if state.status == Status::Completed {
        let returned = state.requests.returned.clone()?;
        return Some(Event::RunReopened { returned: Box::new(returned) });
    }
    if let Some(given) = state.requests.answers.first() {
        return Some(judge_answer(state, given));
    }
    let works = matches!(state.work.open, Some(Open::Attempt(_)));
    if state.requests.reboot && state.session.current.is_some() && !works {
        return Some(Event::SessionRebooted { reason: RebootReason::Manual });
    }
    match state.status {
        Status::Completed => None,
        Status::Paused | Status::Stopped | Status::Failed => {
            if let Some(event) = mode::requested(state) {
                return Some(event);
            }
            if let Some(raise) = &state.requests.resume {
                return Some(Event::RunResumed { raise: raise.clone() });
            }
            match state.requests.stop {
                Some((_, origin)) if state.status == Status::Paused => Some(stopped(state, origin)),
                _ => None,
            }
        }
        Status::Waiting => while_waiting(state, now),
        Status::Created => None,
        Status::Running | Status::Rebooting => while_running(state, now),
    }
}

fn while_waiting(state: &State, now: Timestamp) -> Option<Event> {
    if let Some((_, origin)) = state.requests.stop {
        return Some(stopped(state, origin));
    }
    if state.requests.pause {
        return Some(Event::RunPaused { reason: Reason::Human, detail: None });
    }
    if let Some(event) = mode::while_waiting(state, now) {
        return Some(event);
    }
    let due = state.until.is_some_and(|until| until <= now);
    match &state.requests.resume {
        Some(raise) if state.people.questions.is_empty() => Some(Event::RunResumed { raise: raise.clone() }),
        _ if due => Some(Event::RunResumed { raise: Raise::default() }),
        _ => None,
    }
}

fn while_running(state: &State, now: Timestamp) -> Option<Event> {
    if let Some(raise) = &state.requests.resume {
        return Some(Event::RunResumed { raise: raise.clone() });
    }
    if state.work.open.is_some() {
        return None;
    }
    if let Some(event) =
        next_commit(state, now).or_else(|| hook_calls::due(state)).or_else(|| mode::switch(state, now))
    {
        return Some(event);
    }
    if let Some(question) = state.people.questions.first() {
        let until = mode::is_between_iterations(question.kind).then(|| mode::patience(state, now)).flatten();
        return Some(Event::RunWaiting { reason: reason_of(question.kind), until });
    }
    // Before it is done: what a person has to judge is not done.
    if state.work.next == Next::Attempt && state.work.iteration == state.counters.iterations {
        if let Some(step) = judge::recovery::next(state) {
            return Some(step);
        }
        if let Some((kind, text)) = guard::doubt(state) {
            return Some(ask(state, kind, text));
        }
        if let Some(text) = mode::after_iteration(state) {
            return Some(ask(state, QuestionKind::AfterIteration, text));
        }
    }
    let hook = state.hooks.stop.clone();
    let by_hook = hook.map(|why| Event::RunStopped { reason: Reason::Hook, detail: Some(why) });
    // Before it is done: where a hook that fails is to stop the run, it does so after the last iteration as well.
    let strict = state.config.hooks.as_ref().is_some_and(|hooks| hooks.fail_on_hook_error);
    if strict && by_hook.is_some() && state.requests.stop.is_none() {
        return by_hook;
    }
    let mut is_reviewed = false;
    if state.work.next == Next::Attempt {
        let is_between = state.work.iteration == state.counters.iterations;
        let event = match (stop_condition(state).filter(|_| is_between), done::reached(state)) {
            // A goal that is reached is reached, although the run was to end here anyway.
            (None | Some(Event::RunStopped { .. }), Some(reason)) => {
                Some(Event::RunCompleted { reason, detail: done::by_which(state, reason) })
            }
            (event, _) => event,
        };
        // Whoever reads it has the last word on a run that is done, and none on one that is not.
        match (event, review::standing(state)) {
            (Some(Event::RunCompleted { .. }), review::Standing::Due) => is_reviewed = true,
            (Some(Event::RunCompleted { .. }), review::Standing::Objected) | (None, _) => {}
            (event, _) => return event,
        }
    }
    if let Some((_, origin)) = state.requests.stop {
        return Some(stopped(state, origin));
    }
    if by_hook.is_some() {
        return by_hook;
    }
    if state.requests.pause {
        return Some(Event::RunPaused { reason: Reason::Human, detail: None });
    }
    match state.work.next {
        Next::Attempt if is_reviewed => review::next(state, now),
        Next::Checks => Some(judge::checks(state)),
        Next::Verdict => None,
        Next::Attempt => before_attempt(state, now)
            .or_else(|| unjudged::wants_a_look(state).then(|| judge::look(state)))
            .or_else(|| propose(state))
            .or_else(|| mode::outside_hours(state, now))
            .or_else(|| {
                mode::before_iteration(state).map(|text| ask(state, QuestionKind::BeforeIteration, text))
            })
            .or_else(|| hook_calls::before_attempt(state))
            .or_else(|| next_attempt(state)),
    }
}

/// What a stop condition that is met leads to. None is judged before the first iteration.
fn stop_condition(state: &State) -> Option<Event> {
    // Whoever goes on although one holds means to: it is judged again after the next iteration.
    let waived = state.judged.stop_waived == Some(state.counters.iterations);
    (state.work.attempt > 0 && !waived).then(|| met_condition(state)).flatten()
}

fn met_condition(state: &State) -> Option<Event> {
    let (verdict, label) = stop::verdict(state)?;
    let detail = Some(label);
    match verdict {
        StopVerdict::Failure => Some(Event::RunFailed { reason: Reason::StopCondition, detail }),
        StopVerdict::Success => {
            let completed = Event::RunCompleted { reason: Reason::ConditionsMet, detail };
            done::is_judged(state).then_some(completed)
        }
        StopVerdict::Stop => Some(Event::RunStopped { reason: Reason::StopCondition, detail }),
    }
}

/// What stands in the way of the next attempt. A run does not end over work that nobody has judged.
fn before_attempt(state: &State, now: Timestamp) -> Option<Event> {
    let event = obstacle(state, now)?;
    match event {
        Event::RunStopped { .. } | Event::RunFailed { .. } if state.has_unjudged_work() => {
            Some(judge::checks(state))
        }
        _ => Some(event),
    }
}

fn obstacle(state: &State, now: Timestamp) -> Option<Event> {
    let at_ceiling = limit::reached(state, now).map(|reason| stopped_at(state, reason));
    match held(state, now) {
        // Whom a run has nothing more to ask for it does not wait for, nor does a person say whether it may ask.
        Some(Event::RunWaiting { .. } | Event::QuestionAsked { .. }) if at_ceiling.is_some() => {
            return at_ceiling;
        }
        Some(event) => return Some(event),
        None => {}
    }
    if let Some(report) = &state.seen.report
        && report.status == Some(ReportStatus::Blocked)
    {
        let reason = report.reason.as_deref().or(report.message.as_deref()).unwrap_or("no reason given");
        return Some(ask(state, QuestionKind::Blocked, format!("The agent cannot go on: {reason}")));
    }
    if done::baseline_contradicts(state) {
        return Some(Event::RunStopped {
            reason: Reason::BaselineGreen,
            detail: Some("every check passes already, so `checks-pass` could never be judged".to_owned()),
        });
    }
    at_ceiling.or_else(|| fallback::next(state, now))
}

fn stopped_at(state: &State, reason: Reason) -> Event {
    let failures = state.counters.failures_in_a_row;
    match reason {
        Reason::FailureStreak => Event::RunFailed {
            reason,
            detail: Some(match failures {
                1 => "an attempt failed".to_owned(),
                failures => format!("{failures} attempts in a row failed"),
            }),
        },
        reason => Event::RunStopped { reason, detail: None },
    }
}

/// The last attempt told us to wait, ask or stop before trying again.
fn held(state: &State, now: Timestamp) -> Option<Event> {
    let ended = state.work.ended.as_ref()?;
    let message = || ended.report.as_ref().and_then(|report| report.message.clone());
    match ended.hold? {
        reason @ (Reason::RateLimit | Reason::Overloaded) => {
            let policy = &state.config.backoff;
            let first_ms =
                if reason == Reason::RateLimit { policy.rate_limit_ms } else { policy.overloaded_ms };
            let doublings = state.counters.refusals_in_a_row.saturating_sub(1).min(6);
            let backoff = now.plus_millis(first_ms.saturating_mul(1 << doublings).min(policy.max_ms));
            // A time that has passed already helps nobody.
            let said = ended.report.as_ref().and_then(|report| report.limited_until);
            let until = said.filter(|until| *until > now).unwrap_or(backoff);
            if let Some(out) = fallback::out(state, reason, Some(until), now) {
                return Some(out);
            }
            if state.config.limits.deadline.is_some_and(|deadline| deadline <= until) {
                let detail =
                    Some(format!("the provider refuses until {until}, and that is past the deadline"));
                return Some(Event::RunStopped { reason: Reason::LimitDeadline, detail });
            }
            Some(Event::RunWaiting { reason, until: Some(until) })
        }
        Reason::AttemptLost if state.config.on_lost == OnLost::Ask => {
            let text = format!(
                "The outcome of attempt {} cannot be known. Nothing of it runs any more. Start another attempt on the tree as it is?",
                state.work.attempt
            );
            Some(ask(state, QuestionKind::AttemptLost, text))
        }
        Reason::AttemptLost => None,
        Reason::Auth if let Some(out) = fallback::out(state, Reason::Auth, None, now) => Some(out),
        reason => Some(Event::RunStopped { reason, detail: message().or_else(|| state.detail.clone()) }),
    }
}

fn next_attempt(state: &State) -> Option<Event> {
    let driver = state.driver.as_ref()?;
    let number = state.work.attempt.saturating_add(1);
    let unfinished = state.work.iteration > state.counters.iterations;
    let iteration = if unfinished { state.work.iteration } else { state.work.iteration.saturating_add(1) };
    if let Some(rise) = judge::reinforcement::before_iteration(state, iteration) {
        return Some(Event::LevelRaised { rise });
    }
    let lost =
        unfinished && state.work.ended.as_ref().is_some_and(|ended| ended.hold == Some(Reason::AttemptLost));
    let restore = match state.config.on_lost {
        OnLost::RestoreAndRetry if lost => state.work.before.as_ref().map(|snapshot| snapshot.id.clone()),
        _ => None,
    };
    Some(Event::AttemptStarted {
        attempt: OpenAttempt {
            number,
            iteration,
            host: driver.host.clone(),
            boot: driver.boot.clone(),
            directory: format!("attempts/{}/{number}", state.run),
            restore,
            session: session::next(state, number),
            agent: (state.turn.current > 0).then(|| state.agent().name.clone()),
        },
    })
}

/// The commit that is due: an iteration has its verdict, its checks are green, and nobody doubts it.
fn next_commit(state: &State, now: Timestamp) -> Option<Event> {
    let concluded = state.work.next == Next::Attempt && state.work.iteration == state.counters.iterations;
    let doubted = state.judged.recent.back().is_some_and(|last| last.doubted);
    // What a person may still put back is not committed.
    let is_asked = || {
        !state.people.questions.is_empty()
            || mode::switch(state, now).is_some()
            || mode::after_iteration(state).is_some()
    };
    if !concluded || doubted || !commit_due(state) || is_asked() {
        return None;
    }
    let tree = state.seen.snapshot.as_ref()?.tree.clone();
    Some(Event::CommitStarted { commit: OpenCommit { iteration: state.work.iteration, tree } })
}

/// Whether the tree that the last checks found green is not yet on the branch of the run's own work tree.
pub(super) fn commit_due(state: &State) -> bool {
    let green = state.seen.checks.as_ref().filter(|round| round.all_pass() && state.work.attempt > 0);
    let judged = green.and_then(|round| round.snapshot.as_ref()).map(|snapshot| &snapshot.tree);
    let there = state.work.committed.as_ref().or(state.seen.start.as_ref().map(|start| &start.tree));
    state.config.worktree.is_some()
        && state.work.restore.is_none()
        && judged.is_some()
        && judged == state.seen.snapshot.as_ref().map(|snapshot| &snapshot.tree)
        && judged != there
}

/// What a person is asked before a session is left. Where no attempt follows, there is nothing to begin.
fn propose(state: &State) -> Option<Event> {
    let is_between = state.work.iteration == state.counters.iterations;
    let reason = state.session.proposed.as_ref().filter(|_| is_between)?;
    let session = state.session.current.as_deref().unwrap_or("of the agent");
    let text = format!(
        "Session {session} should give way to a fresh one: {}. The fresh one is told what the old one knew. Begin it? No stays in this one.",
        reason.sentence()
    );
    Some(ask(state, QuestionKind::Reboot, text))
}

fn judge_answer(state: &State, given: &GivenAnswer) -> Event {
    let question = given.question;
    let Some(open) = state.people.questions.iter().find(|open| open.number == question) else {
        let why = if question <= state.people.questions_asked {
            "it was answered before"
        } else {
            "it was never asked"
        };
        return Event::AnswerRefused { question, why: why.to_owned() };
    };
    if given.seen.as_ref().is_some_and(|seen| *seen != open.digest) {
        let why = "it answers something other than what is asked now".to_owned();
        return Event::AnswerRefused { question, why };
    }
    judge::answer(state, open, given.answer, given.comment.clone())
}

/// Two questions with the same words are two: an answer that is bound to one does not fit the other.
pub(super) fn ask(state: &State, kind: QuestionKind, text: String) -> Event {
    let question = state.people.questions_asked.saturating_add(1);
    let digest = blake3::hash(format!("{question}\0{text}").as_bytes()).to_hex()[..16].to_owned();
    Event::QuestionAsked { question, kind, text, digest }
}

fn reason_of(kind: QuestionKind) -> Reason {
    match kind {
        QuestionKind::Blocked => Reason::Blocked,
        QuestionKind::AttemptLost => Reason::AttemptLost,
        QuestionKind::Guard => Reason::Guard,
        QuestionKind::Stuck => Reason::Stuck,
        QuestionKind::Review => Reason::Review,
        QuestionKind::BeforeIteration | QuestionKind::AfterIteration | QuestionKind::Reboot => {
            Reason::Attended
        }
    }
}

/// A person wants the run to stop. Where a condition waits for just that, it decides how the run ends.
fn stopped(state: &State, origin: StopOrigin) -> Event {
    let by_condition = state.config.stop.hear_a_signal().then(|| met_condition(state)).flatten();
    by_condition.unwrap_or(Event::RunStopped { reason: origin.reason(), detail: None })
}

/// Whether a person's request makes sense where the run is; the journal would take it in any case.
pub fn admit(state: &State, request: &Event) -> Result<(), Rejection> {
    let run = || state.run.clone();
    let nothing_to = |action| Err(Rejection::NothingTo { run: run(), status: state.status, action });
    match request {
        Event::BestChosen { iteration, .. } if *iteration > state.counters.iterations => {
            return Err(Rejection::NoSuchIteration { run: run(), iteration: *iteration });
        }
        // What is said about a run can be said at any time.
        Event::BestChosen { .. } | Event::FindingMarked { .. } | Event::NoteAdded { .. } => return Ok(()),
        _ => {}
    }
    if let (Event::ResultReturned { .. }, Status::Completed) = (request, state.status) {
        // Going on would end where it is.
        return match limit::still_reached(state, &Raise::default()) {
            Some(reason) => Err(Rejection::AtLimit {
                run: run(),
                reason,
                raise: limit::raise_past(state).unwrap_or_default(),
            }),
            None => Ok(()),
        };
    }
    if state.status == Status::Completed {
        return Err(Rejection::Finished { run: run(), status: state.status });
    }
    let at_rest = matches!(state.status, Status::Paused | Status::Stopped | Status::Failed);
    match request {
        Event::PauseRequested {} if at_rest => nothing_to("pause"),
        Event::StopRequested { .. } if matches!(state.status, Status::Stopped | Status::Failed) => {
            nothing_to("stop")
        }
        Event::ResultReturned { .. } => nothing_to("take back"),
        Event::SkipRequested {} if !state.can_skip() => nothing_to("skip"),
        Event::ResumeRequested { raise } => match limit::still_reached(state, raise) {
            // What is left to judge is judged first, and then the ceiling speaks.
            Some(reason) if !state.has_unjudged_work() => {
                let raise = limit::raise_past_after(state, raise).unwrap_or_default();
                Err(Rejection::AtLimit { run: run(), reason, raise })
            }
            _ if !state.people.questions.is_empty() => Err(Rejection::NeedsAnswer { run: run() }),
            _ => Ok(()),
        },
        Event::AnswerGiven { question, .. }
            if state.people.questions.iter().all(|open| open.number != *question) =>
        {
            Err(Rejection::NoSuchQuestion { run: run(), question: *question })
        }
        _ => Ok(()),
    }
}
