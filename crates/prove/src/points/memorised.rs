//! Places in product code that know tested inputs and their answers.

use std::collections::BTreeMap;
use std::ops::Range;

use piton_guard::{Class, Kind};

use super::Point;
use crate::code::{Code, Language, Marked};
use crate::literal::plain;

/// An answer further away from its input than this belongs to something else.
const TOKENS_MAX: usize = 60;

/// A place in product code that knows a tested input and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memorised {
    /// The file of the product.
    pub path: String,
    /// Where the input stands, from 1.
    pub line: u32,
    /// The point that it knows.
    pub point: Point,
    /// The code, for a person.
    pub excerpt: String,
}

/// Places in changed lines of product code that know tested inputs: a comparison with a literal that tests pass, a
/// key equal to it or a case of it, leading to a literal that they expect.
pub fn memorised(path: &str, text: &str, changed: &[Range<u32>], points: &[Point]) -> Vec<Memorised> {
    let mut known: BTreeMap<String, Vec<&Point>> = BTreeMap::new();
    for point in points.iter().filter(|point| point.expected.is_some()) {
        known.entry(plain(&point.literal)).or_default().push(point);
    }
    let Some(code) = Code::of(path, text).filter(|_| !known.is_empty()) else { return Vec::new() };
    let tests = Marked::of(code.len(), code.outline.test_code.iter().cloned());
    let mut found = Vec::new();
    for index in 0..code.len() {
        let is_changed = changed.iter().any(|lines| lines.contains(&code.line(index)));
        if !is_changed || tests.has(index) || !matches!(code.kind(index), Some(Kind::Number | Kind::Text)) {
            continue;
        }
        let sign = if is_negative(&code, index) { "-" } else { "" };
        let Some(points) = known.get(&format!("{sign}{}", plain(code.word(index)))) else { continue };
        let Some(answer) = answer(&code, index) else { continue };
        let point = points.iter().find(|point| {
            point.expected.as_ref().is_some_and(|expected| says(&code, &answer, index, expected))
        });
        if let Some(point) = point {
            found.push(Memorised {
                path: path.to_owned(),
                line: code.line(index),
                point: (*point).clone(),
                excerpt: excerpt(&code, index, &answer),
            });
        }
    }
    found
}

/// Whether a number stands behind a sign that is its own.
fn is_negative(code: &Code<'_>, index: usize) -> bool {
    let is_sign = code.word_before(index) == "-" && code.kind(index) == Some(Kind::Number);
    let before = index.checked_sub(2);
    let is_operand = |at: usize| {
        matches!(code.word(at), ")" | "]")
            || matches!(code.kind(at), Some(Kind::Number))
            || code.is_word(at)
                && !matches!(code.word(at), "return" | "case" | "in" | "is" | "and" | "or" | "not")
    };
    is_sign && !before.is_some_and(is_operand)
}

/// Where the answer to an input stands, if the input is asked for here.
fn answer(code: &Code<'_>, index: usize) -> Option<Range<usize>> {
    let start = index - usize::from(is_negative(code, index));
    compared(code, start, index).or_else(|| keyed(code, index)).or_else(|| listed(code, start, index))
}

