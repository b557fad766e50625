//! `piton rebuild`: render the files of a run again from the journal.

use piton_engine::world::republish;
use piton_model::ExitCode;

use crate::cli::{Global, RunArgument};
use crate::failure::Failure;
use crate::output::Output;
use crate::{configuration, repository};

pub(super) async fn run(global: &Global, argument: &RunArgument, out: &Output) -> Result<ExitCode, Failure> {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    let loaded = client.load(&run, None).await?;
    let history = match configuration::views(client.layout()).aiwg {
        true => Some(client.history(&run).await?),
        false => None,
    };
    for line in republish(client.layout(), &loaded.state, loaded.head, history.as_ref())? {
        out.line(line);
    }
    Ok(ExitCode::Done)
}
