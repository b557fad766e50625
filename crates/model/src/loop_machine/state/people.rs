//! What people were asked, what they said, and what they want that was not acted on yet.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Chosen;
use crate::Timestamp;
use crate::event::StopOrigin;
use crate::hook::Mode;
use crate::loop_machine::config::Raise;
use crate::loop_machine::facts::{Answer, QuestionKind};
use crate::loop_machine::mode::ModeState;

/// What people were asked and what they said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct People {
    /// Questions that wait for a person.
    pub questions: Vec<Question>,
    /// How many questions were asked.
    pub questions_asked: u32,
    /// Messages for the agent's next prompt.
    pub told: Vec<Told>,
    /// Whether a person is there.
    #[serde(skip_serializing_if = "crate::is_default")]
    pub mode: ModeState,
    /// The iteration that a person chose over the best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<Chosen>,
    /// What people said about findings, by their id: whether it was a false alarm.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub marks: BTreeMap<String, bool>,
}

/// A question that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requests {
    /// Rest after what is open.
    pub pause: bool,
    /// Give up the iteration under way.
    pub skip: bool,
    /// Begin a fresh session with the next attempt.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reboot: bool,
    /// Change the mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// Stop; `true` means now.
    pub stop: Option<(bool, StopOrigin)>,
    /// Go on, with these limits.
    pub resume: Option<Raise>,
    /// Answers to look at.
    pub answers: Vec<GivenAnswer>,
}

/// An answer that was not looked at yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Told {
    /// The message.
    pub text: String,
    /// The attempt whose prompt holds it; dropped when that attempt ended by itself.
    pub attempt: Option<u32>,
}
