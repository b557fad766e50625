//! `piton log`: events, one per line.

use std::time::Duration;

use piton_model::{ExitCode, exit_code};
use piton_view::Client;

use super::why::describe;
use crate::cli::{Global, LogArguments};
use crate::failure::Failure;
use crate::output::Output;
use crate::{render, repository};

pub(super) async fn run(
    global: &Global,
    arguments: &LogArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    let kind = client.kind(&run).await?;
    let mut from = arguments.from.max(1);
    loop {
        let wait = if arguments.follow { Duration::from_millis(500) } else { Duration::ZERO };
        let events = client.events(&run, from, wait).await?;
        for event in &events {
            from = event.seq + 1;
            if out.json {
                out.json_line(event);
            } else {
                out.line(format!("{:>6}  {}  {}", event.seq, render::clock(event.at), describe(kind, event)));
            }
        }
        if !events.is_empty() {
            continue;
        }
        let outline = client.outline(&run).await?;
        if !arguments.follow || exit_code(outline.status, outline.reason).is_some() {
            return Ok(ExitCode::Done);
        }
    }
}
