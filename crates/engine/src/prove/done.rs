//! Trials that ended, until what came of all of them is on record.
//!
//! The account of a round is one fact, recorded when the round ends; trials take long, and a driver may die between two of them. So
//! each outcome is put down where the attempts of its run lie, and whoever runs the round again takes it from there: for the
//! same check, the same pair of trees and the same change of them, in the same order. What was cut off or is too large is run again.
//! It is counted where it is used, so never twice.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use piton_prove::{Check, Outcome, Overlay};
use piton_sys::file::{self, Durability};
use serde::{Deserialize, Serialize};

/// What is larger is not kept.
const BYTES_MAX: u64 = 4 << 20;
/// What the name of a directory of them begins with; its round follows.
const NAMED: &str = "trials-";

/// The trials of one round.
#[derive(Debug)]
pub struct Done {
    place: PathBuf,
    /// What the round compares.
    pair: [String; 2],
    /// How often each trial was asked for: what is run twice on purpose has two outcomes.
    asked: RefCell<BTreeMap<String, u32>>,
}

/// A trial that ended.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    succeeded: bool,
    output: String,
    took_ms: u64,
    /// The first files that it went without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    without: Option<Vec<String>>,
}

impl Done {
    /// Those of a round that compares these trees, below what attempts of its run leave.
    pub(crate) fn of_round(attempts: &Path, round: u32, pair: [String; 2]) -> Self {
        Self { place: attempts.join(format!("{NAMED}{round}")), pair, asked: RefCell::default() }
    }

    /// Removes all of a run: what came of them is on record, and nothing that lies there before a round begins was put there by one.
    pub(crate) fn forget(attempts: &Path) {
        for entry in attempts.read_dir().into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(NAMED) {
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
    }

    /// Where the outcome of this trial lies, or is to lie.
    pub(super) fn ask(&self, check: &Check, tree: &Overlay, is_without: bool) -> PathBuf {
        let mut hasher = blake3::Hasher::new();
        let mut add = |bytes: &[u8]| {
            hasher.update(&u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_le_bytes());
            hasher.update(bytes);
        };
        for text in [&self.pair[0], &self.pair[1], &check.name, &check.command] {
            add(text.as_bytes());
        }
        add(&[u8::from(is_without)]);
        for (path, bytes) in tree {
            add(path.as_bytes());
            add(&[u8::from(bytes.is_some())]);
            add(bytes.as_deref().unwrap_or_default());
        }
        let digest = hasher.finalize().to_hex()[..32].to_owned();
        let mut asked = self.asked.borrow_mut();
        let times = asked.entry(digest.clone()).or_default();
        *times += 1;
        self.place.join(format!("{digest}-{times}.json"))
    }

    /// What came of a trial that ended before, and the files that it went without.
    pub(super) fn known(place: &Path) -> Option<(Outcome, Option<Vec<String>>)> {
        let bytes = file::read_regular(place, BYTES_MAX).ok().flatten()?;
        let kept: Kept = serde_json::from_slice(&bytes).ok()?;
        Some((Outcome::read(kept.succeeded, false, kept.output, kept.took_ms), kept.without))
    }

    /// Puts down what came of a trial. What cannot be kept is run again, and nothing else.
    pub(super) fn keep(place: &Path, succeeded: bool, outcome: &Outcome, without: Option<Vec<String>>) {
        let kept = Kept { succeeded, output: outcome.output.clone(), took_ms: outcome.took_ms, without };
        let bytes = serde_json::to_vec(&kept).unwrap_or_default();
        let is_small = u64::try_from(bytes.len()).is_ok_and(|length| length <= BYTES_MAX);
        let directory = place.parent().filter(|_| is_small);
        if directory.is_some_and(|directory| file::create_private_dir(directory).is_ok()) {
            let _ = file::write_atomic(place, &bytes, Durability::Unsynced);
        }
    }
}
