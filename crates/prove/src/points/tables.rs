//! Rows of tables: `[(3, 9), (4, 16)]`, `{in: 3, want: 9}`, `#[case(3, 9)]`.

use std::collections::BTreeSet;
use std::ops::Range;

use piton_guard::{Class, Kind, Piece, Test};

use super::answers::{Found, is_product_call, literal, written_down};
use super::claims::Claim;
use crate::code::{Code, Language};

/// Names of what is expected.
const EXPECTED: &[&str] =
    &["want", "wanted", "expected", "expect", "exp", "result", "output", "out", "answer", "res", "should"];

/// Names of what only says which row it is.
const TITLES: &[&str] = &["name", "title", "desc", "description", "label", "id", "reason", "message"];

/// The points in the rows of the tables of a test.
pub(super) fn of_tables(code: &Code<'_>, test: &Test, claims: &[Claim]) -> Vec<Found> {
    let Some(call) = called(code, test, claims) else { return Vec::new() };
    let mut found = Vec::new();
    for (rows, names) in tables(code, test) {
        for row in rows {
            found.extend(points(code, &row, &names, &call));
        }
    }
    found
}

/// The call that the rows are for: the first of product code that is given a name.
fn called(code: &Code<'_>, test: &Test, claims: &[Claim]) -> Option<String> {
    let claimed = claims.iter().flat_map(|claim| claim.subject.clone());
    let takes_name = |index: &usize| {
        let arguments = index + 2..code.closing(index + 1);
        code.words(&arguments).any(|word| !matches!(word, "true" | "false"))
    };
    let mut calls = claimed.chain(test.body.clone()).filter(|index| is_product_call(code, *index));
    calls.find(takes_name).map(|index| code.word(index).to_owned())
}

type Table<'a> = (Vec<Range<usize>>, Vec<&'a str>);

/// The tables of a test, with the names of their columns where those are known.
fn tables<'a>(code: &Code<'a>, test: &Test) -> Vec<Table<'a>> {
    let words: BTreeSet<&str> = code.words(&test.span).collect();
    let mut found: Vec<Table<'a>> = Vec::new();
    let mut end = 0;
    for (index, piece) in code.outline.pieces.iter().enumerate() {
        let is_inside = test.span.start <= piece.span.start && piece.span.end <= test.span.end;
        if piece.class == Class::Decorator && is_inside && code.language == Language::Rust {
            found.extend(case(code, piece).map(|row| (vec![row], Vec::new())));
        }
        if piece.class != Class::List || piece.span.start < end {
            continue;
        }
        let holder = piece.parent.map(|parent| &code.outline.pieces[parent]);
        let is_named = holder.is_some_and(|holder| {
            holder.class == Class::Binding && code.words(&holder.name).any(|name| words.contains(name))
        });
        let in_other_test =
            !is_inside && code.outline.tests.iter().any(|other| other.span.contains(&piece.span.start));
        let is_table = is_inside && holder.is_some_and(|holder| goes_over(code, holder, piece))
            || is_named && !in_other_test;
        if is_table {
            end = piece.span.end;
            found.push((rows(code, index), names(code, test, holder, piece)));
        }
    }
    found
}

/// Whether a list is what a loop goes over, what a runner is given, or what has a name.
fn goes_over(code: &Code<'_>, holder: &Piece, list: &Piece) -> bool {
    match holder.class {
        Class::Binding => true,
        Class::Loop => list.span.end <= holder.body.start.max(holder.span.start),
        Class::Call => {
            let last = code.last_name(&holder.name);
            holder.name.start <= list.span.start && list.span.end <= holder.name.end
                || ["parametrize", "each", "values"].contains(&last)
        }
        _ => false,
    }
}

/// `#[case(3, 9)]` of rstest: the row in its brackets.
fn case(code: &Code<'_>, attribute: &Piece) -> Option<Range<usize>> {
    let name = attribute.span.clone().find(|index| code.is_word(*index))?;
    let is_case = code.word(name) == "case" || code.word(name) == "test_case";
    let open = (name + 1..attribute.span.end).find(|index| code.word(*index) == "(")?;
    is_case.then(|| open..code.closing(open) + 1)
}

