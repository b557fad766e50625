//! Taking a snapshot: capture the files, compare with the last snapshot, record what differs.

use std::path::Path;
use std::sync::Arc;

use crate::capture::{Leave, Unit, capture};
use crate::combine::{Combined, combine};
use crate::compared::Compared;
use crate::disk::Seen;
use crate::held::Held;
use crate::memo::Memo;
use crate::place::{self, Place};
use crate::repository::Repository;
use crate::select::Budget;
use crate::shadow::Shadow;
use crate::workspace::check_run;
use crate::{Error, LeftOut, Nested, RepoPath, Snapshot, Workspace, left, record};

/// How often a snapshot is tried while files change under it.
const ROUNDS_MAX: u32 = 4;

pub(crate) fn take(workspace: &Workspace, run: &str, message: &str) -> Result<Snapshot, Error> {
    check_run(run)?;
    let mut workspace = workspace.stopping();
    let mut round = 1;
    loop {
        let shadow = Shadow::new(workspace.run_directory(run), workspace.root(), &workspace.repository);
        let taken = attempt(&workspace, &shadow, run, message);
        left::note(&shadow);
        match taken {
            Err(Error::Git { stderr, .. }) if !workspace.repository.is_wary && leads_nowhere(&stderr) => {
                workspace.repository.is_wary = true;
                continue;
            }
            Err(Error::Unstable { .. }) if round < ROUNDS_MAX => {}
            Err(Error::Unstable { paths, .. }) => return Err(Error::Unstable { paths, rounds: round }),
            // A file may have vanished under git. If not, the private index may be damaged, or name objects
            // that were pruned; it is only a cache.
            Err(Error::Git { .. } | Error::Answer { .. }) if round == 1 => {}
            Err(Error::Git { .. } | Error::Answer { .. }) if round == 2 => {
                reset_all(&workspace, &shadow, run)?
            }
            // The git that was ended had no chance to take its locks away.
            Err(Error::Stopped) => {
                workspace.clean_stale_locks(run)?;
                return Err(Error::Stopped);
            }
            other => return other,
        }
        round += 1;
    }
}

/// Whether git gave up at the `commondir` of a repository inside the tree, by its words.
fn leads_nowhere(stderr: &str) -> bool {
    stderr.contains("commondir") || stderr.contains("fatal: Invalid path")
}

fn attempt(workspace: &Workspace, shadow: &Shadow, run: &str, message: &str) -> Result<Snapshot, Error> {
    let exclude = shadow.prepare(&workspace.repository.exclude)?;
    let mut memo = Memo::load(shadow)?;
    let before = memo.clone();
    // Taken out, and put back only by a snapshot that is complete.
    let known = workspace.seen().take().filter(|(of, _)| of == run).map(|(_, seen)| seen);
    let (place, contents) = std::thread::scope(|scope| {
        let place = scope.spawn(|| place::read(&workspace.repository, Some(run)));
        let contents = capture_all(workspace, shadow, run, exclude, known, &mut memo);
        (place.join().expect("looking up HEAD does not panic"), contents)
    });
    let (place, (contents, seen)) = (place?, contents?);
    let snapshot = match reusable(&memo, &place, &contents) {
        Some(last) => Snapshot { reused: true, ..last },
        None => {
            let snapshot = write(workspace, shadow, run, message, &place, contents, &mut memo)?;
            shadow.set_head(&snapshot.id)?;
            memo.last = Some(snapshot.clone());
            snapshot
        }
    };
    if memo != before || !shadow.memo().exists() {
        memo.save(shadow)?;
    }
    *workspace.seen() = seen.map(|seen| (run.to_owned(), seen));
    Ok(snapshot)
}

/// Records a snapshot. Where others were compared before, it is compared with the last one meanwhile: the next question is about that.
fn write(
    workspace: &Workspace,
    shadow: &Shadow,
    run: &str,
    message: &str,
    place: &Place,
    contents: Contents,
    memo: &mut Memo,
) -> Result<Snapshot, Error> {
    let (last, tree) = (memo.last.clone(), contents.files.tree.clone());
    let last = last.filter(|last| last.tree != tree && workspace.comparisons.are_asked_for());
    std::thread::scope(|scope| {
        let compare = || workspace.compare(last.as_ref()?.id.as_str(), tree.as_str()).ok();
        let compared = std::thread::Builder::new().spawn_scoped(scope, compare);
        let written = record::write(&workspace.repository, shadow, run, message, place, contents, memo);
        let compared = compared.ok().and_then(|thread| thread.join().expect("comparing does not panic"));
        if let (Ok(snapshot), Some(compared)) = (&written, compared) {
            workspace.comparisons.keep(&Arc::new(Compared { after: snapshot.id.to_string(), ..compared }));
        }
        written
    })
}

/// What a snapshot is about to record.
pub(crate) struct Contents {
    pub(crate) files: Combined,
    pub(crate) nested: Vec<Nested>,
    pub(crate) left_out: Vec<LeftOut>,
}

