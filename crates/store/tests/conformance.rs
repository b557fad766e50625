//! The contract, on every backend there is.
#![expect(clippy::unwrap_used, reason = "a test says what it saw, and fails where it cannot go on")]

use piton_store::conformance::Journal;
use piton_store::memory::Memory;
use piton_store::sqlite::Sqlite;

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

piton_store::conformance_tests!(memory, InMemory::default());
piton_store::conformance_tests!(sqlite, InDirectory::new());
