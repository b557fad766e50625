//! `piton output`: what the agent printed, readable, or with `--raw` as it was.

use std::time::Duration;

use piton_model::ExitCode;

use crate::cli::{Global, OutputArguments};
use crate::failure::Result;
use crate::output::Output;
use crate::repository;

/// How long something new is waited for at a time.
const LOOK_EVERY: Duration = Duration::from_secs(1);

pub(super) async fn run(global: &Global, arguments: &OutputArguments, out: &Output) -> Result {
    let (client, run) = repository::open_run(global, arguments.run.run.as_deref()).await?;
    let mut printed = client.output(&run, arguments.attempt.as_deref(), arguments.raw).await?;
    let wait = if arguments.follow { LOOK_EVERY } else { Duration::ZERO };
    while let Some(piece) = printed.next(wait).await? {
        if piece.is_empty() && !arguments.follow {
            break;
        }
        out.bytes(&piece);
    }
    Ok(ExitCode::Done)
}
