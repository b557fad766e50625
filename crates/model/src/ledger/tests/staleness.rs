//! Table 3: the staleness detector.

use super::*;

fn with_status(status: GapStatus) -> Gap {
    Gap { status, ..verified("a", 400) }
}

#[test]
fn detect_stale_by_ttl() {
    let gaps = [verified("a", 45), verified("b", 1)];
    assert_eq!(ids(&detect_stale(&gaps, 30, NOW)), ["a"]);
}

#[test]
fn detect_stale_fresh_gap() {
    assert_eq!(detect_stale(&[verified("a", 29)], 30, NOW), []);
}

#[test]
fn exactly_as_old_as_its_ttl_is_fresh() {
    let gaps = [verified("a", 30)];
    assert_eq!(detect_stale(&gaps, 30, NOW), []);
    assert_eq!(due_at(&gaps[0], 30), Some(NOW));
    assert_eq!(ids(&detect_stale(&gaps, 30, NOW.plus_millis(1))), ["a"]);
}

#[test]
fn detect_stale_ignores_unknown() {
    assert_eq!(detect_stale(&[with_status(GapStatus::Unknown), gap("b")], 30, NOW), []);
}

#[test]
fn detect_stale_ignores_already_stale() {
    assert_eq!(detect_stale(&[with_status(GapStatus::Stale)], 30, NOW), []);
}

#[test]
fn detect_stale_ignores_blocked() {
    assert_eq!(detect_stale(&[with_status(GapStatus::Blocked)], 30, NOW), []);
}

#[test]
fn no_cascade_through_dependencies() {
    let a = Gap { blocks: names(&["b"]), ..verified("a", 45) };
    let b = Gap { blocked_by: names(&["a"]), ..verified("b", 1) };
    assert_eq!(ids(&detect_stale(&[a, b], 30, NOW)), ["a"]);
}

#[test]
fn uses_gap_ttl_over_default() {
    let short = Gap { ttl_days: Some(14), ..verified("a", 20) };
    let long = Gap { ttl_days: Some(90), ..verified("b", 45) };
    assert_eq!(ids(&detect_stale(&[short, long], 30, NOW)), ["a"]);
}

#[test]
fn uses_default_ttl_when_none() {
    let gaps = [verified("a", 20)];
    assert_eq!(detect_stale(&gaps, 30, NOW), []);
    assert_eq!(ids(&detect_stale(&gaps, 14, NOW)), ["a"]);
}

#[test]
fn stale_gap_has_new_status() {
    let gaps = [verified("a", 45)];
    let stale = detect_stale(&gaps, 30, NOW);
    assert_eq!(stale, [Gap { status: GapStatus::Stale, ..gaps[0].clone() }]);
    assert_eq!(gaps[0].status, GapStatus::Verified);
}

/// A slice stands for the tuple, a vector for the list.
#[test]
fn empty_gaps_returns_empty() {
    assert_eq!(detect_stale(&[], 30, NOW), []);
}

#[test]
fn verified_without_a_time_is_stale() {
    let gaps = [Gap { status: GapStatus::Verified, ..gap("a") }];
    assert_eq!(ids(&detect_stale(&gaps, 30, NOW)), ["a"]);
    assert_eq!(due_flips(&gaps, 30, NOW)[0].reason, "TTL expired: no verification on record");
}

#[test]
fn a_verification_to_come_is_fresh() {
    assert_eq!(detect_stale(&[verified("a", -3)], 30, NOW), []);
}

#[test]
fn a_huge_ttl_never_overflows() {
    let gaps = [Gap { ttl_days: Some(i64::MAX), ..verified("a", 45) }];
    assert_eq!(detect_stale(&gaps, u32::MAX, NOW), []);
}

#[test]
fn a_flip_says_how_old_and_how_old_is_allowed() {
    let reason = |gap: Gap, now: Timestamp| due_flips(&[gap], 30, now)[0].reason.clone();
    assert_eq!(reason(verified("a", 45), NOW), "TTL expired: 45 days > 30 day limit");
    let day = Gap { ttl_days: Some(1), ..verified("a", 2) };
    assert_eq!(reason(day, NOW), "TTL expired: 2 days > 1 day limit");
    // Whole days alone would not be more than the limit.
    for (millis, rest) in [(1, "1 ms"), (5_000, "5 s"), (120_000, "2 min"), (7_200_001, "2 h")] {
        let expected = format!("TTL expired: 30 days {rest} > 30 day limit");
        assert_eq!(reason(verified("a", 30), NOW.plus_millis(millis)), expected);
    }
}
