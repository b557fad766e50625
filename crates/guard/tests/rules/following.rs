//! Honest refactoring: tests are followed wherever they go.

use super::{blocking, report};

#[track_caller]
fn honest(before: &[(&str, &str)], after: &[(&str, &str)]) {
    let found = report(before, after);
    assert_eq!(blocking(&found), [""; 0], "{:#?}", found.findings);
}

#[test]
fn a_test_that_moved_to_another_file_and_got_another_name_is_followed() {
    let a = "def test_a():\n    x = make(1)\n    assert x.size() == 10\n\ndef test_b():\n    y = make(2)\n    assert y.name() == 'two'\n";
    let less = "def test_a():\n    x = make(1)\n    assert x.size() == 10\n";
    let other = "def test_the_name():\n    y = make(2)\n    assert y.name() == 'two'\n";
    honest(&[("test_a.py", a)], &[("test_a.py", less), ("test_names.py", other)]);
}

#[test]
fn tests_that_became_one_parameterised_test_are_followed() {
    honest(
        &[(
            "test_a.py",
            "def test_one():\n    assert add(1, 2) == 3\n\ndef test_two():\n    assert add(10, 20) == 30\n\ndef test_three():\n    assert add(7, 8) == 15\n",
        )],
        &[(
            "test_a.py",
            "import pytest\n\n@pytest.mark.parametrize('a,b,c', [(1, 2, 3), (10, 20, 30), (7, 8, 15)])\ndef test_add(a, b, c):\n    assert add(a, b) == c\n",
        )],
    );
    honest(
        &[(
            "a.test.js",
            "test('one', () => { expect(add(1, 2)).toBe(3); });\ntest('two', () => { expect(add(10, 20)).toBe(30); });\n",
        )],
        &[(
            "a.test.js",
            "test.each([[1, 2, 3], [10, 20, 30]])('adds %i and %i', (a, b, c) => { expect(add(a, b)).toBe(c); });\n",
        )],
    );
    honest(
        &[(
            "a_test.go",
            "package p\n\nfunc TestOne(t *testing.T) {\n\tif got := Add(1, 2); got != 3 {\n\t\tt.Error(got)\n\t}\n}\n\nfunc TestTwo(t *testing.T) {\n\tif got := Add(10, 20); got != 30 {\n\t\tt.Error(got)\n\t}\n}\n",
        )],
        &[(
            "a_test.go",
            "package p\n\nfunc TestAdd(t *testing.T) {\n\tfor _, c := range []struct{ a, b, want int }{{1, 2, 3}, {10, 20, 30}} {\n\t\tif got := Add(c.a, c.b); got != c.want {\n\t\t\tt.Error(got)\n\t\t}\n\t}\n}\n",
        )],
    );
}

#[test]
fn assertions_that_became_a_helper_are_followed() {
    honest(
        &[(
            "test_a.py",
            "def test_one():\n    r = get('/a')\n    assert r.status == 200\n    assert r.body == 'a'\n\ndef test_two():\n    r = get('/b')\n    assert r.status == 200\n    assert r.body == 'b'\n",
        )],
        &[(
            "test_a.py",
            "def answers(r, body):\n    assert r.status == 200\n    assert r.body == body\n\ndef test_one():\n    answers(get('/a'), 'a')\n\ndef test_two():\n    answers(get('/b'), 'b')\n",
        )],
    );
}

#[test]
fn product_code_that_got_another_name_is_followed() {
    honest(
        &[
            ("calc.py", "def add(a, b):\n    total = a + b\n    return total\n"),
            ("test_calc.py", "def test_add():\n    assert add(1, 2) == 3\n    assert add(2, 2) == 4\n"),
        ],
        &[
            ("calc.py", "def plus(a, b):\n    total = a + b\n    return total\n"),
            ("test_calc.py", "def test_plus():\n    assert plus(1, 2) == 3\n    assert plus(2, 2) == 4\n"),
        ],
    );
}

#[test]
fn strengthening_and_unskipping_are_never_flagged() {
    honest(
        &[(
            "test_a.py",
            "import pytest\n\n@pytest.mark.skip\ndef test_a():\n    assert work(1)\n\ndef test_b():\n    assert work(2) is not None\n",
        )],
        &[(
            "test_a.py",
            "def test_a():\n    assert work(1) == 5\n\ndef test_b():\n    assert work(2) == 6\n    assert work(3) == 7\n",
        )],
    );
}

#[test]
fn another_framework_saying_the_same_is_followed() {
    honest(
        &[(
            "test_a.py",
            "import unittest\n\nclass TestA(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(work(1), 2)\n        self.assertTrue(work(2))\n        self.assertIn(1, work(3))\n",
        )],
        &[(
            "test_a.py",
            "def test_a():\n    assert work(1) == 2\n    assert work(2)\n    assert 1 in work(3)\n",
        )],
    );
}

/// A test of its own number; `words` are what it asks for.
fn asks(number: usize, words: &[&str]) -> String {
    let lines: String =
        words.iter().map(|word| format!("    assert value.{word}() == '{word}{number}'\n")).collect();
    format!("def test_{number}():\n    value = make({number})\n{lines}\n")
}

#[test]
fn tests_that_were_rewritten_and_say_as_much_or_nearly_block_nothing() {
    let all = |less: usize, others: usize| -> String {
        let words = |number: usize| match (number < others, number < less) {
            (true, true) => &["width", "name"][..],
            (true, false) => &["width", "name", "label"],
            (false, _) => &["size", "name", "kind"],
        };
        (0..7).map(|number| asks(number, words(number))).collect()
    };
    let before = all(0, 0);
    let found = |after: &str| report(&[("test_a.py", &before)], &[("test_a.py", after)]);
    // One test gave way to another that says as much, or to nothing.
    let fewer: String = (0..6).map(|number| asks(number, &["size", "name", "kind"])).collect();
    let other = format!(
        "{fewer}def test_other():\n    w = parse('x')\n    assert w.length() == 7\n    assert w.text() == 'x'\n    assert w.ok() == 1\n"
    );
    let report = found(&other);
    assert_eq!((blocking(&report), report.findings[0].rule.as_str()), (vec![], "test-deleted"));
    assert_eq!(blocking(&found(&fewer)), ["test-deleted"]);
    // Of seven tests that all changed, two say less: nine tenths are left. Then five, and then two of which only two changed.
    assert_eq!(blocking(&found(&all(2, 7))), [""; 0]);
    assert_eq!(blocking(&found(&all(5, 7))), ["assertion-removed"; 5]);
    assert_eq!(blocking(&found(&all(2, 2))), ["assertion-removed"; 2]);
}
