//! The files of the journal: who may have touched them, and which piton wrote them.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::common::*;
use piton_store::conformance::block_on;
use piton_store::sqlite::Sqlite;
use piton_store::{Error, Expect, Store};
use piton_sys::file::Refusal;

#[test]
fn a_journal_from_a_newer_piton_is_refused_and_left_alone() {
    let directory = scratch();
    let state = directory.path().join("state");
    create(&Sqlite::open(&state).unwrap(), "a");
    let connection = rusqlite::Connection::open(state.join("journal.db")).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    fold_log(&state);
    let before = get(&state.join("journal.db"));
    for _ in 0..2 {
        let refused = Sqlite::open(&state).map(drop);
        assert!(matches!(refused, Err(Error::Newer { found: 99, known: 3 })), "{refused:?}");
        assert!(Sqlite::open_existing(&state).is_err());
    }
    assert!(get(&state.join("journal.db")) == before, "it was written to");
}

#[test]
fn a_journal_from_before_the_first_release_is_refused_and_left_alone() {
    let directory = scratch();
    let state = directory.path().join("state");
    create(&Sqlite::open(&state).unwrap(), "a");
    let connection = rusqlite::Connection::open(state.join("journal.db")).unwrap();
    connection.pragma_update(None, "user_version", 1).unwrap();
    drop(connection);
    fold_log(&state);
    let before = get(&state.join("journal.db"));
    let refused = Sqlite::open(&state).map(drop);
    assert!(matches!(refused, Err(Error::Older { found: 1, known: 3 })), "{refused:?}");
    assert!(Sqlite::open_existing(&state).is_err());
    assert!(get(&state.join("journal.db")) == before, "it was written to");
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let directory = scratch();
    let state = directory.path().join("state");
    piton_sys::file::create_private_dir(&state).unwrap();
    put(&state.join("journal.db"), &b"this is a diary, not a database\n".repeat(200));
    let refused = Sqlite::open(&state).map(drop);
    assert!(matches!(refused, Err(Error::Corrupt(_))), "{refused:?}");
    assert!(get(&state.join("journal.db")).starts_with(b"this is a diary"));
}

#[test]
fn no_journal_is_made_by_looking_for_one() {
    let directory = scratch();
    let state = directory.path().join("state");
    assert!(Sqlite::open_existing(&state).unwrap().is_none());
    assert!(!state.exists());
}

#[test]
fn a_state_directory_that_others_could_change_is_refused() {
    let directory = scratch();
    let (state, link) = (directory.path().join("state"), directory.path().join("link"));
    create(&Sqlite::open(&state).unwrap(), "a");
    symlink(&state, &link).unwrap();
    for open in
        [|path: &Path| Sqlite::open(path).map(drop), |path: &Path| Sqlite::open_existing(path).map(drop)]
    {
        let refused = open(&link);
        let Err(Error::File(error)) = &refused else { panic!("{refused:?}") };
        assert!(matches!(error.refusal(), Some(Refusal::Symlink)), "{error:?}");

        std::fs::set_permissions(&state, PermissionsExt::from_mode(0o777)).unwrap();
        let refused = open(&state);
        let Err(Error::File(error)) = &refused else { panic!("{refused:?}") };
        assert!(matches!(error.refusal(), Some(Refusal::WorldWritable { .. })), "{error:?}");
        std::fs::set_permissions(&state, PermissionsExt::from_mode(0o700)).unwrap();
    }
    assert_eq!(words(&Sqlite::open(&state).unwrap(), "a"), ["created"]);
}

#[test]
fn links_inside_the_state_directory_are_not_followed() {
    let directory = scratch();
    let victim = directory.path().join("victim");
    put(&victim, b"untouched");
    for name in ["journal.db", "anchors", "leases", "blobs", "anchors/a"] {
        let state = directory.path().join(name.replace('/', "-"));
        piton_sys::file::create_private_dir(&state).unwrap();
        if name.contains('/') {
            piton_sys::file::create_private_dir(&state.join("anchors")).unwrap();
        }
        symlink(&victim, state.join(name)).unwrap();
        let result =
            Sqlite::open(&state).and_then(|store| block_on(store.append(asked("a", Expect::Seq(0), "x"))));
        assert!(result.is_err(), "{name} was followed");
        assert_eq!(get(&victim), b"untouched", "{name}");
    }
}

#[test]
fn a_journal_that_is_closed_is_one_file() {
    let directory = scratch();
    let state = directory.path().join("state");
    create(&Sqlite::open(&state).unwrap(), "a");
    let names: Vec<_> = files_below(&state).iter().map(|path| path.file_name().unwrap().to_owned()).collect();
    assert_eq!(names, ["a", "journal.db", "write.lock"], "nothing is left over");
}

#[test]
fn everything_piton_makes_is_private() {
    let directory = scratch();
    let state = directory.path().join("state");
    let store = Sqlite::open(&state).unwrap();
    create(&store, "a");
    let _lease = claim(&store, "a");
    block_on(store.put_blob(b"secret")).unwrap();
    let mut paths = files_below(&state);
    paths.extend(["", "anchors", "leases", "blobs"].map(|name| state.join(name)));
    for path in paths {
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{} has mode {:o}", path.display(), mode & 0o7777);
    }
}

#[test]
fn a_file_that_was_deleted_while_in_use_is_noticed_before_the_next_commit() {
    for name in ["journal.db", "journal.db-wal", "journal.db-shm", "anchors/a"] {
        let directory = scratch();
        let state = directory.path().join("state");
        let store = Sqlite::open(&state).unwrap();
        create(&store, "a");
        std::fs::remove_file(state.join(name)).unwrap();
        let noticed = block_on(store.append(asked("a", Expect::Any, "lost")));
        assert!(
            matches!(&noticed, Err(Error::Unlinked { path }) if path.ends_with(name)),
            "{name}: {noticed:?}"
        );
        assert_eq!(block_on(store.read(&run("a"), 1, 9)).unwrap().len(), 1, "{name}: nothing was written");
    }
}

#[test]
fn a_database_that_was_replaced_while_in_use_is_noticed() {
    let directory = scratch();
    let state = directory.path().join("state");
    let store = Sqlite::open(&state).unwrap();
    create(&store, "a");
    let bytes = get(&state.join("journal.db"));
    std::fs::remove_file(state.join("journal.db")).unwrap();
    put(&state.join("journal.db"), &bytes);
    let noticed = block_on(store.append(asked("a", Expect::Any, "lost")));
    assert!(matches!(noticed, Err(Error::Unlinked { .. })), "{noticed:?}");
}

#[test]
fn the_log_is_folded_in_before_it_grows_without_end() {
    let directory = scratch();
    let state = directory.path().join("state");
    let store = Sqlite::open(&state).unwrap();
    create(&store, "a");
    let words: String = (0..8000u32).map(|n| char::from(b'a' + (n * n % 23) as u8)).collect();
    for n in 0..1500 {
        say(&store, "a", &format!("{n}{words}"));
    }
    let bytes = std::fs::metadata(state.join("journal.db-wal")).unwrap().len();
    assert!(bytes < 16 << 20, "the log has {bytes} bytes");
}
