//! What the last check found wrong with single runs, remembered: a list of runs reads the index alone, and a run whose events are
//! damaged looks sound there.
//!
//! A view, which decides nothing: `verify` and `repair` write it anew. It speaks of one journal only.

use std::collections::BTreeMap;

use piton_model::RunId;
use piton_record::record;
use piton_sys::file::{self, Durability};

use crate::layout::Layout;

const FILE: &str = "unsound.json";

/// More than what is wrong with a hundred thousand runs.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// What is wrong, run by run.
#[record(Eq)]
pub(crate) struct Unsound {
    /// The journal that was looked at.
    journal: String,
    /// Runs of which events, the index or checkpoints are not what was written.
    pub(crate) damaged: BTreeMap<RunId, String>,
    /// Runs whose snapshots git has lost some of.
    pub(crate) incomplete: BTreeMap<RunId, String>,
}

impl Unsound {
    /// Nothing is known of the journal of this repository.
    pub(crate) fn nothing(layout: &Layout) -> Option<Self> {
        let journal = piton_store::peek(layout.store()).ok()??.id.to_string();
        Some(Self { journal, damaged: BTreeMap::new(), incomplete: BTreeMap::new() })
    }

    /// What was found last.
    pub(crate) fn known(layout: &Layout) -> Option<Self> {
        let bytes = file::read_regular(&layout.state().join(FILE), FILE_BYTES_MAX).ok()??;
        let known: Self = serde_json::from_slice(&bytes).ok()?;
        (known.journal == Self::nothing(layout)?.journal).then_some(known)
    }

    /// Keeps that. Where it cannot be kept, the next list shows what the index says.
    pub(crate) fn keep(&self, layout: &Layout) {
        let path = layout.state().join(FILE);
        let kept = match self.damaged.is_empty() && self.incomplete.is_empty() {
            true => file::remove_file_if_exists(&path).map(drop),
            false => {
                let bytes = serde_json::to_vec(self).expect("plain data");
                file::write_atomic(&path, &bytes, Durability::Unsynced)
            }
        };
        // A repository that can only be read is checked all the same.
        let _ = kept;
    }
}
