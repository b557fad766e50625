//! How a cycle stands, in the words that loops are told of in.

use piton_model::Status;
use piton_model::cycle::{BlockerStatus, DecisionStatus, State};
use piton_model::hook::Mode;
use piton_model::{Kind, Reason};

use super::{Seen, Watched};
use crate::occasion::Facts;

impl Watched for State {
    fn seen(&self, repository: &str) -> Seen {
        let counters = &self.counters;
        let passed = self.checks.iter().filter(|check| check.passed).count();
        let is_checked = !self.checks.is_empty();
        let is_waiting = self.status == Status::Waiting;
        Seen {
            at: self.updated_at,
            facts: Facts {
                run: self.run.to_string(),
                short: self.run.short().to_owned(),
                title: self.title.clone(),
                kind: Kind::Cycle,
                status: self.status,
                reason: self.reason,
                detail: self.detail.clone(),
                iteration: self.iteration,
                max_iterations: self.config.limits.iterations,
                steps: None,
                checks: is_checked.then_some((passed as u32, self.checks.len() as u32)),
                best: self.best.filter(|_| is_checked),
                cost_microusd: (counters.cost_unknown == 0).then_some(counters.cost_microusd),
                working_ms: counters.working_ms,
                repository: repository.to_owned(),
            },
            status: self.status,
            reason: self.reason,
            iterations: self.iteration - u32::from(self.iteration > 0 && !self.current.concluded),
            progress: self.idle_iterations == 0,
            files_changed: !self.changed_files.is_empty(),
            failures: counters.failures,
            lost: counters.lost,
            round: is_checked.then_some(self.round),
            passing: is_checked.then_some(passed == self.checks.len()),
            session: None,
            spent: false,
            // Each thing that is waited for is a rest of its own.
            questions: if is_waiting { self.decisions_total.saturating_add(self.blockers_total) } else { 0 },
            question: question(self).filter(|_| is_waiting),
            mode: Mode::default(),
            error: self.phase_errors.recent.back().map(|error| format!("{}: {}", error.phase, error.error)),
        }
    }
}

/// What it waits for, in a sentence.
fn question(state: &State) -> Option<String> {
    if state.reason == Some(Reason::Blocked) {
        let open = state.blockers.iter().find(|blocker| blocker.status == BlockerStatus::Open);
        return open.map(|open| format!("{} ({}): {}", open.id, open.reported_by, open.description));
    }
    let is_awaited = |status: DecisionStatus| status == DecisionStatus::Pending;
    let open = state.decisions.iter().find(|decision| decision.waits && is_awaited(decision.status))?;
    let options =
        if open.options.is_empty() { String::new() } else { format!(" ({})", open.options.join(" | ")) };
    Some(format!("{}: {}{options}", open.id, open.description))
}
