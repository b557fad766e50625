//! Not this.

use piton_record::record;

use super::{Rule, StopCondition, Table, several};
use crate::loop_machine::State;

#[record(Eq)]
pub struct Not {
    pub condition: Box<StopCondition>,
}

impl Rule for Not {
    const TYPE: &'static str = "not";
    const KEYS: &'static [&'static str] = &["condition"];
    const PRIORITY: u8 = 10;

    fn read(table: &mut dyn Table) -> Option<Self> {
        Some(Self { condition: Box::new(table.condition("condition")?) })
    }

    fn words(&self) -> String {
        several(Self::TYPE, self.inner())
    }

    fn is_met(&self, state: &State) -> bool {
        !self.condition.is_met(state)
    }

    fn inner(&self) -> &[StopCondition] {
        std::slice::from_ref(&self.condition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::stop::tests::after_three;

    #[test]
    fn what_holds_is_turned_round() {
        let state = after_three().state;
        let never = || crate::loop_machine::stop::Never {}.into();
        assert!(Not { condition: Box::new(never()) }.is_met(&state));
    }
}
