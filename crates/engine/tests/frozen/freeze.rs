//! The formats are frozen: what is stored of loops, workflows and ledgers reads for ever as it does now.
//!
//! `FROZEN` lists each journal's events and each event's golden file with its digest. `PITON_WRITE_FROZEN=1` adds lines for files that
//! are new; a line that is there is never written anew.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use piton_store::chain;

/// Where golden files of events lie, from the crate's directory.
const GOLDEN: [&str; 3] = ["../model/golden", "../model/golden_workflow", "../model/tests/golden_ledger"];

fn list() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frozen/FROZEN")
}

/// The digest of each frozen file, by its path from the crate's directory.
fn frozen() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(list()).unwrap_or_default();
    let pairs = text.lines().filter_map(|line| line.split_once("  "));
    pairs.map(|(digest, path)| (path.to_owned(), digest.to_owned())).collect()
}

/// Whether the events of this journal are frozen.
pub(crate) fn has_journal(name: &str) -> bool {
    frozen().contains_key(&format!("tests/frozen/journals/{name}/events.ndjson"))
}

/// What is there to be frozen, by its path from the crate's directory.
fn found() -> BTreeMap<String, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = |directory: &str| {
        let entries = std::fs::read_dir(here.join(directory)).expect("a directory");
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
        entries.map(move |entry| name(entry).into_string().expect("a plain name")).collect::<Vec<_>>()
    };
    let journals = entries("tests/frozen/journals");
    let journals = journals.iter().map(|name| format!("tests/frozen/journals/{name}/events.ndjson"));
    let golden = GOLDEN.iter().flat_map(|at| entries(at).into_iter().map(move |name| format!("{at}/{name}")));
    let digest = |path: &str| chain::hex(&chain::digest(&std::fs::read(here.join(path)).expect("a file")));
    journals.chain(golden).map(|path| (path.clone(), digest(&path))).collect()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test writes the list that it compares")]
fn what_is_frozen_stays_byte_for_byte() {
    let (mut listed, found) = (frozen(), found());
    for (path, digest) in &listed {
        assert_eq!(
            found.get(path),
            Some(digest),
            "{path} is frozen: see \"Changing an event\" in CONTRIBUTING.md"
        );
    }
    if super::is_writing() {
        listed.extend(found.clone());
        let lines = listed.iter().map(|(path, digest)| format!("{digest}  {path}\n"));
        std::fs::write(list(), lines.collect::<String>()).expect("room");
    }
    let unlisted: Vec<&String> = found.keys().filter(|path| !listed.contains_key(*path)).collect();
    assert!(unlisted.is_empty(), "new, and not frozen yet (PITON_WRITE_FROZEN=1 adds them): {unlisted:?}");
}
