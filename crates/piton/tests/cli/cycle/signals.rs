//! What people want of a cycle: begin, rest, go on, confirm, decide. Each is taken as it is meant, or refused with what is wrong.

use serde_json::{Value, json};

use super::{start, state, status, world};
use crate::common::{World, eventually};

/// A cycle whose analyst is at work until [`let_go`].
fn at_work() -> World {
    let world = world();
    world.write("hold.ra", "");
    start(&world, 1, &["--detach"]).exits(0);
    eventually("the analyst works", || world.path("held.ra").exists());
    world
}

fn let_go(world: &World) {
    std::fs::remove_file(world.path("hold.ra")).unwrap();
}

/// Writes this status into the state file, and waits until that was seen.
fn edit(world: &World, status: Value) {
    let seen = world.count("c1", "state_edited");
    let mut edited = state(world);
    match status {
        Value::Null => drop(edited.as_object_mut().unwrap().remove("status")),
        status => edited["status"] = status,
    }
    world.write(".workflow/.cycle/c1.json", &edited.to_string());
    eventually("the edit is on record", || world.count("c1", "state_edited") > seen);
}

#[test]
fn of_two_that_begin_at_once_in_a_tree_one_is_refused_and_leaves_nothing() {
    let world = world();
    world.write("hold.ra", "");
    let begin = |id: &str| {
        let piton = env!("CARGO_BIN_EXE_piton");
        format!(
            "({piton} cycle start {id} --id {id} --exec 'sh agent.sh' --check true --detach; echo $? > count.{id})"
        )
    };
    world.shell(&format!("{} & {} & wait", begin("one"), begin("two"))).exits(0);
    let mut codes = [world.read("count.one"), world.read("count.two")];
    codes.sort();
    assert_eq!(codes, ["0\n", "5\n"]);
    let known = world.json(&["ls", "--all"]);
    assert_eq!(known.as_array().map(Vec::len), Some(1), "{known:#}");
    let id = if world.read("count.one") == "0\n" { "one" } else { "two" };
    let other = if id == "one" { "two" } else { "one" };
    assert!(!world.path(&format!(".workflow/.cycle/{other}.json")).exists());
    let_go(&world);
    world.piton(&["wait", id]).exits(0);
}

#[test]
fn where_its_files_cannot_be_there_is_no_cycle() {
    let world = world();
    world.shell("ln -s \"$BESIDE\" .workflow").exits(0);
    let ran = start(&world, 1, &[]).exits(7);
    assert!(ran.err.contains(".workflow"), "{}", ran.err);
    assert_eq!(world.piton(&["ls", "--all"]).exits(0).out, "", "nothing is on record");
    std::fs::remove_file(world.path(".workflow")).unwrap();
    start(&world, 1, &[]).exits(0);
}

#[test]
fn a_status_that_nobody_knows_is_named() {
    for (word, expected) in [
        (json!("banana"), "says `banana`, which nobody knows"),
        (json!(7), "says `7`, which nobody knows"),
        (Value::Null, "the state file has no status any more"),
    ] {
        let world = at_work();
        edit(&world, word);
        let_go(&world);
        world.piton(&["wait", "c1"]).exits(4);
        let errors = state(&world)["phase_errors"].to_string();
        assert!(errors.contains(expected) && errors.contains("`piton resume c1`"), "{errors}");
        let shown = world.piton(&["status", "c1"]).exits(0).out;
        assert!(shown.contains(expected), "{shown}");
        world.piton(&["resume", "c1"]).exits(0);
    }
}

#[test]
fn running_takes_a_pause_or_a_stop_back_that_waits_for_the_role_at_work() {
    for word in ["paused", "failed"] {
        let world = at_work();
        edit(&world, json!(word));
        eventually("the file says that it will rest", || state(&world)["status"] == "paused");
        edit(&world, json!("running"));
        eventually("the file says that it goes on", || state(&world)["status"] == "running");
        let_go(&world);
        world.piton(&["wait", "c1"]).exits(0);
    }
}

