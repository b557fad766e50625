//! `.aiwg/ralph/`: a loop with its complete histories, where somebody uses that format.

use serde_json::Value;

use super::common::{World, eventually};

const RED: &str = "test=test -f b.txt";
/// Goes on to the second iteration, waits there until it may, and is done with the third.
const STEPS: &str = r#"echo $PITON_ITERATION >> n.txt
case $PITON_ITERATION in 2) until test -e "$GATE"; do sleep 0.02; done;; 3) touch b.txt;; esac"#;
const HOME: &str = ".aiwg/ralph";
const ID: &str = "ralph-steps-0123abcd";

fn world() -> World {
    let world = World::new();
    std::fs::create_dir(world.path(".aiwg")).unwrap();
    world
}

fn json(world: &World, path: &str) -> Value {
    serde_json::from_str(&world.read(&format!("{HOME}/{path}"))).unwrap()
}

fn state(world: &World) -> Value {
    json(world, &format!("loops/{ID}/state.json"))
}

fn iteration(number: u32) -> String {
    format!("loops/{ID}/iterations/iteration-{number:03}.json")
}

#[test]
fn the_error_of_a_failed_loop_is_what_its_agent_said_and_the_rule_comes_after_it() {
    for (stop, agent, error) in [
        (
            "[stop]\nfailure = [{ type = 'on_error', pattern = 'boom' }]\n",
            r#"echo '{"error_class":"crash","message":"boom here"}' > $PITON_REPORT; exit 1"#,
            "boom here (on_error(boom))",
        ),
        (
            "",
            "echo db is down >&2; exit 1",
            "the agent exited with 1: db is down (5 attempts in a row failed)",
        ),
    ] {
        let world = world();
        world.configure(stop);
        world.loops(ID, agent, &["--check", RED]).exits(1);
        assert_eq!(state(&world)["error_context"]["error_message"], error);
    }
}

#[test]
fn a_loop_has_a_state_a_file_per_iteration_and_is_counted() {
    let world = world();
    world.open_gate();
    world.loops(ID, STEPS, &["--check", RED]).exits(0);
    let state = state(&world);
    assert_eq!((&state["version"], &state["loop_id"]), (&"2.0.0".into(), &ID.into()));
    assert_eq!((&state["status"], &state["iteration"]), (&"completed".into(), &3.into()));
    assert_eq!(
        (&state["task"], &state["completion_criteria"]),
        (&"Do it".into(), &"`test -f b.txt` passes".into())
    );
    assert_eq!(state["detection_enabled"], false, "the run is over");
    assert_eq!(state["best_iteration"]["iteration"], 3);
    assert_eq!(state["reinforcement_history"][0]["reason"], "Loop initialization");
    assert_eq!(state["baseline_metrics"]["coverage_percentage"], 0.0);
    assert_eq!(
        state["piton"]["unknown"],
        serde_json::json!(["baseline_metrics.coverage_percentage"]),
        "nobody measured it"
    );
    assert_eq!(state["configuration"]["interactive"], false);
    let history = state["iteration_history"].as_array().unwrap();
    assert_eq!(history.len(), 3);
    for (index, entry) in history.iter().enumerate() {
        let file = json(&world, &iteration(index as u32 + 1));
        assert_eq!((&file["iteration"], &file["timestamp"]), (&entry["iteration"], &entry["timestamp"]));
        assert_eq!(entry["snapshot_path"], format!("{HOME}/{}", iteration(index as u32 + 1)));
        let paths: Vec<_> = entry["artifacts"].as_array().unwrap().iter().map(|it| &it["path"]).collect();
        let expected: &[&str] = if index == 2 { &["b.txt", "n.txt"] } else { &["n.txt"] };
        assert_eq!(paths, expected, "piton's own files are no work of the agent's");
    }
    let last = json(&world, &iteration(3));
    assert_eq!((&last["attempt"], &last["checks"][0]["name"]), (&3.into(), &"test".into()));
    assert_eq!(last["checks"][0]["passed"], true);
    assert!(last["tree"].as_str().is_some_and(|tree| tree.len() == 40), "{last:#}");
    let registry = json(&world, "registry.json");
    assert_eq!((&registry["total_completed"], &registry["total_active"]), (&1.into(), &0.into()));
    assert_eq!(world.git(&["status", "--porcelain", "-uall"]), "?? b.txt\n?? n.txt\n");
}

