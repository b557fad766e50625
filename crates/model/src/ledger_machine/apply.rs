//! Folding an event into the state. Total: an event in the journal is a fact, whatever the state.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::event::LedgerEvent;
use super::research::{Research, ResearchResult, Rest, Used};
use super::state::{LastFlip, State};
use crate::ledger::{Flip, Gap, GapStatus, mark_checked, mark_verified};

/// The state after `event`; `None` only where the first event is not [`LedgerEvent::LedgerOpened`].
pub fn apply(state: Option<State>, event: &LedgerEvent) -> Option<State> {
    let Some(mut state) = state else { return born(event) };
    fold(&mut state, event);
    Some(state)
}

fn born(event: &LedgerEvent) -> Option<State> {
    let LedgerEvent::LedgerOpened { run, file, log, default_ttl_days } = event else { return None };
    Some(State {
        run: run.clone(),
        file: file.clone(),
        log: log.clone(),
        default_ttl_days: *default_ttl_days,
        gaps: Vec::new(),
        digest: None,
        unwritten: Default::default(),
        unlogged: Default::default(),
        log_end: None,
        stale_since: Default::default(),
        flipped: Default::default(),
        research: None,
        researches: 0,
        attempts: 0,
        rests: Default::default(),
        watch: None,
        created_at: crate::Timestamp::from_millis(0),
        updated_at: crate::Timestamp::from_millis(0),
        index: Default::default(),
    })
}

fn fold(state: &mut State, event: &LedgerEvent) {
    match event {
        // A ledger is opened once; settings of a later piton are settings all the same.
        LedgerEvent::LedgerOpened { default_ttl_days, log, .. } => {
            state.default_ttl_days = *default_ttl_days;
            if state.log != *log {
                state.log.clone_from(log);
                state.log_end = None;
            }
        }
        LedgerEvent::FileAdopted { digest, gaps, seen, removed, .. } => {
            adopt(state, gaps, seen, removed);
            if digest.is_some() {
                state.digest.clone_from(digest);
            }
        }
        LedgerEvent::GapsFlipped { flips } => flips.iter().for_each(|flip| flipped(state, flip)),
        LedgerEvent::GapChecked { gap, at } => {
            // A check of something that is due flips it first, in the same moment. The check is the later of the two.
            if state.stale_since.get(gap) == Some(at) {
                let before = crate::Timestamp::from_millis(at.as_millis() - 1);
                Arc::make_mut(&mut state.stale_since).insert(gap.clone(), before);
            }
            change(state, gap, |gap| mark_checked(gap, *at));
        }
        LedgerEvent::GapVerified { gap, at, findings, evidence, .. } => change(state, gap, |gap| {
            let mut gap = mark_verified(gap, *at);
            if let Some(findings) = findings {
                gap.findings.clone_from(findings);
                gap.evidence.clone_from(evidence);
            }
            gap
        }),
        LedgerEvent::GapEdited { gap, .. } => change(state, &gap.id, |_| (**gap).clone()),
        LedgerEvent::GapAdded { gap, .. } => {
            unwritten(state).entry(gap.id.clone()).or_insert(None);
            state.index.add(gap, state.gaps.len());
            state.gaps.push((**gap).clone());
        }
        LedgerEvent::GapRemoved { gap, .. } => {
            if let Some(place) = state.place(gap) {
                let old = state.gaps.remove(place);
                state.index.clear();
                unwritten(state).entry(gap.clone()).or_insert(Some(old));
                forget(state, gap);
            }
        }
        LedgerEvent::FileWritten { digest } => {
            state.digest = Some(digest.clone());
            state.unwritten = Default::default();
        }
        LedgerEvent::FlipsLogged { count, end } => {
            match state.unlogged.get(*count..) {
                Some(rest) if !rest.is_empty() => state.unlogged = Arc::new(rest.to_vec()),
                _ => state.unlogged = Default::default(),
            }
            state.log_end = Some(*end);
        }
        LedgerEvent::ResearchBegun { number, gaps, forced, limits, before, terms, .. } => {
            state.researches = *number;
            let (waiting, limits) = (gaps.clone(), *limits);
            state.research = Some(Research {
                number: *number,
                waiting,
                forced: *forced,
                open: None,
                limits,
                before: *before,
                spent: Default::default(),
                settled: 0,
                failed: 0,
                lost: 0,
                terms: *terms,
            });
        }
        LedgerEvent::ResearchAttemptStarted { open } => {
            state.attempts = open.attempt;
            if let Some(research) = &mut state.research {
                research.waiting.retain(|gap| *gap != open.gap.id);
                research.open = Some(open.clone());
            }
        }
        LedgerEvent::ResearchAttemptEnded { result, used, rest, .. } => {
            attempt_ended(state, result, used, *rest);
        }
        LedgerEvent::ResearchSkipped { gap } => {
            if let Some(research) = &mut state.research {
                research.waiting.retain(|other| other != gap);
            }
        }
        LedgerEvent::ResearchEnded { .. } => state.research = None,
        LedgerEvent::WatchSet { until } => state.watch = *until,
        LedgerEvent::CheckpointTaken { .. } => {}
    }
}

