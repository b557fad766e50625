//! kill -9 of the driver: nothing is lost, nothing is done twice, and the next command is named.

use super::common::{WAITS, World, eventually};
use piton_sys::process::{Signal, is_alive, signal};

const RED: &str = "test=test -f b.txt";

/// A run whose driver was killed while its agent works.
fn left_alone(agent: &str) -> (World, piton_sys::process::ProcessId) {
    let world = World::new();
    let living = world.loops_behind("r", agent, &["--check", RED]);
    world.kill_driver("r");
    assert!(is_alive(&living), "the agent outlives its driver");
    (world, living)
}

#[test]
fn status_says_that_nothing_drives_it_and_what_would() {
    let (world, _) = left_alone(WAITS);
    insta::assert_snapshot!(world.piton(&["status"]).exits(0).out, @"
    r   running, but nothing drives it since HH:MM:SSZ ( T s)
    why      its driver is gone; the journal is intact, and an agent that lives is found again
    do       piton resume r
    driver   none; nothing drives this run
    checks   test ✗
    used     0 of 50 iterations · T s of 8h00m
    ");
    let status = world.json(&["status"]);
    assert_eq!(status["driver"], serde_json::Value::Null);
    assert_eq!(status["next"], "piton resume r");
}

#[test]
fn wait_says_so_too_instead_of_waiting_for_ever() {
    let (world, _) = left_alone(WAITS);
    insta::assert_snapshot!(world.piton(&["wait", "r"]).exits(7).err, @"
    error: nothing drives run `r`

    hint: run `piton resume r`
    ");
}

#[test]
fn a_viewer_starts_another_driver_in_place_of_one_that_was_killed() {
    let (world, agent) = left_alone(&format!("{WAITS}; touch b.txt"));
    let viewer = world.start(&["attach", "r"]);
    eventually("a new driver has it", || world.json(&["status", "r"])["driver"].is_object());
    world.kill_driver("r");
    eventually("another one", || world.json(&["status", "r"])["driver"].is_object());
    assert!(is_alive(&agent), "the agent works on through all of it");
    world.open_gate();
    let ran = viewer.ends().exits(0);
    assert!(ran.err.contains("the driver is gone; starting another (2 of 5)"), "{}", ran.err);
    assert_eq!(world.count("r", "attempt_started"), 1, "the same attempt");
}

#[test]
fn a_resume_finds_the_living_agent() {
    let (world, agent) = left_alone(&format!("{WAITS}; touch b.txt"));
    let viewer = world.start(&["resume", "r"]);
    eventually("a new driver has it", || world.json(&["status", "r"])["driver"].is_object());
    assert!(is_alive(&agent));
    world.open_gate();
    viewer.ends().exits(0);
    assert_eq!(world.count("r", "attempt_started"), 1, "the same attempt");
    let status = world.json(&["status", "r"]);
    assert_eq!((&status["used"]["attempts"], &status["used"]["lost"]), (&1.into(), &0.into()));
}

#[test]
fn an_agent_that_ended_while_nobody_looked_is_not_run_again() {
    let (world, agent) = left_alone(&format!("{WAITS}; touch b.txt; echo once >> $BESIDE/times"));
    world.open_gate();
    eventually("the agent ends", || !is_alive(&agent));
    world.piton(&["resume", "r"]).exits(0);
    assert_eq!(std::fs::read_to_string(world.beside("times")).unwrap(), "once\n");
    assert_eq!(world.count("r", "attempt_started"), 1);
}

#[test]
fn a_stop_now_ends_the_agent_that_was_left_alone() {
    let (world, agent) = left_alone("sleep 600");
    world.piton(&["stop", "r", "--now"]).exits(0);
    eventually("the agent is dead", || !is_alive(&agent));
    world.piton(&["wait", "r"]).exits(4);
    assert_eq!(world.json(&["status", "r"])["status"], "stopped");
}

#[test]
fn an_attempt_whose_outcome_cannot_be_known_is_said_to_be_lost() {
    let (world, agent) = left_alone("if [ $PITON_ATTEMPT = 1 ]; then sleep 600; else touch b.txt; fi");
    // The keeper dies too, as when the machine loses power; its agent does not matter to the journal.
    let keeper: serde_json::Value =
        serde_json::from_str(&world.read(".piton/attempts/r/1/keeper.json")).unwrap();
    let keeper = piton_sys::process::identity(keeper["process"]["pid"].as_u64().unwrap() as u32).unwrap();
    assert!(signal(&keeper, Signal::Kill).unwrap());
    eventually("the keeper is dead", || !is_alive(&keeper));
    let ran = world.piton(&["resume", "r"]).exits(0);
    assert!(!is_alive(&agent), "nothing of a lost attempt is left running");
    insta::assert_snapshot!(ran.out, @"
          attempt 1 was lost: its outcome cannot be known, nothing of it runs any more
      #1 T s  +0 −0         test ✓
    done      the check is green · 1 iteration, T s, 1 lost
    result    files changed in place, nothing committed
    next      piton diff r
    ");
}

/// Without its directory nobody can say whether an attempt was ever started. Where files changed, it is taken for lost.
#[test]
fn an_attempt_whose_directory_is_gone_is_lost_where_it_may_have_changed_something() {
    for (works, event, told) in [
        ("touch c.txt", "attempt_lost", "attempt 1 was lost"),
        ("true", "attempt_abandoned", "attempt 1 left nothing behind"),
    ] {
        let first = format!("{works}; touch $BESIDE/worked; sleep 600");
        let (world, agent) =
            left_alone(&format!("if [ $PITON_ATTEMPT = 1 ]; then {first}; else touch b.txt; fi"));
        eventually("the agent has worked", || world.beside("worked").exists());
        world.shell("rm -rf .piton/attempts/r/1").exits(0);
        world.piton(&["resume", "r"]).exits(0);
        assert!(!is_alive(&agent), "two agents never work at once");
        assert_eq!(world.count("r", event), 1, "{works}");
        assert!(world.piton(&["log", "r"]).exits(0).out.contains(told), "{works}");
    }
}

/// The row of an iteration has what all its attempts changed, since all of that is judged.
#[test]
fn what_a_lost_attempt_changed_is_in_the_row_of_its_iteration() {
    let first = "seq 3 > b.txt; touch $BESIDE/worked; sleep 600";
    let (world, _) = left_alone(&format!("if [ $PITON_ATTEMPT = 1 ]; then {first}; fi"));
    eventually("the agent has worked", || world.beside("worked").exists());
    world.shell("rm -rf .piton/attempts/r/1").exits(0);
    let ran = world.piton(&["resume", "r"]).exits(0);
    assert!(ran.out.contains("attempt 1 was lost") && ran.out.contains("  +3 −0  "), "{}", ran.out);
}

#[test]
fn a_frozen_driver_is_taken_over_only_when_asked() {
    let world = World::new();
    world.loops_behind("r", &format!("{WAITS}; touch b.txt"), &["--check", RED]);
    let frozen = world.driver("r");
    assert!(signal(&frozen, Signal::Stop).unwrap());
    world.piton(&["resume", "r"]).exits(5);
    assert!(is_alive(&frozen));
    world.piton(&["resume", "r", "--take-over", "--detach"]).exits(0);
    eventually("the frozen driver is gone", || !is_alive(&frozen));
    world.open_gate();
    world.piton(&["wait", "r"]).exits(0);
    assert_eq!(world.count("r", "attempt_started"), 1);
}

#[test]
fn resume_all_picks_up_what_a_crash_left_behind() {
    let (world, _) = left_alone(&format!("{WAITS}; touch b.txt"));
    world.open_gate();
    let ran = world.piton(&["resume", "--all"]).exits(0);
    assert_eq!(ran.out, "r goes on in the background\n");
    world.piton(&["wait", "r"]).exits(0);
    assert_eq!(world.piton(&["resume", "--all"]).exits(0).out, "", "nothing is left to do");
}

#[test]
fn a_worker_goes_on_with_what_has_no_driver_and_leaves_the_rest() {
    let (world, agent) = left_alone(&format!("{WAITS}; touch b.txt"));
    let ran = world.piton(&["ls"]).exits(0);
    assert!(ran.out.contains("running, nothing drives it"), "{}", ran.out);
    let listed = world.json(&["ls", "--everywhere"]);
    assert_eq!((&listed[0]["run_id"], &listed[0]["undriven"]), (&"r".into(), &true.into()), "{listed:#}");
    world.piton(&["worker", "--once"]).exits(0);
    assert!(world.json(&["status", "r"])["driver"].is_object() && is_alive(&agent));
    let epoch = world.count("r", "driver_started");
    world.piton(&["worker", "--once"]).exits(0);
    assert_eq!(world.count("r", "driver_started"), epoch, "one that is driven is left alone");
    world.open_gate();
    world.piton(&["wait", "r"]).exits(0);
    world.piton(&["worker", "--once"]).exits(0);
    assert_eq!(world.json(&["status", "r"])["status"], "completed");
}

#[test]
fn a_check_that_was_killed_has_said_nothing_and_is_run_again() {
    let check = "a=test -f \"$BESIDE/once\" || { touch \"$BESIDE/once\"; kill -9 $$; }; true";
    let world = World::new();
    let ran = world.loops("r", "echo x > unrelated", &["--check", check, "--max-iterations", "1"]);
    assert!(ran.out.contains("a ✓") && !ran.out.contains("a ✗"), "{}", ran.out);
    // Killed whenever it is run, it fails.
    let world = World::new();
    let ran = world.loops("r", "date > f", &["--check", "a=kill -9 $$", "--max-iterations", "1"]).exits(3);
    assert!(ran.out.contains("a ✗"), "{}", ran.out);
}
