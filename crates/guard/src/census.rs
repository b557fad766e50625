//! What can be counted in one tree: files, lines of source code, tests and their assertions.

use std::collections::HashMap;

use piton_git::{Entry, ReadError, Tree};

use crate::compare::counted;
use crate::comparison::Side;
use crate::language::Language;
use crate::paths;

/// Blobs that are read at once.
const BATCH: usize = 2_000;

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Files.
    pub files: u64,
    /// Lines in files of a known language.
    pub lines: u64,
    /// Tests.
    pub tests: u64,
    /// Assertions in them.
    pub assertions: u64,
}

/// What was counted before, by blob: what did not change is not read again.
#[derive(Clone, Debug, Default)]
pub struct Counted(HashMap<String, Census>);

/// Counts what is in `tree`.
pub fn census(tree: &dyn Tree, known: &mut Counted) -> Result<Census, ReadError> {
    let entries = tree.entries()?;
    let mut census = Census { files: entries.len() as u64, ..Census::default() };
    let source: Vec<Entry> =
        entries.into_iter().filter(|entry| Language::of(&entry.path).is_some()).collect();
    let missing: Vec<Entry> =
        source.iter().filter(|entry| !known.0.contains_key(&entry.id)).cloned().collect();
    for batch in missing.chunks(BATCH) {
        for (entry, bytes) in batch.iter().zip(tree.read(batch)?) {
            known.0.insert(entry.id.clone(), of_file(&entry.path, bytes));
        }
    }
    for found in source.iter().filter_map(|entry| known.0.get(&entry.id)) {
        census.lines += found.lines;
        census.tests += found.tests;
        census.assertions += found.assertions;
    }
    // What is no longer there will hardly come back.
    if known.0.len() > 2 * source.len() + BATCH {
        known.0.retain(|id, _| source.iter().any(|entry| entry.id == *id));
    }
    Ok(census)
}

fn of_file(path: &str, bytes: Vec<u8>) -> Census {
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
    if !paths::may_hold_tests(path) {
        return Census { lines, ..Census::default() };
    }
    let (tests, assertions) = counted(&Side::new(path, bytes)).tests_and_assertions();
    Census { files: 0, lines, tests, assertions }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::MemoryTree;

    #[test]
    fn lines_tests_and_assertions_are_counted_and_what_did_not_change_is_known() {
        let tree = MemoryTree::new([
            ("src/lib.rs", "pub fn one() -> u32 {\n    1\n}\n"),
            ("tests/one.rs", "#[test]\nfn one() {\n    assert_eq!(1, 1 + 0);\n}\n"),
            ("README.md", "not code\n"),
        ]);
        let mut known = Counted::default();
        let found = census(&tree, &mut known).unwrap();
        assert_eq!(found, Census { files: 3, lines: 7, tests: 1, assertions: 1 });
        assert_eq!(known.0.len(), 2);
        assert_eq!(census(&tree, &mut known).unwrap(), found);
    }
}
