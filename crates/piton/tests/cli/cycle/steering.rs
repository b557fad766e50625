//! What people do to a cycle: extend, pause, decide, resolve, edit.

use serde_json::json;

use super::{count, start, state, status, world};
use crate::common::eventually;

#[test]
fn an_extension_is_an_iteration_of_its_own_with_everybody() {
    let world = world();
    start(&world, 1, &["--description", "Login"]).exits(0);
    let ran = world.piton(&["cycle", "extend", "c1", "Also add multi-factor authentication"]).exits(0);
    assert!(ran.out.contains("#2  v1.1.0  extension: Also add multi-factor authentication"), "{}", ran.out);
    let found = state(&world);
    assert_eq!(found["task_history"], json!(["Implement OAuth", "Also add multi-factor authentication"]));
    assert_eq!(found["description"], "Login\n\n--- ITERATION 2 ---\nAlso add multi-factor authentication");
    assert_eq!(found["requirements"]["version"], "1.1.0");
    assert_eq!(found["iterations"][1]["extension"], "Also add multi-factor authentication");
    let entry = &found["coordination"]["feedback_log"][0];
    assert_eq!(
        (&entry["source"], &entry["target"], &entry["type"]),
        (&json!("user"), &json!("ra"), &json!("requirement_update"))
    );
    assert_eq!(count(&world, "ra"), 2);
    let refused = world.piton(&["cycle", "extend", "c1", "More", "--max-iterations", "2"]).exits(3);
    assert!(refused.err.contains("piton cycle extend c1 TEXT --max-iterations"), "{}", refused.err);
}

#[test]
fn a_pause_lets_the_role_at_work_end() {
    let world = world();
    world.write("hold.ep", "");
    start(&world, 1, &["--detach"]).exits(0);
    eventually("the planner works", || world.path("held.ep").exists());
    world.piton(&["pause", "c1"]).exits(0);
    std::fs::remove_file(world.path("hold.ep")).unwrap();
    world.piton(&["wait", "c1"]).exits(4);
    assert_eq!(state(&world)["status"], "paused");
    assert_eq!([count(&world, "ep"), count(&world, "cd")], [1, 0]);
    world.piton(&["cycle", "resume", "c1"]).exits(0);
    assert_eq!(state(&world)["status"], "completed");
}

#[test]
fn the_status_in_the_state_file_is_a_signal_and_other_edits_are_kept_beside() {
    let world = world();
    world.write("hold.ra", "");
    start(&world, 1, &["--detach"]).exits(0);
    eventually("the analyst works", || world.path("held.ra").exists());
    let mut edited = state(&world);
    (edited["status"], edited["max_iterations"]) = (json!("paused"), json!(99));
    world.write(".workflow/.cycle/c1.json", &edited.to_string());
    eventually("it was seen", || world.count("c1", "state_edited") == 1);
    std::fs::remove_file(world.path("hold.ra")).unwrap();
    world.piton(&["wait", "c1"]).exits(4);
    let found = state(&world);
    assert_eq!((&found["status"], &found["max_iterations"]), (&json!("paused"), &json!(5)));
    assert!(found["phase_errors"][0]["error"].as_str().unwrap().contains("max_iterations"), "{found}");
    let kept = std::fs::read_dir(world.path(".workflow/.cycle")).unwrap();
    assert!(kept.flatten().any(|entry| entry.file_name().to_string_lossy().contains(".foreign-")));
    world.piton(&["resume", "c1"]).exits(0);
    assert_eq!(state(&world)["status"], "completed");
    assert_eq!(world.count("c1", "state_edited"), 1);
}

