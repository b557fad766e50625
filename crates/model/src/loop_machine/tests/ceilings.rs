//! No run without an exit: every ceiling, and what a resume may do about it.

use super::harness::Driver;
use super::harness::*;
use crate::loop_machine::stop::{ShellCommand, until};
use crate::loop_machine::*;
use crate::{Event, ExitCode, Reason, Status};

fn spends(tree: &str, cost_microusd: Option<u64>, tokens: Option<u64>) -> AttemptEnd {
    let usage =
        tokens.map(|tokens| Usage { input_tokens: tokens - 1, output_tokens: 1, cached_input_tokens: None });
    AttemptEnd { report: Some(Report { cost_microusd, usage, ..Report::default() }), ..works(tree) }
}

#[test]
fn a_counter_that_is_full_stays_full_and_the_run_ends() {
    let mut config = config();
    config.limits.iterations = u32::MAX;
    let mut driver = Driver::created(config);
    let most = u32::MAX - 1;
    let adoption = Adoption {
        iterations: most,
        succeeded: u32::MAX,
        failed: u32::MAX,
        red_in_a_row: u32::MAX,
        reboots: u32::MAX,
        cost_unknown: u32::MAX,
        tokens_unknown: u32::MAX,
        ..Adoption::default()
    };
    driver.fold(Event::RunAdopted { adoption: Box::new(adoption) });
    driver.drive(1);
    driver.command(Command::Observe(snapshot("t0")));
    driver.end_checks("t0", false);
    driver.iterate(works("t1"), false);
    let counters = &driver.state.counters;
    assert_eq!(
        (counters.iterations, counters.succeeded, counters.red_in_a_row),
        (u32::MAX, u32::MAX, u32::MAX)
    );
    assert_eq!(driver.state.reason, Some(Reason::LimitIterations));
}

#[test]
fn every_ceiling_ends_the_run() {
    type Case = (Reason, fn(&mut Limits), fn(u32) -> AttemptEnd, Status, ExitCode);
    let tree = |n: u32| format!("t{n}");
    let cases: [Case; 6] = [
        (
            Reason::LimitIterations,
            |l| l.iterations = 3,
            |n| works(&format!("t{n}")),
            Status::Stopped,
            ExitCode::Limit,
        ),
        (
            Reason::LimitDuration,
            // Three minutes of attempts and four seconds of checks.
            |l| l.working_ms = 3 * MINUTE_MS + 4_000,
            |n| works(&format!("t{n}")),
            Status::Stopped,
            ExitCode::Limit,
        ),
        (
            Reason::LimitCost,
            |l| l.cost_microusd = Some(3_000_000),
            |n| spends(&format!("t{n}"), Some(1_000_000), None),
            Status::Stopped,
            ExitCode::Limit,
        ),
        (
            Reason::LimitTokens,
            |l| l.tokens = Some(300),
            |n| spends(&format!("t{n}"), None, Some(100)),
            Status::Stopped,
            ExitCode::Limit,
        ),
        (Reason::NoProgress, |l| l.no_progress = 3, |_| works("t0"), Status::Stopped, ExitCode::Limit),
        (
            Reason::FailureStreak,
            |l| l.failures = 3,
            |n| fails(&format!("t{n}")),
            Status::Failed,
            ExitCode::Failed,
        ),
    ];
    for (reason, limit, end, status, code) in cases {
        let mut driver = Driver::with_baseline(with_limits(limit), false);
        for n in 1..=3 {
            assert_eq!(driver.place(), "running", "{reason:?} before iteration {n}, {}", tree(n));
            driver.iterate(end(n), false);
        }
        driver.is(status, reason);
        assert_eq!(driver.exit_code(), Some(code), "{reason:?}");
        assert_eq!(driver.state.counters.iterations, 3, "{reason:?}");
        assert_eq!(driver.tick(), [], "{reason:?}: a run at its ceiling rests");
    }
}

#[test]
fn the_last_allowed_iteration_may_succeed() {
    let mut driver = Driver::with_baseline(with_limits(|limits| limits.iterations = 1), false);
    driver.iterate(works("t1"), true);
    driver.is(Status::Completed, Reason::ChecksPass);
}

