//! What a person or another run did between an attempt that nobody judged and whoever goes on over that.

use crate::common::{Ran, WAITS, World, eventually};

const TESTS: &str = "\
import unittest
from calc import add


class Calc(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)
";
const NEWER: &str = "\
import unittest
from calc import sub


class Sub(unittest.TestCase):
    def test_sub(self):
        self.assertEqual(sub(5, 3), 2)
";
const WEAKENS: &str = "sed -i 's/assertEqual(add(2, 3), 5)/assertIsNotNone(add(2, 3))/' test_calc.py";
/// Empties the tests that the person has written since, and ends with the work.
const EMPTIES: &str = r#"sed -i 's/self.assertEqual(sub(5, 3), 2)/pass/' test_sub.py; printf 'def sub(a, b):\n    return 0\n' >> calc.py; printf '{"status":"done"}' > "$PITON_REPORT""#;
const DONE: &str = r#"echo x >> note.txt; printf '{"status":"done"}' > "$PITON_REPORT""#;
const CHECK: [&str; 2] = ["--check", "test=python3 -B -m unittest -q"];
const ONCE: [&str; 4] = ["--check", "test=python3 -B -m unittest -q", "--max-iterations", "1"];

fn world() -> World {
    let world = World::outside_git();
    world.write("calc.py", "def add(a, b):\n    return 0\n");
    world.write("test_calc.py", TESTS);
    world.init();
    world
}

/// Run `run` does this, and is stopped in the middle.
fn stopped(world: &World, run: &str, does: &str) {
    let did = world.beside(&format!("did-{run}"));
    let agent = format!("{does}; touch \"{}\"; {WAITS}", did.display());
    world.loops_behind(run, &agent, &CHECK);
    eventually("it did what it does", || did.exists());
    world.piton(&["stop", run, "--now"]).exits(0);
    world.piton(&["wait", run]);
}

/// The person mends the function, and has new tests and what they need committed.
fn persons_commit(world: &World) {
    world.write("test_sub.py", NEWER);
    world.write("calc.py", "def add(a, b):\n    return a + b\n");
    world.git(&["add", "test_sub.py", "calc.py"]);
    world.git(&["commit", "-q", "-m", "the tests of a person"]);
}

#[track_caller]
fn was_refused(world: &World, run: &str, ran: &Ran) {
    assert_ne!(ran.code, 0, "emptied tests won: {ran:?}");
    let log = world.piton(&["log", run]).exits(0).out;
    assert!(log.contains("test_sub.py"), "{log}");
}

#[test]
fn tests_that_are_newer_than_what_a_stopped_attempt_left_are_guarded_when_it_is_resumed() {
    let world = world();
    let agent = format!("if ! test -e helper.py; then echo 'X = 1' > helper.py; {WAITS}; else {EMPTIES}; fi");
    world.loops_behind("r", &agent, &ONCE);
    eventually("it left something", || world.path("helper.py").exists());
    world.piton(&["stop", "r", "--now"]).exits(0);
    world.piton(&["wait", "r"]);
    persons_commit(&world);
    let ran = world.piton(&["resume", "r"]);
    was_refused(&world, "r", &ran);
    assert_eq!(
        world.read("test_sub.py"),
        NEWER,
        "what is refused is put back, and what a person committed stays"
    );
    assert!(world.read("calc.py").contains("a + b"));
    assert!(!world.path("helper.py").exists(), "what was left is put back with it");
}

#[test]
fn they_are_guarded_when_another_loop_begins_in_place_or_beside() {
    for place in ["--here", "--worktree"] {
        let world = world();
        stopped(&world, "r", "echo 'X = 1' > helper.py");
        persons_commit(&world);
        let ran = world.loops("s", EMPTIES, &[&ONCE[..], &[place]].concat());
        assert!(ran.err.contains("run `r` left work here that nobody judged"), "{ran:?}");
        was_refused(&world, "s", &ran);
        if place == "--worktree" {
            assert_eq!(world.git(&["show", "piton/s:test_sub.py"]), NEWER);
        }
    }
}

