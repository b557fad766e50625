//! The cases of a parameterised or table test: where its table is, and its rows as normalised text.

use crate::language::Class;
use crate::source::{Kind, Piece, Source, Span};
use crate::vocabulary::ITERATION;

/// The cases of a function: rows of its attributes or parameters, or of a list that a loop in its body goes over.
pub(super) fn of_function(
    source: &Source,
    decorators: &[Span],
    parameters: &Span,
    body: &Span,
) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut has_table = false;
    for span in decorators {
        let flat = source.flat(span);
        if flat.contains("parametrize") {
            let Some(open) = span.clone().find(|index| source.word(*index) == "(") else { continue };
            let operands = source.split(&(open + 1..source.closing(open)));
            if let Some(table) = operands.get(1) {
                let table = resolved(source, table);
                has_table |= is_list(source, &table);
                found.extend(elements(source, &table));
            }
        } else if ["case", "InlineData", "TestCase", "test_case", "ValueSource", "CsvSource", "DataRow"]
            .iter()
            .any(|word| source.words(span).next() == Some(*word))
        {
            let list = source.pieces_in(span).find(|(_, piece)| piece.class == Class::List);
            match list {
                Some((_, list)) => found.extend(elements(source, &list.span)),
                None => found.push(flat),
            }
        }
    }
    found.extend(values(source, parameters));
    if found.is_empty() && !has_table { looped(source, body) } else { Some(found) }
}

/// rstest: `#[values(1, 2)] number: u32`.
fn values(source: &Source, parameters: &Span) -> Vec<String> {
    let attributes = source.pieces_in(parameters).filter(|(_, piece)| piece.class == Class::Decorator);
    let is_values = |piece: &Piece| source.words(&piece.span).next() == Some("values");
    let mut found = Vec::new();
    for (_, piece) in attributes.filter(|(_, piece)| is_values(piece)) {
        let Some(open) = piece.span.clone().find(|index| source.word(*index) == "(") else { continue };
        let rows = source.split(&(open + 1..source.closing(open)));
        found.extend(rows.iter().map(|row| source.flat(row)));
    }
    found
}

/// The cases of a test that is a call: those of its body, of `each`, or of a loop around it.
pub(super) fn of_call(source: &Source, index: usize, body: &Span) -> Option<Vec<String>> {
    looped(source, body)
        .or_else(|| each(source, &source.pieces[index].name))
        .or_else(|| around(source, index))
}

/// The rows of the lists that loops around assertions go over.
fn looped(source: &Source, body: &Span) -> Option<Vec<String>> {
    let mut found = None;
    for (_, piece) in source.pieces_in(body) {
        let header = match piece.class {
            Class::Loop => piece.span.start + 1..piece.body.start.max(piece.span.start + 1),
            Class::Call if source.flat(&piece.name).ends_with(".forEach") => {
                piece.name.start..piece.name.end - 2
            }
            _ => continue,
        };
        if let Some(rows) = rows(source, &header) {
            found.get_or_insert_with(Vec::new).extend(rows);
        }
    }
    found
}

/// The rows of the list in the header of a loop, or of the list that the header names.
fn rows(source: &Source, header: &Span) -> Option<Vec<String>> {
    let list = source
        .pieces_in(header)
        .filter(|(_, inner)| inner.class == Class::List)
        .max_by_key(|(_, inner)| inner.span.len());
    let span = match list {
        Some((_, list)) => list.span.clone(),
        // A text alone, where a list of one was meant.
        None if last_text(source, header).is_some() => {
            return last_text(source, header).map(|text| vec![source.flat(&(text..text + 1))]);
        }
        None => {
            let words = header.clone().rev().filter(|index| source.tokens[*index].kind == Kind::Word);
            let name = words
                .into_iter()
                .find(|index| !ITERATION.contains(&source.word(*index).trim_start_matches("into_")))?;
            resolved(source, &(name..name + 1))
        }
    };
    is_list(source, &span).then(|| cut(&source.flat(header), elements(source, &span)))
}

