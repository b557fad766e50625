//! One run of a check on a tree that was made for it, and what that came to.

use std::collections::BTreeSet;

use piton_gauge::tests::{self, Asked};

use crate::change::Overlay;

/// A check of the user's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// Its command.
    pub command: String,
    /// Whether it failed on the old tree, where that is known.
    pub failed_before: Option<bool>,
    /// How long it took on the new tree, where it passed there; nothing where that has to be tried.
    pub took_ms: Option<u64>,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is content.
    Green,
    /// It is not.
    Red,
    /// Its tests could not be built or loaded, so it says nothing about them.
    Broken,
    /// It took too long, so it says nothing.
    TimedOut,
}

/// What a trial came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How the check ended.
    pub verdict: Verdict,
    /// Every test that failed, by the runner's names; nothing where not all of them are known.
    pub failed: Option<BTreeSet<String>>,
    /// The tests that are known to have failed: all of them only where `failed` says so. Some runners stop at the first file with one.
    pub failing: BTreeSet<String>,
    /// The tests that are known to have passed.
    pub passed: BTreeSet<String>,
    /// Its runner is understood, and says that tests failed: they are what the check is red for.
    pub fails_tests: bool,
    /// What it printed.
    pub output: String,
    /// How long it took.
    pub took_ms: u64,
}

impl Outcome {
    /// Reads what a check printed, which exited with 0 if it `succeeded`.
    pub fn read(succeeded: bool, timed_out: bool, output: String, took_ms: u64) -> Self {
        let asked = Asked { passed: Some(succeeded), ..Asked::default() };
        let found = tests::read_asked(asked, &output);
        let (mut failed, mut failing, mut passed) = (None, BTreeSet::new(), BTreeSet::new());
        let (mut is_broken, mut fails_tests) = (false, false);
        if let Some(found) = &found {
            let with = |outcome: fn(tests::Outcome) -> bool| -> BTreeSet<String> {
                found
                    .named
                    .iter()
                    .filter(|test| outcome(test.outcome))
                    .map(|test| test.name.clone())
                    .collect()
            };
            let names = with(|outcome| matches!(outcome, tests::Outcome::Failed | tests::Outcome::TimedOut));
            passed = with(|outcome| outcome == tests::Outcome::Passed);
            let is_all = found.cut == 0 && found.complete && found.failed == Some(names.len() as u64);
            let none_ran = found.passed.unwrap_or(0) == 0 && names.is_empty();
            // A file of tests that could not be loaded is a failed test to some runners.
            let only_files = !names.is_empty() && names.iter().all(|name| is_file(name));
            let not_loaded = only_files && lacks_a_name(&output);
            is_broken = found.build_failed || (!succeeded && (none_ran || not_loaded));
            fails_tests = !succeeded && !is_broken && found.failed.unwrap_or(0) > 0;
            failed = is_all.then(|| names.clone());
            failing = names;
        }
        let verdict = match () {
            () if timed_out => Verdict::TimedOut,
            () if succeeded => Verdict::Green,
            () if is_broken || (found.is_none() && could_not_build(&output)) => Verdict::Broken,
            () => Verdict::Red,
        };
        Self { verdict, failed, failing, passed, fails_tests, output, took_ms }
    }

    /// Whether the test of this name, as the guard has it, is among those that failed; nothing where that is not known.
    pub fn fails(&self, test: &str) -> Option<bool> {
        let fails = self.failing.iter().any(|name| is_named(name, test));
        (fails || self.failed.is_some()).then_some(fails)
    }

    /// Whether this test, by the runner's name, failed for want of something that it calls. That says nothing about what the code does.
    pub(crate) fn fails_for_a_name(&self, name: &str) -> bool {
        let said = self.said_of(name);
        lacks_a_name(if said.is_empty() { &self.output } else { &said })
    }
}

impl Outcome {
    /// Whether this test, by the runner's name, failed because it compared, as far as its runner says why.
    pub(crate) fn fails_by_assertion(&self, name: &str) -> bool {
        let said = self.said_of(name);
        let compared = ["AssertionError", "ERR_ASSERTION", "assert ", "assertion"]
            .iter()
            .any(|word| said.contains(word));
        compared || !said.contains("Error")
    }

    /// Whether this test failed in the product: a file of it, by these paths, is in what the runner says about it.
    pub(crate) fn fails_inside<'p>(&self, name: &str, mut paths: impl Iterator<Item = &'p String>) -> bool {
        let said = self.said_of(name);
        paths.any(|path| said.contains(path.as_str()))
    }

    fn said_of(&self, name: &str) -> String {
        let own = own_name(name);
        crate::points::of_test(&self.output, |heading| is_named(heading, own))
    }
}

/// What a runner's name for a test ends with: its own name.
fn own_name(name: &str) -> &str {
    let own = name.rsplit(" > ").next().unwrap_or(name);
    let own = own.rsplit("::").next().unwrap_or(own);
    let own = if own.contains(' ') { own } else { own.rsplit(['.', '/']).next().unwrap_or(own) };
    own.split('[').next().filter(|own| !own.is_empty()).unwrap_or(own)
}

/// Whether a runner's name for a test is that of a file.
pub(crate) fn is_file(name: &str) -> bool {
    !name.contains(" > ") && !name.contains("::") && !name.contains(' ') && piton_guard::is_code(name)
}

