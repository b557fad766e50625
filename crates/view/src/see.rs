//! What can be seen of a run. The names of fields are public.

use piton_model::loop_machine::progress::Advice;
use piton_model::loop_machine::{Chosen, Measures, Quality, QuestionKind, Recovery};
use piton_model::{Kind, Reason, RunId, Seq, Status, Timestamp};
use serde::Serialize;

use crate::StateOf;

/// A run in a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunSummary {
    /// Its name.
    pub run_id: RunId,
    /// Its kind.
    pub kind: String,
    /// One line for people.
    pub title: String,
    /// Where it is.
    pub status: String,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its last event happened.
    pub updated_at: Timestamp,
    /// The iteration that is under way or was last finished.
    pub iteration: u32,
    /// What it waits for, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<String>,
}

/// Where a run is, why, and what to do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunStatus {
    /// As in a list.
    #[serde(flatten)]
    pub summary: RunSummary,
    /// A sentence for people, where the reason alone is not enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Since when it is there.
    pub since: Timestamp,
    /// The command that helps.
    pub next: String,
    /// Whether a person is there.
    pub mode: &'static str,
    /// How that changed.
    #[serde(skip)]
    pub modes: ModeView,
    /// Who drives it, if anybody living does.
    pub driver: Option<DriverView>,
    /// What a viewer of it exits with, once it rests.
    pub exit_code: Option<u8>,
    /// The rule that decides when it is done.
    pub rule: &'static str,
    /// Ceilings.
    pub limits: LimitsView,
    /// What was used.
    pub used: UsedView,
    /// The last verdicts.
    pub checks: Vec<CheckView>,
    /// The verdicts before the first attempt.
    pub baseline: Vec<CheckView>,
    /// The best iteration so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<BestView>,
    /// The iteration that a person chose instead, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<Chosen>,
    /// What was measured last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measures: Option<Measures>,
    /// What was measured before the first attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline_measures: Option<Measures>,
    /// How firmly prompts speak.
    pub reinforcement: &'static str,
    /// The last recoveries, and the one under way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recoveries: Vec<Recovery>,
    /// What the guard costs, and how often people found it right.
    pub guard: GuardView,
    /// The last iterations.
    pub iterations: Vec<IterationView>,
    /// How the scores of the iterations develop, once there are three.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity: Option<f64>,
    /// What that advises: continue, monitor, consider_change or stop.
    pub advice: Advice,
    /// What the run has changed so far, and where that is.
    pub changed: ChangedView,
    /// What the last agent says it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// What the guard found, and what became of it.
    pub findings: Vec<serde_json::Value>,
    /// What waits for a person.
    pub questions: Vec<QuestionView>,
}

/// How the mode of a run changed, and where it asks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModeView {
    /// Every change, in words, too.
    pub history: Vec<SwitchView>,
    /// Iterations before which it asks.
    pub breakpoints: serde_json::Value,
}

/// A change of the mode.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchView {
    /// As programs read it.
    pub data: serde_json::Value,
    /// In words.
    pub text: String,
}

/// What a run has changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangedView {
    /// Files that attempts changed; the first few hundred.
    pub files: Vec<String>,
    /// The branch that has it; in place without one.
    pub branch: Option<String>,
    /// Commits on it.
    pub commits: u32,
}

/// A living driver.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DriverView {
    /// Its process.
    pub pid: u32,
    /// Its machine.
    pub host: String,
    /// Since when.
    pub since: Timestamp,
}

/// Something that is counted against a ceiling.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Counted<T> {
    /// So far; `null` where it is not known.
    pub used: Option<T>,
    /// The ceiling; `null` where there is none.
    pub max: Option<T>,
}

/// Every ceiling.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LimitsView {
    /// Iterations.
    pub iterations: Counted<u32>,
    /// Working time.
    pub duration_ms: Counted<u64>,
    /// Money.
    pub cost_usd: Counted<f64>,
    /// Tokens.
    pub tokens: Counted<u64>,
    /// Iterations in a row without progress.
    pub no_progress: Counted<u32>,
    /// Failed attempts in a row.
    pub failures: Counted<u32>,
    /// Files that were changed.
    pub files: Counted<u32>,
    /// Lines that were added and removed.
    pub lines: Counted<u64>,
    /// Fresh sessions in the middle of the work.
    pub reboots: Counted<u32>,
}

/// What was used.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UsedView {
    /// Working time.
    pub working_ms: u64,
    /// Time spent waiting for moments and people.
    pub waiting_ms: u64,
    /// Money, if every attempt reported it.
    pub cost_usd: Option<f64>,
    /// Tokens, if every attempt reported them.
    pub tokens: Option<u64>,
    /// Attempts started.
    pub attempts: u32,
    /// Attempts whose outcome could not be known.
    pub lost: u32,
}

/// The verdict of a check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckView {
    /// Its name.
    pub name: String,
    /// Whether it passes.
    pub passed: bool,
    /// Exit code, if it exited.
    pub exit_code: Option<i32>,
    /// It took too long.
    pub timed_out: bool,
    /// How long it took.
    pub duration_ms: u64,
    /// The end of what it printed, when it failed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tail: String,
}

/// The best iteration so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BestView {
    /// Which.
    pub iteration: u32,
    /// How good it is, 0 to 100.
    pub quality_score: f64,
    /// Checks that passed.
    pub passed: u32,
    /// Checks that were run.
    pub total: u32,
    /// Whether that is good enough to be handed on.
    pub acceptable: bool,
}

