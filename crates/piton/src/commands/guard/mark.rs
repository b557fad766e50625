//! `piton guard mark`: a person's verdict on a finding, for the statistics of the runs that have it.

use piton_model::{Event, ExitCode, Kind, RunId};
use piton_view::{Client, Request};

use crate::cli::{Global, MarkArguments};
use crate::failure::Failure;
use crate::output::Output;
use crate::repository;

pub(super) async fn run(
    global: &Global,
    arguments: &MarkArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let client = repository::open(&repository::layout(global)?)?;
    let mut marked = Vec::new();
    for summary in client.runs().await?.into_iter().filter(|run| run.kind == Kind::Loop.as_str()) {
        if has(&client, &summary.run_id, &arguments.finding).await? {
            let mark = Request::Mark {
                finding: arguments.finding.clone(),
                false_positive: arguments.false_positive,
            };
            client.request(&summary.run_id, mark).await?;
            marked.push(summary.run_id);
        }
    }
    if marked.is_empty() {
        return Err(Failure::usage(format!("no run here has the finding `{}`", arguments.finding)).hint(
            "`piton status RUN --json` lists the findings of a run; to let one pass: `piton guard allow`",
        ));
    }
    let what = if arguments.false_positive { "a false alarm" } else { "right" };
    if out.json {
        out.json(&serde_json::json!({"finding": arguments.finding, "false_positive": arguments.false_positive, "runs": marked}));
        return Ok(ExitCode::Done);
    }
    for run in marked {
        out.line(format!("marked {} of {run} as {what}", arguments.finding));
    }
    Ok(ExitCode::Done)
}

/// Whether the journal of a run holds the finding, however long ago.
async fn has(client: &piton_engine::LocalClient, run: &RunId, finding: &str) -> Result<bool, Failure> {
    let state = client.load(run, None).await?.state;
    if state.judged.findings.iter().any(|kept| kept.finding.id == finding) {
        return Ok(true);
    }
    if state.counters.detections == 0 {
        return Ok(false);
    }
    let mut next = 1;
    loop {
        let page = client.events(run, next, std::time::Duration::ZERO).await?;
        let Some(last) = page.last() else { return Ok(false) };
        next = last.seq + 1;
        for view in page.iter().filter(|view| view.kind == "attempt_finished") {
            let data = serde_json::to_vec(&view.data).expect("JSON is JSON");
            if let Ok(Event::AttemptFinished { end, .. }) = Event::decode(&view.kind, view.v, &data)
                && end.guard.iter().flat_map(|guard| &guard.findings).any(|found| found.id == finding)
            {
                return Ok(true);
            }
        }
    }
}
