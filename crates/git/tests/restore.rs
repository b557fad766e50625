//! A restore brings the files back, writes nothing else, and never loses what it overwrites.

#[cfg(test)]
mod support;

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;

use piton_git::{Caps, Error, Expected, RepoPath};
use support::{Place, RUN, show};

fn path(text: &str) -> RepoPath {
    RepoPath::from_bytes(text.as_bytes())
}

#[test]
fn restore_is_byte_exact() {
    let place = Place::new();
    place.write_executable("run.sh", b"#!/bin/sh\n");
    place.link("link", "a.txt");
    place.write("empty", b"");
    place.write("swap/inner", b"i");
    place.write("line\nbreak", b"odd");
    let target = place.snapshot();
    let then = place.on_disk();

    place.write("a.txt", b"changed\r\n");
    place.remove("link");
    place.write("link", b"a file now");
    place.write("run.sh", b"#!/bin/sh\n");
    std::fs::set_permissions(place.path("run.sh"), std::fs::Permissions::from_mode(0o644)).unwrap();
    place.remove("swap");
    place.write("swap", b"a file now");
    place.remove("empty");
    place.write("empty/now/deep", b"d");
    place.remove("src");
    place.link("src", "swap");
    place.write("added/by/agent.txt", b"x");
    place.remove("line\nbreak");

    let restored = place.restore(&target);
    assert_eq!(show(&place.on_disk()), show(&then));
    assert_eq!(restored.after.tree, target.tree);
    assert!(!place.path("added").exists(), "a directory that became empty is gone");
    assert_eq!(restored.kept, []);
    // And back again: nothing of the agent's work was lost.
    place.restore(&restored.before);
    assert_eq!(std::fs::read(place.path("added/by/agent.txt")).unwrap(), b"x");
    place.assert_exact(&restored.before);
}

