//! What piton itself opens of a repository on behalf of a check, said to whoever watches what the check opens.
//!
//! A ledger belongs to the repository where its run was started, and so do the files that its findings rest on: `piton gaps
//! fresh`, called in a work tree, reads them there. The watch cannot tell piton from another program, so piton says it. Nothing
//! else depends on it.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use piton_sys::file;

/// In the outbox of a check.
const SAID: &str = "opened-by-piton";

/// What is read of it: some thousand paths.
const SAID_BYTES_MAX: u64 = 4 << 20;

/// Says that this file is opened, where a check does so.
pub(super) fn say(path: &Path) {
    let Some(report) = std::env::var_os("PITON_REPORT") else { return };
    let Some(outbox) = Path::new(&report).parent().filter(|outbox| outbox.is_dir()) else { return };
    let line = [path.as_os_str().as_bytes(), b"\n"].concat();
    // Where it cannot be said, the watch speaks as it would of any program.
    let _ = file::append(&outbox.join(SAID), &line);
}

/// What was said by the check whose directory this is, as paths below `root`.
pub(crate) fn said(directory: &Path, root: &Path) -> BTreeSet<String> {
    let said = file::read_regular(&piton_agent::outbox(directory).join(SAID), SAID_BYTES_MAX);
    let text = String::from_utf8_lossy(&said.ok().flatten().unwrap_or_default()).into_owned();
    let below = |line: &str| Some(Path::new(line).strip_prefix(root).ok()?.to_string_lossy().into_owned());
    text.lines().filter_map(below).collect()
}
