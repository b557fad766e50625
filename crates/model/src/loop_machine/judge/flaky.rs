//! Which tests go to and fro. Judged when somebody asks, of what is known of them then; nothing is recorded of it.

use crate::limits::TEST_FLIPS_MAX;
use crate::loop_machine::tracker::{TestTracker, TrackedTest};

/// Results that are looked at.
const RESULTS_MAX: u32 = 20;
/// Results before a test can be flaky.
const RESULTS_MIN: u32 = 5;
/// The share of results that differ from the one before, in per cent, above which a test is flaky.
const FLIPS_PERCENT: u32 = 20;
/// How often a test may end otherwise than before, each time on another tree, until nobody believes any more that it was broken
/// and mended so often: four times.
const FLIPS_EXPLAINED: u32 = 8;

const _: () = assert!(RESULTS_MAX as usize <= TEST_FLIPS_MAX, "what is looked at is remembered");

impl TestTracker {
    /// Tests that go to and fro: on the same tree, or far more often than being broken and mended explains.
    pub fn flaky(&self) -> impl Iterator<Item = &String> {
        let is_flaky =
            |(name, test): &(&String, &TrackedTest)| self.is_flaky(test) || self.was_flaky_elsewhere(name);
        self.tests.iter().filter(is_flaky).map(|(name, _)| name)
    }

    /// Until there are as many results of our own as are looked at, what another tool found counts.
    fn was_flaky_elsewhere(&self, name: &str) -> bool {
        self.runs < RESULTS_MAX && self.flaky_elsewhere.contains(name)
    }

    fn is_flaky(&self, test: &TrackedTest) -> bool {
        let results = (self.runs + 1 - test.first).min(RESULTS_MAX);
        let is_recent = |run: &u32| *run + RESULTS_MAX > self.runs;
        let recent = test.flips.iter().filter(|run| is_recent(run)).count() as u32;
        let puzzling = recent > FLIPS_EXPLAINED || test.unexplained.as_ref().is_some_and(is_recent);
        puzzling && results >= RESULTS_MIN && 100 * recent > FLIPS_PERCENT * results
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::tracker::tests::{names, ran, run};
    use crate::loop_machine::tracker::{JudgedTree, NamedTests};

    #[test]
    fn a_test_is_flaky_when_it_goes_to_and_fro_often_enough() {
        let mut tracker = TestTracker::default();
        for round in 0..18 {
            run(&mut tracker, &[("steady", true), ("flaky", round % 3 == 0), ("mended", round > 4)]);
        }
        assert_eq!(names(tracker.flaky()), ["flaky"]);
    }

    #[test]
    fn a_test_that_was_flaky_elsewhere_is_flaky_until_our_own_results_say() {
        let elsewhere = ["a", "gone"].map(str::to_owned);
        let mut tracker = TestTracker { flaky_elsewhere: elsewhere.into(), ..TestTracker::default() };
        for _ in 1..RESULTS_MAX {
            run(&mut tracker, &[("a", true), ("b", true)]);
            assert_eq!(names(tracker.flaky()), ["a"]);
        }
        run(&mut tracker, &[("a", true), ("b", true)]);
        assert_eq!(names(tracker.flaky()), [] as [&str; 0]);
    }

    #[test]
    fn a_test_that_was_broken_and_mended_is_not_flaky_unless_the_tree_was_the_same() {
        let (mut worked_on, mut left_alone) = (TestTracker::default(), TestTracker::default());
        for passed in [false, true, false, true, true] {
            run(&mut worked_on, &[("a", passed)]);
            let changes = left_alone.changes(&ran(&[("a", passed)]), NamedTests::All);
            left_alone.take(&changes, JudgedTree::Same);
        }
        assert_eq!(names(worked_on.flaky()), [] as [&str; 0]);
        assert_eq!(names(left_alone.flaky()), ["a"]);
    }
}
