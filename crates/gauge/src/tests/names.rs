//! The names of tests: bounded in number and length.
//!
//! A runner that speaks several times in one output does so in runs. A later run may repeat an earlier one, as
//! `npm test || npm test` and `pytest -q || pytest -q --lf` have it: then a test that ran twice is one test.

use std::collections::{HashMap, HashSet};

use super::{Counts, NAME_BYTES_MAX, NAMES_MAX, Named, Outcome};
use crate::text::{clip, digest};

/// The tests that are known by name.
#[derive(Default)]
pub(super) struct Names {
    named: Vec<Named>,
    index: HashMap<u64, usize>,
    cut: u64,
    runs: Vec<Run>,
    /// A run has named a test and not yet ended.
    open: bool,
    /// Where the open run takes place, and where the next one will.
    place: u64,
    next_place: u64,
}

/// A run that ended.
struct Run {
    /// Where its names end.
    end: usize,
    /// What it summed up.
    counts: Counts,
    /// What it ran, if that can be told: the same names elsewhere are other tests.
    place: Option<u64>,
}

impl Names {
    /// How many there are so far.
    pub(super) fn len(&self) -> usize {
        self.named.len()
    }

    /// Whether further names would only be counted; then they need not be put together.
    pub(super) fn is_full(&self) -> bool {
        self.named.len() >= NAMES_MAX
    }

    /// Adds a test, even if there is one of its name.
    pub(super) fn push(&mut self, name: &str, outcome: Outcome, duration_ms: Option<u64>) {
        self.begin_run();
        if self.is_full() {
            self.cut += 1;
            return;
        }
        let name = clip(name, NAME_BYTES_MAX).to_owned();
        self.index.insert(digest(&[name.as_bytes()]), self.named.len());
        self.named.push(Named { name, outcome, duration_ms });
    }

    /// Adds a test, or says anew how it ended. Says whether it was new.
    pub(super) fn set(&mut self, name: &str, outcome: Outcome, duration_ms: Option<u64>) -> bool {
        self.begin_run();
        match self.find(name) {
            Some(known) => {
                known.outcome = outcome;
                known.duration_ms = duration_ms.or(known.duration_ms);
                false
            }
            None => {
                self.push(name, outcome, duration_ms);
                true
            }
        }
    }

    /// The test of this name in the open run, or in the last one until another begins.
    pub(super) fn find(&mut self, name: &str) -> Option<&mut Named> {
        let at = *self.index.get(&digest(&[clip(name, NAME_BYTES_MAX).as_bytes()]))?;
        self.named.get_mut(at)
    }

    /// The last test that this holds for.
    pub(super) fn last_where(&mut self, holds: impl Fn(&Named) -> bool) -> Option<&mut Named> {
        self.named.iter_mut().rev().find(|named| holds(named))
    }

    /// Begins the names from `start` on with `prefix`.
    pub(super) fn prefix(&mut self, start: usize, prefix: &str) {
        for at in start..self.named.len() {
            self.prefix_one(at, prefix);
        }
    }

    /// Begins the names that `is_shared` with `prefix`.
    pub(super) fn prefix_where(&mut self, prefix: &str, is_shared: impl Fn(&str) -> bool) {
        for at in 0..self.named.len() {
            if is_shared(&self.named[at].name) {
                self.prefix_one(at, prefix);
            }
        }
    }

    fn prefix_one(&mut self, at: usize, prefix: &str) {
        let prefix = clip(prefix, NAME_BYTES_MAX);
        let mut name = String::with_capacity(prefix.len() + self.named[at].name.len());
        name.push_str(prefix);
        name.push_str(&self.named[at].name);
        name.truncate(clip(&name, NAME_BYTES_MAX).len());
        self.index.insert(digest(&[name.as_bytes()]), at);
        self.named[at].name = name;
    }

    /// Leaves those from `start` on out that this does not hold for.
    pub(super) fn retain_from(&mut self, start: usize, holds: impl Fn(&Named) -> bool) {
        for named in self.named.split_off(start.min(self.named.len())) {
            let key = digest(&[named.name.as_bytes()]);
            if holds(&named) {
                self.index.insert(key, self.named.len());
                self.named.push(named);
            } else {
                self.index.remove(&key);
            }
        }
    }

