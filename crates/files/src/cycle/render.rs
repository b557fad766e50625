//! `<id>.json` of a cycle: its state as its team knows it, byte for byte the same for equal states.

use piton_model::Timestamp;
use piton_model::cycle::{Phase, Plan, RoleName, RoleState, RoleStatus, State};

use super::format::{
    AgentResult, AgentState, Agents, Blocker, ChangeLog, Changes, Coordination, CurrentPhase, CycleState,
    CycleStatus, Decision, Exploration, FeedbackEntry, IterationRecord, PhaseError, PlanTask, ROLES,
    Requirements, TestResults,
};
use super::place::CyclePlace;
use super::zone::Zone;

/// The file as it is written.
pub fn render(state: &State, place: &CyclePlace) -> Vec<u8> {
    cycle_state(state, place).to_bytes()
}

/// The clock that a cycle's files have.
pub(super) fn zone_of(state: &State) -> Zone {
    Zone::ahead_by_minutes(state.config.utc_offset_minutes)
}

/// The state in the words of the format.
pub fn cycle_state(state: &State, place: &CyclePlace) -> CycleState {
    let zone = zone_of(state);
    let show = |at: Timestamp| zone.show(at);
    let status = CycleStatus::shown(state);
    let has_ended = matches!(status, CycleStatus::Completed | CycleStatus::Failed);
    CycleState {
        cycle_id: place.cycle_id.clone(),
        title: state.title.clone(),
        description: state.description.clone(),
        task_history: state.task_history.clone(),
        status,
        created_at: show(state.created_at),
        updated_at: show(state.updated_at),
        completed_at: state.ended_at.filter(|_| has_ended).map(show),
        max_iterations: state.config.limits.iterations,
        current_iteration: state.iteration,
        failure_reason: failure_reason(state),
        agents: agents(state, place, zone),
        current_phase: current_phase(state),
        completed_phases: state.completed_phases.clone(),
        phase_errors: state.phase_errors.recent.iter().map(|error| phase_error(error, zone)).collect(),
        requirements: state.requirements.as_deref().map(|requirements| Requirements {
            version: requirements.version.clone(),
            specification: requirements.specification.clone(),
            edge_cases: requirements.edge_cases.clone(),
            last_updated: show(requirements.last_updated),
        }),
        exploration: state.exploration.as_deref().map(|exploration| Exploration {
            version: exploration.version.clone(),
            architecture_summary: exploration.architecture_summary.clone(),
            integration_points: exploration.integration_points.clone(),
            identified_risks: exploration.identified_risks.clone(),
            last_updated: show(exploration.last_updated),
        }),
        plan: state.plan.as_deref().map(|known| plan(known, zone)),
        changes: changes(state, zone),
        test_results: test_results(state, zone),
        iterations: state.iterations.iter().map(|record| iteration(record, zone)).collect(),
        coordination: coordination(state, zone),
    }
}

/// Why a cycle failed, or ended short of its goal.
pub(super) fn failure_reason(state: &State) -> Option<String> {
    match CycleStatus::of(state.status) {
        CycleStatus::Failed => {
            let reason = state.reason.map(|reason| reason.as_str().to_owned());
            Some(state.detail.clone().or(reason).unwrap_or_else(|| "unknown".to_owned()))
        }
        CycleStatus::Created | CycleStatus::Running | CycleStatus::Paused | CycleStatus::Completed => None,
    }
}

fn agents(state: &State, place: &CyclePlace, zone: Zone) -> Agents {
    let mut agents = Agents::default();
    for (role, known) in state.team() {
        if let Some(agent) = agents.get_mut(role.name.as_str()) {
            *agent = agent_state(&role.name, known, place, zone);
        }
    }
    agents
}

fn agent_state(role: &RoleName, known: &RoleState, place: &CyclePlace, zone: Zone) -> AgentState {
    let directory = place.relative(&place.directory(role.as_str()));
    AgentState {
        status: known.status,
        started_at: known.started_at.map(|at| zone.show(at)),
        completed_at: known
            .completed_at
            .filter(|_| known.status != RoleStatus::Running)
            .map(|at| zone.show(at)),
        output_files: known
            .output_files
            .iter()
            .map(|name| directory.join(name).to_string_lossy().into_owned())
            .collect(),
        last_message: known.last_message.clone(),
        error: known.error.clone(),
        iterations_completed: known.iterations_completed,
    }
}

