//! Folding events into a state: copies what was judged, and judges nothing.
//!
//! [`fold`] says what each event does, in one place. Below it: how a cycle and its iterations begin and end, and where it rests.
//! What becomes of a role is in [`role`], what it handed in (or another tool left) in [`hand_in`], what people ask for in
//! [`people`].

mod hand_in;
mod hooks;
mod people;
mod role;

use super::config::{Config, RoleName};
use super::event::CycleEvent as Event;
use super::facts::{Conclusion, Extension, Feedback, Imported, PhaseError, PhaseStatus, Signal};
use super::gate::GateRecord;
use super::limit::role_ceilings;
use super::limits::{
    DESCRIPTION_BYTES_MAX, FEEDBACK_MAX, ITERATIONS_KEPT_MAX, PHASE_ERRORS_MAX, TASK_HISTORY_MAX,
    TIMELINE_MAX, WAITING_FEEDBACK_MAX,
};
use super::state::{
    Counters, Current, IterationRecord, Log, Phase, Requests, RoleResult, RoleState, RoleStatus, State,
    TimelineEntry, TimelineFact,
};
use crate::event::StopOrigin;
use crate::limits::keep_last;
use crate::loop_machine::{CheckRound, Driver, HookProgress, Raise};
use crate::status::{Reason, Status};
use crate::{RunId, Timestamp};

/// The state after `event`; `None` where a cycle does not begin with its creation.
pub fn apply(state: Option<State>, event: &Event, at: Timestamp) -> Option<State> {
    let Some(mut state) = state else {
        let Event::RunCreated { run, title, config, imported, base, .. } = event else { return None };
        let mut state = created(run, title, config, imported.as_deref(), at);
        state.current.before = base.as_deref().cloned();
        return Some(state);
    };
    fold(&mut state, event, at);
    state.updated_at = at;
    Some(state)
}

