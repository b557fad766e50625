//! Who hears what and waits for whom, and what it means that a cycle goes on: what only shows when things overlap.

use super::harness::{Driver, config, ended, rate_limited, said, snapshot};
use crate::cycle::limits::EXTENSIONS_WAITING_MAX;
use crate::cycle::*;
use crate::event::StopOrigin;
use crate::loop_machine::{AttemptOutcome, Place, Raise};
use crate::{Reason, Status, Timestamp};

fn tell(role: &str, content: &str) -> CycleEvent {
    CycleEvent::FeedbackAdded {
        source: "user".to_owned(),
        target: role.into(),
        content: content.to_owned(),
        kind: FeedbackKind::Clarification,
    }
}

fn hears(driver: &Driver, role: &str) -> Vec<String> {
    let at = driver.state.role(&role.into()).expect("a role");
    at.hears().map(|entry| entry.content.clone()).collect()
}

fn resume() -> CycleEvent {
    CycleEvent::ResumeRequested { raise: Raise::default() }
}

fn edit(signal: Signal) -> Command {
    let edited = Edited { signal: Some(signal), word: None, kept_at: None, fields: Vec::new() };
    Command::TakeEdit { edited, digest: signal.as_str().to_owned() }
}

/// A role that cannot go on without whom it tells.
fn blocked() -> RoleEnd {
    let mut end = said(PhaseStatus::Blocked);
    end.handed_in.blockers.push("what is a user".to_owned());
    end
}

/// The first two wait for nobody and ask each other.
fn side_by_side() -> Config {
    let mut config = config();
    config.roles[1].after.clear();
    config.roles[0].feedback_to = vec!["ep".into()];
    config
}

#[test]
fn what_a_role_is_told_while_it_works_is_in_its_next_prompt() {
    let mut driver = Driver::new();
    driver.request(tell("ra", "late"));
    assert!(hears(&driver, "ra").is_empty(), "its prompt was written before");
    driver.done("ra");
    driver.done("ep");
    driver.built("cd", "one");
    driver.checked(true);
    driver.end("vas", said(PhaseStatus::Partial));
    driver.request(CycleEvent::ExtensionRequested { text: "more".to_owned(), raise: Raise::default() });
    driver.iteration("two", true);
    assert_eq!(hears(&driver, "ra"), ["late", "more"]);
    driver.done("ra");
    assert!(hears(&driver, "ra").is_empty(), "and only there");
}

#[test]
fn a_role_that_asked_waits_for_the_answer_though_nobody_in_between_has_anything_to_do() {
    let mut driver = Driver::new();
    driver.iteration("one", false);
    assert_eq!(driver.at_work(), ["cd"], "the second iteration begins with who can mend it");
    driver.end("cd", blocked());
    assert_eq!(driver.at_work(), ["ra"]);
    let limited = RoleEnd { hold: rate_limited(), ..ended(AttemptOutcome::Failed) };
    driver.end("ra", limited);
    assert!(driver.at_work().is_empty(), "nobody goes on before it is asked again");
    driver.after(60_000);
    assert_eq!(driver.at_work(), ["ra"]);
    driver.done("ra");
    assert_eq!(driver.at_work(), ["cd"]);
}

#[test]
fn one_that_is_asked_while_it_works_has_another_turn() {
    let mut driver = Driver::with(side_by_side());
    assert_eq!(driver.at_work(), ["ra", "ep"]);
    driver.end("ra", blocked());
    assert_eq!(driver.at_work(), ["ep"], "whoever asked waits");
    driver.done("ep");
    assert_eq!(driver.at_work(), ["ra", "ep"], "it answered with what it had, and now hears the question");
    assert_eq!(hears(&driver, "ep"), ["what is a user"]);
}

#[test]
fn two_that_ask_each_other_do_not_wait_for_ever() {
    let mut driver = Driver::with(side_by_side());
    driver.end("ra", blocked());
    driver.end("ep", said(PhaseStatus::Blocked));
    assert_eq!(driver.at_work(), ["ra"], "a question is an answer, too");
    driver.done("ra");
    assert_eq!(driver.at_work(), ["ep"]);
}

#[test]
fn whoever_worked_after_one_that_is_asked_works_again_though_it_said_nothing() {
    let mut driver = Driver::new();
    driver.done("ra");
    driver.end("ep", ended(AttemptOutcome::Succeeded));
    driver.end("cd", blocked());
    assert_eq!(driver.at_work(), ["ra"]);
    driver.done("ra");
    assert_eq!(driver.at_work(), ["ep"]);
}

#[test]
fn what_a_role_at_work_wrote_is_not_what_the_iteration_is_compared_with() {
    let mut driver = Driver::with(side_by_side());
    driver.command(Command::Observe(snapshot("start")));
    let before = driver.state.current.before.clone();
    driver.command(Command::Observe(snapshot("half")));
    assert_eq!(driver.state.current.before, before);
    assert_eq!(driver.state.seen, Some(snapshot("half")));
}

