//! Steps, their order, their tries.

use super::harness::*;
use crate::loop_machine::AttemptOutcome;
use crate::workflow::*;
use crate::{Reason, Status, Timestamp};

#[test]
fn a_workflow_starts_with_every_step_pending() {
    let order = Order {
        run: run(),
        definition: definition(vec![step("a", &[]), step("b", &["a"])]),
        options: Options::default(),
        inherited: None,
    };
    let created = create(order).unwrap();
    let state = apply(None, &created, Timestamp::from_millis(0)).unwrap();
    assert!(state.steps.iter().all(|step| **step == StepState::default()));
    assert_eq!(state.status, Status::Created);
    assert_eq!(state.effects(), vec![]);
}

#[test]
fn a_step_runs_once_its_needs_are_completed() {
    let mut driver = Driver::of(vec![step("a", &[]), step("b", &["a"]), step("c", &["a", "b"])]);
    assert_eq!(driver.picture(), "a RUNNING 1/0, b PENDING 0/0, c PENDING 0/0");
    assert_eq!(
        kinds(&driver.done("a")),
        ["step_finished", "step_started"],
        "outcome and intent leave together"
    );
    driver.done("b");
    driver.done("c");
    assert_eq!(driver.picture(), "a COMPLETED 1/0, b COMPLETED 1/0, c COMPLETED 1/0");
    driver.is(Status::Completed, Reason::Done);
}

#[test]
fn completion_fills_in_what_was_reported() {
    let mut driver = Driver::of(vec![step("a", &[]), step("b", &["a"])]);
    driver.now = driver.now.plus_millis(5);
    driver.done("a");
    let a = driver.step("a");
    assert_eq!(
        (a.artifacts.clone(), a.logs.clone()),
        (vec!["PLAN.md".to_owned()], vec!["did it".to_owned()])
    );
    assert_eq!(a.metrics["coverage"], 87.5, "types are kept; the view writes text");
    assert_eq!(a.ended_at, Some(driver.now));
    assert!(a.reported && a.last_error.is_none());
}

#[test]
fn ready_steps_run_together_up_to_the_limit() {
    let steps: Vec<Step> = (0..6).map(|n| step(&format!("s{n}"), &[])).collect();
    let mut driver = Driver::with(steps, Options { max_parallel: 3, ..Options::default() });
    assert_eq!(driver.state.open_count(), 3);
    driver.done("s1");
    assert_eq!(driver.state.open_count(), 3);
    assert!(driver.step("s3").open.is_some(), "the next in the order of the document");
}

#[test]
fn a_failed_step_is_tried_again_after_a_pause_and_keeps_its_error() {
    let mut driver = Driver::of(vec![step("a", &[])]);
    driver.end("a", failed());
    assert_eq!(driver.picture(), "a PENDING 1/0", "a step that is tried again has not failed");
    assert_eq!(driver.step("a").last_error.as_deref(), Some("a, b"));
    let due = driver.now.plus_millis(1_000);
    assert_eq!(driver.state.effects(), vec![Effect::Timer(due)]);
    assert_eq!(kinds(&driver.after(999)), Vec::<String>::new());
    assert_eq!(kinds(&driver.after(1)), ["step_started"]);
    assert_eq!(driver.picture(), "a RUNNING 2/0");
    assert_eq!(driver.step("a").last_error.as_deref(), Some("a, b"));
    driver.done("a");
    assert_eq!(driver.step("a").last_error, None);
}

#[test]
fn the_pause_doubles() {
    let mut driver = Driver::with(vec![step("a", &[])], Options { max_attempts: 5, ..Options::default() });
    let mut pauses = Vec::new();
    for _ in 0..4 {
        driver.end("a", failed());
        let [Effect::Timer(due)] = driver.state.effects()[..] else { panic!("a timer") };
        pauses.push(due.millis_since(driver.now));
        driver.now = due;
        driver.command(Command::Tick);
    }
    assert_eq!(pauses, [1_000, 2_000, 4_000, 8_000]);
}

