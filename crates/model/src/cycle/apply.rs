//! Folding events into a state: copies what was judged, and judges nothing.

mod hand_in;
mod people;

use super::config::{Config, RoleName};
use super::event::CycleEvent as Event;
use super::facts::{Conclusion, Extension, Feedback, Imported, OpenAttempt, PhaseError, RoleEnd};
use super::facts::{PhaseStatus, RoleVerdict, Ruling, Signal};
use super::limits::{
    CHANGED_FILES_MAX, DESCRIPTION_BYTES_MAX, FEEDBACK_MAX, ITERATIONS_KEPT_MAX, LOG_LINES_MAX,
    PHASE_ERRORS_MAX, TASK_HISTORY_MAX, TIMELINE_MAX, WAITING_FEEDBACK_MAX,
};
use super::state::{
    Counters, Current, IterationRecord, Log, Phase, Requests, RoleResult, RoleState, RoleStatus, State,
    TimelineEntry, TimelineFact,
};
use crate::event::StopOrigin;
use crate::limits::{KEPT_FINDINGS_MAX, clip, keep_last};
use crate::loop_machine::{CheckRound, Driver, GuardMode, GuardReport, KeptFinding, Left, Raise, Verdict};
use crate::status::{Reason, Status};
use crate::{RunId, Timestamp};

/// The state after `event`; `None` where a cycle does not begin with its creation.
pub fn apply(state: Option<State>, event: &Event, at: Timestamp) -> Option<State> {
    let Some(mut state) = state else {
        let Event::RunCreated { run, title, config, imported, .. } = event else { return None };
        return Some(created(run, title, config, imported.as_deref(), at));
    };
    fold(&mut state, event, at);
    state.updated_at = at;
    Some(state)
}

