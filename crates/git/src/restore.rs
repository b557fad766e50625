//! The way back: files become those of a snapshot again.
//!
//! What is there now is a snapshot first, so nothing that git would keep can be lost, and the work is the
//! difference between two trees. Files that are in no snapshot stay as they are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::apply::{Change, Content, WorkTree};
use crate::call::not_understood;
use crate::capture::{Leave, is_file_within};
use crate::combine::list;
use crate::diff::{ChangeKind, RawChange, raw};
use crate::shadow::Shadow;
use crate::{Error, LeftOut, RepoPath, Snapshot, SnapshotId, TreeId, Why, Workspace, held, index};

/// How much file content is held in memory at once, unless a single file is larger.
const CHUNK_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// What the caller believes the work tree to hold.
#[derive(Clone, Copy, Debug)]
pub enum Expected<'a> {
    /// This tree; where the work tree differs, somebody else has edited it, and nothing is written.
    Tree(&'a TreeId),
    /// Anything: it is kept as a snapshot, then overwritten.
    Anything,
    /// What was refused: overwritten, also where it is too large to be kept.
    Refused,
}

/// What a restore did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The work tree as it was found.
    pub before: Snapshot,
    /// The work tree as it is now, with where `HEAD` is: a restore never moves it.
    pub after: Snapshot,
    /// Files written.
    pub written: Vec<RepoPath>,
    /// Files deleted.
    pub deleted: Vec<RepoPath>,
    /// Files that differ from the snapshot, or are gone, and stay so, because they were never captured or are hidden.
    pub kept: Vec<RepoPath>,
}

pub(crate) fn restore(
    workspace: &Workspace,
    run: &str,
    target: &SnapshotId,
    expected: Expected<'_>,
) -> Result<Restored, Error> {
    let target = workspace.read(target)?;
    let before = workspace.snapshot(run, "before a restore")?;
    let shadow = Shadow::new(workspace.run_directory(run), workspace.root(), &workspace.repository);
    if let Expected::Tree(tree) = expected {
        let foreign = differing(&shadow, tree, &before.tree)?;
        if !foreign.is_empty() {
            return Err(Error::ForeignEdits { paths: foreign });
        }
    }
    let mut hands_off = HandsOff::new(workspace, &shadow, &before, &target)?;
    if !matches!(expected, Expected::Refused) {
        // Whoever brings files back did not ask for another sparse checkout.
        hands_off.hidden_now.extend(index::kept_off_the_disk(workspace)?);
    } else {
        hands_off.uncaptured = target.left_out.iter().map(|left_out| left_out.path.clone()).collect();
    }
    let changes = raw(&shadow, before.tree.as_str(), target.tree.as_str())?;
    let (kept, changes): (Vec<_>, Vec<_>) = changes.into_iter().partition(|change| hands_off.covers(change));
    let (deletions, writes): (Vec<_>, Vec<_>) =
        changes.into_iter().partition(|change| change.kind == ChangeKind::Deleted);
    let deleted: Vec<_> = deletions.into_iter().map(|change| change.path).collect();
    write_all(workspace, &shadow, &deleted, &writes)?;
    let mut after = workspace.snapshot(run, "after a restore")?;
    let out_of_sight = not_in(&shadow, &after, &writes)?;
    if !out_of_sight.is_empty() {
        let is_refused = matches!(expected, Expected::Refused);
        held::take_in(&shadow, out_of_sight, is_refused)?;
        after = workspace.snapshot(run, "after a restore")?;
    }
    if matches!(expected, Expected::Refused) {
        // Where somebody holds the index just now, it stays as it is: what is looked at does not depend on it.
        if let Ok(tracked) = index::put_back(workspace, &shadow, &target, &writes) {
            held::leave_to_git(&shadow, &tracked)?;
        }
    }
    let kept = kept.into_iter().map(|change| change.path).collect();
    let kept = check(workspace, &shadow, [&target, &before, &after].map(|snapshot| &snapshot.tree), kept)?;
    let kept = kept.into_iter().chain(missed(&target, &after)).collect::<BTreeSet<_>>().into_iter().collect();
    let written = writes.into_iter().map(|change| change.path).collect();
    Ok(Restored { before, after, written, deleted, kept })
}

