//! Making room: foreign files are quarantined, our own files of finished runs become backups.
//!
//! Both are a rename to a name that nothing has, so a crash leaves the file at the one place or the other.
//! Names come from the time of the run, not from a clock.

use std::path::{Path, PathBuf};

use piton_model::Timestamp;
use piton_sys::file::{self, Error};

use super::place::{backups, enter, look_for_ours};

/// Backups of ours that are kept.
const BACKUPS_MAX: usize = 10;

/// A file that piton did not write and moved out of its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    /// Where it was, relative to the repository.
    pub from: PathBuf,
    /// Where it is now, relative to the repository.
    pub to: PathBuf,
}

impl Quarantined {
    /// The command that adopts it.
    pub fn command(&self) -> String {
        format!("piton import {}", self.to.display())
    }
}

impl std::fmt::Display for Quarantined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (from, to) = (self.from.display(), self.to.display());
        write!(
            f,
            "`{from}` was not written by piton or was edited since; it is now `{to}`. To adopt it: {}",
            self.command()
        )
    }
}

/// Moves a foreign file to `<name>.foreign-<time>[-n]` beside it.
pub(super) fn quarantine(root: &Path, path: &Path, at: Timestamp) -> Result<Quarantined, Error> {
    let stem =
        format!("{}.foreign-{}", path.file_name().unwrap_or_default().to_string_lossy(), stamp(at, "T", "Z"));
    let directory = path.parent().unwrap_or(root);
    let to = move_to_free_name(path, directory, &stem, "")?;
    file::sync_dir(directory)?;
    let relative = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_owned();
    Ok(Quarantined { from: relative(path), to: relative(&to) })
}

/// Moves our own file of a finished run, saved `at`, to `backups/state_<time>[-n].json`.
///
/// Room is made first: whatever happens in between, there are never more than [`BACKUPS_MAX`].
pub(super) fn back_up(root: &Path, path: &Path, at: Timestamp) -> Result<PathBuf, Error> {
    let directory = backups(root);
    enter(&directory)?;
    rotate(&directory, BACKUPS_MAX - 1)?;
    let to = move_to_free_name(path, &directory, &format!("state_{}", stamp(at, "_", "")), ".json")?;
    file::sync_dir(&directory)?;
    file::sync_dir(path.parent().unwrap_or(root))?;
    Ok(to)
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

/// Renames to the first of `stem`, `stem-1`, `stem-2` … that nothing has.
fn move_to_free_name(from: &Path, directory: &Path, stem: &str, ending: &str) -> Result<PathBuf, Error> {
    let mut name = format!("{stem}{ending}");
    for number in 1_u32.. {
        let to = directory.join(&name);
        if file::rename_noreplace(from, &to)? {
            return Ok(to);
        }
        name = format!("{stem}-{number}{ending}");
    }
    unreachable!("a directory does not hold four thousand million names")
}

/// `20260215T120320Z` and the like.
fn stamp(at: Timestamp, between: &str, after: &str) -> String {
    let text = at.to_string();
    let digits = |part: &str| part.bytes().filter(u8::is_ascii_digit).map(char::from).collect::<String>();
    let (date, time) = text.split_once('T').unwrap_or((&text, ""));
    let time = time.split('.').next().unwrap_or("");
    format!("{}{between}{}{after}", digits(date), digits(time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_carry_the_time_in_utc() {
        let at = Timestamp::from_millis(1_771_157_000_123);
        assert_eq!(stamp(at, "_", ""), "20260215_120320");
        assert_eq!(stamp(at, "T", "Z"), "20260215T120320Z");
    }

    #[test]
    fn only_names_of_backups_are_numbers() {
        assert_eq!(backup_number("state_20260215_120320.json"), Some(0));
        assert_eq!(backup_number("state_20260215_120320-12.json"), Some(12));
        for name in ["state_20260215_120320-x.json", "state.json", "state_1.json.gz", "notes.md"] {
            assert_eq!(backup_number(name), None, "{name}");
        }
    }
}