/// What the guard costs, and how often people found it right. Absent is what was not measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GuardView {
    /// Findings that block.
    pub detections: u32,
    /// Of those, what a person confirmed.
    pub true_positives: u32,
    /// Of those, what a person marked as a false alarm.
    pub false_positives: u32,
    /// False alarms per detection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub false_positive_rate: Option<f64>,
    /// How long it takes to look, all but five times in a hundred.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_p95_ms: Option<u32>,
    /// How long it takes to look, all but once in a hundred times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_p99_ms: Option<u32>,
    /// What it adds to the working time, in per cent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overhead_percent: Option<f64>,
}

/// An iteration with a verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IterationView {
    /// Its number.
    pub number: u32,
    /// How its agent ended.
    pub outcome: piton_model::loop_machine::AttemptOutcome,
    /// It was given up because somebody asked.
    pub skipped: bool,
    /// The guard refused it: its files were put back.
    pub refused: bool,
    /// Working time, checks included.
    pub duration_ms: u64,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    /// Checks that passed.
    pub passed: u32,
    /// Checks that were run.
    pub total: u32,
    /// Whether anything changed that matters.
    pub progress: bool,
    /// How far it got, from 0 to 1.
    pub score: f64,
    /// Something in it got worse.
    pub regressed: bool,
    /// How good it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<Quality>,
    /// What was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measures: Option<Measures>,
}

/// A question that waits for a person.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuestionView {
    /// Its number.
    pub question: u32,
    /// What it is about.
    pub kind: QuestionKind,
    /// Exactly what is asked.
    pub text: String,
    /// Digest of that, for `--seen`.
    pub digest: String,
    /// Since when it waits.
    pub since: Timestamp,
}

/// The whole state of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShowView {
    /// Which run.
    pub run_id: RunId,
    /// Its kind.
    pub kind: String,
    /// The state is the fold of the events up to this one.
    pub seq: Seq,
    /// The state.
    pub state: StateOf,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventView {
    /// Its position.
    pub seq: Seq,
    /// When it was recorded.
    pub at: Timestamp,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The version of its shape.
    pub v: u16,
    /// Its data.
    pub data: serde_json::Value,
    /// Its hash.
    pub hash: String,
    /// In words.
    #[serde(skip)]
    pub text: String,
}

/// What a verification found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerifyView {
    /// Nothing is wrong.
    pub ok: bool,
    /// Runs looked at.
    pub runs_checked: usize,
    /// Events looked at.
    pub events_checked: u64,
    /// What is wrong.
    pub problems: Vec<ProblemView>,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProblemView {
    /// In which run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// At which event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<Seq>,
    /// What.
    pub what: String,
    /// What helps.
    pub remedy: String,
}

impl RunSummary {
    /// Whether it goes on by itself as soon as somebody drives it.
    pub fn is_under_way(&self) -> bool {
        match self.status.as_str() {
            // Nobody drives a ledger: `piton gaps research` goes on with what it began.
            _ if self.kind == Kind::Ledger.as_str() => false,
            "created" | "running" | "rebooting" => true,
            "waiting" => matches!(self.reason.as_deref(), Some("rate_limit" | "overloaded" | "schedule")),
            _ => false,
        }
    }

    /// Whether the words of this row say that a person is needed.
    pub fn needs_person(&self) -> bool {
        let provider =
            [Reason::RateLimit, Reason::Overloaded, Reason::Schedule].map(|reason| Some(reason.as_str()));
        // A ledger waits for time to pass.
        if self.kind == Kind::Ledger.as_str() {
            return false;
        }
        self.status == Status::Paused.as_str()
            || self.status == Status::Waiting.as_str() && !provider.contains(&self.reason.as_deref())
    }
}

/// A question that waits for a person, whatever kind of run asks it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AskedView {
    /// Its number.
    pub question: u32,
    /// The step it is about, in a workflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Exactly what is shown.
    pub text: String,
    /// Digest of what is shown.
    pub digest: String,
    /// Since when it waits.
    pub since: Timestamp,
}

/// Where a workflow is, why, and what to do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkflowStatus {
    /// As in a list.
    #[serde(flatten)]
    pub summary: RunSummary,
    /// A sentence for people, where the reason alone is not enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Since when it is there.
    pub since: Timestamp,
    /// The command that helps.
    pub next: String,
    /// Who drives it, if anybody living does.
    pub driver: Option<DriverView>,
    /// What a viewer of it exits with, once it rests.
    pub exit_code: Option<u8>,
    /// Its directory was deleted while it was at rest: what it did is discarded, and its name may be used again.
    pub discarded: bool,
    /// The document it was started with.
    pub workflow_file: String,
    /// The name of the definition's content.
    pub definition: String,
    /// What was used.
    pub used: WorkflowUsedView,
    /// The steps, in the order of the definition.
    pub steps: Vec<StepView>,
    /// What waits for a person.
    pub questions: Vec<AskedView>,
}

/// What a workflow used.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkflowUsedView {
    /// Working time of all steps together.
    pub working_ms: u64,
    /// Money; absent where an attempt did not report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Tokens, where they were reported.
    pub tokens: u64,
    /// Attempts that ended.
    pub attempts: u32,
    /// Of those, failures.
    pub failures: u32,
    /// Attempts whose outcome cannot be known.
    pub lost: u32,
    /// Loop-backs.
    pub loop_backs: u32,
}

/// A step of a workflow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepView {
    /// Its name.
    pub id: String,
    /// Where it is.
    pub status: &'static str,
    /// Tries in this iteration.
    pub attempts: u32,
    /// Loop-backs that reached it.
    pub iteration_count: u32,
    /// When its last attempt started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// What went wrong last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// What holds it although its needs are met.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_by: Option<String>,
    /// What it produced.
    pub artifacts: Vec<String>,
}
