//! Tests ran, and none failed.

use serde::{Deserialize, Serialize};

use super::{Rule, Table, share};
use crate::loop_machine::{CheckRound, State};

/// Tests ran, and none failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllTestsPass {}

/// Tests that passed, and that ran: as their runners count them, else the checks themselves.
fn counted(state: &State) -> Option<(u64, u64)> {
    let round = state.seen.checks.as_ref()?;
    match round.measures.tests {
        Some(tests) if tests.complete => Some((tests.passed, tests.passed + tests.failed)),
        // A run that was cut off proves nothing about the rest.
        Some(tests) => Some((tests.passed, tests.passed + tests.failed + 1)),
        None => Some((round.passed() as u64, round.checks.len() as u64)),
    }
}

impl Rule for AllTestsPass {
    const TYPE: &'static str = "all_tests_pass";
    const PRIORITY: u8 = 60;

    fn read(_: &mut dyn Table) -> Option<Self> {
        Some(Self {})
    }

    fn words(&self) -> String {
        Self::TYPE.to_owned()
    }

    fn is_met(&self, state: &State) -> bool {
        let green = state.seen.checks.as_ref().is_some_and(CheckRound::all_pass);
        green && counted(state).is_some_and(|(passed, ran)| passed > 0 && passed == ran)
    }

    fn progress(&self, state: &State) -> f64 {
        match counted(state) {
            None | Some((_, 0)) => 0.0,
            Some((passed, ran)) => share(passed, ran),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::stop::tests::{after_three, run_until};

    #[test]
    fn one_failing_test_is_enough_to_go_on() {
        let state = after_three().state;
        assert!(!AllTestsPass {}.is_met(&state));
        assert!((AllTestsPass {}.progress(&state) - 0.75).abs() < 1e-9);
    }

    #[test]
    fn tests_that_were_cut_off_do_not_all_pass() {
        assert_eq!(run_until(AllTestsPass {}, [false, true]), [false, true]);
    }
}
