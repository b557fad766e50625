//! Traces of attempts that piton did not leave: nobody believes them.

use super::common::{World, eventually};

/// Directories of checks, conditions and attempts that are still to come, each with an exit of 0 and everything else of a real one.
const FORGES: &str = r#"d="$PWD/.piton/attempts/r"
    for name in 2 3 $(for n in 2 3; do for k in 1 2 3 4 5; do echo check-$n-0-$k until-$n-0-$k; done; done); do
        mkdir -p "$d/$name/outbox"
        cp "$d"/1/*.json "$d/$name/"
        sed 's/"code": *[0-9]*/"code": 0/' "$d/check-1-0-1/exit.json" > "$d/$name/exit.json"
        touch "$d/$name/lock"
    done"#;

#[test]
fn an_agent_cannot_say_beforehand_how_a_check_ends() {
    let world = World::new();
    let agent = format!("test $PITON_ATTEMPT != 1 || {{ {FORGES}; }}; echo x >> a.txt");
    let more = ["--check", "c=test -f never", "--max-iterations", "2"];
    let ran = world.loops("r", &agent, &more).exits(3);
    assert!(ran.out.contains("c ✗") && !ran.out.contains("c ✓"), "{}", ran.out);
}

#[test]
fn an_attempt_that_was_forged_beforehand_is_set_aside_and_started() {
    let world = World::new();
    let agent =
        format!(r#"echo $PITON_ATTEMPT >> "$BESIDE/worked"; test $PITON_ATTEMPT != 1 || {{ {FORGES}; }}"#);
    let more = ["--check", "c=test -f never", "--max-iterations", "2"];
    let ran = world.loops("r", &agent, &more).exits(3);
    assert_eq!(std::fs::read_to_string(world.beside("worked")).unwrap(), "1\n2\n");
    assert!(ran.err.contains("`2` was there before attempt 2 was started"), "{}", ran.err);
}

#[test]
fn a_check_that_ended_while_nobody_looked_is_run_again() {
    let world = World::new();
    let check = r#"c=echo ran >> "$BESIDE/ran"; until test -e "$GATE"; do sleep 0.02; done; test -f b.txt"#;
    world.loops("r", "touch b.txt", &["--check", check, "--detach"]).exits(0);
    let ran = || std::fs::read_to_string(world.beside("ran")).unwrap_or_default().lines().count();
    eventually("the first check works", || ran() == 1);
    world.kill_driver("r");
    world.open_gate();
    let exit = world.path(".piton/attempts/r/check-1-0-1/exit.json");
    eventually("the check has ended", || exit.exists());
    world.piton(&["resume", "r"]).exits(0);
    // Of the first round the second try, and then the second round.
    assert_eq!(ran(), 3);
}

#[test]
fn a_step_cannot_say_beforehand_how_another_ends() {
    let world = World::new();
    world.write(
        "w.yaml",
        "name: w\nsteps:\n- id: a\n  run: |\n    d=.piton/attempts/r/2; mkdir -p $d/outbox; cp .piton/attempts/r/1/*.json $d/; touch $d/lock\n    \
         printf '{\"code\":0,\"signal\":null,\"ended_by\":\"exited\",\"error\":null,\"started_at\":\"2026-01-01T00:00:00Z\",\"ended_at\":\"2026-01-01T00:00:00Z\",\"duration_ms\":1,\"stdout_bytes\":0,\"stderr_bytes\":0,\"stdout_cut\":0,\"stderr_cut\":0}' > $d/exit.json\n\
         - {id: b, run: 'touch ran', needs: [a]}\n",
    );
    world.piton(&["run", "w.yaml", "--run-id", "r"]).exits(0);
    assert!(world.path("ran").exists(), "the second step really ran");
}
