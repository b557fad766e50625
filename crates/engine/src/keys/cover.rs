//! What a run leaves beside the journal, encrypted once nobody needs it open any more.
//!
//! An agent reads its prompt and its brief, and whoever supervises it reads what it prints: while an attempt lives, these lie open. Once its
//! outcome is on record they are sealed where they lie, each for its name, so that one does not pass for another.

use std::ffi::OsStr;
use std::path::Path;

use piton_agent::Found;
use piton_model::RunId;
use piton_seal::Ring;
use piton_sys::file::{self, Durability};

use super::ring;
use crate::layout::Layout;

/// What of an attempt says nothing of the work, and is looked at later: who ran, and how it ended.
const RECORDS: [&str; 5] = ["lock", "keeper.json", "started.json", "exit.json", "abandoned"];

/// More than the largest log.
const BYTES_MAX: u64 = 1 << 30;

/// Seals what the attempts of `run` left, except for the one that is under way. What cannot be sealed is tried again the next time.
pub(crate) fn attempts(layout: &Layout, run: &RunId, except: Option<&str>) {
    let ring = ring(layout);
    if !piton_seal::Keys::seals(&*ring) {
        return;
    }
    let attempts = layout.attempts(run);
    for entry in std::fs::read_dir(&attempts).into_iter().flatten().flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        if Some(name.as_str()) == except || !is_over(&attempts, &name) {
            continue;
        }
        directory(&ring, layout, &entry.path());
    }
}

/// Seals what a run that rests left: its attempts, what people were told, what its drivers said; its brief, which is made anew for each
/// attempt, goes.
pub(crate) fn at_rest(layout: &Layout, run: &RunId) {
    let ring = ring(layout);
    if !piton_seal::Keys::seals(&*ring) {
        return;
    }
    attempts(layout, run, None);
    let _ = file::remove_file_if_exists(&layout.brief(run));
}

/// Seals what all runs left of which `may` says that nobody needs it open, and says how many files that were.
pub(crate) fn all(layout: &Layout, may: &dyn Fn(&RunId) -> bool) -> u64 {
    let before = open_files(layout);
    runs(layout).iter().filter(|run| may(run)).for_each(|run| at_rest(layout, run));
    before.saturating_sub(open_files(layout))
}

/// How many files that attempts left lie open; those of attempts that are under way do not count.
pub(crate) fn open_files(layout: &Layout) -> u64 {
    let mut count = 0;
    for attempts in runs(layout).iter().map(|run| layout.attempts(run)) {
        for entry in std::fs::read_dir(&attempts).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let is_file = entry.path().is_file();
            if is_file && is_open(&entry.path()) || !is_file && is_over(&attempts, &name) {
                count += if is_file { 1 } else { open_below(&entry.path()) };
            }
        }
    }
    count
}

fn open_below(path: &Path) -> u64 {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let open = entries.map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => open_below(&entry.path()),
        Ok(kind) => u64::from(kind.is_file() && !is_record(&entry.file_name()) && is_open(&entry.path())),
        Err(_) => 0,
    });
    open.sum()
}

/// Whether a file says something, and can be read without a key.
fn is_open(path: &Path) -> bool {
    let bytes = file::read_regular(path, BYTES_MAX).ok().flatten().unwrap_or_default();
    !bytes.is_empty() && !piton_seal::log::is_sealed(&bytes)
}

/// The runs that left something.
fn runs(layout: &Layout) -> Vec<RunId> {
    let entries = std::fs::read_dir(layout.state().join("attempts")).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn is_record(name: &OsStr) -> bool {
    RECORDS.iter().any(|record| name == *record)
}

fn is_over(attempts: &Path, name: &str) -> bool {
    matches!(
        piton_agent::look(attempts, name),
        Ok(Found::Finished(_) | Found::Dead { .. } | Found::Abandoned)
    )
}

fn directory(ring: &Ring, layout: &Layout, path: &Path) {
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        let (inner, name) = (entry.path(), entry.file_name());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => directory(ring, layout, &inner),
            // Never through a link: an agent may have put one there.
            Ok(kind) if kind.is_file() && !is_record(&name) => drop(seal(ring, layout, &inner)),
            _ => {}
        }
    }
}

/// Seals a file where it lies.
fn seal(ring: &Ring, layout: &Layout, path: &Path) -> Option<()> {
    let bytes = file::read_regular(path, BYTES_MAX).ok()??;
    if bytes.is_empty() || piton_seal::log::is_sealed(&bytes) {
        return None;
    }
    let sealed = ring.seal_file(&name_of(layout, path), &bytes).ok()?;
    file::write_atomic(path, &sealed, Durability::Synced).ok()
}

/// What a file is called, wherever the repository lies.
fn name_of(layout: &Layout, path: &Path) -> String {
    path.strip_prefix(layout.state()).unwrap_or(path).to_string_lossy().into_owned()
}

/// What a file of piton's holds, opened where it is sealed.
pub(crate) fn opened(layout: &Layout, path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>, piton_seal::Error> {
    match piton_seal::log::is_sealed(&bytes) {
        true => ring(layout).open_file(&name_of(layout, path), &bytes),
        false => Ok(bytes),
    }
}