fn fold(state: &mut State, event: &Event, at: Timestamp) {
    match event {
        Event::RunCreated { .. } | Event::CheckpointTaken { .. } => {}
        Event::SnapshotTaken { snapshot, base, before } => {
            state.start.get_or_insert_with(|| snapshot.clone());
            if *base {
                state.current.before = Some(snapshot.clone());
            }
            if let Some(before) = before {
                state.current.before = Some((**before).clone());
            }
            state.seen = Some(snapshot.clone());
        }
        Event::IterationStarted { iteration, version, extension, roles, gate, feedback } => {
            begin_iteration(state, *iteration, version, extension.as_ref(), at);
            for (member, at) in state.config.roles.iter().zip(&mut state.roles) {
                at.turns = 0;
                if roles.contains(&member.name) {
                    role::make_due(at);
                }
            }
            let record = state.iterations.back_mut().expect("it was just begun");
            let pending = RoleResult { status: PhaseStatus::Pending, ..RoleResult::default() };
            record.gate = gate.map(|gate| GateRecord { gate, passed: None, criteria: Vec::new() });
            record.agent_results = roles.iter().map(|name| (name.clone(), pending.clone())).collect();
            give_feedback(state, feedback);
            hooks::iteration_began(state);
        }
        Event::RoleStarted { attempt } => role::start(state, attempt, at),
        Event::RoleNudged { attempt, nudge } => role::nudge(state, *attempt, *nudge),
        Event::RoleFinished { attempt, end, ruling } => role::finish(state, *attempt, end, ruling, at),
        Event::RoleAbandoned { attempt } => role::abandon(state, *attempt),
        Event::RoleLost { attempt, left, ruling, .. } => role::lose(state, *attempt, left, ruling, at),
        Event::ChecksStarted { round } => {
            (state.round, state.checking) = (*round, Some(*round));
            if state.roles.iter().all(|role| !role.due) {
                state.phase = Phase::Aggregation;
            }
        }
        Event::HooksStarted { call } => hooks::started(state, call),
        Event::HooksFinished { end } => hooks::finished(state, end),
        Event::ChecksFinished { round, tests, quality } => {
            state.checking = None;
            hooks::checked(state, round);
            state.counters.working_ms = state.counters.working_ms.saturating_add(round.duration_ms);
            if !round.cancelled {
                take_round(state, round, at);
                state.tests = tests.as_deref().cloned();
                state.current.quality = *quality;
            }
        }
        Event::IterationConcluded { conclusion } => {
            hooks::concluded(state, conclusion);
            conclude(state, conclusion, at);
        }
        Event::PhaseErred { phase, error } => {
            err(state, phase.clone(), error.clone(), at);
        }
        Event::StateEdited { edited, digest } => {
            state.edited = Some(digest.clone());
            edit(state, edited.signal);
            for error in people::of_edit(edited, &state.run) {
                err(state, state.phase.as_str().to_owned(), error, at);
            }
        }
        Event::DriverStarted { epoch, host, boot, pid, .. } => {
            let (host, boot) = (host.clone(), boot.clone());
            state.driver = Some(Driver { epoch: *epoch, host, boot, pid: *pid, since: at });
        }
        Event::RunWaiting { reason, .. } => {
            state.requests.halt = None;
            enter(state, Status::Waiting, Some(*reason), None, at);
        }
        Event::RunPaused { reason, detail } => {
            state.requests.pause = false;
            enter(state, Status::Paused, Some(*reason), detail.clone(), at);
        }
        Event::RunResumed { raise } => resume(state, raise, at),
        Event::RunStopped { reason, detail } => rest(state, Status::Stopped, *reason, detail.clone(), at),
        Event::RunFailed { reason, detail } => {
            rest(state, Status::Failed, *reason, detail.clone(), at);
            // What is imported had its end elsewhere.
            state.ended_at.get_or_insert(at);
        }
        Event::RunCompleted { reason, detail } => {
            rest(state, Status::Completed, *reason, detail.clone(), at);
            state.phase = Phase::Complete;
            state.ended_at.get_or_insert(at);
        }
        Event::PauseRequested {} => ask_to_pause(state),
        Event::StopRequested { now, origin } => ask_to_stop(state, *now, *origin),
        Event::ResumeRequested { raise } => ask_to_go_on(state, raise),
        Event::ExtensionRequested { .. }
        | Event::FeedbackAdded { .. }
        | Event::DecisionProposed { .. }
        | Event::DecisionSettled { .. }
        | Event::BlockerReported { .. }
        | Event::BlockerSettled { .. }
        | Event::BestChosen { .. } => people::request(state, event, at),
    }
}

fn created(run: &RunId, title: &str, config: &Config, imported: Option<&Imported>, at: Timestamp) -> State {
    let mut state = State {
        run: run.clone(),
        title: title.to_owned(),
        description: config.description.clone(),
        task_history: vec![config.task.clone()],
        roles: config.roles.iter().map(|_| RoleState::default()).collect(),
        config: config.clone(),
        status: Status::Created,
        reason: None,
        detail: None,
        since: at,
        created_at: at,
        updated_at: at,
        ended_at: None,
        driver: None,
        iteration: 0,
        phase: Phase::Init,
        completed_phases: Vec::new(),
        phase_errors: Log::default(),
        current: Current::default(),
        requirements: None,
        exploration: None,
        plan: None,
        changes: Log::default(),
        changed_files: Default::default(),
        unnamed_files: 0,
        iteration_markers: Default::default(),
        tests: None,
        checks: Vec::new(),
        iterations: Default::default(),
        best: None,
        chosen_best: None,
        best_by_verdict: None,
        feedback: Log::default(),
        decisions: Vec::new(),
        blockers: Vec::new(),
        decisions_total: 0,
        blockers_total: 0,
        discoveries: Log::default(),
        timeline: Log::default(),
        findings: Default::default(),
        start: None,
        seen: None,
        attempt: 0,
        round: 0,
        checking: None,
        calling: None,
        hooks: HookProgress::default(),
        custom: Default::default(),
        notes: Default::default(),
        counters: Counters::default(),
        idle_iterations: 0,
        requests: Requests::default(),
        edited: None,
        unknown: Vec::new(),
    };
    if let Some(imported) = imported {
        hand_in::import(&mut state, imported, at);
    }
    state
}

