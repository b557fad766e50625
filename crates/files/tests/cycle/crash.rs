//! A crash at any point of publishing leaves whole files, loses no line and doubles none, and the next call completes it.
//!
//! The crash is real: this test program is started again as a child that aborts at the N-th fault point.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_files::cycle::{MasterFound, read_lines};
use piton_model::cycle::State;
use piton_sys::process::{Program, RunLimits};
use serde_json::Value;

use crate::support::{World, aggregated, full, publish, tree, view};

const ROOT: &str = "PITON_TEST_CYCLE_ROOT";

/// What the first iteration left, with what an agent wrote since.
fn before(world: &World) {
    world.publish(&aggregated());
    world.write("ra/requirements.md", "Users log in with OAuth and a second factor.");
    let log = world.read("cd/changes.log");
    world.write("cd/changes.log", &format!("{log}not of piton\n"));
    world.write("cd/implementation.md", "somebody's own");
}

fn after() -> State {
    full()
}

#[test]
#[ignore = "the child of the test below"]
fn child() {
    if let Some(root) = std::env::var_os(ROOT) {
        publish(Path::new(&root), &after());
    }
}

fn run_child(root: &Path, variable: &str, value: impl AsRef<OsStr>) -> bool {
    let limits = RunLimits { deadline: Duration::from_secs(60), output_bytes_max: 1 << 20 };
    let program = Program::new(std::env::current_exe().unwrap());
    let program = program.args(["--exact", "crash::child", "--ignored"]).env(ROOT, root);
    program.env(variable, value.as_ref()).run(limits).unwrap().success()
}

/// The files that people see, without those that were moved aside.
fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let is_seen = |path: &Path| !path.to_string_lossy().contains(".foreign-");
    tree(&root.join(".workflow")).into_iter().filter(|(path, _)| is_seen(path)).collect()
}

/// Every file is whole; of a log at most the last line is not.
fn check_whole(root: &Path, context: &str) {
    for (path, bytes) in files(root) {
        let name = path.to_string_lossy().into_owned();
        if name.ends_with(".json") {
            assert!(serde_json::from_slice::<Value>(&bytes).is_ok(), "{context}: {name} is torn");
        } else if name.ends_with(".ndjson") {
            assert!(read_lines(&bytes).unreadable.is_empty(), "{context}: {name}");
        }
    }
    let kept = tree(&root.join(".workflow"));
    for theirs in ["not of piton", "somebody's own"] {
        let is_there = |content: &Vec<u8>| String::from_utf8_lossy(content).contains(theirs);
        assert!(kept.values().any(is_there), "{context}: `{theirs}` is lost");
    }
}

#[test]
fn a_crash_anywhere_is_completed_by_publishing_again() {
    let undisturbed = World::new();
    before(&undisturbed);
    let log = tempfile::NamedTempFile::new().unwrap();
    assert!(run_child(undisturbed.root.path(), "PITON_FAULT_LOG", log.path()));
    let points = std::fs::read_to_string(log.path()).unwrap().lines().count();
    assert!(points > 60, "{points} points");
    let expected = files(undisturbed.root.path());
    for point in 1..=points {
        let context = format!("at point {point}");
        let world = World::new();
        before(&world);
        assert!(!run_child(world.root.path(), "PITON_ABORT_AT", point.to_string()), "{context}: no crash");
        check_whole(world.root.path(), &context);
        let found = view(world.root.path()).edited(&after()).unwrap();
        assert_eq!(found, MasterFound::AsWritten, "{context}: piton takes its own file for an edit");
        world.publish(&after());
        check_whole(world.root.path(), &context);
        let now = files(world.root.path());
        assert_eq!(now.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{context}");
        for (path, bytes) in &now {
            let name = path.display();
            assert_eq!(
                String::from_utf8_lossy(bytes),
                String::from_utf8_lossy(&expected[path]),
                "{context}: {name}"
            );
        }
    }
}
