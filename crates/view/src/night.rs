//! What happened while nobody looked: a screen of it, and the whole account.

use piton_model::{RunId, Timestamp};
use piton_record::shown;
use serde::Serialize;

/// The morning on one screen: what can be landed, what waits, what was not done, and the one next command.
#[shown(Clone, Debug, PartialEq, written(ready, waiting, not_done, working))]
pub struct MorningView {
    /// What is counted began or went on after this.
    pub since: Timestamp,
    /// What is done, in a tree of its own, and was not landed; oldest first, which is the order to land it in.
    pub ready: Vec<MorningRun>,
    /// What needs a person.
    pub waiting: Vec<MorningRun>,
    /// What was not done, and why.
    pub not_done: Vec<MorningRun>,
    /// What is still at work.
    pub working: Vec<MorningRun>,
    /// Iterations that were refused.
    pub refused: u32,
    /// The runs that they belong to.
    pub refused_in: Vec<RunId>,
    /// What all of it used.
    pub spent: NightSpent,
    /// The one command that helps most.
    pub next: String,
}

/// A run of the night, or an item of a queue that never became one.
#[shown(Clone, Debug, PartialEq)]
pub struct MorningRun {
    /// The run; nothing of an item that was not begun.
    pub run_id: Option<RunId>,
    /// One line for people.
    pub title: String,
    /// What it waits for, or why it was not done.
    pub why: Option<String>,
}

/// What runs used.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NightSpent {
    /// Money, as far as it was reported.
    pub cost_usd: f64,
    /// Some of it was not: it is so much or more.
    pub cost_is_least: bool,
    /// Tokens, as far as they were reported.
    pub tokens: u64,
    /// How long agents and checks worked.
    pub working_ms: u64,
}

/// The whole account.
#[derive(Clone, Debug, PartialEq)]
pub struct NightView {
    /// As programs read it.
    pub data: NightData,
    /// As Markdown.
    pub text: String,
    /// As one page.
    pub html: String,
}

/// The whole account, as programs read it.
#[shown(Clone, Debug, PartialEq, written(runs, not_begun))]
pub struct NightData {
    /// When it was asked for.
    pub until: Timestamp,
    /// The screen of it.
    #[serde(flatten)]
    pub morning: MorningView,
    /// Every run, in the order in which they began.
    pub runs: Vec<NightRun>,
    /// Items of queues that were not begun.
    pub not_begun: Vec<MorningRun>,
}

/// A run of the night.
#[shown(Clone, Debug, PartialEq, written(cost_usd))]
pub struct NightRun {
    /// Its name.
    pub run_id: RunId,
    /// What kind of run it is.
    pub kind: &'static str,
    /// One line for people.
    pub title: String,
    /// `done`, `blocked`, `failed` or `at work`.
    pub result: &'static str,
    /// Why.
    pub why: String,
    /// The queue whose item it is.
    pub queue: Option<RunId>,
    /// The branch with its work, where it has a tree of its own.
    pub branch: Option<String>,
    /// The branch that it was landed on.
    pub landed_on: Option<String>,
    /// Iterations that have a verdict.
    pub iterations: u32,
    /// The last verdicts of its checks.
    pub checks: Vec<NightCheck>,
    /// Tests that passed at the start.
    pub tests_before: Option<u64>,
    /// Tests that pass now.
    pub tests_after: Option<u64>,
    /// Tests that fail on the code of the start and pass now: what proves the change.
    pub proved_by: Vec<String>,
    /// What could not be proven, and why.
    pub not_proven: Vec<String>,
    /// Money, if every attempt reported it.
    pub cost_usd: Option<f64>,
    /// Tokens, if every attempt reported them.
    pub tokens: Option<u64>,
    /// How long agents and checks worked.
    pub working_ms: u64,
    /// From its beginning to its last event.
    pub took_ms: u64,
    /// What was refused, in words.
    pub refused: Vec<String>,
    /// What its agents decided, by their own account.
    pub decided: Vec<String>,
    /// What it waits for.
    pub asks: Option<String>,
}

/// The last verdict of a check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NightCheck {
    /// What the check is called in the configuration.
    pub name: String,
    /// Whether it passes.
    pub passed: bool,
}
