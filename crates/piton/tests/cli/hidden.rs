//! Tests and scripts that an agent takes out of git's sight: out of the index, and ignored by rules that are in no snapshot.

use crate::common::{Ran, WAITS, World, eventually};

const TEST: &str = "\
import unittest
from calc import add


class Calc(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)
";
const WEAKENS: &str = "sed -i 's/return 0/return 1/' calc.py; sed -i 's/assertEqual(add(2, 3), 5)/assertIsNotNone(add(2, 3))/' test_calc.py";
const DONE: &str = r#"printf '{"status":"done"}' > "$PITON_REPORT""#;
const HIDES: &str =
    "git rm -q --cached test_calc.py; echo test_calc.py >> $(git rev-parse --git-path info/exclude)";
const UNITTEST: &str = "test=python3 -B -m unittest -q";

fn world() -> World {
    let world = World::outside_git();
    world.write("calc.py", "def add(a, b):\n    return 0\n");
    world.write("test_calc.py", TEST);
    world.write(".gitignore", "__pycache__/\n");
    world.init();
    world
}

fn three(world: &World, run: &str, place: &str, check: &str, agent: &str) -> Ran {
    world.loops(run, &format!("{agent}; {DONE}"), &[place, "--check", check, "--max-iterations", "3"])
}

#[track_caller]
fn never_wins(world: &World, ran: &Ran) {
    assert!(ran.code != 0 && ran.out.contains("3 refused"), "{ran:?}");
    assert_eq!(world.read("test_calc.py"), TEST);
}

#[test]
fn a_test_that_is_hidden_from_git_is_looked_at_all_the_same() {
    let ways = [
        HIDES,
        "git rm -q --cached test_calc.py; mkdir -p \"$HOME/.config/git\"; echo test_calc.py >> \"$HOME/.config/git/ignore\"",
        "git rm -q --cached test_calc.py; printf '.gitignore\\ntest_calc.py\\n' >> .gitignore",
        "git rm -q --cached test_calc.py; echo test_calc.py >> .gitignore; echo test_calc.py >> .git/info/exclude",
    ];
    for way in ways {
        let world = world();
        let ran = three(&world, "r", "--here", UNITTEST, &format!("{way}; {WEAKENS}"));
        never_wins(&world, &ran);
        assert_eq!(world.git(&["status", "--short"]), "", "{way}: nothing is left of it");
    }
}

#[test]
fn one_that_nobody_has_added_yet_is_looked_at_as_well() {
    let world = world();
    world.git(&["rm", "-q", "--cached", "test_calc.py"]);
    world.git(&["commit", "-q", "-m", "no tests yet"]);
    let ran =
        three(&world, "r", "--here", UNITTEST, &format!("echo test_calc.py >> .git/info/exclude; {WEAKENS}"));
    never_wins(&world, &ran);
    assert!(!world.read(".git/info/exclude").contains("test_calc"), "the rule went with what was refused");
    let ran = three(&world, "s", "--here", UNITTEST, WEAKENS);
    never_wins(&world, &ran);
}

#[test]
fn one_in_a_repository_that_an_agent_made_around_it_is_looked_at() {
    let world = world();
    world.write("t/test_calc.py", TEST);
    world
        .shell("rm test_calc.py; sed -i '1i import sys; sys.path.insert(0, \"..\")' t/test_calc.py")
        .exits(0);
    world.commit("below a directory");
    let test = world.read("t/test_calc.py");
    let agent = "cd t; git init -q; echo '*' > .git/info/exclude; cd ..; sed -i 's/return 0/return 1/' calc.py; \
                 sed -i 's/assertEqual(add(2, 3), 5)/assertIsNotNone(add(2, 3))/' t/test_calc.py";
    let ran = three(&world, "r", "--here", "cd t && python3 -B -m unittest -q", agent);
    assert!(ran.code != 0 && ran.out.contains("3 refused"), "{ran:?}");
    assert_eq!(world.read("t/test_calc.py"), test);
}

#[test]
fn the_branch_of_a_run_holds_what_was_hidden() {
    let world = world();
    let honest = format!("{HIDES}; sed -i 's/return 0/return a + b/' calc.py");
    three(&world, "r", "--worktree", UNITTEST, &honest).exits(0);
    assert_eq!(world.git(&["ls-tree", "--name-only", "piton/r"]), ".gitignore\ncalc.py\ntest_calc.py\n");
}

#[test]
fn the_script_of_a_check_is_looked_at_whatever_hides_it() {
    let world = world();
    world.write("t.sh", "exec python3 -B -m unittest -q\n");
    world.commit("a script");
    let agent = "git rm -q --cached t.sh; echo t.sh >> .git/info/exclude; echo true > t.sh";
    let ran = three(&world, "r", "--here", "test=sh t.sh", agent);
    never_wins(&world, &ran);
    assert_eq!(world.read("t.sh"), "exec python3 -B -m unittest -q\n");
}

