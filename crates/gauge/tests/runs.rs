//! What real test runners wrote, and what they summed up themselves. `fixtures/README.md` has the commands.

use piton_gauge::tests::{Asked, Outcome, Runner, Tests, read, read_asked};

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
    ("cargo_captured.txt", "cargo 2 1 0 3 .. 3"),
    ("cargo_printed.txt", "cargo 2 1 0 3 .. 3"),
    ("cargo_q_captured.txt", "cargo 2 1 0 3 .. 1"),
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
    ("node_retry.txt", "node 1 1 0 2 c. 2"),
    ("tap_node_retry.txt", "tap 1 1 0 2 c. 2"),
    ("tap_node.txt", "tap 3 2 2 7 c. 7"),
    ("tap_mocha.txt", "tap 3 2 2 7 c. 7"),
    ("pytest.txt", "pytest 4 3 2 9 c. 3"),
    ("pytest_q.txt", "pytest 4 3 2 9 c. 3"),
    ("pytest_v.txt", "pytest 4 3 2 9 c. 9"),
    ("pytest_rA.txt", "pytest 4 3 2 9 c. 8"),
    ("pytest_durations.txt", "pytest 4 3 2 9 c. 9"),
    ("pytest_colour.txt", "pytest 4 3 2 9 c. 9"),
    ("pytest_xdist.txt", "pytest 4 3 2 9 c. 9"),
    ("pytest_captured.txt", "pytest 1 1 0 2 c. 0"),
    ("pytest_retry.txt", "pytest 1 1 0 2 c. 2"),
    ("pytest_retry_headed.txt", "pytest 1 1 0 2 c. 2"),
    ("pytest_qq.txt", "pytest 1 1 0 2 c. 2"),
    ("pytest_qq_ok.txt", "pytest 2 0 0 2 c. 2"),
    ("pytest_qq_xdist.txt", "pytest 2 0 0 2 c. 2"),
    ("pytest_qq_retry.txt", "pytest 1 1 0 2 c. 2"),
    ("pytest_s.txt", "pytest 1 1 0 2 c. 2"),
    ("pytest_s_ok.txt", "pytest 2 0 0 2 c. 2"),
    ("pytest_s_headed.txt", "pytest 1 1 0 2 c. 2"),
    ("pytest_s_rN.txt", "pytest - - - - .. 0"),
    ("pytest_s_rN_ok.txt", "pytest - - - - .. 0"),
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

/// `npm test || npm test`: the same runner speaks several times.
#[test]
fn a_test_that_ran_twice_counts_once_with_its_last_result() {
    let counts = |text: &str| read(None, text).map_or("nothing".to_owned(), |tests| line(&tests));
    for (file, expected) in [
        ("cargo_retry.txt", "cargo 2 1 0 3 .. 3"),
        ("cargo_twice.txt", "cargo 3 0 0 3 c. 3"),
        ("node_retry.txt", "node 1 1 0 2 c. 2"),
        ("tap_node_retry.txt", "tap 1 1 0 2 c. 2"),
        ("pytest_retry.txt", "pytest 1 1 0 2 c. 2"),
        ("pytest_lf_first.txt", "pytest 1 1 0 2 c. 2"),
        ("pytest_qq_retry.txt", "pytest 1 1 0 2 c. 2"),
    ] {
        assert_eq!(counts(&fixture(file)), expected, "{file}");
    }
    let fails = |file: &str| tests(file).failed > Some(0);
    for (file, expected) in RUNS.iter().filter(|(file, _)| names_all_that_ran(&tests(file)) && fails(file)) {
        assert_eq!(counts(&fixture(file).repeat(2)), *expected, "{file} twice");
    }
    let mended = ".F [100%]\nFAILED\n==== short test summary info ====\nFAILED a.py::b\nPASSED a.py::a\n\
        1 failed, 1 passed in 0.01s\n. [100%]\n==== short test summary info ====\nPASSED a.py::b\n1 passed in 0.01s\n";
    assert_eq!(counts(mended), "pytest 2 0 0 2 c. 2");
    assert_eq!(outcome(&read(None, mended).unwrap(), "a.py::b"), Some(Outcome::Passed));
}