fn fold(state: &mut State, event: &Event, at: Timestamp) {
    match event {
        Event::RunCreated { .. } | Event::CheckpointTaken { .. } | Event::AnswerRefused { .. } => {}
        Event::SnapshotTaken { snapshot, base } => {
            state.start.get_or_insert_with(|| snapshot.clone());
            if *base {
                state.current.before = Some(snapshot.clone());
            }
            state.seen = Some(snapshot.clone());
        }
        Event::IterationStarted { iteration, version, extension, roles, feedback } => {
            begin_iteration(state, *iteration, version, extension.as_ref(), at);
            for (role, runtime) in state.config.roles.iter().zip(&mut state.roles) {
                runtime.turns = 0;
                if roles.contains(&role.name) {
                    make_due(runtime);
                }
            }
            let record = state.iterations.back_mut().expect("it was just begun");
            let pending = RoleResult { status: PhaseStatus::Pending, ..RoleResult::default() };
            record.agent_results = roles.iter().map(|name| (name.clone(), pending.clone())).collect();
            give_feedback(state, feedback);
        }
        Event::RoleStarted { attempt } => start(state, attempt, at),
        Event::RoleNudged { attempt, nudge } => {
            on_attempt(state, *attempt, |role| role.nudged = Some(*nudge))
        }
        Event::RoleFinished { attempt, end, ruling } => finish(state, *attempt, end, ruling, at),
        Event::RoleAbandoned { attempt } => on_attempt(state, *attempt, |role| {
            // What was to be put back before it still is.
            role.restore = role.open.take().and_then(|open| open.restore);
            (role.nudged, role.status) = (None, RoleStatus::Idle);
            role.tries = role.tries.saturating_sub(1);
        }),
        Event::RoleLost { attempt, left, ruling, .. } => lose(state, *attempt, left, ruling, at),
        Event::ChecksStarted { round } => {
            (state.round, state.checking) = (*round, Some(*round));
            if state.roles.iter().all(|role| !role.due) {
                state.phase = Phase::Aggregation;
            }
        }
        Event::ChecksFinished { round, tests, quality } => {
            state.checking = None;
            state.counters.working_ms = state.counters.working_ms.saturating_add(round.duration_ms);
            if !round.cancelled {
                take_round(state, round, at);
                state.tests = tests.as_deref().cloned();
                state.current.quality = *quality;
            }
        }
        Event::IterationConcluded { conclusion } => conclude(state, conclusion, at),
        Event::PhaseErred { phase, error } => {
            err(state, phase.clone(), error.clone(), at);
        }
        Event::StateEdited { edited, digest } => {
            state.edited = Some(digest.clone());
            edit(state, edited.signal);
            if !edited.fields.is_empty() {
                let error = people::of_edit(edited);
                err(state, phase_word(state), error, at);
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
            state.ended_at = Some(at);
        }
        Event::RunCompleted { reason, detail } => {
            rest(state, Status::Completed, *reason, detail.clone(), at);
            (state.phase, state.ended_at) = (Phase::Complete, Some(at));
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
    state.iteration = iteration;
    state.current = Current { version: version.to_owned(), before: state.seen.clone(), ..Current::default() };
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
    });
    keep_last(&mut state.iterations, ITERATIONS_KEPT_MAX);
    state.ended_at = None;
    if state.status == Status::Created {
        enter(state, Status::Running, None, None, at);
    }
    let extension = extension.map(|extension| extension.text.clone());
    tell_timeline(state, TimelineFact::IterationStarted { version: version.to_owned(), extension }, at);
}

/// The role has something to do in an iteration that begins.
fn make_due(role: &mut RoleState) {
    role.due = true;
    role.status = RoleStatus::Idle;
    (role.tries, role.lost, role.sent_back, role.refusals) = (0, 0, 0, 0);
    (role.not_before, role.restore, role.error, role.called_back) = (None, None, None, false);
    role.asked.clear();
    (role.started_at, role.completed_at) = (None, None);
}

fn start(state: &mut State, attempt: &OpenAttempt, at: Timestamp) {
    state.attempt = state.attempt.max(attempt.number);
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

fn on_attempt(state: &mut State, attempt: u32, change: impl FnOnce(&mut RoleState)) {
    let is_it = |role: &&mut RoleState| role.open.as_ref().is_some_and(|open| open.number == attempt);
    if let Some(role) = state.roles.iter_mut().find(is_it) {
        change(role);
    }
}

fn place_of(state: &State, attempt: u32) -> Option<usize> {
    state.roles.iter().position(|role| role.open.as_ref().is_some_and(|open| open.number == attempt))
}

fn finish(state: &mut State, attempt: u32, end: &RoleEnd, ruling: &Ruling, at: Timestamp) {
    let Some(index) = place_of(state, attempt) else { return };
    charge(state, index, end);
    if let Some(snapshot) = &end.snapshot {
        state.seen = Some(snapshot.clone());
    }
    keep_findings(state, end.guard.as_ref(), at);
    hand_in::take(state, index, &end.handed_in, at);
    let role = &mut state.roles[index];
    (role.open, role.nudged, role.lost) = (None, None, 0);
    let refused = matches!(end.hold, Some((Reason::RateLimit | Reason::Overloaded, _)));
    role.refusals = if refused { role.refusals.saturating_add(1) } else { 0 };
    role.last_message = end.said.clone().or_else(|| role.last_message.take());
    role.session = end.session_id.clone().or_else(|| role.session.take());
    (role.session_usage, role.session_cost_microusd) = (end.session_usage, end.session_cost_microusd);
    // Changes of an attempt before that was lost are handed in with the next.
    let changed = end.change.as_ref().map_or(0, |change| change.files_total as usize);
    let files = end.handed_in.documents.len() + changed.max(end.handed_in.changes.len());
    rule(state, index, ruling, files as u32, at);
}

fn lose(state: &mut State, attempt: u32, left: &Left, ruling: &Ruling, at: Timestamp) {
    let Some(index) = place_of(state, attempt) else { return };
    if let Some(snapshot) = &left.snapshot {
        state.seen = Some(snapshot.clone());
    }
    keep_findings(state, left.guard.as_ref(), at);
    let role = &mut state.roles[index];
    (role.open, role.nudged) = (None, None);
    role.lost = role.lost.saturating_add(1);
    role.counters.lost = role.counters.lost.saturating_add(1);
    state.counters.lost = state.counters.lost.saturating_add(1);
    let name = state.config.roles[index].name.clone();
    tell_timeline(state, TimelineFact::RoleLost { role: name }, at);
    rule(state, index, ruling, 0, at);
}

/// What was ruled about a role takes effect.
fn rule(state: &mut State, index: usize, ruling: &Ruling, files: u32, at: Timestamp) {
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
        result.files_modified = result.files_modified.saturating_add(files);
    }
    let role = &mut state.roles[index];
    match &ruling.verdict {
        RoleVerdict::Done => {
            (role.status, role.due, role.completed_at) = (RoleStatus::Completed, false, Some(at));
            role.iterations_completed = role.iterations_completed.saturating_add(1);
            role.turns = role.turns.saturating_add(1);
            if std::mem::take(&mut role.called_back) {
                work_again(role);
            }
            have_turn(state, &name);
            complete_phase(state, index, ruling, files, at);
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
            state.roles[index].asked.clone_from(&ruling.sent_back);
        }
        RoleVerdict::Halt { reason } => {
            role.status = RoleStatus::Waiting;
            role.tries = role.tries.saturating_sub(1);
            state.requests.halt = Some((*reason, ruling.errors.last().cloned()));
        }
        RoleVerdict::Fail { reason, error } => {
            role.status = RoleStatus::Failed;
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

fn keep_findings(state: &mut State, guard: Option<&GuardReport>, at: Timestamp) {
    let verdict = match state.config.guard {
        GuardMode::Block | GuardMode::Ask => Verdict::Refused,
        GuardMode::Report | GuardMode::Off => Verdict::Reported,
    };
    for finding in guard.into_iter().flat_map(|guard| &guard.findings) {
        state.findings.push_back(KeptFinding::new(state.iteration, at, verdict, finding.clone()));
    }
    keep_last(&mut state.findings, KEPT_FINDINGS_MAX);
}

fn take_round(state: &mut State, round: &CheckRound, at: Timestamp) {
    state.checks.clone_from(&round.checks);
    if let Some(snapshot) = &round.snapshot {
        state.seen = Some(snapshot.clone());
        state.current.judged = Some((snapshot.clone(), round.all_pass()));
    }
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
            }
        }
        let Feedback { source, target, kind, at, .. } = entry.clone();
        tell_timeline(state, TimelineFact::FeedbackGiven { source, target, kind }, at);
    }
}

fn err(state: &mut State, phase: String, error: String, at: Timestamp) {
    tell_timeline(state, TimelineFact::PhaseErred { phase: phase.clone() }, at);
    state.phase_errors.push(PhaseError { phase, error, at }, PHASE_ERRORS_MAX);
}

fn phase_word(state: &State) -> String {
    match &state.phase {
        Phase::Init => "init".to_owned(),
        Phase::Role(name) => name.to_string(),
        Phase::Aggregation => "aggregation".to_owned(),
        Phase::Complete => "complete".to_owned(),
    }
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
    state.config.limits = state.config.limits.clone().raised(raise);
    for role in &mut state.config.roles {
        // A ceiling of a role's own goes with that of all.
        role.cost_microusd = role.cost_microusd.map(|own| raise.cost_microusd.unwrap_or(own).max(own));
        role.tokens = role.tokens.map(|own| raise.tokens.unwrap_or(own).max(own));
    }
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
