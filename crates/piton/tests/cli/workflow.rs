//! Workflows: the published files, wrappers, gates, people, and what survives a kill.

use serde_json::{Value, json};

use super::common::{Ran, World, eventually};

/// A wrapper that knows the contract and nothing else: its arguments, and where the report goes. What it reports of
/// the nth run of a step is in `says.STEP.N` or `says.STEP`; `hold.STEP` makes it wait for the gate.
const WRAPPER: &str = r#"#!/bin/sh
while [ $# -gt 0 ]; do
  case "$1" in
    --run-id) run=$2 ;; --step-id) step=$2 ;; --agent) agent=$2 ;;
    --prompt) prompt=$2 ;; --repo) repo=$2 ;; --report) report=$2 ;;
  esac
  shift 2
done
test -r "$prompt" || exit 9
count="$BESIDE/count.$run.$step"
times=$(($(cat "$count" 2>/dev/null || echo 0) + 1))
echo $times > "$count"
if test -e "$repo/hold.$step"; then until test -e "$GATE"; do sleep 0.02; done; fi
says="$repo/says.$step.$times"
test -e "$says" || says="$repo/says.$step"
if test -e "$says"; then more=$(cat "$says"); else more='"status":"COMPLETED","logs":["did it"]'; fi
test "$more" = silence && exit 3
printf '{"schema":"run_report@v0","run_id":"%s","step_id":"%s","agent":"%s","started_at":"2026-01-01T00:00:00Z","ended_at":"2026-01-01T00:00:01Z",%s}' \
  "$run" "$step" "$agent" "$more" > "$report"
"#;

/// A world with the wrapper, a prompt and this workflow.
pub(super) fn world(workflow: &str) -> World {
    let world = World::new();
    world.write("wrapper.sh", WRAPPER);
    world.shell("chmod +x wrapper.sh").exits(0);
    world.write("do.md", "Do it.\n");
    world.write("w.yaml", workflow);
    world
}

pub(super) fn run(world: &World, more: &[&str]) -> Ran {
    world.piton(&[&["run", "w.yaml", "--wrapper", "wrapper.sh", "--run-id", "r1"], more].concat())
}

fn view(world: &World) -> Value {
    serde_json::from_str(&world.read(".agents/runs/r1/run_state.json")).unwrap()
}

/// The field of every step, by step.
fn steps(world: &World, field: &str) -> Value {
    let view = view(world);
    let steps = view["steps"].as_object().unwrap();
    Value::Object(steps.iter().map(|(id, step)| (id.clone(), step[field].clone())).collect())
}

/// A gate loop, a fan-out and a person.
const REFERENCE: &str = "
name: release
steps:
  - {id: plan, agent: planner, prompt: do.md}
  - {id: code, agent: coder, prompt: do.md, needs: [plan]}
  - {id: docs, agent: writer, prompt: do.md, needs: [plan]}
  - {id: review, agent: reviewer, prompt: do.md, needs: [code, docs], loop_back_to: code}
  - {id: approve, agent: lead, prompt: do.md, needs: [review], human_in_the_loop: true}
  - {id: ship, run: 'test -z \"$MANUAL_RESULT_PATH\" || cp \"$MANUAL_RESULT_PATH\" shipped.json', needs: [approve]}
";

const GATE_FAILS: &str = r#""status":"COMPLETED","logs":["two bugs"],"gate_failure":true"#;

