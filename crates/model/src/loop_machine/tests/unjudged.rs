//! Work that nobody has judged: it is judged before a ceiling speaks, and is never what later work is compared with.

use super::guard::{cheats, with_mode};
use super::harness::Driver;
use super::harness::*;
use crate::loop_machine::*;
use crate::{Event, Reason, Status, StopOrigin};

/// The provider refuses in the middle; the attempt has cost `dollars` and left `tree`.
fn cut(tree: &str, dollars: u64) -> AttemptEnd {
    let mut end = AttemptEnd { snapshot: Some(snapshot(tree)), ..refused(ErrorClass::Overloaded) };
    end.report.as_mut().expect("a report").cost_microusd = Some(dollars * 1_000_000);
    end
}

fn left(tree: &str) -> Left {
    Left { snapshot: Some(snapshot(tree)), ..Left::default() }
}

fn left_cheating(tree: &str) -> Left {
    Left { guard: cheats(tree).guard, ..left(tree) }
}

fn with_a_dollar() -> Driver {
    Driver::with_baseline(with_limits(|limits| limits.cost_microusd = Some(1_000_000)), false)
}

#[test]
fn a_run_at_its_ceiling_judges_what_was_done_instead_of_waiting() {
    for passes in [true, false] {
        let mut driver = with_a_dollar();
        let events = driver.end_attempt(cut("t1", 3));
        assert_eq!(kinds(&events), ["attempt_finished", "checks_started"]);
        driver.end_checks("t1", passes);
        match passes {
            true => driver.is(Status::Completed, Reason::ChecksPass),
            false => driver.is(Status::Stopped, Reason::LimitCost),
        }
    }
}

