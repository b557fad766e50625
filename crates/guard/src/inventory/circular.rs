//! Assertions that compare the code under test with itself: a value taken a moment before, a copy, a file that the
//! test has just written, or a constant that stands for the result.

use super::condition::Judged;
use super::{Strength, facts};
use crate::language::Class;
use crate::source::{Source, Span};
use crate::text::{ends_in_name, has_any, identifiers};
use crate::vocabulary::{COPIES, COPY_ENDS, READING, WRITES};
use crate::words;

/// Names are followed so often, not further.
const STEPS_MAX: usize = 4;

/// A value that was taken further away was not taken a moment before.
const PIECES_MAX: usize = 400;

/// Whether an assertion at `at`, inside of `within`, can only hold.
pub(super) fn is_circular(source: &Source, within: &Span, span: &Span, judged: &Judged) -> bool {
    if judged.strength < Strength::Relational || judged.strength == Strength::Condition {
        return false;
    }
    let subject = judged.subject.rsplit("; ").next().unwrap_or_default().to_owned();
    let expected = judged.expected.clone();
    if subject.is_empty() || expected.is_empty() {
        return false;
    }
    let scope = Scope { source, within, span };
    let (left, right) = (scope.meanings(&subject), scope.meanings(&expected));
    let is_followed = left.len() > 1 || right.len() > 1 || left[0] != subject || right[0] != expected;
    let is_same = is_followed && left.iter().any(|text| right.contains(text) && scope.is_from_code(text));
    let is_equal = judged.operator.is_empty() && judged.strength == Strength::Exact;
    is_equal && (is_same || scope.is_fixed(&subject, &expected)) || scope.is_written(&subject, &expected)
}

struct Scope<'a> {
    source: &'a Source,
    within: &'a Span,
    span: &'a Span,
}

impl Scope<'_> {
    /// An expression without copies, and what its name was given a moment before, step by step.
    fn meanings(&self, text: &str) -> Vec<String> {
        let mut found = vec![plain(text)];
        let mut followed: Vec<Span> = Vec::new();
        while found.len() < STEPS_MAX {
            let Some((binding, value)) = found.last().and_then(|text| self.bound(text)) else { break };
            if !self.is_still(&binding, &followed) {
                break;
            }
            followed.push(binding);
            found.push(plain(&value));
        }
        found
    }

    /// Whether a text stands for something that the code under test gave.
    fn is_from_code(&self, text: &str) -> bool {
        let is_call = text.contains('(') || text.contains('.') || text.contains('[');
        is_call || self.bound(text).is_some_and(|(_, value)| value.contains('('))
    }

    /// What a name was last given before the assertion.
    fn bound(&self, name: &str) -> Option<(Span, String)> {
        let is_name = name.chars().all(|character| character.is_alphanumeric() || character == '_');
        if !is_name || name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
            return None;
        }
        let source = self.source;
        let (start, end) = (self.within.start, self.span.end);
        let last = source.pieces.partition_point(|piece| piece.span.start < end);
        let before = source.pieces[..last].iter().rev().take(PIECES_MAX);
        before.take_while(|piece| piece.span.start >= start).find_map(|piece| {
            let binds = piece.class == Class::Binding && piece.span.end <= end && !piece.arguments.is_empty();
            if !binds || !source.words(&piece.name).any(|word| word == name) {
                return None;
            }
            let names = source.split(&piece.name);
            let at = names.iter().position(|span| source.words(span).last() == Some(name))?;
            let values = source.split(&piece.arguments);
            let value = match (names.len(), values.len()) {
                (a, b) if a == b => values[at].clone(),
                // `value, err := call()`: the first of what it gives.
                (_, 1) if at == 0 => piece.arguments.clone(),
                _ => return None,
            };
            Some((piece.span.clone(), source.flat(&value)))
        })
    }

    /// Whether nothing that could change the answer happened since.
    fn is_still(&self, binding: &Span, followed: &[Span]) -> bool {
        let mut between = self.source.pieces_in(&(binding.end..self.span.start.max(binding.end)));
        !between.any(|(_, piece)| {
            piece.class == Class::Call
                && !followed.iter().any(|span| span.start <= piece.span.start && piece.span.end <= span.end)
        })
    }

    /// Whether both sides are constants of the test itself.
    fn is_fixed(&self, subject: &str, expected: &str) -> bool {
        let last = |text: &str| self.meanings(text).pop().unwrap_or_default();
        let (left, right) = (last(subject), last(expected));
        let is_name =
            |text: &str| text.chars().all(|character| character.is_alphanumeric() || character == '_');
        is_name(subject) && left != subject && is_constant(&left) && is_constant(&right)
    }

    /// Whether one side is read from a file that the test has just written with the other.
    fn is_written(&self, subject: &str, expected: &str) -> bool {
        let words = |text: &str| -> Vec<String> {
            let split = identifiers(text);
            split.filter(|word| word.len() > 1).map(str::to_owned).collect()
        };
        let names_read = |words: &[String]| words.iter().any(|word| has_any(&word.to_lowercase(), READING));
        let reads = |text: &str| {
            let words_of = words(text);
            let bound = |word: &String| self.bound(word).is_some_and(|(_, value)| names_read(&words(&value)));
            names_read(&words_of) || words_of.iter().any(bound)
        };
        if !reads(subject) && !reads(expected) {
            return false;
        }
        let source = self.source;
        let before = self.within.start..self.span.start.max(self.within.start);
        let written: Vec<String> = source
            .pieces_in(&before)
            .filter(|(_, piece)| {
                piece.class == Class::Call && ends_in_name(&source.flat(&piece.name), WRITES)
            })
            .map(|(_, piece)| source.flat(&piece.arguments))
            .collect();
        if written.is_empty() {
            return false;
        }
        let is_written = |text: &str| {
            words(text).iter().any(|word| {
                self.bound(word).is_some() && written.iter().any(|arguments| words(arguments).contains(word))
            })
        };
        reads(subject) && is_written(expected) || reads(expected) && is_written(subject)
    }
}

/// Without what only copies.
fn plain(text: &str) -> String {
    let mut text = text.trim();
    loop {
        let before = text;
        for start in COPIES {
            if let Some(rest) = text.strip_prefix(start) {
                let opens = start.contains('(');
                match (opens, rest.strip_suffix(')')) {
                    (true, Some(inner)) if facts::is_balanced(inner) => text = inner,
                    (false, _) => text = rest,
                    _ => {}
                }
            }
        }
        for end in COPY_ENDS {
            text = text.strip_suffix(end).unwrap_or(text);
        }
        for (open, close) in [("[...", "]"), ("{...", "}")] {
            text = text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)).unwrap_or(text);
        }
        if text == before {
            return text.to_owned();
        }
    }
}

fn is_constant(text: &str) -> bool {
    let is_number = text.trim_start_matches('-').replace('_', "").parse::<f64>().is_ok();
    let is_text = text.len() > 1 && text.starts_with('"') && text[1..].find('"') == Some(text.len() - 2);
    is_number || is_text || words::is_value(text)
}
