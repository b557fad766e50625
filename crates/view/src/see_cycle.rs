//! What can be seen of a cycle. The names of fields are public.

use std::collections::BTreeMap;

use piton_model::cycle::prep::{Convergence, SourceRef};
use piton_model::cycle::{Blocker, Decision, Gate, GateRecord, PhaseError, RoleName, RoleStatus};
use piton_model::{Entry, Timestamp};
use piton_record::shown;

use crate::{AskedView, BudgetView, CheckView, DriverView, SpentView};

/// Where a cycle is, why, and what to do.
#[shown(
    Clone,
    Debug,
    PartialEq,
    written(
        driver,
        exit_code,
        checks,
        findings,
        questions,
        roles,
        iterations,
        decisions,
        blockers,
        convergence,
        phase_gates,
        agent_focus,
        source_refs
    )
)]
pub struct CycleStatus {
    /// As in a list.
    #[serde(flatten)]
    pub entry: Entry,
    /// A sentence for people, where the reason alone is not enough.
    pub detail: Option<String>,
    /// Since when it is there.
    pub since: Timestamp,
    /// The command that helps.
    pub next: String,
    /// Who drives it, if anybody living does.
    pub driver: Option<DriverView>,
    /// What a viewer of it exits with, once it rests.
    pub exit_code: Option<u8>,
    /// The phase: `init`, a role, `aggregation` or `complete`.
    pub phase: String,
    /// The version that the documents of this iteration share.
    pub version: String,
    /// The state file, relative to the repository.
    pub state_file: String,
    /// Ceilings.
    pub limits: BudgetView,
    /// What was used.
    pub used: SpentView,
    /// The team.
    pub roles: Vec<RoleView>,
    /// The last verdicts.
    pub checks: Vec<CheckView>,
    /// What the last round of checks came to, in per cent.
    pub pass_rate: Option<f64>,
    /// The best iteration so far.
    pub best: Option<CycleBestView>,
    /// The last iterations.
    pub iterations: Vec<CycleIterationView>,
    /// What is to be decided.
    pub decisions: Vec<Decision>,
    /// What stands in the way.
    pub blockers: Vec<Blocker>,
    /// What went wrong, the last ones.
    pub phase_errors: Vec<PhaseError>,
    /// What the guard found, and what became of it.
    pub findings: Vec<serde_json::Value>,
    /// A cycle asks by decisions.
    pub questions: Vec<AskedView>,
    /// What could not be known when it was rebuilt.
    pub unknown: Vec<String>,
    /// The prep package that was found when it began.
    pub prep: Option<PrepView>,
    /// What must hold beside the checks before it is completed; none without a package that counts, like the next three.
    pub convergence: Option<Convergence>,
    /// The gates, as the format has them.
    pub phase_gates: Option<serde_json::Value>,
    /// What each role attends to, by gate.
    pub agent_focus: Option<BTreeMap<Gate, BTreeMap<RoleName, String>>>,
    /// Where the task comes from.
    pub source_refs: Option<Vec<SourceRef>>,
}

/// A prep package, and what became of it.
#[shown(Clone, Debug, PartialEq)]
pub struct PrepView {
    /// Where it lay.
    pub path: String,
    /// The name of its content, where it counts.
    pub digest: Option<String>,
    /// How good it says that it is, of 10.
    pub quality_score: Option<f64>,
    /// Why it does not count: the checks that it failed, each with the reason.
    pub ignored: Vec<String>,
}

/// A member of the team.
#[shown(Clone, Debug, PartialEq, written(output_files))]
pub struct RoleView {
    /// Its key.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// Who works.
    pub agent: String,
    /// Where it is.
    pub status: RoleStatus,
    /// The version of its documents.
    pub version: Option<String>,
    /// Iterations that it has completed.
    pub iterations_completed: u32,
    /// Documents that it left.
    pub output_files: Vec<String>,
    /// What went wrong last.
    pub error: Option<String>,
    /// What it used.
    pub used: SpentView,
}

/// The best iteration of a cycle.
#[shown(Clone, Debug, PartialEq)]
pub struct CycleBestView {
    /// Counted from 1.
    pub iteration: u32,
    /// How good it is, 0 to 100.
    pub quality_score: Option<f64>,
    /// Why a person chose it, where one did.
    pub chosen: Option<String>,
}

/// An iteration of a cycle.
#[shown(Clone, Debug, PartialEq, written(issues))]
pub struct CycleIterationView {
    /// Counted from 1.
    pub number: u32,
    /// The version of its documents.
    pub version: String,
    /// What was added to the task.
    pub extension: Option<String>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it had its verdict.
    pub completed_at: Option<Timestamp>,
    /// What it came to.
    pub verdict: Option<&'static str>,
    /// What was wrong then.
    pub issues: Vec<String>,
    /// Tests that passed, in per cent.
    pub pass_rate: Option<f64>,
    /// How good it is, 0 to 100.
    pub quality_score: Option<f64>,
    /// The gate that it is of, and what was judged of that.
    pub gate: Option<GateRecord>,
}
