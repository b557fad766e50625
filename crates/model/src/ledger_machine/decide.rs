//! Turning a command into events.
//!
//! Whatever a command does to a gap, the flip that is due for it comes first: an old finding is stale on record before
//! it is checked, verified or edited. Every change of a status is a flip, by whatever way it came.

use std::collections::{HashMap, HashSet};

use super::apply::apply;
use super::event::LedgerEvent;
use super::research::{self, Found, ResearchLimits, Spent, Used};
use super::state::State;
use crate::ledger::{
    Field, Flip, Gap, GapStatus, Merged, Observed, Outcome, Overruled, Problem, Source, Why, changed_flips,
    cycles_since, due_flips, merge, problems_since, renew, undated_as_unknown,
};
use crate::{RunId, Timestamp};

/// Flips in one event: what is in it stays small enough for the journal itself, where a larger one would become a file.
const FLIPS_PER_EVENT: usize = 250;
/// About as much in one event of adoption, for the same reason, unless a single gap has more.
const BYTES_PER_EVENT: usize = 40 << 10;

/// What can be asked of a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// The file holds this, and it is not what piton last saw or wrote.
    Adopt {
        /// Digest of the content.
        digest: String,
        gaps: Vec<Gap>,
    },
    /// Flip what is due: by age, and by what files are now.
    FlipDue {
        /// What files are now.
        observed: Observed,
    },
    /// Somebody looked at this gap and found nothing new.
    Check { gap: String },
    /// This gap is confirmed.
    Verify {
        gap: String,
        /// What is known now, and what it rests on; as before where there is nothing.
        finding: Option<(String, Vec<Source>)>,
        /// Why, for the log.
        reason: String,
    },
    /// This gap is to be like this.
    Edit {
        /// The gap, known by its id.
        gap: Box<Gap>,
        /// Why, for the log, should its status change.
        reason: String,
    },
    /// There is one more gap.
    Add(Box<Gap>),
    /// There are more gaps, all or none of them.
    AddAll(Vec<Gap>),
    /// There is one gap less.
    Remove { gap: String },
    /// The last flip of this gap is taken back.
    Undo { gap: String },
    /// The file was written and holds this.
    Written {
        /// Digest of its content.
        digest: String,
        gaps: Vec<Gap>,
        /// What an edit in between did not leave room for.
        overruled: Vec<Overruled>,
    },
    /// The log holds the first of the flips that were open.
    Logged {
        /// How many of the flips that were open.
        count: usize,
        /// How long the log is with them.
        end: u64,
    },
    /// These gaps are to be looked into, in this order.
    Research {
        gaps: Vec<String>,
        /// Whether even where they are fresh.
        forced: bool,
        /// What all of it may use.
        limits: ResearchLimits,
        /// What earlier batches of the same watcher have used.
        before: Spent,
    },
    /// The next gap of the batch has its turn.
    StartAttempt { host: String, boot: String },
    /// The attempt under way ended.
    EndAttempt {
        attempt: u32,
        /// What it came to: findings, a failure, or nobody knows.
        found: Found,
        used: Used,
    },
    /// Look again: there is nothing to see.
    Tick,
    /// The ledger is to be looked at again at this time.
    Watch { until: Option<Timestamp> },
}

/// Why a command was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// There is no such gap.
    #[error("there is no gap `{}`", .0.escape_debug())]
    UnknownGap(String),
    /// The gaps would not fit together.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Invalid(Vec<Problem>),
    /// The gap was never flipped, or has changed since.
    #[error("there is no flip of gap `{}` to undo", .0.escape_debug())]
    NothingToUndo(String),
    /// A batch is under way.
    #[error("research is under way already")]
    ResearchUnderWay,
    /// No batch is under way.
    #[error("no research is under way")]
    NoResearch,
}

/// What a ledger is opened with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    pub run: RunId,
    /// The gap file, relative to the repository.
    pub file: String,
    /// The audit log, relative to the repository.
    pub log: String,
    /// How many days findings hold where a gap does not say.
    pub default_ttl_days: u32,
}

/// The first event of a ledger.
pub fn create(opening: Opening) -> LedgerEvent {
    let Opening { run, file, log, default_ttl_days } = opening;
    LedgerEvent::LedgerOpened { run, file, log, default_ttl_days }
}

