//! `piton restore`: the files of an iteration, byte for byte.

use piton_model::ExitCode;
use piton_view::words::count;

use crate::cli::{Global, RestoreArguments};
use crate::failure::Result;
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, arguments: &RestoreArguments, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    let view = client.restore(&run, arguments.iteration, arguments.force).await?;
    if out.json {
        out.json(&view);
        return Ok(ExitCode::Done);
    }
    let head = view.branch.as_deref().or(view.head.as_deref()).unwrap_or("no commit");
    out.did(format!(
        "restored #{}: {} written, {} deleted; HEAD stays at {head}",
        view.iteration,
        count(view.written.len(), "file"),
        view.deleted.len()
    ));
    for path in &view.kept {
        out.note(format!("not put back: {path}; it is in no snapshot"));
    }
    Ok(ExitCode::Done)
}
