//! What people change of a run at rest: statuses, its definition, its options. What is at work stands in the way of that.

use super::begin::{check_definition, check_options};
use super::definition::{Definition, Step, StepId, Work};
use super::event::WorkflowEvent as Event;
use super::facts::{Edit, Options};
use super::state::State;
use crate::rejection::Rejection;
use crate::status::Status;

pub(super) fn adopt(state: &State, edits: Vec<Edit>) -> Result<Event, Rejection> {
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

pub(super) fn migrate(state: &State, definition: Definition) -> Result<Option<Event>, Rejection> {
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
    let was_to_go_back = |step: &&Step| state.step(&step.id).is_some_and(|known| known.goes_back);
    let ends_here = definition.steps.iter().filter(|step| step.loop_back_to.is_none());
    let stay = ends_here.filter(was_to_go_back).map(|step| step.id.clone()).collect();
    Ok(Some(Event::DefinitionChanged { definition: Box::new(definition), digest, stay }))
}

pub(super) fn options(state: &State, options: Box<Options>) -> Result<Option<Event>, Rejection> {
    check_options(&options)?;
    Ok((*options != state.options).then_some(Event::OptionsChanged { options }))
}
