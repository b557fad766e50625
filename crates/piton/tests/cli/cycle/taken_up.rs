//! Cycles that are taken up from their files: what the files say counts, and what they do not say is said.

use serde_json::{Value, json};

use super::{count, document, start, state, touched, world};
use crate::common::{Ran, World, eventually};

const MORE: [&str; 4] = ["--exec", "sh agent.sh", "--check", "test=true"];

/// Journal and state are lost.
fn lose(world: &World) {
    std::fs::remove_dir_all(world.path(".piton")).unwrap();
    std::fs::remove_file(world.path(".workflow/.cycle/c1.json")).unwrap();
}

fn rebuild(world: &World, more: &[&str]) -> Ran {
    world.piton(&[&["cycle", "rebuild", "c1"][..], &MORE, more].concat()).exits(0)
}

fn remove(world: &World, name: &str) {
    std::fs::remove_file(world.path(&format!(".workflow/.cycle/c1.progress/{name}"))).unwrap();
}

fn statuses(found: &Value) -> [Value; 4] {
    ["ra", "ep", "cd", "vas"].map(|role| found["agents"][role]["status"].clone())
}

#[test]
fn lines_that_were_cut_off_are_said_and_swallow_none_that_follow() {
    let world = world();
    world.write(
        "do.cd",
        "for n in 1 2; do echo \"{\\\"issue_id\\\":\\\"BUG-$PITON_ITERATION$n\\\"}\" >> $PITON_ROLE_DIR/debug-log.ndjson; done\n",
    );
    start(&world, 1, &[]).exits(0);
    world
        .piton(&["cycle", "decide", "c1", "--propose", "Which?", "--between", "a", "--between", "b"])
        .exits(0);
    world.piton(&["cycle", "decide", "c1", "DEC-001", "a"]).exits(0);
    lose(&world);
    let below = ".workflow/.cycle/c1.progress";
    world.shell(&format!("truncate -s -9 {below}/cd/debug-log.ndjson {below}/coordination/decisions.log {below}/coordination/timeline.md")).exits(0);
    let ran = rebuild(&world, &[]);
    for name in ["cd/debug-log.ndjson", "coordination/decisions.log", "coordination/timeline.md"] {
        assert!(
            ran.err.contains(&format!("not known: {name}: its last line is cut off")),
            "{name}: {}",
            ran.err
        );
    }
    let decisions = world.piton(&["cycle", "decide", "c1"]).exits(0).out;
    assert!(decisions.contains("DEC-001  made"), "{decisions}");
    assert_eq!(state(&world)["coordination"]["pending_decisions"][0]["chosen_option"], "a");
    world.piton(&["cycle", "extend", "c1", "More"]).exits(0);
    let log = world.read(&format!("{below}/cd/debug-log.ndjson"));
    let bugs: Vec<Value> =
        log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["issue_id"].take()).collect();
    assert_eq!(bugs, ["BUG-11", "BUG-21", "BUG-22"], "{log}");
    let decided = world.read(&format!("{below}/coordination/decisions.log"));
    assert!(decided.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{decided}");
}

/// A cycle of one iteration that was stopped while its developer worked, and then lost.
fn stopped_in_development() -> World {
    let world = world();
    world.write("hold.cd", "");
    start(&world, 1, &["--max-iterations", "1", "--detach"]).exits(0);
    eventually("the developer works", || world.path("held.cd").exists());
    world.piton(&["stop", "c1", "--now"]).exits(0);
    world.piton(&["wait", "c1"]);
    std::fs::remove_file(world.path("hold.cd")).unwrap();
    lose(&world);
    world
}

#[test]
fn an_iteration_that_was_under_way_goes_on_with_those_who_have_not_ended() {
    let world = stopped_in_development();
    rebuild(&world, &[]);
    let found = state(&world);
    assert_eq!(statuses(&found), ["completed", "completed", "idle", "idle"]);
    assert_eq!((&found["current_phase"], &found["completed_phases"]), (&json!("cd"), &json!(["ra", "ep"])));
    assert_eq!(found["max_iterations"], 1);
    assert_eq!(found["agents"]["vas"]["iterations_completed"], 0);
    assert!(found["agents"]["ra"]["completed_at"].is_string());
    world.piton(&["resume", "c1"]).exits(0);
    let found = state(&world);
    assert_eq!(
        (&found["status"], &found["current_iteration"]),
        (&json!("completed"), &json!(1)),
        "{found:#}"
    );
    assert_eq!((count(&world, "ra"), count(&world, "cd"), count(&world, "vas")), (1, 2, 1));
    assert_eq!(found["iterations"][0]["resolved"], true);
    assert!(found["changes"]["iteration_markers"]["1"].is_string(), "{found:#}");
}

#[test]
fn how_many_iterations_there_may_be_is_said_where_no_file_says_it() {
    let world = stopped_in_development();
    remove(&world, "coordination/feedback.md");
    let ran = rebuild(&world, &[]);
    assert!(ran.err.contains("not known: how many iterations it may have"), "{}", ran.err);
    lose(&world);
    rebuild(&world, &["--max-iterations", "2"]);
    assert_eq!(state(&world)["max_iterations"], 2);
}

