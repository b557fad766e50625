//! People: questions, answers, files, and what a no means.

use serde_json::json;

use super::harness::*;
use crate::loop_machine::{Answer, AttemptOutcome};
use crate::workflow::*;
use crate::{ExitCode, Reason, Status, exit_code};

fn approval() -> Driver {
    let mut driver = Driver::of(vec![
        step("review", &[]),
        by_hand(step("approval", &["review"])),
        step("ship", &["approval"]),
    ]);
    driver.done("review");
    driver.done("approval");
    driver
}

/// A file that was found for the first question.
fn file(input: Result<ManualInput, &str>) -> Command {
    file_for(1, input)
}

fn file_for(question: u32, input: Result<ManualInput, &str>) -> Command {
    let (step, digest) = ("approval".into(), format!("{input:?}"));
    Command::TakeManualInput { step, question, digest, input: input.map_err(str::to_owned) }
}

fn input(approved: bool) -> ManualInput {
    let content = json!({"approved": approved}).as_object().cloned().unwrap();
    ManualInput { approved, comment: Some("well".to_owned()), content }
}

#[test]
fn a_step_waits_for_a_person_after_its_agent_reported() {
    let driver = approval();
    assert_eq!(driver.picture(), "review COMPLETED 1/0, approval WAITING_ON_HUMAN 1/0, ship PENDING 0/0");
    driver.is(Status::Waiting, Reason::Human);
    assert_eq!(exit_code(driver.state.status, driver.state.reason), Some(ExitCode::Person));
    assert_eq!(driver.state.effects(), vec![Effect::ManualInput { step: "approval".into(), question: 1 }]);
    let approval = driver.step("approval");
    assert_eq!((approval.ended_at, approval.artifacts.len(), approval.logs.len()), (None, 0, 0));
}

#[test]
fn without_pausing_for_people_nobody_is_asked() {
    let mut driver = Driver::with(vec![by_hand(step("a", &[]))], Options::default());
    driver.done("a");
    driver.is(Status::Completed, Reason::Done);
}

#[test]
fn a_manual_input_goes_from_waiting_through_running_to_completed() {
    let mut driver = approval();
    let before = driver.state.clone();
    let events = driver.command(file(Ok(input(true))));
    assert_eq!(kinds(&events), ["human_answered", "step_concluded", "step_started"]);
    let between = apply(Some(before), &events[0], driver.now).unwrap();
    assert_eq!(between.step(&"approval".into()).unwrap().status, StepStatus::Running);
    assert_eq!(driver.picture(), "review COMPLETED 1/0, approval COMPLETED 1/0, ship RUNNING 1/0");
    assert_eq!(driver.step("approval").artifacts, ["PLAN.md"]);
    assert!(matches!(&events[0], WorkflowEvent::HumanAnswered { bound: false, .. }), "a file is not bound");
}

#[test]
fn an_unreadable_input_keeps_waiting_and_says_so_once() {
    let mut driver = approval();
    assert_eq!(kinds(&driver.command(file(Err("not JSON")))), ["manual_input_refused"]);
    assert_eq!(kinds(&driver.command(file(Err("not JSON")))), Vec::<String>::new());
    driver.is(Status::Waiting, Reason::Human);
    assert_eq!(driver.step("approval").refused_input.as_ref().unwrap().1, "not JSON");
    driver.command(file(Ok(input(true))));
    assert_eq!(driver.step("approval").status, StepStatus::Completed);
}

#[test]
fn a_no_fails_the_step_without_another_try() {
    let mut driver = approval();
    driver.command(file(Ok(input(false))));
    assert_eq!(driver.picture(), "review COMPLETED 1/0, approval FAILED 1/0, ship PENDING 0/0");
    assert_eq!(driver.step("approval").last_error.as_deref(), Some("Rejected by a person: well"));
    driver.is(Status::Failed, Reason::Human);
}

