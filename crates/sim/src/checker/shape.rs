//! The shapes of event data, as far as the checker needs them: its own reading of the JSON.

use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Created {
    pub(super) config: Config,
}

#[derive(Deserialize)]
pub(super) struct Config {
    pub(super) limits: Limits,
    /// `block` where nothing is said.
    pub(super) guard: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Limits {
    pub(super) iterations: u32,
    pub(super) cost_microusd: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct DriverStarted {
    pub(super) epoch: u64,
}

#[derive(Deserialize)]
pub(super) struct AttemptStarted {
    pub(super) attempt: Attempt,
}

#[derive(Deserialize)]
pub(super) struct Attempt {
    pub(super) number: u32,
    pub(super) iteration: u32,
}

#[derive(Deserialize)]
pub(super) struct AttemptFinished<'a> {
    pub(super) attempt: u32,
    #[serde(borrow)]
    pub(super) end: End<'a>,
}

#[derive(Deserialize)]
pub(super) struct End<'a> {
    pub(super) outcome: &'a str,
    pub(super) report: Option<Report>,
    pub(super) guard: Option<Guard>,
}

#[derive(Deserialize)]
pub(super) struct Guard {
    #[serde(default)]
    pub(super) findings: Vec<Finding>,
}

#[derive(Deserialize)]
pub(super) struct Finding {
    pub(super) blocking: bool,
}

#[derive(Deserialize)]
pub(super) struct Report {
    pub(super) cost_microusd: Option<u64>,
}

/// Abandoned or lost.
#[derive(Deserialize)]
pub(super) struct AttemptGone {
    pub(super) attempt: u32,
}

#[derive(Deserialize)]
pub(super) struct ChecksStarted {
    pub(super) round: u32,
}

#[derive(Deserialize)]
pub(super) struct ChecksFinished {
    pub(super) round: Round,
}

#[derive(Deserialize)]
pub(super) struct Round {
    pub(super) number: u32,
    pub(super) checks: Vec<Verdict>,
    #[serde(default)]
    pub(super) cancelled: bool,
}

#[derive(Deserialize)]
pub(super) struct Verdict {
    pub(super) passed: bool,
}

#[derive(Deserialize)]
pub(super) struct QuestionAsked<'a> {
    pub(super) question: u32,
    pub(super) kind: &'a str,
    pub(super) digest: &'a str,
}

#[derive(Deserialize)]
pub(super) struct AnswerGiven<'a> {
    pub(super) question: u32,
    pub(super) answer: &'a str,
    #[serde(borrow)]
    pub(super) seen: Option<&'a str>,
}

#[derive(Deserialize)]
pub(super) struct QuestionClosed<'a> {
    pub(super) question: u32,
    pub(super) answer: &'a str,
}

#[derive(Deserialize)]
pub(super) struct Waiting<'a> {
    #[serde(borrow)]
    pub(super) until: Option<&'a str>,
}

#[derive(Deserialize)]
pub(super) struct RecoveryAdvanced {
    pub(super) recovery: u32,
    pub(super) step: serde_json::Value,
}

#[derive(Deserialize)]
pub(super) struct Resumed {
    pub(super) raise: Raised,
}

#[derive(Deserialize)]
pub(super) struct Raised {
    pub(super) iterations: Option<u32>,
    pub(super) cost_microusd: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct Ended<'a> {
    pub(super) reason: &'a str,
}
