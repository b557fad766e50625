//! What is not in a snapshot, listed with its hash so that a change to it is noticed.
//!
//! Reading it has bounds, since a file can be of any size and need not take any room: beyond them a file is known by what the
//! file system says of it.
//!
//! Ignored files count where they look like tests or like configuration: that is where an agent could hide
//! what decides whether its work passes. Their content is never kept, only its hash.

use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use piton_sys::{Clock, SystemClock, file};

use crate::memo::{Memo, Stamp};
use crate::{LeftOut, RepoPath, Stop, Why};

/// How many ignored files are listed.
const IGNORED_LISTED_MAX: usize = 200;
/// How many entries of ignored directories are looked at.
const IGNORED_VISITED_MAX: usize = 2000;

const TEST_DIRECTORIES: [&[u8]; 5] = [b"test", b"tests", b"__tests__", b"spec", b"specs"];
const CONFIG_ENDINGS: [&[u8]; 7] = [b".toml", b".json", b".yaml", b".yml", b".ini", b".cfg", b".conf"];

/// How long a snapshot reads what it leaves out.
const READ_FOR: Duration = Duration::from_secs(20);

/// A file that takes no time: it is read also where the run is to stop now.
const SMALL_BYTES_MAX: u64 = 1 << 20;

/// How much may still be read of files that are not kept.
#[derive(Debug)]
pub(crate) struct Reading {
    bytes_left: u64,
    /// On the monotonic clock.
    until: Duration,
    stop: Stop,
}

impl Reading {
    pub(crate) fn new(bytes_left: u64, stop: Stop) -> Self {
        Self { bytes_left, until: SystemClock.monotonic() + READ_FOR, stop }
    }

    /// BLAKE3 of what a file holds, or of where a link points; `None` where that would be more than may be read.
    pub(crate) fn digest(&mut self, path: &Path) -> io::Result<Option<String>> {
        if path.symlink_metadata()?.is_symlink() {
            let target = std::fs::read_link(path)?;
            return Ok(Some(blake3::hash(target.as_os_str().as_bytes()).to_hex().to_string()));
        }
        let opened = file::open_regular(path).map_err(|error| error.source)?;
        let (mut file, length) = opened.ok_or(io::ErrorKind::NotFound)?;
        if length > self.bytes_left {
            return Ok(None);
        }
        let mut hasher = blake3::Hasher::new();
        let mut buffer = vec![0; 256 * 1024];
        loop {
            if (length > SMALL_BYTES_MAX && self.stop.is_asked()) || SystemClock.monotonic() >= self.until {
                return Ok(None);
            }
            let count = file.read(&mut buffer)?;
            if count == 0 {
                return Ok(Some(hasher.finalize().to_hex().to_string()));
            }
            // It may grow meanwhile.
            let Some(left) = self.bytes_left.checked_sub(count as u64) else { return Ok(None) };
            self.bytes_left = left;
            hasher.update(&buffer[..count]);
        }
    }
}

/// Describes one file, with what is known of it from the memo where the file is the same as then.
pub(crate) fn describe(
    work_tree: &Path,
    path: &RepoPath,
    why: Why,
    memo: &mut Memo,
    reading: &mut Reading,
) -> LeftOut {
    let on_disk = work_tree.join(path.as_path());
    let Ok(stamp) = Stamp::of(&on_disk) else {
        return LeftOut { path: path.clone(), bytes: 0, digest: None, why };
    };
    let known = memo.digests.get(path).filter(|(then, _)| *then == stamp).map(|(_, digest)| digest.clone());
    let read = || Some(reading.digest(&on_disk).ok()?.unwrap_or_else(|| stamp.digest()));
    let digest = known.or_else(read);
    if let Some(digest) = &digest {
        memo.digests.insert(path.clone(), (stamp, digest.clone()));
    }
    LeftOut { path: path.clone(), bytes: stamp.bytes, digest, why }
}

/// Those of the ignored files that look like tests or configuration, at most a fixed number of them.
pub(crate) fn noteworthy(work_tree: &Path, files: Vec<RepoPath>, directories: &[RepoPath]) -> Vec<RepoPath> {
    let mut found: Vec<_> = files.into_iter().filter(is_noteworthy).collect();
    let mut visits = IGNORED_VISITED_MAX;
    for directory in directories.iter().filter(|path| path.parts().any(is_test_directory)) {
        walk(work_tree, directory, &mut visits, &mut found);
    }
    found.sort();
    found.truncate(IGNORED_LISTED_MAX);
    found
}

fn walk(work_tree: &Path, directory: &RepoPath, visits: &mut usize, found: &mut Vec<RepoPath>) {
    let mut entries: Vec<_> = std::fs::read_dir(work_tree.join(directory.as_path()))
        .into_iter()
        .flatten()
        .flatten()
        .take(*visits)
        .collect();
    *visits -= entries.len();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = RepoPath::from_bytes(entry.file_name().as_bytes()).below(directory);
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(work_tree, &path, visits, found),
            Ok(kind) if kind.is_file() || kind.is_symlink() => found.push(path),
            _ => {}
        }
    }
}

fn is_test_directory(part: &[u8]) -> bool {
    TEST_DIRECTORIES.iter().any(|name| part.eq_ignore_ascii_case(name))
}

fn is_noteworthy(path: &RepoPath) -> bool {
    let name = path.name();
    let at_root = path.parent().is_none();
    let rules = matches!(name, b".gitignore" | b".gitattributes");
    let configures = at_root && CONFIG_ENDINGS.iter().any(|ending| name.ends_with(ending));
    rules
        || configures
        || name.starts_with(b".env")
        || is_test_name(name)
        || path.parts().any(is_test_directory)
}

fn is_test_name(name: &[u8]) -> bool {
    let contains = |needle: &[u8]| name.windows(needle.len()).any(|window| window == needle);
    name.starts_with(b"test_")
        || name == b"conftest.py"
        || [&b"_test."[..], b".test.", b"_spec.", b".spec.", b"Test.", b"Tests."].into_iter().any(contains)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_configuration_are_noteworthy_and_build_output_is_not() {
        let path = |text: &str| RepoPath::from_bytes(text.as_bytes());
        for name in [".env", "a/.env.local", "settings.toml", "a/test_x.py", "a/x.spec.ts", "tests/data.bin"]
        {
            assert!(is_noteworthy(&path(name)), "{name}");
        }
        for name in ["a.o", "a/settings.toml", "contest.py", "latest.log"] {
            assert!(!is_noteworthy(&path(name)), "{name}");
        }
    }
}
