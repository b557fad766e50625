//! Answers that are right at the tested points only.
//!
//! A test that calls `f(3)` and expects 9 is a point. Code that knows the point instead of the rule is right there and
//! nowhere else: [`neighbours`] are inputs at which it can be asked, [`memorised`] are places that look as if they
//! knew, and [`said`] reads from what a runner printed what came instead.

mod answers;
mod claims;
mod expectations;
mod memorised;
mod said;
mod tables;

use std::ops::Range;

use crate::code::Code;
use crate::literal::{Number, Text};
use crate::mutate::replaced;

pub use expectations::{Expectation, expectations};
pub use memorised::{Memorised, memorised};
pub(crate) use said::of_test;
pub use said::{Said, said};

/// A literal argument of a call of product code in a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// The file of the test.
    pub path: String,
    /// The test, as the guard names it.
    pub test: String,
    /// Where the literal stands, from 1.
    pub line: u32,
    /// The function that is called with it, by its own name.
    pub call: String,
    /// The bytes of the literal.
    pub range: Range<usize>,
    /// The literal as it is written.
    pub literal: String,
    /// What the test expects of the call, where that is a literal too.
    pub expected: Option<String>,
}

impl Point {
    /// The text of the test file with another literal in this place.
    pub fn with(&self, text: &str, literal: &str) -> String {
        replaced(text, &self.range, literal)
    }
}

/// The points that the tests of a file use, in the order of the file.
pub fn points(path: &str, text: &str) -> Vec<Point> {
    let Some(code) = Code::of(path, text) else { return Vec::new() };
    let mut found = Vec::new();
    for test in &code.outline.tests {
        let claims = claims::claims(&code, test);
        let mut add = |found_points: Vec<answers::Found>| {
            for point in found_points {
                let range = code.bytes(&point.literal);
                found.push(Point {
                    path: path.to_owned(),
                    test: test.name.clone(),
                    line: code.line(point.literal.start),
                    call: point.call,
                    literal: text.get(range.clone()).unwrap_or_default().to_owned(),
                    range,
                    expected: point.expected,
                });
            }
        };
        add(answers::of_calls(&code, test, &claims));
        add(tables::of_tables(&code, test, &claims));
    }
    found.sort_by_key(|point| (point.range.start, point.expected.is_none()));
    found.dedup_by(|one, other| one.range == other.range && one.test == other.test);
    found
}

/// Literals near this one, of the same type. Never empty for numbers and texts; none for booleans and for nothing.
pub fn neighbours(literal: &str) -> Vec<String> {
    if let Some(text) = Text::read(literal) {
        return near_text(&text);
    }
    let (sign, digits) = match literal.strip_prefix('-') {
        Some(digits) => ("-", digits.trim_start()),
        None => ("", literal),
    };
    if let Some(number) = Number::read(digits) {
        return number.others().iter().map(|other| format!("{sign}{other}")).collect();
    }
    // A number of a form of its own: another last digit.
    let is_number = digits.starts_with(|first: char| first.is_ascii_digit());
    let last = digits.rfind(|letter: char| letter.is_ascii_digit()).filter(|_| is_number);
    last.map(|at| {
        let digit = if digits[at..].starts_with('1') { '0' } else { '1' };
        format!("{sign}{}{digit}{}", &digits[..at], &digits[at + 1..])
    })
    .into_iter()
    .collect()
}

fn near_text(text: &Text<'_>) -> Vec<String> {
    if text.is_letter() {
        // Elsewhere than in scripts, what is between single quotes is one letter.
        let other = text.other().unwrap_or_else(|| [text.opening, "x", text.closing].concat());
        let instead = [text.opening, "y", text.closing].concat();
        return if other == [text.opening, text.inside, text.closing].concat() {
            vec![instead]
        } else {
            vec![other]
        };
    }
    let mut found: Vec<String> = text.other().into_iter().chain(text.shorter()).collect();
    if found.is_empty() {
        found.push(text.longer());
    }
    found
}

#[cfg(test)]
mod tests;
