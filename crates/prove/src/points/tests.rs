use proptest::prelude::*;

use super::*;

/// The points of a text as `call(literal) = expected`.
fn found(path: &str, text: &str) -> Vec<String> {
    let say = |point: &Point| {
        let expected = point.expected.as_ref().map(|expected| format!(" = {expected}")).unwrap_or_default();
        format!("{}({}){expected}", point.call, point.literal)
    };
    points(path, text).iter().map(say).collect()
}

#[test]
fn a_literal_argument_is_a_point_with_what_is_expected() {
    let python =
        |body: &str| ("test_a.py", format!("class T(TestCase):\n    def test_x(self):\n        {body}\n"));
    let script = |body: &str| ("a.test.js", format!("test('x', () => {{ {body} }});"));
    let go = |body: &str| ("a_test.go", format!("package a\nfunc TestX(t *testing.T) {{\n{body}\n}}"));
    let rust = |body: &str| ("src/a.rs", format!("#[test]\nfn x() {{ {body} }}"));
    for ((path, text), wanted) in [
        (python("assert f(3) == 9"), vec!["f(3) = 9"]),
        (python("assert 9 == f(3), 'no'"), vec!["f(3) = 9"]),
        (python("self.assertEqual(f(3), 9)"), vec!["f(3) = 9"]),
        (python("self.assertEqual(9, a.f(3))"), vec!["f(3) = 9"]),
        (python("assert f('ab', n=2) == [1, -2]"), vec!["f('ab') = [1, -2]", "f(2) = [1, -2]"]),
        (python("r = f(-3)\n        assert r == 'x'"), vec!["f(-3) = 'x'"]),
        (python("self.assertTrue(f(3))"), vec!["f(3) = True"]),
        (python("assert not f(3)"), vec!["f(3) = False"]),
        (python("assert f(3) is None"), vec!["f(3) = None"]),
        (python("assert f(3) > 9"), vec!["f(3)"]),
        (python("assert f(3) + 1 == 9"), vec!["f(3)"]),
        (python("assert f(3) != 9"), vec!["f(3)"]),
        (python("assert len(f(3)) == 9"), vec!["f(3)"]),
        (python("f(f'{x}', x, g(3))"), vec!["g(3)"]),
        (script("expect(f(3)).toBe(9);"), vec!["f(3) = 9"]),
        (script("expect(f(3)).toEqual(['a', 9]);"), vec!["f(3) = ['a', 9]"]),
        (script("expect(f(3)).not.toBe(9);"), vec!["f(3)"]),
        (script("expect(f('a').b()).to.equal('c');"), vec!["f('a') = 'c'"]),
        (script("assert.equal(f(3), 9);"), vec!["f(3) = 9"]),
        (script("assert.strictEqual(await f(3), 9);"), vec!["f(3) = 9"]),
        (script("const r = f(3); expect(r).toBe(9);"), vec!["f(3) = 9"]),
        (script("assert.ok(f(3));"), vec!["f(3) = true"]),
        (script("expect(f(`a${b}`, /x/)).toBe(9);"), vec![]),
        (go("if got := F(3); got != 9 { t.Errorf(\"F(3) = %d\", got) }"), vec!["F(3) = 9"]),
        (go("if F(3) != 9 { t.Fatal(\"no\") }"), vec!["F(3) = 9"]),
        (
            go("got, err := F(\"a\")\nif err != nil { t.Fatal(err) }\nif got != 9 { t.Error(got) }"),
            vec!["F(\"a\") = 9"],
        ),
        (go("if !F(3) { t.Error(\"no\") }"), vec!["F(3) = true"]),
        (go("assert.Equal(t, 9, F(3))"), vec!["F(3) = 9"]),
        (rust("assert_eq!(f(3), 9);"), vec!["f(3) = 9"]),
        (rust("assert_eq!(f(\"a\".to_string()), Some(9));"), vec!["f(\"a\") = 9"]),
        (rust("assert_eq!(f(&3).unwrap(), vec![1, 2]);"), vec!["f(3) = [1, 2]"]),
        (rust("let r = A::f(3); assert_eq!(r, 9);"), vec!["f(3) = 9"]),
        (rust("assert!(f('c'));"), vec!["f('c') = true"]),
        (rust("assert!(!f(3));"), vec!["f(3) = false"]),
    ] {
        assert_eq!(found(path, &text), wanted, "{text}");
    }
}

