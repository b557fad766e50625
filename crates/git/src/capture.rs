//! How files become a tree, byte by byte.
//!
//! A unit is a work tree with a shadow over it: the work tree itself, or a repository nested in it. Captured
//! is what is on disk and either in the user's index or not ignored; never what is piton's own. Few calls of
//! git do it: one to see what changed, unless that is [known](crate::disk), one or two to bring the private index up to
//! date, one for its tree.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use piton_sys::{file, time_of_changes};

use crate::disk::{Disk, Look, Seen};
use crate::held::{self, Held};
use crate::left_out::Reading;
use crate::memo::{Memo, Stamp};
use crate::repository::Repository;
use crate::select::{Budget, Selection, select};
use crate::shadow::{Shadow, read_rules};
use crate::status::{self, Status};
use crate::{Error, LeftOut, RepoPath, TreeId, Why, left_out, own, seed, theirs, unseen};

/// From so many files on they are written as one pack: a loose object each takes five times as long.
const PACKED_FILES_MIN: usize = 256;

/// A work tree to capture.
pub(crate) struct Unit<'a> {
    pub(crate) shadow: &'a Shadow,
    /// The repository of this work tree; `None` where git does not accept it as one.
    pub(crate) repository: Option<&'a Repository>,
    /// Whether its objects are where ours go, so that its index is of use.
    pub(crate) is_top: bool,
    /// The rules in its `info/exclude`.
    pub(crate) exclude: Vec<u8>,
    pub(crate) leave: Leave,
    /// What the last snapshot saw.
    pub(crate) seen: Option<Seen>,
    /// What the snapshots of this run ever held.
    pub(crate) held: Held<'a>,
}

/// What is piton's own in a unit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leave {
    pub(crate) state: Option<RepoPath>,
    pub(crate) rendered: BTreeSet<RepoPath>,
    /// Where more is listed, that is piton's own as long as nobody changes it.
    pub(crate) listed: Option<own::Listed>,
}

impl Leave {
    /// The same, with what is listed now and is as it was listed.
    pub(crate) fn with_listed(mut self, work_tree: &Path, reading: &mut Reading) -> Result<Self, Error> {
        if let Some(listed) = &self.listed {
            self.rendered.extend(own::unchanged(work_tree, listed, reading)?);
        }
        Ok(self)
    }

    pub(crate) fn covers(&self, path: &RepoPath) -> bool {
        is_within_any(path, &self.rendered) || self.state.as_ref().is_some_and(|state| path.is_within(state))
    }

    /// The same, as seen from a directory.
    pub(crate) fn seen_from(&self, directory: &RepoPath) -> Self {
        let inner = |path: &RepoPath| {
            let path = path.as_path().strip_prefix(directory.as_path()).ok()?;
            Some(RepoPath::from(path)).filter(|path| !path.is_root())
        };
        Self {
            state: self.state.as_ref().and_then(inner),
            rendered: self.rendered.iter().filter_map(inner).collect(),
            // What it lists lies in the work tree itself.
            listed: None,
        }
    }
}

/// What a unit holds.
pub(crate) struct Captured {
    pub(crate) tree: TreeId,
    /// Repositories inside it.
    pub(crate) nested: Vec<RepoPath>,
    pub(crate) left_out: Vec<LeftOut>,
    /// What was seen on the way.
    pub(crate) seen: Option<Seen>,
}

