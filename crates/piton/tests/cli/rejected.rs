//! What a person says no to: it is taken back everywhere, and nobody goes on with it.

use super::common::World;

const RED: &str = "test=test -f b.txt";
/// The first iteration makes the check green and leaves junk, the second only makes it green.
const JUNK_FIRST: &str = "test $PITON_ITERATION = 1 && seq 30 > junk.txt; touch b.txt";

fn says(world: &World, answer: &str, code: i32) -> String {
    world.piton(&["answer", "r", answer]).exits(0);
    world.piton(&["wait", "r"]).exits(code);
    world.json(&["status", "r"])["questions"][0]["text"].as_str().unwrap_or_default().to_owned()
}

fn view(world: &World) -> serde_json::Value {
    serde_json::from_str(&world.read(".ralph/state.json")).unwrap()
}

fn extended(world: &World) -> serde_json::Value {
    let exported = world.piton(&["export", "r", "--format", "aiwg"]).exits(0);
    serde_json::from_str(&exported.out).unwrap()
}

#[test]
fn what_is_rejected_is_neither_the_best_nor_counted() {
    let world = World::new();
    let limits = ["--check", RED, "--attended", "--max-files", "1", "--max-lines", "20"];
    world.loops("r", JUNK_FIRST, &limits).exits(4);
    let asked = says(&world, "--approve", 4);
    assert!(asked.contains("Keep it? The run is done then. No puts its files back."), "{asked}");
    assert_eq!(view(&world)["progress"]["modified_files"].as_array().unwrap().len(), 2);
    let asked = says(&world, "--reject", 4);
    assert!(asked.contains("Iteration 2 is over"), "{asked}");
    says(&world, "--approve", 0);
    assert_eq!(view(&world)["progress"]["modified_files"], serde_json::json!(["b.txt"]));
    let best = world.piton(&["best", "r"]).exits(0);
    assert!(best.out.starts_with("#2 "), "{best:?}");
    assert_eq!(extended(&world)["best_iteration"]["iteration"], 2);
    world.piton(&["restore", "r"]).exits(0);
    assert!(!world.path("junk.txt").exists(), "what was rejected does not come back");
    let metrics = world.piton(&["metrics", "r"]).exits(0).out;
    let made = metrics.lines().find(|line| line.starts_with("ralph_loop_iterations_with_progress")).unwrap();
    assert!(made.ends_with(" 1"), "{made}");
    world.piton(&["verify"]).exits(0);
}

#[test]
fn what_is_rejected_is_not_committed() {
    let world = World::new();
    world.loops("r", JUNK_FIRST, &["--check", RED, "--attended", "--worktree"]).exits(4);
    says(&world, "--approve", 4);
    assert_eq!(world.git(&["log", "--format=%s", "main..piton/r"]), "", "a person may still say no");
    says(&world, "--reject", 4);
    says(&world, "--approve", 0);
    let files = world.git(&["log", "--format=", "--name-only", "main..piton/r"]);
    assert_eq!(files, "b.txt\n");
}

/// Three tests: `a` passes unless something is broken, `b` always, `c` once the work is done.
const SUITE: &str = "echo TAP version 13; echo 1..3
if test -f broken; then echo 'not ok 1 - a'; else echo 'ok 1 - a'; fi
echo 'ok 2 - b'
if test -f c.txt; then echo 'ok 3 - c'; else echo 'not ok 3 - c'; fi
test -f c.txt && ! test -f broken
";

fn with_suite() -> World {
    let world = World::new();
    world.write("suite.sh", SUITE);
    world.commit("suite");
    world
}

#[test]
fn tests_that_only_what_was_rejected_broke_were_not_mended_and_a_person_was_asked() {
    let world = with_suite();
    let agent = "cp \"$PITON_PROMPT_FILE\" \"$BESIDE/prompt$PITON_ITERATION\"
        if test $PITON_ITERATION = 1; then touch broken; else touch c.txt; fi";
    world.loops("r", agent, &["--check", "test=sh suite.sh", "--attended"]).exits(4);
    says(&world, "--approve", 4);
    says(&world, "--reject", 4);
    let prompt = std::fs::read_to_string(world.beside("prompt2")).unwrap();
    assert!(!prompt.contains("failed before and do not now"), "{prompt}");
    assert!(!prompt.contains("fail now and did not before"), "{prompt}");
    assert_eq!(view(&world)["tests"]["failing_tests"], serde_json::json!([]));
    let event = &extended(&world)["regression_events"][0];
    assert_eq!((&event["human_gate_invoked"], &event["human_decision"]), (&true.into(), &"reject".into()));
    assert_eq!(view(&world)["tests"]["failure_streak"], 0);
}

