//! Returns emptied, to a value of the sort that the function says it gives back.

use std::ops::Range;

use piton_guard::{Class, Kind, Piece};

use super::site::Sites;
use super::{Change, Operator};
use crate::code::{Code, Language};

pub(super) fn find(code: &Code<'_>, sites: &Sites, changes: &mut Vec<Change>) {
    match code.language {
        Language::Rust => {
            for function in code.pieces_of(Class::Function).filter(|piece| sites.may_touch(piece.span.start))
            {
                changes.extend(at_the_start(code, function));
            }
        }
        Language::Python | Language::Script | Language::Go => {
            for leaving in code.pieces_of(Class::Return).filter(|piece| sites.may_reword(piece.span.start)) {
                changes.extend(emptied(code, leaving));
            }
        }
    }
}

/// Rust gives back what its last expression is, which has no word of its own: the function is left before it.
pub(super) fn at_the_start(code: &Code<'_>, function: &Piece) -> Option<Change> {
    let is_const = code.words(&(function.span.start..function.name.start)).any(|word| word == "const");
    let open = function.body.start;
    let is_trivial = function.body.len() <= 3 || code.last_name(&function.name) == "main";
    if is_const || is_trivial || code.word(open) != "{" {
        return None;
    }
    let empty = nothing_of(code, &declared(code, function))?;
    let at = code.bytes(&(open..open + 1)).end;
    // The way that it already goes is no other.
    let is_same = code.excerpt(&code.inside(&function.body)).trim() == empty;
    (!is_same).then(|| Change {
        operator: Operator::EmptyReturn,
        at: open,
        range: at..at,
        replacement: format!(" if true {{ return {empty}; }}"),
    })
}

/// `return x` as `return` of nothing.
fn emptied(code: &Code<'_>, leaving: &Piece) -> Option<Change> {
    let value = value_of(code, leaving)?;
    let is_written_down = value.len() == 1
        && (code.kind(value.start) != Some(Kind::Word) || is_constant(code.word(value.start)));
    if is_written_down {
        return None;
    }
    let function = function_of(code, leaving)?;
    let change = |range: Range<usize>, replacement: String| {
        let was = code.text.get(range.clone())?;
        (was != replacement).then_some(Change {
            operator: Operator::EmptyReturn,
            at: leaving.span.start,
            range,
            replacement,
        })
    };
    if code.language == Language::Go {
        let empty = nothing_of_go(code, function, &value)?;
        let whole = leaving.span.start..value.end;
        return change(code.bytes(&whole), format!("if true {{ return {empty} }}; {}", code.excerpt(&whole)));
    }
    let empty = nothing_of(code, &declared(code, function)).or_else(|| Some(like(code, &value)))?;
    // A value is never empty in more than one way.
    (code.excerpt(&value) != empty).then(|| change(code.bytes(&value), empty)).flatten()
}

fn is_constant(word: &str) -> bool {
    matches!(word, "true" | "false" | "True" | "False" | "None" | "null" | "undefined" | "nil")
}

/// What a statement gives back.
pub(super) fn value_of(code: &Code<'_>, leaving: &Piece) -> Option<Range<usize>> {
    let end = leaving.span.end - usize::from(code.word_before(leaving.span.end) == ";");
    let value = leaving.span.start + 1..end;
    (!value.is_empty()).then_some(value)
}

/// The function that a statement leaves, be it one without a name.
pub(super) fn function_of<'c>(code: &'c Code<'_>, leaving: &Piece) -> Option<&'c Piece> {
    code.around(leaving.span.start).find(|piece| matches!(piece.class, Class::Function | Class::Lambda))
}

/// The tokens that say what a function gives back.
fn declared(code: &Code<'_>, function: &Piece) -> Range<usize> {
    let after = if function.arguments.is_empty() { function.name.end } else { function.arguments.end };
    let mut declared = after..function.body.start.max(after);
    while matches!(code.word(declared.start), "->" | ":") && !declared.is_empty() {
        declared.start += 1;
    }
    while matches!(code.word_before(declared.end), ":" | "=>" | "->") && !declared.is_empty() {
        declared.end -= 1;
    }
    match code.words(&declared).position(|word| word == "where") {
        Some(_) => {
            let at = declared.clone().find(|index| code.word(*index) == "where").unwrap_or(declared.end);
            declared.start..at
        }
        None => declared,
    }
}

/// The empty value of a type, where that is known by its name alone.
fn nothing_of(code: &Code<'_>, declared: &Range<usize>) -> Option<String> {
    if declared.is_empty() {
        return None;
    }
    match code.language {
        Language::Rust => nothing_of_rust(code, declared),
        Language::Python => nothing_of_python(code.word(declared.start), declared.len()),
        Language::Script => nothing_of_script(code, declared),
        Language::Go => nothing_of_go_type(code, declared),
    }
    .map(str::to_owned)
    .or_else(|| wrapped(code, declared))
}