#[test]
fn counters_survive_a_resume_and_a_limit_must_be_raised() {
    let mut driver = Driver::with_baseline(with_limits(|limits| limits.iterations = 2), false);
    driver.iterate(works("t1"), false);
    driver.iterate(works("t2"), false);
    let before = driver.state.counters.clone();
    let rejected = admit(&driver.state, &resume());
    assert!(
        matches!(rejected, Err(Rejection::AtLimit { reason: Reason::LimitIterations, .. })),
        "{rejected:?}"
    );

    // The journal takes the request in any case: the run stops again, at the same place.
    driver.request(resume());
    driver.is(Status::Stopped, Reason::LimitIterations);
    assert_eq!(driver.state.counters, before);

    let raise = Event::ResumeRequested { raise: Raise { iterations: Some(3), ..Raise::default() } };
    assert_eq!(admit(&driver.state, &raise), Ok(()));
    driver.request(raise);
    assert_eq!((driver.open_attempt(), driver.state.work.iteration), (3, 3));
    assert_eq!(driver.state.counters, before, "a resume resets nothing");
    driver.iterate(works("t3"), false);
    driver.is(Status::Stopped, Reason::LimitIterations);
}

#[test]
fn a_raise_of_another_limit_does_not_help() {
    let mut driver = Driver::with_baseline(with_limits(|limits| limits.tokens = Some(100)), false);
    driver.iterate(spends("t1", None, Some(100)), false);
    driver.is(Status::Stopped, Reason::LimitTokens);
    let other = Event::ResumeRequested { raise: Raise { iterations: Some(99), ..Raise::default() } };
    assert!(matches!(
        admit(&driver.state, &other),
        Err(Rejection::AtLimit { reason: Reason::LimitTokens, .. })
    ));
    let right = Event::ResumeRequested { raise: Raise { tokens: Some(200), ..Raise::default() } };
    driver.request(right);
    driver.is(Status::Running, None);
}

#[test]
fn streaks_begin_anew_with_a_resume() {
    for (reason, limit, end) in [
        (Reason::NoProgress, (|l| l.no_progress = 2) as fn(&mut Limits), works("t0")),
        (Reason::FailureStreak, |l| l.failures = 2, fails("t0")),
    ] {
        let mut driver = Driver::with_baseline(with_limits(limit), false);
        for _ in 0..2 {
            driver.iterate(end.clone(), false);
        }
        assert_eq!(driver.state.reason, Some(reason));
        assert_eq!(admit(&driver.state, &resume()), Ok(()), "a streak needs no raise");
        driver.request(resume());
        driver.iterate(end.clone(), false);
        driver.is(Status::Running, None);
        driver.iterate(end.clone(), false);
        assert_eq!(driver.state.reason, Some(reason));
        assert_eq!(driver.state.counters.iterations, 4, "{reason:?}");
    }
}

#[test]
fn a_pause_does_not_renew_a_streak() {
    let mut driver = Driver::with_baseline(with_limits(|limits| limits.failures = 2), false);
    driver.end_attempt(fails("t1"));
    driver.request(Event::PauseRequested {});
    driver.end_checks("t1", false);
    driver.is(Status::Paused, Reason::Human);
    driver.request(resume());
    driver.iterate(fails("t2"), false);
    driver.is(Status::Failed, Reason::FailureStreak);
}

#[test]
fn a_success_or_progress_ends_a_streak() {
    let mut driver = Driver::with_baseline(with_limits(|limits| limits.failures = 2), false);
    for n in 0..6 {
        let tree = format!("t{n}");
        driver.iterate(if n % 2 == 0 { fails(&tree) } else { works(&tree) }, false);
    }
    driver.is(Status::Running, None);

    let mut driver = Driver::with_baseline(with_limits(|limits| limits.no_progress = 2), false);
    for tree in ["t0", "t1", "t1", "t2", "t2"] {
        driver.iterate(works(tree), false);
    }
    driver.is(Status::Running, None);
    assert_eq!(driver.state.counters.last_progress_iteration, Some(4));
}

