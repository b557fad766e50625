//! Who makes room for whom.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use piton_files::ralph::{PersistedLoopState, Wrote, publish, published_path, read, rebuild, to_bytes};
use piton_model::{RunId, Status};
use piton_sys::file::Refusal;

use crate::support::{names, put, tree, view};

const STATE: &str = ".ralph/state.json";

fn root() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn run(id: &str) -> RunId {
    id.parse().unwrap()
}

fn on_disk(root: &Path, path: &str) -> PersistedLoopState {
    piton_files::ralph::parse(&std::fs::read(root.join(path)).unwrap()).unwrap()
}

#[test]
fn a_first_view_is_written_where_readers_look() {
    let root = root();
    assert_eq!(published_path(root.path(), &run("a")), None);
    let first = view("a", Status::Running, 5);
    let published = publish(root.path(), &first).unwrap();
    assert_eq!((published.path, published.wrote), (root.path().join(STATE), Wrote::Yes));
    assert_eq!((published.quarantined, published.backed_up), (None, None));
    assert_eq!(std::fs::read(root.path().join(STATE)).unwrap(), to_bytes(&first));
    assert_eq!(published_path(root.path(), &run("A")), Some(root.path().join(STATE)), "case does not matter");
    assert_eq!(read(root.path(), &run("a")), Some(first));
    assert_eq!(names(root.path()), [STATE]);
}

#[test]
fn views_go_forward_and_never_back() {
    let root = root();
    publish(root.path(), &view("a", Status::Running, 5)).unwrap();
    assert_eq!(publish(root.path(), &view("a", Status::Completed, 9)).unwrap().wrote, Wrote::Yes);
    assert_eq!(publish(root.path(), &view("a", Status::Running, 8)).unwrap().wrote, Wrote::NewerThere);
    assert_eq!(publish(root.path(), &view("a", Status::Completed, 9)).unwrap().wrote, Wrote::Unchanged);
    assert_eq!(on_disk(root.path(), STATE), view("a", Status::Completed, 9));
}

#[test]
fn a_rebuild_is_byte_identical_and_may_go_back() {
    let root = root();
    let newest = view("a", Status::Running, 9);
    publish(root.path(), &newest).unwrap();
    let before = tree(root.path());
    std::fs::remove_dir_all(root.path().join(".ralph")).unwrap();
    rebuild(root.path(), &newest).unwrap();
    assert_eq!(tree(root.path()), before);
    assert_eq!(rebuild(root.path(), &view("a", Status::Running, 3)).unwrap().wrote, Wrote::Yes);
    assert_eq!(on_disk(root.path(), STATE), view("a", Status::Running, 3));
}

#[test]
fn a_foreign_file_is_moved_aside_and_the_command_that_adopts_it_is_named() {
    for foreign in ["", "{}", "not json", r#"{"version":1}"#] {
        let root = root();
        put(root.path(), STATE, foreign);
        let published = publish(root.path(), &view("a", Status::Running, 5)).unwrap();
        let quarantined = published.quarantined.unwrap();
        assert_eq!(quarantined.to, Path::new(".ralph/state.json.foreign-20260215T120325Z"));
        let command = "`piton import .ralph/state.json.foreign-20260215T120325Z` adopts it";
        assert!(quarantined.to_string().ends_with(command), "{quarantined}");
        assert_eq!(std::fs::read_to_string(root.path().join(quarantined.to)).unwrap(), foreign);
        assert_eq!(on_disk(root.path(), STATE), view("a", Status::Running, 5));
    }
}

