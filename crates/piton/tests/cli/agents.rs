//! Agents that speak: recorded streams of the real programs, played back by a stand-in of the same name.

use super::common::World;

/// Puts a program called `name` first in PATH that prints a recording, writes its arguments down, and exits.
#[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
fn stand_in(world: &World, name: &str, cases: &[(&str, i32)]) -> String {
    let recordings = concat!(env!("CARGO_MANIFEST_DIR"), "/../agent/tests/streams");
    let mut script = String::from("#!/bin/sh\ncat > /dev/null\necho \"$@\" >> \"$RECORD/arguments\"\n");
    // The conversation it was told to have, where it was told.
    script.push_str("session=$(echo \"$@\" | sed -n 's/.*--session-id \\([^ ]*\\).*/\\1/p')\n");
    script.push_str("play() { if [ -n \"$session\" ]; then sed \"s/\\\"session_id\\\":\\\"[^\\\"]*/\\\"session_id\\\":\\\"$session/g\" \"$1\"; else cat \"$1\"; fi; }\n");
    script.push_str("number=$(wc -l < \"$RECORD/arguments\")\ncase $number in\n");
    for (index, (case, exit)) in cases.iter().enumerate() {
        let pattern = if index + 1 == cases.len() { "*".to_owned() } else { (index + 1).to_string() };
        script.push_str(&format!(
            "{pattern}) echo $number > done.txt; play '{recordings}/{name}/{case}.jsonl'; exit {exit};;\n"
        ));
    }
    script.push_str("esac\n");
    let directory = world.beside("bin");
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join(name);
    std::fs::write(&path, script).unwrap();
    world.shell(&format!("chmod +x '{}'", path.display())).exits(0);
    format!("{}:{}", directory.display(), std::env::var("PATH").unwrap())
}

fn run(world: &World, agent: &str, cases: &[(&str, i32)], more: &[&str]) -> super::common::Ran {
    let path = stand_in(world, agent, cases);
    let record = world.beside("").display().to_string();
    let mut arguments = vec!["loop", "Do it", "--id", "r", "--agent", agent];
    arguments.extend(more);
    world.piton_with(&[("PATH", &path), ("RECORD", &record)], &arguments)
}

