//! Going on: after a failure, from a step, in a fork, with another definition, after a hand's edit.

use super::harness::*;
use crate::loop_machine::Answer;
use crate::machine::Machine;
use crate::workflow::*;
use crate::{Reason, Status};

fn chain() -> Vec<Step> {
    vec![step("plan", &[]), step("coding", &["plan"]), back_to("coding", step("review", &["coding"]))]
}

/// `plan` is done, `coding` went round once, `review` failed for good.
fn failed_review() -> Driver {
    let mut driver = Driver::of(chain());
    driver.done("plan");
    driver.done("coding");
    driver.end("review", gate_failed());
    driver.done("coding");
    driver.end("review", failed());
    driver.after(1_000);
    driver.end("review", failed());
    assert_eq!(driver.picture(), "plan COMPLETED 1/0, coding COMPLETED 1/1, review FAILED 2/1");
    driver
}

fn start_at(step: &str) -> WorkflowEvent {
    WorkflowEvent::StartAtRequested { step: step.into() }
}

#[test]
fn resuming_a_failed_run_gives_its_failed_steps_new_tries() {
    let mut driver = failed_review();
    driver.request(resume());
    assert_eq!(driver.picture(), "plan COMPLETED 1/0, coding COMPLETED 1/1, review RUNNING 1/1");
    driver.done("review");
    driver.is(Status::Completed, Reason::Done);
}

#[test]
fn a_run_at_its_loop_limit_needs_a_raise() {
    let options = Options { max_iterations: 1, ..Options::default() };
    let mut driver = Driver::with(chain(), options);
    driver.done("plan");
    driver.done("coding");
    driver.end("review", gate_failed());
    driver.done("coding");
    driver.end("review", gate_failed());
    driver.is(Status::Failed, Reason::LimitIterations);
    let reason = Reason::LimitIterations;
    let raise = "--max-iterations +4".to_owned();
    assert_eq!(admit(&driver.state, &resume()), Err(Rejection::AtLimit { run: run(), reason, raise }));
    let raise = Raise { max_iterations: Some(2), ..Raise::default() };
    driver.request(WorkflowEvent::ResumeRequested { raise });
    driver.end("review", gate_failed());
    assert_eq!(driver.step("review").iteration_count, 2);
}

#[test]
fn the_raise_that_is_named_gets_a_run_past_its_loop_limit() {
    for (lowered_to, named) in [(7, "+4"), (5, "+4"), (2, "+9"), (1, "+10")] {
        let mut driver = Driver::with(chain(), Options { max_iterations: 7, ..Options::default() });
        driver.done("plan");
        for _ in 0..7 {
            driver.done("coding");
            driver.end("review", gate_failed());
        }
        let options = Options { max_iterations: lowered_to, ..driver.state.options.clone() };
        driver.command(Command::ChangeOptions(Box::new(options)));
        driver.done("coding");
        driver.end("review", gate_failed());
        driver.is(Status::Failed, Reason::LimitIterations);
        assert_eq!(raise_past(&driver.state, Reason::LimitIterations), format!("--max-iterations {named}"));
        let most = lowered_to + named.trim_start_matches('+').parse::<u32>().unwrap();
        let raise = Raise { max_iterations: Some(most), ..Raise::default() };
        assert_eq!(
            admit(&driver.state, &WorkflowEvent::ResumeRequested { raise }),
            Ok(()),
            "from {lowered_to}"
        );
    }
}

#[test]
fn start_at_step_resets_it_and_its_dependents_and_keeps_upstream() {
    let mut driver = failed_review();
    let plan = driver.step("plan").clone();
    let counters = driver.state.counters.clone();
    driver.request(start_at("coding"));
    assert_eq!(driver.picture(), "plan COMPLETED 1/0, coding RUNNING 1/0, review PENDING 0/0");
    assert_eq!(*driver.step("plan"), plan);
    assert_eq!(*driver.step("review"), StepState::default(), "as new: report and counts too");
    assert_eq!(driver.state.counters, counters, "money and time stay");
}

