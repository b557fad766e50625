//! `.piton/` survives `git clean`, and never makes a tree dirty.
//!
//! `git clean -fdx` skips directories that are repositories of their own, so the state directory is one. It
//! and the files that piton renders are listed in `info/exclude`, which belongs to this clone alone.

use std::collections::BTreeSet;
use std::path::Path;

use piton_sys::file::{self, Durability};
use piton_sys::{Ids, SystemIds};

use crate::call::Call;
use crate::{Error, RepoPath, SnapshotId, TreeId, Workspace};

/// Larger than any list of ignore rules that a person keeps.
const EXCLUDE_BYTES_MAX: u64 = 16 * 1024 * 1024;

pub(crate) fn protect(workspace: &Workspace) -> Result<(), Error> {
    create_private(&workspace.state)?;
    if workspace.is_private {
        return Ok(());
    }
    let state = workspace.state_path().and_then(|path| rule(&path, "/"));
    let rendered = workspace.rendered.iter().filter_map(|path| rule(path, ""));
    let hidden = workspace.hidden.iter().map(|pattern| format!("/{pattern}").into_bytes());
    let rules: Vec<_> = state.into_iter().chain(rendered).chain(hidden).collect();
    add_rules(&workspace.repository.exclude, &rules)
}

/// What a repository has, and what of it is a file that must not be lost.
const PARTS: [&str; 5] = ["HEAD", "objects", "refs", "config", "refs/heads/main"];
const FILES: [&str; 3] = ["HEAD", "config", "refs/heads/main"];

const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n";

/// Makes the private repository `state/.git`, unless it is there.
///
/// It is made aside and moved into place: a git that is killed, or a power cut, leaves neither half of a
/// repository nor a lock that nobody would ever remove.
pub(crate) fn create_private(state: &Path) -> Result<(), Error> {
    let git_dir = state.join(".git");
    let is_complete = || PARTS.iter().all(|name| git_dir.join(name).exists());
    ignore_all(state)?;
    if is_complete() {
        return Ok(());
    }
    let aside = state.join(format!("git.{}", SystemIds.hex(8)));
    let made = init(state, &aside).and_then(|()| move_into_place(&aside.join(".git"), &git_dir));
    // What stays behind is a few hundred bytes.
    let _ = std::fs::remove_dir_all(&aside);
    if made? || is_complete() {
        return Ok(());
    }
    // Something is there that lacks a part.
    init(state, state)
}

/// As a repository in another one, it never has anything to commit.
fn ignore_all(state: &Path) -> Result<(), Error> {
    let path = state.join(".gitignore");
    match path.symlink_metadata() {
        Ok(_) => Ok(()),
        Err(_) => Ok(file::write_atomic(&path, b"*\n", Durability::Unsynced)?),
    }
}

/// What `git init` would make, but for the link by which it tries whether there are such: one that it cannot remove again would stay.
///
/// Whoever makes a repository of the directory around it later may add everything there: git refuses to do so beside one
/// that has no commit, so it has an empty one. Nothing in it is anybody's change.
fn init(state: &Path, place: &Path) -> Result<(), Error> {
    for part in ["objects", "refs/heads", "refs/tags"] {
        let path = place.join(".git").join(part);
        std::fs::create_dir_all(&path).map_err(|source| Error::io("create the directory", &path, source))?;
    }
    for (part, text) in [("HEAD", "ref: refs/heads/main\n"), ("config", CONFIG)] {
        let path = place.join(".git").join(part);
        if path.symlink_metadata().is_err() {
            file::write_atomic(&path, text.as_bytes(), Durability::Unsynced)?;
        }
    }
    let git = |command| Call::new(command, state).env("GIT_DIR", place.join(".git"));
    let tree: TreeId = git("mktree").stdin(Vec::new()).id()?;
    let commit = git("commit-tree").setting("user.name=piton").setting("user.email=piton@localhost");
    let commit: SnapshotId = commit.args(["-m", "The state of piton"]).arg(tree.as_str()).id()?;
    git("update-ref").args(["HEAD", commit.as_str()]).bytes()?;
    Ok(())
}

fn move_into_place(from: &Path, to: &Path) -> Result<bool, Error> {
    for path in FILES.map(|name| from.join(name)) {
        let file = std::fs::File::open(&path).map_err(|source| Error::io("open", &path, source))?;
        file::sync_file(&file, &path)?;
    }
    file::sync_dir(from)?;
    let moved = file::rename_noreplace(from, to)?;
    if let Some(parent) = to.parent() {
        file::sync_dir(parent)?;
    }
    Ok(moved)
}

/// The rule that matches exactly `path`; `None` where no rule can, for a name with a line break.
fn rule(path: &RepoPath, end: &str) -> Option<Vec<u8>> {
    if path.is_root() || path.as_bytes().contains(&b'\n') {
        return None;
    }
    let mut rule = vec![b'/'];
    for &byte in path.as_bytes() {
        if matches!(byte, b'\\' | b'*' | b'?' | b'[' | b' ') {
            rule.push(b'\\');
        }
        rule.push(byte);
    }
    rule.extend_from_slice(end.as_bytes());
    Some(rule)
}

/// Appends the rules that the file does not have yet; what it has stays, line ends included. One in a directory that is a link is somebody
/// else's, and stays as it is: a clone may have brought the link.
fn add_rules(path: &Path, rules: &[Vec<u8>]) -> Result<(), Error> {
    if path.parent().is_some_and(Path::is_symlink) {
        return Ok(());
    }
    let mut content = file::read_regular(path, EXCLUDE_BYTES_MAX)?.unwrap_or_default();
    let line_end: &[u8] = if content.windows(2).any(|pair| pair == b"\r\n") { b"\r\n" } else { b"\n" };
    let is_listed = |rule: &[u8]| {
        let lines = content.split(|&byte| byte == b'\n');
        lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)).any(|line| line == rule)
    };
    let missing: Vec<_> = rules.iter().filter(|rule| !is_listed(rule)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    if !content.is_empty() && !content.ends_with(b"\n") {
        content.extend_from_slice(line_end);
    }
    for rule in missing {
        content.extend_from_slice(rule);
        content.extend_from_slice(line_end);
    }
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)
            .map_err(|source| Error::io("create the directory", parent, source))?;
    }
    Ok(file::write_atomic(path, &content, Durability::Synced)?)
}

/// Takes lines out of the file, and leaves everything else as it is. One that is a link, or in a directory that is one, is somebody else's.
pub(crate) fn remove_rules(path: &Path, lines: &BTreeSet<Vec<u8>>) -> Result<(), Error> {
    if path.is_symlink() || path.parent().is_some_and(Path::is_symlink) {
        return Ok(());
    }
    let content = file::read_regular(path, EXCLUDE_BYTES_MAX)?.unwrap_or_default();
    let kept = content.split_inclusive(|&byte| byte == b'\n');
    let kept = kept.filter(|line| !lines.contains(line.strip_suffix(b"\n").unwrap_or(line)));
    let kept: Vec<u8> = kept.flatten().copied().collect();
    if kept == content { Ok(()) } else { Ok(file::write_atomic(path, &kept, Durability::Synced)?) }
}
