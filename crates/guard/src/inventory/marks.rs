//! What switches a test off, narrows a run to it, or expects it to fail.

use super::condition::{is_always, is_never};
use super::ordinary::configured;
use crate::language::Class;
use crate::source::{Piece, Source, Span};
use crate::text::{has_any, starts_with_any};
use crate::words;

/// What a mark does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MarkKind {
    /// Does not run.
    Skip,
    /// Does not run where a condition holds.
    ConditionalSkip,
    /// Is not even compiled or collected.
    Hidden,
    /// Runs instead of all others.
    Only,
    /// May fail.
    ExpectedFailure,
    /// Runs again until it passes.
    Retry,
}

impl MarkKind {
    /// Whether the test no longer proves anything on any machine.
    pub(crate) fn switches_off(self) -> bool {
        matches!(self, Self::Skip | Self::Hidden | Self::ExpectedFailure)
    }
}

/// A mark on a test.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub(crate) kind: MarkKind,
    /// Normalised.
    pub(crate) text: String,
    pub(crate) line: u32,
}

pub(super) fn mark(source: &Source, kind: MarkKind, span: &Span) -> Mark {
    Mark { kind, text: source.flat(span), line: source.line(span.start) }
}

/// The marks that a decorator gives, also behind a name: `later = pytest.mark.skip`, `@later`.
pub(super) fn of_decorator(source: &Source, span: &Span) -> Option<Mark> {
    given_by(source, span).or_else(|| {
        let mut words = source.words(span);
        let name = words.next().filter(|_| words.next().is_none())?;
        let is_it = |piece: &&Piece| {
            let is_name = piece.name.len() == 1 && source.word(piece.name.start) == name;
            piece.class == Class::Binding && piece.parent.is_none() && is_name && piece.arguments.len() > 1
        };
        given_by(source, &source.pieces.iter().rfind(is_it)?.arguments)
    })
}

fn given_by(source: &Source, span: &Span) -> Option<Mark> {
    let flat = source.flat(span);
    let end = span.clone().find(|index| matches!(source.word(*index), "(" | "=")).unwrap_or(span.end);
    let words: Vec<_> = source.words(&(span.start..end)).collect();
    let last = *words.last()?;
    let arguments = if source.word(end) == "(" { end + 1..source.closing(end) } else { end..end };
    let kind = match last {
        "skipif" | "skipIf" | "skipUnless" | "DisabledOnOs" | "EnabledIf" | "DisabledIf" => {
            conditional(source, last, &arguments)
        }
        "xfail" | "expectedFailure" => {
            // Where a condition decides, it fails only there.
            let first = source.split(&arguments).into_iter().next().unwrap_or_default();
            let is_condition = !first.is_empty()
                && !starts_with_any(&source.flat(&first), &["reason=", "strict=", "raises="])
                && !super::condition::is_constant(source, &first)
                && !is_always(source, &first);
            if is_condition { MarkKind::ConditionalSkip } else { MarkKind::ExpectedFailure }
        }
        "flaky" | "retry" | "RetryingTest" | "Retry" | "flaky_test" | "retry_test" => MarkKind::Retry,
        "cfg" => return hidden(source, span, &flat),
        "cfg_attr" if flat.contains("ignore") => {
            let when = source.split(&arguments).into_iter().next().unwrap_or_default();
            match configured(source, &when) {
                Some(true) => MarkKind::Skip,
                _ => MarkKind::ConditionalSkip,
            }
        }
        // xUnit: `[Fact(Skip = "…")]`; TestNG: `@Test(enabled = false)`.
        _ if flat.contains("Skip=") || flat.contains("enabled=false") => MarkKind::Skip,
        _ if words::SKIP_WORDS.contains(&last) => MarkKind::Skip,
        _ => return None,
    };
    Some(mark(source, kind, span))
}

/// A condition that always holds is none.
fn conditional(source: &Source, word: &str, arguments: &Span) -> MarkKind {
    let first = source.split(arguments).into_iter().next().unwrap_or_default();
    let always = if ["skipUnless", "runIf"].contains(&word) {
        is_never(source, &first)
    } else {
        is_always(source, &first)
    };
    if always { MarkKind::Skip } else { MarkKind::ConditionalSkip }
}

fn hidden(source: &Source, span: &Span, flat: &str) -> Option<Mark> {
    let open = span.clone().find(|index| source.word(*index) == "(")?;
    let predicate = open + 1..source.closing(open);
    // Nobody switches a feature on by accident; a platform is another matter.
    if configured(source, &predicate) == Some(false) {
        return Some(mark(source, MarkKind::Hidden, span));
    }
    flat.contains("target_").then(|| mark(source, MarkKind::ConditionalSkip, span))
}

