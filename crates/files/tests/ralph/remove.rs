//! Taking files away, and naming those that are piton's own.

use std::path::{Path, PathBuf};

use piton_files::list_of_own_files;
use piton_files::ralph::{publish, remove, rendered_paths};
use piton_model::{RunId, Status};

use crate::support::{names, put, view};

fn run(id: &str) -> RunId {
    id.parse().unwrap()
}

/// `old` in the backups, `first` in the place, `second` beside it, and files of others.
fn populated() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    publish(root.path(), &view("old", Status::Stopped, 5)).unwrap();
    publish(root.path(), &view("first", Status::Running, 5)).unwrap();
    publish(root.path(), &view("second", Status::Running, 5)).unwrap();
    put(root.path(), ".ralph/backups/state_20200101_000000.json", "theirs");
    put(root.path(), ".ralph/prompt.md", "theirs");
    put(root.path(), ".ralph/loops/third/state.json", "theirs");
    root
}

#[test]
fn a_removed_run_leaves_nothing_and_takes_nothing_along() {
    let root = populated();
    let before = names(root.path());
    assert_eq!(
        remove(root.path(), &run("old")).unwrap(),
        [root.path().join(".ralph/backups/state_20260215_120325.json")]
    );
    assert_eq!(
        remove(root.path(), &run("second")).unwrap(),
        [root.path().join(".ralph/loops/second/state.json")]
    );
    assert!(!root.path().join(".ralph/loops/second").exists());
    assert_eq!(remove(root.path(), &run("first")).unwrap(), [root.path().join(".ralph/state.json")]);
    let theirs: Vec<_> = before
        .into_iter()
        .filter(|name| std::fs::read_to_string(root.path().join(name)).is_ok_and(|text| text == "theirs"))
        .collect();
    assert_eq!(theirs.len(), 3);
    assert_eq!(names(root.path()), theirs);
}

#[test]
fn a_file_that_is_not_ours_is_not_removed() {
    let root = populated();
    assert_eq!(remove(root.path(), &run("third")).unwrap(), [] as [PathBuf; 0]);
    put(root.path(), ".ralph/state.json", "edited");
    assert_eq!(remove(root.path(), &run("first")).unwrap(), [] as [PathBuf; 0]);
    assert!(root.path().join(".ralph/state.json").exists());
}

#[test]
fn nothing_to_remove_is_no_error_and_a_link_is() {
    let root = tempfile::tempdir().unwrap();
    assert_eq!(remove(root.path(), &run("a")).unwrap(), [] as [PathBuf; 0]);
    assert_eq!(names(root.path()), [] as [String; 0]);
    let outside = populated();
    std::os::unix::fs::symlink(outside.path().join(".ralph"), root.path().join(".ralph")).unwrap();
    assert!(remove(root.path(), &run("first")).is_err());
    assert!(outside.path().join(".ralph/state.json").exists());
}

#[test]
fn a_snapshot_leaves_out_exactly_what_piton_renders() {
    let root = populated();
    let paths = rendered_paths(root.path(), &run("fourth"));
    let expected = [".ralph/loops/fourth/state.json", ".ralph/loops/second/state.json", ".ralph/state.json"];
    assert_eq!(paths, expected.map(PathBuf::from));
    let empty = tempfile::tempdir().unwrap();
    let places = [".ralph/loops/a/state.json", ".ralph/state.json"];
    assert_eq!(rendered_paths(empty.path(), &run("a")), places.map(|place| Path::new(place).to_owned()));
}

#[test]
fn what_is_put_aside_is_listed_by_path_and_digest_as_long_as_it_is_there() {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir(root.path().join(".piton")).unwrap();
    let listed = || std::fs::read_to_string(list_of_own_files(root.path())).unwrap_or_default();
    publish(root.path(), &view("old", Status::Stopped, 5)).unwrap();
    assert_eq!(listed(), "", "a view is known by its place");
    publish(root.path(), &view("next", Status::Running, 6)).unwrap();
    let backup = ".ralph/backups/state_20260215_120325.json";
    put(root.path(), ".ralph/state.json", "mine");
    publish(root.path(), &view("next", Status::Running, 7)).unwrap();
    let lines = listed();
    let lines: Vec<(&str, &str)> = lines.lines().filter_map(|line| line.split_once("  ")).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    for (digest, path) in &lines {
        let bytes = std::fs::read(root.path().join(path)).unwrap();
        assert_eq!(*digest, blake3::hash(&bytes).to_hex().as_str(), "{path}");
    }
    assert_eq!(lines[0].1, backup);
    assert!(lines[1].1.starts_with(".ralph/state.json.foreign-"), "{lines:?}");
    remove(root.path(), &run("old")).unwrap();
    put(root.path(), ".ralph/state.json", "mine again");
    publish(root.path(), &view("next", Status::Running, 8)).unwrap();
    assert!(!listed().contains(backup) && listed().lines().count() == 2, "{}", listed());
}
