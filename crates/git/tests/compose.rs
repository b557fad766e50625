//! A tree that is made of two: no file is touched, and what is made is a snapshot like any other.

#[cfg(test)]
mod support;

use std::collections::BTreeSet;

use piton_git::{Expected, RepoPath};
use support::{Place, RUN, show};

#[test]
fn paths_come_from_one_snapshot_and_everything_else_from_the_other() {
    let place = Place::new();
    let workspace = place.open();
    place.write("changed", b"judged");
    place.write("gone", b"judged");
    place.write("swap/inner", b"judged");
    let judged = place.snapshot();
    place.write("changed", b"unjudged");
    place.remove("gone");
    place.write("new/one", b"unjudged");
    place.remove("swap");
    place.write("swap", b"unjudged");
    let left = place.snapshot();
    place.write("theirs", b"a person's");
    place.write("a.txt", b"a person's");
    let now = place.snapshot();
    let on_disk = place.on_disk();

    let written = workspace.written(&judged.id, &left.id).unwrap();
    let paths: BTreeSet<RepoPath> = written.into_iter().map(|change| change.path).collect();
    let made = workspace.compose(RUN, "made", (&now.id, &judged.id), &paths).unwrap();
    assert_eq!(show(&place.on_disk()), show(&on_disk), "no file is touched");
    assert_eq!(workspace.read(&made.id).unwrap().tree, made.tree);
    let none = workspace.compose(RUN, "made", (&now.id, &judged.id), &BTreeSet::new()).unwrap();
    assert_eq!(none.id, now.id, "nothing is made where nothing differs");

    workspace.restore(RUN, &made.id, Expected::Refused).unwrap();
    let read = |name: &str| std::fs::read(place.path(name)).unwrap();
    assert_eq!(
        (read("changed"), read("gone"), read("swap/inner")),
        (b"judged".into(), b"judged".into(), b"judged".into())
    );
    assert_eq!((read("theirs"), read("a.txt")), (b"a person's".into(), b"a person's".into()));
    assert!(!place.path("new").exists());
    let after = place.snapshot();
    assert_eq!(after.tree, made.tree);
}
