//! Table 3: the staleness detector.

use super::*;

fn with_status(status: GapStatus) -> Gap {
    verified("a", 400).with(|gap| gap.status = status)
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
    let a = verified("a", 45).with(|gap| gap.blocks = names(&["b"]));
    let b = verified("b", 1).with(|gap| gap.blocked_by = names(&["a"]));
    assert_eq!(ids(&detect_stale(&[a, b], 30, NOW)), ["a"]);
}

#[test]
fn uses_gap_ttl_over_default() {
    let short = verified("a", 20).with(|gap| gap.ttl_days = Some(14));
    let long = verified("b", 45).with(|gap| gap.ttl_days = Some(90));
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
    assert_eq!(stale, [gaps[0].with(|gap| gap.status = GapStatus::Stale)]);
    assert_eq!(gaps[0].status, GapStatus::Verified);
}

/// A slice stands for the tuple, a vector for the list.
#[test]
fn empty_gaps_returns_empty() {
    assert_eq!(detect_stale(&[], 30, NOW), []);
}

#[test]
fn verified_without_a_time_is_stale() {
    let gaps = [gap("a").with(|gap| gap.status = GapStatus::Verified)];
    assert_eq!(ids(&detect_stale(&gaps, 30, NOW)), ["a"]);
    assert_eq!(due_flips(&gaps, 30, NOW)[0].reason, "TTL expired: no verification on record");
}

#[test]
fn a_verification_to_come_is_fresh() {
    assert_eq!(detect_stale(&[verified("a", -3)], 30, NOW), []);
}

#[test]
fn a_huge_ttl_never_overflows() {
    let gaps = [verified("a", 45).with(|gap| gap.ttl_days = Some(i64::MAX))];
    assert_eq!(detect_stale(&gaps, u32::MAX, NOW), []);
}

#[test]
fn a_flip_says_how_old_and_how_old_is_allowed() {
    let reason = |gap: Gap, now: Timestamp| due_flips(&[gap], 30, now)[0].reason.clone();
    assert_eq!(reason(verified("a", 45), NOW), "TTL expired: 45 days > 30 day limit");
    let day = verified("a", 2).with(|gap| gap.ttl_days = Some(1));
    assert_eq!(reason(day, NOW), "TTL expired: 2 days > 1 day limit");
    // Whole days alone would not be more than the limit.
    for (millis, rest) in [(1, "1 ms"), (5_000, "5 s"), (120_000, "2 min"), (7_200_001, "2 h")] {
        let expected = format!("TTL expired: 30 days {rest} > 30 day limit");
        assert_eq!(reason(verified("a", 30), NOW.plus_millis(millis)), expected);
    }
}
