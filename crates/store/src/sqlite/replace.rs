//! One journal takes the place of another, as a whole.
//!
//! Whoever does so holds the write lock of the old one: nothing is appended to what is about to be put aside. Large payloads
//! stay where they are, since they are named by what they hold.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_seal::Keys;
use piton_sys::file;
use piton_sys::lock::FileLock;

use super::{database, schema};
use crate::blob::Blobs;
use crate::error::Error;

/// Nothing is appended to a journal while this lives, and nobody drives a run of it.
pub struct Hold {
    state: PathBuf,
    _turn: File,
}

impl Hold {
    /// Waits for whoever is writing; refuses where somebody drives a run.
    pub(crate) fn of(state: &Path) -> Result<Self, Error> {
        file::create_private_dir(state)?;
        let path = state.join("write.lock");
        let turn = file::open_append(&path)?;
        turn.lock().map_err(|error| file::Error::new("lock", &path, error))?;
        for entry in std::fs::read_dir(state.join("leases")).into_iter().flatten().flatten() {
            if FileLock::is_held(&entry.path())? {
                let name = entry.file_name().to_string_lossy().into_owned();
                return Err(Error::Driven { run: name.split('.').next().unwrap_or_default().to_owned() });
            }
        }
        Ok(Self { state: state.to_owned(), _turn: turn })
    }
}

/// What is known of runs outside the database.
const BESIDE: [&str; 2] = ["anchors", "leases"];

/// Moves the journal that is held to the directory `aside`.
pub(crate) fn set_aside(hold: &Hold, aside: &Path) -> Result<(), Error> {
    let beside = BESIDE.map(|name| hold.state.join(name)).into_iter().filter(|path| path.exists());
    // The database goes last: while it is there, so is the reason to do this again.
    for path in beside.chain(schema::files_of(&database(&hold.state))) {
        let to = aside.join(path.file_name().expect("a file has a name"));
        file::rename_noreplace(&path, &to)?;
    }
    file::sync_dir(aside)?;
    file::sync_dir(&hold.state)?;
    Ok(())
}

/// Moves the journal in the directory `from`, which nobody has open, to where the one that is held was put aside. It is there
/// from one moment to the next, complete.
pub(crate) fn publish(from: &Path, hold: &Hold, keys: &Arc<dyn Keys>) -> Result<(), Error> {
    let in_state = |state: &Path| Blobs::new(state.join("blobs"), Arc::clone(keys));
    let (ours, theirs) = (in_state(from), in_state(&hold.state));
    file::create_private_dir(&hold.state.join("blobs"))?;
    for (id, _) in ours.all() {
        theirs.put(&ours.get(&id)?)?;
    }
    let database = database(from);
    if schema::files_of(&database) != [database.clone()] {
        return Err(Error::SyncFailed { source: "the log of the new journal could not be folded in".into() });
    }
    file::rename_noreplace(&from.join("anchors"), &hold.state.join("anchors"))?;
    file::sync_path(&database)?;
    file::rename_noreplace(&database, &super::database(&hold.state))?;
    file::sync_dir(&hold.state)?;
    Ok(())
}
