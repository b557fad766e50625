//! The format, field by field: names, types and order as its users know them.
//!
//! An optional field that is not known is left out. Entries of histories are kept as text: [`Text`].

use std::collections::BTreeMap;

use piton_model::{Seq, Timestamp};
use piton_record::shown;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// JSON that was written before and is copied as it is.
pub(super) type Text = Box<RawValue>;

/// What is written once and copied from then on.
pub(super) fn text(entry: &impl Serialize) -> Text {
    serde_json::value::to_raw_value(entry).expect("an entry is plain data with text keys")
}

/// `state.json`: the base format, then its extension, then whose file it is.
#[shown(written(
    iteration_history,
    regression_events,
    reinforcement_history,
    recovery_history,
    detected_patterns
))]
pub(super) struct LoopState<'a> {
    pub(super) version: &'static str,
    pub(super) loop_id: &'a str,
    pub(super) status: &'static str,
    pub(super) iteration: u32,
    pub(super) task: &'a str,
    pub(super) completion_criteria: String,
    pub(super) started_at: Timestamp,
    pub(super) last_updated: Timestamp,
    pub(super) completed_at: Option<Timestamp>,
    pub(super) owner: &'static str,
    pub(super) pid: Option<u32>,
    pub(super) working_directory: String,
    pub(super) configuration: Configuration,
    pub(super) progress: Progress,
    pub(super) metrics: Metrics,
    pub(super) error_context: Option<ErrorContext>,

    pub(super) baseline_metrics: Option<BaselineMetrics<'a>>,
    pub(super) iteration_history: Vec<&'a RawValue>,
    pub(super) best_iteration: Option<BestIteration>,
    pub(super) regression_events: Vec<&'a RawValue>,
    pub(super) reinforcement_level: &'static str,
    pub(super) reinforcement_history: Vec<&'a RawValue>,
    pub(super) recovery_attempts: usize,
    pub(super) recovery_history: Vec<&'a RawValue>,
    pub(super) detection_enabled: bool,
    pub(super) detected_patterns: Vec<&'a RawValue>,
    pub(super) persistence_metrics: Option<PersistenceMetrics>,

    pub(super) piton: Own<'a>,
}

/// Whose file it is. The last member of a file, and the digest the last in it: so it is found without reading all.
#[shown]
pub(super) struct Own<'a> {
    pub(super) run_id: &'a str,
    pub(super) seq: Option<Seq>,
    pub(super) status: Option<&'static str>,
    pub(super) reason: Option<&'static str>,
    pub(super) digest: &'static str,
}

#[derive(Serialize)]
pub(super) struct Configuration {
    pub(super) max_iterations: u32,
    pub(super) timeout_minutes: u64,
    pub(super) interactive: bool,
    pub(super) auto_test: bool,
    pub(super) checkpoint_interval: u32,
    pub(super) execution_mode: &'static str,
}

#[shown(written(completion_checks))]
pub(super) struct Progress {
    pub(super) completion_checks: Vec<CompletionCheck>,
    pub(super) last_completion_check: Option<CompletionCheck>,
}

#[derive(Clone, Serialize)]
pub(super) struct CompletionCheck {
    pub(super) iteration: u32,
    pub(super) timestamp: Timestamp,
    pub(super) passed: bool,
    pub(super) output: String,
}

#[shown]
pub(super) struct Metrics {
    pub(super) total_iterations: u32,
    pub(super) successful_iterations: u32,
    pub(super) failed_iterations: u32,
    pub(super) total_tokens: Option<u64>,
    pub(super) total_cost_usd: Option<f64>,
    pub(super) total_duration_seconds: u64,
    pub(super) average_iteration_time_seconds: Option<f64>,
}

#[derive(Serialize)]
pub(super) struct ErrorContext {
    pub(super) error_message: String,
    pub(super) error_timestamp: Timestamp,
    pub(super) recovery_attempted: bool,
}

#[shown]
pub(super) struct BaselineMetrics<'a> {
    pub(super) captured_at: Timestamp,
    pub(super) test_count: u64,
    pub(super) coverage_percentage: f64,
    pub(super) typescript_errors: Option<u64>,
    pub(super) lint_errors: Option<u64>,
    pub(super) lint_warnings: Option<u64>,
    pub(super) file_count: Option<u64>,
    pub(super) lines_of_code: Option<u64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) custom_metrics: &'a BTreeMap<String, f64>,
}

#[derive(Serialize)]
pub(super) struct BestIteration {
    pub(super) iteration: u32,
    pub(super) quality_score: f64,
    pub(super) snapshot_path: String,
    pub(super) updated_at: Timestamp,
    pub(super) selection_reason: String,
}

#[shown]
pub(super) struct PersistenceMetrics {
    pub(super) detection_latency_p95_ms: Option<u32>,
    pub(super) detection_latency_p99_ms: Option<u32>,
    pub(super) integration_overhead_percentage: Option<f64>,
    pub(super) false_positive_rate: Option<f64>,
    pub(super) true_positive_count: Option<usize>,
    pub(super) false_positive_count: Option<usize>,
}

/// An entry of `iteration_history`, and the first half of `iteration-NNN.json`.
#[derive(Serialize, Deserialize)]
pub(super) struct HistoryEntry {
    pub(super) iteration: u32,
    pub(super) timestamp: Timestamp,
    pub(super) quality_score: f64,
    /// What the score was made of: `quality`, `checks` or `unknown`. Ours; the format has no word for it.
    pub(super) quality_source: String,
    pub(super) quality_delta: f64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) quality_breakdown: BTreeMap<String, f64>,
    pub(super) artifacts: Vec<ArtifactEntry>,
    pub(super) snapshot_path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) test_results: Option<TestResults>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) metrics_snapshot: Option<MetricsSnapshot>,
    pub(super) regression_detected: bool,
    pub(super) recovery_attempted: bool,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ArtifactEntry {
    pub(super) path: String,
    pub(super) hash: String,
    pub(super) size_bytes: u64,
}