#[test]
fn a_step_fails_after_its_last_try_and_the_run_with_it() {
    let mut driver = Driver::of(vec![step("a", &[]), step("b", &["a"])]);
    driver.end("a", failed());
    driver.after(1_000);
    driver.end("a", failed());
    assert_eq!(driver.picture(), "a FAILED 2/0, b PENDING 0/0");
    driver.is(Status::Failed, Reason::FailureStreak);
    assert_eq!(driver.state.detail.as_deref(), Some("step `a`: a, b"));
    assert_eq!(driver.state.effects(), vec![]);
}

#[test]
fn a_failure_lets_what_is_open_run_out_and_starts_nothing_else() {
    let options = Options { max_attempts: 1, ..Options::default() };
    let steps = vec![step("a", &[]), step("b", &[]), step("c", &["b"])];
    let mut driver = Driver::with(steps, options);
    assert_eq!(kinds(&driver.end("a", failed())), ["step_finished"]);
    driver.is(Status::Running, None);
    driver.done("b");
    assert_eq!(driver.picture(), "a FAILED 1/0, b COMPLETED 1/0, c PENDING 0/0");
    driver.is(Status::Failed, Reason::FailureStreak);
}

#[test]
fn launch_errors_count_as_tries_so_they_end() {
    let mut driver = Driver::of(vec![step("a", &[])]);
    driver.end("a", ended(AttemptOutcome::NotStartable, 0));
    driver.after(1_000);
    driver.end("a", ended(AttemptOutcome::NotStartable, 0));
    driver.is(Status::Failed, Reason::FailureStreak);
}

#[test]
fn a_report_counts_whatever_the_exit_code() {
    let mut driver = Driver::of(vec![step("a", &[])]);
    driver.end("a", StepEnd { outcome: AttemptOutcome::Failed, exit_code: Some(3), ..completed() });
    driver.is(Status::Completed, Reason::Done);
}

#[test]
fn an_agent_without_a_report_failed_even_with_exit_code_0() {
    let mut driver = Driver::of(vec![step("a", &[])]);
    driver.end("a", ended(AttemptOutcome::Succeeded, 0));
    let expected = "Agent process exited with code 0 without writing a run report";
    assert_eq!(driver.step("a").last_error.as_deref(), Some(expected));
    assert_eq!(driver.picture(), "a PENDING 1/0");
}

#[test]
fn a_timeout_is_a_failure_even_with_a_report() {
    for (outcome, why) in [
        (AttemptOutcome::TimedOut, "It took longer than it may"),
        (AttemptOutcome::Hung, "It was silent for longer than it may be"),
    ] {
        let mut driver = Driver::of(vec![step("a", &[])]);
        driver.end("a", StepEnd { outcome, ..completed() });
        assert_eq!(driver.picture(), "a PENDING 1/0");
        assert_eq!(driver.step("a").last_error.as_deref(), Some(why), "not what it said it did");
    }
}

#[test]
fn an_error_that_is_cut_says_so() {
    let long = "x".repeat(20_000);
    let by_log = |logs: Vec<String>| {
        let report = StepReport { completed: false, logs, ..StepReport::default() };
        StepEnd { report: Some(report), ..failed() }
    };
    for end in [
        by_log(vec![long.clone()]),
        by_log(vec!["first".to_owned(), "second".to_owned(), long.clone()]),
        StepEnd { message: Some(long), ..failed() },
    ] {
        let mut driver = Driver::of(vec![step("a", &[])]);
        driver.end("a", end);
        let error = driver.step("a").last_error.clone().unwrap();
        assert!(error.ends_with("x…") && error.len() <= crate::limits::TEXT_BYTES_MAX, "{}", error.len());
    }
}

#[test]
fn a_command_step_is_judged_by_its_exit_code() {
    let work = Work::Run { command: "make".to_owned(), agent: None };
    let mut driver = Driver::of(vec![Step::new("a", work)]);
    driver.end("a", ended(AttemptOutcome::Failed, 2));
    assert_eq!(driver.picture(), "a PENDING 1/0");
    driver.after(1_000);
    driver.end("a", ended(AttemptOutcome::Succeeded, 0));
    driver.is(Status::Completed, Reason::Done);
}

