//! How snapshots are kept: as a chain of commits that no garbage collection breaks.

#[cfg(test)]
mod support;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use piton_git::{Error, RepoPath, Snapshot};
use support::{Place, RUN, try_git};

#[test]
fn snapshots_of_a_run_are_a_chain() {
    let place = Place::new();
    let first = place.snapshot();
    place.write("a.txt", b"2");
    let second = place.snapshot();
    assert_eq!(place.git(&["rev-parse", &format!("{}^1", second.id)]), first.id.as_str());
    assert_eq!(place.open().read(&second.id).unwrap(), second);
    let other = place.open().snapshot("run-2", "another run").unwrap();
    assert_eq!(other.tree, second.tree);
    assert_eq!(place.git(&["rev-parse", "refs/piton/runs/run-1"]), second.id.as_str());
}

#[test]
fn the_ref_moved_away_makes_a_new_snapshot() {
    let place = Place::new();
    place.snapshot();
    place.git(&["update-ref", "-d", "refs/piton/runs/run-1"]);
    let again = place.snapshot();
    assert!(!again.reused);
    assert_eq!(place.git(&["rev-parse", "refs/piton/runs/run-1"]), again.id.as_str());
}

#[test]
fn many_new_files_become_one_pack() {
    let place = Place::empty();
    for number in 0..300 {
        place.write(format!("d{}/f{number}", number % 7), format!("content {number}").as_bytes());
    }
    place.write("one-byte", b"1");
    let snapshot = place.snapshot();
    place.assert_exact(&snapshot);
    assert!(place.git(&["count-objects", "-v"]).contains("packs: 1"));
    place.git(&["fsck", "--strict", "--no-dangling"]);
}

#[test]
fn a_damaged_private_index_is_made_again() {
    let place = Place::new();
    place.snapshot();
    for damage in [&b""[..], b"garbage", b"DIRC\0\0\0\x02\0\0\0\x05"] {
        place.write(".piton/index/run-1/index", damage);
        place.write("a.txt", damage);
        place.assert_exact(&place.snapshot());
    }
    place.write(".piton/index/run-1/memo.json", b"{");
    assert_eq!(place.snapshot().tree, place.open().snapshot("run-2", "fresh").unwrap().tree);
}

#[test]
fn pruned_objects_are_written_again() {
    let place = Place::new();
    place.write("new", b"only in the private index");
    place.snapshot();
    place.git(&["update-ref", "-d", "refs/piton/runs/run-1"]);
    place.git(&["prune", "--expire=now"]);
    place.write("another", b"x");
    let snapshot = place.snapshot();
    place.assert_exact(&snapshot);
    place.git(&["fsck", "--no-dangling"]);
}

#[test]
fn everything_a_snapshot_names_survives_garbage_collection() {
    let place = Place::new();
    place.write("staged-only", b"in the index alone");
    place.git(&["add", "staged-only"]);
    place.remove("staged-only");
    place.write("new", b"n");
    let snapshot = place.snapshot();
    // The user throws all of it away.
    place.git(&["checkout", "--quiet", "--orphan", "elsewhere"]);
    place.git(&["rm", "-r", "--quiet", "--cached", "."]);
    place.git(&["branch", "-D", "main", "--quiet"]);
    place.git(&["reflog", "expire", "--expire=now", "--all"]);
    place.git(&["gc", "--quiet", "--prune=now"]);
    let Some(piton_git::Index::Tree(index)) = &snapshot.index else { panic!("{:?}", snapshot.index) };
    assert_eq!(place.git(&["cat-file", "blob", &format!("{index}:staged-only")]), "in the index alone");
    assert_eq!(place.git(&["cat-file", "-t", snapshot.head.as_deref().unwrap()]), "commit");
    assert!(place.files_of(&snapshot.tree).contains_key(b"new".as_slice()));
}

