//! When a loop is done, and when it only looks done.

use super::harness::Driver;
use super::harness::*;
use crate::loop_machine::stop::{ChecksPass, Done, FileCreated, until};
use crate::loop_machine::*;
use crate::{Event, ExitCode, Reason, Status};

#[test]
fn red_checks_that_turn_green_complete_the_run() {
    let mut driver = Driver::red();
    assert_eq!(kinds(&driver.end_attempt(works("t1"))), ["attempt_finished", "checks_started"]);
    assert_eq!(
        kinds(&driver.end_checks("t1", true)),
        ["checks_finished", "iteration_concluded", "run_completed"]
    );
    driver.is(Status::Completed, Reason::ChecksPass);
    assert_eq!(driver.exit_code(), Some(ExitCode::Done));
    assert_eq!(driver.state.counters.iterations, 1);
}

#[test]
fn red_checks_that_stay_red_go_on_with_the_next_iteration() {
    let mut driver = Driver::red();
    driver.iterate(works("t1"), false);
    driver.is(Status::Running, None);
    assert_eq!((driver.state.work.iteration, driver.open_attempt()), (2, 2));
}

#[test]
fn one_green_check_is_not_enough() {
    let mut driver = Driver::red();
    driver.end_attempt(works("t1"));
    let mut round = round(driver.open_round(), "t1", true);
    round.checks[1].passed = false;
    driver.command(Command::EndChecks(Box::new(round)));
    driver.is(Status::Running, None);
}

#[test]
fn red_checks_do_not_need_a_report_of_done() {
    for end in [works("t1"), reports("t1", ReportStatus::Continue), fails("t1")] {
        let mut driver = Driver::red();
        driver.iterate(end, true);
        driver.is(Status::Completed, Reason::ChecksPass);
    }
}

#[test]
fn a_green_baseline_needs_report_and_change_and_green() {
    let mut driver = Driver::green();
    driver.iterate(reports("t1", ReportStatus::Done), true);
    driver.is(Status::Completed, Reason::Done);
}

#[test]
fn a_false_done_goes_on() {
    for (what, end, passed) in [
        ("no report", works("t1"), true),
        ("a report of more to do", reports("t1", ReportStatus::Continue), true),
        ("no change", reports("t0", ReportStatus::Done), true),
        ("red checks", reports("t1", ReportStatus::Done), false),
    ] {
        let mut driver = Driver::green();
        driver.iterate(end, passed);
        assert_eq!(driver.place(), "running", "{what}");
        assert_eq!(driver.open_attempt(), 2, "{what}");
    }
}

#[test]
fn a_done_that_turned_true_later_must_be_reported_again() {
    let mut driver = Driver::green();
    driver.iterate(reports("t0", ReportStatus::Done), true);
    driver.iterate(works("t1"), true);
    driver.is(Status::Running, None);
    driver.iterate(reports("t1", ReportStatus::Done), true);
    driver.is(Status::Completed, Reason::Done);
}

#[test]
fn half_done_work_of_a_cancelled_attempt_never_completes_a_run() {
    let mut driver = Driver::green();
    driver.iterate(reports("t0", ReportStatus::Done), true);
    driver.request(stop(true, crate::StopOrigin::Command));
    driver.end_attempt(cancelled("half done"));
    driver.is(Status::Stopped, Reason::Human);
}

#[test]
fn a_persons_edit_after_a_false_done_never_completes_a_run() {
    let mut driver = Driver::with_baseline(with_limits(|limits| limits.iterations = 1), true);
    driver.iterate(reports("t0", ReportStatus::Done), true);
    driver.is(Status::Stopped, Reason::LimitIterations);
    driver.command(Command::Observe(snapshot("edited")));
    driver.request(Event::ResumeRequested { raise: Raise { iterations: Some(2), ..Raise::default() } });
    driver.is(Status::Running, None);
    assert_eq!(driver.open_attempt(), 2, "nobody has checked the edit");
}

#[test]
fn a_skipped_iteration_completes_nothing() {
    let mut driver = Driver::red();
    driver.end_attempt(works("t1"));
    driver.request(Event::SkipRequested {});
    let round = CheckRound { cancelled: true, ..round(driver.open_round(), "t1", true) };
    driver.command(Command::EndChecks(Box::new(round)));
    driver.is(Status::Running, None);
    assert!(driver.state.judged.recent.back().unwrap().skipped);
}

