//! The moments of a workflow that its published file is promised to show, although what follows is decided with them: every
//! step pending at the start, the gate that failed, the steps that a loop-back reset.

use super::event::WorkflowEvent as Event;
use super::facts::StepVerdict;
use super::state::State;
use crate::Timestamp;
use crate::status::Status;

/// Those among `events`, each as the state after it.
pub(super) fn of(before: &State, events: &[Event], at: Timestamp) -> Vec<State> {
    let mut moments = Vec::new();
    if !events.iter().any(|event| is_one(before, event)) {
        return moments;
    }
    let mut state = before.clone();
    for event in events {
        let shown = is_one(&state, event);
        state = super::apply(Some(state), event, at).expect("a state stays a state");
        if shown {
            moments.push(state.clone());
        }
    }
    moments
}

fn is_one(before: &State, event: &Event) -> bool {
    let begins = before.status == Status::Created && matches!(event, Event::DriverStarted { .. });
    let goes_back = match event {
        Event::StepFinished { ruling, .. } | Event::StepConcluded { ruling, .. } => {
            matches!(ruling.verdict, StepVerdict::GoBack { .. })
        }
        other => matches!(other, Event::LoopedBack { .. }),
    };
    begins || goes_back
}
