//! Reading `<id>.json` of a cycle that another tool began, with what lies in its progress directory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use piton_model::Timestamp;
use piton_model::cycle::limits::{ITERATIONS_KEPT_MAX, TASK_HISTORY_MAX};
use piton_model::cycle::{
    Blocker, ChangeEntry, Decision, Exploration, Feedback, Imported, ImportedRole, IterationRecord,
    IterationVerdict, Phase, PhaseError, PhaseStatus, Plan, PlanTask, Requirements, RoleName, RoleResult,
    RoleStatus, TestResults,
};
use serde_json::Value;

use super::changes::read_changes;
use super::format::{self, CurrentPhase, CycleState, CycleStatus, ROLES};
use super::progress::Progress;
use super::rebuild::{damaged_logs, read_board};
use super::results::read_results;
use super::tasks::{critical_path, unworkable};
use super::timeline::record;
use super::version::iteration_of;
use super::zone::{Zone, moment};
use crate::door::{Door, Unfit};

/// Largest file of another tool that is read, and largest edit.
pub const STATE_BYTES_MAX: usize = 16 << 20;

static DOOR: LazyLock<Door> = LazyLock::new(|| Door::new(read_schema()));

/// Why a file cannot be gone on with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// It is too large.
    #[error("larger than {STATE_BYTES_MAX} bytes")]
    TooLarge,
    /// It is no JSON.
    #[error("no JSON: {0}")]
    NotJson(String),
    /// It says what the format does not allow.
    #[error("not a cycle state: {0}")]
    Unfit(Unfit),
    /// Its plan cannot be worked off.
    #[error("{}", .0.join("; "))]
    Plan(Vec<String>),
}

/// A cycle that another tool left, at a glance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftCycle {
    /// Its id, as it stands there.
    pub cycle_id: String,
    pub title: String,
}

/// A cycle that another tool began.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedCycle {
    /// Its id, as it stands there.
    pub cycle_id: String,
    pub title: String,
    /// The first task.
    pub task: String,
    pub status: CycleStatus,
    pub max_iterations: u32,
    /// The clock that its times have.
    pub zone: Option<Zone>,
    /// What it did, with what could not be known.
    pub imported: Imported,
}

/// Which cycle a file is about, if it is about one.
pub fn glance_cycle(value: &Value) -> Option<LeftCycle> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let is_meant =
        ["agents", "current_phase", "current_iteration"].iter().any(|key| value.get(key).is_some());
    let cycle_id = text("cycle_id").filter(|_| is_meant)?.to_owned();
    Some(LeftCycle { cycle_id, title: text("title").unwrap_or_default().to_owned() })
}

/// What another tool's file says, and the files beside it.
pub fn import_cycle(bytes: &[u8], progress: &Progress) -> Result<ImportedCycle, ImportError> {
    if bytes.len() > STATE_BYTES_MAX {
        return Err(ImportError::TooLarge);
    }
    let not_json = |error: serde_json::Error| ImportError::NotJson(error.to_string());
    let value: Value = serde_json::from_slice(bytes).map_err(not_json)?;
    let value = DOOR.admit(value).map_err(ImportError::Unfit)?;
    let found: CycleState = serde_json::from_value(value).map_err(not_json)?;
    let mut unknown = Vec::new();
    let imported = imported(&found, progress, &mut unknown)?;
    let task = found.task_history.first().cloned().filter(|task| !task.is_empty());
    Ok(ImportedCycle {
        task: task.unwrap_or_else(|| {
            if found.title.is_empty() { found.description.clone() } else { found.title.clone() }
        }),
        zone: Zone::of(&found.created_at),
        status: found.status,
        max_iterations: found.max_iterations.max(1),
        cycle_id: found.cycle_id,
        title: found.title,
        imported: Imported { unknown, ..imported },
    })
}

