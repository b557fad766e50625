//! `piton status`: one screen.

use piton_model::ExitCode;
use serde_json::json;

use crate::cli::{Global, LsArguments, RunArgument};
use crate::failure::{ErrorKind, Failure, Result};
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, argument: &RunArgument, out: &Output) -> Result {
    let (client, run) = match repository::open_run(global, argument.run.as_deref()).await {
        // Which run is meant is not known where one of them is damaged: all that are there are shown, and what is wrong.
        Err(failure) if failure.kind == ErrorKind::Corrupt && argument.run.is_none() => {
            return match out.json {
                true => all_there(global, failure, out).await,
                false => super::ls::run(global, &LsArguments::default(), out).await,
            };
        }
        opened => opened?,
    };
    let status = client.status(&run).await?;
    match out.json {
        true => out.json(&status.data()),
        false => status.screen.iter().for_each(|line| out.row(line)),
    }
    Ok(ExitCode::Done)
}

/// The runs that are there, and what became of the others, as one object: whoever asked for one run must not take a list for it.
async fn all_there(global: &Global, failure: Failure, out: &Output) -> Result {
    let Some(client) = repository::open_existing(&repository::layout(global)?)? else { return Err(failure) };
    let runs = client.runs().await?;
    runs.lost.iter().for_each(|lost| out.failure(lost));
    out.json(&json!({ "runs": runs.listed, "lost": runs.lost }));
    Ok(failure.kind.exit_code())
}