#[test]
fn they_are_guarded_when_a_cycle_begins() {
    let world = world();
    stopped(&world, "r", "echo 'X = 1' > helper.py");
    persons_commit(&world);
    let role = format!(
        r#"if test "$PITON_ROLE" = cd; then {EMPTIES}; fi; printf 'PHASE_RESULT:\n- phase: %s\n- status: completed\n- summary: s\n\n' "$PITON_ROLE""#
    );
    let words = ["cycle", "start", "y", "--id", "c", "--exec", &role];
    let ran = world.piton(&[&words[..], &ONCE].concat());
    was_refused(&world, "c", &ran);
}

#[test]
fn they_are_guarded_after_an_attempt_that_its_provider_cut_short() {
    let world = world();
    let agent = format!(
        r#"if ! test -e helper.py; then echo 'X = 1' > helper.py
        printf '{{"error_class":"overloaded","message":"busy"}}' > "$PITON_REPORT"; exit 1; else {EMPTIES}; fi"#
    );
    world.loops("r", &agent, &[&ONCE[..], &["--detach"]].concat()).exits(0);
    eventually("it waits", || world.piton(&["status", "r"]).out.contains("overloaded"));
    persons_commit(&world);
    let ran = world.piton(&["wait", "r"]);
    was_refused(&world, "r", &ran);
}

/// What another run finished was judged, and what a person edits is theirs: neither goes with what is refused.
#[test]
fn what_is_refused_takes_nothing_else_along() {
    let world = world();
    stopped(&world, "r", "echo 'X = 1' > helper.py");
    world.loops("s", "sed -i 's/return 0/return a + b/' calc.py", &CHECK).exits(0);
    world.write("mine.py", "mine = 1\n");
    let ran = world.loops("t", &format!("{WEAKENS}; {DONE}"), &ONCE);
    assert!(!ran.err.contains("left work here"), "run `s` has judged it: {}", ran.err);
    assert!(ran.out.contains("REFUSED"), "{ran:?}");
    assert_eq!(world.read("test_calc.py"), TESTS);
    assert!(world.read("calc.py").contains("a + b"), "what run `s` finished is gone");
    assert!(world.path("mine.py").exists(), "what the person wrote is gone");
    assert!(world.path("helper.py").exists(), "what run `s` judged is gone");
}

#[test]
fn an_edit_beside_what_was_left_stays_and_one_of_the_same_file_is_named() {
    let world = world();
    stopped(&world, "r", &format!("{WEAKENS}; echo 'X = 1' > helper.py"));
    world.write("mine.py", "mine = 1\n");
    world.write("helper.py", "X = 1\nY = 2\n");
    let ran = world.loops("s", DONE, &ONCE);
    assert!(ran.out.contains("REFUSED"), "{ran:?}");
    assert!(ran.err.contains("`helper.py` changed since"), "{}", ran.err);
    assert_eq!(world.read("test_calc.py"), TESTS);
    assert!(world.path("mine.py").exists() && !world.path("helper.py").exists());
    world.piton(&["restore", "s", "--iteration", "0"]).exits(0);
    assert_eq!(world.read("helper.py"), "X = 1\nY = 2\n");
}

/// What another run judged since is not judged again, and goes with nothing that is refused, when the first one goes on.
#[test]
fn a_run_that_goes_on_after_another_judged_what_it_left_keeps_that() {
    let world = world();
    let agent =
        format!("if ! test -e helper.py; then echo 'X = 1' > helper.py; {WAITS}; else {WEAKENS}; {DONE}; fi");
    world.loops_behind("r", &agent, &ONCE);
    eventually("it left something", || world.path("helper.py").exists());
    world.piton(&["stop", "r", "--now"]).exits(0);
    world.piton(&["wait", "r"]);
    let finishes = "echo 'Y = 2' >> helper.py; sed -i 's/return 0/return a + b/' calc.py";
    world.loops("s", finishes, &CHECK).exits(0);
    world.shell("sed -i 's/return a + b/return a - b/' calc.py").exits(0);
    world.piton(&["resume", "r"]);
    assert_eq!(world.read("test_calc.py"), TESTS, "{}", world.piton(&["log", "r"]).out);
    assert_eq!(world.read("helper.py"), "X = 1\nY = 2\n", "what run `s` judged is gone");
}