#[derive(Serialize, Deserialize)]
pub(super) struct TestResults {
    pub(super) total: u64,
    pub(super) passed: u64,
    pub(super) failed: u64,
    pub(super) skipped: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) coverage: Option<f64>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct MetricsSnapshot {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) test_count: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) coverage_percentage: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) typescript_errors: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lint_errors: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lint_warnings: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) file_count: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lines_of_code: Option<u64>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) custom_metrics: BTreeMap<String, f64>,
}

/// The second half of `iteration-NNN.json`: what the journal knows beyond the format.
#[shown(Debug, PartialEq, omit(skipped, refused, doubted), written(checks))]
pub(super) struct Particulars {
    pub(super) attempt: u32,
    pub(super) outcome: &'static str,
    pub(super) message: Option<String>,
    pub(super) skipped: bool,
    pub(super) refused: bool,
    pub(super) doubted: bool,
    pub(super) duration_ms: u64,
    pub(super) lines_added: u64,
    pub(super) lines_removed: u64,
    pub(super) cost_usd: Option<f64>,
    pub(super) commit: Option<String>,
    pub(super) snapshot: Option<String>,
    pub(super) tree: Option<String>,
    pub(super) checks: Vec<CheckEntry>,
}

#[shown(Debug, PartialEq, omit(timed_out))]
pub(super) struct CheckEntry {
    pub(super) name: String,
    pub(super) passed: bool,
    pub(super) exit_code: Option<i32>,
    pub(super) timed_out: bool,
    pub(super) duration_ms: u64,
}

/// `iteration-NNN.json`.
#[derive(Serialize)]
pub(super) struct IterationFile<'a> {
    pub(super) loop_id: &'a str,
    #[serde(flatten)]
    pub(super) entry: &'a HistoryEntry,
    #[serde(flatten)]
    pub(super) particulars: &'a Particulars,
    pub(super) piton: Own<'a>,
}

#[shown]
pub(super) struct RegressionEvent<'a> {
    pub(super) event_id: String,
    pub(super) timestamp: Timestamp,
    pub(super) iteration: u32,
    pub(super) regression_type: &'static str,
    pub(super) severity: &'static str,
    pub(super) details: RegressionDetails<'a>,
    pub(super) recovery_protocol_invoked: bool,
    pub(super) recovery_outcome: Option<&'static str>,
    pub(super) human_gate_invoked: bool,
    pub(super) human_decision: Option<&'static str>,
}

#[shown]
pub(super) struct RegressionDetails<'a> {
    pub(super) baseline_value: Option<serde_json::Number>,
    pub(super) current_value: Option<serde_json::Number>,
    pub(super) diff: Diff<'a>,
}

#[derive(Serialize)]
pub(super) struct Diff<'a> {
    pub(super) findings: Vec<FindingEntry<'a>>,
}

#[derive(Serialize)]
pub(super) struct FindingEntry<'a> {
    pub(super) id: &'a str,
    pub(super) rule: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) file: &'a str,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) line: u32,
    pub(super) message: &'a str,
    pub(super) blocking: bool,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[derive(Serialize)]
pub(super) struct LevelEntry<'a> {
    pub(super) timestamp: Timestamp,
    pub(super) iteration: u32,
    pub(super) from_level: &'static str,
    pub(super) to_level: &'static str,
    pub(super) reason: &'a str,
}

#[shown]
pub(super) struct RecoveryEntry<'a> {
    pub(super) recovery_id: String,
    pub(super) timestamp: Timestamp,
    pub(super) iteration: u32,
    pub(super) trigger: String,
    pub(super) protocol_steps: ProtocolSteps<'a>,
    pub(super) outcome: Option<&'static str>,
}

#[shown]
pub(super) struct ProtocolSteps<'a> {
    pub(super) pause: PauseStep<'a>,
    pub(super) diagnose: Option<DiagnoseStep>,
    pub(super) adapt: Option<AdaptStep>,
    pub(super) retry: Option<RetryStep>,
    pub(super) escalate: Option<EscalateStep<'a>>,
}

#[derive(Serialize)]
pub(super) struct PauseStep<'a> {
    pub(super) executed_at: Timestamp,
    pub(super) actions: &'a [String],
}

#[derive(Serialize)]
pub(super) struct DiagnoseStep {
    pub(super) executed_at: Timestamp,
    pub(super) root_cause: String,
    pub(super) confidence: f64,
}

#[derive(Serialize)]
pub(super) struct AdaptStep {
    pub(super) executed_at: Timestamp,
    pub(super) strategy: &'static str,
    pub(super) changes_made: Vec<&'static str>,
}

#[derive(Serialize)]
pub(super) struct RetryStep {
    pub(super) executed_at: Timestamp,
    pub(super) retry_iteration: u32,
    pub(super) outcome: &'static str,
}

#[shown]
pub(super) struct EscalateStep<'a> {
    pub(super) executed_at: Timestamp,
    pub(super) reason: &'a str,
    pub(super) human_decision: Option<&'static str>,
}

#[derive(Serialize)]
pub(super) struct PatternEntry<'a> {
    pub(super) pattern_id: &'a str,
    pub(super) pattern_name: &'a str,
    pub(super) iteration: u32,
    pub(super) timestamp: Timestamp,
    pub(super) severity: &'static str,
    pub(super) false_positive: bool,
    pub(super) finding: &'a str,
}
