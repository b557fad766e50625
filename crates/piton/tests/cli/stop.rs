//! Reasons to stop: what `[stop]` and `--until` say, and tests by name.

use crate::common::{World, eventually};

/// A project whose check runs `suite`, which prints what pytest would.
fn world(stop: &str) -> World {
    let world = World::outside_git();
    world.write("suite", "a.py::one FAILED\na.py::two PASSED\n===== 1 failed, 1 passed in 0.01s =====\n");
    world.write("check.sh", "cat suite\n! grep -q FAILED suite\n");
    world.init();
    world.configure(&format!("[checks]\ntest = 'sh check.sh'\n{stop}\n"));
    world
}

const FIX: &str = "printf 'a.py::one PASSED\\na.py::two PASSED\\n===== 2 passed in 0.01s =====\\n' > suite";
const SWAP: &str =
    "printf 'a.py::one PASSED\\na.py::two FAILED\\n===== 1 failed, 1 passed in 0.01s =====\\n' > suite";

fn runs(world: &World, agent: &str, more: &[&str]) -> crate::common::Ran {
    let agent = format!("cp \"$PITON_PROMPT_FILE\" \"$BESIDE/prompt$PITON_ITERATION\"\n{agent}");
    let words = ["loop", "Go", "--id", "r", "--here", "--exec", &agent, "--max-iterations", "3"];
    world.piton(&[&words, more].concat())
}

#[test]
fn a_goal_that_is_reached_counts_although_the_run_was_to_stop_there() {
    for (goal, more) in [("[stop]\n", &[][..]), ("[stop]\n", &["--until", "cmd:grep -q 'one PASSED' suite"])]
    {
        let world = world(&format!("{goal}conditions = [{{ type = 'max_iterations', count = 1 }}]"));
        let ran = runs(&world, FIX, more);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    }
    let failing = "[stop]\nfailure = [{ type = 'output_pattern', pattern = 'FATAL' }]";
    assert_eq!(runs(&world(failing), &format!("{FIX}; echo FATAL"), &[]).code, 1, "a failure goes first");
}

#[test]
fn a_stop_that_somebody_waits_for_ends_the_run_as_they_say() {
    let world = world("[stop]\nfailure = [{ type = 'user_signal' }]");
    world.loops_behind("r", crate::common::WAITS, &[]);
    world.piton(&["stop", "r"]).exits(0);
    world.open_gate();
    world.piton(&["wait", "r"]).exits(1);
    assert!(world.piton(&["status", "r"]).exits(0).out.contains("user_signal holds"));
}

/// A request is over with the run that it ended: what it was has to be on record.
#[test]
fn what_completed_a_run_is_said_although_it_holds_no_more() {
    let world = world("[stop]\nsuccess = [{ type = 'user_signal' }]");
    let waits = "touch \"$BESIDE/checking\"; until test -e \"$GATE\"; do sleep 0.02; done";
    world.write("check.sh", &format!("if test -e made; then {waits}; fi\nfalse\n"));
    world.git(&["commit", "-q", "-a", "-m", "a check that waits"]);
    world.loops("r", "touch made", &["--here", "--detach"]).exits(0);
    eventually("the iteration is checked", || world.beside("checking").exists());
    world.piton(&["stop", "r"]).exits(0);
    world.open_gate();
    world.piton(&["wait", "r"]).exits(0);
    let status = world.piton(&["status", "r"]).exits(0).out;
    assert!(status.contains("user_signal holds"), "{status}");
    let completed = world.events("r").into_iter().find(|event| event["type"] == "run_completed");
    assert_eq!(completed.unwrap()["data"]["detail"], "user_signal");
}

