//! What an iteration comes to, and what follows.

use super::harness::{Driver, config, ended, said, snapshot};
use crate::cycle::*;
use crate::loop_machine::{AttemptOutcome, CheckRound, Limits, Raise, Wrote};
use crate::machine::Machine;
use crate::{ExitCode, Reason, Status};

#[test]
fn red_checks_begin_the_next_iteration_with_who_can_mend_them() {
    let mut driver = Driver::new();
    driver.iteration("one", false);
    driver.is(Status::Running);
    assert_eq!((driver.state.iteration, driver.at_work()), (2, vec!["cd".to_owned()]));
    let report = driver.state.feedback.recent.back().unwrap();
    assert_eq!(
        (report.source.as_str(), report.target.as_str(), report.kind),
        ("vas", "cd", FeedbackKind::BugReport)
    );
    assert!(report.content.contains("boom"), "it holds what the check printed");
    assert_eq!(driver.state.iterations[0].issues, ["check `test` fails with 1"]);
    driver.iteration("two", true);
    driver.is(Status::Completed);
    assert_eq!(driver.state.best, Some(2));
    assert_eq!(driver.state.roles[0].iterations_completed, 1, "the analyst had nothing to do");
    assert_eq!(driver.state.roles[2].iterations_completed, 2);
}

#[test]
fn never_completed_with_failing_checks_whatever_the_roles_say() {
    let mut driver = Driver::new();
    for tree in ["one", "two", "three"] {
        driver.iteration(tree, false);
    }
    driver.is(Status::Failed);
    assert_eq!(driver.state.reason, Some(Reason::LimitIterations));
    let why = driver.state.detail.as_deref().unwrap();
    assert!(why.contains("check `test` fails"), "{why}");
    assert_eq!(driver.state.entry().exit_code(), Some(ExitCode::Limit));
    assert_eq!(driver.state.ended_at, Some(driver.now));
}

#[test]
fn what_a_validator_finds_counts_though_the_checks_are_green() {
    for (status, critical) in [(PhaseStatus::Failed, None), (PhaseStatus::Completed, Some("2"))] {
        let mut driver = Driver::new();
        driver.done("ra");
        driver.done("ep");
        driver.built("cd", "one");
        driver.checked(true);
        let mut end = said(status);
        let fields = critical.map(|count| ("critical_issues".to_owned(), count.to_owned()));
        end.handed_in.result.as_mut().unwrap().fields.extend(fields);
        driver.end("vas", end);
        assert_eq!((driver.state.iteration, driver.at_work()), (2, vec!["cd".to_owned()]));
        assert!(driver.state.iterations[0].issues[0].contains("finds that not all is well"));
        let expected = if critical.is_some() { PhaseStatus::Partial } else { status };
        assert_eq!(driver.state.iterations[0].agent_results[&"vas".into()].status, expected);
    }
}

#[test]
fn a_validator_that_is_not_understood_has_not_said_yes() {
    for end in [ended(AttemptOutcome::Succeeded), said(PhaseStatus::Unknown), said(PhaseStatus::Pending)] {
        let mut driver = Driver::new();
        for role in ["ra", "ep"] {
            driver.end(role, end.clone());
        }
        driver.end("cd", RoleEnd { snapshot: Some(snapshot("one")), ..end.clone() });
        driver.checked(true);
        driver.end("vas", end.clone());
        assert!(driver.state.iterations[0].issues[0].contains("does not say what it found"), "{end:?}");
        assert_eq!((driver.state.iteration, driver.state.checking), (2, Some(2)), "it alone looks again");
        driver.checked(true);
        let told = &driver.state.role(&"vas".into()).unwrap().told;
        assert!(told.iter().any(|entry| entry.content.contains("PHASE_RESULT")), "{told:?}");
        driver.done("vas");
        driver.is(Status::Completed);
    }
}

#[test]
fn a_validator_that_is_never_understood_ends_with_the_iterations() {
    let mut driver = Driver::new();
    driver.done("ra");
    driver.done("ep");
    driver.built("cd", "one");
    for _ in 0..3 {
        driver.checked(true);
        driver.end("vas", ended(AttemptOutcome::Succeeded));
    }
    driver.is(Status::Failed);
    assert_eq!(driver.state.reason, Some(Reason::LimitIterations));
}

