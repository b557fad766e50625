//! Histories to compare: the steps of one, and the files that differ between two commits.
#![expect(clippy::unwrap_used, reason = "what a test cannot have is a failed test")]

mod support;

use piton_git::{History, Tree, calls_made};
use support::Place;

fn names(files: &[(String, Vec<u8>)]) -> Vec<&str> {
    files.iter().map(|(path, _)| path.as_str()).collect()
}

#[test]
fn steps_are_the_newest_commits_with_one_parent() {
    let place = Place::new();
    place.write("a.txt", b"b\n");
    place.commit("second");
    place.git(&["checkout", "--quiet", "-b", "side", "HEAD~1"]);
    place.write("side.txt", b"side\n");
    place.commit("beside");
    place.git(&["checkout", "--quiet", "main"]);
    place.git(&["merge", "--quiet", "--no-edit", "side"]);
    let history = History::open(&place.root).unwrap().unwrap();
    let tip = history.commit("HEAD").unwrap().unwrap();
    let first = history.commit("HEAD~2").unwrap().unwrap();
    let steps = history.steps(&tip, 10).unwrap();
    assert_eq!(steps.len(), 2, "the merge and the first commit are no steps");
    assert!(steps.iter().all(|(commit, parent)| *parent == first && *commit != tip));
    assert_eq!(history.steps(&tip, 1).unwrap(), steps[..1]);
}

#[test]
fn a_bare_git_directory_is_read_like_any_other() {
    let place = Place::new();
    place.write("a.txt", b"b\n");
    place.commit("second");
    let bare = place.directory.path().join("bare.git");
    place.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    let history = History::of_git_directory(&bare);
    let tip = history.commit("HEAD").unwrap().unwrap();
    let (commit, parent) = history.steps(&tip, 5).unwrap().remove(0);
    assert_eq!(commit, tip);
    let changed = history.tree(&commit).changed_from(&history.tree(&parent), None).unwrap().unwrap();
    assert_eq!(changed.before, [("a.txt".to_owned(), b"a\n".to_vec())]);
    assert_eq!(changed.after, [("a.txt".to_owned(), b"b\n".to_vec())]);
    assert_eq!(changed.also, None);
}

#[test]
fn what_differs_between_two_commits_takes_two_processes() {
    let place = Place::new();
    place.write("allow.toml", b"one\n");
    place.write("gone.txt", b"gone\n");
    place.commit("second");
    place.write("allow.toml", b"two\n");
    place.write("new.txt", b"new\n");
    place.git(&["rm", "--quiet", "gone.txt"]);
    place.commit("third");
    let history = History::open(&place.root).unwrap().unwrap();
    let tree = |revision: &str| history.tree(&history.commit(revision).unwrap().unwrap());
    let (base, head) = (tree("HEAD~1"), tree("HEAD"));
    let before = calls_made();
    let changed = head.changed_from(&base, Some("allow.toml")).unwrap().unwrap();
    assert_eq!(calls_made() - before, 2);
    assert_eq!(names(&changed.before), ["allow.toml", "gone.txt"]);
    assert_eq!(names(&changed.after), ["allow.toml", "new.txt"]);
    assert_eq!(changed.also.as_deref(), Some(&b"one\n"[..]), "the file as the old tree has it");
    assert!(head.changed_from(&history.work_tree(), Some("allow.toml")).unwrap().is_none());
}

#[test]
fn a_file_that_became_a_link_is_gone_and_one_that_became_executable_is_the_same() {
    let place = Place::new();
    place.write("run.sh", b"true\n");
    place.commit("second");
    std::fs::remove_file(place.root.join("a.txt")).unwrap();
    std::os::unix::fs::symlink("src/b.rs", place.root.join("a.txt")).unwrap();
    place.git(&["update-index", "--chmod=+x", "run.sh"]);
    place.git(&["add", "a.txt"]);
    place.git(&["commit", "--quiet", "--message", "third"]);
    let history = History::open(&place.root).unwrap().unwrap();
    let tree = |revision: &str| history.tree(&history.commit(revision).unwrap().unwrap());
    let changed = tree("HEAD").changed_from(&tree("HEAD~1"), None).unwrap().unwrap();
    assert_eq!(names(&changed.before), ["a.txt"]);
    assert!(changed.after.is_empty());
}
