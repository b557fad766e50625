//! Ceilings: a loop ends at them with 3, says which one it was, and goes on when it is raised.

use super::common::{WAITS, World, eventually};

const NEVER: &str = "test=test -f never.txt";

/// The command that is advised, without the name of the program.
fn advised(world: &World, run: &str) -> Vec<String> {
    let next = world.json(&["status", run])["next"].as_str().unwrap().to_owned();
    next.split(' ').skip(1).map(str::to_owned).collect()
}

#[test]
fn what_is_advised_works_where_a_run_stands_at_more_than_it_rests_for() {
    let world = World::configured("[loop]\nno_progress = 2\n");
    let more = ["--check", NEVER, "--max-iterations", "2", "--max-files", "1"];
    for (run, agent, reason, next) in [
        ("idle", "true", "no_progress", "resume idle --max-iterations +25"),
        (
            "busy",
            "echo $PITON_ITERATION > a; test $PITON_ITERATION = 1 || touch b",
            "limit:iterations",
            "resume busy --max-iterations +25 --max-files +20",
        ),
    ] {
        world.loops(run, agent, &more).exits(3);
        assert_eq!(world.json(&["status", run])["reason"], reason);
        let words = advised(&world, run);
        assert_eq!(words.join(" "), next);
        world.piton(&words.iter().map(String::as_str).collect::<Vec<_>>()).exits(3);
        assert!(world.count(run, "attempt_started") > 2, "it went on");
    }
    let more = ["--check", NEVER, "--max-files", "1", "--max-iterations", "1"];
    let ran = world.loops("part", "touch c d", &more).exits(3);
    assert!(
        ran.out.contains("limits    1 iteration · 8h00m working, waits not counted · 1 file changed · 2 wi"),
        "{}",
        ran.out
    );
    let refused = world.piton(&["resume", "part", "--max-iterations", "+1"]).exits(3).err;
    assert!(refused.contains("`piton resume part --max-iterations +25 --max-files +20`"), "{refused}");
}

