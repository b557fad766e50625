//! `piton log`: events, one per line.

use std::time::Duration;

use piton_model::ExitCode;
use piton_view::words;

use crate::cli::{Global, LogArguments};
use crate::failure::Result;
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, arguments: &LogArguments, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    let mut from = arguments.from.max(1);
    if let Some(archived) = client.status(&run).await.ok().and_then(|status| status.archived) {
        out.note(format!("{run} is {}", archived.words()));
    }
    loop {
        let wait = if arguments.follow { Duration::from_millis(500) } else { Duration::ZERO };
        let events = client.events(&run, from, wait).await?;
        for event in &events {
            from = event.seq + 1;
            if out.json {
                out.json_line(event);
            } else {
                out.row(format!("{:>6}  {}  {}", event.seq, words::clock(event.at), event.text));
            }
        }
        if !events.is_empty() {
            continue;
        }
        if !arguments.follow || client.status(&run).await?.entry().is_at_rest() {
            return Ok(ExitCode::Done);
        }
    }
}
