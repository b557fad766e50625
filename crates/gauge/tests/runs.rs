//! What real test runners wrote, and what they summed up themselves. `fixtures/README.md` has the commands.

use piton_gauge::tests::{Outcome, Runner, Tests, read};

fn fixture(name: &str) -> String {
    let path = format!("{}/tests/fixtures/tests/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn tests(name: &str) -> Tests {
    read(None, &fixture(name)).unwrap_or_else(|| panic!("{name} is not recognised"))
}

/// Passed, failed, skipped, total; `-` is unknown. Then flags: `c`omplete, `b`uild failed. Then how many are named.
fn line(tests: &Tests) -> String {
    let number = |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
    format!(
        "{} {} {} {} {} {}{} {}",
        tests.runner,
        number(tests.passed),
        number(tests.failed),
        number(tests.skipped),
        number(tests.total),
        if tests.complete { "c" } else { "." },
        if tests.build_failed { "b" } else { "." },
        tests.named.len(),
    )
}

const RUNS: &[(&str, &str)] = &[
    ("cargo.txt", "cargo 5 2 3 10 c. 10"),
    ("cargo_colour.txt", "cargo 5 2 3 10 c. 10"),
    ("cargo_nocapture.txt", "cargo 5 2 3 10 c. 10"),
    ("cargo_q.txt", "cargo 5 2 3 10 c. 2"),
    ("cargo_ok.txt", "cargo 3 0 3 6 c. 6"),
    ("cargo_stop.txt", "cargo 3 1 1 5 .. 5"),
    ("cargo_abort.txt", "cargo 0 0 0 1 .. 0"),
    ("cargo_broken.txt", "cargo - - - - .b 0"),
    ("nextest.txt", "nextest 5 3 0 8 c. 8"),
    ("nextest_colour.txt", "nextest 4 1 3 8 c. 5"),
    ("nextest_retry.txt", "nextest 4 1 3 8 c. 5"),
    ("nextest_stop.txt", "nextest 3 1 3 8 .. 4"),
    ("jest.txt", "jest 4 2 2 8 c. 2"),
    ("jest_verbose.txt", "jest 4 2 2 8 c. 8"),
    ("jest_colour.txt", "jest 4 2 2 8 c. 8"),
    ("jest_bail.txt", "jest 3 2 2 7 .. 7"),
    ("jest_broken.txt", "jest - - - - .b 0"),
    ("vitest.txt", "vitest 4 2 2 8 c. 7"),
    ("vitest_colour.txt", "vitest 4 2 2 8 c. 7"),
    ("vitest_verbose.txt", "vitest 4 2 2 8 c. 8"),
    ("vitest_broken.txt", "vitest 1 0 0 1 .b 0"),
    ("mocha.txt", "mocha 3 2 2 7 c. 7"),
    ("mocha_colour.txt", "mocha 3 2 2 7 c. 7"),
    ("node_spec.txt", "node 3 2 2 7 c. 7"),
    ("tap_node.txt", "tap 3 2 2 7 c. 7"),
    ("tap_mocha.txt", "tap 3 2 2 7 c. 7"),
    ("pytest.txt", "pytest 4 3 2 9 c. 3"),
    ("pytest_q.txt", "pytest 4 3 2 9 c. 3"),
    ("pytest_v.txt", "pytest 4 3 2 9 c. 9"),
    ("pytest_rA.txt", "pytest 4 3 2 9 c. 8"),
    ("pytest_durations.txt", "pytest 4 3 2 9 c. 9"),
    ("pytest_colour.txt", "pytest 4 3 2 9 c. 9"),
    ("pytest_xdist.txt", "pytest 4 3 2 9 c. 9"),
    ("pytest_x.txt", "pytest 2 1 0 9 .. 1"),
    ("pytest_collection.txt", "pytest - - - - .b 0"),
    ("pytest_collection_continue.txt", "pytest 1 0 0 1 .b 0"),
    ("pytest_none.txt", "pytest 0 0 0 0 c. 0"),
    ("unittest.txt", "unittest 2 3 2 7 c. 2"),
    ("unittest_v.txt", "unittest 2 3 2 7 c. 7"),
    ("unittest_load.txt", "unittest - - - - .b 0"),
    ("go.txt", "go - 2 - - c. 2"),
    ("go_ok.txt", "go - 0 - - c. 0"),
    ("go_v.txt", "go 4 2 1 7 c. 7"),
    ("go.json", "go 4 2 1 7 c. 7"),
    ("go_broken.txt", "go 2 0 0 2 .b 2"),
    ("go_broken.json", "go 2 0 0 2 .b 2"),
    ("go_broken_only.txt", "go - - - - .b 0"),
    ("go_panic.txt", "go 1 1 0 - .. 2"),
    ("go_timeout.txt", "go 1 1 0 - .. 2"),
    ("go_timeout.json", "go 1 1 0 - .. 2"),
    ("rspec.txt", "rspec 1 1 2 4 c. 1"),
    ("rspec_doc.txt", "rspec 1 1 2 4 c. 1"),
    ("rspec_broken.txt", "rspec - - - - .b 0"),
    ("phpunit.txt", "phpunit 1 2 2 5 c. 2"),
    ("phpunit_v.txt", "phpunit 1 2 2 5 c. 4"),
    ("phpunit_ok.txt", "phpunit 1 0 0 1 c. 0"),
    ("junit_mocha.xml", "junit 3 2 2 7 c. 7"),
    ("junit_nextest.xml", "junit 5 3 0 8 c. 8"),
    ("junit_node.xml", "junit 3 2 2 7 c. 7"),
    ("junit_phpunit.xml", "junit 1 2 2 5 c. 5"),
    ("junit_pytest.xml", "junit 4 3 2 9 c. 9"),
    ("junit_pytest_collection.xml", "junit - - - - .b 0"),
    ("junit_vitest.xml", "junit 4 2 2 8 c. 8"),
];

#[test]
fn every_runner_is_understood_as_it_sums_up_itself() {
    let wrong: Vec<String> = RUNS
        .iter()
        .filter_map(|(name, expected)| {
            let found = read(None, &fixture(name)).as_ref().map_or("nothing".to_owned(), line);
            (found != *expected).then(|| format!("{name}: expected {expected}, found {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
