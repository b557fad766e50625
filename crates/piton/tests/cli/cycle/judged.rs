//! What counts as well, and what is nobody's to lose: through the real binary.

use super::{count, start, state, world};
use crate::common::{World, eventually};

fn commit(world: &World) {
    world.shell("git add -A && git -c user.name=a -c user.email=a@b commit -qm before").exits(0);
}

#[test]
fn what_a_person_edits_while_checks_run_is_named_and_comes_back() {
    let world = world();
    world.write("READ ME", "one\n");
    commit(&world);
    let check = "slow=touch count.begun; while ! test -f count.go; do sleep 0.05; done";
    start(&world, 1, &["--check", check, "--detach"]).exits(0);
    eventually("the checks run", || world.path("count.begun").exists());
    world.write("READ ME", "one\nmine\n");
    world.write("count.go", "");
    world.piton(&["wait", "c1"]).exits(0);
    let errors = state(&world)["phase_errors"].to_string();
    assert!(errors.contains("changed while the checks ran, and put back: READ ME"), "{errors}");
    let command = errors.split('`').find(|part| part.starts_with("git restore")).expect("a command");
    world.shell(command).exits(0);
    assert_eq!(world.read("READ ME"), "one\nmine\n");
}

#[test]
fn a_blocker_that_a_role_reports_is_not_resolved_by_its_own_end() {
    let world = world();
    world.write(
        "do.vas",
        "$PITON_BIN cycle blocker $PITON_RUN_ID --report 'no API key' > /dev/null || exit 1\n",
    );
    let ran = start(&world, 1, &["--max-iterations", "1"]).exits(3);
    assert!(ran.out.contains("BLK-001 is open: no API key"), "{}", ran.out);
    assert_eq!(state(&world)["coordination"]["blockers"][0]["status"], "open");
    std::fs::remove_file(world.path("do.vas")).unwrap();
    world.piton(&["resume", "c1", "--max-iterations", "+1"]).exits(0);
    assert_eq!(state(&world)["coordination"]["blockers"][0]["status"], "resolved");
}

#[test]
fn without_a_check_there_is_no_cycle() {
    let world = world();
    let ran = world.piton(&["cycle", "start", "x", "--id", "c1", "--exec", "sh agent.sh"]).exits(2);
    assert!(
        ran.err.contains("a cycle needs at least one check") && ran.err.contains("--check"),
        "{}",
        ran.err
    );
    assert_eq!(world.piton(&["ls"]).exits(0).out, "", "nothing is on record");
}

#[test]
fn a_validator_whose_word_nobody_knows_is_asked_again() {
    let world = world();
    world.write("do.vas", "if ! test -f count.once; then touch count.once; RESULT=rejected; fi\n");
    let ran = start(&world, 1, &[]).exits(0);
    assert!(ran.out.contains("does not say what it found"), "{}", ran.out);
    assert_eq!((count(&world, "cd"), count(&world, "vas")), (1, 2), "{}", ran.out);
    let errors = state(&world)["phase_errors"].to_string();
    assert!(errors.contains("`- status: rejected`, which nobody knows"), "{errors}");
}

#[test]
fn a_cycle_that_is_taken_up_as_completed_is_not_called_green() {
    let world = world();
    start(&world, 1, &[]).exits(0);
    world.piton(&["rm", "c1"]).exits(0);
    let words = ["import", ".workflow/.cycle/c1.json", "--exec", "sh agent.sh"];
    let take_up = |more: &[&str]| {
        world.shell("rm -rf .piton").exits(0);
        world.piton(&[&words[..], more].concat()).exits(0);
        world.piton(&["status", "c1"]).exits(0).out
    };
    let shown = take_up(&["--check", "test=false"]);
    assert!(shown.contains("as its file says; no check was run here") && !shown.contains("green"), "{shown}");
    let shown = take_up(&[]);
    assert!(!shown.contains("green"), "{shown}");
    let refused = world.piton(&["cycle", "extend", "c1", "more"]).exits(2);
    assert!(refused.err.contains("needs at least one") && refused.err.contains("--check"), "{}", refused.err);
}

#[test]
fn tests_that_were_deleted_to_the_end_are_back_once_it_goes_on() {
    let world = world();
    world.write("test_code.py", "def test_it():\n    assert 1 + 1 == 2\n");
    world.write("README", "one\n");
    commit(&world);
    world.write("do.cd", "rm -f test_code.py\n");
    start(&world, 1, &[]).exits(1);
    assert_eq!(count(&world, "cd"), 3);
    let shown = world.piton(&["status", "c1"]).exits(0).out;
    assert!(shown.contains("`piton resume c1` puts it back first"), "{shown}");
    // What a person does meanwhile is theirs.
    world.write("README", "one\nmine\n");
    std::fs::remove_file(world.path("do.cd")).unwrap();
    world.piton(&["resume", "c1"]).exits(0);
    assert!(world.path("test_code.py").exists(), "the tests are back");
    assert_eq!((world.read("README").as_str(), count(&world, "cd")), ("one\nmine\n", 4));
}

#[test]
fn what_was_refused_for_good_is_put_back_whole_where_nobody_touched_it() {
    let world = world();
    world.write("test_code.py", "def test_it():\n    assert 1 + 1 == 2\n");
    commit(&world);
    world.write("do.cd", "rm -f test_code.py; echo x > left.txt\n");
    start(&world, 1, &[]).exits(1);
    assert!(!world.path("test_code.py").exists());
    std::fs::remove_file(world.path("do.cd")).unwrap();
    world.piton(&["resume", "c1"]).exits(0);
    assert!(world.path("test_code.py").exists() && !world.path("left.txt").exists());
    assert_eq!(count(&world, "cd"), 4);
}

#[test]
fn what_makes_no_sense_has_the_hint_of_a_cycle() {
    let world = world();
    start(&world, 1, &[]).exits(0);
    for words in [
        &["cycle", "decide", "c1", "DEC-009", "a"][..],
        &["cycle", "feedback", "c1", "--to", "zz", "x"],
        &["cycle", "extend", "c1", " "],
    ] {
        let ran = world.piton(words).exits(2);
        assert!(!ran.err.contains("loop") && !ran.err.contains("--until"), "{words:?}: {}", ran.err);
    }
}

#[test]
fn of_too_many_documents_those_that_a_role_is_to_write_count_first() {
    let world = world();
    world.write("do.ra", "for n in a b c d e f g h i j k l m; do echo x > $PITON_ROLE_DIR/$n.md; done\n");
    start(&world, 1, &[]).exits(0);
    let found = state(&world);
    assert!(found["agents"]["ra"]["output_files"].to_string().contains("requirements.md"), "{found:#}");
    assert!(found["phase_errors"].to_string().contains("`m.md` does not count"), "{found:#}");
}