fn names_all_that_ran(tests: &Tests) -> bool {
    let of = |outcomes: &[Outcome]| {
        Some(tests.named.iter().filter(|named| outcomes.contains(&named.outcome)).count() as u64)
    };
    let failed = [Outcome::Failed, Outcome::TimedOut];
    let is_lines = tests.runner != Runner::Junit;
    is_lines && tests.complete && tests.passed == of(&[Outcome::Passed]) && tests.failed == of(&failed)
}

/// What is counted, by how much that may be wrong, and how the check ended.
const REPEATED: &[(&str, &str, bool, &str)] = &[
    ("pytest_rN_retry.txt", "X || X", false, "pytest 1 1 0 2 c. 0 -0 +2"),
    ("unittest_retry.txt", "X || X", false, "unittest 2 1 0 3 c. 1 -0 +3"),
    ("jest_retry.txt", "X || X", false, "jest 2 1 0 3 c. 3 -0 +3"),
    ("cargo_q_retry.txt", "X || X", false, "cargo 4 2 0 6 .. 2 -3 +0"),
    ("pytest_retry.txt", "X || X", false, "pytest 1 1 0 2 c. 2 -0 +1"),
    ("pytest_retry_headed.txt", "X || X", false, "pytest 1 1 0 2 c. 2 -0 +0"),
    ("pytest_lf_first.txt", "X; Y", false, "pytest 1 1 0 2 c. 2 -0 +1"),
    ("pytest_places.txt", "X || X", true, "pytest 2 0 0 2 c. 2 -0 +2"),
    ("pytest_places.txt", "both must pass", false, "pytest 3 1 0 4 c. 4 -2 +0"),
    ("pytest_places.txt", "cd", true, "pytest 3 1 0 4 c. 4 -0 +0"),
    ("pytest_places_ok.txt", "cd", true, "pytest 4 0 0 4 c. 4 -0 +0"),
    ("pytest_places_ok.txt", "X; X", true, "pytest 4 0 0 4 c. 4 -2 +0"),
    ("tap_node_places.txt", "cd", true, "tap 3 1 0 4 c. 4 -0 +0"),
    ("tap_node_places_ok.txt", "X; X", true, "tap 4 0 0 4 c. 4 -2 +0"),
];

