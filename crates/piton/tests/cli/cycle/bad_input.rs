//! What roles hand in that cannot be worked with: each a phase error with a next step, and nothing is lost.

use super::{count, start, state, world};

fn errors(world: &crate::common::World) -> String {
    state(world)["phase_errors"].to_string()
}

#[test]
fn no_result_and_one_of_another_role_are_phase_errors_and_the_cycle_goes_on() {
    let world = world();
    world.write("do.ra", "exec > /dev/null\n");
    world.write("do.ep", "printf 'PHASE_RESULT:\\n- phase: vas\\n- status: failed\\n\\n'; PITON_ROLE_OLD=ep; exec > /dev/null\n");
    start(&world, 1, &[]).exits(0);
    let errors = errors(&world);
    assert!(errors.contains("there is no block `PHASE_RESULT:`"), "{errors}");
    assert!(errors.contains("is of `vas`, not of ep"), "{errors}");
    assert_eq!(state(&world)["iterations"][0]["agent_results"]["ra"]["status"], "unknown");
}

#[test]
fn a_plan_that_waits_for_itself_is_handed_back_with_what_is_wrong() {
    let world = world();
    let plan = r#"{"tasks":[{"id":"TASK-001","description":"a","effort":"small","depends_on":["TASK-002"],"files":[]},{"id":"TASK-002","description":"b","effort":"small","depends_on":["TASK-001"],"files":[]}]}"#;
    world.write("plan.bad", plan);
    world.write(".gitignore", &format!("{}plan.bad\n", super::IGNORED));
    world.write(
        "do.ep",
        "if test $(wc -l < count.ep) -eq 1; then cp plan.bad $PITON_ROLE_DIR/plan.json; echo 'PHASE_RESULT:'; echo '- status: completed'; echo; exit 0; fi\n",
    );
    start(&world, 1, &[]).exits(0);
    assert_eq!(count(&world, "ep"), 2);
    assert!(errors(&world).contains("plan.json: "), "{}", errors(&world));
    assert!(world.read("prompt.ep").contains("did not count"), "the second try was told");
    assert_eq!(state(&world)["plan"]["tasks"].as_array().unwrap().len(), 1);
}

