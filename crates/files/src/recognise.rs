//! Which of the published formats a file is of.

use serde_json::Value;

use crate::cycle::{LeftCycle, glance_cycle};
use crate::workflow::{Left, glance};

/// What a file that somebody names is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recognised {
    /// A loop, as far as can be seen: its readers say what is wrong with it.
    Loop,
    /// A run of a workflow.
    Run(Left),
    /// A cycle.
    Cycle(LeftCycle),
    /// A ledger.
    Gaps,
}

/// Looks at the content of a file.
pub fn recognise(bytes: &[u8]) -> Recognised {
    if let Ok(left) = glance(bytes) {
        return Recognised::Run(left);
    }
    let value = serde_json::from_slice::<Value>(bytes);
    if let Some(left) = value.as_ref().ok().and_then(glance_cycle) {
        return Recognised::Cycle(left);
    }
    let is_ledger = match value {
        Ok(value) => value.get("gaps").is_some(),
        Err(_) => bytes.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"gaps:")),
    };
    if is_ledger { Recognised::Gaps } else { Recognised::Loop }
}
