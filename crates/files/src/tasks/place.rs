//! Ticking a task in the file of its list, among people, editors and git.
//!
//! As the gap file is written: the new text takes the place of the old in one step, and what was displaced is looked at. Was it not
//! what had been read, somebody edited the file meanwhile; then their text is ticked, and takes the place.

use std::path::Path;

use piton_sys::file::{self, Durability, Error};
use piton_sys::lock::FileLock;
use piton_sys::{Ids, SystemIds, fault};

/// Far more than any list of tasks.
pub(super) const LIST_BYTES_MAX: u64 = 4 << 20;

/// How often piton tries again while others keep on writing.
const TRIES_MAX: usize = 64;

/// Why a task was not ticked.
#[derive(Debug, thiserror::Error)]
pub enum TickError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] Error),
    /// It does not say what it said.
    #[error("{0}")]
    Changed(String),
}

/// Ticks a task in the file at `path`: `tick` makes the new text of the old, or nothing where it is ticked. `aside` is a directory of
/// piton's own, on the same file system.
pub fn tick_in_place(
    path: &Path,
    aside: &Path,
    tick: impl Fn(&str) -> Result<Option<String>, String>,
) -> Result<(), TickError> {
    file::create_private_dir(aside)?;
    let _alone = FileLock::exclusive(&aside.join("lock"))?;
    let mut seen = text_of(path)?;
    let mut wanted = tick(&seen).map_err(TickError::Changed)?;
    for _ in 0..TRIES_MAX {
        let Some(text) = &wanted else { return Ok(()) };
        let other = aside.join(format!("{}.list", SystemIds.hex(16)));
        file::create_like(&other, path, text.as_bytes())?;
        fault::point("files.tasks.exchange");
        let exchanged = match file::exchange(&other, path) {
            Err(error) if error.is_cross_device() => false,
            exchanged => exchanged?,
        };
        if !exchanged {
            file::remove_file_if_exists(&other)?;
            return Ok(file::write_shared(path, text.as_bytes(), Durability::Synced)?);
        }
        file::sync_dir(path.parent().unwrap_or(Path::new(".")))?;
        let displaced = text_of(&other)?;
        file::remove_file_if_exists(&other)?;
        if displaced == seen {
            return Ok(());
        }
        // Ours is in its place now. Theirs goes there next, ticked; as it is where it cannot be.
        let ours = wanted.take().unwrap_or_default();
        match tick(&displaced) {
            Ok(Some(text)) => wanted = Some(text),
            Ok(None) => wanted = Some(displaced),
            Err(why) => {
                file::write_shared(path, displaced.as_bytes(), Durability::Synced)?;
                return Err(TickError::Changed(why));
            }
        }
        seen = ours;
    }
    Err(TickError::Changed("somebody else keeps on writing it".to_owned()))
}

fn text_of(path: &Path) -> Result<String, TickError> {
    let bytes = file::read_regular(path, LIST_BYTES_MAX)?;
    let bytes = bytes.ok_or_else(|| TickError::Changed("the list is gone".to_owned()))?;
    String::from_utf8(bytes).map_err(|_| TickError::Changed("the list is not UTF-8".to_owned()))
}
