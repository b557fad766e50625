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
use crate::compared::Comparisons;
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
    /// What differs from an older tree, and the file `also` of that tree; `None` where it cannot be told faster than
    /// by listing both.
    fn changed_from(&self, _base: &dyn Tree, _also: Option<&str>) -> Result<Option<Changed>, ReadError> {
        Ok(None)
    }
    /// The commit whose files these are, where they are those of one.
    fn committed(&self) -> Option<&CommittedTree> {
        None
    }
}

/// What differs between two trees: regular files only, sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Files of the old tree that are other or gone in the new one, with their bytes.
    pub before: Vec<(String, Vec<u8>)>,
    /// Files of the new tree that were other or not there, with their bytes.
    pub after: Vec<(String, Vec<u8>)>,
    /// The file that was asked for besides.
    pub also: Option<Vec<u8>>,
}

/// The files of a commit.
#[derive(Clone, Debug)]
pub struct CommittedTree {
    repository: Repository,
    id: String,
    comparisons: Comparisons,
}

/// The files on disk: tracked ones, and untracked ones that are not ignored.
#[derive(Clone, Debug)]
pub struct WorkTree {
    repository: Repository,
}

impl CommittedTree {
    /// The tree of the commit or tree `id`, a full object name.
    pub(crate) fn new(repository: Repository, id: String, comparisons: Comparisons) -> Self {
        Self { repository, id, comparisons }
    }

    /// The files of `base` that are other or gone here, and the files here that were other or not there.
    pub fn differs_from(&self, base: &CommittedTree) -> Result<(Vec<Entry>, Vec<Entry>), Error> {
        let (before, after) = self.differing_from(base)?;
        Ok((before.regular, after.regular))
    }

    /// The same, with links.
    fn differing_from(&self, base: &CommittedTree) -> Result<(Files, Files), Error> {
        match self.comparisons.of(&base.id, &self.id) {
            Some(known) => Ok(known.files()),
            None => differing(&self.repository, &base.id, &self.id),
        }
    }
}

/// What is in a tree and has a content of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    /// Regular files, sorted.
    pub(crate) regular: Vec<Entry>,
    /// Links, sorted. Their content is where they lead.
    pub(crate) links: Vec<Entry>,
}

impl Files {
    /// Adds what has this mode, unless it is neither.
    pub(crate) fn add(&mut self, mode: &str, entry: Entry) {
        match kind(mode) {
            Some(Kind::Regular) => self.regular.push(entry),
            Some(Kind::Link) => self.links.push(entry),
            None => {}
        }
    }

    pub(crate) fn sort(&mut self) {
        self.regular.sort();
        self.links.sort();
    }

    /// Without what is `gone`, and with what is `new`.
    fn follow(&mut self, gone: &Self, new: Self) {
        self.regular.retain(|entry| gone.regular.binary_search(entry).is_err());
        self.links.retain(|entry| gone.links.binary_search(entry).is_err());
        self.regular.extend(new.regular);
        self.links.extend(new.links);
        self.sort();
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Regular,
    Link,
}

/// What a mode of git's stands for; nothing for directories and nested repositories.
pub(crate) fn kind(mode: &str) -> Option<Kind> {
    match mode {
        "120000" => Some(Kind::Link),
        _ if mode.starts_with("100") => Some(Kind::Regular),
        _ => None,
    }
}

/// Remembers the files of the tree that was listed last: the next one is told from what differs, which costs what
/// changed and not what is there.
#[derive(Debug, Default)]
pub struct Listings {
    last: Option<(CommittedTree, Files)>,
}

impl Listings {
    /// The tree with its files listed.
    pub fn list(&mut self, tree: CommittedTree) -> Result<ListedTree<'_>, Error> {
        let same = |last: &&mut (CommittedTree, Files)| last.0.repository.git_dir == tree.repository.git_dir;
        let files = match self.last.as_mut().filter(same) {
            Some((last, files)) if last.id == tree.id => std::mem::take(files),
            Some((last, files)) => {
                let (gone, new) = tree.differing_from(last)?;
                let mut files = std::mem::take(files);
                files.follow(&gone, new);
                files
            }
            None => files(&tree.repository, &tree.id)?,
        };
        let (tree, files) = self.last.insert((tree, files));
        Ok(ListedTree { tree, files })
    }
}

/// A tree whose files are known.
#[derive(Debug)]
pub struct ListedTree<'a> {
    tree: &'a CommittedTree,
    files: &'a Files,
}

impl ListedTree<'_> {
    /// The links, each with where it leads.
    pub fn links(&self) -> Result<Vec<(String, String)>, Error> {
        let links = &self.files.links;
        let ids: Vec<_> = links.iter().map(|link| link.id.as_str()).collect();
        let targets = blobs(&self.tree.repository, &ids)?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok(links.iter().map(|link| link.path.clone()).zip(targets.into_iter().map(text)).collect())
    }
}

