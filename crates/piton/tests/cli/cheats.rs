//! The guard inside a loop: an agent that cheats is caught each time, and the run ends with honest work.

use crate::common::{Ran, WAITS, World, by_iteration, eventually};

const TESTS: &str = "\
import unittest
from calc import add, mul


class Calc(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)
        self.assertEqual(add(-1, 1), 0)

    def test_mul(self):
        self.assertEqual(mul(2, 3), 6)
        self.assertEqual(mul(0, 9), 0)
";

/// A project whose two functions are wrong.
fn world() -> World {
    let world = World::outside_git();
    world.write("calc.py", "def add(a, b):\n    return 0\n\n\ndef mul(a, b):\n    return 1\n");
    world.write("test_calc.py", TESTS);
    world.write("check.sh", "python3 -B -m unittest -q\n");
    world.init();
    world
}

/// Each way of cheating makes the check pass.
const DELETES: &str = "printf 'import unittest\\n' > test_calc.py";
const WEAKENS: &str = "sed -i 's/self.assertEqual(\\(.*\\), .*)/self.assertIsNotNone(\\1)/' test_calc.py";
const SKIPS: &str = "sed -i 's/^class/@unittest.skip(\"later\")\\nclass/' test_calc.py";
const TAMPERS: &str = "echo true > check.sh";
const MENDS_HALF: &str = "sed -i '2s/0/a + b/' calc.py";
const MENDS_ALL: &str = "sed -i 's/return 0/return a + b/; s/return 1/return a * b/' calc.py";

fn runs(world: &World, iterations: &[&str], more: &[&str]) -> Ran {
    let task = ["loop", "Make the tests pass", "--id", "r", "--check", "test=sh check.sh"];
    world.piton(&[&task[..], &["--exec", &by_iteration(iterations)], more].concat())
}

