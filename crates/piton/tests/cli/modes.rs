//! Modes: what an attended loop asks, what a person can say, and who switches when.

use std::io::Write;

use super::common::{WAITS, World, eventually};

const RED: &str = "test=test -f b.txt";

fn waits_for(world: &World, run: &str, words: &str) {
    let status = world.json(&["status", run]);
    let text = status["questions"][0]["text"].as_str().unwrap_or_default().to_owned();
    assert!(text.contains(words), "{status:#}");
    assert_eq!((&status["status"], &status["reason"]), (&"waiting".into(), &"attended".into()));
}

#[test]
fn an_attended_loop_asks_and_answers_lead_it_to_its_end() {
    let world = World::new();
    let agent = "if [ $PITON_ITERATION = 1 ]; then echo x > wrong.txt; else touch b.txt; fi; cat $PITON_PROMPT_FILE >> $BESIDE/prompts";
    world.loops("r", agent, &["--check", RED, "--attended"]).exits(4);
    waits_for(&world, "r", "Iteration 1 of 50 comes next.");
    assert_eq!(world.count("r", "attempt_started"), 0);
    world.piton(&["answer", "r", "--approve"]).exits(0);
    world.piton(&["wait", "r"]).exits(4);
    waits_for(&world, "r", "in wrong.txt. 1 of 1 checks fails: test.");
    // What it changed can be looked at, and is put back.
    assert!(world.piton(&["diff", "r", "0", "1"]).exits(0).out.contains("wrong.txt"));
    world.piton(&["answer", "r", "--reject"]).exits(0);
    world.piton(&["wait", "r"]).exits(4);
    assert!(!world.path("wrong.txt").exists());
    waits_for(&world, "r", "Iteration 2 is over");
    let prompts = std::fs::read_to_string(world.beside("prompts")).unwrap();
    assert!(
        prompts.contains("A person looked at what the last iteration changed and put it back."),
        "{prompts}"
    );
    // Nobody cheated: nothing is diagnosed, and nobody is lectured.
    assert_eq!(world.count("r", "recovery_advanced"), 0);
    assert!(!prompts.contains("was refused"), "{prompts}");
    assert!(world.piton(&["report", "r"]).exits(0).out.contains("| 1 | rejected | +1 −0 in 1 | test ✗ |"));
    world.piton(&["answer", "r", "--approve"]).exits(0);
    let ended = world.piton(&["wait", "r"]).exits(0);
    assert!(!ended.out.contains("cheat"), "{}", ended.out);
    assert!(world.path("b.txt").exists());
    world.piton(&["verify"]).exits(0);
}

#[test]
fn no_leaves_an_iteration_out_and_abort_stops() {
    let world = World::new();
    world.loops("r", "touch c.txt", &["--check", RED, "--attended"]).exits(4);
    world.piton(&["answer", "r", "--reject"]).exits(0);
    world.piton(&["wait", "r"]).exits(4);
    waits_for(&world, "r", "Iteration 2 of 50 comes next.");
    assert_eq!(world.count("r", "attempt_started"), 0);
    world.piton(&["answer", "r", "--abort"]).exits(0);
    world.piton(&["wait", "r"]).exits(4);
    assert_eq!(world.json(&["status", "r"])["status"], "stopped");
    let report = world.piton(&["report", "r"]).exits(0).out;
    assert!(report.contains("| 1 | left out | none | not run | – | – | – |"), "{report}");
    assert_eq!(world.json(&["report", "r"])["iterations"][0]["outcome"], serde_json::Value::Null);
}

#[test]
fn a_run_at_rest_has_another_mode_at_once() {
    let world = World::new();
    world.loops("r", "echo x >> a.txt", &["--check", RED, "--max-iterations", "1"]).exits(3);
    world.piton(&["mode", "r", "attended"]).exits(0);
    let status = world.json(&["status", "r"]);
    assert_eq!((&status["mode"], &status["status"]), (&"attended".into(), &"stopped".into()));
    assert_eq!(world.count("r", "mode_switched"), 1);
}

