//! What piton put into the work tree beside its views: backups, and what it moved out of its way.
//!
//! Whoever puts such a file there lists it first, by path and digest, in lines as `b3sum` writes them. A listed file with
//! that very content is piton's; one that was changed since is work like any other. Never a pattern alone: anybody can
//! take a name. Nor the list alone: without walls an agent can write into it, and what runs has a name of its own.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use piton_sys::file;

use crate::left_out::Reading;
use crate::{Error, RepoPath};

/// Far more than the files that piton keeps in a repository need.
const LIST_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Where such files are listed, and which names they may have.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) list: PathBuf,
    pub(crate) may_be_ours: fn(&Path) -> bool,
}

/// The listed files that are as they were listed.
pub(crate) fn unchanged(
    work_tree: &Path,
    listed: &Listed,
    reading: &mut Reading,
) -> Result<BTreeSet<RepoPath>, Error> {
    let lines = file::read_regular(&listed.list, LIST_BYTES_MAX)?.unwrap_or_default();
    let is_below = |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
    let entries = lines.split(|&byte| byte == b'\n').filter_map(|line| {
        let (digest, path) = line.split_at_checked(64)?;
        Some((digest, RepoPath::from_bytes(path.strip_prefix(b"  ")?)))
    });
    let entries =
        entries.filter(|(_, path)| is_below(path.as_path()) && (listed.may_be_ours)(path.as_path()));
    let mut is_unchanged = |digest: &[u8], path: &RepoPath| {
        let found = reading.digest(&work_tree.join(path.as_path()));
        found.is_ok_and(|found| found.is_some_and(|found| found.as_bytes() == digest))
    };
    Ok(entries.filter(|(digest, path)| is_unchanged(digest, path)).map(|(_, path)| path).collect())
}
