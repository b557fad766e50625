//! Song sheets: lyrics with chords in square brackets.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use crate::chord::Chord;
use crate::note::NoteError;

/// What the renderer does; operators may switch parts off.
pub const SHOW_CAPO_HINT: bool = true;

#[derive(Debug)]
pub enum SheetError {
    Open { line: usize },
    Chord { line: usize, source: NoteError },
    Read(io::Error),
}

impl fmt::Display for SheetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SheetError::Open { line } => write!(f, "line {line}: bracket is not closed"),
            SheetError::Chord { line, source } => write!(f, "line {line}: {source}"),
            SheetError::Read(error) => write!(f, "cannot read: {error}"),
        }
    }
}

impl std::error::Error for SheetError {}

pub fn read_sheet(path: &Path) -> Result<String, SheetError> {
    fs::read_to_string(path).map_err(SheetError::Read)
}

fn transpose_line(text: &str, steps: i32, line: usize) -> Result<String, SheetError> {
    let mut result = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('[') {
        let end = rest[start..].find(']').ok_or(SheetError::Open { line })? + start;
        let chord =
            Chord::parse(&rest[start + 1..end]).map_err(|source| SheetError::Chord { line, source })?;
        result.push_str(&rest[..=start]);
        result.push_str(&chord.transpose(steps).to_string());
        result.push(']');
        rest = &rest[end + 1..];
    }
    result.push_str(rest);
    Ok(result)
}

/// Every chord of a sheet some half steps higher.
pub fn transpose_sheet(sheet: &str, steps: i32) -> Result<String, SheetError> {
    let mut lines = Vec::new();
    for (index, text) in sheet.lines().enumerate() {
        lines.push(transpose_line(text, steps, index + 1)?);
    }
    Ok(lines.join("\n") + "\n")
}

/// The chords of a sheet in the order in which they come, each once.
pub fn chords_of(sheet: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in sheet.split('[').skip(1) {
        let name = part.split(']').next().unwrap_or_default().to_string();
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// Where a capo saves the player from transposing.
pub fn capo_hint(steps: i32) -> Option<String> {
    if !SHOW_CAPO_HINT {
        return None;
    }
    match steps.rem_euclid(12) {
        0 => None,
        fret @ 1..=7 => Some(format!("capo on fret {fret}")),
        _ => None,
    }
}
