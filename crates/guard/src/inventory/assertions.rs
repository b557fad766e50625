//! Finding assertions: statements, calls, chains, and conditionals that fail the test.

use super::condition::{Judged, is_always, judge, matches_anything};
use super::reach::reach;
use super::{Assertion, Reach, Strength, circular};
use crate::language::Class;
use crate::source::{Piece, Source, Span};
use crate::text::{has_any, starts_with_any};
use crate::vocabulary::EXACT_CALLS;
use crate::words::{self, ASSERT_RECEIVERS, FAILURE_CALLS};

/// The assertions in a range of tokens, which is a test or a helper.
pub(super) fn assertions(source: &Source, within: &Span) -> Vec<Assertion> {
    let mut found: Vec<Assertion> = Vec::new();
    for (index, piece) in source.pieces_in(within) {
        let judged = match piece.class {
            Class::Assert => statement(source, piece),
            Class::Call => call(source, piece),
            Class::If => conditional(source, piece),
            _ => None,
        };
        let Some((word, span, mut judged)) = judged else { continue };
        // The arguments of an assertion are part of it.
        if found.last().is_some_and(|last| span.start < last.span.end && span.end <= last.span.end) {
            continue;
        }
        if circular::is_circular(source, within, &span, &judged) {
            judged.strength = Strength::Tautology;
        }
        let reach = match is_dropped(source, &span, &word) {
            true => Reach::Swallowed,
            false => reach(source, index, within),
        };
        found.push(Assertion {
            line: source.line(span.start),
            text: format!("{word} {} {} {}", judged.subject, judged.operator, judged.expected),
            span,
            subject: judged.subject,
            expected: judged.expected,
            word,
            strength: judged.strength,
            reach,
        });
    }
    found
}

/// A promise that nobody waits for: `expect(p).resolves.toBe(1)` without `await`.
fn is_dropped(source: &Source, span: &Span, word: &str) -> bool {
    let is_promise = word.split('.').any(|part| ["resolves", "rejects", "eventually"].contains(&part));
    let before = source.word(span.start.wrapping_sub(1));
    is_promise && !["await", "return", "=>", "(", ",", "[", "="].contains(&before)
}

type Found = Option<(String, Span, Judged)>;

/// `assert condition, message`.
fn statement(source: &Source, piece: &Piece) -> Found {
    let operands = piece.span.start + 1..piece.span.end;
    let condition = source.split_at(&operands, &[",", ":"]).into_iter().next()?;
    Some(("assert".to_owned(), piece.span.clone(), judge(source, &condition, false)))
}

fn call(source: &Source, piece: &Piece) -> Found {
    let callee = source.flat(&piece.name);
    // `Type::method(…).unwrap()` has a callee with a call in it; only the words at its ends matter.
    let last = callee.rsplit(['.', ':', '>', '!']).find(|word| !word.is_empty())?.to_owned();
    let first = source.receiver(&piece.name);
    let is_expect = ["expect", "assertThat", "expectTypeOf", "should"].contains(&callee.as_str())
        || callee == "expect.soft"
        || callee == "expect.poll"
        || callee == "chai.expect"
        || callee.starts_with("expectTypeOf<") && callee.ends_with('>')
        || source
            .language
            .traits
            .expect_calls
            .contains(&callee.trim_start_matches("gomega.").trim_start_matches("g."));
    if is_expect {
        return chain(source, piece);
    }
    if ["expect.assertions", "expect.hasAssertions"].contains(&callee.as_str()) {
        return Some(promised(source, piece, &last));
    }
    if let Some(checked) = checked(source, piece, &last) {
        return Some(checked);
    }
    if starts_with_any(&callee, &["expect(", "expect.", "assertThat(", "should("]) {
        return None;
    }
    // supertest and its like: `request(app).get("/").expect(200)`.
    if source.language.traits.expects_at_the_end && callee.ends_with(".expect") && callee.contains('(') {
        return Some(requested(source, piece, callee));
    }
    if callee.contains(".should.") || callee.ends_with(".should") {
        return should(source, piece, &callee);
    }
    if let Some(word) = words::assert_word(&last) {
        let is_known =
            word.bare || ASSERT_RECEIVERS.contains(&first) || callee.contains("assert") || first == "pytest";
        let is_failure = first == "t" && FAILURE_CALLS.contains(&last.as_str());
        if is_known && !is_failure && !callee.contains('(') {
            return Some(known(source, piece, &word));
        }
    }
    let is_failure = FAILURE_CALLS.contains(&last.as_str())
        && (words::TEST_RECEIVERS.contains(&first)
            || ["panic", "fail"].contains(&callee.trim_end_matches('!')));
    if is_failure {
        return unconditional(source, piece, &last);
    }
    by_name(source, piece, &last)
}

