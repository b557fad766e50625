//! A cycle that was prepared: which packages count, what they may change, and what their gates ask for.

use std::collections::BTreeMap;

use super::harness::{self, Driver, said};
use crate::cycle::prep::{Asked, PrepCheck, PrepPackage, Said, bring, take};
use crate::cycle::*;
use crate::loop_machine::{Coverage, Measures, Raise, Reading, Share, TestCounts};
use crate::{Status, Timestamp};

const DAY_MS: u64 = 24 * 3_600_000;

fn now() -> Timestamp {
    Timestamp::from_millis(1_771_157_000_000)
}

fn package() -> PrepPackage {
    PrepPackage {
        prep_status: Some("ready".to_owned()),
        generated_at: Some(now()),
        project_root: Some("/repo".to_owned()),
        original: Some("Implement OAuth authentication".to_owned()),
        refined: Some("OBJECTIVE: log in".to_owned()),
        quality_score: Some(8.0),
        test_pass_rate: Some(90.0),
        coverage: Some(80.0),
        ..PrepPackage::default()
    }
}

fn asked() -> Asked<'static> {
    Asked { task: "implement  OAuth Authentication", is_here: true, now: now() }
}

fn taken(package: PrepPackage) -> Prep {
    take(package, "prep-package.json", "digest".to_owned(), asked()).expect("a sound package")
}

/// As in every test here, with a package that counts; its checks measure coverage.
pub(super) fn config() -> Config {
    let mut config = harness::config();
    config.limits.iterations = 4;
    config.checks[0].reads = Some(Reading { path: "lcov.info".to_owned(), format: None });
    config.prep = Some(PrepFound::Taken(Box::new(taken(package()))));
    config
}

fn with(change: impl FnOnce(&mut Prep)) -> Config {
    let mut config = config();
    let mut prep = taken(package());
    change(&mut prep);
    config.prep = Some(PrepFound::Taken(Box::new(prep)));
    config
}

fn measured(percent: u64) -> Measures {
    let lines = Some(Share { covered: percent, total: 100 });
    Measures { coverage: Some(Coverage { lines, ..Coverage::default() }), ..Measures::default() }
}