#[test]
fn whether_a_run_repeats_another_is_told_or_left_open() {
    let counts = |file: &str, command: &str, passed: bool| {
        let asked = Asked { passed: Some(passed), elsewhere: command == "cd", ..Asked::default() };
        let tests = read_asked(asked, &fixture(file)).unwrap_or_else(|| panic!("{file} is not recognised"));
        format!("{} -{} +{}", line(&tests), tests.doubt.fewer, tests.doubt.more)
    };
    let wrong: Vec<String> = REPEATED
        .iter()
        .map(|(file, command, passed, expected)| (file, command, counts(file, command, *passed), expected))
        .filter(|(.., found, expected)| found != **expected)
        .map(|(file, command, found, expected)| {
            format!("{file} as `{command}`: expected {expected}, found {found}")
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// What failed is run again, or a smaller suite follows one that failed.
#[test]
fn sums_alone_tell_what_can_be_a_repetition() {
    let counts = |sums: &[(u64, u64)]| {
        let of = |(passed, failed): &(u64, u64)| {
            let total = passed + failed;
            format!(
                "PASS a.test.js\nTest Suites: 1 total\nTests:       {failed} failed, {passed} passed, {total} total\n"
            )
        };
        let tests = read(None, &sums.iter().map(of).collect::<String>()).expect("this is jest");
        format!("{} -{} +{}", line(&tests), tests.doubt.fewer, tests.doubt.more)
    };
    assert_eq!(counts(&[(8, 2), (10, 0)]), "jest 10 0 0 10 c. 0 -0 +10");
    assert_eq!(counts(&[(8, 2), (2, 0)]), "jest 10 0 0 10 c. 0 -0 +2", "only what failed");
    assert_eq!(counts(&[(8, 2), (8, 2), (8, 2)]), "jest 8 2 0 10 c. 0 -0 +20");
    assert_eq!(
        counts(&[(8, 2), (5, 0)]),
        "jest 13 2 0 15 c. 0 -5 +0",
        "another suite, or a part of it again"
    );
    assert_eq!(counts(&[(8, 2), (20, 0)]), "jest 28 2 0 30 c. 0 -0 +0", "another suite");
    assert_eq!(counts(&[(10, 0), (10, 0)]), "jest 20 0 0 20 c. 0 -0 +0", "nobody repeats what is content");
}

#[test]
fn namesakes_are_different_tests() {
    let run = |package: &str, second: &str| {
        format!(
            "> {package}@1.0.0 test\n> node --test\n\nTAP version 13\nok 1 - works\nnot ok 2 - {second}\n1..2\n# tests 2\n\
             # pass 1\n# fail 1\n"
        )
    };
    let counts = |text: &str| read(None, text).map_or("nothing".to_owned(), |tests| line(&tests));
    assert_eq!(counts(&format!("{}{}", run("a", "x"), run("a", "x"))), "tap 1 1 0 2 c. 2", "once more");
    assert_eq!(counts(&format!("{}{}", run("a", "x"), run("b", "x"))), "tap 2 2 0 4 c. 4", "another package");
    assert_eq!(counts(&format!("{}{}", run("a", "x"), run("a", "y"))), "tap 2 2 0 4 c. 4", "another suite");
    let binary = |name: &str| {
        format!(
            "     Running unittests src/lib.rs (target/debug/deps/{name}-0123456789abcdef)\n\nrunning 1 test\n\
             test tests::it_works ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n\n"
        )
    };
    assert_eq!(counts(&format!("{}{}", binary("a"), binary("b"))), "cargo 2 0 0 2 c. 2");
    let printed = "running 1 test\ntest tests::it_works ... ok\n\n\
        test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n\n";
    assert_eq!(counts(&printed.repeat(2)), "cargo 2 0 0 2 c. 2", "nobody says which binaries these are");
}

fn outcome(tests: &Tests, name: &str) -> Option<Outcome> {
    tests.named.iter().find(|named| named.name == name).map(|named| named.outcome)
}

#[test]
fn a_name_tells_a_test_apart_and_says_how_it_ended() {
    let expected = [
        ("cargo.txt", "shop tests::panics", Outcome::Passed),
        ("cargo.txt", "cart refuses", Outcome::Failed),
        ("cargo.txt", "shop (doc) src/lib.rs - total (line 9)", Outcome::Failed),
        ("cargo_nocapture.txt", "cart refuses", Outcome::Failed),
        ("nextest.txt", "shop::cart refuses", Outcome::Failed),
        ("nextest.txt", "shop::slow slow", Outcome::TimedOut),
        ("jest.txt", "jest/cart.test.js > cart > takes too long", Outcome::TimedOut),
        ("jest_verbose.txt", "jest/cart.test.js > cart > coupons > refuses others", Outcome::Failed),
        ("jest_verbose.txt", "jest/cart.test.js > cart > takes too long", Outcome::TimedOut),
        ("jest_verbose.txt", "jest/cart.test.js > comes later", Outcome::Skipped),
        ("vitest.txt", "vitest/cart.test.mjs > cart > takes too long", Outcome::TimedOut),
        ("vitest.txt", "vitest/cart.test.mjs > cart > is online", Outcome::Skipped),
        ("mocha.txt", "cart > takes too long", Outcome::TimedOut),
        ("mocha.txt", "cart > coupons > refuses others", Outcome::Failed),
        ("node_spec.txt", "cart > coupons > refuses others", Outcome::Failed),
        ("node_spec.txt", "cart > takes too long", Outcome::TimedOut),
        ("tap_node.txt", "cart > takes too long", Outcome::TimedOut),
        ("tap_node.txt", "cart > coupons > refuses others", Outcome::Failed),
        ("pytest_v.txt", "tests/test_cart.py::TestStock::test_slow", Outcome::TimedOut),
        ("pytest_v.txt", "tests/test_cart.py::test_online", Outcome::Skipped),
        ("pytest_q.txt", "tests/test_cart.py::test_coupon[None-4]", Outcome::Failed),
        ("unittest_v.txt", "unit_cart.Cart.test_described", Outcome::Passed),
        ("unittest_v.txt", "unit_cart.Cart.test_error", Outcome::Failed),
        ("go_v.txt", "example.com/shop/cart.TestCoupon/none", Outcome::Failed),
        ("go.json", "example.com/shop/cart.TestOnline", Outcome::Skipped),
        ("go_timeout.txt", "example.com/shop/slow.TestSlow", Outcome::TimedOut),
        ("go_timeout.json", "example.com/shop/slow.TestSlow", Outcome::TimedOut),
        ("rspec.txt", "cart refuses others", Outcome::Failed),
        ("phpunit_v.txt", "CartTest::testOnline", Outcome::Skipped),
        ("junit_nextest.xml", "shop::slow.slow", Outcome::TimedOut),
    ];
    let wrong: Vec<String> = expected
        .into_iter()
        .filter(|(file, name, expected)| outcome(&tests(file), name) != Some(*expected))
        .map(|(file, name, expected)| {
            format!("{file}: no `{name}` that {expected:?}: {:?}", tests(file).named)
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn durations_are_milliseconds() {
    let durations = |file: &str, name: &str| {
        tests(file).named.into_iter().find(|named| named.name == name).and_then(|named| named.duration_ms)
    };
    assert!(durations("pytest_durations.txt", "tests/test_cart.py::TestStock::test_slow") >= Some(200));
    assert!(durations("nextest.txt", "shop::slow slow") >= Some(1_000));
    assert!(durations("jest_verbose.txt", "jest/cart.test.js > cart > takes too long") >= Some(50));
    assert!(durations("junit_pytest.xml", "tests.test_cart.TestStock.test_slow") >= Some(200));
    assert_eq!(durations("go_v.txt", "example.com/shop/cart.TestSum"), Some(0));
    assert_eq!(durations("cargo.txt", "cart refuses"), None);
}

/// Whatever a run had to say, a part of it is not a complete run of less, and counts no more than the whole.
#[test]
fn a_run_that_was_cut_off_is_never_complete() {
    let mut wrong = Vec::new();
    for (name, _) in RUNS {
        let (whole, all) = (fixture(name), tests(name));
        let sums = |tests: &Tests| (tests.passed, tests.failed, tests.skipped, tests.total);
        for part in 1..=31 {
            let mut end = whole.len() * part / 32;
            while !whole.is_char_boundary(end) {
                end -= 1;
            }
            let Some(half) = read(None, &whole[..end]) else { continue };
            // Binaries and packages follow each other unannounced: between two of them nobody can see a cut.
            // With `-s` nothing shows that the sum which a test prints is not the last line of another session.
            let is_printed = name.starts_with("pytest_s");
            let is_listed = name.starts_with("cargo") || name.starts_with("go") || is_printed;
            if half.complete && !is_listed && sums(&half) != sums(&all) {
                wrong.push(format!("{name} cut at {end} claims to be complete: {}", line(&half)));
            }
            // node sums up tests and suites apart only at its end.
            let is_summed = name == &"tap_node.txt" && !half.complete;
            if half.passed > all.passed.or(half.passed) && !is_summed && !is_printed {
                wrong.push(format!("{name} cut at {end}: {}", line(&half)));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn cut_off_runs_say_what_was_seen() {
    let cut = |name: &str, before: &str| {
        let whole = fixture(name);
        let end = whole.rfind(before).unwrap_or_else(|| panic!("{name} has no `{before}`"));
        read(None, &whole[..end]).map_or("nothing".to_owned(), |tests| line(&tests))
    };
    assert_eq!(cut("cargo_ok.txt", "test result"), "cargo 3 0 3 6 .. 6");
    assert_eq!(cut("nextest.txt", "     TIMEOUT [   1.0"), "nextest 5 3 0 8 c. 8");
    assert_eq!(cut("nextest.txt", " TERMINATING"), "nextest 5 2 0 8 .. 7");
    assert_eq!(cut("pytest_v.txt", "= ERRORS ="), "pytest 4 3 2 9 .. 9");
    assert_eq!(cut("go_v.txt", "--- PASS: TestWorth"), "go 3 2 1 - .. 6");
    assert_eq!(cut("vitest.txt", " Test Files"), "vitest 3 2 2 - .. 7");
    assert_eq!(cut("unittest_v.txt", "Ran 7"), "unittest 2 3 2 - .. 7");
    assert_eq!(cut("junit_pytest.xml", "</testsuite>"), "junit 4 3 2 - .. 9");
    assert_eq!(cut("tap_node.txt", "1..3"), "tap 3 2 2 - .. 7");
}

#[test]
fn several_runners_are_added_and_their_names_told_apart() {
    let both = format!("{}\n> shop@1.0.0 test\n\n{}", fixture("cargo_ok.txt"), fixture("jest_verbose.txt"));
    let tests = read(None, &both).expect("two runners");
    assert_eq!(tests.runners, [Runner::Cargo, Runner::Jest]);
    assert_eq!(
        (tests.passed, tests.failed, tests.skipped, tests.total),
        (Some(7), Some(2), Some(5), Some(14))
    );
    assert_eq!(outcome(&tests, "shop tests::adds"), Some(Outcome::Passed));
    assert_eq!(outcome(&tests, "jest/stock.test.js > takes what is there"), Some(Outcome::Passed));
    let unknown = format!("{}{}", fixture("cargo_ok.txt"), fixture("go.txt"));
    assert_eq!(read(None, &unknown).map(|tests| tests.passed), Some(None), "Go does not say how many passed");
    let one = read(Some(Runner::Jest), &both).expect("jest was asked for");
    assert_eq!(line(&one), "jest 4 2 2 8 c. 8");
}

/// `pytest -q && node --test`: node runs only once pytest is green.
#[test]
fn a_name_is_the_same_whether_or_not_another_runner_spoke() {
    let names = |text: &str| -> Vec<String> {
        let mut names: Vec<String> =
            read(None, text).expect("a run").named.into_iter().map(|named| named.name).collect();
        names.sort();
        names
    };
    let (pytest, node) = (fixture("pytest_qq_ok.txt"), fixture("node_spec.txt"));
    let both = names(&format!("{pytest}{node}"));
    assert_eq!(both, [names(&node), names(&pytest)].concat());
    let tap = "TAP version 13\nok 1 - stands alone\nok 2 - is online\n1..2\n";
    let told_apart = names(&format!("{node}{tap}"));
    assert!(told_apart.contains(&"node: stands alone".to_owned()), "{told_apart:?}");
    assert!(told_apart.contains(&"tap: stands alone".to_owned()), "{told_apart:?}");
    assert!(told_apart.contains(&"is online".to_owned()), "{told_apart:?}");
}

#[test]
fn what_nextest_shows_of_a_binary_is_not_counted_twice() {
    let shown = "running 1 test\ntest adds ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
    let uncaptured = format!("{shown}{}", fixture("nextest.txt"));
    assert_eq!(read(None, &uncaptured).map(|tests| line(&tests)).as_deref(), Some("nextest 5 3 0 8 c. 8"));
    let documented = format!("{}   Doc-tests shop\n\n{shown}", fixture("nextest.txt"));
    assert_eq!(read(None, &documented).and_then(|tests| tests.passed), Some(6), "doc tests are run by cargo");
}

/// The test of these fixtures prints `44 passed in 0.10s`, that of cargo's also `test tests::zz ... FAILED`.
#[test]
fn what_a_failing_test_has_printed_is_no_result() {
    for (file, runner, named) in [
        ("cargo_captured.txt", Runner::Cargo, 3),
        ("cargo_printed.txt", Runner::Cargo, 3),
        ("cargo_q_captured.txt", Runner::Cargo, 1),
        ("pytest_captured.txt", Runner::Pytest, 0),
        ("pytest_qq.txt", Runner::Pytest, 2),
    ] {
        let tests = tests(file);
        assert_eq!((&tests.runners[..], tests.named.len()), (&[runner][..], named), "{file}: {tests:?}");
        assert_eq!((tests.failed, outcome(&tests, "tests::zz")), (Some(1), None), "{file}");
    }
    for (file, printed) in [
        ("unittest_v.txt", "Ran 44 tests in 0.100s\n\nOK\n"),
        ("rspec.txt", "44 examples, 0 failures\n"),
        ("jest_verbose.txt", "Tests:       44 passed, 44 total\n"),
    ] {
        let text = format!("{printed}{}", fixture(file));
        assert_eq!(read(None, &text).map(|tests| line(&tests)), Some(line(&tests(file))), "{file}");
    }
    let session = |printed: &str| {
        format!(
            "===== test session starts =====\ncollected 2 items\n\na.py .F [100%]\n\n===== FAILURES =====\n_____ b _____\n\
             {printed}===== short test summary info =====\nFAILED a.py::b\n===== 1 failed, 1 passed in 0.02s =====\n"
        )
    };
    let nested = session(&session("").replace("2 items", "1 item").replace(", 1 passed", ""));
    for printed in [session("===== 9 passed in 0.1s =====\n"), session("3 failed in 1s\n"), nested] {
        assert_eq!(
            read(None, &printed).map(|tests| line(&tests)).as_deref(),
            Some("pytest 1 1 0 2 c. 1"),
            "{printed}"
        );
    }
}

/// `44 passed in 0.10s` is printed when Python ends, and so behind the sum.
#[test]
fn what_is_printed_behind_a_sum_is_no_sum() {
    for (session, expected) in [
        (
            "F.\n===== FAILURES =====\n_____ one _____\nE  no\n===== short test summary info =====\nFAILED a.py::one - no\nPASSED a.py::two\n1 failed, 1 passed in 0.06s\n",
            "pytest 1 1 0 2 c. 2",
        ),
        (
            "F.     [100%]\n===== FAILURES =====\n_____ one _____\nE  no\n===== short test summary info =====\nFAILED a.py::one - no\n1 failed, 1 passed in 0.06s\n",
            "pytest 1 1 0 2 c. 1",
        ),
        ("..     [100%]\n2 passed in 0.06s\n", "pytest 2 0 0 2 c. 0"),
        (
            "===== test session starts =====\ncollected 2 items\n\na.py ..     [100%]\n\n===== 2 passed in 0.06s =====\n",
            "pytest 2 0 0 2 c. 0",
        ),
    ] {
        for printed in [
            "",
            "44 passed in 0.10s\n",
            "===== 44 passed in 0.10s =====\n",
            "44 passed in 0.10s\n45 passed in 0.10s\n",
        ] {
            let text = format!("{session}{printed}");
            assert_eq!(read(None, &text).map(|tests| line(&tests)).as_deref(), Some(expected), "{text}");
        }
    }
    assert_eq!(
        read(None, "..\n2 passed in 0.06s\n").and_then(|tests| tests.passed),
        Some(2),
        "alone it is the sum"
    );
}

#[test]
fn windows_line_ends_change_nothing() {
    for (name, expected) in RUNS {
        let text = fixture(name).replace('\n', "\r\n");
        let found = read(None, &text).as_ref().map_or("nothing".to_owned(), line);
        assert_eq!(found, *expected, "{name}");
    }
}

#[test]
fn what_a_test_prints_is_not_what_the_runner_says() {
    // The fixture's test prints `test result: ok. 100 passed`.
    assert_eq!(tests("cargo.txt").passed, Some(5));
    let liar =
        "running 1 test\ntest result: ok. 1000 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
    assert_eq!(read(None, liar), None, "nothing but words");
    for noise in
        ["", "hello\nworld\n", "ok\n", "5 passed the exam in 2 hours\n", "PASS\n", "{\"Action\":1}\n"]
    {
        assert_eq!(read(None, noise), None, "{noise:?}");
    }
}

#[test]
fn names_are_bounded_and_the_rest_is_counted() {
    let mut text = "TAP version 13\n1..30000\n".to_owned();
    for at in 1..=30_000 {
        text.push_str(&format!("ok {at} - {}{at}\n", "é".repeat(400)));
    }
    let tests = read(None, &text).expect("this is TAP");
    assert_eq!((tests.passed, tests.complete), (Some(30_000), true));
    assert_eq!((tests.named.len(), tests.cut), (20_000, 10_000));
    assert!(tests.named.iter().all(|named| named.name.len() <= 512));
}

const WRITTEN: &[(&str, &str)] = &[
    (
        "TAP version 14\n1..3\n# Subtest: cart\n    1..2\n    ok 1 - adds\n    not ok 2 - takes\nnot ok 1 - cart\nok 2 # SKIP no network\nnot ok 3 - later # TODO\n",
        "tap 1 1 2 4 c. 4",
    ),
    ("1..2\nok 1\nok 2\n", "tap 2 0 0 2 c. 2"),
    ("1..3\nok 1\nok 2\n", "tap 2 0 0 - .. 2"),
    ("TAP version 13\nok 1 - a\nBail out! no disk\n", "tap 1 0 0 - .. 1"),
    (
        "  Failed Shop.Tests.Adds [12 ms]\n  Passed Shop.Tests.Takes [< 1 ms]\nFailed!  - Failed:     1, Passed:     5, Skipped:     2, Total:     8, Duration: 40 ms - Shop.dll (net8.0)\nPassed!  - Failed:     0, Passed:     1, Skipped:     0, Total:     1, Duration: 4 ms - Cart.dll (net8.0)\n",
        "dotnet 6 1 2 9 c. 2",
    ),
    (
        "[INFO] Running shop.CartTest\n[ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 1, Time elapsed: 0.05 s <<< FAILURE! -- in shop.CartTest\n[ERROR] shop.CartTest.adds -- Time elapsed: 0.01 s <<< FAILURE!\n[INFO] Results:\n[ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 1\n",
        "maven 1 2 1 4 c. 1",
    ),
    (
        "[INFO] Running shop.CartTest\n[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.05 s -- in shop.CartTest\n",
        "maven 3 0 1 - .. 0",
    ),
    (
        "> Task :test\n\nCartTest > adds() PASSED\n\nCartTest > takes() FAILED\n\n2 tests completed, 1 failed\n\n> Task :test FAILED\n\nBUILD FAILED in 2s\n",
        "gradle 1 1 0 2 c. 2",
    ),
    ("<testsuite name=\"a\" tests=\"5\" failures=\"1\" errors=\"1\" skipped=\"1\"/>", "junit 2 2 1 5 c. 0"),
    (
        "<testsuites><testsuite><testcase name=\"a\" status=\"notrun\"/><testcase name=\"b\" status=\"run\"><failure/></testcase></testsuite></testsuites>",
        "junit 0 1 1 2 c. 2",
    ),
];

/// Runners that were not at hand, as their users show them, and dialects.
#[test]
fn runners_are_understood_as_they_are_documented() {
    let wrong: Vec<String> = WRITTEN
        .iter()
        .filter_map(|(text, expected)| {
            let found = read(None, text).as_ref().map_or("nothing".to_owned(), line);
            (found != *expected).then(|| format!("{text}: expected {expected}, found {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_line_belongs_to_one_runner() {
    let printed = "     Running unittests src/lib.rs (target/debug/deps/calc-0123456789abcdef)\n\nrunning 3 tests\n\
        test tests::adds ... ok\ntest tests::divides ... FAILED\ntest tests::divides::by_zero ... ok\n\n\
        failures:\n\nfailures:\n    tests::divides\n\n\
        test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n";
    let tests = read(None, printed).unwrap();
    assert_eq!(tests.runners, [Runner::Cargo]);
    assert_eq!(line(&tests), "cargo 2 1 0 3 c. 3");
}

#[test]
fn what_a_test_shows_of_another_runner_is_not_counted() {
    let session = "===== test session starts =====\ncollected 1 item\n\ninner.py::test_a FAILED [100%]\n\n\
        ===== 1 failed in 0.01s =====\n";
    let outer = format!(
        "     Running unittests src/lib.rs (target/debug/deps/calc-0123456789abcdef)\n\nrunning 1 test\n\
         test runs_pytest ... FAILED\n\nfailures:\n\n---- runs_pytest stdout ----\n{session}\n\nfailures:\n    runs_pytest\n\n\
         test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n"
    );
    assert_eq!(read(None, &outer).map(|tests| line(&tests)).as_deref(), Some("cargo 0 1 0 1 c. 1"));
    let after = format!("{outer}error: test failed, to rerun pass `--lib`\n{session}");
    let both = read(None, &after).unwrap();
    assert_eq!(both.runners, [Runner::Cargo, Runner::Pytest], "one after the other");
    assert_eq!(both.failed, Some(2));
}