/// The files that were written and are on disk and not in the snapshot that was taken after that.
fn not_in(shadow: &Shadow, after: &Snapshot, writes: &[RawChange]) -> Result<BTreeSet<RepoPath>, Error> {
    if writes.is_empty() {
        return Ok(BTreeSet::new());
    }
    let there: BTreeSet<_> =
        list(shadow, after.tree.as_str(), &RepoPath::root())?.into_iter().map(|entry| entry.path).collect();
    let missing = writes.iter().map(|change| &change.path).filter(|path| !there.contains(*path));
    let out_of_sight = missing.filter(|path| is_file_within(shadow.work_tree(), path));
    Ok(out_of_sight.cloned().collect())
}

/// Writes these files as `target` has them, and nothing else; `now` has what is there. What `target` does not have stays.
pub(crate) fn put_back(
    workspace: &Workspace,
    run: &str,
    target: &SnapshotId,
    now: &SnapshotId,
    paths: &BTreeSet<RepoPath>,
) -> Result<(), Error> {
    let (target, now) = (workspace.read(target)?, workspace.read(now)?);
    let shadow = Shadow::new(workspace.run_directory(run), workspace.root(), &workspace.repository);
    let hands_off = HandsOff::new(workspace, &shadow, &now, &target)?;
    let mut writes = raw(&shadow, now.tree.as_str(), target.tree.as_str())?;
    writes.retain(|change| {
        change.kind != ChangeKind::Deleted && paths.contains(&change.path) && !hands_off.covers(change)
    });
    write_all(workspace, &shadow, &[], &writes)
}

/// What the target left out and is another by now, or gone. Nobody has what it was; what git ignores is nobody's loss.
fn missed<'a>(target: &'a Snapshot, after: &'a Snapshot) -> impl Iterator<Item = RepoPath> + 'a {
    // There may be very many of them.
    let now: BTreeMap<_, _> = after.left_out.iter().map(|file| (&file.path, &file.digest)).collect();
    let is_as_it_was =
        move |file: &LeftOut| now.get(&file.path).is_some_and(|digest| **digest == file.digest);
    let kept = target.left_out.iter().filter(|file| file.why != Why::Ignored);
    kept.filter(move |file| !is_as_it_was(file)).map(|file| file.path.clone())
}

/// Proves that the files are those of `target`, but for those `kept`. Returns those, and those that are only
/// seen now that the ignore rules are others.
fn check(
    workspace: &Workspace,
    shadow: &Shadow,
    [target, before, after]: [&TreeId; 3],
    mut kept: BTreeSet<RepoPath>,
) -> Result<Vec<RepoPath>, Error> {
    if target != after {
        let changes = raw(shadow, before.as_str(), after.as_str())?.into_iter();
        let seen_now = changes.filter(|change| change.kind == ChangeKind::Added).map(|change| change.path);
        let seen_now: BTreeSet<_> = seen_now.collect();
        let mut wrong = Vec::new();
        for change in raw(shadow, target.as_str(), after.as_str())? {
            let is_on_disk = || workspace.root().join(change.path.as_path()).symlink_metadata().is_ok();
            match change.kind {
                _ if kept.contains(&change.path) => {}
                ChangeKind::Added if seen_now.contains(&change.path) => drop(kept.insert(change.path)),
                // Written, but ignored by now.
                ChangeKind::Deleted if is_on_disk() => {}
                _ => wrong.push(change.path),
            }
        }
        if !wrong.is_empty() {
            return Err(Error::NotRestored { paths: wrong });
        }
    }
    Ok(kept.into_iter().collect())
}

fn differing(shadow: &Shadow, a: &TreeId, b: &TreeId) -> Result<Vec<RepoPath>, Error> {
    if a == b {
        return Ok(Vec::new());
    }
    Ok(raw(shadow, a.as_str(), b.as_str())?.into_iter().map(|change| change.path).collect())
}

/// Files that a restore does not touch.
struct HandsOff {
    /// Not captured then or now: what would be overwritten is in no snapshot.
    uncaptured: BTreeSet<RepoPath>,
    own: Leave,
    hidden_now: BTreeSet<RepoPath>,
    hidden_then: BTreeSet<RepoPath>,
    root: PathBuf,
}

impl HandsOff {
    fn new(workspace: &Workspace, shadow: &Shadow, now: &Snapshot, then: &Snapshot) -> Result<Self, Error> {
        let hidden = |snapshot: &Snapshot| -> Result<BTreeSet<RepoPath>, Error> {
            let Some(tree) = &snapshot.hidden else { return Ok(BTreeSet::new()) };
            let entries = list(shadow, tree.as_str(), &RepoPath::root())?;
            Ok(entries.into_iter().map(|entry| entry.path).collect())
        };
        let uncaptured = now.left_out.iter().chain(&then.left_out).map(|left_out| left_out.path.clone());
        Ok(Self {
            uncaptured: uncaptured.collect(),
            own: workspace.leave().with_listed(workspace.root(), &mut workspace.reading())?,
            hidden_now: hidden(now)?,
            hidden_then: hidden(then)?,
            root: workspace.root().to_owned(),
        })
    }

