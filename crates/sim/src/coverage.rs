//! Which faults fell where: a count per kind of fault and append site, and per step of a keeper.

use piton_model::KINDS;
use serde_json::{Map, Value};

/// The types that can come first in an append: an outcome, a nudge or a request. The others follow one.
const SITES: [&str; 18] = [
    "run_created",
    "driver_started",
    "snapshot_taken",
    "checks_finished",
    "attempt_finished",
    "attempt_abandoned",
    "attempt_lost",
    "question_closed",
    "answer_refused",
    "run_paused",
    "run_resumed",
    "run_stopped",
    "pause_requested",
    "stop_requested",
    "skip_requested",
    "resume_requested",
    "answer_given",
    "agent_told",
];

pub(crate) fn kind_index(kind: &str) -> usize {
    KINDS.iter().position(|known| *known == kind).expect("every event type is listed")
}

/// What can happen to an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Its process dies before it reaches the store.
    CrashBefore,
    /// It is durable, and its process dies before it hears of it.
    CrashAfter,
    /// The disk is full for a while: nothing is written, and the same append is tried again.
    NoSpace,
    /// It is durable, the answer is lost, and the same append is sent again.
    AnswerLost,
    /// It reaches the store twice.
    Duplicate,
    /// A final error; nothing was written.
    ErrorBefore,
    /// A final error, though it is durable.
    ErrorAfter,
    /// Somebody else's request lands first.
    Overtaken,
    /// Another driver takes the lease first.
    TakenOver,
    /// Its process is frozen, and wakes much later.
    Frozen,
    /// The clock jumps while it is in flight.
    ClockJump,
}

/// Every fate, in the order of its number.
pub(crate) const FATES: [(Fate, &str); 11] = [
    (Fate::CrashBefore, "crash_before_append"),
    (Fate::CrashAfter, "crash_after_append"),
    (Fate::NoSpace, "no_space"),
    (Fate::AnswerLost, "answer_lost"),
    (Fate::Duplicate, "duplicate_append"),
    (Fate::ErrorBefore, "error_before_commit"),
    (Fate::ErrorAfter, "error_after_commit"),
    (Fate::Overtaken, "overtaken"),
    (Fate::TakenOver, "taken_over"),
    (Fate::Frozen, "frozen"),
    (Fate::ClockJump, "clock_jump"),
];

/// Faults that fall on processes and the machine rather than on an append.
pub(crate) const DEATHS: [&str; 17] = [
    "keeper_killed_preparing",
    "keeper_killed_published",
    "keeper_killed_spawned",
    "keeper_killed_running",
    "keeper_killed_tree_empty",
    "keeper_killed_exit_written",
    "agent_killed",
    "driver_killed_starting",
    "driver_killed_sending",
    "driver_killed_performing",
    "driver_killed_idle",
    "driver_frozen",
    "reboot",
    "clock_jump",
    "outcome_delivered_twice",
    "keeper_no_space",
    "keeper_stalled",
];

/// The counts.
#[derive(Clone, Debug)]
pub(crate) struct Coverage {
    first: [[u32; KINDS.len()]; FATES.len()],
    within: [[u32; KINDS.len()]; FATES.len()],
    deaths: [u32; DEATHS.len()],
}

impl Coverage {
    pub(crate) fn new() -> Self {
        Self {
            first: [[0; KINDS.len()]; FATES.len()],
            within: [[0; KINDS.len()]; FATES.len()],
            deaths: [0; DEATHS.len()],
        }
    }

    pub(crate) fn hit(&mut self, fate: Fate, kinds: &[u8]) {
        let row = FATES.iter().position(|(listed, _)| *listed == fate).expect("every fate is listed");
        if let Some(first) = kinds.first() {
            self.first[row][usize::from(*first)] += 1;
        }
        for kind in kinds {
            self.within[row][usize::from(*kind)] += 1;
        }
    }

    pub(crate) fn death(&mut self, what: &str) {
        let index = DEATHS.iter().position(|listed| *listed == what).expect("every death is listed");
        self.deaths[index] += 1;
    }

    pub(crate) fn merge(&mut self, other: &Coverage) {
        for row in 0..FATES.len() {
            for column in 0..KINDS.len() {
                self.first[row][column] += other.first[row][column];
                self.within[row][column] += other.within[row][column];
            }
        }
        for (mine, theirs) in self.deaths.iter_mut().zip(other.deaths) {
            *mine += theirs;
        }
    }

    /// The smallest count of a fault at an append site that it can fall on.
    pub(crate) fn smallest(&self) -> u32 {
        let cells = (0..FATES.len()).flat_map(|row| SITES.iter().map(move |site| (row, kind_index(site))));
        // A run that does not exist yet has no lease to take.
        let possible =
            cells.filter(|(row, site)| !(FATES[*row].0 == Fate::TakenOver && KINDS[*site] == "run_created"));
        possible.map(|(row, site)| self.first[row][site]).min().unwrap_or(0)
    }

    pub(crate) fn smallest_death(&self) -> u32 {
        self.deaths.iter().copied().min().unwrap_or(0)
    }

    pub(crate) fn sites(&self) -> Value {
        Self::table(&self.first)
    }

    pub(crate) fn events(&self) -> Value {
        Self::table(&self.within)
    }

    pub(crate) fn deaths(&self) -> Value {
        let pairs = DEATHS.iter().zip(self.deaths);
        Value::Object(pairs.map(|(name, count)| ((*name).to_owned(), Value::from(count))).collect())
    }

    fn table(counts: &[[u32; KINDS.len()]; FATES.len()]) -> Value {
        let row = |row: &[u32; KINDS.len()]| {
            let hit = KINDS.iter().zip(row).filter(|(_, count)| **count > 0);
            Value::Object(
                hit.map(|(kind, count)| ((*kind).to_owned(), Value::from(*count))).collect::<Map<_, _>>(),
            )
        };
        Value::Object(
            FATES.iter().zip(counts).map(|((_, name), counts)| ((*name).to_owned(), row(counts))).collect(),
        )
    }
}