#[test]
fn success_failure_and_plain_conditions_end_a_run_with_their_own_codes() {
    for (stop, agent, code, says) in [
        (
            "[stop]\nsuccess = [{ type = 'specific_tests_pass', tests = ['one'] }]",
            SWAP,
            0,
            "specific_tests_pass(one) holds",
        ),
        (
            "[stop]\nfailure = [{ type = 'output_pattern', pattern = 'FATAL' }]",
            "echo FATAL: no",
            1,
            "output_pattern(FATAL) holds",
        ),
        (
            "[stop]\nconditions = [{ type = 'max_iterations', count = 2 }]",
            "echo x >> notes",
            3,
            "max_iterations(2) holds",
        ),
        (
            "[stop]\nconditions = [{ type = 'all', conditions = [{ type = 'file_created', path = 'flag' }, { type = 'not', condition = { type = 'file_contains', path = 'flag', content = 'no' } }] }]",
            "echo yes > flag",
            3,
            "holds",
        ),
        (
            "[stop]\nfailure = [{ type = 'on_error', pattern = 'exited with 9' }]",
            "exit 9",
            1,
            "on_error(exited with 9) holds",
        ),
        (
            "[stop]\nsuccess = [{ type = 'custom_script', script = 'test', args = ['-s', 'flag'] }]",
            "echo yes > flag",
            0,
            "holds",
        ),
    ] {
        let world = world(stop);
        let ran = runs(&world, agent, &[]).exits(code);
        assert!(ran.out.contains(says), "{stop}: {}", ran.out);
    }
}

#[test]
fn a_run_that_one_condition_ended_does_not_say_that_all_of_them_hold() {
    let world = world("[stop]\nsuccess = [{ type = 'file_created', path = 'flag' }]");
    let ran = runs(&world, "touch flag", &["--until", "cmd:grep -q 'one PASSED' suite"]).exits(0);
    assert!(ran.out.contains("; or this alone: file_created(flag)"), "{}", ran.out);
    for said in [ran.out, world.piton(&["status", "r"]).exits(0).out, world.piton(&["why", "r"]).exits(0).out]
    {
        assert!(said.contains("file_created(flag) holds") && !said.contains("every condition"), "{said}");
    }
    let exported = world.piton(&["export", "r"]).exits(0).out;
    assert!(exported.contains("\"last_evaluation\": \"file_created(flag) holds"), "{exported}");
}

/// What counts iterations holds for good: going on leads nowhere, and is not advised.
#[test]
fn a_run_that_ended_as_it_was_told_to_is_not_to_be_resumed() {
    let world = world("[stop]\nconditions = [{ type = 'max_iterations', count = 2 }]");
    let ran = runs(&world, "echo x >> notes", &[]).exits(3);
    assert!(ran.out.contains("next      piton report r\n"), "{}", ran.out);
    world.piton(&["report", "r"]).exits(0);
}

/// What an agent printed nobody can make unsaid: the next attempt prints something else, or not.
#[test]
fn what_was_printed_is_no_condition_to_wait_for() {
    let world = world("[stop]\nconditions = [{ type = 'output_pattern', pattern = 'FATAL' }]");
    let ran = runs(&world, "echo x >> notes; test $PITON_ITERATION = 2 || echo FATAL", &[]).exits(3);
    assert!(ran.out.contains("next      piton resume r\n"), "{}", ran.out);
    assert_eq!(world.json(&["status", "r"])["next_once"], serde_json::Value::Null);
    world.piton(&["resume", "r"]).exits(3);
    assert_eq!(world.count("r", "attempt_started"), 3, "it went on");
}

/// Whoever goes on although a condition holds means to: it is judged again after the next iteration.
#[test]
fn a_resume_gets_past_a_condition_that_still_holds() {
    let world = world("[stop]\nconditions = [{ type = 'file_created', path = 'flag' }]");
    let agent =
        "echo x >> notes; test $PITON_ITERATION != 2 || rm flag; test $PITON_ITERATION != 1 || touch flag";
    let ran = runs(&world, agent, &[]).exits(3);
    assert!(ran.out.contains("file_created(flag) holds"), "{}", ran.out);
    let next = "next      piton resume r\n         once file_created(flag) no longer holds\n";
    assert!(ran.out.contains(next), "{}", ran.out);
    let status = world.json(&["status", "r"]);
    assert_eq!(status["next"], "piton resume r", "a command that can be run");
    assert_eq!(status["next_once"], "file_created(flag) no longer holds");
    assert_eq!(world.count("r", "attempt_started"), 1);
    world.piton(&["resume", "r"]).exits(3);
    assert_eq!(world.json(&["status", "r"])["reason"], "limit:iterations", "it went on to its end");
    assert_eq!(world.count("r", "attempt_started"), 3);
}

