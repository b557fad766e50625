//! A tree in memory, for tests and measurements.

use std::collections::BTreeMap;

use piton_git::{Entry, ReadError, Tree};

/// A tree in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryTree(pub BTreeMap<String, Vec<u8>>);

impl MemoryTree {
    /// The tree of these files.
    pub fn new<P: Into<String>, T: Into<Vec<u8>>>(files: impl IntoIterator<Item = (P, T)>) -> Self {
        Self(files.into_iter().map(|(path, text)| (path.into(), text.into())).collect())
    }
}

impl Tree for MemoryTree {
    fn entries(&self) -> Result<Vec<Entry>, ReadError> {
        let entry = |(path, bytes): (&String, &Vec<u8>)| Entry {
            path: path.clone(),
            id: blake3::hash(bytes).to_hex().to_string(),
        };
        Ok(self.0.iter().map(entry).collect())
    }

    fn read(&self, entries: &[Entry]) -> Result<Vec<Vec<u8>>, ReadError> {
        let bytes = |entry: &Entry| {
            let missing = || format!("there is no file `{}`", entry.path);
            self.0.get(&entry.path).cloned().ok_or_else(|| missing().into())
        };
        entries.iter().map(bytes).collect()
    }
}