/// How many assertions a test says it makes.
fn promised(source: &Source, piece: &Piece, last: &str) -> (String, Span, Judged) {
    let expected = source.flat(&source.inside(&piece.arguments));
    let judged = Judged { operator: ">=".to_owned(), ..Judged::of(Strength::Relational, last, expected) };
    (last.to_owned(), piece.span.clone(), judged)
}

/// `c.Assert(got, qt.Equals, want)` and `assert_that!(got, eq(want))`: a checker says how strong it is.
fn checked(source: &Source, piece: &Piece, last: &str) -> Option<(String, Span, Judged)> {
    const CHECKERS: &[(Strength, &[&str])] = &[
        (Strength::Exact, EXACT_CALLS),
        (Strength::Truthy, &["NotNil", "IsNotNil"]),
        (Strength::Tautology, &["anything"]),
    ];
    let operands = source.split(&source.inside(&piece.arguments));
    let [subject, checker, rest @ ..] = &operands[..] else { return None };
    if !source.language.traits.checker_calls.contains(&last) {
        return None;
    }
    let known = |word: &str| {
        let row = CHECKERS.iter().find(|(_, names)| names.contains(&word));
        row.map(|(strength, _)| *strength).or(word.ends_with("Equals").then_some(Strength::Exact))
    };
    let name = source.words(checker).find(|word| known(word).is_some());
    let negated = source.words(checker).any(|word| ["Not", "not"].contains(&word));
    let strength = name.and_then(known).unwrap_or(Strength::Relational);
    let strength = if negated { strength.min(Strength::Relational) } else { strength };
    let expected = match rest.first() {
        Some(first) if !source.language.traits.checker_holds_value => source.flat(first),
        _ => source.flat(checker),
    };
    let word = name.unwrap_or(last).to_owned();
    Some((word, piece.span.clone(), Judged::of(strength, source.flat(subject), expected)))
}

/// A request with what is expected of its answer.
fn requested(source: &Source, piece: &Piece, callee: String) -> (String, Span, Judged) {
    let expected = source.flat(&source.inside(&piece.arguments));
    ("expect".to_owned(), piece.span.clone(), Judged::of(Strength::Exact, callee, expected))
}

/// A word of the table with its operands.
fn known(source: &Source, piece: &Piece, word: &words::AssertWord) -> (String, Span, Judged) {
    let mut operands = source.split(&source.inside(&piece.arguments));
    let is_handle = |span: &Span| {
        let flat = source.flat(span);
        ["t", "tt", "b", "suite.T()", "s.T()"].contains(&flat.as_str())
    };
    if operands.len() > 1 && operands.first().is_some_and(is_handle) {
        operands.remove(0);
    }
    operands.truncate(word.operands);
    let negated =
        word.name.contains("alse") || word.name.contains("ALSE") || ["notOk", "refute"].contains(&word.name);
    let judged = match (word.strength, operands.first()) {
        (Strength::Condition, Some(condition)) => judge(source, condition, negated),
        (Strength::Condition, None) => Judged::of(Strength::Truthy, "", ""),
        (strength, _) => operated(source, strength, &operands, word.name.to_lowercase().contains("not")),
    };
    (word.name.to_owned(), piece.span.clone(), judged)
}

/// An assertion over operands: what is looked at, and what it is compared with.
fn operated(source: &Source, strength: Strength, operands: &[Span], negates: bool) -> Judged {
    let flats: Vec<_> = operands.iter().map(|span| source.flat(span)).collect();
    let constant =
        |index: usize| operands.get(index).is_some_and(|span| super::condition::is_constant(source, span));
    let flat = |index: usize| flats.get(index).cloned().unwrap_or_default();
    let all_constant = !operands.is_empty() && (0..operands.len()).all(constant);
    let same = flats.len() >= 2 && flats[0] == flats[1];
    let is_tautology = strength != Strength::Relational && (all_constant || same);
    // Being other than nothing is no more than being something.
    let is_nothing =
        |flat: &String| ["\"\"", "nil", "null", "undefined", "None", "0"].contains(&flat.as_str());
    let strength = match strength {
        Strength::Relational if flats.len() == 2 && negates && flats.iter().any(is_nothing) => {
            Strength::Truthy
        }
        other => other,
    };
    let strength = match is_tautology {
        true => Strength::Tautology,
        false if flats.iter().any(|flat| matches_anything(flat)) => Strength::Truthy,
        false => strength,
    };
    // What is expected may come first: it is what no code is asked for.
    let asks = |index: usize| flat(index).contains('(');
    let comes_first = constant(0) && !constant(1) || !asks(0) && asks(1) && !constant(1);
    let subject = usize::from(comes_first && flats.len() > 1);
    let rest: Vec<_> = (0..flats.len()).filter(|index| *index != subject).map(flat).collect();
    Judged::of(strength, flat(subject), rest.join(","))
}