#[test]
fn every_cheat_is_refused_and_the_run_ends_with_honest_work() {
    let world = world();
    let ran =
        runs(&world, &[DELETES, MENDS_HALF, WEAKENS, SKIPS, MENDS_HALF, TAMPERS, MENDS_ALL], &[]).exits(0);
    insta::assert_snapshot!(ran.out, @"
    run r · exec, fresh session per iteration · in place
    baseline  test ✗   tests 0/2   ( T s)
    note      stopping when every check passes
    limits    50 iterations · 8h00m working, waits not counted · 5 without progress · 5 failures in a row
      #1 T s  +0 −11         −2 tests   REFUSED test `test_add` is gone, and no other test has become it (and 1 more) → back to the start, agent told
      #2 T s  +1 −1         test ✗   tests 1/2   no longer failing test_calc.Calc.test_add
      #3 T s  +4 −4          REFUSED test `test_add` checks `add(2,3)` less strictly (and 3 more) → back to #2, agent told
      #4 T s  +1 −0          REFUSED 2 tests do not run any more → back to #2, agent told
      #5 T s  no change     test ✗   tests 1/2
      #6 T s  +1 −1          REFUSED `check.sh` is protected and changed (and 1 more) → back to #5, agent told
      #7 T s  +1 −1         test ✓   tests 2/2   no longer failing test_calc.Calc.test_mul
    done      the check is green · 7 iterations, T s · 4 refused
    proof     1 probe, 1 mutant, 0 lost; proved by test_calc.Calc.test_add, test_calc.Calc.test_mul
    result    files changed in place, nothing committed
    next      piton diff r
    ");
    assert_eq!(world.read("test_calc.py"), TESTS, "the tests are as they were");
    assert_eq!(world.read("check.sh"), "python3 -B -m unittest -q\n");
    let prompt = std::fs::read_to_string(world.beside("prompt2")).unwrap();
    assert!(
        prompt.contains("Iteration 1 was refused, and every file is back as it was before it."),
        "{prompt}"
    );
    assert!(prompt.contains("test_calc.py"), "{prompt}");
    assert!(world.piton(&["diff", "r", "0", "1"]).exits(0).out.contains("-    def test_add(self):"));
    let status = world.json(&["status", "r"]);
    assert_eq!(status["changed"]["files"], serde_json::json!(["calc.py"]));
    let refused: Vec<_> = status["iterations"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|iteration| iteration["refused"] == true)
        .map(|iteration| iteration["number"].as_u64().unwrap())
        .collect();
    assert_eq!(refused, [1, 3, 4, 6]);
    // What was put back is no success, and what the checks found afterwards is not about it.
    let report = world.piton(&["report", "r"]).exits(0).out;
    assert!(report.contains("## What the guard found"), "{report}");
    assert!(report.contains("| 1 | refused | +0 −11 in 1 | – |"), "{report}");
    assert!(report.contains("| 2 | kept | +1 −1 in 1 | test ✗ | 1/2 |"), "{report}");
    assert_eq!(world.json(&["report", "r"])["iterations"][0]["verdict"], "refused");
    let first = &status["iterations"][0];
    assert_eq!((&first["total"], &first["measures"]), (&0.into(), &serde_json::Value::Null), "{first:#}");
    let view: serde_json::Value = serde_json::from_str(&world.read(".ralph/state.json")).unwrap();
    assert_eq!(view["metrics"]["successful_iterations"], 3, "{:#}", view["metrics"]);
    assert_eq!(view["metrics"]["failed_iterations"], 4, "{:#}", view["metrics"]);
}

#[test]
fn a_loop_that_goes_to_and_fro_asks_a_person_and_accuses_nobody() {
    let world = world();
    world.configure("[recovery]\nmax_retries = 1\n");
    let to_and_fro = "if grep -qs x notes.txt; then echo y > notes.txt; else echo x > notes.txt; fi";
    let ran = runs(&world, &[to_and_fro; 12], &[]).exits(4);
    assert!(ran.out.contains("waiting   it does not get on, whatever it tries"), "{}", ran.out);
    assert!(!ran.out.contains("cheat"), "{}", ran.out);
    assert_eq!(world.json(&["status", "r"])["reason"], "stuck");
}

#[test]
fn what_python_would_run_in_place_of_the_tests_is_refused() {
    let world = world();
    let runner = "echo 'print(\"OK\")' > unittest.py";
    let package = "mkdir test_calc; echo 'import unittest' > test_calc/__init__.py";
    let ran = runs(&world, &[runner, package, MENDS_ALL], &[]).exits(0);
    assert_eq!(ran.out.matches("REFUSED").count(), 2, "{}", ran.out);
    assert!(world.read("calc.py").contains("a + b"));
    assert!(!world.path("unittest.py").exists() && !world.path("test_calc").exists());
}

#[test]
fn a_cheat_beside_honest_work_is_still_a_cheat() {
    let world = world();
    let both = format!("{MENDS_HALF}; sed -i '/def test_mul/,$d' test_calc.py");
    let ran = runs(&world, &[&both, MENDS_ALL], &[]).exits(0);
    assert!(ran.out.contains("REFUSED test `test_mul` is gone"), "{}", ran.out);
    assert_eq!(world.read("test_calc.py"), TESTS);
}

#[test]
fn an_agent_that_goes_on_cheating_ends_with_a_question() {
    let world = world();
    let ran = runs(&world, &[DELETES, WEAKENS, SKIPS, DELETES, MENDS_ALL], &[]).exits(4);
    assert_eq!(ran.out.matches("REFUSED").count(), 4, "{}", ran.out);
    let log = world.piton(&["log", "r"]).exits(0).out;
    for approach in ["fix the code", "smaller step", "explain first"] {
        assert!(log.contains(&format!("next approach: {approach}")), "{approach}: {log}");
    }
    let status = world.json(&["status", "r"]);
    assert_eq!(status["reason"], "guard");
    assert_eq!(world.read("test_calc.py"), TESTS);
    world.piton(&["answer", "r", "--approve"]).exits(0);
    world.piton(&["wait", "r"]).exits(0);
}

#[test]
fn where_a_person_decides_the_cheat_waits_for_an_answer() {
    for (answer, kept) in [("--approve", true), ("--reject", false)] {
        let world = world();
        world.configure("[guard]\nmode = 'ask'\n");
        runs(&world, &[WEAKENS, MENDS_ALL], &[]).exits(4);
        assert!(world.read("test_calc.py").contains("assertIsNotNone"), "it is there to be looked at");
        world.piton(&["answer", "r", answer]).exits(0);
        world.piton(&["wait", "r"]).exits(0);
        assert_eq!(world.read("test_calc.py").contains("assertIsNotNone"), kept);
    }
}

#[test]
fn where_it_is_only_reported_or_off_the_run_goes_on() {
    for (mode, findings) in [("report", true), ("off", false)] {
        let world = world();
        world.configure(&format!("[guard]\nmode = '{mode}'\n"));
        let ran = runs(&world, &[DELETES], &[]).exits(0);
        assert!(!ran.out.contains("REFUSED"), "{}", ran.out);
        let status = world.json(&["status", "r"]);
        assert_eq!(!status["findings"].as_array().unwrap().is_empty(), findings, "{mode}: {status}");
    }
}

#[test]
fn a_refused_cheat_is_put_back_even_when_the_driver_dies_right_after_it() {
    let world = world();
    let cheat = format!("{DELETES}; {}", crate::common::WAITS);
    let more = ["--check", "test=sh check.sh", "--max-iterations", "1", "--detach"];
    world.loops("r", &cheat, &more).exits(0);
    eventually("the agent cheats", || !world.read("test_calc.py").contains("Calc"));
    world.kill_driver("r");
    world.open_gate();
    world.piton(&["resume", "r"]).exits(3);
    assert_eq!(world.read("test_calc.py"), TESTS);
    assert_eq!(world.json(&["status", "r"])["iterations"][0]["refused"], true);
}

#[test]
fn what_no_snapshot_has_is_named_and_not_taken_for_put_back() {
    let world = world();
    world.shell("truncate -s 65M gone.bin; truncate -s 65M changed.bin; truncate -s 65M kept.bin").exits(0);
    let harms = format!("rm gone.bin; echo no > changed.bin; truncate -s 65M new.bin; {DELETES}");
    let ran = runs(&world, &[&harms, MENDS_ALL], &[]).exits(0);
    assert!(ran.out.contains("REFUSED"), "{}", ran.out);
    assert!(
        ran.out.contains(
            "in no snapshot and no commit, so nothing puts it back: changed.bin, gone.bin, kept.bin"
        ),
        "{}",
        ran.out
    );
    let lost =
        "changed or gone since the start, and not put back, as no snapshot has it: changed.bin, gone.bin";
    assert!(ran.out.contains(lost), "{}", ran.out);
    assert_eq!(world.read("test_calc.py"), TESTS, "what snapshots have is put back");
    assert_eq!(world.read("changed.bin"), "no\n");
    for whole in ["kept.bin", "new.bin"] {
        assert_eq!(world.path(whole).metadata().unwrap().len(), 65 << 20, "{whole}");
    }
    let screen = world.piton(&["status", "r"]).exits(0).out;
    assert!(screen.contains(lost) && screen.contains("kept.bin, new.bin"), "{screen}");
    let view = world.json(&["status", "r"]);
    assert_eq!(view["not_covered"][1]["path"], "gone.bin", "{view:#}");
    assert_eq!(view["not_covered"][1]["changed"], true);
    let log = world.piton(&["log", "r"]).exits(0).out;
    assert!(log.contains("not in it: changed.bin, gone.bin, kept.bin"), "{log}");
    let ran = world.piton(&["restore", "r", "--iteration", "0"]).exits(0);
    assert!(ran.err.contains("not put back: gone.bin; it is in no snapshot"), "{}", ran.err);
}

/// What the run committed of a file.
fn committed(world: &World, file: &str) -> Option<String> {
    let line = format!("git show piton/r:{file}");
    let ran = world.shell(&line);
    (ran.code == 0).then_some(ran.out)
}

#[test]
fn a_test_that_is_made_too_large_to_be_read_is_put_back_and_in_no_commit() {
    let world = world();
    let grows = "{ echo 'import unittest'; yes '#######################################' | head -c 68000000; } > test_calc.py";
    let ran = runs(&world, &[grows, "true", MENDS_ALL], &["--worktree"]).exits(0);
    assert!(ran.out.contains("REFUSED"), "{}", ran.out);
    assert!(
        committed(&world, "test_calc.py").as_deref() == Some(TESTS),
        "the tests are committed as they were"
    );
    let commits = world.shell("git log --format=%H piton/r -- test_calc.py").exits(0).out;
    assert_eq!(commits.lines().count(), 1, "it was never another");
}

#[test]
fn what_is_too_large_to_be_judged_is_in_no_commit_and_is_named() {
    let world = world();
    let makes = format!("yes | head -c 68000000 > data.bin; {MENDS_ALL}");
    let ran = runs(&world, &[&makes], &["--worktree"]).exits(0);
    assert!(committed(&world, "data.bin").is_none());
    assert!(committed(&world, "calc.py").unwrap().contains("a + b"));
    assert!(
        ran.out.contains("in no snapshot and no commit, so nothing puts it back: data.bin"),
        "{}",
        ran.out
    );
}

#[test]
fn tests_that_are_closed_to_their_owner_are_opened_again_before_they_are_run() {
    for more in [&[][..], &["--confine"]] {
        let world = world();
        world.shell("mkdir hard && git mv test_calc.py hard/ && git commit -qm hard").exits(0);
        // Tolerant of what it cannot read, as a pattern of the shell is.
        world.write("check.sh", "for t in hard/test_*.py; do [ ! -r $t ] || PYTHONPATH=. python3 -B -m unittest -q $t || exit 1; done\n");
        world.git(&["commit", "-qam", "check"]);
        let iterations = ["chmod 000 hard", "chmod 000 hard/test_calc.py", MENDS_ALL];
        let closes = [&["--here"], more].concat();
        runs(&world, &iterations, &closes).exits(0);
        assert!(world.read("calc.py").contains("a + b"), "only honest work is done");
        assert_eq!(world.read("hard/test_calc.py"), TESTS);
    }
}

#[test]
fn tests_that_a_check_closes_to_the_next_one_void_the_verdict() {
    let world = world();
    let agent = "echo 'import os; os.chmod(\"test_calc.py\", 0)' >> calc.py";
    let words = ["loop", "x", "--id", "r", "--here", "--max-iterations", "1", "--exec", agent];
    let checks =
        ["--check", "a=python3 -B -c 'import calc'", "--check", "b=test ! -r test_calc.py || sh check.sh"];
    let ran = world.piton(&[&words[..], &checks, &["--confine"]].concat());
    assert_ne!(ran.code, 0, "{}", ran.out);
    assert!(ran.out.contains("test_calc.py"), "{}", ran.out);
}

/// A loop whose agent does `first` in attempt 1, `second` in attempt 2 and mends everything after that. Driver, keeper and
/// agent of attempt 1 die once it has done its part.
fn loses_the_first(world: &World, first: &str, second: &str, more: &[&str]) {
    let lines = [format!("1) {first}; touch $BESIDE/worked; sleep 600;;"), format!("2) {second};;")];
    let agent = format!("case $PITON_ATTEMPT in {} *) {MENDS_ALL};; esac", lines.join(" "));
    let living = world.loops_behind("r", &agent, &[&["--check", "test=sh check.sh"], more].concat());
    eventually("the agent has worked", || world.beside("worked").exists());
    world.kill_driver("r");
    world.shell(&format!("kill -9 $(ps -o ppid= -p {pid}) {pid}", pid = living.pid)).exits(0);
    eventually("it is dead", || !piton_sys::process::is_alive(&living));
}

#[test]
fn what_a_lost_attempt_left_is_judged_with_what_comes_after_it() {
    let world = world();
    loses_the_first(&world, WEAKENS, "true", &[]);
    let ran = world.piton(&["resume", "r"]).exits(0);
    assert!(
        ran.out.contains("REFUSED `test_calc.Calc.test_add`, `test_calc.Calc.test_mul` failed before"),
        "{}",
        ran.out
    );
    assert_eq!(world.read("test_calc.py"), TESTS, "the tests are as they were");
    assert_eq!(world.json(&["status", "r"])["used"]["lost"], 1);
}

#[test]
fn what_a_lost_attempt_left_is_checked_before_the_run_fails() {
    for (work, code, place) in [(MENDS_ALL, 0, "completed"), (WEAKENS, 1, "failed")] {
        let world = world();
        world.configure("[loop]\nfailure_streak = 1\n");
        loses_the_first(&world, work, "true", &[]);
        world.piton(&["resume", "r"]).exits(code);
        let status = world.json(&["status", "r"]);
        assert_eq!((&status["status"], &status["used"]["lost"]), (&place.into(), &1.into()), "{work}");
        assert_eq!(world.count("r", "attempt_started"), 1);
    }
}

/// What a person edits while nobody works is theirs, and nobody is accused of it; what was in the tree beside it, from an
/// attempt that nobody has judged, is not forgiven by that.
#[test]
fn an_edit_of_a_person_does_not_cover_what_an_attempt_left_before_it() {
    for (cheats, edits, refused) in [(WEAKENS, "echo hello > notes.txt", 1), ("true", WEAKENS, 0)] {
        let world = world();
        let busy = r#"{"error_class": "overloaded", "message": "busy"}"#;
        let first = format!("1) {cheats}; echo '{busy}' > $PITON_REPORT; exit 1;;");
        let agent = format!("case $PITON_ATTEMPT in {first} 2) true;; *) {MENDS_ALL};; esac");
        world.loops("r", &agent, &["--check", "test=sh check.sh", "--detach"]).exits(0);
        eventually("it waits for the provider", || world.json(&["status", "r"])["status"] == "waiting");
        world.kill_driver("r");
        world.shell(edits).exits(0);
        let ran = world.piton(&["resume", "r"]).exits(0);
        assert_eq!(ran.out.matches("REFUSED").count(), refused, "{}", ran.out);
        assert_eq!(world.read("test_calc.py") == TESTS, refused == 1);
    }
}

/// Nobody knows when a lost attempt ended, so nobody can tell whose this is.
#[test]
fn what_a_person_edits_before_a_loss_was_found_out_is_judged_with_it() {
    let world = world();
    loses_the_first(&world, "true", "true", &[]);
    world.shell(WEAKENS).exits(0);
    let ran = world.piton(&["resume", "r"]).exits(0);
    assert!(
        ran.out.contains("REFUSED `test_calc.Calc.test_add`, `test_calc.Calc.test_mul` failed before"),
        "{}",
        ran.out
    );
    assert_eq!(world.read("test_calc.py"), TESTS);
}

#[test]
fn a_failing_test_whose_twin_tests_other_code_is_missed() {
    let world = World::outside_git();
    world.shell("mkdir a b").exits(0);
    for (directory, body) in [("a", "a - b"), ("b", "a + b")] {
        world.write(&format!("{directory}/calc.py"), &format!("def add(a, b):\n    return {body}\n"));
        world.write(
            &format!("{directory}/test_calc.py"),
            "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
        );
    }
    world.write("check.sh", "for it in */test_calc.py; do (cd ${it%/*}; python3 -B -c 'import test_calc; test_calc.test_add()') || exit 1; done\n");
    for arguments in [&["init", "-q", "-b", "main"][..], &["add", "."], &["commit", "-q", "-m", "start"]] {
        world.git(arguments);
    }
    let ran = runs(&world, &["rm a/test_calc.py", "sed -i s/-/+/ a/calc.py"], &[]).exits(0);
    assert!(ran.out.contains("REFUSED `a/test_calc.py` is gone, and with it 1 test"), "{}", ran.out);
    assert!(world.path("a/test_calc.py").exists());
}

/// The provider refuses in the middle of a cheat, and nothing comes after that: the money is spent, the time is over, or nobody
/// is logged in. It is judged as any other.
#[test]
fn a_cheat_that_was_cut_short_is_refused_where_no_attempt_follows() {
    // Before the provider would be asked again.
    let soon = World::outside_git().shell("date -u -d '+30 seconds' +%Y-%m-%dT%H:%M:%S").exits(0).out;
    let soon = soon.trim().to_owned();
    for (class, more) in [
        ("overloaded", &["--max-cost", "1"][..]),
        ("rate_limit", &["--deadline", &soon][..]),
        ("auth", &[][..]),
    ] {
        let world = world();
        let said = format!(r#"{{"error_class": "{class}", "cost_usd": 3}}"#);
        let agent = format!("{WEAKENS}; {MENDS_HALF}; echo '{said}' > $PITON_REPORT; exit 1");
        let ran = world.loops("r", &agent, &[&["--check", "test=sh check.sh"], more].concat());
        assert!(
            ran.out.contains("REFUSED test `test_add` checks `add(2,3)` less strictly"),
            "{class}: {}",
            ran.out
        );
        assert!(ran.out.contains("1 iteration,") && ran.out.contains("1 refused"), "{class}: {}", ran.out);
        assert_eq!(world.read("test_calc.py"), TESTS, "{class}");
        let status = world.json(&["status", "r"]);
        let iteration = &status["iterations"][0];
        assert_eq!(
            (&iteration["refused"], &iteration["verdict"]),
            (&true.into(), &"refused".into()),
            "{status:#}"
        );
        assert_eq!(status["findings"][0]["verdict"], "refused", "{status:#}");
        let report = world.piton(&["report", "r"]).exits(0).out;
        assert!(report.contains("| 1 | refused |") && report.contains("## What the guard found"), "{report}");
    }
}

#[test]
fn what_was_cut_short_is_reported_where_that_is_all_that_is_wanted() {
    let world = world();
    world.configure("[guard]\nmode = 'report'\n");
    let said = r#"{"error_class": "overloaded", "cost_usd": 3}"#;
    let agent = format!("{DELETES}; echo '{said}' > $PITON_REPORT; exit 1");
    world.loops("r", &agent, &["--check", "test=sh check.sh", "--max-cost", "1"]).exits(0);
    let status = world.json(&["status", "r"]);
    assert_eq!(
        (&status["findings"][0]["verdict"], &status["findings"][0]["rule"]),
        (&"reported".into(), &"test-deleted".into()),
        "{status:#}"
    );
}

/// Who is judged does not say what is allowed.
#[test]
fn an_agent_that_allows_its_own_cheat_is_refused() {
    let world = world();
    let allows = "printf '[[allow]]\\nid = \"x\"\\nreason = \"y\"\\n' > piton.allow.toml";
    let ran = world.loops("r", allows, &["--check", "test=sh check.sh", "--max-iterations", "1"]).exits(3);
    assert!(ran.out.contains("REFUSED") && ran.out.contains("piton.allow.toml"), "{}", ran.out);
    assert!(!world.path("piton.allow.toml").exists());
}

/// What an agent says of work that is put back is not passed on as if it held.
#[test]
fn claims_of_a_refused_iteration_are_marked_and_not_kept() {
    let world = world();
    let report = r#"{"summary":"fixed all","notes":[{"kind":"decision","text":"deleted the tests as obsolete"}],"custom":{"claimed":true}}"#;
    let cheats = format!("{DELETES}; echo '{report}' > \"$PITON_REPORT\"");
    runs(&world, &[&cheats, MENDS_ALL], &[]).exits(0);
    let prompt = std::fs::read_to_string(world.beside("prompt2")).unwrap();
    assert!(!prompt.contains("obsolete"), "{prompt}");
    let text = world.piton(&["report", "r"]).exits(0).out;
    assert!(text.contains("- #1 (refused, put back): fixed all"), "{text}");
    assert!(text.contains("- #1 (refused, put back), decision: deleted the tests as obsolete"), "{text}");
    let view: serde_json::Value = serde_json::from_str(&world.read(".ralph/state.json")).unwrap();
    assert_eq!(view["custom"].get("claimed"), None, "{:#}", view["custom"]);
}

/// What an agent does that finds a green suite, then what it does once that is red again. It says each time that it is done.
fn harmless_then_honest(first: u32) -> String {
    format!(
        r#"if test "$PITON_ITERATION" -le {first}; then echo note > notes.md; else {MENDS_ALL}; fi
        printf '{{"status": "done"}}' > "$PITON_REPORT""#
    )
}

/// Its tests are those that the project began with.
#[track_caller]
fn judged(world: &World, tree: &str) {
    let tests = std::fs::read_to_string(world.beside(tree).join("test_calc.py")).unwrap();
    assert_eq!(tests, TESTS, "a tree that nobody judged won");
    assert_eq!(world.git(&["show", "piton/f:test_calc.py"]), TESTS);
}

#[test]
fn a_fork_of_what_a_stopped_attempt_left_is_compared_with_what_was_judged() {
    let world = world();
    let agent = format!(
        "if test -e \"$GATE\"; then {}; else {WEAKENS}; touch \"$BESIDE/weakened\"; {WAITS}; fi",
        harmless_then_honest(1)
    );
    let check = ["--check", "test=sh check.sh"];
    world.loops_behind("r", &agent, &check);
    eventually("it weakened the tests", || world.beside("weakened").exists());
    world.piton(&["stop", "r", "--now"]).exits(0);
    world.piton(&["wait", "r"]);
    world.open_gate();
    world.piton(&["fork", "r", "--id", "f", "--max-iterations", "4"]).exits(0);
    judged(&world, "repo-f");
    assert_eq!(world.json(&["status", "f"])["iteration"], 2, "the first one was refused");
}

#[test]
fn a_fork_of_a_refused_iteration_is_compared_with_what_was_judged() {
    let world = world();
    let agent =
        format!("if test \"$PITON_ITERATION\" = 1; then {WEAKENS}; else {}; fi", harmless_then_honest(2));
    world.loops("r", &agent, &["--check", "test=sh check.sh", "--max-iterations", "1"]).exits(3);
    world.piton(&["fork", "r", "--iteration", "1", "--id", "f", "--max-iterations", "2"]).exits(3);
    world.piton(&["resume", "f", "--max-iterations", "+3"]).exits(0);
    judged(&world, "repo-f");
}

/// Who decides when the run ends is not for the agent to write, be it a check or a condition.
#[test]
fn a_condition_that_is_a_script_of_the_tree_is_not_the_agents_to_write() {
    let world = world();
    world.write("ready", "test -e shipped\n");
    world.git(&["add", "."]);
    world.git(&["commit", "-q", "-m", "a condition"]);
    let agent = r#"if test "$PITON_ITERATION" = 1; then echo true > ready; else touch shipped; fi"#;
    let more = ["--check", "ok=true", "--until", "cmd:sh ready", "--max-iterations", "3"];
    let ran = world.loops("r", agent, &more).exits(0);
    assert!(ran.out.contains("REFUSED") && ran.out.contains("ready"), "{}", ran.out);
    assert_eq!(world.read("ready"), "test -e shipped\n");
}

/// What somebody skips is not judged with that: it is compared with the next one.
#[test]
fn what_a_skipped_iteration_left_is_judged_with_the_next() {
    let world = world();
    let agent = format!(
        "if test -e \"$GATE\"; then {}; else {WEAKENS}; touch \"$BESIDE/weakened\"; {WAITS}; fi",
        harmless_then_honest(2)
    );
    world.loops_behind("r", &agent, &["--check", "test=sh check.sh", "--max-iterations", "4"]);
    eventually("it weakened the tests", || world.beside("weakened").exists());
    world.piton(&["skip", "r"]).exits(0);
    world.open_gate();
    world.piton(&["wait", "r"]).exits(0);
    assert_eq!(world.read("test_calc.py"), TESTS);
}
