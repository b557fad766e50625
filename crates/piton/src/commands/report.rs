//! `piton report`: what a run did, as Markdown for a pull request.

use piton_model::ExitCode;

use crate::cli::{Global, RunArgument};
use crate::failure::Result;
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, argument: &RunArgument, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    let report = client.report(&run).await?;
    match out.json {
        true => out.json(&report.data),
        false => out.bytes(report.text.as_bytes()),
    }
    Ok(ExitCode::Done)
}