/// The format knows the four roles. Of another team the one that develops is like its developer, the one that validates
/// like its validator, and every other like whoever comes first.
fn current_phase(state: &State) -> CurrentPhase {
    match &state.phase {
        Phase::Init => CurrentPhase::Init,
        Phase::Aggregation => CurrentPhase::Aggregation,
        Phase::Complete => CurrentPhase::Complete,
        Phase::Role(name) => match name.as_str() {
            "ra" => CurrentPhase::Ra,
            "ep" => CurrentPhase::Ep,
            "cd" => CurrentPhase::Cd,
            "vas" => CurrentPhase::Vas,
            _ => {
                let role = state.config.roles.iter().find(|role| role.name == *name);
                match role.map(|role| (role.develops, role.validates)) {
                    Some((true, _)) => CurrentPhase::Cd,
                    Some((false, true)) => CurrentPhase::Vas,
                    Some((false, false)) | None => CurrentPhase::Ra,
                }
            }
        },
    }
}

fn phase_error(error: &piton_model::cycle::PhaseError, zone: Zone) -> PhaseError {
    PhaseError { phase: error.phase.clone(), error: error.error.clone(), timestamp: zone.show(error.at) }
}

fn plan(plan: &Plan, zone: Zone) -> super::format::Plan {
    let task = |task: &piton_model::cycle::PlanTask| PlanTask {
        id: task.id.clone(),
        description: task.description.clone(),
        effort: task.effort,
        depends_on: task.depends_on.clone(),
        status: task.status,
        assigned_to: task.assigned_to.as_ref().map(|role| role.as_str().to_owned()),
        files: task.files.clone(),
    };
    super::format::Plan {
        version: plan.version.clone(),
        tasks: plan.tasks.iter().map(task).collect(),
        total_estimated_effort: plan.total_estimated_effort.clone(),
        critical_path: plan.critical_path.clone(),
        last_updated: zone.show(plan.last_updated),
    }
}

fn changes(state: &State, zone: Zone) -> Option<Changes> {
    if state.changes.total == 0 && state.iteration_markers.is_empty() {
        return None;
    }
    let change = |change: &piton_model::cycle::ChangeEntry| ChangeLog {
        timestamp: zone.show(change.at),
        file: change.file.clone(),
        action: change.action,
        iteration: change.iteration,
        agent: change.agent.as_str().to_owned(),
        description: change.description.clone(),
    };
    Some(Changes {
        total_files: state.changed_files.len() as u64 + u64::from(state.unnamed_files),
        changes: state.changes.recent.iter().map(change).collect(),
        iteration_markers: state
            .iteration_markers
            .iter()
            .map(|(number, at)| (*number, zone.show(*at)))
            .collect(),
    })
}

/// The format has no word for a coverage that nobody measured, so then there are no results in it.
fn test_results(state: &State, zone: Zone) -> Option<TestResults> {
    let tests = state.tests.as_ref()?;
    Some(TestResults {
        version: tests.version.clone(),
        pass_rate: tests.pass_rate,
        coverage: tests.coverage?,
        failed_tests: tests.failed_tests.clone(),
        total_tests: tests.total_tests,
        last_run: zone.show(tests.last_run),
    })
}

fn iteration(record: &piton_model::cycle::IterationRecord, zone: Zone) -> IterationRecord {
    let results = record.agent_results.iter().map(|(role, result)| {
        let result = AgentResult {
            status: result.status.as_str().to_owned(),
            files_modified: u64::from(result.files_modified),
        };
        (role.as_str().to_owned(), result)
    });
    IterationRecord {
        number: record.number,
        extension: record.extension.clone(),
        started_at: zone.show(record.started_at),
        completed_at: record.completed_at.map(|at| zone.show(at)).unwrap_or_default(),
        agent_results: results.collect(),
        issues_found: record.issues.clone(),
        resolved: record.resolved,
    }
}

fn coordination(state: &State, zone: Zone) -> Coordination {
    let feedback = state.feedback.recent.iter().map(|entry| FeedbackEntry {
        timestamp: zone.show(entry.at),
        source: entry.source.clone(),
        target: entry.target.as_str().to_owned(),
        content: entry.content.clone(),
        kind: entry.kind,
    });
    let decisions = state.decisions.iter().map(|decision| Decision {
        id: decision.id.clone(),
        description: decision.description.clone(),
        options: decision.options.clone(),
        made_by: decision.made_by.clone(),
        chosen_option: decision.chosen_option.clone(),
        status: decision.status,
    });
    let blockers = state.blockers.iter().map(|blocker| Blocker {
        id: blocker.id.clone(),
        description: blocker.description.clone(),
        reported_by: blocker.reported_by.clone(),
        status: blocker.status,
        resolution: blocker.resolution.clone(),
    });
    Coordination {
        feedback_log: feedback.collect(),
        pending_decisions: decisions.collect(),
        blockers: blockers.collect(),
    }
}

/// The roles of a team that the format has no place for: they have directories of their own.
pub(super) fn other_roles(state: &State) -> Vec<String> {
    let names = state.config.roles.iter().map(|role| role.name.as_str());
    names.filter(|name| !ROLES.contains(name)).map(str::to_owned).collect()
}
