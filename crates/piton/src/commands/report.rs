//! `piton report`: what a run did, as Markdown for a pull request.

use std::fmt::Write;

use piton_engine::LocalClient;
use piton_model::loop_machine::{AttemptEnd, CheckRound, NoteKind, Prompt};
use piton_model::{Event, ExitCode, Kind, RunId, State, Timestamp};

use crate::cli::{Global, RunArgument};
use crate::failure::Failure;
use crate::output::{Output, clean, clean_line};
use crate::{render, repository};

/// What is shown of the task.
const TASK_BYTES_MAX: usize = 2_000;

pub(super) async fn run(global: &Global, argument: &RunArgument, out: &Output) -> Result<ExitCode, Failure> {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    if client.kind(&run).await? == Kind::Workflow {
        let status = client.workflow_status(&run).await?;
        let state = client.load_as(&run, None).await?.state;
        match out.json {
            true => out.json(&status),
            false => out.bytes(clean(&render::workflow::report(&status, &state)).as_bytes()),
        }
        return Ok(ExitCode::Done);
    }
    let state = client.load(&run, None).await?.state;
    let rows = iterations(&client, &run).await?;
    if out.json {
        let rows: Vec<_> = rows.iter().map(Row::json).collect();
        out.json(&serde_json::json!({
            "run_id": run, "title": state.title, "status": state.status.as_str(),
            "reason": state.reason.map(|reason| reason.as_str()), "commits": state.seen.commits, "iterations": rows,
        }));
        return Ok(ExitCode::Done);
    }
    out.bytes(clean(&text(&state, &rows)).as_bytes());
    Ok(ExitCode::Done)
}

/// One iteration, as the events tell it.
struct Row {
    iteration: u32,
    end: AttemptEnd,
    checks: Option<CheckRound>,
    commit: Option<String>,
}

impl Row {
    fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "iteration": self.iteration,
            "outcome": self.end.outcome,
            "duration_ms": self.end.duration_ms,
            "change": self.end.change,
            "checks": self.checks.as_ref().map(|round| &round.checks),
            "commit": self.commit,
            "cost_microusd": self.end.report.as_ref().and_then(|report| report.cost_microusd),
            "summary": self.end.report.as_ref().and_then(|report| report.summary.as_ref()),
        })
    }
}

async fn iterations(client: &LocalClient, run: &RunId) -> Result<Vec<Row>, Failure> {
    let mut rows: Vec<Row> = Vec::new();
    let mut iteration = 0;
    for (event, _) in all_events(client, run).await? {
        match event {
            Event::AttemptStarted { attempt } => iteration = attempt.iteration,
            Event::AttemptFinished { end, .. } => {
                rows.retain(|row| row.iteration != iteration);
                rows.push(Row { iteration, end: *end, checks: None, commit: None });
            }
            Event::ChecksFinished { round, .. } => {
                if let Some(last) = rows.last_mut() {
                    last.checks = Some(*round);
                }
            }
            Event::CommitFinished { commit, .. } => {
                if let Some(last) = rows.last_mut() {
                    last.commit = commit.or(last.commit.take());
                }
            }
            _ => {}
        }
    }
    Ok(rows)
}

async fn all_events(client: &LocalClient, run: &RunId) -> Result<Vec<(Event, Timestamp)>, Failure> {
    use piton_view::Client;
    let mut events = Vec::new();
    let mut next = 1;
    loop {
        let page = client.events(run, next, std::time::Duration::ZERO).await?;
        let Some(last) = page.last() else { return Ok(events) };
        next = last.seq + 1;
        for view in &page {
            let data = serde_json::to_vec(&view.data).expect("JSON is JSON");
            if let Ok(event) = Event::decode(&view.kind, view.v, &data) {
                events.push((event, view.at));
            }
        }
    }
}