#[test]
fn restore_says_where_head_is_and_leaves_it() {
    let place = Place::new();
    let target = place.snapshot();
    place.write("a.txt", b"2");
    place.commit("second");
    let head = place.git(&["rev-parse", "HEAD"]);
    let restored = place.restore(&target);
    assert_eq!(restored.after.head.as_deref(), Some(&*head));
    assert_eq!(restored.after.branch.as_deref(), Some("refs/heads/main"));
    assert_eq!(place.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(place.git(&["status", "--porcelain"]), " M a.txt".trim_end());
}

#[test]
fn foreign_edits_are_refused_and_nothing_is_written() {
    let place = Place::new();
    let target = place.snapshot();
    place.write("a.txt", b"agent");
    let known = place.snapshot();
    place.write("mine.txt", b"a person's");
    let before = place.on_disk();
    let result = place.open().restore(RUN, &target.id, Expected::Tree(&known.tree));
    match result {
        Err(Error::ForeignEdits { paths }) => assert_eq!(paths, [path("mine.txt")]),
        other => panic!("{other:?}"),
    }
    assert_eq!(place.on_disk(), before);
    place.remove("mine.txt");
    place.open().restore(RUN, &target.id, Expected::Tree(&known.tree)).unwrap();
    place.assert_exact(&target);
}

#[test]
fn ignored_files_stay() {
    let place = Place::new();
    place.write(".gitignore", b"*.log\n.env\n");
    place.write("logs/x.log", b"1");
    place.write(".env", b"KEY=1");
    let target = place.snapshot();
    place.write("logs/x.log", b"2");
    place.write("logs/new.txt", b"captured");
    place.write(".env", b"KEY=2");
    // Even where the file that ignored them is gone in between.
    place.remove(".gitignore");
    let restored = place.restore(&target);
    assert_eq!(std::fs::read(place.path(".env")).unwrap(), b"KEY=2");
    assert!(!place.path("logs/new.txt").exists());
    assert_eq!(restored.kept, [path(".env")]);
}

#[test]
fn a_file_that_was_never_captured_stays() {
    let place = Place::new();
    place.write("data", b"small");
    let target = place.snapshot();
    place.write("data", &[1; 200]);
    place.write("later", &[1; 200]);
    let caps = Caps { file_bytes_max: 100, ..Caps::DEFAULT };
    let workspace = place.open().with_caps(caps);
    let restored = workspace.restore(RUN, &target.id, Expected::Anything).unwrap();
    assert_eq!(std::fs::read(place.path("data")).unwrap(), [1; 200]);
    assert!(place.path("later").exists());
    assert_eq!(restored.kept, [path("data")]);
}

#[test]
fn rendered_files_stay() {
    let place = Place::new();
    place.write("gaps.yaml", b"v1");
    let target = place.snapshot();
    place.write("gaps.yaml", b"v2");
    place.write("a.txt", b"2");
    let workspace = place.open().leaving_out(&[PathBuf::from("gaps.yaml")]);
    let restored = workspace.restore(RUN, &target.id, Expected::Anything).unwrap();
    assert_eq!(std::fs::read(place.path("gaps.yaml")).unwrap(), b"v2");
    assert_eq!(std::fs::read(place.path("a.txt")).unwrap(), b"a\n");
    assert_eq!(restored.kept, [path("gaps.yaml")]);
}

#[test]
fn a_link_on_the_way_is_never_followed() {
    let place = Place::new();
    let target = place.snapshot();
    let outside = place.directory.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    support::write(&outside.join("b.rs"), b"precious");
    place.remove("src");
    place.link("src", outside.to_str().unwrap());
    // Captured, so it is deleted, and the directory is made again.
    place.restore(&target);
    assert_eq!(std::fs::read(outside.join("b.rs")).unwrap(), b"precious");
    place.assert_exact(&target);
    // Ignored from the start, so it is in no snapshot: refused, and nothing is written.
    let place = Place::new();
    let target = place.snapshot();
    let outside = place.directory.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    support::write(&outside.join("b.rs"), b"precious");
    place.remove("src");
    place.link("src", outside.to_str().unwrap());
    place.write(".git/info/exclude", b"/.piton/\n/src\n");
    place.write("a.txt", b"2");
    let before = place.on_disk();
    let result = place.open().restore(RUN, &target.id, Expected::Anything);
    assert!(matches!(&result, Err(Error::SymlinkParent { path: at }) if *at == path("src")), "{result:?}");
    assert_eq!(place.on_disk(), before);
    assert_eq!(std::fs::read(outside.join("b.rs")).unwrap(), b"precious");
}

#[test]
fn something_uncaptured_in_the_way_is_refused_before_anything_is_written() {
    let place = Place::new();
    let target = place.snapshot();
    place.write(".git/info/exclude", b"/.piton/\n*.log\n");
    place.remove("a.txt");
    place.write("a.txt/x.log", b"ignored");
    place.write("src/b.rs", b"changed");
    let before = place.on_disk();
    let result = place.open().restore(RUN, &target.id, Expected::Anything);
    assert!(matches!(&result, Err(Error::InTheWay { path: at }) if *at == path("a.txt/x.log")), "{result:?}");
    assert_eq!(place.on_disk(), before);
}

#[test]
fn an_empty_directory_makes_way_for_a_file() {
    let place = Place::new();
    let target = place.snapshot();
    place.remove("a.txt");
    std::fs::create_dir_all(place.path("a.txt/empty/too")).unwrap();
    place.restore(&target);
    place.assert_exact(&target);
}

#[test]
fn a_hard_link_elsewhere_keeps_its_content_and_permissions_stay_private() {
    let place = Place::new();
    place.write("private", b"1");
    std::fs::set_permissions(place.path("private"), std::fs::Permissions::from_mode(0o600)).unwrap();
    let target = place.snapshot();
    place.write("private", b"2");
    let twin = place.directory.path().join("twin");
    std::fs::hard_link(place.path("private"), &twin).unwrap();
    place.restore(&target);
    assert_eq!(std::fs::read(&twin).unwrap(), b"2");
    assert_eq!(std::fs::metadata(place.path("private")).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn a_restore_leaves_no_temporary_files() {
    let place = Place::new();
    let target = place.snapshot();
    place.write("a.txt", b"2");
    place.restore(&target);
    let names = place.on_disk().into_keys().collect::<Vec<_>>();
    assert_eq!(names, [b"a.txt".to_vec(), b"src/b.rs".to_vec()]);
}

#[test]
fn large_contents_are_restored_in_pieces() {
    let place = Place::new();
    let large: Vec<u8> =
        (0..20_000_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for name in ["one", "two", "three"] {
        place.write(name, &[name.as_bytes(), &large].concat());
    }
    let target = place.snapshot();
    for name in ["one", "two", "three"] {
        place.remove(name);
    }
    place.restore(&target);
    place.assert_exact(&target);
}

#[test]
fn outside_of_git_a_restore_works_the_same() {
    let place = Place::plain();
    place.write("a", b"1");
    let target = place.snapshot();
    place.write("a", b"2");
    place.write("b", b"2");
    place.restore(&target);
    place.assert_exact(&target);
    assert!(!place.path("b").exists());
}
