//! Turning a command into events.
//!
//! Every command is an outcome or a nudge; what follows from it is asked of [`next_event`] until there is nothing more
//! to say. So an outcome and the intents that follow leave together, and share one append.

use serde_json::Value;

use super::definition::{Definition, StepId};
use super::event::WorkflowEvent as Event;
use super::facts::{
    CostAction, Edit, GateVerdict, InnerQuestion, ManualInput, OpenAttempt, Options, Order, Raise, Renewed,
    StepEnd,
};
use super::state::{Effect, State, StepStatus};
use super::{ask, begin, change, judge, pass, queue, take};
use crate::event::StopOrigin;
use crate::lifecycle::until_settled;
use crate::limits::{TEXT_BYTES_MAX, clip};
use crate::loop_machine::{Place, TreeProof};
use crate::rejection::Rejection;
use crate::status::{Reason, Status};
use crate::{Epoch, Timestamp};

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
    /// The attempt ended like this.
    EndAttempt { attempt: u32, end: Box<StepEnd> },
    /// The attempt was never started.
    AbandonAttempt { attempt: u32 },
    /// The run that is this attempt asks a person, or no longer does.
    TakeNested { attempt: u32, asks: Option<InnerQuestion> },
    /// The attempt's outcome cannot be known.
    LoseAttempt {
        attempt: u32,
        /// How it is known that nothing of it runs.
        tree: TreeProof,
    },
    /// These are the items of a collection, or why they cannot be read.
    TakeItems {
        /// The step that is run for each.
        step: StepId,
        items: Result<Vec<Value>, String>,
    },
    /// This is how the gates of a step stand.
    TakeGates {
        /// The step that waits for them.
        step: StepId,
        /// What was found.
        verdicts: Vec<GateVerdict>,
    },
    /// A manual input lies there, or something that should be one.
    TakeManualInput {
        step: StepId,
        /// The question it was looked for. One that was asked since needs an answer of its own.
        question: u32,
        /// Digest of the file.
        digest: String,
        /// What it says, or why it cannot be read.
        input: Result<ManualInput, String>,
    },
    /// More money is spent than may be, beyond this run.
    SpendBudget {
        /// By which account.
        detail: String,
        /// What all workflows have cost today.
        microusd: u64,
    },
    /// Somebody wrote these statuses into the file while the run was at rest.
    AdoptStatuses(Vec<Edit>),
    /// Go on with this definition.
    Migrate(Box<Definition>),
    /// Go on with these options.
    ChangeOptions(Box<Options>),
    /// Begin anew under the same name: what it did was discarded.
    Restart(Box<Order>),
    /// Its row is in the archive, and its directory is about to go.
    Archive,
    /// The list of the queue says that this item is done, or why it cannot.
    TakeTick { step: StepId, why: Option<String> },
    /// Something that is not the agent's fault stands in the way; rest until it is mended.
    GiveUp { detail: String },
    /// Look again: a request came in, or time passed.
    Tick,
}

/// What follows from `command` at `now`.
pub fn decide(state: &State, command: Command, now: Timestamp) -> Result<Vec<Event>, Rejection> {
    advance(state, command, now).map(|(events, _)| events)
}

/// What follows from `command` at `now`, and the state it leads to.
pub fn advance(state: &State, command: Command, now: Timestamp) -> Result<(Vec<Event>, State), Rejection> {
    let outcome = outcome(state, command, now)?.into_iter().collect();
    Ok(until_settled(state, outcome, now, |state| next_event(state, now).into_iter().collect()))
}

