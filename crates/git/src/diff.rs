//! What changed between two trees.
//!
//! Neither the repository's configuration nor its attributes have a say: no external program runs, and a
//! file is binary because of its bytes, not because `.gitattributes` would like its changes unseen.

use piton_record::record;

use crate::call::not_understood;
use crate::compared::{Compared, Numbers};
use crate::shadow::Shadow;
use crate::{Error, RepoPath};

const COMMAND: &str = "diff-tree";
/// Beyond so many candidates, a move shows as a deletion and an addition.
const RENAMES_MAX: &str = "-l1000";
/// The longest patch that is given as text.
const PATCH_BYTES_MAX: usize = 256 * 1024 * 1024;

/// What changed between two trees.
#[record(Default, Eq, written)]
pub struct Diff {
    /// The files that changed, sorted by path.
    pub files: Vec<FileChange>,
    /// Lines added, in all files that have lines.
    pub added: u64,
    /// Lines removed, in all files that have lines.
    pub removed: u64,
}

/// What changed in one file.
#[record(Eq, written)]
pub struct FileChange {
    /// Its path; the new one if it moved.
    pub path: RepoPath,
    /// What happened to it.
    pub kind: ChangeKind,
    /// Lines added; `None` for a binary file.
    pub added: Option<u64>,
    /// Lines removed; `None` for a binary file.
    pub removed: Option<u64>,
}

/// What happened to a file.
#[record(Eq)]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// Its content, its mode or its type changed.
    Modified,
    /// It is gone.
    Deleted,
    /// It moved, and may have changed on the way.
    Renamed {
        /// Where it was.
        from: RepoPath,
    },
}

/// A change as git lists it.
#[derive(Clone, Debug)]
pub(crate) struct RawChange {
    pub(crate) old_mode: String,
    pub(crate) old_id: String,
    pub(crate) new_mode: String,
    pub(crate) new_id: String,
    pub(crate) kind: ChangeKind,
    pub(crate) path: RepoPath,
}

/// A path that two trees do not agree about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub path: RepoPath,
    /// What named its content; nothing where it was not there.
    pub was: Option<String>,
    /// What names it now; nothing where it is gone.
    pub is: Option<String>,
}

impl From<RawChange> for Written {
    fn from(change: RawChange) -> Self {
        let there = |id: String, is_there: bool| is_there.then_some(id);
        let (was, is) = (change.kind != ChangeKind::Added, change.kind != ChangeKind::Deleted);
        Self { path: change.path, was: there(change.old_id, was), is: there(change.new_id, is) }
    }
}

pub(crate) fn compare(shadow: &Shadow, before: &str, after: &str) -> Result<Compared, Error> {
    let call =
        shadow.call(COMMAND).args(["-r", "-z", "--raw", "--numstat", "-M", RENAMES_MAX, "--no-abbrev"]);
    let answer = call.args(["--no-ext-diff", "--no-textconv", before, after, "--"]).bytes()?;
    let mut fields = Fields(answer.split(|&byte| byte == 0).peekable());
    let changes = fields.raw()?;
    let mut numbered = Vec::with_capacity(changes.len());
    for change in changes {
        let numbers = fields.numbers(&change)?;
        numbered.push((change, numbers));
    }
    Ok(Compared { before: before.to_owned(), after: after.to_owned(), changes: numbered })
}

pub(crate) fn text(shadow: &Shadow, before: &str, after: &str) -> Result<Vec<u8>, Error> {
    let call = shadow.call(COMMAND).output_bytes_max(PATCH_BYTES_MAX);
    call.args(["-r", "-p", "-M", RENAMES_MAX, "--full-index", "--no-color"])
        .args(["--no-ext-diff", "--no-textconv", before, after, "--"])
        .bytes()
}

/// The changes without moves and without numbers: what a restore has to do.
pub(crate) fn raw(shadow: &Shadow, before: &str, after: &str) -> Result<Vec<RawChange>, Error> {
    let call = shadow.call(COMMAND).args(["-r", "-z", "--raw", "--full-index", "--no-renames"]);
    raw_changes(&call.args([before, after, "--"]).bytes()?)
}

/// The changes that git has listed so.
pub(crate) fn raw_changes(answer: &[u8]) -> Result<Vec<RawChange>, Error> {
    Fields(answer.split(|&byte| byte == 0).peekable()).raw()
}

/// The answer, cut at its zero bytes.
struct Fields<I: Iterator>(std::iter::Peekable<I>);

impl<'a, I: Iterator<Item = &'a [u8]>> Fields<I> {
    /// `:<mode> <mode> <id> <id> <letter>\0<path>\0`, with a second path after a rename.
    fn raw(&mut self) -> Result<Vec<RawChange>, Error> {
        let mut changes = Vec::new();
        while let Some(header) = self.0.next_if(|field| field.starts_with(b":")) {
            let change = self.raw_change(header);
            changes.push(change.ok_or_else(|| not_understood(COMMAND, header))?);
        }
        Ok(changes)
    }

    fn raw_change(&mut self, header: &[u8]) -> Option<RawChange> {
        let fields: Vec<_> = std::str::from_utf8(header).ok()?.split(' ').collect();
        let [old_mode, new_mode, old_id, new_id, letter] = fields[..] else { return None };
        let path = RepoPath::from_bytes(self.0.next()?);
        let (kind, path) = match letter.as_bytes().first()? {
            b'A' => (ChangeKind::Added, path),
            b'D' => (ChangeKind::Deleted, path),
            b'R' => (ChangeKind::Renamed { from: path }, RepoPath::from_bytes(self.0.next()?)),
            b'M' | b'T' => (ChangeKind::Modified, path),
            _ => return None,
        };
        Some(RawChange {
            old_mode: old_mode.strip_prefix(':')?.to_owned(),
            old_id: old_id.to_owned(),
            new_mode: new_mode.to_owned(),
            new_id: new_id.to_owned(),
            kind,
            path,
        })
    }

    /// `<added>\t<removed>\t<path>\0`, with `-` for binary; after a rename the path is empty and two follow.
    fn numbers(&mut self, change: &RawChange) -> Result<Numbers, Error> {
        let line = self.0.next().unwrap_or_default();
        let mut columns = line.splitn(3, |&byte| byte == b'\t');
        let mut number = || {
            let text = std::str::from_utf8(columns.next()?).ok()?;
            if text == "-" { Some(None) } else { text.parse().ok().map(Some) }
        };
        let numbers = number().zip(number());
        let (added, removed) = numbers.ok_or_else(|| not_understood(COMMAND, line))?;
        let mut path = columns.next().unwrap_or_default();
        if path.is_empty() {
            self.0.next();
            path = self.0.next().unwrap_or_default();
        }
        // Both lists are in the same order; were they not, the numbers would belong to another file.
        if path == change.path.as_bytes() { Ok((added, removed)) } else { Err(not_understood(COMMAND, line)) }
    }
}
