//! What comes in from other tools and goes out to them: notes, imports, exports, metrics.

use serde_json::{Value, json};

use crate::common::World;

/// A state as the loop-state-persistence document has it, written by something else.
fn foreign(version: u32) -> Value {
    json!({
        "version": version, "loop_id": "loop_8d0c", "saved_at": "2026-02-15T12:00:00Z",
        "core": {"status": "paused", "iteration": 7, "started_at": "2026-02-15T10:00:00Z",
                 "last_activity": "2026-02-15T12:00:00Z", "working_dir": "/elsewhere", "prompt_path": "TASK.md",
                 "config_hash": "x"},
        "session": {"current_session_id": null, "session_started_at": null, "session_iterations": 0,
                    "context_usage": 40, "session_history": []},
        "progress": {"iterations_since_progress": 1, "last_progress_iteration": 6, "recent_scores": [1.0, 0.0],
                     "modified_files": ["src/a.c"], "completed_objectives": ["parse"], "pending_objectives": ["print"]},
        "tests": {"failure_streak": 2, "passing_tests": [], "failing_tests": ["x"], "flaky_tests": [],
                  "recently_fixed": []},
        "stop_conditions": {"condition_progress": {}, "last_evaluation": null},
        "metrics": {"total_iterations": 7, "successful_iterations": 6, "failed_iterations": 1, "total_reboots": 0,
                    "total_execution_ms": 60000},
        "custom": {"ticket": 42}
    })
}

#[test]
fn a_loop_of_another_tool_is_gone_on_with() {
    let world = World::new();
    std::fs::create_dir(world.path(".ralph")).unwrap();
    world.write(".ralph/state.json", &foreign(1).to_string());
    world.write("TASK.md", "Print what was parsed\n");
    let words = ["import", ".ralph/state.json", "--id", "r", "--here", "--check", "c=test -s out"];
    let ran = world.piton(&[&words[..], &["--exec", "cat > prompt; echo 1 > out"]].concat()).exits(0);
    assert!(ran.out.contains("  #8 "), "it goes on where it was: {}", ran.out);
    assert!(world.read("prompt").starts_with("Print what was parsed"), "{}", world.read("prompt"));
    let status = world.json(&["status", "r"]);
    assert_eq!(status["iteration"], 8);
    assert_eq!(status["limits"]["iterations"]["used"], 8);
    let shown = world.json(&["show", "r"]);
    assert_eq!(shown["state"]["memory"]["custom"]["ticket"], 42);
    assert_eq!(shown["state"]["memory"]["objectives"]["completed"], json!(["parse"]));
    let view: Value = serde_json::from_str(&world.read(".ralph/state.json")).unwrap();
    assert_eq!((&view["loop_id"], &view["metrics"]["total_iterations"]), (&json!("r"), &json!(8)));
    assert!(ran.err.contains("foreign"), "the file of the other tool is kept: {}", ran.err);
}

#[test]
fn a_newer_state_is_refused_with_what_was_expected_and_found() {
    let world = World::new();
    world.write("state.json", &foreign(9).to_string());
    let ran = world.piton(&["import", "state.json", "x", "--exec", "true", "--check", "true"]).exits(2);
    assert!(ran.err.contains("version 9 is newer than 1"), "{}", ran.err);
    world.write("state.json", "{\"version\": 1}");
    world.piton(&["import", "state.json", "x", "--exec", "true", "--check", "true"]).exits(2);
    world.piton(&["import", "nothing.json", "x", "--exec", "true", "--check", "true"]).exits(2);
    assert!(!world.path(".piton").exists(), "nothing was begun");
}

#[test]
fn notes_and_values_are_kept_with_the_run_and_reach_the_agent() {
    let world = World::new();
    world.loops("r", "exit 0", &["--max-iterations", "1", "--check", "c=false"]).exits(3);
    world.piton(&["note", "r", "the parser is fine", "--set", "ticket=42", "--set", "who=ann"]).exits(0);
    world.piton(&["note", "r", "--set", "gone=1", "--set", "nokey"]).exits(2);
    world.piton(&["note", "r"]).exits(2);
    let shown = world.json(&["show", "r"]);
    assert_eq!(shown["state"]["memory"]["custom"], json!({"ticket": 42, "who": "ann"}));
    world.piton(&["note", "r", "--set", "who=null"]).exits(0);
    let exported: Value = serde_json::from_str(&world.piton(&["export", "r"]).exits(0).out).unwrap();
    assert_eq!(exported["custom"]["ticket"], 42);
    assert_eq!(exported["custom"].get("who"), None);
    assert!(world.piton(&["report", "r"]).exits(0).out.contains("the parser is fine"));
}

