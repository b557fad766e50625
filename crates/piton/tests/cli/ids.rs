//! Names of runs: which are allowed, what one that exists means, and how a run is found by a piece of it.

use super::common::{WAITS, World};

const RED: &str = "test=test -f b.txt";

#[test]
fn names_that_could_be_taken_for_paths_or_flags_are_refused() {
    let world = World::new();
    let long = "a".repeat(65);
    for id in ["../x", "a/b", ".", "", &long, "a b", "é"] {
        let ran = world.piton(&["loop", "Do it", "--id", id, "--exec", "true", "--check", RED]).exits(2);
        assert!(ran.err.contains("is not a run id: use 1 to 64 letters, digits"), "{id}: {}", ran.err);
    }
    let ran = world.piton(&["loop", "Do it", "--id=-rf", "--exec", "true", "--check", RED]).exits(2);
    assert!(ran.err.contains("`-rf` is not a run id"), "{}", ran.err);
    assert!(!world.path(".piton/journal.db").exists(), "a refused loop leaves nothing behind");
}

#[test]
fn an_unfinished_run_of_that_name_is_resumed() {
    let world = World::new();
    let agent = "if test -e $GATE; then touch b.txt; else echo x >> a.txt; fi";
    world.loops("same", agent, &["--check", RED, "--max-iterations", "1"]).exits(3);
    world.open_gate();
    let ran = world.loops("same", agent, &["--check", RED, "--max-iterations", "2"]).exits(0);
    assert!(ran.err.contains("run `same` exists and is unfinished: going on with it"), "{}", ran.err);
    assert_eq!(world.json(&["ls"]).as_array().unwrap().len(), 1);
    assert_eq!(world.json(&["status", "same"])["iteration"], 2);
}

