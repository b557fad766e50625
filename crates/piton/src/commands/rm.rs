//! `piton rm`: forget a run.

use piton_model::ExitCode;

use crate::cli::{Global, RmArguments};
use crate::failure::Result;
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, arguments: &RmArguments, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, Some(&arguments.run)).await?;
    client.remove(&run, arguments.force).await?;
    out.note(format!("{run} is forgotten"));
    Ok(ExitCode::Done)
}
