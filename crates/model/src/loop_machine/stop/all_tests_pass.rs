//! Tests ran, and none failed, whatever other checks say.

use serde::{Deserialize, Serialize};

use super::{Rule, Table, share};
use crate::loop_machine::{CheckRound, State};

/// Tests ran, and none failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllTestsPass {}

/// Tests that passed, and that ran: as their runners count them, else the checks themselves.
fn counted(round: &CheckRound) -> (u64, u64) {
    match round.measures.tests {
        Some(tests) if tests.complete => (tests.passed, tests.passed + tests.failed),
        // A run that was cut off proves nothing about the rest.
        Some(tests) => (tests.passed, tests.passed + tests.failed + 1),
        None => (round.passed() as u64, round.checks.len() as u64),
    }
}

/// Whether as many tests ran as before the first attempt. Where a check is red, it may be one whose tests did not even
/// begin, and then nothing is known of them.
fn as_many_as_before(round: &CheckRound, baseline: Option<&CheckRound>) -> bool {
    let ran = |round: &CheckRound| round.measures.tests.map(|tests| tests.passed + tests.failed);
    ran(round).is_some_and(|now| Some(now) >= baseline.and_then(ran))
}

/// Whether tests ran in `round` and none failed, whatever other checks say.
pub(in crate::loop_machine) fn all_tests_pass(round: &CheckRound, baseline: Option<&CheckRound>) -> bool {
    let (passed, ran) = counted(round);
    passed > 0 && passed == ran && (round.all_pass() || as_many_as_before(round, baseline))
}

impl Rule for AllTestsPass {
    const TYPE: &'static str = "all_tests_pass";
    const PRIORITY: u8 = 60;

    fn read(_: &mut dyn Table) -> Option<Self> {
        Some(Self {})
    }

    fn is_met(&self, state: &State) -> bool {
        let round = state.seen.checks.as_ref();
        round.is_some_and(|round| all_tests_pass(round, state.seen.baseline.as_ref()))
    }

    fn progress(&self, state: &State) -> f64 {
        match state.seen.checks.as_ref().map(counted) {
            None | Some((_, 0)) => 0.0,
            Some((passed, ran)) => share(passed, ran),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::TestCounts;
    use crate::loop_machine::stop::tests::{after_three, run_until};

    #[test]
    fn one_failing_test_is_enough_to_go_on() {
        let state = after_three().state;
        assert!(!AllTestsPass {}.is_met(&state));
        assert!((AllTestsPass {}.progress(&state) - 0.75).abs() < 1e-9);
    }

    #[test]
    fn a_red_linter_does_not_matter_and_tests_that_did_not_begin_do() {
        let mut state = after_three().state;
        let tests = |passed| {
            Some(TestCounts { passed, failed: 0, skipped: 0, complete: true, ..TestCounts::default() })
        };
        let baseline = state.seen.baseline.as_mut().expect("it has one");
        baseline.measures.tests =
            Some(TestCounts { passed: 3, failed: 1, skipped: 0, complete: true, ..TestCounts::default() });
        let round = state.seen.checks.as_mut().expect("it has one");
        round.checks[0].passed = false;
        round.measures.tests = tests(4);
        assert!(AllTestsPass {}.is_met(&state));
        state.seen.checks.as_mut().expect("it has one").measures.tests = tests(3);
        assert!(!AllTestsPass {}.is_met(&state), "fewer ran than before");
    }

    #[test]
    fn tests_that_were_cut_off_do_not_all_pass() {
        assert_eq!(run_until(AllTestsPass {}, [false, true]), [false, true]);
    }
}