/// The fact that a command brings, if it brings one.
fn outcome(state: &State, command: Command, now: Timestamp) -> Result<Option<Event>, Rejection> {
    let is_open = |attempt: u32| {
        let is_it = |open: &OpenAttempt| open.number == attempt;
        let found = state.steps.iter().position(|step| step.open.as_ref().is_some_and(is_it));
        found.ok_or(Rejection::NotOpen)
    };
    let finished = || Rejection::Finished { run: state.run.clone(), status: state.status };
    Ok(Some(match command {
        Command::Drive { .. } if state.status == Status::Completed && state.requests.start_at.is_none() => {
            return Ok(None);
        }
        Command::Drive { epoch, place, version } => {
            Event::DriverStarted { epoch, host: place.host, boot: place.boot, pid: place.pid, version }
        }
        Command::EndAttempt { attempt, end } => {
            let index = is_open(attempt)?;
            // Judged by all that was reported; what is kept may be less.
            let ruling = judge::finished(state, index, &end, now);
            let end = Box::new(end.bounded(state.steps.len(), &state.steps[index].artifacts));
            Event::StepFinished { attempt, end, ruling }
        }
        Command::AbandonAttempt { attempt } => {
            is_open(attempt)?;
            Event::StepAbandoned { attempt }
        }
        Command::TakeNested { attempt, asks } => {
            let index = is_open(attempt)?;
            if state.steps[index].asks == asks {
                return Ok(None);
            }
            Event::NestedWaits { attempt, asks }
        }
        Command::LoseAttempt { attempt, tree } => {
            let index = is_open(attempt)?;
            Event::StepLost { attempt, tree, ruling: judge::lost(state, index, now) }
        }
        Command::TakeItems { step, items } => take::items(state, step, items)?,
        Command::TakeGates { step, verdicts } => return take::gates(state, step, verdicts),
        Command::TakeManualInput { step, question, digest, input } => {
            return take::input(state, step, question, digest, input);
        }
        Command::SpendBudget { .. } if state.status == Status::Completed => return Err(finished()),
        Command::SpendBudget { detail, microusd } => {
            let detail = clip(&detail, TEXT_BYTES_MAX).to_owned();
            // A run that only says so says it once, however the sum grows.
            let only_warns = state.options.cost_limit_action == CostAction::Warn;
            if state.spent_beyond().is_some_and(|known| only_warns || known == microusd) {
                return Ok(None);
            }
            Event::BudgetSpent { detail, microusd }
        }
        Command::TakeTick { step, why } => return queue::ticked(state, step, why),
        Command::AdoptStatuses(edits) => change::adopt(state, edits)?,
        Command::Migrate(definition) => return change::migrate(state, *definition),
        Command::ChangeOptions(options) => return change::options(state, options),
        Command::Restart(order) => begin::restart(state, *order)?,
        Command::Archive if !state.is_over_for_now() => return Err(Rejection::NotOpen),
        Command::Archive => Event::RunArchived {},
        Command::GiveUp { .. } if state.status == Status::Completed => return Err(finished()),
        Command::GiveUp { detail } => give_up(state, clip(&detail, TEXT_BYTES_MAX).to_owned()),
        Command::Tick => return Ok(None),
    }))
}

/// Comes to rest; where attempts are open, once they have ended. What stands in the way a second time is not waited for.
fn give_up(state: &State, detail: String) -> Event {
    let at_work = matches!(state.status, Status::Running | Status::Rebooting);
    // What came first says why; what follows from it is no news.
    let detail = match &state.requests.halt {
        Some((Reason::Environment, Some(first))) => first.clone(),
        _ if at_work && state.open_count() > 0 => return Event::RunObstructed { detail },
        _ => detail,
    };
    Event::RunStopped { reason: Reason::Environment, detail: Some(detail) }
}

/// The one event that follows from where the run is, if any.
pub(super) fn next_event(state: &State, now: Timestamp) -> Option<Event> {
    if let Some(given) = state.requests.answers.first() {
        return Some(ask::judge(state, given));
    }
    if let Some(change) = state.requests.changes.first() {
        return Some(queue::judge(state, change));
    }
    match state.status {
        Status::Created => None,
        Status::Completed => anew(state),
        Status::Paused | Status::Stopped | Status::Failed => {
            if let Some(event) = anew(state) {
                return Some(event);
            }
            match (&state.requests.resume, state.requests.stop) {
                (Some(raise), _) => Some(after_a_rest(state, raise)),
                (None, Some((_, origin))) if state.status == Status::Paused => Some(stopped(origin)),
                (None, _) => None,
            }
        }
        Status::Waiting => while_waiting(state),
        Status::Running | Status::Rebooting => while_running(state, now),
    }
}

