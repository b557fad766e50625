//! What `git status` does not show, since it takes the private index for the truth about what is tracked.
//!
//! A file that the user tracks although it is ignored, or although it lies in a nested repository, is not
//! shown once it is out of the private index. A repository is not shown where the private index has files in
//! its place. Both are found here, so that a tree never depends on what earlier snapshots held.

use std::collections::BTreeSet;

use crate::call::Call;
use crate::capture::{Unit, is_within_any};
use crate::memo::Memo;
use crate::repository::Repository;
use crate::status::Status;
use crate::{Error, RepoPath, held, theirs};

/// The repositories directly in a unit.
pub(crate) fn nested(unit: &Unit<'_>, memo: &mut Memo, status: &Status) -> Result<BTreeSet<RepoPath>, Error> {
    let mut nested: BTreeSet<_> = status.nested.iter().cloned().collect();
    let gitlinks = memo.theirs.iter().flat_map(|theirs| &theirs.gitlinks).cloned();
    let gitlinks: Vec<_> = gitlinks.filter(|path| is_new(unit, path, &nested)).collect();
    let directories = directories(unit, memo)?;
    let gone = status.deleted.iter().chain(&status.changed);
    let others = directories.iter().chain(gone).filter(|path| is_new(unit, path, &nested)).cloned().collect();
    nested.extend(gitlinks);
    nested.extend(not_ignored(unit, others)?);
    let outermost = |path: &&RepoPath| {
        let mut parents = std::iter::successors(path.parent(), RepoPath::parent);
        !parents.any(|parent| nested.contains(&parent))
    };
    Ok(nested.iter().filter(outermost).cloned().collect())
}

/// Learns which tracked files git would not show, and returns those in the private index that must go,
/// since they are ignored or nested and nobody tracks them.
pub(crate) fn sort_out(
    unit: &Unit<'_>,
    memo: &mut Memo,
    status: &Status,
    nested: BTreeSet<RepoPath>,
) -> Result<BTreeSet<RepoPath>, Error> {
    let list = |copy: bool| {
        let (call, index) = match copy {
            true => (theirs::on_copy(unit.shadow, "ls-files"), theirs::copy_of(unit.shadow)),
            false => (unit.shadow.call("ls-files"), unit.shadow.index()),
        };
        (index.exists(), call)
    };
    let find = |copy: bool| -> Result<BTreeSet<RepoPath>, Error> {
        let (true, call) = list(copy) else { return Ok(BTreeSet::new()) };
        let mut found = paths(call.args(["--cached", "--ignored", "--exclude-standard", "-z"]))?;
        if !nested.is_empty() {
            let call = list(copy).1.env("GIT_LITERAL_PATHSPECS", "1").args(["--cached", "-z", "--"]);
            found.extend(paths(call.args(nested.iter().map(|path| path.as_path())))?);
        }
        Ok(found)
    };
    let gitlinks: BTreeSet<_> = memo.theirs.iter().flat_map(|theirs| &theirs.gitlinks).collect();
    let mut tracked = find(true)?;
    tracked.retain(|path| !unit.leave.covers(path) && !gitlinks.contains(path));
    let ours = find(false)?;
    memo.firm.retain(|path| !tracked.contains(path));
    // What the run held stays, unless it is part of another repository by now, or a rule on record says so.
    let (inside, mut untracked): (BTreeSet<_>, BTreeSet<_>) =
        ours.difference(&tracked).cloned().partition(|path| is_within_any(path, &nested));
    let let_go = held::let_go(unit, memo, status, &untracked)?;
    untracked.retain(|path| let_go.contains(path) || unit.leave.covers(path));
    memo.absent = tracked.difference(&ours).cloned().collect();
    memo.unseen = &tracked | &ours;
    memo.unseen.retain(|path| !inside.contains(path) && !untracked.contains(path));
    memo.gone.get_or_insert_default().append(&mut memo.let_go);
    memo.let_go = let_go;
    memo.nested = nested;
    untracked.extend(inside);
    Ok(untracked)
}

/// Whether a path that git did not name as a repository is one all the same.
fn is_new(unit: &Unit<'_>, path: &RepoPath, nested: &BTreeSet<RepoPath>) -> bool {
    let directory = unit.shadow.work_tree().join(path.as_path());
    !nested.contains(path)
        && !unit.leave.covers(path)
        && directory.join(".git").symlink_metadata().is_ok()
        && Repository::discover(&directory).ok().flatten().is_some_and(|found| found.top == directory)
}

fn not_ignored(unit: &Unit<'_>, mut directories: Vec<RepoPath>) -> Result<Vec<RepoPath>, Error> {
    if directories.is_empty() {
        return Ok(directories);
    }
    let call = unit.shadow.call("check-ignore").args(["--no-index", "-z", "--stdin"]);
    // Code 1 says that nothing is ignored.
    let output = call.stdin(crate::seed::lines_of(&directories)).run()?;
    let ignored = cut(&output.stdout);
    directories.retain(|path| !ignored.contains(path));
    Ok(directories)
}

/// The directories that have, or once had, files in the private index.
fn directories<'a>(unit: &Unit<'_>, memo: &'a mut Memo) -> Result<&'a BTreeSet<RepoPath>, Error> {
    if memo.directories.is_none() {
        let files = match unit.shadow.index().exists() {
            true => paths(unit.shadow.call("ls-files").args(["--cached", "-z"]))?,
            false => BTreeSet::new(),
        };
        memo.directories = Some(BTreeSet::new());
        remember_directories(memo, &files);
    }
    Ok(memo.directories.get_or_insert_default())
}

/// Notes the directories of files that are about to be in the private index.
pub(crate) fn remember_directories<'a>(memo: &mut Memo, files: impl IntoIterator<Item = &'a RepoPath>) {
    let known = memo.directories.get_or_insert_default();
    for file in files {
        let mut parent = file.parent();
        while let Some(directory) = parent.filter(|directory| !known.contains(directory)) {
            parent = directory.parent();
            known.insert(directory);
        }
    }
}

pub(crate) fn paths(call: Call) -> Result<BTreeSet<RepoPath>, Error> {
    call.bytes().map(|answer| cut(&answer))
}

pub(crate) fn cut(answer: &[u8]) -> BTreeSet<RepoPath> {
    let paths = answer.split(|&byte| byte == 0).filter(|path| !path.is_empty());
    paths.map(RepoPath::from_bytes).collect()
}
