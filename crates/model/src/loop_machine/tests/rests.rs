//! Pause, stop, skip and interrupt, in every phase of a run.

use super::harness::Driver;
use super::harness::*;
use crate::loop_machine::*;
use crate::{Event, ExitCode, Reason, Status, StopOrigin};

/// Every place where a request can find a run that is under way.
fn phases() -> Vec<(&'static str, Driver)> {
    let baseline = Driver::begun(config());
    let attempt = Driver::red();
    let mut checks = Driver::red();
    checks.end_attempt(works("t1"));
    let mut later = Driver::red();
    later.iterate(works("t1"), false);
    let mut refused_by_provider = Driver::red();
    refused_by_provider.end_attempt(refused(ErrorClass::RateLimit));
    let mut blocked = Driver::red();
    blocked.iterate(reports("t1", ReportStatus::Blocked), false);
    vec![
        ("created", Driver::created(config())),
        ("baseline", baseline),
        ("attempt", attempt),
        ("checks", checks),
        ("a later attempt", later),
        ("rate limit", refused_by_provider),
        ("question", blocked),
    ]
}

/// Lets open work end by itself, or be cut short where the state wants that.
fn finish_open_work(driver: &mut Driver) {
    if driver.state.status == Status::Created {
        driver.drive(1);
    }
    let cut = driver.state.wants_cancel();
    match driver.state.work.open.clone() {
        Some(Open::Attempt(_)) => {
            driver.end_attempt(if cut { cancelled("t9") } else { works("t9") });
        }
        Some(Open::Checks(number)) => {
            let round = if cut { cut_short(number) } else { round(number, "t9", false) };
            driver.command(Command::EndChecks(Box::new(round)));
        }
        Some(Open::Hooks(call)) => {
            let end = HookEnd { number: call.number, ..HookEnd::default() };
            driver.command(Command::EndHooks(Box::new(end)));
        }
        Some(Open::Commit(_)) => {
            driver.command(Command::EndCommit {
                commit: None,
                found_on: None,
                uncommitted: Default::default(),
            });
        }
        Some(Open::Review(open)) => {
            let end = ReviewEnd::of(open.number, AttemptOutcome::Cancelled);
            driver.command(Command::EndReview(Box::new(end)));
        }
        None => {}
    }
}

#[test]
fn a_pause_is_kept_in_every_phase_and_a_resume_goes_on() {
    for (phase, mut driver) in phases() {
        let started = driver.count("attempt_started");
        assert_eq!(admit(&driver.state, &Event::PauseRequested {}), Ok(()), "{phase}");
        driver.request(Event::PauseRequested {});
        assert!(!driver.state.wants_cancel(), "{phase}: a pause lets open work end");
        finish_open_work(&mut driver);
        assert_eq!(driver.place(), "paused (human)", "{phase}");
        assert_eq!(driver.exit_code(), Some(ExitCode::Person), "{phase}");
        assert_eq!(driver.count("attempt_started"), started, "{phase}: nothing was begun");
        assert_eq!(driver.after(100 * MINUTE_MS).tick(), [], "{phase}: a pause has no end of its own");
        if phase == "question" {
            assert!(matches!(admit(&driver.state, &resume()), Err(Rejection::NeedsAnswer { .. })));
            driver.request(answer(1, Answer::Approve));
            assert_eq!(driver.place(), "paused (human)", "an answer does not end a pause");
        }
        driver.request(resume());
        assert_eq!(driver.place(), "running", "{phase}");
        assert!(driver.state.work.open.is_some(), "{phase}");
        assert!(!driver.state.requests.pause, "{phase}");
    }
}

#[test]
fn a_stop_lets_open_work_end_unless_it_must_be_now() {
    for now in [false, true] {
        for origin in [StopOrigin::Command, StopOrigin::Interrupt] {
            for (phase, mut driver) in phases() {
                let started = driver.count("attempt_started");
                driver.request(stop(now, origin));
                assert_eq!(driver.state.wants_cancel(), now && driver.state.work.open.is_some(), "{phase}");
                finish_open_work(&mut driver);
                let (reason, code) = match origin {
                    StopOrigin::Command => (Reason::Human, ExitCode::Person),
                    StopOrigin::Interrupt => (Reason::Interrupted, ExitCode::Interrupted),
                };
                assert_eq!(
                    (driver.state.status, driver.state.reason),
                    (Status::Stopped, Some(reason)),
                    "{phase}"
                );
                assert_eq!(driver.exit_code(), Some(code), "{phase}");
                assert_eq!(driver.count("attempt_started"), started, "{phase}: nothing was begun");
                assert_eq!(driver.after(100 * MINUTE_MS).tick(), [], "{phase}");
            }
        }
    }
}

