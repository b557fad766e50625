//! What roles say, and what becomes of it: in the state, on the screen, with those who are to mend something.

use serde_json::json;

use super::{count, start, state, world};
use crate::common::World;

/// A role that says this of its phase and nothing else; `first` is done before.
fn says(role: &str, first: &str, block: &str) -> String {
    format!("{first}\nprintf 'PHASE_RESULT:\\n- phase: {role}\\n{block}\\n'; exit 0\n")
}

fn result(world: &World, role: &str) -> serde_json::Value {
    state(world)["iterations"][0]["agent_results"][role].clone()
}

#[test]
fn a_role_that_says_its_prompt_again_has_said_nothing() {
    let world = world();
    world.write("do.cd", "echo 1 >> code.txt; cat prompt.cd; exit 0\n");
    let ran = start(&world, 1, &[]).exits(0);
    let found = state(&world);
    assert_eq!(
        (result(&world, "cd")["status"].as_str(), count(&world, "ra")),
        (Some("unknown"), 1),
        "{}",
        ran.out
    );
    assert_eq!(found["coordination"]["blockers"], json!([]), "{found:#}");
    assert!(found["phase_errors"].to_string().contains("there is no block `PHASE_RESULT:`"), "{found:#}");
}

#[test]
fn a_prompt_that_is_filled_in_but_for_its_blockers_names_none() {
    let world = world();
    world
        .write("do.cd", "echo 1 >> code.txt; sed 's/^- status: .*/- status: completed/' prompt.cd; exit 0\n");
    start(&world, 1, &[]).exits(0);
    assert_eq!(state(&world)["coordination"]["blockers"], json!([]));
    assert_eq!(result(&world, "cd")["status"], "completed");
}

#[test]
fn only_the_words_of_the_page_are_a_yes() {
    for word in ["done", "success"] {
        let world = world();
        world.write("do.vas", &format!("RESULT={word}\n"));
        let ran = start(&world, 1, &["--max-iterations", "1"]).exits(3);
        assert!(ran.out.contains("does not say what it found"), "{word}: {}", ran.out);
        assert_eq!(result(&world, "vas")["status"], "unknown");
    }
}

#[test]
fn files_are_counted_once_in_an_iteration_and_turns_are_no_iterations() {
    let world = world();
    let asks =
        "if ! test -f count.asked; then touch count.asked; RESULT='blocked\n- blockers: [which port]'; fi\n";
    world.write("do.cd", asks);
    start(&world, 1, &[]).exits(0);
    assert_eq!((count(&world, "ra"), count(&world, "cd")), (2, 2));
    // `code.txt` and `implementation.md`, twice each.
    assert_eq!(result(&world, "cd")["files_modified"], 2, "{:#}", result(&world, "cd"));
    assert_eq!(state(&world)["agents"]["ra"]["iterations_completed"], 1);
    assert_eq!(state(&world)["agents"]["cd"]["iterations_completed"], 1);
}

#[test]
fn files_of_an_attempt_that_was_refused_are_not_counted() {
    let world = world();
    world.write("test_code.py", "def test_it():\n    assert 1 + 1 == 2\n");
    world.shell("git add -A && git commit -qm before").exits(0);
    let once = "if test -f count.once; then return 0; fi; touch count.once; rm -f test_code.py; echo 1 > more.txt; \
                echo first > $PITON_ROLE_DIR/implementation.md";
    world.write("do.cd", &says("cd", once, "- status: completed"));
    start(&world, 1, &[]).exits(0);
    assert_eq!((count(&world, "cd"), &result(&world, "cd")["files_modified"]), (2, &json!(2)));
}

#[test]
fn what_a_validator_finds_reaches_the_developer_and_is_called_what_it_is() {
    let world = world();
    let once = "if test -f count.once; then return 0; fi; touch count.once";
    world.write("do.vas", &says("vas", once, "- status: failed\\n- summary: no full stop"));
    let ran = start(&world, 1, &[]).exits(0);
    let line = ran.out.lines().find(|line| line.starts_with(" vas")).unwrap_or_default();
    assert!(line.contains("failed"), "{}", ran.out);
    assert_eq!(result(&world, "vas")["status"], "failed");
    assert_eq!((count(&world, "cd"), count(&world, "vas")), (2, 2), "it is not started again for that");
    assert!(world.read("prompt.cd").contains("no full stop"), "{}", world.read("prompt.cd"));
    let feedback = state(&world)["coordination"]["feedback_log"].to_string();
    assert!(feedback.contains("no full stop"), "{feedback}");
}

