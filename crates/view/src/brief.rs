//! What an agent can know of its run while it works.
//!
//! Rendered as one file beside the attempts of a run, so that nothing an agent starts ever has to open the
//! journal: not its tools, not its hooks, not between walls. Like every view it lags and never leads.

use std::path::PathBuf;

use piton_model::RunId;
use piton_model::loop_machine::{KeptNote, Objectives};
use piton_record::record;
use serde::{Deserialize, Serialize};

/// The run, as far as it matters to the agent that works on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Brief {
    /// The run that the agent works for.
    pub run_id: RunId,
    /// Where its agents and checks work.
    pub tree: PathBuf,
    /// What it is about.
    pub task: String,
    /// The iteration under way.
    pub iteration: u32,
    /// How many there may be.
    pub iterations_max: u32,
    /// What a person wants of the agent right now.
    pub signal: Signal,
    /// What people told it since its last prompt.
    pub told: Vec<String>,
    /// The checks that judge it, with their last verdict.
    pub checks: Vec<BriefCheck>,
    /// What is done and what is left, by the agents' own account.
    pub objectives: Objectives,
    /// What agents decided and found out so far.
    pub notes: Vec<KeptNote>,
    /// Paths that no agent may change, relative to the work tree.
    pub protect: Vec<String>,
}

/// What a person wants of an agent that works.
#[record(Copy, Eq)]
pub enum Signal {
    /// Nothing: go on.
    GoOn,
    /// To come to a good end soon: the run pauses after this attempt.
    Pause,
    /// To end: the run stops after this attempt.
    Stop,
}

/// A check, as an agent sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BriefCheck {
    /// What the check is called in the configuration.
    pub name: String,
    /// What is run.
    pub command: String,
    /// How long it may take.
    pub timeout_ms: u64,
    /// It is over in no time, so the agent can be held to it before it stops.
    pub cheap: bool,
    /// Whether it passed when it was last run; nothing where it never was.
    pub passed: Option<bool>,
    /// The end of what it printed, when it failed.
    pub tail: String,
}
