//! What can be known of an attempt, and done about it, from outside its keeper.

use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_sys::fault;
use piton_sys::file::{self, Durability};
use piton_sys::lock::FileLock;
use piton_sys::process::{self, Above, Emptied, FileId, KillError, Signal, Tree, TreeKind};

use crate::directory::{self, ABANDONED, DIRECTORY_VARIABLE, EXIT, KEEPER, LOCK, STARTED};
use crate::keeper::SPARE;
use crate::record::{Exit, KeeperRecord, Started};
use crate::spec::{SpecProblem, check_name};

/// How long the processes of a dead keeper may take to die.
const REAP_PATIENCE: Duration = Duration::from_secs(10);

/// What became of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nobody published it. A keeper may still be about to: [`abandon`] it before saying it never started.
    Absent,
    /// It never started, and never will.
    Abandoned,
    /// Its keeper lives.
    Alive {
        /// What runs; `None` in the moment before it is written down.
        started: Option<Started>,
    },
    /// It ended, and nothing of it runs.
    Finished(Exit),
    /// Its keeper was killed. Something of it may still run: [`reap`] it.
    Dead {
        /// What ran; `None` where the keeper was killed before it could say.
        started: Option<Started>,
    },
}

/// Why nothing can be said of an attempt, or done about it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] file::Error),
    /// The attempt cannot be called that, or cannot be run.
    #[error(transparent)]
    Spec(#[from] SpecProblem),
    /// A record is not what a keeper writes.
    #[error("`{}` is damaged", path.display())]
    Damaged {
        /// The record.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The keeper lives; it is not for others to kill what it holds.
    #[error("attempt `{name}` is still held by its keeper")]
    StillHeld {
        /// The attempt.
        name: String,
    },
    /// The keeper ended or fell silent without a word. Whether it published is to be looked up.
    #[error("the keeper of attempt `{name}` did not answer")]
    NoAnswer {
        /// The attempt.
        name: String,
    },
    /// What was published is not there any more.
    #[error("`{}` vanished while the attempt ran; its keeper ends it", directory.display())]
    Vanished {
        /// The directory of the attempt.
        directory: PathBuf,
    },
    /// A system call about a process failed.
    #[error("failed to {action}")]
    Process {
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
    /// Processes that do not die.
    #[error(transparent)]
    Kill(#[from] KillError),
}

/// Looks up what became of the attempt `name`.
pub fn look(attempts: &Path, name: &str) -> Result<Found, Error> {
    let directory = directory::of(attempts, name)?;
    match std::fs::symlink_metadata(&directory) {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => file::check_private_dir(&directory)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Found::Absent),
        Err(error) => return Err(file::Error::new("look at", &directory, error).into()),
    }
    // The lock first: once it is free nothing changes any more, so what is read afterwards is final.
    if FileLock::is_held(&directory.join(LOCK))? {
        return Ok(Found::Alive { started: started_in(&directory)? });
    }
    if let Some(exit) = directory::read(&directory.join(EXIT))? {
        return Ok(Found::Finished(exit));
    }
    if directory.join(ABANDONED).is_file() {
        return Ok(Found::Abandoned);
    }
    Ok(Found::Dead { started: started_in(&directory)? })
}

/// Whether everything is there that its keeper wrote before it published the attempt, for the spec with this mark where one is
/// given. What is not was taken away since, or by a power cut.
pub fn is_whole(attempts: &Path, name: &str, mark: Option<&str>) -> Result<bool, Error> {
    let directory = directory::of(attempts, name)?;
    let Some(mark) = mark else { return Ok(directory::is_whole(&directory)) };
    let keeper = directory::read::<KeeperRecord>(&directory.join(KEEPER));
    Ok(directory::is_whole(&directory)
        && keeper.is_ok_and(|keeper| keeper.is_some_and(|keeper| keeper.mark == mark)))
}

/// Moves aside what has the name of an attempt that was never started, and says where it is now; `None` where there is nothing. A
/// later [`sweep`] leaves it alone.
pub fn set_aside(attempts: &Path, name: &str) -> Result<Option<PathBuf>, Error> {
    let found = directory::of(attempts, name)?;
    if found.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return Ok(None);
    }
    let aside = directory::aside(attempts, name);
    match file::rename_noreplace(&found, &aside)? {
        true => Ok(Some(aside)),
        false => set_aside(attempts, name),
    }
}

/// What the keeper noted once the program ran. That note is not synced: a power cut may leave less than a
/// record of it, which counts as none.
fn started_in(directory: &Path) -> Result<Option<Started>, Error> {
    match directory::read(&directory.join(STARTED)) {
        Err(Error::Damaged { .. }) => Ok(None),
        read => read,
    }
}

/// Makes sure that the attempt never starts: takes its name with a tombstone.
///
/// `false` means that there is a directory after all, of a keeper or an earlier tombstone: look again.
pub fn abandon(attempts: &Path, name: &str) -> Result<bool, Error> {
    let directory = directory::of(attempts, name)?;
    file::create_private_dir(attempts)?;
    let unpublished = directory::unpublished(attempts, name);
    file::create_private_dir(&unpublished)?;
    let published = publish_tombstone(attempts, &unpublished, &directory);
    if !matches!(published, Ok(true)) {
        // What stays behind is swept later.
        let _ = std::fs::remove_dir_all(&unpublished);
    }
    Ok(published?)
}

fn publish_tombstone(attempts: &Path, from: &Path, to: &Path) -> Result<bool, file::Error> {
    file::create_new(&from.join(ABANDONED), b"", Durability::Synced)?;
    file::sync_dir(from)?;
    fault::point("agent.abandon.publish");
    let published = file::rename_noreplace(from, to)?;
    file::sync_dir(attempts)?;
    Ok(published)
}

/// Returns when the keeper of the attempt has let go, and says what became of it.
pub fn wait(attempts: &Path, name: &str) -> Result<Found, Error> {
    let directory = directory::of(attempts, name)?;
    FileLock::wait_until_free(&directory.join(LOCK))?;
    look(attempts, name)
}

/// Asks the keeper to end the attempt. Returns at once; [`wait`] tells when it is done.
///
/// An attempt without a living keeper has nothing to cancel.
pub fn cancel(attempts: &Path, name: &str) -> Result<(), Error> {
    let directory = directory::of(attempts, name)?;
    let Some(keeper) = directory::read::<KeeperRecord>(&directory.join(KEEPER))? else { return Ok(()) };
    match process::signal(&keeper.process, Signal::Terminate) {
        Ok(_) => Ok(()),
        Err(source) => Err(Error::Process { action: "signal the keeper", source }),
    }
}

/// Kills whatever a dead keeper left running, and says how sure it is that nothing is left. May be repeated.
pub fn reap(attempts: &Path, name: &str) -> Result<Emptied, Error> {
    let directory = directory::of(attempts, name)?;
    if FileLock::is_held(&directory.join(LOCK))? {
        return Err(Error::StillHeld { name: name.to_owned() });
    }
    let Some(keeper) = directory::read::<KeeperRecord>(&directory.join(KEEPER))? else {
        // It was written before the directory was published, so the disk lost it, most likely with the power. Should
        // it have gone without the processes, they know the directory.
        let directory = std::path::absolute(&directory)
            .map_err(|source| file::Error::new("find the absolute path of", &directory, source))?;
        return Ok(Tree::carrying(DIRECTORY_VARIABLE, directory.as_os_str()).kill(REAP_PATIENCE)?);
    };
    if keeper.process.boot_id != process::boot_id() {
        // No process survives a reboot.
        return Ok(Emptied::Proven);
    }
    let started = started_in(&directory)?;
    let tree =
        tree_of(&keeper, started).map_err(|source| Error::Process { action: "find the tree", source })?;
    let emptied = tree.kill(REAP_PATIENCE)?;
    // An empty control group that stays behind costs nothing; the next boot removes it.
    let _ = tree.remove();
    Ok(emptied)
}

/// Takes what says which processes an attempt has away from every attempt of a run that is not over: they are copies of
/// another run's, and whoever reaps or cancels them finds nobody.
pub fn disown(attempts: &Path) -> Result<(), Error> {
    let read = |source| file::Error::new("list", attempts, source);
    for item in std::fs::read_dir(attempts).map_err(read)? {
        let item = item.map_err(read)?;
        let name = item.file_name();
        let Some(name) = name.to_str().filter(|name| check_name(name).is_ok()) else { continue };
        if !item.path().is_dir() || !matches!(look(attempts, name)?, Found::Dead { .. }) {
            continue;
        }
        for record in [KEEPER, STARTED] {
            file::remove_file_if_exists(&item.path().join(record))?;
        }
    }
    Ok(())
}

/// The tree as the keeper made it, as far as it came.
fn tree_of(keeper: &KeeperRecord, started: Option<Started>) -> std::io::Result<Tree> {
    let tree = Tree::open(&keeper.mark)?;
    match started {
        Some(Started { process, tree: TreeKind::Cgroup { path }, .. }) => {
            Ok(tree.with_cgroup(&path)?.with_leader(process))
        }
        Some(Started { process, tree: TreeKind::Scan, .. }) => Ok(tree.with_leader(process)),
        // It was about to start something. The group was made first; one that was never made proves nothing.
        None => match &keeper.cgroup {
            Some(path) if path.is_dir() => tree.with_cgroup(path),
            _ => Ok(tree),
        },
    }
}

/// What this process is to the attempts of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Within {
    /// A part of this attempt.
    Part(AttemptName),
    /// Nobody can tell whether it is a part of this attempt, which is at work.
    Unseen(AttemptName),
}

