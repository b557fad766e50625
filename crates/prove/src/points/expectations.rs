//! What tests expect, one value at a time: with another value in its place the test has to fail, whatever the code.

use std::ops::Range;

use super::neighbours;
use crate::code::Code;
use crate::mutate::replaced;

use super::answers::is_literal_token;

/// Words that compare within a tolerance: another value may be as good.
const ABOUT: &[&str] = &["assertAlmostEqual", "InDelta", "toBeCloseTo"];

/// A value that a test expects of a call, written down in the test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The file of the test.
    pub path: String,
    /// The test, as the guard names it.
    pub test: String,
    /// Where the value stands, from 1.
    pub line: u32,
    /// The word that compares with it.
    pub word: String,
    /// The bytes of the value.
    pub range: Range<usize>,
    /// The value as it is written.
    pub literal: String,
    /// Another value, which is not expected.
    pub other: String,
}

impl Expectation {
    /// The text of the test file with the other value in this place.
    pub fn apply(&self, text: &str) -> String {
        replaced(text, &self.range, &self.other)
    }

    /// Whether it says the same about the same test, wherever that stands.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (&self.test, &self.word, &self.literal) == (&other.test, &other.word, &other.literal)
    }
}

/// The values that the tests of a file expect of calls of product code, in the order of the file.
pub fn expectations(path: &str, text: &str) -> Vec<Expectation> {
    let Some(code) = Code::of(path, text) else { return Vec::new() };
    let mut found = Vec::new();
    for test in &code.outline.tests {
        for claim in super::claims::claims(&code, test) {
            let Some(span) = claim.expected_at.filter(|_| !ABOUT.contains(&claim.word.as_str())) else {
                continue;
            };
            let Some(at) = span.clone().find(|index| is_literal_token(&code, *index)) else { continue };
            let Some(other) = other(code.word(at)) else { continue };
            found.push(Expectation {
                path: path.to_owned(),
                test: test.name.clone(),
                line: code.line(at),
                word: claim.word,
                range: code.bytes(&(at..at + 1)),
                literal: code.word(at).to_owned(),
                other,
            });
        }
    }
    found.sort_by_key(|expectation| expectation.range.start);
    found.dedup_by(|one, other| one.range == other.range);
    found
}

/// A value of the same sort that is not equal to this one.
fn other(literal: &str) -> Option<String> {
    match literal {
        "true" => Some("false".to_owned()),
        "false" => Some("true".to_owned()),
        "True" => Some("False".to_owned()),
        "False" => Some("True".to_owned()),
        _ => neighbours(literal).into_iter().find(|other| other != literal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_test_expects_is_changed_where_it_stands() {
        for (path, text, wanted) in [
            (
                "test_a.py",
                "class A(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(f(3), 9)\n",
                "self.assertEqual(f(3), 10)",
            ),
            (
                "a.test.js",
                "test('f', () => {\n  assert.strictEqual(f(3), 9);\n});\n",
                "strictEqual(f(3), 10)",
            ),
            ("a.test.js", "test('f', () => {\n  expect(f(3)).toBe(true);\n});\n", "toBe(false)"),
            (
                "tests/a.rs",
                "#[test]\nfn f() {\n    assert_eq!(g(3), Ok(9));\n}\n",
                "assert_eq!(g(3), Ok(10))",
            ),
        ] {
            let found = expectations(path, text);
            assert_eq!(found.len(), 1, "{text}");
            assert!(found[0].apply(text).contains(wanted), "{}", found[0].apply(text));
        }
    }

    #[test]
    fn what_is_compared_roughly_or_beside_something_else_is_left_alone() {
        for text in [
            "class A(unittest.TestCase):\n    def test_f(self):\n        self.assertAlmostEqual(f(3), 9)\n",
            "def test_f():\n    assert f(3) == 9 or True\n",
            "def test_f():\n    assert f(3) > 9\n",
        ] {
            assert_eq!(expectations("test_a.py", text), Vec::new(), "{text}");
        }
    }
}
