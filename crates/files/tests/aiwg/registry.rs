//! The registry: shared with other tools, capped, and every loop counted once.

use std::path::Path;

use piton_files::aiwg::{LOOPS_MAX, Registered, remove};
use piton_model::Status;
use piton_model::loop_machine::GuardMode;
use serde_json::{Value, json};

use crate::schema;
use crate::support::{Run, put};

const REGISTRY: &str = ".aiwg/ralph/registry.json";
const LOCK: &str = ".aiwg/ralph/registry.json.lock";

fn read(root: &Path) -> Value {
    schema::registry(&std::fs::read(root.join(REGISTRY)).unwrap())
}

fn run(id: &str) -> Run {
    Run::created(id, GuardMode::Block)
}

fn ended(id: &str, status: Status) -> Run {
    let mut run = run(id);
    run.set(status);
    run
}

#[test]
fn a_loop_is_listed_while_it_is_under_way_and_counted_once_when_it_is_over() {
    let root = tempfile::tempdir().unwrap();
    let mut loop_ = run("a");
    loop_.publish(root.path());
    let listed = read(root.path());
    assert_eq!((&listed["total_active"], &listed["max_concurrent_loops"]), (&json!(1), &json!(4)));
    assert_eq!(listed["active_loops"][0]["loop_id"], loop_.view().loop_id());
    assert_eq!(listed["active_loops"][0]["task_summary"], "Fix all type errors");
    for (status, active, completed, aborted) in [
        (Status::Waiting, 1, 0, 0),
        (Status::Stopped, 0, 0, 1),
        (Status::Stopped, 0, 0, 1),
        (Status::Running, 1, 0, 0),
        (Status::Failed, 0, 0, 1),
        (Status::Completed, 0, 1, 0),
        (Status::Completed, 0, 1, 0),
    ] {
        loop_.set(status);
        loop_.publish(root.path());
        let now = read(root.path());
        let totals = [&now["total_active"], &now["total_completed"], &now["total_aborted"]];
        assert_eq!(totals, [&json!(active), &json!(completed), &json!(aborted)], "{}", status.as_str());
    }
    let mut late = ended("late", Status::Completed);
    assert_eq!(late.publish(root.path()).registered, Some(Registered::Ended));
    assert_eq!(read(root.path())["total_completed"], 2, "one that was never listed counts as well");
}

#[test]
fn what_other_tools_wrote_stays_as_it_is() {
    let root = tempfile::tempdir().unwrap();
    let theirs = r#"{"loop_id":"ralph-x-0123abcd","z":1.50,"task_summary":"t","status":"running","started_at":"2026-02-02T21:00:00Z"}"#;
    let text = format!(
        r#"{{"version":"2.0.0","max_concurrent_loops":4,"updated_at":"2026-02-02T21:00:00Z","active_loops":[{theirs}],"total_active":1,"total_completed":7,"total_aborted":2,"note":{{"b":1,"a":2}}}}"#
    );
    put(root.path(), REGISTRY, text);
    run("a").publish(root.path());
    ended("b", Status::Completed).publish(root.path());
    let text = std::fs::read_to_string(root.path().join(REGISTRY)).unwrap();
    assert!(text.contains(theirs), "{text}");
    assert!(text.contains(r#""note": {"b":1,"a":2}"#), "{text}");
    let now = read(root.path());
    assert_eq!(
        (&now["total_active"], &now["total_completed"], &now["total_aborted"]),
        (&json!(2), &json!(8), &json!(2))
    );
    remove(root.path(), &"a".parse().unwrap()).unwrap();
    assert_eq!(read(root.path())["active_loops"].as_array().unwrap().len(), 1);
}

#[test]
fn a_fifth_loop_is_not_listed_until_one_of_the_four_ends() {
    let root = tempfile::tempdir().unwrap();
    let mut loops: Vec<_> = (0..LOOPS_MAX).map(|number| run(&format!("loop-{number}"))).collect();
    for loop_ in &mut loops {
        assert_eq!(loop_.publish(root.path()).registered, Some(Registered::Listed));
    }
    let mut fifth = run("fifth");
    assert_eq!(fifth.publish(root.path()).registered, Some(Registered::Full { active: 4 }));
    assert_eq!(read(root.path())["total_active"], 4);
    loops[2].set(Status::Completed);
    loops[2].publish(root.path());
    assert_eq!(fifth.publish(root.path()).registered, Some(Registered::Listed));
    assert_eq!(read(root.path())["total_active"], 4);
}

#[test]
fn a_registry_that_does_not_parse_or_is_newer_is_left_alone() {
    for foreign in ["", "{", "[]", r#"{"version":"3.0.0","active_loops":[]}"#] {
        let root = tempfile::tempdir().unwrap();
        put(root.path(), REGISTRY, foreign);
        assert_eq!(run("a").publish(root.path()).registered, Some(Registered::Unreadable));
        assert_eq!(std::fs::read_to_string(root.path().join(REGISTRY)).unwrap(), foreign);
        assert!(!root.path().join(LOCK).exists());
    }
}

#[test]
fn a_held_lock_is_respected_and_a_stale_one_is_not() {
    let far = 4_102_444_800_000_i64;
    let lock =
        |pid: u32, expiry: i64| json!({ "pid": pid, "timestamp": 1, "leaseExpiry": expiry }).to_string();
    let me = std::process::id();
    for (content, expected) in [
        (lock(me, far), Registered::Busy),
        ("half a lo".to_owned(), Registered::Busy),
        (lock(me, 1), Registered::Listed),
        (lock(u32::MAX, far), Registered::Listed),
    ] {
        let root = tempfile::tempdir().unwrap();
        put(root.path(), LOCK, &content);
        let mut loop_ = run("a");
        assert_eq!(loop_.publish(root.path()).registered, Some(expected), "{content}");
        assert_eq!(root.path().join(LOCK).exists(), expected == Registered::Busy, "{content}");
        if expected == Registered::Busy {
            std::fs::remove_file(root.path().join(LOCK)).unwrap();
            assert_eq!(loop_.publish(root.path()).registered, Some(Registered::Listed), "the next time");
        }
    }
}

#[test]
fn loops_that_publish_at_the_same_time_are_all_counted() {
    let root = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let root = root.path();
            scope.spawn(move || {
                let mut loop_ = run(&format!("loop-{number}"));
                loop_.publish(root);
                loop_.set(Status::Completed);
                loop_.publish(root);
            });
        }
    });
    let now = read(root.path());
    assert_eq!((&now["total_completed"], &now["total_active"]), (&json!(8), &json!(0)));
}
