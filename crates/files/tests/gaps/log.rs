//! Table 5: the audit log.

use std::os::unix::fs::symlink;

use piton_files::gaps::append_flips;
use piton_model::Timestamp;
use piton_model::ledger::{Flip, GapStatus, last_flips_to_stale};

use crate::support::{NOW, Scratch, logged};

const REASON: &str = "TTL expired: 45 days > 30 day limit";

fn flip(gap: &str) -> Flip {
    Flip {
        at: NOW,
        gap: gap.to_owned(),
        old: GapStatus::Verified,
        new: GapStatus::Stale,
        reason: REASON.to_owned(),
    }
}

fn line(gap: &str) -> String {
    format!("[2026-02-15T12:00:00+00:00] {gap}: verified -> stale ({REASON})\n")
}

/// The log after these flips became due one after the other.
fn log_of(flips: &[Flip]) -> String {
    let scratch = Scratch::empty();
    let path = scratch.path("gap_audit.log");
    for flip in flips {
        assert_eq!(append_flips(&path, std::slice::from_ref(flip), None).unwrap().written, 1);
    }
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn log_flip_creates_file() {
    assert_eq!(log_of(&[flip("a")]), line("a"));
}

#[test]
fn log_flip_appends() {
    assert_eq!(log_of(&[flip("a"), flip("b"), flip("c")]), line("a") + &line("b") + &line("c"));
}

#[test]
fn log_flip_format() {
    let expected =
        "[2026-02-15T12:00:00+00:00] pricing: verified -> stale (TTL expired: 45 days > 30 day limit)\n";
    assert_eq!(log_of(&[flip("pricing")]), expected);
}

#[test]
fn log_flip_creates_parent_dirs() {
    let scratch = Scratch::empty();
    let path = scratch.path("state/hotel/gap_audit.log");
    append_flips(&path, &[flip("a")], None).unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), line("a"));
}

#[test]
fn log_flip_uses_utc() {
    let at = "2026-02-15T14:00:00+02:00".parse().unwrap();
    assert_eq!(log_of(&[Flip { at, ..flip("a") }]), line("a"));
}

#[test]
fn log_flip_custom_timestamp() {
    let at = Timestamp::from_millis(1_000);
    assert!(log_of(&[Flip { at, ..flip("a") }]).starts_with("[1970-01-01T00:00:01+00:00] a: "));
}

#[test]
fn log_flip_records_reason() {
    let reason = "Research completed: full_report".to_owned();
    assert!(log_of(&[Flip { reason, ..flip("a") }]).ends_with(" (Research completed: full_report)\n"));
}

/// An error of its own stands for the state error.
#[test]
fn log_flip_write_error_raises() {
    let scratch = Scratch::empty();
    std::fs::create_dir(scratch.path("gap_audit.log")).unwrap();
    assert!(append_flips(&scratch.path("gap_audit.log"), &[flip("a")], None).is_err());
    assert!(append_flips(&scratch.path("gap_audit.log/below"), &[flip("a")], None).is_ok());
    std::fs::File::create(scratch.path("file")).unwrap();
    assert!(append_flips(&scratch.path("file/gap_audit.log"), &[flip("a")], None).is_err());
    symlink("/etc/hostname", scratch.path("link")).unwrap();
    assert!(append_flips(&scratch.path("link"), &[flip("a")], None).is_err());
}

#[test]
fn a_flip_is_logged_once_wherever_a_crash_cut_it_off() {
    let scratch = Scratch::empty();
    let path = scratch.path("gap_audit.log");
    let due = [flip("a"), flip("b"), flip("é")];
    let whole = line("earlier") + &line("a") + &line("b") + &line("é");
    for cut in line("earlier").len()..=whole.len() {
        put(&path, &whole.as_bytes()[..cut]);
        append_flips(&path, &due, None).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole, "cut at {cut}");
        assert_eq!(append_flips(&path, &due, None).unwrap().written, 0, "nothing is left to do");
    }
}

#[test]
fn what_others_wrote_stays_and_lines_stay_lines() {
    let scratch = Scratch::empty();
    let path = scratch.path("gap_audit.log");
    put(&path, b"a note without a line break");
    append_flips(&path, &[flip("a")], None).unwrap();
    append_flips(&path, &[flip("b\nforged")], None).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, format!("a note without a line break\n{}{}", line("a"), line("b\\nforged")));
    let (flips, foreign) = logged(&path);
    assert_eq!((flips.as_slice(), foreign), ([flip("a"), flip("b\nforged")].as_slice(), 1));
    assert_eq!(last_flips_to_stale(&flips)["a"], NOW);
}

#[test]
fn the_same_flip_later_is_another_flip() {
    let scratch = Scratch::empty();
    let path = scratch.path("gap_audit.log");
    let back = Flip { old: GapStatus::Stale, new: GapStatus::Verified, ..flip("a") };
    for due in [flip("a"), back.clone(), flip("a"), back] {
        assert_eq!(append_flips(&path, &[due], None).unwrap().written, 1);
    }
    assert_eq!(logged(&path).0.len(), 4);
}

#[test]
fn equal_flips_in_one_moment_are_told_apart_by_where_they_stand() {
    let scratch = Scratch::empty();
    let path = scratch.path("gap_audit.log");
    let due = [flip("a"), flip("a"), flip("a")];
    let (one, whole) = (line("a"), line("a").repeat(4));
    for cut in one.len()..=whole.len() {
        put(&path, &whole.as_bytes()[..cut]);
        let logged = append_flips(&path, &due, Some(one.len() as u64)).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole, "cut at {cut}");
        assert_eq!(logged.end, whole.len() as u64);
    }
    assert_eq!(append_flips(&path, &due[..1], Some(whole.len() as u64)).unwrap().written, 1);
}

#[test]
fn a_log_that_git_replaced_is_added_to_at_its_end() {
    let scratch = Scratch::empty();
    let path = scratch.path("gap_audit.log");
    for (there, after) in [("", 900), ("another line\n", 3), ("no break", 8)] {
        put(&path, there.as_bytes());
        append_flips(&path, &[flip("a")], Some(after)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(there) && text.ends_with(&line("a")), "{text}");
        assert_eq!(logged(&path).0, [flip("a")]);
    }
}

fn put(path: &std::path::Path, bytes: &[u8]) {
    piton_sys::file::write_atomic(path, bytes, piton_sys::file::Durability::Unsynced).unwrap();
}
