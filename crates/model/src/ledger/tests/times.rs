//! Table 2: timestamp management.

use super::*;

fn full() -> Gap {
    verified("a", 45).with(|gap| {
        gap.priority = 4;
        gap.ttl_days = Some(7);
        gap.blocks = names(&["b"]);
        gap.findings = "known".to_owned();
    })
}

#[test]
fn mark_checked_sets_timestamp() {
    assert_eq!(mark_checked(&gap("a"), NOW).last_checked, Some(NOW));
}

#[test]
fn mark_checked_preserves_status() {
    for status in GapStatus::ALL {
        let gap = full().with(|gap| gap.status = status);
        assert_eq!(mark_checked(&gap, NOW), gap.with(|gap| gap.last_checked = Some(NOW)));
    }
}

#[test]
fn mark_checked_preserves_last_verified() {
    assert_eq!(mark_checked(&full(), NOW).last_verified, Some(days_ago(45)));
    assert_eq!(mark_checked(&gap("a"), NOW).last_verified, None);
}

/// A gap is taken by reference and cannot be changed through it; a value of its own comes back.
#[test]
fn mark_checked_returns_new_gap() {
    let original = full();
    let marked = mark_checked(&original, NOW);
    assert_eq!(original, full());
    assert_ne!(marked, original);
}

#[test]
fn mark_verified_sets_status() {
    for status in GapStatus::ALL {
        assert_eq!(mark_verified(&full().with(|gap| gap.status = status), NOW).status, GapStatus::Verified);
    }
}

#[test]
fn mark_verified_sets_both_timestamps() {
    let marked = mark_verified(&full(), NOW);
    assert_eq!((marked.last_verified, marked.last_checked), (Some(NOW), Some(NOW)));
    assert_eq!(
        marked,
        full().with(|gap| {
            gap.last_verified = Some(NOW);
            gap.last_checked = Some(NOW);
        })
    );
}

#[test]
fn mark_verified_returns_new_gap() {
    let original = gap("a");
    let _ = mark_verified(&original, NOW);
    assert_eq!(original, gap("a"));
}

/// Times are a type; how they are written is [`to_iso`].
#[test]
fn timestamps_are_iso_utc() {
    let marked = mark_verified(&gap("a"), "2026-02-15T13:00:00+01:00".parse().unwrap());
    assert_eq!(to_iso(marked.last_verified.unwrap()), "2026-02-15T12:00:00+00:00");
    assert_eq!(to_iso(marked.last_checked.unwrap()), "2026-02-15T12:00:00+00:00");
}

#[test]
fn research_settles_a_gap_by_its_outcome() {
    let before = full().with(|gap| gap.status = GapStatus::Stale);
    assert_eq!(settle(&before, Outcome::FullReport, NOW), mark_verified(&before, NOW));
    assert_eq!(settle(&before, Outcome::ShortReport, NOW), mark_verified(&before, NOW));
    assert_eq!(settle(&before, Outcome::NoNewFindings, NOW), mark_checked(&before, NOW));
    assert_eq!(settle(&before, Outcome::InsufficientData, NOW), before);
}
