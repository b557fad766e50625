//! Error paths swallowed: what went wrong is not said any more.

use piton_guard::{Class, Piece};

use super::returns::{function_of, results_of_go, value_of};
use super::site::Sites;
use super::{Change, Operator};
use crate::code::{Code, Language};

pub(super) fn find(code: &Code<'_>, sites: &Sites, changes: &mut Vec<Change>) {
    let pieces = code.outline.pieces.iter().filter(|piece| sites.may_touch(piece.span.start));
    for piece in pieces {
        let found = match (code.language, piece.class) {
            (Language::Python | Language::Script, Class::Throw) => unthrown(code, piece),
            (Language::Go, Class::If) => unasked(code, piece),
            (Language::Go, Class::Return) => unreturned(code, piece),
            (Language::Rust, Class::Call) => unlooked(code, piece),
            _ => None,
        };
        changes.extend(found);
    }
}

fn change(at: usize, range: std::ops::Range<usize>, replacement: String) -> Option<Change> {
    Some(Change { operator: Operator::SwallowError, at, range, replacement })
}

/// `raise` and `throw`.
fn unthrown(code: &Code<'_>, thrown: &Piece) -> Option<Change> {
    let end = thrown.span.end - usize::from(code.word_before(thrown.span.end) == ";");
    let nothing = if code.language == Language::Python { "pass" } else { "void 0" };
    change(thrown.span.start, code.bytes(&(thrown.span.start..end)), nothing.to_owned())
}

/// `if err != nil` that never is.
fn unasked(code: &Code<'_>, piece: &Piece) -> Option<Change> {
    let condition = &piece.condition;
    let is_error = condition.len() == 3
        && code.word(condition.start).to_lowercase().ends_with("err")
        && code.word(condition.start + 1) == "!="
        && code.word(condition.start + 2) == "nil";
    if !is_error {
        return None;
    }
    change(condition.start, code.bytes(condition), format!("{} && false", code.excerpt(condition)))
}

/// `return 0, errors.New("…")` without the error. What is left out stays in the text, so that all names are used.
fn unreturned(code: &Code<'_>, leaving: &Piece) -> Option<Change> {
    let value = value_of(code, leaving)?;
    let function = function_of(code, leaving)?;
    let (types, mut values) = (results_of_go(code, function), code.split(&value));
    let gives_error = types.last().is_some_and(|last| code.word_before(last.end) == "error");
    let error = values.pop()?;
    let error_text = code.excerpt(&error);
    if !gives_error || types.len() != values.len() + 1 || error_text == "nil" {
        return None;
    }
    let is_made = error_text.contains("rr");
    let mut kept: Vec<_> = values.iter().map(|value| code.excerpt(value)).collect();
    kept.push("nil");
    let whole = leaving.span.start..value.end;
    let replacement = format!("if true {{ return {} }}; {}", kept.join(", "), code.excerpt(&whole));
    is_made.then(|| change(leaving.span.start, code.bytes(&whole), replacement)).flatten()
}

/// `call()?;` whose error nobody looks at.
fn unlooked(code: &Code<'_>, call: &Piece) -> Option<Change> {
    let question = call.span.end;
    let before = code.word_before(call.span.start);
    let is_statement =
        code.word(question) == "?" && code.word(question + 1) == ";" && matches!(before, "{" | "}" | ";");
    if call.within != "try_expression" || !is_statement {
        return None;
    }
    change(
        call.span.start,
        code.bytes(&(call.span.start..question + 1)),
        format!("let _ = {}", code.excerpt(&call.span)),
    )
}