#[test]
fn a_driver_that_is_killed_in_an_attended_iteration_changes_nothing_about_the_question() {
    let world = World::new();
    world.loops("r", &format!("{WAITS}; touch c.txt"), &["--check", RED, "--attended"]).exits(4);
    world.piton(&["answer", "r", "--approve"]).exits(0);
    world.agent_works("r", 1);
    world.kill_driver("r");
    world.open_gate();
    world.piton(&["resume", "r"]).exits(4);
    waits_for(&world, "r", "Iteration 1 is over");
    assert_eq!((world.count("r", "attempt_started"), world.count("r", "question_asked")), (1, 2));
    // Nobody drives it; the answer starts a driver.
    world.piton(&["answer", "r", "--approve"]).exits(0);
    world.piton(&["wait", "r"]).exits(4);
    assert_eq!(world.count("r", "attempt_started"), 2);
}

#[test]
fn one_key_at_a_terminal_decides() {
    let world = World::new();
    let agent = "echo hello > b.txt";
    let mut terminal =
        world.terminal(&["loop", "Do it", "--id", "r", "--exec", agent, "--check", RED, "--attended"]);
    terminal.shows("Iteration 1 of 50 comes next.");
    terminal.shows("y or Enter  yes, go on");
    terminal.write_all(b"?").unwrap();
    terminal.write_all(b"N").unwrap();
    terminal.shows("note: ");
    terminal.write_all(b"looks right\n").unwrap();
    terminal.write_all(b"y").unwrap();
    terminal.shows("Iteration 1 is over");
    terminal.shows("+hello");
    terminal.write_all(b"c").unwrap();
    terminal.shows("done");
    assert_eq!(terminal.ends(), 0);
    assert!(world.json(&["show", "r"])["state"]["memory"]["notes"].to_string().contains("looks right"));
}

#[test]
fn ctrl_c_leaves_a_prompt_and_the_question() {
    let world = World::new();
    let mut terminal = world.terminal(&[
        "loop",
        "Do it",
        "--id",
        "r",
        "--exec",
        "touch c.txt",
        "--check",
        RED,
        "--attended",
    ]);
    terminal.shows("Iteration 1 of 50 comes next.");
    terminal.write_all(b"N").unwrap();
    terminal.shows("note: ");
    // What a terminal sends: first out of the line, then out of the question.
    terminal.write_all(b"half a note\x03").unwrap();
    terminal.write_all(b"\x03").unwrap();
    terminal.shows("left as it is");
    assert_eq!(terminal.ends(), 4);
    let status = world.json(&["status", "r"]);
    assert_eq!(
        (&status["status"], status["questions"].as_array().map(Vec::len)),
        (&"waiting".into(), Some(1))
    );
    assert!(!world.json(&["show", "r"])["state"]["memory"].to_string().contains("half a note"));
}

#[test]
fn n_is_no() {
    let world = World::new();
    let mut terminal = world.terminal(&[
        "loop",
        "Do it",
        "--id",
        "r",
        "--exec",
        "touch c.txt",
        "--check",
        RED,
        "--attended",
    ]);
    terminal.shows("Iteration 1 of 50 comes next.");
    terminal.write_all(b"y").unwrap();
    terminal.shows("Iteration 1 is over");
    terminal.write_all(b"n").unwrap();
    eventually("what was turned down is put back", || !world.path("c.txt").exists());
    // A key that is pressed while it works asks what is meant; at the next question it answers.
    terminal.shows("Iteration 2 is over");
    terminal.write_all(b"q").unwrap();
    terminal.ends();
}

#[test]
fn a_run_that_goes_on_without_an_answer_is_watched_and_waited_for() {
    let world =
        World::configured("[mode]\nstart = 'hybrid'\n[mode.hybrid]\nevery = 1\nauto_approve = '1s'\n");
    let agent = "echo $PITON_ITERATION > n.txt";
    let ran = world.loops("r", agent, &["--check", RED, "--max-iterations", "2"]).exits(3);
    assert!(ran.out.contains("reached its limit of 2 iterations"), "{ran:?}");
    world.loops("s", agent, &["--check", RED, "--max-iterations", "2", "--detach"]).exits(0);
    eventually("it asks", || world.json(&["status", "s"])["status"] == "waiting");
    world.piton(&["wait", "s"]).exits(3);
}

