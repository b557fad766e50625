//! So many iterations have a verdict. `[loop] max_iterations` is the same as a ceiling.

use piton_record::record;

use super::{Rule, Table};
use crate::loop_machine::State;

/// So many iterations have a verdict.
#[record(Eq)]
pub struct MaxIterations {
    /// How many iterations with a verdict.
    pub count: u32,
}

impl Rule for MaxIterations {
    const TYPE: &'static str = "max_iterations";
    const KEYS: &'static [&'static str] = &["count"];
    const PRIORITY: u8 = 80;
    const FOR_GOOD: bool = true;

    fn read(table: &mut dyn Table) -> Option<Self> {
        Some(Self { count: table.whole("count")? })
    }

    fn words(&self) -> String {
        format!("max_iterations({})", self.count)
    }

    fn counted(&self, state: &State) -> Option<(u64, u64)> {
        Some((state.counters.iterations.into(), self.count.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::stop::tests::after_three;

    #[test]
    fn iterations_are_counted() {
        let state = after_three().state;
        assert!(MaxIterations { count: 3 }.is_met(&state) && !MaxIterations { count: 4 }.is_met(&state));
        assert!((MaxIterations { count: 6 }.progress(&state) - 0.5).abs() < 1e-9);
    }
}
