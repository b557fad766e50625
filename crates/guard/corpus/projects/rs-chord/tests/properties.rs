use chord::{Chord, Note};
use proptest::prelude::*;

fn notes() -> impl Strategy<Value = Note> {
    (0i32..12).prop_map(|steps| "C".parse::<Note>().unwrap().transpose(steps))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn transposing_back_is_nothing(note in notes(), steps in -100i32..100) {
        prop_assert_eq!(note.transpose(steps).transpose(-steps), note);
    }

    #[test]
    fn steps_lead_to_the_note(from in notes(), to in notes()) {
        prop_assert_eq!(from.transpose(i32::from(from.steps_to(to))), to);
    }

    #[test]
    fn names_are_read_back(note in notes()) {
        prop_assert_eq!(note.to_string().parse::<Note>(), Ok(note));
    }

    #[test]
    fn chords_are_read_back(note in notes(), suffix in prop::sample::select(vec!["", "m", "7", "dim"])) {
        let name = format!("{note}{suffix}");
        prop_assert_eq!(Chord::parse(&name).unwrap().to_string(), name);
    }

    #[test]
    fn frequencies_double(note in notes(), octave in 0i32..9) {
        let (low, high) = (note.frequency(octave).unwrap(), note.frequency(octave + 1).unwrap());
        prop_assert!((high / low - 2.0).abs() < 1e-9);
    }
}
