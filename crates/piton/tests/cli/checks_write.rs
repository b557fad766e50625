//! What checks write into the tree: nothing of it lands that nobody judged, and no honest run is refused for it.

use crate::common::{Ran, WAITS, World, eventually};

const TESTS: &str = "\
import unittest
from calc import add


class Calc(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)
        self.assertEqual(add(-1, 1), 0)
";

/// Product code that weakens its tests whenever they import it.
const REWRITES: &str = r#"cat > calc.py <<'END'
import pathlib
for path in pathlib.Path('.').glob('*/*_calc.py'):
    path.write_text(path.read_text().replace('Equal(add(2, 3), 5)', 'IsNotNone(add(2, 3))')
        .replace('Equal(add(-1, 1), 0)', 'IsNotNone(add(-1, 1))'))

def add(a, b):
    return 7
END"#;
const MENDS: &str = "printf 'def add(a, b):\\n    return a + b\\n' > calc.py";

/// The runner imports the product before it reads the tests, as one that measures coverage does.
const CHECK: &str = "test=python3 -B -c 'import calc' && python3 -B -m unittest -q tests.test_calc";

/// A project with a function that is wrong.
fn world() -> World {
    let world = World::outside_git();
    world.shell("mkdir tests && touch tests/__init__.py").exits(0);
    world.write("calc.py", "def add(a, b):\n    return 0\n");
    world.write("tests/test_calc.py", TESTS);
    world.init();
    world
}

fn commit(world: &World, files: &[(&str, &str)]) {
    for (name, text) in files {
        world.write(name, text);
    }
    world.commit("more");
}

/// A loop on a branch of its own, with an agent that does `first` and then `second`.
fn lands(world: &World, first: &str, second: &str, more: &[&str]) -> Ran {
    let agent = format!("case $PITON_ITERATION in\n1) {first}\n;;\n*) {second}\n;; esac");
    world.loops("w", &agent, &[&["--worktree"], more].concat())
}

fn committed(world: &World, file: &str) -> String {
    world.git(&["show", &format!("piton/w:{file}")])
}

