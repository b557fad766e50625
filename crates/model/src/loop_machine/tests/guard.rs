//! What a run does about what the guard found.

use super::harness::{Driver, MINUTE_MS, config, refused, works};
use crate::loop_machine::{
    Answer, AttemptEnd, AttemptOutcome, Counts, ErrorClass, Finding, GuardMode, GuardReport, Open,
    RegressionType, Severity, Verdict,
};
use crate::{Event, Reason, Status};

fn finding(rule: &str, blocking: bool) -> Finding {
    Finding {
        id: "0123456789".to_owned(),
        rule: rule.to_owned(),
        regression_type: RegressionType::TestDeletion,
        pattern: Some("LP-001".to_owned()),
        severity: Severity::Critical,
        confidence_percent: 97,
        blocking,
        file: "tests/a.py".to_owned(),
        line: 7,
        test: None,
        message: "test `test_a` is gone".to_owned(),
        before: None,
        after: None,
        undo: "restore it".to_owned(),
        allowed: None,
        evidence: None,
    }
}

/// An attempt that leaves `tree`, and what the guard says about it.
pub(super) fn cheats(tree: &str) -> AttemptEnd {
    let guard = GuardReport {
        tests: Counts { before: 2, after: 1 },
        findings: vec![finding("test-deleted", true)],
        findings_total: 1,
        ..GuardReport::default()
    };
    AttemptEnd { guard: Some(guard), ..works(tree) }
}

pub(super) fn with_mode(mode: GuardMode) -> Driver {
    let mut config = config();
    config.guard = mode;
    config.until = vec![];
    Driver::with_baseline(config, false)
}

pub(super) fn answer(answer: Answer) -> Event {
    Event::AnswerGiven { question: 1, answer, comment: None, seen: None }
}

/// The round that puts the files back ends: the tree is `tree` again.
pub(super) fn put_back(driver: &mut Driver, tree: &str, passes: bool) {
    let restore = driver.state.work.restore.clone().expect("files are to be put back");
    assert_eq!(restore.tree, tree);
    driver.end_checks(tree, passes);
    assert_eq!(driver.state.work.restore, None);
}

#[test]
fn a_cheat_is_refused_and_green_checks_do_not_count() {
    let mut driver = with_mode(GuardMode::Block);
    driver.end_attempt(works("t1"));
    driver.end_checks("t1", false);
    driver.end_attempt(cheats("t2"));
    assert_eq!(
        driver.state.work.open,
        Some(Open::Checks(driver.state.work.round)),
        "the files are put back by a round"
    );
    // On the tree of the cheat every check would pass; on the one before it they do not.
    put_back(&mut driver, "t1", false);
    driver.is(Status::Running, None);
    let last = driver.state.judged.recent.back().unwrap();
    assert!(last.refused && !last.progress, "{last:?}");
    assert_eq!(last.snapshot.as_ref().unwrap().tree, "t2", "what was refused can be looked at");
    assert_eq!(driver.state.counters.refused, 1);
    assert_eq!(
        driver.state.judged.best.as_ref().map(|best| best.iteration),
        Some(1),
        "a refused one is never the best"
    );
    assert_eq!(driver.state.judged.findings.back().unwrap().verdict, Verdict::Refused);
    // The next one starts from the honest tree.
    assert_eq!(driver.state.work.before.as_ref().unwrap().tree, "t1");
    driver.iterate(works("t3"), true);
    driver.is(Status::Completed, Reason::ChecksPass);
    assert_eq!(driver.state.counters.refused_in_a_row, 0);
}

#[test]
fn a_refused_iteration_is_no_success_and_has_nothing_of_the_restored_tree() {
    let mut driver = with_mode(GuardMode::Block);
    driver.iterate(works("t1"), false);
    driver.end_attempt(cheats("t2"));
    put_back(&mut driver, "t1", true);
    let last = driver.state.judged.recent.back().unwrap();
    assert!(last.refused && !last.succeeded(), "{last:?}");
    assert_eq!((last.passed, last.total, last.quality, &last.measures), (0, 0, None, &None));
    let counters = &driver.state.counters;
    assert_eq!((counters.iterations, counters.succeeded, counters.failed), (2, 1, 1));
}