#[test]
fn a_stopped_run_goes_on_where_it_was() {
    for now in [false, true] {
        for (phase, mut driver) in phases() {
            let concluded = driver.state.counters.iterations;
            driver.request(stop(now, StopOrigin::Command));
            finish_open_work(&mut driver);
            if phase == "question" {
                driver.request(answer(1, Answer::Approve));
            }
            assert_eq!(admit(&driver.state, &resume()), Ok(()), "{phase}");
            driver.request(resume());
            assert_eq!(driver.place(), "running", "{phase}");
            if now && matches!(phase, "attempt" | "checks" | "a later attempt") {
                assert_eq!(
                    driver.state.counters.iterations, concluded,
                    "{phase}: no verdict, so not counted"
                );
                assert_eq!(driver.state.work.iteration, concluded + 1, "{phase}: the same iteration again");
            }
        }
    }
}

#[test]
fn a_second_interrupt_stops_now_and_nothing_makes_it_gentle_again() {
    let mut driver = Driver::red();
    driver.request(stop(false, StopOrigin::Interrupt));
    assert!(!driver.state.wants_cancel());
    driver.request(stop(true, StopOrigin::Interrupt));
    assert!(driver.state.wants_cancel());
    driver.request(stop(false, StopOrigin::Interrupt));
    assert!(driver.state.wants_cancel());
}

#[test]
fn of_pause_stop_and_resume_the_last_counts() {
    let pause = || Event::PauseRequested {};
    let stop = || stop(false, StopOrigin::Interrupt);
    for (requests, place) in [
        (vec![pause(), resume()], "running"),
        (vec![stop(), resume()], "running"),
        (vec![resume(), pause()], "paused (human)"),
        (vec![resume(), stop()], "stopped (interrupted)"),
        (vec![pause(), stop()], "stopped (interrupted)"),
        (vec![pause(), stop(), resume()], "running"),
    ] {
        // They find open work …
        let mut driver = Driver::red();
        for request in &requests {
            driver.request(request.clone());
        }
        driver.iterate(works("t1"), false);
        assert_eq!(driver.place(), place, "{requests:?} while an attempt was open");
        // … or all lie in the journal before a driver looks.
        let mut driver = Driver::red();
        for request in &requests {
            driver.fold(request.clone());
        }
        driver.iterate(works("t1"), false);
        assert_eq!(driver.place(), place, "{requests:?} found together");
    }
}

#[test]
fn an_interrupt_right_after_a_resume_is_not_lost() {
    let mut driver = Driver::red();
    driver.request(stop(true, StopOrigin::Command));
    driver.end_attempt(cancelled("t1"));
    driver.fold(resume());
    driver.fold(stop(false, StopOrigin::Interrupt));
    driver.drive(2);
    assert_eq!(driver.state.status, Status::Stopped);
    assert_eq!(driver.count("attempt_started"), 1);
}

#[test]
fn a_forgotten_resume_does_not_undo_a_later_pause() {
    let mut driver = Driver::red();
    driver.request(resume());
    driver.iterate(works("t1"), false);
    driver.request(Event::PauseRequested {});
    driver.iterate(works("t2"), false);
    driver.is(Status::Paused, Reason::Human);
    assert_eq!(driver.tick(), []);
}

#[test]
fn a_raise_counts_while_the_run_is_under_way() {
    let mut driver = Driver::with_baseline(with_limits(|limits| limits.iterations = 1), false);
    driver.request(Event::ResumeRequested { raise: Raise { iterations: Some(2), ..Raise::default() } });
    driver.iterate(works("t1"), false);
    assert_eq!(driver.open_attempt(), 2);
}

#[test]
fn a_skip_gives_up_the_iteration_and_counts_it_once() {
    for during_checks in [false, true] {
        let mut driver = Driver::red();
        if during_checks {
            driver.end_attempt(works("t1"));
        }
        assert_eq!(admit(&driver.state, &Event::SkipRequested {}), Ok(()));
        driver.request(Event::SkipRequested {});
        assert!(driver.state.wants_cancel());
        match driver.state.work.open {
            Some(Open::Checks(number)) => driver.command(Command::EndChecks(Box::new(cut_short(number)))),
            _ => driver.end_attempt(cancelled("t1")),
        };
        // Whoever gives up the checks does not want them.
        assert_eq!(matches!(driver.state.work.open, Some(Open::Checks(_))), !during_checks);
        driver.look("t1");
        assert_eq!(
            (driver.state.work.iteration, driver.state.counters.iterations),
            (2, 1),
            "checks: {during_checks}"
        );
        assert_eq!(driver.open_attempt(), 2);
        assert!(!driver.state.wants_cancel(), "the next iteration is not skipped as well");
    }
}

