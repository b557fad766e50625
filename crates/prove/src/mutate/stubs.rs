//! Functions that give something else, whatever they are asked.
//!
//! Who compares with what a function gives has to notice. In Python and JavaScript it is a number that nobody expects; where types
//! are declared, it is the empty value of the type.

use piton_guard::{Class, Function, Piece};

use super::returns::{at_the_start, results_of_go};
use super::site::{self, Sites};
use super::{Change, Mutant, Operator};
use crate::code::{Code, Language};

/// What no test expects.
const UNHEARD_OF: &str = "7919";

/// One mutant for each function of a file that gives something.
pub fn stubs(path: &str, text: &str) -> Vec<Mutant> {
    if piton_guard::is_of_tests(path) || site::is_generated(path, text) {
        return Vec::new();
    }
    let Some(code) = Code::of(path, text) else { return Vec::new() };
    let sites = Sites::of(&code);
    let pieces = || code.pieces_of(Class::Function).filter(|piece| sites.may_touch(piece.span.start));
    let changes: Vec<Change> = match code.language {
        Language::Rust => pieces().filter_map(|function| at_the_start(&code, function)).collect(),
        Language::Go => pieces().filter_map(|function| of_go(&code, function)).collect(),
        Language::Python | Language::Script => {
            let functions = code.outline.functions.iter();
            let functions = functions.filter(|function| sites.may_touch(function.span.start));
            functions.filter_map(|function| of_script(&code, function)).collect()
        }
    };
    let stub = |change: Change| Mutant {
        path: path.to_owned(),
        line: code.line(change.at),
        function: code.function(change.at),
        operator: Operator::GiveOther,
        range: change.range,
        replacement: change.replacement,
    };
    changes.into_iter().map(stub).collect()
}

fn of_go(code: &Code<'_>, function: &Piece) -> Option<Change> {
    let open = function.body.start;
    let types = results_of_go(code, function);
    let empties: Option<Vec<_>> =
        types.iter().map(|declared| super::returns::nothing_of_go_type(code, declared)).collect();
    let empties = empties.filter(|empties| !empties.is_empty() && code.word(open) == "{")?;
    let at = code.bytes(&(open..open + 1)).end;
    Some(inserted(open, at, format!(" if true {{ return {} }};", empties.join(", "))))
}

fn of_script(code: &Code<'_>, function: &Function) -> Option<Change> {
    let name = function.name.rsplit(" > ").next().unwrap_or(&function.name);
    let gives = |leaving: &Piece| {
        let is_inside = function.body.start <= leaving.span.start && leaving.span.end <= function.body.end;
        is_inside && super::returns::value_of(code, leaving).is_some()
    };
    let is_made = name == "constructor" || (name.starts_with("__") && name.ends_with("__"));
    if is_made || !code.pieces_of(Class::Return).any(gives) {
        return None;
    }
    let open = function.body.start;
    if code.language == Language::Script {
        // What stands before the bracket is of an arrow.
        let mut body = function.body.clone();
        let open = body.find(|index| {
            code.word(*index) == "{" && code.partner(*index).is_some_and(|end| end + 2 >= function.body.end)
        })?;
        let at = code.bytes(&(open..open + 1)).end;
        return Some(inserted(open, at, format!(" return {UNHEARD_OF};")));
    }
    let first = open + usize::from(code.word(open) == ":");
    let at = code.bytes(&(first..first + 1)).start;
    let line = code.text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    let before = &code.text[line..at];
    let replacement = match before.trim().is_empty() {
        true => format!("return {UNHEARD_OF}\n{before}"),
        false => format!("return {UNHEARD_OF}; "),
    };
    Some(inserted(first, at, replacement))
}

fn inserted(token: usize, at: usize, replacement: String) -> Change {
    Change { operator: Operator::GiveOther, at: token, range: at..at, replacement }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_gives_something_else_at_once() {
        for (path, text, wanted) in [
            (
                "a.py",
                "def f(a):\n    \"\"\"Why.\"\"\"\n    return a\n",
                "def f(a):\n    return 7919\n    \"\"\"Why.\"\"\"\n    return a\n",
            ),
            ("a.py", "def f(a): return a\n", "def f(a): return 7919; return a\n"),
            ("a.js", "function f(a) { return a; }\n", "function f(a) { return 7919; return a; }\n"),
            (
                "a.js",
                "const f = (a) => {\n  return a;\n};\n",
                "const f = (a) => { return 7919;\n  return a;\n};\n",
            ),
            (
                "a.go",
                "package a\n\nfunc F(a int) (int, error) {\n\treturn a, nil\n}\n",
                "package a\n\nfunc F(a int) (int, error) { if true { return 0, nil };\n\treturn a, nil\n}\n",
            ),
            (
                "src/a.rs",
                "fn f(a: u32) -> u32 {\n    a + 1\n}\n",
                "fn f(a: u32) -> u32 { if true { return 0; }\n    a + 1\n}\n",
            ),
        ] {
            let found = stubs(path, text);
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(found[0].apply(text), wanted);
            assert_eq!(found[0].function.as_deref().map(str::to_lowercase).as_deref(), Some("f"), "{text}");
        }
    }

    #[test]
    fn what_gives_nothing_is_left_alone() {
        for (path, text) in [
            (
                "a.py",
                "class A:\n    def __init__(self):\n        self.a = 1\n\n    def g(self):\n        self.a = 2\n",
            ),
            ("a.js", "class A { constructor() { this.a = 1; } m() { this.a = 2; } }\n"),
            ("a.go", "package a\n\nfunc f(a int) {\n\tprintln(a)\n}\n"),
            ("test_a.py", "def f():\n    return 1\n"),
        ] {
            assert_eq!(stubs(path, text), Vec::new(), "{text}");
        }
    }
}