/// The marks in the words of a test call: `it.skip`, `xit`, `test.only`, `describe.skipIf(x)`.
pub(super) fn of_call(source: &Source, piece: &Piece) -> Vec<Mark> {
    let mut marks = Vec::new();
    if let Some(choice) = chosen(source, &piece.name) {
        marks.extend(choice);
        return marks;
    }
    let mut words: Vec<_> = top_words(source, &piece.name);
    // `RSpec.xdescribe`.
    words.retain(|index| source.word(*index) != "RSpec");
    let Some((first, rest)) = words.split_first() else { return marks };
    let word = source.word(*first);
    let mut kinds = Vec::new();
    match words::switched(word) {
        Some(('f' | 'F', _)) => kinds.push(MarkKind::Only),
        Some(_) => kinds.push(MarkKind::Skip),
        None => {}
    }
    for index in rest {
        let word = source.word(*index);
        kinds.extend(match word {
            "only" => Some(MarkKind::Only),
            "failing" | "fails" | "fail" => Some(MarkKind::ExpectedFailure),
            "skipIf" | "runIf" => Some(conditional(source, word, &(index + 2..source.closing(index + 1)))),
            _ => words::SKIP_MODIFIERS.contains(&word).then_some(MarkKind::Skip),
        });
    }
    // Pest: `it('x', …)->skip()`.
    let mut at = piece.span.end;
    while source.word(at) == "->" && source.word(at + 2) == "(" {
        kinds.extend(match source.word(at + 1) {
            "only" => Some(MarkKind::Only),
            "fails" => Some(MarkKind::ExpectedFailure),
            word => words::SKIP_MODIFIERS.contains(&word).then_some(MarkKind::Skip),
        });
        at = source.closing(at + 2) + 1;
    }
    marks.extend(kinds.into_iter().map(|kind| mark(source, kind, &piece.name)));
    marks.extend(of_options(source, piece));
    marks
}

/// `(condition ? it.skip : it)(…)`, and a name that stands for such a choice.
fn chosen(source: &Source, name: &Span) -> Option<Option<Mark>> {
    let choice = choice(source, name)?;
    let question = *source.top_level(&choice, &["?"]).first()?;
    let colon = *source.top_level(&(question..choice.end), &[":"]).first()?;
    let off = |span: Span| {
        source.words(&span).any(|word| words::SKIP_MODIFIERS.contains(&word) || word.starts_with('x'))
    };
    let (condition, yes, no) = (choice.start..question, off(question + 1..colon), off(colon + 1..choice.end));
    let kind = match (yes, no) {
        (false, false) => return Some(None),
        (true, true) => MarkKind::Skip,
        (true, false) if is_always(source, &condition) => MarkKind::Skip,
        (false, true) if is_never(source, &condition) => MarkKind::Skip,
        _ => MarkKind::ConditionalSkip,
    };
    Some(Some(mark(source, kind, &choice)))
}

/// The tokens of a choice between ways to declare a test, in place or behind a name.
pub(super) fn choice(source: &Source, name: &Span) -> Option<Span> {
    let declares = |span: &Span| {
        source.words(span).any(words::declares_tests) && !source.top_level(span, &["?"]).is_empty()
    };
    if source.word(name.start) == "(" {
        let inside = name.start + 1..source.closing(name.start);
        return declares(&inside).then_some(inside);
    }
    if name.len() != 1 || words::is_test_call(source.word(name.start)) {
        return None;
    }
    let word = source.word(name.start);
    let bound = source.pieces.iter().find(|piece| {
        piece.class == Class::Binding && piece.name.len() == 1 && source.word(piece.name.start) == word
    })?;
    declares(&bound.arguments).then(|| bound.arguments.clone())
}

/// node:test and vitest take options: `test('x', { skip: true }, …)`.
fn of_options(source: &Source, piece: &Piece) -> Vec<Mark> {
    let arguments = source.inside(&piece.arguments);
    let operands: Vec<Span> = source.split(&arguments).into_iter().skip(1).collect();
    let mut marks: Vec<Mark> = operands.iter().filter_map(|operand| of_operand(source, operand)).collect();
    let Some(options) = operands.into_iter().find(|span| source.word(span.start) == "{") else {
        return marks;
    };
    for option in source.split(&source.inside(&options)) {
        let parts = source.split_at(&option, &[":"]);
        let [name, value] = &parts[..] else { continue };
        let kind = match source.word(name.start) {
            "skip" | "todo" => MarkKind::Skip,
            "only" => MarkKind::Only,
            "retry" | "retries" => MarkKind::Retry,
            "fails" => MarkKind::ExpectedFailure,
            _ => continue,
        };
        if !["false", "0", "undefined", "null"].contains(&source.flat(value).as_str()) {
            let is_decided = super::condition::is_constant(source, value) || is_always(source, value);
            let kind = if kind == MarkKind::Skip && !is_decided { MarkKind::ConditionalSkip } else { kind };
            marks.push(mark(source, kind, &option));
        }
    }
    marks
}

