//! The repositories in which piton has worked, so that `ls --everywhere` and the worker find their runs.
//!
//! Only where to look; what is there is in each journal. A repository that is gone is left out; one whose journal is gone, or that cannot
//! be looked into, is not: whoever opens it says so.

use std::io::ErrorKind;
use std::path::PathBuf;

use piton_store::Url;
use piton_sys::file::{self, Durability};
use piton_sys::lock::FileLock;
use piton_view::Error;

use crate::configuration;
use crate::layout::Layout;

/// More repositories than anyone has.
const LIST_BYTES_MAX: u64 = 4 << 20;

/// Remembers the repository of a new run.
pub(crate) fn remember(layout: &Layout) -> Result<(), Error> {
    let directory = configuration::directory()?;
    file::create_private_dir(&directory)?;
    let Some(line) = line_of(layout) else { return Ok(()) };
    // Two loops may begin at once.
    let _lock = FileLock::exclusive(&directory.join("repositories.lock"))?;
    let mut known = read()?;
    if known.contains(&line) {
        return Ok(());
    }
    known.push(line);
    let text = known.iter().map(|line| format!("{line}\n")).collect::<String>();
    Ok(file::write_atomic(&directory.join("repositories"), text.as_bytes(), Durability::Synced)?)
}

/// Every repository that still has a journal, or something of piton's that may say what became of it.
pub fn repositories() -> Result<Vec<Layout>, Error> {
    let layouts = read()?.into_iter().filter_map(|line| layout_of(&line));
    Ok(layouts.filter(may_have_runs).collect())
}

fn may_have_runs(layout: &Layout) -> bool {
    let is_gone =
        |error: &std::io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    layout.store().exists() || !layout.state().symlink_metadata().is_err_and(|error| is_gone(&error))
}

/// A repository as it is remembered: its root, and its journal where that lies elsewhere. No path holds what is between.
fn line_of(layout: &Layout) -> Option<String> {
    let mut line = layout.root().to_str()?.to_owned();
    if layout.store().repository() != Some(layout.root()) {
        line.push('\0');
        line.push_str(layout.store().to_os_string().to_str()?);
    }
    (!line.contains('\n')).then_some(line)
}

fn layout_of(line: &str) -> Option<Layout> {
    Some(match line.split_once('\0') {
        None => Layout::new(PathBuf::from(line)),
        Some((root, url)) => Layout::new(PathBuf::from(root)).with_store(Url::parse(url.as_ref()).ok()?),
    })
}

fn read() -> Result<Vec<String>, Error> {
    let bytes = file::read_regular(&configuration::directory()?.join("repositories"), LIST_BYTES_MAX)?;
    let text = String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default();
    Ok(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
}
