//! `[mode]`: what a person is asked, and when nobody is.

use std::io::Write;

use crate::common::{World, eventually};

const RED: &str = "test=test -f b.txt";
/// Does its work in the second iteration; changes one file in each.
const SECOND: &str = "echo $PITON_ITERATION > c.txt; if test $PITON_ITERATION = 2; then touch b.txt; fi";

/// What a loop with this agent asks at last; empty where it came to its end.
fn asks(settings: &str, agent: &str, more: &[&str]) -> String {
    let world = World::configured(settings);
    let ran = world.loops("r", agent, &[&["--check", RED], more].concat());
    match ran.code {
        0 => String::new(),
        _ => world.json(&["status", "r"])["questions"][0]["text"].as_str().unwrap_or_default().to_owned(),
    }
}

#[test]
fn mode_start_acts_in_a_loop() {
    assert!(asks("[mode]\nstart = 'attended'\n", SECOND, &[]).contains("Iteration 1 of 50 comes next."));
}

/// The clock must come to the time while the loop is there, which takes up to a minute.
#[test]
fn mode_schedule_acts_in_a_loop() {
    let minute = piton_sys::Clock::now(&piton_sys::SystemClock).as_millis() / 60_000 % 1_440;
    let next = [minute + 1, minute + 2].map(|minute| format!("{:02}:{:02}", minute / 60 % 24, minute % 60));
    let world = World::configured(&format!(
        "[mode]\nschedule = [{{ at = '{}', mode = 'attended' }}, {{ at = '{}', mode = 'attended' }}]\n[loop]\nno_progress = 900\n",
        next[0], next[1]
    ));
    let agent = "sleep 0.5; echo $PITON_ITERATION > c.txt";
    let begin = ["loop", "Do it", "--id", "r", "--exec", agent, "--check", RED];
    let arguments = [&begin[..], &["--max-iterations", "900", "--detach"]].concat();
    world.piton_with(&[("TZ", "UTC")], &arguments).exits(0);
    for _ in 0..100 {
        if world.json(&["status", "r"])["mode"] == "attended" {
            return;
        }
        world.shell("sleep 1").exits(0);
    }
    panic!("{:#}", world.json(&["status", "r"]));
}

#[test]
fn mode_attended_pause_before_acts_in_a_loop() {
    let asked = asks("[mode.attended]\npause_before = false\n", SECOND, &["--attended"]);
    assert!(asked.contains("Iteration 1 is over"), "{asked}");
}

#[test]
fn mode_attended_approve_changes_acts_in_a_loop() {
    let settings = "[mode.attended]\npause_before = false\napprove_changes = false\n";
    assert_eq!(asks(settings, SECOND, &["--attended"]), "");
}

#[test]
fn mode_attended_pause_after_acts_in_a_loop() {
    let settings = "[mode.attended]\npause_before = false\napprove_changes = false\npause_after = true\n";
    let asked = asks(settings, SECOND, &["--attended"]);
    assert!(asked.contains("Iteration 1 is over"), "{asked}");
}

#[test]
fn mode_attended_auto_approve_acts_in_a_loop() {
    let world = World::configured("[mode.attended]\nauto_approve = '1s'\n");
    world.loops("r", SECOND, &["--check", RED, "--attended", "--detach"]).exits(0);
    eventually("nobody answered, and it is done", || world.json(&["status", "r"])["status"] == "completed");
}

#[test]
fn mode_attended_show_diff_acts_in_a_loop() {
    for (settings, shown) in [("", true), ("[mode.attended]\nshow_diff = false\n", false)] {
        let world = World::configured(&format!("[views]\nralph = true\n{settings}"));
        let agent = "echo hello > b.txt";
        let mut terminal =
            world.terminal(&["loop", "Do it", "--id", "r", "--exec", agent, "--check", RED, "--attended"]);
        terminal.shows("Iteration 1 of 50 comes next.");
        terminal.write_all(b"c").unwrap();
        terminal.shows("Iteration 1 is over");
        terminal.shows("y or Enter  yes, go on");
        terminal.write_all(b"c").unwrap();
        assert_eq!(terminal.ends(), 0);
        let screen = std::fs::read(world.beside("screen")).unwrap();
        assert_eq!(String::from_utf8_lossy(&screen).contains("+hello"), shown, "{settings}");
    }
}

