//! What the snapshots of a run once held, and therefore go on to hold as long as it lies on the disk.
//!
//! What git ignores is in no snapshot. But an agent can write `.git/info/exclude`, the user's ignore rules and the index, and none of
//! that is in any snapshot either: a test that is taken out of the index and ignored there would be out of sight from then on. So a
//! file that was held stays. It goes where it is no longer on the disk, and where git does not track it and a `.gitignore` says so that is itself
//! part of the snapshot: that is a change like any other, for everybody to see and to judge.
//!
//! Worked out from the snapshots themselves where the memo does not know it.

use std::collections::BTreeSet;
use std::path::Path;

use crate::capture::{Leave, Unit, is_file_within, is_within_any};
use crate::combine::list;
use crate::memo::Memo;
use crate::record::{self, ref_of};
use crate::seed::lines_of;
use crate::select::{Selection, is_missing};
use crate::shadow::Shadow;
use crate::status::Status;
use crate::unseen::{cut, paths};
use crate::{Error, RepoPath, SnapshotId, Workspace};

/// A larger file with rules is not believed: it may be too large for a snapshot.
const RULES_BYTES_MAX: u64 = 1 << 20;
/// How the record of the first snapshot of a run says that there was none before it.
const FIRST: &str = "\"previous\":null";

/// What the snapshots of a run ever held.
#[derive(Clone)]
pub(crate) struct Held<'a> {
    workspace: &'a Workspace,
    run: &'a str,
    below: RepoPath,
}

impl<'a> Held<'a> {
    pub(crate) fn new(workspace: &'a Workspace, run: &'a str) -> Self {
        Self { workspace, run, below: RepoPath::root() }
    }

    /// The same, of what lies below a directory and as seen from there.
    pub(crate) fn below(self, directory: &RepoPath) -> Self {
        Self { below: directory.clone(), ..self }
    }

    /// The files that a snapshot ever had on the disk.
    fn files(&self, shadow: &Shadow) -> Result<BTreeSet<RepoPath>, Error> {
        let mut files = BTreeSet::new();
        for id in &self.workspace.holding {
            // One that is gone was of a run that somebody removed.
            files.extend(self.of(shadow, id).unwrap_or_default());
        }
        let repository = &self.workspace.repository;
        if !may_have(&repository.common_dir, &ref_of(self.run)) {
            return Ok(self.inside(files));
        }
        let call = repository.call("rev-parse").args(["--quiet", "--verify", &ref_of(self.run)]);
        let output = call.run()?;
        let last = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
        let Some(last) = SnapshotId::try_from(last).ok().filter(|_| output.success()) else {
            return Ok(self.inside(files));
        };
        files.extend(self.of(shadow, &last)?);
        let log = || shadow.call("log").arg("--first-parent");
        let first = log().args(["--fixed-strings", "--grep", FIRST, "-1", "--format=%H", last.as_str()]);
        let first = String::from_utf8_lossy(&first.bytes()?).trim_end().to_owned();
        if !first.is_empty() {
            let gone =
                log().args(["-m", "--format=", "--name-only", "--no-renames", "--diff-filter=D", "-z"]);
            files.extend(paths(gone.arg(format!("{first}..{last}")))?);
        }
        Ok(self.inside(files))
    }

    /// The files of one snapshot, without those that a sparse checkout kept off the disk.
    fn of(&self, shadow: &Shadow, id: &SnapshotId) -> Result<BTreeSet<RepoPath>, Error> {
        let all = |tree: &str| -> Result<BTreeSet<RepoPath>, Error> {
            Ok(list(shadow, tree, &RepoPath::root())?.into_iter().map(|entry| entry.path).collect())
        };
        let files = all(id.as_str())?;
        // The name of the last one may have been moved to something that is none.
        let hidden = record::read(&self.workspace.repository, id).ok().and_then(|snapshot| snapshot.hidden);
        match hidden {
            Some(hidden) => Ok(&files - &all(hidden.as_str())?),
            None => Ok(files),
        }
    }

    fn inside(&self, files: BTreeSet<RepoPath>) -> BTreeSet<RepoPath> {
        if self.below.is_root() {
            return files;
        }
        let inner =
            |path: &RepoPath| path.as_path().strip_prefix(self.below.as_path()).ok().map(RepoPath::from);
        files.iter().filter_map(inner).filter(|path| !path.is_root()).collect()
    }
}

/// Whether there may be a ref of that name: asked without a process, since the first snapshot of a run has none.
fn may_have(common_dir: &Path, name: &str) -> bool {
    let is_packed = || {
        let packed = std::fs::read_to_string(common_dir.join("packed-refs"));
        packed.map_or_else(|error| !is_missing(&error), |refs| refs.contains(name))
    };
    common_dir.join(name).exists() || common_dir.join("reftable").exists() || is_packed()
}

/// Learns what was held, unless that is known.
pub(crate) fn learn(unit: &Unit<'_>, memo: &mut Memo) -> Result<(), Error> {
    let is_known = |id: &SnapshotId| memo.holding.contains(id.as_str());
    match memo.gone.is_some() && unit.held.workspace.holding.iter().all(is_known) {
        true => Ok(()),
        false => learn_anew(unit, memo),
    }
}

/// The same, where it is not only in this unit that something may have been held.
pub(crate) fn learn_anew(unit: &Unit<'_>, memo: &mut Memo) -> Result<(), Error> {
    let mut gone = unit.held.files(unit.shadow)?;
    if !gone.is_empty() && unit.shadow.index().exists() {
        let present = paths(unit.shadow.call("ls-files").args(["--cached", "-z"]))?;
        gone.retain(|path| !present.contains(path));
    }
    gone.retain(|path| !unit.leave.covers(path) && !memo.let_go.contains(path));
    memo.gone.get_or_insert_default().append(&mut gone);
    memo.holding.extend(unit.held.workspace.holding.iter().map(ToString::to_string));
    Ok(())
}

