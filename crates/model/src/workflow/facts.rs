//! What agents, people and files brought back, and what a run was asked to do: the data inside the events.

use std::collections::BTreeMap;

use piton_record::record;
use serde_json::{Map, Value};

use super::definition::{Definition, Gate, StepId};
use super::kept::LeftOut;
use super::queue::Queue;
use super::state::{StepState, StepStatus};
use crate::ledger::{DEFAULT_FILE, DEFAULT_TTL_DAYS};
use crate::limits::{TEXT_BYTES_MAX, clip};
use crate::loop_machine::{AgentConfig, AttemptOutcome, Backoff, Confine, ErrorClass, Worktree};
use crate::notify::Notify;
use crate::policy::policy;
use crate::status::Reason;
use crate::words::words;
use crate::{RunId, Seq, Timestamp};

/// How a workflow is to be run.
#[record(omit(accept_inputs, gaps, losses))]
pub struct Options {
    /// Attempts per step and iteration.
    pub max_attempts: u32,
    /// Loop-backs that a gate may cause.
    pub max_iterations: u32,
    /// Steps at once.
    pub max_parallel: u32,
    /// The pause before the second attempt; doubled before each further one.
    pub backoff_ms: u64,
    /// How long to wait before a provider that refused is asked again, and the longest pause there is.
    pub refusal: Backoff,
    /// Steps with `human_in_the_loop` wait for a person.
    pub pause_for_human_input: bool,
    /// The most that the run may cost.
    pub max_cost_microusd: Option<u64>,
    /// The most that all workflows of the repository may cost on one day (UTC).
    pub daily_cost_microusd: Option<u64>,
    /// What follows when it costs more.
    pub cost_limit_action: CostAction,
    /// Variables that every step gets.
    pub env: Map<String, Value>,
    /// How agent steps are started.
    pub launcher: Launcher,
    /// The file of the gate states; without it named gates are open.
    pub gate_state_file: Option<String>,
    /// The document, relative to the repository where it lies in it.
    pub workflow_file: String,
    /// The issue that the run works on.
    pub issue: Option<Issue>,
    /// Who is told when it rests; nobody without.
    pub notify: Option<Notify>,
    /// Where steps work, if not in the repository itself.
    pub place: Option<WorkPlace>,
    /// What run reports must look like beyond the published fields: a JSON Schema.
    pub report_schema: Option<Value>,
    /// The run whose step this is, if it is nested in one.
    pub parent: Option<RunId>,
    /// piton's own adapters, by the names that steps know them by.
    pub agents: BTreeMap<String, AgentConfig>,
    /// The walls that steps and gates work between, if they are to have them.
    pub confine: Option<Confine>,
    /// Files of people count although they were written while a step without walls was at work.
    pub accept_inputs: bool,
    /// Paths of the tree that stay as they are, where there are walls.
    pub protect: Vec<String>,
    /// The only variables that agents get from outside; all where there are none.
    pub pass: Option<Vec<String>>,
    /// The ledger that gates of fresh gaps ask about.
    pub gaps: GateGaps,
    /// How many attempts may be lost.
    pub losses: LossPolicy,
    /// Where it is a queue: each step is a loop, and what becomes of one stops no other.
    pub queue: Option<Box<Queue>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_attempts: 2,
            max_iterations: 4,
            max_parallel: 4,
            backoff_ms: 1_000,
            refusal: Backoff::default(),
            pause_for_human_input: false,
            max_cost_microusd: None,
            daily_cost_microusd: None,
            cost_limit_action: CostAction::Warn,
            env: Map::new(),
            launcher: Launcher::Adapter {},
            gate_state_file: None,
            workflow_file: String::new(),
            issue: None,
            notify: None,
            place: None,
            report_schema: None,
            parent: None,
            agents: BTreeMap::new(),
            confine: None,
            accept_inputs: false,
            protect: Vec::new(),
            pass: None,
            gaps: GateGaps::default(),
            losses: LossPolicy::default(),
            queue: None,
        }
    }
}

policy! {
    /// Which ledger a gate of fresh gaps asks about where it names none, and how long findings hold there.
    #[record(Eq)]
    pub struct GateGaps {
        /// The gap file, relative to the repository.
        pub file: String = DEFAULT_FILE.to_owned(),
        /// How many days findings hold where a gap does not say.
        pub default_ttl_days: u32 = DEFAULT_TTL_DAYS,
    }
}

policy! {
    /// How many attempts whose outcome cannot be known a step may have.
    #[record(Copy, Eq)]
    pub struct LossPolicy {
        /// So many in a row fail the step: a machine that loses every one of them needs a person.
        pub in_a_row_max: u32 = 10,
    }
}

words! {
    /// What follows when a run costs more than it may. Never is such a run called completed while work is left.
    pub enum CostAction {
        /// It is said, once.
        Warn = "warn",
        /// The run rests until somebody resumes it.
        Pause = "pause",
        Fail = "fail",
    }
}

