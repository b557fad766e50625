//! Where the files are, and how one of ours is known again.

use std::path::{Path, PathBuf};

use piton_model::{RunId, Seq};
use piton_sys::file::Error;
use serde::Deserialize;

use crate::place::{self, Alone, Found};
use crate::proof;

/// Larger than the state of ten thousand iterations that change a hundred files each.
const BYTES_MAX: u64 = 512 << 20;

const STATE_FILE: &str = "state.json";

/// The directory whose being there says that somebody uses the format.
pub(super) fn top(root: &Path) -> PathBuf {
    root.join(".aiwg")
}

/// Whether somebody uses the format here.
pub fn is_used(root: &Path) -> bool {
    place::check(&top(root)).is_ok()
}

/// Uses the format here from now on.
pub fn begin(root: &Path) -> Result<(), Error> {
    place::enter(&top(root))
}

pub(super) fn home(root: &Path) -> PathBuf {
    top(root).join("ralph")
}

pub(super) fn loops(root: &Path) -> PathBuf {
    home(root).join("loops")
}

pub(super) fn loop_directory(root: &Path, loop_id: &str) -> PathBuf {
    loops(root).join(loop_id)
}

pub(super) fn state_file(root: &Path, loop_id: &str) -> PathBuf {
    loop_directory(root, loop_id).join(STATE_FILE)
}

pub(super) fn iterations(root: &Path, loop_id: &str) -> PathBuf {
    loop_directory(root, loop_id).join("iterations")
}

pub(super) fn iteration_file(root: &Path, loop_id: &str, number: u32) -> PathBuf {
    iterations(root, loop_id).join(iteration_name(number))
}

pub(super) fn registry(root: &Path) -> PathBuf {
    home(root).join("registry.json")
}

pub(super) fn registry_lock(root: &Path) -> PathBuf {
    home(root).join("registry.json.lock")
}

/// Where the particulars of an iteration are, as the format says it: relative to the repository.
pub(super) fn snapshot_path(loop_id: &str, number: u32) -> String {
    format!(".aiwg/ralph/loops/{loop_id}/iterations/{}", iteration_name(number))
}

/// Where the state of a loop is, relative to the repository.
pub(super) fn state_path(loop_id: &str) -> String {
    format!(".aiwg/ralph/loops/{loop_id}/{STATE_FILE}")
}

fn iteration_name(number: u32) -> String {
    format!("iteration-{number:03}.json")
}

/// The number in the name of an iteration's file, however many digits its writer gave it.
pub(super) fn iteration_number(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("iteration-")?.strip_suffix(".json")?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

/// A file that is ours.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Ours {
    run_id: RunId,
    /// The event it was rendered at; none for an iteration's file.
    #[serde(default)]
    pub(super) seq: Seq,
}

impl Ours {
    /// Whether it is a view of this run. Ids that differ in case are one run.
    pub(super) fn is_of(&self, run: &RunId) -> bool {
        self.run_id.key() == run.key()
    }
}

/// Looks at a place.
pub(super) fn look(path: &Path) -> Result<(Found<Ours>, Vec<u8>), Error> {
    place::look(path, BYTES_MAX, proof::own)
}

/// What is at a place, if it is ours.
pub(super) fn look_for_ours(path: &Path) -> Option<Ours> {
    place::look_for_ours(path, BYTES_MAX, proof::own)
}

/// Removes what a crash left half written.
pub(super) fn sweep(alone: &Alone, directory: &Path) -> Result<(), Error> {
    alone.sweep(directory, |name| {
        name == STATE_FILE || name.starts_with("registry.json") || iteration_number(name).is_some()
    })
}
