//! Putting a view where it belongs, and never in the way of anything else.
//!
//! The files of the iterations come first, then the state that names them, then the registry: a crash leaves a state
//! that names only what is there. What piton did not write is moved aside; a newer view of the same run is left, and
//! then nothing is touched.

use std::path::{Path, PathBuf};

use piton_model::RunId;
use piton_sys::fault;
use piton_sys::file::{self, Durability, Error};

use super::history::{History, Iteration};
use super::identity::loop_id;
use super::place::{
    home, iteration_file, iteration_number, iterations, look, look_for_ours, loop_directory, loops,
    state_file, sweep, top,
};
use super::registry::{self, Registered};
use super::render::View;
use crate::aside::{Quarantined, quarantine};
use crate::place::{Alone, Found, Order, Wrote, check, enter};

/// More files than this at a time are not synced one by one. A power cut may leave such a file empty; the next start
/// writes it again.
const SYNCED_MAX: usize = 32;

/// What became of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The run's state file.
    pub path: PathBuf,
    /// Whether it was written.
    pub wrote: Wrote,
    /// How many files of iterations were written.
    pub iterations: usize,
    /// Files that piton did not write and moved out of its way: to be told to a person.
    pub quarantined: Vec<Quarantined>,
    /// What became of the run's entry in the registry; nothing where a newer view was left.
    pub registered: Option<Registered>,
}

/// Which iterations of a history are known to be on disk. Nothing is at first: then each file is looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written {
    revision: Option<u64>,
}

/// Puts the view at its place in the repository at `root`, by the rules of this module.
pub fn publish(
    root: &Path,
    view: &View,
    history: &History,
    written: &mut Written,
) -> Result<Published, Error> {
    put(root, view, history, written, Order::Forward)
}

/// The same, also in the place of a newer view of the same run, and without iterations that the journal does not have:
/// after it was restored to an earlier point, what the journal says is right.
pub fn rebuild(root: &Path, view: &View, history: &History) -> Result<Published, Error> {
    put(root, view, history, &mut Written::default(), Order::Any)
}

/// Where the run's state is, if it has one that is ours.
pub fn published_path(root: &Path, run: &RunId) -> Option<PathBuf> {
    check(&home(root)).ok()?;
    let path = state_file(root, &loop_id(run));
    look_for_ours(&path)?.is_of(run).then_some(path)
}

fn put(
    root: &Path,
    view: &View,
    history: &History,
    written: &mut Written,
    order: Order,
) -> Result<Published, Error> {
    let (home, directory) = (home(root), loop_directory(root, &view.loop_id));
    enter(&top(root))?;
    enter(&home)?;
    let alone = Alone::in_directory(&home)?;
    for directory in [&loops(root), &directory, &iterations(root, &view.loop_id)] {
        enter(directory)?;
    }
    sweep(&alone, &home)?;
    sweep(&alone, &directory)?;
    let path = state_file(root, &view.loop_id);
    let mut quarantined = Vec::new();
    let (found, on_disk) = look(&path)?;
    let is_foreign = match found {
        Found::Ours(ours) if ours.is_of(&view.run) => {
            if order == Order::Forward && ours.seq > view.seq {
                let wrote = Wrote::NewerThere;
                return Ok(Published { path, wrote, iterations: 0, quarantined, registered: None });
            }
            false
        }
        Found::Nothing => false,
        Found::Foreign | Found::Ours(_) => true,
    };
    if written.revision.is_none() {
        sweep(&alone, &iterations(root, &view.loop_id))?;
    }
    let iterations = put_iterations(root, view, history, *written, &mut quarantined)?;
    if order == Order::Any {
        remove_later(root, view, history)?;
    }
    written.revision = Some(history.revision());
    let wrote = if on_disk == view.bytes { Wrote::Unchanged } else { Wrote::Yes };
    if is_foreign {
        quarantined.push(quarantine(root, &path, view.at)?);
        fault::point("files.publish.aside");
    }
    if wrote == Wrote::Yes {
        fault::point("files.publish.write");
        file::write_atomic(&path, &view.bytes, Durability::Synced)?;
    }
    let registered = Some(registry::register(root, view)?);
    Ok(Published { path, wrote, iterations, quarantined, registered })
}

/// Writes the files of iterations that are not on disk as they should be. How many.
fn put_iterations(
    root: &Path,
    view: &View,
    history: &History,
    written: Written,
    quarantined: &mut Vec<Quarantined>,
) -> Result<usize, Error> {
    let changed: Vec<_> = history.changed_since(written.revision.unwrap_or(0)).collect();
    let durability = if changed.len() > SYNCED_MAX { Durability::Unsynced } else { Durability::Synced };
    let mut count = 0;
    for iteration in changed {
        count += usize::from(put_iteration(root, view, iteration, durability, quarantined)?);
    }
    if count > 0 && durability == Durability::Unsynced {
        file::sync_dir(&iterations(root, &view.loop_id))?;
    }
    Ok(count)
}

fn put_iteration(
    root: &Path,
    view: &View,
    iteration: &Iteration,
    durability: Durability,
    quarantined: &mut Vec<Quarantined>,
) -> Result<bool, Error> {
    let path = iteration_file(root, &view.loop_id, iteration.number);
    let bytes = iteration.file(&view.loop_id, view.run.as_str());
    let (found, on_disk) = look(&path)?;
    if on_disk == bytes {
        return Ok(false);
    }
    match found {
        Found::Nothing => {}
        Found::Ours(ours) if ours.is_of(&view.run) => {}
        // Nothing is lost with an empty file, and a power cut may have left one.
        Found::Foreign if on_disk.is_empty() => {}
        Found::Foreign | Found::Ours(_) => {
            quarantined.push(quarantine(root, &path, view.at)?);
            fault::point("files.publish.aside");
        }
    }
    fault::point("files.publish.write");
    file::write_atomic(&path, &bytes, durability)?;
    Ok(true)
}

/// Removes our own files of iterations that the journal does not have.
fn remove_later(root: &Path, view: &View, history: &History) -> Result<(), Error> {
    for (number, path) in iteration_files(root, &view.loop_id) {
        let is_later = history.find(number).is_none();
        if is_later && look_for_ours(&path).is_some_and(|ours| ours.is_of(&view.run)) {
            file::remove_file_if_exists(&path)?;
        }
    }
    Ok(())
}

/// The files of a loop's iterations, ours or not.
pub(super) fn iteration_files(root: &Path, loop_id: &str) -> Vec<(u32, PathBuf)> {
    let entries = std::fs::read_dir(iterations(root, loop_id)).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries
        .filter_map(|entry| Some((iteration_number(entry.file_name().to_str()?)?, entry.path())))
        .collect();
    found.sort();
    found
}