/// Somebody wants to begin anew from a step. What is open is brought to its end first.
fn anew(state: &State) -> Option<Event> {
    let step = state.requests.start_at.as_ref()?;
    if state.open_count() == 0 {
        let graph = state.plan.graph();
        let reset = graph.place(step).map_or_else(Vec::new, |index| graph.with_dependents(index));
        // Elsewhere only failures are tried again.
        let anew = || Event::StepsReset { step: step.clone(), reset: state.ids(&reset) };
        return Some(renewal(state, &reset).unwrap_or_else(anew));
    }
    let raise = state.requests.resume.clone().unwrap_or_default();
    match state.status {
        Status::Running | Status::Rebooting => None,
        Status::Waiting => Some(Event::RunResumed { raise }),
        _ => Some(after_a_rest(state, &raise)),
    }
}

/// The run goes on after a rest; what failed gets its tries again before that.
fn after_a_rest(state: &State, raise: &Raise) -> Event {
    renewal(state, &[]).unwrap_or_else(|| Event::RunResumed { raise: raise.clone() })
}

/// Failed steps get their tries again, but for these.
fn renewal(state: &State, but: &[usize]) -> Option<Event> {
    let failed = (0..state.steps.len()).filter(|index| state.steps[*index].status == StepStatus::Failed);
    let renewed = failed
        .filter(|index| !but.contains(index))
        .map(|index| Renewed { step: state.id(index).clone(), all_items: had_all_items(state, index) });
    let steps: Vec<Renewed> = renewed.collect();
    (!steps.is_empty()).then_some(Event::TriesRenewed { steps })
}

fn had_all_items(state: &State, index: usize) -> bool {
    let Some(collection) = &state.plan.step(index).collection else { return false };
    let most = collection.max_iterations.map_or(usize::MAX, |most| most as usize);
    let count = state.item_count(index).map(|count| count.min(most));
    count.is_some_and(|count| state.steps[index].index as usize >= count)
}

fn while_waiting(state: &State) -> Option<Event> {
    if let Some(event) = anew(state) {
        return Some(event);
    }
    if let Some((_, origin)) = state.requests.stop {
        return Some(stopped(origin));
    }
    if state.requests.pause {
        return Some(Event::RunPaused { reason: Reason::Human, detail: None });
    }
    // Somebody's edit may have taken away what it waited for.
    let raise = state.requests.resume.clone().or_else(|| (!state.asks_people()).then(Raise::default))?;
    Some(Event::RunResumed { raise })
}

fn while_running(state: &State, now: Timestamp) -> Option<Event> {
    if let Some(raise) = &state.requests.resume {
        return Some(Event::RunResumed { raise: raise.clone() });
    }
    if let Some(event) = warning(state) {
        return Some(event);
    }
    let nothing_open = state.busy_count() == 0;
    if let Some(event) = ask::conclude(state).or_else(|| ask::next(state)).or_else(|| due_loop_back(state)) {
        return Some(event);
    }
    if state.requests.start_at.is_some() {
        return anew(state);
    }
    if let Some(event) = queue::skip(state) {
        return Some(event);
    }
    // What is done is ticked before the run comes to rest for whatever reason.
    if nothing_open && state.has_ticks_left() {
        return None;
    }
    if let Some((index, reason)) = state.failure() {
        let why = state.steps[index].last_error.as_deref().unwrap_or("no reason given");
        let detail = Some(format!("step `{}`: {why}", state.id(index)));
        return nothing_open.then_some(Event::RunFailed { reason, detail });
    }
    if state.is_done() {
        return Some(Event::RunCompleted { reason: Reason::Done, detail: None });
    }
    if let Some((_, origin)) = state.requests.stop {
        return nothing_open.then(|| stopped(origin));
    }
    if let Some((reason, detail)) = &state.requests.halt {
        return nothing_open.then(|| Event::RunStopped { reason: *reason, detail: detail.clone() });
    }
    if state.requests.pause {
        return nothing_open.then_some(Event::RunPaused { reason: Reason::Human, detail: None });
    }
    if let Some(event) = queue::over(state, now) {
        return match (state.busy_count(), state.open_count()) {
            (0, 0) => Some(event),
            (0, _) => nothing_left(state),
            _ => None,
        };
    }
    if let Some(event) = overspent(state) {
        return nothing_open.then_some(event);
    }
    if let Some(event) = pass::next(state, now) {
        return Some(event);
    }
    next_start(state, now).or_else(|| nothing_left(state))
}

