//! What is let go of: killed at any point it can be repeated, and nothing that is named goes.

use std::path::Path;

use piton_model::Timestamp;
use piton_store::conformance::block_on;
use piton_store::sqlite::Sqlite;
use piton_store::{Append, Archived, Expect, Store, Sweep};

use crate::common::*;
use crate::crowd::{child, place};

fn note() -> Archived {
    let place = Some("/kept".to_owned());
    Archived { through: 41, at: Timestamp::from_millis(5), place, backup: Some("b".to_owned()) }
}

/// A run of 41 events, one of them too large for its row, and one more with its state.
fn begin(store: &Sqlite) {
    create(store, "a");
    for n in 1..=40 {
        say(store, "a", &if n == 7 { "large ".repeat(20_000) } else { format!("event {n}") });
    }
    let last = asked("a", Expect::Any, "its state");
    block_on(store.append(Append { checkpoint: Some(b"state".to_vec()), ..last })).unwrap();
}

fn later() -> Timestamp {
    Timestamp::from_millis(i64::MAX / 2)
}

fn sweep(store: &Sqlite, untouched_since: Timestamp, remove: bool) -> usize {
    let how = Sweep { untouched_since, aside: Vec::new(), remove };
    let swept = block_on(store.sweep(&how)).unwrap();
    assert_eq!(swept.kept_because, None);
    swept.blobs
}

#[test]
#[ignore = "a process of the test below"]
fn child_that_archives() {
    let (state, _) = place();
    let store = Sqlite::open(&state).unwrap();
    let lease = claim(&store, "a");
    block_on(store.archive(&lease, note())).unwrap();
    sweep(&store, later(), true);
    block_on(store.compact()).unwrap();
}

#[test]
fn whoever_is_killed_while_archiving_archives_again() {
    let mut deaths = 0;
    for abort_at in 1.. {
        let directory = scratch();
        let state = directory.path().join("state");
        begin(&Sqlite::open(&state).unwrap());
        let output = child("keep::child_that_archives", &state, "", Some(abort_at));
        let there = |state: &Path| {
            let store = Sqlite::open(state).unwrap();
            assert_whole(&store);
            let kept = block_on(store.checkpoint(&run("a"), u64::MAX)).unwrap().unwrap();
            assert_eq!((kept.seq, kept.bytes), (42, b"state".to_vec()));
            let events = block_on(store.read(&run("a"), 1, usize::MAX)).unwrap();
            assert_eq!(events.len(), 42);
            let archived = events.iter().filter(|event| event.archived).count();
            assert!(archived == 0 || block_on(store.archived(&run("a"))).unwrap() == Some(note()));
            (archived, sweep(&store, later(), false))
        };
        there(&state);
        deaths += usize::from(!output.success());
        let second = child("keep::child_that_archives", &state, "", None);
        assert!(second.success(), "after {abort_at}: {}", String::from_utf8_lossy(&second.stderr));
        assert_eq!(there(&state), (41, 0), "died at {abort_at}");
        if output.success() {
            assert!(deaths > 10, "only {deaths} points were hit");
            return;
        }
    }
}

