//! What is written, when it is written again, and what is left alone.

use piton_files::aiwg::{
    Registered, Written, Wrote, publish, published_path, rebuild, remove, rendered_paths,
};
use piton_model::loop_machine::GuardMode;

use crate::support::{Run, put, tree};

fn root() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_run_has_a_state_a_file_per_iteration_and_a_place_in_the_registry() {
    let root = root();
    let mut run = Run::worked("r", 3);
    let published = run.publish(root.path());
    assert_eq!((published.wrote, published.iterations), (Wrote::Yes, 3));
    assert_eq!(published.registered, Some(Registered::Listed));
    let mut names = vec![run.path(), ".aiwg/ralph/registry.json".to_owned()];
    names.extend((1..=3).map(|number| run.iteration_path(number)));
    names.sort();
    assert_eq!(tree(root.path()).into_keys().collect::<Vec<_>>(), names);
    assert_eq!(published_path(root.path(), &run.id()), Some(root.path().join(run.path())));
    let again = run.publish(root.path());
    assert_eq!((again.wrote, again.iterations), (Wrote::Unchanged, 0));
}

#[test]
fn missing_and_changed_files_of_iterations_are_written_again_at_the_next_start() {
    let root = root();
    let mut run = Run::worked("r", 5);
    run.publish(root.path());
    let before = tree(root.path());
    std::fs::remove_file(root.path().join(run.iteration_path(2))).unwrap();
    put(root.path(), &run.iteration_path(4), "");
    run.written = Written::default();
    let published = run.publish(root.path());
    assert_eq!((published.iterations, published.quarantined), (2, Vec::new()), "an empty file holds nothing");
    assert_eq!(tree(root.path()), before);
}

#[test]
fn foreign_and_edited_files_are_moved_aside() {
    for iteration in [false, true] {
        let root = root();
        let mut run = Run::worked("r", 2);
        let path = if iteration { run.iteration_path(1) } else { run.path() };
        run.publish(root.path());
        let edited = String::from_utf8(tree(root.path())[&path].clone())
            .unwrap()
            .replace("\"quality_score\"", "\"score\"");
        let edited = edited.replacen("piton", "nobody", 1);
        for content in ["theirs", &edited] {
            put(root.path(), &path, content);
            run.written = Written::default();
            let published = run.publish(root.path());
            let [quarantined] = &published.quarantined[..] else { panic!("{published:?}") };
            assert!(quarantined.hint.starts_with("`piton import .aiwg/ralph/"));
            assert_eq!(std::fs::read_to_string(root.path().join(&quarantined.to)).unwrap(), content);
        }
    }
}

#[test]
fn views_go_forward_and_only_a_rebuild_goes_back() {
    let root = root();
    let mut newer = Run::worked("r", 6);
    newer.publish(root.path());
    let before = tree(root.path());
    let mut older = Run::worked("r", 3);
    assert!(older.walk.head < newer.walk.head);
    assert_eq!(older.publish(root.path()).wrote, Wrote::NewerThere);
    assert_eq!(tree(root.path()), before);
    let rebuilt = rebuild(root.path(), &older.view(), &older.history).unwrap();
    assert_eq!(rebuilt.wrote, Wrote::Yes);
    let after = tree(root.path());
    assert!(!after.contains_key(&newer.iteration_path(6)), "the journal has no sixth iteration");
    let fresh = tempfile::tempdir().unwrap();
    older.publish(fresh.path());
    assert_eq!(after, tree(fresh.path()), "byte for byte what a first rendering gives");
}

#[test]
fn what_leads_elsewhere_is_refused() {
    for place in [".aiwg", ".aiwg/ralph", ".aiwg/ralph/loops"] {
        let root = root();
        let elsewhere = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join(place).parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), root.path().join(place)).unwrap();
        let run = Run::worked("r", 2);
        assert!(publish(root.path(), &run.view(), &run.history, &mut Written::default()).is_err(), "{place}");
        assert_eq!(tree(elsewhere.path()).len(), 0);
    }
}

#[test]
fn a_removed_run_leaves_nothing_and_takes_nothing_along() {
    let root = root();
    let mut other = Run::worked("other", 2);
    other.publish(root.path());
    let others = tree(root.path());
    let mut run = Run::worked("r", 2);
    run.publish(root.path());
    put(root.path(), &run.iteration_path(9), "theirs");
    let removed = remove(root.path(), &run.id()).unwrap();
    assert_eq!(removed.len(), 3);
    let mut left = tree(root.path());
    assert_eq!(left.remove(&run.iteration_path(9)).as_deref(), Some(&b"theirs"[..]));
    let registry = left.remove(".aiwg/ralph/registry.json").unwrap();
    assert!(!String::from_utf8(registry).unwrap().contains(run.view().loop_id()));
    left.insert(".aiwg/ralph/registry.json".to_owned(), others[".aiwg/ralph/registry.json"].clone());
    assert_eq!(left, others);
    assert_eq!(
        remove(tempfile::tempdir().unwrap().path(), &run.id()).unwrap(),
        Vec::<std::path::PathBuf>::new()
    );
}

#[test]
fn a_snapshot_leaves_out_what_piton_renders_before_it_is_there() {
    let root = root();
    let run = Run::created("r", GuardMode::Block);
    let id = run.view().loop_id().to_owned();
    let expected = [
        format!(".aiwg/ralph/loops/{id}/iterations"),
        format!(".aiwg/ralph/loops/{id}/state.json"),
        ".aiwg/ralph/registry.json".to_owned(),
        ".aiwg/ralph/registry.json.lock".to_owned(),
    ];
    let paths = || -> Vec<_> {
        rendered_paths(root.path(), &run.id()).iter().map(|path| path.display().to_string()).collect()
    };
    assert_eq!(paths(), expected);
    put(root.path(), ".aiwg/ralph/loops/theirs/state.json", "{}");
    assert_eq!(paths(), expected, "what others wrote is part of the tree");
    Run::worked("other", 2).publish(root.path());
    assert_eq!(paths().len(), expected.len() + 2);
}
