//! The user's index after a refusal: files that were put back are tracked again where they were.
//!
//! Only entries that are gone come back, each as it was when the snapshot was taken, or as it is committed. Whatever else is staged
//! stays as it is.

use std::collections::{BTreeMap, BTreeSet};

use crate::combine::{Entry, list};
use crate::diff::RawChange;
use crate::shadow::Shadow;
use crate::unseen::paths;
use crate::{Error, Index, RepoPath, Snapshot, Workspace};

/// Has git track again what it tracked when `target` was taken, of what `target` holds. Returns that.
pub(crate) fn put_back(
    workspace: &Workspace,
    shadow: &Shadow,
    target: &Snapshot,
    writes: &[RawChange],
) -> Result<BTreeSet<RepoPath>, Error> {
    if workspace.repository.index.as_ref().is_none_or(|index| !index.exists()) {
        return Ok(BTreeSet::new());
    }
    show(workspace, writes)?;
    let held = list(shadow, target.tree.as_str(), &RepoPath::root())?;
    let there = paths(workspace.git("ls-files").args(["--cached", "-z"]))?;
    let missing: BTreeSet<_> =
        held.into_iter().map(|entry| entry.path).filter(|path| !there.contains(path)).collect();
    if missing.is_empty() {
        return Ok(BTreeSet::new());
    }
    let then = match &target.index {
        Some(Index::Tree(tree)) => Some(tree.to_string()),
        Some(Index::Unmerged { .. }) => return Ok(BTreeSet::new()),
        None => target.head.clone(),
    };
    let Some(then) = then else { return Ok(BTreeSet::new()) };
    let tracked: BTreeMap<RepoPath, Entry> = list(shadow, &then, &RepoPath::root())?
        .into_iter()
        .filter(|entry| missing.contains(&entry.path))
        .map(|entry| (entry.path.clone(), entry))
        .collect();
    let mut lines = Vec::new();
    for Entry { mode, id, path } in tracked.values() {
        lines.extend_from_slice(format!("{mode} {id}\t").as_bytes());
        lines.extend_from_slice(path.as_bytes());
        lines.push(0);
    }
    if !lines.is_empty() {
        workspace.git("update-index").args(["-z", "--index-info"]).stdin(lines).bytes()?;
    }
    Ok(tracked.into_keys().collect())
}

/// What was written is on the disk again: git looks at it, though it was told not to.
fn show(workspace: &Workspace, writes: &[RawChange]) -> Result<(), Error> {
    let hidden = kept_off_the_disk(workspace)?;
    let shown = writes.iter().map(|change| &change.path).filter(|path| hidden.contains(*path));
    let shown = crate::seed::lines_of(shown);
    match shown.is_empty() {
        true => Ok(()),
        false => {
            let call = workspace.git("update-index").args(["--no-skip-worktree", "-z", "--stdin"]);
            call.stdin(shown).bytes().map(drop)
        }
    }
}

/// The files that a sparse checkout keeps off the disk, as the index says.
pub(crate) fn kept_off_the_disk(workspace: &Workspace) -> Result<BTreeSet<RepoPath>, Error> {
    if workspace.is_private {
        return Ok(BTreeSet::new());
    }
    let listing = workspace.git("ls-files").args(["-t", "--cached", "-z"]).bytes()?;
    let lines = listing.split(|&byte| byte == 0).filter_map(|line| line.strip_prefix(b"S "));
    Ok(lines.map(RepoPath::from_bytes).collect())
}
