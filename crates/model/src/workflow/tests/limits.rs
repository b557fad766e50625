//! Money, pauses and stops. A run with work left is never called completed.

use super::harness::*;
use crate::event::StopOrigin;
use crate::loop_machine::AttemptOutcome;
use crate::workflow::*;
use crate::{Reason, Status};

fn limited(action: CostAction) -> Driver {
    let options =
        Options { max_cost_microusd: Some(100_000), cost_limit_action: action, ..Options::default() };
    let mut driver = Driver::with(vec![step("a", &[]), step("b", &["a"])], options);
    driver.done("a");
    driver
}

#[test]
fn a_cost_limit_pauses_the_run() {
    let mut driver = limited(CostAction::Pause);
    driver.is(Status::Paused, Reason::LimitCost);
    assert_eq!(driver.picture(), "a COMPLETED 1/0, b PENDING 0/0");
    assert_eq!(driver.state.detail.as_deref(), Some("$0.10 of $0.10 are spent"));
    let raise = "--max-cost +10".to_owned();
    let at_limit = Rejection::AtLimit { run: run(), reason: Reason::LimitCost, raise };
    assert_eq!(admit(&driver.state, &resume()), Err(at_limit));
    let raise = Raise { max_cost_microusd: Some(500_000), ..Raise::default() };
    let raised = WorkflowEvent::ResumeRequested { raise };
    assert_eq!(admit(&driver.state, &raised), Ok(()));
    driver.request(raised);
    assert_eq!(driver.picture(), "a COMPLETED 1/0, b RUNNING 1/0");
}

#[test]
fn a_cost_limit_fails_the_run_where_that_is_asked_for() {
    limited(CostAction::Fail).is(Status::Failed, Reason::LimitCost);
}

#[test]
fn a_cost_limit_that_only_warns_warns_once() {
    let mut driver = limited(CostAction::Warn);
    assert_eq!(driver.count("limit_warned"), 1);
    driver.done("b");
    assert_eq!(driver.count("limit_warned"), 1);
    driver.is(Status::Completed, Reason::Done);
}

#[test]
fn the_last_step_that_costs_too_much_is_warned_of_as_well() {
    let options = Options { max_cost_microusd: Some(100_000), ..Options::default() };
    let mut driver = Driver::with(vec![step("a", &[])], options);
    driver.done("a");
    assert_eq!(driver.count("limit_warned"), 1);
    driver.is(Status::Completed, Reason::Done);
}

#[test]
fn a_limit_for_the_day_can_be_raised_lowered_and_made_a_warning() {
    let options = Options {
        daily_cost_microusd: Some(5_000_000),
        cost_limit_action: CostAction::Pause,
        ..Options::default()
    };
    let mut driver = Driver::with(vec![step("a", &[]), step("b", &["a"])], options);
    driver.command(Command::SpendBudget { detail: "$5 of $5 of today".to_owned(), microusd: 5_000_000 });
    driver.done("a");
    driver.is(Status::Paused, Reason::LimitCost);
    let raise = Raise { daily_cost_microusd: Some(2_000_000), ..Raise::default() };
    driver.request(WorkflowEvent::ResumeRequested { raise });
    assert_eq!(driver.state.options.daily_cost_microusd, Some(2_000_000));
    let warns = Options { cost_limit_action: CostAction::Warn, ..driver.state.options.clone() };
    driver.command(Command::ChangeOptions(Box::new(warns)));
    for spent in ["$7 of $2 of today", "$8 of $2 of today"] {
        driver.command(Command::SpendBudget { detail: spent.to_owned(), microusd: 5_000_000 });
    }
    assert_eq!(driver.count("budget_spent"), 2, "once before the pause, once as a warning");
    driver.done("b");
    driver.is(Status::Completed, Reason::Done);
}

#[test]
fn a_budget_beyond_the_run_stops_it_too() {
    let options = Options { cost_limit_action: CostAction::Pause, ..Options::default() };
    let mut driver = Driver::with(vec![step("a", &[]), step("b", &["a"])], options);
    driver.command(Command::SpendBudget { detail: "$5 of $5 of today".to_owned(), microusd: 5_000_000 });
    driver.is(Status::Running, None);
    driver.done("a");
    driver.is(Status::Paused, Reason::LimitCost);
    driver.request(resume());
    assert_eq!(driver.picture(), "a COMPLETED 1/0, b RUNNING 1/0", "whoever goes on means to");
}

#[test]
fn a_limit_can_be_raised_while_a_completed_run_begins_anew() {
    let mut driver = Driver::of(vec![step("a", &[])]);
    driver.done("a");
    driver.is(Status::Completed, Reason::Done);
    let raise = Raise { daily_cost_microusd: Some(9_000_000), ..Raise::default() };
    let raised = WorkflowEvent::ResumeRequested { raise };
    assert!(admit(&driver.state, &raised).is_err(), "there is nothing to go on with");
    driver.fold(WorkflowEvent::StartAtRequested { step: "a".into() });
    assert_eq!(admit(&driver.state, &raised), Ok(()));
    driver.request(raised);
    assert_eq!(driver.picture(), "a RUNNING 1/0");
    assert_eq!(driver.state.options.daily_cost_microusd, Some(9_000_000));
}

