//! `gap_audit.log`: one line per flip, only ever added to.
//!
//! Whoever flips gaps knows which flips are due, and how long the log was before them. [`append_flips`] looks which of
//! them stand there already and adds the rest, so that a crash at any byte is completed by calling it again, and nothing
//! is logged twice.

use std::fs::{DirBuilder, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use piton_model::ledger::Flip;
use piton_sys::fault;
use piton_sys::file::{self, Error};

/// What became of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Logged {
    /// How many lines were written or completed.
    pub written: usize,
    /// How long the log is with the last of the flips: `after` for those that come next.
    pub end: u64,
}

/// Adds the flips that the log does not hold yet, in their order.
///
/// `after` is how long the log was when the flips before these had been added: what stands behind it are the first of
/// these, whole or cut off by a crash. Without it, or where the log is another by now, the end of the log is compared
/// with the flips; equal flips that follow each other are then taken for one.
///
/// Creates the log and the directories above it where needed.
pub fn append_flips(path: &Path, flips: &[Flip], after: Option<u64>) -> Result<Logged, Error> {
    if flips.is_empty() {
        return Ok(Logged { written: 0, end: after.unwrap_or(0) });
    }
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        let created = DirBuilder::new().recursive(true).create(parent);
        created.map_err(|error| Error::new("create the directory", parent, error))?;
    }
    let mut log = file::open_append(path)?;
    // Two at once could both miss what the other writes. A file system without locks has to do without.
    let _ = log.lock();
    let lines: String = flips.iter().map(|flip| flip.to_line() + "\n").collect();
    let missing = match behind(&mut log, path, after, lines.as_bytes())? {
        Some(missing) => missing,
        None => missing(&mut log, path, lines.as_bytes())?,
    };
    if !missing.is_empty() {
        fault::point("files.gaps.log");
        log.write_all(&missing).map_err(|error| Error::new("write to", path, error))?;
        file::sync_file(&log, path)?;
        file::sync_dir(
            path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")),
        )?;
        fault::point("files.gaps.logged");
    }
    let written = missing.iter().filter(|byte| **byte == b'\n').count().min(flips.len());
    let end = log.metadata().map_err(|error| Error::new("read", path, error))?.len();
    Ok(Logged { written, end })
}

/// What must be added behind `after`; `None` where what stands there is not the beginning of `lines`.
fn behind(log: &mut File, path: &Path, after: Option<u64>, lines: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    let read = |error| Error::new("read", path, error);
    let length = log.metadata().map_err(read)?.len();
    let Some(after) = after.filter(|after| *after <= length && length - after <= lines.len() as u64) else {
        return Ok(None);
    };
    // The line break before it shows that it is a place between lines still.
    let from = after.saturating_sub(1);
    log.seek(SeekFrom::Start(from)).map_err(read)?;
    let mut there = Vec::new();
    log.take(lines.len() as u64 + 2).read_to_end(&mut there).map_err(read)?;
    let there = match after {
        0 => Some(there.as_slice()),
        _ => there.strip_prefix(b"\n"),
    };
    Ok(there.and_then(|there| lines.strip_prefix(there)).map(<[u8]>::to_vec))
}

/// What must be added so that the log ends with `lines`.
fn missing(log: &mut File, path: &Path, lines: &[u8]) -> Result<Vec<u8>, Error> {
    let tail = tail(log, lines.len() + 1).map_err(|error| Error::new("read", path, error))?;
    // The longest end of the log that the lines begin with; it must begin a line.
    for start in line_starts(&tail, lines.len()) {
        if lines.starts_with(&tail[start..]) {
            return Ok(lines[tail.len() - start..].to_vec());
        }
    }
    // What somebody else left without a line break is theirs.
    let mut all = if tail.last().is_none_or(|byte| *byte == b'\n') { Vec::new() } else { vec![b'\n'] };
    all.extend_from_slice(lines);
    Ok(all)
}

/// The last bytes of the log, and whether they are all of it, as a line break in front.
fn tail(log: &mut File, count: usize) -> std::io::Result<Vec<u8>> {
    let length = log.metadata()?.len();
    let from = length.saturating_sub(count as u64);
    log.seek(SeekFrom::Start(from))?;
    let mut tail = if from == 0 { vec![b'\n'] } else { Vec::new() };
    log.take(count as u64).read_to_end(&mut tail)?;
    Ok(tail)
}

/// The places in the tail where a line begins, from which it is not longer than `bytes_max`.
fn line_starts(tail: &[u8], bytes_max: usize) -> impl Iterator<Item = usize> {
    let starts = tail.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(place, _)| place + 1);
    starts.filter(move |start| tail.len() - start <= bytes_max && *start < tail.len())
}
