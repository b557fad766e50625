//! Pausing, stopping and skipping; Ctrl-C, a closed terminal, and looking in again.

use std::time::{Duration, Instant};

use super::common::{Signal, WAITS, World, eventually};
use piton_sys::process::is_alive;

const RED: &str = "test=test -f b.txt";

/// Works until the gate opens, then does the task.
fn works() -> String {
    format!("{WAITS}; touch b.txt")
}

#[test]
fn a_pause_lets_the_attempt_end_and_a_resume_goes_on() {
    let world = World::new();
    let viewer = world.start(&["loop", "Do it", "--id", "p", "--exec", &works(), "--check", RED]);
    let agent = world.agent_works("p", 1);
    let ran = world.piton(&["pause", "p"]).exits(0);
    insta::assert_snapshot!(ran.err, @"p pauses once the work under way ends; `piton resume p` goes on with it");
    assert!(is_alive(&agent), "a pause does not end the agent");
    world.open_gate();
    let ran = viewer.ends().exits(4);
    insta::assert_snapshot!(ran.out, @"
    run p · exec, fresh session per iteration · in place
    baseline  test ✗   ( T s)
    note      stopping when every check passes
    limits    50 iterations · 8h00m working, waits not counted · 5 without progress · 5 failures in a row
    paused    a person asked for it · 0 iterations, T s
    result    files changed in place, nothing committed
    next      piton resume p
    ");
    assert_eq!(world.json(&["status", "p"])["status"], "paused");
    world.piton(&["resume", "p"]).exits(0);
    assert_eq!(world.count("p", "attempt_started"), 1, "what was done is not done again");
}

#[test]
fn a_stop_lets_the_attempt_end() {
    let world = World::new();
    let agent = format!("{WAITS}; echo x >> a.txt");
    let viewer = world.start(&["loop", "Do it", "--id", "s", "--exec", &agent, "--check", RED]);
    world.agent_works("s", 1);
    let ran = world.piton(&["stop", "s"]).exits(0);
    insta::assert_snapshot!(ran.err, @"s stops once the work under way has ended; `--now` does not wait");
    world.open_gate();
    let ran = viewer.ends().exits(4);
    assert!(ran.out.contains("stopped   a person asked for it"), "{}", ran.out);
    assert_eq!(world.read("a.txt"), "a\nx\n", "the attempt ended by itself");
    let ran = world.piton(&["stop", "s"]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: run `s` is stopped, so there is nothing to stop

    hint: run `piton status s`
    ");
}

#[test]
fn a_stop_now_ends_the_agent_within_two_seconds() {
    let world = World::new();
    // With a child of its own, which must end too.
    let agent = world.loops_behind("s", "sleep 600 & echo $! > $BESIDE/child; wait", &["--check", RED]);
    eventually("the child works", || world.beside("child").metadata().is_ok_and(|file| file.len() > 1));
    let child = std::fs::read_to_string(world.beside("child")).unwrap().trim().parse().unwrap();
    let child = piton_sys::process::identity(child).unwrap();
    let asked = Instant::now();
    world.piton(&["stop", "s", "--now"]).exits(0);
    eventually("agent and child are dead", || !is_alive(&agent) && !is_alive(&child));
    assert!(asked.elapsed() < Duration::from_secs(2), "took {:?}", asked.elapsed());
    world.piton(&["wait", "s"]).exits(4);
    assert_eq!(world.json(&["status", "s"])["reason"], "human");
}

#[test]
fn a_stopped_run_goes_on_with_resume() {
    let world = World::new();
    let agent = "if test -e $GATE; then touch b.txt; else sleep 600; fi";
    world.loops_behind("s", agent, &["--check", RED]);
    world.piton(&["stop", "s", "--now"]).exits(0);
    world.piton(&["wait", "s"]).exits(4);
    world.open_gate();
    let ran = world.piton(&["resume", "s"]).exits(0);
    insta::assert_snapshot!(ran.out, @"
          resumed
      #1 T s  +0 −0         test ✓
    done      the check is green · 1 iteration, T s
    result    files changed in place, nothing committed
    next      piton diff s
    ");
}

#[test]
fn a_skip_gives_up_the_iteration_and_begins_the_next() {
    let world = World::new();
    let agent = "if [ $PITON_ITERATION = 1 ]; then sleep 600; else touch b.txt; fi";
    let viewer = world.start(&["loop", "Do it", "--id", "k", "--exec", agent, "--check", RED]);
    let first = world.agent_works("k", 1);
    world.piton(&["skip", "k"]).exits(0);
    let ran = viewer.ends().exits(0);
    insta::assert_snapshot!(ran.out, @"
    run k · exec, fresh session per iteration · in place
    baseline  test ✗   ( T s)
    note      stopping when every check passes
    limits    50 iterations · 8h00m working, waits not counted · 5 without progress · 5 failures in a row
      #1 T s  no change     skipped
      #2 T s  +0 −0         test ✓
    done      the check is green · 2 iterations, T s
    result    files changed in place, nothing committed
    next      piton diff k
    ");
    assert!(!is_alive(&first));
    let ran = world.piton(&["skip", "k"]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: run `k` is completed already

    hint: run `piton status k`
    ");
}

#[test]
fn ctrl_c_lets_the_attempt_end() {
    let world = World::new();
    let agent = format!("{WAITS}; echo x >> a.txt");
    let viewer = world.start(&["loop", "Do it", "--id", "c", "--exec", &agent, "--check", RED]);
    world.agent_works("c", 1);
    viewer.signal(Signal::INT);
    viewer.says("stopping after this attempt; Ctrl-C again stops now");
    world.open_gate();
    let ran = viewer.ends().exits(130);
    insta::assert_snapshot!(ran.out, @"
    run c · exec, fresh session per iteration · in place
    baseline  test ✗   ( T s)
    note      stopping when every check passes
    limits    50 iterations · 8h00m working, waits not counted · 5 without progress · 5 failures in a row
    stopped   interrupted · 0 iterations, T s
    result    files changed in place, nothing committed
    next      piton resume c
    ");
    assert_eq!(world.read("a.txt"), "a\nx\n", "the attempt ended by itself");
}

#[test]
fn ctrl_c_twice_stops_now() {
    let world = World::new();
    let viewer = world.start(&["loop", "Do it", "--id", "c", "--exec", "sleep 600", "--check", RED]);
    let agent = world.agent_works("c", 1);
    viewer.signal(Signal::INT);
    viewer.says("stopping after this attempt");
    viewer.signal(Signal::INT);
    viewer.says("stopping now");
    viewer.ends().exits(130);
    assert!(!is_alive(&agent));
    assert_eq!(world.json(&["status", "c"])["reason"], "interrupted");
}

#[test]
fn ctrl_c_of_a_looker_on_is_a_request_too() {
    let world = World::new();
    let agent = format!("{WAITS}; echo x >> a.txt");
    world.loops_behind("c", &agent, &["--check", RED]);
    let viewer = world.start(&["attach", "c"]);
    viewer.prints("baseline");
    viewer.signal(Signal::INT);
    viewer.says("stopping after this attempt");
    world.open_gate();
    viewer.ends().exits(130);
}

#[test]
fn ctrl_c_of_wait_leaves_the_run_alone() {
    let world = World::new();
    world.loops_behind("c", &works(), &["--check", RED]);
    let waiter = world.start(&["wait", "c"]);
    waiter.signal(Signal::INT);
    assert_eq!(waiter.ends().code, -1);
    world.open_gate();
    world.piton(&["wait", "c"]).exits(0);
}

#[test]
fn a_terminated_driver_lets_the_attempt_end() {
    let world = World::new();
    let agent = format!("{WAITS}; echo x >> a.txt");
    let viewer = world.start(&["loop", "Do it", "--id", "t", "--exec", &agent, "--check", RED]);
    world.agent_works("t", 1);
    assert!(piton_sys::process::signal(&world.driver("t"), piton_sys::process::Signal::Terminate).unwrap());
    eventually("the driver took note", || world.count("t", "stop_requested") == 1);
    world.open_gate();
    viewer.ends().exits(130);
    assert_eq!(world.read("a.txt"), "a\nx\n");
    assert_eq!(world.json(&["status", "t"])["reason"], "interrupted");
}

#[test]
fn closing_the_terminal_leaves_the_work_running() {
    let world = World::new();
    let viewer = world.start(&["loop", "Do it", "--id", "h", "--exec", &works(), "--check", RED]);
    let agent = world.agent_works("h", 1);
    viewer.signal(Signal::HUP);
    assert_eq!(viewer.ends().code, -1, "the viewer is gone");
    assert!(is_alive(&agent) && is_alive(&world.driver("h")), "the work is not");
    let viewer = world.start(&["attach", "h"]);
    viewer.prints("baseline");
    world.open_gate();
    let ran = viewer.ends().exits(0);
    insta::assert_snapshot!(ran.out, @"
    run h · exec, fresh session per iteration · in place
    baseline  test ✗   ( T s)
    note      stopping when every check passes
    limits    50 iterations · 8h00m working, waits not counted · 5 without progress · 5 failures in a row
      #1 T s  +0 −0         test ✓
    done      the check is green · 1 iteration, T s
    result    files changed in place, nothing committed
    next      piton diff h
    ");
}

#[test]
fn a_detached_run_says_how_to_find_it_and_wait_returns_its_code() {
    let world = World::new();
    let ran =
        world.loops("d", "echo x >> a.txt", &["--check", RED, "--max-iterations", "1", "--detach"]).exits(0);
    insta::assert_snapshot!(ran.out, @"d works in the background: `piton attach d`");
    world.piton(&["wait", "d"]).exits(3);
    let ran = world.loops("e", "touch b.txt", &["--check", RED, "--detach", "--json"]).exits(0);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&ran.out).unwrap()["run_id"], "e");
    let ended = world.piton(&["wait", "e", "--json"]).exits(0);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&ended.out).unwrap()["status"], "completed");
}

#[test]
fn a_viewer_in_a_broken_pipe_leaves_the_work_running() {
    let world = World::new();
    let piped = format!(
        "'{}' loop 'Do it' --id b --exec '{}' --check '{RED}' | head -n 1",
        env!("CARGO_BIN_EXE_piton"),
        works().replace('\'', "'\\''")
    );
    let ran = world
        .shell(&format!("{{ {}; echo $? > ../code; }} | head -n 1", piped.trim_end_matches(" | head -n 1")))
        .exits(0);
    assert!(ran.out.starts_with("run b"), "{ran:?}");
    let code = || std::fs::read_to_string(world.beside("code")).unwrap_or_default();
    eventually("the viewer has left", || code() == "141\n");
    world.open_gate();
    world.piton(&["wait", "b"]).exits(0);
}
