//! `<id>.json`, field by field: names, types and order as its document has them.
//!
//! A required field is always written, an optional one is left out where it is not known, and no other key is ever
//! written. Times are text: [`Zone`](super::Zone) makes it. What is not known of a required time is the empty text.

use std::collections::BTreeMap;

use piton_model::Status;
use piton_model::cycle::{
    BlockerStatus, ChangeAction, DecisionStatus, Effort, FeedbackKind, RoleStatus, State, TaskStatus,
};
use serde::{Deserialize, Serialize, Serializer};

use crate::plain::json_file;

/// The four roles, in the order in which each needs the one before.
pub const ROLES: [&str; 4] = ["ra", "ep", "cd", "vas"];

/// A cycle as all of its agents see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CycleState {
    pub cycle_id: String,
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub task_history: Vec<String>,

    pub status: CycleStatus,
    #[serde(default)]
    pub created_at: String,
    #[serde(default)]
    pub updated_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,

    #[serde(default = "five")]
    pub max_iterations: u32,
    #[serde(default)]
    pub current_iteration: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<String>,

    #[serde(default)]
    pub agents: Agents,

    #[serde(default)]
    pub current_phase: CurrentPhase,
    /// A set: each phase once.
    #[serde(default)]
    pub completed_phases: Vec<String>,
    #[serde(default)]
    pub phase_errors: Vec<PhaseError>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requirements: Option<Requirements>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exploration: Option<Exploration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_results: Option<TestResults>,

    #[serde(default)]
    pub iterations: Vec<IterationRecord>,

    #[serde(default)]
    pub coordination: Coordination,
}

impl CycleState {
    /// The file as it is written: the same state gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        json_file(self)
    }
}

/// Where a cycle is, in the words of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CycleStatus {
    Created,
    Running,
    Paused,
    Completed,
    Failed,
}

impl CycleStatus {
    /// The word of the format.
    pub const fn as_str(self) -> &'static str {
        match self {
            CycleStatus::Created => "created",
            CycleStatus::Running => "running",
            CycleStatus::Paused => "paused",
            CycleStatus::Completed => "completed",
            CycleStatus::Failed => "failed",
        }
    }

    /// What the file says of a cycle: one that was asked to rest is paused there, so that `running` takes it back.
    pub fn shown(state: &State) -> Self {
        let is_asked_to_rest = state.requests.pause || state.requests.stop.is_some();
        match Self::of(state.status) {
            CycleStatus::Running if is_asked_to_rest => CycleStatus::Paused,
            status => status,
        }
    }

    /// The one table from piton's words to those of this format.
    pub fn of(status: Status) -> Self {
        match status {
            Status::Created => CycleStatus::Created,
            Status::Running | Status::Rebooting => CycleStatus::Running,
            Status::Waiting | Status::Paused | Status::Stopped => CycleStatus::Paused,
            Status::Completed => CycleStatus::Completed,
            Status::Failed => CycleStatus::Failed,
        }
    }
}

/// What the format allows where nothing is said.
fn five() -> u32 {
    5
}

/// Where its team is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CurrentPhase {
    #[default]
    Init,
    Ra,
    Ep,
    Cd,
    Vas,
    Aggregation,
    Complete,
}

/// How each of the four is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agents {
    #[serde(default)]
    pub ra: AgentState,
    #[serde(default)]
    pub ep: AgentState,
    #[serde(default)]
    pub cd: AgentState,
    #[serde(default)]
    pub vas: AgentState,
}

impl Agents {
    /// The one of this role.
    pub fn get(&self, role: &str) -> Option<&AgentState> {
        match role {
            "ra" => Some(&self.ra),
            "ep" => Some(&self.ep),
            "cd" => Some(&self.cd),
            "vas" => Some(&self.vas),
            _ => None,
        }
    }

