//! `[guard.thresholds]`: from where on a number is a regression.

use crate::common::World;
pub(super) use crate::numbers::runs;

/// A project that is measured, with branches in its report.
pub(super) fn world(settings: &str) -> World {
    let world = crate::numbers::project(&report(&[1, 1, 1, 0], &[1, 1]), settings);
    world.write("lint", "");
    world.git(&["add", "lint"]);
    world.git(&["commit", "-q", "-m", "lint"]);
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

/// The findings about one iteration that writes this report and runs this.
fn findings(threshold: &str, now: &str, shell: &str) -> Vec<serde_json::Value> {
    let world = world(&format!("[guard]\nprove = 'off'\n[guard.thresholds]\n{threshold}\n"));
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
