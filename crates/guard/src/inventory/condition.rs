//! How much a condition says, from its tokens alone: the same for every language.

use super::{Strength, ordinary};
use crate::source::{Kind, Source, Span};
use crate::text::{ends_with_any, has_any};
use crate::vocabulary::COMPARISONS;
use crate::words::{self, NOTHING};

/// What a condition says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Judged {
    pub(crate) strength: Strength,
    pub(crate) subject: String,
    pub(crate) expected: String,
    /// How the two are compared, where the word that asserts does not say it.
    pub(crate) operator: String,
}

impl Judged {
    /// What compares a subject with what is expected of it.
    pub(super) fn of(strength: Strength, subject: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { strength, subject: subject.into(), expected: expected.into(), operator: String::new() }
    }
}

/// Judges a condition that must hold; `negated` where it must not.
pub(crate) fn judge(source: &Source, span: &Span, negated: bool) -> Judged {
    let span = peeled(source, span);
    let (or, and) = (["or", "||"], ["and", "&&"]);
    let (either, both) = if negated { (and, or) } else { (or, and) };
    let parts = source.split_at(&span, &either);
    if parts.len() > 1 {
        return weakest(source, &parts, negated, &span);
    }
    let parts = source.split_at(&span, &both);
    if parts.len() > 1 {
        let judged = parts.iter().map(|part| judge(source, part, negated));
        let strongest = judged.max_by_key(|judged| judged.strength).expect("there are several");
        return Judged { subject: source.flat(&span), ..strongest };
    }
    match source.word(span.start) {
        "not" | "!" => judge(source, &(span.start + 1..span.end), !negated),
        _ => single(source, &span, negated),
    }
}

/// A disjunction holds as soon as its weakest part does.
fn weakest(source: &Source, parts: &[Span], negated: bool, span: &Span) -> Judged {
    let flats: Vec<_> = parts.iter().map(|part| source.flat(part)).collect();
    let opposite = |a: &str, b: &str| {
        *b == format!("not {a}") || *b == format!("!{a}") || a != b && a.replace(" is ", " is not ") == *b
    };
    let complementary = flats.iter().any(|a| flats.iter().any(|b| opposite(a, b)));
    let judged = parts.iter().map(|part| judge(source, part, negated)).min_by_key(|judged| judged.strength);
    let weakest = judged.expect("there are several");
    let strength = match complementary {
        true => Strength::Tautology,
        // Any of several exact answers is no longer exact.
        false => weakest.strength.min(Strength::Relational),
    };
    Judged::of(strength, source.flat(span), weakest.expected)
}

fn single(source: &Source, span: &Span, negated: bool) -> Judged {
    let flat = source.flat(span);
    let sign = if negated { "!" } else { "" };
    let judged = |strength| Judged { operator: sign.to_owned(), ..Judged::of(strength, &*flat, "") };
    if is_constant(source, span) {
        let is_true = ordinary::truth(source, span).unwrap_or(true);
        return judged(if is_true != negated { Strength::Tautology } else { Strength::Exact });
    }
    if source.word(span.start) == "(" && source.split(&source.inside(span)).len() > 1 {
        // A tuple that is not empty is true, whatever is in it.
        return judged(Strength::Tautology);
    }
    if compares_with_itself(source, span) && !negated {
        return judged(Strength::Tautology);
    }
    match source.top_level(span, COMPARISONS).first() {
        Some(operator) => compared(source, span, *operator, negated),
        None => judged(of_expression(&flat)),
    }
}

/// `equal(x, x)`, in whatever package.
fn compares_with_itself(source: &Source, span: &Span) -> bool {
    let Some(open) = span.clone().find(|index| source.word(*index) == "(") else { return false };
    let operands = source.split(&(open + 1..source.closing(open)));
    let name = open.checked_sub(1).map_or("", |index| source.word(index)).to_lowercase();
    let compares =
        ["is", "as", "equal", "deepequal", "equals", "eq", "isdeepstrictequal"].contains(&name.as_str());
    compares && operands.len() == 2 && source.flat(&operands[0]) == source.flat(&operands[1])
}