#[test]
fn a_pause_lets_what_is_open_run_out() {
    let mut driver = Driver::of(vec![step("a", &[]), step("b", &["a"])]);
    driver.request(WorkflowEvent::PauseRequested {});
    driver.is(Status::Running, None);
    driver.done("a");
    driver.is(Status::Paused, Reason::Human);
    driver.request(resume());
    assert_eq!(driver.picture(), "a COMPLETED 1/0, b RUNNING 1/0");
}

#[test]
fn a_stop_now_ends_every_attempt_and_gives_the_tries_back() {
    let mut driver = Driver::of(vec![step("a", &[]), step("b", &[])]);
    driver.request(WorkflowEvent::StopRequested { now: true, origin: StopOrigin::Interrupt });
    assert!(driver.state.wants_cancel(&"a".into()) && driver.state.wants_cancel(&"b".into()));
    driver.end("a", ended(AttemptOutcome::Cancelled, 0));
    driver.end("b", ended(AttemptOutcome::Cancelled, 0));
    driver.is(Status::Stopped, Reason::Interrupted);
    assert_eq!(driver.picture(), "a PENDING 0/0, b PENDING 0/0");
    driver.request(resume());
    assert_eq!(driver.picture(), "a RUNNING 1/0, b RUNNING 1/0");
}

#[test]
fn a_run_whose_last_step_is_done_is_completed_even_if_it_is_to_stop() {
    let mut driver = Driver::of(vec![step("a", &[])]);
    driver.request(WorkflowEvent::StopRequested { now: false, origin: StopOrigin::Command });
    driver.done("a");
    driver.is(Status::Completed, Reason::Done);
}

#[test]
fn money_time_and_loop_backs_are_counted_over_everything() {
    let mut driver = Driver::of(vec![step("a", &[]), back_to("a", step("b", &["a"]))]);
    driver.done("a");
    driver.end("b", gate_failed());
    driver.done("a");
    let counters = &driver.state.counters;
    assert_eq!((counters.attempts, counters.cost_microusd, counters.working_ms), (3, 300_000, 180_000));
}

#[test]
fn an_unknown_cost_is_never_zero() {
    let mut driver = Driver::of(vec![step("a", &[])]);
    driver.end("a", StepEnd { cost_microusd: None, ..completed() });
    assert_eq!(driver.state.counters.cost_unknown, 1);
}

#[test]
fn what_a_step_reports_is_cut_to_what_a_state_may_hold() {
    let mut driver = Driver::of(vec![step("a", &[])]);
    let mut end = completed();
    let report = end.report.as_mut().unwrap();
    report.logs = vec!["x".repeat(1 << 20); 1_000];
    report.artifacts = vec!["y".repeat(1 << 20); 10];
    driver.end("a", end);
    let bytes = serde_json::to_vec(&driver.state).unwrap().len();
    assert!(bytes < limits::KEPT_BYTES_PER_STEP_MAX + (16 << 10), "{bytes}");
    let step = driver.step("a");
    assert!(!step.logs.is_empty());
    assert_eq!((step.left_out.artifacts, step.left_out.logs as usize), (10, 1_000 - step.logs.len()));
}

#[test]
fn the_end_of_a_log_has_its_place_whatever_else_is_reported() {
    let mut driver = Driver::of((0..1_000).map(|n| step(&format!("s{n}"), &[])).collect());
    let mut end = completed();
    let report = end.report.as_mut().unwrap();
    report.artifacts = (0..1_000).map(|n| format!("{n:0200}")).collect();
    report.logs = (0..10).map(|n| format!("line {n} {}", "x".repeat(100))).collect();
    driver.end("s0", end);
    let step = driver.step("s0");
    assert!(step.logs.last().unwrap().starts_with("line 9 "), "{:?}", step.logs);
    assert!(step.left_out.artifacts > 0 && !step.artifacts.is_empty());
}

#[test]
fn the_items_of_a_collection_share_the_room_of_one_step() {
    let items = (0..3).map(serde_json::Value::from).collect();
    let mut driver = Driver::of(vec![repeated(Items::Given(items), step("a", &[]))]);
    for item in 0..3 {
        let mut end = completed();
        end.report.as_mut().unwrap().artifacts = (0..600).map(|n| format!("{item}/{n}")).collect();
        driver.end("a", end);
    }
    let step = driver.step("a");
    assert_eq!((step.artifacts.len(), step.left_out.artifacts), (1_000, 800));
    assert_eq!(step.left_out.lines(), ["… 800 artifacts left out"]);
}
