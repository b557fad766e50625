//! So much working time has passed. `[loop] max_duration` is the same as a ceiling.

use piton_record::record;

use super::{Rule, Table};
use crate::loop_machine::State;

/// So much working time has passed.
#[record(Eq)]
pub struct MaxDuration {
    /// Of working time; waits are not counted.
    pub duration_ms: u64,
}

impl Rule for MaxDuration {
    const TYPE: &'static str = "max_duration";
    const KEYS: &'static [&'static str] = &["duration"];
    const PRIORITY: u8 = 80;
    const FOR_GOOD: bool = true;

    fn read(table: &mut dyn Table) -> Option<Self> {
        Some(Self { duration_ms: table.duration_ms("duration")? })
    }

    fn words(&self) -> String {
        format!("max_duration({} s)", self.duration_ms / 1000)
    }

    fn counted(&self, state: &State) -> Option<(u64, u64)> {
        Some((state.counters.working_ms, self.duration_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::stop::tests::after_three;

    #[test]
    fn working_time_is_counted() {
        let state = after_three().state;
        assert!(MaxDuration { duration_ms: 1 }.is_met(&state));
        assert!(!MaxDuration { duration_ms: u64::MAX }.is_met(&state));
    }
}
