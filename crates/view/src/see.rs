//! What can be seen of a run. The names of fields are public.

use piton_model::loop_machine::progress::Advice;
use piton_model::loop_machine::{
    CheckResult, Chosen, Closure, ContextLevel, Measures, Objection, Proved, Quality, QuestionKind,
    Recommendation, Recovery, Uncommitted,
};
use piton_model::{Entry, Kind, RunId, Seq, Timestamp};
use piton_record::shown;
use serde::Serialize;

use crate::StateOf;

/// Where a run is, why, and what to do.
#[shown(
    Clone,
    Debug,
    PartialEq,
    written(driver, exit_code, checks, baseline, iterations, findings, questions)
)]
pub struct RunStatus {
    /// As in a list.
    #[serde(flatten)]
    pub entry: Entry,
    /// A sentence for people, where the reason alone is not enough.
    pub detail: Option<String>,
    /// Since when it is there.
    pub since: Timestamp,
    /// The command that helps.
    pub next: String,
    /// What has to be brought about before it does.
    pub next_once: Option<String>,
    /// Whether a person is there.
    pub mode: &'static str,
    /// How that changed.
    #[serde(skip)]
    pub modes: ModeView,
    /// Who drives it, if anybody living does.
    pub driver: Option<DriverView>,
    /// Its agents, where it has others to fall back to.
    pub agents: Vec<AgentView>,
    /// What a viewer of it exits with, once it rests.
    pub exit_code: Option<u8>,
    /// The rule that decides when it is done.
    pub rule: &'static str,
    /// What it may use at most, and what of that is used.
    pub limits: LimitsView,
    /// What was used.
    pub used: UsedView,
    /// The last verdicts.
    pub checks: Vec<CheckView>,
    /// The attempt that ended after that round, and that no check has looked at yet.
    pub unjudged_attempt: Option<u32>,
    /// The verdicts before the first attempt.
    pub baseline: Vec<CheckView>,
    /// The best iteration so far.
    pub best: Option<BestView>,
    /// The iteration that a person chose instead, and why.
    pub chosen: Option<Chosen>,
    /// What was measured last.
    pub measures: Option<Measures>,
    /// What was measured before the first attempt.
    pub baseline_measures: Option<Measures>,
    /// What the last round says about tests by name.
    pub tests: Option<TestsView>,
    /// What was tried beside the checks in the last round, and which tests prove the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proved>,
    /// What the checks read and run, as far as it can be read: nothing was traced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closure: Vec<Closure>,
    /// What of that is other than at the start, or is there besides, in the last round that was green.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closure_changed: Vec<String>,
    /// What those came to who read what it did, where somebody does.
    pub review: Option<ReviewView>,
    /// How firmly prompts speak.
    pub reinforcement: &'static str,
    /// The last recoveries, and the one under way.
    pub recoveries: Vec<Recovery>,
    /// What the guard costs, and how often people found it right.
    pub guard: GuardView,
    /// The last iterations.
    pub iterations: Vec<IterationView>,
    /// How the scores of the iterations develop, once there are three.
    pub velocity: Option<f64>,
    /// What that advises: continue, monitor, consider_change or stop.
    pub advice: Advice,
    /// The conversation that is gone on with from attempt to attempt, where the run has one.
    pub session: Option<SessionView>,
    /// What the run has changed so far, and where that is.
    pub changed: ChangedView,
    /// Files that no snapshot has: too large, or not readable. Nothing puts them back.
    pub not_covered: Vec<NotCoveredView>,
    /// What the last agent says it did.
    pub said: Option<String>,
    /// What the guard found, and what became of it.
    pub findings: Vec<serde_json::Value>,
    /// What waits for a person.
    pub questions: Vec<QuestionView>,
}

/// What another agent said of the work, and what that cost besides.
#[shown(Clone, Debug, PartialEq, written(objections))]
pub struct ReviewView {
    /// Who reads it.
    pub agent: String,
    /// Reviews so far.
    pub reviews: u32,
    /// How often its objections became a prompt.
    pub rounds: u32,
    /// The iteration that was reviewed last.
    pub iteration: Option<u32>,
    /// What followed: agreed, objected, asked, again or held.
    pub verdict: Option<&'static str>,
    /// What it objected to last.
    pub objections: Vec<Objection>,
    /// Why it gave no verdict.
    pub message: Option<String>,
    /// Money that reviews cost, as far as it is known; `used` does not hold it.
    pub cost_usd: Option<f64>,
    /// Tokens, likewise.
    pub tokens: u64,
}

