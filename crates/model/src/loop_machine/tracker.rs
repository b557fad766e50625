//! Tests by name, over time: which pass, since when, which were broken or fixed last, which go to and fro.
//!
//! A round says only what changed since the one before, so that a large suite costs the journal little. A test that
//! did not run is never taken for one that passed: where the runner came to its end without it, it is gone.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use piton_record::record;

use crate::limits::{
    LIFTED_TESTS_MAX, TEST_FLIPS_MAX, TEST_NAME_BYTES_MAX, TRACKED_TESTS_MAX, clip, keep_last,
};

/// How a test ended.
#[record(Copy, Eq)]
pub enum TestStatus {
    Passing,
    /// It failed, or took too long.
    Failing,
    /// It was left out.
    Skipped,
}

/// Which tests of a run of the suite are known by name, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NamedTests {
    /// Some. Of another nothing is known.
    Some,
    /// Every one that failed before the run stopped there: another passed, or did not run.
    FailingSoFar,
    /// Every one that failed, as most runners have it: of another nothing is known but that it did not fail.
    Failing,
    All,
}

/// What a round says about tests by name, compared with the round before.
#[record(Default, Eq, omit(ran, unnamed, unseen))]
#[serde(default)]
pub struct TestChanges {
    /// Tests that ended otherwise than before, and new ones.
    pub now: BTreeMap<String, TestStatus>,
    /// Tests that are no longer there.
    pub gone: Vec<String>,
    /// Whether tests were run at all.
    pub ran: bool,
    /// Tests passed whose names their runner does not say.
    pub unnamed: bool,
    /// What fails now may have failed before without being run: both runs stopped at failures, and have none in common.
    pub unseen: bool,
}

/// The tree that a run of the suite judged, beside the one that was judged before it.
#[record(Copy, Eq)]
pub enum JudgedTree {
    /// Another one.
    Another,
    /// The same: nothing changed that could explain another result.
    Same,
    /// The one from before that, since what came after it was put back.
    Back,
}

/// A test over time.
#[record(Eq)]
pub struct TrackedTest {
    /// How it ended last.
    pub status: TestStatus,
    /// The run of the suite since which it ends like this.
    pub since: u32,
    /// The run of the suite in which something was first known of it: that it did not fail is something.
    pub first: u32,
    /// The last runs in which it ended otherwise than in the one before.
    pub flips: VecDeque<u32>,
    /// The last run in which it did so though the tree was the same.
    pub unexplained: Option<u32>,
}

/// Every named test.
#[record(Default, Eq, written(runs, tests), omit(unnamed))]
#[serde(default)]
pub struct TestTracker {
    /// Runs of the suite so far.
    pub runs: u32,
    pub tests: BTreeMap<String, TrackedTest>,
    /// In the last run tests passed whose names their runner does not say.
    pub unnamed: bool,
    /// Tests that failed and do not any more, where nobody says whether they pass now; the first few.
    pub lifted: Vec<String>,
    /// Tests that another tool, which drove the run before, found to go to and fro.
    pub flaky_elsewhere: BTreeSet<String>,
}

impl TestChanges {
    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The same within the limits of an event; failing tests are kept first.
    #[must_use]
    pub(super) fn bounded(mut self) -> Self {
        let mut named: Vec<_> = self.now.into_iter().collect();
        named.sort_by_key(|(_, status)| *status != TestStatus::Failing);
        self.now = named
            .into_iter()
            .take(TRACKED_TESTS_MAX)
            .map(|(name, status)| (clip(&name, TEST_NAME_BYTES_MAX).to_owned(), status))
            .collect();
        self.gone.truncate(TRACKED_TESTS_MAX);
        self
    }
}

