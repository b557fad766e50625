//! Where a ledger is: its gaps, what the file does not hold yet, what the log does not hold yet.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use piton_record::record;

use super::research::{Research, Rest};
use crate::ledger::{Field, Flip, Gap, GapStatus, Source, StaleSince};
use crate::{RunId, Timestamp};

/// The fold of a ledger's events. A copy costs little, whatever its size: it shares what neither side changes.
#[record(Eq, written)]
pub struct State {
    pub run: RunId,
    /// The gap file, relative to the repository.
    pub file: String,
    /// The audit log, relative to the repository.
    pub log: String,
    /// How many days findings hold where a gap does not say.
    pub default_ttl_days: u32,
    /// The gaps as piton wants them, in the order in which they were first seen.
    pub gaps: Vec<Gap>,
    /// Digest of the content that was last seen or written; `None` before the first.
    pub digest: Option<String>,
    /// What the file still says, of each gap that has changed since: `None` where it has none.
    pub unwritten: Arc<BTreeMap<String, Option<Gap>>>,
    /// Flips that are not in the log yet, in their order.
    pub unlogged: Arc<Vec<Flip>>,
    /// How long the log was when the last of the others had been added; `None` before the first.
    pub log_end: Option<u64>,
    /// Of each gap that was ever flipped: when it last went stale.
    pub stale_since: Arc<BTreeMap<String, Timestamp>>,
    /// Of each gap that was ever flipped: the last flip.
    pub flipped: Arc<BTreeMap<String, LastFlip>>,
    /// The batch under way.
    pub research: Option<Research>,
    /// How many batches there were.
    pub researches: u32,
    /// How many attempts there were.
    pub attempts: u32,
    /// Of each gap that was looked into: how long it may rest.
    pub rests: BTreeMap<String, Rest>,
    /// When a watcher looks again.
    pub watch: Option<Timestamp>,
    /// When its journal began.
    pub created_at: Timestamp,
    /// When the last event was recorded.
    pub updated_at: Timestamp,
    /// Where each gap is in the list, as far as somebody has asked.
    #[serde(skip)]
    pub(super) index: Index,
}

/// The last flip of a gap: enough to take it back, with what was known before it.
#[record(Eq)]
pub struct LastFlip {
    pub before: GapStatus,
    /// When it had last been verified then.
    pub last_verified: Option<Timestamp>,
    /// When somebody had last looked then, or has looked since without a flip.
    pub last_checked: Option<Timestamp>,
    /// What was known then; nothing where that still stands, or was written since.
    pub known: Option<Box<KnownBefore>>,
    /// What it became.
    pub after: GapStatus,
}

/// Findings that gave way to others together with a flip.
#[record(Eq, written)]
pub struct KnownBefore {
    /// What was found, in words.
    pub findings: String,
    /// What it rested on.
    pub evidence: Vec<Source>,
}

impl LastFlip {
    /// The flip from what this gap is.
    pub(super) fn of(gap: &Gap, after: GapStatus) -> Self {
        let (last_verified, last_checked) = (gap.last_verified, gap.last_checked);
        Self { before: gap.status, last_verified, last_checked, known: None, after }
    }

    /// The gap changed with the flip: what was known before is what counts.
    pub(super) fn changed_with_it(&mut self, old: &Gap, new: &Gap) {
        if self.known.is_none() && !same_findings(old, new) {
            let (findings, evidence) = (old.findings.clone(), old.evidence.clone());
            self.known = Some(Box::new(KnownBefore { findings, evidence }));
        }
    }

    /// The gap changed later and by itself: that outlives the flip.
    pub(super) fn changed_since(&mut self, old: &Gap, new: &Gap) {
        if old.last_checked != new.last_checked {
            self.last_checked = new.last_checked;
        }
        if !same_findings(old, new) {
            self.known = None;
        }
    }

    /// The gap as it is without the flip.
    pub(super) fn taken_back(&self, gap: &Gap) -> Gap {
        gap.with(|gap| {
            gap.status = self.before;
            gap.last_verified = self.last_verified;
            gap.last_checked = self.last_checked;
            if let Some(known) = &self.known {
                gap.findings.clone_from(&known.findings);
                gap.evidence.clone_from(&known.evidence);
            }
        })
    }
}

fn same_findings(old: &Gap, new: &Gap) -> bool {
    old.same(new, Field::Findings) && old.same(new, Field::Evidence)
}

/// Places of gaps by id; follows from the list, so it is neither stored nor compared.
#[derive(Clone, Debug, Default)]
pub(super) struct Index(Arc<HashMap<String, usize>>);

impl PartialEq for Index {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Index {}

impl Index {
    pub(super) fn add(&mut self, gap: &Gap, place: usize) {
        Arc::make_mut(&mut self.0).insert(gap.id.clone(), place);
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// What is still to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The file lacks changes: merge [`State::base`] and [`State::gaps`] into it, then report what it holds.
    WriteFile,
    /// The log lacks these flips: add those that do not stand behind `after` yet, then report how many it holds.
    LogFlips {
        /// The flips, in their order.
        flips: Arc<Vec<Flip>>,
        /// How long the log was before the first of them.
        after: Option<u64>,
    },
}

impl State {
    /// The work that is open. The file comes first: a flip is logged when it holds.
    pub fn effects(&self) -> Vec<Effect> {
        let mut effects = Vec::new();
        if !self.unwritten.is_empty() {
            effects.push(Effect::WriteFile);
        }
        if !self.unlogged.is_empty() {
            effects.push(Effect::LogFlips { flips: Arc::clone(&self.unlogged), after: self.log_end });
        }
        effects
    }

    /// The gap with this id.
    pub fn find(&self, id: &str) -> Option<&Gap> {
        match self.index.0.len() == self.gaps.len() {
            true => self.gaps.get(*self.index.0.get(id)?),
            false => self.gaps.iter().find(|gap| gap.id == id),
        }
    }

    /// Where the gap with this id is. Thousands of flips come one after the other: each must be found at once.
    pub(super) fn place(&mut self, id: &str) -> Option<usize> {
        if self.index.0.len() != self.gaps.len() {
            let places = self.gaps.iter().enumerate().map(|(place, gap)| (gap.id.clone(), place));
            self.index = Index(Arc::new(places.collect()));
        }
        self.index.0.get(id).copied()
    }

    /// The gaps of the content that was last seen or written: the side that both others are compared with.
    pub fn base(&self) -> Vec<Gap> {
        if self.unwritten.is_empty() {
            return self.gaps.clone();
        }
        let as_written = |gap: &Gap| match self.unwritten.get(&gap.id) {
            Some(written) => written.clone(),
            None => Some(gap.clone()),
        };
        let mut base: Vec<Gap> = self.gaps.iter().filter_map(as_written).collect();
        // Those that are to go.
        let stay: HashSet<&str> = self.gaps.iter().map(|gap| gap.id.as_str()).collect();
        let gone = self.unwritten.iter().filter(|(id, _)| !stay.contains(id.as_str()));
        base.extend(gone.filter_map(|(_, written)| written.clone()));
        base
    }

    /// Until when a watcher leaves this gap alone, where it does.
    pub fn rests_until(&self, gap: &str, now: Timestamp) -> Option<Timestamp> {
        self.rests.get(gap).map(|rest| rest.until).filter(|until| *until > now)
    }

    /// When each gap last went stale.
    pub fn stale_since(&self) -> StaleSince {
        self.stale_since.iter().map(|(gap, at)| (gap.clone(), *at)).collect()
    }
}
