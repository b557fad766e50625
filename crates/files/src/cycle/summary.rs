//! `coordination/summary.md`: what a cycle came to, written at its end.

use std::collections::BTreeMap;

use piton_model::cycle::{IterationRecord, IterationVerdict, PhaseStatus, RoleName, State};
use piton_model::{Status, Timestamp};

use super::format::CycleStatus;
use super::header::{Header, page, split};
use super::markdown::{cell, cells, list, one_line, read_list, section, sections};
use super::place::CyclePlace;
use super::render::{failure_reason, zone_of};
use super::zone::moment;

/// Files that are named.
const FILES_MAX: usize = 100;

/// `summary.md` of a cycle that has ended; nothing while it goes on.
pub fn summary_page(state: &State, place: &CyclePlace) -> Option<String> {
    let ended_at = match state.status {
        Status::Completed | Status::Failed => state.ended_at.unwrap_or(state.updated_at),
        Status::Created
        | Status::Running
        | Status::Waiting
        | Status::Paused
        | Status::Rebooting
        | Status::Stopped => return None,
    };
    let zone = zone_of(state);
    let result = match failure_reason(state) {
        Some(reason) => format!("{}: {}", CycleStatus::of(state.status).as_str(), one_line(&reason)),
        None => CycleStatus::of(state.status).as_str().to_owned(),
    };
    let header =
        Header::of_iteration(&place.cycle_id, state.iteration, &zone.show(ended_at), &one_line(&state.title));
    let tasks = list(&state.task_history);
    let body = format!(
        "## Result\n\n{result}\n\n## Tasks\n\n{tasks}\n## Iterations\n\n{}\n## Tests\n\n{}\n\n## Deliverables\n\n{}\n\
         ## Changed files\n\n{}\n## To go on\n\n    piton cycle extend {} TEXT\n",
        iterations(state),
        tests(state),
        deliverables(state),
        files(state),
        state.run,
    );
    Some(page("Summary", &header, &body))
}

fn iterations(state: &State) -> String {
    let mut text =
        "| Iteration | Version | Verdict | Roles | Open issues |\n|---|---|---|---|---|\n".to_owned();
    let row = |record: &IterationRecord| {
        let roles: Vec<String> =
            record.agent_results.iter().map(|(role, result)| format!("{role} {}", result.status)).collect();
        let verdict = record.verdict.map_or("under way", |verdict| verdict.as_str());
        let issues: Vec<String> = record.issues.iter().map(|issue| one_line(issue)).collect();
        let issues = if issues.is_empty() { "none".to_owned() } else { issues.join("; ") };
        format!(
            "| {} | {} | {verdict} | {} | {} |\n",
            record.number,
            record.version,
            cell(&roles.join(", ")),
            cell(&issues)
        )
    };
    text.extend(state.iterations.iter().map(row));
    text
}

fn tests(state: &State) -> String {
    let Some(tests) = &state.tests else { return "No checks were run.".to_owned() };
    let coverage =
        tests.coverage.map_or("coverage unknown".to_owned(), |coverage| format!("coverage {coverage:.1} %"));
    let (passed, total) = (tests.passed_tests, tests.total_tests);
    format!("{passed} of {total} pass ({:.1} %), {coverage}", tests.pass_rate)
}

fn deliverables(state: &State) -> String {
    let names = |(role, known): (&piton_model::cycle::Role, &piton_model::cycle::RoleState)| {
        let role = role.name.clone();
        known
            .documents
            .values()
            .map(move |document| format!("{role}/{} v{}", document.name, document.version))
            .collect::<Vec<_>>()
    };
    list(&state.team().flat_map(names).collect::<Vec<_>>())
}

fn files(state: &State) -> String {
    let more = state.changed_files.len().saturating_sub(FILES_MAX);
    let more = (more > 0).then(|| format!("and {more} more"));
    list(&state.changed_files.iter().take(FILES_MAX).cloned().chain(more).collect::<Vec<_>>())
}

/// What a summary still says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ReadSummary {
    /// The iteration that it was written after; 0 where there is none.
    pub(super) iteration: u32,
    /// How the cycle ended then, when, and why.
    pub(super) status: Option<CycleStatus>,
    pub(super) ended_at: Option<Timestamp>,
    pub(super) reason: Option<String>,
    /// Every task, with its lines.
    pub(super) tasks: Vec<String>,
    pub(super) iterations: BTreeMap<u32, ReadIteration>,
}

/// An iteration, by its row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ReadIteration {
    pub(super) verdict: Option<IterationVerdict>,
    pub(super) roles: BTreeMap<RoleName, PhaseStatus>,
    /// What was wrong still, on one line; empty where nothing was.
    pub(super) issues: String,
}

/// Reads a summary of piton's.
pub(super) fn read_summary(text: &str) -> ReadSummary {
    let (header, body) = split(text);
    let parts = sections(&body);
    let part = |name: &str| section(&parts, &[name]).map(|part| part.text.trim()).unwrap_or_default();
    let result = part("result");
    let ended = [CycleStatus::Completed, CycleStatus::Failed];
    let status = ended.into_iter().find(|ended| result.starts_with(ended.as_str()));
    let reason = status.and_then(|status| result.strip_prefix(status.as_str())?.strip_prefix(": "));
    ReadSummary {
        iteration: header.iteration,
        status,
        ended_at: moment(&header.date),
        reason: reason.map(str::to_owned),
        tasks: read_list(part("tasks")),
        iterations: part("iterations").lines().filter_map(read_row).collect(),
    }
}

fn read_row(row: &str) -> Option<(u32, ReadIteration)> {
    let cells = cells(row)?;
    let [number, _, verdict, roles, issues] = &cells[..] else { return None };
    let role = |text: &str| {
        let (name, status) = text.trim().split_once(' ')?;
        Some((RoleName::from(name), PhaseStatus::from_word(status)?))
    };
    let read = ReadIteration {
        verdict: IterationVerdict::from_word(verdict),
        roles: roles.split(',').filter_map(role).collect(),
        issues: if issues == "none" { String::new() } else { issues.clone() },
    };
    Some((number.parse().ok()?, read))
}
