//! Literal arguments of calls, and what is expected of those calls.

use std::ops::Range;

use piton_guard::{Kind, Test};

use super::claims::Claim;
use crate::code::{Code, Language};
use crate::literal::Text;
use crate::words::{is_builtin, is_framework};

/// A point, in tokens.
pub(super) struct Found {
    pub(super) call: String,
    pub(super) literal: Range<usize>,
    pub(super) expected: Option<String>,
}

/// The literal arguments of the calls of product code in a test.
pub(super) fn of_calls(code: &Code<'_>, test: &Test, claims: &[Claim]) -> Vec<Found> {
    let mut found = Vec::new();
    for index in test.span.clone() {
        if !is_product_call(code, index) {
            continue;
        }
        let claim = claims.iter().find(|claim| claim.calls.contains(&index));
        for argument in code.split(&(index + 2..code.closing(index + 1))) {
            if let Some(literal) = literal(code, &argument) {
                found.push(Found {
                    call: code.word(index).to_owned(),
                    literal,
                    expected: claim.map(|claim| claim.expected.clone()),
                });
            }
        }
    }
    found
}

/// Whether a token is the name of a call that may be of product code.
pub(super) fn is_product_call(code: &Code<'_>, index: usize) -> bool {
    let word = code.word(index);
    let is_definition =
        matches!(code.word_before(index), "def" | "fn" | "func" | "function" | "class" | "new");
    let is_call = code.is_word(index) && code.word(index + 1) == "(" && code.partner(index + 1).is_some();
    is_call && !is_definition && !is_framework(word) && !is_builtin(word)
}

/// The literal that an argument is, behind its name and before what makes another type of it.
pub(super) fn literal(code: &Code<'_>, argument: &Range<usize>) -> Option<Range<usize>> {
    let mut span = argument.clone();
    if code.language == Language::Python && code.is_word(span.start) && code.word(span.start + 1) == "=" {
        span.start += 2;
    }
    while code.word(span.start) == "&" {
        span.start += 1;
    }
    let converts = span.len() >= 5
        && code.word(span.end - 2) == "("
        && ["to_string", "to_owned", "into"].contains(&code.word(span.end - 3))
        && code.word(span.end - 4) == ".";
    if converts {
        span.end -= 4;
    }
    is_literal(code, &span).then_some(span)
}

fn is_literal(code: &Code<'_>, span: &Range<usize>) -> bool {
    match span.len() {
        1 => is_literal_token(code, span.start),
        2 => code.word(span.start) == "-" && code.kind(span.start + 1) == Some(Kind::Number),
        _ => false,
    }
}

pub(super) fn is_literal_token(code: &Code<'_>, index: usize) -> bool {
    match code.kind(index) {
        Some(Kind::Number) => true,
        // A text with code in it is no literal, and neither is a pattern.
        Some(Kind::Text) => Text::read(code.word(index)).is_some_and(|text| {
            let is_filled =
                text.opening.contains(['f', 'F']) || text.opening == "`" && text.inside.contains("${");
            !is_filled
        }),
        Some(Kind::Word) => {
            matches!(
                code.word(index),
                "true" | "false" | "True" | "False" | "None" | "null" | "nil" | "undefined"
            )
        }
        _ => false,
    }
}

/// What is expected, as it is written, where it is written down: a literal, or a list of nothing else.
pub(super) fn written_down(code: &Code<'_>, span: &Range<usize>) -> Option<String> {
    /// Longer answers are not compared with what code says.
    const TOKENS_MAX: usize = 64;
    let mut span = span.clone();
    if let Some(literal) = literal(code, &span) {
        return Some(code.excerpt(&literal).to_owned());
    }
    while code.word(span.start) == "&" {
        span.start += 1;
    }
    // `Ok(9)`, `Some(9)`, and other brackets around one value.
    let is_wrapped =
        matches!(code.word(span.start), "Ok" | "Some") && code.partner(span.start + 1) == Some(span.end - 1);
    if is_wrapped || code.word(span.start) == "(" && code.split(&code.inside(&span)).len() == 1 {
        let inside = code.inside(&(span.start + usize::from(is_wrapped)..span.end));
        return (inside.len() < span.len()).then(|| written_down(code, &inside)).flatten();
    }
    if code.word(span.start) == "vec" && code.word(span.start + 1) == "!" {
        span.start += 2;
    }
    let is_list =
        matches!(code.word(span.start), "[" | "(" | "{") && code.partner(span.start) == Some(span.end - 1);
    let is_plain = |index: usize| {
        is_literal_token(code, index)
            || matches!(code.word(index), "[" | "]" | "(" | ")" | "{" | "}" | "," | ":" | "-")
    };
    let has_literal = span.clone().any(|index| is_literal_token(code, index));
    let fits = is_list && has_literal && span.len() <= TOKENS_MAX && span.clone().all(is_plain);
    fits.then(|| code.excerpt(&span).to_owned())
}
