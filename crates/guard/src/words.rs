//! The vocabulary of test frameworks: which words make a test, skip one, assert something, and how much.
//!
//! One table for all languages. A word that is common outside of tests counts only after a receiver that says
//! what it is, such as `assert.` or `t.`.

use crate::inventory::Strength;
use crate::text::{ends_with_any, has_any};

/// Whether an attribute makes a function a test, by its last word.
pub(crate) fn is_test_attribute(word: &str) -> bool {
    ends_with_any(word, &["test", "Test", "TestMethod", "TestCase", "test_case"])
        || ["Fact", "Theory", "TestFactory", "quickcheck"].contains(&word)
}

/// Calls that are a test.
const TEST_CALLS: &[&str] =
    &["it", "test", "specify", "It", "Specify", "TEST", "TEST_F", "TEST_P", "TEST_CASE", "SCENARIO"];

/// Calls that hold tests.
const SUITE_CALLS: &[&str] = &["describe", "context", "suite", "Describe", "Context", "When"];

/// Whether a call of this name is a test.
pub(crate) fn is_test_call(word: &str) -> bool {
    TEST_CALLS.contains(&switched(word).map_or(word, |(_, plain)| plain))
}

/// Whether a call of this name holds tests.
pub(crate) fn is_suite_call(word: &str) -> bool {
    SUITE_CALLS.contains(&switched(word).map_or(word, |(_, plain)| plain))
}

/// Whether a call of this name is a test or holds tests.
pub(crate) fn declares_tests(word: &str) -> bool {
    is_test_call(word) || is_suite_call(word)
}

/// The letter that switches a test off or leaves it alone, and the name without it: the `x` of `xit`.
pub(crate) fn switched(word: &str) -> Option<(char, &str)> {
    let letter = word.chars().next().filter(|first| "xXPfF".contains(*first))?;
    let plain = &word[letter.len_utf8()..];
    (TEST_CALLS.contains(&plain) || SUITE_CALLS.contains(&plain)).then_some((letter, plain))
}

/// What follows the word of a test or suite and switches it off.
pub(crate) const SKIP_MODIFIERS: &[&str] = &["skip", "todo", "fixme"];
/// What follows the word of a test or suite and switches it off under a condition.
pub(crate) const CONDITION_MODIFIERS: &[&str] = &["skipIf", "runIf"];
/// What follows the word of a test and expects it to fail.
pub(crate) const FAILING_MODIFIERS: &[&str] = &["failing", "fails", "fail"];

/// Calls inside of a test, or attributes on it, that switch it off, by their last word.
pub(crate) const SKIP_WORDS: &[&str] = &[
    "skip",
    "skipTest",
    "Skip",
    "Skipf",
    "SkipNow",
    "ignore",
    "Ignore",
    "Disabled",
    "pending",
    "GTEST_SKIP",
    "SkipTest",
    "markTestSkipped",
    "markTestIncomplete",
    "Inconclusive",
    "assumeTrue",
    "assumeFalse",
    "importorskip",
];

/// Receivers whose `skip` and `error` mean the test.
pub(crate) const TEST_RECEIVERS: &[&str] =
    &["t", "b", "f", "tb", "self", "this", "ctx", "context", "pytest", "unittest", "mark", "cls"];

/// Receivers after which any word of the table is an assertion.
pub(crate) const ASSERT_RECEIVERS: &[&str] = &[
    "assert", "require", "self", "chai", "Assert", "t", "is", "this", "should", "must", "s", "suite", "a",
    "r",
];

/// Calls that make a test fail at once, for the conditional around them.
pub(crate) const FAILURE_CALLS: &[&str] =
    &["Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow", "panic", "fail"];

/// Calls that end the process.
pub(crate) const EXIT_CALLS: &[&str] = &[
    "sys.exit",
    "syscall.Exit",
    "os._exit",
    "exit",
    "_exit",
    "process.exit",
    "std::process::exit",
    "process::exit",
    "os.Exit",
    "System.exit",
    "Environment.Exit",
    "pytest.exit",
    "Deno.exit",
    "std::exit",
];

/// An assertion word.
#[derive(Debug)]
pub(crate) struct AssertWord {
    pub(crate) name: &'static str,
    pub(crate) strength: Strength,
    /// How many arguments are part of it; what follows is a message.
    pub(crate) operands: usize,
    /// Whether it needs a receiver to be an assertion.
    pub(crate) bare: bool,
}

const fn word(name: &'static str, strength: Strength, operands: usize, bare: bool) -> AssertWord {
    AssertWord { name, strength, operands, bare }
}

/// The assertion that a word makes.
pub(crate) fn assert_word(name: &str) -> Option<&'static AssertWord> {
    ASSERT_WORDS.iter().find(|word| word.name == name)
}