/// RSpec: `it "x", :skip` and `it "x", skip: "later"`; Catch2: `TEST_CASE("x", "[.]")`.
fn of_operand(source: &Source, operand: &Span) -> Option<Mark> {
    let first = source.word(operand.start);
    let kind = match first {
        ":skip" | ":pending" if operand.len() == 1 => MarkKind::Skip,
        "skip" | "pending" | "skip:" | "pending:" if operand.len() > 1 => {
            let value = source.flat(&(operand.end - 1..operand.end));
            (!["false", "nil"].contains(&value.as_str())).then_some(MarkKind::Skip)?
        }
        _ if operand.len() == 1 && first.contains("[!mayfail]") => MarkKind::ExpectedFailure,
        _ if operand.len() == 1 && first.contains("[!shouldfail]") => MarkKind::ExpectedFailure,
        _ if operand.len() == 1 && first.starts_with('"') && has_any(first, &["[.", "[!hide]"]) => {
            MarkKind::Skip
        }
        _ => return None,
    };
    Some(mark(source, kind, operand))
}

/// The words of a callee outside of brackets.
pub(super) fn top_words(source: &Source, span: &Span) -> Vec<usize> {
    let mut depth = 0_usize;
    let mut words = Vec::new();
    for index in span.clone() {
        match source.word(index) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ if depth == 0 && source.tokens[index].kind == crate::source::Kind::Word => words.push(index),
            _ => {}
        }
    }
    words
}

/// The marks that calls in the body of a test give: `t.Skip()`, `pytest.skip()`, `this.skip()`.
pub(super) fn of_body(source: &Source, body: &Span) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (index, piece) in source.pieces_in(body) {
        let is_raise = piece.class == Class::Throw && source.flat(&piece.span).contains("SkipTest");
        let is_assumption = piece.class == Class::Call && assumes_nothing(source, piece);
        if !is_raise && !is_assumption && (piece.class != Class::Call || !is_skip_call(source, piece)) {
            continue;
        }
        marks.extend(skip_kind(source, index, body).map(|kind| mark(source, kind, &piece.span)));
    }
    if source.language.traits.names_call {
        marks.extend(alone(source, body));
    }
    marks.extend(super::retries::of_body(source, body));
    marks
}

/// Ruby: `skip` on a line of its own.
fn alone(source: &Source, body: &Span) -> Vec<Mark> {
    let line = |at: usize| source.tokens.get(at).map(|token| token.line);
    let is_alone = |at: &usize| {
        ["skip", "pending"].contains(&source.word(*at))
            && at.checked_sub(1).and_then(line) < line(*at)
            && line(*at + 1) != line(*at)
    };
    body.clone().filter(is_alone).map(|at| mark(source, MarkKind::Skip, &(at..at + 1))).collect()
}

/// googletest passes by what is called `DISABLED_…`; the name without that.
pub(super) fn of_name<'a>(source: &Source, span: &Span, name: &'a str) -> (&'a str, Option<Mark>) {
    match name.strip_prefix("DISABLED_") {
        Some(plain) if !plain.is_empty() => (plain, Some(mark(source, MarkKind::Skip, span))),
        _ => (name, None),
    }
}

/// The calls in a range that skip the test which runs them.
pub(crate) fn skips(source: &Source, span: &Span) -> Vec<Mark> {
    let mut found = of_body(source, span);
    found.retain(|mark| matches!(mark.kind, MarkKind::Skip | MarkKind::ConditionalSkip));
    found
}

/// A property that holds for no example: `assume(False)`.
fn assumes_nothing(source: &Source, piece: &Piece) -> bool {
    let last = source.words(&piece.name).last().unwrap_or_default();
    let condition = source.split(&source.inside(&piece.arguments)).into_iter().next().unwrap_or_default();
    match last {
        "assume" | "prop_assume" | "pre" | "assumeTrue" => is_never(source, &condition),
        "assumeFalse" => is_always(source, &condition),
        _ => false,
    }
}