#[test]
fn until_takes_texts_patterns_and_names() {
    for (until, agent) in [
        ("contains:notes:all done", "echo all done > notes"),
        ("output:/^r[e]ady$/", "echo x > notes; echo ready"),
        ("shipped", "echo 1.0 > version"),
    ] {
        let world =
            world("[stop]\nconditions = [{ name = 'shipped', type = 'file_created', path = 'version' }]");
        let ran = runs(&world, agent, &["--until", until]).exits(0);
        assert!(ran.out.contains("1 iteration"), "{until}: {}", ran.out);
    }
}

#[test]
fn tests_are_known_by_name_and_what_broke_is_told() {
    let world = world("");
    runs(&world, &format!("case $PITON_ITERATION in 1) {SWAP};; 2) true;; 3) {FIX};; esac"), &[]).exits(0);
    let told = std::fs::read_to_string(world.beside("prompt2")).unwrap();
    assert!(told.contains("These tests fail now and did not before: a.py::two"), "{told}");
    let view: serde_json::Value = serde_json::from_str(&world.read(".ralph/state.json")).unwrap();
    assert_eq!(view["tests"]["passing_tests"], serde_json::json!(["a.py::one", "a.py::two"]));
    assert_eq!(view["tests"]["recently_fixed"], serde_json::json!(["a.py::two"]));
}

/// A pytest that does as the real one: it names the tests that pass only where it is asked to (`-r`).
const PYTEST: &str = r#"#!/bin/sh
echo "===== test session starts ====="
echo "collected 2 items"
echo
echo "test_a.py ..                    [100%]"
failed=$(grep -c FAILED suite)
case " $PYTEST_ADDOPTS $*" in *" -r"*p*) asked=1;; *) asked=;; esac
echo "===== short test summary info ====="
if test -n "$asked"; then grep PASSED suite; fi
grep FAILED suite | sed 's/$/ - assert 1 == 2/'
echo "===== $failed failed, $((2 - failed)) passed in 0.01s ====="
test "$failed" = 0
"#;

/// A project that is tested with `pytest`.
fn with_pytest(check: &str) -> World {
    let world = world("");
    world.write("suite", "FAILED test_a.py::one\nPASSED test_a.py::two\n");
    world.shell("mkdir ../bin").exits(0);
    world.write("../bin/pytest", PYTEST);
    world.shell("chmod +x ../bin/pytest").exits(0);
    world.configure(&format!("[checks]\ntest = 'PATH=$BESIDE/bin:$PATH; {check}'\n"));
    world
}

/// What a check says that fails where anybody asks its pytest for names, and passes by hand.
#[test]
fn a_check_that_reads_what_its_pytest_prints_means_what_it_means_by_hand() {
    let reads = "pytest -q > ../log 2>&1 && ! grep -q PASSED ../log";
    for check in ["sh reads.sh", reads, "sh strict.sh"] {
        let world = with_pytest(check);
        world.write("reads.sh", &format!("{reads}\n"));
        world.write("strict.sh", "test -z \"$PYTEST_ADDOPTS\" && pytest -q\n");
        let fix = "printf 'PASSED test_a.py::one\\nPASSED test_a.py::two\\n' > suite";
        let ran = runs(&world, fix, &[]).exits(0);
        assert!(ran.out.contains("1 iteration"), "{check}: {}", ran.out);
    }
}