#[test]
fn a_decision_that_waits_holds_the_cycle_until_a_person_decides() {
    let world = world();
    world.write("do.ra", "if ! test -f count.asked; then touch count.asked; RESULT='completed\n- decision: Which provider? | Google | GitHub'; fi\n");
    start(&world, 1, &[]).exits(4);
    let waiting = status(&world);
    assert_eq!(waiting["waiting_for"], "decision DEC-001");
    assert_eq!(waiting["next"], "piton cycle decide c1 DEC-001 OPTION");
    assert!(
        world.piton(&["cycle", "decide", "c1", "DEC-001", "GitLab"]).exits(2).err.contains("Google, GitHub")
    );
    world.piton(&["cycle", "decide", "c1", "DEC-001", "GitHub"]).exits(0);
    world.piton(&["wait", "c1"]).exits(0);
    let decision = state(&world)["coordination"]["pending_decisions"][0].clone();
    assert_eq!(
        (&decision["chosen_option"], &decision["status"]),
        (&json!("GitHub"), &json!("made")),
        "{decision}"
    );
    world.piton(&["cycle", "decide", "c1", "DEC-001", "--implemented"]).exits(0);
    assert_eq!(state(&world)["coordination"]["pending_decisions"][0]["status"], "implemented");
}

#[test]
fn a_blocked_developer_asks_the_analyst_and_then_a_person() {
    let world = world();
    world.write("do.cd", "if ! test -f count.unblocked; then RESULT='blocked\n- blockers: [no key]'; fi\n");
    start(&world, 1, &[]).exits(4);
    assert_eq!([count(&world, "ra"), count(&world, "cd")], [3, 3]);
    assert_eq!(status(&world)["waiting_for"], "blocker BLK-001");
    let error = &state(&world)["phase_errors"][0];
    assert_eq!(error["phase"], "cd");
    assert!(
        error["error"].as_str().unwrap().contains("after asking ra 2 times; a person is needed"),
        "{error}"
    );
    assert!(world.read("prompt.ra").contains("no key"));
    world.write("count.unblocked", "");
    world.piton(&["cycle", "blocker", "c1", "BLK-001", "--resolve", "the key is in the vault"]).exits(0);
    world.piton(&["wait", "c1"]).exits(0);
    let blocker = state(&world)["coordination"]["blockers"][0].clone();
    assert_eq!((&blocker["status"], &blocker["reported_by"]), (&json!("resolved"), &json!("cd")));
}

#[test]
fn feedback_reaches_a_role_with_its_next_prompt() {
    let world = world();
    world.write("hold.ra", "");
    start(&world, 1, &["--detach"]).exits(0);
    eventually("the analyst works", || world.path("held.ra").exists());
    world.piton(&["cycle", "feedback", "c1", "Keep the old login page", "--to", "cd"]).exits(0);
    assert!(
        world.piton(&["cycle", "feedback", "c1", "x", "--to", "qa"]).exits(2).err.contains("no role `qa`")
    );
    std::fs::remove_file(world.path("hold.ra")).unwrap();
    world.piton(&["wait", "c1"]).exits(0);
    assert!(world.read("prompt.cd").contains("Keep the old login page"));
    assert!(!world.read("prompt.ep").contains("Keep the old login page"));
    assert!(world.piton(&["cycle", "feedback", "c1"]).exits(0).out.contains("user → cd"));
}

#[test]
fn stop_now_ends_the_role_at_work_and_a_resume_starts_it_again() {
    let world = world();
    world.write("hold.cd", "");
    start(&world, 1, &["--detach"]).exits(0);
    eventually("the developer works", || world.path("held.cd").exists());
    world.piton(&["stop", "c1", "--now"]).exits(0);
    world.piton(&["wait", "c1"]).exits(4);
    std::fs::remove_file(world.path("hold.cd")).unwrap();
    world.piton(&["resume", "c1"]).exits(0);
    assert_eq!(count(&world, "cd"), 2);
}

#[test]
fn show_says_where_everybody_is() {
    let world = world();
    start(&world, 1, &[]).exits(0);
    let out = world.piton(&["cycle", "show", "c1"]).exits(0).out;
    assert!(out.contains("ra ✓ → ep ✓ → cd ✓ → vas ✓"), "{out}");
    assert!(out.contains("v1.0.0"), "{out}");
}
