//! Which files are ours, where a format has no room to say so: the digests of what piton wrote last.
//!
//! They are kept in a file of piton's own that is written before the files themselves: after a crash in between, either
//! content is known as ours. It is no source of truth; without it a file that is there counts as foreign, unless this very
//! process wrote it, and nothing is lost.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use piton_sys::file::{self, Durability, Error};

/// Far more than a list of digests needs.
const BYTES_MAX: u64 = 1 << 20;

/// The digests of the files of one run.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Where piton keeps what is its own; never made here.
    home: PathBuf,
    list: PathBuf,
    /// What was last written here: whatever becomes of the list, that is ours.
    written: Arc<Mutex<Vec<Own>>>,
}

/// A content that is ours.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Own {
    pub(crate) digest: String,
    /// Of which file; empty where there is only one.
    pub(crate) name: String,
    /// A word that is worth knowing of that content.
    pub(crate) note: String,
}

impl Own {
    /// The content of the file of this name.
    pub(crate) fn new(name: &str, bytes: &[u8]) -> Self {
        Self { digest: digest(bytes), name: name.to_owned(), note: String::new() }
    }

    fn read(line: &str) -> Option<Self> {
        let mut words = line.split("  ").map(str::to_owned);
        let digest = words.next().filter(|digest| !digest.is_empty())?;
        Some(Self { digest, name: words.next().unwrap_or_default(), note: words.next().unwrap_or_default() })
    }

    fn line(&self) -> String {
        [&self.digest, &self.name, &self.note].map(String::as_str).join("  ").trim_end().to_owned()
    }
}

impl Known {
    /// What `list`, a file below `home`, says is ours.
    pub(crate) fn new(home: PathBuf, list: PathBuf) -> Self {
        Self { home, list, written: Arc::default() }
    }

    /// Where it is.
    pub(crate) fn list(&self) -> &Path {
        &self.list
    }

    /// All of it; of each file the last one is what was rendered last.
    pub(crate) fn all(&self) -> Result<Vec<Own>, Error> {
        let known = file::read_regular(&self.list, BYTES_MAX)?.unwrap_or_default();
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(String::from_utf8_lossy(&known).lines().filter_map(Own::read).chain(written).collect())
    }

    /// Keeps these, and nothing else. Of a run that is only imported nothing lies beside them yet.
    pub(crate) fn remember(&self, all: &[Own]) -> Result<(), Error> {
        self.make_room()?;
        let lines: Vec<String> = all.iter().map(Own::line).collect();
        file::write_atomic(&self.list, lines.join("\n").as_bytes(), Durability::Unsynced)
    }

    /// Makes the directory of the list.
    pub(crate) fn make_room(&self) -> Result<(), Error> {
        match self.list.parent() {
            Some(directory) => file::create_private_dir_below(&self.home, directory),
            None => Ok(()),
        }
    }

    /// These were written.
    pub(crate) fn wrote(&self, all: Vec<Own>) {
        *self.written.lock().unwrap_or_else(PoisonError::into_inner) = all;
    }
}

/// The name of a content.
pub(crate) fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}