fn imported(
    found: &CycleState,
    progress: &Progress,
    unknown: &mut Vec<String>,
) -> Result<Imported, ImportError> {
    if moment(&found.created_at).is_none() {
        unknown.push("when it was created".to_owned());
    }
    for role in
        ROLES.iter().filter(|role| found.agents.get(role).is_some_and(|it| it.status == RoleStatus::Running))
    {
        unknown.push(format!("what {role} did when the file was written: it begins anew"));
    }
    let (changes, markers) = changes(found, progress);
    let plan = found.plan.as_ref().map(plan).transpose()?;
    let tests = tests(found, progress);
    if found.test_results.is_none() && tests.is_none() && found.current_iteration > 0 {
        unknown.push("what its tests came to".to_owned());
    }
    unknown.extend(damaged_logs(progress));
    let created_at = moment(&found.created_at).unwrap_or_default();
    let iterations = iterations(found);
    let is_open = found.current_iteration > 0
        && found.status != CycleStatus::Completed
        && iterations.last().is_some_and(|last| last.completed_at.is_none());
    Ok(Imported {
        rebuilt: false,
        created_at,
        open: is_open,
        phase: phase(found),
        agents: agents(found, is_open),
        completed_phases: found.completed_phases.clone(),
        discoveries: read_board(progress, created_at, unknown),
        ended_at: found.completed_at.as_deref().and_then(moment),
        failure_reason: found.failure_reason.clone().filter(|reason| !reason.trim().is_empty()),
        iteration: found.current_iteration,
        iterations_completed: completed(found),
        task_history: found.task_history.iter().take(TASK_HISTORY_MAX).cloned().collect(),
        description: found.description.clone(),
        requirements: found.requirements.as_ref().map(|known| Requirements {
            version: known.version.clone(),
            specification: known.specification.clone(),
            edge_cases: known.edge_cases.clone(),
            last_updated: moment(&known.last_updated).unwrap_or_default(),
        }),
        exploration: found.exploration.as_ref().map(|known| Exploration {
            version: known.version.clone(),
            architecture_summary: known.architecture_summary.clone(),
            integration_points: known.integration_points.clone(),
            identified_risks: known.identified_risks.clone(),
            last_updated: moment(&known.last_updated).unwrap_or_default(),
        }),
        plan,
        unnamed_files: unnamed_files(found, &changes),
        changes,
        iteration_markers: markers,
        tests,
        documents: progress.documents(),
        iterations,
        feedback: found.coordination.feedback_log.iter().map(feedback).collect(),
        decisions: found.coordination.pending_decisions.iter().map(decision).collect(),
        blockers: found.coordination.blockers.iter().map(blocker).collect(),
        phase_errors: found.phase_errors.iter().map(phase_error).collect(),
        unknown: Vec::new(),
    })
}

/// Where the team was in its last iteration.
fn phase(found: &CycleState) -> Option<Phase> {
    Some(match found.current_phase {
        CurrentPhase::Init => return None,
        CurrentPhase::Ra => Phase::Role("ra".into()),
        CurrentPhase::Ep => Phase::Role("ep".into()),
        CurrentPhase::Cd => Phase::Role("cd".into()),
        CurrentPhase::Vas => Phase::Role("vas".into()),
        CurrentPhase::Aggregation => Phase::Aggregation,
        CurrentPhase::Complete => Phase::Complete,
    })
}

/// How each of the four was; nothing where the file says nothing of any and there is nothing left to do.
fn agents(found: &CycleState, is_open: bool) -> BTreeMap<RoleName, ImportedRole> {
    let time = |text: &Option<String>| text.as_deref().and_then(moment);
    let of = |role: &&str| {
        let known = found.agents.get(role)?;
        let agent = ImportedRole {
            status: known.status,
            started_at: time(&known.started_at),
            completed_at: time(&known.completed_at),
            last_message: known.last_message.clone(),
            error: known.error.clone(),
        };
        Some((RoleName::from(*role), agent))
    };
    let agents: BTreeMap<RoleName, ImportedRole> = ROLES.iter().filter_map(of).collect();
    let says_something = agents.values().any(|agent| *agent != ImportedRole::default());
    if says_something || is_open { agents } else { BTreeMap::new() }
}

