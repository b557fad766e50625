//! Items that are added, skipped, moved and tried again while the queue runs.

use super::{MAKES, MAKES_LATER, item, queue, ran, standings, world};
use crate::common::eventually;

const THREE: &str = "- [ ] Write one.txt\n- [ ] Write two.txt\n- [ ] Write three.txt\n";

#[test]
fn items_come_go_and_move_while_the_queue_runs() {
    let world = world(THREE);
    queue(&world, "TASKS.md", MAKES_LATER, &["--until", "done", "--detach"]).exits(0);
    eventually("the first works", || ran(&world) == "one.txt\n");
    world.piton(&["queue", "add", "Write four.txt", "--id", "four", "--after", "write-three"]).exits(0);
    world.piton(&["queue", "skip", "write-two-txt"]).exits(0);
    world.piton(&["queue", "add", "Write five.txt", "--before", "write-three-txt"]).exits(0);
    eventually("all of it is taken", || {
        standings(&world)
            == [
                "write-one-txt at work",
                "write-two-txt not begun",
                "write-five-txt next",
                "write-three-txt next",
                "four next",
            ]
    });
    world.piton(&["queue", "move", "write-three-txt", "--first"]).exits(0);
    world.open_gate();
    world.piton(&["wait", "q"]).exits(0);
    assert_eq!(ran(&world), "one.txt\nthree.txt\nfive.txt\nfour.txt\n");
    // What was added is in no list; what was skipped is not ticked.
    assert_eq!(world.read("TASKS.md"), "- [x] Write one.txt\n- [ ] Write two.txt\n- [x] Write three.txt\n");
}

#[test]
fn what_is_at_work_is_ended_when_it_is_skipped() {
    let world = world(THREE);
    queue(&world, "TASKS.md", MAKES_LATER, &["--until", "done", "--detach"]).exits(0);
    eventually("the first works", || ran(&world) == "one.txt\n");
    let run = item(&world, "write-one-txt")["run_id"].as_str().unwrap().to_owned();
    world.piton(&["queue", "skip", "write-one-txt"]).exits(0);
    eventually("its loop is stopped", || world.json(&["status", &run])["status"] == "stopped");
    world.open_gate();
    world.piton(&["wait", "q"]).exits(0);
    assert_eq!(standings(&world), ["write-one-txt not begun", "write-two-txt done", "write-three-txt done"]);
}

#[test]
fn an_item_that_failed_is_tried_again_in_the_same_loop() {
    let world = world(THREE);
    let fails = format!(
        "test -e \"$BESIDE/fixed\" || case $(cat $PITON_PROMPT_FILE) in *two.txt*) exit 1;; esac; {MAKES}"
    );
    queue(
        &world,
        "TASKS.md",
        &fails,
        &["--check", "test -e .piton-never || true", "--until", "done", "--max-iterations", "2"],
    )
    .exits(1);
    assert_eq!(standings(&world)[1], "write-two-txt failed");
    let run = item(&world, "write-two-txt")["run_id"].clone();
    world.write("../fixed", "");
    world.piton(&["queue", "retry", "write-two-txt"]).exits(0);
    eventually("it is done", || world.json(&["status", "q"])["status"] == "completed");
    assert_eq!(item(&world, "write-two-txt")["run_id"], run, "it went on where it stopped");
    assert_eq!(ran(&world), "one.txt\nthree.txt\ntwo.txt\n");
    assert!(!world.read("TASKS.md").contains("[ ]"));
}

#[test]
fn what_makes_no_sense_is_refused_at_once() {
    let world = world(THREE);
    queue(&world, "TASKS.md", MAKES_LATER, &["--until", "done", "--detach"]).exits(0);
    eventually("the first works", || ran(&world) == "one.txt\n");
    for (arguments, words) in [
        (&["queue", "skip", "nobody"][..], "no item is called `nobody`"),
        (&["queue", "skip", "write-t"], "could be any of write-two-txt, write-three-txt"),
        (&["queue", "retry", "write-one-txt"], "is at work: only what failed or was skipped"),
        (&["queue", "move", "write-one-txt", "--last"], "has begun"),
        (
            &["queue", "add", "Write two.txt", "--id", "Write-Two-Txt"],
            "the name `Write-Two-Txt` is there twice",
        ),
        (&["queue", "add", "Write x.txt", "--after", "nobody"], "no item is called `nobody`"),
        (&["queue", "add", " "], "the task says nothing"),
    ] {
        let ended = world.piton(arguments).exits(2);
        assert!(ended.err.contains(words), "{arguments:?}: {}", ended.err);
    }
    world.open_gate();
    world.piton(&["wait", "q"]).exits(0);
}