impl TestTracker {
    /// Whether no test is known by name.
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    /// What to record of a run of the suite in which these tests ended like this.
    pub fn changes(&self, ran: &BTreeMap<String, TestStatus>, listed: NamedTests) -> TestChanges {
        let differs = |(name, status): &(&String, &TestStatus)| {
            self.tests.get(*name).is_none_or(|known| known.status != **status)
        };
        let missing = |(name, known): &(&String, &TrackedTest)| {
            let counts = match listed {
                NamedTests::All => true,
                NamedTests::Failing => known.status == TestStatus::Failing,
                NamedTests::FailingSoFar | NamedTests::Some => false,
            };
            counts && !ran.contains_key(*name)
        };
        let gone: Vec<String> = self.tests.iter().filter(missing).map(|(name, _)| name.clone()).collect();
        let unnamed = matches!(listed, NamedTests::Failing | NamedTests::FailingSoFar);
        let unseen = listed == NamedTests::FailingSoFar && self.unnamed && self.fails_elsewhere(ran);
        TestChanges {
            now: ran.iter().filter(differs).map(|(name, status)| (name.clone(), *status)).collect(),
            ran: unnamed || !ran.is_empty() || !gone.is_empty(),
            gone,
            unnamed,
            unseen,
        }
    }

    /// Whether tests failed before and none of them does so here. A run that stops at its first failures (`cargo test`: at the
    /// first binary that fails) came to the same place as the one before only if they have one in common.
    fn fails_elsewhere(&self, ran: &BTreeMap<String, TestStatus>) -> bool {
        let mut before = self.named(TestStatus::Failing).peekable();
        before.peek().is_some() && !before.any(|name| ran.get(name) == Some(&TestStatus::Failing))
    }

    /// Takes in a run of the suite on another tree than the one before.
    pub fn follow(&mut self, changes: &TestChanges) {
        self.take(changes, JudgedTree::Another);
    }

    /// Takes a run of the suite in. What only what was put back had changed is taken back, not changed once more.
    pub(super) fn take(&mut self, changes: &TestChanges, tree: JudgedTree) {
        if !changes.ran {
            return;
        }
        self.runs += 1;
        // Every test that failed in the run before was named: one that was not did not fail then.
        let is_known = self.unnamed && !changes.unseen && tree != JudgedTree::Back;
        let known_since = self.runs - u32::from(is_known);
        self.unnamed = changes.unnamed;
        let lifts = changes.unnamed && tree != JudgedTree::Back;
        let lifted = changes.gone.iter().filter(|_| lifts).take(LIFTED_TESTS_MAX);
        self.lifted = lifted.cloned().collect();
        for name in &changes.gone {
            self.tests.remove(name);
        }
        for (name, status) in &changes.now {
            if self.tests.len() >= TRACKED_TESTS_MAX && !self.tests.contains_key(name) {
                continue;
            }
            let (run, status) = (self.runs, *status);
            let known = self.tests.entry(name.clone()).or_insert(TrackedTest {
                status,
                since: run,
                first: if status == TestStatus::Failing { known_since } else { run },
                flips: VecDeque::new(),
                unexplained: None,
            });
            if known.status == status {
                continue;
            }
            if tree == JudgedTree::Back && known.since + 1 == run {
                known.flips.pop_back();
                (known.status, known.since) = (status, known.flips.back().copied().unwrap_or(known.first));
            } else {
                (known.status, known.since) = (status, run);
                known.unexplained = (tree == JudgedTree::Same).then_some(run).or(known.unexplained);
                known.flips.push_back(run);
                keep_last(&mut known.flips, TEST_FLIPS_MAX);
            }
        }
    }

    /// The names of tests that ended like this.
    pub fn named(&self, status: TestStatus) -> impl Iterator<Item = &String> {
        self.tests.iter().filter(move |(_, test)| test.status == status).map(|(name, _)| name)
    }

