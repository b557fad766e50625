//! Assertions that say less.

use super::{Twin, blocking, hold, report};

/// A test in each language, with its assertion replaced.
fn each(rule: &'static str, rows: &[(&'static str, &'static str, &'static str, &'static str)]) {
    for (path, before, cheat, honest) in rows {
        let file = |statement: &str| -> String {
            match path.rsplit('.').next() {
                Some("py") => format!(
                    "def test_it(self):\n    value = work(7)\n    {}\n",
                    statement.replace('\n', "\n    ")
                ),
                Some("rs") => {
                    format!("#[test]\nfn works() {{\n    let value = work(7);\n    {statement}\n}}\n")
                }
                Some("go") => format!(
                    "package p\n\nfunc TestIt(t *testing.T) {{\n\tvalue := Work(7)\n\t{statement}\n}}\n"
                ),
                _ => format!("test('works', () => {{\n  const value = work(7);\n  {statement}\n}});\n"),
            }
        };
        let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
        hold(&[Twin {
            rule,
            path,
            before: leak(file(before)),
            cheat: leak(file(cheat)),
            honest: leak(file(honest)),
        }]);
    }
}

#[test]
fn an_assertion_that_cannot_fail_is_found() {
    each(
        "assertion-tautology",
        &[
            ("test_a.py", "assert value == 3", "assert True", "assert value == 3, 'three'"),
            ("test_a.py", "assert value == 3", "assert value == value", "assert 3 == value"),
            ("test_a.py", "assert value == 3", "assert value == 3 or True", "assert value == 3 and value"),
            ("test_a.py", "assert value == 3", "assert (value == 3, 'three')", "assert (value == 3)"),
            ("test_a.py", "assert len(value) == 3", "assert len(value) >= 0", "assert len(value) == 3"),
            ("test_a.py", "self.assertEqual(value, 3)", "self.assertTrue(True)", "assert value == 3"),
            (
                "a.test.js",
                "expect(value).toBe(3);",
                "expect(true).toBe(true);",
                "expect(value).toStrictEqual(3);",
            ),
            (
                "a.test.ts",
                "expect(value).toEqual(3);",
                "expect(value).toEqual(value);",
                "expect(value).toBe(3);",
            ),
            ("a.test.js", "assert.equal(value, 3);", "assert.ok(true);", "assert.strictEqual(value, 3);"),
            ("tests/a.rs", "assert_eq!(value, 3);", "assert!(true);", "assert_eq!(value, 3, \"three\");"),
            ("tests/a.rs", "assert_eq!(value, 3);", "assert_eq!(value, value);", "assert_eq!(3, value);"),
            ("a_test.go", "assert.Equal(t, 3, value)", "assert.True(t, true)", "require.Equal(t, 3, value)"),
            (
                "a_test.go",
                "if value != 3 {\n\t\tt.Fatal(value)\n\t}",
                "if false {\n\t\tt.Fatal(value)\n\t}",
                "if value != 3 {\n\t\tt.Fatalf(\"got %d\", value)\n\t}",
            ),
        ],
    );
}

#[test]
fn a_weaker_assertion_is_found() {
    each(
        "assertion-weakened",
        &[
            (
                "test_a.py",
                "assert value == 3",
                "assert value is not None",
                "assert value == 3\nassert value is not None",
            ),
            ("test_a.py", "assert value == 3", "assert value > 0", "assert value == 3"),
            (
                "test_a.py",
                "self.assertEqual(value, 3)",
                "self.assertIsNotNone(value)",
                "self.assertEqual(3, value)",
            ),
            ("test_a.py", "assert value > 2", "assert value", "assert value == 3"),
            (
                "a.test.js",
                "expect(value).toBe(3);",
                "expect(value).toBeDefined();",
                "expect(value).toEqual(3);",
            ),
            (
                "a.test.js",
                "expect(value).toEqual({a: 3});",
                "expect(value).toBeTruthy();",
                "expect(value).toStrictEqual({ a: 3 });",
            ),
            (
                "a.test.js",
                "expect(value).to.equal(3);",
                "expect(value).to.exist;",
                "expect(value).to.eql(3);",
            ),
            (
                "tests/a.rs",
                "assert_eq!(value, Ok(3));",
                "assert!(value.is_ok());",
                "assert_eq!(value, Ok(3));",
            ),
            ("tests/a.rs", "assert_eq!(value, 3);", "assert!(value > 0);", "assert!(value == 3);"),
            (
                "a_test.go",
                "assert.Equal(t, 3, value)",
                "assert.NotNil(t, value)",
                "assert.Equal(t, 3, value, \"three\")",
            ),
            (
                "a_test.go",
                "if value != 3 {\n\t\tt.Fatal(value)\n\t}",
                "if value == 0 {\n\t\tt.Fatal(value)\n\t}",
                "if value != 3 {\n\t\tt.Error(value)\n\t}",
            ),
        ],
    );
}

