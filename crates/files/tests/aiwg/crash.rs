//! A crash at any point of publishing leaves whole files, loses nothing, and the next call repairs.
//!
//! The crash is real: this test program is started again as a child that aborts at the N-th fault point.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use piton_files::aiwg::{Written, parse, publish};
use piton_sys::process::{Program, RunLimits};

use crate::support::{Run, put, tree};

const ROOT: &str = "PITON_TEST_ROOT";
const FOREIGN: &str = "somebody else's file";

/// What is there when the run is published.
#[derive(Clone, Copy, Debug)]
enum Before {
    Nothing,
    Older,
    Foreign,
}

fn run() -> Run {
    Run::worked("r", 3)
}

fn prepare(root: &Path, before: Before) {
    match before {
        Before::Nothing => {}
        Before::Older => drop(Run::worked("r", 1).publish(root)),
        Before::Foreign => {
            put(root, &run().path(), FOREIGN);
            put(root, &run().iteration_path(2), FOREIGN);
        }
    }
}

#[test]
#[ignore = "the child of the test below"]
fn child() {
    if let Some(root) = std::env::var_os(ROOT) {
        let run = run();
        publish(Path::new(&root), &run.view(), &run.history, &mut Written::default()).unwrap();
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

/// Every file is whole, what was there before is there still, and the state names only files that are there.
fn check_after_crash(root: &Path, before: Before, context: &str) {
    let files = tree(root);
    let state = files.get(&run().path());
    if let Some(bytes) = state.filter(|bytes| **bytes != FOREIGN.as_bytes()) {
        parse(bytes).unwrap_or_else(|error| panic!("{context}: {error}"));
        let number = |bytes: &[u8]| -> Option<u64> {
            serde_json::from_slice::<serde_json::Value>(bytes).ok()?["iteration"].as_u64()
        };
        let state: serde_json::Value = serde_json::from_slice(bytes).unwrap();
        for iteration in state["iteration_history"].as_array().unwrap() {
            let expected = iteration["iteration"].as_u64().unwrap();
            let path = run().iteration_path(expected as u32);
            let file = files.get(&path).unwrap_or_else(|| panic!("{context}: {path} is named and missing"));
            assert_eq!(number(file), Some(expected), "{context}: {path}");
        }
    }
    match before {
        Before::Nothing => {}
        Before::Older => assert!(state.is_some(), "{context}: a view was there all the time"),
        Before::Foreign => {
            let kept = files.values().filter(|bytes| **bytes == FOREIGN.as_bytes()).count();
            assert_eq!(kept, 2, "{context}");
        }
    }
}

fn crash_everywhere(before: Before) {
    let whole = tempfile::tempdir().unwrap();
    run().publish(whole.path());
    let points = points(before);
    assert!(points >= 20, "{before:?} has {points} points");
    for at in 1..=points {
        let context = format!("{before:?} at point {at}");
        let root = tempfile::tempdir().unwrap();
        prepare(root.path(), before);
        assert!(!run_child(root.path(), "PITON_ABORT_AT", at.to_string()), "{context}: it did not crash");
        check_after_crash(root.path(), before, &context);
        run().publish(root.path());
        check_after_crash(root.path(), before, &context);
        let mut files = tree(root.path());
        files.retain(|name, _| !name.contains(".foreign-"));
        let expected = tree(whole.path());
        assert_eq!(files.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{context}");
        assert_eq!(files, expected, "{context}");
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
fn a_crash_while_foreign_files_are_moved_aside() {
    crash_everywhere(Before::Foreign);
}
