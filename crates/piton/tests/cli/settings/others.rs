//! Every other setting that no test elsewhere shows to act.

use std::time::{Duration, Instant};

use crate::common::{WAITS, World, eventually};
use crate::gaps::{FILE, NOW, gaps, ledger};

const RED: &str = "test=test -f b.txt";

#[test]
fn agent_inject_acts_in_a_loop() {
    let mine = "use = 'mine'\n[agents.mine]\ncommand = ['sh', '-c', 'echo \"$0\" > b.txt']\ninject = { arguments = ['tools'] }\n";
    for (inject, given) in [("true", "tools\n"), ("false", "sh\n")] {
        let world = World::configured(&format!("[agent]\ninject = {inject}\n{mine}"));
        world.piton(&["loop", "Do it", "--id", "r", "--check", RED]).exits(0);
        assert_eq!(world.read("b.txt"), given, "inject = {inject}");
    }
}

/// `PATH` for the programs it calls; everything else stays outside.
const PASS: &str = "[agent]\nuse = 'mine'\npass = ['PATH', 'MY_*']\n[agents.mine]\nprompt = 'stdin'\n";
const VARIABLES: [(&str, &str); 2] = [("MY_ONE", "1"), ("OTHER", "2")];

#[test]
fn agent_pass_acts_in_a_workflow() {
    let world =
        World::configured(&format!("{PASS}command = ['sh', '-c', 'cat > /dev/null; env > env.txt']\n"));
    world.write("do.md", "Do it.\n");
    world.write("w.yaml", "name: w\nsteps: [{id: a, agent: mine, prompt: do.md}]\n");
    for launcher in [&[][..], &["--exec", "cat > /dev/null; env > env.txt"]] {
        world.piton_with(&VARIABLES, &[&["run", "w.yaml"], launcher].concat()).exits(0);
        let env = world.read("env.txt");
        assert!(env.contains("MY_ONE=1") && !env.contains("OTHER="), "{env}");
        std::fs::remove_file(world.path("env.txt")).unwrap();
    }
}

#[test]
fn agent_pass_acts_in_a_ledger() {
    let world = ledger();
    world.configure(&format!(
        "{PASS}command = ['sh', '-c', 'cat > /dev/null; env > env.txt; echo \"{{\\\"outcome\\\": \\\"no_new_findings\\\"}}\"']\n"
    ));
    world.piton_with(&VARIABLES, &["gaps", "research", "teams", "--now", NOW]).exits(0);
    let env = world.read("env.txt");
    assert!(env.contains("MY_ONE=1") && !env.contains("OTHER="), "{env}");
}

/// `[agent] use` and `[agents.NAME]`.
#[test]
fn agent_use_acts_in_a_ledger() {
    let world = ledger();
    world.configure(
        "[agent]\nuse = 'mine'\n[agents.mine]\nprompt = 'stdin'\n\
         command = ['sh', '-c', 'cat > asked.md; echo \"{\\\"outcome\\\": \\\"no_new_findings\\\"}\"']\n",
    );
    gaps(&world, &["research", "teams"]).exits(0);
    assert!(world.read("asked.md").contains("teams"));
}

#[test]
fn agents_name_acts_in_a_ledger() {
    agent_use_acts_in_a_ledger();
}

#[test]
fn loop_prompt_acts_in_a_loop() {
    let world = World::configured("[loop]\nprompt = 'TASK.md'\n");
    world.write("TASK.md", "Paint the shed.\n");
    world.piton(&["loop", "--id", "r", "--exec", "cat > b.txt", "--check", RED]).exits(0);
    assert!(world.read("b.txt").contains("Paint the shed."));
}

/// Why a loop with this ceiling in its file stopped.
fn stops(ceiling: &str, agent: &str) -> String {
    let world = World::configured(&format!("[loop]\n{ceiling}\n"));
    world.loops("r", agent, &["--check", RED]);
    world.json(&["status", "r"])["reason"].as_str().unwrap().to_owned()
}

const WORKS: &str = "echo $PITON_ITERATION > c.txt";

#[test]
fn loop_max_iterations_acts_in_a_loop() {
    let world = World::configured("[loop]\nmax_iterations = 2\n");
    world.loops("r", WORKS, &["--check", RED]);
    assert_eq!(world.json(&["status", "r"])["reason"], "limit:iterations");
    assert_eq!(world.count("r", "attempt_started"), 2);
}

#[test]
fn loop_max_duration_acts_in_a_loop() {
    assert_eq!(stops("max_duration = '1s'", &format!("sleep 0.6; {WORKS}")), "limit:duration");
}

