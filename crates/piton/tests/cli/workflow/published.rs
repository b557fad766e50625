//! The published files of a workflow and its reports, as their document shows them.

use serde_json::{Value, json};

use super::{GATE_FAILS, run, steps, view, world};
use crate::common::{World, eventually};

#[test]
fn the_published_example_of_a_run_in_progress_is_what_a_run_in_progress_looks_like() {
    let world = world(
        "
name: workflow
steps:
  - {id: planning, agent: a, prompt: do.md}
  - {id: coding, agent: a, prompt: do.md, needs: [planning]}
  - {id: code_review, agent: a, prompt: do.md, needs: [coding]}
",
    );
    world.write("PLAN.md", "");
    world.write("tasks.yaml", "");
    world.write(
        "says.planning",
        r#""status":"COMPLETED","artifacts":["PLAN.md","tasks.yaml"],"logs":["Created development plan in PLAN.md","Generated task breakdown in tasks.yaml"]"#,
    );
    world.write("hold.coding", "");
    let viewer = world.start(&["run", "w.yaml", "--wrapper", "wrapper.sh", "--run-id", "r1"]);
    world.agent_works("r1", 2);
    let place = world.path(".agents/runs/r1").canonicalize().unwrap().display().to_string();
    let step = |status: &str, attempts: u32| {
        json!({"status": status, "attempts": attempts, "iteration_count": 0, "report_path": null, "started_at": null,
            "ended_at": null, "last_error": null, "artifacts": [], "metrics": {}, "logs": [],
            "manual_input_path": null, "blocked_by_loop": null})
    };
    let mut planning = step("COMPLETED", 1);
    planning["report_path"] = format!("{place}/reports/r1__planning.json").into();
    planning["artifacts"] = json!(["PLAN.md", "tasks.yaml"]);
    planning["logs"] =
        json!(["Created development plan in PLAN.md", "Generated task breakdown in tasks.yaml"]);
    let repo = world.path("").canonicalize().unwrap().display().to_string();
    let expected = json!({
        "run_id": "r1", "workflow_name": "workflow", "repo_dir": repo,
        "reports_dir": format!("{place}/reports"), "manual_inputs_dir": format!("{place}/manual_inputs"),
        "created_at": "T", "updated_at": "T",
        "steps": {"planning": planning, "coding": step("RUNNING", 1), "code_review": step("PENDING", 0)},
    });
    // A view may lag.
    eventually("created, updated, started, ended, started", || moments(&mut view(&world)) == 5);
    let mut found = view(&world);
    moments(&mut found);
    let mut expected = expected;
    for (id, field) in [("planning", "started_at"), ("planning", "ended_at"), ("coding", "started_at")] {
        expected["steps"][id][field] = "T".into();
    }
    assert_eq!(found, expected);
    world.open_gate();
    viewer.ends().exits(0);
}

/// Replaces every moment by `T`, all of which have six digits behind the point, and says how many there were.
fn moments(view: &mut Value) -> usize {
    let shape = |text: &str| text.replace(|character: char| character.is_ascii_digit(), "0");
    match view {
        Value::String(text) if shape(text) == "0000-00-00T00:00:00.000000Z" => {
            *view = "T".into();
            1
        }
        Value::Array(items) => items.iter_mut().map(moments).sum(),
        Value::Object(fields) => fields.values_mut().map(moments).sum(),
        _ => 0,
    }
}

#[test]
fn the_published_example_of_a_loop_back() {
    let world = world(
        "
name: code_review_loop_workflow
steps:
  - {id: coding, agent: a, prompt: do.md}
  - {id: code_review, agent: a, prompt: do.md, needs: [coding], loop_back_to: coding}
",
    );
    world.write("says.code_review.1", GATE_FAILS);
    world.write("says.code_review.2", GATE_FAILS);
    let viewer = world.start(&["run", "w.yaml", "--wrapper", "wrapper.sh", "--run-id", "r1"]);
    viewer.prints("loop-back 2 of 4");
    viewer.ends().exits(0);
    assert_eq!(steps(&world, "iteration_count"), json!({"coding": 2, "code_review": 2}));
    assert_eq!(
        steps(&world, "attempts"),
        json!({"coding": 1, "code_review": 1}),
        "tries begin anew at a loop-back"
    );
}

#[test]
fn the_published_example_of_a_failure_and_the_exit_code_says_so() {
    let world = world("name: workflow\nsteps: [{id: coding, agent: a, prompt: do.md}]\n");
    world.write(
        "says.coding",
        r#""status":"FAILED","logs":["Attempted to implement feature","Syntax error"]"#,
    );
    let ran = run(&world, &[]).exits(1);
    assert!(
        ran.out.contains("failed   step `coding`: Attempted to implement feature, Syntax error"),
        "{}",
        ran.out
    );
    let step = &view(&world)["steps"]["coding"];
    assert_eq!(
        (&step["status"], &step["attempts"], &step["last_error"]),
        (&json!("FAILED"), &json!(2), &json!("Attempted to implement feature, Syntax error"))
    );
    assert!(step["report_path"].as_str().unwrap().ends_with("/reports/r1__coding.json"));
}

