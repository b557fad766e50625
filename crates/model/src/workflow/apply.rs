//! Folding an event into the state. Total: an event in the journal is a fact, whatever the state.

use std::collections::HashMap;
use std::sync::Arc;

use super::definition::{Definition, StepId};
use super::event::WorkflowEvent as Event;
use super::facts::{Edit, Inherited, InnerQuestion, Options, Passed, Raise, Renewed, StepReport};
use super::finish;
use super::graph::Plan;
use super::queue;
use super::state::{Block, Counters, GivenAnswer, Question, Requests, State, StepState, StepStatus};
use crate::event::StopOrigin;
use crate::limits::ANSWERS_WAITING_MAX;
use crate::loop_machine::{Answer, Driver};
use crate::status::{Reason, Status};
use crate::{RunId, Timestamp};

/// The state after `event`, which happened at `at`.
///
/// The first event of a run must be [`Event::RunCreated`]; `None` comes back only when it was not.
pub fn apply(state: Option<State>, event: &Event, at: Timestamp) -> Option<State> {
    let Some(mut state) = state else { return born(event, at) };
    // Whoever tidies up does nothing to the run.
    if !matches!(event, Event::RunArchived {}) {
        state.updated_at = at;
    }
    fold(&mut state, event, at);
    Some(state)
}

fn born(event: &Event, at: Timestamp) -> Option<State> {
    let Event::RunCreated { run, title, definition, digest, options, inherited, .. } = event else {
        return None;
    };
    let mut state = fresh(run, title, definition, digest, options, at);
    if let Some(Inherited { run, seq, created_at, steps }) = inherited.as_deref() {
        state.forked_from = run.clone().map(|run| (run, *seq));
        state.created_at = created_at.unwrap_or(state.created_at);
        steps.iter().for_each(|(id, step)| on_step(&mut state, id, |found| found.clone_from(step)));
    }
    Some(state)
}

/// A run of which nothing happened yet.
fn fresh(
    run: &RunId,
    title: &str,
    definition: &Definition,
    digest: &str,
    options: &Options,
    at: Timestamp,
) -> State {
    let plan = Plan::new(definition.clone());
    State {
        run: run.clone(),
        title: title.to_owned(),
        steps: plan.steps.iter().map(|_| Arc::default()).collect(),
        plan,
        digest: digest.to_owned(),
        options: options.clone(),
        forked_from: None,
        status: Status::Created,
        reason: None,
        detail: None,
        since: at,
        created_at: at,
        updated_at: at,
        driver: None,
        attempt: 0,
        questions_asked: 0,
        counters: Counters::default(),
        requests: Requests::default(),
        archived: false,
    }
}