    /// The one of this role, to be changed.
    pub fn get_mut(&mut self, role: &str) -> Option<&mut AgentState> {
        match role {
            "ra" => Some(&mut self.ra),
            "ep" => Some(&mut self.ep),
            "cd" => Some(&mut self.cd),
            "vas" => Some(&mut self.vas),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentState {
    #[serde(default)]
    pub status: RoleStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
    #[serde(default)]
    pub output_files: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default)]
    pub iterations_completed: u32,
}

impl Default for AgentState {
    /// One that has done nothing yet.
    fn default() -> Self {
        Self {
            status: RoleStatus::Idle,
            started_at: None,
            completed_at: None,
            output_files: Vec::new(),
            last_message: None,
            error: None,
            iterations_completed: 0,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseError {
    #[serde(default)]
    pub phase: String,
    #[serde(default)]
    pub error: String,
    #[serde(default)]
    pub timestamp: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requirements {
    #[serde(default)]
    pub version: String,
    #[serde(default)]
    pub specification: String,
    #[serde(default)]
    pub edge_cases: Vec<String>,
    #[serde(default)]
    pub last_updated: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exploration {
    #[serde(default)]
    pub version: String,
    #[serde(default)]
    pub architecture_summary: String,
    #[serde(default)]
    pub integration_points: Vec<String>,
    #[serde(default)]
    pub identified_risks: Vec<String>,
    #[serde(default)]
    pub last_updated: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    #[serde(default)]
    pub version: String,
    #[serde(default)]
    pub tasks: Vec<PlanTask>,
    #[serde(default)]
    pub total_estimated_effort: String,
    #[serde(default)]
    pub critical_path: Vec<String>,
    #[serde(default)]
    pub last_updated: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanTask {
    pub id: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub effort: Effort,
    #[serde(default)]
    pub depends_on: Vec<String>,
    #[serde(default)]
    pub status: TaskStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assigned_to: Option<String>,
    #[serde(default)]
    pub files: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    #[serde(default)]
    pub total_files: u64,
    #[serde(default)]
    pub changes: Vec<ChangeLog>,
    /// By iteration: when its changes were all there.
    #[serde(default)]
    pub iteration_markers: BTreeMap<u32, String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeLog {
    #[serde(default)]
    pub timestamp: String,
    pub file: String,
    pub action: ChangeAction,
    #[serde(default)]
    pub iteration: u32,
    #[serde(default)]
    pub agent: String,
    #[serde(default)]
    pub description: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestResults {
    #[serde(default)]
    pub version: String,
    #[serde(serialize_with = "percent")]
    pub pass_rate: f64,
    #[serde(serialize_with = "percent")]
    pub coverage: f64,
    #[serde(default)]
    pub failed_tests: Vec<String>,
    #[serde(default)]
    pub total_tests: u64,
    #[serde(default)]
    pub last_run: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationRecord {
    pub number: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extension: Option<String>,
    #[serde(default)]
    pub started_at: String,
    /// Empty while it goes on: the format demands one.
    #[serde(default)]
    pub completed_at: String,
    #[serde(default)]
    pub agent_results: BTreeMap<String, AgentResult>,
    #[serde(default)]
    pub issues_found: Vec<String>,
    #[serde(default)]
    pub resolved: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentResult {
    #[serde(default)]
    pub status: String,
    #[serde(default)]
    pub files_modified: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coordination {
    #[serde(default)]
    pub feedback_log: Vec<FeedbackEntry>,
    #[serde(default)]
    pub pending_decisions: Vec<Decision>,
    #[serde(default)]
    pub blockers: Vec<Blocker>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedbackEntry {
    #[serde(default)]
    pub timestamp: String,
    #[serde(default)]
    pub source: String,
    #[serde(default)]
    pub target: String,
    #[serde(default)]
    pub content: String,
    #[serde(rename = "type")]
    pub kind: FeedbackKind,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    pub id: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub options: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen_option: Option<String>,
    pub status: DecisionStatus,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocker {
    pub id: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub reported_by: String,
    pub status: BlockerStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<String>,
}

/// A share of a hundred as its readers know it: `85`, not `85.0`.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
pub(super) fn percent<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    // What is no number is not within, either.
    let within = if value.is_nan() { 0.0 } else { value.clamp(0.0, 100.0) };
    if within.fract() == 0.0 {
        serializer.serialize_u64(within as u64)
    } else {
        serializer.serialize_f64(within)
    }
}