    /// Tests that ended like this in the last run, and otherwise in the one before, or at least not like this.
    pub fn just(&self, status: TestStatus) -> impl Iterator<Item = &String> {
        let fresh = |test: &TrackedTest| test.since == self.runs && test.first < self.runs;
        self.tests.iter().filter(move |(_, test)| test.status == status && fresh(test)).map(|(name, _)| name)
    }

    /// Whether the test that `name` means passes: its whole name, or the end of it after a separator.
    pub fn passes(&self, name: &str) -> bool {
        let is_meant = |known: &str| {
            known == name
                || known.strip_suffix(name).is_some_and(|rest| rest.ends_with([':', '.', ' ', '/', '>']))
        };
        let mut meant = self.tests.iter().filter(|(known, _)| is_meant(known)).peekable();
        meant.peek().is_some() && meant.all(|(_, test)| test.status == TestStatus::Passing)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::loop_machine) fn ran(tests: &[(&str, bool)]) -> BTreeMap<String, TestStatus> {
        let status = |passed: bool| if passed { TestStatus::Passing } else { TestStatus::Failing };
        tests.iter().map(|(name, passed)| ((*name).to_owned(), status(*passed))).collect()
    }

    pub(in crate::loop_machine) fn run(tracker: &mut TestTracker, tests: &[(&str, bool)]) -> TestChanges {
        let changes = tracker.changes(&ran(tests), NamedTests::All);
        tracker.take(&changes, JudgedTree::Another);
        changes
    }

