//! `piton rebuild`: render the files of a run again from the journal.

use piton_model::ExitCode;

use crate::cli::{Global, RunArgument};
use crate::failure::Result;
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, argument: &RunArgument, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    let rebuilt = client.rebuild(&run).await?;
    rebuilt.written.iter().for_each(|path| out.did(format!("rendered {path}")));
    rebuilt.notes.iter().for_each(|note| out.note(format!("note: {note}")));
    Ok(ExitCode::Done)
}
