//! Where a cycle is, why, and what to do: a view of its state.

use std::collections::BTreeMap;

use piton_files::cycle::CYCLES;
use piton_model::cycle::prep::PhaseGates;
use piton_model::cycle::{
    BlockerStatus, Counters, Decision, DecisionStatus, Gate, IterationRecord, Prep, PrepFound, Role,
    RoleName, RoleState, State, raise_past,
};
use piton_model::{Machine, Reason, Status};
use piton_store::Holder;
use piton_sys::{Clock, SystemClock};
use piton_view::words::{cycle as words, what_to_do};
use piton_view::{
    BudgetView, CheckView, Counted, CycleBestView, CycleIterationView, CycleStatus, PrepView, RoleView,
    SpentView, StatusOf, StatusView,
};

use super::MAKE_IT_YOURS;
use super::land::branch;
use super::status::{dollars, driver_view};
use crate::layout::Layout;

/// Iterations that a status shows.
const ITERATIONS_SHOWN: usize = 20;

/// Everything about a cycle at one moment.
pub(super) fn view_of(
    layout: &Layout,
    state: &State,
    holder: Option<&Holder>,
    caution: Option<&str>,
) -> StatusView {
    let mut status = status_of(state, holder);
    let (landed_on, next) = branch::after(layout, &state.run, state.config.worktree.as_ref(), state.status);
    status.next = next.filter(|_| holder.is_none()).unwrap_or(status.next);
    if caution.is_some() {
        status.next = MAKE_IT_YOURS.to_owned();
    }
    let next = what_to_do(&status.next, caution);
    StatusView {
        counted: state.iteration,
        screen: words::status(&status, state, &next, SystemClock.now()),
        ending: words::ending(state, landed_on.as_deref(), &next),
        ..StatusView::of(StatusOf::Cycle(Box::new(status)))
    }
}

pub(super) fn status_of(state: &State, holder: Option<&Holder>) -> CycleStatus {
    let entry = state.entry();
    let skipped = state.iterations.len().saturating_sub(ITERATIONS_SHOWN);
    let prep = state.config.prep.as_ref().and_then(PrepFound::taken);
    CycleStatus {
        exit_code: entry.exit_code().map(|code| code as u8),
        entry,
        detail: state.detail.clone(),
        since: state.since,
        next: next_command(state, holder.is_some()),
        driver: holder.map(driver_view),
        phase: state.phase.as_str().to_owned(),
        version: state.current.version.clone(),
        state_file: format!("{CYCLES}/{}.json", state.run),
        limits: limits_of(state),
        used: used(&state.counters),
        roles: state.team().map(|(role, at)| role_of(role, at)).collect(),
        checks: state.checks.iter().map(CheckView::from).collect(),
        pass_rate: state.tests.as_ref().map(|tests| tests.pass_rate),
        best: best_of(state),
        iterations: state.iterations.iter().skip(skipped).map(iteration_of).collect(),
        decisions: state.decisions.clone(),
        blockers: state.blockers.clone(),
        phase_errors: state.phase_errors.recent.iter().cloned().collect(),
        findings: (state.findings.iter())
            .map(|kept| serde_json::to_value(kept).expect("a finding is plain data"))
            .collect(),
        questions: Vec::new(),
        unknown: state.unknown.clone(),
        prep: state.config.prep.as_ref().map(prep_of),
        convergence: prep.map(|prep| prep.convergence.clone()),
        phase_gates: prep.map(|prep| gates_of(&prep.phase_gates)),
        agent_focus: prep.map(|prep| focus_of(state, prep)),
        source_refs: prep.map(|prep| prep.source_refs.clone()),
    }
}

fn prep_of(found: &PrepFound) -> PrepView {
    match found {
        PrepFound::Taken(prep) => PrepView {
            path: prep.path.clone(),
            digest: Some(prep.digest.clone()),
            quality_score: Some(prep.quality_score),
            ignored: Vec::new(),
        },
        PrepFound::Ignored { path, failed } => PrepView {
            path: path.clone(),
            digest: None,
            quality_score: None,
            ignored: failed.iter().map(|failure| format!("{}: {}", failure.check, failure.why)).collect(),
        },
    }
}

