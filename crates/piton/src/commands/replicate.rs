//! `piton replicate`: ship what the journal gets, and prove that it can be restored.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use piton_model::ExitCode;
use piton_sys::{Clock, SystemClock};
use piton_view::{ReplicaMoment, ReplicaUpdate, ReplicaView, ReplicateOrder, words};

use super::backup::absolute;
use crate::cli::{Global, ReplicateArguments};
use crate::failure::{Failure, Result};
use crate::output::{Output, clean_line};
use crate::repository;

pub(super) async fn run(global: &Global, arguments: &ReplicateArguments, out: &Output) -> Result {
    let client = repository::open(&repository::layout(global)?)?;
    let order = ReplicateOrder {
        to: arguments.url.as_deref().map(absolute).transpose()?,
        once: arguments.once,
        prove: arguments.prove,
        while_driven: arguments.while_driven,
        ..ReplicateOrder::default()
    };
    let stop = Arc::clone(&order.stop);
    let mut interrupts = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())
        .map_err(|error| Failure::environment(&error))?;
    let mut ends = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
        .map_err(|error| Failure::environment(&error))?;
    let mut tell = |update: &ReplicaUpdate| told(update, out);
    let mut work = client.replicate(order, &mut tell);
    let replica = loop {
        tokio::select! {
            replica = &mut work => break replica,
            // What is being put is finished.
            _ = interrupts.recv() => stop.store(true, Ordering::SeqCst),
            _ = ends.recv() => stop.store(true, Ordering::SeqCst),
        }
    };
    out.transient("");
    let replica = replica?;
    if !out.json && !arguments.while_driven {
        out.line(clean_line(&words::replica(&replica, SystemClock.now())));
    }
    Ok(if stop.load(Ordering::SeqCst) { ExitCode::Interrupted } else { ExitCode::Done })
}

/// One step: a line that stays where somebody should know of it, else one that the next replaces.
fn told(update: &ReplicaUpdate, out: &Output) {
    if out.json {
        return out.json_line(update);
    }
    let what = update.words.as_deref().unwrap_or_default();
    let stays = match update.what {
        ReplicaMoment::Shipped | ReplicaMoment::Tidied | ReplicaMoment::Proven => None,
        ReplicaMoment::Beside => {
            Some(format!("warning: {what}; another replica is begun beside it, nothing is merged"))
        }
        ReplicaMoment::Damaged => Some(format!("warning: it is damaged here, and not shipped: {what}")),
        ReplicaMoment::Trouble => Some(format!("{what}; it is tried again")),
        ReplicaMoment::Recovered => Some("the target is there again".to_owned()),
    };
    out.transient("");
    if let Some(words) = stays {
        out.note(clean_line(&words));
    }
    out.transient(&clean_line(&line_of(update, &update.replica)));
}

fn line_of(update: &ReplicaUpdate, replica: &ReplicaView) -> String {
    let state = words::replica(replica, SystemClock.now());
    match (update.events, update.bytes) {
        (Some(events), Some(bytes)) => {
            format!("{state} · +{} in {}", words::count(events, "event"), words::bytes(bytes))
        }
        _ => state,
    }
}
