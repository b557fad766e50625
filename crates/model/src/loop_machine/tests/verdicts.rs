//! Verdicts are facts: made once, on record with the policy they were made by, and only copied by the fold.

use super::harness::{Driver, cancelled, config, fails, refused, works};
use crate::loop_machine::judge;
use crate::loop_machine::*;
use crate::{Effect, Event, Reason, RunEvent};

/// What a fold must not mention: whoever judges is asked by `decide` alone.
const JUDGES: [&str; 12] = [
    "judge",
    "policy",
    "regressions(",
    "decide_reboot",
    "is_degraded",
    "config.thresholds",
    "config.guard",
    "config.reboot",
    "config.redline",
    "config.progress",
    "config.quality",
    "config.recovery",
];

#[test]
fn no_fold_asks_a_judge() {
    let sources = [
        include_str!("../apply/mod.rs"),
        include_str!("../apply/attempt.rs"),
        include_str!("../apply/hooks.rs"),
        include_str!("../apply/iteration.rs"),
        include_str!("../apply/people.rs"),
        include_str!("../apply/recovery.rs"),
        include_str!("../apply/sessions.rs"),
        include_str!("../../workflow/apply.rs"),
        include_str!("../../workflow/finish.rs"),
        include_str!("../../ledger_machine/apply.rs"),
    ];
    for source in sources {
        for line in source.lines().map(str::trim_start).filter(|line| !line.starts_with("//")) {
            let named = JUDGES.iter().find(|judge| line.contains(**judge));
            // The part of the state that holds verdicts has nearly the same name.
            let line = line.replace("judged", "").replace("Judged", "");
            assert!(named.is_none_or(|judge| !line.contains(judge)), "`{line}` names {named:?}");
        }
    }
}

#[test]
fn an_outcome_and_its_verdict_leave_together() {
    let mut driver = Driver::red();
    driver.end_attempt(works("t1"));
    let events = driver.end_checks("t1", false);
    let kinds = super::harness::kinds(&events);
    assert_eq!(kinds[..3], ["checks_finished", "iteration_concluded", "attempt_started"]);
    let Event::IterationConcluded { conclusion } = &events[1] else { panic!("{events:?}") };
    assert_eq!((conclusion.iteration, conclusion.verdict), (1, IterationVerdict::Kept));
    assert!(conclusion.progress.made && conclusion.best && conclusion.changed);
    assert_eq!(conclusion.quality.map(|quality| quality.score), Some(0.0));
}

#[test]
fn the_policy_is_on_record_with_every_default_filled_in() {
    let driver = Driver::created(config());
    let encoded = driver.journal[0].encode();
    let data: serde_json::Value = serde_json::from_slice(&encoded.data).unwrap();
    for (path, value) in [
        ("/config/progress/weights/build_fixed", 0.5),
        ("/config/progress/score_min", 0.1),
        ("/config/quality/weights/0", 0.3),
        ("/config/thresholds/coverage", 2.0),
        ("/config/reinforcement/plateau_iterations", 3.0),
        ("/config/recovery/stuck_iterations", 5.0),
        ("/config/backoff/rate_limit_ms", 60_000.0),
        ("/config/redline/redline_percent", 85.0),
        ("/config/reboot/per_hour_max", 10.0),
    ] {
        assert_eq!(data.pointer(path).and_then(serde_json::Value::as_f64), Some(value), "{path}");
    }
}

fn on_a_branch() -> LoopConfig {
    let worktree = Worktree { path: "tree".to_owned(), branch: "piton/r".to_owned(), ..Worktree::default() };
    LoopConfig { worktree: Some(worktree), until: vec![stop::until(stop::Done {})], ..config() }
}

#[test]
fn a_green_iteration_is_committed_after_its_verdict_and_once() {
    let mut driver = Driver::with_baseline(on_a_branch(), true);
    let events = driver.iterate(works("t1"), true);
    let kinds = super::harness::kinds(&events);
    let place = |kind: &str| kinds.iter().position(|found| found == kind).unwrap();
    assert!(place("iteration_concluded") < place("commit_started"), "{kinds:?}");
    // A driver that takes over finds the same commit open.
    let open = driver.state.effects();
    driver.drive(2);
    assert_eq!(driver.state.effects(), open);
    assert!(matches!(&open[..], [Effect::Commit(commit)] if commit.iteration == 1 && commit.tree == "t1"));
    driver.command(Command::EndCommit {
        commit: Some("c1".to_owned()),
        found_on: None,
        uncommitted: Default::default(),
    });
    assert_eq!((driver.state.seen.commits, driver.state.judged.recent[0].commit.as_deref()), (1, Some("c1")));
    assert_eq!(driver.open_attempt(), 2);
    driver.iterate(works("t1"), true);
    assert_eq!(driver.count("commit_started"), 1, "there is nothing new");
}

#[test]
fn what_is_red_or_was_there_from_the_start_is_not_committed() {
    let mut driver = Driver::with_baseline(on_a_branch(), true);
    driver.iterate(works("t1"), false);
    driver.iterate(works("t0"), true);
    assert_eq!(driver.count("commit_started"), 0);
}

