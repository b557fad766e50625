//! What changed between two snapshots, in spite of what the repository says about its files.

#[cfg(test)]
mod support;

use piton_git::{ChangeKind, RepoPath};
use support::Place;

#[test]
fn each_kind_of_change_is_told_with_its_lines() {
    let place = Place::new();
    let long: String = (0..50).map(|number| format!("line {number}\n")).collect();
    place.write("moved.txt", long.as_bytes());
    place.write("binary", b"\0\x01");
    let before = place.snapshot();
    place.write("a.txt", b"a\nb\nc\n");
    place.remove("src/b.rs");
    place.write("new\nname", b"1\n2\n");
    place.remove("moved.txt");
    place.write("elsewhere/moved.txt", format!("{long}more\n").as_bytes());
    place.write("binary", b"\0\x02");
    let after = place.snapshot();
    let diff = place.open().diff(&before.id, &after.tree).unwrap();
    let path = |text: &str| RepoPath::from_bytes(text.as_bytes());
    let found: Vec<_> = diff
        .files
        .iter()
        .map(|file| (file.path.clone(), file.kind.clone(), file.added, file.removed))
        .collect();
    assert_eq!(
        found,
        [
            (path("a.txt"), ChangeKind::Modified, Some(2), Some(0)),
            (path("binary"), ChangeKind::Modified, None, None),
            (path("elsewhere/moved.txt"), ChangeKind::Renamed { from: path("moved.txt") }, Some(1), Some(0)),
            (path("new\nname"), ChangeKind::Added, Some(2), Some(0)),
            (path("src/b.rs"), ChangeKind::Deleted, Some(0), Some(1)),
        ]
    );
    assert_eq!((diff.added, diff.removed), (5, 1));
    let text = String::from_utf8(place.open().diff_text(&before.tree, &after.tree).unwrap()).unwrap();
    assert!(text.contains("+b\n+c\n") && text.contains("rename to elsewhere/moved.txt"), "{text}");
}

#[test]
fn equal_trees_have_no_difference() {
    let place = Place::new();
    let snapshot = place.snapshot();
    let diff = place.open().diff(&snapshot.id, &snapshot.id).unwrap();
    assert_eq!(diff, piton_git::Diff::default());
    assert!(place.open().diff_text(&snapshot.id, &snapshot.id).unwrap().is_empty());
}

#[test]
fn attributes_cannot_hide_a_change_as_binary() {
    let place = Place::new();
    place.write(".gitattributes", b"*.rs binary\n*.txt -diff\n[attr]mine -diff\nsrc/** mine\n");
    let before = place.snapshot();
    place.write("a.txt", b"changed\n");
    place.write("src/b.rs", b"fn b() { cheat() }\n");
    let after = place.snapshot();
    let diff = place.open().diff(&before.id, &after.id).unwrap();
    assert!(diff.files.iter().all(|file| file.added == Some(1)), "{diff:?}");
}
