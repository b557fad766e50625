//! What is kept of an iteration: how its attempt ended, its verdict, and whether it is the best.

use piton_record::record;

use super::State;
use crate::Timestamp;
use crate::loop_machine::facts::{Artifact, AttemptOutcome, Objectives, Report, Snapshot};
use crate::loop_machine::guard::{Counts, GuardReport};
use crate::loop_machine::judge::quality::Quality;
use crate::loop_machine::measures::Measures;
use crate::status::Reason;

/// An attempt that ended, while its checks are still to come.
#[record(omit(refused, doubted, unseen, again, look, checks_fixed), written(report, hold))]
pub struct Ended {
    pub outcome: AttemptOutcome,
    /// A sentence for people when it failed.
    pub message: Option<String>,
    /// How long it took.
    pub duration_ms: u64,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    pub report: Option<Report>,
    /// Tests before and after it, where that is known.
    pub tests: Option<Counts>,
    /// Assertions before and after it, likewise.
    pub assertions: Option<Counts>,
    /// The guard refused what it left.
    pub refused: bool,
    /// What it left, where that was refused.
    pub left: Option<Snapshot>,
    /// A person is to judge what it left.
    pub doubted: bool,
    /// The guard was to look at what it left and could not.
    pub unseen: bool,
    /// What the guard says about what it left, as long as that is not judged since it was cut short.
    pub put_off: Option<GuardReport>,
    /// Its checks pass, and are run once more on what they changed.
    pub again: bool,
    /// It was cut short, and a round of checks looks at what it left, or has.
    pub look: bool,
    /// The files it changed.
    pub artifacts: Vec<Artifact>,
    /// It must not be retried right away: wait for this reason first.
    pub hold: Option<Reason>,
    /// Checks that failed before it and pass now, and conditions that hold now.
    pub checks_fixed: u32,
}

impl Ended {
    /// One that ended like this, and of which nothing else is known.
    pub(in crate::loop_machine) fn of(outcome: AttemptOutcome) -> Self {
        Self {
            outcome,
            message: None,
            duration_ms: 0,
            added: 0,
            removed: 0,
            report: None,
            tests: None,
            assertions: None,
            refused: false,
            left: None,
            doubted: false,
            unseen: false,
            put_off: None,
            again: false,
            look: false,
            artifacts: Vec::new(),
            hold: None,
            checks_fixed: 0,
        }
    }
}

/// An iteration that a person chose.
#[record(Eq)]
pub struct Chosen {
    pub iteration: u32,
    pub reason: String,
    pub at: Timestamp,
}

/// The best iteration so far: of those whose checks all pass the one with the highest score, else of all. Ties keep
/// the earlier. Without checks the one after which the most conditions hold, then the one with the highest score, of
/// equals the last: nothing speaks for an earlier one.
#[record(written(snapshot), omit(conditions))]
pub struct Best {
    pub iteration: u32,
    /// When it became the best.
    #[serde(default)]
    pub at: Timestamp,
    /// How good it is.
    pub quality: Option<Quality>,
    /// Checks that passed.
    pub passed: u32,
    /// Checks that were run.
    pub total: u32,
    /// Conditions that held after it, of those that have to be looked up.
    pub conditions: u32,
    /// Its tree.
    pub snapshot: Option<Snapshot>,
}

impl Best {
    /// The iteration under way, so good.
    pub(in crate::loop_machine) fn of(state: &State, quality: Option<Quality>) -> Self {
        let round = state.seen.checks.as_ref();
        Self {
            iteration: state.work.iteration,
            at: state.updated_at,
            quality,
            passed: round.map_or(0, |round| round.passed() as u32),
            total: round.map_or(0, |round| round.checks.len() as u32),
            conditions: round
                .map_or(0, |round| round.conditions.iter().filter(|condition| condition.met).count() as u32),
            snapshot: state.seen.snapshot.clone(),
        }
    }

    /// Whether it is better than `other`, which came before it.
    pub(in crate::loop_machine) fn beats(&self, other: &Best) -> bool {
        if self.total == 0 && other.total == 0 {
            return (self.conditions, self.quality_score()) >= (other.conditions, other.quality_score());
        }
        (self.is_verified(), self.quality_score()) > (other.is_verified(), other.quality_score())
    }

    /// How good it is, 0 to 100: its score, else the share of checks that passed.
    pub fn quality_score(&self) -> f64 {
        match self.quality {
            Some(quality) => quality.score,
            None if self.total == 0 => 0.0,
            None => 100.0 * f64::from(self.passed) / f64::from(self.total),
        }
    }