#[test]
fn files_that_changed_while_checks_ran_are_named_with_the_way_back() {
    let mut driver = Driver::new();
    driver.done("ra");
    driver.done("ep");
    driver.built("cd", "one");
    let wrote = Wrote {
        left: Some(snapshot("left")),
        put_back: vec!["README".to_owned(), "a b's".to_owned()],
        ..Wrote::default()
    };
    let round = CheckRound {
        snapshot: driver.state.seen.clone(),
        wrote: Some(wrote),
        ..CheckRound::of_nothing(driver.state.checking.unwrap())
    };
    driver.command(Command::EndChecks { round: Box::new(round), failed: Vec::new() });
    let told = &driver.state.phase_errors.recent.back().expect("it is told").error;
    assert!(told.contains(r"`git restore --source=commit-left -- README 'a b'\''s'`"), "{told}");
}

#[test]
fn a_tree_that_changed_after_the_checks_is_judged_again_before_the_verdict() {
    let mut driver = Driver::new();
    driver.done("ra");
    driver.done("ep");
    driver.built("cd", "one");
    driver.checked(true);
    driver.built("vas", "two");
    assert_eq!(driver.state.checking, Some(2));
    assert_eq!(driver.state.phase, Phase::Aggregation);
    driver.checked(false);
    assert_eq!(driver.state.iteration, 2);
}

#[test]
fn iterations_that_change_nothing_end_the_cycle_before_they_cost_all_it_has() {
    let mut config = config();
    config.limits = Limits { iterations: 50, no_progress: 2, ..config.limits };
    let mut driver = Driver::with(config);
    driver.command(Command::Observe(super::harness::snapshot("start")));
    driver.iteration("one", false);
    for _ in 0..2 {
        driver.iteration("one", false);
    }
    driver.is(Status::Stopped);
    assert_eq!(driver.state.reason, Some(Reason::NoProgress));
    assert_eq!(driver.state.iteration, 3);
    let verdicts: Vec<_> = driver.state.iterations.iter().filter_map(|record| record.verdict).collect();
    let goes_on = IterationVerdict::GoesOn;
    assert_eq!(verdicts, [goes_on, goes_on, IterationVerdict::NoProgress]);
}

#[test]
fn an_extension_reopens_a_completed_cycle_with_everybody() {
    let mut driver = Driver::new();
    driver.iteration("one", true);
    driver.is(Status::Completed);
    let text = "Also add multi-factor authentication".to_owned();
    driver.request(CycleEvent::ExtensionRequested { text: text.clone(), raise: Raise::default() });
    assert_eq!((driver.state.iteration, driver.at_work()), (2, vec!["ra".to_owned()]));
    assert_eq!(driver.state.current.version, "1.1.0");
    assert_eq!(driver.state.task_history, ["Implement OAuth authentication", text.as_str()]);
    let description = "Add OAuth2 login support\n\n--- ITERATION 2 ---\nAlso add multi-factor authentication";
    assert_eq!(driver.state.description, description);
    let entry = driver.state.feedback.recent.back().unwrap();
    assert_eq!((entry.source.as_str(), entry.target.as_str()), ("user", "ra"));
    assert_eq!((entry.kind, entry.content.as_str()), (FeedbackKind::RequirementUpdate, text.as_str()));
    assert_eq!(driver.state.iterations[1].extension.as_deref(), Some(text.as_str()));
    assert!(driver.state.ended_at.is_none());
}

#[test]
fn an_extension_while_it_works_waits_for_the_verdict() {
    let mut driver = Driver::new();
    driver.request(CycleEvent::ExtensionRequested { text: "more".to_owned(), raise: Raise::default() });
    assert_eq!(driver.state.iteration, 1);
    driver.iteration("one", false);
    assert_eq!((driver.state.iteration, driver.at_work()), (2, vec!["ra".to_owned()]));
    assert!(!driver.state.roles[2].told.is_empty(), "who has something to mend is told all the same");
}

#[test]
fn at_the_limit_going_on_needs_a_raise() {
    let mut driver = Driver::new();
    for tree in ["one", "two", "three"] {
        driver.iteration(tree, false);
    }
    let resume = |iterations| CycleEvent::ResumeRequested { raise: Raise { iterations, ..Raise::default() } };
    let refused = admit(&driver.state, &resume(None));
    let raise = "--max-iterations +1".to_owned();
    let run = driver.state.run.clone();
    assert_eq!(refused, Err(crate::Rejection::AtLimit { run, reason: Reason::LimitIterations, raise }));
    let extension = |raise| CycleEvent::ExtensionRequested { text: "more".to_owned(), raise };
    assert!(admit(&driver.state, &extension(Raise::default())).is_err());
    assert!(admit(&driver.state, &extension(Raise { iterations: Some(4), ..Raise::default() })).is_ok());
    driver.request(resume(Some(4)));
    assert_eq!((driver.state.iteration, driver.at_work()), (4, vec!["cd".to_owned()]));
}

