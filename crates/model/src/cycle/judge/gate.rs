//! What a cycle that was prepared is held to beside its checks: the criteria of the gate that an iteration is of.
//!
//! No criterion makes a red check green. Those of `one_to_hundred` are further conditions of being done; those of
//! `zero_to_one` say whether there is something to go on from, and an iteration of that gate never ends a cycle.

use crate::cycle::facts::PhaseStatus;
use crate::cycle::gate::{Criterion, CriterionName, Gate, GateRecord};
use crate::cycle::prep::{Prep, PrepFound};
use crate::cycle::sections::{TaskStatus, TestResults};
use crate::cycle::state::{IterationRecord, RoleResult, State};

/// Names of checks that say whether the code can be built.
const BUILDS: [&str; 5] = ["build", "compile", "compiles", "typecheck", "type-check"];

/// The gate of the iteration of this number, where the cycle was prepared. Nothing goes back behind a gate that was passed; and the last
/// iteration there may be is of the last gate, since no other one can end a cycle.
pub(in crate::cycle) fn gate_of(state: &State, iteration: u32) -> Option<Gate> {
    let prep = state.config.prep.as_ref().and_then(PrepFound::taken)?;
    let is_passed = |record: &IterationRecord| record.gate.as_ref().is_some_and(|at| at.passed == Some(true));
    let is_first = prep.phase_gates.zero_to_one.iterations.contains(&iteration)
        && iteration < state.config.limits.iterations
        && !state.iterations.iter().any(is_passed);
    Some(if is_first { Gate::ZeroToOne } else { Gate::OneToHundred })
}

/// What is judged of the gate of the iteration that is under way.
pub(in crate::cycle) fn judged(state: &State) -> Option<GateRecord> {
    let prep = state.config.prep.as_ref().and_then(PrepFound::taken)?;
    let record = state.iterations.back()?;
    let gate = record.gate.as_ref()?.gate;
    let seen = Seen { state, record };
    let criteria = match gate {
        Gate::ZeroToOne => seen.zero_to_one(prep),
        Gate::OneToHundred => seen.one_to_hundred(prep),
    };
    let passed = Some(criteria.iter().all(|criterion| criterion.met != Some(false)));
    Some(GateRecord { gate, passed, criteria })
}

/// What there is to judge by.
struct Seen<'a> {
    state: &'a State,
    record: &'a IterationRecord,
}

impl Seen<'_> {
    /// What the checks came to, where there are any.
    fn tests(&self) -> Option<&TestResults> {
        self.state.tests.as_ref().filter(|_| !self.state.config.checks.is_empty())
    }

    fn zero_to_one(&self, prep: &Prep) -> Vec<Criterion> {
        let wanted = &prep.phase_gates.zero_to_one;
        let bare = |name, met| Criterion { name, wanted: None, found: None, met };
        let least = wanted.min_requirements_implemented;
        let done = self.tasks_done();
        let criteria = [
            wanted.code_compiles.then(|| bare(CriterionName::CodeCompiles, self.compiles())),
            wanted.core_test_passes.then(|| bare(CriterionName::CoreTestPasses, self.passes())),
            (least > 0).then(|| Criterion {
                name: CriterionName::MinRequirementsImplemented,
                wanted: Some(least.into()),
                found: done.map(f64::from),
                met: done.map(|done| done >= least),
            }),
        ];
        criteria.into_iter().flatten().collect()
    }

    /// Whether a test passes.
    fn passes(&self) -> Option<bool> {
        self.tests().map(|tests| tests.pass_rate > 0.0)
    }

    /// By a check that builds, where there is one; else a test that passes shows it. Never where who develops has failed.
    fn compiles(&self) -> Option<bool> {
        let mut developed = self.state.config.roles.iter().filter(|role| role.develops);
        let has_failed =
            |result: Option<&RoleResult>| result.is_some_and(|result| result.status == PhaseStatus::Failed);
        if developed.any(|role| has_failed(self.record.agent_results.get(&role.name))) {
            return Some(false);
        }
        let is_build = |name: &str| BUILDS.contains(&name.to_ascii_lowercase().as_str());
        let mut builds = self.state.checks.iter().filter(|check| is_build(&check.name)).peekable();
        match builds.peek() {
            Some(_) => Some(builds.all(|check| check.passed)),
            None => self.passes(),
        }
    }

    fn tasks_done(&self) -> Option<u32> {
        let plan = self.state.plan.as_ref()?;
        Some(plan.tasks.iter().filter(|task| task.status == TaskStatus::Completed).count() as u32)
    }

    fn one_to_hundred(&self, prep: &Prep) -> Vec<Criterion> {
        let (targets, gate) = (&prep.convergence, &prep.phase_gates.one_to_hundred);
        let rate = targets.test_pass_rate.max(gate.test_pass_rate.unwrap_or(0.0));
        let coverage = targets.coverage.max(gate.coverage.unwrap_or(0.0));
        let bugs = targets.max_critical_bugs.min(gate.critical_bugs.unwrap_or(u32::MAX));
        let at_least = |name, wanted: f64, found: Option<f64>| Criterion {
            name,
            wanted: Some(wanted),
            found,
            met: found.map(|found| found >= wanted),
        };
        let at_most = |name, wanted: u32, found: Option<u32>| Criterion {
            name,
            wanted: Some(wanted.into()),
            found: found.map(f64::from),
            met: found.map(|found| found <= wanted),
        };
        let mut covered =
            at_least(CriterionName::Coverage, coverage, self.tests().and_then(|tests| tests.coverage));
        // Who is to measure it and does not has not shown it.
        let is_measured = self.state.config.checks.iter().any(|check| check.reads.is_some());
        covered.met = covered.met.or(is_measured.then_some(false));
        vec![
            at_least(CriterionName::TestPassRate, rate, self.tests().map(|tests| tests.pass_rate)),
            covered,
            at_most(CriterionName::CriticalBugs, bugs, self.most(|result| result.critical_issues)),
            at_most(
                CriterionName::OpenIssues,
                targets.max_open_issues,
                self.most(|result| result.open_issues),
            ),
        ]
    }

    /// The most that any role reports.
    fn most(&self, of: impl Fn(&RoleResult) -> Option<u32>) -> Option<u32> {
        self.record.agent_results.values().filter_map(of).max()
    }
}
