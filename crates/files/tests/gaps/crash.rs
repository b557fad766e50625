//! A crash at any point of an update leaves a whole file and loses nothing; the next update goes on from there.
//!
//! The crash is real: this test program is started again as a child that aborts at the N-th fault point.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use piton_files::gaps::{Document, LedgerFile, append_flips};
use piton_model::Timestamp;
use piton_model::ledger::{Flip, Gap, due_flips, mark_verified};
use piton_sys::file::{self, Durability};
use piton_sys::process::{Program, RunLimits};

use crate::support::{NOW, gap, logged};

const ROOT: &str = "PITON_TEST_GAPS_ROOT";
const EDIT: &str = "PITON_TEST_GAPS_EDIT";
const LATE: &str = "- id: theirs\n  category: market\n";

fn before() -> String {
    let long_ago = Timestamp::from_millis(NOW.as_millis() - 45 * 86_400_000);
    piton_files::gaps::render(&[mark_verified(&gap("a"), long_ago), gap("b")])
}

/// What a command does: the flips that are due go into the file, then into the log.
fn flip_what_is_due(root: &Path, edit_in_between: bool) -> Vec<Flip> {
    let path = root.join("gaps.yaml");
    let mut due = Vec::new();
    let ledger = LedgerFile::new(&path, root.join("aside"));
    let updated = ledger.update(|gaps| {
        if edit_in_between {
            let text = std::fs::read_to_string(&path).unwrap();
            let edited = if text.contains("theirs") { text } else { text + LATE };
            file::write_atomic(&path, edited.as_bytes(), Durability::Unsynced).unwrap();
        }
        due = due_flips(gaps, 30, NOW);
        let flipped = |gap: &Gap| match due.iter().find(|flip| flip.gap == gap.id) {
            Some(flip) => gap.with(|gap| gap.status = flip.new),
            None => gap.clone(),
        };
        Ok::<_, String>(gaps.iter().map(flipped).collect())
    });
    updated.unwrap();
    append_flips(&root.join("gap_audit.log"), &due, None).unwrap();
    due
}

#[test]
#[ignore = "the child of the tests below"]
fn child() {
    if let Some(root) = std::env::var_os(ROOT) {
        flip_what_is_due(Path::new(&root), std::env::var_os(EDIT).is_some());
    }
}

fn run_child(root: &Path, edit: bool, variable: &str, value: impl AsRef<OsStr>) -> bool {
    let limits = RunLimits { deadline: Duration::from_secs(60), output_bytes_max: 1 << 20 };
    let program = Program::new(std::env::current_exe().unwrap());
    let mut program = program.args(["--exact", "crash::child", "--ignored"]).env(ROOT, root);
    if edit {
        program = program.env(EDIT, "1");
    }
    program.env(variable, value.as_ref()).run(limits).unwrap().success()
}

fn prepared() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    file::write_atomic(&root.path().join("gaps.yaml"), before().as_bytes(), Durability::Unsynced).unwrap();
    root
}

fn crash_everywhere(edit: bool) {
    let root = prepared();
    let log = root.path().join("points");
    assert!(run_child(root.path(), edit, "PITON_FAULT_LOG", &log));
    let points = std::fs::read_to_string(&log).unwrap().lines().count();
    assert!(points > 10, "{points} points");
    for at in 1..=points {
        let root = prepared();
        assert!(!run_child(root.path(), edit, "PITON_ABORT_AT", at.to_string()), "point {at} did not crash");
        let text = std::fs::read(root.path().join("gaps.yaml")).unwrap();
        Document::parse(&text).unwrap_or_else(|invalid| panic!("point {at}: {invalid}"));
        // Whoever flips knows from elsewhere what is due; here it is computed from the file as it was.
        flip_what_is_due(root.path(), false);
        let due = due_flips(Document::parse(before().as_bytes()).unwrap().gaps(), 30, NOW);
        append_flips(&root.path().join("gap_audit.log"), &due, None).unwrap();
        let text = std::fs::read_to_string(root.path().join("gaps.yaml")).unwrap();
        assert_eq!(text.matches("status: stale").count(), 1, "point {at}:\n{text}");
        let edited = edit && at > edit_point(edit);
        assert!(!edited || text.contains("theirs"), "point {at} lost an edit:\n{text}");
        let (flips, foreign) = logged(&root.path().join("gap_audit.log"));
        assert_eq!((flips.len(), foreign), (1, 0), "point {at}");
    }
}

/// The last fault point before the edit was made.
fn edit_point(edit: bool) -> usize {
    let root = prepared();
    let log = root.path().join("points");
    assert!(run_child(root.path(), edit, "PITON_FAULT_LOG", &log));
    let points = std::fs::read_to_string(&log).unwrap();
    // The edit itself is an unsynced atomic write; its last point is its rename.
    points.lines().position(|point| point == "file.write_atomic.rename").unwrap() + 1
}

#[test]
fn a_crash_while_due_flips_are_written() {
    crash_everywhere(false);
}

#[test]
fn a_crash_while_an_edit_in_between_is_merged() {
    crash_everywhere(true);
}
