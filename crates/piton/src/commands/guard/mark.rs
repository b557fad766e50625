//! `piton guard mark`: a person's verdict on a finding, for the statistics of the runs that have it.

use piton_model::ExitCode;
use piton_view::Request;

use crate::cli::{Global, MarkArguments};
use crate::failure::{Failure, Result};
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, arguments: &MarkArguments, out: &Output) -> Result {
    let client = repository::open(&repository::layout(global)?)?;
    let marked = client.runs_with(&arguments.finding).await?;
    for run in &marked {
        let mark =
            Request::Mark { finding: arguments.finding.clone(), false_positive: arguments.false_positive };
        client.request(run, mark).await?;
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
        out.did(format!("marked {} of {run} as {what}", arguments.finding));
    }
    Ok(ExitCode::Done)
}