/// What follows from `command`, when it is `now` by the ledger's time.
pub fn decide(state: &State, command: Command, now: Timestamp) -> Result<Vec<LedgerEvent>, Rejection> {
    let events = match command {
        Command::Adopt { digest, gaps } => return Ok(adopted(state, digest, &gaps, now)),
        Command::Written { digest, gaps, overruled } => {
            return Ok(written(state, digest, &gaps, overruled, now));
        }
        Command::Logged { count: 0, .. } => return Ok(Vec::new()),
        Command::Logged { count, end } => return Ok(vec![LedgerEvent::FlipsLogged { count, end }]),
        // What was verified and is stale now fits as well as it did.
        Command::FlipDue { observed } => return Ok(flips(all_due(state, &observed, now))),
        Command::Check { gap } => {
            let mut events = flips(due(state, find(state, &gap)?, now));
            events.push(LedgerEvent::GapChecked { gap, at: now });
            events
        }
        Command::Verify { gap, finding, reason } => verify(state, &gap, finding, None, &reason, now)?,
        Command::Edit { gap, reason } => edit(state, *gap, &reason, now)?,
        Command::Add(gap) => vec![LedgerEvent::GapAdded { gap, at: now }],
        Command::AddAll(gaps) => {
            let added = |gap| LedgerEvent::GapAdded { gap: Box::new(undated_as_unknown(gap)), at: now };
            gaps.into_iter().map(added).collect()
        }
        Command::Remove { gap } => {
            find(state, &gap)?;
            vec![LedgerEvent::GapRemoved { gap, at: now }]
        }
        Command::Undo { gap } => undo(state, &gap, now)?,
        Command::Research { gaps, forced, limits, before } => {
            return research::begin(state, gaps, forced, limits, before, now);
        }
        Command::StartAttempt { host, boot } => return research::next(state, host, boot, now),
        Command::EndAttempt { attempt, found, used } => research::end(state, attempt, found, used, now)?,
        Command::Tick => return Ok(Vec::new()),
        Command::Watch { until } if state.watch == until => return Ok(Vec::new()),
        Command::Watch { until } => return Ok(vec![LedgerEvent::WatchSet { until }]),
    };
    check(state, &events)?;
    Ok(events)
}

/// Nothing that does not fit together gets into the journal by a command. What people write may.
fn check(state: &State, events: &[LedgerEvent]) -> Result<(), Rejection> {
    let mut after = state.clone();
    for event in events {
        after = apply(Some(after), event).expect("a state stays a state");
    }
    let mut problems = problems_since(&state.gaps, &after.gaps);
    if events.iter().any(names_others) {
        problems.extend(cycles_since(&state.gaps, &after.gaps));
    }
    if problems.is_empty() { Ok(()) } else { Err(Rejection::Invalid(problems)) }
}

/// Whether there may be other edges between gaps than before.
fn names_others(event: &LedgerEvent) -> bool {
    let is_edge = |field: &Field| matches!(field, Field::Blocks | Field::BlockedBy);
    let has_edges = |gap: &Gap| !gap.blocks.is_empty() || !gap.blocked_by.is_empty();
    matches!(event, LedgerEvent::GapEdited { fields, .. } if fields.iter().any(is_edge))
        || matches!(event, LedgerEvent::GapAdded { gap, .. } if has_edges(gap))
}

fn find<'a>(state: &'a State, id: &str) -> Result<&'a Gap, Rejection> {
    state.find(id).ok_or_else(|| Rejection::UnknownGap(id.to_owned()))
}

fn flips(flips: Vec<Flip>) -> Vec<LedgerEvent> {
    let mut flips = flips.into_iter();
    let part =
        || Some(flips.by_ref().take(FLIPS_PER_EVENT).collect()).filter(|part: &Vec<_>| !part.is_empty());
    std::iter::from_fn(part).map(|flips| LedgerEvent::GapsFlipped { flips }).collect()
}

fn due(state: &State, gap: &Gap, now: Timestamp) -> Vec<Flip> {
    due_flips(std::slice::from_ref(gap), state.default_ttl_days, now)
}

/// The flips that are due, by age and by what files are now.
pub fn all_due(state: &State, observed: &Observed, now: Timestamp) -> Vec<Flip> {
    let mut flips = due_flips(&state.gaps, state.default_ttl_days, now);
    let by_age: HashSet<String> = flips.iter().map(|flip| flip.gap.clone()).collect();
    flips.extend(
        changed_flips(&state.gaps, observed, now).into_iter().filter(|flip| !by_age.contains(&flip.gap)),
    );
    flips
}