fn fold(state: &mut State, event: &Event, at: Timestamp) {
    match event {
        // A second creation cannot be appended; if it is there all the same, the first one counts.
        Event::RunCreated { .. } => {}
        Event::DriverStarted { epoch, host, boot, pid, .. } => {
            // Its directory is made anew.
            state.archived = false;
            state.driver =
                Some(Driver { epoch: *epoch, host: host.clone(), boot: boot.clone(), pid: *pid, since: at });
            if state.status == Status::Created {
                enter(state, Status::Running, None, None, at);
            }
        }
        Event::DefinitionChanged { definition, digest, stay } => {
            migrate(state, definition, digest);
            stay.iter().for_each(|id| on_step(state, id, |step| step.goes_back = false));
        }
        Event::OptionsChanged { options } => change_options(state, options),
        Event::RunRestarted { title, definition, digest, options } => {
            let old = state.clone();
            *state = fresh(&old.run, title, definition, digest, options, at);
            begin_after(state, &old);
        }
        Event::RunArchived {} => state.archived = true,
        Event::GatesSeen { step, verdicts } => {
            on_step(state, step, |step| step.verdicts = verdicts.clone());
        }
        Event::ItemsRead { step, items } => on_step(state, step, |step| {
            step.items = Some(items.clone());
            step.index = 0;
        }),
        Event::ItemsRefused { step, why } => on_step(state, step, |step| {
            step.status = StepStatus::Failed;
            step.ended_at = Some(at);
            step.last_error = Some(why.clone());
            step.failed_for = Some(Reason::Environment);
        }),
        Event::StepsPassed { steps } => steps.iter().for_each(|passed| pass(state, passed, at)),
        Event::StepStarted { attempt } => {
            state.attempt = state.attempt.max(attempt.number);
            on_step(state, &attempt.step, |step| finish::started(step, attempt, at));
        }
        Event::StepFinished { attempt, end, ruling } => finish::finished(state, *attempt, end, ruling, at),
        Event::NestedWaits { attempt, asks } => nested_waits(state, *attempt, asks.as_ref(), at),
        Event::StepAbandoned { attempt } => finish::abandoned(state, *attempt),
        Event::StepLost { attempt, ruling, .. } => finish::lost(state, *attempt, ruling, at),
        Event::LoopedBack { step, target, reset } => loop_back(state, step, target, reset),
        Event::StepsReset { reset, .. } => begin_anew(state, reset, at),
        Event::TriesRenewed { steps } => steps.iter().for_each(|renewed| renew(state, renewed)),
        Event::QueueChanged { change } => queue::change(state, change, at),
        Event::QueueChangeRefused { .. } => queue::drop_first(state),
        Event::ItemTicked { step, .. } => on_step(state, step, |step| step.ticked = true),
        Event::StatusesAdopted { edits } => edits.iter().for_each(|edit| adopt(state, edit, at)),
        Event::HumanAsked { question, step, text, digest, since } => {
            state.questions_asked = state.questions_asked.max(*question);
            on_step(state, step, |step| {
                step.status = StepStatus::WaitingOnHuman;
                step.ended_at = None;
                step.refused_input = None;
                step.asked_at = None;
                step.question = Some(Question {
                    number: *question,
                    text: text.clone(),
                    digest: digest.clone(),
                    since: since.unwrap_or(at),
                });
            });
        }
        Event::HumanAnswered { question, answer, input, .. } => {
            take_answer(state, *question);
            if let Some(index) = asked_by(state, *question) {
                let step = Arc::make_mut(&mut state.steps[index]);
                step.question = None;
                step.refused_input = None;
                if *answer == Answer::Abort {
                    state.requests.stop = Some((true, StopOrigin::Command));
                } else {
                    step.status = StepStatus::Running;
                    step.decided = Some(input.approved);
                    step.manual = Some(input.clone());
                }
                if state.status == Status::Waiting {
                    enter(state, Status::Running, None, None, at);
                }
            }
        }
        Event::StepConcluded { step, ruling } => finish::concluded(state, step, ruling, at),
        Event::AnswerRefused { question, .. } => take_answer(state, *question),
        Event::ManualInputRefused { step, digest, why } => on_step(state, step, |step| {
            step.refused_input = Some((digest.clone(), why.clone()));
        }),
        Event::LimitWarned { .. } => state.counters.warned = true,
        Event::BudgetSpent { detail, microusd } => {
            state.requests.budget = Some(detail.clone());
            state.counters.day_microusd = *microusd;
        }
        Event::RunObstructed { detail } => {
            state.requests.halt = Some((Reason::Environment, Some(detail.clone())));
        }
        Event::RunWaiting { reason, .. } => enter(state, Status::Waiting, Some(*reason), None, at),
        Event::RunPaused { reason, detail } => {
            state.requests.pause = false;
            state.requests.budget = None;
            enter(state, Status::Paused, Some(*reason), detail.clone(), at);
        }
        Event::RunResumed { raise } => resume(state, raise, at),
        Event::RunStopped { reason, detail } => {
            rest(state, Status::Stopped, Some(*reason), detail.clone(), at)
        }
        Event::RunFailed { reason, detail } => rest(state, Status::Failed, Some(*reason), detail.clone(), at),
        Event::RunCompleted { reason, detail } => {
            rest(state, Status::Completed, Some(*reason), detail.clone(), at)
        }
        // Of pause, stop and resume the last one asked for counts.
        Event::PauseRequested {} => {
            state.requests.pause = true;
            state.requests.resume = None;
        }
        Event::StopRequested { now, origin } => {
            let now = *now || matches!(state.requests.stop, Some((true, _)));
            state.requests.stop = Some((now, *origin));
            state.requests.resume = None;
            state.requests.start_at = None;
        }
        Event::ResumeRequested { raise } => {
            state.requests.resume = Some(raise.clone());
            state.requests.pause = false;
            state.requests.stop = None;
        }
        Event::StartAtRequested { step } => start_at(state, step),
        Event::QueueChangeRequested { change } => queue::hear(state, change),
        Event::AnswerGiven { question, answer, comment, seen, content } => {
            let (comment, seen, content) = (comment.clone(), seen.clone(), content.clone());
            hear(state, GivenAnswer { question: *question, answer: *answer, comment, seen, content });
        }
        Event::CheckpointTaken { .. } => {}
    }
}

/// A step that is not there cannot be begun from.
fn start_at(state: &mut State, step: &StepId) {
    if state.plan.graph().place(step).is_some() {
        state.requests.start_at = Some(step.clone());
        state.requests.pause = false;
        state.requests.stop = None;
    }
}

