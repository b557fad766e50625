//! What to look into next.
//!
//! A gap is open when it is unknown, stale, or stale by now. An open gap is a candidate unless somebody looked
//! lately without finding anything, or unless it waits for another gap that is open itself. Gaps on a cycle do not hold
//! each other: nothing would ever be the first of them.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::gap::{Gap, GapStatus};
use super::graph::Graph;
use super::stale::{is_due, ttl_ms};
use crate::Timestamp;

/// When each gap was last flipped to stale. A check before that says nothing about what is stale now.
pub type StaleSince = HashMap<String, Timestamp>;

/// A gap that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting<'a> {
    pub gap: &'a Gap,
    /// The open gaps that hold it; none where only its own status says so.
    pub held_by: Vec<&'a str>,
}

/// The full picture: what is open, what can be looked into now, and why the rest cannot.
#[derive(Clone, Debug, Default)]
pub struct Survey<'a> {
    /// Open gaps that nothing holds back, in the order of the file.
    pub candidates: Vec<&'a Gap>,
    /// Open gaps that were checked within their time to live.
    pub checked: Vec<&'a Gap>,
    /// Gaps that wait: blocked, or open and held by another.
    pub waiting: Vec<Waiting<'a>>,
    /// How many are stale, on disk or by now.
    pub stale: usize,
    /// Of those, how many are still called verified.
    pub due: usize,
    /// How many were never researched.
    pub unknown: usize,
    /// How many are verified and fresh.
    pub fresh: usize,
    /// How many are called blocked.
    pub blocked: usize,
    /// Whether there are gaps that wait for each other.
    pub has_cycles: bool,
}

impl Survey<'_> {
    /// `20 stale, researching 5, 15 later`, with what else there is.
    pub fn picture(&self, batch: usize) -> String {
        let mut parts = vec![format!("{} stale", self.stale)];
        if self.unknown > 0 {
            parts.push(format!("{} unknown", self.unknown));
        }
        parts.push(format!("researching {batch}"));
        parts.push(format!("{} later", self.candidates.len().saturating_sub(batch)));
        if !self.checked.is_empty() {
            parts.push(format!("{} checked lately", self.checked.len()));
        }
        if !self.waiting.is_empty() {
            parts.push(format!("{} waiting", self.waiting.len()));
        }
        parts.join(", ")
    }
}

/// Looks at every gap once.
pub fn survey<'a>(
    gaps: &'a [Gap],
    default_ttl_days: u32,
    now: Timestamp,
    stale_since: &StaleSince,
) -> Survey<'a> {
    let mut survey = Survey::default();
    let standing: Vec<GapStatus> = gaps
        .iter()
        .map(|gap| if is_due(gap, default_ttl_days, now) { GapStatus::Stale } else { gap.status })
        .collect();
    let graph = Graph::new(gaps);
    let cycles = graph.cycles();
    survey.has_cycles = cycles.iter().any(Option::is_some);
    let held = holders(gaps, &graph, &cycles, &standing);
    for (index, gap) in gaps.iter().enumerate() {
        match standing[index] {
            GapStatus::Verified => {
                survey.fresh += 1;
                continue;
            }
            GapStatus::Stale => survey.stale += 1,
            GapStatus::Unknown => survey.unknown += 1,
            GapStatus::Blocked => survey.blocked += 1,
        }
        survey.due += usize::from(gap.status == GapStatus::Verified);
        let held_by = held.get(&index).map(Vec::as_slice).unwrap_or_default();
        if gap.status == GapStatus::Blocked || !held_by.is_empty() {
            survey.waiting.push(Waiting { gap, held_by: held_by.to_vec() });
        } else if checked_lately(gap, default_ttl_days, now, stale_since) {
            survey.checked.push(gap);
        } else {
            survey.candidates.push(gap);
        }
    }
    survey
}

/// Which open gaps hold which, over the edges of either side.
fn holders<'a>(
    gaps: &'a [Gap],
    graph: &Graph,
    cycles: &[Option<u32>],
    standing: &[GapStatus],
) -> HashMap<usize, Vec<&'a str>> {
    let holds = |from: usize, to: usize| from != to && (cycles[from].is_none() || cycles[from] != cycles[to]);
    let mut held: HashMap<usize, Vec<&'a str>> = HashMap::new();
    for from in (0..graph.len()).filter(|from| standing[*from] != GapStatus::Verified) {
        for to in graph.blocked_by(from).iter().map(|to| *to as usize).filter(|to| holds(from, *to)) {
            held.entry(to).or_default().push(gaps[from].id.as_str());
        }
    }
    held
}

/// Whether somebody looked within the gap's time to live, after it was verified and after it went stale.
fn checked_lately(gap: &Gap, default_ttl_days: u32, now: Timestamp, stale_since: &StaleSince) -> bool {
    let Some(checked) = gap.last_checked else { return false };
    let later_than = |moment: Option<Timestamp>| moment.is_none_or(|moment| checked > moment);
    now.millis_since(checked) <= ttl_ms(gap, default_ttl_days)
        && later_than(gap.last_verified)
        && later_than(stale_since.get(&gap.id).copied())
}

/// The gaps to choose a batch from: unknown, stale, or stale by now; not checked lately; held by nothing.
pub fn candidates<'a>(
    gaps: &'a [Gap],
    default_ttl_days: u32,
    now: Timestamp,
    stale_since: &StaleSince,
) -> Vec<&'a Gap> {
    survey(gaps, default_ttl_days, now, stale_since).candidates
}

/// The most urgent gaps: highest priority first, then by id, and at most `max_per_run` of them.
///
/// It chooses among what it is given: whether a gap needs research is for [`candidates`] to say.
pub fn select_batch<'a>(gaps: impl IntoIterator<Item = &'a Gap>, max_per_run: usize) -> Vec<&'a Gap> {
    let mut batch: Vec<&Gap> = gaps.into_iter().collect();
    batch.sort_by_key(|gap| (Reverse(gap.priority), gap.id.as_str()));
    batch.truncate(max_per_run);
    batch
}
