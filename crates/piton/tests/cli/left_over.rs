//! A run that begins in a tree in which another one left something that nobody judged.

use crate::common::{Ran, WAITS, World, eventually};

const TESTS: &str = "\
import unittest
from calc import add


class Calc(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)
";
const WEAKENS: &str = "sed -i 's/assertEqual(add(2, 3), 5)/assertIsNotNone(add(2, 3))/' test_calc.py";
const CHECK: [&str; 2] = ["--check", "test=python3 -B -m unittest -q"];

/// A project whose function is wrong.
fn world() -> World {
    let world = World::outside_git();
    world.write("calc.py", "def add(a, b):\n    return 0\n");
    world.write("test_calc.py", TESTS);
    world.git(&["init", "-q", "-b", "main"]);
    commit(&world);
    world
}

fn commit(world: &World) {
    world.git(&["add", "."]);
    world.git(&["commit", "-q", "-m", "as it is"]);
}

/// Run `r` does this, and works on.
fn works(world: &World, does: &str) {
    world.loops_behind("r", &format!("{does}; touch \"$BESIDE/did\"; {WAITS}"), &CHECK);
    eventually("it did what it does", || world.beside("did").exists());
}

/// The same, stopped in the middle.
fn stopped(world: &World, does: &str) {
    works(world, does);
    world.piton(&["stop", "r", "--now"]).exits(0);
    world.piton(&["wait", "r"]);
    let status = world.piton(&["status", "r"]).out;
    assert!(status.contains("unjudged attempt 1"), "{status}");
}

/// Another run, whose agent does nothing that matters, and from its second iteration on the work.
fn next(world: &World, more: &[&str]) -> Ran {
    let agent = r#"if test "$PITON_ITERATION" -le 1; then echo note > notes.md; else sed -i 's/return 0/return a + b/' calc.py; fi
        printf '{"status": "done"}' > "$PITON_REPORT""#;
    world.loops("s", agent, &[&CHECK, &["--max-iterations", "3"], more].concat())
}

const SAYS: &str = "run `r` left work here that nobody judged";

/// What was left was refused, and only then the work was done.
#[track_caller]
fn was_judged(world: &World, ran: &Ran, tree: &str) {
    assert!(ran.err.contains(SAYS), "{ran:?}");
    assert!(ran.out.contains("REFUSED"), "{ran:?}");
    let tests = std::fs::read_to_string(world.beside(tree).join("test_calc.py")).unwrap();
    assert_eq!(tests, TESTS, "a tree that nobody judged won");
    assert_eq!(world.json(&["status", "s"])["iteration"], 2, "the first one was refused");
    assert!(world.piton(&["log", "s"]).exits(0).out.contains("begins over what r left"));
}

#[test]
fn a_loop_over_what_a_stopped_attempt_left_is_compared_with_what_was_judged() {
    let world = world();
    stopped(&world, WEAKENS);
    let ran = next(&world, &["--here"]).exits(0);
    was_judged(&world, &ran, "repo");
}

#[test]
fn so_is_one_with_a_work_tree_of_its_own() {
    let world = world();
    stopped(&world, WEAKENS);
    let ran = next(&world, &["--worktree"]).exits(0);
    was_judged(&world, &ran, "repo-s");
    assert_eq!(world.git(&["show", "piton/s:test_calc.py"]), TESTS);
}

/// While the other one works, too: a tree of its own begins with what is there.
#[test]
fn so_is_one_that_begins_beside_an_attempt_that_works() {
    let world = world();
    works(&world, WEAKENS);
    let ran = next(&world, &["--worktree"]).exits(0);
    was_judged(&world, &ran, "repo-s");
    world.piton(&["stop", "r", "--now"]).exits(0);
    world.piton(&["wait", "r"]);
}

#[test]
fn what_a_stopped_attempt_committed_itself_is_no_persons_commit() {
    let world = world();
    stopped(&world, &format!("{WEAKENS}; git add test_calc.py; git commit -q -m mine"));
    let ran = next(&world, &["--here"]).exits(0);
    was_judged(&world, &ran, "repo");
}

#[test]
fn a_cycle_over_what_a_stopped_attempt_left_is_compared_with_what_was_judged() {
    let world = world();
    stopped(&world, WEAKENS);
    let role = r#"echo note > notes.md; printf 'PHASE_RESULT:\n- phase: %s\n- status: completed\n- summary: s\n\n' "$PITON_ROLE""#;
    let words = ["cycle", "start", "y", "--id", "c", "--max-iterations", "1", "--exec", role];
    let ran = world.piton(&[&words[..], &CHECK].concat());
    assert_ne!(ran.code, 0, "weakened tests won: {ran:?}");
    assert!(ran.err.contains(SAYS), "{ran:?}");
    let log = world.piton(&["log", "c"]).exits(0).out;
    assert!(log.contains("over what another run left, which nobody judged"), "{log}");
    assert!((ran.out + &log).contains("test_calc.py"), "{log}");
}

/// One that rests does not take it for a person's edit when it goes on.
#[test]
fn a_run_that_is_resumed_over_what_another_left_since_is_refused() {
    let world = world();
    world.loops("s", "echo note > notes.md", &[&CHECK[..], &["--max-iterations", "1"]].concat()).exits(3);
    stopped(&world, WEAKENS);
    let resume = ["resume", "s", "--max-iterations", "+1"];
    let ran = world.piton(&resume).exits(4);
    assert!(ran.err.contains("run `r` left work here since that nobody judged"), "{}", ran.err);
    assert!(ran.err.contains("piton resume r") && ran.err.contains("piton rm r"), "{}", ran.err);
    world.piton(&["rm", "r", "--force"]).exits(0);
    world.piton(&resume);
    assert_eq!(world.json(&["status", "s"])["iteration"], 2, "it goes on");
}

/// Whoever looked at it and wants it commits it, or removes the run; what was put back is not there any more.
#[test]
fn what_a_person_committed_removed_or_put_back_is_compared_with_nothing() {
    for wants in ["git commit -q -a -m mine", "\"$PITON\" rm r --force", "git checkout -q ."] {
        let world = world();
        stopped(&world, WEAKENS);
        let wants = wants.replace("\"$PITON\"", env!("CARGO_BIN_EXE_piton"));
        world.shell(&wants).exits(0);
        let ran = next(&world, &["--here"]).exits(0);
        assert!(!ran.err.contains(SAYS) && !ran.out.contains("REFUSED"), "{wants}: {ran:?}");
    }
}

/// Nobody is accused of what a person does after it.
#[test]
fn what_a_run_left_that_changed_nothing_is_compared_with_nothing() {
    let world = world();
    works(&world, "true");
    world.piton(&["stop", "r", "--now"]).exits(0);
    world.piton(&["wait", "r"]);
    world.shell(WEAKENS).exits(0);
    let ran = next(&world, &["--here"]).exits(0);
    assert!(!ran.err.contains(SAYS) && !ran.out.contains("REFUSED"), "{ran:?}");
}
