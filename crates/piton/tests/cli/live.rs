//! What somebody sees and presses while a run works.

use std::io::Write;

use super::common::{World, eventually};

/// Says what it does, and works until there is a file.
const AGENT: &str = "echo reading the code; while [ ! -e ../go ]; do sleep 0.05; done; echo ok > done.txt";
const CHECK: &str = "test=test -e done.txt";

fn words() -> [&'static str; 8] {
    ["loop", "Do it", "--id", "r", "--exec", AGENT, "--check", CHECK]
}

#[test]
fn the_last_line_says_who_works_and_what_it_did_last_and_d_leaves_it() {
    let world = World::new();
    let mut terminal = world.terminal(&words());
    terminal.shows("#1  exec ");
    terminal.shows("reading the code");
    terminal.shows("d detach · p pause · t tell · ? help");
    let status = world.json(&["status", "r"]);
    assert_eq!(
        (&status["under_way"]["what"], &status["under_way"]["says"]),
        (&"exec".into(), &"reading the code".into())
    );
    let screen = world.piton(&["status", "r"]).exits(0).out;
    assert!(screen.contains("\nnow      exec, ") && screen.contains(" · reading the code\n"), "{screen}");
    terminal.write_all(b"?").unwrap();
    terminal.shows("leave; the run goes on");
    terminal.write_all(b"t").unwrap();
    terminal.shows("tell the agent: ");
    terminal.write_all(b"mind the tests\n").unwrap();
    terminal.shows("told with the next prompt");
    terminal.write_all(b"p").unwrap();
    terminal.shows("pauses once the work under way has ended");
    let screen = world.piton(&["status", "r"]).exits(0).out;
    assert!(screen.contains("\nasked    to pause after this attempt\n"), "{screen}");
    terminal.write_all(b"d").unwrap();
    terminal.shows("r goes on; `piton attach r` comes back");
    assert_eq!(terminal.ends(), 0);
    assert_eq!(world.json(&["status", "r"])["status"], "running");
    assert!(world.piton(&["log", "r"]).exits(0).out.contains("mind the tests"));
    world.write("../go", "");
    world.piton(&["wait", "r"]).exits(4);
}

#[test]
fn a_check_that_runs_is_named() {
    let world = World::new();
    let check = "slow=while [ ! -e ../go ]; do sleep 0.05; done; test -e done.txt";
    let mut terminal =
        world.terminal(&["loop", "Do it", "--id", "r", "--exec", "echo ok > done.txt", "--check", check]);
    terminal.shows("baseline  check slow ");
    world.write("../go", "");
    terminal.shows("done");
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn ctrl_c_asks_what_is_meant() {
    let world = World::new();
    let mut terminal = world.terminal(&words());
    terminal.shows("#1  exec ");
    terminal.write_all(b"\x03").unwrap();
    terminal.shows("stop?  s after this attempt · n now · d leave it running · Enter go on");
    terminal.write_all(b"\r").unwrap();
    terminal.shows("#1  exec ");
    let asked = || world.json(&["show", "r"])["state"]["requests"]["stop"].clone();
    assert!(asked().is_null(), "{}", asked());
    terminal.write_all(b"\x03").unwrap();
    terminal.shows("stop?  s after this attempt");
    terminal.write_all(b"n").unwrap();
    terminal.shows("stopping now");
    eventually("it has stopped", || world.json(&["status", "r"])["status"] == "stopped");
    assert_eq!(terminal.ends(), 130);
}
