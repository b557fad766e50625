//! Folding what people and agents said: answers, messages, notes, marks, and whether a person is there.

use std::collections::BTreeMap;

use super::{enter, hooks, iteration, sessions};
use crate::Timestamp;
use crate::event::StopOrigin;
use crate::hook::{HookPoint, Mode};
use crate::limits::{BREAKPOINTS_MAX, CUSTOM_KEYS_MAX, MODE_SWITCHES_MAX, NOTES_MAX, TOLD_MAX, keep_last};
use crate::loop_machine::facts::{Note, NoteKind, QuestionKind, Report};
use crate::loop_machine::hook_calls;
use crate::loop_machine::mode::{ModeSwitch, SwitchReason, is_between_iterations};
use crate::loop_machine::review;
use crate::loop_machine::state::{KeptNote, Question, State, Told};
use crate::loop_machine::verdict::Consequence;
use crate::status::Status;

pub(super) fn asked(state: &mut State, question: Question) {
    state.people.questions_asked = question.number;
    if is_between_iterations(question.kind) {
        state.people.mode.asked = state.counters.iterations.saturating_add(1);
        state.people.mode.breakpoints.remove(&state.people.mode.asked);
    } else if !matches!(question.kind, QuestionKind::Reboot | QuestionKind::Review) {
        state.seen.report = None;
        // It waits for an answer instead.
        if let Some(ended) = &mut state.work.ended {
            ended.hold = None;
        }
    }
    state.people.questions.push(question);
}

/// A question has its answer, and this follows from it.
pub(super) fn closed(
    state: &mut State,
    question: u32,
    consequence: &Consequence,
    tell_agent: Option<&String>,
    at: Timestamp,
) {
    drop_answer(state, question);
    state.people.questions.retain(|open| open.number != question);
    tell_agent.iter().for_each(|text| tell(state, text));
    if *consequence != Consequence::Stop
        && state.status == Status::Waiting
        && state.people.questions.is_empty()
    {
        enter(state, Status::Running, None, None, at);
    }
    match consequence {
        Consequence::GoOn => {}
        Consequence::Stop => state.requests.stop = Some((true, StopOrigin::Command)),
        Consequence::Keep { best } => iteration::keep(state, *best, at),
        Consequence::PutBack { refused, succeeded } => iteration::put_back(state, *refused, *succeeded),
        Consequence::LeaveOut => iteration::leave_out(state),
        Consequence::Reboot(reason) => sessions::rebooted(state, reason, at),
        Consequence::StayInSession => sessions::declined(state, at),
        Consequence::Reviewed { is_done } => review::decided(state, *is_done),
    }
}

/// The oldest answer to this question was judged.
pub(super) fn drop_answer(state: &mut State, question: u32) {
    if let Some(index) = state.requests.answers.iter().position(|given| given.question == question) {
        state.requests.answers.remove(index);
    }
}

/// The agent is to read this in its next prompt.
pub(super) fn tell(state: &mut State, text: &str) {
    if state.people.told.len() >= TOLD_MAX {
        state.people.told.remove(0);
    }
    state.people.told.push(Told { text: text.to_owned(), attempt: None });
}

/// The prompt of this attempt did not reach an agent that read it to the end: the next one is told again.
pub(super) fn tell_again(state: &mut State, attempt: u32) {
    for told in &mut state.people.told {
        if told.attempt == Some(attempt) {
            told.attempt = None;
        }
    }
}

/// What an agent wants remembered.
pub(super) fn take_report(state: &mut State, report: &Report) {
    if let Some(objectives) = &report.objectives {
        state.memory.objectives = state.memory.objectives.after(objectives);
    }
    report.notes.iter().for_each(|note| keep_note(state, note.clone()));
    keep_values(state, report.custom.iter());
}

/// A person's note, and values to keep; `null` forgets one.
pub(super) fn add_note(state: &mut State, text: &str, set: &BTreeMap<String, serde_json::Value>) {
    if !text.is_empty() {
        keep_note(state, Note { kind: NoteKind::Person, text: text.to_owned() });
    }
    hook_calls::keep_values(&mut state.memory.custom, set);
}

fn keep_note(state: &mut State, note: Note) {
    state.memory.notes.push_back(KeptNote { iteration: state.work.iteration, note });
    keep_last(&mut state.memory.notes, NOTES_MAX);
}

fn keep_values<'a>(state: &mut State, set: impl Iterator<Item = (&'a String, &'a serde_json::Value)>) {
    let custom = &mut state.memory.custom;
    for (key, value) in set {
        if custom.len() < CUSTOM_KEYS_MAX || custom.contains_key(key) {
            custom.insert(key.clone(), value.clone());
        }
    }
}

/// A person wants another mode, or to be asked before an iteration.
pub(super) fn mode_requested(state: &mut State, mode: Option<Mode>, break_at: Option<u32>) {
    if state.people.mode.breakpoints.len() < BREAKPOINTS_MAX {
        state.people.mode.breakpoints.extend(break_at);
    }
    // What is so already needs no switch.
    let wanted = mode.or(state.requests.mode);
    state.requests.mode = wanted.filter(|mode| *mode != state.mode());
}

/// The mode changed.
pub(super) fn mode_switched(state: &mut State, from: Mode, to: Mode, why: &SwitchReason, at: Timestamp) {
    state.requests.mode = None;
    state.people.mode.current = Some(to);
    let own = state.people.questions.iter().find(|question| is_between_iterations(question.kind));
    state.people.mode.left_with = own.map(|question| question.number).filter(|_| to == Mode::Unattended);
    let iteration = state.counters.iterations;
    state.people.mode.history.push_back(ModeSwitch { at, from, to, why: why.clone(), iteration });
    keep_last(&mut state.people.mode.history, MODE_SWITCHES_MAX);
    hooks::pass(state, HookPoint::OnModeSwitch);
}