#[test]
fn a_driver_that_was_killed_costs_no_history() {
    let world = world();
    world.loops(ID, STEPS, &["--check", RED, "--detach"]).exits(0);
    world.agent_works(ID, 2);
    eventually("the first iteration is shown", || {
        world.path(&format!("{HOME}/{}", iteration(1))).exists() && state(&world)["iteration"] == 1
    });
    let shown = state(&world);
    assert_eq!(shown["status"], "running");
    assert_eq!(shown["pid"], world.json(&["status", ID])["driver"]["pid"]);
    assert_eq!(json(&world, "registry.json")["active_loops"][0]["loop_id"], ID);
    world.kill_driver(ID);
    std::fs::remove_file(world.path(&format!("{HOME}/{}", iteration(1)))).unwrap();
    let viewer = world.start(&["resume", ID]);
    eventually("a new driver has it", || world.json(&["status", ID])["driver"].is_object());
    world.open_gate();
    viewer.ends().exits(0);
    eventually("the end is in the registry", || json(&world, "registry.json")["total_completed"] == 1);
    let live = state(&world);
    assert_eq!(live["iteration_history"].as_array().unwrap().len(), 3);
    assert_eq!(live["iteration_history"][0], shown["iteration_history"][0]);
    let first = json(&world, &iteration(1));
    assert_eq!(first["iteration"], 1, "what was missing is there again");
    let paths: Vec<_> = (1..=3).map(iteration).chain([format!("loops/{ID}/state.json")]).collect();
    let before: Vec<_> = paths.iter().map(|path| world.read(&format!("{HOME}/{path}"))).collect();
    std::fs::remove_dir_all(world.path(&format!("{HOME}/loops"))).unwrap();
    world.piton(&["rebuild", ID]).exits(0);
    let after: Vec<_> = paths.iter().map(|path| world.read(&format!("{HOME}/{path}"))).collect();
    assert_eq!(after, before, "byte for byte what its drivers rendered");
}

#[test]
fn a_cheat_is_a_regression_event_with_its_recovery() {
    let world = world();
    world.write("calc.py", "def add(a, b):\n    return 0\n");
    let tests = "import unittest\nfrom calc import add\n\n\nclass Calc(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n";
    world.write("test_calc.py", tests);
    world.commit("calc");
    let agent = "case $PITON_ITERATION in 1) printf 'import unittest\\n' > test_calc.py;; 2) sed -i 's/return 0/return a + b/' calc.py;; esac";
    world.loops(ID, agent, &["--check", "test=python3 -B -m unittest -q test_calc.Calc"]).exits(0);
    let state = state(&world);
    let event = &state["regression_events"][0];
    assert_eq!(
        (&event["iteration"], &event["regression_type"]),
        (&1.into(), &"test_deletion".into()),
        "{state:#}"
    );
    assert_eq!(
        (&event["details"]["baseline_value"], &event["details"]["current_value"]),
        (&1.into(), &0.into())
    );
    assert_eq!(event["recovery_outcome"], "success");
    let patterns = state["detected_patterns"].as_array().unwrap();
    assert!(patterns.iter().any(|found| found["pattern_name"] == "Test Deletion"), "{state:#}");
    let whole = "Complete Test File Deletion";
    assert!(
        patterns.iter().all(|found| found["pattern_name"] != whole),
        "the file is still there: {state:#}"
    );
    assert_eq!(state["recovery_attempts"], 1);
    assert_eq!(state["recovery_history"][0]["protocol_steps"]["retry"]["retry_iteration"], 2);
    assert_eq!(state["iteration_history"][0]["regression_detected"], true);
    assert_eq!(state["iteration_history"][1]["regression_detected"], false);
    assert_eq!(state["best_iteration"]["iteration"], 2);
}

