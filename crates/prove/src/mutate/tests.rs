use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// The mutants of a text as `operator: the line as it is`.
fn lines(path: &str, text: &str) -> Vec<String> {
    let found = mutants(path, text);
    found.iter().map(|mutant| format!("{:?}: {}", mutant.operator, mutant.lines(text).1)).collect()
}

/// What a text becomes, with the rest of the file left out.
#[track_caller]
fn becomes(path: &str, text: &str, wanted: &[&str]) {
    assert_eq!(lines(path, text), wanted, "{path}: {text}");
}

#[test]
fn conditions_are_negated_and_limits_moved() {
    let text = "def f(a, b):\n    if a < b:\n        pass\n";
    becomes("a.py", text, &["NegateCondition: if not (a < b):", "MoveBoundary: if a <= b:"]);
    becomes("a.py", "x = a == b\n", &["NegateCondition: x = a != b"]);
    becomes("a.py", "x = a is not b\n", &["NegateCondition: x = a is b"]);
    becomes("a.py", "x = a not in b\n", &["NegateCondition: x = a in b"]);
    becomes("a.py", "if not a:\n    pass\n", &["NegateCondition: if a:"]);
    becomes(
        "a.py",
        "if a:\n    pass\nelif b:\n    pass\n",
        &["NegateCondition: if not (a):", "NegateCondition: elif not (b):"],
    );
    becomes(
        "a.js",
        "if (a >= b) { c }",
        &["NegateCondition: if (!(a >= b)) { c }", "MoveBoundary: if (a > b) { c }"],
    );
    becomes("a.js", "if (!a) { c }", &["NegateCondition: if (a) { c }"]);
    becomes(
        "a.go",
        "package a\nfunc f() { if a { c = d } }",
        &["NegateCondition: func f() { if !(a) { c = d } }"],
    );
    becomes("a.rs", "fn f() { if a { } }", &["NegateCondition: fn f() { if !(a) { } }"]);
    becomes("a.rs", "fn f() { if let Some(x) = a { } }", &[]);
    becomes("a.rs", "fn f() { for _ in a..b { } }", &["MoveBoundary: fn f() { for _ in a..=b { } }"]);
}

#[test]
fn operators_are_exchanged_where_they_compute() {
    becomes("a.py", "x = a + b\n", &["ExchangeOperator: x = a - b"]);
    becomes("a.py", "x = a and b\n", &["ExchangeOperator: x = a or b"]);
    becomes("a.js", "x -= y;", &["ExchangeOperator: x += y;"]);
    becomes(
        "a.go",
        "package a\nfunc f(a, b int) { c = a % b }",
        &["ExchangeOperator: func f(a, b int) { c = a / b }"],
    );
    becomes("a.rs", "fn f() { let c = a && b; }", &["ExchangeOperator: fn f() { let c = a || b; }"]);
}

#[test]
fn what_go_refuses_before_it_tests_is_left_alone() {
    let and = |text: &str| lines("a.go", text).iter().any(|line| line.contains("&&"));
    assert!(!and("package a\nfunc f() bool { return a == 1 || a == 2 }"));
    assert!(and("package a\nfunc f() bool { return a == 1 || b == 2 }"));
}

#[test]
fn what_joins_text_or_lists_is_left_alone() {
    becomes("a.py", "x = 'a b c' + b\n", &[]);
    becomes("a.py", "def f(name: str):\n    x = name + y\n", &[]);
    becomes("a.py", "x = [a] + b\nx = [a] * b\nx = '-' * n\nx = 'a %s' % n\n", &[]);
    becomes("a.go", "package a\nfunc f(a, b string) { c = a + b }", &[]);
    becomes("a.go", "package a\nfunc f(a []string) { for _, b := range a { c = c + b } }", &[]);
    becomes("a.go", "package a\nfunc f() { c = d + (e + \"00\")[:n] }", &[]);
    becomes("a.rs", "fn f(a: String) { let c = a + &b; }", &[]);
    becomes("a.rs", "fn f(a: String, b: Q) { let c = a + b; }", &[]);
    becomes("a.ts", "function f(a: string) { x = a + b }", &[]);
}

