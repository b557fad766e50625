//! What is said of workflows: imports, answers, hints, messages.

use serde_json::{Value, json};

use super::common::World;
use super::workflow::{run, world};

const PEOPLE: &str = "
name: w
steps:
  - {id: draft, run: 'echo x >> tries'}
  - {id: review, run: 'true', needs: [draft], human_in_the_loop: true, on_reject: loop_back, loop_back_to: draft}
";

#[test]
fn the_record_of_an_earlier_answer_is_not_taken_for_a_new_one() {
    let world = world(PEOPLE);
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--pause-for-human-input"]).exits(4);
    world.piton(&["answer", "r1", "--reject", "--comment", "too long"]).exits(0);
    world.piton(&["wait", "r1"]).exits(4);
    assert!(world.path(".agents/runs/r1/manual_inputs/r1__review.json").exists(), "what was said is there");
    let status = world.json(&["status", "r1"]);
    assert_eq!((&status["questions"][0]["question"], &status["manual_input"]), (&json!(2), &Value::Null));
    assert_eq!(status["next"], "piton answer r1");
    let ran = world.piton(&["resume", "r1"]).exits(4);
    assert!(!ran.out.contains("older than the question"), "{}", ran.out);
    // Who stops it is the reason, not what it asked.
    world.piton(&["stop", "r1"]).exits(0);
    let screen = world.piton(&["status", "r1"]).exits(0).out;
    assert!(!screen.lines().next().unwrap().contains("asks question"), "{screen}");
}

fn theirs(step: Value) -> Value {
    json!({"run_id": "r1", "workflow_name": "w", "repo_dir": "/x", "created_at": "2025-01-15T12:00:00.000000Z", "steps": step})
}

#[test]
fn an_answer_to_what_another_tool_asked_counts() {
    let world =
        world("name: w\nsteps: [{id: look, run: 'touch again'}, {id: after, run: 'true', needs: [look]}]\n");
    world.shell("mkdir -p .agents/runs/r1/manual_inputs").exits(0);
    let waits =
        json!({"status": "WAITING_ON_HUMAN", "attempts": 1, "started_at": "2025-01-15T12:15:35.000000Z"});
    let mut state = theirs(json!({"look": waits, "extra": {"status": "COMPLETED"}}));
    state["workflow_name"] = json!("other");
    state["created_at"] = json!("yesterday");
    world.write(".agents/runs/r1/run_state.json", &state.to_string());
    world.write(".agents/runs/r1/manual_inputs/r1__look.json", r#"{"approved": true}"#);
    let ran = world.piton(&["import", ".agents/runs/r1", "--workflow", "w.yaml", "--exec", "true"]).exits(0);
    assert!(!world.path("again").exists(), "what was done there is not done again");
    for words in [
        "the workflow has no such step: `extra`",
        "a run of the workflow `other`",
        "(`yesterday`)",
        "its file as that tool left it: .agents/runs/r1/run_state.json.foreign-",
    ] {
        assert!(ran.err.contains(words), "{words}: {}", ran.err);
    }
    assert!(!ran.err.contains("was not written by piton"), "it was just read: {}", ran.err);
}

#[test]
fn an_edit_of_a_completed_run_is_told_what_helps() {
    let world = world("name: w\nsteps: [{id: a, run: 'true'}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--quiet"]).exits(0);
    world.shell("sed -i s/COMPLETED/PENDING/ .agents/runs/r1/run_state.json").exits(0);
    let refused = world.piton(&["resume", "r1"]).exits(2);
    assert!(refused.err.contains("the run is completed: `piton run --start-at-step`"), "{}", refused.err);
}

#[test]
fn the_run_that_changed_last_is_the_newest() {
    let world = world(
        "name: w\nsteps: [{id: a, run: 'test -e ready', max_attempts: 1}, {id: b, run: 'true', needs: [a]}]\n",
    );
    world.piton(&["run", "w.yaml", "--run-id", "first", "--quiet"]).exits(1);
    world.piton(&["run", "w.yaml", "--run-id", "second", "--quiet"]).exits(1);
    world.write("ready", "");
    world.piton(&["resume", "first"]).exits(0);
    world.piton(&["run", "w.yaml", "--start-at-step", "b"]).exits(0);
    assert_eq!((world.count("first", "steps_reset"), world.count("second", "steps_reset")), (1, 0));
}

#[test]
fn what_helps_at_the_limit_of_the_day_does_help() {
    let world = world(
        "name: w\nsteps: [{id: a, agent: x, prompt: do.md}, {id: b, agent: x, prompt: do.md, needs: [a]}]\n",
    );
    world.write("says.a", r#""status":"COMPLETED","metrics":{"cost_usd":18}"#);
    run(&world, &["--daily-cost-limit", "1", "--cost-limit-action", "fail"]).exits(1);
    let next = world.json(&["status", "r1"])["next"].as_str().unwrap().to_owned();
    assert_eq!(next, "piton resume r1 --daily-cost-limit +27");
    let words: Vec<&str> = next.split(' ').skip(1).collect();
    world.piton(&words).exits(0);
    // One that only warns still says so when it is done.
    let words = ["run", "w.yaml", "--wrapper", "wrapper.sh", "--run-id", "r2", "--daily-cost-limit", "1"];
    world.piton(&[&words[..], &["--cost-limit-action", "warn"]].concat()).exits(0);
    let screen = world.piton(&["status", "r2"]).exits(0).out;
    assert!(screen.contains("limit   $18.00 of $1.00 for one day were spent"), "{screen}");
    let limits = &world.json(&["status", "r2"])["limits"];
    assert_eq!((&limits["daily_cost_usd"]["max"], &limits["iterations"]["max"]), (&json!(1.0), &json!(4)));
}

#[test]
fn commands_cost_what_they_say_and_agents_are_unknown() {
    let world = world(
        "name: w\nsteps: [{id: a, run: 'true'}, {id: none, run: 'true', needs: [a], loop: {items: []}}]\n",
    );
    let ran = world.piton(&["run", "w.yaml", "--run-id", "r1"]).exits(0);
    assert!(ran.out.contains("  completed          none (no items)"), "{}", ran.out);
    let report = world.piton(&["report", "r1"]).exits(0).out;
    assert!(!report.contains("$0.00") && !report.contains("money"), "{report}");
    assert_eq!(of_the_day(&world, "r1"), json!(0.0));
    world.write("w.yaml", "name: w\nsteps: [{id: a, agent: x, prompt: do.md}]\n");
    world.piton(&["run", "w.yaml", "--wrapper", "wrapper.sh", "--run-id", "r2"]).exits(0);
    assert_eq!(of_the_day(&world, "r2"), Value::Null);
}

fn of_the_day(world: &World, run: &str) -> Value {
    let mut days = world.path(".agents/daily_stats").read_dir().unwrap().flatten().map(|entry| entry.path());
    let found = days.find_map(|path| {
        let day: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        day["runs"].get(run).map(|run| run["cost_usd"].clone())
    });
    found.unwrap()
}
