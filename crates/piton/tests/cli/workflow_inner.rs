//! Workflows within workflows that ask people, and where the work of a workflow lies.

use serde_json::Value;

use super::common::{World, eventually};
use super::workflow::world;

const OUTER: &str =
    "name: outer\nsteps: [{id: o1, workflow: in.yaml}, {id: o2, run: 'touch after', needs: [o1]}]\n";
const INNER: &str = "name: inner\nsteps: [{id: draft, run: 'true', human_in_the_loop: true}]\n";

/// A run `r1` whose step is a run that asks; the name of that.
fn asking() -> (World, String) {
    let world = world(OUTER);
    world.write("in.yaml", INNER);
    let ran = world.piton(&["run", "w.yaml", "--run-id", "r1", "--pause-for-human-input"]).exits(4);
    assert!(ran.out.contains("Step `draft` is done. Does it count?"), "{}", ran.out);
    let state = view(&world);
    let file = state["steps"]["o1"]["manual_input_path"].as_str().unwrap();
    let inner = file.rsplit('/').next().unwrap().split("__").next().unwrap().to_owned();
    assert_eq!(state["steps"]["o1"]["status"], "WAITING_ON_HUMAN");
    assert!(ran.out.contains(&format!("next    piton answer {inner}")), "{}", ran.out);
    (world, inner)
}

fn view(world: &World) -> Value {
    serde_json::from_str(&world.read(".agents/runs/r1/run_state.json")).unwrap()
}

fn completes(world: &World) {
    eventually("the outer run goes on by itself", || world.json(&["status", "r1"])["status"] == "completed");
    assert!(world.path("after").exists());
}

#[test]
fn a_nested_workflow_that_asks_a_person_lets_its_parent_say_so() {
    let (world, inner) = asking();
    let screen = world.piton(&["status", "r1"]).exits(0).out;
    assert!(screen.contains(&format!("waits for an answer to question 1 of run {inner}")), "{screen}");
    world.piton(&["answer", &inner, "--approve"]).exits(0);
    completes(&world);
}

#[test]
fn the_file_of_a_person_for_a_nested_workflow_is_heard() {
    let (world, inner) = asking();
    let file = format!(".agents/runs/{inner}/manual_inputs/{inner}__draft.json");
    world.write(&file, r#"{"approved": true}"#);
    assert_eq!(world.json(&["status", "r1"])["manual_input"], file);
    world.piton(&["resume", "r1"]).exits(0);
    completes(&world);
}

#[test]
fn whoever_waits_for_a_person_in_the_foreground_looks_into_nested_runs_too() {
    let world = world(OUTER);
    world.write("in.yaml", INNER);
    let words = ["run", "w.yaml", "--run-id", "r1", "--pause-for-human-input", "--poll-interval", "0.1"];
    let viewer = world.start(&words);
    viewer.prints("Step `draft` is done. Does it count?");
    let file = view(&world)["steps"]["o1"]["manual_input_path"].as_str().unwrap().to_owned();
    std::fs::write(file, r#"{"approved": true}"#).unwrap();
    viewer.ends().exits(0);
    completes(&world);
}

#[test]
fn a_rejected_nested_workflow_fails_its_step() {
    let (world, inner) = asking();
    world.piton(&["answer", &inner, "--reject", "--comment", "no"]).exits(0);
    eventually("its try is over", || world.count("r1", "step_finished") == 1);
    let status = world.json(&["status", "r1"]);
    assert!(
        status["steps"][0]["last_error"].as_str().unwrap().contains("Rejected by a person: no"),
        "{status:#}"
    );
}

/// A step that makes a file and reports it.
const MAKES: &str = r#"echo made > made.txt; printf '{"schema":"run_report@v0","run_id":"%s","step_id":"%s","agent":"","status":"COMPLETED","started_at":"2026-01-01T00:00:00Z","ended_at":"2026-01-01T00:00:01Z","artifacts":["%smade.txt"]}' "$RUN_ID" "$STEP_ID" "$PREFIX" > "$REPORT_PATH"; echo "$REPO_DIR" > "$BESIDE/repo"; pwd > "$BESIDE/cwd"
"#;

#[test]
fn what_a_work_tree_holds_is_named_by_the_file_of_its_run() {
    let world =
        world("name: w\nsteps: [{id: a, run: 'sh makes.sh'}, {id: n, workflow: in.yaml, needs: [a]}]\n");
    world.write("makes.sh", MAKES);
    world.write(
        "in.yaml",
        "name: in\nsteps: [{id: i, run: 'echo $REPO_DIR > $BESIDE/inner; test -e made.txt'}]\n",
    );
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "all"]);
    let ran = world.piton(&["run", "w.yaml", "--run-id", "r1", "--worktree"]).exits(0);
    for words in ["branch piton/r1", "result  worktree ../"] {
        assert!(ran.out.contains(words), "{words}: {}", ran.out);
    }
    let state = view(&world);
    let (repo, made) =
        (state["repo_dir"].as_str().unwrap(), state["steps"]["a"]["artifacts"][0].as_str().unwrap());
    assert_eq!(std::fs::read_to_string(format!("{repo}/{made}")).unwrap(), "made\n");
    assert!(!world.path("made.txt").exists());
    let said = |name: &str| std::fs::read_to_string(world.beside(name)).unwrap().trim().to_owned();
    assert_eq!(
        (said("repo").as_str(), said("inner").as_str()),
        (repo, repo),
        "to its steps it is the repository"
    );
    let status = world.json(&["status", "r1"]);
    assert_eq!((status["works_in"].as_str(), status["branch"].as_str()), (Some(repo), Some("piton/r1")));
    for command in ["status", "report"] {
        let text = world.piton(&[command, "r1"]).exits(0).out;
        assert!(text.contains("branch piton/r1"), "{command}: {text}");
    }
}

#[test]
fn another_directory_is_only_where_steps_begin() {
    let world = world("name: w\nsteps: [{id: a, run: 'sh ../makes.sh'}]\n");
    world.write("makes.sh", MAKES);
    world.shell("mkdir part").exits(0);
    let words = ["run", "w.yaml", "--run-id", "r1", "--workdir", "part", "--env", "PREFIX=part/"];
    world.piton(&words).exits(0);
    let state = view(&world);
    let (repo, made) =
        (state["repo_dir"].as_str().unwrap(), state["steps"]["a"]["artifacts"][0].as_str().unwrap());
    assert_eq!(std::fs::read_to_string(format!("{repo}/{made}")).unwrap(), "made\n");
    let said = |name: &str| std::fs::read_to_string(world.beside(name)).unwrap().trim().to_owned();
    assert_eq!((said("repo").as_str(), said("cwd")), (repo, format!("{repo}/part")));
}
