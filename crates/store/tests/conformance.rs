//! The contract, on every backend there is.
#![expect(clippy::unwrap_used, reason = "a test says what it saw, and fails where it cannot go on")]

use std::sync::Arc;

use piton_seal::opener::Source;
use piton_seal::{Openers, Ring};
use piton_store::JournalId;
use piton_store::conformance::Journal;
use piton_store::memory::Memory;
use piton_store::sqlite::Sqlite;
use piton_sys::file::Durability;

/// A clone shares the journal, as a second process would.
#[derive(Default)]
struct InMemory(Memory);

impl Journal for InMemory {
    type Handle = Memory;

    fn open(&self) -> Memory {
        self.0.clone()
    }
}

/// A directory that is opened as often as asked.
struct InDirectory(tempfile::TempDir);

impl InDirectory {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }
}

impl Journal for InDirectory {
    type Handle = Sqlite;

    fn open(&self) -> Sqlite {
        Sqlite::open(&self.0.path().join(".piton")).unwrap()
    }
}

/// The same, with everything sealed.
struct Encrypted {
    directory: tempfile::TempDir,
    ring: Arc<Ring>,
}

impl Encrypted {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("key");
        let (text, _) = piton_seal::opener::new_identity("now");
        piton_sys::file::create_new(&file, text.as_bytes(), Durability::Unsynced).unwrap();
        let openers = Openers { sources: vec![Source::File(file)], recipients: Vec::new() };
        let ring = Arc::new(Ring::new(directory.path().join("keys"), openers, true));
        Self { directory, ring }
    }
}

impl Journal for Encrypted {
    type Handle = Sqlite;

    fn open(&self) -> Sqlite {
        let state = self.directory.path().join(".piton");
        Sqlite::open_with(&state, JournalId::random(), self.ring.clone()).unwrap()
    }
}

piton_store::conformance_tests!(memory, InMemory::default());
piton_store::conformance_tests!(sqlite, InDirectory::new());
piton_store::conformance_tests!(encrypted, Encrypted::new());
