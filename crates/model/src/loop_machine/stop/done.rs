//! The agent reports done, the tree differs from the start of the run, every check is green: `--until done`.

use serde::{Deserialize, Serialize};

use super::{Rule, Table, Until, all_green, share};
use crate::loop_machine::{CheckRound, ReportStatus, State};

/// The agent reports done, the tree differs from the start of the run, every check is green.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {}

fn is_reported(state: &State) -> bool {
    state.seen.report.as_ref().and_then(|report| report.status) == Some(ReportStatus::Done)
}

/// Whether the judged tree differs from the start of the run. Unknown counts as no.
fn tree_changed(state: &State) -> bool {
    let judged = state.judged.recent.back().and_then(|last| last.snapshot.as_ref());
    judged.zip(state.seen.start.as_ref()).is_some_and(|(judged, start)| judged.differs_from(start))
}

impl Rule for Done {
    const TYPE: &'static str = "done";
    const PRIORITY: u8 = 60;
    const UNTIL: Option<Until> =
        Some(Until { form: "done", without: "says too much", fields: |_| Some(Vec::new()) });

    fn read(_: &mut dyn Table) -> Option<Self> {
        Some(Self {})
    }

    fn is_met(&self, state: &State) -> bool {
        is_reported(state) && tree_changed(state) && all_green(state)
    }

    fn progress(&self, state: &State) -> f64 {
        let all_pass = state.seen.checks.as_ref().is_none_or(CheckRound::all_pass);
        let parts = [is_reported(state), state.tree_changed(), all_pass];
        share(parts.iter().filter(|holds| **holds).count() as u64, parts.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::stop::tests::after_looking;

    #[test]
    fn green_checks_alone_are_no_report() {
        assert!(!Done {}.is_met(&after_looking("", true).state));
    }
}
