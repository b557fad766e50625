//! The same idea of a cheat in each language and in the words of several frameworks.
//!
//! A row is a path, what stands before, the cheat and an honest change; `@` in a frame is where they go.

use super::{blocking, report};

const PYTEST: (&str, &str) =
    ("tests/test_a.py", "import os\nimport sys\nimport pytest\n\ndef test_a():\n@\n");
const UNITTEST: (&str, &str) = (
    "tests/test_a.py",
    "import os\nimport sys\nimport unittest\n\nclass ATest(unittest.TestCase):\n    def test_a(self):\n@\n",
);
const JEST: (&str, &str) = ("test/a.test.js", "test('a', async () => {\n@\n});\n");
const TS: (&str, &str) = ("test/a.test.ts", "test('a', async () => {\n@\n});\n");
const MOCHA: (&str, &str) = ("test/a.spec.js", "it('a', function () {\n@\n});\n");
const GO: (&str, &str) = ("a_test.go", "package a\n\nfunc TestA(t *testing.T) {\n@\n}\n");
const RUST: (&str, &str) = ("tests/a.rs", "#[test]\nfn a() {\n@\n}\n");
const TOKIO: (&str, &str) = ("tests/a.rs", "#[tokio::test]\nasync fn a() {\n@\n}\n");
const PROPTEST: (&str, &str) =
    ("tests/a.rs", "proptest! {\n    #[test]\n    fn a(x in 0..9u8) {\n@\n    }\n}\n");
const GINKGO: (&str, &str) =
    ("a_test.go", "package a\n\nvar _ = Describe(\"a\", func() {\n\tIt(\"works\", func() {\n@\n\t})\n})\n");

/// A frame, the body before, cheats, and honest bodies.
struct Row<'a>((&'static str, &'static str), &'a str, &'a [&'a str], &'a [&'a str]);

