//! `piton show`: the whole state, now or then.

use piton_model::ExitCode;
use piton_view::Moment;

use crate::cli::{Global, ShowArguments};
use crate::failure::Result;
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, arguments: &ShowArguments, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    let at = arguments.iteration.map(Moment::Iteration).or(arguments.at.map(Moment::Event));
    // The state is a document in either case; people and programs read the same.
    out.json(&client.show(&run, at).await?);
    Ok(ExitCode::Done)
}