#[test]
fn what_a_person_refuses_after_the_guard_doubted_it_is_no_success_either() {
    let mut driver = with_mode(GuardMode::Ask);
    driver.iterate(cheats("t2"), true);
    assert_eq!(driver.state.counters.succeeded, 1);
    driver.request(answer(Answer::Reject));
    let counters = &driver.state.counters;
    assert_eq!((counters.succeeded, counters.failed, counters.refused), (0, 1, 1));
}

#[test]
fn a_refused_iteration_never_completes_a_run() {
    let mut driver = with_mode(GuardMode::Block);
    driver.end_attempt(cheats("t2"));
    let before = driver.state.work.before.clone().unwrap().tree;
    put_back(&mut driver, &before, true);
    driver.is(Status::Running, None);
}

#[test]
fn where_a_person_decides_it_is_asked_before_it_is_done() {
    for (given, kept) in [(Answer::Approve, true), (Answer::Reject, false)] {
        let mut driver = with_mode(GuardMode::Ask);
        let before = driver.state.work.before.clone().unwrap().tree;
        driver.iterate(cheats("t2"), true);
        driver.is(Status::Waiting, Reason::Guard);
        assert!(driver.state.people.questions[0].text.contains("tests/a.py:7: test `test_a` is gone"));
        assert_eq!(driver.state.judged.best, None, "what nobody judged is not the best");
        driver.request(answer(given));
        if kept {
            driver.is(Status::Completed, Reason::ChecksPass);
        } else {
            put_back(&mut driver, &before, false);
            driver.is(Status::Running, None);
            assert!(driver.state.judged.recent.back().unwrap().refused);
        }
    }
}

#[test]
fn where_it_is_only_reported_the_run_goes_on() {
    let mut driver = with_mode(GuardMode::Report);
    driver.iterate(cheats("t2"), true);
    driver.is(Status::Completed, Reason::ChecksPass);
    assert_eq!(driver.state.judged.findings[0].verdict, Verdict::Reported);
    assert_eq!(driver.state.counters.refused, 0);
}

#[test]
fn what_does_not_block_refuses_nothing() {
    let mut driver = with_mode(GuardMode::Block);
    let mut end = cheats("t2");
    end.guard.as_mut().unwrap().findings[0].blocking = false;
    driver.iterate(end, true);
    driver.is(Status::Completed, Reason::ChecksPass);
    assert_eq!(driver.state.judged.findings[0].verdict, Verdict::Reported);
}

#[test]
fn what_a_limit_cut_short_is_judged_when_it_is_done() {
    let mut driver = with_mode(GuardMode::Block);
    let before = driver.state.work.before.clone();
    let limited = AttemptEnd {
        guard: cheats("t1").guard,
        snapshot: cheats("t1").snapshot,
        ..refused(ErrorClass::RateLimit)
    };
    driver.end_attempt(limited);
    driver.is(Status::Waiting, Reason::RateLimit);
    assert_eq!((&driver.state.work.restore, driver.state.judged.findings.len()), (&None, 0));
    driver.after(2 * MINUTE_MS).tick();
    // That the checks pass on a cheat ends nothing while its agent goes on.
    driver.end_checks("t1", true);
    assert_eq!((driver.open_attempt(), driver.state.work.iteration), (2, 1));
    assert_eq!(driver.state.work.before, before, "it is still compared with the tree before the iteration");
    // In the end the agent left nothing to refuse: its work stays.
    driver.iterate(works("t2"), true);
    driver.is(Status::Completed, Reason::ChecksPass);
    assert_eq!(driver.state.seen.snapshot.as_ref().unwrap().tree, "t2");
}

#[test]
fn a_cheat_that_is_skipped_is_put_back_too() {
    let mut driver = with_mode(GuardMode::Block);
    let before = driver.state.work.before.clone().unwrap().tree;
    driver.request(Event::SkipRequested {});
    driver.end_attempt(AttemptEnd { outcome: AttemptOutcome::Cancelled, ..cheats("t2") });
    put_back(&mut driver, &before, false);
    driver.is(Status::Running, None);
    let last = driver.state.judged.recent.back().unwrap();
    assert!(last.skipped && last.refused, "{last:?}");
    assert_eq!(
        driver.state.work.before.as_ref().unwrap().tree,
        before,
        "the next one starts from the honest tree"
    );
}