#[test]
fn conditions_are_all_needed_and_probed_anew_every_time() {
    let mut config = config();
    config.until = vec![until(ChecksPass {}), until(FileCreated { path: "out.txt".to_owned() })];
    let mut driver = Driver::with_baseline(config, false);
    for (met, passed, complete) in [(false, true, false), (true, false, false), (true, true, true)] {
        driver.end_attempt(works("t1"));
        let mut round = round(driver.open_round(), "t1", passed);
        round.stops = vec![StopResult { label: "file_created(out.txt)".to_owned(), met, timed_out: false }];
        driver.command(Command::EndChecks(Box::new(round)));
        assert_eq!(driver.state.status == Status::Completed, complete, "met {met}, passed {passed}");
    }
    driver.is(Status::Completed, Reason::ConditionsMet);
}

#[test]
fn without_checks_a_report_of_done_and_a_changed_tree_suffice() {
    let mut config = config();
    config.checks.clear();
    config.until = vec![until(Done {})];
    let mut driver = Driver::begun(config);
    assert_eq!(driver.open_attempt(), 1, "there is no baseline to take");
    driver.end_attempt(reports("t0", ReportStatus::Done));
    driver.is(Status::Running, None);
    driver.end_attempt(reports("t1", ReportStatus::Done));
    driver.is(Status::Completed, Reason::Done);
}

#[test]
fn checks_pass_on_a_green_baseline_is_refused_before_anything_runs() {
    let mut config = config();
    config.until = vec![until(ChecksPass {})];
    let mut driver = Driver::begun(config);
    driver.end_checks("t0", true);
    driver.is(Status::Stopped, Reason::BaselineGreen);
    assert_eq!(driver.exit_code(), Some(ExitCode::Usage));
    assert_eq!(driver.count("attempt_started"), 0);
}

#[test]
fn checks_run_after_every_attempt_even_where_git_sees_no_change() {
    let mut driver = Driver::red();
    let events = driver.end_attempt(works("t0"));
    assert_eq!(kinds(&events), ["attempt_finished", "checks_started"]);
    driver.end_checks("t0", true);
    driver.is(Status::Completed, Reason::ChecksPass);
}

#[test]
fn the_best_iteration_is_kept_and_ties_keep_the_earlier() {
    let mut driver = Driver::red();
    for (tree, failing) in [("t1", 2), ("t2", 1), ("t3", 1), ("t4", 2)] {
        driver.end_attempt(works(tree));
        let mut round = round(driver.open_round(), tree, true);
        for check in &mut round.checks[..failing] {
            check.passed = false;
        }
        driver.command(Command::EndChecks(Box::new(round)));
    }
    let best = driver.state.judged.best.as_ref().unwrap();
    assert_eq!((best.iteration, best.passed, best.total), (2, 1, 2));
    assert_eq!(best.snapshot.as_ref().unwrap().tree, "t2");
}

#[test]
fn a_configuration_that_cannot_be_meant_is_refused() {
    type Spoil = fn(&mut LoopConfig);
    let cases: [(&str, Spoil); 6] = [
        ("nothing stops it", |config| config.checks.clear()),
        ("checks-pass without checks", |config| {
            config.checks.clear();
            config.until = vec![until(ChecksPass {})];
        }),
        ("no agent", |config| config.agent.command.clear()),
        ("an empty task", |config| config.prompt = Prompt::Text("  \n".to_owned())),
        ("two checks of one name", |config| config.checks[1].name = config.checks[0].name.clone()),
        ("too many checks", |config| {
            config.checks =
                (0..33).map(|n| Check { name: n.to_string(), ..config.checks[0].clone() }).collect();
        }),
    ];
    for (what, spoil) in cases {
        let mut config = config();
        spoil(&mut config);
        let made = create("r".parse().unwrap(), "t", config);
        assert!(matches!(made, Err(Rejection::BadConfig(_))), "{what}: {made:?}");
    }
}

#[test]
fn a_title_is_one_printable_line() {
    let event =
        create("r".parse().unwrap(), &format!(" a\n\tb\u{1b}[2J {}", "x".repeat(200)), config()).unwrap();
    let Event::RunCreated { title, .. } = event else { panic!("{event:?}") };
    assert!(title.starts_with("a b[2J x") && title.chars().count() == 80, "{title}");
}
