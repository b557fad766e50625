//! These tests pass.

use piton_record::record;

use super::{Rule, Table};
use crate::loop_machine::{CheckRound, State};

/// These tests pass.
#[record(Eq, written)]
pub struct SpecificTestsPass {
    /// Their names, or the ends of them.
    pub tests: Vec<String>,
}

/// A named test, or a check of that name.
fn passes(state: &State, name: &str) -> bool {
    let is_check = |round: &CheckRound| round.checks.iter().any(|check| check.name == *name && check.passed);
    state.seen.tests.passes(name) || state.seen.checks.as_ref().is_some_and(is_check)
}

impl Rule for SpecificTestsPass {
    const TYPE: &'static str = "specific_tests_pass";
    const KEYS: &'static [&'static str] = &["tests"];
    const PRIORITY: u8 = 60;

    fn read(table: &mut dyn Table) -> Option<Self> {
        Some(Self { tests: table.texts("tests")? })
    }

    fn words(&self) -> String {
        format!("specific_tests_pass({})", self.tests.join(", "))
    }

    fn counted(&self, state: &State) -> Option<(u64, u64)> {
        let passing = self.tests.iter().filter(|name| passes(state, name)).count();
        Some((passing as u64, self.tests.len() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::stop::tests::after_three;

    #[test]
    fn only_the_named_tests_count() {
        let state = after_three().state;
        let these = |names: &[&str]| SpecificTestsPass {
            tests: names.iter().map(|name| (*name).to_owned()).collect(),
        };
        assert!(these(&["ok"]).is_met(&state) && !these(&["ok", "bad"]).is_met(&state));
        assert!((these(&["ok", "bad"]).progress(&state) - 0.5).abs() < 1e-9);
    }
}