#[test]
fn pytest_is_asked_for_the_names_of_the_tests_that_pass() {
    for check in ["pytest", "pytest -q", "(cd . && pytest)"] {
        let world = with_pytest(check);
        let swap = "printf 'PASSED test_a.py::one\\nFAILED test_a.py::two\\n' > suite";
        let fix = "printf 'PASSED test_a.py::one\\nPASSED test_a.py::two\\n' > suite";
        let agent = format!("case $PITON_ITERATION in 1) {swap};; *) {fix};; esac");
        let ran = runs(&world, &agent, &[]).exits(0);
        assert!(ran.out.contains("broke test_a.py::two   fixed test_a.py::one"), "{check}: {}", ran.out);
        let told = std::fs::read_to_string(world.beside("prompt2")).unwrap();
        assert!(told.contains("These tests fail now and did not before: test_a.py::two"), "{told}");
        assert!(told.contains("These tests failed before and do not now: test_a.py::one"), "{told}");
        assert!(!told.contains("PASSED test_a.py"), "what was asked for is not in the way: {told}");
        let view: serde_json::Value = serde_json::from_str(&world.read(".ralph/state.json")).unwrap();
        let both = serde_json::json!(["test_a.py::one", "test_a.py::two"]);
        assert_eq!(
            (&view["tests"]["passing_tests"], &view["tests"]["failing_tests"]),
            (&both, &serde_json::json!([]))
        );
        let status = world.json(&["status", "r"]);
        assert_eq!(status["tests"]["fixed"], serde_json::json!(["test_a.py::two"]));
        assert_eq!(status["tests"]["passing_named"], true);
        let report = world.piton(&["report", "r"]).exits(0).out;
        let named = "- #1 broke `test_a.py::two`; fixed `test_a.py::one`\n- #2 fixed `test_a.py::two`\n";
        assert!(report.contains(named), "{report}");
    }
}

/// What `go test ./...` prints.
const GO: &str = r"--- FAIL: TestOne (0.00s)
    a_test.go:5: no
FAIL
FAIL\texample/a\t0.002s
ok  \texample/b\t0.001s
FAIL
";

#[test]
fn where_a_runner_does_not_name_passing_tests_that_is_said_and_nothing_fails_for_ever() {
    let world = world("");
    world.write("check.sh", "cat suite\n! grep -q FAIL suite\n");
    world.shell(&format!("printf %b '{GO}' > suite")).exits(0);
    let agent = "printf 'ok  \\texample/a\\t0.002s\\nok  \\texample/b\\t0.001s\\n' > suite";
    let ran = runs(&world, agent, &[]).exits(0);
    let unknown = "the test runner does not name the tests that pass";
    assert!(ran.out.contains(unknown), "{}", ran.out);
    assert!(ran.out.contains("no longer failing example/a.TestOne"), "{}", ran.out);
    let view: serde_json::Value = serde_json::from_str(&world.read(".ralph/state.json")).unwrap();
    assert_eq!(view["tests"]["failing_tests"], serde_json::json!([]));
    let is_unknown =
        |name: &str| view["custom"]["piton"]["unknown"].as_array().unwrap().iter().any(|known| known == name);
    assert!(is_unknown("tests.passing_tests"), "{view}");
    assert!(world.piton(&["status", "r"]).exits(0).out.contains(unknown));
    let report = world.piton(&["report", "r"]).exits(0).out;
    assert!(report.contains("- #1 no longer failing `example/a.TestOne`"), "{report}");
    assert!(!ran.out.contains("1 error"), "what a test prints is no finding of a linter: {}", ran.out);
}