/// Takes files that were written to be in the next snapshot, whatever ignores them: all of them where `firmly`, else unless a rule on
/// record says so.
pub(crate) fn take_in(shadow: &Shadow, files: BTreeSet<RepoPath>, firmly: bool) -> Result<(), Error> {
    let mut memo = Memo::load(shadow)?;
    if firmly {
        memo.firm.extend(files.iter().cloned());
    }
    memo.let_go.retain(|path| !files.contains(path));
    memo.gone.get_or_insert_default().extend(files);
    memo.save(shadow)
}

/// What git tracks again needs no other hold.
pub(crate) fn leave_to_git(shadow: &Shadow, files: &BTreeSet<RepoPath>) -> Result<(), Error> {
    let mut memo = Memo::load(shadow)?;
    let before = memo.firm.len();
    memo.firm.retain(|path| !files.contains(path));
    if memo.firm.len() < before { memo.save(shadow) } else { Ok(()) }
}

/// Whether none of what is gone is back.
pub(crate) fn are_gone(work_tree: &Path, memo: &Memo) -> bool {
    !memo.gone.iter().flatten().any(|path| is_file_within(work_tree, path))
}

/// What lies on the disk again of what was held, and git does not show.
pub(crate) fn back(unit: &Unit<'_>, memo: &mut Memo, status: &Status) -> Result<BTreeSet<RepoPath>, Error> {
    let shown: BTreeSet<_> = status.untracked.iter().collect();
    let is_back = |path: &&RepoPath| {
        !shown.contains(path)
            && !unit.leave.covers(path)
            && !is_within_any(path, &memo.nested)
            && is_file_within(unit.shadow.work_tree(), path)
    };
    let back: BTreeSet<_> = memo.gone.iter().flatten().filter(is_back).cloned().collect();
    let let_go = let_go(unit, memo, status, &back)?;
    memo.gone.get_or_insert_default().retain(|path| !let_go.contains(path));
    let back = &back - &let_go;
    memo.let_go.extend(let_go);
    // From here on it is looked at like what the user tracks although it is ignored.
    memo.unseen.extend(back.iter().cloned());
    Ok(back)
}

/// Remembers what leaves the private index, and forgets what is there again.
pub(crate) fn note(memo: &mut Memo, leave: &Leave, dropped: &[RepoPath], selection: &Selection) {
    let taken: BTreeSet<_> = selection.taken.iter().map(|(path, _)| path).collect();
    let left = dropped.iter().filter(|path| !leave.covers(path) && !memo.let_go.contains(path)).cloned();
    let gone = memo.gone.get_or_insert_default();
    gone.extend(left);
    gone.retain(|path| !taken.contains(path));
    memo.let_go.retain(|path| !taken.contains(path));
}

/// Those of these files that are ignored by rules on record: a `.gitignore` that is in the snapshot.
pub(crate) fn let_go(
    unit: &Unit<'_>,
    memo: &Memo,
    status: &Status,
    files: &BTreeSet<RepoPath>,
) -> Result<BTreeSet<RepoPath>, Error> {
    let files: Vec<_> = files.iter().filter(|path| !memo.firm.contains(path)).collect();
    if files.is_empty() {
        return Ok(BTreeSet::new());
    }
    let call = unit.shadow.call("check-ignore").args(["--no-index", "--verbose", "-z", "--stdin"]);
    // Code 1 says that nothing is ignored.
    let output = call.stdin(lines_of(files)).run()?;
    let fields: Vec<_> = output.stdout.split(|&byte| byte == 0).collect();
    // Where the rule is, its line, the rule, the file.
    let ruled = fields.chunks_exact(4).filter(|fields| !fields[2].starts_with(b"!"));
    let ruled: Vec<_> = ruled.map(|fields| (RepoPath::from_bytes(fields[0]), fields[3])).collect();
    let sources: BTreeSet<_> = ruled.iter().map(|(source, _)| source.clone()).collect();
    let on_record = on_record(unit, status, sources)?;
    let let_go = ruled.into_iter().filter(|(source, _)| on_record.contains(source));
    Ok(let_go.map(|(_, file)| RepoPath::from_bytes(file)).collect())
}

/// Those of these files with rules that are in the snapshot, or are about to be.
fn on_record(
    unit: &Unit<'_>,
    status: &Status,
    mut sources: BTreeSet<RepoPath>,
) -> Result<BTreeSet<RepoPath>, Error> {
    sources.retain(|path| {
        let metadata = unit.shadow.work_tree().join(path.as_path()).symlink_metadata();
        path.name() == b".gitignore"
            && !path.as_path().is_absolute()
            && metadata.is_ok_and(|metadata| metadata.is_file() && metadata.len() <= RULES_BYTES_MAX)
    });
    if sources.is_empty() {
        return Ok(sources);
    }
    let mut found: BTreeSet<_> = status.untracked.iter().cloned().collect();
    if unit.shadow.index().exists() {
        let call = unit.shadow.call("ls-files").env("GIT_LITERAL_PATHSPECS", "1");
        let call = call.args(["--cached", "-z", "--"]).args(sources.iter().map(|path| path.as_path()));
        found.extend(cut(&call.bytes()?));
    }
    Ok(&sources & &found)
}
