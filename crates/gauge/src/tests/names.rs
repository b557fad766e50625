//! The names of tests: bounded in number and length.
//!
//! A runner that speaks several times in one output does so in runs, each of which ends here with its sum. Whether a later
//! one repeats an earlier one is found in `repeats`.

mod repeats;

use std::collections::HashMap;

use super::{Asked, Counts, Doubt, NAME_BYTES_MAX, NAMES_MAX, Named, Outcome};
use repeats::{Repeats, Run};

use crate::text::{clip, digest};
pub(super) use repeats::Place;

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
    place: Place,
    next_place: Place,
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
        self.next_place = Place::Said(place);
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
        self.end_run_of(counts, self.place);
    }

    /// The open run ends with this sum, and took place there. Gives its number.
    pub(super) fn end_run_of(&mut self, counts: Counts, place: Place) -> usize {
        self.open = false;
        self.runs.push(Run { end: self.named.len(), counts, place });
        self.runs.len() - 1
    }

    /// Says where a run that ended took place.
    pub(super) fn place_run(&mut self, run: usize, place: u64) {
        if let Some(run) = self.runs.get_mut(run) {
            run.place = Place::Said(place);
        }
    }

    /// Leaves each test out that a later run repeats, and gives what those results come to, and how sure that is.
    pub(super) fn leave_out_repeated(&mut self, asked: Asked) -> (Counts, Doubt) {
        let runs = std::mem::take(&mut self.runs);
        if runs.len() < 2 || asked.elsewhere {
            return Default::default();
        }
        let mut repeats = Repeats::default();
        let mut start = 0;
        for (at, run) in runs.iter().enumerate() {
            // Where a check fails although its last run is content, an earlier one counts as well.
            let is_contrary = at + 1 == runs.len() && asked.passed == Some(false);
            repeats.take(run, &self.named[start..run.end], is_contrary);
            start = run.end;
        }
        let (mut at, mut run) = (0, 0);
        let mut left_out = repeats.left_out;
        self.named.retain(|named| {
            while runs.get(run).is_some_and(|run| run.end <= at) {
                run += 1;
            }
            at += 1;
            if repeats.is_replaced(run, named) {
                return false;
            }
            let is_repeated = repeats.is_repeated(run, named);
            if is_repeated {
                left_out.one(named.outcome);
            }
            !is_repeated
        });
        self.index = HashMap::new();
        (left_out, repeats.doubt)
    }

    pub(super) fn into_parts(self) -> (Vec<Named>, u64) {
        (self.named, self.cut)
    }
}
