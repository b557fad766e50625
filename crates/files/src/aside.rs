//! Making room: what piton did not write is moved aside, never overwritten.
//!
//! It is a rename to a name that nothing has, so a crash leaves the file at the one place or the other. Names come
//! from the time of the run, not from a clock. Each new place is listed before it is taken, in `.piton/own-files`: a
//! snapshot leaves out what is listed, as long as its content is the listed one.

use std::io::Read;
use std::path::{Path, PathBuf};

use piton_model::Timestamp;
use piton_sys::file::{self, Durability, Error};

use crate::place::{Alone, check};

/// Far more than the files that piton keeps in a repository need.
const LIST_BYTES_MAX: u64 = 16 << 20;

/// Between the name of a file and when it was moved out of the way.
const FOREIGN: &str = ".foreign-";

/// The largest file that is listed.
const DIGEST_BYTES_MAX: u64 = 64 << 20;

/// A file that piton did not write and moved out of its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    /// Where it was, relative to the repository.
    pub from: PathBuf,
    /// Where it is now, relative to the repository.
    pub to: PathBuf,
    /// What can be done with it.
    pub hint: String,
}

impl std::fmt::Display for Quarantined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (from, to) = (self.from.display(), self.to.display());
        write!(f, "{from} was not written by piton, or was edited since, and now lies at {to}; {}", self.hint)
    }
}

/// Moves a foreign file to `<name>.foreign-<time>[-n]` beside it.
pub(crate) fn quarantine(root: &Path, path: &Path, at: Timestamp) -> Result<Quarantined, Error> {
    let stem =
        format!("{}{FOREIGN}{}", path.file_name().unwrap_or_default().to_string_lossy(), stamp(at, "T", "Z"));
    let directory = path.parent().unwrap_or(root);
    let to = move_to_free_name(root, path, directory, &stem, "")?;
    file::sync_dir(directory)?;
    let relative = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_owned();
    let hint = format!("`piton import {}` adopts it", relative(&to).display());
    Ok(Quarantined { from: relative(path), to: relative(&to), hint })
}

/// The same for a file that was reached by another way than people know, from this directory.
pub(crate) fn known_by(moved: &Quarantined, directory: &Path, root: &Path) -> (PathBuf, PathBuf) {
    let known = |path: &Path| {
        let path = directory.join(path.file_name().unwrap_or_default());
        path.strip_prefix(root).unwrap_or(&path).to_owned()
    };
    (known(&moved.from), known(&moved.to))
}

/// Renames to the first of `stem`, `stem-1`, `stem-2` … that nothing has, in the repository at `root`.
pub(crate) fn move_to_free_name(
    root: &Path,
    from: &Path,
    directory: &Path,
    stem: &str,
    ending: &str,
) -> Result<PathBuf, Error> {
    let list = List::open(root)?;
    let mut name = format!("{stem}{ending}");
    for number in 1_u32.. {
        let to = directory.join(&name);
        if to.symlink_metadata().is_err() {
            if let Some(list) = &list {
                list.add(from, &to)?;
            }
            if file::rename_noreplace(from, &to)? {
                return Ok(to);
            }
        }
        name = format!("{stem}-{number}{ending}");
    }
    unreachable!("a directory does not hold four thousand million names")
}

/// Whether piton may have put a file of this name there: one that it moved out of its way, or a copy of its view.
pub fn is_name_of_ours(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_time = |text: &str| text.as_bytes().first().is_some_and(u8::is_ascii_digit);
    let is_foreign = name.rsplit_once(FOREIGN).is_some_and(|(_, time)| is_time(time));
    let is_copy = || name.strip_prefix("state_").is_some_and(|time| is_time(time) && time.ends_with(".json"));
    is_foreign || is_copy()
}

/// Where the files are listed that piton put into a repository beside its views: digest and path, as `b3sum` writes them.
pub fn list_of_own_files(root: &Path) -> PathBuf {
    root.join(".piton").join("own-files")
}

/// That list, with nobody else writing it.
struct List {
    root: PathBuf,
    _alone: Alone,
}

impl List {
    /// Where there is no state directory nobody takes snapshots, and nothing is listed.
    fn open(root: &Path) -> Result<Option<Self>, Error> {
        let state = root.join(".piton");
        if check(&state).is_err() {
            return Ok(None);
        }
        Ok(Some(Self { root: root.to_owned(), _alone: Alone::in_directory(&state)? }))
    }

    /// Adds that `to` will hold what `from` holds now, and drops what is gone.
    fn add(&self, from: &Path, to: &Path) -> Result<(), Error> {
        let Some(digest) = digest(from)? else { return Ok(()) };
        let path = list_of_own_files(&self.root);
        let known = file::read_regular(&path, LIST_BYTES_MAX)?.unwrap_or_default();
        let known = String::from_utf8_lossy(&known);
        let is_there = |line: &&str| {
            let place = line.split_once("  ").map(|(_, place)| self.root.join(place));
            place.is_some_and(|place| place.symlink_metadata().is_ok())
        };
        let mut lines: Vec<_> = known.lines().filter(is_there).map(str::to_owned).collect();
        let place = to.strip_prefix(&self.root).unwrap_or(to);
        lines.push(format!("{digest}  {}", place.display()));
        file::write_atomic(&path, (lines.join("\n") + "\n").as_bytes(), Durability::Synced)
    }
}

/// `None` of what is no file, or one that takes long to read: a snapshot has it then like any other.
fn digest(path: &Path) -> Result<Option<String>, Error> {
    let failed = |error| Error::new("read", path, error);
    let (file, length) = match file::open_regular(path) {
        Ok(opened) => opened.ok_or_else(|| failed(std::io::ErrorKind::NotFound.into()))?,
        Err(error) if error.refusal().is_some() => return Ok(None),
        Err(error) => return Err(error),
    };
    if length > DIGEST_BYTES_MAX {
        return Ok(None);
    }
    let mut hasher = blake3::Hasher::new();
    std::io::copy(&mut file.take(DIGEST_BYTES_MAX), &mut hasher).map_err(failed)?;
    Ok(Some(hasher.finalize().to_hex().to_string()))
}

/// `20260215T120320Z` and the like.
pub(crate) fn stamp(at: Timestamp, between: &str, after: &str) -> String {
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
    fn what_runs_is_never_called_as_what_is_moved_aside() {
        for ours in [
            "state.json.foreign-20260215T120320Z",
            "a/b.md.foreign-20260215T120320Z-1",
            "x/state_20260215_120320.json",
        ] {
            assert!(is_name_of_ours(Path::new(ours)), "{ours}");
        }
        for other in ["tests/test_calc.py", "test.foreign-x.py", "state_machine.json", "state_1.py", ""] {
            assert!(!is_name_of_ours(Path::new(other)), "{other}");
        }
    }

    #[test]
    fn names_carry_the_time_in_utc() {
        let at = Timestamp::from_millis(1_771_157_000_123);
        assert_eq!(stamp(at, "_", ""), "20260215_120320");
        assert_eq!(stamp(at, "T", "Z"), "20260215T120320Z");
    }
}
