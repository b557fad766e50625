//! The names of tests: bounded in number and length, each kept once.

use std::collections::HashMap;

use super::{NAME_BYTES_MAX, NAMES_MAX, Named, Outcome};
use crate::text::{clip, digest};

/// The tests that are known by name.
#[derive(Default)]
pub(super) struct Names {
    named: Vec<Named>,
    index: HashMap<u64, usize>,
    cut: u64,
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

    /// The test of this name.
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
        let prefix = clip(prefix, NAME_BYTES_MAX);
        for at in start..self.named.len() {
            let mut name = String::with_capacity(prefix.len() + self.named[at].name.len());
            name.push_str(prefix);
            name.push_str(&self.named[at].name);
            name.truncate(clip(&name, NAME_BYTES_MAX).len());
            self.index.insert(digest(&[name.as_bytes()]), at);
            self.named[at].name = name;
        }
    }

    pub(super) fn into_parts(self) -> (Vec<Named>, u64) {
        (self.named, self.cut)
    }
}
