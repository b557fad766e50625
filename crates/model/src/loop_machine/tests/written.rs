//! What checks wrote into the tree they judge.

use super::guard::with_mode;
use super::harness::{Driver, config, round, snapshot, works};
use crate::loop_machine::{
    CheckRound, Command, GuardMode, GuardReport, Made, Open, Rewritten, Worktree, Wrote, advance,
};
use crate::{Event, Reason, Status};

/// The open round ends with every check like this, and leaves `tree`, into which the checks wrote.
fn end_checks(driver: &mut Driver, tree: &str, passed: bool, wrote: Wrote) -> Vec<Event> {
    let round = CheckRound { wrote: Some(wrote), ..round(driver.open_round(), tree, passed) };
    driver.command(Command::EndChecks(Box::new(round)))
}

fn rewrites_a_test() -> Wrote {
    let written = Rewritten { path: "tests/a.py".to_owned(), check: Some("test".to_owned()) };
    Wrote { tests: vec![written], ..Wrote::default() }
}

fn formats() -> Wrote {
    Wrote { changed: vec!["a.py".to_owned()], guard: Some(GuardReport::default()), ..Wrote::default() }
}

#[test]
fn a_round_that_rewrites_a_test_counts_for_nothing() {
    for passed in [true, false] {
        let mut driver = with_mode(GuardMode::Block);
        driver.end_attempt(works("t1"));
        end_checks(&mut driver, "t2", passed, rewrites_a_test());
        assert_eq!(driver.state.work.restore.as_ref().map(|tree| tree.tree.as_str()), Some("t0"));
        assert_eq!(
            driver.state.seen.checks.as_ref().map(|round| round.number),
            Some(1),
            "those of the baseline"
        );
        driver.end_checks("t0", false);
        let last = driver.state.judged.recent.back().unwrap();
        assert!(last.refused);
        assert_eq!(last.snapshot.as_ref().unwrap().tree, "t2", "what was refused can be looked at");
        let found = &driver.state.judged.findings[0].finding;
        assert!(
            found.sentence().contains("`tests/a.py` was written while the check `test` ran"),
            "{found:?}"
        );
        driver.is(Status::Running, None);
    }
}

#[test]
fn where_a_person_decides_it_is_asked_and_where_it_is_only_reported_it_is_said() {
    for (mode, status, found) in [
        (GuardMode::Ask, Status::Waiting, 1),
        (GuardMode::Report, Status::Completed, 1),
        (GuardMode::Off, Status::Completed, 0),
    ] {
        let mut driver = with_mode(mode);
        driver.end_attempt(works("t1"));
        end_checks(&mut driver, "t2", true, rewrites_a_test());
        assert_eq!(
            (driver.state.status, driver.state.judged.findings.len()),
            (status, found),
            "{}",
            mode.as_str()
        );
    }
}

#[test]
fn what_checks_changed_is_checked_once_more_where_they_pass() {
    let mut driver = with_mode(GuardMode::Block);
    driver.end_attempt(works("t1"));
    end_checks(&mut driver, "t2", true, formats());
    assert!(matches!(driver.state.work.open, Some(Open::Checks(3))), "{}", driver.place());
    driver.end_checks("t2", true);
    driver.is(Status::Completed, Reason::ChecksPass);
    // Only once: a check that never leaves a file alone is put back by whoever runs it, and the round counts.
    let mut driver = with_mode(GuardMode::Block);
    driver.end_attempt(works("t1"));
    end_checks(&mut driver, "t2", true, formats());
    end_checks(&mut driver, "t3", true, formats());
    driver.is(Status::Completed, Reason::ChecksPass);
    // Red is red.
    let mut driver = with_mode(GuardMode::Block);
    driver.end_attempt(works("t1"));
    end_checks(&mut driver, "t2", false, formats());
    assert_eq!((driver.open_attempt(), driver.state.counters.iterations), (2, 1));
    assert_eq!(driver.state.work.before.as_ref().unwrap().tree, "t2");
}

#[test]
fn what_the_baseline_wrote_is_held_against_nobody() {
    let mut driver = Driver::begun(config());
    end_checks(&mut driver, "t0", false, rewrites_a_test());
    assert_eq!((driver.open_attempt(), driver.state.judged.findings.len()), (1, 0));
}

#[test]
fn what_checks_made_is_known_by_its_last_content() {
    let made = |id: &str| Wrote {
        made: vec![Made { path: "out/a".to_owned(), id: Some(id.to_owned()) }],
        ..Wrote::default()
    };
    let worktree = Worktree { path: "tree".to_owned(), branch: "piton/r".to_owned(), ..Worktree::default() };
    let mut driver = Driver::begun(crate::loop_machine::LoopConfig { worktree: Some(worktree), ..config() });
    driver.end_checks("t0", false);
    driver.end_attempt(works("t1"));
    end_checks(&mut driver, "t2", false, made("one"));
    driver.end_attempt(works("t3"));
    end_checks(&mut driver, "t4", true, made("two"));
    assert_eq!(driver.state.seen.made, made("two").made);
    assert!(matches!(driver.state.work.open, Some(Open::Commit(_))), "nothing is run twice for it");
    let uncommitted =
        crate::loop_machine::Uncommitted { made: vec!["out/a".to_owned()], ..Default::default() };
    driver.command(Command::EndCommit { commit: None, found_on: None, uncommitted: uncommitted.clone() });
    assert_eq!(driver.state.seen.uncommitted, uncommitted);
}

/// A tree that somebody found before the round is where the round begins.
#[test]
fn what_somebody_edited_before_a_round_is_no_work_of_the_checks() {
    let mut driver = with_mode(GuardMode::Block);
    driver.end_attempt(works("t1"));
    let (events, _) = advance(&driver.state, Command::Observe(snapshot("t2")), driver.now).unwrap();
    assert_eq!(events, [Event::SnapshotTaken { snapshot: snapshot("t2"), base: false, before: None }]);
}
