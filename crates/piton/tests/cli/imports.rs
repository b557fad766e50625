//! What `piton import` takes of a file that another tool wrote, what it refuses, and what it says about it.

use serde_json::{Value, json};

use crate::common::{Ran, World};
use crate::exchange::foreign;

/// The same state with something else at this place; without it where that is `None`.
fn with(mut state: Value, pointer: &str, value: Option<Value>) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = state.pointer_mut(parent).unwrap();
    match (value, parent) {
        (Some(value), Value::Object(members)) => drop(members.insert(name.to_owned(), value)),
        (None, Value::Object(members)) => drop(members.remove(name)),
        (_, parent) => panic!("{parent} has no members"),
    }
    state
}

fn import(world: &World, state: &Value, more: &[&str]) -> Ran {
    world.write("state.json", &state.to_string());
    let words = ["import", "state.json", "--id", "r", "--here", "--exec", "true", "--check", "c=true"];
    world.piton(&[&words[..], more].concat())
}

/// Goes on with it and rests at once, so that nothing of piton's own is in it yet.
fn rests(world: &World, state: &Value, more: &[&str]) -> Ran {
    import(world, state, &[&["Do it", "--attended"], more].concat()).exits(4)
}

/// That the file is refused, and each of these is said.
fn refuses(state: &Value, said: &[&str]) {
    let world = World::new();
    let ran = import(&world, state, &["Do it"]).exits(2);
    for words in said {
        assert!(ran.err.contains(words), "`{words}` is not in: {}", ran.err);
    }
    assert!(!ran.err.contains("cannot be read"), "its version is right: {}", ran.err);
    assert!(!world.path(".piton").exists(), "nothing was begun");
}

#[test]
fn a_state_that_is_wrong_in_one_place_is_refused_with_that_place() {
    for (pointer, value, said) in [
        ("/core", None, "core: is missing"),
        ("/saved_at", None, "saved_at: is missing"),
        ("/core/status", None, "core.status: is missing"),
        ("/core/status", Some(json!("idle")), "core.status: \"idle\" is none of running, paused, rebooting"),
        ("/core/iteration", Some(json!(true)), "core.iteration: true is no integer"),
        ("/core/iteration", Some(json!(-1)), "core.iteration: -1 is less than 0"),
        ("/core/iteration", Some(json!("3")), "core.iteration: \"3\" is no integer"),
        ("/core/started_at", Some(json!("yesterday")), "core.started_at: \"yesterday\" is no moment"),
        ("/session/context_usage", Some(json!(300)), "session.context_usage: 300 is more than 100"),
        ("/session/session_history", Some(json!([{}])), "session.session_history[0].session_id: is missing"),
        ("/progress/recent_scores", Some(json!(["a"])), "progress.recent_scores[0]: \"a\" is no number"),
        ("/custom", Some(json!([])), "custom: [] is no object"),
        ("/version", Some(json!("1")), "version: \"1\" is no integer"),
    ] {
        refuses(&with(foreign(1), pointer, value), &[said]);
    }
    let twice = with(foreign(1), "/core/status", Some(json!("idle")));
    refuses(&with(twice, "/saved_at", None), &["core.status", "saved_at", "2 problems"]);
}

#[test]
fn what_a_state_need_not_say_has_its_default() {
    for pointer in [
        "/custom",
        "/metrics",
        "/session",
        "/progress",
        "/tests",
        "/stop_conditions",
        "/core/config_hash",
        "/core/prompt_path",
        "/metrics/total_reboots",
        "/progress/last_progress_iteration",
    ] {
        let world = World::new();
        rests(&world, &with(foreign(1), pointer, None), &[]);
        assert_eq!(world.json(&["status", "r"])["iteration"], 7, "without {pointer}");
    }
}

#[test]
fn a_date_without_a_zone_is_meant_in_utc() {
    let world = World::new();
    rests(&world, &with(foreign(1), "/core/started_at", Some(json!("2026-02-15T10:00:00.5"))), &[]);
    assert_eq!(world.json(&["status", "r"])["created_at"], "2026-02-15T10:00:00.500Z");
    let world = World::new();
    let theirs = with(extended(), "/iteration_history/0/timestamp", Some(json!("2026-02-15 10:10:00")));
    rests(&world, &with(theirs, "/started_at", Some(json!("2026-02-15T10:00:00"))), &[]);
    assert_eq!(world.json(&["status", "r"])["created_at"], "2026-02-15T10:00:00.000Z");
    assert_eq!(view(&world)["iteration_history"][0]["timestamp"], "2026-02-15T10:10:00.000Z");
}