fn nothing_of_rust(code: &Code<'_>, declared: &Range<usize>) -> Option<&'static str> {
    let generic = code.top_level(declared).find(|index| code.word(*index) == "<").unwrap_or(declared.end);
    let name = code.last_name(&(declared.start..generic));
    if code.word(declared.start) == "&" {
        let is_mutable = code.words(&(declared.start..generic)).any(|word| word == "mut");
        return (name == "str" && !is_mutable).then_some("\"\"");
    }
    // Only a path of names is a type by its last name.
    if (declared.start..generic).any(|index| !code.is_word(index) && code.word(index) != "::") {
        return None;
    }
    Some(match name {
        _ if matches!(code.word(declared.start), "impl" | "dyn") => return None,
        "bool" => "false",
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => {
            "0"
        }
        "f32" | "f64" => "0.0",
        "String" => "String::new()",
        "Option" => "None",
        "Vec" => "Vec::new()",
        "HashMap" | "BTreeMap" | "HashSet" | "BTreeSet" | "VecDeque" => "Default::default()",
        _ => return None,
    })
}

/// `Result<T, E>` of Rust, with nothing in it.
fn wrapped(code: &Code<'_>, declared: &Range<usize>) -> Option<String> {
    let open = declared.clone().find(|index| code.word(*index) == "<")?;
    let is_result = code.language == Language::Rust && code.last_name(&(declared.start..open)) == "Result";
    if !is_result || code.word_before(declared.end) != ">" {
        return None;
    }
    let (mut depth, mut end) = (0_usize, declared.end - 1);
    for index in open + 1..declared.end - 1 {
        match code.word(index) {
            "<" | "(" | "[" => depth += 1,
            ">" | ")" | "]" => depth = depth.saturating_sub(1),
            "," if depth == 0 => {
                end = index;
                break;
            }
            _ => {}
        }
    }
    let held = open + 1..end;
    if code.excerpt(&held) == "()" {
        return Some("Ok(())".to_owned());
    }
    // A result in a result is not looked for.
    nothing_of_rust(code, &held).map(|empty| format!("Ok({empty})"))
}

fn nothing_of_python(name: &str, words: usize) -> Option<&'static str> {
    Some(match name {
        "int" if words == 1 => "0",
        "float" if words == 1 => "0.0",
        "str" if words == 1 => "\"\"",
        "bool" if words == 1 => "False",
        "list" | "List" => "[]",
        "dict" | "Dict" => "{}",
        "set" | "Set" => "set()",
        "tuple" | "Tuple" => "()",
        _ => return None,
    })
}

fn nothing_of_script(code: &Code<'_>, declared: &Range<usize>) -> Option<&'static str> {
    if code.word_before(declared.end) == "]" && code.word(declared.end - 2) == "[" && declared.len() >= 3 {
        return Some("[]");
    }
    Some(match code.word(declared.start) {
        "string" if declared.len() == 1 => "\"\"",
        "number" if declared.len() == 1 => "0",
        "boolean" if declared.len() == 1 => "false",
        "Array" => "[]",
        "Map" => "new Map()",
        "Set" => "new Set()",
        _ => return None,
    })
}

pub(super) fn nothing_of_go_type(code: &Code<'_>, declared: &Range<usize>) -> Option<&'static str> {
    // A result may have a name; its type is last.
    let named = declared.len() == 2 && code.is_word(declared.start) && code.is_word(declared.start + 1);
    let first = declared.start + usize::from(named);
    let is_alone = declared.end == first + 1;
    Some(match code.word(first) {
        "string" if is_alone => "\"\"",
        "bool" if is_alone => "false",
        "error" | "any" if is_alone => "nil",
        "int" | "int8" | "int16" | "int32" | "int64" | "uint" | "uint8" | "uint16" | "uint32" | "uint64"
        | "float32" | "float64" | "byte" | "rune"
            if is_alone =>
        {
            "0"
        }
        "*" | "map" | "func" => "nil",
        "[" if code.word(first + 1) == "]" => "nil",
        _ => return None,
    })
}

/// The types of what a function of Go gives back, one for each value.
pub(super) fn results_of_go(code: &Code<'_>, function: &Piece) -> Vec<Range<usize>> {
    let declared = declared(code, function);
    code.split(&code.inside(&declared))
}

/// What a return statement of Go says instead; the error at its end stays.
fn nothing_of_go(code: &Code<'_>, function: &Piece, value: &Range<usize>) -> Option<String> {
    let (types, values) = (results_of_go(code, function), code.split(value));
    let fails = values.len() > 1 && values.last().is_some_and(|last| code.excerpt(last) != "nil");
    let ends_in_error = types.last().is_some_and(|last| code.word_before(last.end) == "error");
    if types.len() != values.len() || ends_in_error && (fails || values.len() == 1) {
        return None;
    }
    let empties: Option<Vec<_>> = types.iter().map(|declared| nothing_of_go_type(code, declared)).collect();
    let empties = empties?;
    let is_same = values.iter().zip(&empties).all(|(value, empty)| code.excerpt(value) == *empty);
    (!is_same).then(|| empties.join(", "))
}

/// The empty value that is like another, in languages that do not say what a function gives back.
fn like(code: &Code<'_>, value: &Range<usize>) -> String {
    let is_whole = code.partner(value.start) == Some(value.end - 1);
    let is_python = code.language == Language::Python;
    let empty = match code.word(value.start) {
        "[" if is_whole => "[]",
        "{" if is_whole && code.within(value.start).contains("set") => "set()",
        "{" if is_whole => "{}",
        _ if is_python => "None",
        _ => "null",
    };
    empty.to_owned()
}
