//! What can be started, and how: plain requests, as a front end puts them.
//!
//! They say what a person said. What follows from it (configuration, trust, the place of the work) is found out by
//! whoever carries the order out.

use std::collections::BTreeMap;
use std::path::PathBuf;

use piton_model::workflow::CostAction;
use piton_model::{RunId, Seq};
use piton_record::record;
use serde::{Deserialize, Serialize};

/// Something to start.
#[record]
#[serde(tag = "kind")]
pub enum Order {
    /// A loop.
    Loop(Box<LoopOrder>),
    /// A loop for each item of a list.
    Queue(Box<QueueOrder>),
    /// A loop that goes on with what another tool left in a file.
    Import {
        /// The state that another tool left.
        file: PathBuf,
        /// How to go on.
        order: Box<LoopOrder>,
    },
    /// A workflow.
    Workflow(Box<WorkflowOrder>),
    /// A cycle.
    Cycle(Box<CycleOrder>),
    /// A cycle that another tool left in a state file. It rests until somebody resumes it.
    ImportCycle {
        /// The file.
        file: PathBuf,
        /// How to go on.
        order: Box<CycleOrder>,
    },
    /// A cycle whose journal and state are lost, from its progress files. It rests until somebody resumes it.
    RebuildCycle {
        /// The name of its files.
        id: String,
        /// How to go on.
        order: Box<CycleOrder>,
    },
    /// A run of its own that goes on from an earlier point of another.
    Fork(Box<ForkOrder>),
}

/// A loop, as a person asks for it. What is not said comes from the configuration.
#[record(Default, written)]
#[serde(default)]
pub struct LoopOrder {
    /// What the agent is asked to do.
    pub task: Option<String>,
    /// A file with the task.
    pub prompt_file: Option<PathBuf>,
    /// Who does it.
    pub agent: AgentChoice,
    /// Who reads what was done, before it is done.
    #[serde(default)]
    pub review: Option<String>,
    /// Walls around agents and checks.
    pub confine: bool,
    /// None, whatever the configuration says.
    pub no_confine: bool,
    /// Checks, as `[NAME=]COMMAND`.
    pub checks: Vec<String>,
    /// What must hold.
    pub until: Vec<String>,
    /// What it may use at most, as a person wrote it.
    pub limits: LimitWords,
    /// The time at which it stops.
    pub deadline: Option<String>,
    /// Ask before every iteration.
    pub attended: bool,
    /// What the run is to be called; a name is made up where nobody says one.
    pub id: Option<String>,
    /// In a work tree of its own.
    pub worktree: bool,
    /// Work in the checkout, never in a work tree of its own.
    pub here: bool,
    /// Even if many loops work already.
    pub force: bool,
    /// A command to run whenever it comes to rest.
    pub on_done: Option<String>,
    /// Take the configuration as it stands, for this once.
    pub trust: bool,
    /// By the defaults and what is said here alone, whatever is configured; nor is the repository listed as one with runs.
    pub plain: bool,
}

/// A queue, as a person asks for it: a loop for each item of a list.
#[record(Default, written)]
#[serde(default)]
pub struct QueueOrder {
    /// A file, a directory, or `issues` of the forge, with a label as `issues:LABEL`.
    pub list: String,
    /// How each item is run; it says no task.
    pub each: LoopOrder,
    /// How many at once; one where nobody says.
    pub parallel: Option<u32>,
    /// What all of them may use together: money, tokens and time.
    pub total: LimitWords,
}

/// An item that somebody adds to a queue.
#[record(Default, written)]
#[serde(default)]
pub struct ItemOrder {
    /// What is to be done.
    pub task: String,
    /// Its name; one is made of the task where nobody says.
    pub id: Option<String>,
    /// The names of those that it comes after.
    pub after: Vec<String>,
    /// Before this one; last where nobody says.
    pub before: Option<String>,
    /// Checks of its own, beside those of the queue.
    pub checks: Vec<String>,
}

/// Which agent is to work, and how. What is not said comes from the configuration.
#[record(Default, written)]
#[serde(default)]
pub struct AgentChoice {
    /// One that piton or the configuration knows, by its name.
    pub name: Option<String>,
    /// Any command in its stead.
    pub exec: Option<String>,
    /// The model it is to use.
    pub model: Option<String>,
    /// What it may do without asking.
    pub sandbox: Option<String>,
    /// Further arguments for it.
    pub arguments: Vec<String>,
}

/// Ceilings as a person writes them, e.g. `90m`; of a run that is there also relative, e.g. `+25`.
#[record(Default, Eq, written)]
#[serde(default)]
pub struct LimitWords {
    /// How many iterations.
    pub iterations: Option<String>,
    /// How long agents and checks may work; waits are not counted.
    pub duration: Option<String>,
    /// How many dollars.
    pub cost: Option<String>,
    /// How many tokens, read and written.
    pub tokens: Option<String>,
    /// How many files may differ from the start.
    pub files: Option<String>,
    /// How many lines may be added and removed.
    pub lines: Option<String>,
    /// Fresh sessions in the middle of the work.
    pub reboots: Option<String>,
}