#[test]
fn the_iteration_limit_stops_it_and_a_raise_goes_on() {
    let world = World::new();
    let ran = world.loops("long", "echo x >> a.txt", &["--check", NEVER, "--max-iterations", "2"]).exits(3);
    insta::assert_snapshot!(ran.out, @"
    run long · exec, fresh session per iteration · in place
    baseline  test ✗   ( T s)
    note      stopping when every check passes
    limits    2 iterations · 8h00m working, waits not counted · 5 without progress · 5 failures in a row
      #1 T s  +1 −0         test ✗
      #2 T s  +1 −0         test ✗
    stopped   reached its limit of 2 iterations · 2 iterations, T s
    result    files changed in place, nothing committed; best is #1 with 0 of 1 checks
    next      piton resume long --max-iterations +25
    ");

    let ran = world.piton(&["resume", "long"]).exits(3);
    insta::assert_snapshot!(ran.err, @"
    error: run `long` stands at its limit (limit:iterations)

    hint: run `piton resume long --max-iterations +25`
    ");

    let ran = world.piton(&["resume", "long", "--max-iterations", "+1"]).exits(3);
    insta::assert_snapshot!(ran.out, @"
          resumed
      #3 T s  +1 −0         test ✗
    stopped   reached its limit of 3 iterations · 3 iterations, T s
    result    files changed in place, nothing committed; best is #1 with 0 of 1 checks
    next      piton resume long --max-iterations +25
    ");
    assert_eq!(world.read("a.txt"), "a\nx\nx\nx\n", "a resume never resets the count");

    world.piton(&["resume", "long", "--max-iterations", "4"]).exits(3);
    assert_eq!(world.json(&["status", "long"])["limits"]["iterations"]["max"], 4);
}

#[test]
fn a_raise_that_is_no_number_is_refused() {
    let world = World::new();
    world.loops("long", "echo x >> a.txt", &["--check", NEVER, "--max-iterations", "1"]).exits(3);
    let ran = world.piton(&["resume", "long", "--max-iterations", "lots"]).exits(2);
    insta::assert_snapshot!(ran.err, @"error: --max-iterations: it must be a whole number");
}

#[test]
fn iterations_that_change_nothing_stop_it() {
    let world = World::new();
    let ran = world.loops("idle", "true", &["--check", NEVER]).exits(3);
    insta::assert_snapshot!(ran.out, @"
    run idle · exec, fresh session per iteration · in place
    baseline  test ✗   ( T s)
    note      stopping when every check passes
    limits    50 iterations · 8h00m working, waits not counted · 5 without progress · 5 failures in a row
      #1 T s  no change     test ✗
      #2 T s  no change     test ✗
      #3 T s  no change     test ✗
      #4 T s  no change     test ✗
      #5 T s  no change     test ✗
    stopped   no progress in 5 iterations in a row · 5 iterations, T s
    result    no file changed; best is #1 with 0 of 1 checks
    next      piton resume idle
    ");
    assert_eq!(world.json(&["status", "idle"])["reason"], "no_progress");
}

#[test]
fn money_is_counted_from_what_the_agent_reports() {
    let world = World::new();
    let agent = r#"echo x >> a.txt; echo '{"cost_usd":0.75,"usage":{"input_tokens":100,"output_tokens":20}}' > $PITON_REPORT"#;
    let ran = world.loops("spend", agent, &["--check", NEVER, "--max-cost", "1.5"]).exits(3);
    insta::assert_snapshot!(ran.out, @"
    run spend · exec, fresh session per iteration · in place
    baseline  test ✗   ( T s)
    note      stopping when every check passes
    limits    50 iterations · 8h00m working, waits not counted · $1.50 · 5 without progress · 5 failures in a row
      #1 T s  +1 −0         test ✗   $0.75
      #2 T s  +1 −0         test ✗   $0.75
    stopped   reached its money ceiling, $1.50 spent · 2 iterations, T s, $1.50
    result    files changed in place, nothing committed; best is #1 with 0 of 1 checks
    next      piton resume spend --max-cost +10
    ");
    let status = world.json(&["status", "spend"]);
    assert_eq!(status["reason"], "limit:cost");
    assert_eq!(status["limits"]["cost_usd"], serde_json::json!({"used": 1.5, "max": 1.5}));
    assert_eq!(status["limits"]["tokens"]["used"], 240);
    let screen = world.piton(&["status", "spend"]).exits(0).out;
    assert!(screen.contains("$1.50 of $1.50"), "{screen}");
    assert!(screen.contains("piton resume spend --max-cost +10"), "{screen}");
}

#[test]
fn tokens_are_a_limit_too() {
    let world = World::new();
    let agent =
        r#"echo x >> a.txt; echo '{"usage":{"input_tokens":100,"output_tokens":20}}' > $PITON_REPORT"#;
    world.loops("spend", agent, &["--check", NEVER, "--max-tokens", "200"]).exits(3);
    assert_eq!(world.json(&["status", "spend"])["reason"], "limit:tokens");
}

#[test]
fn a_run_at_any_ceiling_is_told_the_flag_that_gets_it_past_that() {
    for (limit, value, agent, flag) in [
        ("--max-files", "1", "for n in $(seq 30); do echo $n > f$n; done", "--max-files +49"),
        ("--max-lines", "2", "seq 9 > lines", "--max-lines +1000"),
        (
            "--max-tokens",
            "5",
            r#"date +%N > a.txt; echo '{"usage":{"input_tokens":9,"output_tokens":1}}' > $PITON_REPORT"#,
            "--max-tokens +1000000",
        ),
    ] {
        let world = World::new();
        let ran = world.loops("r", agent, &["--check", NEVER, limit, value]).exits(3);
        assert!(ran.out.contains(&format!("next      piton resume r {flag}\n")), "{}", ran.out);
        let refused = world.piton(&["resume", "r"]).exits(3);
        assert!(refused.err.contains(&format!("hint: run `piton resume r {flag}`")), "{}", refused.err);
        let (name, more) = flag.split_once(' ').unwrap();
        let words = ["resume", "r", name, more, "--max-iterations", "2"];
        assert!(world.piton(&words).exits(3).out.contains("resumed"), "{flag} leads somewhere");
    }
}

#[test]
fn money_that_some_attempts_report_counts_as_so_much_or_more() {
    let world = World::new();
    let agent = "echo x >> n; test $PITON_ITERATION = 2 || echo '{\"cost_usd\": 3}' > $PITON_REPORT";
    world.loops("r", agent, &["--check", NEVER, "--max-cost", "5"]).exits(3);
    assert_eq!(world.json(&["status", "r"])["reason"], "limit:cost");
    let screen = world.piton(&["status", "r"]).exits(0).out;
    assert!(screen.contains("$6.00 or more of $5.00"), "{screen}");
}

/// A provider that refuses in the middle of the last attempt does not make its work undone.
#[test]
fn what_was_done_before_the_provider_refused_is_checked_before_the_run_ends() {
    for report in [
        r#"{"error_class": "overloaded", "cost_usd": 3, "message": "busy"}"#,
        r#"{"error_class": "rate_limit", "status": "done", "message": "no more today"}"#,
        r#"{"error_class": "auth", "message": "logged out"}"#,
    ] {
        let world = World::new();
        let agent = format!("touch there; echo '{report}' > $PITON_REPORT; exit 1");
        let ran = world.loops("r", &agent, &["--check", "test=test -f there", "--max-cost", "1"]).exits(0);
        assert!(ran.out.contains("the check is green"), "{report}\n{}", ran.out);
        assert_eq!(world.count("r", "attempt_started"), 1);
    }
}

/// A run at its ceiling has nothing to ask of its provider, and so nothing to wait for.
#[test]
fn a_run_at_its_ceiling_does_not_wait_for_the_provider() {
    for (makes, code, place) in [("there", 0, "completed"), ("elsewhere", 3, "stopped")] {
        let world = World::new();
        let report = r#"{"error_class": "overloaded", "cost_usd": 3, "message": "busy"}"#;
        let agent = format!("touch {makes}; echo '{report}' > $PITON_REPORT; exit 1");
        world.loops("r", &agent, &["--check", "test=test -f there", "--max-cost", "1"]).exits(code);
        assert_eq!(world.json(&["status", "r"])["status"], place);
        assert_eq!(world.count("r", "run_waiting"), 0);
    }
}

/// Somebody stops the run after the attempt that used everything up, before its work has its verdict.
#[test]
fn resume_judges_what_was_done_before_the_ceiling_speaks() {
    for (mends, code) in [("touch there", 0), ("touch elsewhere", 3)] {
        let world = World::new();
        let agent = format!("{mends}; touch $BESIDE/worked; echo '{{\"cost_usd\": 3}}' > $PITON_REPORT");
        let check = format!("test=! test -e $BESIDE/worked || {{ {WAITS}; }}; test -f there");
        world.loops("r", &agent, &["--check", &check, "--max-cost", "1", "--detach"]).exits(0);
        eventually("its work is checked", || world.count("r", "checks_started") == 2);
        world.piton(&["stop", "r", "--now"]).exits(0);
        world.piton(&["wait", "r"]).exits(4);
        world.open_gate();
        let ran = world.piton(&["resume", "r"]).exits(code);
        assert!(!ran.err.contains("stands at its limit"), "{}", ran.err);
        assert_eq!(world.count("r", "iteration_concluded"), 1);
        assert_eq!(world.count("r", "attempt_started"), 1);
        let refused = world.piton(&["resume", "r"]).exits(if code == 0 { 2 } else { 3 }).err;
        assert_eq!(refused.contains("stands at its limit (limit:cost)"), code == 3, "{refused}");
    }
}

#[test]
fn a_money_ceiling_that_cannot_be_enforced_says_so() {
    let world = World::new();
    let ran = world
        .loops("blind", "echo x >> a.txt", &["--check", NEVER, "--max-cost", "1", "--max-iterations", "1"])
        .exits(3);
    insta::assert_snapshot!(ran.err, @"note: cost: unknown (not enforced), unless the agent `exec` reports it");
    let screen = world.piton(&["status", "blind"]).exits(0).out;
    assert!(screen.contains("cost: unknown (not enforced)"), "{screen}");
    assert_eq!(world.json(&["status", "blind"])["limits"]["cost_usd"]["used"], serde_json::Value::Null);
    let why = world.piton(&["why", "blind"]).exits(0).out;
    assert!(why.contains("money unknown of $1.00") && !why.contains("$0.00"), "{why}");
}

#[test]
fn an_agent_that_never_ends_is_ended_when_the_working_time_is_used_up() {
    let world = World::new();
    let ran = world.loops("slow", "sleep 600", &["--check", NEVER, "--max-duration", "1s"]).exits(3);
    assert!(ran.out.contains("agent took too long"), "{}", ran.out);
    assert!(ran.out.contains("piton resume slow --max-duration"), "{}", ran.out);
}

/// Where no ceiling was set, what is added is added to what was used; and what stands in the way is named.
#[test]
fn a_raise_without_a_ceiling_counts_from_what_was_used() {
    let world = World::new();
    let agent = r#"echo x >> a.txt; echo '{"cost_usd":60,"usage":{"input_tokens":100,"output_tokens":20}}' > $PITON_REPORT"#;
    world.loops("l", agent, &["--check", NEVER, "--max-iterations", "1"]).exits(3);
    let ran = world.piton(&["resume", "l", "--max-iterations", "+3", "--max-cost", "50"]).exits(3);
    assert!(ran.err.contains("limit:cost"), "{}", ran.err);
    assert!(ran.err.contains("run `piton resume l --max-iterations +25 --max-cost +10`"), "{}", ran.err);
    let ran = world.piton(&["resume", "l", "--max-iterations", "1"]).exits(3);
    assert!(ran.err.contains("run `piton resume l --max-iterations +25`"), "{}", ran.err);
    let more = ["--max-iterations", "+3", "--max-cost", "+10", "--max-tokens", "+1000"];
    world.piton(&[&["resume", "l"], &more[..]].concat()).exits(3);
    let limits = &world.json(&["status", "l"])["limits"];
    assert_eq!(limits["cost_usd"], serde_json::json!({"used": 120.0, "max": 70.0}));
    assert_eq!(limits["tokens"]["max"], 1120);
}