#[test]
fn what_follows_from_how_an_attempt_ended() {
    let driver = Driver::red();
    let outcome = |outcome| AttemptEnd { outcome, ..works("t1") };
    for (end, next, counts, hold) in [
        (works("t1"), Next::Checks, true, None),
        (fails("t1"), Next::Checks, true, None),
        (outcome(AttemptOutcome::TimedOut), Next::Checks, true, None),
        (outcome(AttemptOutcome::Hung), Next::Checks, true, None),
        (cancelled("t1"), Next::Attempt, false, None),
        (outcome(AttemptOutcome::NotStartable), Next::Attempt, false, Some(Reason::Environment)),
        (refused(ErrorClass::RateLimit), Next::Attempt, false, Some(Reason::RateLimit)),
        (refused(ErrorClass::Overloaded), Next::Attempt, false, Some(Reason::Overloaded)),
        (refused(ErrorClass::Auth), Next::Attempt, false, Some(Reason::Auth)),
        (refused(ErrorClass::Permission), Next::Attempt, false, Some(Reason::Environment)),
        (refused(ErrorClass::ContextFull), Next::Checks, true, None),
        (refused(ErrorClass::Crash), Next::Checks, true, None),
    ] {
        let (ruling, then) = judge::attempt(&driver.state, &end, driver.now);
        assert_eq!((ruling.next, ruling.counts, ruling.hold), (next, counts, hold), "{end:?}");
        assert_eq!(then, None, "a session of one iteration has nobody to give way to");
    }
}

#[test]
fn what_follows_from_an_answer() {
    use Answer::{Abort, Approve, Reject};
    use QuestionKind::{AfterIteration, AttemptLost, BeforeIteration, Blocked, Guard, Reboot, Stuck};
    let driver = Driver::red();
    for (kind, answer, consequence, tells) in [
        (Blocked, Approve, Consequence::GoOn, false),
        (Blocked, Reject, Consequence::GoOn, true),
        (Blocked, Abort, Consequence::Stop, false),
        (AttemptLost, Approve, Consequence::GoOn, false),
        (AttemptLost, Reject, Consequence::Stop, false),
        (BeforeIteration, Reject, Consequence::LeaveOut, false),
        (AfterIteration, Approve, Consequence::GoOn, false),
        (AfterIteration, Reject, Consequence::PutBack { refused: false, succeeded: false }, true),
        // Nothing is doubted here: the guard's question is whether to go on at all.
        (Guard, Approve, Consequence::GoOn, false),
        (Guard, Reject, Consequence::Stop, false),
        (Stuck, Approve, Consequence::GoOn, false),
        (Stuck, Reject, Consequence::Stop, false),
        (Reboot, Reject, Consequence::StayInSession, false),
        (Reboot, Abort, Consequence::Stop, false),
    ] {
        let (text, digest, since) = (String::new(), String::new(), driver.now);
        let question = Question { number: 1, kind, text, digest, since };
        let closed = judge::answer(&driver.state, &question, answer, None);
        let Event::QuestionClosed { consequence: found, tell, .. } = closed else { panic!("{closed:?}") };
        assert_eq!((found, tell.is_some()), (consequence, tells), "{kind:?} {answer:?}");
    }
}

/// A loop whose agent keeps one session, and asks a person before it is left.
fn asks_before_a_reboot() -> Driver {
    let mut config = config();
    config.session = SessionPolicy::Continue;
    config.agent.sessions.resume = vec!["--resume".to_owned()];
    config.reboot.confirm = true;
    Driver::with_baseline(config, false)
}

fn full(tree: &str) -> AttemptEnd {
    let report =
        Report { session_id: Some("s1".to_owned()), context_usage_percent: Some(93), ..Report::default() };
    AttemptEnd { report: Some(report), ..works(tree) }
}

#[test]
fn a_person_can_be_asked_before_a_session_is_left() {
    for (said, spent, reboots) in [(Answer::Approve, true, 1), (Answer::Reject, false, 0)] {
        let mut driver = asks_before_a_reboot();
        driver.iterate(full("t1"), false);
        assert_eq!(driver.state.people.questions[0].kind, QuestionKind::Reboot);
        assert!(driver.state.people.questions[0].text.contains("93 % full"));
        driver.is(crate::Status::Waiting, Reason::Attended);
        driver.request(super::harness::answer(1, said));
        let (state, attempt) = (&driver.state, driver.open_attempt());
        assert_eq!((attempt, state.session.spent, state.counters.reboots), (2, spent, reboots));
        driver.is(crate::Status::Running, None);
    }
}

#[test]
fn that_no_fresh_session_is_proposed_any_more_is_on_record_once() {
    let mut driver = asks_before_a_reboot();
    for number in 1..=5 {
        driver.iterate(full(&format!("t{number}")), false);
        let question = driver.state.people.questions.first().map(|question| question.number);
        assert_eq!(question, (number <= 3).then_some(number));
        question.map(|question| driver.request(super::harness::answer(question, Answer::Reject)));
        driver.after(600_000);
    }
    assert_eq!((driver.count("reboots_given_up"), driver.state.session.given_up), (1, Some(3)));
    driver.request(Event::RebootRequested {});
    driver.iterate(full("t6"), false);
    assert_eq!(driver.state.session.given_up, None, "a person wants one all the same");
}

