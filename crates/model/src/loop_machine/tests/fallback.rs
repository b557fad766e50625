//! Whose turn it is: it follows from who is out, and until when.

use super::harness::Driver;
use super::harness::*;
use crate::loop_machine::*;
use crate::{Reason, Status, Timestamp};

fn agents() -> LoopConfig {
    let mut config = config();
    config.fallback.agents = ["second", "third"].map(|name| AgentConfig::new(name, &[name])).into();
    config
}

/// Refused like this, until so much later.
fn until(class: ErrorClass, driver: &Driver, millis: u64) -> AttemptEnd {
    let mut end = refused(class);
    if let Some(report) = &mut end.report {
        report.limited_until = Some(driver.now.plus_millis(millis));
    }
    end
}

fn works_now(driver: &Driver) -> &str {
    &driver.state.agent().name
}

#[test]
fn a_long_limit_hands_the_work_to_the_next_and_a_short_one_is_waited_for() {
    for (millis, agent, status) in [(300_000, "agent", Status::Waiting), (300_001, "second", Status::Running)]
    {
        let mut driver = Driver::with_baseline(agents(), false);
        let end = until(ErrorClass::RateLimit, &driver, millis);
        driver.end_attempt(end);
        assert_eq!((works_now(&driver), driver.state.status), (agent, status), "{millis}");
    }
}

#[test]
fn the_first_comes_back_as_soon_as_it_can_and_never_in_the_middle_of_an_attempt() {
    let mut driver = Driver::with_baseline(agents(), false);
    let end = until(ErrorClass::RateLimit, &driver, 60 * MINUTE_MS);
    driver.end_attempt(end);
    assert_eq!((works_now(&driver), driver.open_attempt()), ("second", 2));
    driver.after(61 * MINUTE_MS).tick();
    assert_eq!((works_now(&driver), driver.open_attempt()), ("second", 2), "it works");
    driver.iterate(works("t1"), false);
    assert_eq!((works_now(&driver), driver.open_attempt()), ("agent", 3));
    assert_eq!(driver.state.counters.reboots, 0, "no ceiling counts it");
}

#[test]
fn where_all_are_out_the_one_that_can_work_first_is_waited_for() {
    let mut driver = Driver::with_baseline(agents(), false);
    for minutes in [90, 30, 60] {
        let end = until(ErrorClass::RateLimit, &driver, minutes * MINUTE_MS);
        driver.end_attempt(end);
    }
    driver.is(Status::Waiting, Reason::RateLimit);
    assert_eq!(driver.state.until, Some(driver.now.plus_millis(30 * MINUTE_MS)));
    driver.after(30 * MINUTE_MS).tick();
    assert_eq!((works_now(&driver), driver.open_attempt()), ("second", 4));
}

#[test]
fn whoever_resumes_before_the_limit_ends_begins_with_the_first() {
    let mut driver = Driver::with_baseline(agents(), false);
    for _ in 0..3 {
        let end = until(ErrorClass::RateLimit, &driver, 60 * MINUTE_MS);
        driver.end_attempt(end);
    }
    driver.is(Status::Waiting, Reason::RateLimit);
    driver.request(resume());
    assert_eq!((works_now(&driver), driver.open_attempt()), ("agent", 4));
}

#[test]
fn a_login_is_out_until_somebody_resumes_the_run() {
    let mut driver = Driver::with_baseline(agents(), false);
    driver.end_attempt(refused(ErrorClass::Auth));
    assert_eq!(works_now(&driver), "second");
    driver.after(10_000 * MINUTE_MS).iterate(works("t1"), false);
    assert_eq!(works_now(&driver), "second", "time alone logs nobody in");
    driver.request(crate::Event::PauseRequested {});
    driver.iterate(works("t2"), false);
    driver.is(Status::Paused, Reason::Human);
    driver.request(resume());
    driver.end_checks("t2", false);
    assert_eq!(works_now(&driver), "agent");
    for _ in 0..3 {
        driver.end_attempt(refused(ErrorClass::Auth));
        driver.look("t0");
    }
    driver.is(Status::Stopped, Reason::Auth);
}

#[test]
fn classes_that_are_not_named_and_a_deadline_are_as_without_a_fallback() {
    let mut config = agents();
    config.fallback.on = vec![FallbackOn::Auth];
    let mut driver = Driver::with_baseline(config, false);
    let end = until(ErrorClass::RateLimit, &driver, 60 * MINUTE_MS);
    driver.end_attempt(end);
    driver.is(Status::Waiting, Reason::RateLimit);

    let mut config = agents();
    config.fallback.agents.truncate(1);
    config.limits.deadline = Some(Timestamp::from_millis(1_771_157_000_000 + 30 * 60_000));
    let mut driver = Driver::with_baseline(config, false);
    for _ in 0..2 {
        let end = until(ErrorClass::RateLimit, &driver, 60 * MINUTE_MS);
        driver.end_attempt(end);
    }
    // What they left is judged before it ends.
    driver.look("t0");
    driver.is(Status::Stopped, Reason::LimitDeadline);
}

#[test]
fn an_overloaded_provider_is_asked_again_later_and_later() {
    let mut driver = Driver::with_baseline(agents(), false);
    let mut waits = Vec::new();
    for _ in 0..6 {
        driver.end_attempt(refused(ErrorClass::Overloaded));
        if driver.state.status == Status::Waiting {
            let until = driver.state.until.expect("a moment");
            waits.push(until.millis_since(driver.now));
            driver.now = until;
            driver.tick();
        }
    }
    assert!(waits.is_sorted() && !waits.is_empty(), "{waits:?}");
}

#[test]
fn no_session_is_carried_over_and_what_it_knew_is_handed_on() {
    let mut config = agents();
    config.session = SessionPolicy::Continue;
    config.agent.sessions.resume = vec!["--resume".to_owned()];
    config.fallback.agents[0].sessions.resume = vec!["--resume".to_owned()];
    let mut driver = Driver::with_baseline(config, false);
    let in_session = |id: &str, tree: &str| AttemptEnd {
        report: Some(Report { session_id: Some(id.to_owned()), ..Report::default() }),
        ..works(tree)
    };
    driver.iterate(in_session("one", "t1"), false);
    let mut end = until(ErrorClass::RateLimit, &driver, 60 * MINUTE_MS);
    end.report.as_mut().expect("a report").session_id = Some("one".to_owned());
    driver.end_attempt(end);
    driver.look("t0");
    let Some(Open::Attempt(open)) = &driver.state.work.open else { panic!("{}", driver.place()) };
    assert_eq!((open.agent.as_deref(), &open.session), (Some("second"), &None));
    assert!(matches!(driver.state.session.handoff, Some(RebootReason::AnotherAgent { .. })));
    assert_eq!(driver.state.session.history.back().expect("it was left").session_id, "one");
    // Cut off, it is told again.
    driver.end_attempt(cancelled("t0"));
    assert!(driver.state.session.handoff.is_some());
    driver.look("t0");
    driver.iterate(in_session("two", "t2"), false);
    assert_eq!(
        (&driver.state.session.handoff, driver.state.session.current.as_deref()),
        (&None, Some("two"))
    );
}