/// The gates in the words of the format.
fn gates_of(gates: &PhaseGates) -> serde_json::Value {
    let (first, last) = (&gates.zero_to_one, &gates.one_to_hundred);
    serde_json::json!({
        "zero_to_one": {
            "iterations": first.iterations,
            "exit_criteria": {
                "code_compiles": first.code_compiles,
                "core_test_passes": first.core_test_passes,
                "min_requirements_implemented": first.min_requirements_implemented,
            },
        },
        "one_to_hundred": {
            "iterations": last.iterations,
            "exit_criteria": {
                "test_pass_rate": last.test_pass_rate,
                "coverage": last.coverage,
                "critical_bugs": last.critical_bugs,
            },
        },
    })
}

/// What each role of the team is told at each gate.
fn focus_of(state: &State, prep: &Prep) -> BTreeMap<Gate, BTreeMap<RoleName, String>> {
    let of = |gate: Gate| {
        let told = state
            .config
            .roles
            .iter()
            .filter_map(|role| Some((role.name.clone(), prep.focus(gate, &role.name)?.to_owned())));
        (gate, told.collect())
    };
    Gate::ALL.into_iter().map(of).collect()
}

fn limits_of(state: &State) -> BudgetView {
    let (limits, counters) = (&state.config.limits, &state.counters);
    BudgetView {
        iterations: Counted { used: Some(state.iteration), max: Some(limits.iterations) },
        duration_ms: Counted { used: Some(counters.working_ms), max: Some(limits.working_ms) },
        cost_usd: Counted {
            used: (counters.cost_unknown == 0).then(|| dollars(counters.cost_microusd)),
            max: limits.cost_microusd.map(dollars),
        },
        tokens: Counted { used: Some(counters.tokens), max: limits.tokens },
        no_progress: Counted { used: Some(state.idle_iterations), max: Some(limits.no_progress) },
    }
}

fn used(counters: &Counters) -> SpentView {
    SpentView {
        working_ms: counters.working_ms,
        cost_usd: (counters.cost_unknown == 0).then(|| dollars(counters.cost_microusd)),
        tokens: counters.tokens,
        attempts: counters.attempts,
        failures: counters.failures,
        lost: counters.lost,
    }
}

fn role_of(role: &Role, at: &RoleState) -> RoleView {
    RoleView {
        name: role.name.to_string(),
        title: role.title.clone(),
        agent: role.agent.name.clone(),
        status: at.status,
        version: at.documents.values().map(|document| document.version.clone()).max(),
        iterations_completed: at.iterations_completed,
        output_files: at.output_files.clone(),
        error: at.error.clone(),
        used: used(&at.counters),
    }
}

fn best_of(state: &State) -> Option<CycleBestView> {
    let iteration = state.best?;
    let record = state.iterations.iter().find(|record| record.number == iteration);
    let chosen = state.chosen_best.as_ref().map(|(_, reason)| reason.clone());
    Some(CycleBestView { iteration, quality_score: record.and_then(|record| record.quality), chosen })
}

fn iteration_of(record: &IterationRecord) -> CycleIterationView {
    CycleIterationView {
        number: record.number,
        version: record.version.clone(),
        extension: record.extension.clone(),
        started_at: record.started_at,
        completed_at: record.completed_at,
        verdict: record.verdict.map(|verdict| verdict.as_str()),
        issues: record.issues.clone(),
        pass_rate: record.pass_rate,
        quality_score: record.quality,
        gate: record.gate.clone(),
    }
}

/// The command that helps most where the cycle is.
fn next_command(state: &State, driven: bool) -> String {
    let id = &state.run;
    match (state.status, state.reason) {
        (Status::Completed, _) if driven => format!("piton attach {id}"),
        (Status::Completed, _) if state.requests.resume.is_some() => format!("piton resume {id}"),
        (Status::Completed, _) => format!("piton report {id}"),
        (Status::Waiting, Some(Reason::Blocked)) => {
            let open = state.blockers.iter().find(|blocker| blocker.status == BlockerStatus::Open);
            open.map_or_else(
                || format!("piton resume {id}"),
                |blocker| format!("piton cycle blocker {id} {} --resolve TEXT", blocker.id),
            )
        }
        (Status::Waiting, _) => {
            let pending = |known: &&Decision| known.status == DecisionStatus::Pending;
            let open = state.decisions.iter().find(|known| pending(known) && known.waits);
            open.map_or_else(
                || format!("piton resume {id}"),
                |decision| format!("piton cycle decide {id} {} OPTION", decision.id),
            )
        }
        _ if driven => format!("piton attach {id}"),
        (_, Some(reason)) if reason.is_limit() => format!("piton resume {id} {}", raise_past(state, reason)),
        _ => format!("piton resume {id}"),
    }
}
