//! Hooks: at which points they are called, what they can do, and that a crash calls them again.

use super::harness::{Driver, config, fails, works};
use crate::hook::{Builtin, Hook, HookKind, HookPoint, Hooks};
use crate::loop_machine::*;
use crate::{Effect, Event, Reason, Status};

fn with_hooks_at(points: &[HookPoint]) -> LoopConfig {
    let hook = Hook {
        name: "h".to_owned(),
        points: points.to_vec(),
        run: HookKind::Command { command: "true".to_owned() },
        ..Builtin::Logging.hook()
    };
    LoopConfig { hooks: Some(Hooks { hooks: vec![hook], ..Hooks::default() }), ..config() }
}

/// The points of the call that is open.
fn open_points(driver: &Driver) -> Vec<&'static str> {
    match &driver.state.work.open {
        Some(Open::Hooks(call)) => call.points.iter().map(|point| point.as_str()).collect(),
        other => panic!("no hooks are open but {other:?}"),
    }
}

fn end(driver: &mut Driver, end: HookEnd) -> Vec<Event> {
    let Some(Open::Hooks(call)) = &driver.state.work.open else { panic!("no hooks are open") };
    let number = call.number;
    driver.command(Command::EndHooks(Box::new(HookEnd { number, ..end })))
}

fn ends(driver: &mut Driver) -> Vec<Event> {
    end(driver, HookEnd::default())
}

#[test]
fn every_point_of_an_iteration_is_called_once_and_in_order() {
    let mut driver = Driver::begun(with_hooks_at(&HookPoint::ALL));
    assert_eq!(open_points(&driver), ["loop_start"]);
    ends(&mut driver);
    driver.end_checks("t0", false);
    assert_eq!(open_points(&driver), ["on_test_failure"]);
    ends(&mut driver);
    assert_eq!(open_points(&driver), ["pre_iteration", "pre_session"]);
    ends(&mut driver);
    driver.end_attempt(works("t1"));
    assert_eq!(open_points(&driver), ["post_session"]);
    ends(&mut driver);
    driver.end_checks("t1", false);
    assert_eq!(open_points(&driver), ["on_test_failure", "on_file_change", "on_progress", "post_iteration"]);
    ends(&mut driver);
    assert_eq!(open_points(&driver), ["pre_iteration", "pre_session"]);
    ends(&mut driver);
    driver.end_attempt(fails("t1"));
    assert_eq!(open_points(&driver), ["post_session", "on_error"]);
    ends(&mut driver);
    driver.end_checks("t1", false);
    assert_eq!(open_points(&driver), ["on_test_failure", "on_no_progress", "post_iteration"]);
    ends(&mut driver);
    ends(&mut driver);
    driver.end_attempt(works("t2"));
    ends(&mut driver);
    driver.end_checks("t2", true);
    assert_eq!(open_points(&driver), ["on_test_success", "on_file_change", "on_progress", "post_iteration"]);
    ends(&mut driver);
    assert_eq!(open_points(&driver), ["loop_end"]);
    let Some(Open::Hooks(call)) = &driver.state.work.open else { panic!() };
    let ending = call.ending.clone().unwrap();
    assert_eq!((ending.status, ending.reason), (Status::Completed, Reason::ChecksPass));
    driver.is(Status::Running, None);
    ends(&mut driver);
    driver.is(Status::Completed, Reason::ChecksPass);
}

#[test]
fn a_run_without_hooks_records_nothing_of_them() {
    let mut driver = Driver::red();
    driver.iterate(works("t1"), true);
    assert_eq!(driver.count("hooks_started"), 0);
}

#[test]
fn a_call_that_a_crash_cut_off_is_made_again_under_its_number() {
    let mut driver = Driver::begun(with_hooks_at(&[HookPoint::LoopStart]));
    let before = driver.state.effects();
    driver.drive(2);
    assert_eq!(driver.state.effects(), before);
    let Effect::Hooks(call) = &before[0] else { panic!("{before:?}") };
    assert_eq!(call.number, 1);
    ends(&mut driver);
    assert!(
        driver.try_command(Command::EndHooks(Box::new(HookEnd { number: 1, ..HookEnd::default() }))).is_err()
    );
}

#[test]
fn a_hook_can_stop_the_run_and_is_asked_again_when_it_goes_on() {
    let mut driver = Driver::begun(with_hooks_at(&[HookPoint::PreIteration]));
    driver.end_checks("t0", false);
    assert_eq!(open_points(&driver), ["pre_iteration"]);
    end(&mut driver, HookEnd { stop: Some("no budget".to_owned()), ..HookEnd::default() });
    driver.is(Status::Stopped, Reason::Hook);
    assert_eq!(driver.state.detail.as_deref(), Some("no budget"));
    assert_eq!(driver.exit_code(), Some(crate::ExitCode::Limit));
    driver.request(Event::ResumeRequested { raise: Raise::default() });
    assert_eq!(open_points(&driver), ["pre_iteration"]);
    ends(&mut driver);
    assert_eq!(driver.open_attempt(), 1);
}

#[test]
fn a_run_that_is_done_is_done_whatever_a_hook_wants() {
    let mut driver = Driver::begun(with_hooks_at(&[HookPoint::PostIteration]));
    driver.end_checks("t0", false);
    driver.end_attempt(works("t1"));
    driver.end_checks("t1", true);
    end(&mut driver, HookEnd { stop: Some("enough".to_owned()), ..HookEnd::default() });
    driver.is(Status::Completed, Reason::ChecksPass);
}

