//! An answer that is on record, and whoever gave it died before it took effect: who comes next settles it.

use super::common::{World, eventually};
use super::workflow::world;

const ASKS: &str = "name: w\nsteps: [{id: m, run: 'true', human_in_the_loop: true}, {id: n, run: 'touch shipped', needs: [m]}]\n";
const OUTER: &str = "name: outer\nsteps: [{id: o, workflow: middle.yaml}]\n";
const MIDDLE: &str = "name: middle\nsteps: [{id: i, workflow: in.yaml}]\n";

/// A run `r1` that asks, itself or by a run within a run within it; the run that asks.
fn asking(is_nested: bool) -> (World, String) {
    let world = world(if is_nested { OUTER } else { ASKS });
    world.write("middle.yaml", MIDDLE);
    world.write("in.yaml", ASKS);
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--pause-for-human-input"]).exits(4);
    let next = world.json(&["status", "r1"])["next"].as_str().unwrap().to_owned();
    let asks = next.strip_prefix("piton answer ").unwrap_or_else(|| panic!("{next}")).to_owned();
    (world, asks)
}

/// Answers, and dies right after that is on record.
fn answer_and_die(world: &World, run: &str, answer: &str) {
    let before = world.count(run, "answer_given");
    let dies_at = |point: u32| {
        let at = point.to_string();
        let variables = [("PITON_ABORT_AT", at.as_str()), ("PITON_ABORT_IN", "answer")];
        assert_eq!(world.piton_with(&variables, &["answer", run, answer]).code, -1, "point {point}");
        world.count(run, "answer_given") > before
    };
    assert!((1..100).any(dies_at), "it is never on record");
    assert_eq!(world.count(run, "human_answered"), 0, "nobody has judged it");
}

#[test]
fn the_next_command_is_one_that_works() {
    for is_nested in [false, true] {
        let (world, asks) = asking(is_nested);
        answer_and_die(&world, &asks, "--approve");
        for run in ["r1", &asks] {
            let status = world.json(&["status", run]);
            assert_eq!(status["next"], format!("piton resume {run}"), "{status:#}");
            let screen = world.piton(&["status", run]).exits(0).out;
            assert!(screen.contains("what people said is on record, and not acted on yet"), "{screen}");
        }
        let waiting = world.piton(&["answer"]).exits(0);
        assert_eq!((waiting.out.as_str(), waiting.err.as_str()), ("", "nothing waits for an answer\n"));
        let listed = world.json(&["ls"]);
        let undriven = |run: &serde_json::Value| run["run_id"] == asks && run["undriven"] == true;
        assert!(listed.as_array().unwrap().iter().any(undriven), "{listed:#}");
        world.piton(&["resume", "r1"]).exits(0);
        assert!(world.path("shipped").exists());
        assert_eq!(world.count(&asks, "human_answered"), 1);
    }
}

#[test]
fn whoever_comes_next_settles_it() {
    for is_nested in [false, true] {
        for (comes, code) in [
            (&["wait", "r1"][..], 0),
            (&["attach", "r1"], 0),
            (&["worker", "--once"], 0),
            (&["resume", "--all"], 0),
            (&["answer", "ASKS", "--reject"], 4),
        ] {
            let (world, asks) = asking(is_nested);
            answer_and_die(&world, &asks, "--approve");
            let words: Vec<&str> =
                comes.iter().map(|word| if *word == "ASKS" { &asks } else { *word }).collect();
            let ran = world.piton(&words);
            assert_eq!(ran.code, code, "{comes:?}: {ran:?}");
            eventually(&format!("{comes:?} settles it"), || {
                world.json(&["status", "r1"])["status"] == "completed"
            });
            assert!(world.path("shipped").exists(), "{comes:?}: the first answer counts");
        }
    }
}

#[test]
fn a_rejection_and_an_abort_count_as_much() {
    for is_nested in [false, true] {
        for (answer, means) in [("--reject", "run_failed"), ("--abort", "run_stopped")] {
            let (world, asks) = asking(is_nested);
            answer_and_die(&world, &asks, answer);
            let ran = world.piton(&["resume", "r1"]);
            assert_ne!(ran.code, 0, "{answer}: {ran:?}");
            eventually(answer, || world.count(&asks, means) == 1);
            assert!(!world.path("shipped").exists());
        }
    }
}

#[test]
fn a_loop_says_the_next_command_too() {
    let world = World::new();
    let asks = r#"test -e $BESIDE/asked && touch b.txt || { touch $BESIDE/asked; echo '{"status":"blocked","reason":"which?"}' > $PITON_REPORT; }"#;
    world.loops("ask", asks, &["--check", "test=test -f b.txt"]).exits(4);
    answer_and_die(&world, "ask", "--approve");
    assert_eq!(world.json(&["status", "ask"])["next"], "piton resume ask");
    let waiting = world.piton(&["answer"]).exits(0);
    assert_eq!((waiting.out.as_str(), waiting.err.as_str()), ("", "nothing waits for an answer\n"));
    world.piton(&["resume", "ask"]).exits(0);
}
