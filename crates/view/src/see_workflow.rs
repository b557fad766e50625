//! What can be seen of a workflow. The names of fields are public.

use piton_model::workflow::StepStatus;
use piton_model::{Entry, RunId, Timestamp};
use piton_record::shown;
use serde::Serialize;

use crate::{AskedView, CheckView, Counted, DriverView, SpentView};

/// Where a workflow is, why, and what to do.
#[shown(
    Clone,
    Debug,
    PartialEq,
    omit(goes_on),
    written(driver, exit_code, checks, findings, steps, questions, manual_input)
)]
pub struct WorkflowStatus {
    /// As in a list.
    #[serde(flatten)]
    pub entry: Entry,
    /// A sentence for people, where the reason alone is not enough.
    pub detail: Option<String>,
    /// Since when it is there.
    pub since: Timestamp,
    /// The command that helps.
    pub next: String,
    /// Who drives it, if anybody living does.
    pub driver: Option<DriverView>,
    /// What a viewer of it exits with, once it rests.
    pub exit_code: Option<u8>,
    /// What it may use, beside what it used.
    pub limits: WorkflowLimitsView,
    /// Nothing: a loop has checks, a workflow has steps.
    pub checks: Vec<CheckView>,
    /// Nothing: the guard looks at loops.
    pub findings: Vec<serde_json::Value>,
    /// Its directory was deleted while it was at rest: what it did is discarded, and its name may be used again.
    pub discarded: bool,
    /// The clean-up put it into the archive and removed its directory.
    pub archived: bool,
    /// The document it was started with.
    pub workflow_file: String,
    /// The name of the definition's content.
    pub definition: String,
    /// The work tree of its own, or the directory, where its steps work, if not in the repository itself.
    pub works_in: Option<String>,
    /// The branch of that work tree.
    pub branch: Option<String>,
    /// More is spent than may be, and the run goes on: by which account.
    pub over_limit: Option<String>,
    /// What was used.
    pub used: WorkflowUsedView,
    /// The steps, in the order of the definition.
    pub steps: Vec<StepView>,
    /// What waits for a person.
    pub questions: Vec<AskedView>,
    /// The run whose step it was, where that went on without it: nobody waits for its work.
    pub given_up_by: Option<RunId>,
    /// The file of a person that lies there and that the run has not heard of.
    pub manual_input: Option<String>,
    /// Why files of people that lie there do not count, of questions that are open.
    pub refused_inputs: Vec<String>,
    /// It rests, and goes on as soon as somebody drives it: by what is on record, or by that file.
    pub goes_on: bool,
    /// Where it is a queue: its items.
    pub queue: Option<QueueView>,
}

/// A queue: a workflow whose steps are loops.
#[shown(Clone, Debug, PartialEq, written(items))]
pub struct QueueView {
    /// How many are done.
    pub done: usize,
    /// How many wait for a person.
    pub blocked: usize,
    /// How many ended without being done.
    pub failed: usize,
    /// How many will not be begun as things are.
    pub not_begun: usize,
    /// How many are at work.
    pub at_work: usize,
    /// How many are still to be begun.
    pub next: usize,
    /// The most tokens that all of them may use together.
    pub max_tokens: Option<u64>,
    /// The longest that they may work, taken together.
    pub max_working_ms: Option<u64>,
    /// In the order in which they are begun.
    pub items: Vec<ItemView>,
}

/// An item of a queue.
#[shown(Clone, Debug, PartialEq, omit(ticked), written(cost_usd))]
pub struct ItemView {
    /// Its name in the queue.
    pub id: String,
    /// One line for people.
    pub title: String,
    /// `done`, `blocked`, `failed`, `not begun`; before that `next` and `at work`.
    pub standing: &'static str,
    /// Why it is there, where that says more.
    pub because: Option<String>,
    /// The loop that does it, once it was begun.
    pub run_id: Option<RunId>,
    /// The branch with its work.
    pub branch: Option<String>,
    /// Those that it comes after.
    pub after: Vec<String>,
    /// What it cost; unknown where an attempt did not report it.
    pub cost_usd: Option<f64>,
    /// How long it worked.
    pub working_ms: u64,
    /// Iterations so far.
    pub iterations: u32,
    /// Its list says that it is done.
    pub ticked: bool,
}

/// What a workflow may use.
#[shown(Clone, Debug, PartialEq)]
pub struct WorkflowLimitsView {
    /// Loop-backs of the gate that has most.
    pub iterations: Counted<u32>,
    /// Money of the run; unknown where an attempt did not report it.
    pub cost_usd: Counted<f64>,
    /// Money of all workflows on the day when that was found to be too much.
    pub daily_cost_usd: Counted<f64>,
}

/// The same of a workflow, with how often it went back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkflowUsedView {
    /// What a cycle counts, too.
    #[serde(flatten)]
    pub spent: SpentView,
    /// Loop-backs of all steps together.
    pub loop_backs: u32,
}

/// A step of a workflow.
#[shown(Clone, Debug, PartialEq, written(artifacts))]
pub struct StepView {
    /// The name of the step in its workflow.
    pub id: String,
    /// Where it is.
    pub status: StepStatus,
    /// Tries in this iteration.
    pub attempts: u32,
    /// Loop-backs that reached it.
    pub iteration_count: u32,
    /// When its last attempt started.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// What went wrong last.
    pub last_error: Option<String>,
    /// What holds it although its needs are met.
    pub held_by: Option<String>,
    /// What it produced.
    pub artifacts: Vec<String>,
}
