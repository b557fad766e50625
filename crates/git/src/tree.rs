//! Trees to compare: the files of a commit, or of the work tree as it is on disk.
//!
//! A commit's files are read from the object database, many with one process. The work tree is listed from the
//! user's index, which is only read: a file whose size and time are those of the index has the content that
//! the index names, any other is read from disk, and no filter of the repository's ever runs.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use piton_sys::file;

use crate::call::not_understood;
use crate::repository::Repository;
use crate::{Error, RepoPath};

/// Larger files are not code.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// The most that is read of one tree at once.
const BLOBS_BYTES_MAX: usize = 2 * 1024 * 1024 * 1024;
/// What an id begins with where the content is on disk only.
const ON_DISK: &str = "disk:";

/// A file in a tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Its path, spelled as [`RepoPath`] spells it.
    pub path: String,
    /// What names its content: equal ids mean equal bytes.
    pub id: String,
}

/// Why a tree could not be read.
pub type ReadError = Box<dyn std::error::Error + Send + Sync>;

/// A tree of files.
pub trait Tree {
    /// Every regular file, sorted by path.
    fn entries(&self) -> Result<Vec<Entry>, ReadError>;
    /// The bytes of these files, in the same order.
    fn read(&self, entries: &[Entry]) -> Result<Vec<Vec<u8>>, ReadError>;
}

/// The files of a commit.
#[derive(Clone, Debug)]
pub struct CommittedTree {
    repository: Repository,
    id: String,
}

/// The files on disk: tracked ones, and untracked ones that are not ignored.
#[derive(Clone, Debug)]
pub struct WorkTree {
    repository: Repository,
}

impl CommittedTree {
    /// The tree of the commit or tree `id`, a full object name.
    pub(crate) fn new(repository: Repository, id: String) -> Self {
        Self { repository, id }
    }
}

impl WorkTree {
    pub(crate) fn new(repository: Repository) -> Self {
        Self { repository }
    }
}

impl Tree for CommittedTree {
    fn entries(&self) -> Result<Vec<Entry>, ReadError> {
        Ok(listed(&self.repository, &self.id)?)
    }

    fn read(&self, entries: &[Entry]) -> Result<Vec<Vec<u8>>, ReadError> {
        let ids: Vec<_> = entries.iter().map(|entry| entry.id.as_str()).collect();
        Ok(blobs(&self.repository, &ids)?)
    }
}

impl Tree for WorkTree {
    fn entries(&self) -> Result<Vec<Entry>, ReadError> {
        let mut entries = tracked(&self.repository)?;
        entries.extend(untracked(&self.repository)?);
        entries.sort();
        entries.dedup_by(|a, b| a.path == b.path);
        Ok(entries)
    }

    fn read(&self, entries: &[Entry]) -> Result<Vec<Vec<u8>>, ReadError> {
        let stored = entries.iter().filter(|entry| !entry.id.starts_with(ON_DISK));
        let ids: Vec<_> = stored.map(|entry| entry.id.as_str()).collect();
        let mut blobs = blobs(&self.repository, &ids)?.into_iter();
        let mut all = Vec::with_capacity(entries.len());
        for entry in entries {
            all.push(match entry.id.starts_with(ON_DISK) {
                true => on_disk(&self.repository.top, &entry.path)?.unwrap_or_default(),
                false => blobs.next().unwrap_or_default(),
            });
        }
        Ok(all)
    }
}

/// `<mode> <type> <id>\t<path>\0`, regular files only.
fn listed(repository: &Repository, tree: &str) -> Result<Vec<Entry>, Error> {
    const COMMAND: &str = "ls-tree";
    let answer = repository.call(COMMAND).args(["-r", "-z", "--full-tree", tree]).bytes()?;
    let mut entries = Vec::new();
    for line in answer.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
        let mut halves = line.splitn(2, |byte| *byte == b'\t');
        let header = halves.next().and_then(|header| std::str::from_utf8(header).ok());
        let (Some(header), Some(path)) = (header, halves.next()) else {
            return Err(not_understood(COMMAND, line));
        };
        let fields: Vec<_> = header.split(' ').collect();
        let [mode, _, id] = fields[..] else { return Err(not_understood(COMMAND, line)) };
        if mode.starts_with("100") {
            entries.push(Entry { path: RepoPath::from_bytes(path).to_string(), id: id.to_owned() });
        }
    }
    entries.sort();
    Ok(entries)
}

/// The contents of many blobs with one process.
fn blobs(repository: &Repository, ids: &[&str]) -> Result<Vec<Vec<u8>>, Error> {
    const COMMAND: &str = "cat-file";
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut asked = ids.join("\n").into_bytes();
    asked.push(b'\n');
    let call = repository.call(COMMAND).arg("--batch").stdin(asked).output_bytes_max(BLOBS_BYTES_MAX);
    let answer = call.bytes()?;
    let mut rest = &answer[..];
    let mut contents = Vec::with_capacity(ids.len());
    for _ in ids {
        let (content, after) = blob(rest).ok_or_else(|| not_understood(COMMAND, rest))?;
        contents.push(content.to_vec());
        rest = after;
    }
    Ok(contents)
}

