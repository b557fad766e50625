//! A staged snapshot is what `git add --all` makes of the same files.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic like tests")]

#[cfg(test)]
mod support;

use std::os::unix::fs::PermissionsExt;

use support::{Place, RUN, git_in};

/// Stages what is there in both ways, and compares the trees.
fn is_as_git_adds_it(place: &Place) {
    let workspace = place.open();
    let judged = workspace.snapshot(RUN, "judged").unwrap();
    let index = place.path(".git/index");
    let before = std::fs::read(&index).ok();
    place.git(&["add", "--all", "."]);
    let expected = place.git(&["ls-files", "--stage"]);
    match before {
        Some(bytes) => support::write(&index, &bytes),
        None => std::fs::remove_file(&index).unwrap(),
    }
    workspace.stage(&judged.id).unwrap();
    assert_eq!(place.git(&["ls-files", "--stage"]), expected);
    workspace.stage(&judged.id).unwrap();
    assert_eq!(place.git(&["ls-files", "--stage"]), expected, "again changes nothing");
}

/// Commits a snapshot as whoever git says; the commit, if there was something to commit.
fn commit(workspace: &piton_git::Workspace, judged: &piton_git::SnapshotId, message: &str) -> Option<String> {
    workspace.commit(judged, message, &workspace.identity().unwrap(), &[]).unwrap().commit
}

#[test]
fn files_come_change_move_and_go() {
    let place = Place::new();
    place.write("a.txt", b"changed\n");
    std::fs::remove_file(place.path("src/b.rs")).unwrap();
    place.write("src/c d\n.rs", b"fn c() {}\n");
    place.write_executable("run.sh", b"#!/bin/sh\n");
    place.link("link", "a.txt");
    place.write(".gitignore", b"*.log\n");
    place.write("x.log", b"ignored\n");
    is_as_git_adds_it(&place);
}

#[test]
fn a_file_becomes_a_directory_and_a_directory_a_file() {
    let place = Place::new();
    std::fs::remove_file(place.path("a.txt")).unwrap();
    place.write("a.txt/inner", b"a\n");
    std::fs::remove_dir_all(place.path("src")).unwrap();
    place.write("src", b"a file\n");
    is_as_git_adds_it(&place);
}

#[test]
fn before_the_first_commit_everything_is_new() {
    let place = Place::empty();
    place.write("a.txt", b"a\n");
    is_as_git_adds_it(&place);
    let workspace = place.open();
    let judged = workspace.snapshot(RUN, "judged").unwrap();
    assert!(commit(&workspace, &judged.id, "First\n").is_some());
    assert_eq!(commit(&workspace, &judged.id, "First\n"), None);
    assert_eq!(place.git(&["status", "--porcelain"]), "");
}

#[test]
fn what_is_ignored_and_tracked_all_the_same_is_staged() {
    let place = Place::new();
    place.write(".gitignore", b"a.txt\n");
    place.write("a.txt", b"changed\n");
    is_as_git_adds_it(&place);
}

#[test]
fn line_ends_are_stored_as_git_stores_them() {
    for (attributes, setting) in [
        ("* text=auto\n", None),
        ("*.txt text\n", None),
        ("*.txt eol=crlf\n", None),
        ("*.txt -text\n", Some("true")),
        ("", Some("true")),
        ("", Some("input")),
    ] {
        let place = Place::new();
        place.write("old.txt", b"committed\r\nwith returns\r\n");
        place.commit("returns");
        place.write(".gitattributes", attributes.as_bytes());
        if let Some(setting) = setting {
            place.git(&["config", "core.autocrlf", setting]);
        }
        place.write("old.txt", b"changed\r\nwith returns\r\n");
        place.write("new.txt", b"new\r\nwith returns\r\n");
        place.write("a.txt", b"a\r\n");
        place.write("data.bin", b"\0\r\n\r\n");
        is_as_git_adds_it(&place);
    }
}

#[test]
fn marks_and_encodings_are_stored_as_git_stores_them() {
    let place = Place::new();
    place.write(".gitattributes", b"*.c ident\n*.u16 working-tree-encoding=UTF-16LE\n");
    place.write("x.c", b"/* $Id: 1234 $ */\n");
    place.write("x.u16", b"a\0\n\0");
    is_as_git_adds_it(&place);
}

