//! Who works when: the chain, tries, what a role hands in, and what becomes of one that is blocked or slow.

use super::harness::{Driver, config, ended, rate_limited, said, snapshot};
use crate::cycle::*;
use crate::finding::{Finding, RegressionType, Severity};
use crate::loop_machine::{AttemptOutcome, GuardReport, Left, TreeProof, Verdict};
use crate::{Reason, Status};

#[test]
fn the_four_work_one_after_the_other_with_the_checks_before_the_last() {
    let mut driver = Driver::new();
    assert_eq!(driver.at_work(), ["ra"]);
    driver.done("ra");
    assert_eq!(driver.at_work(), ["ep"]);
    driver.done("ep");
    assert_eq!(driver.at_work(), ["cd"]);
    driver.built("cd", "one");
    assert!(driver.at_work().is_empty() && driver.state.checking == Some(1));
    driver.checked(true);
    assert_eq!(driver.at_work(), ["vas"]);
    driver.done("vas");
    driver.is(Status::Completed);
    assert_eq!(driver.state.completed_phases, ["ra", "ep", "cd", "vas"]);
    assert_eq!(driver.state.phase, Phase::Complete);
}

#[test]
fn roles_that_wait_for_nobody_work_side_by_side_but_one_who_builds_works_alone() {
    let mut config = config();
    config.roles[1].after.clear();
    let mut driver = Driver::with(config);
    assert_eq!(driver.at_work(), ["ra", "ep"]);
    driver.done("ep");
    assert_eq!(driver.at_work(), ["ra"], "whoever changes the tree has it to itself");
    driver.done("ra");
    assert_eq!(driver.at_work(), ["cd"]);
}

#[test]
fn a_failure_is_tried_again_with_its_error_and_then_the_cycle_fails() {
    let mut driver = Driver::new();
    for attempt in 1..=3 {
        driver.is(Status::Running);
        assert_eq!(driver.state.roles[0].open.as_ref().map(|open| open.attempt), Some(attempt));
        driver.end("ra", ended(AttemptOutcome::Failed));
    }
    driver.is(Status::Failed);
    assert_eq!(driver.state.reason, Some(Reason::FailureStreak));
    assert!(driver.state.detail.as_ref().is_some_and(|why| why.contains("it broke")));
    assert_eq!(driver.state.phase_errors.total, 3);
    driver.request(CycleEvent::ResumeRequested { raise: Default::default() });
    assert_eq!(driver.at_work(), ["ra"], "whoever resumes it gets the tries again");
}

#[test]
fn without_a_word_the_phase_counts_and_what_is_missing_is_on_record() {
    let mut driver = Driver::new();
    let problems = vec!["there is no block `PHASE_RESULT:`".to_owned()];
    let handed_in = HandedIn { problems, ..HandedIn::default() };
    driver.end("ra", RoleEnd { handed_in, ..ended(AttemptOutcome::Succeeded) });
    assert_eq!(driver.result("ra"), PhaseStatus::Unknown);
    assert_eq!(driver.state.phase_errors.recent[0].phase, "ra");
    assert_eq!(driver.at_work(), ["ep"]);
}

#[test]
fn what_cannot_be_worked_with_is_a_failure_whatever_the_exit_code_says() {
    let mut driver = Driver::new();
    driver.done("ra");
    let mut end = said(PhaseStatus::Completed);
    end.handed_in.unusable = true;
    end.handed_in.problems = vec!["plan.json: TASK-001 waits for itself".to_owned()];
    driver.end("ep", end);
    assert_eq!(driver.at_work(), ["ep"]);
    let error = driver.state.roles[1].error.as_deref();
    assert_eq!(error, Some("plan.json: TASK-001 waits for itself"), "the next try is told");
}

