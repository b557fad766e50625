//! What a role handed in, or another tool left, becomes a part of the state.

use std::sync::Arc;

use super::{err, give_feedback, people, tell_timeline};
use crate::Timestamp;
use crate::cycle::config::version_of;
use crate::cycle::facts::{Document, HandedIn, Imported, PhaseStatus};
use crate::cycle::limits::{CHANGED_FILES_MAX, DISCOVERIES_MAX, LOG_LINES_MAX};
use crate::cycle::sections::{ChangeEntry, Discovery, LogLine, TaskStatus};
use crate::cycle::state::{Log, Phase, RoleNote, RoleResult, RoleState, RoleStatus, State, TimelineFact};
use crate::limits::{NOTES_MAX, TAIL_BYTES_MAX, clip, keep_last};
use crate::loop_machine::{Note, keep_values};

/// Takes what the role at `index` handed in. Of an attempt that is refused the files are put back: nothing of them counts.
pub(super) fn take(state: &mut State, index: usize, handed_in: &HandedIn, is_refused: bool, at: Timestamp) {
    for document in &handed_in.documents {
        take_document(&mut state.roles[index], document, &said_of(handed_in, document), at);
    }
    if let Some(requirements) = &handed_in.requirements {
        state.requirements = Some(Arc::new(requirements.clone()));
    }
    if let Some(exploration) = &handed_in.exploration {
        state.exploration = Some(Arc::new(exploration.clone()));
    }
    if let Some(plan) = &handed_in.plan {
        state.plan = Some(Arc::new(plan.clone()));
    }
    if !is_refused {
        take_changes(state, &handed_in.changes);
        complete_tasks(state, &handed_in.tasks_completed);
        remember(state, index, handed_in);
    }
    for line in &handed_in.debug {
        state.roles[index].debug.push(line.clone(), LOG_LINES_MAX);
    }
    for discovery in &handed_in.discoveries {
        discover(&mut state.discoveries, discovery);
    }
}

/// What its role says has changed about a document.
fn said_of(handed_in: &HandedIn, document: &Document) -> String {
    let fields = handed_in.result.as_ref().map(|result| &result.fields);
    let said = fields.and_then(|fields| fields.get("summary").or_else(|| fields.get("changes")));
    match said {
        Some(said) => clip(said, TAIL_BYTES_MAX).to_owned(),
        None => format!("{} of iteration {}", document.name, document.iteration),
    }
}

fn take_document(role: &mut RoleState, document: &Document, change: &str, at: Timestamp) {
    if !role.output_files.contains(&document.name) {
        role.output_files.push(document.name.clone());
    }
    let old = role.documents.insert(document.name.clone(), Arc::new(document.clone()));
    let created = old.is_none();
    // Of several in one iteration, the version before is the one to be archived.
    if let Some(old) = old.filter(|old| old.version != document.version) {
        role.previous.insert(document.name.clone(), old);
    }
    let line = LogLine {
        at,
        iteration: document.iteration,
        version: document.version.clone(),
        document: document.name.clone(),
        created,
        change: change.to_owned(),
    };
    role.log.push(line, LOG_LINES_MAX);
}

fn take_changes(state: &mut State, changes: &[ChangeEntry]) {
    for change in changes {
        if state.changed_files.len() < CHANGED_FILES_MAX {
            state.changed_files.insert(change.file.clone());
        }
        state.changes.push(change.clone(), LOG_LINES_MAX);
    }
}

fn complete_tasks(state: &mut State, completed: &[String]) {
    let Some(plan) = state.plan.as_mut().filter(|_| !completed.is_empty()) else { return };
    for task in &mut Arc::make_mut(plan).tasks {
        if completed.contains(&task.id) {
            task.status = TaskStatus::Completed;
        }
    }
}

/// What the role wants kept for whoever goes on.
fn remember(state: &mut State, index: usize, handed_in: &HandedIn) {
    let (role, iteration) = (&state.config.roles[index].name, state.iteration);
    let note = |note: &Note| RoleNote { role: role.clone(), iteration, note: note.clone() };
    state.notes.extend(handed_in.notes.iter().map(note));
    keep_last(&mut state.notes, NOTES_MAX);
    keep_values(&mut state.custom, &handed_in.values);
}