#[test]
fn rows_of_tables_are_points() {
    for (path, text, wanted) in [
        (
            "test_a.py",
            "@pytest.mark.parametrize('n,want', [(3, 9), pytest.param(4, 16, id='x')])\ndef test_x(n, want):\n    assert f(n) == want\n",
            vec!["f(3) = 9", "f(4) = 16"],
        ),
        (
            "test_a.py",
            "@pytest.mark.parametrize(['want', 'n'], [(9, 3)])\ndef test_x(n, want):\n    assert f(n) == want\n",
            vec!["f(3) = 9"],
        ),
        (
            "test_a.py",
            "def test_x():\n    for n, want in [(3, 9), (4, 16)]:\n        assert f(n) == want\n",
            vec!["f(3) = 9", "f(4) = 16"],
        ),
        (
            "test_a.py",
            "CASES = [(3, 9)]\n\ndef test_x():\n    for n, want in CASES:\n        assert f(n) == want\n",
            vec!["f(3) = 9"],
        ),
        (
            "a_test.go",
            "package a\nfunc TestX(t *testing.T) {\nfor _, c := range []struct{ name string; in, want int }{{\"a\", 3, 9}, {in: 4, want: 16}} {\nif got := F(c.in); got != c.want { t.Errorf(\"no\") }\n}\n}",
            vec!["F(\"a\") = 9", "F(3) = 9", "F(4) = 16"],
        ),
        (
            "a_test.go",
            "package a\nfunc TestX(t *testing.T) {\ncases := []C{{name: \"a\", want: 9, in: 3}}\nfor _, c := range cases { if got := F(c.in); got != c.want { t.Error(got) } }\n}",
            vec!["F(3) = 9"],
        ),
        (
            "a.test.js",
            "test.each([[3, 9], [4, 16]])('f(%i)', (n, want) => { expect(f(n)).toBe(want); });",
            vec!["f(3) = 9", "f(4) = 16"],
        ),
        (
            "a.test.js",
            "test('x', () => { for (const { n, want } of [{ n: 3, want: 9 }]) { expect(f(n)).toBe(want); } });",
            vec!["f(3) = 9"],
        ),
        (
            "src/a.rs",
            "#[test]\nfn x() { for (n, want) in [(3, 9), (4, 16)] { assert_eq!(f(n), want); } }",
            vec!["f(3) = 9", "f(4) = 16"],
        ),
        (
            "src/a.rs",
            "#[rstest]\n#[case(3, 9)]\n#[case(4, 16)]\nfn x(#[case] n: u8, #[case] want: u8) { assert_eq!(f(n), want); }",
            vec!["f(3) = 9", "f(4) = 16"],
        ),
    ] {
        assert_eq!(found(path, text), wanted, "{text}");
    }
}

#[test]
fn a_point_is_replaced_in_its_place() {
    let text = "def test_x():\n    assert f(-3) == 9\n";
    let point = points("test_a.py", text).remove(0);
    assert_eq!((point.line, point.test.as_str()), (2, "test_x"));
    assert_eq!(point.with(text, "4"), "def test_x():\n    assert f(4) == 9\n");
}

#[test]
fn neighbours_are_near_and_of_the_same_type() {
    for (literal, wanted) in [
        ("3", vec!["4", "2"]),
        ("0", vec!["1", "2"]),
        ("-3", vec!["-4", "-2"]),
        ("1.5", vec!["2.5", "0.5"]),
        ("3u8", vec!["4u8", "2u8"]),
        ("0x1f", vec!["0x20", "0x1e"]),
        ("\"abc\"", vec!["\"abd\"", "\"ab\""]),
        ("'abz'", vec!["'aby'", "'ab'"]),
        ("\"\"", vec!["\"x\""]),
        ("\"a\"", vec!["\"b\""]),
        ("'a'", vec!["'b'"]),
        ("'.'", vec!["'x'"]),
        ("'x'", vec!["'y'"]),
        ("\"a\\n\"", vec!["\"a\\nx\""]),
        ("007", vec!["001"]),
        ("true", vec![]),
        ("None", vec![]),
    ] {
        assert_eq!(neighbours(literal), wanted, "{literal}");
    }
}