/// How agent steps are started.
#[record(Eq)]
pub enum Launcher {
    /// By piton's own adapter for the agent's name.
    Adapter {},
    /// By a wrapper program.
    Wrapper {
        /// The interpreter, where one is wanted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        python: Option<String>,
        wrapper: String,
        /// Further arguments.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        args: Vec<String>,
    },
    /// By a command with placeholders.
    Template { template: String },
    /// By a command that gets the prompt on its standard input.
    Exec {
        /// The command, for a shell.
        command: String,
    },
}

/// Where steps work.
#[record(Eq)]
pub enum WorkPlace {
    /// In this directory, which was there before; absolute.
    Directory(String),
    /// In a work tree of the run's own.
    Worktree(Worktree),
    /// In the work tree of the run whose step this is; absolute.
    Shared(String),
}

impl WorkPlace {
    /// The directory; absolute.
    pub fn path(&self) -> &str {
        match self {
            Self::Directory(path) | Self::Shared(path) => path,
            Self::Worktree(worktree) => &worktree.path,
        }
    }

    /// The work tree that is the repository to its steps: what paths in reports are relative to. Another directory is only
    /// where they begin.
    pub fn tree(&self) -> Option<&str> {
        match self {
            Self::Directory(_) => None,
            Self::Worktree(_) | Self::Shared(_) => Some(self.path()),
        }
    }
}

/// The issue that a run works on.
#[record(Eq)]
pub struct Issue {
    pub number: String,
    /// Where its text lies, relative to the repository.
    pub directory: String,
}

/// An attempt at a step that is about to run or runs.
#[record(Default, Eq)]
pub struct OpenAttempt {
    /// Counts the attempts of the run; never used twice.
    pub number: u32,
    pub step: StepId,
    /// Counts the attempts of the step in this iteration: what its agent sees.
    pub attempt: u32,
    /// Loop-backs so far.
    pub iteration: u32,
    /// The item's place, in a collection.
    pub item: Option<u32>,
    /// The machine it runs on.
    pub host: String,
    /// That machine's boot.
    pub boot: String,
    /// Where it leaves its traces, relative to the state directory.
    pub directory: String,
    /// Where the step is a workflow: the attempt that began the run which this one goes on with, be it this very one.
    pub nested: Option<u32>,
}

/// How an attempt ended.
#[record(omit(rejected))]
pub struct StepEnd {
    /// Success, failure, or stopped by us.
    pub outcome: AttemptOutcome,
    /// Exit code, if it exited.
    pub exit_code: Option<i32>,
    /// Working time it took.
    pub duration_ms: u64,
    /// A sentence for people when it failed.
    pub message: Option<String>,
    pub report: Option<StepReport>,
    /// What it cost, where that is known.
    pub cost_microusd: Option<u64>,
    /// Tokens it used, where that is known.
    pub tokens: Option<u64>,
    /// Nothing the step did: it is tried again without being charged for.
    pub hold: Option<Hold>,
    /// It failed by a person's word, within the workflow that it is: no other try is asked for.
    pub rejected: bool,
}

impl StepEnd {
    /// One that ended like this, and of which nothing else is known.
    pub fn of(outcome: AttemptOutcome) -> Self {
        Self {
            outcome,
            exit_code: None,
            duration_ms: 0,
            message: None,
            report: None,
            cost_microusd: None,
            tokens: None,
            hold: None,
            rejected: false,
        }
    }
}

/// What stands in the way of a step, or of a role of a cycle, through no fault of its own.
#[record(Copy, Eq)]
pub struct Hold {
    /// What it is: a refusal by the provider passes by itself, everything else needs a person.
    pub reason: Reason,
    /// Until when, where that is known.
    pub until: Option<Timestamp>,
}

impl Hold {
    /// What an agent's error is where its provider refuses; every other error is the agent's own.
    pub fn of_error(class: ErrorClass, until: Option<Timestamp>) -> Option<Self> {
        let reason = match class {
            ErrorClass::RateLimit => Reason::RateLimit,
            ErrorClass::Overloaded => Reason::Overloaded,
            ErrorClass::Auth => Reason::Auth,
            _ => return None,
        };
        Some(Self { reason, until })
    }
}

impl StepEnd {
    /// The same within the limits of an event and of a state with this many steps, where `kept` is known of this one.
    #[must_use]
    pub fn bounded(mut self, steps: usize, kept: &[String]) -> Self {
        self.message = self.message.map(|text| clip(&text, TEXT_BYTES_MAX).to_owned());
        self.report = self.report.map(|report| report.bounded(steps, kept));
        self
    }
}

