use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use chord::sheet::{capo_hint, chords_of, read_sheet};
use chord::{transpose_sheet, Chord, SheetError};
use rstest::rstest;

fn song(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/songs").join(name)
}

#[test]
fn a_song_goes_up_a_step() {
    let sheet = read_sheet(&song("river.txt")).unwrap();
    let expected = read_sheet(&song("river.up2.txt")).unwrap();
    assert_eq!(transpose_sheet(&sheet, 2).unwrap(), expected);
}

#[test]
fn twelve_steps_are_none() {
    let sheet = "[C]a [F#m]b [G7]c\n";
    assert_eq!(transpose_sheet(sheet, 12).unwrap(), sheet);
    assert_eq!(transpose_sheet(sheet, -24).unwrap(), sheet);
}

#[rstest]
#[case("la [C la", "line 1: bracket is not closed")]
#[case("ok\n[Q]", "line 2: unknown note Q")]
#[case("[]", "line 1: empty note")]
fn faults_name_their_line(#[case] sheet: &str, #[case] message: &str) {
    assert_eq!(transpose_sheet(sheet, 1).unwrap_err().to_string(), message);
}

#[test]
fn missing_sheets_are_errors() {
    let error = read_sheet(&song("nowhere.txt")).unwrap_err();
    assert!(matches!(error, SheetError::Read(_)));
    assert!(error.to_string().starts_with("cannot read: "));
}

#[test]
fn chords_come_once() {
    let sheet = read_sheet(&song("river.txt")).unwrap();
    assert_eq!(chords_of(&sheet), ["C", "G7", "Am", "F", "G", "Bb"]);
}

#[rstest]
#[case(0, None)]
#[case(3, Some("capo on fret 3"))]
#[case(-7, Some("capo on fret 5"))]
#[case(9, None)]
fn capos(#[case] steps: i32, #[case] hint: Option<&str>) {
    assert_eq!(capo_hint(steps).as_deref(), hint);
}

#[test]
fn likeness_counts_shared_notes() {
    let (c, am) = (Chord::parse("C").unwrap(), Chord::parse("Am").unwrap());
    assert!((c.likeness(&am) - 0.6667).abs() < 0.001);
    assert_eq!(c.likeness(&c), 1.0);
}

#[rstest]
#[timeout(Duration::from_secs(4))]
fn long_songs_are_quick() {
    let sheet = "[C]la [G]la\n".repeat(5000);
    let started = Instant::now();
    let moved = transpose_sheet(&sheet, 5).unwrap();
    assert_eq!(moved.lines().count(), 5000);
    assert!(started.elapsed() < Duration::from_millis(1500));
}
