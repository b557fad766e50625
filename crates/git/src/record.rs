//! How a snapshot is kept: a commit under `refs/piton/runs/<run>`.
//!
//! Its tree is the work tree, so plain git can show, compare and check out a snapshot. Its parents are the
//! run's snapshot before it, the commit that `HEAD` named, and, where the user's index or a sparse checkout
//! holds more than that, a *keeper*: a commit whose tree holds it. Everything else is in the last line of
//! the message, as JSON.

use serde::{Deserialize, Serialize};

use crate::call::{failed, not_understood};
use crate::memo::Memo;
use crate::place::Place;
use crate::repository::Repository;
use crate::shadow::Shadow;
use crate::take::Contents;
use crate::{Error, Index, LeftOut, Nested, Snapshot, SnapshotId, TreeId};

const MARK: &str = "Piton-Snapshot: ";

/// The ref of a run.
pub(crate) fn ref_of(run: &str) -> String {
    format!("refs/piton/runs/{run}")
}

/// What the message of a snapshot's commit says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recorded {
    run: String,
    previous: Option<SnapshotId>,
    head: Option<String>,
    branch: Option<String>,
    index: Option<Index>,
    hidden: Option<TreeId>,
    nested: Vec<Nested>,
    left_out: Vec<LeftOut>,
}

/// Records a snapshot and moves the ref of the run to it.
pub(crate) fn write(
    repository: &Repository,
    shadow: &Shadow,
    run: &str,
    message: &str,
    place: &Place,
    contents: Contents,
    memo: &mut Memo,
) -> Result<Snapshot, Error> {
    let previous = place.last.clone().and_then(|last| SnapshotId::try_from(last).ok());
    let recorded = Recorded {
        run: run.to_owned(),
        previous,
        head: place.head.clone(),
        branch: place.branch.clone(),
        index: memo.theirs.as_ref().and_then(|theirs| theirs.index.clone()),
        hidden: contents.files.hidden,
        nested: contents.nested,
        left_out: contents.left_out,
    };
    let keeper = keeper(shadow, place, &recorded, memo)?;
    let parents: Vec<_> = place.last.iter().chain(&place.head).chain(&keeper).map(String::as_str).collect();
    let json = serde_json::to_string(&recorded).expect("a record is plain data");
    let message = format!("{}\n\n{MARK}{json}\n", message.replace('\0', ""));
    let id: SnapshotId = commit(shadow, contents.files.tree.as_str(), &parents, message)?;
    move_ref(repository, run, &id, place.last.as_deref())?;
    Ok(recorded.into_snapshot(id, contents.files.tree))
}

/// Records a tree that was made, as what stands where `like` does, and moves the ref of the run to it. What was staged is nothing of it.
pub(crate) fn write_made(
    repository: &Repository,
    shadow: &Shadow,
    run: &str,
    message: &str,
    last: Option<&str>,
    like: Snapshot,
    tree: TreeId,
) -> Result<Snapshot, Error> {
    let previous = last.and_then(|last| SnapshotId::try_from(last.to_owned()).ok());
    let Snapshot { id, head, branch, hidden, nested, left_out, .. } = like;
    let recorded =
        Recorded { run: run.to_owned(), previous, head, branch, index: None, hidden, nested, left_out };
    // What `like` keeps alive is kept by it.
    let parents: Vec<_> = last.into_iter().chain(Some(id.as_str()).filter(|id| last != Some(id))).collect();
    let json = serde_json::to_string(&recorded).expect("a record is plain data");
    let message = format!("{}\n\n{MARK}{json}\n", message.replace('\0', ""));
    let id: SnapshotId = commit(shadow, tree.as_str(), &parents, message)?;
    move_ref(repository, run, &id, last)?;
    Ok(recorded.into_snapshot(id, tree))
}

impl Recorded {
    fn into_snapshot(self, id: SnapshotId, tree: TreeId) -> Snapshot {
        let Self { run: _, previous: _, head, branch, index, hidden, nested, left_out } = self;
        Snapshot { id, tree, head, branch, index, hidden, nested, left_out, reused: false }
    }
}

