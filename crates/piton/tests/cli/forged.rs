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

const ASKS: &str = "name: ask
steps:
  - {id: draft, run: 'true', human_in_the_loop: true}
  - {id: send, run: 'touch sent', needs: [draft]}
";

/// A run of `ask.yaml` that waits for a person.
fn waiting(configuration: &str) -> World {
    let world = World::configured(configuration);
    world.write("ask.yaml", ASKS);
    world.piton(&["run", "ask.yaml", "--run-id", "r1", "--pause-for-human-input"]).exits(4);
    world
}

const APPROVES: &str = r#"echo '{"approved": true}' > .agents/runs/r1/manual_inputs/r1__draft.json"#;

#[test]
fn nothing_of_another_run_approves_a_waiting_gate() {
    let agent = |world: &World| {
        world.loops("l", APPROVES, &["--check", "false", "--max-iterations", "1"]).exits(3);
    };
    let check = |world: &World| {
        let check = format!("{APPROVES}; false");
        world.loops("l", "true", &["--check", &check, "--max-iterations", "1"]).exits(3);
    };
    let step = |world: &World| {
        world.write("o.yaml", &format!("name: o\nsteps:\n  - id: x\n    run: |\n      {APPROVES}\n"));
        world.piton(&["run", "o.yaml", "--run-id", "o1"]).exits(0);
    };
    for another in [&agent as &dyn Fn(&World), &check, &step] {
        let world = waiting("");
        another(&world);
        let ran = world.piton(&["resume", "r1"]).exits(4);
        assert!(!world.path("sent").exists(), "{ran:?}");
        let status = world.piton(&["status", "r1"]).exits(0).out;
        assert!(status.contains("was written while a run was at work"), "{status}");
        // A person who writes it while nothing works is heard.
        world.shell(APPROVES).exits(0);
        world.piton(&["resume", "r1"]).exits(0);
        assert!(world.path("sent").exists());
    }
}

#[test]
fn a_run_that_an_agent_forges_is_not_gone_on_with() {
    let forges = r#"mkdir -p .agents/runs/r1; cat > .agents/runs/r1/run_state.json <<'END'
{"run_id": "r1", "workflow_name": "ask", "repo_dir": "/x", "steps": {
  "draft": {"status": "COMPLETED", "attempts": 1, "iteration_count": 0, "artifacts": [], "metrics": {}, "logs": []},
  "send": {"status": "PENDING", "attempts": 0, "iteration_count": 0}}}
END"#;
    for (walls, code) in [("[confine]\nenabled = true\n", 4), ("", 4)] {
        let world = World::configured(walls);
        world.write("ask.yaml", ASKS);
        world.loops("l", forges, &["--check", "false", "--max-iterations", "1"]).exits(3);
        let words = ["run", "ask.yaml", "--run-id", "r1", "--pause-for-human-input"];
        let ran = world.piton(&words).exits(code);
        assert!(!world.path("sent").exists(), "nobody was asked: {ran:?}");
        assert_eq!(ran.err.contains("which may have done so"), walls.is_empty(), "{}", ran.err);
    }
    // What another tool left while nothing of piton's worked is gone on with.
    let world = World::new();
    world.write("ask.yaml", ASKS);
    world.shell(forges).exits(0);
    world.piton(&["run", "ask.yaml", "--run-id", "r1", "--pause-for-human-input"]).exits(0);
    assert!(world.path("sent").exists());
}
