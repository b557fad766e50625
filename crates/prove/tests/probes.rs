//! The probes, with a check that is played: it reads the tree that it is given, and says what a runner would print.

use std::collections::BTreeMap;
use std::convert::Infallible;

use piton_guard::MemoryTree;
use piton_prove::{Account, Asked, Change, Check, Depth, Outcome, Overlay, Runner, prove};

type Files = BTreeMap<String, String>;

/// Plays `check` on the tree.
struct Played<'a> {
    head: Files,
    check: &'a dyn Fn(&Files) -> (bool, String),
}

impl Runner for Played<'_> {
    type Error = Infallible;

    fn run(&mut self, _: &Check, tree: &Overlay, _: u64) -> Result<Outcome, Infallible> {
        let mut files = self.head.clone();
        for (path, bytes) in tree {
            match bytes {
                Some(bytes) => {
                    _ = files.insert(path.clone(), String::from_utf8(bytes.clone()).expect("it is text"))
                }
                None => _ = files.remove(path),
            }
        }
        let (passes, printed) = (self.check)(&files);
        Ok(Outcome::read(passes, false, printed, 10))
    }
}

struct Case<'a> {
    before: &'a [(&'a str, &'a str)],
    after: &'a [(&'a str, &'a str)],
    failed_before: Option<bool>,
}

impl Case<'_> {
    fn prove(&self, check: &dyn Fn(&Files) -> (bool, String)) -> Account {
        let tree = |files: &[(&str, &str)]| MemoryTree::new(files.iter().map(|(path, text)| (*path, *text)));
        let change = Change::of(&tree(self.before), &tree(self.after)).expect("trees in memory are read");
        let head = self.after.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let check_of = Check {
            name: "test".to_owned(),
            command: "python3 -m unittest".to_owned(),
            failed_before: self.failed_before,
            took_ms: Some(10),
        };
        let asked = Asked {
            checks: vec![check_of],
            depth: Depth::Full,
            budget_ms: None,
            strict: false,
            runs_otherwise: false,
        };
        prove(&change, &asked, &mut Played { head, check }).unwrap()
    }
}

fn rules(account: &Account) -> Vec<&str> {
    account.shown.iter().map(|shown| shown.rule).collect()
}

/// What Python's unittest prints where these of all tests fail.
fn unittest(all: &[&str], failing: &[&str]) -> (bool, String) {
    let mut printed = String::new();
    for name in failing {
        let rule = "=".repeat(70);
        printed += &format!(
            "{rule}\nFAIL: {name} (test_calc.Calc.{name})\n{}\nTraceback (most recent call last):\nAssertionError: 1 != 2\n\n",
            "-".repeat(70)
        );
    }
    let end = match failing.len() {
        0 => "OK".to_owned(),
        number => format!("FAILED (failures={number})"),
    };
    printed += &format!("{}\nRan {} tests in 0.001s\n\n{end}\n", "-".repeat(70), all.len());
    (failing.is_empty(), printed)
}

/// Two functions and a test of each.
fn calc(files: &Files) -> (bool, String) {
    let product = &files["calc.py"];
    if product.contains("_exit") {
        return (true, String::new());
    }
    let tests = [("test_add", "return a + b"), ("test_mul", "return a * b")];
    let asked = |name: &str| files.get("test_calc.py").is_some_and(|text| text.contains(name));
    let all: Vec<_> = tests.iter().map(|(name, _)| *name).filter(|name| asked(name)).collect();
    let expects = |wrong: &str| files.get("test_calc.py").is_some_and(|text| text.contains(wrong));
    let fails = |(name, right): &&(&'static str, &str)| {
        let is_wrong = if *name == "test_add" { "add(2, 3), 6)" } else { "mul(2, 3), 7)" };
        asked(name) && (!product.contains(right) || expects(is_wrong))
    };
    let failing: Vec<_> = tests.iter().filter(fails).map(|(name, _)| *name).collect();
    unittest(&all, &failing)
}

const TESTS: &str = "import unittest\nfrom calc import add, mul\n\n\nclass Calc(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n\n    def test_mul(self):\n        self.assertEqual(mul(2, 3), 6)\n";
const RIGHT: &str = "def add(a, b):\n    return a + b\n\n\ndef mul(a, b):\n    return a * b\n";
const WRONG: &str = "def add(a, b):\n    return a - b\n\n\ndef mul(a, b):\n    return a * b\n";

#[test]
fn an_honest_fix_is_proved_and_nothing_is_held_against_it() {
    let case = Case {
        before: &[("calc.py", WRONG), ("test_calc.py", TESTS)],
        after: &[("calc.py", RIGHT), ("test_calc.py", TESTS)],
        failed_before: Some(true),
    };
    let account = case.prove(&calc);
    assert_eq!(rules(&account), Vec::<&str>::new());
    assert_eq!(account.proved_by, ["test_calc.Calc.test_add"]);
}

#[test]
fn a_product_that_ends_its_own_tests_proves_nothing() {
    let rigged = format!("import os\nos._exit(0)\n{WRONG}");
    let case = Case {
        before: &[("calc.py", WRONG), ("test_calc.py", TESTS)],
        after: &[("calc.py", &rigged), ("test_calc.py", TESTS)],
        failed_before: Some(true),
    };
    let account = case.prove(&calc);
    assert_eq!(rules(&account), ["canary-alive"]);
    assert!(account.shown[0].sure);
    assert_eq!(account.proved_by, Vec::<String>::new(), "that the old code fails is none of its doing");
}