/// `cargo test -q` stops at the first binary that fails, so that its run is not complete.
#[test]
fn what_broke_beside_another_is_named_though_the_run_stopped_there() {
    let world = world("");
    world.write("check.sh", "cat suite\n! grep -q FAILED suite\n");
    let suite = |failing: &[&str]| {
        let (failed, passed) = (failing.len(), 3 - failing.len());
        let list: String = failing.iter().map(|name| format!("    {name}\\n")).collect();
        format!(
            "printf '\\nrunning 3 tests\\n...\\nfailures:\\n\\nfailures:\\n{list}\\n\
             test result: FAILED. {passed} passed; {failed} failed; 0 ignored; 0 measured; 0 filtered out\\n\\n\
             error: test failed, to rerun pass `--lib`\\n' > suite"
        )
    };
    world.shell(&suite(&["tests::a"])).exits(0);
    let both = suite(&["tests::a", "tests::c"]);
    let green = "printf 'running 3 tests\\n...\\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\\n' > suite";
    let ran = runs(&world, &format!("case $PITON_ITERATION in 1) {both};; *) {green};; esac"), &[]).exits(0);
    assert!(ran.out.contains("broke tests::c"), "{}", ran.out);
    let unknown = "the test runner does not name the tests that pass";
    assert!(ran.out.contains(unknown), "{}", ran.out);
    assert_eq!(world.json(&["status", "r"])["tests"]["passing_named"], false);
    let report = world.piton(&["report", "r"]).exits(0).out;
    assert!(report.contains("- #1 broke `tests::c`"), "{report}");
}

/// It failed, did not, and fails again; beside it a new one fails.
#[test]
fn what_broke_is_named_where_a_runner_names_only_the_tests_that_fail() {
    let world = world("");
    world.write("check.sh", "cat suite\n! grep -q FAIL suite\n");
    let suite = |failing: &str| {
        let lines = failing
            .split_whitespace()
            .map(|name| format!("--- FAIL: {name} (0.00s)\\n    a_test.go:5: no\\n"));
        format!("printf -- '{}FAIL\\nFAIL\\texample\\t0.002s\\nFAIL\\n' > suite", lines.collect::<String>())
    };
    world.shell(&suite("TestB")).exits(0);
    let (first, second) = (suite("TestC"), suite("TestB TestC"));
    let agent = format!("case $PITON_ITERATION in 1) {first};; 2) {second};; *) echo ok > suite;; esac");
    let ran = runs(&world, &agent, &[]).exits(0);
    assert!(ran.out.contains("broke example.TestC   no longer failing example.TestB"), "{}", ran.out);
    assert!(ran.out.contains("broke example.TestB\n"), "{}", ran.out);
    let told = std::fs::read_to_string(world.beside("prompt3")).unwrap();
    assert!(told.contains("These tests fail now and did not before: example.TestB\n"), "{told}");
    let report = world.piton(&["report", "r"]).exits(0).out;
    let named = "- #1 broke `example.TestC`; no longer failing `example.TestB`\n- #2 broke `example.TestB`\n";
    assert!(report.contains(named), "{report}");
    let world = self::world("");
    world.write("check.sh", "cat suite\n! grep -q FAIL suite\n");
    world.shell(&suite("TestB")).exits(0);
    let agent = format!("echo x >> notes; if test $PITON_ITERATION = 3; then {first}; fi");
    runs(&world, &agent, &[]).exits(3);
    assert_eq!(world.json(&["status", "r"])["tests"]["broken"], serde_json::json!(["example.TestC"]));
    assert!(world.piton(&["status", "r"]).exits(0).out.contains("broke example.TestC"));
}

fn view(world: &World) -> serde_json::Value {
    serde_json::from_str(&world.read(".ralph/state.json")).unwrap()
}

#[test]
fn all_tests_pass_beside_a_red_linter() {
    let world = world("lint = 'false'\n[stop]\nsuccess = [{ type = 'all_tests_pass' }]");
    let ran = runs(&world, FIX, &[]).exits(0);
    assert!(ran.out.contains("all_tests_pass holds"), "{}", ran.out);
    let evaluated = &view(&world)["stop_conditions"]["last_evaluation"];
    assert_eq!(evaluated, "all_tests_pass holds (round 2: 1 of 2 checks pass)");
}