    /// Every name, as often as there are tests of it.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.named.iter().map(|named| named.name.as_str())
    }

    /// Says where the runs that begin from now on take place.
    pub(super) fn place(&mut self, place: u64) {
        self.next_place = place;
    }

    /// A run begins, unless one is open.
    pub(super) fn begin_run(&mut self) {
        if !self.open {
            self.index.clear();
            (self.open, self.place) = (true, self.next_place);
        }
    }

    /// The open run ends with this sum.
    pub(super) fn end_run(&mut self, counts: Counts) {
        self.begin_run();
        let place = Some(self.place);
        self.end_run_of(counts, place);
    }

    /// The open run ends with this sum, and ran this. Gives its number.
    pub(super) fn end_run_of(&mut self, counts: Counts, place: Option<u64>) -> usize {
        self.open = false;
        self.runs.push(Run { end: self.named.len(), counts, place });
        self.runs.len() - 1
    }

    /// Says what a run that ended has run.
    pub(super) fn place_run(&mut self, run: usize, place: u64) {
        if let Some(run) = self.runs.get_mut(run) {
            run.place = Some(place);
        }
    }

    /// Leaves each test out that a later run repeats, and gives what those results come to.
    ///
    /// One run repeats the other where all tests of either were run by both. Where they only have some names in
    /// common, these are namesakes.
    pub(super) fn leave_out_repeated(&mut self) -> Counts {
        let mut left_out = Counts::default();
        if self.runs.len() < 2 {
            return left_out;
        }
        let mut repeats = Repeats::default();
        let mut start = 0;
        for run in &self.runs {
            let skipped = repeats.take(run, &self.named[start..run.end]);
            left_out.skipped = left_out.skipped.saturating_add(skipped);
            start = run.end;
        }
        let (mut at, mut run) = (0, 0);
        let ends: Vec<usize> = self.runs.iter().map(|run| run.end).collect();
        self.named.retain(|named| {
            while ends.get(run).is_some_and(|end| *end <= at) {
                run += 1;
            }
            at += 1;
            let is_repeated = repeats.repeated.contains(&(run, digest(&[named.name.as_bytes()])));
            if is_repeated {
                left_out.one(named.outcome);
            }
            !is_repeated
        });
        (self.index, self.runs) = (HashMap::new(), Vec::new());
        left_out
    }

    pub(super) fn into_parts(self) -> (Vec<Named>, u64) {
        (self.named, self.cut)
    }
}

/// Finds the runs that repeat others.
#[derive(Default)]
struct Repeats {
    /// The last run that had a test, by place and name.
    last: HashMap<(u64, u64), usize>,
    runs: Vec<Known>,
    /// Tests of runs that a later one has repeated.
    repeated: HashSet<(usize, u64)>,
}

/// What there is to know of a run.
struct Known {
    /// Names that no later run has repeated.
    left: usize,
    /// Every test that passed or failed has a name.
    is_named: bool,
    /// How many were skipped without being named.
    skipped: u64,
}

impl Repeats {
    /// Takes the next run in, and gives how many of the tests skipped without a name were so before.
    fn take(&mut self, run: &Run, named: &[Named]) -> u64 {
        let known = known(run, named);
        let at = self.runs.len();
        let mut again: u64 = 0;
        if let Some(place) = run.place {
            let names: HashSet<u64> = named.iter().map(|named| digest(&[named.name.as_bytes()])).collect();
            let before = self.repeated_by(place, &names, known.is_named);
            for run in &before {
                let skipped = self.runs[*run].skipped.min(known.skipped);
                self.runs[*run].skipped -= skipped;
                again = again.saturating_add(skipped);
            }
            for name in names {
                if let Some(run) = self.last.insert((place, name), at).filter(|run| before.contains(run)) {
                    self.repeated.insert((run, name));
                    self.runs[run].left -= 1;
                }
            }
        }
        self.runs.push(known);
        again
    }

    /// The earlier runs that one of these names repeats.
    fn repeated_by(&self, place: u64, names: &HashSet<u64>, is_named: bool) -> HashSet<usize> {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for name in names {
            if let Some(run) = self.last.get(&(place, *name)) {
                *shared.entry(*run).or_default() += 1;
            }
        }
        let is_repeat = |(run, shared): &(usize, usize)| {
            let before = &self.runs[*run];
            (before.is_named && *shared == before.left) || (is_named && *shared == names.len())
        };
        shared.into_iter().filter(is_repeat).map(|(run, _)| run).collect()
    }
}

fn known(run: &Run, named: &[Named]) -> Known {
    let mut counts = Counts::default();
    named.iter().for_each(|named| counts.one(named.outcome));
    let has_names = named.iter().all(|named| !named.name.is_empty());
    let distinct: HashSet<&str> = named.iter().map(|named| named.name.as_str()).collect();
    Known {
        left: distinct.len(),
        is_named: has_names && counts.passed == run.counts.passed && counts.failed == run.counts.failed,
        skipped: run.counts.skipped.saturating_sub(counts.skipped),
    }
}
