//! What an agent is given, and what becomes of what it says.

use super::common::World;

const RED: &str = "test=test -f b.txt";

#[test]
fn an_agent_gets_its_surroundings_in_variables() {
    let world = World::new();
    let agent = r#"if [ $PITON_ITERATION = 1 ]; then echo x >> a.txt; exit; fi
        env | grep '^PITON_' | sort > $BESIDE/env; pwd > $BESIDE/pwd; touch b.txt
        test -d "$PITON_ATTEMPT_DIR" && "$PITON_BIN" --version > $BESIDE/version"#;
    world.loops("see", agent, &["--check", RED]).exits(0);
    let read = |name| std::fs::read_to_string(world.beside(name)).unwrap();
    let environment = read("env");
    let value = |name: &str| {
        let found = environment.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        found.unwrap_or_else(|| panic!("{name} is not set:\n{environment}")).to_owned()
    };
    assert_eq!(value("PITON_RUN_ID"), "see");
    assert_eq!(value("PITON_ITERATION"), "2");
    assert_eq!(value("PITON_ATTEMPT"), "2");
    let directory = world.path(".piton/attempts/see/2").canonicalize().unwrap();
    assert_eq!(std::path::Path::new(&value("PITON_ATTEMPT_DIR")), directory);
    assert_eq!(std::path::Path::new(&value("PITON_REPORT")), directory.join("outbox/report.json"));
    assert!(value("PITON_PROMPT_FILE").starts_with(&value("PITON_ATTEMPT_DIR")));
    assert!(read("version").starts_with("piton "));
    assert_eq!(std::path::Path::new(read("pwd").trim_end()), world.path("").canonicalize().unwrap());
}

