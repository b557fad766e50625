//! The first private index of a run: the user's, less what it cannot be trusted about.
//!
//! An entry says that a file with these times has that content *as git would store it*. It is kept only where
//! that is also the content on disk: the sizes agree, which rules out every conversion of line ends and of
//! `$Id$`, and no filter or encoding applies, which could keep the size. All else is read again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::call::not_understood;
use crate::capture::Leave;
use crate::repository::Repository;
use crate::shadow::{self, Shadow};
use crate::theirs::{self, Line};
use crate::{Error, RepoPath};

/// Fills the private index from the copy of the user's, where there is one.
pub(crate) fn seed(repository: &Repository, shadow: &Shadow, leave: &Leave) -> Result<(), Error> {
    let copy = theirs::copy_of(shadow);
    let Ok(metadata) = copy.symlink_metadata() else { return Ok(()) };
    let modified = metadata.modified().map_err(|source| Error::io("look at", &copy, source))?;
    let lines = theirs::list(shadow)?;
    let sizes = sizes(shadow, &lines)?;
    let converted = converted(repository, &copy, &lines)?;
    let is_trusted = |line: &Line| {
        line.stage == 0
            && !line.is_hidden
            && !line.entry.is_gitlink()
            && !leave.covers(&line.entry.path)
            && !converted.contains(&line.entry.path)
            && sizes.get(line.entry.id.as_str()).is_some_and(|&size| size == size_on_disk(shadow, line))
    };
    let mut dropped: Vec<_> =
        lines.iter().filter(|line| !is_trusted(line)).map(|line| &line.entry.path).collect();
    dropped.dedup();
    if dropped.len() >= lines.len() {
        return Ok(());
    }
    let bytes = std::fs::read(&copy).map_err(|source| Error::io("read", &copy, source))?;
    shadow::write(&shadow.index(), &bytes)?;
    theirs::set_modified(&shadow.index(), modified)?;
    remove(shadow, dropped)?;
    let assumed = lines.iter().filter(|line| line.is_assumed_unchanged && is_trusted(line));
    change(shadow, "--no-assume-unchanged", assumed.map(|line| &line.entry.path).collect())
}

/// Takes paths out of the private index. From the end, so that git has little to move for each.
pub(crate) fn remove<'a>(
    shadow: &Shadow,
    paths: impl IntoIterator<Item = &'a RepoPath>,
) -> Result<(), Error> {
    let mut paths: Vec<_> = paths.into_iter().collect();
    paths.sort_unstable_by(|a, b| b.cmp(a));
    change(shadow, "--force-remove", paths)
}

fn change(shadow: &Shadow, how: &str, paths: Vec<&RepoPath>) -> Result<(), Error> {
    if paths.is_empty() {
        return Ok(());
    }
    shadow.call("update-index").args([how, "-z", "--stdin"]).stdin(lines_of(paths)).bytes().map(drop)
}

/// Paths as git reads them, each with a zero byte after it.
pub(crate) fn lines_of<'a>(paths: impl IntoIterator<Item = &'a RepoPath>) -> Vec<u8> {
    paths.into_iter().flat_map(|path| path.as_bytes().iter().copied().chain([0])).collect()
}

/// The sizes of the objects that the lines name; those that are missing have none.
fn sizes<'a>(shadow: &Shadow, lines: &'a [Line]) -> Result<BTreeMap<&'a str, u64>, Error> {
    let ids: BTreeSet<_> =
        lines.iter().filter(|line| !line.entry.is_gitlink()).map(|line| &*line.entry.id).collect();
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let input = ids.iter().flat_map(|id| [id, "\n"]).collect::<String>();
    let call = shadow.call("cat-file").arg("--batch-check=%(objectsize)").stdin(input.into_bytes());
    let answer = call.bytes()?;
    let answer = String::from_utf8_lossy(&answer);
    // A missing object answers `<id> missing`, which is no number.
    Ok(ids.into_iter().zip(answer.lines()).filter_map(|(id, size)| Some((id, size.parse().ok()?))).collect())
}

fn size_on_disk(shadow: &Shadow, line: &Line) -> u64 {
    let path = shadow.work_tree().join(line.entry.path.as_path());
    path.symlink_metadata().map_or(u64::MAX, |metadata| metadata.len())
}

/// The files under a filter or an encoding, by the user's attributes.
fn converted(repository: &Repository, copy: &Path, lines: &[Line]) -> Result<BTreeSet<RepoPath>, Error> {
    const COMMAND: &str = "check-attr";
    let input = lines_of(lines.iter().map(|line| &line.entry.path));
    if input.is_empty() {
        return Ok(BTreeSet::new());
    }
    let call = repository.call(COMMAND).env("GIT_INDEX_FILE", copy);
    let answer = call.args(["--stdin", "-z", "filter", "working-tree-encoding"]).stdin(input).bytes()?;
    let fields: Vec<_> = answer.split(|&byte| byte == 0).collect();
    let mut converted = BTreeSet::new();
    for record in fields.chunks(3) {
        match record {
            [path, _, value] if *value != b"unspecified" => {
                converted.insert(RepoPath::from_bytes(path));
            }
            [_, _, _] | [b""] => {}
            _ => return Err(not_understood(COMMAND, &record.concat())),
        }
    }
    Ok(converted)
}
