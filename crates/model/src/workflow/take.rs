//! What was looked up for a step: items, gates, a person's file.

use serde_json::Value;

use super::definition::{Gate, StepId};
use super::event::WorkflowEvent as Event;
use super::facts::{GateVerdict, ManualInput};
use super::state::{Effect, State};
use super::validate::oversize;
use crate::limits::{TEXT_BYTES_MAX, clip};
use crate::loop_machine::Answer;
use crate::rejection::Rejection;

pub(super) fn items(
    state: &State,
    step: StepId,
    items: Result<Vec<Value>, String>,
) -> Result<Event, Rejection> {
    let wanted = state.effects().into_iter().any(|effect| match effect {
        Effect::Items { step: waiting, .. } => waiting == step,
        Effect::Attempt(_)
        | Effect::Gates { .. }
        | Effect::ManualInput { .. }
        | Effect::Tick { .. }
        | Effect::Timer(_) => false,
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

pub(super) fn gates(
    state: &State,
    step: StepId,
    verdicts: Vec<GateVerdict>,
) -> Result<Option<Event>, Rejection> {
    let asked = state.effects().into_iter().find_map(|effect| match effect {
        Effect::Gates { step: waiting, gates } if waiting == step => Some(gates),
        _ => None,
    });
    let Some(gates) = asked else { return Err(Rejection::NotOpen) };
    // What nobody looked at is closed.
    let verdict = |gate: Gate| {
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

pub(super) fn input(
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