/// `<id> blob <size>\n<content>\n`.
fn blob(answer: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = answer.iter().position(|byte| *byte == b'\n')?;
    let header = std::str::from_utf8(&answer[..end]).ok()?;
    let size: usize = header.split(' ').nth(2)?.parse().ok()?;
    let content = answer.get(end + 1..end + 1 + size)?;
    Some((content, answer.get(end + 2 + size..)?))
}

/// The files of the user's index, as they are on disk.
fn tracked(repository: &Repository) -> Result<Vec<Entry>, Error> {
    const COMMAND: &str = "ls-files";
    let answer = repository.call(COMMAND).args(["--stage", "--debug", "-z"]).bytes()?;
    let index_time = repository
        .index
        .as_ref()
        .and_then(|index| std::fs::symlink_metadata(index).ok())
        .map_or((0, 0), |metadata| (metadata.mtime(), metadata.mtime_nsec()));
    let mut entries = Vec::new();
    let mut rest = &answer[..];
    while !rest.is_empty() {
        let (known, after) = indexed(rest).ok_or_else(|| not_understood(COMMAND, rest))?;
        rest = after;
        entries.extend(known.as_on_disk(&repository.top, index_time));
    }
    Ok(entries)
}

/// A file as the index knows it.
struct Indexed<'a> {
    is_regular: bool,
    id: &'a str,
    path: RepoPath,
    time: (i64, i64),
    size: u64,
}

/// `<mode> <id> <stage>\t<path>\0` and five lines of what the index remembers of the file.
fn indexed(answer: &[u8]) -> Option<(Indexed<'_>, &[u8])> {
    let end = answer.iter().position(|byte| *byte == 0)?;
    let tab = answer.iter().position(|byte| *byte == b'\t')?;
    let header = std::str::from_utf8(&answer[..tab]).ok()?;
    let mut fields = header.split(' ');
    let (mode, id) = (fields.next()?, fields.next()?);
    let mut rest = &answer[end + 1..];
    let mut lines = Vec::new();
    for _ in 0..5 {
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        lines.push(std::str::from_utf8(&rest[..end]).ok()?.trim());
        rest = &rest[end + 1..];
    }
    let (seconds, nanoseconds) = lines[1].strip_prefix("mtime: ")?.split_once(':')?;
    let size = lines[4].strip_prefix("size: ")?.split_whitespace().next()?;
    let indexed = Indexed {
        is_regular: mode.starts_with("100"),
        id,
        path: RepoPath::from_bytes(answer.get(tab + 1..end)?),
        time: (seconds.parse().ok()?, nanoseconds.parse().ok()?),
        size: size.parse().ok()?,
    };
    Some((indexed, rest))
}

impl Indexed<'_> {
    /// The file on disk; `None` where there is none, or something else.
    fn as_on_disk(&self, top: &Path, index_time: (i64, i64)) -> Option<Entry> {
        let metadata = std::fs::symlink_metadata(top.join(self.path.as_path())).ok()?;
        if !self.is_regular || !metadata.is_file() {
            return None;
        }
        let time = (metadata.mtime(), metadata.mtime_nsec());
        // As old as the index itself, it may have changed since without anybody being able to tell.
        let is_known = time == self.time && metadata.len() == self.size && time < index_time;
        let path = self.path.to_string();
        let id = if is_known { self.id.to_owned() } else { format!("{ON_DISK}{path}") };
        Some(Entry { path, id })
    }
}

fn untracked(repository: &Repository) -> Result<Vec<Entry>, Error> {
    let call = repository.call("ls-files").args(["--others", "--exclude-standard", "-z"]);
    let answer = call.bytes()?;
    let paths: BTreeSet<_> =
        answer.split(|byte| *byte == 0).filter(|path| !path.is_empty() && !path.ends_with(b"/")).collect();
    let entry = |path: &[u8]| {
        let path = RepoPath::from_bytes(path);
        let is_file = std::fs::symlink_metadata(repository.top.join(path.as_path())).ok()?.is_file();
        is_file.then(|| Entry { path: path.to_string(), id: format!("{ON_DISK}{path}") })
    };
    Ok(paths.into_iter().filter_map(entry).collect())
}

fn on_disk(top: &Path, path: &str) -> Result<Option<Vec<u8>>, ReadError> {
    let path = RepoPath::try_from(path.to_owned())?;
    match file::read_regular(&top.join(path.as_path()), FILE_BYTES_MAX) {
        Ok(bytes) => Ok(bytes),
        // A file that large is not looked into.
        Err(error) if error.refusal().is_some() => Ok(None),
        Err(error) => Err(error.into()),
    }
}