#[test]
fn the_published_example_of_a_step_that_waits_for_a_person() {
    let world = world(
        "
name: workflow
steps:
  - {id: code_review, agent: a, prompt: do.md}
  - {id: manual_approval, agent: a, prompt: do.md, needs: [code_review], human_in_the_loop: true}
",
    );
    world.write(
        "says.code_review",
        r#""status":"OK","metrics":{"issues_found":3,"severity":"medium"},"logs":["Found 3"]"#,
    );
    run(&world, &["--pause-for-human-input"]).exits(4);
    let found = view(&world);
    assert_eq!(found["steps"]["code_review"]["metrics"], json!({"issues_found": "3", "severity": "medium"}));
    let waiting = &found["steps"]["manual_approval"];
    assert_eq!(waiting["status"], "WAITING_ON_HUMAN");
    assert_eq!(
        (&waiting["report_path"], &waiting["ended_at"], &waiting["logs"]),
        (&Value::Null, &Value::Null, &json!([]))
    );
    assert!(
        waiting["manual_input_path"].as_str().unwrap().ends_with("/manual_inputs/r1__manual_approval.json")
    );
}

#[test]
fn a_report_about_something_else_or_never_filled_in_is_refused() {
    for (says, why) in [
        (r#""status":"COMPLETED","run_id":"other","logs":["x"]"#, "about run_id `other`"),
        (r#""status":"COMPLETED","logs":["<placeholder>"]"#, "never filled in"),
        (r#""status":"COMPLETED","artifacts":["TODO"]"#, "never filled in"),
        ("silence", "exited with code 3 without writing a run report"),
    ] {
        let world = world("name: w\nsteps: [{id: a, agent: x, prompt: do.md}]\n");
        world.write("says.a", says);
        run(&world, &["--max-attempts", "1"]).exits(1);
        let error = view(&world)["steps"]["a"]["last_error"].as_str().unwrap().to_owned();
        assert!(error.contains(why), "{says}: {error}");
    }
}

#[test]
fn an_artifact_that_is_there_may_have_any_name() {
    let world = world("name: w\nsteps: [{id: a, agent: x, prompt: do.md}]\n");
    world.write("TODO", "sweep the floor\n");
    world.write("says.a", r#""status":"COMPLETED","artifacts":["TODO"]"#);
    run(&world, &["--max-attempts", "1"]).exits(0);
}

#[test]
fn a_report_tells_what_every_step_did() {
    let world = world(
        "name: w\nsteps: [{id: a, run: 'echo no; exit 2', max_attempts: 1}, {id: b, run: 'true', needs: [a]}]\n",
    );
    run(&world, &[]).exits(1);
    insta::assert_snapshot!(world.piton(&["report", "r1"]).exits(0).out, @"
    # w

    Run `r1` of `w.yaml`: **failed**, step `a`: the command exited with 2: no.

     T s of work, 1 attempt (1 failed, 0 lost), 0 loop-backs.

    | step | status | tries | loop-backs | took | made |
    |---|---|---|---|---|---|
    | a | FAILED | 1 | 0 | T s |  |
    | b | PENDING | 0 | 0 |  |  |

    ## What went wrong

    - `a`: the command exited with 2: no
    ");
    assert_eq!(world.json(&["report", "r1"])["steps"][0]["last_error"], "the command exited with 2: no");
}

/// What a step may write of itself, completed.
const COMPLETED: &str = r#"printf '{"schema":"run_report@v0","run_id":"%s","step_id":"%s","agent":"a","status":"STATUS","started_at":"2026-01-01T00:00:00Z","ended_at":"2026-01-01T00:00:01Z","logs":["all well"],"metrics":{"bugs":2}}' "$RUN_ID" "$STEP_ID" > "$REPORT_PATH""#;

#[test]
fn the_exit_code_of_a_command_is_its_outcome_whatever_it_reports() {
    let world = World::new();
    let script = |status: &str, code: u32| {
        world.write(
            "step.sh",
            &format!("{}; echo no >&2; exit {code}\n", COMPLETED.replace("STATUS", status)),
        );
    };
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'sh step.sh'}]\n");
    let step = |run: &str| world.json(&["status", run])["steps"][0].clone();
    script("COMPLETED", 3);
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--max-attempts", "1"]).exits(1);
    assert_eq!(step("r1")["last_error"], "the command exited with 3: no");
    // A report adds to what is known, and a failure that it tells is one.
    script("COMPLETED", 0);
    world.piton(&["run", "w.yaml", "--run-id", "r2"]).exits(0);
    assert_eq!(world.json(&["show", "r2"])["state"]["steps"][0]["metrics"]["bugs"], 2);
    script("FAILED", 0);
    world.piton(&["run", "w.yaml", "--run-id", "r3", "--max-attempts", "1"]).exits(1);
    // A gate that says no by its exit code sends back, also where it reports.
    script("COMPLETED", 3);
    world.write(
        "w.yaml",
        "name: w\nsteps: [{id: a, run: 'true'}, {id: b, run: 'sh step.sh', needs: [a], loop_back_to: a}]\n",
    );
    world.piton(&["run", "w.yaml", "--run-id", "r4", "--max-iterations", "1"]).exits(1);
    assert!(world.count("r4", "looped_back") > 0);
}
