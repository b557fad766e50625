//! Chords: a root and what is built on it.

use std::fmt;

use crate::note::{Note, NoteError};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quality {
    Major,
    Minor,
    Seventh,
    Diminished,
}

impl Quality {
    pub fn intervals(self) -> &'static [i32] {
        match self {
            Quality::Major => &[0, 4, 7],
            Quality::Minor => &[0, 3, 7],
            Quality::Seventh => &[0, 4, 7, 10],
            Quality::Diminished => &[0, 3, 6],
        }
    }

    fn suffix(self) -> &'static str {
        match self {
            Quality::Major => "",
            Quality::Minor => "m",
            Quality::Seventh => "7",
            Quality::Diminished => "dim",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chord {
    pub root: Note,
    pub quality: Quality,
}

impl Chord {
    pub fn parse(text: &str) -> Result<Chord, NoteError> {
        if text.is_empty() {
            return Err(NoteError::Empty);
        }
        let split = if text[1..].starts_with(['#', 'b']) { 2 } else { 1 };
        let root = text[..split].parse()?;
        let quality = match &text[split..] {
            "" => Quality::Major,
            "m" => Quality::Minor,
            "7" => Quality::Seventh,
            "dim" => Quality::Diminished,
            _ => return Err(NoteError::Unknown(text.to_string())),
        };
        Ok(Chord { root, quality })
    }

    pub fn notes(&self) -> Vec<Note> {
        self.quality.intervals().iter().map(|step| self.root.transpose(*step)).collect()
    }

    pub fn transpose(&self, steps: i32) -> Chord {
        Chord { root: self.root.transpose(steps), ..*self }
    }

    /// How alike two chords sound: the share of notes that both have.
    pub fn likeness(&self, other: &Chord) -> f64 {
        let (mine, theirs) = (self.notes(), other.notes());
        let shared = mine.iter().filter(|note| theirs.contains(note)).count();
        shared as f64 / mine.len().max(theirs.len()) as f64
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.root, self.quality.suffix())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("C", "C E G")]
    #[case("Am", "A C E")]
    #[case("G7", "G B D F")]
    #[case("Bdim", "B D F")]
    fn chords_have_notes(#[case] name: &str, #[case] notes: &str) {
        let found: Vec<String> = Chord::parse(name).unwrap().notes().iter().map(Note::to_string).collect();
        assert_eq!(found.join(" "), notes);
    }

    #[test]
    fn qualities_are_told_apart() {
        assert_eq!(Chord::parse("F#m").unwrap().quality, Quality::Minor);
        assert_eq!(Chord::parse("F#7").unwrap().quality, Quality::Seventh);
        assert_eq!(Chord::parse("F#").unwrap().quality, Quality::Major);
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(Chord::parse(""), Err(NoteError::Empty));
        assert_eq!(Chord::parse("Hm"), Err(NoteError::Unknown("H".to_string())));
        assert_eq!(Chord::parse("Csus"), Err(NoteError::Unknown("Csus".to_string())));
    }
}
