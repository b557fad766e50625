//! The twelve notes and the steps between them.

use std::fmt;
use std::str::FromStr;

const NAMES: [&str; 12] = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Note(u8);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteError {
    Empty,
    Unknown(String),
    Octave(i32),
}

impl fmt::Display for NoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoteError::Empty => f.write_str("empty note"),
            NoteError::Unknown(text) => write!(f, "unknown note {text}"),
            NoteError::Octave(octave) => write!(f, "no octave {octave}"),
        }
    }
}

impl std::error::Error for NoteError {}

impl Note {
    /// Half steps above C.
    pub fn index(self) -> u8 {
        self.0
    }

    pub fn transpose(self, steps: i32) -> Note {
        Note((i32::from(self.0) + steps).rem_euclid(12) as u8)
    }

    /// Half steps up from one note to another.
    pub fn steps_to(self, other: Note) -> u8 {
        (other.0 + 12 - self.0) % 12
    }

    /// The frequency in an octave, with A4 at 440 Hz.
    pub fn frequency(self, octave: i32) -> Result<f64, NoteError> {
        if !(0..=9).contains(&octave) {
            return Err(NoteError::Octave(octave));
        }
        let steps = i32::from(self.0) - 9 + (octave - 4) * 12;
        Ok(440.0 * 2f64.powf(f64::from(steps) / 12.0))
    }
}

impl FromStr for Note {
    type Err = NoteError;

    fn from_str(text: &str) -> Result<Self, NoteError> {
        let mut letters = text.chars();
        let letter = letters.next().ok_or(NoteError::Empty)?;
        let natural = NAMES.iter().position(|name| name.len() == 1 && name.starts_with(letter));
        let natural = natural.ok_or_else(|| NoteError::Unknown(text.to_string()))? as i32;
        let shift = match letters.as_str() {
            "" => 0,
            "#" => 1,
            "b" => -1,
            _ => return Err(NoteError::Unknown(text.to_string())),
        };
        Ok(Note((natural + shift).rem_euclid(12) as u8))
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAMES[usize::from(self.0)])
    }
}
