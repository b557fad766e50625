//! Finding tests, whatever a language or framework calls them.

use std::collections::BTreeMap;

use super::assertions::assertions;
use super::definitions::names_function;
use super::last_name;
use super::marks::{self, Mark};
use super::{Assertion, Test, tables};
use crate::language::{Class, TestBy};
use crate::paths;
use crate::source::{Kind, Piece, Source, Span};
use crate::words;

/// The tests of a file, and the functions in it that assert without being one.
pub(super) fn tests(
    path: &str,
    source: &Source,
    file_marks: &[Mark],
) -> (Vec<Test>, BTreeMap<String, Vec<Assertion>>) {
    let mut tests: Vec<Test> = Vec::new();
    let mut helpers = BTreeMap::new();
    let mut memo = Suites::new();
    let in_test_file = paths::is_test(path);
    for (index, piece) in source.pieces.iter().enumerate() {
        let is_inside = tests.last().is_some_and(|test| piece.span.start < test.span.end);
        if is_inside {
            continue;
        }
        let found = match piece.class {
            Class::Function => function(source, index, in_test_file, &mut memo),
            Class::Call if in_test_file => call(source, index, &mut memo),
            _ => None,
        };
        match found {
            Some(mut test) => {
                test.marks.extend(file_marks.iter().cloned());
                tests.push(test);
            }
            // Product code may use the same words for something else.
            None if matches!(piece.class, Class::Function | Class::Binding)
                && (in_test_file || in_test_module(source, index)) =>
            {
                let found = assertions(source, &piece.span);
                if !found.is_empty() {
                    helpers.entry(last_name(source, &piece.name)).or_insert(found);
                }
            }
            None => {}
        }
    }
    (tests, helpers)
}

/// Whether a piece is part of a module that holds nothing but tests.
fn in_test_module(source: &Source, index: usize) -> bool {
    source.around(index).any(|(_, outer)| {
        outer.class == Class::Container
            && ["tests", "test"].contains(&last_name(source, &outer.name).as_str())
    })
}

/// A function that is a test.
fn function(source: &Source, index: usize, in_test_file: bool, memo: &mut Suites) -> Option<Test> {
    let piece = &source.pieces[index];
    let name = last_name(source, &piece.name);
    let decorators = decorators(source, piece);
    let is_test = source.language.tests.iter().any(|by| match by {
        TestBy::Attribute => decorators.iter().any(|span| is_test_attribute(source, span)),
        TestBy::NamePrefix(prefix) => in_test_file && is_collected(source, index, &name, prefix),
        TestBy::Call => false,
    });
    if !is_test {
        return None;
    }
    let start = decorators.first().map_or(piece.span.start, |first| first.start.min(piece.span.start));
    let span = start..piece.span.end;
    let body = if piece.body.is_empty() { piece.span.clone() } else { piece.body.clone() };
    let mut marks: Vec<_> = decorators.iter().filter_map(|span| marks::of_decorator(source, span)).collect();
    marks.extend(inherited(source, index, memo));
    marks.extend(marks::of_body(source, &body));
    let mut asserted: Vec<_> = decorators.iter().filter_map(|span| expected_panic(source, span)).collect();
    asserted.extend(assertions(source, &body));
    let (titled, named) = titled(source, piece, &name);
    marks.extend(named);
    let id = joined(&names_around(source, index), &titled);
    let table = tables::of_function(source, &decorators, &piece.arguments, &body);
    Some(Test {
        id,
        line: source.line(piece.span.start),
        span,
        body,
        marks,
        assertions: asserted,
        has_table: table.is_some(),
        cases: table.unwrap_or_default(),
    })
}

/// What a test is called: googletest has a macro in place of a name, `TEST(Suite, Name)`, and passes some by for that.
fn titled(source: &Source, piece: &Piece, name: &str) -> (String, Vec<Mark>) {
    let is_macro = name.starts_with("TEST") && words::is_test_call(name);
    let open = piece.name.clone().find(|at| is_macro && source.word(*at) == "(");
    let Some(open) = open else { return (name.to_owned(), Vec::new()) };
    let inside = open + 1..source.closing(open).min(piece.name.end);
    let (mut names, mut found) = (Vec::new(), Vec::new());
    for word in source.words(&inside) {
        let (plain, mark) = marks::of_name(source, &inside, word);
        names.push(plain.to_owned());
        found.extend(mark);
    }
    match names.is_empty() {
        true => (name.to_owned(), Vec::new()),
        false => (names.join(" > "), found),
    }
}