/// The elements of a list that are rows: something in brackets.
fn rows(code: &Code<'_>, list: usize) -> Vec<Range<usize>> {
    let span = &code.outline.pieces[list].span;
    let open = span.clone().find(|index| matches!(code.word(*index), "[" | "(" | "{"));
    let Some(open) = open else { return Vec::new() };
    let elements = code.split(&(open + 1..code.closing(open).min(span.end)));
    let row = |element: Range<usize>| {
        let open = element.clone().take(6).find(|index| matches!(code.word(*index), "[" | "(" | "{"))?;
        let is_named = (element.start..open).any(|index| code.word(index) == ":");
        (code.closing(open) + 1 == element.end && !is_named).then_some(open..element.end)
    };
    elements.into_iter().filter_map(row).collect()
}

/// The names of the columns of a table.
fn names<'a>(code: &Code<'a>, test: &Test, holder: Option<&Piece>, list: &Piece) -> Vec<&'a str> {
    let Some(holder) = holder else { return Vec::new() };
    if holder.class == Class::Call && code.last_name(&holder.name) == "parametrize" {
        let first = code.split(&code.inside(&holder.arguments)).into_iter().next().unwrap_or_default();
        let texts = first.filter(|index| code.kind(*index) == Some(Kind::Text)).map(|index| code.word(index));
        let names =
            texts.flat_map(|text| text.split(|letter: char| !letter.is_alphanumeric() && letter != '_'));
        return names.filter(|name| !name.is_empty()).collect();
    }
    // `for n, want in …`: the loop over it, or over its name.
    let bound: Vec<_> = match holder.class {
        Class::Binding => code.words(&holder.name).collect(),
        _ => Vec::new(),
    };
    let header =
        |piece: &Piece| piece.span.start..piece.body.start.clamp(piece.span.start, piece.span.start + 40);
    let goes = |piece: &&Piece| {
        test.span.start <= piece.span.start
            && piece.span.end <= test.span.end
            && (header(piece).contains(&list.span.start)
                || code.words(&header(piece)).any(|word| bound.contains(&word)))
    };
    let Some(piece) = code.pieces_of(Class::Loop).find(goes) else { return Vec::new() };
    let words =
        code.words(&header(piece)).filter(|word| !matches!(*word, "for" | "const" | "let" | "await" | "mut"));
    words.take_while(|word| !matches!(*word, "in" | "of" | "range")).collect()
}

fn points(code: &Code<'_>, row: &Range<usize>, names: &[&str], call: &str) -> Vec<Found> {
    let mut entries: Vec<_> =
        code.split(&code.inside(row)).into_iter().map(|entry| keyed(code, &entry)).collect();
    entries.retain(|(key, _)| !key.is_some_and(|key| TITLES.contains(&key.to_lowercase().as_str())));
    if entries.len() < 2 {
        return Vec::new();
    }
    let fits = names.len() == entries.len();
    let name = |at: usize| entries[at].0.or(names.get(at).copied().filter(|_| fits)).unwrap_or_default();
    let is = |at: usize, wanted: &[&str]| wanted.contains(&name(at).to_lowercase().as_str());
    let expected = (0..entries.len()).find(|at| is(*at, EXPECTED)).unwrap_or(entries.len() - 1);
    let Some(answer) = written_down(code, &entries[expected].1) else { return Vec::new() };
    let inputs = (0..entries.len()).filter(|at| *at != expected && !is(*at, TITLES));
    let literals = inputs.filter_map(|at| literal(code, &entries[at].1));
    let found = |literal| Found { call: call.to_owned(), literal, expected: Some(answer.clone()) };
    literals.map(found).collect()
}

/// An entry of a row without its key, and the key.
fn keyed<'a>(code: &Code<'a>, entry: &Range<usize>) -> (Option<&'a str>, Range<usize>) {
    match code.word(entry.start + 1) {
        ":" | "=" if entry.len() > 2 => {
            let key = code.word(entry.start).trim_matches(['"', '\'']);
            (Some(key), entry.start + 2..entry.end)
        }
        _ => (None, entry.clone()),
    }
}