#[test]
fn during_a_merge_the_index_file_and_all_it_names_are_kept() {
    let place = Place::new();
    place.git(&["checkout", "--quiet", "-b", "side"]);
    place.write("a.txt", b"side\n");
    place.commit("side");
    place.git(&["checkout", "--quiet", "main"]);
    place.write("a.txt", b"main\n");
    place.commit("main");
    assert!(!try_git(&place.root, &["merge", "--quiet", "side"]).success());
    place.write("staged", b"staged during the merge");
    place.git(&["add", "staged"]);
    let snapshot = place.snapshot();
    place.assert_exact(&snapshot);
    let Some(piton_git::Index::Unmerged { file, kept }) = &snapshot.index else {
        panic!("{:?}", snapshot.index)
    };
    let index = std::fs::read(place.path(".git/index")).unwrap();
    assert_eq!(try_git(&place.root, &["cat-file", "blob", file.as_str()]).stdout, index);
    place.git(&["merge", "--abort"]);
    place.git(&["gc", "--quiet", "--prune=now"]);
    for (name, content) in [("stage-2/a.txt", "main"), ("stage-3/a.txt", "side")] {
        assert_eq!(place.git(&["cat-file", "blob", &format!("{kept}:{name}")]), content);
    }
    assert_eq!(
        place.git(&["cat-file", "blob", &format!("{kept}:stage-0/staged")]),
        "staged during the merge"
    );
    assert!(!place.snapshot().reused);
}

#[test]
fn a_stale_lock_of_ours_fails_the_snapshot_until_it_is_cleaned() {
    let place = Place::new();
    place.snapshot();
    place.write("a.txt", b"changed");
    place.write(".piton/index/run-1/index.lock", b"");
    place.write(".git/refs/piton/runs/run-1.lock", b"");
    place.write(".git/index.lock", b"the user's");
    assert!(matches!(place.open().snapshot(RUN, "locked"), Err(Error::Git { .. })));
    let removed = place.open().clean_stale_locks(RUN).unwrap();
    assert_eq!(removed.len(), 2, "{removed:?}");
    assert!(place.path(".git/index.lock").exists());
    place.assert_exact(&place.snapshot());
    assert_eq!(place.open().clean_stale_locks(RUN).unwrap(), Vec::<PathBuf>::new());
}

#[test]
fn forget_removes_ref_and_private_index() {
    let place = Place::new();
    place.snapshot();
    place.open().forget(RUN).unwrap();
    assert!(!try_git(&place.root, &["rev-parse", "--verify", "refs/piton/runs/run-1"]).success());
    assert!(!place.path(".piton/index/run-1").exists());
    place.open().forget(RUN).unwrap();
}

#[test]
fn a_run_id_that_is_a_path_is_refused() {
    let place = Place::new();
    let long = "a".repeat(65);
    for run in ["", "..", "../x", "a/b", "-rf", "_plain", "a.lock", "é", &long] {
        assert!(matches!(place.open().snapshot(run, "x"), Err(Error::BadRun { .. })), "{run}");
        assert!(matches!(place.open().forget(run), Err(Error::BadRun { .. })), "{run}");
    }
}

#[test]
fn a_snapshot_reads_back_from_json() {
    let place = Place::new();
    place.write(".gitignore", b"*_test.py\n");
    place.write(OsStr::from_bytes(b"\xff_test.py"), b"x");
    let snapshot = place.snapshot();
    assert_eq!(snapshot.left_out[0].path, RepoPath::from_bytes(b"\xff_test.py"));
    let json = serde_json::to_string(&snapshot).unwrap();
    assert_eq!(serde_json::from_str::<Snapshot>(&json).unwrap(), snapshot);
    assert!(serde_json::from_str::<Snapshot>(&json.replacen('{', "{\"x\":1,", 1)).is_err());
    assert_eq!(place.open().read(&snapshot.id).unwrap(), snapshot);
}

#[test]
fn a_commit_of_the_user_is_no_snapshot() {
    let place = Place::new();
    let head = place.git(&["rev-parse", "HEAD"]);
    let result = place.open().read(&head.try_into().unwrap());
    assert!(matches!(result, Err(Error::NotASnapshot { .. })), "{result:?}");
}
