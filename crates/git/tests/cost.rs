//! How many git processes a snapshot takes. One test, since it counts all calls of its process.

#[cfg(test)]
mod support;

use piton_git::{Tree, calls_made};
use support::Place;

#[test]
fn a_snapshot_takes_few_processes() {
    let place = Place::new();
    place.age();
    let workspace = place.open();
    let count = |what: &str, most: u64| {
        let before = calls_made();
        let snapshot = workspace.snapshot("run-1", "counted").unwrap();
        let calls = calls_made() - before;
        assert!(calls <= most, "{what}: {calls} calls");
        snapshot
    };
    count("the first", 17);
    let unchanged = count("an unchanged one", 2);
    assert!(unchanged.reused);
    assert!(count("one that was looked at before", 1).reused);
    place.write("a.txt", b"3");
    let other = count("other contents", 5);
    place.assert_exact(&other);
    assert!(count("the same contents", 2).reused);
    let before = calls_made();
    workspace.diff(&unchanged.id, &other.id).unwrap();
    let (base, head) = (workspace.tree(&unchanged.id), workspace.tree(&other.id));
    head.changed_from(&base, None).unwrap().unwrap();
    assert_eq!(calls_made() - before, 2, "one comparison, and the contents");
    place.write("a.txt", b"2");
    place.age();
    let edited = count("an edit, compared at once", 7);
    let before = calls_made();
    let diff = workspace.diff(&other.id, &edited.id).unwrap();
    assert_eq!(calls_made() - before, 0, "it was compared while it was recorded");
    assert_eq!(diff, place.open().diff(&other.id, &edited.id).unwrap(), "and so git says by itself");
    let opening = |known: &piton_git::Snapshot| {
        let before = calls_made();
        assert!(workspace.open_up(&known.id, |_| true).unwrap().is_empty());
        calls_made() - before
    };
    assert_eq!(opening(&other), 1, "the first is listed");
    assert_eq!([opening(&edited), opening(&edited)], [0, 0], "the next is told from what differs");
    place.write("new", b"n");
    place.remove("src/b.rs");
    count("an addition and a deletion", 8);
    place.commit("second");
    count("a commit", 10);
}
