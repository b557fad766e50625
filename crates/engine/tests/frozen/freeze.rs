//! The formats are frozen: what is stored of a run reads for ever as it does now.
//!
//! `FROZEN` lists each journal's events and each event's golden file with its digest. `PITON_WRITE_FROZEN=1` adds lines for files that
//! are new; a line that is there is never written anew. A line `open  WORD` leaves out every file that has the word in its path: the
//! format of such a kind of run may still change, and its journals are written anew with their folds and views.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use piton_store::chain;

/// Where golden files of events lie, from the crate's directory.
const GOLDEN: [&str; 4] =
    ["../model/golden", "../model/golden_workflow", "../model/golden_cycle", "../model/tests/golden_ledger"];

/// What stands in the place of a digest where nothing is frozen yet.
const OPEN: &str = "open";

fn list() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frozen/FROZEN")
}

/// What the list says.
struct Frozen {
    /// The digest of each frozen file, by its path from the crate's directory.
    digests: BTreeMap<String, String>,
    /// Words in the paths of files that are not frozen yet.
    open: BTreeSet<String>,
}

impl Frozen {
    fn read() -> Self {
        let text = std::fs::read_to_string(list()).unwrap_or_default();
        let mut frozen = Self { digests: BTreeMap::new(), open: BTreeSet::new() };
        for (digest, path) in text.lines().filter_map(|line| line.split_once("  ")) {
            if digest == OPEN {
                frozen.open.insert(path.to_owned());
            } else {
                frozen.digests.insert(path.to_owned(), digest.to_owned());
            }
        }
        frozen
    }

    fn is_open(&self, path: &str) -> bool {
        self.open.iter().any(|word| path.contains(word))
    }

    fn to_text(&self) -> String {
        let open = self.open.iter().map(|word| format!("{OPEN}  {word}\n"));
        let digests = self.digests.iter().map(|(path, digest)| format!("{digest}  {path}\n"));
        open.chain(digests).collect()
    }
}

/// Whether the events of this journal are frozen.
pub(crate) fn has_journal(name: &str) -> bool {
    Frozen::read().digests.contains_key(&format!("tests/frozen/journals/{name}/events.ndjson"))
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
    let (mut listed, found) = (Frozen::read(), found());
    for (path, digest) in &listed.digests {
        assert_eq!(
            found.get(path),
            Some(digest),
            "{path} is frozen: see \"Changing an event\" in CONTRIBUTING.md"
        );
    }
    if super::is_writing() {
        let new = found.iter().filter(|(path, _)| !listed.is_open(path));
        let new: Vec<_> = new.map(|(path, digest)| (path.clone(), digest.clone())).collect();
        listed.digests.extend(new);
        std::fs::write(list(), listed.to_text()).expect("room");
    }
    let is_missing = |path: &&String| !listed.digests.contains_key(*path) && !listed.is_open(path);
    let unlisted: Vec<&String> = found.keys().filter(is_missing).collect();
    assert!(unlisted.is_empty(), "new, and not frozen yet (PITON_WRITE_FROZEN=1 adds them): {unlisted:?}");
}
