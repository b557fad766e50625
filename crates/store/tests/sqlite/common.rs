//! Shared by the tests of the SQLite journal: appends, copies of a state directory, and looking at all of it.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use piton_model::{Encoded, Entry, Kind, Reason, RunId, Status, Timestamp};
use piton_store::conformance::block_on;
use piton_store::sqlite::Sqlite;
use piton_store::{
    Append, BlobId, Checkpoint, Claim, Error, Expect, Fence, Holder, Lease, Problem, RunRow, Store,
    StoredEvent, Wanted,
};
use piton_sys::process::current;

pub(crate) fn run(id: &str) -> RunId {
    id.parse().unwrap()
}

pub(crate) fn bytes_of(words: &str) -> [u8; 16] {
    piton_store::chain::digest(words.as_bytes())[..16].try_into().unwrap()
}

pub(crate) fn entry(id: &str, title: &str) -> Entry {
    Entry {
        run_id: run(id),
        kind: Kind::Loop,
        title: title.to_owned(),
        status: Status::Waiting,
        reason: Some(Reason::Blocked),
        created_at: Timestamp::from_millis(1_771_157_000_000),
        updated_at: Timestamp::from_millis(1_771_157_000_001),
        iteration: 3,
        waiting_for: None,
        fold: 1,
    }
}

/// An append that anybody may make: one event with these words.
pub(crate) fn asked(id: &str, expect: Expect, words: &str) -> Append {
    Append {
        run: run(id),
        fence: Fence::Request(bytes_of(words)),
        expect,
        at: Timestamp::from_millis(1_771_157_000_001),
        events: vec![Encoded { kind: "noted".to_owned(), version: 1, data: words.as_bytes().to_vec() }],
        entry: Some(entry(id, words)),
        checkpoint: None,
        salt: bytes_of(words),
    }
}

pub(crate) fn create(store: &Sqlite, id: &str) {
    block_on(store.append(asked(id, Expect::Seq(0), "created"))).unwrap();
}

pub(crate) fn say(store: &Sqlite, id: &str, words: &str) -> u64 {
    block_on(store.append(asked(id, Expect::Any, words))).unwrap().seq
}

pub(crate) fn claim(store: &Sqlite, id: &str) -> Lease {
    let holder = Holder { host: "host".to_owned(), process: current(), since: Timestamp::from_millis(0) };
    block_on(store.claim(&run(id), holder, Claim::IfFree)).unwrap()
}

pub(crate) fn words(store: &Sqlite, id: &str) -> Vec<String> {
    let events = block_on(store.read(&run(id), 1, usize::MAX)).unwrap();
    events.into_iter().map(|stored| String::from_utf8(stored.event.data).unwrap()).collect()
}

pub(crate) fn assert_whole(store: &Sqlite) {
    assert_eq!(problems(store), Ok(vec![]));
}

/// Everything that verifying finds, or the first error it meets.
pub(crate) fn problems(store: &Sqlite) -> Result<Vec<Problem>, String> {
    let text = |error: Error| format!("{error:?}");
    let mut problems = block_on(store.verify(None)).map_err(text)?;
    for row in block_on(store.rows(Wanted::ALL_THERE)).map_err(text)?.rows {
        problems.extend(block_on(store.verify(Some(&row.entry.run_id))).map_err(text)?);
    }
    Ok(problems)
}

/// A directory that costs nothing to sync: what is tested here survives a process, not a power cut.
pub(crate) fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// Everything a journal serves.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Truth {
    pub(crate) runs: Vec<RunTruth>,
    pub(crate) blobs: Vec<(BlobId, Vec<u8>)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RunTruth {
    pub(crate) row: RunRow,
    pub(crate) events: Vec<StoredEvent>,
    pub(crate) checkpoints: Vec<Checkpoint>,
}

pub(crate) fn run_truth(store: &Sqlite, id: &RunId) -> Result<RunTruth, Error> {
    block_on(async {
        let row = store.row(id).await?;
        let events = store.read(id, 1, usize::MAX).await?;
        let mut checkpoints = Vec::new();
        let mut at_most = u64::MAX;
        while let Some(checkpoint) = store.checkpoint(id, at_most).await? {
            at_most = checkpoint.seq - 1;
            checkpoints.push(checkpoint);
        }
        Ok(RunTruth { row, events, checkpoints })
    })
}

/// Copies the regular files of a state directory; the log's index is made anew at the next open.
pub(crate) fn copy_state(from: &Path, to: &Path) {
    piton_sys::file::create_private_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_state(&entry.path(), &target);
        } else if !entry.file_name().to_string_lossy().ends_with("-shm") {
            put(&target, &get(&entry.path()));
        }
    }
}

pub(crate) fn get(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    File::open(path).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

/// Replaces the content of a file in place.
pub(crate) fn put(path: &Path, bytes: &[u8]) {
    File::create(path).unwrap().write_all(bytes).unwrap();
}

/// Folds the log into the database, as the last one to close would.
pub(crate) fn fold_log(state: &Path) {
    let connection = rusqlite::Connection::open(state.join("journal.db")).unwrap();
    connection.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(())).unwrap();
}

pub(crate) fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

/// Numbers that look random and are the same every time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }
}
