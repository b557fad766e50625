//! `piton why`: the chain of events behind the status, and what was not the cause.

use piton_model::ExitCode;
use piton_view::{EventView, words};

use crate::cli::{Global, RunArgument};
use crate::failure::Result;
use crate::output::Output;
use crate::repository;

/// With the first line and the last, an answer of ten lines at the most; `-v` says everything.
const EVENTS_SHOWN: usize = 8;

pub(super) async fn run(global: &Global, argument: &RunArgument, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, argument.run.as_deref()).await?;
    let view = client.why(&run).await?;
    if out.json {
        out.json(&view);
        return Ok(ExitCode::Done);
    }
    let because = if view.because.is_empty() { String::new() } else { format!(": {}", view.because) };
    let first = format!("{run}   {}{because}", words::status_word(view.status));
    let last = view.events.last().map(|event| event.seq);
    let shown = |event: &&EventView| out.verbose || Some(event.seq) == last || !is_plumbing(&event.kind);
    let shown: Vec<&EventView> = view.events.iter().filter(shown).collect();
    let skipped = if out.verbose { 0 } else { shown.len().saturating_sub(EVENTS_SHOWN) };
    let events = shown[skipped..]
        .iter()
        .map(|event| format!("{:>6}  {}  {}", event.seq, words::clock(event.at), event.text));
    let not = (!view.not_the_cause.is_empty())
        .then(|| format!("not the cause: {}", view.not_the_cause.join(" · ")));
    match (out.verbose, out.width()) {
        (false, Some(width)) => {
            let lines = std::iter::once(first).chain(events).chain(not);
            lines.for_each(|line| out.row(words::cut(&line, width)));
        }
        _ => std::iter::once(first).chain(events).chain(not).for_each(|line| out.row(line)),
    }
    Ok(ExitCode::Done)
}

/// What only says that something is about to be done, or how: its outcome follows.
fn is_plumbing(kind: &str) -> bool {
    kind.ends_with("_started") || matches!(kind, "snapshot_taken" | "checkpoint_taken" | "commit_finished")
}