#[test]
fn start_at_step_works_on_a_completed_run() {
    let mut driver = Driver::of(chain());
    driver.done("plan");
    driver.done("coding");
    driver.done("review");
    driver.is(Status::Completed, Reason::Done);
    driver.request(start_at("review"));
    assert_eq!(driver.picture(), "plan COMPLETED 1/0, coding COMPLETED 1/0, review RUNNING 1/0");
}

#[test]
fn start_at_step_ends_what_is_open_first() {
    let mut driver = Driver::of(chain());
    driver.done("plan");
    assert_eq!(kinds(&driver.request(start_at("plan"))), Vec::<String>::new());
    assert!(driver.state.wants_cancel(&"coding".into()));
    driver.end("coding", ended(crate::loop_machine::AttemptOutcome::Cancelled, 0));
    assert_eq!(driver.picture(), "plan RUNNING 1/0, coding PENDING 0/0, review PENDING 0/0");
}

#[test]
fn start_at_an_unknown_step_is_refused() {
    let driver = Driver::of(chain());
    let refused = Rejection::NoSuchStep { run: run(), step: "codnig".into() };
    assert_eq!(admit(&driver.state, &start_at("codnig")), Err(refused));
}

#[test]
fn a_dead_driver_leaves_open_what_was_running() {
    let mut driver = Driver::of(chain());
    let open = driver.state.effects();
    driver.drive();
    assert_eq!(driver.state.effects(), open, "it is looked up, neither forgotten nor started twice");
    assert_eq!(driver.picture(), "plan RUNNING 1/0, coding PENDING 0/0, review PENDING 0/0");
}

#[test]
fn a_fork_keeps_what_came_before_and_leaves_the_original_alone() {
    let driver = failed_review();
    let inherited = fork(&driver.state, &"coding".into(), Some(12)).unwrap();
    let order = Order {
        run: "0a0b0c0d".parse().unwrap(),
        definition: definition(chain()),
        options: Options::default(),
        inherited: Some(inherited),
    };
    let fork = Driver::ordered(order);
    assert_eq!(fork.picture(), "plan COMPLETED 1/0, coding RUNNING 1/0, review PENDING 0/0");
    assert_eq!(fork.state.forked_from, Some((run(), Some(12))));
    assert_eq!(fork.step("plan").artifacts, driver.step("plan").artifacts);
}

#[test]
fn what_was_running_when_it_was_imported_is_pending() {
    let running =
        StepState { status: StepStatus::Running, attempts: 1, iteration_count: 2, ..StepState::default() };
    let inherited =
        Inherited { run: None, seq: None, created_at: None, steps: vec![("plan".into(), running)] };
    let order = Order {
        run: run(),
        definition: definition(chain()),
        options: Options::default(),
        inherited: Some(inherited),
    };
    assert_eq!(Driver::ordered(order).picture(), "plan RUNNING 1/2, coding PENDING 0/0, review PENDING 0/0");
}

#[test]
fn an_edited_status_is_adopted_at_rest() {
    let mut driver = failed_review();
    let edits = vec![Edit { step: "review".into(), status: StepStatus::Completed }];
    driver.command(Command::AdoptStatuses(edits.clone()));
    driver.is(Status::Failed, Reason::FailureStreak);
    driver.request(resume());
    driver.is(Status::Completed, Reason::Done);
    assert_eq!(driver.try_command(Command::AdoptStatuses(edits)), Err(Rejection::NotOpen));
}

