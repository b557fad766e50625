//! `logs/<run>__<step>__attempt<N>.log`: what an attempt prints, as its users know it, both outputs in one file.
//!
//! Copied from what the keeper keeps, while the attempt runs and once more when it has ended. A log that cannot be written
//! is no reason to fail: `piton output` has the same.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use piton_sys::file::{self, Durability};

/// What is put into a log of each output.
const OUTPUT_BYTES_MAX: u64 = 8 << 20;

/// The log of one attempt.
pub(super) struct Log {
    /// The repository: nothing outside of it is written.
    root: PathBuf,
    path: PathBuf,
    outputs: [(PathBuf, u64); 2],
    /// Held open: what a step puts at the path meanwhile is not written to.
    file: Option<File>,
}

impl Log {
    /// The log at `path` below `root`, of the attempt whose traces are in `directory`. Nothing is written yet.
    pub(super) fn new(root: &Path, path: PathBuf, directory: &Path) -> Self {
        let outputs = [piton_agent::stdout_file(directory), piton_agent::stderr_file(directory)];
        Self { root: root.to_owned(), path, outputs: outputs.map(|output| (output, 0)), file: None }
    }

    /// Adds what was printed since the last time. The first time the log begins anew, whoever wrote there before.
    pub(super) fn catch_up(&mut self) {
        // Before it has begun, what lies there is another attempt's.
        if self.file.is_none() && !self.outputs.iter().any(|(output, _)| output.exists()) {
            return;
        }
        let mut bytes = Vec::new();
        let read: Vec<u64> = self
            .outputs
            .iter()
            .map(|(output, copied)| read_after(output, *copied, &mut bytes).unwrap_or(0))
            .collect();
        let written = match &mut self.file {
            None => {
                self.file = begin(&self.root, &self.path, &bytes).ok();
                self.file.is_some()
            }
            Some(file) => file.write_all(&bytes).is_ok(),
        };
        // What could not be written is tried again the next time.
        if written {
            self.outputs.iter_mut().zip(read).for_each(|((_, copied), read)| *copied += read);
        }
    }
}

fn begin(root: &Path, path: &Path, bytes: &[u8]) -> Result<File, file::Error> {
    file::within(root, path, |path| {
        file::write_atomic(path, bytes, Durability::Unsynced)?;
        file::open_append(path)
    })
}

/// Reads what `output` has after its first `copied` bytes; says how many that were.
fn read_after(output: &Path, copied: u64, bytes: &mut Vec<u8>) -> std::io::Result<u64> {
    let opened = file::open_regular(output).map_err(|error| error.source)?;
    let (mut file, _) = opened.ok_or(std::io::ErrorKind::NotFound)?;
    file.seek(SeekFrom::Start(copied))?;
    let read = file.take(OUTPUT_BYTES_MAX.saturating_sub(copied)).read_to_end(bytes)?;
    Ok(read as u64)
}
