//! What a snapshot leaves out, and how it says so.

#[cfg(test)]
mod support;

use std::path::PathBuf;

use piton_git::{Caps, Error, Snapshot, Why};
use support::{Place, RUN, try_git};

fn left_out(snapshot: &Snapshot) -> Vec<(String, u64, Why)> {
    snapshot.left_out.iter().map(|left| (left.path.to_string(), left.bytes, left.why)).collect()
}

fn digest(bytes: &[u8]) -> Option<String> {
    Some(blake3::hash(bytes).to_hex().to_string())
}

#[test]
fn ignored_files_stay_out_unless_they_are_tracked() {
    let place = Place::new();
    place.write(".gitignore", b"*.log\nbuild/\n");
    place.write("x.log", b"ignored");
    place.write("build/out", b"ignored");
    place.write("kept.log", b"1");
    place.git(&["add", "--force", "kept.log"]);
    let paths = |snapshot: &Snapshot| place.files_of(&snapshot.tree).into_keys().collect::<Vec<_>>();
    let has = |snapshot: &Snapshot, name: &str| paths(snapshot).contains(&name.as_bytes().to_vec());
    let first = place.snapshot();
    assert!(has(&first, "kept.log") && !has(&first, "x.log") && !has(&first, "build/out"));
    // Tracked after the private index was made.
    place.git(&["add", "--force", "x.log"]);
    assert!(has(&place.snapshot(), "x.log"));
    // Gone and back again.
    place.remove("x.log");
    assert!(!has(&place.snapshot(), "x.log"));
    place.write("x.log", b"back");
    assert!(has(&place.snapshot(), "x.log"));
    // No longer tracked: only ignored.
    place.git(&["rm", "--quiet", "--force", "--cached", "x.log"]);
    assert!(!has(&place.snapshot(), "x.log"));
    // A new rule hides what was untracked.
    place.write("notes", b"n");
    assert!(has(&place.snapshot(), "notes"));
    place.write(".gitignore", b"*.log\nbuild/\nnotes\n");
    assert!(!has(&place.snapshot(), "notes"));
}

/// Whoever works in the tree can write the index and every rule that is in no snapshot.
#[test]
fn what_was_held_stays_whatever_ignores_it_out_of_sight() {
    let place = Place::new();
    place.write("tests/t.py", b"1");
    place.commit("a test");
    place.write("new.py", b"1");
    let workspace = place.open();
    let held = |workspace: &piton_git::Workspace, run: &str| {
        let snapshot = workspace.snapshot(run, "again").unwrap();
        let files = place.files_of(&snapshot.tree);
        ["tests/t.py", "new.py", "a.txt"].map(|name| files.contains_key(name.as_bytes()))
    };
    assert_eq!(held(&workspace, RUN), [true; 3]);
    let start = workspace.snapshot(RUN, "start").unwrap();
    place.git(&["rm", "--quiet", "--cached", "tests/t.py", "a.txt"]);
    place.write(".git/info/exclude", b"/.piton/\ntests/\nnew.py\na.txt\n");
    assert_eq!(held(&workspace, RUN), [true; 3], "the index and rules of the clone");
    for name in ["tests/t.py", "new.py"] {
        place.remove(name);
        assert_ne!(held(&workspace, RUN), [true; 3], "gone");
        place.write(name, b"2");
        assert_eq!(held(&workspace, RUN), [true; 3], "and back");
    }
    // Rules that ignore themselves are in no snapshot either.
    place.write(".gitignore", b".gitignore\n*\n");
    assert_eq!(held(&workspace, RUN), [true; 3], "rules that are ignored themselves");
    assert_eq!(held(&place.open(), RUN), [true; 3], "another process");
    std::fs::remove_dir_all(place.path(".piton/index/run-1")).unwrap();
    assert_eq!(held(&place.open(), RUN), [true; 3], "without what it remembered");
    assert_eq!(held(&place.open(), "run-2"), [false; 3], "another run never held them");
    assert_eq!(held(&place.open().holding(vec![start.id]), "run-3"), [true; 3], "unless it takes them over");
    // A repository of its own around them changes nothing.
    place.git_in("tests", &["init", "--quiet"]);
    place.write("tests/.git/info/exclude", b"*\n");
    assert_eq!(held(&workspace, RUN), [true; 3], "in a repository of their own");
    place.write("tests/t.py", b"3");
    let files = place.files_of(&workspace.snapshot(RUN, "again").unwrap().tree);
    assert_eq!(files[&b"tests/t.py"[..]].1, b"3");
    // Rules that everybody can see count: this is how a file leaves.
    place.write(".gitignore", b"new.py\n");
    assert_eq!(held(&workspace, RUN), [true, false, true]);
}