/// Brings the private index of a unit up to date, and makes its tree.
pub(crate) fn capture(mut unit: Unit<'_>, memo: &mut Memo, budget: &mut Budget) -> Result<Captured, Error> {
    let shadow = unit.shadow;
    let rules = digest_of_rules(&unit);
    let their_index_changed = read_their_index(&unit, memo)?;
    if let Some(repository) = unit.repository.filter(|_| unit.is_top && !shadow.index().exists()) {
        seed::seed(repository, shadow, &unit.leave)?;
    }
    let looked_at = time_of_changes();
    let known = unit.seen.take();
    let disk = known.as_ref().and_then(|known| known.look(shadow.work_tree(), &unit.leave));
    held::learn(&unit, memo)?;
    let is_told = !their_index_changed
        && memo.rules.as_ref() == Some(&rules)
        && memo.is_plain()
        && held::are_gone(shadow.work_tree(), memo);
    let (mut status, leave) = look_for_changes(&unit, known.filter(|_| is_told), disk.as_ref(), budget)?;
    unit.leave = leave;
    let unit = &unit;
    forget_own(&mut status, &unit.leave);
    let nested = unseen::nested(unit, memo, &status)?;
    let mut dropped = std::mem::take(&mut status.deleted);
    dropped.extend(unit.leave.rendered.difference(&memo.rendered).cloned());
    memo.rendered.clone_from(&unit.leave.rendered);
    let rules_changed = memo.rules.as_ref() != Some(&rules) || touches_rules(&status, &dropped);
    // What the rules have just put out of the private index is in no list of what is ignored yet.
    let mut is_listed = true;
    if their_index_changed || rules_changed || memo.nested != nested {
        let nested_changed = memo.nested != nested;
        let untracked = unseen::sort_out(unit, memo, &status, nested)?;
        if nested_changed {
            held::learn_anew(unit, memo)?;
        }
        is_listed = untracked.is_empty();
        status.changed.retain(|path| !untracked.contains(path));
        dropped.extend(untracked);
        memo.rules = Some(rules);
    }
    let is_ours = |path: &RepoPath| memo.unseen.contains(path) || !is_within_any(path, &memo.nested);
    status.untracked.retain(is_ours);
    memo.absent.extend(dropped.iter().filter(|path| memo.unseen.contains(path)).cloned());
    let selection = select_changed(unit, memo, &mut status, budget)?;
    dropped.extend(selection.dropped.iter().cloned());
    held::note(memo, &unit.leave, &dropped, &selection);
    let look = Look { disk, at: looked_at, read_at: time_of_changes() };
    update_index(shadow, &selection, &dropped)?;
    let tree = write_tree(shadow, memo)?;
    unseen::remember_directories(memo, selection.taken.iter().map(|(path, _)| path));
    let is_simple =
        is_listed && memo.is_plain() && selection.refused.is_empty() && status.unreadable.is_empty();
    let index = Stamp::of(&shadow.index()).ok().filter(|_| is_simple);
    let seen = Seen::after(look, index, &unit.leave, &status, &selection.taken);
    let left_out = describe_left_out(unit, selection.refused, &mut status, memo, budget);
    Ok(Captured { tree, nested: memo.nested.iter().cloned().collect(), left_out, seen })
}

/// The files that are not as the private index has them, and what is piton's own by now.
fn look_for_changes(
    unit: &Unit<'_>,
    known: Option<Seen>,
    disk: Option<&Disk>,
    budget: &mut Budget,
) -> Result<(Status, Leave), Error> {
    let shadow = unit.shadow;
    // After somebody has looked: whatever of piton's was seen is listed by now.
    let mut leave = || unit.leave.clone().with_listed(shadow.work_tree(), &mut budget.reading);
    if let Some((known, disk)) = known.zip(disk) {
        let leave = leave()?;
        if let Some(status) = known.contents(disk, Stamp::of(&shadow.index()).ok(), &leave) {
            return Ok((status, leave));
        }
    }
    let status = status::read(shadow)?;
    Ok((status, leave()?))
}

/// Digest of the ignore rules that are not in the tree.
fn digest_of_rules(unit: &Unit<'_>) -> String {
    let own = unit.repository.and_then(Repository::excludes_path);
    let own = own.map(|path| read_rules(&path)).unwrap_or_default();
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(unit.exclude.len() as u64).to_le_bytes()).update(&unit.exclude).update(&own);
    hasher.finalize().to_hex().to_string()
}

fn read_their_index(unit: &Unit<'_>, memo: &mut Memo) -> Result<bool, Error> {
    let Some(repository) = unit.repository else {
        // One that cannot be read may have left its copy.
        file::remove_file_if_exists(&theirs::copy_of(unit.shadow))?;
        return Ok(memo.theirs.take().is_some());
    };
    let found = theirs::read(repository, unit.shadow, memo.theirs.as_ref(), unit.is_top)?;
    let changed = found.is_some();
    if changed {
        memo.theirs = found;
    }
    Ok(changed)
}

fn forget_own(status: &mut Status, leave: &Leave) {
    let lists = [
        &mut status.changed,
        &mut status.untracked,
        &mut status.nested,
        &mut status.ignored,
        &mut status.ignored_directories,
    ];
    for list in lists {
        list.retain(|path| !leave.covers(path));
    }
}

pub(crate) fn is_within_any(path: &RepoPath, directories: &BTreeSet<RepoPath>) -> bool {
    std::iter::successors(Some(path.clone()), RepoPath::parent).any(|path| directories.contains(&path))
}

/// Whether a file that says what is ignored changed, or is ignored itself and might have.
fn touches_rules(status: &Status, dropped: &[RepoPath]) -> bool {
    let files = [&status.changed, &status.untracked, &status.ignored].into_iter().flatten().chain(dropped);
    files.into_iter().any(|path| path.name() == b".gitignore")
}