#[test]
fn constants_that_are_values_change() {
    becomes("a.py", "x = 3\n", &["ChangeConstant: x = 4"]);
    becomes("a.py", "x = True\n", &["ChangeConstant: x = False"]);
    becomes("a.py", "x = 'ab'\n", &["ChangeConstant: x = 'abb'"]);
    becomes("a.py", "x = a[1]\n", &["ChangeConstant: x = a[0]"]);
    becomes("a.py", "x = {'a': 'b'}\n", &["ChangeConstant: x = {'a': 'bb'}"]);
    becomes("a.py", "x = text.split(',')\n", &["ChangeConstant: x = text.split(',x')"]);
    becomes(
        "a.js",
        "const x = a === 'ab';",
        &["NegateCondition: const x = a !== 'ab';", "ChangeConstant: const x = a === 'abb';"],
    );
    becomes("a.go", "package a\nvar x = map[int]int{1: 2}", &["ChangeConstant: var x = map[int]int{1: 3}"]);
    becomes("a.rs", "const X: u8 = 255;", &["ChangeConstant: const X: u8 = 254;"]);
    becomes(
        "a.rs",
        "fn f() { g(a.0, 'b', b'c'); }",
        &["RemoveStatement: fn f() { if false { g(a.0, 'b', b'c'); }; }"],
    );
}

