//! Nothing is frozen that no journal here holds: every event of every kind is in one of them.

use std::collections::BTreeSet;
use std::path::Path;

use super::directory;

/// The types of event that the golden files in `directory` of the model have.
fn golden(directory: &str) -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../model").join(directory);
    let names =
        std::fs::read_dir(&path).expect("golden files").map(|entry| entry.expect("a file").file_name());
    names.filter_map(|name| Some(name.to_str()?.split_once(".v")?.0.to_owned())).collect()
}

/// The types of event in the journals whose name has `kind` in it.
fn frozen(kind: &str) -> BTreeSet<String> {
    let journals = std::fs::read_dir(directory("")).expect("journals").map(|entry| entry.expect("a journal"));
    let journals = journals.filter(|entry| entry.file_name().to_string_lossy().contains(kind));
    let texts = journals.map(|entry| std::fs::read_to_string(entry.path().join("events.ndjson")));
    let mut kinds = BTreeSet::new();
    for text in texts {
        for line in text.expect("a journal").lines() {
            let line: super::Line = serde_json::from_str(line).expect("an event");
            kinds.insert(line.r#type);
        }
    }
    kinds
}

#[test]
fn every_event_is_in_a_journal_that_must_fold_for_ever() {
    for (kind, examples) in [
        ("loop", "golden"),
        ("workflow", "golden_workflow"),
        ("cycle", "golden_cycle"),
        ("ledger", "tests/golden_ledger"),
    ] {
        let (golden, frozen) = (golden(examples), frozen(kind));
        let missing: Vec<_> = golden.difference(&frozen).collect();
        assert!(golden.len() > 10 && missing.is_empty(), "no journal of a {kind} has {missing:?}");
    }
}
