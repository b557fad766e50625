//! What the numbers of a round do to the best iteration, the verdict and the firmness of the next prompt.

use super::harness::{Driver, config, round, works};
use crate::loop_machine::stop::{FileCreated, until};
use crate::loop_machine::{
    Command, ConditionResult, Coverage, GuardMode, Level, LoopConfig, Measures, Share, TestCounts, Verdict,
};
use crate::{Event, Reason, Status};

fn tests(passed: u64, failed: u64) -> Measures {
    let tests = Some(TestCounts { passed, failed, skipped: 0, complete: true, ..TestCounts::default() });
    Measures { tests, ..Measures::default() }
}

fn coverage(covered: u64, total: u64) -> Measures {
    let lines = Some(Share { covered, total });
    Measures { coverage: Some(Coverage { lines, ..Coverage::default() }), ..Measures::default() }
}

fn end_checks(driver: &mut Driver, tree: &str, passed: bool, measures: Measures) -> Vec<Event> {
    let mut round = round(driver.open_round(), tree, passed);
    round.measures = measures;
    driver.command(Command::EndChecks(Box::new(round)))
}

fn measured(config: LoopConfig, at_start: Measures) -> Driver {
    let mut driver = Driver::begun(config);
    end_checks(&mut driver, "t0", false, at_start);
    driver
}

fn iterate(driver: &mut Driver, tree: &str, passed: bool, measures: Measures) {
    driver.end_attempt(works(tree));
    end_checks(driver, tree, passed, measures);
}

/// A loop that green checks alone do not end.
fn endless() -> LoopConfig {
    let mut config = config();
    config.until = vec![until(FileCreated { path: "never".to_owned() })];
    config
}

#[test]
fn of_two_red_iterations_the_one_with_more_passing_tests_is_better() {
    let mut driver = measured(endless(), tests(1, 9));
    iterate(&mut driver, "t1", false, tests(6, 4));
    iterate(&mut driver, "t2", false, tests(6, 4));
    assert_eq!(driver.state.judged.best.as_ref().unwrap().iteration, 1, "ties keep the earlier");
    iterate(&mut driver, "t3", false, tests(9, 1));
    assert_eq!(driver.state.judged.best.as_ref().unwrap().iteration, 3);
    iterate(&mut driver, "t4", false, tests(7, 3));
    assert_eq!(driver.state.judged.best.as_ref().unwrap().iteration, 3, "the last is not always the best");
}

/// What was found by a rule so far.
fn found(driver: &Driver, rule: &str) -> usize {
    driver.state.judged.findings.iter().filter(|kept| kept.finding.rule == rule).count()
}

#[test]
fn a_run_gets_nowhere_when_no_number_moves_and_not_when_one_iteration_does_nothing() {
    const RULE: &str = "iterations-without-progress";
    let mut driver = measured(endless(), tests(0, 14));
    for number in 1..=10 {
        iterate(&mut driver, &format!("t{number}"), false, tests(number, 14 - number));
    }
    iterate(&mut driver, "t10", false, tests(10, 4));
    iterate(&mut driver, "t12", false, tests(11, 3));
    assert_eq!(found(&driver, RULE), 0);
    let mut config = endless();
    config.recovery.stuck_after_iteration = 99;
    let mut driver = measured(config, tests(3, 1));
    for number in 1..=13 {
        iterate(&mut driver, &format!("t{number}"), false, tests(3, 1));
    }
    assert_eq!(found(&driver, RULE), 1, "files change, and that is all");
}

#[test]
fn without_checks_the_last_one_is_the_best_unless_fewer_conditions_hold() {
    let mut config = endless();
    config.checks = Vec::new();
    let mut driver = Driver::begun(config);
    let mut end = |tree: &str, met: bool| {
        if tree != "t0" {
            driver.end_attempt(works(tree));
        }
        let mut round = round(driver.open_round(), tree, true);
        round.checks = Vec::new();
        round.conditions = vec![ConditionResult { label: "other".to_owned(), met }];
        driver.command(Command::EndChecks(Box::new(round)));
        driver.state.judged.best.as_ref().map(|best| best.iteration)
    };
    let best = [("t0", false), ("t1", false), ("t2", true), ("t3", false), ("t4", true)];
    assert_eq!(best.map(|(tree, met)| end(tree, met)), [None, Some(1), Some(2), Some(2), Some(4)]);
}

