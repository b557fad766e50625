//! What can go wrong, with what a caller needs to say or do next.

use std::path::{Path, PathBuf};

use piton_sys::process::Ended;

use crate::{RepoPath, SnapshotId};

/// A snapshot, a restore or a comparison that did not happen.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are in the text of each error")]
pub enum Error {
    /// There is no git to ask.
    #[error("program `git` not found in `PATH`")]
    GitMissing,
    /// git could not be started, or not be talked to.
    #[error("failed to run `git {command}`")]
    Run { command: &'static str, source: piton_sys::process::Error },
    /// git was killed at the deadline.
    #[error("`git {command}` did not end within {seconds} s")]
    TimedOut { command: &'static str, seconds: u64 },
    /// Somebody wants the run stopped now.
    #[error("the run is to stop now, and the tree takes longer to record")]
    Stopped,
    /// git said no.
    #[error("`git {command}` failed ({}): {stderr}", describe(*status))]
    Git { command: &'static str, status: Ended, stderr: String },
    /// git said something that this version of piton does not understand.
    #[error("`git {command}` gave an answer that piton does not understand: `{answer}`")]
    Answer { command: &'static str, answer: String },
    /// The clone does not have what it was made without, and nothing is fetched: its own settings would say by which program.
    #[error("this clone is partial, and does not have the object `{id}`")]
    Partial { id: String },
    /// The repository's own settings name a program that would be started.
    #[error(
        "`.git/config` says which program pushes (`{name}`), and an agent may have written it; push by hand, or set it with `git config --global`"
    )]
    ProgramOfTheRepository { name: String },
    /// A file of ours could not be written or read.
    #[error(transparent)]
    File(#[from] piton_sys::file::Error),
    /// A file or directory of the work tree resisted.
    #[error("failed to {action} `{}`", path.display())]
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
    /// `.git` is there, but git does not accept it as a repository.
    #[error("`{}` exists but is not a git repository; repair it or move it away", path.display())]
    BrokenRepository { path: PathBuf },
    /// A bare repository, or the inside of a `.git` directory.
    #[error("`{}` is inside a git repository but in no work tree; start from a work tree", root.display())]
    NoWorkTree { root: PathBuf },
    /// The repository's `core.worktree` sends its work tree somewhere else.
    #[error("the repository of `{}` has its work tree at `{}`; start from there", root.display(), top.display())]
    WorkTreeElsewhere { root: PathBuf, top: PathBuf },
    /// A run id that could not be part of a ref.
    #[error("`{run}` cannot name a run: letters, digits, `_` and `-`, at most 64")]
    BadRun { run: String },
    /// The commit was not made by [`crate::Workspace::snapshot`].
    #[error("`{id}` is not a snapshot of piton")]
    NotASnapshot { id: SnapshotId },
    /// Files kept changing while they were read.
    #[error("{} changed while being read, {rounds} times in a row; stop what writes there", list(paths))]
    Unstable { paths: Vec<RepoPath>, rounds: u32 },
    /// So much would be missing that the snapshot is not worth its name.
    #[error("{count} files are beyond the caps (at most {count_max} may be); list them in `.gitignore`")]
    TooMuchLeftOut { count: usize, count_max: usize },
    /// The work tree is not what piton last knew; restoring would overwrite somebody's work.
    #[error("{} changed since piton last looked", list(paths))]
    ForeignEdits { paths: Vec<RepoPath> },
    /// Something that no snapshot holds is where a file must be written.
    #[error("`{path}` is in the way and in no snapshot; move it away")]
    InTheWay { path: RepoPath },
    /// Writing would go through a symbolic link, to who knows where.
    #[error("`{path}` is a symbolic link on the way to a file to write; move it away")]
    SymlinkParent { path: RepoPath },
    /// After the restore the files are still not those of the snapshot.
    #[error("{} did not come out as in the snapshot; something else writes there", list(paths))]
    NotRestored { paths: Vec<RepoPath> },
}

impl Error {
    pub(crate) fn io(action: &'static str, path: &Path, source: impl Into<std::io::Error>) -> Self {
        Self::Io { action, path: path.to_owned(), source: source.into() }
    }
}

/// How many paths a message names before it only counts.
const NAMED_MAX: usize = 3;

fn list(paths: &[RepoPath]) -> String {
    let named: Vec<_> = paths.iter().take(NAMED_MAX).map(|path| format!("`{path}`")).collect();
    match paths.len().saturating_sub(NAMED_MAX) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

fn describe(status: Ended) -> String {
    match status {
        Ended::Code(code) => format!("exit code {code}"),
        Ended::Signal(signal) => format!("signal {signal}"),
    }
}