use Strength::{Condition, Exact, Relational, Truthy};

/// Words that assert, by their last part. `Condition` looks at the argument itself.
#[rustfmt::skip]
const ASSERT_WORDS: &[AssertWord] = &[
    word("assert", Condition, 1, true), word("assertTrue", Condition, 1, true), word("assert_", Condition, 1, true),
    word("ok_", Condition, 1, true), word("true", Condition, 1, false), word("false", Condition, 1, false),
    word("truthy", Condition, 1, false), word("falsy", Condition, 1, false), word("assertFalse", Condition, 1, true),
    word("ok", Condition, 1, false), word("True", Condition, 1, false), word("False", Condition, 1, false),
    word("isTrue", Condition, 1, false), word("isFalse", Condition, 1, false), word("IsTrue", Condition, 1, false),
    word("IsFalse", Condition, 1, false), word("notOk", Condition, 1, false),
    word("debug_assert", Condition, 1, true), word("prop_assert", Condition, 1, true),
    word("EXPECT_TRUE", Condition, 1, true), word("ASSERT_TRUE", Condition, 1, true),
    word("EXPECT_FALSE", Condition, 1, true), word("ASSERT_FALSE", Condition, 1, true),
    word("REQUIRE", Condition, 1, true), word("CHECK", Condition, 1, true), word("refute", Condition, 1, true),
    word("assert_eq", Exact, 2, true), word("prop_assert_eq", Exact, 2, true),
    word("debug_assert_eq", Exact, 2, true), word("assertEqual", Exact, 2, true),
    word("assertEquals", Exact, 2, true), word("assertSame", Exact, 2, true), word("assertIs", Exact, 2, true),
    word("assertListEqual", Exact, 2, true), word("assertMultiLineEqual", Exact, 2, true),
    word("assertIsNone", Exact, 1, true), word("assertLinesMatch", Exact, 2, true), word("AreEqual", Exact, 2, false),
    word("AreSame", Exact, 2, false), word("equal", Exact, 2, false), word("strictEqual", Exact, 2, false),
    word("deepEqual", Exact, 2, false), word("deepStrictEqual", Exact, 2, false), word("eql", Exact, 2, false),
    word("sameMembers", Exact, 2, false), word("lengthOf", Exact, 2, false), word("isNull", Exact, 1, false),
    word("isUndefined", Exact, 1, false), word("Equal", Exact, 2, false), word("EqualValues", Exact, 2, false),
    word("Exactly", Exact, 2, false), word("Equalf", Exact, 2, false), word("eq_", Exact, 2, true),
    word("is", Exact, 2, false), word("same", Exact, 2, false), word("plan", Exact, 1, false),
    word("like", Relational, 2, false), word("regex", Relational, 2, false), word("notThrows", Relational, 9, false),
    word("throwsAsync", Relational, 9, false), word("notThrowsAsync", Relational, 9, false),
    word("type", Truthy, 2, false), word("instance", Truthy, 2, false), word("pass", Condition, 1, false),
    word("Same", Exact, 2, false), word("ElementsMatch", Exact, 2, false), word("JSONEq", Exact, 2, false),
    word("EqualError", Exact, 2, false), word("ErrorIs", Exact, 2, false), word("Len", Exact, 2, false),
    word("Nil", Exact, 1, false), word("Zero", Exact, 1, false), word("EXPECT_EQ", Exact, 2, true),
    word("assert_snapshot", Exact, 2, true), word("snapshot", Exact, 1, false),
    word("assert_called_once_with", Exact, 9, true), word("assert_called_with", Exact, 9, true),
    word("assert_not_called", Exact, 9, true), word("assert_called_once", Relational, 9, true),
    word("assert_called", Truthy, 9, true), word("assert_ne", Relational, 2, true),
    word("prop_assert_ne", Relational, 2, true), word("assertNotEqual", Relational, 2, true),
    word("assertNotEquals", Relational, 2, true), word("assertIn", Relational, 2, true),
    word("assertNotIn", Relational, 2, true), word("assertGreater", Relational, 2, true),
    word("assertGreaterEqual", Relational, 2, true), word("assertLess", Relational, 2, true),
    word("assertAlmostEqual", Relational, 9, true), word("assertRegex", Relational, 2, true),
    word("assertRaises", Relational, 9, true), word("assertRaisesRegex", Relational, 9, true),
    word("raises", Relational, 9, false), word("warns", Relational, 9, false), word("approx", Relational, 9, false),
    word("assertThrows", Relational, 9, true), word("Throws", Relational, 9, false),
    word("ThrowsAsync", Relational, 9, false), word("assert_raises", Relational, 9, true),
    word("expectException", Relational, 9, true), word("assert_almost_equal", Relational, 9, true),
    word("assert_approx_eq", Relational, 9, true), word("throws", Relational, 9, false),
    word("rejects", Relational, 9, false), word("doesNotThrow", Relational, 9, false),
    word("doesNotReject", Relational, 9, false), word("notEqual", Relational, 2, false),
    word("notStrictEqual", Relational, 2, false), word("notDeepEqual", Relational, 2, false),
    word("notDeepStrictEqual", Relational, 2, false), word("match", Relational, 2, false),
    word("doesNotMatch", Relational, 2, false), word("include", Relational, 2, false),
    word("includeMembers", Relational, 2, false), word("isAbove", Relational, 2, false),
    word("isAtLeast", Relational, 2, false), word("isBelow", Relational, 2, false),
    word("closeTo", Relational, 9, false), word("NotEqual", Relational, 2, false),
    word("Contains", Relational, 2, false), word("NotContains", Relational, 2, false),
    word("Greater", Relational, 2, false), word("GreaterOrEqual", Relational, 2, false),
    word("Less", Relational, 2, false), word("LessOrEqual", Relational, 2, false),
    word("InDelta", Relational, 9, false), word("InEpsilon", Relational, 9, false),
    word("Panics", Relational, 1, false), word("NotPanics", Relational, 1, false),
    word("PanicsWithValue", Exact, 2, false), word("PanicsWithError", Exact, 2, false),
    word("ErrorAs", Relational, 2, false), word("ErrorContains", Relational, 2, false),
    word("Regexp", Relational, 2, false), word("Subset", Relational, 2, false),
    word("WithinDuration", Relational, 9, false), word("Eventually", Relational, 9, false),
    word("HasPrefix", Relational, 2, false), word("EXPECT_GE", Relational, 2, true),
    word("EXPECT_THROW", Relational, 9, true), word("EXPECT_FLOAT_EQ", Relational, 2, true),
    word("EXPECT_DOUBLE_EQ", Relational, 2, true), word("REQUIRE_THROWS", Relational, 9, true),
    word("REQUIRE_THROWS_AS", Relational, 9, true), word("assertIsNotNone", Truthy, 1, true),
    word("assertIsInstance", Truthy, 2, true), word("assertNotIsInstance", Truthy, 2, true),
    word("assertIsNot", Truthy, 2, true), word("assertNotNull", Truthy, 1, true),
    word("assertInstanceOf", Truthy, 2, true), word("assertNotEmpty", Truthy, 1, true),
    word("exists", Truthy, 1, false), word("isOk", Truthy, 1, false), word("isNotOk", Truthy, 1, false),
    word("isDefined", Truthy, 1, false), word("isNotNull", Truthy, 1, false), word("isObject", Truthy, 1, false),
    word("isArray", Truthy, 1, false), word("isString", Truthy, 1, false), word("isNumber", Truthy, 1, false),
    word("isFunction", Truthy, 1, false), word("instanceOf", Truthy, 2, false), word("typeOf", Truthy, 2, false),
    word("ifError", Truthy, 1, false), word("NotNil", Truthy, 1, false), word("NoError", Exact, 1, false),
    word("Error", Truthy, 1, false), word("NotEmpty", Truthy, 1, false), word("Empty", Exact, 1, false),
    word("NotZero", Truthy, 1, false), word("IsType", Truthy, 2, false), word("Implements", Truthy, 2, false),
    word("IsNotNull", Truthy, 1, false), word("IsNull", Exact, 1, false), word("NotNull", Truthy, 1, false),
    word("Null", Exact, 1, false), word("IsInstanceOfType", Truthy, 2, false), word("assert_ok", Truthy, 1, true),
    word("assert_err", Truthy, 1, true), word("EXPECT_NO_THROW", Truthy, 1, true),
];

