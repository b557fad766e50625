//! What a cycle has in common with other runs: people are told, hooks are called, a command hears of its end, it can work in a
//! tree of its own; and what it needs of people it says.

use serde_json::Value;

use super::{AGENT, count, start, state, status, world};
use crate::common::{WAITS, eventually};
use crate::servers::Web;

const TELLS: &str = "[notify]\ndebounce = '0s'\nmin_interval = '0s'\n[notify.channels.log]\ntype = 'logfile'\npath = '.piton/told.log'\n[notify.triggers]\nloop_paused = true\n";

#[test]
fn a_command_hears_of_every_rest() {
    let world = world();
    // The line comes last: who sees it finds the status whole.
    let hears = "cat > $BESIDE/status.json; echo $PITON_STATUS $PITON_REASON >> $BESIDE/heard";
    start(&world, 2, &["--max-iterations", "1", "--on-done", hears]).exits(3);
    let heard = || std::fs::read_to_string(world.beside("heard")).unwrap_or_default();
    eventually("it hears of the limit", || heard() == "failed limit:iterations\n");
    world.piton(&["resume", "c1", "--max-iterations", "+1"]).exits(0);
    eventually("it hears of the end", || heard().ends_with("completed checks_pass\n"));
    let told = std::fs::read(world.beside("status.json")).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&told).unwrap()["run_id"], "c1");
}

#[test]
fn who_stops_a_cycle_at_rest_tells_people_and_the_command() {
    let world = world();
    world.configure(TELLS);
    world.write("do.ra", "RESULT='completed\n- decision: Which? | one | two'\n");
    start(&world, 1, &["--on-done", "echo $PITON_STATUS >> $BESIDE/heard"]).exits(4);
    world.piton(&["stop", "c1"]).exits(0);
    let told = || std::fs::read_to_string(world.path(".piton/told.log")).unwrap_or_default();
    eventually("people know", || told().contains("loop_paused"));
    assert!(told().contains("attention_needed"), "{}", told());
    let heard = || std::fs::read_to_string(world.beside("heard")).unwrap_or_default();
    eventually("the command heard of both", || heard() == "waiting\nstopped\n");
}

#[test]
fn the_end_of_a_cycle_is_told_once_although_its_driver_died_while_sending() {
    let (world, web) = (world(), Web::answering(""));
    web.mute(true);
    world.configure(&format!(
        "[notify]\ndebounce = '0s'\n[notify.channels.web]\ntype = 'webhook'\nurl = '{}'\n",
        web.url
    ));
    start(&world, 1, &["--detach"]).exits(0);
    eventually("the driver is about to tell it", || web.unanswered() > 0);
    web.mute(false);
    // It has let go of the cycle, which is over, and dies over the message.
    let log = world.piton(&["log", "c1", "--json"]).exits(0).out;
    let mut events = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let driver = events.find(|event| event["type"] == "driver_started").expect("somebody drove it");
    world.shell(&format!("kill -9 {}", driver["data"]["pid"])).exits(0);
    let process = format!("/proc/{}", driver["data"]["pid"]);
    eventually("it is dead", || !std::path::Path::new(&process).exists());
    world.piton(&["status", "c1"]).exits(0);
    assert_eq!(web.body()["trigger"], "loop_completed");
    world.piton(&["status", "c1"]).exits(0);
    assert_eq!(web.rest().len(), 0, "once");
}

#[test]
fn hooks_at_the_end_are_called_again_where_a_driver_died_over_them() {
    for goes_on in [&["resume", "c1"][..], &["worker", "--once"]] {
        let world = world();
        world.configure(&format!(
            "[hooks.end]\npoints = ['loop_end']\ncommand = 'echo end >> $BESIDE/ended; {WAITS}'\n"
        ));
        world.write("do.ra", "RESULT='completed\n- decision: Which? | one | two'\n");
        start(&world, 1, &[]).exits(4);
        world.piton(&["stop", "c1"]).exits(0);
        let ended = || std::fs::read_to_string(world.beside("ended")).unwrap_or_default();
        eventually("its hooks are called", || ended() == "end\n");
        world.kill_driver("c1");
        world.open_gate();
        world.piton(goes_on).exits(if goes_on[0] == "resume" { 4 } else { 0 });
        eventually("it is stopped", || status(&world)["status"] == "stopped");
        assert_eq!((ended().as_str(), count(&world, "ra"), count(&world, "ep")), ("end\nend\n", 1, 0));
    }
}

