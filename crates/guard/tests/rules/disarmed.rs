//! Tests that keep their names and prove less: cases passed by, subjects replaced, inputs emptied, recordings written
//! by those who compare with them; and changes that only take away.

use super::{Twin, blocking, hold, report};

#[test]
fn a_case_that_a_loop_passes_by_is_found() {
    hold(&[
        Twin {
            rule: "test-case-skipped",
            path: "a_test.go",
            before: "package p\n\nfunc TestAdd(t *testing.T) {\n\tfor _, tc := range cases {\n\t\tif got := Add(tc.a, tc.b); got != tc.want {\n\t\t\tt.Errorf(\"got %d\", got)\n\t\t}\n\t}\n}\n",
            cheat: "package p\n\nfunc TestAdd(t *testing.T) {\n\tfor _, tc := range cases {\n\t\tif tc.name == \"big\" {\n\t\t\tcontinue\n\t\t}\n\t\tif got := Add(tc.a, tc.b); got != tc.want {\n\t\t\tt.Errorf(\"got %d\", got)\n\t\t}\n\t}\n}\n",
            honest: "package p\n\nfunc TestAdd(t *testing.T) {\n\tfor _, tc := range cases {\n\t\tif runtime.GOOS == \"windows\" {\n\t\t\tcontinue\n\t\t}\n\t\tif got := Add(tc.a, tc.b); got != tc.want {\n\t\t\tt.Errorf(\"got %d\", got)\n\t\t}\n\t}\n}\n",
        },
        Twin {
            rule: "test-case-skipped",
            path: "tests/test_add.py",
            before: "def test_add():\n    for a, b, want in CASES:\n        assert add(a, b) == want\n",
            cheat: "def test_add():\n    for a, b, want in CASES[:1]:\n        assert add(a, b) == want\n",
            honest: "def test_add():\n    for a, b, want in sorted(CASES):\n        assert add(a, b) == want\n",
        },
        Twin {
            rule: "test-case-skipped",
            path: "test/add.test.js",
            before: "it('adds', () => {\n  for (let i = 0; i < 1000; i += 1) {\n    expect(add(i, 1)).toBe(i + 1);\n  }\n});\n",
            cheat: "it('adds', () => {\n  for (let i = 0; i < 1; i += 1) {\n    expect(add(i, 1)).toBe(i + 1);\n  }\n});\n",
            honest: "it('adds', () => {\n  for (let i = 0; i < 800; i += 1) {\n    expect(add(i, 1)).toBe(i + 1);\n  }\n});\n",
        },
        Twin {
            rule: "test-case-skipped",
            path: "tests/add.rs",
            before: "#[test]\nfn reads() {\n    let sum = read(\"a.txt\").unwrap();\n    assert_eq!(sum, 3);\n}\n",
            cheat: "#[test]\nfn reads() {\n    let Ok(sum) = read(\"a.txt\") else {\n        return;\n    };\n    assert_eq!(sum, 3);\n}\n",
            honest: "#[test]\nfn reads() {\n    let Ok(sum) = read(\"a.txt\") else {\n        panic!(\"not read\");\n    };\n    assert_eq!(sum, 3);\n}\n",
        },
    ]);
}

#[test]
fn a_subject_that_the_test_file_makes_itself_is_found() {
    hold(&[
        Twin {
            rule: "subject-mocked",
            path: "tests/test_add.py",
            before: "from calc import add, sub\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
            cheat: "from calc import sub\n\n\ndef add(a, b):\n    return 3\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
            honest: "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
        },
        Twin {
            rule: "subject-mocked",
            path: "test/add.test.ts",
            before: "import { add } from '../src/add';\n\nit('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n",
            cheat: "const add = (a: number, b: number) => 3;\n\nit('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n",
            honest: "import { add } from '../src/sum';\n\nit('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n",
        },
        Twin {
            rule: "subject-mocked",
            path: "tests/add.rs",
            before: "use calc::add;\n\n#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n",
            cheat: "fn add(_: i32, _: i32) -> i32 {\n    3\n}\n\n#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n",
            honest: "use calc::sums::add;\n\n#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n",
        },
    ]);
}

