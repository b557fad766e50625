//! Workflows and money: limits that can be lifted and warnings that are heard of; and which run `last` is.

use serde_json::{Value, json};

use super::common::eventually;
use super::workflow::{run, world};

#[test]
fn last_is_the_newest_run_of_the_workflow() {
    let world = world("name: w\nsteps: [{id: a, run: 'test -e ready'}]\n");
    let refused = world.piton(&["run", "w.yaml", "--run-id", "last"]).exits(2);
    assert!(refused.err.contains("`w.yaml` was never run here"), "{}", refused.err);
    run(&world, &["--max-attempts", "1"]).exits(1);
    world.write("ready", "");
    world.piton(&["run", "w.yaml", "--run-id", "last"]).exits(0);
    assert_eq!(world.json(&["status", "r1"])["status"], "completed");
}

#[test]
fn a_pause_by_the_day_is_lifted_by_whoever_raises_its_limit() {
    let world = world(
        "name: w\nsteps: [{id: a, agent: x, prompt: do.md}, {id: b, agent: x, prompt: do.md, needs: [a]}, {id: c, agent: x, prompt: do.md, needs: [b]}]\n",
    );
    for step in ["a", "b"] {
        world.write(
            &format!("says.{step}"),
            r#""status":"COMPLETED","logs":["x"],"metrics":{"cost_usd":2.5}"#,
        );
    }
    let ran = run(&world, &["--daily-cost-limit", "2"]).exits(3);
    assert!(ran.out.contains("next    piton resume r1 --daily-cost-limit +10"), "{}", ran.out);
    let ran = world.piton(&["resume", "r1"]).exits(3);
    assert!(ran.out.contains("$2.50 of $2.00 for today are spent"), "it is the same day: {}", ran.out);
    world.piton(&["resume", "r1", "--daily-cost-limit", "+1"]).exits(3);
    assert!(world.beside("count.r1.b").exists(), "one more step fits into $3.00");
    // The command that began the run says it as well.
    run(&world, &["--daily-cost-limit", "20"]).exits(0);
    let refused = world.piton(&["resume", "r1", "--daily-cost-limit", "x"]).exits(2);
    assert!(refused.err.contains("--daily-cost-limit: it must be an amount in dollars"), "{}", refused.err);
}

#[test]
fn a_limit_that_only_warns_is_heard_of() {
    let world = world(
        "name: w\nsteps: [{id: a, agent: x, prompt: do.md}, {id: b, run: 'until test -e $GATE; do sleep 0.02; done', needs: [a]}]\n",
    );
    world.write("says.a", r#""status":"COMPLETED","logs":["x"],"metrics":{"cost_usd":2.5}"#);
    run(&world, &["--daily-cost-limit", "2", "--cost-limit-action", "warn", "--detach"]).exits(0);
    eventually("the second step works", || world.json(&["status", "r1"])["steps"][1]["status"] == "RUNNING");
    let screen = || world.piton(&["status", "r1"]).exits(0).out;
    eventually("the limit is on the screen", || {
        screen().contains("limit   $2.50 of $2.00 for today are spent")
    });
    world.open_gate();
    world.piton(&["wait", "r1"]).exits(0);
    assert_eq!(world.count("r1", "budget_spent"), 1);
    // A limit of the run's own is warned of even if its last step breaks it.
    let alone = "name: alone\nsteps: [{id: a, agent: x, prompt: do.md}]\n";
    world.write("alone.yaml", alone);
    for (id, limit, says) in [
        ("r2", "--max-cost", "over the limit: $2.50 of $1.00 are spent"),
        ("r3", "--daily-cost-limit", "the money is spent: $5.00 of $1.00 for today are spent"),
    ] {
        let words = ["run", "alone.yaml", "--wrapper", "wrapper.sh", "--run-id", id, limit, "1"];
        let ran = world.piton(&[&words[..], &["--cost-limit-action", "warn"]].concat()).exits(0);
        assert!(ran.out.contains(says), "{}", ran.out);
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
    assert_eq!(day["cost_by_model"], json!({"opus": 5.0, "unknown": null}), "nobody said what the rest cost");
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