#[test]
fn the_prompt_comes_on_stdin_and_in_a_file() {
    let world = World::new();
    let agent = r#"cat > $BESIDE/stdin; cp "$PITON_PROMPT_FILE" $BESIDE/file; touch b.txt"#;
    world.piton(&["loop", "Write b.txt\n\nwith care", "--exec", agent, "--check", RED]).exits(0);
    let prompt = std::fs::read_to_string(world.beside("stdin")).unwrap();
    assert_eq!(prompt, std::fs::read_to_string(world.beside("file")).unwrap());
    insta::assert_snapshot!(prompt, @r#"
    Write b.txt

    with care

    ---
    This is iteration 1 of at most 50.
    When you believe the whole task is done, write one line of JSON to the file named by $PITON_REPORT: {"status":"done","summary":"what you did"}. If you cannot go on without a person, write {"status":"blocked","reason":"what you need"} and stop; that is a good answer. Both are verified.

    After you stop, these checks are run, whatever you report:
    - test: test -f b.txt

    The check `test` fails now: it exited with 1. The end of what it printed:
    ```

    ```

    Tests, checks and their settings are compared before and after; what weakens them is put back.
    "#);
}

#[test]
fn an_agent_that_reads_nothing_is_no_problem() {
    let world = World::new();
    let task = "x".repeat(500_000);
    world.write("TASK.md", &task);
    world.piton(&["loop", "-P", "TASK.md", "--exec", "exec <&-; touch b.txt", "--check", RED]).exits(0);
}

#[test]
fn what_an_agent_spent_is_shown() {
    let world = World::new();
    let agent = r#"touch b.txt; echo '{"summary":"made b","cost_usd":0.84,"usage":{"input_tokens":1000,"output_tokens":50}}' > $PITON_REPORT"#;
    let ran = world.loops("paid", agent, &["--check", RED]).exits(0);
    assert!(ran.out.contains("$0.84"), "{}", ran.out);
    let status = world.json(&["status", "paid"]);
    assert_eq!(status["used"]["cost_usd"], 0.84);
    assert_eq!(status["used"]["tokens"], 1050);
    assert!(world.piton(&["status", "paid"]).exits(0).out.contains("$0.84"));
}

#[test]
fn what_an_agent_did_not_report_is_unknown_and_not_zero() {
    let world = World::new();
    world.loops("free", "touch b.txt", &["--check", RED]).exits(0);
    let status = world.json(&["status", "free"]);
    assert_eq!(status["used"]["cost_usd"], serde_json::Value::Null);
    assert_eq!(status["used"]["tokens"], serde_json::Value::Null);
}

#[test]
fn a_report_that_is_not_understood_stops_nothing_and_is_told() {
    for (report, told) in [
        ("not json", "its report was not understood: the report is not a JSON object"),
        (r#"{"status": "finished", "sumary": "x"}"#, "not understood in its report: status, sumary"),
    ] {
        let world = World::new();
        let agent = format!("echo '{report}' > $PITON_REPORT; touch b.txt");
        let ran = world.loops("odd", &agent, &["--check", RED]).exits(0);
        assert!(ran.out.contains(told), "{}", ran.out);
        assert!(world.piton(&["log", "odd", "--json"]).exits(0).out.contains("not understood"));
    }
}

#[test]
fn what_of_a_report_is_too_large_is_named() {
    let world = World::new();
    let agent = r#"long() { head -c $1 /dev/zero | tr '\0' w; }
        echo "{\"summary\": \"$(long 9000)\", \"custom\": {\"big\": \"$(long 20000)\", \"small\": 1}}" > $PITON_REPORT
        touch b.txt"#;
    let ran = world.loops("long", agent, &["--check", RED]).exits(0);
    let told = "too long in its report: summary (cut to 8 KiB), custom.big (left out, more than 16 KiB)";
    assert!(ran.out.contains(told), "{}", ran.out);
    assert_eq!(world.json(&["show", "long"])["state"]["memory"]["custom"]["small"], 1);
}

#[test]
fn a_session_is_handed_on_where_the_configuration_says_so() {
    let world = World::configured("[loop]\nsession = \"continue\"\n");
    let agent = r#"echo "$PITON_SESSION_ID" >> $BESIDE/sessions; echo x >> a.txt
        echo '{"session_id":"s-42"}' > $PITON_REPORT; [ $PITON_ITERATION = 2 ] && touch b.txt; true"#;
    let ran = world.loops("talk", agent, &["--check", RED]).exits(0);
    assert!(ran.out.contains("one session"), "{}", ran.out);
    let sessions = std::fs::read_to_string(world.beside("sessions")).unwrap();
    assert_eq!(sessions.lines().nth(1), Some("s-42"), "{sessions}");
}

#[test]
fn output_shows_both_streams_of_any_attempt_and_of_a_check() {
    let world = World::new();
    let agent = "echo out-$PITON_ITERATION; echo err-$PITON_ITERATION >&2; [ $PITON_ITERATION = 2 ] && touch b.txt; echo x >> a.txt";
    world.loops("talk", agent, &["--check", "test=echo judging; test -f b.txt"]).exits(0);
    assert_eq!(world.piton(&["output", "talk"]).exits(0).out, "out-2\nerr-2\n");
    assert_eq!(world.piton(&["output", "talk", "1"]).exits(0).out, "out-1\nerr-1\n");
    assert_eq!(world.piton(&["output", "talk", "check-1-0-1"]).exits(0).out, "judging\n");
    let ran = world.piton(&["output", "talk", "9"]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: run `talk` has no attempt `9`

    hint: run `piton log talk` to see its attempts
    ");
    for name in ["../../../etc", "..", "/etc", ""] {
        world.piton(&["output", "talk", name]).exits(2);
    }
}

#[test]
fn output_can_be_followed_while_the_agent_works() {
    let world = World::new();
    let agent = format!("echo before; {}; echo after; touch b.txt", super::common::WAITS);
    world.loops_behind("talk", &agent, &["--check", RED]);
    let following = world.start(&["output", "talk", "-f"]);
    following.prints("before\n");
    world.open_gate();
    assert_eq!(following.ends().exits(0).out, "before\nafter\n");
}

#[test]
fn a_secret_of_the_environment_reaches_no_file_of_piton() {
    let world = World::new();
    let secret = "sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyz";
    let agent = "echo the key is $MY_API_KEY; touch b.txt; echo \"{\\\"summary\\\":\\\"used $MY_API_KEY\\\"}\" > $PITON_REPORT";
    let arguments = ["loop", "Do it", "--id", "leak", "--exec", agent, "--check", RED];
    let ran = world.piton_with(&[("MY_API_KEY", secret)], &arguments).exits(0);
    assert!(!ran.out.contains(secret));
    for command in [&["output", "leak"][..], &["show", "leak"], &["log", "leak", "--json"]] {
        assert!(!world.piton(command).exits(0).out.contains(secret), "{command:?}");
    }
}
