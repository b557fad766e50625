//! What a condition comes to in an ordinary run: nobody has set a variable, switched on a feature or passed a flag.
//!
//! `if os.environ.get("RUN_ALL")`, `if cfg!(test)` and `if 1 == 2` look different and do the same: they decide
//! before the code under test has said anything. Values are followed through names that are bound once.

use super::condition::peeled;
use super::facts;
use crate::language::Class;
use crate::source::{Kind, Source, Span};
use crate::text::has_any;
use crate::vocabulary::COMPARISONS;

/// Names are followed so often, not further.
const STEPS_MAX: usize = 4;

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Boolean(bool),
    Number(f64),
    Text(String),
    /// Nothing at all: `None`, `undefined`, a variable that nobody set.
    Nothing,
    /// Some number of at least one.
    Positive,
}

impl Value {
    pub(super) fn truth(&self) -> bool {
        match self {
            Self::Boolean(value) => *value,
            Self::Number(value) => *value != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::Nothing => false,
            Self::Positive => true,
        }
    }
}

/// What a condition comes to in an ordinary run; `None` where that depends on the code under test or the machine.
pub(crate) fn truth(source: &Source, span: &Span) -> Option<bool> {
    value(source, span, STEPS_MAX).map(|value| value.truth())
}

/// What an expression is in an ordinary run.
fn value(source: &Source, span: &Span, steps: usize) -> Option<Value> {
    let span = peeled(source, span);
    if span.is_empty() || steps == 0 {
        return None;
    }
    for (word, decides) in [(&["or", "||"], true), (&["and", "&&"], false)] {
        let parts = source.split_at(&span, word);
        if parts.len() > 1 {
            return joined(source, &parts, decides, steps);
        }
    }
    match source.word(span.start) {
        "not" | "!" => {
            let mut rest = span.start + 1..span.end;
            if source.word(rest.start) == "!" {
                rest.start += 1;
                return value(source, &rest, steps).map(|value| Value::Boolean(value.truth()));
            }
            return value(source, &rest, steps).map(|value| Value::Boolean(!value.truth()));
        }
        _ => {}
    }
    match source.top_level(&span, COMPARISONS).first() {
        Some(operator) => compared(source, &span, *operator, steps).map(Value::Boolean),
        None => single(source, &span, steps),
    }
}

/// `a or b`, where `decides` decides; `a and b`, where it does not.
fn joined(source: &Source, parts: &[Span], decides: bool, steps: usize) -> Option<Value> {
    let values: Vec<_> = parts.iter().map(|part| value(source, part, steps)).collect();
    let is = |wanted: bool| move |value: &Option<Value>| value.as_ref().is_some_and(|v| v.truth() == wanted);
    if let Some(decided) = values.iter().find(|value| is(decides)(value)) {
        return decided.clone();
    }
    values.iter().all(is(!decides)).then(|| values.last().cloned().flatten()).flatten()
}

fn compared(source: &Source, span: &Span, operator: usize, steps: usize) -> Option<bool> {
    let (left, mut right) = (span.start..operator, operator + 1..span.end);
    let mut word = source.word(operator).to_owned();
    let mut left_end = left.end;
    if word == "in" && source.word(operator.saturating_sub(1)) == "not" {
        word = "not in".to_owned();
        left_end -= 1;
    }
    if word == "is" && source.word(operator + 1) == "not" {
        word = "!=".to_owned();
        right.start += 1;
    }
    let left = left.start..left_end;
    if let Some(known) = facts::compared(&source.flat(&left), &word, &source.flat(&right)) {
        return Some(known);
    }
    let (a, b) = (value(source, &left, steps)?, value(source, &right, steps)?);
    facts::compare(&a, &word, &b)
}

fn single(source: &Source, span: &Span, steps: usize) -> Option<Value> {
    let flat = source.flat(span);
    if let Some(value) = literal(source, span, &flat).or_else(|| facts::known(&flat)) {
        return Some(value);
    }
    // A pointer to a flag.
    let span = if source.word(span.start) == "*" { span.start + 1..span.end } else { span.clone() };
    let is_name = span.len() == 1 && source.tokens[span.start].kind == Kind::Word;
    let bound = is_name.then(|| bound(source, &span)).flatten()?;
    let found = value(source, &bound, steps - 1)?;
    // What is counted or built up changes; a switch does not.
    matches!(found, Value::Boolean(_) | Value::Nothing | Value::Text(_)).then_some(found)
}

fn literal(source: &Source, span: &Span, flat: &str) -> Option<Value> {
    match flat {
        "True" | "true" => return Some(Value::Boolean(true)),
        "False" | "false" => return Some(Value::Boolean(false)),
        "None" | "null" | "nil" | "undefined" => return Some(Value::Nothing),
        "[]" | "{}" | "()" => return Some(Value::Nothing),
        _ => {}
    }
    if span.len() != 1 {
        return None;
    }
    match source.tokens[span.start].kind {
        Kind::Number => flat.replace('_', "").parse().ok().map(Value::Number),
        Kind::Text if flat.starts_with('"') => Some(Value::Text(flat.trim_matches('"').to_owned())),
        _ => None,
    }
}

/// The value of a name that is bound once in the whole file.
fn bound(source: &Source, name: &Span) -> Option<Span> {
    let word = source.word(name.start);
    // Few pieces are bindings: they are looked at before every word of the file is.
    let mut found = source.pieces.iter().filter(|piece| {
        piece.class == Class::Binding
            && piece.span.start != name.start
            && (source.words(&piece.name).last() == Some(word) || source.word(piece.name.start) == word)
    });
    let (first, second) = (found.next()?, found.next());
    if second.is_some() || first.arguments.is_empty() {
        return None;
    }
    let sets = |index: &usize| {
        source.word(*index) == word
            && (matches!(source.word(index + 1), "=" | ":=" | "+=" | "-=" | "|=" | "++" | "--")
                || matches!(source.word(index.wrapping_sub(1)), "mut" | "nonlocal" | "global"))
    };
    let is_set_again = (0..source.tokens.len()).filter(sets).nth(1).is_some();
    (!is_set_again).then(|| first.arguments.clone())
}

/// What a predicate of `cfg` comes to: `all(test, not(feature = "x"))`.
pub(crate) fn configured(source: &Source, span: &Span) -> Option<bool> {
    let inner = || {
        let open = span.start + 1;
        source.split(&(open + 1..source.closing(open)))
    };
    let flat = source.flat(span);
    match source.word(span.start) {
        "not" => configured(source, inner().first()?).map(|value| !value),
        word @ ("any" | "all") if source.word(span.start + 1) == "(" => {
            let decides = word == "any";
            let parts: Vec<_> = inner().iter().map(|part| configured(source, part)).collect();
            if parts.contains(&Some(decides)) {
                return Some(decides);
            }
            parts.iter().all(|part| *part == Some(!decides)).then_some(!decides)
        }
        "test" | "debug_assertions" | "true" if span.len() == 1 => Some(true),
        "false" | "FALSE" | "never" | "disabled" if span.len() == 1 => Some(false),
        // What most crates switch on by default is no switch.
        "feature" if has_any(&flat, &["\"std\"", "\"default\"", "\"alloc\""]) => None,
        "feature" => Some(false),
        // Checks run on Linux.
        "target_os" => Some(flat.contains("linux")),
        "windows" if span.len() == 1 => Some(false),
        _ if flat.starts_with("target_") || ["unix", "windows", "miri", "doc"].contains(&flat.as_str()) => {
            None
        }
        _ => None,
    }
}
