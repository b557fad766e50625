//! A run that goes on with what another one left: a file that another tool wrote, or an earlier run.

use std::collections::BTreeMap;

use piton_record::record;
use serde_json::Value;

use super::facts::{Objectives, Snapshot};
use super::judge::reinforcement::{Level, Reinforcement};
use super::state::{SessionRecord, State};
use crate::Timestamp;
use crate::limits::{
    CUSTOM_KEYS_MAX, EARLIER_BYTES_MAX, MODIFIED_FILES_MAX, OBJECTIVES_MAX, RECENT_ITERATIONS_MAX,
    SESSION_HISTORY_MAX, TEST_NAME_BYTES_MAX, TEXT_BYTES_MAX, TRACKED_TESTS_MAX, keep_last,
};

/// The format of what is no run that goes on: another run left something in the tree, and nobody judged it.
pub const UNJUDGED: &str = "unjudged";

/// What a run begins with instead of nothing. Unknown is absent, or zero where it is a count.
#[record(Default, omit(digest, reboots, red_in_a_row, cost_unknown, tokens_unknown, earlier))]
#[serde(default)]
pub struct Adoption {
    /// Which format or kind of run it comes from.
    pub format: String,
    /// The file or the run.
    pub source: String,
    /// Digest of what was read.
    pub digest: String,
    /// When it began.
    pub started_at: Option<Timestamp>,
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
    /// Iterations in a row after which a test failed.
    pub red_in_a_row: u32,
    /// Sessions of its agent, the last one included: nobody here can continue it.
    pub sessions: Vec<SessionRecord>,
    /// Changes to a fresh session in the middle of the work.
    pub reboots: u32,
    /// How firmly its prompts spoke.
    pub level: Option<Level>,
    /// Working time that the other tool counted.
    pub working_ms: u64,
    /// Money, in millionths of a dollar.
    pub cost_microusd: u64,
    /// Iterations whose money nobody knows: the sum above is then a lower bound.
    pub cost_unknown: u32,
    pub tokens: u64,
    /// Iterations whose tokens nobody knows, likewise.
    pub tokens_unknown: u32,
    /// What is done and what is left.
    pub objectives: Objectives,
    /// Files that were changed.
    pub modified_files: Vec<String>,
    /// Values kept with it.
    pub custom: BTreeMap<String, serde_json::Value>,
    /// What it put on record besides.
    pub earlier: Earlier,
    /// The tree it begins from, where that is not the one that is there.
    pub snapshot: Option<Snapshot>,
    /// The last judged tree before that one, where nobody judged that one: what its first iteration is compared with.
    pub base: Option<Snapshot>,
}

/// What another tool put on record. It is shown with what the run does itself, and no verdict follows from it: nobody here
/// saw it happen.
#[record(Default)]
#[serde(default)]
pub struct Earlier {
    /// The prompt file that it names.
    pub prompt_path: Option<String>,
    /// How far the last iterations got, from 0 to 1.
    pub scores: Vec<f64>,
    /// Its tests by name.
    pub tests: Option<EarlierTests>,
    /// Entries of its histories, each as it stands there: iterations, regressions, recoveries, levels, patterns.
    pub iterations: Vec<Value>,
    pub regressions: Vec<Value>,
    pub recoveries: Vec<Value>,
    pub levels: Vec<Value>,
    pub patterns: Vec<Value>,
    /// Its best iteration, as it stands there.
    pub best: Option<Value>,
    /// The numbers it began with, as they stand there.
    pub baseline: Option<Value>,
    /// How often it set out to recover, where it says so.
    pub recovery_attempts: Option<u32>,
    /// What its detection took and how often it was right, as it stands there.
    pub detection: Option<Value>,
}

/// The tests of a loop that another tool drove, by name.
#[record(Default, Eq, written)]
#[serde(default)]
pub struct EarlierTests {
    pub passing: Vec<String>,
    pub failing: Vec<String>,
    pub flaky: Vec<String>,
    pub fixed: Vec<String>,
}

