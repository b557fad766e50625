use proptest::prelude::*;

use super::*;

fn calls_of(path: &str, text: &str) -> Vec<String> {
    let found = tests(path, text);
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found[0].calls.iter().cloned().collect()
}

#[test]
fn a_test_knows_what_it_calls() {
    for (path, text, wanted) in [
        ("test_a.py", "def test_x():\n    assert f(3) == a.g(4)\n", &["f", "g"] as &[&str]),
        ("test_a.py", "def test_x(cart):\n    assert cart.total == 4\n", &["cart", "total"]),
        (
            "test_a.py",
            "class T(unittest.TestCase):\n    def setUp(self):\n        self.a = Make()\n    def test_x(self):\n        self.assertEqual(self.a.f(), 3)\n",
            &["Make", "a", "f"],
        ),
        ("a.test.js", "it('f(x)', () => { expect(f(3)).toBe(4); });", &["f"]),
        ("a.test.ts", "it('x', () => { assert.equal(f<number>(new G(3)), 4); });", &["G", "equal", "f"]),
        ("a_test.go", "package a\nfunc TestX(t *testing.T) { if F(3) != 4 { t.Errorf(\"no\") } }", &["F"]),
        ("src/a.rs", "#[test]\nfn x() { assert_eq!(f(3), A::g::<u8>(4)); }", &["f", "g"]),
        ("src/a.rs", "#[test]\nfn x() { let y = a.map(parse); }", &["map", "parse"]),
    ] {
        assert_eq!(calls_of(path, text), wanted, "{text}");
    }
}

#[test]
fn a_test_has_its_place_and_a_digest_that_ignores_layout() {
    let text = "def test_x():\n    # why\n    assert f(3) == 4\n\ndef test_y():\n    assert f( 3 ) == 4\n";
    let found = tests("test_a.py", text);
    assert_eq!(found.iter().map(|test| test.lines.clone()).collect::<Vec<_>>(), [1..4, 5..7]);
    let again = tests("test_a.py", "def test_x():\n    assert f(3)   ==  4\n");
    assert_eq!(found[0].text_digest, again[0].text_digest);
    let other = tests("test_a.py", "def test_x():\n    assert f(3) == 5\n");
    assert_ne!(found[0].text_digest, other[0].text_digest);
    // It is kept in journals: a digest must never mean something else.
    assert_eq!(again[0].text_digest, 0x2814_c641_c40e_3cd6);
}

#[test]
fn functions_have_names_lines_and_calls_and_tests_are_none() {
    let text = "class A:\n    def __init__(self):\n        self.x = f()\n\n    def g(self):\n        return h(self.x)\n";
    let found = functions("a.py", text);
    let names: Vec<_> =
        found.iter().map(|function| (function.name.as_str(), function.lines.clone())).collect();
    assert_eq!(names, [("A", 2..4), ("g", 5..7)]);
    assert_eq!(found[1].calls.iter().collect::<Vec<_>>(), ["h", "x"]);
    let rust = "fn f() { g() }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() { f() }\n}\n";
    assert_eq!(functions("src/a.rs", rust).len(), 1);
    let script =
        functions("a.js", "const f = (a) => g(a);\nclass B { constructor() {} m() { return f(1); } }");
    let names: Vec<_> = script.iter().map(|function| function.name.as_str()).collect();
    assert_eq!(names, ["f", "B", "m"]);
}

#[test]
fn what_is_called_through_others_is_reached_as_far_as_asked() {
    let text = "def a():\n    b()\ndef b():\n    c()\ndef c():\n    a()\ndef d():\n    pass\n";
    let functions = functions("a.py", text);
    let start = ["a".to_owned(), "unknown".to_owned()].into();
    let names = |depth| reached(&start, &functions, depth).into_iter().collect::<Vec<_>>();
    assert_eq!(names(0), Vec::<String>::new());
    assert_eq!(names(1), ["a"]);
    assert_eq!(names(2), ["a", "b"]);
    assert_eq!(names(9), ["a", "b", "c"]);
}

#[test]
fn lines_that_changed_are_found() {
    for (before, after, wanted) in [
        ("", "", &[] as &[(u32, u32)]),
        ("a\nb\nc\n", "a\nb\nc\n", &[]),
        ("a\nb\nc\n", "a\nx\nc\n", &[(2, 3)]),
        ("a\nc\n", "a\nb\nb\nc\n", &[(2, 4)]),
        ("a\nb\nc\n", "a\nc\n", &[]),
        ("", "a\nb\n", &[(1, 3)]),
        ("a\nb\nc\nd\ne\n", "x\na\nb\nc\ny\ne\n", &[(1, 2), (5, 6)]),
        ("a\nb\n", "b\na\n", &[(2, 3)]),
    ] {
        let found: Vec<_> =
            changed_lines(before, after).iter().map(|lines| (lines.start, lines.end)).collect();
        assert_eq!(found, wanted, "{before:?} {after:?}");
    }
}

proptest! {
    /// What is not reported is there before, in the same order; and no smaller report could be right, which the longest
    /// common part says.
    #[test]
    fn lines_that_did_not_change_are_of_before(
        before in prop::collection::vec(0..6_u8, 0..40),
        after in prop::collection::vec(0..6_u8, 0..40),
    ) {
        let text = |lines: &[u8]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let changed = changed_lines(&text(&before), &text(&after));
        let is_changed = |line: usize| changed.iter().any(|range| range.contains(&(line as u32 + 1)));
        let kept: Vec<u8> = (0..after.len()).filter(|line| !is_changed(*line)).map(|line| after[line]).collect();
        let mut rest = before.iter();
        prop_assert!(kept.iter().all(|line| rest.any(|other| other == line)), "{kept:?} is not in {before:?}");
        prop_assert_eq!(kept.len(), longest_common(&before, &after));
    }

    #[test]
    fn any_text_is_survived(bytes in prop::collection::vec(any::<u8>(), 0..300), path in prop::sample::select(vec!["test_a.py", "a.test.js", "a_test.go", "src/a.rs"])) {
        let text = String::from_utf8_lossy(&bytes);
        tests(path, &text);
        functions(path, &text);
    }
}

fn longest_common(one: &[u8], other: &[u8]) -> usize {
    let mut row = vec![0; other.len() + 1];
    for a in one {
        let mut diagonal = 0;
        for (at, b) in other.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if a == b { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    row[other.len()]
}

#[test]
fn two_large_texts_that_share_nothing_are_compared_at_once() {
    let lines = |start: &str| (0..60_000).map(|line| format!("{start}{line}\n")).collect::<String>();
    let changed = changed_lines(&lines("a"), &lines("b"));
    assert_eq!((changed.len(), changed[0].clone()), (1, 1..60_001));
}
