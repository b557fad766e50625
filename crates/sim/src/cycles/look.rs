//! What people see of a cycle, what a view says, and the logs beside it that are only ever added to.

use piton_model::cycle::{BlockerStatus, DecisionStatus, RoleName, State};
use piton_model::{Reason, Seq, Status};

use crate::history::View;
use crate::scenario::Plant;

/// What a person sees.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    pub(super) status: Status,
    pub(super) at_limit: bool,
    pub(super) iteration: u32,
    pub(super) iterations_max: u32,
    pub(super) cost_limit: Option<u64>,
    pub(super) tokens_limit: Option<u64>,
    pub(super) roles: Vec<RoleName>,
    pub(super) pending: Vec<String>,
    pub(super) made: Vec<String>,
    pub(super) blockers: Vec<String>,
    /// Iterations that can be chosen.
    pub(super) concluded: Vec<u32>,
}

impl Shown {
    pub(super) fn of(state: &State) -> Self {
        let of_status = |status| {
            let decisions = state.decisions.iter().filter(move |decision| decision.status == status);
            decisions.map(|decision| decision.id.clone()).collect()
        };
        let open = state.blockers.iter().filter(|blocker| blocker.status == BlockerStatus::Open);
        let concluded = state.iterations.iter().filter(|record| record.snapshot.is_some());
        let limits = &state.config.limits;
        Self {
            status: state.status,
            at_limit: state.reason.is_some_and(Reason::is_limit),
            iteration: state.iteration,
            iterations_max: limits.iterations,
            cost_limit: limits.cost_microusd,
            tokens_limit: limits.tokens,
            roles: state.config.roles.iter().map(|role| role.name.clone()).collect(),
            pending: of_status(DecisionStatus::Pending),
            made: of_status(DecisionStatus::Made),
            blockers: open.map(|blocker| blocker.id.clone()).collect(),
            concluded: concluded.map(|record| record.number).collect(),
        }
    }
}

pub(super) fn view(state: &State, shown: Seq) -> View {
    let counters = &state.counters;
    View { shown, count: counters.attempts, cost: counters.cost_microusd, lost: counters.lost, mode: None }
}

/// A published log that is only ever added to: its lines, and whether the last one is torn.
#[derive(Default)]
pub(super) struct Log {
    pub(super) lines: Vec<String>,
    torn: bool,
    /// Planted bug: what the driver of an epoch remembers to have written.
    remembered: (u64, u64),
}

/// The published logs of a cycle.
#[derive(Default)]
pub(super) struct Logs {
    pub(super) feedback: Log,
    pub(super) changes: Log,
}

impl Logs {
    /// Adds what the state has and the files have not.
    pub(super) fn publish(&mut self, state: &State, plant: Option<Plant>) {
        let epoch = state.driver.as_ref().map_or(0, |driver| driver.epoch);
        let feedback = |known| {
            let new = state.feedback.since(known)?;
            Some(new.map(|entry| format!("{} {}", entry.target, entry.content)).collect())
        };
        self.feedback.publish(state.feedback.total, epoch, plant, feedback);
        let changes = |known| {
            let new = state.changes.since(known)?;
            Some(new.map(|entry| format!("{} {}", entry.agent, entry.description)).collect())
        };
        self.changes.publish(state.changes.total, epoch, plant, changes);
    }

    /// Power is lost: what was written last is not all there.
    pub(super) fn tear(&mut self, lines: usize) {
        self.feedback.tear(lines);
        self.changes.tear(lines);
    }
}

impl Log {
    fn publish(
        &mut self,
        total: u64,
        epoch: u64,
        plant: Option<Plant>,
        since: impl Fn(u64) -> Option<Vec<String>>,
    ) {
        if self.torn && plant != Some(Plant::TornLineKept) {
            self.lines.pop();
        }
        self.torn = false;
        let mut known = self.lines.len() as u64;
        if plant == Some(Plant::LinesFromMemory) {
            if self.remembered.0 != epoch {
                self.remembered = (epoch, total);
            }
            known = self.remembered.1;
            self.remembered.1 = total;
        }
        // The windows of a state reach further than a simulated cycle goes.
        self.lines.extend(since(known).unwrap_or_default());
    }

    fn tear(&mut self, lines: usize) {
        self.lines.truncate(self.lines.len().saturating_sub(lines));
        if let Some(last) = self.lines.last_mut() {
            last.truncate(last.len() / 2);
            self.torn = true;
        }
    }
}