#[test]
fn a_plan_that_waits_for_what_is_not_there_is_handed_back() {
    let world = world();
    world.write("plan.bad", r#"{"tasks":[{"id":"TASK-001","description":"a","depends_on":["TASK-009"]}]}"#);
    world.write(".gitignore", &format!("{}plan.bad\n", super::IGNORED));
    world.write(
        "do.ep",
        "cp plan.bad $PITON_ROLE_DIR/plan.json; echo 'PHASE_RESULT:'; echo '- status: completed'; echo; exit 0\n",
    );
    let ran = start(&world, 1, &[]).exits(1);
    assert!(ran.out.contains("next    piton resume c1"), "{}", ran.out);
    assert_eq!(count(&world, "ep"), 3, "it is tried three times");
    assert!(errors(&world).contains("TASK-009"), "{}", errors(&world));
    assert!(state(&world)["plan"].is_null(), "it does not count");
}

#[test]
fn a_result_that_nobody_can_read_to_its_end_is_a_phase_error_with_what_to_do() {
    let world = world();
    world.write(
        "do.ra",
        "echo PHASE_RESULT:; for n in $(seq 1 6000); do echo \"- key$n: value\"; done; exec > /dev/null\n",
    );
    start(&world, 1, &[]).exits(0);
    let errors = errors(&world);
    assert!(errors.contains("65536 is the most; put details into documents"), "{errors}");
    assert_eq!(state(&world)["iterations"][0]["agent_results"]["ra"]["status"], "unknown");
}

#[test]
fn two_roles_that_keep_asking_each_other_are_bounded_and_that_is_said() {
    let world = world();
    world.write("do.vas", "RESULT=\"completed\n- blockers: [is point $(wc -l < count.vas) right]\"\n");
    start(&world, 1, &["--max-iterations", "1"]).exits(3);
    assert_eq!([count(&world, "cd"), count(&world, "vas")], [3, 3]);
    let errors = errors(&world);
    assert!(errors.contains("it asks cd still, after 2 times in this iteration"), "{errors}");
    assert!(errors.contains("`piton cycle blocker c1` lists it"), "{errors}");
    assert_eq!(state(&world)["agents"]["cd"]["iterations_completed"], 1, "of one iteration");
}

#[test]
fn more_feedback_than_a_prompt_holds_is_said_once() {
    let world = world();
    world.write("hold.ra", "");
    start(&world, 1, &["--detach"]).exits(0);
    crate::common::eventually("the analyst works", || world.path("held.ra").exists());
    for number in 1..=18 {
        world.piton(&["cycle", "feedback", "c1", &format!("point {number}."), "--to", "cd"]).exits(0);
    }
    std::fs::remove_file(world.path("hold.ra")).unwrap();
    world.piton(&["wait", "c1"]).exits(0);
    let told = world.read("prompt.cd");
    assert!(!told.contains("point 2.") && told.contains("point 3.") && told.contains("point 18."), "{told}");
    let all = errors(&world);
    let said = "more than 16 entries of feedback wait for cd; its prompt has the newest";
    assert_eq!(all.matches(said).count(), 1, "{all}");
    assert!(world.read(".workflow/.cycle/c1.progress/coordination/feedback.md").contains("point 1."));
}

#[test]
fn a_role_that_does_not_develop_and_changes_the_tree_is_found_out() {
    let world = world();
    world.write("do.ra", "echo sneaky > sneaky.txt\n");
    start(&world, 1, &[]).exits(0);
    assert!(errors(&world).contains("it changed the work tree (sneaky.txt)"), "{}", errors(&world));
}

#[test]
fn what_a_role_writes_into_anothers_directory_does_not_count() {
    let world = world();
    world.write("do.cd", "echo forged > $PITON_ROLE_DIR/../ra/requirements.md\n");
    start(&world, 1, &[]).exits(0);
    let requirements = world.read(".workflow/.cycle/c1.progress/ra/requirements.md");
    assert!(requirements.contains("Iteration 1") && !requirements.contains("forged"), "{requirements}");
    assert!(!state(&world)["requirements"].to_string().contains("forged"));
    assert!(errors(&world).contains("ra/requirements.md"), "{}", errors(&world));
}

#[test]
fn a_role_that_keeps_failing_fails_the_cycle_with_its_reason() {
    let world = world();
    world.write("do.ra", "echo broken >&2; exit 7\n");
    start(&world, 1, &[]).exits(1);
    assert_eq!(count(&world, "ra"), 3);
    let found = state(&world);
    assert_eq!(found["status"], "failed");
    assert!(found["failure_reason"].as_str().unwrap().contains("broken"), "{found}");
    std::fs::remove_file(world.path("do.ra")).unwrap();
    world.piton(&["resume", "c1"]).exits(0);
}

#[test]
fn what_cannot_be_meant_is_a_usage_error() {
    let world = world();
    assert!(world.piton(&["cycle", "start", " ", "--exec", "true"]).exits(2).err.contains("says nothing"));
    world.piton(&["cycle", "start"]).exits(2);
    world.piton(&["cycle", "extend", "nope", "x"]).exits(2);
    assert!(world.piton(&["cycle", "start", "x"]).exits(2).err.contains("no agent"));
}

#[test]
fn a_report_says_what_a_block_would_say() {
    let world = world();
    world.write(
        "do.ra",
        "echo '{\"status\":\"done\",\"summary\":\"by report\"}' > $PITON_REPORT; exec > /dev/null\n",
    );
    start(&world, 1, &[]).exits(0);
    let found = state(&world);
    assert_eq!(found["iterations"][0]["agent_results"]["ra"]["status"], "completed", "{found}");
    assert_eq!(found["agents"]["ra"]["last_message"], "by report");
    assert!(!errors(&world).contains("PHASE_RESULT"), "{}", errors(&world));
}

#[cfg(target_os = "linux")]
#[test]
fn between_walls_a_role_writes_into_its_own_directory_and_no_others() {
    let world = world();
    let script = "(echo x > $PITON_ROLE_DIR/../ra/requirements.md) 2>/dev/null && touch count.others\n\
                  (echo x > $PITON_CYCLE_STATE) 2>/dev/null && touch count.state\n";
    world.write("do.cd", script);
    start(&world, 1, &["--confine"]).exits(0);
    assert!(!world.path("count.others").exists() && !world.path("count.state").exists());
    assert!(world.path(".workflow/.cycle/c1.progress/cd/implementation.md").exists());
}