fn files(world: &World) -> String {
    world.git(&["ls-tree", "-r", "--name-only", "piton/w"]).lines().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_test_that_a_condition_rewrites_is_not_laid_to_a_check() {
    let world = world();
    let until = "cmd:python3 -B -c 'import calc; raise SystemExit(calc.add(2, 3) != 5)'";
    let more = ["--check", "ok=true", "--until", until, "--max-iterations", "3"];
    let ran = lands(&world, REWRITES, MENDS, &more).exits(0);
    let words = "REFUSED `tests/test_calc.py` was written while checks, conditions to stop or metrics ran";
    assert!(ran.out.contains(words), "{}", ran.out);
    assert_eq!(committed(&world, "tests/test_calc.py"), TESTS);
}

#[test]
fn a_test_that_the_product_rewrites_while_it_is_checked_voids_the_verdict() {
    let world = world();
    let ran = lands(&world, REWRITES, MENDS, &["--check", CHECK]).exits(0);
    insta::assert_snapshot!(ran.out, @"
    run w · exec, fresh session per iteration · worktree ../repo-w, branch piton/w
    baseline  test ✗   tests 0/1   ( T s)
    note      stopping when every check passes
    limits    50 iterations · 8h00m working, waits not counted · 5 without progress · 5 failures in a row
      #1 T s  +6 −1          REFUSED `tests/test_calc.py` was written while the check `test` ran, so its verdict does not count → back to the start, agent told
      #2 T s  +1 −1         test ✓   tests 1/1   no longer failing tests.test_calc.Calc.test_add
    done      the check is green · 2 iterations, T s · 1 refused
    proof     1 probe, 1 mutant, 0 lost; proved by tests.test_calc.Calc.test_add
    result    branch piton/w, 1 commit, nothing merged
    next      piton land w
    ");
    assert_eq!(committed(&world, "tests/test_calc.py"), TESTS);
    assert_eq!(committed(&world, "calc.py"), "def add(a, b):\n    return a + b\n");
    let status = world.json(&["status", "w"]);
    assert_eq!(status["iterations"][0]["refused"], true, "{status:#}");
    let finding = &status["findings"][0];
    assert_eq!(
        (&finding["rule"], &finding["file"]),
        (&"check-writes-test".into(), &"tests/test_calc.py".into())
    );
    let report = world.piton(&["report", "w"]).exits(0).out;
    assert!(report.contains("| 1 | refused |") && report.contains("#1, check-writes-test: "), "{report}");
    let log = world.piton(&["log", "w"]).exits(0).out;
    assert!(
        log.contains("do not count: `tests/test_calc.py` was written while the check `test` ran"),
        "{log}"
    );
}

#[test]
fn so_does_what_nobody_may_change() {
    let world = world();
    commit(&world, &[("budget.txt", "10\n"), ("piton.toml", "[guard]\nprotect = ['budget.txt']\n")]);
    world.piton(&["trust", "--yes"]).exits(0);
    let cheat =
        "printf 'open(\"budget.txt\", \"w\").write(\"99\")\\ndef add(a, b):\\n    return a + b\\n' > calc.py";
    let ran = lands(&world, cheat, MENDS, &["--check", CHECK]).exits(0);
    assert!(ran.out.contains("REFUSED `budget.txt` was written while the check `test` ran"), "{}", ran.out);
    assert_eq!(committed(&world, "budget.txt"), "10\n");
}

#[test]
fn where_it_is_only_reported_it_is_on_record() {
    let world = world();
    world.configure("[guard]\nmode = 'report'\n");
    world.commit("piton");
    lands(&world, REWRITES, MENDS, &["--check", CHECK]).exits(0);
    let status = world.json(&["status", "w"]);
    let found =
        status["findings"].as_array().unwrap().iter().any(|found| found["rule"] == "check-writes-test");
    assert!(found, "{status:#}");
}

/// A round that was stopped, or whose driver died, leaves nothing that the next one takes for given.
#[test]
fn what_a_round_wrote_that_did_not_come_to_its_end_is_not_taken_for_given() {
    for dies in [true, false] {
        let world = world();
        // The check waits for somebody outside, whom no trial would meet.
        world.configure("[guard]\nprove = \"off\"\n");
        let check = format!("{CHECK} && {{ test -e $BESIDE/first || {{ touch $BESIDE/first; {WAITS}; }}; }}");
        let agent = format!("case $PITON_ITERATION in\n1) {REWRITES}\n;;\n*) {MENDS}\n;; esac");
        world.loops("w", &agent, &["--check", &check, "--detach"]).exits(0);
        eventually("the check waits", || world.beside("first").exists());
        assert!(world.read("tests/test_calc.py").contains("assertIsNotNone"));
        if dies {
            world.kill_driver("w");
            world.open_gate();
        } else {
            world.piton(&["stop", "w", "--now"]).exits(0);
            world.piton(&["wait", "w"]);
        }
        let ran = world.piton(&["resume", "w"]).exits(0);
        assert!(ran.out.contains("REFUSED"), "{}", ran.out);
        assert_eq!(world.read("tests/test_calc.py"), TESTS);
    }
}

#[test]
fn a_formatter_among_the_checks_is_welcome_and_what_it_made_is_checked_again() {
    let world = world();
    let format = "fmt=sed -i 's/ *$//' calc.py tests/test_calc.py";
    let agent = "printf 'def add(a, b):   \\n    return a + b  \\n' > calc.py; echo '# more   ' >> tests/test_calc.py";
    let count = "count=echo x >> $BESIDE/rounds";
    let ran = lands(&world, agent, "true", &["--check", format, "--check", CHECK, "--check", count]).exits(0);
    assert!(!ran.out.contains("REFUSED") && ran.out.contains("1 iteration,"), "{}", ran.out);
    assert_eq!(committed(&world, "calc.py"), "def add(a, b):\n    return a + b\n");
    assert_eq!(committed(&world, "tests/test_calc.py"), format!("{TESTS}# more\n"));
    let rounds = std::fs::read_to_string(world.beside("rounds")).unwrap();
    assert_eq!(rounds.lines().count(), 3, "the baseline, and twice what the agent left");
    let log = world.piton(&["log", "w"]).exits(0).out;
    assert!(log.contains("run once more on what they changed: calc.py, tests/test_calc.py"), "{log}");
}

/// Lock files, coverage, logs: whatever the baseline wrote is no work of anybody's.
#[test]
fn what_the_baseline_writes_too_is_put_back_and_in_no_commit() {
    let world = world();
    commit(&world, &[("badge.txt", "none\n"), ("tests/last.log", "none\n")]);
    let writes = "cover=date +%N > badge.txt; date +%N > tests/last.log; mkdir -p cache; date +%N > cache/x; date +%N > .coverage";
    let ran = lands(&world, MENDS, "true", &["--check", writes, "--check", CHECK]).exits(0);
    assert!(!ran.out.contains("REFUSED") && ran.out.contains("1 iteration,"), "{}", ran.out);
    assert_eq!(
        (committed(&world, "badge.txt"), committed(&world, "tests/last.log")),
        ("none\n".into(), "none\n".into())
    );
    assert_eq!(files(&world), "badge.txt calc.py tests/__init__.py tests/last.log tests/test_calc.py");
    let tree = world.beside("repo-w");
    assert_eq!(std::fs::read_to_string(tree.join("badge.txt")).unwrap(), "none\n");
    assert!(tree.join("cache/x").exists(), "what was made stays: it may have taken long");
    assert_eq!(world.count("w", "checks_finished"), 2, "nothing is run twice for it");
}

#[test]
fn what_a_check_makes_is_its_own_until_somebody_changes_it() {
    let world = world();
    let makes = "make=test -e calc.ok && { mkdir -p out; test -e out/a || echo made > out/a; test -e out/b || echo made > out/b; }";
    let first = format!("{MENDS}; touch calc.ok; echo '{{\"status\": \"continue\"}}' > $PITON_REPORT");
    let second = "echo changed > out/b; echo '{\"status\": \"done\"}' > $PITON_REPORT";
    let ran =
        lands(&world, &first, second, &["--check", makes, "--check", CHECK, "--until", "done"]).exits(0);
    assert!(!ran.out.contains("REFUSED") && ran.out.contains("2 commits"), "{}", ran.out);
    assert!(ran.out.contains("note      made by the checks, and not committed: out/a"), "{}", ran.out);
    assert_eq!(files(&world), "calc.ok calc.py out/b tests/__init__.py tests/test_calc.py");
    let report = world.piton(&["report", "w"]).exits(0).out;
    assert!(report.contains("Made by the checks, and not committed: out/a."), "{report}");
}

/// As `jest` does without `--ci`: what a new test gives is recorded beside what is recorded already.
#[test]
fn a_recording_that_is_only_added_to_voids_nothing() {
    let world = world();
    commit(&world, &[("tests/calc.snap", "a = 1\nc = 3\n")]);
    let records = "snap=test ! -e more || grep -q b tests/calc.snap || sed -i '1a b = 2' tests/calc.snap";
    let ran = lands(&world, &format!("{MENDS}; touch more"), "true", &["--check", records, "--check", CHECK])
        .exits(0);
    assert!(!ran.out.contains("REFUSED"), "{}", ran.out);
    assert_eq!(committed(&world, "tests/calc.snap"), "a = 1\nb = 2\nc = 3\n");
    // The first recording of all is committed with the test that it is of.
    let world = self::world();
    let records = "snap=test ! -e more || { mkdir -p tests/__snapshots__; test -e tests/__snapshots__/calc.snap || echo a > tests/__snapshots__/calc.snap; }";
    let ran = lands(&world, &format!("{MENDS}; touch more"), "true", &["--check", records, "--check", CHECK])
        .exits(0);
    assert!(!ran.out.contains("REFUSED"), "{}", ran.out);
    assert_eq!(committed(&world, "tests/__snapshots__/calc.snap"), "a\n");
    // What was recorded and is another now is what a test compares with.
    let world = self::world();
    commit(&world, &[("tests/calc.snap", "a = 1\nc = 3\n")]);
    let bends = "snap=test ! -e more || sed -i 's/a = 1/a = 7/' tests/calc.snap";
    let ran =
        lands(&world, &format!("{MENDS}; touch more"), MENDS, &["--check", bends, "--check", CHECK]).exits(0);
    assert!(
        ran.out.contains("REFUSED `tests/calc.snap` was written while the check `snap` ran"),
        "{}",
        ran.out
    );
}

/// As `insta` does: what a test gave is left beside what it was to give, for whoever looks at it.
#[test]
fn a_recording_that_waits_for_somebody_voids_nothing() {
    let world = world();
    let leaves = "snap=test -e accepted || { echo new > tests/calc.snap.new; false; }";
    let accepts = "rm tests/calc.snap.new; echo new > tests/calc.snap; touch accepted";
    let ran = lands(&world, MENDS, accepts, &["--check", leaves, "--check", CHECK]).exits(0);
    assert!(!ran.out.contains("REFUSED"), "{}", ran.out);
}

/// What tests leave in their own directory whoever runs them, as Python's compiled files: no round is void for it.
#[test]
fn what_any_run_of_the_tests_leaves_beside_them_voids_nothing() {
    let world = world();
    let leaves = "test=test -e begun && date +%N > tests/cache.bin; test -e done";
    let agent = "case $PITON_ITERATION in 1) touch begun; date +%N > tests/cache.bin;; 2) touch more;; *) touch done;; esac";
    let ran = world.loops("w", agent, &["--worktree", "--check", leaves]).exits(0);
    assert!(!ran.out.contains("REFUSED") && ran.out.contains("3 iterations,"), "{}", ran.out);
}

/// Whoever has a check that must write tests says so, and the guard judges them as any other file.
#[test]
fn whoever_wants_checks_to_write_tests_says_so() {
    for (rules, refused) in
        [("", true), ("[guard.rules]\ncheck-writes-test = { off = true, reason = 'generated' }\n", false)]
    {
        let world = world();
        commit(&world, &[("piton.toml", rules)]);
        world.piton(&["trust", "--yes"]).exits(0);
        let writes =
            "gen=test ! -e more || grep -q made tests/test_calc.py || echo '# made' >> tests/test_calc.py";
        let ran =
            lands(&world, &format!("{MENDS}; touch more"), MENDS, &["--check", writes, "--check", CHECK])
                .exits(0);
        assert_eq!(ran.out.contains("REFUSED"), refused, "{}", ran.out);
        assert_eq!(committed(&world, "tests/test_calc.py").contains("made"), !refused);
    }
}

/// A rewritten test is what the agent is told of, and what it can undo by itself.
#[test]
fn the_agent_is_told_what_was_written_and_by_which_check() {
    let world = world();
    lands(&world, REWRITES, &format!("cp $PITON_PROMPT_FILE $BESIDE/prompt; {MENDS}"), &["--check", CHECK])
        .exits(0);
    let prompt = std::fs::read_to_string(world.beside("prompt")).unwrap();
    assert!(prompt.contains("`tests/test_calc.py` was written while the check `test` ran"), "{prompt}");
}

#[test]
fn commits_have_the_author_that_the_run_began_with() {
    let world = world();
    world.shell("git config user.name Ann; git config user.email ann@example.org").exits(0);
    let agent = format!("git config user.name Eve; git config user.email eve@example.org; {MENDS}");
    lands(&world, &agent, "true", &["--check", CHECK]).exits(0);
    assert_eq!(
        world.git(&["log", "-1", "--format=%an %ae %cn %ce", "piton/w"]),
        "Ann ann@example.org Ann ann@example.org\n"
    );
}

#[test]
fn what_python_compiles_anew_voids_nothing() {
    let world = world();
    // Whoever has no ignore file has compiled tests among the files that a run takes along.
    world.shell("python3 -m unittest -q tests.test_calc; test -d tests/__pycache__").exits(0);
    let check = "test=python3 -m unittest -q tests.test_calc";
    // What is compiled is out of date where its source has another time.
    let agent = format!("touch -d '1 hour ago' tests/test_calc.py; {MENDS}");
    let ran = world.loops("w", &agent, &["--worktree", "--check", check]).exits(0);
    assert!(!ran.out.contains("REFUSED"), "{ran:?}");
    assert!(committed(&world, "calc.py").contains("a + b"));
}
