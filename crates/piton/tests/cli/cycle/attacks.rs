//! What goes wrong while a team works: each time nothing is lost, nothing counts twice, and the cycle can go on.

use serde_json::json;

use super::{count, start, state, world};
use crate::common::{World, eventually};

#[test]
fn a_question_that_was_answered_stands_in_nobodys_way() {
    let world = world();
    let asks =
        "printf 'PHASE_RESULT:\\n- phase: cd\\n- status: blocked\\n- blockers: [which port]\\n'; exit 0";
    world.write("do.cd", &format!("if ! test -f count.asked; then touch count.asked; {asks}; fi\n"));
    start(&world, 1, &[]).exits(0);
    let found = state(&world);
    assert_eq!(found["current_iteration"], 1, "{found:#}");
    assert_eq!(found["coordination"]["blockers"][0]["status"], "resolved", "{found:#}");
}

#[test]
fn a_plan_that_was_refused_is_refused_again_until_somebody_mends_it() {
    let world = world();
    let plan = r#"{"tasks": [{"id": "A", "depends_on": ["B"]}, {"id": "B", "depends_on": ["A"]}]}"#;
    let done = "printf 'PHASE_RESULT:\\n- phase: ep\\n- status: completed\\n'; exit 0";
    world.write(
        "do.ep",
        &format!(
            "echo '{plan}' > $PITON_ROLE_DIR/plan.json; echo x > $PITON_ROLE_DIR/exploration.md; {done}\n"
        ),
    );
    let ran = start(&world, 1, &[]).exits(1);
    assert!(ran.out.contains("wait for each other: A → B → A"), "{}", ran.out);
    assert_eq!((count(&world, "ep"), count(&world, "cd")), (3, 0), "{}", ran.out);
}

#[test]
fn what_a_lost_attempt_left_is_on_record_once_its_role_is_done() {
    let world = world();
    let keeper = r#"$(grep -o '"pid": *[0-9]*' "$PITON_ATTEMPT_DIR/keeper.json" | head -1 | tr -dc 0-9)"#;
    let lost = format!("if ! test -f count.lost; then touch count.lost; kill -9 {keeper}; sleep 5; fi");
    let done = "printf 'PHASE_RESULT:\\n- phase: cd\\n- status: completed\\n'; exit 0";
    world.write(
        "do.cd",
        &format!("echo 1 > code.txt; echo built > $PITON_ROLE_DIR/implementation.md; {lost}; {done}\n"),
    );
    start(&world, 1, &[]).exits(0);
    let found = state(&world);
    assert_eq!((count(&world, "cd"), world.count("c1", "role_lost")), (2, 1));
    assert_eq!(found["changes"]["total_files"], 1, "{found:#}");
    assert_eq!(world.read(".workflow/.cycle/c1.progress/cd/changes.log").matches("code.txt").count(), 1);
    let documents = found["agents"]["cd"]["output_files"].to_string();
    assert!(documents.contains("implementation.md"), "{documents}");
}

#[test]
fn an_extension_whose_command_was_killed_is_taken_up_by_a_resume() {
    let world = world();
    start(&world, 1, &[]).exits(0);
    let dies_at = |point: u32| {
        let at = point.to_string();
        let variables = [("PITON_ABORT_AT", at.as_str()), ("PITON_ABORT_IN", "extend")];
        assert_eq!(
            world.piton_with(&variables, &["cycle", "extend", "c1", "More"]).code,
            -1,
            "point {point}"
        );
        world.count("c1", "extension_requested") > 0
    };
    assert!((1..100).any(dies_at), "it is never on record");
    assert_eq!(world.json(&["status", "c1"])["next"], "piton resume c1");
    world.piton(&["wait", "c1"]).exits(7);
    world.piton(&["resume", "c1"]).exits(0);
    let found = state(&world);
    assert_eq!(found["task_history"], json!(["Implement OAuth", "More"]));
    assert_eq!((&found["status"], &found["current_iteration"]), (&json!("completed"), &json!(2)));
}

/// A cycle whose analyst works while somebody does something to the state file; then it may finish.
fn with_the_file_edited(line: &str) -> World {
    let world = world();
    world.write("hold.ra", "");
    start(&world, 1, &["--detach"]).exits(0);
    eventually("the analyst works", || world.path("held.ra").exists());
    world.shell(line).exits(0);
    eventually("the edit is on record", || world.count("c1", "state_edited") > 0);
    std::fs::remove_file(world.path("hold.ra")).unwrap();
    world.piton(&["wait", "c1"]).exits(0);
    world
}

#[test]
fn a_state_file_that_is_no_json_any_more_is_kept_beside_and_written_again() {
    let world = with_the_file_edited("echo garbage > .workflow/.cycle/c1.json");
    assert_eq!(state(&world)["status"], "completed");
    let kept = world.shell("cat .workflow/.cycle/c1.json.foreign-*").exits(0).out;
    assert_eq!(kept, "garbage\n");
}

#[test]
fn what_piton_keeps_beside_is_no_work_of_a_role() {
    let world = with_the_file_edited("sed -i 's/Implement/Forget/' .workflow/.cycle/c1.json");
    let found = state(&world);
    assert_eq!(found["title"], "Implement OAuth");
    let errors = found["phase_errors"].to_string();
    assert!(
        errors.contains("the state file was edited") && !errors.contains("changed the work tree"),
        "{errors}"
    );
    assert_eq!(found["changes"]["total_files"], 1, "{found:#}");
}