fn point(literal: &str, expected: &str) -> Point {
    Point {
        path: "test_a.py".to_owned(),
        test: "test_x".to_owned(),
        line: 1,
        call: "f".to_owned(),
        range: 0..0,
        literal: literal.to_owned(),
        expected: Some(expected.to_owned()),
    }
}

/// The excerpts of what knows that `f(3)` is 9, or that `f("abc")` is "x".
fn known(path: &str, text: &str) -> Vec<String> {
    let points = [point("3", "9"), point("'abc'", "\"x\""), point("-5", "[1, 2]"), point("7", "True")];
    memorised(path, text, std::slice::from_ref(&(1..99)), &points)
        .into_iter()
        .map(|found| found.excerpt)
        .collect()
}

#[test]
fn code_that_knows_tested_answers_is_found() {
    for (path, text, wanted) in [
        ("a.py", "def f(n):\n    if n == 3:\n        return 9\n    return n * n\n", "if n == 3: return 9"),
        ("a.py", "def f(n):\n    if 3 == n:\n        return 9\n", "if 3 == n: return 9"),
        (
            "a.py",
            "def f(n):\n    if n.x == 3 and m == 4:\n        return 9\n",
            "if n.x == 3 and m == 4: return 9",
        ),
        ("a.py", "def f(n):\n    if n in (2, 3):\n        return 9\n", "if n in (2, 3): return 9"),
        (
            "a.py",
            "def f(n):\n    if n:\n        pass\n    elif n == 3:\n        return 9\n",
            "elif n == 3: return 9",
        ),
        ("a.py", "def f(n):\n    return 9 if n == 3 else n * n\n", "return 9 if n == 3 else n * n"),
        ("a.py", "def f(n):\n    return {3: 9, 4: 16}[n]\n", "return {3: 9, 4: 16}[n]"),
        ("a.py", "TABLE = {\"abc\": 'x'}\n", "TABLE = {\"abc\": 'x'}"),
        ("a.py", "PAIRS = [(3, 9), (4, 16)]\n", "PAIRS = [(3, 9), (4, 16)]"),
        ("a.py", "def f(n):\n    match n:\n        case 3:\n            return 9\n", "case 3: return 9"),
        ("a.py", "def f(n):\n    if n == -5:\n        return [1, 2]\n", "if n == -5: return [1, 2]"),
        ("a.py", "def f(n):\n    if n == 7:\n        return True\n", "if n == 7: return True"),
        (
            "a.js",
            "function f(n) { if (n === 3) { return 9; } }",
            "function f(n) { if (n === 3) { return 9; } }",
        ),
        ("a.js", "const f = (n) => (n === 3 ? 9 : n);", "const f = (n) => (n === 3 ? 9 : n);"),
        ("a.ts", "switch (n) {\n  case 3:\n    return 9;\n}", "case 3: return 9;"),
        ("a.js", "const t = { 'abc': 'x' };", "const t = { 'abc': 'x' };"),
        (
            "a.go",
            "package a\nfunc f(n int) int {\nswitch n {\ncase 2, 3:\nreturn 9\n}\nreturn 0\n}",
            "case 2, 3: return 9",
        ),
        ("a.go", "package a\nvar t = map[int]int{3: 9}", "var t = map[int]int{3: 9}"),
        (
            "a.go",
            "package a\nfunc f(n int) int {\nif n == 3 {\nreturn 9\n}\nreturn 0\n}",
            "if n == 3 { return 9",
        ),
        (
            "a.rs",
            "fn f(n: u8) -> u8 {\n    match n {\n        3 => 9,\n        _ => n * n,\n    }\n}",
            "3 => 9,",
        ),
        (
            "a.rs",
            "fn f(n: u8) -> u8 {\n    match n {\n        2 | 3 => 9,\n        _ => n,\n    }\n}",
            "2 | 3 => 9,",
        ),
        (
            "a.rs",
            "fn f(n: &str) -> &str { if n == \"abc\" { \"x\" } else { n } }",
            "fn f(n: &str) -> &str { if n == \"abc\" { \"x\" } else { n } }",
        ),
    ] {
        let found = known(path, text);
        let is_found = found.first().is_some_and(|first| first.starts_with(wanted) || *first == wanted);
        assert!(found.len() == 1 && is_found, "{text}: {found:?}");
    }
}