/// Reads a snapshot back.
pub(crate) fn read(repository: &Repository, id: &SnapshotId) -> Result<Snapshot, Error> {
    const COMMAND: &str = "cat-file";
    let answer = repository.call(COMMAND).args(["commit", id.as_str()]).bytes()?;
    let text = String::from_utf8_lossy(&answer);
    let tree = text.lines().next().and_then(|line| line.strip_prefix("tree "));
    let tree = tree.and_then(|tree| TreeId::try_from(tree.to_owned()).ok());
    let tree = tree.ok_or_else(|| not_understood(COMMAND, &answer))?;
    let json = text.lines().rev().find_map(|line| line.strip_prefix(MARK));
    let recorded: Option<Recorded> = json.and_then(|json| serde_json::from_str(json).ok());
    let recorded = recorded.ok_or_else(|| Error::NotASnapshot { id: id.clone() })?;
    Ok(recorded.into_snapshot(id.clone(), tree))
}

/// Deletes the ref of a run, if there is one.
pub(crate) fn delete(repository: &Repository, run: &str) -> Result<(), Error> {
    const COMMAND: &str = "update-ref";
    let reference = ref_of(run);
    let output = repository.call(COMMAND).args(["--no-deref", "-d", &reference]).run()?;
    if output.success() {
        return Ok(());
    }
    let known = repository.call("rev-parse").args(["--quiet", "--verify", &reference]).run()?;
    if known.success() { Err(failed(COMMAND, &output)) } else { Ok(()) }
}

/// The commit that keeps alive what neither the snapshot's tree nor `HEAD` holds; `None` where that is nothing.
fn keeper(
    shadow: &Shadow,
    place: &Place,
    recorded: &Recorded,
    memo: &mut Memo,
) -> Result<Option<String>, Error> {
    let mut lines = String::new();
    match &recorded.index {
        Some(Index::Tree(tree)) if place.head_tree.as_deref() == Some(tree.as_str()) => {}
        Some(Index::Tree(tree)) => lines.push_str(&format!("040000 tree {tree}\tindex\n")),
        Some(Index::Unmerged { file, kept }) => {
            lines.push_str(&format!("100644 blob {file}\tindex\n040000 tree {kept}\tunmerged\n"));
        }
        None => {}
    }
    if let Some(hidden) = &recorded.hidden {
        lines.push_str(&format!("040000 tree {hidden}\thidden\n"));
    }
    if lines.is_empty() {
        return Ok(None);
    }
    // The one in the memo is a parent of the last snapshot, so it is there as long as the ref names that.
    let is_kept = memo.last.as_ref().map(|last| last.id.as_str()) == place.last.as_deref();
    match &memo.keeper {
        Some((made_from, commit)) if is_kept && *made_from == lines => return Ok(Some(commit.clone())),
        _ => {}
    }
    let tree: TreeId = shadow.call("mktree").arg("--missing").stdin(lines.clone().into_bytes()).id()?;
    let message = "What a snapshot of piton names beside its files\n".to_owned();
    let commit: SnapshotId = commit(shadow, tree.as_str(), &[], message)?;
    memo.keeper = Some((lines, commit.as_str().to_owned()));
    Ok(Some(commit.into()))
}

fn commit(shadow: &Shadow, tree: &str, parents: &[&str], message: String) -> Result<SnapshotId, Error> {
    shadow
        .call("commit-tree")
        .args(parents.iter().flat_map(|parent| ["-p", parent]))
        .args(["-F", "-", tree])
        .env("GIT_AUTHOR_NAME", "piton")
        .env("GIT_AUTHOR_EMAIL", "piton@localhost")
        .env("GIT_COMMITTER_NAME", "piton")
        .env("GIT_COMMITTER_EMAIL", "piton@localhost")
        .stdin(message.into_bytes())
        .id()
}

/// Moves the ref from where it was seen; anything else there is somebody else's doing and an error.
fn move_ref(repository: &Repository, run: &str, id: &SnapshotId, from: Option<&str>) -> Result<(), Error> {
    let nothing = "0".repeat(id.as_str().len());
    repository
        .call("update-ref")
        // A ref that is empty after a power cut would break the user's repository.
        .setting("core.fsync=loose-object,reference")
        .setting("core.logAllRefUpdates=false")
        .args(["--no-deref", &ref_of(run), id.as_str(), from.unwrap_or(&nothing)])
        .bytes()
        .map(drop)
}