#[test]
fn a_run_of_that_name_with_another_configuration_shows_the_difference() {
    let world = World::new();
    world.loops("same", "true", &["--check", RED, "--max-iterations", "1"]).exits(3);
    let ran = world
        .piton(&["loop", "Another task", "--id", "same", "--exec", "false", "--check", "lint=true"])
        .exits(2);
    insta::assert_snapshot!(ran.err, @r#"
    error: run `same` exists with another configuration
      task: began with `Do it`, asked for `Another task`
      checks: began with test=test -f b.txt, asked for lint=true
      agent.command: began with ["sh","-c","true"], asked for ["sh","-c","false"]

    hint: run `piton resume same` to go on as it began, or choose another --id
    "#);
    world.configure("[guard]\nmode = 'report'\n");
    let ran = world.loops("same", "true", &["--check", RED, "--max-iterations", "1"]).exits(2);
    assert!(ran.err.contains("guard: began with \"block\", asked for \"report\""), "{}", ran.err);
}

#[test]
fn a_finished_run_of_that_name_is_a_usage_error() {
    let world = World::new();
    world.loops("same", "touch b.txt", &["--check", RED]).exits(0);
    let ran = world.loops("same", "touch b.txt", &["--check", RED]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: run `same` is completed already

    hint: choose another --id; `piton fork same --iteration N` goes on from one of its iterations, `piton rm same` frees the name
    ");
    let ran = world.piton(&["resume", "same"]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: run `same` is completed already

    hint: run `piton status same`
    ");
}

#[test]
fn names_that_differ_only_in_case_are_one_name() {
    let world = World::new();
    world.loops("Fix-It", "touch b.txt", &["--check", RED]).exits(0);
    let ran = world.loops("fix-it", "true", &["--check", "test=false"]).exits(2);
    assert!(ran.err.contains("Fix-It") || ran.err.contains("fix-it"), "{}", ran.err);
    assert_eq!(world.json(&["ls"]).as_array().unwrap().len(), 1);
    assert_eq!(world.json(&["status", "FIX-IT"])["run_id"], "Fix-It");
}

#[test]
fn two_loops_in_one_tree_are_refused() {
    let world = World::new();
    world.loops_behind("first", WAITS, &["--check", RED]);
    let ran = world.loops("second", "true", &["--check", RED]).exits(5);
    insta::assert_snapshot!(ran.err, @"
    error: another run works in this tree
      first

    hint: run `piton ls`; wait for it with `piton wait`, or stop it with `piton stop`
    ");
    let names: Vec<_> =
        world.json(&["ls"]).as_array().unwrap().iter().map(|run| run["run_id"].clone()).collect();
    assert_eq!(names, ["first"], "a refused loop leaves no run");
}

#[test]
fn a_run_that_is_driven_is_not_resumed() {
    let world = World::new();
    world.loops_behind("first", WAITS, &["--check", RED]);
    let ran = world.piton(&["resume", "first"]).exits(5);
    insta::assert_snapshot!(ran.err, @"
    error: run `first` is driven by process PID since TIME

    hint: run `piton attach first`, or `piton resume first --take-over` if it is frozen
    ");
    let ran = world.loops("first", WAITS, &["--check", RED]).exits(5);
    assert!(ran.err.contains("piton attach first"), "{}", ran.err);
}

#[test]
fn a_run_is_found_by_a_piece_of_its_name() {
    let world = World::new();
    let begin = |id: &str| world.loops(id, "true", &["--check", RED, "--max-iterations", "1"]).exits(3);
    begin("fix-users-11aa");
    begin("fix-orders-22bb");
    let name = |text: &str| world.json(&["status", text])["run_id"].clone();
    assert_eq!(name("fix-u"), "fix-users-11aa");
    assert_eq!(name("11"), "fix-users-11aa", "the last part");
    assert_eq!(name("22bb"), "fix-orders-22bb");
    assert_eq!(name("last"), "fix-orders-22bb", "the newest");
    assert_eq!(world.json(&["status"])["run_id"], "fix-orders-22bb", "the newest, where none is active");

    let refused = world.loops("last", "true", &["--check", RED]).exits(2);
    assert!(refused.err.contains("no run can be called `last`: that is the newest one"), "{}", refused.err);

    let ran = world.piton(&["status", "fix"]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: `fix` could be any of fix-orders-22bb, fix-users-11aa

    hint: run `piton ls --all` to see what there is
    ");
    let ran = world.piton(&["status", "nope"]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: no run is called `nope`

    hint: run `piton ls --all` to see what there is
    ");
    assert_eq!(ran.out, "");
}

#[test]
fn every_command_about_a_run_says_that_there_is_none_yet() {
    let world = World::new();
    for command in [
        "status", "why", "show", "log", "output", "attach", "wait", "pause", "resume", "stop", "skip",
        "best", "diff", "restore",
    ] {
        let ran = world.piton(&[command]).exits(2);
        assert!(ran.err.contains("there is no run in"), "{command}: {}", ran.err);
        assert!(
            ran.err.contains("hint: start one with `piton loop`, or see `piton demo`"),
            "{command}: {}",
            ran.err
        );
    }
    assert!(!world.path(".piton").exists(), "looking leaves nothing behind");
}

#[test]
fn of_two_that_begin_the_same_run_at_once_one_is_told_that_it_is_held() {
    let world = World::new();
    world.write("w.yaml", &format!("name: w\nsteps:\n  - id: a\n    run: '{WAITS}'\n"));
    let piton = env!("CARGO_BIN_EXE_piton");
    for round in 0..6 {
        let loops =
            format!("loop x --worktree --id l{round} --exec '{WAITS}' --check false --force --detach");
        let workflow = format!("run w.yaml --worktree --run-id w{round} --detach");
        for words in [loops, workflow] {
            let two = format!(
                "{piton} {words} & first=$!; {piton} {words} & wait $first; a=$?; wait $!; echo codes $a $?"
            );
            let ran = world.shell(&two).exits(0);
            let codes: Vec<&str> = ran.out.lines().filter(|line| line.starts_with("codes ")).collect();
            assert!(codes == ["codes 0 5"] || codes == ["codes 5 0"], "{words}: {ran:?}");
        }
    }
}
