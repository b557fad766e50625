//! Conditions negated, limits moved, operators exchanged.

use piton_guard::{Class, Kind, Piece};

use super::site::Sites;
use super::textual::Textual;
use super::{Change, Operator};
use crate::code::{Code, Language};

/// Nodes whose own marks are operators; a `<` in any other is none.
const BINARY: &[&str] = &["binary_expression", "comparison_operator", "boolean_operator", "binary_operator"];

/// Nodes whose own marks assign.
const ASSIGNING: &[&str] = &[
    "augmented_assignment",
    "augmented_assignment_expression",
    "compound_assignment_expr",
    "assignment_statement",
];

pub(super) fn find(code: &Code<'_>, sites: &Sites, changes: &mut Vec<Change>) {
    let textual = Textual::of(code);
    for index in 0..code.len() {
        if !sites.may_reword(index) || !code.is_run(index) || code.kind(index) == Some(Kind::Text) {
            continue;
        }
        if let Some((operator, replacement)) = exchanged(code, &textual, index) {
            let range = code.bytes(&(index..index + 1));
            changes.push(Change { operator, at: index, range, replacement: replacement.to_owned() });
        }
        changes.extend(membership(code, index));
        changes.extend(chosen(code, index));
    }
    for piece in code.pieces_of(Class::If) {
        if sites.may_reword(piece.span.start) && sites.may_touch(piece.condition.start) {
            changes.extend(negated(code, &piece.condition));
        }
    }
}

/// What an operator is exchanged for.
fn exchanged(code: &Code<'_>, textual: &Textual<'_>, index: usize) -> Option<(Operator, &'static str)> {
    let (word, within) = (code.word(index), code.within(index));
    if BINARY.contains(&within) {
        return comparing(code, index, word).or_else(|| computing(code, textual, index, word));
    }
    if ASSIGNING.contains(&within) {
        let other = assigning(word)?;
        let joins = word == "+=" && joins(code, textual, index);
        return (!joins && !goes_on(code, index)).then_some((Operator::ExchangeOperator, other));
    }
    if within == "range_expression" {
        return ranging(code, index, word);
    }
    None
}

fn comparing(code: &Code<'_>, index: usize, word: &str) -> Option<(Operator, &'static str)> {
    let other = match word {
        "<" => "<=",
        "<=" => "<",
        ">" => ">=",
        ">=" => ">",
        "==" => "!=",
        "!=" => "==",
        "===" => "!==",
        "!==" => "===",
        _ => return None,
    };
    let operator =
        if word.starts_with(['<', '>']) { Operator::MoveBoundary } else { Operator::NegateCondition };
    // A loop that asks for the opposite, or for no less than nothing, may never end.
    let never_ends = operator == Operator::NegateCondition || word == ">" && code.word(index + 1) == "0";
    let may_hang = never_ends && is_in_header(code, index);
    (!may_hang).then_some((operator, other))
}

fn computing(
    code: &Code<'_>,
    textual: &Textual<'_>,
    index: usize,
    word: &str,
) -> Option<(Operator, &'static str)> {
    let other = match word {
        "+" if !joins(code, textual, index) => "-",
        "-" => "+",
        "*" if code.word(index + 1) != "0" && !has_list(code, index) => "/",
        "/" | "//" => "*",
        "%" => {
            if code.language == Language::Python {
                "*"
            } else {
                "/"
            }
        }
        "**" => "*",
        "<<" => ">>",
        ">>" | ">>>" => "<<",
        "&" | "^" => "|",
        "|" => "&",
        "&&" if !is_in_header(code, index) => "||",
        "||" if !is_in_header(code, index) => "&&",
        "and" if !is_in_header(code, index) => "or",
        "or" if !is_in_header(code, index) => "and",
        _ => return None,
    };
    if asks_twice(code, index) {
        return None;
    }
    let has_text = [index.wrapping_sub(1), index + 1].iter().any(|side| code.kind(*side) == Some(Kind::Text));
    let is_logic = matches!(word, "&&" | "||" | "and" | "or");
    let is_unfit = has_text || is_at_limit(code, index) || is_nothing(code, index);
    (is_logic || !is_unfit && !steps(code, index)).then_some((Operator::ExchangeOperator, other))
}

/// `a == 1 || a == 2` of Go: what is checked before its tests run refuses the same with `&&`.
fn asks_twice(code: &Code<'_>, index: usize) -> bool {
    const OPERAND_MAX: usize = 10;
    let mark = match code.word(index) {
        "||" => "==",
        "&&" => "!=",
        _ => return false,
    };
    let (before, behind) = (index.saturating_sub(OPERAND_MAX)..index, index + 1..index + OPERAND_MAX);
    let name = code.word(index + 1);
    let is_in = |mut span: std::ops::Range<usize>, wanted: &str| span.any(|at| code.word(at) == wanted);
    code.language == Language::Go && is_in(before.clone(), name) && is_in(before, mark) && is_in(behind, mark)
}

fn assigning(word: &str) -> Option<&'static str> {
    Some(match word {
        "+=" => "-=",
        "-=" => "+=",
        "*=" => "/=",
        "/=" | "//=" => "*=",
        "%=" => "*=",
        "|=" => "&=",
        "&=" | "^=" => "|=",
        "<<=" => ">>=",
        ">>=" => "<<=",
        _ => return None,
    })
}

/// `a..b` and `a..=b`, where there is an end that can move.
fn ranging(code: &Code<'_>, index: usize, word: &str) -> Option<(Operator, &'static str)> {
    let has_end = !matches!(code.word(index + 1), "]" | ")" | "}" | "{" | ";" | "," | "=>" | "");
    let has_start = !matches!(code.word_before(index), "[" | "(" | "=" | "," | "");
    let other = match word {
        ".." => "..=",
        "..=" => "..",
        _ => return None,
    };
    (has_end && has_start).then_some((Operator::MoveBoundary, other))
}

