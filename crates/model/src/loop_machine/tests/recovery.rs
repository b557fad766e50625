//! Recovery: every step in the journal, another approach each time, and a person in the end.

use super::guard::{answer, cheats, put_back, with_mode};
use super::harness::{Driver, config, works};
use crate::loop_machine::stop::{FileCreated, until};
use crate::loop_machine::{
    Answer, Approach, Cause, GuardMode, QuestionKind, RecoveryOutcome, RecoveryStep, Trigger,
};
use crate::{Event, Reason, Status};

fn refuse(driver: &mut Driver) -> Vec<Event> {
    driver.end_attempt(cheats("t2"));
    let before = driver.state.work.before.clone().unwrap().tree;
    let from = driver.journal.len();
    put_back(driver, &before, false);
    driver.journal[from..].to_vec()
}

fn steps(events: &[Event]) -> Vec<RecoveryStep> {
    let step = |event: &Event| match event {
        Event::RecoveryAdvanced { step, .. } => Some(step.clone()),
        _ => None,
    };
    events.iter().filter_map(step).collect()
}

#[test]
fn a_refused_iteration_is_diagnosed_and_tried_another_way() {
    let mut driver = with_mode(GuardMode::Block);
    let events = refuse(&mut driver);
    let [RecoveryStep::Paused { iteration: 1, trigger, .. }, RecoveryStep::Diagnosed(diagnosis), adapted] =
        &steps(&events)[..]
    else {
        panic!("{events:#?}")
    };
    assert_eq!(trigger.to_string(), "regression_detected: test_deletion");
    assert_eq!((diagnosis.cause, diagnosis.by.as_str()), (Cause::RewardHacking, "rule test-deleted"));
    assert_eq!(diagnosis.confidence_percent, 97);
    assert_eq!(*adapted, RecoveryStep::Adapted { approach: Approach::FixTheCode, fresh_session: false });
    driver.iterate(works("t3"), false);
    let closed = driver.state.judged.recoveries.back().unwrap();
    assert_eq!(closed.outcome, Some(RecoveryOutcome::Success));
    assert_eq!(driver.state.judged.recovery, None);
}

#[test]
fn each_retry_takes_another_approach_and_then_a_person_is_asked() {
    let mut driver = with_mode(GuardMode::Block);
    let mut approaches = Vec::new();
    for _ in 0..3 {
        let events = refuse(&mut driver);
        driver.is(Status::Running, None);
        approaches.extend(steps(&events).into_iter().filter_map(|step| match step {
            RecoveryStep::Adapted { approach, .. } => Some(approach),
            _ => None,
        }));
    }
    assert_eq!(approaches, [Approach::FixTheCode, Approach::SmallerStep, Approach::ExplainFirst]);
    refuse(&mut driver);
    driver.is(Status::Waiting, Reason::Guard);
    assert_eq!(driver.state.people.questions[0].kind, QuestionKind::Guard);
    assert!(
        driver.state.people.questions[0].text.contains("3 retries failed"),
        "{:?}",
        driver.state.people.questions
    );
    driver.request(answer(Answer::Approve));
    driver.is(Status::Running, None);
    let closed = driver.state.judged.recoveries.back().unwrap();
    assert_eq!((closed.outcome, closed.decision), (Some(RecoveryOutcome::Escalated), Some(Answer::Approve)));
    refuse(&mut driver);
    driver.is(Status::Running, None);
}

#[test]
fn where_critical_regressions_escalate_a_person_is_asked_at_once() {
    let mut config = config();
    config.recovery.escalate_critical = true;
    let mut driver = Driver::with_baseline(config, false);
    refuse(&mut driver);
    driver.is(Status::Waiting, Reason::Guard);
    driver.request(answer(Answer::Abort));
    driver.is(Status::Stopped, Reason::Human);
    assert_eq!(driver.state.judged.recoveries.back().unwrap().outcome, Some(RecoveryOutcome::Aborted));
}

#[test]
fn a_tree_that_goes_to_and_fro_is_noticed() {
    let mut config = config();
    config.until = vec![until(FileCreated { path: "never".to_owned() })];
    let mut driver = Driver::with_baseline(config, false);
    for tree in ["a", "b", "a"] {
        driver.iterate(works(tree), false);
        assert_eq!(driver.state.judged.recovery, None);
    }
    driver.iterate(works("b"), false);
    let recovery = driver.state.judged.recovery.clone().expect("a recovery");
    assert_eq!(recovery.trigger, Trigger::Oscillation);
    assert_eq!(recovery.diagnosed.unwrap().1.cause, Cause::SpecificationAmbiguity);
    assert_eq!(recovery.adapted.unwrap().1, Approach::AnotherWay, "nobody made a check lenient");
    driver.iterate(works("c"), false);
    assert_eq!(driver.state.judged.recoveries.back().unwrap().outcome, Some(RecoveryOutcome::Success));
}

#[test]
fn a_run_that_does_not_get_on_accuses_nobody() {
    let mut config = config();
    config.until = vec![until(FileCreated { path: "never".to_owned() })];
    (config.recovery.max_retries, config.limits.no_progress) = (0, 99);
    let mut driver = Driver::with_baseline(config, false);
    for tree in ["a", "b", "a", "b"] {
        driver.iterate(works(tree), false);
    }
    driver.is(Status::Waiting, Reason::Stuck);
    assert_eq!(driver.state.people.questions[0].kind, QuestionKind::Stuck);
    assert_eq!(driver.state.judged.recovery.as_ref().unwrap().adapted, None);
    driver.request(answer(Answer::Reject));
    driver.is(Status::Stopped, Reason::Human);
    assert!(driver.state.people.told.is_empty(), "nobody is left to be told anything");
    let closed = driver.state.judged.recoveries.back().unwrap();
    assert_eq!((closed.outcome, closed.decision), (Some(RecoveryOutcome::Escalated), Some(Answer::Reject)));
}
