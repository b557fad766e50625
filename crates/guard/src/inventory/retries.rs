//! Tests that run again until they pass, whatever spells it: a loop around a `try`, a helper, an option.

use super::marks::{Mark, MarkKind};
use crate::language::Class;
use crate::source::{Piece, Source, Span};
use crate::text::ends_with_any;
use crate::vocabulary::RETRY_HELPERS;

/// The marks of a body whose assertions may fail a few times.
pub(super) fn of_body(source: &Source, body: &Span) -> Vec<Mark> {
    let found = source.pieces_in(body).find(|(_, piece)| match piece.class {
        Class::Loop => runs_again(source, piece),
        Class::Call => is_helper(source, piece) || is_any(source, piece),
        _ => false,
    });
    let mark = |piece: &Piece| Mark {
        kind: MarkKind::Retry,
        text: source.flat(&(piece.span.start..piece.body.start.max(piece.span.start + 1))),
        line: source.line(piece.span.start),
    };
    found.map(|(_, piece)| mark(piece)).into_iter().collect()
}

/// A loop that tries, and stops as soon as it worked.
fn runs_again(source: &Source, piece: &Piece) -> bool {
    let stops = |span: &Span| source.words(span).any(|word| ["break", "return"].contains(&word));
    let asserts = |span: &Span| {
        source.words(span).any(|word| {
            let lower = word.to_lowercase();
            lower.contains("assert")
                || ["expect", "error", "errorf", "require", "fatal", "fatalf", "fail"]
                    .contains(&lower.as_str())
        })
    };
    let header = piece.header();
    let counts_tries = source.words(&header).any(|word| {
        let lower = word.to_lowercase();
        lower.contains("attempt") || lower.contains("retry") || lower == "tries" || lower == "try_"
    });
    let goes_on = source.words(&piece.body).any(|word| word == "continue");
    if counts_tries && goes_on && stops(&piece.body) {
        return true;
    }
    source.pieces_in(&piece.body).any(|(_, inner)| match inner.class {
        Class::Try => {
            let caught = source.pieces_in(&inner.span).any(|(_, handler)| handler.class == Class::Handler);
            caught && asserts(&inner.body) && stops(&piece.body)
        }
        Class::Call => {
            let callee = source.flat(&inner.name);
            let tries = callee.ends_with("catch_unwind") || callee == "t.Run" && is_asked(source, inner);
            tries && asserts(&inner.arguments) && stops(&piece.body)
        }
        _ => false,
    })
}

/// `(0..10).any(|_| catch_unwind(…).is_ok())`.
fn is_any(source: &Source, piece: &Piece) -> bool {
    let callee = source.flat(&piece.name);
    let is_any = ends_with_any(&callee, &[".any", ".some", ".find", ".any?"]);
    is_any
        && source.pieces_in(&piece.arguments).any(|(_, inner)| {
            inner.class == Class::Try
                || inner.class == Class::Call && source.flat(&inner.name).ends_with("catch_unwind")
        })
}

/// Whether a condition looks at what a call answers.
fn is_asked(source: &Source, call: &Piece) -> bool {
    let before = source.word(call.span.start.wrapping_sub(1));
    ["if", "=", ":=", "!", "&&", "||"].contains(&before)
}

/// `retry(3, () => { expect(…) })`.
fn is_helper(source: &Source, piece: &Piece) -> bool {
    let last = source.words(&piece.name).last().unwrap_or_default();
    let plain = last.to_lowercase().replace('_', "");
    let holds_function = source.pieces_in(&piece.arguments).any(|(_, inner)| inner.class == Class::Lambda);
    let asserts = source.words(&piece.arguments).any(|word| {
        let lower = word.to_lowercase();
        lower.contains("assert") || lower == "expect"
    });
    RETRY_HELPERS.contains(&plain.as_str()) && holds_function && asserts
}

/// How often something runs again, from the text of its mark: the largest number in it, else once.
pub(crate) fn times(text: &str) -> u32 {
    let numbers = text.split(|character: char| !character.is_ascii_digit());
    numbers.filter_map(|word| word.parse().ok()).max().unwrap_or(1)
}
