//! Tests that are switched off.

use super::{Twin, hold};

const PYTHON: &str = "
import sys
import pytest

class TestCalc:
    def test_add(self):
        assert add(1, 2) == 3

    def test_sub(self):
        assert sub(5, 2) == 3
";
const JAVASCRIPT: &str = "
describe('calc', () => {
  it('adds', () => {
    expect(add(1, 2)).toBe(3);
  });
  it('subtracts', () => {
    expect(sub(5, 2)).toBe(3);
  });
});
";
const RUST: &str = "
#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }
}
";
const GO: &str = "
package calc

func TestAdd(t *testing.T) {
	assert.Equal(t, 3, Add(1, 2))
}
";

#[test]
fn a_test_that_no_longer_runs_is_found() {
    hold(&[
        Twin {
            rule: "test-skipped",
            path: "tests/test_calc.py",
            before: PYTHON,
            cheat: "
import sys
import pytest

class TestCalc:
    @pytest.mark.skip(reason=\"flaky\")
    def test_add(self):
        assert add(1, 2) == 3

    def test_sub(self):
        assert sub(5, 2) == 3
",
            honest: "
import sys
import pytest

class TestCalc:
    @pytest.mark.skipif(sys.platform == \"win32\", reason=\"no fork\")
    def test_add(self):
        assert add(1, 2) == 3

    @pytest.mark.slow
    def test_sub(self):
        assert sub(5, 2) == 3
",
        },
        Twin {
            rule: "test-skipped",
            path: "tests/test_calc.py",
            before: PYTHON,
            cheat: "
import sys
import pytest

class TestCalc:
    @pytest.mark.skipif(True, reason=\"later\")
    def test_add(self):
        assert add(1, 2) == 3

    def test_sub(self):
        assert sub(5, 2) == 3
",
            honest: PYTHON,
        },
        Twin {
            rule: "test-suite-skipped",
            path: "tests/test_calc.py",
            before: PYTHON,
            cheat: "
import sys
import pytest

pytestmark = pytest.mark.skip

class TestCalc:
    def test_add(self):
        assert add(1, 2) == 3

    def test_sub(self):
        assert sub(5, 2) == 3
",
            honest: "
import sys
import pytest

pytestmark = pytest.mark.usefixtures(\"database\")

class TestCalc:
    def test_add(self):
        assert add(1, 2) == 3

    def test_sub(self):
        assert sub(5, 2) == 3
",
        },
        Twin {
            rule: "test-expected-failure",
            path: "tests/test_calc.py",
            before: PYTHON,
            cheat: "
import sys
import pytest

class TestCalc:
    @pytest.mark.xfail
    def test_add(self):
        assert add(1, 2) == 3

    def test_sub(self):
        assert sub(5, 2) == 3
",
            honest: PYTHON,
        },
        Twin {
            rule: "test-skipped",
            path: "calc.test.js",
            before: JAVASCRIPT,
            cheat: "
describe('calc', () => {
  it.skip('adds', () => {
    expect(add(1, 2)).toBe(3);
  });
  it('subtracts', () => {
    expect(sub(5, 2)).toBe(3);
  });
});
",
            honest: "
describe('calc', () => {
  it.concurrent('adds', () => {
    expect(add(1, 2)).toBe(3);
  });
  it('subtracts', () => {
    expect(sub(5, 2)).toBe(3);
  });
});
",
        },
        Twin {
            rule: "test-suite-skipped",
            path: "calc.test.ts",
            before: JAVASCRIPT,
            cheat: "
xdescribe('calc', () => {
  it('adds', () => {
    expect(add(1, 2)).toBe(3);
  });
  it('subtracts', () => {
    expect(sub(5, 2)).toBe(3);
  });
});
",
            honest: JAVASCRIPT,
        },
        Twin {
            rule: "test-focused",
            path: "calc.test.ts",
            before: JAVASCRIPT,
            cheat: "
describe('calc', () => {
  it.only('adds', () => {
    expect(add(1, 2)).toBe(3);
  });
  it('subtracts', () => {
    expect(sub(5, 2)).toBe(3);
  });
});
",
            honest: JAVASCRIPT,
        },
        Twin {
            rule: "test-skipped",
            path: "test/calc.mjs",
            before: "import test from 'node:test';\ntest('adds', () => { assert.strictEqual(add(1, 2), 3); });\n",
            cheat: "import test from 'node:test';\ntest('adds', { skip: true }, () => { assert.strictEqual(add(1, 2), 3); });\n",
            honest: "import test from 'node:test';\ntest('adds', { timeout: 5000 }, () => { assert.strictEqual(add(1, 2), 3); });\n",
        },
        Twin {
            rule: "test-skipped",
            path: "src/calc.rs",
            before: RUST,
            cheat: "
#[cfg(test)]
mod tests {
    #[test]
    #[ignore = \"slow\"]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }
}
",
            honest: "
#[cfg(test)]
mod tests {
    /// Adds.
    #[test]
    #[cfg(target_os = \"linux\")]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }
}
",
        },
        Twin {
            rule: "test-skipped",
            path: "calc_test.go",
            before: GO,
            cheat: "
package calc

func TestAdd(t *testing.T) {
	t.Skip(\"flaky\")
	assert.Equal(t, 3, Add(1, 2))
}
",
            honest: "
package calc

func TestAdd(t *testing.T) {
	if testing.Short() {
		t.Skip(\"slow\")
	}
	assert.Equal(t, 3, Add(1, 2))
}
",
        },
    ]);
}
