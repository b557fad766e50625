//! What piton put into the work tree beside its views: backups, and what it moved out of its way.
//!
//! Whoever puts such a file there lists it first, by path and digest, in lines as `b3sum` writes them. A listed file with
//! that very content is piton's; one that was changed since is work like any other. Never a pattern: anybody can
//! take a name.

use std::collections::BTreeSet;
use std::path::Path;

use piton_sys::file;

use crate::left_out::Reading;
use crate::{Error, RepoPath};

/// Far more than the files that piton keeps in a repository need.
const LIST_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The listed files that are as they were listed.
pub(crate) fn unchanged(
    work_tree: &Path,
    list: &Path,
    reading: &mut Reading,
) -> Result<BTreeSet<RepoPath>, Error> {
    let lines = file::read_regular(list, LIST_BYTES_MAX)?.unwrap_or_default();
    let entries = lines.split(|&byte| byte == b'\n').filter_map(|line| {
        let (digest, path) = line.split_at_checked(64)?;
        Some((digest, RepoPath::from_bytes(path.strip_prefix(b"  ")?)))
    });
    let mut is_unchanged = |digest: &[u8], path: &RepoPath| {
        let found = reading.digest(&work_tree.join(path.as_path()));
        found.is_ok_and(|found| found.is_some_and(|found| found.as_bytes() == digest))
    };
    Ok(entries.filter(|(digest, path)| is_unchanged(digest, path)).map(|(_, path)| path).collect())
}