#[test]
fn a_run_whose_hooks_must_not_fail_is_not_done_by_one_that_failed() {
    let mut config = with_hooks_at(&[HookPoint::PostIteration]);
    config.hooks.as_mut().expect("hooks").fail_on_hook_error = true;
    let mut driver = Driver::begun(config);
    driver.end_checks("t0", false);
    driver.end_attempt(works("t1"));
    driver.end_checks("t1", true);
    end(&mut driver, HookEnd { stop: Some("failed".to_owned()), ..HookEnd::default() });
    driver.is(Status::Stopped, Reason::Hook);
    driver.request(Event::ResumeRequested { raise: Raise::default() });
    driver.is(Status::Completed, Reason::ChecksPass);
}

#[test]
fn values_of_hooks_are_kept_with_the_run() {
    let mut driver = Driver::begun(with_hooks_at(&[HookPoint::LoopStart]));
    end(&mut driver, HookEnd { set: [("k".to_owned(), 7.into())].into(), ..HookEnd::default() });
    assert_eq!(driver.state.memory.custom["k"], 7);
}

#[test]
fn a_stop_now_ends_hooks_and_comes_before_the_next_work() {
    let mut driver = Driver::begun(with_hooks_at(&[HookPoint::PreIteration]));
    driver.end_checks("t0", false);
    driver.request(Event::StopRequested { now: true, origin: crate::StopOrigin::Command });
    assert!(driver.state.wants_cancel());
    ends(&mut driver);
    driver.is(Status::Stopped, Reason::Human);
}

#[test]
fn a_stop_now_is_what_hooks_at_the_end_are_told_of() {
    let mut driver = Driver::begun(with_hooks_at(&[HookPoint::LoopEnd]));
    driver.end_checks("t0", false);
    driver.request(Event::StopRequested { now: true, origin: crate::StopOrigin::Command });
    assert!(driver.state.wants_cancel(), "the attempt");
    driver.end_attempt(super::harness::cancelled("t0"));
    assert_eq!(open_points(&driver), ["loop_end"]);
    assert!(!driver.state.wants_cancel());
    ends(&mut driver);
    driver.is(Status::Stopped, Reason::Human);
}

#[test]
fn a_failure_before_a_reboot_keeps_the_session() {
    let mut config = with_hooks_at(&[HookPoint::PreReboot, HookPoint::PostReboot]);
    config.session = SessionPolicy::Continue;
    config.agent.sessions.resume = vec!["--resume".to_owned()];
    let mut driver = Driver::with_baseline(config, false);
    let report = Report { session_id: Some("s1".to_owned()), ..Report::default() };
    driver.iterate(AttemptEnd { report: Some(report), ..works("t1") }, false);
    driver.request(Event::RebootRequested {});
    // It is taken up when the attempt ends.
    let report = Report { session_id: Some("s1".to_owned()), ..Report::default() };
    driver.end_attempt(AttemptEnd { report: Some(report.clone()), ..works("t2") });
    assert_eq!(open_points(&driver), ["pre_reboot"]);
    end(&mut driver, HookEnd { keep_session: true, ..HookEnd::default() });
    assert_eq!((driver.state.session.spent, driver.state.counters.reboots), (false, 0));
    driver.end_checks("t2", false);
    driver.request(Event::RebootRequested {});
    driver.end_attempt(AttemptEnd { report: Some(report), ..works("t3") });
    ends(&mut driver);
    assert_eq!((driver.state.session.spent, driver.state.counters.reboots), (true, 0));
    driver.end_checks("t3", false);
    assert_eq!(driver.state.counters.reboots, 1);
    let report = Report { session_id: Some("s2".to_owned()), ..Report::default() };
    driver.end_attempt(AttemptEnd { report: Some(report), ..works("t4") });
    assert_eq!(open_points(&driver), ["post_reboot"]);
}

#[test]
fn an_iteration_that_is_given_up_has_its_hooks_called_and_is_given_up() {
    let mut driver = Driver::begun(with_hooks_at(&[HookPoint::PostSession]));
    driver.end_checks("t0", false);
    driver.request(Event::SkipRequested {});
    // The agent was faster than the request.
    driver.end_attempt(works("t1"));
    assert_eq!(open_points(&driver), ["post_session"]);
    assert!(!driver.state.wants_cancel(), "hooks are called, never less than once");
    ends(&mut driver);
    assert!(driver.state.wants_cancel(), "nobody wants the verdict of what was given up");
    let number = driver.open_round();
    let round = CheckRound { cancelled: true, ..super::harness::round(number, "t1", false) };
    driver.command(Command::EndChecks(Box::new(round)));
    assert!(driver.state.judged.recent.back().unwrap().skipped);
}

#[test]
fn a_run_at_rest_that_somebody_stops_ends_after_its_hooks() {
    let mut driver = Driver::begun(with_hooks_at(&[HookPoint::LoopEnd]));
    driver.end_checks("t0", false);
    driver.request(Event::PauseRequested {});
    driver.end_attempt(works("t1"));
    driver.is(Status::Paused, Reason::Human);
    assert_eq!(driver.count("hooks_started"), 0, "it has not ended yet");
    driver.request(Event::StopRequested { now: false, origin: crate::StopOrigin::Command });
    assert_eq!(open_points(&driver), ["loop_end"]);
    driver.is(Status::Paused, Reason::Human);
    let open = driver.state.effects();
    driver.drive(2);
    assert_eq!(driver.state.effects(), open, "a driver that takes over makes the same call");
    ends(&mut driver);
    driver.is(Status::Stopped, Reason::Human);
    assert_eq!((driver.count("hooks_started"), driver.state.effects()), (1, vec![]));
}