#[test]
fn mode_attended_breakpoints_acts_in_a_loop() {
    let asked = asks("[mode.attended]\nbreakpoints = [2]\n", SECOND, &[]);
    assert!(asked.contains("There is a breakpoint."), "{asked}");
}

const HYBRID: &str = "[mode]\nstart = 'hybrid'\n[mode.hybrid]\n";

#[test]
fn mode_hybrid_every_acts_in_a_loop() {
    assert_eq!(asks(HYBRID, SECOND, &[]), "", "after ten");
    let asked = asks(&format!("{HYBRID}every = 1\nauto_approve = false\n"), SECOND, &[]);
    assert!(asked.contains("Iteration 2 of 50 comes next."), "{asked}");
}

#[test]
fn mode_hybrid_files_acts_in_a_loop() {
    assert!(
        asks(&format!("{HYBRID}files = 1\nauto_approve = false\n"), SECOND, &[])
            .contains("Iteration 1 is over")
    );
}

#[test]
fn mode_hybrid_auto_approve_acts_in_a_loop() {
    let world = World::configured(&format!("{HYBRID}every = 1\nauto_approve = '1s'\n"));
    world.loops("r", SECOND, &["--check", RED, "--detach"]).exits(0);
    eventually("nobody answered, and it is done", || world.json(&["status", "r"])["status"] == "completed");
}

#[test]
fn mode_switch_enabled_acts_in_a_loop() {
    let world = World::configured("[mode.switch]\nenabled = false\nfailures = 2\n");
    world.loops("r", "exit 1", &["--check", RED]).exits(1);
}

#[test]
fn mode_switch_patterns_acts_in_a_loop() {
    let says = r#"echo $PITON_ITERATION > c.txt; echo '{"summary": "STOP: look at this"}' > $PITON_REPORT
        if test $PITON_ITERATION = 2; then touch b.txt; fi"#;
    assert_eq!(asks("[mode.switch]\n", says, &[]), "");
    assert_ne!(asks("[mode.switch]\npatterns = ['STOP']\n", says, &[]), "");
}

#[test]
fn mode_switch_on_regression_acts_in_a_loop() {
    let mode = |settings: &str| {
        let world = super::judging::world(settings);
        super::judging::runs(&world, &["echo 3 0 > tests", "echo x >> code.txt"], "2");
        world.json(&["status", "r"])["mode"].as_str().unwrap().to_owned()
    };
    assert_eq!(mode("[mode.switch]\n"), "attended");
    assert_eq!(mode("[mode.switch]\non_regression = false\n"), "unattended");
}

#[test]
fn mode_switch_near_completion_acts_in_a_loop() {
    let half = ["--check", "one=test -f c.txt"];
    assert_ne!(asks("[mode.switch]\n", SECOND, &half), "");
    assert_eq!(asks("[mode.switch]\nnear_completion = false\n", SECOND, &half), "");
}

#[test]
fn mode_switch_idle_acts_in_a_loop() {
    let world = World::configured("[mode.switch]\nidle = '1s'\nnear_completion = false\n");
    world.loops("r", SECOND, &["--check", RED, "--attended", "--detach"]).exits(0);
    eventually("nobody is there, and it is done", || world.json(&["status", "r"])["status"] == "completed");
    assert_eq!(world.json(&["mode", "r"])["mode"], "unattended");
}

#[test]
fn mode_windows_days_acts_in_a_loop() {
    const DAYS: [&str; 7] = ["thu", "fri", "sat", "sun", "mon", "tue", "wed"];
    let today = piton_sys::Clock::now(&piton_sys::SystemClock).as_millis() / 86_400_000;
    let other = DAYS[((today + 3) % 7) as usize];
    let world = World::configured(&format!("[mode.windows]\ndays = ['{other}']\n"));
    let arguments = ["loop", "Do it", "--id", "r", "--exec", "touch b.txt", "--check", RED, "--detach"];
    world.piton_with(&[("TZ", "UTC")], &arguments).exits(0);
    eventually("it waits", || world.json(&["status", "r"])["reason"] == "schedule");
    world.piton(&["stop", "r"]).exits(0);
}