/// One of several agents of a run.
#[shown(Clone, Debug, PartialEq)]
pub struct AgentView {
    /// What it is called.
    pub name: String,
    /// It is its turn.
    pub works: bool,
    /// Why it cannot work at the moment.
    pub out: Option<&'static str>,
    /// Until when that is so, where it ends by itself.
    pub until: Option<Timestamp>,
}

/// A conversation with an agent.
#[shown(Clone, Debug, PartialEq, written)]
pub struct SessionView {
    /// Its id, as the agent names it.
    pub session_id: String,
    /// Iterations in it.
    pub iterations: u32,
    /// How full its context is, where that is known.
    pub context_usage_percent: Option<u8>,
    /// Whether that is an estimate.
    pub estimated: bool,
    /// The same in a word.
    pub level: Option<ContextLevel>,
    /// Whether it should give way to a fresh one: continue, finish_and_reboot or immediate_reboot.
    pub recommendation: Recommendation,
    /// None is begun any more though one is due, after so many in a row that were not to be.
    pub given_up: Option<u32>,
}

/// What a round says about tests by name.
#[shown(Clone, Debug, PartialEq, Default, written)]
pub struct TestsView {
    /// Those that fail.
    pub failing: Vec<String>,
    /// Those that did not fail in the round before and do now; a new one only where the names of passing tests are unknown.
    pub broken: Vec<String>,
    /// Those that failed in the round before and pass now.
    pub fixed: Vec<String>,
    /// Those that failed in the round before and do not now, where nobody says whether they pass.
    pub no_longer_failing: Vec<String>,
    /// Those that go to and fro.
    pub flaky: Vec<String>,
    /// Whether the names of passing tests are known.
    pub passing_named: bool,
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
    /// The same as a line for people.
    pub text: String,
}

/// What a run has changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangedView {
    /// Files that attempts changed; the first few hundred.
    pub files: Vec<String>,
    /// The branch that has it; in place without one.
    pub branch: Option<String>,
    /// Commits on it, without that of what was not committed before.
    pub commits: u32,
    /// It begins with a commit of what was not committed in the checkout.
    pub began_uncommitted: bool,
    /// The branch that it was landed on.
    pub landed_on: Option<String>,
    /// What the last of them does not have, though it is in the tree.
    pub uncommitted: Uncommitted,
}

/// A file that no snapshot has.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NotCoveredView {
    /// Where it is.
    pub path: String,
    /// How large it is.
    pub bytes: u64,
    /// It is another than when the run began, or gone.
    pub changed: bool,
}

/// A living driver.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DriverView {
    /// The id of its process on that machine.
    pub pid: u32,
    /// The machine that it works on.
    pub host: String,
    /// When it took the run over.
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

/// What a loop or a cycle may use at most, each with what is used of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BudgetView {
    /// Iterations that have a verdict.
    pub iterations: Counted<u32>,
    /// How long agents and checks worked; waits are not counted.
    pub duration_ms: Counted<u64>,
    /// Dollars that agents said they cost.
    pub cost_usd: Counted<f64>,
    /// Tokens that agents said they used.
    pub tokens: Counted<u64>,
    /// Iterations in a row without progress.
    pub no_progress: Counted<u32>,
}

/// The same of a loop, with what only a loop counts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LimitsView {
    /// What a cycle counts, too.
    #[serde(flatten)]
    pub budget: BudgetView,
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
    /// How long agents and checks worked; waits are not counted.
    pub working_ms: u64,
    /// Time spent waiting for moments and people.
    pub waiting_ms: u64,
    /// Money, if every attempt reported it.
    pub cost_usd: Option<f64>,
    /// What those that reported it cost: so much or more.
    pub cost_usd_least: f64,
    /// Tokens, if every attempt reported them.
    pub tokens: Option<u64>,
    /// How often an agent was started.
    pub attempts: u32,
    /// Attempts whose outcome could not be known.
    pub lost: u32,
}

/// The verdict of a check.
#[shown(Clone, Debug, PartialEq, omit(tail), written)]
pub struct CheckView {
    /// What the check is called in the configuration.
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
    pub tail: String,
}

