//! The format, field by field: names, types and order as its users know them.
//!
//! Fields that piton does not know are ignored when reading: other programs may add their own. Parts that begin empty need
//! not be there. Where the format has a map, ours is sorted, so that equal states are equal bytes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use piton_model::Timestamp;
use piton_record::record;
use serde::{Deserialize, Serialize};

/// The version of the format that is written, and the newest that is read.
pub const STATE_VERSION: u32 = 1;

/// A loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PersistedLoopState {
    /// [`STATE_VERSION`].
    pub version: u32,
    /// The run's id.
    pub loop_id: String,
    /// When the run was last changed. Not when the file was written: a view does not read a clock.
    pub saved_at: Timestamp,
    /// Where the loop is.
    pub core: CoreLoopState,
    /// The agent's sessions.
    #[serde(default)]
    pub session: SessionState,
    /// How it gets on.
    #[serde(default)]
    pub progress: ProgressState,
    /// The checks.
    #[serde(default)]
    pub tests: TestState,
    /// How near it is to each of its ends.
    #[serde(default)]
    pub stop_conditions: StopConditionState,
    /// Counters.
    #[serde(default)]
    pub metrics: MetricsSnapshot,
    /// The run's custom values, and `piton`: whose file this is.
    #[serde(default)]
    pub custom: BTreeMap<String, serde_json::Value>,
}

/// Where a loop is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoreLoopState {
    /// In the words of this format.
    pub status: LoopStatus,
    /// The iteration that is under way or was last finished.
    pub iteration: u32,
    /// When the run was created.
    pub started_at: Timestamp,
    /// When the run was last changed.
    pub last_activity: Timestamp,
    /// Where the agent works; absolute.
    #[serde(default)]
    pub working_dir: PathBuf,
    /// The prompt file; empty where the task was given as text.
    #[serde(default)]
    pub prompt_path: PathBuf,
    /// Changes when the configuration does.
    #[serde(default)]
    pub config_hash: String,
}

/// Where a loop is, in the words of this format.
#[record(Copy, Eq, Hash)]
pub enum LoopStatus {
    /// Work is under way.
    Running,
    /// It rests until a moment or a person.
    Paused,
    /// It changes to a fresh session.
    Rebooting,
    /// It was stopped short of its goal.
    Stopped,
    /// It reached its goal.
    Completed,
    /// It gave up.
    Error,
}

impl LoopStatus {
    /// Whether the loop's file makes room for another loop.
    pub fn is_finished(self) -> bool {
        match self {
            LoopStatus::Stopped | LoopStatus::Completed | LoopStatus::Error => true,
            LoopStatus::Running | LoopStatus::Paused | LoopStatus::Rebooting => false,
        }
    }
}

/// The agent's sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionState {
    /// The session of the last attempt that named one.
    pub current_session_id: Option<String>,
    /// Since when.
    pub session_started_at: Option<Timestamp>,
    /// Iterations in it.
    pub session_iterations: u32,
    /// How full its context is, in percent.
    pub context_usage: u8,
    /// The sessions before it, oldest first.
    pub session_history: Vec<SessionHistoryEntry>,
}

/// A session that ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionHistoryEntry {
    pub session_id: String,
    /// When its first attempt started.
    pub started_at: Timestamp,
    /// When it was left.
    pub ended_at: Timestamp,
    /// Iterations in it.
    pub iterations: u32,
    /// Why it ended.
    pub end_reason: String,
}

/// How a loop gets on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProgressState {
    /// Iterations in a row that changed nothing that matters.
    pub iterations_since_progress: u32,
    /// The last iteration that changed something that matters.
    pub last_progress_iteration: Option<u32>,
    /// For each of the last iterations, oldest first: how far it got, from 0 to 1.
    pub recent_scores: Vec<f64>,
    /// Files the run has changed.
    pub modified_files: Vec<PathBuf>,
    /// What is done, by the agent's account.
    pub completed_objectives: Vec<String>,
    /// What is left, by the agent's account.
    pub pending_objectives: Vec<String>,
}

/// The tests of the last round, by name; checks where no runner names tests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TestState {
    /// Iterations in a row after which a test failed.
    pub failure_streak: u32,
    pub passing_tests: Vec<String>,
    pub failing_tests: Vec<String>,
    /// Those that go to and fro; of checks nobody knows.
    pub flaky_tests: Vec<String>,
    /// Tests that failed in the round before and pass now; of checks, those that failed before the first iteration.
    pub recently_fixed: Vec<String>,
}

/// How near a loop is to each of its ends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StopConditionState {
    /// From 0 to 1 for each condition and each limit.
    pub condition_progress: BTreeMap<String, f64>,
    /// What the last round of checks said.
    pub last_evaluation: Option<String>,
}

/// Counters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MetricsSnapshot {
    /// Iterations with a verdict.
    pub total_iterations: u64,
    /// Of those, iterations whose agent succeeded and whose work was kept.
    pub successful_iterations: u64,
    /// Of those, iterations whose agent failed, or that were skipped or put back.
    pub failed_iterations: u64,
    /// Changes to a fresh session in the middle of the work.
    pub total_reboots: u64,
    /// Working time.
    pub total_execution_ms: u64,
}