/// How much an assertion says that the table does not know, by its name.
pub(crate) fn strength_of(name: &str) -> Strength {
    let lower = name.to_lowercase();
    let is_exact = has_any(&lower, &["eq", "snapshot"]) || ends_with_any(&lower, &["null", "nil", "empty"]);
    if is_exact && !lower.contains("not") { Exact } else { Relational }
}

/// The matcher at the end of a chain such as `expect(x).not.toBe(y)`.
pub(crate) fn matcher(name: &str) -> Option<Strength> {
    MATCHERS.iter().find(|(word, _)| *word == name).map(|(_, strength)| *strength)
}

#[rustfmt::skip]
const MATCHERS: &[(&str, Strength)] = &[
    ("toBe", Exact), ("toEqual", Exact), ("toStrictEqual", Exact), ("toBeNull", Exact), ("toBeUndefined", Exact),
    ("toBeNaN", Exact), ("toHaveLength", Exact), ("toHaveBeenCalledTimes", Exact), ("toHaveBeenCalledWith", Exact),
    ("toHaveBeenLastCalledWith", Exact), ("toHaveBeenNthCalledWith", Exact), ("toMatchSnapshot", Exact),
    ("toMatchInlineSnapshot", Exact), ("toThrowErrorMatchingSnapshot", Exact), ("toThrowErrorMatchingInlineSnapshot", Exact),
    ("toHaveTextContent", Exact), ("toHaveReturnedWith", Exact), ("toHaveBeenCalledOnce", Exact), ("toHaveBeenCalledExactlyOnceWith", Exact),
    ("equal", Exact), ("equals", Exact), ("eql", Exact), ("eq", Exact), ("eqls", Exact), ("deep", Exact), ("null", Exact),
    ("undefined", Exact), ("true", Exact), ("false", Exact), ("lengthOf", Exact), ("length", Exact), ("members", Exact),
    ("isEqualTo", Exact), ("containsExactly", Exact), ("empty", Exact), ("be", Exact), ("contain_exactly", Exact), ("match_array", Exact),
    ("toBeCloseTo", Relational), ("toContain", Relational), ("toContainEqual", Relational), ("toMatch", Relational),
    ("toMatchObject", Relational), ("toHaveProperty", Relational), ("toBeGreaterThan", Relational),
    ("toBeGreaterThanOrEqual", Relational), ("toBeLessThan", Relational), ("toBeLessThanOrEqual", Relational),
    ("toThrow", Relational), ("toThrowError", Relational), ("toThrowErrorMatching", Relational), ("rejectedWith", Relational), ("rejected", Relational),
    ("throw", Relational), ("throws", Relational), ("include", Relational), ("includes", Relational), ("contain", Relational),
    ("contains", Relational), ("match", Relational), ("above", Relational), ("greaterThan", Relational), ("gt", Relational),
    ("least", Relational), ("gte", Relational), ("below", Relational), ("lessThan", Relational), ("lt", Relational),
    ("most", Relational), ("lte", Relational), ("within", Relational), ("closeTo", Relational), ("property", Relational),
    ("keys", Relational), ("oneOf", Relational), ("raise_error", Relational), ("be_within", Relational), ("start_with", Relational),
    ("toSatisfy", Relational), ("satisfy", Relational), ("toBeOneOf", Relational),
    ("toBeTruthy", Truthy), ("toBeFalsy", Truthy), ("toBeDefined", Truthy), ("toBeInstanceOf", Truthy), ("toBeTypeOf", Truthy),
    ("toHaveBeenCalled", Truthy), ("toBeCalled", Truthy), ("toHaveReturned", Truthy), ("toBeInTheDocument", Truthy), ("ok", Truthy), ("exist", Truthy), ("exists", Truthy),
    ("called", Truthy), ("instanceof", Truthy), ("instanceOf", Truthy), ("a", Truthy), ("an", Truthy), ("isNotNull", Truthy),
    ("Equal", Exact), ("BeEquivalentTo", Exact), ("BeIdenticalTo", Exact), ("BeNil", Exact), ("BeTrue", Exact), ("BeFalse", Exact),
    ("BeZero", Exact), ("BeEmpty", Exact), ("HaveLen", Exact), ("ConsistOf", Exact), ("HaveExactElements", Exact), ("MatchJSON", Exact),
    ("Succeed", Exact), ("HaveOccurred", Truthy), ("MatchError", Relational), ("ContainElement", Relational), ("ContainElements", Relational),
    ("ContainSubstring", Relational), ("MatchRegexp", Relational), ("BeNumerically", Relational), ("HaveKey", Relational),
    ("HaveKeyWithValue", Relational), ("HavePrefix", Relational), ("HaveSuffix", Relational), ("Panic", Relational), ("BeAssignableToTypeOf", Truthy),
    ("be_truthy", Truthy), ("be_present", Truthy), ("not_be_nil", Truthy), ("finite", Truthy), ("fulfilled", Truthy),
];

/// Expected errors that any error is.
pub(crate) const ANY_ERROR: &[&str] =
    &["Exception", "BaseException", "Error", "Throwable", "RuntimeException"];

/// What stands for no value.
pub(crate) const NOTHING: &[&str] = &["None", "null", "nil", "undefined"];

/// The two values of a condition.
pub(crate) const BOOLEANS: &[&str] = &["true", "false", "True", "False"];

/// Values that hold nothing.
pub(crate) const EMPTY: &[&str] = &["[]", "{}", "()", "\"\"", "0", "vec![]"];