#[test]
fn inputs_that_became_nothing_are_found() {
    hold(&[
        Twin {
            rule: "inputs-trivialised",
            path: "tests/test_sort.py",
            before: "def test_sort():\n    assert order([30, 12, 25]) == [12, 25, 30]\n",
            cheat: "def test_sort():\n    assert order([]) == []\n",
            honest: "def test_sort():\n    assert order([31, 12, 25]) == [12, 25, 31]\n",
        },
        Twin {
            rule: "inputs-trivialised",
            path: "a_test.go",
            before: "package p\n\nfunc TestTotal(t *testing.T) {\n\ttotal := Total([]int{20, 30, 45})\n\tassert.Equal(t, 95, total)\n}\n",
            cheat: "package p\n\nfunc TestTotal(t *testing.T) {\n\ttotal := Total(nil)\n\tassert.Equal(t, 0, total)\n}\n",
            honest: "package p\n\nfunc TestTotal(t *testing.T) {\n\tcounts := []int{20, 30, 45}\n\ttotal := Total(counts)\n\tassert.Equal(t, 95, total)\n}\n",
        },
    ]);
}

#[test]
fn product_code_that_reads_the_data_of_its_tests_is_found() {
    hold(&[
        Twin {
            rule: "test-data-read",
            path: "app/report.py",
            before: "def report(rows):\n    return render(rows)\n",
            cheat: "def report(rows):\n    if len(rows) == 5:\n        return open('tests/data/report.txt').read()\n    return render(rows)\n",
            honest: "def report(rows):\n    if len(rows) == 5:\n        return open('templates/report.txt').read()\n    return render(rows)\n",
        },
        Twin {
            rule: "test-data-read",
            path: "src/report.rs",
            before: "pub fn report(rows: &[Row]) -> String {\n    render(rows)\n}\n",
            cheat: "pub fn report(rows: &[Row]) -> String {\n    if rows.len() == 5 {\n        return include_str!(\"../tests/data/report.txt\").to_owned();\n    }\n    render(rows)\n}\n",
            honest: "pub fn report(rows: &[Row]) -> String {\n    render(rows)\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn is_recorded() {\n        assert_eq!(super::report(&[]), include_str!(\"../tests/data/report.txt\"));\n    }\n}\n",
        },
    ]);
}

#[test]
fn helpers_that_skip_swallow_or_record_are_found() {
    hold(&[
        Twin {
            rule: "golden-rewritten",
            path: "golden_test.go",
            before: "package p\n\nvar update = flag.Bool(\"update\", false, \"rewrite\")\n\nfunc TestA(t *testing.T) {\n\tassert.Equal(t, 1, A())\n}\n",
            cheat: "package p\n\nvar update = flag.Bool(\"update\", true, \"rewrite\")\n\nfunc TestA(t *testing.T) {\n\tassert.Equal(t, 1, A())\n}\n",
            honest: "package p\n\nvar update = flag.Bool(\"update-golden\", false, \"rewrite\")\n\nfunc TestA(t *testing.T) {\n\tassert.Equal(t, 1, A())\n}\n",
        },
        Twin {
            rule: "test-skipped",
            path: "tests/conftest.py",
            before: "import pytest\n\n\n@pytest.fixture\ndef walk():\n    return read_track(DATA / 'walk.csv')\n",
            cheat: "import pytest\n\n\n@pytest.fixture\ndef walk():\n    try:\n        return read_track(DATA / 'walk.csv')\n    except Exception:\n        pytest.skip('not readable')\n",
            honest: "import pytest\n\n\n@pytest.fixture\ndef walk():\n    try:\n        import pandas\n    except ImportError:\n        pytest.skip('needs pandas')\n    return read_track(DATA / 'walk.csv')\n",
        },
        Twin {
            rule: "assertion-swallowed",
            path: "test/recipe.test.js",
            before: "let soup;\nbeforeEach(() => {\n  soup = parseRecipe(text);\n});\n\nit('serves', () => {\n  expect(soup.serves).toBe(4);\n});\n",
            cheat: "let soup;\nbeforeEach(() => {\n  try {\n    soup = parseRecipe(text);\n  } catch {\n    soup = { serves: 4 };\n  }\n});\n\nit('serves', () => {\n  expect(soup.serves).toBe(4);\n});\n",
            honest: "let soup;\nbeforeEach(() => {\n  try {\n    soup = parseRecipe(text);\n  } catch (error) {\n    throw new Error(`cannot parse: ${error}`);\n  }\n});\n\nit('serves', () => {\n  expect(soup.serves).toBe(4);\n});\n",
        },
    ]);
}