/// Whether something failed for want of a name that it uses, or because it is called otherwise.
pub(crate) fn lacks_a_name(said: &str) -> bool {
    const SIGNS: [&str; 13] = [
        "AttributeError:",
        "NameError:",
        "ImportError:",
        "ModuleNotFoundError:",
        "unexpected keyword argument",
        "required positional argument",
        "positional arguments but",
        " is not a function",
        " is not defined",
        " is not a constructor",
        "does not provide an export",
        "Cannot find module",
        "fixture '",
    ];
    SIGNS.iter().any(|sign| said.contains(sign))
}

/// What compilers say where nothing was run at all.
fn could_not_build(output: &str) -> bool {
    const SIGNS: [&str; 4] = ["could not compile", "[build failed]", "SyntaxError:", "error TS"];
    SIGNS.iter().any(|sign| output.contains(sign))
}

/// Whether a runner's name for a test means this one, which is known by the words around it.
pub(crate) fn is_named(runners: &str, test: &str) -> bool {
    let own = test.rsplit(" > ").next().unwrap_or(test);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    runners.match_indices(own).any(|(at, _)| {
        let before = runners[..at].chars().next_back();
        let after = runners[at + own.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

/// Whoever runs a check on the new tree with some files other than they are.
pub trait Runner {
    /// Why nothing can be run any more.
    type Error;
    /// Runs `check`, for at most `wall_ms`.
    fn run(&mut self, check: &Check, tree: &Overlay, wall_ms: u64) -> Result<Outcome, Self::Error>;
    /// The same without what was compiled, and without what git ignores and is new or other since the start; and says what that
    /// was. Nothing where there is no such thing.
    fn run_without_what_is_new(
        &mut self,
        check: &Check,
        tree: &Overlay,
        wall_ms: u64,
    ) -> Result<Option<(Outcome, Vec<String>)>, Self::Error> {
        let _ = (check, tree, wall_ms);
        Ok(None)
    }
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn a_runners_name_is_matched_by_whole_words() {
        for name in
            ["tests/test_a.py::TestX::test_one", "test_one (tests.A)", "suite > test_one", "a::test_one"]
        {
            assert!(is_named(name, "TestX > test_one"), "{name}");
        }
        assert!(!is_named("test_one_more", "test_one"));
        assert!(!is_named("a_test_one", "test_one"));
    }

    #[test]
    fn what_could_not_be_loaded_is_not_red() {
        let unittest = "E\n======================================================================\nERROR: test_a (unittest.loader._FailedTest)\n----------------------------------------------------------------------\nImportError: Failed to import test module: test_a\nModuleNotFoundError: No module named 'calc'\n\n\n----------------------------------------------------------------------\nRan 1 test in 0.000s\n\nFAILED (errors=1)\n";
        assert_eq!(Outcome::read(false, false, unittest.to_owned(), 1).verdict, Verdict::Broken);
        let rust = "error[E0425]: cannot find function `b` in this scope\nerror: could not compile `a` (lib test) due to 1 previous error\n";
        assert_eq!(Outcome::read(false, false, rust.to_owned(), 1).verdict, Verdict::Broken);
        let go = "# a [a.test]\n./a_test.go:6:2: undefined: B\nFAIL\ta [build failed]\nFAIL\n";
        assert_eq!(Outcome::read(false, false, go.to_owned(), 1).verdict, Verdict::Broken);
    }

    #[test]
    fn a_runner_that_stops_early_still_names_who_failed() {
        let cargo = "     Running tests/prices.rs (target/debug/deps/prices-1)\n\nrunning 2 tests\ntest lowest ... ok\ntest highest ... FAILED\n\nfailures:\n\nfailures:\n    highest\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\nerror: test failed, to rerun pass `--test prices`\n";
        let outcome = Outcome::read(false, false, cargo.to_owned(), 1);
        assert_eq!(outcome.failed, None, "others may fail behind it");
        assert_eq!((outcome.fails("highest"), outcome.fails("lowest")), (Some(true), None));
        assert!(outcome.fails_tests);
    }

    #[test]
    fn a_test_that_lacks_a_name_is_told_apart_from_one_that_compares() {
        let heading = |kind: &str, name: &str| {
            format!(
                "{}\n{kind}: {name} (test_a.A.{name})\n{}\nTraceback (most recent call last):\n",
                "=".repeat(70),
                "-".repeat(70)
            )
        };
        let printed = format!(
            "{}ImportError: cannot import name 'b'\n\n{}AssertionError: 3 != 4\n\n{}\nRan 2 tests in 0.000s\n\nFAILED (failures=1, errors=1)\n",
            heading("ERROR", "test_b"),
            heading("FAIL", "test_c"),
            "-".repeat(70)
        );
        let outcome = Outcome::read(false, false, printed, 1);
        assert!(outcome.fails_for_a_name("test_a.A.test_b") && !outcome.fails_for_a_name("test_a.A.test_c"));
        assert!(
            outcome.fails_by_assertion("test_a.A.test_c") && !outcome.fails_by_assertion("test_a.A.test_b")
        );
    }

    #[test]
    fn failing_tests_are_known_by_name() {
        let unittest = "F.\n======================================================================\nFAIL: test_add (test_a.A.test_add)\n----------------------------------------------------------------------\nTraceback (most recent call last):\nAssertionError: 3 != 4\n\n----------------------------------------------------------------------\nRan 2 tests in 0.000s\n\nFAILED (failures=1)\n";
        let outcome = Outcome::read(false, false, unittest.to_owned(), 1);
        assert_eq!(outcome.verdict, Verdict::Red);
        assert_eq!(outcome.fails("A > test_add"), Some(true));
        assert_eq!(outcome.fails("A > test_subtract"), Some(false));
    }
}
