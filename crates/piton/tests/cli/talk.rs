//! Talking back while an agent works: its tools, its hooks, its notes.

use crate::common::{WAITS, World, eventually};

/// An agent that speaks the protocol: one line of JSON per call, and what the server answers goes to its output.
const SPEAKS: &str = r#"
open() { printf '%s\n' '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' '{"jsonrpc":"2.0","method":"notifications/initialized"}'; }
call() { printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$2" "$3"; }
piton() { "$PITON_BIN" mcp --brief "$PITON_BRIEF" --report "$PITON_REPORT"; }
"#;

/// Runs `calls` through the tools; waits for as many answers before it closes the door.
fn agent(calls: &str, answers: usize, then: &str) -> String {
    format!(
        "{SPEAKS}\n{{ open; {calls}; until test \"$(wc -l < answers)\" -ge {answers}; do sleep 0.02; done; }} | piton > answers\n\
         cat answers; rm answers\n{then}"
    )
}

fn texts(said: &str) -> Vec<String> {
    let results = said.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    results.filter_map(|answer| Some(answer["result"]["content"][0]["text"].as_str()?.to_owned())).collect()
}

#[test]
fn an_agent_looks_records_and_reports_through_its_tools() {
    let world = World::new();
    let calls = r#"call 1 next_objective '{}'; call 2 control_signal '{}';
        call 3 record '{"kind":"decision","text":"kept the parser"}';
        call 5 set_value '{"key":"score","value":{"of":7}}';
        call 4 report '{"status":"done","summary":"made b"}'"#;
    let agent = agent(calls, 6, "echo b > b.txt");
    world.piton(&["loop", "make b", "--id", "r", "--exec", &agent, "--check", "b=test -f b.txt"]).exits(0);
    let said = texts(&world.piton(&["output", "r", "--raw"]).exits(0).out);
    assert_eq!(
        said,
        [
            "Mend the check `b` (`test -f b.txt`): it failed when it was last run.",
            "go_on: nobody asked for anything.",
            "Recorded.",
            "Recorded.",
            "Recorded. End your turn: the checks are run now, whatever you reported.",
        ]
    );
    let ends = world.events("r").into_iter().find(|event| event["type"] == "attempt_finished").unwrap();
    let report = &ends["data"]["end"]["report"];
    assert_eq!((&report["status"], &report["summary"]), (&"done".into(), &"made b".into()));
    assert!(world.piton(&["report", "r"]).exits(0).out.contains("kept the parser"));
    assert_eq!(world.json(&["show", "r"])["state"]["memory"]["custom"]["score"]["of"], 7);
}

#[test]
fn what_one_agent_records_the_next_one_reads() {
    let world = World::new();
    let agent = r#"cp "$PITON_PROMPT_FILE" "prompt$PITON_ITERATION"
        echo '{"notes":[{"kind":"finding","text":"the cache is stale"}]}' > "$PITON_REPORT""#;
    world.piton(&["loop", "x", "--id", "r", "--exec", agent, "--check", "test -f prompt2"]).exits(0);
    assert!(!world.read("prompt1").contains("the cache is stale"));
    assert!(world.read("prompt2").contains("- finding (iteration 1): the cache is stale"));
}

#[test]
fn what_does_not_fit_into_a_report_is_refused_and_what_was_said_before_stays() {
    let world = World::new();
    let calls = r#"long=$(head -c 700000 /dev/zero | tr '\0' x)
        call 1 record '{"kind":"decision","text":"kept the parser"}'
        call 2 record "{\"kind\":\"finding\",\"text\":\"$long\"}"
        call 3 record "{\"kind\":\"finding\",\"text\":\"$long\"}"
        call 4 report '{"status":"done","summary":"made b"}'"#;
    let agent = agent(calls, 5, "echo b > b.txt");
    world.piton(&["loop", "make b", "--id", "r", "--exec", &agent, "--check", "test -f b.txt"]).exits(0);
    let said = texts(&world.piton(&["output", "r", "--raw"]).exits(0).out);
    let short: Vec<_> = said.iter().map(|text| text.split(':').next().unwrap()).collect();
    let refused = "Not recorded, and what you said before is kept";
    let end = "Recorded. End your turn";
    assert_eq!(short, ["Recorded.", "Recorded.", refused, end]);
    let report = world.piton(&["report", "r"]).exits(0).out;
    assert!(report.contains("kept the parser"), "{report}");
}

/// Two servers, as of an agent and of one that it started: whatever is answered with "Recorded." is in the report.
#[test]
fn what_is_said_through_two_servers_at_once_is_all_recorded() {
    let world = World::new();
    let speak = |name: &str| {
        format!(
            r#"( {{ open; for n in 1 2 3 4 5 6 7 8; do call $n record "{{\"kind\":\"finding\",\"text\":\"{name}$n\"}}"; done
            until test "$(wc -l < {name})" -ge 9; do sleep 0.02; done; }} | piton > {name} ) & "#
        )
    };
    let agent = format!(
        "{SPEAKS}\n: > one; : > two\n{}\n{}\nwait\ncat one two; rm one two; touch b.txt",
        speak("one"),
        speak("two")
    );
    world.piton(&["loop", "x", "--id", "r", "--exec", &agent, "--check", "test -f b.txt"]).exits(0);
    let said = texts(&world.piton(&["output", "r", "--raw"]).exits(0).out);
    assert_eq!(said, vec!["Recorded."; 16]);
    let ends = world.events("r").into_iter().find(|event| event["type"] == "attempt_finished").unwrap();
    assert_eq!(ends["data"]["end"]["report"]["notes"].as_array().map(Vec::len), Some(16));
}