#[test]
fn no_to_another_try_stops_the_run_and_confirms_what_was_found() {
    let world = World::new();
    world.write("test_calc.py", "def test_one():\n    assert 1 + 1 == 2\n    assert 2 + 2 == 4\n");
    world.commit("test");
    world.configure("[recovery]\nescalate_critical = true\nmax_retries = 0\n");
    let ran = world.loops("r", "rm test_calc.py", &["--check", RED]).exits(4);
    assert!(ran.out.contains("Let the agent try again? No stops the run."), "{ran:?}");
    says(&world, "--reject", 4);
    let status = world.json(&["status", "r"]);
    assert_eq!((&status["status"], &status["reason"]), (&"stopped".into(), &"human".into()));
    assert_eq!(world.count("r", "attempt_started"), 1, "no more money is spent");
    let confirmed = &extended(&world)["persistence_metrics"]["true_positive_count"];
    assert!(confirmed.as_u64() > Some(0), "{confirmed}");
    // Whoever changes their mind goes on.
    world.piton(&["resume", "r"]).exits(4);
    assert_eq!(world.count("r", "attempt_started"), 2);
}

/// What one iteration does, the next one undoes.
const TO_AND_FRO: &str = "cp \"$PITON_PROMPT_FILE\" \"$BESIDE/prompt$PITON_ITERATION\"
    echo $((PITON_ITERATION % 2)) > c.txt";

#[test]
fn a_run_that_does_not_get_on_is_not_lectured_and_no_means_no() {
    let world = World::configured("[loop]\nno_progress = 50\n[recovery]\nmax_retries = 1\n");
    let ran = world.loops("r", TO_AND_FRO, &["--check", RED, "--max-iterations", "20"]).exits(4);
    assert!(ran.out.contains("The run does not get on after iteration"), "{ran:?}");
    let prompts: Vec<_> = (1..20)
        .map_while(|number| std::fs::read_to_string(world.beside(&format!("prompt{number}"))).ok())
        .collect();
    assert!(prompts.iter().all(|prompt| !prompt.contains("lenient")), "nobody made a check lenient");
    assert!(prompts.iter().any(|prompt| prompt.contains("go another way")));
    let extended = extended(&world);
    let recoveries = extended["recovery_history"].as_array().unwrap();
    assert_eq!((extended["recovery_attempts"].as_u64(), recoveries.len()), (Some(2), 2));
    assert_eq!(recoveries[0]["protocol_steps"]["adapt"]["strategy"], "another way");
    says(&world, "--reject", 4);
    assert_eq!(world.count("r", "attempt_started"), prompts.len());
    assert_eq!(world.json(&["status", "r"])["status"], "stopped");
}

#[test]
fn a_red_linter_beside_green_tests_is_no_failing_test() {
    let world = with_suite();
    world.configure("[stop]\nfailure = [{ type = 'test_failure_streak', count = 2 }]\n");
    let checks = ["--check", "test=sh suite.sh", "--check", "lint=false", "--max-iterations", "3"];
    world.loops("r", "touch c.txt; echo $PITON_ITERATION > n.txt", &checks).exits(3);
    assert_eq!(view(&world)["tests"]["failure_streak"], 0);
    world.loops("s", "rm c.txt; echo $PITON_ITERATION > n.txt", &checks).exits(1);
    assert_eq!(world.json(&["status", "s"])["iteration"], 2);
}

#[test]
fn a_loop_without_checks_has_a_best_iteration() {
    let world = World::new();
    let agent = "test $PITON_ITERATION = 2 && touch done.txt; echo $PITON_ITERATION > n.txt";
    world.loops("r", agent, &["--until", "file:done.txt"]).exits(0);
    assert!(world.piton(&["best", "r"]).exits(0).out.starts_with("#2  there are no checks"));
    assert_eq!(extended(&world)["best_iteration"]["iteration"], 2);
    world.piton(&["restore", "r"]).exits(0);
}