/// `expect(subject).words.matcher(expected)`: everything after the first call is read from the tokens.
fn chain(source: &Source, piece: &Piece) -> Found {
    let mut subject = source.inside(&piece.arguments);
    if subject.is_empty() {
        // `expectTypeOf<T>()`
        subject = piece.name.clone();
    }
    let mut at = piece.span.end;
    let (mut words, mut expected) = (Vec::new(), at..at);
    while matches!(source.word(at), "." | "?." | "!" | "->") {
        at += 1;
        words.push(source.word(at).to_owned());
        at += 1;
        // `.toEqualTypeOf<T>()`: what is expected is a type.
        if source.word(at) == "<" {
            let close = closing_angle(source, at);
            expected = at + 1..close;
            at = close + 1;
        }
        if source.word(at) == "(" {
            let close = source.closing(at);
            if close > at + 1 || expected.is_empty() {
                expected = at + 1..close;
            }
            at = close + 1;
        }
    }
    // RSpec: `expect(x).to eq(y)`.
    if words.last().is_some_and(|word| ["to", "not_to", "to_not"].contains(&word.as_str()))
        && expected.is_empty()
    {
        words.push(source.word(at).to_owned());
        at += 1;
        if source.word(at) == "(" {
            let close = source.closing(at);
            expected = at + 1..close;
            at = close + 1;
        }
    }
    // gomega: `Expect(x).To(Equal(y))`.
    let last = words.last().map(String::as_str).unwrap_or_default();
    if ["To", "ToNot", "NotTo", "Should", "ShouldNot"].contains(&last) {
        if last.contains("Not") {
            words.push("not".to_owned());
        }
        let open = expected.clone().find(|index| source.word(*index) == "(");
        let named = source.words(&(expected.start..open.unwrap_or(expected.end))).last();
        words.extend(named.map(str::to_owned));
        expected = open.map_or(expected.end..expected.end, |open| open + 1..source.closing(open));
    }
    if words.is_empty() {
        return None;
    }
    let strength = words.iter().rev().find_map(|word| words::matcher(word)).unwrap_or(Strength::Relational);
    // `expect(x).toBe;` asks nothing.
    let is_called = source.word(at.saturating_sub(1)) == ")";
    let is_method = words.last().is_some_and(|word| {
        word.strip_prefix("to").is_some_and(|rest| rest.starts_with(|next: char| next.is_uppercase()))
    });
    if is_method && !is_called {
        let judged = Judged::of(Strength::Tautology, source.flat(&subject), "");
        return Some((words.join("."), piece.span.start..at, judged));
    }
    Some((words.join("."), piece.span.start..at, chained(source, strength, &words, &subject, &expected)))
}

/// Where the angle bracket at `open` is closed.
fn closing_angle(source: &Source, open: usize) -> usize {
    let mut depth = 0_usize;
    for index in open..source.tokens.len() {
        match source.word(index) {
            "<" => depth += 1,
            ">" if depth <= 1 => return index,
            ">" => depth -= 1,
            _ => {}
        }
    }
    open
}

fn chained(source: &Source, strength: Strength, words: &[String], subject: &Span, expected: &Span) -> Judged {
    let negated = words.iter().any(|word| ["not", "not_to", "to_not"].contains(&word.as_str()));
    let matcher = words.last().map_or("", String::as_str);
    let (subject_flat, expected_flat) = (source.flat(subject), source.flat(expected));
    let is_equality = strength == Strength::Exact && !negated;
    let subject_constant = super::condition::is_constant(source, subject);
    let takes_operand = !matcher.contains("Snapshot");
    let is_type = subject_flat.starts_with("typeof") || subject_flat.starts_with("Array.isArray(");
    let strength = if is_type && strength >= Strength::Truthy {
        Strength::Truthy
    } else if strength == Strength::Truthy && !negated && !subject.is_empty() && is_always(source, subject)
        || subject_constant && matcher != "toThrow" && takes_operand
        || is_equality && !expected.is_empty() && subject_flat == expected_flat
    {
        Strength::Tautology
    } else if matches_anything(&expected_flat) {
        Strength::Truthy
    } else if negated && ["toBe", "toEqual", "toStrictEqual", "equal", "eq", "eql"].contains(&matcher) {
        let nothing = ["null", "undefined", "nil", "true", "false"];
        if nothing.contains(&expected_flat.as_str()) { Strength::Truthy } else { Strength::Relational }
    } else if negated && strength == Strength::Exact {
        Strength::Truthy
    } else if matcher == "toBeGreaterThanOrEqual" && subject_flat.ends_with(".length") && expected_flat == "0"
    {
        Strength::Tautology
    } else if ["toBe", "toEqual", "toStrictEqual", "equal"].contains(&matcher)
        && ["true", "false"].contains(&expected_flat.as_str())
    {
        // `expect(a === b).toBe(true)` says what its subject says.
        let inner = judge(source, subject, expected_flat == "false");
        if inner.strength == Strength::Tautology { Strength::Tautology } else { strength }
    } else {
        strength
    };
    Judged::of(strength, subject_flat, expected_flat)
}

