//! What piton put into the work tree beside its views: backups, and what it moved out of its way.
//!
//! Whoever puts such a file there lists it first, by path and digest, in lines as `b3sum` writes them. A listed file with
//! that very content is piton's; one that was changed since is work like any other. Never a pattern: anybody can
//! take a name.

use std::collections::BTreeSet;
use std::path::Path;

use piton_sys::file;

use crate::{Error, RepoPath, left_out};

/// Far more than the files that piton keeps in a repository need.
const LIST_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The listed files that are as they were listed.
pub(crate) fn unchanged(work_tree: &Path, list: &Path) -> Result<BTreeSet<RepoPath>, Error> {
    let lines = file::read_regular(list, LIST_BYTES_MAX)?.unwrap_or_default();
    let entries = lines.split(|&byte| byte == b'\n').filter_map(|line| {
        let (digest, path) = line.split_at_checked(64)?;
        Some((digest, RepoPath::from_bytes(path.strip_prefix(b"  ")?)))
    });
    let is_unchanged = |digest: &[u8], path: &RepoPath| {
        left_out::digest(&work_tree.join(path.as_path())).is_ok_and(|found| found.as_bytes() == digest)
    };
    Ok(entries.filter(|(digest, path)| is_unchanged(digest, path)).map(|(_, path)| path).collect())
}
