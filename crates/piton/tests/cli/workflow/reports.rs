//! What is kept of a report and where it lies: long ones, those that nobody wrote, those that were moved away.

use serde_json::Value;

use super::{run, steps, view, world};
use crate::common::{World, eventually};

const ONE: &str = "name: w\nsteps: [{id: a, agent: x, prompt: do.md, max_attempts: 1}]\n";

/// A report whose log, or another list, has so many entries.
fn many(field: &str, count: usize, entry: impl Fn(usize) -> String) -> String {
    let entries: Vec<String> = (0..count).map(entry).collect();
    format!("\"{field}\":{}", serde_json::json!(entries))
}

fn log_of(count: usize) -> String {
    many("logs", count, |number| format!("line {number}"))
}

#[test]
fn of_a_long_log_the_end_is_kept_and_the_file_says_what_was_left_out() {
    let world = world(ONE);
    world.write("says.a", &format!(r#""status":"FAILED",{}"#, log_of(2_200)));
    let ran = run(&world, &[]).exits(1);
    assert!(ran.out.contains("line 2197, line 2198, line 2199"), "{}", ran.out);
    let step = &view(&world)["steps"]["a"];
    assert_eq!(step["last_error"], "line 2197, line 2198, line 2199");
    let logs = step["logs"].as_array().unwrap();
    assert_eq!(logs.len(), 1_001);
    assert_eq!(logs[0], "… 1,200 earlier lines left out");
    assert_eq!((&logs[1], &logs[1_000]), (&"line 1200".into(), &"line 2199".into()));
}

#[test]
fn why_a_gate_failed_is_the_end_of_its_log_however_long_that_is() {
    let world = world(
        "name: w\nsteps: [{id: a, run: 'true'}, {id: b, agent: x, prompt: do.md, needs: [a], loop_back_to: a}]\n",
    );
    // So much that the bytes are spent before the lines are.
    let log = many("logs", 3_000, |number| format!("line {number} {}", "x".repeat(300)));
    world.write("says.b", &format!(r#""status":"COMPLETED","gate_failure":true,{log}"#));
    let ran = run(&world, &["--max-iterations", "1"]).exits(1);
    assert!(ran.out.contains("Gate failure: line 2997 xxx"), "{}", &ran.out[..ran.out.len().min(2_000)]);
    let step = &view(&world)["steps"]["b"];
    let logs = step["logs"].as_array().unwrap();
    assert!(logs[0].as_str().unwrap().ends_with(" earlier lines left out"), "{}", logs[0]);
    assert!(logs.last().unwrap().as_str().unwrap().starts_with("line 2999 "), "{logs:?}");
}

#[test]
fn a_person_is_shown_how_a_long_log_ends() {
    let world = world("name: w\nsteps: [{id: a, agent: x, prompt: do.md, human_in_the_loop: true}]\n");
    world.write("says.a", &format!(r#""status":"COMPLETED",{}"#, log_of(1_200)));
    let ran = run(&world, &["--pause-for-human-input"]).exits(4);
    assert!(ran.out.contains("line 1199\n"), "{}", ran.out);
    assert!(!ran.out.contains("line 1000\n"), "a screen, and not all of it: {}", ran.out);
    assert!(ran.out.contains("… 1,180 earlier lines in its report"), "{}", ran.out);
}

/// Counts what the step `b` gets of what `a` made: variables, and paths in the list.
const COUNTS: &str = r#"env | grep -c "^DEP_A_ARTIFACT_[0-9]*=" > each; echo "$DEP_A_ARTIFACTS" | tr "," "\n" | wc -l > listed; echo "${DEP_A_ARTIFACTS_LEFT_OUT-none}" > left"#;

fn handed_on(artifacts: usize, length: usize) -> (World, [String; 3]) {
    let world = world(
        "name: w\nsteps: [{id: a, agent: x, prompt: do.md}, {id: b, run: 'sh count.sh', needs: [a]}]\n",
    );
    world.write("count.sh", COUNTS);
    let list = many("artifacts", artifacts, |number| format!("{number:0length$}"));
    world.write("says.a", &format!(r#""status":"COMPLETED","logs":["did it"],{list}"#));
    run(&world, &["--max-attempts", "1"]).exits(0);
    let read = ["each", "listed", "left"].map(|name| world.read(name).trim().to_owned());
    (world, read)
}

#[test]
fn a_thousand_artifacts_reach_the_next_step() {
    let (world, read) = handed_on(1_000, 20);
    assert_eq!(read, ["1000", "1000", "none"]);
    assert_eq!(view(&world)["steps"]["a"]["artifacts"].as_array().unwrap().len(), 1_000);
    assert_eq!(view(&world)["steps"]["a"]["logs"], serde_json::json!(["did it"]));
}

#[test]
fn a_list_of_artifacts_that_no_process_can_be_given_is_cut_and_the_step_starts() {
    // One variable may have 128 KiB.
    let (_world, [each, listed, left]) = handed_on(1_000, 180);
    let (each, listed): (usize, usize) = (each.parse().unwrap(), listed.parse().unwrap());
    assert_eq!(each, 1_000);
    assert!((500..1_000).contains(&listed), "{listed}");
    assert_eq!(left, (1_000 - listed).to_string(), "the step is told");
}

#[test]
fn artifacts_and_metrics_beyond_what_is_kept_are_counted() {
    let world = world(ONE);
    let artifacts = many("artifacts", 1_200, |number| format!("made/{number}"));
    let metrics: serde_json::Map<String, Value> =
        (0..1_001).map(|number| (format!("m{number}"), number.into())).collect();
    let metrics = Value::Object(metrics);
    world.write(
        "says.a",
        &format!(r#""status":"COMPLETED","logs":["did it"],"metrics":{metrics},{artifacts}"#),
    );
    run(&world, &[]).exits(0);
    let step = &view(&world)["steps"]["a"];
    assert_eq!(step["artifacts"].as_array().unwrap().len(), 1_000);
    assert_eq!(step["metrics"].as_object().unwrap().len(), 1_000);
    let logs = serde_json::json!(["… 200 artifacts left out", "… 1 metric left out", "did it"]);
    assert_eq!(step["logs"], logs);
}

#[test]
fn what_a_wrapper_said_before_it_died_without_a_report_is_its_error() {
    let world = world(ONE);
    world.write("wrapper.sh", "#!/bin/sh\necho working\necho 'no such model: opus-9' >&2\nexit 3\n");
    let ran = run(&world, &[]).exits(1);
    let error = "Agent process exited with code 3 without writing a run report: no such model: opus-9";
    assert!(ran.out.contains(&format!("failed   step `a`: {error} ")), "{}", ran.out);
    assert_eq!(view(&world)["steps"]["a"]["last_error"], error);

    world.write("wrapper.sh", "#!/bin/sh\necho 'was told to go' >&2\nkill -9 $$\n");
    world.piton(&["resume", "r1"]).exits(1);
    let error = "Agent process was ended by signal 9 without writing a run report: was told to go";
    assert_eq!(view(&world)["steps"]["a"]["last_error"], error);

    world.write("wrapper.sh", "#!/bin/sh\nexit 0\n");
    world.piton(&["resume", "r1"]).exits(1);
    let error = "Agent process exited with code 0 without writing a run report";
    assert_eq!(view(&world)["steps"]["a"]["last_error"], error);
}

#[test]
fn what_any_other_agent_said_before_it_died_is_its_error() {
    let world = world(ONE);
    let dies = "echo 'no such model: opus-9' >&2; exit 3";
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--exec", dies]).exits(1);
    assert_eq!(view(&world)["steps"]["a"]["last_error"], "the agent exited with 3: no such model: opus-9");
    let template = format!("sh -c \"{dies}\"");
    let ran = world.piton(&["run", "w.yaml", "--run-id", "r2", "--command-template", &template]).exits(1);
    assert!(ran.out.contains("without writing a run report: no such model: opus-9"), "{}", ran.out);
}

/// The report of a step that is a command, as a line of shell.
const REPORT: &str = r#"printf '{"schema":"run_report@v0","run_id":"%s","step_id":"%s","agent":"a","status":"%s","started_at":"2026-01-01T00:00:00Z","ended_at":"2026-01-01T00:00:01Z","logs":["did it"]}' "$RUN_ID" "$STEP_ID" "$STATUS" > "$REPORT_PATH""#;

fn report_path(world: &World, step: &str) -> Value {
    steps(world, "report_path")[step].clone()
}

#[test]
fn the_path_of_a_report_names_a_file_that_is_there() {
    let world = world("name: w\nsteps: [{id: a, agent: x, prompt: do.md, backoff: 10ms}]\n");
    world.write("says.a.1", r#""status":"FAILED","logs":["first"]"#);
    world.write("says.a.2", "silence");
    run(&world, &[]).exits(1);
    assert_eq!(report_path(&world, "a"), Value::Null, "the second try left none");
    world.piton(&["resume", "r1"]).exits(0);
    assert!(std::path::Path::new(report_path(&world, "a").as_str().unwrap()).is_file());
}

#[test]
fn a_further_try_that_runs_or_was_stopped_has_no_report_yet() {
    let world = world("name: w\nsteps: [{id: a, run: 'sh step.sh', backoff: 10ms}]\n");
    let waits = "until test -e \"$GATE\"; do sleep 0.02; done";
    world.write(
        "step.sh",
        &format!("if test -e tried; then {waits}; fi\ntouch tried\nSTATUS=FAILED\n{REPORT}\nexit 1\n"),
    );
    let viewer = world.start(&["run", "w.yaml", "--run-id", "r1"]);
    eventually("its second try runs", || {
        world.path(".agents/runs/r1/run_state.json").exists()
            && steps(&world, "attempts")["a"] == 2
            && steps(&world, "status")["a"] == "RUNNING"
    });
    assert_eq!(report_path(&world, "a"), Value::Null);
    world.piton(&["stop", "r1", "--now"]).exits(0);
    viewer.ends().exits(4);
    assert_eq!(steps(&world, "status")["a"], "PENDING");
    assert_eq!(report_path(&world, "a"), Value::Null);
}

#[test]
fn an_agent_that_wrote_no_report_has_no_path_of_one() {
    let world = world(ONE);
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--exec", "true"]).exits(0);
    assert_eq!(steps(&world, "status")["a"], "COMPLETED");
    assert_eq!(report_path(&world, "a"), Value::Null);
}

#[test]
fn a_fork_names_no_reports_that_only_the_original_has() {
    let world = world(
        "name: w\nsteps: [{id: a, agent: x, prompt: do.md}, {id: b, agent: x, prompt: do.md, needs: [a]}]\n",
    );
    run(&world, &[]).exits(0);
    world.piton(&["fork", "r1", "--step", "b", "--id", "r2"]).exits(0);
    let forked: Value = serde_json::from_str(&world.read(".agents/runs/r2/run_state.json")).unwrap();
    assert_eq!(forked["steps"]["a"]["status"], "COMPLETED");
    for step in ["a", "b"] {
        let path = forked["steps"][step]["report_path"].as_str();
        assert!(path.is_none_or(|path| std::path::Path::new(path).is_file()), "{step}: {path:?}");
    }
}