/// A flood of answers must not make a decision larger than an append; the first ones count.
fn hear(state: &mut State, answer: GivenAnswer) {
    if state.requests.answers.len() < ANSWERS_WAITING_MAX {
        state.requests.answers.push(answer);
    }
}

pub(super) fn on_step(state: &mut State, id: &StepId, change: impl FnOnce(&mut StepState)) {
    if let Some(index) = state.plan.graph().place(id) {
        change(Arc::make_mut(&mut state.steps[index]));
    }
}

fn nested_waits(state: &mut State, attempt: u32, asks: Option<&InnerQuestion>, at: Timestamp) {
    let is_it = |step: &Arc<StepState>| step.open.as_ref().is_some_and(|open| open.number == attempt);
    let Some(index) = state.steps.iter().position(is_it) else { return };
    let step = Arc::make_mut(&mut state.steps[index]);
    step.asks = asks.cloned();
    step.status = if asks.is_some() { StepStatus::WaitingOnHuman } else { StepStatus::Running };
    if asks.is_none() && state.status == Status::Waiting {
        enter(state, Status::Running, None, None, at);
    }
}

fn asked_by(state: &State, question: u32) -> Option<usize> {
    let asks = |step: &Arc<StepState>| step.question.as_ref().is_some_and(|open| open.number == question);
    state.steps.iter().position(asks)
}

pub(super) fn pass(state: &mut State, passed: &Passed, at: Timestamp) {
    on_step(state, &passed.step, |step| {
        step.status = if passed.skipped { StepStatus::Skipped } else { StepStatus::Completed };
        step.ended_at = Some(at);
        step.last_error = None;
        step.unwanted = false;
    });
    unblock(state, &passed.step);
}

/// A step is done: who was held until then is free, and why is over.
pub(super) fn unblock(state: &mut State, target: &StepId) {
    for step in &mut state.steps {
        if step.blocked.as_ref().is_some_and(|block| block.until == *target) {
            let step = Arc::make_mut(step);
            (step.blocked, step.last_error) = (None, None);
        }
    }
}

fn loop_back(state: &mut State, gate: &StepId, target: &StepId, reset: &[StepId]) {
    for id in reset {
        let (is_gate, is_target) = (id == gate, id == target);
        let block = Block { by: gate.clone(), until: target.clone() };
        on_step(state, id, |step| {
            *step = StepState {
                iteration_count: step.iteration_count.saturating_add(1),
                // The path of the report stays; what it said is archived.
                reported: step.reported,
                manual: step.manual.take(),
                blocked: (!is_target).then_some(block),
                // Why all of this begins anew stays known for as long as that holds the gate.
                last_error: step.last_error.take().filter(|_| is_gate && !is_target),
                // Work is never forgotten: if it is open all the same, its outcome is still to come.
                open: step.open.take(),
                ..StepState::default()
            };
        });
    }
    state.counters.loop_backs = state.counters.loop_backs.saturating_add(1);
    let by_step = state.counters.loop_backs_by_step.entry(gate.clone()).or_default();
    *by_step = by_step.saturating_add(1);
}

/// These steps are as new.
fn begin_anew(state: &mut State, reset: &[StepId], at: Timestamp) {
    // Limits that were raised with it are raised right after it.
    let Requests { answers, resume, changes, .. } = std::mem::take(&mut state.requests);
    state.requests = Requests { answers, resume, changes, ..Requests::default() };
    for id in reset {
        on_step(state, id, |step| *step = StepState { open: step.open.take(), ..StepState::default() });
    }
    enter(state, Status::Running, None, None, at);
}

fn renew(state: &mut State, renewed: &Renewed) {
    on_step(state, &renewed.step, |step| {
        give_tries(step);
        if renewed.all_items {
            step.index = 0;
        }
    });
}

/// A step that failed is to be tried again.
pub(super) fn give_tries(step: &mut StepState) {
    step.status = StepStatus::Pending;
    step.attempts = 0;
    step.lost = 0;
    step.failed_for = None;
    step.not_before = None;
    step.held = None;
    step.decided = None;
}