#[test]
fn a_step_that_somebody_lets_wait_for_a_person_asks_and_is_not_run_again() {
    let mut driver = Driver::of(vec![by_hand(step("draft", &[])), step("send", &["draft"])]);
    driver.done("draft");
    driver.request(answer(1, Answer::Approve));
    driver.end("send", failed());
    driver.after(1_000);
    driver.end("send", failed());
    driver.is(Status::Failed, Reason::FailureStreak);
    let before = driver.step("draft").clone();
    driver.command(Command::AdoptStatuses(vec![Edit {
        step: "draft".into(),
        status: StepStatus::WaitingOnHuman,
    }]));
    driver.request(resume());
    driver.is(Status::Waiting, Reason::Human);
    assert_eq!(driver.picture(), "draft WAITING_ON_HUMAN 1/0, send PENDING 0/0");
    driver.request(answer(2, Answer::Approve));
    let after = driver.step("draft");
    assert_eq!(
        (after.status, &after.artifacts, &after.logs),
        (StepStatus::Completed, &before.artifacts, &before.logs)
    );
    assert_eq!(driver.picture(), "draft COMPLETED 1/0, send RUNNING 1/0");
}

#[test]
fn another_definition_keeps_what_steps_have_by_their_ids() {
    let mut driver = failed_review();
    let mut steps = chain();
    steps.insert(1, step("design", &["plan"]));
    steps[2].needs.push("design".into());
    driver.command(Command::Migrate(Box::new(definition(steps.clone()))));
    driver.request(resume());
    let picture = "plan COMPLETED 1/0, design RUNNING 1/0, coding COMPLETED 1/1, review RUNNING 1/1";
    assert_eq!(driver.picture(), picture);
    assert_eq!(driver.state.digest, definition(steps).digest());
}

#[test]
fn a_gate_that_may_not_go_back_any_more_goes_on() {
    let side_by_side =
        |gate: Step| vec![step("coding", &[]), gate, step("beside", &[]), step("end", &["review"])];
    let mut driver = Driver::of(side_by_side(back_to("coding", step("review", &["coding"]))));
    driver.done("coding");
    driver.end("beside", failed());
    driver.after(1_000);
    driver.end("beside", failed());
    driver.end("review", gate_failed());
    driver.is(Status::Failed, Reason::FailureStreak);
    driver.command(Command::Migrate(Box::new(definition(side_by_side(step("review", &["coding"]))))));
    driver.request(resume());
    driver.done("beside");
    driver.done("end");
    driver.is(Status::Completed, Reason::Done);
}

#[test]
fn a_migration_waits_until_nothing_is_open_and_is_validated() {
    let mut driver = Driver::of(chain());
    let other = || Box::new(definition(vec![step("a", &[])]));
    let refused = Rejection::InTheWay { run: run(), step: "plan".into(), why: "is at work".to_owned() };
    assert_eq!(driver.try_command(Command::Migrate(other())), Err(refused));
    let mut driver = failed_review();
    let broken = Box::new(definition(vec![step("a", &["a"])]));
    assert!(matches!(driver.try_command(Command::Migrate(broken)), Err(Rejection::BadDefinition(_))));
}

#[test]
fn options_that_were_said_later_hold_from_then_on() {
    let mut driver = failed_review();
    let began = driver.state.options.clone();
    let asks = Options { pause_for_human_input: true, max_iterations: 9, ..began.clone() };
    driver.command(Command::ChangeOptions(Box::new(asks.clone())));
    assert_eq!(driver.state.options, asks);
    driver.is(Status::Failed, Reason::FailureStreak);
    let too_many = Options { max_parallel: 33, ..began };
    let refused = driver.try_command(Command::ChangeOptions(Box::new(too_many)));
    assert!(matches!(refused, Err(Rejection::BadConfig(_))), "{refused:?}");
}

#[test]
fn what_was_said_about_money_is_said_again_where_other_options_hold() {
    let options =
        Options { max_cost_microusd: Some(1), cost_limit_action: CostAction::Pause, ..Options::default() };
    let mut driver = Driver::with(chain(), options.clone());
    driver.command(Command::SpendBudget { detail: "the day is spent".to_owned(), microusd: 5 });
    driver.command(Command::ChangeOptions(Box::new(Options { daily_cost_microusd: Some(9), ..options })));
    assert_eq!(driver.state.requests.budget, None);
}

