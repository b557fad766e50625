//! Hooks: what a person hooked into a run is called where they said, and only if they trust it.

use super::common::{World, eventually};
use super::servers::Web;

const RED: &str = "test=test -f b.txt";

fn lines(world: &World, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(world.beside(name)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn all_fifteen_points_are_called() {
    let world = World::configured(
        r#"
[loop]
session = "continue"
[hooks.note]
points = ["loop_start", "loop_end", "pre_iteration", "post_iteration", "pre_reboot", "post_reboot", "on_test_failure",
  "on_test_success", "on_progress", "on_no_progress", "on_error", "on_mode_switch", "on_file_change", "pre_session", "post_session"]
command = "echo $PITON_HOOK_POINT $PITON_ITERATION >> $BESIDE/points"
"#,
    );
    let agent = r#"echo "{\"session_id\":\"s$PITON_ATTEMPT\"}" > $PITON_REPORT
        case $PITON_ITERATION in 1) exit 1;; 2) until test -e "$GATE"; do sleep 0.02; done;; *) touch b.txt;; esac"#;
    world.loops("r", agent, &["--check", RED, "--detach"]).exits(0);
    world.agent_works("r", 2);
    world.piton(&["reboot", "r"]).exits(0);
    world.piton(&["mode", "r", "hybrid"]).exits(0);
    world.open_gate();
    world.piton(&["wait", "r"]).exits(0);
    assert_eq!(
        lines(&world, "points"),
        [
            "loop_start 0",
            "on_test_failure 0",
            "pre_iteration 1",
            "pre_session 1",
            "post_session 1",
            "on_error 1",
            "on_test_failure 1",
            "on_no_progress 1",
            "post_iteration 1",
            "pre_iteration 2",
            "pre_session 2",
            "pre_reboot 2",
            "post_session 2",
            "on_mode_switch 2",
            "on_test_failure 2",
            "on_no_progress 2",
            "post_iteration 2",
            "pre_iteration 3",
            "pre_session 3",
            "post_session 3",
            "post_reboot 3",
            "on_test_success 3",
            "on_file_change 3",
            "on_progress 3",
            "post_iteration 3",
            "loop_end 3",
        ]
    );
    // The builtin `logging` is called with it, and what it writes is no work of the agent's.
    assert!(world.read(".ralph/audit.log").contains("[LOOP_END] r iteration 3"));
}

#[test]
fn a_hook_stops_the_run_and_is_asked_again_when_it_goes_on() {
    let world = World::configured(
        r#"
[hooks.gate]
points = ["pre_iteration"]
command = "test -e $GATE || echo '{\"continue_loop\": false, \"output\": \"not yet\"}'"
"#,
    );
    let ran = world.loops("r", "touch b.txt", &["--check", RED]).exits(3);
    assert!(ran.out.contains("hook `gate` stopped the run at pre_iteration: not yet"), "{ran:?}");
    assert_eq!(world.json(&["status", "r"])["reason"], "hook");
    world.piton(&["resume", "r"]).exits(3);
    assert_eq!(world.count("r", "attempt_started"), 0);
    world.open_gate();
    world.piton(&["resume", "r"]).exits(0);
}

#[test]
fn a_driver_that_is_killed_while_a_hook_runs_calls_it_again_and_nothing_else() {
    let world = World::configured(
        r#"
[hooks]
builtin = []
[hooks.slow]
points = ["pre_iteration"]
timeout = "1m"
command = "echo call $PITON_HOOK_CALL >> $BESIDE/calls; until test -e $GATE; do sleep 0.02; done"
"#,
    );
    world.loops("r", "touch b.txt; echo once >> $BESIDE/times", &["--check", RED, "--detach"]).exits(0);
    eventually("the hook runs", || lines(&world, "calls").len() == 1);
    world.kill_driver("r");
    world.open_gate();
    world.piton(&["resume", "r"]).exits(0);
    assert_eq!(lines(&world, "calls"), ["call 1", "call 1"], "the same call, twice");
    assert_eq!(lines(&world, "times"), ["once"]);
    assert_eq!((world.count("r", "hooks_started"), world.count("r", "hooks_finished")), (1, 1));
    world.piton(&["verify"]).exits(0);
}