type FoundSources = Option<(String, Vec<Source>)>;

fn verify(
    state: &State,
    id: &str,
    finding: FoundSources,
    outcome: Option<Outcome>,
    reason: &str,
    now: Timestamp,
) -> Result<Vec<LedgerEvent>, Rejection> {
    let gap = find(state, id)?;
    let mut flipped = due(state, gap, now);
    let old = if flipped.is_empty() { gap.status } else { GapStatus::Stale };
    if old != GapStatus::Verified {
        let (gap, reason) = (id.to_owned(), reason.to_owned());
        flipped.push(Flip { at: now, gap, old, new: GapStatus::Verified, reason });
    }
    let mut events = flips(flipped);
    let superseded =
        finding.as_ref().and_then(|(text, sources)| renew(gap, text, sources.clone(), now).superseded);
    let (findings, evidence) = finding.map_or((None, Vec::new()), |(text, sources)| (Some(text), sources));
    let gap = id.to_owned();
    events.push(LedgerEvent::GapVerified { gap, at: now, outcome, findings, evidence, superseded });
    Ok(events)
}

pub(super) fn settle(
    state: &State,
    id: &str,
    outcome: Outcome,
    finding: FoundSources,
    now: Timestamp,
) -> Result<Vec<LedgerEvent>, Rejection> {
    match outcome {
        Outcome::FullReport | Outcome::ShortReport => {
            verify(state, id, finding, Some(outcome), &Why::Researched(outcome).to_string(), now)
        }
        Outcome::NoNewFindings => {
            let mut events = flips(due(state, find(state, id)?, now));
            events.push(LedgerEvent::GapChecked { gap: id.to_owned(), at: now });
            Ok(events)
        }
        Outcome::InsufficientData => Ok(flips(due(state, find(state, id)?, now))),
    }
}

/// The flip that is due counts for fields that the edit leaves alone; an edit that sets the status itself wins.
fn edit(state: &State, mut gap: Gap, reason: &str, now: Timestamp) -> Result<Vec<LedgerEvent>, Rejection> {
    let old = find(state, &gap.id)?;
    if *old == gap {
        return Ok(Vec::new());
    }
    let mut flipped = due(state, old, now);
    let mut status = old.status;
    if !flipped.is_empty() {
        status = GapStatus::Stale;
        if gap.status == old.status && gap.last_verified == old.last_verified {
            gap.status = GapStatus::Stale;
        }
    }
    if gap.status != status {
        let (id, reason) = (gap.id.clone(), reason.to_owned());
        flipped.push(Flip { at: now, gap: id, old: status, new: gap.status, reason });
    }
    let mut events = flips(flipped);
    let fields = old.differences(&gap);
    events.push(LedgerEvent::GapEdited { gap: Box::new(gap), fields, at: now });
    Ok(events)
}

fn undo(state: &State, id: &str, now: Timestamp) -> Result<Vec<LedgerEvent>, Rejection> {
    let gap = find(state, id)?;
    let nothing = || Rejection::NothingToUndo(id.to_owned());
    let last = state.flipped.get(id).filter(|last| last.after == gap.status).ok_or_else(nothing)?;
    let reason = Why::Undone.to_string();
    let flip = Flip { at: now, gap: id.to_owned(), old: last.after, new: last.before, reason };
    let restored = last.taken_back(gap);
    let fields = gap.differences(&restored);
    let edited = LedgerEvent::GapEdited { gap: Box::new(restored), fields, at: now };
    Ok(vec![LedgerEvent::GapsFlipped { flips: vec![flip] }, edited])
}

/// What the file brought, merged with what it does not hold yet.
fn adopted(state: &State, digest: String, file: &[Gap], now: Timestamp) -> Vec<LedgerEvent> {
    if state.digest.as_ref() == Some(&digest) {
        return Vec::new();
    }
    if !state.unwritten.is_empty() && by_id(file) == by_id(&state.gaps) {
        // piton's own writing, which nobody was left to record.
        return vec![LedgerEvent::FileWritten { digest }];
    }
    adoption(state, digest, file, merge(&state.base(), file, &state.gaps), now)
}