/// Whichever command wakes it.
#[test]
fn no_way_leads_back_over_what_another_run_left_since() {
    for word in [&["tell", "r", "go on"][..], &["note", "r", "a note"], &["mode", "r", "unattended"]] {
        let world = world();
        world.loops("r", DONE, &ONCE).exits(3);
        stopped(&world, "s", WEAKENS);
        world.piton(word);
        let ran = world.piton(&["resume", "r", "--max-iterations", "+1"]).exits(4);
        assert!(ran.err.contains("run `s` left work here since that nobody judged"), "{word:?}: {}", ran.err);
        assert_eq!(world.json(&["status", "r"])["iteration"], 1, "{word:?}");
    }
}

#[test]
fn an_answer_does_not_lead_over_what_another_run_left_since() {
    let world = world();
    let asks = format!(
        r#"if test -e asked; then {DONE}; else touch asked; printf '{{"status":"blocked","reason":"what now?"}}' > "$PITON_REPORT"; fi"#
    );
    world.loops("r", &asks, &[&CHECK[..], &["--max-iterations", "3"]].concat()).exits(4);
    stopped(&world, "s", WEAKENS);
    let ran = world.piton(&["answer", "r", "--approve", "--comment", "go"]).exits(4);
    assert!(ran.err.contains("run `s` left work here since that nobody judged"), "{}", ran.err);
    world.piton(&["worker", "--once"]);
    assert_eq!(world.json(&["status", "r"])["iteration"], 1, "it went on");
    world.git(&["checkout", "-q", "test_calc.py"]);
    world.piton(&["resume", "r"]);
    assert_ne!(world.json(&["status", "r"])["iteration"], 1, "it goes on once that is settled");
}

#[test]
fn a_worker_does_not_go_on_over_what_another_run_left_since() {
    let world = world();
    let busy = r#"printf '{"error_class":"overloaded","message":"busy"}' > "$PITON_REPORT"; exit 1"#;
    world.loops("r", busy, &[&ONCE[..], &["--detach"]].concat()).exits(0);
    eventually("it waits", || world.piton(&["status", "r"]).out.contains("overloaded"));
    world.kill_driver("r");
    stopped(&world, "s", WEAKENS);
    let said = world.piton(&["worker", "--once"]);
    let said = format!("{}{}", said.out, said.err);
    assert!(said.contains("run `s` left work here since that nobody judged"), "{said}");
}

#[test]
fn an_extension_does_not_lead_a_cycle_over_what_another_run_left_since() {
    let world = world();
    world.write("calc.py", "def add(a, b):\n    return a + b\n");
    world.commit("right");
    let role = r#"printf 'PHASE_RESULT:\n- phase: %s\n- status: completed\n- summary: s\n\n' "$PITON_ROLE""#;
    let words = ["cycle", "start", "y", "--id", "c", "--max-iterations", "2", "--exec", role];
    world.piton(&[&words[..], &CHECK].concat());
    stopped(&world, "s", WEAKENS);
    let before = world.json(&["status", "c"])["status"].clone();
    let ran = world.piton(&["cycle", "extend", "c", "mend it"]);
    let resumed = world.piton(&["resume", "c"]);
    assert!(ran.code == 4 || resumed.code == 4, "{before}: {ran:?} {resumed:?}");
}

