//! A journal whose pieces are sealed: every bit of them is covered, and what lacks its key is not damaged.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_seal::opener::{Source, new_identity};
use piton_seal::{KeyId, Openers, Ring};
use piton_store::conformance::block_on;
use piton_store::sqlite::Sqlite;
use piton_store::{Error, Expect, JournalId, Store, Url, Wanted};
use piton_sys::file::{self, Durability};
use rusqlite::Connection;

use crate::common::*;

struct Place {
    root: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        file::create_new(&root.path().join("key"), new_identity("now").0.as_bytes(), Durability::Unsynced)
            .unwrap();
        Self { root }
    }

    fn state(&self) -> PathBuf {
        self.root.path().join(".piton")
    }

    fn ring(&self, key: &str, seals: bool) -> Arc<Ring> {
        let openers =
            Openers { sources: vec![Source::File(self.root.path().join(key))], recipients: Vec::new() };
        Arc::new(Ring::new(self.root.path().join("keys"), openers, seals))
    }

    fn open(&self, key: &str, seals: bool) -> Sqlite {
        Sqlite::open_with(&self.state(), JournalId::random(), self.ring(key, seals)).unwrap()
    }

    /// A run with an event, a checkpoint and a payload with a file of its own.
    fn with_a_run() -> Self {
        let place = Self::new();
        let store = place.open("key", true);
        create(&store, "r");
        let mut append = asked("r", Expect::Any, "words of a person");
        append.checkpoint = Some(b"the state".to_vec());
        block_on(store.append(append)).unwrap();
        let mut large = asked("r", Expect::Any, "large");
        large.events[0].data = b"0123456789".repeat(7_000);
        block_on(store.append(large)).unwrap();
        drop(store);
        place
    }
}

/// The bytes of one column of one row.
fn column(state: &Path, sql: &str) -> Vec<u8> {
    Connection::open(state.join("journal.db")).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
}

/// Whether everything is there and sound.
fn is_sound(store: &Sqlite) -> bool {
    problems(store).is_ok_and(|problems| problems.is_empty())
        && block_on(store.checkpoint(&run("r"), u64::MAX)).is_ok_and(|found| found.is_some())
}

#[test]
fn every_flipped_bit_of_a_sealed_piece_is_found() {
    let place = Place::with_a_run();
    let store = place.open("key", true);
    assert!(is_sound(&store));
    let connection = Connection::open(place.state().join("journal.db")).unwrap();
    for (read, write) in [
        ("select body from events where seq = 2", "update events set body = ?1 where seq = 2"),
        ("select bytes from checkpoints", "update checkpoints set bytes = ?1"),
        ("select title from runs", "update runs set title = ?1"),
    ] {
        let sound = column(&place.state(), read);
        for at in 0..sound.len() {
            let mut flipped = sound.clone();
            flipped[at] ^= 1 << (at % 8);
            connection.execute(write, [&flipped]).unwrap();
            assert!(!is_sound(&store), "{read}, byte {at}");
        }
        connection.execute(write, [&sound]).unwrap();
        assert!(is_sound(&store), "{read}");
    }
    for column in ["codec", "key_id", "seq"] {
        connection.execute(&format!("update events set {column} = {column} + 1 where seq = 2"), []).unwrap();
        assert!(!is_sound(&store), "{column}");
        let place = if column == "seq" { 3 } else { 2 };
        let back = format!(
            "update events set {column} = {column} - 1 where seq = {place} and kinds = 'noted' and row = 2"
        );
        connection.execute(&back, []).unwrap();
        assert!(is_sound(&store), "{column} back");
    }
}

#[test]
fn a_piece_that_is_swapped_for_another_is_found() {
    let place = Place::with_a_run();
    let store = place.open("key", true);
    let connection = Connection::open(place.state().join("journal.db")).unwrap();
    let body = column(&place.state(), "select body from events where seq = 1");
    connection.execute("update events set body = ?1 where seq = 2", [&body]).unwrap();
    let problems = problems(&store).unwrap();
    assert!(problems[0].what.contains("does not decode"), "{problems:?}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
fn every_flipped_byte_of_a_sealed_blob_is_found() {
    let place = Place::with_a_run();
    let store = place.open("key", true);
    let blobs = place.state().join("blobs");
    let inner = std::fs::read_dir(&blobs).unwrap().next().unwrap().unwrap().path();
    let path = std::fs::read_dir(inner).unwrap().next().unwrap().unwrap().path();
    let sound = std::fs::read(&path).unwrap();
    assert!(!sound.windows(10).any(|window| window == b"0123456789"));
    for at in 0..sound.len() {
        let mut flipped = sound.clone();
        flipped[at] ^= 1 << (at % 8);
        std::fs::write(&path, &flipped).unwrap();
        assert!(!is_sound(&store), "byte {at}");
    }
    std::fs::write(&path, &sound).unwrap();
    assert!(is_sound(&store));
}

#[test]
fn without_the_key_everything_is_locked_and_nothing_damaged() {
    let place = Place::with_a_run();
    file::create_new(
        &place.root.path().join("other"),
        new_identity("now").0.as_bytes(),
        Durability::Unsynced,
    )
    .unwrap();
    for store in [place.open("other", true), Sqlite::open(&place.state()).unwrap()] {
        for refused in [
            block_on(store.read(&run("r"), 1, 9)).map(drop),
            block_on(store.row(&run("r"))).map(drop),
            block_on(store.rows(Wanted::ALL)).map(drop),
            block_on(store.rows(Wanted::ALL_THERE)).map(drop),
            block_on(store.checkpoint(&run("r"), 9)).map(drop),
            block_on(store.verify(Some(&run("r")))).map(drop),
        ] {
            assert!(matches!(refused, Err(Error::Key(piton_seal::Error::NoKey { .. }))), "{refused:?}");
        }
    }
    let url = Url::of_repository(place.root.path());
    let other: Arc<dyn piton_seal::Keys> = place.ring("other", true);
    assert!(matches!(piton_store::salvage(&url, None, &[], &other), Err(Error::Key(_))));
    let ours: Arc<dyn piton_seal::Keys> = place.ring("key", true);
    let salvaged = piton_store::salvage(&url, None, &[], &ours).unwrap();
    assert_eq!(salvaged.runs[0].head.seq, 3);
}

#[test]
fn what_was_open_is_sealed_on_request_and_hashes_stay() {
    let place = Place::new();
    let open = place.open("key", false);
    create(&open, "r");
    say(&open, "r", "words of a person");
    let before = block_on(open.row(&run("r"))).unwrap();
    drop(open);
    let store = place.open("key", true);
    assert!(block_on(store.key_uses()).unwrap()[&KeyId::NONE] >= 3);
    assert!(block_on(store.seal_anew()).unwrap() >= 3);
    assert_eq!(block_on(store.key_uses()).unwrap().get(&KeyId::NONE), None);
    assert_eq!(block_on(store.row(&run("r"))).unwrap(), before);
    assert_whole(&store);
    drop(store);
    let bytes = std::fs::read(place.state().join("journal.db")).unwrap();
    assert!(!bytes.windows(17).any(|window| window == b"words of a person"));
    assert_whole(&place.open("key", false));
}
