//! `[notify]` and `[hooks]`: who is told what, how often, and what is called.

use crate::common::{Ran, World, eventually};
use crate::servers::Web;

const RED: &str = "test=test -f b.txt";
/// Three iterations, the last of which is right.
const THREE: &str = "echo $PITON_ITERATION > c.txt; if test $PITON_ITERATION = 3; then touch b.txt; fi";

/// What a webhook is told of a run of three iterations, or of a workflow of three steps that fails at its end.
fn told(settings: &str, kind: Kind) -> Vec<String> {
    let world = World::new();
    let web = Web::answering("{}");
    world.configure(&format!(
        "[notify]\n{settings}\n[notify.channels.web]\ntype = 'webhook'\nurl = '{}'\n\
         [notify.channels.log]\ntype = 'logfile'\npath = '.piton/told.log'\n[notify.triggers]\n\
         iteration_complete = 'normal'\nloop_started = 'normal'\nloop_completed = 'normal'\nloop_failed = 'normal'\n",
        web.url
    ));
    match kind {
        Kind::Loop => drop(world.loops("r", THREE, &["--check", RED]).exits(0)),
        Kind::Workflow => {
            world.write(
                "w.yaml",
                "name: w\nsteps: [{id: a, run: 'true'}, {id: b, run: 'true', needs: [a]}]\n",
            );
            world.piton(&["run", "w.yaml", "--run-id", "r"]).exits(0);
        }
        Kind::Cycle => drop(world.piton(&cycle("r", &touched(3))).exits(0)),
    }
    // A driver tells what is still to be told before it leaves: once it is gone, nobody is told more.
    let log = world.piton(&["log", "r", "--json"]).exits(0).out;
    let events = log.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let driver = events.rev().find(|event| event["type"] == "driver_started").expect("somebody drove it");
    let process = format!("/proc/{}", driver["data"]["pid"]);
    eventually("its driver has left", || !std::path::Path::new(&process).exists());
    let bodies = web.rest();
    bodies.iter().map(|body| body["trigger"].as_str().unwrap().to_owned()).collect()
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Loop,
    Workflow,
    Cycle,
}

const TEAM: &str = "cat > /dev/null; if test $PITON_ROLE = cd; then echo x >> code.txt; fi; if test $PITON_ROLE = ra; then echo \"$ASKS\"; fi; if test $PITON_ROLE = vas; then echo PHASE_RESULT:; echo \"- status: completed\"; fi";

/// The check that is green once the developer worked so often.
fn touched(times: u32) -> String {
    format!("test=test \"$(cat code.txt 2> /dev/null | wc -l)\" -ge {times}")
}

fn cycle<'a>(id: &'a str, check: &'a str) -> [&'a str; 9] {
    ["cycle", "start", "x", "--id", id, "--exec", TEAM, "--check", check]
}

const NORMAL: &str = "'normal'";
const AT_ONCE: &str = "debounce = '0s'\nmin_interval = '0s'\n";

fn enabled(kind: Kind) {
    assert!(!told(AT_ONCE, kind).is_empty());
    assert!(told(&format!("enabled = false\n{AT_ONCE}"), kind).is_empty());
}

fn quiet_hours(kind: Kind) {
    let all_day = "quiet_hours = { from = '00:00', to = '00:00', allow_critical = false }\n";
    assert!(told(&format!("{AT_ONCE}{all_day}"), kind).is_empty());
}

#[test]
fn notify_enabled_acts_in_a_loop() {
    enabled(Kind::Loop);
}

#[test]
fn notify_enabled_acts_in_a_workflow() {
    enabled(Kind::Workflow);
}

#[test]
fn notify_max_per_hour_acts_in_a_loop() {
    assert_eq!(told(&format!("max_per_hour = 1\n{AT_ONCE}"), Kind::Loop).len(), 1);
}

#[test]
fn notify_max_per_hour_acts_in_a_workflow() {
    assert_eq!(asked(AT_ONCE, NORMAL), 2);
    assert_eq!(asked(&format!("max_per_hour = 1\n{AT_ONCE}"), NORMAL), 1);
}

#[test]
fn notify_quiet_hours_acts_in_a_loop() {
    quiet_hours(Kind::Loop);
}

#[test]
fn notify_quiet_hours_acts_in_a_workflow() {
    quiet_hours(Kind::Workflow);
}

fn iterations(told: &[String]) -> usize {
    told.iter().filter(|trigger| *trigger == "iteration_complete").count()
}

#[test]
fn notify_min_interval_acts_in_a_loop() {
    assert_eq!(iterations(&told("debounce = '0s'", Kind::Loop)), 1, "one in a minute");
    assert_eq!(iterations(&told(AT_ONCE, Kind::Loop)), 3);
}

#[test]
fn notify_min_interval_acts_in_a_workflow() {
    assert_eq!(asked("debounce = '0s'", NORMAL), 1, "one in a minute");
    assert_eq!(asked(AT_ONCE, NORMAL), 2);
}