#[test]
fn a_cycle_that_failed_says_what_its_role_said() {
    let world = world();
    world.write("do.cd", &says("cd", "", "- status: failed\\n- summary: the disk is full"));
    start(&world, 1, &[]).exits(1);
    let reason = state(&world)["failure_reason"].as_str().unwrap_or_default().to_owned();
    assert!(
        reason.contains("role `cd` failed 3 times: it says that it failed: the disk is full"),
        "{reason}"
    );
    assert!(world.read("prompt.cd").contains("did not count: it says that it failed: the disk is full"));
}

#[test]
fn what_is_for_nobody_and_what_is_a_link_is_said() {
    let world = world();
    world.write(
        "do.ra",
        "ln -s /etc/passwd $PITON_ROLE_DIR/notes.md; RESULT='completed\n- feedback_to_nobody: x'\n",
    );
    start(&world, 1, &[]).exits(0);
    let found = state(&world);
    let errors = found["phase_errors"].to_string();
    assert!(errors.contains("it tells `nobody` something, which is no role"), "{errors}");
    assert!(errors.contains("`notes.md` is a link, and does not count"), "{errors}");
    assert_eq!(found["coordination"]["feedback_log"], json!([]), "{found:#}");
}

#[test]
fn a_team_reads_what_its_roles_write() {
    let world = world();
    world.write(".gitignore", &format!("{}piton.toml\n", super::IGNORED));
    world.configure("[cycle]\nteam = ['a']\n[cycle.roles.a]\ndevelops = true\nreads = ['q/x.md']\n");
    let ran = start(&world, 1, &[]).exits(2);
    assert!(ran.err.contains("role `a` reads `q/x.md`, and `q` is no role"), "{}", ran.err);
    // What is not said of a role that piton knows is as far as the team has it.
    world.configure("[cycle]\nteam = ['cd', 'vas']\n[cycle.roles.cd]\nafter = []\nfeedback_to = []\n");
    start(&world, 1, &[]).exits(0);
}

#[test]
fn what_is_known_of_the_money_is_shown() {
    let world = world();
    world.write("do.ra", "echo '{\"cost_usd\": 2}' > $PITON_REPORT\n");
    start(&world, 1, &[]).exits(0);
    let shown = world.piton(&["cycle", "show", "c1"]).exits(0).out;
    assert!(shown.contains("at least $2.00") && !shown.contains("money unknown"), "{shown}");
    let report = world.piton(&["report", "c1"]).exits(0).out;
    assert!(report.contains("at least $2.00"), "{report}");
}

#[test]
fn a_finding_that_is_seen_again_after_the_next_role_is_one() {
    let world = world();
    world.write("test.sh", "sh greet.sh | grep -q mine\n");
    world.write("greet.sh", "echo ours\n");
    world.shell("git add -A && git commit -qm before").exits(0);
    world.write("do.cd", "echo 'echo mine' > greet.sh\n");
    let words = ["cycle", "start", "x", "--id", "c1", "--exec", "sh agent.sh", "--check", "test=sh test.sh"];
    world.piton(&words).exits(0);
    let report = world.piton(&["report", "c1"]).exits(0).out;
    assert!(report.contains("The guard had 1 finding:"), "{report}");
}

#[test]
fn a_cycle_that_has_not_begun_has_no_version() {
    let world = world();
    let words = ["cycle", "start", "x", "--id", "c1", "--exec", "sh agent.sh", "--check", "true", "--detach"];
    let is_created = |point: u32| {
        let variables = [("PITON_ABORT_AT", point.to_string()), ("PITON_ABORT_IN", "start".to_owned())];
        let variables: Vec<_> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        world.piton_with(&variables, &words);
        world.piton(&["status", "c1"]).code == 0
    };
    assert!((1..200).any(is_created), "it is never on record");
    let shown = world.piton(&["status", "c1"]).exits(0).out;
    assert!(shown.contains("created") && shown.contains("(init)"), "{shown}");
}
