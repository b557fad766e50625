//! What comes in from other tools and goes out to them: notes, imports, exports, metrics.

use serde_json::{Value, json};

use crate::common::World;

/// A state as the loop-state-persistence document has it, written by something else.
pub(super) fn foreign(version: u32) -> Value {
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

/// What the loop-state-persistence document has, filled in.
fn rich() -> Value {
    let mut state = foreign(1);
    state["core"]["prompt_path"] = "docs/ASK.md".into();
    state["session"] = json!({
        "current_session_id": "s3", "session_started_at": "2026-02-15T11:30:00Z", "session_iterations": 2,
        "context_usage": 40,
        "session_history": [{"session_id": "s2", "started_at": "2026-02-15T10:00:00Z",
                             "ended_at": "2026-02-15T11:30:00Z", "iterations": 5, "end_reason": "context"}],
    });
    state["tests"] = json!({"failure_streak": 2, "passing_tests": ["a"], "failing_tests": ["x"],
                            "flaky_tests": ["f"], "recently_fixed": ["a"]});
    state["metrics"]["total_reboots"] = 3.into();
    state
}

/// Goes on with `state.json` and rests at once, so that nothing of piton's own is in it yet.
fn imported(world: &World, state: &Value, more: &[&str]) {
    world.write("state.json", &state.to_string());
    let words = ["import", "state.json", "Do it", "--id", "r", "--here", "--attended", "--until", "done"];
    world.piton(&[&words[..], &["--exec", "true", "--max-iterations", "20"], more].concat()).exits(4);
}

#[test]
fn an_import_keeps_what_the_other_tool_put_on_record() {
    let world = World::new();
    imported(&world, &rich(), &[]);
    let view: Value = serde_json::from_str(&world.read(".ralph/state.json")).unwrap();
    assert_eq!(view["core"]["started_at"], "2026-02-15T10:00:00.000Z");
    assert_eq!(view["core"]["prompt_path"], "docs/ASK.md");
    let sessions = view["session"]["session_history"].as_array().unwrap();
    assert_eq!(sessions.iter().map(|it| &it["session_id"]).collect::<Vec<_>>(), ["s2", "s3"]);
    assert_eq!(sessions[0]["end_reason"], "context", "as the other tool says");
    assert_eq!(sessions[1]["end_reason"], "the loop went on with piton");
    assert_eq!(view["progress"]["recent_scores"], json!([1.0, 0.0]));
    assert_eq!(view["tests"]["failing_tests"], json!(["x"]));
    assert_eq!((&view["tests"]["flaky_tests"], &view["tests"]["failure_streak"]), (&json!(["f"]), &json!(2)));
    assert_eq!(view["metrics"]["total_reboots"], 3);
    let status = world.json(&["status", "r"]);
    assert_eq!(status["created_at"], "2026-02-15T10:00:00.000Z");
    let unknown = [&status["used"]["cost_usd"], &status["used"]["tokens"]];
    assert_eq!(unknown, [&Value::Null; 2], "nobody knows what the other tool spent");
    let metrics = world.json(&["metrics", "r"]);
    assert_eq!(metrics[0]["values"]["sessions_created_total"], 2.0);
    let text = world.piton(&["metrics", "r"]).exits(0).out;
    assert!(text.contains("_iteration_duration_seconds_sum{loop_id=\"r\"} 0\n"), "{text}");
}

#[test]
fn a_view_of_a_run_that_is_here_is_not_imported() {
    let world = World::new();
    world.shell("mkdir .aiwg").exits(0);
    let id = "ralph-go-0123abcd";
    world.loops(id, "true", &["--max-iterations", "1", "--check", "c=false"]).exits(3);
    let directory = format!(".aiwg/ralph/loops/{id}");
    for file in [".ralph/state.json", &directory] {
        let ran = world.piton(&["import", file, "Go on", "--exec", "true", "--until", "done"]).exits(2);
        assert!(
            ran.err.contains("is what piton shows of run") && ran.err.contains("`piton resume"),
            "{}",
            ran.err
        );
    }
    world.write("copy.json", &world.read(".ralph/state.json"));
    let elsewhere = World::new();
    elsewhere.write("copy.json", &world.read("copy.json"));
    let words = ["import", "copy.json", "Go on", "--id", "r", "--here", "--attended", "--until", "done"];
    elsewhere.piton(&[&words[..], &["--exec", "true"]].concat()).exits(4);
}

#[test]
fn what_a_file_does_not_say_of_its_iterations_is_unknown() {
    let world = World::new();
    let theirs = json!({"version": "2.0.0", "loop_id": "ralph-fix-tests-a1b2c3d4", "task": "t", "status": "running", "iteration": 7});
    imported(&world, &theirs, &[]);
    let unknown = json!(["metrics.successful_iterations", "metrics.failed_iterations"]);
    let exported = |format: &str| -> Value {
        serde_json::from_str(&world.piton(&["export", "r", "--format", format]).exits(0).out).unwrap()
    };
    assert_eq!(exported("aiwg")["piton"]["unknown"], unknown);
    let view = exported("ralph");
    let named = view["custom"]["piton"]["unknown"].as_array().unwrap();
    assert!(unknown.as_array().unwrap().iter().all(|name| named.contains(name)), "{named:?}");
}

#[test]
fn a_loop_that_says_it_begins_tomorrow_begins_now() {
    let world = World::new();
    let mut state = foreign(1);
    state["core"]["started_at"] = "2099-01-01T00:00:00Z".into();
    imported(&world, &state, &[]);
    let created = world.json(&["status", "r"])["created_at"].as_str().unwrap().to_owned();
    assert!(!created.starts_with("2099"), "{created}");
}

#[test]
fn an_import_of_the_extended_format_keeps_its_histories() {
    let world = World::new();
    std::fs::create_dir(world.path(".aiwg")).unwrap();
    let iteration = json!({"iteration": 1, "timestamp": "2026-02-15T10:10:00Z", "quality_score": 60.0,
        "quality_delta": 0.0, "artifacts": [], "snapshot_path": "x", "regression_detected": false, "recovery_attempted": false});
    let theirs = json!({
        "version": "2.1.0", "loop_id": "ralph-fix-tests-a1b2c3d4", "task": "Fix the tests", "status": "paused", "iteration": 1,
        "started_at": "2026-02-15T10:00:00Z", "configuration": {"max_iterations": 10},
        "metrics": {"total_iterations": 1, "successful_iterations": 1, "failed_iterations": 0},
        "baseline_metrics": {"captured_at": "2026-02-15T10:00:00Z", "test_count": 50, "coverage_percentage": 75.0},
        "iteration_history": [iteration],
        "best_iteration": {"iteration": 1, "quality_score": 60.0, "snapshot_path": "x", "updated_at": "2026-02-15T10:10:00Z"},
        "regression_events": [{"event_id": "e1", "timestamp": "2026-02-15T10:10:00Z", "iteration": 1,
                               "regression_type": "test_deletion", "severity": "low"}],
        "reinforcement_level": "STANDARD",
        "reinforcement_history": [{"timestamp": "2026-02-15T10:00:00Z", "iteration": 1, "from_level": "OFF", "to_level": "STANDARD", "reason": "r"}],
        "recovery_history": [{"recovery_id": "r1", "timestamp": "2026-02-15T10:10:00Z", "iteration": 1, "trigger": "t"}],
        "detected_patterns": [{"pattern_id": "LP-001"}],
        "recovery_attempts": 4,
        "persistence_metrics": {"detection_latency_p95_ms": 450, "true_positive_count": 1, "false_positive_rate": 0.03},
    });
    imported(&world, &theirs, &["--check", "c=true"]);
    let exported = world.piton(&["export", "r", "--format", "aiwg"]).exits(0).out;
    let view: Value = serde_json::from_str(&exported).unwrap();
    for part in [
        "baseline_metrics",
        "best_iteration",
        "iteration_history",
        "regression_events",
        "recovery_history",
        "detected_patterns",
        "reinforcement_history",
        "recovery_attempts",
        "persistence_metrics",
        "started_at",
    ] {
        let expected =
            if part == "started_at" { json!("2026-02-15T10:00:00.000Z") } else { theirs[part].clone() };
        assert_eq!(view[part], expected, "{part}");
    }
    assert_eq!(view["reinforcement_level"], "STANDARD");
    assert_eq!(view["metrics"].get("total_cost_usd"), None, "the file does not say");
    assert_eq!(view["piton"].get("unknown"), None, "its baseline is theirs, and complete");
    world.piton(&["answer", "r", "--approve"]).exits(0);
    world.piton(&["wait", "r"]).exits(4);
    let exported = world.piton(&["export", "r", "--format", "aiwg"]).exits(0).out;
    let view: Value = serde_json::from_str(&exported).unwrap();
    let own = &view["iteration_history"][1];
    assert_eq!(own["iteration"], 2, "{view:#}");
    let delta = own["quality_score"].as_f64().unwrap() - 60.0;
    assert_eq!(own["quality_delta"], delta, "from the last iteration of the other tool: {own}");
}

/// A run directory as the workflow-run-state document has it.
fn run_directory(world: &World) {
    world.write("w.yaml", "name: app\nsteps:\n  - {id: planning, run: 'echo plan >> log'}\n  \
        - {id: coding, run: 'echo code >> log', needs: [planning]}\n  - {id: review, run: 'echo review >> log', needs: [coding]}\n");
    let step = |status: &str| {
        json!({"status": status, "attempts": 1, "iteration_count": 0, "report_path": null,
        "started_at": "2025-01-15T14:30:00.123456Z", "ended_at": null, "last_error": null, "artifacts": [], "metrics": {},
        "logs": [], "manual_input_path": null, "blocked_by_loop": null})
    };
    let theirs = json!({"run_id": "f8c1a491", "workflow_name": "app", "repo_dir": "/x", "reports_dir": "/x", "manual_inputs_dir": "/x",
        "created_at": "2025-01-15T14:30:00.123456Z", "updated_at": "2025-01-15T15:30:00.123456Z",
        "steps": {"planning": step("COMPLETED"), "coding": step("COMPLETED"), "review": step("FAILED")}});
    world.shell("mkdir -p .agents/runs/f8c1a491").exits(0);
    world.write(".agents/runs/f8c1a491/run_state.json", &theirs.to_string());
}

#[test]
fn the_newest_run_of_another_tool_begins_anew_from_a_step() {
    let world = World::new();
    run_directory(&world);
    let ran = world.piton(&["run", "--workflow", "w.yaml", "--start-at-step", "nope"]).exits(2);
    assert!(ran.err.contains("hint: its steps are `planning`, `coding`, `review`"), "{}", ran.err);
    assert!(!ran.err.contains("piton status f8c1a491"), "it is no run here yet: {}", ran.err);
    let ran = world.piton(&["run", "--workflow", "w.yaml", "--start-at-step", "coding"]).exits(0);
    assert!(
        ran.err.contains("going on with what another tool left in `.agents/runs/f8c1a491`"),
        "{}",
        ran.err
    );
    assert_eq!(world.read("log"), "code\nreview\n", "what came before stays");
    let view: Value = serde_json::from_str(&world.read(".agents/runs/f8c1a491/run_state.json")).unwrap();
    assert_eq!(view["created_at"], "2025-01-15T14:30:00.123000Z");
    world.piton(&["run", "w.yaml", "--run-id", "other", "--start-at-step", "coding"]).exits(2);
    world.piton(&["run", "w.yaml", "--start-at-step", "nothing"]).exits(2);
}

#[test]
fn a_run_directory_and_a_gap_file_are_imported_too() {
    let world = World::new();
    run_directory(&world);
    let ran = world.piton(&["import", ".agents/runs/f8c1a491"]).exits(2);
    assert!(
        ran.err.contains("a run of the workflow `app`") && ran.err.contains("--workflow FILE"),
        "{}",
        ran.err
    );
    world.piton(&["import", ".agents/runs/f8c1a491", "--workflow", "w.yaml"]).exits(0);
    assert_eq!(world.read("log"), "review\n", "only what had failed there");

    world.write("more.yaml", "gaps:\n- id: pricing\n  category: market\n");
    let ran = world.piton(&["import", "more.yaml"]).exits(0);
    assert_eq!(ran.out, "1 gap added\n");
    assert_eq!(world.json(&["gaps", "show", "pricing"])["category"], "market");
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
    for broken in ["gone={bad", "gone=[1,", "gone=\"open"] {
        let ran = world.piton(&["note", "r", "--set", broken]).exits(2);
        assert!(ran.err.contains("that is no JSON"), "{}", ran.err);
    }
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

#[test]
fn what_is_exported_holds_nothing_that_a_terminal_obeys() {
    let world = World::new();
    let task = "a \u{202e}b\u{9b}31m c\u{2028}d\u{61c}\u{180e}\u{e0041}";
    world.piton(&["loop", task, "--id", "r", "--exec", "touch b.txt", "--check", "test -f b.txt"]).exits(0);
    for format in ["ralph", "state", "aiwg"] {
        let out = world.piton(&["export", "r", "--format", format]).exits(0).out;
        assert!(
            !out.contains(['\u{202e}', '\u{9b}', '\u{2028}', '\u{61c}', '\u{180e}', '\u{e0041}']),
            "{format}: {out:?}"
        );
        serde_json::from_str::<Value>(&out).unwrap();
    }
    for command in [&["status", "r"][..], &["report", "r"], &["show", "r"], &["log", "r", "--json"], &["ls"]]
    {
        let shown = world.piton(command).exits(0).out;
        assert!(!shown.contains(['\u{2028}', '\u{61c}', '\u{180e}', '\u{e0041}']), "{command:?}: {shown:?}");
    }
}