#[test]
fn a_no_goes_back_where_the_step_may_go_back() {
    let approval = by_hand(back_to("review", step("approval", &["review"])));
    let mut driver = Driver::of(vec![step("review", &[]), approval]);
    driver.done("review");
    driver.done("approval");
    driver.command(file(Ok(input(false))));
    assert_eq!(driver.picture(), "review RUNNING 1/1, approval PENDING 0/1 blocked by approval");
    driver.done("review");
    driver.done("approval");
    assert_eq!(driver.state.questions()[0].1.number, 2, "asked again, under a new number");
    driver.request(answer(1, Answer::Approve));
    assert_eq!(driver.count("answer_refused"), 1, "a late answer does not count");
    driver.request(answer(2, Answer::Approve));
    driver.is(Status::Completed, Reason::Done);
}

#[test]
fn on_reject_overrules_the_default() {
    let approval = by_hand(back_to("review", step("approval", &["review"])));
    let approval = Step { on_reject: Some(OnReject::Fail), ..approval };
    let mut driver = Driver::of(vec![step("review", &[]), approval]);
    driver.done("review");
    driver.done("approval");
    driver.request(answer(1, Answer::Reject));
    driver.is(Status::Failed, Reason::Human);
}

#[test]
fn an_answer_binds_to_what_was_shown() {
    let mut driver = approval();
    let seen = |seen: &str| WorkflowEvent::AnswerGiven {
        question: 1,
        answer: Answer::Approve,
        comment: None,
        seen: Some(seen.to_owned()),
        content: Default::default(),
    };
    driver.request(seen("something else"));
    assert_eq!(driver.count("answer_refused"), 1);
    let digest = driver.step("approval").question.as_ref().unwrap().digest.clone();
    driver.request(seen(&digest));
    assert_eq!(driver.step("approval").status, StepStatus::Completed);
}

#[test]
fn other_steps_go_on_while_one_waits_for_a_person() {
    let mut driver = Driver::of(vec![by_hand(step("approval", &[])), step("other", &[])]);
    driver.done("approval");
    driver.is(Status::Running, None);
    assert_eq!(driver.picture(), "approval WAITING_ON_HUMAN 1/0, other RUNNING 1/0");
    driver.command(file(Ok(input(true))));
    assert_eq!(driver.picture(), "approval COMPLETED 1/0, other RUNNING 1/0");
}

#[test]
fn a_question_is_withdrawn_by_a_loop_back() {
    let mut driver = Driver::of(vec![
        step("coding", &[]),
        back_to("coding", step("review", &["coding"])),
        by_hand(step("approval", &["coding"])),
    ]);
    driver.done("coding");
    driver.done("approval");
    driver.end("review", gate_failed());
    assert_eq!(driver.state.questions(), vec![]);
    assert_eq!(driver.try_command(file(Ok(input(true)))), Err(Rejection::NotOpen));
}

#[test]
fn an_abort_stops_the_run_and_the_step_asks_again_when_it_goes_on() {
    let mut driver = approval();
    driver.request(answer(1, Answer::Abort));
    driver.is(Status::Stopped, Reason::Human);
    driver.request(resume());
    driver.is(Status::Waiting, Reason::Human);
    assert_eq!(driver.state.questions()[0].1.number, 2);
}

#[test]
fn a_file_that_was_found_for_one_question_does_not_answer_the_next() {
    let mut driver = approval();
    driver.request(answer(1, Answer::Abort));
    driver.request(resume());
    assert_eq!(driver.state.questions()[0].1.number, 2, "asked again, under a new number");
    assert_eq!(driver.try_command(file(Ok(input(true)))), Err(Rejection::NotOpen));
    driver.command(file_for(2, Ok(input(true))));
    assert_eq!(driver.state.questions(), vec![]);
}

/// A step that is a run of its own, and one beside it.
fn nested() -> (Driver, u32) {
    let mut inner = step("inner", &[]);
    inner.work = Work::Workflow { path: "inner.yaml".to_owned() };
    let driver = Driver::of(vec![inner, step("beside", &[])]);
    let attempt = driver.open("inner");
    (driver, attempt)
}

fn asks(question: u32) -> Option<InnerQuestion> {
    let (run, text) = ("inner".parse().unwrap(), "Does it count?".to_owned());
    Some(InnerQuestion { run, step: Some("draft".into()), question: Some(question), text })
}

