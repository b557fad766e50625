use chord::{Note, NoteError};
use rstest::{fixture, rstest};

fn note(text: &str) -> Note {
    text.parse().unwrap()
}

#[fixture]
fn a() -> Note {
    note("A")
}

#[rstest]
#[case("C", 0)]
#[case("F#", 6)]
#[case("Gb", 6)]
#[case("Cb", 11)]
#[case("B#", 0)]
fn notes_have_an_index(#[case] text: &str, #[case] index: u8) {
    assert_eq!(note(text).index(), index);
}

#[rstest]
#[case::empty("", NoteError::Empty)]
#[case::letter("H", NoteError::Unknown("H".to_string()))]
#[case::twice("C##", NoteError::Unknown("C##".to_string()))]
fn bad_notes(#[case] text: &str, #[case] error: NoteError) {
    assert_eq!(text.parse::<Note>(), Err(error));
}

#[rstest]
fn concert_pitch(a: Note) {
    assert_eq!(a.frequency(4), Ok(440.0));
    assert_eq!(a.frequency(5), Ok(880.0));
}

#[test]
fn middle_c() {
    let frequency = note("C").frequency(4).unwrap();
    assert!((frequency - 261.6256).abs() < 0.0001, "{frequency}");
}

#[rstest]
fn octaves_have_limits(a: Note, #[values(-1, 10)] octave: i32) {
    assert_eq!(a.frequency(octave), Err(NoteError::Octave(octave)));
}

#[test]
fn messages_name_the_note() {
    assert_eq!("X".parse::<Note>().unwrap_err().to_string(), "unknown note X");
    assert_eq!(NoteError::Octave(12).to_string(), "no octave 12");
}

#[rstest]
fn steps_go_up(a: Note) {
    assert_eq!(a.steps_to(note("C")), 3);
    assert_eq!(note("C").steps_to(a), 9);
    assert_eq!(a.steps_to(a), 0);
}