#[test]
fn an_assertion_that_is_gone_is_found() {
    each(
        "assertion-removed",
        &[
            (
                "test_a.py",
                "assert value == 3\nassert value.x == 4",
                "assert value == 3",
                "assert value.x == 4\nassert value == 3",
            ),
            (
                "a.test.js",
                "expect(value).toBe(3); expect(value.x).toBe(4);",
                "expect(value).toBe(3);",
                "expect(value.x).toBe(4); expect(value).toBe(3);",
            ),
            (
                "tests/a.rs",
                "assert_eq!(value, 3); assert_eq!(value.x, 4);",
                "assert_eq!(value, 3);",
                "assert_eq!(value.x, 4);\nassert_eq!(value, 3);",
            ),
            (
                "a_test.go",
                "assert.Equal(t, 3, value)\n\tassert.Equal(t, 4, value.X)",
                "assert.Equal(t, 3, value)",
                "assert.Equal(t, 4, value.X)\n\tassert.Equal(t, 3, value)",
            ),
        ],
    );
}

#[test]
fn an_assertion_out_of_reach_is_found() {
    each(
        "assertion-unreachable",
        &[
            ("test_a.py", "assert value == 3", "return\nassert value == 3", "assert value == 3\nreturn"),
            (
                "test_a.py",
                "assert value == 3",
                "if False:\n    assert value == 3",
                "with context():\n    assert value == 3",
            ),
            (
                "test_a.py",
                "assert value == 3",
                "for _ in []:\n    assert value == 3",
                "for _ in [1, 2]:\n    assert value == 3",
            ),
            (
                "test_a.py",
                "assert value == 3",
                "def check():\n    assert value == 3",
                "def check():\n    assert value == 3\ncheck()",
            ),
            (
                "a.test.js",
                "expect(value).toBe(3);",
                "return; expect(value).toBe(3);",
                "{ expect(value).toBe(3); }",
            ),
            (
                "a.test.js",
                "expect(value).toBe(3);",
                "if (false) { expect(value).toBe(3); }",
                "[1].forEach(() => { expect(value).toBe(3); });",
            ),
            (
                "tests/a.rs",
                "assert_eq!(value, 3);",
                "return;\nassert_eq!(value, 3);",
                "{ assert_eq!(value, 3); }",
            ),
            (
                "a_test.go",
                "assert.Equal(t, 3, value)",
                "return\n\tassert.Equal(t, 3, value)",
                "t.Run(\"x\", func(t *testing.T) { assert.Equal(t, 3, value) })",
            ),
        ],
    );
    each(
        "assertion-swallowed",
        &[
            (
                "test_a.py",
                "assert value == 3",
                "try:\n    assert value == 3\nexcept Exception:\n    pass",
                "try:\n    assert value == 3\nfinally:\n    close()",
            ),
            (
                "a.test.js",
                "expect(value).toBe(3);",
                "try { expect(value).toBe(3); } catch (e) {}",
                "try { expect(value).toBe(3); } catch (e) { log(e); throw e; }",
            ),
        ],
    );
}

