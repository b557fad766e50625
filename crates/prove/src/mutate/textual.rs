//! Which names hold text, where the language or its author says so: `+` joins those, and nothing can be taken from them.

use std::collections::BTreeSet;
use std::ops::Range;

use piton_guard::{Class, Kind};

use crate::code::{Code, Language};

/// An operand is not followed further than this, so that the work stays linear.
const STEPS_MAX: usize = 48;

/// How far behind a name its type is looked for.
const TYPE_WORDS_MAX: usize = 6;

/// Calls and types that say that something is text.
const SAYS_TEXT: &[&str] = &[
    "String",
    "format",
    "to_string",
    "to_owned",
    "to_uppercase",
    "to_lowercase",
    "concat",
    "Sprintf",
    "Sprint",
    "strings",
    "str",
    "string",
    "as_str",
    "trim",
    "Itoa",
    "toString",
    "toUpperCase",
    "toLowerCase",
    "toFixed",
    "upper",
    "lower",
    "padStart",
    "slice",
    "substring",
    "ToUpper",
    "ToLower",
    "TrimSpace",
    "charAt",
    "Error",
    "zfill",
    "capitalize",
    "strftime",
    "join",
    "Join",
    "Repeat",
    "strip",
    "String()",
    "Format",
    "FormatInt",
    "Quote",
];

/// The names of a file that hold text.
pub(super) struct Textual<'a>(BTreeSet<&'a str>);

impl<'a> Textual<'a> {
    pub(super) fn of(code: &Code<'a>) -> Self {
        let mut names = BTreeSet::new();
        for index in 0..code.len() {
            let is_text_type = matches!(code.word(index), "string" | "String" | "str" | "Cow" | "PathBuf");
            if is_text_type {
                names.extend(typed(code, index));
            }
        }
        for piece in code.pieces_of(Class::Binding) {
            let value = piece.arguments.start..piece.arguments.end.min(piece.arguments.start + STEPS_MAX);
            let says = |index: usize| {
                code.kind(index) == Some(Kind::Text) && !code.word(index).starts_with('\'')
                    || SAYS_TEXT.contains(&code.word(index)) && code.is_word(index)
            };
            if code.top_level(&value).any(says) {
                names.extend(code.words(&piece.name).last());
            }
        }
        // What a loop takes from texts is text, too.
        for piece in code.pieces_of(Class::Loop) {
            let header =
                piece.span.start..piece.body.start.clamp(piece.span.start, piece.span.start + STEPS_MAX);
            if code.words(&header).any(|word| names.contains(word)) {
                let names_of_it =
                    code.words(&header).filter(|word| !matches!(*word, "for" | "range" | "in" | "of"));
                names.extend(names_of_it.take(2).collect::<Vec<_>>());
            }
        }
        Self(names)
    }

    /// Whether an operand on either side of an operator is text.
    pub(super) fn joins(&self, code: &Code<'_>, operator: usize) -> bool {
        let (left, right) = (before(code, operator), after(code, operator));
        let is_text = |index: usize| {
            let word = code.word(index);
            code.kind(index) == Some(Kind::Text)
                || code.is_word(index) && (self.0.contains(word) || SAYS_TEXT.contains(&word))
        };
        let operands: Vec<_> = left.chain(right).collect();
        // What brackets only group is part of the operand.
        let groups = operands.iter().filter_map(|index| grouped(code, *index));
        groups
            .flat_map(|group| code.top_level(&group).collect::<Vec<_>>())
            .chain(operands.clone())
            .any(is_text)
    }
}

/// What brackets hold that are not those of a call.
fn grouped(code: &Code<'_>, bracket: usize) -> Option<Range<usize>> {
    let open = if code.word(bracket) == ")" { code.partner(bracket)? } else { bracket };
    let is_group = code.word(open) == "(" && !open.checked_sub(1).is_some_and(|before| code.is_word(before));
    let end = code.closing(open).min(open + STEPS_MAX);
    (is_group && open + 1 < end).then_some(open + 1..end)
}

/// The names that a type is said of: `name: str`, `a, b string`, `fn name(…) -> String`.
fn typed<'a>(code: &Code<'a>, at: usize) -> Vec<&'a str> {
    if code.language == Language::Go {
        return typed_in_go(code, at);
    }
    let start = at.saturating_sub(TYPE_WORDS_MAX);
    for index in (start..at).rev() {
        match code.word(index) {
            ":" => {
                return index
                    .checked_sub(1)
                    .filter(|name| code.is_word(*name))
                    .map(|name| code.word(name))
                    .into_iter()
                    .collect();
            }
            "->" | ")" => return function_before(code, index).into_iter().collect(),
            "," | ";" | "{" | "}" | "=" | "(" => return Vec::new(),
            _ => {}
        }
    }
    Vec::new()
}

fn typed_in_go<'a>(code: &Code<'a>, at: usize) -> Vec<&'a str> {
    let mut index = at;
    // `[]string`, `*string`, `...string`.
    while index > 0 && matches!(code.word(index - 1), "[" | "]" | "*" | "...") {
        index -= 1;
    }
    let mut names = Vec::new();
    let Some(mut name) = index.checked_sub(1) else { return names };
    if code.word(name) == ")" {
        return function_before(code, name).into_iter().collect();
    }
    while code.is_word(name) && names.len() < TYPE_WORDS_MAX {
        names.push(code.word(name));
        if name < 2 || code.word(name - 1) != "," {
            break;
        }
        name -= 2;
    }
    names
}

/// The name before the parameters that end at or before a token.
fn function_before<'a>(code: &Code<'a>, at: usize) -> Option<&'a str> {
    let close = (at.saturating_sub(2)..=at).rev().find(|index| code.word(*index) == ")")?;
    let open = code.partner(close)?;
    let name = open.checked_sub(1)?;
    code.is_word(name).then(|| code.word(name))
}

/// The tokens of what stands before an operator, with what is added to before it; no insides of brackets.
fn before<'a>(code: &'a Code<'_>, operator: usize) -> impl Iterator<Item = usize> + use<'a> {
    let mut next = operator.checked_sub(1);
    let walk = std::iter::from_fn(move || {
        let index = next?;
        if matches!(code.word(index), "(" | "[" | "{") || ends_operand(code, index) {
            return None;
        }
        next = code.partner(index).unwrap_or(index).checked_sub(1);
        Some(index)
    });
    walk.take(STEPS_MAX)
}

/// The same behind it.
fn after<'a>(code: &'a Code<'_>, operator: usize) -> impl Iterator<Item = usize> + use<'a> {
    let span = Range { start: operator + 1, end: code.len() };
    code.top_level(&span).take(STEPS_MAX).take_while(|index| {
        !matches!(code.word(*index), ")" | "]" | "}" | "{") && !ends_operand(code, *index)
    })
}

fn ends_operand(code: &Code<'_>, index: usize) -> bool {
    let mark = matches!(
        code.word(index),
        "," | ";"
            | "="
            | ":="
            | "return"
            | "=>"
            | ":"
            | "?"
            | "&&"
            | "||"
            | "and"
            | "or"
            | "=="
            | "!="
            | "==="
            | "!=="
            | "+="
            | "if"
            | "else"
            | "<"
            | ">"
            | "<="
            | ">="
            | "in"
            | "->"
            | "let"
            | "const"
            | "var"
    );
    mark && code.kind(index) != Some(Kind::Text)
}
