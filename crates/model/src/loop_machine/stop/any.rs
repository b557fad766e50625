//! One of these.

use piton_record::record;

use super::{Rule, StopCondition, Table, several};
use crate::loop_machine::State;

/// One of these.
#[record(Eq, written)]
pub struct Any {
    pub conditions: Vec<StopCondition>,
}

impl Rule for Any {
    const TYPE: &'static str = "any";
    const KEYS: &'static [&'static str] = &["conditions"];
    const PRIORITY: u8 = 20;

    fn read(table: &mut dyn Table) -> Option<Self> {
        Some(Self { conditions: table.conditions("conditions")? })
    }

    fn words(&self) -> String {
        several(Self::TYPE, &self.conditions)
    }

    fn is_met(&self, state: &State) -> bool {
        self.conditions.iter().any(|inner| inner.is_met(state))
    }

    fn progress(&self, state: &State) -> f64 {
        self.conditions.iter().map(|inner| inner.progress(state)).fold(0.0, f64::max)
    }

    fn inner(&self) -> &[StopCondition] {
        &self.conditions
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::stop::tests::after_three;
    use crate::loop_machine::stop::{MaxIterations, Never};

    #[test]
    fn one_is_enough_and_the_furthest_is_its_progress() {
        let state = after_three().state;
        let any = |count| Any { conditions: vec![Never {}.into(), MaxIterations { count }.into()] };
        assert!(any(3).is_met(&state) && !any(6).is_met(&state));
        assert!((any(6).progress(&state) - 0.5).abs() < 1e-9);
    }
}
