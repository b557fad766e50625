//! How a run begins: from an order, from what another run or tool did, anew under its name. And what may be ordered.

use std::collections::BTreeSet;

use super::apply::give_tries;
use super::definition::{Definition, StepId};
use super::event::WorkflowEvent as Event;
use super::facts::{Inherited, Options, Order};
use super::graph::Plan;
use super::limits::{PARALLEL_MAX, TRIES_MAX};
use super::state::{State, StepState, StepStatus};
use super::validate::validate;
use crate::Seq;
use crate::limits::{PAYLOAD_BYTES_MAX, TITLE_CHARS_MAX};
use crate::rejection::Rejection;
use crate::status::Kind;

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

pub(super) fn check_definition(definition: &Definition) -> Result<(), Rejection> {
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

pub(super) fn check_options(options: &Options) -> Result<(), Rejection> {
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

/// What a run does is discarded, and its name is used again.
pub(super) fn restart(state: &State, order: Order) -> Result<Event, Rejection> {
    if !state.is_over_for_now() {
        return Err(Rejection::NotOpen);
    }
    let Order { definition, options, .. } = order;
    check_definition(&definition)?;
    check_options(&options)?;
    let (title, digest) = (title_of(&definition), definition.digest());
    Ok(Event::RunRestarted { title, definition: Box::new(definition), digest, options: Box::new(options) })
}
