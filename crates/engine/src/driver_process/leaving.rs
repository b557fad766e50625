//! Drivers that leave: a run that rests, or a process that was killed, keeps its locks for a moment longer.

use std::path::Path;
use std::time::Duration;

use piton_agent::Found;
use piton_model::loop_machine::Worktree;
use piton_model::{Kind, RunId};
use piton_store::Holder;
use piton_sys::lock::FileLock;
use piton_sys::process::is_alive;
use piton_sys::{Clock, SystemClock};
use piton_view::{Error, ErrorKind, StateOf};

use super::LOOK_EVERY;
use crate::client::LocalClient;
use crate::layout::Layout;

/// How long a driver may take to leave once its run rests.
const LEAVE_WITHIN: Duration = Duration::from_secs(5);

/// How long another start may take.
const START_WITHIN: Duration = Duration::from_secs(30);

/// A driver whose run rests, or that was killed, holds the lease for a moment longer. Returns when it is gone;
/// leaves alone what is under way.
pub(crate) async fn settled(client: &LocalClient, run: &RunId) -> Result<(), Error> {
    let started = SystemClock.monotonic();
    loop {
        let present = match client.driver_of(run).await? {
            None => return Ok(()),
            Some(holder) => is_at_work(client, run, &holder).await?,
        };
        if present || SystemClock.monotonic() - started > LEAVE_WITHIN {
            return Ok(());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Lets one start at a time look whether the tree is free, put its run on record and start a driver: until this is dropped. One that
/// takes too long is not waited for; its driver has the tree, or never gets it.
pub(crate) async fn alone_to_start(layout: &Layout) -> Result<Option<FileLock>, Error> {
    let started = SystemClock.monotonic();
    loop {
        let lock = layout.lock_start()?;
        if lock.is_some() || SystemClock.monotonic() - started > START_WITHIN {
            return Ok(lock);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Waits for the lock of this work tree as long as only drivers that are leaving hold it. Otherwise: the runs
/// that work here.
pub(crate) async fn tree_free(
    client: &LocalClient,
    layout: &Layout,
) -> Result<Result<(), Vec<RunId>>, Error> {
    let started = SystemClock.monotonic();
    loop {
        if !layout.is_tree_held()? {
            return Ok(Ok(()));
        }
        let mut busy = Vec::new();
        for run in client.entries().await? {
            let holder = LocalClient::unless_damaged(client.driver_of(&run.run_id).await)?;
            if let Some(holder) = holder.flatten()
                && is_at_work(client, &run.run_id, &holder).await?
            {
                busy.push(run.run_id);
            }
        }
        if !busy.is_empty() || SystemClock.monotonic() - started > LEAVE_WITHIN {
            return Ok(Err(busy));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// The runs but `run` of which something works in this tree, whether anybody drives them or not: keepers outlive drivers.
pub(crate) async fn at_work_in(
    client: &LocalClient,
    worktree: Option<&Worktree>,
    run: &RunId,
) -> Result<Vec<RunId>, Error> {
    let mut busy = Vec::new();
    for entry in client.entries().await? {
        let may_work = entry.is_under_way() && matches!(entry.kind, Kind::Loop | Kind::Cycle);
        if entry.run_id == *run || !may_work || !has_keeper(&client.layout().attempts(&entry.run_id)) {
            continue;
        }
        let loaded = LocalClient::unless_damaged(client.load_any(&entry.run_id, None).await)?;
        let own = match loaded.map(|loaded| loaded.state) {
            Some(StateOf::Loop(state)) => state.config.worktree,
            Some(StateOf::Cycle(state)) => state.config.worktree.clone(),
            _ => continue,
        };
        if own.map(|own| own.path) == worktree.map(|worktree| worktree.path.clone()) {
            busy.push(entry.run_id);
        }
    }
    Ok(busy)
}

/// Whether something lives whose directory is there.
fn has_keeper(attempts: &Path) -> bool {
    let entries = std::fs::read_dir(attempts).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| {
        let name = entry.file_name();
        let found = name.to_str().map(|name| piton_agent::look(attempts, name));
        matches!(found, Some(Ok(Found::Alive { .. })))
    })
}

/// What is said where others work in a tree.
pub(crate) fn taken(busy: &[RunId]) -> Error {
    Error::new(ErrorKind::Held, "another run works in this tree")
        .hint("run `piton ls`; wait for it with `piton wait`, or stop it with `piton stop`")
        .details(busy.iter().map(ToString::to_string).collect())
}

/// Whether who holds the lease of `run` does something with it: the run does not rest, and a process that was
/// killed only keeps its locks until the last of its threads is gone.
async fn is_at_work(client: &LocalClient, run: &RunId, holder: &Holder) -> Result<bool, Error> {
    let killed = holder.host == piton_sys::process::host_id() && !is_alive(&holder.process);
    Ok(!killed && !client.entry(run).await?.is_at_rest())
}
