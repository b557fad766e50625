//! Workflows: steps, gates, items and work trees; what is said of a workflow that cannot be run.
//!
//! [`people`] has what they answer and are told, [`published`] the files, [`reports`] what is kept of reports, [`going_on`]
//! what survives, [`places`] where work lies and who waits for whom.

mod going_on;
mod people;
mod places;
mod published;
mod reports;

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
fn a_misspelt_gate_is_refused_with_what_was_meant() {
    let world = world("name: w\nsteps: [{id: a, run: 'touch done', gates: [guard-claen]}]\n");
    let ran = world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(2);
    assert!(ran.err.contains("did you mean `guard-clean`?"), "{}", ran.err);
    assert!(!world.path("done").exists());
}

#[test]
fn a_named_gate_without_a_file_is_said_to_be_taken_for_open() {
    let world = world(
        "name: w\nsteps: [{id: a, run: 'true', gates: [window]}, {id: b, run: 'true', when: gates.ready}]\n",
    );
    let ran = world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(0);
    let note = "note: taken for open, since there is no --gate-state-file: `ready`, `window`";
    assert_eq!(format!("{}{}", ran.out, ran.err).matches(note).count(), 1, "{}{}", ran.out, ran.err);
    world.write("gates.json", r#"{"window": true, "ready": true}"#);
    let ran = world.piton(&["run", "w.yaml", "--run-id", "r2", "--gate-state-file", "gates.json"]).exits(0);
    assert!(!format!("{}{}", ran.out, ran.err).contains("taken for open"), "{}{}", ran.out, ran.err);
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
