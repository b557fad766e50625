//! The files of the journal: who may have touched them, and which piton wrote them.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::common::*;
use piton_store::conformance::block_on;
use piton_store::sqlite::Sqlite;
use piton_store::{Claim, Error, Expect, Holder, Identity, Sealed, Store};
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
fn nothing_below_is_followed_through_a_link() {
    for name in ["write.lock", "attempts", "index", "anchors", "journal.db-wal", "leases/a.1", "attempts/a"] {
        let directory = scratch();
        let state = directory.path().join("state");
        drop(Sqlite::open(&state).unwrap());
        let outside = directory.path().join("outside");
        std::fs::create_dir(&outside).unwrap();
        let link = state.join(name);
        let _ = std::fs::create_dir(link.parent().unwrap());
        let _ = std::fs::remove_dir(&link);
        let _ = std::fs::remove_file(&link);
        symlink(outside.join("target"), &link).unwrap();
        match Sqlite::open_existing(&state).map(drop) {
            Err(Error::File(error)) => {
                assert_eq!((error.refusal(), &error.path), (Some(&Refusal::Symlink), &link));
            }
            other => panic!("{name}: {other:?}"),
        }
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0, "{name}: something was made outside");
    }
}

#[test]
fn an_anchor_that_is_a_link_is_neither_read_nor_written() {
    let directory = scratch();
    let state = directory.path().join("state");
    create(&Sqlite::open(&state).unwrap(), "a");
    let (anchor, outside) = (state.join("anchors/a"), directory.path().join("outside"));
    put(&outside, &get(&anchor));
    std::fs::remove_file(&anchor).unwrap();
    symlink(&outside, &anchor).unwrap();
    let before = get(&outside);
    let store = Sqlite::open(&state).unwrap();
    let refused = block_on(store.row(&run("a"))).map(drop);
    assert!(matches!(&refused, Err(Error::Corrupt(problem)) if problem.run == Some(run("a"))), "{refused:?}");
    let refused = block_on(store.append(asked("a", Expect::Any, "more"))).map(drop);
    assert!(refused.is_err(), "{refused:?}");
    assert_eq!(get(&outside), before, "written through the link");
}

#[test]
fn a_copy_that_gets_a_name_of_its_own_keeps_what_its_anchors_know() {
    let directory = scratch();
    let root = directory.path().join("root");
    let url = piton_store::Url::of_repository(&root);
    let piton_store::Opened { store, identity, .. } =
        piton_store::open(&url, piton_store::JournalId::random()).unwrap();
    assert_eq!(identity.place, std::fs::canonicalize(&root).unwrap());
    drop(store);
    let state = root.join(".piton");
    create(&Sqlite::open(&state).unwrap(), "a");
    let renamed = Identity { id: piton_store::JournalId::random(), place: "/elsewhere".into() };
    piton_store::identify(&url, &renamed).unwrap();
    let store = Sqlite::open(&state).unwrap();
    assert_eq!(*store.identity(), renamed);
    assert_whole(&store);
    drop(store);
    // The anchor is there and is believed: a journal that has lost its events is found out.
    let connection = rusqlite::Connection::open(state.join("journal.db")).unwrap();
    connection.execute_batch("delete from events; delete from runs").unwrap();
    drop(connection);
    let store = Sqlite::open(&state).unwrap();
    assert!(matches!(block_on(store.row(&run("a"))), Err(Error::Corrupt(_))));
}

#[test]
fn a_sealed_journal_is_read_and_nothing_else() {
    let directory = scratch();
    let store = std::sync::Arc::new(Sqlite::open(&directory.path().join("state")).unwrap());
    create(&store, "a");
    let sealed = Sealed::new(store, "not yours".to_owned(), "leave it".to_owned());
    assert_eq!(block_on(sealed.row(&run("a"))).unwrap().head.seq, 1);
    let refused = |error: Error| assert!(matches!(error, Error::Sealed { .. }), "{error}");
    refused(block_on(sealed.append(asked("a", Expect::Any, "go on"))).unwrap_err());
    let process = piton_sys::process::current();
    let holder = Holder { host: "h".to_owned(), process, since: piton_model::Timestamp::from_millis(1) };
    refused(block_on(sealed.claim(&run("a"), holder, Claim::TakeOver)).unwrap_err());
    refused(block_on(sealed.put_blob(b"bytes")).unwrap_err());
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