#[test]
fn a_count_that_no_run_comes_to_is_refused_with_its_bound() {
    for (pointer, count) in [
        ("/metrics/total_iterations", 5_000_000_000_u64),
        ("/metrics/total_reboots", 1 << 40),
        ("/core/iteration", 4_294_967_294),
        ("/session/session_iterations", 4_294_967_295),
        ("/progress/iterations_since_progress", 4_294_967_295),
        ("/tests/failure_streak", 4_294_967_295),
    ] {
        let said = format!("{}: {count} is more than 1000000000", pointer[1..].replace('/', "."));
        refuses(&with(foreign(1), pointer, Some(json!(count))), &[&said]);
    }
    for pointer in ["/iteration", "/metrics/total_iterations", "/recovery_attempts"] {
        let said = format!("{}: 4294967295 is more than 1000000000", pointer[1..].replace('/', "."));
        refuses(&with(extended(), pointer, Some(json!(u32::MAX))), &[&said]);
    }
    let original = json!({"task": "t", "maxIterations": 10, "currentIteration": u32::MAX});
    refuses(&original, &["currentIteration: 4294967295 is more than 1000000000"]);
    let world = World::new();
    let most = with(foreign(1), "/metrics/total_iterations", Some(json!(1_000_000_000)));
    let ran = import(&world, &most, &["Do it", "--max-iterations", "2000000000", "--until", "done"]);
    assert!(ran.out.contains("#1000000001"), "there is room to go on: {} {}", ran.out, ran.err);
}

/// A state as the extended format has it, written by something else.
fn extended() -> Value {
    json!({
        "version": "2.1.0", "loop_id": "ralph-fix-tests-a1b2c3d4", "task": "Fix the tests", "status": "paused",
        "iteration": 1, "started_at": "2026-02-15T10:00:00Z",
        "configuration": {"max_iterations": 33, "timeout_minutes": 7},
        "metrics": {"total_iterations": 1, "successful_iterations": 1, "failed_iterations": 0},
        "baseline_metrics": {"captured_at": "2026-02-15T10:00:00Z", "test_count": 50, "coverage_percentage": 75.0},
        "iteration_history": [{"iteration": 1, "timestamp": "2026-02-15T10:10:00Z", "quality_score": 60.0, "artifacts": []}],
        "regression_events": [{"timestamp": "2026-02-15T10:10:00Z", "iteration": 1, "regression_type": "test_deletion",
                               "severity": "low", "recovery_outcome": null}],
        "reinforcement_level": "standard",
        "recovery_attempts": 1,
        "recovery_history": [{"timestamp": "2026-02-15T10:10:00Z", "iteration": 1, "trigger": "t",
                              "protocol_steps": {"diagnose": {"confidence": 0.5}}}],
    })
}

fn view(world: &World) -> Value {
    serde_json::from_str(&world.piton(&["export", "r", "--format", "aiwg"]).exits(0).out).unwrap()
}

#[test]
fn what_the_schema_of_the_extended_format_refuses_is_not_taken_over() {
    for (pointer, value, said) in [
        ("/baseline_metrics/test_count", Some(json!(-1)), "baseline_metrics.test_count: -1 is less than 0"),
        (
            "/baseline_metrics/coverage_percentage",
            Some(json!(101)),
            "coverage_percentage: 101 is more than 100",
        ),
        ("/baseline_metrics/captured_at", None, "baseline_metrics.captured_at: is missing"),
        ("/iteration_history/0/quality_score", Some(json!(101)), "iteration_history[0].quality_score: 101"),
        ("/iteration_history/0/artifacts", None, "iteration_history[0].artifacts: is missing"),
        ("/regression_events/0/regression_type", Some(json!("bogus")), "\"bogus\" is none of test_deletion"),
        ("/regression_events/0/severity", Some(json!("urgent")), "\"urgent\" is none of critical, high"),
        (
            "/recovery_history/0/protocol_steps/diagnose/confidence",
            Some(json!(1.5)),
            "confidence: 1.5 is more than 1",
        ),
        ("/recovery_history/0/trigger", None, "recovery_history[0].trigger: is missing"),
        ("/reinforcement_level", Some(json!("loud")), "reinforcement_level: \"LOUD\" is none of OFF"),
        ("/iteration", None, "iteration: is missing"),
    ] {
        refuses(&with(extended(), pointer, value), &[said]);
    }
    let twice = with(extended(), "/baseline_metrics/test_count", Some(json!(-1)));
    refuses(&with(twice, "/recovery_history/0/trigger", None), &["test_count", "trigger", "2 problems"]);
}

