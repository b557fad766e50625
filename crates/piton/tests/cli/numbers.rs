//! What is measured, what the numbers do to the verdict and the best iteration, and what people say about it.

use serde_json::json;

use crate::common::{Ran, World, by_iteration};

const REPORT: &str = "SF:a.c\nDA:1,1\nDA:2,1\nDA:3,1\nDA:4,0\nend_of_record\n";

/// A project whose check prints the tests in `tests` and the lines of `lint`, if there is one, and copies the report in `report`.
pub(crate) fn project(report: &str, settings: &str) -> World {
    let world = World::outside_git();
    world.write("code.txt", "start\n");
    world.write("tests", "3 1");
    world.write("report", report);
    world.write(
        "check.sh",
        "read p f < tests\ncp report lcov.info\ncat lint 2> /dev/null\nword=ok; test $f = 0 || word=FAILED\n\
         echo; echo \"running $((p + f)) tests\"; echo\n\
         echo \"test result: $word. $p passed; $f failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\"\n\
         test $f = 0\n",
    );
    world.write(".gitignore", "lcov.info\n");
    world.init();
    let check = "[checks]\ntest = { command = 'sh check.sh', format = 'lcov', path = 'lcov.info' }\n";
    world.configure(&format!("{check}{settings}"));
    world
}

/// The same with a metric of its own.
pub(crate) fn world_with(size: &str) -> World {
    project(REPORT, &format!("[metrics]\nsize = '{size}'\n"))
}

fn world() -> World {
    world_with("wc -c < code.txt; echo 17 warnings >&2")
}

/// Runs a loop whose agent does one of `lines` per iteration; `until` is never met.
pub(crate) fn runs(world: &World, lines: &[&str], limit: &str) -> Ran {
    let until = ["--until", "file:never", "--max-iterations", limit];
    world.piton(&[&["loop", "Get on", "--id", "r", "--exec", &by_iteration(lines)], &until[..]].concat())
}

const FULL: &str = "printf 'SF:a.c\\nDA:1,1\\nDA:2,1\\nDA:3,1\\nDA:4,1\\nend_of_record\\n' > report";
const LESS: &str = "printf 'SF:a.c\\nDA:1,1\\nDA:2,0\\nDA:3,0\\nDA:4,0\\nend_of_record\\n' > report";

