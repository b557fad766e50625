//! `piton night`: what happened while nobody looked. And `piton` alone: the same on one screen.

use piton_model::{ExitCode, Timestamp};
use piton_sys::{Clock, SystemClock};
use piton_view::words;

use crate::cli::{Global, NightArguments, help};
use crate::failure::{Failure, Result};
use crate::output::Output;
use crate::repository;

pub(super) async fn run(global: &Global, arguments: &NightArguments, out: &Output) -> Result {
    let client = repository::open(&repository::layout(global)?)?;
    let since = arguments.since.as_deref().map(str::parse::<Timestamp>).transpose();
    let since = since.map_err(|error| Failure::usage(format!("--since: {error}")))?;
    let night = client.night(since).await?;
    match (out.json, arguments.html, out.width()) {
        (true, ..) => out.json(&night.data),
        (false, true, _) => out.bytes(night.html.as_bytes()),
        (false, false, Some(width)) => super::report::show(&night.text, width, out),
        (false, false, None) => out.bytes(night.text.as_bytes()),
    }
    if arguments.send {
        let told = client.send_morning(&night.data.morning).await?;
        out.note(format!("sent to {}", told.join(", ")));
    }
    Ok(ExitCode::Done)
}

/// The morning on one screen; the first page where there are no runs.
pub(super) async fn morning(global: &Global, out: &Output) -> Result {
    let client = match repository::layout(global) {
        Ok(layout) => repository::open_existing(&layout)?,
        Err(_) => None,
    };
    let Some(client) = client else { help::without_a_command() };
    let Some(morning) = client.morning(None).await? else { help::without_a_command() };
    match out.json {
        true => out.json(&morning),
        false => words::night::morning(&morning, SystemClock.now()).iter().for_each(|line| out.line(line)),
    }
    Ok(ExitCode::Done)
}