#[test]
fn notify_triggers_name_acts_in_a_workflow() {
    assert_eq!(asked(AT_ONCE, "false"), 0);
}

/// A burst is one message unless nothing waits.
#[test]
fn notify_debounce_acts_in_a_loop() {
    assert_eq!(iterations(&told("min_interval = '0s'", Kind::Loop)), 1);
    assert_eq!(iterations(&told(AT_ONCE, Kind::Loop)), 3);
}

/// How often a webhook is told that a workflow with two people in a row needs one.
fn asked(settings: &str, trigger: &str) -> usize {
    let world = World::new();
    let web = Web::answering("{}");
    world.configure(&format!(
        "[notify]\n{settings}\n[notify.channels.web]\ntype = 'webhook'\nurl = '{}'\n\
         [notify.triggers]\nattention_needed = {trigger}\n",
        web.url
    ));
    world.write("do.md", "Do it.\n");
    world.write(
        "w.yaml",
        "name: w\nsteps:\n  - {id: a, agent: x, prompt: do.md, human_in_the_loop: true}\n  \
         - {id: b, agent: x, prompt: do.md, needs: [a], human_in_the_loop: true}\n",
    );
    let run = ["run", "w.yaml", "--run-id", "r", "--exec", "true", "--pause-for-human-input"];
    world.piton(&run).exits(4);
    world.write(".agents/runs/r/manual_inputs/r__a.json", r#"{"approved": true}"#);
    world.piton(&["resume", "r"]).exits(4);
    assert!(world.read(".agents/runs/r/run_state.json").contains("\"b\""));
    web.rest().len()
}

fn check(world: &World) -> Vec<String> {
    let text = std::fs::read_to_string(world.beside("called")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn notify_enabled_acts_in_a_cycle() {
    enabled(Kind::Cycle);
}

#[test]
fn notify_max_per_hour_acts_in_a_cycle() {
    assert_eq!(told(&format!("max_per_hour = 1\n{AT_ONCE}"), Kind::Cycle).len(), 1);
}

#[test]
fn notify_quiet_hours_acts_in_a_cycle() {
    quiet_hours(Kind::Cycle);
}

#[test]
fn notify_min_interval_acts_in_a_cycle() {
    assert_eq!(iterations(&told("debounce = '0s'", Kind::Cycle)), 1, "one in a minute");
    assert_eq!(iterations(&told(AT_ONCE, Kind::Cycle)), 3);
}

#[test]
fn notify_debounce_acts_in_a_cycle() {
    assert_eq!(iterations(&told("min_interval = '0s'", Kind::Cycle)), 1);
}

/// `[notify.channels.web]` is told of the whole life of a cycle, in the words of a loop.
#[test]
fn notify_channels_name_acts_in_a_cycle() {
    let told = told(AT_ONCE, Kind::Cycle);
    let (first, last) = (told.first().unwrap(), told.last().unwrap());
    assert_eq!((first.as_str(), last.as_str()), ("loop_started", "loop_completed"), "{told:?}");
}

#[test]
fn notify_triggers_name_acts_in_a_cycle() {
    for (trigger, times) in [("'high'", 1), ("false", 0)] {
        let (world, web) = (World::new(), Web::answering("{}"));
        world.configure(&format!(
            "[notify]\n{AT_ONCE}[notify.channels.web]\ntype = 'webhook'\nurl = '{}'\n[notify.triggers]\nattention_needed = {trigger}\n",
            web.url
        ));
        let asks = "PHASE_RESULT:\n- phase: ra\n- status: completed\n- decision: Which one? | one | two\n";
        world.piton_with(&[("ASKS", asks)], &cycle("r", "test=true")).exits(4);
        // Who waits for a person has left before the driver has told all of it.
        eventually("nobody drives it", || world.json(&["status", "r"])["driver"].is_null());
        let mut told = web.rest();
        eventually("it was told", || {
            told.extend(web.rest());
            times == 0 || told.iter().any(|body| body["trigger"] == "attention_needed")
        });
        let asked: Vec<_> = told.iter().filter(|body| body["trigger"] == "attention_needed").collect();
        assert_eq!(asked.len(), times, "{told:?}");
        assert!(
            asked
                .iter()
                .all(|body| body["text"].as_str().unwrap().contains("DEC-001: Which one? (one | two)")),
            "{asked:?}"
        );
    }
}

#[test]
fn hooks_builtin_acts_in_a_cycle() {
    for (builtin, is_there) in [("['logging']", true), ("[]", false)] {
        let world = World::configured(&format!("[hooks]\nbuiltin = {builtin}\n"));
        world.piton(&cycle("r", "test=true")).exits(0);
        assert_eq!(world.path(".ralph/audit.log").exists(), is_there);
    }
}

/// `[hooks.note]` at every point that a cycle has.
#[test]
fn hooks_name_acts_in_a_cycle() {
    let world = World::configured(
        r#"
[hooks.note]
points = ["loop_start", "loop_end", "pre_iteration", "post_iteration", "pre_reboot", "post_reboot", "on_test_failure",
  "on_test_success", "on_progress", "on_no_progress", "on_error", "on_mode_switch", "on_file_change", "pre_session", "post_session"]
command = "echo $PITON_HOOK_POINT $PITON_ITERATION >> $BESIDE/called"
"#,
    );
    let check_twice = touched(2);
    let fails_once = format!(
        "{TEAM}; if test $PITON_ROLE = ep && ! test -e $BESIDE/failed; then touch $BESIDE/failed; exit 1; fi"
    );
    let words = ["cycle", "start", "x", "--id", "r", "--exec", &fails_once, "--check", &check_twice];
    world.piton(&words).exits(0);
    let role = |iteration: u32| [format!("pre_session {iteration}"), format!("post_session {iteration}")];
    let verdict = |iteration: u32| {
        ["on_file_change", "on_progress", "post_iteration"].map(|point| format!("{point} {iteration}"))
    };
    let mut expected = vec!["loop_start 1".to_owned(), "pre_iteration 1".to_owned()];
    expected.extend([role(1), role(1)].concat());
    expected.push("on_error 1".to_owned());
    expected.extend([role(1), role(1)].concat());
    expected.push("on_test_failure 1".to_owned());
    expected.extend(role(1).into_iter().chain(verdict(1)));
    expected.push("pre_iteration 2".to_owned());
    expected.extend(role(2));
    expected.push("on_test_success 2".to_owned());
    expected.extend(role(2));
    // The checks have the last word.
    expected.push("on_test_success 2".to_owned());
    expected.extend(verdict(2));
    expected.push("loop_end 2".to_owned());
    assert_eq!(check(&world), expected);
}

/// Runs a loop, or a cycle, to its end in one iteration.
fn once(world: &World, kind: Kind, more: &[&str]) -> Ran {
    match kind {
        Kind::Loop => world.loops("r", "touch b.txt", &[&["--check", RED], more].concat()),
        Kind::Cycle => world.piton(&[&cycle("r", "test=true")[..], more].concat()),
        Kind::Workflow => unreachable!("a workflow has no hooks"),
    }
}

/// What a hook left of a run, and what that exited with.
fn called(settings: &str, hook: &str, kind: Kind) -> (Vec<String>, i32) {
    let world = World::configured(&format!(
        "[hooks]\n{settings}\n[hooks.mine]\npoints = ['pre_iteration']\n{hook}\n"
    ));
    let ran = once(&world, kind, &[]);
    (check(&world), ran.code)
}

fn hooks_enabled(kind: Kind) {
    let hook = "command = 'echo called >> $BESIDE/called'";
    assert_eq!(called("", hook, kind), (vec!["called".to_owned()], 0));
    assert_eq!(called("enabled = false", hook, kind), (vec![], 0));
}

fn hooks_default_timeout(kind: Kind) {
    let hook = "command = 'echo begun >> $BESIDE/called; sleep 20; echo ended >> $BESIDE/called'";
    assert_eq!(called("default_timeout = '1s'", hook, kind), (vec!["begun".to_owned()], 0));
}

fn hooks_fail_on_hook_error(kind: Kind) -> i32 {
    let hook = "command = 'exit 3'";
    assert_eq!(called("", hook, kind).1, 0);
    called("fail_on_hook_error = true", hook, kind).1
}

fn hooks_dir(kind: Kind) {
    let world = World::new();
    world.write(
        "own-hooks/note.yaml",
        "name: note\npoints: [post_iteration]\nhook_type: {type: command, command: 'echo called >> $BESIDE/called'}\n",
    );
    world.configure("[hooks]\ndir = 'own-hooks'\n");
    once(&world, kind, &["--trust"]).exits(0);
    assert_eq!(check(&world), ["called"]);
}

#[test]
fn hooks_enabled_acts_in_a_loop() {
    hooks_enabled(Kind::Loop);
}

#[test]
fn hooks_enabled_acts_in_a_cycle() {
    hooks_enabled(Kind::Cycle);
}

#[test]
fn hooks_default_timeout_acts_in_a_loop() {
    hooks_default_timeout(Kind::Loop);
}

#[test]
fn hooks_default_timeout_acts_in_a_cycle() {
    hooks_default_timeout(Kind::Cycle);
}

#[test]
fn hooks_fail_on_hook_error_acts_in_a_loop() {
    assert_ne!(hooks_fail_on_hook_error(Kind::Loop), 0);
}

#[test]
fn hooks_fail_on_hook_error_acts_in_a_cycle() {
    assert_eq!(hooks_fail_on_hook_error(Kind::Cycle), 3);
}

#[test]
fn hooks_dir_acts_in_a_loop() {
    hooks_dir(Kind::Loop);
}

#[test]
fn hooks_dir_acts_in_a_cycle() {
    hooks_dir(Kind::Cycle);
}