#[test]
fn an_imported_cycle_is_where_its_file_says() {
    let world = world();
    let mut left = document::block("initial");
    let shown = document::block("first_iteration");
    for (field, value) in shown.as_object().unwrap() {
        if field != "agents" {
            left[field] = value.clone();
        }
    }
    for (role, agent) in shown["agents"].as_object().unwrap() {
        for (field, value) in agent.as_object().unwrap() {
            left["agents"][role][field] = value.clone();
        }
    }
    left["cycle_id"] = json!("c1");
    world.shell("mkdir -p .workflow/.cycle").exits(0);
    world.write(".workflow/.cycle/c1.json", &left.to_string());
    let ran = world.piton(&[&["import", ".workflow/.cycle/c1.json"][..], &MORE].concat()).exits(0);
    assert!(ran.err.contains("ra did when the file was written: it begins anew"), "{}", ran.err);
    let found = state(&world);
    assert_eq!(statuses(&found), ["idle", "idle", "idle", "idle"]);
    assert_eq!((&found["current_phase"], &found["completed_phases"]), (&json!("ra"), &json!([])));
    assert_eq!(found["agents"]["ra"]["started_at"], "2026-01-22T10:05:00+08:00");
    world.piton(&["resume", "c1"]).exits(0);
    let found = state(&world);
    assert_eq!((&found["status"], &found["current_iteration"]), (&json!("completed"), &json!(1)));
    let iterations = found["iterations"].as_array().unwrap();
    assert_eq!(iterations.len(), 1);
    assert!(iterations[0]["completed_at"].as_str().is_some_and(|at| !at.is_empty()), "{found:#}");
    assert_eq!(count(&world, "ra"), 1);
}

#[test]
fn a_cycle_whose_timeline_is_gone_is_what_its_summary_says() {
    let world = world();
    let check = touched(2);
    let words =
        ["cycle", "start", "Implement\nOAuth", "--id", "c1", "--exec", "sh agent.sh", "--check", &check];
    world.piton(&words).exits(0);
    world.piton(&["cycle", "extend", "c1", "Also\nMFA"]).exits(0);
    world
        .piton(&["cycle", "decide", "c1", "--propose", "Which?", "--between", "a", "--between", "b"])
        .exits(0);
    world.piton(&["cycle", "decide", "c1", "DEC-001", "b"]).exits(0);
    let before = state(&world);
    let completed = |found: &Value| {
        ["ra", "ep", "cd", "vas"].map(|role| found["agents"][role]["iterations_completed"].clone())
    };
    lose(&world);
    rebuild(&world, &[]);
    let after = state(&world);
    for field in ["title", "task_history", "iterations", "completed_at", "status"] {
        assert_eq!(before[field], after[field], "{field}");
    }
    let ended =
        |found: &Value| ["ra", "ep", "cd", "vas"].map(|role| found["agents"][role]["completed_at"].clone());
    assert_eq!((completed(&before), ended(&before)), (completed(&after), ended(&after)));
    lose(&world);
    remove(&world, "coordination/timeline.md");
    remove(&world, "coordination/decisions.log");
    let ran = rebuild(&world, &[]);
    assert!(ran.err.contains("coordination/timeline.md is not there"), "{}", ran.err);
    assert!(!ran.err.contains("the task"), "{}", ran.err);
    let after = state(&world);
    for field in ["title", "task_history", "completed_at", "status"] {
        assert_eq!(before[field], after[field], "{field}");
    }
    let judged = |found: &Value| {
        let all = found["iterations"].as_array().unwrap().clone();
        all.into_iter().map(|one| (one["issues_found"].clone(), one["resolved"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(judged(&before), judged(&after));
    let iterations = after["iterations"].as_array().unwrap();
    assert!(iterations.iter().all(|one| one["completed_at"] != ""), "{after:#}");
    assert_eq!(completed(&before), completed(&after));
    assert_eq!(before["coordination"]["pending_decisions"], after["coordination"]["pending_decisions"]);
}

#[test]
fn what_is_said_of_a_cycle_that_was_taken_up_works_as_it_stands() {
    let world = world();
    start(&world, 1, &[]).exits(0);
    lose(&world);
    let ran = rebuild(&world, &[]);
    let error = state(&world)["phase_errors"][0]["error"].to_string();
    for said in [&format!("{}{}", ran.out, ran.err), &error] {
        assert!(said.contains("`piton cycle extend c1 TEXT`") && !said.contains("piton resume"), "{said}");
    }
    world.piton(&["cycle", "extend", "c1", "TEXT"]).exits(0);
    assert_eq!(state(&world)["status"], "completed");
}

#[test]
fn what_is_on_the_board_is_known_once_it_is_rebuilt() {
    let world = world();
    let line = r#"{"type":"utility","data":{"name":"n","file":"f","usage":"u"}}"#;
    world.write("do.cd", &format!("echo '{line}' >> $PITON_ROLE_DIR/discoveries.ndjson\n"));
    start(&world, 1, &[]).exits(0);
    lose(&world);
    rebuild(&world, &[]);
    world.piton(&["cycle", "extend", "c1", "More"]).exits(0);
    let board = world.read(".workflow/.cycle/c1.progress/coordination/discoveries.ndjson");
    assert_eq!(board.lines().count(), 1, "{board}");
}