/// `subject.should.be.equal(expected)`.
fn should(source: &Source, piece: &Piece, callee: &str) -> Found {
    let (subject, words) = callee.split_once(".should")?;
    let strength = words.rsplit('.').find_map(words::matcher).unwrap_or(Strength::Relational);
    let expected = source.flat(&source.inside(&piece.arguments));
    Some((format!("should{words}"), piece.span.clone(), Judged::of(strength, subject, expected)))
}

/// `if condition { fail }`: the condition must not hold.
fn conditional(source: &Source, piece: &Piece) -> Found {
    if piece.condition.is_empty() || !fails(source, &piece.body) {
        return None;
    }
    let header = piece.span.start + 1..piece.body.start.max(piece.span.start + 1);
    let mut judged = judge(source, &piece.condition, true);
    // What an initialiser computes is what the condition looks at.
    if header.start < piece.condition.start {
        let before = source.flat(&(header.start..piece.condition.start));
        let peeled = before.trim_matches(['(', ';']);
        if !peeled.is_empty() {
            judged.subject = format!("{peeled}; {}", judged.subject);
        }
    }
    Some(("if".to_owned(), piece.span.start..piece.body.end.max(piece.condition.end), judged))
}

/// Whether a block makes the test fail, not counting conditionals inside of it.
fn fails(source: &Source, body: &Span) -> bool {
    source.pieces_in(body).any(|(index, piece)| {
        let fails = match piece.class {
            Class::Throw => true,
            Class::Call => is_failure_call(source, piece),
            _ => false,
        };
        let is_nested = || {
            let mut around = source.around(index).take_while(|(_, outer)| outer.span.start >= body.start);
            around.any(|(_, outer)| outer.class == Class::If)
        };
        fails && !is_nested()
    })
}

fn is_failure_call(source: &Source, piece: &Piece) -> bool {
    let callee = source.flat(&piece.name);
    let Some(last) = callee.rsplit(['.', ':']).next() else { return false };
    let first = source.receiver(&piece.name);
    // A helper that is given the test and says by its name that it failed.
    let lower = last.to_lowercase();
    let is_given_test =
        source.language.traits.test_handle.is_some_and(|t| source.word(piece.arguments.start + 1) == t);
    if is_given_test && has_any(&lower, &["err", "fail", "fatal"]) {
        return true;
    }
    FAILURE_CALLS.contains(&last.trim_end_matches('!'))
        && (words::TEST_RECEIVERS.contains(&first) || ["panic", "panic!", "fail"].contains(&callee.as_str()))
}

/// A failure that no conditional around it was recognised for: an `else`, a `switch`, a callback.
fn unconditional(source: &Source, piece: &Piece, last: &str) -> Found {
    let judged = Judged::of(Strength::Relational, source.flat(&piece.arguments), "");
    Some((last.to_owned(), piece.span.clone(), judged))
}

/// A call whose name says that it asserts.
fn by_name(source: &Source, piece: &Piece, last: &str) -> Found {
    let starts =
        ["assert", "expect", "verify", "should", "EXPECT_", "ASSERT_", "require_", "check_", "ensure_"];
    let stem = starts.iter().find(|start| last.starts_with(**start))?;
    let rest = last[stem.len()..].chars().next();
    let is_word_end = stem.ends_with('_') || rest.is_some_and(|next| next == '_' || next.is_uppercase());
    let is_mock = last == "verify_mode";
    if !is_word_end || is_mock {
        return None;
    }
    let operands = source.split(&source.inside(&piece.arguments));
    let flats: Vec<_> = operands.iter().map(|span| source.flat(span)).collect();
    let expected = flats.get(1..).unwrap_or_default().join(",");
    let judged = Judged::of(words::strength_of(last), flats.first().cloned().unwrap_or_default(), expected);
    Some((last.to_owned(), piece.span.clone(), judged))
}
