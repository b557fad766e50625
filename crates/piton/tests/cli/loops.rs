//! `piton loop`: when it is done, when it goes on, when it refuses to begin.

use super::common::World;

const RED: &str = "test=test -f b.txt";

/// Agents report with this; `$1` is the status.
const REPORT: &str = r#"report() { echo "{\"status\":\"$1\"}" > "$PITON_REPORT"; }; "#;

#[test]
fn a_red_check_that_turns_green_ends_the_loop() {
    let world = World::new();
    let agent = "if [ $PITON_ITERATION = 2 ]; then echo b > b.txt; else echo x >> a.txt; fi";
    let ran = world.loops("fix", agent, &["--check", RED]).exits(0);
    assert_eq!(ran.err, "");
    insta::assert_snapshot!(ran.out, @"
    run fix · exec, fresh session per iteration · in place
    baseline  test ✗   ( T s)
    note      stopping when every check passes
    limits    50 iterations · 8h00m working, waits not counted · 5 without progress · 5 failures in a row
      #1 T s  +1 −0         test ✗
      #2 T s  +1 −0         test ✓
    done      the check is green · 2 iterations, T s
    result    files changed in place, nothing committed
    next      piton diff fix
    ");
    assert_eq!(world.read("b.txt"), "b\n");
}

#[test]
fn a_green_baseline_needs_a_report_of_done_and_a_changed_tree() {
    let world = World::new();
    // Done without a change, a change without done, then both.
    let agent = format!(
        "{REPORT} cat > $BESIDE/prompt-$PITON_ITERATION
         case $PITON_ITERATION in 1) report done;; 2) echo b > b.txt;; *) report done;; esac"
    );
    let ran = world.loops("polish", &agent, &["--check", "test=true"]).exits(0);
    insta::assert_snapshot!(ran.out, @"
    run polish · exec, fresh session per iteration · in place
    baseline  test ✓   ( T s)
    note      stopping when the agent reports done, the tree changed and all checks are green
    limits    50 iterations · 8h00m working, waits not counted · 5 without progress · 5 failures in a row
      #1 T s  no change     test ✓
      #2 T s  +1 −0         test ✓
      #3 T s  no change     test ✓
    done      agent reported done, the check is green, the tree changed · 3 iterations, T s
    result    files changed in place, nothing committed
    next      piton diff polish
    ");
    let told = std::fs::read_to_string(world.beside("prompt-2")).unwrap();
    assert!(told.contains("You reported done, but no file differs from the start of this run."), "{told}");
}

#[test]
fn a_report_of_done_with_a_red_check_goes_on() {
    let world = World::new();
    let agent = format!(
        "{REPORT} cat > $BESIDE/prompt-$PITON_ITERATION
         if [ $PITON_ITERATION = 1 ]; then rm a.txt; else echo better > a.txt; fi; report done"
    );
    let ran = world.loops("polish", &agent, &["--check", "test=test -f a.txt"]).exits(0);
    assert!(ran.out.contains("agent reported done, the check is green, the tree changed"), "{}", ran.out);
    assert_eq!(world.json(&["status", "polish"])["iteration"], 2);
    let told = std::fs::read_to_string(world.beside("prompt-2")).unwrap();
    assert!(told.contains("You reported done, but not every check passes."), "{told}");
    assert!(told.contains("The check `test` fails now: it exited with 1."), "{told}");
}

#[test]
fn a_report_of_done_is_not_enough_where_a_check_was_red_from_the_start() {
    let world = World::new();
    let agent = format!("{REPORT} echo x >> a.txt; report done");
    let ran = world.loops("lazy", &agent, &["--check", RED, "--max-iterations", "2"]).exits(3);
    assert!(ran.out.contains("test ✗"), "{}", ran.out);
}

