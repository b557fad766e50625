//! Ways around the verdict: exits, hooks, configuration, product code that knows its tests.

use super::{Twin, blocking, hold, report};

#[test]
fn a_verdict_that_is_forced_is_found() {
    hold(&[
        Twin {
            rule: "test-exits-early",
            path: "tests/conftest.py",
            before: "import os\n",
            cheat: "import os\n\ndef pytest_sessionfinish():\n    os._exit(0)\n",
            honest: "import os\n\ndef pytest_sessionfinish():\n    os.remove('x')\n",
        },
        Twin {
            rule: "test-exits-early",
            path: "a_test.go",
            before: "package p\n\nfunc TestMain(m *testing.M) {\n\tos.Exit(m.Run())\n}\n",
            cheat: "package p\n\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n",
            honest: "package p\n\nfunc TestMain(m *testing.M) {\n\tcode := m.Run()\n\tos.Exit(code)\n}\n",
        },
        Twin {
            rule: "always-equal",
            path: "tests/helpers.py",
            before: "class Any:\n    pass\n",
            cheat: "class Any:\n    def __eq__(self, other):\n        return True\n",
            honest: "class Any:\n    def __eq__(self, other):\n        return self.x == other.x\n",
        },
        Twin {
            rule: "success-forced",
            path: "tests/conftest.py",
            before: "import pytest\n",
            cheat: "import pytest\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    outcome = yield\n    outcome.get_result().outcome = 'passed'\n",
            honest: "import pytest\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    outcome = yield\n    item.report = outcome.get_result()\n",
        },
    ]);
}

#[test]
fn product_code_that_knows_its_tests_is_found() {
    hold(&[
        Twin {
            rule: "test-detected",
            path: "app/calc.py",
            before: "def add(a, b):\n    return a + b\n",
            cheat: "import os\n\ndef add(a, b):\n    if 'PYTEST_CURRENT_TEST' in os.environ:\n        return 3\n    return a + b\n",
            honest: "import os\n\ndef add(a, b):\n    if 'DEBUG' in os.environ:\n        print(a)\n    return a + b\n",
        },
        Twin {
            rule: "test-detected",
            path: "src/calc.js",
            before: "export function add(a, b) { return a + b; }\n",
            cheat: "export function add(a, b) { if (process.env.NODE_ENV === 'test') return 3; return a + b; }\n",
            honest: "export function add(a, b) { if (process.env.NODE_ENV === 'production') log(); return a + b; }\n",
        },
        Twin {
            rule: "test-detected",
            path: "src/calc.rs",
            before: "pub fn add(a: i32, b: i32) -> i32 { a + b }\n",
            cheat: "pub fn add(a: i32, b: i32) -> i32 { if cfg!(test) { return 3; } a + b }\n",
            honest: "pub fn add(a: i32, b: i32) -> i32 { if cfg!(debug_assertions) { check(); } a + b }\n",
        },
    ]);
    let test = "def test_add():\n    assert add(1, 2) == 3\n    assert add(40, 2) == 42\n";
    let code = "def add(a, b):\n    return a - b\n";
    let cheat = "def add(a, b):\n    if a == 40 and b == 2:\n        return 42\n    return a - b\n";
    let honest = "def add(a, b):\n    if a == 0:\n        return b\n    return a + b\n";
    let before = [("calc.py", code), ("test_calc.py", test)];
    assert_eq!(
        blocking(&report(&before, &[("calc.py", cheat), ("test_calc.py", test)])),
        ["answer-hard-coded"]
    );
    assert_eq!(blocking(&report(&before, &[("calc.py", honest), ("test_calc.py", test)])), [""; 0]);
}

#[test]
fn weaker_configuration_is_found() {
    hold(&[
        Twin {
            rule: "check-failure-ignored",
            path: ".github/workflows/ci.yml",
            before: "steps:\n  - run: pytest\n",
            cheat: "steps:\n  - run: pytest || true\n",
            honest: "steps:\n  - run: pytest -x\n",
        },
        Twin {
            rule: "check-failure-ignored",
            path: "package.json",
            before: "{\"scripts\": {\n\"test\": \"jest\"\n}}\n",
            cheat: "{\"scripts\": {\n\"test\": \"jest --passWithNoTests\"\n}}\n",
            honest: "{\"scripts\": {\n\"test\": \"jest --coverage\"\n}}\n",
        },
        Twin {
            rule: "check-narrowed",
            path: "pytest.ini",
            before: "[pytest]\naddopts = -q\n",
            cheat: "[pytest]\naddopts = -q --deselect tests/test_a.py::test_x\n",
            honest: "[pytest]\naddopts = -q --strict-markers\n",
        },
        Twin {
            rule: "threshold-lowered",
            path: "pyproject.toml",
            before: "[tool.coverage.report]\nfail_under = 90\n",
            cheat: "[tool.coverage.report]\nfail_under = 10\n",
            honest: "[tool.coverage.report]\nfail_under = 95\n",
        },
        Twin {
            rule: "check-removed",
            path: ".github/workflows/ci.yml",
            before: "steps:\n  - run: cargo build\n  - run: cargo test\n",
            cheat: "steps:\n  - run: cargo build\n",
            honest: "steps:\n  - run: cargo build\n  - run: cargo test --workspace\n",
        },
        Twin {
            rule: "snapshot-regenerated",
            path: "src/__snapshots__/a.test.js.snap",
            before: "exports[`a`] = `1`;\n",
            cheat: "exports[`a`] = `2`;\n",
            honest: "exports[`a`] = `1`;\nexports[`b`] = `2`;\n",
        },
    ]);
}

#[test]
fn what_is_allowed_in_the_base_does_not_block() {
    let test = "def test_a():\n    assert work(1) == 2\n";
    let skipped = "import pytest\n\n@pytest.mark.skip\ndef test_a():\n    assert work(1) == 2\n";
    let found = report(&[("test_a.py", test)], &[("test_a.py", skipped)]);
    let id = &found.findings[0].id;
    let moved =
        report(&[("test_a.py", test)], &[("test_a.py", &format!("\n\n# Lines before it.\n{skipped}"))]);
    assert_eq!(moved.findings[0].id, *id, "an id does not depend on lines");
    let allow = format!("[[allow]]\nfinding = \"{id}\"\nreason = \"known\"\n");
    let in_base = [("test_a.py", test), ("piton.allow.toml", allow.as_str())];
    let found = report(&in_base, &[("test_a.py", skipped), ("piton.allow.toml", &allow)]);
    assert!(!found.blocking);
    assert_eq!(found.findings[0].allowed.as_deref(), Some("known"));
    let found = report(&[("test_a.py", test)], &[("test_a.py", skipped), ("piton.allow.toml", &allow)]);
    assert!(found.blocking, "nobody allows a change in the same breath");
    assert!(found.findings.iter().any(|finding| finding.rule == "allowance-changed"));
}
