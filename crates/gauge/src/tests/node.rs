//! `node --test` with its `spec` reporter: a tree of suites and tests, `ℹ tests 5` and so on, and the failures told.

use super::names::Names;
use super::outline::Outline;
use super::{Counts, Line, Outcome, Reader, Tally};
use crate::text::{duration_ms, trailing_parenthesis, whole_number};

#[derive(Default)]
pub(super) struct Node {
    outline: Outline,
    /// The failures are told once more after the sums.
    telling: bool,
    /// `test at a.test.js:3:1` has come, which newer versions write before each failure that is told.
    located: bool,
    locates: bool,
    failure: Option<String>,
    /// The sums so far of the open run.
    sum: Option<Counts>,
    seen: Counts,
    counts: Counts,
    sums: u64,
    names: Names,
}

impl Reader for Node {
    fn line(&mut self, line: &Line<'_>) {
        let first = line.body.as_bytes()[0];
        if first < 0x80 {
            if line.body.starts_with("'test timed out after ") {
                self.timed_out();
            } else if self.telling && line.text.starts_with("test at ") {
                (self.located, self.locates) = (true, true);
            }
            return;
        }
        let mut characters = line.body.chars();
        let symbol = characters.next().unwrap_or_default();
        let title = characters.as_str().trim();
        match symbol {
            'ℹ' => self.summed(title),
            '▶' => self.suite(line.indent(), title),
            '✔' | '✖' | '﹣' if !title.is_empty() => self.test(line.indent(), symbol, title),
            _ => {}
        }
    }

    fn place(&mut self, place: u64) {
        self.names.place(place);
    }

    fn finish(mut self: Box<Self>, certain: bool) -> Option<Tally> {
        // Sums that were cut off are no sums.
        let is_cut = self.sum.take().is_some();
        let is_open = is_cut || !self.seen.is_empty();
        if self.sums == 0 && !is_cut && !(certain && is_open) {
            return None;
        }
        let mut counts = self.counts;
        counts.add(self.seen);
        self.names.end_run(self.seen);
        Some(counts.ended(self.names, is_open, false))
    }
}

impl Node {
    fn summed(&mut self, text: &str) {
        let Some((word, count)) = text.rsplit_once(' ') else { return };
        if word == "duration_ms" {
            return self.close();
        }
        let Some(count) = whole_number(count) else { return };
        if word == "tests" {
            self.close();
            self.sum = Some(Counts::default());
        }
        let Some(sum) = &mut self.sum else { return };
        match word {
            "pass" => sum.passed = count,
            "fail" | "cancelled" => sum.failed = sum.failed.saturating_add(count),
            "skipped" | "todo" => sum.skipped = sum.skipped.saturating_add(count),
            _ => {}
        }
    }

    fn close(&mut self) {
        if let Some(sum) = self.sum.take() {
            self.counts.add(sum);
            self.names.end_run(sum);
            self.sums += 1;
            self.seen = Counts::default();
        }
    }

    fn suite(&mut self, indent: usize, title: &str) {
        self.telling = false;
        // With a time it ends, without one it begins.
        match timed(title) {
            Some(_) => self.outline.leave(indent),
            None => self.outline.open(indent, title),
        }
    }

    fn test(&mut self, indent: usize, symbol: char, title: &str) {
        if title == "failing tests:" {
            (self.telling, self.located, self.locates) = (true, false, false);
            return;
        }
        let (without, directive) = title.split_once(" # ").unwrap_or((title, ""));
        let (title, duration) = timed(without).map_or((without, None), |(title, time)| (title, Some(time)));
        // What passed, or has no place where failures have one, is of another run.
        let is_told = symbol == '✖' && self.located == self.locates;
        self.telling &= is_told;
        self.located = false;
        if self.telling {
            self.failure = Some(title.to_owned());
            return;
        }
        if self.outline.at(indent) == Some(title) {
            return self.outline.leave(indent);
        }
        let outcome = match symbol {
            _ if directive.starts_with("SKIP") || directive.starts_with("TODO") => Outcome::Skipped,
            '✔' => Outcome::Passed,
            '✖' => Outcome::Failed,
            _ => Outcome::Skipped,
        };
        self.failure = (outcome == Outcome::Failed).then(|| title.to_owned());
        let name = self.outline.name("", indent, title);
        self.seen.one(outcome);
        self.names.push(&name, outcome, duration);
    }

    fn timed_out(&mut self) {
        let Some(title) = self.failure.take() else { return };
        let known = self.names.last_where(|named| {
            named.outcome == Outcome::Failed
                && named
                    .name
                    .strip_suffix(&*title)
                    .is_some_and(|rest| rest.is_empty() || rest.ends_with(" > "))
        });
        if let Some(known) = known {
            known.outcome = Outcome::TimedOut;
        }
    }
}

fn timed(title: &str) -> Option<(&str, u64)> {
    trailing_parenthesis(title).and_then(|(title, time)| Some((title, duration_ms(time)?)))
}
