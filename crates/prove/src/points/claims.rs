//! What assertions say of calls: which calls they look at, and what they expect of them.

use std::collections::BTreeMap;
use std::ops::Range;

use piton_guard::{Class, Piece, Test};

use super::answers::{is_product_call, written_down};
use crate::code::{Code, Language};

/// One assertion that expects a value that is written down.
pub(super) struct Claim {
    /// The names of the calls of product code that give the value.
    pub(super) calls: Vec<usize>,
    pub(super) expected: String,
    /// All that it compares with what is expected.
    pub(super) subject: Range<usize>,
    /// Where the expected value stands, unless the assertion says it by its own word.
    pub(super) expected_at: Option<Range<usize>>,
    /// The word that compares: `assertEqual`, `toBe`, `==`.
    pub(super) word: String,
}

const EQUAL: &[&str] = &[
    "assert_eq",
    "prop_assert_eq",
    "debug_assert_eq",
    "assertEqual",
    "assertEquals",
    "assertIs",
    "assertListEqual",
    "assertDictEqual",
    "assertCountEqual",
    "assertSequenceEqual",
    "assertTupleEqual",
    "assertSetEqual",
    "assertAlmostEqual",
    "equal",
    "strictEqual",
    "deepEqual",
    "deepStrictEqual",
    "Equal",
    "EqualValues",
    "Exactly",
    "same",
    "is",
    "eql",
    "eq_",
    "ElementsMatch",
    "InDelta",
    "assertSame",
    "assertMultiLineEqual",
];
const HOLDS: &[&str] =
    &["assertTrue", "assert_", "assert", "debug_assert", "prop_assert", "ok", "True", "isTrue"];
const FAILS: &[&str] = &["assertFalse", "False", "isFalse", "notOk"];
const MATCHERS: &[&str] = &[
    "toBe",
    "toEqual",
    "toStrictEqual",
    "toBeCloseTo",
    "equal",
    "equals",
    "eql",
    "eq",
    "Equal",
    "BeEquivalentTo",
];

/// The claims of a test, where they can be read; also those about rows of tables, whose expectation is a name.
pub(super) fn claims(code: &Code<'_>, test: &Test) -> Vec<Claim> {
    let reader = Reader { code, bound: bound(code, test) };
    let first = code.outline.pieces.partition_point(|piece| piece.span.start < test.span.start);
    let mut found = Vec::new();
    for piece in code.outline.pieces[first..].iter().take_while(|piece| piece.span.start < test.span.end) {
        match piece.class {
            Class::Assert => {
                let all = piece.span.start + 1..piece.span.end;
                found.extend(
                    code.split(&all).first().and_then(|condition| reader.holds(condition, true, "assert")),
                );
            }
            Class::Call => found.extend(reader.call(piece)),
            Class::If => found.extend(reader.conditional(piece)),
            _ => {}
        }
    }
    found
}

/// The values that names stand for in a test, by the name.
fn bound<'a>(code: &Code<'a>, test: &Test) -> BTreeMap<&'a str, Range<usize>> {
    let inside = |piece: &&Piece| test.span.start <= piece.span.start && piece.span.end <= test.span.end;
    let bindings = code.pieces_of(Class::Binding).filter(inside);
    let mut bound = BTreeMap::new();
    for piece in bindings.filter(|piece| !piece.arguments.is_empty()) {
        let name = code.words(&piece.name).find(|word| !matches!(*word, "mut" | "let" | "const"));
        if let Some(name) = name.filter(|_| !code.word(piece.name.start).starts_with(['(', '['])) {
            bound.insert(name, piece.arguments.clone());
        }
    }
    bound
}

struct Reader<'c, 'a> {
    code: &'c Code<'a>,
    bound: BTreeMap<&'a str, Range<usize>>,
}

impl Reader<'_, '_> {
    fn call(&self, piece: &Piece) -> Option<Claim> {
        let code = self.code;
        let name = code.last_name(&piece.name);
        if name == "expect" {
            return self.chain(piece);
        }
        let mut operands = code.split(&code.inside(&piece.arguments));
        if operands.first().is_some_and(|first| ["t", "tt"].contains(&code.excerpt(first))) {
            operands.remove(0);
        }
        let (first, second) = (operands.first()?, operands.get(1));
        let is_method =
            code.word_before(piece.name.end.saturating_sub(1)) == "." && code.language != Language::Python;
        match second {
            Some(second) if EQUAL.contains(&name) => self.equal(first, second, name),
            _ if HOLDS.contains(&name) && (is_method || name != "ok") => self.holds(first, true, name),
            _ if FAILS.contains(&name) => self.holds(first, false, name),
            _ => None,
        }
    }