#[test]
fn a_workflow_runs_goes_back_and_asks_a_person() {
    let world = world(REFERENCE);
    world.write("says.review.1", GATE_FAILS);
    let ran = run(&world, &["--pause-for-human-input", "--max-parallel", "1"]).exits(4);
    insta::assert_snapshot!(ran.out, @"
    run r1 · release · 6 steps, people asked · up to 1 at once
      completed          plan  ( T s)
      completed          code  ( T s)
      completed          docs  ( T s)
      completed          review  ( T s)  Gate failure: two bugs
      gate failed        review → code  (loop-back 1 of 4)
      completed          code  ( T s)
      completed          review  ( T s)
      asks you           approve  (question 1)
    waiting   step `approve` asks question 1 · 4 of 6 steps · 7 attempts · 1 loop-back
    question 1 (step `approve`):
      Step `approve` is done. Does it count?
      log:
        did it
    next    piton answer r1
    ");
    let counts = json!({"plan": 0, "code": 1, "docs": 0, "review": 1, "approve": 1, "ship": 1});
    assert_eq!(steps(&world, "iteration_count"), counts);
    assert!(
        world.path(".agents/runs/r1/reports/archive").read_dir().unwrap().count() > 0,
        "old reports stay"
    );

    world.write("input.json", r#"{"ticket": 7}"#);
    world.piton(&["answer", "r1", "--approve", "--comment", "good", "--input", "input.json"]).exits(0);
    world.piton(&["wait", "r1"]).exits(0);
    assert_eq!(steps(&world, "status")["ship"], "COMPLETED");
    let passed_on: Value = serde_json::from_str(&world.read("shipped.json")).unwrap();
    assert_eq!(passed_on["ticket"], 7, "what a person passes on reaches the steps that follow");
    assert_eq!(passed_on["approved"], true);
}

#[test]
fn what_a_person_rejects_reaches_the_step_that_is_gone_back_to() {
    let world = world(
        "
name: w
steps:
  - {id: code, run: 'test -z \"$MANUAL_RESULT_PATH\" || cp \"$MANUAL_RESULT_PATH\" said.json; echo run $STEP_ATTEMPT'}
  - {id: approve, agent: lead, prompt: do.md, needs: [code], human_in_the_loop: true, loop_back_to: code, on_reject: loop_back}
",
    );
    run(&world, &["--pause-for-human-input"]).exits(4);
    world.piton(&["answer", "r1", "--reject", "--comment", "the title is wrong"]).exits(0);
    let mut said = Value::Null;
    eventually("the step began again and has its copy", || {
        let copy = std::fs::read(world.path("said.json")).unwrap_or_default();
        serde_json::from_slice(&copy).map(|whole| said = whole).is_ok()
    });
    assert_eq!((&said["approved"], &said["comments"]), (&json!(false), &json!("the title is wrong")));
    // The log of the first time is still there.
    let archive = world.path(".agents/runs/r1/logs/archive").read_dir().unwrap();
    let names: Vec<_> = archive.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.contains(&"r1__code__before3.log".to_owned()), "{names:?}");
}

#[test]
fn a_file_answers_as_well_and_one_that_cannot_be_read_changes_nothing() {
    let world = world(REFERENCE);
    run(&world, &["--pause-for-human-input"]).exits(4);
    let input = ".agents/runs/r1/manual_inputs/r1__approve.json";
    world.write(input, "{");
    let ran = world.piton(&["resume", "r1"]).exits(4);
    assert!(ran.out.contains("goes on waiting"), "{}", ran.out);
    world.write(input, r#"{"approved": false, "comments": "not yet"}"#);
    let ran = world.piton(&["resume", "r1"]).exits(1);
    assert!(ran.out.contains("Rejected by a person: not yet"), "{}", ran.out);
    assert_eq!(steps(&world, "status")["approve"], "FAILED");
}

#[test]
fn an_input_that_comes_while_other_steps_run_is_seen() {
    let world = world(
        "
name: side by side
steps:
  - {id: slow, agent: a, prompt: do.md}
  - {id: ask, agent: a, prompt: do.md, human_in_the_loop: true}
",
    );
    world.write("hold.slow", "");
    let viewer = world.start(&[
        "run",
        "w.yaml",
        "--wrapper",
        "wrapper.sh",
        "--run-id",
        "r1",
        "--pause-for-human-input",
    ]);
    viewer.prints("asks you");
    world.write(".agents/runs/r1/manual_inputs/r1__ask.json", "{}");
    viewer.prints("answered: Approve");
    world.open_gate();
    viewer.ends().exits(0);
}

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
fn a_killed_driver_loses_nothing_and_starts_nothing_twice() {
    let world = world(REFERENCE);
    world.write("hold.code", "");
    world.piton(&["run", "w.yaml", "--wrapper", "wrapper.sh", "--run-id", "r1", "--detach"]).exits(0);
    let state = world.path(".agents/runs/r1/run_state.json");
    eventually("a branch works", || state.exists() && steps(&world, "status")["code"] == "RUNNING");
    world.agent_works("r1", 2);
    world.kill_driver("r1");
    world.open_gate();
    let ran = world.piton(&["resume", "r1"]).exits(0);
    assert!(ran.out.contains("completed   every step is completed or skipped"), "{}", ran.out);
    for step in ["plan", "code", "docs", "review", "approve"] {
        let count = std::fs::read_to_string(world.beside(&format!("count.r1.{step}"))).unwrap();
        assert_eq!(count.trim(), "1", "step {step} ran once");
    }
    assert_eq!(world.count("r1", "step_lost"), 0);
    world.piton(&["verify"]).exits(0);
}

#[test]
fn everything_that_is_wrong_with_a_workflow_is_said_at_once_and_nothing_is_run() {
    let world = world(
        "
name: wrong
steps:
  - {id: a, agent: x, prompt: nowhere.md, needs: [b]}
  - {id: b, run: 'true', needs: [a], colour: red}
  - {id: b, run: 'true', loop_back_to: zzz}
",
    );
    let ran = run(&world, &[]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: the workflow cannot be run: 5 problems
      <repo>/w.yaml:4: these steps wait for each other: a → b → a   hint: remove one of these `needs`
      <repo>/w.yaml:4: there is no prompt `nowhere.md`   hint: write it to one of `<repo>/.agents/prompts/nowhere.md`, `<repo>/nowhere.md`
      <repo>/w.yaml:5: a step has no field `colour`   hint: put what is yours under `metadata`
      <repo>/w.yaml:6: step `b` is there twice; the first is step 2 of the list   hint: give it a name of its own
      <repo>/w.yaml:6: there is no step `zzz`   hint: add it, or remove the name
    ");
    assert!(!world.path(".agents").exists());
    assert!(!world.path(".piton").exists());
}

#[test]
fn the_plan_is_shown_without_running_anything() {
    let world = world(REFERENCE);
    let ran = world.piton(&["run", "w.yaml", "--check-only"]).exits(0);
    assert!(ran.out.starts_with("release: 6 steps, 5 levels\n"), "{}", ran.out);
    assert!(ran.out.contains("graph TD"));
    assert_eq!(world.json(&["run", "w.yaml", "--check-only"])["steps"], 6);
    assert!(!world.path(".piton").exists());
}

#[test]
fn a_run_begins_anew_from_a_step_and_keeps_what_came_before() {
    let world = world(REFERENCE);
    run(&world, &[]).exits(0);
    let ran = run(&world, &[]).exits(2);
    assert!(ran.err.contains("is completed"), "{}", ran.err);
    world.piton(&["run", "w.yaml", "--wrapper", "wrapper.sh", "--start-at-step", "review"]).exits(0);
    let count = |step: &str| std::fs::read_to_string(world.beside(&format!("count.r1.{step}"))).unwrap();
    assert_eq!((count("code").trim(), count("review").trim()), ("1", "2"));
    let ran = run(&world, &["--start-at-step", "nope"]).exits(2);
    assert!(ran.err.contains("has no step `nope`"), "{}", ran.err);
}

#[test]
fn a_changed_workflow_is_shown_before_a_run_goes_on_with_it() {
    let world =
        world("name: w\nsteps: [{id: a, agent: x, prompt: do.md}, {id: b, run: 'false', needs: [a]}]\n");
    run(&world, &["--max-attempts", "1"]).exits(1);
    world.write(
        "w.yaml",
        "name: w\nsteps: [{id: a, agent: x, prompt: do.md}, {id: b, run: 'true', needs: [a]}]\n",
    );
    let ran = run(&world, &[]).exits(2);
    assert!(ran.err.contains("~ step `b`"), "{}", ran.err);
    run(&world, &["--migrate"]).exits(0);
    let count = std::fs::read_to_string(world.beside("count.r1.a")).unwrap();
    assert_eq!(count.trim(), "1", "what was done is not done again");
}

#[test]
fn a_status_that_somebody_wrote_at_rest_is_adopted_and_anything_else_is_set_aside() {
    let world = world("name: w\nsteps: [{id: a, run: 'false'}, {id: b, run: 'touch b.done', needs: [a]}]\n");
    run(&world, &["--max-attempts", "1"]).exits(1);
    let file = ".agents/runs/r1/run_state.json";
    world.write(file, &world.read(file).replacen("\"FAILED\"", "\"COMPLETED\"", 1));
    let ran = world.piton(&["resume", "r1"]).exits(0);
    assert!(ran.err.contains("adopted from run_state.json: `a` is COMPLETED"), "{}", ran.err);
    assert!(world.path("b.done").exists());
    assert_eq!(world.count("r1", "statuses_adopted"), 1);
    assert!(!ran.err.contains("edited since"), "what was adopted is not in the way: {}", ran.err);

    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'test -e ok'}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "r2", "--max-attempts", "1"]).exits(1);
    world.write(".agents/runs/r2/run_state.json", "{\"mine\": true}");
    world.write("ok", "");
    let ran = world.piton(&["resume", "r2"]).exits(0);
    assert!(ran.err.contains("was not written by piton, or was edited since"), "{}", ran.err);
    assert!(ran.err.contains("only the `status` of a step may be edited"), "{}", ran.err);
}

