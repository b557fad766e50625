//! `piton status`: one screen.

use piton_model::ExitCode;

use crate::cli::{Global, RunArgument};
use crate::failure::Result;
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, argument: &RunArgument, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    let status = client.status(&run).await?;
    match out.json {
        true => out.json(&status.of),
        false => status.screen.iter().for_each(|line| out.row(line)),
    }
    Ok(ExitCode::Done)
}
