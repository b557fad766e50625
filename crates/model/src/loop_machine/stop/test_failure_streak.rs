//! A test failed in so many iterations in a row; where nobody counts tests, a check.

use piton_record::record;

use super::{Rule, Table};
use crate::loop_machine::State;

/// A test failed in so many iterations in a row; where nobody counts tests, a check.
#[record(Eq)]
pub struct TestFailureStreak {
    /// How many iterations in a row.
    pub count: u32,
}

impl Rule for TestFailureStreak {
    const TYPE: &'static str = "test_failure_streak";
    const KEYS: &'static [&'static str] = &["count"];
    const PRIORITY: u8 = 70;

    fn read(table: &mut dyn Table) -> Option<Self> {
        Some(Self { count: table.whole("count")? })
    }

    fn words(&self) -> String {
        format!("test_failure_streak({})", self.count)
    }

    fn counted(&self, state: &State) -> Option<(u64, u64)> {
        Some((state.counters.red_in_a_row.into(), self.count.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::stop::tests::after_three;

    #[test]
    fn red_iterations_are_counted() {
        let state = after_three().state;
        assert!(
            TestFailureStreak { count: 2 }.is_met(&state) && !TestFailureStreak { count: 9 }.is_met(&state)
        );
    }
}
