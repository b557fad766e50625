//! Whatever happens to a tree, a snapshot is exact and a restore brings it back.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic like tests")]

#[cfg(test)]
mod support;

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use proptest::prelude::*;
use support::{Place, RUN, show};

const NAMES: [&str; 6] = ["a", "b.txt", "-c", "d e", "ü\n", ".hidden"];
const CONTENTS: [&[u8]; 5] = [b"", b"x", b"a\r\nb\n", b"a\nb\n", b"\0\xff"];

#[derive(Clone, Debug)]
enum Edit {
    Write { path: String, bytes: Vec<u8>, is_executable: bool },
    Link { path: String, target: String },
    Remove { path: String },
    Nest { path: String },
    Ignore { name: String },
    Stage,
    Commit,
}

fn path() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(&NAMES[..]), 1..4).prop_map(|parts| parts.join("/"))
}

fn edit() -> impl Strategy<Value = Edit> {
    let bytes = proptest::sample::select(&CONTENTS[..]).prop_map(<[u8]>::to_vec);
    prop_oneof![
        8 => (path(), bytes, any::<bool>())
            .prop_map(|(path, bytes, is_executable)| Edit::Write { path, bytes, is_executable }),
        2 => (path(), path()).prop_map(|(path, target)| Edit::Link { path, target }),
        4 => path().prop_map(|path| Edit::Remove { path }),
        1 => path().prop_map(|path| Edit::Nest { path }),
        1 => proptest::sample::select(&NAMES[..3]).prop_map(|name| Edit::Ignore { name: name.to_owned() }),
        1 => Just(Edit::Stage),
        1 => Just(Edit::Commit),
    ]
}

/// Makes room at `path`: what is there goes, and so does a file where a directory is needed.
fn clear(place: &Place, path: &str) {
    let mut at = place.root.clone();
    for part in Path::new(path).parent().into_iter().flat_map(Path::components) {
        at.push(part);
        if at.symlink_metadata().is_ok_and(|metadata| !metadata.is_dir()) {
            std::fs::remove_file(&at).unwrap();
        }
    }
    std::fs::create_dir_all(&at).unwrap();
    if place.path(path).symlink_metadata().is_ok() {
        place.remove(path);
    }
}

fn apply(place: &Place, edit: &Edit) {
    match edit {
        Edit::Write { path, bytes, is_executable } => {
            clear(place, path);
            place.write(path, bytes);
            let mode = if *is_executable { 0o755 } else { 0o644 };
            std::fs::set_permissions(place.path(path), std::fs::Permissions::from_mode(mode)).unwrap();
        }
        Edit::Link { path, target } => {
            clear(place, path);
            symlink(target, place.path(path)).unwrap();
        }
        Edit::Remove { path } => {
            let parent_is_real = |path: &Path| {
                path.ancestors()
                    .skip(1)
                    .take_while(|parent| *parent != place.root)
                    .all(|parent| !parent.is_symlink())
            };
            if place.path(path).symlink_metadata().is_ok() && parent_is_real(&place.path(path)) {
                place.remove(path);
            }
        }
        Edit::Nest { path } => {
            clear(place, path);
            place.write(format!("{path}/inside"), b"nested");
            place.git_in(path, &["init", "--quiet"]);
        }
        Edit::Ignore { name } => place.write(".gitignore", format!("{name}\n").as_bytes()),
        Edit::Stage => drop(support::try_git(&place.root, &["add", "--all"])),
        Edit::Commit => drop(support::try_git(&place.root, &["commit", "--quiet", "--message", "x"])),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_a_snapshot_holds_a_restore_brings_back(
        steps in proptest::collection::vec(proptest::collection::vec(edit(), 1..8), 2..5),
        crlf in any::<bool>(),
    ) {
        let place = Place::new();
        if crlf {
            place.git(&["config", "core.autocrlf", "true"]);
        }
        let mut taken = Vec::new();
        // Kept, so that it remembers what it saw.
        let workspace = place.open();
        for edits in &steps {
            let edits = edits.iter().map(std::slice::from_ref).chain([&edits[..]]);
            let mut snapshot = workspace.snapshot(RUN, "begin").unwrap();
            for edits in edits {
                edits.iter().for_each(|edit| apply(&place, edit));
                snapshot = workspace.snapshot(RUN, "edit").unwrap();
            }
            // An independent run that starts from nothing sees the same tree.
            let name = format!("fresh-{}", taken.len());
            prop_assert_eq!(&place.open().snapshot(&name, "fresh").unwrap().tree, &snapshot.tree);
            // Captured is what is on disk; what is ignored is not there.
            let held = place.files_of(&snapshot.tree);
            let on_disk = place.on_disk();
            for (path, file) in &held {
                prop_assert_eq!(Some(file), on_disk.get(path), "{}", path.escape_ascii());
            }
            if !place.path(".gitignore").exists() {
                prop_assert_eq!(show(&held), show(&on_disk));
            }
            taken.push((snapshot, held));
        }
        for (snapshot, held) in taken.iter().rev() {
            match place.open().restore(RUN, &snapshot.id, piton_git::Expected::Anything) {
                Ok(restored) => {
                    let kept: Vec<_> = restored.kept.iter().map(|path| path.as_bytes().to_vec()).collect();
                    let on_disk = place.on_disk();
                    for (path, file) in held.iter().filter(|(path, _)| !kept.contains(path)) {
                        prop_assert_eq!(Some(file), on_disk.get(path), "{}", path.escape_ascii());
                    }
                    // What was captured and is not in the snapshot is gone.
                    let before = place.files_of(&restored.before.tree).into_keys();
                    for path in before.filter(|path| !held.contains_key(path) && !kept.contains(path)) {
                        prop_assert!(!on_disk.contains_key(&path), "{}", path.escape_ascii());
                    }
                }
                // A nested repository or an ignored file that has the place of a file is not thrown away.
                Err(piton_git::Error::InTheWay { .. } | piton_git::Error::SymlinkParent { .. }) => {}
                Err(error) => return Err(TestCaseError::fail(format!("{error}: {error:?}"))),
            }
        }
    }
}