#[test]
fn there_is_nothing_to_skip_without_an_iteration_under_way() {
    for (phase, mut driver) in phases() {
        if matches!(phase, "attempt" | "checks" | "a later attempt") {
            continue;
        }
        let rejected = admit(&driver.state, &Event::SkipRequested {});
        assert!(
            matches!(rejected, Err(Rejection::NothingTo { action: "skip", .. })),
            "{phase}: {rejected:?}"
        );
        driver.request(Event::SkipRequested {});
        assert!(!driver.state.wants_cancel(), "{phase}");
    }
}

#[test]
fn a_skip_never_reaches_the_next_attempt() {
    type End = fn(&mut Driver);
    let ends: [(&str, End); 4] = [
        ("lost", |driver| drop(driver.lose_attempt())),
        ("abandoned", |driver| {
            let attempt = driver.open_attempt();
            driver.command(Command::AbandonAttempt { attempt });
        }),
        ("refused by the provider", |driver| {
            driver.end_attempt(refused(ErrorClass::Overloaded));
            driver.after(60 * MINUTE_MS).tick();
        }),
        ("ended by itself", |driver| {
            driver.end_attempt(works("t1"));
            let number = driver.open_round();
            driver.command(Command::EndChecks(Box::new(cut_short(number))));
        }),
    ];
    for (how, end) in ends {
        let mut driver = Driver::red();
        driver.request(Event::SkipRequested {});
        end(&mut driver);
        driver.look("t0");
        assert_eq!(driver.open_attempt(), 2, "{how}");
        assert!(!driver.state.wants_cancel(), "{how}");
    }
}

#[test]
fn a_round_that_was_cut_short_by_a_stop_is_run_again() {
    let mut driver = Driver::red();
    driver.end_attempt(works("t1"));
    driver.request(stop(true, StopOrigin::Command));
    let number = driver.open_round();
    driver.command(Command::EndChecks(Box::new(cut_short(number))));
    driver.is(Status::Stopped, Reason::Human);
    driver.request(resume());
    assert_eq!(driver.open_round(), number + 1);
    driver.end_checks("t1", true);
    driver.is(Status::Completed, Reason::ChecksPass);
    assert_eq!(driver.state.counters.iterations, 1);
}

#[test]
fn a_request_that_makes_no_sense_is_refused_with_the_reason() {
    let mut driver = Driver::red();
    driver.iterate(works("t1"), true);
    for request in [Event::PauseRequested {}, stop(false, StopOrigin::Command), resume(), tell("hi")] {
        assert!(matches!(admit(&driver.state, &request), Err(Rejection::Finished { .. })), "{request:?}");
    }
    let mut driver = Driver::red();
    driver.request(stop(true, StopOrigin::Command));
    driver.end_attempt(cancelled("t1"));
    for request in [Event::PauseRequested {}, stop(false, StopOrigin::Command)] {
        assert!(matches!(admit(&driver.state, &request), Err(Rejection::NothingTo { .. })), "{request:?}");
    }
}

#[test]
fn a_completed_run_says_nothing_more() {
    let mut driver = Driver::red();
    driver.iterate(works("t1"), true);
    for request in
        [Event::PauseRequested {}, stop(true, StopOrigin::Command), resume(), answer(1, Answer::Approve)]
    {
        assert_eq!(driver.request(request), []);
    }
    assert_eq!(driver.drive(2), []);
    assert_eq!(driver.command(Command::Observe(snapshot("t7"))), []);
    let refused = driver.try_command(Command::GiveUp { detail: "disk".to_owned() });
    assert!(matches!(refused, Err(Rejection::Finished { .. })), "{refused:?}");
    driver.is(Status::Completed, Reason::ChecksPass);
}

#[test]
fn what_is_not_the_agents_fault_stops_the_run_and_keeps_its_work_open() {
    let mut driver = Driver::red();
    driver.command(Command::GiveUp { detail: "the disk is full".to_owned() });
    driver.is(Status::Stopped, Reason::Environment);
    assert_eq!(driver.exit_code(), Some(ExitCode::Environment));
    assert_eq!(driver.state.detail.as_deref(), Some("the disk is full"));
    driver.request(resume());
    assert_eq!(driver.open_attempt(), 1, "its outcome is still to be looked up");
}

#[test]
fn a_resume_that_comes_while_the_run_gives_up_is_heard() {
    let mut driver = Driver::red();
    let raise = Raise { iterations: Some(99), ..Raise::default() };
    driver.fold(Event::ResumeRequested { raise });
    driver.command(Command::GiveUp { detail: "the disk is full".to_owned() });
    driver.is(Status::Running, None);
    assert_eq!(driver.state.config.limits.iterations, 99, "and so is the limit it raised");
    driver.command(Command::GiveUp { detail: "the disk is full".to_owned() });
    driver.is(Status::Stopped, Reason::Environment);
}
