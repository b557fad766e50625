//! Tests that are gone.

use super::{Twin, blocking, hold, report};

/// Names and contents.
type Files<'a> = &'a [(&'a str, &'a str)];

const PYTHON: &str = "
def test_add():
    assert add(1, 2) == 3

def test_sub():
    assert sub(5, 2) == 3
    assert sub(5, 5) == 0
";
const RUST: &str = "
#[test]
fn adds() {
    assert_eq!(add(1, 2), 3);
}

#[test]
fn subtracts() {
    let result = sub(5, 2);
    assert_eq!(result, 3);
}
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
const GO: &str = "
package calc

import \"testing\"

func TestAdd(t *testing.T) {
	if got := Add(1, 2); got != 3 {
		t.Errorf(\"got %d\", got)
	}
}

func TestTable(t *testing.T) {
	tests := []struct{ a, b, want int }{
		{1, 2, 3},
		{4, 5, 9},
		{7, 8, 15},
	}
	for _, tt := range tests {
		if got := Add(tt.a, tt.b); got != tt.want {
			t.Errorf(\"got %d\", got)
		}
	}
}
";

#[test]
fn a_test_that_is_gone_is_found_and_one_that_was_renamed_is_not() {
    hold(&[
        Twin {
            rule: "test-deleted",
            path: "tests/test_calc.py",
            before: PYTHON,
            cheat: "\ndef test_add():\n    assert add(1, 2) == 3\n",
            honest: "
def test_add():
    assert add(1, 2) == 3

def test_subtraction_of_numbers():
    assert sub(5, 2) == 3
    assert sub(5, 5) == 0
",
        },
        Twin {
            rule: "test-deleted",
            path: "tests/calc.rs",
            before: RUST,
            cheat: "#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n",
            honest: "
#[test]
fn it_adds() { assert_eq!(add(1, 2), 3) }

#[test]
fn it_subtracts() {
    // Now with a comment.
    let result = sub(5, 2);
    assert_eq!(result, 3);
}
",
        },
        Twin {
            rule: "test-deleted",
            path: "calc.test.js",
            before: JAVASCRIPT,
            cheat: "describe('calc', () => {\n  it('adds', () => {\n    expect(add(1, 2)).toBe(3);\n  });\n});\n",
            honest: "
describe('calculator', () => {
  test('adds', () => {
    expect(add(1, 2)).toBe(3);
  });
  test('subtracts', () => {
    expect(sub(5, 2)).toBe(3);
  });
});
",
        },
        Twin {
            rule: "test-case-deleted",
            path: "calc_test.go",
            before: GO,
            cheat: "
package calc

import \"testing\"

func TestAdd(t *testing.T) {
	if got := Add(1, 2); got != 3 {
		t.Errorf(\"got %d\", got)
	}
}

func TestTable(t *testing.T) {
	tests := []struct{ a, b, want int }{
		{1, 2, 3},
		{7, 8, 15},
	}
	for _, tt := range tests {
		if got := Add(tt.a, tt.b); got != tt.want {
			t.Errorf(\"got %d\", got)
		}
	}
}
",
            honest: "
package calc

import \"testing\"

func TestTable(t *testing.T) {
	tests := []struct{ a, b, want int }{
		{1, 2, 3},
		{4, 5, 9},
		{7, 8, 15},
		{0, 0, 0},
	}
	for _, tt := range tests {
		t.Run(\"case\", func(t *testing.T) {
			if got := Add(tt.a, tt.b); got != tt.want {
				t.Errorf(\"got %d\", got)
			}
		})
	}
}
",
        },
    ]);
}

#[test]
fn a_test_that_checks_nothing_any_more_is_found() {
    hold(&[
        Twin {
            rule: "test-emptied",
            path: "tests/test_calc.py",
            before: PYTHON,
            cheat: "
def test_add():
    pass

def test_sub():
    assert sub(5, 2) == 3
    assert sub(5, 5) == 0
",
            honest: "
def test_add():
    total = add(1, 2)
    assert total == 3

def test_sub():
    assert sub(5, 2) == 3
    assert sub(5, 5) == 0
",
        },
        Twin {
            rule: "test-commented-out",
            path: "tests/test_calc.py",
            before: PYTHON,
            cheat: "
def test_add():
    assert add(1, 2) == 3

# def test_sub():
#     assert sub(5, 2) == 3
#     assert sub(5, 5) == 0
",
            honest: "
# Addition and subtraction.
def test_add():
    assert add(1, 2) == 3

def test_sub():
    assert sub(5, 5) == 0
    assert sub(5, 2) == 3
",
        },
        Twin {
            rule: "test-hidden",
            path: "tests/test_calc.py",
            before: PYTHON,
            cheat: "
def test_add():
    assert add(1, 2) == 3

def _test_sub():
    assert sub(5, 2) == 3
    assert sub(5, 5) == 0
",
            honest: PYTHON,
        },
        Twin {
            rule: "test-hidden",
            path: "tests/calc.rs",
            before: RUST,
            cheat: "
#[cfg(any())]
#[test]
fn adds() {
    assert_eq!(add(1, 2), 3);
}

#[test]
fn subtracts() {
    let result = sub(5, 2);
    assert_eq!(result, 3);
}
",
            honest: RUST,
        },
        Twin {
            rule: "test-hidden",
            path: "calc_test.go",
            before: GO,
            cheat: "//go:build never\n\npackage calc\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif got := Add(1, 2); got != 3 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n",
            honest: GO,
        },
    ]);
}

#[test]
fn a_deleted_file_is_one_finding() {
    let found = report(&[("tests/test_calc.py", PYTHON)], &[]);
    assert_eq!(blocking(&found), ["test-file-deleted"]);
    assert_eq!(found.findings[0].message, "`tests/test_calc.py` is gone, and with it 2 tests");
    assert_eq!((found.tests.before, found.tests.after, found.tests.removed), (2, 0, 2));
}

#[test]
fn a_file_that_moved_is_not_gone() {
    let found = report(&[("tests/test_calc.py", PYTHON)], &[("tests/unit/test_calc.py", PYTHON)]);
    assert_eq!(blocking(&found), [""; 0]);
}

#[test]
fn tests_that_leave_with_their_code_are_no_cheat() {
    let code = "def add(a, b):\n    return a + b\n\ndef sub(a, b):\n    return a - b\n";
    let less = "def add(a, b):\n    return a + b\n";
    let fewer = "\ndef test_add():\n    assert add(1, 2) == 3\n";
    let before = [("calc.py", code), ("tests/test_calc.py", PYTHON)];
    let found = report(&before, &[("calc.py", less), ("tests/test_calc.py", fewer)]);
    assert_eq!(blocking(&found), [""; 0]);
    assert!(found.findings.iter().any(|finding| finding.rule == "feature-removed"));
}

const CALC: &str = "def add(a, b):\n    return a + b\n";
const WRONG: &str = "def add(a, b):\n    return a - b\n";
const ADDS: &str = "from calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n";

#[test]
fn a_twin_that_tests_other_code_makes_up_for_nothing() {
    let rust = |body: &str| {
        format!(
            "fn add(a: i32, b: i32) -> i32 {{ {body} }}\n\n#[cfg(test)]\nmod tests {{\n    use super::*;\n\n    #[test]\n    fn adds() {{\n        assert_eq!(add(1, 2), 3);\n    }}\n}}\n"
        )
    };
    let (right, wrong) = (rust("a + b"), rust("a - b"));
    let without = wrong.split("\n#[cfg(test)]").next().unwrap();
    let cases: [(Files, Files, &str); 4] = [
        (
            &[("a/calc.py", WRONG), ("a/test_calc.py", ADDS), ("b/calc.py", CALC), ("b/test_calc.py", ADDS)],
            &[("a/calc.py", WRONG), ("b/calc.py", CALC), ("b/test_calc.py", ADDS)],
            "test-file-deleted",
        ),
        (
            &[
                ("a/calc.py", WRONG),
                ("b/calc.py", CALC),
                ("tests/test_a.py", "from a.calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n"),
                ("tests/test_b.py", "from b.calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n"),
            ],
            &[
                ("a/calc.py", WRONG),
                ("b/calc.py", CALC),
                ("tests/test_b.py", "from b.calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n"),
            ],
            "test-file-deleted",
        ),
        (
            &[("src/a.rs", &wrong), ("src/b.rs", &right)],
            &[("src/a.rs", without), ("src/b.rs", &right)],
            "test-deleted",
        ),
        (
            &[
                ("test_a.py", "def made():\n    return A()\n\ndef test_it():\n    assert made().size == 3\n"),
                ("test_b.py", "def made():\n    return B()\n\ndef test_it():\n    assert made().size == 3\n"),
            ],
            &[("test_b.py", "def made():\n    return B()\n\ndef test_it():\n    assert made().size == 3\n")],
            "test-file-deleted",
        ),
    ];
    for (before, after, rule) in cases {
        assert_eq!(blocking(&report(before, after)), [rule], "{before:?}");
    }
}

#[test]
fn a_twin_that_tests_the_same_code_makes_up_for_a_test() {
    let relative = "from ..calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n";
    let cases: [(Files, Files); 2] = [
        (
            &[("calc.py", CALC), ("unit/test_calc.py", ADDS), ("other/test_calc.py", ADDS)],
            &[("calc.py", CALC), ("other/test_calc.py", ADDS)],
        ),
        (
            &[
                ("a/calc.py", CALC),
                ("b/calc.py", CALC),
                ("a/test_calc.py", ADDS),
                ("a/tests/test_calc.py", relative),
            ],
            &[("a/calc.py", CALC), ("b/calc.py", CALC), ("a/tests/test_calc.py", relative)],
        ),
    ];
    for (before, after) in cases {
        assert_eq!(blocking(&report(before, after)), [""; 0], "{before:?}");
    }
}