/// Decides about the files that are on disk and not as the private index has them.
fn select_changed(
    unit: &Unit<'_>,
    memo: &mut Memo,
    status: &mut Status,
    budget: &mut Budget,
) -> Result<Selection, Error> {
    let work_tree = unit.shadow.work_tree();
    let absent = memo.absent.iter().filter(|path| is_file_within(work_tree, path)).cloned();
    let mut back: BTreeSet<_> = absent.collect();
    back.extend(held::back(unit, memo, status)?);
    let mut new = std::mem::take(&mut status.untracked);
    for path in &back {
        memo.absent.remove(path);
    }
    status.ignored.retain(|path| !back.contains(path));
    new.extend(back);
    let selection = select(work_tree, std::mem::take(&mut status.changed), new, budget)?;
    // Out of the private index, it would not be seen again by itself.
    let refused = selection.refused.iter().map(|(path, _)| path);
    memo.absent.extend(refused.filter(|path| memo.unseen.contains(path)).cloned());
    Ok(selection)
}

/// Whether a file or link is there, and no link on the way to it.
pub(crate) fn is_file_within(work_tree: &Path, path: &RepoPath) -> bool {
    let is = |path: &RepoPath, test: fn(&std::fs::Metadata) -> bool| {
        work_tree.join(path.as_path()).symlink_metadata().is_ok_and(|metadata| test(&metadata))
    };
    let mut parents = std::iter::successors(path.parent(), RepoPath::parent);
    is(path, |metadata| !metadata.is_dir()) && parents.all(|parent| is(&parent, std::fs::Metadata::is_dir))
}

fn update_index(shadow: &Shadow, selection: &Selection, dropped: &[RepoPath]) -> Result<(), Error> {
    if dropped.is_empty() && selection.taken.is_empty() {
        return Ok(());
    }
    file::remove_file_if_exists(&shadow.memo())?;
    if shadow.index().exists() {
        seed::remove(shadow, dropped)?;
    }
    if selection.taken.is_empty() {
        return Ok(());
    }
    let call = shadow.call("update-index").args(["--add", "--remove", "--replace", "-z", "--stdin"]);
    let call = match selection.taken.len() >= PACKED_FILES_MIN {
        true => call.setting("core.bigFileThreshold=1"),
        false => call,
    };
    call.stdin(seed::lines_of(selection.taken.iter().map(|(path, _)| path))).bytes()?;
    check_unchanged(shadow.work_tree(), selection)
}

/// What changed while it was read may be neither the old content nor the new.
fn check_unchanged(work_tree: &Path, selection: &Selection) -> Result<(), Error> {
    let is_other = |(path, stamp): &&(RepoPath, Stamp)| {
        Stamp::of(&work_tree.join(path.as_path())).ok().as_ref() != Some(stamp)
    };
    let paths: Vec<_> = selection.taken.iter().filter(is_other).map(|(path, _)| path.clone()).collect();
    if paths.is_empty() { Ok(()) } else { Err(Error::Unstable { paths, rounds: 1 }) }
}

fn write_tree(shadow: &Shadow, memo: &mut Memo) -> Result<TreeId, Error> {
    let stamp = || Stamp::of(&shadow.index()).ok();
    if let (Some((then, tree)), Some(now)) = (&memo.tree, stamp())
        && *then == now
    {
        return Ok(tree.clone());
    }
    let tree: TreeId = shadow.call("write-tree").id()?;
    memo.tree = stamp().map(|stamp| (stamp, tree.clone()));
    Ok(tree)
}

fn describe_left_out(
    unit: &Unit<'_>,
    refused: Vec<(RepoPath, Why)>,
    status: &mut Status,
    memo: &mut Memo,
    budget: &mut Budget,
) -> Vec<LeftOut> {
    let work_tree = unit.shadow.work_tree();
    let ignored = std::mem::take(&mut status.ignored);
    let ignored = left_out::noteworthy(work_tree, ignored, &status.ignored_directories);
    let ignored = ignored.into_iter().map(|path| (path, Why::Ignored));
    let unreadable = status.unreadable.iter().map(|path| (path.clone(), Why::Unreadable));
    let paths: BTreeMap<_, _> = ignored.chain(unreadable).chain(refused).collect();
    memo.digests.retain(|path, _| paths.contains_key(path));
    paths
        .iter()
        .map(|(path, why)| left_out::describe(work_tree, path, *why, memo, &mut budget.reading))
        .collect()
}
