//! Collections: a step that is run once per item.

use serde_json::{Value, json};

use super::harness::*;
use crate::workflow::*;
use crate::{Reason, Status};

fn given(count: usize) -> Items {
    Items::Given((0..count).map(Value::from).collect())
}

fn with(source: Items, change: impl FnOnce(&mut Collection)) -> Driver {
    let mut step = repeated(source, step("a", &[]));
    change(step.collection.as_mut().unwrap());
    Driver::of(vec![step])
}

/// How many items were run until the step was done.
fn runs(mut driver: Driver) -> usize {
    while driver.state.status == Status::Running {
        driver.done("a");
    }
    driver.is(Status::Completed, Reason::Done);
    driver.count("step_started")
}

#[test]
fn a_step_is_run_once_per_item_and_attempts_begin_anew() {
    let mut driver = with(given(2), |_| {});
    driver.end("a", failed());
    driver.after(1_000);
    assert_eq!(driver.step("a").open.as_ref().unwrap().item, Some(0));
    driver.done("a");
    assert_eq!(driver.picture(), "a RUNNING 1/0");
    assert_eq!(driver.step("a").open.as_ref().unwrap().item, Some(1));
    driver.done("a");
    driver.is(Status::Completed, Reason::Done);
}

#[test]
fn a_collection_ends_at_its_last_item_or_at_max_iterations() {
    assert_eq!(runs(with(given(3), |_| {})), 3);
    assert_eq!(runs(with(given(3), |collection| collection.max_iterations = Some(2))), 2);
}

#[test]
fn a_collection_ends_once_its_condition_holds() {
    let until = |text: &str| Some(Condition::parse(text).unwrap());
    assert_eq!(runs(with(given(5), |it| it.until_condition = until("metrics.coverage >= 80"))), 1);
    assert_eq!(runs(with(given(5), |it| it.until_condition = until("metrics.coverage >= 90"))), 5);
}

#[test]
fn a_collection_without_items_is_completed_at_once() {
    let steps = vec![repeated(given(0), step("a", &[])), step("b", &["a"])];
    let driver = Driver::of(steps);
    assert_eq!(driver.picture(), "a COMPLETED 0/0, b RUNNING 1/0");
}

#[test]
fn items_come_from_the_first_artifact_of_a_step() {
    let stories = repeated(Items::FromStep("plan".into()), step("a", &["plan"]));
    let mut driver = Driver::of(vec![step("plan", &[]), stories]);
    driver.done("plan");
    let [Effect::Items { path, .. }] = &driver.state.effects()[..] else { panic!("items are wanted") };
    assert_eq!(path.as_deref(), Some("PLAN.md"));
    let items = Ok(vec![json!({"id": "STORY-001"})]);
    driver.command(Command::TakeItems { step: "a".into(), items });
    driver.done("a");
    driver.is(Status::Completed, Reason::Done);
}

#[test]
fn items_that_cannot_be_read_fail_the_step_for_good() {
    let mut driver = with(Items::FromArtifact("items.json".to_owned()), |_| {});
    let items = Err("items.json is not a list".to_owned());
    driver.command(Command::TakeItems { step: "a".into(), items });
    assert_eq!(driver.picture(), "a FAILED 0/0");
    driver.is(Status::Failed, Reason::Environment);
}

#[test]
fn too_many_items_are_refused() {
    let mut driver = with(Items::FromArtifact("items.json".to_owned()), |_| {});
    let items = Ok(vec![Value::Null; 1_001]);
    driver.command(Command::TakeItems { step: "a".into(), items });
    driver.is(Status::Failed, Reason::Environment);
}

#[test]
fn a_loop_back_reads_the_items_again() {
    let steps = vec![
        repeated(Items::FromArtifact("items.json".to_owned()), step("a", &[])),
        back_to("a", step("review", &["a"])),
    ];
    let mut driver = Driver::of(steps);
    let items = || Ok(vec![Value::from(1), Value::from(2)]);
    driver.command(Command::TakeItems { step: "a".into(), items: items() });
    driver.done("a");
    driver.done("a");
    driver.end("review", gate_failed());
    assert!(matches!(driver.state.effects()[..], [Effect::Items { .. }]));
    driver.command(Command::TakeItems { step: "a".into(), items: items() });
    assert_eq!(driver.step("a").open.as_ref().unwrap().item, Some(0));
}

#[test]
fn a_person_looks_once_after_the_last_item() {
    let mut driver = Driver::of(vec![by_hand(repeated(given(2), step("a", &[])))]);
    driver.done("a");
    assert_eq!(driver.picture(), "a RUNNING 1/0");
    driver.done("a");
    assert_eq!(driver.picture(), "a WAITING_ON_HUMAN 1/0");
}

#[test]
fn a_collection_that_a_person_calls_failed_begins_with_its_first_item() {
    let steps = vec![repeated(Items::Given(vec![json!(1)]), step("each", &[])), step("next", &["each"])];
    let mut driver = Driver::with(steps, Options { max_attempts: 1, ..Options::default() });
    driver.done("each");
    driver.end("next", failed());
    driver.is(Status::Failed, Reason::FailureStreak);
    let edit = Edit { step: "each".into(), status: StepStatus::Failed };
    driver.command(Command::AdoptStatuses(vec![edit]));
    driver.request(resume());
    let open = driver.step("each").open.clone().expect("it is tried again");
    assert_eq!(open.item, Some(0), "there is no second item");
}

#[test]
fn a_step_that_was_tried_and_became_a_collection_without_items_is_passed() {
    let mut driver = Driver::of(vec![step("a", &[])]);
    driver.request(WorkflowEvent::PauseRequested {});
    driver.end("a", failed());
    driver.is(Status::Paused, Reason::Human);
    driver.command(Command::Migrate(Box::new(definition(vec![repeated(given(0), step("a", &[]))]))));
    driver.request(resume());
    driver.after(60_000);
    driver.is(Status::Completed, Reason::Done);
    assert_eq!(driver.count("step_started"), 1, "there is no item to begin with");
}