#[test]
fn in_a_tree_of_its_own_the_team_works_there_and_its_files_stay() {
    let world = world();
    world.write("here.txt", "not committed\n");
    world.shell("git add -f agent.sh .gitignore && git commit -q -m agent").exits(0);
    let root = world.path("").display().to_string();
    let here = "if test $PITON_ROLE = cd; then cat here.txt >> code.txt; fi";
    world.write("agent.sh", &format!("{AGENT}{here}\necho $PITON_ROLE_DIR > $BESIDE/dir.$PITON_ROLE\n"));
    let ran = start(&world, 2, &["--worktree"]).exits(0);
    assert!(ran.out.contains("worktree ../repo-c1, branch piton/c1"), "{}", ran.out);
    assert!(!ran.err.contains(".workflow"), "what stays is not said to be missing: {}", ran.err);
    let tree = world.beside("repo-c1");
    assert!(std::fs::read_to_string(tree.join("code.txt")).unwrap().contains("not committed"));
    assert!(!world.path("code.txt").exists() && !tree.join(".workflow").exists());
    assert_eq!(state(&world)["status"], "completed");
    let said = std::fs::read_to_string(world.beside("dir.ra")).unwrap();
    assert_eq!(said.trim(), format!("{root}.workflow/.cycle/c1.progress/ra"));
    assert!(world.read(".workflow/.cycle/c1.progress/cd/changes.log").contains("code.txt"));
    // What was made can be put back there, too.
    world.shell("rm ../repo-c1/code.txt").exits(0);
    world.piton(&["restore", "c1", "--force"]).exits(0);
    assert!(tree.join("code.txt").exists() && !world.path("code.txt").exists());
}

