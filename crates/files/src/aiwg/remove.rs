//! Taking a run's files away, and naming the files that are piton's own. Only what proves itself ours.

use std::path::{Path, PathBuf};

use piton_model::RunId;
use piton_sys::file::{self, Error};
use piton_sys::{Clock, SystemClock};

use super::identity::loop_id;
use super::place::{
    home, iterations, look_for_ours, loop_directory, loops, registry, registry_lock, state_file, top,
};
use super::publish::iteration_files;
use super::registry::forget;
use crate::place::{Alone, check};

/// Removes every file of this run that is ours, its entry in the registry, and directories that are empty then.
///
/// Returns what was removed. An entry that cannot be removed because another tool writes the registry goes with the
/// next view that is published.
pub fn remove(root: &Path, run: &RunId) -> Result<Vec<PathBuf>, Error> {
    if home(root).symlink_metadata().is_err() {
        return Ok(Vec::new());
    }
    for directory in [top(root), home(root)] {
        check(&directory)?;
    }
    let _alone = Alone::in_directory(&home(root))?;
    let id = loop_id(run);
    let mut removed = Vec::new();
    let is_safe = [loops(root), loop_directory(root, &id)].iter().all(|directory| check(directory).is_ok());
    if is_safe {
        let mut paths = vec![state_file(root, &id)];
        if check(&iterations(root, &id)).is_ok() {
            paths.extend(iteration_files(root, &id).into_iter().map(|(_, path)| path));
        }
        for path in paths {
            let is_of_run = look_for_ours(&path).is_some_and(|ours| ours.is_of(run));
            if is_of_run && file::remove_file_if_exists(&path)? {
                removed.push(path);
            }
        }
        for directory in [iterations(root, &id), loop_directory(root, &id), loops(root)] {
            // Only an empty directory goes; anything in it is a reason to stay, not an error.
            let _ = std::fs::remove_dir(directory);
        }
    }
    forget(root, run, SystemClock.now())?;
    file::sync_dir(&home(root))?;
    Ok(removed)
}

/// What piton renders here, relative to `root`: what a snapshot of the tree leaves out.
///
/// The state of this run and of every other run that is ours, the directory of the iterations of each, the registry and
/// its lock.
pub fn rendered_paths(root: &Path, run: &RunId) -> Vec<PathBuf> {
    let mut ids = vec![loop_id(run)];
    if [top(root), home(root), loops(root)].iter().all(|directory| check(directory).is_ok()) {
        let entries = std::fs::read_dir(loops(root)).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        ids.extend(names.filter(|id| look_for_ours(&state_file(root, id)).is_some()));
    }
    let of_loops = ids.iter().flat_map(|id| [state_file(root, id), iterations(root, id)]);
    let mut paths: Vec<_> = of_loops.chain([registry(root), registry_lock(root)]).collect();
    paths.sort();
    paths.dedup();
    paths.iter().map(|path| path.strip_prefix(root).unwrap_or(path).to_owned()).collect()
}