fn text(state: &State, rows: &[Row]) -> String {
    let mut text = format!("# {}\n\n", clean_line(&state.title));
    let _ = writeln!(text, "**{}**: {}\n", state.status.as_str(), render::why(state));
    if let Prompt::Text(task) = &state.config.prompt {
        let task = piton_model::limits::clip(task, TASK_BYTES_MAX);
        let quoted: Vec<_> = task.lines().map(|line| format!("> {line}")).collect();
        let _ = writeln!(text, "{}\n", quoted.join("\n"));
    }
    if let Some(worktree) = &state.config.worktree {
        let _ = writeln!(
            text,
            "Branch `{}`, {}, nothing merged.\n",
            worktree.branch,
            render::count(state.seen.commits, "commit")
        );
    }
    let _ = writeln!(text, "## Checks\n");
    for check in state.seen.checks.iter().flat_map(|round| &round.checks) {
        let before =
            state.seen.baseline.iter().flat_map(|round| &round.checks).find(|other| other.name == check.name);
        let mark = |passed: bool| if passed { "✓" } else { "✗" };
        let before = before.map_or("–", |before| mark(before.passed));
        let _ = writeln!(text, "- `{}`: {before} → {}", check.name, mark(check.passed));
    }
    if state.config.checks.is_empty() {
        text.push_str("- none\n");
    }
    text.push_str("\n## Iterations\n\n| # | agent | change | checks | took | cost | commit |\n|---|---|---|---|---|---|---|\n");
    for row in rows {
        let change = row.end.change.as_ref().map_or_else(
            || "none".to_owned(),
            |change| format!("+{} −{} in {}", change.added, change.removed, change.files_total),
        );
        let cost = row.end.report.as_ref().and_then(|report| report.cost_microusd);
        let commit = row.commit.as_deref();
        let _ = writeln!(
            text,
            "| {} | {} | {change} | {} | {} | {} | {} |",
            row.iteration,
            render::outcome_word(row.end.outcome),
            row.checks.as_ref().map_or_else(|| "not run".to_owned(), render::checks),
            render::duration(row.end.duration_ms),
            cost.map_or_else(|| "unknown".to_owned(), render::money),
            commit.map_or_else(|| "–".to_owned(), |commit| format!("`{}`", &commit[..commit.len().min(10)])),
        );
    }
    let summaries: Vec<_> = rows
        .iter()
        .filter_map(|row| Some((row.iteration, row.end.report.as_ref()?.summary.as_deref()?.trim())))
        .filter(|(_, summary)| !summary.is_empty())
        .collect();
    if !summaries.is_empty() {
        text.push_str("\n## What the agent says it did\n\n");
        for (iteration, summary) in summaries {
            let _ = writeln!(text, "- #{iteration}: {}", clean_line(summary));
        }
    }
    let cheats: Vec<_> = rows
        .iter()
        .flat_map(|row| {
            row.end.guard.iter().flat_map(move |guard| guard.findings.iter().map(move |found| (row, found)))
        })
        .filter(|(_, finding)| finding.blocking)
        .collect();
    if !cheats.is_empty() {
        text.push_str("\n## What the guard found\n\n");
        for (row, finding) in cheats {
            let _ =
                writeln!(text, "- #{}, {}: {}", row.iteration, finding.rule, clean_line(&finding.sentence()));
        }
    }
    let notes: Vec<_> = rows
        .iter()
        .flat_map(|row| {
            row.end.report.iter().flat_map(move |report| report.notes.iter().map(move |note| (row, note)))
        })
        .collect();
    let by_people: Vec<_> =
        state.memory.notes.iter().filter(|kept| kept.note.kind == NoteKind::Person).collect();
    if !(notes.is_empty() && by_people.is_empty()) {
        text.push_str("\n## Decisions and findings\n\n");
        for (row, note) in notes {
            let _ =
                writeln!(text, "- #{}, {}: {}", row.iteration, note.kind.as_str(), clean_line(&note.text));
        }
        for kept in by_people {
            let _ = writeln!(text, "- #{}, by a person: {}", kept.iteration, clean_line(&kept.note.text));
        }
    }
    let _ = writeln!(
        text,
        "\n{}, {} of working time. Everything is on record: `piton log {}`.",
        render::count(state.counters.iterations, "iteration"),
        render::duration(state.counters.working_ms),
        state.run
    );
    text
}