/// The run and the name of an attempt.
pub type AttemptName = (String, String);

/// Whether this process is a part of an attempt of the `journal`, or may be one of those whose traces are in `states`; `None` where
/// it is neither.
///
/// A new session, a double fork or an empty environment change nothing about it: a keeper adopts what its children leave behind. Nor
/// does another name of the journal: its keeper has the file itself open. Only what the system itself starts for the agent escapes.
pub fn inside(states: &[PathBuf], journal: Option<&Path>) -> Option<Within> {
    let (above, journal) = (process::above(), journal.and_then(process::file_id));
    let part = above.iter().flatten().find_map(|ancestor| held_by(ancestor, states, journal));
    if part.is_some() {
        return part.map(Within::Part);
    }
    if above.is_some() && process::namespaces().is_some_and(|here| here == process::ALL_OF_IT) {
        return None;
    }
    // Between walls, in a container, or where the list of processes is covered up: a keeper that is seen is no ancestor.
    let unseen = states
        .iter()
        .flat_map(|state| at_work(state))
        .find(|(directory, _)| above.is_none() || !is_seen(directory));
    unseen.map(|(_, name)| Within::Unseen(name))
}

/// The attempt that a process holds, if it is a keeper, of the journal or below one of the `states`.
fn held_by(keeper: &Above, states: &[PathBuf], journal: Option<FileId>) -> Option<AttemptName> {
    let at = keeper.words.iter().position(|word| word == crate::keeper::COMMAND)?;
    let (attempts, name) = (Path::new(keeper.words.get(at + 1)?), keeper.words.get(at + 2)?.to_str()?);
    let files = process::open_files(keeper.pid);
    let holds_it = || files.as_ref().is_none_or(|files| files.iter().any(|file| Some(file.id) == journal));
    if !states.iter().any(|state| attempts.starts_with(state)) && !holds_it() {
        return None;
    }
    // One that was started without a name has that of the directory whose lock it holds.
    let lock = files.iter().flatten().find(|file| file.path.ends_with(LOCK));
    let held = lock.and_then(|lock| lock.path.parent()?.file_name()?.to_str());
    let name = held.filter(|_| name == SPARE).unwrap_or(name);
    Some((attempts.file_name()?.to_str()?.to_owned(), name.to_owned()))
}

