//! What becomes of a gap that was looked into.
//!
//! *Checked* and *verified* are told apart so that a gap that was searched without a result is not searched again
//! at once: only its `last_checked` moves.

use serde::{Deserialize, Serialize};

use super::gap::{Gap, GapStatus};
use crate::Timestamp;

/// Somebody looked, and nothing new was found. Moves `last_checked` and nothing else.
#[must_use]
pub fn mark_checked(gap: &Gap, now: Timestamp) -> Gap {
    Gap { last_checked: Some(now), ..gap.clone() }
}

/// Findings were confirmed: verified, and both times are `now`.
#[must_use]
pub fn mark_verified(gap: &Gap, now: Timestamp) -> Gap {
    Gap { status: GapStatus::Verified, last_verified: Some(now), last_checked: Some(now), ..gap.clone() }
}

/// How a piece of research ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Enough was found for a full report.
    FullReport,
    /// Enough was found for a short report.
    ShortReport,
    /// There is nothing beyond what was known.
    NoNewFindings,
    /// Too little was found to say anything; the gap stays as it is.
    InsufficientData,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Outcome; 4] =
        [Outcome::FullReport, Outcome::ShortReport, Outcome::NoNewFindings, Outcome::InsufficientData];

    /// The word used in logs, prompts and JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Outcome::FullReport => "full_report",
            Outcome::ShortReport => "short_report",
            Outcome::NoNewFindings => "no_new_findings",
            Outcome::InsufficientData => "insufficient_data",
        }
    }
}

/// The gap after research that ended like this.
#[must_use]
pub fn settle(gap: &Gap, outcome: Outcome, now: Timestamp) -> Gap {
    match outcome {
        Outcome::FullReport | Outcome::ShortReport => mark_verified(gap, now),
        Outcome::NoNewFindings => mark_checked(gap, now),
        Outcome::InsufficientData => gap.clone(),
    }
}