#[test]
fn only_what_no_event_names_is_swept_and_nothing_that_was_just_put_there() {
    let directory = scratch();
    let store = Sqlite::open(&directory.path().join("state")).unwrap();
    begin(&store);
    assert_eq!(sweep(&store, later(), true), 0, "it is named");
    let id = block_on(store.put_blob(&vec![7; 100_000])).unwrap();
    assert_eq!(sweep(&store, Timestamp::from_millis(0), true), 0, "somebody may be about to name it");
    assert_eq!(sweep(&store, later(), false), 1);
    assert!(block_on(store.blob(&id)).is_ok(), "it was only looked at");
    assert_eq!(sweep(&store, later(), true), 1);
    assert!(block_on(store.blob(&id)).is_err());
    assert_whole(&store);
    let lease = claim(&store, "a");
    block_on(store.remove(lease)).unwrap();
    assert_eq!(sweep(&store, later(), true), 1, "its run is gone");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test damages its files directly")]
fn what_a_journal_that_was_put_aside_names_is_not_swept() {
    let directory = scratch();
    let (state, aside) = (directory.path().join("state"), directory.path().join("aside"));
    let store = Sqlite::open(&state).unwrap();
    begin(&store);
    std::fs::create_dir(&aside).unwrap();
    block_on(store.compact()).unwrap();
    std::fs::copy(state.join("journal.db"), aside.join("journal.db")).unwrap();
    let lease = claim(&store, "a");
    block_on(store.remove(lease)).unwrap();
    let how = |aside: &[&Path]| Sweep {
        untouched_since: later(),
        aside: aside.iter().map(|path| path.to_path_buf()).collect(),
        remove: true,
    };
    assert_eq!(block_on(store.sweep(&how(&[&aside]))).unwrap().blobs, 0);
    // Nobody knows what one names that cannot be read.
    std::fs::write(aside.join("journal.db"), "garbage ".repeat(1000)).unwrap();
    let swept = block_on(store.sweep(&how(&[&aside]))).unwrap();
    assert!(swept.blobs == 0 && swept.kept_because.is_some(), "{swept:?}");
    assert_eq!(block_on(store.sweep(&how(&[]))).unwrap().blobs, 1);
}

#[test]
fn an_archived_run_takes_less_and_a_compaction_gives_it_back() {
    let directory = scratch();
    let store = Sqlite::open(&directory.path().join("state")).unwrap();
    create(&store, "a");
    for n in 0..200_u32 {
        let noise: String = (0..300).map(|k| format!("{:x}", (k * 7919 + n * 104_729) ^ (k << 9))).collect();
        say(&store, "a", &noise);
    }
    let before = block_on(store.sizes()).unwrap();
    let lease = claim(&store, "a");
    block_on(store.archive(&lease, Archived { through: 190, ..note() })).unwrap();
    let after = block_on(store.sizes()).unwrap();
    assert!(after.runs["a"].journal_bytes * 3 < before.runs["a"].journal_bytes, "{before:?} {after:?}");
    block_on(store.compact()).unwrap();
    let compacted = block_on(store.sizes()).unwrap();
    assert!(compacted.file_bytes * 2 < before.file_bytes, "{before:?} {compacted:?}");
    assert_whole(&store);
    // Whoever had it open goes on.
    say(&store, "a", "more");
    assert_whole(&store);
}

#[test]
fn damage_to_an_archived_run_or_its_note_is_found() {
    let directory = scratch();
    let state = directory.path().join("state");
    let store = Sqlite::open(&state).unwrap();
    begin(&store);
    let lease = claim(&store, "a");
    block_on(store.archive(&lease, note())).unwrap();
    assert_whole(&store);
    drop((lease, store));
    for sql in [
        "update events set body = x'00' || substr(body, 2) where seq = 5",
        "update events set body = substr(body, 2) where seq = 5",
        "update events set codec = 0 where seq = 5",
        "update events set kinds = 'other' where seq = 5",
        "update meta set value = x'00' || substr(value, 2) where name like 'archived:%'",
        "delete from meta where name like 'archived:%'",
    ] {
        let copy = directory.path().join("copy");
        std::fs::create_dir_all(&copy).unwrap();
        std::fs::copy(state.join("journal.db"), copy.join("journal.db")).unwrap();
        let connection = rusqlite::Connection::open(copy.join("journal.db")).unwrap();
        assert_eq!(connection.execute(sql, []).unwrap(), 1, "{sql}");
        drop(connection);
        let store = Sqlite::open(&copy).unwrap();
        assert!(!problems(&store).unwrap().is_empty(), "{sql}");
        drop(store);
        std::fs::remove_dir_all(&copy).unwrap();
    }
}
