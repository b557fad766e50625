//! A run that goes on with what another one left: a file that another tool wrote, or an earlier run.

use std::collections::BTreeMap;

use piton_record::record;

use super::facts::{Objectives, Snapshot};
use super::state::State;
use crate::limits::{CUSTOM_KEYS_MAX, MODIFIED_FILES_MAX, OBJECTIVES_MAX};

/// What a run begins with instead of nothing. Unknown is absent, or zero where it is a count.
#[record(Default, omit(digest))]
#[serde(default)]
pub struct Adoption {
    /// Which format or kind of run it comes from.
    pub format: String,
    /// The file or the run.
    pub source: String,
    /// Digest of what was read.
    pub digest: String,
    /// Iterations with a verdict.
    pub iterations: u32,
    /// Of those, iterations whose agent succeeded.
    pub succeeded: u32,
    /// Of those, iterations whose agent failed.
    pub failed: u32,
    /// Iterations in a row that changed nothing that matters.
    pub no_progress_in_a_row: u32,
    /// The last iteration that changed something that matters.
    pub last_progress_iteration: Option<u32>,
    /// Working time.
    pub working_ms: u64,
    /// Money, in millionths of a dollar.
    pub cost_microusd: u64,
    pub tokens: u64,
    /// What is done and what is left.
    pub objectives: Objectives,
    /// Files that were changed.
    pub modified_files: Vec<String>,
    /// Values kept with it.
    pub custom: BTreeMap<String, serde_json::Value>,
    /// The tree it begins from, where that is not the one that is there.
    pub snapshot: Option<Snapshot>,
}

/// Takes over what was left. Only before anything was begun.
pub(super) fn take(state: &mut State, adoption: &Adoption) {
    if state.driver.is_some() || state.work.iteration > 0 {
        return;
    }
    state.work.iteration = adoption.iterations;
    let counters = &mut state.counters;
    counters.iterations = adoption.iterations;
    counters.succeeded = adoption.succeeded;
    counters.failed = adoption.failed;
    counters.no_progress_in_a_row = adoption.no_progress_in_a_row;
    counters.last_progress_iteration = adoption.last_progress_iteration;
    counters.working_ms = adoption.working_ms;
    counters.cost_microusd = adoption.cost_microusd;
    counters.tokens = adoption.tokens;
    state.memory.objectives = adoption.objectives.clone();
    state.memory.objectives.completed.truncate(OBJECTIVES_MAX);
    state.memory.objectives.pending.truncate(OBJECTIVES_MAX);
    state.seen.modified_files = adoption.modified_files.iter().take(MODIFIED_FILES_MAX).cloned().collect();
    let custom = adoption.custom.iter().take(CUSTOM_KEYS_MAX);
    state.memory.custom = custom.map(|(key, value)| (key.clone(), value.clone())).collect();
    state.memory.adopted = Some(Adopted {
        format: adoption.format.clone(),
        source: adoption.source.clone(),
        iterations: adoption.iterations,
        snapshot: adoption.snapshot.clone(),
    });
}

/// Where a run comes from.
#[record(Eq)]
pub struct Adopted {
    /// Which format or kind of run.
    pub format: String,
    /// The file or the run.
    pub source: String,
    /// Iterations that were not this run's own.
    pub iterations: u32,
    /// The tree it begins from.
    pub snapshot: Option<Snapshot>,
}
