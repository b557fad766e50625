//! `piton why`: the chain of events behind the status, and what was not the cause.

use piton_model::ExitCode;
use piton_view::words;

use crate::cli::{Global, RunArgument};
use crate::failure::Result;
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, argument: &RunArgument, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    let view = client.why(&run).await?;
    if out.json {
        out.json(&view);
        return Ok(ExitCode::Done);
    }
    let because = if view.because.is_empty() { String::new() } else { format!(": {}", view.because) };
    out.row(format!("{run}   {}{because}", view.status.as_str()));
    for event in &view.events {
        out.row(format!("{:>6}  {}  {}", event.seq, words::clock(event.at), event.text));
    }
    if !view.not_the_cause.is_empty() {
        out.row(format!("not the cause: {}", view.not_the_cause.join(" · ")));
    }
    Ok(ExitCode::Done)
}