/// A person's hand: the status counts, with what must hold for it.
fn adopt(state: &mut State, edit: &Edit, at: Timestamp) {
    on_step(state, &edit.step, |step| {
        if step.open.is_some() {
            return;
        }
        match edit.status {
            StepStatus::WaitingOnHuman => *step = asked_again(std::mem::take(step)),
            StepStatus::Pending | StepStatus::Running => {
                *step = StepState {
                    iteration_count: step.iteration_count,
                    reported: step.reported,
                    manual: step.manual.clone(),
                    ..StepState::default()
                };
            }
            StepStatus::Completed | StepStatus::Skipped => {
                step.status = edit.status;
                step.ended_at.get_or_insert(at);
                step.last_error = None;
                step.nested = None;
                step.goes_back = false;
                step.failed_for = None;
                step.held = None;
                step.question = None;
                step.decided = None;
                step.blocked = None;
            }
            StepStatus::Failed => {
                step.status = StepStatus::Failed;
                step.ended_at.get_or_insert(at);
                step.failed_for = Some(Reason::Human);
                step.nested = None;
                step.goes_back = false;
                step.held = None;
                step.question = None;
                step.decided = None;
            }
        }
    });
    if edit.status.satisfies() {
        unblock(state, &edit.step);
    }
}

/// What a step did waits for a person's word, as if they had not been asked yet.
fn asked_again(step: StepState) -> StepState {
    let report = StepReport {
        completed: true,
        gate_failure: step.gate_failure,
        artifacts: step.artifacts,
        metrics: step.metrics,
        logs: step.logs,
        left_out: step.left_out,
        ..StepReport::default()
    };
    StepState {
        status: StepStatus::WaitingOnHuman,
        attempts: step.attempts,
        iteration_count: step.iteration_count,
        reported: step.reported,
        started_at: step.started_at,
        gate_failure: step.gate_failure,
        items: step.items,
        index: step.index,
        held: Some(report),
        manual: step.manual,
        ..StepState::default()
    }
}

/// Steps keep what they have by their names.
fn migrate(state: &mut State, definition: &Definition, digest: &str) {
    let old = state.plan.steps.iter().zip(&state.steps);
    let mut known: HashMap<StepId, Arc<StepState>> =
        old.map(|(step, runtime)| (step.id.clone(), runtime.clone())).collect();
    state.plan = Plan::new(definition.clone());
    state.steps = state.plan.steps.iter().map(|step| known.remove(&step.id).unwrap_or_default()).collect();
    state.digest = digest.to_owned();
}

/// What was said about money before is no longer known to hold; where it does, it is found out again.
fn change_options(state: &mut State, options: &Options) {
    state.options = options.clone();
    state.counters.warned = false;
    state.requests.budget = None;
}

/// What a run that begins anew keeps of the one that was discarded: no number is used twice, and no work is forgotten.
fn begin_after(state: &mut State, old: &State) {
    state.attempt = old.attempt;
    state.questions_asked = old.questions_asked;
    state.driver = old.driver.clone();
    for (step, runtime) in old.plan.steps.iter().zip(&old.steps).filter(|(_, step)| step.open.is_some()) {
        on_step(state, &step.id, |step| step.open = runtime.open.clone());
    }
}

fn resume(state: &mut State, raise: &Raise, at: Timestamp) {
    let options = &mut state.options;
    options.max_iterations = raise.max_iterations.unwrap_or(options.max_iterations);
    options.max_cost_microusd = raise.max_cost_microusd.or(options.max_cost_microusd);
    state.counters.warned &= raise.max_cost_microusd.is_none();
    if let Some(queue) = &mut options.queue {
        queue.max_tokens = raise.max_tokens.or(queue.max_tokens);
        queue.max_working_ms = raise.max_working_ms.or(queue.max_working_ms);
        // Whoever goes on after the deadline means to.
        queue.config.limits.deadline = queue.config.limits.deadline.filter(|deadline| *deadline > at);
    }
    options.daily_cost_microusd = raise.daily_cost_microusd.or(options.daily_cost_microusd);
    options.confine = options.confine.take().filter(|_| !raise.without_walls);
    state.requests = Requests {
        answers: std::mem::take(&mut state.requests.answers),
        start_at: state.requests.start_at.take(),
        changes: std::mem::take(&mut state.requests.changes),
        ..Requests::default()
    };
    enter(state, Status::Running, None, None, at);
}

pub(super) fn enter(
    state: &mut State,
    status: Status,
    reason: Option<Reason>,
    detail: Option<String>,
    at: Timestamp,
) {
    state.status = status;
    state.reason = reason;
    state.detail = detail;
    state.since = at;
}

fn rest(state: &mut State, status: Status, reason: Option<Reason>, detail: Option<String>, at: Timestamp) {
    // Whoever asked it to go on while it gave up has not been heard yet.
    let Requests { answers, resume, start_at, changes, .. } = std::mem::take(&mut state.requests);
    state.requests = Requests { answers, resume, start_at, changes, ..Requests::default() };
    enter(state, status, reason, detail, at);
}

/// The oldest answer to this question was judged.
fn take_answer(state: &mut State, question: u32) {
    if let Some(index) = state.requests.answers.iter().position(|given| given.question == question) {
        state.requests.answers.remove(index);
    }
}
