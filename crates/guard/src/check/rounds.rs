//! Loops of tests that go round less often: a part of the cases, a lower limit, a wider step.

use super::Draft;
use super::tokens::{is_within, of_tests};
use crate::comparison::{ChangedFile, Comparison};
use crate::inventory::Inventory;
use crate::language::Class;
use crate::similar::only_in;
use crate::source::{Source, Span};
use crate::text::ends_with_any;
use crate::vocabulary::LIST_PARTS;

/// So many times fewer rounds are no adjustment.
const FACTOR_MIN: f64 = 4.0;

/// The header of a loop around assertions or tests.
struct Round {
    span: Span,
    text: String,
}

pub(super) fn check(
    comparison: &Comparison,
    file: &ChangedFile,
    old: &Inventory,
    new: &Inventory,
) -> Vec<Draft> {
    let (was, is) = (rounds(file.path(), old), rounds(file.path(), new));
    let lost = only_in(&was, is.iter().map(|round| &round.text), |round| &round.text);
    let gained = only_in(&is, was.iter().map(|round| &round.text), |round| &round.text);
    if lost.len() != gained.len() {
        return Vec::new();
    }
    let mut drafts = Vec::new();
    for (was, is) in lost.iter().zip(&gained) {
        if is_part(&was.text, &is.text) || goes_less(&was.text, &is.text) {
            let line = new.source.line(is.span.start);
            let message = "a loop of a test goes round less often than before";
            let draft = Draft::new("test-case-skipped", file.path(), line, message)
                .before(was.text.clone())
                .after(is.text.clone());
            drafts.push(draft.unsure_if(comparison.may_follow_code()));
        }
    }
    drafts
}

fn rounds(path: &str, inventory: &Inventory) -> Vec<Round> {
    let source = &inventory.source;
    let regions = of_tests(path, inventory);
    let mut found = Vec::new();
    for piece in &source.pieces {
        let header = match piece.class {
            Class::Loop => piece.header(),
            Class::Call if is_for_each(source, &piece.name) => piece.name.clone(),
            _ => continue,
        };
        let holds = |span: &Span| piece.span.start < span.start && span.end <= piece.span.end;
        let asserts = inventory.tests.iter().any(|test| {
            holds(&test.span) || test.span.start < piece.span.start && piece.span.end <= test.span.end
        }) || inventory.helpers.values().flatten().any(|assertion| holds(&assertion.span));
        if is_within(&piece.span, &regions) && asserts {
            let text = written(source, &header);
            found.push(Round { span: header, text });
        }
    }
    found
}

fn is_for_each(source: &Source, name: &Span) -> bool {
    let flat = source.flat(name);
    ends_with_any(&flat, &[".forEach", ".for_each", ".map"]) || flat.contains(".each(")
}

/// A header as it is, with the semicolons that normalised code goes without.
fn written(source: &Source, span: &Span) -> String {
    let parts: Vec<String> = source.split_at(span, &[";"]).iter().map(|part| source.flat(part)).collect();
    match parts.len() {
        0 | 1 => source.flat(span),
        _ => parts.join(";"),
    }
}

/// Whether a header is the other with something in it that takes a part.
fn is_part(was: &str, is: &str) -> bool {
    if is.len() <= was.len() {
        return false;
    }
    let start = was.bytes().zip(is.bytes()).take_while(|(a, b)| a == b).count();
    let end = was.bytes().rev().zip(is.bytes().rev()).take_while(|(a, b)| a == b).count();
    if start + end < was.len() {
        return false;
    }
    // The shared parts may overlap; what is between them is what came.
    let end = end.min(was.len() - start);
    let Some(came) = is.get(start..is.len() - end) else { return false };
    // A shared bracket before or after belongs to what came.
    let around = is.get(start.saturating_sub(1)..(is.len() - end + 1).min(is.len())).unwrap_or(came);
    let before = is[..start].chars().next_back();
    let follows = before.is_some_and(|last| last.is_alphanumeric() || matches!(last, ')' | ']' | '_'));
    LIST_PARTS.iter().any(|part| {
        follows && came.starts_with(part) || !follows && around.starts_with(part) && part.starts_with('.')
    }) || came.ends_with("islice(")
}

/// Whether the limits of a header allow far fewer rounds.
fn goes_less(was: &str, is: &str) -> bool {
    if let (Some(had), Some(has)) = (count(was), count(is)) {
        return has * FACTOR_MIN <= had && had > 1.0;
    }
    // A limit that was computed and is one round now.
    let limit = |text: &str| {
        let at = text.find("<=").map(|at| at + 2).or_else(|| text.find('<').map(|at| at + 1))?;
        let rest = &text[at..];
        let end = rest.find([';', '{', ')']).unwrap_or(rest.len());
        Some((text[..at].to_owned(), rest[..end].trim().to_owned()))
    };
    match (limit(was), limit(is)) {
        (Some(had), Some(has)) => had.0 == has.0 && had.1 != has.1 && ["0", "1"].contains(&has.1.as_str()),
        _ => false,
    }
}

/// How often a header with numbers goes round.
fn count(text: &str) -> Option<f64> {
    let number =
        |text: &str| text.trim().replace('_', "").trim_end_matches(char::is_alphabetic).parse::<f64>().ok();
    if let Some((_, rest)) = text.split_once("range(") {
        let arguments: Vec<_> = rest.split(')').next()?.split(',').map(number).collect();
        return match arguments[..] {
            [Some(end)] => Some(end),
            [Some(start), Some(end)] => Some(end - start),
            [Some(start), Some(end), Some(step)] if step != 0.0 => Some((end - start) / step),
            _ => None,
        };
    }
    if let Some((start, end)) = text.split_once("..") {
        let start = number(start.rsplit([' ', '(', '&']).next()?)?;
        let end = end.trim_start_matches('=');
        return Some(number(end.split([' ', ')', '{', '.']).next()?)? - start);
    }
    if let Some((_, rest)) = text.split_once("range ").filter(|(_, rest)| number(rest).is_some()) {
        return number(rest);
    }
    counted(text)
}

/// `for (let i = 0; i < 10; i += 2)`, as it is without its semicolons.
fn counted(text: &str) -> Option<f64> {
    let digits = |text: &str| {
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(text.len());
        text[..end].replace('_', "").parse::<f64>().ok()
    };
    let at = text.find('=')?;
    let start = digits(&text[at + 1..])?;
    let below = text.find('<')?;
    let end = digits(text[below + 1..].trim_start_matches('='))?;
    let step = text.find("+=").and_then(|at| digits(&text[at + 2..])).unwrap_or(1.0);
    (step > 0.0).then_some((end - start).max(0.0) / step)
}