#[test]
fn an_edited_view_is_foreign_whatever_was_edited() {
    let text = String::from_utf8(to_bytes(&view("a", Status::Running, 5))).unwrap();
    for edited in [
        text.replace("\"iteration\": 2", "\"iteration\": 3"),
        text.replace("\"seq\": 5", "\"seq\": 6"),
        text.replace("  \"core\"", "  \"theirs\": 1,\n  \"core\""),
        text.trim_end().to_owned(),
    ] {
        assert_ne!(edited, text);
        let root = root();
        put(root.path(), STATE, &edited);
        assert_eq!(read(root.path(), &run("a")), None);
        let published = publish(root.path(), &view("a", Status::Running, 6)).unwrap();
        let kept = root.path().join(published.quarantined.unwrap().to);
        assert_eq!(std::fs::read_to_string(kept).unwrap(), edited);
    }
}

#[test]
fn a_second_foreign_file_of_the_same_moment_gets_its_own_name() {
    let root = root();
    for content in ["one", "two", "three"] {
        put(root.path(), STATE, content);
        publish(root.path(), &view("a", Status::Running, 5)).unwrap();
    }
    let foreign =
        |suffix: &str| root.path().join(format!(".ralph/state.json.foreign-20260215T120325Z{suffix}"));
    for (suffix, content) in [("", "one"), ("-1", "two"), ("-2", "three")] {
        assert_eq!(std::fs::read_to_string(foreign(suffix)).unwrap(), content);
    }
}

#[test]
fn a_finished_run_makes_room_and_is_kept() {
    for status in [Status::Stopped, Status::Completed, Status::Failed] {
        let root = root();
        let old = view("old", status, 5);
        publish(root.path(), &old).unwrap();
        let published = publish(root.path(), &view("new", Status::Running, 2)).unwrap();
        let backup = ".ralph/backups/state_20260215_120325.json";
        assert_eq!(published.backed_up, Some(root.path().join(backup)));
        assert_eq!(on_disk(root.path(), backup), old);
        assert_eq!(on_disk(root.path(), STATE).loop_id, "new");
    }
}

#[test]
fn a_run_beside_an_unfinished_one_has_a_place_of_its_own_and_stays_there() {
    for status in [Status::Created, Status::Running, Status::Waiting, Status::Paused, Status::Rebooting] {
        let root = root();
        let first = view("first", status, 5);
        publish(root.path(), &first).unwrap();
        let own = root.path().join(".ralph/loops/second/state.json");
        assert_eq!(publish(root.path(), &view("second", Status::Running, 2)).unwrap().path, own);
        assert_eq!(on_disk(root.path(), STATE), first);
        publish(root.path(), &view("first", Status::Completed, 9)).unwrap();
        let published = publish(root.path(), &view("second", Status::Running, 3)).unwrap();
        assert_eq!((published.path, published.backed_up), (own.clone(), None));
        assert_eq!(published_path(root.path(), &run("second")), Some(own.clone()));
        put(root.path(), ".ralph/loops/second/state.json", "edited");
        let quarantined =
            publish(root.path(), &view("second", Status::Running, 4)).unwrap().quarantined.unwrap();
        assert_eq!(quarantined.to, Path::new(".ralph/loops/second/state.json.foreign-20260215T120324Z"));
    }
}

#[test]
fn the_ten_newest_backups_of_ours_are_kept_and_foreign_ones_are_left_alone() {
    let root = root();
    let foreign = [".ralph/backups/state_20200101_000000.json", ".ralph/backups/notes.md"];
    for path in foreign {
        put(root.path(), path, "theirs");
    }
    for number in 0..14 {
        publish(root.path(), &view(&format!("run-{number}"), Status::Stopped, 10 + number)).unwrap();
    }
    let files = names(root.path());
    let ours: Vec<_> = files.iter().filter(|name| name.contains("state_2026")).collect();
    assert_eq!(ours.len(), 10);
    // Runs 0 to 12 were moved; the oldest three are gone.
    assert_eq!(*ours[0], ".ralph/backups/state_20260215_120333.json");
    for path in foreign {
        assert_eq!(std::fs::read_to_string(root.path().join(path)).unwrap(), "theirs");
    }
}