#[test]
fn what_was_refused_is_tracked_again_and_looked_at_whatever_ignores_it() {
    let place = Place::new();
    place.write(".gitignore", b"*.log\n");
    place.write("kept.log", b"1");
    place.git(&["add", "--force", "kept.log"]);
    place.commit("ignored and tracked");
    let index = || place.git(&["ls-files", "--stage"]);
    let (before, start) = (index(), place.snapshot());
    place.git(&["rm", "--quiet", "--cached", "kept.log", "a.txt"]);
    place.write("kept.log", b"2");
    let has = |snapshot: &Snapshot| place.files_of(&snapshot.tree).contains_key(&b"kept.log"[..]);
    assert!(!has(&place.snapshot()), "it left by a rule that everybody can see");
    // Nobody can write the index as long as somebody holds it.
    place.write(".git/index.lock", b"");
    let refused = || place.open().restore(RUN, &start.id, piton_git::Expected::Refused).unwrap().after;
    assert!(has(&refused()) && has(&place.snapshot()));
    place.remove(".git/index.lock");
    assert!(has(&refused()));
    assert_eq!(index(), before, "and the index has it again");
    place.git(&["rm", "--quiet", "--cached", "kept.log"]);
    assert!(!has(&place.snapshot()), "what leaves again is seen to leave");
}

#[test]
fn pitons_own_files_are_left_out() {
    let place = Place::new();
    // Rules that would un-ignore everything must not bring them in.
    place.write(".gitignore", b"!*\n!*/\n");
    place.write(".piton/journal.db", b"j");
    place.write(".ralph/state.json", b"{}");
    place.write(".ralph/notes.md", b"theirs");
    let rendered = [PathBuf::from(".ralph/state.json")];
    let open = || place.open().leaving_out(&rendered);
    let paths = |snapshot: &Snapshot| place.files_of(&snapshot.tree).into_keys().collect::<Vec<_>>();
    let before = place.snapshot();
    assert!(paths(&before).contains(&b".ralph/state.json".to_vec()));
    let after = open().snapshot(RUN, "now rendered").unwrap();
    assert!(!paths(&after).contains(&b".ralph/state.json".to_vec()));
    assert!(paths(&after).contains(&b".ralph/notes.md".to_vec()));
    assert!(!paths(&after).iter().any(|path| path.starts_with(b".piton")));
    place.write(".ralph/state.json", b"{\"iteration\":2}");
    assert!(open().snapshot(RUN, "again").unwrap().reused);
}

#[test]
fn a_listed_file_is_left_out_until_somebody_changes_it() {
    let place = Place::new();
    let open = || {
        place
            .open()
            .leaving_out_listed(place.root.join(".piton/own-files"), |path| path.ends_with("a copy.json"))
    };
    let paths = |snapshot: &Snapshot| place.files_of(&snapshot.tree).into_keys().collect::<Vec<_>>();
    let has = |snapshot: &Snapshot, name: &str| paths(snapshot).contains(&name.as_bytes().to_vec());
    let before = open().snapshot(RUN, "before").unwrap();
    let of = digest(b"{}").unwrap();
    let listed = format!("{of}  kept/a copy.json\n{of}  kept/b.json\n{of}  ../x/a copy.json\n");
    place.write(".piton/own-files", listed.as_bytes());
    place.write("kept/a copy.json", b"{}");
    let after = open().snapshot(RUN, "listed").unwrap();
    assert_eq!(after.tree, before.tree);
    place.write("kept/b.json", b"{}");
    assert!(has(&open().snapshot(RUN, "beside it").unwrap(), "kept/b.json"), "no other name can be piton's");
    place.write("kept/a copy.json", b"{\"hidden\": 1}");
    assert!(has(&open().snapshot(RUN, "changed").unwrap(), "kept/a copy.json"));
    place.write("kept/a copy.json", b"{}");
    assert!(!has(&open().snapshot(RUN, "as it was").unwrap(), "kept/a copy.json"));
    open().restore(RUN, &before.id, piton_git::Expected::Anything).unwrap();
    assert!(place.root.join("kept/a copy.json").exists(), "what was never captured stays");
    assert!(!place.root.join("kept/b.json").exists());
    place.git(&["checkout", "--quiet", "-b", "work"]);
    place.git(&["add", "."]);
    place.git(&["reset", "--quiet", "--", "kept"]);
    place.git(&["commit", "--quiet", "--allow-empty", "-m", "all"]);
    assert!(!open().standing().unwrap().is_dirty, "it is no uncommitted work");
    assert!(place.open().standing().unwrap().is_dirty);
}

