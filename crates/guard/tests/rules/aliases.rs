//! Words of test frameworks under other names: what is done to tests is seen all the same.

use super::{blocking, report};

/// A file, what is done to its test, the rule that sees that, and the same test by another name, which is no finding.
struct Alias {
    path: &'static str,
    before: &'static str,
    cheat: &'static str,
    rule: &'static str,
    renamed: &'static str,
}

const OTHER: &str = "export const other = 1;\n";

#[track_caller]
fn hold(aliases: &[Alias]) {
    let mut wrong = Vec::new();
    for Alias { path, before, cheat, rule, renamed } in aliases {
        let found = report(&[(path, before)], &[(path, cheat)]);
        if found.tests.before == 0 || !found.findings.iter().any(|finding| finding.rule == *rule) {
            wrong.push(format!("{rule} does not see\n{cheat}\nin\n{before}\nbut {found:?}\n"));
        }
        let found = report(&[(path, before)], &[(path, renamed)]);
        if !found.findings.is_empty() || found.tests.after != found.tests.before {
            wrong.push(format!("{:?} on\n{renamed}\nin\n{before}\n", found));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_test_under_another_name_is_a_test() {
    hold(&[
        Alias {
            path: "test/add.test.js",
            before: "const t = require(\"node:test\");\nconst assert = require(\"node:assert\");\nt(\"one\", () => {\n  assert.equal(add(1, 2), 3);\n});\n",
            cheat: "const t = require(\"node:test\");\nconst assert = require(\"node:assert\");\n",
            rule: "test-deleted",
            renamed: "const test = require(\"node:test\");\nconst assert = require(\"node:assert\");\ntest(\"one\", () => {\n  assert.equal(add(1, 2), 3);\n});\n",
        },
        Alias {
            path: "test/add.test.mjs",
            before: "import { test as t, describe as d } from 'node:test';\nimport assert from 'node:assert';\nd('sums', () => {\n  t('one', () => {\n    assert.equal(add(1, 2), 3);\n  });\n});\n",
            cheat: "import { test as t, describe as d } from 'node:test';\nimport assert from 'node:assert';\nd('sums', () => {\n});\n",
            rule: "test-deleted",
            renamed: "import { test as one, describe } from 'node:test';\nimport assert from 'node:assert';\ndescribe('sums', () => {\n  one('one', () => {\n    assert.equal(add(1, 2), 3);\n  });\n});\n",
        },
        Alias {
            path: "test/add.test.ts",
            before: "import { test as t, expect as e } from 'vitest';\nt('one', () => {\n  e(add(1, 2)).toBe(3);\n});\n",
            cheat: "import { test as t, expect as e } from 'vitest';\nt.skip('one', () => {\n  e(add(1, 2)).toBe(3);\n});\n",
            rule: "test-skipped",
            renamed: "import * as v from 'vitest';\nv.test('one', () => {\n  v.expect(add(1, 2)).toBe(3);\n});\n",
        },
        Alias {
            path: "test/add.test.js",
            before: "const { it: check } = require('mocha');\nconst { equal: same } = require('assert');\ncheck('one', () => {\n  same(add(1, 2), 3);\n});\n",
            cheat: "const { it: check } = require('mocha');\nconst { equal: same } = require('assert');\ncheck('one', () => {\n  add(1, 2);\n});\n",
            rule: "assertion-removed",
            renamed: "const { it } = require('mocha');\nconst assert = require('assert');\nit('one', () => {\n  assert.equal(add(1, 2), 3);\n});\n",
        },
        Alias {
            path: "test/add.test.js",
            before: "const nt = require('node:test');\nconst check = require('node:assert');\nnt.describe('sums', () => {\n  nt.it('one', (t) => {\n    check.strictEqual(add(1, 2), 3);\n    t.diagnostic('done');\n  });\n});\n",
            cheat: "const nt = require('node:test');\nconst check = require('node:assert');\nnt.describe('sums', () => {\n  nt.it('one', (t) => {\n    check.ok(add(1, 2));\n    t.diagnostic('done');\n  });\n});\n",
            rule: "assertion-weakened",
            renamed: "const { describe, it } = require('node:test');\nconst assert = require('node:assert');\ndescribe('sums', () => {\n  it('one', (t) => {\n    assert.strictEqual(add(1, 2), 3);\n    t.diagnostic('done');\n  });\n});\n",
        },
        Alias {
            path: "test/add.test.js",
            before: "import { it } from '@jest/globals';\nconst sums = it;\nsums('one', () => {\n  expect(add(1, 2)).toBe(3);\n});\n",
            cheat: "import { it } from '@jest/globals';\nconst sums = it;\n",
            rule: "test-deleted",
            renamed: "import { it } from '@jest/globals';\nit('one', () => {\n  expect(add(1, 2)).toBe(3);\n});\n",
        },
    ]);
}

#[test]
fn a_framework_under_another_name_is_known_in_python() {
    hold(&[
        Alias {
            path: "tests/test_add.py",
            before: "import unittest as u\n\n\nclass Sums(u.TestCase):\n    def test_one(self):\n        self.assertEqual(add(1, 2), 3)\n",
            cheat: "import unittest as u\n\n\nclass Sums(u.TestCase):\n    pass\n",
            rule: "test-deleted",
            renamed: "from unittest import TestCase as T\n\n\nclass Sums(T):\n    def test_one(self):\n        self.assertEqual(add(1, 2), 3)\n",
        },
        Alias {
            path: "tests/test_add.py",
            before: "import pytest as p\n\n\ndef test_one():\n    with p.raises(ValueError):\n        add(1, None)\n",
            cheat: "import pytest as p\n\n\ndef test_one():\n    p.skip(\"later\")\n    with p.raises(ValueError):\n        add(1, None)\n",
            rule: "test-skipped",
            renamed: "from pytest import raises\n\n\ndef test_one():\n    with raises(ValueError):\n        add(1, None)\n",
        },
        Alias {
            path: "tests/test_add.py",
            before: "from pytest import raises as fails\n\n\ndef test_one():\n    with fails(ValueError):\n        add(1, None)\n",
            cheat: "from pytest import raises as fails\n\n\ndef test_one():\n    try:\n        add(1, None)\n    except ValueError:\n        pass\n",
            rule: "assertion-removed",
            renamed: "import pytest\n\n\ndef test_one():\n    with pytest.raises(ValueError):\n        add(1, None)\n",
        },
        Alias {
            path: "tests/test_add.py",
            before: "import pytest\n\nlater = pytest.mark.skip(reason=\"slow\")\n\n\ndef test_one():\n    assert add(1, 2) == 3\n",
            cheat: "import pytest\n\nlater = pytest.mark.skip(reason=\"slow\")\n\n\n@later\ndef test_one():\n    assert add(1, 2) == 3\n",
            rule: "test-skipped",
            renamed: "import pytest\n\nlater = pytest.mark.skip(reason=\"slow\")\n\n\ndef test_one():\n    assert add(1, 2) == 3\n\n",
        },
    ]);
}

#[test]
fn what_has_a_name_of_its_own_is_no_word_of_a_framework() {
    // A parameter, a value in a function, a key and a member are not what was imported.
    let before = "import { test as t } from 'node:test';\nt('one', (t) => {\n  const list = { t: 1 };\n  t.skip = 1;\n  expect(add(list.t, 2)).toBe(3);\n});\nfunction helper(t) {\n  t('no test', () => {});\n  return list;\n}\n";
    let after = before.replace("  t('no test', () => {});\n", "");
    let found = report(&[("test/a.test.js", before)], &[("test/a.test.js", &after)]);
    assert_eq!((found.tests.before, found.tests.after), (1, 1), "{found:?}");
    assert!(found.findings.is_empty(), "{found:?}");

    // Another module may have a `test` of its own.
    let before = "const t = require('./tables');\nt('one', () => {\n  expect(add(1, 2)).toBe(3);\n});\n";
    let found = report(&[("test/a.test.js", before)], &[("test/a.test.js", OTHER)]);
    assert_eq!((found.tests.before, blocking(&found).len()), (0, 0), "{found:?}");
}