    pub(in crate::loop_machine) fn names<'a>(names: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
        names.map(String::as_str).collect()
    }

    #[test]
    fn only_what_changed_is_recorded() {
        let mut tracker = TestTracker::default();
        assert_eq!(run(&mut tracker, &[("a", true), ("b", false)]).now.len(), 2);
        assert_eq!(
            run(&mut tracker, &[("a", true), ("b", false)]),
            TestChanges { ran: true, ..TestChanges::default() }
        );
        let changes = run(&mut tracker, &[("a", true), ("b", true)]);
        assert_eq!(changes.now, ran(&[("b", true)]));
        assert_eq!(names(tracker.just(TestStatus::Passing)), ["b"], "recently fixed");
        run(&mut tracker, &[("a", false), ("b", true)]);
        assert_eq!(names(tracker.just(TestStatus::Failing)), ["a"], "recently broken");
        assert_eq!(names(tracker.just(TestStatus::Passing)), [] as [&str; 0]);
    }

    #[test]
    fn a_test_that_did_not_run_is_gone_and_never_passed() {
        let mut tracker = TestTracker::default();
        run(&mut tracker, &[("a", true), ("b", true)]);
        let cut_off = tracker.changes(&ran(&[("a", true)]), NamedTests::Some);
        tracker.take(&cut_off, JudgedTree::Another);
        assert!(tracker.passes("b"), "a run that was cut off says nothing about the rest");
        run(&mut tracker, &[("a", true)]);
        assert!(!tracker.passes("b") && tracker.passes("a"));
    }

    #[test]
    fn what_only_a_change_that_was_put_back_did_is_neither_mended_nor_broken() {
        let mut tracker = TestTracker::default();
        run(&mut tracker, &[("a", true), ("b", false)]);
        run(&mut tracker, &[("a", false), ("b", true), ("new", true)]);
        let back = tracker.changes(&ran(&[("a", true), ("b", false)]), NamedTests::All);
        tracker.take(&back, JudgedTree::Back);
        for status in [TestStatus::Passing, TestStatus::Failing] {
            assert_eq!(names(tracker.just(status)), [] as [&str; 0]);
        }
        assert!(tracker.passes("a") && !tracker.tests.contains_key("new"));
        assert!(tracker.tests["a"].flips.is_empty());
    }

    #[test]
    fn what_a_run_does_not_list_as_failing_does_not_fail() {
        let mut tracker = TestTracker::default();
        run(&mut tracker, &[("a", false), ("b", false), ("c", true)]);
        let quiet = tracker.changes(&ran(&[("b", false)]), NamedTests::Failing);
        tracker.take(&quiet, JudgedTree::Another);
        assert_eq!(names(tracker.named(TestStatus::Failing)), ["b"]);
        assert_eq!(names(tracker.named(TestStatus::Passing)), ["c"], "it need not be listed");
        let green = tracker.changes(&ran(&[]), NamedTests::Failing);
        tracker.take(&green, JudgedTree::Another);
        assert_eq!(names(tracker.named(TestStatus::Failing)), [] as [&str; 0]);
        assert_eq!((tracker.unnamed, &tracker.lifted[..]), (true, &["b".to_owned()][..]));
        run(&mut tracker, &[("b", true), ("c", true)]);
        assert_eq!((tracker.unnamed, &tracker.lifted[..]), (false, &[][..]));
    }

    /// `cargo test -q` stops at the first binary that fails, and names nothing but failures.
    #[test]
    fn what_fails_newly_beside_another_is_broken_though_the_run_stopped_there() {
        let mut tracker = TestTracker::default();
        let mut stopped = |failing: &[(&str, bool)], listed| {
            let changes = tracker.changes(&ran(failing), listed);
            assert!(changes.unnamed, "the names of those that pass are unknown");
            tracker.take(&changes, JudgedTree::Another);
            tracker.just(TestStatus::Failing).cloned().collect::<Vec<_>>()
        };
        let none: [&str; 0] = [];
        assert_eq!(stopped(&[("a", false)], NamedTests::FailingSoFar), none, "nothing was before");
        assert_eq!(stopped(&[("a", false), ("c", false)], NamedTests::FailingSoFar), ["c"]);
        assert_eq!(
            stopped(&[("z", false)], NamedTests::FailingSoFar),
            none,
            "another binary, which did not run before"
        );
        assert_eq!(stopped(&[], NamedTests::Failing), none, "all of it ran, and nothing fails");
        assert_eq!(stopped(&[("c", false)], NamedTests::FailingSoFar), ["c"], "nothing failed before");
        assert!(tracker.named(TestStatus::Passing).next().is_none(), "what is not named never passed");
    }

    #[test]
    fn where_only_failing_tests_are_named_one_that_was_not_named_before_is_broken() {
        let mut tracker = TestTracker::default();
        let mut quiet = |failing: &[(&str, bool)], listed, tree| {
            let changes = tracker.changes(&ran(failing), listed);
            tracker.take(&changes, tree);
            tracker.just(TestStatus::Failing).cloned().collect::<Vec<_>>()
        };
        let none: [&str; 0] = [];
        assert_eq!(
            quiet(&[("b", false)], NamedTests::Failing, JudgedTree::Another),
            none,
            "nothing was before"
        );
        assert_eq!(quiet(&[("c", false)], NamedTests::Failing, JudgedTree::Another), ["c"]);
        assert_eq!(quiet(&[("b", false), ("c", false)], NamedTests::Failing, JudgedTree::Another), ["b"]);
        assert_eq!(quiet(&[("b", false)], NamedTests::Some, JudgedTree::Another), none);
        assert_eq!(quiet(&[("d", false)], NamedTests::Failing, JudgedTree::Another), none, "it was cut off");
        assert_eq!(quiet(&[], NamedTests::Failing, JudgedTree::Another), none);
        assert_eq!(
            quiet(&[("d", false)], NamedTests::Failing, JudgedTree::Back),
            none,
            "it failed before that"
        );
    }

    #[test]
    fn a_test_may_be_named_by_the_end_of_its_name() {
        let mut tracker = TestTracker::default();
        run(&mut tracker, &[("tests::users::email", true), ("tests::gmail", false)]);
        assert!(tracker.passes("email") && tracker.passes("users::email"));
        assert!(!tracker.passes("mail"), "part of a word is no name");
        assert!(!tracker.passes("gmail") && !tracker.passes("nothing"));
    }
}
