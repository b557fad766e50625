//! Nothing that matters changed in so many iterations in a row. `[loop] no_progress` is the same as a ceiling.

use piton_record::record;

use super::{Rule, Table};
use crate::loop_machine::State;

/// Nothing that matters changed in so many iterations in a row.
#[record(Eq)]
pub struct NoProgress {
    /// Iterations in a row that changed nothing that matters.
    pub iterations: u32,
}

impl Rule for NoProgress {
    const TYPE: &'static str = "no_progress";
    const KEYS: &'static [&'static str] = &["iterations"];
    const PRIORITY: u8 = 70;

    fn read(table: &mut dyn Table) -> Option<Self> {
        Some(Self { iterations: table.whole("iterations")? })
    }

    fn words(&self) -> String {
        format!("no_progress({})", self.iterations)
    }

    fn counted(&self, state: &State) -> Option<(u64, u64)> {
        Some((state.counters.no_progress_in_a_row.into(), self.iterations.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::stop::tests::after_three;

    #[test]
    fn idle_iterations_are_counted() {
        let state = after_three().state;
        assert!(NoProgress { iterations: 1 }.is_met(&state) && !NoProgress { iterations: 2 }.is_met(&state));
    }
}