/// What an agent reports about its step.
#[record(Default, omit(gate_failure, inferred, left_out))]
pub struct StepReport {
    /// It says that it completed.
    pub completed: bool,
    /// Nobody wrote it: it says what follows from the exit code.
    pub inferred: bool,
    /// It says that its gate failed.
    pub gate_failure: bool,
    /// What it produced, relative to the repository.
    pub artifacts: Vec<String>,
    /// Numbers and words.
    pub metrics: Map<String, Value>,
    /// What it did.
    pub logs: Vec<String>,
    /// What of all that is not kept.
    pub left_out: LeftOut,
}

/// What somebody found at a gate.
#[record(Eq)]
pub struct GateVerdict {
    pub gate: Gate,
    pub open: bool,
    /// Why not, or why.
    pub why: Option<String>,
}

/// A manual input that could be read.
#[record]
pub struct ManualInput {
    /// What it means.
    pub approved: bool,
    /// What came with it.
    pub comment: Option<String>,
    /// All of it.
    pub content: Map<String, Value>,
}

/// What the run that is a step asks a person.
#[record(Eq)]
pub struct InnerQuestion {
    /// That run: whoever answers names it.
    pub run: RunId,
    /// The step of it whose result a person is to look at.
    pub step: Option<StepId>,
    /// What is to be answered; `None` where it rests until somebody resumes it.
    pub question: Option<u32>,
    /// Exactly what is shown.
    pub text: String,
}

impl InnerQuestion {
    /// What is waited for, in words.
    pub fn waits_for(&self) -> String {
        match self.question {
            Some(question) => format!("an answer to question {question} of run {}", self.run),
            None => format!("run {} to be resumed", self.run),
        }
    }

    /// The command that a person goes on with.
    pub fn next(&self) -> String {
        match self.question {
            Some(_) => format!("piton answer {}", self.run),
            None => format!("piton resume {}", self.run),
        }
    }
}

/// A step that needed no run.
#[record(Eq)]
pub struct Passed {
    pub step: StepId,
    /// Skipped by its condition; else it is a collection without items, and completed.
    pub skipped: bool,
}

/// A step that failed and is tried again.
#[record(Eq, omit(all_items))]
pub struct Renewed {
    pub step: StepId,
    /// A person called it failed after its last item: all of them are done again.
    pub all_items: bool,
}

/// What a run begins with that another run, or another tool, did.
#[record(written(steps))]
pub struct Inherited {
    /// The run it comes from.
    pub run: Option<RunId>,
    /// The last event of that run that counts here.
    pub seq: Option<Seq>,
    /// When another tool began it.
    pub created_at: Option<Timestamp>,
    /// The steps that are not as new.
    pub steps: Vec<(StepId, StepState)>,
}

/// A status that somebody wrote into the file, at rest.
#[record(Eq)]
pub struct Edit {
    pub step: StepId,
    /// What it is to be.
    pub status: StepStatus,
}

/// Limits that are set with a resume. Absolute: nearly always higher, but nobody who means a lower one is overruled.
#[record(Default, Eq, omit(without_walls))]
#[serde(default)]
pub struct Raise {
    /// Loop-backs of one gate.
    pub max_iterations: Option<u32>,
    /// Money of the whole run.
    pub max_cost_microusd: Option<u64>,
    /// Money of all workflows on one day.
    pub daily_cost_microusd: Option<u64>,
    /// Tokens of all items of a queue.
    pub max_tokens: Option<u64>,
    /// Working time of all items of a queue.
    pub max_working_ms: Option<u64>,
    /// From here on without walls.
    pub without_walls: bool,
}

/// What a new run is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    pub run: RunId,
    /// What it runs.
    pub definition: Definition,
    pub options: Options,
    /// What is done already.
    pub inherited: Option<Inherited>,
}

/// What was ruled about a step after an attempt at it, or after a person's word.
#[record(Eq, omit(gate_failure))]
pub struct StepRuling {
    /// Its gate failed.
    pub gate_failure: bool,
    /// What becomes of it.
    pub verdict: StepVerdict,
}

impl From<StepVerdict> for StepRuling {
    fn from(verdict: StepVerdict) -> Self {
        Self { gate_failure: false, verdict }
    }
}

/// What becomes of a step.
#[record(Eq)]
pub enum StepVerdict {
    /// The try does not count and is had again.
    Again {
        /// Not before: the durable timer.
        not_before: Option<Timestamp>,
        /// What came in between, where the end of the attempt does not say it: it was lost.
        lost: Option<String>,
    },
    /// The try does not count, and a person is needed before any step can go on.
    Halt { reason: Reason },
    /// It is run again, for the next item of its collection.
    NextItem,
    /// It waits for a person's word.
    Hold,
    /// It is done.
    Complete {
        /// What is not forgotten about it all the same.
        note: Option<String>,
    },
    /// It goes back, once nothing that it resets is open.
    GoBack { why: String },
    /// It is tried again.
    Retry {
        /// Not before: the durable timer.
        not_before: Timestamp,
        /// What went wrong.
        error: String,
    },
    /// It failed for good.
    Fail {
        /// Why no further try is made.
        reason: Reason,
        /// What went wrong.
        error: String,
    },
}
