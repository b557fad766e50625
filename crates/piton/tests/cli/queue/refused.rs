//! What is wrong with a list is said before money is spent, with nothing on record.

use super::{MAKES, queue, ran, world};
use crate::common::World;

fn refused(list: &str, more: &[&str], code: i32, words: &str) {
    let world = world(list);
    let ended = queue(&world, "TASKS.md", MAKES, &[&["--until", "done"], more].concat()).exits(code);
    assert!(ended.err.contains(words), "{words}: {}", ended.err);
    assert_eq!(ran(&world), "", "no agent was started");
    assert!(!world.path(".piton/journal.db").exists(), "nothing is on record");
}

#[test]
fn a_list_without_a_task() {
    refused("# Notes\n\nNothing.\n", &[], 2, "nothing is left to do on TASKS.md");
    refused("- [x] Write one.txt\n```\n- [ ] Write two.txt\n```\n", &[], 2, "nothing is left to do");
    let ended = queue(&World::new(), "nowhere.md", MAKES, &["--until", "done"]).exits(2);
    assert!(ended.err.contains("there is no list `nowhere.md`"), "{}", ended.err);
}

#[test]
fn an_item_that_is_there_twice() {
    refused(
        "- [ ] Write one.txt\n\n- [ ] Write one.txt\n",
        &[],
        2,
        "TASKS.md:3: `Write one.txt` is there twice; the first is TASKS.md:1",
    );
    refused(
        "- [ ] Write one.txt\n  id: x\n- [ ] Write two.txt\n  id: X\n",
        &[],
        2,
        "the name `X` is there twice",
    );
}

#[test]
fn items_in_a_circle() {
    let list = "- [ ] Write one.txt\n  - id: one\n  - after: three\n- [ ] Write two.txt\n  - id: two\n  - after: one\n- [ ] Write three.txt\n  - id: three\n  - after: two\n";
    refused(list, &[], 2, "in a circle: `one` → `three` → `two` → `one`");
    refused(
        "- [ ] Write one.txt\n  - after: nobody\n",
        &[],
        2,
        "comes after `nobody`, which is not on the list",
    );
}

#[test]
fn an_item_after_two_that_have_no_order() {
    let list =
        "- [ ] one.txt\n  - id: one\n- [ ] two.txt\n  - id: two\n- [ ] three.txt\n  - after: one, two\n";
    refused(list, &[], 2, "comes after `one` and `two`, which do not come after each other");
}

#[test]
fn a_check_or_an_agent_that_is_not_there() {
    refused(
        "- [ ] Write one.txt\n  - check: no-such-program --fast\n",
        &[],
        7,
        "`no-such-program` is not in PATH",
    );
    refused("- [ ] Write one.txt\n  - max-cost: cheap\n", &[], 2, "max-cost");
    refused("- [ ] Write one.txt\n", &["--parallel", "0"], 2, "--parallel");
    refused("- [ ] Write one.txt\n", &["--total-cost", "0"], 2, "--total-cost");
}

#[test]
fn nothing_that_would_end_an_item() {
    let world = world("- [ ] Write one.txt\n  - check: true\n- [ ] Write two.txt\n");
    let ended = queue(&world, "TASKS.md", MAKES, &[]).exits(2);
    assert!(
        ended.err.contains("nothing would stop this loop") && ended.err.contains("write-two-txt"),
        "{}",
        ended.err
    );
}

#[test]
fn a_second_queue_of_a_list_that_is_not_done() {
    let world = world("- [ ] Write one.txt\n");
    let waits = format!("{}; {MAKES}", crate::common::WAITS);
    queue(&world, "TASKS.md", &waits, &["--until", "done", "--detach"]).exits(0);
    let second = ["loop", "--each", "TASKS.md", "--until", "done", "--exec", MAKES];
    let ended = world.piton(&second).exits(5);
    assert!(ended.err.contains("run `q` works on TASKS.md already"), "{}", ended.err);
    world.piton(&["stop", "q", "--now"]).exits(0);
    world.piton(&["wait", "q"]).exits(4);
    let ended = world.piton(&second).exits(2);
    assert!(ended.err.contains("has not come to the end of TASKS.md"), "{}", ended.err);
    world.open_gate();
    world.piton(&["resume", "q"]).exits(0);
    assert!(world.read("TASKS.md").starts_with("- [x]"));
}
