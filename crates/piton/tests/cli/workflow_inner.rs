//! Workflows within workflows that ask people, and where the work of a workflow lies.

use serde_json::Value;

use super::common::{Ran, World, eventually};
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
    world.write(&file, r#"{"approved": true}"#);
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
    // A person's no is not asked for once more.
    eventually("the outer run fails, too", || world.json(&["status", "r1"])["status"] == "failed");
    assert_eq!(world.json(&["status", "r1"])["reason"], "human");
    assert_eq!(world.count("r1", "step_started"), 1);
}

/// A step that makes a file and reports it.
const MAKES: &str = r#"echo made > made.txt; printf '{"schema":"run_report@v0","run_id":"%s","step_id":"%s","agent":"","status":"COMPLETED","started_at":"2026-01-01T00:00:00Z","ended_at":"2026-01-01T00:00:01Z","artifacts":["%smade.txt"]}' "$RUN_ID" "$STEP_ID" "$PREFIX" > "$REPORT_PATH"; echo "$REPO_DIR" > "$BESIDE/repo_dir"; pwd > "$BESIDE/cwd"
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
        (said("repo_dir").as_str(), said("inner").as_str()),
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
    assert_eq!((said("repo_dir").as_str(), said("cwd")), (repo, format!("{repo}/part")));
}

/// Fails until it is mended.
const FAILS: &str = "echo x >> two; test -e mended";
/// Works until the gate is open.
const WORKS: &str = "echo x >> two; until test -e \"$GATE\"; do sleep 0.02; done";

/// A run whose step is a run: that does `one`, which counts, and then this.
fn in_two_steps(two: &str, more: &[&str]) -> (World, Ran) {
    let world = world(OUTER);
    world.write("in.yaml", &format!("name: inner\nsteps: [{{id: one, run: 'echo x >> one'}}, {{id: two, run: '{two}', needs: [one], max_attempts: 1}}]\n"));
    let ran = world.piton(&[&["run", "w.yaml", "--run-id", "r1", "--max-attempts", "1"], more].concat());
    (world, ran)
}

/// The run that is the step, once there is one.
fn inner(world: &World) -> String {
    let mut found = None;
    eventually("there is a nested run", || {
        let runs = world.json(&["ls", "--all"]);
        let names = runs.as_array().unwrap().iter().map(|run| run["run_id"].as_str().unwrap().to_owned());
        found = names.into_iter().find(|name| name != "r1");
        found.is_some()
    });
    found.unwrap()
}

fn is(world: &World, run: &str, status: &str) {
    eventually(&format!("{run} is {status}"), || world.json(&["status", run])["status"] == status);
}

/// What was done counts, and there is one nested run.
fn went_on(world: &World) {
    completes(world);
    assert_eq!(world.read("one"), "x\n", "what was done is not done again");
    assert_eq!(world.json(&["ls", "--all"]).as_array().unwrap().len(), 2, "it is the same run");
}

#[test]
fn a_nested_workflow_that_failed_goes_on_where_it_failed() {
    let (world, ran) = in_two_steps(FAILS, &[]);
    assert!(ran.exits(1).out.contains("step `two`"));
    world.write("mended", "");
    world.piton(&["resume", "r1"]).exits(0);
    went_on(&world);
    assert_eq!(world.read("two"), "x\nx\n");
}

#[test]
fn a_nested_workflow_that_was_stopped_with_its_parent_goes_on_with_it() {
    let (world, _) = in_two_steps(WORKS, &["--detach"]);
    let inner = inner(&world);
    eventually("its second step works", || world.path("two").exists());
    world.piton(&["stop", "r1", "--now"]).exits(0);
    is(&world, "r1", "stopped");
    is(&world, &inner, "stopped");
    world.open_gate();
    world.piton(&["resume", "r1"]).exits(0);
    went_on(&world);
}