    fn covers(&self, change: &RawChange) -> bool {
        let path = &change.path;
        let is_on_disk = || self.root.join(path.as_path()).symlink_metadata().is_ok();
        self.uncaptured.contains(path)
            || self.own.covers(path)
            || self.hidden_now.contains(path)
            || (self.hidden_then.contains(path) && !is_on_disk())
    }
}

/// Deletes, then writes, with the content of a bounded number of files in memory at a time.
fn write_all(
    workspace: &Workspace,
    shadow: &Shadow,
    deleted: &[RepoPath],
    writes: &[RawChange],
) -> Result<(), Error> {
    let work_tree = WorkTree::open(workspace.root())?;
    work_tree.check(deleted, writes.iter().map(|change| &change.path))?;
    let sizes = sizes(shadow, writes)?;
    work_tree.delete(deleted)?;
    let mut rest = writes.iter().zip(sizes).peekable();
    while rest.peek().is_some() {
        let mut bytes = 0;
        let mut chunk = Vec::new();
        while let Some((change, size)) =
            rest.next_if(|(_, size)| bytes == 0 || bytes + size <= CHUNK_BYTES_MAX)
        {
            // An empty file counts too, so that a chunk always comes to its end.
            bytes += size.max(1);
            chunk.push(change);
        }
        for (change, content) in chunk.iter().zip(contents(shadow, &chunk, bytes)?) {
            work_tree.write(&Change { path: &change.path, content: content_of(change, &content)? })?;
        }
    }
    work_tree.sync()
}

fn content_of<'a>(change: &RawChange, bytes: &'a [u8]) -> Result<Content<'a>, Error> {
    match change.new_mode.as_str() {
        "100644" => Ok(Content::File { bytes, is_executable: false }),
        "100755" => Ok(Content::File { bytes, is_executable: true }),
        "120000" => Ok(Content::Link { target: bytes }),
        mode => Err(not_understood("diff-tree", mode.as_bytes())),
    }
}

fn ids(changes: &[impl std::borrow::Borrow<RawChange>]) -> Vec<u8> {
    changes.iter().flat_map(|change| [change.borrow().new_id.as_bytes(), b"\n"].concat()).collect()
}

fn sizes(shadow: &Shadow, changes: &[RawChange]) -> Result<Vec<u64>, Error> {
    const COMMAND: &str = "cat-file";
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let answer = shadow.call(COMMAND).arg("--batch-check=%(objectsize)").stdin(ids(changes)).bytes()?;
    let text = String::from_utf8_lossy(&answer);
    let sizes: Result<Vec<u64>, _> = text.lines().map(str::parse).collect();
    let sizes = sizes.ok().filter(|sizes| sizes.len() == changes.len());
    sizes.ok_or_else(|| not_understood(COMMAND, &answer))
}

/// The contents of files, in order.
fn contents(shadow: &Shadow, changes: &[&RawChange], bytes: u64) -> Result<Vec<Vec<u8>>, Error> {
    const COMMAND: &str = "cat-file";
    const HEADER_BYTES_MAX: usize = 128;
    let bytes_max =
        usize::try_from(bytes).unwrap_or(usize::MAX).saturating_add(changes.len() * HEADER_BYTES_MAX);
    let call = shadow.call(COMMAND).arg("--batch").stdin(ids(changes)).output_bytes_max(bytes_max);
    let answer = call.bytes()?;
    let mut rest = answer.as_slice();
    let mut next = || {
        // <id> <type> <size>\n<content>\n
        let line_end = rest.iter().position(|&byte| byte == b'\n')?;
        let header = std::str::from_utf8(&rest[..line_end]).ok()?;
        let size: usize = header.rsplit(' ').next()?.parse().ok()?;
        let content = rest.get(line_end + 1..line_end + 1 + size)?.to_vec();
        rest = rest.get(line_end + 2 + size..)?;
        Some(content)
    };
    let contents = changes.iter().map(|_| next().ok_or_else(|| not_understood(COMMAND, b"a cut answer")));
    contents.collect()
}