#[test]
fn a_ceiling_of_money_ends_it_between_two_roles_of_all_or_of_one() {
    let mut config = config();
    config.limits.cost_microusd = Some(15_000);
    let mut driver = Driver::with(config);
    driver.done("ra");
    driver.done("ep");
    driver.is(Status::Stopped);
    assert_eq!(driver.state.reason, Some(Reason::LimitCost));

    let mut config = super::harness::config();
    config.roles[0].tokens = Some(100);
    let mut driver = Driver::with(config);
    driver.done("ra");
    driver.is(Status::Running);
    driver.iteration_after_ra("one", true);
    driver.request(CycleEvent::ExtensionRequested { text: "more".to_owned(), raise: Raise::default() });
    driver.is(Status::Stopped);
    assert_eq!(driver.state.detail.as_deref(), Some("role `ra` has used 100 of the 100 tokens that it may"));
}

#[test]
fn where_a_person_confirms_each_iteration_waits_for_a_resume() {
    let mut config = config();
    config.confirm = true;
    let mut driver = Driver::with(config);
    driver.iteration("one", false);
    driver.is(Status::Paused);
    assert_eq!(driver.state.reason, Some(Reason::Attended));
    driver.request(CycleEvent::ResumeRequested { raise: Raise::default() });
    assert_eq!(driver.state.iteration, 2);
}

#[test]
fn a_verdict_is_seen_before_what_follows_from_it() {
    let mut driver = Driver::new();
    driver.done("ra");
    driver.done("ep");
    driver.built("cd", "one");
    driver.checked(true);
    let before = driver.state.clone();
    let events = driver.done("vas");
    let moments = before.moments(&events, driver.now);
    assert_eq!(moments.len(), 1);
    assert_eq!((moments[0].phase.clone(), moments[0].status), (Phase::Aggregation, Status::Running));
}

impl Driver {
    fn iteration_after_ra(&mut self, tree: &str, passed: bool) {
        self.done("ep");
        self.built("cd", tree);
        self.checked(passed);
        self.done("vas");
    }
}

#[test]
fn a_role_at_its_own_ceiling_goes_on_with_the_raise_that_is_named_and_not_without() {
    for (of_all, named) in [(None, "--max-cost +10"), (Some(50_000_000), "--max-cost +10")] {
        let mut config = config();
        config.limits.cost_microusd = of_all;
        config.roles[2].cost_microusd = Some(10_000);
        let mut driver = Driver::with(config);
        driver.iteration("one", false);
        driver.is(Status::Stopped);
        assert_eq!(driver.state.reason, Some(Reason::LimitCost));
        assert_eq!(
            driver.state.detail.as_deref(),
            Some("role `cd` has spent $0.01 of the $0.01 that it may")
        );
        assert_eq!(raise_past(&driver.state, Reason::LimitCost), named);
        let plain = CycleEvent::ResumeRequested { raise: Raise::default() };
        assert!(driver.state.admit(&plain).is_err(), "it would stand where it stands");
        let to = of_all.unwrap_or(driver.state.counters.cost_microusd) + 10_000_000;
        let raise = Raise { cost_microusd: Some(to), ..Raise::default() };
        let raised = CycleEvent::ResumeRequested { raise };
        driver.state.admit(&raised).expect("the raise that was named helps");
        driver.request(raised);
        driver.is(Status::Running);
        assert_eq!(driver.at_work(), ["cd"]);
        assert_eq!(driver.state.config.roles[2].cost_microusd, Some(10_010_000));
    }
}

#[test]
fn a_verdict_is_not_reused_after_the_developer_worked_though_git_sees_no_change() {
    let mut driver = Driver::new();
    driver.done("ra");
    driver.done("ep");
    driver.built("cd", "one");
    driver.checked(false);
    // The validator sends the developer back, who changes only what git ignores.
    driver.end("vas", said(PhaseStatus::Blocked));
    driver.built("cd", "one");
    assert_eq!(driver.state.checking, Some(2), "the checks are run again");
    driver.checked(true);
    driver.done("vas");
    driver.is(Status::Completed);
}

#[test]
fn what_piton_writes_itself_is_no_name_for_a_role_or_a_document() {
    for name in ["coordination", "history", "user", "init"] {
        let mut roles = default_roles();
        roles[0].name = name.into();
        roles[1].after = vec![name.into()];
        roles.iter_mut().for_each(|role| role.feedback_to.clear());
        let why = check_team(&roles).expect_err(name);
        assert!(why.contains("piton uses that name itself"), "{why}");
    }
    for file in ["changes.log", "history", "test-results.json", "Debug-Log.ndjson"] {
        let mut roles = default_roles();
        roles[3].writes = vec![file.to_owned()];
        let why = check_team(&roles).expect_err(file);
        assert!(why.contains(file) && why.contains("piton's"), "{why}");
    }
}
