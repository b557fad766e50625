//! After an attempt that was stopped, given up or lost the checks say how the tree stands before another one is paid for.

use crate::common::{World, eventually};

/// Does the work, keeps its prompt, and then does not end until the gate is open.
const AGENT: &str = r#"cp "$PITON_PROMPT_FILE" "$BESIDE/prompt.$PITON_ATTEMPT"; echo $PITON_ATTEMPT >> WORK
: > "$BESIDE/worked.$PITON_ATTEMPT"; until test -e "$GATE"; do sleep 0.02; done"#;

/// A loop whose first attempt has done `work` and has not ended.
fn world_at_work(work: &str, check: &str) -> World {
    let world = World::new();
    world.loops_behind("w", &AGENT.replace("WORK", work), &["--check", check]);
    eventually("the work is done", || world.beside("worked.1").exists());
    world
}

/// The work was all there was to do: nobody pays for another attempt.
#[track_caller]
fn ends_without_another(world: &World) {
    world.piton(&["wait", "w"]).exits(0);
    assert_eq!(world.count("w", "attempt_started"), 1, "{}", world.piton(&["log", "w"]).out);
    assert_eq!(world.json(&["status", "w"])["status"], "completed");
}

#[test]
fn what_a_skipped_attempt_left_is_checked_before_the_next_one() {
    let world = world_at_work("fixed", "c=test -f fixed");
    world.piton(&["skip", "w"]).exits(0);
    ends_without_another(&world);
}

#[test]
fn what_a_stopped_attempt_left_is_checked_when_the_run_goes_on() {
    let world = world_at_work("fixed", "c=test -f fixed");
    world.piton(&["stop", "w", "--now"]).exits(0);
    world.piton(&["wait", "w"]).exits(4);
    let status = world.json(&["status", "w"]);
    assert_eq!((&status["status"], &status["unjudged_attempt"]), (&"stopped".into(), &1.into()));
    world.piton(&["resume", "w"]).exits(0);
    ends_without_another(&world);
}

#[test]
fn what_a_lost_attempt_left_is_checked_before_the_next_one() {
    let world = World::new();
    let agent = world.loops_behind("w", &AGENT.replace("WORK", "fixed"), &["--check", "c=test -f fixed"]);
    eventually("the work is done", || world.beside("worked.1").exists());
    let keeper: serde_json::Value =
        serde_json::from_str(&world.read(".piton/attempts/w/1/keeper.json")).unwrap();
    let keeper = piton_sys::process::identity(keeper["process"]["pid"].as_u64().unwrap() as u32).unwrap();
    for process in [keeper, agent] {
        piton_sys::process::signal(&process, piton_sys::process::Signal::Kill).unwrap();
    }
    ends_without_another(&world);
}

/// What is not done yet goes on in the iteration that it was stopped in, with a prompt that says how it stands.
#[test]
fn an_attempt_that_was_stopped_half_way_goes_on_with_a_true_prompt() {
    let world = World::new();
    let more = ["--check", "a=test -f fixed", "--check", "b=grep -q 2 fixed"];
    world.loops_behind("w", &AGENT.replace("WORK", "fixed"), &more);
    eventually("the work is done", || world.beside("worked.1").exists());
    world.piton(&["stop", "w", "--now"]).exits(0);
    world.piton(&["wait", "w"]).exits(4);
    world.open_gate();
    world.piton(&["resume", "w"]).exits(0);
    let prompt = std::fs::read_to_string(world.beside("prompt.2")).unwrap();
    assert!(
        prompt.contains("The check `b` fails now") && !prompt.contains("The check `a` fails"),
        "{prompt}"
    );
    assert_eq!(world.json(&["status", "w"])["limits"]["iterations"]["used"], 1);
}

/// Nobody is told that a check fails that was run before the work.
#[test]
fn a_status_says_that_what_was_reported_done_is_not_judged_yet() {
    let world = World::new();
    let agent =
        format!("{}; touch fixed; echo '{{\"status\":\"done\"}}' > $PITON_REPORT", crate::common::WAITS);
    world.loops_behind("w", &agent, &["--check", "c=test -f fixed"]);
    world.piton(&["stop", "w"]).exits(0);
    world.open_gate();
    eventually("it rests", || world.json(&["status", "w"])["status"] == "stopped");
    let screen = world.piton(&["status", "w"]).exits(0).out;
    let words =
        "unjudged attempt 1, which reported done: the checks run on what it left when the run goes on";
    assert!(screen.contains(words), "{screen}");
    world.piton(&["resume", "w"]).exits(0);
    assert!(!world.piton(&["status", "w"]).out.contains("unjudged"));
}
