//! People: what they are asked, whether an answer counts, and when it takes effect.

use super::event::WorkflowEvent as Event;
use super::facts::{ManualInput, StepReport};
use super::kept::{count, cut};
use super::limits::MANUAL_INPUT_BYTES_MAX;
use super::state::{GivenAnswer, State};
use crate::limits::{TEXT_BYTES_MAX, clip};
use crate::loop_machine::Answer;

/// Lines of each list that a question shows.
const LINES_SHOWN: usize = 20;
/// What a question shows of one line.
const LINE_BYTES_MAX: usize = 300;

/// The next step whose result a person is to look at.
pub(super) fn next(state: &State) -> Option<Event> {
    let waits = |step: &super::state::StepState| {
        step.held.is_some() && step.question.is_none() && step.decided.is_none()
    };
    // Whoever stops the run is not asked on the way out; the step asks when it goes on.
    if state.requests.stop.is_some() {
        return None;
    }
    let index = state.steps.iter().position(|step| waits(step))?;
    let text = question(state, index, state.steps[index].held.as_ref()?);
    let digest = blake3::hash(text.as_bytes()).to_hex()[..16].to_owned();
    Some(Event::HumanAsked {
        question: state.questions_asked + 1,
        step: state.id(index).clone(),
        text,
        digest,
        // What lies there since another tool asked may be the answer.
        since: state.steps[index].asked_at,
    })
}

/// Exactly what is shown, and what an answer binds to: a screen of it. All is in the report.
fn question(state: &State, index: usize, report: &StepReport) -> String {
    let mut text = format!("Step `{}` is done. Does it count?", state.id(index));
    let mut list = |label: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            text.push_str(&format!("\n{label}:"));
            lines.into_iter().for_each(|line| text.push_str(&format!("\n  {}", cut(line, LINE_BYTES_MAX))));
        }
    };
    list("artifacts", first(report.artifacts.iter().cloned(), report.left_out.artifacts, "more artifact"));
    // How it went is said at its end.
    let mut log = first(report.logs.iter().rev().cloned(), report.left_out.logs, "earlier line");
    log.reverse();
    list("log", log);
    let metrics = report.metrics.iter().map(|(name, value)| format!("{name}: {value}"));
    list("metrics", first(metrics, report.left_out.metrics, "more metric"));
    clip(&text, TEXT_BYTES_MAX).to_owned()
}

/// So many lines as are shown, and how many more there are.
fn first(lines: impl Iterator<Item = String>, left_out: u32, of: &str) -> Vec<String> {
    let mut lines: Vec<String> = lines.collect();
    let hidden = u32::try_from(lines.len().saturating_sub(LINES_SHOWN)).unwrap_or(u32::MAX);
    lines.truncate(LINES_SHOWN);
    match hidden.saturating_add(left_out) {
        0 => {}
        more => lines.push(format!("… {} in its report", count(more, of))),
    }
    lines
}

/// What a person said takes effect.
pub(super) fn conclude(state: &State) -> Option<Event> {
    let index = state.steps.iter().position(|step| step.decided.is_some())?;
    let ruling = super::judge::concluded(state, index);
    Some(Event::StepConcluded { step: state.id(index).clone(), ruling })
}

/// Whether an answer counts.
pub(super) fn judge(state: &State, given: &GivenAnswer) -> Event {
    let open = state.questions().into_iter().find(|(_, question)| question.number == given.question);
    let Some((_, question)) = open else {
        let asked = given.question > 0 && given.question <= state.questions_asked;
        return refuse(
            given,
            if asked { "it was answered or withdrawn before" } else { "it was never asked" },
        );
    };
    if given.seen.as_ref().is_some_and(|seen| *seen != question.digest) {
        return refuse(given, "it answers something other than what is asked now");
    }
    let bytes: usize = given.content.iter().map(|(key, value)| key.len() + value.to_string().len()).sum();
    if bytes > MANUAL_INPUT_BYTES_MAX {
        return refuse(given, "what came with it is too large");
    }
    let input = ManualInput {
        approved: given.answer == Answer::Approve,
        comment: given.comment.as_deref().map(|text| clip(text, TEXT_BYTES_MAX).to_owned()),
        content: given.content.clone(),
    };
    let bound = given.seen.is_some();
    Event::HumanAnswered { question: given.question, answer: given.answer, input, bound }
}

fn refuse(given: &GivenAnswer, why: &str) -> Event {
    Event::AnswerRefused { question: given.question, why: why.to_owned() }
}
