//! What people were asked, what they said, and what they want that was not acted on yet.

use std::collections::BTreeMap;

use piton_record::record;

use super::Chosen;
use crate::Timestamp;
use crate::event::StopOrigin;
use crate::hook::Mode;
use crate::loop_machine::config::Raise;
use crate::loop_machine::facts::{Answer, QuestionKind};
use crate::loop_machine::mode::ModeState;
use crate::loop_machine::returned::Returned;

/// What people were asked and what they said.
#[record(Default, omit(mode), written(questions, told))]
#[serde(default)]
pub struct People {
    /// Questions that wait for a person.
    pub questions: Vec<Question>,
    /// How many questions were asked.
    pub questions_asked: u32,
    /// Messages for the agent's next prompt.
    pub told: Vec<Told>,
    /// Whether a person is there.
    pub mode: ModeState,
    /// The iteration that a person chose over the best.
    pub chosen: Option<Chosen>,
    /// What people said about findings, by their id: whether it was a false alarm.
    pub marks: BTreeMap<String, bool>,
}

/// A question that waits for a person.
#[record(Eq)]
pub struct Question {
    pub number: u32,
    /// What it is about.
    pub kind: QuestionKind,
    /// Exactly what is shown.
    pub text: String,
    /// Digest of what is shown.
    pub digest: String,
    /// Since when it waits.
    pub since: Timestamp,
}

/// Requests that were not acted on yet.
#[record(Default, Eq, omit(reboot), written(stop, resume, answers))]
pub struct Requests {
    /// Rest after what is open.
    pub pause: bool,
    /// Give up the iteration under way.
    pub skip: bool,
    /// Begin a fresh session with the next attempt.
    pub reboot: bool,
    /// Change the mode.
    pub mode: Option<Mode>,
    /// Stop; `true` means now.
    pub stop: Option<(bool, StopOrigin)>,
    /// Go on, with these limits.
    pub resume: Option<Raise>,
    /// Go on although it is done, with what came back.
    pub returned: Option<Returned>,
    /// Answers to look at.
    pub answers: Vec<GivenAnswer>,
}

/// An answer that was not looked at yet.
#[record(Eq, written)]
pub struct GivenAnswer {
    /// The question it names.
    pub question: u32,
    pub answer: Answer,
    /// What came with it.
    pub comment: Option<String>,
    /// Digest of what the person saw.
    pub seen: Option<String>,
}

/// A message for the agent.
#[record(Eq, written)]
pub struct Told {
    pub text: String,
    /// The attempt whose prompt holds it; dropped when that attempt ended by itself.
    pub attempt: Option<u32>,
}
