//! Loop-backs: counts, blocks, limits. The rules of the document, and where it and its program differ.

use super::harness::*;
use crate::loop_machine::AttemptOutcome;
use crate::workflow::*;
use crate::{Reason, Status};

fn review() -> Driver {
    Driver::of(vec![
        step("coding", &[]),
        back_to("coding", step("review", &["coding"])),
        step("ship", &["review"]),
    ])
}

#[test]
fn a_gate_failure_completes_the_step_then_resets_target_and_dependents() {
    let mut driver = review();
    driver.done("coding");
    let before = driver.state.clone();
    let events = driver.end("review", gate_failed());
    assert_eq!(kinds(&events), ["step_finished", "looped_back", "step_started"]);
    // As the document has it: first completed, with the reason, then pending again.
    let first = apply(Some(before), &events[0], driver.now).unwrap();
    let review = first.step(&"review".into()).unwrap();
    assert_eq!(review.status, StepStatus::Completed);
    assert_eq!(review.last_error.as_deref(), Some("Gate failure: found P0 issues"));
    assert_eq!(review.iteration_count, 0);
    let second = apply(Some(first), &events[1], driver.now).unwrap();
    let review = second.step(&"review".into()).unwrap();
    assert_eq!((review.status, review.iteration_count, review.attempts), (StepStatus::Pending, 1, 0));
    assert_eq!(
        review.last_error.as_deref(),
        Some("Gate failure: found P0 issues"),
        "for as long as that holds it"
    );
}

#[test]
fn counts_rise_on_the_target_and_on_everything_downstream() {
    let mut driver = review();
    driver.done("coding");
    driver.end("review", gate_failed());
    let picture =
        "coding RUNNING 1/1, review PENDING 0/1 blocked by review, ship PENDING 0/1 blocked by review";
    assert_eq!(driver.picture(), picture);
    driver.done("coding");
    assert_eq!(driver.picture(), "coding COMPLETED 1/1, review RUNNING 1/1, ship PENDING 0/1");
    driver.done("review");
    driver.done("ship");
    driver.is(Status::Completed, Reason::Done);
    assert_eq!(driver.step("review").iteration_count, 1);
}

#[test]
fn the_report_is_kept_on_a_loop_back_and_its_content_is_not() {
    let mut driver = review();
    driver.done("coding");
    driver.end("review", gate_failed());
    let review = driver.step("review");
    assert!(review.reported);
    assert_eq!((review.artifacts.len(), review.logs.len(), review.metrics.len()), (0, 0, 0));
    assert_eq!((review.started_at, review.ended_at), (None, None));
}

#[test]
fn attempts_begin_anew_at_a_loop_back() {
    let mut driver = review();
    driver.end("coding", failed());
    driver.after(1_000);
    driver.done("coding");
    assert_eq!(driver.step("coding").attempts, 2);
    driver.end("review", gate_failed());
    assert_eq!(driver.step("coding").attempts, 1);
}

#[test]
fn the_limit_is_tested_on_the_gating_step_and_is_not_tried_again() {
    let mut driver = review();
    for _ in 0..4 {
        driver.done("coding");
        driver.end("review", gate_failed());
    }
    driver.done("coding");
    driver.end("review", gate_failed());
    assert_eq!(
        driver.picture(),
        "coding COMPLETED 1/4, review FAILED 1/4, ship PENDING 0/4 blocked by review"
            .replace(" blocked by review", "")
    );
    let expected = "Gate failure after 4 iterations - max iterations reached";
    assert_eq!(driver.step("review").last_error.as_deref(), Some(expected));
    driver.is(Status::Failed, Reason::LimitIterations);
    assert_eq!(driver.state.counters.loop_backs, 4);
}

#[test]
fn a_gate_that_does_not_wait_for_its_target_is_held_until_it_is_done() {
    let mut driver = Driver::of(vec![step("coding", &[]), back_to("coding", step("lint", &[]))]);
    driver.done("coding");
    driver.end("lint", gate_failed());
    assert_eq!(driver.picture(), "coding RUNNING 1/1, lint PENDING 0/1 blocked by lint");
    driver.done("coding");
    assert_eq!(driver.picture(), "coding COMPLETED 1/1, lint RUNNING 1/1");
}

#[test]
fn a_step_may_go_back_to_itself() {
    let mut driver = Driver::of(vec![back_to("a", step("a", &[])), step("b", &["a"])]);
    driver.end("a", gate_failed());
    assert_eq!(driver.picture(), "a RUNNING 1/1, b PENDING 0/1 blocked by a");
}

#[test]
fn work_that_a_loop_back_makes_void_is_ended_first() {
    let mut driver = Driver::of(vec![
        step("coding", &[]),
        back_to("coding", step("review", &["coding"])),
        step("docs", &["coding"]),
    ]);
    driver.done("coding");
    assert_eq!(kinds(&driver.end("review", gate_failed())), ["step_finished"]);
    assert_eq!(driver.picture(), "coding COMPLETED 1/0, review COMPLETED 1/0, docs RUNNING 1/0");
    assert!(driver.state.wants_cancel(&"docs".into()));
    let events = driver.end("docs", ended(AttemptOutcome::Cancelled, 0));
    assert_eq!(kinds(&events), ["step_finished", "looped_back", "step_started"]);
    assert_eq!(
        driver.picture(),
        "coding RUNNING 1/1, review PENDING 0/1 blocked by review, docs PENDING 0/1 blocked by review"
    );
}

#[test]
fn two_gates_that_fail_together_go_back_once() {
    let mut driver = Driver::of(vec![
        step("coding", &[]),
        back_to("coding", step("review", &["coding"])),
        back_to("coding", step("tests", &["coding"])),
    ]);
    driver.done("coding");
    driver.end("review", gate_failed());
    driver.end("tests", gate_failed());
    assert_eq!(driver.state.counters.loop_backs, 1);
    assert_eq!(driver.step("coding").iteration_count, 1);
}

#[test]
fn a_command_that_may_go_back_is_a_gate() {
    let work = Work::Run { command: "make lint".to_owned(), agent: None };
    let lint = Step { needs: vec!["coding".into()], ..back_to("coding", Step::new("lint", work)) };
    let mut driver = Driver::of(vec![step("coding", &[]), lint]);
    driver.done("coding");
    driver
        .end("lint", StepEnd { message: Some("2 warnings".to_owned()), ..ended(AttemptOutcome::Failed, 1) });
    assert_eq!(driver.state.counters.loop_backs, 1);
    driver.done("coding");
    driver.end("lint", ended(AttemptOutcome::Failed, 127));
    assert_eq!(
        driver.state.counters.loop_backs, 1,
        "a shell that found no command said nothing about the gate"
    );
    assert_eq!(driver.picture(), "coding COMPLETED 1/1, lint PENDING 1/1");
}

#[test]
fn a_gate_failure_with_nowhere_to_go_completes_and_is_remembered() {
    let mut driver = Driver::of(vec![step("a", &[]), when("a.gate == failed", step("b", &["a"]))]);
    driver.end("a", gate_failed());
    assert_eq!(driver.picture(), "a COMPLETED 1/0, b RUNNING 1/0");
    assert_eq!(driver.step("a").last_error.as_deref(), Some("Gate failure: found P0 issues"));
}
