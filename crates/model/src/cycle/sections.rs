//! What roles produce: the sections of the shared state, and the lines of its logs.

use piton_record::record;
use serde_json::{Map, Value};

use super::config::RoleName;
use crate::Timestamp;
use crate::words::words;

/// What is to be built.
#[record(Eq, written)]
pub struct Requirements {
    pub version: String,
    /// All of the document, without its header.
    pub specification: String,
    pub edge_cases: Vec<String>,
    pub last_updated: Timestamp,
}

/// What is there already, and where the work meets it.
#[record(Eq, written)]
pub struct Exploration {
    pub version: String,
    pub architecture_summary: String,
    pub integration_points: Vec<String>,
    pub identified_risks: Vec<String>,
    pub last_updated: Timestamp,
}

/// What is to be done, in tasks.
#[record(Eq, written)]
pub struct Plan {
    pub version: String,
    pub tasks: Vec<PlanTask>,
    pub total_estimated_effort: String,
    /// The tasks that decide how long it takes.
    pub critical_path: Vec<String>,
    pub last_updated: Timestamp,
    /// What else the document says: titles, success criteria, what can be done side by side.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub more: Map<String, Value>,
}

/// One task of a plan.
#[record(Eq, written, omit(assigned_to))]
pub struct PlanTask {
    pub id: String,
    pub description: String,
    pub effort: Effort,
    pub depends_on: Vec<String>,
    pub status: TaskStatus,
    pub assigned_to: Option<RoleName>,
    pub files: Vec<String>,
}

words! {
    /// How much work a task is.
    #[derive(Default)]
    pub enum Effort {
        /// Under an hour.
        Small = "small",
        /// Up to four hours.
        #[default]
        Medium = "medium",
        /// More than that.
        Large = "large",
    }
}

words! {
    /// Where a task is.
    #[derive(Default)]
    pub enum TaskStatus {
        #[default]
        Pending = "pending",
        InProgress = "in_progress",
        Completed = "completed",
        Blocked = "blocked",
    }
}

/// What became of a file in one attempt.
#[record(Eq)]
pub struct ChangeEntry {
    pub at: Timestamp,
    pub file: String,
    pub action: ChangeAction,
    pub iteration: u32,
    pub agent: RoleName,
    pub description: String,
    /// The task it was done for, where somebody said.
    pub task: Option<String>,
    pub lines_added: u64,
    pub lines_removed: u64,
}

words! {
    /// What was done to a file.
    pub enum ChangeAction {
        Create = "create",
        Modify = "modify",
        Delete = "delete",
    }
}

/// A document of a role got a new version: a line of that role's log.
#[record(Eq)]
pub struct LogLine {
    pub at: Timestamp,
    pub iteration: u32,
    pub version: String,
    pub document: String,
    /// It was not there before.
    pub created: bool,
    /// What changed, in words.
    pub change: String,
}

/// What piton's own round of checks came to.
#[record(written, omit(branches, functions))]
pub struct TestResults {
    pub version: String,
    pub iteration: u32,
    /// The round of checks that says so.
    pub round: u32,
    /// 0 to 100.
    pub pass_rate: f64,
    /// 0 to 100, of lines or of what stands for the whole; absent where nothing measured it.
    pub coverage: Option<f64>,
    /// The same of branches and of functions.
    pub branches: Option<f64>,
    pub functions: Option<f64>,
    /// Names of tests where the runner named them, else of checks.
    pub failed_tests: Vec<String>,
    pub total_tests: u64,
    pub passed_tests: u64,
    pub skipped_tests: u64,
    pub duration_ms: u64,
    pub last_run: Timestamp,
}

/// Something that a role found out and others need not find out again.
#[record(Eq)]
pub struct Discovery {
    pub at: Timestamp,
    pub agent: RoleName,
    /// What sort of thing.
    pub kind: String,
    /// What it is the same by, among those of its sort; empty where there is only one.
    pub key: String,
    pub data: Map<String, Value>,
}