#[test]
fn backups_of_one_second_do_not_overwrite_each_other() {
    let root = root();
    for number in 0..13 {
        publish(root.path(), &view(&format!("run-{number}"), Status::Stopped, 5)).unwrap();
    }
    let kept: Vec<_> = names(root.path()).into_iter().filter(|name| name.contains("backups")).collect();
    assert_eq!(kept.len(), 10);
    let runs: Vec<_> = kept.iter().map(|path| on_disk(root.path(), path).loop_id).collect();
    assert!(!runs.contains(&"run-0".to_owned()) && runs.contains(&"run-11".to_owned()), "{runs:?}");
}

#[test]
fn a_link_is_refused_and_what_it_points_to_is_not_touched() {
    let outside = root();
    let first = view("a", Status::Running, 5);
    let check = |root: &Path, link: &str| {
        let error = publish(root, &first).unwrap_err();
        assert_eq!(error.refusal(), Some(&Refusal::Symlink), "{link}: {error}");
        assert!(error.path.ends_with(link), "{}", error.path.display());
        assert_eq!(names(outside.path()), [] as [String; 0]);
    };
    let directory = root();
    symlink(outside.path(), directory.path().join(".ralph")).unwrap();
    check(directory.path(), ".ralph");

    let file = root();
    std::fs::create_dir(file.path().join(".ralph")).unwrap();
    symlink(outside.path().join("x"), file.path().join(STATE)).unwrap();
    check(file.path(), STATE);
    assert!(file.path().join(STATE).is_symlink());

    let backups = root();
    publish(backups.path(), &view("old", Status::Stopped, 5)).unwrap();
    symlink(outside.path(), backups.path().join(".ralph/backups")).unwrap();
    check(backups.path(), ".ralph/backups");
    assert_eq!(on_disk(backups.path(), STATE).loop_id, "old");

    let loops = root();
    publish(loops.path(), &view("old", Status::Running, 5)).unwrap();
    symlink(outside.path(), loops.path().join(".ralph/loops")).unwrap();
    check(loops.path(), ".ralph/loops");
}

#[test]
fn what_is_no_file_is_refused() {
    let root = root();
    std::fs::create_dir_all(root.path().join(STATE)).unwrap();
    let error = publish(root.path(), &view("a", Status::Running, 5)).unwrap_err();
    assert_eq!(error.refusal(), Some(&Refusal::NotARegularFile));
    let root = tempfile::tempdir().unwrap();
    put(root.path(), ".ralph", "a file");
    let error = publish(root.path(), &view("a", Status::Running, 5)).unwrap_err();
    assert_eq!(error.refusal(), Some(&Refusal::NotADirectory));
}

#[test]
fn the_mode_that_people_gave_the_file_is_kept() {
    let root = root();
    publish(root.path(), &view("a", Status::Running, 5)).unwrap();
    let path = root.path().join(STATE);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    publish(root.path(), &view("a", Status::Running, 6)).unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o644);
}

#[test]
fn what_a_crash_left_half_written_is_swept() {
    let root = root();
    let left = ".ralph/.state.json.0123456789abcdef.tmp";
    put(root.path(), left, "half");
    put(root.path(), ".ralph/.state.json.mine.tmp", "theirs");
    publish(root.path(), &view("a", Status::Running, 5)).unwrap();
    assert_eq!(names(root.path()), [".ralph/.state.json.mine.tmp", STATE]);
}

#[test]
fn runs_that_publish_at_the_same_time_all_get_a_place() {
    let root = root();
    std::thread::scope(|scope| {
        for number in 0..4 {
            let root = root.path();
            scope.spawn(move || {
                for seq in 1..6 {
                    publish(root, &view(&format!("run-{number}"), Status::Running, seq)).unwrap();
                }
            });
        }
    });
    for number in 0..4 {
        let found = read(root.path(), &run(&format!("run-{number}"))).unwrap();
        assert_eq!(found, view(&format!("run-{number}"), Status::Running, 5));
    }
    assert_eq!(names(root.path()).len(), 4);
}