#[test]
fn a_repository_inside_is_the_commit_it_stands_on() {
    let place = Place::new();
    place.write("inner/file", b"f\n");
    let inner = place.path("inner");
    git_in(&inner, &["init", "--quiet"]);
    git_in(&inner, &["add", "file"]);
    git_in(&inner, &["commit", "--quiet", "--message", "inner"]);
    place.commit("with it");
    place.write("inner/file", b"changed\n");
    git_in(&inner, &["commit", "--quiet", "--all", "--message", "more"]);
    place.write("inner/loose", b"not committed\n");
    is_as_git_adds_it(&place);
    // Not checked out, it stays what it is; removed, it goes.
    std::fs::remove_dir_all(&inner).unwrap();
    std::fs::create_dir(&inner).unwrap();
    is_as_git_adds_it(&place);
    std::fs::remove_dir(&inner).unwrap();
    is_as_git_adds_it(&place);
}

#[test]
fn a_repository_that_nobody_knows_is_committed_as_its_files() {
    let place = Place::new();
    place.write("inner/file", b"f\n");
    let inner = place.path("inner");
    git_in(&inner, &["init", "--quiet"]);
    let workspace = place.open();
    let judged = workspace.snapshot(RUN, "judged").unwrap();
    commit(&workspace, &judged.id, "Judged\n").unwrap();
    assert_eq!(place.git(&["show", "HEAD:inner/file"]), "f");
    assert_eq!(place.git(&["status", "--porcelain"]), "");
    // Its files were put back; what it keeps beside them is no reason for a commit.
    std::fs::remove_file(place.path("inner/file")).unwrap();
    let judged = workspace.snapshot(RUN, "judged").unwrap();
    commit(&workspace, &judged.id, "Judged\n").unwrap();
    assert_eq!(place.git(&["ls-tree", "-r", "--name-only", "HEAD"]), "a.txt\nsrc/b.rs");
}

#[test]
fn what_a_filter_of_the_repository_alone_would_store_is_not_committed_as_it_is() {
    let place = Place::new();
    place.write(".gitattributes", b"*.env filter=crypt\n");
    place.git(&["config", "filter.crypt.clean", "tr a-z b-za"]);
    place.git(&["config", "filter.crypt.smudge", "tr b-za a-z"]);
    place.write("secret.env", b"password\n");
    place.commit("a secret");
    let stored = place.git(&["show", "HEAD:secret.env"]);
    place.write("secret.env", b"another\n");
    place.write("new.env", b"new\n");
    place.write("a.txt", b"changed\n");
    let workspace = place.open();
    let judged = workspace.snapshot(RUN, "judged").unwrap();
    commit(&workspace, &judged.id, "Judged\n").unwrap();
    assert_eq!(place.git(&["show", "HEAD:secret.env"]), stored);
    assert_eq!(place.git(&["ls-tree", "--name-only", "HEAD"]), ".gitattributes\na.txt\nsecret.env\nsrc");
}

#[test]
fn a_conflict_is_settled_by_what_the_file_says() {
    let place = Place::new();
    place.git(&["checkout", "--quiet", "-b", "other"]);
    place.write("a.txt", b"theirs\n");
    place.commit("theirs");
    place.git(&["checkout", "--quiet", "main"]);
    place.write("a.txt", b"ours\n");
    place.commit("ours");
    assert!(!support::try_git(&place.root, &["merge", "other"]).success());
    place.write("a.txt", b"both\n");
    is_as_git_adds_it(&place);
    let workspace = place.open();
    let judged = workspace.snapshot(RUN, "judged").unwrap();
    commit(&workspace, &judged.id, "Merge\n").unwrap();
    assert_eq!(place.git(&["rev-list", "--parents", "-1", "HEAD"]).split_whitespace().count(), 3);
}

#[test]
fn modes_mean_nothing_where_the_settings_say_so() {
    let place = Place::new();
    place.git(&["config", "core.fileMode", "false"]);
    for path in ["a.txt", "src/b.rs"] {
        std::fs::set_permissions(place.path(path), PermissionsExt::from_mode(0o755)).unwrap();
    }
    place.write("a.txt", b"changed\n");
    place.write_executable("new.sh", b"new\n");
    is_as_git_adds_it(&place);
}

#[test]
fn what_came_after_the_snapshot_is_not_committed() {
    let place = Place::new();
    let workspace = place.open();
    place.write("a.txt", b"judged");
    let judged = workspace.snapshot(RUN, "judged").unwrap();
    place.write("a.txt", b"later\n");
    place.write("later.txt", b"later\n");
    commit(&workspace, &judged.id, "Judged\n").unwrap();
    assert_eq!(place.git(&["show", "HEAD:a.txt"]), "judged");
    assert_eq!(place.git(&["status", "--porcelain"]).trim_start(), "M a.txt\n?? later.txt");
}
