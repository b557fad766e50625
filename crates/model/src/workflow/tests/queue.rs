//! Queues: what becomes of one item stops no other, none is run twice, and each ends in exactly one way.

use proptest::prelude::*;

use super::harness::{self, Driver, run};
use crate::loop_machine::{AgentConfig, AttemptOutcome, Check, LoopConfig};
use crate::workflow::*;
use crate::{Reason, Status};

/// An item called `id` that comes after `needs`.
fn item(id: &str, needs: &[&str]) -> NewItem {
    let task = format!("do {id}");
    let item = Item { title: task.clone(), entry: Some(task.clone()), task, ..Item::default() };
    NewItem { id: id.into(), after: needs.iter().map(|id| StepId::from(*id)).collect(), item: Box::new(item) }
}

fn options(parallel: u32) -> Options {
    let agent = AgentConfig { command: vec!["agent".to_owned()], ..AgentConfig::default() };
    let config = LoopConfig::new("", agent, vec![Check::new("test", "true")]);
    let queue = Queue {
        list: List::Markdown("TASKS.md".to_owned()),
        config: Box::new(config),
        max_tokens: None,
        max_working_ms: None,
    };
    let queue = Some(Box::new(queue));
    Options { max_attempts: 1, max_iterations: 1, max_parallel: parallel, queue, ..Options::default() }
}

fn driver(items: Vec<NewItem>, options: Options) -> Driver {
    Driver::with(items.into_iter().map(NewItem::into_step).collect(), options)
}

fn ended(outcome: AttemptOutcome) -> StepEnd {
    harness::ended(outcome, 0)
}

/// The attempt at this item ends; its list is told where it is done.
fn ends(driver: &mut Driver, id: &str, outcome: AttemptOutcome) {
    let number = driver.state.step(&id.into()).unwrap().open.as_ref().unwrap().number;
    driver.command(Command::EndAttempt { attempt: number, end: Box::new(ended(outcome)) });
    tick(driver);
}

fn tick(driver: &mut Driver) {
    for effect in driver.state.effects() {
        if let Effect::Tick { step } = effect {
            driver.command(Command::TakeTick { step, why: None });
        }
    }
}

fn waits(driver: &mut Driver, id: &str, asks: bool) {
    let number = driver.state.step(&id.into()).unwrap().open.as_ref().unwrap().number;
    let question = InnerQuestion { run: run(), step: None, question: Some(1), text: "keep it?".to_owned() };
    driver.command(Command::TakeNested { attempt: number, asks: asks.then_some(question) });
}

fn standings(driver: &Driver) -> Vec<&'static str> {
    (0..driver.state.steps.len()).map(|index| driver.state.standing(index).as_str()).collect()
}

#[test]
fn items_are_done_one_after_the_other_and_ticked_before_the_end() {
    let mut driver = driver(vec![item("a", &[]), item("b", &[])], options(1));
    assert_eq!(standings(&driver), ["at work", "next"]);
    ends(&mut driver, "a", AttemptOutcome::Succeeded);
    assert_eq!(standings(&driver), ["done", "at work"]);
    let number = driver.state.step(&"b".into()).unwrap().open.as_ref().unwrap().number;
    driver.command(Command::EndAttempt { attempt: number, end: Box::new(ended(AttemptOutcome::Succeeded)) });
    assert_eq!(driver.state.status, Status::Running, "its list does not say so yet");
    tick(&mut driver);
    assert_eq!(driver.state.status, Status::Completed);
    assert!(driver.state.item_run(0).is_some(), "which run did it stays known");
}

#[test]
fn a_failure_stops_only_what_comes_after_it() {
    let items = vec![item("a", &[]), item("b", &["a"]), item("c", &["b"]), item("d", &[])];
    let mut driver = driver(items, options(1));
    ends(&mut driver, "a", AttemptOutcome::Failed);
    assert_eq!(standings(&driver), ["failed", "not begun", "not begun", "at work"]);
    ends(&mut driver, "d", AttemptOutcome::Succeeded);
    assert_eq!((driver.state.status, driver.state.reason), (Status::Failed, Some(Reason::FailureStreak)));
    assert_eq!(driver.state.detail.as_deref(), Some("of 4 items: 1 done, 1 failed, 2 not begun"));
    assert_eq!(driver.state.because(2).as_deref(), Some("it comes after `a`, which is failed"));
}

