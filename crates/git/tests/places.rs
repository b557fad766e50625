//! Every kind of repository works or gives a clear error.

#[cfg(test)]
mod support;

use std::os::unix::fs::symlink;

use piton_git::{Error, Workspace};
use support::{Place, RUN, files_of, git_in, show};

#[test]
fn outside_of_git_the_private_repository_serves() {
    let place = Place::plain();
    place.write("a", b"1");
    place.write("deep/b", b"2");
    let workspace = place.open();
    assert!(workspace.is_private());
    assert_eq!(workspace.root(), place.root);
    let snapshot = place.snapshot();
    place.assert_exact(&snapshot);
    assert_eq!((&snapshot.head, &snapshot.branch, &snapshot.index), (&None, &None, &None));
    assert!(place.snapshot().reused);
    assert!(!place.path(".git").exists());
    place.write("a", b"2");
    let second = place.snapshot();
    let diff = place.open().diff(&snapshot.id, &second.id).unwrap();
    assert_eq!(diff.files.len(), 1);
}

#[test]
fn an_unborn_branch_works() {
    let place = Place::empty();
    place.write("a", b"1");
    let snapshot = place.snapshot();
    place.assert_exact(&snapshot);
    assert_eq!(snapshot.head, None);
    assert_eq!(snapshot.branch.as_deref(), Some("refs/heads/main"));
    assert!(place.snapshot().reused);
}

#[test]
fn an_empty_work_tree_works() {
    for place in [Place::empty(), Place::plain()] {
        let empty = place.snapshot();
        assert_eq!(place.files_of(&empty.tree).len(), 0);
        place.write("a", b"1");
        place.snapshot();
        place.restore(&empty);
        assert_eq!(place.on_disk().len(), 0);
    }
}

#[test]
fn a_detached_head_works() {
    let place = Place::new();
    place.git(&["checkout", "--quiet", "--detach"]);
    let snapshot = place.snapshot();
    assert_eq!(snapshot.branch, None);
    assert_eq!(snapshot.head.as_deref(), Some(&*place.git(&["rev-parse", "HEAD"])));
}

#[test]
fn a_branch_or_file_called_head_confuses_nobody() {
    let place = Place::new();
    place.git(&["update-ref", "refs/heads/HEAD", "HEAD"]);
    place.git(&["update-ref", "refs/tags/main", "HEAD"]);
    place.write("HEAD", b"a file");
    place.snapshot();
    let snapshot = place.snapshot();
    assert_eq!(snapshot.branch.as_deref(), Some("refs/heads/main"));
    place.assert_exact(&snapshot);
}

#[test]
fn a_linked_worktree_works_and_shares_the_refs() {
    let place = Place::new();
    let other = place.directory.path().canonicalize().unwrap().join("other");
    place.git(&["worktree", "add", "--quiet", "-b", "piton/x", other.to_str().unwrap()]);
    support::write(&other.join("new"), b"n");
    // State and views stay in the main repository.
    let workspace = Workspace::open(&other, &place.state()).unwrap();
    assert_eq!(workspace.root(), other);
    let snapshot = workspace.snapshot(RUN, "in a worktree").unwrap();
    assert_eq!(snapshot.branch.as_deref(), Some("refs/heads/piton/x"));
    assert_eq!(place.git(&["rev-parse", "refs/piton/runs/run-1"]), snapshot.id.as_str());
    let names = show(&files_of(&place.path(".git"), &snapshot.tree));
    assert_eq!(names.len(), 3, "{names:?}");
    workspace.protect_state().unwrap();
}

#[test]
fn a_shallow_clone_works() {
    let origin = Place::new();
    origin.write("a.txt", b"2");
    origin.commit("second");
    let place = Place::plain();
    let url = format!("file://{}", origin.root.display());
    place.remove(".piton");
    place.git(&["clone", "--quiet", "--depth=1", &url, "."]);
    std::fs::create_dir(place.state()).unwrap();
    place.write("new", b"n");
    let snapshot = place.snapshot();
    place.assert_exact(&snapshot);
    place.git(&["gc", "--quiet", "--prune=now"]);
    place.git(&["fsck", "--no-dangling"]);
}

#[test]
fn a_partial_clone_never_fetches() {
    let origin = Place::new();
    origin.write("wide/x", b"never fetched");
    origin.commit("wide");
    origin.git(&["config", "uploadpack.allowFilter", "true"]);
    let place = Place::plain();
    let url = format!("file://{}", origin.root.display());
    place.remove(".piton");
    place.git(&["clone", "--quiet", "--filter=blob:none", "--sparse", &url, "."]);
    std::fs::create_dir(place.state()).unwrap();
    // Nobody could fetch from there any more.
    place.git(&["config", "remote.origin.url", "file:///nowhere"]);
    assert!(!place.path("wide").exists());
    place.write("new", b"n");
    let target = place.snapshot();
    let listing = place.git(&["ls-tree", "-r", "--name-only", target.tree.as_str()]);
    assert_eq!(listing.lines().collect::<Vec<_>>(), ["a.txt", "new", "src/b.rs", "wide/x"]);
    place.write("a.txt", b"2");
    place.restore(&target);
    assert!(place.open().diff_text(&target.tree, &place.snapshot().tree).unwrap().is_empty());
}