/// What a call that skips does, by the conditions around it; `None` where it is never reached.
fn skip_kind(source: &Source, index: usize, body: &Span) -> Option<MarkKind> {
    let at = source.pieces[index].span.start;
    let mut kind = MarkKind::Skip;
    for (_, outer) in source.around(index).take_while(|(_, outer)| outer.span.start >= body.start) {
        if outer.class == Class::If && outer.body.contains(&at) {
            let header = outer.span.start..outer.body.start;
            if source.words(&header).any(|word| ["recover", "Failed"].contains(&word)) {
                // Skipped because it failed.
                return Some(MarkKind::ExpectedFailure);
            }
            if super::condition::is_constant(source, &outer.condition) && is_never(source, &outer.condition) {
                return None;
            }
            if !is_always(source, &outer.condition) && !always_by_header(source, outer) {
                kind = MarkKind::ConditionalSkip;
            }
        } else if outer.class == Class::Handler {
            kind = MarkKind::ConditionalSkip;
        }
    }
    Some(kind)
}

/// `if _, ok := os.LookupEnv("X"); !ok`.
pub(super) fn always_by_header(source: &Source, piece: &Piece) -> bool {
    source.language.traits.if_binds
        && source.word(piece.condition.start) == "!"
        && source.words(&(piece.span.start..piece.condition.start)).any(|word| word == "LookupEnv")
}

fn is_skip_call(source: &Source, piece: &Piece) -> bool {
    let callee = source.flat(&piece.name);
    let first = source.receiver(&piece.name);
    let Some(last) = callee.rsplit(['.', ':', '>']).next() else { return false };
    let bare = ["skip", "pending", "GTEST_SKIP", "Skip"];
    match last {
        "xfail" => first == "pytest",
        "Ignore" | "Inconclusive" | "abort" => ["Assert", "Assumptions"].contains(&first),
        _ => {
            words::SKIP_WORDS.contains(&last)
                && (words::TEST_RECEIVERS.contains(&first)
                    || callee.contains(".T().")
                    || bare.contains(&callee.as_str()) && first != "it")
        }
    }
}

/// The marks that hold for a whole file.
pub(super) fn of_file(source: &Source) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (index, piece) in source.pieces.iter().enumerate() {
        let found = match piece.class {
            Class::Binding if piece.parent.is_none() => file_binding(source, piece),
            Class::Decorator if source.flat(&piece.span).starts_with("#![") => {
                of_decorator(source, &piece.span)
            }
            Class::Call
                if source
                    .around(index)
                    .all(|(_, outer)| outer.class == Class::If || outer.class == Class::Block) =>
            {
                let is_module_skip = source.flat(&piece.name) == "pytest.skip";
                let conditional = source
                    .around(index)
                    .any(|(_, outer)| outer.class == Class::If && !is_always(source, &outer.condition));
                let kind = if conditional { MarkKind::ConditionalSkip } else { MarkKind::Skip };
                is_module_skip.then(|| mark(source, kind, &piece.span))
            }
            _ => None,
        };
        marks.extend(found);
    }
    marks.extend(source.comments.iter().filter_map(|comment| build_tag(source, comment)));
    marks
}

fn file_binding(source: &Source, piece: &Piece) -> Option<Mark> {
    let value = source.flat(&piece.arguments);
    let kind = match source.flat(&piece.name).as_str() {
        "pytestmark" if value.contains("xfail") => MarkKind::ExpectedFailure,
        "pytestmark" if value.contains("skipif") => {
            let open = piece.arguments.clone().find(|index| source.word(*index) == "(")?;
            conditional(source, "skipif", &(open + 1..source.closing(open)))
        }
        "pytestmark" if value.contains("skip") => MarkKind::Skip,
        "__test__" if value == "False" => MarkKind::Hidden,
        _ => return None,
    };
    Some(mark(source, kind, &piece.span))
}

/// A Go build constraint that no ordinary run meets.
fn build_tag(source: &Source, comment: &crate::source::Comment) -> Option<Mark> {
    let text = source.comment(comment);
    let tag = text.strip_prefix("//go:build ").or_else(|| text.strip_prefix("// +build "))?.trim();
    let systems = ["linux", "darwin", "windows", "unix", "amd64", "arm64", "cgo", "go1"];
    // What only a tag can leave out is in every ordinary run.
    let known = has_any(tag, &systems) || tag.starts_with('!');
    let kind = if known { MarkKind::ConditionalSkip } else { MarkKind::Hidden };
    Some(Mark { kind, text: text.to_owned(), line: comment.line })
}
