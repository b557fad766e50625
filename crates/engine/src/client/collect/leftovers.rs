//! What runs left that are gone, and what a process left that died.
//!
//! A name that nobody knows is not enough: a run that is about to begin has none yet, so what was changed a moment ago stays; and
//! where the journal is damaged, traces say what it held, so then only those of runs that were removed go. A ref of git may
//! belong to a journal in another work tree of the repository: only those of runs that were removed from this one go, and none
//! that another journal has a run for.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use piton_git::Workspace;
use piton_model::RunId;
use piton_store::Url;
use piton_sys::file;
use piton_sys::lock::FileLock;
use piton_view::Error;

use super::Work;
use crate::client::{repair, vault};

/// Where runs leave something under their name, beside the journal: a directory or file for each, with an ending or none.
const PLACES: [(&str, &str); 5] = [
    ("attempts", "attempts"),
    ("index", "index"),
    ("told", "told"),
    ("drivers", "driver log"),
    ("leases", "lease"),
];

/// What ends the name of a file that was being written when its writer died.
const HALF_WRITTEN: &str = ".tmp";

pub(super) async fn collect(work: &mut Work<'_>) -> Result<(), Error> {
    of_runs_that_are_gone(work)?;
    refs(work).await?;
    half_written(work)?;
    scratch(work)?;
    put_aside(work)?;
    work_trees(work)
}

/// What lies under the name of a run that is not there.
fn of_runs_that_are_gone(work: &mut Work<'_>) -> Result<(), Error> {
    let state = work.layout.state();
    for (place, what) in PLACES {
        for path in entries(&state.join(place)) {
            let Some(run) = run_of(&path) else { continue };
            if !work.is_nobodys(&run) || work.is_fresh(&path) || lives(&path, place) {
                continue;
            }
            work.remove(what, &state, &path)?;
        }
    }
    Ok(())
}

/// Whether something is at work there.
fn lives(path: &Path, place: &str) -> bool {
    match place {
        "attempts" => entries(path).iter().any(|attempt| {
            let name = attempt.file_name().unwrap_or_default().to_string_lossy().into_owned();
            matches!(piton_agent::look(path, &name), Ok(piton_agent::Found::Alive { .. }))
        }),
        "leases" => FileLock::is_held(path).unwrap_or(true),
        _ => false,
    }
}

/// Snapshots of runs that were removed, where a removal was killed before it could do so.
async fn refs(work: &mut Work<'_>) -> Result<(), Error> {
    if work.gone.is_empty() || !work.layout.state().is_dir() {
        return Ok(());
    }
    let workspace = Workspace::open(work.layout.root(), &work.layout.state())
        .map_err(|error| Error::environment(&error))?;
    let named = workspace.runs_with_snapshots().map_err(|error| Error::environment(&error))?;
    let left: Vec<String> = named
        .into_iter()
        .filter(|run| {
            work.gone.contains(&run.to_ascii_lowercase()) && !work.known.contains(&run.to_ascii_lowercase())
        })
        .collect();
    if left.is_empty() {
        return Ok(());
    }
    let elsewhere = known_elsewhere(work, &workspace).await;
    for run in left {
        if elsewhere.contains(&run.to_ascii_lowercase()) {
            continue;
        }
        if !work.order.dry_run {
            workspace.forget(&run).map_err(|error| Error::environment(&error))?;
        }
        work.collected("snapshots", format!("refs/piton/runs/{run}"), 0);
    }
    Ok(())
}

/// The runs of journals in other work trees of the repository.
async fn known_elsewhere(work: &Work<'_>, workspace: &Workspace) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    for tree in workspace.other_trees() {
        let url = Url::of_repository(&tree);
        if tree == work.layout.root() || !url.exists() {
            continue;
        }
        let Ok(Some(opened)) = piton_store::open_existing(&url) else { continue };
        if let Ok(page) = opened.store.rows(piton_store::Wanted::ALL_THERE).await {
            known.extend(page.rows.iter().map(|row| row.entry.run_id.key()));
        }
    }
    known
}

/// Files that were being written when their writer died.
fn half_written(work: &mut Work<'_>) -> Result<(), Error> {
    let state = work.layout.state();
    let mut found = Vec::new();
    let mut places = vec![state.clone()];
    places.extend(["told", "drivers", "ledgers", "anchors"].map(|name| state.join(name)));
    places.extend(entries(&state.join("blobs")));
    for place in places {
        found.extend(entries(&place).into_iter().filter(|path| is_half_written(path)));
    }
    for path in found {
        if !work.is_fresh(&path) && !path.is_dir() {
            work.remove("half-written", &state, &path)?;
        }
    }
    Ok(())
}

