//! Questions, answers, and messages to the agent.

use super::harness::Driver;
use super::harness::*;
use crate::loop_machine::*;
use crate::{Event, ExitCode, Reason, Status, StopOrigin};

/// An agent that reported blocked in its first iteration.
fn blocked() -> Driver {
    let mut driver = Driver::red();
    driver.iterate(reports("t1", ReportStatus::Blocked), false);
    driver
}

fn seen(question: u32, said: Answer, digest: &str) -> Event {
    Event::AnswerGiven { question, answer: said, comment: None, seen: Some(digest.to_owned()) }
}

#[test]
fn a_blocked_agent_makes_the_run_wait_for_a_person() {
    let driver = blocked();
    driver.is(Status::Waiting, Reason::Blocked);
    assert_eq!(driver.exit_code(), Some(ExitCode::Person));
    assert_eq!(driver.state.effects(), [], "no timer: only a person can go on");
    let question = &driver.state.people.questions[0];
    assert!(question.text.contains("no password"), "{}", question.text);
    assert_eq!(question.digest.len(), 16);
    assert_eq!(driver.state.counters.iterations, 1, "a blocked iteration counts");
}

#[test]
fn a_blocked_agent_whose_checks_pass_is_done() {
    let mut driver = Driver::red();
    driver.iterate(reports("t1", ReportStatus::Blocked), true);
    driver.is(Status::Completed, Reason::ChecksPass);
}

#[test]
fn an_answer_resumes_and_its_comment_reaches_the_agent() {
    for (said, comment, told) in [
        (Answer::Approve, None, None),
        (Answer::Approve, Some("it is hunter2"), Some("it is hunter2")),
        (Answer::Reject, Some("use sqlite"), Some("use sqlite")),
        (Answer::Reject, None, Some("A person looked at what you reported and said no. Go on another way.")),
    ] {
        let mut driver = blocked();
        let comment = comment.map(str::to_owned);
        driver.request(Event::AnswerGiven { question: 1, answer: said, comment, seen: None });
        driver.is(Status::Running, None);
        assert_eq!(driver.open_attempt(), 2);
        assert_eq!(driver.state.people.told.first().map(|told| told.text.as_str()), told);
    }
}

#[test]
fn an_abort_stops_the_run() {
    let mut driver = blocked();
    driver.request(answer(1, Answer::Abort));
    driver.is(Status::Stopped, Reason::Human);
    assert_eq!(driver.count("attempt_started"), 1);
}

#[test]
fn a_resume_does_not_jump_over_a_question() {
    let mut driver = blocked();
    assert!(matches!(admit(&driver.state, &resume()), Err(Rejection::NeedsAnswer { .. })));
    driver.request(resume());
    driver.is(Status::Waiting, Reason::Blocked);
    driver.request(answer(1, Answer::Approve));
    driver.is(Status::Running, None);
    assert_eq!(driver.open_attempt(), 2);
}

#[test]
fn an_answer_is_bound_to_what_was_shown() {
    let mut driver = blocked();
    let digest = driver.state.people.questions[0].digest.clone();
    let events = driver.request(seen(1, Answer::Approve, "0123456789abcdef"));
    assert_eq!(kinds(&events), ["answer_refused"]);
    driver.is(Status::Waiting, Reason::Blocked);
    driver.request(seen(1, Answer::Approve, &digest));
    driver.is(Status::Running, None);
}

#[test]
fn a_wrong_answer_does_not_take_the_right_one_with_it() {
    let mut driver = blocked();
    let digest = driver.state.people.questions[0].digest.clone();
    driver.fold(seen(1, Answer::Abort, "something else"));
    driver.fold(seen(1, Answer::Approve, &digest));
    let events = driver.tick();
    assert_eq!(kinds(&events)[..2], ["answer_refused", "question_closed"]);
    driver.is(Status::Running, None);
}

#[test]
fn late_duplicate_and_unasked_answers_are_refused_on_the_record() {
    let mut driver = blocked();
    driver.fold(answer(1, Answer::Approve));
    driver.fold(answer(1, Answer::Abort));
    driver.fold(answer(7, Answer::Abort));
    let why: Vec<_> = driver
        .tick()
        .into_iter()
        .filter_map(|event| match event {
            Event::AnswerRefused { question, why } => Some((question, why)),
            _ => None,
        })
        .collect();
    assert_eq!(why, [(1, "it was answered before".to_owned()), (7, "it was never asked".to_owned())]);
    driver.is(Status::Running, None);
    assert!(matches!(admit(&driver.state, &answer(1, Answer::Abort)), Err(Rejection::NoSuchQuestion { .. })));
    assert_eq!(kinds(&driver.request(answer(1, Answer::Abort))), ["answer_refused"]);
    driver.is(Status::Running, None);
}