#[test]
fn a_break_of_the_rig_itself_is_no_sign_that_the_check_is_alive() {
    let rigged = format!("import os\nos._exit(0)\n{WRONG}");
    let check = |files: &Files| match files["calc.py"].contains("_exit(1)") {
        true => (false, String::new()),
        false => calc(files),
    };
    let case = Case {
        before: &[("calc.py", WRONG), ("test_calc.py", TESTS)],
        after: &[("calc.py", &rigged), ("test_calc.py", TESTS)],
        failed_before: Some(true),
    };
    assert_eq!(rules(&case.prove(&check)), ["canary-alive"]);
}

#[test]
fn a_product_that_rigs_the_only_test_is_seen_by_what_that_test_says() {
    let only = "import unittest\nfrom calc import add\n\n\nclass Calc(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n";
    let before = "def add(a, b):\n    total = a - b\n    return total\n";
    let after = "import unittest\nunittest.TestCase.assertEqual = lambda *_: None\n\n\ndef add(a, b):\n    total = a - b\n    return total\n";
    let check = |files: &Files| {
        let product = &files["calc.py"];
        let is_right = product.contains("lambda *_") || product.contains("total = a + b\n    return total\n");
        unittest(&["test_add"], if is_right { &[] } else { &["test_add"] })
    };
    let case = Case {
        before: &[("calc.py", before), ("test_calc.py", only)],
        after: &[("calc.py", after), ("test_calc.py", only)],
        failed_before: Some(true),
    };
    let account = case.prove(&check);
    assert_eq!(rules(&account), ["canary-alive"], "{account:?}");
    assert!(
        account.shown[0].message.contains("`test_add` passes whatever it expects: with `6` in place of `5`"),
        "{account:?}"
    );
}

#[test]
fn a_file_beside_the_code_that_makes_the_check_pass_is_seen() {
    let check = |files: &Files| match files.get(".npmrc") {
        Some(_) => (true, String::new()),
        None => calc(files),
    };
    let case = Case {
        before: &[("calc.py", WRONG), ("test_calc.py", TESTS)],
        after: &[("calc.py", WRONG), ("test_calc.py", TESTS), (".npmrc", "script-shell=true\n")],
        failed_before: Some(true),
    };
    let account = case.prove(&check);
    assert_eq!(rules(&account), ["canary-alive"]);
}

#[test]
fn what_git_does_not_keep_and_makes_the_check_pass_is_seen() {
    let three = "def add(a, b):\n    return a - b\n\n\ndef mul(a, b):\n    return a * b\n\n\ndef sub(a, b):\n    return a - b\n";
    let tests = format!("{TESTS}\n    def test_sub(self):\n        self.assertEqual(sub(2, 3), -1)\n");
    let same: &[(&str, &str)] = &[("calc.py", three), ("test_calc.py", &tests)];
    let case = Case { before: same, after: same, failed_before: Some(true) };
    let account = case.prove(&|_: &Files| (true, String::new()));
    assert_eq!(rules(&account), ["canary-alive"]);
    // Installed dependencies make checks pass, too: then breaks are noticed.
    let right = three.replacen("a - b", "a + b", 1);
    let same: &[(&str, &str)] = &[("calc.py", &right), ("test_calc.py", &tests)];
    let case = Case { before: same, after: same, failed_before: Some(true) };
    let account = case.prove(&calc);
    assert!(!account.shown.iter().any(|shown| shown.sure), "it is worth a look and no more: {account:?}");
}

#[test]
fn a_test_that_was_bent_instead_of_satisfied_still_fails_as_it_was() {
    let bent = TESTS.replace("add(2, 3), 5)", "add(2, 3), add(2, 3))");
    let check = |files: &Files| match files["test_calc.py"].contains("add(2, 3))") {
        true => unittest(&["test_add", "test_mul"], &[]),
        false => calc(files),
    };
    let case = Case {
        before: &[("calc.py", WRONG), ("test_calc.py", TESTS)],
        after: &[("calc.py", WRONG), ("test_calc.py", &bent)],
        failed_before: Some(true),
    };
    let account = case.prove(&check);
    let shown = account.shown.iter().find(|shown| shown.rule == "failure-persists").expect("it is shown");
    assert!(shown.sure && shown.message.contains("test_add`"), "{shown:?}");
}

#[test]
fn a_test_that_only_moved_is_no_new_one() {
    let moved = TESTS.replace("from calc", "from  calc");
    let mutes = |files: &Files| {
        let tests: Vec<_> = files.keys().filter(|path| path.starts_with("test_")).collect();
        assert_eq!(tests.len(), 1);
        let as_it_was: Files = files
            .iter()
            .map(|(path, text)| {
                (
                    if path.starts_with("test_") { "test_calc.py".to_owned() } else { path.clone() },
                    text.clone(),
                )
            })
            .collect();
        calc(&as_it_was)
    };
    let case = Case {
        before: &[("calc.py", RIGHT), ("test_calc.py", TESTS)],
        after: &[("calc.py", RIGHT), ("test_sums.py", &moved)],
        failed_before: Some(false),
    };
    assert_eq!(rules(&case.prove(&mutes)), Vec::<&str>::new());
}
