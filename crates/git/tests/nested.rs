//! Repositories inside the work tree are captured as trees of their own; sparse checkouts keep what they hide.

#[cfg(test)]
mod support;

use piton_git::Snapshot;
use support::{Place, git_in};

fn nested_paths(snapshot: &Snapshot) -> Vec<String> {
    snapshot.nested.iter().map(|nested| nested.path.to_string()).collect()
}

/// A nested repository with a file in its commit, an untracked one and an ignored one.
fn add_nested(place: &Place, name: &str) {
    place.write(format!("{name}/tracked"), b"t");
    place.git_in(name, &["init", "--quiet", "--initial-branch=inner"]);
    place.git_in(name, &["add", "tracked"]);
    place.git_in(name, &["commit", "--quiet", "--message", "inner"]);
    place.write(format!("{name}/untracked"), b"u");
}

#[test]
fn files_of_a_nested_repository_are_captured_and_restored() {
    let place = Place::new();
    add_nested(&place, "vendor/inner");
    let target = place.snapshot();
    place.assert_exact(&target);
    assert_eq!(nested_paths(&target), ["vendor/inner"]);
    assert_eq!(target.nested[0].branch.as_deref(), Some("refs/heads/inner"));
    assert_eq!(
        target.nested[0].head.as_deref(),
        Some(&*place.git_in("vendor/inner", &["rev-parse", "HEAD"]))
    );
    assert!(place.snapshot().reused);

    place.write("vendor/inner/tracked", b"changed");
    place.remove("vendor/inner/untracked");
    place.write("vendor/inner/more/new", b"n");
    assert!(!place.snapshot().reused);
    place.restore(&target);
    place.assert_exact(&target);
    assert!(place.path("vendor/inner/.git/HEAD").exists());
}

#[test]
fn a_nested_repository_without_a_commit_is_captured() {
    let place = Place::new();
    place.write("inner/file", b"f");
    place.git_in("inner", &["init", "--quiet"]);
    let snapshot = place.snapshot();
    place.assert_exact(&snapshot);
    assert_eq!(snapshot.nested[0].head, None);
}

#[test]
fn nesting_goes_on() {
    let place = Place::new();
    add_nested(&place, "one");
    add_nested(&place, "one/two");
    add_nested(&place, "one/two/three");
    let snapshot = place.snapshot();
    place.assert_exact(&snapshot);
    assert_eq!(nested_paths(&snapshot), ["one", "one/two", "one/two/three"]);
    place.write("one/two/three/tracked", b"deep");
    place.restore(&snapshot);
    place.assert_exact(&snapshot);
}

#[test]
fn a_nested_repository_has_rules_of_its_own() {
    let place = Place::new();
    add_nested(&place, "inner");
    // The outer rules ignore what the inner repository tracks, and the inner ones something else.
    place.write(".gitignore", b"tracked\n");
    place.write("inner/.git/info/exclude", b"secret\n");
    place.write("inner/secret", b"s");
    place.write("inner/forced", b"f");
    place.git_in("inner", &["add", "forced"]);
    place.write("inner/.gitignore", b"forced\n");
    let snapshot = place.snapshot();
    let files = place.files_of(&snapshot.tree);
    for name in ["inner/tracked", "inner/untracked", "inner/forced"] {
        assert!(files.contains_key(name.as_bytes()), "{name}");
    }
    assert!(!files.contains_key(b"inner/secret".as_slice()));
}

#[test]
fn a_submodule_is_captured_with_its_edits_and_survives_garbage_collection() {
    let library = Place::new();
    let place = Place::new();
    place.git(&["submodule", "--quiet", "add", library.root.to_str().unwrap(), "lib"]);
    place.commit("submodule");
    place.write("lib/a.txt", b"edited in place");
    let snapshot = place.snapshot();
    place.assert_exact(&snapshot);
    assert_eq!(nested_paths(&snapshot), ["lib"]);
    place.git(&["gc", "--quiet", "--prune=now"]);
    place.write("lib/a.txt", b"worse");
    place.restore(&snapshot);
    place.assert_exact(&snapshot);
}

#[test]
fn a_submodule_that_is_not_checked_out_is_an_ordinary_directory() {
    let library = Place::new();
    let place = Place::new();
    place.git(&["submodule", "--quiet", "add", library.root.to_str().unwrap(), "lib"]);
    place.commit("submodule");
    place.git(&["submodule", "--quiet", "deinit", "--force", "lib"]);
    place.write("lib/stray", b"s");
    let snapshot = place.snapshot();
    place.assert_exact(&snapshot);
    assert_eq!(snapshot.nested, []);
}

#[test]
fn a_repository_that_stops_being_one_is_an_ordinary_directory() {
    let place = Place::new();
    add_nested(&place, "inner");
    let first = place.snapshot();
    place.remove("inner/.git");
    let second = place.snapshot();
    assert_eq!(second.nested, []);
    assert_eq!(first.tree, second.tree);
}

#[test]
fn a_repository_in_place_of_a_file_is_captured_at_once() {
    let place = Place::new();
    place.write("odd\n", b"o");
    place.snapshot();
    place.remove("a.txt");
    add_nested(&place, "a.txt");
    place.remove("src/b.rs");
    add_nested(&place, "src/b.rs/deep");
    place.remove("odd\n");
    add_nested(&place, "odd\n");
    place.assert_exact(&place.snapshot());
}