/// A test that proves something, for agents that do not want it to.
fn with_test(world: &World) {
    world.write("calc.py", "def add(a, b):\n    return 0\n");
    let tests =
        "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n    assert add(1, 1) == 2\n";
    world.write("test_calc.py", tests);
    world.commit("calc");
}

fn pattern_names(world: &World) -> Vec<String> {
    let state = state(world);
    let names = state["detected_patterns"].as_array().unwrap().iter();
    names.map(|found| format!("{} {}", found["pattern_id"], found["pattern_name"]).replace('"', "")).collect()
}

#[test]
fn patterns_are_called_what_was_done() {
    for (agent, name) in [
        ("git rm -q test_calc.py", "LP-001 Complete Test File Deletion"),
        ("sed -i 's/add(2, 3) == 5/add(2, 3) == add(2, 3)/' test_calc.py", "LP-023 Circular Test Logic"),
        ("sed -i 's/add(2, 3) == 5/True/' test_calc.py", "LP-012 Trivial Assertion Replacement"),
    ] {
        let world = world();
        with_test(&world);
        world.loops(ID, agent, &["--check", RED, "--max-iterations", "1"]).exits(3);
        let names = pattern_names(&world);
        assert!(names.iter().any(|found| found == name), "{agent}: {names:?}");
    }
    // A run that goes on and on is said to, once.
    let world = world();
    let more = ["--check", RED, "--max-iterations", "13"];
    world.configure("[loop]\nno_progress = 50\n[guard]\nmode = 'report'\n");
    world.loops(ID, "echo $PITON_ITERATION", &more).exits(3);
    assert_eq!(pattern_names(&world), ["LP-020 Iteration Limit Exceeded"]);
}

#[test]
fn weaker_assertions_are_counted_as_assertions_and_a_person_who_lets_it_try_again_has_not_approved_them() {
    let world = world();
    with_test(&world);
    world.configure("[recovery]\nescalate_critical = true\nmax_retries = 0\n");
    let agent = "sed -i '/add(1, 1)/d' test_calc.py";
    world.loops(ID, agent, &["--check", RED]).exits(4);
    world.piton(&["answer", ID, "--approve"]).exits(0);
    world.piton(&["wait", ID]).exits(4);
    let state = state(&world);
    let event = &state["regression_events"][0];
    assert_eq!(event["regression_type"], "assertion_weakening", "{state:#}");
    let values = (&event["details"]["baseline_value"], &event["details"]["current_value"]);
    assert_eq!(values, (&2.into(), &1.into()));
    assert_eq!(event["human_decision"], "reject", "its files are back");
    let said = &state["recovery_history"][0]["protocol_steps"]["escalate"]["human_decision"];
    assert_eq!(*said, "reject - the files are back, the agent tries again");
}

#[test]
fn a_skipped_test_is_one_less_that_runs() {
    let world = world();
    with_test(&world);
    world.write("test_other.py", "import pytest\n\n\ndef test_other():\n    assert 1 + 1 == 2\n");
    world.commit("another");
    let agent = "sed -i 's/^def test_other/@pytest.mark.skip\\ndef test_other/' test_other.py";
    world.loops(ID, agent, &["--check", RED, "--max-iterations", "1"]).exits(3);
    let event = state(&world)["regression_events"][0].clone();
    let values = (&event["details"]["baseline_value"], &event["details"]["current_value"]);
    assert_eq!(event["regression_type"], "test_skipping", "{event:#}");
    assert_eq!(values, (&2.into(), &1.into()), "{event:#}");
}

