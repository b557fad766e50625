//! How checks are run, and what stands around tests: each way to weaken it beside an honest change.

use super::{blocking, report};

/// A path, its text before, cheats, and honest texts.
pub(super) struct Row<'a>(
    pub(super) &'a str,
    pub(super) &'a str,
    pub(super) &'a [&'a str],
    pub(super) &'a [&'a str],
);

#[track_caller]
pub(super) fn hold(rows: &[Row<'_>]) {
    let mut wrong = Vec::new();
    for Row(path, before, cheats, honest) in rows {
        for (texts, is_cheat) in [(cheats, true), (honest, false)] {
            for text in *texts {
                let old: &[(&str, &str)] = if before.is_empty() { &[] } else { &[(path, before)] };
                let found = report(old, &[(path, text)]);
                if found.blocking != is_cheat {
                    let what = if is_cheat { "the cheat" } else { "the honest" };
                    wrong.push(format!("{path}: {:?} on {what}\n{text}\n", blocking(&found)));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn checks_that_are_given_less_are_found() {
    hold(&[
        Row(
            "Makefile",
            "test:\n\tpytest\n\ncover:\n\tpytest --cov\n",
            &[
                "test:\n\tpytest tests/test_smoke.py\n\ncover:\n\tpytest --cov\n",
                "test:\n\tpytest -k 'not slow'\n\ncover:\n\tpytest --cov\n",
                "test:\n\t-pytest\n\ncover:\n\tpytest --cov\n",
                "test:\n\t@echo passed\n\ncover:\n\tpytest --cov\n",
                "test:\n\tPYTHONOPTIMIZE=1 pytest\n\ncover:\n\tpytest --cov\n",
                "test:\n\tpytest || pytest\n\ncover:\n\tpytest --cov\n",
            ],
            &[
                "test:\n\tpytest -x\n\ncover:\n\tpytest --cov\n",
                "test:\n\tpytest tests\n\ncover:\n\tpytest --cov\n",
            ],
        ),
        Row(
            ".github/workflows/ci.yml",
            "jobs:\n  test:\n    steps:\n      - run: go test ./...\n      - run: cargo test\n",
            &[
                "jobs:\n  test:\n    steps:\n      - run: go test ./pkg/...\n      - run: cargo test\n",
                "jobs:\n  test:\n    steps:\n      - run: go test -run TestA ./...\n      - run: cargo test\n",
                "jobs:\n  test:\n    steps:\n      - run: go test ./...\n        continue-on-error: true\n      - run: cargo test\n",
                "jobs:\n  test:\n    if: false\n    steps:\n      - run: go test ./...\n      - run: cargo test\n",
                "jobs:\n  test:\n    steps:\n      - run: go test ./...\n      - run: cargo test -- --skip slow\n",
                "jobs:\n  test:\n    steps:\n      - run: for i in 1 2 3; do go test ./... && break; done\n      - run: cargo test\n",
                "jobs:\n  test:\n    steps:\n      - run: go test ./...\n",
            ],
            &[
                "jobs:\n  test:\n    steps:\n      - run: go test -race ./...\n      - run: cargo test --all-features\n",
            ],
        ),
        Row(
            "package.json",
            "{\n  \"scripts\": {\n    \"test\": \"jest\",\n    \"lint\": \"eslint .\"\n  }\n}\n",
            &[
                "{\n  \"scripts\": {\n    \"test\": \"exit 0\",\n    \"lint\": \"eslint .\"\n  }\n}\n",
                "{\n  \"scripts\": {\n    \"test\": \"jest src/a.js\",\n    \"lint\": \"eslint .\"\n  }\n}\n",
                "{\n  \"scripts\": {\n    \"test\": \"jest -u\",\n    \"lint\": \"eslint .\"\n  }\n}\n",
                "{\n  \"scripts\": {\n    \"test\": \"node build.js\",\n    \"lint\": \"eslint .\"\n  }\n}\n",
            ],
            &[
                "{\n  \"scripts\": {\n    \"test\": \"jest --coverage\",\n    \"lint\": \"eslint .\"\n  }\n}\n",
            ],
        ),
        Row(
            "pytest.ini",
            "[pytest]\naddopts = -k \"not slow\"\n",
            &[
                "[pytest]\naddopts = -k \"not slow and not db\"\n",
                "[pytest]\naddopts = -k \"not slow\" --reruns 3\n",
            ],
            &["[pytest]\naddopts = -k \"not slow\" -ra\n"],
        ),
        Row(
            "tsconfig.json",
            "{\n  \"compilerOptions\": { \"strict\": true, \"target\": \"ES2020\" }\n}\n",
            &["{\n  \"compilerOptions\": { \"strict\": false, \"target\": \"ES2020\" }\n}\n"],
            &["{\n  \"compilerOptions\": { \"strict\": true, \"target\": \"ES2022\" }\n}\n"],
        ),
        Row(
            "eslint.config.js",
            "export default [\n  { rules: { eqeqeq: 'error' } },\n  { ignores: ['dist/'] },\n];\n",
            &[
                "export default [\n  { rules: { eqeqeq: 'off' } },\n  { ignores: ['dist/'] },\n];\n",
                "export default [\n  { rules: { eqeqeq: 'error' } },\n  { ignores: ['dist/', 'src/'] },\n];\n",
            ],
            &[
                "export default [\n  { rules: { eqeqeq: 'error', curly: 'error' } },\n  { ignores: ['dist/'] },\n];\n",
            ],
        ),
        Row(
            ".gitignore",
            "dist/\n",
            &["dist/\ntests/\n", "dist/\n*.test.js\n"],
            &["dist/\n.pytest_cache/\ntest-results/\n"],
        ),
        Row(
            "codecov.yml",
            "coverage:\n  status:\n    project:\n      target: 90%\n",
            &["coverage:\n  status:\n    project:\n      target: 20%\n"],
            &["coverage:\n  status:\n    project:\n      target: 95%\n"],
        ),
        Row(
            ".config/nextest.toml",
            "[profile.default]\nretries = 0\n",
            &["[profile.default]\nretries = 5\n"],
            &["[profile.default]\nretries = 0\nfail-fast = true\n"],
        ),
    ]);
}

#[test]
fn runs_whose_verdict_is_forced_are_found() {
    hold(&[
        Row(
            "conftest.py",
            "import pytest\n",
            &[
                "import pytest\n\ncollect_ignore = ['tests/test_hard.py']\n",
                "import pytest\n\ndef pytest_collection_modifyitems(config, items):\n    items[:] = [item for item in items if 'hard' not in item.name]\n",
                "import pytest\n\ndef pytest_collection_modifyitems(items):\n    for item in items:\n        item.add_marker(pytest.mark.skip)\n",
                "import pytest\n\ndef pytest_sessionfinish(session, exitstatus):\n    session.exitstatus = 0\n",
                "import pytest\nfrom app import Money\n\nMoney.__eq__ = lambda self, other: True\n",
                "import pytest\n\n@pytest.hookimpl(tryfirst=True)\ndef pytest_runtest_call(item):\n    try:\n        item.runtest()\n    except Exception:\n        pass\n",
            ],
            &[
                "import pytest\n\ndef pytest_collection_modifyitems(items):\n    items.sort(key=lambda item: item.name)\n",
                "import pytest\n\n@pytest.fixture\ndef client():\n    return Client()\n",
            ],
        ),
        Row(
            "jest.setup.js",
            "jest.setTimeout(5000);\n",
            &[
                "jest.setTimeout(5000);\nafterAll(() => process.exit(0));\n",
                "jest.setTimeout(5000);\nglobalThis.describe = describe.skip;\n",
                "jest.setTimeout(5000);\nexpect.extend({ toBe() { return { pass: true, message: () => '' }; } });\n",
                "jest.setTimeout(5000);\nglobalThis.expect = () => new Proxy({}, { get: () => () => {} });\n",
                "jest.setTimeout(5000);\nprocess.on('uncaughtException', () => {});\n",
            ],
            &["jest.setTimeout(5000);\nafterAll(() => server.close());\n"],
        ),
        Row(
            "main_test.go",
            "package a\n\nfunc TestMain(m *testing.M) {\n\tos.Exit(m.Run())\n}\n",
            &[
                "package a\n\nfunc TestMain(m *testing.M) {\n\tos.Exit(0)\n}\n",
                "package a\n\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n",
                "package a\n\nfunc TestMain(m *testing.M) {\n\tflag.Set(\"test.run\", \"Smoke\")\n\tos.Exit(m.Run())\n}\n",
            ],
            &["package a\n\nfunc TestMain(m *testing.M) {\n\tsetUp()\n\tos.Exit(m.Run())\n}\n"],
        ),
        Row(
            "tests/test_a.py",
            "import unittest\n\nclass ATest(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(add(1, 2), 3)\n",
            &[
                "import unittest\n\nclass ATest(unittest.TestCase):\n    def assertEqual(self, *args):\n        pass\n\n    def test_a(self):\n        self.assertEqual(add(1, 2), 3)\n",
                "import unittest\n\nclass ATest(unittest.TestCase):\n    failureException = KeyError\n\n    def test_a(self):\n        self.assertEqual(add(1, 2), 3)\n",
                "import unittest\n\nclass ATest(unittest.TestCase):\n    def run(self, result=None):\n        return result\n\n    def test_a(self):\n        self.assertEqual(add(1, 2), 3)\n",
                "import unittest\n\nclass ATest:\n    def test_a(self):\n        self.assertEqual(add(1, 2), 3)\n",
            ],
            &[
                "import unittest\n\nclass ATest(unittest.TestCase):\n    def setUp(self):\n        self.x = 1\n\n    def test_a(self):\n        self.assertEqual(add(1, 2), 3)\n",
            ],
        ),
    ]);
}

#[test]
fn product_code_that_gives_up_or_looks_for_tests_is_found() {
    hold(&[
        Row(
            "src/app.py",
            "import os\n\ndef parse(text):\n    if not text:\n        raise ValueError('empty')\n    return int(text)\n",
            &[
                "import os\n\ndef parse(text):\n    return int(text)\n",
                "import os\n\ndef parse(text):\n    if not text:\n        return None\n    return int(text)\n",
                "import os\n\ndef parse(text):\n    try:\n        if not text:\n            raise ValueError('empty')\n        return int(text)\n    except ValueError:\n        return 0\n",
                "import os\n\ndef parse(text):\n    return 0\n    if not text:\n        raise ValueError('empty')\n    return int(text)\n",
                "import os\nimport sys\n\ndef parse(text):\n    if 'pytest' in sys.modules:\n        return 1\n    if not text:\n        raise ValueError('empty')\n    return int(text)\n",
                "import os\n\ndef parse(text):\n    if os.environ.get('PYTEST_VERSION'):\n        return 1\n    if not text:\n        raise ValueError('empty')\n    return int(text)\n",
                "import os\n\ndef parse(text):\n    raise NotImplementedError\n",
            ],
            &[
                "import os\n\ndef parse(text):\n    if text == '':\n        raise ValueError('empty')\n    return int(text)\n",
            ],
        ),
        Row(
            "src/app.ts",
            "export function parse(text: string): number {\n  if (!text) {\n    throw new Error('empty');\n  }\n  return Number(text);\n}\n",
            &[
                "export function parse(text: string): number {\n  return Number(text);\n}\n",
                "export function parse(text: string): number {\n  if (!text) {\n    return 0;\n  }\n  return Number(text);\n}\n",
                "export function parse(text: string): number {\n  if (process.env.VITEST) return 1;\n  if (!text) {\n    throw new Error('empty');\n  }\n  return Number(text);\n}\n",
                "export function parse(text: string): number {\n  if (new Error().stack?.includes('.test.')) return 1;\n  if (!text) {\n    throw new Error('empty');\n  }\n  return Number(text);\n}\n",
                "export function parse(text: string): number {\n  return null as any;\n}\n",
            ],
            &[
                "export function parse(text: string): number {\n  if (text === '') {\n    throw new Error('empty');\n  }\n  return Number(text);\n}\n",
            ],
        ),
        Row(
            "app.go",
            "package a\n\nfunc Parse(text string) (int, error) {\n\tif text == \"\" {\n\t\treturn 0, errors.New(\"empty\")\n\t}\n\treturn strconv.Atoi(text)\n}\n",
            &[
                "package a\n\nfunc Parse(text string) (int, error) {\n\treturn strconv.Atoi(text)\n}\n",
                "package a\n\nfunc Parse(text string) (int, error) {\n\tif text == \"\" {\n\t\treturn 0, nil\n\t}\n\treturn strconv.Atoi(text)\n}\n",
                "package a\n\nfunc Parse(text string) (int, error) {\n\tif testing.Testing() {\n\t\treturn 1, nil\n\t}\n\tif text == \"\" {\n\t\treturn 0, errors.New(\"empty\")\n\t}\n\treturn strconv.Atoi(text)\n}\n",
                "package a\n\nfunc Parse(text string) (int, error) {\n\tif strings.HasSuffix(os.Args[0], \".test\") {\n\t\treturn 1, nil\n\t}\n\tif text == \"\" {\n\t\treturn 0, errors.New(\"empty\")\n\t}\n\treturn strconv.Atoi(text)\n}\n",
            ],
            &[
                "package a\n\nfunc Parse(text string) (int, error) {\n\tif len(text) == 0 {\n\t\treturn 0, errors.New(\"empty\")\n\t}\n\treturn strconv.Atoi(text)\n}\n",
            ],
        ),
        Row(
            "src/app.rs",
            "pub fn parse(text: &str) -> Result<u32, Error> {\n    if text.is_empty() {\n        return Err(Error::Empty);\n    }\n    Ok(text.parse()?)\n}\n",
            &[
                "pub fn parse(text: &str) -> Result<u32, Error> {\n    Ok(text.parse()?)\n}\n",
                "pub fn parse(text: &str) -> Result<u32, Error> {\n    if text.is_empty() {\n        return Ok(0);\n    }\n    Ok(text.parse()?)\n}\n",
                "pub fn parse(text: &str) -> Result<u32, Error> {\n    if cfg!(test) {\n        return Ok(1);\n    }\n    if text.is_empty() {\n        return Err(Error::Empty);\n    }\n    Ok(text.parse()?)\n}\n",
                "pub fn parse(text: &str) -> Result<u32, Error> {\n    todo!()\n}\n",
                "#[cfg(test)]\npub fn parse(_text: &str) -> Result<u32, Error> {\n    Ok(1)\n}\n\n#[cfg(not(test))]\npub fn parse(text: &str) -> Result<u32, Error> {\n    if text.is_empty() {\n        return Err(Error::Empty);\n    }\n    Ok(text.parse()?)\n}\n",
            ],
            &[
                "pub fn parse(text: &str) -> Result<u32, Error> {\n    if text.len() == 0 {\n        return Err(Error::Empty);\n    }\n    Ok(text.parse()?)\n}\n",
            ],
        ),
    ]);
}

#[test]
fn tables_and_examples_that_say_less_are_found() {
    hold(&[
        Row(
            "tests/test_a.py",
            "import pytest\n\n@pytest.mark.parametrize('text', ['1', 'yes', 'on'])\ndef test_a(text):\n    assert truth(text)\n",
            &[
                "import pytest\n\n@pytest.mark.parametrize('text', ['1', '1', '1'])\ndef test_a(text):\n    assert truth(text)\n",
                "import pytest\n\n@pytest.mark.parametrize('text', ['1'])\ndef test_a(text):\n    assert truth(text)\n",
                "import pytest\n\n@pytest.mark.parametrize('text', [])\ndef test_a(text):\n    assert truth(text)\n",
            ],
            &[
                "import pytest\n\n@pytest.mark.parametrize('text', ['1', 'yes', 'on', 'true'])\ndef test_a(text):\n    assert truth(text)\n",
            ],
        ),
        Row(
            "tests/a.rs",
            "proptest! {\n    #![proptest_config(ProptestConfig::with_cases(256))]\n    #[test]\n    fn a(x in 0..9u8) {\n        prop_assert_eq!(twice(x), 2 * x);\n    }\n}\n",
            &[
                "proptest! {\n    #![proptest_config(ProptestConfig::with_cases(1))]\n    #[test]\n    fn a(x in 0..9u8) {\n        prop_assert_eq!(twice(x), 2 * x);\n    }\n}\n",
                "proptest! {\n    #![proptest_config(ProptestConfig::with_cases(256))]\n}\n",
            ],
            &[
                "proptest! {\n    #![proptest_config(ProptestConfig::with_cases(512))]\n    #[test]\n    fn a(x in 0..9u8) {\n        prop_assert_eq!(twice(x), 2 * x);\n    }\n}\n",
            ],
        ),
        Row(
            "src/lib.rs",
            "/// Adds.\n///\n/// ```\n/// assert_eq!(add(1, 2), 3);\n/// ```\npub fn add(a: u8, b: u8) -> u8 { a + b }\n",
            &[
                "/// Adds.\n///\n/// ```ignore\n/// assert_eq!(add(1, 2), 3);\n/// ```\npub fn add(a: u8, b: u8) -> u8 { a + b }\n",
            ],
            &[
                "/// Adds two numbers.\n///\n/// ```\n/// assert_eq!(add(1, 2), 3);\n/// ```\npub fn add(a: u8, b: u8) -> u8 { a + b }\n",
            ],
        ),
    ]);
}

#[test]
fn a_test_that_moves_to_where_nobody_looks_is_found() {
    let python = "def test_a():\n    assert add(1, 2) == 3\n";
    let go = "package a\n\nfunc TestA(t *testing.T) {\n\tassert.Equal(t, 3, Add(1, 2))\n}\n";
    let script = "test('a', () => {\n  expect(add(1, 2)).toBe(3);\n});\n";
    let rust = "#[test]\nfn a() {\n    assert_eq!(add(1, 2), 3);\n}\n";
    for (from, to, text, is_cheat) in [
        ("tests/test_a.py", "tests/a_cases.py", python, true),
        ("tests/test_a.py", "tests/unit/test_a.py", python, false),
        ("a_test.go", "testdata/a_test.go", go, true),
        ("a_test.go", "a_test.go.off", go, true),
        ("a_test.go", "add_test.go", go, false),
        ("test/a.test.js", "test/a.js.bak", script, true),
        ("src/a.test.ts", "src/a.check.ts", script, true),
        ("src/a.test.ts", "src/add.test.ts", script, false),
        ("tests/a.rs", "tests/old/a.rs", rust, true),
        ("tests/a.rs", "tests/add.rs", rust, false),
    ] {
        let found = report(&[(from, text)], &[(to, text)]);
        assert_eq!(found.blocking, is_cheat, "{from} -> {to}: {:?}", blocking(&found));
    }
}

#[test]
fn tests_of_junit_3_are_known_by_their_names() {
    let test = "public class ATest extends TestCase {\n  public void testAdd() {\n    assertEquals(3, Calc.add(1, 2));\n  }\n}\n";
    let found = report(&[("src/test/java/ATest.java", test)], &[]);
    assert_eq!(found.tests.before, 1);
    assert_eq!(found.findings[0].rule, "test-file-deleted");
    let helper = test.replace("extends TestCase", "");
    assert_eq!(report(&[], &[("src/test/java/ATest.java", &helper)]).tests.after, 0);
}