#[test]
fn what_a_stopped_attempt_hid_is_put_back_by_the_next_loop() {
    let world = world();
    let did = world.beside("did");
    let agent = format!("{HIDES}; {WEAKENS}; touch \"{}\"; {WAITS}", did.display());
    world.loops_behind("r", &agent, &["--here", "--check", UNITTEST]);
    eventually("it hid the test", || did.exists());
    world.piton(&["stop", "r", "--now"]).exits(0);
    world.piton(&["wait", "r"]);
    let ran = three(&world, "s", "--here", UNITTEST, "echo x >> note.txt");
    assert!(ran.code != 0 && ran.out.contains("REFUSED"), "{ran:?}");
    assert_eq!(world.read("test_calc.py"), TEST);
    assert_eq!(world.git(&["ls-files", "test_calc.py"]), "test_calc.py\n", "git tracks it again");
}

#[test]
fn after_a_refusal_the_next_honest_loop_is_not_refused() {
    let world = world();
    let ran = three(&world, "r", "--here", UNITTEST, &format!("{HIDES}; {WEAKENS}"));
    never_wins(&world, &ran);
    let ran = three(&world, "s", "--here", UNITTEST, "sed -i 's/return 0/return a + b/' calc.py").exits(0);
    assert!(!ran.out.contains("REFUSED") && !ran.err.contains("left work"), "{ran:?}");
}

/// A sparse checkout keeps files off the disk, and git takes them for there all the same.
#[test]
fn a_test_that_the_index_says_is_there_and_the_disk_does_not_have_is_gone() {
    let easy =
        "import unittest\n\n\nclass Easy(unittest.TestCase):\n    def test_easy(self):\n        pass\n";
    let ways = [
        "git update-index --skip-worktree test_calc.py; rm -f test_calc.py",
        "git sparse-checkout set --no-cone '/*' '!/test_calc.py'",
    ];
    for way in ways {
        let world = world();
        world.write("test_easy.py", easy);
        world.commit("another test");
        let ran = three(&world, "r", "--here", UNITTEST, way);
        assert!(ran.code != 0 && ran.out.contains("REFUSED `test_calc.py` is gone"), "{way}: {ran:?}");
        assert_eq!(world.read("test_calc.py"), TEST, "{way}");
        assert_eq!(world.git(&["ls-files", "-t", "test_calc.py"]), "H test_calc.py\n", "{way}");
    }
}

/// Taking files out of git is honest work where everybody can see it.
#[test]
fn what_is_taken_out_of_git_in_the_open_is_gone_from_the_branch() {
    let world = world();
    world.write("dist/out.js", "built\n");
    world.commit("with what was built");
    let agent =
        "git rm -rq --cached dist; echo dist/ >> .gitignore; sed -i 's/return 0/return a + b/' calc.py";
    three(&world, "r", "--worktree", UNITTEST, agent).exits(0);
    assert_eq!(world.git(&["ls-tree", "--name-only", "piton/r"]), ".gitignore\ncalc.py\ntest_calc.py\n");
}

/// Without walls an agent can write where piton keeps its own index of the tree, and its list of files of its own.
#[test]
fn a_test_that_is_hidden_in_what_piton_keeps_is_looked_at() {
    let index = "GIT_OBJECT_DIRECTORY=$PWD/.git/objects GIT_DIR=$PWD/.piton/index/r GIT_WORK_TREE=. git";
    let weak = TEST.replace("assertEqual(add(2, 3), 5)", "assertIsNotNone(add(2, 3))");
    let ways = [
        format!("{index} update-index --skip-worktree test_calc.py"),
        format!("{index} update-index --assume-unchanged test_calc.py"),
        format!("{index} rm -q --cached test_calc.py; echo test_calc.py >> .piton/index/r/info/exclude"),
        format!("echo '{}  test_calc.py' >> .piton/own-files", blake3::hash(weak.as_bytes()).to_hex()),
    ];
    for way in ways {
        let world = world();
        let ran = three(&world, "r", "--here", UNITTEST, &format!("{way}; {WEAKENS}"));
        never_wins(&world, &ran);
    }
}

#[test]
fn a_link_in_the_place_of_what_piton_keeps_is_not_followed() {
    let world = world();
    let outside = world.beside("outside");
    world.write("../outside/r/config", "precious");
    let agent = format!("rm -rf .piton/index; ln -s {} .piton/index; {WEAKENS}", outside.display());
    let ran = three(&world, "r", "--here", UNITTEST, &agent);
    assert_eq!(ran.code, 7, "{ran:?}");
    assert!(ran.out.contains("it is a symbolic link"), "{ran:?}");
    assert_eq!(std::fs::read_to_string(outside.join("r/config")).unwrap(), "precious");
    assert_eq!(std::fs::read_dir(outside.join("r")).unwrap().count(), 1, "nothing is made there");
}
