//! What becomes of a gap that was looked into.
//!
//! *Checked* and *verified* are told apart so that a gap that was searched without a result is not searched again
//! at once: only its `last_checked` moves.

use super::gap::{Gap, GapStatus};
use crate::Timestamp;
use crate::words::words;

/// Somebody looked, and nothing new was found. Moves `last_checked` and nothing else.
#[must_use]
pub fn mark_checked(gap: &Gap, now: Timestamp) -> Gap {
    gap.with(|gap| gap.last_checked = Some(now))
}

/// Findings were confirmed: verified, and both times are `now`.
#[must_use]
pub fn mark_verified(gap: &Gap, now: Timestamp) -> Gap {
    gap.with(|gap| {
        gap.status = GapStatus::Verified;
        gap.last_verified = Some(now);
        gap.last_checked = Some(now);
    })
}

words! {
    /// How a piece of research ended.
    pub enum Outcome {
        /// Enough was found for a full report.
        FullReport = "full_report",
        /// Enough was found for a short report.
        ShortReport = "short_report",
        /// There is nothing beyond what was known.
        NoNewFindings = "no_new_findings",
        /// Too little was found to say anything; the gap stays as it is.
        InsufficientData = "insufficient_data",
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
