//! Where a cycle is, why, and what to do: a view of its state.

use piton_files::cycle::CYCLES;
use piton_model::cycle::{
    BlockerStatus, Counters, DecisionStatus, IterationRecord, Phase, Role, RoleState, State, raise_past,
};
use piton_model::{Machine, Reason, Status};
use piton_store::Holder;
use piton_sys::{Clock, SystemClock};
use piton_view::words::{cycle as words, what_to_do};
use piton_view::{
    CheckView, Counted, CycleBestView, CycleIterationView, CycleLimitsView, CycleStatus, CycleUsedView,
    RoleView, StatusOf, StatusView,
};

use super::MAKE_IT_YOURS;
use super::status::driver_view;

/// Iterations that a status shows.
const ITERATIONS_SHOWN: usize = 20;

/// Everything about a cycle at one moment.
pub(super) fn view_of(state: &State, holder: Option<&Holder>, caution: Option<&str>) -> StatusView {
    let mut status = status_of(state, holder);
    if caution.is_some() {
        status.next = MAKE_IT_YOURS.to_owned();
    }
    let next = what_to_do(&status.next, caution);
    StatusView {
        counted: state.iteration,
        screen: words::status(&status, state, &next, SystemClock.now()),
        ending: words::ending(state, &next),
        ..StatusView::of(StatusOf::Cycle(Box::new(status)))
    }
}

pub(super) fn status_of(state: &State, holder: Option<&Holder>) -> CycleStatus {
    let entry = state.entry();
    let skipped = state.iterations.len().saturating_sub(ITERATIONS_SHOWN);
    CycleStatus {
        exit_code: entry.exit_code().map(|code| code as u8),
        entry,
        detail: state.detail.clone(),
        since: state.since,
        next: next_command(state, holder.is_some()),
        driver: holder.map(driver_view),
        phase: match &state.phase {
            Phase::Init => "init".to_owned(),
            Phase::Role(name) => name.to_string(),
            Phase::Aggregation => "aggregation".to_owned(),
            Phase::Complete => "complete".to_owned(),
        },
        version: state.current.version.clone(),
        state_file: format!("{CYCLES}/{}.json", state.run),
        limits: limits_of(state),
        used: used(&state.counters),
        roles: state.team().map(|(role, at)| role_of(role, at)).collect(),
        checks: state.checks.iter().map(check_of).collect(),
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
    }
}

fn limits_of(state: &State) -> CycleLimitsView {
    let (limits, counters) = (&state.config.limits, &state.counters);
    let dollars = |microusd: u64| microusd as f64 / 1e6;
    CycleLimitsView {
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

fn used(counters: &Counters) -> CycleUsedView {
    CycleUsedView {
        working_ms: counters.working_ms,
        cost_usd: (counters.cost_unknown == 0).then(|| counters.cost_microusd as f64 / 1e6),
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

fn check_of(check: &piton_model::loop_machine::CheckResult) -> CheckView {
    CheckView {
        name: check.name.clone(),
        passed: check.passed,
        exit_code: check.exit_code,
        timed_out: check.timed_out,
        duration_ms: check.duration_ms,
        tail: check.tail.clone(),
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
            let open = state.decisions.iter().find(|known| known.status == DecisionStatus::Pending);
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
