//! When a session gives way to a fresh one.

use crate::Timestamp;
use crate::loop_machine::context::RedlinePolicy;
use crate::loop_machine::facts::Report;
use crate::loop_machine::reboot::*;

const MINUTE: u64 = 60_000;

fn at(minutes: u64) -> Timestamp {
    Timestamp::from_millis(0).plus_millis(minutes * MINUTE)
}

fn tried(minutes: u64, succeeded: bool) -> RebootRecord {
    RebootRecord { at: at(minutes), iteration: 1, succeeded }
}

fn full() -> SessionView<'static> {
    SessionView { percent: Some(90), iterations: 3, ..SessionView::default() }
}

fn decide(
    policy: &RebootPolicy,
    session: &SessionView<'_>,
    history: &[RebootRecord],
    now: u64,
) -> RebootDecision {
    decide_reboot(
        policy,
        &RedlinePolicy { iterations_min: 3, ..RedlinePolicy::default() },
        session,
        history,
        at(now),
    )
}

#[test]
fn the_first_cause_in_order_is_named() {
    let policy = RebootPolicy {
        after_iterations: Some(5),
        after_ms: Some(30 * MINUTE),
        on_patterns: vec![String::new(), "lost track".to_owned()],
        ..RebootPolicy::default()
    };
    let lost = Report { heard: vec!["lost track".to_owned()], ..Report::default() };
    let all =
        SessionView { degraded: true, iterations: 5, age_ms: 30 * MINUTE, report: Some(&lost), ..full() };
    let usage = 90;
    for (session, reason) in [
        (all.clone(), Some(RebootReason::Redline { usage })),
        (SessionView { percent: Some(84), ..all.clone() }, Some(RebootReason::Degradation)),
        (SessionView { percent: None, degraded: false, ..all.clone() }, Some(RebootReason::IterationLimit)),
        (
            SessionView { percent: None, degraded: false, iterations: 4, ..all.clone() },
            Some(RebootReason::DurationLimit),
        ),
        (
            SessionView { percent: None, degraded: false, iterations: 4, age_ms: 0, ..all.clone() },
            Some(RebootReason::PatternMatch { pattern: "lost track".to_owned() }),
        ),
        // Too young to be judged.
        (SessionView { iterations: 2, age_ms: 0, report: None, ..all.clone() }, None),
        (SessionView::default(), None),
    ] {
        let expected = reason.map_or(RebootDecision::Stay, RebootDecision::Reboot);
        assert_eq!(decide(&policy, &session, &[], 0), expected, "{session:?}");
    }
}

#[test]
fn a_cause_that_is_switched_off_is_none() {
    let policy = RebootPolicy { on_redline: false, on_degradation: false, ..RebootPolicy::default() };
    assert_eq!(decide(&policy, &SessionView { degraded: true, ..full() }, &[], 0), RebootDecision::Stay);
    let policy = RebootPolicy { enabled: false, ..RebootPolicy::default() };
    assert_eq!(decide(&policy, &full(), &[], 0), RebootDecision::Stay);
}

#[test]
fn a_person_who_asks_is_not_put_off() {
    let policy = RebootPolicy { enabled: false, ..RebootPolicy::default() };
    let failed = [tried(0, false), tried(0, false), tried(0, false)];
    let asked = SessionView { asked: true, ..SessionView::default() };
    assert_eq!(decide(&policy, &asked, &failed, 0), RebootDecision::Reboot(RebootReason::Manual));
}

#[test]
fn between_two_is_a_pause_and_an_hour_has_only_so_many() {
    let policy = RebootPolicy { per_hour_max: 3, ..RebootPolicy::default() };
    let redline = RebootReason::Redline { usage: 90 };
    let later = |minutes| RebootDecision::Later(redline.clone(), at(minutes));
    let now = || RebootDecision::Reboot(redline.clone());
    for (history, minute, expected) in [
        (vec![tried(0, true)], 4, later(5)),
        (vec![tried(0, true)], 5, now()),
        (vec![tried(0, true), tried(10, true), tried(20, true)], 30, later(60)),
        (vec![tried(0, true), tried(10, true), tried(20, true)], 60, now()),
        // Those that failed do not count for the hour, but each makes the pause longer.
        (vec![tried(0, true), tried(10, true), tried(20, false)], 20, later(21)),
        (vec![tried(10, false), tried(20, false)], 21, later(22)),
        (vec![tried(10, false), tried(20, false)], 22, now()),
    ] {
        assert_eq!(decide(&policy, &full(), &history, minute), expected, "{history:?} {minute}");
    }
    let unlimited = RebootPolicy { per_hour_max: 0, ..RebootPolicy::default() };
    let many: Vec<_> = (0..50).map(|_| tried(0, true)).collect();
    assert_eq!(decide(&unlimited, &full(), &many, 5), now());
}

#[test]
fn three_that_failed_in_a_row_are_enough() {
    let failed = [tried(0, true), tried(1, false), tried(2, false), tried(3, false)];
    assert_eq!(
        decide(&RebootPolicy::default(), &full(), &failed, 60),
        RebootDecision::GiveUp { failures: 3 }
    );
    // Nobody wants another one.
    assert_eq!(decide(&RebootPolicy::default(), &SessionView::default(), &failed, 60), RebootDecision::Stay);
    let recovered = [tried(1, false), tried(2, false), tried(3, false), tried(4, true)];
    assert!(matches!(decide(&RebootPolicy::default(), &full(), &recovered, 60), RebootDecision::Reboot(_)));
}

#[test]
fn a_session_that_cannot_be_continued_is_not_held_to_the_limits() {
    let broken = SessionView { broken: Some("context full"), ..SessionView::default() };
    let decision = decide(&RebootPolicy::default(), &broken, &[tried(0, true)], 0);
    let error = "context full".to_owned();
    let reboot = RebootDecision::Reboot(RebootReason::ErrorRecovery { error });
    assert_eq!(decision, reboot);
    let failed = [1, 2, 3].map(|minute| tried(minute, false));
    assert_eq!(decide(&RebootPolicy::default(), &broken, &failed, 60), reboot);
}

#[test]
fn a_person_can_be_asked_first() {
    let policy = RebootPolicy { confirm: true, ..RebootPolicy::default() };
    assert_eq!(decide(&policy, &full(), &[], 0), RebootDecision::Ask(RebootReason::Redline { usage: 90 }));
}
