//! The state directory survives `git clean`, and nothing of piton makes a tree dirty.

#[cfg(test)]
mod support;

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use piton_git::Error;
use support::{Place, RUN};

#[test]
fn git_clean_leaves_the_state_directory_alone() {
    let place = Place::new();
    place.write(".piton/journal.db", b"j");
    place.write("junk", b"j");
    place.git(&["clean", "-fdx", "--quiet"]);
    assert!(!place.path("junk").exists());
    assert!(place.path(".piton/journal.db").exists());
    // Both halves count: the list alone does not survive `-x`.
    place.remove(".piton/.git");
    place.git(&["clean", "-fdx", "--quiet"]);
    assert!(!place.path(".piton").exists());
}

#[test]
fn the_tree_stays_clean() {
    let place = Place::new();
    place.write(".piton/journal.db", b"j");
    place.write(".ralph/state.json", b"{}");
    place.write("odd [name] *?", b"rendered");
    place.snapshot();
    let rendered = [PathBuf::from(".ralph/state.json"), PathBuf::from("odd [name] *?")];
    place.open().leaving_out(&rendered).protect_state().unwrap();
    assert_eq!(place.git(&["status", "--porcelain"]), "");
    place.write(".ralph/other", b"theirs");
    assert_eq!(place.git(&["status", "--porcelain"]), "?? .ralph/");
}

#[test]
fn protecting_again_changes_nothing_and_keeps_what_is_there() {
    let place = Place::new();
    let exclude = ".git/info/exclude";
    for (before, after) in [
        (&b""[..], &b"/.piton/\n"[..]),
        (b"# mine\n*.tmp", b"# mine\n*.tmp\n/.piton/\n"),
        (b"*.tmp\r\nx\r\n", b"*.tmp\r\nx\r\n/.piton/\r\n"),
        (b"/.piton/\r\n", b"/.piton/\r\n"),
        (b"# /.piton/\n\xff\n", b"# /.piton/\n\xff\n/.piton/\n"),
    ] {
        place.write(exclude, before);
        for _ in 0..2 {
            place.protect();
            assert_eq!(std::fs::read(place.path(exclude)).unwrap(), after);
        }
        assert_eq!(place.git(&["status", "--porcelain"]), "");
    }
    place.remove(".git/info");
    place.protect();
    assert_eq!(std::fs::read(place.path(exclude)).unwrap(), b"/.piton/\n");
}

#[test]
fn an_exclude_file_that_is_a_link_is_not_written_through() {
    let place = Place::new();
    let outside = place.directory.path().join("outside");
    support::write(&outside, b"precious\n");
    place.remove(".git/info/exclude");
    symlink(&outside, place.path(".git/info/exclude")).unwrap();
    assert!(matches!(place.open().protect_state(), Err(Error::File(_))));
    assert_eq!(std::fs::read(&outside).unwrap(), b"precious\n");
    // Its rules count all the same.
    support::write(&outside, b"/.piton/\nsecret\n");
    place.write("secret", b"s");
    assert!(!place.files_of(&place.snapshot().tree).contains_key(b"secret".as_slice()));
}

#[test]
fn the_users_own_rules_count() {
    let place = Place::new();
    let rules = place.directory.path().join("home/my rules");
    support::write(&rules, b"*.bak\n");
    place.git(&["config", "core.excludesFile", rules.to_str().unwrap()]);
    place.write("a.bak", b"b");
    let has = |place: &Place| place.files_of(&place.snapshot().tree).contains_key(b"a.bak".as_slice());
    assert!(!has(&place));
    support::write(&rules, b"");
    assert!(has(&place));
    support::write(&rules, b"*.bak\n");
    assert!(has(&place), "what was held once stays");
}

#[test]
fn snapshots_work_without_protection() {
    let place = Place::plain();
    place.git(&["init", "--quiet"]);
    place.write("a", b"1");
    place.write(".piton/journal.db", b"j");
    place.assert_exact(&place.open().snapshot(RUN, "unprotected").unwrap());
}