/// A temporary name, or a journal that never got its own.
fn is_half_written(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_hex = |text: &str| text.len() >= 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let begun = name.strip_prefix("journal.db.").map(|rest| rest.split('-').next().unwrap_or_default());
    let temporary = name.strip_suffix(HALF_WRITTEN).and_then(|name| name.rsplit('.').next());
    begun.is_some_and(is_hex) || temporary.is_some_and(is_hex)
}

/// What a backup, a restore or a repair left that was killed.
fn scratch(work: &mut Work<'_>) -> Result<(), Error> {
    let root = work.layout.state().join("scratch");
    let left: Vec<PathBuf> = entries(&root)
        .into_iter()
        .filter(|path| path.is_dir() && !FileLock::is_held(&path.with_extension("lock")).unwrap_or(true))
        .collect();
    for path in &left {
        work.collected("scratch", name_of(path), bytes_of(path));
    }
    if !left.is_empty() && !work.order.dry_run {
        // Whoever makes one takes away what others left.
        drop(vault::Scratch::new(work.layout)?);
    }
    Ok(())
}

/// Journals that a repair put aside, where a policy says how long they stay. The newest stays in any case.
fn put_aside(work: &mut Work<'_>) -> Result<(), Error> {
    let state = repair::state_of(work.layout);
    let mut aside = repair::quarantines(&state);
    aside.pop();
    let Some(since) = work.retention.aside_for_ms.map(|age_ms| work.before_now(age_ms)) else {
        return Ok(());
    };
    for path in aside {
        if file::changed_at(&path) <= since {
            work.remove("put aside", &state, &path)?;
        }
    }
    Ok(())
}

/// What git and piton keep of work trees whose directory is gone, and whose run is.
fn work_trees(work: &mut Work<'_>) -> Result<(), Error> {
    if work.damaged || !work.layout.state().is_dir() {
        return Ok(());
    }
    let Ok(workspace) = Workspace::open(work.layout.root(), &work.layout.state()) else { return Ok(()) };
    for (kept, tree) in workspace.orphaned_trees(work.layout.root()) {
        let name = tree.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // A run that is there may make it anew.
        if work
            .known
            .iter()
            .any(|run| run.ends_with(&name.rsplit('-').next().unwrap_or(&name).to_ascii_lowercase()))
        {
            continue;
        }
        if work.is_fresh(&kept) {
            continue;
        }
        let lock = work.layout.state().join("trees").join(&name).with_extension("lock");
        let parent = kept.parent().unwrap_or(&kept).to_owned();
        work.remove("work tree", &parent, &kept)?;
        if !work.order.dry_run && !FileLock::is_held(&lock).unwrap_or(true) {
            file::remove_file_if_exists(&lock).map_err(|error| Error::environment(&error))?;
        }
    }
    Ok(())
}

impl Work<'_> {
    /// Whether no run has this name, as far as that can be told.
    fn is_nobodys(&self, run: &RunId) -> bool {
        let key = run.key();
        !self.known.contains(&key) && (self.gone.contains(&key) || !self.damaged)
    }

    /// Removes a file or a directory below `root`, or says that it would.
    fn remove(&mut self, what: &'static str, root: &Path, path: &Path) -> Result<(), Error> {
        let bytes = bytes_of(path);
        if !self.order.dry_run {
            let removed = match path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
                true => file::remove_tree_within(root, path),
                false => file::remove_file_if_exists(path),
            };
            removed.map_err(|error| Error::environment(&error))?;
        }
        self.collected(what, name_of(path), bytes);
        Ok(())
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The run that a file or directory is named after: up to the first dot, which no name has.
fn run_of(path: &Path) -> Option<RunId> {
    let name = path.file_name()?.to_str()?;
    name.split('.').next()?.parse().ok()
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// What a file or a directory with everything in it takes. No link is followed.
pub(crate) fn bytes_of(path: &Path) -> u64 {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => entries(path).iter().map(|path| bytes_of(path)).sum(),
        Ok(found) => found.len(),
        Err(_) => 0,
    }
}