#[test]
fn a_role_that_is_blocked_sends_back_to_whom_it_asks_and_only_so_often() {
    let mut driver = Driver::new();
    driver.done("ra");
    driver.done("ep");
    let blocked = |text: &str| {
        let mut end = said(PhaseStatus::Blocked);
        end.handed_in.blockers = vec![text.to_owned()];
        end
    };
    for round in 1..=2 {
        driver.end("cd", blocked(&format!("question {round}")));
        assert_eq!(driver.at_work(), ["ra"], "round {round}");
        assert_eq!(driver.state.role(&"cd".into()).unwrap().status, RoleStatus::Waiting);
        assert_eq!(driver.state.roles[0].told.back().unwrap().content, format!("question {round}"));
        driver.done("ra");
        driver.done("ep");
    }
    driver.end("cd", blocked("question 3"));
    driver.is(Status::Waiting);
    assert_eq!(driver.state.reason, Some(Reason::Blocked));
    assert_eq!(driver.state.blockers.len(), 3);
    let ids: Vec<_> = driver.state.blockers.iter().map(|blocker| blocker.id.clone()).collect();
    assert_eq!(ids, ["BLK-001", "BLK-002", "BLK-003"]);
    for id in ids {
        let (status, resolution) = (BlockerStatus::Resolved, Some("so".to_owned()));
        driver.request(CycleEvent::BlockerSettled { id, status, resolution });
    }
    assert_eq!(driver.at_work(), ["cd"], "once nothing stands in the way it goes on");
}

/// What the guard says of a test that is gone.
fn cheat() -> GuardReport {
    let finding = Finding {
        id: "f1".to_owned(),
        rule: "test-deleted".to_owned(),
        regression_type: RegressionType::TestDeletion,
        pattern: None,
        severity: Severity::High,
        confidence_percent: 90,
        blocking: true,
        file: "a_test.py".to_owned(),
        line: 3,
        test: None,
        message: "a test is gone".to_owned(),
        before: None,
        after: None,
        undo: "Put it back.".to_owned(),
        allowed: None,
        evidence: None,
    };
    GuardReport { findings: vec![finding], findings_total: 1, ..GuardReport::default() }
}

#[test]
fn what_the_guard_refuses_is_put_back_and_becomes_a_bug_report() {
    let mut driver = Driver::new();
    driver.command(Command::Observe(snapshot("start")));
    driver.done("ra");
    driver.done("ep");
    let mut end =
        RoleEnd { guard: Some(cheat()), snapshot: Some(snapshot("cheat")), ..said(PhaseStatus::Completed) };
    end.handed_in.changes = vec![ChangeEntry {
        at: driver.now,
        file: "a_test.py".to_owned(),
        action: ChangeAction::Delete,
        iteration: 1,
        agent: "cd".into(),
        description: String::new(),
        task: None,
        lines_added: 0,
        lines_removed: 9,
    }];
    driver.end("cd", end);
    assert_eq!((driver.state.changes.total, driver.state.changed_files.len()), (0, 0), "it is put back");
    let record = driver.state.iterations.back().unwrap();
    assert_eq!(record.agent_results[&"cd".into()].files_modified, 0);
    let open = driver.state.role(&"cd".into()).unwrap().open.clone().expect("it is tried again");
    assert_eq!(open.restore.as_deref(), Some("commit-start"));
    let report = driver.state.feedback.recent.back().unwrap();
    assert_eq!((report.source.as_str(), report.kind), ("guard", FeedbackKind::BugReport));
    assert!(report.content.contains("a test is gone") && report.content.contains("Put it back."));
    assert_eq!(driver.state.findings.len(), 1);
    assert_eq!(driver.state.findings[0].verdict, Verdict::Refused);
}

#[test]
fn what_was_refused_for_good_is_put_back_before_anybody_goes_on() {
    let mut driver = Driver::new();
    driver.command(Command::Observe(snapshot("start")));
    driver.done("ra");
    driver.done("ep");
    let cheats =
        RoleEnd { guard: Some(cheat()), snapshot: Some(snapshot("cheat")), ..said(PhaseStatus::Completed) };
    for _ in 0..3 {
        driver.end("cd", cheats.clone());
    }
    driver.is(Status::Failed);
    assert!(
        driver.state.detail.as_deref().unwrap().contains("puts it back first"),
        "{:?}",
        driver.state.detail
    );
    driver.request(CycleEvent::ResumeRequested { raise: Default::default() });
    let open = driver.state.role(&"cd".into()).unwrap().open.clone().expect("it goes on");
    assert_eq!(open.restore.as_deref(), Some("commit-start"));
}

#[test]
fn what_the_guard_finds_in_an_attempt_that_was_cut_short_is_refused_by_nobody() {
    let mut driver = Driver::new();
    driver.command(Command::Observe(snapshot("start")));
    driver.done("ra");
    driver.done("ep");
    let end = RoleEnd {
        guard: Some(cheat()),
        snapshot: Some(snapshot("cheat")),
        ..ended(AttemptOutcome::Cancelled)
    };
    driver.end("cd", end);
    assert_eq!(driver.state.findings[0].verdict, Verdict::Reported);
    // What it left is looked at again with the attempt that follows.
    let end =
        RoleEnd { guard: Some(cheat()), snapshot: Some(snapshot("cheat")), ..said(PhaseStatus::Completed) };
    driver.end("cd", end);
    assert_eq!(driver.state.findings[1].verdict, Verdict::Refused);
}