#[test]
fn a_red_linter_is_no_failing_test() {
    let mut driver = measured(endless(), tests(1, 1));
    for (measures, red) in
        [(tests(2, 0), 0), (tests(1, 1), 1), (Measures::default(), 2), (tests(1, 0), 3), (tests(2, 0), 0)]
    {
        let number = driver.state.counters.iterations + 1;
        iterate(&mut driver, &format!("t{number}"), false, measures.clone());
        assert_eq!(driver.state.counters.red_in_a_row, red, "{measures:?}");
    }
}

/// A check that runs its tests twice when they fail, or in two places where they have the same names.
#[test]
fn what_may_be_a_repetition_is_not_held_against_an_iteration() {
    let doubtful = |passed, failed, fewer, more| {
        let tests = TestCounts { passed, failed, skipped: 0, complete: true, fewer, more };
        Measures { tests: Some(tests), ..Measures::default() }
    };
    for (before, now, is_refused) in [
        (doubtful(18, 2, 10, 0), tests(10, 0), false),
        (doubtful(18, 2, 10, 0), tests(9, 0), true),
        (tests(20, 0), doubtful(10, 0, 0, 10), false),
        (tests(21, 0), doubtful(10, 0, 0, 10), true),
    ] {
        let mut driver = measured(endless(), before.clone());
        iterate(&mut driver, "t1", true, now.clone());
        assert_eq!(driver.state.work.restore.is_some(), is_refused, "{before:?} {now:?}");
    }
}

#[test]
fn a_verified_iteration_beats_any_score() {
    let mut driver = measured(endless(), coverage(60, 200));
    iterate(&mut driver, "t1", true, coverage(60, 200));
    let best = driver.state.judged.best.clone().unwrap();
    assert!(best.is_verified() && best.quality_score() < 100.0, "{best:?}");
    iterate(&mut driver, "t2", false, coverage(199, 200));
    assert_eq!(driver.state.judged.best.as_ref().unwrap().iteration, 1);
}

#[test]
fn fewer_tests_in_a_green_run_are_a_regression_that_is_put_back() {
    let mut driver = measured(endless(), tests(9, 1));
    iterate(&mut driver, "t1", true, tests(8, 0));
    assert_eq!(driver.state.work.restore.as_ref().unwrap().tree, "t0");
    let kept = driver.state.judged.findings.back().unwrap();
    assert_eq!((kept.finding.rule.as_str(), kept.verdict), ("test-count-dropped", Verdict::Refused));
    assert_eq!(kept.finding.message, "10 tests ran before, 8 run now");
    assert_eq!(driver.state.judged.best, None, "a regressed one is not eligible");
    assert_eq!(driver.state.judged.reinforcement.level, Level::Aggressive);
    end_checks(&mut driver, "t0", false, tests(9, 1));
    assert_eq!(driver.state.work.restore, None);
    assert!(driver.state.judged.recent.back().unwrap().refused);
}

#[test]
fn a_check_that_passes_while_its_tests_fail_is_refused() {
    let mut driver = measured(endless(), tests(8, 2));
    iterate(&mut driver, "t1", true, tests(8, 2));
    let kept = driver.state.judged.findings.back().unwrap();
    assert_eq!((kept.finding.rule.as_str(), kept.verdict), ("failures-overlooked", Verdict::Refused));
    assert_eq!(kept.finding.message, "the checks pass although a runner counts 2 tests that fail");
    // One that let failures pass from the start is as its owner wants it.
    let mut driver = Driver::begun(endless());
    end_checks(&mut driver, "t0", true, tests(8, 2));
    iterate(&mut driver, "t1", true, tests(8, 2));
    assert!(driver.state.judged.findings.is_empty(), "{:?}", driver.state.judged.findings);
}

#[test]
fn what_numbers_say_is_no_estimate_however_sure_one_has_to_be() {
    let mut config = endless();
    config.recovery.confidence_percent_min = 100;
    let mut driver = measured(config, tests(9, 1));
    iterate(&mut driver, "t1", true, tests(8, 0));
    end_checks(&mut driver, "t0", false, tests(9, 1));
    let recovery = driver.state.judged.recovery.as_ref().unwrap();
    assert_eq!(recovery.diagnosed.as_ref().unwrap().1.confidence_percent, 100);
    assert_eq!(recovery.escalated, None);
}