#[test]
fn whoever_stops_or_pauses_a_nested_workflow_lets_its_parent_wait_for_them() {
    for (command, word, by_itself) in [
        ("pause", "paused", true),
        ("pause", "paused", false),
        ("stop", "stopped", true),
        ("stop", "stopped", false),
    ] {
        let world = world(OUTER);
        let waits = "echo x >> one; until test -e \"$GATE\"; do sleep 0.02; done";
        world.write(
            "in.yaml",
            &format!(
                "name: inner\nsteps: [{{id: one, run: '{waits}'}}, {{id: two, run: 'true', needs: [one]}}]\n"
            ),
        );
        world.piton(&["run", "w.yaml", "--run-id", "r1", "--detach"]).exits(0);
        let inner = inner(&world);
        eventually("its first step works", || world.path("one").exists());
        world.piton(&[command, &inner]).exits(0);
        world.open_gate();
        is(&world, &inner, word);
        is(&world, "r1", "waiting");
        world.piton(&["wait", "r1"]).exits(4);
        let screen = world.piton(&["status", "r1"]).exits(0).out;
        for said in [
            format!("waits for run {inner} to be resumed"),
            format!("Run {inner} is {word}"),
            format!("next    piton resume {inner}"),
        ] {
            assert!(screen.contains(&said), "{said}: {screen}");
        }
        assert_eq!(view(&world)["steps"]["o1"]["status"], "WAITING_ON_HUMAN");
        world.piton(&["resume", if by_itself { &inner } else { "r1" }]).exits(0);
        went_on(&world);
    }
}

#[test]
fn a_nested_workflow_that_is_mended_goes_on_as_it_is_now_and_costs_what_it_costs_once() {
    let (world, ran) = in_two_steps(FAILS, &[]);
    ran.exits(1);
    let before = world.json(&["status", "r1"])["used"]["attempts"].as_u64().unwrap();
    world.write("in.yaml", "name: inner\nsteps: [{id: one, run: 'echo x >> one'}, {id: two, run: 'touch other', needs: [one], max_attempts: 1}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--migrate"]).exits(0);
    went_on(&world);
    assert!(world.path("other").exists());
    assert_eq!(world.json(&["status", "r1"])["used"]["attempts"].as_u64().unwrap(), before + 2);
}

