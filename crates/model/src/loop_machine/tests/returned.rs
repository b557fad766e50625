//! A result that comes back: only what was done can, and it is not done again by what was judged before.

use super::harness::Driver;
use super::harness::*;
use crate::loop_machine::*;
use crate::{Event, Reason, Status};

fn comes_back(about: &str) -> Event {
    let returned = Returned {
        from: "https://example.org/1".to_owned(),
        text: "the build is red".to_owned(),
        about: vec![about.to_owned()],
    };
    Event::ResultReturned { returned: Box::new(returned) }
}

fn done() -> Driver {
    let mut driver = Driver::red();
    driver.iterate(works("t1"), true);
    driver.is(Status::Completed, Reason::ChecksPass);
    driver
}

#[test]
fn a_run_that_is_done_goes_on_with_it_until_another_iteration_was_judged() {
    let mut driver = done();
    assert_eq!(admit(&driver.state, &comes_back("a")), Ok(()));
    driver.request(comes_back("a"));
    assert_eq!((driver.state.status, driver.open_attempt()), (Status::Running, 2));
    assert!(driver.state.returns.open.is_some());
    driver.iterate(works("t2"), true);
    driver.is(Status::Completed, Reason::ChecksPass);
    assert_eq!((&driver.state.returns.open, driver.state.returns.rounds), (&None, 1));
    driver.request(comes_back("b"));
    assert_eq!(driver.state.returns.about, ["a", "b"]);
}

#[test]
fn a_driver_that_died_before_it_heard_hears_it_from_the_journal() {
    let mut driver = done();
    driver.fold(comes_back("a"));
    let events = driver.drive(2);
    assert_eq!(kinds(&events)[..2], ["driver_started", "run_reopened"]);
    assert_eq!(driver.open_attempt(), 2);
}

#[test]
fn what_is_not_done_or_stands_at_its_ceiling_takes_nothing_back() {
    let driver = Driver::red();
    assert!(matches!(admit(&driver.state, &comes_back("a")), Err(Rejection::NothingTo { .. })));
    let mut driver = Driver::with_baseline(with_limits(|limits| limits.iterations = 1), false);
    driver.iterate(works("t1"), true);
    driver.is(Status::Completed, Reason::ChecksPass);
    assert!(matches!(admit(&driver.state, &comes_back("a")), Err(Rejection::AtLimit { .. })));
}

#[test]
fn nothing_else_brings_a_run_back_that_is_done() {
    let mut driver = done();
    for request in [resume(), tell("more"), Event::PauseRequested {}, Event::RebootRequested {}] {
        assert!(admit(&driver.state, &request).is_err(), "{request:?}");
        assert_eq!(driver.request(request), []);
    }
    driver.is(Status::Completed, Reason::ChecksPass);
}