#[test]
fn a_role_that_takes_long_is_asked_twice_before_its_time_is_over() {
    let mut driver = Driver::new();
    assert_eq!(driver.state.effects().last(), Some(&Effect::Timer(driver.now.plus_millis(60_000))));
    driver.after(60_000);
    assert_eq!(driver.state.roles[0].nudged, Some(Nudge::StatusCheck));
    driver.after(10_000);
    assert_eq!(driver.state.roles[0].nudged, Some(Nudge::Finalize));
    assert!(driver.after(10_000).is_empty(), "its keeper ends it");
    let end = RoleEnd { outcome: AttemptOutcome::TimedOut, ..said(PhaseStatus::Partial) };
    driver.end("ra", end);
    assert_eq!(driver.result("ra"), PhaseStatus::Partial);
    assert_eq!(driver.at_work(), ["ep"], "what it handed in counts");
}

#[test]
fn a_lost_attempt_is_had_again_and_costs_no_try() {
    let mut driver = Driver::new();
    for _ in 0..2 {
        let attempt = driver.open("ra");
        driver.command(Command::LoseAttempt {
            attempt,
            tree: TreeProof::Scanned,
            left: Box::new(Left::default()),
        });
        assert_eq!(driver.state.roles[0].open.as_ref().map(|open| open.attempt), Some(1));
    }
    let attempt = driver.open("ra");
    driver.command(Command::LoseAttempt {
        attempt,
        tree: TreeProof::Scanned,
        left: Box::new(Left::default()),
    });
    driver.is(Status::Stopped);
    assert_eq!(driver.state.reason, Some(Reason::AttemptLost));
}

#[test]
fn a_provider_that_refuses_is_asked_again_later_each_time_twice_as_long() {
    let mut driver = Driver::new();
    let refused = RoleEnd { hold: rate_limited(), ..ended(AttemptOutcome::Failed) };
    driver.end("ra", refused.clone());
    assert!(driver.at_work().is_empty());
    assert_eq!(driver.state.roles[0].not_before, Some(driver.now.plus_millis(60_000)));
    driver.after(60_000);
    driver.end("ra", refused);
    assert_eq!(driver.state.roles[0].not_before, Some(driver.now.plus_millis(120_000)));
    assert_eq!(driver.state.roles[0].tries, 0, "it is nothing that the role did");
}

#[test]
fn an_outcome_is_taken_once() {
    let mut driver = Driver::new();
    let attempt = driver.open("ra");
    driver.done("ra");
    let again = Command::EndAttempt { attempt, end: Box::new(said(PhaseStatus::Completed)) };
    assert_eq!(driver.try_command(again), Err(crate::Rejection::NotOpen));
}

#[test]
fn documents_get_the_version_of_the_iteration_and_the_one_before_is_kept() {
    let mut driver = Driver::new();
    let document = |driver: &Driver, text: &str| Document {
        name: "requirements.md".to_owned(),
        version: driver.state.current.version.clone(),
        iteration: driver.state.iteration,
        text: text.to_owned(),
        at: driver.now,
    };
    let mut end = said(PhaseStatus::Completed);
    end.handed_in.documents = vec![document(&driver, "one")];
    driver.end("ra", end);
    driver.done("ep");
    driver.built("cd", "one");
    driver.checked(true);
    driver.done("vas");
    driver.request(CycleEvent::ExtensionRequested { text: "more".to_owned(), raise: Default::default() });
    let mut end = said(PhaseStatus::Completed);
    end.handed_in.documents = vec![document(&driver, "two")];
    driver.end("ra", end);
    let ra = &driver.state.roles[0];
    assert_eq!(
        (ra.documents["requirements.md"].version.as_str(), ra.documents["requirements.md"].text.as_str()),
        ("1.1.0", "two")
    );
    assert_eq!(ra.previous["requirements.md"].text, "one");
    assert_eq!(ra.log.total, 2);
    assert_eq!(ra.output_files, ["requirements.md"]);
}