#[test]
fn an_attempt_that_never_started_does_not_count() {
    let mut driver = Driver::of(vec![step("a", &[])]);
    let attempt = driver.open("a");
    let events = driver.command(Command::AbandonAttempt { attempt });
    assert_eq!(kinds(&events), ["step_abandoned", "step_started"]);
    assert_eq!(driver.picture(), "a RUNNING 1/0");
    assert_eq!(driver.open("a"), attempt + 1, "its number is never used twice");
}

#[test]
fn a_lost_attempt_costs_no_try() {
    let mut driver = Driver::of(vec![step("a", &[])]);
    for lost in 1..=5 {
        driver.lose("a");
        assert_eq!(driver.picture(), "a PENDING 0/0");
        assert_eq!(driver.step("a").lost, lost);
        assert!(driver.step("a").last_error.as_ref().unwrap().contains("cannot be known"));
        driver.after(1_000_000);
    }
    driver.end("a", failed());
    assert_eq!(driver.picture(), "a PENDING 1/0", "a failure is the first try of two");
    assert_eq!(driver.step("a").lost, 0, "what was lost before an end is forgotten");
    driver.after(1_000);
    driver.end("a", failed());
    driver.is(Status::Failed, Reason::FailureStreak);
}

#[test]
fn a_machine_that_loses_every_attempt_does_not_go_on_for_ever() {
    let mut driver = Driver::of(vec![step("a", &[])]);
    for _ in 1..driver.state.options.losses.in_a_row_max {
        driver.lose("a");
        driver.is(Status::Running, None);
        driver.after(100_000_000);
    }
    driver.lose("a");
    driver.is(Status::Failed, Reason::AttemptLost);
    driver.request(resume());
    assert_eq!((driver.picture().as_str(), driver.step("a").lost), ("a RUNNING 1/0", 0));
}

#[test]
fn how_many_attempts_may_be_lost_is_what_the_run_was_begun_with() {
    let losses = LossPolicy { in_a_row_max: 2 };
    let mut driver = Driver::with(vec![step("a", &[])], Options { losses, ..Options::default() });
    driver.lose("a");
    driver.is(Status::Running, None);
    driver.after(100_000_000);
    driver.lose("a");
    driver.is(Status::Failed, Reason::AttemptLost);
}

#[test]
fn a_provider_that_refuses_becomes_a_timer_and_costs_no_try() {
    let mut driver = Driver::of(vec![step("a", &[])]);
    let until = driver.now.plus_millis(7_200_000);
    let hold = Some(Hold { reason: Reason::RateLimit, until: Some(until) });
    driver.end("a", StepEnd { hold, report: None, ..failed() });
    assert_eq!(driver.picture(), "a PENDING 0/0");
    assert_eq!(driver.state.effects(), vec![Effect::Timer(until)]);
    driver.after(7_200_000);
    assert_eq!(driver.picture(), "a RUNNING 1/0");
}

#[test]
fn an_agent_that_is_logged_out_stops_the_run() {
    let mut driver = Driver::of(vec![step("a", &[])]);
    let hold = Some(Hold { reason: Reason::Auth, until: None });
    driver.end("a", StepEnd { hold, report: None, message: Some("log in".to_owned()), ..failed() });
    driver.is(Status::Stopped, Reason::Auth);
    driver.request(resume());
    assert_eq!(driver.picture(), "a RUNNING 1/0");
}

fn give_up() -> Command {
    Command::GiveUp { detail: "no process can be started".to_owned() }
}

#[test]
fn what_stands_in_the_way_of_one_step_lets_the_others_end_and_starts_none() {
    let mut driver = Driver::of(vec![step("a", &[]), step("b", &[]), step("c", &["b"])]);
    assert_eq!(kinds(&driver.command(give_up())), ["run_obstructed"]);
    driver.is(Status::Running, None);
    let attempt = driver.open("a");
    driver.command(Command::AbandonAttempt { attempt });
    driver.is(Status::Running, None);
    driver.done("b");
    driver.is(Status::Stopped, Reason::Environment);
    assert_eq!(driver.state.detail.as_deref(), Some("no process can be started"));
    assert_eq!(driver.picture(), "a PENDING 0/0, b COMPLETED 1/0, c PENDING 0/0");
    driver.request(resume());
    assert_eq!(driver.picture(), "a RUNNING 1/0, b COMPLETED 1/0, c RUNNING 1/0");
}

