//! The vocabulary of test frameworks: which words make a test, skip one, assert something, and how much.
//!
//! One table for all languages. A word that is common outside of tests counts only after a receiver that says
//! what it is, such as `assert.` or `t.`.

use crate::inventory::Strength;
use crate::text::{ends_with_any, has_any};
use crate::vocabulary::{list, vocabulary};

/// Whether an attribute makes a function a test, by its last word.
pub(crate) fn is_test_attribute(word: &str) -> bool {
    ends_with_any(word, &["test", "Test", "TestMethod", "TestCase", "test_case"])
        || ["Fact", "Theory", "TestFactory", "quickcheck"].contains(&word)
}

vocabulary! {
    /// Calls that are a test.
    TEST_CALLS = "it test specify It Specify TEST TEST_F TEST_P TEST_CASE SCENARIO";
    /// Calls that hold tests.
    SUITE_CALLS = "describe context suite Describe Context When";
}

vocabulary! {
    /// Modules of scripts that have the words of tests.
    TEST_MODULES =
        "node:test bun:test vitest mocha jest @jest/globals jasmine ava tape tap uvu @playwright/test \
        @japa/runner";
    /// Those that have assertions.
    ASSERT_MODULES =
        "assert chai node:assert node:assert/strict assert/strict power-assert uvu/assert";
    /// Modules of Python whose names may be given others.
    TEST_MODULES_OF_PYTHON = "mock unittest pytest unittest.mock nose.tools hypothesis numpy.testing";
    /// Words of pytest that mean the test wherever they stand.
    PYTEST_WORDS = "raises skip xfail fail warns approx importorskip exit";
}

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

vocabulary! {
    /// What follows the word of a test or suite and switches it off.
    SKIP_MODIFIERS = "skip todo fixme";
    /// Calls inside of a test, or attributes on it, that switch it off, by their last word.
    SKIP_WORDS =
        "skip skipTest Skip Skipf SkipNow ignore Ignore Disabled pending GTEST_SKIP SkipTest \
        markTestSkipped markTestIncomplete Inconclusive Explicit assumeTrue assumeFalse importorskip";
    /// Receivers whose `skip` and `error` mean the test.
    TEST_RECEIVERS = "t b f tb self this ctx context pytest unittest mark cls";
    /// Receivers after which any word of the table is an assertion.
    ASSERT_RECEIVERS = "assert require self chai Assert t is this should must s suite a r";
    /// Calls that make a test fail at once, for the conditional around them.
    FAILURE_CALLS = "Error Errorf Fatal Fatalf Fail FailNow panic fail";
    /// Calls that end the process.
    EXIT_CALLS =
        "sys.exit syscall.Exit os._exit exit _exit process.exit std::process::exit process::exit os.Exit \
        System.exit Environment.Exit pytest.exit Deno.exit std::exit";
}

/// An assertion word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AssertWord {
    pub(crate) name: &'static str,
    pub(crate) strength: Strength,
    /// How many arguments are part of it; what follows is a message.
    pub(crate) operands: usize,
    /// Whether it is an assertion without a receiver.
    pub(crate) bare: bool,
}

/// The assertion that a word makes.
pub(crate) fn assert_word(name: &str) -> Option<AssertWord> {
    ASSERT_WORDS.iter().find_map(|(strength, operands, bare, words)| {
        let name = *words.iter().find(|word| **word == name)?;
        Some(AssertWord { name, strength: *strength, operands: *operands, bare: *bare })
    })
}

use Strength::{Condition, Exact, Relational, Truthy};

