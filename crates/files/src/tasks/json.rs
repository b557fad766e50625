//! Where the parts of a JSON text stand, so that one of them can be edited and every other byte kept.
//!
//! The text is known to be JSON: whoever asks has parsed it.

use std::ops::Range;

/// The members of the object that begins at `at`: each key as it is written, and where its value stands.
pub(super) fn members(text: &str, at: usize) -> Vec<(Range<usize>, Range<usize>)> {
    let mut members = Vec::new();
    let mut at = blank(text, at + 1);
    while text.as_bytes().get(at) == Some(&b'"') {
        let key = at..value_end(text, at);
        let colon = blank(text, key.end);
        let value = blank(text, colon + 1);
        let value = value..value_end(text, value);
        at = next(text, value.end);
        members.push((key, value));
    }
    members
}

/// Where the elements of the array that begins at `at` stand.
pub(super) fn elements(text: &str, at: usize) -> Vec<Range<usize>> {
    let mut elements = Vec::new();
    let mut at = blank(text, at + 1);
    while text.as_bytes().get(at).is_some_and(|byte| *byte != b']') {
        let element = at..value_end(text, at);
        at = next(text, element.end);
        elements.push(element);
    }
    elements
}

/// Where the value of the whole text begins.
pub(super) fn begin(text: &str) -> usize {
    blank(text, text.len() - text.trim_start_matches('\u{feff}').len())
}

fn blank(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or("");
    text.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len()
}

/// Behind the comma that follows, if one does.
fn next(text: &str, at: usize) -> usize {
    let at = blank(text, at);
    if text.as_bytes().get(at) == Some(&b',') { blank(text, at + 1) } else { at }
}

fn value_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut at, mut in_text) = (0_usize, at, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if in_text => at += 1,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return at,
            b'}' | b']' => depth -= 1,
            b',' | b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
        if depth == 0 && !in_text && matches!(byte, b'"' | b'}' | b']') {
            return at;
        }
    }
    text.len()
}