/// `x in y` and `x is y`, which are words.
fn membership(code: &Code<'_>, index: usize) -> Option<Change> {
    let (word, within) = (code.word(index), code.within(index));
    let (range, replacement) = match (word, within) {
        ("in", "comparison_operator") => (index..index + 1, "not in"),
        ("is", "comparison_operator") => (index..index + 1, "is not"),
        ("not", "not in") => (index..index + 2, "in"),
        ("is", "is not") => (index..index + 2, "is"),
        _ => return None,
    };
    let change = Change {
        operator: Operator::NegateCondition,
        at: index,
        range: code.bytes(&range),
        replacement: replacement.to_owned(),
    };
    (code.language == Language::Python && !is_in_header(code, index)).then_some(change)
}

/// The conditions of Python that are no pieces: `elif condition:` and `a if condition else b`.
fn chosen(code: &Code<'_>, index: usize) -> Option<Change> {
    let end = match (code.word(index), code.within(index)) {
        ("elif", "elif_clause") => ":",
        ("if", "conditional_expression") => "else",
        _ => return None,
    };
    // A condition that goes on for longer says something else than this can tell.
    const TOKENS_MAX: usize = 200;
    let rest = index + 1..code.len().min(index + TOKENS_MAX);
    let end = code.top_level(&rest).find(|at| code.word(*at) == end)?;
    negated(code, &(index + 1..end))
}

/// A condition that holds where it did not.
fn negated(code: &Code<'_>, condition: &std::ops::Range<usize>) -> Option<Change> {
    let condition = match code.language {
        Language::Script => code.inside(condition),
        _ => condition.clone(),
    };
    if condition.is_empty() || !code.is_run(condition.start) {
        return None;
    }
    let is_mark = |index: &usize| code.kind(*index) != Some(Kind::Text);
    let words: Vec<_> = code.top_level(&condition).filter(is_mark).map(|index| code.word(index)).collect();
    let has_any = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    let is_joined = has_any(&["and", "or", "&&", "||"]);
    let is_flipped = has_any(&["==", "!=", "===", "!==", "is", "in"]) && !is_joined;
    if has_any(&["let", "lambda"]) || is_flipped {
        return None;
    }
    let change = |range, replacement| {
        Some(Change { operator: Operator::NegateCondition, at: condition.start, range, replacement })
    };
    if matches!(words.first(), Some(&"not" | &"!")) && !is_joined {
        let start = code.bytes(&condition).start;
        return change(start..code.bytes(&(condition.start + 1..condition.end)).start, String::new());
    }
    let (not, text) =
        (if code.language == Language::Python { "not " } else { "!" }, code.excerpt(&condition));
    // A comment at the end of a line would swallow the bracket.
    let ends_in_comment = text.lines().last().is_some_and(|line| line.contains("//") || line.contains('#'));
    if ends_in_comment && text.contains('\n') {
        return None;
    }
    change(code.bytes(&condition), format!("{not}({text})"))
}

/// Whether an operand is a list: those are joined and repeated, and nothing else.
fn has_list(code: &Code<'_>, index: usize) -> bool {
    let before = code.word_before(index);
    let list =
        |bracket: usize| matches!(code.within(bracket), "list" | "array" | "tuple" | "list_comprehension");
    before == "]" && list(index - 1) || code.word(index + 1) == "[" && list(index + 1)
}

/// Whether `+` joins what it stands between.
fn joins(code: &Code<'_>, textual: &Textual<'_>, index: usize) -> bool {
    let is_borrowed = code.language == Language::Rust && code.word(index + 1) == "&";
    is_borrowed || has_list(code, index) || textual.joins(code, index)
}

/// Whether an operand is as large or small as its type allows, so that a compiler refuses what follows.
fn is_at_limit(code: &Code<'_>, index: usize) -> bool {
    let is_limit = |word: &str| ["MAX", "MIN", "Max", "maxInt"].iter().any(|start| word.starts_with(start));
    is_limit(code.word_before(index)) || is_limit(code.word(index + 1))
}

/// `int | None` joins types.
fn is_nothing(code: &Code<'_>, index: usize) -> bool {
    code.word_before(index) == "None" || code.word(index + 1) == "None"
}

/// The header of a loop: what stands before its body.
fn header(piece: &Piece) -> std::ops::Range<usize> {
    piece.span.start..piece.body.start.max(piece.span.start)
}

pub(super) fn is_in_header(code: &Code<'_>, index: usize) -> bool {
    code.around(index).any(|piece| piece.class == Class::Loop && header(piece).contains(&index))
}

/// Whether what is assigned here is what a loop around it goes on by.
pub(super) fn goes_on(code: &Code<'_>, index: usize) -> bool {
    // The name is the last before the operator, or, for a value, the first of its line.
    let name = code.word_before(index);
    is_of_loop(code, index, name)
}

/// The same for `i = i + 1`.
pub(super) fn steps(code: &Code<'_>, index: usize) -> bool {
    let binding = code.around(index).take(3).find(|piece| piece.class == Class::Binding);
    let name = binding.and_then(|piece| code.words(&piece.name).last());
    name.is_some_and(|name| is_of_loop(code, index, name))
}

pub(super) fn is_of_loop(code: &Code<'_>, index: usize, name: &str) -> bool {
    let mut loops = code.around(index).filter(|piece| piece.class == Class::Loop).take(4);
    loops.any(|piece| {
        let header = header(piece);
        let is_endless = code.words(&header).all(|word| ["while", "for", "true", "True"].contains(&word));
        is_endless || code.words(&header).take(60).any(|word| word == name)
    })
}