#[test]
fn keys_messages_names_and_structure_stay() {
    for (path, text) in [
        ("a.py", "\"\"\"A module.\"\"\"\n"),
        ("a.py", "def f():\n    '''Says.'''\n"),
        ("a.py", "__version__ = '1.0'\n"),
        ("a.py", "import a3\nfrom b import c\n"),
        ("a.py", "message = 'ab'\n"),
        ("a.py", "# if a < b: return 3\n"),
        ("a.py", "x: Literal['a', 3] = y\n"),
        ("a.py", "@retry(3)\ndef f():\n    g = h\n"),
        ("a.py", "if __name__ == '__main__':\n    pass\n"),
        ("a.py", "logging.info('%d', a + 3)\nprint(a + 1)\n"),
        ("a.js", "const x = require('y');"),
        ("a.js", "console.log(a + 3);"),
        ("a.js", "'use strict';"),
        ("a.ts", "type X = Array<3 | 'a'>; interface Y { a: 3 }"),
        ("a.ts", "let x: Map<string, A<B>>;"),
        ("a.go", "package a\nimport \"b\"\n"),
        ("a.go", "package a\ntype A struct { B [3]int `json:\"b\"` }"),
        ("a.go", "package a\nfunc f() { switch a { case 1, 2: case \"x\": } }"),
        ("a.rs", "use a::b3;"),
        ("a.rs", "fn f(a: Vec<T>, b: [u8; 3 + 1]) -> Q<A, Vec<B>> { a.0 }"),
        ("a.rs", "#[derive(Debug)] #[repr(u8)] enum A { B = 3 }"),
        ("a.rs", "fn f() { println!(\"{}\", a + 3); assert!(a < b); }"),
        ("a.rs", "impl<T: A + B> C<T> for D where T: E<3> {}"),
        ("a.rs", "fn f() -> [u8; 3] { [0; 3].map(g::<4>) }"),
    ] {
        let found: Vec<_> = lines(path, text).into_iter().filter(|line| !line.contains("[1; 3]")).collect();
        assert!(found.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn tests_and_generated_code_have_none() {
    let text = "def f(a):\n    return a + 3\n";
    assert!(!mutants("src/a.py", text).is_empty());
    for path in [
        "tests/a.py",
        "test_a.py",
        "a_test.py",
        "src/generated/a.py",
        "vendor/a.py",
        "a_pb2.py",
        "a.txt",
        "a",
    ] {
        assert_eq!(mutants(path, text), [], "{path}");
    }
    assert_eq!(mutants("a.go", "// Code generated by x. DO NOT EDIT.\npackage a\nvar x = 3\n"), []);
    let rust = "const A: u8 = 1;\n#[cfg(test)]\nmod checks { const B: u8 = 2; fn f() -> u8 { 3 + 4 } }\n\
        #[cfg(test)]\n#[derive(Debug)]\nstruct S;\nmod tests { const C: u8 = 2; }\n#[test]\nfn t() { let a = 3; }\n";
    becomes("src/a.rs", rust, &["ChangeConstant: const A: u8 = 2;"]);
    becomes(
        "a.go",
        "package a\nfunc TestX(t *testing.T) { x = 3 }\nfunc help(t *testing.T) { x = 3 }\n",
        &[],
    );
    becomes("a.js", "describe('x', () => { it('y', () => { z = 3; }); });", &[]);
}

#[test]
fn returns_are_emptied_to_the_sort_that_is_declared() {
    becomes("a.py", "def f() -> int:\n    return g(a)\n", &["EmptyReturn: return 0"]);
    becomes("a.py", "def f() -> list[int]:\n    return g(a)\n", &["EmptyReturn: return []"]);
    becomes("a.py", "def f():\n    return [a]\n", &["EmptyReturn: return []"]);
    becomes("a.py", "def f():\n    return g(a)\n", &["EmptyReturn: return None"]);
    becomes("a.py", "def f():\n    return None\n", &[]);
    becomes(
        "a.ts",
        "function f(): string[] { return g(a); }",
        &["EmptyReturn: function f(): string[] { return []; }"],
    );
    becomes("a.js", "const f = () => { return { a }; };", &["EmptyReturn: const f = () => { return {}; };"]);
    becomes(
        "a.go",
        "package a\nfunc f() string {\nreturn g(a)\n}",
        &["EmptyReturn: if true { return \"\" }; return g(a)"],
    );
    becomes(
        "a.go",
        "package a\nfunc (x T) f() ([]T, error) {\nreturn a, nil\n}",
        &["EmptyReturn: if true { return nil, nil }; return a, nil"],
    );
    becomes("a.go", "package a\nfunc f() T {\nreturn g(a)\n}", &[]);
    becomes(
        "a.rs",
        "fn f(a: A) -> Vec<u8> {\n    g(a)\n}",
        &["EmptyReturn: fn f(a: A) -> Vec<u8> { if true { return Vec::new(); }"],
    );
    becomes(
        "a.rs",
        "fn f() -> Result<Vec<(A, B)>, E> {\n    g()\n}",
        &["EmptyReturn: fn f() -> Result<Vec<(A, B)>, E> { if true { return Ok(Vec::new()); }"],
    );
    becomes("a.rs", "fn f() -> T {\n    g()\n}", &[]);
    becomes("a.rs", "fn f() -> Option<u8> { None }", &[]);
}

#[test]
fn statements_go_and_errors_are_swallowed() {
    becomes("a.py", "def f(a):\n    a.append(b)\n", &["RemoveStatement: pass"]);
    becomes("a.js", "a.push(b);", &["RemoveStatement: void 0;"]);
    becomes("a.go", "package a\nfunc f() {\ng(b)\n}", &["RemoveStatement: if false { g(b) }"]);
    becomes("a.rs", "fn f() { g(b); }", &["RemoveStatement: fn f() { if false { g(b); }; }"]);
    becomes("a.py", "def f():\n    raise ValueError('no')\n", &["SwallowError: pass"]);
    becomes(
        "a.js",
        "function f() { throw new Error('no ' + a); }",
        &["SwallowError: function f() { void 0; }"],
    );
    becomes("a.rs", "fn f() -> T { g(b)?; h() }", &["SwallowError: fn f() -> T { let _ = g(b); h() }"]);
    let go = "package a\nfunc f() (int, error) {\nif err != nil {\nreturn 0, err\n}\nreturn g()\n}";
    becomes(
        "a.go",
        go,
        &[
            "SwallowError: if err != nil && false {",
            "NegateCondition: if err == nil {",
            "SwallowError: if true { return 0, nil }; return 0, err",
        ],
    );
}

#[test]
fn what_would_hang_is_left_alone() {
    for (path, text) in [
        ("a.py", "while i < n:\n    i += 1\n"),
        ("a.py", "while True:\n    x = y\n"),
        ("a.js", "while (a[0] !== b) a.pop();"),
        ("a.js", "while (queue.size > 0) { queue.take(); }"),
        ("a.go", "package a\nfunc f() {\nmu.Lock()\nwg.Done()\n}"),
        ("a.rs", "fn f() { std::process::exit(a); }"),
    ] {
        let found: Vec<_> = lines(path, text).into_iter().filter(|line| !line.contains("i <= n")).collect();
        assert!(found.iter().all(|line| line.contains("size > 1")), "{text}: {found:?}");
    }
}

#[test]
fn a_mutant_knows_its_function_and_line() {
    let text = "class A:\n    def __init__(self):\n        self.x = 1\n\n    def f(self):\n        return self.x + 2\n";
    let found = mutants("a.py", text);
    let places: Vec<_> = found.iter().map(|mutant| (mutant.line, mutant.function.as_deref())).collect();
    assert_eq!(
        places,
        [(3, Some("A")), (6, Some("f")), (6, Some("f")), (6, Some("f")), (6, Some("f"))],
        "what is added is missed, too"
    );
    assert_eq!(found[0].lines(text), ("self.x = 1".to_owned(), "self.x = 2".to_owned()));
    let values: Vec<_> = found.iter().map(|mutant| (mutant.operator, mutant.changes_a_value())).collect();
    assert_eq!(
        values,
        [
            (Operator::ChangeConstant, true),
            (Operator::EmptyReturn, false),
            (Operator::ExchangeOperator, true),
            (Operator::ChangeConstant, true),
            (Operator::ChangeConstant, true)
        ]
    );
}

fn mutant(line: u32, operator: Operator, function: &str) -> Mutant {
    Mutant {
        path: "a.py".to_owned(),
        line,
        operator,
        range: 0..0,
        replacement: String::new(),
        function: Some(function.to_owned()),
    }
}

#[test]
fn near_lines_come_first_and_no_function_takes_all() {
    use Operator::{ChangeConstant, NegateCondition};
    let all = vec![
        mutant(1, NegateCondition, "long"),
        mutant(1, ChangeConstant, "long"),
        mutant(2, ChangeConstant, "long"),
        mutant(3, ChangeConstant, "long"),
        mutant(9, ChangeConstant, "short"),
        mutant(20, ChangeConstant, "near"),
        mutant(30, ChangeConstant, "unreached"),
    ];
    let reached = ["long", "short"].map(str::to_owned).into_iter().collect();
    let near = 20..21;
    let chosen = choose(all.clone(), std::slice::from_ref(&near), &reached, 4);
    let lines: Vec<_> = chosen.iter().map(|mutant| mutant.line).collect();
    assert_eq!(lines, [20, 1, 9, 2]);
    assert_eq!(chosen[1].operator, ChangeConstant, "the better operator of a line");
    let all_lines = choose(all.clone(), &[], &BTreeSet::new(), 99);
    let lines: Vec<_> = all_lines.iter().map(|mutant| mutant.line).collect();
    assert_eq!(
        lines,
        [1, 9, 20, 30, 2, 3, 1],
        "all lines count where nothing is known, the rest of a line last"
    );
    assert_eq!(choose(all, &[], &reached, 99).len(), 5);
}

#[test]
fn an_operator_is_written_in_snake_case() {
    let written = serde_json::to_string(&Operator::SwallowError).expect("a word");
    assert_eq!(written, "\"swallow_error\"");
}

/// Pieces of code and of nonsense, in any order.
fn soup() -> impl Strategy<Value = String> {
    let words = vec![
        "if ",
        "else ",
        "a",
        "b ",
        "<",
        "<=",
        " + ",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "3",
        "\"x\"",
        "'y'",
        "\n",
        "    ",
        ":",
        ";",
        "return ",
        "fn f() -> u8 ",
        "def f(a):\n",
        "func f() (int, error) ",
        "raise ",
        "throw ",
        "while ",
        "for ",
        "// c\n",
        "# c\n",
        ",",
        "==",
        "!",
        "?",
        "..",
        "=>",
        "match ",
        "case ",
        "é",
        "\u{1F600}",
        "`${",
        "true",
        "#[cfg(test)]",
        "mod tests ",
        "&&",
        "not ",
    ];
    prop::collection::vec(prop::sample::select(words), 0..60).prop_map(|words| words.concat())
}

fn paths() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a.rs", "a.py", "a.js", "a.ts", "a.tsx", "a.go", "a.java"])
}

fn holds(path: &str, text: &str) {
    let found = mutants(path, text);
    assert!(found.is_sorted_by_key(|mutant| mutant.range.start), "in the order of the file");
    for mutant in found {
        let after = mutant.apply(text);
        assert_ne!(after, text, "{mutant:?}");
        assert_eq!(&after[..mutant.range.start], &text[..mutant.range.start]);
        assert!(after[mutant.range.start..].starts_with(&mutant.replacement));
        assert_eq!(&after[mutant.range.start + mutant.replacement.len()..], &text[mutant.range.end..]);
        let (was, is) = mutant.lines(text);
        assert_ne!(was, is, "a person sees what changed: {mutant:?}");
        let outline = piton_guard::Outline::of(path, text).expect("it has mutants");
        let touches = |bytes: &Range<usize>| bytes.start < mutant.range.end && mutant.range.start < bytes.end;
        let holds = |bytes: &Range<usize>| mutant.range.start <= bytes.start && bytes.end <= mutant.range.end;
        for comment in outline.comments.iter().filter(|comment| touches(comment)) {
            // What is kept behind `if false` keeps its comments.
            assert!(
                mutant.replacement.contains(&text[comment.clone()]) || holds(comment),
                "{mutant:?} cuts a comment"
            );
        }
        for token in outline.tokens.iter().filter(|token| touches(&token.bytes)) {
            assert!(holds(&token.bytes), "{mutant:?} cuts a token");
        }
    }
}

proptest! {
    #[test]
    fn a_mutant_changes_its_range_and_nothing_else(path in paths(), text in soup()) {
        holds(path, &text);
    }

    #[test]
    fn any_text_is_survived(path in paths(), bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        holds(path, &String::from_utf8_lossy(&bytes));
    }
}