#[test]
fn a_run_waits_for_whom_the_run_that_is_its_step_asks() {
    let (mut driver, attempt) = nested();
    driver.command(Command::TakeNested { attempt, asks: asks(1) });
    driver.is(Status::Running, None);
    assert_eq!(driver.picture(), "inner WAITING_ON_HUMAN 1/0, beside RUNNING 1/0");
    driver.done("beside");
    driver.is(Status::Waiting, Reason::Human);
    assert_eq!(exit_code(driver.state.status, driver.state.reason), Some(ExitCode::Person));
    // Nothing new: nobody is woken for it, and a resume waits on.
    assert!(driver.command(Command::TakeNested { attempt, asks: asks(1) }).is_empty());
    assert!(driver.command(Command::Tick).is_empty());
    let events = driver.command(Command::TakeNested { attempt, asks: None });
    assert_eq!(kinds(&events), ["nested_waits"]);
    assert_eq!(driver.picture(), "inner RUNNING 1/0, beside COMPLETED 1/0");
    driver.done("inner");
    driver.is(Status::Completed, Reason::Done);
}

#[test]
fn what_another_tool_asked_is_asked_since_then() {
    let asked_at = crate::Timestamp::from_millis(5);
    let mut driver = Driver::of(vec![by_hand(step("approval", &[]))]);
    let held = Some(StepReport::default());
    let waits = StepState { held, asked_at: Some(asked_at), ..StepState::default() };
    driver.state.steps[0] = std::sync::Arc::new(waits);
    driver.command(Command::Tick);
    assert_eq!(driver.step("approval").question.as_ref().unwrap().since, asked_at);
}

#[test]
fn a_further_try_goes_on_with_the_run_that_is_its_step_until_that_is_done() {
    let (mut driver, first) = nested();
    let began = |driver: &Driver| driver.step("inner").open.as_ref().and_then(|open| open.nested);
    assert_eq!(began(&driver), Some(first));
    let stop = WorkflowEvent::StopRequested { now: true, origin: crate::event::StopOrigin::Command };
    driver.request(stop);
    for step in ["inner", "beside"] {
        driver.end(step, ended(AttemptOutcome::Cancelled, 0));
    }
    assert_eq!(driver.state.status, Status::Stopped);
    driver.request(resume());
    assert!(driver.open("inner") > first);
    assert_eq!(began(&driver), Some(first), "it was ended, and goes on");
    driver.done("inner");
    driver.done("beside");
    driver.is(Status::Completed, Reason::Done);
    driver.request(WorkflowEvent::StartAtRequested { step: "inner".into() });
    assert_eq!(began(&driver), Some(driver.open("inner")), "what is begun anew is another run");
}

#[test]
fn what_waits_for_a_run_within_it_can_be_changed_around_that() {
    let (mut driver, attempt) = nested();
    let around = |id: &str| {
        let inner = driver.state.plan.step(0).clone();
        Box::new(definition(vec![Step { id: id.into(), ..inner }, step("more", &[])]))
    };
    let (same, gone) = (around("inner"), around("other"));
    let refused =
        |why: &str| Err(Rejection::InTheWay { run: run(), step: "inner".into(), why: why.to_owned() });
    assert_eq!(driver.try_command(Command::Migrate(same.clone())), refused("is at work"));
    driver.done("beside");
    driver.command(Command::TakeNested { attempt, asks: asks(1) });
    driver.is(Status::Waiting, Reason::Human);
    let edits = vec![Edit { step: "inner".into(), status: StepStatus::Completed }];
    assert_eq!(
        driver.try_command(Command::AdoptStatuses(edits)),
        refused("cannot be COMPLETED: it waits for the run that is its work")
    );
    assert_eq!(
        driver.try_command(Command::Migrate(gone)),
        refused("cannot go: it waits for the run that is its work")
    );
    driver.command(Command::Migrate(same));
    assert_eq!(driver.open("inner"), attempt, "work is never forgotten");
}