#[test]
fn a_step_that_is_begun_anew_begins_another_nested_workflow() {
    let world = world(OUTER);
    world.write("in.yaml", "name: inner\nsteps: [{id: one, run: 'echo x >> one'}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(0);
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--start-at-step", "o1"]).exits(0);
    assert_eq!(world.read("one"), "x\nx\n");
    assert_eq!(world.json(&["ls", "--all"]).as_array().unwrap().len(), 3);
}

#[test]
fn the_steps_of_a_nested_workflow_know_the_item_that_they_are_for() {
    let world = world("name: outer\nsteps: [{id: each, workflow: in.yaml, loop: {items: [a, b]}}]\n");
    world.write("in.yaml", "name: inner\nsteps: [{id: deep, workflow: deep.yaml}]\n");
    world.write("deep.yaml", "name: deep\nsteps: [{id: x, run: 'echo $LOOP_INDEX $LOOP_ITEM >> seen'}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(0);
    assert_eq!(world.read("seen"), "0 \"a\"\n1 \"b\"\n");
}

#[test]
fn a_run_whose_step_was_answered_goes_on_with_it_whoever_dies_then() {
    let world = world(OUTER);
    world.write(
        "in.yaml",
        "name: inner\nsteps: [{id: draft, run: 'true', human_in_the_loop: true}, {id: two, run: 'echo x >> two; until test -e \"$GATE\"; do sleep 0.02; done', needs: [draft]}]\n",
    );
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--pause-for-human-input"]).exits(4);
    let inner = inner(&world);
    world.piton(&["answer", &inner, "--approve"]).exits(0);
    is(&world, "r1", "running");
    eventually("its second step works", || world.path("two").exists());
    world.kill_driver("r1");
    world.kill_driver(&inner);
    let status = world.json(&["status", "r1"]);
    assert_eq!(status["next"], "piton resume r1", "nobody is asked any more: {status:#}");
    world.open_gate();
    world.piton(&["resume", "r1"]).exits(0);
    assert!(world.path("after").exists());
    assert_eq!(world.read("two"), "x\n");
}

/// The same with another name for the last step, and with this first one.
const CHANGED: &str = "name: outer\nsteps: [FIRST, {id: o2, run: 'touch after other', needs: [o1]}]\n";

#[test]
fn a_changed_workflow_is_gone_on_with_although_a_step_of_it_waits_for_a_person() {
    let (world, inner) = asking();
    world.write("w.yaml", &CHANGED.replace("FIRST", "{id: o1, run: 'true'}"));
    let ran = world.piton(&["run", "w.yaml", "--run-id", "r1", "--migrate"]).exits(2);
    insta::assert_snapshot!(ran.err, @r"
    error: step `o1` cannot go: it waits for the run that is its work

    hint: see `piton run --help`
    ");
    assert_eq!(world.count("r1", "definition_changed"), 0);
    world.write("w.yaml", &CHANGED.replace("FIRST", "{id: o1, workflow: in.yaml}"));
    world.write("in.yaml", "name: inner\nsteps: [{id: other, run: 'true'}]\n");
    let ran = world.piton(&["run", "w.yaml", "--run-id", "r1", "--migrate"]).exits(4);
    let says = format!("note: run `{inner}` within step `o1` has begun, and goes on as it began");
    assert!(ran.err.contains("~ step `o2`") && ran.err.contains(&says), "{}", ran.err);
    world.piton(&["answer", &inner, "--approve"]).exits(0);
    completes(&world);
    assert!(world.path("other").exists(), "the new step is done");
}

/// Writes this status over the one of the step that waits.
fn edit(world: &World, status: &str) {
    let path = ".agents/runs/r1/run_state.json";
    world.write(path, &world.read(path).replacen("WAITING_ON_HUMAN", status, 1));
}

#[test]
fn a_status_that_somebody_writes_for_a_step_that_is_a_run_counts_and_that_run_is_given_up() {
    for (status, code) in [("COMPLETED", 0), ("SKIPPED", 0), ("FAILED", 1), ("PENDING", 4)] {
        let (world, inner) = asking();
        edit(&world, status);
        let ran = world.piton(&["resume", "r1"]);
        assert_eq!(ran.code, code, "{status}: {ran:?}");
        assert!(ran.err.contains(&format!("adopted from run_state.json: `o1` is {status}")), "{}", ran.err);
        assert!(ran.err.contains(&format!("run `{inner}`, which was the work of a step, is stopped")));
        is(&world, &inner, "stopped");
        let screen = world.piton(&["status", &inner]).exits(0).out;
        assert!(screen.contains("run r1, whose step it was, went on without it"), "{screen}");
        let listed = world.piton(&["answer"]).exits(0).out;
        assert!(!listed.contains(&inner), "nobody waits for an answer to it: {listed}");
        assert_eq!(listed.contains("question 1"), status == "PENDING", "another run asks then: {listed}");
        assert_eq!(world.path("after").exists(), code == 0, "{status}");
        world.piton(&["verify"]).exits(0);
    }
}

#[test]
fn a_run_that_was_given_up_when_its_step_began_anew_asks_nobody() {
    let (world, inner) = asking();
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--start-at-step", "o1"]).exits(4);
    let listed = world.piton(&["answer"]).exits(0).out;
    assert!(listed.contains("question 1") && !listed.contains(&inner), "{listed}");
    let ran = world.piton(&["answer", &inner, "--approve"]).exits(2);
    assert!(ran.err.contains("asks nothing"), "{}", ran.err);
    assert_eq!(world.json(&["status", &inner])["given_up_by"], "r1");
}

#[test]
fn a_run_within_one_that_was_given_up_asks_nobody_either() {
    let world = world("name: w\nsteps: [{id: o1, workflow: mid.yaml}]\n");
    world.write("mid.yaml", "name: mid\nsteps: [{id: m1, workflow: in.yaml}]\n");
    world.write("in.yaml", INNER);
    let words = ["run", "w.yaml", "--run-id", "r1", "--pause-for-human-input"];
    world.piton(&words).exits(4);
    let asks = |world: &World| world.json(&["answer"]).as_array().unwrap().clone();
    let first = asks(&world);
    assert_eq!(first.len(), 1, "{first:?}");
    let deep = first[0]["run_id"].as_str().unwrap().to_owned();
    world.piton(&[&words[..], &["--start-at-step", "o1"]].concat()).exits(4);
    let now = asks(&world);
    assert!(now.len() == 1 && now[0]["run_id"] != deep.as_str(), "{now:?}");
    world.piton(&["answer", &deep, "--approve"]).exits(2);
}