fn begin_iteration(
    state: &mut State,
    iteration: u32,
    version: &str,
    extension: Option<&Extension>,
    at: Timestamp,
) {
    if let Some(extension) = extension {
        state.requests.extensions.pop_front();
        if state.task_history.len() < TASK_HISTORY_MAX {
            state.task_history.push(extension.text.clone());
        }
        let longer = format!("{}\n\n--- ITERATION {iteration} ---\n{}", state.description, extension.text);
        if longer.len() <= DESCRIPTION_BYTES_MAX {
            state.description = longer;
        }
    }
    // What another run left, and nobody judged, is judged with what the first iteration makes of it.
    let unjudged = state.current.before.take().filter(|_| state.seen.is_none());
    let before = unjudged.or_else(|| state.seen.clone());
    state.iteration = iteration;
    state.current = Current { version: version.to_owned(), before, ..Current::default() };
    state.iterations.push_back(IterationRecord {
        number: iteration,
        version: version.to_owned(),
        extension: extension.map(|extension| extension.text.clone()),
        started_at: at,
        completed_at: None,
        agent_results: Default::default(),
        issues: Vec::new(),
        resolved: false,
        verdict: None,
        quality: None,
        pass_rate: None,
        snapshot: None,
        cost_microusd: 0,
        gate: None,
    });
    keep_last(&mut state.iterations, ITERATIONS_KEPT_MAX);
    state.ended_at = None;
    if state.status == Status::Created {
        enter(state, Status::Running, None, None, at);
    }
    let extension = extension.map(|extension| extension.text.clone());
    tell_timeline(state, TimelineFact::IterationStarted { version: version.to_owned(), extension }, at);
}

fn take_round(state: &mut State, round: &CheckRound, at: Timestamp) {
    state.checks.clone_from(&round.checks);
    if let Some(snapshot) = &round.snapshot {
        state.seen = Some(snapshot.clone());
        state.current.judged = Some((snapshot.clone(), round.all_pass()));
    }
    state.current.judged_at = state.attempt;
    let (passed, total) = (round.passed() as u32, round.checks.len() as u32);
    tell_timeline(state, TimelineFact::ChecksRun { passed, total }, at);
}

fn conclude(state: &mut State, conclusion: &Conclusion, at: Timestamp) {
    state.phase = Phase::Aggregation;
    state.current.concluded = true;
    state.current.next.clone_from(&conclusion.next);
    state.idle_iterations = if conclusion.progress { 0 } else { state.idle_iterations.saturating_add(1) };
    if conclusion.best {
        state.best_by_verdict = Some((conclusion.iteration, conclusion.quality));
        if state.chosen_best.is_none() {
            state.best = Some(conclusion.iteration);
        }
    }
    if let Some(record) = state.iterations.back_mut() {
        record.completed_at = Some(at);
        record.issues.clone_from(&conclusion.issues);
        record.resolved = conclusion.issues.is_empty();
        record.verdict = Some(conclusion.verdict);
        record.quality = Some(conclusion.quality);
        record.pass_rate = conclusion.tests.as_ref().map(|tests| tests.pass_rate);
        record.snapshot.clone_from(&conclusion.snapshot);
        record.gate = conclusion.gate.clone().or(record.gate.take());
    }
    let issues = conclusion.issues.len() as u32;
    tell_timeline(state, TimelineFact::IterationConcluded { verdict: conclusion.verdict, issues }, at);
    give_feedback(state, &conclusion.feedback);
}

fn give_feedback(state: &mut State, feedback: &[Feedback]) {
    for entry in feedback {
        state.feedback.push(entry.clone(), FEEDBACK_MAX);
        if let Some(index) = state.place(&entry.target) {
            let told = &mut state.roles[index].told;
            told.push_back(entry.clone());
            if told.len() > WAITING_FEEDBACK_MAX {
                told.pop_front();
                state.roles[index].hearing = state.roles[index].hearing.saturating_sub(1);
                say_too_much(state, &entry.target, entry.at);
            }
        }
        let Feedback { source, target, kind, at, .. } = entry.clone();
        tell_timeline(state, TimelineFact::FeedbackGiven { source, target, kind }, at);
    }
}

