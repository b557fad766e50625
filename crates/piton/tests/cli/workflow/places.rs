//! Where the work of a workflow lies, and who waits for whom in workflows within workflows.

use serde_json::Value;

use super::world;
use crate::common::{World, eventually};

const REPORTS: &str = r#"report() { printf '{"schema":"run_report@v0","run_id":"%s","step_id":"%s","agent":"","status":"%s","started_at":"2026-01-01T00:00:00Z","ended_at":"2026-01-01T00:00:01Z",%s}' "$RUN_ID" "$STEP_ID" "$1" "$2" > "$REPORT_PATH"; }
"#;

fn view(world: &World, run: &str) -> Value {
    serde_json::from_str(&world.read(&format!(".agents/runs/{run}/run_state.json"))).unwrap()
}

#[test]
fn what_a_step_made_in_a_work_tree_is_found_and_remembered_there() {
    let world = world(
        "name: w\nsteps: [{id: a, run: 'sh a.sh'}, {id: b, run: 'cat $DEP_A_ARTIFACT_0 > $BESIDE/read; echo $DEP_A_ARTIFACTS > $BESIDE/named', needs: [a]}]\n",
    );
    // One by its place in the tree, one absolute; the note is for whoever works in that tree next.
    let says = r#"report COMPLETED "\"artifacts\":[\"made.txt\",\"$PWD/deep/too.txt\"],\"logs\":[\"did it\"],\"memory_updates\":[{\"section\":\"Gotchas\",\"entry\":\"mind the work tree of this run\"}]""#;
    world.write(
        "a.sh",
        &format!("{REPORTS}mkdir deep; echo made > made.txt; echo too > deep/too.txt; {says}\n"),
    );
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "all"]);
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--worktree"]).exits(0);
    let state = view(&world, "r1");
    assert_eq!(state["steps"]["a"]["artifacts"], serde_json::json!(["made.txt", "deep/too.txt"]));
    let tree = state["repo_dir"].as_str().unwrap();
    let beside = |name: &str| std::fs::read_to_string(world.beside(name)).unwrap();
    assert_eq!(beside("read"), "made\n");
    assert_eq!(beside("named"), format!("{tree}/made.txt,{tree}/deep/too.txt\n"));
    assert!(
        std::fs::read_to_string(format!("{tree}/AGENTS.md"))
            .unwrap()
            .contains("mind the work tree of this run")
    );
    assert!(!world.path("AGENTS.md").exists(), "the checkout is left alone");
}

#[test]
fn a_report_of_failure_needs_few_words_and_one_of_success_some() {
    let world = world("name: w\nsteps: [{id: a, run: 'sh a.sh', max_attempts: 1}]\n");
    world.write("a.sh", &format!("{REPORTS}report FAILED '\"logs\":[\"...\"]'\n"));
    let ran = world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(1);
    assert!(!ran.out.contains("placeholder") && ran.out.contains("step `a`: ..."), "{}", ran.out);
    assert_eq!(view(&world, "r1")["steps"]["a"]["logs"], serde_json::json!(["..."]));
}

#[test]
fn a_question_far_below_is_asked_by_every_run_above_it() {
    let world =
        world("name: top\nsteps: [{id: t, workflow: mid.yaml}, {id: end, run: 'touch end', needs: [t]}]\n");
    world.write("mid.yaml", "name: mid\nsteps: [{id: m, workflow: low.yaml}]\n");
    world.write("low.yaml", "name: low\nsteps: [{id: draft, run: 'true', human_in_the_loop: true}]\n");
    let ran = world.piton(&["run", "w.yaml", "--run-id", "r1", "--pause-for-human-input"]).exits(4);
    assert!(ran.out.contains("Step `draft` is done. Does it count?"), "{}", ran.out);
    let next = world.json(&["status", "r1"])["next"].as_str().unwrap().to_owned();
    let lowest = next.strip_prefix("piton answer ").unwrap_or_else(|| panic!("{next}"));
    let file = view(&world, "r1")["steps"]["t"]["manual_input_path"].as_str().unwrap().to_owned();
    assert!(file.ends_with(&format!("{lowest}/manual_inputs/{lowest}__draft.json")), "{file}");
    let runs = world.json(&["ls", "--all"]);
    let statuses: Vec<_> = runs.as_array().unwrap().iter().map(|run| run["status"].clone()).collect();
    assert_eq!(statuses, ["waiting", "waiting", "waiting"]);
    world.piton(&["answer", lowest, "--approve"]).exits(0);
    eventually("all of them go on", || world.json(&["status", "r1"])["status"] == "completed");
    assert!(world.path("end").exists());
}

#[test]
fn a_step_beside_one_that_waits_for_a_person_far_below_goes_on() {
    let world = world(
        "name: top\nsteps: [{id: t, workflow: low.yaml}, {id: slow, run: 'until test -e \"$GATE\"; do sleep 0.02; done; touch slow'}]\n",
    );
    world.write("low.yaml", "name: low\nsteps: [{id: draft, run: 'true', human_in_the_loop: true}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--pause-for-human-input", "--detach"]).exits(0);
    eventually("the step waits", || view(&world, "r1")["steps"]["t"]["status"] == "WAITING_ON_HUMAN");
    let status = world.json(&["status", "r1"]);
    assert_eq!(status["status"], "running", "there is work beside it");
    assert!(
        status["steps"][0]["held_by"].as_str().unwrap().contains("an answer to question 1 of run"),
        "{status:#}"
    );
    world.open_gate();
    world.piton(&["wait", "r1"]).exits(4);
    assert!(world.path("slow").exists());
}