    /// Whether every check passed.
    pub fn is_verified(&self) -> bool {
        self.total > 0 && self.passed == self.total
    }
}

/// How a run stood before the iteration under way: what is put back takes with it what it was counted for.
#[record(Default, omit(objectives, added, removed))]
#[serde(default)]
pub struct Standing {
    /// The best iteration.
    pub best: Option<Best>,
    /// Lines that had been changed.
    pub lines_changed: u64,
    /// Lines that the attempts of the iteration under way have added so far: what one that was lost left is judged with the next.
    pub added: u64,
    /// And removed.
    pub removed: u64,
    /// Files that the iteration under way is the first to change.
    pub first_changed: Vec<String>,
    /// Iterations in a row that had changed nothing that matters.
    pub no_progress_in_a_row: u32,
    /// The last iteration that had changed something that matters.
    pub last_progress_iteration: Option<u32>,
    /// Iterations in a row after which a test failed.
    pub red_in_a_row: u32,
    /// What was done and what was left, by the agent's account.
    pub objectives: Objectives,
}

impl Standing {
    /// How the run stands now.
    pub(in crate::loop_machine) fn of(state: &State) -> Self {
        Self {
            best: state.judged.best.clone(),
            lines_changed: state.counters.lines_changed,
            added: 0,
            removed: 0,
            first_changed: Vec::new(),
            no_progress_in_a_row: state.counters.no_progress_in_a_row,
            last_progress_iteration: state.counters.last_progress_iteration,
            red_in_a_row: state.counters.red_in_a_row,
            objectives: state.memory.objectives.clone(),
        }
    }
}

/// An iteration with a verdict.
#[record(omit(attempt, looked_at, refused, rejected, doubted, regressed), written(snapshot))]
pub struct IterationRecord {
    pub number: u32,
    /// When it had its verdict.
    #[serde(default)]
    pub at: Timestamp,
    /// The last attempt at it.
    pub attempt: u32,
    /// How its agent ended.
    pub outcome: AttemptOutcome,
    /// What is said about it when it failed.
    pub message: Option<String>,
    /// It was given up because somebody asked.
    pub skipped: bool,
    /// Checks have looked since at what it left when it was given up.
    pub looked_at: bool,
    /// The guard refused it: its files were put back.
    pub refused: bool,
    /// A person did not want it: its files were put back, and nobody says that anything is wrong with it.
    pub rejected: bool,
    /// A person is asked about it.
    pub doubted: bool,
    /// Tests that there were, before and after, where that is known.
    pub tests: Option<Counts>,
    /// Assertions that there were, likewise.
    pub assertions: Option<Counts>,
    /// Something in it got worse: it is not the best of anything.
    pub regressed: bool,
    /// How good it is.
    pub quality: Option<Quality>,
    /// What was measured; of one that was refused for it, what is held against it.
    pub measures: Option<Measures>,
    /// The commit that was made of it.
    pub commit: Option<String>,
    /// The files it changed; only of the last one.
    pub artifacts: Vec<Artifact>,
    /// Working time, checks included.
    pub duration_ms: u64,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    /// Checks that passed.
    pub passed: u32,
    /// Checks that were run.
    pub total: u32,
    /// Whether anything changed that matters.
    pub progress: bool,
    /// How far it got, from 0 to 1.
    #[serde(default)]
    pub score: f64,
    /// What its agent says it cost.
    pub cost_microusd: Option<u64>,
    /// Its tree.
    pub snapshot: Option<Snapshot>,
}

impl IterationRecord {
    /// Whether what it left is gone: its files are as they were before it.
    pub fn was_put_back(&self) -> bool {
        self.refused || self.rejected
    }

    /// What was measured of what it left; nothing of one that was refused.
    pub fn measured(&self) -> Option<&Measures> {
        self.measures.as_ref().filter(|_| !self.refused)
    }

    /// What it left was refused: nothing speaks for it any more.
    pub(in crate::loop_machine) fn forget_how_good(&mut self) {
        (self.quality, self.passed, self.total) = (None, 0, 0);
        (self.progress, self.score) = (false, 0.0);
    }

    /// Whether its agent came to a good end and what it left was kept.
    pub fn succeeded(&self) -> bool {
        self.outcome == AttemptOutcome::Succeeded && !self.skipped && !self.was_put_back()
    }
}
