//! mocha's `spec`: a tree of suites and tests, then `3 passing`, `1 pending`, `1 failing`, and the failures told.
//!
//! Only its sums tell it from other trees, so that a run without them is not recognised unless mocha was asked for.

use super::names::Names;
use super::outline::Outline;
use super::{Counts, Line, Outcome, Reader, Tally};
use crate::text::{duration_ms, number, trailing_parenthesis};

#[derive(Default)]
pub(super) struct Mocha {
    outline: Outline,
    /// Names of failures by their number, of this run.
    failures: Vec<String>,
    /// The failure that is being told.
    telling: Option<usize>,
    summed: bool,
    seen: Counts,
    counts: Counts,
    /// Failures that were seen and not summed up: the sums themselves were cut off.
    untold: u64,
    sums: u64,
    names: Names,
}

impl Reader for Mocha {
    fn line(&mut self, line: &Line<'_>) {
        if line.indent() == 0 {
            return;
        }
        if self.sum(line.body) {
            return;
        }
        if self.summed {
            self.told(line);
        } else {
            self.test(line);
        }
    }

    fn place(&mut self, place: u64) {
        self.names.place(place);
    }

    fn finish(mut self: Box<Self>, certain: bool) -> Option<Tally> {
        let is_open = !self.seen.is_empty();
        if self.sums == 0 && !(certain && is_open) {
            return None;
        }
        let mut counts = self.counts;
        counts.add(self.seen);
        self.names.end_run(self.seen);
        counts.add(Counts { failed: self.untold, ..Counts::default() });
        Some(counts.ended(self.names, is_open || self.untold > 0, false))
    }
}

impl Mocha {
    fn sum(&mut self, body: &str) -> bool {
        let Some((count, rest)) = number(body) else { return false };
        if let Some(time) = rest.strip_prefix(" passing (") {
            if duration_ms(time.trim_end_matches(')')).is_none() {
                return false;
            }
            self.counts.add(Counts { passed: count, ..Counts::default() });
            self.sums += 1;
            self.untold = self.untold.saturating_add(self.seen.failed);
            // All of its tests are in the tree.
            self.names.end_run(self.seen);
            (self.summed, self.seen) = (true, Counts::default());
            self.outline.clear();
        } else if self.summed && rest == " pending" {
            self.counts.add(Counts { skipped: count, ..Counts::default() });
        } else if self.summed && rest == " failing" {
            self.counts.add(Counts { failed: count, ..Counts::default() });
            self.untold = self.untold.saturating_sub(count);
        } else {
            return false;
        }
        true
    }

    fn test(&mut self, line: &Line<'_>) {
        let (body, indent) = (line.body, line.indent());
        let mut characters = body.chars();
        let (outcome, title) = match characters.next() {
            Some('✔' | '✓' | '√') => (Outcome::Passed, characters.as_str()),
            Some('-') if body.starts_with("- ") => (Outcome::Skipped, characters.as_str()),
            Some('0'..='9') => match number(body).and_then(|(_, rest)| rest.strip_prefix(") ")) {
                Some(title) => (Outcome::Failed, title),
                None => return,
            },
            _ => return self.outline.open(indent, body),
        };
        let title = title.trim();
        let timed = trailing_parenthesis(title).and_then(|(title, time)| Some((title, duration_ms(time)?)));
        let (title, duration) = timed.map_or((title, None), |(title, time)| (title, Some(time)));
        let name = self.outline.name("", indent, title);
        self.seen.one(outcome);
        if outcome == Outcome::Failed && self.failures.len() < super::NAMES_MAX {
            self.failures.push(name.clone());
        }
        self.names.push(&name, outcome, duration);
    }

    /// What went wrong, after the sums; or the tree of the next run.
    fn told(&mut self, line: &Line<'_>) {
        let body = line.body;
        if line.indent() == 4 && body.starts_with("1) ") && self.outline.at(2).is_some() {
            self.next_run(line);
        } else if let Some((count, _)) = number(body).filter(|(_, rest)| rest.starts_with(") ")) {
            self.telling = usize::try_from(count).ok();
        } else if body.starts_with("Error: Timeout of ") {
            let name = self.telling.and_then(|count| self.failures.get(count.checked_sub(1)?)).cloned();
            if let Some(known) = name.and_then(|name| self.names.find(&name)) {
                known.outcome = Outcome::TimedOut;
            }
        } else if line.indent() <= 4 && body.starts_with(['✔', '✓']) {
            self.next_run(line);
        } else if line.indent() == 2 {
            self.outline.open(2, body);
        }
    }

    fn next_run(&mut self, line: &Line<'_>) {
        self.summed = false;
        self.failures.clear();
        self.test(line);
    }
}