/// Writes a report on ten lines of which as many are reached as the file says.
const COVERAGE: &str = r#"n=$(cat hits); { echo TN:; echo SF:a.py; for i in 1 2 3 4 5 6 7 8 9 10; do h=0; [ $i -le $n ] && h=1
echo DA:$i,$h; done; echo LF:10; echo LH:$n; echo end_of_record; } > lcov.info"#;

#[test]
fn what_coverage_was_before_a_regression_is_what_was_kept_last() {
    let world = world();
    world.write("cov.sh", COVERAGE);
    world.write("hits", "6\n");
    world.write(".gitignore", "lcov.info\n");
    world.write("a.py", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
    world.commit("lines");
    world.configure("[checks]\ncoverage = { command = 'sh cov.sh', format = 'lcov', path = 'lcov.info' }\nred = 'false'\n");
    let agent = "case $PITON_ITERATION in 1) echo 9 > hits;; 2) echo 6 > hits;; esac";
    world.loops(ID, agent, &["--max-iterations", "2"]).exits(3);
    let details = state(&world)["regression_events"][0]["details"].clone();
    let values = (&details["baseline_value"], &details["current_value"]);
    assert_eq!(values, (&90.0.into(), &60.0.into()), "{details:#}");
}

#[test]
fn an_attended_run_is_interactive_and_a_silent_type_checker_found_nothing() {
    let world = world();
    world.shell("mkdir ../bin && printf '#!/bin/sh\\n' > ../bin/tsc && chmod +x ../bin/tsc").exits(0);
    let check = "types=PATH=$BESIDE/bin:$PATH tsc --noEmit";
    world.loops(ID, "touch c.txt", &["--check", RED, "--check", check, "--attended"]).exits(4);
    let state = state(&world);
    assert_eq!(state["configuration"]["interactive"], true);
    assert_eq!(state["baseline_metrics"]["typescript_errors"], 0);
}

#[test]
fn it_is_there_where_somebody_uses_it_or_asks_for_it() {
    let quick = "touch b.txt";
    let world = World::new();
    world.loops("a", quick, &["--check", RED]).exits(0);
    assert!(!world.path(".aiwg").exists(), "nobody asked");

    let world = World::configured("[views]\naiwg = true\n");
    world.loops("a", quick, &["--check", RED]).exits(0);
    let derived = std::fs::read_dir(world.path(&format!("{HOME}/loops"))).unwrap().flatten().next().unwrap();
    let name = derived.file_name().into_string().unwrap();
    assert!(name.starts_with("ralph-a-"), "an id of the format is derived: {name}");
    assert_eq!(json(&world, &format!("loops/{name}/state.json"))["piton"]["run_id"], "a");
    world.piton(&["rm", "a"]).exits(0);
    assert!(!world.path(&format!("{HOME}/loops")).exists());

    let world = self::world();
    world.configure("[views]\naiwg = false\n");
    world.loops("a", quick, &["--check", RED]).exits(0);
    assert_eq!(std::fs::read_dir(world.path(".aiwg")).unwrap().count(), 0);
}

#[test]
fn a_file_of_somebody_else_is_moved_aside_and_a_registry_that_does_not_parse_is_left_alone() {
    let world = world();
    std::fs::create_dir_all(world.path(&format!("{HOME}/loops/{ID}"))).unwrap();
    world.write(&format!("{HOME}/loops/{ID}/state.json"), "{\"mine\": true}\n");
    world.write(&format!("{HOME}/registry.json"), "{ half");
    let ran = world.loops(ID, "touch b.txt", &["--check", RED]).exits(0);
    assert!(
        ran.err.contains("state.json was not written by piton, or was edited since, and now lies at "),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("cannot be read as a registry"), "{}", ran.err);
    assert_eq!(state(&world)["status"], "completed");
    assert_eq!(world.read(&format!("{HOME}/registry.json")), "{ half");
}