#[test]
fn answer_lists_what_a_cycle_needs_and_settles_it() {
    let world = world();
    world.write("do.ra", "if ! test -f count.asked; then touch count.asked; RESULT='completed\n- decision: Which provider? | Google | GitHub'; fi\n");
    world.write("do.cd", "if ! test -f count.unblocked; then RESULT='blocked\n- blockers: [no key]'; fi\n");
    start(&world, 1, &[]).exits(4);
    let listed = world.piton(&["answer"]).exits(0).out;
    insta::assert_snapshot!(listed, @"
    c1  DEC-001  Which provider?
      Google | GitHub
      piton answer c1 DEC-001 OPTION
    ");
    let refused = world.piton(&["answer", "c1", "--approve"]).exits(2).err;
    assert!(refused.contains("piton answer c1"), "{refused}");
    assert!(world.piton(&["answer", "c1", "DEC-001", "GitLab"]).exits(2).err.contains("Google, GitHub"));
    world.piton(&["answer", "c1", "DEC-001", "GitHub"]).exits(0);
    world.piton(&["wait", "c1"]).exits(4);
    assert!(world.piton(&["answer"]).exits(0).out.contains("piton answer c1 BLK-001"));
    world.write("count.unblocked", "");
    world.piton(&["answer", "c1", "BLK-001", "the key is in the vault"]).exits(0);
    world.piton(&["wait", "c1"]).exits(0);
    let found = state(&world);
    assert_eq!(found["coordination"]["pending_decisions"][0]["chosen_option"], "GitHub");
    assert_eq!(found["coordination"]["blockers"][0]["resolution"], "the key is in the vault");
    assert_eq!(world.piton(&["answer"]).exits(0).out, "");
}

#[test]
fn a_role_at_its_own_ceiling_goes_on_with_the_command_that_is_named() {
    let world = world();
    world.configure("[cycle.roles.cd]\nmax_cost_usd = 0.5\n");
    world.write("do.cd", "echo '{\"cost_usd\": 0.6}' > $PITON_REPORT\n");
    start(&world, 2, &[]).exits(3);
    let stopped = status(&world);
    assert_eq!(stopped["reason"], "limit:cost");
    assert_eq!(stopped["detail"], "role `cd` has spent $0.60 of the $0.50 that it may");
    assert_eq!(stopped["next"], "piton resume c1 --max-cost +10");
    let refused = world.piton(&["resume", "c1"]).exits(3).err;
    assert!(refused.contains("--max-cost +10"), "{refused}");
    world.piton(&["resume", "c1", "--max-cost", "+10"]).exits(0);
    assert_eq!(state(&world)["status"], "completed");
}

#[test]
fn a_role_that_worked_as_long_as_it_may_goes_on_with_the_command_that_is_named() {
    let world = world();
    world.configure("[cycle.roles.cd]\nmax_duration = '1s'\n");
    world.write("do.cd", "test -f count.once || sleep 1.2; touch count.once\n");
    start(&world, 2, &[]).exits(3);
    let stopped = status(&world);
    assert_eq!(stopped["reason"], "limit:duration");
    let detail = stopped["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("role `cd` has worked ") && detail.ends_with(" of the 1 s that it may"),
        "{detail}"
    );
    assert_eq!(stopped["next"], "piton resume c1 --max-duration +1h");
    world.piton(&["resume", "c1", "--max-duration", "+1h"]).exits(0);
    assert_eq!(state(&world)["status"], "completed");
}

#[test]
fn a_cycle_that_is_known_is_not_imported_and_the_next_command_is_named() {
    let world = world();
    start(&world, 1, &[]).exits(0);
    let words = ["import", ".workflow/.cycle/c1.json", "--exec", "sh agent.sh"];
    let known = world.piton(&words).exits(2).err;
    assert!(known.contains("is what piton shows of cycle `c1`, which is completed"), "{known}");
    assert!(known.contains("piton cycle extend c1 TEXT"), "{known}");
}

#[test]
fn without_an_agent_nothing_is_rebuilt_and_the_command_that_does_is_named() {
    let world = world();
    start(&world, 1, &[]).exits(0);
    std::fs::remove_dir_all(world.path(".piton")).unwrap();
    let asks = world.piton(&["cycle", "rebuild", "c1"]).exits(2).err;
    assert!(asks.contains("nobody is named who works on this cycle"), "{asks}");
    assert!(asks.contains("piton cycle rebuild c1 --agent NAME") && !asks.contains("piton rm"), "{asks}");
    world.piton(&["cycle", "rebuild", "c1", "--exec", "sh agent.sh"]).exits(0);
    assert_eq!(status(&world)["status"], "completed");
}

#[test]
fn the_files_of_a_cycle_that_is_forgotten_stay_unless_they_are_to_go() {
    let world = world();
    start(&world, 1, &[]).exits(0);
    let kept = world.piton(&["rm", "c1"]).exits(0).err;
    assert!(kept.contains("kept: .workflow/.cycle/c1.json and .workflow/.cycle/c1.progress"), "{kept}");
    world.piton(&["cycle", "rebuild", "c1", "--exec", "sh agent.sh"]).exits(0);
    let gone = world.piton(&["rm", "c1", "--files"]).exits(0).err;
    assert!(!gone.contains("kept"), "{gone}");
    assert!(!world.path(".workflow/.cycle/c1.json").exists());
    assert!(!world.path(".workflow/.cycle/c1.progress").exists());
    world.loops("r", "touch b.txt", &["--check", "test=test -f b.txt"]).exits(0);
    assert!(
        world.piton(&["rm", "r", "--files"]).exits(2).err.contains("only a cycle has files that are kept")
    );
}

#[test]
fn names_that_piton_uses_itself_are_refused_before_anything_runs() {
    for (settings, why) in [
        (
            "[cycle.roles.vas]\nwrites = ['test-results.json']\n",
            "`test-results.json`, which is a file of piton's",
        ),
        (
            "[cycle]\nteam = ['cd', 'history']\n[cycle.roles.cd]\nafter = []\nfeedback_to = []\n[cycle.roles.history]\nafter = ['cd']\n",
            "`history` cannot be the name of a role: piton uses that name itself",
        ),
    ] {
        let world = world();
        world.configure(settings);
        let refused = start(&world, 1, &[]).exits(2).err;
        assert!(refused.contains(why), "{refused}");
        assert!(!world.path(".workflow").exists());
    }
}

#[test]
fn a_list_says_that_nobody_drives_a_cycle_that_is_to_go_on() {
    let world = world();
    start(&world, 1, &[]).exits(0);
    let is_undriven = || world.json(&["ls", "--all"])[0]["undriven"] == true;
    world.piton(&["cycle", "feedback", "c1", "Well done", "--to", "cd"]).exits(0);
    assert!(!is_undriven(), "it is over, whatever was said since");
    let dies_at = |point: u32| {
        let at = point.to_string();
        let variables = [("PITON_ABORT_AT", at.as_str()), ("PITON_ABORT_IN", "extend")];
        world.piton_with(&variables, &["cycle", "extend", "c1", "More"]);
        world.count("c1", "extension_requested") > 0
    };
    assert!((1..100).any(dies_at), "it is never on record");
    assert!(is_undriven(), "{}", world.piton(&["ls"]).out);
}

#[test]
fn checks_are_run_again_where_the_developer_changed_only_what_git_ignores() {
    let world = world();
    world.write(".gitignore", &format!("{}node_modules/\n", super::IGNORED));
    // The validator sends the developer back, who brings what git does not see.
    world.write("do.cd", "if test -f count.sent; then mkdir -p node_modules; echo x > node_modules/x; printf 'PHASE_RESULT:\\n- phase: cd\\n- status: completed\\n'; exit 0; fi\n");
    world.write("do.vas", "if ! test -f count.sent; then touch count.sent; RESULT='blocked\n- blockers: [a package is missing]'; fi\n");
    let words = [
        "cycle",
        "start",
        "x",
        "--id",
        "c1",
        "--exec",
        "sh agent.sh",
        "--check",
        "test=test -f node_modules/x",
    ];
    world.piton(&words).exits(0);
    assert_eq!(state(&world)["current_iteration"], 1);
    assert_eq!(
        world.count("c1", "checks_finished"),
        3,
        "after each turn of the developer, and before it is called done"
    );
}

#[test]
fn what_a_validator_breaks_that_git_ignores_is_not_called_green() {
    let world = world();
    world.write("do.vas", "test -e count.cured || touch count.broken\n");
    world.write("do.cd", "if test -e count.broken; then rm count.broken; touch count.cured; fi\n");
    let words = ["cycle", "start", "Implement OAuth", "--id", "c1", "--exec", "sh agent.sh"];
    world.piton(&[&words[..], &["--check", "test=test ! -e count.broken"]].concat()).exits(0);
    let found = state(&world);
    assert_eq!((&found["status"], &found["current_iteration"]), (&"completed".into(), &2.into()));
    assert_eq!(found["iterations"][0]["issues_found"][0], "check `test` fails with 1");
    assert!(!world.path("count.broken").exists());
}