#[test]
fn where_no_attempt_follows_nobody_is_asked_about_a_fresh_session() {
    let mut driver = asks_before_a_reboot();
    driver.iterate(full("t1"), true);
    driver.is(crate::Status::Completed, Reason::ChecksPass);
    let mut driver = asks_before_a_reboot();
    driver.state.config.limits.iterations = 1;
    driver.iterate(full("t1"), false);
    driver.is(crate::Status::Stopped, Reason::LimitIterations);
    let raise = Raise { iterations: Some(2), ..Raise::default() };
    driver.request(Event::ResumeRequested { raise });
    assert_eq!(driver.state.people.questions[0].kind, QuestionKind::Reboot, "and then one follows");
}

#[test]
fn a_fresh_session_counts_once_it_is_begun_and_once() {
    let mut driver = asks_before_a_reboot();
    (driver.state.config.reboot.confirm, driver.state.config.limits.reboots) = (false, Some(1));
    driver.end_attempt(full("t1"));
    assert_eq!(driver.state.counters.reboots, 0, "it is due");
    driver.end_checks("t1", false);
    assert_eq!((driver.open_attempt(), driver.state.counters.reboots), (2, 1));
    driver.end_attempt(super::harness::cancelled("t1"));
    driver.look("t1");
    assert_eq!(
        (driver.open_attempt(), driver.state.counters.reboots),
        (3, 1),
        "begun again, not another one"
    );
    driver.state.config.reboot.interval_ms_min = 0;
    let session_id = Some("s2".to_owned());
    let report = Report { session_id, context_usage_percent: Some(93), ..Report::default() };
    driver.iterate(AttemptEnd { report: Some(report), ..works("t2") }, false);
    driver.is(crate::Status::Stopped, Reason::LimitReboots);
    assert_eq!(driver.state.counters.reboots, 1, "the second was not begun");
}

#[test]
fn an_attempt_that_finds_its_session_full_worked_in_it() {
    let mut driver = asks_before_a_reboot();
    driver.state.config.reboot.confirm = false;
    let named = Report { session_id: Some("s1".to_owned()), ..Report::default() };
    driver.iterate(AttemptEnd { report: Some(named), ..works("t1") }, false);
    let full = Report { error_class: Some(ErrorClass::ContextFull), ..Report::default() };
    driver.iterate(AttemptEnd { report: Some(full), ..super::harness::fails("t2") }, false);
    driver.iterate(works("t3"), false);
    let left = driver.state.session.history.back().expect("it was left");
    assert_eq!((left.session_id.as_str(), left.iterations), ("s1", 2));
}

#[test]
fn a_run_is_rebooting_from_the_verdict_to_the_next_attempt() {
    let mut driver = asks_before_a_reboot();
    driver.state.config.reboot.confirm = false;
    driver.end_attempt(full("t1"));
    driver.is(crate::Status::Rebooting, None);
    driver.end_checks("t1", false);
    driver.is(crate::Status::Running, None);
    assert_eq!(driver.open_attempt(), 2);
}

#[test]
fn where_an_agent_does_not_say_how_full_its_context_is_it_is_estimated() {
    let mut driver = asks_before_a_reboot();
    driver.state.config.reboot.confirm = false;
    let said = |bytes| {
        let report = Report { session_id: Some("s1".to_owned()), ..Report::default() };
        AttemptEnd { report: Some(report), said_bytes: Some(bytes), ..works("t1") }
    };
    driver.end_attempt(said(200_000));
    assert_eq!(driver.state.session.samples.back().map(|sample| sample.percent), Some(50));
    driver.end_checks("t1", false);
    driver.end_attempt(AttemptEnd { snapshot: Some(super::harness::snapshot("t2")), ..said(150_000) });
    assert_eq!(driver.state.session.handoff, Some(RebootReason::Redline { usage: 87 }));
}

#[test]
fn what_counts_as_progress_is_a_policy_of_the_run() {
    for (strategy, made) in [
        (progress::Strategy::Combined, true),
        (progress::Strategy::TestResults, false),
        (progress::Strategy::CustomMarkers, false),
    ] {
        let mut config = config();
        config.progress.strategy = strategy;
        let mut driver = Driver::with_baseline(config, false);
        driver.iterate(works("t1"), false);
        assert_eq!(driver.state.judged.recent[0].progress, made, "{strategy:?}");
    }
    let mut config = config();
    config.progress.strategy = progress::Strategy::CustomMarkers;
    config.progress.markers = vec!["STEP:".to_owned()];
    let mut driver = Driver::with_baseline(config, false);
    let report = Report { summary: Some("STEP: parsed".to_owned()), ..Report::default() };
    driver.iterate(AttemptEnd { report: Some(report), ..works("t0") }, false);
    assert!(driver.state.judged.recent[0].progress);
}
