//! Turning a command into events.
//!
//! Every command is an outcome or a nudge; what follows from it is asked of [`next_event`] until there is nothing more
//! to say. So an outcome and the intents that follow leave together, and share one append.

use std::collections::BTreeSet;

use serde_json::Value;

use super::apply::give_tries;
use super::definition::{Definition, Step, StepId, Work};
use super::event::WorkflowEvent as Event;
use super::facts::{
    CostAction, Edit, GateVerdict, Inherited, InnerQuestion, ManualInput, OpenAttempt, Options, Order, Raise,
    Renewed, StepEnd,
};
use super::graph::Plan;
use super::limits::{PARALLEL_MAX, TRIES_MAX};
use super::state::{Effect, GivenAnswer, State, StepState, StepStatus};
use super::validate::{oversize, validate};
use super::{ask, judge, pass};
use crate::event::StopOrigin;
use crate::lifecycle::until_settled;
use crate::limits::{PAYLOAD_BYTES_MAX, TEXT_BYTES_MAX, TITLE_CHARS_MAX, clip};
use crate::loop_machine::{Answer, Place, TreeProof, room_past};
use crate::rejection::Rejection;
use crate::status::{Kind, Reason, Status};
use crate::{Epoch, Seq, Timestamp};

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
    /// Something that is not the agent's fault stands in the way; rest until it is mended.
    GiveUp {
        /// What it is.
        detail: String,
    },
    /// Look again: a request came in, or time passed.
    Tick,
}

/// The first event of a run.
pub fn create(order: Order) -> Result<Event, Rejection> {
    let Order { run, definition, options, inherited } = order;
    check_definition(&definition)?;
    check_options(&options)?;
    let (title, digest) = (title_of(&definition), definition.digest());
    let inherited = inherited.map(|inherited| to_go_on_with(inherited, &definition));
    Ok(Event::RunCreated {
        run,
        kind: Kind::Workflow,
        title,
        definition: Box::new(definition),
        digest,
        options: Box::new(options),
        inherited: inherited.map(Box::new),
    })
}

/// What of another run counts here. What it was doing when it was left is to be done here.
fn to_go_on_with(inherited: Inherited, definition: &Definition) -> Inherited {
    let is_here = |id: &StepId| definition.steps.iter().any(|step| step.id == *id);
    // What another run's agents reported lies with that run.
    let has_reports = inherited.run.is_none();
    let taken = |step: StepState| {
        let left_open = matches!(step.status, StepStatus::Running | StepStatus::WaitingOnHuman);
        if left_open && step.held.is_none() {
            return StepState { iteration_count: step.iteration_count, ..StepState::default() };
        }
        let reported = step.reported && has_reports;
        let none = StepState { open: None, asks: None, nested: None, question: None, decided: None, ..step };
        let mut taken = StepState { reported, ..none };
        if taken.status == StepStatus::Failed {
            give_tries(&mut taken);
        }
        taken
    };
    let steps = inherited.steps.into_iter().filter(|(id, _)| is_here(id));
    Inherited { steps: steps.map(|(id, step)| (id, taken(step))).collect(), ..inherited }
}

fn title_of(definition: &Definition) -> String {
    let title: String = definition.name.split_whitespace().collect::<Vec<_>>().join(" ");
    title.chars().filter(|character| !character.is_control()).take(TITLE_CHARS_MAX).collect()
}

fn check_definition(definition: &Definition) -> Result<(), Rejection> {
    let problems = validate(definition);
    if !problems.is_empty() {
        return Err(Rejection::BadDefinition(problems));
    }
    let bytes = serde_json::to_vec(definition).map_or(usize::MAX, |bytes| bytes.len());
    // Room for the rest of the event that holds it.
    if bytes > PAYLOAD_BYTES_MAX - (64 << 10) {
        return Err(Rejection::BadConfig("the workflow is larger than 4 MiB".to_owned()));
    }
    Ok(())
}

fn check_options(options: &Options) -> Result<(), Rejection> {
    let bad = |text: String| Err(Rejection::BadConfig(text));
    for (name, value, most) in [
        ("--max-attempts", options.max_attempts, TRIES_MAX),
        ("--max-iterations", options.max_iterations, TRIES_MAX),
        ("--max-parallel", options.max_parallel, PARALLEL_MAX),
    ] {
        if value == 0 || value > most {
            return bad(format!("`{name}` is outside of 1 to {most}"));
        }
    }
    for (key, value) in &options.env {
        if key.is_empty()
            || key.contains(['=', '\0'])
            || value.as_str().is_none_or(|text| text.contains('\0'))
        {
            return bad(format!("`{}` cannot be a variable", super::validate::shown(key)));
        }
    }
    Ok(())
}