/// The last snapshot, where the ref still names it and nothing has changed since.
fn reusable(memo: &Memo, place: &Place, contents: &Contents) -> Option<Snapshot> {
    let last = memo.last.as_ref()?;
    let is_same = place.last.as_deref() == Some(last.id.as_str())
        && last.tree == contents.files.tree
        && last.head == place.head
        && last.branch == place.branch
        && last.index == memo.theirs.as_ref().and_then(|theirs| theirs.index.clone())
        && last.hidden == contents.files.hidden
        && last.nested == contents.nested
        && last.left_out == contents.left_out;
    is_same.then(|| last.clone())
}

/// Captures the work tree and every repository inside it.
fn capture_all(
    workspace: &Workspace,
    shadow: &Shadow,
    run: &str,
    exclude: Vec<u8>,
    known: Option<Seen>,
    memo: &mut Memo,
) -> Result<(Contents, Option<Seen>), Error> {
    let mut budget = Budget::new(workspace.caps, workspace.reading());
    let leave = workspace.leave();
    let repository = Some(&workspace.repository);
    let held = Held::new(workspace, run);
    let unit = Unit { shadow, repository, is_top: true, exclude, leave: leave.clone(), seen: known, held };
    let top = capture(unit, memo, &mut budget)?;
    let mut left_out = top.left_out;
    let mut nested = Vec::new();
    let mut unseen = top.nested;
    while let Some(path) = unseen.pop() {
        let found = discover(&workspace.root().join(path.as_path()), &workspace.repository);
        let inner = match capture_nested(workspace, run, (&path, found.as_ref()), &leave, &mut budget) {
            // What it keeps for itself is damaged: its files are captured all the same, as those of one that git refuses.
            Err(Error::Git { .. } | Error::Answer { .. } | Error::File(_) | Error::Io { .. })
                if found.is_some() =>
            {
                capture_nested(workspace, run, (&path, None), &leave, &mut budget)?
            }
            captured => captured?,
        };
        unseen.extend(inner.unseen);
        left_out.extend(inner.left_out);
        nested.push(inner.nested);
    }
    nested.sort_by(|a, b| a.path.cmp(&b.path));
    left_out.sort();
    let files = combine(shadow, top.tree, &nested, memo)?;
    Ok((Contents { files, nested, left_out }, top.seen))
}

struct Inner {
    nested: Nested,
    unseen: Vec<RepoPath>,
    left_out: Vec<LeftOut>,
}

/// Captures a repository inside the work tree; its objects go where all others go.
fn capture_nested(
    workspace: &Workspace,
    run: &str,
    (path, repository): (&RepoPath, Option<&Repository>),
    leave: &Leave,
    budget: &mut Budget,
) -> Result<Inner, Error> {
    let directory = workspace.root().join(path.as_path());
    let place = match repository {
        Some(repository) => place::read(repository, None)?,
        None => Place::default(),
    };
    let key = blake3::hash(path.as_bytes()).to_hex();
    let shadow = workspace.run_directory(run).join("nested").join(&key.as_str()[..16]);
    let shadow = Shadow::new(shadow, &directory, &workspace.repository);
    let nowhere = Path::new("/dev/null");
    let exclude = shadow.prepare(repository.map_or(nowhere, |repository| &repository.exclude))?;
    let unit = Unit {
        shadow: &shadow,
        repository,
        is_top: false,
        exclude,
        leave: leave.seen_from(path),
        seen: None,
        held: Held::new(workspace, run).below(path),
    };
    let mut memo = Memo::load(&shadow)?;
    let before = memo.clone();
    let captured = capture(unit, &mut memo, budget)?;
    if memo != before || !shadow.memo().exists() {
        memo.save(&shadow)?;
    }
    left::note(&shadow);
    let below = |inner: LeftOut| LeftOut { path: inner.path.below(path), ..inner };
    Ok(Inner {
        nested: Nested { path: path.clone(), tree: captured.tree, head: place.head, branch: place.branch },
        unseen: captured.nested.iter().map(|inner| inner.below(path)).collect(),
        left_out: captured.left_out.into_iter().map(below).collect(),
    })
}

/// The repository whose work tree is exactly `directory`. One that git refuses has no rules of its own, and
/// its files are captured all the same.
fn discover(directory: &Path, outer: &Repository) -> Option<Repository> {
    let found = Repository::discover(directory).ok().flatten()?;
    let (excludes_file, stop) = (outer.excludes_file.clone(), outer.stop.clone());
    let found = Repository { excludes_file, stop, ..found };
    (found.top == directory).then_some(found)
}

fn reset_all(workspace: &Workspace, shadow: &Shadow, run: &str) -> Result<(), Error> {
    shadow.reset()?;
    let nested = workspace.run_directory(run).join("nested");
    match std::fs::remove_dir_all(&nested) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("remove the directory", &nested, error))
        }
        _ => Ok(()),
    }
}
