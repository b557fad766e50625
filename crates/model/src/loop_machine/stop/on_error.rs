//! The last attempt failed.

use piton_record::record;

use super::{Rule, Table};
use crate::loop_machine::{AttemptOutcome, State};

/// The last attempt failed.
#[record(Eq)]
pub struct OnError {
    /// With this in its message, whatever the case; with anything without it.
    pub pattern: Option<String>,
}

impl Rule for OnError {
    const TYPE: &'static str = "on_error";
    const KEYS: &'static [&'static str] = &["pattern"];
    const PRIORITY: u8 = 100;

    fn read(table: &mut dyn Table) -> Option<Self> {
        let pattern = if table.has("pattern") { Some(table.text("pattern")?) } else { None };
        Some(Self { pattern })
    }

    fn words(&self) -> String {
        match &self.pattern {
            None => Self::TYPE.to_owned(),
            Some(pattern) => format!("on_error({pattern})"),
        }
    }

    fn is_met(&self, state: &State) -> bool {
        let Some(last) = state.judged.recent.back().filter(|last| !last.skipped) else { return false };
        let failed =
            matches!(last.outcome, AttemptOutcome::Failed | AttemptOutcome::TimedOut | AttemptOutcome::Hung);
        let message = last.message.as_deref().unwrap_or_default().to_lowercase();
        failed && self.pattern.as_ref().is_none_or(|pattern| message.contains(&pattern.to_lowercase()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::stop::tests::{after_a_failure, after_three};

    #[test]
    fn the_message_is_searched_whatever_the_case() {
        let on = |pattern: Option<&str>| OnError { pattern: pattern.map(str::to_owned) };
        assert!(!on(None).is_met(&after_three().state), "nothing failed");
        let state = after_a_failure("the agent exited with 1").state;
        assert!(
            on(None).is_met(&state) && on(Some("EXITED")).is_met(&state) && !on(Some("hung")).is_met(&state)
        );
    }
}