/// `if n == 3: return 9` and `9 if n == 3 else …`.
fn compared(code: &Code<'_>, start: usize, index: usize) -> Option<Range<usize>> {
    let is_equal = |mark: &str| matches!(mark, "==" | "===" | "is");
    let before = start.checked_sub(1)?;
    // `n % 2 == 0` and `len(x) == 0` ask for more than one input: the other side has to be a name.
    let other = if is_equal(code.word(before)) {
        is_name_before(code, before)
    } else if is_equal(code.word(index + 1)) {
        is_name_behind(code, index + 1)
    } else {
        is_member(code, start)
    };
    let calls_equal = code.word(before) == "(" && matches!(code.word_before(before), "equals" | "eq" | "is");
    if !other && !calls_equal {
        return None;
    }
    let asking =
        code.around(index).find(|piece| piece.class == Class::If && piece.condition.contains(&index));
    if let Some(asking) = asking {
        let end = if asking.body.is_empty() { asking.span.end } else { asking.body.end };
        return Some(asking.condition.end..end.min(asking.condition.end + TOKENS_MAX));
    }
    // An `elif` is no piece of its own, and what chooses a value is none either: the line and what is under it.
    if let Some(end) = elif(code, index) {
        return Some(end);
    }
    let line = code.line(index);
    let first = (index.saturating_sub(TOKENS_MAX)..index)
        .rev()
        .take_while(|at| code.line(*at) == line)
        .last()
        .unwrap_or(index);
    let last = (index..code.len().min(index + TOKENS_MAX))
        .take_while(|at| code.line(*at) <= line + 1)
        .last()
        .unwrap_or(index);
    let chooses = (first..last + 1).any(|at| {
        matches!(code.within(at), "conditional_expression" | "ternary_expression")
            || matches!(code.word(at), "?" | "&&" | "then_some")
    });
    chooses.then_some(first..last + 1)
}

fn elif(code: &Code<'_>, index: usize) -> Option<Range<usize>> {
    let start = (index.saturating_sub(TOKENS_MAX)..index).rev().find(|at| code.word(*at) == "elif")?;
    let colon = (index..code.len().min(index + TOKENS_MAX)).find(|at| code.word(*at) == ":")?;
    let is_same = code.line(start) == code.line(index) && code.language == Language::Python;
    let end = (colon..code.len().min(colon + TOKENS_MAX))
        .find(|at| matches!(code.word(*at), "elif" | "else"))
        .unwrap_or(code.len().min(colon + TOKENS_MAX));
    is_same.then_some(colon + 1..end)
}

/// Whether what ends before a token is a name, with what it belongs to.
fn is_name_before(code: &Code<'_>, mark: usize) -> bool {
    let Some(last) = mark.checked_sub(1) else { return false };
    let mut first = last;
    while first > 1 && code.is_word(first) && matches!(code.word(first - 1), "." | "::") {
        first -= 2;
    }
    code.is_word(last)
        && !matches!(code.word_before(first), "+" | "-" | "*" | "/" | "%" | "**" | "//" | "&" | "<<")
}

fn is_name_behind(code: &Code<'_>, mark: usize) -> bool {
    let next = code.word(mark + 2);
    code.is_word(mark + 1) && !matches!(next, "(" | "+" | "-" | "*" | "/" | "%" | "**")
}

/// `n in (3, 4)`.
fn is_member(code: &Code<'_>, index: usize) -> bool {
    const LISTED_MAX: usize = 40;
    let mut before = (index.saturating_sub(LISTED_MAX)..index).rev();
    let open =
        before.find(|at| code.word(*at) != "," && !matches!(code.kind(*at), Some(Kind::Number | Kind::Text)));
    open.is_some_and(|open| matches!(code.word(open), "(" | "[" | "{") && code.word_before(open) == "in")
}

/// `{3: 9}`, `3 => 9`, `case 3: return 9`.
fn keyed(code: &Code<'_>, index: usize) -> Option<Range<usize>> {
    // Other inputs may share its answer: `3 | 4 =>`, `case 3, 4:`.
    let limit = code.len().min(index + TOKENS_MAX);
    let mark = (index + 1..limit).find(|at| !is_alternative(code, *at))?;
    let leads = match code.word(mark) {
        "=>" => true,
        // JavaScript has keys in square brackets.
        "]" => code.word(mark + 1) == ":" && code.word_before(index) == "[",
        ":" => {
            let within = code.within(mark);
            let is_case = first_of_case(code, index);
            // Only cases share an answer by commas.
            is_case
                || mark == index + 1 && matches!(within, "pair" | "keyed_element" | "dictionary" | "object")
        }
        _ => false,
    };
    if !leads {
        return None;
    }
    let start = mark + 1 + usize::from(code.word(mark) == "]");
    let is_case = code.word(mark) == ":" && first_of_case(code, index);
    let ends = |at: &usize| match is_case {
        true => matches!(code.word(*at), "case" | "default" | "_") || code.word(*at) == "}",
        false => matches!(code.word(*at), "," | "}"),
    };
    let rest = start..code.len().min(start + TOKENS_MAX);
    let end = code.top_level(&rest).find(ends).unwrap_or(rest.end);
    Some(start..end)
}