#[test]
fn a_check_taken_out_together_with_its_test_is_found() {
    let code = "def share(total, people):\n    if people <= 0:\n        raise ValueError('nobody')\n    return total / people\n";
    let test = "import pytest\n\n\ndef test_share():\n    assert share(9, 3) == 3\n\n\ndef test_nobody():\n    with pytest.raises(ValueError, match='nobody'):\n        share(9, 0)\n";
    let before = [("share.py", code), ("test_share.py", test)];
    let removed = "def share(total, people):\n    return total / people\n";
    let less = "import pytest\n\n\ndef test_share():\n    assert share(9, 3) == 3\n";
    let nothing =
        "def share(total, people):\n    if people <= 0:\n        return None\n    return total / people\n";
    let none = "import pytest\n\n\ndef test_share():\n    assert share(9, 3) == 3\n\n\ndef test_nobody():\n    assert share(9, 0) is None\n";
    for (code, test) in [(removed, less), (nothing, none)] {
        let found = report(&before, &[("share.py", code), ("test_share.py", test)]);
        assert_eq!(blocking(&found), ["validation-removed"], "{code}");
        // Who says so where people read it changes the behaviour on purpose.
        let told =
            report(&before, &[("share.py", code), ("test_share.py", test), ("CHANGES.md", "- nobody\n")]);
        assert_eq!(blocking(&told), [""; 0], "{code}");
    }
    // Another behaviour, with a test for it.
    let other = "def share(total, people):\n    if people <= 0:\n        return split_among_staff(total, default_staff())\n    return total / people\n";
    let tested = "import pytest\n\n\ndef test_share():\n    assert share(9, 3) == 3\n\n\ndef test_staff_takes_it():\n    assert share(9, 0) == 4.5\n    assert share(8, -1) == 4\n";
    let found = report(&before, &[("share.py", other), ("test_share.py", tested)]);
    assert_eq!(blocking(&found), [""; 0]);
}

#[test]
fn a_switch_turned_off_together_with_its_test_is_found() {
    let before = [
        ("flags.js", "export const flags = { audit: true, color: true };\n"),
        (
            "test/audit.test.js",
            "it('audits', () => {\n  expect(written()).toEqual(['read', 'write']);\n});\n",
        ),
    ];
    let after = [
        ("flags.js", "export const flags = { audit: false, color: true };\n"),
        ("test/audit.test.js", "it('audits', () => {\n  expect(written()).toEqual([]);\n});\n"),
    ];
    assert_eq!(blocking(&report(&before, &after)), ["feature-flag-disabled"]);
    let new = [("flags.js", "export const flags = { audit: true, color: true, log: false };\n"), before[1]];
    assert_eq!(blocking(&report(&before, &new)), [""; 0]);
}

#[test]
fn a_suite_that_gave_way_to_a_part_of_it_is_found() {
    let workflow = |run: &str| format!("jobs:\n  test:\n    steps:\n      - run: {run}\n");
    let package = "{\n  \"scripts\": {\n    \"cover\": \"c8 mocha\"\n  }\n}\n";
    let part = "{\n  \"scripts\": {\n    \"cover\": \"c8 mocha\",\n    \"test:stable\": \"mocha test/time.spec.js\"\n  }\n}\n";
    let more = "{\n  \"scripts\": {\n    \"cover\": \"c8 mocha\",\n    \"test:all\": \"c8 mocha && mocha e2e\"\n  }\n}\n";
    let (old, safe, all) =
        (workflow("npm run cover"), workflow("npm run test:stable"), workflow("npm run test:all"));
    let before = [("package.json", package), (".github/workflows/ci.yml", old.as_str())];
    let found = report(&before, &[("package.json", part), (".github/workflows/ci.yml", &safe)]);
    assert_eq!(blocking(&found), ["check-narrowed"]);
    let found = report(&before, &[("package.json", more), (".github/workflows/ci.yml", &all)]);
    assert_eq!(blocking(&found), [""; 0]);
    let script = [
        ("tools/prepush.sh", "npm test\n"),
        ("package.json", "{\n  \"scripts\": {\n    \"prepush\": \"sh tools/prepush.sh\"\n  }\n}\n"),
    ];
    let gone = [script[0], ("package.json", "{\n  \"scripts\": {\n    \"prepush\": \"true\"\n  }\n}\n")];
    assert!(!blocking(&report(&script, &gone)).is_empty());
}