#[test]
fn a_breakpoint_and_a_switch_from_another_terminal() {
    let world = World::new();
    world.loops_behind("r", &format!("{WAITS}; date +%N > c.txt"), &["--check", RED]);
    world.piton(&["mode", "r", "--break", "2"]).exits(0);
    world.open_gate();
    world.piton(&["wait", "r"]).exits(4);
    waits_for(&world, "r", "There is a breakpoint.");
    assert_eq!(world.json(&["mode", "r"])["mode"], "unattended");
    world.piton(&["mode", "r", "attended"]).exits(0);
    world.piton(&["answer", "r", "--approve"]).exits(0);
    eventually("it asks about the change", || {
        world.json(&["status", "r"])["questions"][0]["text"].to_string().contains("Iteration 2 is over")
    });
    // Whoever leaves the loop alone has answered.
    world.piton(&["wait", "r"]).exits(4);
    world.piton(&["mode", "r", "unattended"]).exits(0);
    eventually("it goes on by itself", || world.count("r", "attempt_started") > 2);
    world.piton(&["stop", "r", "--now"]).exits(0);
    let mode = world.json(&["mode", "r"]);
    assert_eq!(mode["history"][0]["why"], "user_request");
}

#[test]
fn a_trigger_calls_for_a_person() {
    let world = World::configured("[mode.switch]\nfailures = 2\n");
    let ran = world.loops("r", "exit 1", &["--check", RED]).exits(4);
    assert!(ran.out.contains("unattended → attended: 2 failures in a row"), "{ran:?}");
    waits_for(&world, "r", "Iteration 3 of 50 comes next.");
}

#[test]
fn outside_its_hours_a_loop_waits_and_says_until_when() {
    let world = World::new();
    // All day long, so that no clock decides over this test.
    world.configure("[mode.windows]\nblackouts = [{ from = \"00:00\", to = \"00:00\" }]\n");
    let ran = world.loops("r", "touch b.txt", &["--check", RED]).exits(4);
    assert!(ran.out.contains("there is no hour in which it may work"), "{ran:?}");
    let hour = piton_sys::Clock::now(&piton_sys::SystemClock).as_millis() / 3_600_000 % 24;
    let [from, to] = [(hour + 2) % 24, (hour + 3) % 24].map(|hour| format!("{hour:02}:00"));
    world.configure(&format!("[mode.windows]\nhours = {{ from = \"{from}\", to = \"{to}\" }}\n"));
    let arguments =
        ["loop", "Do it", "--id", "s", "--exec", "touch b.txt", "--check", RED, "--detach", "--here"];
    world.piton_with(&[("TZ", "UTC")], &arguments).exits(0);
    eventually("it waits", || world.json(&["status", "s"])["reason"] == "schedule");
    let until = world.json(&["show", "s"])["state"]["until"].to_string();
    assert!(until.contains(&format!("T{from}:00")), "{until}");
    world.piton(&["stop", "s"]).exits(0);
}

#[test]
fn more_files_or_lines_than_allowed_stop_the_run() {
    let world = World::new();
    let agent = "echo $PITON_ITERATION > f$PITON_ITERATION";
    let ran = world.loops("r", agent, &["--check", RED, "--max-files", "2"]).exits(3);
    assert!(ran.out.contains("changed 3 files, more than its 2"), "{ran:?}");
    assert_eq!(world.json(&["status", "r"])["reason"], "limit:files");
    world.piton(&["resume", "r"]).exits(3);
    world.piton(&["resume", "r", "--max-files", "+1"]).exits(3);
    assert_eq!(world.count("r", "attempt_started"), 4);
    world.configure("[loop]\nmax_lines = 10\n");
    let ran = world.loops("s", "seq 1 20 > lines.txt", &["--check", RED]).exits(3);
    assert!(ran.out.contains("changed 20 lines, more than its 10"), "{ran:?}");
}