#[test]
fn an_item_that_waits_for_a_person_holds_up_no_other() {
    let mut driver = driver(vec![item("a", &[]), item("b", &["a"]), item("c", &[])], options(1));
    waits(&mut driver, "a", true);
    assert_eq!(standings(&driver), ["blocked", "not begun", "at work"]);
    ends(&mut driver, "c", AttemptOutcome::Succeeded);
    assert_eq!((driver.state.status, driver.state.reason), (Status::Waiting, Some(Reason::Human)));
    waits(&mut driver, "a", false);
    assert_eq!(standings(&driver), ["at work", "next", "done"]);
    ends(&mut driver, "a", AttemptOutcome::Succeeded);
    ends(&mut driver, "b", AttemptOutcome::Succeeded);
    assert_eq!(driver.state.status, Status::Completed);
}

fn asks(driver: &mut Driver, change: QueueChange) {
    driver.request(WorkflowEvent::QueueChangeRequested { change });
}

#[test]
fn items_are_added_moved_skipped_and_tried_again_while_it_runs() {
    let mut driver = driver(vec![item("a", &[]), item("b", &[]), item("c", &[])], options(1));
    asks(&mut driver, QueueChange::Add { item: item("d", &["b"]), before: None });
    asks(&mut driver, QueueChange::Move { step: "c".into(), before: Some("b".into()) });
    let order: Vec<_> = driver.state.plan.steps.iter().map(|step| step.id.as_str().to_owned()).collect();
    assert_eq!(order, ["a", "c", "b", "d"]);
    assert_eq!(standings(&driver), ["at work", "next", "next", "next"]);
    asks(&mut driver, QueueChange::Skip { step: "c".into() });
    ends(&mut driver, "a", AttemptOutcome::Failed);
    assert_eq!(standings(&driver), ["failed", "not begun", "at work", "next"]);
    asks(&mut driver, QueueChange::Retry { step: "a".into() });
    ends(&mut driver, "b", AttemptOutcome::Succeeded);
    assert_eq!(standings(&driver), ["at work", "not begun", "done", "next"]);
    let first = driver.state.steps[0].open.clone().unwrap();
    assert_eq!(first.nested, Some(1), "a try goes on with the loop of the first");
    // What is at work is ended first.
    asks(&mut driver, QueueChange::Skip { step: "a".into() });
    assert!(driver.state.wants_cancel(&"a".into()));
    ends(&mut driver, "a", AttemptOutcome::Cancelled);
    assert_eq!(standings(&driver), ["not begun", "not begun", "done", "at work"]);
    ends(&mut driver, "d", AttemptOutcome::Succeeded);
    assert_eq!(driver.state.status, Status::Completed);
}

#[test]
fn changes_that_make_no_sense_are_refused_with_the_reason() {
    let mut driver = driver(vec![item("a", &[]), item("b", &[])], options(1));
    let refused = |driver: &mut Driver, change: QueueChange, why: &str| {
        let request = WorkflowEvent::QueueChangeRequested { change };
        let said = admit(&driver.state, &request).unwrap_err().to_string();
        assert!(said.contains(why), "{said}");
        let events = driver.request(request);
        assert!(matches!(&events[0], WorkflowEvent::QueueChangeRefused { .. }), "{events:?}");
    };
    refused(&mut driver, QueueChange::Skip { step: "x".into() }, "no item `x`");
    refused(&mut driver, QueueChange::Retry { step: "a".into() }, "at work");
    refused(&mut driver, QueueChange::Move { step: "a".into(), before: None }, "has begun");
    refused(&mut driver, QueueChange::Add { item: item("a", &[]), before: None }, "twice");
    refused(&mut driver, QueueChange::Add { item: item("c", &["x"]), before: None }, "no step `x`");
    assert!(driver.state.requests.changes.is_empty());
}