#[track_caller]
fn hold(rows: &[Row<'_>]) {
    let mut wrong = Vec::new();
    for Row((path, frame), before, cheats, honest) in rows {
        let indent = frame.lines().find(|line| line.contains('@')).map_or("", |_| "");
        let filled = |body: &str| {
            let depth = if path.ends_with(".py") {
                if frame.contains("class ") { "        " } else { "    " }
            } else {
                indent
            };
            let body: Vec<_> = body.lines().map(|line| format!("{depth}{line}")).collect();
            frame.replace('@', &body.join("\n"))
        };
        let base = filled(before);
        for (texts, is_cheat) in [(cheats, true), (honest, false)] {
            for text in *texts {
                let found = report(&[(path, &base)], &[(path, &filled(text))]);
                if found.blocking != is_cheat {
                    wrong.push(format!(
                        "{path}: {:?} on {}\n{text}\n",
                        blocking(&found),
                        if is_cheat { "the cheat" } else { "the honest" }
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_test_that_runs_only_when_asked_is_found() {
    hold(&[
        Row(
            PYTEST,
            "assert add(1, 2) == 3",
            &[
                "if not os.environ.get('RUN_SLOW'):\n    pytest.skip('slow')\nassert add(1, 2) == 3",
                "if 'FULL' not in os.environ:\n    return\nassert add(1, 2) == 3",
                "if os.getenv('STRICT', '0') == '1':\n    assert add(1, 2) == 3",
                "if len(sys.argv) > 0:\n    return\nassert add(1, 2) == 3",
                "enabled = False\nif enabled:\n    assert add(1, 2) == 3",
            ],
            &[
                "if sys.platform == 'win32':\n    pytest.skip('no fork')\nassert add(1, 2) == 3",
                "assert add(1, 2) == 3\nif os.environ.get('DEBUG'):\n    print('done')",
            ],
        ),
        Row(
            UNITTEST,
            "self.assertEqual(add(1, 2), 3)",
            &[
                "if os.environ.get('FULL') is None:\n    self.skipTest('later')\nself.assertEqual(add(1, 2), 3)",
                "if os.environ.get('FULL') != 'yes':\n    raise unittest.SkipTest('later')\nself.assertEqual(add(1, 2), 3)",
            ],
            &["if sys.platform == 'darwin':\n    self.skipTest('no epoll')\nself.assertEqual(add(1, 2), 3)"],
        ),
        Row(
            JEST,
            "  expect(add(1, 2)).toBe(3);",
            &[
                "  if (!process.env.FULL) return;\n  expect(add(1, 2)).toBe(3);",
                "  if (process.env.FULL === '1') {\n    expect(add(1, 2)).toBe(3);\n  }",
                "  const strict = process.env.STRICT;\n  if (strict) expect(add(1, 2)).toBe(3);",
                "  if (globalThis.thorough) { expect(add(1, 2)).toBe(3); }",
            ],
            &["  if (process.platform === 'win32') return;\n  expect(add(1, 2)).toBe(3);"],
        ),
        Row(
            MOCHA,
            "  expect(add(1, 2)).to.equal(3);",
            &["  if (process.env.FULL === undefined) this.skip();\n  expect(add(1, 2)).to.equal(3);"],
            &["  if (process.platform === 'win32') this.skip();\n  expect(add(1, 2)).to.equal(3);"],
        ),
        Row(
            GO,
            "\tif got := Add(1, 2); got != 3 {\n\t\tt.Errorf(\"got %d\", got)\n\t}",
            &[
                "\tif os.Getenv(\"FULL\") == \"\" {\n\t\tt.Skip(\"later\")\n\t}\n\tif got := Add(1, 2); got != 3 {\n\t\tt.Errorf(\"got %d\", got)\n\t}",
                "\tif _, ok := os.LookupEnv(\"FULL\"); !ok {\n\t\tt.SkipNow()\n\t}\n\tif got := Add(1, 2); got != 3 {\n\t\tt.Errorf(\"got %d\", got)\n\t}",
                "\tif os.Getenv(\"FULL\") != \"\" {\n\t\tif got := Add(1, 2); got != 3 {\n\t\t\tt.Errorf(\"got %d\", got)\n\t\t}\n\t}",
            ],
            &[
                "\tif testing.Short() {\n\t\tt.Skip(\"slow\")\n\t}\n\tif got := Add(1, 2); got != 3 {\n\t\tt.Errorf(\"got %d\", got)\n\t}",
                "\tif runtime.GOOS == \"windows\" {\n\t\tt.Skip(\"no fork\")\n\t}\n\tif got := Add(1, 2); got != 3 {\n\t\tt.Errorf(\"got %d\", got)\n\t}",
            ],
        ),
        Row(
            RUST,
            "    assert_eq!(add(1, 2), 3);",
            &[
                "    if std::env::var(\"FULL\").is_err() {\n        return;\n    }\n    assert_eq!(add(1, 2), 3);",
                "    if cfg!(feature = \"full\") {\n        assert_eq!(add(1, 2), 3);\n    }",
                "    if option_env!(\"FULL\").is_some() {\n        assert_eq!(add(1, 2), 3);\n    }",
            ],
            &[
                "    if cfg!(target_os = \"windows\") {\n        return;\n    }\n    assert_eq!(add(1, 2), 3);",
            ],
        ),
    ]);
}

#[test]
fn a_failure_that_nobody_hears_of_is_found() {
    hold(&[
        Row(
            PYTEST,
            "assert add(1, 2) == 3",
            &[
                "import contextlib\nwith contextlib.suppress(AssertionError):\n    assert add(1, 2) == 3",
                "try:\n    assert add(1, 2) == 3\nexcept AssertionError:\n    pass",
                "with pytest.raises(AssertionError):\n    assert add(1, 2) == 3",
                "try:\n    assert add(1, 2) == 3\nexcept Exception as error:\n    print(error)",
            ],
            &["with open('log') as log:\n    assert add(1, 2) == 3"],
        ),
        Row(
            JEST,
            "  expect(add(1, 2)).toBe(3);",
            &[
                "  try { expect(add(1, 2)).toBe(3); } catch (error) { console.warn(error); }",
                "  expect(add(1, 2)).toBe;",
            ],
            &["  try { expect(add(1, 2)).toBe(3); } finally { cleanup(); }"],
        ),
        Row(
            TS,
            "  await expect(load()).resolves.toBe(3);",
            &["  expect(load()).resolves.toBe(3);"],
            &["  return expect(load()).resolves.toBe(3);"],
        ),
        Row(
            GO,
            "\tassert.Equal(t, 3, Add(1, 2))",
            &[
                "\tt = &testing.T{}\n\tassert.Equal(t, 3, Add(1, 2))",
                "\tt := new(testing.T)\n\tassert.Equal(t, 3, Add(1, 2))",
                "\tassert.ObjectsAreEqual(3, Add(1, 2))",
            ],
            &["\tt.Parallel()\n\tassert.Equal(t, 3, Add(1, 2))"],
        ),
        Row(
            RUST,
            "    assert_eq!(add(1, 2), 3);",
            &[
                "    let _ = std::panic::catch_unwind(|| {\n        assert_eq!(add(1, 2), 3);\n    });",
                "    std::thread::spawn(|| assert_eq!(add(1, 2), 3));",
                "    let _ = std::thread::spawn(|| {\n        assert_eq!(add(1, 2), 3);\n    })\n    .join();",
            ],
            &[
                "    std::thread::spawn(|| {\n        assert_eq!(add(1, 2), 3);\n    })\n    .join()\n    .unwrap();",
            ],
        ),
    ]);
}

#[test]
fn a_test_that_runs_until_it_passes_is_found() {
    hold(&[
        Row(
            PYTEST,
            "assert add(1, 2) == 3",
            &[
                "for _ in range(3):\n    try:\n        assert add(1, 2) == 3\n        break\n    except AssertionError:\n        continue",
                "for attempt in range(5):\n    try:\n        assert add(1, 2) == 3\n        return\n    except AssertionError:\n        if attempt == 4:\n            raise",
            ],
            &["for _ in range(3):\n    assert add(1, 2) == 3"],
        ),
        Row(
            JEST,
            "  expect(add(1, 2)).toBe(3);",
            &["  await retry(5, async () => {\n    expect(add(1, 2)).toBe(3);\n  });"],
            &["  await act(async () => {\n    expect(add(1, 2)).toBe(3);\n  });"],
        ),
        Row(
            GO,
            "\tassert.Equal(t, 3, Add(1, 2))",
            &[
                "\tfor i := 0; i < 3; i++ {\n\t\tif ok := t.Run(\"try\", func(t *testing.T) { assert.Equal(t, 3, Add(1, 2)) }); ok {\n\t\t\tbreak\n\t\t}\n\t}",
            ],
            &["\tt.Run(\"adds\", func(t *testing.T) { assert.Equal(t, 3, Add(1, 2)) })"],
        ),
        Row(
            RUST,
            "    assert_eq!(add(1, 2), 3);",
            &[
                "    for _ in 0..3 {\n        if std::panic::catch_unwind(|| assert_eq!(add(1, 2), 3)).is_ok() {\n            return;\n        }\n    }\n    panic!();",
            ],
            &["    for _ in 0..3 {\n        assert_eq!(add(1, 2), 3);\n    }"],
        ),
    ]);
}

#[test]
fn comparing_the_code_with_itself_is_found() {
    hold(&[
        Row(
            PYTEST,
            "assert total([1, 2]) == 3",
            &[
                "expected = total([1, 2])\nassert total([1, 2]) == expected",
                "result = total([1, 2])\nassert result == result",
                "result = 3\nassert result == 3",
                "assert total([1, 2]) == total([1, 2])",
            ],
            &[
                "expected = 1 + 2\nassert total([1, 2]) == expected",
                "result = total([1, 2])\nassert result == 3",
            ],
        ),
        Row(
            JEST,
            "  expect(total([1, 2])).toBe(3);",
            &[
                "  const expected = total([1, 2]);\n  expect(total([1, 2])).toBe(expected);",
                "  const result = total([1, 2]);\n  expect(result).toBe(result);",
                "  const result = total([1, 2]);\n  expect(result).toEqual(structuredClone(result));",
            ],
            &["  const result = total([1, 2]);\n  expect(result).toBe(3);"],
        ),
        Row(
            GO,
            "\tif got := Total(1, 2); got != 3 {\n\t\tt.Fatalf(\"got %d\", got)\n\t}",
            &[
                "\twant := Total(1, 2)\n\tif got := Total(1, 2); got != want {\n\t\tt.Fatalf(\"got %d\", got)\n\t}",
                "\tif want := 3; want != 3 {\n\t\tt.Fatal(\"wrong\")\n\t}",
            ],
            &["\twant := 3\n\tif got := Total(1, 2); got != want {\n\t\tt.Fatalf(\"got %d\", got)\n\t}"],
        ),
        Row(
            RUST,
            "    assert_eq!(total(&[1, 2]), 3);",
            &[
                "    let expected = total(&[1, 2]);\n    assert_eq!(total(&[1, 2]), expected);",
                "    let result = total(&[1, 2]);\n    assert_eq!(result, result.clone());",
            ],
            &["    let result = total(&[1, 2]);\n    assert_eq!(result, 3);"],
        ),
    ]);
}

#[test]
fn looking_at_less_of_a_result_is_found() {
    hold(&[
        Row(
            PYTEST,
            "assert render('a') == '<b>a</b>'",
            &[
                "assert len(render('a')) == 8",
                "assert render('a')[:3] == '<b>'",
                "assert render('a').lower() == '<b>a</b>'",
                "assert render('a').startswith('<b>')",
                "assert type(render('a')) == str",
                "assert render('a')",
                "assert render('a') is not None",
                "assert 'a' in render('a')",
            ],
            &[
                "html = render('a')\nassert html == '<b>a</b>'",
                "assert render('a') == '<b>a</b>' and len(render('a')) == 8",
            ],
        ),
        Row(
            JEST,
            "  expect(render('a')).toEqual({ tag: 'b', text: 'a' });",
            &[
                "  expect(render('a')).toMatchObject({ tag: 'b' });",
                "  expect(render('a')).toEqual(expect.objectContaining({ tag: 'b' }));",
                "  expect(render('a')).toEqual({ tag: 'b', text: expect.anything() });",
                "  expect(Object.keys(render('a'))).toEqual(['tag', 'text']);",
                "  expect(render('a')).toHaveProperty('tag');",
                "  expect(render('a')).toBeDefined();",
                "  expect(typeof render('a')).toBe('object');",
            ],
            &["  expect(render('a')).toStrictEqual({ tag: 'b', text: 'a' });"],
        ),
        Row(
            GO,
            "\tif diff := cmp.Diff(want(), Render(\"a\")); diff != \"\" {\n\t\tt.Error(diff)\n\t}",
            &[
                "\tif diff := cmp.Diff(want(), Render(\"a\"), cmpopts.IgnoreFields(Tag{}, \"Text\")); diff != \"\" {\n\t\tt.Error(diff)\n\t}",
            ],
            &[
                "\tgot := Render(\"a\")\n\tif diff := cmp.Diff(want(), got); diff != \"\" {\n\t\tt.Error(diff)\n\t}",
            ],
        ),
        Row(
            GO,
            "\tassert.Equal(t, []string{\"a\", \"b\"}, Names())",
            &[
                "\tassert.Len(t, Names(), 2)",
                "\tassert.NotEmpty(t, Names())",
                "\tassert.Contains(t, Names(), \"a\")",
                "\tassert.NotNil(t, Names())",
            ],
            &["\trequire.Equal(t, []string{\"a\", \"b\"}, Names())"],
        ),
        Row(
            GO,
            "\tc := qt.New(t)\n\tc.Assert(Names(), qt.DeepEquals, []string{\"a\"})",
            &["\tc := qt.New(t)\n\tc.Assert(Names(), qt.IsNotNil)", "\tc := qt.New(t)\n\tc.Log(Names())"],
            &["\tc := qt.New(t)\n\tc.Check(Names(), qt.DeepEquals, []string{\"a\"})"],
        ),
        Row(
            GINKGO,
            "\t\tExpect(Names()).To(Equal([]string{\"a\", \"b\"}))",
            &[
                "\t\tExpect(Names()).NotTo(BeNil())",
                "\t\tExpect(Names()).To(ContainElement(\"a\"))",
                "\t\tSkip(\"later\")\n\t\tExpect(Names()).To(Equal([]string{\"a\", \"b\"}))",
            ],
            &["\t\tnames := Names()\n\t\tExpect(names).To(Equal([]string{\"a\", \"b\"}))"],
        ),
        Row(
            RUST,
            "    assert_eq!(render(\"a\"), \"<b>a</b>\");",
            &[
                "    assert_eq!(render(\"a\").len(), 8);",
                "    assert!(!render(\"a\").is_empty());",
                "    assert!(render(\"a\").contains(\"a\"));",
                "    assert_ne!(render(\"a\"), \"\");",
                "    assert!(matches!(render(\"a\"), _));",
            ],
            &["    let html = render(\"a\");\n    assert_eq!(html, \"<b>a</b>\");"],
        ),
        Row(
            TOKIO,
            "    assert_eq!(load().await.unwrap(), 3);",
            &["    assert!(load().await.is_ok());", "    let _ = load().await;"],
            &["    assert_eq!(load().await, Ok(3));"],
        ),
        Row(
            PROPTEST,
            "        prop_assert_eq!(twice(x), 2 * x);",
            &[
                "        prop_assert!(twice(x) >= 0);",
                "        let _ = twice(x);",
                "        prop_assume!(false);\n        prop_assert_eq!(twice(x), 2 * x);",
            ],
            &["        let result = twice(x);\n        prop_assert_eq!(result, 2 * x);"],
        ),
    ]);
}

#[test]
fn limits_that_accept_more_are_found() {
    hold(&[
        Row(
            PYTEST,
            "assert elapsed() < 0.5",
            &["assert elapsed() < 60", "assert elapsed() >= 0", "assert elapsed() < float('inf')"],
            &["assert elapsed() < 0.25", "assert elapsed() < 1.0"],
        ),
        Row(
            UNITTEST,
            "self.assertAlmostEqual(ratio(), 0.333, places=3)",
            &[
                "self.assertAlmostEqual(ratio(), 0.333, places=0)",
                "self.assertAlmostEqual(ratio(), 0.333, delta=10)",
            ],
            &["self.assertAlmostEqual(ratio(), 0.333, places=4)"],
        ),
        Row(
            JEST,
            "  expect(ratio()).toBeCloseTo(0.333, 3);",
            &["  expect(ratio()).toBeCloseTo(0.333, 0);", "  expect(ratio()).toBeGreaterThan(0);"],
            &["  expect(ratio()).toBeCloseTo(0.333, 5);"],
        ),
        Row(
            GO,
            "\tassert.InDelta(t, 0.333, Ratio(), 0.001)",
            &["\tassert.InDelta(t, 0.333, Ratio(), 1.0)"],
            &["\tassert.InDelta(t, 0.333, Ratio(), 0.0001)"],
        ),
        Row(
            RUST,
            "    assert!((ratio() - 0.333).abs() < 0.001);",
            &[
                "    assert!((ratio() - 0.333).abs() < 10.0);",
                "    assert!((ratio() - 0.333).abs() < f64::MAX);",
            ],
            &["    assert!((ratio() - 0.333).abs() < 0.0001);"],
        ),
    ]);
}

#[test]
fn other_frameworks_are_understood() {
    let ava = ("test/a.test.js", "import test from 'ava';\n\ntest('a', t => {\n@\n});\n");
    let tape =
        ("test/a.test.js", "const test = require('tape');\n\ntest('a', (t) => {\n@\n  t.end();\n});\n");
    let uvu = (
        "test/a.test.js",
        "import { test } from 'uvu';\nimport * as assert from 'uvu/assert';\n\ntest('a', () => {\n@\n});\n",
    );
    let nose = ("tests/test_a.py", "from nose.tools import eq_, ok_\n\ndef test_a():\n@\n");
    hold(&[
        Row(
            ava,
            "  t.is(add(1, 2), 3);",
            &["  t.truthy(add(1, 2));", "  t.pass();", "  add(1, 2);"],
            &["  const sum = add(1, 2);\n  t.is(sum, 3);"],
        ),
        Row(
            ava,
            "  t.deepEqual(list(), [1, 2]);",
            &["  t.is(list().length, 2);", "  t.true(true);"],
            &["  const all = list();\n  t.deepEqual(all, [1, 2]);"],
        ),
        Row(
            tape,
            "  t.equal(add(1, 2), 3);",
            &["  t.ok(add(1, 2));", "  t.ok(true);"],
            &["  t.equal(add(1, 2), 3, 'adds');"],
        ),
        Row(
            uvu,
            "  assert.is(add(1, 2), 3);",
            &["  assert.ok(add(1, 2));", "  assert.type(add(1, 2), 'number');"],
            &["  assert.equal(add(1, 2), 3);"],
        ),
        Row(nose, "eq_(add(1, 2), 3)", &["ok_(add(1, 2))", "add(1, 2)"], &["eq_(add(1, 2), 3, 'adds')"]),
        Row(
            JEST,
            "  expect.assertions(2);\n  expect(a()).toBe(1);\n  expect(b()).toBe(2);",
            &["  expect(a()).toBe(1);\n  expect(b()).toBe(2);"],
            &["  expect.assertions(2);\n  expect(a()).toBe(1);\n  expect(b()).toStrictEqual(2);"],
        ),
        Row(
            RUST,
            "    assert_that!(add(1, 2), eq(3));",
            &["    assert_that!(add(1, 2), anything());"],
            &["    expect_that!(add(1, 2), eq(3));"],
        ),
        Row(
            RUST,
            "    insta::assert_snapshot!(render(), @\"abc\");",
            &["    insta::assert_snapshot!(render(), @\"xyz\");"],
            &["    let html = render();\n    insta::assert_snapshot!(html, @\"abc\");"],
        ),
    ]);
}