#[test]
fn a_run_that_did_not_come_to_its_end_proves_nothing_about_the_rest() {
    let mut driver = measured(endless(), tests(9, 1));
    let cut_off = TestCounts { passed: 3, failed: 0, skipped: 0, complete: false, ..TestCounts::default() };
    iterate(&mut driver, "t1", true, Measures { tests: Some(cut_off), ..Measures::default() });
    assert!(driver.state.judged.findings.is_empty(), "{:?}", driver.state.judged.findings);
    // Nor does a red one that stops at the first failure.
    iterate(&mut driver, "t2", false, tests(3, 1));
    assert!(
        driver.state.judged.findings.iter().all(|kept| !kept.finding.blocking),
        "{:?}",
        driver.state.judged.findings
    );
}

#[test]
fn coverage_that_is_lost_is_refused_and_coverage_that_is_diluted_is_said() {
    let mut driver = measured(endless(), coverage(80, 100));
    // Twenty new lines that nothing reaches.
    iterate(&mut driver, "t1", true, coverage(80, 120));
    assert_eq!(driver.state.work.restore, None);
    assert_eq!(driver.state.judged.findings.back().unwrap().verdict, Verdict::Reported);
    assert!(driver.state.judged.recent.back().unwrap().regressed, "and it is not the best of anything");
    // Ten lines that are no longer reached.
    iterate(&mut driver, "t2", true, coverage(70, 120));
    assert_eq!(driver.state.work.restore.as_ref().unwrap().tree, "t1");
}

#[test]
fn many_small_losses_of_coverage_are_a_large_one() {
    let mut driver = measured(endless(), coverage(800, 1000));
    iterate(&mut driver, "t1", true, coverage(785, 1000));
    assert_eq!(driver.state.work.restore, None, "a point and a half may be lost");
    iterate(&mut driver, "t2", true, coverage(770, 1000));
    assert_eq!(driver.state.work.restore.as_ref().unwrap().tree, "t1", "three may not");
}

#[test]
fn what_a_person_agreed_to_is_compared_with_from_then_on() {
    let mut config = endless();
    config.guard = GuardMode::Ask;
    let mut driver = measured(config, coverage(80, 100));
    iterate(&mut driver, "t1", true, coverage(60, 100));
    driver.is(Status::Waiting, Reason::Guard);
    assert_eq!(driver.state.judged.best, None);
    let answer = crate::loop_machine::Answer::Approve;
    driver.request(Event::AnswerGiven { question: 1, answer, comment: None, seen: None });
    driver.is(Status::Running, None);
    assert_eq!(driver.state.judged.best.as_ref().unwrap().iteration, 1);
    iterate(&mut driver, "t2", true, coverage(60, 100));
    driver.is(Status::Running, None);
    assert_eq!(driver.state.judged.findings.len(), 1);
}

#[test]
fn prompts_speak_more_firmly_with_time_and_on_a_plateau() {
    let mut driver = measured(endless(), Measures::default());
    let first = driver.state.judged.reinforcement.history[0];
    assert_eq!((first.rise.from, first.rise.to, first.rise.iteration), (Level::Off, Level::Minimal, 1));
    assert_eq!(first.rise.published(), "Loop initialization");
    for (number, passed) in [(1, 10), (2, 20), (3, 40), (4, 80)] {
        assert_eq!(driver.state.judged.reinforcement.level, Level::Minimal);
        iterate(&mut driver, &format!("t{number}"), false, tests(passed, 100));
    }
    assert_eq!(driver.state.judged.reinforcement.level, Level::Standard);
    assert_eq!(
        driver.state.judged.reinforcement.history.back().unwrap().rise.published(),
        "Iteration 5 threshold reached"
    );
    for number in 5..8 {
        iterate(&mut driver, &format!("t{number}"), false, tests(80, 100));
    }
    assert_eq!(driver.state.judged.reinforcement.level, Level::Aggressive);
    let last = driver.state.judged.reinforcement.history.back().unwrap();
    assert_eq!(last.rise.published(), "Quality plateau detected (3 iterations < 5% delta)");
}

#[test]
fn a_level_of_off_stays_off() {
    let mut config = endless();
    config.reinforcement.level = Level::Off;
    let mut driver = measured(config, tests(5, 5));
    for number in 1..7 {
        iterate(&mut driver, &format!("t{number}"), false, tests(5, 5));
    }
    assert_eq!(driver.state.judged.reinforcement.level, Level::Off);
    assert!(driver.state.judged.reinforcement.history.is_empty());
}
