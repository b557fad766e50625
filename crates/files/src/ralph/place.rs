//! Where the files are.

use std::path::{Path, PathBuf};

use piton_sys::file::Error;

use super::owner::{Ours, ours};
use crate::place::{self, Alone, Found};

/// Far more than the bounded state of a run can become.
const BYTES_MAX: u64 = 64 << 20;

const STATE_FILE: &str = "state.json";

pub(super) fn home(root: &Path) -> PathBuf {
    root.join(".ralph")
}

/// The place of a loop.
pub(super) fn main_file(root: &Path) -> PathBuf {
    home(root).join(STATE_FILE)
}

/// The places of loops that run beside another one.
pub(super) fn loops(root: &Path) -> PathBuf {
    home(root).join("loops")
}

/// The place of a loop that runs beside another one.
pub(super) fn side_file(root: &Path, run: &str) -> PathBuf {
    loops(root).join(run).join(STATE_FILE)
}

/// The places of loops that are over.
pub(super) fn backups(root: &Path) -> PathBuf {
    home(root).join("backups")
}

/// Looks at a place.
pub(super) fn look(path: &Path) -> Result<(Found<Ours>, Vec<u8>), Error> {
    place::look(path, BYTES_MAX, ours)
}

/// What is at a place, if it is ours.
pub(super) fn look_for_ours(path: &Path) -> Option<Ours> {
    place::look_for_ours(path, BYTES_MAX, ours)
}

/// Removes what a crash left half written.
pub(super) fn sweep(alone: &Alone, directory: &Path) -> Result<(), Error> {
    alone.sweep(directory, |name| name == STATE_FILE)
}
