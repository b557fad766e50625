//! Another agent goes on while one cannot: for which reasons, with what it is told, until when, and what is refused before it begins.

use serde_json::Value;

use super::common::{World, eventually};

/// How both agents speak, as lines of JSON.
const SPEAKS: &str = "stream = 'lines'\nfields = { text = '/text', session = '/session', error = '/error', \
                      error_status = '/status', limited_until = '/until', cost_usd = '/usd' }\n";

const FAR: u64 = 4_102_444_800;

/// A repository with the agents `first` and `second`, each of which notes that it was called, keeps its prompt, and does this.
fn world(agent: &str, first: &str, second: &str, more: &str) -> World {
    let world = World::new();
    for (name, body) in [("first", first), ("second", second)] {
        world.write(
            &format!("{name}.sh"),
            &format!(
                "echo {name} >> \"$BESIDE/called\"; cp \"$PITON_PROMPT_FILE\" \"$BESIDE/prompt$PITON_ATTEMPT\"\n\
                 calls=$(grep -c {name} \"$BESIDE/called\")\n\
                 refuses() {{ echo \"{{\\\"error\\\": \\\"no\\\", \\\"status\\\": $1, \\\"until\\\": $2}}\"; exit 1; }}\n\
                 {body}\n"
            ),
        );
    }
    world.commit("agents");
    let agents = ["first", "second"].map(|name| {
        format!("[agents.{name}]\ncommand = ['sh', '{name}.sh']\nlogin = 'run `{name} login`'\n{SPEAKS}")
    });
    world.configure(&format!(
        "[agent]\nuse = 'first'\n{agent}\n{}{}\n[checks]\nb = 'grep -q two b.txt'\n{more}\n",
        agents[0], agents[1]
    ));
    world
}

const FALLS_BACK: &str = "fallback = ['second']";
const WORKS: &str = "echo two > b.txt";

fn started(world: &World) -> Vec<String> {
    let events = world.events("r");
    let attempts = events.iter().filter(|event| event["type"] == "attempt_started");
    let agent = |event: &Value| event["data"]["attempt"]["agent"].as_str().unwrap_or("first").to_owned();
    attempts.map(agent).collect()
}

fn called(world: &World) -> String {
    std::fs::read_to_string(world.beside("called")).unwrap_or_default().replace('\n', " ")
}

fn prompt(world: &World, attempt: u32) -> String {
    std::fs::read_to_string(world.beside(&format!("prompt{attempt}"))).unwrap()
}

