//! `piton best`: the best iteration of a run.

use piton_model::ExitCode;
use piton_view::Client;

use crate::cli::{Global, RunArgument};
use crate::failure::Failure;
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, argument: &RunArgument, out: &Output) -> Result<ExitCode, Failure> {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    let best = client.status(&run).await?.best;
    if out.json {
        out.json(&best);
        return Ok(ExitCode::Done);
    }
    match best {
        Some(best) => {
            out.line(format!("#{}  {} of {} checks", best.iteration, best.passed, best.total));
            out.note(format!("`piton restore {}` puts its files back", run.short()));
        }
        None => out.note("no iteration was judged yet"),
    }
    Ok(ExitCode::Done)
}