/// The attempts below `state` that are at work, each with its directory.
fn at_work(state: &Path) -> Vec<(PathBuf, AttemptName)> {
    let inner = |directory: &Path| {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    for run in inner(&state.join("attempts")) {
        for attempt in inner(&run.path()) {
            if FileLock::is_held(&attempt.path().join(LOCK)).unwrap_or(false) {
                let name = |entry: &std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
                found.push((attempt.path(), (name(&run), name(&attempt))));
            }
        }
    }
    found
}

/// Whether the keeper of an attempt is among the processes that are seen from here: the one that is called so holds its lock.
fn is_seen(directory: &Path) -> bool {
    let keeper = directory::read::<KeeperRecord>(&directory.join(KEEPER)).ok().flatten();
    let files = keeper.and_then(|keeper| process::open_files(keeper.process.pid)).unwrap_or_default();
    let lock = process::file_id(&directory.join(LOCK));
    files.iter().any(|file| Some(file.id) == lock)
}

/// Removes what keepers left that were killed before they published. Returns how many there were.
///
/// A keeper caught in the first moments of its life finds its directory gone, and says that it failed.
pub fn sweep(attempts: &Path) -> Result<usize, Error> {
    let read = |source| file::Error::new("list", attempts, source);
    let items = match std::fs::read_dir(attempts) {
        Ok(items) => items,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(read(error).into()),
    };
    let mut removed = 0;
    for item in items {
        let item = item.map_err(read)?;
        let is_leftover = item.file_name().to_str().is_some_and(directory::is_unpublished);
        if is_leftover && remove_if_free(attempts, &item.path())? {
            removed += 1;
        }
    }
    Ok(removed)
}

/// Removes an unpublished directory under its own lock, so that a keeper who still holds it keeps it.
fn remove_if_free(attempts: &Path, directory: &Path) -> Result<bool, Error> {
    let lock = match FileLock::try_exclusive(&directory.join(LOCK)) {
        Ok(lock) => lock,
        // Published or removed meanwhile.
        Err(error) if error.is_not_found() => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    if lock.is_none() {
        return Ok(false);
    }
    // Moved aside first: a keeper that is just about to take the lock must find nothing, not half of it.
    let aside = directory::unpublished(attempts, "swept");
    match file::rename_noreplace(directory, &aside) {
        Ok(_) => {}
        Err(error) if error.is_not_found() => return Ok(false),
        Err(error) => return Err(error.into()),
    }
    std::fs::remove_dir_all(&aside).map_err(|source| file::Error::new("remove", &aside, source))?;
    Ok(true)
}
