//! Taking a run's files away, and naming the files that are piton's own. Only what proves itself ours.

use std::path::{Path, PathBuf};

use piton_model::RunId;
use piton_sys::file::{self, Error};

use super::backup::our_backups;
use super::place::{backups, home, look_for_ours, loops, main_file, side_file};
use crate::place::{Alone, check};

/// Removes every file of this run that is ours, backups included, and directories that are empty then.
///
/// Returns what was removed.
pub fn remove(root: &Path, run: &RunId) -> Result<Vec<PathBuf>, Error> {
    if home(root).symlink_metadata().is_err() {
        return Ok(Vec::new());
    }
    check(&home(root))?;
    let _alone = Alone::in_directory(&home(root))?;
    let mut removed = Vec::new();
    let mut paths = views(root);
    if check(&backups(root)).is_ok() {
        paths.extend(our_backups(&backups(root)));
    }
    for path in paths {
        let is_of_run = look_for_ours(&path).is_some_and(|ours| ours.is_of(run.as_str()));
        if is_of_run && file::remove_file_if_exists(&path)? {
            removed.push(path);
        }
    }
    for directory in [loops(root).join(run.as_str()), loops(root), backups(root)] {
        // Only an empty directory goes; anything in it is a reason to stay, not an error.
        let _ = std::fs::remove_dir(directory);
    }
    file::sync_dir(&home(root))?;
    Ok(removed)
}

/// The exact files that piton renders here, relative to `root`: what a snapshot of the tree leaves out.
///
/// The places of this run, whether or not there is a file yet, and every view of any run that is ours. Backups are
/// listed where they are made, each with its digest.
pub fn rendered_paths(root: &Path, run: &RunId) -> Vec<PathBuf> {
    let mut paths = vec![main_file(root), side_file(root, run.as_str())];
    if check(&home(root)).is_ok() {
        paths.extend(views(root));
    }
    let mut relative: Vec<_> =
        paths.iter().map(|path| path.strip_prefix(root).unwrap_or(path).to_owned()).collect();
    relative.sort();
    relative.dedup();
    relative
}

/// Every view in the directory that is ours.
fn views(root: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = vec![main_file(root)];
    if check(&loops(root)).is_ok() {
        let runs = std::fs::read_dir(loops(root)).into_iter().flatten().flatten();
        let runs = runs.filter(|run| run.file_type().is_ok_and(|kind| kind.is_dir()));
        paths.extend(runs.map(|run| run.path().join("state.json")));
    }
    paths.retain(|path| look_for_ours(path).is_some());
    paths.sort();
    paths
}