#[test]
fn a_run_directory_of_another_tool_is_gone_on_with() {
    let world = world(REFERENCE);
    world.shell("mkdir -p .agents/runs/r1").exits(0);
    let done = json!({"status": "COMPLETED", "attempts": 1, "iteration_count": 0, "artifacts": [], "metrics": {}, "logs": []});
    let running = json!({"status": "RUNNING", "attempts": 1, "iteration_count": 0});
    let theirs = json!({"run_id": "r1", "workflow_name": "release", "repo_dir": "/x", "steps": {"plan": done, "code": running}});
    world.write(".agents/runs/r1/run_state.json", &theirs.to_string());
    let ran = run(&world, &[]).exits(0);
    assert!(ran.err.contains("going on with what another tool left"), "{}", ran.err);
    assert!(!world.beside("count.r1.plan").exists(), "what was completed there is not done again");
    assert!(world.beside("count.r1.code").exists(), "what ran there runs no more");
}

#[test]
fn gates_hold_a_step_until_they_open() {
    let world = world(
        "
name: gated
steps:
  - {id: deploy, run: 'touch deployed', gates: [window, 'cmd:test -e ready']}
",
    );
    world.write("gates.json", r#"{"window": false}"#);
    world.write("ready", "");
    let viewer = world.start(&["run", "w.yaml", "--run-id", "r1", "--gate-state-file", "gates.json"]);
    viewer.prints("gate `window`: it is closed in `gates.json`");
    assert!(!world.path("deployed").exists());
    let status = world.piton(&["status", "r1"]).exits(0).out;
    assert!(status.contains("waits for gate `window`"), "{status}");
    world.write("gates.json", r#"{"window": true}"#);
    viewer.ends().exits(0);
    assert!(world.path("deployed").exists());
}

#[test]
fn a_workflow_within_a_workflow_is_a_run_of_its_own() {
    let world = world(
        "name: outer\nsteps: [{id: inner, workflow: inner.yaml}, {id: after, run: 'touch after', needs: [inner]}]\n",
    );
    world.write("inner.yaml", "name: inner\nsteps: [{id: x, run: 'touch x.done'}]\n");
    run(&world, &[]).exits(0);
    assert!(world.path("x.done").exists() && world.path("after").exists());
    let runs = world.json(&["ls", "--all"]);
    assert_eq!(runs.as_array().unwrap().len(), 2, "{runs:#}");
}

#[test]
fn a_nested_workflow_is_what_it_was_when_the_run_began() {
    let world = world(
        "
name: outer
steps:
  - {id: first, run: 'until test -e \"$GATE\"; do sleep 0.02; done'}
  - {id: inner, workflow: parts/inner.yaml, needs: [first], max_attempts: 1}
",
    );
    world.shell("mkdir parts").exits(0);
    world.write("parts/inner.yaml", "name: inner\nsteps: [{id: a, run: 'echo as it was > made'}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--detach"]).exits(0);
    world.agent_works("r1", 1);
    world.write("parts/inner.yaml", "name: inner\nsteps: [{id: a, run: 'echo changed > made'}]\n");
    let ran = world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(2);
    assert!(ran.err.contains("step `a`: work"), "{}", ran.err);
    assert!(ran.err.contains("(in `parts/inner.yaml`)"), "{}", ran.err);
    world.open_gate();
    world.piton(&["wait", "r1"]).exits(0);
    assert_eq!(world.read("made"), "as it was\n");
}

#[test]
fn an_agent_that_only_a_nested_workflow_names_is_found_too() {
    let world = world("name: outer\nsteps: [{id: inner, workflow: inner.yaml}]\n");
    world.write("inner.yaml", "name: inner\nsteps: [{id: a, agent: mine, prompt: do.md, max_attempts: 1}]\n");
    let ran = world.piton(&["run", "w.yaml"]).exits(2);
    assert!(ran.err.contains("there is no agent `mine`"), "{}", ran.err);
    world.configure("[agents.mine]\ncommand = [\"sh\", \"-c\", \"cat > got.md\"]\nprompt = \"stdin\"\n");
    world.piton(&["run", "w.yaml"]).exits(0);
    assert!(world.read("got.md").contains("Do it."));
}

#[test]
fn a_report_about_something_else_or_never_filled_in_is_refused() {
    for (says, why) in [
        (r#""status":"COMPLETED","run_id":"other","logs":["x"]"#, "about run_id `other`"),
        (r#""status":"COMPLETED","logs":["<placeholder>"]"#, "never filled in"),
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
fn money_that_is_spent_stops_the_run_and_never_completes_it() {
    let world = world(
        "name: w\nsteps: [{id: a, agent: x, prompt: do.md}, {id: b, agent: x, prompt: do.md, needs: [a]}]\n",
    );
    world.write("says.a", r#""status":"COMPLETED","logs":["x"],"metrics":{"cost_usd":2.5}"#);
    let ran = run(&world, &["--max-cost", "2"]).exits(3);
    assert!(ran.out.contains("paused   $2.50 of $2.00 are spent"), "{}", ran.out);
    let ran = world.piton(&["resume", "r1"]).exits(3);
    assert!(ran.err.contains("--max-cost"), "{}", ran.err);
    world.piton(&["resume", "r1", "--max-cost", "+10"]).exits(0);
}

#[test]
fn items_are_run_one_by_one_and_conditions_skip() {
    let world = world(
        "
name: items
steps:
  - {id: list, run: 'echo ''{\"items\": [\"a\", \"b\"]}'' > items.json'}
  - {id: each, run: 'echo $LOOP_INDEX $LOOP_ITEM >> seen', needs: [list], loop: {items_from_artifact: items.json}}
  - {id: never, run: 'touch never', needs: [each], when: 'list.status == FAILED'}
  - {id: last, run: 'touch last', needs: [never]}
",
    );
    run(&world, &[]).exits(0);
    assert_eq!(world.read("seen"), "0 \"a\"\n1 \"b\"\n");
    assert_eq!(steps(&world, "status")["never"], "SKIPPED");
    assert!(world.path("last").exists() && !world.path("never").exists());
}

#[test]
fn a_fork_tries_again_from_a_step_and_leaves_the_original_alone() {
    let world = world(REFERENCE);
    run(&world, &[]).exits(0);
    let before = world.read(".agents/runs/r1/run_state.json");
    world.piton(&["fork", "r1", "--step", "review", "--id", "r2"]).exits(0);
    assert_eq!(world.read(".agents/runs/r1/run_state.json"), before);
    assert!(!world.beside("count.r2.code").exists());
    assert!(world.beside("count.r2.review").exists());
}

#[test]
fn commands_for_loops_say_so_when_they_meet_a_workflow() {
    let world = world("name: w\nsteps: [{id: a, run: 'true'}]\n");
    run(&world, &[]).exits(0);
    let ran = world.piton(&["best", "r1"]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: run `r1` is a workflow, not a loop

    hint: run `piton ls` to see what is what
    ");
    let ran = world.piton(&["tell", "r1", "hello"]).exits(2);
    assert!(ran.err.contains("is a workflow: it cannot be told something"), "{}", ran.err);
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

     T s of work, 1 attempt (1 failed, 0 lost), 0 loop-backs, cost $0.00.

    | step | status | tries | loop-backs | took | made |
    |---|---|---|---|---|---|
    | a | FAILED | 1 | 0 | T s |  |
    | b | PENDING | 0 | 0 |  |  |

    ## What went wrong

    - `a`: the command exited with 2: no
    ");
    assert_eq!(world.json(&["report", "r1"])["steps"][0]["last_error"], "the command exited with 2: no");
}

#[test]
fn a_worker_goes_on_once_a_person_has_written_their_file() {
    let world = world(REFERENCE);
    run(&world, &["--pause-for-human-input"]).exits(4);
    world.piton(&["worker", "--once"]).exits(0);
    assert_eq!(world.json(&["status", "r1"])["status"], "waiting", "nobody has said anything");
    world.write(".agents/runs/r1/manual_inputs/r1__approve.json", "{}");
    world.piton(&["worker", "--once"]).exits(0);
    world.piton(&["wait", "r1"]).exits(0);
}

#[test]
fn a_limit_for_the_day_counts_every_run() {
    let world = world(
        "name: w\nsteps: [{id: a, agent: x, prompt: do.md}, {id: b, agent: x, prompt: do.md, needs: [a]}]\n",
    );
    world.write("says.a", r#""status":"COMPLETED","logs":["x"],"metrics":{"cost_usd":2.5,"model":"opus"}"#);
    run(&world, &["--daily-cost-limit", "5"]).exits(0);
    let more = &["run", "w.yaml", "--wrapper", "wrapper.sh", "--run-id", "r2", "--daily-cost-limit", "5"];
    let ran = world.piton(more).exits(3);
    assert!(ran.out.contains("$5.00 of $5.00 for today are spent"), "{}", ran.out);
    assert!(!world.beside("count.r2.b").exists(), "nothing more is begun");
    let days: Vec<_> = world.path(".agents/daily_stats").read_dir().unwrap().collect();
    let day = std::fs::read_to_string(days[0].as_ref().unwrap().path()).unwrap();
    let day: Value = serde_json::from_str(&day).unwrap();
    assert_eq!((&day["totals"]["runs"], &day["totals"]["cost_usd"]), (&json!(2), &json!(5.0)), "{day:#}");
    assert_eq!(day["cost_by_model"], json!({"opus": 5.0, "unknown": 0.0}));
    assert_eq!(day["steps"][0]["step_id"], "a");
}

#[test]
fn what_a_nested_workflow_costs_is_counted_once() {
    let world = world("name: outer\nsteps: [{id: inner, workflow: inner.yaml}]\n");
    world.write("inner.yaml", "name: inner\nsteps: [{id: a, agent: x, prompt: do.md}]\n");
    world.write("says.a", r#""status":"COMPLETED","logs":["x"],"metrics":{"cost_usd":2.5}"#);
    let ran = run(&world, &[]).exits(0);
    assert!(ran.out.contains("$2.50"), "the step costs what its run does: {}", ran.out);
    let day = world.shell("cat .agents/daily_stats/*.json").exits(0).out;
    let day: Value = serde_json::from_str(&day).unwrap();
    assert_eq!(day["totals"]["cost_usd"], 2.5, "{day:#}");
}

#[test]
fn what_an_agent_wants_remembered_is_in_its_notes_once() {
    let world = world(
        "name: w\nsteps: [{id: a, agent: x, prompt: do.md}, {id: b, agent: x, prompt: do.md, needs: [a]}]\n",
    );
    let says = r#""status":"COMPLETED","logs":["x"],"memory_updates":[{"section":"Gotchas","entry":"run the migrations before the tests"},{"entry":"done"}]"#;
    world.write("says.a", says);
    world.write("says.b", says);
    run(&world, &[]).exits(0);
    assert_eq!(
        world.read("AGENTS.md"),
        "# Notes for agents\n\n## Gotchas\n\n- run the migrations before the tests\n"
    );
}

#[test]
fn an_agent_without_a_wrapper_is_told_of_guidance_memory_and_how_to_report() {
    let world = world("name: w\nsteps: [{id: a, agent: mine, prompt: do.md}]\n");
    world.shell("mkdir -p .agents/guidance && printf -- '---\\ntitle: Errors\\nconsult_when: always\\n---\\n' > .agents/guidance/errors.md").exits(0);
    world.write("AGENTS.md", "- the cache is keyed by locale\n");
    world.configure("[agents.mine]\ncommand = [\"sh\", \"-c\", \"cat > got.md\"]\nprompt = \"stdin\"\n");
    world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(0);
    let got = world.read("got.md");
    for part in
        ["| `.agents/guidance/errors.md` | Errors | always |", "keyed by locale", "Do it.", "r1__a.json"]
    {
        assert!(got.contains(part), "{part} is missing:\n{got}");
    }
}

#[test]
fn a_gate_of_fresh_gaps_opens_once_they_are_verified() {
    let world = world("name: w\nsteps: [{id: a, run: 'touch done', gates: [gaps-fresh]}]\n");
    world
        .piton(&["gaps", "add", "api-limits", "--category", "api", "question=What are the limits?"])
        .exits(0);
    let viewer = world.start(&["run", "w.yaml", "--run-id", "r1"]);
    viewer.prints("gate `gaps-fresh`: api-limits: unknown");
    world.piton(&["gaps", "verify", "api-limits", "--findings", "100 per minute"]).exits(0);
    viewer.ends().exits(0);
    assert!(world.path("done").exists());
}

#[test]
fn steps_can_work_in_a_tree_of_their_own() {
    let world = world("name: w\nsteps: [{id: a, run: 'echo made > made.txt; cat a.txt'}]\n");
    run(&world, &["--worktree"]).exits(0);
    assert!(!world.path("made.txt").exists(), "the repository is left alone");
    let tree = world.beside("repo-r1");
    assert_eq!(std::fs::read_to_string(tree.join("made.txt")).unwrap(), "made\n");
    assert_eq!(
        world.git(&["-C", &tree.display().to_string(), "branch", "--show-current"]).trim(),
        "piton/r1"
    );
    assert!(world.path(".agents/runs/r1/run_state.json").exists(), "files of the run stay in the repository");
}

#[test]
fn people_are_told_that_a_workflow_needs_them_and_that_it_failed() {
    let world = world(REFERENCE);
    world.configure("[notify.channels.told]\ntype = \"logfile\"\npath = \"told.log\"\n");
    run(&world, &["--pause-for-human-input"]).exits(4);
    let told = world.read("told.log");
    assert!(told.contains("an answer to question 1 (step `approve`)"), "{told}");
    world.piton(&["resume", "r1"]).exits(4);
    assert_eq!(world.read("told.log"), told, "who only looks in has no news");
    world.write(".agents/runs/r1/manual_inputs/r1__approve.json", r#"{"approved": false}"#);
    world.piton(&["resume", "r1"]).exits(1);
    assert!(world.read("told.log").contains("Rejected by a person"), "{}", world.read("told.log"));
}

#[test]
fn what_piton_keeps_is_out_of_reach_of_git() {
    let world = world(
        "
name: tidy
steps:
  - {id: clean, run: 'git clean -fdx'}
  - {id: commit, run: 'git add -A && git commit -q --allow-empty -m all', needs: [clean]}
  - {id: stash, run: 'echo more >> a.txt && git stash -u', needs: [commit]}
",
    );
    world.git(&["add", "."]);
    world.git(&["commit", "-q", "-m", "the workflow"]);
    let ran = run(&world, &[]).exits(0);
    assert!(!ran.err.contains("was not written"), "{}", ran.err);
    assert_eq!(steps(&world, "status")["stash"], "COMPLETED");
    assert_eq!(world.git(&["ls-files", ".piton"]), "");
    world.piton(&["verify"]).exits(0);
}

#[test]
fn a_step_that_deletes_the_journal_is_started_once_and_ended() {
    let world = world(
        "
name: rash
steps:
  - {id: rash, run: 'echo $$ >> $BESIDE/started; rm -rf .piton; exec sleep 600'}
",
    );
    let ran = run(&world, &[]).exits(7);
    let started = std::fs::read_to_string(world.beside("started")).unwrap();
    let [pid] = started.lines().collect::<Vec<_>>()[..] else { panic!("started: {started:?}") };
    assert!(!ran.err.contains("nothing is lost"), "{}", ran.err);
    eventually("what it started is gone", || piton_sys::process::identity(pid.parse().unwrap()).is_none());
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

#[test]
fn a_workflow_that_works_has_an_empty_reason_and_no_money_and_says_neither() {
    let world = World::new();
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'until test -e $GATE; do sleep 0.02; done'}]\n");
    let viewer = world.start(&["run", "w.yaml", "--run-id", "r1"]);
    let screen = || world.piton(&["status", "r1"]).out;
    eventually("it runs", || screen().contains("RUNNING"));
    assert!(screen().starts_with("r1   w   running\n") && !screen().contains("money"), "{}", screen());
    assert!(world.piton(&["why", "r1"]).exits(0).out.starts_with("r1   running\n"));
    world.open_gate();
    viewer.ends().exits(0);
    assert!(!screen().contains("money"), "{}", screen());
}
