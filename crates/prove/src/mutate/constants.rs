//! Other values where one is written down: numbers, switches, and texts that are values.

use std::collections::BTreeSet;

use piton_guard::{Class, Kind, Place};

use super::operators::{goes_on, is_in_header, steps};
use super::site::Sites;
use super::{Change, Operator};
use crate::code::{Code, Language};
use crate::literal::{Number, Text};
use crate::words::{TEXT_CALLS, names_message};

/// Nodes in which a text is given back, bound, or chosen.
const VALUES: &[&str] = &[
    "return_statement",
    "assignment",
    "variable_declarator",
    "let_declaration",
    "const_item",
    "static_item",
    "match_arm",
    "block",
    "conditional_expression",
    "ternary_expression",
    "arrow_function",
    "default_parameter",
    "typed_default_parameter",
    "field_initializer",
    "return_expression",
    "assignment_expression",
    "list",
    "array",
];

/// Nodes that compare a text with another.
const COMPARING: &[&str] = &["binary_expression", "comparison_operator"];

pub(super) fn find(code: &Code<'_>, sites: &Sites, changes: &mut Vec<Change>) {
    let lengths = lengths(code);
    for index in 0..code.len() {
        if !sites.may_reword(index) {
            continue;
        }
        let found = match (code.kind(index), code.token(index).map(|token| token.place)) {
            (Some(Kind::Number), Some(Place::Code)) if !is_length(code, &lengths, index) => {
                number(code, index)
            }
            (Some(Kind::Number), Some(Place::Pattern)) if names_case(code.within(index)) => {
                number(code, index)
            }
            (Some(Kind::Word), Some(Place::Code)) => boolean(code, index),
            (Some(Kind::Text), Some(Place::Code)) => text(code, index),
            _ => None,
        };
        if let Some(replacement) = found {
            let (operator, range) = (Operator::ChangeConstant, code.bytes(&(index..index + 1)));
            // What is added may be missed altogether: what rounds an answer shows in a few of them only.
            let is_added =
                matches!(code.word_before(index), "+" | "-") && code.kind(index) == Some(Kind::Number);
            let nothing = Number::read(code.word(index)).filter(|number| is_added && number.value() > 1);
            if let Some(number) = nothing {
                changes.push(Change {
                    operator,
                    at: index,
                    range: range.clone(),
                    replacement: number.with(0),
                });
            }
            changes.push(Change { operator, at: index, range, replacement });
        }
    }
}

fn names_case(within: &str) -> bool {
    ["match_pattern", "or_pattern", "case_pattern"].contains(&within)
}

fn number(code: &Code<'_>, index: usize) -> Option<String> {
    let within = code.within(index);
    let is_structure = match code.language {
        Language::Rust => {
            // `.0`, a discriminant, what a macro makes something of, the length of an array.
            ["field_expression", "enum_variant", "token_tree"].contains(&within)
                || within == "array_expression" && code.word_before(index) == ";"
        }
        Language::Go => is_case_of_go(code, index) || is_length_of_make(code, index),
        Language::Python | Language::Script => within == "format_specifier",
    };
    let is_step = (code.word_before(index).ends_with('=') && goes_on(code, index - 1))
        || code.word_before(index) != "=" && steps(code, index);
    if is_structure || is_key(code, index) || is_step {
        return None;
    }
    let number = Number::read(code.word(index))?;
    let indexes = matches!(
        within,
        "index_expression" | "subscript" | "subscript_expression" | "slice" | "slice_expression"
    );
    let shifts = matches!(code.word_before(index), "<<" | ">>");
    // The next one may be out of range, which a compiler can see.
    // What a loop looks at decides whether it ends.
    if indexes && is_in_header(code, index) {
        return None;
    }
    if (indexes || shifts) && number.value() > 0 {
        return Some(number.with(number.value() - 1));
    }
    (!shifts).then(|| number.next()).flatten()
}

fn boolean(code: &Code<'_>, index: usize) -> Option<String> {
    let other = match code.word(index) {
        "true" => "false",
        "false" => "true",
        "True" => "False",
        "False" => "True",
        _ => return None,
    };
    let is_name = matches!(code.word_before(index), "." | "?.")
        || code.word(index + 1) == ":" && code.within(index) == "pair";
    // `while true`.
    let is_endless = code
        .around(index)
        .take(2)
        .any(|piece| piece.class == Class::Loop && index < piece.body.start.max(piece.span.start));
    let is_case =
        code.language == Language::Go && is_case_of_go(code, index) || code.within(index) == "jsx_text";
    (!is_name && !is_endless && !is_case).then(|| other.to_owned())
}