/// What a fork of `state` begins with: everything up to `step`, which is done again with all that waits for it.
pub fn fork(state: &State, step: &StepId, seq: Option<Seq>) -> Result<Inherited, Rejection> {
    let graph = state.plan.graph();
    let Some(index) = graph.place(step) else {
        return Err(Rejection::NoSuchStep { run: state.run.clone(), step: step.clone() });
    };
    let anew = graph.with_dependents(index);
    let kept = (0..state.steps.len()).filter(|index| anew.binary_search(index).is_err());
    let fresh = StepState::default();
    let steps = kept
        .filter(|index| *state.steps[*index] != fresh)
        .map(|index| (state.id(index).clone(), StepState::clone(&state.steps[index])))
        .collect();
    Ok(Inherited { run: Some(state.run.clone()), seq, created_at: None, steps })
}

/// What was done of a workflow elsewhere, without this step and all that waits for it: they are as new. `None` where there is
/// no such step.
pub fn anew_from(inherited: Inherited, step: &StepId, definition: &Definition) -> Option<Inherited> {
    let plan = Plan::new(definition.clone());
    let anew: BTreeSet<usize> = plan.graph().with_dependents(plan.graph().place(step)?).into_iter().collect();
    let is_kept = |id: &StepId| plan.graph().place(id).is_some_and(|index| !anew.contains(&index));
    let steps = inherited.steps.into_iter().filter(|(id, _)| is_kept(id)).collect();
    Some(Inherited { steps, ..inherited })
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
            let end = Box::new(end.bounded(state.steps.len()));
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
        Command::TakeItems { step, items } => take_items(state, step, items)?,
        Command::TakeGates { step, verdicts } => return take_gates(state, step, verdicts),
        Command::TakeManualInput { step, question, digest, input } => {
            return take_input(state, step, question, digest, input);
        }
        Command::SpendBudget { .. } if state.status == Status::Completed => return Err(finished()),
        Command::SpendBudget { detail, microusd } => {
            let detail = clip(&detail, TEXT_BYTES_MAX).to_owned();
            // A run that only says so says it once, however the sum grows.
            let is_said =
                state.options.cost_limit_action == CostAction::Warn && state.requests.budget.is_some();
            if is_said || state.requests.budget.as_ref() == Some(&detail) {
                return Ok(None);
            }
            Event::BudgetSpent { detail, microusd }
        }
        Command::AdoptStatuses(edits) => adopt(state, edits)?,
        Command::Migrate(definition) => return migrate(state, *definition),
        Command::ChangeOptions(options) => return change_options(state, options),
        Command::Restart(order) => restart(state, *order)?,
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

fn take_items(state: &State, step: StepId, items: Result<Vec<Value>, String>) -> Result<Event, Rejection> {
    let wanted = state.effects().into_iter().any(|effect| match effect {
        Effect::Items { step: waiting, .. } => waiting == step,
        Effect::Attempt(_) | Effect::Gates { .. } | Effect::ManualInput { .. } | Effect::Timer(_) => false,
    });
    if !wanted {
        return Err(Rejection::NotOpen);
    }
    let items = items.and_then(|items| oversize(&items).map_or(Ok(items), Err));
    Ok(match items {
        Ok(items) => Event::ItemsRead { step, items },
        Err(why) => Event::ItemsRefused { step, why: clip(&why, TEXT_BYTES_MAX).to_owned() },
    })
}

fn take_gates(state: &State, step: StepId, verdicts: Vec<GateVerdict>) -> Result<Option<Event>, Rejection> {
    let asked = state.effects().into_iter().find_map(|effect| match effect {
        Effect::Gates { step: waiting, gates } if waiting == step => Some(gates),
        _ => None,
    });
    let Some(gates) = asked else { return Err(Rejection::NotOpen) };
    // What nobody looked at is closed.
    let verdict = |gate: super::definition::Gate| {
        let found = verdicts.iter().find(|verdict| verdict.gate == gate);
        let why = || found.and_then(|found| found.why.as_deref());
        GateVerdict {
            open: found.is_some_and(|found| found.open),
            why: why().map(|why| clip(why, TEXT_BYTES_MAX / 8).to_owned()),
            gate,
        }
    };
    let verdicts: Vec<GateVerdict> = gates.into_iter().map(verdict).collect();
    let known = state.step(&step).is_some_and(|step| step.verdicts == verdicts);
    Ok((!known).then_some(Event::GatesSeen { step, verdicts }))
}

fn take_input(
    state: &State,
    step: StepId,
    number: u32,
    digest: String,
    input: Result<ManualInput, String>,
) -> Result<Option<Event>, Rejection> {
    let waiting = state.step(&step).and_then(|step| step.question.as_ref().map(|question| (step, question)));
    let Some((runtime, question)) = waiting.filter(|(_, question)| question.number == number) else {
        return Err(Rejection::NotOpen);
    };
    match input {
        Ok(input) => {
            let answer = if input.approved { Answer::Approve } else { Answer::Reject };
            Ok(Some(Event::HumanAnswered { question: question.number, answer, input, bound: false }))
        }
        Err(why) => {
            let said = runtime.refused_input.as_ref().is_some_and(|(known, _)| *known == digest);
            let why = clip(&why, TEXT_BYTES_MAX).to_owned();
            Ok((!said).then_some(Event::ManualInputRefused { step, digest, why }))
        }
    }
}

fn adopt(state: &State, edits: Vec<Edit>) -> Result<Event, Rejection> {
    let at_rest = matches!(state.status, Status::Paused | Status::Stopped | Status::Failed | Status::Waiting);
    if !at_rest || edits.is_empty() {
        return Err(Rejection::NotOpen);
    }
    none_at_work(state)?;
    for Edit { step, status } in &edits {
        let Some(index) = state.plan.graph().place(step) else {
            return Err(Rejection::NoSuchStep { run: state.run.clone(), step: step.clone() });
        };
        let is_open = state.steps[index].open.is_some();
        let why = if is_open { Some(WAITS) } else { state.cannot_be(index, *status) };
        if let Some(why) = why {
            return Err(in_the_way(state, step, format!("cannot be {status}: {why}")));
        }
    }
    Ok(Event::StatusesAdopted { edits })
}

const WAITS: &str = "it waits for the run that is its work";

/// Whether nothing is open but runs that are steps of this one, and wait for a person.
fn none_at_work(state: &State) -> Result<(), Rejection> {
    state.at_work().map_or(Ok(()), |step| Err(in_the_way(state, step, "is at work".to_owned())))
}

fn in_the_way(state: &State, step: &StepId, why: String) -> Rejection {
    Rejection::InTheWay { run: state.run.clone(), step: step.clone(), why }
}

fn migrate(state: &State, definition: Definition) -> Result<Option<Event>, Rejection> {
    none_at_work(state)?;
    check_definition(&definition)?;
    let is_kept = |id: &StepId| {
        let mut steps = definition.steps.iter();
        steps.any(|step| step.id == *id && matches!(step.work, Work::Workflow { .. }))
    };
    let mut open = (0..state.steps.len()).filter(|index| state.steps[*index].open.is_some());
    if let Some(index) = open.find(|index| !is_kept(state.id(*index))) {
        let why = format!("cannot go: {WAITS}");
        return Err(in_the_way(state, state.id(index), why));
    }
    let digest = definition.digest();
    if digest == state.digest {
        return Ok(None);
    }
    let was_to_go_back = |step: &&Step| state.step(&step.id).is_some_and(|known| known.goes_back.is_some());
    let ends_here = definition.steps.iter().filter(|step| step.loop_back_to.is_none());
    let stay = ends_here.filter(was_to_go_back).map(|step| step.id.clone()).collect();
    Ok(Some(Event::DefinitionChanged { definition: Box::new(definition), digest, stay }))
}

fn change_options(state: &State, options: Box<Options>) -> Result<Option<Event>, Rejection> {
    check_options(&options)?;
    Ok((*options != state.options).then_some(Event::OptionsChanged { options }))
}

fn restart(state: &State, order: Order) -> Result<Event, Rejection> {
    if !state.is_over_for_now() {
        return Err(Rejection::NotOpen);
    }
    let Order { definition, options, .. } = order;
    check_definition(&definition)?;
    check_options(&options)?;
    let (title, digest) = (title_of(&definition), definition.digest());
    Ok(Event::RunRestarted { title, definition: Box::new(definition), digest, options: Box::new(options) })
}

/// The one event that follows from where the run is, if any.
pub(super) fn next_event(state: &State, now: Timestamp) -> Option<Event> {
    if let Some(given) = state.requests.answers.first() {
        return Some(ask::judge(state, given));
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
    let nothing_open = state.open_count() == 0;
    if let Some(event) = ask::conclude(state).or_else(|| ask::next(state)).or_else(|| due_loop_back(state)) {
        return Some(event);
    }
    if state.requests.start_at.is_some() {
        return anew(state);
    }
    if let Some((index, reason)) = state.failed_step() {
        let why = state.steps[index].last_error.as_deref().unwrap_or("no reason given");
        let detail = Some(format!("step `{}`: {why}", state.id(index)));
        return nothing_open.then_some(Event::RunFailed { reason, detail });
    }
    if state.is_done() {
        return Some(Event::RunCompleted { reason: Reason::Done });
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
    if state.failed_step().is_some() {
        return None;
    }
    let mut due = state.steps.iter().enumerate().filter(|(_, step)| step.goes_back.is_some());
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
    if state.open_count() >= state.max_parallel() {
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
            nested: matches!(state.plan.step(index).work, Work::Workflow { .. })
                .then(|| step.nested.unwrap_or(number)),
        },
    })
}

/// Nothing can be started: it waits for a person, or for nothing that will ever come.
fn nothing_left(state: &State) -> Option<Event> {
    let is_for_people = |effect: &Effect| match effect {
        Effect::ManualInput { .. } => true,
        Effect::Attempt(open) => state.step(&open.step).is_some_and(|step| step.asks.is_some()),
        Effect::Items { .. } | Effect::Gates { .. } | Effect::Timer(_) => false,
    };
    let (people, others): (Vec<_>, Vec<_>) = state.effects().into_iter().partition(is_for_people);
    if !others.is_empty() || state.driver.is_none() {
        return None;
    }
    if !people.is_empty() {
        return Some(Event::RunWaiting { reason: Reason::Human, until: None });
    }
    let stuck = state.steps.iter().position(|step| step.status == StepStatus::Pending)?;
    let detail = Some(format!("step `{}` waits for something that never comes", state.id(stuck)));
    Some(Event::RunFailed { reason: Reason::Blocked, detail })
}

fn stopped(origin: StopOrigin) -> Event {
    Event::RunStopped { reason: origin.reason(), detail: None }
}

/// Whether a person's request makes sense where the run is; the journal would take it in any case.
pub fn admit(state: &State, request: &Event) -> Result<(), Rejection> {
    let run = || state.run.clone();
    let nothing_to = |action| Err(Rejection::NothingTo { run: run(), status: state.status, action });
    if let Event::StartAtRequested { step } = request {
        let known = state.step(step).is_some();
        return known.then_some(()).ok_or_else(|| Rejection::NoSuchStep { run: run(), step: step.clone() });
    }
    if state.status == Status::Completed && state.requests.start_at.is_none() {
        return Err(Rejection::Finished { run: run(), status: state.status });
    }
    match request {
        Event::PauseRequested {}
            if matches!(state.status, Status::Paused | Status::Stopped | Status::Failed) =>
        {
            nothing_to("pause")
        }
        Event::StopRequested { .. } if matches!(state.status, Status::Stopped | Status::Failed) => {
            nothing_to("stop")
        }
        Event::ResumeRequested { raise } => match still_reached(state, raise) {
            Some(reason) => Err(Rejection::AtLimit { run: run(), reason, raise: raise_past(state, reason) }),
            None => Ok(()),
        },
        Event::AnswerGiven { question, .. }
            if state.questions().iter().all(|(_, open)| open.number != *question) =>
        {
            Err(Rejection::NoSuchQuestion { run: run(), question: *question })
        }
        _ => Ok(()),
    }
}

/// What `piton resume` needs to get a run past the one of these two limits, with room beyond.
pub fn raise_past(state: &State, reason: Reason) -> String {
    const DOLLAR: u64 = 1_000_000;
    if reason == Reason::LimitCost && state.over_own_limit().is_none() {
        let limit = state.options.daily_cost_microusd.unwrap_or(0);
        let room = room_past(state.counters.day_microusd, limit, 10 * DOLLAR);
        return format!("--daily-cost-limit +{}", room.div_ceil(DOLLAR));
    }
    if reason == Reason::LimitCost {
        let limit = state.options.max_cost_microusd.unwrap_or(0);
        let room = room_past(state.counters.cost_microusd, limit, 10 * DOLLAR);
        return format!("--max-cost +{}", room.div_ceil(DOLLAR));
    }
    let limit = state.options.max_iterations;
    let failed = state.steps.iter().filter(|step| step.failed_for == Some(Reason::LimitIterations));
    let used = failed.map(|step| step.iteration_count).max().unwrap_or(limit);
    let room = room_past(used.into(), limit.into(), 4).min(TRIES_MAX.saturating_sub(limit).into());
    format!("--max-iterations +{room}")
}

/// The limit that would stop the run again at once.
fn still_reached(state: &State, raise: &Raise) -> Option<Reason> {
    let most = raise.max_iterations.unwrap_or(state.options.max_iterations);
    let spent = |limit: u64| state.counters.cost_microusd >= limit;
    let at_iterations =
        |step: &StepState| step.failed_for == Some(Reason::LimitIterations) && step.iteration_count >= most;
    if state.steps.iter().any(|step| at_iterations(step)) {
        return Some(Reason::LimitIterations);
    }
    let money = raise.max_cost_microusd.or(state.options.max_cost_microusd);
    let stops = state.options.cost_limit_action != CostAction::Warn;
    (stops && money.is_some_and(spent)).then_some(Reason::LimitCost)
}

/// Used by [`ask::judge`].
pub(super) fn refuse(given: &GivenAnswer, why: &str) -> Event {
    Event::AnswerRefused { question: given.question, why: why.to_owned() }
}