impl Tree for ListedTree<'_> {
    fn entries(&self) -> Result<Vec<Entry>, ReadError> {
        Ok(self.files.regular.clone())
    }

    fn read(&self, entries: &[Entry]) -> Result<Vec<Vec<u8>>, ReadError> {
        self.tree.read(entries)
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

    fn changed_from(&self, base: &dyn Tree, also: Option<&str>) -> Result<Option<Changed>, ReadError> {
        // Objects of another repository are not in this one.
        let same = |base: &&CommittedTree| base.repository.git_dir == self.repository.git_dir;
        let Some(base) = base.committed().filter(same) else { return Ok(None) };
        let (before, after) = self.differs_from(base)?;
        let named = also.map(|also| format!("{}:{also}", base.id));
        let ids = before.iter().chain(&after).map(|entry| entry.id.as_str());
        let names: Vec<_> = ids.chain(named.as_deref()).collect();
        let mut contents = asked(&self.repository, &names)?.into_iter();
        let mut take = |entries: Vec<Entry>| -> Result<Vec<_>, Error> {
            let mut files = Vec::with_capacity(entries.len());
            for entry in entries {
                let content =
                    contents.next().flatten().ok_or_else(|| missing(&self.repository, &entry.id))?;
                files.push((entry.path, content));
            }
            Ok(files)
        };
        let (before, after) = (take(before)?, take(after)?);
        Ok(Some(Changed { before, after, also: contents.next().flatten() }))
    }

    fn committed(&self) -> Option<&CommittedTree> {
        Some(self)
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

/// The regular files of a tree.
pub(crate) fn listed(repository: &Repository, tree: &str) -> Result<Vec<Entry>, Error> {
    Ok(files(repository, tree)?.regular)
}

/// `<mode> <type> <id>\t<path>\0`.
fn files(repository: &Repository, tree: &str) -> Result<Files, Error> {
    const COMMAND: &str = "ls-tree";
    let answer = repository.call(COMMAND).args(["-r", "-z", "--full-tree", tree]).bytes()?;
    let mut files = Files::default();
    for line in answer.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
        let mut halves = line.splitn(2, |byte| *byte == b'\t');
        let header = halves.next().and_then(|header| std::str::from_utf8(header).ok());
        let (Some(header), Some(path)) = (header, halves.next()) else {
            return Err(not_understood(COMMAND, line));
        };
        let fields: Vec<_> = header.split(' ').collect();
        let [mode, _, id] = fields[..] else { return Err(not_understood(COMMAND, line)) };
        files.add(mode, Entry { path: RepoPath::from_bytes(path).to_string(), id: id.to_owned() });
    }
    files.sort();
    Ok(files)
}

/// What differs between two trees: `:<mode> <mode> <id> <id> <status>\0<path>\0`.
fn differing(repository: &Repository, old: &str, new: &str) -> Result<(Files, Files), Error> {
    const COMMAND: &str = "diff-tree";
    let options = ["-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none"];
    let answer = repository.call(COMMAND).args(options).args([old, new]).bytes()?;
    let (mut before, mut after) = (Files::default(), Files::default());
    let mut parts = answer.split(|byte| *byte == 0).filter(|part| !part.is_empty());
    while let Some(header) = parts.next() {
        let text = std::str::from_utf8(header).ok().and_then(|text| text.strip_prefix(':'));
        let fields: Vec<_> = text.map(|text| text.split(' ').collect()).unwrap_or_default();
        let (&[old_mode, new_mode, old_id, new_id, _], Some(path)) = (&fields[..], parts.next()) else {
            return Err(not_understood(COMMAND, header));
        };
        // A mode alone is no other content.
        if old_id == new_id && kind(old_mode) == kind(new_mode) {
            continue;
        }
        let path = RepoPath::from_bytes(path).to_string();
        for (files, mode, id) in [(&mut before, old_mode, old_id), (&mut after, new_mode, new_id)] {
            files.add(mode, Entry { path: path.clone(), id: id.to_owned() });
        }
    }
    before.sort();
    after.sort();
    Ok((before, after))
}

/// The contents of many blobs with one process.
pub(crate) fn blobs(repository: &Repository, ids: &[&str]) -> Result<Vec<Vec<u8>>, Error> {
    let contents = asked(repository, ids)?.into_iter().zip(ids);
    contents.map(|(content, id)| content.ok_or_else(|| missing(repository, id))).collect()
}

/// Why there is no such object: in a partial clone, because it was made without.
fn missing(repository: &Repository, id: &str) -> Error {
    const PARTIAL: &str = r"^(remote\..*\.(promisor|partialclonefilter)|extensions\.partialclone)$";
    let partial = repository.call("config").args(["--get-regexp", PARTIAL]).run();
    match partial.is_ok_and(|found| found.success()) {
        true => Error::Partial { id: id.to_owned() },
        false => not_understood("cat-file", id.as_bytes()),
    }
}

/// What names stand for, with one process; `None` where there is nothing.
fn asked(repository: &Repository, names: &[&str]) -> Result<Vec<Option<Vec<u8>>>, Error> {
    const COMMAND: &str = "cat-file";
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let mut asked = names.join("\n").into_bytes();
    asked.push(b'\n');
    let call = repository.call(COMMAND).arg("--batch").stdin(asked).output_bytes_max(BLOBS_BYTES_MAX);
    let answer = call.bytes()?;
    let mut rest = &answer[..];
    let mut contents = Vec::with_capacity(names.len());
    for name in names {
        let missing = format!("{name} missing\n");
        if let Some(after) = rest.strip_prefix(missing.as_bytes()) {
            contents.push(None);
            rest = after;
            continue;
        }
        let (content, after) = blob(rest).ok_or_else(|| not_understood(COMMAND, rest))?;
        contents.push(Some(content.to_vec()));
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