fn text(code: &Code<'_>, index: usize) -> Option<String> {
    let text = Text::read(code.word(index))?;
    let is_regex = code.word(index).starts_with('/') || text.opening.contains(['f', 'F']);
    if is_regex || is_key(code, index) || !is_value(code, index, &text) {
        return None;
    }
    let has_letters = code.language == Language::Rust || code.language == Language::Go;
    if text.is_bytes() || has_letters && text.opening.ends_with('\'') {
        return text.other().or_else(|| letter(&text));
    }
    Some(text.longer())
}

/// A mark instead of another.
fn letter(text: &Text<'_>) -> Option<String> {
    let other = if text.inside == "." { "," } else { "." };
    text.is_letter().then(|| [text.opening, other, text.closing].concat())
}

/// Whether a text is a value that code works with: not a name, a key, or words for a person.
fn is_value(code: &Code<'_>, index: usize, text: &Text<'_>) -> bool {
    let is_case = code.language == Language::Go && is_case_of_go(code, index);
    if is_case || is_named_message(code, index) {
        return false;
    }
    let (before, within) = (code.word_before(index), code.within(index));
    let behind = code.word(index + 1);
    let is_compared = |mark: &str| matches!(mark, "==" | "!=" | "===" | "!==" | "in");
    if COMPARING.contains(&within) {
        let names_type = |side: usize| matches!(code.word(side), "typeof" | "__name__");
        let is_type = (index.saturating_sub(3)..index + 3).any(names_type);
        return (is_compared(before) || is_compared(behind)) && !is_type;
    }
    let is_sentence = text.inside.matches(' ').count() >= 2;
    let is_tail = within != "block" || behind == "}" && before != ";";
    if VALUES.contains(&within) || ["pair", "literal_element"].contains(&within) {
        return is_tail && (!is_sentence || within == "return_statement");
    }
    // Go lists what is returned or bound.
    let is_bound =
        matches!(before, "return" | "=" | ":=") || before == "," && code.word_before(index - 1) != "(";
    within == "expression_list" && is_bound || is_worked_with(code, index)
}

/// Whether a text is given to a call that works with it.
fn is_worked_with(code: &Code<'_>, index: usize) -> bool {
    let is_argument = ["arguments", "argument_list"].contains(&code.within(index));
    let call = code.around(index).take(1).find(|piece| piece.class == Class::Call);
    is_argument && call.is_some_and(|call| TEXT_CALLS.contains(&code.last_name(&call.name)))
}

fn is_named_message(code: &Code<'_>, index: usize) -> bool {
    let binding = code.around(index).take(2).find(|piece| piece.class == Class::Binding);
    let key = if code.word_before(index) == ":" { code.word_before(index - 1) } else { "" };
    names_message(key) || binding.is_some_and(|piece| code.words(&piece.name).any(names_message))
}

/// Whether a literal is a key; two equal ones are an error in some languages, and a name in all.
fn is_key(code: &Code<'_>, index: usize) -> bool {
    let holds_keys =
        matches!(code.within(index), "pair" | "literal_element" | "keyed_element" | "dictionary" | "object");
    holds_keys && code.word(index + 1) == ":"
}

/// `case 1, 2:`, of which no two may be equal.
fn is_case_of_go(code: &Code<'_>, index: usize) -> bool {
    const LISTED_MAX: usize = 40;
    let mut before = (index.saturating_sub(LISTED_MAX)..index).rev().map(|at| (at, code.word(at)));
    let first = before.find(|(at, word)| {
        *word != "," && *word != "-" && !matches!(code.kind(*at), Some(Kind::Number | Kind::Text))
    });
    first.is_some_and(|(_, word)| word == "case")
}

/// `make([]int, 3, 3)`: no longer than it may become.
fn is_length_of_make(code: &Code<'_>, index: usize) -> bool {
    let call = code.around(index).take(1).find(|piece| piece.class == Class::Call);
    call.is_some_and(|call| code.word(call.name.start) == "make")
}

/// Constants that are lengths of arrays: what fills those would not fit any more.
fn lengths<'a>(code: &Code<'a>) -> BTreeSet<&'a str> {
    let is_array = |index: &usize| matches!(code.within(*index), "array_type" | "array_expression");
    let names = (0..code.len()).filter(|index| code.is_word(*index)).filter(is_array);
    names.map(|index| code.word(index)).collect()
}

fn is_length(code: &Code<'_>, lengths: &BTreeSet<&str>, index: usize) -> bool {
    let binding = code.around(index).take(1).find(|piece| piece.class == Class::Binding);
    binding.is_some_and(|piece| code.words(&piece.name).any(|name| lengths.contains(name)))
}
