//! The rules of the ledger, one test per rule.
//!
//! `times`, `staleness` and `batch` hold the rows of the published test tables for timestamps, staleness and the
//! batch limiter, under their own names; the tables of the state writer and the audit log are tests of the file
//! format. Where a row speaks of another language's types, its test says what stands for them here.

mod audit;
mod batch;
mod evidence;
mod graph;
mod merge;
mod select;
mod staleness;
mod times;
mod validate;

use super::*;
use crate::Timestamp;

/// 2026-02-15T12:00:00Z.
pub(super) const NOW: Timestamp = Timestamp::from_millis(1_771_156_800_000);

pub(super) fn days_ago(days: i64) -> Timestamp {
    Timestamp::from_millis(NOW.as_millis() - days * 86_400_000)
}

pub(super) fn gap(id: &str) -> Gap {
    Gap::new(id, "market")
}

pub(super) fn verified(id: &str, days: i64) -> Gap {
    mark_verified(&gap(id), days_ago(days))
}

pub(super) fn ids<'a>(gaps: impl IntoIterator<Item = &'a Gap>) -> Vec<&'a str> {
    gaps.into_iter().map(|gap| gap.id.as_str()).collect()
}

pub(super) fn names(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Gaps with few ids, so that their fields collide.
pub(super) mod any {
    use proptest::prelude::*;
    use proptest::sample::{select, subsequence};

    use super::*;

    const IDS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

    fn some_ids() -> impl Strategy<Value = Vec<String>> {
        prop_oneof![2 => Just(Vec::new()), 1 => subsequence(IDS.to_vec(), 0..3).prop_map(|ids| names(&ids))]
    }

    fn time() -> impl Strategy<Value = Option<Timestamp>> {
        prop::option::of((0..60_i64).prop_map(days_ago))
    }

    /// A gap with any fields, valid or not.
    pub(in super::super) fn gap(id: &'static str) -> impl Strategy<Value = Gap> {
        let status = select(GapStatus::ALL.to_vec());
        let ttl = prop::option::of(1..60_i64);
        (status, 1..=5_i64, time(), time(), ttl, some_ids(), some_ids(), select(vec!["", "x", "y"])).prop_map(
            move |(status, priority, last_verified, last_checked, ttl_days, blocks, blocked_by, findings)| {
                Gap::new(id, "market").with(|gap| {
                    gap.status = status;
                    gap.priority = priority;
                    gap.last_verified = last_verified;
                    gap.last_checked = last_checked;
                    gap.ttl_days = ttl_days;
                    gap.blocks = blocks;
                    gap.blocked_by = blocked_by;
                    gap.findings = findings.to_owned();
                })
            },
        )
    }

    /// Some of six gaps.
    pub(in super::super) fn gaps() -> impl Strategy<Value = Vec<Gap>> {
        let all = (gap("a"), gap("b"), gap("c"), gap("d"), gap("e"), gap("f"));
        (all, subsequence((0..6_usize).collect::<Vec<_>>(), 0..=6).prop_shuffle()).prop_map(
            |((a, b, c, d, e, f), chosen)| {
                let all = [a, b, c, d, e, f];
                chosen.into_iter().map(|index| all[index].clone()).collect()
            },
        )
    }
}
