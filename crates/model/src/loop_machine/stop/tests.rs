//! Stop conditions: each kind, nesting, and which list wins.

use super::*;
use crate::loop_machine::tests::harness::{Driver, config, fails, round, works};
use crate::loop_machine::{Command, LoopConfig, Measures, TestChanges, TestCounts, TestStatus};
use crate::{Reason, Status};

fn named(condition: impl Into<StopCondition>) -> Vec<NamedStop> {
    vec![NamedStop { name: None, condition: condition.into() }]
}

fn with(stop: StopLists) -> LoopConfig {
    LoopConfig { stop, ..config() }
}

fn never() -> StopLists {
    StopLists { success: named(Never {}), ..StopLists::default() }
}

/// Three red iterations, the last of them without a change; two tests are known by name.
pub(super) fn after_three() -> Driver {
    let mut driver = Driver::with_baseline(with(never()), false);
    for tree in ["t1", "t2", "t2"] {
        driver.end_attempt(works(tree));
        if driver.state.work.open.is_some()
            && !matches!(driver.state.work.open, Some(crate::loop_machine::Open::Attempt(_)))
        {
            let mut round = round(driver.open_round(), tree, false);
            round.tests = TestChanges {
                now: [("a::ok".to_owned(), TestStatus::Passing), ("a::bad".to_owned(), TestStatus::Failing)]
                    .into(),
                gone: Vec::new(),
                ran: true,
                unnamed: false,
                unseen: false,
            };
            round.measures.tests = Some(TestCounts {
                passed: 3,
                failed: 1,
                skipped: 0,
                complete: true,
                ..TestCounts::default()
            });
            round.stops =
                vec![StopResult { label: "file_created(out)".to_owned(), met: true, timed_out: false }];
            driver.command(Command::EndChecks(Box::new(round)));
        }
    }
    assert_eq!(driver.state.counters.iterations, 3);
    driver
}

/// One attempt that failed with this message.
pub(super) fn after_a_failure(message: &str) -> Driver {
    let mut driver = Driver::with_baseline(with(never()), false);
    let mut end = fails("t1");
    end.message = Some(message.to_owned());
    driver.iterate(end, false);
    driver
}

/// One iteration, after which a look outside found what has these words.
pub(super) fn after_looking(words: &str, green: bool) -> Driver {
    let mut driver = Driver::with_baseline(with(never()), false);
    driver.end_attempt(works("t1"));
    let mut round = round(driver.open_round(), "t1", green);
    round.stops = vec![StopResult { label: words.to_owned(), met: true, timed_out: false }];
    driver.command(Command::EndChecks(Box::new(round)));
    driver
}

/// Whether a run with this as its success is complete after each round: all green, with its tests whole or cut off.
pub(super) fn run_until<const N: usize>(condition: impl Into<StopCondition>, whole: [bool; N]) -> [bool; N] {
    let stop = StopLists { success: named(condition), ..StopLists::default() };
    let mut driver = Driver::with_baseline(with(stop), false);
    let mut number = 0;
    whole.map(|complete| {
        number += 1;
        let tree = format!("t{number}");
        driver.end_attempt(works(&tree));
        let mut round = round(driver.open_round(), &tree, true);
        let tests = Some(TestCounts { passed: 3, failed: 0, skipped: 0, complete, ..TestCounts::default() });
        round.measures = Measures { tests, ..Measures::default() };
        driver.command(Command::EndChecks(Box::new(round)));
        match driver.state.status == Status::Completed {
            true => driver.is(Status::Completed, Reason::ConditionsMet),
            false => driver.is(Status::Running, None),
        }
        driver.state.status == Status::Completed
    })
}

#[test]
fn a_type_is_the_tag_in_the_journal_and_is_there_once() {
    let mut names: Vec<_> = STOP_TYPES.iter().map(|kind| kind.name).collect();
    let json = serde_json::to_value(StopCondition::from(UserSignal {})).unwrap();
    assert_eq!(json, serde_json::json!({"type": "user_signal"}));
    for name in &names {
        // What is wrong with it, if anything, is a missing field: the tag is known.
        let read = serde_json::from_value::<StopCondition>(serde_json::json!({ "type": name }));
        assert!(read.map_or_else(|error| error.to_string().contains("missing field"), |_| true), "{name}");
    }
    assert!(serde_json::from_str::<StopCondition>(r#"{"type":"never","x":1}"#).is_err());
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), STOP_TYPES.len());
}

#[test]
fn what_until_says_reads_back_as_its_form() {
    for kind in STOP_TYPES.iter().filter_map(|kind| kind.until) {
        assert!(kind.form.starts_with(kind.word()), "{}", kind.form);
    }
    assert_eq!(until(FileCreated { path: "out".to_owned() }).label(), "file:out");
    assert_eq!(until(Done {}).label(), "done");
}

#[test]
fn progress_is_a_share_where_it_can_be_counted() {
    let mut driver = after_three();
    let conditions = vec![MaxIterations { count: 6 }.into(), AllTestsPass {}.into(), Never {}.into()];
    let condition = StopCondition::from(All { conditions });
    driver.state.config.stop.conditions = named(condition.clone());
    let progress = stop_progress(&driver.state)[&condition.label()];
    assert!((progress - (0.5 + 0.75 + 0.0) / 3.0).abs() < 1e-9, "{progress}");
}

#[test]
fn what_has_to_be_looked_up_is_found_however_deep_it_is() {
    let file = FileCreated { path: "out".to_owned() };
    let not = Not { condition: Box::new(file.clone().into()) };
    let all = StopCondition::from(All { conditions: vec![not.into(), MaxIterations { count: 1 }.into()] });
    let mut found = Vec::new();
    all.probes(&mut found);
    assert_eq!(found, [&StopCondition::from(file)]);
}

#[test]
fn failure_comes_before_success_and_success_before_the_rest() {
    let met = || named(MaxIterations { count: 1 });
    let all = StopLists { success: met(), failure: met(), conditions: met() };
    for (stop, status, reason) in [
        (all.clone(), Status::Failed, Reason::StopCondition),
        (StopLists { failure: vec![], ..all.clone() }, Status::Completed, Reason::ConditionsMet),
        (
            StopLists { failure: vec![], success: named(Never {}), ..all },
            Status::Stopped,
            Reason::StopCondition,
        ),
    ] {
        let mut driver = Driver::with_baseline(with(stop), false);
        driver.iterate(works("t1"), false);
        driver.is(status, reason);
    }
}

#[test]
fn the_condition_with_the_highest_priority_is_named() {
    let conditions = vec![
        NamedStop { name: Some("later".to_owned()), condition: MaxIterations { count: 1 }.into() },
        NamedStop {
            name: Some("error".to_owned()),
            condition: OnError { pattern: Some("EXITED".to_owned()) }.into(),
        },
    ];
    let mut driver = Driver::with_baseline(with(StopLists { conditions, ..never() }), false);
    let mut end = fails("t1");
    end.message = Some("the agent exited with 1".to_owned());
    driver.iterate(end, false);
    driver.is(Status::Stopped, Reason::StopCondition);
    assert_eq!(driver.state.detail.as_deref(), Some("error"));
}

#[test]
fn nothing_is_judged_before_the_first_iteration_and_a_green_baseline_is_no_success() {
    let stop = StopLists {
        success: named(AllTestsPass {}),
        conditions: named(Not { condition: Box::new(Never {}.into()) }),
        ..StopLists::default()
    };
    let driver = Driver::with_baseline(with(stop), true);
    driver.is(Status::Running, None);
}
