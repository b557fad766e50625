//! `piton status`: one screen.

use piton_model::ExitCode;

use crate::cli::{Global, LsArguments, RunArgument};
use crate::failure::{ErrorKind, Result};
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, argument: &RunArgument, out: &Output) -> Result {
    let (client, run) = match repository::open_run(global, argument.run.as_deref()).await {
        // Which run is meant is not known where one of them is damaged: all that are there are shown, and what is wrong.
        Err(failure) if failure.kind == ErrorKind::Corrupt && argument.run.is_none() && !out.json => {
            return super::ls::run(global, &LsArguments::default(), out).await;
        }
        opened => opened?,
    };
    let status = client.status(&run).await?;
    match out.json {
        true => out.json(&status.of),
        false => status.screen.iter().for_each(|line| out.row(line)),
    }
    Ok(ExitCode::Done)
}
