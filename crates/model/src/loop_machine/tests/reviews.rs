//! A second pair of eyes: when it is asked, and what its word counts for.

use super::harness::Driver;
use super::harness::*;
use crate::loop_machine::*;
use crate::{Event, Reason, Status};

fn read() -> LoopConfig {
    LoopConfig { review: Some(Review::by(AgentConfig::new("eyes", &["eyes"]))), ..config() }
}

fn open_review(driver: &Driver) -> u32 {
    match &driver.state.work.open {
        Some(Open::Review(open)) => open.number,
        other => panic!("no review is open but {other:?}, {}", driver.place()),
    }
}

fn ends(driver: &mut Driver, opinion: Option<Opinion>) -> Vec<Event> {
    let objections = match opinion {
        Some(Opinion::Objects) => vec![Objection { text: "wrong".to_owned(), ..Objection::default() }],
        _ => Vec::new(),
    };
    let end = ReviewEnd {
        opinion,
        objections,
        cost_microusd: Some(100),
        ..ReviewEnd::of(open_review(driver), AttemptOutcome::Succeeded)
    };
    driver.command(Command::EndReview(Box::new(end)))
}

/// A run that is done but for its review.
fn due() -> Driver {
    let mut driver = Driver::with_baseline(read(), false);
    driver.iterate(works("t1"), true);
    driver
}

#[test]
fn it_is_asked_once_all_else_is_done_and_its_agreement_ends_the_run() {
    let mut driver = Driver::with_baseline(read(), false);
    driver.iterate(works("t1"), false);
    assert_eq!(driver.count("review_started"), 0, "a check is red");
    driver.iterate(works("t2"), true);
    assert_eq!(open_review(&driver), 1);
    ends(&mut driver, Some(Opinion::Agrees));
    driver.is(Status::Completed, Reason::ChecksPass);
    assert_eq!((driver.state.counters.cost_microusd, driver.state.review.cost_microusd), (0, 100));
}

#[test]
fn objections_go_back_twice_and_then_a_person_decides() {
    let mut driver = due();
    for tree in ["t2", "t3"] {
        ends(&mut driver, Some(Opinion::Objects));
        assert_eq!(driver.state.objections().len(), 1);
        driver.iterate(works(tree), true);
    }
    ends(&mut driver, Some(Opinion::Objects));
    driver.is(Status::Waiting, Reason::Review);
    let mut yes = Driver { state: driver.state.clone(), now: driver.now, journal: Vec::new() };
    yes.request(answer(1, Answer::Approve));
    yes.is(Status::Completed, Reason::ChecksPass);
    driver.request(answer(1, Answer::Reject));
    assert_eq!((driver.state.status, driver.state.objections().len()), (Status::Running, 1));
    driver.iterate(works("t4"), true);
    assert_eq!(open_review(&driver), 4, "its word counts again");
    assert!(driver.state.objections().is_empty() || driver.state.review.rounds == 0);
}

#[test]
fn an_agreement_holds_for_the_tree_that_was_read() {
    let mut driver = due();
    ends(&mut driver, Some(Opinion::Objects));
    driver.iterate(works("t2"), false);
    driver.iterate(works("t3"), true);
    assert_eq!(open_review(&driver), 2);
    let Some(Open::Review(open)) = &driver.state.work.open else { panic!() };
    assert_eq!((open.tree.as_str(), open.iteration), ("t3", 3));
}

#[test]
fn who_says_nothing_is_asked_once_more_and_then_a_person_is() {
    let mut driver = due();
    ends(&mut driver, None);
    assert_eq!(open_review(&driver), 2);
    ends(&mut driver, None);
    driver.is(Status::Waiting, Reason::Review);
    driver.request(answer(1, Answer::Abort));
    driver.is(Status::Stopped, Reason::Human);
}

#[test]
fn a_verdict_of_one_that_failed_or_contradicts_itself_is_none() {
    for (outcome, opinion, objections) in [
        (AttemptOutcome::Failed, Opinion::Agrees, 0),
        (AttemptOutcome::TimedOut, Opinion::Agrees, 0),
        (AttemptOutcome::Succeeded, Opinion::Agrees, 1),
        (AttemptOutcome::Succeeded, Opinion::Objects, 0),
    ] {
        let mut driver = due();
        let objections = vec![Objection { text: "wrong".to_owned(), ..Objection::default() }; objections];
        let end = ReviewEnd { opinion: Some(opinion), objections, ..ReviewEnd::of(1, outcome) };
        driver.command(Command::EndReview(Box::new(end)));
        assert_eq!(open_review(&driver), 2, "{outcome}, {opinion}");
    }
}

#[test]
fn one_whose_provider_refuses_is_waited_for() {
    let mut driver = due();
    let end = ReviewEnd {
        error_class: Some(ErrorClass::RateLimit),
        limited_until: Some(driver.now.plus_millis(60 * MINUTE_MS)),
        ..ReviewEnd::of(1, AttemptOutcome::Failed)
    };
    driver.command(Command::EndReview(Box::new(end)));
    driver.is(Status::Waiting, Reason::RateLimit);
    driver.after(60 * MINUTE_MS).tick();
    ends(&mut driver, Some(Opinion::Agrees));
    driver.is(Status::Completed, Reason::ChecksPass);
}

#[test]
fn a_stop_or_a_pause_comes_before_it_and_cuts_it_short() {
    let mut driver = due();
    driver.request(stop(true, crate::StopOrigin::Command));
    assert!(driver.state.wants_cancel());
    let end = ReviewEnd::of(1, AttemptOutcome::Cancelled);
    driver.command(Command::EndReview(Box::new(end)));
    driver.is(Status::Stopped, Reason::Human);
    driver.request(resume());
    assert_eq!(open_review(&driver), 2);
    driver.fold(Event::PauseRequested {});
    ends(&mut driver, None);
    driver.is(Status::Paused, Reason::Human);
}

#[test]
fn the_ceilings_on_money_and_time_hold_for_it_and_that_on_iterations_does_not() {
    let mut config = read();
    config.limits.iterations = 1;
    let mut driver = Driver::with_baseline(config, false);
    driver.iterate(works("t1"), true);
    ends(&mut driver, Some(Opinion::Objects));
    driver.is(Status::Stopped, Reason::LimitIterations);

    let mut config = read();
    config.limits.cost_microusd = Some(150);
    let mut driver = Driver::with_baseline(config, false);
    driver.iterate(works("t1"), true);
    for _ in 0..2 {
        ends(&mut driver, None);
    }
    driver.is(Status::Waiting, Reason::Review);
    let mut config = read();
    config.limits.cost_microusd = Some(100);
    let mut driver = Driver::with_baseline(config, false);
    driver.iterate(works("t1"), true);
    ends(&mut driver, None);
    driver.is(Status::Stopped, Reason::LimitCost);
    assert_eq!(driver.state.detail.as_deref(), Some("done, and not reviewed by eyes"));
}