#[test]
fn a_discarded_run_begins_anew_under_its_name() {
    let mut driver = failed_review();
    let (attempt, created) = (driver.state.attempt, driver.state.created_at);
    driver.after(5_000);
    let order = Order {
        run: run(),
        definition: definition(vec![step("plan", &[]), step("ship", &["plan"])]),
        options: Options { max_attempts: 1, ..Options::default() },
        inherited: None,
    };
    driver.command(Command::Restart(Box::new(order)));
    assert_eq!((driver.state.status, driver.state.reason), (Status::Created, None));
    assert!(driver.state.created_at > created);
    assert_eq!(driver.state.counters, Counters::default());
    driver.drive();
    assert_eq!(driver.picture(), "plan RUNNING 1/0, ship PENDING 0/0");
    assert_eq!(driver.open("plan"), attempt + 1, "no number is used twice");
    driver.done("plan");
    driver.end("ship", failed());
    driver.is(Status::Failed, Reason::FailureStreak);
}

#[test]
fn what_is_under_way_cannot_be_discarded() {
    let mut driver = Driver::of(chain());
    let order =
        Order { run: run(), definition: definition(chain()), options: Options::default(), inherited: None };
    let restart = Command::Restart(Box::new(order));
    assert_eq!(driver.try_command(restart), Err(Rejection::NotOpen));
}

#[test]
fn what_was_asked_of_a_run_at_rest_is_left_open_until_somebody_does_it() {
    let mut driver = failed_review();
    assert!(!driver.state.is_left_open());
    driver.fold(resume());
    assert!(driver.state.is_left_open());
    driver.command(Command::Tick);
    assert!(!driver.state.is_left_open(), "it goes on");
    let mut driver = Driver::of(vec![by_hand(step("draft", &[]))]);
    driver.done("draft");
    assert!(!driver.state.is_left_open(), "it waits for a person");
    driver.fold(answer(1, Answer::Reject));
    assert!(driver.state.is_left_open() && driver.state.is_answered(1));
    assert_eq!(driver.state.entry().waiting_for, None);
}

#[test]
fn a_step_that_did_nothing_cannot_be_asked_about() {
    let mut driver = Driver::of(vec![step("plan", &[]), by_hand(step("look", &["plan"]))]);
    driver.end("plan", failed());
    driver.after(1_000);
    driver.end("plan", failed());
    driver.is(Status::Failed, Reason::FailureStreak);
    for (step, why) in [("look", "it has done nothing that could be looked at"), ("plan", "it asks nobody")] {
        let edits = vec![Edit { step: step.into(), status: StepStatus::WaitingOnHuman }];
        let why = format!("cannot be WAITING_ON_HUMAN: {why}");
        let refused = Rejection::InTheWay { run: run(), step: step.into(), why };
        assert_eq!(driver.try_command(Command::AdoptStatuses(edits)), Err(refused));
    }
}

/// Each of these events says of `review` alone what the machine would say of more.
#[test]
fn what_begins_anew_is_what_the_event_says() {
    let only = || vec![StepId::new("review")];
    let (step, target) = (StepId::new("review"), StepId::new("coding"));
    let mut driver = failed_review();
    driver.fold(WorkflowEvent::LoopedBack { step, target: target.clone(), reset: only() });
    assert_eq!(
        driver.picture(),
        "plan COMPLETED 1/0, coding COMPLETED 1/1, review PENDING 0/2 blocked by review"
    );
    let mut driver = failed_review();
    driver.fold(WorkflowEvent::StepsReset { step: target.clone(), reset: only() });
    assert_eq!(driver.picture(), "plan COMPLETED 1/0, coding COMPLETED 1/1, review PENDING 0/0");
    let mut driver = failed_review();
    driver.fold(WorkflowEvent::RunResumed { raise: Raise::default() });
    assert_eq!(driver.picture(), "plan COMPLETED 1/0, coding COMPLETED 1/1, review FAILED 2/1");
    driver.fold(WorkflowEvent::TriesRenewed {
        steps: vec![Renewed { step: "review".into(), all_items: false }],
    });
    assert_eq!(driver.picture(), "plan COMPLETED 1/0, coding COMPLETED 1/1, review PENDING 0/1");
}