/// Words that assert, by their last part, with what [`AssertWord`] says of them. `Condition` looks at the argument
/// itself.
#[rustfmt::skip]
const ASSERT_WORDS: &[(Strength, usize, bool, &[&str])] = &[
    (Condition, 1, true, list!(
        "assert assertTrue assert_ ok_ assertFalse debug_assert prop_assert EXPECT_TRUE ASSERT_TRUE \
        EXPECT_FALSE ASSERT_FALSE REQUIRE CHECK refute")),
    (Condition, 1, false, list!("true false truthy falsy ok True False isTrue isFalse IsTrue IsFalse notOk pass")),
    (Exact, 1, true, list!("assertIsNone")),
    (Exact, 2, true, list!(
        "assert_eq prop_assert_eq debug_assert_eq assertEqual assertEquals assertSame assertIs \
        assertListEqual assertMultiLineEqual assertLinesMatch eq_ EXPECT_EQ assert_snapshot")),
    (Exact, 9, true, list!("assert_called_once_with assert_called_with assert_not_called")),
    (Exact, 1, false, list!("isNull isUndefined plan Nil Zero snapshot NoError Empty IsNull Null")),
    (Exact, 2, false, list!(
        "AreEqual AreSame equal strictEqual deepEqual deepStrictEqual eql sameMembers lengthOf Equal \
        EqualValues Exactly Equalf is same Same ElementsMatch JSONEq EqualError ErrorIs Len PanicsWithValue \
        PanicsWithError")),
    (Relational, 2, true, list!(
        "assert_ne prop_assert_ne assertNotEqual assertNotEquals assertIn assertNotIn assertGreater \
        assertGreaterEqual assertLess assertRegex EXPECT_GE EXPECT_FLOAT_EQ EXPECT_DOUBLE_EQ")),
    (Relational, 9, true, list!(
        "assert_called_once assertAlmostEqual assertRaises assertRaisesRegex assertThrows assert_raises \
        expectException assert_almost_equal assert_approx_eq EXPECT_THROW REQUIRE_THROWS REQUIRE_THROWS_AS")),
    (Relational, 1, false, list!("Panics NotPanics")),
    (Relational, 2, false, list!(
        "like regex notEqual notStrictEqual notDeepEqual notDeepStrictEqual match doesNotMatch include \
        includeMembers isAbove isAtLeast isBelow NotEqual Contains NotContains Greater GreaterOrEqual Less \
        LessOrEqual ErrorAs ErrorContains Regexp Subset HasPrefix")),
    (Relational, 9, false, list!(
        "notThrows throwsAsync notThrowsAsync raises warns approx Throws ThrowsAsync throws rejects \
        doesNotThrow doesNotReject closeTo InDelta InEpsilon WithinDuration Eventually")),
    (Truthy, 1, true, list!("assertIsNotNone assertNotNull assertNotEmpty assert_ok assert_err EXPECT_NO_THROW")),
    (Truthy, 2, true, list!("assertIsInstance assertNotIsInstance assertIsNot assertInstanceOf")),
    (Truthy, 9, true, list!("assert_called")),
    (Truthy, 1, false, list!(
        "exists isOk isNotOk isDefined isNotNull isObject isArray isString isNumber isFunction ifError \
        NotNil Error NotEmpty NotZero IsNotNull NotNull")),
    (Truthy, 2, false, list!("type instance instanceOf typeOf IsType Implements IsInstanceOfType")),
];

/// How much an assertion says that the table does not know, by its name.
pub(crate) fn strength_of(name: &str) -> Strength {
    let lower = name.to_lowercase();
    let is_exact = has_any(&lower, &["eq", "snapshot"]) || ends_with_any(&lower, &["null", "nil", "empty"]);
    if is_exact && !lower.contains("not") { Exact } else { Relational }
}

/// The matcher at the end of a chain such as `expect(x).not.toBe(y)`.
pub(crate) fn matcher(name: &str) -> Option<Strength> {
    MATCHERS.iter().find(|(_, words)| words.contains(&name)).map(|(strength, _)| *strength)
}

#[rustfmt::skip]
const MATCHERS: &[(Strength, &[&str])] = &[
    (Exact, list!(
        "toBe toEqual toStrictEqual toBeNull toBeUndefined toBeNaN toHaveLength toHaveBeenCalledTimes \
        toHaveBeenCalledWith toHaveBeenLastCalledWith toHaveBeenNthCalledWith toMatchSnapshot \
        toMatchInlineSnapshot toThrowErrorMatchingSnapshot toThrowErrorMatchingInlineSnapshot \
        toHaveTextContent toHaveReturnedWith toHaveBeenCalledOnce toHaveBeenCalledExactlyOnceWith equal \
        equals eql eq eqls deep null undefined true false lengthOf length members isEqualTo containsExactly \
        empty be contain_exactly match_array Equal BeEquivalentTo BeIdenticalTo BeNil BeTrue BeFalse BeZero \
        BeEmpty HaveLen ConsistOf HaveExactElements MatchJSON Succeed")),
    (Relational, list!(
        "toBeCloseTo toContain toContainEqual toMatch toMatchObject toHaveProperty toBeGreaterThan \
        toBeGreaterThanOrEqual toBeLessThan toBeLessThanOrEqual toThrow toThrowError toThrowErrorMatching \
        rejectedWith rejected throw throws include includes contain contains match above greaterThan gt \
        least gte below lessThan lt most lte within closeTo property keys oneOf raise_error be_within \
        start_with toSatisfy satisfy toBeOneOf MatchError ContainElement ContainElements ContainSubstring \
        MatchRegexp BeNumerically HaveKey HaveKeyWithValue HavePrefix HaveSuffix Panic")),
    (Truthy, list!(
        "toBeTruthy toBeFalsy toBeDefined toBeInstanceOf toBeTypeOf toHaveBeenCalled toBeCalled \
        toHaveReturned toBeInTheDocument ok exist exists called instanceof instanceOf a an isNotNull \
        HaveOccurred BeAssignableToTypeOf be_truthy be_present not_be_nil finite fulfilled")),
];

vocabulary! {
    /// Expected errors that any error is.
    ANY_ERROR = "Exception BaseException Error Throwable RuntimeException";
    /// What stands for no value.
    NOTHING = "None null nil undefined";
    /// The two values of a condition.
    BOOLEANS = "true false True False";
    /// Values that hold nothing.
    EMPTY = "[] {} () \"\" 0 vec![]";
}

/// Whether a word is a value by itself: yes, no, or none.
pub(crate) fn is_value(word: &str) -> bool {
    BOOLEANS.contains(&word) || NOTHING.contains(&word)
}

/// Whether a normalised text is such a value, or one that holds nothing.
pub(crate) fn is_plain_value(text: &str) -> bool {
    is_value(text) || EMPTY.contains(&text)
}
