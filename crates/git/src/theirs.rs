//! What the user's index holds, read from a copy: theirs is never locked, refreshed or written.

use std::fs::{File, FileTimes};
use std::path::{Path, PathBuf};

use piton_record::record;
use piton_sys::file;

use crate::call::{Call, not_understood};
use crate::combine::{Entry, tree_of};
use crate::repository::Repository;
use crate::shadow::{self, Shadow};
use crate::{Error, Index, RepoPath};

/// An index of ten million files is smaller.
const INDEX_BYTES_MAX: u64 = 2 * 1024 * 1024 * 1024;
const LIST: &str = "ls-files";

/// What a snapshot needs to know of the user's index.
#[record(Default, Eq, written)]
pub(crate) struct Theirs {
    /// Digest of the index file.
    pub(crate) digest: String,
    pub(crate) index: Option<Index>,
    /// Files that a sparse checkout keeps off the disk.
    pub(crate) hidden: Vec<Entry>,
    /// Submodules.
    pub(crate) gitlinks: Vec<RepoPath>,
}

/// One line of the user's index.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) entry: Entry,
    pub(crate) stage: u8,
    pub(crate) is_hidden: bool,
    pub(crate) is_assumed_unchanged: bool,
}

/// Reads the user's index, unless it is still as `known`.
pub(crate) fn read(
    repository: &Repository,
    shadow: &Shadow,
    known: Option<&Theirs>,
    with_tree: bool,
) -> Result<Option<Theirs>, Error> {
    let Some(path) = &repository.index else { return Ok(unless_known(Theirs::default(), known)) };
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    // The time first: should the file be replaced now, an older time only makes git look twice.
    let modified = path.symlink_metadata().and_then(|metadata| metadata.modified());
    let copy = copy_of(shadow);
    let Some(bytes) = file::read_regular(&path, INDEX_BYTES_MAX)? else {
        file::remove_file_if_exists(&copy)?;
        return Ok(unless_known(Theirs::default(), known));
    };
    let digest = blake3::hash(&bytes).to_hex().to_string();
    if known.is_some_and(|known| known.digest == digest) && copy.exists() {
        return Ok(None);
    }
    shadow::write(&copy, &bytes)?;
    set_modified(&copy, modified.map_err(|source| Error::io("look at", &path, source))?)?;
    make_whole(repository, &copy)?;
    let lines = list(shadow)?;
    let index = if with_tree { Some(record(shadow, &lines)?) } else { None };
    let hidden = lines.iter().filter(|line| line.is_hidden && !line.entry.is_gitlink());
    let gitlinks = lines.iter().filter(|line| line.entry.is_gitlink());
    Ok(Some(Theirs {
        digest,
        index,
        hidden: hidden.map(|line| line.entry.clone()).collect(),
        gitlinks: gitlinks.map(|line| line.entry.path.clone()).collect(),
    }))
}

fn unless_known(found: Theirs, known: Option<&Theirs>) -> Option<Theirs> {
    (known != Some(&found)).then_some(found)
}

/// The copy of the user's index.
pub(crate) fn copy_of(shadow: &Shadow) -> PathBuf {
    shadow.path("their-index")
}

/// The lines of the copy.
pub(crate) fn list(shadow: &Shadow) -> Result<Vec<Line>, Error> {
    let answer = on_copy(shadow, LIST).args(["--stage", "-v", "-z"]).bytes()?;
    let lines = answer.split(|&byte| byte == 0).filter(|line| !line.is_empty());
    lines.map(|line| parse(line).ok_or_else(|| not_understood(LIST, line))).collect()
}

/// Gives a copy of an index the time of the original, which git compares file times with.
pub(crate) fn set_modified(copy: &Path, modified: std::time::SystemTime) -> Result<(), Error> {
    let times = FileTimes::new().set_modified(modified);
    File::options()
        .write(true)
        .open(copy)
        .and_then(|file| file.set_times(times))
        .map_err(|source| Error::io("set the time of", copy, source))
}

/// A split index keeps most of itself in a second file, which only the user's git directory has.
fn make_whole(repository: &Repository, copy: &Path) -> Result<(), Error> {
    let is_shared = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(b"sharedindex.");
    let mut files = std::fs::read_dir(&repository.git_dir).into_iter().flatten().flatten();
    if files.any(|entry| is_shared(&entry.file_name())) {
        let call = repository.call("update-index").env("GIT_INDEX_FILE", copy);
        call.args(["--no-split-index", "--force-write-index"]).bytes()?;
    }
    Ok(())
}

/// Keeps what is staged: as a tree, or during a merge as the file itself with all that it names.
fn record(shadow: &Shadow, lines: &[Line]) -> Result<Index, Error> {
    if lines.iter().all(|line| line.stage == 0) {
        // A partial clone need not have every object, and is never asked to fetch one.
        return Ok(Index::Tree(on_copy(shadow, "write-tree").arg("--missing-ok").id()?));
    }
    let file = shadow.call("hash-object").args(["-w", "--no-filters", "--"]).arg(copy_of(shadow)).id()?;
    let by_stage = |line: &Line| {
        let stage = RepoPath::from_bytes(format!("stage-{}", line.stage).as_bytes());
        Entry { path: line.entry.path.below(&stage), ..line.entry.clone() }
    };
    let kept = tree_of(shadow, None, &lines.iter().map(by_stage).collect::<Vec<_>>())?;
    Ok(Index::Unmerged { file, kept })
}

/// A call that sees the copy as its index.
pub(crate) fn on_copy(shadow: &Shadow, command: &'static str) -> Call {
    shadow.call(command).env("GIT_INDEX_FILE", copy_of(shadow))
}

/// `H 100644 <id> <stage>\t<path>`, the letter small where the file is assumed unchanged.
fn parse(line: &[u8]) -> Option<Line> {
    let tab = line.iter().position(|&byte| byte == b'\t')?;
    let (fields, path) = (std::str::from_utf8(&line[..tab]).ok()?, &line[tab + 1..]);
    let fields: Vec<_> = fields.split(' ').collect();
    let [tag, mode, id, stage] = fields[..] else { return None };
    Some(Line {
        entry: Entry { mode: mode.to_owned(), id: id.to_owned(), path: RepoPath::from_bytes(path) },
        stage: stage.parse().ok()?,
        is_hidden: tag.eq_ignore_ascii_case("s"),
        is_assumed_unchanged: tag.bytes().all(|byte| byte.is_ascii_lowercase()),
    })
}