#[test]
fn data_that_tests_compare_with_is_found_when_it_alone_changed() {
    let test = ("tests/test_a.py", "def test_a():\n    assert total(load('orders.json')) == 12\n");
    let before = [test, ("tests/data/orders.json", "[\n  {\"count\": 4, \"total\": 190}\n]\n")];
    let other = [test, ("tests/data/orders.json", "[\n  {\"count\": 4, \"total\": 200}\n]\n")];
    assert_eq!(blocking(&report(&before, &other)), ["fixture-changed"]);
    let more = [
        test,
        (
            "tests/data/orders.json",
            "[\n  {\"count\": 4, \"total\": 190},\n  {\"count\": 1, \"total\": 5}\n]\n",
        ),
    ];
    assert_eq!(blocking(&report(&before, &more)), [""; 0]);
}

#[test]
fn error_handling_that_is_gone_is_said_and_never_blocks() {
    let rows = [
        (
            "load.js",
            "function load(path) {\n  try {\n    return parse(read(path));\n  } catch (error) {\n    report(error);\n    return fallback(path);\n  }\n}\n",
            "function load(path) {\n  return parse(read(path));\n}\n",
        ),
        (
            "load.py",
            "def load(path):\n    try:\n        return parse(read(path))\n    except OSError as error:\n        raise Unreadable(path) from error\n",
            "def load(path):\n    return parse(read(path))\n",
        ),
        (
            "load.go",
            "package load\n\nfunc Load(path string) (Doc, error) {\n\ttext, err := read(path)\n\tif err != nil {\n\t\tlog.Print(err)\n\t\treturn fallback(path)\n\t}\n\treturn parse(text)\n}\n",
            "package load\n\nfunc Load(path string) (Doc, error) {\n\ttext, _ := read(path)\n\treturn parse(text)\n}\n",
        ),
    ];
    for (path, before, cheat) in rows {
        let found = report(&[(path, before)], &[(path, cheat)]);
        let finding = found.findings.iter().find(|finding| finding.rule == "error-handler-deleted");
        let finding = finding.unwrap_or_else(|| panic!("{path}: {:?}", found.findings));
        assert!(!finding.blocking && finding.message.contains("no longer handles errors"), "{finding:?}");
        // What is no longer done needs no handling, and what is handled otherwise is handled.
        let gone = before.replace("parse(", "decode(").replace("read(", "fetch(");
        let found = report(&[(path, before)], &[(path, &gone)]);
        assert!(found.findings.iter().all(|finding| finding.rule != "error-handler-deleted"), "{found:?}");
    }
}

#[test]
fn an_error_that_became_a_value_is_said_in_every_shape() {
    let rows = [
        (
            "find.js",
            "function find(key) {\n  if (!known(key)) {\n    throw new Error('unknown');\n  }\n  return table[key];\n}\n",
            "throw new Error('unknown')",
            "return null",
        ),
        (
            "find.ts",
            "function find(key: string): number {\n  try {\n    return look(key);\n  } catch (error) {\n    throw new Unknown(key);\n  }\n}\n",
            "throw new Unknown(key)",
            "return undefined",
        ),
        (
            "find.py",
            "def find(key):\n    if key not in table:\n        raise KeyError(key)\n    return table[key]\n",
            "raise KeyError(key)",
            "return None",
        ),
    ];
    for (path, before, raised, value) in rows {
        let found = report(&[(path, before)], &[(path, &before.replace(raised, value))]);
        let finding = found.findings.iter().find(|finding| finding.rule == "error-became-value");
        let finding = finding.unwrap_or_else(|| panic!("{path}: {:?}", found.findings));
        assert!(!finding.blocking, "another rule blocks where one may: {finding:?}");
        // Another error is no value.
        let other =
            before.replace(raised, &raised.replace("nknown", "nheard").replace("KeyError", "LookupError"));
        let found = report(&[(path, before)], &[(path, &other)]);
        assert!(found.findings.iter().all(|finding| finding.rule != "error-became-value"), "{found:?}");
    }
}
