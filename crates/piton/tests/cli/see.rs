//! Looking at runs: the screens people read and the JSON that scripts rely on.

use serde_json::{Value, json};

use super::common::{WAITS, World};

/// Two iterations: the first makes one of two checks green, the second both.
fn finished() -> World {
    let world = World::new();
    let agent = "if [ $PITON_ITERATION = 1 ]; then echo b > b.txt; else echo c > c.txt; fi; echo round $PITON_ITERATION";
    world.loops("fix", agent, &["--check", "one=test -f b.txt", "--check", "two=test -f c.txt"]).exits(0);
    world
}

#[track_caller]
fn has_fields(value: &Value, fields: &[&str]) {
    for field in fields {
        assert!(value.get(field).is_some(), "no `{field}` in {value:#}");
    }
}

#[test]
fn the_screens_of_a_finished_run() {
    let world = finished();
    insta::assert_snapshot!(world.piton(&["ls"]).exits(0).out, @"fix                                           completed (checks_pass)       #2 T s  Do it");
    insta::assert_snapshot!(world.piton(&["status"]).exits(0).out, @"
    fix   done since HH:MM:SSZ ( T s)
    why      2 of 2 checks green
    do       piton diff fix                   driver  none
    checks   one ✓ · two ✓     best  #2  2 of 2 checks
    changed  2 files, in place
    used     2 of 50 iterations · T s of 8h00m
    ");
    insta::assert_snapshot!(world.piton(&["why"]).exits(0).out, @"
    fix   completed: 2 of 2 checks green
         1  HH:MM:SSZ  created: Do it (2 checks, agent exec)
         2  HH:MM:SSZ  driver PID took the lease (epoch 1)
         3  HH:MM:SSZ  checks 1 begin
         4  HH:MM:SSZ  tree TREE on record
         5  HH:MM:SSZ  checks 1: one ✗ · two ✗ ( T s)
         6  HH:MM:SSZ  attempt 1 of iteration 1 begins
         7  HH:MM:SSZ  attempt 1 succeeded ( T s)
         8  HH:MM:SSZ  checks 2 begin
         9  HH:MM:SSZ  checks 2: one ✓ · two ✗ ( T s)
        10  HH:MM:SSZ  iteration 1: kept, progress, the best so far
        11  HH:MM:SSZ  attempt 2 of iteration 2 begins
        12  HH:MM:SSZ  attempt 2 succeeded ( T s)
        13  HH:MM:SSZ  checks 3 begin
        14  HH:MM:SSZ  checks 3: one ✓ · two ✓ ( T s)
        15  HH:MM:SSZ  iteration 2: kept, progress, the best so far
        16  HH:MM:SSZ  completed (checks_pass)
    not the cause: iterations 2 of 50 · time T s of 8h00m · no progress 0 of 5 · failures 0 of 5
    ");
    insta::assert_snapshot!(world.piton(&["log", "fix", "--from", "10"]).exits(0).out, @"
    10  HH:MM:SSZ  iteration 1: kept, progress, the best so far
    11  HH:MM:SSZ  attempt 2 of iteration 2 begins
    12  HH:MM:SSZ  attempt 2 succeeded ( T s)
    13  HH:MM:SSZ  checks 3 begin
    14  HH:MM:SSZ  checks 3: one ✓ · two ✓ ( T s)
    15  HH:MM:SSZ  iteration 2: kept, progress, the best so far
    16  HH:MM:SSZ  completed (checks_pass)
    ");
    insta::assert_snapshot!(world.piton(&["best"]).exits(0).out, @"#2  2 of 2 checks, score 100.0");
    insta::assert_snapshot!(world.piton(&["output"]).exits(0).out, @"round 2");
}

#[test]
fn the_screens_of_a_run_under_way() {
    let world = World::new();
    world.loops_behind("now", WAITS, &["--check", "test=test -f b.txt"]);
    insta::assert_snapshot!(world.piton(&["status"]).exits(0).out, @"
    now   running since HH:MM:SSZ ( T s)
    why      under way
    do       piton attach now                 driver  process PID since HH:MM:SSZ
    checks   test ✗
    used     0 of 50 iterations · T s of 8h00m
    ");
    insta::assert_snapshot!(world.piton(&["why"]).exits(0).out, @"
    now   running: under way
         1  HH:MM:SSZ  created: Do it (1 check, agent exec)
         2  HH:MM:SSZ  driver PID took the lease (epoch 1)
         3  HH:MM:SSZ  checks 1 begin
         4  HH:MM:SSZ  tree TREE on record
         5  HH:MM:SSZ  checks 1: test ✗ ( T s)
         6  HH:MM:SSZ  attempt 1 of iteration 1 begins
    not the cause: iterations 0 of 50 · time T s of 8h00m · no progress 0 of 5 · failures 0 of 5
    ");
    let best = world.piton(&["best"]).exits(0);
    assert_eq!((best.out.as_str(), best.err.as_str()), ("", "no iteration was judged yet\n"));
    let status = world.json(&["status"]);
    has_fields(&status["driver"], &["pid", "host", "since"]);
    assert_eq!(status["status"], "running");
    assert_eq!(status["exit_code"], Value::Null);
}

#[test]
fn ls_json_has_the_promised_fields() {
    let world = finished();
    let list = world.json(&["ls"]);
    has_fields(
        &list[0],
        &["run_id", "kind", "title", "status", "reason", "created_at", "updated_at", "iteration"],
    );
    assert_eq!(list[0]["kind"], "loop");
    assert_eq!(list[0]["title"], "Do it");
    assert_eq!(World::new().json(&["ls"]), json!([]), "an empty list where there is nothing");
}

#[test]
fn status_json_has_the_promised_fields() {
    let world = finished();
    let status = world.json(&["status", "fix"]);
    has_fields(
        &status,
        &["run_id", "kind", "title", "status", "reason", "created_at", "updated_at", "iteration"],
    );
    has_fields(&status, &["next", "driver", "limits", "checks", "best", "findings", "questions"]);
    for limit in ["iterations", "duration_ms", "cost_usd", "tokens", "no_progress", "failures"] {
        has_fields(&status["limits"][limit], &["used", "max"]);
    }
    assert_eq!(status["limits"]["iterations"], json!({"used": 2, "max": 50}));
    assert_eq!(status["checks"][0]["name"], "one");
    assert_eq!(status["checks"][1]["passed"], true);
    assert_eq!(status["best"]["iteration"], 2);
    assert_eq!(status["best"]["quality_score"], 100.0);
    assert_eq!((&status["findings"], &status["questions"]), (&json!([]), &json!([])));
}

#[test]
fn show_and_log_json_have_the_promised_fields() {
    let world = finished();
    let shown = world.json(&["show", "fix"]);
    has_fields(&shown, &["run_id", "kind", "seq", "state"]);
    let events = world.events("fix");
    for (index, event) in events.iter().enumerate() {
        has_fields(event, &["seq", "at", "type", "v", "data", "hash"]);
        assert_eq!(event["seq"], index as u64 + 1, "none is missing");
    }
    assert_eq!(shown["seq"], events.len());
    assert_eq!(shown["state"]["status"], "completed");
}

#[test]
fn why_and_best_and_verify_speak_json_too() {
    let world = finished();
    has_fields(&world.json(&["why"]), &["run_id", "status", "reason", "because", "events", "not_the_cause"]);
    assert_eq!(world.json(&["best"])["iteration"], 2);
    let verified = world.json(&["verify"]);
    has_fields(&verified, &["ok", "runs_checked", "events_checked", "problems"]);
    assert_eq!(verified["ok"], true);
    assert_eq!(verified["runs_checked"], 1);
    insta::assert_snapshot!(world.piton(&["verify"]).exits(0).out, @"ok: 1 run, 16 events, 0 problems");
}

#[test]
fn the_past_can_be_shown() {
    let world = finished();
    let at = |flag: &str, number: &str| world.json(&["show", "fix", flag, number]);
    let first = at("--at", "1");
    assert_eq!((&first["seq"], &first["state"]["status"]), (&json!(1), &json!("created")));
    let one = at("--iteration", "1");
    assert_eq!(one["state"]["counters"]["iterations"], 1);
    assert_eq!(one["state"]["status"], "running");
    let two = at("--iteration", "2");
    assert_eq!(two, world.json(&["show", "fix"]), "the last iteration ends where the run does");
    let zero = at("--iteration", "0");
    assert!(
        zero["state"]["seen"]["baseline"].is_object() && zero["state"]["work"]["attempt"] == 0,
        "0 is the start, as in `restore`"
    );
    for (flag, number) in [("--at", "0"), ("--at", "9999"), ("--iteration", "3")] {
        let ran = world.piton(&["show", "fix", flag, number]).exits(2);
        assert!(ran.err.starts_with("error: "), "{flag} {number}: {}", ran.err);
    }
}

#[test]
fn a_log_can_be_followed_until_the_run_rests() {
    let world = World::new();
    world.loops_behind("now", &format!("{WAITS}; touch b.txt"), &["--check", "test=test -f b.txt"]);
    let following = world.start(&["log", "now", "-f", "--json"]);
    following.prints("attempt_started");
    world.open_gate();
    let ran = following.ends().exits(0);
    assert!(ran.out.lines().last().is_some_and(|line| line.contains("run_completed")), "{}", ran.out);
}

#[test]
fn runs_that_need_you_come_first_and_can_be_picked() {
    let world = World::new();
    let blocked = r#"echo '{"status":"blocked","reason":"why?"}' > $PITON_REPORT"#;
    world.loops("asks", blocked, &["--check", "test=false"]).exits(4);
    world.loops("limited", "true", &["--check", "test=false", "--max-iterations", "1"]).exits(3);
    world.loops("over", "touch b.txt", &["--check", "test=test -f b.txt"]).exits(0);
    insta::assert_snapshot!(world.piton(&["ls"]).exits(0).out, @"
    asks                                          waiting (blocked)             #1 T s  Do it
    over                                          completed (checks_pass)       #1 T s  Do it
    limited                                       stopped (limit:iterations)    #1 T s  Do it
    ");
    let names = |arguments: &[&str]| -> Vec<String> {
        let list = world.json(&[&["ls"], arguments].concat());
        list.as_array().unwrap().iter().map(|run| run["run_id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&["--status", "completed"]), ["over"]);
    assert_eq!(names(&["--kind", "loop"]), ["asks", "over", "limited"]);
    assert_eq!(names(&["--kind", "workflow"]), [""; 0]);
    assert_eq!(names(&["--since", "2999-01-01T00:00:00Z"]), [""; 0]);
    let ran = world.piton(&["ls", "--since", "yesterday"]).exits(2);
    insta::assert_snapshot!(ran.err, @"error: `yesterday` is not a time like `TIME`");
}

#[test]
fn a_run_is_seen_from_a_directory_inside_and_seen_elsewhere() {
    let world = finished();
    std::fs::create_dir(world.path("deep")).unwrap();
    let ran = world.shell(&format!("cd deep && '{}' status --json", env!("CARGO_BIN_EXE_piton"))).exits(0);
    assert!(ran.out.contains("\"fix\""));
    let repo = world.path("").display().to_string();
    let ran = world
        .shell(&format!("cd / && '{}' --repo '{repo}' status --json", env!("CARGO_BIN_EXE_piton")))
        .exits(0);
    assert!(ran.out.contains("\"fix\""));
    let store = format!("sqlite:{}", world.path(".piton/journal.db").display());
    let ran = world
        .shell(&format!("cd / && '{}' --store '{store}' status --json", env!("CARGO_BIN_EXE_piton")))
        .exits(0);
    assert!(ran.out.contains("\"fix\""));
    let ran = world.piton(&["--repo", "nowhere", "status"]).exits(2);
    insta::assert_snapshot!(ran.err, @"error: there is no directory `nowhere`: No such file or directory (os error 2)");
    let ran = world.piton(&["--store", "postgres://x", "status"]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: `postgres://x` is not a journal this piton can open

    hint: give sqlite:PATH/.piton/journal.db
    ");
}

#[test]
fn a_kind_or_status_that_is_none_is_refused() {
    let world = World::new();
    for (flag, word) in [("--kind", "loops"), ("--status", "nope")] {
        let ran = world.piton(&["ls", flag, word]).exits(2);
        assert!(ran.err.contains("possible values"), "{}", ran.err);
    }
    world.piton(&["ls", "--kind", "loop", "--status", "running"]).exits(0);
}

#[test]
fn a_run_of_another_kind_is_said_to_be_one() {
    let world = World::new();
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'exit 3'}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "w1", "--max-attempts", "1"]).exits(1);
    let ran = world.piton(&["metrics", "w1"]).exits(2);
    assert!(ran.err.contains("is a workflow"), "{}", ran.err);
    let why = world.json(&["why", "w1"]);
    assert_eq!(why["not_the_cause"], serde_json::json!(["lost 0"]), "the failures are the cause");
    world.piton(&["gaps", "add", "g", "--category", "c", "question=why"]).exits(0);
    let ledgers = world.json(&["ls", "--kind", "ledger"]);
    let id = ledgers[0]["run_id"].as_str().unwrap();
    for arguments in [vec!["metrics", id], vec!["fork", id, "--at", "1"], vec!["fork", id, "--step", "x"]] {
        let ran = world.piton(&arguments).exits(2);
        assert!(ran.err.contains("is a ledger"), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn an_event_that_a_run_does_not_have_is_named_and_nothing_begins() {
    let world = World::new();
    world.loops("r", "echo x >> a.txt", &["--check", "true", "--max-iterations", "1"]).exits(3);
    let last = world.events("r").len();
    for (command, at) in [("fork", "0"), ("fork", "99999"), ("show", "0"), ("show", "99999")] {
        let ran = world.piton(&[command, "r", "--at", at]).exits(2);
        assert!(
            ran.err.contains(&format!("run `r` has no event {at}: they are 1 to {last}")),
            "{command} {at}: {ran:?}"
        );
    }
    assert_eq!(world.json(&["ls", "--all"]).as_array().map(Vec::len), Some(1), "no run began");
}