/// More was told to a role than its next prompt has room for. Once in a while is enough.
fn say_too_much(state: &mut State, target: &RoleName, at: Timestamp) {
    let error = format!(
        "more than {WAITING_FEEDBACK_MAX} entries of feedback wait for {target}; its prompt has the newest, and \
         `coordination/feedback.md` the others"
    );
    let is_said = |known: &PhaseError| known.phase == target.as_str() && known.error == error;
    if !state.phase_errors.recent.iter().any(is_said) {
        err(state, target.to_string(), error, at);
    }
}

fn err(state: &mut State, phase: String, error: String, at: Timestamp) {
    tell_timeline(state, TimelineFact::PhaseErred { phase: phase.clone() }, at);
    state.phase_errors.push(PhaseError { phase, error, at }, PHASE_ERRORS_MAX);
}

fn tell_timeline(state: &mut State, fact: TimelineFact, at: Timestamp) {
    state.timeline.push(TimelineEntry { at, iteration: state.iteration, fact }, TIMELINE_MAX);
}

/// What somebody wrote into the state file counts as what they would have asked for.
fn edit(state: &mut State, signal: Option<Signal>) {
    match signal {
        Some(Signal::Pause | Signal::Unknown) => ask_to_pause(state),
        Some(Signal::Stop) => ask_to_stop(state, false, StopOrigin::Command),
        Some(Signal::Continue) => ask_to_go_on(state, &Raise::default()),
        None => {}
    }
}

fn ask_to_pause(state: &mut State) {
    (state.requests.pause, state.requests.resume) = (true, None);
}

fn ask_to_stop(state: &mut State, now: bool, origin: StopOrigin) {
    let now = now || matches!(state.requests.stop, Some((true, _)));
    (state.requests.stop, state.requests.resume) = (Some((now, origin)), None);
}

fn ask_to_go_on(state: &mut State, raise: &Raise) {
    state.requests.resume = Some(raise.clone());
    (state.requests.pause, state.requests.stop) = (false, None);
}

fn resume(state: &mut State, raise: &Raise, at: Timestamp) {
    for index in 0..state.config.roles.len() {
        let most = role_ceilings(state, &state.config.roles[index], raise);
        let role = &mut state.config.roles[index];
        (role.cost_microusd, role.tokens, role.working_ms) =
            (most.cost_microusd, most.tokens, most.working_ms);
    }
    state.config.limits = state.config.limits.clone().raised(raise);
    state.config.confine = state.config.confine.take().filter(|_| !raise.without_walls);
    for role in &mut state.roles {
        // The try that is under way counts.
        role.tries = u32::from(role.open.is_some());
        (role.lost, role.refusals, role.not_before) = (0, 0, None);
        if matches!(role.status, RoleStatus::Failed | RoleStatus::Waiting) && role.open.is_none() {
            role.status = RoleStatus::Idle;
        }
    }
    let extensions = std::mem::take(&mut state.requests.extensions);
    state.requests = Requests { extensions, ..Requests::default() };
    state.idle_iterations = 0;
    // Whoever lets an iteration go on has not seen the next one.
    state.current.confirmed = state.current.concluded;
    state.ended_at = None;
    hooks::resumed(state);
    enter(state, Status::Running, None, None, at);
}

fn enter(state: &mut State, status: Status, reason: Option<Reason>, detail: Option<String>, at: Timestamp) {
    if !matches!(status, Status::Running)
        && let Some(reason) = reason
    {
        tell_timeline(state, TimelineFact::Rested { status, reason }, at);
    }
    (state.status, state.reason, state.detail, state.since) = (status, reason, detail, at);
}

fn rest(state: &mut State, status: Status, reason: Reason, detail: Option<String>, at: Timestamp) {
    // Whoever asked it to go on while it gave up has not been heard yet.
    let Requests { resume, extensions, .. } = std::mem::take(&mut state.requests);
    state.requests = Requests { resume, extensions, ..Requests::default() };
    enter(state, status, Some(reason), detail, at);
}