/// The file as it was left: with all that was wished for, or with edits in between.
fn written(
    state: &State,
    digest: String,
    file: &[Gap],
    overruled: Vec<Overruled>,
    now: Timestamp,
) -> Vec<LedgerEvent> {
    if overruled.is_empty() && file == state.gaps {
        return vec![LedgerEvent::FileWritten { digest }];
    }
    let merged = Merged { overruled, ..merge(&state.gaps, file, &state.gaps) };
    let mut events = match merged.adopted.is_empty() && merged.overruled.is_empty() {
        true => Vec::new(),
        false => adoption(state, digest.clone(), file, merged, now),
    };
    events.push(LedgerEvent::FileWritten { digest });
    events
}

/// Flips by hand are flips, too; then the gaps that differ, a part at a time.
fn adoption(state: &State, digest: String, file: &[Gap], merged: Merged, now: Timestamp) -> Vec<LedgerEvent> {
    let (known, in_file) = (by_id(&state.gaps), by_id(file));
    let kept: HashSet<&str> = merged.gaps.iter().map(|gap| gap.id.as_str()).collect();
    let gone = state.gaps.iter().filter(|gap| !kept.contains(gap.id.as_str()));
    // A removal that the file holds already is not to be done again, either.
    let done = state.unwritten.keys().filter(|id| {
        !known.contains_key(id.as_str()) && !in_file.contains_key(id.as_str()) && !kept.contains(id.as_str())
    });
    let removed: Vec<String> = gone.map(|gap| gap.id.clone()).chain(done.cloned()).collect();
    let reason = Why::EditedByHand.to_string();
    let flip = |gap: &Gap| {
        let old = known.get(gap.id.as_str()).map(|old| old.status).filter(|old| *old != gap.status)?;
        let (gap, new) = (gap.id.clone(), gap.status);
        Some(Flip { at: now, gap, old, new, reason: reason.clone() })
    };
    let mut events = flips(merged.gaps.iter().filter_map(flip).collect());
    // What the file says of a gap that is not written yet is what later edits of it start from.
    let differs = |gap: &Gap| {
        let id = gap.id.as_str();
        known.get(id).is_none_or(|old| **old != *gap)
            || state.unwritten.contains_key(id) && in_file.contains_key(id)
    };
    let mut parts = parts(merged.gaps.into_iter().filter(differs));
    let last = parts.pop().unwrap_or_default();
    let mut adopted = merged.adopted.into_iter();
    let mut part = |gaps: Vec<Gap>, told: usize| {
        // A gap that the file does not have is one that piton is still to add.
        let unlike =
            |gap: &Gap| in_file.get(gap.id.as_str()).filter(|seen| **seen != gap).map(|seen| (*seen).clone());
        let seen = gaps.iter().filter_map(unlike).collect();
        let adopted = adopted.by_ref().take(told).collect();
        let (removed, overruled) = (Vec::new(), Vec::new());
        LedgerEvent::FileAdopted { digest: None, gaps, seen, removed, adopted, overruled, at: now }
    };
    events.extend(parts.into_iter().map(|gaps| {
        let told = gaps.len();
        part(gaps, told)
    }));
    let mut last = part(last, usize::MAX);
    if let LedgerEvent::FileAdopted { digest: seen, removed: gone, overruled, .. } = &mut last {
        (*seen, *gone, *overruled) = (Some(digest), removed, merged.overruled);
    }
    events.push(last);
    events
}

/// The gaps, as many together as go into one event.
fn parts(gaps: impl Iterator<Item = Gap>) -> Vec<Vec<Gap>> {
    let mut parts: Vec<Vec<Gap>> = Vec::new();
    let mut bytes = 0;
    for gap in gaps {
        let own = bytes_of(&gap);
        bytes += own;
        match parts.last_mut().filter(|_| bytes <= BYTES_PER_EVENT) {
            Some(part) => part.push(gap),
            None => {
                bytes = own;
                parts.push(vec![gap]);
            }
        }
    }
    parts
}

/// About how long a gap is in an event, with what is told of its coming.
fn bytes_of(gap: &Gap) -> usize {
    let names = gap.blocks.iter().chain(&gap.blocked_by).map(|name| name.len() + 3).sum::<usize>();
    let texts = 2 * gap.id.len() + gap.category.len() + gap.findings.len() + gap.question.len();
    200 + texts + names + 128 * gap.evidence.len()
}

fn by_id(gaps: &[Gap]) -> HashMap<&str, &Gap> {
    gaps.iter().map(|gap| (gap.id.as_str(), gap)).collect()
}