/// `left operator right`.
fn compared(source: &Source, span: &Span, operator: usize, negated: bool) -> Judged {
    let (left, mut right) = (span.start..operator, operator + 1..span.end);
    let mut word = source.word(operator);
    if word == "is" && source.word(operator + 1) == "not" {
        word = "!=";
        right.start += 1;
    }
    let (left_flat, right_flat) = (source.flat(&left), source.flat(&right));
    let equal = matches!(word, "==" | "===" | "is");
    let unequal = matches!(word, "!=" | "!==");
    let (must_equal, must_differ) = if negated { (unequal, equal) } else { (equal, unequal) };
    let constants = is_constant(source, &left) && is_constant(source, &right);
    let strength = if left_flat == right_flat && !must_differ
        || constants
        || never_fails(&left_flat, word, &right_flat, negated)
    {
        Strength::Tautology
    } else if must_differ {
        if NOTHING.contains(&right_flat.as_str()) { Strength::Truthy } else { Strength::Relational }
    } else if must_equal && (left_flat.starts_with("type(") || left_flat.starts_with("typeof")) {
        Strength::Truthy
    } else if must_equal {
        // `err == nil` says only that nothing went wrong.
        let is_error = left_flat.ends_with("err") && right_flat == "nil";
        if is_error || matches_anything(&right_flat) { Strength::Truthy } else { Strength::Exact }
    } else if word == "instanceof" {
        Strength::Truthy
    } else {
        Strength::Relational
    };
    let (subject, expected) = match is_constant(source, &left) && !is_constant(source, &right) {
        true => {
            word = flipped(word);
            (right_flat, left_flat)
        }
        false => (left_flat, right_flat),
    };
    // Equality is what most assertions mean, however they spell it.
    let operator =
        if must_equal { String::new() } else { format!("{}{word}", if negated { "!" } else { "" }) };
    Judged { strength, subject, expected, operator }
}

/// The operator that says the same with its sides exchanged.
fn flipped(operator: &str) -> &str {
    match operator {
        "<" => ">",
        ">" => "<",
        "<=" => ">=",
        ">=" => "<=",
        other => other,
    }
}

/// A length is never below zero, and neither is the time that something took.
fn never_fails(left: &str, word: &str, right: &str, negated: bool) -> bool {
    let ends = [".length", ".len()", ".size", ".size()", ".Count", ".count()"];
    let lower = left.to_lowercase();
    let is_length = left.starts_with("len(")
        || ends_with_any(left, &ends)
        || has_any(&lower, &["elapsed", "duration", "since("]);
    is_length
        && match (word, negated) {
            (">=", false) | ("<", true) => right == "0" || right.starts_with('-'),
            (">", false) | ("<=", true) => right.starts_with('-'),
            _ => false,
        }
}

/// Something that equals everything.
pub(crate) fn matches_anything(expected: &str) -> bool {
    let anything = ["expect.anything()", "mock.ANY", "ANY", "unittest.mock.ANY"];
    anything.contains(&expected)
        || expected.starts_with("expect.any(")
        || expected.contains("asymmetricMatch") && expected.contains("=>true")
}

/// A condition that is no comparison.
fn of_expression(flat: &str) -> Strength {
    let exact =
        ["errors.is(", "deepequal(", "strictequal(", "cmp.equal(", "bytes.equal(", ".equals(", ".eq("];
    let relational = [
        "contains", "includes", ".starts", ".ends", "prefix(", "suffix(", "match", "search(", ".test(",
        "close(", "and(", "all(", "every(",
    ];
    let lower = flat.to_lowercase().replace('_', "");
    if flat.starts_with("isinstance(") && flat.ends_with(",object)") {
        Strength::Tautology
    } else if has_any(&lower, &exact) {
        Strength::Exact
    } else if has_any(&lower, &relational) {
        Strength::Relational
    } else {
        Strength::Truthy
    }
}

/// Whether nothing in it comes from the code under test.
pub(crate) fn is_constant(source: &Source, span: &Span) -> bool {
    !span.is_empty()
        && span.clone().all(|index| match source.tokens[index].kind {
            Kind::Number | Kind::Mark => true,
            Kind::Text => !is_interpolated(source.word(index)),
            Kind::Word => {
                words::is_value(source.word(index))
                    || ["Some", "Ok", "Err", "NaN"].contains(&source.word(index))
            }
        })
}

/// Whether a text has values in it.
fn is_interpolated(literal: &str) -> bool {
    let is_template = literal.starts_with('`') && literal.contains("${");
    let is_formatted = literal.starts_with("f\"") || literal.starts_with("f'");
    is_template || is_formatted && literal.contains('{')
}

/// Whether a condition is false in every ordinary run.
pub(crate) fn is_never(source: &Source, span: &Span) -> bool {
    !span.is_empty() && ordinary::truth(source, span) == Some(false)
}

/// Whether a condition is true in every ordinary run.
pub(crate) fn is_always(source: &Source, span: &Span) -> bool {
    !span.is_empty()
        && (ordinary::truth(source, span) == Some(true)
            || judge(source, span, false).strength == Strength::Tautology)
}

/// Without the brackets around it.
pub(super) fn peeled(source: &Source, span: &Span) -> Span {
    let mut span = span.clone();
    while source.word(span.start) == "(" {
        let inner = source.inside(&span);
        if inner == span || source.split(&inner).len() > 1 {
            break;
        }
        span = inner;
    }
    span
}
