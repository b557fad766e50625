//! `piton show`: the whole state, now or then.

use std::time::Duration;

use piton_engine::LocalClient;
use piton_model::{ExitCode, Kind, RunId, Seq, workflow};
use piton_view::Client;

use crate::cli::{Global, ShowArguments};
use crate::failure::Failure;
use crate::output::Output;
use crate::repository;

pub(super) async fn run(
    global: &Global,
    arguments: &ShowArguments,
    out: &Output,
) -> Result<ExitCode, Failure> {
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    let at = match arguments.iteration {
        Some(iteration) => Some(end_of_iteration(&client, &run, iteration).await?),
        None => arguments.at,
    };
    if at == Some(0) {
        return Err(Failure::usage("the first event is 1"));
    }
    let head = client.store().row(&run).await?.head.seq;
    if let Some(at) = at.filter(|at| *at > head) {
        return Err(Failure::usage(format!("run `{run}` has no event {at}, its last is {head}"))
            .hint(format!("run `piton log {run}`")));
    }
    // The state is a document in either case; people and programs read the same.
    match client.kind(&run).await? {
        Kind::Workflow => out.json(&client.show_as::<workflow::State>(&run, at).await?),
        Kind::Loop | Kind::Ledger => out.json(&client.show(&run, at).await?),
    }
    Ok(ExitCode::Done)
}

/// The last event before the next iteration's attempt.
async fn end_of_iteration(client: &LocalClient, run: &RunId, iteration: u32) -> Result<Seq, Failure> {
    let mut last = None;
    let mut from = 1;
    loop {
        let events = client.events(run, from, Duration::ZERO).await?;
        let Some(end) = events.last().map(|event| event.seq) else { break };
        for event in events {
            let begins = (event.kind == "attempt_started")
                .then(|| event.data["attempt"]["iteration"].as_u64())
                .flatten();
            match begins {
                Some(number) if number > u64::from(iteration) => return Ok(event.seq - 1),
                Some(number) if number == u64::from(iteration) => last = Some(event.seq),
                _ if last.is_some() => last = Some(event.seq),
                _ => {}
            }
        }
        from = end + 1;
    }
    last.ok_or_else(|| {
        Failure::usage(format!("run `{run}` has no iteration {iteration}"))
            .hint(format!("run `piton status {run}`"))
    })
}
