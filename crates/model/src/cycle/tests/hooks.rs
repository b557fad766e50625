//! When the hooks of a cycle are called, and what they can do.

use super::harness::{Driver, config, ended, snapshot};
use crate::cycle::*;
use crate::hook::{Hook, HookKind, HookPoint, Hooks};
use crate::loop_machine::{AttemptOutcome, HookEnd};
use crate::machine::Machine;
use crate::{Reason, Status, StopOrigin};

fn hooked(points: &[HookPoint]) -> Driver {
    let hook = Hook {
        name: "tell".to_owned(),
        points: points.to_vec(),
        priority: 0,
        timeout_ms: None,
        run: HookKind::Command { command: "true".to_owned() },
        conditions: Vec::new(),
        untrusted: false,
    };
    Driver::with(Config { hooks: Some(Hooks { hooks: vec![hook], ..Hooks::default() }), ..config() })
}

/// The points of the call that is open.
#[track_caller]
fn calling(driver: &Driver) -> Vec<HookPoint> {
    let call = driver.state.calling.as_ref().unwrap_or_else(|| panic!("no hook is called"));
    assert!(driver.state.effects().contains(&Effect::Hooks(call.clone())));
    call.points.clone()
}

#[track_caller]
fn called(driver: &mut Driver, end: HookEnd) {
    let number = driver.state.calling.as_ref().expect("hooks are called").number;
    driver.command(Command::EndHooks(Box::new(HookEnd { number, ..end })));
}

#[test]
fn every_point_is_called_in_its_place_and_nothing_begins_meanwhile() {
    use HookPoint::*;
    let mut driver = hooked(&HookPoint::ALL);
    driver.command(Command::Observe(snapshot("start")));
    let mut seen = Vec::new();
    let mut steps = 0;
    while driver.state.status == Status::Running {
        steps += 1;
        assert!(steps < 100, "it ends");
        if let Some(call) = driver.state.calling.clone() {
            assert!(
                driver.at_work().is_empty() && driver.state.checking.is_none(),
                "nothing runs beside a call"
            );
            seen.extend(call.points);
            called(&mut driver, HookEnd::default());
        } else if driver.state.checking.is_some() {
            let passed = driver.state.iteration > 1;
            driver.checked(passed);
        } else {
            let role = driver.at_work()[0].clone();
            let tree = format!("{role}-{}", driver.state.iteration);
            match role.as_str() {
                "cd" => driver.built("cd", &tree),
                _ => driver.done(&role),
            };
        }
    }
    driver.is(Status::Completed);
    let session = [PreSession, PostSession];
    let chain = |rest: &[HookPoint]| [&session[..], rest].concat();
    let first = [vec![LoopStart, PreIteration], chain(&[]), chain(&[]), chain(&[OnTestFailure])].concat();
    let second = [vec![PreIteration], chain(&[OnTestSuccess])].concat();
    let verdict = [OnFileChange, OnProgress, PostIteration];
    let whole = [
        first,
        session.to_vec(),
        verdict.to_vec(),
        second,
        chain(&[OnTestSuccess]),
        verdict.to_vec(),
        vec![LoopEnd],
    ];
    assert_eq!(seen, whole.concat());
}

#[test]
fn a_failed_and_a_lost_attempt_are_errors() {
    let mut driver = hooked(&[HookPoint::OnError]);
    driver.end("ra", ended(AttemptOutcome::Failed));
    assert_eq!(calling(&driver), [HookPoint::OnError]);
    assert_eq!(driver.at_work(), [""; 0], "it is started again after the call");
    called(&mut driver, HookEnd::default());
    assert_eq!(driver.at_work(), ["ra"]);
}

#[test]
fn a_hook_stops_the_cycle_and_a_resume_goes_on_with_what_hooks_set() {
    let mut driver = hooked(&[HookPoint::PreIteration]);
    let set = [("seen".to_owned(), 3.into())].into();
    called(&mut driver, HookEnd { stop: Some("not today".to_owned()), set, ..HookEnd::default() });
    driver.is(Status::Stopped);
    assert_eq!(
        (driver.state.reason, driver.state.detail.as_deref()),
        (Some(Reason::Hook), Some("not today"))
    );
    driver.request(CycleEvent::ResumeRequested { raise: Default::default() });
    driver.is(Status::Running);
    assert_eq!(calling(&driver), [HookPoint::PreIteration], "it is asked again");
    called(&mut driver, HookEnd::default());
    assert_eq!(driver.at_work(), ["ra"]);
    assert_eq!(driver.state.custom["seen"], 3);
}

#[test]
fn the_end_that_a_person_gives_to_a_cycle_at_rest_is_told_before_it_comes() {
    let mut driver = hooked(&[HookPoint::LoopEnd]);
    driver.request(CycleEvent::PauseRequested {});
    driver.done("ra");
    driver.is(Status::Paused);
    assert!(driver.state.calling.is_none(), "a rest is no end");
    driver.request(CycleEvent::StopRequested { now: false, origin: StopOrigin::Command });
    driver.is(Status::Paused);
    assert_eq!(calling(&driver), [HookPoint::LoopEnd]);
    assert!(!driver.state.is_settled(), "somebody has to call them");
    called(&mut driver, HookEnd::default());
    driver.is(Status::Stopped);
    assert!(driver.state.is_settled() && driver.state.effects().is_empty());
}

#[test]
fn a_call_that_a_crash_cut_off_is_made_again_with_its_number() {
    let mut driver = hooked(&[HookPoint::PostIteration]);
    driver.command(Command::Observe(snapshot("start")));
    driver.iteration("one", true);
    let call = driver.state.calling.clone().expect("hooks are called");
    driver.drive();
    assert_eq!(driver.state.calling, Some(call.clone()));
    assert_eq!(driver.state.begun(), [Effect::Hooks(call)]);
    assert!(
        driver.try_command(Command::EndHooks(Box::new(HookEnd { number: 9, ..HookEnd::default() }))).is_err()
    );
    called(&mut driver, HookEnd::default());
    driver.is(Status::Completed);
}