#[test]
fn code_that_computes_is_not() {
    for (path, text) in [
        ("a.py", "def f(n):\n    return n * 3 + 9\n"),
        ("a.py", "def f(n):\n    if n % 2 == 3:\n        return 9\n"),
        ("a.py", "def f(n):\n    if len(n) == 3:\n        return 9\n"),
        ("a.py", "def f(n):\n    if n > 3:\n        return 9\n"),
        ("a.py", "def f(n):\n    if n == 3:\n        return 8\n    return 9\n"),
        ("a.py", "def f(n):\n    if n == -3:\n        return 9\n"),
        ("a.py", "X = {'a': 3, 'b': 9}\n"),
        ("a.py", "g(3, 9)\nx = [3, 9]\n"),
        (
            "a.rs",
            "fn g() { f(3); }\n#[cfg(test)]\nmod tests { #[test]\nfn t() { assert_eq!(f(3), 9); if n == 3 { return 9; } } }",
        ),
    ] {
        assert_eq!(known(path, text), Vec::<String>::new(), "{text}");
    }
    let unchanged = "def f(n):\n    if n == 3:\n        return 9\n";
    assert_eq!(memorised("a.py", unchanged, std::slice::from_ref(&(7..9)), &[point("3", "9")]), []);
}

#[test]
fn what_runners_print_is_read() {
    for (output, test, got, wanted) in [
        // unittest
        (
            "FAIL: test_x (test_a.T.test_x)\n------\nTraceback (most recent call last):\n  File \"test_a.py\", line 3, in test_x\n    self.assertEqual(f(3), 9)\nAssertionError: 8 != 9\n",
            Some("test_x"),
            "8",
            "9",
        ),
        ("AssertionError: 'a' != 'b' : said so\n", None, "'a'", "'b'"),
        // pytest
        (
            "____________ test_x ____________\n\n    def test_x():\n>       assert f(3) == 9\nE       assert 8 == 9\nE        +  where 8 = f(3)\n",
            Some("test_x"),
            "8",
            "9",
        ),
        ("E       AssertionError: assert 'a' == 'b'\n", None, "'a'", "'b'"),
        ("FAILED test_a.py::test_x - assert 8 == 9\n", None, "8", "9"),
        // node
        (
            "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n8 !== 9\n",
            None,
            "8",
            "9",
        ),
        (
            "not ok 1 - squares\n  ---\n  expected: 9\n  actual: 8\n  code: 'ERR_ASSERTION'\n",
            Some("squares"),
            "8",
            "9",
        ),
        ("✖ squares (1.2ms)\n    actual: 8,\n    expected: 9,\n", Some("squares"), "8", "9"),
        // jest, vitest, chai
        (
            "  ● suite › squares\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 9\n    Received: 8\n",
            Some("suite › squares"),
            "8",
            "9",
        ),
        ("AssertionError: expected 8 to be 9 // Object.is equality\n", None, "8", "9"),
        ("     AssertionError: expected 'a' to equal 'b'\n", None, "'a'", "'b'"),
        // go
        ("--- FAIL: TestX (0.00s)\n    a_test.go:7: F(3) = 8, want 9\n", Some("TestX"), "8", "9"),
        ("    a_test.go:7: got 8, want 9\n", None, "8", "9"),
        ("    a_test.go:7: expected 9, but got 8\n", None, "8", "9"),
        ("    a_test.go:7: F(3): want \"a b\" got \"c\"\n", None, "\"c\"", "\"a b\""),
        (
            "    --- FAIL: TestX/three (0.00s)\n        a_test.go:7: got: 8; want: 9\n",
            Some("TestX/three"),
            "8",
            "9",
        ),
        (
            "        \tError:      \tNot equal: \n        \t            \texpected: 9\n        \t            \tactual  : 8\n",
            None,
            "8",
            "9",
        ),
        // cargo
        (
            "---- tests::x stdout ----\nthread 'tests::x' panicked at src/lib.rs:9:5:\nassertion `left == right` failed\n  left: 8\n right: 9\n",
            Some("tests::x"),
            "8",
            "9",
        ),
        ("  left: `8`,\n right: `9`\n", None, "8", "9"),
        ("\u{1b}[31m  left: 8\u{1b}[0m\n\u{1b}[1m right: 9\u{1b}[0m\n", None, "8", "9"),
    ] {
        let wanted = Said { test: test.map(str::to_owned), got: got.to_owned(), wanted: wanted.to_owned() };
        assert_eq!(said(output), [wanted], "{output}");
    }
}

