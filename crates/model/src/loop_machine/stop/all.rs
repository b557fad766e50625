//! All of these; none is not all of it.

use piton_record::record;

use super::{Rule, StopCondition, Table, several};
use crate::loop_machine::State;

/// All of these; none is not all of it.
#[record(Eq, written)]
pub struct All {
    pub conditions: Vec<StopCondition>,
}

impl Rule for All {
    const TYPE: &'static str = "all";
    const KEYS: &'static [&'static str] = &["conditions"];
    const PRIORITY: u8 = 20;

    fn read(table: &mut dyn Table) -> Option<Self> {
        Some(Self { conditions: table.conditions("conditions")? })
    }

    fn words(&self) -> String {
        several(Self::TYPE, &self.conditions)
    }

    fn is_met(&self, state: &State) -> bool {
        !self.conditions.is_empty() && self.conditions.iter().all(|inner| inner.is_met(state))
    }

    fn progress(&self, state: &State) -> f64 {
        let sum: f64 = self.conditions.iter().map(|inner| inner.progress(state)).sum();
        if self.conditions.is_empty() { 0.0 } else { sum / self.conditions.len() as f64 }
    }

    fn inner(&self) -> &[StopCondition] {
        &self.conditions
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::stop::MaxIterations;
    use crate::loop_machine::stop::tests::after_three;

    #[test]
    fn its_progress_is_the_mean_and_nothing_is_not_all_of_it() {
        let state = after_three().state;
        let half = || MaxIterations { count: 6 }.into();
        let all = All { conditions: vec![half(), MaxIterations { count: 3 }.into()] };
        assert!(!all.is_met(&state) && (all.progress(&state) - 0.75).abs() < 1e-9);
        assert!(!All { conditions: vec![] }.is_met(&state));
    }
}