#[test]
fn what_stands_in_the_way_of_a_run_that_halts_is_waited_for_as_well() {
    let mut driver = Driver::of(vec![step("a", &[]), step("b", &[])]);
    let hold = Some(Hold { reason: Reason::Auth, until: None });
    driver.end("a", StepEnd { hold, report: None, ..failed() });
    assert_eq!(kinds(&driver.command(give_up())), ["run_obstructed"]);
    driver.done("b");
    driver.is(Status::Stopped, Reason::Environment);
}

#[test]
fn what_stands_in_the_way_twice_is_not_waited_for() {
    let mut driver = Driver::of(vec![step("a", &[]), step("b", &[])]);
    driver.command(give_up());
    driver.command(give_up());
    driver.is(Status::Stopped, Reason::Environment);
}

#[test]
fn an_outcome_is_taken_once() {
    let mut driver = Driver::of(vec![step("a", &[]), step("b", &["a"])]);
    let attempt = driver.open("a");
    driver.done("a");
    let again = driver.try_command(Command::EndAttempt { attempt, end: Box::new(completed()) });
    assert_eq!(again, Err(Rejection::NotOpen));
}

#[test]
fn a_step_whose_condition_does_not_hold_is_skipped_and_satisfies() {
    let mut driver = Driver::of(vec![
        step("a", &[]),
        when("a.metrics.coverage < 80", step("fix", &["a"])),
        step("c", &["fix"]),
    ]);
    assert_eq!(kinds(&driver.done("a")), ["step_finished", "steps_passed", "step_started"]);
    assert_eq!(driver.picture(), "a COMPLETED 1/0, fix SKIPPED 0/0, c RUNNING 1/0");
}

#[test]
fn a_long_chain_of_skipped_steps_is_one_event() {
    let mut steps = vec![step("a", &[]), when("a.status == FAILED", step("s0", &["a"]))];
    for n in 1..3_000 {
        let (id, before) = (format!("s{n}"), format!("s{}", n - 1));
        steps.push(when(&format!("{before}.status == COMPLETED"), step(&id, &[&before])));
    }
    let mut driver = Driver::of(steps);
    assert_eq!(kinds(&driver.done("a")), ["step_finished", "steps_passed", "run_completed"]);
}

#[test]
fn a_gate_that_is_closed_holds_the_step_until_it_opens() {
    let gated = Step { gates: vec![Gate::Named("security".to_owned())], ..step("a", &[]) };
    let mut driver = Driver::of(vec![gated]);
    let gates = vec![Gate::Named("security".to_owned())];
    assert_eq!(driver.state.effects(), vec![Effect::Gates { step: "a".into(), gates: gates.clone() }]);
    let look = |open| Command::TakeGates {
        step: "a".into(),
        verdicts: vec![GateVerdict { gate: gates[0].clone(), open, why: None }],
    };
    assert_eq!(kinds(&driver.command(look(false))), ["gates_seen"]);
    assert_eq!(
        kinds(&driver.command(look(false))),
        Vec::<String>::new(),
        "said once, however often one looks"
    );
    driver.is(Status::Running, None);
    assert_eq!(kinds(&driver.command(look(true))), ["gates_seen", "step_started"]);
}

#[test]
fn what_nobody_looked_at_is_closed() {
    let gated = Step { gates: vec![Gate::Guard], ..step("a", &[]) };
    let mut driver = Driver::of(vec![gated]);
    driver.command(Command::TakeGates { step: "a".into(), verdicts: vec![] });
    assert_eq!(driver.picture(), "a PENDING 0/0");
    assert_eq!(driver.state.effects().len(), 1);
}

#[test]
fn a_condition_may_ask_about_a_gate() {
    let mut driver = Driver::of(vec![when("gates.release", step("a", &[])), step("b", &["a"])]);
    let closed = GateVerdict { gate: Gate::Named("release".to_owned()), open: false, why: None };
    driver.command(Command::TakeGates { step: "a".into(), verdicts: vec![closed] });
    assert_eq!(driver.picture(), "a SKIPPED 0/0, b RUNNING 1/0");
}