#[test]
fn other_verdicts_on_the_same_tree_are_progress() {
    // Conditions are probed every time, so a verdict can change without the tree.
    let mut config = with_limits(|limits| limits.no_progress = 1);
    config.until = vec![until(ShellCommand { command: "true".to_owned() })];
    let mut driver = Driver::with_baseline(config, false);
    driver.iterate(works("t0"), true);
    driver.is(Status::Running, None);
    driver.iterate(works("t0"), true);
    driver.is(Status::Stopped, Reason::NoProgress);
}

#[test]
fn an_unknown_cost_never_counts_as_zero() {
    let mut driver = Driver::red();
    driver.iterate(works("t1"), false);
    driver.iterate(spends("t2", Some(0), Some(7)), false);
    driver.iterate(spends("t3", None, None), false);
    driver.lose_attempt();
    let counters = &driver.state.counters;
    assert_eq!((counters.cost_microusd, counters.cost_unknown), (0, 3), "0 was reported once");
    assert_eq!((counters.tokens, counters.tokens_unknown), (7, 3));
}

#[test]
fn an_agent_that_could_not_start_costs_nothing() {
    let mut driver = Driver::red();
    let end =
        AttemptEnd { outcome: AttemptOutcome::NotStartable, snapshot: None, duration_ms: 0, ..works("t0") };
    driver.end_attempt(end);
    let counters = &driver.state.counters;
    assert_eq!((counters.cost_unknown, counters.tokens_unknown, counters.iterations), (0, 0, 0));
}

#[test]
fn absurd_numbers_do_not_overflow() {
    let mut driver = Driver::red();
    for n in 0..3 {
        let mut end = spends(&format!("t{n}"), Some(u64::MAX), Some(u64::MAX));
        end.duration_ms = u64::MAX;
        driver.request(resume());
        if driver.state.work.open.is_none() {
            break;
        }
        driver.end_attempt(end);
        if let Some(Open::Checks(number)) = driver.state.work.open {
            let round = CheckRound { duration_ms: u64::MAX, ..round(number, &format!("t{n}"), false) };
            driver.command(Command::EndChecks(Box::new(round)));
        }
    }
    driver.is(Status::Stopped, Reason::LimitDuration);
}

#[test]
fn nothing_is_begun_after_the_deadline_and_a_resume_drops_one_that_passed() {
    let mut config = config();
    let mut driver = Driver::created(config.clone());
    config.limits.deadline = Some(driver.now.plus_millis(10 * MINUTE_MS));
    driver = Driver::with_baseline(config.clone(), false);
    driver.now = driver.now.plus_millis(10 * MINUTE_MS);
    driver.iterate(works("t1"), false);
    driver.is(Status::Stopped, Reason::LimitDeadline);
    assert_eq!(driver.exit_code(), Some(ExitCode::Limit));
    driver.request(resume());
    driver.is(Status::Running, None);
    assert_eq!(driver.state.config.limits.deadline, None);
    // A wait that would outlast it is no wait.
    let mut driver = Driver::with_baseline(config, false);
    let until = Some(driver.now.plus_millis(60 * MINUTE_MS));
    let mut end = refused(ErrorClass::RateLimit);
    end.report.as_mut().unwrap().limited_until = until;
    driver.end_attempt(end);
    driver.end_checks("t0", false);
    driver.is(Status::Stopped, Reason::LimitDeadline);
}

#[test]
fn what_is_far_beyond_a_ceiling_needs_more_than_the_usual_room() {
    let mut driver = Driver::red();
    driver.state.config.limits.cost_microusd = Some(5_000_000);
    for (spent, flag) in
        [(5_000_000, "--max-cost +10"), (14_999_999, "--max-cost +10"), (40_500_000, "--max-cost +46")]
    {
        driver.state.counters.cost_microusd = spent;
        assert_eq!(raise_past(&driver.state).as_deref(), Some(flag));
    }
    driver.state.counters.working_ms = driver.state.config.limits.working_ms;
    assert_eq!(
        raise_past(&driver.state).as_deref(),
        Some("--max-duration +4h --max-cost +46"),
        "all of them"
    );
    assert_eq!(raise_past(&Driver::red().state), None);
}