#[test]
fn an_iteration_that_is_to_be_confirmed_waits_for_an_answer() {
    let world = world();
    world.write(".gitignore", &format!("{}piton.toml\n", super::IGNORED));
    world.configure("[cycle]\nconfirm = true\n");
    start(&world, 2, &[]).exits(4);
    let listed = world.piton(&["answer"]).exits(0).out;
    assert!(listed.contains("c1  iteration 2 is to be confirmed"), "{listed}");
    assert!(listed.contains("piton resume c1"), "{listed}");
    assert_eq!(world.json(&["answer"])[0]["run_id"], "c1");
    let refused = world.piton(&["answer", "c1", "--approve"]).exits(2);
    assert!(refused.err.contains("`piton answer c1` lists what waits"), "{}", refused.err);
    world.piton(&["resume", "c1"]).exits(0);
    assert!(!world.piton(&["answer"]).exits(0).out.contains("c1"));
}

#[test]
fn what_a_role_wants_decided_waits_however_it_asks() {
    let world = world();
    let asks = "$PITON_BIN cycle decide $PITON_RUN_ID --propose 'which db?' --between a --between b > /dev/null || exit 9";
    world.write("do.ep", &format!("{asks}\n"));
    start(&world, 1, &[]).exits(4);
    assert_eq!(status(&world)["waiting_for"], "decision DEC-001");
}

#[test]
fn what_to_do_next_is_the_decision_that_waits() {
    let world = at_work();
    let propose = |text: &str, more: &[&str]| {
        let words = ["cycle", "decide", "c1", "--propose", text, "--between", "a", "--between", "b"];
        world.piton(&[&words[..], more].concat()).exits(0);
    };
    propose("some day", &[]);
    propose("now", &["--wait"]);
    let_go(&world);
    world.piton(&["wait", "c1"]).exits(4);
    assert_eq!(status(&world)["next"], "piton cycle decide c1 DEC-002 OPTION");
}

#[test]
fn what_says_nothing_is_refused() {
    let world = at_work();
    for words in [
        &["decide", "c1", "--propose", ""][..],
        &["decide", "c1", "--propose", "x", "--between", " "],
        &["decide", "c1", "--propose", "x", "--between", "a", "--between", "a"],
        &["blocker", "c1", "--report", " "],
    ] {
        let ran = world.piton(&[&["cycle"], words].concat()).exits(2);
        assert!(
            ran.err.contains("decision") || ran.err.contains("option") || ran.err.contains("blocker"),
            "{ran:?}"
        );
    }
    let found = state(&world)["coordination"].clone();
    assert_eq!((&found["pending_decisions"], &found["blockers"]), (&json!([]), &json!([])));
    let_go(&world);
    world.piton(&["wait", "c1"]).exits(0);
}

#[test]
fn what_is_wrong_with_an_order_is_named() {
    let world = world();
    world.write(".gitignore", &format!("{}piton.toml\nlong.txt\n", super::IGNORED));
    for (line, expected) in
        [("utc_offset = \"Mars\"", "`utc_offset` must be"), ("teem = []", "did you mean `team`?")]
    {
        world.write("piton.toml", &format!("[cycle]\n{line}\n"));
        let ran =
            world.piton(&["--trust", "cycle", "start", "x", "--exec", "true", "--check", "true"]).exits(2);
        assert!(ran.err.contains(expected) && !ran.err.contains("redact"), "{}", ran.err);
    }
    std::fs::remove_file(world.path("piton.toml")).unwrap();
    world.write("long.txt", &"d".repeat(3 << 20));
    let ran = start(&world, 1, &["--description", "@long.txt"]).exits(2);
    assert!(ran.err.contains("the description is larger than 1 MiB"), "{}", ran.err);
    assert!(ran.err.contains("piton cycle start --help") && !ran.err.contains("--until"), "{}", ran.err);
    world.shell("mkdir -p .workflow/.cycle && echo garbage > .workflow/.cycle/x.json").exits(0);
    let ran =
        world.piton(&["import", ".workflow/.cycle/x.json", "--exec", "true", "--check", "true"]).exits(2);
    assert!(ran.err.contains("x.json") && !ran.err.contains("loop"), "{}", ran.err);
}
