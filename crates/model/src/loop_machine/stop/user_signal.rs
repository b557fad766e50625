//! A person asked to stop.

use serde::{Deserialize, Serialize};

use super::{Rule, Table};
use crate::Reason;
use crate::loop_machine::State;

/// A person asked to stop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserSignal {}

impl Rule for UserSignal {
    const TYPE: &'static str = "user_signal";
    const PRIORITY: u8 = 90;

    fn read(_: &mut dyn Table) -> Option<Self> {
        Some(Self {})
    }

    fn is_met(&self, state: &State) -> bool {
        state.requests.stop.is_some()
    }

    /// The request is over with the run; that it stopped it is not.
    fn progress(&self, state: &State) -> f64 {
        let stopped = matches!(state.reason, Some(Reason::Human | Reason::Interrupted));
        f64::from(u8::from(stopped || self.is_met(state)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::stop::tests::after_three;
    use crate::loop_machine::stop::{NamedStop, Not, StopCondition, StopLists};
    use crate::loop_machine::tests::harness::{Driver, stop, works};
    use crate::{Status, StopOrigin};

    #[test]
    fn nobody_asked() {
        assert!(!UserSignal {}.is_met(&after_three().state));
    }

    #[test]
    fn whoever_waits_for_a_stop_says_how_the_run_ends() {
        let signal = || vec![NamedStop { name: None, condition: Not { condition: nobody() }.into() }];
        for (lists, status, reason) in [
            (StopLists { failure: signal(), ..StopLists::default() }, Status::Failed, Reason::StopCondition),
            (
                StopLists { conditions: signal(), ..StopLists::default() },
                Status::Stopped,
                Reason::StopCondition,
            ),
            // Nothing is judged yet, so nothing succeeded.
            (StopLists { success: signal(), ..StopLists::default() }, Status::Stopped, Reason::Human),
            (StopLists::default(), Status::Stopped, Reason::Human),
        ] {
            let mut driver = Driver::red();
            driver.state.config.stop = lists;
            driver.request(stop(false, StopOrigin::Command));
            driver.end_attempt(works("t1"));
            driver.is(status, reason);
        }
    }

    fn nobody() -> Box<StopCondition> {
        Box::new(Not { condition: Box::new(UserSignal {}.into()) }.into())
    }
}