#[test]
fn a_file_over_the_cap_is_listed_with_size_and_hash() {
    let place = Place::new();
    let caps = Caps { file_bytes_max: 100, ..Caps::DEFAULT };
    let take = || place.open().with_caps(caps).snapshot(RUN, "capped").unwrap();
    place.write("big", &[7; 101]);
    place.write("fits", &[7; 100]);
    let snapshot = take();
    assert_eq!(left_out(&snapshot), [("big".to_owned(), 101, Why::TooLarge)]);
    assert_eq!(snapshot.left_out[0].digest, digest(&[7; 101]));
    assert!(!place.files_of(&snapshot.tree).contains_key(b"big".as_slice()));
    assert!(take().reused);
    // What grows over the cap leaves the tree.
    place.write("fits", &[8; 101]);
    let snapshot = take();
    assert!(!place.files_of(&snapshot.tree).contains_key(b"fits".as_slice()));
    assert_eq!(left_out(&snapshot).len(), 2);
    // What git has already is no new content.
    place.git(&["add", "big"]);
    place.git(&["commit", "--quiet", "--message", "big"]);
    let fresh = place.open().with_caps(caps).snapshot("run-2", "seeded").unwrap();
    assert!(place.files_of(&fresh.tree).contains_key(b"big".as_slice()));
}

#[test]
fn the_smallest_files_fit_into_a_full_snapshot() {
    let place = Place::new();
    place.snapshot();
    place.write("dump", &[1; 600]);
    place.write("source", &[2; 300]);
    place.write("tiny", &[3; 10]);
    let caps = Caps { snapshot_bytes_max: 500, ..Caps::DEFAULT };
    let snapshot = place.open().with_caps(caps).snapshot(RUN, "full").unwrap();
    assert_eq!(left_out(&snapshot), [("dump".to_owned(), 600, Why::SnapshotFull)]);
    assert!(place.files_of(&snapshot.tree).contains_key(b"source".as_slice()));
}

#[test]
fn too_much_left_out_is_an_error() {
    let place = Place::new();
    for number in 0..4 {
        place.write(format!("big-{number}"), &[0; 20]);
    }
    let caps = Caps { file_bytes_max: 10, left_out_max: 3, ..Caps::DEFAULT };
    let result = place.open().with_caps(caps).snapshot(RUN, "too much");
    assert!(matches!(result, Err(Error::TooMuchLeftOut { count: 4, count_max: 3 })), "{result:?}");
}

#[test]
fn ignored_tests_and_configuration_are_listed_by_hash_and_never_kept() {
    let place = Place::new();
    place.write(
        ".gitignore",
        b".env*\n/local.toml\n/hidden_tests/\n/tests/\n/node_modules/\n*.o\n*_test.py\n",
    );
    place.write(".env.local", b"SECRET=canary-1234");
    place.write("local.toml", b"x = 1");
    place.write("tests/data/t.rs", b"t");
    place.write("lib/x_test.py", b"assert");
    place.write("node_modules/m/tests/x.js", b"not looked at");
    place.write("a.o", b"object");
    let snapshot = place.snapshot();
    let names: Vec<_> = left_out(&snapshot).into_iter().map(|(path, ..)| path).collect();
    assert_eq!(names, [".env.local", "lib/x_test.py", "local.toml", "tests/data/t.rs"]);
    assert_eq!(snapshot.left_out[0].digest, digest(b"SECRET=canary-1234"));
    assert_eq!(snapshot.left_out[0].why, Why::Ignored);
    let blob = try_git(&place.root, &["cat-file", "-e", &blob_id(b"SECRET=canary-1234", &place)]);
    assert!(!blob.success(), "the secret is an object");
}

fn blob_id(bytes: &[u8], place: &Place) -> String {
    place.write("../home/blob", bytes);
    let path = place.path("../home/blob");
    place.git(&["hash-object", "--no-filters", &path.to_string_lossy()])
}

#[test]
fn a_name_that_git_cannot_keep_is_listed() {
    let place = Place::new();
    place.write(".GIT/config", b"x");
    place.link(".gitmodules", "a.txt");
    let snapshot = place.snapshot();
    let names: Vec<_> = left_out(&snapshot).into_iter().map(|(path, _, why)| (path, why)).collect();
    assert_eq!(names, [(".GIT/config".to_owned(), Why::Name), (".gitmodules".to_owned(), Why::Name)]);
}
