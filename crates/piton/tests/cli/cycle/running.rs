//! From start to verdict: who works, what is judged, what it comes to.

use serde_json::json;

use super::{AGENT, count, start, state, status, touched, world};
use crate::common::eventually;

#[test]
fn the_four_work_until_the_checks_are_green() {
    let world = world();
    let ran = start(&world, 2, &["--description", "Login with Google"]).exits(0);
    assert!(ran.out.contains("#1  check `test` fails"), "{}", ran.out);
    assert!(ran.out.contains("done   every role is done, and the check is green"), "{}", ran.out);
    let state = state(&world);
    assert_eq!(state["status"], "completed");
    assert_eq!(state["title"], "Implement OAuth");
    assert_eq!(state["description"], "Login with Google");
    assert_eq!(state["current_iteration"], 2);
    assert_eq!(state["completed_phases"], json!(["ra", "ep", "cd", "vas"]));
    assert_eq!(state["iterations"][0]["resolved"], false);
    assert_eq!(state["iterations"][1]["resolved"], true);
    let feedback = &state["coordination"]["feedback_log"][0];
    assert_eq!((&feedback["source"], &feedback["target"]), (&json!("vas"), &json!("cd")));
    assert_eq!(feedback["type"], "bug_report");
    assert_eq!(
        [count(&world, "ra"), count(&world, "ep"), count(&world, "cd"), count(&world, "vas")],
        [1, 1, 2, 2]
    );
    assert!(
        world.read("prompt.cd").contains("Feedback from vas (bug_report)"),
        "{}",
        world.read("prompt.cd")
    );
    let told = world.read("prompt.cd");
    assert!(told.contains("Referenced output: ") && told.contains("vas/validation.md (v1.0.0)"), "{told}");
    assert!(told.contains("- [ ] check `test` passes"), "{told}");
    assert_eq!(state["changes"]["changes"][0]["file"], "code.txt");
    assert_eq!(state["changes"]["changes"][0]["action"], "create");
}

#[test]
fn out_of_iterations_with_red_checks_is_a_failure_by_a_limit() {
    let world = world();
    let ran = start(&world, 99, &["--max-iterations", "2"]).exits(3);
    assert!(ran.out.contains("piton resume c1 --max-iterations +1"), "{}", ran.out);
    let found = state(&world);
    assert_eq!(found["status"], "failed");
    assert!(found["failure_reason"].as_str().unwrap().contains("check `test` fails"), "{found}");
    assert!(world.piton(&["resume", "c1"]).exits(3).err.contains("stands at its limit"));
    world.piton(&["resume", "c1", "--max-iterations", "+1"]).exits(3);
    assert_eq!(state(&world)["current_iteration"], 3);
}

#[test]
fn a_killed_driver_loses_nothing_and_starts_nobody_twice() {
    let world = world();
    world.write("hold.cd", "");
    start(&world, 1, &["--detach"]).exits(0);
    eventually("the developer works", || world.path("held.cd").exists());
    world.kill_driver("c1");
    std::fs::remove_file(world.path("hold.cd")).unwrap();
    world.piton(&["resume", "c1"]).exits(0);
    assert_eq!([count(&world, "ra"), count(&world, "cd"), count(&world, "vas")], [1, 1, 1]);
    assert_eq!(world.count("c1", "role_lost"), 0);
    assert_eq!(world.read("code.txt"), "1\n");
    world.piton(&["verify"]).exits(0);
}

#[test]
fn an_agent_that_was_killed_with_its_keeper_is_started_again() {
    let world = world();
    world.write("do.ra", "if ! test -f again; then touch again; kill -9 $PPID; sleep 5; fi\n");
    world.write(".gitignore", &format!("{}again\n", super::IGNORED));
    start(&world, 1, &[]).exits(0);
    assert_eq!(count(&world, "ra"), 2);
    assert_eq!(state(&world)["status"], "completed");
    assert!(!state(&world)["phase_errors"].as_array().unwrap().is_empty());
}

#[test]
fn each_role_may_have_an_agent_of_its_own() {
    let world = world();
    world.write("mine.sh", &AGENT.replace("cat > prompt", "echo mine > who.$PITON_ROLE; cat > prompt"));
    world.write(".gitignore", &format!("{}who.*\nmine.sh\npiton.toml\n", super::IGNORED));
    world.configure("[agents.mine]\nprompt = 'stdin'\ncommand = ['sh', 'mine.sh']\n[agents.theirs]\nprompt = 'stdin'\ncommand = ['sh', 'agent.sh']\n");
    let words =
        ["cycle", "start", "x", "--id", "c1", "--agent", "theirs", "--agent-for", "cd=mine", "--check"];
    world.piton(&[&words[..], &[&touched(1)]].concat()).exits(0);
    assert!(world.path("who.cd").exists() && !world.path("who.ra").exists());
    let roles = status(&world)["roles"].clone();
    assert_eq!((&roles[0]["agent"], &roles[2]["agent"]), (&json!("theirs"), &json!("mine")));
    let refused = world.piton(&["cycle", "start", "x", "--agent", "mine", "--agent-for", "qa=mine"]).exits(2);
    assert!(refused.err.contains("there is no role `qa`"), "{}", refused.err);
}

#[test]
fn a_cheat_of_the_developer_is_put_back_and_becomes_a_bug_report() {
    let world = world();
    world.write(
        "test_code.py",
        "def test_it():\n    assert 1 + 1 == 2\n\n\ndef test_more():\n    assert 2 + 2 == 4\n",
    );
    world.shell("git add -A && git -c user.name=a -c user.email=a@b commit -qm tests").exits(0);
    world.write("do.cd", "if ! test -f count.cheated; then touch count.cheated; rm test_code.py; fi\n");
    start(&world, 1, &[]).exits(0);
    assert!(world.path("test_code.py").exists(), "the tests are back");
    assert_eq!(count(&world, "cd"), 2);
    let feedback = state(&world)["coordination"]["feedback_log"][0].clone();
    assert_eq!(
        (&feedback["source"], &feedback["type"]),
        (&json!("guard"), &json!("bug_report")),
        "{feedback}"
    );
    assert!(!status(&world)["findings"].as_array().unwrap().is_empty());
    let log = world.read(".workflow/.cycle/c1.progress/cd/changes.log");
    assert!(
        log.contains("code.txt") && !log.contains("test_code.py"),
        "what is put back did not happen: {log}"
    );
    let log = world.piton(&["log", "c1"]).exits(0).out;
    assert!(log.contains("refused, started again"), "{log}");
}

#[test]
fn the_best_iteration_can_be_put_back() {
    let world = world();
    start(&world, 2, &[]).exits(0);
    assert!(world.piton(&["best", "c1"]).exits(0).out.starts_with("#2"));
    world.piton(&["restore", "c1", "--iteration", "1"]).exits(0);
    assert_eq!(world.read("code.txt"), "1\n");
    world.piton(&["restore", "c1"]).exits(0);
    assert_eq!(world.read("code.txt"), "1\n2\n");
    assert!(world.piton(&["diff", "c1", "1", "2"]).exits(0).out.contains("code.txt"));
    let report = world.piton(&["report", "c1"]).exits(0).out;
    assert!(report.contains("| cd | exec | completed |"), "{report}");
    assert!(world.piton(&["log", "c1"]).exits(0).out.contains("iteration 2: converged"));
}
