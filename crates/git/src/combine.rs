//! Trees made from entries: the files of nested repositories and the hidden ones join the captured ones.

use std::path::Path;

use piton_record::record;
use piton_sys::file;

use crate::call::not_understood;
use crate::memo::Memo;
use crate::select::is_missing;
use crate::shadow::{self, Shadow};
use crate::{Error, Nested, RepoPath, TreeId};

/// A file in a tree.
#[record(Eq)]
pub(crate) struct Entry {
    pub(crate) mode: String,
    pub(crate) id: String,
    pub(crate) path: RepoPath,
}

impl Entry {
    /// Whether it names a commit of another repository, as a submodule does.
    pub(crate) fn is_gitlink(&self) -> bool {
        self.mode == "160000"
    }
}

/// A whole work tree.
#[record(Eq, written)]
pub(crate) struct Combined {
    /// Digest of what it was made from.
    key: String,
    pub(crate) tree: TreeId,
    /// The hidden files alone.
    pub(crate) hidden: Option<TreeId>,
}

/// Joins the captured files of the work tree with those of nested repositories and those that a sparse
/// checkout hides.
pub(crate) fn combine(
    shadow: &Shadow,
    own: TreeId,
    nested: &[Nested],
    memo: &mut Memo,
) -> Result<Combined, Error> {
    let hidden: Vec<_> = memo.theirs.iter().flat_map(|theirs| &theirs.hidden).cloned().collect();
    // What the run had on the disk is gone from there, whatever the index is told about it since.
    let is_gone = |entry: &Entry| memo.gone.as_ref().is_some_and(|gone| gone.contains(&entry.path));
    let hidden: Vec<_> =
        hidden.into_iter().filter(|entry| is_absent(shadow.work_tree(), entry) && !is_gone(entry)).collect();
    if nested.is_empty() && hidden.is_empty() {
        return Ok(Combined { key: String::new(), tree: own, hidden: None });
    }
    let parts = serde_json::to_vec(&(&own, nested, &hidden)).expect("entries are plain data");
    let key = blake3::hash(&parts).to_hex().to_string();
    if let Some(known) = memo.combined.as_ref().filter(|known| known.key == key) {
        return Ok(known.clone());
    }
    let mut entries = hidden.clone();
    for inner in nested {
        entries.extend(list(shadow, inner.tree.as_str(), &inner.path)?);
    }
    let tree = tree_of(shadow, Some(&shadow.index()), &entries)?;
    let hidden = if hidden.is_empty() { None } else { Some(tree_of(shadow, None, &hidden)?) };
    let combined = Combined { key, tree, hidden };
    memo.combined = Some(combined.clone());
    Ok(combined)
}

/// The files of a tree, as paths below `directory`.
pub(crate) fn list(shadow: &Shadow, tree: &str, directory: &RepoPath) -> Result<Vec<Entry>, Error> {
    const COMMAND: &str = "ls-tree";
    let answer = shadow.call(COMMAND).args(["-r", "-z", "--full-tree", tree]).bytes()?;
    let lines = answer.split(|&byte| byte == 0).filter(|line| !line.is_empty());
    let entry = |line: &[u8]| {
        // <mode> <type> <id>\t<path>
        let tab = line.iter().position(|&byte| byte == b'\t')?;
        let fields: Vec<_> = std::str::from_utf8(&line[..tab]).ok()?.split(' ').collect();
        let [mode, _, id] = fields[..] else { return None };
        let path = RepoPath::from_bytes(&line[tab + 1..]).below(directory);
        Some(Entry { mode: mode.to_owned(), id: id.to_owned(), path })
    };
    lines.map(|line| entry(line).ok_or_else(|| not_understood(COMMAND, line))).collect()
}

/// The tree with these entries, on top of those of `base`.
pub(crate) fn tree_of(shadow: &Shadow, base: Option<&Path>, entries: &[Entry]) -> Result<TreeId, Error> {
    let scratch = shadow.path("scratch-index");
    file::remove_file_if_exists(&scratch)?;
    if let Some(base) = base.filter(|base| base.exists()) {
        let bytes = std::fs::read(base).map_err(|source| Error::io("read", base, source))?;
        shadow::write(&scratch, &bytes)?;
    }
    write_scratch(shadow, &scratch, entries)
}

/// The tree with these entries, on top of those of the tree `base`; an entry of mode 0 is taken out.
pub(crate) fn tree_on(shadow: &Shadow, base: &str, entries: &[Entry]) -> Result<TreeId, Error> {
    let scratch = shadow.path("scratch-index");
    file::remove_file_if_exists(&scratch)?;
    shadow.call("read-tree").env("GIT_INDEX_FILE", &scratch).arg(base).bytes()?;
    write_scratch(shadow, &scratch, entries)
}

/// The tree of the index `scratch`, with these entries. The index is gone afterwards.
fn write_scratch(shadow: &Shadow, scratch: &Path, entries: &[Entry]) -> Result<TreeId, Error> {
    let mut lines = Vec::new();
    for Entry { mode, id, path } in entries {
        lines.extend_from_slice(format!("{mode} {id}\t").as_bytes());
        lines.extend_from_slice(path.as_bytes());
        lines.push(0);
    }
    let call = |command| shadow.call(command).env("GIT_INDEX_FILE", scratch);
    if !lines.is_empty() {
        call("update-index").args(["-z", "--index-info"]).stdin(lines).bytes()?;
    }
    // Hidden files of a partial clone need not be there; captured ones were checked when their tree was made.
    let tree = call("write-tree").arg("--missing-ok").id()?;
    file::remove_file_if_exists(scratch)?;
    Ok(tree)
}

/// Whether nothing on disk has the place of a hidden file.
fn is_absent(work_tree: &Path, entry: &Entry) -> bool {
    match work_tree.join(entry.path.as_path()).symlink_metadata() {
        Ok(_) => false,
        // A file where its directory would be has the place as well.
        Err(error) => is_missing(&error) && error.kind() != std::io::ErrorKind::NotADirectory,
    }
}
