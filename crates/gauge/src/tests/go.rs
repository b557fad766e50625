//! `go test`: a line per package, with `-v` a line per test before it, with `-json` an object per event.
//!
//! Without `-v` only failures are named, and how many passed is unknown. A package whose tests panic or run out of time
//! does not run the rest of them.

use std::collections::BTreeSet;

use super::go_json::Events;
use super::names::{Names, Place};
use super::{Counts, Line, NAMES_MAX, Outcome, Reader, Tally};
use crate::text::{duration_ms, trailing_parenthesis};

#[derive(Default)]
pub(super) struct Go {
    events: Events,
    /// Tests that run, in the open package.
    running: BTreeSet<String>,
    /// Where the names of the open package begin.
    start: usize,
    /// How many failures the open package has.
    failures: u64,
    counts: Counts,
    /// What the packages before the open one came to.
    before: Counts,
    packages: u64,
    is_verbose: bool,
    /// Something happened in the open package.
    is_open: bool,
    /// Its tests print: `PASS` or `FAIL` has not come yet.
    in_tests: bool,
    panicked: bool,
    timed_out: bool,
    cut_off: bool,
    build_failed: bool,
    /// A package failed and no test of it did.
    unexplained: bool,
    names: Names,
}

impl Reader for Go {
    fn line(&mut self, line: &Line<'_>) {
        let text = line.text;
        match text.as_bytes()[0] {
            b'{' => self.events.line(text),
            b'=' => self.started(text),
            b'-' | b' ' if line.body.starts_with("--- ") => self.ended(line.body),
            b'o' if text.starts_with("ok  \t") => self.package(text, false),
            b'F' if text.starts_with("FAIL\t") => self.package(text, true),
            b'F' | b'P' if matches!(text, "FAIL" | "PASS") => self.in_tests = false,
            b'p' if text.starts_with("panic: ") => {
                self.panicked = true;
                self.timed_out |= text.starts_with("panic: test timed out after ");
            }
            b'?' if text.starts_with("?   \t") => self.packages += 1,
            _ => {}
        }
    }

    fn is_in_section(&self) -> bool {
        self.in_tests
    }

    fn finish(self: Box<Self>, _: bool) -> Option<Tally> {
        let go = *self;
        if go.events.recognised() {
            return Some(go.events.finish(go.build_failed));
        }
        if go.packages == 0 && !(go.is_verbose && go.is_open) {
            return None;
        }
        let complete = !go.cut_off && !go.build_failed && !go.is_open;
        let is_known = go.is_verbose && !go.counts.is_empty();
        let known = |count: u64| is_known.then_some(count);
        if go.build_failed && go.counts.is_empty() && go.names.len() == 0 {
            return Some(Tally { build_failed: true, ..Tally::default() });
        }
        Some(Tally {
            passed: known(go.counts.passed),
            failed: (!go.unexplained).then_some(go.counts.failed),
            skipped: known(go.counts.skipped),
            total: known(go.counts.total()).filter(|_| !go.cut_off && !go.is_open),
            names: go.names,
            complete,
            build_failed: go.build_failed,
            ..Tally::default()
        })
    }
}

impl Go {
    fn started(&mut self, text: &str) {
        if let Some(name) = text.strip_prefix("=== RUN ") {
            self.is_verbose = true;
            (self.is_open, self.in_tests) = (true, true);
            if self.running.len() < NAMES_MAX {
                self.running.insert(name.trim().to_owned());
            }
        }
    }

    /// `--- FAIL: TestX (0.00s)`.
    fn ended(&mut self, body: &str) {
        let Some((word, rest)) = body["--- ".len()..].split_once(": ") else { return };
        let outcome = match word {
            "PASS" => Outcome::Passed,
            "FAIL" => Outcome::Failed,
            "SKIP" => Outcome::Skipped,
            _ => return,
        };
        let Some((name, time)) = trailing_parenthesis(rest) else { return };
        (self.is_open, self.in_tests) = (true, true);
        self.running.remove(name);
        self.failures += u64::from(outcome == Outcome::Failed);
        self.counts.one(outcome);
        self.names.push(name, outcome, duration_ms(time));
    }

    fn package(&mut self, text: &str, failed: bool) {
        let mut fields = text.split('\t').skip(1);
        let field = fields.next().unwrap_or_default();
        let package = field.split(' ').next().unwrap_or_default();
        self.packages += 1;
        if field.ends_with("[build failed]") || field.ends_with("[setup failed]") {
            self.build_failed = true;
        } else if failed {
            self.failed_package();
        }
        self.names.prefix(self.start, &format!("{package}."));
        let mut sum = self.counts;
        sum.remove(self.before);
        // Its names begin with where it is.
        self.names.end_run_of(sum, Place::Said(0));
        self.before = self.counts;
        (self.start, self.failures, self.is_open) = (self.names.len(), 0, false);
        (self.panicked, self.timed_out, self.in_tests) = (false, false, false);
        self.running.clear();
    }

    fn failed_package(&mut self) {
        if self.timed_out {
            for name in std::mem::take(&mut self.running) {
                self.counts.one(Outcome::TimedOut);
                self.failures += 1;
                self.names.push(&name, Outcome::TimedOut, None);
            }
        }
        self.cut_off |= self.panicked || !self.running.is_empty();
        self.unexplained |= self.failures == 0;
    }
}
