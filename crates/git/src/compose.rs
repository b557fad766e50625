//! Snapshots of trees that are on no disk: most paths as one snapshot has them, some as another.

use std::collections::BTreeSet;

use crate::combine::{Entry, tree_on};
use crate::diff::{ChangeKind, raw};
use crate::place;
use crate::shadow::Shadow;
use crate::workspace::check_run;
use crate::{Error, RepoPath, Snapshot, SnapshotId, Workspace, record};

/// Records, as the next snapshot of `run`, the tree that is `most` but for these `paths`, which it has as `some` has them, or not at
/// all where `some` does not. What neither snapshot holds is what `most` says of it.
pub(crate) fn compose(
    workspace: &Workspace,
    run: &str,
    message: &str,
    (most, some): (&SnapshotId, &SnapshotId),
    paths: &BTreeSet<RepoPath>,
) -> Result<Snapshot, Error> {
    check_run(run)?;
    let (most, some) = (workspace.read(most)?, workspace.read(some)?);
    let shadow = Shadow::new(workspace.run_directory(run), workspace.root(), &workspace.repository);
    shadow.prepare(&workspace.repository.exclude)?;
    let changes = raw(&shadow, most.tree.as_str(), some.tree.as_str())?;
    let changes = changes.into_iter().filter(|change| paths.contains(&change.path));
    let entries: Vec<_> = changes
        .map(|change| {
            // Mode 0 takes a path out of an index.
            let mode = if change.kind == ChangeKind::Deleted { "0".to_owned() } else { change.new_mode };
            Entry { mode, id: change.new_id, path: change.path }
        })
        .collect();
    if entries.is_empty() {
        return Ok(most);
    }
    let tree = tree_on(&shadow, most.tree.as_str(), &entries)?;
    let place = place::read(&workspace.repository, Some(run))?;
    record::write_made(&workspace.repository, &shadow, run, message, place.last.as_deref(), most, tree)
}
