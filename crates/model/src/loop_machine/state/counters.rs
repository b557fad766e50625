//! What a loop has used so far. Survives restarts; recovery never charges twice.

use serde::{Deserialize, Serialize};

/// What was used so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    /// Iterations with a verdict.
    pub iterations: u32,
    /// Of those, iterations whose agent succeeded.
    pub succeeded: u32,
    /// Of those, iterations whose agent failed.
    pub failed: u32,
    /// How long agents and checks worked; waits are not counted.
    pub working_ms: u64,
    /// Time spent waiting for moments and people.
    pub waiting_ms: u64,
    /// Money, where it was reported, in millionths of a dollar.
    pub cost_microusd: u64,
    /// Attempts that reported no cost: the sum above is then a lower bound.
    pub cost_unknown: u32,
    /// Tokens, where they were reported.
    pub tokens: u64,
    /// Attempts that reported no tokens.
    pub tokens_unknown: u32,
    /// Failed attempts in a row.
    pub failures_in_a_row: u32,
    /// Iterations in a row that changed nothing that matters.
    pub no_progress_in_a_row: u32,
    /// The last iteration that changed something that matters.
    pub last_progress_iteration: Option<u32>,
    /// Refusals by the provider in a row.
    pub refusals_in_a_row: u32,
    /// Iterations in a row after which a test failed.
    pub red_in_a_row: u32,
    /// Attempts whose outcome could not be known.
    pub lost: u32,
    /// Iterations that were refused.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub refused: u32,
    /// Of those, the last ones in a row.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub refused_in_a_row: u32,
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub recoveries: u32,
    /// Of those, the last ones that did not help.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub recoveries_in_a_row: u32,
    /// Iterations in which a regression was found.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub regressions: u32,
    /// Findings, whether they block or not: people may mark any of them.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub detections: u32,
    /// Fresh sessions that were begun in the middle of the work.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub reboots: u32,
    /// Time the guard took.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub guard_ms: u64,
    /// Lines that iterations added and removed; what was put back is not counted.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub lines_changed: u64,
}

impl Counters {
    /// Whether it is known of every iteration how it went: of those of another tool it may not be.
    pub fn are_outcomes_known(&self) -> bool {
        self.succeeded.saturating_add(self.failed) >= self.iterations
    }
}
