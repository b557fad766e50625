//! Bringing runs back from a backup or a replica, with their snapshots.

use piton_git::Workspace;
use piton_model::RunId;
use piton_store::Store;
use piton_sys::file;
use piton_vault::Spool;
use piton_vault::restore::{Beside, Restored, Until, epoch_floor, restore_snapshots};
use piton_view::{BackupRestored, Error, RestoreOrder, RunRestored};

use super::choose::choose;
use super::{Scratch, failed, parse};
use crate::client::{ClientError, LocalClient, resolve};
use crate::keys;
use crate::layout::Layout;

/// Brings runs back.
pub(in crate::client) async fn restore(
    client: &LocalClient,
    order: RestoreOrder,
) -> Result<BackupRestored, Error> {
    if order.to_seq.is_some() && order.run.is_none() {
        return Err(Error::usage("an event is one of a run").hint("name it with --run"));
    }
    let layout = client.layout();
    let target = parse(layout, &order.from)?;
    let (chosen, before) = choose(&*target, order.backup.as_deref(), order.run.as_deref()).await?;
    file::create_private_dir(&layout.state()).map_err(|error| Error::environment(&error))?;
    // Appends come back as they were kept, so their keys come first.
    if let Some(journal) = chosen.journal() {
        let records = target.keys_of(journal).await.map_err(failed)?;
        keys::ring(layout).keep(&records).map_err(keys::failed)?;
    }
    let scratch = Scratch::new(layout)?;
    let fetched = chosen.fetch(&*target, &scratch.path().join("fetched")).await;
    let (spool, broken) = fetched.map_err(|error| or_before(error, before.as_deref(), &order.from))?;
    let held: Vec<RunId> = spool.manifest.runs.iter().map(|held| held.run_id.clone()).collect();
    let wanted = match &order.run {
        // A whole name means that run, whatever others begin like it.
        Some(text) => match held.iter().find(|run| run.as_str() == text) {
            Some(run) => vec![run.clone()],
            None => vec![resolve::named(&held, text)?],
        },
        // Oldest first, so that they are listed in the order in which they were begun.
        None => held.into_iter().rev().collect(),
    };
    let until = match (order.to_seq, order.to_time) {
        (Some(seq), _) => Until::Seq(seq),
        (None, Some(time)) => Until::Time(time),
        (None, None) => Until::End,
    };
    // Whatever becomes of this: what lies there is not for git.
    if let Ok(workspace) = Workspace::open(layout.root(), &layout.state()) {
        let _ = workspace.protect_state();
    }
    let store = client.store()?;
    let floor = epoch_floor(spool.epoch_max().max(store.epoch_max().await.map_err(ClientError::from)?));
    let mut runs = Vec::new();
    for run in wanted {
        let restored = match piton_vault::restore(&spool, &**store, &run, until, floor).await {
            // Of all runs, those that were there at the time.
            Err(piton_vault::Error::NotHeld { .. }) if order.run.is_none() => continue,
            restored => restored.map_err(failed)?,
        };
        let (seq, differs) = match restored {
            Restored::Whole(head) | Restored::Refilled(head) => (Some(head.seq), None),
            Restored::Kept(beside) => (None, differs(beside)),
        };
        runs.push(RunRestored { run_id: run, seq, snapshots: false, differs });
    }
    if runs.is_empty() && until != Until::End {
        let when = order.to_time.map_or_else(String::new, |time| format!(" up to {time}"));
        return Err(Error::usage(format!("the backup holds nothing{when}")).hint("run `piton backup list`"));
    }
    bring_snapshots(layout, &**store, &spool, &mut runs).await?;
    Ok(BackupRestored { backup: spool.manifest.name.clone(), runs, broken })
}

/// What a run that stays as it is lacks of what was to be restored.
fn differs(beside: Beside) -> Option<String> {
    match beside {
        Beside::Whole => None,
        Beside::Shorter(here, there) => Some(format!(
            "it ends at event {here} here, and the backup has {} more after that",
            piton_view::words::count(there - here, "event")
        )),
        Beside::Another => {
            Some("it is another run, or has another history, than the one in the backup".to_owned())
        }
    }
}

/// That a backup cannot be read, and which one can.
pub(super) fn or_before(error: piton_vault::Error, before: Option<&str>, from: &str) -> Error {
    let is_there = error.is_damage() || error.is_locked();
    let said = failed(error);
    match before.filter(|_| is_there) {
        Some(before) => said.hint(format!(
            "`piton backup restore {from} --backup {before}` takes the newest before it that can be read"
        )),
        None => said,
    }
}

/// The snapshots of the runs that came back, and of those that came back before, where a restore ended in between.
async fn bring_snapshots(
    layout: &Layout,
    store: &dyn Store,
    spool: &Spool,
    runs: &mut [RunRestored],
) -> Result<(), Error> {
    let has = |run: &&RunRestored| spool.manifest.tips.contains_key(&run.run_id);
    if !runs.iter().any(|run| has(&run)) {
        return Ok(());
    }
    let workspace =
        Workspace::open(layout.root(), &layout.state()).map_err(|error| Error::environment(&error))?;
    let mut with = Vec::new();
    for run in runs.iter().filter(has) {
        let tip = workspace.tip(run.run_id.as_str()).map_err(|error| Error::environment(&error))?;
        // What git has lost of them comes back as well. What was taken since may hide that.
        let there = spool.manifest.tips.get(&run.run_id).into_iter();
        let mut there = there.chain(spool.manifest.tips_lost.get(&run.run_id).into_iter().flatten());
        let is_hidden = there.any(|there| !workspace.has(there));
        let is_without = is_hidden || tip.is_none_or(|tip| workspace.check_complete(&tip).is_err());
        if run.seq.is_some() || is_without && is_held_run(store, spool, &run.run_id).await? {
            with.push(run.run_id.clone());
        }
    }
    if with.is_empty() {
        return Ok(());
    }
    workspace.protect_state().map_err(|error| Error::environment(&error))?;
    restore_snapshots(spool, &workspace, &with).map_err(failed)?;
    runs.iter_mut().filter(|run| with.contains(&run.run_id)).for_each(|run| run.snapshots = true);
    Ok(())
}

/// Whether the run that is here is the one of the backup, or what became of it since.
async fn is_held_run(store: &dyn Store, spool: &Spool, run: &RunId) -> Result<bool, Error> {
    let Some(head) = spool.head(run) else { return Ok(false) };
    match store.ship(run, head, 1).await {
        Ok(_) => Ok(true),
        Err(piton_store::Error::Diverged { .. } | piton_store::Error::UnknownRun { .. }) => Ok(false),
        Err(error) => Err(ClientError::from(error).into()),
    }
}
