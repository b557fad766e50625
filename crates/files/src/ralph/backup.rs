//! Our own files of finished runs become backups, so that another run finds its place free.
//!
//! A rename to a name that nothing has: a crash leaves the file at the one place or the other.

use std::path::{Path, PathBuf};

use piton_model::{RunId, Timestamp};
use piton_sys::file::{self, Durability, Error};

use super::owner::to_bytes;
use super::place::{backups, look_for_ours};
use super::publish::published_path;
use crate::aside::{move_to_free_name, stamp};
use crate::place::enter;

/// Backups of ours that are kept.
const BACKUPS_MAX: usize = 10;

/// Where the files of finished runs are moved, as a pattern below the root.
pub const FINISHED: &str = ".ralph/backups/state_*.json";

/// Moves our own file of a finished run, saved `at`, to `backups/state_<time>[-n].json`.
///
/// Room is made first: whatever happens in between, there are never more than [`BACKUPS_MAX`].
pub(super) fn back_up(root: &Path, path: &Path, at: Timestamp) -> Result<PathBuf, Error> {
    let directory = backups(root);
    enter(&directory)?;
    rotate(&directory, BACKUPS_MAX - 1)?;
    let to = move_to_free_name(root, path, &directory, &format!("state_{}", stamp(at, "_", "")), ".json")?;
    file::sync_dir(&directory)?;
    file::sync_dir(path.parent().unwrap_or(root))?;
    Ok(to)
}

/// Copies the file of a run that goes on to the backups. Returns where to; nothing where there is no file.
pub fn keep_copy(root: &Path, run: &RunId) -> Result<Option<PathBuf>, Error> {
    let Some(path) = published_path(root, run) else { return Ok(None) };
    let Some(ours) = look_for_ours(&path) else { return Ok(None) };
    let directory = backups(root);
    enter(&directory)?;
    rotate(&directory, BACKUPS_MAX - 1)?;
    let copy = directory.join(format!(".copy-{run}"));
    file::write_atomic(&copy, &to_bytes(&ours.view), Durability::Synced)?;
    let stem = format!("state_{}", stamp(ours.view.saved_at, "_", ""));
    let to = move_to_free_name(root, &copy, &directory, &stem, ".json")?;
    file::sync_dir(&directory)?;
    Ok(Some(to))
}

/// The backups that are ours, oldest first.
pub(super) fn our_backups(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut found: Vec<_> = entries
        .flatten()
        .filter_map(|entry| {
            let number = backup_number(entry.file_name().to_str()?)?;
            let ours = look_for_ours(&entry.path())?;
            Some((ours.view.saved_at, number, entry.path()))
        })
        .collect();
    found.sort();
    found.into_iter().map(|(_, _, path)| path).collect()
}

/// Lets go of copies beyond the newest so many. There are never more than ten.
pub fn keep_newest(root: &Path, count: usize) -> Result<(), Error> {
    rotate(&backups(root), count)
}

/// Removes the oldest of our own, until `keep` are left. Foreign files there are none of our business.
fn rotate(directory: &Path, keep: usize) -> Result<(), Error> {
    let ours = our_backups(directory);
    for path in &ours[..ours.len().saturating_sub(keep)] {
        file::remove_file_if_exists(path)?;
    }
    Ok(())
}

/// The `n` of `state_<time>-n.json`, 0 without one; `None` for any other name.
fn backup_number(name: &str) -> Option<u32> {
    let rest = name.strip_prefix("state_")?.strip_suffix(".json")?;
    match rest.split_once('-') {
        Some((_, number)) => number.parse().ok(),
        None => Some(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_backups_are_numbers() {
        assert_eq!(backup_number("state_20260215_120320.json"), Some(0));
        assert_eq!(backup_number("state_20260215_120320-12.json"), Some(12));
        for name in ["state_20260215_120320-x.json", "state.json", "state_1.json.gz", "notes.md"] {
            assert_eq!(backup_number(name), None, "{name}");
        }
    }
}