#[test]
fn what_is_taken_over_of_the_extended_format_fits_its_schema() {
    let world = World::new();
    rests(&world, &extended(), &[]);
    let schema: Value = serde_json::from_str(&world.piton(&["schema", "aiwg-state"]).exits(0).out).unwrap();
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    let view = view(&world);
    let problems: Vec<_> = validator.iter_errors(&view).map(|error| error.to_string()).collect();
    assert!(problems.is_empty(), "{problems:?}: {view:#}");
    assert_eq!(view["regression_events"][0].get("recovery_outcome"), None, "what is null is not there");
    assert_eq!(view["reinforcement_level"], "STANDARD");
}

#[test]
fn a_file_without_a_task_goes_on_with_the_task_that_is_given() {
    let least =
        json!({"version": "2.0.0", "loop_id": "ralph-x-a1b2c3d4", "status": "paused", "iteration": 3});
    let world = World::new();
    rests(&world, &least, &[]);
    assert_eq!((&view(&world)["task"], &view(&world)["iteration"]), (&json!("Do it"), &json!(3)));
    let world = World::new();
    let ran = import(&world, &least, &[]).exits(2);
    assert!(ran.err.contains("no task") && ran.err.contains("piton import"), "{}", ran.err);
}

#[test]
fn the_limits_of_a_file_hold_unless_flags_say_otherwise() {
    let limits = |more: &[&str]| {
        let world = World::new();
        let ran = rests(&world, &extended(), more);
        let limits = world.json(&["status", "r"])["limits"].clone();
        (limits["iterations"]["max"].clone(), limits["duration_ms"]["max"].clone(), ran.err)
    };
    let (iterations, duration, said) = limits(&[]);
    assert_eq!((iterations, duration), (json!(33), json!(7 * 60_000)));
    assert!(said.contains("its limits hold: 33 iterations; 7m of work\n"), "{said}");
    let (iterations, duration, said) = limits(&["--max-duration", "2h"]);
    assert_eq!((iterations, duration), (json!(33), json!(2 * 3_600_000)));
    assert!(said.contains("its limits hold: 33 iterations\n"), "{said}");
    let world = World::new();
    let spent = with(extended(), "/metrics/total_duration_seconds", Some(json!(900)));
    let ran = import(&world, &spent, &[]).exits(3);
    assert!(ran.err.contains("33 iterations; 7m of work, used up\n"), "{}", ran.err);
    assert!(ran.out.contains("--max-duration"), "what to do about it: {}", ran.out);
    let world = World::new();
    let original = json!({"task": "t", "maxIterations": 10, "currentIteration": 1, "timeoutMinutes": 60});
    rests(&world, &original, &[]);
    assert_eq!(world.json(&["status", "r"])["limits"]["duration_ms"]["max"], 3_600_000);
}

#[test]
fn a_test_that_was_flaky_elsewhere_is_flaky_here_while_it_is_there() {
    let world = World::new();
    world.write("suite", "echo; echo 'running 2 tests'; echo 'test a ... ok'; echo 'test b ... FAILED'; echo; \
        echo 'test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s'; exit 1\n");
    let mut theirs = foreign(1);
    theirs["tests"] = json!({"failure_streak": 1, "passing_tests": ["a", "gone"], "failing_tests": ["b"],
                             "flaky_tests": ["a", "gone"], "recently_fixed": ["a", "gone"]});
    world.write("state.json", &theirs.to_string());
    let words = ["import", "state.json", "Do it", "--id", "r", "--here", "--check", "c=sh suite"];
    let agent =
        "cp \"$PITON_PROMPT_FILE\" prompt; $PITON_BIN export r > live.json; echo $PITON_ITERATION > n";
    world.piton(&[&words[..], &["--exec", agent, "--max-iterations", "8"]].concat()).exits(3);
    let live: Value = serde_json::from_str(&world.read("live.json")).unwrap();
    assert_eq!(
        (&live["tests"]["passing_tests"], &live["tests"]["flaky_tests"]),
        (&json!(["a"]), &json!(["a"]))
    );
    assert_eq!(live["tests"]["recently_fixed"], json!(["a"]), "nothing came after it yet");
    assert!(world.read("prompt").contains("pass and fail in turn"), "{}", world.read("prompt"));
    let after: Value = serde_json::from_str(&world.piton(&["export", "r"]).exits(0).out).unwrap();
    assert_eq!(
        (&after["tests"]["flaky_tests"], &after["tests"]["recently_fixed"]),
        (&json!(["a"]), &json!([]))
    );
    assert_eq!(world.json(&["status", "r"])["tests"]["flaky"], json!(["a"]));
}
