//! `piton rebuild`: render the files of a run again from the journal.

use piton_engine::world::republish;
use piton_model::ExitCode;

use crate::cli::{Global, RunArgument};
use crate::failure::Failure;
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, argument: &RunArgument, out: &Output) -> Result<ExitCode, Failure> {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    let loaded = client.load(&run, None).await?;
    for line in republish(client.layout(), &loaded.state, loaded.head)? {
        out.line(line);
    }
    Ok(ExitCode::Done)
}