/// More is spent than may be, and the run ends for it.
fn overspent(state: &State) -> Option<Event> {
    let (reason, detail) = (Reason::LimitCost, Some(state.overspent()?));
    match state.options.cost_limit_action {
        CostAction::Warn => None,
        CostAction::Pause => Some(Event::RunPaused { reason, detail }),
        CostAction::Fail => Some(Event::RunFailed { reason, detail }),
    }
}

/// More is spent than may be, and the run only says so: once, and before it is called completed.
fn warning(state: &State) -> Option<Event> {
    let warns = state.options.cost_limit_action == CostAction::Warn && !state.counters.warned;
    warns.then(|| state.over_own_limit()).flatten().map(|detail| Event::LimitWarned { detail })
}

fn due_loop_back(state: &State) -> Option<Event> {
    if state.failure().is_some() {
        return None;
    }
    let mut due = state.steps.iter().enumerate().filter(|(_, step)| step.goes_back);
    due.find_map(|(gate, _)| {
        let (target, reset) = state.reset_by(gate)?;
        let at_rest = reset.iter().all(|index| state.steps[*index].open.is_none());
        at_rest.then(|| Event::LoopedBack {
            step: state.id(gate).clone(),
            target: state.id(target).clone(),
            reset: state.ids(&reset),
        })
    })
}

fn next_start(state: &State, now: Timestamp) -> Option<Event> {
    let driver = state.driver.as_ref()?;
    if state.busy_count() >= state.max_parallel() {
        return None;
    }
    let voided = state.voided();
    let is_due = |index: &usize| {
        state.is_next(*index, &voided)
            && state.steps[*index].not_before.is_none_or(|moment| moment <= now)
            && state.preparation(*index).is_none()
    };
    let index = (0..state.steps.len()).find(is_due)?;
    let (number, step) = (state.attempt + 1, &state.steps[index]);
    Some(Event::StepStarted {
        attempt: OpenAttempt {
            number,
            step: state.id(index).clone(),
            attempt: step.attempts + 1,
            iteration: step.iteration_count,
            item: state.plan.step(index).collection.as_ref().map(|_| step.index),
            host: driver.host.clone(),
            boot: driver.boot.clone(),
            directory: format!("attempts/{}/{number}", state.run),
            nested: state.plan.step(index).work.is_run().then(|| step.nested.unwrap_or(number)),
        },
    })
}

/// Nothing can be started: it waits for a person, or for nothing that will ever come.
fn nothing_left(state: &State) -> Option<Event> {
    let is_for_people = |effect: &Effect| match effect {
        Effect::ManualInput { .. } => true,
        Effect::Attempt(open) => state.step(&open.step).is_some_and(|step| step.asks.is_some()),
        Effect::Items { .. } | Effect::Gates { .. } | Effect::Tick { .. } | Effect::Timer(_) => false,
    };
    let (people, others): (Vec<_>, Vec<_>) = state.effects().into_iter().partition(is_for_people);
    if !others.is_empty() || state.driver.is_none() {
        return None;
    }
    if !people.is_empty() {
        return Some(Event::RunWaiting { reason: Reason::Human, until: None });
    }
    if state.options.queue.is_some() {
        return Some(queue::end(state));
    }
    let stuck = state.steps.iter().position(|step| step.status == StepStatus::Pending)?;
    let detail = Some(format!("step `{}` waits for something that never comes", state.id(stuck)));
    Some(Event::RunFailed { reason: Reason::Blocked, detail })
}

fn stopped(origin: StopOrigin) -> Event {
    Event::RunStopped { reason: origin.reason(), detail: None }
}