#[test]
fn what_says_nothing_is_not_read() {
    for output in [
        "",
        "ok\n",
        "test result: ok. 3 passed\n",
        "ImportError: no module named a\n",
        "    a_test.go:7: no such file\n",
        "Expected: 9\n1\n2\n3\n4\n5\n6\n7\nReceived: 8\n",
        "panic: runtime error: index out of range [3] with length 3\n",
    ] {
        assert_eq!(said(output), [], "{output}");
    }
}

fn soup() -> impl Strategy<Value = String> {
    let words = vec![
        "def test_x():\n",
        "    assert ",
        "f(3)",
        " == ",
        "9",
        "\n",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "=>",
        "|",
        "if n ",
        "expect",
        ".toBe",
        "#[test]\nfn x() ",
        "func TestX(t *testing.T) ",
        "t.Errorf",
        "case ",
        "elif ",
        "-",
        "'",
        "\"a\"",
        "é",
        "test.each",
        "parametrize",
        "for n in ",
        "want",
        "got ",
        "E  ",
        "left: ",
        "right: ",
        "AssertionError: ",
        " != ",
        "\u{1b}[",
        "a.go:1: ",
        "expected ",
        "FAIL: ",
        "____",
    ];
    prop::collection::vec(prop::sample::select(words), 0..60).prop_map(|words| words.concat())
}

fn survives(path: &str, text: &str) -> Result<(), TestCaseError> {
    let found = points(path, text);
    for point in &found {
        prop_assert_eq!(text.get(point.range.clone()), Some(point.literal.as_str()));
        prop_assert_eq!(point.with(text, &point.literal), text);
        let other = point.with(text, "«other»");
        prop_assert_eq!(&other[..point.range.start], &text[..point.range.start]);
        prop_assert!(other.ends_with(&text[point.range.end..]));
        for neighbour in neighbours(&point.literal) {
            prop_assert_ne!(&neighbour, &point.literal);
        }
    }
    memorised(path, text, std::slice::from_ref(&(0..u32::MAX)), &found);
    said(text);
    Ok(())
}

proptest! {
    #[test]
    fn points_are_where_they_say(text in soup(), path in prop::sample::select(vec!["test_a.py", "a.test.js", "a_test.go", "src/a.rs"])) {
        survives(path, &text)?;
    }

    #[test]
    fn any_text_is_survived(bytes in prop::collection::vec(any::<u8>(), 0..300), path in prop::sample::select(vec!["test_a.py", "a.test.ts", "a_test.go", "src/a.rs"])) {
        survives(path, &String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn a_neighbour_is_another_literal(number in any::<i64>(), text in "[ -~]{0,8}") {
        let digits = number.to_string();
        prop_assert!(!neighbours(&digits).is_empty());
        prop_assert!(!neighbours(&digits).contains(&digits));
        let literal = format!("{text:?}");
        prop_assert!(!neighbours(&literal).is_empty());
        prop_assert!(!neighbours(&literal).contains(&literal));
    }
}