fn attempt_ended(state: &mut State, result: &ResearchResult, used: &Used, rest: Option<Rest>) {
    let Some(research) = &mut state.research else { return };
    research.charge(used);
    let Some(open) = research.open.take() else { return };
    match result {
        ResearchResult::Settled { .. } | ResearchResult::Overruled { .. } => research.settled += 1,
        ResearchResult::Lost { .. } => {
            research.lost += 1;
            research.waiting.insert(0, open.gap.id.clone());
        }
        ResearchResult::Failed { .. } => research.failed += 1,
    }
    if let Some(rest) = rest {
        state.rests.insert(open.gap.id.clone(), rest);
    }
}

/// What the file says is what both the file and piton say from here on; wishes that it does not hold stay open.
fn adopt(state: &mut State, gaps: &[Gap], seen: &[Gap], removed: &[String]) {
    let gone: HashSet<&str> = removed.iter().map(String::as_str).collect();
    if !gone.is_empty() {
        state.gaps.retain(|gap| !gone.contains(gap.id.as_str()));
        state.index.clear();
        for gap in removed {
            unwritten(state).remove(gap);
            forget(state, gap);
        }
    }
    for gap in gaps {
        unwritten(state).remove(&gap.id);
        match state.place(&gap.id) {
            Some(place) => {
                let old = std::mem::replace(&mut state.gaps[place], gap.clone());
                // The flip of a status that the file says came first.
                let flips = old.last_verified != gap.last_verified;
                remember(state, &old, gap, flips);
            }
            None => {
                state.index.add(gap, state.gaps.len());
                state.gaps.push(gap.clone());
            }
        }
    }
    unwritten(state).extend(seen.iter().map(|gap| (gap.id.clone(), Some(gap.clone()))));
}

/// Changes a gap, with its last flip or by itself. What flips a gap leaves `decide` together with the flip, right behind it, and
/// every flip is logged before the next command.
fn change(state: &mut State, id: &str, change: impl Fn(&Gap) -> Gap) {
    let with_flip = state.unlogged.last().is_some_and(|flip| flip.gap == id);
    if let Some(place) = state.place(id) {
        let gap = &mut state.gaps[place];
        let new = change(gap);
        let old = std::mem::replace(gap, new.clone());
        remember(state, &old, &new, with_flip);
        unwritten(state).entry(id.to_owned()).or_insert(Some(old));
    }
}

/// What undoing the last flip of this gap is to put back, now that it changed again.
fn remember(state: &mut State, old: &Gap, new: &Gap, with_flip: bool) {
    if !state.flipped.contains_key(&new.id) {
        return;
    }
    if let Some(last) = Arc::make_mut(&mut state.flipped).get_mut(&new.id) {
        match with_flip {
            true => last.changed_with_it(old, new),
            false => last.changed_since(old, new),
        }
    }
}

fn flipped(state: &mut State, flip: &Flip) {
    if flip.new == GapStatus::Stale {
        Arc::make_mut(&mut state.stale_since).insert(flip.gap.clone(), flip.at);
    }
    if let Some(place) = state.place(&flip.gap) {
        let gap = &mut state.gaps[place];
        let last = LastFlip::of(gap, flip.new);
        let new = gap.with(|gap| gap.status = flip.new);
        let old = std::mem::replace(gap, new);
        Arc::make_mut(&mut state.flipped).insert(flip.gap.clone(), last);
        unwritten(state).entry(flip.gap.clone()).or_insert(Some(old));
    }
    Arc::make_mut(&mut state.unlogged).push(flip.clone());
}

fn unwritten(state: &mut State) -> &mut BTreeMap<String, Option<Gap>> {
    Arc::make_mut(&mut state.unwritten)
}

fn forget(state: &mut State, gap: &str) {
    Arc::make_mut(&mut state.stale_since).remove(gap);
    Arc::make_mut(&mut state.flipped).remove(gap);
    state.rests.remove(gap);
}