#[test]
fn a_retry_wakes_a_queue_that_had_come_to_its_end() {
    let mut driver = driver(vec![item("a", &[]), item("b", &["a"])], options(1));
    ends(&mut driver, "a", AttemptOutcome::Failed);
    assert_eq!(driver.state.status, Status::Failed);
    driver.fold(WorkflowEvent::QueueChangeRequested { change: QueueChange::Retry { step: "a".into() } });
    assert!(driver.state.is_left_open(), "somebody has to drive it");
    driver.drive();
    ends(&mut driver, "a", AttemptOutcome::Succeeded);
    ends(&mut driver, "b", AttemptOutcome::Succeeded);
    assert_eq!(driver.state.status, Status::Completed);
}

#[test]
fn what_all_items_together_may_use_ends_the_queue_and_a_raise_goes_on() {
    let mut all = options(1);
    all.max_cost_microusd = Some(1_000_000);
    let mut driver = driver(vec![item("a", &[]), item("b", &[])], all);
    let mut end = ended(AttemptOutcome::Succeeded);
    end.cost_microusd = Some(1_500_000);
    driver.command(Command::EndAttempt { attempt: 1, end: Box::new(end) });
    tick(&mut driver);
    assert_eq!((driver.state.status, driver.state.reason), (Status::Stopped, Some(Reason::LimitCost)));
    assert_eq!(standings(&driver), ["done", "not begun"]);
    let resume = |max_cost_microusd| WorkflowEvent::ResumeRequested {
        raise: Raise { max_cost_microusd, ..Raise::default() },
    };
    assert!(matches!(admit(&driver.state, &resume(None)), Err(Rejection::AtLimit { .. })));
    driver.request(resume(Some(9_000_000)));
    assert_eq!(standings(&driver), ["done", "at work"]);
}

#[test]
fn nothing_is_begun_after_the_deadline() {
    let mut all = options(1);
    let deadline = crate::Timestamp::from_millis(1_771_157_060_000);
    all.queue.as_mut().unwrap().config.limits.deadline = Some(deadline);
    let mut driver = driver(vec![item("a", &[]), item("b", &[])], all);
    driver.now = deadline;
    ends(&mut driver, "a", AttemptOutcome::Succeeded);
    assert_eq!((driver.state.status, driver.state.reason), (Status::Stopped, Some(Reason::LimitDeadline)));
}

/// What happens to a queue; numbers pick among its items.
#[derive(Clone, Debug)]
enum Happening {
    End(usize, u8),
    Wait(usize, bool),
    Tick,
    Drive,
    Change(u8, usize, usize),
    Pause,
    Resume,
}

fn happening() -> impl Strategy<Value = Happening> {
    let pick = || 0..8usize;
    prop_oneof![
        10 => (pick(), 0..4u8).prop_map(|(pick, how)| Happening::End(pick, how)),
        4 => (pick(), any::<bool>()).prop_map(|(pick, asks)| Happening::Wait(pick, asks)),
        4 => Just(Happening::Tick),
        1 => Just(Happening::Drive),
        4 => (0..4u8, pick(), pick()).prop_map(|(what, one, other)| Happening::Change(what, one, other)),
        1 => Just(Happening::Pause),
        2 => Just(Happening::Resume),
    ]
}

fn open_at(driver: &Driver, pick: usize) -> Option<u32> {
    let open: Vec<u32> =
        driver.state.steps.iter().filter_map(|step| Some(step.open.as_ref()?.number)).collect();
    (!open.is_empty()).then(|| open[pick % open.len()])
}