#[test]
fn an_attempt_that_never_started_leaves_what_is_to_be_put_back() {
    let mut driver = Driver::new();
    let attempt = driver.open("ra");
    driver.state.roles[0].open.as_mut().expect("open").restore = Some("commit-start".to_owned());
    driver.command(Command::AbandonAttempt { attempt });
    let open = driver.state.roles[0].open.as_ref().expect("it is tried again");
    assert_eq!(open.restore.as_deref(), Some("commit-start"));
}

#[test]
fn going_on_in_the_middle_of_an_iteration_confirms_nothing() {
    let mut driver = Driver::with(Config { confirm: true, ..config() });
    driver.request(CycleEvent::PauseRequested {});
    driver.done("ra");
    driver.request(resume());
    driver.iteration("one", false);
    driver.is(Status::Paused);
    assert_eq!(driver.state.reason, Some(Reason::Attended));
}

#[test]
fn a_resume_while_an_attempt_is_open_gives_no_try_more() {
    let mut driver = Driver::new();
    driver.request(resume());
    for _ in 0..limits::TRIES_MAX {
        driver.end("ra", ended(AttemptOutcome::Failed));
    }
    driver.is(Status::Failed);
}

#[test]
fn what_reached_its_goal_goes_on_only_for_something_more() {
    let mut driver = Driver::new();
    driver.iteration("one", true);
    driver.is(Status::Completed);
    assert!(driver.request(resume()).is_empty());
    assert!(driver.drive().is_empty(), "nobody needs to drive it");
    driver.is(Status::Completed);
}

#[test]
fn an_edit_means_what_the_command_means() {
    let mut driver = Driver::new();
    driver.request(CycleEvent::PauseRequested {});
    driver.done("ra");
    driver.fold(resume());
    driver.command(edit(Signal::Pause));
    driver.is(Status::Paused);
    driver.request(resume());
    driver.request(CycleEvent::StopRequested { now: true, origin: StopOrigin::Command });
    driver.command(edit(Signal::Stop));
    assert_eq!(driver.state.requests.stop, Some((true, StopOrigin::Command)), "now stays now");
}

#[test]
fn nobody_is_woken_for_a_role_that_could_not_begin() {
    let mut driver = Driver::with(side_by_side());
    driver.end("ra", RoleEnd { hold: rate_limited(), ..ended(AttemptOutcome::Failed) });
    let again = driver.state.roles[0].not_before.expect("it is asked again later");
    let wakes = |driver: &Driver| driver.state.effects().contains(&Effect::Timer(again));
    driver.state.config.limits.attempt_ms = 3_600_000;
    assert!(wakes(&driver));
    driver.fold(CycleEvent::PauseRequested {});
    assert!(!wakes(&driver), "what is open is waited for, and nothing begins");
}

#[test]
fn the_best_by_verdict_is_the_best_again_once_a_choice_is_taken_back() {
    let mut driver = Driver::new();
    driver.command(Command::Observe(snapshot("start")));
    driver.iteration("one", false);
    driver.iteration("two", true);
    assert_eq!(driver.state.best, Some(2));
    let choose = |iteration| CycleEvent::BestChosen { iteration, reason: "it reads better".to_owned() };
    driver.request(choose(1));
    assert_eq!(driver.state.best, Some(1));
    driver.request(choose(0));
    assert_eq!(driver.state.best, Some(2));
}

#[test]
fn an_extension_that_would_be_dropped_is_refused() {
    let mut config = config();
    config.limits.iterations = 100;
    let mut driver = Driver::with(config);
    let extend = || CycleEvent::ExtensionRequested { text: "more".to_owned(), raise: Raise::default() };
    for _ in 0..EXTENSIONS_WAITING_MAX {
        assert!(admit(&driver.state, &extend()).is_ok());
        driver.request(extend());
    }
    assert!(admit(&driver.state, &extend()).is_err());
}

#[test]
fn an_import_with_no_iteration_left_stops_until_the_limit_is_raised() {
    let imported = Imported { iteration: 3, ..Imported::default() };
    let run = "cycle-1".parse().expect("an id");
    let created =
        create(Order { run, config: config(), imported: Some(imported), base: None }).expect("a sound order");
    let now = Timestamp::from_millis(1_771_157_000_000);
    let state = apply(None, &created, now).expect("a run begins with its creation");
    let mut driver = Driver { state, now, journal: vec![created], measures: Default::default() };
    let place = Place { host: "host".to_owned(), boot: "boot".to_owned(), pid: 7 };
    driver.command(Command::Drive { epoch: 1, place, version: "0.1.0".to_owned() });
    driver.is(Status::Stopped);
    assert_eq!(driver.state.reason, Some(Reason::LimitIterations));
    let raise = Raise { iterations: Some(4), ..Raise::default() };
    driver.request(CycleEvent::ResumeRequested { raise });
    assert_eq!((driver.state.iteration, driver.at_work()), (4, vec!["ra".to_owned()]));
}
