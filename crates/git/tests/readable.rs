//! Files and directories that somebody closed to their own owner.

#[cfg(test)]
mod support;

use std::os::unix::fs::PermissionsExt;

use support::Place;

fn close(place: &Place, name: &str) {
    std::fs::set_permissions(place.path(name), std::fs::Permissions::from_mode(0o000)).expect("it is ours");
}

#[test]
fn what_was_closed_is_opened_in_every_snapshot_that_knows_it() {
    let place = Place::new();
    let workspace = place.open();
    let open_up = |known: &piton_git::Snapshot| -> Vec<String> {
        let opened = workspace.open_up(&known.id, |path| path.ends_with(".rs")).unwrap();
        opened.iter().map(ToString::to_string).collect()
    };
    let first = workspace.snapshot("run-1", "first").unwrap();
    assert_eq!(open_up(&first), [] as [&str; 0]);
    close(&place, "src/b.rs");
    close(&place, "src");
    assert_eq!(open_up(&first), ["src", "src/b.rs"]);

    std::fs::create_dir(place.path("more")).unwrap();
    place.write("more/c.rs", b"c");
    place.write("more/d.txt", b"d");
    let second = workspace.snapshot("run-1", "second").unwrap();
    for name in ["more/c.rs", "more/d.txt", "more", "src"] {
        close(&place, name);
    }
    assert_eq!(open_up(&second), ["more", "src", "more/c.rs"], "what is new, and what was known before");

    place.remove("more/d.txt");
    place.remove("more/c.rs");
    let third = workspace.snapshot("run-1", "third").unwrap();
    place.write("more/c.rs", b"somebody else's");
    close(&place, "more/c.rs");
    assert_eq!(open_up(&third), [] as [&str; 0], "what is gone is nobody's business");
}