/// One that is known by its key is not taken again, unless it says something else: the newer one wins.
fn discover(known: &mut Log<Discovery>, discovery: &Discovery) {
    let same = |other: &Discovery| other.kind == discovery.kind && other.key == discovery.key;
    if known.recent.iter().any(|other| same(other) && other.data == discovery.data) {
        return;
    }
    known.push(discovery.clone(), DISCOVERIES_MAX);
}

/// What another tool, or a piton that is lost, did.
pub(super) fn import(state: &mut State, imported: &Imported, at: Timestamp) {
    state.created_at = imported.created_at;
    (state.iteration, state.ended_at) = (imported.iteration, imported.ended_at);
    state.unknown.clone_from(&imported.unknown);
    if !imported.task_history.is_empty() {
        state.task_history.clone_from(&imported.task_history);
    }
    if !imported.description.is_empty() {
        state.description.clone_from(&imported.description);
    }
    state.requirements = imported.requirements.clone().map(Arc::new);
    state.exploration = imported.exploration.clone().map(Arc::new);
    state.plan = imported.plan.clone().map(Arc::new);
    take_changes(state, &imported.changes);
    state.unnamed_files = imported.unnamed_files;
    state.iteration_markers.clone_from(&imported.iteration_markers);
    state.tests.clone_from(&imported.tests);
    for (name, document) in &imported.documents {
        if let Some(index) = state.place(name) {
            take_document(&mut state.roles[index], document, "imported", at);
            // Its log has that line already, wherever it was written.
            state.roles[index].log = Log::default();
        }
    }
    state.iterations = imported.iterations.iter().cloned().collect();
    state.current.version = version_of(imported.iteration);
    for discovery in &imported.discoveries {
        discover(&mut state.discoveries, discovery);
    }
    give_feedback(state, &imported.feedback);
    // That there was more of it than a prompt has room for is nothing that went wrong here.
    state.phase_errors = Log::default();
    people::add_decisions(state, &imported.decisions);
    people::add_blockers(state, &imported.blockers, at);
    for error in &imported.phase_errors {
        err(state, error.phase.clone(), error.error.clone(), error.at);
    }
    import_team(state, imported);
    // It was told of all that when it happened.
    state.timeline = Log::default();
    if imported.rebuilt {
        tell_timeline(state, TimelineFact::PhaseErred { phase: "init".to_owned() }, at);
    }
}

/// Where the team was. An iteration that has no verdict goes on with whoever has not completed it; after one that has, everybody
/// looks again.
fn import_team(state: &mut State, imported: &Imported) {
    for (member, role) in state.config.roles.iter().zip(&mut state.roles) {
        let completed = imported.iterations_completed.get(&member.name).copied();
        role.iterations_completed = completed.unwrap_or(imported.iteration);
        match imported.agents.get(&member.name) {
            Some(known) => {
                (role.status, role.last_message) = (known.status, known.last_message.clone());
                (role.started_at, role.completed_at) = (known.started_at, known.completed_at);
                role.error.clone_from(&known.error);
            }
            None if imported.open && !imported.agents.is_empty() => {}
            None if imported.iteration > 0 => role.status = RoleStatus::Completed,
            None => {}
        }
        role.due = imported.open && role.status != RoleStatus::Completed;
        // Nobody of it is at work here.
        if matches!(role.status, RoleStatus::Running | RoleStatus::Waiting) {
            role.status = RoleStatus::Idle;
        }
    }
    if imported.iteration == 0 {
        return;
    }
    let names = || state.config.roles.iter().map(|role| role.name.clone());
    state.completed_phases = match imported.agents.is_empty() {
        true => names().map(|name| name.to_string()).collect(),
        false => imported.completed_phases.clone(),
    };
    state.current.concluded = !imported.open;
    if state.current.concluded {
        state.current.next = names().collect();
    }
    let due = || state.team().filter(|(_, at)| at.due).map(|(role, _)| role.name.clone());
    let goes_on = due().next().map_or(Phase::Aggregation, Phase::Role);
    let pending: Vec<_> = due().collect();
    let is_known = |phase: &Phase| !matches!(phase, Phase::Role(name) if state.place(name).is_none());
    state.phase = imported.phase.clone().filter(is_known).unwrap_or(goes_on);
    if let Some(record) = state.iterations.back_mut() {
        for name in pending {
            let pending = RoleResult { status: PhaseStatus::Pending, ..RoleResult::default() };
            record.agent_results.entry(name).or_insert(pending);
        }
    }
}