fn is_alternative(code: &Code<'_>, index: usize) -> bool {
    matches!(code.word(index), "|" | "," | "-") && is_first_or_literal(code, index + 1)
        || matches!(code.kind(index), Some(Kind::Number | Kind::Text))
            && matches!(code.word_before(index), "|" | "," | "-")
}

fn is_first_or_literal(code: &Code<'_>, index: usize) -> bool {
    matches!(code.kind(index), Some(Kind::Number | Kind::Text)) || code.word(index) == "-"
}

/// Whether a literal follows `case`, be it behind others.
fn first_of_case(code: &Code<'_>, index: usize) -> bool {
    let start = index.saturating_sub(TOKENS_MAX);
    let mut before = (start..index).rev();
    let first = before.find(|at| {
        !matches!(code.word(*at), "," | "-" | "|")
            && !matches!(code.kind(*at), Some(Kind::Number | Kind::Text))
    });
    first.is_some_and(|first| code.word(first) == "case")
}

/// `(3, 9)` in a list of such pairs.
fn listed(code: &Code<'_>, start: usize, index: usize) -> Option<Range<usize>> {
    let open = start.checked_sub(1).filter(|open| matches!(code.word(*open), "(" | "[" | "{"))?;
    let close = code.partner(open)?;
    let is_row = code.word(index + 1) == "," && close - open <= 8;
    let is_listed = matches!(code.word_before(open), "[" | "," | "(" | "{")
        && matches!(code.word(close + 1), "," | "]" | ")" | "}");
    let in_list = code.around(open.checked_sub(1)?).take(2).any(|piece| piece.class == Class::List);
    (is_row && is_listed && in_list).then_some(index + 2..close)
}

/// Whether an answer is said there, besides the input itself.
fn says(code: &Code<'_>, answer: &Range<usize>, input: usize, expected: &str) -> bool {
    let wanted = pieces_of(expected);
    let tokens: Vec<usize> = answer
        .clone()
        .filter(|at| *at != input)
        .filter(|at| {
            let is_value = matches!(
                code.word(*at),
                "true" | "false" | "True" | "False" | "None" | "null" | "nil" | "undefined"
            );
            matches!(code.kind(*at), Some(Kind::Number | Kind::Text)) || is_value
        })
        .collect();
    let said: Vec<String> = tokens
        .iter()
        .map(|at| format!("{}{}", if is_negative(code, *at) { "-" } else { "" }, plain(code.word(*at))))
        .collect();
    !wanted.is_empty() && said.windows(wanted.len()).any(|window| window == wanted)
}

/// The literals that an expected value is made of.
fn pieces_of(expected: &str) -> Vec<String> {
    let is_list = expected.starts_with(['[', '(', '{']);
    if !is_list {
        return vec![plain(expected)];
    }
    let parts = expected.split(['[', ']', '(', ')', '{', '}', ',', ':']).map(str::trim);
    parts.filter(|part| !part.is_empty()).map(plain).collect()
}

/// The line of the input, with the line of the answer where that is another.
fn excerpt(code: &Code<'_>, index: usize, answer: &Range<usize>) -> String {
    const LINES_MAX: usize = 3;
    let (first, last) = (code.line(index), code.line(answer.end.saturating_sub(1).max(index)));
    let skip = usize::try_from(first.saturating_sub(1)).unwrap_or(usize::MAX);
    let count = usize::try_from(last.saturating_sub(first)).unwrap_or(0) + 1;
    let lines = code.text.lines().skip(skip).take(count.min(LINES_MAX)).map(str::trim);
    lines.collect::<Vec<_>>().join(" ")
}
