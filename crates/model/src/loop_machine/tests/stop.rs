//! Stop conditions: each kind, nesting, and which list wins.

use super::harness::{Driver, config, fails, round, works};
use crate::loop_machine::StopCondition::{self, *};
use crate::loop_machine::{
    Command, LoopConfig, Measures, NamedStop, StopLists, StopResult, TestChanges, TestCounts, TestStatus,
    is_met, stop_progress,
};
use crate::{Reason, Status};

fn named(condition: StopCondition) -> Vec<NamedStop> {
    vec![NamedStop { name: None, condition }]
}

fn with(stop: StopLists) -> LoopConfig {
    LoopConfig { stop, ..config() }
}

fn never() -> StopLists {
    StopLists { success: named(Never {}), ..StopLists::default() }
}

/// Three red iterations, the last of them without a change; two tests are known by name.
fn after_three() -> Driver {
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
            };
            round.measures.tests = Some(TestCounts { passed: 3, failed: 1, skipped: 0, complete: true });
            round.stops =
                vec![StopResult { label: "file_created(out)".to_owned(), met: true, timed_out: false }];
            driver.command(Command::EndChecks(Box::new(round)));
        }
    }
    assert_eq!(driver.state.counters.iterations, 3);
    driver
}

#[test]
fn every_kind_is_judged_by_what_is_on_record() {
    let driver = after_three();
    let yes = || Box::new(FileCreated { path: "out".to_owned() });
    let text = |text: &str| text.to_owned();
    let table: [(StopCondition, bool); 20] = [
        (MaxIterations { count: 3 }, true),
        (MaxIterations { count: 4 }, false),
        (MaxDuration { duration_ms: 1 }, true),
        (MaxDuration { duration_ms: u64::MAX }, false),
        (TestFailureStreak { count: 2 }, true),
        (TestFailureStreak { count: 9 }, false),
        (AllTestsPass {}, false),
        (SpecificTestsPass { tests: vec![text("ok")] }, true),
        (SpecificTestsPass { tests: vec![text("ok"), text("bad")] }, false),
        (NoProgress { iterations: 1 }, true),
        (NoProgress { iterations: 2 }, false),
        (*yes(), true),
        (FileContains { path: text("out"), content: text("x") }, false),
        (OutputPattern { pattern: text("x"), is_regex: false }, false),
        (OnError { pattern: None }, false),
        (CustomScript { script: text("true"), args: vec![] }, false),
        (UserSignal {}, false),
        (All { conditions: vec![*yes(), MaxIterations { count: 3 }] }, true),
        (Any { conditions: vec![Never {}, *yes()] }, true),
        (Not { condition: yes() }, false),
    ];
    for (condition, met) in table {
        assert_eq!(is_met(&driver.state, &condition), met, "{}", condition.label());
    }
    assert!(!is_met(&driver.state, &All { conditions: vec![] }), "nothing is not all of it");
}

#[test]
fn progress_is_a_share_where_it_can_be_counted() {
    let mut driver = after_three();
    let condition = All { conditions: vec![MaxIterations { count: 6 }, AllTestsPass {}, Never {}] };
    driver.state.config.stop.conditions = named(condition.clone());
    let progress = stop_progress(&driver.state)[&condition.label()];
    assert!((progress - (0.5 + 0.75 + 0.0) / 3.0).abs() < 1e-9, "{progress}");
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
        NamedStop { name: Some("later".to_owned()), condition: MaxIterations { count: 1 } },
        NamedStop {
            name: Some("error".to_owned()),
            condition: OnError { pattern: Some("EXITED".to_owned()) },
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
        conditions: named(Not { condition: Box::new(Never {}) }),
        ..StopLists::default()
    };
    let driver = Driver::with_baseline(with(stop), true);
    driver.is(Status::Running, None);
}

#[test]
fn tests_that_were_cut_off_do_not_all_pass() {
    let stop = StopLists { success: named(AllTestsPass {}), ..StopLists::default() };
    let mut driver = Driver::with_baseline(with(stop), false);
    for complete in [false, true] {
        driver.end_attempt(works(if complete { "t2" } else { "t1" }));
        let mut round = round(driver.open_round(), if complete { "t2" } else { "t1" }, true);
        let tests = Some(TestCounts { passed: 3, failed: 0, skipped: 0, complete });
        round.measures = Measures { tests, ..Measures::default() };
        driver.command(Command::EndChecks(Box::new(round)));
        match complete {
            false => driver.is(Status::Running, None),
            true => driver.is(Status::Completed, Reason::ConditionsMet),
        }
    }
}
