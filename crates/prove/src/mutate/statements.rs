//! Statements removed: calls whose result nobody uses.

use piton_guard::{Class, Piece};

use super::operators::is_of_loop;
use super::site::Sites;
use super::{Change, Operator};
use crate::code::{Code, Language};
use crate::words::{LEAVING_CALLS, STEPPING_CALLS, WAITING_CALLS};

pub(super) fn find(code: &Code<'_>, sites: &Sites, changes: &mut Vec<Change>) {
    for call in code.pieces_of(Class::Call) {
        if sites.may_reword(call.span.start) && is_statement(code, call) && may_be_missed(code, call) {
            let range = code.bytes(&call.span);
            let was = code.excerpt(&call.span);
            let replacement = match code.language {
                Language::Python => "pass".to_owned(),
                Language::Script => "void 0".to_owned(),
                // Names stay used and types known.
                Language::Rust => format!("if false {{ {was}; }}"),
                Language::Go => format!("if false {{ {was} }}"),
            };
            changes.push(Change {
                operator: Operator::RemoveStatement,
                at: call.span.start,
                range,
                replacement,
            });
        }
    }
}

/// Whether a call is all of a statement.
fn is_statement(code: &Code<'_>, call: &Piece) -> bool {
    let (before, behind) = (code.word_before(call.span.start), code.word(call.span.end));
    let starts = matches!(before, "{" | "}" | ";" | ":" | "" | "=>" | ")" | "else")
        || code.begins_line(call.span.start);
    let stands_alone = call.within == "expression_statement" && starts;
    match code.language {
        Language::Rust => stands_alone && behind == ";" && matches!(before, "{" | "}" | ";"),
        // The head of a loop takes no conditional.
        Language::Go => {
            stands_alone
                && behind != "{"
                && !(behind == ";" && before != "{")
                && code.begins_line(call.span.start)
        }
        Language::Python | Language::Script => stands_alone,
    }
}

/// Whether the program still ends, and still compiles, without a call.
fn may_be_missed(code: &Code<'_>, call: &Piece) -> bool {
    let last = code.last_name(&call.name);
    let is_macro = code.word_before(call.name.end) == "!";
    let is_needed = LEAVING_CALLS.contains(&last) || WAITING_CALLS.contains(&last) || call.name.is_empty();
    let mut words = code.words(&call.name).take(4);
    let in_loop = code.around(call.span.start).any(|piece| piece.class == Class::Loop);
    let goes_on = code.words(&call.name).next().is_some_and(|first| is_of_loop(code, call.span.start, first));
    let steps = in_loop && STEPPING_CALLS.contains(&last);
    let makes_way = goes_on || steps || words.any(|word| ["super", "yield"].contains(&word));
    // A call with a body of its own, such as a suite, is more than a statement.
    let is_long = code.last_line(&call.span) > code.line(call.span.start).saturating_add(20);
    !is_macro && !is_needed && !makes_way && !is_long
}