#[test]
fn the_view_has_every_ceiling_every_nested_condition_and_what_ended_the_run() {
    let world = world(
        "[stop]\nconditions = [{ type = 'all', conditions = [{ type = 'no_progress', iterations = 9 }, { type = 'not', condition = { type = 'file_created', path = 'WIP' } }] }]",
    );
    let ceilings =
        ["--max-files", "1", "--max-lines", "1000", "--max-reboots", "5", "--deadline", "23:59:59"];
    runs(&world, "echo x > one; echo y > two", &ceilings).exits(3);
    let shown = &view(&world)["stop_conditions"];
    let progress =
        |name: &str| shown["condition_progress"][name].as_f64().unwrap_or_else(|| panic!("{name}: {shown}"));
    assert!((progress("max_files") - 1.0).abs() < 1e-9, "it stopped the run");
    assert!((progress("max_lines") - 0.002).abs() < 1e-9);
    assert!(progress("max_reboots").abs() < 1e-9 && (0.0..1.0).contains(&progress("deadline")));
    assert!(progress("no_progress(9)").abs() < 1e-9);
    assert!(
        (progress("not(file_created(WIP))") - 1.0).abs() < 1e-9 && progress("file_created(WIP)").abs() < 1e-9
    );
    assert_eq!(shown["last_evaluation"], "max_files is reached (round 2: 0 of 1 checks pass)");
}

#[test]
fn how_full_the_context_is_is_estimated_and_the_score_is_that_of_the_iteration() {
    let world = world("");
    world.configure("[checks]\ntest = 'sh check.sh'\n[session]\nwindow_tokens = 5000\n");
    runs(&world, "head -c 10000 /dev/zero | tr '\\0' x; echo more >> notes", &[]).exits(3);
    let view = view(&world);
    let used = view["session"]["context_usage"].as_u64().unwrap();
    assert!((50..70).contains(&used), "10,000 bytes and the prompt of 20,000: {used}");
    assert_eq!(view["custom"]["piton"]["estimated"], serde_json::json!(["session.context_usage"]));
    let metrics = world.piton(&["metrics", "r"]).exits(0).out;
    let score = view["progress"]["recent_scores"].as_array().unwrap().last().unwrap().as_f64().unwrap();
    assert!(
        metrics.contains(&format!("ralph_loop_progress_score{{loop_id=\"r\"}} {score}\n")),
        "{score}: {metrics}"
    );
    assert!(metrics.contains("ralph_loop_quality_score"), "{metrics}");
}

#[test]
fn every_wrong_condition_is_said_at_once() {
    let world = world("");
    world.write(
        "piton.toml",
        "[stop]\nsuccess = [{ type = 'all_test_pass' }, { type = 'max_iterations' }, { type = 'output_pattern', pattern = '(', is_regex = true }]\nfailure = [{ type = 'file_created', path = '../x', patth = 1 }]\n",
    );
    let ran = world.piton(&["loop", "x", "--exec", "true", "--trust"]).exits(2);
    for says in [
        "unknown condition `all_test_pass`; did you mean `all_tests_pass`?",
        "a condition `max_iterations` needs `count`",
        "unclosed group",
        "`../x` is not a path inside the repository",
        "did you mean `path`?",
    ] {
        assert!(ran.err.contains(says), "{says}: {}", ran.err);
    }
}

#[test]
fn a_condition_that_a_crash_interrupted_is_looked_up_again() {
    let world = world("[stop]\nsuccess = [{ type = 'custom_script', script = 'sh', args = ['probe.sh'] }]");
    world.write("probe.sh", &format!("test -e worked || exit 1; {}; exit 0", crate::common::WAITS));
    world.loops("r", "echo 1 > worked", &["--max-iterations", "3", "--detach"]).exits(0);
    crate::common::eventually("the script of the condition runs", || {
        world.path("worked").exists() && world.count("r", "attempt_finished") == 1
    });
    world.kill_driver("r");
    world.open_gate();
    world.piton(&["resume", "r"]).exits(0);
    assert_eq!(world.count("r", "run_completed"), 1);
}