#[test]
fn a_flood_of_answers_does_not_stop_the_driver() {
    let mut driver = blocked();
    for n in 0..1000 {
        driver.fold(answer(n % 3, Answer::Approve));
    }
    driver.tick();
    driver.is(Status::Running, None);
    assert_eq!(driver.tick(), []);
    driver.request(answer(9, Answer::Abort));
    driver.is(Status::Running, None);
}

#[test]
fn the_same_question_twice_needs_two_answers() {
    let mut driver = blocked();
    driver.request(answer(1, Answer::Approve));
    driver.iterate(reports("t2", ReportStatus::Blocked), false);
    driver.is(Status::Waiting, Reason::Blocked);
    assert_eq!(driver.state.people.questions[0].number, 2);
    driver.request(answer(1, Answer::Approve));
    driver.is(Status::Waiting, Reason::Blocked);
}

#[test]
fn a_blocked_report_is_not_forgotten_over_a_rest() {
    let mut driver = Driver::red();
    driver.end_attempt(reports("t1", ReportStatus::Blocked));
    driver.request(stop(false, StopOrigin::Command));
    driver.end_checks("t1", false);
    driver.is(Status::Stopped, Reason::Human);
    driver.command(Command::Observe(snapshot("edited")));
    driver.request(resume());
    driver.is(Status::Waiting, Reason::Blocked);
}

fn prompt_of(driver: &Driver) -> Vec<&str> {
    let open = driver.open_attempt();
    driver
        .state
        .people
        .told
        .iter()
        .filter(|told| told.attempt == Some(open))
        .map(|told| told.text.as_str())
        .collect()
}

#[test]
fn a_message_is_delivered_once_with_the_next_attempt() {
    let mut driver = Driver::red();
    driver.request(tell("look at the logs"));
    assert_eq!(prompt_of(&driver), [""; 0], "the prompt of the open attempt is written already");
    driver.iterate(works("t1"), false);
    assert_eq!(prompt_of(&driver), ["look at the logs"]);
    driver.iterate(works("t2"), false);
    assert_eq!(prompt_of(&driver), [""; 0]);
    assert!(driver.state.people.told.is_empty());
}

#[test]
fn a_message_is_delivered_again_where_the_agent_may_not_have_read_it() {
    type End = fn(&mut Driver);
    let ends: [(&str, End); 6] = [
        ("cancelled", |driver| {
            driver.request(stop(true, StopOrigin::Command));
            driver.end_attempt(cancelled("t1"));
            driver.request(resume());
        }),
        ("skipped", |driver| {
            driver.request(Event::SkipRequested {});
            driver.end_attempt(cancelled("t1"));
        }),
        ("lost", |driver| drop(driver.lose_attempt())),
        ("abandoned", |driver| {
            let attempt = driver.open_attempt();
            driver.command(Command::AbandonAttempt { attempt });
        }),
        ("rate limited", |driver| {
            driver.end_attempt(refused(ErrorClass::RateLimit));
            driver.after(MINUTE_MS).tick();
        }),
        ("not startable", |driver| {
            driver.end_attempt(AttemptEnd { outcome: AttemptOutcome::NotStartable, ..fails("t0") });
            driver.request(resume());
        }),
    ];
    for (how, end) in ends {
        let mut driver = Driver::red();
        driver.request(tell("look at the logs"));
        driver.iterate(works("t1"), false);
        end(&mut driver);
        driver.look("t1");
        assert_eq!(prompt_of(&driver), ["look at the logs"], "{how}");
        driver.iterate(works("t2"), false);
        assert!(driver.state.people.told.is_empty(), "{how}");
    }
}

#[test]
fn only_the_newest_messages_are_kept() {
    let mut driver = Driver::red();
    for n in 0..40 {
        driver.request(tell(&n.to_string()));
    }
    assert_eq!(driver.state.people.told.len(), crate::limits::TOLD_MAX);
    assert_eq!(driver.state.people.told.last().unwrap().text, "39");
}
