//! Flips as lines.

use proptest::prelude::*;

use super::*;

fn flip(gap: &str, reason: &str) -> Flip {
    Flip {
        at: NOW,
        gap: gap.to_owned(),
        old: GapStatus::Verified,
        new: GapStatus::Stale,
        reason: reason.to_owned(),
    }
}

#[test]
fn a_line_has_the_published_form() {
    let line = "[2026-02-15T12:00:00+00:00] pricing: verified -> stale (TTL expired: 45 days > 30 day limit)";
    assert_eq!(flip("pricing", "TTL expired: 45 days > 30 day limit").to_line(), line);
    assert_eq!(Flip::from_line(&format!("{line}\r\n")).unwrap().to_line(), line);
}

#[test]
fn nothing_in_an_id_or_a_reason_breaks_the_line() {
    let hostile = flip("a: stale -> verified (x)\n[2026] b", "one\r\ntwo\u{1b}[2J\u{2028}) (\\n");
    let line = hostile.to_line();
    assert!(!line.chars().any(|character| character.is_control() || character == '\u{2028}'), "{line:?}");
    assert_eq!(Flip::from_line(&line).unwrap(), hostile);
}

#[test]
fn other_lines_are_not_flips() {
    for line in [
        "",
        "# a note",
        "[yesterday] a: stale -> verified (x)",
        "[2026-02-15] a: old -> new (x)",
        "[2026-02-15] a",
    ] {
        assert_eq!(Flip::from_line(line), Err(ParseLineError), "{line}");
    }
}

#[test]
fn the_last_flip_to_stale_counts() {
    let earlier = Flip { at: days_ago(9), ..flip("a", "x") };
    let verified = Flip { new: GapStatus::Verified, ..flip("b", "x") };
    assert_eq!(last_flips_to_stale([&earlier, &flip("a", "y"), &verified]), [("a".to_owned(), NOW)].into());
}

proptest! {
    #[test]
    fn every_flip_is_one_line_and_reads_back(gap in proptest::prelude::any::<String>(), reason in proptest::prelude::any::<String>(), millis in 0..4_000_000_000_000_i64) {
        let flip = Flip { at: Timestamp::from_millis(millis), ..flip(&gap, &reason) };
        let line = flip.to_line();
        prop_assert!(!line.contains(['\n', '\r']));
        prop_assert_eq!(Flip::from_line(&line).unwrap(), flip);
    }
}
