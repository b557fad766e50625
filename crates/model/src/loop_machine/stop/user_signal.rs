//! A person asked to stop.

use serde::{Deserialize, Serialize};

use super::{Rule, Table};
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

    fn words(&self) -> String {
        Self::TYPE.to_owned()
    }

    fn is_met(&self, state: &State) -> bool {
        state.requests.stop.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::stop::tests::after_three;

    #[test]
    fn nobody_asked() {
        assert!(!UserSignal {}.is_met(&after_three().state));
    }
}