    /// `expect(subject).toBe(expected)`.
    fn chain(&self, piece: &Piece) -> Option<Claim> {
        /// Words between a subject and its matcher.
        const WORDS_MAX: usize = 8;
        let code = self.code;
        let mut at = piece.span.end;
        for _ in 0..WORDS_MAX {
            if code.word(at) != "." || code.word(at + 1) == "not" {
                return None;
            }
            if code.word(at + 2) == "(" {
                let matcher = code.word(at + 1);
                let operand = at + 3..code.closing(at + 2);
                let expected = code.split(&operand).into_iter().next()?;
                return MATCHERS
                    .contains(&matcher)
                    .then(|| self.equal(&code.inside(&piece.arguments), &expected, matcher))
                    .flatten();
            }
            at += 2;
        }
        None
    }

    /// `if got != want { t.Errorf(…) }`.
    fn conditional(&self, piece: &Piece) -> Option<Claim> {
        let code = self.code;
        let fails = code.words(&piece.body).take(12).any(|word| {
            ["Errorf", "Error", "Fatal", "Fatalf", "Fail", "FailNow", "throw", "raise", "panic"]
                .contains(&word)
        });
        fails.then(|| self.holds(&code.inside(&piece.condition), false, "if")).flatten()
    }

    /// What a condition says that must hold, or must not.
    fn holds(&self, condition: &Range<usize>, wanted: bool, word: &str) -> Option<Claim> {
        let code = self.code;
        let condition = code.inside(condition);
        let marks: Vec<_> = code.top_level(&condition).map(|index| (index, code.word(index))).collect();
        let joins = ["and", "or", "&&", "||", "<", ">", "<=", ">=", "in", "if", "+"];
        if marks.iter().any(|(_, word)| joins.contains(word)) {
            return None;
        }
        let equal = if wanted { ["==", "===", "is"] } else { ["!=", "!==", "!="] };
        let unequal = if wanted { ["!=", "!==", "!="] } else { ["==", "===", "is"] };
        if marks.iter().any(|(_, word)| unequal.contains(word)) {
            return None;
        }
        if let Some((at, _)) = marks.iter().find(|(_, word)| equal.contains(word)) {
            return self.equal(&(condition.start..*at), &(*at + 1..condition.end), word);
        }
        if matches!(code.word(condition.start), "not" | "!") {
            return self.holds(&(condition.start + 1..condition.end), !wanted, word);
        }
        let (yes, no) = if code.language == Language::Python { ("True", "False") } else { ("true", "false") };
        self.claim(&condition, if wanted { yes } else { no }.to_owned(), None, word)
    }

    fn equal(&self, one: &Range<usize>, other: &Range<usize>, word: &str) -> Option<Claim> {
        match (written_down(self.code, one), written_down(self.code, other)) {
            (None, Some(expected)) => self.claim(one, expected, Some(other.clone()), word),
            (Some(expected), None) => self.claim(other, expected, Some(one.clone()), word),
            _ => None,
        }
    }

    fn claim(
        &self,
        subject: &Range<usize>,
        expected: String,
        expected_at: Option<Range<usize>>,
        word: &str,
    ) -> Option<Claim> {
        let subject = self.resolved(subject);
        let calls = calls(self.code, &subject);
        let word = word.to_owned();
        (!calls.is_empty()).then_some(Claim { calls, expected, subject, expected_at, word })
    }

    /// A value, or the value that a name stands for.
    fn resolved(&self, subject: &Range<usize>) -> Range<usize> {
        let is_name = subject.len() == 1 && self.code.is_word(subject.start);
        let bound = is_name.then(|| self.bound.get(self.code.word(subject.start))).flatten();
        bound.unwrap_or(subject).clone()
    }
}

/// The calls of product code whose value a piece of code is, if it is one: no operator makes another value of it.
fn calls(code: &Code<'_>, subject: &Range<usize>) -> Vec<usize> {
    let mut found = Vec::new();
    for index in code.top_level(subject) {
        let word = code.word(index);
        let computes = matches!(
            word,
            "+" | "-" | "*" | "/" | "%" | "<" | ">" | "&&" | "||" | "and" | "or" | "[" | "|" | "^" | "{"
        );
        let derives = code.is_word(index)
            && matches!(word, "len" | "length" | "str" | "int" | "sorted" | "typeof" | "not" | "sum");
        if computes || derives {
            return Vec::new();
        }
        if is_product_call(code, index) {
            found.push(index);
        }
    }
    found
}
