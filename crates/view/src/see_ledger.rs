//! What can be seen of a ledger. The names of fields are public.

use piton_model::Entry;
use piton_record::shown;
use serde::Serialize;

use crate::{AskedView, DriverView};

/// Where a ledger is: what is known, what is open, what to do.
#[shown(Clone, Debug, PartialEq, written(driver, exit_code, open, questions))]
pub struct LedgerStatus {
    /// As in a list.
    #[serde(flatten)]
    pub entry: Entry,
    /// The command that helps.
    pub next: String,
    /// Nobody drives a ledger: always nothing, as for a run without a driver.
    pub driver: Option<DriverView>,
    /// What a viewer of it exits with, once it rests.
    pub exit_code: Option<u8>,
    /// The gap file, relative to the repository.
    pub file: String,
    /// What is wrong with that file; what is said of gaps then comes from the journal alone.
    pub problem: Option<String>,
    /// What is wrong with it and stops nothing.
    pub warnings: Vec<String>,
    /// Whether a process researches or watches it.
    pub is_attended: bool,
    /// How many gaps there are, by what is known of them by now.
    pub gaps: GapCounts,
    /// The gaps that need research now, the most urgent first.
    pub open: Vec<String>,
    /// The research under way.
    pub research: Option<ResearchView>,
    /// What happened last to a gap, in words.
    pub last_change: Option<String>,
    /// A ledger asks nobody.
    pub questions: Vec<AskedView>,
}

/// How many gaps a ledger has, by what is known of them by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct GapCounts {
    /// All of them.
    pub all: usize,
    /// Verified and fresh.
    pub verified: usize,
    /// Stale, in the file or by now.
    pub stale: usize,
    /// Gaps that were never looked into.
    pub unknown: usize,
    /// Said to wait for another.
    pub blocked: usize,
}

/// A batch of research.
#[shown(Clone, Debug, PartialEq, Eq)]
pub struct ResearchView {
    /// Counts the batches of the ledger.
    pub number: u32,
    /// The gap that is being looked into.
    pub gap: Option<String>,
    /// How many have not had their turn.
    pub waiting: usize,
    /// A process carries it on; otherwise `piton gaps research` does.
    pub carried_on: bool,
}
