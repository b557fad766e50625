//! What of the format is read again, field by field: names, types and order as its users know them. What is only written
//! stands where it is made, as an [`object!`](crate::plain::object).
//!
//! Entries of histories are kept as text: [`Text`].

use std::collections::BTreeMap;

use piton_model::Timestamp;
use piton_model::loop_machine::CheckResult;
use piton_record::{record, shown};
use serde::Serialize;
use serde_json::value::RawValue;

/// JSON that was written before and is copied as it is.
pub(super) type Text = Box<RawValue>;

/// What is written once and copied from then on.
pub(super) fn text(entry: &impl Serialize) -> Text {
    serde_json::value::to_raw_value(entry).expect("an entry is plain data with text keys")
}

/// An entry of `iteration_history`, and the first half of `iteration-NNN.json`.
#[record(written(artifacts))]
pub(super) struct HistoryEntry {
    pub(super) iteration: u32,
    pub(super) timestamp: Timestamp,
    pub(super) quality_score: f64,
    /// What the score was made of: `quality`, `checks` or `unknown`. Ours; the format has no word for it.
    pub(super) quality_source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) quality_delta: Option<f64>,
    pub(super) quality_breakdown: BTreeMap<String, f64>,
    pub(super) artifacts: Vec<ArtifactEntry>,
    pub(super) snapshot_path: String,
    pub(super) test_results: Option<TestResults>,
    pub(super) metrics_snapshot: Option<MetricsSnapshot>,
    pub(super) regression_detected: bool,
    pub(super) recovery_attempted: bool,
}

#[record]
pub(super) struct ArtifactEntry {
    pub(super) path: String,
    pub(super) hash: String,
    pub(super) size_bytes: u64,
}

#[record]
pub(super) struct TestResults {
    pub(super) total: u64,
    pub(super) passed: u64,
    pub(super) failed: u64,
    pub(super) skipped: u64,
    pub(super) coverage: Option<f64>,
}

#[record]
pub(super) struct MetricsSnapshot {
    pub(super) test_count: Option<u64>,
    pub(super) coverage_percentage: Option<f64>,
    pub(super) typescript_errors: Option<u64>,
    pub(super) lint_errors: Option<u64>,
    pub(super) lint_warnings: Option<u64>,
    pub(super) file_count: Option<u64>,
    pub(super) lines_of_code: Option<u64>,
    pub(super) custom_metrics: BTreeMap<String, f64>,
}

/// The second half of `iteration-NNN.json`: what the journal knows beyond the format.
#[shown(Debug, PartialEq, omit(skipped, refused, rejected, doubted), written(checks))]
pub(super) struct Particulars {
    pub(super) attempt: u32,
    pub(super) outcome: &'static str,
    pub(super) message: Option<String>,
    pub(super) skipped: bool,
    pub(super) refused: bool,
    pub(super) rejected: bool,
    pub(super) doubted: bool,
    pub(super) duration_ms: u64,
    pub(super) lines_added: u64,
    pub(super) lines_removed: u64,
    pub(super) cost_usd: Option<f64>,
    pub(super) commit: Option<String>,
    pub(super) snapshot: Option<String>,
    pub(super) tree: Option<String>,
    pub(super) checks: Vec<CheckResult>,
}

/// `iteration-NNN.json`: the entry of the history, what the journal knows besides, and whose file it is.
#[derive(Serialize)]
pub(super) struct IterationFile<'a, O> {
    pub(super) loop_id: &'a str,
    #[serde(flatten)]
    pub(super) entry: &'a HistoryEntry,
    #[serde(flatten)]
    pub(super) particulars: &'a Particulars,
    pub(super) piton: O,
}