#[test]
fn loop_no_progress_acts_in_a_loop() {
    assert_eq!(stops("no_progress = 2\nmax_iterations = 4", "true"), "no_progress");
}

#[test]
fn loop_failure_streak_acts_in_a_loop() {
    assert_eq!(
        stops("failure_streak = 2\nmax_iterations = 4", &format!("{WORKS}; exit 1")),
        "failure_streak"
    );
}

#[test]
fn loop_max_cost_usd_acts_in_a_loop() {
    let spends = format!("{WORKS}; echo '{{\"cost_usd\": 0.5}}' > $PITON_REPORT");
    assert_eq!(stops("max_cost_usd = 1\nmax_iterations = 4", &spends), "limit:cost");
}

#[test]
fn loop_max_tokens_acts_in_a_loop() {
    let spends = format!(
        "{WORKS}; echo '{{\"usage\": {{\"input_tokens\": 90, \"output_tokens\": 10}}}}' > $PITON_REPORT"
    );
    assert_eq!(stops("max_tokens = 150\nmax_iterations = 4", &spends), "limit:tokens");
}

#[test]
fn loop_max_files_acts_in_a_loop() {
    assert_eq!(stops("max_files = 2\nmax_iterations = 9", "echo x > f$PITON_ITERATION"), "limit:files");
}

#[test]
fn loop_attempt_timeout_acts_in_a_loop() {
    let world = World::configured("[loop]\nattempt_timeout = '1s'\nfailure_streak = 1\n");
    world.loops("r", "sleep 20", &["--check", RED]).exits(1);
    assert!(world.piton(&["log", "r", "--json"]).exits(0).out.contains("timed_out"));
}

#[test]
fn loop_idle_timeout_acts_in_a_loop() {
    let world = World::configured("[loop]\nidle_timeout = '1s'\nfailure_streak = 1\n");
    world.loops("r", "echo begun; sleep 20", &["--check", RED]).exits(1);
    assert!(world.piton(&["log", "r", "--json"]).exits(0).out.contains("hung"));
}

#[test]
fn loop_deadline_acts_in_a_loop() {
    let world = World::configured("[loop]\ndeadline = '2020-01-01T07:00'\n");
    let ran = world.loops("r", "touch b.txt", &["--check", RED]).exits(2);
    assert!(ran.err.contains("has passed"), "{}", ran.err);
    let soon = world.shell("date -d '6 seconds' +%FT%T").exits(0).out;
    assert_eq!(
        stops(&format!("deadline = '{}'", soon.trim()), &format!("sleep 0.3; {WORKS}")),
        "limit:deadline"
    );
}

/// An attempt whose keeper and agent are both gone without a word.
#[test]
fn loop_on_lost_acts_in_a_loop() {
    let world = World::configured("[loop]\non_lost = 'ask'\n");
    world.loops_behind("r", WAITS, &["--check", RED]);
    world.kill_driver("r");
    let attempt = world.path(".piton/attempts/r/1/started.json");
    let started: serde_json::Value = serde_json::from_slice(&std::fs::read(attempt).unwrap()).unwrap();
    let agent = started["process"]["pid"].as_u64().or(started["pid"].as_u64()).unwrap();
    world.shell(&format!("kill -9 $(ps -o ppid= -p {agent}) {agent}")).exits(0);
    world.piton(&["resume", "r"]).exits(4);
    assert!(world.json(&["status", "r"])["questions"][0]["kind"].to_string().contains("lost"));
}

#[test]
fn confine_write_acts_in_a_loop() {
    for open in [false, true] {
        let world = World::new();
        walls(&world, open);
        world.loops("r", &format!("{BESIDE}; touch b.txt"), &["--check", RED]).exits(0);
        assert_eq!(world.beside("more/out").exists(), open);
    }
}

/// What is written beside the tree, and where one may write beside it.
const BESIDE: &str = "echo x > $BESIDE/more/out";

fn walls(world: &World, open: bool) {
    world.shell("mkdir -p $BESIDE/more").exits(0);
    let more = if open { format!("'{}'", world.beside("more").display()) } else { String::new() };
    let agent = format!(
        "[agents.mine]\nprompt = 'stdin'\ncommand = ['sh', '-c', 'cat > /dev/null; {BESIDE} && echo \"{{\\\"outcome\\\": \\\"no_new_findings\\\"}}\"']\n"
    );
    world.configure(&format!("[agent]\nuse = 'mine'\n{agent}[confine]\nenabled = true\nwrite = [{more}]\n"));
}

#[test]
fn confine_write_acts_in_a_workflow() {
    for open in [false, true] {
        let world = World::new();
        walls(&world, open);
        world.write("w.yaml", &format!("name: w\nsteps: [{{id: a, run: '{BESIDE}', max_attempts: 1}}]\n"));
        world.piton(&["run", "w.yaml", "--run-id", "r"]).exits(i32::from(!open));
        assert_eq!(world.beside("more/out").exists(), open);
    }
}

