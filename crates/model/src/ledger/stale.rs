//! How old is too old, and the flips that follow from it.
//!
//! Each gap is judged alone: a gap that goes stale never drags along what depends on it.

use std::fmt;

use piton_record::record;

use super::gap::{Gap, GapStatus};
use super::mark::Outcome;
use crate::Timestamp;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// One change of a gap's status.
#[record(Eq)]
pub struct Flip {
    /// When it was flipped.
    pub at: Timestamp,
    pub gap: String,
    pub old: GapStatus,
    pub new: GapStatus,
    /// Why, in words: see [`Why`].
    pub reason: String,
}

/// Why a gap was flipped: the texts of the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The findings are older than they hold.
    TtlExpired {
        /// How long ago they were verified.
        age_ms: u64,
        /// How many days they hold.
        ttl_days: i64,
    },
    /// It is called verified, but nothing says when.
    NeverVerified,
    /// A file that the findings rest on is not what it was.
    SourceChanged { path: String },
    /// A file that the findings rest on is not there any more.
    SourceGone { path: String },
    /// Research ended like this.
    Researched(Outcome),
    /// Somebody edited the file.
    EditedByHand,
    /// A flip was taken back.
    Undone,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::TtlExpired { age_ms, ttl_days } => {
                write!(
                    f,
                    "TTL expired: {} > {ttl_days} day limit",
                    Age { age_ms: *age_ms, ttl_days: *ttl_days }
                )
            }
            Why::NeverVerified => f.write_str("TTL expired: no verification on record"),
            Why::SourceChanged { path } => write!(f, "Source changed: {path}"),
            Why::SourceGone { path } => write!(f, "Source gone: {path}"),
            Why::Researched(outcome) => write!(f, "Research completed: {}", outcome.as_str()),
            Why::EditedByHand => f.write_str("Edited by hand"),
            Why::Undone => f.write_str("Undone"),
        }
    }
}

/// An age in days, with the part of a day that makes it more than the limit where whole days do not.
struct Age {
    age_ms: u64,
    ttl_days: i64,
}

impl fmt::Display for Age {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = self.age_ms / DAY_MS;
        write!(f, "{days} day{}", if days == 1 { "" } else { "s" })?;
        if i64::try_from(days).is_ok_and(|days| days > self.ttl_days) {
            return Ok(());
        }
        let rest = self.age_ms % DAY_MS;
        for (unit_ms, unit) in [(3_600_000, "h"), (60_000, "min"), (1_000, "s")] {
            if rest >= unit_ms {
                return write!(f, " {} {unit}", rest / unit_ms);
            }
        }
        write!(f, " {rest} ms")
    }
}

/// How many days this gap's findings hold: its own, over the default.
pub(super) fn ttl_days(gap: &Gap, default_ttl_days: u32) -> i64 {
    gap.ttl_days.unwrap_or(i64::from(default_ttl_days))
}

pub(super) fn ttl_ms(gap: &Gap, default_ttl_days: u32) -> u64 {
    u64::try_from(ttl_days(gap, default_ttl_days)).unwrap_or(0).saturating_mul(DAY_MS)
}

/// How long ago the gap was verified; `None` where it never was. A time to come counts as now.
pub fn age_ms(gap: &Gap, now: Timestamp) -> Option<u64> {
    gap.last_verified.map(|at| now.millis_since(at))
}

/// The last moment at which the gap's findings hold; `None` where it was never verified.
pub fn due_at(gap: &Gap, default_ttl_days: u32) -> Option<Timestamp> {
    gap.last_verified.map(|at| at.plus_millis(ttl_ms(gap, default_ttl_days)))
}

/// Whether the gap is called verified but is stale by now: strictly older than its time to live.
pub fn is_due(gap: &Gap, default_ttl_days: u32, now: Timestamp) -> bool {
    gap.status == GapStatus::Verified
        && age_ms(gap, now).is_none_or(|age| age > ttl_ms(gap, default_ttl_days))
}

/// The flips from verified to stale that are due, in the order of the gaps.
pub fn due_flips(gaps: &[Gap], default_ttl_days: u32, now: Timestamp) -> Vec<Flip> {
    let due = gaps.iter().filter(|gap| is_due(gap, default_ttl_days, now));
    due.map(|gap| {
        let why = match age_ms(gap, now) {
            Some(age_ms) => Why::TtlExpired { age_ms, ttl_days: ttl_days(gap, default_ttl_days) },
            None => Why::NeverVerified,
        };
        to_stale(gap, &why, now)
    })
    .collect()
}

pub(super) fn to_stale(gap: &Gap, why: &Why, now: Timestamp) -> Flip {
    let (old, new) = (gap.status, GapStatus::Stale);
    Flip { at: now, gap: gap.id.clone(), old, new, reason: why.to_string() }
}

/// The gaps that are stale by now, flipped; those given stay as they are.
///
/// Unknown gaps were never verified, stale ones are flipped already, and blocked ones depend on what blocks them.
pub fn detect_stale(gaps: &[Gap], default_ttl_days: u32, now: Timestamp) -> Vec<Gap> {
    let due = gaps.iter().filter(|gap| is_due(gap, default_ttl_days, now));
    due.map(|gap| gap.with(|gap| gap.status = GapStatus::Stale)).collect()
}