impl Earlier {
    /// The same, no larger than an event and a state may hold of it: of histories the newest entries stay.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        self.scores.drain(..self.scores.len().saturating_sub(RECENT_ITERATIONS_MAX));
        if let Some(tests) = &mut self.tests {
            for names in [&mut tests.passing, &mut tests.failing, &mut tests.flaky, &mut tests.fixed] {
                names.retain(|name| name.len() <= TEST_NAME_BYTES_MAX);
                names.truncate(TRACKED_TESTS_MAX);
            }
        }
        let histories = [
            &mut self.iterations,
            &mut self.regressions,
            &mut self.recoveries,
            &mut self.levels,
            &mut self.patterns,
        ];
        for entries in histories {
            let mut left = EARLIER_BYTES_MAX;
            let fits = |entry: &&Value| {
                let bytes = entry.to_string().len();
                let fits = bytes <= left;
                left = left.saturating_sub(bytes);
                fits
            };
            let kept = entries.iter().rev().take_while(fits).count();
            entries.drain(..entries.len() - kept);
        }
        for one in [&mut self.best, &mut self.baseline, &mut self.detection] {
            *one = one.take().filter(|value| value.to_string().len() <= TEXT_BYTES_MAX);
        }
        self
    }
}

/// Takes over what was left. Only before anything was begun.
pub(super) fn take(state: &mut State, adoption: &Adoption, at: Timestamp) {
    if state.driver.is_some() || state.work.iteration > 0 {
        return;
    }
    // Nothing began before it began, whatever another clock says.
    state.created_at = adoption.started_at.map_or(state.created_at, |began| began.min(state.created_at));
    state.work.iteration = adoption.iterations;
    state.session.history.extend(adoption.sessions.iter().cloned());
    keep_last(&mut state.session.history, SESSION_HISTORY_MAX);
    take_level(state, adoption, at);
    let counters = &mut state.counters;
    counters.iterations = adoption.iterations;
    counters.succeeded = adoption.succeeded;
    counters.failed = adoption.failed;
    counters.no_progress_in_a_row = adoption.no_progress_in_a_row;
    counters.last_progress_iteration = adoption.last_progress_iteration;
    counters.red_in_a_row = adoption.red_in_a_row;
    counters.reboots = adoption.reboots;
    counters.working_ms = adoption.working_ms;
    counters.cost_microusd = adoption.cost_microusd;
    counters.cost_unknown = adoption.cost_unknown;
    counters.tokens = adoption.tokens;
    counters.tokens_unknown = adoption.tokens_unknown;
    state.memory.objectives = adoption.objectives.clone();
    state.memory.objectives.completed.truncate(OBJECTIVES_MAX);
    state.memory.objectives.pending.truncate(OBJECTIVES_MAX);
    state.seen.modified_files = adoption.modified_files.iter().take(MODIFIED_FILES_MAX).cloned().collect();
    let flaky = adoption.earlier.tests.iter().flat_map(|tests| &tests.flaky);
    state.seen.tests.flaky_elsewhere = flaky.cloned().collect();
    let custom = adoption.custom.iter().take(CUSTOM_KEYS_MAX);
    state.memory.custom = custom.map(|(key, value)| (key.clone(), value.clone())).collect();
    state.memory.adopted = Some(Adopted {
        format: adoption.format.clone(),
        source: adoption.source.clone(),
        iterations: adoption.iterations,
        snapshot: adoption.snapshot.clone(),
        base: adoption.base.clone(),
        earlier: adoption.earlier.clone(),
    });
}

/// Prompts go on as firmly as they spoke, and their history begins where the other one ends. Who wants none gets none.
fn take_level(state: &mut State, adoption: &Adoption, at: Timestamp) {
    let is_off = state.config.reinforcement.level == Level::Off;
    if let Some(level) = adoption.level.filter(|_| !is_off) {
        state.judged.reinforcement = match adoption.earlier.levels.is_empty() {
            true => Reinforcement::begun(level, at),
            false => Reinforcement { level, ..Reinforcement::default() },
        };
    }
}

/// Where a run comes from.
#[record(omit(earlier))]
pub struct Adopted {
    /// Which format or kind of run.
    pub format: String,
    /// The file or the run.
    pub source: String,
    /// Iterations that were not this run's own.
    pub iterations: u32,
    /// The tree it begins from.
    pub snapshot: Option<Snapshot>,
    /// What its first iteration is compared with, until that begins; where it is another tree than the one it begins from.
    pub base: Option<Snapshot>,
    /// What another tool put on record about it.
    pub earlier: Earlier,
}
