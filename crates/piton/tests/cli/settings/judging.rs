//! `[guard.thresholds]`: from where on a number is a regression.

use crate::common::{Ran, World};

/// A project whose check prints the tests in `tests` and the lines of `lint`, and copies the report in `report`.
pub(super) fn world(settings: &str) -> World {
    let world = World::outside_git();
    world.write("code.txt", "start\n");
    world.write("tests", "3 1");
    world.write("lint", "");
    world.write("report", &report(&[1, 1, 1, 0], &[1, 1]));
    world.write(
        "check.sh",
        "read p f < tests\ncp report lcov.info\ncat lint\nword=ok; test $f = 0 || word=FAILED\n\
         echo; echo \"running $((p + f)) tests\"; echo\n\
         echo \"test result: $word. $p passed; $f failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\"\n\
         test $f = 0\n",
    );
    world.write(".gitignore", "lcov.info\n");
    world.git(&["init", "-q", "-b", "main"]);
    world.git(&["add", "."]);
    world.git(&["commit", "-q", "-m", "start"]);
    let check = "[checks]\ntest = { command = 'sh check.sh', format = 'lcov', path = 'lcov.info' }\n";
    world.configure(&format!("{check}{settings}"));
    world
}

/// A report: how often each line and each branch was run.
fn report(lines: &[u32], branches: &[u32]) -> String {
    let mut text = "SF:a.c\n".to_owned();
    for (index, count) in lines.iter().enumerate() {
        text += &format!("DA:{},{count}\n", index + 1);
    }
    for (index, count) in branches.iter().enumerate() {
        text += &format!("BRDA:1,0,{index},{count}\n");
    }
    let taken = branches.iter().filter(|count| **count > 0).count();
    text + &format!("BRF:{}\nBRH:{taken}\nend_of_record\n", branches.len())
}

/// Runs a loop whose agent does one of `lines` per iteration; `until` is never met.
pub(super) fn runs(world: &World, lines: &[&str], limit: &str) -> Ran {
    let cases: Vec<_> =
        lines.iter().enumerate().map(|(index, line)| format!("{}) {line};;", index + 1)).collect();
    let agent = format!("case $PITON_ITERATION in\n{}\nesac", cases.join("\n"));
    let until = ["--until", "file:never", "--max-iterations", limit];
    world.piton(&[&["loop", "Get on", "--id", "r", "--here", "--exec", &agent], &until[..]].concat())
}

/// The findings about one iteration that writes this report and runs this.
fn findings(threshold: &str, now: &str, shell: &str) -> Vec<serde_json::Value> {
    let world = world(&format!("[guard.thresholds]\n{threshold}\n"));
    world.shell(&format!("printf '{}' > $BESIDE/now", now.replace('\n', "\\n"))).exits(0);
    let copy = if now.is_empty() { "" } else { "cat $BESIDE/now > report;" };
    runs(&world, &[&format!("{copy} {shell} echo x >> code.txt")], "1");
    world.json(&["status", "r"])["findings"].as_array().unwrap().clone()
}

fn rules(threshold: &str, now: &str, shell: &str) -> Vec<String> {
    let found = findings(threshold, now, shell);
    found.iter().map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn guard_thresholds_tests_acts_in_a_loop() {
    let fewer = "echo 3 0 > tests;";
    assert_eq!(rules("", "", fewer), ["test-count-dropped"]);
    assert!(rules("tests = 1", "", fewer).is_empty());
}

#[test]
fn guard_thresholds_pass_rate_acts_in_a_loop() {
    let fails = "echo 2 2 > tests;";
    assert_eq!(rules("", "", fails), ["pass-rate-dropped"]);
    assert!(rules("pass_rate = 50", "", fails).is_empty());
}

#[test]
fn guard_thresholds_coverage_acts_in_a_loop() {
    let less = report(&[1, 0, 0, 0], &[1, 1]);
    assert_eq!(rules("", &less, ""), ["coverage-dropped"]);
    assert!(rules("coverage = 60", &less, "").is_empty());
}

#[test]
fn guard_thresholds_coverage_critical_acts_in_a_loop() {
    let less = report(&[1, 0, 0, 0], &[1, 1]);
    assert_eq!(findings("", &less, "")[0]["severity"], "critical");
    assert_eq!(findings("coverage_critical = 90", &less, "")[0]["severity"], "high");
}

#[test]
fn guard_thresholds_branches_acts_in_a_loop() {
    let fewer = report(&[1, 1, 1, 0], &[1, 0]);
    assert_eq!(rules("", &fewer, "").len(), 1);
    assert!(rules("branches = 60", &fewer, "").is_empty());
}

#[test]
fn guard_thresholds_errors_acts_in_a_loop() {
    let lint = "for n in 1 2 3 4 5 6 7; do echo \"a.py:$n: error: Incompatible types  [assignment]\"; done > lint; \
                echo 'Found 7 errors in 1 file (checked 1 source file)' >> lint;";
    let start = "echo 'Success: no issues found in 1 source file' > lint";
    let rules = |threshold: &str| {
        let world = world(&format!("[guard.thresholds]\n{threshold}\n"));
        world.shell(start).exits(0);
        runs(&world, &[&format!("{lint} echo x >> code.txt")], "1");
        let status = world.json(&["status", "r"]);
        let found = status["findings"].as_array().unwrap().clone();
        found.iter().map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(rules(""), ["errors-increased"]);
    assert!(rules("errors = 9").is_empty());
}