#[test]
fn other_expectations_are_found() {
    each(
        "expected-value-changed",
        &[
            ("test_a.py", "assert value == 3", "assert value == 4", "assert value == 3  # three"),
            ("a.test.js", "expect(value).toBe(3);", "expect(value).toBe(4);", "expect(value).toBe(3)"),
            (
                "tests/a.rs",
                "assert_eq!(value, \"a\");",
                "assert_eq!(value, \"b\");",
                "assert_eq!(value, \"a\",);",
            ),
            (
                "a_test.go",
                "assert.Equal(t, 3, value)",
                "assert.Equal(t, 4, value)",
                "assert.Equal(t, 3, value)",
            ),
        ],
    );
    each(
        "expected-error-broadened",
        &[
            (
                "test_a.py",
                "with pytest.raises(ValueError):\n    work(1)",
                "with pytest.raises(Exception):\n    work(1)",
                "with pytest.raises(ValueError, match='x'):\n    work(1)",
            ),
            (
                "test_a.py",
                "with pytest.raises(ValueError, match='x'):\n    work(1)",
                "with pytest.raises(ValueError):\n    work(1)",
                "with pytest.raises(ValueError, match='x') as caught:\n    work(1)",
            ),
            (
                "a.test.js",
                "expect(() => work(1)).toThrow(TypeError);",
                "expect(() => work(1)).toThrow();",
                "expect(() => work(1)).toThrowError(TypeError);",
            ),
        ],
    );
    each(
        "tolerance-widened",
        &[
            (
                "test_a.py",
                "assert abs(value - 3) < 0.001",
                "assert abs(value - 3) < 10",
                "assert abs(value - 3) < 0.0001",
            ),
            (
                "test_a.py",
                "self.assertAlmostEqual(value, 3.14, places=5)",
                "self.assertAlmostEqual(value, 3.14, places=0)",
                "self.assertAlmostEqual(value, 3.14, places=6)",
            ),
            (
                "a.test.js",
                "expect(value).toBeCloseTo(3.14, 5);",
                "expect(value).toBeCloseTo(3.14, 0);",
                "expect(value).toBeCloseTo(3.14, 6);",
            ),
            (
                "a_test.go",
                "assert.InDelta(t, 3.14, value, 0.01)",
                "assert.InDelta(t, 3.14, value, 100)",
                "assert.InDelta(t, 3.14, value, 0.001)",
            ),
            (
                "tests/a.rs",
                "assert!((value - 3.0).abs() < 0.001);",
                "assert!((value - 3.0).abs() < 1.0);",
                "assert!((value - 3.0).abs() < 0.0001);",
            ),
        ],
    );
}

#[test]
fn a_value_that_follows_the_code_is_only_reported() {
    let test = |value: &str| format!("def test_it():\n    assert work(7) == {value}\n");
    let code = |sign: &str| format!("def work(x):\n    return x {sign} 1\n");
    let (old, new) = ((code("+"), test("8")), (code("-"), test("6")));
    let found =
        report(&[("a.py", &old.0), ("test_a.py", &old.1)], &[("a.py", &new.0), ("test_a.py", &new.1)]);
    assert_eq!(blocking(&found), [""; 0]);
    assert_eq!(found.findings[0].rule, "expected-value-follows-code");
}

#[test]
fn a_mock_of_what_is_tested_is_found() {
    hold(&[
        Twin {
            rule: "subject-mocked",
            path: "test_a.py",
            before: "from app import calc\n\ndef test_add(monkeypatch):\n    assert calc.add(1, 2) == 3\n",
            cheat: "from app import calc\n\ndef test_add(monkeypatch):\n    monkeypatch.setattr(calc, 'add', lambda a, b: 3)\n    assert calc.add(1, 2) == 3\n",
            honest: "from app import calc\n\ndef test_add(monkeypatch):\n    monkeypatch.setattr(calc, 'clock', lambda: 0)\n    assert calc.add(1, 2) == 3\n",
        },
        Twin {
            rule: "subject-mocked",
            path: "a.test.js",
            before: "import { add } from './calc';\ntest('adds', () => { expect(add(1, 2)).toBe(3); });\n",
            cheat: "import { add } from './calc';\njest.mock('./calc');\ntest('adds', () => { expect(add(1, 2)).toBe(3); });\n",
            honest: "import { add } from './calc';\njest.mock('./clock');\ntest('adds', () => { expect(add(1, 2)).toBe(3); });\n",
        },
    ]);
}