#[test]
fn tests_coverage_and_metrics_are_measured_at_the_start_and_after_every_iteration() {
    let world = world();
    let ran = runs(&world, &[&format!("echo more >> code.txt; echo 4 0 > tests; {FULL}")], "1").exits(3);
    assert!(
        ran.out.contains("baseline  test ✗ · file:never ✗   tests 3/4 · coverage 75.0 % · size 6"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("tests 4/4 · coverage 100.0 % · size 11"), "{}", ran.out);
    let status = world.json(&["status", "r"]);
    assert_eq!(status["baseline_measures"]["coverage"]["lines"], json!({"covered": 3, "total": 4}));
    assert_eq!(status["measures"]["custom"]["size"], 11.0);
    assert_eq!(
        status["measures"]["tests"],
        json!({"passed": 4, "failed": 0, "skipped": 0, "complete": true})
    );
    assert_eq!(status["iterations"][0]["quality"]["validation"], 100.0);
    assert_eq!(status["measures"]["tree"]["files"], 6);
}

#[test]
fn a_report_that_the_check_did_not_write_is_not_read_again() {
    let world = world();
    world.write("check.sh", "test -e lcov.info && exit 0\ncp report lcov.info\nexit 1\n");
    world.shell("cp report lcov.info && touch -d '2 hours ago' lcov.info").exits(0);
    runs(&world, &["echo more >> code.txt"], "1").exits(3);
    let status = world.json(&["status", "r"]);
    assert_eq!(status["measures"]["coverage"], json!(null), "{}", status["measures"]);
}

#[test]
fn fewer_tests_and_lost_coverage_are_refused_and_the_best_iteration_stays() {
    let world = world();
    let better = format!("echo 4 0 > tests; {FULL}");
    let fewer = "echo 2 0 > tests".to_owned();
    let uncovered = format!("echo 4 0 > tests; {LESS}");
    let ran = runs(&world, &[&better, &fewer, &uncovered, "echo x >> code.txt"], "4").exits(3);
    assert!(ran.out.contains("REFUSED 4 tests ran before, 2 run now → back to #1"), "{}", ran.out);
    assert!(
        ran.out.contains("REFUSED tests reached 100.0 % of the code before and reach 25.0 % now"),
        "{}",
        ran.out
    );
    assert_eq!(world.json(&["best", "r"])["iteration"], 1);
    assert_eq!(world.read("tests"), "4 0\n");
    let told = std::fs::read_to_string(world.beside("prompt4")).unwrap();
    assert!(told.contains("Iteration 3 was refused"), "{told}");
    assert!(told.contains("tests reached 100.0 % of the code before and reach 25.0 % now"), "{told}");
    assert!(
        told.contains("Take the first failing check only"),
        "the second recovery in a row goes another way: {told}"
    );
}

/// A project with tests by name and coverage: `b` fails until `code.txt` says so, and `report` is how much is reached.
fn with_names() -> World {
    let world = world();
    world.write(
        "check.sh",
        "cp report lcov.info\necho '==== short test summary info ===='; echo 'PASSED test_a.py::a'\n\
         if grep -q fixed code.txt; then echo 'PASSED test_a.py::b'; echo '2 passed in 0.01s'; exit 0; fi\n\
         echo 'FAILED test_a.py::b - assert False'; echo '1 failed, 1 passed in 0.01s'; exit 1\n",
    );
    world.git(&["commit", "-q", "-a", "-m", "names"]);
    std::fs::create_dir_all(world.path(".aiwg")).unwrap();
    world
}

#[test]
fn what_the_numbers_refuse_is_credited_with_nothing_and_accused_of_nothing() {
    let world = with_names();
    let ran = runs(&world, &[&format!("echo fixed > code.txt; {LESS}"), "echo x > other"], "2").exits(3);
    assert!(
        ran.out.contains("REFUSED tests reached 75.0 % of the code before and reach 25.0 % now"),
        "{ran:?}"
    );
    assert!(ran.out.contains(" · 1 refused\n") && !ran.out.contains("cheat"), "{}", ran.out);
    let report = world.piton(&["report", "r"]).exits(0).out;
    assert!(!report.contains("fixed `"), "{report}");
    assert!(report.contains("| 1 | refused | +3 −3 in 2 | – |"), "{report}");
    let found = "- #1, coverage-dropped: tests reached 75.0 % of the code before and reach 25.0 % now";
    assert!(report.contains(found), "{report}");
    let first = world.json(&["status", "r"])["iterations"][0].clone();
    assert_eq!(
        (&first["quality"], &first["measures"], &first["total"], &first["refused"]),
        (&json!(null), &json!(null), &json!(0), &json!(true)),
        "{first:#}"
    );
    let row = world.json(&["report", "r"])["iterations"][0].clone();
    assert_eq!((&row["tests_fixed"], &row["checks"]), (&json!([]), &json!(null)), "{row:#}");
    let loops = std::fs::read_dir(world.path(".aiwg/ralph/loops")).unwrap().next().unwrap().unwrap();
    let view = std::fs::read_to_string(loops.path().join("state.json")).unwrap();
    let view: serde_json::Value = serde_json::from_str(&view).unwrap();
    let entry = &view["iteration_history"][0];
    assert_eq!((&entry["quality_source"], entry.get("test_results")), (&json!("unknown"), None), "{entry:#}");
    assert_eq!(view["progress"]["completion_checks"][0]["iteration"], 2, "{:#}", view["progress"]);
    let details = &view["regression_events"][0]["details"];
    assert_eq!((&details["baseline_value"], &details["current_value"]), (&json!(75.0), &json!(25.0)));
    let view: serde_json::Value = serde_json::from_str(&world.read(".ralph/state.json")).unwrap();
    assert_eq!(view["tests"]["failing_tests"], json!(["test_a.py::b"]), "{:#}", view["tests"]);
    assert_eq!((&view["tests"]["recently_fixed"], &view["tests"]["flaky_tests"]), (&json!([]), &json!([])));
}

#[test]
fn a_person_is_asked_about_numbers_that_got_worse_and_the_report_says_what_they_said() {
    for (answer, fate) in [("--approve", "approved"), ("--reject", "refused")] {
        let world = with_names();
        world.shell("printf \"[guard]\\nmode = 'ask'\\n\" >> piton.toml").exits(0);
        world.piton(&["trust", "--yes"]).exits(0);
        let ran = runs(&world, &[&format!("echo fixed > code.txt; {LESS}"), "true"], "2").exits(4);
        let why = "waiting   numbers got worse: tests reached 75.0 % of the code before and reach 25.0 % now";
        assert!(ran.out.contains(why) && !ran.out.contains("cheat"), "{}", ran.out);
        world.piton(&["answer", "r", answer]).exits(0);
        world.piton(&["wait", "r"]).exits(3);
        let report = world.piton(&["report", "r"]).exits(0).out;
        assert!(report.contains(&format!("| 1 | {fate} |")), "{report}");
        assert!(report.contains("- #1, coverage-dropped: "), "{report}");
        assert_eq!(report.contains("#1 fixed `test_a.py::b`"), answer == "--approve", "{report}");
        let first = world.json(&["status", "r"])["iterations"][0].clone();
        assert_eq!(first["quality"].is_null(), answer == "--reject", "{first:#}");
    }
}

#[test]
fn what_is_only_reported_is_said_once_and_where_the_run_ends() {
    let world = with_names();
    world.shell("printf \"[guard]\\nmode = 'report'\\n\" >> piton.toml").exits(0);
    world.piton(&["trust", "--yes"]).exits(0);
    let ran = runs(&world, &[LESS, "echo 1 > other", "echo 2 > other"], "3").exits(3);
    assert!(ran.out.contains(" · 1 finding (piton report)\n"), "{}", ran.out);
    let status = world.json(&["status", "r"]);
    assert_eq!(status["findings"].as_array().unwrap().len(), 1, "{}", status["findings"]);
    let said = world.piton(&["status", "r"]).exits(0).out;
    assert!(said.contains("found    1 finding, not refused (piton report r)\n"), "{said}");
    let report = world.piton(&["report", "r"]).exits(0).out;
    assert_eq!(report.matches("coverage-dropped").count(), 1, "{report}");
}

/// A project whose check is `check`, over a `pytest -q` that says of each place what the real one does: `broken` makes one
/// of its tests fail, `fewer` leaves one out.
fn with_pytest(check: &str) -> World {
    let world = World::outside_git();
    world.write(
        "pytest.sh",
        "last='PASSED test_a.py::two'; sum='2 passed'; marks=..; end=0\n\
         if test -e fewer; then last=; sum='1 passed'; marks=.; fi\n\
         if test -e broken; then last='FAILED test_a.py::two - assert False'; sum='1 failed, 1 passed'; marks=.F; end=1; fi\n\
         if test -e broken && test \"$1\" = -s; then printf '44 passed in 0.10s\\n.\\nF\\n'; else echo \"$marks   [100%]\"; fi\n\
         if test \"$1\" != -rN; then\n\
         printf '==== short test summary info ====\\n%s\\nPASSED test_a.py::one\\n' \"$last\"; fi\n\
         echo \"$sum in 0.02s\"; exit $end\n",
    );
    world.shell("mkdir a b; touch b/keep broken a/broken").exits(0);
    world.init();
    world.configure(&format!("[checks]\ntest = '{check}'\n"));
    world
}

#[test]
fn an_honest_fix_is_not_taken_for_lost_tests_and_lost_tests_are_found() {
    for check in [
        "sh pytest.sh -s",
        "sh pytest.sh || sh pytest.sh",
        "sh pytest.sh -rN || sh pytest.sh -rN",
        "(cd a; sh ../pytest.sh); (cd b; sh ../pytest.sh)",
        "end=0; for d in a b; do (cd $d; sh ../pytest.sh) || end=1; done; exit $end",
    ] {
        let world = with_pytest(check);
        let fix = "rm -f broken a/broken; echo fixed > fix.txt";
        let ran = runs(&world, &[fix, "touch a/fewer b/fewer fewer"], "2").exits(3);
        assert_eq!(world.read("fix.txt"), "fixed\n", "{check}: {}", ran.out);
        // In a loop of the shell nobody says that these are two places: then only fewer than one place has are.
        let lost = match check {
            _ if check.starts_with("end") => continue,
            _ if check.starts_with("(cd") => "REFUSED 4 tests ran before, 2 run now",
            _ => "REFUSED 2 tests ran before, 1 run now",
        };
        assert!(ran.out.contains(lost), "{check}: {}", ran.out);
    }
}

#[test]
fn the_original_check_judges_where_a_changed_one_is_only_reported() {
    let world = world();
    world
        .shell("printf \"[checks]\\ntest = 'sh check.sh'\\n[guard]\\nmode = 'report'\\n\" > piton.toml")
        .exits(0);
    world.piton(&["trust", "--yes"]).exits(0);
    let ran = runs(&world, &["echo true > check.sh"], "1").exits(3);
    assert!(ran.out.contains("test ✗"), "the check that the agent wrote would pass: {}", ran.out);
    assert!(!ran.out.contains("test ✓"), "{}", ran.out);
    let status = world.json(&["status", "r"]);
    assert_eq!(status["findings"][0]["rule"], "protected-path-changed", "{}", status["findings"]);
    assert_eq!(world.read("check.sh"), "true\n", "what the agent left stays to be looked at");
}

#[test]
fn a_person_may_prefer_another_iteration_and_says_why() {
    let world = world();
    runs(
        &world,
        &["echo one > code.txt; echo 4 0 > tests", "echo two > code.txt", "echo three > code.txt"],
        "3",
    )
    .exits(3);
    assert_eq!(world.json(&["best", "r"])["iteration"], 1);
    world.piton(&["best", "r", "--use", "2"]).exits(2);
    world.piton(&["best", "r", "--use", "9", "--reason", "no such"]).exits(2);
    let said = world.piton(&["best", "r", "--use", "2", "--reason", "easier to read"]).exits(0);
    assert!(said.out.contains("#2  chosen instead: easier to read"), "{}", said.out);
    world.piton(&["restore", "r"]).exits(0);
    assert_eq!(world.read("code.txt"), "two\n");
    world.piton(&["best", "r", "--use", "best", "--reason", "after all"]).exits(0);
    world.piton(&["restore", "r"]).exits(0);
    assert_eq!(world.read("code.txt"), "one\n");
    let log = world.piton(&["log", "r"]).exits(0).out;
    assert!(log.contains("somebody prefers iteration 2: easier to read"), "{log}");
}

#[test]
fn a_false_alarm_counts_in_the_statistics() {
    let world = project(REPORT, "[guard]\nprove = 'off'\n");
    runs(&world, &["echo 4 0 > tests", "echo 2 0 > tests"], "2").exits(3);
    let status = world.json(&["status", "r"]);
    let id = status["findings"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(status["guard"]["detections"], 1);
    assert!(status["guard"]["latency_p95_ms"].is_number(), "{}", status["guard"]);
    world.piton(&["guard", "mark", "0000000000", "--false-positive"]).exits(2);
    world.piton(&["guard", "mark", &id]).exits(2);
    world.piton(&["guard", "mark", &id, "--false-positive"]).exits(0);
    let status = world.json(&["status", "r"]);
    assert_eq!(status["findings"][0]["false_positive"], true);
    assert_eq!(status["guard"]["false_positive_rate"], 1.0);
}

/// What the numbers found is followed by more findings than a state keeps.
#[test]
fn a_finding_of_long_ago_can_still_be_called_a_false_alarm() {
    let world = world();
    let tests = |from: u32| (from..from + 20).map(|n| format!("def test_{n}():\n    assert {n}\n\n"));
    world.write("test_one.py", &tests(0).collect::<String>());
    world.write("test_two.py", &tests(20).collect::<String>());
    world.commit("tests");
    world
        .shell("printf \"[checks]\\ntest = 'sh check.sh'\\n[guard]\\nmode = 'report'\\n\" > piton.toml")
        .exits(0);
    world.piton(&["trust", "--yes"]).exits(0);
    let skip = |file: &str| format!("sed -i 's/^def/@pytest.mark.skip\\ndef/' {file}");
    let lines = ["echo 4 0 > tests", "echo 2 0 > tests", &skip("test_one.py"), &skip("test_two.py")];
    runs(&world, &lines, "4").exits(3);
    let concluded = world.events("r").iter().find_map(|event| {
        event["data"]["conclusion"]["findings"][0]["finding"]["id"].as_str().map(str::to_owned)
    });
    let id = concluded.expect("the numbers found something");
    let kept = world.json(&["status", "r"])["findings"].to_string();
    assert!(!kept.contains(&id), "it is not in the state any more: {kept}");
    world.piton(&["guard", "mark", &id, "--false-positive"]).exits(0);
}

#[test]
fn a_rule_that_is_off_for_a_reason_finds_nothing() {
    let world = world();
    world.shell("printf \"[checks]\\ntest = 'sh check.sh'\\n[guard.rules]\\nprotected-path-changed = { off = true, reason = 'we move it' }\\n\" > piton.toml").exits(0);
    world.piton(&["trust", "--yes"]).exits(0);
    runs(&world, &["echo '# moved' >> check.sh"], "1").exits(3);
    let status = world.json(&["status", "r"]);
    assert_eq!(status["findings"], json!([]));
}

#[test]
fn a_rule_that_the_guard_does_not_have_cannot_be_off() {
    let world = world();
    world.configure("[guard.rules]\nprotected-path-change = { off = true, reason = 'we move it' }\n");
    let ran = world.loops("r", "true", &["--check", "true"]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: `[guard.rules]`: the guard has no rule `protected-path-change`

    hint: did you mean `protected-path-changed`?
    ");
}

/// Each time it ended otherwise the agent had changed the code: that proves nothing against the test.
#[test]
fn a_test_that_an_agent_broke_and_mended_is_not_flaky() {
    let world = World::new();
    world.write("code", "0\n");
    world.write(
        "check.sh",
        "word=ok; test \"$(cat code)\" = 1 || word=FAILED\necho; echo 'running 1 test'; echo \"test a ... $word\"; echo\n\
         p=1; test $word = ok || p=0\n\
         echo \"test result: $word. $p passed; $((1 - p)) failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\"\n\
         test $word = ok\n",
    );
    world.commit("code");
    let agent = "cp $PITON_PROMPT_FILE $BESIDE/prompt; case $PITON_ITERATION in 1|3) echo 1 > code;; 2) echo 5 > code;; \
                 *) echo $PITON_ITERATION > other;; esac";
    let more = ["--check", "test=sh check.sh", "--until", "file:never", "--max-iterations", "6"];
    let ran = world.loops("r", agent, &more).exits(3);
    let prompt = std::fs::read_to_string(world.beside("prompt")).unwrap();
    let status = world.json(&["status", "r"]);
    assert_eq!(status["tests"]["flaky"], json!([]), "{:#}", status["tests"]);
    assert!(!ran.out.contains("flaky") && !prompt.contains("in turn"), "{}\n{prompt}", ran.out);
}
