//! A crash at any point of publishing leaves whole files, loses nothing, and the next call repairs.
//!
//! The crash is real: this test program is started again as a child that aborts at the N-th fault point.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use piton_files::ralph::{parse, publish, to_bytes};
use piton_model::Status;
use piton_sys::process::{Program, RunLimits};

use crate::support::{put, tree, view};

const ROOT: &str = "PITON_TEST_ROOT";
const FOREIGN: &str = "somebody else's file";

/// What stands in the way of the run that is published.
#[derive(Clone, Copy, Debug)]
enum Before {
    Nothing,
    Older,
    Foreign,
    Finished,
    FinishedWithFullBackups,
    Unfinished,
}

fn prepare(root: &Path, before: Before) {
    match before {
        Before::Nothing => {}
        Before::Older => drop(publish(root, &view("new", Status::Running, 1)).unwrap()),
        Before::Foreign => put(root, ".ralph/state.json", FOREIGN),
        Before::Finished => drop(publish(root, &view("old", Status::Completed, 50)).unwrap()),
        Before::FinishedWithFullBackups => {
            for number in 0..10 {
                publish(root, &view(&format!("old-{number}"), Status::Completed, 10 + number)).unwrap();
            }
            publish(root, &view("old", Status::Completed, 50)).unwrap();
        }
        Before::Unfinished => drop(publish(root, &view("old", Status::Running, 50)).unwrap()),
    }
}

#[test]
#[ignore = "the child of the test below"]
fn child() {
    if let Some(root) = std::env::var_os(ROOT) {
        publish(Path::new(&root), &view("new", Status::Running, 7)).unwrap();
    }
}

fn run_child(root: &Path, variable: &str, value: impl AsRef<OsStr>) -> bool {
    let limits = RunLimits { deadline: Duration::from_secs(60), output_bytes_max: 1 << 20 };
    let program = Program::new(std::env::current_exe().unwrap());
    let program = program.args(["--exact", "crash::child", "--ignored"]).env(ROOT, root);
    program.env(variable, value.as_ref()).run(limits).unwrap().success()
}

fn points(before: Before) -> usize {
    let root = tempfile::tempdir().unwrap();
    let log = tempfile::NamedTempFile::new().unwrap();
    prepare(root.path(), before);
    assert!(run_child(root.path(), "PITON_FAULT_LOG", log.path()));
    std::fs::read_to_string(log.path()).unwrap().lines().count()
}

/// Every file is whole, and what was there before is there still.
fn check_after_crash(root: &Path, before: Before, context: &str) {
    let files = tree(root);
    let state = files.get(Path::new(".ralph/state.json"));
    assert!(state.is_none_or(|bytes| bytes == FOREIGN.as_bytes() || parse(bytes).is_ok()), "{context}: torn");
    let survives = |bytes: &[u8]| files.values().filter(|content| *content == bytes).count();
    match before {
        Before::Nothing => {}
        Before::Older => assert!(state.is_some(), "{context}: a view was there all the time"),
        Before::Foreign => assert_eq!(survives(FOREIGN.as_bytes()), 1, "{context}"),
        Before::Finished | Before::FinishedWithFullBackups => {
            assert_eq!(survives(&to_bytes(&view("old", Status::Completed, 50))), 1, "{context}");
        }
        Before::Unfinished => {
            assert_eq!(state, Some(&to_bytes(&view("old", Status::Running, 50))), "{context}")
        }
    }
}

fn check_after_repair(root: &Path, before: Before, context: &str) {
    let files = tree(root);
    let place = match before {
        Before::Unfinished => ".ralph/loops/new/state.json",
        _ => ".ralph/state.json",
    };
    assert_eq!(files.get(Path::new(place)), Some(&to_bytes(&view("new", Status::Running, 7))), "{context}");
    let count = |part: &str| {
        files.keys().filter(|path| path.to_str().is_some_and(|path| path.contains(part))).count()
    };
    assert_eq!(count(".tmp"), 0, "{context}: debris");
    assert_eq!(count(".foreign-"), usize::from(matches!(before, Before::Foreign)), "{context}");
    let backups = match before {
        Before::Finished => 1,
        Before::FinishedWithFullBackups => 10,
        _ => 0,
    };
    assert_eq!(count("backups/"), backups, "{context}");
}

fn crash_everywhere(before: Before) {
    let points = points(before);
    assert!(points >= 6, "{before:?} has {points} points");
    for at in 1..=points {
        let context = format!("{before:?} at point {at}");
        let root = tempfile::tempdir().unwrap();
        prepare(root.path(), before);
        assert!(!run_child(root.path(), "PITON_ABORT_AT", at.to_string()), "{context}: it did not crash");
        check_after_crash(root.path(), before, &context);
        publish(root.path(), &view("new", Status::Running, 7)).unwrap();
        check_after_crash(root.path(), before, &context);
        check_after_repair(root.path(), before, &context);
    }
}

#[test]
fn a_crash_while_the_first_view_is_written() {
    crash_everywhere(Before::Nothing);
}

#[test]
fn a_crash_while_an_older_view_is_replaced() {
    crash_everywhere(Before::Older);
}

#[test]
fn a_crash_while_a_foreign_file_is_moved_aside() {
    crash_everywhere(Before::Foreign);
}

#[test]
fn a_crash_while_a_finished_run_makes_room() {
    crash_everywhere(Before::Finished);
    crash_everywhere(Before::FinishedWithFullBackups);
}

#[test]
fn a_crash_while_a_second_run_finds_its_place() {
    crash_everywhere(Before::Unfinished);
}
