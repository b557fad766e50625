//! What is said: true words, one problem once, and JSON where JSON was asked for.

use super::{NOW, gaps, ledger};
use crate::common::World;

fn json(world: &World, code: i32, words: &[&str]) -> serde_json::Value {
    let ran = gaps(world, &[words, &["--json"]].concat()).exits(code);
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[test]
fn import_says_what_is_wrong_and_what_it_leaves_out() {
    let world = ledger();
    world.write("bad.yaml", "gaps:\n- {id: a, category: c, priority: 9}\n");
    for words in [&["import", "bad.yaml"][..], &["gaps", "import", "bad.yaml"]] {
        let ran = world.piton(words).exits(1);
        assert!(ran.err.contains("`bad.yaml` is not a sound ledger"), "{}", ran.err);
        assert!(!ran.err.contains("Invalid YAML"), "{}", ran.err);
    }
    world.write(
        "in.yaml",
        "owner: me\ngaps:\n- {id: v, category: c, status: verified, mykey: 1}\n- {id: b, category: c}\n",
    );
    let ran = world.piton(&["import", "in.yaml"]).exits(0);
    assert!(ran.out.contains("2 gaps added"), "{}", ran.out);
    assert!(
        ran.err.contains("Gap 'v' is verified but has no last_verified; it comes as unknown"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("are left out") && !ran.err.contains("kept"), "{}", ran.err);
    let text = world.read("gaps.yaml");
    assert!(text.contains("- id: v\n  category: c\n") && !text.contains("mykey"), "{text}");
    gaps(&world, &["validate"]).exits(0);
    world.write("empty.yaml", "");
    let ran = world.piton(&["import", "empty.yaml"]).exits(2);
    assert!(ran.err.contains("run_state.json") && ran.err.contains("gap file"), "{}", ran.err);
}

#[test]
fn json_is_printed_where_it_was_asked_for() {
    let world = ledger();
    world.write("bad.yaml", "gaps:\n- {id: a, category: c, priority: 9}\n");
    let checked = json(&world, 1, &["validate", "--file", "bad.yaml"]);
    assert_eq!(checked["valid"], false);
    assert_eq!(checked["problems"][0], "line 2: Gap 'a' priority must be 1 to 5, got 9");
    assert!(json(&world, 0, &["prompt", "pricing"])["prompt"].as_str().unwrap().contains("Two plans."));
    world.write("one.yaml", "version: 1\ngaps: []\n");
    assert_eq!(json(&world, 0, &["export", "--file", "one.yaml"])["version"], 1);
    gaps(&world, &["check", "teams"]).exits(0);
    assert_eq!(world.json(&["export", "--format", "gaps"])["gaps"][1]["id"], "teams");
    let ran = gaps(&world, &["research", "teams", "--exec", "exit 3", "--json"]).exits(1);
    let over: serde_json::Value = serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&over["event"], over["cost_usd"].is_null(), over["tokens"].is_null()),
        (&"over".into(), true, true)
    );
}

#[test]
fn slips_of_the_pen_are_told_before_anything_is_done() {
    let world = ledger();
    let file = world.read("gaps.yaml");
    gaps(&world, &["batch", "--max", "0"]).exits(2);
    gaps(&world, &["research", "--max", "0", "--exec", "true"]).exits(2);
    gaps(&world, &["prompt", "nope"]).exits(2);
    gaps(&world, &["check", "teams", "nope"]).exits(2);
    assert_eq!(world.read("gaps.yaml"), file, "all or none");
    gaps(&world, &["verify", "teams", "--findings", "- nine\n- ten"]).exits(0);
    assert!(world.read("gaps.yaml").contains("- nine"));
}

#[test]
fn a_gap_that_is_not_there_is_a_usage_error_of_every_command() {
    let world = ledger();
    for words in [
        &["show", "nope"][..],
        &["check", "nope"],
        &["check", "teams", "nope"],
        &["verify", "nope"],
        &["update", "nope", "priority=1"],
        &["remove", "nope"],
        &["undo", "nope"],
        &["log", "--gap", "nope"],
        &["fresh", "nope"],
        &["fresh", "teams", "nope"],
        &["prompt", "nope"],
        &["research", "nope", "--exec", "true"],
    ] {
        let ran = gaps(&world, words).exits(2);
        assert!(ran.err.contains("there is no gap `nope`"), "{words:?}\n{}", ran.err);
        assert!(ran.err.contains("piton gaps list"), "{words:?}\n{}", ran.err);
        assert_eq!(ran.out, "", "{words:?}");
    }
    assert_eq!(world.read("gaps.yaml"), super::FILE, "nothing was changed");
}

#[test]
fn a_field_or_value_that_is_not_there_is_a_usage_error() {
    let world = ledger();
    for words in [
        &["update", "teams", "colour=red"][..],
        &["update", "teams", "priority"],
        &["add", "new", "--category", "c", "colour=red"],
        &["list", "--status", "fine"],
    ] {
        gaps(&world, words).exits(2);
    }
}

#[test]
fn a_loop_that_requires_what_nobody_asked_is_told_to_add_it() {
    let world = ledger();
    world.configure("[gaps]\nrequire = [\"nope\"]\n");
    let ran = world.loops("r", "true", &["--check", "true"]).exits(4);
    assert!(ran.err.contains("nope: there is no such gap"), "{}", ran.err);
    assert!(ran.err.contains("piton gaps list") && !ran.err.contains("gaps research nope"), "{}", ran.err);
}

#[test]
fn what_an_edit_overruled_is_told_and_logged() {
    let words = ["gaps", "verify", "teams", "--findings", "piton's", "--now", NOW];
    let world = ledger();
    let log = world.beside("points");
    world.piton_with(&[("PITON_FAULT_LOG", &log.display().to_string())], &words).exits(0);
    let points = std::fs::read_to_string(log).unwrap();
    let at = points.lines().position(|point| point == "files.gaps.prepare").unwrap() + 1;
    // The wish is on record, and the file does not hold it yet.
    let world = ledger();
    let ran = world.piton_with(&[("PITON_ABORT_AT", &at.to_string())], &words);
    assert_ne!(ran.code, 0, "{}", ran.out);
    world
        .write("gaps.yaml", &world.read("gaps.yaml").replace("priority: 5", "priority: 5\n  findings: mine"));
    let ran = gaps(&world, &["check", "legal"]).exits(0);
    let told = "teams: the file says otherwise about findings, and is right";
    assert!(ran.err.contains(told), "{}", ran.err);
    assert!(gaps(&world, &["log", "--gap", "teams"]).exits(0).out.contains(told));
    assert!(world.read("gaps.yaml").contains("findings: mine"));
}