#[test]
fn a_sha256_repository_works() {
    let place = Place::initialised(&["--object-format=sha256"]);
    place.write("a", b"1");
    let target = place.snapshot();
    assert_eq!(target.id.as_str().len(), 64);
    place.assert_exact(&target);
    place.write("a", b"2");
    place.restore(&target);
    place.assert_exact(&target);
}

#[test]
fn a_repository_with_alternates_works() {
    let origin = Place::new();
    let place = Place::plain();
    place.remove(".piton");
    place.git(&["clone", "--quiet", "--shared", origin.root.to_str().unwrap(), "."]);
    std::fs::create_dir(place.state()).unwrap();
    place.write("new", b"n");
    place.assert_exact(&place.snapshot());
}

#[test]
fn a_split_index_is_understood_and_left_split() {
    let place = Place::new();
    place.git(&["update-index", "--split-index"]);
    place.write("staged", b"s");
    place.git(&["add", "staged"]);
    let index = std::fs::read(place.path(".git/index")).unwrap();
    let snapshot = place.snapshot();
    place.assert_exact(&snapshot);
    let Some(piton_git::Index::Tree(tree)) = &snapshot.index else { panic!("{:?}", snapshot.index) };
    assert_eq!(std::fs::read(place.path(".git/index")).unwrap(), index);
    assert_eq!(tree.as_str(), place.git(&["write-tree"]));
}

#[test]
fn a_symlinked_root_and_a_symlinked_git_directory_work() {
    let place = Place::new();
    let moved = place.directory.path().join("moved.git");
    piton_sys::file::rename_noreplace(&place.path(".git"), &moved).unwrap();
    symlink(&moved, place.path(".git")).unwrap();
    let alias = place.directory.path().join("alias");
    symlink(&place.root, &alias).unwrap();
    let workspace = Workspace::open(&alias, &alias.join(".piton")).unwrap();
    assert_eq!(workspace.root(), place.root);
    place.assert_exact(&workspace.snapshot(RUN, "through links").unwrap());
}

#[test]
fn a_root_with_a_line_break_in_its_name_works() {
    let mut place = Place::plain();
    place.root = place.root.join("line\nbreak\n");
    std::fs::create_dir_all(place.state()).unwrap();
    place.git(&["init", "--quiet"]);
    place.write("a", b"1");
    assert_eq!(place.open().root(), place.root);
    place.assert_exact(&place.snapshot());
}

#[test]
fn a_directory_inside_a_work_tree_opens_the_whole() {
    let place = Place::new();
    let workspace = Workspace::open(&place.path("src"), &place.state()).unwrap();
    assert_eq!(workspace.root(), place.root);
}

#[test]
fn a_work_tree_elsewhere_is_refused() {
    let place = Place::new();
    let elsewhere = place.directory.path().canonicalize().unwrap().join("home");
    place.git(&["config", "core.worktree", elsewhere.to_str().unwrap()]);
    let result = Workspace::open(&place.root, &place.state());
    assert!(matches!(&result, Err(Error::WorkTreeElsewhere { top, .. }) if *top == elsewhere), "{result:?}");
}

#[test]
fn a_separate_git_directory_works() {
    let place = Place::plain();
    let git_dir = place.directory.path().join("separate");
    place.git(&["init", "--quiet", "--separate-git-dir", git_dir.to_str().unwrap(), "."]);
    place.write("a", b"1");
    place.assert_exact(&place.snapshot());
}

#[test]
fn a_bare_repository_is_refused() {
    let place = Place::plain();
    let bare = place.directory.path().join("bare.git");
    git_in(&place.root, &["init", "--quiet", "--bare", bare.to_str().unwrap()]);
    let result = Workspace::open(&bare, &place.state());
    assert!(matches!(result, Err(Error::NoWorkTree { .. })), "{result:?}");
    let place = Place::new();
    let result = Workspace::open(&place.path(".git"), &place.state());
    assert!(matches!(result, Err(Error::NoWorkTree { .. })), "{result:?}");
}

#[test]
fn a_broken_repository_is_refused() {
    let place = Place::new();
    place.remove(".git/HEAD");
    let result = Workspace::open(&place.root, &place.state());
    assert!(matches!(result, Err(Error::BrokenRepository { .. })), "{result:?}");
}

#[test]
fn replaced_objects_do_not_count() {
    let place = Place::new();
    let first = place.git(&["rev-parse", "HEAD"]);
    place.write("a.txt", b"2");
    place.commit("second");
    place.git(&["replace", "HEAD", &first]);
    let snapshot = place.snapshot();
    place.assert_exact(&snapshot);
    place.git(&["replace", snapshot.id.as_str(), &first]);
    assert_eq!(place.open().read(&snapshot.id).unwrap(), snapshot);
}