/// `#[should_panic(expected = "…")]` asserts.
fn expected_panic(source: &Source, span: &Span) -> Option<Assertion> {
    let flat = source.flat(span);
    let strength = match flat.contains("should_panic") {
        true if flat.contains("expected") => super::Strength::Exact,
        true => super::Strength::Relational,
        false if flat.contains("expected=") => super::Strength::Relational,
        false => return None,
    };
    let expected = source.literals(span).join(",");
    Some(Assertion {
        span: span.clone(),
        line: source.line(span.start),
        text: flat,
        subject: "should_panic".to_owned(),
        expected,
        word: "should_panic".to_owned(),
        strength,
        reach: super::Reach::Live,
    })
}

/// Whether a runner that goes by names would find this function.
fn is_collected(source: &Source, index: usize, name: &str, prefix: &str) -> bool {
    let Some(rest) = name.strip_prefix(prefix) else { return false };
    (source.language.traits.collects_function)(source, index, rest)
}

fn is_test_attribute(source: &Source, span: &Span) -> bool {
    // C#: several in one pair of brackets.
    let listed = source.split(&source.inside(span));
    let named = |part: &Span| {
        let end = part.clone().find(|index| source.word(*index) == "(").unwrap_or(part.end);
        source.words(&(part.start..end)).last().is_some_and(words::is_test_attribute)
    };
    listed.iter().any(named)
}

/// The attributes of a definition: those directly before it, and those between its start and its name.
pub(crate) fn decorators(source: &Source, piece: &Piece) -> Vec<Span> {
    let inside = source.pieces_in(&(piece.span.start..piece.name.start.max(piece.span.start)));
    let mut found: Vec<_> = inside
        .filter(|(_, inner)| inner.class == Class::Decorator)
        .map(|(_, inner)| inner.span.clone())
        .collect();
    let mut start = piece.span.start;
    let first = source.pieces.partition_point(|other| other.span.start < start);
    for other in source.pieces[..first].iter().rev() {
        if other.span.end < start && other.class != Class::Decorator {
            // Pieces inside of a decorator lie between it and the definition.
            if other.span.end + 200 < start {
                break;
            }
            continue;
        }
        if other.class == Class::Decorator && other.span.end == start {
            start = other.span.start;
            found.push(other.span.clone());
        }
    }
    found.sort_by_key(|span| span.start);
    found
}

/// A call that is a test: `it("…", () => {…})`.
fn call(source: &Source, index: usize, memo: &mut Suites) -> Option<Test> {
    let piece = &source.pieces[index];
    if !source.language.tests.contains(&TestBy::Call) {
        return None;
    }
    let first = declared_by(source, piece);
    if !words::is_test_call(first) {
        return None;
    }
    let arguments = source.inside(&piece.arguments);
    let operands = source.split(&arguments);
    let title = operands.first()?;
    // `test.each(table)` alone is only half of a test; its title comes with the next call.
    let is_title = matches!(source.tokens[title.start].kind, Kind::Text) || first.starts_with("TEST");
    if !is_title {
        return None;
    }
    let name = source.flat(title);
    let name = name.trim_matches(['"', '\'', '`']);
    let mut marks = marks::of_call(source, piece);
    marks.extend(inherited(source, index, memo));
    // The title says nothing about what the test does. Catch2: what follows the call is the body.
    let follows = first.starts_with("TEST") && source.word(piece.span.end) == "{";
    let end = if follows { source.closing(piece.span.end) + 1 } else { piece.span.end };
    let body = title.end..end;
    marks.extend(marks::of_body(source, &body));
    let table = tables::of_call(source, index, &body);
    Some(Test {
        id: joined(&names_around(source, index), name),
        line: source.line(piece.span.start),
        span: piece.span.start..end,
        assertions: assertions(source, &body),
        body,
        marks,
        has_table: table.is_some(),
        cases: table.unwrap_or_default(),
    })
}

/// The names of what holds a test, from the outside in.
fn names_around(source: &Source, index: usize) -> Vec<String> {
    let mut names: Vec<_> = source
        .around(index)
        .filter_map(|(_, outer)| match outer.class {
            Class::Container | Class::Function => Some(last_name(source, &outer.name)),
            Class::Call if is_suite(source, outer) => {
                let title = source.split(&source.inside(&outer.arguments)).into_iter().next()?;
                Some(source.flat(&title).trim_matches(['"', '\'', '`']).to_owned())
            }
            _ => None,
        })
        .collect();
    names.reverse();
    names
}

