//! Making room: what piton did not write is moved aside, never overwritten.
//!
//! It is a rename to a name that nothing has, so a crash leaves the file at the one place or the other. Names come
//! from the time of the run, not from a clock.

use std::path::{Path, PathBuf};

use piton_model::Timestamp;
use piton_sys::file::{self, Error};

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
        format!("{}.foreign-{}", path.file_name().unwrap_or_default().to_string_lossy(), stamp(at, "T", "Z"));
    let directory = path.parent().unwrap_or(root);
    let to = move_to_free_name(path, directory, &stem, "")?;
    file::sync_dir(directory)?;
    let relative = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_owned();
    let hint = format!("`piton import {}` adopts it", relative(&to).display());
    Ok(Quarantined { from: relative(path), to: relative(&to), hint })
}

/// Renames to the first of `stem`, `stem-1`, `stem-2` … that nothing has.
pub(crate) fn move_to_free_name(
    from: &Path,
    directory: &Path,
    stem: &str,
    ending: &str,
) -> Result<PathBuf, Error> {
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
    fn names_carry_the_time_in_utc() {
        let at = Timestamp::from_millis(1_771_157_000_123);
        assert_eq!(stamp(at, "_", ""), "20260215_120320");
        assert_eq!(stamp(at, "T", "Z"), "20260215T120320Z");
    }
}