#[test]
fn a_question_through_the_tools_waits_for_a_person() {
    let world = World::new();
    let agent = agent(r#"call 1 ask_person '{"question":"which database?"}'"#, 2, "");
    world.piton(&["loop", "x", "--id", "r", "--exec", &agent, "--check", "false"]).exits(4);
    let status = world.json(&["status", "r"]);
    assert!(status["questions"][0]["text"].as_str().unwrap().contains("which database?"), "{status}");
}

#[test]
fn an_agent_at_work_learns_that_it_should_stop() {
    let world = World::new();
    let agent = format!(
        r#"touch begun; until grep -q '"signal": "stop"' "$PITON_BRIEF"; do sleep 0.02; done; touch "$BESIDE/heard"; {WAITS}"#
    );
    world.piton(&["loop", "x", "--id", "r", "--detach", "--exec", &agent, "--check", "false"]).exits(0);
    eventually("the agent works", || world.path("begun").exists());
    world.piton(&["stop", "r"]).exits(0);
    eventually("the agent heard of it", || world.beside("heard").exists());
    world.open_gate();
    world.piton(&["wait", "r"]).exits(4);
}

#[test]
fn whoever_only_looks_can_report_nothing() {
    let world = World::new();
    world
        .piton(&["loop", "make b", "--id", "r", "--exec", "touch b.txt", "--check", "test -f b.txt"])
        .exits(0);
    let calls = r#"call 1 state '{}'; call 2 report '{"status":"done","summary":"x"}'"#;
    let look = format!("{} mcp r > answers", env!("CARGO_BIN_EXE_piton"));
    let line = agent(calls, 3, "").replace("piton > answers", &look);
    let said = texts(&world.shell(&line).out);
    assert!(said[0].contains("\"task\": \"make b\""), "{said:?}");
    assert!(said[1].starts_with("only an agent inside an attempt can report"), "{said:?}");
}

#[test]
fn a_cheap_check_holds_an_agent_back_a_few_times_and_no_more() {
    let world = World::configured("[checks]\nb = { command = 'echo no b; test -f b.txt', cheap = true }\n");
    let hook = r#"echo '{"hook_event_name":"Stop"}' | "$PITON_BIN" __hook stop --brief "$PITON_BRIEF" --attempt "$PITON_ATTEMPT_DIR" --json; "#;
    let agent = format!("{} touch b.txt", hook.repeat(4));
    world.piton(&["loop", "x", "--id", "r", "--exec", &agent]).exits(0);
    let said = world.piton(&["output", "r", "--raw"]).exits(0).out;
    assert_eq!(said.matches("\"decision\": \"block\"").count(), 3, "{said}");
    assert!(said.contains("The check `b` (echo no b; test -f b.txt) fails."), "{said}");
}

#[test]
fn a_cheap_check_that_holds_an_agent_back_is_started_like_any_other_and_says_no_secret() {
    let world = World::configured(
        "[redact]\npatterns = ['tok-4242']\n[checks]\nb = { command = 'echo tok-4242 ${PYTHONSTARTUP:-hidden}; test -f b.txt', cheap = true }\n",
    );
    let agent = r#"echo '{}' | PYTHONSTARTUP=x "$PITON_BIN" __hook stop --brief "$PITON_BRIEF" --attempt "$PITON_ATTEMPT_DIR" --json > held; touch b.txt"#;
    world.piton(&["loop", "x", "--id", "r", "--exec", agent]).exits(0);
    let held = world.read("held");
    assert!(held.contains(" hidden") && !held.contains("4242"), "{held}");
}

/// The id stands last, where whoever reads only the beginning would miss it.
#[test]
fn a_message_that_is_too_long_is_answered() {
    let world = World::new();
    let calls = r#"printf '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"record","arguments":{"id":1,"text":"'
        head -c 40000000 /dev/zero | tr '\0' x; printf '"}},"id":"last"}\n'; call 2 control_signal '{}'"#;
    let agent = agent(calls, 3, "echo b > b.txt");
    world.piton(&["loop", "make b", "--id", "r", "--exec", &agent, "--check", "test -f b.txt"]).exits(0);
    let raw = world.piton(&["output", "r", "--raw"]).exits(0).out;
    let answers = raw.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let error = answers.into_iter().find(|answer| answer["id"] == "last").unwrap();
    assert_eq!(error["error"]["message"], "a message may be 16777216 bytes long, and this one is longer");
    assert_eq!(texts(&raw), ["go_on: nobody asked for anything."]);
}

#[test]
fn what_is_no_json_is_answered_with_a_parse_error() {
    let world = World::new();
    let calls = r#"echo '{{{'; printf '\377\376\n'; head -c 100000 /dev/zero | tr '\0' '['; echo; call 2 control_signal '{}'"#;
    let agent = agent(calls, 5, "echo b > b.txt");
    world.piton(&["loop", "make b", "--id", "r", "--exec", &agent, "--check", "test -f b.txt"]).exits(0);
    let raw = world.piton(&["output", "r", "--raw"]).exits(0).out;
    let answers = raw.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let is_error = |answer: &serde_json::Value| {
        answer["error"]["code"] == -32700 && answer.get("id").is_some_and(serde_json::Value::is_null)
    };
    assert_eq!(answers.filter(is_error).count(), 3, "{raw}");
    assert_eq!(texts(&raw), ["go_on: nobody asked for anything."]);
}

#[test]
fn a_report_that_nobody_can_read_is_not_replaced() {
    let world = World::new();
    let calls =
        r#"printf '{"status": "blocked",}' > "$PITON_REPORT"; call 1 record '{"kind":"finding","text":"x"}'"#;
    let agent = agent(calls, 2, r#"cp "$PITON_REPORT" report; echo b > b.txt"#);
    world.piton(&["loop", "make b", "--id", "r", "--exec", &agent, "--check", "test -f b.txt"]).exits(0);
    let said = texts(&world.piton(&["output", "r", "--raw"]).exits(0).out);
    assert!(said[0].starts_with("Not recorded") && said[0].contains("mend or remove the file"), "{said:?}");
    assert_eq!(world.read("report"), r#"{"status": "blocked",}"#);
}

/// What is dropped when the attempt ends is not called recorded.
#[test]
fn an_agent_that_has_left_all_that_is_kept_is_told() {
    let world = World::new();
    let calls = r#"for i in $(seq 1 21); do call $i record '{"kind":"decision","text":"kept"}'; done;
        for i in $(seq 22 122); do call $i set_value "{\"key\":\"k$i\",\"value\":1}"; done;
        call 123 set_value '{"key":"k22","value":2}'"#;
    let agent = agent(calls, 124, "true");
    let words = ["loop", "x", "--id", "r", "--exec", &agent, "--check", "false", "--max-iterations", "1"];
    world.piton(&words);
    let said = texts(&world.piton(&["output", "r", "--raw"]).exits(0).out);
    let refused: Vec<_> = said.iter().filter(|said| *said != "Recorded.").collect();
    assert_eq!(
        refused,
        [
            "Not recorded: an attempt may leave 20 notes, and all are taken; what you said before is kept.",
            "Not recorded: an attempt may leave 100 values, and all are taken; what you said before is kept.",
        ]
    );
    assert_eq!(said.len(), 123);
}