fn arguments(world: &World) -> Vec<String> {
    let text = std::fs::read_to_string(world.beside("arguments")).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn claude_is_started_with_a_session_of_ours_and_its_cost_is_shown() {
    let world = World::new();
    let ran = run(&world, "claude", &[("success", 0)], &["--check", "grep -q 2 done.txt", "--model", "opus"])
        .exits(0);
    insta::assert_snapshot!(ran.out, @"
    run r · claude, fresh session per iteration · in place
    baseline  grep ✗   ( T s)
    note      stopping when every check passes
    limits    50 iterations · 8h00m working, waits not counted · 5 without progress · 5 failures in a row
      #1 T s  +1 −0         grep ✗   $0.01
      #2 T s  +1 −1         grep ✓   $0.01
    done      the check is green · 2 iterations, T s, $0.02
    result    files changed in place, nothing committed
    next      piton diff r
    ");
    let started = &world.events("r").into_iter().find(|event| event["type"] == "attempt_started").unwrap();
    let session = started["data"]["attempt"]["session"]["id"].as_str().unwrap().to_owned();
    let arguments = &arguments(&world)[0];
    let command = "-p --output-format stream-json --verbose --permission-mode bypassPermissions --model opus --mcp-config {";
    assert!(arguments.starts_with(command), "{arguments}");
    assert!(arguments.ends_with(&format!("--session-id {session}")), "{arguments}");
    let shown = world.piton(&["output", "r", "1"]).exits(0).out;
    assert_eq!(shown, "→ Bash echo hello\nhello done\n");
}

#[test]
fn a_provider_that_does_not_know_the_key_stops_the_run_with_the_way_to_log_in() {
    for (agent, login) in [
        ("claude", "/login"),
        ("codex", "codex login"),
        ("opencode", "opencode auth login"),
        ("gemini", "GEMINI_API_KEY"),
    ] {
        let world = World::new();
        let exit = if agent == "gemini" { 145 } else { 1 };
        let ran = run(&world, agent, &[("auth", exit)], &["--check", "false"]).exits(7);
        assert!(ran.out.contains(login), "{agent}: {}", ran.out);
        assert_eq!(world.json(&["status", "r"])["reason"], "auth", "{agent}");
    }
}

#[test]
fn a_limit_is_waited_for_until_the_time_the_provider_names() {
    let world = World::new();
    run(&world, "claude", &[("usage-limit", 1)], &["--check", "false", "--detach"]).exits(0);
    super::common::eventually("the wait", || world.json(&["status", "r"])["status"] == "waiting");
    let status = world.json(&["status", "r"]);
    assert_eq!(status["waiting_for"], "the rate limit until 2030-03-17T17:46:40.000Z");
    assert_eq!(status["limits"]["iterations"]["used"], 0, "a refusal is no iteration");
    world.piton(&["stop", "r"]).exits(0);
}

#[test]
fn an_exit_code_of_0_is_not_believed_over_what_the_agent_says() {
    let world = World::new();
    let cases = [("interrupted", 0), ("killed", 0), ("success", 0)];
    run(&world, "claude", &cases, &["--check", "grep -q 3 done.txt"]).exits(0);
    let outcomes: Vec<_> = world
        .events("r")
        .iter()
        .filter(|event| event["type"] == "attempt_finished")
        .map(|event| event["data"]["end"]["outcome"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(outcomes, ["failed", "failed", "succeeded"]);
}

#[test]
fn a_session_is_continued_and_charged_once() {
    let world = World::configured("[loop]\nsession = 'continue'\n[agent]\ninject = false\n");
    run(&world, "codex", &[("success", 0), ("resume", 0)], &["--check", "grep -q 2 done.txt"]).exits(0);
    let started = arguments(&world);
    assert!(started[0].ends_with("-s workspace-write -"), "{started:?}");
    assert!(started[1].contains(" resume 01a1"), "{started:?}");
    let used: Vec<_> = world
        .events("r")
        .iter()
        .filter(|event| event["type"] == "attempt_finished")
        .map(|event| event["data"]["end"]["report"]["usage"]["input_tokens"].clone())
        .collect();
    assert_eq!(
        used,
        [2400, 1200],
        "the second counts from the start of the thread and is charged for itself"
    );
}

#[test]
fn a_denied_tool_is_told_with_what_would_allow_it() {
    let world = World::new();
    let ran = run(&world, "claude", &[("denied", 0)], &["--check", "test -f done.txt", "--sandbox", "ask"])
        .exits(0);
    assert!(ran.out.contains("! a tool was denied: Bash\n"), "{}", ran.out);
    assert!(ran.out.contains("--sandbox full"), "{}", ran.out);
}

#[test]
fn an_agent_cannot_steer_its_own_run_however_it_calls() {
    let world = World::new();
    let tries = "\
        call() { \"$PITON_BIN\" --repo \"$TREE\" \"$@\" >> \"$TREE/../said\" 2>&1; echo \"exit $?\" >> \"$TREE/../said\"; }
        call resume r --max-iterations +5
        call trust --yes
        call answer r --approve
        call stop r
        setsid \"$PITON_BIN\" --repo \"$TREE\" stop r >> \"$TREE/../said\" 2>&1
        (setsid sh -c 'sleep 0.2; \"$PITON_BIN\" --repo \"$TREE\" stop r' >> \"$TREE/../said\" 2>&1 &)
        env -i \"$PITON_BIN\" --repo \"$TREE\" stop r >> \"$TREE/../said\" 2>&1
        sleep 0.6
        call status r
        touch b.txt";
    let tree = world.path("").display().to_string();
    world
        .piton_with(
            &[("TREE", tree.trim_end_matches('/'))],
            &["loop", "x", "--id", "r", "--exec", tries, "--check", "test -f b.txt"],
        )
        .exits(0);
    let said = std::fs::read_to_string(world.path("").join("../said")).unwrap();
    assert_eq!(said.matches("this is for people").count(), 7, "{said}");
    assert_eq!(said.matches("exit 0").count(), 1, "only looking is allowed: {said}");
    for kind in ["resume_requested", "stop_requested", "answer_given"] {
        assert_eq!(world.count("r", kind), 0, "{kind}");
    }
}

#[test]
fn variables_that_change_what_runs_are_hidden_from_agents_and_checks() {
    let world = World::new();
    let agent = "env > env.txt; touch b.txt";
    let variables = [
        ("BASH_ENV", "/tmp/x"),
        ("NODE_OPTIONS", "--require /tmp/x"),
        ("GIT_DIR", "/nowhere"),
        ("KEPT", "yes"),
    ];
    let check = "test -f b.txt && test -z \"$GIT_DIR$BASH_ENV\"";
    world.piton_with(&variables, &["loop", "x", "--id", "r", "--exec", agent, "--check", check]).exits(0);
    let env = world.read("env.txt");
    assert!(env.contains("KEPT=yes") && !env.contains("BASH_ENV") && !env.contains("NODE_OPTIONS"), "{env}");
    assert!(!env.contains("GIT_DIR="), "{env}");
}

#[test]
fn no_secret_reaches_the_disk_whoever_says_it() {
    let world = World::new();
    let key = "sk-ant-api03-CANARY0123456789abcdefghijklmnopqrstuvwxyz";
    // In two pieces, on both outputs, in the report, by a check, and in the task itself.
    let agent = r#"printf '%s' "${MY_API_KEY%%0123*}"; sleep 0.2; printf '0123%s\n' "${MY_API_KEY#*0123}"; echo "$MY_API_KEY" >&2
        echo "{\"status\":\"continue\",\"summary\":\"$MY_API_KEY\",\"custom\":{\"k\":\"$MY_API_KEY\"}}" > "$PITON_REPORT"; touch b.txt"#;
    let task = format!("use {key} and be done");
    let check = "echo $MY_API_KEY; test -f b.txt";
    let ran = world
        .piton_with(&[("MY_API_KEY", key)], &["loop", &task, "--id", "r", "--exec", agent, "--check", check])
        .exits(0);
    assert!(ran.err.contains("what looks like a secret was taken out of the task"), "{}", ran.err);
    let found = world.shell("grep -rlaF CANARY0123456789 .piton .ralph");
    assert_eq!(found.out, "");
    for words in [["log", "r"], ["show", "r"], ["status", "r"]] {
        assert!(
            !world.piton(&[&words[..], &["--json"]].concat()).exits(0).out.contains("CANARY0123456789"),
            "{words:?}"
        );
    }
}

#[test]
fn an_agent_gets_only_the_variables_that_are_passed_where_that_is_asked_for() {
    let world = World::configured("[agent]\npass = ['PATH', 'MY_*']\n");
    let variables = [("MY_ONE", "1"), ("OTHER", "2")];
    let agent = "env > env.txt; touch b.txt";
    world
        .piton_with(&variables, &["loop", "x", "--id", "r", "--exec", agent, "--check", "test -f b.txt"])
        .exits(0);
    let env = world.read("env.txt");
    assert!(env.contains("MY_ONE=1") && env.contains("PITON_RUN_ID=r"), "{env}");
    assert!(!env.contains("OTHER=") && !env.contains("HOME="), "{env}");
}

#[test]
fn a_full_session_hands_on_to_a_fresh_one_and_so_does_one_that_a_person_ends() {
    let world = World::new();
    world.write(
        "mine.sh",
        "cp \"$PITON_PROMPT_FILE\" \"$BESIDE/prompt$PITON_ITERATION\"; echo \"$PITON_ITERATION $*\" >> \"$BESIDE/args\"\n\
         echo $PITON_ITERATION > done.txt\nused=10; test $PITON_ITERATION = 2 && used=93\n\
         session=a; case \"$*\" in *resume*) session=$2;; *) session=s$PITON_ITERATION;; esac\n\
         printf '{\"session_id\": \"%s\", \"context_usage_percent\": %s, \"objectives\": {\"completed\": [\"part %s\"], \"pending\": [\"the rest\"]}}' \
         $session $used $PITON_ITERATION > $PITON_REPORT\n",
    );
    world.configure(
        "[agent]\nuse = 'mine'\n[loop]\nsession = 'continue'\n[agents.mine]\ncommand = ['sh', 'mine.sh']\n\
         session_named_by = 'agent'\nsession_resume = ['resume', '{session}']\n[checks]\nc = 'false'\n",
    );
    world.piton(&["loop", "Go", "--id", "r", "--here", "--max-iterations", "4"]).exits(3);
    world.piton(&["reboot", "r"]).exits(0);
    world.piton(&["resume", "r", "--max-iterations", "5"]).exits(3);
    let args = std::fs::read_to_string(world.beside("args")).unwrap();
    assert_eq!(args, "1 \n2 resume s1\n3 \n4 resume s3\n5 \n");
    for (iteration, hands_on) in [(2, false), (3, true), (4, false), (5, true)] {
        let prompt = std::fs::read_to_string(world.beside(&format!("prompt{iteration}"))).unwrap();
        assert_eq!(prompt.contains("You take over from a session"), hands_on, "{iteration}: {prompt}");
    }
    let handed = std::fs::read_to_string(world.beside("prompt3")).unwrap();
    assert!(handed.contains("- [x] part 2") && handed.contains("- [ ] the rest"), "{handed}");
    let view: serde_json::Value = serde_json::from_str(&world.read(".ralph/state.json")).unwrap();
    assert_eq!(view["metrics"]["total_reboots"], 2);
    assert_eq!(view["session"]["session_history"].as_array().unwrap().len(), 2);
}
