//! Following tests from the old tree to the new one: through renames, moves and rewrites.
//!
//! Only files that differ are looked at. A test is followed by its id in the same file, then by its id in
//! another, then by what it does; what is left over is gone, or new.

use std::collections::BTreeMap;

use crate::comparison::Comparison;
use crate::similar::Fingerprint;

/// Code that is less alike than this is another test.
const SIMILARITY_MIN: f64 = 0.6;

/// A test: which changed file, which test of it.
pub(crate) type At = (usize, usize);

/// Which test became which.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    /// Old and new.
    pub(crate) pairs: Vec<(At, At)>,
    /// Old ones that nothing became.
    pub(crate) removed: Vec<At>,
    /// New ones that nothing was.
    pub(crate) added: Vec<At>,
}

/// Follows every test of the changed files.
pub(crate) fn follow(comparison: &Comparison) -> Followed {
    let mut following = Following::new(comparison);
    following.by_key(|(file, _), id| format!("{file}\0{id}"));
    following.by_key(|_, id| id.to_owned());
    following.by_likeness();
    following.result
}

struct Following<'a> {
    comparison: &'a Comparison,
    result: Followed,
}

impl<'a> Following<'a> {
    fn new(comparison: &'a Comparison) -> Self {
        let all = |old: bool| {
            let files = comparison.files.iter().enumerate();
            files
                .flat_map(move |(file, changed)| {
                    let side = if old { &changed.before } else { &changed.after };
                    let count = side.as_ref().map_or(0, |side| side.tests().len());
                    (0..count).map(move |test| (file, test))
                })
                .collect()
        };
        let result = Followed { pairs: Vec::new(), removed: all(true), added: all(false) };
        Self { comparison, result }
    }

    /// Pairs what has the same key, in order where several do.
    fn by_key(&mut self, key: impl Fn(At, &str) -> String) {
        let mut wanted: BTreeMap<String, Vec<At>> = BTreeMap::new();
        for at in self.result.added.iter().rev() {
            wanted.entry(key(*at, &self.comparison.new_test(*at).id)).or_default().push(*at);
        }
        let comparison = self.comparison;
        let mut pairs = Vec::new();
        self.result.removed.retain(|old| {
            let found = wanted.get_mut(&key(*old, &comparison.old_test(*old).id)).and_then(Vec::pop);
            pairs.extend(found.map(|new| (*old, new)));
            found.is_none()
        });
        self.take(pairs);
    }

    /// Pairs what does nearly the same, the most alike first.
    fn by_likeness(&mut self) {
        let comparison = self.comparison;
        let old: Vec<_> = self.result.removed.iter().map(|at| (*at, comparison.old_print(*at))).collect();
        let new: Vec<_> = self.result.added.iter().map(|at| (*at, comparison.new_print(*at))).collect();
        let mut candidates: Vec<(f64, At, At)> = Vec::new();
        for (old_at, old_print) in &old {
            for (new_at, new_print) in &new {
                let likeness = likeness(old_print, new_print, old_at.0 == new_at.0);
                if likeness >= SIMILARITY_MIN {
                    candidates.push((likeness, *old_at, *new_at));
                }
            }
        }
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
        let mut pairs: Vec<(At, At)> = Vec::new();
        for (_, old, new) in candidates {
            if pairs.iter().all(|pair| pair.0 != old && pair.1 != new) {
                pairs.push((old, new));
            }
        }
        self.result.removed.retain(|at| pairs.iter().all(|pair| pair.0 != *at));
        self.take(pairs);
    }

    fn take(&mut self, pairs: Vec<(At, At)>) {
        self.result.added.retain(|at| pairs.iter().all(|pair| pair.1 != *at));
        self.result.pairs.extend(pairs);
    }
}

/// The same file says a little in favour.
fn likeness(old: &Fingerprint, new: &Fingerprint, same_file: bool) -> f64 {
    old.similarity(new) + if same_file { 0.02 } else { 0.0 }
}
