//! `piton rm`: forget a run.

use piton_model::ExitCode;
use piton_view::Removal;

use crate::cli::{Global, RmArguments};
use crate::failure::Result;
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, arguments: &RmArguments, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, Some(&arguments.run)).await?;
    let how = Removal { force: arguments.force, files: arguments.files, tree: arguments.tree };
    let kept = client.remove(&run, how).await?;
    out.note(format!("{run} is forgotten"));
    kept.iter().for_each(|kept| out.note(kept));
    Ok(ExitCode::Done)
}
