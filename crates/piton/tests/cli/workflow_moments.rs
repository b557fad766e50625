//! What a reader of a workflow's file sees while it changes, and what becomes of attempts that nobody ended.

use piton_sys::process::{Signal, is_alive, signal};
use serde_json::{Value, json};

use super::common::{World, eventually};

fn world(workflow: &str) -> World {
    let world = World::new();
    world.write("w.yaml", workflow);
    world
}

/// The keeper of an attempt dies with its agent, as when the machine loses power.
fn lose(world: &World, run: &str, number: u32) {
    let agent = world.agent_works(run, number);
    let keeper: Value =
        serde_json::from_str(&world.read(&format!(".piton/attempts/{run}/{number}/keeper.json"))).unwrap();
    let keeper = piton_sys::process::identity(keeper["process"]["pid"].as_u64().unwrap() as u32).unwrap();
    for process in [&keeper, &agent] {
        let _ = signal(process, Signal::Kill);
        eventually("it is dead", || !is_alive(process));
    }
}

#[test]
fn a_lost_attempt_costs_no_try() {
    let world = world(
        "
name: w
steps: [{id: a, run: 'until test -e \"$GATE\"; do sleep 0.02; done', max_attempts: 1, backoff: 1ms}]
",
    );
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--detach"]).exits(0);
    for number in 1..=3 {
        lose(&world, "r1", number);
    }
    world.agent_works("r1", 4);
    let status = world.json(&["status", "r1"]);
    assert_eq!((&status["used"]["lost"], &status["steps"][0]["attempts"]), (&json!(3), &json!(1)));
    world.open_gate();
    world.piton(&["wait", "r1"]).exits(0);
}

const STOPPED_BESIDE_A_GATE: &str = "
name: w
steps:
  - {id: code, run: 'true'}
  - {id: slow, run: 'test -e once || { touch once; while :; do sleep 0.02; done; }', needs: [code]}
  - {id: review, run: 'test -e passed || { until test -e once; do sleep 0.02; done; touch passed; echo no >&2; exit 1; }', needs: [code], loop_back_to: code}
";

#[test]
fn a_step_that_a_loop_back_stops_is_told_by_its_own_name() {
    let world = world(STOPPED_BESIDE_A_GATE);
    let ran = world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(0);
    assert!(ran.out.contains("  stopped            slow  ("), "{}", ran.out);
    assert_eq!(ran.out.matches("Gate failure").count(), 1, "{}", ran.out);
    assert_eq!(ran.out.matches("completed          review").count(), 2, "{}", ran.out);
}

/// A gate that fails four times, and what a reader sees of it who reads as fast as a machine can.
fn seen_by_a_reader(world: &World, run: &str) -> [bool; 3] {
    let state = world.path(&format!(".agents/runs/{run}/run_state.json"));
    let _ = std::fs::remove_file(world.path("tries"));
    world.piton(&["run", "w.yaml", "--run-id", run, "--detach"]).exits(0);
    let mut seen = [false; 3];
    loop {
        let Ok(text) = std::fs::read(&state) else { continue };
        let view: Value = serde_json::from_slice(&text).expect("never half a file");
        let step = |id: &str| view["steps"][id].clone();
        let (code, review) = (step("code"), step("review"));
        let is = |step: &Value, status: &str| step["status"] == status;
        let why = review["last_error"].as_str().unwrap_or_default();
        let begun = code["iteration_count"] != 0;
        let pending = is(&code, "PENDING") && is(&review, "PENDING");
        seen[0] |= pending && !begun;
        seen[1] |= is(&review, "COMPLETED") && why.starts_with("Gate failure: ") && why.contains("two bugs");
        seen[2] |= pending && begun && why.contains("two bugs");
        if is(&review, "COMPLETED") && why.is_empty() {
            assert_eq!(review["iteration_count"], 4);
            return seen;
        }
    }
}

#[test]
fn a_reader_of_the_file_sees_the_start_the_gates_failure_and_the_loop_back() {
    let world = world(
        "
name: w
steps:
  - {id: code, run: 'echo x >> tries'}
  - {id: review, run: 'test $(wc -l < tries) -ge 5 || { echo two bugs >&2; exit 1; }', needs: [code], loop_back_to: code}
",
    );
    // A reader may be kept from reading for longer than that, but not every time.
    let mut seen = [false; 3];
    for run in ["r1", "r2", "r3", "r4", "r5"] {
        let more = seen_by_a_reader(&world, run);
        seen = std::array::from_fn(|index| seen[index] || more[index]);
        world.piton(&["wait", run]).exits(0);
        if seen == [true; 3] {
            return;
        }
    }
    panic!("pending at the start, the gate's failure, the loop-back: {seen:?}");
}

const ASKS: &str = "
name: w
steps:
  - {id: draft, run: 'true', human_in_the_loop: true}
  - {id: send, run: 'cat \"$MANUAL_RESULT_PATH\" > sent.json', needs: [draft]}
";
const RUN: [&str; 5] = ["run", "w.yaml", "--run-id", "r1", "--pause-for-human-input"];
const ANSWER: &str = ".agents/runs/r1/manual_inputs/r1__draft.json";

#[test]
fn whoever_sits_before_a_run_that_waits_for_them_can_answer_by_a_file() {
    let world = world(ASKS);
    let mut terminal = world.terminal(&RUN);
    terminal.shows("waiting for your answer");
    assert_eq!(world.json(&["status", "r1"])["manual_input"], Value::Null);
    world.write(ANSWER, "{");
    terminal.shows("goes on waiting");
    world.write(ANSWER, r#"{"approved": true, "comments": "send it"}"#);
    terminal.shows("answered: Approve");
    terminal.shows("completed");
    assert_eq!(terminal.ends(), 0);
    assert!(world.read("sent.json").contains("send it"));
}

#[test]
fn a_script_waits_for_a_person_where_it_says_how_often_to_look() {
    let world = world(ASKS);
    let viewer = world.start(&[&RUN[..], &["--poll-interval", "0.05"]].concat());
    viewer.says("waiting for your answer");
    world.write(ANSWER, "{}");
    viewer.ends().exits(0);
}

#[test]
fn status_says_that_an_answer_lies_there_and_wait_takes_it() {
    let world = world(ASKS);
    world.piton(&RUN).exits(4);
    world.piton(&["wait", "r1"]).exits(4);
    world.write(ANSWER, "{}");
    let status = world.piton(&["status", "r1"]).exits(0).out;
    assert!(status.contains(&format!("an answer lies in {ANSWER}")), "{status}");
    assert!(status.contains("next    piton resume r1"), "{status}");
    assert_eq!(world.json(&["status", "r1"])["manual_input"], ANSWER);
    world.piton(&["wait", "r1"]).exits(0);
}
