//! `coordination/summary.md`: what a cycle came to, written at its end.

use piton_model::Status;
use piton_model::cycle::{IterationRecord, State};

use super::format::CycleStatus;
use super::header::{Header, page};
use super::markdown::{cell, list, one_line};
use super::place::CyclePlace;
use super::render::{failure_reason, zone_of};

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