fn is_suite(source: &Source, piece: &Piece) -> bool {
    words::is_suite_call(declared_by(source, piece))
}

/// The word of the framework that a call uses, also where it is chosen among several.
fn declared_by<'a>(source: &'a Source, piece: &Piece) -> &'a str {
    let first = match source.word(piece.name.start) {
        // `RSpec.describe`.
        "RSpec" if piece.name.len() == 3 => source.word(piece.name.start + 2),
        first => first,
    };
    let is_plain = words::declares_tests(first);
    // Only a name alone, or a choice in brackets, can stand for such a word.
    let is_titled =
        source.tokens.get(piece.arguments.start + 1).is_some_and(|token| token.kind == Kind::Text);
    let is_other = first != "(" && piece.name.len() != 1;
    if is_plain || is_other || !is_titled || source.language.tests != [TestBy::Call] {
        return first;
    }
    let choice = marks::choice(source, &piece.name);
    let mut words = choice.iter().flat_map(|choice| source.words(choice));
    words.find(|word| words::declares_tests(word)).unwrap_or(first)
}

/// The marks of the suites and classes around a test.
fn inherited(source: &Source, index: usize, memo: &mut Suites) -> Vec<Mark> {
    let mut found = Vec::new();
    for (outer_index, outer) in source.around(index) {
        let given = memo.entry(outer_index).or_insert_with(|| given(source, outer));
        found.extend(given.iter().cloned());
    }
    found
}

/// The marks that suites give to their tests, by piece: each is looked through once, however many tests it holds.
type Suites = BTreeMap<usize, Vec<Mark>>;

/// The marks that a suite or a class gives to its tests.
fn given(source: &Source, outer: &Piece) -> Vec<Mark> {
    let mut found = Vec::new();
    match outer.class {
        Class::Call if is_suite(source, outer) => {
            found.extend(marks::of_call(source, outer));
            found.extend(hooks(source, outer));
        }
        // A function that holds tests and that nobody calls.
        Class::Binding | Class::Function if is_uncalled(source, outer) => {
            found.push(marks::mark(source, super::MarkKind::Hidden, &outer.name));
        }
        Class::Container => {
            let decorators = decorators(source, outer);
            found.extend(decorators.iter().filter_map(|span| marks::of_decorator(source, span)));
            found.extend(class_settings(source, outer));
        }
        _ => {}
    }
    found
}

/// Whether a function of a script has a name that its file never says again.
fn is_uncalled(source: &Source, outer: &Piece) -> bool {
    let name = last_name(source, &outer.name);
    let is_default = source.word(outer.span.start.wrapping_sub(1)) == "default"
        || source.text.contains("module.exports")
        || source.text.contains("export default");
    source.language.tests == [TestBy::Call]
        && names_function(source, outer)
        && outer.parent.is_none()
        && !is_default
        && source.words(&(0..source.tokens.len())).filter(|word| *word == name).count() < 2
}

/// `setUp` that skips, `__test__ = False`.
fn class_settings(source: &Source, class: &Piece) -> Vec<Mark> {
    let mut found = Vec::new();
    for (_, piece) in source.pieces_in(&class.body) {
        match piece.class {
            Class::Function
                if ["setUp", "setUpClass", "setup_method", "setup_class", "setUpModule"]
                    .contains(&last_name(source, &piece.name).as_str()) =>
            {
                found.extend(marks::of_body(source, &piece.body));
            }
            Class::Binding if source.flat(&piece.span) == "__test__=False" => {
                found.push(marks::mark(source, super::MarkKind::Hidden, &piece.span));
            }
            _ => {}
        }
    }
    found
}

/// `beforeEach(function () { this.skip() })`.
fn hooks(source: &Source, suite: &Piece) -> Vec<Mark> {
    let hooks = source.pieces_in(&suite.span).filter(|(_, piece)| {
        piece.class == Class::Call
            && piece.name.len() == 1
            && ["before", "beforeEach", "beforeAll"].contains(&source.word(piece.name.start))
    });
    hooks.flat_map(|(_, hook)| marks::of_body(source, &hook.arguments)).collect()
}

fn joined(around: &[String], name: &str) -> String {
    let mut id = around.join(" > ");
    if !id.is_empty() {
        id.push_str(" > ");
    }
    id.push_str(name);
    id
}