#[test]
fn agent_fallback_acts_in_a_loop() {
    let first = format!("echo one > b.txt; refuses 429 {FAR}");
    let world = world(FALLS_BACK, &first, WORKS, "");
    let ran = world.piton(&["loop", "Do it", "--id", "r"]).exits(0);
    insta::assert_snapshot!(ran.out, @"
    run r · first (then second), fresh session per iteration · in place
    baseline  b ✗   ( T s)
    note      stopping when every check passes
    limits    50 iterations · 8h00m working, waits not counted · 5 without progress · 5 failures in a row
          attempt 1 failed ( T s): no
          first cannot work: its provider's limit, until TIME
          second goes on for first, and is told what was done so far
      #1 T s  +2 −1         b ✓
    done      the check is green · 1 iteration, T s
    result    files changed in place, nothing committed
    next      piton diff r
    ");
    assert_eq!(started(&world), ["first", "second"]);
    let told = prompt(&world, 2);
    assert!(told.contains("You take over from a session that has ended"), "{told}");
    assert!(told.contains("## Modified Files\n\n- b.txt"), "what was done so far: {told}");
    assert!(told.contains("- [HIGH] the check `b` fails"), "what is red: {told}");
    let status = world.json(&["status", "r"]);
    assert_eq!(status["agents"][0]["out"], "rate_limit", "{status:#}");
    assert_eq!(status["agents"][1]["works"], true, "{status:#}");
    let screen = world.piton(&["status", "r"]).exits(0).out;
    let line = "agent    second · first cannot: its provider's limit, until 2100-01-01T00:00:00Z";
    assert!(screen.contains(line), "{screen}");
    let why = world.piton(&["why", "r", "-v"]).exits(0).out;
    assert!(why.contains("second goes on for first"), "{why}");
    let log = world.piton(&["log", "r"]).exits(0).out;
    assert!(log.contains("attempt 2 of iteration 1 begins, by second"), "{log}");
    world.piton(&["verify", "r"]).exits(0);
}

#[test]
fn without_one_a_limit_is_waited_for() {
    let world = world("", &format!("refuses 429 {FAR}"), WORKS, "");
    world.piton(&["loop", "Do it", "--id", "r", "--detach"]).exits(0);
    eventually("the wait", || world.json(&["status", "r"])["status"] == "waiting");
    assert_eq!(world.json(&["status", "r"])["agents"], Value::Null);
    world.piton(&["stop", "r"]).exits(0);
    assert_eq!(called(&world), "first ");
}

#[test]
fn agent_fallback_after_acts_in_a_loop() {
    let first = format!("test $calls = 1 && refuses 429 $(($(date +%s) + 3)); {WORKS}");
    let waits = world(&format!("{FALLS_BACK}\nfallback_after = '1h'"), &first, WORKS, "");
    waits.piton(&["loop", "Do it", "--id", "r"]).exits(0);
    assert_eq!(started(&waits), ["first", "first"], "it is over sooner than that");
    let world = world(&format!("{FALLS_BACK}\nfallback_after = '1s'"), &first, WORKS, "");
    world.piton(&["loop", "Do it", "--id", "r"]).exits(0);
    assert_eq!(started(&world), ["first", "second"]);
}

#[test]
fn agent_fallback_on_acts_in_a_loop() {
    for (status, word) in [(529, "overloaded"), (401, "auth")] {
        let first = format!("refuses {status} null");
        let all = world(FALLS_BACK, &first, WORKS, "");
        all.piton(&["loop", "Do it", "--id", "r"]).exits(0);
        assert_eq!(started(&all), ["first", "second"], "{word}");
        let events = all.events("r");
        let out = events.iter().find(|event| event["type"] == "agent_out").unwrap();
        assert_eq!(out["data"]["out"]["reason"], word);
        let limits = world(&format!("{FALLS_BACK}\nfallback_on = ['rate_limit']"), &first, WORKS, "");
        limits.piton(&["loop", "Do it", "--id", "r", "--detach"]).exits(0);
        eventually("the rest", || {
            let status = limits.json(&["status", "r"]);
            ["waiting", "stopped"].contains(&status["status"].as_str().unwrap_or_default())
        });
        assert_eq!(called(&limits), "first ", "{word} is no reason here");
        if word == "overloaded" {
            limits.piton(&["stop", "r"]).exits(0);
        }
    }
}

#[test]
fn the_first_works_again_once_its_limit_is_over() {
    let first = format!("test $calls = 1 && refuses 429 $(($(date +%s) + 2)); {WORKS}");
    let second = "echo one >> b.txt; sleep 3";
    let world = world(&format!("{FALLS_BACK}\nfallback_after = '1s'"), &first, second, "");
    let ran = world.piton(&["loop", "Do it", "--id", "r"]).exits(0);
    assert!(ran.out.contains("first goes on for second"), "{}", ran.out);
    assert_eq!(started(&world), ["first", "second", "first"]);
    assert!(prompt(&world, 3).contains("You take over from a session"), "it is told what happened meanwhile");
    assert!(!world.piton(&["status", "r"]).exits(0).out.contains("\nagent "), "all is as it was");
}

#[test]
fn where_all_are_refused_the_limit_that_ends_first_is_waited_for() {
    let first = format!("refuses 429 {FAR}");
    let second = format!("test $calls = 1 && refuses 429 $(($(date +%s) + 3)); {WORKS}");
    let world = world(&format!("{FALLS_BACK}\nfallback_after = '1s'"), &first, &second, "");
    world.piton(&["loop", "Do it", "--id", "r"]).exits(0);
    assert_eq!(started(&world), ["first", "second", "second"]);
    assert_eq!(world.count("r", "run_waiting"), 1);
}

#[test]
fn where_nobody_is_logged_in_the_run_stops_and_a_resume_begins_with_the_first() {
    let refuses = "test -e \"$GATE\" || refuses 401 null; echo two > b.txt";
    let world = world(FALLS_BACK, refuses, refuses, "");
    let ran = world.piton(&["loop", "Do it", "--id", "r"]).exits(7);
    assert!(ran.out.contains("no agent of this run is logged in: first, second"), "{}", ran.out);
    assert_eq!(called(&world), "first second ");
    world.open_gate();
    world.piton(&["resume", "r"]).exits(0);
    assert_eq!(called(&world), "first second first ");
}

#[test]
fn a_killed_driver_forgets_neither_who_is_out_nor_whose_turn_it_is() {
    let first = format!("refuses 429 {FAR}");
    let second = "until test -e \"$GATE\"; do sleep 0.02; done; test $calls = 2 && echo two > b.txt; echo $calls > c.txt";
    let world = world(FALLS_BACK, &first, second, "");
    world.piton(&["loop", "Do it", "--id", "r", "--detach"]).exits(0);
    world.agent_works("r", 2);
    world.kill_driver("r");
    world.open_gate();
    world.piton(&["resume", "r"]).exits(0);
    assert_eq!(called(&world), "first second second ");
    assert_eq!(started(&world), ["first", "second", "second"]);
}

#[test]
fn two_logins_of_one_program_are_two_agents() {
    let world = World::new();
    world.write(
        "agent.sh",
        "echo \"$LOGIN\" >> \"$BESIDE/called\"\n\
         test \"$LOGIN\" = work && { echo '{\"error\": \"no\", \"status\": 429, \"until\": 4102444800}'; exit 1; }\n\
         echo two > b.txt\n",
    );
    world.commit("agent");
    world.configure(&format!(
        "[agent]\nuse = 'work'\nfallback = ['home']\n[checks]\nb = 'grep -q two b.txt'\n\
         [agents.work]\ncommand = ['sh', 'agent.sh']\nenv = {{ LOGIN = 'work' }}\n{SPEAKS}\
         [agents.home]\nlike = 'work'\nenv = {{ LOGIN = 'home' }}\n"
    ));
    world.piton(&["loop", "Do it", "--id", "r"]).exits(0);
    assert_eq!(called(&world), "work home ");
}

#[test]
fn the_money_of_both_counts_towards_one_ceiling() {
    let first = format!("echo '{{\"usd\": 0.6}}'; refuses 429 {FAR}");
    let world = world(FALLS_BACK, &first, "echo '{\"usd\": 0.6}'; echo one >> b.txt", "");
    world.piton(&["loop", "Do it", "--id", "r", "--max-cost", "1"]).exits(3);
    assert_eq!(called(&world), "first second ", "the second brought it past its ceiling");
    assert_eq!(world.json(&["status", "r"])["limits"]["cost_usd"]["used"], 1.2);
}

#[test]
fn what_an_attempt_printed_is_shown_as_its_agent_speaks() {
    let first = format!("echo '{{\"text\": \"I begin\"}}'; refuses 429 {FAR}");
    let second = "echo 'plain {words}'; echo two > b.txt";
    let world =
        world("fallback = ['plain']", &first, second, "[agents.plain]\ncommand = ['sh', 'second.sh']\n");
    world.piton(&["loop", "Do it", "--id", "r"]).exits(0);
    assert!(world.piton(&["output", "r", "1"]).exits(0).out.starts_with("I begin"));
    assert_eq!(world.piton(&["output", "r", "2"]).exits(0).out, "plain {words}\n");
    assert_eq!(world.piton(&["output", "r"]).exits(0).out, "plain {words}\n");
}

#[test]
fn a_fallback_that_is_not_there_is_refused_before_anything_is_spent() {
    for (agents, code, says) in [
        ("fallback = ['codexx']", 2, "there is no agent `codexx`"),
        ("fallback = ['second', 'second']", 2, "`fallback` names `second` twice"),
        (
            "fallback = ['gone']",
            7,
            "`[agent] fallback`: the agent program `not-installed-anywhere` is not in PATH",
        ),
        ("fallback = ['second']\nfallback_on = ['whim']", 2, "whim"),
    ] {
        let gone = "[agents.gone]\ncommand = ['not-installed-anywhere']\n";
        let world = World::new();
        world.write("piton.toml", &format!("[agent]\nuse = 'first'\n{agents}\n[agents.first]\ncommand = ['true']\n[agents.second]\ncommand = ['true']\n{gone}"));
        let ran = world.piton(&["--trust", "loop", "Do it", "--id", "r", "--check", "false"]);
        let ran = ran.exits(code);
        assert!(ran.err.contains(says), "{agents}: {}", ran.err);
        assert_eq!(world.piton(&["ls", "--json"]).out.trim(), "[]", "{agents}: no run began");
    }
}
