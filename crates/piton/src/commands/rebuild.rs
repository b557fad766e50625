//! `piton rebuild`: render the files of a run again from the journal.

use piton_model::ExitCode;

use crate::cli::{Global, RunArgument};
use crate::failure::Result;
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, argument: &RunArgument, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    for line in client.rebuild(&run).await? {
        match line.starts_with("note: ") {
            true => out.note(line),
            false => out.line(line),
        }
    }
    Ok(ExitCode::Done)
}
