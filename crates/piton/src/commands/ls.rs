//! `piton ls`: runs, those that need you first.

use piton_model::{ExitCode, Timestamp};
use piton_sys::{Clock, SystemClock};
use piton_view::{Client, RunSummary};

use crate::cli::{Global, LsArguments};
use crate::failure::Failure;
use crate::output::{Output, clean_line};
use crate::{render, repository};

/// Finished runs older than the newest so many are shown with `--all` only.
const FINISHED_SHOWN: usize = 10;

pub(super) async fn run(global: &Global, arguments: &LsArguments, out: &Output) -> Result<ExitCode, Failure> {
    let since = match &arguments.since {
        Some(text) => Some(text.parse::<Timestamp>().map_err(|error| Failure::usage(error.to_string()))?),
        None => None,
    };
    let layout = repository::layout(global)?;
    let runs = match piton_store::sqlite::Sqlite::open_existing(&layout.state())? {
        Some(store) => piton_engine::LocalClient::new(store, layout).runs().await?,
        None => Vec::new(),
    };
    let runs = select(runs, arguments, since);
    if out.json {
        out.json(&runs);
        return Ok(ExitCode::Done);
    }
    if runs.is_empty() {
        out.note("no runs here; start one with `piton loop`, or see `piton demo`");
    }
    let now = SystemClock.now();
    for run in &runs {
        out.line(line(run, now));
    }
    Ok(ExitCode::Done)
}

fn select(runs: Vec<RunSummary>, arguments: &LsArguments, since: Option<Timestamp>) -> Vec<RunSummary> {
    let mut finished = 0;
    let mut runs: Vec<RunSummary> = runs
        .into_iter()
        .filter(|run| arguments.kind.as_ref().is_none_or(|kind| run.kind == *kind))
        .filter(|run| arguments.status.as_ref().is_none_or(|status| run.status == *status))
        .filter(|run| since.is_none_or(|since| run.updated_at >= since))
        .filter(|run| {
            let over = matches!(run.status.as_str(), "completed" | "failed" | "stopped");
            finished += usize::from(over);
            !over || arguments.all || arguments.status.is_some() || finished <= FINISHED_SHOWN
        })
        .collect();
    // Stable: newest first within each group.
    runs.sort_by_key(|run| !run.needs_person());
    runs
}

fn line(run: &RunSummary, now: Timestamp) -> String {
    let status = match &run.reason {
        Some(reason) => format!("{} ({reason})", run.status),
        None => run.status.clone(),
    };
    let age = render::ago(now, run.updated_at);
    format!(
        "{:<44}  {status:<28}  #{:<4} {age:>8}  {}",
        run.run_id.to_string(),
        run.iteration,
        clean_line(&run.title)
    )
}