#[test]
fn metrics_are_what_the_journal_says_and_histograms_add_up() {
    let world = World::new();
    let agent = "echo $PITON_ITERATION > n; printf '{\"cost_usd\": 0.5, \"usage\": {\"input_tokens\": 10, \"output_tokens\": 5}}' > $PITON_REPORT";
    world.loops("r", agent, &["--max-iterations", "3", "--check", "c=false"]).exits(3);
    let text = world.piton(&["metrics"]).exits(0).out;
    for line in [
        "# TYPE ralph_loop_iterations_total counter",
        "ralph_loop_iterations_total{loop_id=\"r\"} 3",
        "ralph_loop_cost_usd_total{loop_id=\"r\"} 1.5",
        "ralph_loop_tokens_total{loop_id=\"r\"} 45",
        "ralph_loop_iteration_duration_seconds_bucket{loop_id=\"r\",le=\"120\"} 3",
        "ralph_loop_iteration_duration_seconds_bucket{loop_id=\"r\",le=\"+Inf\"} 3",
        "ralph_loop_iteration_duration_seconds_count{loop_id=\"r\"} 3",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} in {text}");
    }
    assert!(!text.contains("test_pass_rate"), "what is not known is not there");
    let json = world.json(&["metrics", "r"]);
    let buckets = json[0]["iteration_duration_seconds"]["buckets"].as_array().unwrap();
    let counts: Vec<_> = buckets.iter().map(|bucket| bucket["count"].as_u64().unwrap()).collect();
    assert!(counts.is_sorted() && counts.last() == Some(&3), "{counts:?}");
    assert!(
        world
            .piton(&["metrics", "--format", "statsd"])
            .exits(0)
            .out
            .contains("ralph_loop.r.iterations_total:3|g")
    );
}

#[test]
fn a_loop_of_the_original_extended_tool_is_gone_on_with_too() {
    let world = World::new();
    world.write(
        "current-loop.json",
        &json!({
            "loopId": "ralph-fix-tests-a1b2c3d4", "active": true, "task": "Fix the tests",
            "completion": "make test passes", "maxIterations": 10, "currentIteration": 3, "status": "running",
            "iterations": [], "learnings": ["the parser is slow"],
        })
        .to_string(),
    );
    let words = ["import", "current-loop.json", "--id", "r", "--here", "--check", "c=test -s out"];
    let ran = world.piton(&[&words[..], &["--exec", "cat > prompt; echo 1 > out"]].concat()).exits(0);
    assert!(ran.out.contains("done"), "{}", ran.out);
    assert!(world.read("prompt").starts_with("Fix the tests"), "{}", world.read("prompt"));
    let status = world.json(&["status", "r"]);
    assert!(status["iteration"].as_u64() >= Some(3), "{}", status["iteration"]);
    assert_eq!(status["limits"]["iterations"]["max"], 10);
}

#[test]
fn a_fork_goes_on_from_an_iteration_and_leaves_the_original_alone() {
    let world = World::new();
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "--allow-empty", "-m", "start"]);
    world
        .loops("r", "echo $PITON_ITERATION >> n", &["--max-iterations", "3", "--check", "c=test -s never"])
        .exits(3);
    let before = world.piton(&["log", "r"]).exits(0).out;
    world.piton(&["fork", "r", "--iteration", "9"]).exits(2);
    let ran = world.piton(&["fork", "r", "--iteration", "1", "--id", "f", "--max-iterations", "2"]).exits(3);
    assert!(ran.out.contains("  #2 "), "it goes on where the original was: {}", ran.out);
    let tree = world.path("..").join(format!("{}-f", world.path("").file_name().unwrap().to_string_lossy()));
    assert_eq!(std::fs::read_to_string(tree.join("n")).unwrap(), "1\n2\n");
    assert_eq!(world.read("n"), "1\n2\n3\n");
    assert_eq!(world.piton(&["log", "r"]).exits(0).out, before);
    assert!(world.piton(&["log", "f"]).exits(0).out.contains("goes on with r#1 (fork), 1 iteration in"));
}
