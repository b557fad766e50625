//! The repositories in which piton has worked, so that `ls --everywhere` and the worker find their runs.
//!
//! Only where to look; what is there is in each journal. A repository that is gone is left out.

use std::path::PathBuf;

use piton_sys::file::{self, Durability};
use piton_sys::lock::FileLock;
use piton_view::Error;

use crate::configuration;
use crate::layout::Layout;

/// More repositories than anyone has.
const LIST_BYTES_MAX: u64 = 4 << 20;

/// Remembers the repository of a new run.
pub(super) fn remember(layout: &Layout) -> Result<(), Error> {
    let directory = configuration::directory()?;
    file::create_private_dir(&directory)?;
    let Some(root) = layout.root().to_str().filter(|root| !root.contains('\n')) else { return Ok(()) };
    // Two loops may begin at once.
    let _lock = FileLock::exclusive(&directory.join("repositories.lock"))?;
    let mut known = read()?;
    if known.iter().any(|path| path == root) {
        return Ok(());
    }
    known.push(root.to_owned());
    let text = known.iter().map(|path| format!("{path}\n")).collect::<String>();
    Ok(file::write_atomic(&directory.join("repositories"), text.as_bytes(), Durability::Synced)?)
}

/// Every repository that still has a journal.
pub fn repositories() -> Result<Vec<Layout>, Error> {
    let layouts = read()?.into_iter().map(|root| Layout::new(PathBuf::from(root)));
    Ok(layouts.filter(|layout| layout.state().join("journal.db").is_file()).collect())
}

fn read() -> Result<Vec<String>, Error> {
    let bytes = file::read_regular(&configuration::directory()?.join("repositories"), LIST_BYTES_MAX)?;
    let text = String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default();
    Ok(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
}
