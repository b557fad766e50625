//! Every check passes, and at least one failed at the start: `--until checks-pass`.

use serde::{Deserialize, Serialize};

use super::{Rule, Table, Until, all_green, share};
use crate::loop_machine::State;

/// Every check passes, and at least one failed at the start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChecksPass {}

impl Rule for ChecksPass {
    const TYPE: &'static str = "checks_pass";
    const PRIORITY: u8 = 60;
    const UNTIL: Option<Until> =
        Some(Until { form: "checks-pass", without: "says too much", fields: |_| Some(Vec::new()) });

    fn read(_: &mut dyn Table) -> Option<Self> {
        Some(Self {})
    }

    fn is_met(&self, state: &State) -> bool {
        let failed_at_start = state.seen.baseline.as_ref().is_some_and(|round| !round.all_pass());
        failed_at_start && all_green(state)
    }

    fn progress(&self, state: &State) -> f64 {
        let round = state.seen.checks.as_ref();
        round.map_or(0.0, |round| share(round.passed() as u64, round.checks.len() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::stop::tests::after_looking;

    #[test]
    fn every_check_must_be_green_now() {
        for green in [false, true] {
            assert_eq!(ChecksPass {}.is_met(&after_looking("", green).state), green);
        }
    }
}