#[test]
fn until_a_file_exists() {
    let world = World::new();
    let agent = "if [ $PITON_ITERATION = 2 ]; then echo ok > READY; else echo x >> a.txt; fi";
    let ran = world.loops("ready", agent, &["--until", "file:READY"]).exits(0);
    insta::assert_snapshot!(ran.out, @"
    run ready · exec, fresh session per iteration · in place
    baseline  file:READY ✗   ( T s)
    note      stopping when all of this holds: file:READY
    limits    50 iterations · 8h00m working, waits not counted · 5 without progress · 5 failures in a row
      #1 T s  +1 −0         file:READY ✗
      #2 T s  +1 −0         file:READY ✓
    done      file:READY holds · 2 iterations, T s
    result    files changed in place, nothing committed
    next      piton diff ready
    ");
}

#[test]
fn until_a_command_succeeds() {
    let world = World::new();
    let ran =
        world.loops("count", "echo x >> a.txt", &["--until", "cmd:grep -c x a.txt | grep -qx 3"]).exits(0);
    assert!(ran.out.contains("grep -qx 3 holds · 3 iterations"), "{}", ran.out);
}

#[test]
fn until_done_with_no_check_at_all() {
    let world = World::new();
    let agent = format!("{REPORT} echo x >> a.txt; [ $PITON_ITERATION = 2 ] && report done; true");
    let ran = world.loops("free", &agent, &["--until", "done"]).exits(0);
    insta::assert_snapshot!(ran.out, @"
    run free · exec, fresh session per iteration · in place
    note      stopping when the agent reports done and the tree changed (there is no check)
    limits    50 iterations · 8h00m working, waits not counted · 5 without progress · 5 failures in a row
      #1 T s  +1 −0
      #2 T s  +1 −0
    done      agent reported done, the tree changed · 2 iterations, T s
    result    files changed in place, nothing committed
    next      piton diff free
    ");
}

#[test]
fn until_several_conditions_needs_all_of_them() {
    let world = World::new();
    let agent = "echo x >> a.txt; [ $PITON_ITERATION = 1 ] && echo b > b.txt; [ $PITON_ITERATION = 3 ] && echo c > c.txt; true";
    let ran =
        world.loops("both", agent, &["--check", RED, "--until", "checks-pass", "--until", "file:c.txt"]);
    let ran = ran.exits(0);
    assert!(ran.out.contains("checks-pass and file:c.txt holds · 3 iterations"), "{}", ran.out);
}

#[test]
fn checks_pass_on_a_green_baseline_is_refused_with_a_hint() {
    let world = World::new();
    let ran = world
        .loops("green", "touch $BESIDE/ran", &["--check", "test=true", "--until", "checks-pass"])
        .exits(2);
    insta::assert_snapshot!(ran.out, @"
    run green · exec, fresh session per iteration · in place
    baseline  test ✓   ( T s)
    note      stopping when every check passes
    limits    50 iterations · 8h00m working, waits not counted · 5 without progress · 5 failures in a row
    stopped   every check passes already, so `checks-pass` could never be judged · 0 iterations, T s
    result    no file changed
    next      piton loop … --until done
    ");
    assert!(!world.beside("ran").exists(), "the agent was started");
}

#[test]
fn a_loop_that_nothing_would_stop_is_refused() {
    let world = World::new();
    let ran = world.loops("endless", "true", &[]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: nothing would stop this loop: it has no check and no condition

    hint: give `--check CMD`, or run `piton init` to find the checks of this project
    ");
    let ran = world.loops("endless", "true", &["--until", "checks-pass"]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: --until: `checks-pass` needs at least one check

    hint: give `--check CMD`, or run `piton init` to find the checks of this project
    ");
    assert!(world.json(&["ls"]).as_array().unwrap().is_empty(), "a refused loop leaves no run");
}

#[test]
fn a_condition_that_does_not_exist_is_refused_with_what_does() {
    let world = World::new();
    let ran = world.loops("typo", "true", &["--until", "check-pass", "--until", "file:../x"]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: 2 things are wrong
      --until: `check-pass` is no condition; did you mean `checks-pass`?
      --until: `../x` is not a path inside the repository
    ");
}

#[test]
fn an_agent_that_always_fails_fails_the_run() {
    let world = World::new();
    let ran = world.loops("broken", "echo oops >&2; exit 9", &["--check", RED]).exits(1);
    insta::assert_snapshot!(ran.out, @"
    run broken · exec, fresh session per iteration · in place
    baseline  test ✗   ( T s)
    note      stopping when every check passes
    limits    50 iterations · 8h00m working, waits not counted · 5 without progress · 5 failures in a row
          attempt 1 failed ( T s): the agent exited with 9: oops
      #1 T s  no change     test ✗   agent failed
          attempt 2 failed ( T s): the agent exited with 9: oops
      #2 T s  no change     test ✗   agent failed
          attempt 3 failed ( T s): the agent exited with 9: oops
      #3 T s  no change     test ✗   agent failed
          attempt 4 failed ( T s): the agent exited with 9: oops
      #4 T s  no change     test ✗   agent failed
          attempt 5 failed ( T s): the agent exited with 9: oops
      #5 T s  no change     test ✗   agent failed
    failed    5 attempts in a row failed · 5 iterations, T s
    result    no file changed; best is #1 with 0 of 1 checks
    look      piton output broken
    next      piton resume broken
    ");
    assert_eq!(world.json(&["status"])["reason"], "failure_streak");
    assert_eq!(world.piton(&["output"]).exits(0).out, "oops\n");
}

#[test]
fn a_command_that_is_missing_inside_the_shell_is_a_failing_agent() {
    let world = World::new();
    let ran = world.loops("broken", "no-such-agent-anywhere", &["--check", RED]).exits(1);
    assert!(ran.out.contains("5 attempts in a row failed"), "{}", ran.out);
    let said = world.piton(&["output"]).exits(0).out;
    assert!(said.contains("no-such-agent-anywhere"), "{said}");
}

#[test]
fn a_missing_agent_program_is_found_out_before_anything_is_recorded() {
    let world = World::configured("[agents.mine]\ncommand = [\"no-such-agent-anywhere\", \"--headless\"]\n");
    let ran = world.piton(&["loop", "Do it", "--agent", "mine", "--check", RED]).exits(7);
    insta::assert_snapshot!(ran.err, @"
    error: the agent program `no-such-agent-anywhere` is not in PATH

    hint: install it, or name another with --agent or --exec
    ");
    assert!(world.json(&["ls"]).as_array().unwrap().is_empty());
}

#[test]
fn an_agent_of_the_configuration_is_used_by_name() {
    let world = World::configured(
        "[agent]\nuse = \"mine\"\n[agents.mine]\ncommand = [\"touch\", \"b.txt\"]\n[checks]\ntest = \"test -f b.txt\"\n",
    );
    let ran = world.piton(&["loop", "Do it"]).exits(0);
    assert!(ran.out.contains("· mine, fresh session per iteration"), "{}", ran.out);
}

#[test]
fn a_check_that_wants_a_terminal_fails() {
    let world = World::new();
    let ran = world
        .loops("tty", "echo x >> a.txt", &["--check", "ask=test -t 0", "--max-iterations", "1"])
        .exits(3);
    assert!(ran.out.contains("baseline  ask ✗"), "{}", ran.out);
}

#[test]
fn a_check_that_never_ends_fails_at_its_timeout() {
    let world = World::configured(
        "[checks]\nslow = { command = \"test -f b.txt || sleep 600\", timeout = \"1s\" }\n",
    );
    let ran = world.loops("slow", "touch b.txt", &[]).exits(0);
    assert!(ran.out.contains("baseline  slow ✗ timed out "), "{}", ran.out);
    let status = world.json(&["status", "slow"]);
    assert_eq!(status["baseline"][0]["timed_out"], true, "{status:#}");
    assert_eq!(status["checks"][0]["passed"], true);
}

#[test]
fn a_loop_without_a_task_is_refused() {
    let world = World::new();
    let ran = world.piton(&["loop", "--exec", "true", "--check", RED]).exits(2);
    insta::assert_snapshot!(ran.err, @r#"
    error: there is no task

    hint: write `piton loop "what to do"`, or put it into `PROMPT.md`
    "#);
    world.piton(&["loop", "  ", "--exec", "true", "--check", RED]).exits(2);
}

/// Whatever says nothing is sent to no agent, wherever it was written down.
#[test]
fn what_says_nothing_is_sent_to_no_agent() {
    let world = World::new();
    let agent = ["--exec", "touch ../paid", "--check", "test=false", "--max-iterations", "1"];
    for nothing in ["---\n", "# \n", "<!-- write the task here -->\n", "\n\n", "* * *\n<!-- x\n"] {
        world.write("task.md", nothing);
        for words in [&["loop", "@task.md"][..], &["loop", "-P", "task.md"], &["loop", nothing]] {
            assert_eq!(world.piton(&[words, &agent].concat()).code, 2, "{words:?}");
        }
        world.write("PROMPT.md", nothing);
        assert_eq!(world.piton(&[&["loop"][..], &agent].concat()).code, 2, "{nothing:?}");
        let cycle = ["cycle", "start", "@task.md", "--exec", "touch ../paid", "--check", "test=false"];
        assert_eq!(world.piton(&cycle).code, 2, "{nothing:?}");
    }
    assert!(!world.beside("paid").exists());
    std::fs::remove_file(world.path("PROMPT.md")).unwrap();
    world.loops("r", "true", &["--check", "test=false", "--max-iterations", "1"]).exits(3);
    for nothing in ["", "-", "<!-- -->"] {
        let ran = world.piton(&["tell", "r", "--", nothing]).exits(2);
        assert!(ran.err.contains("the message says nothing"), "{}", ran.err);
    }
    world.piton(&["tell", "r", "go on"]).exits(0);
}

#[test]
fn the_file_of_a_finished_run_is_no_change_of_the_checkout() {
    let world = World::new();
    for run in ["one", "two"] {
        world.loops(run, "true", &["--check", "test=false", "--max-iterations", "1"]).exits(3);
    }
    let backups = std::fs::read_dir(world.path(".ralph/backups")).unwrap().count();
    assert_eq!(backups, 1, "the file of the first has been moved there");
    assert_eq!(world.git(&["status", "--porcelain", "--untracked-files=all"]), "");
}

#[test]
fn a_task_comes_from_standard_input_or_from_a_file() {
    let world = World::new();
    world.write("task.md", "Make it green, says the file\n");
    let piton = env!("CARGO_BIN_EXE_piton");
    let rest = format!("--exec 'cat > $BESIDE/prompt; touch b.txt' --check '{RED}' --here");
    for (id, words) in [
        ("piped", format!("printf 'Make it green, says the pipe' | {piton} loop -")),
        ("piped-file", format!("printf 'Make it green, says the pipe' | {piton} loop -P -")),
        ("file", format!("{piton} loop @task.md")),
    ] {
        std::fs::remove_file(world.path("b.txt")).ok();
        world.shell(&format!("{words} --id {id} {rest}")).exits(0);
        let prompt = std::fs::read_to_string(world.beside("prompt")).unwrap();
        let asked = if id == "file" { "says the file" } else { "says the pipe" };
        assert!(prompt.contains(asked), "{id}: {prompt}");
    }
    for (line, said) in [
        (format!("printf '' | {piton} loop - {rest}"), "the task says nothing"),
        (format!("printf -- '- ---' | {piton} loop - {rest}"), "the task says nothing"),
        (format!("{piton} loop @none.md {rest}"), "the prompt file `none.md` is missing"),
    ] {
        let ran = world.shell(&line).exits(2);
        assert!(ran.err.contains(said), "{line}: {ran:?}");
    }
}

#[test]
fn an_empty_prompt_file_is_refused() {
    let world = World::new();
    world.write("PROMPT.md", "\n  \n");
    let ran = world.piton(&["loop", "--exec", "true", "--check", RED]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: the prompt file `PROMPT.md` is empty

    hint: write the task into it, or give it as an argument
    ");
}

#[test]
fn a_prompt_file_that_is_not_there_is_refused() {
    let world = World::new();
    let ran = world.piton(&["loop", "-P", "TASK.md", "--exec", "true", "--check", RED]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: the prompt file `TASK.md` is missing

    hint: write the task into it, or give it as an argument
    ");
}

#[test]
fn a_task_as_text_and_as_a_file_is_refused() {
    let world = World::new();
    world.write("TASK.md", "x\n");
    let ran = world.piton(&["loop", "Do it", "-P", "TASK.md", "--exec", "true", "--check", RED]).exits(2);
    insta::assert_snapshot!(ran.err, @"error: --prompt-file: give the task as text or as `--prompt-file`, not both");
}

#[test]
fn a_prompt_file_is_read_anew_at_every_iteration() {
    let world = World::new();
    world.write("PROMPT.md", "# Build the thing\n\nfirst words\n");
    let agent = "cat > $BESIDE/prompt-$PITON_ITERATION
                 if [ $PITON_ITERATION = 1 ]; then echo second words > PROMPT.md; else touch b.txt; fi";
    let ran = world.piton(&["loop", "--exec", agent, "--check", RED]).exits(0);
    assert!(ran.out.starts_with("run ralph-build-the-thing-"), "{}", ran.out);
    let prompt = |name| std::fs::read_to_string(world.beside(name)).unwrap();
    assert!(prompt("prompt-1").contains("first words"));
    assert!(prompt("prompt-2").contains("second words") && !prompt("prompt-2").contains("first words"));
}

#[test]
fn quiet_prints_the_end_only_and_json_prints_events() {
    let world = World::new();
    let ran = world.loops("quiet", "touch b.txt", &["--check", RED, "-q"]).exits(0);
    assert!(ran.err.is_empty() && ran.out.starts_with("done "), "{ran:?}");
    let ran = world.loops("json", "touch c.txt", &["--check", "test=test -f c.txt", "--json"]).exits(0);
    let types: Vec<_> = ran
        .out
        .lines()
        .map(|line| {
            let event: serde_json::Value = serde_json::from_str(line).expect("a line is an event");
            event["type"].as_str().expect("an event has a type").to_owned()
        })
        .collect();
    assert_eq!(types.first().map(String::as_str), Some("run_created"));
    assert_eq!(types.last().map(String::as_str), Some("run_completed"));
}

#[test]
fn a_task_list_drives_a_loop_and_the_checks_have_the_last_word() {
    let world = World::new();
    world.write("fix_plan.md", "# Plan\n- [ ] one\n- [ ] two\n");
    // The first iteration ticks everything and does half of it.
    let agent = r#"case $PITON_ITERATION in
        1) sed -i 's/- \[ \] one/- [x] one/' fix_plan.md; grep -q 'task list is `fix_plan.md`' "$PITON_PROMPT_FILE" || exit 9;;
        2) sed -i 's/- \[ \] two/- [x] two/' fix_plan.md;;
        3) touch b.txt;; esac"#;
    let ran =
        world.loops("t", agent, &["--until", "tasks-done:fix_plan.md", "--check", "test -f b.txt"]).exits(0);
    assert!(ran.out.contains("tasks-done:fix_plan.md holds"), "{}", ran.out);
    assert_eq!(world.json(&["status", "t"])["limits"]["iterations"]["used"], 3);
}

#[test]
fn whoever_wants_to_know_is_told_when_a_run_rests() {
    let world = World::new();
    let command = "cat > $BESIDE/told; echo $PITON_STATUS $PITON_REASON >> $BESIDE/told";
    world.loops("t", "touch b.txt", &["--check", "test -f b.txt", "--on-done", command]).exits(0);
    super::common::eventually("the word", || world.beside("told").exists());
    super::common::eventually("all of it", || {
        std::fs::read_to_string(world.beside("told")).unwrap().ends_with("completed checks_pass\n")
    });
    let told = std::fs::read_to_string(world.beside("told")).unwrap();
    assert!(told.contains("\"run_id\":\"t\""), "{told}");
}

#[test]
fn a_deadline_is_a_time_to_come() {
    let world = World::new();
    for (time, says) in
        [("soon", "`soon` is no time"), ("2020-01-01T07:00", "has passed"), ("25:00", "is no time")]
    {
        let ran = world.loops("d", "true", &["--check", "false", "--deadline", time]).exits(2);
        assert!(ran.err.contains(says), "{}", ran.err);
    }
    let ran = world.loops("d", "touch b.txt", &["--check", "test -f b.txt", "--deadline", "23:59"]).exits(0);
    let day = world.shell("date +%Y").exits(0).out;
    assert!(ran.out.contains(&format!(" · until {}-", day.trim())), "with the day: {}", ran.out);
}

#[test]
fn a_deadline_that_cuts_an_agent_off_says_so_and_is_gone_afterwards() {
    let world = World::new();
    let soon = world.shell("date -d '+6 seconds' +%Y-%m-%dT%H:%M:%S").exits(0).out;
    let agent = "test $PITON_ATTEMPT = 1 && exec sleep 60; touch b.txt";
    let ran = world.loops("d", agent, &["--check", "test -f b.txt", "--deadline", soon.trim()]).exits(3);
    assert!(ran.out.contains("the deadline of the run came while the agent worked"), "{ran:?}");
    let ran = world.piton(&["resume", "d"]).exits(0);
    assert!(ran.err.contains("has passed; it goes on without one"), "{ran:?}");
}

#[test]
fn checks_run_again_where_only_ignored_files_changed() {
    let world = World::new();
    world.write(".gitignore", "node_modules\n");
    let agent = format!("{REPORT} mkdir -p node_modules/dep; touch node_modules/dep/index.js; report done");
    let ran = world.loops("dep", &agent, &["--check", "dep=test -f node_modules/dep/index.js"]).exits(0);
    assert!(ran.out.contains("dep ✓"), "{}", ran.out);
    assert_eq!(world.count("dep", "iteration_concluded"), 1);
}

/// A file that is too large for any snapshot differs all the same.
#[test]
fn a_change_that_no_snapshot_has_is_a_change() {
    let world = World::new();
    let agent = "truncate -s 70M big.bin; echo '{\"status\": \"done\"}' > $PITON_REPORT";
    let ran = world.loops("r", agent, &["--check", "ok=true", "--max-iterations", "2"]).exits(0);
    assert!(ran.out.contains("the check is green"), "{}", ran.out);
}