#[test]
fn confine_write_acts_in_a_ledger() {
    for open in [false, true] {
        let world = ledger();
        walls(&world, open);
        gaps(&world, &["research", "teams"]);
        assert_eq!(world.beside("more/out").exists(), open);
    }
}

#[test]
fn views_auto_save_interval_acts_in_a_loop() {
    let world = World::configured("[views]\nauto_save_interval = '1s'\n");
    let agent = format!("{WORKS}; if test $PITON_ITERATION = 2; then {WAITS}; fi");
    let began = Instant::now();
    world.loops("r", &agent, &["--check", RED, "--max-iterations", "2", "--detach"]).exits(0);
    eventually("the view is at the second iteration", || {
        world.path(".ralph/state.json").exists()
            && world.read(".ralph/state.json").contains("\"iteration\": 2")
    });
    assert!(began.elapsed() < Duration::from_secs(20), "the interval is 30 seconds unless said");
    world.open_gate();
    world.piton(&["wait", "r"]).exits(3);
}

#[test]
fn gaps_file_acts_in_a_ledger() {
    let world = World::configured("[gaps]\nfile = 'known.yaml'\n");
    world.write("known.yaml", FILE);
    assert_eq!(world.json(&["gaps", "list"]).as_array().unwrap().len(), 3);
}

#[test]
fn gaps_file_acts_in_a_loop() {
    let world = World::configured("[gaps]\nfile = 'known.yaml'\nrequire = ['teams']\n");
    world.write("known.yaml", FILE);
    let ran = world.loops("r", "touch b.txt", &["--check", RED]).exits(4);
    assert!(ran.err.contains("teams: unknown"), "{}", ran.err);
}

#[test]
fn gaps_file_acts_in_a_workflow() {
    let world = World::configured("[gaps]\nfile = 'known.yaml'\n");
    world.write("known.yaml", "gaps:\n- id: teams\n  category: people\n");
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'true', gates: [gaps-fresh]}]\n");
    let viewer = world.start(&["run", "w.yaml", "--run-id", "r"]);
    viewer.prints("gate `gaps-fresh`: teams: unknown");
    world.piton(&["gaps", "verify", "teams", "--findings", "two"]).exits(0);
    viewer.ends().exits(0);
}

#[test]
fn gaps_default_ttl_days_acts_in_a_ledger() {
    let world = ledger();
    assert!(gaps(&world, &["stale"]).out.contains("pricing"));
    world.configure("[gaps]\ndefault_ttl_days = 60\n");
    assert!(!gaps(&world, &["stale"]).out.contains("pricing"));
}

/// It was verified long ago: fresh only where findings hold for very long.
#[test]
fn gaps_default_ttl_days_acts_in_a_loop() {
    for (days, code) in [("30", 4), ("100000", 0)] {
        let world = ledger();
        world.configure(&format!("[gaps]\nrequire = ['pricing']\ndefault_ttl_days = {days}\n"));
        world.loops("r", "touch b.txt", &["--check", RED]).exits(code);
    }
}

/// It was verified long ago, as above.
#[test]
fn gaps_default_ttl_days_acts_in_a_workflow() {
    let world = World::configured("[gaps]\ndefault_ttl_days = 100000\n");
    let gap = "- id: pricing\n  category: market\n  status: verified\n  last_verified: '2026-01-01T12:00:00+00:00'\n";
    world.write("gaps.yaml", &format!("gaps:\n{gap}  findings: Two plans.\n"));
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'true', gates: [gaps-fresh]}]\n");
    world.start(&["run", "w.yaml", "--run-id", "r1"]).ends().exits(0);
    world.configure("");
    let viewer = world.start(&["run", "w.yaml", "--run-id", "r2"]);
    viewer.prints("gate `gaps-fresh`: pricing");
    world.piton(&["stop", "r2", "--now"]).exits(0);
    viewer.ends();
}

#[test]
fn gaps_prompt_tokens_acts_in_a_loop() {
    let prompt = |settings: &str| {
        let world = ledger();
        world.configure(&format!("[gaps]\nrequire = ['teams']\n{settings}\n"));
        let findings = "word ".repeat(4000);
        world.piton(&["gaps", "verify", "teams", "--findings", &findings]).exits(0);
        world.loops("r", "cp $PITON_PROMPT_FILE b.txt", &["--check", RED]).exits(0);
        world.read("b.txt").len()
    };
    assert!(prompt("prompt_tokens = 100") + 2_000 < prompt(""));
}