#[test]
fn a_package_counts_only_where_it_stands_up_to_every_check() {
    let late = Asked { now: now().plus_millis(DAY_MS + 1), ..asked() };
    let early = Asked { now: Timestamp::from_millis(now().as_millis() - 9 * 3_600_000), ..asked() };
    let elsewhere = Asked { is_here: false, ..asked() };
    type Change = fn(&mut PrepPackage);
    let cases: [(Change, Asked<'_>, &[PrepCheck]); 14] = [
        (|_| {}, asked(), &[]),
        (|_| {}, Asked { now: now().plus_millis(DAY_MS), ..asked() }, &[]),
        (|package| package.quality_score = Some(6.0), asked(), &[]),
        (|package| package.prep_status = Some("needs_refinement".to_owned()), asked(), &[PrepCheck::Ready]),
        (|_| {}, elsewhere, &[PrepCheck::ProjectRoot]),
        (|package| package.quality_score = Some(5.9), asked(), &[PrepCheck::Quality]),
        (|package| package.quality_score = Some(11.0), asked(), &[PrepCheck::Quality]),
        (|_| {}, late, &[PrepCheck::Age]),
        (|_| {}, early, &[PrepCheck::Age]),
        (|package| package.refined = Some(" ".to_owned()), asked(), &[PrepCheck::Fields]),
        (|package| package.coverage = None, asked(), &[PrepCheck::Fields]),
        (|package| package.test_pass_rate = Some(0.0), asked(), &[PrepCheck::Convergence]),
        (
            |package| package.phase_gates.one_to_hundred.coverage = Some(101.0),
            asked(),
            &[PrepCheck::Convergence],
        ),
        (
            |package| {
                package.prep_status = Some("blocked".to_owned());
                package.quality_score = None;
                package.coverage = Some(-1.0);
            },
            asked(),
            &[PrepCheck::Fields, PrepCheck::Ready, PrepCheck::Convergence],
        ),
    ];
    for (change, asked, expected) in cases {
        let mut package = package();
        change(&mut package);
        let failed = take(package, "p", String::new(), asked).err().unwrap_or_default();
        let found: Vec<PrepCheck> = failed.iter().map(|failure| failure.check).collect();
        assert_eq!(found, expected, "{failed:?}");
    }
}

#[test]
fn the_text_of_a_package_counts_only_for_its_own_task() {
    assert_eq!(taken(package()).description.as_deref(), Some("OBJECTIVE: log in"));
    let refined = Asked { task: "objective: log in", ..asked() };
    assert!(take(package(), "p", String::new(), refined).unwrap().description.is_some());
    let other = Asked { task: "Paint it blue", ..asked() };
    assert_eq!(take(package(), "p", String::new(), other).unwrap().description, None);
}

#[test]
fn a_package_narrows_and_never_widens() {
    let by_flags = Said { description: true, iterations: true, auto: true };
    // What a package says, what was said, and what holds then: iterations, the time of a phase, whether a person confirms.
    let cases = [
        (2, 1_000, true, Said::default(), (2, 1_000, false)),
        (50, 999_999_999, true, Said::default(), (3, 60_000, false)),
        (50, 999_999_999, false, Said::default(), (3, 60_000, true)),
        (2, 1_000, false, by_flags, (3, 1_000, false)),
    ];
    for (iterations, phase_ms, automatic, said, expected) in cases {
        let prep = taken(PrepPackage {
            max_iterations: Some(iterations),
            timeout_per_iteration_ms: Some(phase_ms),
            no_confirmation: Some(automatic),
            ..package()
        });
        let mut config = harness::config();
        let notes = bring(&prep, said, &mut config);
        let found = (config.limits.iterations, config.limits.attempt_ms, config.confirm);
        assert_eq!(found, expected);
        assert_eq!(config.description == "OBJECTIVE: log in", !said.description);
        assert_eq!(notes.iter().any(|note| note.contains("--max-iterations 50")), iterations == 50);
        // A person who wants to confirm is asked, whatever a package says.
        let mut config = Config { confirm: true, ..harness::config() };
        bring(&prep, Said { auto: false, ..said }, &mut config);
        assert!(config.confirm);
    }
}

#[test]
fn what_only_works_is_done_in_full_by_everybody_before_it_is_completed() {
    let mut driver = Driver::with(config());
    assert_eq!(gates(&driver), [Gate::ZeroToOne]);
    iteration(&mut driver, "one", true, measured(90), |_| {});
    driver.is(Status::Running);
    assert_eq!((driver.state.iteration, driver.at_work()), (2, vec!["ra".to_owned()]));
    assert_eq!(gates(&driver), [Gate::ZeroToOne, Gate::OneToHundred], "it is passed once");
    let first = &driver.state.iterations[0];
    assert_eq!((first.verdict, first.issues.len()), (Some(IterationVerdict::GoesOn), 0));
    assert_eq!(first.gate.as_ref().and_then(|at| at.passed), Some(true));
    iteration(&mut driver, "two", true, measured(90), |_| {});
    driver.is(Status::Completed);
}

#[test]
fn no_target_makes_a_red_check_green() {
    let mut driver = Driver::with(with(|prep| {
        prep.convergence.test_pass_rate = 1.0;
        prep.convergence.coverage = 1.0;
        prep.convergence.max_critical_bugs = 99;
        prep.convergence.max_open_issues = 99;
    }));
    for tree in ["one", "two", "three", "four"] {
        let tests = TestCounts { passed: 99, failed: 1, complete: true, ..TestCounts::default() };
        iteration(&mut driver, tree, false, Measures { tests: Some(tests), ..measured(100) }, |_| {});
    }
    driver.is(Status::Failed);
    assert!(driver.state.iterations.iter().all(|record| !record.issues.is_empty()));
}

#[test]
fn the_targets_are_asked_for_beside_green_checks() {
    type Say = fn(&mut RoleEnd);
    let nothing: Say = |_| {};
    let cases: [(Measures, Say, &str); 6] = [
        (measured(80), nothing, ""),
        (measured(79), nothing, "one_to_hundred: coverage: 79 %, at least 80 %"),
        (Measures::default(), nothing, "one_to_hundred: coverage: not known, at least 80 %"),
        (
            Measures {
                tests: Some(TestCounts { passed: 8, failed: 2, complete: true, ..TestCounts::default() }),
                ..measured(80)
            },
            nothing,
            "one_to_hundred: tests that pass: 80 %, at least 90 %",
        ),
        (
            measured(80),
            |end| end.handed_in.open_issues = Some(4),
            "one_to_hundred: open issues reported: 4, at most 3",
        ),
        (
            measured(80),
            |end| end.handed_in.critical_issues = Some(1),
            "one_to_hundred: critical bugs reported: 1, at most 0",
        ),
    ];
    for (measures, say, issue) in cases {
        let mut driver = Driver::with(with(|prep| prep.phase_gates.zero_to_one.iterations.clear()));
        iteration(&mut driver, "one", true, measures, say);
        let expected: Vec<&str> = [issue].into_iter().filter(|issue| !issue.is_empty()).collect();
        assert_eq!(driver.state.iterations[0].issues, expected);
        match issue {
            "" => driver.is(Status::Completed),
            _ => assert_eq!((driver.state.iteration, driver.at_work()), (2, vec!["cd".to_owned()])),
        }
    }
}

#[test]
fn what_nothing_measures_holds_nothing_up() {
    let mut config = with(|prep| prep.phase_gates.zero_to_one.iterations.clear());
    config.checks[0].reads = None;
    let mut driver = Driver::with(config);
    iteration(&mut driver, "one", true, Measures::default(), |_| {});
    driver.is(Status::Completed);
    let gate = driver.state.iterations[0].gate.clone().unwrap();
    let coverage = gate.criteria.iter().find(|known| known.name == CriterionName::Coverage).unwrap();
    assert_eq!((coverage.found, coverage.met), (None, None));
}

#[test]
fn zero_to_one_ends_by_criteria_of_its_own() {
    use CriterionName::{CodeCompiles, CoreTestPasses, MinRequirementsImplemented};
    // Whether a check is red, how many of ten tests pass, tasks that are done; and which criteria are not met.
    let cases: [(bool, u64, bool, &[CriterionName]); 4] = [
        (true, 10, true, &[]),
        (false, 1, true, &[]),
        (false, 0, true, &[CodeCompiles, CoreTestPasses]),
        (true, 10, false, &[MinRequirementsImplemented]),
    ];
    for (green, passed, done, expected) in cases {
        let mut driver = Driver::with(config());
        let tests = TestCounts { passed, failed: 10 - passed, complete: true, ..TestCounts::default() };
        let measures = Measures { tests: Some(tests), ..Measures::default() };
        driver.done("ra");
        plan(&mut driver);
        let mut end = said(PhaseStatus::Completed);
        end.snapshot = Some(harness::snapshot("one"));
        end.handed_in.tasks_completed = if done { vec!["TASK-001".to_owned()] } else { Vec::new() };
        driver.end("cd", end);
        driver.checked_with(green, measures);
        driver.done("vas");
        let gate = driver.state.iterations[0].gate.clone().unwrap();
        let unmet: Vec<CriterionName> =
            gate.criteria.iter().filter(|known| known.met == Some(false)).map(|known| known.name).collect();
        assert_eq!(unmet, expected);
        assert_eq!(gate.passed, Some(expected.is_empty()));
        let next = if expected.is_empty() { "ra" } else { "cd" };
        assert_eq!((driver.state.iteration, driver.at_work()), (2, vec![next.to_owned()]));
        let gate = if expected.is_empty() { Gate::OneToHundred } else { Gate::ZeroToOne };
        assert_eq!(gates(&driver)[1], gate);
    }
}

#[test]
fn the_last_iteration_there_may_be_is_of_the_last_gate() {
    let mut config = config();
    config.limits.iterations = 1;
    let mut driver = Driver::with(config);
    assert_eq!(gates(&driver), [Gate::OneToHundred]);
    iteration(&mut driver, "one", true, measured(90), |_| {});
    driver.is(Status::Completed);
    let raise = Raise { iterations: Some(3), ..Raise::default() };
    driver.request(CycleEvent::ExtensionRequested { text: "more".to_owned(), raise });
    assert_eq!(gates(&driver), [Gate::OneToHundred, Gate::OneToHundred], "nothing goes back behind it");
}

#[test]
fn a_check_that_builds_says_whether_the_code_compiles() {
    let mut config = config();
    config.checks[0].name = "build".to_owned();
    let mut driver = Driver::with(config);
    driver.done("ra");
    driver.done("ep");
    driver.built("cd", "one");
    let number = driver.state.checking.expect("checks are open");
    let check = |name: &str, passed| crate::loop_machine::CheckResult {
        name: name.to_owned(),
        passed,
        exit_code: None,
        timed_out: false,
        duration_ms: 1,
        tail: String::new(),
    };
    let round = crate::loop_machine::CheckRound {
        checks: vec![check("build", false), check("test", true)],
        snapshot: driver.state.seen.clone(),
        ..crate::loop_machine::CheckRound::of_nothing(number)
    };
    driver.command(Command::EndChecks { round: Box::new(round), failed: Vec::new() });
    driver.done("vas");
    let gate = driver.state.iterations[0].gate.clone().unwrap();
    assert_eq!((gate.criteria[0].name, gate.criteria[0].met), (CriterionName::CodeCompiles, Some(false)));
}

#[test]
fn a_role_attends_to_what_the_package_says_else_to_what_the_format_says() {
    let mut said = package();
    let own = BTreeMap::from([(RoleName::from("ra"), "only\nthe login ".to_owned())]);
    said.agent_focus.insert(Gate::ZeroToOne, own);
    let prep = taken(said);
    let focus = |gate, role: &str| prep.focus(gate, &role.into()).map(str::to_owned);
    assert_eq!(focus(Gate::ZeroToOne, "ra").as_deref(), Some("only the login"));
    assert_eq!(focus(Gate::ZeroToOne, "cd").as_deref(), Some("happy_path_first"));
    assert_eq!(focus(Gate::OneToHundred, "vas").as_deref(), Some("full_test_suite_with_coverage"));
    assert_eq!(focus(Gate::OneToHundred, "security"), None);
}

#[test]
fn what_two_roles_find_side_by_side_is_on_the_board_once() {
    let mut config = harness::config();
    config.roles[1].after.clear();
    let mut driver = Driver::with(config);
    let found = |summary: &str| {
        let data = serde_json::json!({ "name": "login", "summary": summary });
        let mut end = said(PhaseStatus::Completed);
        end.handed_in.discoveries.push(Discovery {
            at: now(),
            agent: "ra".into(),
            kind: "existing_feature".to_owned(),
            key: "login".to_owned(),
            data: data.as_object().unwrap().clone(),
        });
        end
    };
    driver.end("ra", found("one"));
    driver.end("ep", found("two"));
    assert_eq!(driver.state.discoveries.total, 1);
}

/// The gates of the iterations that began.
fn gates(driver: &Driver) -> Vec<Gate> {
    let of = |record: &IterationRecord| record.gate.as_ref().map(|at| at.gate);
    driver.state.iterations.iter().filter_map(of).collect()
}

/// The planner leaves a plan of one task.
fn plan(driver: &mut Driver) {
    let mut end = said(PhaseStatus::Completed);
    end.handed_in.plan = Some(Plan {
        version: "1.0.0".to_owned(),
        tasks: vec![PlanTask {
            id: "TASK-001".to_owned(),
            description: "Build".to_owned(),
            effort: Effort::Small,
            depends_on: Vec::new(),
            status: TaskStatus::Pending,
            assigned_to: None,
            files: Vec::new(),
        }],
        total_estimated_effort: String::new(),
        critical_path: Vec::new(),
        last_updated: now(),
        more: Default::default(),
    });
    driver.end("ep", end);
}

/// A whole iteration with those who work in it; `say` is what the validator hands in.
#[track_caller]
fn iteration(
    driver: &mut Driver,
    tree: &str,
    green: bool,
    measures: Measures,
    say: impl FnOnce(&mut RoleEnd),
) {
    for role in ["ra", "ep"] {
        if driver.at_work() == [role] {
            driver.done(role);
        }
    }
    driver.built("cd", tree);
    driver.checked_with(green, measures);
    let mut end = said(PhaseStatus::Completed);
    say(&mut end);
    driver.end("vas", end);
    driver.last_word();
}