fn happen(driver: &mut Driver, happening: Happening, added: &mut u32) {
    let name = |driver: &Driver, pick: usize| driver.state.id(pick % driver.state.steps.len()).clone();
    match happening {
        Happening::End(pick, how) => {
            let Some(attempt) = open_at(driver, pick) else { return };
            let outcome = match how {
                0 | 1 => AttemptOutcome::Succeeded,
                2 => AttemptOutcome::Failed,
                _ => AttemptOutcome::NotStartable,
            };
            let index = driver
                .state
                .steps
                .iter()
                .position(|step| step.open.as_ref().is_some_and(|open| open.number == attempt));
            let unwanted = index.is_some_and(|index| driver.state.steps[index].unwanted);
            let outcome = if unwanted { AttemptOutcome::Cancelled } else { outcome };
            let _ = driver.try_command(Command::EndAttempt { attempt, end: Box::new(ended(outcome)) });
        }
        Happening::Wait(pick, asks) => {
            let Some(attempt) = open_at(driver, pick) else { return };
            let text = "it is paused".to_owned();
            let question = InnerQuestion { run: run(), step: None, question: None, text };
            let _ = driver.try_command(Command::TakeNested { attempt, asks: asks.then_some(question) });
        }
        Happening::Tick => tick(driver),
        Happening::Drive => drop(driver.drive()),
        Happening::Change(what, one, other) => {
            let (step, other) = (name(driver, one), name(driver, other));
            let change = match what {
                0 => {
                    *added += 1;
                    QueueChange::Add { item: item(&format!("n{added}"), &[other.as_str()]), before: None }
                }
                1 => QueueChange::Skip { step },
                2 => QueueChange::Move { step, before: Some(other) },
                _ => QueueChange::Retry { step },
            };
            driver.request(WorkflowEvent::QueueChangeRequested { change });
        }
        Happening::Pause => drop(driver.request(WorkflowEvent::PauseRequested {})),
        Happening::Resume => {
            let raise = Raise::default();
            driver.request(WorkflowEvent::ResumeRequested { raise });
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// However it goes: no item is begun while it is open or done, none before what it comes after, never more at once than may
    /// be, and in the end each is exactly one of done, blocked, failed, not begun.
    #[test]
    fn every_item_ends_in_exactly_one_way_and_none_is_run_twice(
        happenings in prop::collection::vec(happening(), 0..60),
        parallel in 1..4u32,
    ) {
        let items = vec![item("a", &[]), item("b", &["a"]), item("c", &[]), item("d", &["b"]), item("e", &[])];
        let mut driver = driver(items, options(parallel));
        let mut added = 0;
        for one in happenings {
            happen(&mut driver, one, &mut added);
        }
        // Whoever is left to themselves comes to an end.
        driver.request(WorkflowEvent::ResumeRequested { raise: Raise::default() });
        for _ in 0..500 {
            tick(&mut driver);
            let at_work = driver.state.steps.iter().find(|step| step.open.is_some() && step.asks.is_none());
            let Some(open) = at_work.and_then(|step| step.open.clone()) else { break };
            let unwanted = driver.state.step(&open.step).unwrap().unwanted;
            let outcome = if unwanted { AttemptOutcome::Cancelled } else { AttemptOutcome::Succeeded };
            driver.command(Command::EndAttempt { attempt: open.number, end: Box::new(ended(outcome)) });
        }
        prop_assert!(driver.state.status != Status::Running, "{:?}", driver.state.status);
        for index in 0..driver.state.steps.len() {
            let standing = driver.state.standing(index);
            let ended = [Standing::Done, Standing::Blocked, Standing::Failed, Standing::NotBegun];
            prop_assert!(ended.contains(&standing), "{standing:?} while {:?}", driver.state.status);
        }
        let mut state: Option<State> = None;
        for event in &driver.journal {
            if let (WorkflowEvent::StepStarted { attempt }, Some(before)) = (event, &state) {
                let step = before.step(&attempt.step).unwrap();
                prop_assert!(step.status == StepStatus::Pending && step.open.is_none());
                let index = before.plan.graph().place(&attempt.step).unwrap();
                for need in before.plan.graph().needs(index) {
                    prop_assert!(before.steps[*need].status.satisfies());
                }
                let busy = before.steps.iter().filter(|step| step.open.is_some() && step.asks.is_none()).count();
                prop_assert!(busy < parallel as usize);
                prop_assert!(step.nested.is_none_or(|first| attempt.nested == Some(first)), "another run for one item");
            }
            state = apply(state, event, driver.now);
        }
        prop_assert_eq!(state.as_ref(), Some(&driver.state));
    }
}