/// The iterations of the file, the last ones; one that is under way is among them even where the file does not list it.
fn iterations(found: &CycleState) -> Vec<IterationRecord> {
    let mut all: Vec<IterationRecord> = found.iterations.iter().map(iteration).collect();
    let is_listed = all.last().is_some_and(|last| last.number >= found.current_iteration);
    if found.current_iteration > 0 && !is_listed && found.status != CycleStatus::Completed {
        let began =
            ROLES.iter().filter_map(|role| moment(found.agents.get(role)?.started_at.as_deref()?)).min();
        let began = began.or(moment(&found.updated_at)).unwrap_or_default();
        all.push(record(found.current_iteration, "", began));
    }
    let skipped = all.len().saturating_sub(ITERATIONS_KEPT_MAX);
    all.split_off(skipped)
}

/// The iterations that each of the four completed, where the file says so of any.
fn completed(found: &CycleState) -> BTreeMap<RoleName, u32> {
    let of = |role: &&str| Some((RoleName::from(*role), found.agents.get(role)?.iterations_completed));
    let counted: BTreeMap<RoleName, u32> = ROLES.iter().filter_map(of).collect();
    if counted.values().any(|count| *count > 0) { counted } else { BTreeMap::new() }
}

/// The changes of the file, or those of the log beside it where it has more.
fn changes(found: &CycleState, progress: &Progress) -> (Vec<ChangeEntry>, BTreeMap<u32, Timestamp>) {
    let developer = RoleName::from("cd");
    let log = read_changes(progress.bytes("cd/changes.log").unwrap_or_default(), &developer);
    let none = format::Changes::default();
    let known = found.changes.as_ref().unwrap_or(&none);
    let entry = |change: &format::ChangeLog| ChangeEntry {
        at: moment(&change.timestamp).unwrap_or_default(),
        file: change.file.clone(),
        action: change.action,
        iteration: change.iteration,
        agent: if change.agent.is_empty() {
            developer.clone()
        } else {
            RoleName::from(change.agent.as_str())
        },
        description: change.description.clone(),
        task: None,
        lines_added: 0,
        lines_removed: 0,
    };
    let entries = if log.changes.len() >= known.changes.len() {
        log.changes
    } else {
        known.changes.iter().map(entry).collect()
    };
    let markers = known.iteration_markers.iter().filter_map(|(number, at)| Some((*number, moment(at)?)));
    (entries, log.markers.into_iter().chain(markers).collect())
}

/// Files that the file counts and nobody names.
fn unnamed_files(found: &CycleState, changes: &[ChangeEntry]) -> u32 {
    let named: BTreeSet<&str> = changes.iter().map(|change| change.file.as_str()).collect();
    let total = found.changes.as_ref().map_or(0, |changes| changes.total_files);
    u32::try_from(total.saturating_sub(named.len() as u64)).unwrap_or(u32::MAX)
}

fn plan(known: &format::Plan) -> Result<Plan, ImportError> {
    let task = |task: &format::PlanTask| PlanTask {
        id: task.id.clone(),
        description: task.description.clone(),
        effort: task.effort,
        depends_on: task.depends_on.clone(),
        status: task.status,
        assigned_to: task.assigned_to.as_deref().map(RoleName::from),
        files: task.files.clone(),
    };
    let tasks: Vec<PlanTask> = known.tasks.iter().map(task).collect();
    let problems = unworkable(&tasks, &known.critical_path);
    if !problems.is_empty() {
        return Err(ImportError::Plan(problems));
    }
    let given = &known.critical_path;
    Ok(Plan {
        version: known.version.clone(),
        total_estimated_effort: known.total_estimated_effort.clone(),
        critical_path: if given.is_empty() { critical_path(&tasks) } else { given.clone() },
        tasks,
        last_updated: moment(&known.last_updated).unwrap_or_default(),
        more: serde_json::Map::new(),
    })
}

