//! Intent before the act, outcome after it: what becomes of an attempt.

use super::harness::Driver;
use super::harness::*;
use crate::loop_machine::*;
use crate::{Event, ExitCode, Reason, RunEvent, Status, StopOrigin};

fn on_lost(policy: OnLost) -> Driver {
    Driver::with_baseline(LoopConfig { on_lost: policy, ..config() }, false)
}

fn started(events: &[Event]) -> &OpenAttempt {
    let found = events.iter().find_map(|event| match event {
        Event::AttemptStarted { attempt } => Some(attempt),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no attempt was started: {events:?}"))
}

#[test]
fn a_lost_attempt_is_tried_again_on_the_tree_as_it_is() {
    let mut driver = on_lost(OnLost::Retry);
    let events = driver.lose_attempt();
    assert_eq!(kinds(&events), ["attempt_lost", "checks_started"], "how it stands is looked at first");
    let events = driver.look("t0");
    let next = started(&events);
    assert_eq!((next.number, next.iteration, &next.restore), (2, 1, &None));
    assert_eq!(next.directory, "attempts/ralph-test-0123abcd/2");
    assert_eq!((driver.state.counters.lost, driver.state.counters.iterations), (1, 0));
}

#[test]
fn a_lost_attempt_can_be_tried_again_on_the_tree_from_before() {
    let mut driver = on_lost(OnLost::RestoreAndRetry);
    driver.iterate(works("t1"), false);
    let events = driver.lose_attempt();
    assert_eq!(started(&events).restore.as_deref(), Some("commit-of-t1"));
    driver.iterate(works("t2"), false);
    let Some(Open::Attempt(next)) = &driver.state.work.open else { panic!("{}", driver.place()) };
    assert_eq!(next.restore, None, "only the retry puts the tree back");
}

#[test]
fn the_policy_for_a_lost_attempt_survives_a_rest() {
    for (policy, place) in [(OnLost::RestoreAndRetry, "running"), (OnLost::Ask, "waiting (attempt_lost)")] {
        for rest in [Event::PauseRequested {}, stop(false, StopOrigin::Command)] {
            let mut driver = on_lost(policy);
            driver.request(rest.clone());
            driver.lose_attempt();
            assert!(!driver.state.status.is_active(), "{rest:?}");
            let events = driver.request(resume());
            assert_eq!(driver.place(), place, "{policy:?} after {rest:?}");
            if policy == OnLost::RestoreAndRetry {
                assert_eq!(started(&events).restore.as_deref(), Some("commit-of-t0"), "after {rest:?}");
            }
        }
    }
}

#[test]
fn a_person_can_be_asked_about_a_lost_attempt() {
    for (said, place) in [
        (Answer::Approve, "running"),
        (Answer::Reject, "stopped (human)"),
        (Answer::Abort, "stopped (human)"),
    ] {
        let mut driver = on_lost(OnLost::Ask);
        driver.lose_attempt();
        driver.is(Status::Waiting, Reason::AttemptLost);
        assert_eq!(driver.exit_code(), Some(ExitCode::Person));
        assert_eq!(driver.state.people.questions[0].kind, QuestionKind::AttemptLost);
        driver.request(answer(1, said));
        assert_eq!(driver.place(), place, "{said:?}");
    }
}

#[test]
fn lost_attempts_in_a_row_end_the_run() {
    let mut config = with_limits(|limits| limits.failures = 2);
    config.on_lost = OnLost::Retry;
    let mut driver = Driver::with_baseline(config, false);
    driver.lose_attempt();
    driver.look("t0");
    driver.lose_attempt();
    driver.end_checks("t0", false);
    driver.is(Status::Failed, Reason::FailureStreak);
}

/// A run that ends over an attempt that its provider cut short judges what that left.
#[test]
fn a_run_does_not_end_over_work_that_nobody_judged() {
    let spent = || with_limits(|limits| limits.working_ms = MINUTE_MS);
    let cut = |class| AttemptEnd { snapshot: Some(snapshot("t1")), ..refused(class) };
    for (class, reason) in [(ErrorClass::Overloaded, Reason::LimitDuration), (ErrorClass::Auth, Reason::Auth)]
    {
        for passes in [true, false] {
            let mut driver = Driver::with_baseline(spent(), false);
            let events = driver.end_attempt(cut(class));
            assert_eq!(kinds(&events).last().map(String::as_str), Some("checks_started"), "{reason:?}");
            driver.end_checks("t1", passes);
            match passes {
                true => driver.is(Status::Completed, Reason::ChecksPass),
                false => driver.is(Status::Stopped, reason),
            }
        }
    }
}

/// Whoever reports done is taken at their word as far as that goes: the checks are run before anything is waited for.
#[test]
fn a_report_of_done_is_verified_before_the_provider_is_waited_for() {
    for passes in [true, false] {
        let mut driver = Driver::red();
        let mut end = reports("t1", ReportStatus::Done);
        end.report.as_mut().expect("a report").error_class = Some(ErrorClass::RateLimit);
        let events = driver.end_attempt(end);
        assert_eq!(kinds(&events), ["attempt_finished", "checks_started"]);
        driver.end_checks("t1", passes);
        match passes {
            true => driver.is(Status::Completed, Reason::ChecksPass),
            false => driver.is(Status::Waiting, Reason::RateLimit),
        }
        assert_eq!(driver.state.counters.failures_in_a_row, 0, "not the agent's failure");
    }
}

#[test]
fn an_abandoned_attempt_takes_a_new_number_and_the_same_iteration() {
    let mut driver = Driver::red();
    driver.iterate(works("t1"), false);
    let events = driver.command(Command::AbandonAttempt { attempt: 2 });
    assert_eq!(kinds(&events), ["attempt_abandoned", "attempt_started"]);
    let next = started(&events);
    assert_eq!((next.number, next.iteration), (3, 2));
    assert_eq!(driver.state.counters.cost_unknown, 1, "what never ran costs nothing");
}

#[test]
fn an_outcome_is_taken_once_and_only_of_what_is_open() {
    let mut driver = Driver::red();
    let end = || Box::new(works("t1"));
    driver.end_attempt(works("t1"));
    for command in [
        Command::EndAttempt { attempt: 1, end: end() },
        Command::EndAttempt { attempt: 2, end: end() },
        Command::AbandonAttempt { attempt: 1 },
        Command::LoseAttempt { attempt: 1, tree: TreeProof::Proven, left: Box::default() },
        Command::EndChecks(Box::new(round(1, "t0", true))),
        Command::EndChecks(Box::new(round(3, "t0", true))),
    ] {
        assert_eq!(driver.try_command(command.clone()), Err(Rejection::NotOpen), "{command:?}");
    }
    driver.end_checks("t1", false);
    assert_eq!(
        driver.try_command(Command::EndChecks(Box::new(round(2, "t1", true)))),
        Err(Rejection::NotOpen)
    );
}

#[test]
fn an_iteration_is_never_counted_twice() {
    let mut driver = Driver::red();
    driver.lose_attempt();
    driver.look("t0");
    let attempt = driver.open_attempt();
    driver.command(Command::AbandonAttempt { attempt });
    driver.request(stop(true, StopOrigin::Command));
    driver.end_attempt(cancelled("t1"));
    driver.request(resume());
    driver.look("t1");
    driver.end_attempt(refused(ErrorClass::RateLimit));
    driver.after(MINUTE_MS).tick();
    driver.look("t1");
    assert_eq!((driver.state.work.iteration, driver.state.counters.iterations), (1, 0));
    driver.iterate(works("t2"), false);
    assert_eq!(driver.state.counters.iterations, 1);
    assert_eq!((driver.state.work.iteration, driver.open_attempt()), (2, 6));
}

#[test]
fn a_rate_limit_becomes_a_timer_that_is_kept_and_not_counted_as_work() {
    let mut driver = Driver::red();
    let working_ms = driver.state.counters.working_ms;
    let events = driver.end_attempt(refused(ErrorClass::RateLimit));
    assert_eq!(kinds(&events), ["attempt_finished", "run_waiting"]);
    driver.is(Status::Waiting, Reason::RateLimit);
    assert_eq!(driver.exit_code(), None, "the viewer stays");
    let until = driver.state.until.expect("a moment");
    assert_eq!(until, driver.now.plus_millis(MINUTE_MS));
    assert_eq!(driver.state.effects(), [Effect::Timer(until)]);

    assert_eq!(driver.after(MINUTE_MS - 1).tick(), [], "not a moment too early");
    assert_eq!(driver.drive(2).len(), 1, "a new driver keeps the timer");
    assert_eq!(driver.state.until, Some(until));
    let events = driver.after(1).tick();
    assert_eq!(kinds(&events), ["run_resumed", "attempt_started"]);
    assert_eq!(driver.state.counters.working_ms, working_ms + MINUTE_MS, "only the attempt itself");
    assert_eq!(driver.state.counters.waiting_ms, MINUTE_MS);
    assert_eq!(driver.state.counters.failures_in_a_row, 0, "not the agent's failure");
}

#[test]
fn waits_for_the_provider_grow_up_to_an_hour_and_begin_anew_after_work() {
    for (class, first_ms) in [(ErrorClass::RateLimit, 60_000), (ErrorClass::Overloaded, 10_000)] {
        let mut driver = Driver::red();
        let mut waits = Vec::new();
        for _ in 0..9 {
            driver.end_attempt(refused(class));
            let wait = driver.state.until.expect("a moment").millis_since(driver.now);
            waits.push(wait);
            driver.after(wait).tick();
        }
        let expected: Vec<u64> = (0..9).map(|n: u32| (first_ms << n.min(6)).min(3_600_000)).collect();
        assert_eq!(waits, expected, "{class:?}");
        driver.iterate(works("t1"), false);
        driver.end_attempt(refused(class));
        assert_eq!(driver.state.until, Some(driver.now.plus_millis(first_ms)));
    }
}

#[test]
fn a_person_can_end_a_wait_for_the_provider() {
    let mut driver = Driver::red();
    driver.end_attempt(refused(ErrorClass::RateLimit));
    driver.request(resume());
    assert_eq!(driver.open_attempt(), 2);
}

#[test]
fn an_agent_that_is_not_logged_in_stops_the_run_at_once() {
    let mut driver = Driver::red();
    driver.end_attempt(refused(ErrorClass::Auth));
    driver.is(Status::Stopped, Reason::Auth);
    assert_eq!(driver.exit_code(), Some(ExitCode::Environment));
    assert_eq!(driver.state.detail.as_deref(), Some("the provider said no"));
    assert_eq!(driver.state.counters.iterations, 0);
    driver.request(resume());
    assert_eq!((driver.open_attempt(), driver.state.work.iteration), (2, 1));
}

#[test]
fn an_agent_that_cannot_be_started_stops_the_run_with_its_reason() {
    let mut driver = Driver::red();
    let message = Some("`agent` is not installed".to_owned());
    let end = AttemptEnd { outcome: AttemptOutcome::NotStartable, message: message.clone(), ..fails("t0") };
    driver.end_attempt(end);
    driver.is(Status::Stopped, Reason::Environment);
    assert_eq!(driver.exit_code(), Some(ExitCode::Environment));
    assert_eq!(driver.state.detail, message);
    driver.request(resume());
    assert_eq!((driver.open_attempt(), driver.state.work.iteration), (2, 1));
}

#[test]
fn an_attempt_that_ran_out_of_time_is_judged_all_the_same() {
    for outcome in [AttemptOutcome::TimedOut, AttemptOutcome::Hung, AttemptOutcome::Failed] {
        let mut driver = Driver::red();
        driver.end_attempt(AttemptEnd { outcome, ..works("t1") });
        assert_eq!(driver.state.counters.failures_in_a_row, 1, "{outcome:?}");
        driver.end_checks("t1", true);
        driver.is(Status::Completed, Reason::ChecksPass);
    }
}

#[test]
fn a_new_driver_finds_the_work_that_is_open() {
    for mut driver in [Driver::begun(config()), Driver::red()] {
        let open = driver.state.effects();
        assert_eq!(open.len(), 1);
        assert_eq!(kinds(&driver.drive(2)), ["driver_started"]);
        assert_eq!(driver.state.effects(), open);
        assert_eq!(driver.state.driver.as_ref().unwrap().epoch, 2);
    }
}

#[test]
fn what_a_hostile_report_brings_can_always_be_recorded_and_read() {
    let mut deep = serde_json::Value::Null;
    for _ in 0..120 {
        deep = serde_json::Value::Array(vec![deep]);
    }
    let mut report = Report { summary: Some("ß".repeat(1 << 20)), ..Report::default() };
    report.custom.insert("deep".to_owned(), deep);
    report.custom.insert("large".to_owned(), "x".repeat(1 << 20).into());
    report.custom.insert("fine".to_owned(), 0.1.into());
    for n in 0..1000 {
        report.custom.insert(format!("key {n}"), n.into());
    }
    report.objectives =
        Some(ReportedObjectives { completed: Some(vec!["x".repeat(1 << 16); 1000]), pending: None });
    let mut driver = Driver::red();
    driver.end_attempt(AttemptEnd { report: Some(report), ..works("t1") });
    for event in &driver.journal {
        let encoded = event.encode();
        assert!(encoded.data.len() <= crate::limits::PAYLOAD_BYTES_MAX, "{} bytes", encoded.data.len());
        assert_eq!(&Event::decode(&encoded.kind, encoded.version, &encoded.data).expect("it decodes"), event);
    }
    assert_eq!(driver.state.memory.custom.len(), crate::limits::CUSTOM_KEYS_MAX);
    assert_eq!(driver.state.memory.custom["fine"], 0.1);
    assert!(
        !driver.state.memory.custom.contains_key("deep") && !driver.state.memory.custom.contains_key("large")
    );
}

#[test]
fn sessions_are_told_apart_and_the_old_ones_remembered() {
    let mut driver = Driver::red();
    for (n, session) in ["a", "a", "b"].into_iter().enumerate() {
        let report = Report { session_id: Some(session.to_owned()), ..Report::default() };
        driver.iterate(AttemptEnd { report: Some(report), ..works(&format!("t{}", n + 1)) }, false);
    }
    let session = &driver.state.session;
    assert_eq!((session.current.as_deref(), session.iterations), (Some("b"), 1));
    assert_eq!((session.history[0].session_id.as_str(), session.history[0].iterations), ("a", 2));
}

#[test]
fn a_session_lasts_from_its_first_attempt_and_says_why_it_gave_way() {
    let mut driver = with_sessions(SessionPolicy::Continue);
    let (first, began) = (intended(&driver), driver.now);
    let full = Report { context_usage_percent: Some(90), ..Report::default() };
    driver.after(5 * MINUTE_MS).iterate(in_session(&first.id, full), false);
    let session = &driver.state.session;
    assert_eq!((session.started_at, session.goes_on()), (Some(began), None));
    let without_it = driver.now;
    // Whether or not the next one says what its session is called, the old one is over.
    driver.after(MINUTE_MS).iterate(works("t2"), false);
    let session = &driver.state.session;
    assert_eq!((&session.current, session.context_usage_percent), (&None, None));
    let left = SessionRecord {
        session_id: first.id,
        started_at: began,
        ended_at: without_it,
        iterations: 1,
        reason: Some(RebootReason::Redline { usage: 90 }),
        elsewhere: None,
    };
    assert_eq!(session.history, [left]);
}

/// A driver whose agent has sessions that we name.
fn with_sessions(policy: SessionPolicy) -> Driver {
    let mut config = config();
    config.session = policy;
    config.agent.sessions = Sessions {
        named_by: NamedBy::Us,
        start: vec!["--session-id".to_owned()],
        resume: vec!["--resume".to_owned()],
        fork: vec!["--fork".to_owned()],
        usage_is_total: false,
    };
    Driver::with_baseline(config, false)
}

fn in_session(id: &str, more: Report) -> AttemptEnd {
    AttemptEnd { report: Some(Report { session_id: Some(id.to_owned()), ..more }), ..works("t1") }
}

fn intended(driver: &Driver) -> IntendedSession {
    match &driver.state.work.open {
        Some(Open::Attempt(open)) => open.session.clone().expect("a session is intended"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_fresh_session_is_named_before_its_attempt_starts() {
    let mut driver = with_sessions(SessionPolicy::Fresh);
    let first = intended(&driver);
    let is_uuid = |id: &str| id.len() == 36 && id.as_bytes()[14] == b'8' && id.split('-').count() == 5;
    assert!(is_uuid(&first.id) && !first.resumed, "{first:?}");
    driver.iterate(in_session(&first.id, Report::default()), false);
    let second = intended(&driver);
    assert!(is_uuid(&second.id) && !second.resumed && second.id != first.id, "{second:?}");
}

#[test]
fn a_session_is_continued_until_it_is_full_or_refused() {
    let mut driver = with_sessions(SessionPolicy::Continue);
    let first = intended(&driver);
    driver.iterate(in_session(&first.id, Report::default()), false);
    assert_eq!(intended(&driver), IntendedSession { id: first.id.clone(), resumed: true, from: None });
    let redline = Report { context_usage_percent: Some(90), ..Report::default() };
    driver.iterate(in_session(&first.id, redline), false);
    let second = intended(&driver);
    assert!(!second.resumed && second.id != first.id, "{second:?}");
    driver.iterate(in_session(&second.id, Report::default()), false);
    assert!(intended(&driver).resumed);
    // The agent does not know the session any more: it fails without naming it.
    let refused = AttemptEnd { outcome: AttemptOutcome::Failed, report: None, ..works("t1") };
    driver.iterate(refused, false);
    assert!(!intended(&driver).resumed, "a session that cannot be continued is not tried for ever");
}

#[test]
fn a_copy_is_made_of_the_last_session_that_went_well() {
    let mut driver = with_sessions(SessionPolicy::Fork);
    let first = intended(&driver);
    assert_eq!((first.resumed, &first.from), (false, &None), "there is nothing to copy yet");
    driver.iterate(in_session(&first.id, Report::default()), false);
    let second = intended(&driver);
    assert_eq!(second.from.as_ref(), Some(&first.id));
    assert!(second.id != first.id && !second.resumed, "{second:?}");
    let failed = AttemptEnd { outcome: AttemptOutcome::Failed, ..in_session(&second.id, Report::default()) };
    driver.iterate(failed, false);
    let third = intended(&driver);
    assert_eq!(third.from, Some(first.id), "what failed is not built on");
    driver.iterate(in_session(&third.id, Report::default()), false);
    assert_eq!(intended(&driver).from, Some(third.id));
}

#[test]
fn an_iteration_that_a_limit_cut_goes_on_in_its_session_at_the_time_the_provider_named() {
    let mut driver = with_sessions(SessionPolicy::Fresh);
    let first = intended(&driver);
    let until = driver.now.plus_millis(5 * 3_600_000);
    let limited =
        Report { error_class: Some(ErrorClass::RateLimit), limited_until: Some(until), ..Report::default() };
    driver.end_attempt(AttemptEnd { outcome: AttemptOutcome::Failed, ..in_session(&first.id, limited) });
    driver.is(Status::Waiting, Reason::RateLimit);
    assert_eq!(driver.state.until, Some(until));
    driver.now = until;
    driver.tick();
    driver.look("t1");
    assert_eq!(intended(&driver), IntendedSession { id: first.id, resumed: true, from: None });
    assert_eq!(driver.state.work.iteration, 1, "it is the same iteration");
}

#[test]
fn a_session_that_counts_from_its_start_is_charged_once() {
    let total = |input_tokens| Usage { input_tokens, output_tokens: 10, cached_input_tokens: None };
    assert_eq!(total(2400).since(total(1200)).input_tokens, 1200);
    assert_eq!(total(2400).since(total(1200)).output_tokens, 0);
    assert_eq!(total(500).since(total(1200)), total(500), "a count that began anew");
}