/// Wherever a run was when it came to rest over its ceiling, a resume goes on for as long as there is something to judge.
#[test]
fn a_resume_is_let_in_at_a_ceiling_while_work_is_left_to_judge() {
    type Case = (&'static str, fn(&mut Driver), bool);
    let cases: [Case; 5] = [
        (
            "its checks were stopped",
            |driver| {
                driver.end_attempt(AttemptEnd { report: cut("t1", 3).report, ..works("t1") });
                driver.request(stop(true, StopOrigin::Command));
                let round = cut_short(driver.open_round());
                driver.command(Command::EndChecks(Box::new(round)));
            },
            true,
        ),
        (
            "it was paused before its checks",
            |driver| {
                driver.request(Event::PauseRequested {});
                driver.end_attempt(cut("t1", 3));
            },
            true,
        ),
        (
            "an attempt was ended in the middle of its work",
            |driver| {
                driver.request(stop(true, StopOrigin::Command));
                driver.end_attempt(AttemptEnd { report: cut("t1", 3).report, ..cancelled("t1") });
            },
            true,
        ),
        (
            "an attempt was ended before it did anything",
            |driver| {
                driver.request(stop(true, StopOrigin::Command));
                driver.end_attempt(AttemptEnd { report: cut("t0", 3).report, ..cancelled("t0") });
            },
            false,
        ),
        (
            "everything has its verdict",
            |driver| {
                driver.iterate(
                    AttemptEnd {
                        report: Some(Report { cost_microusd: Some(3_000_000), ..Report::default() }),
                        ..works("t1")
                    },
                    false,
                );
            },
            false,
        ),
    ];
    for (what, comes_to_rest, is_left) in cases {
        let mut driver = with_a_dollar();
        comes_to_rest(&mut driver);
        assert!(!driver.state.status.is_active(), "{what}: {}", driver.place());
        assert_eq!(admit(&driver.state, &resume()).is_ok(), is_left, "{what}");
        let started = driver.count("attempt_started");
        driver.request(resume());
        if is_left {
            driver.end_checks("t1", false);
        }
        driver.is(Status::Stopped, Reason::LimitCost);
        assert_eq!(driver.count("attempt_started"), started, "{what}");
        assert!(admit(&driver.state, &resume()).is_err(), "{what}: now the ceiling speaks");
    }
}

#[test]
fn what_a_lost_attempt_left_is_judged_before_the_run_fails() {
    for (passes, place) in [(true, "completed (checks_pass)"), (false, "failed (failure_streak)")] {
        let mut driver = Driver::with_baseline(with_limits(|limits| limits.failures = 1), false);
        let events = driver.lose_leaving(left("t1"));
        assert_eq!(kinds(&events), ["attempt_lost", "checks_started"]);
        driver.end_checks("t1", passes);
        assert_eq!(driver.place(), place);
    }
}

#[test]
fn checks_alone_prove_nothing_where_the_guard_could_not_look() {
    let mut driver = Driver::with_baseline(with_limits(|limits| limits.failures = 1), false);
    driver.lose_leaving(Left::default());
    driver.is(Status::Failed, Reason::FailureStreak);
    assert!(driver.state.work.ended.as_ref().is_some_and(|ended| ended.unseen));
}

/// What was cut short and is not gone on with, since a ceiling stands in the way, is judged as any iteration is.
#[test]
fn a_cheat_that_was_cut_short_is_judged_like_any_other_where_none_follows() {
    type Ends = fn(&mut Driver);
    let cases: [(&str, Ends); 3] = [
        ("overloaded, and its money is spent", |driver| {
            driver.state.config.limits.cost_microusd = Some(1_000_000);
            driver.end_attempt(AttemptEnd { guard: cheats("t1").guard, ..cut("t1", 3) });
        }),
        ("not logged in", |driver| {
            let snapshot = cheats("t1").snapshot;
            let guard = cheats("t1").guard;
            driver.end_attempt(AttemptEnd { snapshot, guard, ..refused(ErrorClass::Auth) });
        }),
        ("lost once too often", |driver| {
            driver.state.config.limits.failures = 1;
            driver.lose_leaving(left_cheating("t1"));
        }),
    ];
    for (what, ends) in cases {
        for mode in [GuardMode::Block, GuardMode::Ask, GuardMode::Report] {
            let mut driver = with_mode(mode);
            ends(&mut driver);
            let what = format!("{what}, {}", mode.as_str());
            assert!(matches!(driver.state.work.open, Some(Open::Checks(_))), "{what}: {}", driver.place());
            let restore = driver.state.work.restore.as_ref().map(|tree| tree.tree.as_str());
            assert_eq!(restore, (mode == GuardMode::Block).then_some("t0"), "{what}");
            driver.end_checks(if mode == GuardMode::Block { "t0" } else { "t1" }, false);
            let last = driver.state.judged.recent.back().expect("an iteration with its verdict");
            assert_eq!(
                (last.refused, last.doubted),
                (mode == GuardMode::Block, mode == GuardMode::Ask),
                "{what}"
            );
            assert_eq!(driver.state.judged.findings.len(), 1, "{what}: it is said");
            assert_eq!(driver.state.counters.refused, u32::from(mode == GuardMode::Block), "{what}");
            assert!(!driver.state.status.is_active() || mode == GuardMode::Ask, "{what}: {}", driver.place());
        }
    }
}

/// A round that puts back what was refused so late, and is stopped, is run again.
#[test]
fn what_is_judged_late_is_judged_although_its_round_is_stopped() {
    let mut driver = with_mode(GuardMode::Block);
    driver.state.config.limits.cost_microusd = Some(1_000_000);
    driver.end_attempt(AttemptEnd { guard: cheats("t1").guard, ..cut("t1", 3) });
    driver.request(stop(true, StopOrigin::Command));
    let round = cut_short(driver.open_round());
    driver.command(Command::EndChecks(Box::new(round)));
    driver.request(resume());
    driver.end_checks("t0", false);
    driver.is(Status::Stopped, Reason::LimitCost);
    assert!(driver.state.judged.recent.back().is_some_and(|last| last.refused));
}

/// A person who is asked whether to try again does not make what was left unjudged.
#[test]
fn an_answer_at_a_ceiling_judges_what_was_left_first() {
    let mut config = with_limits(|limits| limits.deadline = Some(Driver::red().now.plus_millis(MINUTE_MS)));
    config.on_lost = OnLost::Ask;
    let mut driver = Driver::with_baseline(config, false);
    driver.lose_leaving(left("t1"));
    driver.is(Status::Waiting, Reason::AttemptLost);
    driver.after(2 * MINUTE_MS).request(answer(1, Answer::Approve));
    driver.end_checks("t1", true);
    driver.is(Status::Completed, Reason::ChecksPass);
}

/// The base of a comparison is the last judged tree, whatever became of the attempts in between.
#[test]
fn what_nobody_judged_is_never_what_later_work_is_compared_with() {
    type Between = fn(&mut Driver);
    let cases: [(&str, Between); 4] = [
        ("lost", |driver| drop(driver.lose_leaving(left_cheating("t1")))),
        ("lost without a look", |driver| drop(driver.lose_leaving(Left::default()))),
        ("refused by its provider", |driver| {
            driver.end_attempt(cut("t1", 0));
            driver.after(MINUTE_MS).tick();
        }),
        ("not to be seen", |driver| {
            driver.end_attempt(AttemptEnd { snapshot: None, ..fails("t1") });
        }),
    ];
    for (what, comes_between) in cases {
        let mut driver = with_mode(GuardMode::Block);
        let base = |driver: &Driver| driver.state.work.before.as_ref().expect("a base").tree.clone();
        comes_between(&mut driver);
        driver.look("t1");
        assert_eq!(
            (driver.open_attempt(), driver.state.work.iteration),
            (2, 1),
            "{what}: the same iteration"
        );
        // Somebody edits a file besides, and the driver finds the tree changed before it starts the attempt.
        driver.command(Command::Observe(snapshot("t2")));
        assert_eq!(base(&driver), "t0", "{what}");
        driver.end_attempt(cheats("t2"));
        assert_eq!(driver.state.work.restore.as_ref().map(|tree| tree.tree.as_str()), Some("t0"), "{what}");
        driver.end_checks("t0", false);
        // What is edited where nothing was left is its editor's own.
        driver.command(Command::Observe(snapshot("t3")));
        assert_eq!((base(&driver), driver.state.work.iteration), ("t3".to_owned(), 2), "{what}");
    }
}

#[test]
fn an_attempt_that_nobody_could_look_at_is_not_judged_by_its_checks() {
    let mut driver = with_mode(GuardMode::Block);
    let events = driver.end_attempt(AttemptEnd { snapshot: None, ..works("t1") });
    assert_eq!(kinds(&events), ["attempt_finished", "attempt_started"]);
    let mut driver = with_mode(GuardMode::Off);
    driver.end_attempt(AttemptEnd { snapshot: None, ..works("t1") });
    assert!(matches!(driver.state.work.open, Some(Open::Checks(_))), "nobody was to look");
}

/// What a lost attempt changed counts, unless it is put back.
#[test]
fn what_a_lost_attempt_changed_is_counted_until_it_is_put_back() {
    for (policy, lines) in [(OnLost::Retry, 7), (OnLost::RestoreAndRetry, 0)] {
        let mut driver = Driver::with_baseline(LoopConfig { on_lost: policy, ..config() }, false);
        let change = Change { files: vec!["a.rs".to_owned()], files_total: 1, added: 7, ..Change::default() };
        driver.lose_leaving(Left { change: Some(change), ..left("t1") });
        assert_eq!(driver.state.counters.lines_changed, lines, "{policy:?}");
        assert_eq!(driver.state.seen.modified_files.is_empty(), lines == 0, "{policy:?}");
    }
}

/// No verdict is reused after an attempt ran: what checks said before it says nothing of the tree that it left.
#[test]
fn what_was_cut_short_is_looked_at_before_the_next_attempt_and_may_be_all_there_was() {
    type Cut = fn(&mut Driver);
    let cases: [(&str, Cut); 4] = [
        ("stopped", |driver| {
            driver.request(stop(true, StopOrigin::Command));
            driver.end_attempt(cancelled("t1"));
            assert_eq!(driver.state.unjudged_attempt(), Some(1));
            driver.request(resume());
        }),
        ("given up", |driver| {
            driver.request(Event::SkipRequested {});
            driver.end_attempt(cancelled("t1"));
        }),
        ("lost", |driver| drop(driver.lose_leaving(left("t1")))),
        ("refused by its provider", |driver| {
            driver.end_attempt(cut("t1", 0));
            driver.after(MINUTE_MS).tick();
        }),
    ];
    for (what, is_cut) in cases {
        for passes in [true, false] {
            let mut driver = Driver::red();
            is_cut(&mut driver);
            driver.end_checks("t1", passes);
            assert_eq!(driver.state.unjudged_attempt(), None, "{what}");
            match passes {
                true => driver.is(Status::Completed, Reason::ChecksPass),
                false => assert_eq!(driver.open_attempt(), 2, "{what}"),
            }
            assert_eq!(
                driver.state.counters.red_in_a_row,
                u32::from(what == "given up" && !passes),
                "{what}"
            );
        }
    }
}

/// A look that is stopped is taken again; one that somebody gives up is not.
#[test]
fn a_look_that_was_stopped_is_taken_again() {
    let stopped = || {
        let mut driver = Driver::red();
        driver.request(stop(true, StopOrigin::Command));
        driver.end_attempt(cancelled("t1"));
        driver.request(resume());
        driver
    };
    let mut driver = stopped();
    driver.request(stop(true, StopOrigin::Command));
    let round = cut_short(driver.open_round());
    driver.command(Command::EndChecks(Box::new(round)));
    driver.is(Status::Stopped, Reason::Human);
    driver.request(resume());
    driver.end_checks("t1", false);
    assert_eq!((driver.open_attempt(), driver.state.work.iteration), (2, 1));
    let mut driver = stopped();
    driver.request(Event::SkipRequested {});
    let round = cut_short(driver.open_round());
    driver.command(Command::EndChecks(Box::new(round)));
    assert_eq!((driver.open_attempt(), driver.state.work.iteration), (2, 2));
}