/// The results beside the file, where they are of the same version: they say more.
fn tests(found: &CycleState, progress: &Progress) -> Option<TestResults> {
    let beside = progress.bytes("vas/test-results.json").and_then(|bytes| read_results(bytes).ok());
    let Some(known) = &found.test_results else { return beside };
    if let Some(beside) = beside.filter(|beside| beside.version == known.version) {
        return Some(TestResults { coverage: beside.coverage.or(Some(known.coverage)), ..beside });
    }
    let passed = (known.pass_rate.clamp(0.0, 100.0) * known.total_tests as f64 / 100.0).round();
    Some(TestResults {
        version: known.version.clone(),
        iteration: iteration_of(&known.version).unwrap_or(found.current_iteration),
        round: 0,
        pass_rate: known.pass_rate,
        coverage: Some(known.coverage),
        branches: None,
        functions: None,
        failed_tests: known.failed_tests.clone(),
        total_tests: known.total_tests,
        passed_tests: passed as u64,
        skipped_tests: 0,
        duration_ms: 0,
        last_run: moment(&known.last_run).unwrap_or_default(),
    })
}

fn iteration(known: &format::IterationRecord) -> IterationRecord {
    let completed_at = moment(&known.completed_at);
    let verdict = if known.resolved { IterationVerdict::Converged } else { IterationVerdict::GoesOn };
    let result = |(role, result): (&String, &format::AgentResult)| {
        let status = PhaseStatus::from_word(&result.status).unwrap_or_default();
        let files_modified = u32::try_from(result.files_modified).unwrap_or(u32::MAX);
        (RoleName::from(role.as_str()), RoleResult { status, files_modified, ..RoleResult::default() })
    };
    IterationRecord {
        extension: known.extension.clone(),
        completed_at,
        agent_results: known.agent_results.iter().map(result).collect(),
        issues: known.issues_found.clone(),
        resolved: known.resolved,
        verdict: completed_at.map(|_| verdict),
        ..record(known.number, "", moment(&known.started_at).unwrap_or_default())
    }
}

fn feedback(known: &format::FeedbackEntry) -> Feedback {
    Feedback {
        at: moment(&known.timestamp).unwrap_or_default(),
        source: known.source.clone(),
        target: RoleName::from(known.target.as_str()),
        content: known.content.clone(),
        kind: known.kind,
    }
}

fn decision(known: &format::Decision) -> Decision {
    Decision {
        id: known.id.clone(),
        description: known.description.clone(),
        options: known.options.clone(),
        made_by: known.made_by.clone(),
        chosen_option: known.chosen_option.clone(),
        status: known.status,
        waits: false,
    }
}

fn blocker(known: &format::Blocker) -> Blocker {
    Blocker {
        id: known.id.clone(),
        description: known.description.clone(),
        reported_by: known.reported_by.clone(),
        status: known.status,
        resolution: known.resolution.clone(),
    }
}

fn phase_error(known: &format::PhaseError) -> PhaseError {
    let at = moment(&known.timestamp).unwrap_or_default();
    PhaseError { phase: known.phase.clone(), error: known.error.clone(), at }
}

/// The published schema. Only whose state it is and where it is must be said, and that tasks and files have names; times
/// may be anything, since what is none is not known.
fn read_schema() -> Value {
    let mut schema = crate::schema("cycle-state");
    relax(&mut schema);
    schema["required"] = serde_json::json!(["cycle_id", "status"]);
    schema
}

fn relax(schema: &mut Value) {
    const NEEDED: [&str; 7] = ["id", "file", "action", "number", "type", "pass_rate", "coverage"];
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| name.as_str().is_some_and(|name| NEEDED.contains(&name)));
    }
    if schema["format"] == "date-time" {
        *schema = serde_json::json!({"type": "string"});
    }
    match schema {
        Value::Object(members) => members.values_mut().for_each(relax),
        Value::Array(items) => items.iter_mut().for_each(relax),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