/// A round of checks runs what agents wrote.
#[test]
fn what_a_round_of_checks_left_that_nobody_brought_to_its_end_is_not_judged() {
    let world = world();
    let agent = r#"printf 'import os, time\np = os.path.join(os.environ["BESIDE"], "rounds")\nif "BESIDE" in os.environ and not os.path.exists(p):\n    open(p, "w").close()\n    s = open("test_calc.py").read()\n    open("test_calc.py", "w").write(s.replace("assertEqual(add(2, 3), 5)", "assertIsNotNone(add(2, 3))"))\n    time.sleep(60)\n\n\ndef add(a, b):\n    return 0\n' > calc.py"#;
    world.loops("r", agent, &[&CHECK[..], &["--max-iterations", "2", "--detach"]].concat()).exits(0);
    eventually("the checks write", || world.beside("rounds").exists());
    eventually("the tests are weakened", || world.read("test_calc.py").contains("IsNotNone"));
    world.kill_driver("r");
    world.shell(r#"for d in .piton/attempts/r/check-*; do kill -9 -"$(sed 's/.*"pid": *\([0-9]*\).*/\1/;q' "$d/started.json")"; done; sleep 1; true"#);
    let ran = world.loops("s", DONE, &ONCE);
    assert_ne!(ran.code, 0, "weakened tests won: {ran:?}");
    assert!(ran.code == 5 || ran.err.contains("run `r` left work here that nobody judged"), "{ran:?}");
}

#[test]
fn a_tree_in_which_an_agent_works_is_taken_though_nobody_drives_it() {
    let world = world();
    world.loops_behind("r", WAITS, &CHECK);
    world.kill_driver("r");
    let ran = world.loops("s", DONE, &ONCE).exits(5);
    assert!(ran.err.contains("another run works in this tree"), "{}", ran.err);
    world.open_gate();
    world.piton(&["stop", "r", "--now"]).exits(0);
    world.piton(&["wait", "r"]);
}

/// So that a merge takes nothing back.
#[test]
fn the_branch_of_a_fork_begins_where_its_files_stood() {
    let world = world();
    let stood = world.git(&["rev-parse", "HEAD"]);
    world.loops("r", "echo 'X = 1' > helper.py", &ONCE).exits(3);
    persons_commit(&world);
    world.piton(&["fork", "r", "--id", "f", "--max-iterations", "2"]);
    let base = world.git(&["merge-base", "HEAD", "piton/f"]);
    assert_eq!(base, stood);
    world.shell("git stash -uq; git merge -q --no-edit piton/f").exits(0);
    assert_eq!(world.read("test_sub.py"), NEWER);
}

#[test]
fn what_a_run_calls_secret_when_it_begins_stays_so() {
    let world = world();
    world.configure("[redact]\npatterns = [\"a-word-of-theirs\"]\n");
    world.commit("configured");
    let agent = format!(
        "if ! test -e m; then touch m; : > piton.toml; {WAITS}; else echo 'says a-word-of-theirs'; fi"
    );
    world.loops_behind("r", &agent, &ONCE);
    eventually("it is rewritten", || world.path("m").exists());
    world.piton(&["stop", "r", "--now"]).exits(0);
    world.piton(&["wait", "r"]);
    world.piton(&["resume", "r"]);
    let found = world.shell("grep -rl a-word-of-theirs .piton/attempts/r/*/stdout.log").out;
    assert_eq!(found, "");
    assert!(world.piton(&["output", "r"]).out.contains("says"), "it went on");
}

/// What an agent has committed itself, nobody can commit again: the advice is what settles it.
#[test]
fn the_advice_about_what_was_left_settles_it() {
    let says = "If you looked at it and want it: commit it, or `piton rm r`";
    let other = world();
    stopped(&other, "r", WEAKENS);
    let ran = other.loops("s", DONE, &ONCE);
    assert!(ran.code != 0 && ran.err.contains(says), "{ran:?}");
    for way in ["true", "git reset -q --soft HEAD~; git commit -q -m mine"] {
        let world = world();
        stopped(&world, "r", &format!("{WEAKENS}; git commit -qam weaker"));
        world.shell(way).exits(0);
        let ran = world.loops("s", DONE, &ONCE);
        assert!(ran.code != 0 && ran.err.contains("want it: `piton rm r`"), "{way}: {ran:?}");
        world.piton(&["rm", "s"]).exits(0);
        world.piton(&["rm", "r"]).exits(0);
        world.shell(WEAKENS).exits(0);
        let ran = world.loops("t", DONE, &ONCE);
        assert!(!ran.err.contains("left work") && !ran.out.contains("REFUSED"), "{way}: {ran:?}");
    }
}
