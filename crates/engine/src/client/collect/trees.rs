//! Work trees and branches of runs.
//!
//! Those of a run that is over go where another branch has all of its work and nothing else lies in the tree. So do those of a run that
//! was removed; work of one that nobody landed is only named, unless a person gives it up.

use std::path::PathBuf;

use piton_git::Workspace;
use piton_view::Error;

use super::Work;
use crate::client::land::remains::Remains;
use crate::start::BRANCHES;

/// What stands on a branch of a run's own.
struct Found {
    name: String,
    branch: String,
    place: Option<PathBuf>,
}

pub(super) async fn collect(work: &mut Work<'_>) -> Result<(), Error> {
    if work.damaged || !work.layout.state().is_dir() {
        return Ok(());
    }
    let root = work.layout.root();
    let Ok(workspace) = Workspace::open(root, &work.layout.state()) else { return Ok(()) };
    let branches = workspace.branches_of_runs(BRANCHES, root).map_err(|error| Error::environment(&error))?;
    for (branch, place) in branches {
        let Some(name) = branch.strip_prefix(BRANCHES) else { continue };
        let found = Found { name: name.to_ascii_lowercase(), branch: branch.clone(), place };
        match work.known.iter().any(|run| found.is_of(run)) {
            true => of_run(work, &found).await?,
            false if work.gone.iter().any(|run| found.is_of(run)) => of_nobody(work, found)?,
            // Another journal may have a run for it, or a person a branch of that name.
            false => {}
        }
    }
    Ok(())
}

impl Found {
    /// Whether a run of this name would have this branch: by its whole name, or by the part of it that was made up.
    fn is_of(&self, key: &str) -> bool {
        key == self.name || key.strip_suffix(&self.name).is_some_and(|rest| rest.ends_with('-'))
    }
}

/// What a run has that is on record.
async fn of_run(work: &mut Work<'_>, found: &Found) -> Result<(), Error> {
    let runs: Vec<_> = work.entries.iter().filter(|entry| found.is_of(&entry.run_id.key())).collect();
    for entry in runs {
        let is_at_work = !entry.is_over() || work.client.driver_of(&entry.run_id).await?.is_some();
        let Some(remains) = Remains::of_run(work.client, &entry.run_id).await? else { continue };
        if remains.branch() != found.branch {
            continue;
        }
        let is_fresh = remains.place().is_some_and(|place| work.is_fresh(place));
        if !is_at_work && !is_fresh && remains.is_landed() {
            return gone(work, &remains);
        }
        return Ok(());
    }
    Ok(())
}

/// What a run had that was removed.
fn of_nobody(work: &mut Work<'_>, found: Found) -> Result<(), Error> {
    let Some(remains) = Remains::of_nobody(work.layout, found.place, &found.branch)? else { return Ok(()) };
    if remains.is_landed() || work.order.given_up {
        return gone(work, &remains);
    }
    work.view.notes.push(format!(
        "the {} stay: {} not landed, of a run that was removed; --given-up removes them",
        remains.words(),
        remains.unlanded()
    ));
    Ok(())
}

fn gone(work: &mut Work<'_>, remains: &Remains) -> Result<(), Error> {
    let bytes = remains.place().map_or(0, super::bytes_of);
    if !work.order.dry_run {
        remains.remove()?;
    }
    work.collected(if remains.is_landed() { "landed" } else { "given up" }, remains.words(), bytes);
    Ok(())
}
