//! The state file of a loop where what is kept is encrypted: `.ralph/state.json.age`, in the age format, so that people open it with
//! `age -d` and their key file; `piton export` gives the same in the clear.
//!
//! The place is that of the plain file with `.age` after it. A run that is not over keeps its place; another writes
//! `.ralph/loops/<id>/state.json.age`. The plain file of the run goes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_files::ralph::{self, PersistedLoopState};
use piton_model::RunId;
use piton_seal::{COVERED, Ring};
use piton_sys::file::{self, Durability};

use super::sentence;
use crate::layout::Layout;
use crate::{configuration, keys};

/// Far more than the bounded state of a run can become.
const BYTES_MAX: u64 = 64 << 20;

/// Writes and reads state files that are encrypted.
pub(crate) struct Covered {
    ring: Arc<Ring>,
    compress: bool,
}

impl Covered {
    /// Where what is kept is encrypted.
    pub(crate) fn of(layout: &Layout) -> Option<Self> {
        let ring = keys::ring(layout);
        let compress = configuration::backups(layout).is_ok_and(|said| said.compress);
        piton_seal::Keys::seals(&*ring).then_some(Self { ring, compress })
    }

    /// Puts the view at its place. Returns where that is.
    pub(crate) fn publish(&self, layout: &Layout, view: &PersistedLoopState) -> Result<PathBuf, String> {
        let root = layout.root();
        let (main, side) = places(root, &view.loop_id);
        let other = self.at(&main).filter(|there| there.loop_id != view.loop_id);
        let is_taken = other.is_some_and(|there| !there.core.status.is_finished());
        let path = if side.exists() || is_taken { side } else { main };
        let bytes =
            self.ring.cover(&ralph::to_bytes(view), self.compress).map_err(|error| sentence(&error))?;
        let written = path
            .parent()
            .map_or(Ok(()), file::create_private_dir)
            .and_then(|()| file::write_atomic(&path, &bytes, Durability::Synced));
        written.map_err(|error| sentence(&error))?;
        if let Ok(run) = view.loop_id.parse::<RunId>() {
            ralph::remove(root, &run).map_err(|error| sentence(&error))?;
        }
        Ok(path)
    }

    /// The view of a run as it is on disk.
    pub(crate) fn read(&self, layout: &Layout, run: &RunId) -> Option<PersistedLoopState> {
        let (main, side) = places(layout.root(), run.as_str());
        [side, main].iter().find_map(|path| self.at(path).filter(|there| there.loop_id == run.as_str()))
    }

    fn at(&self, path: &Path) -> Option<PersistedLoopState> {
        let bytes = file::read_regular(path, BYTES_MAX).ok()??;
        ralph::parse(&self.ring.uncover(&bytes).ok()?).ok()
    }
}

/// The place of a loop, and that of one beside it.
pub(crate) fn places(root: &Path, run: &str) -> (PathBuf, PathBuf) {
    let (home, name) = (root.join(".ralph"), format!("state.json.{COVERED}"));
    (home.join(&name), home.join("loops").join(run).join(&name))
}

/// Removes the file of a run that is gone, where this process can tell that it is its.
pub(crate) fn remove(layout: &Layout, run: &RunId) {
    let (main, side) = places(layout.root(), run.as_str());
    let _ = file::remove_file_if_exists(&side);
    let is_its = Covered::of(layout).and_then(|covered| covered.at(&main));
    if is_its.is_some_and(|there| there.loop_id == run.as_str()) {
        let _ = file::remove_file_if_exists(&main);
    }
}
