//! Reasons to stop: what `[stop]` and `--until` say, and tests by name.

use crate::common::World;

/// A project whose check runs `suite`, which prints what pytest would.
fn world(stop: &str) -> World {
    let world = World::outside_git();
    world.write("suite", "a.py::one FAILED\na.py::two PASSED\n===== 1 failed, 1 passed in 0.01s =====\n");
    world.write("check.sh", "cat suite\n! grep -q FAILED suite\n");
    world.git(&["init", "-q", "-b", "main"]);
    world.git(&["add", "."]);
    world.git(&["commit", "-q", "-m", "start"]);
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

/// Whoever goes on although a condition holds means to: it is judged again after the next iteration.
#[test]
fn a_resume_gets_past_a_condition_that_still_holds() {
    let world = world("[stop]\nconditions = [{ type = 'file_created', path = 'flag' }]");
    let agent =
        "echo x >> notes; test $PITON_ITERATION != 2 || rm flag; test $PITON_ITERATION != 1 || touch flag";
    let ran = runs(&world, agent, &[]).exits(3);
    assert!(ran.out.contains("file_created(flag) holds"), "{}", ran.out);
    assert!(ran.out.contains("next      piton resume r\n"), "{}", ran.out);
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
    assert!(told.contains("These tests passed before and fail now: a.py::two"), "{told}");
    let view: serde_json::Value = serde_json::from_str(&world.read(".ralph/state.json")).unwrap();
    assert_eq!(view["tests"]["passing_tests"], serde_json::json!(["a.py::one", "a.py::two"]));
    assert_eq!(view["tests"]["recently_fixed"], serde_json::json!(["a.py::two"]));
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
    let words = [
        "loop",
        "x",
        "--id",
        "r",
        "--here",
        "--detach",
        "--exec",
        "echo 1 > worked",
        "--max-iterations",
        "3",
    ];
    world.piton(&words).exits(0);
    crate::common::eventually("the script of the condition runs", || {
        world.path("worked").exists() && world.count("r", "attempt_finished") == 1
    });
    world.kill_driver("r");
    world.open_gate();
    world.piton(&["resume", "r"]).exits(0);
    assert_eq!(world.count("r", "run_completed"), 1);
}