/// A workflow, as a person asks for it. What is not said has its default in a new run; one that is there keeps what it has.
#[record(Default, written)]
pub struct WorkflowOrder {
    /// The file that says what the steps are.
    pub file: PathBuf,
    /// Any command as the agent of every step.
    pub exec: Option<String>,
    /// A wrapper program that runs agents.
    pub wrapper: Option<PathBuf>,
    /// Further arguments for it.
    pub wrapper_arguments: Vec<String>,
    /// A command with placeholders.
    pub command_template: Option<String>,
    /// Its name; one that is there and unfinished is gone on with.
    pub run_id: Option<String>,
    /// Begin anew from this step.
    pub start_at_step: Option<String>,
    /// Go on with the document as it is now.
    pub migrate: bool,
    /// Tries per step.
    pub max_attempts: Option<u32>,
    /// Loop-backs per gate.
    pub max_iterations: Option<u32>,
    /// Steps at once.
    pub max_parallel: Option<u32>,
    /// Steps with `human_in_the_loop` wait for a person.
    pub pause_for_human_input: bool,
    /// Variables for every step.
    pub env: BTreeMap<String, String>,
    /// A file that says which gates are open.
    pub gate_state_file: Option<PathBuf>,
    /// A JSON Schema that reports must also match.
    pub schema: Option<PathBuf>,
    /// Keep the directories of runs that are long over.
    pub skip_cleanup: bool,
    /// The most that the run may cost, in dollars.
    pub max_cost: Option<f64>,
    /// The most that all workflows here may cost on one day, in dollars.
    pub daily_cost_limit: Option<f64>,
    /// What follows when it costs more; a pause, where nobody says.
    pub cost_limit_action: Option<CostAction>,
    /// The number of an issue whose text lies in a file.
    pub issue_number: Option<String>,
    /// Where that file lies.
    pub issue_dir: Option<PathBuf>,
    /// In a work tree of its own.
    pub worktree: bool,
    /// In this directory.
    pub workdir: Option<PathBuf>,
    /// Without walls, whatever the configuration says.
    #[serde(default)]
    pub no_confine: bool,
    /// Take the configuration as it stands, for this once.
    pub trust: bool,
}

/// A cycle, as a person asks for it. What is not said comes from the configuration.
#[record(Default, written)]
#[serde(default)]
pub struct CycleOrder {
    /// What is to be done, in a line.
    pub task: String,
    /// The same at length; the task where nobody says.
    pub description: Option<String>,
    /// Who works, in every role.
    pub agent: AgentChoice,
    /// Who works in one role: names of agents by names of roles.
    pub agents: BTreeMap<String, String>,
    /// Checks, as `[NAME=]COMMAND`.
    pub checks: Vec<String>,
    /// Ceilings.
    pub limits: LimitWords,
    /// Its name.
    pub id: Option<String>,
    /// Nobody confirms between iterations, whatever the configuration says.
    pub auto: bool,
    /// Walls around agents and checks.
    pub confine: bool,
    /// None, whatever the configuration says.
    pub no_confine: bool,
    /// What was worked out before.
    pub prep: PrepChoice,
    /// Work in a work tree of its own.
    pub worktree: bool,
    /// A command to run once it rests.
    pub on_done: Option<String>,
    /// Take the configuration as it stands, for this once.
    pub trust: bool,
}

/// Which prep package a cycle begins with.
#[record(Default, Eq)]
pub enum PrepChoice {
    /// None, whatever lies there.
    #[default]
    Without,
    /// The one that lies at the usual place, if one does.
    Usual,
    /// This file.
    File(String),
}

/// How a run is forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removal {
    /// Also one that is under way.
    pub force: bool,
    /// Also the files of a cycle, which hold the documents of its team.
    pub files: bool,
    /// Also its work tree and branch, whether they were landed or not.
    pub tree: bool,
}

/// Where another run is gone on from.
#[record(Eq, written)]
pub struct ForkOrder {
    /// The run that is forked.
    pub run: RunId,
    /// From the end of this iteration, of a loop.
    pub iteration: Option<u32>,
    /// From this step, of a workflow.
    pub step: Option<String>,
    /// As it was after this event.
    pub at: Option<Seq>,
    /// The name of the new run.
    pub id: Option<String>,
    /// Iterations it may have.
    pub max_iterations: Option<u32>,
}

/// How a run goes on.
#[record(Default, Eq)]
#[serde(default)]
pub struct Resumption {
    /// With these ceilings.
    pub limits: LimitWords,
    /// With this limit for all workflows on one day.
    pub daily_cost_limit: Option<String>,
    /// Also where a driver holds it that is frozen.
    pub take_over: bool,
    /// From here on without the walls that it has.
    pub no_confine: bool,
}

/// A run that is under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// Its id, made up where none was given.
    pub run_id: RunId,
    /// What is new happens after this event; 0 where all of it is.
    pub after: Seq,
    /// What a person should know about it.
    pub notes: Vec<String>,
}
