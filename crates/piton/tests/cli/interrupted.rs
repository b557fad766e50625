//! kill -9 of the driver while it measures and while it recovers: a resume ends where an undisturbed run does.

use serde_json::{Value, json};

use crate::common::{World, eventually};

/// A measurement that can be held up: where `hold` is, it says so in `held` and waits for the gate.
const SIZE: &str = r#"if test -e "$BESIDE/hold"; then : > "$BESIDE/held"; until test -e "$GATE"; do sleep 0.02; done; fi; wc -c < code.txt"#;

/// A git that is held up once the files of a refused iteration are back as they were, and then does nothing.
const GIT: &str = r#"#!/bin/sh
if test -e "$BESIDE/hold" && test "$(cat "$BESIDE/repo/tests")" = "4 0"; then
  : > "$BESIDE/held"
  until test -e "$GATE"; do sleep 0.02; done
  exit 1
fi
exec REAL "$@"
"#;

/// Better, then fewer tests (refused), then better again. Where the plan names an iteration, it ends in a hold.
const AGENT: &str = r#"
case $PITON_ITERATION in
1) echo 4 0 > tests; printf 'SF:a.c\nDA:1,1\nDA:2,1\nDA:3,1\nDA:4,1\nend_of_record\n' > report;;
2) echo 2 0 > tests;;
3) echo more >> code.txt;;
esac
if test "$(cat "$BESIDE/plan" 2>/dev/null)" = $PITON_ITERATION; then : > "$BESIDE/hold"; fi
"#;

fn world() -> World {
    crate::numbers::world_with(SIZE)
}

const LOOP: &[&str] = &["--until", "file:never", "--max-iterations", "3"];

/// All that a person could see of how a run ended, apart from times and processes.
fn outcome(world: &World) -> Value {
    let status = world.json(&["status", "r"]);
    let iterations: Vec<_> = status["iterations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|iteration| {
            json!({
                "number": iteration["number"],
                "refused": iteration["refused"],
                "quality": iteration["quality"],
                "checks": iteration["checks"],
            })
        })
        .collect();
    let findings: Vec<_> = status["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| json!([finding["rule"], finding["file"], finding["message"], finding["blocking"]]))
        .collect();
    let count = |kind: &str| world.count("r", kind);
    json!({
        "status": [status["status"], status["reason"]],
        "used": [status["used"]["iterations"], status["used"]["attempts"], status["used"]["lost"]],
        "baseline": status["baseline_measures"],
        "measures": status["measures"],
        "findings": findings,
        "iterations": iterations,
        "best": world.json(&["best", "r"])["iteration"],
        "files": [world.read("tests"), world.read("code.txt"), world.read("report")],
        "attempts": count("attempt_started"),
        "recovery": count("recovery_advanced"),
        "rounds": count("checks_finished"),
    })
}

/// How the run ends where nobody disturbs it.
fn undisturbed() -> Value {
    let world = world();
    world.loops("r", AGENT, LOOP).exits(3);
    outcome(&world)
}

/// Kills the driver once something is held up, and lets a second one go on.
fn killed_and_resumed(world: &World, variables: &[(&str, &str)], iteration: &str) -> Value {
    world.shell(&format!("printf {iteration} > \"$BESIDE/plan\"")).exits(0);
    let begin = ["loop", "Do it", "--id", "r", "--exec", AGENT, "--detach"];
    world.piton_with(variables, &[&begin, LOOP].concat()).exits(0);
    eventually("something is held up", || world.beside("held").exists());
    world.kill_driver("r");
    world.shell("rm -f \"$BESIDE/hold\" \"$BESIDE/plan\"").exits(0);
    world.open_gate();
    world.piton(&["resume", "r"]).exits(3);
    world.piton(&["verify"]).exits(0);
    outcome(world)
}

#[test]
fn a_driver_killed_while_it_measures_leaves_nothing_behind() {
    let expected = undisturbed();
    assert_eq!(expected["iterations"][1]["refused"], true, "{expected:#}");
    for iteration in ["1", "3"] {
        assert_eq!(killed_and_resumed(&world(), &[], iteration), expected, "iteration {iteration}");
    }
}

#[test]
fn a_driver_killed_in_the_middle_of_a_recovery_is_resumed_to_the_same_end() {
    let world = world();
    let real = world.shell("command -v git").exits(0).out;
    world.shell("mkdir -p \"$BESIDE/bin\"").exits(0);
    world.write("../bin/git", &GIT.replace("REAL", real.trim()));
    world.shell("chmod +x \"$BESIDE/bin/git\"").exits(0);
    let path = format!("{}:{}", world.beside("bin").display(), std::env::var("PATH").unwrap());
    let ended = killed_and_resumed(&world, &[("PATH", path.as_str())], "2");
    assert_eq!(ended, undisturbed());
}
