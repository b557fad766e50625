//! What is not in a snapshot, listed with its hash so that a change to it is noticed.
//!
//! Ignored files count where they look like tests or like configuration: that is where an agent could hide
//! what decides whether its work passes. Their content is never kept, only its hash.

use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::memo::{Memo, Stamp};
use crate::{LeftOut, RepoPath, Why};

/// How many ignored files are listed.
const IGNORED_LISTED_MAX: usize = 200;
/// How many entries of ignored directories are looked at.
const IGNORED_VISITED_MAX: usize = 2000;

const TEST_DIRECTORIES: [&[u8]; 5] = [b"test", b"tests", b"__tests__", b"spec", b"specs"];
const CONFIG_ENDINGS: [&[u8]; 7] = [b".toml", b".json", b".yaml", b".yml", b".ini", b".cfg", b".conf"];

/// Describes one file, with its digest from the memo where the file is the same as then.
pub(crate) fn describe(work_tree: &Path, path: &RepoPath, why: Why, memo: &mut Memo) -> LeftOut {
    let on_disk = work_tree.join(path.as_path());
    let Ok(stamp) = Stamp::of(&on_disk) else {
        return LeftOut { path: path.clone(), bytes: 0, digest: None, why };
    };
    let known = memo.digests.get(path).filter(|(then, _)| *then == stamp).map(|(_, digest)| digest.clone());
    let digest = known.or_else(|| digest(&on_disk).ok());
    if let Some(digest) = &digest {
        memo.digests.insert(path.clone(), (stamp, digest.clone()));
    }
    LeftOut { path: path.clone(), bytes: stamp.bytes, digest, why }
}

/// BLAKE3 of what a file holds, or of where a link points.
pub(crate) fn digest(path: &Path) -> io::Result<String> {
    let metadata = path.symlink_metadata()?;
    if metadata.is_symlink() {
        let target = std::fs::read_link(path)?;
        return Ok(blake3::hash(target.as_os_str().as_bytes()).to_hex().to_string());
    }
    if !metadata.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut file = std::fs::File::open(path)?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 256 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.finalize().to_hex().to_string()),
            count => hasher.update(&buffer[..count]),
        };
    }
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