#[test]
fn a_webhook_is_told_and_can_stop_the_run() {
    let world = World::new();
    let web = Web::answering(r#"{"continue_loop": false, "output": "enough"}"#);
    world.configure(&format!("[hooks.board]\npoints = [\"post_iteration\"]\nurl = \"{}\"\n", web.url));
    let ran = world.loops("r", "touch c.txt", &["--check", RED]).exits(3);
    assert!(ran.out.contains("hook `board` stopped the run at post_iteration: enough"), "{ran:?}");
    let told = web.body();
    assert_eq!((&told["hook_point"], &told["iteration"]), (&"post_iteration".into(), &1.into()));
    assert_eq!((&told["loop_id"], &told["tests_passing"]), (&"r".into(), &false.into()));
}

#[test]
fn a_hook_in_a_file_of_its_own_is_called_once_somebody_trusts_it() {
    let world = World::new();
    world.write(
        ".ralph/hooks/tell.yaml",
        "name: tell\npoints: [loop_start]\nhook_type: { type: command, command: touch $BESIDE/was-called }\n",
    );
    let ran = world.loops("a", "touch b.txt", &["--check", RED]).exits(0);
    let warning = "hook `tell` of .ralph/hooks/tell.yaml is skipped, not trusted: touch $BESIDE/was-called";
    assert!(ran.err.contains(warning), "{ran:?}");
    assert!(ran.out.contains("hook `tell` skipped, not trusted: touch $BESIDE/was-called"), "{ran:?}");
    assert!(!world.beside("was-called").exists());
    assert!(world.piton(&["trust"]).exits(0).err.contains("# .ralph/hooks/tell.yaml"));
    world.loops("b", "rm b.txt; touch b.txt c.txt", &["--check", "x=test -f c.txt"]).exits(0);
    assert!(world.beside("was-called").exists());
}

#[test]
fn a_script_that_changed_since_the_run_began_is_skipped() {
    let world = World::new();
    world.write("hook.sh", "#!/bin/sh\necho good >> $BESIDE/said\n");
    world.shell("chmod +x hook.sh && git add . && git commit -qm hook");
    world.configure("[hooks.script]\npoints = [\"post_iteration\"]\npath = \"hook.sh\"\n");
    let agent = "if [ $PITON_ITERATION = 1 ]; then touch c.txt; else echo 'echo bad >> $BESIDE/said' >> hook.sh; touch b.txt; fi";
    let ran = world.loops("r", agent, &["--check", RED]).exits(0);
    assert_eq!(lines(&world, "said"), ["good"]);
    assert!(ran.out.contains("hook `script` skipped, changed since it was trusted"), "{ran:?}");
}

#[test]
fn the_builtin_for_git_stages_what_was_judged() {
    let world = World::configured("[hooks]\nbuiltin = [\"git\"]\n");
    world.loops("r", "touch b.txt; rm -f a.txt", &["--check", "test -f b.txt"]).exits(0);
    assert_eq!(
        world.git(&["diff", "--cached", "--name-status", "--", "a.txt", "b.txt"]),
        "D\ta.txt\nA\tb.txt\n"
    );
}

#[test]
fn builtins_write_metrics_and_back_the_view_up() {
    let world = World::configured("[hooks]\nbuiltin = [\"metrics\", \"backup\"]\n");
    world.loops("r", "touch b.txt", &["--check", RED]).exits(0);
    assert!(world.read(".ralph/metrics.prom").contains("ralph_loop_iterations_total{loop_id=\"r\"} 1"));
    let backups: Vec<_> = std::fs::read_dir(world.path(".ralph/backups")).unwrap().flatten().collect();
    assert_eq!(backups.len(), 1, "{backups:?}");
}

#[test]
fn values_of_hooks_are_in_the_view() {
    let world = World::configured(
        "[hooks.set]\npoints = [\"loop_start\"]\ncommand = \"echo '{\\\"modified_data\\\": {\\\"k\\\": 7}}'\"\n",
    );
    world.loops("r", "touch b.txt", &["--check", RED]).exits(0);
    assert_eq!(world.json(&["show", "r"])["state"]["memory"]["custom"]["k"], 7);
}

#[test]
fn a_hook_that_fails_after_the_last_iteration_stops_the_run_where_that_was_asked_for() {
    for (strict, code) in [("false", 0), ("true", 3)] {
        let world = World::configured(&format!(
            "[hooks]\nfail_on_hook_error = {strict}\n[hooks.h]\npoints = ['post_iteration']\ncommand = 'echo no >&2; exit 1'\n"
        ));
        let ran = world.loops("r", "touch b.txt", &["--check", RED]).exits(code);
        if code == 3 {
            assert!(
                ran.out.contains("stopped   hook `h` failed at post_iteration: it exited with 1: no"),
                "{}",
                ran.out
            );
            // The work is done: nothing of it is done again.
            world.piton(&["resume", "r"]).exits(0);
            assert_eq!(world.count("r", "attempt_started"), 1);
        }
    }
}

#[test]
fn a_hook_that_is_under_way_is_ended_by_whoever_stops_now() {
    let world = World::configured(
        r#"
[hooks.slow]
points = ["pre_iteration"]
timeout = "10m"
command = "echo $$ > $BESIDE/pid; while :; do sleep 0.1; done"
"#,
    );
    let viewer = world.start(&["loop", "Do it", "--id", "r", "--exec", "touch b.txt", "--check", RED]);
    eventually("the hook works", || !lines(&world, "pid").is_empty());
    let pid: u32 = lines(&world, "pid")[0].parse().unwrap();
    viewer.signal(super::common::Signal::INT);
    viewer.says("again");
    viewer.signal(super::common::Signal::INT);
    viewer.ends().exits(130);
    eventually("it is gone", || piton_sys::process::identity(pid).is_none());
    assert_eq!(world.json(&["status", "r"])["status"], "stopped");
}
