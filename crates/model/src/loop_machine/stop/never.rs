//! In no case.

use serde::{Deserialize, Serialize};

use super::{Rule, Table};
use crate::loop_machine::State;

/// In no case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Never {}

impl Rule for Never {
    const TYPE: &'static str = "never";
    const PRIORITY: u8 = 0;

    fn read(_: &mut dyn Table) -> Option<Self> {
        Some(Self {})
    }

    fn is_met(&self, _: &State) -> bool {
        false
    }
}
