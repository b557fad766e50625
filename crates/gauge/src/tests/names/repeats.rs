//! Which runs repeat others: `npm test || npm test` and `pytest -q || pytest -q --lf` run a test twice, which is one test;
//! `(cd a; pytest -q); (cd b; pytest -q)` runs namesakes, which are two.
//!
//! Two runs can be the same tests where all names of either are in both; where they only have some in common, these
//! are namesakes. Of runs that do not name what passes only their sums can be compared.
//!
//! - Where both say that they took place in the same place, the later one repeats the earlier one.
//! - Where neither says, it does if the earlier one failed, as `||` has it.
//! - Everything else that could be a repetition is counted as none, and [`Doubt`] says by how much that may be wrong.

use std::collections::{HashMap, HashSet};

use crate::tests::{Counts, Doubt, Named, Outcome};
use crate::text::digest;

/// A run that ended.
pub(super) struct Run {
    /// Where its names end.
    pub end: usize,
    /// What it summed up.
    pub counts: Counts,
    pub place: Place,
}

/// Where a run took place: the same names elsewhere are other tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::tests) enum Place {
    /// This package, directory or binary.
    Said(u64),
    /// Nobody says.
    #[default]
    Unsaid,
    /// Nobody says, and the runner sums up several times whenever it runs: a module, a binary.
    Part,
}

/// Finds the runs that repeat others.
#[derive(Default)]
pub(super) struct Repeats {
    runs: Vec<Known>,
    /// The last run that had a test, by place and name.
    last: HashMap<(Place, u64), usize>,
    /// The last run that ran so many, or of which so many failed, among those that do not name what passes.
    sums: HashMap<(Place, u64), usize>,
    /// The most that one of those ran, if one has failed.
    most: HashMap<Place, u64>,
    /// A run has failed.
    failed: bool,
    /// Tests of runs that a later one has repeated, and runs that are repeated as a whole or in what failed.
    repeated: HashSet<(usize, u64)>,
    replaced: HashMap<usize, Replaced>,
    /// What runs came to of which a later one ran the same again without naming it.
    pub left_out: Counts,
    pub doubt: Doubt,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Replaced {
    Whole,
    Failures,
}

/// What there is to know of a run.
struct Known {
    counts: Counts,
    /// Names that no later run has repeated.
    left: usize,
    /// Every test that passed or failed has a name.
    is_named: bool,
    /// How many were skipped without being named.
    skipped: u64,
}

impl Repeats {
    /// Takes the next run in; one that is contrary is content, and what ran it is not.
    pub(super) fn take(&mut self, run: &Run, named: &[Named], is_contrary: bool) {
        let known = Known::of(run, named);
        let is_contrary = is_contrary && known.counts.failed == 0;
        let names: HashSet<u64> = named.iter().map(key).collect();
        let related = self.related(run.place, &names, known.is_named);
        if related.is_empty() {
            self.compare_sums(run.place, &known, is_contrary);
        } else {
            self.compare_names(run.place, &known, related, &names, is_contrary);
        }
        let at = self.runs.len();
        self.last.extend(names.into_iter().map(|name| ((run.place, name), at)));
        if !known.is_named && known.ran() > 0 {
            self.sums.insert((run.place, known.counts.failed), at);
            self.sums.insert((run.place, known.ran()), at);
            let most = self.most.entry(run.place).or_default();
            *most = known.ran().max(*most);
        }
        self.failed |= known.counts.failed > 0;
        self.runs.push(known);
    }

    /// The earlier runs that can be the same tests, with how many of these names they have.
    fn related(&self, place: Place, names: &HashSet<u64>, is_named: bool) -> HashMap<usize, usize> {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for name in names {
            if let Some(run) = self.last.get(&(place, *name)) {
                *shared.entry(*run).or_default() += 1;
            }
        }
        shared.retain(|run, shared| {
            let before = &self.runs[*run];
            (before.is_named && *shared == before.left) || (is_named && *shared == names.len())
        });
        shared
    }

    fn compare_names(
        &mut self,
        place: Place,
        known: &Known,
        mut related: HashMap<usize, usize>,
        names: &HashSet<u64>,
        is_contrary: bool,
    ) {
        related.retain(|run, shared| {
            let is_repeat = match place {
                Place::Said(_) => true,
                Place::Unsaid => self.runs[*run].counts.failed > 0 && !is_contrary,
                Place::Part => false,
            };
            self.doubt.add(place, is_repeat, *shared as u64);
            is_repeat
        });
        for run in related.keys() {
            let skipped = self.runs[*run].skipped.min(known.skipped);
            self.runs[*run].skipped -= skipped;
            self.left_out.skipped = self.left_out.skipped.saturating_add(skipped);
        }
        for name in names {
            if let Some(run) = self.last.get(&(place, *name)).filter(|run| related.contains_key(run)) {
                self.repeated.insert((*run, *name));
                self.runs[*run].left -= 1;
            }
        }
    }

    /// A run that does not name what passes can repeat one that failed, if it runs no more than that.
    fn compare_sums(&mut self, place: Place, known: &Known, is_contrary: bool) {
        let ran = known.ran();
        if known.is_named || ran == 0 || !self.failed {
            return;
        }
        let before = self.sums.get(&(place, ran)).copied();
        let again =
            before.filter(|run| self.runs[*run].counts.failed > 0 && !self.replaced.contains_key(run));
        if let Some(run) = again.filter(|_| place != Place::Part && !is_contrary) {
            let counts = self.runs[run].counts;
            let (replaced, left_out) = match self.runs[run].ran() == ran {
                true => (Replaced::Whole, counts),
                false => (Replaced::Failures, Counts { failed: counts.failed, ..Counts::default() }),
            };
            self.replaced.insert(run, replaced);
            self.left_out.add(left_out);
            self.doubt.add(place, true, ran);
        } else if self.most.get(&place).is_some_and(|most| ran <= *most) {
            self.doubt.add(place, false, ran);
        }
    }

    /// Whether a test of this run was run again without a name.
    pub(super) fn is_replaced(&self, run: usize, named: &Named) -> bool {
        match self.replaced.get(&run) {
            Some(Replaced::Whole) => true,
            Some(Replaced::Failures) => matches!(named.outcome, Outcome::Failed | Outcome::TimedOut),
            None => false,
        }
    }

    /// Whether a later run has a test of this one by name.
    pub(super) fn is_repeated(&self, run: usize, named: &Named) -> bool {
        self.repeated.contains(&(run, key(named)))
    }
}

impl Known {
    fn of(run: &Run, named: &[Named]) -> Self {
        let mut counts = Counts::default();
        named.iter().for_each(|named| counts.one(named.outcome));
        let has_names = named.iter().all(|named| !named.name.is_empty());
        let distinct: HashSet<&str> = named.iter().map(|named| named.name.as_str()).collect();
        Self {
            counts: run.counts,
            left: distinct.len(),
            is_named: has_names && counts.passed == run.counts.passed && counts.failed == run.counts.failed,
            skipped: run.counts.skipped.saturating_sub(counts.skipped),
        }
    }

    fn ran(&self) -> u64 {
        self.counts.passed.saturating_add(self.counts.failed)
    }
}

fn key(named: &Named) -> u64 {
    digest(&[named.name.as_bytes()])
}
