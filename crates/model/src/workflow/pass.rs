//! Steps that need no run: skipped by their condition, or a collection without items.
//!
//! One event passes all that follow from each other, so that a chain of any length is one decision.

use std::borrow::Cow;

use super::apply;
use super::definition::Items;
use super::event::WorkflowEvent as Event;
use super::facts::Passed;
use super::state::{State, StepStatus};
use crate::Timestamp;

/// Every step that can be passed now, needs first.
pub(super) fn next(state: &State, now: Timestamp) -> Option<Event> {
    let mut order: Vec<(usize, usize)> = (0..state.steps.len())
        .filter(|index| state.steps[*index].status == StepStatus::Pending)
        .filter(|index| {
            state.plan.step(*index).when.is_some() || state.plan.step(*index).collection.is_some()
        })
        .filter_map(|index| state.plan.graph().level(index).map(|level| (level, index)))
        .collect();
    order.sort_unstable();
    let mut seen = Cow::Borrowed(state);
    let voided = state.voided();
    let mut steps = Vec::new();
    for (_, index) in order {
        let Some(skipped) = verdict(&seen, index, &voided) else { continue };
        let passed = Passed { step: state.id(index).clone(), skipped };
        apply::pass(seen.to_mut(), &passed, now);
        steps.push(passed);
    }
    (!steps.is_empty()).then_some(Event::StepsPassed { steps })
}

/// Whether this step is passed: `Some(true)` by its condition, `Some(false)` for want of items.
fn verdict(state: &State, index: usize, voided: &[usize]) -> Option<bool> {
    let (step, runtime) = (state.plan.step(index), &state.steps[index]);
    if !state.is_next(index, voided) {
        return None;
    }
    // A condition is asked before the first try. Items may be missing later, too: where another definition made a
    // collection of a step that was tried before.
    let fresh = runtime.attempts == 0 && runtime.index == 0;
    if let Some(when) = step.when.as_ref().filter(|_| fresh) {
        let seen = when.gates().is_empty() || !runtime.verdicts.is_empty();
        if !seen {
            return None;
        }
        if !when.holds(&state.facts_for(index)) {
            return Some(true);
        }
    }
    let collection = step.collection.as_ref()?;
    if state.preparation(index).is_some() {
        return None;
    }
    let empty = match (&runtime.items, collection.sources.first()) {
        (Some(items), _) => items.is_empty(),
        (None, Some(Items::Given(items))) => items.is_empty(),
        (None, _) => false,
    };
    empty.then_some(false)
}