impl From<&CheckResult> for CheckView {
    fn from(result: &CheckResult) -> Self {
        let CheckResult { name, passed, exit_code, timed_out, duration_ms, tail } = result.clone();
        Self { name, passed, exit_code, timed_out, duration_ms, tail }
    }
}

/// The best iteration so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BestView {
    /// Counted from 1.
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
#[shown(Clone, Debug, PartialEq)]
pub struct GuardView {
    /// Findings, whether they block or not.
    pub detections: u32,
    /// Of those, what a person confirmed.
    pub true_positives: u32,
    /// Of those, what a person marked as a false alarm.
    pub false_positives: u32,
    /// False alarms per detection.
    pub false_positive_rate: Option<f64>,
    /// How long it takes to look, all but five times in a hundred.
    pub latency_p95_ms: Option<u32>,
    /// How long it takes to look, all but once in a hundred times.
    pub latency_p99_ms: Option<u32>,
    /// What it adds to the working time, in per cent.
    pub overhead_percent: Option<f64>,
}

/// An iteration with a verdict.
#[shown(Clone, Debug, PartialEq)]
pub struct IterationView {
    /// Counted from 1.
    pub number: u32,
    /// How its agent ended, whatever became of what it left.
    pub outcome: piton_model::loop_machine::AttemptOutcome,
    /// What became of it: `kept`, `refused`, `doubted`, `rejected` or `skipped`.
    pub verdict: &'static str,
    /// It was given up because somebody asked.
    pub skipped: bool,
    /// The guard refused it: its files were put back.
    pub refused: bool,
    /// A person did not want it: its files were put back.
    pub rejected: bool,
    /// Working time, checks included.
    pub duration_ms: u64,
    /// Lines that it added.
    pub added: u64,
    /// Lines that it removed.
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
    pub quality: Option<Quality>,
    /// What was measured.
    pub measures: Option<Measures>,
}

/// A question that waits for a person.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuestionView {
    /// The number by which it is answered.
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
    /// The run whose state this is.
    pub run_id: RunId,
    /// What kind of run it is.
    pub kind: Kind,
    /// The state is the fold of the events up to this one.
    pub seq: Seq,
    /// Everything that is known of the run then.
    pub state: StateOf,
}

/// An event of a run, as data and in words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventView {
    /// Its place in the journal of the run, from 1.
    pub seq: Seq,
    /// When it was recorded.
    pub at: Timestamp,
    /// What kind of event it is, such as `attempt_started`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The version of its shape.
    pub v: u16,
    /// What it holds besides.
    pub data: serde_json::Value,
    /// What the next event is chained to.
    pub hash: String,
    /// What happened, as lines for people.
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
    /// Files that do not show what the journal says, and that no person changed. Nothing is lost by that.
    pub views: Vec<ProblemView>,
    /// Runs whose snapshots are not here, where no run has any: the journal lies somewhere without its repository.
    pub elsewhere: Vec<ProblemView>,
}

/// Something that is wrong.
#[shown(Clone, Debug, PartialEq)]
pub struct ProblemView {
    /// In which run.
    pub run_id: Option<RunId>,
    /// At which event.
    pub seq: Option<Seq>,
    /// The damage, in words.
    pub what: String,
    /// The command or the change that mends it.
    pub remedy: String,
}

/// A question that waits for a person, whatever kind of run asks it.
#[shown(Clone, Debug, PartialEq, Eq, omit(answered))]
pub struct AskedView {
    /// The number by which it is answered.
    pub question: u32,
    /// The step it is about, in a workflow.
    pub step: Option<String>,
    /// Exactly what is shown.
    pub text: String,
    /// Digest of what is shown.
    pub digest: String,
    /// Since when it waits.
    pub since: Timestamp,
    /// An answer to it is on record that nobody has acted on yet.
    pub answered: bool,
}

/// What a workflow, a cycle, or a role of one used.
#[shown(Clone, Debug, PartialEq)]
pub struct SpentView {
    /// Working time of all its agents together, and of its checks.
    pub working_ms: u64,
    /// Money; absent where an attempt did not report it.
    pub cost_usd: Option<f64>,
    /// Tokens, where they were reported.
    pub tokens: u64,
    /// Attempts that ended.
    pub attempts: u32,
    /// Of those, failures.
    pub failures: u32,
    /// Attempts whose outcome cannot be known.
    pub lost: u32,
}