/// The text that a header ends in, brackets aside.
fn last_text(source: &Source, header: &Span) -> Option<usize> {
    let last = header.clone().rev().find(|index| !matches!(source.word(*index), ")" | ":" | "("))?;
    (source.tokens[last].kind == Kind::Text).then_some(last)
}

fn is_list(source: &Source, span: &Span) -> bool {
    source.pieces_in(span).any(|(_, list)| list.class == Class::List)
}

/// The rows that are left of a list where the header takes only a part of it.
fn cut(header: &str, rows: Vec<String>) -> Vec<String> {
    let number = |start: &str, end: char| {
        let at = header.rfind(start)? + start.len();
        header[at..].split(end).next()?.parse::<usize>().ok()
    };
    let skipped = number(".skip(", ')')
        .or_else(|| number(".slice(", ')'))
        .or_else(|| header.rfind('[').and_then(|at| header[at + 1..].split_once(":]")?.0.parse().ok()))
        .unwrap_or(0);
    let taken = number(".take(", ')')
        .or_else(|| number("[:", ']'))
        .or_else(|| number(".slice(0,", ')'))
        .unwrap_or(usize::MAX);
    rows.into_iter().skip(skipped).take(taken).collect()
}

/// A list, or the list that a name stands for.
fn resolved(source: &Source, span: &Span) -> Span {
    if span.len() != 1 {
        return span.clone();
    }
    let name = source.word(span.start);
    // The nearest one before, in a function that holds the use, or in none.
    let is_seen = |index: usize| {
        source.around(index).all(|(_, outer)| {
            !matches!(outer.class, Class::Function | Class::Lambda) || outer.span.contains(&span.start)
        })
    };
    let end = source.pieces.partition_point(|piece| piece.span.start <= span.start);
    let binds = |(index, piece): &(usize, &Piece)| {
        piece.class == Class::Binding
            && source.words(&piece.name).any(|word| word == name)
            && !piece.span.contains(&span.start)
            && is_seen(*index)
    };
    let before = source.pieces[..end].iter().enumerate().rev().find(binds);
    let bound = before.or_else(|| source.pieces.iter().enumerate().skip(end).find(binds));
    let Some((_, bound)) = bound else { return span.clone() };
    let value = bound.arguments.clone();
    match source
        .pieces_in(&value)
        .find(|(_, piece)| piece.class == Class::List && piece.span.end == value.end)
    {
        Some((_, list)) => list.span.clone(),
        None => value,
    }
}

fn elements(source: &Source, list: &Span) -> Vec<String> {
    let mut list = source.inside(list);
    // `vec![…]`, `[]T{…}`: the bracket comes after a type or a name.
    if let Some(open) = list.clone().find(|index| matches!(source.word(*index), "[" | "{")) {
        let is_whole =
            source.closing(open) + 1 == list.end && source.split(&list).len() == 1 && open != list.start;
        if is_whole {
            list = open + 1..list.end - 1;
        }
    }
    source.split(&list).iter().map(|element| source.flat(element)).collect()
}

/// The rows of `test.each([…])` or of a template table.
fn each(source: &Source, callee: &Span) -> Option<Vec<String>> {
    let at = callee.clone().find(|index| source.word(*index) == "each" || source.word(*index) == "for")?;
    if source.word(at + 1) == "(" {
        let table = resolved(source, &(at + 2..source.closing(at + 1)));
        return is_list(source, &table).then(|| elements(source, &table));
    }
    let rows = source.word(at + 1).lines().map(str::trim);
    Some(rows.filter(|row| row.contains("${")).map(str::to_owned).collect())
}

/// The rows of a list that a loop around the test goes over.
fn around(source: &Source, index: usize) -> Option<Vec<String>> {
    let header = source.around(index).find_map(|(_, outer)| match outer.class {
        Class::Call if source.flat(&outer.name).ends_with(".forEach") => {
            Some(outer.name.start..outer.name.end - 2)
        }
        Class::Loop => Some(outer.span.start + 1..outer.body.start.max(outer.span.start + 1)),
        _ => None,
    });
    header.and_then(|header| rows(source, &header))
}