#[test]
fn a_directory_that_becomes_a_repository_is_captured_as_one() {
    let place = Place::new();
    place.write(".gitignore", b"*.log\n");
    place.write("inner/file", b"f");
    place.snapshot();
    place.git_in("inner", &["init", "--quiet"]);
    place.write("inner/x.log", b"ignored outside alone");
    place.git_in("inner", &["add", "--force", "x.log"]);
    let old_run = place.snapshot();
    place.assert_exact(&old_run);
    assert_eq!(nested_paths(&old_run), ["inner"]);
    assert_eq!(place.open().snapshot("run-2", "fresh").unwrap().tree, old_run.tree);
    assert!(place.snapshot().reused);
    place.write(".gitignore", b"*.log\ninner/\n");
    let ignored = place.snapshot();
    assert_eq!(ignored.nested, []);
    assert_eq!(place.open().snapshot("run-3", "fresh").unwrap().tree, ignored.tree);
}

#[test]
fn files_that_the_outer_repository_tracks_in_an_inner_one_are_captured() {
    let place = Place::new();
    place.write("inner/kept.log", b"1");
    place.commit("tracked outside");
    place.git_in("inner", &["init", "--quiet"]);
    place.write("inner/.gitignore", b"*.log\n");
    place.snapshot();
    place.write("inner/kept.log", b"2");
    place.write("inner/new", b"n");
    place.assert_exact(&place.snapshot());
    place.remove("inner/kept.log");
    place.assert_exact(&place.snapshot());
    place.write("inner/kept.log", b"3");
    let snapshot = place.snapshot();
    place.assert_exact(&snapshot);
    assert_eq!(place.open().snapshot("run-2", "fresh").unwrap().tree, snapshot.tree);
}

#[test]
fn a_bare_repository_in_the_tree_is_only_files() {
    let place = Place::new();
    place.git(&["init", "--quiet", "--bare", "fixtures/repo.git"]);
    let snapshot = place.snapshot();
    place.assert_exact(&snapshot);
    assert_eq!(snapshot.nested, []);
}

#[test]
fn a_broken_nested_repository_loses_no_files() {
    let place = Place::new();
    place.write("inner/.git", b"gitdir: /nowhere/at/all\n");
    place.write("inner/file", b"f");
    place.write("inner2/.git/HEAD", b"nonsense");
    place.write("inner2/file", b"f");
    place.assert_exact(&place.snapshot());
}

#[test]
fn a_linked_worktree_inside_is_captured() {
    let place = Place::new();
    place.git(&["worktree", "add", "--quiet", "-b", "side", "trees/side"]);
    place.write("trees/side/a.txt", b"side work");
    let snapshot = place.snapshot();
    place.assert_exact(&snapshot);
    assert_eq!(snapshot.nested[0].branch.as_deref(), Some("refs/heads/side"));
}

fn sparse() -> Place {
    let place = Place::new();
    place.write("wide/x", b"x");
    place.write("wide/y", b"y");
    place.commit("wide");
    place.git(&["sparse-checkout", "set", "--no-cone", "/*", "!/wide/"]);
    assert!(!place.path("wide/x").exists());
    place
}

#[test]
fn a_sparse_checkout_keeps_what_it_hides() {
    let place = sparse();
    let target = place.snapshot();
    assert_eq!(target.tree.as_str(), place.git(&["rev-parse", "HEAD^{tree}"]));
    place.write("a.txt", b"2");
    let changed = place.snapshot();
    assert_eq!(
        place.git(&["diff-tree", "-r", "--name-only", target.tree.as_str(), changed.tree.as_str()]),
        "a.txt"
    );
    assert!(place.snapshot().reused);
    place.restore(&target);
    assert!(!place.path("wide").exists(), "hidden files stay off the disk");
    // Also where the hidden files are others by now.
    place.git(&["checkout", "--quiet", "HEAD~"]);
    let restored = place.restore(&target);
    assert!(!place.path("wide").exists());
    assert_eq!(restored.kept.len(), 2);
}

#[test]
fn a_file_hidden_since_then_stays_hidden() {
    let place = Place::new();
    place.write("wide/x", b"x");
    place.commit("wide");
    place.write("wide/x", b"edited");
    let target = place.snapshot();
    place.git(&["checkout", "--quiet", "--", "wide"]);
    place.git(&["sparse-checkout", "set", "--no-cone", "/*", "!/wide/"]);
    let restored = place.restore(&target);
    assert!(!place.path("wide").exists());
    assert_eq!(restored.kept.len(), 1);
}

#[test]
fn a_hidden_file_that_is_on_disk_is_read_from_disk() {
    let place = sparse();
    place.snapshot();
    place.write("wide/x", b"edited in hiding");
    let snapshot = place.snapshot();
    let files = place.files_of(&snapshot.tree);
    assert_eq!(files[b"wide/x".as_slice()].1, b"edited in hiding");
    assert_eq!(files[b"wide/y".as_slice()].1, b"y");
}

#[test]
fn skip_worktree_hides_no_edit() {
    let place = Place::new();
    place.git(&["update-index", "--skip-worktree", "a.txt"]);
    place.write("a.txt", b"edited");
    place.assert_exact(&place.snapshot());
}

#[test]
fn a_sparse_index_is_understood() {
    let place = Place::new();
    place.write("wide/deep/x", b"x");
    place.commit("wide");
    place.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "src"]);
    assert!(!place.path("wide").exists());
    let snapshot = place.snapshot();
    assert_eq!(snapshot.tree.as_str(), place.git(&["rev-parse", "HEAD^{tree}"]));
    git_in(&place.root, &["gc", "--quiet", "--prune=now"]);
    assert!(place.snapshot().reused);
}
